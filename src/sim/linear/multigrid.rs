//! A preconditioner that sees the slow modes: unsmoothed aggregation whose coarse nodes are rigid pieces
//! of cloth, in one symmetric V-cycle. In that of large sheets, levels behind the first are softer, and gone over twice.
//!
//! Pieces are chosen once from the topology; their arms follow the present positions, and the coarse
//! matrices `P^T A P` follow the tangent. The coarsest level is solved directly, each body by itself.

use super::aggregates::Aggregates;
use super::block_matrix::Pattern;
use super::chunks::{each, for_each};
use super::coarse::{Level, Transfer, pieces};
use super::couplings::Couplings;
use super::dense::Factors;
use super::lanes::{Lane4, Rigid};
use super::matrix::Matrix;
use glam::DVec3;

/// Coarsening stops at this many pieces of a body: a dense solve of them costs less than another level.
const COARSEST: usize = 20;

/// More pieces than this on the first level make a large sheet.
const LARGE: usize = 4096;

/// See the module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Multigrid {
    /// From each level to the next coarser one, the nodes first.
    transfers: Vec<Transfer>,
    levels: Vec<Level>,
    /// Sizes of the pieces of each level [m].
    sizes: Vec<Vec<f64>>,
    islands: Vec<Island>,
    /// What the forward sweep of the nodes leaves.
    left: Vec<Lane4>,
    left_out: bool,
}

/// Pieces of the coarsest level that are coupled.
#[derive(Clone, Debug, Default)]
struct Island {
    pieces: Vec<u32>,
    factors: Factors,
    /// Scratch: their forces, and then their motions.
    motion: Vec<f64>,
}

impl Multigrid {
    /// Levels over the nodes of `matrix`, grouped over `graph`; `rest` gives the pieces their size.
    pub(crate) fn new(matrix: &Matrix, graph: &Pattern, rest: &[DVec3]) -> Self {
        let mut own = Self::default();
        if graph.start.len() <= 1 {
            return own;
        }
        let mut places = rest.to_vec();
        let groups = Aggregates::new(graph);
        let level = Level::new(&groups, |i| {
            let (full, thin) = matrix.columns(i);
            [full, thin]
        });
        own.add(groups, level, &mut places);
        loop {
            let last = own.levels.last().expect("one was added");
            let islands = islands(&last.matrix.graph);
            let most = islands.iter().map(Vec::len).max().unwrap_or(0);
            let groups = Aggregates::new(&last.matrix.graph);
            if most <= COARSEST || groups.len() == last.len() {
                let island = |pieces| Island { pieces, ..Island::default() };
                own.islands = islands.into_iter().map(island).collect();
                return own;
            }
            let graph = &last.matrix.graph;
            let level = Level::new(&groups, |i| [&graph.columns[graph.range(i)], &[]]);
            own.add(groups, level, &mut places);
        }
    }

    fn add(&mut self, groups: Aggregates, level: Level, places: &mut Vec<DVec3>) {
        let centers = centers(&groups, places);
        let sizes: Vec<f64> = (0..groups.len())
            .map(|g| {
                let own = groups.group(g);
                let sum: f64 =
                    own.iter().map(|i| places[*i as usize].distance_squared(centers[g])).sum();
                let size = (sum / own.len() as f64).sqrt();
                if size > 0.0 { size } else { 1.0 }
            })
            .collect();
        let turns = groups.of.iter().enumerate().map(|(i, g)| match self.sizes.last() {
            Some(finer) => (finer[i] / sizes[*g as usize]) as f32,
            None => 0.0,
        });
        let turns = turns.collect();
        self.transfers.push(Transfer { groups, arms: Vec::new(), turns });
        self.levels.push(level);
        self.sizes.push(sizes);
        *places = centers;
    }

    /// Leaves the coarse levels out until the next refresh.
    pub(crate) fn leave_out(&mut self) {
        self.left_out = true;
    }

