//! FLEX3D objects (Nedel 1993, section 5.7 and annex A1): `obt/<body>_124.OBT`, a file a body a
//! frame, frame numbers without zeros before them. Vertices are counted from 0.

use super::obj::Short;
use super::sequence;
use super::shot::{Shot, Written, save};
use crate::diagnostics::Diagnostic;
use crate::scene::Scene;
use std::fmt::Write;
use std::path::Path;

/// Diffuse, specular and ambient shares of every colour: an OBT wants them and a scene has none.
const SHARES: &str = "0.7 0.2 0.1";

/// Writes `obt/<body>_<frame>.OBT`; what never moves is written at the first frame alone.
pub(super) fn write(shot: &Shot<'_>, folder: &Path) -> Result<Written, Diagnostic> {
    let folder = folder.join("obt");
    sequence::each_frame(shot, |(i, number)| {
        if shot.is_interrupted() {
            return Ok(Vec::new());
        }
        let frame = shot.frame(*number)?;
        let mut files = Vec::new();
        for &body in &shot.bodies {
            if i > 0 && shot.stands_still(body) {
                continue;
            }
            let path = folder.join(format!("{}_{number}.OBT", shot.body(body).name));
            save(
                &path,
                of_body(shot.scene, body, &frame.world_positions(shot.scene, body)).as_bytes(),
            )?;
            files.push(path);
        }
        Ok(files)
    })
}

/// One body at the given places.
fn of_body(scene: &Scene, body: usize, places: &[[f32; 3]]) -> String {
    let mesh = scene.mesh_of(body);
    // A name is one word.
    let name: String = scene.bodies[body].name.split_whitespace().collect::<Vec<_>>().join("_");
    let (center, radius) = sphere(places);
    let [x, y, z] = center.map(Short);
    let mut text = format!("$OBJETO {name} {x} {y} {z} {}\n", Short(radius));
    // Writing to a string cannot fail.
    let _ = writeln!(text, "$VÉRTICES {}", places.len());
    for [x, y, z] in places {
        let _ = writeln!(text, "{} {} {}", Short(*x), Short(*y), Short(*z));
    }
    let _ = writeln!(text, "$FACES {}", mesh.triangles.len());
    for [a, b, c] in &mesh.triangles {
        let _ = writeln!(text, "3 {a} {b} {c} #0");
    }
    let [r, g, b] = scene.color_of(body).0.map(|c| Short(c as f32));
    let _ = write!(text, "$DESCRIÇÃO\n#0 {r} {g} {b} {SHARES}\n$END_OBJ\n");
    text
}

/// The middle of the box around `places` and the distance of the farthest from it.
fn sphere(places: &[[f32; 3]]) -> ([f32; 3], f32) {
    let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    for p in places {
        for k in 0..3 {
            (low[k], high[k]) = (low[k].min(p[k]), high[k].max(p[k]));
        }
    }
    if places.is_empty() {
        return ([0.0; 3], 0.0);
    }
    let center = std::array::from_fn(|k| 0.5 * (low[k] + high[k]));
    let distance = |p: &[f32; 3]| (0..3).map(|k| (p[k] - center[k]).powi(2)).sum::<f32>().sqrt();
    (center, places.iter().map(distance).fold(0.0, f32::max))
}
