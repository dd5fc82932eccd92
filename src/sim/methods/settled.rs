//! How much the iterates of a substep may be off by.

use super::potential::Potential;
use super::stride::Stride;
use super::tangent::Tangent;
use crate::sim::linear::chunks;
use crate::sim::model::Model;
use glam::DVec3;

/// The iterate may be off by this part of the substep's first correction, both measured by their energy.
/// What it is off by comes back in every substep, so that it counts against what forces do in one, not
/// against how fast anything moves.
const OFF_BY: f64 = 0.05;

/// A rigid body's move counts this many times: what it presses with changes by the whole in the few
/// micrometres that it is pressed in at rest, where a vertex of cloth gives way.
const RIGID_WEIGHT: f64 = 100.0;

/// Part of its own way that a rigid body may be off by, times that weight: one that lies in a heap does not creep
/// because another one falls on it.
const RIGID_PART: f64 = 0.1;

/// The same where it looks back: what it is off by in one substep nothing damps, and what turns freely in its joints would
/// gain momentum by it.
const RIGID_PART_LOOKING_BACK: f64 = 0.001;

/// Part of the energy that is always little enough which a linear solve may leave, and the same where rigid bodies look
/// back: conjugate gradients leave it on the same side in every substep.
const LEFT: f64 = 0.1;
const LEFT_LOOKING_BACK: f64 = 1e-6;

/// Part of the energy of all moving at the speed that it may be off by which a linear solve may leave, however large the first
/// correction: what stiff sheets overshoot by where they start is thousands of times what bends them.
const SLOW: f64 = 0.05;

/// Part of the fastest motion that an iterate may be off by, and the same where points look back: nothing damps it there.
const PART: f64 = 0.01;
const PART_LOOKING_BACK: f64 = 0.005;

/// Where nothing moves faster than this many times the `accuracy`, points may be off by less, down to the part [`AT_REST`]
/// of it: what they are off by would otherwise be all that still moves.
const NEAR_REST: f64 = 10.0;
const AT_REST: f64 = 0.1;

/// What speeds an iterate may be off by [m/s].
pub(super) struct Settled {
    /// The root mean square over the mass.
    pub(super) all: f64,
    /// A single node.
    pub(super) one: f64,
    /// The `accuracy` that the shot asks for, and what is asked of points.
    accuracy: f64,
    points: f64,
}

impl Settled {
    /// For motion as fast as `fastest` [m/s]: a part of it, or the `accuracy` that the shot asks for [m/s], less of it near
    /// rest. A single node may be off by more than all, while things move: a fold that is about to snap to either side moves
    /// for many iterations without a share in the energy.
    pub(super) fn new(model: &Model, fastest: f64, looks_back: bool) -> Self {
        let part = if looks_back { PART_LOOKING_BACK } else { PART };
        let accuracy = model.scene.solver.accuracy;
        // What of a rope is left is told by the energy that is always little enough.
        let near_rest = if model.segments.is_empty() {
            (fastest / (NEAR_REST * accuracy)).clamp(AT_REST, 1.0)
        } else {
            1.0
        };
        let points = near_rest * accuracy;
        // A preconditioned gradient may be too short by a factor of three.
        Self {
            all: (points / 3.0).max(part * fastest),
            one: (points / 3.0).max(0.05 * fastest),
            accuracy,
            points,
        }
    }

    /// Of a rigid body that moves at the speed `own` [m/s].
    fn rigid(&self, own: f64, looks_back: bool) -> f64 {
        let part = if looks_back { RIGID_PART_LOOKING_BACK } else { RIGID_PART };
        self.accuracy.max(part * own) / RIGID_WEIGHT
    }
}

