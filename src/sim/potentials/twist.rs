//! Twist of a rope. A round rod that has no inertia about its own axis is twisted evenly all along, at every
//! moment (Bergou et al. 2008, section 5.1): between two places that are held, L apart along it, it has
//! `E = GJ m^2 / (2 L)` where m is the angle from the frame of one end, carried along the rope without a turn
//! about it, to the frame of the other.
//!
//! The slope of m by the nodes is that of the holonomy (their equation 9, of the other sign): of a bend with the
//! curvature binormal kb it is `-kb / (2 |e|)` at the node before and `kb / (2 |e|)` at the node behind.

use glam::DVec3;

/// A piece of rope that resists twist.
#[derive(Clone, Debug)]
pub(crate) struct Strand {
    /// Index of its body.
    pub(crate) body: usize,
    /// Its nodes in their order.
    pub(crate) nodes: Vec<u32>,
    /// How far along the rope at rest each node is [m].
    pub(crate) along: Vec<f64>,
    /// GJ [N m2].
    pub(crate) stiffness: f64,
    /// What may hold its vertices: places among `nodes` and numbers among the model's holds or ties, sorted.
    pub(crate) holders: Vec<(u32, Holder)>,
}

/// What holds a vertex of a rope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Holder {
    /// Index into `Model::holds`.
    Hold(usize),
    /// Index into `Model::ties`.
    Tie(usize),
}

/// Least of `1 + s . t` of two directions: a rope folded back onto itself turns no faster.
const FOLDED: f64 = 1e-3;

/// `d`, which is across the unit direction `s`, brought to the unit direction `t` by the shortest turn.
pub(crate) fn carried(d: DVec3, s: DVec3, t: DVec3) -> DVec3 {
    let moved = d - (s + t) * (d.dot(t) / (1.0 + s.dot(t)).max(FOLDED));
    // What rounding and folds leave along it is taken off.
    (moved - t * t.dot(moved)).normalize_or(t.any_orthonormal_vector())
}

/// The angle about `t` from `a` to `b`, both across it, within half a turn [rad].
pub(crate) fn angle_about(t: DVec3, a: DVec3, b: DVec3) -> f64 {
    libm::atan2(t.dot(a.cross(b)), a.dot(b))
}

impl Strand {
    /// A strand of a body through `nodes` with segments of `lengths` at rest [m].
    pub(crate) fn new(
        body: usize,
        nodes: Vec<u32>,
        lengths: impl Iterator<Item = f64>,
        stiffness: f64,
    ) -> Self {
        let mut along = vec![0.0];
        along.extend(lengths.scan(0.0, |sum, length| {
            *sum += length;
            Some(*sum)
        }));
        Self { body, nodes, along, stiffness, holders: Vec::new() }
    }

    /// Number of its segments.
    pub(crate) fn segments(&self) -> usize {
        self.nodes.len() - 1
    }

    /// Unit direction of segment `e`.
    pub(crate) fn direction(&self, x: &[DVec3], e: usize) -> DVec3 {
        let [a, b] = [self.nodes[e], self.nodes[e + 1]].map(|i| x[i as usize]);
        (b - a).normalize_or(DVec3::Y)
    }

    /// `d` of segment `from`, carried along the rope to segment `to` behind it.
    pub(crate) fn carry(&self, x: &[DVec3], mut d: DVec3, from: usize, to: usize) -> DVec3 {
        let mut s = self.direction(x, from);
        for e in from + 1..=to {
            let t = self.direction(x, e);
            d = carried(d, s, t);
            s = t;
        }
        d
    }

    /// Angle from the director of the first segment of `ends` to that of the second, within half a turn [rad].
    pub(crate) fn angle(&self, x: &[DVec3], ends: [usize; 2], directors: [DVec3; 2]) -> f64 {
        let there = self.carry(x, directors[0], ends[0], ends[1]);
        angle_about(self.direction(x, ends[1]), there, directors[1])
    }

