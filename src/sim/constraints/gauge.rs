//! Gauges: the one motion of a joint that is limited, driven or damped: a turn about an axis, how far one axis
//! leans from another, a way along an axis.
//!
//! A gauge reads a place q (radians or metres) off the difference D of two arms, one of each body, or
//! of two places, and answers with a moment or force F(q) along the change of q, equal and opposite on
//! both sides. Limits and what is exact of a motor are augmented Lagrangian rows: `F = max(0, lambda -
//! rho (q - low))` at a lower limit, `F = clamp(lambda - rho (q - goal), -most, most)` of a motor.

use super::tie::Tie;
use super::{Ease, is_active};
use crate::math::outer;
use crate::math::rotation;
use crate::scene::{ConstraintKind, Goal, Joint, Motor};
use crate::sim::model::{Model, Spread};
use crate::sim::state::{Changed, GaugeState, JointChange, State};
use crate::sim::whereabouts::{Frame, There, Whereabouts};
use glam::{DMat3, DQuat, DVec3};
use std::f64::consts::{PI, TAU};

/// Penalty of what is exact in units of `m / h^2` (`I / h^2` for turns), as that of ties.
const RHO: f64 = 200.0;

/// What a gauge reads.
#[derive(Clone, Debug)]
pub(crate) enum Measure {
    /// The turn about an axis of `b`, which `arm` of `a` is across; `there` is that arm in `b` at the start.
    Turn { axis: DVec3, arm: DVec3, there: DVec3 },
    /// The angle between `arm` of `a` and `there` of `b`.
    Cone { arm: DVec3, there: DVec3 },
    /// The turn about the axis of `a` that is left once that of `b` is brought there the short way (swing and
    /// twist); the axes of both, and an arm across each that lie on each other at the start.
    Twist { axes: [DVec3; 2], arms: [DVec3; 2] },
    /// The way of a place along an axis of `b`.
    Way { axis: DVec3, tie: Box<Tie> },
    /// All turns, for damping.
    Ball { arm: f64 },
}

/// The motion of a joint that is limited, driven or damped.
#[derive(Clone, Debug)]
pub(crate) struct Gauge {
    /// Index of the scene's constraint.
    pub(crate) constraint: usize,
    /// Its bodies, or twice the same.
    pub(crate) bodies: [usize; 2],
    /// What its other side goes along with.
    pub(crate) other: Frame,
    pub(crate) measure: Measure,
    /// What readily moves: one over the inertia about the joint [1/(kg m2)] or mass [1/kg].
    pub(crate) inverse: f64,
    /// Least and most [rad or m].
    pub(crate) limits: Option<[f64; 2]>,
    /// [N m s/rad or N s/m].
    pub(crate) damping: f64,
}

/// A gauge that acts during a substep.
#[derive(Clone, Debug)]
pub(crate) struct ActiveGauge {
    /// Index into `Model::gauges`.
    pub(crate) index: usize,
    /// The difference of both sides, in nodes that are solved for.
    pub(crate) spread: Spread,
    /// What the other side is at the end of the substep where it is given.
    target: DVec3,
    reading: Reading,
    law: Law,
}

/// How q is read off the difference D.
#[derive(Clone, Copy, Debug)]
enum Reading {
    /// `q = start + factor 2 asin(D t / 2 length)` with t across the axis and both arms.
    Turn { axis: DVec3, length: f64, factor: f64 },
    /// `q = 2 asin(|D| / 2 length) - origin`.
    Cone { length: f64, origin: f64 },
    /// `q = start + D axis` from D at the start.
    Way { axis: DVec3, from: f64 },
    /// No q: D itself is damped [N/m].
    Ball { rate: f64 },
}

/// What answers a place.
#[derive(Clone, Debug)]
struct Law {
    /// Place at the start of the substep.
    start: f64,
    limits: Option<[f64; 2]>,
    /// What the limits hold with.
    stops: [f64; 2],
    rho: f64,
    /// Damping over the substep.
    damping: f64,
    drive: Option<Drive>,
}

