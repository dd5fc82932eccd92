//! Finds the pairs of primitives that may come near each other: trees of all bodies, walked in parts.

use super::candidates::{Candidate, Candidates, Distance, Kind};
use super::contact_distance::{is_far_at_rest, is_surely_far_at_rest};
use super::neighbours::Neighbours;
use super::surface::Surface;
use super::tree::{Aabb, Of, Swath, Tree};
use crate::sim::linear::chunks;
use crate::sim::model::Model;
use glam::DVec3;

/// Trees of all bodies and their scratch boxes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Finder {
    trees: Vec<Tree>,
    triangle_boxes: Vec<Swath>,
    vertex_boxes: Vec<Swath>,
    edge_boxes: Vec<Swath>,
    /// Whether any of them moves.
    moving: bool,
    motion: Vec<f64>,
    lists: Vec<Found>,
    /// Those of bodies that touch themselves; none before they are asked for.
    neighbours: Option<Neighbours>,
}

/// Pairs that were found in a part of the work, and how far apart they are.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    pairs: Vec<Candidate>,
    distances: Vec<Distance>,
}

impl Found {
    /// Adds a pair.
    pub(super) fn add(&mut self, pair: Candidate, distance: Distance) {
        self.pairs.push(pair);
        self.distances.push(distance);
    }
}

/// Adds what was found to `out`, and empties the lists.
pub(super) fn gather(lists: &mut [Found], out: &mut Candidates) {
    let count: usize = lists.iter().map(|list| list.pairs.len()).sum();
    out.pairs.reserve(count);
    out.distances.reserve(count);
    for list in lists {
        out.pairs.extend_from_slice(&list.pairs);
        out.distances.extend_from_slice(&list.distances);
        list.pairs.clear();
        list.distances.clear();
        // Where there are many, they would else lie in memory twice for good.
        if list.pairs.capacity() > KEPT {
            *list = Found::default();
        }
    }
}

/// Parts of all pairs of trees together that are looked at on their own.
const PARTS: usize = 64;

/// Room for so many pairs is kept by each part.
const KEPT: usize = 4096;

/// What tells whether a pair is near: how far each node may go from its position, beside the way that its box goes.
pub(super) struct Near<'a> {
    pub(super) model: &'a Model,
    pub(super) positions: &'a [DVec3],
    pub(super) motion: &'a [f64],
    /// None where no box moves.
    pub(super) way: Option<&'a [DVec3]>,
}

impl Near<'_> {
    /// How far the two of a pair may come nearer to each other where planes across `offset` have them apart by its
    /// length [m].
    #[inline]
    pub(super) fn way_along(&self, pair: &Candidate, offset: DVec3) -> f64 {
        let apart = self.way.map_or(0.0, |way| pair.nearer_along(offset, way));
        pair.sum_of_longest(self.motion) + apart
    }

    /// How far apart a pair is; none where the two are too far from each other.
    #[inline]
    fn distance(&self, pair: &Candidate) -> Option<Distance> {
        let reach = pair.sum_of_longest(&self.model.reach);
        // Closest points only of what may be near enough.
        if let Some(offset) = pair.apart(self.positions) {
            let room = offset.length() - self.way_along(pair, offset);
            if room > reach || is_surely_far_at_rest(self.model, pair, room) {
                return None;
            }
        }
        let offset = pair.closest(self.positions).offset;
        let (apart, way) = (offset.length(), self.way_along(pair, offset));
        let is_far = apart > reach + way || is_far_at_rest(self.model, pair, apart, way);
        (!is_far).then(|| Distance::of(offset))
    }
}

impl Finder {
    /// Trees for all bodies at `positions`.
    pub(crate) fn new(surface: &Surface, positions: &[DVec3]) -> Self {
        let trees = (0..surface.body_triangles.len())
            .map(|body| Tree::build(&surface.centers(body, positions)))
            .collect();
        Self { trees, ..Self::default() }
    }

    /// All pairs whose boxes say that they may come within their contact distance while each node stays
    /// in the box that `out` gives it.
    pub(crate) fn find(&mut self, model: &Model, out: &mut Candidates) {
        self.fit_boxes(model, &out.low, &out.high, &out.way, None);
        out.clear(&[]);
        self.collect(model, out, None, None);
    }