/// What a step that would mend an iterate says about it.
pub(super) struct Measure<'a> {
    settled: &'a Settled,
    point_count: usize,
    h: f64,
    /// Mass of all that is free [kg].
    mass: f64,
    /// How far each rigid body may be off [m], times its weight.
    rigid_off: Vec<f64>,
    /// The part of the first correction's energy that counts.
    part: f64,
    /// What energy is always little enough [J], and the part of it that a linear solve may leave.
    least: f64,
    left: f64,
}

impl<'a> Measure<'a> {
    /// Of the iterates of a substep, the first of which is `z`, of nodes that go by their `strides`.
    pub(super) fn new(
        model: &Model,
        potential: &Potential,
        settled: &'a Settled,
        z: &[DVec3],
        strides: &[Stride],
    ) -> Self {
        let (n, h) = (model.free_count, potential.h);
        let mass = (0..n).filter(|i| !potential.given[*i]).map(|i| model.mass[i]).sum();
        let rigid_off: Vec<f64> = (model.point_count..n)
            .map(|i| {
                let own = z[i].distance(potential.start[i]) / h;
                settled.rigid(own, strides[i].looks_back())
            })
            .collect();
        // Rigid bodies press and rub as the last micrometre says, and the first correction of a rope is all
        // stretch: what is left is not measured by it.
        let (point_off, part) = if !model.rigids.is_empty() {
            (settled.accuracy / RIGID_WEIGHT, 0.0)
        } else if model.segments.is_empty() {
            (settled.points, 1.0)
        } else {
            (settled.points, 0.0)
        };
        let off = |i: usize| i.checked_sub(model.point_count).map_or(point_off, |k| rigid_off[k]);
        let least = (0..n)
            .filter(|i| !potential.given[*i])
            .map(|i| model.mass[i] * (0.1 * off(i)).powi(2))
            .sum();
        let looks_back = strides[model.point_count..].iter().any(Stride::looks_back);
        let left = if looks_back { LEFT_LOOKING_BACK } else { LEFT };
        Self { settled, point_count: model.point_count, h, mass, rigid_off, part, least, left }
    }

    /// The speed that a step stands for which lowers the potential by `energy` [m/s].
    pub(super) fn speed(&self, energy: f64, step: &[DVec3]) -> f64 {
        let (points, rigid) = step.split_at(self.point_count);
        let one = chunks::most(points.len(), |i| points[i].length_squared()).sqrt();
        let rigid =
            rigid.iter().zip(&self.rigid_off).fold(0.0f64, |m, (s, off)| m.max(s.length() / off));
        let even = if self.mass > 0.0 { (energy.max(0.0) / self.mass).sqrt() } else { 0.0 };
        even.max(self.settled.all / self.h * rigid.max(one / self.settled.one))
    }

    /// Whether a step of that speed and energy need not be gone any more, where the first of all had `first_energy`.
    pub(super) fn is_done(&self, speed: f64, energy: f64, first_energy: f64) -> bool {
        let off_by = (self.part * OFF_BY * OFF_BY * first_energy).max(self.least);
        speed <= self.settled.all && energy <= off_by
    }

    /// The speed of a step that need not be gone any more: `step` becomes an estimate of the next one.
    pub(super) fn done(
        &self,
        model: &Model,
        tangent: &mut Tangent,
        gradient: &[DVec3],
        step: &mut Vec<DVec3>,
        first_energy: f64,
    ) -> Option<f64> {
        step.resize(model.free_count, DVec3::ZERO);
        let energy = tangent.estimate(model, gradient, step);
        let speed = self.speed(energy, step);
        self.is_done(speed, energy, first_energy).then_some(speed)
    }

    /// What energy a linear solve with a relative error of `tolerance` may leave [J].
    pub(super) fn enough(&self, tolerance: f64, first_energy: f64) -> f64 {
        let part = self.part * tolerance * tolerance * first_energy;
        part.min(SLOW * self.mass * self.settled.all.powi(2)).max(self.left * self.least)
    }

    /// How far a point may be off [m].
    pub(super) fn off(&self) -> f64 {
        self.settled.all * self.h
    }
}