/// What a motor does in a substep.
#[derive(Clone, Copy, Debug)]
struct Drive {
    goal: f64,
    /// Stiffness, or penalty where it is exact.
    stiffness: f64,
    damping: f64,
    most: f64,
    exact: bool,
    lambda: f64,
}

impl Law {
    /// The moment or force at `q`, and how much of it a growing `q` takes off.
    fn at(&self, q: f64) -> (f64, f64) {
        let rate = q - self.start;
        let (mut force, mut slope) = (-self.damping * rate, self.damping);
        if let Some([low, high]) = self.limits {
            let stops = self.stops_at(q, low, high);
            force += stops[0] - stops[1];
            slope += stops.iter().map(|stop| if *stop > 0.0 { self.rho } else { 0.0 }).sum::<f64>();
        }
        if let Some(drive) = &self.drive {
            let (own, own_slope) = drive.at(q, rate);
            force += own;
            slope += own_slope;
        }
        (force, slope)
    }

    fn stops_at(&self, q: f64, low: f64, high: f64) -> [f64; 2] {
        [
            (self.stops[0] - self.rho * (q - low)).max(0.0),
            (self.stops[1] - self.rho * (high - q)).max(0.0),
        ]
    }
}

impl Drive {
    fn at(&self, q: f64, rate: f64) -> (f64, f64) {
        let force = self.lambda - self.stiffness * (q - self.goal) - self.damping * rate;
        if force.abs() <= self.most {
            (force, self.stiffness + self.damping)
        } else {
            (force.clamp(-self.most, self.most), 0.0)
        }
    }

    /// What it drives with, once its multiplier has been moved to `q`.
    fn load(&self, q: f64, rate: f64) -> f64 {
        if self.exact { self.lambda } else { self.at(q, rate).0 }
    }
}

impl Gauge {
    /// Factor from the scene's units to the engine's: radians from degrees, metres from metres.
    pub(crate) fn unit(&self) -> f64 {
        if matches!(self.measure, Measure::Way { .. }) { 1.0 } else { PI / 180.0 }
    }

