//! Given motions during a substep: where they are to go, and what becomes of one that something is in
//! the way of. Its parts into the obstacle wait, the parts along it go on, and what waited catches up.

use super::bench::Workbench;
use super::dents::{Yields, keep_dents, note_pressed};
use crate::sim::collision::contact::Row;
use crate::sim::collision::contact_distance::NEAR;
use crate::sim::model::Model;
use crate::sim::pose::Pose;
use crate::sim::state::State;
use crate::sim::whereabouts::Whereabouts;
use glam::DVec3;

/// A given motion stops where it presses a contact in by this part of the shot's tolerance.
const LAG_BEYOND: f64 = 0.8;

/// A motion presses a contact in where it goes into it by this part of the contact distance in a substep.
const LEAST_PRESS: f64 = 0.01;

/// Part of the motion into an obstacle that is tried once the whole motion is found to press, and the
/// least that is tried.
pub(crate) const FIRST_PACE: f64 = 0.25;
const SLOWEST: f64 = 1.0 / 64.0;

/// Growth of that part with every substep in which it went well. The whole motion is tried again only
/// when all of it has been reached this way: a plate on a crumpling sheet would else press again and
/// again, and every substep be solved twice.
const QUICKENING: f64 = 1.5;

/// A motion that is behind its curves goes at most this many times as fast as they do, or as a quarter
/// of a contact distance a substep where they stand still.
const CATCH_UP: f64 = 2.0;

/// Ways to go on with a given motion, tried one after the other from the start of the substep.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    /// All the way.
    Whole,
    /// Along what is in the way, and a small part into it.
    Along,
    /// Not at all.
    Stay,
}

/// Where the bodies of the scene are to be at script time `end`: given motions catch up with their
/// curves, everything else stays.
pub(super) fn wanted(model: &Model, state: &State, end: f64) -> Whereabouts {
    let mut wanted = Whereabouts::present(model, state);
    for body in 0..model.bodies.len() {
        if !model.bodies[body].moved {
            continue;
        }
        if model.bodies[body].deforms {
            wanted.give(model, body, end);
            keep_dents(model, state, body, end, &mut wanted.shapes[body]);
            continue;
        }
        let pose = &mut wanted.poses[body];
        let own = *pose;
        let due = Pose::given(&model.scene, body, state.time);
        let target = Pose::given(&model.scene, body, end);
        *pose = target;
        if own != due {
            let room =
                CATCH_UP * farthest(model, body, &due, &target).max(0.25 * reach(model, body));
            let way = farthest(model, body, &own, &target);
            if way > room {
                *pose = own.toward(&target, room / way, model.bodies[body].pivot);
            }
        }
    }
    wanted
}

/// The least reach of the nodes of `body` [m].
fn reach(model: &Model, body: usize) -> f64 {
    model.reach[model.bodies[body].nodes.clone()].iter().copied().fold(f64::INFINITY, f64::min)
}

/// The longest way of a vertex of `body` between two poses [m].
fn farthest(model: &Model, body: usize, a: &Pose, b: &Pose) -> f64 {
    let squared = |i: usize| a.place(model.rest[i]).distance_squared(b.place(model.rest[i]));
    model.bodies[body].nodes.clone().map(squared).fold(0.0, f64::max).sqrt()
}

/// Puts the nodes of a given motion that keeps its shape to where they are at `pose`.
pub(super) fn place(model: &Model, body: usize, pose: &Pose, x: &mut [DVec3]) {
    for i in model.bodies[body].nodes.clone() {
        x[i] = pose.place(model.rest[i]);
    }
}

/// The part of the motion from `from` to `to` that leads along the obstacles, and the part `into` of
/// what leads into them. Obstacles are the unit directions into them.
fn along(obstacles: &[DVec3], from: &Pose, to: &Pose, into: f64) -> Pose {
    let mut way = to.translation - from.translation;
    // Each pass takes what leads into one obstacle out; what that turns into another is left for the next.
    for _ in 0..3 {
        for toward in obstacles {
            way -= *toward * ((1.0 - into) * toward.dot(way).max(0.0));
        }
    }
    Pose {
        translation: from.translation + way,
        rotation: from.toward(to, into, DVec3::ZERO).rotation,
    }
}

/// How far given motion `index` may be to go in a substep and still wait for what is in its way [m]: about as far as it
/// is from what it touches.
fn nearby(model: &Model, bench: &Workbench, index: usize) -> f64 {
    let own = reach(model, index);
    let rows = bench.rows.iter().filter(|row| row.bodies.contains(&(index as u32)));
    let least = rows.map(|row| row.layer.distance).fold(f64::INFINITY, f64::min);
    if least.is_finite() { own.max(0.5 * NEAR * least) } else { own }
}

