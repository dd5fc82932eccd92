//! What a callback may see of a frame and the commands that it may give: plain data that
//! production carries between the director and the engine.

use super::{Motor, Points};
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// A frame as a callback sees it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WorldView {
    /// Frame number.
    pub frame: i32,
    /// Script time [s].
    pub time: f64,
    /// In the order of `Scene::bodies`.
    pub bodies: Vec<BodyView>,
    /// Pairs of bodies that touch in this frame or touched since the frame before, `a <= b`.
    pub contacts: Vec<ContactView>,
    /// In the order of `Scene::constraints`.
    pub constraints: Vec<ConstraintView>,
}

/// A body as a callback sees it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BodyView {
    /// Centre of mass (of a collider: its mesh's origin) [m].
    pub position: DVec3,
    /// Turn [degrees about x, then y, then z]; zero for a cloth.
    pub rotation: DVec3,
    /// The body's own Y axis in the world.
    pub up: DVec3,
    /// Mean velocity [m/s].
    pub velocity: DVec3,
    /// Spin [degrees/s].
    pub spin: DVec3,
    /// Smallest and largest corner [m].
    pub bounds: (DVec3, DVec3),
    /// rms stretch of a cloth's edges (0.01 is one per cent).
    pub stretch: f64,
    /// Largest speed of a vertex [m/s].
    pub fastest: f64,
}

/// Two bodies that touch.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContactView {
    /// Lower body index.
    pub a: usize,
    /// Higher body index (equal for self-contact).
    pub b: usize,
    /// Number of touching places at the frame.
    pub count: u32,
    /// Sum of normal impulses since the frame before [N s].
    pub impulse: f64,
}

/// A constraint as a callback sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ConstraintView {
    /// Force that it holds with at the frame, summed over its points [N].
    pub reaction: f64,
    /// Moment that a joint holds and drives with about where it is [N m].
    pub torque: f64,
    /// Farthest that places which it holds exactly are from where they should be [m].
    pub apart: f64,
    /// What a joint's motor drives with: moment [N m] or force [N], in the sense of its axis.
    pub drive: f64,
    /// How far a joint has gone since it took hold: turned or leant [degrees], or slid [m].
    pub travel: f64,
    /// Whether any part of it has broken.
    pub broken: bool,
}

/// What a callback may ask for; it acts from its frame on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Command {
    /// Releases a constraint (index into `Scene::constraints`).
    Release {
        /// Which.
        constraint: usize,
    },
    /// Releases some points of a constraint: of a stitch the pairs of which one end is among them.
    ReleasePoints {
        /// Which.
        constraint: usize,
        /// The points, sorted by body.
        points: Vec<Points>,
    },
    /// Pushes a body (index into `Scene::bodies`) at once.
    Push {
        /// Which.
        body: usize,
        /// Vertices that share the push evenly; none: all of the body goes the same way.
        points: Vec<u32>,
        /// The whole push [N s].
        impulse: DVec3,
    },
    /// Pushes a body until the next frame.
    Force {
        /// Which.
        body: usize,
        /// Vertices that share the force evenly; none: all of the body is pulled the same way.
        points: Vec<u32>,
        /// The whole force [N].
        force: DVec3,
    },
    /// Gives a joint another motor.
    Drive {
        /// Which (index into `Scene::constraints`).
        constraint: usize,
        /// The motor; none: it has none any more.
        motor: Option<Motor>,
    },
    /// Gives a joint other limits.
    Limit {
        /// Which (index into `Scene::constraints`).
        constraint: usize,
        /// As [`Joint::limits`](super::Joint::limits); none: it has none any more.
        limits: Option<(f64, f64)>,
    },
}
