//! Wavefront OBJ.

use super::objects::Material;
use super::{Contents, Source, polygon};
use crate::diagnostics::Diagnostic;
use crate::geometry::TriMesh;
use glam::{DVec2, DVec3};
use obj::{LoadConfig, ObjData, ObjError, ObjMaterial};
use std::collections::BTreeMap;

/// The lines of a file, each where it was, as the parser needs them.
#[derive(Default)]
struct Lines {
    text: String,
    /// Line of each vertex, counted from 1.
    vertices: Vec<usize>,
    /// Line of each face.
    faces: Vec<usize>,
    /// Whether there is an `o` line.
    has_objects: bool,
}

pub(super) fn read(bytes: &[u8], source: Source<'_>) -> Result<Contents, Diagnostic> {
    let lines = Lines::of(&String::from_utf8_lossy(bytes));
    let config = LoadConfig { strict: false };
    let data = ObjData::load_buf_with_config(lines.text.as_bytes(), config)
        .map_err(|e| told(&e, source))?;

    let mut mesh = TriMesh {
        positions: data.position.iter().map(|p| DVec3::from_array(p.map(f64::from))).collect(),
        ..TriMesh::default()
    };
    if let Some(i) = mesh.positions.iter().position(|p| !p.is_finite()) {
        return Err(
            source.error(line(&lines.vertices, i), "a vertex has a coordinate that is no number")
        );
    }
    let mut uvs: Vec<Option<DVec2>> = vec![None; mesh.positions.len()];
    let mut corner_uvs: Vec<[Option<DVec2>; 3]> = Vec::new();
    let mut objects = Vec::new();
    let mut named: Vec<(usize, String)> = Vec::new();
    let mut face = 0;
    for object in &data.objects {
        for group in &object.groups {
            let start = mesh.triangles.len();
            for polygon in &group.polys {
                let at = line(&lines.faces, face);
                face += 1;
                let corners = polygon_corners(polygon, &mesh, source, at)?;
                let mut own = vec![None; corners.len()];
                for (own, &(v, texture)) in own.iter_mut().zip(&corners) {
                    if let Some(t) = texture {
                        let uv = data.texture.get(t).ok_or_else(|| {
                            let n = data.texture.len();
                            source.error(
                                at,
                                format!("the face names texture coordinate {} of {n}", shown(t)),
                            )
                        })?;
                        let uv = DVec2::new(f64::from(uv[0]), f64::from(uv[1]));
                        let uv = if uv.is_finite() { uv } else { DVec2::ZERO };
                        uvs[v as usize].get_or_insert(uv);
                        *own = Some(uv);
                    }
                }
                let places: Vec<DVec3> =
                    corners.iter().map(|(i, _)| mesh.positions[*i as usize]).collect();
                let cut = polygon::triangles(&places);
                mesh.triangles.extend(cut.iter().map(|t| t.map(|i| corners[i].0)));
                corner_uvs.extend(cut.iter().map(|t| t.map(|i| own[i])));
            }
            // Files without `o` lines name their parts by groups.
            let name = if lines.has_objects { &object.name } else { &group.name };
            let name = if name == "default" { "" } else { name };
            if let Some(ObjMaterial::Ref(material)) = &group.material
                && mesh.triangles.len() > start
            {
                named.push((start, material.clone()));
            }
            objects.push((name.to_owned(), start..mesh.triangles.len()));
        }
    }
    if uvs.iter().any(Option::is_some) {
        mesh.uvs = uvs.into_iter().map(Option::unwrap_or_default).collect();
        for (t, [a, b, c]) in corner_uvs.into_iter().enumerate() {
            if let (Some(a), Some(b), Some(c)) = (a, b, c) {
                mesh.set_corner_uvs(t, [a, b, c]);
            }
        }
    }
    let objects = by_name(objects);
    let mut materials: BTreeMap<usize, Vec<Material>> = BTreeMap::new();
    for (triangle, name) in named {
        let Some(object) = objects.iter().position(|(_, r)| r.contains(&triangle)) else {
            continue;
        };
        let own = materials.entry(object).or_default();
        if own.iter().all(|m| m.name != name) {
            own.push(Material { name, ..Material::default() });
        }
    }
    let libraries = data.material_libs.iter().map(|l| l.filename.clone()).collect();
    Ok(Contents { mesh, objects, materials, libraries })
}

