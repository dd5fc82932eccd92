//! Impulses for rigid bodies (Guendelman, Bridson and Fedkiw 2003; Galante 2009, section 2.4).
//!
//! A step: collisions change velocities, with restitution, where bodies would meet by their old velocities
//! and gravity; gravity changes velocities; contacts change them, without restitution, where bodies would
//! meet by the new ones; shock propagation does so again from the lowest level of the contact graph to the
//! highest, with all below as if infinitely heavy; bodies move; what overlaps all the same is moved apart, level
//! by level.
//!
//! `shock = false` leaves shock propagation out, and moves apart what overlaps in any order: what the source shows its
//! use by. Then heaps sink into themselves where steps are long, and steps back in time are what they stand by.
//!
//! Bodies are convex pieces, and meet at the corners of what their faces, edges or corners have in common. A
//! contact takes only as much speed as would bring its bodies nearer than their contact distance by the end
//! of the step, so that what falls comes to lie on what it falls on.

mod levels;
mod shapes;

use super::bench::{Quality, Workbench};
use crate::math::random;
use crate::math::rotation;
use crate::sim::model::{Model, SKIN};
use crate::sim::pose::Pose;
use crate::sim::state::State;
use glam::{DMat3, DVec3};
use levels::levels;
use shapes::Meeting;
pub(crate) use shapes::Shapes;

/// Passes over all pairs for collisions, contacts, and each level of shock propagation.
const COLLISIONS: u32 = 5;
const CONTACTS: u32 = 10;
const SHOCKS: u32 = 5;

/// Passes over the places of a pair.
const PLACES: u32 = 20;

/// Most looks at a pair on its way through a step.
const LOOKS: f64 = 1000.0;

/// Passes that move apart what overlaps.
const SEPARATIONS: u32 = 4;

/// A body in the present step.
struct Mover {
    /// Its place in `Model::rigids`; none of a given one.
    rigid: Option<usize>,
    pose: Pose,
    /// Centre of mass in the mesh's frame [m].
    center: DVec3,
    /// [m/s] and [rad/s]
    velocity: DVec3,
    spin: DVec3,
    /// [1/kg] and [1/(kg m2)], as it stands at the start of the step; zero for given bodies.
    inverse_mass: f64,
    inverse_inertia: DMat3,
}

impl Mover {
    /// Where it would be after `h` seconds.
    fn after(&self, h: f64) -> Pose {
        let turn = rotation::from_scaled_axis(self.spin * h);
        let rotation = (turn * self.pose.rotation).normalize();
        let center = self.pose.place(self.center) + self.velocity * h;
        Pose { translation: center - rotation * self.center, rotation }
    }

    fn velocity_at(&self, arm: DVec3) -> DVec3 {
        self.velocity + self.spin.cross(arm)
    }

    /// How the velocity of the place at `arm` answers to an impulse there [1/kg].
    fn answer(&self, arm: DVec3) -> DMat3 {
        let cross = DMat3::from_cols(
            DVec3::new(0.0, arm.z, -arm.y),
            DVec3::new(-arm.z, 0.0, arm.x),
            DVec3::new(arm.y, -arm.x, 0.0),
        );
        DMat3::from_diagonal(DVec3::splat(self.inverse_mass)) - cross * self.inverse_inertia * cross
    }

    fn push(&mut self, impulse: DVec3, arm: DVec3) {
        self.velocity += impulse * self.inverse_mass;
        self.spin += self.inverse_inertia * arm.cross(impulse);
    }
}

/// Two bodies that may meet, the first of which moves.
struct Pair {
    bodies: [usize; 2],
    /// Contact distance [m].
    distance: f64,
    friction: f64,
    restitution: f64,
    /// Sum over the step [N s], and places when it touched last.
    impulse: f64,
    touching: u32,
}

struct Step<'a> {
    model: &'a Model,
    shapes: &'a Shapes,
    movers: Vec<Mover>,
    pairs: Vec<Pair>,
    h: f64,
}

