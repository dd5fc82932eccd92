//! The surfaces of all bodies as one list of triangles and edges over the world's nodes.

use super::borne::Arch;
use super::candidates::{Candidate, Kind};
use crate::geometry::TriMesh;
use crate::math::{Sets, rotation};
use glam::DVec3;
use std::collections::BTreeMap;
use std::ops::Range;

/// Triangles and edges of all bodies. Each vertex is owned by one triangle, and each edge but those inside plane patches
/// of bodies that keep their shape, so that pairs of triangles name every pair that may meet first once.
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
    /// Triangles beside each edge, two of them where there are more.
    pub(crate) sides: Vec<[Option<u32>; 2]>,
    /// How bodies that keep their shape bend at each edge; sharp at borders, and on others.
    pub(crate) edge_arch: Vec<Arch>,
    /// The same of all edges at a node together.
    pub(crate) node_arch: Vec<Arch>,
    /// Body of a node.
    pub(crate) body_of_node: Vec<u32>,
    /// Triangles of a body.
    pub(crate) body_triangles: Vec<Range<u32>>,
    /// Edges of a body.
    pub(crate) body_edges: Vec<Range<u32>>,
}

/// By how much less than one the cosine of an angle may be that counts as none.
pub(crate) const FLAT: f64 = 1e-9;

/// How far a patch of triangles of a body that keeps its shape may leave its plane, if the edges inside it are to need
/// no pairs of their own [m]: a sixtieth of the least distance that the guard keeps. What comes down on a plane
/// patch first meets it with a corner, or at the patch's border.
const FLUSH: f64 = 1e-7;

/// Whether two triangles of a mesh lie on opposite sides of their `edge`, and not one over the other.
fn lie_beside(mesh: &TriMesh, sides: [u32; 2], edge: [u32; 2]) -> bool {
    let [a, b] = sides.map(|t| {
        let corners = mesh.triangles[t as usize];
        (0..3).any(|k| [corners[k], corners[(k + 1) % 3]] == edge)
    });
    a != b
}

/// How a mesh bends at the `edge` between two triangles.
fn arch(mesh: &TriMesh, sides: [u32; 2], edge: [u32; 2]) -> Arch {
    let [one, other] = sides.map(|t| {
        let [a, b, c] = mesh.triangles[t as usize].map(|i| mesh.positions[i as usize]);
        (b - a).cross(c - a)
    });
    let [from, to] = edge.map(|i| mesh.positions[i as usize]);
    Arch {
        turn: rotation::angle_between(one, other),
        over: (one.length() + other.length()) / (3.0 * from.distance(to)),
    }
}

/// Of each triangle of a mesh whether the patch that it is in lies in one plane; `flat` are pairs of triangles with a
/// flat edge between them, which patches are made of.
fn in_plane(mesh: &TriMesh, flat: &[[u32; 2]]) -> Vec<bool> {
    let mut patches = Sets::new(mesh.triangles.len());
    for [a, b] in flat {
        patches.join(*a as usize, *b as usize);
    }
    let corners = |t: usize| mesh.triangles[t].map(|i| mesh.positions[i as usize]);
    let twice_area = |t: usize| {
        let [a, b, c] = corners(t);
        (b - a).cross(c - a)
    };
    // The plane of a patch is that of its largest triangle.
    let firsts: Vec<usize> = (0..mesh.triangles.len()).map(|t| patches.first_of(t)).collect();
    let mut largest = firsts.clone();
    for (t, first) in firsts.iter().enumerate() {
        let size = |t: usize| twice_area(t).length_squared();
        if size(t) > size(largest[*first]) {
            largest[*first] = t;
        }
    }
    let mut plane = vec![true; firsts.len()];
    for (t, first) in firsts.iter().enumerate() {
        let (normal, at) =
            (twice_area(largest[*first]).normalize_or_zero(), corners(largest[*first])[0]);
        plane[*first] &= corners(t).iter().all(|p| normal.dot(*p - at).abs() < FLUSH);
    }
    firsts.into_iter().map(|first| plane[first]).collect()
}

