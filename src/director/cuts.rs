//! Cuts bodies open where the script perforates them, and what refers to their vertices with them.

use super::shot::ShotState;
use crate::geometry::{Cut, TriMesh};
use crate::scene::{
    Anchor, Body, BodyKind, ClothMaterial, ConstraintKind, MappedCurve, Points, RestShape,
    StitchPair, VertexMap,
};
use std::rc::Rc;

/// Width of a slit as a part of the distance at which its two sides would touch: they rest nearer to each other,
/// as what is near at rest may.
const SLIT: f64 = 0.25;

/// What two sides keep between them beside their thickness, and the thickness of cloth that says nothing [m].
const SKIN: f64 = 2e-4;
const DEFAULT_THICKNESS: f64 = 0.002;

/// A line of points along which a body is cut once the script has ended, and stitched.
pub(crate) struct Perforation {
    pub(crate) body: usize,
    /// Sorted.
    pub(crate) points: Vec<u32>,
    /// Index into `Scene::constraints` of the stitch.
    pub(crate) constraint: usize,
    /// Weight and stiffness of each vertex of the body, before it is cut anywhere.
    pub(crate) weight: Option<VertexMap>,
    pub(crate) stiffness: Option<MappedCurve>,
}

impl ShotState {
    /// `body` cut at `points` (sorted); none where that cuts nothing.
    pub(crate) fn cut(&self, body: usize, points: &[u32]) -> Option<Cut> {
        self.cut_mesh(self.mesh_of(body), body, points)
    }

    /// `mesh`, which has the triangles of `body`, cut at its points.
    fn cut_mesh(&self, mesh: &TriMesh, body: usize, points: &[u32]) -> Option<Cut> {
        let entry = &self.scene.bodies[body];
        let by_kind = match &entry.kind {
            BodyKind::Rope(rope) => 2.0 * rope.radius,
            _ => self.scene.collisions.thickness.unwrap_or(DEFAULT_THICKNESS),
        };
        let thickness = |v: u32| entry.thickness.as_ref().map_or(by_kind, |t| t.at(v as usize));
        mesh.cut(points, |v| SLIT * (thickness(v) + SKIN))
    }

    /// Cuts all bodies that are perforated. Each part of a vertex is in every selection that the vertex is in.
    pub(crate) fn cut_perforations(&mut self) {
        for perforation in std::mem::take(&mut self.perforations) {
            let Perforation { body, mut points, constraint, weight, stiffness } = perforation;
            self.add_parts(body, &mut points);
            points.sort_unstable();
            let Some(cut) = self.cut(body, &points) else { continue };
            self.take_cut(body, &cut, &points);
            let at = |v: u32| Anchor::of_vertex(body, v);
            let stitched = cut.pairs.iter().map(|&[a, b]| StitchPair { a: at(a), b: at(b) });
            let of = &mut self.scene.constraints[constraint];
            if let ConstraintKind::Stitch { pairs, .. } = &mut of.kind {
                *pairs = stitched.collect();
            }
            let ends: Vec<u32> = cut.pairs.iter().map(|pair| pair[0]).collect();
            self.cuts.push((body, cut));
            let order: Vec<usize> = ends.iter().map(|v| self.uncut(body, *v) as usize).collect();
            let of = &mut self.scene.constraints[constraint];
            of.weight = weight.map(|weight| weight.reordered(&order));
            of.stiffness = stiffness.map(|stiffness| stiffness.reordered(&order));
        }
    }

    /// The vertex of `body` before all cuts that vertex `v` is a part of.
    fn uncut(&self, body: usize, mut v: u32) -> u32 {
        for (_, cut) in self.cuts.iter().rev().filter(|(b, _)| *b == body) {
            let first = (cut.mesh.positions.len() - cut.of.len()) as u32;
            if let Some(new) = v.checked_sub(first) {
                v = cut.of[new as usize];
            }
        }
        v
    }

    /// Whether a mesh has one use only.
    fn is_mesh_of_one(&self, mesh: usize) -> bool {
        let uses = |body: &Body| {
            let other = match &body.kind {
                BodyKind::Cloth(cloth) => cloth.rest == RestShape::Mesh(mesh),
                BodyKind::Soft(soft) => soft.cage == Some(mesh),
                _ => false,
            };
            usize::from(body.mesh == mesh) + usize::from(other)
        };
        self.scene.bodies.iter().map(uses).sum::<usize>() == 1
    }

    /// Adds to vertices of `body` what they have become beside themselves.
    pub(crate) fn add_parts(&self, body: usize, vertices: &mut Vec<u32>) {
        for (_, cut) in self.cuts.iter().filter(|(b, _)| *b == body) {
            let more: Vec<u32> = vertices.iter().flat_map(|v| cut.twins(*v)).collect();
            vertices.extend(more);
        }
    }

