//! How deep vertices are in a solid, and the way out (Heidelberger, Teschner, Keiser, Mueller and Gross 2004;
//! Sotomayor 2008, section 5.4.1): for vertices next to free ones by where their edges cross the surface,
//! for those farther in by what their neighbours have, level by level. So neighbours agree on the way out,
//! where each one's nearest point of the surface would not.

use super::solids::{Bounds, Solid, bounds};
use crate::geometry::closest_on_triangle;
use glam::DVec3;

/// A vertex in a solid.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deep {
    pub(super) node: u32,
    /// [m], at least 0.
    pub(super) depth: f64,
    /// Unit direction out.
    pub(super) out: DVec3,
}

/// A place on the surface of a solid.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    pub(super) face: [u32; 3],
    pub(super) weights: [f64; 3],
}

/// Unit normal of a face at `z`; zero for a flat one.
fn normal(face: [u32; 3], z: &[DVec3]) -> DVec3 {
    let [a, b, c] = face.map(|i| z[i as usize]);
    (b - a).cross(c - a).normalize_or_zero()
}

/// Where the segment from `p` to `q` goes through a face: part of its way, and weights of the face's
/// corners (Moeller and Trumbore 1997).
fn crossing(p: DVec3, q: DVec3, [a, b, c]: [DVec3; 3]) -> Option<(f64, [f64; 3])> {
    let (way, ab, ac) = (q - p, b - a, c - a);
    let across = way.cross(ac);
    let volume = ab.dot(across);
    if volume == 0.0 {
        return None;
    }
    let from = p - a;
    let u = from.dot(across) / volume;
    let turned = from.cross(ab);
    let v = way.dot(turned) / volume;
    let t = ac.dot(turned) / volume;
    let inside = u >= 0.0 && v >= 0.0 && u + v <= 1.0 && (0.0..=1.0).contains(&t);
    inside.then_some((t, [1.0 - u - v, u, v]))
}

/// Faces of `solid` whose boxes meet `region`.
pub(super) fn faces_in(solid: &Solid, region: &Bounds, z: &[DVec3]) -> Vec<[u32; 3]> {
    solid.faces.iter().filter(|f| bounds(*f, z).meets(region)).copied().collect()
}

/// All places where the segment between two nodes goes through `faces`, by their part of the way.
pub(super) fn crossings([i, j]: [u32; 2], faces: &[[u32; 3]], z: &[DVec3]) -> Vec<(f64, [u32; 3])> {
    let (p, q) = (z[i as usize], z[j as usize]);
    let around = bounds(&[i, j], z);
    let mut found: Vec<(f64, [u32; 3])> = faces
        .iter()
        .filter(|face| !face.contains(&i) && !face.contains(&j))
        .filter(|face| bounds(*face, z).meets(&around))
        .filter_map(|face| Some((crossing(p, q, face.map(|k| z[k as usize]))?.0, *face)))
        .collect();
    found.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    found
}

/// Depths of the vertices `inside` (sorted) of `own` in `other`, whose faces around are `faces`.
pub(super) fn depths(
    own: &Solid,
    other: &Solid,
    faces: &[[u32; 3]],
    inside: &[u32],
    z: &[DVec3],
) -> Vec<Deep> {
    let mut found: Vec<Option<Deep>> =
        inside.iter().map(|i| border(own, faces, inside, *i, z)).collect();
    // Inward, level by level (equations 5.5 and 5.6).
    loop {
        let step: Vec<(usize, Deep)> = (0..inside.len())
            .filter(|k| found[*k].is_none())
            .filter_map(|k| Some((k, inner(own, inside, &found, inside[k], z)?)))
            .collect();
        if step.is_empty() {
            break;
        }
        for (k, deep) in step {
            found[k] = Some(deep);
        }
    }
    let whole = |i: u32| nearest_way_out(other, i, z);
    inside.iter().zip(found).filter_map(|(i, deep)| deep.or_else(|| whole(*i))).collect()
}

/// A vertex next to one that is free, by the places where the edges between them cross the surface
/// (equations 5.2 to 5.4).
fn border(own: &Solid, faces: &[[u32; 3]], inside: &[u32], i: u32, z: &[DVec3]) -> Option<Deep> {
    let v = z[i as usize];
    let (mut weights, mut depth, mut out) = (0.0, 0.0, DVec3::ZERO);
    for &j in own.neighbours(i) {
        if inside.binary_search(&j).is_ok() {
            continue;
        }
        let Some(&(t, face)) = crossings([i, j], faces, z).first() else { continue };
        let (way, n) = ((z[j as usize] - v) * t, normal(face, z));
        let weight = 1.0 / way.length_squared().max(f64::MIN_POSITIVE);
        weights += weight;
        depth += weight * way.dot(n);
        out += n * weight;
    }
    let out = out.try_normalize()?;
    (weights > 0.0).then(|| Deep { node: i, depth: (depth / weights).max(0.0), out })
}

