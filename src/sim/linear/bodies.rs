//! Rigid bodies among the unknowns of a tangent: six for each, a shift of its centre and a turn.
//!
//! What couples two bodies, however many contacts they share, is one 6x6 block. The preconditioner is
//! symmetric Gauss-Seidel over these blocks. Turns are measured along the body's principal axes, each in
//! units of the radius of gyration about it, so that a body's inertia is the same for all six unknowns.

use super::block_matrix::Pattern;
use super::dense::inverse_of_six;
use super::lanes::{Block3, Block6, Lane4, Rigid};
use super::rigid_matrix::RigidMatrix;
use glam::{DMat3, DVec3};

/// How the four nodes of a body move with its unknowns: node `k` by `shift + (turns * turn) x arms[k]`.
#[derive(Clone, Debug)]
pub(crate) struct Grip {
    /// Centre of mass [m].
    pub(crate) center: DVec3,
    /// From the centre to each node [m].
    pub(crate) arms: [DVec3; 4],
    /// Principal axes over the radii of gyration about them [1/m].
    pub(crate) turns: DMat3,
}

/// Unknowns of a body, or forces on them: shift and turn.
pub(crate) type Six = [DVec3; 2];

impl Grip {
    /// Motions of the four nodes.
    pub(crate) fn expand(&self, [shift, turn]: Six) -> [DVec3; 4] {
        let turn = self.turns * turn;
        self.arms.map(|arm| shift + turn.cross(arm))
    }

    /// Forces on the unknowns from forces on the four nodes.
    pub(crate) fn reduce(&self, forces: &[DVec3]) -> Six {
        let shift = forces.iter().sum();
        let turn: DVec3 = self.arms.iter().zip(forces).map(|(arm, f)| arm.cross(*f)).sum();
        [shift, self.turns.transpose() * turn]
    }

    /// The part of forces on the four nodes that does not strain the body, from those on its unknowns.
    pub(crate) fn spread(&self, [shift, turn]: Six) -> [DVec3; 4] {
        self.expand([shift * 0.25, turn * 0.25])
    }

    /// A force at `place`, from the centre, as forces on the unknowns.
    pub(crate) fn forces(&self, force: DVec3, place: DVec3) -> Six {
        [force, self.turns.transpose() * place.cross(force)]
    }

    /// A weighted sum of its nodes, from `(node, weight)`.
    pub(crate) fn arm(&self, body: usize, parts: impl Iterator<Item = (usize, f64)>) -> Arm {
        let (mut weight, mut place) = (0.0, DVec3::ZERO);
        for (k, w) in parts {
            weight += w;
            place += self.arms[k] * w;
        }
        self.arm_at(body, weight, place)
    }

    /// A sum of places on it with weights of the sum `weight`; `place` is their sum from the centre.
    pub(crate) fn arm_at(&self, body: usize, weight: f64, place: DVec3) -> Arm {
        let [x, y, z] = [self.turns.x_axis, self.turns.y_axis, self.turns.z_axis];
        let turn = DMat3::from_cols(x.cross(place), y.cross(place), z.cross(place));
        Arm { body: body as u32, weight, turn }
    }

    /// What a body is held to its inertial place by, from that of each node [N/m].
    fn inertia(&self, inertia: &[f64]) -> Wide {
        let mut own = Wide::ZERO;
        for (k, stiffness) in inertia.iter().enumerate() {
            let arm = self.arm(0, std::iter::once((k, 1.0)));
            own.add(&Wide::between(&arm, &DMat3::from_diagonal(DVec3::splat(*stiffness)), &arm));
        }
        own
    }
}

/// How a place on a body moves with its unknowns: by `weight * shift + turn * turn`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Arm {
    pub(crate) body: u32,
    pub(crate) weight: f64,
    pub(crate) turn: DMat3,
}

impl Arm {
    /// How far its place moves.
    pub(crate) fn motion(&self, [shift, turn]: Six) -> DVec3 {
        shift * self.weight + self.turn * turn
    }

    /// Forces on the unknowns from a force on its place.
    pub(crate) fn forces(&self, force: DVec3) -> Six {
        [force * self.weight, self.turn.transpose() * force]
    }
}

