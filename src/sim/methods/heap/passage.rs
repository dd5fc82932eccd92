//! Whether solids may go where they want: along the way of a substep a plane must be between them.
//!
//! All corners go straight, in the same time. With the solids apart along `n` before and along `m` after, the plane
//! with the normal `(1 - t) n + t m` parts them at time t if for every corner a of the one and b of the other the
//! quadratic with the coefficients `n . r`, `(n . s + m . r) / 2` and `m . s` stays positive, where r and s are what a and b are
//! apart before and after. It does where none of the three is negative, and the least of each over all corners is found
//! for the two solids one by one.

use super::apart::apart;
use glam::DVec3;

/// A solid on its way: its corners before and after [m].
#[derive(Clone, Copy)]
pub(super) struct Way<'a> {
    pub(super) from: &'a [DVec3],
    pub(super) to: &'a [DVec3],
}

impl<'a> Way<'a> {
    /// The corners halfway [m].
    fn halfway(self) -> Vec<DVec3> {
        self.from.iter().zip(self.to).map(|(from, to)| (*from + *to) * 0.5).collect()
    }

    /// Its halves.
    fn halves(self, half: &'a [DVec3]) -> [Self; 2] {
        [Self { from: self.from, to: half }, Self { from: half, to: self.to }]
    }
}

/// What two solids come to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Passage {
    /// They stay apart; at the end by this much [m].
    Free { apart: f64 },
    /// They come nearer than they may: by how much, along a direction from the second to the first.
    Blocked { by: f64, normal: DVec3 },
}

/// Least value of `of` over the corners of a solid.
fn least(corners: impl Iterator<Item = f64>) -> f64 {
    corners.fold(f64::INFINITY, f64::min)
}

/// How far `a` and `b` are apart along `n` where they are `at`.
fn gap_along(n: DVec3, a: &[DVec3], b: &[DVec3]) -> f64 {
    least(a.iter().map(|p| n.dot(*p))) + least(b.iter().map(|p| -n.dot(*p)))
}

/// Whether a plane that turns from `n` to `m` is between `a` and `b` all the way, which are apart along `n` before and
/// along `m` after.
fn stays_between(n: DVec3, m: DVec3, a: Way<'_>, b: Way<'_>) -> bool {
    let both = |way: Way<'_>, sign: f64| {
        least(way.from.iter().zip(way.to).map(|(from, to)| sign * (n.dot(*to) + m.dot(*from))))
    };
    both(a, 1.0) + both(b, -1.0) >= 0.0
}

/// How often a way is halved where one turning plane does not stay between.
const HALVINGS: u32 = 3;

/// The same with a plane that turns from `n` through others to `m`: those that are between halfway.
fn some_stay_between(n: DVec3, m: DVec3, a: Way<'_>, b: Way<'_>, halvings: u32) -> bool {
    if stays_between(n, m, a, b) {
        return true;
    }
    if halvings == 0 {
        return false;
    }
    let (a_half, b_half) = (a.halfway(), b.halfway());
    let Some(half) = apart(&a_half, &b_half, n + m, f64::INFINITY) else { return false };
    let k = half.normal;
    let ([a1, a2], [b1, b2]) = (a.halves(&a_half), b.halves(&b_half));
    some_stay_between(n, k, a1, b1, halvings - 1) && some_stay_between(k, m, a2, b2, halvings - 1)
}

/// What becomes of `a` and `b`, which are apart along `n` at the start: at the end they must be `least_gap`
/// apart [m], or as far as at the start if that is less. `turned` are guesses at the direction then, and `faces` are
/// directions from `b` to `a` across their faces then.
pub(super) fn passage(
    a: Way<'_>,
    b: Way<'_>,
    n: DVec3,
    least_gap: f64,
    turned: [DVec3; 2],
    faces: impl Iterator<Item = DVec3>,
) -> Passage {
    let enough = least_gap.min(gap_along(n, a.from, b.from));
    let mut best = (f64::NEG_INFINITY, n);
    for m in [n, turned[0], turned[1]] {
        let gap = gap_along(m, a.to, b.to);
        if gap >= enough && stays_between(n, m, a, b) {
            return Passage::Free { apart: gap };
        }
        if gap > best.0 {
            best = (gap, m);
        }
    }
    if let Some(after) = apart(a.to, b.to, best.1, f64::INFINITY) {
        if after.distance >= enough && some_stay_between(n, after.normal, a, b, HALVINGS) {
            return Passage::Free { apart: after.distance };
        }
        if after.distance > best.0 && after.normal.dot(n) > 0.0 {
            best = (after.distance, after.normal);
        }
    }
    // What overlaps is best parted across one of its faces.
    for m in faces.filter(|m| m.dot(n) > 0.0) {
        let gap = gap_along(m, a.to, b.to);
        if gap > best.0 {
            best = (gap, m);
        }
    }
    Passage::Blocked { by: enough - best.0, normal: best.1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{Gap, gap};
    use crate::math::random;
    use crate::math::rotation;
    use std::iter;

    /// Boxes on random ways: those that are let pass are apart wherever one looks, and most of those that are stay apart
    /// are let pass.
    #[test]
    fn what_is_free_is_apart_all_the_way() {
        let mut random = random::centred(11);
        let mut vector = |size: f64| DVec3::new(random(), random(), random()) * size;
        let (mut free, mut stay) = (0, 0);
        for _ in 0..3000 {
            let mut way = || {
                let turn = |by: DVec3| rotation::from_scaled_axis(by);
                let (first, more) = (turn(vector(6.0)), turn(vector(0.4)));
                let (at, off) = (vector(0.7), vector(0.4));
                let corner = |k: u32| {
                    DVec3::new(f64::from(k & 1), f64::from(k >> 1 & 1), f64::from(k >> 2)) - 0.5
                };
                let from = (0..8).map(|k| at + first * (corner(k) * 0.2)).collect::<Vec<_>>();
                let to = (0..8).map(|k| at + off + more * (first * (corner(k) * 0.2)));
                (from, to.collect::<Vec<_>>())
            };
            let ((a, a1), (b, b1)) = (way(), way());
            let Some(before) = apart(&a, &b, DVec3::X, f64::INFINITY) else { continue };
            let (one, other) = (Way { from: &a, to: &a1 }, Way { from: &b, to: &b1 });
            let found = passage(one, other, before.normal, 1e-3, [before.normal; 2], iter::empty());
            let at = |way: Way<'_>, t: f64| -> Vec<DVec3> {
                way.from.iter().zip(way.to).map(|(p, q)| p.lerp(*q, t)).collect()
            };
            let clear = (0..=40).all(|k| {
                let t = f64::from(k) / 40.0;
                matches!(gap(&at(one, t), &at(other, t)), Gap::Apart { .. })
            });
            stay += i32::from(clear);
            if let Passage::Free { apart } = found {
                free += 1;
                assert!(clear, "free by {apart} m");
                let Gap::Apart { distance, .. } = gap(&a1, &b1) else { panic!("they overlap") };
                assert!(apart <= distance + 1e-12);
            }
        }
        assert!(stay > 1000 && 100 * free > 99 * stay, "{free} of {stay}");
    }
}
