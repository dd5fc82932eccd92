//! The tangent of the incremental potential at an iterate, and Newton directions from it.

use crate::sim::collision::contact::Hold;
use crate::sim::linear::block_matrix::{add_scalar_product, block_product};
use crate::sim::linear::bodies::{Arm, Bodies, Narrow};
use crate::sim::linear::chunks;
use crate::sim::linear::conjugate_gradients::{
    Goal, Solved, System, Workspace, bytes_per_cycle, estimate, solve,
};
use crate::sim::linear::couplings::{Couplings, Part, TERM};
use crate::sim::linear::matrix::Matrix;
use crate::sim::linear::multigrid::Multigrid;
use crate::sim::linear::shared::Shared;
use crate::sim::model::{Model, Spread};
use crate::sim::potentials::rank_one::{Correction, RankOne};
use glam::{DMat3, DVec3};

/// A term that couples two sides, `B` on `sum w_i x_i` of points and of a place on a rigid body.
#[derive(Clone, Debug)]
struct Coupled {
    /// How many of [`Tangent::parts`], after those of the terms before, are its nodes: those that move.
    count: usize,
    /// The place on a rigid body with its side.
    arm: Option<(Box<Arm>, u8)>,
    block: DMat3,
}

/// The tangent at an iterate, and what solves with it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tangent {
    blocks: Vec<DMat3>,
    /// Substep for which `bend` holds elastic and damping values together [s].
    bend_step: f64,
    bend: Vec<f64>,
    coupled: Vec<Coupled>,
    /// Nodes of all that is coupled.
    parts: Vec<Part>,
    matrix: Matrix,
    couplings: Couplings,
    multigrid: Multigrid,
    /// Iterations of the first solve with the present coarse levels; none where they are to be made anew.
    first_iterations: Option<u32>,
    workspace: Workspace,
    /// Rigid bodies, and their matrix in single precision.
    bodies: Bodies,
    narrow: Narrow,
    /// Terms that reach over whole bodies.
    pub(super) rank_ones: Vec<RankOne>,
    /// What points of bodies that are held to a shape share.
    pub(super) shared: Vec<Shared>,
    /// Scratch: places of the blocks of one side of a term, with their factors.
    slots: Vec<(u32, f64)>,
    /// Scratch: right side and solution with six unknowns for each rigid body.
    reduced: [Vec<DVec3>; 2],
}

impl Tangent {
    /// The tangent of a model; its values come with each iterate.
    pub(crate) fn new(model: &Model) -> Self {
        let matrix = Matrix::new(&model.pattern, &model.bend_pattern);
        let multigrid = Multigrid::new(&matrix, &model.pattern, &model.rest[..model.point_count]);
        Self { matrix, multigrid, ..Self::default() }
    }

    /// Whether it is that of large sheets.
    pub(super) fn is_large(&self) -> bool {
        self.multigrid.is_large()
    }

    /// Starts a substep.
    pub(super) fn begin(&mut self) {
        self.first_iterations = None;
    }

    /// Starts a new tangent at `z` for a substep of `h` seconds. Its blocks are to be set.
    pub(super) fn begin_at(&mut self, model: &Model, z: &[DVec3], h: f64) {
        self.bodies.clear(model.rigids.iter().map(|rigid| rigid.grip(z)));
        self.blocks.resize(model.pattern.columns.len(), DMat3::ZERO);
        self.coupled.clear();
        self.parts.clear();
        self.couplings.clear(model.point_count);
        self.rank_ones.clear();
        self.shared.clear();
        if self.bend_step != h || self.bend.len() != model.bend_values.len() {
            self.bend_step = h;
            let damping = |i: usize| model.bend_damping.get(i).map_or(0.0, |d| d / h);
            chunks::map(&model.bend_values, &mut self.bend, |i, v| v + damping(i));
        }
    }

