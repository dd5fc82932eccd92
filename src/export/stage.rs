//! Where cameras and lights stand, as animated formats have them.

use crate::scene::{Camera, Light, LightKind, Scene};
use glam::{DMat3, DQuat, DVec3};

/// Width of the sensor along the picture's longer side [mm].
pub(super) const SENSOR: f64 = 36.0;

/// Where something stands and how it is turned.
pub(super) type Pose = (DVec3, DQuat);

/// A camera's pose at script time `t`: it looks along its -Z, its +Y is up in the picture.
pub(super) fn camera_pose(camera: &Camera, t: f64) -> Pose {
    let sight = camera.sight_at(t);
    match &camera.clip {
        Some(clip) => clip.pose_at(t),
        None => (sight.position, looking(sight.look_at - sight.position)),
    }
}

/// The turn that brings -Z to `direction` with +Y as far up as can be; straight up or down, the
/// top of the picture is -Z.
fn looking(direction: DVec3) -> DQuat {
    let forward = direction.normalize_or(DVec3::NEG_Z);
    let right = forward
        .cross(DVec3::Y)
        .try_normalize()
        .filter(|_| forward.y.abs() < 0.999_999)
        .unwrap_or(DVec3::X);
    let up = right.cross(forward);
    DQuat::from_mat3(&DMat3::from_cols(right, up, -forward)).normalize()
}

/// A light's pose at script time `t`; none for the sky, which glTF does not know.
pub(super) fn light_pose(light: &Light, t: f64) -> Option<Pose> {
    match &light.kind {
        LightKind::Sun { direction, .. } => Some((DVec3::ZERO, looking(*direction))),
        LightKind::Area { position, look_at, .. } => {
            let position = position.at(t);
            Some((position, looking(*look_at - position)))
        }
        LightKind::Point { position, .. } => Some((position.at(t), DQuat::IDENTITY)),
        LightKind::Sky { .. } => None,
    }
}

/// Whether a light's place changes.
pub(super) fn light_moves(light: &Light) -> bool {
    match &light.kind {
        LightKind::Area { position, .. } | LightKind::Point { position, .. } => {
            !position.is_constant()
        }
        LightKind::Sun { .. } | LightKind::Sky { .. } => false,
    }
}

/// Width and height of the shot's pictures.
pub(super) fn picture(scene: &Scene) -> (f64, f64) {
    let size = scene.output.images.as_ref().map_or((960, 540), |i| (i.width, i.height));
    (f64::from(size.0.max(1)), f64::from(size.1.max(1)))
}
