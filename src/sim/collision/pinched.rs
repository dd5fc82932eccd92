//! Cloth between two things that are heavier than it: what presses on it from one side is stopped by the other through it.
//! So its contact rows resist approach by the mass of the lighter of the two, as rows of rigid bodies do, and not by that
//! of its own nodes, a thousandth of it. What resists is lost when it comes apart; what bears for longer, [`super::load`]
//! tells.

use super::contact::{Row, resistance};
use crate::sim::model::Model;
use std::ops::Range;

/// Layers of cloth through which what presses on the last of them is seen.
const LAYERS: usize = 3;

/// Fewest places that a rigid body is taken to press on: it comes down on more than a corner.
const FEWEST_PLACES: u32 = 4;

/// Something that presses: the mass behind one of its places [kg], and which it is.
type Press = (f64, u32);

/// What is given is one thing, which nothing moves.
const GIVEN: Press = (f64::INFINITY, u32::MAX);

/// The two heaviest things that press on a node, the heavier first.
#[derive(Clone, Copy, Default, PartialEq)]
struct Presses([Press; 2]);

impl Presses {
    fn add(&mut self, (mass, what): Press) {
        let [first, second] = &mut self.0;
        if first.0 > 0.0 && what == first.1 {
            first.0 = first.0.max(mass);
        } else if mass > first.0 {
            *second = std::mem::replace(first, (mass, what));
        } else if mass > second.0 {
            *second = (mass, what);
        }
    }

    fn add_all(&mut self, others: Self) {
        others.0.into_iter().for_each(|one| self.add(one));
    }

    /// Mass of the lighter of two [kg]; 0 where there are not two.
    fn lighter(self) -> f64 {
        self.0[1].0
    }
}

/// What a side of a row belongs to.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    /// Cloth or a rope.
    Thin,
    Rigid(usize),
    Given,
    Cells,
}

fn side_of(model: &Model, node: u32) -> Side {
    let node = node as usize;
    let body = &model.bodies[model.surface.body_of_node[node] as usize];
    let is_held = || model.held_by_cells.get(node).is_some_and(|held| *held > 0.0);
    match body.rigid {
        _ if node >= model.carried_end => Side::Given,
        Some(rigid) => Side::Rigid(rigid),
        None if node < model.point_count && !is_held() => Side::Thin,
        None => Side::Cells,
    }
}

/// A row that has something thin, and what its sides belong to.
struct Place {
    row: usize,
    sides: [Side; 2],
}

/// The nodes of a side of a row that it acts on.
fn nodes(row: &Row, side: usize) -> impl Iterator<Item = usize> {
    let split = usize::from(row.split);
    let own: Range<usize> = if side == 0 { 0..split } else { split..4 };
    own.filter(|k| row.weights[*k] != 0.0).map(|k| row.nodes[k] as usize)
}

/// Makes rows where cloth is pinched resist approach, in a substep of `h` [s], by the mass of the lighter of what pinches it.
pub(super) fn brace(model: &Model, rows: &mut [Row], h: f64) {
    if model.rigids.is_empty() || model.point_count == 0 {
        return;
    }
    let place = |row: usize| {
        let nodes = &rows[row].nodes;
        let sides = [nodes[0], nodes[3]].map(|node| side_of(model, node));
        (sides.contains(&Side::Thin) && !sides.contains(&Side::Cells))
            .then_some(Place { row, sides })
    };
    let places: Vec<Place> = (0..rows.len()).filter_map(place).collect();
    let Some(shares) = shares(model, &places) else { return };
    let own = |side: Side| match side {
        Side::Given => Some(GIVEN),
        Side::Rigid(rigid) => Some((shares[rigid], rigid as u32)),
        Side::Thin | Side::Cells => None,
    };
    let mut presses = vec![Presses::default(); model.point_count];
    // What presses on a side of a row.
    let on = |presses: &[Presses], row: &Row, side: usize, what: Side| {
        let mut all = Presses::default();
        match own(what) {
            Some(one) => all.add(one),
            None => nodes(row, side).for_each(|i| all.add_all(presses[i])),
        }
        all
    };
    for _ in 0..LAYERS {
        for Place { row, sides } in &places {
            let row = &rows[*row];
            let across = [1, 0].map(|side| on(&presses, row, side, sides[side]));
            for side in (0..2).filter(|side| sides[*side] == Side::Thin) {
                nodes(row, side).for_each(|i| presses[i].add_all(across[side]));
            }
        }
    }
    for Place { row, sides } in &places {
        let row = &mut rows[*row];
        let mut all = on(&presses, row, 0, sides[0]);
        all.add_all(on(&presses, row, 1, sides[1]));
        let resists = resistance(all.lighter(), h);
        if resists > row.layer.damper {
            (row.layer.damper, row.layer.hard_damper) = (resists, true);
            row.line = row.layer.line(0.0);
        }
    }
}

/// How much of the mass of each rigid body is behind one of the places where it presses on something thin [kg]; none where
/// none does. Places come and go from round to round: their number counts by powers of two.
fn shares(model: &Model, places: &[Place]) -> Option<Vec<f64>> {
    let mut counts = vec![0u32; model.rigids.len()];
    for Place { sides, .. } in places {
        if let [Side::Rigid(rigid), _] | [_, Side::Rigid(rigid)] = sides {
            counts[*rigid] += 1;
        }
    }
    if counts.iter().all(|count| *count == 0) {
        return None;
    }
    let share = |(rigid, count): (&crate::sim::rigid::Rigid, &u32)| {
        rigid.mass / f64::from((*count).max(FEWEST_PLACES).next_power_of_two())
    };
    Some(model.rigids.iter().zip(&counts).map(share).collect())
}
