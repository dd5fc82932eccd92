//! Collisions of cloths of points in rows and columns: each point's way through a step against every
//! triangle of outside objects and of surfaces, but those that it belongs to. A point that would come
//! through stays on its side, carried along by the triangle. Edges that meet edges are not seen: that
//! is the methods' own limit.
//!
//! Of FLEX3D (Nedel 1993, sections 3.2.5 and 5.3): a solid is infinitely heavy, and the point's velocity
//! is reversed, the point stays where it is. Points of surfaces weigh the same: the point and the nearest corner of the triangle
//! exchange velocities. A triangle that moves is taken at its mean velocity.
//!
//! Of springs (Carvalho 2012, equation 5.1): `v' = v - (1 + k) n (v . n)` with n the triangle's normal, v
//! relative to the place that is hit and k the restitution of the pair, as an impulse that the corners
//! take up by their shares; Coulomb friction bounds the impulse across the normal. The point slides on.

use super::candidates::{Candidate, Candidates, Kind};
use super::distance::{Closest, Feature};
use super::finder::Finder;
use crate::sim::model::Model;
use glam::DVec3;

/// Where a point's way meets a triangle.
#[derive(Clone, Copy, Debug)]
struct Hit {
    /// Part of the way, 0..1.
    at: f64,
    /// Corner of the triangle that is nearest to the place.
    nearest: usize,
    /// Shares of the corners in the place.
    shares: [f64; 3],
    /// Unit normal of the triangle, to the side that the point comes from.
    normal: DVec3,
}

/// Where a step starts: places [m], script time and length [s].
pub(crate) struct Motion<'a> {
    pub(crate) x: &'a [DVec3],
    pub(crate) time: f64,
    pub(crate) h: f64,
}

/// Scratch of the search.
#[derive(Clone, Debug, Default)]
pub(crate) struct ElasticHits {
    candidates: Candidates,
    /// Whether `candidates` may be asked at all.
    valid: bool,
    first: Vec<Option<(Hit, usize)>>,
    change: Vec<DVec3>,
}

impl ElasticHits {
    /// Forgets what was found before: nothing of another frame may decide anything in this one.
    pub(crate) fn forget(&mut self) {
        self.valid = false;
    }

    /// Changes the `ways` [m] and `velocities` [m/s] of free nodes that hit something in a step, and
    /// returns which nodes were changed; `given_velocity` is that of nodes that are not free, `held`
    /// tells which free ones obey no dynamics. Calls `report(a, b, impulse)` for the bodies of each hit.
    pub(crate) fn apply(
        &mut self,
        model: &Model,
        finder: &mut Finder,
        &Motion { x, time, h }: &Motion,
        ways: &mut [DVec3],
        velocities: &mut [DVec3],
        given_velocity: impl Fn(usize) -> DVec3,
        held: impl Fn(usize) -> bool,
        mut report: impl FnMut(u32, u32, f64),
    ) -> Vec<usize> {
        self.find(model, finder, x, ways, h);
        let n = model.free_count;
        let velocity = |i: usize| if i < n { ways[i] / h } else { given_velocity(i) };
        self.first.clear();
        self.first.resize(n, None);
        for (number, pair) in self.candidates.pairs.iter().enumerate() {
            let [p, a, b, c] = pair.nodes.map(|i| i as usize);
            if pair.kind != Kind::VertexTriangle || p >= n || held(p) {
                continue;
            }
            let carried = (velocity(a) + velocity(b) + velocity(c)) * (h / 3.0);
            let Some(hit) = crossing(x[p], ways[p] - carried, [x[a], x[b], x[c]]) else { continue };
            match &mut self.first[p] {
                Some((known, _)) if hit.at >= known.at + ROUNDING => {}
                // On an edge both triangles are hit.
                Some((known, _)) if hit.at > known.at - ROUNDING => {
                    known.normal = (known.normal + hit.normal).normalize_or(known.normal);
                }
                first => *first = Some((hit, number)),
            }
        }
        self.change.clear();
        self.change.resize(n, DVec3::ZERO);
        let mut any = false;
        for (p, found) in self.first.iter_mut().enumerate() {
            let Some((hit, number)) = *found else { continue };
            let pair = &self.candidates.pairs[number];
            let corners = [1, 2, 3].map(|k| pair.nodes[k] as usize);
            let corner = corners[hit.nearest];
            let body = |i: usize| model.surface.body_of_node[i];
            let (a, b) = (body(p).min(body(corner)), body(p).max(body(corner)));
            let [s, t, u] = hit.shares;
            let close = Closest {
                weights: [1.0, -s, -t, -u],
                offset: DVec3::ZERO,
                feature: Feature::Interior,
            };
            let friction = model.pair_friction(pair, &close, [a, b], time);
            any = true;
            if !reverses(model, p) {
                let inverse_mass =
                    |i: usize| if i < n && !held(i) { 1.0 / model.mass[i] } else { 0.0 };
                let nodes = [p, corners[0], corners[1], corners[2]];
                let now = |i: usize| if i < n { velocities[i] } else { given_velocity(i) };
                let relative: DVec3 = (0..4).map(|k| now(nodes[k]) * close.weights[k]).sum();
                let moves: f64 =
                    (0..4).map(|k| close.weights[k].powi(2) * inverse_mass(nodes[k])).sum();
                let bounce = model.pair_restitution(a as usize, b as usize, 0.0, time);
                let impulse = impulse(relative, hit.normal, bounce, friction) / moves;
                for k in 0..4 {
                    if nodes[k] < n {
                        self.change[nodes[k]] +=
                            impulse * (close.weights[k] * inverse_mass(nodes[k]));
                    }
                }
                report(a, b, impulse.length());
                continue;
            }
            let v = velocities[p];
            let change = if corner < n && !held(corner) {
                let exchange = velocities[corner] - v;
                self.change[corner] -= exchange;
                exchange
            } else {
                let carried = corners.iter().map(|i| velocity(*i)).sum::<DVec3>() / 3.0;
                (carried - v) * 2.0
            };
            self.change[p] += change;
            report(a, b, change.length() * model.mass[p]);
        }
        if !any {
            return Vec::new();
        }
        for (p, found) in self.first.iter().enumerate() {
            if let Some((_, number)) = found {
                let corners = [1, 2, 3].map(|k| self.candidates.pairs[*number].nodes[k] as usize);
                let of = |i: usize| if i < n { velocities[i] } else { given_velocity(i) };
                ways[p] = corners.iter().map(|i| of(*i)).sum::<DVec3>() * (h / 3.0);
            }
        }
        for (v, change) in velocities.iter_mut().zip(&self.change) {
            *v += *change;
        }
        self.slide(model, x, ways, velocities, h);
        (0..n).filter(|i| self.first[*i].is_some() || self.change[*i] != DVec3::ZERO).collect()
    }

