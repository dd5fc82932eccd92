//! A coarse level: rigid pieces coupled by 6x6 blocks, with a symmetric Gauss-Seidel smoother.

use super::aggregates::Aggregates;
use super::block_matrix::Pattern;
use super::chunks::for_each;
use super::dense::{LEAST_PIVOT, inverse_of_six};
use super::lanes::{Block3, Block6, Lane4, Rigid};
use super::matrix::Matrix;

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

    /// Force on the piece of finer node `i` from a force on the node.
    #[inline(always)]
    pub(crate) fn up(&self, i: usize, force: Rigid) -> Rigid {
        Rigid {
            shift: force.shift,
            turn: Block3::rotation(self.arms[i]).transpose().times(force.shift)
                + force.turn * self.turns[i],
        }
    }
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Level {
    pub(crate) graph: Pattern,
    diagonal: Vec<u32>,
    /// First pieces of runs that nothing couples, each worth sharing, and behind them how many pieces there are.
    runs: Vec<u32>,
    blocks: Vec<Block6>,
    inverse: Vec<Block6>,
    /// Place in its coarse row of each entry of the finer level: blocks (or 6x6 blocks), and scalars.
    place: Vec<u16>,
    thin_place: Vec<u16>,
    pub(crate) force: Vec<Rigid>,
    pub(crate) motion: Vec<Rigid>,
}

/// Pieces of a chunk that is worth sharing.
const PIECES: usize = 64;

/// Calls `work` with the number of each of `pieces` and it.
pub(crate) fn pieces(pieces: &mut [Rigid], work: impl Fn(usize, &mut Rigid) + Sync) {
    let work = |first: usize, own: &mut [Rigid]| {
        (first..).zip(own).for_each(|(g, piece)| work(g, piece));
    };
    if pieces.len() <= PIECES {
        return work(0, pieces);
    }
    let mut parts: Vec<_> = (0..).step_by(PIECES).zip(pieces.chunks_mut(PIECES)).collect();
    for_each(&mut parts, |(first, own)| work(*first, own));
}

