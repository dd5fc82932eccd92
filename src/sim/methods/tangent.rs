//! The tangent of the incremental potential at an iterate, and Newton directions from it.

use crate::sim::linear::barred::Barred;
use crate::sim::linear::block_matrix::{add_scalar_product, block_product};
use crate::sim::linear::conjugate_gradients::{Goal, Solved, System, Workspace, estimate, solve};
use crate::sim::linear::couplings::{Couplings, TERM};
use crate::sim::linear::matrix::Matrix;
use crate::sim::linear::multigrid::Multigrid;
use crate::sim::linear::shared::Shared;
use crate::sim::model::{Model, Spread};
use crate::sim::potentials::pressure::{Gas, Inflation};
use glam::{DMat3, DVec3};

/// A term that couples two sides, `B` on `sum w_i x_i`: nodes, weights (zero where a node does not
/// move), sides, B.
type Coupled = ([u32; TERM], [f64; TERM], [u8; TERM], DMat3);

/// The tangent at an iterate, and what solves with it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tangent {
    blocks: Vec<DMat3>,
    /// Substep for which `bend` holds elastic and damping values together [s].
    bend_step: f64,
    bend: Vec<f64>,
    coupled: Vec<Coupled>,
    matrix: Matrix,
    couplings: Couplings,
    multigrid: Multigrid,
    /// Iterations of the first solve with the present coarse levels; none where they are to be made anew.
    first_iterations: Option<u32>,
    /// Whether the coarse levels hold for more than one tangent.
    keeps_levels: bool,
    workspace: Workspace,
    /// Motions that no step may have a part in.
    barred: Vec<Barred>,
    /// Gas enclosed by bodies.
    pub(super) gases: Vec<Gas>,
    /// What points of bodies that are held to a shape share.
    pub(super) shared: Vec<Shared>,
    /// Scratch: places of the blocks of one side of a term, with their factors.
    slots: Vec<(u32, f64)>,
}

impl Tangent {
    /// The tangent of a model; its values come with each iterate.
    pub(crate) fn new(model: &Model) -> Self {
        let matrix = Matrix::new(&model.pattern, &model.bend_pattern);
        let multigrid = Multigrid::new(&matrix, &model.pattern, &model.rest[..model.free_count]);
        // What keeps rigid bodies from straining turns with them.
        let keeps_levels = model.rigids.is_empty();
        Self { matrix, multigrid, keeps_levels, ..Self::default() }
    }

    /// Starts a substep.
    pub(super) fn begin(&mut self) {
        self.first_iterations = None;
    }

    /// Starts a new tangent for a substep of `h` seconds.
    pub(super) fn clear(&mut self, model: &Model, h: f64) {
        self.blocks.clear();
        self.blocks.resize(model.pattern.columns.len(), DMat3::ZERO);
        self.coupled.clear();
        self.couplings.clear();
        self.gases.clear();
        self.shared.clear();
        if self.bend_step != h || self.bend.len() != model.bend_values.len() {
            self.bend_step = h;
            self.bend.clear();
            self.bend
                .extend(model.bend_values.iter().zip(&model.bend_damping).map(|(v, d)| v + d / h));
        }
    }

    /// Its blocks, in the order of the model's pattern.
    pub(super) fn blocks(&mut self) -> &mut [DMat3] {
        &mut self.blocks
    }

    /// Keeps steps of a substep of `h` seconds from straining rigid bodies at `z`.
    pub(super) fn bar_strains(&mut self, model: &Model, z: &[DVec3], h: f64) {
        self.barred.clear();
        for rigid in &model.rigids {
            let strains = rigid.strains(z);
            rigid.add(&strains, h, &mut self.blocks);
            self.barred.push(Barred::new(rigid.first, &strains));
        }
    }

    /// Holds a node with `stiffness` [N/m].
    pub(super) fn add_diagonal(&mut self, model: &Model, node: u32, stiffness: f64) {
        self.blocks[model.diagonal[node as usize] as usize] +=
            DMat3::from_diagonal(DVec3::splat(stiffness));
    }

    /// Holds nodes with stiffnesses [N/m] that their bodies share.
    pub(super) fn add_shared(&mut self, model: &Model, own: impl Iterator<Item = (u32, f64)>) {
        for (node, stiffness) in own {
            self.add_diagonal(model, node, stiffness);
        }
    }

    /// Adds `block` on the difference `spread` [N/m]. Nodes of one side are neighbours in the pattern;
    /// only what couples the two sides is kept apart.
    pub(super) fn add_term(
        &mut self,
        model: &Model,
        given: &[bool],
        spread: &Spread,
        block: DMat3,
    ) {
        let Spread { nodes, mut weights, mut side, count } = *spread;
        for k in 0..count {
            if given[nodes[k] as usize] {
                weights[k] = 0.0;
            }
        }
        for own in 0..2 {
            self.slots.clear();
            let mut neighbours = true;
            let on_it = |k: &usize| weights[*k] != 0.0 && side[*k] == own;
            for i in (0..count).filter(on_it) {
                for j in (0..count).filter(on_it) {
                    match model.pattern.find(nodes[i], nodes[j]) {
                        Some(slot) => self.slots.push((slot, weights[i] * weights[j])),
                        None => neighbours = false,
                    }
                }
            }
            if neighbours {
                for &(slot, factor) in &self.slots {
                    self.blocks[slot as usize] += block * factor;
                }
            } else {
                for k in (0..count).filter(on_it).collect::<Vec<_>>() {
                    side[k] = 2 + k as u8;
                    let slot = model.diagonal[nodes[k] as usize] as usize;
                    self.blocks[slot] += block * (weights[k] * weights[k]);
                }
            }
        }
        let mut sides = (0..count).filter(|k| weights[*k] != 0.0).map(|k| side[k]);
        let first = sides.next();
        if sides.any(|s| Some(s) != first) {
            self.coupled.push((nodes, weights, side, block));
        }
    }

