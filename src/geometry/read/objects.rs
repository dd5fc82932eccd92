//! The objects of a mesh file one by one, with what its materials say of them: what is handed on when a
//! file becomes one of another format.

use super::stage::{NodeKind, stage_nodes};
use super::{
    Contents, MeshFormat, Neighbour, Source, bytes_of, contents, drop_unused, stage_clips,
};
use crate::diagnostics::{Diagnostic, Place};
use crate::geometry::TriMesh;
use crate::geometry::tet_faces::boundary;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

/// What a material says of a surface, as far as formats agree on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Paint {
    /// Base colour, linear, 0 .. 1.
    pub color: [f64; 3],
    /// 0 .. 1.
    pub opacity: f64,
    /// 0 (mirror) .. 1 (matt), where the file says it.
    pub roughness: Option<f64>,
    /// 0 .. 1, where the file says it.
    pub metallic: Option<f64>,
}

impl Paint {
    /// A colour and nothing else.
    pub(super) fn of_color(color: [f64; 3]) -> Self {
        let color = color.map(|c| c.clamp(0.0, 1.0));
        Self { color, opacity: 1.0, roughness: None, metallic: None }
    }
}

/// A material that an object of a file names.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Material {
    pub(super) name: String,
    /// None where the file names it and does not say how it looks.
    pub(super) paint: Option<Paint>,
    /// Whether pictures go with it.
    pub(super) has_pictures: bool,
    /// Whether it says more than is read of it.
    pub(super) has_more: bool,
}

/// An object of a mesh file.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshObject {
    /// Its name; empty where the file gives none.
    pub name: String,
    /// Its surface.
    pub mesh: TriMesh,
    /// What its first material says; none where it has none.
    pub paint: Option<Paint>,
}

/// What a mesh file holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeshObjects {
    /// Objects with a surface, in the file's order.
    pub objects: Vec<MeshObject>,
    /// What else the file holds, in words.
    pub left_out: Vec<String>,
}

/// Reads a mesh file object by object. `name` is the file as messages call it; `neighbour` reads the files
/// that it refers to.
pub fn mesh_objects(
    path: &Path,
    name: &str,
    neighbour: &Neighbour<'_>,
) -> Result<MeshObjects, Diagnostic> {
    let (format, bytes) = bytes_of(path, name)?;
    let source = Source { name };
    let mut contents = contents(format, &bytes, source, neighbour)?;
    let mut found = MeshObjects::default();
    add_libraries(&mut contents, neighbour, &mut found.left_out);
    let tets = contents.mesh.tets.len();
    let (mut further, mut pictures, mut more) = (0, 0, 0);
    for (number, (name, range)) in contents.objects.iter().enumerate() {
        let mut mesh = part(&contents.mesh, range.clone());
        mesh.keep_triangles(|_, [a, b, c]| a != b && b != c && c != a);
        if mesh.triangles.is_empty() {
            continue;
        }
        mesh.tets.clear();
        drop_unused(&mut mesh);
        mesh.check().map_err(|d| d.at(Place::new(source.name, 0)))?;
        let materials = contents.materials.get(&number).map_or(&[][..], Vec::as_slice);
        further += usize::from(materials.len() > 1);
        pictures += materials.iter().filter(|m| m.has_pictures).count();
        more += materials.iter().filter(|m| m.has_more).count();
        let paint = materials.first().and_then(|m| m.paint);
        found.objects.push(MeshObject { name: name.clone(), mesh, paint });
    }
    if found.objects.is_empty() {
        return Err(source.error(0, "the file holds no triangles"));
    }
    let counts = [
        (tets, "tetrahedron", "tetrahedra"),
        (further, "object's materials but the first", "objects' materials but the first"),
        (pictures, "material's pictures", "materials' pictures"),
        (more, "bound material but its display colour", "bound materials but display colours"),
    ];
    found.left_out.extend(counts.iter().filter(|(n, ..)| *n > 0).map(counted));
    if matches!(format, MeshFormat::Gltf | MeshFormat::Glb | MeshFormat::Usd) {
        let nodes = stage_nodes(&bytes, name, neighbour)?;
        let of = |kind| nodes.iter().filter(|n| n.kind == kind).count();
        let counts =
            [(of(NodeKind::Camera), "camera", "cameras"), (of(NodeKind::Light), "light", "lights")];
        found.left_out.extend(counts.iter().filter(|(n, ..)| *n > 0).map(counted));
        let clips = stage_clips(&bytes, name, neighbour)?;
        if !clips.is_empty() {
            found.left_out.push(format!("motion ({})", clips.join(", ")));
        }
    }
    Ok(found)
}