/// First rows of runs of at least [`PIECES`] rows of `graph` that nothing couples, and behind them how many rows there
/// are.
fn runs(graph: &Pattern) -> Vec<u32> {
    let size = graph.start.len() - 1;
    let (mut runs, mut reached) = (vec![0], 0);
    for i in 0..size {
        let first = runs.last().map_or(0, |first| *first as usize);
        if i > reached && i - first >= PIECES {
            runs.push(i as u32);
        }
        let last = graph.columns[graph.start[i] as usize..graph.start[i + 1] as usize].last();
        reached = reached.max(last.map_or(i, |j| *j as usize));
    }
    runs.push(size as u32);
    runs
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
        let count = groups.len();
        Self {
            diagonal: (0..count as u32).map(|g| graph.slot(g, g)).collect(),
            runs: runs(&graph),
            graph,
            place,
            thin_place,
            force: vec![Rigid::ZERO; count],
            motion: vec![Rigid::ZERO; count],
            ..Self::default()
        }
    }

    /// Takes over a matrix by rows, each with its entries in ascending columns, the slots of its diagonal
    /// blocks, and their inverses; its sweeps are not shared.
    pub(crate) fn set(
        &mut self,
        graph: Pattern,
        diagonal: Vec<u32>,
        blocks: impl Iterator<Item = Block6>,
        inverse: impl Iterator<Item = Block6>,
    ) {
        self.runs = vec![0, diagonal.len() as u32];
        (self.graph, self.diagonal) = (graph, diagonal);
        self.blocks.clear();
        self.blocks.extend(blocks);
        self.inverse.clear();
        self.inverse.extend(inverse);
    }

    /// Bytes that one product reads of its matrix.
    pub(crate) fn bytes(&self) -> u64 {
        (size_of_val(&self.blocks[..]) as u64) + self.graph.bytes()
    }

    /// Bytes that a cycle moves on this level: a sweep and what it leaves are one pass, the sweep back another.
    pub(crate) fn bytes_per_cycle(&self) -> u64 {
        let vectors = size_of_val(&self.force[..]) + size_of_val(&self.motion[..]);
        2 * (self.bytes() + (size_of_val(&self.inverse[..]) + vectors) as u64)
    }

    /// Bytes that are moved when it follows a finer level, beside those of the finer level.
    pub(crate) fn bytes_of_refresh(&self) -> u64 {
        let places = size_of_val(&self.place[..]) + size_of_val(&self.thin_place[..]);
        self.bytes() + (size_of_val(&self.inverse[..]) + places) as u64
    }

    /// Number of pieces.
    pub(crate) fn len(&self) -> usize {
        self.diagonal.len()
    }

    /// `P^T A P` of the finest level.
    pub(crate) fn refresh_from_nodes(&mut self, transfer: &Transfer, matrix: &Matrix) {
        let (place, thin_place) =
            (std::mem::take(&mut self.place), std::mem::take(&mut self.thin_place));
        self.gather(transfer, |i, shares| {
            for (slot, j, block) in matrix.full_row(i) {
                let share = &mut shares[place[slot] as usize];
                share.touched = true;
                share.block.ss += block;
                share.block.st += block.times_block(&Block3::rotation(transfer.arms[j]));
            }
            for (slot, j, value) in matrix.thin_row(i) {
                let share = &mut shares[thin_place[slot] as usize];
                share.touched = true;
                share.block.ss += Block3::diagonal(value);
                share.block.st += Block3::rotation(transfer.arms[j] * value);
            }
        });
        (self.place, self.thin_place) = (place, thin_place);
    }

    /// `P^T A P` of a finer level of pieces.
    pub(crate) fn refresh_from_level(&mut self, transfer: &Transfer, finer: &Self) {
        let place = std::mem::take(&mut self.place);
        self.gather(transfer, |i, shares| {
            let range = finer.graph.start[i] as usize..finer.graph.start[i + 1] as usize;
            for slot in range {
                let (j, b) = (finer.graph.columns[slot] as usize, &finer.blocks[slot]);
                let share = &mut shares[place[slot] as usize];
                let (arm, turn) = (Block3::rotation(transfer.arms[j]), transfer.turns[j]);
                share.touched = true;
                share.block += Block6 {
                    ss: b.ss,
                    ts: b.ts,
                    st: b.ss.times_block(&arm) + b.st.scaled(turn),
                    tt: b.ts.times_block(&arm) + b.tt.scaled(turn),
                };
            }
        });
        self.place = place;
    }

    /// Sums `P_i^T shares(i)` over the finer nodes of each row.
    fn gather(&mut self, transfer: &Transfer, row: impl Fn(usize, &mut [Share]) + Sync) {
        let Self { graph, diagonal, blocks, inverse, .. } = self;
        blocks.resize(graph.columns.len(), Block6::default());
        inverse.resize(diagonal.len(), Block6::default());
        let mut parts = Vec::new();
        let mut rest = blocks.as_mut_slice();
        for (inverse, first) in inverse.chunks_mut(PIECES).zip((0..).step_by(PIECES)) {
            let count = graph.start[first + inverse.len()] - graph.start[first];
            let (own, others) = rest.split_at_mut(count as usize);
            rest = others;
            parts.push((first, own, inverse));
        }
        for_each(&mut parts, |(first, blocks, inverse)| {
            let mut shares: Vec<Share> = Vec::new();
            let first_slot = graph.start[*first] as usize;
            for (g, inverse) in (*first..).zip(inverse.iter_mut()) {
                let range =
                    graph.start[g] as usize - first_slot..graph.start[g + 1] as usize - first_slot;
                let out = &mut blocks[range];
                out.fill(Block6::default());
                shares.clear();
                shares.resize(out.len(), Share::default());
                for &i in transfer.groups.group(g) {
                    let i = i as usize;
                    row(i, &mut shares);
                    let back = Block3::rotation(transfer.arms[i]).transpose();
                    let turn = transfer.turns[i];
                    for (out, share) in out.iter_mut().zip(&mut shares) {
                        if !share.touched {
                            continue;
                        }
                        let b = share.block;
                        *share = Share::default();
                        *out += Block6 {
                            ss: b.ss,
                            st: b.st,
                            ts: back.times_block(&b.ss) + b.ts.scaled(turn),
                            tt: back.times_block(&b.st) + b.tt.scaled(turn),
                        };
                    }
                }
                *inverse = inverted(&out[diagonal[g] as usize - graph.start[g] as usize]);
            }
        });
    }

    /// Entry of rows and columns of 6 numbers a piece, for a dense solve.
    pub(crate) fn dense_entry(&self, i: usize, j: usize) -> f64 {
        let range = self.graph.start[i / 6] as usize..self.graph.start[i / 6 + 1] as usize;
        match self.graph.columns[range.clone()].binary_search(&((j / 6) as u32)) {
            Ok(at) => self.blocks[range.start + at].entry(i % 6, j % 6) as f64,
            Err(_) => 0.0,
        }
    }

    /// Sum of the entries `range` times `x`, whose first entry is piece `first`.
    #[inline(always)]
    fn sum(&self, range: std::ops::Range<usize>, x: &[Rigid], first: usize) -> Rigid {
        let mut sum = Rigid::ZERO;
        for (block, j) in self.blocks[range.clone()].iter().zip(&self.graph.columns[range]) {
            sum += block.times(x[*j as usize - first]);
        }
        sum
    }

    /// Row `i` of the product with `motion`.
    #[inline(always)]
    pub(crate) fn row(&self, i: usize) -> Rigid {
        self.sum(self.graph.start[i] as usize..self.graph.start[i + 1] as usize, &self.motion, 0)
    }

    /// `motion` is one forward sweep from zero on `force`.
    pub(crate) fn sweep_forward(&mut self) {
        self.for_runs(|own, first, motion| {
            for k in 0..motion.len() {
                let i = first + k;
                let mut rest = own.force[i];
                let (start, diagonal) = (own.graph.start[i] as usize, own.diagonal[i] as usize);
                rest -= own.sum(start..diagonal, motion, first);
                motion[k] = own.inverse[i].times(rest);
            }
        });
    }

    /// Row `i` of what [`Level::sweep_forward`] left of `force`.
    pub(crate) fn left_by_forward(&self, i: usize) -> Rigid {
        let range = self.diagonal[i] as usize + 1..self.graph.start[i + 1] as usize;
        let sum = self.sum(range, &self.motion, 0);
        Rigid { shift: -sum.shift, turn: -sum.turn }
    }

    /// One backward sweep from `motion`.
    pub(crate) fn sweep_backward(&mut self) {
        self.for_runs(|own, first, motion| {
            for k in (0..motion.len()).rev() {
                let i = first + k;
                let mut rest = own.force[i];
                let diagonal = own.diagonal[i] as usize;
                rest -= own.sum(own.graph.start[i] as usize..diagonal, motion, first);
                rest -= own.sum(diagonal + 1..own.graph.start[i + 1] as usize, motion, first);
                motion[k] = own.inverse[i].times(rest);
            }
        });
    }

    /// Calls `work` with each run's first piece and its motions.
    fn for_runs(&mut self, work: impl Fn(&Self, usize, &mut [Rigid]) + Sync) {
        let mut motion = std::mem::take(&mut self.motion);
        let (mut parts, mut rest) = (Vec::new(), motion.as_mut_slice());
        for run in self.runs.windows(2) {
            let (own, others) = rest.split_at_mut((run[1] - run[0]) as usize);
            rest = others;
            parts.push((run[0] as usize, own));
        }
        for_each(&mut parts, |(first, own)| work(self, *first, own));
        self.motion = motion;
    }
}