/// Advances `state` by `h` to script time `end`.
pub(crate) fn attempt(
    model: &Model,
    state: &mut State,
    bench: &mut Workbench,
    h: f64,
    end: f64,
) -> Quality {
    let mut quality = Quality {
        step: h,
        closest: f64::INFINITY,
        finite: true,
        may_grow: true,
        ..Quality::default()
    };
    bench.external.evaluate(model, &state.positions, &state.velocities, state.time, |_| 0.0);
    let movers = (0..model.bodies.len()).map(|b| mover(model, state, b, end)).collect();
    let mut step = Step { model, shapes: &bench.shapes, movers, pairs: Vec::new(), h };
    let pulls: Vec<Pull> = step.movers.iter().map(|m| pull(model, state, bench, m)).collect();
    step.pairs = step.find_pairs(&pulls, state.time);
    let before = step.depths();
    step.collide(&pulls);
    for (mover, pull) in step.movers.iter_mut().zip(&pulls) {
        mover.velocity = (mover.velocity + pull.linear * h) / (1.0 + pull.drag * h);
        mover.spin = (mover.spin + pull.angular * h) / (1.0 + pull.drag * h);
    }
    let levels = step.levels(&before);
    for pass in 0..CONTACTS {
        for k in shuffled(step.pairs.len(), pass) {
            step.touch(k, [false; 2]);
        }
    }
    if model.scene.solver.shock.unwrap_or(true) {
        step.upwards(&levels, SHOCKS, Step::touch);
        step.advance(state, end);
        step.upwards(&levels, SEPARATIONS, Step::part);
    } else {
        step.advance(state, end);
        for pass in 0..SEPARATIONS {
            for k in shuffled(step.pairs.len(), pass) {
                step.part(k, [false; 2]);
            }
        }
    }
    step.finish(state, &before, &mut quality);
    state.time = end;
    quality
}

/// The body `index` at the start of a step to `end`.
fn mover(model: &Model, state: &State, index: usize, end: f64) -> Mover {
    let (body, pose) = (&model.bodies[index], state.poses[index]);
    let still = Mover {
        rigid: None,
        pose,
        center: DVec3::ZERO,
        velocity: DVec3::ZERO,
        spin: DVec3::ZERO,
        inverse_mass: 0.0,
        inverse_inertia: DMat3::ZERO,
    };
    if let Some(number) = body.rigid {
        let rigid = &model.rigids[number];
        let (x, v) = (&state.positions, &state.velocities);
        return Mover {
            rigid: Some(number),
            center: rigid.center,
            velocity: v[rigid.nodes()].iter().sum::<DVec3>() * 0.25,
            spin: rigid.spin_of(x, v),
            inverse_mass: 1.0 / rigid.mass,
            inverse_inertia: rigid.inverse_inertia(pose.rotation),
            ..still
        };
    }
    if body.moved {
        let (h, there) = (end - state.time, Pose::given(&model.scene, index, end));
        let turn = there.rotation * pose.rotation.inverse();
        let turn = if turn.w < 0.0 { -turn } else { turn };
        let velocity = (there.translation - pose.translation) / h;
        return Mover { velocity, spin: rotation::to_scaled_axis(turn) / h, ..still };
    }
    still
}

/// What forces do to a body: acceleration [m/s2], the same of its spin [rad/s2], and drag [1/s].
#[derive(Clone, Copy, Default)]
struct Pull {
    linear: DVec3,
    angular: DVec3,
    drag: f64,
}

fn pull(model: &Model, state: &State, bench: &Workbench, mover: &Mover) -> Pull {
    let Some(number) = mover.rigid else { return Pull::default() };
    let rigid = &model.rigids[number];
    let own = &bench.external.acceleration[rigid.nodes()];
    let linear = own.iter().sum::<DVec3>() * 0.25;
    let center = mover.pose.place(mover.center);
    let arms = state.positions[rigid.nodes()].iter().map(|x| *x - center);
    let torque: DVec3 =
        arms.zip(own).map(|(arm, a)| arm.cross(*a - linear) * (0.25 * rigid.mass)).sum();
    let drag = bench.external.drag[rigid.nodes()].iter().sum::<f64>() * 0.25;
    Pull { linear, angular: mover.inverse_inertia * torque, drag }
}

/// The numbers below `count` in an order that differs from pass to pass (section 2.4.4).
fn shuffled(count: usize, pass: u32) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    let mut seed = u64::from(pass) + 1;
    for k in (1..count).rev() {
        order.swap(k, random::next(&mut seed) as usize % (k + 1));
    }
    order
}

