//! Primitives and what can be done with meshes.

use glam::{DVec2, DVec3};
use retake::geometry::primitives::{
    Box as BoxMesh, Capsule, Cone, Cylinder, Grid, Lathe, Plane, Side, Sphere, Torus,
};
use retake::geometry::{Placement, TriMesh, join};
use std::collections::BTreeMap;
use std::f64::consts::PI;

/// Every edge of a closed, oriented surface is run through once in each direction.
fn is_watertight(mesh: &TriMesh) -> bool {
    let mut edges: BTreeMap<(u32, u32), i32> = BTreeMap::new();
    for &[a, b, c] in &mesh.triangles {
        for (from, to) in [(a, b), (b, c), (c, a)] {
            *edges.entry((from, to)).or_default() += 1;
        }
    }
    edges.iter().all(|(&(a, b), &n)| n == 1 && edges.get(&(b, a)) == Some(&1))
}

fn volume(mesh: &TriMesh) -> f64 {
    let p = |i: u32| mesh.positions[i as usize];
    mesh.triangles.iter().map(|t| p(t[0]).dot(p(t[1]).cross(p(t[2]))) / 6.0).sum()
}

fn area(mesh: &TriMesh) -> f64 {
    let p = |i: u32| mesh.positions[i as usize];
    mesh.triangles.iter().map(|t| (p(t[1]) - p(t[0])).cross(p(t[2]) - p(t[0])).length() / 2.0).sum()
}

fn normal(mesh: &TriMesh, i: usize) -> DVec3 {
    let [a, b, c] = mesh.triangles[i].map(|i| mesh.positions[i as usize]);
    (b - a).cross(c - a).normalize()
}

fn near(a: f64, b: f64, by: f64) {
    assert!((a - b).abs() <= by * b.abs().max(1e-12), "{a} is not {b}");
}

#[test]
fn a_grid_counts_rows_from_the_top_and_columns_from_the_left() {
    let grid = Grid { size: [2.0, 1.0], vertices: Some([5, 3]), ..Grid::default() };
    let mesh = grid.build().unwrap();
    assert_eq!(mesh.grid, Some((5, 3)));
    assert_eq!(mesh.positions[0], DVec3::new(-1.0, 0.5, 0.0));
    assert_eq!(mesh.positions[4], DVec3::new(1.0, 0.5, 0.0));
    assert_eq!(mesh.positions[14], DVec3::new(1.0, -0.5, 0.0));
    assert_eq!(mesh.uvs[0], DVec2::new(0.0, 1.0));
    assert_eq!(mesh.uvs[14], DVec2::new(1.0, 0.0));
    assert_eq!(mesh.triangles.len(), 16);
    assert!((0..16).all(|i| normal(&mesh, i) == DVec3::Z));
    mesh.check().unwrap();
}

#[test]
fn a_level_grid_has_its_top_edge_at_the_back() {
    let grid = Grid { normal: Some(DVec3::Y), vertices: Some([2, 2]), ..Grid::default() };
    let mesh = grid.build().unwrap();
    assert_eq!(mesh.positions[0], DVec3::new(-0.5, 0.0, -0.5));
    assert_eq!(mesh.positions[3], DVec3::new(0.5, 0.0, 0.5));
    assert_eq!(normal(&mesh, 0), DVec3::Y);
    // Seen from below with the top edge still at the back, left is at +x.
    let down = Grid { normal: Some(DVec3::NEG_Y), ..grid }.build().unwrap();
    assert_eq!(down.positions[0], DVec3::new(0.5, 0.0, -0.5));
    assert_eq!(normal(&down, 0), DVec3::NEG_Y);
}

#[test]
fn the_diagonals_of_a_grid_alternate() {
    let mesh = Grid { vertices: Some([4, 4]), ..Grid::default() }.build().unwrap();
    let long: Vec<[u32; 2]> =
        mesh.edges().into_iter().filter(|[a, b]| b - a != 1 && b - a != 4).collect();
    assert_eq!(long.len(), 9);
    assert_eq!(long.iter().filter(|[a, b]| b - a == 5).count(), 5);
}

#[test]
fn spacing_takes_the_place_of_counts() {
    let grid = Grid { size: [1.2, 0.6], spacing: Some(0.1), ..Grid::default() };
    assert_eq!(grid.build().unwrap().grid, Some((13, 7)));
    let both = Grid { vertices: Some([2, 2]), ..grid };
    assert_eq!(both.build().unwrap_err().message, "`vertices` and `spacing` exclude each other");
    let one = Grid { vertices: Some([1, 2]), ..Grid::default() };
    assert_eq!(one.build().unwrap_err().message, "`vertices` must be at least 2, it is 1");
}

