//! Cuts lattice tetrahedra down to what lies inside.

use crate::geometry::TriMesh;
use glam::DVec3;

/// On which side of the surface a lattice point lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Inside,
    On,
    Outside,
}

/// Adds what is inside of the tetrahedron `t` (points, with their sides); `cut` gives the point where the
/// edge from an inside point to an outside one leaves. Faces that are cut into quadrangles are halved from
/// their inside corner of the lowest number, so that neighbours agree.
pub(super) fn add(
    t: [(u32, Side); 4],
    mut cut: impl FnMut(u32, u32) -> u32,
    mut emit: impl FnMut([u32; 4]),
) {
    let of = |side: Side| -> Vec<u32> {
        let mut own: Vec<u32> = t.iter().filter(|p| p.1 == side).map(|p| p.0).collect();
        own.sort_unstable();
        own
    };
    let (inside, on, outside) = (of(Side::Inside), of(Side::On), of(Side::Outside));
    match (&inside[..], &on[..], &outside[..]) {
        ([], ..) => {}
        (_, _, []) => emit(t.map(|p| p.0)),
        (&[a], ..) => {
            let mut corners = vec![a];
            corners.extend(&on);
            corners.extend(outside.iter().map(|o| cut(a, *o)));
            emit([corners[0], corners[1], corners[2], corners[3]]);
        }
        (&[a, b], &[on], &[o]) => {
            let (at_a, at_b) = (cut(a, o), cut(b, o));
            emit([on, a, b, at_b]);
            emit([on, a, at_b, at_a]);
        }
        (&[a, b], [], &[o, p]) => {
            let (a_o, a_p, b_o, b_p) = (cut(a, o), cut(a, p), cut(b, o), cut(b, p));
            emit([a, b, b_o, b_p]);
            emit([a, a_o, a_p, b_p]);
            emit([a, a_o, b_p, b_o]);
        }
        (&[a, b, c], [], &[o]) => {
            let (at_a, at_b, at_c) = (cut(a, o), cut(b, o), cut(c, o));
            emit([a, at_a, at_b, at_c]);
            emit([a, b, at_b, at_c]);
            emit([a, b, c, at_c]);
        }
        _ => unreachable!("four corners"),
    }
}

/// Turns a tetrahedron right side out.
pub(super) fn right_side_out(tet: &mut [u32; 4], positions: &[DVec3]) {
    let [a, b, c, d] = tet.map(|i| positions[i as usize]);
    if (b - a).cross(c - a).dot(d - a) < 0.0 {
        tet.swap(2, 3);
    }
}

/// Vertices of a closed surface at which it does not look like a disc: at ends of edges with more than
/// two triangles, and where fans of triangles touch. Sorted.
pub(super) fn pinched(mesh: &TriMesh) -> Vec<u32> {
    let mut half: Vec<[u32; 2]> =
        mesh.triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
    half.sort_unstable();
    let mut found: Vec<u32> = half.windows(2).filter(|w| w[0] == w[1]).flat_map(|w| w[0]).collect();
    // Around each vertex, triangles lead from one neighbour to the next: one round has all of them.
    let mut around: Vec<[u32; 3]> =
        mesh.triangles.iter().flat_map(|&[a, b, c]| [[a, b, c], [b, c, a], [c, a, b]]).collect();
    around.sort_unstable();
    for fan in around.chunk_by(|p, q| p[0] == q[0]) {
        let (mut at, mut steps) = (fan[0][1], 0);
        while let Ok(k) = fan.binary_search_by(|p| p[1].cmp(&at)) {
            at = fan[k][2];
            steps += 1;
            if at == fan[0][1] || steps > fan.len() {
                break;
            }
        }
        if steps != fan.len() {
            found.push(fan[0][0]);
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}
