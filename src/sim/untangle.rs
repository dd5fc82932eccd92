//! Bodies that start crossing are pulled apart: cloths are lifted off what they are in, other bodies are
//! moved as a whole, along the shortest of some ways out.
//!
//! Sides are told as Baraff, Witkin and Kass 2003 ("Untangling Cloth") tell them: where edges go through
//! the other surface they are cut, and of the parts that are left the largest is where it should be.

use super::collision::finder::Finder;
use super::model::{Model, SKIN};
use super::separate::{crossing_bodies, held_nodes, shift};
use super::state::State;
use crate::geometry::predicates::{Point, segment_meets_triangle, triangles_cross};
use crate::geometry::{Bvh, closest_on_triangle};
use crate::math::Sets;
use crate::scene::BodyKind;
use glam::DVec3;
use std::f64::consts::TAU;

/// Most rounds over all pairs that cross: pulling one pair apart may make another cross.
const MOST_ROUNDS: u32 = 12;
/// Most lifts of a cloth off one other body.
const MOST_LIFTS: u32 = 40;
/// Most directions in which a way out is looked for.
const MOST_DIRECTIONS: usize = 32;
/// Halvings of a way out: to a millionth of the sizes of both bodies.
const HALVINGS: u32 = 20;
/// Mean of the unit normals along which a piece of cloth is lifted, at least: where they point all around,
/// as about a pole that goes through, no direction leads out.
const LEAST_AGREEMENT: f64 = 0.3;

/// What can be done about a body.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gives {
    /// Nothing: it is given, or held.
    Not,
    /// It moves as a whole.
    Whole,
    /// Its points move one by one, those that are held do not.
    Points,
}

/// Moves bodies until none cross, or as long as that is of use. What still crosses stays where it was.
pub(super) fn untangle(model: &Model, state: &mut State, finder: &mut Finder) {
    let held = held_nodes(model);
    for _ in 0..MOST_ROUNDS {
        let pairs = crossing_bodies(model, state, finder);
        let mut parted = false;
        for (a, b) in pairs.into_iter().filter(|(a, b)| a != b) {
            let mut pair = Pair { model, state, held: &held };
            parted |= pair.part(a, b);
        }
        if !parted {
            return;
        }
    }
}

struct Pair<'a> {
    model: &'a Model,
    state: &'a mut State,
    held: &'a [bool],
}

