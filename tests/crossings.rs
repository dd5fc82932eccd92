//! The exact crossing tests and the tree of boxes, against slow twins.

use proptest::prelude::*;
use retake::geometry::predicates::{
    Point, corner_neighbours_cross, edge_neighbours_cross, neighbours_cross, triangles_cross,
};
use retake::geometry::{Aabb, Bvh};
use std::collections::BTreeSet;

type Whole = [i128; 3];

fn minus(a: Whole, b: Whole) -> Whole {
    std::array::from_fn(|k| a[k] - b[k])
}

fn cross(a: Whole, b: Whole) -> Whole {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: Whole, b: Whole) -> i128 {
    (0..3).map(|k| a[k] * b[k]).sum()
}

/// Whether two triangles with whole coordinates and some area are apart: by trying every axis that
/// can part two triangles, in whole numbers.
fn apart(a: [Whole; 3], b: [Whole; 3]) -> bool {
    let edges = |t: [Whole; 3]| [minus(t[1], t[0]), minus(t[2], t[1]), minus(t[0], t[2])];
    let (ea, eb) = (edges(a), edges(b));
    let (na, nb) = (cross(ea[0], ea[1]), cross(eb[0], eb[1]));
    let mut axes = vec![na, nb];
    for u in ea {
        axes.push(cross(na, u));
        axes.extend(eb.iter().map(|v| cross(u, *v)));
    }
    axes.extend(eb.iter().map(|v| cross(nb, *v)));
    axes.into_iter().any(|n| {
        let span = |t: [Whole; 3]| {
            let d = t.map(|p| dot(n, p));
            (d[0].min(d[1]).min(d[2]), d[0].max(d[1]).max(d[2]))
        };
        let ((low_a, high_a), (low_b, high_b)) = (span(a), span(b));
        high_a < low_b || high_b < low_a
    })
}

fn has_area(t: [Whole; 3]) -> bool {
    cross(minus(t[1], t[0]), minus(t[2], t[0])) != [0; 3]
}

fn stored(t: [Whole; 3]) -> [Point; 3] {
    t.map(|p| p.map(|x| x as f32))
}

fn whole(most: i128) -> impl Strategy<Value = Whole> {
    [-most..=most, -most..=most, -most..=most]
}

