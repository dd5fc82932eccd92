//! A coarse level: rigid pieces coupled by 6x6 blocks that follow those of a finer level.
//!
//! Pieces of pieces that only move rigidly are too stiff: what a sheet does between them is lost. Levels behind the
//! first of a large sheet may be softer than the finer level says in all but inertia, by [`SOFTER`] each (Braess 1995
//! scales the whole correction, by 1.8, which would take inertia off as well).

use super::aggregates::Aggregates;
use super::chunks::for_each;
use super::couplings::Couplings;
use super::dense::{LEAST_PIVOT, inverse_of_six};
use super::lanes::{Block3, Block6, Lane4, Rigid};
use super::matrix::Matrix;
use super::rigid_matrix::{RigidMatrix, SHARED};
use glam::DVec3;

/// By how much a level behind the first may be softer than the finer level says. Below 2, so that two cycles of it stay
/// positive.
const SOFTER: f32 = 1.5;

/// How a finer level's nodes follow the pieces of this level.
#[derive(Clone, Debug, Default)]
pub(crate) struct Transfer {
    pub(crate) groups: Aggregates,
    /// From the piece's centre to each finer node, in units of the piece's size.
    pub(crate) arms: Vec<Lane4>,
    /// Part of the piece's turn that each finer node turns by, in both pieces' units.
    pub(crate) turns: Vec<f32>,
}

impl Transfer {
    /// Bytes that one pass over the finer nodes reads.
    pub(crate) fn bytes(&self) -> u64 {
        let nodes = size_of_val(&self.arms[..]) + size_of_val(&self.turns[..]);
        nodes as u64 + self.groups.bytes()
    }

    /// Motion of finer node `i`, moved by its piece.
    #[inline(always)]
    pub(crate) fn down(&self, i: usize, piece: &[Rigid]) -> Rigid {
        let own = piece[self.groups.of[i] as usize];
        Rigid {
            shift: own.shift + Block3::rotation(self.arms[i]).times(own.turn),
            turn: own.turn * self.turns[i],
        }
    }

    /// Adds what an inertia of finer node `i` does to its piece, each on the diagonal, to `piece`.
    fn add_inertia(&self, i: usize, inertia: Rigid, piece: &mut Rigid) {
        let [x, y, z] = self.arms[i].three().map(|arm| arm * arm);
        let turned = self.turns[i] * self.turns[i];
        let turn = inertia.shift * Lane4::from_three(y + z, x + z, x + y) + inertia.turn * turned;
        *piece += Rigid { shift: inertia.shift, turn };
    }

    /// Force on the piece of finer node `i` from a force on the node.
    #[inline(always)]
    pub(crate) fn up(&self, i: usize, force: Rigid) -> Rigid {
        Rigid {
            shift: force.shift,
            turn: Block3::rotation(self.arms[i]).transpose().times(force.shift)
                + force.turn * self.turns[i],
        }
    }

    /// What `block` between finer nodes `i` and `j` is between their pieces, as far as it goes for `j`.
    #[inline(always)]
    fn down_block(&self, j: usize, block: &Block6) -> Block6 {
        let (arm, turn) = (Block3::rotation(self.arms[j]), self.turns[j]);
        Block6 {
            ss: block.ss,
            ts: block.ts,
            st: block.ss.times_block(&arm) + block.st.scaled(turn),
            tt: block.ts.times_block(&arm) + block.tt.scaled(turn),
        }
    }