impl Lines {
    /// Trims lines, joins continued ones, and notes where vertices and faces are: the parser
    /// itself cuts names at fixed columns and does not tell where a face was.
    fn of(text: &str) -> Self {
        let mut lines = Self::default();
        let mut pending = String::new();
        let mut first_line = 0;
        let text = text.trim_start_matches('\u{feff}');
        let count = text.lines().count();
        for (i, raw) in text.lines().enumerate() {
            let raw = raw.trim();
            if pending.is_empty() {
                first_line = i + 1;
            }
            if let Some(begun) = raw.strip_suffix('\\').filter(|_| i + 1 < count) {
                pending.push_str(begun);
                pending.push(' ');
                lines.text.push('\n');
                continue;
            }
            pending.push_str(raw.trim_end_matches('\\'));
            lines.push(pending.trim(), first_line);
            pending.clear();
        }
        lines
    }

    fn push(&mut self, line: &str, number: usize) {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => self.vertices.push(number),
            Some("f") => self.faces.push(number),
            Some("o") => self.has_objects = true,
            // A coordinate of one number is allowed by the format and not by the parser.
            Some("vt") if words.clone().count() == 1 => {
                self.text.push_str(line);
                self.text.push_str(" 0\n");
                return;
            }
            _ => {}
        }
        // What follows `#` on a line of numbers is a remark.
        let line = match words.next() {
            Some(_) if !line.starts_with('#') && !line.starts_with(['o', 'g', 'u', 'm']) => {
                line.split('#').next().unwrap_or(line)
            }
            _ => line,
        };
        self.text.push_str(line);
        self.text.push('\n');
    }
}

fn line(lines: &[usize], i: usize) -> usize {
    lines.get(i).copied().unwrap_or(0)
}

/// The number as the file writes it: an index that wrapped below zero was a negative one.
fn shown(index: usize) -> String {
    match isize::try_from(index) {
        Ok(i) => (i + 1).to_string(),
        Err(_) => "before the first".to_owned(),
    }
}

/// The vertices of a face and their texture coordinates, by number.
fn polygon_corners(
    polygon: &obj::SimplePolygon,
    mesh: &TriMesh,
    source: Source<'_>,
    at: usize,
) -> Result<Vec<(u32, Option<usize>)>, Diagnostic> {
    let n = mesh.positions.len();
    if polygon.0.len() < 3 {
        return Err(source.error(at, format!("a face has {} corners", polygon.0.len())));
    }
    let mut corners: Vec<(u32, Option<usize>)> = Vec::with_capacity(polygon.0.len());
    for corner in &polygon.0 {
        if corner.0 >= n {
            return Err(
                source.error(at, format!("the face names vertex {} of {n}", shown(corner.0)))
            );
        }
        // A corner that is repeated adds nothing.
        let v = corner.0 as u32;
        if corners.last().is_none_or(|(last, _)| *last != v) {
            corners.push((v, corner.1));
        }
    }
    Ok(corners)
}

/// Ranges of the same name that follow each other are one object.
fn by_name(ranges: Vec<(String, std::ops::Range<usize>)>) -> Vec<(String, std::ops::Range<usize>)> {
    let mut objects: Vec<(String, std::ops::Range<usize>)> = Vec::new();
    for (name, range) in ranges.into_iter().filter(|(_, r)| !r.is_empty()) {
        match objects.last_mut() {
            Some((last, r)) if *last == name => r.end = range.end,
            _ => objects.push((name, range)),
        }
    }
    objects
}

fn told(error: &ObjError, source: Source<'_>) -> Diagnostic {
    match error {
        ObjError::MalformedFaceGroup { line_number, group } => {
            source.error(line_number + 1, format!("`{group}` is no corner of a face"))
        }
        ObjError::ArgumentListFailure { line_number, .. } => {
            source.error(line_number + 1, "a coordinate is missing or is no number")
        }
        ObjError::ZeroVertexNumber { line_number } => {
            source.error(line_number + 1, "a face names vertex 0: OBJ counts from 1")
        }
        ObjError::MissingMTLName { line_number } => {
            source.error(line_number + 1, "`mtllib` names no file")
        }
        ObjError::UnexpectedCommand { line_number, command } => {
            source.error(line_number + 1, format!("unknown line `{command}`"))
        }
        ObjError::Io(e) => source.error(0, format!("the file cannot be read: {e}")),
    }
}
