//! Bending of sheets that are flat at rest, with the whole orthotropic law and no bias from the
//! way a mesh is cut into triangles.
//!
//! Each triangle of area A has the curvature tensor `k = sum over its sides of (c / (A + A_side)) n n^T`
//! [1/m], with n the side's normal in the warp-weft frame, `c = sum K_i x_i` the curvature vector of
//! the hinge there (Bergou et al. 2006: of length l theta) and A_side the area beyond it. The energy is
//!
//! `E = A/2 (B1 |k_uu|^2 + B2 |k_vv|^2 + 2 H |k_uv|^2)` [J], `H = 2 B45 - (B1 + B2) / 2`,
//!
//! with B1, B2 and B45 the stiffness of strips cut along the warp, the weft and halfway [N m]. Vectors
//! stand for the curvatures because a sheet that keeps its lengths bends along its normal only
//! (Bergou et al. 2006), which makes the Hessian constant. The stiffness of a strip at any angle a is
//! then `B1 cos^4 a + B2 sin^4 a + 2 H cos^2 a sin^2 a`: what no strip shows (how the rest divides
//! into cross contraction and twist) makes no difference to a developable sheet.
//!
//! Why the sides are weighted by one over both areas: a sum of `A k : M` over all triangles is then a
//! sum of `l theta n M n` over edges for every constant moment M, which is what a moment does on a
//! folded surface; and unequal cells in a row bend by the same curvature. On grids whose diagonals
//! run right, left, alternating or at random a bent sheet has its energy exactly; the hinge energy of
//! one scalar an edge is 15 to 20 per cent soft there. Where a side is missing the angle there is
//! free: it is eliminated, so that no moment acts across a free edge.

use glam::DVec2;

/// A side of a triangle.
pub(crate) struct Side {
    /// Its normal in the warp-weft frame of the triangle; the sign does not matter.
    pub(crate) normal: DVec2,
    /// Where a triangle lies beyond it: nodes and weights of the hinge (ends of the edge, then the
    /// opposite corners), and the area of both triangles [m2].
    pub(crate) hinge: Option<([u32; 4], [f64; 4], f64)>,
}

/// A triangle with those beside it.
pub(crate) struct Plate {
    nodes: [u32; 6],
    count: usize,
    /// Entries of the Hessian's scalars [N/m].
    entries: [[f64; 6]; 6],
    /// Damping time [s].
    pub(crate) damping: f64,
}

impl Plate {
    /// The bending of the triangle `corners` of `area` [m2] with sides opposite to its corners and the
    /// stiffness of strips along warp, weft and bias [N m].
    pub(crate) fn new(
        corners: [u32; 3],
        area: f64,
        sides: &[Side; 3],
        [warp, weft, bias]: [f64; 3],
        damping: f64,
    ) -> Self {
        let mixed = (2.0 * bias - 0.5 * (warp + weft)).max(0.0);
        let mut law = [[warp, 0.0, 0.0], [0.0, weft, 0.0], [0.0, 0.0, 2.0 * mixed]];
        let tensor = |n: DVec2| [n.x * n.x, n.y * n.y, n.x * n.y];
        for side in sides.iter().filter(|side| side.hinge.is_none()) {
            free(&mut law, tensor(side.normal));
        }
        let mut nodes = [corners[0], corners[1], corners[2], 0, 0, 0];
        let mut count = 3;
        let mut weights = [[0.0; 6]; 3];
        for side in sides {
            let Some((own, k, areas)) = &side.hinge else { continue };
            let part = tensor(side.normal).map(|n| n / areas);
            for (node, k) in own.iter().zip(k) {
                let at = nodes[..count].iter().position(|n| n == node).unwrap_or_else(|| {
                    nodes[count] = *node;
                    count += 1;
                    count - 1
                });
                for (row, part) in weights.iter_mut().zip(part) {
                    row[at] += part * k;
                }
            }
        }
        let mut entries = [[0.0; 6]; 6];
        for (i, row) in entries.iter_mut().enumerate() {
            for (j, entry) in row.iter_mut().enumerate() {
                for a in 0..3 {
                    for b in 0..3 {
                        *entry += area * law[a][b] * weights[a][i] * weights[b][j];
                    }
                }
            }
        }
        Self { nodes, count, entries, damping }
    }

    /// The nodes that it couples.
    pub(crate) fn nodes(&self) -> &[u32] {
        &self.nodes[..self.count]
    }

    /// Entry of the Hessian's scalar for local nodes `i` and `j` [N/m].
    pub(crate) fn entry(&self, i: usize, j: usize) -> f64 {
        self.entries[i][j]
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
