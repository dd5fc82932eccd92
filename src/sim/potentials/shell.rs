//! Bending of sheets that have angles at rest, or take them on: the law of [`super::plate`] in the angles of hinges.
//!
//! The curvature tensor of a triangle is `k = sum w_j (theta_j - rest_j)` [1/m] over the hinges in its sides and those
//! that amend them, with the weights that their curvature vectors have in a plate, times their lengths: where the angles
//! are small the vector of a hinge is as long as its edge times its angle. The energy of a triangle is `k L k / 2` [J],
//! with the law of a plate times its area. What amends the slopes of an uneven mesh is in energy and gradient, but in the
//! tangent only where it is most of a slope, as around poles: its blocks would be three times as many for it, and what a
//! Newton iteration so leaves the next one finds.
//!
//! Folds that stay are perfect plasticity of a hinge: where `|theta - rest| > y`, the rest angle follows to within y after
//! each accepted substep. The limit is given as a curvature; the curvature of an edge of length l between triangles of
//! areas A0 and A1 is `l theta / (A0 + A1)`, so that a fold of a given radius stays or does not whatever the mesh.

use super::hinge::{angle, slopes, wrapped};
use super::plate::MOST;
use super::rows::Rows;
use crate::math::outer;
use crate::sim::linear::block_matrix::Pattern;
use crate::sim::linear::chunks;
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
    /// The panels that each hinge has a part in, with its weights: where each begins, and all behind the other.
    bent_start: Vec<u32>,
    bent: Vec<(u32, [f64; 3])>,
    /// Hinges and panels that act on each chunk of nodes.
    hinges_at: Vec<Vec<u32>>,
    panels_at: Vec<Vec<u32>>,
}

/// Angles of the hinges in a substep.
#[derive(Clone, Debug, Default)]
pub(crate) struct Angles {
    /// Those that they rest at [rad], and those at its start.
    pub(super) rest: Vec<f64>,
    pub(super) start: Vec<f64>,
    /// Scratch: those at an iterate with their gradients [rad/m], and the moments of the panels.
    now: Vec<(f64, [DVec3; 4])>,
    moments: Vec<[f64; 3]>,
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