    /// Its blocks, in the order of the model's pattern.
    pub(super) fn blocks(&mut self) -> &mut [DMat3] {
        &mut self.blocks
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

    /// Adds `block` between places on rigid bodies [N/m].
    pub(super) fn add_between_bodies(&mut self, holds: [Option<Hold>; 2], block: &DMat3) {
        let (mut arms, mut count) = ([Arm::default(); 2], 0);
        for Hold { rigid, weight, place } in holds.into_iter().flatten() {
            arms[count] = self.bodies.grip(rigid).arm_at(rigid, weight, place);
            count += 1;
        }
        self.bodies.add(&arms[..count], block);
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
        let Spread { mut nodes, mut weights, mut side, count } = *spread;
        let (mut arms, mut sides, mut arm_count) = ([Arm::default(); 2], [0; 2], 0);
        for k in 0..count {
            let node = nodes[k] as usize;
            if weights[k] != 0.0 && node >= model.point_count {
                let rigid = (node - model.point_count) / 4;
                let own = model.rigids[rigid].nodes();
                let is_on_it = |j: usize, nodes: &[u32; TERM]| {
                    side[j] == side[k] && own.contains(&(nodes[j] as usize))
                };
                let parts = (k..count).filter(|&j| is_on_it(j, &nodes));
                let parts = parts.map(|j| (nodes[j] as usize - own.start, weights[j]));
                arms[arm_count] = self.bodies.grip(rigid).arm(rigid, parts);
                sides[arm_count] = side[k];
                arm_count += 1;
                for j in k..count {
                    if is_on_it(j, &nodes) {
                        (nodes[j], weights[j]) = (0, 0.0);
                    }
                }
            } else if given[node] {
                weights[k] = 0.0;
            }
        }
        self.bodies.add(&arms[..arm_count], &block);
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
        let of_points = (0..count).filter(|k| weights[*k] != 0.0).map(|k| side[k]);
        let mut all = of_points.clone().chain(sides[..arm_count].iter().copied());
        let first = all.next();
        if of_points.count() > 0 && all.any(|s| Some(s) != first) {
            assert!(arm_count < 2, "a place is on points and on a rigid body at once");
            let arm = (arm_count > 0).then(|| (Box::new(arms[0]), sides[0]));
            let moving = (0..count).filter(|k| weights[*k] != 0.0);
            let part = |k: usize| Part { node: nodes[k], weight: weights[k], side: side[k] };
            self.couple(moving.map(part), arm, block);
        }
    }

    /// Notes that `block` couples the sides of `parts`, and of a place on a rigid body.
    fn couple(
        &mut self,
        parts: impl Iterator<Item = Part>,
        arm: Option<(Box<Arm>, u8)>,
        block: DMat3,
    ) {
        let before = self.parts.len();
        self.parts.extend(parts);
        self.coupled.push(Coupled { count: self.parts.len() - before, arm, block });
    }

    /// Adds what `block` on the difference of places on points [N/m], of which the first side has `split`, couples
    /// across its two sides. Weights of points that do not move are zero.
    pub(super) fn add_across(
        &mut self,
        nodes: &[u32; 4],
        weights: &[f64; 4],
        split: usize,
        block: DMat3,
    ) {
        let moving = (0..4).filter(|k| weights[*k] != 0.0);
        let side = |k: usize| u8::from(k >= split);
        let part = |k: usize| Part { node: nodes[k], weight: weights[k], side: side(k) };
        self.couple(moving.map(part), None, block);
    }

    /// Makes the tangent at `z` ready to solve; `inertia` holds rigid bodies to their inertial positions [N/m].
    pub(super) fn finish(&mut self, model: &Model, given: &[bool], inertia: &[f64], z: &[DVec3]) {
        for (body, rigid) in model.rigids.iter().enumerate() {
            self.bodies.add_inertia(body, &inertia[rigid.nodes()]);
        }
        self.bodies.close(&mut self.narrow);
        self.matrix.refresh(&self.blocks, &self.bend, &given[..model.point_count]);
        let mut rest = &self.parts[..];
        for Coupled { count, arm, block } in &self.coupled {
            let (own, behind) = rest.split_at(*count);
            rest = behind;
            self.couplings.push(own, arm.as_ref().map(|(arm, side)| (**arm, *side)), block);
        }
        self.couplings.close(model.point_count, model.rigids.len());
        // The slow modes hardly change within a substep, and to sum them up costs as much as four iterations. But what
        // contact couples does change, and coarse levels that are softer than what they stand for overshoot.
        if self.first_iterations.is_none() || self.couplings.couple_points() {
            let inertia = |i: usize| if given[i] { 0.0 } else { inertia[i] };
            let (matrix, couplings) = (&self.matrix, &self.couplings);
            self.multigrid.refresh(matrix, couplings, &z[..model.point_count], inertia);
            self.first_iterations = None;
        }
    }

    /// Bytes that it takes to make it at an iterate: its blocks are cleared, added to and taken over.
    pub(super) fn bytes_of_assembly(&self) -> u64 {
        let coarse = match self.first_iterations {
            None => self.matrix.bytes() + self.multigrid.bytes_of_refresh(),
            Some(_) => 0,
        };
        3 * size_of_val(&self.blocks[..]) as u64 + self.matrix.bytes_of_refresh() + coarse
    }

    /// Bytes that [`Tangent::estimate`] moves.
    pub(super) fn bytes_of_estimate(&self) -> u64 {
        bytes_per_cycle(&self.matrix, &self.couplings, &self.multigrid)
    }

    /// Sets `step` to the solution of `A step = right_side`, as far as `goal` says. What reaches over
    /// whole bodies is taken into the solution of the rest of A.
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
        let rank_ones = std::mem::take(&mut self.rank_ones);
        let mut corrections: Vec<Correction> = Vec::new();
        for term in &rank_ones {
            let slopes = term.slopes_where_free(given);
            let mut answer = vec![DVec3::ZERO; slopes.len()];
            let more = self.solve_rest(model, given, &slopes, &mut answer, whole);
            solved.iterations += more.iterations;
            solved.bytes += more.bytes;
            for before in &corrections {
                before.correct(&mut answer);
            }
            corrections.push(Correction::new(term.stiffness, slopes, answer));
        }
        for correction in &corrections {
            correction.correct(step);
        }
        self.rank_ones = rank_ones;
        solved
    }

