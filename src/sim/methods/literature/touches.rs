//! Contacts by projection: points that would come nearer to a surface than their contact distance are put
//! back to it, by the shares and inverse masses of all that meets there (Jakobsen 2001, section 4; Matos
//! 2025, section 6), before and between the passes over the links.
//!
//! Vertices meet triangles and edges meet edges, on the side that they come from. The direction is that of
//! where the two first come to their contact distance, if all move evenly during the step. Friction is
//! Coulomb's law on the way across: it takes back as much of it as the normal push allows.

use super::super::bench::{Quality, Workbench};
use super::super::restitution::approach;
use crate::sim::collision::candidates::Kind;
use crate::sim::collision::contact_distance::{NEAR, contact_distance};
use crate::sim::collision::distance::{edge_edge, vertex_triangle};
use crate::sim::collision::place::is_row;
use crate::sim::model::{Model, Spread};
use glam::DVec3;

/// Part of the contact distance by which what starts too close is moved apart in a step: all of it at once
/// would throw it.
const RECOVERY: f64 = 0.2;

/// Passes over all places that take the speed of approach.
const STOPS: u32 = 10;

/// Room around each node's way for what links do to it, as a part of the way.
const SLACK: f64 = 0.5;

/// A place where two surfaces are about to meet.
#[derive(Clone, Debug)]
pub(super) struct Touch {
    spread: Spread,
    /// What given motions add to the difference of both places at the end of the step [m], and what they
    /// add to its speed [m/s].
    fixed: DVec3,
    fixed_speed: DVec3,
    /// The difference at the start of the step [m].
    start: DVec3,
    /// From the second surface to the first.
    normal: DVec3,
    /// Contact distance [m], and what is asked for in this step.
    distance: f64,
    asked: f64,
    friction: f64,
    restitution: f64,
    /// One over the mass that it moves [1/kg].
    inverse: f64,
    /// Impulses times the step along the normal and across it [kg m].
    lambda: f64,
    across: DVec3,
    /// Bodies, lower first.
    pub(super) bodies: [u32; 2],
}

/// Places of all nodes at the start and at the end of a step of `h` seconds to script time `end`.
pub(super) struct Way<'a> {
    pub(super) start: &'a [DVec3],
    pub(super) end: &'a [DVec3],
    pub(super) h: f64,
    pub(super) time: f64,
}

/// Adds what `touching` places come to, with all nodes at `z` after a step of `h` seconds, to its quality.
pub(super) fn note(touching: &[Touch], z: &[DVec3], h: f64, quality: &mut Quality) {
    for touch in touching {
        let (gap, depth) = touch.depth(z);
        let [a, b] = touch.bodies;
        if gap < quality.closest {
            (quality.closest, quality.closest_bodies) = (gap, [a as usize, b as usize]);
        }
        quality.pressed_in = quality.pressed_in.max(depth);
        if touch.impulse(h) > 0.0 {
            quality.touch(a, b, touch.impulse(h));
        }
    }
}

/// Takes the speed of approach from all these places, or turns the part of it that their restitution says,
/// with Coulomb's friction: what moved places apart stays without a part in velocities.
pub(super) fn stop(touching: &[Touch], v: &mut [DVec3], inverse_mass: &[f64]) {
    let wanted: Vec<f64> = touching
        .iter()
        .map(|touch| touch.restitution * (-touch.normal.dot(touch.speed(v))).max(0.0))
        .collect();
    let mut impulses = vec![(0.0f64, DVec3::ZERO); touching.len()];
    for _ in 0..STOPS {
        for ((touch, wanted), (along, across)) in touching.iter().zip(&wanted).zip(&mut impulses) {
            let speed = touch.speed(v);
            let into = touch.normal.dot(speed);
            let normal = (*along + (wanted - into) / touch.inverse).max(0.0);
            let slip = speed - touch.normal * into;
            let friction =
                (*across - slip / touch.inverse).clamp_length_max(touch.friction * normal);
            let impulse = touch.normal * (normal - *along) + (friction - *across);
            (*along, *across) = (normal, friction);
            touch.push(impulse, v, inverse_mass);
        }
    }
}

