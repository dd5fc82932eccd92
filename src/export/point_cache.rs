//! Point caches, as Blender's Mesh Cache modifier and others read them, with an OBJ of the rest
//! shape: its vertices and the cache's points have the same order. Metres, Y up.
//!
//! PC2, little-endian: `POINTCACHE2\0`, version (i32) 1, points (i32), first frame (f32), frames a
//! sample (f32), samples (i32); then the points of each sample as x y z (f32).
//!
//! MDD, big-endian: samples (i32), points (i32), the time of each sample in seconds (f32), frame f
//! at f / fps; then the points of each sample as x y z (f32).

use super::obj;
use super::pictures::Names;
use super::shot::{Moves, Shot, Written, save};
use crate::diagnostics::Diagnostic;
use std::path::Path;

/// Bytes of caches that are gathered at once; every frame is read once for so much.
const AT_ONCE: usize = 512 << 20;

/// How a cache is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    Pc2,
    Mdd,
}

/// Writes `cache/<body>.pc2` or `.mdd`, `cache/<body>.obj` and `cache/<body>.mtl` of all deforming
/// bodies.
pub(super) fn write(layout: Layout, shot: &Shot<'_>, folder: &Path) -> Result<Written, Diagnostic> {
    let (folder, numbers, places) = (folder.join("cache"), shot.whole_range(), shot.places());
    let mut files = Vec::new();
    let names = Names::of(shot.scene);
    for group in groups(shot, places.len()) {
        let headers = group.iter().map(|body| layout.header(shot, *body, &places));
        let mut caches: Vec<Vec<u8>> = headers.collect::<Result<_, _>>()?;
        let mut rests = Vec::with_capacity(group.len());
        for &number in &numbers {
            if shot.is_interrupted() {
                return Ok(Written::stopped(files));
            }
            for moment in shot.moments(number, numbers[0])? {
                for (cache, &body) in caches.iter_mut().zip(&group) {
                    let positions = moment.world_positions(shot.scene, body);
                    layout.add_sample(cache, &positions);
                    if rests.len() < group.len() {
                        rests.push(positions);
                    }
                }
            }
        }
        for ((cache, rest), &body) in caches.iter().zip(&rests).zip(&group) {
            let name = &shot.body(body).name;
            for (ending, bytes) in [
                (layout.ending(), cache.as_slice()),
                ("obj", &obj::of_body(shot.scene, body, rest)),
                ("mtl", obj::material(shot.scene, body, &names).as_bytes()),
            ] {
                let path = folder.join(format!("{name}.{ending}"));
                save(&path, bytes)?;
                files.push(path);
            }
        }
    }
    let deforming: Vec<usize> =
        shot.bodies.iter().copied().filter(|i| shot.moves(*i) == Moves::Deforming).collect();
    files.extend(names.copy(shot, &deforming, &folder)?);
    Ok(Written::all(files))
}

fn points(shot: &Shot<'_>, body: usize) -> usize {
    shot.scene.mesh_of(body).positions.len()
}

/// Deforming bodies in groups whose caches fit into memory together.
fn groups(shot: &Shot<'_>, samples: usize) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut bytes = 0;
    for &body in shot.bodies.iter().filter(|i| shot.moves(**i) == Moves::Deforming) {
        let size = 12 * samples * points(shot, body);
        match groups.last_mut() {
            Some(group) if bytes + size <= AT_ONCE => group.push(body),
            _ => {
                groups.push(vec![body]);
                bytes = 0;
            }
        }
        bytes += size;
    }
    groups
}

impl Layout {
    fn ending(self) -> &'static str {
        match self {
            Self::Pc2 => "pc2",
            Self::Mdd => "mdd",
        }
    }

    fn header(self, shot: &Shot<'_>, body: usize, places: &[f64]) -> Result<Vec<u8>, Diagnostic> {
        let (samples, points) = (places.len() as i32, points(shot, body) as i32);
        let mut bytes = Vec::new();
        match self {
            Self::Pc2 => {
                bytes.extend(b"POINTCACHE2\0");
                bytes.extend(1_i32.to_le_bytes());
                bytes.extend(points.to_le_bytes());
                bytes.extend((places.first().copied().unwrap_or(0.0) as f32).to_le_bytes());
                bytes.extend((1.0 / shot.scene.output.subframes as f32).to_le_bytes());
                bytes.extend(samples.to_le_bytes());
            }
            Self::Mdd => {
                bytes.extend(samples.to_be_bytes());
                bytes.extend(points.to_be_bytes());
                bytes.extend(shot.short_seconds(places)?.iter().flat_map(|t| t.to_be_bytes()));
            }
        }
        Ok(bytes)
    }

    fn add_sample(self, cache: &mut Vec<u8>, positions: &[[f32; 3]]) {
        let numbers = positions.iter().flatten();
        match self {
            Self::Pc2 => cache.extend(numbers.flat_map(|x| x.to_le_bytes())),
            Self::Mdd => cache.extend(numbers.flat_map(|x| x.to_be_bytes())),
        }
    }
}
