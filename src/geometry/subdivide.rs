//! Finer meshes of the same shape.

use super::TriMesh;
use super::primitives::hatched;
use crate::diagnostics::Diagnostic;
use std::collections::BTreeMap;

/// Most vertices that a subdivided mesh may have.
const MOST_VERTICES: usize = 20_000_000;

impl TriMesh {
    /// Splits every triangle into four at the middles of its edges, `n` times. Old vertices keep
    /// their numbers, maps and texture coordinates are interpolated; a grid stays a grid and is
    /// numbered anew by rows and columns.
    pub fn subdivided(&self, n: u32) -> Result<Self, Diagnostic> {
        let mut mesh = self.clone();
        for _ in 0..n {
            let edges = mesh.edges();
            if mesh.positions.len() + edges.len() > MOST_VERTICES {
                return Err(Diagnostic::error(format!(
                    "subdividing {n} times makes more than {MOST_VERTICES} vertices"
                )));
            }
            mesh = mesh.halved(&edges);
        }
        Ok(mesh)
    }

    /// A line with its vertices numbered from end to end.
    fn in_line(&self) -> Self {
        let ends = self.lines.last().map(|l| l[1]);
        let order: Vec<usize> =
            self.lines.iter().map(|l| l[0]).chain(ends).map(|i| i as usize).collect();
        let all = |values: &[f64]| order.iter().map(|i| values[*i]).collect();
        Self {
            positions: order.iter().map(|i| self.positions[*i]).collect(),
            uvs: order.iter().filter_map(|i| self.uvs.get(*i)).copied().collect(),
            maps: self.maps.iter().map(|(name, v)| (name.clone(), all(v))).collect(),
            lines: (1..order.len() as u32).map(|i| [i - 1, i]).collect(),
            ..Self::default()
        }
    }

    fn halved(&self, edges: &[[u32; 2]]) -> Self {
        let old = self.positions.len() as u32;
        let middle = |a: u32, b: u32| {
            let key = [a.min(b), a.max(b)];
            old + edges.partition_point(|e| *e < key) as u32
        };
        let mut mesh = self.clone();
        let ends = |e: &[u32; 2]| e.map(|i| i as usize);
        mesh.positions.extend(edges.iter().map(|e| {
            let [a, b] = ends(e);
            (self.positions[a] + self.positions[b]) * 0.5
        }));
        if !self.uvs.is_empty() {
            mesh.uvs.extend(edges.iter().map(|e| {
                let [a, b] = ends(e);
                (self.uvs[a] + self.uvs[b]) * 0.5
            }));
        }
        for (name, values) in &self.maps {
            let halves = edges.iter().map(|e| {
                let [a, b] = ends(e);
                0.5 * (values[a] + values[b])
            });
            if let Some(map) = mesh.maps.get_mut(name) {
                map.extend(halves);
            }
        }
        mesh.tets = Vec::new();
        mesh.lines =
            self.lines.iter().flat_map(|&[a, b]| [[a, middle(a, b)], [middle(a, b), b]]).collect();
        if self.triangles.is_empty() {
            return mesh.in_line();
        }
        mesh.triangles = self
            .triangles
            .iter()
            .flat_map(|&[a, b, c]| {
                let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
                [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
            })
            .collect();
        if let Some(size) = self.grid {
            return mesh.in_rows(size, edges);
        }
        mesh.seams = BTreeMap::new();
        self.split_seams(&mut mesh);
        mesh
    }

    /// A halved grid with its vertices numbered by rows and columns again.
    fn in_rows(self, (nx, ny): (u32, u32), edges: &[[u32; 2]]) -> Self {
        let (columns, rows) = (2 * nx - 1, 2 * ny - 1);
        let old = |row: u32, column: u32| (row / 2) * nx + column / 2;
        let mut order = Vec::with_capacity(columns as usize * rows as usize);
        for row in 0..rows {
            for column in 0..columns {
                let here = old(row, column);
                let (down, right) = (row % 2 * nx, column % 2);
                // The middle of a cell is the middle of whichever diagonal it has.
                let ends = [[here, here + down + right], [here + right, here + down]];
                let number = if down + right == 0 {
                    Some(here)
                } else {
                    ends.iter().find_map(|e| {
                        let key = [e[0].min(e[1]), e[0].max(e[1])];
                        edges.binary_search(&key).ok().map(|i| nx * ny + i as u32)
                    })
                };
                let Some(number) = number else { return Self { grid: None, ..self } };
                order.push(number as usize);
            }
        }
        Self {
            positions: order.iter().map(|i| self.positions[*i]).collect(),
            uvs: if self.uvs.is_empty() {
                Vec::new()
            } else {
                order.iter().map(|i| self.uvs[*i]).collect()
            },
            maps: self
                .maps
                .iter()
                .map(|(name, v)| (name.clone(), order.iter().map(|i| v[*i]).collect()))
                .collect(),
            triangles: hatched(columns, rows),
            grid: Some((columns, rows)),
            ..Self::default()
        }
    }
}