impl Step<'_> {
    fn is_free(&self, body: usize) -> bool {
        self.movers[body].rigid.is_some()
    }

    /// Pairs of bodies whose boxes meet on their way, by sorting along x and sweeping.
    fn find_pairs(&self, pulls: &[Pull], time: f64) -> Vec<Pair> {
        let (model, h) = (self.model, self.h);
        let reach = |b: usize| {
            let half = model.half_thickness.get(model.bodies[b].nodes.start);
            half.map_or(0.0, |half| half + 0.5 * SKIN)
        };
        let boxes: Vec<(DVec3, DVec3)> = (0..self.movers.len())
            .map(|b| {
                let mover = &self.movers[b];
                let (low, high) = self.shapes.bounds(b, &mover.pose);
                let (to_low, to_high) = self.shapes.bounds(b, &mover.after(h));
                let slack = reach(b) + pulls[b].linear.length() * h * h;
                (low.min(to_low) - slack, high.max(to_high) + slack)
            })
            .collect();
        let mut order: Vec<usize> = (0..boxes.len()).filter(|b| boxes[*b].0.is_finite()).collect();
        order.sort_by(|a, b| boxes[*a].0.x.total_cmp(&boxes[*b].0.x).then(a.cmp(b)));
        let mut found = Vec::new();
        for (k, &a) in order.iter().enumerate() {
            for &b in order[k + 1..].iter().take_while(|b| boxes[**b].0.x <= boxes[a].1.x) {
                let meets =
                    boxes[a].0.cmple(boxes[b].1).all() && boxes[b].0.cmple(boxes[a].1).all();
                if meets && model.pair_collides(a, b) {
                    found.push(if self.is_free(a) && (a < b || !self.is_free(b)) {
                        [a, b]
                    } else {
                        [b, a]
                    });
                }
            }
        }
        found.sort_unstable();
        let own = |b: usize| model.scene.bodies[b].rigid().map_or(0.0, |r| r.restitution);
        let pair = |bodies: [usize; 2]| {
            let [a, b] = bodies;
            Pair {
                bodies,
                distance: reach(a) + reach(b),
                friction: model.bodies_friction(a, b, time),
                restitution: model.pair_restitution(a, b, own(a).max(own(b)), time),
                impulse: 0.0,
                touching: 0,
            }
        };
        found.into_iter().map(pair).collect()
    }

    /// Where pair `k` meets with its bodies at `poses`.
    fn meetings(&self, k: usize, poses: [&Pose; 2]) -> Vec<Meeting> {
        self.shapes.meetings(self.pairs[k].bodies, poses, self.pairs[k].distance)
    }

    /// Where pair `k` meets first on the way of the step by its velocities (and `pulls`): the poses, the part
    /// of the step by then, and the places. Fast bodies are looked at often enough that nothing is passed.
    fn first_meetings(&self, k: usize, pulls: &[Pull]) -> ([Pose; 2], f64, Vec<Meeting>) {
        let bodies = self.pairs[k].bodies;
        let [a, b] = bodies;
        let way = (self.movers[a].velocity - self.movers[b].velocity).length() * self.h;
        let thin = 0.5 * self.shapes.thinnest[a].min(self.shapes.thinnest[b]);
        let looks = (way / thin.max(f64::MIN_POSITIVE)).ceil().clamp(1.0, LOOKS);
        let mut look = 1.0;
        loop {
            let part = look / looks;
            let poses = bodies.map(|b| {
                let pose = self.movers[b].after(self.h * part);
                let pull = pulls.get(b).map_or(DVec3::ZERO, |pull| pull.linear);
                Pose { translation: pose.translation + pull * (self.h * self.h * part), ..pose }
            });
            let meetings = self.meetings(k, [&poses[0], &poses[1]]);
            if look >= looks || !meetings.is_empty() {
                return (poses, part, meetings);
            }
            look += 1.0;
        }
    }

    /// How deep each pair is in its contact distance now [m]; 0 where it does not touch.
    fn depths(&self) -> Vec<f64> {
        let depth = |k: usize| {
            let poses = self.pairs[k].bodies.map(|b| &self.movers[b].pose);
            self.meetings(k, poses).iter().fold(0.0, |most: f64, m| most.max(m.depth))
        };
        (0..self.pairs.len()).map(depth).collect()
    }

    /// Bounces of what would meet by its old velocity and what pulls at it.
    fn collide(&mut self, pulls: &[Pull]) {
        for pass in 0..COLLISIONS {
            for k in shuffled(self.pairs.len(), pass) {
                let Pair { bodies, restitution, .. } = self.pairs[k];
                if restitution <= 0.0 {
                    continue;
                }
                let (poses, _, meetings) = self.first_meetings(k, pulls);
                for meeting in meetings {
                    let middle = meeting.middle();
                    let speed = meeting.normal.dot(self.relative(bodies, &poses, middle));
                    if speed < 0.0 {
                        let place = (middle, meeting.normal, -restitution * speed);
                        self.press(k, &poses, &[place], [false; 2]);
                    }
                }
            }
        }
    }

    /// Velocity of the first body at a place relative to the second.
    fn relative(&self, [a, b]: [usize; 2], poses: &[Pose; 2], place: DVec3) -> DVec3 {
        let [first, second] = [&self.movers[a], &self.movers[b]];
        first.velocity_at(place - poses[0].place(first.center))
            - second.velocity_at(place - poses[1].place(second.center))
    }

    /// Takes from pair `k` the speed that would bring it nearer than its contact distance by the end of the
    /// step. Bodies that are `heavy` give way to nothing.
    fn touch(&mut self, k: usize, heavy: [bool; 2]) {
        let bodies = self.pairs[k].bodies;
        let (poses, part, meetings) = self.first_meetings(k, &[]);
        let mut places = Vec::new();
        for meeting in meetings {
            for (place, depth) in meeting.places {
                // What is left of the way to the contact distance may be gone.
                let speed = meeting.normal.dot(self.relative(bodies, &poses, place));
                places.push((place, meeting.normal, (speed * part + depth / self.h).min(0.0)));
            }
        }
        if !places.is_empty() {
            self.press(k, &poses, &places, heavy);
        }
    }

    /// Impulses at places of pair `k` along their normals, each of which is to part with a speed of its own at least
    /// [m/s], with Coulomb's friction.
    fn press(
        &mut self,
        k: usize,
        poses: &[Pose; 2],
        places: &[(DVec3, DVec3, f64)],
        heavy: [bool; 2],
    ) {
        let Pair { bodies: [a, b], friction, .. } = self.pairs[k];
        let mut held = vec![(0.0f64, DVec3::ZERO); places.len()];
        for _ in 0..PLACES {
            for ((place, normal, wanted), held) in places.iter().zip(&mut held) {
                let normal = *normal;
                let arm_a = *place - poses[0].place(self.movers[a].center);
                let arm_b = *place - poses[1].place(self.movers[b].center);
                let answer = |body: usize, arm: DVec3, heavy: bool| {
                    if heavy { DMat3::ZERO } else { self.movers[body].answer(arm) }
                };
                let sum = answer(a, arm_a, heavy[0]) + answer(b, arm_b, heavy[1]);
                let along = normal.dot(sum * normal);
                if along <= 0.0 {
                    continue;
                }
                let before = *held;
                let u = self.relative([a, b], poses, *place);
                held.0 = (held.0 + (wanted - normal.dot(u)) / along).max(0.0);
                let slip = u - normal * normal.dot(u);
                if let Some(way) = slip.try_normalize() {
                    let across = way.dot(sum * way);
                    held.1 = (held.1 - slip / across).clamp_length_max(friction * held.0);
                }
                let impulse = normal * (held.0 - before.0) + (held.1 - before.1);
                for (body, arm, sign, heavy) in
                    [(a, arm_a, 1.0, heavy[0]), (b, arm_b, -1.0, heavy[1])]
                {
                    if !heavy {
                        self.movers[body].push(impulse * sign, arm);
                    }
                }
            }
        }
        let pair = &mut self.pairs[k];
        pair.impulse += held.iter().map(|held| held.0).sum::<f64>();
        pair.touching = places.len() as u32;
    }

    /// Levels of the contact graph: what one body alone, moved by its velocity, comes to lie on.
    fn levels(&self, before: &[f64]) -> Vec<usize> {
        let mut lies = Vec::new();
        for (k, pair) in self.pairs.iter().enumerate() {
            let [a, b] = pair.bodies;
            let [first, second] = [&self.movers[a], &self.movers[b]];
            let deeper = |poses: [&Pose; 2]| {
                self.meetings(k, poses).iter().any(|m| m.depth > before[k] + 1e-6 * pair.distance)
            };
            if deeper([&first.after(self.h), &second.pose]) {
                lies.push((a, b));
            }
            if self.is_free(b) && deeper([&first.pose, &second.after(self.h)]) {
                lies.push((b, a));
            }
        }
        let fixed: Vec<bool> = (0..self.movers.len()).map(|b| !self.is_free(b)).collect();
        levels(fixed.len(), &fixed, &lies)
    }

    /// Calls `each(self, pair, heavy)` for all pairs from the lowest level to the highest: what is below a pair's
    /// level is heavy.
    fn upwards(
        &mut self,
        levels: &[usize],
        passes: u32,
        each: impl Fn(&mut Self, usize, [bool; 2]),
    ) {
        let most = levels.iter().copied().max().unwrap_or(0);
        for level in 1..=most {
            let own = |pair: &Pair| pair.bodies.map(|b| levels[b]).into_iter().max() == Some(level);
            let pairs: Vec<usize> =
                (0..self.pairs.len()).filter(|k| own(&self.pairs[*k])).collect();
            for pass in 0..passes {
                for k in shuffled(pairs.len(), pass) {
                    let heavy = self.pairs[pairs[k]].bodies.map(|b| levels[b] < level);
                    each(self, pairs[k], heavy);
                }
            }
        }
    }

    /// Moves everything, and places it in the state.
    fn advance(&mut self, state: &mut State, end: f64) {
        for (index, mover) in self.movers.iter_mut().enumerate() {
            let Some(number) = mover.rigid else {
                if self.model.bodies[index].moved {
                    mover.pose = Pose::given(&self.model.scene, index, end);
                }
                continue;
            };
            let rigid = &self.model.rigids[number];
            let center = mover.pose.place(mover.center);
            let x = &mut state.positions;
            let nodes = rigid.nodes();
            for i in nodes.clone() {
                state.velocities[i] = mover.velocity_at(x[i] - center);
            }
            for (i, (place, velocity)) in nodes.zip(rigid.fly(x, &state.velocities, self.h)) {
                (x[i], state.velocities[i]) = (place, velocity);
            }
            mover.pose = rigid.fit(x);
        }
    }

    /// Moves pair `k` apart as far as it is too near.
    fn part(&mut self, k: usize, heavy: [bool; 2]) {
        let [a, b] = self.pairs[k].bodies;
        let poses = [&self.movers[a].pose, &self.movers[b].pose];
        let deepest =
            self.meetings(k, poses).into_iter().max_by(|m, o| m.depth.total_cmp(&o.depth));
        let Some(Meeting { normal, depth, .. }) = deepest else { return };
        let inverse =
            |body: usize, heavy: bool| if heavy { 0.0 } else { self.movers[body].inverse_mass };
        let (first, second) = (inverse(a, heavy[0]), inverse(b, heavy[1]));
        if first + second > 0.0 {
            self.movers[a].pose.translation += normal * (depth * first / (first + second));
            self.movers[b].pose.translation -= normal * (depth * second / (first + second));
        }
    }

    /// Writes places into the state and measures the step.
    fn finish(&self, state: &mut State, before: &[f64], quality: &mut Quality) {
        for (index, mover) in self.movers.iter().enumerate() {
            state.poses[index] = mover.pose;
            if let Some(number) = mover.rigid {
                let rigid = &self.model.rigids[number];
                rigid.place(self.model, &mover.pose, &mut state.positions);
                for i in rigid.nodes() {
                    quality.fastest = quality.fastest.max(state.velocities[i].length());
                    quality.finite &= state.positions[i].as_vec3().is_finite();
                }
            } else if self.model.bodies[index].moved {
                super::given::place(self.model, index, &mover.pose, &mut state.positions);
            }
        }
        for ((pair, depth), before) in self.pairs.iter().zip(self.depths()).zip(before) {
            let [a, b] = pair.bodies.map(|b| b as u32);
            if depth > 0.0 && pair.distance - depth < quality.closest {
                (quality.closest, quality.closest_bodies) = (pair.distance - depth, pair.bodies);
            }
            quality.pressed_in = quality.pressed_in.max(depth / pair.distance);
            if depth > 0.0 {
                let near = [pair.bodies[0].min(pair.bodies[1]), pair.bodies[0].max(pair.bodies[1])];
                quality.note_depth(near, depth / pair.distance, pair.distance - depth);
            }
            let deepened = (depth - before) / pair.distance;
            if deepened > quality.deepened {
                (quality.deepened, quality.deepened_bodies) = (deepened, pair.bodies);
            }
            if pair.impulse > 0.0 {
                let at = (a.min(b), a.max(b));
                quality.contacts.push((at.0, at.1, pair.touching, pair.impulse));
            }
        }
        quality.contacts.sort_by_key(|c| (c.0, c.1));
        for pair in [&mut quality.closest_bodies, &mut quality.deepened_bodies] {
            pair.sort_unstable();
        }
    }
}