/// The places that are about to meet on the way.
pub(super) fn find(model: &Model, bench: &mut Workbench, way: &Way) -> Vec<Touch> {
    let bodies = model.bodies.len();
    if !(0..bodies).any(|a| (a..bodies).any(|b| model.pair_collides(a, b))) {
        return Vec::new();
    }
    let Workbench { finder, candidates, inverse_mass, .. } = bench;
    let Way { start: x, end: z, h, time } = *way;
    candidates.set_boxes(x, z, |i| SLACK * x[i].distance(z[i]));
    finder.find_near(model, x, None, candidates);
    let velocity = |i: usize| (z[i] - x[i]) / h;
    let mut touches = Vec::new();
    for pair in &candidates.pairs {
        let corners = pair.nodes.map(|i| x[i as usize]);
        let mut close = match pair.kind {
            Kind::VertexTriangle => vertex_triangle(corners),
            Kind::EdgeEdge => edge_edge(corners),
        };
        let d = close.offset.length();
        let distance = contact_distance(model, pair, &close, d);
        if d <= 0.0 {
            continue;
        }
        if d > NEAR * distance {
            let Some((there, _)) = approach(model, pair, x, &velocity, h) else { continue };
            close = there;
        } else if !is_row(model, pair, &close) {
            continue;
        }
        let own = [pair.nodes[0], pair.nodes[3]].map(|i| model.surface.body_of_node[i as usize]);
        let spread = model.spread(&pair.nodes, &close.weights, pair.split());
        let inverse = spread.inverse_mass(inverse_mass);
        if inverse <= 0.0 {
            continue;
        }
        let given = || (0..4).filter(|k| pair.nodes[*k] as usize >= model.carried_end);
        let sum = |of: &dyn Fn(usize) -> DVec3| -> DVec3 {
            given().map(|k| of(pair.nodes[k] as usize) * close.weights[k]).sum()
        };
        let start: DVec3 = (0..4).map(|k| corners[k] * close.weights[k]).sum();
        let normal = close.offset.normalize();
        let gap = normal.dot(start);
        let bodies = [own[0].min(own[1]), own[0].max(own[1])];
        let [a, b] = bodies.map(|b| b as usize);
        touches.push(Touch {
            spread,
            fixed: sum(&|i| z[i]),
            fixed_speed: sum(&velocity),
            start,
            normal,
            distance,
            asked: distance.min(gap.max(0.0) + RECOVERY * distance),
            friction: model.pair_friction(pair, &close, own, time),
            restitution: model.pair_restitution(a, b, 0.0, time),
            inverse,
            lambda: 0.0,
            across: DVec3::ZERO,
            bodies,
        });
    }
    touches
}

impl Touch {
    fn difference(&self, z: &[DVec3]) -> DVec3 {
        self.spread.parts().fold(self.fixed, |sum, (i, w)| sum + z[i] * w)
    }

    fn push(&self, by: DVec3, z: &mut [DVec3], inverse_mass: &[f64]) {
        for (i, w) in self.spread.parts() {
            z[i] += by * (w * inverse_mass[i]);
        }
    }

    /// Speed of the first place from the second [m/s].
    fn speed(&self, v: &[DVec3]) -> DVec3 {
        self.spread.parts().fold(self.fixed_speed, |sum, (i, w)| sum + v[i] * w)
    }

    /// One pass: out to the distance that is asked for, and back across as far as friction can.
    pub(super) fn relax(&mut self, z: &mut [DVec3], inverse_mass: &[f64]) {
        let lacking = self.asked - self.normal.dot(self.difference(z));
        let change = (lacking / self.inverse).max(-self.lambda);
        self.lambda += change;
        self.push(self.normal * change, z, inverse_mass);
        if self.friction <= 0.0 || self.lambda <= 0.0 {
            return;
        }
        let slip = self.difference(z) - self.start;
        let slip = slip - self.normal * self.normal.dot(slip);
        let whole =
            (self.across - slip / self.inverse).clamp_length_max(self.friction * self.lambda);
        self.push(whole - self.across, z, inverse_mass);
        self.across = whole;
    }

    /// Gives back the part of the speed of approach that the pair's restitution says.
    pub(super) fn bounce(&self, before: &[DVec3], v: &mut [DVec3], inverse_mass: &[f64]) {
        if self.restitution <= 0.0 || self.lambda <= 0.0 {
            return;
        }
        let speed = |v: &[DVec3]| self.normal.dot(self.speed(v));
        let lacking = -self.restitution * speed(before) - speed(v);
        if lacking > 0.0 {
            self.push(self.normal * (lacking / self.inverse), v, inverse_mass);
        }
    }

    /// Distance along the normal at `z` [m], and how deep that is as a part of the contact distance.
    pub(super) fn depth(&self, z: &[DVec3]) -> (f64, f64) {
        let gap = self.normal.dot(self.difference(z));
        (gap, (self.distance - gap) / self.distance)
    }

    /// Impulse in a step of `h` seconds [N s]; 0 where nothing touched.
    pub(super) fn impulse(&self, h: f64) -> f64 {
        self.lambda / h
    }

    /// How far a further pass would push [m].
    pub(super) fn error(&self, z: &[DVec3]) -> f64 {
        let lacking = self.asked - self.normal.dot(self.difference(z));
        lacking.max(-self.lambda * self.inverse).abs()
    }
}
