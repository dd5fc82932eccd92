use super::*;
use crate::geometry::join;
use crate::geometry::primitives::{self as made, Cylinder, Sphere, Torus};
use crate::geometry::{Placement, TriMesh};

/// 6 V / L^3 of the worst cell, with the longest edge L: 0.7 for a regular one.
fn worst_shape(mesh: &TriMesh) -> f64 {
    let one = |t: &[u32; 4]| {
        let [a, b, c, d] = t.map(|i| mesh.positions[i as usize]);
        let edges = [b - a, c - a, d - a, c - b, d - b, d - c];
        let longest = edges.iter().map(|e| e.length()).fold(0.0, f64::max);
        (b - a).cross(c - a).dot(d - a) / longest.powi(3)
    };
    mesh.tets.iter().map(one).fold(f64::INFINITY, f64::min)
}

fn volume(mesh: &TriMesh) -> f64 {
    let one = |t: &[u32; 4]| {
        let [a, b, c, d] = t.map(|i| mesh.positions[i as usize]);
        (b - a).cross(c - a).dot(d - a) / 6.0
    };
    mesh.tets.iter().map(one).sum()
}

fn checked(surface: &TriMesh, spacing: f64) -> TriMesh {
    let mesh = surface.tetrahedralized(spacing).unwrap();
    assert_eq!(mesh.open_edge(), None);
    assert!(cells::pinched(&mesh).is_empty());
    assert!(worst_shape(&mesh) > 0.01, "{}", worst_shape(&mesh));
    assert!((volume(&mesh) - mesh.volume()).abs() < 1e-9 * mesh.volume());
    let mut used = vec![false; mesh.positions.len()];
    mesh.tets.iter().flatten().for_each(|i| used[*i as usize] = true);
    assert!(used.iter().all(|u| *u));
    mesh
}

#[test]
fn balls_boxes_and_tori_are_filled() {
    let ball = Sphere { radius: 0.5, ..Sphere::default() }.build().unwrap();
    let cube = made::Box { size: DVec3::new(1.0, 0.6, 0.4), ..made::Box::default() };
    let cube = cube.build().unwrap();
    let turned = cube.moved(&Placement {
        scale: DVec3::ONE,
        rotate: DVec3::new(20.0, 30.0, 40.0),
        translate: DVec3::new(3.0, 1.0, -2.0),
    });
    let ring = Torus { radius: 0.5, tube: 0.2, ..Torus::default() }.build().unwrap();
    let can = Cylinder { radius: 0.3, height: 0.8, ..Cylinder::default() }.build().unwrap();
    for surface in [&ball, &cube, &turned, &ring, &can] {
        for spacing in [0.2, 0.1, 0.06] {
            let mesh = checked(surface, spacing);
            let part = mesh.volume() / surface.volume();
            // Edges are cut off by part of a cell.
            assert!(part < 1.05 && part > 1.0 - 2.0 * spacing, "{spacing}: {part}");
            let on = |i: u32| surface.closest(mesh.positions[i as usize]).unwrap().distance;
            let off = mesh.triangles.iter().flatten().map(|i| on(*i)).fold(0.0, f64::max);
            assert!(off < 1e-9, "a vertex of the new surface lies {off} m beside the old one");
            let lost = |p: &DVec3| mesh.closest(*p).unwrap().distance;
            let most = surface.positions.iter().map(lost).fold(0.0, f64::max);
            // The corners of a box that lies askew lose most.
            assert!(most < 0.8 * spacing, "{spacing}: {most}");
        }
    }
}

#[test]
fn a_flat_face_along_the_lattice_stays_flat() {
    let cube = made::Box { size: DVec3::ONE, ..made::Box::default() }.build().unwrap();
    let mesh = checked(&cube, 0.13);
    let (low, high) = mesh.bounds();
    assert!(low.distance(DVec3::splat(-0.5)) < 1e-12 && high.distance(DVec3::splat(0.5)) < 1e-12);
}

#[test]
fn overlapping_surfaces_are_one_and_a_cavity_stays_empty() {
    let ball = |radius: f64, x: f64| {
        let center = DVec3::new(x, 0.0, 0.0);
        Sphere { radius, center, ..Sphere::default() }.build().unwrap()
    };
    let snowman = join(&[ball(0.5, 0.0), ball(0.4, 0.6)]);
    let mesh = checked(&snowman, 0.1);
    assert!(mesh.volume() < 0.95 * snowman.volume(), "the common part counts once");
    let mut hole = ball(0.3, 0.0);
    hole.triangles.iter_mut().for_each(|t| t.swap(1, 2));
    let shell = join(&[ball(0.5, 0.0), hole]);
    let mesh = checked(&shell, 0.08);
    assert!((mesh.volume() / shell.volume() - 1.0).abs() < 0.06);
    let mut inverted = ball(0.5, 0.0);
    inverted.triangles.iter_mut().for_each(|t| t.swap(1, 2));
    assert_eq!(checked(&inverted, 0.1).tets.len(), checked(&ball(0.5, 0.0), 0.1).tets.len());
}

#[test]
fn what_cannot_be_filled_is_said() {
    let mut open = made::Box::default().build().unwrap();
    open.triangles.pop();
    let told = open.tetrahedralized(0.2).unwrap_err().to_string();
    assert!(told.contains("it has an open edge at ("), "{told}");
    let plate = made::Box { size: DVec3::new(1.0, 0.001, 1.0), ..made::Box::default() };
    let told = plate.build().unwrap().tetrahedralized(0.3).err().map(|d| d.to_string());
    assert!(told.is_none_or(|t| t.contains("smaller `spacing`")));
    let balls = [-0.6, 0.6].map(|x| {
        Sphere { center: DVec3::new(x, 0.0, 0.0), radius: 0.4, ..Sphere::default() }
            .build()
            .unwrap()
    });
    assert_eq!(pieces(&join(&balls).tetrahedralized(0.1).unwrap().tets, 100_000), 2);
    assert!(made::Box::default().build().unwrap().tetrahedralized(f64::NAN).is_err());
}

/// Two balls that a thin neck joins come apart where the lattice is too coarse for it.
#[test]
fn a_neck_that_is_too_thin_is_said() {
    let profile = [(0.0, -1.0), (0.5, -0.6), (0.02, -0.1), (0.02, 0.1), (0.5, 0.6), (0.0, 1.0)];
    let profile = profile.map(|(r, y)| [r, y]).to_vec();
    let mesh = made::Lathe { profile, segments: None, spacing: None, center: DVec3::ZERO }
        .build()
        .unwrap();
    let told = mesh.tetrahedralized(0.2).map(|m| pieces(&m.tets, m.positions.len()));
    match told {
        Err(d) => assert!(d.message.contains("falls into 2 pieces"), "{}", d.message),
        Ok(count) => assert_eq!(count, 1),
    }
    assert!(mesh.tetrahedralized(0.03).is_ok());
}
