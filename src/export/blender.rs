//! The script that brings a shot into Blender.

use super::pictures::Names;
use super::shot::{Moves, Shot, save};
use crate::diagnostics::Diagnostic;
use crate::math::Curve;
use crate::scene::{Camera, Light, LightKind, PictureFile};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The script without its data.
const SCRIPT: &str = include_str!("blender_import.py");

/// Writes `import_<shot>.py`.
pub(super) fn write_import_script(shot: &Shot<'_>, folder: &Path) -> Result<PathBuf, Diagnostic> {
    let name = &shot.scene.name;
    let path = folder.join(format!("import_{name}.py"));
    let text = SCRIPT.replace("@SHOT@", name).replace("@DATA@", &python(&data(shot), 0));
    save(&path, text.as_bytes())?;
    Ok(path)
}

/// What the script must know beside the files.
fn data(shot: &Shot<'_>) -> Value {
    let (numbers, times) = (shot.whole_range(), shot.script_times());
    let (numerator, denominator) = shot.scene.timing.fps;
    let names = Names::of(shot.scene);
    let name = |file: &Option<PictureFile>| file.as_ref().map(|file| names.name(file).to_owned());
    let bodies: Vec<Value> = shot
        .bodies
        .iter()
        .map(|&i| {
            let (body, look) = (shot.body(i), &shot.body(i).look);
            json!({
                "name": body.name,
                "group": body.group,
                "deforms": shot.moves(i) == Moves::Deforming,
                "color": shot.scene.color_of(i).0,
                "roughness": look.roughness,
                "metallic": look.metallic,
                "opacity": look.opacity,
                "transmission": look.transmission,
                "ior": look.ior,
                "color_map": name(&look.color_map),
                "normal_map": name(&look.normal_map),
            })
        })
        .collect();
    let picture = shot.scene.output.images.as_ref().map(|i| [i.width, i.height]);
    json!({
        "shot": shot.scene.name,
        "fps": [numerator, denominator],
        "frames": [numbers.first(), numbers.last()],
        "subframes": shot.scene.output.subframes,
        "picture": picture,
        "bodies": bodies,
        "cameras": shot.scene.cameras.iter().map(|c| camera(&times, c)).collect::<Vec<_>>(),
        "lights": shot.scene.lights.iter().map(|l| light(&times, l)).collect::<Vec<_>>(),
    })
}

fn camera(times: &[f64], camera: &Camera) -> Value {
    let optional = |c: &Option<Curve<f64>>| c.as_ref().map(|c| values(times, c));
    json!({
        "name": camera.name,
        "lens": values(times, &camera.lens),
        "focus": optional(&camera.focus),
        "fstop": optional(&camera.fstop),
    })
}

fn light(times: &[f64], light: &Light) -> Value {
    let (kind, size) = match &light.kind {
        LightKind::Sun { angle, .. } => ("SUN", *angle),
        LightKind::Area { size, .. } => ("AREA", *size),
        LightKind::Point { size, .. } => ("POINT", *size),
        LightKind::Sky { .. } => ("SKY", 0.0),
    };
    json!({
        "name": light.name,
        "kind": kind,
        "size": size,
        "color": light.color.0,
        "strength": values(times, &light.strength),
    })
}

/// A number, or a list with one number a frame or sample, which are at these script times.
fn values(times: &[f64], curve: &Curve<f64>) -> Value {
    if curve.is_constant() {
        json!(curve.at(times.first().copied().unwrap_or(0.0)))
    } else {
        Value::from(times.iter().map(|time| curve.at(*time)).collect::<Vec<_>>())
    }
}

/// JSON as a Python literal, lines for the outer levels.
fn python(value: &Value, depth: usize) -> String {
    let nested = |open: &str, close: &str, parts: Vec<String>| {
        if depth > 1 || parts.is_empty() {
            return format!("{open}{}{close}", parts.join(", "));
        }
        let indent = "    ".repeat(depth + 1);
        let lines: Vec<String> = parts.iter().map(|p| format!("{indent}{p},\n")).collect();
        format!("{open}\n{}{}{close}", lines.concat(), "    ".repeat(depth))
    };
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(b) => if *b { "True" } else { "False" }.to_owned(),
        Value::Array(values) => {
            nested("[", "]", values.iter().map(|v| python(v, depth + 1)).collect())
        }
        Value::Object(map) => nested(
            "{",
            "}",
            map.iter().map(|(k, v)| format!("{k:?}: {}", python(v, depth + 1))).collect(),
        ),
        // A JSON string or number reads the same in Python.
        other => other.to_string(),
    }
}