    fn joint<'a>(&self, model: &'a Model) -> Option<&'a Joint> {
        match &model.scene.constraints[self.constraint].kind {
            ConstraintKind::Joint(joint) => Some(joint),
            _ => None,
        }
    }

    /// What commands have made of the joint.
    fn change<'a>(&self, state: &'a State) -> Option<&'a JointChange> {
        let place = |joint: &JointChange| joint.constraint as usize;
        let at = state.joints.binary_search_by_key(&self.constraint, place).ok()?;
        Some(&state.joints[at])
    }

    /// The motor of the joint.
    fn motor<'a>(&self, model: &'a Model, state: &'a State) -> Option<&'a Motor> {
        match self.change(state).map(|change| &change.motor) {
            Some(Changed::To(motor)) => motor.as_ref(),
            Some(Changed::No) | None => self.joint(model)?.motor.as_ref(),
        }
    }

    /// Least and most [rad or m].
    fn limits_now(&self, state: &State) -> Option<[f64; 2]> {
        match (&self.measure, self.change(state).map(|change| change.limits)) {
            (Measure::Twist { .. } | Measure::Ball { .. }, _) | (_, Some(Changed::No) | None) => {
                self.limits
            }
            (_, Some(Changed::To(limits))) => {
                limits.map(|(low, high)| [low, high].map(|limit| limit * self.unit()))
            }
        }
    }

    /// How far it has gone since it took hold, with the world as `state` has it [degrees or m].
    pub(crate) fn travel(&self, model: &Model, state: &State, own: &GaugeState) -> f64 {
        let Some(origin) = own.origin else { return 0.0 };
        let place =
            self.nearest(self.read(model, There::Now(model, state), &state.positions), own.place);
        let origin = if matches!(self.measure, Measure::Cone { .. }) { 0.0 } else { origin };
        (place - origin) / self.unit()
    }

    /// The place that reads as `read` and is nearest to `before`: whole turns are counted.
    fn nearest(&self, read: f64, before: f64) -> f64 {
        match self.measure {
            Measure::Turn { .. } | Measure::Twist { .. } => {
                read + TAU * ((before - read) / TAU).round()
            }
            _ => read,
        }
    }

    /// Rotations of both sides.
    fn turns(&self, there: There<'_>) -> [DQuat; 2] {
        [Frame::Body(self.bodies[0]), self.other].map(|frame| frame.pose(there).rotation)
    }

    /// Place with the bodies at `poses`; a turn within half a turn of zero.
    fn read(&self, model: &Model, there: There<'_>, x: &[DVec3]) -> f64 {
        let [a, b] = self.turns(there);
        match &self.measure {
            Measure::Turn { axis, arm, there } => {
                let here = b.inverse() * (a * *arm);
                let across = here - *axis * axis.dot(here);
                libm::atan2(axis.dot(there.cross(across)), there.dot(across))
            }
            Measure::Twist { axes, arms } => {
                let [ta, tb] = [a * axes[0], b * axes[1]];
                let there = rotation::from_rotation_arc(tb, ta) * (b * arms[1]);
                let here = a * arms[0];
                libm::atan2(ta.dot(there.cross(here)), there.dot(here))
            }
            Measure::Cone { arm, there } => {
                let apart = (a * *arm - b * *there).length();
                2.0 * libm::asin((0.5 * apart / arm.length()).min(1.0))
            }
            Measure::Way { axis, tie } => {
                let at = tie.difference(x) - tie.target(model, there, 0.0);
                (b * *axis).dot(at)
            }
            Measure::Ball { .. } => 0.0,
        }
    }

    /// The difference of an arm of `a` and the same of `b` as it lies at the start of the substep, and what of
    /// it is given at its end.
    fn arms(
        &self,
        model: &Model,
        turns: [DQuat; 2],
        ends: [DQuat; 2],
        arm: DVec3,
        there: DVec3,
    ) -> (Spread, DVec3) {
        let mut spread = Spread::default();
        let b = self.joint(model).and_then(|joint| joint.b);
        let bodies = [Some(self.bodies[0]), b];
        let mut target = turns[1] * there;
        for (side, (vector, sign)) in [(arm, 1.0), (there, -1.0)].into_iter().enumerate() {
            let rigid = bodies[side].and_then(|body| model.bodies[body].rigid);
            match rigid.map(|rigid| &model.rigids[rigid]) {
                Some(rigid) => {
                    for (node, w) in rigid.nodes().zip(rigid.vector_weights(vector)) {
                        spread.add(node as u32, sign * w, side as u8);
                    }
                    if side == 1 {
                        target = DVec3::ZERO;
                    }
                }
                None if side == 1 => target = ends[1] * there,
                None => {}
            }
        }
        (spread, target)
    }

    fn drive(&self, motor: &Motor, end: f64, rho: f64, h: f64, at: Drive) -> Drive {
        let (unit, most) = (self.unit(), motor.most.unwrap_or(f64::INFINITY));
        match &motor.goal {
            Goal::Speed(speed) => {
                Drive { goal: at.goal + h * unit * speed.at(end), stiffness: rho, most, ..at }
            }
            Goal::Place(place) => Drive { goal: unit * place.at(end), stiffness: rho, most, ..at },
            Goal::Spring { place, stiffness, damping } => Drive {
                goal: unit * place.at(end),
                stiffness: *stiffness,
                damping: *damping / h,
                most,
                exact: false,
                lambda: 0.0,
            },
        }
    }
}