    /// Whether the coarse levels are left out.
    pub(crate) fn is_left_out(&self) -> bool {
        self.left_out
    }

    /// Whether levels behind the first are softer than the finer ones say, and gone over twice: on smaller sheets that
    /// saves as little as it costs.
    pub(crate) fn is_large(&self) -> bool {
        self.levels.first().is_some_and(|level| level.len() > LARGE)
    }

    /// Follows the tangent at the positions `x`, of nodes of `inertia`.
    pub(crate) fn refresh(
        &mut self,
        matrix: &Matrix,
        couplings: &Couplings,
        x: &[DVec3],
        inertia: impl Fn(usize) -> f64 + Sync,
    ) {
        self.left_out = false;
        let soft = self.is_large();
        let mut places = x.to_vec();
        for l in 0..self.levels.len() {
            let transfer = &mut self.transfers[l];
            let centers = centers(&transfer.groups, &places);
            transfer.arms.clear();
            transfer.arms.extend(places.iter().zip(&transfer.groups.of).map(|(p, g)| {
                Lane4::new((*p - centers[*g as usize]) / self.sizes[l][*g as usize])
            }));
            places = centers;
            let (finer, own) = self.levels.split_at_mut(l);
            match finer.last() {
                None => {
                    let inertia = soft.then_some(&inertia);
                    own[0].refresh_from_nodes(transfer, matrix, couplings, inertia);
                }
                Some(finer) => own[0].refresh_from_level(transfer, finer, soft),
            }
        }
        if let Some(coarsest) = self.levels.last() {
            for_each(&mut self.islands, |Island { pieces, factors, .. }| {
                let number = |i: usize| 6 * pieces[i / 6] as usize + i % 6;
                factors
                    .refresh(6 * pieces.len(), |i, j| coarsest.dense_entry(number(i), number(j)));
            });
        }
    }

    /// Bytes that the coarse levels move in one cycle.
    pub(crate) fn bytes_per_cycle(&self) -> u64 {
        if self.left_out {
            return 0;
        }
        let soft = self.is_large();
        let levels = self.transfers.iter().zip(&self.levels).enumerate();
        let bytes = levels.map(|(l, (transfer, level))| {
            let cycles = if soft { 1 << l } else { 1 };
            let again = if soft && l > 0 { cycles / 2 } else { 0 };
            cycles * (2 * transfer.bytes() + level.bytes_per_cycle()) + again * level.matrix.bytes()
        });
        bytes.sum()
    }

    /// Bytes that [`Multigrid::refresh`] moves, beside those of the matrix.
    pub(crate) fn bytes_of_refresh(&self) -> u64 {
        let transfers = self.transfers.iter().map(Transfer::bytes);
        let levels =
            self.levels.iter().map(|level| level.bytes_of_refresh() + level.matrix.bytes());
        transfers.sum::<u64>() + levels.sum::<u64>()
    }

    /// Sets `corrected` to `z`, which a forward sweep made of what is to be solved, with the coarse levels' answer.
    pub(crate) fn correct(
        &mut self,
        matrix: &Matrix,
        couplings: &Couplings,
        z: &[Lane4],
        corrected: &mut [Lane4],
    ) {
        let levels = if self.left_out { &mut [][..] } else { &mut self.levels[..] };
        let Some(first) = levels.first_mut() else { return corrected.copy_from_slice(z) };
        let transfer = &self.transfers[0];
        // Row by row, as the matrix lies in memory, and not by pieces.
        self.left.resize(z.len(), Lane4::ZERO);
        each(&mut self.left, |first, left| {
            let (order, seen) = (couplings.order(), couplings.chunk(first));
            let saw = order.saw_beside(first);
            matrix.left_by_forward(first, z, left, saw, |i| seen.later(i, z));
            0.0
        });
        let left = &self.left;
        pieces(&mut first.force, |g, force| {
            *force = Rigid::ZERO;
            for &i in transfer.groups.group(g) {
                let shift = left[i as usize];
                *force += transfer.up(i as usize, Rigid { shift, turn: Lane4::ZERO });
            }
        });
        self.cycle(0);
        let (transfer, motion) = (&self.transfers[0], &self.levels[0].motion);
        each(corrected, |first, chunk| {
            for (i, corrected) in (first..).zip(chunk) {
                *corrected = z[i] + transfer.down(i, motion).shift;
            }
            0.0
        });
    }

