//! `retake check`, `retake params`, `retake scene`.

use crate::cli::args::{BuildArgs, Talk};
use crate::cli::exit::{Exit, refused};
use crate::cli::table::table;
use crate::cli::{snippet, terminal, values};
use crate::production::json::sorted_text;
use crate::production::{Loaded, Project, load, parameters};
use crate::scene::{BodyKind, ConstraintKind, Scene};
use crate::sim::Simulation;
use serde_json::Value;
use std::fmt::Write as _;

fn build(args: &BuildArgs) -> Result<Loaded, Exit> {
    let root = Project::of(&args.script).ok().map(|p| p.root);
    values::source(args).and_then(|s| load(&s)).map_err(|p| refused(&p, root.as_deref()))
}

/// Builds the scene, checks it, tells what it holds.
pub(in crate::cli) fn check(args: &BuildArgs, talk: &Talk) -> Exit {
    let loaded = match build(args) {
        Ok(loaded) => loaded,
        Err(exit) => return exit,
    };
    let root = Some(loaded.project.root.as_path());
    for line in &loaded.printed {
        terminal::err(&format!("{line}\n"));
    }
    let mut warnings = loaded.warnings.clone();
    match Simulation::start(&loaded.scene) {
        Ok(started) => warnings.extend(started.warnings),
        Err(problems) => return refused(&problems, root),
    }
    if !talk.quiet {
        snippet::print_all(&warnings, root);
    }
    terminal::out(&contents(&loaded.scene));
    Exit::Done
}

/// What a scene holds, as text.
fn contents(scene: &Scene) -> String {
    let t = &scene.timing;
    let fps = f64::from(t.fps.0) / f64::from(t.fps.1);
    let mut text = format!(
        "{}: frames {} to {} at {fps} frames/s, {:.2} s\n",
        scene.name,
        t.start_frame,
        t.last_frame(),
        f64::from(t.frames) * t.frame_dt()
    );
    let head = ["body", "kind", "vertices", "triangles", "freedom", "size [m]"];
    let mut rows: Vec<Vec<String>> = vec![head.iter().map(ToString::to_string).collect()];
    for (i, body) in scene.bodies.iter().enumerate() {
        let mesh = scene.mesh_of(i);
        let (low, high) = mesh.bounds();
        let size = high - low;
        let kind = match body.kind {
            BodyKind::Cloth(_) => "cloth".to_owned(),
            BodyKind::Soft(_) => {
                let cells = scene.cage_of(i).unwrap_or(mesh).tets.len();
                format!("soft body, {cells} tetrahedra")
            }
            BodyKind::Rigid(_) => "rigid body".to_owned(),
            BodyKind::Rope(_) => "rope".to_owned(),
            BodyKind::Collider if body.deforming().is_some() => "animated collider".to_owned(),
            BodyKind::Collider if body.is_moved() => "moved collider".to_owned(),
            BodyKind::Collider => "collider".to_owned(),
        };
        rows.push(vec![
            body.name.clone(),
            kind,
            mesh.positions.len().to_string(),
            mesh.triangles.len().to_string(),
            freedom(scene, i).to_string(),
            format!("{:.3} x {:.3} x {:.3}", size.x, size.y, size.z),
        ]);
    }
    text += &table(&rows);
    let all: usize = (0..scene.bodies.len()).map(|i| freedom(scene, i)).sum();
    let _ = writeln!(text, "{all} degrees of freedom, before constraints");
    for c in &scene.constraints {
        let what = match &c.kind {
            ConstraintKind::Pin { points, .. } => {
                format!("pin of {} points", points.iter().map(|p| p.vertices.len()).sum::<usize>())
            }
            ConstraintKind::Attach { .. } => "attachment".into(),
            ConstraintKind::Stitch { pairs, .. } => format!("stitch of {} pairs", pairs.len()),
            ConstraintKind::Tether { .. } => "held to a place of the world".into(),
            ConstraintKind::Freeze { .. } => "freeze".into(),
            ConstraintKind::Joint(_) => "joint".into(),
            ConstraintKind::Carry { .. } => "driven".into(),
        };
        let _ = writeln!(text, "{}: {what}", c.name);
    }
    for force in &scene.forces {
        let _ = writeln!(text, "{}: force", force.name);
    }
    let named = |names: Vec<&str>| if names.is_empty() { "none".into() } else { names.join(", ") };
    let _ = writeln!(
        text,
        "cameras: {}; lights: {}; measures: {}",
        named(scene.cameras.iter().map(|c| c.name.as_str()).collect()),
        named(scene.lights.iter().map(|l| l.name.as_str()).collect()),
        named(scene.measures.iter().map(|m| m.name.as_str()).collect()),
    );
    text
}

/// Degrees of freedom of a body before constraints: three a point of what deforms, six of a rigid body,
/// none of what the script moves.
fn freedom(scene: &Scene, body: usize) -> usize {
    match scene.bodies[body].kind {
        BodyKind::Cloth(_) | BodyKind::Rope(_) | BodyKind::Soft(_) => {
            3 * scene.cage_of(body).unwrap_or(scene.mesh_of(body)).positions.len()
        }
        BodyKind::Rigid(_) => 6,
        BodyKind::Collider => 0,
    }
}

/// Lists the script's parameters.
pub(in crate::cli) fn params(args: &BuildArgs, as_json: bool) -> Exit {
    let root = Project::of(&args.script).ok().map(|p| p.root);
    let list = match values::source(args).and_then(|s| parameters(&s)) {
        Ok(list) => list,
        Err(problems) => return refused(&problems, root.as_deref()),
    };
    if as_json {
        let json = serde_json::to_value(&list).expect("parameters are plain data");
        terminal::out(&sorted_text(&json));
        return Exit::Done;
    }
    if list.is_empty() {
        terminal::out("no parameters\n");
        return Exit::Done;
    }
    let head = ["name", "value", "range", "unit", "help"];
    let mut rows: Vec<Vec<String>> = vec![head.iter().map(ToString::to_string).collect()];
    let text = |v: &Value| v.as_str().map_or_else(|| v.to_string(), str::to_owned);
    for p in &list {
        let range = match (&p.choices, p.min, p.max) {
            (Some(choices), ..) => choices.iter().map(text).collect::<Vec<_>>().join(" | "),
            (None, Some(low), Some(high)) => format!("{low} to {high}"),
            (None, Some(low), None) => format!("from {low}"),
            (None, None, Some(high)) => format!("to {high}"),
            (None, None, None) => String::new(),
        };
        rows.push(vec![p.name.clone(), text(&p.value), range, p.unit.clone(), p.help.clone()]);
    }
    terminal::out(&table(&rows));
    Exit::Done
}

/// Prints the scene as JSON.
pub(in crate::cli) fn scene(args: &BuildArgs) -> Exit {
    match build(args) {
        Ok(loaded) => {
            let json = serde_json::to_string(&loaded.scene).expect("a scene is plain data");
            terminal::out(&format!("{json}\n"));
            Exit::Done
        }
        Err(exit) => exit,
    }
}
