//! What is particular to cloths: rest shapes, shrinking, pressure, fields of force.

use super::Check;
use crate::diagnostics::Place;
use crate::geometry::TriMesh;
use crate::math::Curve;
use crate::scene::{Body, Cloth, MappedCurve, Pressure, RestShape};
use glam::DVec3;
use std::collections::BTreeMap;

impl Check<'_> {
    pub(super) fn cloth(&mut self, body: &Body, cloth: &Cloth) {
        self.shrink(body, &cloth.shrink);
        self.rest(body, cloth);
        let count = self.scene.meshes[body.mesh].positions.len();
        if let Some(membrane) = cloth.material.membrane()
            && (0..count).any(|i| membrane.poisson.at(i) >= 1.0)
        {
            let message = format!("`poisson` of `{}` must be below 1", body.name);
            self.error(&body.place, message);
        }
        let is_even = matches!(cloth.shrink, MappedCurve::Uniform(_));
        if let Some(material) = cloth.material.lattice()
            && (cloth.pressure.is_some() || !is_even)
        {
            let what = if is_even { "has no pressure" } else { "shrinks evenly only" };
            let message = format!("`{}` is of {material}, which {what}", body.name);
            self.error(&body.place, message).hint =
                Some("a membrane or a fabric can: `retake.material.membrane{ ... }`".into());
        }
        if let Some(pressure) = &cloth.pressure {
            self.pressure(body, pressure);
        }
    }

    /// Of a cloth or a soft body.
    pub(super) fn pressure(&mut self, body: &Body, pressure: &Pressure) {
        let name = &body.name;
        self.curve(&body.place, &format!("`pressure` of `{name}`"), &pressure.pressure);
        if !(pressure.outside.is_finite() && pressure.outside >= 0.0) {
            self.error(&body.place, format!("`outside` of `{name}` must be at least 0"));
        }
        self.inside(body, pressure.sealed);
    }

    fn shrink(&mut self, body: &Body, shrink: &MappedCurve) {
        let name = &body.name;
        let count = self.scene.meshes[body.mesh].positions.len();
        let lists: Vec<&[f64]> = match shrink {
            MappedCurve::Uniform(curve) => {
                self.curve(&body.place, &format!("`shrink` of `{name}`"), curve);
                return;
            }
            MappedCurve::PerVertex(values) => vec![values],
            MappedCurve::Moving { samples, .. } => samples.iter().map(Vec::as_slice).collect(),
        };
        if lists.is_empty() || lists.iter().any(|list| list.len() != count) {
            let message =
                format!("`shrink` of `{name}` needs one value for each of {count} vertices");
            self.error(&body.place, message);
        } else if lists.iter().any(|list| list.iter().any(|v| !(v.is_finite() && *v > 0.0))) {
            self.error(&body.place, format!("`shrink` of `{name}` must be above 0 everywhere"));
        }
    }

    /// Whether the shape at rest has an area wherever the mesh has one.
    fn rest(&mut self, body: &Body, cloth: &Cloth) {
        let (name, place) = (&body.name, &body.place);
        let mesh = &self.scene.meshes[body.mesh];
        let shape: Vec<DVec3> = match cloth.rest {
            RestShape::Start | RestShape::Flat => return,
            RestShape::Uv if mesh.uvs.len() != mesh.positions.len() => {
                let message =
                    format!("`{name}` rests as its texture coordinates lie, and has none");
                self.error(place, message);
                return;
            }
            RestShape::Uv => mesh.uvs.iter().map(|uv| uv.extend(0.0)).collect(),
            RestShape::Mesh(index) => match self.scene.meshes.get(index) {
                Some(shape) if shape.triangles == mesh.triangles => shape.positions.clone(),
                _ => {
                    let message = format!("`{name}` rests as a mesh that has other triangles");
                    self.error(place, message);
                    return;
                }
            },
        };
        let area = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|i| shape[i as usize]);
            (b - a).cross(c - a).length()
        };
        let most = mesh.triangles.iter().map(area).fold(0.0, f64::max);
        // Far below what a triangle of a pattern could have, far above rounding.
        let Some(thin) = mesh.triangles.iter().position(|t| area(t) <= most * 1e-10) else {
            return;
        };
        let [a, b, c] = mesh.triangles[thin];
        let message = format!(
            "triangle {thin} of `{name}` (vertices {a}, {b}, {c}, counted from 0) has no area in its \
             shape at rest"
        );
        let hint = match cloth.rest {
            RestShape::Uv => "its texture coordinates lie on a line: unwrap the mesh again",
            _ => "give the mesh of `rest` an area there",
        };
        self.error(place, message).hint = Some(hint.into());
    }

    /// Whether a mesh has an inside that pressure can push from.
    fn inside(&mut self, body: &Body, sealed: bool) {
        let mesh = &self.scene.meshes[body.mesh];
        let (name, place) = (&body.name, &body.place);
        let edges = directed_edges(mesh);
        if let Some((edge, _)) = edges.iter().find(|(_, ways)| ways.0 > 1 || ways.1 > 1) {
            let at = edge_place(mesh, *edge);
            let message = format!(
                "the triangles of `{name}` do not agree on which side is outside, as along the edge \
                 at {at}, and pressure needs one"
            );
            let hint = "recalculate the normals before it is exported";
            self.error(place, message).hint = Some(hint.into());
        } else if sealed && let Some((edge, _)) = edges.iter().find(|(_, (a, b))| a != b) {
            let message = format!(
                "`{name}` is sealed but has a hole: an edge at {} has one triangle only",
                edge_place(mesh, *edge)
            );
            let hint = "close the mesh, or leave `sealed` out: the pressure is then kept up";
            self.error(place, message).hint = Some(hint.into());
        } else if sealed && mesh.volume() <= 1e-6 * diagonal(mesh).powi(3) {
            let message = format!("`{name}` is sealed but encloses nothing at the start");
            let hint = "start with a bag that has a volume and whose normals point outwards, or \
                        leave `sealed` out";
            self.error(place, message).hint = Some(hint.into());
        }
    }

    pub(super) fn field(
        &mut self,
        place: &Place,
        name: &str,
        center: &Curve<DVec3>,
        strength: &Curve<f64>,
        falloff: f64,
    ) {
        self.curve(place, &format!("`center` of `{name}`"), center);
        self.curve(place, &format!("`strength` of `{name}`"), strength);
        if !(falloff.is_finite() && falloff >= 0.0) {
            self.error(place, format!("`falloff` of `{name}` must be at least 0"));
        }
    }
}

fn diagonal(mesh: &TriMesh) -> f64 {
    let (low, high) = mesh.bounds();
    low.distance(high)
}

/// Each edge, low vertex first, with how many triangles run along it and how many against it.
fn directed_edges(mesh: &TriMesh) -> BTreeMap<[u32; 2], (u32, u32)> {
    let mut edges = BTreeMap::new();
    for &[a, b, c] in &mesh.triangles {
        for [p, q] in [[a, b], [b, c], [c, a]] {
            let ways: &mut (u32, u32) = edges.entry([p.min(q), p.max(q)]).or_default();
            if p < q {
                ways.0 += 1;
            } else {
                ways.1 += 1;
            }
        }
    }
    edges
}

/// Where an edge is, in the mesh's own coordinates.
pub(super) fn edge_place(mesh: &TriMesh, [a, b]: [u32; 2]) -> String {
    let p = (mesh.positions[a as usize] + mesh.positions[b as usize]) * 0.5;
    format!("({:.3}, {:.3}, {:.3}) (vertices {a} and {b}, counted from 0)", p.x, p.y, p.z)
}
