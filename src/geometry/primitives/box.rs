//! A box: closed, with an open side, or a container with walls.

use super::{cell, check_vertices, count, length};
use crate::diagnostics::Diagnostic;
use crate::geometry::TriMesh;
use glam::{DVec2, DVec3};
use std::collections::BTreeMap;

/// A side of a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// -X.
    Left,
    /// +X.
    Right,
    /// -Y.
    Bottom,
    /// +Y.
    Top,
    /// -Z.
    Back,
    /// +Z.
    Front,
}

impl Side {
    /// All names as a script writes them.
    pub const NAMES: [&str; 6] = ["left", "right", "bottom", "top", "back", "front"];

    /// The side called `name` in scripts.
    pub fn from_name(name: &str) -> Option<Self> {
        use Side::{Back, Bottom, Front, Left, Right, Top};
        let i = Self::NAMES.iter().position(|n| *n == name)?;
        Some([Left, Right, Bottom, Top, Back, Front][i])
    }

    /// Axis and whether it is the side of larger coordinates.
    fn axis(self) -> (usize, bool) {
        (self as usize / 2, self as usize % 2 == 1)
    }
}

/// A box with its edges along the axes.
#[derive(Clone, Debug)]
pub struct Box {
    /// Outer extents [m].
    pub size: DVec3,
    /// Cells along x, y, z; left out (with `spacing`): 1.
    pub cells: Option<[u32; 3]>,
    /// Longest edge of a cell [m], in place of `cells`.
    pub spacing: Option<f64>,
    /// The side that is left open.
    pub open: Option<Side>,
    /// Thickness of the walls of an open box [m]; left out: a bare sheet.
    pub wall: Option<f64>,
    /// Middle [m].
    pub center: DVec3,
}

impl Default for Box {
    fn default() -> Self {
        Self {
            size: DVec3::ONE,
            cells: None,
            spacing: None,
            open: None,
            wall: None,
            center: DVec3::ZERO,
        }
    }
}

/// A box as planes along each axis and the cells between them that are solid.
struct Solid {
    planes: [Vec<f64>; 3],
    /// Cells `low .. high` along each axis that are empty, if the box has walls.
    cavity: Option<[(usize, usize); 3]>,
}

impl Box {
    /// The mesh. With `wall` it is closed and solid between the outer and the inner surface.
    pub fn build(&self) -> Result<TriMesh, Diagnostic> {
        let solid = self.solid()?;
        let skip = if self.wall.is_none() { self.open.map(Side::axis) } else { None };
        let mut mesh = TriMesh::default();
        let mut numbers: BTreeMap<[usize; 3], u32> = BTreeMap::new();
        for axis in 0..3 {
            for positive in [false, true] {
                let picture = self.picture(axis, positive);
                for (corners, even, outer) in solid.faces(axis, positive) {
                    if outer && skip == Some((axis, positive)) {
                        continue;
                    }
                    let place = |key: [usize; 3]| {
                        DVec3::from_array(std::array::from_fn(|a| solid.planes[a][key[a]]))
                    };
                    let numbered = corners.map(|key| {
                        *numbers.entry(key).or_insert_with(|| {
                            mesh.uvs.push(picture(place(key)));
                            mesh.positions.push(place(key) + self.center);
                            mesh.positions.len() as u32 - 1
                        })
                    });
                    for (t, own) in cell(numbered, even).into_iter().zip(cell([0, 1, 2, 3], even)) {
                        mesh.triangles.push(t);
                        let uvs = own.map(|k| picture(place(corners[k as usize])));
                        mesh.set_corner_uvs(mesh.triangles.len() - 1, uvs);
                    }
                }
            }
        }
        Ok(mesh)
    }

    /// Texture coordinates of places (the middle is the origin) on the faces whose outside is along `axis`: the
    /// whole picture on each side, upright seen from outside, on the top with its upper edge to -Z.
    fn picture(&self, axis: usize, positive: bool) -> impl Fn(DVec3) -> DVec2 + use<> {
        let side = if positive { 1.0 } else { -1.0 };
        let (right, up) = match axis {
            0 => (DVec3::Z * -side, DVec3::Y),
            1 => (DVec3::X, DVec3::Z * -side),
            _ => (DVec3::X * side, DVec3::Y),
        };
        let size = self.size;
        move |p| {
            let part = |along: DVec3| 0.5 + p.dot(along) / size.dot(along.abs());
            DVec2::new(part(right), part(up))
        }
    }

