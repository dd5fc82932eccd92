//! Pairs of primitives of triangles that share a corner: their boxes always meet, and in a sheet that is not folded
//! up they are nearly all the pairs there are. They are known from the mesh, and are looked at again only when the
//! nodes around the corner may have come nearer to each other than the last look leaves room for.

use super::candidates::{Candidate, Candidates};
use super::contact::far_within;
use super::finder::{Found, Near, gather};
use crate::sim::linear::chunks;
use crate::sim::model::Model;
use glam::DVec3;
use std::ops::Range;

/// See the module.
#[derive(Clone, Debug, Default)]
pub(super) struct Neighbours {
    stars: Vec<Star>,
    /// Nodes around the corners.
    rings: Vec<u32>,
    pairs: Vec<Pair>,
    /// Where all nodes were at the last look.
    before: Vec<DVec3>,
    lists: Vec<Found>,
}

/// The triangles around a corner.
#[derive(Clone, Debug)]
struct Star {
    corner: u32,
    ring: Range<u32>,
    pairs: Range<u32>,
    /// By how much any two nodes may come nearer to each other before a pair must be looked at [m].
    left: f64,
}

#[derive(Clone, Copy, Debug)]
struct Pair {
    pair: Candidate,
    /// How far apart the two are too far [m], a little more than that.
    far: f32,
}

/// Stars that are looked at in one go.
const STARS: usize = 512;

/// What is not counted on of what is left [m]: far more than what rounding comes to, so that when a pair was looked at
/// last changes nothing of what is found.
const ROUNDING: f64 = 1e-9;

impl Neighbours {
    /// The pairs of all bodies that may touch themselves.
    pub(super) fn new(model: &Model) -> Self {
        let mut own = Self::default();
        let surface = &model.surface;
        for (body, range) in surface.body_triangles.iter().enumerate() {
            if range.is_empty() || !model.pair_collides(body, body) {
                continue;
            }
            // Triangles around each node, one node after the other.
            let mut around: Vec<(u32, u32)> = Vec::new();
            for t in range.clone() {
                let [a, b, c] = surface.triangles[t as usize];
                around.extend([(a, t), (b, t)]);
                around.extend((b != c).then_some((c, t)));
            }
            around.sort_unstable();
            around.dedup();
            for star in around.chunk_by(|a, b| a.0 == b.0) {
                own.add_star(model, star);
            }
        }
        own
    }

    /// Adds the pairs of triangles around a corner that share no lower one.
    fn add_star(&mut self, model: &Model, star: &[(u32, u32)]) {
        let surface = &model.surface;
        let corner = star[0].0;
        let first = self.pairs.len();
        for (k, &(_, i)) in star.iter().enumerate() {
            let own = surface.triangles[i as usize];
            for &(_, j) in &star[k + 1..] {
                let others = surface.triangles[j as usize];
                if own.iter().filter(|v| others.contains(v)).min() != Some(&corner) {
                    continue;
                }
                surface.pairs_between(i, j, |pair| {
                    let reach = pair.sum_of_longest(&model.reach);
                    let far = far_within(model, &pair).min(reach);
                    self.pairs.push(Pair { pair, far: (far as f32).next_up() });
                });
            }
        }
        if self.pairs.len() == first {
            return;
        }
        let mut ring: Vec<u32> =
            star.iter().flat_map(|&(_, t)| surface.triangles[t as usize]).collect();
        ring.sort_unstable();
        ring.dedup();
        ring.retain(|i| *i != corner);
        let ring_start = self.rings.len() as u32;
        self.rings.extend(ring);
        self.stars.push(Star {
            corner,
            ring: ring_start..self.rings.len() as u32,
            pairs: first as u32..self.pairs.len() as u32,
            left: f64::NEG_INFINITY,
        });
    }

    /// Adds to `out` the pairs that are `near`; with `anew` those alone that have one of these nodes.
    pub(super) fn collect(&mut self, near: &Near<'_>, anew: Option<&[bool]>, out: &mut Candidates) {
        let Self { stars, rings, pairs, before, lists } = self;
        before.resize(near.positions.len(), DVec3::NAN);
        lists.resize_with(stars.len().div_ceil(STARS), Found::default);
        let mut work: Vec<_> = stars.chunks_mut(STARS).zip(&mut *lists).collect();
        chunks::for_each(&mut work, |(stars, list)| {
            for star in stars.iter_mut() {
                let ring = &rings[star.ring.start as usize..star.ring.end as usize];
                let (came, way) = nearer(near, before, star.corner, ring);
                star.left -= came;
                let has = |anew: &[bool]| {
                    anew[star.corner as usize] || ring.iter().any(|i| anew[*i as usize])
                };
                if star.left > way || !anew.is_none_or(has) {
                    continue;
                }
                let mut left = f64::INFINITY;
                for pair in &pairs[star.pairs.start as usize..star.pairs.end as usize] {
                    let room = pair.look(near, anew, list);
                    left = if room < left || room.is_nan() { room } else { left };
                }
                // Of what is no number nothing is known the next time.
                star.left = if left.is_finite() { left - ROUNDING } else { f64::NEG_INFINITY };
            }
        });
        gather(lists, out);
        before.copy_from_slice(near.positions);
    }
}

