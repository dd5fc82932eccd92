//! What touches at the start without crossing is drawn apart by a hair, so that it has sides: bodies that keep their
//! shape as wholes, borders of sheets and ends of ropes inwards, and what lies on a face along its normal.

use super::cage;
use super::collision::finder::Finder;
use super::model::Model;
use super::separate::{held_nodes, shift};
use super::state::State;
use super::untangle::{Shape, shape_of};
use crate::geometry::closest_on_triangle;
use crate::geometry::predicates::{Point, neighbours_cross, triangles_cross};
use glam::DVec3;
use std::collections::{BTreeMap, BTreeSet};

/// Most rounds over all that touches: what is lifted off one thing may come to touch another one.
const MOST_ROUNDS: u32 = 12;

/// Overlap of bodies that counts as touching, at least [m].
const LEAST_OVERLAP: f64 = 2e-5;

/// A sheet that touches itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seam {
    pub(super) body: usize,
    /// How many of its vertices were drawn apart.
    pub(super) count: usize,
    /// One of the places [m].
    pub(super) place: DVec3,
}

/// A pair of triangles that meet.
pub(super) struct Meeting {
    pub(super) triangles: [u32; 2],
    /// Their bodies, the lower first.
    pub(super) bodies: [usize; 2],
}

/// All pairs of triangles that meet, of bodies that are there, sorted.
pub(super) fn meetings(model: &Model, state: &State, finder: &mut Finder) -> Vec<Meeting> {
    let points = stored(&state.positions);
    let surface = &model.surface;
    let body = |t: u32| surface.body_of_node[surface.triangles[t as usize][0] as usize] as usize;
    let there = |i: usize| model.scene.bodies[i].is_there(state.time);
    let mut found = Vec::new();
    finder.triangle_pairs(model, &state.positions, &mut |i, j| {
        let (a, b) = (body(i), body(j));
        if there(a) && there(b) && meet(model, &points, [i, j], a == b) {
            let (triangles, bodies) = if a <= b { ([i, j], [a, b]) } else { ([j, i], [b, a]) };
            found.push(Meeting { triangles, bodies });
        }
    });
    found.sort_by_key(|meeting| (meeting.bodies, meeting.triangles));
    found
}

/// Places as frames store them.
pub(super) fn stored(places: &[DVec3]) -> Vec<Point> {
    places.iter().map(|p| p.as_vec3().to_array()).collect()
}

fn meet(model: &Model, points: &[Point], triangles: [u32; 2], same_body: bool) -> bool {
    let [a, b] = triangles.map(|t| model.surface.triangles[t as usize]);
    if same_body {
        return neighbours_cross(points, a, b);
    }
    let corners = |t: [u32; 3]| t.map(|k| points[k as usize]);
    triangles_cross(corners(a), corners(b))
}

/// Draws apart what touches, as far as that can be done. Returns the sheets that touch themselves.
pub(super) fn part(model: &Model, state: &mut State, finder: &mut Finder) -> Vec<Seam> {
    let mut crossing: BTreeSet<[usize; 2]> = BTreeSet::new();
    let mut parting = Parting::new(model);
    let mut seams: BTreeMap<usize, (BTreeSet<u32>, DVec3)> = BTreeMap::new();
    for round in 0..MOST_ROUNDS {
        // What was moved may be in something by so much.
        let touches = 0.5 * model.floor + f64::from(round) * 4.0 * model.floor;
        let mut found = meetings(model, state, finder);
        if round == 0 {
            let deep = |m: &&Meeting| depth(model, state, m.triangles) > touches;
            crossing.extend(found.iter().filter(deep).map(|m| m.bodies));
        }
        found.retain(|m| {
            !crossing.contains(&m.bodies) && depth(model, state, m.triangles) <= touches
        });
        if found.is_empty() {
            break;
        }
        let before = state.positions.clone();
        let moved = parting.points(state, &found);
        for meeting in found.iter().filter(|m| m.bodies[0] == m.bodies[1]) {
            let corners = meeting.triangles.map(|t| model.surface.triangles[t as usize]);
            for v in corners.into_iter().flatten().filter(|v| moved.contains(v)) {
                let place = before[v as usize];
                let seam = seams.entry(meeting.bodies[0]).or_insert((BTreeSet::new(), place));
                seam.0.insert(v);
            }
        }
        let wholes = parting.wholes(state, &found);
        if moved.is_empty() && !wholes {
            break;
        }
    }
    let seam = |(body, (own, place)): (usize, (BTreeSet<u32>, DVec3))| Seam {
        body,
        count: own.len(),
        place,
    };
    seams.into_iter().map(seam).collect()
}

