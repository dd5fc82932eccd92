//! Forces of the script.

use super::Field;
use crate::diagnostics::Place;
use crate::math::Curve;
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// A force and the bodies that it acts on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Force {
    /// Unique name (given or made: "wind 1").
    pub name: String,
    /// Script line.
    pub place: Place,
    /// Indices of the bodies it acts on, sorted; none: all that move freely.
    pub bodies: Option<Vec<usize>>,
    /// Acts from here [s].
    pub starts: Option<f64>,
    /// Acts to here [s].
    pub ends: Option<f64>,
    /// What it does.
    pub kind: ForceKind,
}

impl Force {
    /// Whether it pulls alike everywhere, whatever a body's speed but for an even drag.
    pub fn is_even(&self) -> bool {
        matches!(self.kind, ForceKind::Uniform { .. } | ForceKind::Drag { .. })
    }
}

/// The kinds of forces.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ForceKind {
    /// Moving air.
    Wind {
        /// Mean velocity of the air [m/s].
        velocity: Curve<DVec3>,
        /// Size of the gusts as a fraction of the speed.
        turbulence: f64,
        /// Length of a gust [m].
        gust_size: f64,
        /// Coefficient of pressure along the normal.
        drag: f64,
        /// Coefficient of lift across the flow.
        lift: f64,
        /// Force on each point of a cloth per speed of the air along its normal [N s/m], in place of
        /// `drag` and `lift`; none: those two.
        #[serde(default)]
        viscosity: Option<f64>,
    },
    /// The same vector everywhere.
    Uniform {
        /// Newtons by `per`.
        vector: Curve<DVec3>,
        /// What it is counted per.
        per: Per,
    },
    /// A vector that depends on place, velocity and time.
    Field {
        /// The vector.
        field: Field,
        /// What it is counted per.
        per: Per,
    },
    /// A swirl about an axis.
    Vortex {
        /// Direction of the axis, of length 1.
        axis: DVec3,
        /// A point of the axis [m].
        center: Curve<DVec3>,
        /// Acceleration at one metre from the axis [m/s2]; right-handed about the axis where positive.
        strength: Curve<f64>,
        /// Power of one over the distance with which it fades.
        falloff: f64,
    },
    /// A pull towards a point.
    Attractor {
        /// The point [m].
        center: Curve<DVec3>,
        /// Acceleration at one metre [m/s2]; negative pushes away.
        strength: Curve<f64>,
        /// Power of one over the distance with which it fades.
        falloff: f64,
    },
    /// Against the velocity.
    Drag {
        /// Force per mass and speed [1/s].
        linear: f64,
    },
}

/// What a force is counted per.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Per {
    /// Newtons on every vertex.
    Point,
    /// Newtons on every body, shared out by mass.
    Body,
    /// Newtons a kilogram.
    Mass,
}
