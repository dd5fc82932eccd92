//! Where a rigid shape is.

use crate::scene::Scene;
use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};

/// `world = rotation * mesh + translation`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Pose {
    /// World position of the mesh's origin [m].
    pub(crate) translation: DVec3,
    /// Unit quaternion from the mesh's frame to the world's.
    pub(crate) rotation: DQuat,
}

impl Pose {
    /// The world's own frame.
    pub(crate) const WORLD: Self = Self { translation: DVec3::ZERO, rotation: DQuat::IDENTITY };

    /// Where the curves of body `index` put it at script time `time` [s].
    pub(crate) fn given(scene: &Scene, index: usize, time: f64) -> Self {
        let (translation, rotation) = scene.bodies[index].pose_at(time);
        Self { translation, rotation }
    }

    /// Where body `index` is when the simulation begins, before the first frame where there is a preroll.
    pub(crate) fn at_start(scene: &Scene, index: usize) -> Self {
        Self::given(scene, index, 0.0 - scene.timing.preroll)
    }

    /// The world position of the mesh's point `p` [m].
    #[inline]
    pub(crate) fn place(&self, p: DVec3) -> DVec3 {
        self.rotation * p + self.translation
    }

    /// The mesh's point at the world position `p` [m].
    pub(crate) fn local(&self, p: DVec3) -> DVec3 {
        self.rotation.inverse() * (p - self.translation)
    }

    /// The pose at `fraction` of the way to `other`: the mesh's point `pivot` goes straight, all else turns
    /// about it the shorter way. No point of it goes farther than [`Pose::way`].
    pub(crate) fn toward(&self, other: &Self, fraction: f64, pivot: DVec3) -> Self {
        let far = if self.rotation.dot(other.rotation) < 0.0 { -1.0 } else { 1.0 };
        let rotation =
            (self.rotation * (1.0 - fraction) + other.rotation * (far * fraction)).normalize();
        let place = self.place(pivot).lerp(other.place(pivot), fraction);
        Self { translation: place - rotation * pivot, rotation }
    }

    /// The farthest that the mesh's point `p` may be from its start anywhere on the way to `other` [m]: the way
    /// of the pivot, and the chord of its turn about it.
    pub(crate) fn way(&self, other: &Self, pivot: DVec3, p: DVec3) -> f64 {
        let turn = (self.rotation.inverse() * other.rotation).xyz().length();
        self.place(pivot).distance(other.place(pivot)) + 2.0 * turn * p.distance(pivot)
    }
}
