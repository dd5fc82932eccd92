//! What holds points together under relaxation: a weighted sum d of their places, `sum w_i x_i`, whose
//! length is to lie between a least and a most (Jakobsen 2001; Matos 2025, sections 2.2 to 2.4). The ends
//! of a spring have the weights 1 and -1, a bend 1, -2 and 1 and the length 0.
//!
//! A link moves its points along d by their shares and inverse masses, so that momentum is kept. An exact
//! one goes all the way. One of stiffness k and damping c pulls with `k C + c dC/dt`, where C is what its
//! length is off by: its share of a pass brings the impulse nearer to `-h^2 k C - h c (C - C_before)`, which
//! is what implicit Euler asks for (compliance, Macklin, Mueller and Chentanez 2016): more passes are
//! nearer to the same solution, whatever their number and the step.

use crate::scene::{Damp, StitchGap};
use crate::sim::constraints::{hold, is_active, stitch};
use crate::sim::forces::lattice::Lattice;
use crate::sim::forces::springs::Resists;
use crate::sim::model::Model;
use crate::sim::state::State;
use crate::sim::whereabouts::Whereabouts;
use glam::DVec3;
use std::collections::BTreeMap;

/// Most nodes of a link.
const NODES: usize = crate::sim::linear::couplings::TERM;

/// Seconds in which a stitch that closes does so.
const CLOSING_TIME: f64 = 0.5;

/// A link, and what it has come to in the present step.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    nodes: [u32; NODES],
    weights: [f64; NODES],
    count: usize,
    /// Added to the weighted sum [m].
    fixed: DVec3,
    /// Least and most length at rest [m].
    rest: [f64; 2],
    /// [N/m]; infinite where it is exact.
    stiffness: f64,
    /// [N s/m]
    damping: f64,
    /// The sheet whose shrinking changes the length at rest, by its place in `Model::lattices`.
    sheet: Option<u32>,
    /// The scene's constraint that it is of.
    pub(super) constraint: Option<usize>,
    /// The stitch that it is of.
    pub(super) stitch: Option<usize>,
    range: [f64; 2],
    /// Stiffness and damping over the step, in kilograms.
    stiff: f64,
    damp: f64,
    /// Length at the start of the step [m].
    before: f64,
    /// One over the mass that it moves [1/kg].
    inverse: f64,
    /// Impulse times the step, positive where it pushes apart [kg m].
    lambda: f64,
}

impl Link {
    /// A link of free nodes; `stiffness` is infinite for an exact one.
    fn new(parts: impl Iterator<Item = (u32, f64)>, rest: [f64; 2], stiffness: f64) -> Self {
        let mut link = Self {
            nodes: [0; NODES],
            weights: [0.0; NODES],
            count: 0,
            fixed: DVec3::ZERO,
            rest,
            stiffness,
            damping: 0.0,
            sheet: None,
            constraint: None,
            stitch: None,
            range: rest,
            stiff: 0.0,
            damp: 0.0,
            before: 0.0,
            inverse: 0.0,
            lambda: 0.0,
        };
        for (node, weight) in parts {
            link.nodes[link.count] = node;
            link.weights[link.count] = weight;
            link.count += 1;
        }
        link
    }

    /// Two points that are to be `rest` apart.
    fn pair([a, b]: [u32; 2], rest: [f64; 2], stiffness: f64) -> Self {
        Self::new([(a, 1.0), (b, -1.0)].into_iter(), rest, stiffness)
    }

    fn parts(&self) -> impl Iterator<Item = (usize, f64)> {
        (0..self.count).map(|k| (self.nodes[k] as usize, self.weights[k]))
    }

    fn difference(&self, x: &[DVec3]) -> DVec3 {
        self.parts().fold(self.fixed, |sum, (i, w)| sum + x[i] * w)
    }

    /// Makes it ready for a step of `h` seconds from the places `x`.
    fn prime(&mut self, x: &[DVec3], inverse_mass: &[f64], shrink: f64, h: f64) {
        self.range = self.rest.map(|rest| rest * shrink);
        (self.stiff, self.damp) = (self.stiffness * h * h, self.damping * h);
        self.inverse = self.parts().map(|(i, w)| w * w * inverse_mass[i]).sum();
        self.before = self.difference(x).length();
        self.lambda = 0.0;
    }

