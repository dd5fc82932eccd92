//! Cells side by side: their forces and their tangents.

use crate::sim::potentials::tet::Tet;
use crate::sim::wide::{
    Columns, LANES, Symmetric, Triple, Wide, columns, positive_part, squared, sum_of_outer, times,
};
use glam::{DVec3, Mat4, Vec4};

/// Largest sigma as a multiple of lambda: reached where a cell is squeezed to less than half of its volume.
const MOST_SIGMA: f32 = 2.5;

/// What an edge of a cell couples: the block of its lower and its higher node, by columns.
pub(super) type Edge = [Vec4; 3];

/// Edges of a cell, in ascending nodes.
pub(super) const EDGES: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];

/// Cells side by side.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// Cells that there are; the other lanes are of no use.
    count: usize,
    /// Their nodes, ascending, as numbers in the chunk.
    nodes: [[u32; 4]; LANES],
    /// Shape gradients of the last three nodes [1/m].
    gradient: Columns<Wide>,
    /// Rest volume [m3].
    volume: Wide,
    /// Shear modulus and lambda [Pa].
    mu: Wide,
    lambda: Wide,
    /// Damping time [s].
    damping: Wide,
    is_damped: bool,
    /// Green strain at the start of the substep.
    start: Symmetric<Wide>,
    /// Numbers of their edges in the chunk.
    edges: [[u32; 6]; LANES],
}

/// Places of the nodes of `tet` among its own, in ascending nodes.
fn ascending(tet: &Tet) -> [usize; 4] {
    let mut order = [0, 1, 2, 3];
    order.sort_unstable_by_key(|k| tet.nodes[*k]);
    order
}

/// Nodes of `tet`, ascending.
pub(super) fn nodes(tet: &Tet) -> [u32; 4] {
    ascending(tet).map(|k| tet.nodes[k])
}

impl Group {
    /// A group of `tets`, at most [`LANES`]: `node` numbers a node in the chunk, and `edge` an edge.
    pub(super) fn new(
        tets: &[&Tet],
        node: impl Fn(u32) -> u32,
        edge: impl Fn([u32; 2]) -> u32,
    ) -> Self {
        // Lanes without a cell compute what the last one does.
        let tet = |l: usize| tets[l.min(tets.len() - 1)];
        let orders: [_; LANES] = std::array::from_fn(|l| ascending(tet(l)));
        Self {
            count: tets.len(),
            nodes: std::array::from_fn(|l| nodes(tet(l)).map(&node)),
            gradient: std::array::from_fn(|k| {
                Triple::from_fn(|l| tet(l).gradient[orders[l][k + 1]])
            }),
            volume: Wide::from_fn(|l| tet(l).volume),
            mu: Wide::from_fn(|l| tet(l).mu),
            lambda: Wide::from_fn(|l| tet(l).lambda),
            damping: Wide::from_fn(|l| tet(l).damping),
            is_damped: tets.iter().any(|t| t.damping > 0.0),
            start: Default::default(),
            edges: std::array::from_fn(|l| {
                let nodes = nodes(tet(l));
                EDGES.map(|[i, j]| edge([nodes[i], nodes[j]]))
            }),
        }
    }

    /// Gives the cell in `lane` the shape gradients of `tet`.
    pub(super) fn set_shape(&mut self, lane: usize, tet: &Tet) {
        for (own, k) in self.gradient.iter_mut().zip(&ascending(tet)[1..]) {
            own.set_lane(lane, tet.gradient[*k]);
        }
    }

    /// Notes the strain at the start of a substep, where the nodes of the chunk are at `x`.
    pub(super) fn begin(&mut self, x: &[DVec3]) {
        if self.is_damped {
            self.start = strain(&self.deformation(x));
        }
    }

    /// Deformation gradient where the nodes of the chunk are at `x`.
    #[inline(always)]
    pub(super) fn deformation(&self, x: &[DVec3]) -> Columns<Wide> {
        let corner = |k: usize| Triple::from_fn(|l| x[self.nodes[l][k] as usize]);
        let first = corner(0);
        let [b, c, d] = [corner(1) - first, corner(2) - first, corner(3) - first];
        let [wb, wc, wd] = &self.gradient;
        let column = |k: usize| b * wb.0[k] + c * wc.0[k] + d * wd.0[k];
        [column(0), column(1), column(2)]
    }

    /// Adds what the potential of a substep of `h` seconds changes by with its nodes [N].
    pub(super) fn add_gradient(&self, f: &Columns<Wide>, h: f64, gradient: &mut [DVec3]) {
        let Self { mu, lambda, volume, gradient: w, .. } = *self;
        let cofactor = cofactors(f);
        let slope = lambda * (f[0].dot(cofactor[0]) - Wide::splat(1.0)) - mu;
        let column = |k: usize| f[k] * mu + cofactor[k] * slope;
        let mut stress = [column(0), column(1), column(2)];
        if self.is_damped {
            let s = columns(&self.damping_stress(f, self.damping * Wide::splat(1.0 / h)));
            let more = [times(f, s[0]), times(f, s[1]), times(f, s[2])];
            stress = [stress[0] + more[0], stress[1] + more[1], stress[2] + more[2]];
        }
        let force = |k: usize| times(&stress, w[k]) * volume;
        let [b, c, d] = [force(0), force(1), force(2)];
        let forces = [-(b + c + d), b, c, d];
        for l in 0..self.count {
            for k in 0..4 {
                gradient[self.nodes[l][k] as usize] += forces[k].lane(l);
            }
        }
    }

