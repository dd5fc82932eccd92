//! The incremental potential of one substep (backward Euler), its gradient and its tangent.
//!
//! `Phi(z) = 1/(2 h^2) |z - y|_M^2 + elastic + damping + holds + stitches + contact rows`, where `y`
//! is the inertial position.

use crate::sim::collision::contact::Row;
use crate::sim::constraints::stitch::Pull;
use crate::sim::linear::block_matrix::{add_scalar_product, block_product};
use crate::sim::model::Model;
use glam::{DMat3, DVec3};

/// What defines the potential of a substep besides its contact rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Potential {
    /// Length of the substep [s].
    pub(crate) h: f64,
    /// Script time at its end [s].
    pub(crate) end: f64,
    /// Positions of all nodes at its start [m].
    pub(crate) start: Vec<DVec3>,
    /// Inertial positions of the free nodes [m].
    pub(crate) inertial: Vec<DVec3>,
    /// What holds each free node to its inertial position [N/m]: `m (1 + h d) / h^2` with linear drag d.
    pub(crate) inertia: Vec<f64>,
    /// Strain of each membrane at its start.
    pub(crate) start_strain: Vec<[f64; 3]>,
    /// Angle of each hinge at its start [rad].
    pub(crate) start_angle: Vec<f64>,
    /// Springs to places: node, place, stiffness [N/m], constraint.
    pub(crate) springs: Vec<(u32, DVec3, f64, usize)>,
    /// Stitches.
    pub(crate) pulls: Vec<Pull>,
    /// Whether a node's place is given.
    pub(crate) given: Vec<bool>,
}

/// The tangent at an iterate, and scratch for products with it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tangent {
    blocks: Vec<DMat3>,
    /// Substep for which `bend` holds elastic and damping values together [s].
    bend_step: f64,
    bend: Vec<f64>,
    /// Couplings of up to six nodes: nodes, weights, block.
    rows: Vec<([u32; 6], [f64; 6], DMat3)>,
    inverse_diagonal: Vec<DMat3>,
}

impl Potential {
    /// Gradient at `z` [N]: only nodes that are free to move count.
    pub(crate) fn gradient(
        &self,
        model: &Model,
        rows: &[Row],
        z: &[DVec3],
        gradient: &mut Vec<DVec3>,
    ) {
        self.evaluate(model, rows, z, gradient, None);
    }

    /// Gradient and tangent at `z`.
    pub(crate) fn evaluate(
        &self,
        model: &Model,
        rows: &[Row],
        z: &[DVec3],
        gradient: &mut Vec<DVec3>,
        mut tangent: Option<&mut Tangent>,
    ) {
        let n = model.free_count;
        gradient.clear();
        gradient.extend((0..n).map(|i| (z[i] - self.inertial[i]) * self.inertia[i]));
        if let Some(t) = tangent.as_deref_mut() {
            t.clear(model, self.h);
        }
        let mut blocks = tangent.as_deref_mut().map(|t| t.blocks.as_mut_slice());
        model.for_membranes(self.end, |m, membrane, shrink| {
            membrane.add(z, self.start_strain[m], self.h, shrink, gradient, blocks.as_deref_mut());
        });
        for (hinge, angle) in model.hinges.iter().zip(&self.start_angle) {
            hinge.add(z, *angle, self.h, gradient, blocks.as_deref_mut());
        }
        add_scalar_product(&model.bend_pattern, &model.bend_values, 1.0, &z[..n], gradient);
        self.add_bend_damping(model, z, gradient);
        for &(node, place, stiffness, _) in &self.springs {
            gradient[node as usize] += (z[node as usize] - place) * stiffness;
            if let Some(t) = tangent.as_deref_mut() {
                t.blocks[model.diagonal[node as usize] as usize] +=
                    DMat3::from_diagonal(DVec3::splat(stiffness));
            }
        }
        for pull in &self.pulls {
            let (force, block) = pull.force(z);
            for k in 0..6 {
                if (pull.nodes[k] as usize) < n {
                    gradient[pull.nodes[k] as usize] += force * pull.weights[k];
                }
            }
            if let Some(t) = tangent.as_deref_mut() {
                t.rows.push((pull.nodes, pull.weights, block));
            }
        }
        for row in rows {
            let Some(at) = row.force(z, &self.start) else { continue };
            for k in 0..4 {
                if (row.nodes[k] as usize) < n {
                    gradient[row.nodes[k] as usize] -= at.force * row.weights[k];
                }
            }
            if let Some(t) = tangent.as_deref_mut() {
                t.add_row(model, row, at.block);
            }
        }
        for i in 0..n {
            if self.given[i] {
                gradient[i] = DVec3::ZERO;
            }
        }
        if let Some(t) = tangent {
            t.finish(model, &self.given, &self.inertia);
        }
    }

