//! Objects of a stage that move as its clips say: `from`, `object`, `clip` of colliders and cameras.

use super::super::invocation::raise;
use super::super::limits::VERTEX_COST;
use super::super::object::{Object, Stage};
use super::super::options::Options;
use super::super::schema::{Key, Kind, key};
use super::mesh_files::with_file;
use crate::diagnostics::{Diagnostic, nearest};
use crate::geometry::TriMesh;
use crate::geometry::read::{NodeKind, StageNode, rigged_camera, rigged_mesh};
use crate::geometry::rig::Rig;
use crate::scene::Clip;
use std::rc::Rc;

pub(super) const FROM_KEYS: &[Key] = &[
    key("from", Kind::Other("Stage"), "the stage that it is taken from"),
    key("object", Kind::Text, "name of the object in `from`"),
    key("clip", Kind::Text, "name of the clip in `from` that moves it")
        .words("none; of a run its own"),
    key("clip_start", Kind::Number, "when the clip begins; it holds before and after")
        .unit("s")
        .number(0.0),
    key("clip_speed", Kind::Number, "how many times as fast it runs").range(1e-3, 1e3).number(1.0),
];

/// The mesh of `from` and what moves it, where `from` is given.
pub(super) fn mesh_of(o: &Options) -> mlua::Result<Option<(Rc<TriMesh>, Option<Clip>)>> {
    let Some((stage, node)) = object_of(o, NodeKind::Mesh)? else { return Ok(None) };
    let named = clip_name(o, &stage)?;
    let clip = named.clone().or_else(|| stage.clips.first().filter(|_| stage.is_run).cloned());
    let file = stage.path.as_str();
    let read = with_file(o.inv, file, |bytes, shown, neighbour| {
        rigged_mesh(bytes, shown, node.node, clip.as_deref(), neighbour)
    });
    let rigged = read.map_err(|d| of_object(o, d))?;
    let count = rigged.mesh.positions.len();
    if count as u64 > o.inv.cx.limits.vertices {
        let most = o.inv.cx.limits.vertices;
        let message = format!("`{}` has {count} vertices", node.name);
        return Err(o.fault("object", message, Some(format!("at most {most} are possible"))));
    }
    o.inv.charge(count as u64 * VERTEX_COST)?;
    if let (Some(clip), None) = (&named, &rigged.rig) {
        return Err(moves_nothing(o, clip, &node.name));
    }
    let clip = rigged.rig.map(|rig| timed(o, rig, &stage)).transpose()?;
    Ok(Some((Rc::new(rigged.mesh), clip)))
}

/// The camera of `from` as a clip that moves it and its vertical angle of view [degrees], where `from` is
/// given. Without `clip` it moves as the one clip that it has keys in.
pub(super) fn camera_of(o: &Options) -> mlua::Result<Option<(Clip, f64)>> {
    let Some((stage, node)) = object_of(o, NodeKind::Camera)? else { return Ok(None) };
    let read = |clip: Option<&str>| {
        with_file(o.inv, &stage.path, |bytes, shown, neighbour| {
            rigged_camera(bytes, shown, node.node, clip, neighbour)
        })
        .map_err(|d| of_object(o, d))
    };
    let camera = match clip_name(o, &stage)? {
        Some(clip) => {
            let camera = read(Some(&clip))?;
            if camera.rig.tracks.is_empty() {
                return Err(moves_nothing(o, &clip, &node.name));
            }
            camera
        }
        None => {
            let mut found: Vec<(&str, _)> = Vec::new();
            for clip in &stage.clips {
                let camera = read(Some(clip))?;
                if !camera.rig.tracks.is_empty() {
                    found.push((clip, camera));
                }
            }
            if found.len() > 1 {
                let names: Vec<String> = found.iter().map(|(n, _)| format!("`{n}`")).collect();
                let message = format!("several clips of `{}` move `{}`", stage.path, node.name);
                let hint = format!("say which one with `clip`: {}", names.join(", "));
                return Err(o.fault("object", message, Some(hint)));
            }
            match found.pop() {
                Some((_, camera)) => camera,
                None => read(None)?,
            }
        }
    };
    Ok(Some((timed(o, camera.rig, &stage)?, camera.yfov.to_degrees())))
}

