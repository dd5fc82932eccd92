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
}

/// How far nodes may have gone, and may go, beside what turns with them; or how much nearer to each other two come so [m].
#[derive(Clone, Copy)]
pub(super) struct Beside {
    pub(super) came: f64,
    pub(super) comes: f64,
}

impl Beside {
    /// How far one of these or of `others` may.
    pub(super) fn or(self, others: Self) -> Self {
        Self { came: larger(self.came, others.came), comes: larger(self.comes, others.comes) }
    }

    /// How much nearer one of these and one of `others` may come.
    pub(super) fn and(self, others: Self) -> Self {
        Self { came: self.came + others.came, comes: self.comes + others.comes }
    }
}

/// What is no number is larger than all.
#[inline]
pub(super) fn larger(a: f64, b: f64) -> f64 {
    if a > b || a.is_nan() { a } else { b }
}

/// What is no number is smaller than all.
#[inline]
pub(super) fn smaller(a: f64, b: f64) -> f64 {
    if a < b || a.is_nan() { a } else { b }
}

impl Approach {
    /// Of nodes around a corner that were at `before` and turn with the four of `own`.
    pub(super) fn new(near: &Near<'_>, before: &[DVec3], own: [u32; 4]) -> Self {
        let x = near.positions;
        let now = axes(own.map(|i| x[i as usize]));
        let then = axes(own.map(|i| before[i as usize]));
        let turn = |to: Option<DMat3>, from: Option<DMat3>| match (to, from) {
            (Some(to), Some(from)) => to * from.transpose(),
            _ => DMat3::IDENTITY,
        };
        let turns = match near.way {
            Some(way) => turn(axes(own.map(|i| x[i as usize] + way[i as usize])), now),
            None => DMat3::IDENTITY,
        };
        // A vector that goes straight to where a turn by the angle `a` brings it is cos(a / 2) of its length at least.
        let trace = turns.x_axis.x + turns.y_axis.y + turns.z_axis.z;
        let cut = 1.0 - ((trace + 1.0) / 4.0).clamp(0.0, 1.0).sqrt();
        Self { turned: turn(now, then), turns, cut }
    }

    /// How far the corner and the nodes of a ring around it may have gone and may go beside the turn about the corner.
    #[inline]
    pub(super) fn of(
        &self,
        near: &Near<'_>,
        before: &[DVec3],
        corner: u32,
        ring: &[u32],
    ) -> Beside {
        let x = near.positions;
        let (p, q) = (x[corner as usize], before[corner as usize]);
        let own = near.way.map_or(DVec3::ZERO, |way| way[corner as usize]);
        let (mut came, mut goes, mut radius) = (0.0, 0.0, 0.0f64);
        let mut motion = near.motion[corner as usize];
        for i in ring.iter().map(|i| *i as usize) {
            let arm = x[i] - p;
            came = larger((arm - self.turned * (before[i] - q)).length_squared(), came);
            if let Some(way) = near.way {
                goes = larger((arm + (way[i] - own) - self.turns * arm).length_squared(), goes);
                radius = radius.max(arm.length_squared());
            }
            motion = larger(near.motion[i], motion);
        }
        Beside { came: came.sqrt(), comes: motion + goes.sqrt() + self.cut * radius.sqrt() }
    }
}

/// Sine of the least angle at which two lines give axes, or a plane: below it rounding would turn them.
pub(super) const LEAST_SINE: f64 = 1e-3;

/// Axes along two lines, from the first place to the second and from the third to the fourth; none where they lie
/// along each other.
#[inline]
fn axes([a, b, c, d]: [DVec3; 4]) -> Option<DMat3> {
    let along = (b - a).try_normalize()?;
    let across = along.cross((d - c).try_normalize()?);
    let across = (across.length_squared() > LEAST_SINE * LEAST_SINE).then(|| across.normalize())?;
    Some(DMat3::from_cols(along, across.cross(along), across))
}

/// Four of the corner and the nodes of `ring`, so that lines from the first to the second and from the third to the fourth
/// go across the corner from side to side as far as they may: such lines turn as the middle does where all bend.
pub(super) fn spread_out(rest: &[DVec3], corner: u32, ring: &[u32]) -> [u32; 4] {
    let arm = |i: u32| rest[i as usize] - rest[corner as usize];
    let most = |value: &dyn Fn(DVec3) -> f64| {
        let mut best = corner;
        for &i in ring {
            if value(arm(i)) > value(arm(best)) {
                best = i;
            }
        }
        best
    };
    let first = most(&|arm| arm.length_squared());
    let from = arm(first);
    let other = most(&|arm| arm.distance_squared(from));
    let along = (arm(other) - from).normalize_or_zero();
    let beside = |arm: DVec3| arm - along * arm.dot(along);
    let side = most(&|arm| beside(arm).length_squared());
    let out = beside(arm(side));
    [first, other, side, most(&|arm| -beside(arm).dot(out))]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::random;

    /// Also of places that lie in a line but for rounding.
    #[test]
    fn axes_are_upright_or_none() {
        let mut random = random::centred(3);
        let mut some = 0;
        for round in 0..3000 {
            let [a, arm, off] = [(); 3].map(|()| DVec3::new(random(), random(), random()));
            let off = off * [1.0, 1e-2, 1e-8, 1e-14, 0.0][round % 5];
            let lines = [a, a + arm, a + off, a - arm * random() + off * 2.0];
            let Some(axes) = axes(lines) else { continue };
            some += 1;
            let rest = axes * axes.transpose() - DMat3::IDENTITY;
            assert!(rest.to_cols_array().iter().all(|v| v.abs() < 1e-11), "{round}: {rest}");
        }
        assert!(some > 1000, "axes of {some}");
    }

    /// Lines across a corner in the middle of a grid, at its border, and on a line.
    #[test]
    fn lines_go_across_a_corner() {
        let place = |i: u32| DVec3::new(f64::from(i % 5), 0.0, f64::from(i / 5));
        let rest: Vec<DVec3> = (0..25).map(place).collect();
        let all: Vec<u32> = (0..25).filter(|i| *i != 12).collect();
        let [a, b, c, d] = spread_out(&rest, 12, &all).map(place);
        assert!(a.midpoint(b) == place(12) && c.midpoint(d) == place(12), "{a} {b} {c} {d}");
        assert!((b - a).dot(d - c) == 0.0 && a.distance(b) > 5.0 && c.distance(d) > 5.0);
        let border = spread_out(&rest, 10, &[5, 6, 11, 15, 16]).map(place);
        assert!(axes(border).is_some(), "{border:?}");
        let line: Vec<DVec3> = (0..3).map(|i| DVec3::X * f64::from(i)).collect();
        for (corner, ring) in [(1, vec![0, 2]), (0, vec![1])] {
            let own = spread_out(&line, corner, &ring);
            assert!(axes(own.map(|i| line[i as usize])).is_none(), "{own:?}");
        }
    }
}
