//! The convex hull of points.
//!
//! Points are added one after the other: the triangles that see a new one go, and a fan from it to their
//! rim takes their place. Which triangle sees a point is decided exactly (`robust`), and what lies in
//! the plane of a triangle does not see it, so that points in one plane, on one line or in one place are
//! no special case: the hull is closed and convex whatever the points.

use glam::DVec3;
use robust::{Coord3D, orient3d};
use std::collections::BTreeSet;

/// Corner numbers of the triangles around `points`, counter-clockwise seen from outside, in an order that
/// depends on the points alone; none where all points lie in one plane.
pub fn hull(points: &[DVec3]) -> Option<Vec<[u32; 3]>> {
    let first = tetrahedron(points)?;
    let mut faces: Vec<[u32; 3]> = vec![
        [first[0], first[1], first[2]],
        [first[0], first[3], first[1]],
        [first[1], first[3], first[2]],
        [first[2], first[3], first[0]],
    ];
    for p in 0..points.len() as u32 {
        let sees = |f: &[u32; 3]| is_outside(points, *f, p);
        if first.contains(&p) || !faces.iter().any(sees) {
            continue;
        }
        let (seen, mut kept): (Vec<_>, Vec<_>) = faces.iter().partition(|f| sees(f));
        let edges = |f: &[u32; 3]| [[f[0], f[1]], [f[1], f[2]], [f[2], f[0]]];
        let inner: BTreeSet<[u32; 2]> = seen.iter().flat_map(edges).collect();
        let rim = inner.iter().filter(|[a, b]| !inner.contains(&[*b, *a]));
        kept.extend(rim.map(|[a, b]| [*a, *b, p]));
        faces = kept;
    }
    Some(faces)
}

/// Whether point `p` lies on the outer side of a triangle.
fn is_outside(points: &[DVec3], [a, b, c]: [u32; 3], p: u32) -> bool {
    // `orient3d` is positive where its last point sees the others clockwise.
    let at = |i: u32| {
        let p = points[i as usize];
        Coord3D { x: p.x, y: p.y, z: p.z }
    };
    orient3d(at(a), at(b), at(c), at(p)) < 0.0
}

/// Four points that span a volume, turned so that the first three are counter-clockwise from outside.
fn tetrahedron(points: &[DVec3]) -> Option<[u32; 4]> {
    let all = 0..points.len() as u32;
    let at = |i: u32| points[i as usize];
    let farthest = |of: &dyn Fn(u32) -> f64| {
        all.clone().fold((0, 0.0), |best, i| {
            let far = of(i);
            if far > best.1 { (i, far) } else { best }
        })
    };
    let a = 0;
    let (b, far) = farthest(&|i| at(i).distance_squared(*points.first().unwrap_or(&DVec3::ZERO)));
    if far == 0.0 {
        return None;
    }
    let along = at(b) - at(a);
    let (c, wide) = farthest(&|i| along.cross(at(i) - at(a)).length_squared());
    if wide == 0.0 {
        return None;
    }
    let normal = along.cross(at(c) - at(a));
    let (d, _) = farthest(&|i| normal.dot(at(i) - at(a)).abs());
    let spans = |d: u32| {
        [[a, b, c, d], [a, c, b, d]].into_iter().find(|&[a, b, c, d]| {
            // The triangle faces away from the fourth point.
            is_outside(points, [a, c, b], d)
        })
    };
    // What rounding calls the farthest may lie in the plane after all.
    spans(d).or_else(|| all.clone().find_map(spans))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{TriMesh, primitives};

    /// Closed, turned outwards, and no point outside.
    fn check(points: &[DVec3]) -> TriMesh {
        let triangles = hull(points).expect("not flat");
        let mesh = TriMesh { positions: points.to_vec(), triangles, ..TriMesh::default() };
        assert_eq!(mesh.open_edge(), None);
        for face in &mesh.triangles {
            let p = (0..points.len() as u32).find(|p| is_outside(points, *face, *p));
            assert_eq!(p, None, "outside of {face:?}");
        }
        mesh
    }

    #[test]
    fn boxes_of_grid_points_have_the_volume_of_a_box() {
        // 27 points in planes and on lines, each three times.
        let mut points = Vec::new();
        for i in 0..81 {
            let digit = |n: i32| f64::from(i / n % 3) - 1.0;
            points.push(DVec3::new(digit(1), 0.1 * digit(3), 7.0 * digit(9)));
        }
        let mesh = check(&points);
        assert!((mesh.volume() - 2.0 * 0.2 * 14.0).abs() < 1e-12, "{}", mesh.volume());
    }

    #[test]
    fn round_and_concave_shapes() {
        let sphere =
            primitives::Sphere { radius: 1.0, subdivisions: Some(3), ..Default::default() };
        let sphere = sphere.build().unwrap();
        let mesh = check(&sphere.positions);
        assert!((mesh.volume() / sphere.volume() - 1.0).abs() < 1e-9);
        let torus = primitives::Torus { radius: 0.5, tube: 0.2, ..Default::default() };
        let torus = torus.build().unwrap();
        assert!(check(&torus.positions).volume() > 1.2 * torus.volume());
    }

    #[test]
    fn points_without_a_volume_have_no_hull() {
        let line: Vec<DVec3> = (0..9).map(|i| DVec3::new(1.0, 2.0, 3.0) * f64::from(i)).collect();
        let plane: Vec<DVec3> =
            (0..9).map(|i| DVec3::new(f64::from(i % 3), 4.0, f64::from(i / 3))).collect();
        for points in [&[][..], &[DVec3::ONE; 5], &line, &plane] {
            assert_eq!(hull(points), None);
        }
        // A hair's breadth out of the plane is enough.
        let mut nearly = plane;
        nearly.push(DVec3::new(1.0, 4.0 + 1e-15, 1.0) + DVec3::Y * 1e-14);
        check(&nearly);
    }
}
