//! Stitches: the distance of two places is kept or closed, and may break.
//!
//! Augmented Lagrangian on `C = |d| - length` (or on `d` itself where the length is nearly zero):
//! force `lambda + rho C` along `d`, of one sign only where the distance is left between a least and a
//! most; with a stiffness a plain spring. Damping adds `c (|d| - |d0|) / h`.

use super::{Ease, is_active};
use crate::math::outer;
use crate::scene::StitchGap;
use crate::sim::model::{Model, Spread, Stitch};
use crate::sim::state::{State, StitchState};
use glam::{DMat3, DVec3};

/// Seconds in which a stitch that closes does so.
const CLOSING_TIME: f64 = 0.5;

/// Penalty of an exact stitch in units of `m / h^2`.
const RHO: f64 = 60.0;

/// Part of its multiplier that a stitch keeps which shares the nodes of a cage with others. There may be more
/// of these than the nodes can obey: what they pull against each other must not add up. It leaves
/// ten times the penalty as stiffness.
const KEPT_IN_A_CROWD: f64 = 0.9;

/// The same of one that stays open, because pins or other stitches hold against it.
const KEPT_OPEN: f64 = 0.97;

/// What is little to be off by, in contact distances, and part of how far a stitch was off that it is still off by
/// where it stays open.
const LITTLE: f64 = 0.1;
const STAYS_OPEN: f64 = 0.5;

/// The penalty of one that is held open ([`super::strife`]) is at most that of a substep of so many seconds, and this is the
/// part of its multiplier that it keeps.
const PATIENCE: f64 = 0.02;
const KEPT_IN_STRIFE: f64 = 0.9;

/// How far one is open, in contact distances, that may be said to be held open: what is nearer closes sooner or later,
/// between contacts as well.
const WIDE: f64 = 2.0;

/// The same penalty of one that has yet to close. What it is off by when something comes into its way would else pull the
/// harder, the shorter the substeps get in which that is met.
const CLOSING_PATIENCE: f64 = 0.005;

/// Part of what one may pull with while it closes ([`Stitch::most_pull`]) that one pulls with which is held open: enough to
/// close once its way is free, little enough to be borne.
const GENTLE: f64 = 0.03;

/// Part of its penalty with which what closes pushes apart what is too near.
const PUSH: f64 = 0.1;

/// A stitch that acts during a substep.
#[derive(Clone, Debug)]
pub(crate) struct Pull {
    /// Index into `Model::stitches`.
    pub(crate) index: usize,
    pub(crate) nodes: [u32; 8],
    pub(crate) weights: [f64; 8],
    world: DVec3,
    /// The same difference in nodes that are solved for.
    pub(crate) spread: Spread,
    /// Least and most length [m]; the same where it is to be exactly so long.
    range: [f64; 2],
    /// Length at the start of the substep [m].
    before: f64,
    /// Damping over the substep [N/m].
    damping: f64,
    rho: f64,
    /// Multiplier [N]; stays zero for springs.
    lambda: f64,
    exact: bool,
    /// Whether it shares the nodes of a cage with others.
    crowded: bool,
    /// Multiplier before it was moved last [N].
    acted_by: f64,
    /// Part of what its penalty holds that its multiplier takes over.
    takes: f64,
    /// How far off it was when its multiplier was moved last, or at the start [m].
    off: f64,
    /// Distance that its places have where contact holds them apart [m].
    contact_distance: f64,
    /// Whether it pulls two places together. Then it hardly pushes: of many that meet in one place not all can be
    /// their contact distance apart.
    closes: bool,
    /// What it pulls with at most [N].
    bound: f64,
}

