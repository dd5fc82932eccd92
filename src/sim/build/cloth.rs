//! A cloth's mesh and fabric to membranes, bending, and what only some cloths have.

use super::Builder;
use crate::geometry::TriMesh;
use crate::scene::{Cloth, ClothMaterial, Membrane as Fabric, RestShape, Scene, VertexMap};
use crate::sim::forces::{flex3d::Sheet, lattice::Lattice, springs::Net};
use crate::sim::potentials::crease::Crease;
use crate::sim::potentials::membrane::{self, Membrane};
use crate::sim::potentials::plate::{Bent, Plate, Side};
use crate::sim::potentials::pressure::Bag;
use crate::sim::potentials::slope::{self, FlatHinge};
use crate::sim::potentials::strain_limit::StrainLimit;
use crate::sim::potentials::{bending, bending::Bending, hinge, hinge::Hinge};
use glam::{DMat2, DVec2, DVec3};
use std::collections::BTreeMap;

/// Angle of an edge at rest from which on it counts as bent [rad]; below it is rounding.
const BENT: f64 = 1e-3;

/// Two triangles that share an edge, at rest.
struct Edge {
    /// Ends of the edge, then the opposite corners: vertices of the mesh.
    nodes: [u32; 4],
    /// Weights of the hinge's curvature vector, and the area of both triangles [m2].
    weights: [f64; 4],
    areas: f64,
    /// Length [m] and angle [rad].
    length: f64,
    theta: f64,
}

impl Builder {
    pub(super) fn add_cloth(
        &mut self,
        scene: &Scene,
        body: usize,
        cloth: &Cloth,
        mesh: &TriMesh,
        first: u32,
    ) {
        let rest = rest_positions(scene, cloth, mesh);
        self.mass.resize(first as usize + mesh.positions.len(), 0.0);
        match &cloth.material {
            ClothMaterial::Membrane(fabric) => {
                self.add_membranes(fabric, mesh, &rest, first);
                self.add_bending(fabric, &cloth.rest, mesh, &rest, first);
            }
            ClothMaterial::Flex3d(material) => {
                self.mass[first as usize..].fill(material.point_mass);
                self.lattices.push(Lattice::Flex3d(Sheet::new(material, mesh, first)));
            }
            ClothMaterial::Springs(material) => {
                let (net, mass) = Net::new(material, mesh, &rest, first);
                self.mass[first as usize..].copy_from_slice(&mass);
                self.lattices.push(Lattice::Springs(net));
            }
        }
        if let Some(pressure) = &cloth.pressure {
            self.special.bags.push(Bag::new(body, pressure.sealed, mesh, first));
        }
        for [a, b] in mesh.edges() {
            let length = rest[a as usize].distance(rest[b as usize]);
            if length > 0.0 {
                self.stretch_edges.push((first + a, first + b, length));
            }
        }
    }

    fn add_membranes(&mut self, fabric: &Fabric, mesh: &TriMesh, rest: &[DVec3], first: u32) {
        for t in &mesh.triangles {
            let Some((gradient, area)) = triangle_gradients(mesh, rest, t) else { continue };
            let mass = area * mean(&fabric.density, t) / 3.0;
            for &i in t {
                self.mass[(first + i) as usize] += mass;
            }
            let membrane = Membrane {
                nodes: t.map(|i| first + i),
                gradient,
                area,
                stiffness: membrane::stiffness(
                    mean(&fabric.young, t),
                    mean(&fabric.young_weft, t),
                    mean(&fabric.poisson, t),
                    mean(&fabric.shear, t),
                ),
                damping: mean(&fabric.damping, t),
                slots: [0; 9],
            };
            if let Some(limit) = &fabric.strain_limit {
                self.special.limits.push(StrainLimit::new(
                    self.membranes.len(),
                    &membrane,
                    mean(limit, t),
                ));
            }
            self.membranes.push(membrane);
        }
    }

    fn add_bending(
        &mut self,
        fabric: &Fabric,
        shape: &RestShape,
        mesh: &TriMesh,
        rest: &[DVec3],
        first: u32,
    ) {
        let edges = inner_edges(mesh, rest);
        let keeps_bends = matches!(shape, RestShape::Start | RestShape::Mesh(_));
        let is_bent = |edge: &Edge| keeps_bends && edge.theta.abs() > BENT;
        if fabric.crease.is_none() && !edges.iter().any(is_bent) {
            self.add_plates(fabric, mesh, rest, &edges, first);
            return;
        }
        for edge in &edges {
            let stiffness = edge_stiffness(fabric, mesh, rest, &edge.nodes) / edge.areas;
            let nodes = edge.nodes.map(|i| first + i);
            let hinge = Hinge {
                nodes,
                stiffness: stiffness * edge.length * edge.length,
                rest: if keeps_bends { edge.theta } else { 0.0 },
                damping: mean(&fabric.damping, &edge.nodes),
                slots: [0; 16],
            };
            if let Some(crease) = &fabric.crease {
                let yields = mean(crease, &edge.nodes) * edge.areas / edge.length;
                self.special.creases.push(Crease { hinge, yields });
            } else if is_bent(edge) {
                self.hinges.push(hinge);
            } else {
                let damping = hinge.damping;
                self.bendings.push(Bending { nodes, weights: edge.weights, stiffness, damping });
            }
        }
    }