#[test]
fn closed_shapes_are_watertight_and_the_right_way_out() {
    let c = DVec3::new(1.0, 2.0, 3.0);
    let spacing = Some(0.07);
    let wine_glass =
        vec![[0.0, 0.0], [0.3, 0.0], [0.4, 0.5], [0.35, 0.5], [0.25, 0.05], [0.0, 0.05]];
    let mut turned_round = wine_glass.clone();
    turned_round.reverse();
    let lathe = |profile| Lathe { profile, segments: None, spacing: None, center: c };
    let box_of = |open, wall, cells| BoxMesh {
        open,
        wall,
        cells,
        size: DVec3::new(1.0, 0.5, 0.8),
        center: c,
        spacing: None,
    };
    let plain = |spacing| Cylinder { spacing, center: c, ..Cylinder::default() };
    let cone = Cone { center: c, ..Cone::default() };
    let upside_down = Cone { radius: 0.0, top_radius: 0.5, ..cone.clone() };
    let ring = Torus { center: c, ..Torus::default() };
    let inner = (1.0 - 0.1) * (0.5 - 0.05) * (0.8 - 0.1);
    let shapes: Vec<(TriMesh, f64)> = vec![
        (box_of(None, None, None).build().unwrap(), 0.4),
        (box_of(None, None, Some([3, 4, 5])).build().unwrap(), 0.4),
        (box_of(Some(Side::Top), Some(0.05), Some([3, 1, 2])).build().unwrap(), 0.4 - inner),
        (BoxMesh { spacing, ..BoxMesh::default() }.build().unwrap(), 1.0),
        (Sphere { center: c, ..Sphere::default() }.build().unwrap(), 4.0 / 3.0 * PI),
        (Sphere { spacing: Some(0.05), ..Sphere::default() }.build().unwrap(), 4.0 / 3.0 * PI),
        (plain(None).build().unwrap(), PI * 0.25),
        (plain(spacing).build().unwrap(), PI * 0.25),
        (cone.build().unwrap(), PI * 0.25 / 3.0),
        (upside_down.build().unwrap(), PI * 0.25 / 3.0),
        (Capsule::default().build().unwrap(), PI * 0.0625 * (0.5 + 1.0 / 3.0)),
        (ring.build().unwrap(), 2.0 * PI * PI * 0.5 * 0.01),
        (lathe(wine_glass).build().unwrap(), 0.0653),
        (lathe(turned_round).build().unwrap(), 0.0653),
    ];
    for (i, (mesh, expected)) in shapes.iter().enumerate() {
        mesh.check().unwrap();
        assert!(is_watertight(mesh), "shape {i}");
        assert_eq!(mesh.uvs.len(), mesh.positions.len());
        near(volume(mesh), *expected, 0.06);
    }
}

#[test]
fn every_side_of_a_box_can_be_open() {
    for name in Side::NAMES {
        let open = Side::from_name(name);
        assert!(open.is_some());
        let bare = BoxMesh { open, cells: Some([2; 3]), ..BoxMesh::default() }.build().unwrap();
        near(area(&bare), 5.0, 1e-12);
        let walled = BoxMesh { open, wall: Some(0.1), cells: Some([2; 3]), ..BoxMesh::default() };
        let walled = walled.build().unwrap();
        assert!(is_watertight(&walled), "{name}");
        near(volume(&walled), 1.0 - 0.8 * 0.8 * 0.9, 1e-9);
    }
}

#[test]
fn wrong_sizes_are_told_by_their_keys() {
    let message = |r: Result<TriMesh, retake::diagnostics::Diagnostic>| r.unwrap_err().message;
    let ball = Sphere { radius: 0.0, ..Sphere::default() };
    assert_eq!(message(ball.build()), "`radius` must be more than 0, it is 0");
    let nan = Capsule { height: f64::NAN, ..Capsule::default() };
    assert_eq!(message(nan.build()), "`height` must be more than 0, it is NaN");
    let fat = Torus { tube: 0.6, ..Torus::default() };
    assert!(message(fat.build()).contains("crosses itself"));
    let huge = Grid { spacing: Some(1e-9), ..Grid::default() };
    assert!(message(huge.build()).contains("vertices"));
    let thin = BoxMesh { wall: Some(0.6), open: Some(Side::Top), ..BoxMesh::default() };
    assert!(message(thin.build()).contains("leaves no room"));
    let up = Grid { up: Some(DVec3::Z), ..Grid::default() };
    assert_eq!(message(up.build()), "`up` must not point along `normal`");
    let many = Sphere { subdivisions: Some(30), ..Sphere::default() };
    assert!(message(many.build()).contains("at most 8"));
    let line =
        Lathe { profile: vec![[0.0, 1.0]; 3], segments: None, spacing: None, center: DVec3::ZERO };
    assert!(message(line.build()).contains("two different points"));
}

