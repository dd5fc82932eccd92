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

/// Axes of three places; none where they lie in a line.
#[inline]
fn frame([a, b, c]: [DVec3; 3]) -> Option<DMat3> {
    let along = (b - a).try_normalize()?;
    let across = along.cross(c - a).try_normalize()?;
    Some(DMat3::from_cols(along, across.cross(along), across))
}

/// The corner and two nodes of `ring` that span much with it.
pub(super) fn spread_out(rest: &[DVec3], corner: u32, ring: &[u32]) -> [u32; 3] {
    let p = rest[corner as usize];
    let most = |value: &dyn Fn(DVec3) -> f64| {
        let of = |i: &u32| value(rest[*i as usize] - p);
        let mut best = corner;
        for i in ring {
            if best == corner || of(i) > of(&best) {
                best = *i;
            }
        }
        best
    };
    let first = most(&|arm| arm.length_squared());
    let along = rest[first as usize] - p;
    [corner, first, most(&|arm| along.cross(arm).length_squared())]
}
