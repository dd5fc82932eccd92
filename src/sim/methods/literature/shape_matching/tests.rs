use super::apart::{push, share};
use super::depth::{closest, depths, faces_in, place};
use super::detection::{Counts, Grid, Pair, find_inside, is_in_cell, prime_from};
use super::solids::{Bounds, Solid};
use crate::geometry::TriMesh;
use crate::geometry::primitives::{TetBall, TetBox};
use glam::DVec3;

/// A box of cells as nodes from `first` on.
fn boxed(size: DVec3, cells: [u32; 3], center: DVec3, first: usize) -> (Solid, Vec<DVec3>) {
    let mesh = TetBox { size, cells: Some(cells), center, ..TetBox::default() }.build().unwrap();
    (solid(&mesh, first), mesh.positions)
}

fn solid(mesh: &TriMesh, first: usize) -> Solid {
    Solid::of(mesh, 0, first..first + mesh.positions.len(), 0.8)
}

/// S-46: what lies on a face, an edge or a corner of a cell is in it.
#[test]
fn a_cell_holds_its_faces_edges_and_corners() {
    let cell = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let third = 1.0 / 3.0;
    for inside in [
        DVec3::ZERO,
        DVec3::X,
        DVec3::splat(0.25),
        DVec3::new(0.5, 0.0, 0.0),
        DVec3::new(0.5, 0.5, 0.0),
        DVec3::new(third, third, 0.0),
    ] {
        assert!(is_in_cell(inside, cell), "{inside}");
    }
    for outside in [DVec3::splat(0.34), -1e-12 * DVec3::X, DVec3::new(0.5, 0.5, 1e-12)] {
        assert!(!is_in_cell(outside, cell), "{outside}");
    }
    assert!(!is_in_cell(DVec3::ZERO, [DVec3::ZERO; 4]));
}

/// S-42: what is found does not depend on the table, and agrees with trying all.
#[test]
fn any_table_finds_what_trying_all_finds() {
    let (a, mut z) = boxed(DVec3::ONE, [4; 3], DVec3::ZERO, 0);
    let (b, other) = boxed(DVec3::ONE, [3; 3], DVec3::new(0.62, 0.41, 0.57), z.len());
    z.extend(other);
    let solids = [a, b];
    let all: Vec<u32> = (0..z.len() as u32).collect();
    let found = |cell: f64, size: usize| {
        let region = Bounds { low: DVec3::splat(-9.0), high: DVec3::splat(9.0) };
        let pair = |solids| Pair { solids, region, inside: Vec::new() };
        let mut pairs = vec![pair([0, 1]), pair([1, 0])];
        let grid = Grid::new(&all, &z, cell, size);
        find_inside(&mut pairs, &solids, &z, &grid, &mut Counts::default());
        pairs.into_iter().map(|p| p.inside).collect::<Vec<_>>()
    };
    let by_hand: Vec<Vec<u32>> = [(0, 1), (1, 0)]
        .map(|(own, other): (usize, usize)| {
            let is_in = |i: &u32| {
                let cells = &solids[other].cells;
                cells.iter().any(|c| is_in_cell(z[*i as usize], c.map(|k| z[k as usize])))
            };
            solids[own].nodes.clone().map(|i| i as u32).filter(is_in).collect()
        })
        .to_vec();
    assert!(by_hand.iter().all(|list| !list.is_empty()));
    for (cell, size) in [(0.3, 1), (0.3, 7), (0.3, prime_from(400)), (0.05, 101), (5.0, 101)] {
        assert_eq!(found(cell, size), by_hand, "{cell} {size}");
    }
    assert_eq!([prime_from(0), prime_from(14), prime_from(17)], [2, 17, 17]);
}

/// Depths of the vertices of `own` in `other`.
fn found(own: &Solid, other: &Solid, z: &[DVec3]) -> Vec<super::depth::Deep> {
    let is_in =
        |i: &u32| other.cells.iter().any(|c| is_in_cell(z[*i as usize], c.map(|k| z[k as usize])));
    let inside: Vec<u32> = own.nodes.clone().map(|i| i as u32).filter(is_in).collect();
    let all = Bounds { low: DVec3::splat(-99.0), high: DVec3::splat(99.0) };
    depths(own, other, &faces_in(other, &all, z), &inside, z)
}

