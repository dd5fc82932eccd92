//! Meshes from files: Wavefront OBJ, glTF and GLB, USD, PLY, STL, Gmsh, FLEX3D objects.
//!
//! A reader keeps the file's vertex order and drops what no triangle uses: a point without a
//! triangle has no mass. Polygons become triangles. Formats that repeat a corner for each normal
//! or texture seam (glTF, STL) get bit-equal positions of one object merged, or a cloth would fall
//! apart along them; a vertex of several texture coordinates takes the first, and the corners of its
//! triangles keep theirs. Nothing in a file
//! makes a reader panic: what cannot be read is a [`Diagnostic`] with the file and, where it has
//! lines, the line.

pub mod flex3d_text;
mod gltf;
mod gltf_accessor;
mod msh;
mod obj;
mod objects;
mod obt;
mod ply;
mod ply_header;
mod polygon;
mod rigged;
mod stage;
mod stl;
mod usd;
mod weld;

pub use objects::{MeshObject, MeshObjects, Paint, mesh_objects};
pub use rigged::{CameraOnRig, Rigged, rigged_camera, rigged_mesh, stage_clips};
pub use stage::{NodeKind, StageNode, stage_nodes};

use super::TriMesh;
use super::tet_faces::boundary;
use crate::diagnostics::{Diagnostic, Place, nearest};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

/// What to take from a file.
#[derive(Clone, Debug)]
pub struct LoadOptions {
    /// Name of the object to take; none: all of them as one mesh.
    pub object: Option<String>,
    /// Factor on all coordinates (0.01 for a file in centimetres).
    pub scale: f64,
}

impl Default for LoadOptions {
    fn default() -> Self {
        Self { object: None, scale: 1.0 }
    }
}

/// A mesh format that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeshFormat {
    /// Wavefront OBJ.
    Obj,
    /// glTF 2.0 as text.
    Gltf,
    /// glTF 2.0 in one binary file.
    Glb,
    /// Stanford PLY, text or binary.
    Ply,
    /// STL, text or binary.
    Stl,
    /// Gmsh, as text.
    Msh,
    /// A FLEX3D object.
    Obt,
    /// USD as text, crate or package.
    Usd,
}

/// An object of a mesh file, as `object` may name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectInfo {
    /// Its name; empty where the file gives none.
    pub name: String,
    /// Number of triangles, or of tetrahedra in a file of these.
    pub triangles: usize,
}

/// A file's triangles in one mesh, and which of them belong to which object; of a mesh with tetrahedra
/// the objects are ranges of these, and its triangles are not there yet.
#[derive(Default)]
struct Contents {
    mesh: TriMesh,
    objects: Vec<(String, Range<usize>)>,
    /// Materials of the objects, by the number of the object.
    materials: BTreeMap<usize, Vec<objects::Material>>,
    /// Files that say how materials look which are only named.
    libraries: Vec<String>,
}

/// A file as messages name it.
#[derive(Clone, Copy)]
struct Source<'a> {
    name: &'a str,
}

impl Source<'_> {
    /// An error at `line` (counted from 1; 0: the file as a whole).
    fn error(self, line: usize, message: impl Into<String>) -> Diagnostic {
        let line = u32::try_from(line).unwrap_or(0);
        Diagnostic::error(message).at(Place::new(self.name, line))
    }
}

/// Reads bytes of a file that lies beside the mesh file; the name is relative and stays below it.
type Neighbour<'a> = dyn Fn(&str) -> std::io::Result<Vec<u8>> + 'a;

/// Endings of files that can be read.
const ENDINGS: [&str; 11] =
    ["obj", "gltf", "glb", "usd", "usda", "usdc", "usdz", "ply", "stl", "msh", "obt"];

