//! Cameras and lights. What glTF cannot say of them (lens in motion, focus, the size of a lamp, the
//! sky) is set by the import script.

use super::buffer::{File, extras};
use crate::export::stage::{Pose, SENSOR, camera_pose, light_pose, picture};
use crate::scene::{Camera, Light, LightKind, Scene};
use gltf::json::camera::{Perspective, Type};
use gltf::json::extensions::root::{KhrLightsPunctual as Lights, Root as RootExtensions};
use gltf::json::extensions::scene::Node as NodeExtensions;
use gltf::json::extensions::scene::khr_lights_punctual as punctual;
use gltf::json::scene::UnitQuaternion;
use gltf::json::validation::Checked;
use gltf::json::{Index, Node};
use std::f64::consts::PI;

/// Lumens a watt, as Blender counts them in both directions.
const LUMENS: f64 = 683.0;

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