/// How far two triangles that meet are in each other, as the least that parts one edge from the other triangle [m].
fn depth(model: &Model, state: &State, triangles: [u32; 2]) -> f64 {
    let corners =
        triangles.map(|t| model.surface.triangles[t as usize].map(|k| state.positions[k as usize]));
    let mut most = 0.0f64;
    for (of, through) in [(0, 1), (1, 0)] {
        let t = corners[through];
        let n = (t[1] - t[0]).cross(t[2] - t[0]).normalize_or_zero();
        for k in 0..3 {
            let (p, q) = (corners[of][k], corners[of][(k + 1) % 3]);
            let (from, to) = ((p - t[0]).dot(n), (q - t[0]).dot(n));
            if from * to >= 0.0 {
                continue;
            }
            let at = p.lerp(q, from / (from - to));
            let margin = |i: usize| {
                let along = (t[(i + 1) % 3] - t[i]).normalize_or_zero();
                n.cross(along).dot(at - t[i])
            };
            let inside = margin(0).min(margin(1)).min(margin(2));
            most = most.max(inside.min(from.abs()).min(to.abs()));
        }
    }
    most
}

/// What can be done about a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gives {
    /// Nothing: it is given, or held.
    Not,
    /// It moves as a whole.
    Whole,
    /// Its points move one by one.
    Points,
}

struct Parting<'a> {
    model: &'a Model,
    held: Vec<bool>,
    /// How far each body was moved as a whole [m].
    moved: Vec<f64>,
    shapes: BTreeMap<usize, Shape>,
    /// Unit directions away from the borders of each body that its points move in; zero inside.
    inwards: BTreeMap<usize, Vec<DVec3>>,
}

impl<'a> Parting<'a> {
    fn new(model: &'a Model) -> Self {
        let (held, moved) = (held_nodes(model), vec![0.0; model.bodies.len()]);
        Self { model, held, moved, shapes: BTreeMap::new(), inwards: BTreeMap::new() }
    }

    fn gives(&self, body: usize) -> Gives {
        let own = &self.model.bodies[body];
        if !own.free {
            Gives::Not
        } else if own.rigid.is_none() && cage::bodies(self.model).all(|caged| caged != body) {
            Gives::Points
        } else if own.nodes.clone().chain(own.movers.clone()).any(|i| self.held[i]) {
            Gives::Not
        } else {
            Gives::Whole
        }
    }

    /// How far things are drawn apart [m].
    fn hair(&self) -> f64 {
        2.0 * self.model.floor
    }

    /// Moves the points that touch something. Returns which.
    fn points(&mut self, state: &mut State, found: &[Meeting]) -> BTreeSet<u32> {
        let model = self.model;
        for body in found.iter().flat_map(|m| m.bodies) {
            self.shapes.insert(body, shape_of(model, state, body));
            if self.gives(body) == Gives::Points && !self.inwards.contains_key(&body) {
                self.inwards.insert(body, inwards(model, state, body));
            }
        }
        let mut drawn = state.positions.clone();
        for (body, inwards) in &self.inwards {
            for (i, inward) in model.bodies[*body].nodes.clone().zip(inwards) {
                if !self.held[i] {
                    drawn[i] += *inward * self.hair();
                }
            }
        }
        let drawn = stored(&drawn);
        let mut wish: BTreeMap<u32, DVec3> = BTreeMap::new();
        for meeting in found {
            let ways = self.ways(state, meeting, &drawn);
            let mut corners: Vec<(u32, DVec3, bool)> = Vec::new();
            for (k, way) in ways.into_iter().enumerate() {
                let body = meeting.bodies[k];
                if self.gives(body) != Gives::Points {
                    continue;
                }
                for v in model.surface.triangles[meeting.triangles[k] as usize] {
                    let way = match way {
                        Way::Along(way) => way,
                        Way::Inwards => {
                            self.inwards[&body][v as usize - model.bodies[body].nodes.start]
                        }
                    };
                    if !self.held[v as usize] && way != DVec3::ZERO {
                        let other = meeting.triangles[1 - k];
                        corners.push((v, way, self.is_at(state, v, other)));
                    }
                }
            }
            // Where edges meet between their ends, these go along.
            let any = corners.iter().any(|(.., at)| *at);
            for (v, way, _) in corners.into_iter().filter(|(.., at)| *at || !any) {
                *wish.entry(v).or_default() += way;
            }
        }
        for (v, way) in &wish {
            state.positions[*v as usize] += way.normalize_or_zero() * self.hair();
        }
        wish.into_keys().collect()
    }

    /// Whether node `v` is at triangle `t`, of which it is no corner.
    fn is_at(&self, state: &State, v: u32, t: u32) -> bool {
        let corners = self.model.surface.triangles[t as usize];
        if corners.contains(&v) {
            return false;
        }
        let p = state.positions[v as usize];
        let [a, b, c] = corners.map(|k| state.positions[k as usize]);
        let [u, v, w] = closest_on_triangle(p, a, b, c);
        p.distance(a * u + b * v + c * w) < self.hair()
    }