/// A rig at the times that the keys say. A run begins with its first frame, wherever in its file that lies.
fn timed(o: &Options, rig: Rig, stage: &Stage) -> mlua::Result<Clip> {
    let (mut start, speed) = (o.need_number("clip_start")?, o.need_number("clip_speed")?);
    if stage.is_run {
        let first = rig.tracks.iter().map(|track| track.times[0]).fold(f64::INFINITY, f64::min);
        start -= if first.is_finite() { first / speed } else { 0.0 };
    }
    Ok(Clip { rig, start, speed, from_rest: o.inv.shot()?.scene.timing.preroll })
}

/// What reading the file found wrong, told at the object.
fn of_object(o: &Options, mut problem: Diagnostic) -> mlua::Error {
    if let Some(place) = problem.place.take() {
        problem.message = format!("{place}: {}", problem.message);
    }
    match o.given("object") {
        Ok(true) => o.fault("object", problem.message, problem.hint),
        _ => raise(o.inv.lua, problem),
    }
}

fn moves_nothing(o: &Options, clip: &str, object: &str) -> mlua::Error {
    let hint = "leave `clip` out for what stands still";
    o.fault("clip", format!("the clip `{clip}` does not move `{object}`"), Some(hint.into()))
}

/// The stage of `from` and the node that `object` names there; none without `from`.
fn object_of(o: &Options, kind: NodeKind) -> mlua::Result<Option<(Rc<Stage>, StageNode)>> {
    let from = o.value("from")?;
    let word = o.name();
    if from.is_nil() {
        for key in ["object", "clip", "clip_start", "clip_speed"] {
            if o.given(key)? {
                let hint = "`from` is a stage of `retake.stage(path)`";
                let message = format!("`{key}` in {word} needs `from`");
                return Err(o.fault(key, message, Some(hint.into())));
            }
        }
        return Ok(None);
    }
    let Some(Object::Stage(stage)) = Object::from_value(&from) else {
        return Err(o.wrong("from", "a stage of `retake.stage`", &from));
    };
    let what = if kind == NodeKind::Camera { "camera" } else { "mesh" };
    let known = || stage.nodes.iter().filter(|n| n.kind == kind);
    let Some(name) = o.text("object")? else {
        let message = format!("`from` in {word} needs `object`");
        let names: Vec<String> = known().map(|n| format!("`{}`", n.name)).collect();
        let hint = match names.as_slice() {
            [] => format!("`{}` has no {what}", stage.path),
            names => format!("the name of a {what} in it: {}", names.join(", ")),
        };
        return Err(o.fault("from", message, Some(hint)));
    };
    if let Some(node) = known().find(|n| n.name == name) {
        let node = node.clone();
        return Ok(Some((stage, node)));
    }
    let message = format!("`{}` has no {what} called `{name}`", stage.path);
    let hint = match nearest(&name, known().map(|n| n.name.as_str())) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("`set:names{{ kind = \"{what}\" }}` tells what it has"),
    };
    Err(o.fault("object", message, Some(hint)))
}

/// `clip`, which the stage has.
fn clip_name(o: &Options, stage: &Stage) -> mlua::Result<Option<String>> {
    let Some(clip) = o.text("clip")? else {
        for key in ["clip_start", "clip_speed"] {
            if o.given(key)? && o.name() == "collider" && !stage.is_run {
                return Err(o.fault(key, format!("`{key}` in collider needs `clip`"), None));
            }
        }
        return Ok(None);
    };
    if stage.clips.contains(&clip) {
        return Ok(Some(clip));
    }
    let names: Vec<String> = stage.clips.iter().map(|n| format!("`{n}`")).collect();
    let all = names.join(", ");
    let hint = match nearest(&clip, stage.clips.iter().map(String::as_str)) {
        _ if names.is_empty() => "it has no clips".to_owned(),
        Some(near) if names.len() > 1 => format!("did you mean `{near}`? It has {all}"),
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("it has {all}"),
    };
    Err(o.fault("clip", format!("`{}` has no clip `{clip}`", stage.path), Some(hint)))
}