impl Pair<'_> {
    fn gives(&self, body: usize) -> Gives {
        let own = &self.model.bodies[body];
        let is_cloth = matches!(self.model.scene.bodies[body].kind, BodyKind::Cloth(_));
        if !own.free {
            Gives::Not
        } else if is_cloth {
            Gives::Points
        } else if own.nodes.clone().chain(own.movers.clone()).any(|i| self.held[i]) {
            Gives::Not
        } else {
            Gives::Whole
        }
    }

    /// Pulls two bodies apart; false if that cannot be done.
    fn part(&mut self, a: usize, b: usize) -> bool {
        match (self.gives(a), self.gives(b)) {
            (Gives::Points, Gives::Points) => {
                // The one of which less is on the wrong side.
                let wrong = |cloth: usize, other: usize| self.tangle(cloth, other).wrong_count();
                let (first, second) = if wrong(b, a) <= wrong(a, b) { (b, a) } else { (a, b) };
                self.lift(first, second) || self.lift(second, first)
            }
            (Gives::Points, other) => {
                self.lift(a, b) || (other == Gives::Whole && self.move_out(b, a, 1.0))
            }
            (other, Gives::Points) => {
                self.lift(b, a) || (other == Gives::Whole && self.move_out(a, b, 1.0))
            }
            (Gives::Whole, Gives::Whole) => {
                let mass = |body: usize| -> f64 {
                    self.model.bodies[body].movers.clone().map(|i| self.model.mass[i]).sum()
                };
                let (first, second) = (mass(a), mass(b));
                let part = second / (first + second).max(f64::MIN_POSITIVE);
                self.move_out(a, b, part)
            }
            (Gives::Whole, Gives::Not) => self.move_out(a, b, 1.0),
            (Gives::Not, Gives::Whole) => self.move_out(b, a, 1.0),
            (Gives::Not, Gives::Not) => false,
        }
    }

    fn shape(&self, body: usize) -> Shape {
        shape_of(self.model, self.state, body)
    }

    /// Distance at which the two rest, at most.
    fn gap(&self, a: usize, b: usize) -> f64 {
        let half = |body: usize| {
            let nodes = self.model.bodies[body].nodes.clone();
            self.model.half_thickness[nodes].iter().fold(0.0, |most: f64, h| most.max(*h))
        };
        half(a) + half(b) + SKIN
    }

    /// Moves `body` out of `other` by the shortest of some ways, `part` of it itself, the rest the other.
    fn move_out(&mut self, body: usize, other: usize, part: f64) -> bool {
        let (own, obstacle) = (self.shape(body), self.shape(other));
        let gap = self.gap(body, other);
        let Some(way) = own.way_out(&obstacle, gap) else { return false };
        shift(self.model, self.state, body, way * part);
        if part < 1.0 {
            shift(self.model, self.state, other, way * (part - 1.0));
        }
        true
    }

    fn tangle(&self, cloth: usize, other: usize) -> Tangle {
        Tangle::of(&self.shape(cloth), &self.shape(other))
    }

    /// Lifts what of a cloth is on the wrong side of another body.
    fn lift(&mut self, cloth: usize, other: usize) -> bool {
        let (mut own, obstacle) = (self.shape(cloth), self.shape(other));
        let nodes = self.model.bodies[cloth].nodes.clone();
        let gap = self.gap(cloth, other);
        for round in 1..=MOST_LIFTS {
            let tangle = Tangle::of(&own, &obstacle);
            if tangle.crossing.is_empty() {
                self.state.positions[nodes].copy_from_slice(&own.places);
                return true;
            }
            let Some(lifts) = tangle.lifts(&own, &obstacle, gap, round) else { return false };
            for (i, lift) in lifts.into_iter().enumerate().filter(|(_, lift)| *lift != DVec3::ZERO)
            {
                if self.held[nodes.start + i] {
                    return false;
                }
                own.places[i] += lift;
            }
        }
        false
    }
}

/// The surface of a body where it is.
pub(super) fn shape_of(model: &Model, state: &State, body: usize) -> Shape {
    let triangles = model.surface.body_triangles[body].clone();
    let first = model.bodies[body].nodes.start;
    let triangles = &model.surface.triangles[triangles.start as usize..triangles.end as usize];
    let local = |t: &[u32; 3]| t.map(|i| i - first as u32);
    let places = state.positions[model.bodies[body].nodes.clone()].to_vec();
    let mesh = model.scene.mesh_of(body);
    let is_hull = model.scene.bodies[body].rigid().is_some_and(|rigid| !rigid.hull.is_empty());
    let is_closed = is_hull || !mesh.triangles.is_empty() && mesh.open_edge().is_none();
    Shape::new(places, triangles.iter().map(local).collect(), is_closed)
}

/// A body's surface at one place.
pub(super) struct Shape {
    places: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    is_closed: bool,
    /// 1 where the triangles of a closed surface face outwards, else -1; 1 for open ones.
    sense: f64,
}

impl Shape {
    fn new(places: Vec<DVec3>, triangles: Vec<[u32; 3]>, is_closed: bool) -> Self {
        let mut shape = Self { places, triangles, is_closed, sense: 1.0 };
        let origin = shape.places.first().copied().unwrap_or_default();
        let volume: f64 = (0..shape.triangles.len())
            .map(|t| shape.corners(t).map(|p| p - origin))
            .map(|[a, b, c]| a.dot(b.cross(c)))
            .sum();
        if is_closed && volume < 0.0 {
            shape.sense = -1.0;
        }
        shape
    }