/// A 6x6 block in double precision.
#[derive(Clone, Copy, Debug)]
struct Wide {
    ss: DMat3,
    st: DMat3,
    ts: DMat3,
    tt: DMat3,
}

impl Wide {
    const ZERO: Self = Self { ss: DMat3::ZERO, st: DMat3::ZERO, ts: DMat3::ZERO, tt: DMat3::ZERO };

    /// What `block` between the places of two arms does between their bodies.
    fn between(a: &Arm, block: &DMat3, b: &Arm) -> Self {
        let (left, right) = (a.turn.transpose() * *block, *block * b.turn);
        Self {
            ss: *block * (a.weight * b.weight),
            st: right * a.weight,
            ts: left * b.weight,
            tt: left * b.turn,
        }
    }

    fn add(&mut self, other: &Self) {
        self.ss += other.ss;
        self.st += other.st;
        self.ts += other.ts;
        self.tt += other.tt;
    }

    fn transpose(&self) -> Self {
        let [ss, st, ts, tt] = [self.ss, self.ts, self.st, self.tt].map(|m| m.transpose());
        Self { ss, st, ts, tt }
    }

    fn times(&self, [shift, turn]: Six) -> Six {
        [self.ss * shift + self.st * turn, self.ts * shift + self.tt * turn]
    }

    fn entry(&self, i: usize, j: usize) -> f64 {
        let block = match (i < 3, j < 3) {
            (true, true) => &self.ss,
            (true, false) => &self.st,
            (false, true) => &self.ts,
            (false, false) => &self.tt,
        };
        block.col(j % 3)[i % 3]
    }

    fn narrow(&self) -> Block6 {
        let [ss, st, ts, tt] = [&self.ss, &self.st, &self.ts, &self.tt].map(Block3::new);
        Block6 { ss, st, ts, tt }
    }
}

/// A pivot below this part of its diagonal entry is rounding: entries are sums in double precision.
const LEAST_PIVOT: f64 = 1e-12;

/// Rigid bodies with what couples them, in double precision.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bodies {
    grips: Vec<Grip>,
    own: Vec<Wide>,
    /// Blocks between two bodies, the lower first, as they were added.
    pairs: Vec<(u32, u32, Wide)>,
    /// All blocks by rows.
    graph: Pattern,
    blocks: Vec<Wide>,
}

/// The matrix of [`Bodies`] in single precision, with its sweeps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Narrow {
    matrix: RigidMatrix,
    force: Vec<Rigid>,
    motion: Vec<Rigid>,
}

impl Bodies {
    /// Starts anew with these bodies, free of everything.
    pub(crate) fn clear(&mut self, grips: impl Iterator<Item = Grip>) {
        self.grips.clear();
        self.grips.extend(grips);
        self.own.clear();
        self.own.resize(self.grips.len(), Wide::ZERO);
        self.pairs.clear();
    }

    /// How the nodes of a body move.
    pub(crate) fn grip(&self, body: usize) -> &Grip {
        &self.grips[body]
    }

    /// Holds a body to its inertial place by the stiffness of each node [N/m].
    pub(crate) fn add_inertia(&mut self, body: usize, inertia: &[f64]) {
        let inertia = self.grips[body].inertia(inertia);
        self.own[body].add(&inertia);
    }

    /// Adds what `block` on the difference of places does within and between the bodies of `arms`.
    pub(crate) fn add(&mut self, arms: &[Arm], block: &DMat3) {
        for (k, a) in arms.iter().enumerate() {
            self.own[a.body as usize].add(&Wide::between(a, block, a));
            for b in &arms[k + 1..] {
                let (a, b) = if a.body < b.body { (a, b) } else { (b, a) };
                let between = Wide::between(a, block, b);
                if a.body == b.body {
                    self.own[a.body as usize].add(&between);
                    self.own[a.body as usize].add(&between.transpose());
                } else {
                    self.pairs.push((a.body, b.body, between));
                }
            }
        }
    }