    /// Stress of the damping [Pa]: that of Hooke's law for the strain since the start, times tau/h.
    #[inline(always)]
    fn damping_stress(&self, f: &Columns<Wide>, tau: Wide) -> Symmetric<Wide> {
        let (e, b) = (strain(f), &self.start);
        let [xx, yy, zz] = [e[0] - b[0], e[1] - b[1], e[2] - b[2]];
        let hydro = (self.lambda - self.mu) * (xx + yy + zz) * tau;
        let twice = (self.mu + self.mu) * tau;
        [
            twice * xx + hydro,
            twice * yy + hydro,
            twice * zz + hydro,
            twice * (e[3] - b[3]),
            twice * (e[4] - b[4]),
            twice * (e[5] - b[5]),
        ]
    }

    /// Adds to the edges of the chunk what they couple for a substep of `h` seconds [N/m], in single precision like
    /// the matrix of the preconditioner.
    pub(super) fn add_tangent(&self, f: &Columns<Wide>, h: f64, edges: &mut [Edge]) {
        let narrow = |m: &Columns<Wide>| [m[0].narrow(), m[1].narrow(), m[2].narrow()];
        let (f, w) = (narrow(f), narrow(&self.gradient));
        let cofactor = cofactors(&f);
        let [mu, lambda, volume] = [self.mu, self.lambda, self.volume].map(Wide::narrow);
        let swell = f[0].dot(cofactor[0]);
        let slope = lambda * (swell - Vec4::ONE) - mu;
        let tau = (self.damping * Wide::splat(1.0 / h)).narrow();
        let inside_out = swell.cmple(Vec4::ZERO);
        let sigma = (-slope / swell).max(Vec4::ZERO).min(lambda * MOST_SIGMA);
        let sigma = Vec4::select(inside_out, Vec4::ZERO, sigma);
        // S as a part of mu.
        let part = -sigma / mu;
        let [xx, yy, zz, yz, zx, xy] = squared(&cofactor);
        let diagonal = |square: Vec4| Vec4::ONE + part * square;
        let s = [diagonal(xx), diagonal(yy), diagonal(zz), part * yz, part * zx, part * xy];
        let tension = columns(&positive_part(&s));
        // Of all four nodes: what the first does follows from the others.
        let all = |m: [Triple<Vec4>; 3]| [-(m[0] + m[1] + m[2]), m[0], m[1], m[2]];
        let mapped = |m: &Columns<Vec4>| all([times(m, w[0]), times(m, w[1]), times(m, w[2])]);
        let (drawn, area, pushed) = (mapped(&tension), mapped(&cofactor), mapped(&f));
        let w = all(w);
        let spread = columns(&sum_of_outer(&f, &f));
        let (rest, sigma, own) = ((lambda - sigma) * volume, sigma * volume, mu * volume);
        let (shear, first) = (tau * own, tau * (lambda - mu) * volume);
        for (e, [i, j]) in EDGES.into_iter().enumerate() {
            let along = own * w[i].dot(drawn[j]) + sigma * area[i].dot(area[j]);
            let (back, forth) = (area[i] * rest, area[j] * sigma);
            let mut block = [0, 1, 2].map(|c| {
                let mut column = back * area[j].0[c] + forth * area[i].0[c];
                column.0[c] += along;
                column
            });
            if self.is_damped {
                let (back, forth) = (pushed[i] * first, pushed[j] * shear);
                let both = shear * w[i].dot(w[j]);
                for (c, column) in block.iter_mut().enumerate() {
                    let more = forth * pushed[i].0[c] + back * pushed[j].0[c];
                    *column = *column + spread[c] * both + more;
                }
            }
            let lanes = block.map(|Triple([x, y, z])| {
                Mat4::from_cols(x, y, z, Vec4::ZERO).transpose().to_cols_array_2d()
            });
            for l in 0..self.count {
                let edge = &mut edges[self.edges[l][e] as usize];
                for (own, lanes) in edge.iter_mut().zip(&lanes) {
                    *own += Vec4::from_array(lanes[l]);
                }
            }
        }
    }
}

/// Columns of the cofactors.
#[inline(always)]
fn cofactors<N: crate::sim::wide::Number>(f: &Columns<N>) -> Columns<N> {
    [f[1].cross(f[2]), f[2].cross(f[0]), f[0].cross(f[1])]
}

/// Green strain.
#[inline(always)]
fn strain(f: &Columns<Wide>) -> Symmetric<Wide> {
    let [xx, yy, zz, yz, zx, xy] = squared(f);
    let (half, one) = (Wide::splat(0.5), Wide::splat(1.0));
    [(xx - one) * half, (yy - one) * half, (zz - one) * half, yz * half, zx * half, xy * half]
}
