//! PC2 point caches, as Blender's Mesh Cache modifier and others read them, with an OBJ of the
//! rest shape: its vertices and the cache's points have the same order.
//!
//! Layout, little-endian: `POINTCACHE2\0`, version (i32) 1, points (i32), first frame (f32), frames
//! a sample (f32), samples (i32); then the points of each sample as x y z (f32), metres, Y up.

use super::obj;
use super::pictures::Names;
use super::shot::{Moves, Shot, Written, save};
use crate::diagnostics::Diagnostic;
use std::path::Path;

/// Bytes of caches that are gathered at once; every frame is read once for so much.
const AT_ONCE: usize = 512 << 20;

/// Writes `cache/<body>.pc2`, `cache/<body>.obj` and `cache/<body>.mtl` of all deforming bodies.
pub(super) fn write(shot: &Shot<'_>, folder: &Path) -> Result<Written, Diagnostic> {
    let (folder, numbers) = (folder.join("cache"), shot.whole_range());
    let mut files = Vec::new();
    let names = Names::of(shot.scene);
    for group in groups(shot, numbers.len()) {
        let mut caches: Vec<Vec<u8>> =
            group.iter().map(|body| header(points(shot, *body), &numbers)).collect();
        for &number in &numbers {
            if shot.is_interrupted() {
                return Ok(Written::stopped(files));
            }
            let frame = shot.frame(number)?;
            for (cache, &body) in caches.iter_mut().zip(&group) {
                let positions = frame.world_positions(shot.scene, body);
                cache.extend_from_slice(bytemuck::cast_slice(&to_le(positions)));
            }
        }
        for (cache, &body) in caches.iter().zip(&group) {
            let name = &shot.body(body).name;
            let rest: Vec<[f32; 3]> = first_sample(cache);
            for (ending, bytes) in [
                ("pc2", cache.as_slice()),
                ("obj", &obj::of_body(shot.scene, body, &rest)),
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

const HEADER: usize = 32;

fn header(points: usize, numbers: &[i32]) -> Vec<u8> {
    let mut bytes = b"POINTCACHE2\0".to_vec();
    bytes.extend(1_i32.to_le_bytes());
    bytes.extend((points as i32).to_le_bytes());
    bytes.extend((numbers.first().copied().unwrap_or(0) as f32).to_le_bytes());
    bytes.extend(1.0_f32.to_le_bytes());
    bytes.extend((numbers.len() as i32).to_le_bytes());
    bytes
}

/// Points whose bytes in memory are little-endian on any machine.
fn to_le(positions: Vec<[f32; 3]>) -> Vec<[u32; 3]> {
    positions.into_iter().map(|p| p.map(|x| x.to_bits().to_le())).collect()
}

fn first_sample(cache: &[u8]) -> Vec<[f32; 3]> {
    let points = i32::from_le_bytes([cache[16], cache[17], cache[18], cache[19]]) as usize;
    cache[HEADER..]
        .chunks_exact(12)
        .take(points)
        .map(|p| {
            std::array::from_fn(|k| {
                f32::from_le_bytes([p[4 * k], p[4 * k + 1], p[4 * k + 2], p[4 * k + 3]])
            })
        })
        .collect()
}
