//! Pairs of primitives of triangles that share a corner or are near each other at rest: their boxes mostly meet, and in a
//! sheet that is not folded up they are nearly all the pairs there are. They are known from the mesh, and are looked at
//! again only when the nodes around a corner may have come nearer to each other than the last look leaves room for.

use super::candidates::{Candidate, Candidates, Distance};
use super::contact::{far_within, never_farther_within};
use super::finder::{Found, Near, gather};
use super::tree::{Aabb, Swath, Tree};
use super::turning::{Approach, spread_out};
use crate::sim::linear::chunks;
use crate::sim::model::Model;
use glam::DVec3;
use std::ops::Range;

/// See the module.
#[derive(Clone, Debug, Default)]
pub(super) struct Neighbours {
    stars: Vec<Star>,
    mesh: Mesh,
    /// Where all nodes were at the last look.
    before: Vec<DVec3>,
    lists: Vec<Found>,
}

/// What is known of triangles, and of nodes around corners.
#[derive(Clone, Debug, Default)]
struct Mesh {
    /// Triangles around the corners of stars.
    around: Vec<u32>,
    /// Nodes around the corners of stars.
    rings: Vec<u32>,
    /// Where the triangles begin in `near` that are near each triangle at rest; empty where none are near any.
    start: Vec<u32>,
    /// Triangles with higher numbers that share no corner, ascending.
    near: Vec<u32>,
}

/// The triangles around a corner: those that share it, and what is near them at rest.
#[derive(Clone, Debug)]
struct Star {
    corner: u32,
    around: Range<u32>,
    /// Nodes of triangles around the corner, and then those of triangles near them.
    rings: [Range<u32>; 2],
    /// Three nodes that tell how it is turned.
    frame: [u32; 3],
    /// Whether there are pairs of triangles that share the corner, and pairs of those that are near at rest.
    has: [bool; 2],
    /// By how much any two nodes may come nearer to each other before such a pair must be looked at [m].
    left: [f64; 2],
}

/// Stars that are looked at in one go.
const STARS: usize = 512;

/// What is not counted on of what is left [m]: far more than what rounding comes to, so that when a pair was looked at
/// last changes nothing of what is found.
const ROUNDING: f64 = 1e-9;

/// Triangles are noted that are nearer at rest than this multiple of what their nodes reach.
const NEAR_AT_REST: f64 = 1.1;

/// Of a body with more triangles near each other at rest than this many for each none are noted.
const MOST_NEAR: usize = 40;

