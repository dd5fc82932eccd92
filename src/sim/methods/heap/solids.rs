//! The convex solids that bodies of a heap are made of, with their faces and the names of what touches there.

use crate::geometry::TriMesh;
use crate::sim::build;
use crate::sim::model::Model;
use crate::sim::pose::Pose;
use glam::DVec3;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

/// Most corners of a solid: supporting corners are sought among all of them.
const MOST_CORNERS: usize = 128;

/// By how much less than one the cosine between normals of one face may be.
const LEVEL: f64 = 1e-9;

/// A plane face of a solid.
#[derive(Debug)]
pub(super) struct Face {
    /// Outer normal in the mesh's frame.
    pub(super) normal: DVec3,
    /// Its corners, as numbers within the solid, counter-clockwise seen from outside.
    pub(super) corners: Vec<u32>,
    /// Edges of the mesh from each corner to the next, as numbers within the body.
    pub(super) edges: Vec<u32>,
    /// One of its triangles, as a number within the body.
    pub(super) triangle: u32,
}

/// A closed convex solid, or a flat convex sheet.
#[derive(Debug)]
pub(super) struct Solid {
    /// Its corners in the mesh's frame [m].
    pub(super) corners: Vec<DVec3>,
    /// The mesh's vertices there.
    pub(super) vertices: Vec<u32>,
    pub(super) faces: Vec<Face>,
}

/// The solids of all bodies: those that share a mesh share them.
#[derive(Debug)]
pub(super) struct Solids {
    /// Of each body; empty where it is not there or touches nothing.
    pub(super) of_body: Vec<Arc<[Solid]>>,
}

impl Solids {
    /// The solids of a model; none where a body is not made of such.
    pub(super) fn new(model: &Model) -> Option<Self> {
        let mut known = BTreeMap::new();
        let mut of_body = Vec::with_capacity(model.bodies.len());
        for (index, body) in model.bodies.iter().enumerate() {
            let entry = &model.scene.bodies[index];
            if body.nodes.is_empty() || !entry.collides {
                of_body.push(Arc::from(Vec::new()));
                continue;
            }
            let hull = entry.rigid().map_or(&[][..], |rigid| &rigid.hull);
            let key = (entry.mesh, hull);
            let own: &mut Arc<[Solid]> = match known.entry(key) {
                Entry::Occupied(there) => there.into_mut(),
                Entry::Vacant(new) => {
                    let mesh = build::touching(&model.scene, index);
                    new.insert(solids(model, index, &mesh)?.into())
                }
            };
            of_body.push(Arc::clone(own));
        }
        Some(Self { of_body })
    }
}

impl Solid {
    /// Puts its corners at `pose` behind those in `out`.
    pub(super) fn place(&self, pose: &Pose, out: &mut Vec<DVec3>) {
        let turn = glam::DMat3::from_quat(pose.rotation);
        out.extend(self.corners.iter().map(|p| turn * *p + pose.translation));
    }
}

/// The solids that the touching mesh of body `index` is made of; none where it is not made of such.
fn solids(model: &Model, index: usize, mesh: &TriMesh) -> Option<Vec<Solid>> {
    let surface = &model.surface;
    let (triangles, edges) =
        (surface.body_triangles[index].clone(), surface.body_edges[index].start);
    let edge_of = |triangle: u32, k: usize| {
        surface.triangle_edges[(triangles.start + triangle) as usize][k] - edges
    };
    let mut edge_numbers: BTreeMap<[u32; 2], u32> = BTreeMap::new();
    for (t, corners) in (0..).zip(&mesh.triangles) {
        for k in 0..3 {
            let (a, b) = (corners[k], corners[(k + 1) % 3]);
            edge_numbers.insert([a.min(b), a.max(b)], edge_of(t, k));
        }
    }
    let pieces = match mesh.convex_pieces() {
        Some(pieces) => pieces,
        None => vec![mesh.triangles.iter().flatten().copied().collect()],
    };
    let closed = mesh.convex_pieces().is_some();
    let of = |mut vertices: Vec<u32>| {
        vertices.sort_unstable();
        vertices.dedup();
        solid(mesh, &vertices, closed, &edge_numbers)
    };
    pieces.into_iter().map(of).collect()
}

/// The triangles of a plane face.
struct Patch {
    normal: DVec3,
    triangles: Vec<u32>,
}

