//! Bending of sheets that have angles at rest, or take them on: the law of [`super::plate`] in the angles of hinges.
//!
//! The curvature tensor of a triangle is `k = sum w_j (theta_j - rest_j)` [1/m] over the hinges in its sides and those
//! that amend them, with the weights that their curvature vectors have in a plate, times their lengths: where the angles
//! are small the vector of a hinge is as long as its edge times its angle. The energy of a triangle is `k L k / 2` [J],
//! with the law of a plate times its area. What amends the slopes of an uneven mesh is in energy and gradient but not in
//! the tangent, whose blocks would be three times as many for it: what a Newton iteration so leaves the next one finds.
//!
//! Folds that stay are perfect plasticity of a hinge: where `|theta - rest| > y`, the rest angle follows to within y after
//! each accepted substep. The limit is given as a curvature; the curvature of an edge of length l between triangles of
//! areas A0 and A1 is `l theta / (A0 + A1)`, so that a fold of a given radius stays or does not whatever the mesh.

use super::hinge::{angle, wrapped};
use super::plate::MOST;
use crate::math::outer;
use crate::sim::linear::block_matrix::Pattern;
use glam::{DMat3, DVec3};

/// Two triangles that share an edge.
#[derive(Clone, Debug)]
pub(crate) struct Hinge {
    /// Ends of the edge, then the opposite corners.
    pub(crate) nodes: [u32; 4],
    /// Angle at rest at the start of a shot [rad].
    pub(crate) rest: f64,
    /// Angle from its rest angle beyond which it yields [rad].
    pub(crate) yields: Option<f64>,
}

impl Hinge {
    fn corners(&self, x: &[DVec3]) -> [DVec3; 4] {
        self.nodes.map(|i| x[i as usize])
    }

    /// Angle at `x` [rad]; `rest` where a triangle has no area.
    fn angle_at(&self, x: &[DVec3], rest: f64) -> f64 {
        angle(self.corners(x)).map_or(rest, |(theta, _)| theta)
    }
}

/// A hinge's part in the curvature of a triangle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub(crate) hinge: u32,
    /// Curvatures along the warp, the weft and mixed of its angle [1/m].
    pub(crate) weights: [f64; 3],
}

/// A triangle with the hinges around it.
#[derive(Clone, Debug)]
pub(crate) struct Panel {
    parts: Vec<Part>,
    /// What the tangent knows of them.
    known: Vec<Part>,
    /// The nodes of these, and which of them are those of each hinge.
    nodes: Vec<u32>,
    local: Vec<[u8; 4]>,
    /// Times the area [N m3].
    law: [[f64; 3]; 3],
    /// Damping time [s].
    damping: f64,
    /// Where the blocks of its nodes (i, j) lie in the matrix, row by row.
    slots: Vec<u32>,
}

/// All of a model.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shell {
    pub(crate) hinges: Vec<Hinge>,
    panels: Vec<Panel>,
}

/// Angles of the hinges [rad]: those that they rest at, and those at the start of a substep.
#[derive(Clone, Debug, Default)]
pub(crate) struct Angles {
    pub(super) rest: Vec<f64>,
    pub(super) start: Vec<f64>,
}

impl Shell {
    /// Adds a triangle whose curvature is the sum of `parts`, of which a hinge may have several; the tangent knows of
    /// those alone that are `known`.
    pub(crate) fn push(
        &mut self,
        parts: &[Part],
        known: &[Part],
        law: [[f64; 3]; 3],
        damping: f64,
    ) {
        let (parts, known) = (joined(parts), joined(known));
        let (mut nodes, mut local) = (Vec::new(), Vec::new());
        for part in &known {
            local.push(self.hinges[part.hinge as usize].nodes.map(|node| {
                let at = nodes.iter().position(|own| *own == node);
                at.unwrap_or_else(|| {
                    nodes.push(node);
                    nodes.len() - 1
                }) as u8
            }));
        }
        self.panels.push(Panel { parts, known, nodes, local, law, damping, slots: Vec::new() });
    }

    /// Groups of nodes that its tangent couples.
    pub(crate) fn groups(&self) -> impl Iterator<Item = &[u32]> {
        self.panels.iter().map(|panel| &panel.nodes[..])
    }

    /// Finds its places in the matrix.
    pub(crate) fn place(&mut self, pattern: &Pattern) {
        for panel in &mut self.panels {
            let nodes = &panel.nodes;
            let slots = nodes.iter().flat_map(|i| nodes.iter().map(|j| pattern.slot(*i, *j)));
            panel.slots = slots.collect();
        }
    }

    /// The hinges that can yield.
    pub(crate) fn creases(&self) -> impl Iterator<Item = &Hinge> {
        self.hinges.iter().filter(|hinge| hinge.yields.is_some())
    }

    /// Lets creases, whose rest angles are `rest` [rad], yield to what they have been bent to at `x`.
    pub(crate) fn yield_creases(&self, x: &[DVec3], rest: &mut [f64]) {
        for (hinge, rest) in self.creases().zip(rest) {
            let bend = wrapped(hinge.angle_at(x, *rest) - *rest);
            let beyond = hinge.yields.map_or(0.0, |yields| (bend.abs() - yields).max(0.0));
            *rest = wrapped(*rest + bend.signum() * beyond);
        }
    }

