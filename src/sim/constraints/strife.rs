//! Stitches that should close and are held open by pins, contacts or other stitches.
//!
//! The penalty of a stitch goes with one over the substep squared. Where it cannot close, that presses what is in between the
//! deeper, the shorter substeps get, and no retake mends it. So what pulls and what contacts push at its places is looked
//! at: where they hold against each other, and leave little to be borne by the cloth, it pulls from then on as a steady
//! spring, and gently, until it is closed. So does what pulls with all that it may: something bars its way that is met
//! elsewhere.

use super::stitch::Pull;
use crate::sim::collision::contact::Row;
use crate::sim::model::Model;
use crate::sim::state::State;
use glam::DVec3;
use std::collections::{BTreeMap, BTreeSet};

/// Part of all that pulls at a place below which what is left for the cloth to bear is little.
const LITTLE: f64 = 0.5;

/// Forces at a place [N].
#[derive(Clone, Copy, Default)]
struct Balance {
    /// Sum of the sizes of all pulls.
    all: f64,
    /// What pulls and contacts come to together.
    left: DVec3,
}

/// Notes which stitches are held open at the end of a substep of these `pulls` and contact `rows`. Returns the constraints
/// of which the first is so now.
pub(crate) fn note(
    model: &Model,
    state: &mut State,
    pulls: &[Pull],
    rows: &[Row],
    inverse_mass: &[f64],
) -> Vec<usize> {
    let was = |pull: &Pull| state.stitches[pull.index].strives;
    let constraint = |pull: &Pull| model.stitches[pull.index].constraint;
    let known: BTreeSet<usize> = pulls.iter().filter(|p| was(p)).map(constraint).collect();
    let x = &state.positions;
    let open: Vec<bool> = pulls.iter().map(|pull| pull.is_open(x, was(pull))).collect();
    let places = balances(pulls, &open, rows, inverse_mass, x);
    let mut new = BTreeSet::new();
    for (pull, open) in pulls.iter().zip(open) {
        state.stitches[pull.index].closed |= pull.is_closed(x);
        let own = &mut state.stitches[pull.index].strives;
        let mut there = pull.spread.parts().filter_map(|(i, _)| places.get(&i));
        // Once it pulls little, what it carries tells no more.
        *own = open
            && (*own || pull.is_at_most(x) || there.any(|at| at.left.length() < LITTLE * at.all));
        if *own && !known.contains(&constraint(pull)) {
            new.insert(constraint(pull));
        }
    }
    new.into_iter().collect()
}

/// Forces at the free nodes of those stitches that are `open`, with all nodes at `x`.
fn balances(
    pulls: &[Pull],
    open: &[bool],
    rows: &[Row],
    inverse_mass: &[f64],
    x: &[DVec3],
) -> BTreeMap<usize, Balance> {
    let mut at: BTreeMap<usize, Balance> = BTreeMap::new();
    for (pull, _) in pulls.iter().zip(open).filter(|(_, open)| **open) {
        let free = pull.spread.parts().filter(|(i, _)| inverse_mass[*i] > 0.0);
        at.extend(free.map(|(i, _)| (i, Balance::default())));
    }
    if at.is_empty() {
        return at;
    }
    for pull in pulls {
        let force = pull.pull(x);
        for (i, weight) in pull.spread.parts() {
            if let Some(own) = at.get_mut(&i) {
                own.all += (force * weight).length();
                own.left += force * weight;
            }
        }
    }
    for row in rows.iter().filter(|row| row.lambda > 0.0) {
        let force = row.normal * row.lambda + row.lambda_t;
        for (i, weight) in row.nodes.iter().zip(row.weights) {
            if let Some(own) = at.get_mut(&(*i as usize)) {
                own.left += force * weight;
            }
        }
    }
    at
}