#[test]
fn a_plane_faces_up() {
    let mesh = Plane { size: [4.0, 2.0], spacing: None, center: DVec3::Y }.build().unwrap();
    assert_eq!(normal(&mesh, 0), DVec3::Y);
    assert_eq!(mesh.bounds(), (DVec3::new(-2.0, 1.0, -1.0), DVec3::new(2.0, 1.0, 1.0)));
}

#[test]
fn moving_scales_turns_and_moves_in_this_order() {
    let mesh = Sphere::default().build().unwrap();
    let to = Placement {
        scale: DVec3::new(2.0, 1.0, 1.0),
        rotate: DVec3::new(0.0, 90.0, 0.0),
        translate: DVec3::new(0.0, 0.0, 5.0),
    };
    let (low, high) = mesh.moved(&to).bounds();
    near(high.z, 7.0, 0.01);
    near(low.z, 3.0, 0.01);
    let mirrored =
        mesh.moved(&Placement { scale: DVec3::new(-1.0, 1.0, 1.0), ..Placement::default() });
    assert!(is_watertight(&mirrored));
    near(volume(&mirrored), volume(&mesh), 1e-12);
}

#[test]
fn joining_keeps_order_and_fills_maps() {
    let mut a = Grid::default().build().unwrap();
    a.maps.insert("hem".to_owned(), vec![1.0; 4]);
    let b = BoxMesh::default().build().unwrap();
    let both = join(&[b.clone(), a.clone()]);
    both.check().unwrap();
    assert_eq!(both.positions[8..], a.positions);
    assert_eq!(both.maps["hem"][..8], [0.0; 8]);
    assert_eq!(both.maps["hem"][8..], [1.0; 4]);
    assert_eq!(join(std::slice::from_ref(&a)), a);
}

#[test]
fn subdividing_keeps_the_shape_its_maps_and_a_grid() {
    let mut grid =
        Grid { size: [2.0, 1.0], vertices: Some([4, 3]), ..Grid::default() }.build().unwrap();
    grid.maps.insert("x".to_owned(), grid.positions.iter().map(|p| p.x).collect());
    let fine = grid.subdivided(2).unwrap();
    assert_eq!(fine.grid, Some((13, 9)));
    let direct =
        Grid { size: [2.0, 1.0], vertices: Some([13, 9]), ..Grid::default() }.build().unwrap();
    assert_eq!(fine.triangles, direct.triangles);
    for (i, p) in fine.positions.iter().enumerate() {
        assert!(p.distance(direct.positions[i]) < 1e-12);
        assert!((fine.maps["x"][i] - p.x).abs() < 1e-12);
    }
    let ball = Sphere { subdivisions: Some(1), ..Sphere::default() }.build().unwrap();
    let finer = ball.subdivided(1).unwrap();
    assert_eq!(finer.positions[..ball.positions.len()], ball.positions);
    assert!(is_watertight(&finer));
    near(volume(&finer), volume(&ball), 1e-12);
}

#[test]
fn the_closest_place_may_be_inside_a_triangle() {
    let mesh = Plane { size: [4.0, 4.0], spacing: None, center: DVec3::ZERO }.build().unwrap();
    let c = mesh.closest(DVec3::new(0.5, 2.0, -0.25)).unwrap();
    assert!(c.position.distance(DVec3::new(0.5, 0.0, -0.25)) < 1e-12);
    near(c.distance, 2.0, 1e-12);
    near(c.weights.iter().sum(), 1.0, 1e-12);
    let off = mesh.closest(DVec3::new(9.0, 0.0, 0.0)).unwrap();
    assert!(off.position.distance(DVec3::new(2.0, 0.0, 0.0)) < 1e-12);
    assert!(TriMesh::default().closest(DVec3::ZERO).is_none());
}
