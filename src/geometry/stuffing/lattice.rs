//! The body-centred cubic lattice: corners and middles of cubes, and the tetrahedra between them.

use glam::{DVec3, IVec3};

/// Ways to half of the fourteen neighbours of a point, in half cubes; the others lie opposite. The first
/// three are the long edges.
const WAYS: [IVec3; 7] = [
    IVec3::new(2, 0, 0),
    IVec3::new(0, 2, 0),
    IVec3::new(0, 0, 2),
    IVec3::new(1, 1, 1),
    IVec3::new(-1, 1, 1),
    IVec3::new(1, -1, 1),
    IVec3::new(1, 1, -1),
];

/// A lattice around a box. Points are named by their coordinates in half cubes, all even for corners
/// and all odd for middles, and numbered, corners first.
pub(super) struct Lattice {
    origin: DVec3,
    /// Edge length of a cube [m].
    spacing: f64,
    /// Cubes along each axis.
    cells: IVec3,
}

/// Cubes along each axis that a lattice of `spacing` needs for a box of `size`: one at least lies outside
/// on either side.
pub(super) fn cells(size: DVec3, spacing: f64) -> DVec3 {
    (size / spacing).ceil() + 3.0
}

impl Lattice {
    /// A lattice whose middle is that of the box.
    pub(super) fn new(low: DVec3, high: DVec3, spacing: f64) -> Self {
        let cells = cells(high - low, spacing);
        let origin = (low + high) * 0.5 - cells * (0.5 * spacing);
        Self { origin, spacing, cells: cells.as_ivec3() }
    }

    /// Number of points.
    pub(super) fn count(&self) -> usize {
        let count = |c: IVec3| c.x as usize * c.y as usize * c.z as usize;
        count(self.cells + 1) + count(self.cells)
    }

    /// Number of a point; none outside.
    pub(super) fn number(&self, at: IVec3) -> Option<usize> {
        let odd = at.x & 1;
        let corners = self.cells + 1;
        let (along, first) = if odd == 0 {
            (corners, 0)
        } else {
            (self.cells, corners.x as usize * corners.y as usize * corners.z as usize)
        };
        let cell = (at - odd) / 2;
        let inside = at.min_element() >= 0 && cell.cmplt(along).all();
        inside.then(|| {
            let [x, y, z] = cell.to_array().map(|c| c as usize);
            first + (z * along.y as usize + y) * along.x as usize + x
        })
    }

    /// Place of a point [m].
    pub(super) fn place(&self, at: IVec3) -> DVec3 {
        self.origin + at.as_dvec3() * (0.5 * self.spacing)
    }

    /// Rows of points along x, each as its first point and how many there are: they follow each other
    /// two half cubes apart.
    pub(super) fn rows(&self) -> impl Iterator<Item = (IVec3, i32)> + '_ {
        [0, 1].into_iter().flat_map(move |odd| {
            let along = self.cells + (1 - odd);
            (0..along.z).flat_map(move |z| {
                (0..along.y).map(move |y| (IVec3::new(odd, 2 * y + odd, 2 * z + odd), along.x))
            })
        })
    }

    /// Calls `each` with both ends of every edge, and whether it is a long one.
    pub(super) fn edges(&self, mut each: impl FnMut(IVec3, IVec3, bool)) {
        for (first, count) in self.rows() {
            for k in 0..count {
                let at = first + IVec3::new(2 * k, 0, 0);
                for (way, step) in WAYS.iter().enumerate() {
                    if self.number(at + *step).is_some() {
                        each(at, at + *step, way < 3);
                    }
                }
            }
        }
    }

    /// Calls `each` with the corners of every tetrahedron: two middles of neighbouring cubes and an edge
    /// of the square between them.
    pub(super) fn tets(&self, mut each: impl FnMut([IVec3; 4])) {
        let axes = [IVec3::X, IVec3::Y, IVec3::Z];
        for (first, count) in self.rows().filter(|(first, _)| first.x == 1) {
            for k in 0..count {
                let here = first + IVec3::new(2 * k, 0, 0);
                for d in 0..3 {
                    let there = here + axes[d] * 2;
                    if self.number(there).is_none() {
                        continue;
                    }
                    let (u, v) = (axes[(d + 1) % 3], axes[(d + 2) % 3]);
                    let square = [u + v, v - u, -u - v, u - v].map(|c| here + axes[d] + c);
                    for side in 0..4 {
                        each([here, there, square[side], square[(side + 1) % 4]]);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{LONG, SHORT};
    use super::*;

    #[test]
    fn tetrahedra_fill_the_middles_box_and_points_have_their_numbers() {
        let lattice = Lattice::new(DVec3::ZERO, DVec3::new(1.0, 0.5, 0.3), 0.25);
        let mut seen = vec![false; lattice.count()];
        for (first, count) in lattice.rows() {
            for k in 0..count {
                let number = lattice.number(first + IVec3::new(2 * k, 0, 0)).unwrap();
                assert!(!std::mem::replace(&mut seen[number], true));
            }
        }
        assert!(seen.iter().all(|s| *s));
        let (mut volume, mut count) = (0.0, 0);
        lattice.tets(|t| {
            let [a, b, c, d] = t.map(|p| lattice.place(p));
            volume += (b - a).cross(c - a).dot(d - a) / 6.0;
            count += 1;
        });
        // Each is a twelfth of a cube.
        assert!((volume - f64::from(count) * 0.25f64.powi(3) / 12.0).abs() < 1e-12);
        // 7 x 5 x 5 cubes have 6*5*5 + 7*4*5 + 7*5*4 inner squares.
        assert_eq!(count, 4 * (150 + 140 + 140));
    }

    /// The volume of a tetrahedron is linear in the way that a corner goes along an edge, so that the
    /// worst of all warps is one in which every corner stays or goes all the way.
    #[test]
    fn no_warp_turns_a_tetrahedron_inside_out() {
        let ways: Vec<DVec3> = std::iter::once(DVec3::ZERO)
            .chain(WAYS.iter().enumerate().flat_map(|(i, way)| {
                let part = if i < 3 { LONG } else { SHORT };
                let way = way.as_dvec3() * part;
                [way, -way]
            }))
            .collect();
        let lattice = Lattice::new(DVec3::ZERO, DVec3::ONE, 1.0);
        let mut tet = None;
        lattice.tets(|t| tet = Some(t));
        let x = tet.unwrap().map(IVec3::as_dvec3);
        let whole = (x[1] - x[0]).cross(x[2] - x[0]).dot(x[3] - x[0]);
        let mut least = f64::INFINITY;
        for a in &ways {
            for b in &ways {
                for c in &ways {
                    for d in &ways {
                        let o = x[0] + *a;
                        let (p, q, r) = (x[1] + *b - o, x[2] + *c - o, x[3] + *d - o);
                        least = least.min(p.cross(q).dot(r));
                    }
                }
            }
        }
        assert!(least > 0.05 * whole, "{least} of {whole}");
    }
}
