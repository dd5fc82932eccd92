//! A mesh of a USD file: its points, its polygons as triangles, texture coordinates and maps.

use super::{File, values};
use crate::diagnostics::Diagnostic;
use crate::geometry::TriMesh;
use crate::geometry::read::objects::{Material, Paint};
use crate::geometry::read::polygon;
use glam::{DMat4, DVec2, DVec3};
use openusd::sdf::Value;

/// How the values of a primvar lie on a mesh.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lie {
    /// One for all.
    Constant,
    /// One a polygon.
    Uniform,
    /// One a point.
    Vertex,
    /// One a corner.
    FaceVarying,
}

/// A polygon: its first corner among those of the mesh, and its points in the order of the file.
struct Face {
    number: usize,
    first: usize,
    points: Vec<u32>,
}

/// Adds the mesh of entry `index`, moved by `place`, to `mesh`.
pub(super) fn add(
    file: &File<'_>,
    index: usize,
    place: DMat4,
    mesh: &mut TriMesh,
) -> Result<(), Diagnostic> {
    let (prim, name) = (&file.entries[index].prim, &file.entries[index].name);
    let points = file.value(prim, "points")?.as_ref().and_then(values::vectors);
    let points = points.unwrap_or_default();
    let first = mesh.positions.len();
    for p in &points {
        let p = place.transform_point3(*p);
        if !p.is_finite() {
            return Err(file.error(format!("object `{name}` has a vertex at {p}")));
        }
        mesh.positions.push(p);
    }
    let faces = faces(file, index, points.len())?;
    let word = |key| Ok(file.value(prim, key)?.as_ref().and_then(values::word));
    let inside_out = word("orientation")?.is_some_and(|o| o == "leftHanded");
    let flip = inside_out != (place.determinant() < 0.0);

    let uvs = uvs(file, index)?;
    if uvs.is_some() || !mesh.uvs.is_empty() {
        mesh.uvs.resize(mesh.positions.len(), DVec2::ZERO);
    }
    let corner = |face: &Face, k: usize| match &uvs {
        Some((lie, all)) => all.get(of(*lie, face, k)).copied().unwrap_or_default(),
        None => DVec2::ZERO,
    };
    if uvs.is_some() {
        // A vertex of several takes the first.
        for face in faces.iter().rev() {
            for k in (0..face.points.len()).rev() {
                mesh.uvs[first + face.points[k] as usize] = corner(face, k);
            }
        }
    }
    for face in &faces {
        let mut corners: Vec<usize> = (0..face.points.len()).collect();
        if flip {
            corners.reverse();
        }
        let vertex = |k: usize| first as u32 + face.points[k];
        let places: Vec<DVec3> =
            corners.iter().map(|k| mesh.positions[vertex(*k) as usize]).collect();
        for cut in polygon::triangles(&places) {
            let cut = cut.map(|i| corners[i]);
            mesh.triangles.push(cut.map(vertex));
            if uvs.is_some() {
                mesh.set_corner_uvs(mesh.triangles.len() - 1, cut.map(|k| corner(face, k)));
            }
        }
    }
    maps(file, index, &faces, first, mesh)
}

/// The polygons of a mesh with so many points.
fn faces(file: &File<'_>, index: usize, points: usize) -> Result<Vec<Face>, Diagnostic> {
    let (prim, name) = (&file.entries[index].prim, &file.entries[index].name);
    let list =
        |key| Ok(file.value(prim, key)?.as_ref().and_then(values::counts).unwrap_or_default());
    let (counts, indices, holes) =
        (list("faceVertexCounts")?, list("faceVertexIndices")?, list("holeIndices")?);
    let (mut faces, mut first) = (Vec::with_capacity(counts.len()), 0usize);
    for (number, count) in counts.into_iter().enumerate() {
        let end = usize::try_from(count).ok().and_then(|count| first.checked_add(count));
        let own = end.and_then(|end| indices.get(first..end));
        let own = own.ok_or_else(|| {
            file.error(format!("face {number} of object `{name}` has corners that are not there"))
        })?;
        let known = |i: &i64| u32::try_from(*i).ok().filter(|i| (*i as usize) < points);
        let bad = own.iter().find(|i| known(i).is_none());
        if let Some(bad) = bad {
            let message = format!("object `{name}` names vertex {bad} of {points}");
            return Err(file.error(message));
        }
        let own: Vec<u32> = own.iter().filter_map(known).collect();
        if !holes.contains(&(number as i64)) {
            faces.push(Face { number, first, points: own });
        }
        first = end.unwrap_or(first);
    }
    Ok(faces)
}

/// Which of the values of a primvar corner `k` of a face has.
fn of(lie: Lie, face: &Face, k: usize) -> usize {
    match lie {
        Lie::Constant => 0,
        Lie::Uniform => face.number,
        Lie::Vertex => face.points[k] as usize,
        Lie::FaceVarying => face.first + k,
    }
}