impl MeshFormat {
    /// The format that a file's ending names.
    pub fn of(name: &str) -> Result<Self, Diagnostic> {
        let ending = Path::new(name).extension().and_then(|e| e.to_str()).unwrap_or("");
        match ending.to_ascii_lowercase().as_str() {
            "obj" => Ok(Self::Obj),
            "gltf" => Ok(Self::Gltf),
            "glb" => Ok(Self::Glb),
            "ply" => Ok(Self::Ply),
            "stl" => Ok(Self::Stl),
            "msh" => Ok(Self::Msh),
            "obt" => Ok(Self::Obt),
            "usd" | "usda" | "usdc" | "usdz" => Ok(Self::Usd),
            other => {
                let near = nearest(other, ENDINGS).map(|n| format!("did you mean .{n}? "));
                let near = near.unwrap_or_default();
                let all = ENDINGS.map(|ending| format!(".{ending}")).join(", ");
                let message = format!("`{name}` is no mesh file that can be read");
                Err(Diagnostic::error(message).hint(format!("{near}the name must end in {all}")))
            }
        }
    }
}

/// Reads a mesh file. `name` is the file as messages call it.
pub fn load(path: &Path, name: &str, options: &LoadOptions) -> Result<TriMesh, Diagnostic> {
    let (format, bytes) = bytes_of(path, name)?;
    from_bytes(format, &bytes, name, options, &|n| read_beside(path, n))
}

/// The objects of a mesh file, in the file's order.
pub fn objects(path: &Path, name: &str) -> Result<Vec<ObjectInfo>, Diagnostic> {
    let (format, bytes) = bytes_of(path, name)?;
    let contents = contents(format, &bytes, Source { name }, &|n| read_beside(path, n))?;
    let info = |(name, range): (String, Range<usize>)| ObjectInfo { name, triangles: range.len() };
    Ok(contents.objects.into_iter().map(info).collect())
}

/// Reads a mesh from a file's bytes. `neighbour` reads the files that a .gltf or a USD file refers to.
pub fn from_bytes(
    format: MeshFormat,
    bytes: &[u8],
    name: &str,
    options: &LoadOptions,
    neighbour: &Neighbour<'_>,
) -> Result<TriMesh, Diagnostic> {
    with_loose(format, bytes, name, options, neighbour).map(|(mesh, _)| mesh)
}

/// As [`from_bytes`], and how many vertices of the file were left out because none of its triangles or tetrahedra
/// names them.
pub fn with_loose(
    format: MeshFormat,
    bytes: &[u8],
    name: &str,
    options: &LoadOptions,
    neighbour: &Neighbour<'_>,
) -> Result<(TriMesh, usize), Diagnostic> {
    let source = Source { name };
    let mut contents = contents(format, bytes, source, neighbour)?;
    // Parts of a glTF mesh may share vertices of which each names some.
    let loose = match format {
        MeshFormat::Gltf | MeshFormat::Glb => 0,
        _ => used(&contents.mesh).iter().filter(|used| !**used).count(),
    };
    if let Some(object) = &options.object {
        contents = only(contents, object, source)?;
    }
    let mut mesh = contents.mesh;
    if !mesh.tets.is_empty() {
        mesh.triangles = boundary(&mesh.tets);
        mesh.seams.clear();
    }
    mesh.keep_triangles(|_, [a, b, c]| a != b && b != c && c != a);
    if mesh.triangles.is_empty() {
        return Err(source.error(0, "the file holds no triangles"));
    }
    if !(options.scale.is_finite() && options.scale > 0.0) {
        return Err(Diagnostic::error(format!(
            "`scale` must be more than 0, it is {}",
            options.scale
        )));
    }
    drop_unused(&mut mesh);
    for p in &mut mesh.positions {
        *p *= options.scale;
    }
    mesh.check().map_err(|d| d.at(Place::new(name, 0)))?;
    Ok((mesh, loose))
}

/// The colour that covers most of a FLEX3D object, linear; none where the file describes none.
pub fn obt_color(bytes: &[u8], name: &str) -> Result<Option<[f64; 3]>, Diagnostic> {
    obt::read(bytes, Source { name }).map(|objects| objects.color)
}

fn bytes_of(path: &Path, name: &str) -> Result<(MeshFormat, Vec<u8>), Diagnostic> {
    let format = MeshFormat::of(name)?;
    let bytes = std::fs::read(path)
        .map_err(|e| Source { name }.error(0, format!("the file cannot be read: {e}")))?;
    Ok((format, bytes))
}