    fn corners(&self, t: usize) -> [DVec3; 3] {
        self.triangles[t].map(|i| self.places[i as usize])
    }

    /// Whether it encloses something.
    pub(super) fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// Unit normal of a triangle, outwards of a closed surface.
    pub(super) fn normal(&self, t: usize) -> DVec3 {
        let [a, b, c] = self.corners(t);
        (b - a).cross(c - a).normalize_or_zero() * self.sense
    }

    /// The places as frames store them, moved by `by`.
    fn points(&self, by: DVec3) -> Vec<Point> {
        self.places.iter().map(|p| (*p + by).as_vec3().to_array()).collect()
    }

    /// Largest and smallest extent along `u`.
    fn extent(&self, u: DVec3) -> (f64, f64) {
        let along = self.places.iter().map(|p| p.dot(u));
        along.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)))
    }

    /// Whether a place is on the wrong side: inside of a closed surface, behind the nearest place of an
    /// open one.
    fn hides(&self, p: DVec3) -> bool {
        if self.is_closed {
            // The solid angle of all triangles (van Oosterom and Strackee 1983).
            let angle: f64 = (0..self.triangles.len())
                .map(|t| {
                    let [a, b, c] = self.corners(t).map(|q| q - p);
                    let (la, lb, lc) = (a.length(), b.length(), c.length());
                    let down = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
                    2.0 * libm::atan2(a.dot(b.cross(c)), down)
                })
                .sum();
            return angle.abs() > TAU;
        }
        let mut nearest = (f64::INFINITY, false);
        for t in 0..self.triangles.len() {
            let [a, b, c] = self.corners(t);
            let [wa, wb, wc] = closest_on_triangle(p, a, b, c);
            let to = p - (a * wa + b * wb + c * wc);
            let far = to.length_squared();
            if far < nearest.0 {
                nearest = (far, to.dot(self.normal(t)) < 0.0);
            }
        }
        nearest.1
    }

    /// Pairs of triangles that cross where this one is moved by `by`.
    fn crossing(&self, by: DVec3, other: &Self, bvh: &Bvh) -> Vec<(u32, u32)> {
        let (own, points) = (self.points(by), other.points(DVec3::ZERO));
        let mut found = Vec::new();
        Bvh::new(&own, &self.triangles).cross_pairs(bvh, |i, j| {
            let a = self.triangles[i as usize].map(|k| own[k as usize]);
            let b = other.triangles[j as usize].map(|k| points[k as usize]);
            if triangles_cross(a, b) {
                found.push((i, j));
            }
        });
        found.sort_unstable();
        found
    }

    fn bvh(&self) -> Bvh {
        Bvh::new(&self.points(DVec3::ZERO), &self.triangles)
    }

    /// The shortest of some translations after which this surface is clear of `other`, and a `gap` more.
    pub(super) fn way_out(&self, other: &Self, gap: f64) -> Option<DVec3> {
        let bvh = other.bvh();
        let middle = self.places.iter().sum::<DVec3>() / self.places.len().max(1) as f64;
        let clear = |by: DVec3| {
            self.crossing(by, other, &bvh).is_empty()
                && ![middle, self.places[0]].iter().any(|p| other.hides(*p + by))
                && (!self.is_closed || !self.hides(other.places[0] - by))
        };
        let mut directions: Vec<DVec3> = Vec::new();
        let mut add = |u: DVec3| {
            let known = directions.iter().any(|d| d.dot(u) > 0.999);
            if u != DVec3::ZERO && !known && directions.len() < MOST_DIRECTIONS {
                directions.push(u);
            }
        };
        let crossing = self.crossing(DVec3::ZERO, other, &bvh);
        for axis in DVec3::AXES {
            add(axis);
            add(-axis);
        }
        for (i, j) in crossing {
            add(other.normal(j as usize));
            if self.is_closed {
                add(-self.normal(i as usize));
            }
        }
        let mut best: Option<(f64, DVec3)> = None;
        for u in directions {
            let far = other.extent(u).1 - self.extent(u).0 + gap;
            let mut high = best.map_or(far, |(length, _)| length.min(far));
            if !clear(u * high) {
                continue;
            }
            let mut low = 0.0;
            for _ in 0..HALVINGS {
                let middle = 0.5 * (low + high);
                if clear(u * middle) {
                    high = middle;
                } else {
                    low = middle;
                }
            }
            if best.is_none_or(|(length, _)| high < length) {
                best = Some((high, u));
            }
        }
        let (length, u) = best?;
        let beyond = u * (length + gap);
        Some(if clear(beyond) { beyond } else { u * length })
    }
}