/// The gauges that act until `end`, with given bodies at `wanted` by then; notes where they took hold.
pub(crate) fn active(
    model: &Model,
    state: &mut State,
    end: f64,
    wanted: &Whereabouts,
    ease: &Ease<'_>,
    out: &mut Vec<ActiveGauge>,
) {
    out.clear();
    for (index, gauge) in model.gauges.iter().enumerate() {
        if !is_active(model, state, gauge.constraint, end) {
            state.gauges[index] = GaugeState::default();
            continue;
        }
        let h = ease.h;
        let own = &state.gauges[index];
        let now = There::Now(model, state);
        let read = gauge.read(model, now, &state.positions);
        let place = gauge.nearest(read, own.place);
        let limits = gauge.limits_now(state);
        let starts = model.scene.constraints[gauge.constraint].starts;
        let highest = limits.map(|l| l[1]);
        let origin = own.origin.unwrap_or_else(|| match (&gauge.measure, highest) {
            (_, _) if starts.is_none() => 0.0,
            // A cone that something already leans out of begins where that is.
            (Measure::Cone { .. }, Some(highest)) => (place - highest).max(0.0),
            (Measure::Cone { .. }, None) => 0.0,
            _ => place,
        });
        let rho = RHO / (gauge.inverse * h * h);
        let there = There::Wanted(wanted);
        let (turns, ends) = (gauge.turns(now), gauge.turns(there));
        let (spread, target, reading) = match &gauge.measure {
            Measure::Turn { axis, arm, .. } => {
                let there = turns[1].inverse() * (turns[0] * *arm);
                let (spread, target) = gauge.arms(model, turns, ends, *arm, there);
                let axis = turns[1] * *axis;
                (spread, target, Reading::Turn { axis, length: arm.length(), factor: 1.0 })
            }
            Measure::Twist { axes, arms } => {
                // A relative spin w changes the twist by `w (ta + tb) / (1 + ta tb)`.
                let both = turns[0] * axes[0] + turns[1] * axes[1];
                let (axis, length) = (both.normalize_or(turns[0] * axes[0]), arms[0].length());
                let across = axis.any_orthonormal_vector() * length;
                let [here, there] = turns.map(|turn| turn.inverse() * across);
                let (spread, target) = gauge.arms(model, turns, ends, here, there);
                // 2 / |ta + tb|; a cone keeps axes from lying opposite each other.
                let factor = 2.0 / both.length().max(0.1);
                (spread, target, Reading::Turn { axis, length, factor })
            }
            Measure::Cone { arm, there } => {
                let (spread, target) = gauge.arms(model, turns, ends, *arm, *there);
                (spread, target, Reading::Cone { length: arm.length(), origin })
            }
            Measure::Way { axis, tie } => {
                let reading = Reading::Way { axis: turns[1] * *axis, from: place };
                (tie.spread, tie.target(model, there, end), reading)
            }
            Measure::Ball { arm } => {
                if gauge.damping == 0.0 {
                    continue;
                }
                let rate = gauge.damping / (2.0 * arm * arm * h);
                for e in DVec3::AXES {
                    let here = turns[0].inverse() * (e * *arm);
                    let there = turns[1].inverse() * (e * *arm);
                    let (spread, target) = gauge.arms(model, turns, ends, here, there);
                    let law = Law {
                        start: 0.0,
                        limits: None,
                        stops: [0.0; 2],
                        rho: 0.0,
                        damping: 0.0,
                        drive: None,
                    };
                    out.push(ActiveGauge {
                        index,
                        spread,
                        target,
                        reading: Reading::Ball { rate },
                        law,
                    });
                }
                continue;
            }
        };
        let own = &mut state.gauges[index];
        (own.origin, own.place) = (Some(origin), place);
        let (stops, lambda) = (own.stops, own.drive);
        let start = place - origin;
        let at =
            Drive { goal: start, stiffness: 0.0, damping: 0.0, most: 0.0, exact: true, lambda };
        let drive = gauge.motor(model, state).map(|motor| gauge.drive(motor, end, rho, h, at));
        if limits.is_none() && gauge.damping == 0.0 && drive.is_none() {
            // It is only looked at.
            (state.gauges[index].stops, state.gauges[index].drive) = ([0.0; 2], 0.0);
            continue;
        }
        let law = Law { start, limits, stops, rho, damping: gauge.damping / h, drive };
        out.push(ActiveGauge { index, spread, target, reading, law });
    }
}