impl Surface {
    /// Of each node the piece that it is in, called by its first node: what edges connect.
    pub(crate) fn pieces(&self) -> Vec<u32> {
        let mut pieces = Sets::new(self.body_of_node.len());
        for [a, b] in &self.edges {
            pieces.join(*a as usize, *b as usize);
        }
        (0..self.body_of_node.len()).map(|node| pieces.first_of(node) as u32).collect()
    }

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
                &[a, b]
                    if keeps_shape
                        && normal(a).dot(normal(b)) > 1.0 - FLAT
                        && lie_beside(mesh, [a, b], self.edges[edge].map(|i| i - first_node)) =>
                {
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
        self.node_arch.resize(self.body_of_node.len(), Arch::FLAT);
        for (edge, sides) in (first_edge as usize..).zip(&edge_sides) {
            let ends = self.edges[edge].map(|i| i - first_node);
            let arch = match sides.as_slice() {
                &[a, b] if keeps_shape && lie_beside(mesh, [a, b], ends) => {
                    arch(mesh, [a, b], ends)
                }
                _ => Arch::SHARP,
            };
            self.edge_arch.push(arch);
            for node in self.edges[edge] {
                let own = &mut self.node_arch[node as usize];
                *own = own.with(arch);
            }
            let side = |k: usize| sides.get(k).map(|local| first_triangle + local);
            self.sides.push([side(0), side(1)]);
        }
        let flat = |edge: &usize| self.flat_edge[first_edge as usize + edge].is_some();
        let flat: Vec<usize> = (0..edge_sides.len()).filter(flat).collect();
        let sides: Vec<[u32; 2]> =
            flat.iter().map(|edge| [edge_sides[*edge][0], edge_sides[*edge][1]]).collect();
        let in_plane = if flat.is_empty() { Vec::new() } else { in_plane(mesh, &sides) };
        for (edge, [owner, _]) in flat.iter().zip(sides).filter(|(_, s)| in_plane[s[0] as usize]) {
            let owner = (first_triangle + owner) as usize;
            let is_it = |e: &u32| *e as usize == first_edge as usize + edge;
            let own = self.triangle_edges[owner].iter().position(is_it);
            self.owned[owner] &= !(8 << own.expect("the first side has it"));
        }
        self.body_triangles.push(first_triangle..self.triangles.len() as u32);
        self.body_edges.push(first_edge..self.edges.len() as u32);
    }

    /// Calls `add` for the owned vertices and edges of two triangles against each other.
    #[inline]
    pub(crate) fn pairs_between(&self, i: u32, j: u32, mut add: impl FnMut(Candidate)) {
        self.vertices_against(i, j, &mut add);
        self.vertices_against(j, i, &mut add);
        let (own_i, own_j) = (self.owned[i as usize], self.owned[j as usize]);
        for p in (0..3).filter(|p| own_i & (8 << p) != 0) {
            let e = self.triangle_edges[i as usize][p];
            for q in (0..3).filter(|q| own_j & (8 << q) != 0) {
                let f = self.triangle_edges[j as usize][q];
                let (e, f) = (e.min(f), e.max(f));
                let ([a, b], [c, d]) = (self.edges[e as usize], self.edges[f as usize]);
                if a != c && a != d && b != c && b != d {
                    add(Candidate { kind: Kind::EdgeEdge, nodes: [a, b, c, d], ids: [e, f] });
                }
            }
        }
    }

    #[inline]
    fn vertices_against(&self, i: u32, j: u32, add: &mut impl FnMut(Candidate)) {
        let [a, b, c] = self.triangles[j as usize];
        for p in (0..3).filter(|p| self.owned[i as usize] & (1 << p) != 0) {
            let v = self.triangles[i as usize][p];
            if v != a && v != b && v != c {
                add(Candidate { kind: Kind::VertexTriangle, nodes: [v, a, b, c], ids: [v, j] });
            }
        }
    }

