//! What contact rows add to the points that they act on, by chunks of nodes.

use super::contact::{Row, RowForce};
use crate::sim::linear::chunks;
use crate::sim::model::Model;
use crate::sim::potentials::rows::Rows;

/// Most pairs of nodes within the sides of a row: one of a vertex and nine of a triangle (of two edges four each).
const PAIRS: usize = 10;

/// Where the blocks of a row lie that acts on points alone, or on points and what is given: those of the pairs of
/// nodes of its sides, in their order.
#[derive(Clone, Debug)]
pub(crate) struct Footing {
    slots: [u32; PAIRS],
}

/// Pairs of places of the same side, of which the first has `split`.
fn pairs(split: usize) -> impl Iterator<Item = (usize, usize)> {
    [0..split, split..4].into_iter().flat_map(|side| {
        let other = side.clone();
        side.flat_map(move |i| other.clone().map(move |j| (i, j)))
    })
}

impl Footing {
    /// That of a row on `nodes`, of which the first side has `split`; none where it acts on something else, or where nodes
    /// of a side are not coupled in the tangent.
    pub(crate) fn new(model: &Model, nodes: &[u32; 4], split: usize) -> Option<Self> {
        let is_point = |i: u32| (i as usize) < model.point_count;
        if nodes.iter().any(|&i| !is_point(i) && (i as usize) < model.carried_end) {
            return None;
        }
        let mut slots = [u32::MAX; PAIRS];
        for (slot, (i, j)) in slots.iter_mut().zip(pairs(split)) {
            if is_point(nodes[i]) && is_point(nodes[j]) {
                *slot = model.pattern.find(nodes[i], nodes[j])?;
            }
        }
        Some(Self { slots })
    }
}

impl Row {
    /// Adds its force and, where there are blocks, its tangent to the nodes in `rows`; a node that is `given` does not
    /// move.
    fn add_to_rows(&self, at: &RowForce, footing: &Footing, given: &[bool], rows: &mut Rows<'_>) {
        for (i, weight) in self.nodes.iter().zip(self.weights) {
            if weight != 0.0 && rows.has(*i) {
                rows.gradient[*i as usize - rows.first] -= at.force * weight;
            }
        }
        let Some(blocks) = &mut rows.blocks else { return };
        let (first, first_slot) = (rows.first, rows.first_slot);
        let own = first..first + rows.gradient.len();
        let moves = |k: usize| self.weights[k] != 0.0 && !given[self.nodes[k] as usize];
        for (slot, (i, j)) in footing.slots.iter().zip(pairs(usize::from(self.split))) {
            if *slot != u32::MAX && own.contains(&(self.nodes[i] as usize)) && moves(i) && moves(j)
            {
                let factor = self.weights[i] * self.weights[j];
                blocks[*slot as usize - first_slot] += at.block * factor;
            }
        }
    }

    /// Its weights on points that move, where it couples points of both sides.
    pub(crate) fn across(&self, model: &Model, given: &[bool]) -> Option<[f64; 4]> {
        let mut weights = self.weights;
        for (weight, &i) in weights.iter_mut().zip(&self.nodes) {
            if i as usize >= model.point_count || given[i as usize] {
                *weight = 0.0;
            }
        }
        let (one, other) = weights.split_at(usize::from(self.split));
        let moves = |side: &[f64]| side.iter().any(|weight| *weight != 0.0);
        (moves(one) && moves(other)).then_some(weights)
    }
}

/// Sets `acting` to the numbers of the rows with a footing that act on each chunk of the points.
pub(crate) fn find_acting(model: &Model, rows: &[Row], acting: &mut Vec<Vec<u32>>) {
    let on_points = (0..).zip(rows).filter(|(_, row)| row.footing.is_some());
    let terms = on_points.map(|(r, row)| (r, &row.nodes[..]));
    chunks::terms_by_chunk(model.point_count, terms, acting);
}

/// Adds what the rows with a footing add, `forces` at the present iterate, to the points in `shares`, on each of which
/// the rows in `acting` act; a node that is `given` does not move.
pub(crate) fn add(
    acting: &[Vec<u32>],
    rows: &[Row],
    forces: &[Option<RowForce>],
    given: &[bool],
    shares: Vec<Rows<'_>>,
) {
    assert_eq!(acting.len(), shares.len(), "the rows were not taken");
    let mut parts: Vec<_> = acting.iter().zip(shares).collect();
    chunks::for_each(&mut parts, |(own, points)| {
        for &r in *own {
            let row = &rows[r as usize];
            if let (Some(at), Some(footing)) = (&forces[r as usize], &row.footing) {
                row.add_to_rows(at, footing, given, points);
            }
        }
    });
}