    /// The same as far as it goes for `i`.
    #[inline(always)]
    fn up_block(&self, i: usize, block: &Block6) -> Block6 {
        let (back, turn) = (Block3::rotation(self.arms[i]).transpose(), self.turns[i]);
        Block6 {
            ss: block.ss,
            st: block.st,
            ts: back.times_block(&block.ss) + block.ts.scaled(turn),
            tt: back.times_block(&block.st) + block.tt.scaled(turn),
        }
    }
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Level {
    pub(crate) matrix: RigidMatrix,
    /// Place in its coarse row of each entry of the finer level: blocks (or 6x6 blocks), and scalars.
    place: Vec<u16>,
    thin_place: Vec<u16>,
    /// What of its diagonal is inertia.
    inertia: Vec<Rigid>,
    pub(crate) force: Vec<Rigid>,
    pub(crate) motion: Vec<Rigid>,
}

/// Calls `work` with the number of each of `pieces` and it.
pub(crate) fn pieces(pieces: &mut [Rigid], work: impl Fn(usize, &mut Rigid) + Sync) {
    let work = |first: usize, own: &mut [Rigid]| {
        (first..).zip(own).for_each(|(g, piece)| work(g, piece));
    };
    if pieces.len() <= SHARED {
        return work(0, pieces);
    }
    let mut parts: Vec<_> = (0..).step_by(SHARED).zip(pieces.chunks_mut(SHARED)).collect();
    for_each(&mut parts, |(first, own)| work(*first, own));
}

fn inverted(block: &Block6) -> Block6 {
    inverse_of_six(LEAST_PIVOT, |i, j| block.entry(i, j) as f64)
}

/// One finer row's share of a coarse row, before the finer node's own transfer.
#[derive(Clone, Copy, Default)]
struct Share {
    touched: bool,
    block: Block6,
}

impl Share {
    #[inline(always)]
    fn add(&mut self, block: Block6) {
        self.touched = true;
        self.block += block;
    }
}

impl Level {
    /// The level of `groups` of a finer level whose row `i` has blocks in the columns `columns(i)[0]`
    /// and scalars in `columns(i)[1]`.
    pub(crate) fn new<'a>(groups: &Aggregates, columns: impl Fn(usize) -> [&'a [u32]; 2]) -> Self {
        let graph = groups.coarse_graph(&columns);
        let place_of = |i: usize, j: u32| {
            let g = groups.of[i];
            (graph.slot(g, groups.of[j as usize]) - graph.start[g as usize]) as u16
        };
        let (mut place, mut thin_place) = (Vec::new(), Vec::new());
        for i in 0..groups.of.len() {
            let [full, thin] = columns(i);
            place.extend(full.iter().map(|&j| place_of(i, j)));
            thin_place.extend(thin.iter().map(|&j| place_of(i, j)));
        }
        let pieces = vec![Rigid::ZERO; groups.len()];
        Self {
            matrix: RigidMatrix::new(graph),
            place,
            thin_place,
            inertia: pieces.clone(),
            force: pieces.clone(),
            motion: pieces,
        }
    }

    /// Bytes that a cycle moves on this level: a sweep and what it leaves are one pass, the sweep back another.
    pub(crate) fn bytes_per_cycle(&self) -> u64 {
        let vectors = size_of_val(&self.force[..]) + size_of_val(&self.motion[..]);
        2 * (self.matrix.bytes() + self.matrix.bytes_of_smoother() + vectors as u64)
    }

    /// Bytes that are moved when it follows a finer level, beside those of the finer level.
    pub(crate) fn bytes_of_refresh(&self) -> u64 {
        let places = size_of_val(&self.place[..]) + size_of_val(&self.thin_place[..]);
        self.matrix.bytes() + self.matrix.bytes_of_smoother() + places as u64
    }

    /// Number of pieces.
    pub(crate) fn len(&self) -> usize {
        self.matrix.len()
    }

    /// `P^T A P` of the finest level, whose nodes have `inertia`, if what is behind asks for it. What couples nodes across
    /// terms would couple pieces of which the pattern knows nothing; what holds nodes where other sides move against them
    /// is on the diagonal instead, so that no motion of pieces finds the level softer.
    pub(crate) fn refresh_from_nodes(
        &mut self,
        transfer: &Transfer,
        matrix: &Matrix,
        couplings: &Couplings,
        inertia: Option<impl Fn(usize) -> f64 + Sync>,
    ) {
        let Self { matrix: own, place, thin_place, .. } = self;
        if let Some(inertia) = inertia {
            pieces(&mut self.inertia, |g, sum| {
                *sum = Rigid::ZERO;
                for &i in transfer.groups.group(g) {
                    let shift = Lane4::new(DVec3::splat(inertia(i as usize)));
                    transfer.add_inertia(i as usize, Rigid { shift, turn: Lane4::ZERO }, sum);
                }
            });
        }
        let add_row = |i: usize, shares: &mut [Share]| {
            let held = couplings.held(i);
            for (slot, j, mut block) in matrix.full_row(i) {
                if let Some(held) = held.filter(|_| i == j) {
                    block += held;
                }
                let arm = Block3::rotation(transfer.arms[j]);
                let st = block.times_block(&arm);
                shares[place[slot] as usize].add(Block6 { ss: block, st, ..Block6::default() });
            }
            for (slot, j, value) in matrix.thin_row(i) {
                let (ss, arm) = (Block3::diagonal(value), transfer.arms[j] * value);
                let st = Block3::rotation(arm);
                shares[thin_place[slot] as usize].add(Block6 { ss, st, ..Block6::default() });
            }
        };
        gather(own, transfer, add_row, None);
    }

    /// `P^T A P` of a finer level of pieces; where it is `soft`, softer in all but inertia.
    pub(crate) fn refresh_from_level(&mut self, transfer: &Transfer, finer: &Self, soft: bool) {
        let Self { matrix: own, place, .. } = self;
        if soft {
            pieces(&mut self.inertia, |g, sum| {
                *sum = Rigid::ZERO;
                for &i in transfer.groups.group(g) {
                    transfer.add_inertia(i as usize, finer.inertia[i as usize], sum);
                }
            });
        }
        let add_row = |i: usize, shares: &mut [Share]| {
            let range = finer.matrix.graph.range(i);
            let columns = &finer.matrix.graph.columns[range.clone()];
            for ((slot, j), block) in range.zip(columns).zip(finer.matrix.row_blocks(i)) {
                shares[place[slot] as usize].add(transfer.down_block(*j as usize, block));
            }
        };
        gather(own, transfer, add_row, soft.then_some(&self.inertia[..]));
    }

    /// Entry of rows and columns of 6 numbers a piece, for a dense solve.
    pub(crate) fn dense_entry(&self, i: usize, j: usize) -> f64 {
        let own = self.matrix.block(i / 6, j / 6);
        own.map_or(0.0, |block| block.entry(i % 6, j % 6) as f64)
    }

    /// `motion` is one forward sweep from zero on `force`.
    pub(crate) fn sweep_forward(&mut self) {
        self.matrix.sweep_forward(&self.force, &mut self.motion);
    }

    /// Row `i` of what [`Level::sweep_forward`] left of `force`.
    pub(crate) fn left_by_forward(&self, i: usize) -> Rigid {
        self.matrix.left_by_forward(i, &self.motion)
    }

    /// Takes what `motion` does off `force`.
    pub(crate) fn take_off(&mut self) {
        let Self { matrix, force, motion, .. } = self;
        pieces(force, |i, force| *force -= matrix.row(i, motion));
    }

    /// One backward sweep from `motion`.
    pub(crate) fn sweep_backward(&mut self) {
        self.matrix.sweep_backward(&self.force, &mut self.motion);
    }
}