/// The values of a primvar, one after the other as they lie on the mesh; none where it has none of this kind.
fn primvar<T: Copy>(
    file: &File<'_>,
    index: usize,
    name: &str,
    read: impl Fn(&Value) -> Option<Vec<T>>,
) -> Result<Option<(Lie, Vec<T>)>, Diagnostic> {
    let prim = &file.entries[index].prim;
    let Some(values) = file.value(prim, name)?.as_ref().and_then(read) else { return Ok(None) };
    let lie = prim.attribute(name).get_metadata::<Value>("interpolation");
    let lie = lie.map_err(|e| file.damaged(&e))?.as_ref().and_then(values::word);
    let lie = match lie.as_deref() {
        Some("uniform") => Lie::Uniform,
        Some("vertex" | "varying") => Lie::Vertex,
        Some("faceVarying") => Lie::FaceVarying,
        _ => Lie::Constant,
    };
    let indices = file.value(prim, &format!("{name}:indices"))?;
    let Some(indices) = indices.as_ref().and_then(values::counts) else {
        return Ok(Some((lie, values)));
    };
    let value = |i: i64| usize::try_from(i).ok().and_then(|i| values.get(i)).copied();
    let found: Option<Vec<T>> = indices.into_iter().map(value).collect();
    let wrong = || file.error(format!("`{name}` has indices of values that are not there"));
    Ok(Some((lie, found.ok_or_else(wrong)?)))
}

/// What a mesh shows where its material is not looked at: one colour and opacity.
pub(super) fn material(file: &File<'_>, index: usize) -> Result<Material, Diagnostic> {
    let color = primvar(file, index, "primvars:displayColor", values::vectors)?;
    let opacity = primvar(file, index, "primvars:displayOpacity", values::numbers)?;
    let one = |lie: Lie| lie == Lie::Constant;
    let color = color.filter(|(lie, _)| one(*lie)).and_then(|(_, all)| all.first().copied());
    let opacity = opacity.filter(|(lie, _)| one(*lie)).and_then(|(_, all)| all.first().copied());
    let paint = color.filter(|c| c.is_finite()).map(|color| Paint {
        opacity: opacity.filter(|o| o.is_finite()).map_or(1.0, |o| o.clamp(0.0, 1.0)),
        ..Paint::of_color(color.to_array())
    });
    let properties = file.entries[index].prim.property_names().map_err(|e| file.damaged(&e))?;
    let has_more = properties.into_iter().any(|name| name == "material:binding");
    Ok(Material { paint, has_more, ..Material::default() })
}

/// Names of the primvars of a mesh, without `:indices`.
fn primvars(file: &File<'_>, index: usize) -> Result<Vec<String>, Diagnostic> {
    let names = file.entries[index].prim.property_names().map_err(|e| file.damaged(&e))?;
    let names = names.into_iter().map(|name| name.to_string());
    // Those of skeletons have several values a point.
    let is_map = |name: &String| {
        name.starts_with("primvars:")
            && !name.starts_with("primvars:skel:")
            && !name.ends_with(":indices")
    };
    Ok(names.filter(is_map).collect())
}

/// Texture coordinates: those called `st`, else `UVMap`, else the first that there are.
fn uvs(file: &File<'_>, index: usize) -> Result<Option<(Lie, Vec<DVec2>)>, Diagnostic> {
    let mut names = primvars(file, index)?;
    let rank = |name: &String| match name.as_str() {
        "primvars:st" => 0,
        "primvars:UVMap" => 1,
        _ => 2,
    };
    names.sort_by_key(rank);
    for name in names {
        if let Some((lie, mut uvs)) = primvar(file, index, &name, values::pairs)? {
            uvs.iter_mut().filter(|uv| !uv.is_finite()).for_each(|uv| *uv = DVec2::ZERO);
            return Ok(Some((lie, uvs)));
        }
    }
    Ok(None)
}

/// Adds the primvars that are scalars as maps of the vertices from `first` on.
fn maps(
    file: &File<'_>,
    index: usize,
    faces: &[Face],
    first: usize,
    mesh: &mut TriMesh,
) -> Result<(), Diagnostic> {
    let count = mesh.positions.len();
    for name in primvars(file, index)? {
        let read =
            |value: &Value| values::numbers(value).or(values::number(value).map(|x| vec![x]));
        let Some((lie, values)) = primvar(file, index, &name, read)? else { continue };
        let short = name.trim_start_matches("primvars:").to_owned();
        if values.iter().any(|v| !v.is_finite()) {
            let message = format!("map `{short}` has values that are no numbers");
            return Err(file.error(message));
        }
        let map = mesh.maps.entry(short).or_default();
        map.resize(count, 0.0);
        for face in faces.iter().rev() {
            for k in (0..face.points.len()).rev() {
                let value = values.get(of(lie, face, k)).copied().unwrap_or(0.0);
                map[first + face.points[k] as usize] = value;
            }
        }
    }
    for map in mesh.maps.values_mut() {
        map.resize(count, 0.0);
    }
    Ok(())
}