/// How a cloth crosses another surface.
struct Tangle {
    /// Triangles that cross, of the cloth and of the other.
    crossing: Vec<(u32, u32)>,
    /// Vertices of the cloth on the wrong side.
    wrong: Vec<bool>,
    /// Vertices that are lifted together have the same number; none of what is lifted not at all.
    patch: Vec<Option<u32>>,
}

impl Tangle {
    fn of(cloth: &Shape, other: &Shape) -> Self {
        let bvh = other.bvh();
        let crossing = cloth.crossing(DVec3::ZERO, other, &bvh);
        let (own, points) = (cloth.points(DVec3::ZERO), other.points(DVec3::ZERO));
        let cut = |a: u32, b: u32, t: u32| {
            let corners = other.triangles[t as usize].map(|k| points[k as usize]);
            segment_meets_triangle([own[a as usize], own[b as usize]], corners)
        };
        let mut cuts: Vec<[u32; 2]> = Vec::new();
        for &(i, j) in &crossing {
            let [a, b, c] = cloth.triangles[i as usize];
            for [a, b] in [[a, b], [b, c], [c, a]] {
                if cut(a, b, j) {
                    cuts.push([a.min(b), a.max(b)]);
                }
            }
        }
        cuts.sort_unstable();
        cuts.dedup();
        let count = cloth.places.len();
        let mut parts = Sets::new(count);
        for &[a, b, c] in &cloth.triangles {
            for [a, b] in [[a, b], [b, c], [c, a]] {
                if cuts.binary_search(&[a.min(b), a.max(b)]).is_err() {
                    parts.join(a as usize, b as usize);
                }
            }
        }
        let part: Vec<u32> = (0..count).map(|i| parts.first_of(i) as u32).collect();
        let mut sizes = vec![0u32; count];
        for p in &part {
            sizes[*p as usize] += 1;
        }
        let mut beside: Vec<u32> = cuts.iter().flatten().map(|i| part[*i as usize]).collect();
        beside.sort_unstable();
        beside.dedup();
        // What is inside of a closed surface is wrong however large it is.
        let outside = |p: &&u32| !other.is_closed || !other.hides(cloth.places[**p as usize]);
        let main = beside.iter().filter(outside).max_by_key(|p| (sizes[**p as usize], *p));
        let main = main.copied();
        let is_wrong = |p: &u32| beside.binary_search(p).is_ok() && Some(*p) != main;
        let wrong: Vec<bool> = part.iter().map(is_wrong).collect();
        let mut patches = Sets::new(count);
        let mut is_lifted = wrong.clone();
        for i in (0..count).filter(|i| wrong[*i]) {
            patches.join(i, part[i] as usize);
        }
        for (i, _) in &crossing {
            let [a, b, c] = cloth.triangles[*i as usize].map(|k| k as usize);
            patches.join(a, b);
            patches.join(b, c);
            for k in [a, b, c] {
                is_lifted[k] = true;
            }
        }
        let patch = (0..count).map(|i| is_lifted[i].then(|| patches.first_of(i) as u32)).collect();
        Self { crossing, wrong, patch }
    }