/// Sets each coarse row to the sum of `P_i^T shares(i)` over its finer nodes, of which `add_row` adds the shares; with
/// `inertia`, softer in all else.
fn gather(
    matrix: &mut RigidMatrix,
    transfer: &Transfer,
    add_row: impl Fn(usize, &mut [Share]) + Sync,
    inertia: Option<&[Rigid]>,
) {
    for_each(&mut matrix.rows_mut(), |rows| {
        let (mut shares, mut row) = (Vec::new(), Vec::new());
        for g in rows.range() {
            let count = rows.entries(g);
            row.clear();
            row.resize(count, Block6::default());
            shares.clear();
            shares.resize(count, Share::default());
            for &i in transfer.groups.group(g) {
                let i = i as usize;
                add_row(i, &mut shares);
                for (out, share) in row.iter_mut().zip(&mut shares) {
                    if share.touched {
                        *out += transfer.up_block(i, &share.block);
                        *share = Share::default();
                    }
                }
            }
            if let Some(inertia) = inertia {
                for block in &mut row {
                    *block = block.scaled(1.0 / SOFTER);
                }
                row[rows.diagonal(g)].add_diagonal(inertia[g].scaled(1.0 - 1.0 / SOFTER));
            }
            rows.set(g, &row, inverted);
        }
    });
}