/// Adds the directions in which body `index` presses hard on something at the iterate, as far as they
/// differ from those that are there by more than 25 degrees.
fn note_obstacles(model: &Model, bench: &Workbench, index: usize, obstacles: &mut Vec<DVec3>) {
    let nodes = &model.bodies[index].nodes;
    let hard = 0.5 * LAG_BEYOND * model.scene.solver.tolerance;
    for row in &bench.rows {
        if row.bodies.contains(&(index as u32)) && row.gap(&bench.z) < -hard * row.layer.distance {
            let first = nodes.contains(&(row.nodes[0] as usize));
            let toward = if first { -row.normal } else { row.normal };
            if obstacles.iter().all(|known| known.dot(toward) < 0.9) {
                obstacles.push(toward);
            }
        }
    }
}

/// What is tried with each given motion in one substep.
pub(super) struct Plan {
    start: Vec<Pose>,
    whole: Vec<Pose>,
    /// Where the bodies are to go.
    pub(super) wanted: Whereabouts,
    ways: Vec<Way>,
    /// Where colliders that deform give way.
    pub(super) yields: Yields,
}

impl Plan {
    /// The whole motion where nothing is known to be in the way, else what leads along it.
    pub(super) fn new(model: &Model, state: &State, end: f64) -> Self {
        let wanted = wanted(model, state, end);
        let whole = wanted.poses.clone();
        let mut plan = Self {
            start: state.poses.clone(),
            wanted,
            ways: vec![Way::Whole; whole.len()],
            whole,
            yields: Yields::default(),
        };
        for body in 0..plan.ways.len() {
            if !state.obstacles[body].is_empty() {
                plan.set(state, body, Way::Along);
            }
        }
        plan
    }

    fn set(&mut self, state: &State, body: usize, way: Way) {
        self.ways[body] = way;
        let (start, whole) = (&self.start[body], &self.whole[body]);
        self.wanted.poses[body] = match way {
            Way::Whole => *whole,
            Way::Along => along(&state.obstacles[body], start, whole, state.pace[body]),
            Way::Stay => *start,
        };
    }

    /// Plans less for the bodies that could not go as planned, and puts all back to the start; false
    /// where they have been told to stay already, or are too fast to wait: then a shorter substep
    /// has to show whether what they hit moves on.
    pub(super) fn lessen(
        &mut self,
        model: &Model,
        state: &mut State,
        bench: &Workbench,
        lagging: &[usize],
    ) -> bool {
        let mut again = false;
        let may_yield = self.yields.are_left();
        self.yields.count += 1;
        for &body in lagging {
            if model.bodies[body].deforms {
                let shape = &mut self.wanted.shapes[body];
                again |= may_yield && self.yields.give_way(model, bench, body, shape);
                continue;
            }
            let way = farthest(model, body, &self.start[body], &self.whole[body]);
            let slow = way <= nearby(model, bench, body);
            if slow && self.ways[body] != Way::Stay {
                again = true;
                note_obstacles(model, bench, body, &mut state.obstacles[body]);
                let way = if self.ways[body] == Way::Whole { Way::Along } else { Way::Stay };
                self.set(state, body, way);
            }
        }
        if again {
            state.poses.copy_from_slice(&self.start);
        }
        again
    }

    /// Whether anything of what lags can be planned less for.
    pub(super) fn may_lessen(&self, model: &Model, lagging: &[usize]) -> bool {
        lagging.iter().any(|&body| !model.bodies[body].deforms || self.yields.are_left())
    }

    /// Takes down how the motions got on, for the next substep: more or less of the way into what is in
    /// the way. Returns the bodies that waited.
    pub(super) fn close(&self, model: &Model, state: &mut State, bench: &Workbench) -> Vec<usize> {
        note_pressed(model, state, bench);
        for (body, way) in self.ways.iter().enumerate() {
            let pace = &mut state.pace[body];
            match way {
                Way::Whole => {
                    *pace = FIRST_PACE;
                    state.obstacles[body].clear();
                }
                Way::Along if *pace >= 1.0 => state.obstacles[body].clear(),
                Way::Along => *pace = (QUICKENING * *pace).min(1.0),
                Way::Stay => *pace = (0.25 * *pace).max(SLOWEST),
            }
        }
        (0..self.ways.len()).filter(|&b| self.ways[b] != Way::Whole).collect()
    }
}

/// How far body `index` may go from `from` towards `to`: the pose, and the body that is in the way
/// where that is less than all.
pub(super) fn advance(
    model: &Model,
    bench: &Workbench,
    index: usize,
    from: &Pose,
    to: &Pose,
) -> (Pose, Option<usize>) {
    let blocked_by = |pose: &Pose| {
        blocked(model, bench, index, pose).or_else(|| crushes(model, bench, index, pose))
    };
    farthest_good(model, index, from, to, blocked_by)
}

