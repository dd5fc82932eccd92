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

mod group;

use super::rows::Rows;
use super::tet::Tet;
use crate::sim::linear::block_matrix::Pattern;
use crate::sim::linear::chunks;
use crate::sim::wide::LANES;
use glam::{DMat3, DVec3, Vec4};
use group::{EDGES, Edge, Group};
use std::ops::Range;

/// How much a cell's deformation gradient may differ (Frobenius) from the one that its part of the tangent was made
/// for in the same substep. The tangent only steers the iteration.
const MOST_BENT: f64 = 0.05;

/// All cells, by the chunks of nodes in which their first nodes lie.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cells {
    chunks: Vec<Chunk>,
    /// Chunk, group and lane of each cell.
    places: Vec<[u32; 3]>,
}

/// Cells whose first nodes lie in one chunk of nodes. What they act on is numbered in the chunk: its own nodes, and
/// behind them those `beyond`.
#[derive(Clone, Debug, Default)]
struct Chunk {
    groups: Vec<Group>,
    /// Its own nodes.
    nodes: Range<usize>,
    /// Nodes of other chunks that the cells act on, and the slots of their blocks, ascending.
    beyond: Vec<u32>,
    beyond_slots: Vec<u32>,
    /// What the edges add to the rows of the nodes.
    lines: Vec<Line>,
    entries: Vec<Entry>,
    /// Where the nodes were last, and the gradient there [N]; none since the substep started where it is empty.
    x: Vec<DVec3>,
    gradient: Vec<DVec3>,
    /// Where they were for the present tangent, and what the edges couple there [N/m].
    base: Vec<DVec3>,
    edges: Vec<Edge>,
    /// Scratch: blocks in the slots beyond.
    blocks: Vec<DMat3>,
}

/// The row of a node: how many entries it has, and where its diagonal block lies, from the first slot of the
/// chunk's own rows or of those beyond.
#[derive(Clone, Copy, Debug)]
struct Line {
    count: u32,
    diagonal: u32,
}

/// A block beside the diagonal.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// Where it lies, as the diagonal blocks do.
    place: u32,
    /// The edge whose block it is.
    edge: u32,
    /// Whether it is the edge's block turned about: that of the higher node and the lower one.
    turned: bool,
}

