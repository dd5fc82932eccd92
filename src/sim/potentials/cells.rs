//! Gradient and tangent of all cells of soft bodies ([`Tet`]), several cells side by side and by chunks
//! of nodes.
//!
//! With the area vectors `c_i = cof(F) w_i` of the shape gradients `w_i`, the Hessian of the energy is in
//! the nodes i and j, up to the rest volume,
//! `mu (w_i . w_j) I + lambda c_i c_j^T - sigma (c_i c_j^T - c_j c_i^T)` with `sigma = (mu - lambda (J - 1)) / J`.
//! That is `(w_i . S w_j) I`, which the stress `S = mu I - sigma cof(F)^T cof(F)` adds, and
//! `(lambda - sigma) c_i c_j^T + sigma ((c_i . c_j) I + c_j c_i^T)`, which is nowhere negative for sigma
//! from 0 to 3 lambda. Like a membrane's, the tangent takes of S the part with positive eigenvalues, and
//! sigma cut to that range: it is positive semi-definite without a singular value of F.

use super::rows::Rows;
use super::tet::Tet;
use crate::sim::linear::block_matrix::Pattern;
use crate::sim::linear::chunks;
use crate::sim::wide::{
    Columns, LANES, Symmetric, Triple, Wide, columns, positive_part, squared, sum_of_outer, times,
};
use glam::{DMat3, DVec3, Vec4};

/// Nodes of a chunk.
pub(crate) const SHARE: usize = 640;

/// Largest sigma as a multiple of lambda: reached where a cell is squeezed to less than half of its volume.
const MOST_SIGMA: f32 = 2.5;

/// All cells, by the chunks of nodes in which their first nodes lie.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cells {
    chunks: Vec<Chunk>,
    /// Chunk, group and lane of each cell.
    places: Vec<[u32; 3]>,
}

/// Cells whose first nodes lie in one chunk of nodes.
#[derive(Clone, Debug, Default)]
struct Chunk {
    groups: Vec<Group>,
    /// Nodes of other chunks that the cells act on, and the slots of their blocks, ascending.
    beyond: Vec<u32>,
    beyond_slots: Vec<u32>,
}

/// Cells side by side.
#[derive(Clone, Debug)]
struct Group {
    /// Cells that there are; the other lanes are of no use.
    count: usize,
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
    /// Where their nodes and blocks lie in the rows of the chunk, and from there on in what is beyond.
    rows: [[u32; 4]; LANES],
    slots: [[u32; 16]; LANES],
}

