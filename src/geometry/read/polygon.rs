//! Polygons as triangles.

use glam::DVec3;

/// Most corners for which ears are looked for, which takes long; larger polygons become fans.
const MOST_EARS: usize = 1024;

/// The triangles of a polygon, as numbers of its corners. A quad is cut along its shorter inner
/// diagonal; larger ones by cutting off ears, so that a polygon may be bent and not convex.
pub(super) fn triangles(corners: &[DVec3]) -> Vec<[usize; 3]> {
    match corners.len() {
        0..3 => Vec::new(),
        3 => vec![[0, 1, 2]],
        4 => quad(corners),
        5..=MOST_EARS => ears(corners),
        n => (1..n - 1).map(|i| [0, i, i + 1]).collect(),
    }
}

/// Area-weighted normal of a polygon (Newell).
fn normal(corners: &[DVec3]) -> DVec3 {
    let n = corners.len();
    (1..n - 1)
        .map(|i| (corners[i] - corners[0]).cross(corners[i + 1] - corners[0]))
        .fold(DVec3::ZERO, |a, b| a + b)
}

fn quad(c: &[DVec3]) -> Vec<[usize; 3]> {
    let n = normal(c);
    let turns = |i: usize, j: usize, k: usize| (c[j] - c[i]).cross(c[k] - c[i]).dot(n) >= 0.0;
    let first_inside = turns(0, 1, 2) && turns(0, 2, 3);
    let second_inside = turns(0, 1, 3) && turns(1, 2, 3);
    let shorter = c[0].distance_squared(c[2]) <= c[1].distance_squared(c[3]);
    if (first_inside == second_inside && shorter) || (first_inside && !second_inside) {
        vec![[0, 1, 2], [0, 2, 3]]
    } else {
        vec![[0, 1, 3], [1, 2, 3]]
    }
}

fn ears(c: &[DVec3]) -> Vec<[usize; 3]> {
    let n = normal(c);
    let mut left: Vec<usize> = (0..c.len()).collect();
    let mut found = Vec::with_capacity(c.len() - 2);
    let mut start = 0;
    while left.len() > 3 {
        let count = left.len();
        // A polygon that crosses itself may have no ear; any corner then does.
        let ear = (0..count)
            .map(|k| (start + k) % count)
            .find(|&k| is_ear(c, &left, k, n))
            .unwrap_or(start % count);
        found.push([left[(ear + count - 1) % count], left[ear], left[(ear + 1) % count]]);
        left.remove(ear);
        // Going on at the next corner makes fewer slivers than starting over.
        start = (ear + 1) % left.len();
    }
    found.push([left[0], left[1], left[2]]);
    found
}

fn is_ear(c: &[DVec3], left: &[usize], k: usize, n: DVec3) -> bool {
    let count = left.len();
    let (i, j, l) = (left[(k + count - 1) % count], left[k], left[(k + 1) % count]);
    let side = |a: DVec3, b: DVec3, p: DVec3| (b - a).cross(p - a).dot(n);
    if side(c[i], c[j], c[l]) <= 0.0 {
        return false;
    }
    left.iter().filter(|&&p| p != i && p != j && p != l).all(|&p| {
        let p = c[p];
        side(c[i], c[j], p) < 0.0 || side(c[j], c[l], p) < 0.0 || side(c[l], c[i], p) < 0.0
    })
}