impl Cells {
    /// The cells `tets`; `pattern` is that of the tangent.
    pub(crate) fn new(tets: &[Tet], pattern: &Pattern) -> Self {
        let size = pattern.start.len().saturating_sub(1);
        let share = chunks::chunk(size);
        let mut own = vec![Vec::new(); size.div_ceil(share)];
        for (t, tet) in (0u32..).zip(tets) {
            own[group::nodes(tet)[0] as usize / share].push(t);
        }
        let mut cells = Self { chunks: Vec::new(), places: vec![[0; 3]; tets.len()] };
        for (c, own) in own.iter().enumerate() {
            let (first, end) = (c * share, size.min((c + 1) * share));
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
        self.chunks[chunk].groups[group].set_shape(lane, tet);
    }

    /// Starts a substep at `x`.
    pub(crate) fn begin(&mut self, x: &[DVec3]) {
        if !self.is_empty() {
            chunks::for_each(&mut self.chunks, |chunk| chunk.begin(x));
        }
    }

    /// Adds the gradient at `x` for a substep of `h` seconds [N] and, where there are blocks, the tangent
    /// [N/m]: `rows` are those of the chunks of nodes.
    pub(crate) fn add(&mut self, x: &[DVec3], h: f64, rows: &mut [Rows<'_>]) {
        if self.is_empty() {
            return;
        }
        let mut parts: Vec<_> = self.chunks.iter_mut().zip(rows.iter_mut()).collect();
        chunks::for_each(&mut parts, |(chunk, rows)| {
            chunk.follow(x, h, rows.blocks.is_some());
            for (own, more) in rows.gradient.iter_mut().zip(&chunk.gradient) {
                *own += *more;
            }
            if let Some(blocks) = rows.blocks.as_deref_mut() {
                chunk.add_blocks(blocks);
            }
        });
        chunks::for_each(rows, |rows| {
            for chunk in &self.chunks {
                let gradient = &chunk.gradient[chunk.nodes.len()..];
                rows.add(&chunk.beyond, gradient, &chunk.beyond_slots, &chunk.blocks);
            }
        });
    }
}

impl Chunk {
    /// `nodes` are those of the chunk.
    fn new(own: &[&Tet], pattern: &Pattern, nodes: Range<usize>) -> Self {
        let mut beyond: Vec<u32> = own.iter().flat_map(|t| t.nodes).collect();
        beyond.retain(|i| !nodes.contains(&(*i as usize)));
        beyond.sort_unstable();
        beyond.dedup();
        let node = |i: u32| match beyond.binary_search(&i) {
            Ok(k) => (nodes.len() + k) as u32,
            Err(_) => i - nodes.start as u32,
        };
        let edges_of = |t: &&Tet| {
            let nodes = group::nodes(t);
            EDGES.map(|[i, j]| [nodes[i], nodes[j]])
        };
        let mut edges: Vec<[u32; 2]> = own.iter().flat_map(edges_of).collect();
        edges.sort_unstable();
        edges.dedup();
        // Row, slot, edge, and whether it is turned about; the edges of a row come in ascending slots.
        let mut all = Vec::with_capacity(2 * edges.len());
        for (e, &[i, j]) in (0..).zip(&edges) {
            all.push((node(i), pattern.slot(i, j), e, false));
            all.push((node(j), pattern.slot(j, i), e, true));
        }
        all.sort_unstable();
        let first_slot = pattern.start[nodes.start];
        let mut beyond_slots: Vec<u32> = beyond.iter().map(|i| pattern.slot(*i, *i)).collect();
        let far = all.partition_point(|(row, ..)| (*row as usize) < nodes.len());
        beyond_slots.extend(all[far..].iter().map(|(_, slot, ..)| *slot));
        beyond_slots.sort_unstable();
        let place = |row: u32, slot: u32| {
            if (row as usize) < nodes.len() {
                slot - first_slot
            } else {
                beyond_slots.partition_point(|s| *s < slot) as u32
            }
        };
        let line = |(row, i): (u32, u32)| {
            let before = |row: u32| all.partition_point(|(other, ..)| *other < row);
            let count = (before(row + 1) - before(row)) as u32;
            Line { count, diagonal: place(row, pattern.slot(i, i)) }
        };
        let all_nodes = nodes.clone().map(|i| i as u32).chain(beyond.iter().copied());
        let lines = (0..).zip(all_nodes).map(line).collect();
        let entry =
            |&(row, slot, edge, turned): &_| Entry { place: place(row, slot), edge, turned };
        let edge = |ends: [u32; 2]| edges.partition_point(|e| *e < ends) as u32;
        Self {
            groups: own.chunks(LANES).map(|tets| Group::new(tets, node, edge)).collect(),
            lines,
            entries: all.iter().map(entry).collect(),
            gradient: vec![DVec3::ZERO; nodes.len() + beyond.len()],
            edges: vec![[Vec4::ZERO; 3]; edges.len()],
            blocks: vec![DMat3::ZERO; beyond_slots.len()],
            beyond_slots,
            nodes,
            beyond,
            ..Self::default()
        }
    }

    /// Where its nodes are.
    fn places<'a>(&'a self, x: &'a [DVec3]) -> impl Iterator<Item = DVec3> + 'a {
        let beyond = self.beyond.iter().map(|i| x[*i as usize]);
        x[self.nodes.clone()].iter().copied().chain(beyond)
    }

    /// Starts a substep at `x`.
    fn begin(&mut self, x: &[DVec3]) {
        self.base.clear();
        self.x = self.places(x).collect();
        for group in &mut self.groups {
            group.begin(&self.x);
        }
        self.x.clear();
    }

    /// Has the gradient at `x` for a substep of `h` seconds and, where it `bends`, the tangent.
    fn follow(&mut self, x: &[DVec3], h: f64, bends: bool) {
        let moved = self.x.is_empty() || self.places(x).zip(&self.x).any(|(x, own)| x != *own);
        if moved {
            let mut own = std::mem::take(&mut self.x);
            own.clear();
            own.extend(self.places(x));
            self.x = own;
            self.gradient.fill(DVec3::ZERO);
        }
        let bends = bends && self.is_bent();
        if bends {
            self.base.clone_from(&self.x);
            self.edges.fill([Vec4::ZERO; 3]);
        }
        if !moved && !bends {
            return;
        }
        for group in &self.groups {
            let f = group.deformation(&self.x);
            if moved {
                group.add_gradient(&f, h, &mut self.gradient);
            }
            if bends {
                group.add_tangent(&f, h, &mut self.edges);
            }
        }
    }

    /// Whether some cell is no longer shaped as the present tangent has it.
    fn is_bent(&self) -> bool {
        if self.base.is_empty() {
            return true;
        }
        let way: Vec<DVec3> = self.x.iter().zip(&self.base).map(|(x, base)| *x - *base).collect();
        let bent = |group: &Group| {
            let [a, b, c] = group.deformation(&way);
            (a.dot(a) + b.dot(b) + c.dot(c)).greatest() > MOST_BENT * MOST_BENT
        };
        self.groups.iter().any(bent)
    }

    /// Adds what the edges couple to the blocks of the chunk's own rows, and sets those beyond.
    fn add_blocks(&mut self, own: &mut [DMat3]) {
        self.blocks.fill(DMat3::ZERO);
        let Self { lines, entries, edges, blocks, .. } = self;
        let (own_lines, lines) = lines.split_at(self.nodes.len());
        let mut entries = &entries[..];
        for (lines, blocks) in [(own_lines, own), (lines, &mut blocks[..])] {
            for line in lines {
                let (row, rest) = entries.split_at(line.count as usize);
                entries = rest;
                // A motion of all nodes together does nothing.
                let mut sum = DMat3::ZERO;
                for entry in row {
                    let block = block(&edges[entry.edge as usize], entry.turned);
                    blocks[entry.place as usize] += block;
                    sum += block;
                }
                blocks[line.diagonal as usize] -= sum;
            }
        }
    }
}

/// The block of an edge, or that turned about, in double precision.
#[inline(always)]
fn block(edge: &Edge, turned: bool) -> DMat3 {
    let [a, b, c] = edge.map(|column| column.to_array().map(f64::from));
    if turned {
        DMat3::from_cols_array(&[a[0], b[0], c[0], a[1], b[1], c[1], a[2], b[2], c[2]])
    } else {
        DMat3::from_cols_array(&[a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2]])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::rotation;
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
            Tet { nodes, gradient, volume, mu, lambda, damping, plastic: None }
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
        let mut rows = Rows::of_chunks(&pattern.start, &mut gradient, Some(&mut blocks));
        cells.add(x, 0.004, &mut rows);
        (gradient, blocks)
    }

    /// All cells together give what each gives alone.
    #[test]
    fn cells_on_several_chunks_add_up() {
        let (tets, pattern, x) = bar();
        assert!(x.len() > chunks::chunk(x.len()), "two chunks");
        let (gradient, blocks) = evaluate(&tets, &pattern, &x);
        let (mut forces, mut tangent) =
            (vec![DVec3::ZERO; x.len()], vec![DMat3::ZERO; blocks.len()]);
        for tet in &tets {
            // Alone it is the only cell of four nodes.
            let own = Tet { nodes: [0, 1, 2, 3], ..tet.clone() };
            let four = Pattern::new(4, std::iter::once(&own.nodes[..]));
            let places = tet.nodes.map(|i| x[i as usize]);
            let (g, b) = evaluate(std::slice::from_ref(&own), &four, &places);
            for i in 0..4 {
                forces[tet.nodes[i] as usize] += g[i];
                for j in 0..4 {
                    tangent[pattern.slot(tet.nodes[i], tet.nodes[j]) as usize] += b[4 * i + j];
                }
            }
        }
        let most = forces.iter().fold(0.0f64, |m, f| m.max(f.length()));
        let off = gradient.iter().zip(&forces).fold(0.0f64, |m, (a, b)| m.max(a.distance(*b)));
        assert!(off < 1e-12 * most, "{off} of {most}");
        let size = |m: &DMat3| m.x_axis.length() + m.y_axis.length() + m.z_axis.length();
        let most = tangent.iter().fold(0.0f64, |m, b| m.max(size(b)));
        let off = blocks.iter().zip(&tangent).fold(0.0f64, |m, (a, b)| m.max(size(&(*a - *b))));
        // An edge sums what some ten cells couple in single precision, each sum right to 2^-24 of it.
        assert!(off < 10.0 * 0.5 * f64::from(f32::EPSILON) * most, "{off} of {most}");
    }

    /// Forces are always those of the places; the tangent is made anew where a cell has changed its shape.
    #[test]
    fn a_tangent_holds_until_a_cell_is_bent() {
        let (tets, pattern, x) = bar();
        let mut cells = Cells::new(&tets, &pattern);
        let mut at = |x: &[DVec3], begins: bool| {
            if begins {
                cells.begin(x);
            }
            let mut gradient = vec![DVec3::ZERO; x.len()];
            let mut blocks = vec![DMat3::ZERO; pattern.columns.len()];
            let mut rows = Rows::of_chunks(&pattern.start, &mut gradient, Some(&mut blocks));
            cells.add(x, 0.004, &mut rows);
            (gradient, blocks)
        };
        let turned = |angle: f64| -> Vec<DVec3> {
            let turn = DMat3::from_quat(rotation::from_rotation_z(angle));
            x.iter().map(|p| turn * *p).collect()
        };
        let first = at(&x, true);
        let little = at(&turned(0.01), false);
        assert!(little.0 != first.0 && little.1 == first.1);
        let more = at(&turned(0.2), false);
        assert!(more.1 != first.1);
        let back = at(&x, false);
        assert_eq!(back, first);
        let anew = at(&turned(0.01), true);
        assert!(anew.1 != first.1);
    }
}
