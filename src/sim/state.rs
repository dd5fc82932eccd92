//! Everything that the future depends on, and nothing else.

use super::BodyPose;
use super::model::Model;
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// Everything that the future depends on.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct State {
    pub(super) frame: i32,
    pub(super) time: f64,
    pub(super) positions: Vec<Vec<DVec3>>,
    pub(super) velocities: Vec<Vec<DVec3>>,
}

impl State {
    pub(super) fn body(&self, model: &Model, index: usize) -> BodyPose<'_> {
        let body = &model.scene.bodies[index];
        if body.cloth().is_some() {
            BodyPose::Deformed(&self.positions[index])
        } else {
            let (t, r) = body.pose_at(self.time);
            BodyPose::Posed(t, r)
        }
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        postcard::to_stdvec(self).expect("plain data always serialises")
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        postcard::from_bytes(bytes).map_err(|e| e.to_string())
    }
}
