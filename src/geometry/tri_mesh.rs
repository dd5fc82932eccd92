//! The triangle mesh that bodies are made of.

use glam::{DVec2, DVec3};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A triangle at one of its edges.
#[derive(Clone, Copy, Debug)]
pub struct HalfEdge {
    /// The edge's vertices, the lower first.
    pub edge: [u32; 2],
    /// Number of the triangle.
    pub triangle: usize,
    /// Its vertex across from the edge.
    pub across: u32,
}

/// A triangle mesh. Vertex order never changes once a mesh is made: row, pin and export rely on it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TriMesh {
    /// Vertex positions [m].
    pub positions: Vec<DVec3>,
    /// Triangles, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Texture coordinates, one a vertex, or empty.
    pub uvs: Vec<DVec2>,
    /// Texture coordinates of the corners of triangles, by their number, where they are not those of the
    /// vertices: at the seams of a picture.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub seams: BTreeMap<u32, [DVec2; 3]>,
    /// Named maps, one value a vertex.
    pub maps: BTreeMap<String, Vec<f64>>,
    /// `(columns, rows)` of vertices where the mesh is a grid: vertex = row * columns + column,
    /// row 0 is the top edge, column 0 the left one.
    pub grid: Option<(u32, u32)>,
    /// Tetrahedra that fill the mesh, or empty for a mere surface: `(b - a) x (c - a) . (d - a)` of
    /// each `[a, b, c, d]` is above zero. Vertices inside are in no triangle.
    pub tets: Vec<[u32; 4]>,
    /// Segments of a line, from end to end; a mesh of lines has no triangles.
    pub lines: Vec<[u32; 2]>,
}

/// Smallest and largest corner of the box around points; both zero where there are none.
pub(crate) fn bounds(points: &[DVec3]) -> (DVec3, DVec3) {
    let mut points = points.iter();
    let Some(&first) = points.next() else { return (DVec3::ZERO, DVec3::ZERO) };
    points.fold((first, first), |(low, high), p| (low.min(*p), high.max(*p)))
}

impl TriMesh {
    /// Smallest and largest corner; both zero for a mesh without vertices.
    pub fn bounds(&self) -> (DVec3, DVec3) {
        bounds(&self.positions)
    }

    /// Texture coordinates of the corners of triangle `t`; none where the mesh has none.
    pub fn corner_uvs(&self, t: usize) -> Option<[DVec2; 3]> {
        let of_vertices = || self.triangles[t].map(|i| self.uvs[i as usize]);
        let own = || self.seams.get(&(t as u32)).copied();
        (!self.uvs.is_empty()).then(|| own().unwrap_or_else(of_vertices))
    }

    /// Gives the corners of triangle `t` these texture coordinates; its vertices keep theirs.
    pub(super) fn set_corner_uvs(&mut self, t: usize, uvs: [DVec2; 3]) {
        if self.triangles[t].map(|i| self.uvs[i as usize]) == uvs {
            self.seams.remove(&(t as u32));
        } else {
            self.seams.insert(t as u32, uvs);
        }
    }

    /// Gives `finer`, whose triangles 4 t .. 4 t + 3 are the corners `a`, `b`, `c` and the middle of this
    /// mesh's triangle t, the texture coordinates of the corners.
    pub(super) fn split_seams(&self, finer: &mut Self) {
        for (t, [a, b, c]) in &self.seams {
            let [ab, bc, ca] = [(*a + *b) * 0.5, (*b + *c) * 0.5, (*c + *a) * 0.5];
            let parts = [[*a, ab, ca], [ab, *b, bc], [ca, bc, *c], [ab, bc, ca]];
            for (k, uvs) in parts.into_iter().enumerate() {
                finer.set_corner_uvs(4 * *t as usize + k, uvs);
            }
        }
    }

    /// Drops the triangles for which `keep` is false.
    pub(super) fn keep_triangles(&mut self, keep: impl Fn(usize, [u32; 3]) -> bool) {
        let kept: Vec<usize> =
            (0..self.triangles.len()).filter(|t| keep(*t, self.triangles[*t])).collect();
        let seams = (0..)
            .zip(&kept)
            .filter_map(|(new, t)| self.seams.get(&(*t as u32)).map(|uvs| (new, *uvs)));
        self.seams = seams.collect();
        self.triangles = kept.iter().map(|t| self.triangles[*t]).collect();
    }

    /// Area-weighted vertex normals for `positions` (which may be a frame's), unit length where the
    /// surface has any area.
    pub fn vertex_normals(&self, positions: &[DVec3]) -> Vec<DVec3> {
        let mut normals = vec![DVec3::ZERO; positions.len()];
        for t in &self.triangles {
            let [a, b, c] = t.map(|i| positions[i as usize]);
            let n = (b - a).cross(c - a);
            for &i in t {
                normals[i as usize] += n;
            }
        }
        normals.into_iter().map(DVec3::normalize_or_zero).collect()
    }

    /// Volume inside, negative where the triangles face inwards [m3]; of an open mesh that of the
    /// cone over its first vertex.
    pub fn volume(&self) -> f64 {
        let Some(&origin) = self.positions.first() else { return 0.0 };
        let one = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|i| self.positions[i as usize] - origin);
            a.dot(b.cross(c)) / 6.0
        };
        self.triangles.iter().map(one).sum()
    }

    /// An edge that does not have exactly two triangles which turn it opposite ways, or none.
    pub fn open_edge(&self) -> Option<[u32; 2]> {
        let mut half: Vec<[u32; 2]> =
            self.triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
        half.sort_unstable();
        let twice = half.windows(2).find(|w| w[0] == w[1]).map(|w| w[0]);
        twice.or_else(|| half.iter().find(|e| half.binary_search(&[e[1], e[0]]).is_err()).copied())
    }

    /// Its triangles, or its segments as triangles `[a, b, b]` without area.
    pub fn pieces(&self) -> Vec<[u32; 3]> {
        let lines = self.lines.iter().map(|&[a, b]| [a, b, b]);
        self.triangles.iter().copied().chain(lines).collect()
    }

    /// Every triangle at each of its edges, sorted by edge and then by triangle: those of one edge lie together.
    pub fn half_edges(&self) -> Vec<HalfEdge> {
        let of_triangle = |(triangle, &[a, b, c]): (usize, &[u32; 3])| {
            [[a, b, c], [b, c, a], [c, a, b]].map(|[p, q, across]| HalfEdge {
                edge: [p.min(q), p.max(q)],
                triangle,
                across,
            })
        };
        let mut all: Vec<HalfEdge> =
            self.triangles.iter().enumerate().flat_map(of_triangle).collect();
        all.sort_by_key(|half| (half.edge, half.triangle));
        all
    }

    /// The edges as `(low, high)` vertex pairs, sorted, each once.
    pub fn edges(&self) -> Vec<[u32; 2]> {
        let mut edges: Vec<[u32; 2]> = self
            .triangles
            .iter()
            .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]])
            .chain(self.lines.iter().copied())
            .map(|[a, b]| [a.min(b), a.max(b)])
            .collect();
        edges.sort_unstable();
        edges.dedup();
        edges
    }
}
