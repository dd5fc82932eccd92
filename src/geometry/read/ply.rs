//! Stanford PLY, text and binary. Vertex properties beyond positions, normals and texture
//! coordinates become maps; colours written as bytes become 0..1.

use super::ply_header::{Element, Encoding, Header, Property, Scalar};
use super::{Contents, Source, polygon};
use crate::diagnostics::Diagnostic;
use crate::geometry::TriMesh;
use glam::{DVec2, DVec3};

pub(super) fn read(bytes: &[u8], source: Source<'_>) -> Result<Contents, Diagnostic> {
    let header = Header::read(bytes, source)?;
    let body = &bytes[header.bytes..];
    let mut values = match header.encoding {
        Encoding::Text => {
            Values::Text { text: String::from_utf8_lossy(body), at: 0, line: header.lines + 1 }
        }
        encoding => Values::Binary { bytes: body, at: 0, big: encoding == Encoding::BigEndian },
    };
    let mut mesh = TriMesh::default();
    let mut faces: Vec<(Vec<f64>, usize)> = Vec::new();
    for element in &header.elements {
        match element.name.as_str() {
            "vertex" => vertices(element, &mut values, &mut mesh, source)?,
            "face" => faces = polygons(element, &mut values, source)?,
            "tristrips" => {
                return Err(source.error(0, "the file holds triangle strips; write faces instead"));
            }
            _ => skip(element, &mut values, source)?,
        }
    }
    let n = mesh.positions.len();
    for (face, at) in &faces {
        let mut corners: Vec<u32> = Vec::with_capacity(face.len());
        for &v in face {
            if v < 0.0 || v >= n as f64 {
                return Err(source.error(*at, format!("a face names vertex {v} of {n}")));
            }
            if corners.last() != Some(&(v as u32)) {
                corners.push(v as u32);
            }
        }
        let places: Vec<DVec3> = corners.iter().map(|i| mesh.positions[*i as usize]).collect();
        let cut = polygon::triangles(&places);
        mesh.triangles.extend(cut.iter().map(|t| t.map(|i| corners[i])));
    }
    let objects = vec![(String::new(), 0..mesh.triangles.len())];
    Ok(Contents { mesh, objects, ..Contents::default() })
}

/// What a vertex property is for.
enum Role {
    Position(usize),
    Texture(usize),
    Map { name: String, full: f64 },
    Nothing,
}

fn role(property: &Property) -> Role {
    if property.list.is_some() {
        return Role::Nothing;
    }
    match property.name.as_str() {
        "x" => Role::Position(0),
        "y" => Role::Position(1),
        "z" => Role::Position(2),
        "u" | "s" | "texture_u" => Role::Texture(0),
        "v" | "t" | "texture_v" => Role::Texture(1),
        "nx" | "ny" | "nz" => Role::Nothing,
        name @ ("red" | "green" | "blue" | "alpha") => {
            Role::Map { name: name.to_owned(), full: property.scalar.full() }
        }
        name => Role::Map { name: name.to_owned(), full: 1.0 },
    }
}

fn vertices(
    element: &Element,
    values: &mut Values<'_>,
    mesh: &mut TriMesh,
    source: Source<'_>,
) -> Result<(), Diagnostic> {
    let roles: Vec<Role> = element.properties.iter().map(role).collect();
    for (axis, name) in ["x", "y", "z"].iter().enumerate() {
        if !roles.iter().any(|r| matches!(r, Role::Position(a) if *a == axis)) {
            return Err(source.error(0, format!("the vertices have no `{name}`")));
        }
    }
    let textured = (0..2).all(|i| roles.iter().any(|r| matches!(r, Role::Texture(a) if *a == i)));
    let mut list = Vec::new();
    for number in 0..element.count {
        let (mut p, mut uv) = (DVec3::ZERO, DVec2::ZERO);
        let at = values.begin(source)?;
        for (property, role) in element.properties.iter().zip(&roles) {
            if property.list.is_some() {
                values.list(property, &mut list, source)?;
                continue;
            }
            let value = values.next(property.scalar, source)?;
            match role {
                Role::Position(axis) => p[*axis] = value,
                Role::Texture(axis) => uv[*axis] = value,
                Role::Map { name, full } => {
                    if !value.is_finite() {
                        return Err(
                            source.error(at, format!("vertex {number}: `{name}` is {value}"))
                        );
                    }
                    match mesh.maps.get_mut(name) {
                        Some(map) => map.push(value / full),
                        None => drop(mesh.maps.insert(name.clone(), vec![value / full])),
                    }
                }
                Role::Nothing => {}
            }
        }
        if !p.is_finite() {
            return Err(source.error(at, format!("vertex {number} is at {p}")));
        }
        mesh.positions.push(p);
        if textured {
            mesh.uvs.push(if uv.is_finite() { uv } else { DVec2::ZERO });
        }
    }
    Ok(())
}