    /// Finds its places in the matrix, and who acts where.
    pub(crate) fn place(&mut self, pattern: &Pattern) {
        for panel in &mut self.panels {
            let nodes = &panel.nodes;
            let slots = nodes.iter().flat_map(|i| nodes.iter().map(|j| pattern.slot(*i, *j)));
            panel.slots = slots.collect();
        }
        let mut bent = vec![Vec::new(); self.hinges.len()];
        for (number, panel) in (0..).zip(&self.panels) {
            for part in &panel.parts {
                bent[part.hinge as usize].push((number, part.weights));
            }
        }
        let ends = bent.iter().scan(0, |end, parts| {
            *end += parts.len() as u32;
            Some(*end)
        });
        self.bent_start = std::iter::once(0).chain(ends).collect();
        self.bent = bent.into_iter().flatten().collect();
        let count = pattern.start.len() - 1;
        let hinges = (0..).zip(self.hinges.iter().map(|hinge| &hinge.nodes[..]));
        chunks::terms_by_chunk(count, hinges, &mut self.hinges_at);
        let panels = (0..).zip(self.panels.iter().map(|panel| &panel.nodes[..]));
        chunks::terms_by_chunk(count, panels, &mut self.panels_at);
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

    /// Sets `angles` to those of a substep that starts at `x` with creases that rest at `creases`.
    pub(crate) fn start(&self, x: &[DVec3], creases: &[f64], angles: &mut Angles) {
        let mut creases = creases.iter();
        let rest = |hinge: &Hinge| {
            let crease = hinge.yields.and_then(|_| creases.next());
            crease.copied().unwrap_or(hinge.rest)
        };
        angles.rest.clear();
        angles.rest.extend(self.hinges.iter().map(rest));
        let rest = &angles.rest;
        chunks::map(&self.hinges, &mut angles.start, |i, hinge| hinge.angle_at(x, rest[i]));
    }

    /// Elastic energy at `x` with creases that rest at `creases` [J].
    pub(crate) fn elastic_energy(&self, x: &[DVec3], creases: &[f64]) -> f64 {
        let mut angles = Angles::default();
        self.start(x, creases, &mut angles);
        self.energy(&angles)
    }

    /// Elastic energy at the start of the substep of `angles` [J].
    pub(super) fn energy(&self, angles: &Angles) -> f64 {
        let Angles { rest, start, .. } = angles;
        let one = |panel: &Panel| {
            let (k, m) = panel.bent(|hinge| wrapped(start[hinge] - rest[hinge]));
            0.5 * (k[0] * m[0] + k[1] * m[1] + k[2] * m[2])
        };
        self.panels.iter().map(one).sum()
    }

    /// Gets ready to add what is done at `x` in a substep of `h` [s].
    pub(crate) fn begin(&self, x: &[DVec3], h: f64, angles: &mut Angles) {
        let Angles { rest, start, now, moments } = angles;
        chunks::map(&self.hinges, now, |i, hinge| {
            angle(hinge.corners(x)).unwrap_or((rest[i], [DVec3::ZERO; 4]))
        });
        chunks::map(&self.panels, moments, |_, panel| {
            let tau = panel.damping / h;
            let bend = |hinge: usize| {
                let theta = now[hinge].0;
                wrapped(theta - rest[hinge]) + tau * wrapped(theta - start[hinge])
            };
            panel.bent(bend).1
        });
    }

    /// Adds to `rows`, of the chunk `chunk`, the gradient [N] and the Gauss-Newton part of the Hessian [N/m] where
    /// [`Shell::begin`] made `angles` ready.
    pub(crate) fn add_to_rows(&self, chunk: usize, angles: &Angles, h: f64, rows: &mut Rows<'_>) {
        for &number in &self.hinges_at[chunk] {
            let number = number as usize;
            let parts = self.bent_start[number] as usize..self.bent_start[number + 1] as usize;
            let mut moment = 0.0;
            for (panel, w) in &self.bent[parts] {
                let m = angles.moments[*panel as usize];
                moment += w[0] * m[0] + w[1] * m[1] + w[2] * m[2];
            }
            for (node, slope) in self.hinges[number].nodes.iter().zip(angles.now[number].1) {
                if rows.has(*node) {
                    rows.gradient[*node as usize - rows.first] += slope * moment;
                }
            }
        }
        let (first, first_slot, count) = (rows.first, rows.first_slot, rows.gradient.len());
        let own = |node: u32| (node as usize).wrapping_sub(first) < count;
        let Some(blocks) = &mut rows.blocks else { return };
        for &number in &self.panels_at[chunk] {
            let panel = &self.panels[number as usize];
            let slopes = |hinge: usize| angles.now[hinge].1;
            panel.each_block(slopes, 1.0 + panel.damping / h, own, |[i, j], block| {
                let slot = panel.slots[i * panel.nodes.len() + j] as usize;
                blocks[slot - first_slot] += block;
            });
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
        let slopes = |hinge: usize| slopes(self.hinges[hinge].corners(x)).unwrap_or_default();
        let of = |at: [usize; 2]| at.map(|i| panel.nodes[i]);
        let factor = 1.0 + panel.damping / h;
        panel.each_block(slopes, factor, |_| true, |at, block| add(of(at), block));
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

    /// Calls `add` with the blocks of its Hessian as far as it is known, `factor` times, between an `own` one of its nodes and
    /// another each, from the `slopes` of the angles of hinges.
    fn each_block(
        &self,
        slopes: impl Fn(usize) -> [DVec3; 4],
        factor: f64,
        own: impl Fn(u32) -> bool,
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
        for (i, bend) in bends.iter().enumerate().filter(|(i, _)| own(self.nodes[*i])) {
            let push = self
                .law
                .map(|row| (bend[0] * row[0] + bend[1] * row[1] + bend[2] * row[2]) * factor);
            for (j, other) in bends.iter().enumerate() {
                add([i, j], (0..3).map(|k| outer(push[k], other[k])).sum());
            }
        }
    }
}
