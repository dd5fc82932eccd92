//! Ties: places of bodies that are held together, or where they are to be: joints, pins of rigid
//! bodies, and what rides on one.
//!
//! Augmented Lagrangian on the difference d of two places: force `lambda + rho d`, in the directions that
//! are tied; with a stiffness a plain spring.

use super::hold::Share;
use super::{Ease, is_active};
use crate::math::outer;
use crate::scene::ConstraintKind;
use crate::sim::model::{Model, Spread};
use crate::sim::pose::Pose;
use crate::sim::state::{State, TieState};
use crate::sim::whereabouts::{Frame, There, Whereabouts};
use glam::{DMat3, DVec3};

/// Penalty of an exact tie in units of `m / h^2`.
const RHO: f64 = 200.0;

/// Least penalty of a joint's tie in units of `m / h^2` with the mass of all bodies that it may carry.
const RHO_OF_ALL: f64 = 4.0;

/// What the nodes of a tie have to come to.
#[derive(Clone, Debug)]
pub(crate) enum Target {
    /// Zero: both places move freely.
    Nothing,
    /// A place of the start that the motion of its pin moves [m].
    Pin(DVec3),
    /// A place in a given frame [m].
    Place(Frame, DVec3),
    /// A place in the frame of a body where that body's own curves bring it [m].
    Curves(usize, DVec3),
    /// A vector in a given frame [m].
    Vector(Frame, DVec3),
    /// What the places are apart where the tie takes hold, in a frame of a body that is free to move: it turns with
    /// how that has turned until the start of the substep.
    Rides(Frame),
}

impl Target {
    /// The frame that it goes along with; the world's where nothing gives one.
    fn frame(&self) -> Frame {
        match self {
            Self::Place(frame, _) | Self::Vector(frame, _) | Self::Rides(frame) => *frame,
            Self::Nothing | Self::Pin(_) | Self::Curves(..) => Frame::World,
        }
    }
}

/// In which directions a tie holds.
#[derive(Clone, Debug)]
pub(crate) enum Directions {
    /// In all.
    All,
    /// Across an axis in a frame.
    Across(Frame, DVec3),
}

/// Two places, or a place and where it is to be.
#[derive(Clone, Debug)]
pub(crate) struct Tie {
    /// Index of the scene's constraint.
    pub(crate) constraint: usize,
    /// Bodies that it needs, or twice the same.
    pub(crate) bodies: [usize; 2],
    /// The node of the vertex that it holds, where it holds one.
    pub(crate) vertex: Option<u32>,
    /// The difference of the places.
    pub(crate) spread: Spread,
    pub(crate) target: Target,
    pub(crate) directions: Directions,
    pub(crate) share: Share,
    /// Mass of all rigid bodies that hang together by joints with those of a joint's tie [kg]; zero for other
    /// ties.
    pub(crate) carries: f64,
}

/// A tie that acts during a substep.
#[derive(Clone, Debug)]
pub(crate) struct ActiveTie {
    /// Index into `Model::ties`.
    pub(crate) index: usize,
    pub(crate) spread: Spread,
    target: DVec3,
    tied: DMat3,
    rho: f64,
    /// Multiplier [N]; stays zero for springs.
    pub(crate) lambda: DVec3,
    /// Multiplier before it was moved last, and the force that an exact tie held with then [N].
    acted_by: DVec3,
    held: DVec3,
    exact: bool,
}

impl Tie {
    pub(super) fn difference(&self, x: &[DVec3]) -> DVec3 {
        self.spread.parts().map(|(i, w)| x[i] * w).sum()
    }

    /// How readily the tie's places part, from that of the nodes (one over their mass, say): of a rigid body all of it, as ties far from
    /// its centre turn it readily and have to carry it all the same.
    fn inverse_mass(&self, model: &Model, inverse_mass: &[f64]) -> f64 {
        let mut sum = 0.0;
        for side in 0..2 {
            let own = || self.spread.parts().zip(self.spread.side).filter(move |(_, s)| *s == side);
            let whole: f64 = own().map(|((_, w), _)| w).sum();
            let is_rigid = own().all(|((i, _), _)| i >= model.point_count);
            if is_rigid && whole.abs() > 0.5 {
                // The four nodes of a rigid body have a quarter each.
                let mass = own().next().map_or(0.0, |((i, _), _)| 0.25 * inverse_mass[i]);
                sum += whole * whole * mass;
            } else {
                sum += own().map(|((i, w), _)| w * w * inverse_mass[i]).sum::<f64>();
            }
        }
        sum
    }

    /// What the difference of its places is to be at `end`, with given bodies at `wanted` by then [m].
    /// Notes where tie `index` took hold: on the way, the places keep the distance that they have by then,
    /// in the frame that is given.
    pub(crate) fn goal(
        &self,
        model: &Model,
        state: &mut State,
        index: usize,
        wanted: &Whereabouts,
        end: f64,
    ) -> DVec3 {
        let frame = self.target.frame();
        let rides = matches!(self.target, Target::Rides(_));
        let late = model.scene.constraints[self.constraint].starts.is_some();
        let begins = || {
            if !(rides || late) {
                return DVec3::ZERO;
            }
            let now = There::Now(model, state);
            let off = self.difference(&state.positions) - self.target(model, now, state.time);
            frame.pose(now).rotation.inverse() * off
        };
        let origin = state.ties[index].origin.unwrap_or_else(begins);
        state.ties[index].origin = Some(origin);
        let there = if rides { There::Now(model, state) } else { There::Wanted(wanted) };
        self.target(model, there, end) + frame.pose(there).rotation * origin
    }

