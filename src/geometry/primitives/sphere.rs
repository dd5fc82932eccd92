//! A sphere of nearly equal triangles.

use super::{around, close_seam, length};
use crate::diagnostics::Diagnostic;
use crate::geometry::TriMesh;
use glam::DVec3;

/// Most halvings of an icosahedron's edges: 655 362 vertices.
const MOST: u32 = 8;

/// A closed sphere: an icosahedron with two corners on the Y axis whose edges are halved
/// `subdivisions` times.
#[derive(Clone, Debug)]
pub struct Sphere {
    /// Radius [m].
    pub radius: f64,
    /// Halvings; left out (with `spacing`): 3, which are 642 vertices.
    pub subdivisions: Option<u32>,
    /// Longest edge [m], in place of `subdivisions`.
    pub spacing: Option<f64>,
    /// Middle [m].
    pub center: DVec3,
}

impl Default for Sphere {
    fn default() -> Self {
        Self { radius: 1.0, subdivisions: None, spacing: None, center: DVec3::ZERO }
    }
}

impl Sphere {
    /// The mesh.
    pub fn build(&self) -> Result<TriMesh, Diagnostic> {
        let radius = length("radius", self.radius)?;
        let subdivisions = self.halvings(radius)?;
        let mut mesh = icosahedron();
        for _ in 0..subdivisions {
            mesh = mesh.subdivided(1)?;
            for p in &mut mesh.positions {
                *p = p.normalize();
            }
        }
        mesh.uvs = mesh.positions.iter().map(|p| around(*p)).collect();
        let on_axis: Vec<bool> = mesh.positions.iter().map(|p| p.x == 0.0 && p.z == 0.0).collect();
        close_seam(&mut mesh, |i| on_axis[i as usize]);
        for p in &mut mesh.positions {
            *p = *p * radius + self.center;
        }
        Ok(mesh)
    }

    fn halvings(&self, radius: f64) -> Result<u32, Diagnostic> {
        match (self.subdivisions, self.spacing) {
            (Some(_), Some(_)) => {
                Err(Diagnostic::error("`subdivisions` and `spacing` exclude each other"))
            }
            (Some(n), None) if n > MOST => {
                Err(Diagnostic::error(format!("`subdivisions` must be at most {MOST}, it is {n}")))
            }
            (Some(n), None) => Ok(n),
            (None, None) => Ok(3),
            (None, Some(spacing)) => {
                // The longest edge of an icosphere is 1.18 times the icosahedron's halved edge.
                let wanted = length("spacing", spacing)?;
                let edge = |n: u32| {
                    let flat = radius * 1.0514622242382672 / f64::from(1_u32 << n);
                    if n == 0 { flat } else { flat * 1.18 }
                };
                (0..=MOST).find(|n| edge(*n) <= wanted).ok_or_else(|| {
                    Diagnostic::error(format!(
                        "`spacing` must be at least {:.4} for a sphere of {radius} m",
                        edge(MOST)
                    ))
                })
            }
        }
    }
}

/// The unit icosahedron: a corner up, two rings of five, a corner down.
fn icosahedron() -> TriMesh {
    let (height, radius) = (1.0 / f64::sqrt(5.0), 2.0 / f64::sqrt(5.0));
    let mut positions = vec![DVec3::Y];
    for (ring, y) in [(0.0, height), (0.5, -height)] {
        for k in 0..5 {
            let angle = (f64::from(k) + ring) * (2.0 * std::f64::consts::PI / 5.0);
            let (sin, cos) = libm::sincos(angle);
            positions.push(DVec3::new(radius * cos, y, -radius * sin));
        }
    }
    positions.push(DVec3::NEG_Y);
    let mut triangles = Vec::new();
    for k in 0..5 {
        let next = (k + 1) % 5;
        let (upper, upper_next, lower, lower_next) = (1 + k, 1 + next, 6 + k, 6 + next);
        triangles.push([0, upper, upper_next]);
        triangles.push([upper, lower, upper_next]);
        triangles.push([upper_next, lower, lower_next]);
        triangles.push([11, lower_next, lower]);
    }
    TriMesh { positions, triangles, ..TriMesh::default() }
}