    fn wrong_count(&self) -> usize {
        self.wrong.iter().filter(|w| **w).count()
    }

    /// By how much each vertex of the cloth is lifted; none where no direction leads out.
    fn lifts(&self, cloth: &Shape, other: &Shape, gap: f64, round: u32) -> Option<Vec<DVec3>> {
        let faces_out = other.is_closed;
        let mut normals = vec![(DVec3::ZERO, 0u32); cloth.places.len()];
        for &(i, j) in &self.crossing {
            let normal = other.normal(j as usize);
            let place = other.corners(j as usize)[0];
            let corners = cloth.triangles[i as usize];
            // An open surface is left to the side of those corners that are right.
            let right = corners.iter().filter(|k| !self.wrong[**k as usize]);
            let side: f64 = right.map(|k| (cloth.places[*k as usize] - place).dot(normal)).sum();
            let turned = if faces_out || side >= 0.0 { normal } else { -normal };
            if let Some(patch) = self.patch[corners[0] as usize] {
                let entry = &mut normals[patch as usize];
                *entry = (entry.0 + turned, entry.1 + 1);
            }
        }
        let mut heights = vec![0.0_f64; cloth.places.len()];
        let mut highest = vec![0.0_f64; cloth.places.len()];
        let direction = |patch: u32| -> Option<DVec3> {
            let (sum, count) = normals[patch as usize];
            let mean = sum / f64::from(count.max(1));
            (mean.length() >= LEAST_AGREEMENT).then(|| mean.normalize())
        };
        for (i, patch) in self.patch.iter().enumerate().filter(|(i, _)| self.wrong[*i]) {
            let Some(patch) = patch else { continue };
            let up = direction(*patch)?;
            let height = height_over(cloth.places[i], up, other);
            heights[i] = height.unwrap_or(0.0);
            highest[*patch as usize] = highest[*patch as usize].max(heights[i]);
        }
        // What is cut without being on the wrong side goes up by degrees.
        let by_degrees = gap * f64::from(round);
        let mut crosses = vec![false; cloth.places.len()];
        for (i, _) in &self.crossing {
            for k in cloth.triangles[*i as usize] {
                crosses[k as usize] = true;
            }
        }
        let mut lifts = vec![DVec3::ZERO; cloth.places.len()];
        for (i, patch) in self.patch.iter().enumerate() {
            let Some(patch) = patch else { continue };
            let up = direction(*patch)?;
            let all = highest[*patch as usize];
            lifts[i] = match (self.wrong[i], heights[i] > 0.0) {
                (true, true) => up * (heights[i] + gap),
                (true, false) => up * (all + gap),
                // The first lifts may be all that is needed.
                (false, _) if crosses[i] && (round > 1 || all == 0.0) => up * by_degrees,
                (false, _) => DVec3::ZERO,
            };
        }
        Some(lifts)
    }
}

/// How far along `up` a place leaves a surface: to the first triangle that is passed outwards, of an open
/// surface to the first at all.
fn height_over(from: DVec3, up: DVec3, other: &Shape) -> Option<f64> {
    let mut nearest: Option<f64> = None;
    for t in 0..other.triangles.len() {
        let [a, b, c] = other.corners(t);
        let normal = (b - a).cross(c - a);
        let along = normal.dot(up) * other.sense;
        if along == 0.0 || (other.is_closed && along < 0.0) {
            continue;
        }
        let height = (a - from).dot(normal) / normal.dot(up);
        let at = from + up * height;
        let inside = [(a, b), (b, c), (c, a)]
            .iter()
            .all(|(p, q)| (*q - *p).cross(at - *p).dot(normal) >= 0.0);
        if inside && height >= 0.0 && nearest.is_none_or(|n| height < n) {
            nearest = Some(height);
        }
    }
    nearest
}
