//! The solids that shape matching moves: their cells, faces and edges over the world's nodes.

use crate::geometry::TriMesh;
use crate::scene::SoftMaterial;
use crate::sim::model::Model;
use glam::DVec3;
use std::ops::Range;

/// A body of cells.
#[derive(Clone, Debug)]
pub(super) struct Solid {
    /// Index of the body.
    pub(super) body: usize,
    pub(super) nodes: Range<usize>,
    pub(super) cells: Vec<[u32; 4]>,
    /// Faces of the surface, counter-clockwise seen from outside.
    pub(super) faces: Vec<[u32; 3]>,
    /// Edges of the surface.
    pub(super) edges: Vec<[u32; 2]>,
    /// Nodes that share a cell with each node: those of node `i` are `around[first[i] .. first[i + 1]]`.
    around: Vec<u32>,
    first: Vec<usize>,
    /// alpha, 0..1.
    pub(super) stiffness: f64,
    /// Mean length of the edges of its cells at rest [m].
    pub(super) mean_edge: f64,
}

/// Corners of the edges of a cell.
const EDGES: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];

impl Solid {
    /// Nodes that share a cell with node `i`.
    pub(super) fn neighbours(&self, i: u32) -> &[u32] {
        let own = i as usize - self.nodes.start;
        &self.around[self.first[own]..self.first[own + 1]]
    }
}

/// The solids of a model, in the order of its matchings.
pub(super) fn solids(model: &Model) -> Vec<Solid> {
    model.matchings.iter().filter_map(|matching| solid(model, matching.body)).collect()
}

fn solid(model: &Model, body: usize) -> Option<Solid> {
    let crate::scene::BodyKind::Soft(soft) = &model.scene.bodies[body].kind else { return None };
    let SoftMaterial::ShapeMatching(settings) = &soft.material else { return None };
    let mesh = model.scene.cage_of(body).unwrap_or(model.scene.mesh_of(body));
    Some(Solid::of(mesh, body, model.bodies[body].movers.clone(), settings.stiffness))
}

impl Solid {
    /// The solid of the cells of `mesh`, whose vertices are `nodes`.
    pub(super) fn of(mesh: &TriMesh, body: usize, nodes: Range<usize>, stiffness: f64) -> Self {
        let offset = nodes.start as u32;
        let mut pairs: Vec<[u32; 2]> = Vec::with_capacity(12 * mesh.tets.len());
        for cell in &mesh.tets {
            for [i, j] in EDGES {
                pairs.push([cell[i], cell[j]]);
                pairs.push([cell[j], cell[i]]);
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        let mut first = vec![0; mesh.positions.len() + 1];
        for [i, _] in &pairs {
            first[*i as usize + 1] += 1;
        }
        for i in 1..first.len() {
            first[i] += first[i - 1];
        }
        let length =
            |[i, j]: [u32; 2]| mesh.positions[i as usize].distance(mesh.positions[j as usize]);
        let mean_edge = pairs.iter().copied().map(length).sum::<f64>() / pairs.len().max(1) as f64;
        let mut edges: Vec<[u32; 2]> = mesh
            .triangles
            .iter()
            .flat_map(|t| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]])
            .map(|[i, j]| [i.min(j) + offset, i.max(j) + offset])
            .collect();
        edges.sort_unstable();
        edges.dedup();
        Self {
            body,
            cells: mesh.tets.iter().map(|t| t.map(|i| i + offset)).collect(),
            faces: mesh.triangles.iter().map(|t| t.map(|i| i + offset)).collect(),
            edges,
            around: pairs.into_iter().map(|[_, j]| j + offset).collect(),
            first,
            nodes,
            stiffness,
            mean_edge,
        }
    }
}

/// An axis-aligned box.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    pub(super) low: DVec3,
    pub(super) high: DVec3,
}

impl Bounds {
    /// The box around the nodes `nodes` at `z`.
    pub(super) fn around(nodes: impl IntoIterator<Item = usize>, z: &[DVec3]) -> Self {
        let none = Self { low: DVec3::INFINITY, high: DVec3::NEG_INFINITY };
        nodes.into_iter().fold(none, |b, i| Self { low: b.low.min(z[i]), high: b.high.max(z[i]) })
    }

    /// What is in both; none where nothing is.
    pub(super) fn common(&self, other: &Self) -> Option<Self> {
        let (low, high) = (self.low.max(other.low), self.high.min(other.high));
        low.cmple(high).all().then_some(Self { low, high })
    }

    pub(super) fn meets(&self, other: &Self) -> bool {
        self.low.cmple(other.high).all() && other.low.cmple(self.high).all()
    }

    pub(super) fn holds(&self, p: DVec3) -> bool {
        p.cmpge(self.low).all() && p.cmple(self.high).all()
    }
}

/// The box around the nodes of a cell, a face or an edge at `z`.
pub(super) fn bounds(nodes: &[u32], z: &[DVec3]) -> Bounds {
    Bounds::around(nodes.iter().map(|i| *i as usize), z)
}