/// The stitches that act until `end`, and notes when they began to.
pub(crate) fn active(
    model: &Model,
    state: &mut State,
    end: f64,
    ease: &Ease<'_>,
    out: &mut Vec<Pull>,
) {
    out.clear();
    for (index, stitch) in model.stitches.iter().enumerate() {
        if state.stitches[index].broken || !is_active(model, state, stitch.constraint, end) {
            continue;
        }
        let constraint = &model.scene.constraints[stitch.constraint];
        let spread = model.spread(&stitch.nodes, &stitch.weights, 4);
        let h = ease.h;
        let shares = |of: &[f64]| -> f64 {
            spread.parts().map(|(i, w)| w * w * of[i] * model.crowding[i]).sum()
        };
        let Some(penalty) = ease.penalty(RHO, shares) else { continue };
        // What hangs on a rope hangs on its segments, which may be stiff and light beside their load; cloth
        // gives way before its stitches do.
        let body = |i: usize| &model.scene.bodies[model.surface.body_of_node[i] as usize];
        let on_rope = spread.parts().any(|(i, _)| body(i).rope().is_some());
        let penalty = if on_rope { penalty } else { RHO / (shares(ease.inverse_mass) * h * h) };
        let before = difference(stitch, &state.positions).length();
        let start = *state.stitches[index].length.get_or_insert(before);
        let range = match stitch.gap {
            StitchGap::Keep => [start; 2],
            StitchGap::Length(length) => [length; 2],
            StitchGap::Between(least, most) => [least, most],
            StitchGap::Close => {
                let from = constraint.starts.unwrap_or(-model.scene.timing.preroll);
                let u = ((end - from) / CLOSING_TIME).clamp(0.0, 1.0);
                [start + (stitch.contact_distance - start) * u; 2]
            }
        };
        let closes = matches!(stitch.gap, StitchGap::Close);
        let StitchState { strives, closed, .. } = state.stitches[index];
        let soft = super::hold::stiffness(constraint, stitch.share, end);
        let (patience, most_pull) = match (closes && !closed, strives) {
            (true, true) => (PATIENCE, GENTLE * stitch.most_pull),
            (true, false) => (CLOSING_PATIENCE, stitch.most_pull),
            (false, true) => (PATIENCE, f64::INFINITY),
            (false, false) => (0.0, f64::INFINITY),
        };
        let (penalty, takes) = if h < patience {
            // What a multiplier may take over: see `multipliers`.
            let softer = (h / patience).powi(2);
            (softer * penalty, softer * RHO / (2.0 + softer * RHO))
        } else {
            (penalty, 1.0)
        };
        let exact = soft.is_none();
        let rho = soft.unwrap_or(penalty);
        let carried = state.stitches[index].lambda;
        let mut pull = Pull {
            index,
            nodes: stitch.nodes,
            weights: stitch.weights,
            world: stitch.world,
            spread,
            range,
            before,
            damping: stitch.damping / h,
            rho,
            lambda: match (exact, closes) {
                (false, _) => 0.0,
                (true, false) => carried,
                (true, true) => carried.max(0.0),
            },
            exact,
            crowded: spread.parts().any(|(i, _)| model.crowding[i] > 1.0),
            acted_by: 0.0,
            takes,
            off: 0.0,
            contact_distance: stitch.contact_distance,
            closes,
            bound: if exact { most_pull } else { f64::INFINITY },
        };
        (pull.off, pull.acted_by) = (pull.error(&state.positions), pull.lambda);
        out.push(pull);
    }
}

/// The difference of the places of `stitch` with the nodes at `x` [m].
pub(crate) fn difference(stitch: &Stitch, x: &[DVec3]) -> DVec3 {
    let places = (0..8).map(|k| x[stitch.nodes[k] as usize] * stitch.weights[k]);
    places.sum::<DVec3>() - stitch.world
}

impl Pull {
    /// The nodes that it pulls at.
    pub(crate) fn pulled(&self) -> impl Iterator<Item = u32> {
        self.nodes.into_iter().zip(self.weights).filter(|(_, w)| *w != 0.0).map(|(i, _)| i)
    }

    fn difference(&self, z: &[DVec3]) -> DVec3 {
        let places = (0..8).map(|k| z[self.nodes[k] as usize] * self.weights[k]);
        places.sum::<DVec3>() - self.world
    }

    /// Tension at `z` [N], positive where it pulls together, without damping.
    pub(crate) fn tension(&self, z: &[DVec3]) -> f64 {
        self.tension_at(self.difference(z).length()).0
    }

    /// What its multiplier is to be at `z`, but for what it keeps of that [N].
    pub(crate) fn taken_over(&self, z: &[DVec3]) -> f64 {
        self.lambda + self.takes * (self.tension(z) - self.lambda)
    }

    /// Tension at a length, and its slope [N/m].
    fn tension_at(&self, length: f64) -> (f64, f64) {
        let [least, most] = self.range;
        let of = |bound: f64| self.lambda + self.rho * (length - bound);
        if self.closes {
            let pull = of(most);
            if pull >= self.bound {
                return (self.bound, 0.0);
            }
            return if pull >= 0.0 { (pull, self.rho) } else { (PUSH * pull, PUSH * self.rho) };
        }
        if least == most {
            return (of(most), self.rho);
        }
        if self.lambda >= 0.0 && of(most) > 0.0 {
            (of(most), self.rho)
        } else if self.lambda <= 0.0 && of(least) < 0.0 {
            (of(least), self.rho)
        } else {
            (0.0, 0.0)
        }
    }

    /// How far the distance is from what it should be [m]; zero for springs.
    pub(crate) fn error(&self, z: &[DVec3]) -> f64 {
        let length = self.difference(z).length();
        let [least, most] = self.range;
        let least = if self.closes { 0.0 } else { least };
        if self.exact { (least - length).max(length - most).max(0.0) } else { 0.0 }
    }