    /// Bending of a cloth that is flat at rest.
    fn add_plates(
        &mut self,
        fabric: &Fabric,
        mesh: &TriMesh,
        rest: &[DVec3],
        edges: &[Edge],
        first: u32,
    ) {
        let number: BTreeMap<[u32; 2], usize> =
            edges.iter().enumerate().map(|(k, e)| ([e.nodes[0], e.nodes[1]], k)).collect();
        let find = |a: u32, b: u32| number.get(&[a.min(b), a.max(b)]).copied();
        let amends: Vec<Vec<(usize, f64)>> =
            (0..edges.len()).map(|k| amends(k, edges, rest, &find)).collect();
        let bent = |k: usize, part: f64| {
            let Edge { nodes, weights, .. } = &edges[k];
            Bent { nodes: nodes.map(|i| first + i), weights: *weights, part }
        };
        for t in &mesh.triangles {
            let Some((gradient, area)) = triangle_gradients(mesh, rest, t) else { continue };
            let sides = std::array::from_fn(|k| {
                let edge = find(t[(k + 1) % 3], t[(k + 2) % 3]).map(|at| (at, &edges[at]));
                let bent = edge.map(|(at, edge)| {
                    let out = if edge.nodes[2] == t[k] { edge.length } else { -edge.length };
                    let amends = amends[at].iter().map(|(j, part)| bent(*j, out / area * part));
                    std::iter::once(bent(at, 1.0 / edge.areas)).chain(amends).collect()
                });
                Side { normal: DVec2::from_array(gradient[k]).normalize_or_zero(), bent }
            });
            let [warp, weft, bias] =
                [&fabric.bend, &fabric.bend_weft, &fabric.bend_bias].map(|map| mean(map, t));
            let nodes = t.map(|i| first + i);
            let damping = mean(&fabric.damping, t);
            self.plates.push(Plate::new(nodes, area, &sides, [warp, weft, bias], damping));
        }
    }
}

/// Edges whose curvature vectors amend the slope across edge `k`, and their parts in it [1/m].
fn amends(
    k: usize,
    edges: &[Edge],
    rest: &[DVec3],
    find: impl Fn(u32, u32) -> Option<usize>,
) -> Vec<(usize, f64)> {
    let at = |i: u32| rest[i as usize];
    let [a, b, c, d] = edges[k].nodes;
    let (start, end) = (DVec2::ZERO, DVec2::new(edges[k].length, 0.0));
    let up = beyond([start, end], [a, b, c].map(at), DVec2::NEG_Y);
    let down = beyond([start, end], [a, b, d].map(at), DVec2::Y);
    let known = [(a, start), (b, end), (c, up), (d, down)];
    let place = |i: u32| known.iter().find(|(node, _)| *node == i).map(|(_, place)| *place);
    let mut own = vec![k];
    let mut hinges = vec![FlatHinge { places: [start, end, up, down], weights: edges[k].weights }];
    for (p, q, inner) in [(a, c, b), (b, c, a), (a, d, b), (b, d, a)] {
        let Some(number) = find(p, q) else { continue };
        let Edge { nodes: [from, to, left, right], weights, .. } = edges[number];
        let (Some(x), Some(y), Some(z)) = (place(from), place(to), place(inner)) else { continue };
        let other = if left == inner { right } else { left };
        let far = beyond([x, y], [from, to, other].map(at), z);
        let (left, right) = if left == inner { (z, far) } else { (far, z) };
        own.push(number);
        hinges.push(FlatHinge { places: [x, y, left, right], weights });
    }
    let parts = slope::parts(&hinges).unwrap_or_default();
    own.into_iter().zip(parts).collect()
}

/// Where the third of three points comes to lie when the first two are laid at `places`, on the other side of them than
/// `inner`.
fn beyond(places: [DVec2; 2], [a, b, c]: [DVec3; 3], inner: DVec2) -> DVec2 {
    let along = (places[1] - places[0]).normalize();
    let edge = (b - a).normalize();
    let way = edge.dot(c - a);
    let height = edge.cross(c - a).length();
    let side = along.perp_dot(inner - places[0]).signum();
    places[0] + along * way - along.perp() * (height * side)
}

pub(super) fn mean(map: &VertexMap, nodes: &[u32]) -> f64 {
    nodes.iter().map(|&i| map.at(i as usize)).sum::<f64>() / nodes.len() as f64
}