fn polygons(
    element: &Element,
    values: &mut Values<'_>,
    source: Source<'_>,
) -> Result<Vec<(Vec<f64>, usize)>, Diagnostic> {
    let is_corners =
        |p: &Property| p.list.is_some() && (p.name == "vertex_indices" || p.name == "vertex_index");
    if element.count > 0 && !element.properties.iter().any(is_corners) {
        return Err(source.error(0, "the faces have no `vertex_indices`"));
    }
    let mut faces = Vec::new();
    let mut other = Vec::new();
    for _ in 0..element.count {
        let at = values.begin(source)?;
        let mut corners = Vec::new();
        for property in &element.properties {
            if is_corners(property) {
                values.list(property, &mut corners, source)?;
            } else if property.list.is_some() {
                values.list(property, &mut other, source)?;
            } else {
                values.next(property.scalar, source)?;
            }
        }
        faces.push((corners, at));
    }
    Ok(faces)
}

fn skip(element: &Element, values: &mut Values<'_>, source: Source<'_>) -> Result<(), Diagnostic> {
    // Items without properties take no bytes: their number may be anything.
    if element.properties.is_empty() {
        return Ok(());
    }
    let mut list = Vec::new();
    for _ in 0..element.count {
        values.begin(source)?;
        for property in &element.properties {
            if property.list.is_some() {
                values.list(property, &mut list, source)?;
            } else {
                values.next(property.scalar, source)?;
            }
        }
    }
    Ok(())
}

/// The values after the header.
enum Values<'a> {
    Text { text: std::borrow::Cow<'a, str>, at: usize, line: usize },
    Binary { bytes: &'a [u8], at: usize, big: bool },
}

impl Values<'_> {
    /// The line at which an item begins (0 in a binary file).
    fn begin(&mut self, source: Source<'_>) -> Result<usize, Diagnostic> {
        match self {
            Self::Binary { bytes, at, .. } if *at >= bytes.len() => Err(early(source, 0)),
            Self::Binary { .. } => Ok(0),
            Self::Text { text, at, line } => {
                for b in text.as_bytes()[*at..].iter().take_while(|b| b.is_ascii_whitespace()) {
                    *line += usize::from(*b == b'\n');
                    *at += 1;
                }
                Ok(*line)
            }
        }
    }

    fn next(&mut self, scalar: Scalar, source: Source<'_>) -> Result<f64, Diagnostic> {
        let line = self.begin(source)?;
        match self {
            Self::Text { text, at, .. } => {
                let word = text[*at..].split_ascii_whitespace().next();
                let word = word.ok_or_else(|| early(source, line))?;
                *at += word.len();
                word.parse().map_err(|_| source.error(line, format!("`{word}` is no number")))
            }
            Self::Binary { bytes, at, big } => {
                let size = scalar.size();
                let mut value = [0; 8];
                let found = bytes.get(*at..*at + size).ok_or_else(|| early(source, 0))?;
                value[..size].copy_from_slice(found);
                if *big {
                    value[..size].reverse();
                }
                *at += size;
                Ok(scalar.decode(&value[..size]))
            }
        }
    }

    fn list(
        &mut self,
        property: &Property,
        list: &mut Vec<f64>,
        source: Source<'_>,
    ) -> Result<(), Diagnostic> {
        list.clear();
        let Some(counter) = property.list else { return Ok(()) };
        let count = self.next(counter, source)?;
        if !(0.0..=1e9).contains(&count) {
            return Err(
                source.error(0, format!("a list of `{}` has {count} values", property.name))
            );
        }
        for _ in 0..count as u64 {
            list.push(self.next(property.scalar, source)?);
        }
        Ok(())
    }
}

fn early(source: Source<'_>, line: usize) -> Diagnostic {
    source.error(line, "the file ends early")
}