    /// Whether it should close and is open at `z`: widely, but for one that `was` held open.
    pub(crate) fn is_open(&self, z: &[DVec3], was: bool) -> bool {
        let far = if was { LITTLE } else { WIDE };
        self.closes && self.exact && self.error(z) > far * self.contact_distance
    }

    /// Whether it is closed at `z`.
    pub(crate) fn is_closed(&self, z: &[DVec3]) -> bool {
        self.closes && self.difference(z).length() < (1.0 + LITTLE) * self.contact_distance
    }

    /// Whether it pulls with all that it may and has not closed.
    pub(crate) fn is_at_most(&self, z: &[DVec3]) -> bool {
        self.exact && self.tension(z) >= self.bound
    }

    /// What it pulls the first of its places with at `z` [N], without damping.
    pub(crate) fn pull(&self, z: &[DVec3]) -> DVec3 {
        -self.difference(z).normalize_or_zero() * self.tension(z)
    }

    /// Gradient with respect to the difference [N] and its positive semi-definite tangent [N/m].
    pub(crate) fn force(&self, z: &[DVec3]) -> (DVec3, DMat3) {
        let d = self.difference(z);
        let length = d.length();
        let (tension, slope) = self.tension_at(length);
        if length < 1e-9 {
            return (d * slope, DMat3::from_diagonal(DVec3::splat(slope)));
        }
        let u = d / length;
        let tension = tension + self.damping * (length - self.before);
        let slope = slope + self.damping;
        let along = outer(u, u);
        let across = (tension / length).clamp(0.0, self.rho + self.damping);
        (u * tension, along * slope + (DMat3::IDENTITY - along) * across)
    }

    /// Goes back to the multiplier by which it acted in the solution that was found last: that of the next substep may be
    /// much less, or more.
    pub(crate) fn step_back(&mut self) {
        self.lambda = self.acted_by;
    }

    /// Moves the multiplier to the tension at `z`.
    pub(crate) fn update_multiplier(&mut self, z: &[DVec3]) {
        self.acted_by = self.lambda;
        if self.exact {
            let off = self.error(z);
            let stays_open = off > LITTLE * self.contact_distance && off > STAYS_OPEN * self.off;
            let keeps = match (self.crowded, stays_open) {
                (true, _) => KEPT_IN_A_CROWD,
                (false, true) if self.takes < 1.0 => KEPT_IN_STRIFE,
                (false, true) => KEPT_OPEN,
                (false, false) => 1.0,
            };
            self.lambda = keeps * self.taken_over(z);
            if self.closes {
                self.lambda = self.lambda.max(0.0);
            }
            self.off = off;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A taut stitch of two nodes with everything on, against central differences of its energy and of its force, whose
    /// truncation and rounding stay below 1e-7 with a step of 1e-5.
    #[test]
    fn force_and_tangent_are_the_derivatives_of_the_energy() {
        let mut pull = Pull {
            index: 0,
            nodes: [0, 0, 0, 0, 1, 1, 1, 1],
            weights: [1.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0],
            world: DVec3::new(0.01, 0.0, 0.02),
            spread: Spread::default(),
            range: [0.2; 2],
            before: 0.25,
            damping: 7.0,
            rho: 300.0,
            lambda: 4.0,
            exact: true,
            crowded: false,
            acted_by: 0.0,
            takes: 1.0,
            off: 0.0,
            contact_distance: 0.0,
            closes: false,
            bound: f64::INFINITY,
        };
        let step = 1e-5;
        for (range, bound) in
            [([0.2; 2], f64::INFINITY), ([0.1, 0.25], f64::INFINITY), ([0.2; 2], 3.0)]
        {
            (pull.range, pull.bound, pull.closes) = (range, bound, bound.is_finite());
            let at = |d: DVec3| [d, DVec3::ZERO];
            let energy = |d: DVec3| {
                let length = (d - pull.world).length();
                let over = length - range[1];
                let own = if pull.closes {
                    bound * over
                } else {
                    pull.lambda * over + 0.5 * pull.rho * over * over
                };
                own + 0.5 * pull.damping * (length - pull.before).powi(2)
            };
            let d = DVec3::new(0.21, -0.13, 0.17);
            let (force, block) = pull.force(&at(d));
            for axis in DVec3::AXES {
                let [high, low] = [d + axis * step, d - axis * step];
                let slope = (energy(high) - energy(low)) / (2.0 * step);
                assert!((slope - force.dot(axis)).abs() < 1e-6 * force.length(), "{slope}");
                let change = (pull.force(&at(high)).0 - pull.force(&at(low)).0) / (2.0 * step);
                assert!(change.distance(block * axis) < 1e-6 * pull.rho, "{change}");
            }
        }
    }
}