    /// Angles where a substep starts at `x` and creases rest at `creases`.
    pub(crate) fn angles(&self, x: &[DVec3], creases: &[f64]) -> Angles {
        let mut creases = creases.iter();
        let rest = |hinge: &Hinge| {
            let crease = hinge.yields.and_then(|_| creases.next());
            crease.copied().unwrap_or(hinge.rest)
        };
        let rest: Vec<f64> = self.hinges.iter().map(rest).collect();
        let start = self.hinges.iter().zip(&rest).map(|(h, rest)| h.angle_at(x, *rest)).collect();
        Angles { rest, start }
    }

    /// Energy [J] where hinges are bent by `bends` from their rest angles.
    fn energy(&self, bends: &[f64]) -> f64 {
        let one = |panel: &Panel| {
            let (k, m) = panel.bent(|hinge| bends[hinge]);
            0.5 * (k[0] * m[0] + k[1] * m[1] + k[2] * m[2])
        };
        self.panels.iter().map(one).sum()
    }

    /// Elastic energy at the start of the substep of `angles` [J].
    pub(crate) fn elastic_energy(&self, angles: &Angles) -> f64 {
        let both = angles.start.iter().zip(&angles.rest);
        self.energy(&both.map(|(start, rest)| wrapped(start - rest)).collect::<Vec<f64>>())
    }

    /// Adds the gradient at `x` [N] and the Gauss-Newton part of the Hessian [N/m].
    pub(crate) fn add(
        &self,
        x: &[DVec3],
        angles: &Angles,
        h: f64,
        gradient: &mut [DVec3],
        mut blocks: Option<&mut [DMat3]>,
    ) {
        let found: Vec<(f64, [DVec3; 4])> = self
            .hinges
            .iter()
            .zip(&angles.rest)
            .map(|(hinge, rest)| angle(hinge.corners(x)).unwrap_or((*rest, [DVec3::ZERO; 4])))
            .collect();
        let mut moments = vec![0.0; self.hinges.len()];
        for panel in &self.panels {
            let tau = panel.damping / h;
            let (_, m) = panel.bent(|hinge| {
                let theta = found[hinge].0;
                wrapped(theta - angles.rest[hinge]) + tau * wrapped(theta - angles.start[hinge])
            });
            for Part { hinge, weights: w } in &panel.parts {
                moments[*hinge as usize] += w[0] * m[0] + w[1] * m[1] + w[2] * m[2];
            }
            if let Some(blocks) = blocks.as_deref_mut() {
                let slots = |[i, j]: [usize; 2]| panel.slots[i * panel.nodes.len() + j] as usize;
                let add = |at, block| blocks[slots(at)] += block;
                panel.each_block(|hinge| found[hinge].1, 1.0 + tau, add);
            }
        }
        for ((hinge, moment), (_, slopes)) in self.hinges.iter().zip(moments).zip(&found) {
            for (node, slope) in hinge.nodes.iter().zip(slopes) {
                gradient[*node as usize] += *slope * moment;
            }
        }
    }

    /// Calls `add` with the blocks of the tangent of panel `number` at `x`, between two nodes each, in a substep of `h` [s].
    pub(crate) fn each_block(
        &self,
        number: usize,
        x: &[DVec3],
        h: f64,
        mut add: impl FnMut([u32; 2], DMat3),
    ) {
        let panel = &self.panels[number];
        let slopes = |hinge: usize| {
            angle(self.hinges[hinge].corners(x)).map_or([DVec3::ZERO; 4], |(_, slopes)| slopes)
        };
        let of = |at: [usize; 2]| at.map(|i| panel.nodes[i]);
        panel.each_block(slopes, 1.0 + panel.damping / h, |at, block| add(of(at), block));
    }
}

/// The same with all parts of a hinge in one.
fn joined(parts: &[Part]) -> Vec<Part> {
    let mut all: Vec<Part> = Vec::new();
    for part in parts {
        match all.iter_mut().find(|own| own.hinge == part.hinge) {
            Some(own) => own.weights.iter_mut().zip(part.weights).for_each(|(own, w)| *own += w),
            None => all.push(*part),
        }
    }
    all
}

impl Panel {
    /// Its curvatures where hinges are bent by `bend(hinge)`, and the moments of its law at them.
    fn bent(&self, bend: impl Fn(usize) -> f64) -> ([f64; 3], [f64; 3]) {
        let mut k = [0.0; 3];
        for part in &self.parts {
            let bend = bend(part.hinge as usize);
            k.iter_mut().zip(part.weights).for_each(|(k, weight)| *k += weight * bend);
        }
        (k, self.law.map(|row| row[0] * k[0] + row[1] * k[1] + row[2] * k[2]))
    }

    /// Calls `add` with the blocks of its Hessian as far as it is known, `factor` times, between two of its nodes each, from
    /// the `slopes` of the angles of hinges.
    fn each_block(
        &self,
        slopes: impl Fn(usize) -> [DVec3; 4],
        factor: f64,
        mut add: impl FnMut([usize; 2], DMat3),
    ) {
        let mut all = [[DVec3::ZERO; 3]; MOST];
        let bends = &mut all[..self.nodes.len()];
        for (Part { hinge, weights }, local) in self.known.iter().zip(&self.local) {
            for (at, slope) in local.iter().zip(slopes(*hinge as usize)) {
                for (own, weight) in bends[*at as usize].iter_mut().zip(weights) {
                    *own += slope * *weight;
                }
            }
        }
        for (i, bend) in bends.iter().enumerate() {
            let push = self
                .law
                .map(|row| (bend[0] * row[0] + bend[1] * row[1] + bend[2] * row[2]) * factor);
            for (j, other) in bends.iter().enumerate() {
                add([i, j], (0..3).map(|k| outer(push[k], other[k])).sum());
            }
        }
    }
}
