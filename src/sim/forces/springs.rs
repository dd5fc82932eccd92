//! The mass-spring cloth of the literature (Carvalho 2012, sections 2.2 and 4.1).
//!
//! A spring of length l, at rest L, from p to q with unit direction n pulls p with
//! `k (l - L) n + kd ((v_q - v_p) . n) n` (equations 4.1 to 4.3): damping acts along the spring alone,
//! so that turning as a whole is not damped. Unilateral structural and shear springs act where l > L,
//! bending springs where l < L. Air drags each point with `-C v`, C by corner, edge and inside
//! (equation 4.5). A point weighs as much as the part of the sheet that is nearest to it along rows
//! and columns: sides that are missing at the rim count as length 0 (equations 4.7 and 4.8). On a mesh
//! that is no grid springs lie along its edges, and across each inner edge between the two corners that
//! face each other; a point weighs a third of the triangles around it, and one at the rim is at an edge.

use super::lattice::Jacobian;
use crate::geometry::TriMesh;
use crate::math::outer;
use crate::scene::{Damp, Springs, VertexMap};
use crate::sim::linear::block_matrix::Pattern;
use crate::sim::potentials::rows::Rows;
use crate::sim::potentials::strain_limit::HARDER;
use glam::{DMat3, DVec3};
use std::collections::BTreeMap;
use std::ops::Range;

/// What a spring resists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Resists {
    Both,
    /// Being longer than at rest.
    Stretch,
    /// Being shorter.
    Squeeze,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Spring {
    pub(crate) nodes: [u32; 2],
    pub(crate) resists: Resists,
    /// [N/m]
    pub(crate) stiffness: f64,
    /// [N s/m]
    pub(crate) damping: f64,
    /// [m]
    pub(crate) rest: f64,
    /// Whether its stretch is limited where that of its sheet is: structural and shear ones.
    limited: bool,
    /// Where its blocks are: of its nodes 0 0, 0 1, 1 0 and 1 1.
    slots: [u32; 4],
}

/// A sheet of points and springs.
#[derive(Clone, Debug)]
pub(crate) struct Net {
    /// Its nodes.
    pub(crate) nodes: Range<usize>,
    springs: Vec<Spring>,
    damp: Damp,
    /// Drag of each node [N s/m].
    drag: Vec<f64>,
    /// Largest stretch of the springs that are limited.
    strain_limit: Option<f64>,
}

/// A substep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Over<'a> {
    /// Where all nodes are when it starts [m].
    pub(crate) start: &'a [DVec3],
    /// How long it is [s].
    pub(crate) h: f64,
    /// Factor on lengths at rest.
    pub(crate) shrink: f64,
}

/// Most passes that limit strain, and the part of a length by which one may be over its limit by then.
const LIMIT_PASSES: u32 = 100;
const LIMIT_REACHED: f64 = 1e-3;

/// The springs that leave a point: rows down, columns to the right.
const STRUCTURAL: &[(i64, i64)] = &[(0, 1), (1, 0)];
const SHEAR: &[(i64, i64)] = &[(1, 1), (1, -1)];
const BEND: &[(i64, i64)] = &[(0, 2), (2, 0), (2, 2), (2, -2)];

impl Net {
    /// The springs of a mesh whose first vertex is node `first`, at rest at the positions `rest`, and the
    /// masses of its points [kg].
    pub(crate) fn new(
        material: &Springs,
        mesh: &TriMesh,
        rest: &[DVec3],
        first: u32,
    ) -> (Self, Vec<f64>) {
        let nodes = first as usize..first as usize + rest.len();
        let (damp, strain_limit) = (material.damp, material.strain_limit);
        let net = Self { nodes, springs: Vec::new(), damp, drag: Vec::new(), strain_limit };
        let mut made = Maker { material, rest, first, net, mass: Vec::new() };
        match mesh.grid {
            Some((columns, rows)) => made.grid(i64::from(columns), i64::from(rows)),
            None => made.mesh(mesh),
        }
        (made.net, made.mass)
    }