    /// Gives `body` its cut mesh.
    fn take_cut(&mut self, body: usize, cut: &Cut, points: &[u32]) {
        let old = Rc::clone(self.mesh_of(body));
        let rest = self.scene.bodies[body].cloth().and_then(|cloth| match cloth.rest {
            RestShape::Mesh(index) => self.cut_mesh(&self.meshes[index], body, points),
            _ => None,
        });
        let rest = rest.map(|shape| RestShape::Mesh(self.add_mesh(&Rc::new(shape.mesh))));
        let (index, mesh) = (self.scene.bodies[body].mesh, Rc::new(cut.mesh.clone()));
        if self.is_mesh_of_one(index) {
            self.meshes[index] = mesh;
        } else {
            self.scene.bodies[body].mesh = self.add_mesh(&mesh);
        }
        let entry = &mut self.scene.bodies[body];
        if let BodyKind::Cloth(cloth) = &mut entry.kind {
            if let ClothMaterial::Membrane(fabric) = &mut cloth.material {
                fabric.maps_mut().for_each(|map| spread(map, cut));
            }
            match &mut cloth.shrink {
                MappedCurve::Uniform(_) => {}
                MappedCurve::PerVertex(values) => cut.spread(values),
                MappedCurve::Moving { samples, .. } => {
                    for values in samples {
                        cut.spread(values);
                    }
                }
            }
            if let Some(rest) = rest {
                cloth.rest = rest;
            }
        }
        let maps = [&mut entry.friction, &mut entry.thickness];
        maps.into_iter().flatten().for_each(|map| spread(map, cut));
        let begin = self.start_time();
        self.starts[body] = Rc::new(self.scene.bodies[body].places_at(&cut.mesh, begin));
        for constraint in &mut self.scene.constraints {
            let order = match &mut constraint.kind {
                ConstraintKind::Attach { points, spots, .. } if points.is_empty() => {
                    spots.iter_mut().filter(|spot| spot.body == body).for_each(|spot| {
                        *spot = moved(spot, &old, cut);
                    });
                    continue;
                }
                ConstraintKind::Pin { points, .. }
                | ConstraintKind::Attach { points, .. }
                | ConstraintKind::Freeze { points, .. } => widen(points, body, cut),
                ConstraintKind::Stitch { pairs, .. } => widen_pairs(pairs, body, &old, cut),
                ConstraintKind::Tether { from, .. } if from.body == body => {
                    *from = moved(from, &old, cut);
                    continue;
                }
                ConstraintKind::Tether { .. }
                | ConstraintKind::Joint(_)
                | ConstraintKind::Carry { .. } => continue,
            };
            constraint.weight = constraint.weight.take().map(|weight| weight.reordered(&order));
            let stiffness = constraint.stiffness.take();
            constraint.stiffness = stiffness.map(|stiffness| stiffness.reordered(&order));
        }
        let releases = self.handles.iter_mut().flat_map(|handle| &mut handle.releases);
        releases.for_each(|(_, points)| {
            widen(points, body, cut);
        });
    }
}

fn spread(map: &mut VertexMap, cut: &Cut) {
    if let VertexMap::PerVertex(values) = map {
        cut.spread(values);
    }
}

/// Adds the parts of the vertices of `body` among `points`. Returns which of the points before each one is a part of.
fn widen(points: &mut [Points], body: usize, cut: &Cut) -> Vec<usize> {
    let (mut first, mut order) = (0, Vec::new());
    for group in points {
        let count = group.vertices.len();
        order.extend(first..first + count);
        if group.body == body {
            let mut more: Vec<(u32, usize)> = group
                .vertices
                .iter()
                .enumerate()
                .flat_map(|(at, v)| cut.twins(*v).map(move |new| (new, first + at)))
                .collect();
            more.sort_unstable();
            order.extend(more.iter().map(|(_, at)| *at));
            group.vertices.extend(more.iter().map(|(new, _)| *new));
        }
        first += count;
    }
    order
}

/// A place on the same triangle of the cut mesh.
fn moved(anchor: &Anchor, old: &TriMesh, cut: &Cut) -> Anchor {
    let mut used = anchor.vertices.iter().zip(&anchor.weights).filter(|(_, w)| **w != 0.0);
    let (before, after) = (old.pieces(), cut.mesh.pieces());
    let found = before.iter().position(|t| used.clone().all(|(v, _)| t.contains(v)));
    // A vertex keeps its number.
    let Some(t) = found.filter(|_| used.nth(1).is_some()) else { return *anchor };
    let vertices = anchor
        .vertices
        .map(|v| before[t].iter().position(|own| *own == v).map_or(v, |k| after[t][k]));
    Anchor { vertices, ..*anchor }
}

/// Moves places on triangles to the same triangles of the cut mesh, and stitches each part of a vertex as the
/// vertex is. Returns which of the pairs before each one is a part of.
fn widen_pairs(pairs: &mut Vec<StitchPair>, body: usize, old: &TriMesh, cut: &Cut) -> Vec<usize> {
    let mut more = Vec::new();
    for (at, pair) in pairs.iter_mut().enumerate() {
        for side in 0..2 {
            let mut anchor = if side == 0 { pair.a } else { pair.b };
            if anchor.body != body {
                continue;
            }
            let used = anchor.vertices.into_iter().zip(anchor.weights).filter(|(_, w)| *w != 0.0);
            let used: Vec<u32> = used.map(|(v, _)| v).collect();
            let with = |end: Anchor| match side {
                0 => StitchPair { a: end, ..*pair },
                _ => StitchPair { b: end, ..*pair },
            };
            if let [one] = used[..] {
                more.extend(cut.twins(one).map(|new| (at, with(Anchor::of_vertex(body, new)))));
                continue;
            }
            anchor = moved(&anchor, old, cut);
            *pair = with(anchor);
        }
    }
    let order = (0..pairs.len()).chain(more.iter().map(|(at, _)| *at)).collect();
    pairs.extend(more.into_iter().map(|(_, pair)| pair));
    order
}
