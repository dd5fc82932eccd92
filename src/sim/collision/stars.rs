//! Which pairs of triangles a mesh knows: those that share a corner, and those that are near each other at rest. Each is
//! listed with one corner, the pairs of which are looked at together.

use super::surface::Surface;
use super::tree::{Aabb, Swath, Tree};
use super::turning::spread_out;
use crate::sim::model::Model;
use glam::DVec3;
use std::ops::Range;

/// See the module.
#[derive(Clone, Debug, Default)]
pub(super) struct Stars {
    pub(super) all: Vec<Star>,
    /// Triangles around the corners of stars.
    around: Vec<u32>,
    /// Nodes around the corners of stars.
    rings: Vec<u32>,
    /// Where in `near` those are that are near each triangle at rest; empty where none are near any.
    near_of: Vec<Range<u32>>,
    /// Triangles with higher numbers that share no corner, ascending for each triangle.
    near: Vec<u32>,
}

/// The triangles around a corner: those that share it, and what is near them at rest.
#[derive(Clone, Debug)]
pub(super) struct Star {
    pub(super) corner: u32,
    around: Range<u32>,
    /// Nodes of triangles around the corner, and then those of triangles near them.
    rings: [Range<u32>; 2],
    /// Four nodes that tell how the triangles around the corner are turned, and all of them.
    pub(super) frames: [[u32; 4]; 2],
    /// How many pairs of triangles there are that share the corner, and how many that are near at rest.
    pub(super) pairs: [u32; 2],
}

/// Triangles are noted that are nearer at rest than this multiple of what their nodes reach: boxes of slanted triangles meet
/// where these are farther apart than they reach.
const NEAR_AT_REST: f64 = 1.5;

/// Of a body with more triangles near each other at rest than this many for each none are noted.
const MOST_NEAR: usize = 64;

impl Stars {
    /// Those of all bodies that may touch themselves.
    pub(super) fn new(model: &Model) -> Self {
        let mut own = Self::default();
        own.note_near(model);
        for (_, range) in model.touching_themselves() {
            // Triangles around each node, one node after the other.
            let mut around: Vec<(u32, u32)> = Vec::new();
            for t in range {
                let [a, b, c] = model.surface.triangles[t as usize];
                around.extend([(a, t), (b, t)]);
                around.extend((b != c).then_some((c, t)));
            }
            around.sort_unstable();
            around.dedup();
            for star in around.chunk_by(|a, b| a.0 == b.0) {
                own.add(model, star);
            }
        }
        own
    }

    /// Adds what there is around a corner, if anything.
    fn add(&mut self, model: &Model, star: &[(u32, u32)]) {
        let nodes = |t: u32| model.surface.triangles[t as usize];
        let corner = star[0].0;
        let first = self.around.len() as u32;
        self.around.extend(star.iter().map(|(_, t)| *t));
        let around = first..self.around.len() as u32;
        let rings = [0..0, 0..0];
        let mut own = Star { corner, around, rings, frames: [[corner; 4]; 2], pairs: [0; 2] };
        let mut ring: Vec<u32> = star.iter().flat_map(|(_, t)| nodes(*t)).collect();
        ring.sort_unstable();
        ring.dedup();
        let mut wide = Vec::new();
        let mut near = 0;
        self.near_pairs(&model.surface, &own, |_, j| {
            near += 1;
            wide.extend(nodes(j));
        });
        let mut sharing = 0;
        self.sharing_pairs(&model.surface, &own, |_, _| sharing += 1);
        own.pairs = [sharing, near];
        wide.sort_unstable();
        wide.dedup();
        wide.retain(|i| ring.binary_search(i).is_err());
        ring.retain(|i| *i != corner);
        let begin = self.rings.len();
        for (own, nodes) in own.rings.iter_mut().zip([ring, wide]) {
            let first = self.rings.len() as u32;
            self.rings.extend(nodes);
            *own = first..self.rings.len() as u32;
        }
        own.frames = [own.rings[0].end, own.rings[1].end]
            .map(|end| spread_out(&model.rest, corner, &self.rings[begin..end as usize]));
        if own.pairs != [0; 2] {
            self.all.push(own);
        }
    }

    /// Notes the triangles that are so near each other at rest that they may be near whenever nodes move a little.
    fn note_near(&mut self, model: &Model) {
        let surface = &model.surface;
        let mut all: Vec<(u32, u32)> = Vec::new();
        for (body, range) in model.touching_themselves() {
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
        self.near_of = vec![0..0; surface.triangles.len()];
        for of in all.chunk_by(|a, b| a.0 == b.0) {
            let first = self.near.len() as u32;
            self.near.extend(of.iter().map(|(_, j)| *j));
            self.near_of[of[0].0 as usize] = first..self.near.len() as u32;
        }
    }

    /// Triangles with higher numbers than `i` that are noted to be near it at rest.
    #[inline]
    fn near(&self, i: u32) -> &[u32] {
        self.near_of
            .get(i as usize)
            .map_or(&[], |of| &self.near[of.start as usize..of.end as usize])
    }

    fn around(&self, star: &Star) -> &[u32] {
        &self.around[star.around.start as usize..star.around.end as usize]
    }

    /// Nodes of triangles around the corner of a star but the corner, and those of triangles near them that are others.
    #[inline]
    pub(super) fn rings(&self, star: &Star) -> [&[u32]; 2] {
        let ring = |k: usize| &self.rings[star.rings[k].start as usize..star.rings[k].end as usize];
        [ring(0), ring(1)]
    }

    /// Calls `pair` for the pairs of triangles of a star that share the corner, or those that are near at rest.
    #[inline]
    pub(super) fn each(
        &self,
        surface: &Surface,
        star: &Star,
        kind: usize,
        pair: impl FnMut(u32, u32),
    ) {
        match kind {
            0 => self.sharing_pairs(surface, star, pair),
            _ => self.near_pairs(surface, star, pair),
        }
    }

    /// Calls `pair` for the triangles around the corner of a star that share no lower one.
    pub(super) fn sharing_pairs(
        &self,
        surface: &Surface,
        star: &Star,
        mut pair: impl FnMut(u32, u32),
    ) {
        for (k, &i) in self.around(star).iter().enumerate() {
            let own = surface.triangles[i as usize];
            for &j in &self.around(star)[k + 1..] {
                let others = surface.triangles[j as usize];
                if own.iter().filter(|v| others.contains(v)).min() == Some(&star.corner) {
                    pair(i, j);
                }
            }
        }
    }

    /// Calls `pair` for the triangles around the corner of a star that have no lower one, and those near them.
    pub(super) fn near_pairs(
        &self,
        surface: &Surface,
        star: &Star,
        mut pair: impl FnMut(u32, u32),
    ) {
        for &i in self.around(star) {
            if surface.triangles[i as usize].iter().min() == Some(&star.corner) {
                self.near(i).iter().for_each(|j| pair(i, *j));
            }
        }
    }
}
