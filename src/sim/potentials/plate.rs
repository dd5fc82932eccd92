//! Bending of sheets that are flat at rest and stay so, with the whole orthotropic law and no bias from the
//! way a mesh is cut into triangles.
//!
//! The energy of a triangle of area A with the curvature tensor k [1/m] is
//!
//! `E = A/2 (B1 |k_uu|^2 + B2 |k_vv|^2 + 2 H |k_uv|^2)` [J], `H = 2 B45 - (B1 + B2) / 2`,
//!
//! with B1, B2 and B45 the stiffness of strips cut along the warp, the weft and halfway [N m]. The
//! stiffness of a strip at any angle a is then `B1 cos^4 a + B2 sin^4 a + 2 H cos^2 a sin^2 a`: what no
//! strip shows (how the rest divides into cross contraction and twist) makes no difference to a developable sheet.
//!
//! The curvature is that of Morley's triangle (1968): `k = sum over its sides of (l / A) (f - s) n n^T`, with the length l and
//! the outward normal n of the side in the warp-weft frame, the slope s of the flat triangle along n, and the slope f
//! halfway along the side, which both triangles share. Morley's are unknowns of their own; here they are told from the
//! vertices around ([`super::slope`]). However they are told, the energy is at least Morley's, so that nothing wrinkles for
//! free, and a constant moment does the work that it does on a folded surface; told exactly for paraboloids they leave no
//! bias from the way a mesh is cut. Where a side is free so is its slope: it is eliminated, so that no moment acts across
//! a free edge.
//!
//! Slopes differ by curvature vectors `c = sum K_i x_i` of hinges (Bergou et al. 2006: of length l theta), and
//! without any amends `(l / A) (f - s)` is `c / (A + A_side)`. Vectors stand for curvatures because a sheet that
//! keeps its lengths bends along its normal only, which makes the Hessian constant.

use glam::DVec2;

/// Most nodes of a plate: its own, those beyond its sides, and those beyond the sides of these.
pub(crate) const MOST: usize = 12;

/// An edge, by its number, and how much of its curvature vector goes into the curvature across a side [1/m2].
pub(crate) struct Bent {
    pub(crate) edge: usize,
    pub(crate) part: f64,
}

/// A side of a triangle.
pub(crate) struct Side {
    /// Its normal in the warp-weft frame of the triangle; the sign does not matter.
    pub(crate) normal: DVec2,
    /// What the curvature across it is the sum of; none where no triangle lies beyond it.
    pub(crate) bent: Option<Vec<Bent>>,
}

impl Side {
    /// Curvatures along the warp, the weft and mixed where it is bent across this side by one.
    pub(crate) fn tensor(&self) -> [f64; 3] {
        let n = self.normal;
        [n.x * n.x, n.y * n.y, n.x * n.y]
    }
}

/// What the curvatures of a triangle of `area` [m2] are multiplied with for its moments, times the area [N m3]: that of
/// the stiffness of strips along warp, weft and bias [N m], without what would bend across free sides.
pub(crate) fn law(area: f64, sides: &[Side; 3], [warp, weft, bias]: [f64; 3]) -> [[f64; 3]; 3] {
    let mixed = (2.0 * bias - 0.5 * (warp + weft)).max(0.0);
    let mut law = [[warp, 0.0, 0.0], [0.0, weft, 0.0], [0.0, 0.0, 2.0 * mixed]];
    for side in sides.iter().filter(|side| side.bent.is_none()) {
        free(&mut law, side.tensor());
    }
    law.map(|row| row.map(|entry| entry * area))
}

/// A triangle with those around it.
pub(crate) struct Plate {
    nodes: [u32; MOST],
    count: usize,
    /// The curvature tensor of each node's height [1/m2], and the law of the triangle ([`law`]).
    weights: [[f64; MOST]; 3],
    law: [[f64; 3]; 3],
    /// Damping time [s].
    pub(crate) damping: f64,
}

impl Plate {
    /// The bending of the triangle `corners` with sides opposite to its corners, by its law. `hinge` tells the nodes of an
    /// edge (its ends, then the opposite corners), and their weights in its curvature vector.
    pub(crate) fn new(
        corners: [u32; 3],
        sides: &[Side; 3],
        law: [[f64; 3]; 3],
        damping: f64,
        hinge: impl Fn(usize) -> ([u32; 4], [f64; 4]),
    ) -> Self {
        let mut nodes = [0; MOST];
        nodes[..3].copy_from_slice(&corners);
        let mut count = 3;
        let mut weights = [[0.0; MOST]; 3];
        for side in sides {
            for Bent { edge, part } in side.bent.iter().flatten() {
                let parts = side.tensor().map(|n| n * part);
                let (own, factors) = hinge(*edge);
                for (node, factor) in own.iter().zip(factors) {
                    let at = nodes[..count].iter().position(|n| n == node).unwrap_or_else(|| {
                        nodes[count] = *node;
                        count += 1;
                        count - 1
                    });
                    for (row, part) in weights.iter_mut().zip(parts) {
                        row[at] += part * factor;
                    }
                }
            }
        }
        Self { nodes, count, weights, law, damping }
    }

    /// The nodes that it couples.
    pub(crate) fn nodes(&self) -> &[u32] {
        &self.nodes[..self.count]
    }

    /// Entry of the Hessian's scalar for local nodes `i` and `j` [N/m].
    pub(crate) fn entry(&self, i: usize, j: usize) -> f64 {
        let mut entry = 0.0;
        for (row, first) in self.law.iter().zip(&self.weights) {
            for (value, second) in row.iter().zip(&self.weights) {
                entry += value * first[i] * second[j];
            }
        }
        entry
    }
}

/// Takes the curvature `g`, which nothing resists, out of a law: its Schur complement.
fn free(law: &mut [[f64; 3]; 3], g: [f64; 3]) {
    let push: [f64; 3] = std::array::from_fn(|a| (0..3).map(|b| law[a][b] * g[b]).sum());
    let resisted: f64 = (0..3).map(|a| g[a] * push[a]).sum();
    let whole = law[0][0] + law[1][1] + law[2][2];
    if resisted <= 1e-12 * whole {
        return;
    }
    for a in 0..3 {
        for b in 0..3 {
            law[a][b] -= push[a] * push[b] / resisted;
        }
    }
}