impl Neighbours {
    /// The pairs of all bodies that may touch themselves.
    pub(super) fn new(model: &Model) -> Self {
        let mut own = Self::default();
        let surface = &model.surface;
        own.mesh.note_near(model);
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

    /// Adds what there is around a corner, if anything.
    fn add_star(&mut self, model: &Model, star: &[(u32, u32)]) {
        let nodes = |t: u32| model.surface.triangles[t as usize];
        let corner = star[0].0;
        let Mesh { around, rings, .. } = &mut self.mesh;
        let first = around.len() as u32;
        around.extend(star.iter().map(|(_, t)| *t));
        let mut own = Star {
            corner,
            around: first..around.len() as u32,
            rings: [0..0, 0..0],
            frame: [corner; 3],
            has: [false; 2],
            left: [f64::NEG_INFINITY; 2],
        };
        let begin = rings.len();
        let mut ring: Vec<u32> = star.iter().flat_map(|(_, t)| nodes(*t)).collect();
        ring.sort_unstable();
        ring.dedup();
        let mut wide = Vec::new();
        self.mesh.near_pairs(model, &own, |_, j| wide.extend(nodes(j)));
        own.has[1] = !wide.is_empty();
        wide.sort_unstable();
        wide.dedup();
        wide.retain(|i| ring.binary_search(i).is_err());
        ring.retain(|i| *i != corner);
        let rings = &mut self.mesh.rings;
        for (own, nodes) in own.rings.iter_mut().zip([ring, wide]) {
            let first = rings.len() as u32;
            rings.extend(nodes);
            *own = first..rings.len() as u32;
        }
        own.frame = spread_out(&model.rest, corner, &rings[begin..]);
        let mut shares = false;
        self.mesh.sharing_pairs(model, &own, |i, j| {
            model.surface.pairs_between(i, j, |_| shares = true);
        });
        own.has[0] = shares;
        if own.has.contains(&true) {
            self.stars.push(own);
        }
    }

    /// Whether the pairs of two triangles of a body that may touch itself are looked at here.
    #[inline]
    pub(super) fn know(&self, model: &Model, i: u32, j: u32) -> bool {
        model.surface.share_a_corner(i, j)
            || self.mesh.near(i.min(j)).binary_search(&i.max(j)).is_ok()
    }

    /// Adds to `out` the pairs that are `near`; with `anew` those alone that have one of these nodes.
    pub(super) fn collect(&mut self, near: &Near<'_>, anew: Option<&[bool]>, out: &mut Candidates) {
        let Self { stars, mesh, before, lists } = self;
        before.resize(near.positions.len(), DVec3::NAN);
        lists.resize_with(stars.len().div_ceil(STARS), Found::default);
        let mut work: Vec<_> = stars.chunks_mut(STARS).zip(&mut *lists).collect();
        chunks::for_each(&mut work, |(stars, list)| {
            for star in stars.iter_mut() {
                let mut approach = Approach::new(near, before, star.corner, star.frame);
                let mut asked = anew.is_none_or(|anew| anew[star.corner as usize]);
                for k in 0..2 {
                    let ring = &star.rings[k];
                    let ring = &mesh.rings[ring.start as usize..ring.end as usize];
                    approach.see(near, before, star.corner, ring);
                    star.left[k] -= approach.came();
                    asked |= anew.is_some_and(|anew| ring.iter().any(|i| anew[*i as usize]));
                    // What is no number is looked at.
                    let enough = star.left[k] > approach.comes();
                    if asked && star.has[k] && !enough {
                        star.left[k] = mesh.look(star, k, near, approach.comes(), anew, list);
                    }
                }
            }
        });
        gather(lists, out);
        before.copy_from_slice(near.positions);
    }
}

impl Mesh {
    /// Notes the triangles that are so near each other at rest that they may be near whenever nodes move a little.
    fn note_near(&mut self, model: &Model) {
        let surface = &model.surface;
        let mut all: Vec<(u32, u32)> = Vec::new();
        for (body, range) in surface.body_triangles.iter().enumerate() {
            if range.is_empty() || !model.pair_collides(body, body) {
                continue;
            }
            let mut tree = Tree::build(&surface.centers(body, &model.rest));
            let around = |t: u32| {
                let mut all = Swath::EMPTY;
                for i in surface.triangles[(range.start + t) as usize] {
                    let p = model.rest[i as usize];
                    let reach = DVec3::splat(NEAR_AT_REST * model.reach[i as usize]);
                    let own = Aabb::new(p - reach, p + reach);
                    all = all.union(Swath::new(own, own));
                }
                all
            };
            tree.refit(around, |_| true, true);
            let before = all.len();
            let most = before + MOST_NEAR * range.len();
            tree.pairs_within(&mut |i, j| {
                let (i, j) = (range.start + i.min(j), range.start + i.max(j));
                if all.len() > most || surface.share_a_corner(i, j) {
                    return;
                }
                let mut near = false;
                surface.pairs_between(i, j, |pair| {
                    let reach = NEAR_AT_REST * pair.sum_of_longest(&model.reach);
                    near = near || pair.distance(&model.rest).length() < reach;
                });
                if near {
                    all.push((i, j));
                }
            });
            if all.len() > most {
                all.truncate(before);
            }
        }
        if all.is_empty() {
            return;
        }
        all.sort_unstable();
        let mut start = vec![0; surface.triangles.len() + 1];
        for (i, _) in &all {
            start[*i as usize + 1] += 1;
        }
        for i in 1..start.len() {
            start[i] += start[i - 1];
        }
        self.start = start;
        self.near = all.into_iter().map(|(_, j)| j).collect();
    }

    /// Triangles with higher numbers than `i` that are noted to be near it at rest.
    #[inline]
    fn near(&self, i: u32) -> &[u32] {
        match self.start.get(i as usize..i as usize + 2) {
            Some(of) => &self.near[of[0] as usize..of[1] as usize],
            None => &[],
        }
    }

    fn around(&self, star: &Star) -> &[u32] {
        &self.around[star.around.start as usize..star.around.end as usize]
    }

    /// Calls `pair` for the triangles around the corner of a star that share no lower one.
    fn sharing_pairs(&self, model: &Model, star: &Star, mut pair: impl FnMut(u32, u32)) {
        let triangles = &model.surface.triangles;
        for (k, &i) in self.around(star).iter().enumerate() {
            let own = triangles[i as usize];
            for &j in &self.around(star)[k + 1..] {
                let others = triangles[j as usize];
                if own.iter().filter(|v| others.contains(v)).min() == Some(&star.corner) {
                    pair(i, j);
                }
            }
        }
    }