/// S-31, S-49, S-50: a cube a part of which is below a plane: the depth is the distance to it, at the border
/// and farther in, and all ways out are up.
#[test]
fn depths_below_a_plane_are_the_distance_to_it() {
    let (a, mut z) = boxed(DVec3::ONE, [6; 3], DVec3::new(0.0, 0.07, 0.0), 0);
    let (b, slab) = boxed(DVec3::new(4.0, 4.0, 4.0), [2; 3], DVec3::new(0.0, -2.0, 0.0), z.len());
    z.extend(slab);
    let deep = found(&a, &b, &z);
    assert_eq!(deep.len(), 3 * 49);
    for d in deep {
        let y = z[d.node as usize].y;
        assert!((d.depth + y).abs() < 1e-9 && d.out.distance(DVec3::Y) < 1e-9, "{y}: {d:?}");
    }
}

/// S-31: where two balls are in each other by a third of a diameter, no two neighbours have ways out that are
/// farther apart than 41 degrees.
#[test]
fn ways_out_are_smooth() {
    let ball = |x: f64, first: usize| {
        let center = DVec3::new(x, 0.1, -0.07);
        let mesh = TetBall { radius: 1.0, cells: Some(8), center, ..TetBall::default() };
        let mesh = mesh.build().unwrap();
        (solid(&mesh, first), mesh.positions)
    };
    let (a, mut z) = ball(0.0, 0);
    let (b, other) = ball(1.34, z.len());
    z.extend(other);
    let deep = found(&a, &b, &z);
    assert!(deep.len() > 30, "{}", deep.len());
    let mut least = 1.0f64;
    for one in &deep {
        for j in a.neighbours(one.node) {
            let Ok(k) = deep.binary_search_by_key(j, |d| d.node) else { continue };
            least = least.min(one.out.dot(deep[k].out));
        }
    }
    println!("{} vertices, least cosine {least}", deep.len());
    assert!(least > 0.75, "{least}");
}

/// S-48: also what is inside as a whole has a depth.
#[test]
fn a_body_in_another_has_depths() {
    let (a, mut z) = boxed(DVec3::splat(0.2), [2; 3], DVec3::new(0.6, 0.0, 0.0), 0);
    let (b, other) = boxed(DVec3::splat(2.0), [4; 3], DVec3::ZERO, z.len());
    z.extend(other);
    let deep = found(&a, &b, &z);
    assert_eq!(deep.len(), 27);
    for d in deep {
        let x = z[d.node as usize].x;
        assert!((d.depth - (1.0 - x)).abs() < 1e-9 && d.out.distance(DVec3::X) < 1e-9, "{d:?}");
    }
}

/// S-32: the contact triangle and its weights.
#[test]
fn the_place_on_the_surface_has_its_weights() {
    let (a, z) = boxed(DVec3::ONE, [2; 3], DVec3::ZERO, 0);
    let p = DVec3::new(0.1, 0.9, -0.2);
    let spot = closest(&a.faces, u32::MAX, p, &z).unwrap();
    assert!((spot.weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    assert!(place(&spot, &z).distance(DVec3::new(0.1, 0.5, -0.2)) < 1e-12);
}

/// S-35: half way for equal stiffness; the softer one goes farther.
#[test]
fn shares_go_by_stiffness() {
    assert_eq!(share(0.8, 0.8), 0.5);
    assert_eq!(share(0.0, 0.0), 0.5);
    assert!((share(0.2, 0.8) - 0.8).abs() < 1e-15);
}

/// S-34: a place between the ends of an edge goes all its way, and each end by its weight over the sum of
/// the squares of both.
#[test]
fn ends_of_an_edge_share_by_their_weights() {
    let mut pushed = Vec::new();
    push(&mut pushed, [3, 7], [0.25, 0.75], DVec3::Y);
    let ways: Vec<f64> = pushed.iter().map(|p| p.2.y).collect();
    assert_eq!(ways, [0.25 / 0.625, 0.75 / 0.625]);
    assert!((0.25 * ways[0] + 0.75 * ways[1] - 1.0).abs() < 1e-15);
}
