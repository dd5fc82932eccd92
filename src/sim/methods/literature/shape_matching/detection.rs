//! Vertices in cells (Sotomayor 2008, section 5.3): pairs of bodies by their bounding spheres, what lies in
//! the common part of their boxes into a hashed grid (Teschner et al. 2003), and the exact test by
//! barycentric coordinates after that of the cell's box.

use super::solids::{Bounds, Solid, bounds};
use crate::sim::model::Model;
use glam::{DMat3, DVec3, IVec3};

/// What was looked at and found.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Counts {
    /// Vertices in the common part of two boxes.
    pub(super) potential: u64,
    /// Vertices in a cell that is not their own.
    pub(super) vertices: u64,
    /// Cells with such a vertex.
    pub(super) cells: u64,
}

/// Two solids whose boxes meet; the first may be the second.
pub(super) struct Pair {
    /// Places in the list of solids: the vertices of the first are in cells of the second.
    pub(super) solids: [usize; 2],
    /// What their boxes have in common.
    pub(super) region: Bounds,
    /// Vertices of the first in cells of the second, sorted.
    pub(super) inside: Vec<u32>,
}

/// A hashed grid of points.
pub(super) struct Grid {
    cell: f64,
    starts: Vec<u32>,
    entries: Vec<(u32, IVec3)>,
}

impl Grid {
    /// A grid of cells of `cell` metres that holds `nodes` at `z`, in a table of `size` places.
    pub(super) fn new(nodes: &[u32], z: &[DVec3], cell: f64, size: usize) -> Self {
        let place = |i: u32| (z[i as usize] / cell).floor().as_ivec3();
        let mut starts = vec![0u32; size + 1];
        for &i in nodes {
            starts[slot(place(i), size) + 1] += 1;
        }
        for k in 1..starts.len() {
            starts[k] += starts[k - 1];
        }
        let mut next = starts.clone();
        let mut entries = vec![(0, IVec3::ZERO); nodes.len()];
        for &i in nodes {
            let place = place(i);
            let at = &mut next[slot(place, size)];
            entries[*at as usize] = (i, place);
            *at += 1;
        }
        Self { cell, starts, entries }
    }

    /// Calls `found` with every point in a cell of the grid that the box `b` reaches into, each once.
    fn each_near(&self, b: &Bounds, mut found: impl FnMut(u32)) {
        let [low, high] = [b.low, b.high].map(|p| (p / self.cell).floor().as_ivec3());
        let size = self.starts.len() - 1;
        for x in low.x..=high.x {
            for y in low.y..=high.y {
                for z in low.z..=high.z {
                    let cell = IVec3::new(x, y, z);
                    let slot = slot(cell, size);
                    let range = self.starts[slot] as usize..self.starts[slot + 1] as usize;
                    for (i, own) in &self.entries[range] {
                        if *own == cell {
                            found(*i);
                        }
                    }
                }
            }
        }
    }
}

/// Place of a cell in a table of `size` (equation 5.1, with the primes of Teschner et al.).
fn slot(cell: IVec3, size: usize) -> usize {
    let [x, y, z] = cell.to_array().map(|k| k as u32);
    let mixed =
        x.wrapping_mul(73_856_093) ^ y.wrapping_mul(19_349_663) ^ z.wrapping_mul(83_492_791);
    mixed as usize % size
}

/// The least prime from `least` on.
pub(super) fn prime_from(least: usize) -> usize {
    let is_prime = |n: usize| {
        let mut k = 2;
        while k * k <= n && !n.is_multiple_of(k) {
            k += 1;
        }
        k * k > n
    };
    let mut n = least.max(2);
    while !is_prime(n) {
        n += 1;
    }
    n
}

/// Whether `p` is in the cell with these corners, its faces, edges and corners included.
pub(super) fn is_in_cell(p: DVec3, [a, b, c, d]: [DVec3; 4]) -> bool {
    let sides = DMat3::from_cols(b - a, c - a, d - a);
    let volume = sides.determinant();
    if volume == 0.0 {
        return false;
    }
    let beta = sides.inverse() * (p - a);
    beta.cmpge(DVec3::ZERO).all() && beta.element_sum() <= 1.0
}

