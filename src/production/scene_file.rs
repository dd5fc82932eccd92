//! Scenes given as JSON: they come from outside, so every reference in them is checked before
//! anything relies on it.

use crate::diagnostics::{Diagnostic, Place};
use crate::math::{Curve, CurveValue};
use crate::scene::{
    Anchor, Body, Constraint, ConstraintKind, Output, Points, SCENE_VERSION, Scene, Sheet,
    VertexMap,
};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Reads and checks a scene file.
pub(super) fn read(path: &Path) -> Result<Scene, Vec<Diagnostic>> {
    let place = |line: usize| Place::new(path.display().to_string(), line as u32);
    let bytes = fs::read(path).map_err(|e| {
        vec![Diagnostic::error(format!("the scene cannot be read: {e}")).at(place(0))]
    })?;
    // The version is looked at first: another one makes every other message misleading.
    let version = serde_json::from_slice::<Version>(&bytes).ok().map(|v| v.version);
    if let Some(version) = version.filter(|v| *v != SCENE_VERSION) {
        return Err(vec![
            Diagnostic::error(format!(
                "the scene has format {version}, this program reads {SCENE_VERSION}"
            ))
            .at(place(0))
            .hint("write it again with `retake scene`"),
        ]);
    }
    let scene: Scene = serde_json::from_slice(&bytes)
        .map_err(|e| vec![Diagnostic::error(format!("not a scene: {e}")).at(place(e.line()))])?;
    let problems = problems(&scene);
    if problems.is_empty() {
        return Ok(scene);
    }
    Err(problems.into_iter().map(|p| Diagnostic::error(p).at(place(0))).collect())
}

#[derive(serde::Deserialize)]
struct Version {
    version: u32,
}

/// What in `scene` refers to nothing or cannot be.
fn problems(scene: &Scene) -> Vec<String> {
    let mut p = Vec::new();
    if !is_file_safe(&scene.name) {
        p.push(format!("`name` \"{}\" is not file-safe", scene.name));
    }
    timing(scene, &mut p);
    for (i, mesh) in scene.meshes.iter().enumerate() {
        let count = mesh.positions.len();
        if mesh.triangles.iter().flatten().any(|v| *v as usize >= count) {
            p.push(format!("meshes[{i}]: a triangle names a vertex that is not there"));
        }
        if mesh.positions.iter().any(|v| !v.is_finite()) {
            p.push(format!("meshes[{i}]: a position is not finite"));
        }
        if !(mesh.uvs.is_empty() || mesh.uvs.len() == count)
            || mesh.maps.values().any(|m| m.len() != count)
        {
            p.push(format!("meshes[{i}]: uvs and maps need one value a vertex"));
        }
        if mesh.grid.is_some_and(|(c, r)| (c as usize).checked_mul(r as usize) != Some(count)) {
            p.push(format!("meshes[{i}]: `grid` does not fit the number of vertices"));
        }
    }
    curve("gravity", &scene.gravity, &mut p);
    let mut names = BTreeSet::new();
    for (i, b) in scene.bodies.iter().enumerate() {
        if !is_file_safe(&b.name) || !names.insert(b.name.as_str()) {
            p.push(format!("bodies[{i}]: `name` \"{}\" is not file-safe and unique", b.name));
        }
        if b.mesh < scene.meshes.len() {
            body(scene, b, &mut p);
        } else {
            p.push(format!("bodies[{i}]: there is no mesh {}", b.mesh));
        }
    }
    if !p.is_empty() {
        // What follows looks into bodies and their meshes.
        return p;
    }
    for c in &scene.constraints {
        constraint(scene, c, &mut p);
    }
    let bodies = scene.bodies.len();
    let missing = |list: &[usize]| list.iter().any(|i| *i >= bodies);
    if scene.forces.iter().any(|f| f.bodies.as_deref().is_some_and(missing)) {
        p.push("forces: a force names a body that is not there".into());
    }
    if scene.contact_pairs.iter().any(|c| missing(&c.a) || missing(&c.b)) {
        p.push("contact_pairs: a pair names a body that is not there".into());
    }
    output(&scene.output, &mut p);
    p
}

fn timing(scene: &Scene, p: &mut Vec<String>) {
    let t = &scene.timing;
    if t.fps.0 == 0 || t.fps.1 == 0 {
        p.push("timing: `fps` must be positive".into());
    }
    if t.frames > 1_000_000 || t.start_frame.abs() > 1_000_000 {
        p.push("timing: no shot has more than a million frames".into());
    }
    if !(t.preroll >= 0.0 && t.preroll.is_finite()) {
        p.push("timing: `preroll` must not be negative".into());
    }
    curve("timing.speed", &t.speed, p);
    let s = &scene.solver;
    let steps = [Some(s.min_step), s.step, s.fixed_step];
    if steps.into_iter().flatten().any(|h| !(h > 0.0 && h.is_finite())) {
        p.push("solver: steps must be positive".into());
    }
}