    /// As [`Tangent::solve`], without what reaches over whole bodies.
    fn solve_rest(
        &mut self,
        model: &Model,
        given: &[bool],
        right_side: &[DVec3],
        step: &mut [DVec3],
        goal: Goal,
    ) -> Solved {
        let [mut b, mut x] = std::mem::take(&mut self.reduced);
        self.reduce(model, right_side, &mut b);
        x.resize(b.len(), DVec3::ZERO);
        let (blocks, bend) = (&self.blocks, &self.bend);
        let (coupled, parts) = (&self.coupled, &self.parts);
        let (bodies, shared) = (&self.bodies, &self.shared[..]);
        let system = System {
            matrix: &self.matrix,
            couplings: &mut self.couplings,
            multigrid: &mut self.multigrid,
            bodies: &mut self.narrow,
            shared,
        };
        let solved = solve(&mut self.workspace, system, &b, &mut x, goal, |p, y| {
            let (p_bodies, points) = (&p[model.point_count..], model.point_count);
            let (y_points, y_bodies) = y.split_at_mut(points);
            block_product(&model.pattern, blocks, p, y_points);
            add_scalar_product(&model.bend_pattern, bend, p, y_points);
            bodies.multiply(p_bodies, y_bodies);
            for shared in shared {
                shared.taken_off(|i| p[i], |i, v| y[i] -= v);
            }
            add_coupled(coupled, parts, points, p, y);
            chunks::update(&given[..points], &mut y[..points], |given, y| {
                if *given {
                    *y = DVec3::ZERO;
                }
            });
        });
        self.expand(model, &x, step);
        self.reduced = [b, x];
        let first = *self.first_iterations.get_or_insert(solved.iterations);
        if self.multigrid.is_left_out() || solved.iterations > 2 * first + 4 {
            self.first_iterations = None;
        }
        solved
    }

    /// Forces on the unknowns from forces on the nodes that are solved for.
    fn reduce(&self, model: &Model, nodes: &[DVec3], unknowns: &mut Vec<DVec3>) {
        chunks::copy(&nodes[..model.point_count], unknowns);
        for (body, rigid) in model.rigids.iter().enumerate() {
            unknowns.extend(self.bodies.grip(body).reduce(&nodes[rigid.nodes()]));
        }
    }

    /// Motions of the nodes that are solved for from the unknowns.
    fn expand(&self, model: &Model, unknowns: &[DVec3], nodes: &mut [DVec3]) {
        let (points, bodies) = unknowns.split_at(model.point_count);
        chunks::update(points, &mut nodes[..model.point_count], |own, node| *node = *own);
        for (body, rigid) in model.rigids.iter().enumerate() {
            let own = [bodies[2 * body], bodies[2 * body + 1]];
            nodes[rigid.nodes()].copy_from_slice(&self.bodies.grip(body).expand(own));
        }
    }

    /// Columns and values of the bending scalars of the row of point `i` [N/m].
    pub(super) fn bend_row(&self, model: &Model, i: usize) -> impl Iterator<Item = (u32, f64)> {
        let pattern = &model.bend_pattern;
        let row = pattern.range(i);
        row.map(|slot| (pattern.columns[slot], self.bend[slot]))
    }

    /// Sets `step` to an estimate of the solution of `A step = right_side`: one application of the
    /// preconditioner, right within a factor of two or three. Returns its energy `step A step` [J].
    pub(super) fn estimate(
        &mut self,
        model: &Model,
        right_side: &[DVec3],
        step: &mut [DVec3],
    ) -> f64 {
        let [mut b, mut x] = std::mem::take(&mut self.reduced);
        self.reduce(model, right_side, &mut b);
        x.resize(b.len(), DVec3::ZERO);
        let Self { matrix, couplings, multigrid, narrow, shared, workspace, .. } = self;
        let system = System { matrix, couplings, multigrid, bodies: narrow, shared };
        let energy = estimate(workspace, system, &b, &mut x);
        self.expand(model, &x, step);
        self.reduced = [b, x];
        energy
    }
}

/// `y += C p` with what the coupled terms do across their sides; the unknowns of rigid bodies come from
/// `first` on.
fn add_coupled(coupled: &[Coupled], parts: &[Part], first: usize, p: &[DVec3], y: &mut [DVec3]) {
    let mut rest = parts;
    for Coupled { count, arm, block } in coupled {
        let (own, behind) = rest.split_at(*count);
        rest = behind;
        let mut sums = [DVec3::ZERO; 2 + TERM];
        let mut whole = DVec3::ZERO;
        for part in own {
            let moved = p[part.node as usize] * part.weight;
            sums[usize::from(part.side)] += moved;
            whole += moved;
        }
        if let Some((arm, side)) = arm {
            let unknowns = first + 2 * arm.body as usize;
            let held = arm.motion([p[unknowns], p[unknowns + 1]]);
            let [shift, turn] = arm.forces(*block * whole);
            y[unknowns] += shift;
            y[unknowns + 1] += turn;
            sums[usize::from(*side)] += held;
            whole += held;
        }
        for part in own {
            y[part.node as usize] += *block * (whole - sums[usize::from(part.side)]) * part.weight;
        }
    }
}
