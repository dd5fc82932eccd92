//! The surfaces of all bodies as one list of triangles and edges over the world's nodes.

use crate::geometry::TriMesh;
use glam::DVec3;
use std::collections::BTreeMap;
use std::ops::Range;

/// Triangles and edges of all bodies. Each vertex and each edge is owned by one triangle, so that
/// pairs of triangles name every vertex-triangle and edge-edge pair once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Surface {
    /// Node numbers of the triangles' corners.
    pub(crate) triangles: Vec<[u32; 3]>,
    /// Node numbers of the edges' ends, low first.
    pub(crate) edges: Vec<[u32; 2]>,
    /// Edge `k` of a triangle runs from its corner `k` to corner `k + 1`.
    pub(crate) triangle_edges: Vec<[u32; 3]>,
    /// Bit `k`: the triangle owns its corner `k`; bit `3 + k`: it owns its edge `k`.
    pub(crate) owned: Vec<u8>,
    /// A triangle beside each edge that lies inside a plane patch of a body that keeps its shape: such edges
    /// never touch before the faces beside them do.
    pub(crate) flat_edge: Vec<Option<u32>>,
    /// A triangle beside each node all of whose edges are flat.
    pub(crate) flat_node: Vec<Option<u32>>,
    /// Body of a node.
    pub(crate) body_of_node: Vec<u32>,
    /// Triangles of a body.
    pub(crate) body_triangles: Vec<Range<u32>>,
    /// Edges of a body.
    pub(crate) body_edges: Vec<Range<u32>>,
}

/// By how much less than one the cosine of an angle may be that counts as none.
pub(crate) const FLAT: f64 = 1e-9;

impl Surface {
    /// Keeps the number of a body that is not there.
    pub(crate) fn add_nothing(&mut self) {
        let (triangles, edges) = (self.triangles.len() as u32, self.edges.len() as u32);
        self.body_triangles.push(triangles..triangles);
        self.body_edges.push(edges..edges);
    }

    /// Adds a body whose mesh's vertices are the nodes from `first_node` on.
    /// `body_of_node` must have a place for each of them.
    pub(crate) fn add_body(
        &mut self,
        mesh: &TriMesh,
        body: u32,
        first_node: u32,
        keeps_shape: bool,
    ) {
        let first = first_node as usize;
        self.body_of_node[first..first + mesh.positions.len()].fill(body);
        let first_triangle = self.triangles.len() as u32;
        let mut edge_numbers: BTreeMap<[u32; 2], u32> = BTreeMap::new();
        let mut edge_sides: Vec<Vec<u32>> = Vec::new();
        let first_edge = self.edges.len() as u32;
        let mut vertex_owned = vec![false; mesh.positions.len()];
        for (local, corners) in mesh.triangles.iter().enumerate() {
            let mut owned = 0u8;
            let mut numbers = [0; 3];
            for k in 0..3 {
                let corner = corners[k] as usize;
                if !vertex_owned[corner] {
                    vertex_owned[corner] = true;
                    owned |= 1 << k;
                }
                let (a, b) = (corners[k], corners[(k + 1) % 3]);
                let next = edge_sides.len() as u32;
                let number = *edge_numbers.entry([a.min(b), a.max(b)]).or_insert(next);
                if number == next {
                    edge_sides.push(Vec::new());
                    self.edges.push([a.min(b) + first_node, a.max(b) + first_node]);
                    owned |= 8 << k;
                }
                edge_sides[number as usize].push(local as u32);
                numbers[k] = number + first_edge;
            }
            self.triangles.push(corners.map(|i| i + first_node));
            self.triangle_edges.push(numbers);
            self.owned.push(owned);
        }
        for &[a, b] in &mesh.lines {
            // A segment is a triangle whose last two corners are one; its vertices and itself are its own.
            let mut owned = 8;
            for (k, vertex) in [a, b].into_iter().enumerate() {
                if !std::mem::replace(&mut vertex_owned[vertex as usize], true) {
                    owned |= 1 << k;
                }
            }
            let number = first_edge + edge_sides.len() as u32;
            edge_sides.push(Vec::new());
            self.edges.push([a.min(b) + first_node, a.max(b) + first_node]);
            self.triangles.push([a, b, b].map(|i| i + first_node));
            self.triangle_edges.push([number; 3]);
            self.owned.push(owned);
        }
        let normal = |t: u32| {
            let [a, b, c] = mesh.triangles[t as usize].map(|i| mesh.positions[i as usize]);
            (b - a).cross(c - a).normalize_or_zero()
        };
        self.flat_node.resize(self.body_of_node.len(), None);
        for (local, corners) in (0..).zip(&mesh.triangles) {
            for corner in corners {
                self.flat_node[first + *corner as usize] = Some(first_triangle + local);
            }
        }
        for (edge, sides) in (first_edge as usize..).zip(&edge_sides) {
            let flat = match sides.as_slice() {
                &[a, b] if keeps_shape && normal(a).dot(normal(b)) > 1.0 - FLAT => {
                    Some(first_triangle + a)
                }
                _ => None,
            };
            self.flat_edge.push(flat);
            if flat.is_none() {
                for node in self.edges[edge] {
                    self.flat_node[node as usize] = None;
                }
            }
        }
        self.body_triangles.push(first_triangle..self.triangles.len() as u32);
        self.body_edges.push(first_edge..self.edges.len() as u32);
    }

    /// Edge between corners `a` and `b` of triangle `t` as it is numbered in the world: corner `k`.
    pub(crate) fn edge_of(&self, triangle: u32, k: u8) -> u32 {
        self.triangle_edges[triangle as usize][k as usize]
    }

    /// Centres of the triangles of `body` at `positions`.
    pub(crate) fn centers(&self, body: usize, positions: &[DVec3]) -> Vec<DVec3> {
        let range = self.body_triangles[body].clone();
        self.triangles[range.start as usize..range.end as usize]
            .iter()
            .map(|t| {
                (positions[t[0] as usize] + positions[t[1] as usize] + positions[t[2] as usize])
                    / 3.0
            })
            .collect()
    }
}