    /// Calls `each` with the nodes between two segments and the slope of the angle by their places [1/m].
    /// The directors go with their segments without a turn about them.
    pub(crate) fn slopes(
        &self,
        x: &[DVec3],
        [from, to]: [usize; 2],
        mut each: impl FnMut(u32, DVec3),
    ) {
        for e in from + 1..=to {
            let [a, b, c] = [e - 1, e, e + 1].map(|k| self.nodes[k]);
            let [p, q, r] = [a, b, c].map(|i| x[i as usize]);
            let lengths = [p.distance(q), q.distance(r)].map(|l| l.max(f64::MIN_POSITIVE));
            let (s, t) = ((q - p) / lengths[0], (r - q) / lengths[1]);
            let kb = s.cross(t) * (2.0 / (1.0 + s.dot(t)).max(FOLDED));
            let (before, after) = (kb * (-0.5 / lengths[0]), kb * (0.5 / lengths[1]));
            each(a, before);
            each(b, -before - after);
            each(c, after);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::rotation;

    /// A bent strand and directors of its first and last segments.
    fn coil() -> (Strand, Vec<DVec3>, [DVec3; 2]) {
        let place = |k: u32| {
            let a = 0.7 * f64::from(k);
            DVec3::new(libm::cos(a), 0.3 * f64::from(k), libm::sin(a) + 0.1 * a * a)
        };
        let x: Vec<DVec3> = (0..8).map(place).collect();
        let lengths = x.windows(2).map(|w| w[0].distance(w[1]));
        let strand = Strand::new(0, (0..8).collect(), lengths, 1.0);
        let across = |e: usize| strand.direction(&x, e).any_orthonormal_vector();
        let directors = [across(0), across(6)];
        (strand, x, directors)
    }

    /// Directors that go with their segments from `x` to `y`.
    fn follow(strand: &Strand, x: &[DVec3], y: &[DVec3], directors: [DVec3; 2]) -> [DVec3; 2] {
        let to = |e: usize, d: DVec3| carried(d, strand.direction(x, e), strand.direction(y, e));
        [to(0, directors[0]), to(6, directors[1])]
    }

    /// Central differences with a step of 1e-5 are right to 1e-9 of slopes of order one.
    #[test]
    fn slopes_are_those_of_the_angle() {
        let (strand, x, directors) = coil();
        let mut slopes = vec![DVec3::ZERO; x.len()];
        strand.slopes(&x, [0, 6], |i, slope| slopes[i as usize] += slope);
        let angle = |y: &[DVec3]| strand.angle(y, [0, 6], follow(&strand, &x, y, directors));
        for i in 0..x.len() {
            for k in 0..3 {
                let mut y = x.clone();
                y[i][k] += 1e-5;
                let above = angle(&y);
                y[i][k] -= 2e-5;
                let found = (above - angle(&y)) / 2e-5;
                assert!((found - slopes[i][k]).abs() < 1e-8, "{i} {k}: {found} {}", slopes[i][k]);
            }
        }
    }

    /// Turned as a whole with its ends, a rope is twisted as before: the moments of its nodes are those that
    /// its ends take.
    #[test]
    fn ends_and_nodes_keep_momentum() {
        let (strand, x, _) = coil();
        let (mut force, mut moment) = (DVec3::ZERO, DVec3::ZERO);
        strand.slopes(&x, [0, 6], |i, slope| {
            force += slope;
            moment += x[i as usize].cross(slope);
        });
        let ends = strand.direction(&x, 6) - strand.direction(&x, 0);
        assert!(force.length() < 1e-12 && (moment + ends).length() < 1e-12, "{force} {moment}");
    }

    #[test]
    fn a_turned_end_twists_by_its_turn() {
        let (strand, x, directors) = coil();
        let before = strand.angle(&x, [0, 6], directors);
        let turn = rotation::from_axis_angle(strand.direction(&x, 6), 0.4);
        let after = strand.angle(&x, [0, 6], [directors[0], turn * directors[1]]);
        let by = (after - before).rem_euclid(std::f64::consts::TAU);
        assert!((by - 0.4).abs() < 1e-12, "{by}");
    }
}