    /// What a pass would change its impulse by at `z`, and the unit direction along it; none where nothing
    /// tells which way to go.
    fn lacking(&self, z: &[DVec3]) -> Option<(f64, DVec3)> {
        let d = self.difference(z);
        let length = d.length();
        if length <= 0.0 || self.inverse <= 0.0 {
            return None;
        }
        let [least, most] = self.range;
        let change = |bound: f64| {
            let off = length - bound;
            if self.stiff.is_infinite() {
                return -off / self.inverse;
            }
            let goal = -self.stiff * off - self.damp * (length - self.before);
            (goal - self.lambda) / (1.0 + (self.stiff + self.damp) * self.inverse)
        };
        let change = if least == most {
            change(most)
        } else if self.lambda < 0.0 || (self.lambda == 0.0 && length > most) {
            // It pulls, and at most lets go.
            change(most).min(-self.lambda)
        } else if self.lambda > 0.0 || length < least {
            change(least).max(-self.lambda)
        } else {
            0.0
        };
        Some((change, d / length))
    }

    /// One pass: goes the part `share` of its way.
    pub(super) fn relax(&mut self, z: &mut [DVec3], inverse_mass: &[f64], share: f64) {
        let Some((change, along)) = self.lacking(z) else { return };
        let change = change * share;
        self.lambda += change;
        for k in 0..self.count {
            let i = self.nodes[k] as usize;
            z[i] += along * (change * self.weights[k] * inverse_mass[i]);
        }
    }

    /// How far a further pass would move its ends apart or together at `z` [m].
    pub(super) fn error(&self, z: &[DVec3]) -> f64 {
        self.lacking(z).map_or(0.0, |(change, _)| change.abs() * self.inverse)
    }

    /// How far its length is off where it is exact [m].
    pub(super) fn apart(&self, z: &[DVec3]) -> f64 {
        let (length, [least, most]) = (self.difference(z).length(), self.range);
        if self.stiff.is_infinite() { (least - length).max(length - most).max(0.0) } else { 0.0 }
    }

    /// Force with which it pulls together in a step of `h` seconds [N].
    pub(super) fn tension(&self, h: f64) -> f64 {
        -self.lambda / (h * h)
    }

    /// Its force on the difference of its ends [N].
    pub(super) fn load(&self, z: &[DVec3], h: f64) -> DVec3 {
        self.difference(z).normalize_or_zero() * self.tension(h)
    }

    /// Adds its forces on all its nodes in a step of `h` seconds [N].
    pub(super) fn add_forces(&self, z: &[DVec3], h: f64, out: &mut [DVec3]) {
        let along = self.load(z, h);
        for (i, w) in self.parts() {
            out[i] -= along * w;
        }
    }
}

/// A step of `h` seconds to script time `end`: inverse masses, and where given motions will be, by themselves and
/// as places of nodes.
pub(super) struct Ahead<'a> {
    pub(super) inverse_mass: &'a [f64],
    pub(super) wanted: &'a Whereabouts,
    pub(super) places: &'a [DVec3],
    pub(super) h: f64,
    pub(super) end: f64,
}

/// The links of all bodies.
#[derive(Clone, Debug, Default)]
pub(crate) struct Links {
    pub(super) all: Vec<Link>,
}

impl Links {
    /// The springs of sheets, the segments and bends of ropes, and the edges of the cells of soft bodies.
    ///
    /// An edge of length l has the stiffness `sum E V / l^2` over the cells of volume V around it: with
    /// edges in all directions that is a solid of Young's modulus E and the Poisson ratio 1/4 (the mean of
    /// `(n . strain n)^2` over all directions n).
    pub(crate) fn new(model: &Model) -> Self {
        let mut all = Vec::new();
        for (number, sheet) in model.lattices.iter().enumerate() {
            if let Lattice::Springs(net) = sheet {
                add_net(net, number as u32, &mut all);
            }
        }
        for segment in &model.segments {
            let (rest, stiffness) = ([segment.length; 2], segment.stiffness / segment.length);
            all.push(Link::pair(segment.nodes, rest, stiffness));
        }
        for bend in &model.bends {
            // The angle is what the middle is off by, seen from both sides, over the mean length l, and
            // the bend's energy is half of its stiffness times the angle squared.
            let [a, b, c] = bend.nodes;
            let length = 0.5 * (model.rest_distance(a, b) + model.rest_distance(b, c));
            let parts = [(a, 1.0), (b, -2.0), (c, 1.0)].into_iter();
            all.push(Link::new(parts, [0.0; 2], bend.stiffness / (length * length)));
        }
        add_cells(model, &mut all);
        Self { all }
    }