/// The solid with the given vertices of a mesh, `closed` or a flat sheet.
fn solid(
    mesh: &TriMesh,
    vertices: &[u32],
    closed: bool,
    edge_numbers: &BTreeMap<[u32; 2], u32>,
) -> Option<Solid> {
    let at = |i: u32| mesh.positions[i as usize];
    let mut patches: Vec<Patch> = Vec::new();
    let mut area = 0.0;
    for (t, corners) in (0..).zip(&mesh.triangles) {
        if vertices.binary_search(&corners[0]).is_err() {
            continue;
        }
        let [a, b, c] = corners.map(at);
        let twice = (b - a).cross(c - a);
        area += 0.5 * twice.length();
        let Some(normal) = twice.try_normalize() else { continue };
        match patches.iter_mut().find(|patch| patch.normal.dot(normal) > 1.0 - LEVEL) {
            Some(patch) => patch.triangles.push(t),
            None => patches.push(Patch { normal, triangles: vec![t] }),
        }
    }
    let mut rims = Vec::new();
    for patch in &patches {
        rims.push(rim(mesh, patch)?);
    }
    let flat_and_convex = |patch: &Patch, rim: &[u32]| {
        let middle = at(rim[0]);
        let level = |i: &u32| patch.normal.dot(at(*i) - middle).abs() <= 1e-9 * area.sqrt();
        let part = |k: usize| {
            let (a, b) = (at(rim[k]) - middle, at(rim[(k + 1) % rim.len()]) - middle);
            0.5 * patch.normal.dot(a.cross(b))
        };
        let enclosed: f64 = (0..rim.len()).map(part).sum();
        let turns_left = |k: usize| {
            let [a, b, c] = [0, 1, 2].map(|j| at(rim[(k + j) % rim.len()]));
            patch.normal.dot((b - a).cross(c - b)) >= -1e-12 * area
        };
        vertices.iter().all(level)
            && (enclosed - area).abs() <= 1e-9 * area
            && (0..rim.len()).all(turns_left)
    };
    if !closed {
        let ([patch], [own]) = (&patches[..], &rims[..]) else { return None };
        if !flat_and_convex(patch, own) {
            return None;
        }
        let normal = -patch.normal;
        patches.push(Patch { normal, triangles: patches[0].triangles.clone() });
        rims.push(own.iter().rev().copied().collect());
    }
    let mut own: Vec<u32> = rims.iter().flatten().copied().collect();
    own.sort_unstable();
    own.dedup();
    if own.len() > MOST_CORNERS || own.is_empty() {
        return None;
    }
    let number = |i: &u32| own.binary_search(i).expect("corners of rims are corners") as u32;
    let mut faces = Vec::new();
    for (patch, rim) in patches.iter().zip(&rims) {
        let edge = |k: usize| {
            let (a, b) = (rim[k], rim[(k + 1) % rim.len()]);
            edge_numbers.get(&[a.min(b), a.max(b)]).copied()
        };
        faces.push(Face {
            normal: patch.normal,
            corners: rim.iter().map(number).collect(),
            edges: (0..rim.len()).map(edge).collect::<Option<_>>()?,
            triangle: patch.triangles[0],
        });
    }
    Some(Solid { corners: own.iter().map(|i| at(*i)).collect(), vertices: own, faces })
}

/// The corners around a plane patch, counter-clockwise; none where it has holes or several parts.
fn rim(mesh: &TriMesh, patch: &Patch) -> Option<Vec<u32>> {
    let mut next: BTreeMap<u32, u32> = BTreeMap::new();
    let edges = patch.triangles.iter().flat_map(|t| {
        let [a, b, c] = mesh.triangles[*t as usize];
        [[a, b], [b, c], [c, a]]
    });
    let all: std::collections::BTreeSet<[u32; 2]> = edges.collect();
    let outer = all.iter().filter(|[a, b]| !all.contains(&[*b, *a]));
    let mut count = 0;
    for [a, b] in outer {
        count += 1;
        if next.insert(*a, *b).is_some() {
            return None;
        }
    }
    let first = *next.keys().next()?;
    let (mut rim, mut here) = (vec![first], *next.get(&first)?);
    while here != first {
        rim.push(here);
        here = *next.get(&here)?;
    }
    (rim.len() == count).then_some(rim)
}