    /// From the forces of level `l` to its motions.
    fn solve(&mut self, l: usize) {
        self.cycle(l);
        if l > 0 && l + 1 < self.levels.len() && self.is_large() {
            let level = &mut self.levels[l];
            level.take_off();
            let before = std::mem::take(&mut level.motion);
            level.motion.resize(before.len(), Rigid::ZERO);
            self.cycle(l);
            pieces(&mut self.levels[l].motion, |i, motion| *motion += before[i]);
        }
    }

    /// One cycle from level `l` on: from its forces to its motions.
    fn cycle(&mut self, l: usize) {
        if l + 1 == self.levels.len() {
            return self.solve_coarsest();
        }
        self.levels[l].sweep_forward();
        let (finer, coarser) = self.levels.split_at_mut(l + 1);
        let (transfer, finer) = (&self.transfers[l + 1], &finer[l]);
        pieces(&mut coarser[0].force, |g, force| {
            *force = Rigid::ZERO;
            for &i in transfer.groups.group(g) {
                *force += transfer.up(i as usize, finer.left_by_forward(i as usize));
            }
        });
        self.solve(l + 1);
        let (finer, coarser) = self.levels.split_at_mut(l + 1);
        let (transfer, coarser) = (&self.transfers[l + 1], &coarser[0].motion);
        pieces(&mut finer[l].motion, |i, motion| *motion += transfer.down(i, coarser));
        finer[l].sweep_backward();
    }

    fn solve_coarsest(&mut self) {
        let Some(level) = self.levels.last_mut() else { return };
        let force = &level.force;
        for_each(&mut self.islands, |island| {
            let Island { pieces, factors, motion } = island;
            motion.clear();
            for &p in &*pieces {
                let force = force[p as usize];
                let [shift, turn] = [force.shift, force.turn].map(Lane4::three);
                motion.extend(shift.iter().chain(&turn).map(|v| *v as f64));
            }
            factors.solve(motion);
        });
        for Island { pieces, motion, .. } in &self.islands {
            for (&p, own) in pieces.iter().zip(motion.chunks_exact(6)) {
                let lanes = |k: usize| Lane4::new(DVec3::from_slice(&own[k..k + 3]));
                level.motion[p as usize] = Rigid { shift: lanes(0), turn: lanes(3) };
            }
        }
    }
}

fn centers(groups: &Aggregates, places: &[DVec3]) -> Vec<DVec3> {
    (0..groups.len())
        .map(|g| {
            let own = groups.group(g);
            own.iter().map(|i| places[*i as usize]).sum::<DVec3>() / own.len() as f64
        })
        .collect()
}

/// Connected parts of a graph, each in ascending order, in the order of their first nodes.
fn islands(graph: &Pattern) -> Vec<Vec<u32>> {
    let size = graph.start.len() - 1;
    let mut seen = vec![false; size];
    let mut islands = Vec::new();
    for first in 0..size {
        if seen[first] {
            continue;
        }
        let (mut island, mut next) = (vec![first as u32], 0);
        seen[first] = true;
        while next < island.len() {
            let i = island[next] as usize;
            next += 1;
            for &j in &graph.columns[graph.range(i)] {
                if !seen[j as usize] {
                    seen[j as usize] = true;
                    island.push(j);
                }
            }
        }
        island.sort_unstable();
        islands.push(island);
    }
    islands
}
