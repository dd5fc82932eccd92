//! A body's triangles with normals, as glTF wants them: one a vertex, vertices doubled at sharp edges.

use crate::geometry::TriMesh;
use glam::{DVec2, DVec3, Vec3};
use std::collections::BTreeMap;

/// Cosine of the angle between neighbouring triangles beyond which an edge is sharp (40 degrees).
const SHARP: f64 = 0.766;

/// Vertices and triangles of a body.
pub(super) struct Surface {
    /// Vertex of the mesh that each vertex here is.
    of_mesh: Vec<u32>,
    pub(super) positions: Vec<[f32; 3]>,
    pub(super) normals: Vec<[f32; 3]>,
    /// As glTF has them, or empty.
    pub(super) uvs: Vec<[f32; 2]>,
    pub(super) triangles: Vec<[u32; 3]>,
}

impl Surface {
    /// Every vertex once, smooth all over; those at seams of pictures again at the end.
    pub(super) fn smooth(mesh: &TriMesh, positions: Vec<[f32; 3]>) -> Self {
        let surface = Self {
            of_mesh: (0..positions.len() as u32).collect(),
            normals: smooth_normals(mesh, &positions),
            positions,
            uvs: Vec::new(),
            triangles: mesh.triangles.clone(),
        };
        surface.textured(mesh)
    }

    /// Vertices doubled where the surface has a sharp edge or a picture a seam.
    pub(super) fn creased(mesh: &TriMesh, positions: &[[f32; 3]]) -> Self {
        let places: Vec<DVec3> = positions.iter().map(|p| vector(*p)).collect();
        let faces: Vec<DVec3> = mesh
            .triangles
            .iter()
            .map(|t| {
                let [a, b, c] = t.map(|i| places[i as usize]);
                (b - a).cross(c - a)
            })
            .collect();
        let mut around: Vec<Vec<u32>> = vec![Vec::new(); positions.len()];
        for (number, t) in mesh.triangles.iter().enumerate() {
            for i in t {
                around[*i as usize].push(number as u32);
            }
        }
        let mut surface = Self {
            of_mesh: Vec::new(),
            positions: Vec::new(),
            normals: Vec::new(),
            uvs: Vec::new(),
            triangles: mesh.triangles.clone(),
        };
        for (vertex, triangles) in around.iter().enumerate() {
            for group in smooth_groups(mesh, &faces, vertex as u32, triangles) {
                let number = surface.of_mesh.len() as u32;
                surface.of_mesh.push(vertex as u32);
                surface.positions.push(positions[vertex]);
                let sum = group.iter().map(|t| faces[*t as usize]).fold(DVec3::ZERO, |a, b| a + b);
                surface.normals.push(unit(sum));
                for t in group {
                    let corners = mesh.triangles[t as usize];
                    for (k, corner) in corners.iter().enumerate() {
                        if *corner as usize == vertex {
                            surface.triangles[t as usize][k] = number;
                        }
                    }
                }
            }
        }
        surface.textured(mesh)
    }

    /// With the texture coordinates of the mesh; vertices that have several are doubled.
    fn textured(mut self, mesh: &TriMesh) -> Self {
        if mesh.uvs.is_empty() {
            return self;
        }
        self.uvs = self.of_mesh.iter().map(|i| flipped(mesh.uvs[*i as usize])).collect();
        let mut doubled: BTreeMap<(u32, [u32; 2]), u32> = BTreeMap::new();
        for (t, uvs) in &mesh.seams {
            for (k, uv) in uvs.map(flipped).into_iter().enumerate() {
                let vertex = self.triangles[*t as usize][k];
                if self.uvs[vertex as usize] == uv {
                    continue;
                }
                let next = self.of_mesh.len() as u32;
                let number = *doubled.entry((vertex, uv.map(f32::to_bits))).or_insert(next);
                if number == next {
                    self.of_mesh.push(self.of_mesh[vertex as usize]);
                    self.positions.push(self.positions[vertex as usize]);
                    self.normals.push(self.normals[vertex as usize]);
                    self.uvs.push(uv);
                }
                self.triangles[*t as usize][k] = number;
            }
        }
        self
    }

    /// Vertex of the mesh that each vertex here is.
    pub(super) fn of_mesh(&self) -> &[u32] {
        &self.of_mesh
    }

    /// The normal of every triangle's corners.
    pub(super) fn corner_normals(&self) -> Vec<[f32; 3]> {
        self.triangles.iter().flatten().map(|i| self.normals[*i as usize]).collect()
    }
}

/// Unit normals of a smooth surface.
pub(super) fn smooth_normals(mesh: &TriMesh, positions: &[[f32; 3]]) -> Vec<[f32; 3]> {
    let places: Vec<DVec3> = positions.iter().map(|p| vector(*p)).collect();
    mesh.vertex_normals(&places).into_iter().map(unit).collect()
}

/// Lowest and highest corner of the box around `places`; both zero where there are none.
pub(super) fn bounds(places: &[[f32; 3]]) -> [[f32; 3]; 2] {
    let mut all = places.iter().map(|p| Vec3::from_array(*p));
    let first = all.next().unwrap_or_default();
    let (low, high) = all.fold((first, first), |(low, high), p| (low.min(p), high.max(p)));
    [low.to_array(), high.to_array()]
}

/// glTF counts v down from the top.
fn flipped(uv: DVec2) -> [f32; 2] {
    [uv.x as f32, (1.0 - uv.y) as f32]
}

fn vector(p: [f32; 3]) -> DVec3 {
    Vec3::from_array(p).as_dvec3()
}

fn unit(n: DVec3) -> [f32; 3] {
    n.normalize_or(DVec3::Y).as_vec3().to_array()
}

/// The triangles around a vertex, in groups that hang together over edges that are not sharp.
fn smooth_groups(mesh: &TriMesh, faces: &[DVec3], vertex: u32, triangles: &[u32]) -> Vec<Vec<u32>> {
    let corners = |t: u32| mesh.triangles[t as usize];
    let joined = |s: u32, t: u32| {
        let (a, b) = (faces[s as usize], faces[t as usize]);
        corners(s).iter().any(|i| *i != vertex && corners(t).contains(i))
            && a.dot(b) >= SHARP * a.length() * b.length()
    };
    let mut left: Vec<u32> = triangles.to_vec();
    let mut groups = Vec::new();
    while !left.is_empty() {
        let mut group = vec![left.remove(0)];
        let mut next = 0;
        while next < group.len() {
            let here = group[next];
            let (near, far) = left.iter().partition(|t| joined(here, **t));
            left = far;
            group.extend::<Vec<u32>>(near);
            next += 1;
        }
        groups.push(group);
    }
    groups
}
