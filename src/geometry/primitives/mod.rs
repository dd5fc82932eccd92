//! Meshes made from numbers. All are centred on `center` with their axis along Y; lengths are in
//! metres, angles in degrees.
//!
//! Fields that are `Option` are the script's keys that may be left out; counts and `spacing` (the
//! longest edge wanted) exclude each other. A field that makes no mesh is a [`Diagnostic`] without
//! a place that names the field as a script writes it. Vertices are shared across edges and seams,
//! so that a closed shape is watertight; corners at a seam have texture coordinates of their own.

mod grid;
mod lathe;
mod rope;
mod round;
mod sphere;
mod tets;
mod torus;
#[path = "box.rs"]
mod walled_box;

pub(in crate::geometry) use grid::hatched;
pub use grid::{Grid, Plane};
pub use lathe::Lathe;
pub use rope::Rope;
pub use round::{Capsule, Cone, Cylinder};
pub use sphere::Sphere;
pub use tets::{TetBall, TetBox};
pub use torus::Torus;
pub use walled_box::{Box, Side};

use super::TriMesh;
use crate::diagnostics::Diagnostic;
use glam::{DVec2, DVec3};
use std::f64::consts::PI;

/// Most vertices of a mesh: beyond it a count was surely a slip.
const MOST_VERTICES: u64 = 20_000_000;

/// `value` if it is a length that something can have.
fn length(key: &str, value: f64) -> Result<f64, Diagnostic> {
    if value.is_finite() && value > 0.0 {
        Ok(value)
    } else {
        Err(Diagnostic::error(format!("`{key}` must be more than 0, it is {value}")))
    }
}

/// A direction of length 1.
fn direction(key: &str, value: DVec3) -> Result<DVec3, Diagnostic> {
    value
        .is_finite()
        .then(|| value.try_normalize())
        .flatten()
        .ok_or_else(|| Diagnostic::error(format!("`{key}` must not be zero")))
}

/// A count given as such, or by the longest edge on `length` metres, or left out.
fn count(
    key: &str,
    given: Option<u32>,
    spacing: Option<f64>,
    length_along: f64,
    least: u32,
    otherwise: u32,
) -> Result<u32, Diagnostic> {
    if let Some(n) = given {
        if spacing.is_some() {
            return Err(Diagnostic::error(format!("`{key}` and `spacing` exclude each other")));
        }
        if n < least {
            return Err(Diagnostic::error(format!("`{key}` must be at least {least}, it is {n}")));
        }
        return Ok(n);
    }
    let Some(spacing) = spacing else { return Ok(otherwise) };
    // A length that is a whole number of spacings up to rounding gets that number.
    let n = (length_along / length("spacing", spacing)? - 1e-9).ceil();
    if n > f64::from(u32::MAX) {
        return Err(too_many(n));
    }
    Ok((n as u32).max(least))
}

/// Refuses sizes that no memory holds.
fn check_vertices(vertices: u64) -> Result<(), Diagnostic> {
    if vertices > MOST_VERTICES { Err(too_many(vertices as f64)) } else { Ok(()) }
}

fn too_many(vertices: f64) -> Diagnostic {
    Diagnostic::error(format!("the mesh would have {vertices} vertices"))
        .hint(format!("at most {MOST_VERTICES} are possible"))
}

/// The two triangles of a cell, counter-clockwise; diagonals alternate, so that no direction of a
/// sheet is stiffer than its mirror image.
fn cell(corners: [u32; 4], even: bool) -> [[u32; 3]; 2] {
    let [top_left, bottom_left, bottom_right, top_right] = corners;
    if even {
        [[top_left, bottom_left, bottom_right], [top_left, bottom_right, top_right]]
    } else {
        [[top_left, bottom_left, top_right], [bottom_left, bottom_right, top_right]]
    }
}

/// Gives corners beyond the seam, where `u` starts again at 0, a `u` beyond 1, and corners at the poles that
/// of the middle between their neighbours.
pub(in crate::geometry) fn close_seam(mesh: &mut TriMesh, is_pole: impl Fn(u32) -> bool) {
    for t in 0..mesh.triangles.len() {
        let vertices = mesh.triangles[t];
        let mut uvs = vertices.map(|i| mesh.uvs[i as usize]);
        let poles = vertices.map(&is_pole);
        let around = || (0..3).filter(|k| !poles[*k]);
        let most = around().map(|k| uvs[k].x).fold(f64::NEG_INFINITY, f64::max);
        for k in around() {
            if uvs[k].x < most - 0.5 {
                uvs[k].x += 1.0;
            }
        }
        let count = around().count().max(1) as f64;
        let middle = around().map(|k| uvs[k].x).sum::<f64>() / count;
        for k in (0..3).filter(|k| poles[*k]) {
            uvs[k].x = middle;
        }
        mesh.set_corner_uvs(t, uvs);
    }
}

/// Longitude and latitude about `center` as texture coordinates.
fn around(p: DVec3) -> DVec2 {
    let u = 0.5 + libm::atan2(p.x, p.z) / (2.0 * PI);
    let v = 0.5 + libm::atan2(p.y, libm::hypot(p.x, p.z)) / PI;
    DVec2::new(u, v)
}