    /// Whether two triangles share a corner.
    #[inline]
    pub(crate) fn share_a_corner(&self, i: u32, j: u32) -> bool {
        let (t, [a, b, c]) = (self.triangles[i as usize], self.triangles[j as usize]);
        t.iter().any(|v| *v == a || *v == b || *v == c)
    }

    /// Edge between corners `a` and `b` of triangle `t` as it is numbered in the world: corner `k`.
    pub(crate) fn edge_of(&self, triangle: u32, k: u8) -> u32 {
        self.triangle_edges[triangle as usize][k as usize]
    }

    /// Shortest edge at each node of `bodies` with all nodes at `rest`, but those without length; infinite elsewhere [m].
    pub(crate) fn spacing(&self, rest: &[DVec3], bodies: impl Iterator<Item = usize>) -> Vec<f64> {
        let mut spacing = vec![f64::INFINITY; rest.len()];
        for edges in bodies.map(|body| self.body_edges[body].clone()) {
            for &[a, b] in &self.edges[edges.start as usize..edges.end as usize] {
                let length = rest[a as usize].distance(rest[b as usize]);
                for i in [a, b].into_iter().filter(|_| length > 0.0) {
                    spacing[i as usize] = spacing[i as usize].min(length);
                }
            }
        }
        spacing
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::primitives;

    /// The edges that a body of this mesh has and those of them that make pairs.
    fn edges(mesh: &TriMesh, keeps_shape: bool) -> (usize, u32) {
        let mut surface =
            Surface { body_of_node: vec![0; mesh.positions.len()], ..Surface::default() };
        surface.add_body(mesh, 0, 0, keeps_shape);
        (surface.edges.len(), surface.owned.iter().map(|own| (own >> 3).count_ones()).sum())
    }

    /// A band of quads between the profile's points, 1 m wide.
    fn band(profile: impl Iterator<Item = (f64, f64)>) -> TriMesh {
        let mut mesh = TriMesh::default();
        for (x, y) in profile {
            mesh.positions.extend([DVec3::new(x, y, 0.0), DVec3::new(x, y, 1.0)]);
        }
        for k in (0..mesh.positions.len() as u32 - 2).step_by(2) {
            mesh.triangles.extend([[k, k + 1, k + 3], [k, k + 3, k + 2]]);
        }
        mesh
    }

    #[test]
    fn diagonals_of_what_keeps_its_shape_make_no_pairs() {
        let cube = primitives::Box::default().build().expect("a good box");
        assert_eq!(edges(&cube, true), (18, 12));
        assert_eq!(edges(&cube, false), (18, 18));
    }

    /// An arc whose folds are too small to see one by one, and two panels with a bevel between them: what lies across
    /// them touches inner edges first.
    #[test]
    fn patches_that_are_not_plane_as_a_whole_keep_their_edges() {
        let arc = (0..400).map(|k| {
            let angle = 3.9e-5 * f64::from(k);
            (64.1 * libm::sin(angle), 64.1 * libm::cos(angle))
        });
        let arc = edges(&band(arc), true);
        assert_eq!(arc.0, arc.1 as usize);
        let slope = 4.4e-5;
        let bevel = [(-1.0, -slope), (0.0, 0.0), (0.001, 0.0), (1.001, -slope)];
        let bevel = edges(&band(bevel.into_iter()), true);
        assert_eq!(bevel.0, bevel.1 as usize);
        let plane = band((0..9).map(|k| (f64::from(k), 0.0)));
        assert_eq!(edges(&plane, true).1, 18);
    }

    #[test]
    fn a_plate_of_doubled_triangles_keeps_its_border() {
        let mut plate = band([(0.0, 0.0), (1.0, 0.0)].into_iter());
        plate.triangles.extend(plate.triangles.clone());
        assert_eq!(edges(&plate, true), (5, 5));
    }
}