/// Whether `p` is in one of the cells `near` of `solid` that node `i` is no corner of.
pub(super) fn is_inside(solid: &Solid, near: &[u32], z: &[DVec3], i: u32, p: DVec3) -> bool {
    near.iter().any(|cell| {
        let corners = solid.cells[*cell as usize];
        !corners.contains(&i)
            && bounds(&corners, z).holds(p)
            && is_in_cell(p, corners.map(|k| z[k as usize]))
    })
}

/// Pairs of solids that may overlap at `z`: a body and itself too, where another is near.
pub(super) fn close_pairs(model: &Model, solids: &[Solid], z: &[DVec3]) -> Vec<Pair> {
    let boxes: Vec<Bounds> = solids.iter().map(|s| Bounds::around(s.nodes.clone(), z)).collect();
    let spheres: Vec<(DVec3, f64)> = solids
        .iter()
        .zip(&boxes)
        .map(|(s, b)| {
            let middle = 0.5 * (b.low + b.high);
            (middle, s.nodes.clone().fold(0.0, |r: f64, i| r.max(z[i].distance(middle))))
        })
        .collect();
    let mut pairs = Vec::new();
    let mut near = vec![None::<Bounds>; solids.len()];
    for a in 0..solids.len() {
        for b in a + 1..solids.len() {
            let [first, second] = [solids[a].body, solids[b].body];
            let apart = spheres[a].0.distance(spheres[b].0);
            if apart > spheres[a].1 + spheres[b].1 || !model.pair_collides(first, second) {
                continue;
            }
            let Some(region) = boxes[a].common(&boxes[b]) else { continue };
            for (own, other) in [(a, b), (b, a)] {
                pairs.push(Pair { solids: [own, other], region, inside: Vec::new() });
                let all = near[own].get_or_insert(region);
                *all = Bounds { low: all.low.min(region.low), high: all.high.max(region.high) };
            }
        }
    }
    for (k, region) in near.into_iter().enumerate() {
        let Some(region) = region else { continue };
        if model.pair_collides(solids[k].body, solids[k].body) {
            pairs.push(Pair { solids: [k, k], region, inside: Vec::new() });
        }
    }
    pairs.sort_by_key(|pair| pair.solids);
    pairs
}

/// The grid of all vertices that lie in the region of a pair.
pub(super) fn hashed(pairs: &[Pair], solids: &[Solid], z: &[DVec3]) -> Option<Grid> {
    let mut nodes: Vec<u32> = Vec::new();
    for pair in pairs {
        let own = solids[pair.solids[0]].nodes.clone();
        nodes.extend(own.filter(|i| pair.region.holds(z[*i])).map(|i| i as u32));
    }
    nodes.sort_unstable();
    nodes.dedup();
    if nodes.is_empty() {
        return None;
    }
    let edges: f64 = solids.iter().map(|s| s.mean_edge).sum();
    let cell = edges / solids.len() as f64;
    Some(Grid::new(&nodes, z, cell, prime_from(2 * nodes.len())))
}

impl Grid {
    /// How many points it holds.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }
}

/// Fills in the vertices that are inside, by the grid.
pub(super) fn find_inside(
    pairs: &mut [Pair],
    solids: &[Solid],
    z: &[DVec3],
    grid: &Grid,
    counts: &mut Counts,
) {
    let mut by_solid: Vec<Vec<usize>> = vec![Vec::new(); solids.len()];
    for (k, pair) in pairs.iter().enumerate() {
        by_solid[pair.solids[1]].push(k);
    }
    for (number, solid) in solids.iter().enumerate() {
        let own = &by_solid[number];
        if own.is_empty() {
            continue;
        }
        for corners in &solid.cells {
            let around = bounds(corners, z);
            if own.iter().all(|k| !pairs[*k].region.meets(&around)) {
                continue;
            }
            let places = corners.map(|k| z[k as usize]);
            let mut any = false;
            grid.each_near(&around, |i| {
                let p = z[i as usize];
                if !around.holds(p) || corners.contains(&i) {
                    return;
                }
                let of = |k: &&usize| solids[pairs[**k].solids[0]].nodes.contains(&(i as usize));
                let Some(&k) = own.iter().find(of) else { return };
                if is_in_cell(p, places) {
                    pairs[k].inside.push(i);
                    any = true;
                }
            });
            counts.cells += u64::from(any);
        }
    }
    for pair in pairs {
        pair.inside.sort_unstable();
        pair.inside.dedup();
        counts.vertices += pair.inside.len() as u64;
    }
}