    /// Makes all that was added ready for products, and `narrow` for sweeps.
    pub(crate) fn close(&mut self, narrow: &mut Narrow) {
        // The sort is stable, so that blocks of one pair are summed in the order in which they came.
        self.pairs.sort_by_key(|(a, b, _)| (*a, *b));
        self.pairs.dedup_by(|later, first| {
            let same = (later.0, later.1) == (first.0, first.1);
            if same {
                first.2.add(&later.2);
            }
            same
        });
        let count = self.grips.len();
        let mut graph = Pattern { start: vec![0; count + 1], columns: Vec::new() };
        for body in 0..count {
            graph.start[body + 1] += 1;
        }
        for (a, b, _) in &self.pairs {
            graph.start[*a as usize + 1] += 1;
            graph.start[*b as usize + 1] += 1;
        }
        for body in 0..count {
            graph.start[body + 1] += graph.start[body];
        }
        let size = graph.start[count] as usize;
        graph.columns.resize(size, 0);
        self.blocks.clear();
        self.blocks.resize(size, Wide::ZERO);
        let mut next = graph.start[..count].to_vec();
        let Self { pairs, blocks, own, .. } = &mut *self;
        let mut put = |row: usize, column: usize, block: Wide| {
            let slot = next[row] as usize;
            next[row] += 1;
            graph.columns[slot] = column as u32;
            blocks[slot] = block;
        };
        // Pairs come by their lower body: all entries left of a diagonal are in place before it.
        let mut left = pairs.iter().peekable();
        for body in 0..count {
            put(body, body, own[body]);
            while let Some((a, b, block)) = left.next_if(|pair| pair.0 as usize == body) {
                put(*a as usize, *b as usize, *block);
                put(*b as usize, *a as usize, block.transpose());
            }
        }
        self.graph.clone_from(&graph);
        narrow.matrix.renew(graph);
        let mut row = Vec::new();
        for mut rows in narrow.matrix.rows_mut() {
            for body in rows.range() {
                row.clear();
                row.extend(self.blocks[self.graph.range(body)].iter().map(Wide::narrow));
                rows.set(body, &row, |_| inverted(&self.own[body]));
            }
        }
    }

    /// `y = A x` of unknowns in pairs of shift and turn.
    pub(crate) fn multiply(&self, x: &[DVec3], y: &mut [DVec3]) {
        for body in 0..self.grips.len() {
            let mut sum = [DVec3::ZERO; 2];
            for slot in self.graph.range(body) {
                let other = 2 * self.graph.columns[slot] as usize;
                let [shift, turn] = self.blocks[slot].times([x[other], x[other + 1]]);
                sum = [sum[0] + shift, sum[1] + turn];
            }
            y[2 * body..2 * body + 2].copy_from_slice(&sum);
        }
    }
}

impl Narrow {
    /// `y = A x + more(body)`, and the scalar product of `x` and `y`.
    pub(crate) fn multiply(
        &mut self,
        x: &[Lane4],
        y: &mut [Lane4],
        more: impl Fn(usize) -> Rigid,
    ) -> f64 {
        self.motion.clear();
        self.motion.extend(x.chunks_exact(2).map(|own| Rigid { shift: own[0], turn: own[1] }));
        let mut dot = 0.0;
        for body in 0..self.matrix.len() {
            let mut sum = self.matrix.row(body, &self.motion);
            sum += more(body);
            (y[2 * body], y[2 * body + 1]) = (sum.shift, sum.turn);
            dot += sum.shift.dot(x[2 * body]) + sum.turn.dot(x[2 * body + 1]);
        }
        dot
    }

    /// `z` is one symmetric sweep from zero on `r`; returns their scalar product.
    pub(crate) fn sweep(&mut self, r: &[Lane4], z: &mut [Lane4]) -> f64 {
        let Self { matrix, force, motion } = self;
        force.clear();
        force.extend(r.chunks_exact(2).map(|own| Rigid { shift: own[0], turn: own[1] }));
        motion.resize(force.len(), Rigid::ZERO);
        matrix.sweep_forward(force, motion);
        matrix.sweep_backward(force, motion);
        let mut dot = 0.0;
        for (body, motion) in motion.iter().enumerate() {
            (z[2 * body], z[2 * body + 1]) = (motion.shift, motion.turn);
            dot += motion.shift.dot(r[2 * body]) + motion.turn.dot(r[2 * body + 1]);
        }
        dot
    }
}

