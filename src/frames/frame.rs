//! One frame as plain data.

use crate::scene::Scene;
use glam::{DQuat, DVec3, Vec3};
use serde::{Deserialize, Serialize};

/// One stored frame of a shot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// Frame number (`start_frame` is the start state).
    pub number: i32,
    /// Script time [s].
    pub time: f64,
    /// In the order of `Scene::bodies`.
    pub bodies: Vec<BodyState>,
    /// Numbers of the frame.
    pub figures: Figures,
    /// What was solved apart since the frame before, in order of the lowest body.
    pub regions: Vec<Region>,
    /// Retakes since the frame before.
    pub retakes: Vec<Retake>,
    /// First touches, breaks, releases, freezes, lags since the frame before.
    pub events: Vec<Event>,
    /// blake3 of the engine's exact state at this frame.
    pub state_hash: [u8; 32],
    /// Where the bodies were at even times since the frame before, in order of time, where the shot asks for several
    /// samples a frame. The store keeps them behind the frame.
    #[serde(skip)]
    pub samples: Vec<Sample>,
}

/// Where all bodies are at a moment between two frames.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Script time [s].
    pub time: f64,
    /// In the order of `Scene::bodies`.
    pub bodies: Vec<BodyState>,
}

/// Where a body is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BodyState {
    /// World positions of all vertices, in the mesh's order [m].
    Deformed {
        /// The positions.
        positions: Vec<[f32; 3]>,
    },
    /// The mesh as one piece: `world = rotation * mesh + translation`.
    Posed {
        /// Translation [m].
        translate: [f32; 3],
        /// Unit quaternion x, y, z, w.
        rotate: [f32; 4],
    },
}

impl BodyState {
    /// The places that are stored of it [m].
    pub(crate) fn places(&self) -> &[[f32; 3]] {
        match self {
            Self::Deformed { positions } => positions,
            Self::Posed { translate, .. } => std::slice::from_ref(translate),
        }
    }

    /// World positions of the body's vertices as f32, exactly as every exporter writes and the
    /// certificate checks them. `mesh` are the mesh's own positions.
    pub fn world_positions(&self, mesh: &[DVec3]) -> Vec<[f32; 3]> {
        match self {
            Self::Deformed { positions } => positions.clone(),
            Self::Posed { translate, rotate } => {
                let (t, r) = (Vec3::from_array(*translate).as_dvec3(), rotation(*rotate));
                mesh.iter().map(|p| (r * *p + t).as_vec3().to_array()).collect()
            }
        }
    }
}

/// The unit quaternion of stored components.
fn rotation(xyzw: [f32; 4]) -> DQuat {
    DQuat::from_array(xyzw.map(f64::from)).normalize()
}

/// Numbers of a frame.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// Accepted substeps since the frame before.
    pub steps: u32,
    /// Rejected attempts since the frame before.
    pub retakes: u32,
    /// Touching places at the frame.
    pub contacts: u32,
    /// Smallest distance of two surfaces that may not cross [m]; infinite values are stored as none.
    pub closest_approach: Option<f64>,
    /// Deepest contact as a part of its contact distance (0: nowhere pressed in).
    pub pressed_in: f64,
    /// rms stretch over all cloth edges (0.01 is one per cent).
    pub rms_stretch: f64,
    /// Largest stretch of a cloth edge.
    pub max_stretch: f64,
    /// Speed of the fastest cloth vertex [m/s].
    pub fastest: f64,
    /// Kinetic energy [J].
    pub kinetic: f64,
    /// Elastic energy [J].
    pub elastic: f64,
    /// Linear momentum [kg m/s].
    pub momentum: [f64; 3],
    /// Of the method "shape_matching", summed over the steps since the frame before: vertices that might be
    /// in another body, faces that they came out at, cells with such a vertex, and vertices in them.
    pub overlaps: [u64; 4],
    /// Values of the script's measures, in the order of `Scene::measures`.
    pub measures: Vec<f64>,
}

/// Bodies that were solved together, apart from the others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Region {
    /// Indices of those that are free to move, rising.
    pub bodies: Vec<usize>,
    /// Accepted substeps.
    pub steps: u32,
    /// Rejected attempts, and how often it was done again with what it met.
    pub retakes: u32,
    /// Speed of its fastest point at the frame [m/s].
    pub fastest: f64,
}

