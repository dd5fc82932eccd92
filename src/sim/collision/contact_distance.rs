//! At which distance pairs touch, and from which on they are looked at; nearer within a body where they are near each other
//! at rest.

use super::candidates::Candidate;
use super::distance::Closest;
use crate::sim::model::{Model, SKIN};
use glam::DVec3;

/// Contacts are looked at from this multiple of their contact distance on.
pub(crate) const NEAR: f64 = 1.2;

/// More than what rounding comes to when distances are compared.
pub(super) const SURELY: f64 = 1.0 + 1e-9;

/// Half of both thicknesses and the skin [m].
pub(super) fn whole_distance(model: &Model, pair: &Candidate, close: &Closest) -> f64 {
    let half = |k: usize| close.weights[k].abs() * model.half_thickness[pair.nodes[k] as usize];
    (0..4).map(half).sum::<f64>() + SKIN
}

/// Within one body a pair rests no farther apart than this part of its distance at rest, so that a fine mesh does
/// not push itself apart: a sheet bent as tightly as its contact distance D allows goes round a half circle of that
/// diameter, and places s apart along it are then `D sin(s / D)` apart, which is `2 s / pi` or more.
const PART_OF_REST: f64 = std::f64::consts::FRAC_2_PI;

/// What touches itself at rest, as a vertex on the edge of another triangle does, rests so many times as far apart as what
/// the guard keeps: only rows push, and without any the substeps would get ever shorter.
const HAIR: f64 = 3.0;

/// Most distance at which a pair within one body rests, because of how near each other they are at rest [m].
fn distance_within(model: &Model, pair: &Candidate) -> f64 {
    let rest = pair.closest(&model.rest).offset.length();
    if rest < model.floor { HAIR * model.floor } else { PART_OF_REST * rest }
}

/// Distance at which a pair rests [m]: half of both thicknesses and the skin; within one body never
/// more than [`PART_OF_REST`] of the distance that the pair has at rest, and less where many are sewn in one place.
pub(crate) fn contact_distance(
    model: &Model,
    pair: &Candidate,
    close: &Closest,
    present: f64,
) -> f64 {
    let distance = whole_distance(model, pair, close);
    if present >= 2.0 * distance {
        return distance;
    }
    let enough = distance / PART_OF_REST;
    let is_far = |apart: DVec3| apart.length_squared() >= enough * enough;
    let within = if is_within_a_body(model, pair) && !pair.apart(&model.rest).is_some_and(is_far) {
        distance_within(model, pair)
    } else {
        distance
    };
    let sewn = model.seams.distance(pair, PART_OF_REST).unwrap_or(distance);
    distance.min(within).min(sewn)
}

/// Whether a pair within one body, its places `apart` now, is too far for a row, and for the guard, until they have
/// gone more than `way` together: because of how near each other they are at rest [m].
pub(crate) fn is_far_at_rest(model: &Model, pair: &Candidate, apart: f64, way: f64) -> bool {
    let room = apart - way;
    if !is_within_a_body(model, pair) || room <= model.floor {
        return false;
    }
    // Mostly bounds on how far apart they are at rest tell.
    if is_surely_far_at_rest(model, pair, room) {
        return true;
    }
    let part = NEAR * PART_OF_REST;
    if pair.apart(&model.rest).is_some_and(|least| room * SURELY <= part * least.length()) {
        return false;
    }
    room > far_within(model, pair)
}

/// Whether the nearest corners at rest tell already that a pair with so much `room` [m] is too far within one body.
#[inline]
pub(crate) fn is_surely_far_at_rest(model: &Model, pair: &Candidate, room: f64) -> bool {
    room > NEAR * HAIR * model.floor
        && is_within_a_body(model, pair)
        && room > NEAR * PART_OF_REST * SURELY * pair.nearest_corners(&model.rest)
}

fn is_within_a_body(model: &Model, pair: &Candidate) -> bool {
    let [body, other] = [0, 3].map(|k| model.surface.body_of_node[pair.nodes[k] as usize]);
    body == other
}

/// How far apart a pair within one body is too far, because of how near each other they are at rest [m]; never less
/// than what the guard keeps apart.
pub(crate) fn far_within(model: &Model, pair: &Candidate) -> f64 {
    model.floor.max(NEAR * distance_within(model, pair))
}

/// At least what [`far_within`] says, as the nearest corners at rest tell [m].
#[inline]
pub(crate) fn never_farther_within(model: &Model, pair: &Candidate) -> f64 {
    let nearest = PART_OF_REST * SURELY * pair.nearest_corners(&model.rest);
    NEAR * nearest.max(HAIR * model.floor)
}