fn body(scene: &Scene, b: &Body, p: &mut Vec<String>) {
    let count = scene.meshes[b.mesh].positions.len();
    let at = |key: &str| format!("body \"{}\": `{key}`", b.name);
    curve(&at("translate"), &b.translate, p);
    curve(&at("rotate"), &b.rotate, p);
    for (key, values) in [("friction", &b.friction), ("thickness", &b.thickness)] {
        if let Some(values) = values {
            map(&at(key), values, count, p);
        }
    }
    if let Some(cloth) = b.cloth() {
        let m = &cloth.material;
        curve(&at("shrink"), &cloth.shrink, p);
        let maps = [&m.young, &m.young_weft, &m.poisson, &m.shear, &m.bend, &m.bend_weft];
        for values in maps.into_iter().chain([&m.density]) {
            map(&at("material"), values, count, p);
        }
    }
}

fn constraint(scene: &Scene, c: &Constraint, p: &mut Vec<String>) {
    let at = |what: &str| format!("constraint \"{}\": {what}", c.name);
    let count = |body: usize| scene.bodies.get(body).map(|_| scene.mesh_of(body).positions.len());
    let has = |body: usize, v: u32| count(body).is_some_and(|n| (v as usize) < n);
    let wrong = |points: &[Points]| {
        points
            .iter()
            .any(|q| q.vertices.iter().any(|v| !has(q.body, *v)) || count(q.body).is_none())
    };
    let off = |a: &Anchor| a.vertices.iter().any(|v| !has(a.body, *v));
    let held = match &c.kind {
        ConstraintKind::Pin { points, motion } => {
            curve(&at("`translate`"), &motion.translate, p);
            curve(&at("`rotate`"), &motion.rotate, p);
            curve(&at("`scale`"), &motion.scale, p);
            points
        }
        ConstraintKind::Freeze { points, .. } => points,
        ConstraintKind::Attach { points, to } => {
            if count(*to).is_none() {
                p.push(at("there is no such body to ride on"));
            }
            points
        }
        ConstraintKind::Stitch { pairs, .. } => {
            if pairs.iter().any(|pair| off(&pair.a) || off(&pair.b)) {
                p.push(at("a place names a vertex that is not there"));
            }
            return;
        }
    };
    if wrong(held) {
        p.push(at("it names a point that is not there"));
    }
    if let Some(weight) = &c.weight {
        map(&at("`weight`"), weight, held.iter().map(|q| q.vertices.len()).sum(), p);
    }
    if let Some(stiffness) = &c.stiffness {
        curve(&at("`stiffness`"), stiffness, p);
    }
}

fn output(output: &Output, p: &mut Vec<String>) {
    if let Some(images) = &output.images {
        let sizes = [images.width, images.height, images.samples, images.every];
        if sizes.contains(&0) || images.width > 32_768 || images.height > 32_768 {
            p.push("output.images: sizes must be positive, and at most 32768".into());
        }
    }
    if let Sheet::Count(count) = output.sheet
        && count > 1000
    {
        p.push("output.sheet: at most 1000 pictures".into());
    }
}

fn curve<T: CurveValue>(what: &str, curve: &Curve<T>, p: &mut Vec<String>) {
    let sound = match curve {
        Curve::Constant(_) => true,
        Curve::Keys { keys, .. } => {
            !keys.is_empty() && keys.windows(2).all(|w| w[0].time < w[1].time)
        }
        Curve::Samples { rate, values, .. } => !values.is_empty() && *rate > 0.0,
    };
    if !sound {
        p.push(format!("{what}: a curve needs values at rising times"));
    }
}

fn map(what: &str, values: &VertexMap, count: usize, p: &mut Vec<String>) {
    if let VertexMap::PerVertex(values) = values
        && values.len() != count
    {
        p.push(format!("{what}: {} values for {count} points", values.len()));
    }
}

/// Whether `name` can be a file's name everywhere.
pub fn is_file_safe(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 200
        && !name.starts_with(['.', '-', ' '])
        && !name.ends_with(['.', ' '])
        && !name.chars().any(|c| c.is_control() || "/\\:*?\"<>|".contains(c))
}
