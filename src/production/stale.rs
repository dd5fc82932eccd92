//! What an edit makes stale: two scenes are compared by what the motion depends on.

use crate::diagnostics::Place;
use crate::frames::first_change;
use crate::scene::{Look, Output, Scene, Source};
use serde::Serialize;

/// blake3 of the scene as JSON, as hex.
pub(super) fn scene_hash(scene: &Scene) -> String {
    blake3::hash(&to_json(scene)).to_hex().to_string()
}

fn to_json(plain: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(plain).expect("a scene is plain data")
}

/// Hash of what the frames depend on: not of outputs (but for the samples a frame), cameras, lights, looks, measures, or the
/// number of frames. Callbacks count by what they are.
pub(super) fn motion_hash(scene: &Scene) -> String {
    let json = to_json(&motion_part(scene));
    let mut hash = blake3::Hasher::new();
    hash.update(env!("CARGO_PKG_VERSION").as_bytes()).update(&[0]).update(&json);
    hash.finalize().to_hex().to_string()
}

/// Hash of what pictures and exports depend on beside the frames themselves. Picture files count by what
/// they hold and are called, wherever they lie.
pub(super) fn look_hash(scene: &Scene) -> String {
    scene_hash(&look_part(scene))
}

/// Which functions take the measures of `scene`, as one number, beside what the frames depend on; empty without any.
pub(super) fn measures_hash(scene: &Scene) -> String {
    if scene.measures.is_empty() {
        return String::new();
    }
    let measures: Vec<_> = scene.measures.iter().map(|m| (&m.name, &m.function)).collect();
    // They may call bodies by their groups.
    let groups: Vec<_> = scene.bodies.iter().map(|b| &b.group).collect();
    blake3::hash(&to_json(&(measures, groups))).to_hex().chars().take(16).collect()
}

/// What pictures and exports depend on.
pub(super) fn look_part(scene: &Scene) -> Scene {
    let mut scene = scene.clone();
    scene.source = Source::default();
    scene.output = samples_alone(&scene.output);
    scene.measures.clear();
    forget_places(&mut scene);
    for picture in scene.pictures_mut() {
        picture.path = picture.file_name().to_owned();
    }
    scene
}

/// The last frame of `old` that is a frame of `new` too; none if there is none.
pub(super) fn last_common_frame(old: &Scene, new: &Scene) -> Option<i32> {
    let until = first_change(&motion_part(old), &motion_part(new))?;
    let t = &new.timing;
    // A frame that ends before the change may have looked one frame ahead.
    (t.start_frame..=t.last_frame()).take_while(|n| t.script_time(n + 1) <= until).last()
}

/// What frames depend on; see [`motion_hash`].
pub(super) fn motion_part(scene: &Scene) -> Scene {
    let mut part = scene.clone();
    part.source =
        Source { callbacks: std::mem::take(&mut part.source.callbacks), ..Source::default() };
    part.measures.clear();
    part.name.clear();
    part.timing.frames = 0;
    part.output = samples_alone(&part.output);
    part.cameras.clear();
    part.lights.clear();
    forget_places(&mut part);
    for body in &mut part.bodies {
        body.look = Look::default();
        // Callbacks may call bodies by their groups.
        if part.callbacks == 0 {
            body.group = None;
        }
        body.visible = true;
        body.exports = true;
    }
    // The rate says how functions were sampled; what counts are the samples.
    part.timing.curve_rate = 0.0;
    part
}

/// What of the output decides how a shot is solved.
fn samples_alone(output: &Output) -> Output {
    Output { subframes: output.subframes, ..Output::default() }
}

fn forget_places(scene: &mut Scene) {
    for body in &mut scene.bodies {
        body.place = Place::default();
    }
    for constraint in &mut scene.constraints {
        constraint.place = Place::default();
    }
    for force in &mut scene.forces {
        force.place = Place::default();
    }
    for pair in &mut scene.contact_pairs {
        pair.place = Place::default();
    }
    for camera in &mut scene.cameras {
        camera.place = Place::default();
    }
    for light in &mut scene.lights {
        light.place = Place::default();
    }
}