    /// Where the corners of both triangles of a meeting are to go; `drawn` is where all would be with their
    /// borders drawn in.
    fn ways(&self, state: &State, meeting: &Meeting, drawn: &[Point]) -> [Way; 2] {
        let Meeting { triangles, bodies: [a, b] } = *meeting;
        let (one, other) = (&self.shapes[&a], &self.shapes[&b]);
        let first = |body: usize| self.model.surface.body_triangles[body].start;
        let normals = [
            one.normal((triangles[0] - first(a)) as usize),
            other.normal((triangles[1] - first(b)) as usize),
        ];
        if a != b && other.is_closed() {
            return [Way::Along(normals[1]), Way::Along(-normals[1])];
        }
        if a != b && one.is_closed() {
            return [Way::Along(-normals[0]), Way::Along(normals[0])];
        }
        if !meet(self.model, drawn, triangles, a == b) {
            return [Way::Inwards; 2];
        }
        let corners = triangles
            .map(|t| self.model.surface.triangles[t as usize].map(|k| state.positions[k as usize]));
        let along = |t: [DVec3; 3]| t[1] - t[0];
        let across = along(corners[0]).cross(along(corners[1])).normalize_or_zero();
        let axis = [normals[1], normals[0], across]
            .into_iter()
            .find(|axis| *axis != DVec3::ZERO)
            .unwrap_or_else(|| along(corners[0]).normalize_or(DVec3::X).any_orthonormal_vector());
        let side = corners[0].iter().sum::<DVec3>() - corners[1].iter().sum::<DVec3>();
        // In one plane the later one goes to the front.
        let sign = if side.dot(axis) > self.model.floor { 1.0 } else { -1.0 };
        [Way::Along(axis * sign), Way::Along(axis * -sign)]
    }

    /// Moves the bodies that keep their shape. Returns whether there were any.
    fn wholes(&mut self, state: &mut State, found: &[Meeting]) -> bool {
        let mut pairs: Vec<[usize; 2]> = found.iter().map(|m| m.bodies).collect();
        pairs.dedup();
        let down = self.model.scene.gravity.at(state.time);
        let mut any = false;
        for [a, b] in pairs.into_iter().filter(|[a, b]| a != b) {
            let gives = [a, b].map(|body| self.gives(body));
            if gives.contains(&Gives::Points) || gives == [Gives::Not; 2] {
                continue;
            }
            let (own, other) = (shape_of(self.model, state, b), shape_of(self.model, state, a));
            let Some(way) = own.way_out(&other, self.hair()) else { continue };
            let touches = LEAST_OVERLAP + 2.0 * self.hair() + self.moved[a] + self.moved[b];
            if way.length() > touches {
                continue;
            }
            // Up rather than down, where something else may be.
            let (body, way) = match gives {
                [Gives::Whole, Gives::Not] => (a, -way),
                [Gives::Not, _] => (b, way),
                _ if way.dot(down) > 0.0 => (a, -way),
                _ => (b, way),
            };
            shift(self.model, state, body, way);
            self.moved[body] += way.length();
            any = true;
        }
        any
    }
}

/// Where a corner is to go.
#[derive(Clone, Copy, Debug)]
enum Way {
    Along(DVec3),
    /// Away from the border that it is on.
    Inwards,
}

/// Unit directions from the border of a body into it, at each of its vertices; zero inside.
fn inwards(model: &Model, state: &State, body: usize) -> Vec<DVec3> {
    let nodes = model.bodies[body].nodes.clone();
    let range = model.surface.body_triangles[body].clone();
    let triangles = &model.surface.triangles[range.start as usize..range.end as usize];
    let mut sides: BTreeMap<[u32; 2], u32> = BTreeMap::new();
    let mut into = vec![DVec3::ZERO; nodes.len()];
    let mut borders = vec![false; nodes.len()];
    let local = |v: u32| v as usize - nodes.start;
    let at = |v: u32| state.positions[v as usize];
    let mut ends: BTreeMap<u32, u32> = BTreeMap::new();
    for &[a, b, c] in triangles {
        let middle = (at(a) + at(b) + at(c)) / 3.0;
        for v in [a, b, c] {
            into[local(v)] += (middle - at(v)).normalize_or_zero();
        }
        if b == c {
            for v in [a, b] {
                *ends.entry(v).or_default() += 1;
            }
            continue;
        }
        for [p, q] in [[a, b], [b, c], [c, a]] {
            *sides.entry([p.min(q), p.max(q)]).or_default() += 1;
        }
    }
    for ([p, q], count) in sides {
        borders[local(p)] |= count == 1;
        borders[local(q)] |= count == 1;
    }
    for (v, count) in ends {
        borders[local(v)] |= count == 1;
    }
    into.iter()
        .zip(borders)
        .map(|(d, b)| if b { d.normalize_or_zero() } else { DVec3::ZERO })
        .collect()
}