    /// Adds what holds each node to its inertial position, and makes the tangent at `z` ready to solve.
    pub(super) fn finish(&mut self, model: &Model, given: &[bool], inertia: &[f64], z: &[DVec3]) {
        for (slot, inertia) in model.diagonal.iter().zip(inertia) {
            self.blocks[*slot as usize] += DMat3::from_diagonal(DVec3::splat(*inertia));
        }
        self.matrix.refresh(&self.blocks, &self.bend, given);
        for (nodes, weights, side, block) in &self.coupled {
            self.couplings.push(*nodes, *weights, *side, block);
        }
        self.couplings.close(model.free_count);
        // The slow modes hardly change within a substep, and to sum them up costs as much as four iterations.
        if self.first_iterations.is_none() || !self.keeps_levels {
            self.first_iterations = None;
            self.multigrid.refresh(&self.matrix, &z[..model.free_count]);
        }
    }

    /// Sets `step` to the solution of `A step = right_side`, as far as `goal` says. Each enclosed gas adds
    /// `k g g^T` to the rest of A, one after the other (Sherman and Morrison 1950).
    pub(super) fn solve(
        &mut self,
        model: &Model,
        given: &[bool],
        right_side: &[DVec3],
        step: &mut [DVec3],
        goal: Goal,
    ) -> Solved {
        let mut solved = self.solve_rest(model, given, right_side, step, goal);
        let whole = Goal { enough: 0.0, ..goal };
        let gases = std::mem::take(&mut self.gases);
        let mut inflations: Vec<Inflation> = Vec::new();
        for gas in &gases {
            let slopes = gas.slopes_where_free(given);
            let mut answer = vec![DVec3::ZERO; slopes.len()];
            let more = self.solve_rest(model, given, &slopes, &mut answer, whole);
            solved.iterations += more.iterations;
            for before in &inflations {
                before.correct(&mut answer);
            }
            inflations.push(Inflation::new(gas.stiffness, slopes, answer));
        }
        for inflation in &inflations {
            inflation.correct(step);
        }
        self.gases = gases;
        solved
    }

    /// As [`Tangent::solve`], without gases.
    fn solve_rest(
        &mut self,
        model: &Model,
        given: &[bool],
        right_side: &[DVec3],
        step: &mut [DVec3],
        goal: Goal,
    ) -> Solved {
        let Self { blocks, bend, coupled, matrix, couplings, multigrid, workspace, .. } = self;
        let (barred, shared) = (&self.barred[..], &self.shared[..]);
        let system = System { matrix, couplings, multigrid, barred, shared };
        let solved = solve(workspace, system, right_side, step, goal, |p, y| {
            block_product(&model.pattern, blocks, p, y);
            add_scalar_product(&model.bend_pattern, bend, 1.0, p, y);
            add_coupled(coupled, p, y);
            for shared in shared {
                shared.taken_off(|i| p[i], |i, v| y[i] -= v);
            }
            for (y, given) in y.iter_mut().zip(given) {
                if *given {
                    *y = DVec3::ZERO;
                }
            }
            for barred in barred {
                barred.take_out_exactly(y);
            }
        });
        let first = *self.first_iterations.get_or_insert(solved.iterations);
        if self.multigrid.is_left_out() || solved.iterations > 2 * first + 4 {
            self.first_iterations = None;
        }
        solved
    }

    /// Sets `step` to an estimate of the solution of `A step = right_side`: one application of the
    /// preconditioner, right within a factor of two or three. Returns its energy `step A step` [J].
    pub(super) fn estimate(&mut self, right_side: &[DVec3], step: &mut [DVec3]) -> f64 {
        let Self { matrix, couplings, multigrid, barred, shared, workspace, .. } = self;
        let system = System { matrix, couplings, multigrid, barred, shared };
        estimate(workspace, system, right_side, step)
    }
}

/// `y += C p` with what the coupled terms do across their sides.
fn add_coupled(coupled: &[Coupled], p: &[DVec3], y: &mut [DVec3]) {
    for (nodes, weights, side, block) in coupled {
        let mut sums = [DVec3::ZERO; 2 + TERM];
        let mut whole = DVec3::ZERO;
        for k in 0..TERM {
            let own = p[nodes[k] as usize] * weights[k];
            sums[side[k] as usize] += own;
            whole += own;
        }
        for k in 0..TERM {
            y[nodes[k] as usize] += *block * (whole - sums[side[k] as usize]) * weights[k];
        }
    }
}