    /// All pairs that may come within their contact distance while each node goes from `positions`, where its
    /// box starts, to anywhere in the box that `out` gives it, as their true distance tells: boxes of slanted
    /// triangles are much larger than the triangles.
    ///
    /// With `anew`, the boxes of these nodes alone have changed since the pairs in `out` were found, and
    /// all others are where they were or elsewhere in their boxes: only pairs with such a node are sought.
    pub(crate) fn find_near(
        &mut self,
        model: &Model,
        positions: &[DVec3],
        anew: Option<&[bool]>,
        out: &mut Candidates,
    ) {
        self.fit_boxes(model, &out.low, &out.high, &out.way, anew);
        let Candidates { low, high, way, .. } = &*out;
        chunks::fill(positions.len(), &mut self.motion, |i| {
            let p = positions[i] + way[i];
            (high[i] - p).max(p - low[i]).length()
        });
        match anew {
            Some(anew) => out.forget(anew, positions),
            None => out.clear(positions),
        }
        let motion = std::mem::take(&mut self.motion);
        let way = std::mem::take(&mut out.way);
        let near = Near { model, positions, motion: &motion, way: self.moving.then_some(&way) };
        let mut neighbours = self.neighbours.take().unwrap_or_else(|| {
            let neighbours = Neighbours::new(model);
            neighbours.leave_out(model, &mut self.trees);
            neighbours
        });
        self.collect(model, out, Some(&near), anew);
        neighbours.collect(&near, anew, out);
        self.neighbours = Some(neighbours);
        (self.motion, out.way) = (motion, way);
    }

    /// Adds pairs of primitives of all pairs of triangles whose boxes meet, but with `near` of those that neighbours look
    /// at, in an order that depends on the trees alone: parts of the trees are looked at on their own and put together in
    /// their order.
    fn collect(
        &mut self,
        model: &Model,
        out: &mut Candidates,
        near: Option<&Near<'_>>,
        anew: Option<&[bool]>,
    ) {
        let mut parts = Vec::new();
        let body_pairs = self.body_pairs(model);
        let size = |(a, b): (usize, usize)| self.trees[a].len() + self.trees[b].len();
        let all: usize = body_pairs.iter().copied().map(size).sum();
        for (a, b) in body_pairs {
            let of = match near {
                _ if a != b => Of::Two(&self.trees[b]),
                Some(_) => Of::Sought,
                None => Of::One,
            };
            let count = (PARTS * size((a, b))).div_ceil(all.max(1));
            parts.extend(self.trees[a].parts(of, count).into_iter().map(|below| (a, b, below)));
        }
        let mut lists = std::mem::take(&mut self.lists);
        lists.resize_with(parts.len().max(lists.len()), Found::default);
        let mut work: Vec<_> = parts.iter().zip(&mut lists).collect();
        chunks::for_each(&mut work, |(part, list)| {
            let (a, b, below) = **part;
            let triangles = &model.surface.body_triangles;
            let (first, other) = (triangles[a].start, triangles[b].start);
            self.trees[a].pairs_below(below, &mut |i, j| {
                let (i, j) = (first + i, other + j);
                model.surface.pairs_between(i, j, |pair| {
                    if !self.meet(&pair) || !anew.is_none_or(|anew| pair.has(anew)) {
                        return;
                    }
                    let distance = match near {
                        Some(near) => near.distance(&pair),
                        None => Some(Distance::UNKNOWN),
                    };
                    if let Some(distance) = distance {
                        list.add(pair, distance);
                    }
                });
            });
        });
        gather(&mut lists[..parts.len()], out);
        self.lists = lists;
    }

    /// Calls `found` with all pairs of triangles at `positions` that are within their contact distance
    /// by their boxes, of bodies that collide.
    pub(crate) fn triangle_pairs(
        &mut self,
        model: &Model,
        positions: &[DVec3],
        found: &mut impl FnMut(u32, u32),
    ) {
        self.fit_boxes(model, positions, positions, &vec![DVec3::ZERO; positions.len()], None);
        self.each_pair(model, found);
    }

    /// Calls `found` with all pairs of triangles whose boxes meet, of bodies that collide.
    fn each_pair(&self, model: &Model, found: &mut impl FnMut(u32, u32)) {
        let triangles = &model.surface.body_triangles;
        for (a, b) in self.body_pairs(model) {
            let (first, other) = (triangles[a].start, triangles[b].start);
            let mut found = |i, j| found(first + i, other + j);
            if a == b {
                self.trees[a].pairs_within(&mut found);
            } else {
                self.trees[a].pairs_with(&self.trees[b], &mut found);
            }
        }
    }