/// Triangles of few different coordinates: most of them touch in some special way.
fn triangle(most: i128) -> impl Strategy<Value = [Whole; 3]> {
    [whole(most), whole(most), whole(most)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn crossing_agrees_with_parting_axes(
        (a, b) in prop_oneof![(triangle(2), triangle(2)), (triangle(30), triangle(30))]
    ) {
        prop_assume!(has_area(a) && has_area(b));
        prop_assert_eq!(triangles_cross(stored(a), stored(b)), !apart(a, b));
    }

    #[test]
    fn order_of_triangles_and_corners_does_not_matter(a in triangle(1), b in triangle(1)) {
        let (p, q) = (stored(a), stored(b));
        let answer = triangles_cross(p, q);
        prop_assert_eq!(triangles_cross(q, p), answer);
        prop_assert_eq!(triangles_cross([p[1], p[0], p[2]], [q[2], q[0], q[1]]), answer);
    }

    #[test]
    fn corner_neighbours_cross_where_a_shrunk_pair_still_does(
        v in whole(2), a in [whole(2), whole(2)], b in [whole(2), whole(2)]
    ) {
        prop_assume!(has_area([v, a[0], a[1]]) && has_area([v, b[0], b[1]]));
        // Without the tip at `v`, cut off below every other crossing, nothing may be left: the
        // part of a triangle with the tip cut off is two triangles, here in 64ths.
        let big = |p: Whole| p.map(|x| 64 * x);
        let cut = |p: Whole| std::array::from_fn(|k| 63 * v[k] + p[k]);
        let parts = |s: [Whole; 2]| {
            [[big(s[0]), big(s[1]), cut(s[0])], [cut(s[0]), big(s[1]), cut(s[1])]]
        };
        let left = parts(a).iter().any(|x| !apart(*x, [big(v), big(b[0]), big(b[1])]))
            || parts(b).iter().any(|x| !apart(*x, [big(v), big(a[0]), big(a[1])]));
        let f = |p: Whole| p.map(|x| x as f32);
        prop_assert_eq!(corner_neighbours_cross(f(v), a.map(f), b.map(f)), left);
    }

    #[test]
    fn edge_neighbours_cross_only_where_they_overlap(
        e in [whole(2), whole(2)], a in whole(2), b in whole(2)
    ) {
        prop_assume!(has_area([e[0], e[1], a]) && has_area([e[0], e[1], b]));
        let (na, nb) = (
            cross(minus(e[1], e[0]), minus(a, e[0])),
            cross(minus(e[1], e[0]), minus(b, e[0])),
        );
        let overlap = cross(na, nb) == [0; 3] && dot(na, nb) > 0;
        let f = |p: Whole| p.map(|x| x as f32);
        prop_assert_eq!(edge_neighbours_cross(e.map(f), f(a), f(b)), overlap);
    }

    #[test]
    fn the_tree_finds_the_pairs_that_trying_all_finds(
        points in prop::collection::vec(prop::array::uniform3(-1.0_f32..1.0), 3..120),
        split in 0.0..1.0_f64,
        size in 0.01..1.0_f32,
    ) {
        let mut positions = points.clone();
        let mut triangles: Vec<[u32; 3]> = Vec::new();
        for (i, p) in points.iter().enumerate() {
            let first = positions.len() as u32;
            positions.push([p[0] + size, p[1], p[2]]);
            positions.push([p[0], p[1] + size, p[2] - size]);
            triangles.push([i as u32, first, first + 1]);
        }
        let boxes: Vec<Aabb> = triangles
            .iter()
            .map(|t| Aabb::around(t.map(|i| &positions[i as usize])))
            .collect();
        let mut all = BTreeSet::new();
        for i in 0..boxes.len() {
            for j in i + 1..boxes.len() {
                if boxes[i].meets(&boxes[j]) {
                    all.insert((i as u32, j as u32));
                }
            }
        }
        let mut found = Vec::new();
        Bvh::new(&positions, &triangles).self_pairs(|a, b| found.push((a, b)));
        prop_assert_eq!(found.len(), all.len(), "a pair was found twice or missed");
        prop_assert_eq!(&found.into_iter().collect::<BTreeSet<_>>(), &all);

        let k = (split * triangles.len() as f64) as usize;
        let (left, right) = triangles.split_at(k);
        let mut across = Vec::new();
        Bvh::new(&positions, left)
            .cross_pairs(&Bvh::new(&positions, right), |a, b| across.push((a, b + k as u32)));
        let expected: BTreeSet<_> =
            all.into_iter().filter(|(a, b)| (*a as usize) < k && *b as usize >= k).collect();
        prop_assert_eq!(across.len(), expected.len());
        prop_assert_eq!(across.into_iter().collect::<BTreeSet<_>>(), expected);
    }
}

#[test]
fn touching_counts_as_crossing_and_the_smallest_gap_does_not() {
    let floor = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let tip = |z: f32| [[0.25, 0.25, z], [0.25, 0.5, 1.0], [0.5, 0.25, 1.0]];
    assert!(triangles_cross(floor, tip(0.0)));
    assert!(!triangles_cross(floor, tip(f32::from_bits(1))));
    assert!(triangles_cross(floor, tip(-f32::from_bits(1))));
    let slab = |z: f32| floor.map(|p| [p[0], p[1], z]);
    assert!(triangles_cross(floor, slab(0.0)));
    assert!(!triangles_cross(floor, slab(f32::MIN_POSITIVE)));
    let far = |x: f32| floor.map(|p| [1e6 + 0.25 * p[0] + x, p[1], p[2]]);
    assert!(!triangles_cross(far(0.0), far(0.5)));
    assert!(triangles_cross(far(0.0), far(0.25)));
}

#[test]
fn triangles_without_area_are_segments_and_points() {
    let floor = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0]];
    let needle = |z: f32| [[0.5, 0.5, z], [0.5, 0.5, 1.0], [0.5, 0.5, 0.75]];
    assert!(triangles_cross(floor, needle(-1.0)));
    assert!(!triangles_cross(floor, needle(0.5)));
    assert!(triangles_cross(floor, [[0.5, 0.5, 0.0]; 3]), "a point inside");
    assert!(!triangles_cross(floor, [[1.5, 1.5, 0.0]; 3]), "a point outside in the same plane");
    assert!(triangles_cross([[1.0; 3]; 3], [[1.0; 3]; 3]));
    assert!(!triangles_cross([[1.0; 3]; 3], [[1.0, 1.0, 2.0]; 3]));
}

#[test]
fn a_folded_sheet_crosses_only_when_it_lies_flat_on_itself() {
    let fold = |z: f32| vec![[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.5, 0.0], [0.9, 0.5, z]];
    assert!(!neighbours_cross(&fold(1e-30), [0, 1, 2], [1, 0, 3]));
    assert!(neighbours_cross(&fold(0.0), [0, 1, 2], [1, 0, 3]));
    assert!(neighbours_cross(&fold(0.0), [0, 1, 2], [2, 1, 0]), "the same triangle twice");
}