impl Cells {
    /// The cells `tets`; `pattern` is that of the tangent.
    pub(crate) fn new(tets: &[Tet], pattern: &Pattern) -> Self {
        let size = pattern.start.len().saturating_sub(1);
        let mut own = vec![Vec::new(); size.div_ceil(SHARE)];
        for (t, tet) in (0u32..).zip(tets) {
            own[tet.nodes.into_iter().fold(u32::MAX, u32::min) as usize / SHARE].push(t);
        }
        let mut cells = Self { chunks: Vec::new(), places: vec![[0; 3]; tets.len()] };
        for (c, own) in own.iter().enumerate() {
            let (first, end) = (c * SHARE, size.min((c + 1) * SHARE));
            for (k, t) in own.iter().enumerate() {
                cells.places[*t as usize] = [c, k / LANES, k % LANES].map(|v| v as u32);
            }
            let own: Vec<&Tet> = own.iter().map(|t| &tets[*t as usize]).collect();
            cells.chunks.push(Chunk::new(&own, pattern, first..end));
        }
        cells
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Gives cell `t` the shape gradients of `tet`.
    pub(crate) fn set_shape(&mut self, t: usize, tet: &Tet) {
        let [chunk, group, lane] = self.places[t].map(|v| v as usize);
        let own = &mut self.chunks[chunk].groups[group].gradient;
        for (own, gradient) in own.iter_mut().zip(&tet.gradient[1..]) {
            own.set_lane(lane, *gradient);
        }
    }

    /// Starts a substep at `x`.
    pub(crate) fn begin(&mut self, x: &[DVec3]) {
        chunks::for_each(&mut self.chunks, |chunk| {
            for group in chunk.groups.iter_mut().filter(|group| group.is_damped) {
                group.start = strain(&group.deformation(x));
            }
        });
    }

    /// Adds the gradient at `x` for a substep of `h` seconds [N] and, where there are blocks, the tangent
    /// [N/m]: `rows` are those of the chunks of nodes.
    pub(crate) fn add(&self, x: &[DVec3], h: f64, rows: &mut [Rows<'_>]) {
        if self.is_empty() {
            return;
        }
        let mut parts: Vec<_> = self
            .chunks
            .iter()
            .zip(rows.iter_mut())
            .map(|(chunk, rows)| (chunk, rows, Vec::new(), Vec::new()))
            .collect();
        chunks::for_each(&mut parts, |(chunk, rows, gradient, blocks)| {
            *gradient = vec![DVec3::ZERO; chunk.beyond.len()];
            if rows.blocks.is_some() {
                *blocks = vec![DMat3::ZERO; chunk.beyond_slots.len()];
            }
            let mut sums = Sums { rows, gradient, blocks };
            for group in &chunk.groups {
                group.add(x, h, &mut sums);
            }
        });
        let beyond: Vec<_> = parts.into_iter().map(|(chunk, _, g, b)| (chunk, g, b)).collect();
        chunks::for_each(rows, |rows| {
            for (chunk, gradient, blocks) in &beyond {
                rows.add(&chunk.beyond, gradient, &chunk.beyond_slots, blocks);
            }
        });
    }
}

/// What cells of a chunk add to.
struct Sums<'a, 'b> {
    rows: &'a mut Rows<'b>,
    /// What lies in other chunks.
    gradient: &'a mut [DVec3],
    blocks: &'a mut [DMat3],
}

impl Chunk {
    /// `nodes` are those of the chunk.
    fn new(own: &[&Tet], pattern: &Pattern, nodes: std::ops::Range<usize>) -> Self {
        let slots = pattern.start[nodes.start]..pattern.start[nodes.end];
        let nodes = nodes.start as u32..nodes.end as u32;
        let outside = |all: &mut dyn Iterator<Item = u32>, range: &std::ops::Range<u32>| {
            let mut beyond: Vec<u32> = all.filter(|i| !range.contains(i)).collect();
            beyond.sort_unstable();
            beyond.dedup();
            beyond
        };
        let beyond = outside(&mut own.iter().flat_map(|t| t.nodes), &nodes);
        let beyond_slots = outside(&mut own.iter().flat_map(|t| t.slots), &slots);
        let place = |at: u32, range: &std::ops::Range<u32>, beyond: &[u32]| match at {
            _ if range.contains(&at) => at - range.start,
            _ => range.end - range.start + beyond.partition_point(|b| *b < at) as u32,
        };
        let group = |tets: &[&Tet]| {
            // Lanes without a cell compute what the last one does.
            let tet = |l: usize| tets[l.min(tets.len() - 1)];
            Group {
                count: tets.len(),
                nodes: std::array::from_fn(|l| tet(l).nodes),
                gradient: std::array::from_fn(|k| Triple::from_fn(|l| tet(l).gradient[k + 1])),
                volume: Wide::from_fn(|l| tet(l).volume),
                mu: Wide::from_fn(|l| tet(l).mu),
                lambda: Wide::from_fn(|l| tet(l).lambda),
                damping: Wide::from_fn(|l| tet(l).damping),
                is_damped: tets.iter().any(|t| t.damping > 0.0),
                start: Default::default(),
                rows: std::array::from_fn(|l| tet(l).nodes.map(|i| place(i, &nodes, &beyond))),
                slots: std::array::from_fn(|l| {
                    tet(l).slots.map(|s| place(s, &slots, &beyond_slots))
                }),
            }
        };
        Self { groups: own.chunks(LANES).map(group).collect(), beyond, beyond_slots }
    }
}

/// Green strain.
#[inline(always)]
fn strain(f: &Columns<Wide>) -> Symmetric<Wide> {
    let [xx, yy, zz, yz, zx, xy] = squared(f);
    let (half, one) = (Wide::splat(0.5), Wide::splat(1.0));
    [(xx - one) * half, (yy - one) * half, (zz - one) * half, yz * half, zx * half, xy * half]
}

/// A block of each cell, by columns.
type Block = [Vec4; 9];

/// Of the upper triangle, in the order of [`PAIRS`].
type Upper = [Block; 10];

/// Pairs of nodes.
const PAIRS: [[usize; 2]; 10] =
    [[0, 0], [0, 1], [0, 2], [0, 3], [1, 1], [1, 2], [1, 3], [2, 2], [2, 3], [3, 3]];

impl Group {
    /// Deformation gradient at `x`.
    #[inline(always)]
    fn deformation(&self, x: &[DVec3]) -> Columns<Wide> {
        let corner = |k: usize| Triple::from_fn(|l| x[self.nodes[l][k] as usize]);
        let first = corner(0);
        let [b, c, d] = [corner(1) - first, corner(2) - first, corner(3) - first];
        let [wb, wc, wd] = &self.gradient;
        let column = |k: usize| b * wb.0[k] + c * wc.0[k] + d * wd.0[k];
        [column(0), column(1), column(2)]
    }

    fn add(&self, x: &[DVec3], h: f64, sums: &mut Sums<'_, '_>) {
        let Self { mu, lambda, volume, gradient: w, .. } = *self;
        let f = self.deformation(x);
        let cofactor = [f[1].cross(f[2]), f[2].cross(f[0]), f[0].cross(f[1])];
        let swell = f[0].dot(cofactor[0]);
        let slope = lambda * (swell - Wide::splat(1.0)) - mu;
        let column = |k: usize| f[k] * mu + cofactor[k] * slope;
        let mut stress = [column(0), column(1), column(2)];
        let tau = self.damping * Wide::splat(1.0 / h);
        if self.is_damped {
            let s = columns(&self.damping_stress(&f, tau));
            let more = [times(&f, s[0]), times(&f, s[1]), times(&f, s[2])];
            stress = [stress[0] + more[0], stress[1] + more[1], stress[2] + more[2]];
        }
        let force = |k: usize| times(&stress, w[k]) * volume;
        let [b, c, d] = [force(0), force(1), force(2)];
        let forces = [-(b + c + d), b, c, d];
        for l in 0..self.count {
            for k in 0..4 {
                *sums.gradient(self.rows[l][k]) += forces[k].lane(l);
            }
        }
        if sums.rows.blocks.is_some() {
            let upper = self.tangent(&f, &cofactor, swell, slope, tau);
            self.scatter(&upper, sums);
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

    /// Blocks of the tangent, in single precision like the matrix of the preconditioner.
    fn tangent(
        &self,
        f: &Columns<Wide>,
        cofactor: &Columns<Wide>,
        swell: Wide,
        slope: Wide,
        tau: Wide,
    ) -> Upper {
        let narrow = |m: &Columns<Wide>| [m[0].narrow(), m[1].narrow(), m[2].narrow()];
        let (f, cofactor, w) = (narrow(f), narrow(cofactor), narrow(&self.gradient));
        let [mu, lambda, volume] = [self.mu, self.lambda, self.volume].map(Wide::narrow);
        let (swell, slope, tau) = (swell.narrow(), slope.narrow(), tau.narrow());
        let inside_out = swell.cmple(Vec4::ZERO);
        let sigma = (-slope / swell).max(Vec4::ZERO).min(lambda * MOST_SIGMA);
        let sigma = Vec4::select(inside_out, Vec4::ZERO, sigma);
        // S as a part of mu.
        let part = -sigma / mu;
        let [xx, yy, zz, yz, zx, xy] = squared(&cofactor);
        let diagonal = |square: Vec4| Vec4::ONE + part * square;
        let s = [diagonal(xx), diagonal(yy), diagonal(zz), part * yz, part * zx, part * xy];
        let tension = columns(&positive_part(&s));
        let mapped = |m: &Columns<Vec4>| [times(m, w[0]), times(m, w[1]), times(m, w[2])];
        let (drawn, area, pushed) = (mapped(&tension), mapped(&cofactor), mapped(&f));
        let spread = columns(&sum_of_outer(&f, &f));
        let (rest, sigma, own) = ((lambda - sigma) * volume, sigma * volume, mu * volume);
        let (shear, first) = (tau * own, tau * (lambda - mu) * volume);
        let mut upper = [[Vec4::ZERO; 9]; 10];
        for (block, [i, j]) in upper[4..].iter_mut().zip(&PAIRS[4..]) {
            let (i, j) = (i - 1, j - 1);
            let along = own * w[i].dot(drawn[j]) + sigma * area[i].dot(area[j]);
            let (back, forth) = (area[i] * rest, area[j] * sigma);
            for c in 0..3 {
                let mut column = back * area[j].0[c] + forth * area[i].0[c];
                column.0[c] += along;
                block[3 * c..3 * c + 3].copy_from_slice(&column.0);
            }
            if self.is_damped {
                let (back, forth) = (pushed[i] * first, pushed[j] * shear);
                let both = shear * w[i].dot(w[j]);
                for c in 0..3 {
                    let more = spread[c] * both + forth * pushed[i].0[c] + back * pushed[j].0[c];
                    for r in 0..3 {
                        block[3 * c + r] += more.0[r];
                    }
                }
            }
        }
        // A motion of all nodes together does nothing: the blocks of the first node follow from the others.
        for c in 0..3 {
            for r in 0..3 {
                let (k, t) = (3 * c + r, 3 * r + c);
                upper[1][k] = -(upper[4][k] + upper[5][t] + upper[6][t]);
                upper[2][k] = -(upper[5][k] + upper[7][k] + upper[8][t]);
                upper[3][k] = -(upper[6][k] + upper[8][k] + upper[9][k]);
            }
        }
        for k in 0..9 {
            upper[0][k] = -(upper[1][k] + upper[2][k] + upper[3][k]);
        }
        upper
    }

    fn scatter(&self, upper: &Upper, sums: &mut Sums<'_, '_>) {
        for (block, [i, j]) in upper.iter().zip(PAIRS) {
            let all = block.map(|entry| entry.to_array());
            for l in 0..self.count {
                let at = |k: usize| f64::from(all[k][l]);
                let block = DMat3::from_cols(
                    DVec3::new(at(0), at(1), at(2)),
                    DVec3::new(at(3), at(4), at(5)),
                    DVec3::new(at(6), at(7), at(8)),
                );
                *sums.block(self.slots[l][4 * i + j]) += block;
                if i != j {
                    *sums.block(self.slots[l][4 * j + i]) += block.transpose();
                }
            }
        }
    }
}

impl Sums<'_, '_> {
    #[inline(always)]
    fn gradient(&mut self, row: u32) -> &mut DVec3 {
        let (row, own) = (row as usize, self.rows.gradient.len());
        if row < own { &mut self.rows.gradient[row] } else { &mut self.gradient[row - own] }
    }

    #[inline(always)]
    fn block(&mut self, slot: u32) -> &mut DMat3 {
        let slot = slot as usize;
        let own = self.rows.blocks.as_deref_mut().unwrap_or_default();
        let count = own.len();
        if slot < count { &mut own[slot] } else { &mut self.blocks[slot - count] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::potentials::tet::{moduli, shape};

    /// A row of cubes, three across, each of five cells, squeezed, bent and swollen along its length; the nodes of
    /// its cross-sections lie far apart in it, so that many cells act on two or three chunks.
    fn bar() -> (Vec<Tet>, Pattern, Vec<DVec3>) {
        let (length, across) = (60u32, 4u32);
        let node = |x: u32, y: u32, z: u32| (y * across + z) * (length + 1) + x;
        let count = ((length + 1) * across * across) as usize;
        let mut rest = vec![DVec3::ZERO; count];
        let mut corners = Vec::new();
        for x in 0..=length {
            for (y, z) in (0..across).flat_map(|y| (0..across).map(move |z| (y, z))) {
                rest[node(x, y, z) as usize] = DVec3::new(x.into(), y.into(), z.into());
                if x == length || y + 1 == across || z + 1 == across {
                    continue;
                }
                let flip = |k: u32, at: u32| if (x + y + z) % 2 == 1 { 1 - k } else { k } + at;
                let at = |a: u32, b: u32, c: u32| node(flip(a, x), flip(b, y), flip(c, z));
                corners.extend([
                    [at(0, 0, 0), at(1, 0, 0), at(0, 1, 0), at(0, 0, 1)],
                    [at(1, 1, 0), at(0, 1, 0), at(1, 0, 0), at(1, 1, 1)],
                    [at(1, 0, 1), at(1, 0, 0), at(0, 0, 1), at(1, 1, 1)],
                    [at(0, 1, 1), at(0, 0, 1), at(0, 1, 0), at(1, 1, 1)],
                    [at(1, 0, 0), at(0, 1, 0), at(0, 0, 1), at(1, 1, 1)],
                ]);
            }
        }
        for nodes in &mut corners {
            if shape(nodes.map(|i| rest[i as usize])).is_none() {
                nodes.swap(0, 1);
            }
        }
        let pattern = Pattern::new(count, corners.iter().map(|nodes| &nodes[..]));
        let (mu, lambda) = moduli(3000.0, 0.3);
        let tets = corners.into_iter().enumerate().map(|(t, nodes)| {
            let (gradient, volume) = shape(nodes.map(|i| rest[i as usize])).expect("a good cell");
            let damping = if t % 3 == 0 { 0.01 } else { 0.0 };
            let slots = std::array::from_fn(|k| pattern.slot(nodes[k / 4], nodes[k % 4]));
            Tet { nodes, gradient, volume, mu, lambda, damping, plastic: None, slots }
        });
        let tets = tets.collect();
        let moved = |p: &DVec3| {
            let part = p.x / f64::from(length);
            DVec3::new(p.x * 0.9, p.y * (0.6 + part), p.z + 0.3 * p.x * part)
        };
        (tets, pattern, rest.iter().map(moved).collect())
    }

    fn evaluate(tets: &[Tet], pattern: &Pattern, x: &[DVec3]) -> (Vec<DVec3>, Vec<DMat3>) {
        let mut gradient = vec![DVec3::ZERO; x.len()];
        let mut blocks = vec![DMat3::ZERO; pattern.columns.len()];
        let mut cells = Cells::new(tets, pattern);
        let before: Vec<DVec3> = x.iter().map(|p| *p * 1.01).collect();
        cells.begin(&before);
        let mut rows = Rows::of_chunks(SHARE, &pattern.start, &mut gradient, Some(&mut blocks));
        cells.add(x, 0.004, &mut rows);
        (gradient, blocks)
    }

    /// All cells together give what each gives alone.
    #[test]
    fn cells_on_several_chunks_add_up() {
        let (tets, pattern, x) = bar();
        assert!(x.len() > SHARE, "two chunks");
        let (gradient, blocks) = evaluate(&tets, &pattern, &x);
        let (mut forces, mut tangent) =
            (vec![DVec3::ZERO; x.len()], vec![DMat3::ZERO; blocks.len()]);
        for tet in &tets {
            let alone = Tet { slots: std::array::from_fn(|k| k as u32), ..tet.clone() };
            // Alone it is the only cell of four nodes.
            let own = Tet { nodes: [0, 1, 2, 3], ..alone };
            let four = Pattern::new(4, std::iter::once(&own.nodes[..]));
            let places = tet.nodes.map(|i| x[i as usize]);
            let (g, b) = evaluate(std::slice::from_ref(&own), &four, &places);
            for i in 0..4 {
                forces[tet.nodes[i] as usize] += g[i];
                for j in 0..4 {
                    tangent[tet.slots[4 * i + j] as usize] += b[4 * i + j];
                }
            }
        }
        let most = forces.iter().fold(0.0f64, |m, f| m.max(f.length()));
        let off = gradient.iter().zip(&forces).fold(0.0f64, |m, (a, b)| m.max(a.distance(*b)));
        assert!(off < 1e-12 * most, "{off} of {most}");
        let size = |m: &DMat3| m.x_axis.length() + m.y_axis.length() + m.z_axis.length();
        let most = tangent.iter().fold(0.0f64, |m, b| m.max(size(b)));
        let off = blocks.iter().zip(&tangent).fold(0.0f64, |m, (a, b)| m.max(size(&(*a - *b))));
        assert!(off < 1e-12 * most, "{off} of {most}");
    }
}
