//! How much nearer to each other nodes around a corner may have come since they were last looked at, and may come on the
//! ways of their boxes, seen from what turns with them: what turns as one comes no nearer.

use super::finder::Near;
use glam::{DMat3, DVec3};

/// See the module.
pub(super) struct Approach {
    /// How the nodes have turned, and how they turn.
    turned: DMat3,
    turns: DMat3,
    /// Part by which what turns may be nearer on the way than first and last.
    cut: f64,
    /// Farthest that a node has gone and goes, and that one lies from the corner [m].
    came: f64,
    comes: f64,
    radius: f64,
    motion: f64,
}

impl Approach {
    /// Of nodes around `corner` that were at `before` and turn with the three of `frame`.
    pub(super) fn new(near: &Near<'_>, before: &[DVec3], corner: u32, own: [u32; 3]) -> Self {
        let x = near.positions;
        let now = frame(own.map(|i| x[i as usize]));
        let then = frame(own.map(|i| before[i as usize]));
        let turn = |to: Option<DMat3>, from: Option<DMat3>| match (to, from) {
            (Some(to), Some(from)) => to * from.transpose(),
            _ => DMat3::IDENTITY,
        };
        let turns = match near.way {
            Some(way) => turn(frame(own.map(|i| x[i as usize] + way[i as usize])), now),
            None => DMat3::IDENTITY,
        };
        // A vector that goes straight to where a turn by the angle `a` brings it is cos(a / 2) of its length at least.
        let trace = turns.x_axis.x + turns.y_axis.y + turns.z_axis.z;
        let cut = 1.0 - ((trace + 1.0) / 4.0).clamp(0.0, 1.0).sqrt();
        let motion = near.motion[corner as usize];
        Self { turned: turn(now, then), turns, cut, came: 0.0, comes: 0.0, radius: 0.0, motion }
    }

    /// Looks at the nodes of a ring around the corner.
    #[inline]
    pub(super) fn see(&mut self, near: &Near<'_>, before: &[DVec3], corner: u32, ring: &[u32]) {
        let x = near.positions;
        let (p, q) = (x[corner as usize], before[corner as usize]);
        let own = near.way.map_or(DVec3::ZERO, |way| way[corner as usize]);
        let (mut came, mut comes, mut radius) = (0.0f64, 0.0f64, 0.0f64);
        for i in ring.iter().map(|i| *i as usize) {
            let arm = x[i] - p;
            let gone = (arm - self.turned * (before[i] - q)).length_squared();
            came = if gone > came || gone.is_nan() { gone } else { came };
            if let Some(way) = near.way {
                let goes = (arm + (way[i] - own) - self.turns * arm).length_squared();
                comes = if goes > comes || goes.is_nan() { goes } else { comes };
                radius = radius.max(arm.length_squared());
            }
            self.motion = self.motion.max(near.motion[i]);
        }
        let larger = |a: f64, b: f64| if a > b || a.is_nan() { a } else { b };
        self.came = larger(came.sqrt(), self.came);
        self.comes = larger(comes.sqrt(), self.comes);
        self.radius = self.radius.max(radius.sqrt());
    }

    /// How much nearer any two may have come [m].
    pub(super) fn came(&self) -> f64 {
        2.0 * self.came
    }

    /// How much nearer any two may come [m].
    pub(super) fn comes(&self) -> f64 {
        2.0 * (self.motion + self.comes + self.cut * self.radius)
    }
}

/// Sine of the least angle at which three places have axes: below it rounding would turn them.
const LEAST_SINE: f64 = 1e-3;

/// Axes of three places; none where they lie in a line.
#[inline]
fn frame([a, b, c]: [DVec3; 3]) -> Option<DMat3> {
    let along = (b - a).try_normalize()?;
    let across = along.cross((c - a).try_normalize()?);
    let across = (across.length_squared() > LEAST_SINE * LEAST_SINE).then(|| across.normalize())?;
    Some(DMat3::from_cols(along, across.cross(along), across))
}

/// The corner and two nodes of `ring` that span much with it.
pub(super) fn spread_out(rest: &[DVec3], corner: u32, ring: &[u32]) -> [u32; 3] {
    let arm = |i: u32| rest[i as usize] - rest[corner as usize];
    let most = |value: &dyn Fn(u32) -> f64, but: u32| {
        let mut best = None;
        for &i in ring.iter().filter(|i| **i != but) {
            if best.is_none_or(|best| value(i) > value(best)) {
                best = Some(i);
            }
        }
        best.unwrap_or(corner)
    };
    let first = most(&|i| arm(i).length_squared(), corner);
    [corner, first, most(&|i| arm(first).cross(arm(i)).length_squared(), first)]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Also of places that lie in a line but for rounding.
    #[test]
    fn axes_are_upright_or_none() {
        let mut seed: u64 = 3;
        let mut random = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) as f64 / (1u64 << 31) as f64 - 0.5
        };
        let mut some = 0;
        for round in 0..3000 {
            let [a, arm, off] = [(); 3].map(|()| DVec3::new(random(), random(), random()));
            let off = off * [1.0, 1e-2, 1e-8, 1e-14, 0.0][round % 5];
            let Some(axes) = frame([a, a + arm, a - arm * random() + off]) else { continue };
            some += 1;
            let rest = axes * axes.transpose() - DMat3::IDENTITY;
            assert!(rest.to_cols_array().iter().all(|v| v.abs() < 1e-11), "{round}: {rest}");
        }
        assert!(some > 1000, "axes of {some}");
    }

    #[test]
    fn a_corner_of_a_line_has_three_nodes() {
        let rest: Vec<DVec3> = (0..3).map(|i| DVec3::X * f64::from(i)).collect();
        assert_eq!(spread_out(&rest, 1, &[0, 2]), [1, 0, 2]);
        assert_eq!(spread_out(&rest, 0, &[1]), [0, 1, 0]);
    }
}
