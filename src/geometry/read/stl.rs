//! STL, text and binary.

use super::weld::weld;
use super::{Contents, Source};
use crate::diagnostics::Diagnostic;
use crate::geometry::TriMesh;
use glam::{DVec3, Vec3};

/// Bytes before the triangles of a binary file: 80 of remarks and their number.
const HEADER: usize = 84;
/// Bytes of a triangle: normal, three corners, two bytes of attributes.
const TRIANGLE: usize = 50;

pub(super) fn read(bytes: &[u8], source: Source<'_>) -> Result<Contents, Diagnostic> {
    let count = bytes.get(80..84).and_then(|b| b.try_into().ok()).map(u32::from_le_bytes);
    let expected = count.map(|n| HEADER as u64 + TRIANGLE as u64 * u64::from(n));
    // Binary files may begin with "solid" too; only their length tells them apart.
    if expected.is_some_and(|e| e == bytes.len() as u64) {
        return binary(&bytes[HEADER..], source);
    }
    if bytes.trim_ascii_start().starts_with(b"solid") {
        return text(&String::from_utf8_lossy(bytes), source);
    }
    match (count, expected) {
        (Some(_), Some(e)) if e < bytes.len() as u64 => binary(&bytes[HEADER..e as usize], source),
        (Some(n), Some(e)) => Err(source.error(
            0,
            format!("the file ends early: {n} triangles take {e} bytes, it has {}", bytes.len()),
        )),
        _ => Err(source.error(0, "this is no STL file")),
    }
}

fn binary(triangles: &[u8], source: Source<'_>) -> Result<Contents, Diagnostic> {
    let mut mesh = TriMesh::default();
    for (i, record) in triangles.chunks_exact(TRIANGLE).enumerate() {
        for corner in record[12..48].chunks_exact(12) {
            let p = Vec3::from_array(std::array::from_fn(|k| {
                let b = &corner[4 * k..4 * k + 4];
                f32::from_le_bytes([b[0], b[1], b[2], b[3]])
            }));
            if !p.is_finite() {
                return Err(source.error(0, format!("triangle {i} has a corner at {p}")));
            }
            mesh.positions.push(p.as_dvec3());
        }
        let first = 3 * i as u32;
        mesh.triangles.push([first, first + 1, first + 2]);
    }
    weld(&mut mesh, 0, 0);
    let objects = vec![(String::new(), 0..mesh.triangles.len())];
    Ok(Contents { mesh, objects, ..Contents::default() })
}

fn text(text: &str, source: Source<'_>) -> Result<Contents, Diagnostic> {
    let mut mesh = TriMesh::default();
    let mut objects = Vec::new();
    let mut solid: Option<(String, usize, usize)> = None;
    let mut corners: Vec<u32> = Vec::new();
    let mut last = 0;
    for (i, line) in text.lines().enumerate() {
        let at = i + 1;
        last = at;
        let mut words = line.split_whitespace();
        let word = words.next().unwrap_or("").to_ascii_lowercase();
        match word.as_str() {
            "solid" => {
                let name = words.collect::<Vec<_>>().join(" ");
                solid = Some((name, mesh.positions.len(), mesh.triangles.len()));
            }
            "vertex" => {
                let p = point(words)
                    .ok_or_else(|| source.error(at, "a coordinate is missing or is no number"))?;
                corners.push(mesh.positions.len() as u32);
                mesh.positions.push(p);
            }
            "endfacet" => {
                let corners = std::mem::take(&mut corners);
                let [a, b, c] = corners[..] else {
                    return Err(source.error(at, format!("a facet has {} corners", corners.len())));
                };
                mesh.triangles.push([a, b, c]);
            }
            "endsolid" => {
                let Some((name, vertex, triangle)) = solid.take() else {
                    return Err(source.error(at, "`endsolid` without `solid`"));
                };
                weld(&mut mesh, vertex, triangle);
                objects.push((name, triangle..mesh.triangles.len()));
            }
            "facet" | "outer" | "endloop" | "" => {}
            _ => return Err(source.error(at, format!("unknown word `{word}`"))),
        }
    }
    if solid.is_some() || !corners.is_empty() {
        return Err(source.error(last, "the file ends early: there is no `endsolid`"));
    }
    Ok(Contents { mesh, objects, ..Contents::default() })
}

fn point<'a>(mut words: impl Iterator<Item = &'a str>) -> Option<DVec3> {
    // As f32, since corners that other programs wrote from one float must stay one place.
    let mut number = || words.next()?.parse::<f32>().ok().filter(|x| x.is_finite()).map(f64::from);
    Some(DVec3::new(number()?, number()?, number()?))
}
