//! Places on and in bodies that are no vertices.

use crate::geometry::{Interior, TriMesh, closest_on_triangle, weights_in};
use crate::scene::Anchor;
use glam::DVec3;

/// The place of body `body` that is nearest to `wanted`, with `mesh` at `start`: within its tetrahedra, within its
/// surface where it `is_solid`, or else on the surface.
pub(super) fn nearest(
    body: usize,
    mesh: &TriMesh,
    start: &[DVec3],
    is_solid: bool,
    wanted: DVec3,
) -> (Anchor, DVec3) {
    let within = mesh.tets.iter().find_map(|tet| {
        let weights = weights_in(tet.map(|i| start[i as usize]), wanted);
        weights.iter().all(|weight| *weight >= 0.0).then_some(Anchor {
            body,
            vertices: *tet,
            weights,
        })
    });
    if let Some(anchor) = within {
        return (anchor, wanted);
    }
    let (anchor, place) = on_surface(body, mesh, start, wanted);
    let is_closed = !mesh.triangles.is_empty() && mesh.open_edge().is_none();
    if !(is_solid && mesh.tets.is_empty() && is_closed) {
        return (anchor, place);
    }
    let surface = TriMesh {
        positions: start.to_vec(),
        triangles: mesh.triangles.clone(),
        ..TriMesh::default()
    };
    if !Interior::of(&surface).holds(wanted) {
        return (anchor, place);
    }
    let [a, b, c, _] = anchor.vertices;
    let corners = [a, b, c].map(|i| start[i as usize]);
    let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
    let away = |v: u32| (start[v as usize] - corners[0]).dot(normal).abs();
    let count = start.len() as u32;
    let farthest = (0..count).max_by(|v, w| away(*v).total_cmp(&away(*w)));
    let tet = [a, b, c, farthest.unwrap_or(a)];
    let weights = weights_in(tet.map(|i| start[i as usize]), wanted);
    if weights.iter().all(|weight| weight.is_finite()) {
        (Anchor { body, vertices: tet, weights }, wanted)
    } else {
        (anchor, place)
    }
}

fn on_surface(body: usize, mesh: &TriMesh, start: &[DVec3], wanted: DVec3) -> (Anchor, DVec3) {
    let mut best: Option<(f64, Anchor, DVec3)> = None;
    for t in &mesh.pieces() {
        let [a, b, c] = t.map(|i| start[i as usize]);
        let weights = closest_on_triangle(wanted, a, b, c);
        let place = a * weights[0] + b * weights[1] + c * weights[2];
        let distance = place.distance_squared(wanted);
        if best.as_ref().is_none_or(|(least, ..)| distance < *least) {
            best = Some((distance, Anchor::of_triangle(body, *t, weights), place));
        }
    }
    best.map_or_else(|| (Anchor::of_vertex(body, 0), wanted), |(_, anchor, place)| (anchor, place))
}
