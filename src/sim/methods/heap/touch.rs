//! Where two convex solids that are apart touch, or are about to: the corners of what their faces have in common, seen
//! along the normal of one of them, or the nearest places of edges and corners.

use super::apart::apart;
use super::solids::{Face, Solid};
use crate::sim::collision::place::Key;
use crate::sim::pose::Pose;
use glam::DVec3;

/// Least cosine between the way apart and a face's normal at which all of the face may soon touch.
const FACING: f64 = 0.9;

/// By how much less than one it may be where the face is what touches.
const FLUSH: f64 = 1e-7;

/// By how much more a face must face the other solid than that one's to be looked along in its stead.
const CLEARLY: f64 = 1e-4;

/// Part of a face's extent within which two places are one.
const SAME: f64 = 0.02;

/// Part of a face's extent by which a place may be beside it: where edges lie nearly along each other, where they cross
/// is at random.
const BESIDE: f64 = 0.01;

/// A solid of a body where it is.
#[derive(Clone, Copy)]
pub(super) struct Placed<'a> {
    pub(super) solid: &'a Solid,
    pub(super) pose: &'a Pose,
    /// Its corners [m].
    pub(super) corners: &'a [DVec3],
    /// First node, edge and triangle of the body.
    pub(super) first: [u32; 3],
}

impl Placed<'_> {
    fn at(&self, corner: u32) -> DVec3 {
        self.corners[corner as usize]
    }

    fn node(&self, corner: u32) -> u32 {
        self.first[0] + self.solid.vertices[corner as usize]
    }

    fn edge(&self, face: &Face, k: usize) -> u32 {
        self.first[1] + face.edges[k]
    }

    fn triangle(&self, face: &Face) -> u32 {
        self.first[2] + face.triangle
    }

    /// The face whose normal is nearest to `direction`, and the cosine between them.
    fn facing(&self, direction: DVec3) -> (&Face, f64) {
        let local = self.pose.rotation.inverse() * direction;
        let mut best = (&self.solid.faces[0], f64::NEG_INFINITY);
        for face in &self.solid.faces {
            let along = face.normal.dot(local);
            if along > best.1 {
                best = (face, along);
            }
        }
        best
    }
}

/// A place where two solids touch or may soon.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// Its name, and whether the first solid is the first of it.
    pub(super) key: Key,
    pub(super) first_is_first: bool,
    /// In the middle of the gap [m].
    pub(super) at: DVec3,
    /// How far the two are apart there along the normal [m].
    pub(super) gap: f64,
}

/// What two solids have in common.
#[derive(Clone, Debug, Default)]
pub(super) struct Touch {
    /// Along a face's normal, from the second to the first.
    pub(super) normal: DVec3,
    pub(super) places: Vec<Place>,
    /// Where they are nearest, along the way apart, if that is not the face's normal.
    pub(super) nearest: Option<Place>,
}

/// Finds where `a` and `b` are nearer than `near`, into `touch`; `guess` is a direction from the second to the first.
/// A direction from the second to the first that parts them; none where they are farther apart, or are not apart.
pub(super) fn find(
    a: &Placed<'_>,
    b: &Placed<'_>,
    guess: DVec3,
    near: f64,
    touch: &mut Touch,
) -> Option<DVec3> {
    *touch = Touch::default();
    let between = apart(a.corners, b.corners, guess, near)?;
    if between.distance > near {
        return None;
    }
    let (face_a, along_a) = a.facing(-between.normal);
    let (face_b, along_b) = b.facing(between.normal);
    let [one, other] = [a.node(between.corners[0]), b.node(between.corners[1])];
    let nearest = Place {
        key: (3, one.min(other), one.max(other)),
        first_is_first: one < other,
        at: (between.places[0] + between.places[1]) * 0.5,
        gap: between.distance,
    };
    let facing = along_a.max(along_b);
    if facing < 1.0 - FLUSH {
        touch.nearest = Some(nearest);
        if facing < FACING {
            return Some(between.normal);
        }
    }
    if along_b > along_a + CLEARLY {
        touch.normal = b.pose.rotation * face_b.normal;
        clip(b, face_b, a, face_a, touch.normal, near, false, &mut touch.places);
    } else {
        touch.normal = -(a.pose.rotation * face_a.normal);
        clip(a, face_a, b, face_b, -touch.normal, near, true, &mut touch.places);
    }
    // Beside each other's rim faces have nothing in common.
    if touch.places.is_empty() {
        touch.nearest = Some(nearest);
    }
    Some(between.normal)
}