    /// Damping of the quadratic bending: its energy of the motion since the start of the substep.
    fn add_bend_damping(&self, model: &Model, z: &[DVec3], gradient: &mut [DVec3]) {
        if model.bend_damping.iter().all(|v| *v == 0.0) {
            return;
        }
        let moved: Vec<DVec3> = (0..model.free_count).map(|i| z[i] - self.start[i]).collect();
        add_scalar_product(
            &model.bend_pattern,
            &model.bend_damping,
            1.0 / self.h,
            &moved,
            gradient,
        );
    }
}

impl Tangent {
    fn clear(&mut self, model: &Model, h: f64) {
        self.blocks.clear();
        self.blocks.resize(model.pattern.columns.len(), DMat3::ZERO);
        self.rows.clear();
        if self.bend_step != h || self.bend.len() != model.bend_values.len() {
            self.bend_step = h;
            self.bend.clear();
            self.bend
                .extend(model.bend_values.iter().zip(&model.bend_damping).map(|(v, d)| v + d / h));
        }
    }

    /// A row that moves one node only goes into that node's block.
    fn add_row(&mut self, model: &Model, row: &Row, block: DMat3) {
        let mut nodes = [row.nodes[0]; 6];
        let mut weights = [0.0; 6];
        let (mut count, mut only) = (0, 0);
        for k in 0..4 {
            let free = (row.nodes[k] as usize) < model.free_count && row.weights[k] != 0.0;
            nodes[k] = row.nodes[k];
            if free {
                weights[k] = row.weights[k];
                count += 1;
                only = k;
            }
        }
        if count == 1 {
            let w = weights[only];
            self.blocks[model.diagonal[nodes[only] as usize] as usize] += block * (w * w);
        } else {
            self.rows.push((nodes, weights, block));
        }
    }

    fn finish(&mut self, model: &Model, given: &[bool], inertia: &[f64]) {
        for (i, slot) in model.diagonal.iter().enumerate() {
            self.blocks[*slot as usize] += DMat3::from_diagonal(DVec3::splat(inertia[i]));
        }
        self.inverse_diagonal.clear();
        self.inverse_diagonal.extend(model.diagonal.iter().map(|slot| self.blocks[*slot as usize]));
        for i in 0..model.free_count {
            let slot = model.bend_pattern.slot(i as u32, i as u32) as usize;
            self.inverse_diagonal[i] += DMat3::from_diagonal(DVec3::splat(self.bend[slot]));
        }
        for (nodes, weights, block) in &self.rows {
            for k in 0..6 {
                if weights[k] != 0.0 && (nodes[k] as usize) < model.free_count {
                    self.inverse_diagonal[nodes[k] as usize] += *block * (weights[k] * weights[k]);
                }
            }
        }
        for (i, block) in self.inverse_diagonal.iter_mut().enumerate() {
            *block = if given[i] { DMat3::ZERO } else { block.inverse() };
        }
    }

    /// `y = A p` over the free nodes; `p` is zero at given nodes.
    pub(crate) fn multiply(&self, model: &Model, given: &[bool], p: &[DVec3], y: &mut [DVec3]) {
        block_product(&model.pattern, &self.blocks, p, y);
        add_scalar_product(&model.bend_pattern, &self.bend, 1.0, p, y);
        for (nodes, weights, block) in &self.rows {
            let mut d = DVec3::ZERO;
            for k in 0..6 {
                if weights[k] != 0.0 && (nodes[k] as usize) < p.len() {
                    d += p[nodes[k] as usize] * weights[k];
                }
            }
            let f = *block * d;
            for k in 0..6 {
                if weights[k] != 0.0 && (nodes[k] as usize) < p.len() {
                    y[nodes[k] as usize] += f * weights[k];
                }
            }
        }
        for (y, given) in y.iter_mut().zip(given) {
            if *given {
                *y = DVec3::ZERO;
            }
        }
    }

    /// `z = P r` with the inverse of the diagonal blocks.
    pub(crate) fn precondition(&self, r: &[DVec3], z: &mut [DVec3]) {
        for ((z, r), block) in z.iter_mut().zip(r).zip(&self.inverse_diagonal) {
            *z = *block * *r;
        }
    }
}