/// An attempt that was thrown away, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Retake {
    /// Frame that was being made.
    pub frame: i32,
    /// Script time at which the attempt began [s].
    pub time: f64,
    /// Names of the bodies that went back in time.
    pub region: Vec<String>,
    /// Why.
    pub reason: RetakeReason,
    /// The two things that met (or twice the same).
    pub between: [String; 2],
    /// Step of the attempt [s].
    pub step_before: f64,
    /// Step of the next attempt [s].
    pub step_after: f64,
    /// Accepted steps that were taken back as well.
    pub steps_back: u32,
    /// Simulated time that is done again [s], up to the end of the attempt.
    pub seconds: f64,
}

/// Why an attempt was thrown away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RetakeReason {
    /// A number was not finite.
    NotFinite,
    /// Two surfaces crossed or came below the floor distance.
    Crossed,
    /// A contact was pressed in deeper than the tolerance.
    ContactTooDeep,
    /// The guard stopped a vertex before it reached where the solution wanted it.
    HeldBack,
    /// The solution had not settled.
    NotConverged,
    /// Bodies that were solved apart came near each other.
    Met,
}

impl RetakeReason {
    /// The reason as a person reads it.
    pub fn text(self) -> &'static str {
        match self {
            Self::NotFinite => "a number was not finite",
            Self::Crossed => "surfaces crossed",
            Self::ContactTooDeep => "contact too deep",
            Self::HeldBack => "held back by the guard",
            Self::NotConverged => "not converged",
            Self::Met => "met what was solved apart",
        }
    }
}

/// Something worth knowing that happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Script time [s].
    pub time: f64,
    /// What happened.
    pub kind: EventKind,
    /// Names of the bodies or constraints concerned.
    pub names: Vec<String>,
}

/// The kinds of events.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    /// Two bodies touched for the first time.
    FirstTouch,
    /// A constraint, or one pair of a stitch, broke.
    Broke,
    /// A constraint was released.
    Released,
    /// Points became fixed.
    Froze,
    /// A given motion lagged behind its keys because something was in the way.
    Pinched,
    /// A substep was taken as it was, since neither shorter substeps nor steps back mended it.
    Unresolved(RetakeReason),
    /// Two bodies cross in this frame (only where the guard lets them).
    Crossed,
    /// Bodies that started too close were moved apart by so much [m].
    Separated(f64),
    /// A message of the script (`world:event`).
    Script(String),
    /// A collider that its clip deforms gave way to what it pinches.
    GaveWay {
        /// The place [m].
        at: [f64; 3],
        /// How far it is from where its clip has it [m].
        by: f64,
    },
    /// Stitches that should close are held open by pins, contacts or other stitches.
    HeldOpen,
}

impl EventKind {
    /// What happened as a person reads it.
    pub fn text(&self) -> String {
        match self {
            Self::FirstTouch => "first touch".into(),
            Self::Broke => "broke".into(),
            Self::Released => "released".into(),
            Self::Froze => "froze".into(),
            Self::HeldOpen => "held open by pins, contacts or other stitches".into(),
            Self::Pinched => "waited for what was in its way".into(),
            Self::Unresolved(reason) => format!("left unresolved: {}", reason.text()),
            Self::Crossed => "crossed".into(),
            Self::Separated(by) => format!("moved apart at the start by {:.3} mm", 1000.0 * by),
            Self::Script(text) => text.clone(),
            Self::GaveWay { by, .. } => {
                format!("gave way to what it pinches by {:.3} mm", 1000.0 * by)
            }
        }
    }
}

impl Frame {
    /// Whether it and its samples have the bodies of `scene`, and of those that deform all vertices.
    pub fn is_of(&self, scene: &Scene) -> bool {
        let fits = |(i, state): (usize, &BodyState)| match state {
            BodyState::Deformed { positions } => {
                positions.len() == scene.mesh_of(i).positions.len()
            }
            BodyState::Posed { .. } => true,
        };
        let all = |bodies: &Vec<BodyState>| {
            bodies.len() == scene.bodies.len() && bodies.iter().enumerate().all(fits)
        };
        all(&self.bodies) && self.samples.iter().all(|sample| all(&sample.bodies))
    }

    /// World positions of body `body`, as stored: see [`BodyState::world_positions`].
    pub fn world_positions(&self, scene: &Scene, body: usize) -> Vec<[f32; 3]> {
        self.bodies[body].world_positions(&scene.mesh_of(body).positions)
    }
}