    pub(super) fn target(&self, model: &Model, there: There<'_>, time: f64) -> DVec3 {
        match &self.target {
            Target::Nothing | Target::Rides(_) => DVec3::ZERO,
            Target::Pin(start) => match &model.scene.constraints[self.constraint].kind {
                ConstraintKind::Pin { motion, .. } => motion.place_at(*start, time),
                _ => *start,
            },
            Target::Place(frame, place) => frame.pose(there).place(*place),
            Target::Curves(body, place) => Pose::given(&model.scene, *body, time).place(*place),
            Target::Vector(frame, vector) => frame.pose(there).rotation * *vector,
        }
    }
}

/// The ties that act until `end`, with given bodies at `wanted` by then; notes where they took hold.
pub(crate) fn active(
    model: &Model,
    state: &mut State,
    end: f64,
    wanted: &Whereabouts,
    ease: &Ease<'_>,
    out: &mut Vec<ActiveTie>,
) {
    out.clear();
    for (index, tie) in model.ties.iter().enumerate() {
        let released = state.ties[index].released;
        if released || !is_active(model, state, tie.constraint, end) {
            state.ties[index] = TieState { released, ..TieState::default() };
            continue;
        }
        let Some(own) = ease.penalty(RHO, |of| tie.inverse_mass(model, of)) else { continue };
        let exact_rho = own.max(RHO_OF_ALL * tie.carries / (ease.h * ease.h));
        let constraint = &model.scene.constraints[tie.constraint];
        let target = tie.goal(model, state, index, wanted, end);
        // The penalty changes with the step; what the tie holds with does not.
        let before = &state.ties[index];
        let taken = before.force + before.off * (before.penalty - exact_rho);
        let tied = match &tie.directions {
            Directions::All => DMat3::IDENTITY,
            Directions::Across(frame, axis) => {
                let axis = frame.pose(There::Now(model, state)).rotation * *axis;
                DMat3::IDENTITY - outer(axis, axis)
            }
        };
        let soft = super::hold::stiffness(constraint, tie.share, end);
        let exact = soft.is_none();
        let rho = soft.unwrap_or(exact_rho);
        let lambda = if exact { tied * taken } else { DVec3::ZERO };
        out.push(ActiveTie {
            index,
            spread: tie.spread,
            target,
            tied,
            rho,
            lambda,
            acted_by: lambda,
            held: DVec3::ZERO,
            exact,
        });
    }
}

impl ActiveTie {
    /// How far the places are from where they should be, in the tied directions [m].
    pub(crate) fn difference(&self, z: &[DVec3]) -> DVec3 {
        self.tied * (self.spread.parts().map(|(i, w)| z[i] * w).sum::<DVec3>() - self.target)
    }

    /// Gradient with respect to the difference [N] and its tangent [N/m].
    pub(crate) fn force(&self, z: &[DVec3]) -> (DVec3, DMat3) {
        (self.lambda + self.difference(z) * self.rho, self.tied * self.rho)
    }

    /// Goes back to the multiplier by which it held in the solution that was found last: that of the next substep may be
    /// much more, or less.
    pub(crate) fn step_back(&mut self) {
        self.lambda = self.acted_by;
    }

    /// Force that it holds with at `z`, once its multiplier has been moved there [N].
    pub(crate) fn load(&self, z: &[DVec3]) -> DVec3 {
        if self.exact { self.held } else { self.force(z).0 }
    }

    /// How far an exact tie is off [m]; zero for springs.
    pub(crate) fn error(&self, z: &[DVec3]) -> f64 {
        if self.exact { self.difference(z).length() } else { 0.0 }
    }

    /// Whether it holds its places exactly, by a multiplier.
    pub(crate) fn is_exact(&self) -> bool {
        self.exact
    }

    /// Its penalty or stiffness [N/m].
    pub(crate) fn rho(&self) -> f64 {
        self.rho
    }

    /// The part of a force or motion in its tied directions.
    pub(crate) fn along(&self, v: DVec3) -> DVec3 {
        self.tied * v
    }

    /// Writes what it has come to at `x` into its state.
    pub(crate) fn keep(&self, x: &[DVec3], state: &mut TieState) {
        state.force = self.lambda;
        (state.off, state.penalty) = (self.difference(x), self.rho);
    }

    /// Moves the multiplier by `change` [N], of the force that it holds with at `z`.
    pub(crate) fn take_over(&mut self, z: &[DVec3], change: DVec3) {
        (self.acted_by, self.held) = (self.lambda, self.force(z).0);
        self.lambda += change;
    }
}