    /// Adds all forces at positions `x` and velocities `v` [N]; rest lengths are `shrink` of what they
    /// were.
    pub(crate) fn add_forces(&self, x: &[DVec3], v: &[DVec3], shrink: f64, out: &mut [DVec3]) {
        for spring in &self.springs {
            let [p, q] = spring.nodes.map(|i| i as usize);
            if let Some(at) = spring.at(x, shrink) {
                let speed = (v[q] - v[p]).dot(at.along);
                let pull = spring.stiffness * at.stretch + self.damping(spring, &at) * speed;
                out[p] += at.along * pull;
                out[q] -= at.along * pull;
            }
        }
        for (i, drag) in self.nodes.clone().zip(&self.drag) {
            out[i] -= v[i] * *drag;
        }
    }

    /// Adds the derivatives of the forces by positions and velocities. A `positive` one leaves out
    /// what can make an implicit system indefinite or unsymmetric: the loss of stiffness across a
    /// squeezed spring (Choi and Ko 2002), and how damping turns with the spring.
    pub(crate) fn add_jacobian(
        &self,
        x: &[DVec3],
        v: &[DVec3],
        shrink: f64,
        positive: bool,
        out: &mut Jacobian,
    ) {
        for spring in &self.springs {
            let [p, q] = spring.nodes.map(|i| i as usize);
            let Some(at) = spring.at(x, shrink) else { continue };
            let (n, damping) = (at.along, self.damping(spring, &at));
            let (by_n, across) = (outer(n, n), DMat3::IDENTITY - outer(n, n));
            // The geometric term k (l - L) / l, and the stiffness along the spring while it acts.
            let turning = spring.stiffness * at.stretch / at.length;
            let along = if at.acts { spring.stiffness } else { 0.0 };
            let by_x = if positive {
                by_n * along + across * turning.max(0.0)
            } else {
                let w = v[q] - v[p];
                by_n * along
                    + across * (turning + damping * w.dot(n) / at.length)
                    + outer(n, across * w) * (damping / at.length)
            };
            out.add_pair(spring.nodes, by_x, by_n * damping);
        }
        for (i, drag) in self.nodes.clone().zip(&self.drag) {
            out.add_point(i as u32, DMat3::ZERO, DMat3::from_diagonal(DVec3::splat(-drag)));
        }
    }

    /// Looks up where the blocks of its springs are.
    pub(crate) fn place(&mut self, pattern: &Pattern) {
        for spring in &mut self.springs {
            let nodes = spring.nodes;
            spring.slots = std::array::from_fn(|k| pattern.slot(nodes[k / 2], nodes[k % 2]));
        }
    }

    /// Adds to `rows` the gradient [N] at `z` of what springs, damping and drag come to over a substep, and where they
    /// have blocks its tangent [N/m], positive semi-definite. `springs` are those with a node there, `diagonal` where
    /// each node's own block is. Damping acts along where a spring points at the start and, if only springs that act
    /// damp, for those that act there; beyond the limit a spring is forty times as stiff.
    pub(crate) fn add_to_rows(
        &self,
        over: &Over<'_>,
        z: &[DVec3],
        springs: &[u32],
        diagonal: &[u32],
        rows: &mut Rows<'_>,
    ) {
        for spring in springs.iter().map(|k| &self.springs[*k as usize]) {
            let Some(at) = spring.at(z, over.shrink) else { continue };
            let excess = match self.strain_limit.filter(|_| spring.limited) {
                Some(limit) => (at.length - (1.0 + limit) * spring.rest * over.shrink).max(0.0),
                None => 0.0,
            };
            let harder = if excess > 0.0 { HARDER * spring.stiffness } else { 0.0 };
            let pull = spring.stiffness * at.stretch + harder * excess;
            let [p, q] = spring.nodes.map(|i| i as usize);
            let before =
                if spring.damping > 0.0 { spring.at(over.start, over.shrink) } else { None };
            let before = before.map(|at| (at.along, self.damping(spring, &at) / over.h));
            let mut force = at.along * pull;
            if let Some((along, damping)) = before {
                let moved = (z[q] - over.start[q] - z[p] + over.start[p]).dot(along);
                force += along * (damping * moved);
            }
            let own = spring.nodes.map(|i| rows.has(i));
            if own[0] {
                rows.gradient[p - rows.first] -= force;
            }
            if own[1] {
                rows.gradient[q - rows.first] += force;
            }
            let Some(blocks) = &mut rows.blocks else { continue };
            let along = harder + if at.acts { spring.stiffness } else { 0.0 };
            let by_n = outer(at.along, at.along);
            let mut block = by_n * along + (DMat3::IDENTITY - by_n) * (pull / at.length).max(0.0);
            if let Some((along, damping)) = before {
                block += outer(along, along) * damping;
            }
            for (k, slot) in spring.slots.iter().enumerate().filter(|(k, _)| own[k / 2]) {
                let block = if k / 2 == k % 2 { block } else { -block };
                blocks[*slot as usize - rows.first_slot] += block;
            }
        }
        let (from, end) = (rows.first, rows.first + rows.gradient.len());
        let there = from.max(self.nodes.start)..end.min(self.nodes.end);
        for (i, drag) in there.map(|i| (i, self.drag[i - self.nodes.start])) {
            if drag <= 0.0 {
                continue;
            }
            rows.gradient[i - rows.first] += (z[i] - over.start[i]) * (drag / over.h);
            if let Some(blocks) = &mut rows.blocks {
                blocks[diagonal[i] as usize - rows.first_slot] +=
                    DMat3::from_diagonal(DVec3::splat(drag / over.h));
            }
        }
    }

