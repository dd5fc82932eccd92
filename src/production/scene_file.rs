//! Scenes given as JSON.

use crate::diagnostics::{Diagnostic, Place, Severity};
use crate::scene::{MOST_SUBFRAMES, SCENE_VERSION, Scene, Sheet};
use std::fs;
use std::path::Path;

/// No shot is longer; a wrong number must not fill the disk.
const MOST_FRAMES: u32 = 1_000_000;
/// Largest edge of a picture [pixels].
const LARGEST_PICTURE: u32 = 32_768;

/// Reads and checks a scene file; gives the scene and warnings.
pub(super) fn read(path: &Path) -> Result<(Scene, Vec<Diagnostic>), Vec<Diagnostic>> {
    let place = |line: usize| Place::new(path.display().to_string(), line as u32);
    let wrong = |message: String, line: usize| vec![Diagnostic::error(message).at(place(line))];
    let bytes = fs::read(path).map_err(|e| wrong(format!("the scene cannot be read: {e}"), 0))?;
    // The version is looked at first: another one makes every other message misleading.
    let version = serde_json::from_slice::<Version>(&bytes).ok().map(|v| v.version);
    if let Some(version) = version.filter(|v| *v != SCENE_VERSION) {
        let message = format!("the scene has format {version}, this program reads {SCENE_VERSION}");
        let problem = Diagnostic::error(message).at(place(0));
        return Err(vec![problem.hint("write it again with `retake scene`")]);
    }
    let scene: Scene =
        serde_json::from_slice(&bytes).map_err(|e| wrong(format!("not a scene: {e}"), e.line()))?;
    let mut errors: Vec<Diagnostic> =
        bounds(&scene).into_iter().map(|p| Diagnostic::error(p).at(place(0))).collect();
    let (found, warnings): (Vec<_>, Vec<_>) =
        scene.validate().into_iter().partition(|d| d.severity == Severity::Error);
    errors.extend(found);
    if errors.is_empty() { Ok((scene, warnings)) } else { Err(errors) }
}

#[derive(serde::Deserialize)]
struct Version {
    version: u32,
}

/// Numbers that a script cannot give and a file can.
fn bounds(scene: &Scene) -> Vec<String> {
    let mut p = Vec::new();
    if !is_file_safe(&scene.name) {
        p.push(format!("`name` \"{}\" is not file-safe", scene.name));
    }
    let t = &scene.timing;
    if t.frames > MOST_FRAMES || t.start_frame.unsigned_abs() > MOST_FRAMES {
        p.push(format!("no shot has more than {MOST_FRAMES} frames"));
    }
    let s = &scene.solver;
    let steps = [Some(s.min_step), s.step, s.fixed_step];
    if steps.into_iter().flatten().any(|h| !(h > 0.0 && h.is_finite())) {
        p.push("solver: steps must be positive".into());
    }
    if let Some(i) = &scene.output.images
        && ([i.width, i.height, i.samples, i.every].contains(&0)
            || i.width.max(i.height) > LARGEST_PICTURE)
    {
        p.push(format!("images: sizes must be positive, at most {LARGEST_PICTURE}"));
    }
    if !(1..=MOST_SUBFRAMES).contains(&scene.output.subframes) {
        p.push(format!("subframes: from 1 to {MOST_SUBFRAMES}"));
    }
    if matches!(scene.output.sheet, Sheet::Count(n) if n > 1000) {
        p.push("sheet: at most 1000 pictures".into());
    }
    p
}

/// Whether `name` can be a file's name everywhere.
pub fn is_file_safe(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 200
        && !name.starts_with(['.', '-', ' '])
        && !name.ends_with(['.', ' '])
        && !name.chars().any(|c| c.is_control() || "/\\:*?\"<>|".contains(c))
}