    /// Makes all ready for a step from the places `x`.
    pub(super) fn prime(&mut self, model: &Model, x: &[DVec3], ahead: &Ahead) {
        let shrinks: Vec<f64> = model.lattices.iter().map(|l| l.shrink(model, ahead.end)).collect();
        for link in &mut self.all {
            let shrink = link.sheet.map_or(1.0, |sheet| shrinks[sheet as usize]);
            link.prime(x, ahead.inverse_mass, shrink, ahead.h);
        }
    }
}

fn add_net(net: &crate::sim::forces::springs::Net, sheet: u32, all: &mut Vec<Link>) {
    for spring in net.springs() {
        let rest = match spring.resists {
            Resists::Both => [spring.rest; 2],
            Resists::Stretch => [0.0, spring.rest],
            Resists::Squeeze => [spring.rest, f64::INFINITY],
        };
        let mut link = Link::pair(spring.nodes, rest, spring.stiffness);
        link.sheet = Some(sheet);
        if spring.resists == Resists::Both || net.damp() == Damp::Active {
            link.damping = spring.damping;
        } else if spring.damping > 0.0 {
            // What damps a slack spring as well is a link of its own.
            let mut damper = Link::pair(spring.nodes, [0.0; 2], 0.0);
            damper.damping = spring.damping;
            all.push(damper);
        }
        all.push(link);
    }
    for (nodes, most) in net.limits() {
        let limit = Link::pair(nodes, [0.0, most], f64::INFINITY);
        all.push(Link { sheet: Some(sheet), ..limit });
    }
}

fn add_cells(model: &Model, all: &mut Vec<Link>) {
    let mut edges: BTreeMap<[u32; 2], (f64, f64, f64)> = BTreeMap::new();
    for tet in &model.tets {
        let first = tet.lambda - tet.mu;
        let young = tet.mu * (3.0 * first + 2.0 * tet.mu) / (first + tet.mu);
        for (i, j) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
            let (a, b) = (tet.nodes[i].min(tet.nodes[j]), tet.nodes[i].max(tet.nodes[j]));
            let length = model.rest_distance(a, b);
            let stiffness = young * tet.volume / (length * length);
            let edge = edges.entry([a, b]).or_insert((length, 0.0, 0.0));
            edge.1 += stiffness;
            edge.2 += stiffness * tet.damping;
        }
    }
    for (nodes, (length, stiffness, damping)) in edges {
        all.push(Link { damping, ..Link::pair(nodes, [length; 2], stiffness) });
    }
}

/// The links that constraints of the scene make during a step: stitches and distances, what rides on
/// another free body, and weak holds (`springs`). Notes when they began to act.
pub(super) fn of_constraints(
    model: &Model,
    state: &mut State,
    springs: &[(u32, DVec3, f64, usize)],
    ahead: &Ahead,
) -> Vec<Link> {
    let end = ahead.end;
    let mut links = Vec::new();
    for (index, stitch) in model.stitches.iter().enumerate() {
        if state.stitches[index].broken || !is_active(model, state, stitch.constraint, end) {
            continue;
        }
        let constraint = &model.scene.constraints[stitch.constraint];
        let start = *state.stitches[index]
            .length
            .get_or_insert_with(|| stitch::difference(stitch, &state.positions).length());
        let range = match stitch.gap {
            StitchGap::Keep => [start; 2],
            StitchGap::Length(length) => [length; 2],
            StitchGap::Between(least, most) => [least, most],
            StitchGap::Close => {
                let from = constraint.starts.unwrap_or(-model.scene.timing.preroll);
                let part = ((end - from) / CLOSING_TIME).clamp(0.0, 1.0);
                [start + (stitch.contact_distance.min(start) - start) * part; 2]
            }
        };
        let spread = model.spread(&stitch.nodes, &stitch.weights, 4);
        let stiffness = hold::stiffness(constraint, stitch.share, end).unwrap_or(f64::INFINITY);
        let mut link = Link::new(spread.parts().map(|(i, w)| (i as u32, w)), range, stiffness);
        let own = (0..8).filter(|k| stitch.nodes[*k] as usize >= model.carried_end);
        let given = own.map(|k| ahead.places[stitch.nodes[k] as usize] * stitch.weights[k]);
        link.fixed = given.sum::<DVec3>() - stitch.world;
        link.damping = if stiffness.is_finite() { stitch.damping } else { 0.0 };
        (link.constraint, link.stitch) = (Some(stitch.constraint), Some(index));
        links.push(link);
    }
    for (index, tie) in model.ties.iter().enumerate() {
        if state.ties[index].released || !is_active(model, state, tie.constraint, end) {
            state.ties[index].origin = None;
            continue;
        }
        let constraint = &model.scene.constraints[tie.constraint];
        let stiffness = hold::stiffness(constraint, tie.share, end).unwrap_or(f64::INFINITY);
        let parts = tie.spread.parts().map(|(i, w)| (i as u32, w));
        let mut link = Link::new(parts, [0.0; 2], stiffness);
        link.fixed = -tie.goal(model, state, index, ahead.wanted, end);
        link.constraint = Some(tie.constraint);
        links.push(link);
    }
    for &(node, place, stiffness, constraint) in springs {
        let mut link = Link::new(std::iter::once((node, 1.0)), [0.0; 2], stiffness);
        link.fixed = -place;
        link.constraint = Some(constraint);
        links.push(link);
    }
    for link in &mut links {
        link.prime(&state.positions, ahead.inverse_mass, 1.0, ahead.h);
    }
    links
}