    /// Brings springs that are stretched beyond the limit at the places `x + way` back to it, by moving
    /// their ends (Provot 1995, section 5): pass after pass over all of them, as each undoes some of its
    /// neighbours' work. `inverse_mass` is zero for held points.
    pub(crate) fn limit_strain(
        &self,
        x: &[DVec3],
        way: &mut [DVec3],
        inverse_mass: impl Fn(usize) -> f64,
        shrink: f64,
    ) {
        let Some(limit) = self.strain_limit else { return };
        for _ in 0..LIMIT_PASSES {
            let mut done = true;
            for spring in self.springs.iter().filter(|spring| spring.limited) {
                let [p, q] = spring.nodes.map(|i| i as usize);
                let between = x[q] + way[q] - x[p] - way[p];
                let (length, most) = (between.length(), (1.0 + limit) * spring.rest * shrink);
                let (own, other) = (inverse_mass(p), inverse_mass(q));
                if length <= most || own + other <= 0.0 {
                    continue;
                }
                done &= length - most <= LIMIT_REACHED * most;
                let by = between * ((length - most) / (length * (own + other)));
                way[p] += by * own;
                way[q] -= by * other;
            }
            if done {
                return;
            }
        }
    }

    /// The springs whose strain is limited, and their largest length [m].
    pub(crate) fn limits(&self) -> impl Iterator<Item = ([u32; 2], f64)> {
        self.strain_limit.into_iter().flat_map(|limit| {
            let springs = self.springs.iter().filter(|spring| spring.limited);
            springs.map(move |spring| (spring.nodes, (1.0 + limit) * spring.rest))
        })
    }

    /// Its springs.
    pub(crate) fn springs(&self) -> &[Spring] {
        &self.springs
    }

    /// When its springs damp.
    pub(crate) fn damp(&self) -> Damp {
        self.damp
    }

    /// Its nodes with the drag of each [N s/m].
    pub(crate) fn drags(&self) -> impl Iterator<Item = (usize, f64)> {
        self.nodes.clone().zip(self.drag.iter().copied())
    }

    /// Nodes of each spring.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = &[u32]> {
        self.springs.iter().map(|s| &s.nodes[..])
    }

    /// Energy of the springs [J].
    pub(crate) fn elastic_energy(&self, x: &[DVec3], shrink: f64) -> f64 {
        let energy = |spring: &Spring| {
            let stretch = spring.at(x, shrink).map_or(0.0, |at| at.stretch);
            0.5 * spring.stiffness * stretch * stretch
        };
        self.springs.iter().map(energy).sum()
    }

    fn damping(&self, spring: &Spring, at: &At) -> f64 {
        match self.damp {
            Damp::Always => spring.damping,
            Damp::Active if at.acts => spring.damping,
            Damp::Active => 0.0,
        }
    }
}

/// The families of springs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    Structural,
    Shear,
    Bend,
}

/// A net in the making.
struct Maker<'a> {
    material: &'a Springs,
    rest: &'a [DVec3],
    first: u32,
    net: Net,
    mass: Vec<f64>,
}