    /// The bodies that collide and whose boxes meet, sorted; equal numbers for a body with itself. Boxes are
    /// swept along x (Cohen et al. 1995).
    fn body_pairs(&self, model: &Model) -> Vec<(usize, usize)> {
        let of = |body: usize| Some((body, self.trees[body].bounds()?));
        let mut boxes: Vec<(usize, Aabb)> = (0..self.trees.len()).filter_map(of).collect();
        boxes.sort_by(|(a, box_a), (b, box_b)| {
            box_a.lowest().total_cmp(&box_b.lowest()).then(a.cmp(b))
        });
        let mut pairs = Vec::new();
        for (k, (a, box_a)) in boxes.iter().enumerate() {
            let reached = boxes[k..].iter().take_while(|(_, other)| !other.is_beyond(box_a));
            for (b, _) in reached.filter(|(_, other)| box_a.meets(other)) {
                let (a, b) = (*a.min(b), *a.max(b));
                if model.pair_collides(a, b) {
                    pairs.push((a, b));
                }
            }
        }
        pairs.sort_unstable();
        pairs
    }

    /// Fits all boxes, or those of primitives that have one of the nodes `anew`, and what no longer moves.
    fn fit_boxes(
        &mut self,
        model: &Model,
        low: &[DVec3],
        high: &[DVec3],
        way: &[DVec3],
        anew: Option<&[bool]>,
    ) {
        let surface = &model.surface;
        let moved = std::mem::replace(&mut self.moving, way.iter().any(|w| *w != DVec3::ZERO));
        let all = moved || self.moving;
        let changed =
            |nodes: &[u32]| anew.is_none_or(|anew| nodes.iter().any(|i| anew[*i as usize]));
        self.vertex_boxes.resize(low.len(), Swath::EMPTY);
        chunks::each(&mut self.vertex_boxes, |first, boxes| {
            for (i, own) in (first..).zip(boxes) {
                if all || changed(&[i as u32]) {
                    let reach = DVec3::splat(model.reach[i]);
                    let (low, high) = (low[i] - reach, high[i] + reach);
                    let start = Aabb::new(low - way[i], high - way[i]);
                    *own = Swath::new(start, Aabb::new(low, high));
                }
            }
            0.0
        });
        let vertex_boxes = &self.vertex_boxes;
        let of = |i: u32| vertex_boxes[i as usize];
        self.triangle_boxes.resize(surface.triangles.len(), Swath::EMPTY);
        chunks::update(&surface.triangles, &mut self.triangle_boxes, |t, own| {
            if all || changed(t) {
                *own = of(t[0]).union(of(t[1])).union(of(t[2]));
            }
        });
        self.edge_boxes.resize(surface.edges.len(), Swath::EMPTY);
        chunks::update(&surface.edges, &mut self.edge_boxes, |e, own| {
            if all || changed(e) {
                *own = of(e[0]).union(of(e[1]));
            }
        });
        for (body, tree) in self.trees.iter_mut().enumerate() {
            let first = surface.body_triangles[body].start;
            let boxes = &self.triangle_boxes;
            tree.refit(
                |i| boxes[(first + i) as usize],
                |i| changed(&surface.triangles[(first + i) as usize]),
                all,
            );
        }
    }