    /// Calls `pair` for the triangles around the corner of a star that have no lower one, and those near them.
    fn near_pairs(&self, model: &Model, star: &Star, mut pair: impl FnMut(u32, u32)) {
        for &i in self.around(star) {
            if model.surface.triangles[i as usize].iter().min() == Some(&star.corner) {
                self.near(i).iter().for_each(|j| pair(i, *j));
            }
        }
    }

    /// By how much nodes of a star may come nearer to each other before any two of its pairs of kind `kind` are near [m].
    /// Adds those to `list` that may be while they come `comes` nearer, and are asked for.
    fn look(
        &self,
        star: &Star,
        kind: usize,
        near: &Near<'_>,
        comes: f64,
        anew: Option<&[bool]>,
        list: &mut Found,
    ) -> f64 {
        let surface = &near.model.surface;
        let mut left = f64::INFINITY;
        let mut look = |pair: Candidate| {
            let room = look_at(&pair, near, comes, anew, list);
            left = if room < left || room.is_nan() { room } else { left };
        };
        let mut each = |i: u32, j: u32| surface.pairs_between(i, j, &mut look);
        match kind {
            0 => self.sharing_pairs(near.model, star, &mut each),
            _ => self.near_pairs(near.model, star, &mut each),
        }
        // Of what is no number nothing is known the next time.
        if left.is_nan() { f64::NEG_INFINITY } else { left - ROUNDING }
    }
}

/// By how much the two may come nearer before they are near [m]. Adds them to `list` if they may while nodes around
/// them come `comes` nearer, and are asked for.
#[inline]
fn look_at(
    pair: &Candidate,
    near: &Near<'_>,
    comes: f64,
    anew: Option<&[bool]>,
    list: &mut Found,
) -> f64 {
    let (model, x) = (near.model, near.positions);
    let reach = pair.sum_of_longest(&model.reach);
    // A bound on the distance that leaves little room is no better than none the next time.
    if let Some(least) = pair.apart(x).map(DVec3::length) {
        let far = never_farther_within(model, pair).min(reach);
        if least > 1.2 * far + comes {
            return least - far;
        }
    }
    let offset = pair.closest(x).offset;
    let apart = offset.length();
    let far = far_within(model, pair).min(reach);
    let is_far = apart - near.way_along(pair, offset).min(comes) > far;
    if !is_far && anew.is_none_or(|anew| pair.has(anew)) {
        list.add(*pair, Distance::of(offset));
    }
    apart - far
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenes;
    use crate::sim::Simulation;
    use crate::sim::collision::finder::Finder;
    use glam::DQuat;
    use std::collections::BTreeSet;

    /// A sheet that creeps, turns, and crumples until neighbours come near, looked at all along and as if for the first
    /// time.
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
        let mut sharing = BTreeSet::new();
        for star in &own.stars {
            own.mesh.sharing_pairs(&model, star, |i, j| {
                model.surface.pairs_between(i, j, |pair| _ = sharing.insert((pair.kind, pair.ids)));
            });
        }
        let (mut passed, mut found) = ([0; 2], [0; 2]);
        for round in 0..60 {
            let gust = DVec3::new(random(), random(), random()) * 0.05;
            let size = if round % 10 == 9 { 0.05 } else { 2e-4 };
            let mut to = x.clone();
            let turn =
                DQuat::from_rotation_x(0.1 * random()) * DQuat::from_rotation_y(0.1 * random());
            for (p, to) in x.iter_mut().zip(&mut to).take(model.free_count) {
                *p = turn * *p + DVec3::new(random(), random(), random()) * size;
                *to = turn * *p + gust + DVec3::new(random(), random(), random()) * 1e-3;
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
            let before: Vec<[f64; 2]> = own.stars.iter().map(|star| star.left).collect();
            let mut some = Candidates::default();
            own.collect(&near, None, &mut some);
            for pair in &some.pairs {
                found[usize::from(!sharing.contains(&(pair.kind, pair.ids)))] += 1;
            }
            // What was not looked at has less left than before.
            for (star, before) in own.stars.iter().zip(before) {
                for k in 0..2 {
                    passed[k] += u32::from(star.left[k] < before[k] && star.left[k] > 0.0);
                }
            }
        }
        let enough = |count: [u32; 2]| count.iter().all(|count| *count > 50);
        assert!(enough(passed) && enough(found), "{passed:?} passed over, {found:?} pairs found");
    }
}
