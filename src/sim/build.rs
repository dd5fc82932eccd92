//! Scene to model and state.

use super::Simulation;
use super::model::Model;
use super::report::FrameReport;
use super::state::State;
use crate::diagnostics::Diagnostic;
use crate::scene::Scene;

/// A simulation at its start, and what the person should know about it.
pub struct Started {
    /// The simulation.
    pub simulation: Simulation,
    /// Warnings.
    pub warnings: Vec<Diagnostic>,
}

pub(super) fn start(scene: &Scene) -> Result<Started, Vec<Diagnostic>> {
    let mut positions = Vec::new();
    let mut velocities = Vec::new();
    for (i, body) in scene.bodies.iter().enumerate() {
        let mesh = scene.mesh_of(i);
        let (t, r) = body.pose_at(-scene.timing.preroll);
        positions.push(mesh.positions.iter().map(|p| r * *p + t).collect());
        velocities.push(vec![body.velocity; mesh.positions.len()]);
    }
    let state = State { frame: scene.timing.start_frame, time: 0.0, positions, velocities };
    let simulation =
        Simulation { model: Model { scene: scene.clone() }, state, report: FrameReport::default() };
    Ok(Started { simulation, warnings: Vec::new() })
}