/// Reads a file beside `path`; never one outside its folder, since files are not trusted.
pub fn read_beside(path: &Path, name: &str) -> std::io::Result<Vec<u8>> {
    use std::path::Component;
    if !Path::new(name).components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir))
    {
        return Err(std::io::Error::other("it does not lie below the mesh file's folder"));
    }
    std::fs::read(path.parent().unwrap_or(Path::new(".")).join(name))
}

fn contents(
    format: MeshFormat,
    bytes: &[u8],
    source: Source<'_>,
    neighbour: &Neighbour<'_>,
) -> Result<Contents, Diagnostic> {
    match format {
        MeshFormat::Obj => obj::read(bytes, source),
        MeshFormat::Gltf | MeshFormat::Glb => gltf::read(bytes, source, neighbour),
        MeshFormat::Ply => ply::read(bytes, source),
        MeshFormat::Stl => stl::read(bytes, source),
        MeshFormat::Msh => msh::read(bytes, source),
        MeshFormat::Obt => obt::read(bytes, source).map(obt::Objects::painted),
        MeshFormat::Usd => usd::read(bytes, source, neighbour),
    }
}

/// The triangles of the object called `wanted` alone.
fn only(contents: Contents, wanted: &str, source: Source<'_>) -> Result<Contents, Diagnostic> {
    let Contents { mut mesh, objects, .. } = contents;
    let ranges: Vec<_> = objects.iter().filter(|(name, _)| name == wanted).collect();
    if ranges.is_empty() {
        let mut names: Vec<&str> = Vec::new();
        for (name, _) in &objects {
            if !name.is_empty() && !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        let problem = source.error(0, format!("the file has no object `{wanted}`"));
        return Err(if let Some(near) = nearest(wanted, names.iter().copied()) {
            problem.hint(format!("did you mean `{near}`? It has: {}", names.join(", ")))
        } else if names.is_empty() {
            problem.hint("its objects have no names: leave `object` out")
        } else {
            problem.hint(format!("it has: {}", names.join(", ")))
        });
    }
    if mesh.tets.is_empty() {
        mesh.keep_triangles(|t, _| ranges.iter().any(|(_, r)| r.contains(&t)));
    } else {
        mesh.tets = of(&mesh.tets, &ranges);
    }
    Ok(Contents { mesh, ..Contents::default() })
}

/// What lies in some of the ranges of objects, one after the other.
fn of<T: Copy>(all: &[T], ranges: &[&(String, Range<usize>)]) -> Vec<T> {
    ranges.iter().flat_map(|(_, r)| all[r.clone()].iter().copied()).collect()
}

/// Drops vertices that no triangle and no tetrahedron names; the order of the others stays.
fn drop_unused(mesh: &mut TriMesh) {
    let used = used(mesh);
    if used.iter().all(|u| *u) {
        return;
    }
    let mut next = 0;
    let numbers: Vec<u32> = used
        .iter()
        .map(|&u| {
            next += u32::from(u);
            next.wrapping_sub(1)
        })
        .collect();
    keep(&mut mesh.positions, &used);
    keep(&mut mesh.uvs, &used);
    for map in mesh.maps.values_mut() {
        keep(map, &used);
    }
    for t in &mut mesh.triangles {
        *t = t.map(|i| numbers[i as usize]);
    }
    for t in &mut mesh.tets {
        *t = t.map(|i| numbers[i as usize]);
    }
}

/// Of each vertex whether a triangle or a tetrahedron names it.
fn used(mesh: &TriMesh) -> Vec<bool> {
    let mut used = vec![false; mesh.positions.len()];
    let corners = mesh.triangles.iter().flatten().chain(mesh.tets.iter().flatten());
    corners.for_each(|i| used[*i as usize] = true);
    used
}

fn keep<T>(values: &mut Vec<T>, used: &[bool]) {
    let mut flags = used.iter();
    values.retain(|_| *flags.next().unwrap_or(&true));
}