    fn solid(&self) -> Result<Solid, Diagnostic> {
        let size = self.size.to_array();
        let mut cells = [0; 3];
        for a in 0..3 {
            let given = self.cells.map(|c| c[a]);
            cells[a] = count("cells", given, self.spacing, length("size", size[a])?, 1, 1)?;
        }
        let area: u64 = (0..3).map(|a| u64::from(cells[a]) * u64::from(cells[(a + 1) % 3])).sum();
        check_vertices(4 * area)?;
        let half = |a: usize| 0.5 * size[a];
        let Some(wall) = self.wall else {
            let planes = std::array::from_fn(|a| spread(-half(a), half(a), cells[a]));
            return Ok(Solid { planes, cavity: None });
        };
        let wall = length("wall", wall)?;
        let Some(open) = self.open else {
            return Err(Diagnostic::error("`wall` needs `open`: a closed box has no inside")
                .hint("write `open = \"top\"`"));
        };
        let (open_axis, open_positive) = open.axis();
        let mut planes: [Vec<f64>; 3] = Default::default();
        let mut cavity = [(0, 0); 3];
        for a in 0..3 {
            let (low_wall, high_wall) =
                (a != open_axis || open_positive, a != open_axis || !open_positive);
            let low = -half(a) + if low_wall { wall } else { 0.0 };
            let high = half(a) - if high_wall { wall } else { 0.0 };
            if high <= low {
                return Err(Diagnostic::error(format!(
                    "`wall` = {wall} leaves no room inside a box of {} m",
                    size[a]
                )));
            }
            if low_wall {
                planes[a].push(-half(a));
            }
            let first = planes[a].len();
            planes[a].extend(spread(low, high, cells[a]));
            cavity[a] = (first, planes[a].len() - 1);
            if high_wall {
                planes[a].push(half(a));
            }
        }
        Ok(Solid { planes, cavity: Some(cavity) })
    }
}

/// `n + 1` values from `low` to `high`, symmetric where the ends are.
fn spread(low: f64, high: f64, n: u32) -> Vec<f64> {
    let (middle, length) = (0.5 * (low + high), high - low);
    let place = |i: u32| match i {
        0 => low,
        _ if i == n => high,
        _ => middle + length * ((2.0 * f64::from(i) - f64::from(n)) / (2.0 * f64::from(n))),
    };
    (0..=n).map(place).collect()
}

/// A face: corners (top left, bottom left, bottom right, top right seen from outside) as plane
/// numbers, which diagonal it gets, and whether it lies on the outer surface.
type Face = ([[usize; 3]; 4], bool, bool);

impl Solid {
    fn cells(&self, axis: usize) -> usize {
        self.planes[axis].len() - 1
    }

    fn is_empty(&self, cell: [usize; 3]) -> bool {
        self.cavity
            .is_some_and(|cavity| (0..3).all(|a| (cavity[a].0..cavity[a].1).contains(&cell[a])))
    }

    /// Faces whose outside is along `axis` (towards larger coordinates if `positive`).
    fn faces(&self, axis: usize, positive: bool) -> Vec<Face> {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        // Only the outermost plane and the cavity's own wall can carry faces of one direction.
        let outermost = if positive { self.cells(axis) } else { 0 };
        let inner = self.cavity.map(|c| if positive { c[axis].0 } else { c[axis].1 });
        let mut faces = Vec::new();
        for (plane, outer) in
            std::iter::once((outermost, true)).chain(inner.map(|plane| (plane, false)))
        {
            if !outer && plane == self.cells(axis) - self.cells(axis) * usize::from(positive) {
                continue; // the open side: there is no wall behind the cavity
            }
            for i in 0..self.cells(u) {
                for j in 0..self.cells(v) {
                    let mut behind = [0; 3];
                    (behind[u], behind[v]) = (i, j);
                    behind[axis] = if positive { plane - 1 } else { plane };
                    let mut front = behind;
                    front[axis] = if positive { plane } else { plane.wrapping_sub(1) };
                    if self.is_empty(behind) || (!outer && !self.is_empty(front)) {
                        continue;
                    }
                    let corner = |du: usize, dv: usize| {
                        let mut key = [0; 3];
                        (key[axis], key[u], key[v]) = (plane, i + du, j + dv);
                        key
                    };
                    // u x v points along +axis: (0,0) (1,0) (1,1) (0,1) is counter-clockwise there.
                    let corners = if positive {
                        [corner(0, 1), corner(0, 0), corner(1, 0), corner(1, 1)]
                    } else {
                        [corner(1, 1), corner(1, 0), corner(0, 0), corner(0, 1)]
                    };
                    faces.push((corners, (i + j) % 2 == 0, outer));
                }
            }
        }
        faces
    }
}