/// A vertex whose neighbours are known.
fn inner(own: &Solid, inside: &[u32], found: &[Option<Deep>], i: u32, z: &[DVec3]) -> Option<Deep> {
    let v = z[i as usize];
    let (mut weights, mut depth, mut out) = (0.0, 0.0, DVec3::ZERO);
    for j in own.neighbours(i) {
        let Some(Some(known)) = inside.binary_search(j).ok().map(|k| found[k]) else { continue };
        let way = z[*j as usize] - v;
        let weight = 1.0 / way.length_squared().max(f64::MIN_POSITIVE);
        weights += weight;
        depth += weight * (way.dot(known.out) + known.depth);
        out += known.out * weight;
    }
    let out = out.try_normalize()?;
    (weights > 0.0).then(|| Deep { node: i, depth: (depth / weights).max(0.0), out })
}

/// The way to the nearest place of the surface, for bodies that are in another as a whole, as no edge of
/// theirs crosses it, and for what crumpled surfaces still hold after some rounds.
pub(super) fn nearest_way_out(other: &Solid, i: u32, z: &[DVec3]) -> Option<Deep> {
    let v = z[i as usize];
    let spot = closest(&other.faces, i, v, z)?;
    let way = place(&spot, z) - v;
    let out = way.try_normalize().unwrap_or_else(|| normal(spot.face, z));
    Some(Deep { node: i, depth: way.length(), out })
}

/// Where a spot is [m].
pub(super) fn place(spot: &Spot, z: &[DVec3]) -> DVec3 {
    spot.face.iter().zip(spot.weights).map(|(i, w)| z[*i as usize] * w).sum()
}

/// The place of `faces` without node `i` that is nearest to `p`.
pub(super) fn closest(faces: &[[u32; 3]], i: u32, p: DVec3, z: &[DVec3]) -> Option<Spot> {
    let mut best: Option<(f64, Spot)> = None;
    for face in faces.iter().filter(|face| !face.contains(&i)) {
        // A box that is farther than the best so far has nothing nearer.
        let b = bounds(face, z);
        let away = (b.low - p).max(p - b.high).max(DVec3::ZERO).length_squared();
        if best.as_ref().is_some_and(|best| away > best.0) {
            continue;
        }
        let [a, b, c] = face.map(|k| z[k as usize]);
        let spot = Spot { face: *face, weights: closest_on_triangle(p, a, b, c) };
        let far = place(&spot, z).distance_squared(p);
        if best.as_ref().is_none_or(|best| far < best.0) {
            best = Some((far, spot));
        }
    }
    best.map(|(_, spot)| spot)
}

/// An edge that goes through a solid with both its ends free: the middle of the way in it as a part of
/// the edge, how deep that is, the way out, and where it is.
pub(super) struct Through {
    pub(super) edge: [u32; 2],
    pub(super) part: f64,
    pub(super) depth: f64,
    pub(super) out: DVec3,
    pub(super) spot: Spot,
}

/// How the edge goes through the solid with these faces around; none where it does not.
pub(super) fn through(edge: [u32; 2], faces: &[[u32; 3]], z: &[DVec3]) -> Option<Through> {
    let found = crossings(edge, faces, z);
    let (first, last) = (found.first()?, found.last()?);
    if found.len() < 2 {
        return None;
    }
    let out = (normal(first.1, z) + normal(last.1, z)).try_normalize()?;
    let part = 0.5 * (first.0 + last.0);
    let middle = z[edge[0] as usize].lerp(z[edge[1] as usize], part);
    // As far as the box around the faces reaches.
    let all = Bounds::around(faces.iter().flatten().map(|i| *i as usize), z);
    let end = middle + out * (all.high - all.low).length();
    let (t, spot) = faces
        .iter()
        .filter(|face| normal(**face, z).dot(out) > 0.0)
        .filter_map(|face| {
            let (t, weights) = crossing(middle, end, face.map(|k| z[k as usize]))?;
            Some((t, Spot { face: *face, weights }))
        })
        .min_by(|a, b| a.0.total_cmp(&b.0))?;
    Some(Through { edge, part, depth: (end - middle).length() * t, out, spot })
}