impl Maker<'_> {
    fn spring(&mut self, family: Family, here: usize, there: usize) {
        let own = self.material;
        let (stiffness, damping, resists) = match family {
            Family::Structural => (&own.structural, &own.structural_damping, Resists::Stretch),
            Family::Shear => (&own.shear, &own.shear_damping, Resists::Stretch),
            Family::Bend => (&own.bend, &own.bend_damping, Resists::Squeeze),
        };
        let mean = |map: &VertexMap| 0.5 * (map.at(here) + map.at(there));
        self.net.springs.push(Spring {
            nodes: [self.first + here as u32, self.first + there as u32],
            resists: if own.unilateral { resists } else { Resists::Both },
            stiffness: mean(stiffness),
            damping: mean(damping),
            rest: self.rest[here].distance(self.rest[there]),
            limited: family != Family::Bend,
            slots: [0; 4],
        });
    }

    fn grid(&mut self, columns: i64, rows: i64) {
        let vertex = |row: i64, column: i64| {
            let is_there = (0..rows).contains(&row) && (0..columns).contains(&column);
            is_there.then(|| (row * columns + column) as usize)
        };
        let families =
            [(Family::Structural, STRUCTURAL), (Family::Shear, SHEAR), (Family::Bend, BEND)];
        for row in 0..rows {
            for column in 0..columns {
                let here = (row * columns + column) as usize;
                for (family, ways) in families {
                    for (down, right) in ways {
                        if let Some(there) = vertex(row + down, column + right) {
                            self.spring(family, here, there);
                        }
                    }
                }
                let half = |down: i64, right: i64| {
                    let there = vertex(row + down, column + right);
                    there.map_or(0.0, |there| 0.5 * self.rest[here].distance(self.rest[there]))
                };
                let (wide, deep) = (half(0, -1) + half(0, 1), half(-1, 0) + half(1, 0));
                let Springs { thickness, density, air_drag, .. } = self.material;
                self.mass.push(wide * deep * thickness.at(here) * density.at(here));
                let at_end = |i: i64, count: i64| usize::from(i > 0 && i < count - 1);
                self.net.drag.push(air_drag[at_end(row, rows) + at_end(column, columns)]);
            }
        }
    }

    fn mesh(&mut self, mesh: &TriMesh) {
        let mut facing: BTreeMap<[u32; 2], Vec<u32>> = BTreeMap::new();
        self.mass = vec![0.0; self.rest.len()];
        for t in &mesh.triangles {
            for k in 0..3 {
                let [a, b, c] = [t[k], t[(k + 1) % 3], t[(k + 2) % 3]];
                facing.entry([a.min(b), a.max(b)]).or_default().push(c);
            }
            let [a, b, c] = t.map(|i| self.rest[i as usize]);
            let third = (b - a).cross(c - a).length() / 6.0;
            for i in t.map(|i| i as usize) {
                let Springs { thickness, density, .. } = self.material;
                self.mass[i] += third * thickness.at(i) * density.at(i);
            }
        }
        let [_, edge, inside] = self.material.air_drag;
        self.net.drag = vec![inside; self.rest.len()];
        for ([a, b], corners) in facing {
            self.spring(Family::Structural, a as usize, b as usize);
            match corners[..] {
                [c, d] => {
                    for family in [Family::Shear, Family::Bend] {
                        self.spring(family, c as usize, d as usize);
                    }
                }
                _ => [a, b].into_iter().for_each(|i| self.net.drag[i as usize] = edge),
            }
        }
    }
}

/// A spring at some positions.
struct At {
    /// Unit vector from the first to the second node.
    along: DVec3,
    /// [m]
    length: f64,
    /// By how much it is longer than at rest, 0 where it does not act [m].
    stretch: f64,
    acts: bool,
}

