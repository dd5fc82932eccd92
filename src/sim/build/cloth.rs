//! A cloth's mesh and fabric to membranes, bending, and what only some cloths have.

use super::Builder;
use super::edges::{Edge, Edges};
use crate::geometry::TriMesh;
use crate::scene::{Cloth, ClothMaterial, Membrane as Fabric, RestShape, Scene, VertexMap};
use crate::sim::forces::{flex3d::Sheet, lattice::Lattice, springs::Net};
use crate::sim::potentials::membrane::{self, Membrane};
use crate::sim::potentials::plate::{self, Bent, Plate};
use crate::sim::potentials::pressure::Bag;
use crate::sim::potentials::shell::{Hinge, Part};
use crate::sim::potentials::strain_limit::StrainLimit;
use glam::{DMat2, DVec2, DVec3};

/// What amends a slope of a cloth that is bent by angles by less than this part of what it does itself is left out: the
/// tangent does not know of it, and even meshes want none.
const MATTERS: f64 = 0.05;

/// Sides whose slopes are amended by more than this part of what they do themselves are known to the tangent with what amends
/// them: around a pole of 36 slivers that is ten times as much, and a tangent that does not know of it leads nowhere. Of a
/// mesh whose vertices are moved by up to a quarter of a cell two sides of a hundred are so; from 0.4 on it would be a
/// quarter of them, and a drape take a quarter longer in as many iterations.
const KNOWN_FROM: f64 = 1.0;

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
        let edges = Edges::new(mesh, rest);
        let keeps_bends = matches!(shape, RestShape::Start | RestShape::Mesh(_));
        let flat = fabric.crease.is_none() && !(keeps_bends && edges.is_bent());
        let base = self.shell.hinges.len() as u32;
        if !flat {
            let hinge = |edge: &Edge| Hinge {
                nodes: edge.nodes.map(|i| first + i),
                rest: if keeps_bends { edge.theta } else { 0.0 },
                yields: fabric
                    .crease
                    .as_ref()
                    .map(|crease| mean(crease, &edge.nodes) * edge.areas / edge.length),
            };
            self.shell.hinges.extend(edges.all.iter().map(hinge));
        }
        for t in &mesh.triangles {
            let Some((gradient, area)) = triangle_gradients(mesh, rest, t) else { continue };
            let sides = edges.sides(t, gradient, area);
            let stiffness =
                [&fabric.bend, &fabric.bend_weft, &fabric.bend_bias].map(|map| mean(map, t));
            let law = plate::law(area, &sides, stiffness);
            let damping = mean(&fabric.damping, t);
            if flat {
                let nodes = t.map(|i| first + i);
                self.plates.push(Plate::new(nodes, &sides, law, damping, |number| {
                    let edge = &edges.all[number];
                    (edge.nodes.map(|i| first + i), edge.weights)
                }));
            } else {
                let (mut parts, mut known) = (Vec::new(), Vec::new());
                for side in &sides {
                    let Some([own, amends @ ..]) = side.bent.as_deref() else { continue };
                    let part = |bent: &Bent| {
                        let turned = edges.turned_of(t, own.edge, bent.edge);
                        let length = turned * edges.all[bent.edge].length;
                        let weights = side.tensor().map(|n| n * bent.part * length);
                        Part { hinge: base + bent.edge as u32, weights }
                    };
                    let does = |bent: &Bent| bent.part.abs() * edges.all[bent.edge].length;
                    let matter: Vec<&Bent> =
                        amends.iter().filter(|a| a.part.abs() > MATTERS * own.part).collect();
                    let much: f64 = matter.iter().map(|amend| does(amend)).sum();
                    let all = || std::iter::once(own).chain(matter.iter().copied()).map(part);
                    parts.extend(all());
                    let tells = if much > KNOWN_FROM * does(own) { matter.len() } else { 0 };
                    known.extend(all().take(1 + tells));
                }
                self.shell.push(&parts, &known, law, damping);
            }
        }
    }
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
