//! Solids made of tetrahedra: boxes and balls.

use super::{around, check_vertices, close_seam, count, length};
use crate::diagnostics::Diagnostic;
use crate::geometry::TriMesh;
use crate::geometry::tet_faces::boundary;
use glam::DVec3;

/// A box filled with tetrahedra, five a cell.
#[derive(Clone, Debug)]
pub struct TetBox {
    /// Extents [m].
    pub size: DVec3,
    /// Cells along x, y, z; left out (with `spacing`): 4.
    pub cells: Option<[u32; 3]>,
    /// Longest edge of a cell [m], in place of `cells`.
    pub spacing: Option<f64>,
    /// Middle [m].
    pub center: DVec3,
}

impl Default for TetBox {
    fn default() -> Self {
        Self { size: DVec3::ONE, cells: None, spacing: None, center: DVec3::ZERO }
    }
}

impl TetBox {
    /// The mesh.
    pub fn build(&self) -> Result<TriMesh, Diagnostic> {
        let mut cells = [0; 3];
        for k in 0..3 {
            let size = length("size", self.size[k])?;
            cells[k] = count("cells", self.cells.map(|c| c[k]), self.spacing, size, 1, 4)?;
        }
        let half = self.size * 0.5;
        filled(cells, |u| u * half + self.center)
    }
}

/// A ball filled with tetrahedra: a cube of cells whose shells are blown up to spheres.
#[derive(Clone, Debug)]
pub struct TetBall {
    /// Radius [m].
    pub radius: f64,
    /// Cells across, an even number; left out (with `spacing`): 8, which are 729 vertices.
    pub cells: Option<u32>,
    /// Longest edge wanted on a diameter [m], in place of `cells`.
    pub spacing: Option<f64>,
    /// Middle [m].
    pub center: DVec3,
}

impl Default for TetBall {
    fn default() -> Self {
        Self { radius: 0.5, cells: None, spacing: None, center: DVec3::ZERO }
    }
}

impl TetBall {
    /// The mesh.
    pub fn build(&self) -> Result<TriMesh, Diagnostic> {
        let radius = length("radius", self.radius)?;
        let mut cells = count("cells", self.cells, self.spacing, 2.0 * radius, 2, 8)?;
        if cells % 2 == 1 {
            if self.cells.is_some() {
                let message = format!("`cells` of a ball must be even, it is {cells}");
                return Err(Diagnostic::error(message)
                    .hint("with an odd number the cube's corners become flat tetrahedra"));
            }
            cells += 1;
        }
        filled([cells; 3], |u| {
            let (shell, out) = (u.abs().max_element(), u.length());
            let blown = if out > 0.0 { u * (shell / out) } else { u };
            blown * radius + self.center
        })
    }
}

/// The tetrahedra of a cell: one between the corners with an even number of bits, four that cut the
/// others off.
const FIVE: [[u32; 4]; 5] = [[0, 3, 6, 5], [1, 0, 5, 3], [2, 0, 3, 6], [4, 0, 6, 5], [7, 3, 5, 6]];

/// The cube from -1 to 1 in `cells`, five tetrahedra each, with its points at `place`. Cells are cut
/// at their corners of odd number, so that neighbours share their diagonals.
fn filled(cells: [u32; 3], place: impl Fn(DVec3) -> DVec3) -> Result<TriMesh, Diagnostic> {
    let along = cells.map(|c| u64::from(c) + 1);
    check_vertices(along[0].saturating_mul(along[1]).saturating_mul(along[2]))?;
    let [nx, ny, nz] = cells;
    let number = |x: u32, y: u32, z: u32| (z * (ny + 1) + y) * (nx + 1) + x;
    let mut mesh = TriMesh::default();
    for z in 0..=nz {
        for y in 0..=ny {
            for x in 0..=nx {
                let part = |i: u32, n: u32| 2.0 * f64::from(i) / f64::from(n) - 1.0;
                let u = DVec3::new(part(x, nx), part(y, ny), part(z, nz));
                mesh.positions.push(place(u));
                mesh.uvs.push(around(u));
            }
        }
    }
    for z in 0..nz {
        for y in 0..ny {
            for x in 0..nx {
                // Corners of the cell by their three bits.
                let corner = |k: u32| number(x + (k & 1), y + (k >> 1 & 1), z + (k >> 2 & 1));
                let flip = if (x + y + z) % 2 == 0 { 0 } else { 7 };
                for tet in FIVE {
                    mesh.tets.push(tet.map(|k| corner(k ^ flip)));
                }
            }
        }
    }
    for tet in &mut mesh.tets {
        let [a, b, c, d] = tet.map(|i| mesh.positions[i as usize]);
        if (b - a).cross(c - a).dot(d - a) < 0.0 {
            tet.swap(2, 3);
        }
    }
    mesh.triangles = boundary(&mesh.tets);
    let on_axis = |i: u32| {
        let (x, z) = (i % (nx + 1), i / ((nx + 1) * (ny + 1)));
        2 * x == nx && 2 * z == nz
    };
    close_seam(&mut mesh, on_axis);
    Ok(mesh)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn volume_of_tets(mesh: &TriMesh) -> f64 {
        let one = |t: &[u32; 4]| {
            let [a, b, c, d] = t.map(|i| mesh.positions[i as usize]);
            (b - a).cross(c - a).dot(d - a) / 6.0
        };
        mesh.tets.iter().map(one).inspect(|v| assert!(*v > 0.0, "inside out")).sum()
    }

    #[test]
    fn a_box_is_filled_and_closed() {
        let shape = TetBox {
            size: DVec3::new(1.0, 0.5, 0.25),
            cells: Some([3, 2, 1]),
            ..TetBox::default()
        };
        let mesh = shape.build().unwrap();
        assert_eq!((mesh.positions.len(), mesh.tets.len()), (24, 30));
        assert!((volume_of_tets(&mesh) - 0.125).abs() < 1e-12);
        assert!((mesh.volume() - 0.125).abs() < 1e-12);
        assert_eq!(mesh.open_edge(), None);
    }

    #[test]
    fn a_ball_has_the_vertices_of_its_cells_and_nearly_the_volume_of_a_ball() {
        let mesh = TetBall { radius: 0.5, ..TetBall::default() }.build().unwrap();
        assert_eq!(mesh.positions.len(), 729);
        assert_eq!(mesh.open_edge(), None);
        let volume = volume_of_tets(&mesh);
        assert!((volume - mesh.volume()).abs() < 1e-12);
        // Flat faces on a sphere lose a few per cent.
        let ball = 4.0 / 3.0 * std::f64::consts::PI * 0.125;
        assert!(volume < ball && volume > 0.93 * ball, "{volume} of {ball}");
        assert!(TetBall { cells: Some(5), ..TetBall::default() }.build().is_err());
    }
}