impl Spring {
    /// None where both nodes are at the same place.
    fn at(&self, x: &[DVec3], shrink: f64) -> Option<At> {
        let [p, q] = self.nodes.map(|i| i as usize);
        let between = x[q] - x[p];
        let length = between.length();
        if length <= 0.0 {
            return None;
        }
        let stretch = length - self.rest * shrink;
        let acts = match self.resists {
            Resists::Both => true,
            Resists::Stretch => stretch > 0.0,
            Resists::Squeeze => stretch < 0.0,
        };
        Some(At {
            along: between / length,
            length,
            stretch: if acts { stretch } else { 0.0 },
            acts,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::primitives::Grid;

    fn material(damp: Damp, unilateral: bool) -> Springs {
        Springs {
            structural: VertexMap::Uniform(2000.0),
            shear: VertexMap::Uniform(100.0),
            bend: VertexMap::Uniform(0.5),
            structural_damping: VertexMap::Uniform(2.0),
            shear_damping: VertexMap::Uniform(1.0),
            bend_damping: VertexMap::Uniform(0.1),
            damp,
            strain_limit: None,
            unilateral,
            density: VertexMap::Uniform(2050.0),
            thickness: VertexMap::Uniform(1e-4),
            air_drag: [0.005, 0.01, 0.02],
        }
    }

    fn net(damp: Damp, unilateral: bool, side: u32) -> (Net, Vec<f64>, Vec<DVec3>) {
        let grid = Grid { size: [2.0; 2], vertices: Some([side; 2]), ..Grid::default() };
        let mesh = grid.build().unwrap();
        let (net, mass) = Net::new(&material(damp, unilateral), &mesh, &mesh.positions, 0);
        (net, mass, mesh.positions)
    }

    /// Numbers between -0.5 and 0.5 that differ from point to point.
    fn scattered(i: usize, salt: f64) -> DVec3 {
        let part = |k: f64| {
            let s = 997.0 * libm::sin((i as f64 + 1.0) * (salt + k));
            s - s.round()
        };
        DVec3::new(part(1.3), part(2.7), part(4.1))
    }

    #[test]
    fn a_grid_of_ten_by_ten_has_the_springs_of_figure_2_3() {
        let (net, ..) = net(Damp::Always, true, 10);
        let count = |k: f64| net.springs.iter().filter(|s| s.stiffness == k).count();
        assert_eq!([count(2000.0), count(100.0), count(0.5)], [180, 162, 288]);
    }

    #[test]
    fn masses_are_those_of_the_parts_of_the_sheet() {
        let (_, mass, _) = net(Damp::Always, true, 10);
        // Equation 4.8: 2 x 2 m of 0.1 mm and 2050 kg/m3.
        assert!((mass.iter().sum::<f64>() - 0.82).abs() < 1e-12);
        assert!(
            (mass[0] - 0.25 * mass[11]).abs() < 1e-15 && (mass[5] - 0.5 * mass[11]).abs() < 1e-15
        );
    }

    /// Without damping and drag the potential's gradient is what the forces are; of stretched springs its tangent is the
    /// gradient's derivative. Differences with a step of 1e-6 are off by some 1e-8 of the largest entry.
    #[test]
    fn the_potential_has_these_forces() {
        let (mut net, _, rest) = net(Damp::Active, true, 4);
        net.strain_limit = Some(0.08);
        let place = |i: usize, scale: f64, salt: f64| rest[i] * scale + scattered(i, salt) * 0.02;
        let n = rest.len();
        let z: Vec<DVec3> = (0..n).map(|i| place(i, 1.1, 0.7)).collect();
        let start: Vec<DVec3> = (0..n).map(|i| place(i, 1.05, 0.2)).collect();
        let groups = net.springs.iter().map(|s| &s.nodes[..]);
        let pattern = Pattern::new(n, groups);
        let over = Over { start: &start, h: 0.01, shrink: 1.0 };
        let diagonal: Vec<u32> = (0..n as u32).map(|i| pattern.slot(i, i)).collect();
        let gradient_and = |net: &Net, z: &[DVec3], blocks: Option<&mut [DMat3]>| {
            let mut out = vec![DVec3::ZERO; n];
            let mut rows = Rows { first: 0, gradient: &mut out, first_slot: 0, blocks };
            let all: Vec<u32> = (0..net.springs.len() as u32).collect();
            net.add_to_rows(&over, z, &all, &diagonal, &mut rows);
            out
        };
        let gradient = |net: &Net, z: &[DVec3]| gradient_and(net, z, None);
        let mut blocks = vec![DMat3::ZERO; pattern.columns.len()];
        net.place(&pattern);
        gradient_and(&net, &z, Some(&mut blocks));
        let largest = blocks.iter().map(|b| b.x_axis.length()).fold(0.0, f64::max);
        for j in 0..n {
            for axis in DVec3::AXES {
                let moved = |by: f64| {
                    let mut z = z.clone();
                    z[j] += axis * by;
                    gradient(&net, &z)
                };
                let [more, less] = [moved(1e-6), moved(-1e-6)];
                for i in 0..n {
                    let change = (more[i] - less[i]) / 2e-6;
                    let told = pattern.find(i as u32, j as u32);
                    let told = told.map_or(DVec3::ZERO, |slot| blocks[slot as usize] * axis);
                    assert!(change.distance(told) < 1e-6 * largest, "{i} {j}: {change} {told}");
                }
            }
        }
        net.strain_limit = None;
        net.drag.fill(0.0);
        net.springs.iter_mut().for_each(|s| s.damping = 0.0);
        let mut forces = vec![DVec3::ZERO; n];
        net.add_forces(&z, &start, 1.0, &mut forces);
        for (force, slope) in forces.iter().zip(gradient(&net, &z)) {
            assert!((*force + slope).length() < 1e-9, "{force} {slope}");
        }
    }

    /// Derivatives against central differences of the forces: with a step of 1e-6 the error of the
    /// differences is some 1e-8 of the largest entry, so 1e-6 of it is asked for.
    #[test]
    fn jacobians_are_those_of_the_forces() {
        for (damp, unilateral) in
            [(Damp::Always, true), (Damp::Active, true), (Damp::Always, false)]
        {
            let (net, _, rest) = net(damp, unilateral, 4);
            let n = rest.len();
            let x: Vec<DVec3> =
                rest.iter().enumerate().map(|(i, p)| *p + scattered(i, 0.1) * 0.3).collect();
            let v: Vec<DVec3> = (0..n).map(|i| scattered(i, 0.7)).collect();
            let pattern = Pattern::new(n, net.pairs());
            let mut jacobian = Jacobian::new(&pattern);
            net.add_jacobian(&x, &v, 0.98, false, &mut jacobian);
            let forces = |x: &[DVec3], v: &[DVec3]| {
                let mut out = vec![DVec3::ZERO; n];
                net.add_forces(x, v, 0.98, &mut out);
                out
            };
            let step = 1e-6;
            for by_velocity in [false, true] {
                let blocks = if by_velocity { &jacobian.by_v } else { &jacobian.by_x };
                let scale = blocks
                    .iter()
                    .flat_map(DMat3::to_cols_array)
                    .fold(0.0f64, |m, entry| m.max(entry.abs()));
                for j in 0..n {
                    for k in 0..3 {
                        let moved = |by: f64| {
                            let (mut x, mut v) = (x.clone(), v.clone());
                            let moved = if by_velocity { &mut v } else { &mut x };
                            moved[j][k] += by;
                            forces(&x, &v)
                        };
                        let (above, below) = (moved(step), moved(-step));
                        for i in 0..n {
                            let column = pattern
                                .find(i as u32, j as u32)
                                .map_or(DVec3::ZERO, |slot| blocks[slot as usize].col(k));
                            let difference = (above[i] - below[i]) / (2.0 * step);
                            let off = (difference - column).abs().max_element();
                            assert!(off < 1e-6 * scale, "{damp:?} {i} {j}: {difference} {column}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn turning_as_a_whole_is_not_damped() {
        let (net, _, x) = net(Damp::Always, false, 5);
        let spin = DVec3::new(0.3, -1.0, 2.0);
        let v: Vec<DVec3> = x.iter().map(|p| spin.cross(*p)).collect();
        let (mut forces, mut drags) = (vec![DVec3::ZERO; x.len()], vec![DVec3::ZERO; x.len()]);
        net.add_forces(&x, &v, 1.0, &mut forces);
        for (i, drag) in net.drag.iter().enumerate() {
            drags[i] = v[i] * -*drag;
        }
        // Rounding of a spring of 2000 N/m a metre long.
        assert!(forces.iter().zip(&drags).all(|(f, d)| (*f - *d).length() < 1e-11));
    }

    #[test]
    fn unilateral_springs_act_one_way() {
        let (net, _, rest) = net(Damp::Active, true, 4);
        let at_rest = vec![DVec3::ZERO; rest.len()];
        let pull = |factor: f64, stiffness: f64| {
            let x: Vec<DVec3> = rest.iter().map(|p| *p * factor).collect();
            let only = Net {
                springs: net.springs.iter().filter(|s| s.stiffness == stiffness).copied().collect(),
                ..net.clone()
            };
            let mut out = vec![DVec3::ZERO; x.len()];
            only.add_forces(&x, &at_rest, 1.0, &mut out);
            out.iter().map(|f| f.length()).sum::<f64>()
        };
        for stiffness in [2000.0, 100.0] {
            assert_eq!(pull(0.9, stiffness), 0.0);
            assert!(pull(1.1, stiffness) > 0.0);
        }
        assert_eq!(pull(1.1, 0.5), 0.0);
        assert!(pull(0.9, 0.5) > 0.0);
    }
}