impl ActiveGauge {
    /// The difference D, and the arm of the other side.
    fn difference(&self, z: &[DVec3]) -> (DVec3, DVec3) {
        let mut sides = [DVec3::ZERO, -self.target];
        for ((i, w), side) in self.spread.parts().zip(self.spread.side) {
            sides[side as usize] += z[i] * w;
        }
        (sides[0] + sides[1], -sides[1])
    }

    /// Place at `z`, the direction in which D grows with it, and how far D goes by it.
    fn read(&self, z: &[DVec3]) -> (f64, DVec3, f64) {
        let (d, other) = self.difference(z);
        match self.reading {
            Reading::Turn { axis, length, factor } => {
                let along = axis.cross(d + other * 2.0).normalize_or_zero();
                let half = (0.5 * d.dot(along) / length).clamp(-0.9, 0.9);
                let place = self.law.start + factor * 2.0 * libm::asin(half);
                (place, along, length * (1.0 - half * half).sqrt() / factor)
            }
            Reading::Cone { length, origin } => {
                let half = (0.5 * d.length() / length).min(0.999);
                let speed = length * (1.0 - half * half).sqrt();
                (2.0 * libm::asin(half) - origin, d.normalize_or_zero(), speed)
            }
            Reading::Way { axis, from } => (self.law.start + axis.dot(d) - from, axis, 1.0),
            Reading::Ball { .. } => (0.0, DVec3::ZERO, 1.0),
        }
    }

    /// Gradient with respect to D [N] and its tangent [N/m].
    pub(crate) fn force(&self, z: &[DVec3]) -> (DVec3, DMat3) {
        if let Reading::Ball { rate } = self.reading {
            let d = self.difference(z).0;
            return (d * rate, DMat3::from_diagonal(DVec3::splat(rate)));
        }
        let (place, along, speed) = self.read(z);
        let (force, slope) = self.law.at(place);
        let mut block = outer(along, along) * (slope / (speed * speed));
        if matches!(self.reading, Reading::Cone { .. }) {
            // Held tips turn their line as a taut string does.
            let apart = self.difference(z).0.length();
            let across = (-force / speed / apart.max(1e-9)).clamp(0.0, slope / (speed * speed));
            block += (DMat3::IDENTITY - outer(along, along)) * across;
        }
        (along * (-force / speed), block)
    }

    /// Force on D at `z`, once the multipliers have been moved there [N].
    pub(crate) fn load(&self, z: &[DVec3]) -> DVec3 {
        if matches!(self.reading, Reading::Ball { .. }) {
            return self.force(z).0;
        }
        let (place, along, speed) = self.read(z);
        let rate = place - self.law.start;
        let stops = if self.law.limits.is_some() { self.law.stops } else { [0.0; 2] };
        let drive = self.law.drive.map_or(0.0, |drive| drive.load(place, rate));
        along * (-(stops[0] - stops[1] + drive - self.law.damping * rate) / speed)
    }

    /// Moves the multipliers to the forces at `z`.
    pub(crate) fn update_multiplier(&mut self, z: &[DVec3]) {
        let place = self.read(z).0;
        let rate = place - self.law.start;
        if let Some([low, high]) = self.law.limits {
            self.law.stops = self.law.stops_at(place, low, high);
        }
        if let Some(drive) = self.law.drive.as_mut().filter(|drive| drive.exact) {
            drive.lambda = drive.at(place, rate).0;
        }
    }

    /// Writes what it has come to into its state.
    pub(crate) fn keep(&self, z: &[DVec3], state: &mut GaugeState) {
        let place = self.read(z).0;
        if matches!(self.reading, Reading::Ball { .. }) {
            return;
        }
        state.place = place + state.origin.unwrap_or_default();
        state.stops = self.law.stops;
        let drive = self.law.drive.map(|drive| drive.load(place, place - self.law.start));
        state.drive = drive.unwrap_or_default();
    }
}