    /// Lets points of springs that were stopped go on along what they hit, as far as their new velocities
    /// take them and nothing else is in the way.
    fn slide(&self, model: &Model, x: &[DVec3], ways: &mut [DVec3], velocities: &[DVec3], h: f64) {
        let mut slid = vec![None; self.first.len()];
        for (p, found) in self.first.iter().enumerate() {
            if let Some((hit, _)) = found
                && !reverses(model, p)
            {
                let free = velocities[p] * h - ways[p];
                slid[p] = Some(free - hit.normal * free.dot(hit.normal));
            }
        }
        for pair in &self.candidates.pairs {
            let [p, a, b, c] = pair.nodes.map(|i| i as usize);
            if pair.kind == Kind::VertexTriangle
                && let Some(way) = slid.get(p).copied().flatten()
                && crossing(x[p], way, [x[a], x[b], x[c]]).is_some()
            {
                slid[p] = None;
            }
        }
        for (way, slid) in ways.iter_mut().zip(slid) {
            *way += slid.unwrap_or(DVec3::ZERO);
        }
    }

    /// The pairs that may meet in this step; found anew when a node leaves its box.
    fn find(&mut self, model: &Model, finder: &mut Finder, x: &[DVec3], ways: &[DVec3], h: f64) {
        let way = |i: usize| ways.get(i).copied().unwrap_or(DVec3::ZERO);
        let inside = |c: &Candidates, i: usize| c.holds(i, x[i]) && c.holds(i, x[i] + way(i));
        if self.valid && (0..x.len()).all(|i| inside(&self.candidates, i)) {
            return;
        }
        let ahead: Vec<DVec3> = (0..x.len()).map(|i| x[i] + way(i) * STEPS_AHEAD).collect();
        let shortest = model.stretch_edges.iter().fold(f64::INFINITY, |m, e| m.min(e.2));
        let slack = SLACK * if shortest.is_finite() { shortest } else { h };
        self.candidates.set_boxes(x, &ahead, |i| slack + way(i).length());
        finder.find(model, &mut self.candidates);
        self.candidates.retain(|pair: &Candidate| pair.kind == Kind::VertexTriangle);
        self.valid = true;
    }
}

/// Even steps for which candidates are meant to last.
const STEPS_AHEAD: f64 = 20.0;

/// Room around each node's way, as a part of the shortest edge.
const SLACK: f64 = 0.05;

/// Part of a way, and of a triangle, that counts as rounding: less would let points slip through
/// between two triangles.
const ROUNDING: f64 = 1e-9;

/// Whether a hit turns round the whole velocity of node `p`.
fn reverses(model: &Model, p: usize) -> bool {
    model.lattices.iter().any(|lattice| lattice.nodes().contains(&p) && lattice.reverses())
}

/// What a unit mass of velocity `relative` takes up where it hits a place; `normal` points to where it
/// comes from.
fn impulse(relative: DVec3, normal: DVec3, bounce: f64, friction: f64) -> DVec3 {
    let along = relative.dot(normal);
    let across = relative - normal * along;
    let pressed = (1.0 + bounce) * (-along).max(0.0);
    let rubbed = (friction * pressed).min(across.length());
    normal * pressed - across.normalize_or_zero() * rubbed
}

/// Where the way from `p` meets a triangle; none where it starts on its plane.
fn crossing(p: DVec3, way: DVec3, [a, b, c]: [DVec3; 3]) -> Option<Hit> {
    let normal = (b - a).cross(c - a);
    let before = normal.dot(p - a);
    let after = normal.dot(p + way - a);
    if before == 0.0 || (before > 0.0) == (after > 0.0) {
        return None;
    }
    let at = before / (before - after);
    let place = p + way * at;
    let double_area = normal.length_squared();
    let share = |u: DVec3, v: DVec3| (v - u).cross(place - u).dot(normal) / double_area;
    let shares = [share(b, c), share(c, a), share(a, b)];
    if shares.iter().any(|share| *share < -ROUNDING) {
        return None;
    }
    let distance = [a, b, c].map(|corner| corner.distance_squared(place));
    let nearest = (1..3).fold(0, |best, k| if distance[k] < distance[best] { k } else { best });
    Some(Hit { at, nearest, shares, normal: normal.normalize() * before.signum() })
}