/// Where the vertices of a cloth lie without strain [m].
fn rest_positions(scene: &Scene, cloth: &Cloth, mesh: &TriMesh) -> Vec<DVec3> {
    match cloth.rest {
        RestShape::Start | RestShape::Flat => mesh.positions.clone(),
        RestShape::Mesh(index) => scene.meshes[index].positions.clone(),
        RestShape::Uv => {
            let flat: Vec<DVec3> = mesh.uvs.iter().map(|uv| uv.extend(0.0)).collect();
            let scale = (area(mesh, &mesh.positions) / area(mesh, &flat)).sqrt();
            flat.into_iter().map(|p| p * scale).collect()
        }
    }
}

fn area(mesh: &TriMesh, positions: &[DVec3]) -> f64 {
    let one = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|i| positions[i as usize]);
        0.5 * (b - a).cross(c - a).length()
    };
    mesh.triangles.iter().map(one).sum()
}

fn triangle_gradients(
    mesh: &TriMesh,
    rest: &[DVec3],
    t: &[u32; 3],
) -> Option<([[f64; 2]; 3], f64)> {
    let uvs = (!mesh.uvs.is_empty()).then(|| t.map(|i| mesh.uvs[i as usize]));
    shape_gradients(t.map(|i| rest[i as usize]), uvs)
}

/// Bending stiffness across an edge [N m]: between warp and weft by the direction of the bend.
fn edge_stiffness(fabric: &Fabric, mesh: &TriMesh, rest: &[DVec3], nodes: &[u32; 4]) -> f64 {
    let (warp, weft) = (mean(&fabric.bend, nodes), mean(&fabric.bend_weft, nodes));
    let bias = mean(&fabric.bend_bias, nodes);
    let Some((gradient, _)) = triangle_gradients(mesh, rest, &[nodes[0], nodes[1], nodes[2]])
    else {
        return warp;
    };
    // The direction that bends runs from the edge to the opposite corner: the gradient of its shape function.
    let across = DVec2::from_array(gradient[2]).normalize_or_zero();
    let (c, s) = (across.x * across.x, across.y * across.y);
    let mixed = 2.0 * bias - 0.5 * (warp + weft);
    (warp * c * c + weft * s * s + 2.0 * mixed * c * s).max(0.0)
}

/// Edges with exactly two triangles that have an area at rest.
fn inner_edges(mesh: &TriMesh, rest: &[DVec3]) -> Vec<Edge> {
    let mut sides: BTreeMap<[u32; 2], Vec<u32>> = BTreeMap::new();
    for t in &mesh.triangles {
        for k in 0..3 {
            let (a, b, c) = (t[k], t[(k + 1) % 3], t[(k + 2) % 3]);
            sides.entry([a.min(b), a.max(b)]).or_default().push(c);
        }
    }
    let edge = |([a, b], opposite): ([u32; 2], Vec<u32>)| {
        let &[c, d] = opposite.as_slice() else { return None };
        let nodes = [a, b, c, d];
        let x = nodes.map(|i| rest[i as usize]);
        let (weights, areas) = bending::hinge_weights(x)?;
        let (theta, _) = hinge::angle(x)?;
        Some(Edge { nodes, weights, areas, length: x[0].distance(x[1]), theta })
    };
    sides.into_iter().filter_map(edge).collect()
}

/// Gradients of the corners' shape functions in an orthonormal frame of the rest triangle whose
/// first axis runs along the warp (the direction of growing u), and the area. None without area.
pub(in crate::sim) fn shape_gradients(
    x: [DVec3; 3],
    uvs: Option<[DVec2; 3]>,
) -> Option<([[f64; 2]; 3], f64)> {
    let (e1, e2) = (x[1] - x[0], x[2] - x[0]);
    let n = e1.cross(e2);
    let area = 0.5 * n.length();
    if area <= 0.0 || !area.is_finite() {
        return None;
    }
    let n = n.normalize();
    let warp = uvs.and_then(|uv| {
        let (d1, d2) = (uv[1] - uv[0], uv[2] - uv[0]);
        let det = d1.perp_dot(d2);
        (det.abs() > 1e-14).then(|| (e1 * d2.y - e2 * d1.y) / det)
    });
    let warp = warp
        .unwrap_or_else(|| if n.x.abs() < 0.9 { DVec3::X - n * n.x } else { DVec3::Y - n * n.y });
    let u = (warp - n * n.dot(warp)).try_normalize().unwrap_or_else(|| e1.normalize());
    let v = n.cross(u);
    let rest = DMat2::from_cols(DVec2::new(u.dot(e1), v.dot(e1)), DVec2::new(u.dot(e2), v.dot(e2)));
    let inverse = rest.inverse();
    let g1 = [inverse.x_axis.x, inverse.y_axis.x];
    let g2 = [inverse.x_axis.y, inverse.y_axis.y];
    Some(([[-g1[0] - g2[0], -g1[1] - g2[1]], g1, g2], area))
}
