//! What happened in a frame, as plain data.

use super::model::Model;
use super::state::State;
use crate::scene::world::WorldView;

/// What happened since the frame before, and the figures of the present frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrameReport {
    /// Accepted substeps.
    pub steps: u32,
    /// Rejected attempts, in order of time.
    pub retakes: Vec<StepRetake>,
    /// Events in order of time.
    pub events: Vec<StepEvent>,
    /// Touching places at the frame.
    pub contacts: u32,
    /// Smallest distance of two surfaces that may not cross [m]; infinite where none are near.
    pub closest_approach: f64,
    /// Deepest contact as a part of its contact distance.
    pub pressed_in: f64,
    /// rms stretch over all cloth edges.
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
}

/// An attempt that was thrown away.
#[derive(Clone, Debug, PartialEq)]
pub struct StepRetake {
    /// Script time at which the attempt began [s].
    pub time: f64,
    /// Indices of the bodies that went back.
    pub region: Vec<usize>,
    /// Why.
    pub reason: StepRetakeReason,
    /// Indices of the two bodies that met (or twice the same).
    pub between: [usize; 2],
    /// Step of the attempt [s].
    pub step_before: f64,
    /// Step of the next attempt [s].
    pub step_after: f64,
    /// Accepted steps that were taken back as well.
    pub steps_back: u32,
    /// Simulated time that is done again [s].
    pub seconds: f64,
}

/// Why an attempt was thrown away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "as `frames::RetakeReason`, which says it in words")]
pub enum StepRetakeReason {
    NotFinite,
    Crossed,
    ContactTooDeep,
    HeldBack,
    NotConverged,
    OverStretched,
}

/// Something worth knowing that happened.
#[derive(Clone, Debug, PartialEq)]
pub struct StepEvent {
    /// Script time [s].
    pub time: f64,
    /// What happened to what.
    pub kind: StepEventKind,
}

/// The kinds of events; numbers are indices of bodies or constraints of the scene.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the field names say which index it is")]
pub enum StepEventKind {
    /// Two bodies touched for the first time.
    FirstTouch { a: usize, b: usize },
    /// A constraint, or one pair of a stitch, broke.
    Broke { constraint: usize },
    /// A constraint was released.
    Released { constraint: usize },
    /// Points became fixed.
    Froze { constraint: usize },
    /// A given motion of a body lagged behind its keys because something was in the way.
    Pinched { body: usize },
    /// Two bodies that started too close were moved apart by so much [m].
    Separated { a: usize, b: usize, by: f64 },
}

/// The present frame as a callback may see it.
pub(super) fn view(_model: &Model, _state: &State, _report: &FrameReport) -> WorldView {
    WorldView::default()
}
