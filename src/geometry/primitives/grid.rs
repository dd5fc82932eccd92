//! A flat rectangle of vertices in rows and columns.

use super::{cell, check_vertices, count, direction, length};
use crate::diagnostics::Diagnostic;
use crate::geometry::TriMesh;
use glam::{DVec2, DVec3};

/// A rectangle. Row 0 is the top edge, column 0 the left one as seen from the side that `normal`
/// points to; vertex = row * columns + column; u runs to the right, v up.
#[derive(Clone, Debug)]
pub struct Grid {
    /// Width and height [m].
    pub size: [f64; 2],
    /// Columns and rows of vertices; left out (with `spacing`): 2 x 2.
    pub vertices: Option<[u32; 2]>,
    /// Longest edge of a cell [m], in place of `vertices`.
    pub spacing: Option<f64>,
    /// The side that faces the viewer; left out: +Z.
    pub normal: Option<DVec3>,
    /// The direction from the bottom to the top edge; left out: +Y, or -Z where the normal is
    /// nearer to the Y axis than 45 degrees.
    pub up: Option<DVec3>,
    /// Middle [m].
    pub center: DVec3,
}

impl Default for Grid {
    fn default() -> Self {
        Self {
            size: [1.0; 2],
            vertices: None,
            spacing: None,
            normal: None,
            up: None,
            center: DVec3::ZERO,
        }
    }
}

impl Grid {
    /// The mesh.
    pub fn build(&self) -> Result<TriMesh, Diagnostic> {
        let [width, height] = [length("size", self.size[0])?, length("size", self.size[1])?];
        let (right, up) = self.axes()?;
        let along = |i: usize, length| -> Result<u32, Diagnostic> {
            match self.vertices {
                Some(n) => count("vertices", Some(n[i]), self.spacing, length, 2, 2),
                None => Ok(1 + count("vertices", None, self.spacing, length, 1, 1)?),
            }
        };
        let (nx, ny) = (along(0, width)?, along(1, height)?);
        check_vertices(u64::from(nx) * u64::from(ny))?;

        let mut mesh = TriMesh { grid: Some((nx, ny)), ..TriMesh::default() };
        for row in 0..ny {
            let y = from_middle(ny - 1 - row, ny - 1) * height;
            for column in 0..nx {
                let x = from_middle(column, nx - 1) * width;
                mesh.positions.push(self.center + right * x + up * y);
                mesh.uvs.push(DVec2::new(
                    f64::from(column) / f64::from(nx - 1),
                    f64::from(ny - 1 - row) / f64::from(ny - 1),
                ));
            }
        }
        mesh.triangles = hatched(nx, ny);
        Ok(mesh)
    }

    /// The directions to the right and up.
    fn axes(&self) -> Result<(DVec3, DVec3), Diagnostic> {
        let normal = direction("normal", self.normal.unwrap_or(DVec3::Z))?;
        let lies = normal.y.abs() > std::f64::consts::FRAC_1_SQRT_2;
        let up = self.up.unwrap_or(if lies { DVec3::NEG_Z } else { DVec3::Y });
        let right = direction("up", up)?.cross(normal);
        let right = if right.length() < 1e-6 { None } else { right.try_normalize() };
        let right = right.ok_or_else(|| Diagnostic::error("`up` must not point along `normal`"))?;
        Ok((right, normal.cross(right)))
    }
}

/// -0.5 .. 0.5 for 0 .. last, with mirrored numbers exactly opposite.
fn from_middle(i: u32, last: u32) -> f64 {
    (2.0 * f64::from(i) - f64::from(last)) / (2.0 * f64::from(last))
}

/// Triangles of a grid of `nx` columns and `ny` rows of vertices.
pub(in crate::geometry) fn hatched(nx: u32, ny: u32) -> Vec<[u32; 3]> {
    let mut triangles = Vec::with_capacity(2 * (nx as usize - 1) * (ny as usize - 1));
    for row in 0..ny - 1 {
        for column in 0..nx - 1 {
            let top_left = row * nx + column;
            let bottom_left = top_left + nx;
            let corners = [top_left, bottom_left, bottom_left + 1, top_left + 1];
            triangles.extend(cell(corners, (row + column) % 2 == 0));
        }
    }
    triangles
}

/// A level rectangle that faces up; x along the width, z along the depth.
#[derive(Clone, Debug)]
pub struct Plane {
    /// Width (x) and depth (z) [m].
    pub size: [f64; 2],
    /// Longest edge of a cell [m]; left out: one cell.
    pub spacing: Option<f64>,
    /// Middle [m].
    pub center: DVec3,
}

impl Plane {
    /// The mesh: a [`Grid`] whose normal is +Y.
    pub fn build(&self) -> Result<TriMesh, Diagnostic> {
        let (size, spacing, center) = (self.size, self.spacing, self.center);
        Grid { size, spacing, center, normal: Some(DVec3::Y), ..Grid::default() }.build()
    }
}