/// What given motion `index` presses in too deep at `pose`.
pub(super) fn crushes(
    model: &Model,
    bench: &Workbench,
    index: usize,
    pose: &Pose,
) -> Option<usize> {
    let nodes = model.bodies[index].nodes.clone();
    let Workbench { rows, z, potential, .. } = bench;
    let crush = crush(model);
    let touches = |bodies: &[u32; 2]| bodies.contains(&(index as u32));
    let own = |i: usize| nodes.contains(&i);
    let here = |i: usize| if own(i) { pose.place(model.rest[i]) } else { z[i] };
    let before = |i: usize| if own(i) { potential.start[i] } else { z[i] };
    // What is too deep already must not keep a body from going out, or along.
    let deeper = |row: &&Row| {
        let gap = row.gap_with(here);
        gap < -crush * row.layer.distance
            && gap < row.gap_with(before) - LEAST_PRESS * row.layer.distance
    };
    let crushed = rows.iter().filter(|row| touches(&row.bodies)).find(deeper)?;
    let [a, b] = crushed.bodies.map(|body| body as usize);
    Some(if a == index { b } else { a })
}

/// How far rigid body `index` may go from `from` towards `to`: the pose, and the body that is in the
/// way where that is less than all; its own number where its nodes would leave their boxes.
pub(super) fn carry(
    model: &Model,
    bench: &mut Workbench,
    index: usize,
    from: &Pose,
    to: &Pose,
) -> (Pose, Option<usize>) {
    let (pose, other) =
        farthest_good(model, index, from, to, |pose| blocked(model, bench, index, pose));
    bench.allowed.left_box |= other == Some(index);
    (pose, other)
}

/// The body whose limit body `index` does not keep at `pose`; its own number where it leaves the boxes of its
/// nodes.
fn blocked(model: &Model, bench: &Workbench, index: usize, pose: &Pose) -> Option<usize> {
    let Workbench { allowed, base, candidates, .. } = bench;
    let nodes = model.bodies[index].nodes.clone();
    let place = |i: usize| pose.place(model.rest[i]);
    if !nodes.clone().all(|i| candidates.holds(i, place(i))) {
        return Some(index);
    }
    allowed.in_the_way(nodes.start, nodes.end, base, place)
}

/// The farthest pose between `from` and `to`, to a thousandth, for which `blocked_by` names nothing,
/// and what it names for all the way.
fn farthest_good(
    model: &Model,
    index: usize,
    from: &Pose,
    to: &Pose,
    blocked_by: impl Fn(&Pose) -> Option<usize>,
) -> (Pose, Option<usize>) {
    let other = blocked_by(to);
    if other.is_none() {
        return (*to, None);
    }
    let part = |fraction: f64| from.toward(to, fraction, model.bodies[index].pivot);
    let (mut good, mut bad) = (0.0, 1.0);
    for _ in 0..10 {
        let middle = 0.5 * (good + bad);
        if blocked_by(&part(middle)).is_some() { bad = middle } else { good = middle }
    }
    // The start is known to be good; a pose rounded on the way to it need not be.
    (if good > 0.0 { part(good) } else { *from }, other)
}

/// Part of a contact distance that a given motion presses a contact in by at most.
pub(super) fn crush(model: &Model) -> f64 {
    LAG_BEYOND * model.scene.solver.tolerance
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenes;
    use crate::sim::Simulation;
    use crate::sim::collision::finder::Finder;
    use crate::sim::collision::layer::Layer;

    /// Plates that pressed a crumpled sheet in by more than they may stayed where they were for ever.
    #[test]
    fn what_is_pressed_in_too_deep_may_be_let_go_and_no_deeper() {
        let scene = scenes::sheet_on_ball(5);
        let Simulation { model, state, .. } =
            Simulation::start(&scene).map_err(|p| format!("{p:?}")).unwrap().simulation;
        let x = &state.positions;
        let mut bench = Workbench::new(&model, Finder::new(&model.surface, x));
        (bench.base, bench.z, bench.potential.start) = (x.clone(), x.clone(), x.clone());
        bench.candidates.set_boxes(x, x, |_| 1.0);
        let (ball, sheet) = (0, 1);
        let (vertex, corner) = (model.bodies[sheet].nodes.start, model.bodies[ball].nodes.start);
        let way = x[vertex] - x[corner];
        let distance = 2.0 * way.length();
        bench.rows.push(Row {
            key: (0, 0, 0),
            nodes: [vertex as u32, corner as u32, corner as u32 + 1, corner as u32 + 2],
            weights: [1.0, -1.0, 0.0, 0.0],
            split: 1,
            normal: way.normalize(),
            layer: Layer {
                distance,
                stiffness: 1.0,
                start_depth: 0.5 * distance,
                ..Layer::default()
            },
            bodies: [ball as u32, sheet as u32],
            ..Row::default()
        });
        let from = state.poses[ball];
        let by = |part: f64| Pose { translation: from.translation + way * part, ..from };
        assert_eq!(advance(&model, &bench, ball, &from, &by(-0.1)), (by(-0.1), None));
        let (stopped, other) = advance(&model, &bench, ball, &from, &by(0.1));
        assert_eq!(other, Some(sheet));
        assert!(stopped.translation.distance(from.translation) < 0.021 * way.length());
        // The ball has no thickness: how far it may go and still wait goes by what it touches.
        assert_eq!(nearby(&model, &bench, ball), 0.5 * NEAR * distance);
    }
}