/// An edge of one of two faces.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    /// Of the face that is looked at.
    Seen(u32),
    /// Of the face that is looked along.
    Base(u32),
}

/// A corner of what two faces have in common.
#[derive(Clone, Copy)]
struct Corner {
    at: DVec3,
    /// The edges that meet there.
    before: Side,
    after: Side,
}

/// Most corners of what two faces have in common that are kept.
const MOST: usize = 16;

/// The part of the face `seen` that is over the face `base` along its normal: places nearer than `near`.
fn clip(
    base: &Placed<'_>,
    base_face: &Face,
    seen: &Placed<'_>,
    seen_face: &Face,
    normal: DVec3,
    near: f64,
    base_is_first: bool,
    places: &mut Vec<Place>,
) {
    let count = seen_face.corners.len();
    let side = |k: usize| Side::Seen(k as u32);
    let mut polygon: Vec<Corner> = (0..count)
        .map(|k| Corner {
            at: seen.at(seen_face.corners[k]),
            before: side((k + count - 1) % count),
            after: side(k),
        })
        .collect();
    let rim = &base_face.corners;
    let across = |placed: &Placed<'_>, corners: &[u32]| {
        placed.at(corners[0]).distance_squared(placed.at(corners[corners.len() / 2]))
    };
    let extent = across(base, rim).min(across(seen, &seen_face.corners));
    let mut kept = Vec::with_capacity(polygon.len() + rim.len());
    for k in 0..rim.len() {
        let (from, to) = (base.at(rim[k]), base.at(rim[(k + 1) % rim.len()]));
        let inward = normal.cross(to - from).normalize_or_zero();
        let outer = from - inward * (BESIDE * extent.sqrt());
        let inside = |corner: &Corner| inward.dot(corner.at - outer);
        let own = Side::Base(k as u32);
        kept.clear();
        for (i, p) in polygon.iter().enumerate() {
            let q = &polygon[(i + 1) % polygon.len()];
            let (here, there) = (inside(p), inside(q));
            if here >= 0.0 {
                kept.push(*p);
            }
            if here * there < 0.0 {
                let at = p.at + (q.at - p.at) * (here / (here - there));
                let (before, after) = if here > 0.0 { (p.after, own) } else { (own, p.after) };
                kept.push(Corner { at, before, after });
            }
        }
        std::mem::swap(&mut polygon, &mut kept);
        if polygon.is_empty() {
            return;
        }
    }
    let level = normal.dot(base.at(rim[0]));
    let first = places.len();
    for corner in polygon {
        let gap = normal.dot(corner.at) - level;
        let at = corner.at - normal * (0.5 * gap);
        let is_there = |place: &&mut Place| place.at.distance_squared(at) < SAME * SAME * extent;
        if let Some(known) = places[first..].iter_mut().find(is_there) {
            known.gap = known.gap.min(gap);
            continue;
        }
        if gap > near || places.len() - first >= MOST {
            continue;
        }
        let (key, seen_is_first) = name(base, base_face, seen, seen_face, &corner);
        places.push(Place { key, first_is_first: seen_is_first != base_is_first, at, gap });
    }
}

/// The name of a corner, and whether what is seen is the first of it.
fn name(
    base: &Placed<'_>,
    base_face: &Face,
    seen: &Placed<'_>,
    seen_face: &Face,
    corner: &Corner,
) -> (Key, bool) {
    match (corner.before, corner.after) {
        (Side::Seen(_), Side::Seen(k)) => {
            let node = seen.node(seen_face.corners[k as usize]);
            ((0, node, base.triangle(base_face)), true)
        }
        (Side::Base(j), Side::Base(k)) => {
            // The corner between two edges that follow each other, either way round.
            let next = (j as usize + 1) % base_face.corners.len();
            let at = if next == k as usize { k } else { j };
            let node = base.node(base_face.corners[at as usize]);
            ((0, node, seen.triangle(seen_face)), false)
        }
        (Side::Seen(i), Side::Base(j)) | (Side::Base(j), Side::Seen(i)) => {
            let own = seen.edge(seen_face, i as usize);
            let other = base.edge(base_face, j as usize);
            ((1, own.min(other), own.max(other)), own < other)
        }
    }
}