fn inverted(block: &Wide) -> Block6 {
    inverse_of_six(LEAST_PIVOT, |i, j| block.entry(i, j))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::random::next_centred as random;

    fn vector(seed: &mut u64) -> DVec3 {
        DVec3::new(random(seed), random(seed), random(seed))
    }

    /// A tetrahedron of equal masses with gyration about x, y, z of these squares.
    fn grip(radii: DVec3) -> Grip {
        let corners = [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]];
        let r = radii * radii;
        let about = DVec3::new(r.y + r.z, r.z + r.x, r.x + r.y);
        Grip {
            center: DVec3::ZERO,
            arms: corners.map(|c| DVec3::from_array(c) * radii),
            turns: DMat3::from_diagonal(about.map(|g| 1.0 / g.sqrt())),
        }
    }

    #[test]
    fn a_body_weighs_the_same_along_all_six() {
        let mut bodies = Bodies::default();
        bodies.clear(std::iter::once(grip(DVec3::new(0.001, 0.2, 3.0))));
        bodies.add_inertia(0, &[2.0; 4]);
        for i in 0..6 {
            for j in 0..6 {
                let expected = if i == j { 8.0 } else { 0.0 };
                let found = bodies.own[0].entry(i, j);
                assert!((found - expected).abs() < 1e-12, "({i}, {j}): {found}");
            }
        }
    }

    /// Sums over nodes against blocks between bodies, for chains in which some pairs share several terms.
    #[test]
    fn products_and_sweeps_see_all_terms() {
        let mut seed = 3;
        let count = 5;
        let mut bodies = Bodies::default();
        let grips = (0..count).map(|_| grip(DVec3::splat(0.6) + vector(&mut seed)));
        bodies.clear(grips.collect::<Vec<_>>().into_iter());
        let mut terms = Vec::new();
        for (a, b) in [(3, 4), (0, 2), (2, 0), (1, 2), (4, 3), (0, 4)] {
            let end = |body: usize, sign: f64, seed: &mut u64| {
                let weights: [f64; 4] = std::array::from_fn(|_| sign * random(seed));
                (body, weights)
            };
            let ends = [end(a, 1.0, &mut seed), end(b, -1.0, &mut seed)];
            let n = vector(&mut seed);
            let block = DMat3::from_cols(n * n.x, n * n.y, n * n.z) * 40.0;
            let arms = ends.map(|(body, w)| bodies.grip(body).arm(body, w.into_iter().enumerate()));
            bodies.add(&arms, &block);
            terms.push((ends, block));
        }
        for body in 0..count {
            bodies.add_inertia(body, &[1.0; 4]);
        }
        let mut narrow = Narrow::default();
        bodies.close(&mut narrow);
        let x: Vec<DVec3> = (0..2 * count).map(|_| vector(&mut seed)).collect();
        let nodes: Vec<[DVec3; 4]> =
            (0..count).map(|b| bodies.grip(b).expand([x[2 * b], x[2 * b + 1]])).collect();
        let mut forces: Vec<[DVec3; 4]> = nodes.clone();
        for (ends, block) in &terms {
            let places = ends.iter().flat_map(|(b, w)| (0..4).map(|k| nodes[*b][k] * w[k]));
            let pull = *block * places.sum::<DVec3>();
            for (b, w) in ends {
                for k in 0..4 {
                    forces[*b][k] += pull * w[k];
                }
            }
        }
        let mut y = vec![DVec3::ZERO; 2 * count];
        bodies.multiply(&x, &mut y);
        for b in 0..count {
            let expected = bodies.grip(b).reduce(&forces[b]);
            for k in 0..2 {
                assert!(y[2 * b + k].distance(expected[k]) < 1e-12, "body {b}");
            }
        }
        let lanes: Vec<Lane4> = x.iter().map(|x| Lane4::new(*x)).collect();
        let mut z = lanes.clone();
        let dot = narrow.multiply(&lanes, &mut z, |_| Rigid::ZERO);
        let exact: f64 = x.iter().zip(&y).map(|(x, y)| x.dot(*y)).sum();
        assert!((dot - exact).abs() < 1e-4 * exact, "{dot} instead of {exact}");
        assert!(narrow.sweep(&lanes, &mut z) > 0.0);
    }
}
