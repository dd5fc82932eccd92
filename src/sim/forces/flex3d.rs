//! The elastic surface of FLEX3D (Nedel 1993, sections 3.1, 3.2.3, 3.2.4 and 3.2.7).
//!
//! Every point is tied to its eight neighbours in the grid by Hooke springs of constants `kh` (same
//! row), `kv` (same column) and `kd` (diagonal) [N/m]. The pull of Q on P is
//! `k (|PQ| - rest) PQ / |PQ|` (the text below equation 3.1; the printed equation has the fixed end
//! where P belongs). An angular spring stands between each two opposite neighbours A, B of P:
//! `F = kc (a + b) / 2` with `a = r PA / |PA|`, `b = r PB / |PB|` and r the spacing of the mesh, for
//! diagonals too. As printed only P feels it; with `reaction` A and B feel `-F / 2` each. Friction
//! takes a fraction of the resultant force.

use crate::geometry::TriMesh;
use crate::scene::{Flex3d, FrictionReading};
use glam::DVec3;
use std::ops::Range;

#[derive(Clone, Copy, Debug)]
struct Spring {
    nodes: [u32; 2],
    /// [N/m]
    stiffness: f64,
    /// [m]
    rest: f64,
}

#[derive(Clone, Copy, Debug)]
struct Angular {
    /// The point, and its two opposite neighbours.
    nodes: [u32; 3],
    /// [N/m]
    stiffness: f64,
}

/// A sheet of points in rows and columns.
#[derive(Clone, Debug)]
pub(crate) struct Sheet {
    /// Its nodes.
    pub(crate) nodes: Range<usize>,
    springs: Vec<Spring>,
    angular: Vec<Angular>,
    /// Mean distance of neighbours in rows and columns at rest [m].
    spacing: f64,
    reaction: bool,
    friction_fraction: f64,
    friction: FrictionReading,
}

impl Sheet {
    /// The sheet of a grid mesh whose first vertex is node `first`; the mesh is its rest shape.
    pub(crate) fn new(material: &Flex3d, mesh: &TriMesh, first: u32) -> Self {
        let (columns, rows) = mesh.grid.unwrap_or((mesh.positions.len() as u32, 1));
        let node = |row: u32, column: u32| first + row * columns + column;
        let inside = |row: i64, column: i64| {
            let is_there =
                (0..i64::from(rows)).contains(&row) && (0..i64::from(columns)).contains(&column);
            is_there.then(|| node(row as u32, column as u32))
        };
        let [along_rows, along_columns, across] = material.curvature;
        // Along the row, along the column, along both diagonals.
        let directions = [
            (0, 1, material.kh, along_rows),
            (1, 0, material.kv, along_columns),
            (1, 1, material.kd, across),
            (1, -1, material.kd, across),
        ];
        let (mut springs, mut angular) = (Vec::new(), Vec::new());
        let (mut total, mut count) = (0.0, 0u32);
        for row in 0..i64::from(rows) {
            for column in 0..i64::from(columns) {
                let here = node(row as u32, column as u32);
                for (down, right, stiffness, curvature) in directions {
                    let Some(next) = inside(row + down, column + right) else { continue };
                    let at = |i: u32| mesh.positions[(i - first) as usize];
                    let rest = at(here).distance(at(next));
                    if down == 0 || right == 0 {
                        (total, count) = (total + rest, count + 1);
                    }
                    if stiffness > 0.0 {
                        springs.push(Spring { nodes: [here, next], stiffness, rest });
                    }
                    if curvature > 0.0
                        && let Some(before) = inside(row - down, column - right)
                    {
                        angular.push(Angular { nodes: [here, before, next], stiffness: curvature });
                    }
                }
            }
        }
        Self {
            nodes: first as usize..first as usize + mesh.positions.len(),
            springs,
            angular,
            spacing: total / f64::from(count.max(1)),
            reaction: material.reaction,
            friction_fraction: material.friction_fraction,
            friction: material.friction,
        }
    }

    /// Adds the forces of all springs at `x` [N]; rest lengths are `shrink` of what they were.
    pub(crate) fn add_forces(&self, x: &[DVec3], shrink: f64, out: &mut [DVec3]) {
        for spring in &self.springs {
            let [p, q] = spring.nodes.map(|i| i as usize);
            let pull = spring.pull(x, shrink);
            out[p] += pull;
            out[q] -= pull;
        }
        let half = 0.5 * self.spacing * shrink;
        for angular in &self.angular {
            let [p, a, b] = angular.nodes.map(|i| i as usize);
            let to = |q: usize| (x[q] - x[p]).try_normalize().unwrap_or(DVec3::ZERO);
            let force = (to(a) + to(b)) * (angular.stiffness * half);
            out[p] += force;
            if self.reaction {
                out[a] -= force * 0.5;
                out[b] -= force * 0.5;
            }
        }
    }

    /// What friction leaves of the resultant `force` on a point of velocity `v` [N].
    pub(crate) fn after_friction(&self, force: DVec3, v: DVec3) -> DVec3 {
        match (self.friction, v.try_normalize()) {
            (FrictionReading::Oppose, Some(direction)) => {
                force - direction * (self.friction_fraction * force.length())
            }
            _ => force * (1.0 - self.friction_fraction),
        }
    }

    /// Energy of the springs [J]. Angular springs have none: without reaction their force is not
    /// that of an energy.
    pub(crate) fn elastic_energy(&self, x: &[DVec3], shrink: f64) -> f64 {
        let energy = |spring: &Spring| {
            let [p, q] = spring.nodes.map(|i| i as usize);
            let stretch = x[p].distance(x[q]) - spring.rest * shrink;
            0.5 * spring.stiffness * stretch * stretch
        };
        self.springs.iter().map(energy).sum()
    }
}

impl Spring {
    /// Force on the first node [N]; none where both are at the same place.
    fn pull(&self, x: &[DVec3], shrink: f64) -> DVec3 {
        let [p, q] = self.nodes.map(|i| i as usize);
        let along = x[q] - x[p];
        let length = along.length();
        if length > 0.0 {
            (along / length) * (self.stiffness * (length - self.rest * shrink))
        } else {
            DVec3::ZERO
        }
    }
}