fn counted((count, one, many): &(usize, &str, &str)) -> String {
    format!("{count} {}", if *count == 1 { one } else { many })
}

/// The triangles (or tetrahedra, whose boundary is taken) `range` of a mesh with the vertices that they name.
fn part(mesh: &TriMesh, range: Range<usize>) -> TriMesh {
    let (triangles, first) = if mesh.tets.is_empty() {
        (mesh.triangles[range.clone()].to_vec(), range.start as u32)
    } else {
        (boundary(&mesh.tets[range]), 0)
    };
    let mut used: Vec<u32> = triangles.iter().flatten().copied().collect();
    used.sort_unstable();
    used.dedup();
    let number = |i: u32| used.binary_search(&i).unwrap_or_default() as u32;
    let end = first + triangles.len() as u32;
    let seams = if mesh.tets.is_empty() {
        mesh.seams.range(first..end).map(|(t, uvs)| (t - first, *uvs)).collect()
    } else {
        BTreeMap::new()
    };
    TriMesh {
        positions: taken(&mesh.positions, &used),
        triangles: triangles.iter().map(|t| t.map(number)).collect(),
        uvs: taken(&mesh.uvs, &used),
        seams,
        maps: mesh.maps.iter().map(|(name, map)| (name.clone(), taken(map, &used))).collect(),
        ..TriMesh::default()
    }
}

/// Those of `all` whose numbers are in `used`; none where there are none.
fn taken<T: Copy>(all: &[T], used: &[u32]) -> Vec<T> {
    used.iter().filter_map(|i| all.get(*i as usize).copied()).collect()
}

/// Looks the materials that an OBJ file names up in the libraries that it names.
fn add_libraries(contents: &mut Contents, neighbour: &Neighbour<'_>, left_out: &mut Vec<String>) {
    let mut known: BTreeMap<String, Material> = BTreeMap::new();
    for library in std::mem::take(&mut contents.libraries) {
        match neighbour(&library) {
            Ok(bytes) => library_into(&String::from_utf8_lossy(&bytes), &mut known),
            Err(e) => left_out.push(format!("the materials of {library} ({e})")),
        }
    }
    for material in contents.materials.values_mut().flatten() {
        if let Some(found) = known.get(&material.name) {
            *material = found.clone();
        }
    }
}

/// Adds the materials of an MTL file. `Pr` and `Pm` are the usual additions for roughness and metal.
fn library_into(text: &str, known: &mut BTreeMap<String, Material>) {
    let mut current: Option<Material> = None;
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or_default().trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let numbers: Vec<f64> = rest.split_whitespace().map_while(|n| n.parse().ok()).collect();
        if word == "newmtl" {
            let done =
                current.replace(Material { name: rest.trim().into(), ..Material::default() });
            known.extend(done.map(|m| (m.name.clone(), m)));
            continue;
        }
        let Some(material) = &mut current else { continue };
        if word.starts_with("map_") || matches!(word, "norm" | "bump" | "disp" | "decal" | "refl") {
            material.has_pictures = true;
            continue;
        }
        let first = numbers.first().filter(|n| n.is_finite()).map(|n| n.clamp(0.0, 1.0));
        // What a file leaves out is white and covers.
        let paint = material.paint.get_or_insert(Paint::of_color([1.0; 3]));
        match (word, first) {
            ("Kd", Some(_)) => {
                if let [r, g, b] = numbers[..] {
                    *paint = Paint { color: [r, g, b].map(|c: f64| c.clamp(0.0, 1.0)), ..*paint };
                }
            }
            ("d", Some(part)) => paint.opacity = part,
            ("Tr", Some(part)) => paint.opacity = 1.0 - part,
            ("Pr", part) => paint.roughness = part,
            ("Pm", part) => paint.metallic = part,
            _ => {}
        }
    }
    known.extend(current.map(|m| (m.name.clone(), m)));
}
