//! Cameras and lights. What glTF cannot say of them (lens in motion, focus, the size of a lamp, the
//! sky) is set by the import script.

use super::buffer::{File, extras};
use crate::scene::{Camera, Light, LightKind, Scene};
use glam::{DMat3, DQuat, DVec3};
use gltf::json::camera::{Perspective, Type};
use gltf::json::extensions::root::{KhrLightsPunctual as Lights, Root as RootExtensions};
use gltf::json::extensions::scene::Node as NodeExtensions;
use gltf::json::extensions::scene::khr_lights_punctual as punctual;
use gltf::json::scene::UnitQuaternion;
use gltf::json::validation::Checked;
use gltf::json::{Index, Node};
use std::f64::consts::PI;

/// Width of the sensor along the picture's longer side [mm].
const SENSOR: f64 = 36.0;
/// Lumens a watt, as Blender counts them in both directions.
const LUMENS: f64 = 683.0;

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

/// A node at a pose.
pub(super) fn placed(name: &str, kind: &str, (position, turn): Pose) -> Node {
    Node {
        name: Some(name.to_owned()),
        extras: extras(&[(kind, name)]),
        translation: Some(position.as_vec3().to_array()),
        rotation: Some(UnitQuaternion(turn.as_quat().to_array())),
        ..Node::default()
    }
}

/// Width and height of the shot's pictures.
fn picture(scene: &Scene) -> (f64, f64) {
    let size = scene.output.images.as_ref().map_or((960, 540), |i| (i.width, i.height));
    (f64::from(size.0.max(1)), f64::from(size.1.max(1)))
}

/// A camera as it is at script time `t`.
pub(super) fn camera(file: &mut File, scene: &Scene, camera: &Camera, t: f64) -> Index<Node> {
    let (width, height) = picture(scene);
    let half = 0.5 * SENSOR / camera.lens.at(t) * height / width.max(height);
    let index = file.root.push(gltf::json::Camera {
        name: Some(camera.name.clone()),
        orthographic: None,
        perspective: Some(Perspective {
            aspect_ratio: Some((width / height) as f32),
            yfov: (2.0 * libm::atan(half)) as f32,
            zfar: Some(1000.0),
            znear: 0.01,
            extensions: None,
            extras: None,
        }),
        type_: Checked::Valid(Type::Perspective),
        extensions: None,
        extras: None,
    });
    let node = placed(&camera.name, "retake_camera", camera_pose(camera, t));
    file.root.push(Node { camera: Some(index), ..node })
}

/// A light as it is at script time `t`; an area light is a spot of a half-space.
pub(super) fn light(file: &mut File, light: &Light, t: f64) -> Option<Index<Node>> {
    let pose = light_pose(light, t)?;
    let strength = light.strength.at(t).max(0.0);
    let (type_, intensity, spot) = match &light.kind {
        LightKind::Sun { .. } => (punctual::Type::Directional, strength * LUMENS, None),
        LightKind::Point { .. } => (punctual::Type::Point, strength * LUMENS / (4.0 * PI), None),
        LightKind::Area { .. } => {
            let cone = punctual::Spot {
                inner_cone_angle: 0.0,
                // Just below the half of a half turn, which f32 does not hit.
                outer_cone_angle: 1.57,
            };
            (punctual::Type::Spot, strength * LUMENS / PI, Some(cone))
        }
        LightKind::Sky { .. } => return None,
    };
    file.uses("KHR_lights_punctual");
    let lights = file
        .root
        .extensions
        .get_or_insert_with(RootExtensions::default)
        .khr_lights_punctual
        .get_or_insert_with(Lights::default);
    let index = Index::push(
        &mut lights.lights,
        punctual::Light {
            color: light.color.0.map(|c| c.clamp(0.0, 1.0) as f32),
            extensions: None,
            extras: None,
            intensity: intensity as f32,
            name: Some(light.name.clone()),
            range: None,
            spot,
            type_: Checked::Valid(type_),
        },
    );
    let extensions = NodeExtensions {
        khr_lights_punctual: Some(punctual::KhrLightsPunctual { light: index }),
        ..NodeExtensions::default()
    };
    let node = placed(&light.name, "retake_light", pose);
    Some(file.root.push(Node { extensions: Some(extensions), ..node }))
}
