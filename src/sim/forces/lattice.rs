//! Cloths of points in rows and columns, which the methods of the literature move: what each model of
//! them has to answer. A new one is a file of its own and an arm in each of these.

use super::flex3d::Sheet;
use super::springs::{Net, Over, Spring};
use crate::sim::linear::block_matrix::Pattern;
use crate::sim::model::Model;
use crate::sim::potentials::rows::Rows;
use glam::{DMat3, DVec3};
use std::ops::Range;

/// One such cloth.
#[derive(Clone, Debug)]
pub(crate) enum Lattice {
    Flex3d(Sheet),
    Springs(Net),
}

impl Lattice {
    /// Its nodes.
    pub(crate) fn nodes(&self) -> Range<usize> {
        match self {
            Self::Flex3d(sheet) => sheet.nodes.clone(),
            Self::Springs(net) => net.nodes.clone(),
        }
    }

    /// Factor on its rest lengths at `time`.
    pub(crate) fn shrink(&self, model: &Model, time: f64) -> f64 {
        let first = self.nodes().start;
        model.shrink(model.surface.body_of_node[first] as usize, first as u32, time)
    }

    /// Adds its inner forces at positions `x` and velocities `v` [N].
    pub(crate) fn add_forces(&self, x: &[DVec3], v: &[DVec3], shrink: f64, out: &mut [DVec3]) {
        match self {
            Self::Flex3d(sheet) => sheet.add_forces(x, shrink, out),
            Self::Springs(net) => net.add_forces(x, v, shrink, out),
        }
    }

    /// What is left of the resultant `force` on a point of velocity `v` [N].
    pub(crate) fn after_friction(&self, force: DVec3, v: DVec3) -> DVec3 {
        match self {
            Self::Flex3d(sheet) => sheet.after_friction(force, v),
            Self::Springs(_) => force,
        }
    }

    /// Whether a hit turns round the whole velocity of a point; otherwise only the part along the normal.
    pub(crate) fn reverses(&self) -> bool {
        matches!(self, Self::Flex3d(_))
    }

    /// Adds the derivatives of its forces; a `positive` one is symmetric and makes no system
    /// indefinite. Only models that implicit methods take have any.
    pub(crate) fn add_jacobian(
        &self,
        x: &[DVec3],
        v: &[DVec3],
        shrink: f64,
        positive: bool,
        out: &mut Jacobian,
    ) {
        match self {
            Self::Flex3d(_) => {}
            Self::Springs(net) => net.add_jacobian(x, v, shrink, positive, out),
        }
    }

    /// Its springs, of those that have some of their own.
    pub(crate) fn springs(&self) -> &[Spring] {
        match self {
            Self::Flex3d(_) => &[],
            Self::Springs(net) => net.springs(),
        }
    }

    /// As [`Net::place`].
    pub(crate) fn place(&mut self, pattern: &Pattern) {
        if let Self::Springs(net) = self {
            net.place(pattern);
        }
    }

    /// As [`Net::add_to_rows`]; the default engine moves no others.
    pub(crate) fn add_to_rows(
        &self,
        over: &Over<'_>,
        z: &[DVec3],
        springs: &[u32],
        diagonal: &[u32],
        rows: &mut Rows<'_>,
    ) {
        if let Self::Springs(net) = self {
            net.add_to_rows(over, z, springs, diagonal, rows);
        }
    }

    /// Pairs of nodes that its Jacobian couples.
    pub(crate) fn couples(&self) -> Vec<&[u32]> {
        match self {
            Self::Flex3d(_) => Vec::new(),
            Self::Springs(net) => net.pairs().collect(),
        }
    }

    /// Energy of its springs [J].
    pub(crate) fn elastic_energy(&self, x: &[DVec3], shrink: f64) -> f64 {
        match self {
            Self::Flex3d(sheet) => sheet.elastic_energy(x, shrink),
            Self::Springs(net) => net.elastic_energy(x, shrink),
        }
    }
}

/// Derivatives of forces by positions [N/m] and by velocities [N s/m], on one pattern.
#[derive(Clone, Debug)]
pub(crate) struct Jacobian<'a> {
    pub(crate) pattern: &'a Pattern,
    pub(crate) by_x: Vec<DMat3>,
    pub(crate) by_v: Vec<DMat3>,
}

impl<'a> Jacobian<'a> {
    /// Zero.
    pub(crate) fn new(pattern: &'a Pattern) -> Self {
        let zero = vec![DMat3::ZERO; pattern.columns.len()];
        Self { pattern, by_x: zero.clone(), by_v: zero }
    }

    /// Adds a force on `p` and its opposite on `q` that depends on `x_q - x_p` and `v_q - v_p` with
    /// these derivatives.
    pub(crate) fn add_pair(&mut self, [p, q]: [u32; 2], by_x: DMat3, by_v: DMat3) {
        for [i, j] in [[p, q], [q, p]] {
            let own = self.pattern.slot(i, i) as usize;
            let other = self.pattern.slot(i, j) as usize;
            self.by_x[own] -= by_x;
            self.by_x[other] += by_x;
            self.by_v[own] -= by_v;
            self.by_v[other] += by_v;
        }
    }

    /// Adds a force on `i` that depends on its own place and velocity with these derivatives.
    pub(crate) fn add_point(&mut self, i: u32, by_x: DMat3, by_v: DMat3) {
        let own = self.pattern.slot(i, i) as usize;
        self.by_x[own] += by_x;
        self.by_v[own] += by_v;
    }
}