    /// Whether the boxes of a pair's primitives meet.
    #[inline]
    fn meet(&self, pair: &Candidate) -> bool {
        let [a, b] = pair.ids.map(|i| i as usize);
        match pair.kind {
            Kind::VertexTriangle => self.vertex_boxes[a].meets(&self.triangle_boxes[b]),
            Kind::EdgeEdge => self.edge_boxes[a].meets(&self.edge_boxes[b]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::TriMesh;
    use crate::math::random;
    use crate::math::rotation;
    use crate::scenes;
    use crate::sim::Simulation;
    use std::collections::BTreeSet;

    /// Every pair that shares no node and whose bodies collide, from all pairs there are.
    fn brute_force(model: &Model) -> Vec<Candidate> {
        let surface = &model.surface;
        let body = |node: u32| surface.body_of_node[node as usize] as usize;
        let mut all = Vec::new();
        for v in 0..surface.body_of_node.len() as u32 {
            for (t, corners) in surface.triangles.iter().enumerate() {
                if !corners.contains(&v) && model.pair_collides(body(v), body(corners[0])) {
                    let nodes = [v, corners[0], corners[1], corners[2]];
                    all.push(Candidate { kind: Kind::VertexTriangle, nodes, ids: [v, t as u32] });
                }
            }
        }
        let mut owned: BTreeSet<u32> = BTreeSet::new();
        for (own, edges) in surface.owned.iter().zip(&surface.triangle_edges) {
            owned.extend((0..3).filter(|k| own & (8 << k) != 0).map(|k| edges[k]));
        }
        let edges =
            || surface.edges.iter().enumerate().filter(|(e, _)| owned.contains(&(*e as u32)));
        for (e, a) in edges() {
            for (f, b) in edges().filter(|(f, _)| *f > e) {
                let apart = a.iter().all(|i| !b.contains(i));
                if apart && model.pair_collides(body(a[0]), body(b[0])) {
                    let nodes = [a[0], a[1], b[0], b[1]];
                    all.push(Candidate { kind: Kind::EdgeEdge, nodes, ids: [e as u32, f as u32] });
                }
            }
        }
        all
    }

    #[test]
    fn no_pair_is_missed_while_nodes_stay_in_their_boxes() {
        none_is_missed(1.0, 0.05);
    }

    /// Cells are then smaller than the contact distance.
    #[test]
    fn no_pair_of_a_thick_sheet_is_missed_while_nodes_stay_in_their_boxes() {
        none_is_missed(50.0, 0.3);
    }

    fn none_is_missed(thickness: f64, beyond: f64) {
        let scene = scenes::sheet_on_ball(9);
        let simulation =
            Simulation::start(&scene).map_err(|p| format!("{p:?}")).unwrap().simulation;
        let (mut model, mut x) = (simulation.model, simulation.state.positions);
        for (i, (half, reach)) in
            model.half_thickness.iter_mut().zip(&mut model.reach).enumerate().take(model.free_count)
        {
            let factor = thickness * [1.0, 0.1, 0.3][i % 3];
            (*half, *reach) = (*half * factor, *reach * factor);
        }
        let mut finder = Finder::new(&model.surface, &x);
        let all = brute_force(&model);
        let mut random = random::centred(17);
        let mut near = 0;
        for round in 0..6 {
            // The sheet crumples more from round to round.
            let size = 0.05 * f64::from(round);
            for p in &mut x[..model.free_count] {
                *p += DVec3::new(random(), random(), random()) * size;
            }
            let to: Vec<DVec3> =
                x.iter().map(|p| *p + DVec3::new(random(), random(), random()) * 0.06).collect();
            let mut candidates = Candidates::default();
            candidates.set_boxes(&x, &to, |_| 0.004);
            finder.find_near(&model, &x, None, &mut candidates);
            // Some nodes want larger boxes, while others have moved in theirs.
            for (p, to) in x.iter_mut().zip(&to).take(model.free_count) {
                *p += (*to - *p) * 0.3;
            }
            let anew: Vec<bool> =
                (0..x.len()).map(|i| i < model.free_count && i % 3 == 1).collect();
            for i in (0..x.len()).filter(|i| anew[*i]) {
                candidates.set_box(i, x[i], to[i] + DVec3::splat(beyond), 0.004);
            }
            finder.find_near(&model, &x, Some(&anew), &mut candidates);
            // Anywhere in the boxes: what comes within reach of each other must have been found.
            for _ in 0..4 {
                let u = || DVec3::new(random(), random(), random()) + 0.5;
                near += missed_none(&model, &all, &candidates, 1.0, u);
            }
            // The same while most of the boxes go along, at any time.
            let gust = DVec3::new(random(), random(), random()) * 0.4;
            let turn = rotation::from_rotation_x(2.0 * random())
                * rotation::from_rotation_z(2.0 * random());
            for (i, (p, to)) in x.iter().zip(&to).enumerate().take(model.free_count) {
                if i % 4 != 1 {
                    candidates.set_moving_box(i, *p, turn * *to + gust, 0.004);
                }
            }
            finder.find_near(&model, &x, None, &mut candidates);
            for time in [0.0, 0.3, 0.7, 1.0] {
                let u = || DVec3::new(random(), random(), random()) + 0.5;
                near += missed_none(&model, &all, &candidates, time, u);
            }
            // Some stay; for the others the candidates still hold.
            let anew: Vec<bool> =
                (0..x.len()).map(|i| i < model.free_count && i % 7 == 2).collect();
            for i in (0..x.len()).filter(|i| anew[*i]) {
                candidates.set_box(i, x[i], to[i] + gust, 0.002);
            }
            finder.find_near(&model, &x, Some(&anew), &mut candidates);
            for time in [0.0, 0.5, 1.0] {
                let u = || DVec3::new(random(), random(), random()) + 0.5;
                near += missed_none(&model, &all, &candidates, time, u);
            }
        }
        assert!(near > 20, "the test sees {near} near pairs only");
    }

    /// Corners of a triangle may have wide boxes and thin cloth, others narrow ones and thick cloth.
    #[test]
    fn no_pair_is_missed_where_thin_corners_have_wide_boxes() {
        let scene = scenes::sheet_on_ball(9);
        let simulation =
            Simulation::start(&scene).map_err(|p| format!("{p:?}")).unwrap().simulation;
        let (mut model, x) = (simulation.model, simulation.state.positions);
        let is_wide = |i: usize| i < model.free_count && i % 3 == 1;
        let wide: Vec<bool> = (0..x.len()).map(is_wide).collect();
        for (half, wide) in model.half_thickness.iter_mut().zip(&wide) {
            *half = if *wide { 0.001 } else { 0.3 };
        }
        let slack = |i: usize| if wide[i] { 0.25 } else { 0.002 };
        for (reach, half) in model.reach.iter_mut().zip(&model.half_thickness) {
            *reach = 1.2 * half;
        }
        let mut candidates = Candidates::default();
        candidates.set_boxes(&x, &x, slack);
        Finder::new(&model.surface, &x).find_near(&model, &x, None, &mut candidates);
        let all = brute_force(&model);
        let mut near = 0;
        for corner in 0..8 {
            let side = |bit: u32| f64::from(corner >> bit & 1);
            let u = || DVec3::new(side(0), side(1), side(2));
            near += missed_none(&model, &all, &candidates, 1.0, u);
        }
        assert!(near > 20, "the test sees {near} near pairs only");
    }

    /// Of what is near at rest all nodes may be neighbours of a corner though no triangle shares it.
    #[test]
    fn no_pair_is_missed_beside_a_vertex_of_three_triangles() {
        let mut scene = scenes::empty("three", 1.0);
        scene.collisions.thickness = Some(0.7);
        let flat = [[0.0, 0.0], [1.0, -0.5], [1.0, 0.5], [-1.0, 1.0], [-0.6, 0.0], [-1.0, -1.0]];
        let mesh = TriMesh {
            positions: flat.iter().map(|[x, z]| DVec3::new(*x, 0.0, *z)).collect(),
            triangles: vec![[0, 2, 1], [0, 3, 2], [0, 4, 3], [3, 4, 5], [5, 4, 0], [0, 1, 5]],
            ..TriMesh::default()
        };
        scenes::add(&mut scene, "cloth", mesh, scenes::cotton());
        let Simulation { model, state, .. } =
            Simulation::start(&scene).map_err(|p| format!("{p:?}")).unwrap().simulation;
        let mut x = state.positions;
        // Two corners are folded over the three triangles.
        (x[1], x[2]) = (DVec3::new(-0.9, 0.1, -0.3), DVec3::new(-0.9, 0.1, 0.3));
        let mut candidates = Candidates::default();
        candidates.set_boxes(&x, &x, |_| 1e-6);
        Finder::new(&model.surface, &x).find_near(&model, &x, None, &mut candidates);
        let near =
            missed_none(&model, &brute_force(&model), &candidates, 1.0, || DVec3::splat(0.5));
        assert!(near > 2, "the test sees {near} near pairs only");
    }

    /// How many pairs are within reach at the part `time` of the boxes' ways, all of them candidates, with
    /// each node where `u` says in its box.
    fn missed_none(
        model: &Model,
        all: &[Candidate],
        candidates: &Candidates,
        time: f64,
        mut u: impl FnMut() -> DVec3,
    ) -> usize {
        let found: BTreeSet<_> = candidates.pairs.iter().map(|c| (c.kind, c.ids)).collect();
        assert_eq!(found.len(), candidates.pairs.len(), "a pair came twice");
        let Candidates { low, high, way, .. } = candidates;
        let somewhere: Vec<DVec3> = (0..low.len())
            .map(|i| low[i] + u() * (high[i] - low[i]) - way[i] * (1.0 - time))
            .collect();
        let within_reach = |pair: &&Candidate| {
            let corners = pair.nodes.map(|i| somewhere[i as usize]);
            let close = pair.kind.closest(corners);
            let apart = close.offset.length();
            let part = |k: usize| close.weights[k].abs() * model.reach[pair.nodes[k] as usize];
            let reach = (0..4).map(part).sum();
            apart <= reach && !is_far_at_rest(model, pair, apart, 0.0)
        };
        let near: Vec<_> = all.iter().filter(within_reach).collect();
        for pair in &near {
            assert!(found.contains(&(pair.kind, pair.ids)), "missed {pair:?} at {time}");
        }
        near.len()
    }
}
