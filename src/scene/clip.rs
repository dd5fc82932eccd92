//! Clips of files, which move colliders and cameras.

use crate::geometry::rig::{Hangs, Rig};
use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};

/// What moves a collider or a camera: the keys of a file, at the times of the shot. Before its first key and
/// after its last it holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Clip {
    /// Nodes, keys, and what hangs on them.
    pub rig: Rig,
    /// Script time at which it begins [s].
    pub start: f64,
    /// Seconds of the clip a second of script time; above 0.
    pub speed: f64,
    /// Seconds before script time 0 in which it comes from where the file's nodes stand without keys into the
    /// clip; 0: it is in the clip from the start.
    pub from_rest: f64,
}

impl Clip {
    /// The clip's time at script time `t`, and how much of the way to it from rest is done (0..1).
    fn when(&self, t: f64) -> (f64, f64) {
        let done =
            if self.from_rest > 0.0 { (1.0 + t / self.from_rest).clamp(0.0, 1.0) } else { 1.0 };
        ((t - self.start) * self.speed, done * done * (3.0 - 2.0 * done))
    }

    /// Whether it moves the vertices of a mesh each by itself.
    pub fn deforms(&self) -> bool {
        matches!(self.rig.hangs, Hangs::Surface(_))
    }

    /// Where it puts what hangs on it as one piece, at script time `t`: the place of its origin [m] and its
    /// turn.
    pub fn pose_at(&self, t: f64) -> (DVec3, DQuat) {
        let (time, blend) = self.when(t);
        self.rig.pose(time, blend)
    }

    /// Where it puts the vertices of the mesh that it deforms, at script time `t` [m].
    pub fn places_at(&self, vertices: &[DVec3], t: f64) -> Vec<DVec3> {
        let (time, blend) = self.when(t);
        self.rig.places(vertices, time, blend)
    }

    /// The script time up to which it moves as `other` does [s]; none if they may differ from the start.
    pub fn same_until(&self, other: &Self) -> Option<f64> {
        let same =
            (self.start, self.speed, self.from_rest) == (other.start, other.speed, other.from_rest);
        let until = self.rig.same_until(&other.rig).filter(|_| same)?;
        Some(self.start + until / self.speed)
    }
}