impl Pair {
    /// By how much the two may come nearer before they are near [m]. Adds them to `list` if they may on their way, and
    /// are asked for.
    #[inline]
    fn look(&self, near: &Near<'_>, anew: Option<&[bool]>, list: &mut Found) -> f64 {
        let far = self.far as f64;
        let way = near.way(&self.pair);
        // A bound on the distance that leaves little room is no better than none the next time.
        let distance = self.pair.distance_near(near.positions, 1.2 * far + way);
        let apart = distance.length();
        let is_far = distance.is_bound() || apart - way > far;
        if !is_far && anew.is_none_or(|anew| self.pair.has(anew)) {
            list.add(self.pair, distance);
        }
        apart - far
    }
}

/// How much nearer any two nodes of a star may have come since they were at `before`, and how much nearer they may come
/// on the way of their boxes [m].
#[inline]
fn nearer(near: &Near<'_>, before: &[DVec3], corner: u32, ring: &[u32]) -> (f64, f64) {
    let gone = |i: u32| near.positions[i as usize] - before[i as usize];
    let way = |i: u32| near.way.map_or(DVec3::ZERO, |way| way[i as usize]);
    let (own_gone, own_way) = (gone(corner), way(corner));
    let mut motion = near.motion[corner as usize];
    let (mut came, mut comes) = (0.0f64, 0.0f64);
    for &i in ring {
        let apart = gone(i).distance_squared(own_gone);
        came = if apart > came || apart.is_nan() { apart } else { came };
        comes = comes.max(way(i).distance_squared(own_way));
        motion = motion.max(near.motion[i as usize]);
    }
    (2.0 * came.sqrt(), 2.0 * (motion + comes.sqrt()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenes;
    use crate::sim::Simulation;
    use crate::sim::collision::finder::Finder;

    /// A sheet that creeps, and crumples until neighbours come near, looked at all along and as if for the first time.
    #[test]
    fn what_was_looked_at_before_changes_nothing() {
        let scene = scenes::sheet_on_ball(9);
        let simulation =
            Simulation::start(&scene).map_err(|p| format!("{p:?}")).unwrap().simulation;
        let (mut model, mut x) = (simulation.model, simulation.state.positions);
        for (half, reach) in model.half_thickness.iter_mut().zip(&mut model.reach) {
            (*half, *reach) = (*half * 20.0, *reach * 20.0);
        }
        let mut seed: u64 = 29;
        let mut random = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) as f64 / (1u64 << 31) as f64 - 0.5
        };
        let mut always = Finder::new(&model.surface, &x);
        let mut own = Neighbours::new(&model);
        let (mut passed, mut found) = (0, 0);
        for round in 0..60 {
            let gust = DVec3::new(random(), random(), random()) * 0.05;
            let size = if round % 10 == 9 { 0.05 } else { 2e-4 };
            let mut to = x.clone();
            for (p, to) in x.iter_mut().zip(&mut to).take(model.free_count) {
                *p += DVec3::new(random(), random(), random()) * size;
                *to = *p + gust + DVec3::new(random(), random(), random()) * 1e-3;
            }
            let mut boxes = Candidates::default();
            boxes.make_room(x.len());
            for (i, (p, to)) in x.iter().zip(&to).enumerate() {
                boxes.set_moving_box(i, *p, *to, 2e-4);
            }
            let mut fresh = boxes.clone();
            always.find_near(&model, &x, None, &mut boxes);
            Finder::new(&model.surface, &x).find_near(&model, &x, None, &mut fresh);
            let sorted = |c: &Candidates| {
                let mut pairs: Vec<_> = c.pairs.iter().map(|p| (p.kind, p.ids)).collect();
                pairs.sort_unstable();
                pairs
            };
            assert_eq!(sorted(&boxes), sorted(&fresh), "round {round}");
            let motion = vec![2e-4 * 3f64.sqrt(); x.len()];
            let way: Vec<DVec3> = to.iter().zip(&x).map(|(to, p)| *to - *p).collect();
            let near = Near { model: &model, positions: &x, motion: &motion, way: Some(&way) };
            let before: Vec<f64> = own.stars.iter().map(|star| star.left).collect();
            let mut some = Candidates::default();
            own.collect(&near, None, &mut some);
            found += some.pairs.len();
            // What was not looked at has less left than before.
            let less = |(star, before): &(&Star, f64)| star.left < *before && star.left > 0.0;
            passed += own.stars.iter().zip(before).filter(less).count();
        }
        assert!(passed > 100 && found > 100, "{passed} passed over, {found} pairs found");
    }
}