#[cfg(test)]
mod tests {
    use super::*;

    fn relaxed(link: &mut Link, z: &mut [DVec3], inverse_mass: &[f64]) {
        link.prime(z, inverse_mass, 1.0, 0.01);
        link.relax(z, inverse_mass, 1.0);
    }

    /// M-08: two particles at twice their distance come to it at once, and their middle stays; where one
    /// is held, the other goes all the way.
    #[test]
    fn two_points_come_to_their_distance_at_once() {
        for inverse_mass in [[2.0, 2.0], [0.0, 2.0], [1.0, 3.0]] {
            let mut z = vec![DVec3::new(1.0, 2.0, 3.0), DVec3::new(1.0, 2.0, 5.0)];
            let mut link = Link::pair([0, 1], [1.0; 2], f64::INFINITY);
            relaxed(&mut link, &mut z, &inverse_mass);
            assert!((z[0].distance(z[1]) - 1.0).abs() < 1e-15);
            let [a, b] = inverse_mass;
            let moved = [z[0].z - 3.0, 5.0 - z[1].z];
            assert!((moved[0] - a / (a + b)).abs() < 1e-15, "{moved:?}");
            assert!((moved[1] - b / (a + b)).abs() < 1e-15, "{moved:?}");
        }
    }

    /// One that only pulls lets nearer points be, and one that only pushes farther ones (M-11).
    #[test]
    fn one_sided_links_act_one_way() {
        for (range, length, expected) in [
            ([0.0, 1.0], 0.5, 0.5),
            ([0.0, 1.0], 2.0, 1.0),
            ([1.0, f64::INFINITY], 2.0, 2.0),
            ([1.0, f64::INFINITY], 0.5, 1.0),
            ([0.5, 1.5], 1.2, 1.2),
        ] {
            let mut z = vec![DVec3::ZERO, DVec3::X * length];
            let mut link = Link::pair([0, 1], range, f64::INFINITY);
            relaxed(&mut link, &mut z, &[1.0, 1.0]);
            assert!((z[1].x - z[0].x - expected).abs() < 1e-15, "{range:?} {length}");
        }
    }

    /// The share of one of finite stiffness is that of implicit Euler: `h^2 k w / (1 + h^2 k w)`, and further
    /// passes change nothing.
    #[test]
    fn a_stiffness_does_not_depend_on_the_number_of_passes() {
        let (stiffness, h) = (500.0, 0.01);
        for passes in [1, 2, 50] {
            let mut z = vec![DVec3::ZERO, DVec3::X * 2.0];
            let mut link = Link::pair([0, 1], [1.0; 2], stiffness);
            link.prime(&z, &[1.0, 1.0], 1.0, h);
            for _ in 0..passes {
                link.relax(&mut z, &[1.0, 1.0], 1.0);
            }
            let s = h * h * stiffness * 2.0;
            assert!((z[1].x - z[0].x - (2.0 - s / (1.0 + s))).abs() < 1e-14, "{passes}: {z:?}");
            assert!(link.error(&z) < 1e-15);
        }
    }

    #[test]
    fn points_in_one_place_stay() {
        let mut z = vec![DVec3::ONE; 2];
        let mut link = Link::pair([0, 1], [1.0; 2], f64::INFINITY);
        relaxed(&mut link, &mut z, &[1.0, 1.0]);
        assert_eq!(z, [DVec3::ONE; 2]);
    }
}
