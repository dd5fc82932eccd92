//! Where a node comes by inertia alone, and which velocity its way amounts to: backward differentiation of
//! second order (BDF2; Curtiss and Hirschfelder 1952, with steps of any length as in Hairer, Norsett and Wanner
//! 1993, section III.5) while nothing touches in a region without stitches and ropes that twist, backward Euler else.
//!
//! With `r = h / h_before`, `s = h (1 + r) / (1 + 2 r)` and `u* = ((1 + r)^2 u - r^2 u_before) / (1 + 2 r)`:
//! `x' = x* + s v'` and `v' = v* + s a'`. Backward Euler is `s = h`, `u* = u`. What a contact stops has no
//! smooth past, and a formula that looks back would throw it off again; and what is left of a heap's or a drape's
//! motion should die away, as friction within cloth has it and BDF2 has not.

use crate::sim::state::State;
use glam::DVec3;

/// Most that a step may be longer than the one before it: the formula is stable up to `1 + sqrt(2)`.
const MOST_GROWTH: f64 = 2.0;

/// What a node's step builds upon.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stride {
    /// `x*` [m].
    pub(super) place: DVec3,
    /// `v*` [m/s].
    pub(super) velocity: DVec3,
    /// `s` [s].
    pub(super) time: f64,
    looks_back: bool,
}

impl Stride {
    /// The step of node `i` of `state`, of `h` seconds.
    pub(super) fn new(state: &State, i: usize, h: f64) -> Self {
        let (now, past) = ([state.positions[i], state.velocities[i]], &state.past);
        match past.steps.get(i) {
            Some(before) => Self::after(now, [past.places[i], past.velocities[i]], *before, h),
            None => Self::after(now, now, 0.0, h),
        }
    }

    /// The step of `h` seconds of what has place and velocity `now` and had those of `past` so many seconds
    /// `before`; 0 seconds where they say nothing.
    fn after(now: [DVec3; 2], past: [DVec3; 2], before: f64, h: f64) -> Self {
        let [place, velocity] = now;
        if h > before * (MOST_GROWTH + 1e-9) {
            return Self { place, velocity, time: h, looks_back: false };
        }
        let r = h / before;
        let (now, then) = ((1.0 + r) * (1.0 + r) / (1.0 + 2.0 * r), r * r / (1.0 + 2.0 * r));
        Self {
            place: place * now - past[0] * then,
            velocity: velocity * now - past[1] * then,
            time: h * (1.0 + r) / (1.0 + 2.0 * r),
            looks_back: true,
        }
    }

    /// The step of node `i` of `state`, of `h` seconds, that does not look back.
    pub(super) fn alone(state: &State, i: usize, h: f64) -> Self {
        let now = [state.positions[i], state.velocities[i]];
        Self::after(now, now, 0.0, h)
    }

    /// Whether it asks for the step before.
    pub(super) fn looks_back(&self) -> bool {
        self.looks_back
    }

    /// Velocity of what has come to `x` [m/s].
    pub(super) fn velocity_at(&self, x: DVec3) -> DVec3 {
        (x - self.place) / self.time
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How far `x'' = -w^2 x` from 1 at rest is off after a second of steps of `length(k)` seconds, and what
    /// it has at most been.
    fn swung(w: f64, length: impl Fn(u32) -> f64) -> (f64, f64) {
        let (mut now, mut past, mut before) = ([DVec3::X, DVec3::ZERO], [DVec3::ZERO; 2], 0.0);
        let (mut t, mut most) = (0.0, 0.0f64);
        for k in 0.. {
            let h = length(k).min(1.0 - t);
            if h < 1e-12 {
                break;
            }
            let stride = Stride::after(now, past, before, h);
            let s = stride.time;
            // x = x* + s v and v = v* - s w^2 x.
            let x = (stride.place + stride.velocity * s) / (1.0 + s * s * w * w);
            (past, before) = (now, h);
            now = [x, stride.velocity_at(x)];
            t += h;
            most = most.max(x.length());
        }
        ((now[0].x - libm::cos(w)).abs(), most)
    }

    #[test]
    fn half_the_step_leaves_a_quarter_of_the_error() {
        let uneven = [1.0, 1.0, 2.0, 2.0, 1.0, 0.5, 0.5, 1.0];
        for lengths in [&[1.0][..], &uneven] {
            let off = |n: f64| swung(3.0, |k| lengths[k as usize % lengths.len()] / n).0;
            let order = (off(200.0) / off(1600.0)).log2() / 3.0;
            assert!((order - 2.0).abs() < 0.05, "{order}");
        }
    }

    /// What is far too stiff for its steps dies away, also where they double and halve.
    #[test]
    fn stiff_motion_never_grows() {
        for w in [10.0, 1e3, 1e6] {
            let uneven = [1.0, 2.0, 2.0, 4.0, 2.0, 1.0, 0.5, 0.5];
            let (off, most) = swung(w, |k| uneven[k as usize % 8] * 0.01);
            assert!(most <= 1.0, "{w}: {most}");
            assert!(w < 1e3 || off < 1.0 + 1e-9 && most < 0.1, "{w}: {off} {most}");
        }
    }

    /// A step that is much longer than the one before does not look back.
    #[test]
    fn looks_back_only_at_steps_of_about_its_length() {
        let looks = |before: f64| Stride::after([DVec3::X; 2], [DVec3::ZERO; 2], before, 1.0);
        assert!(!looks(0.0).looks_back() && !looks(0.4).looks_back());
        assert!(looks(0.5).looks_back() && looks(2.0).looks_back());
        assert_eq!((looks(0.4).place, looks(0.4).time), (DVec3::X, 1.0));
        assert!((looks(1.0).time - 2.0 / 3.0).abs() < 1e-15);
    }
}
