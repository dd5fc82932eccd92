//! Values over time: constants, keyframes with easing, and functions sampled at a fixed rate.

use glam::DVec3;
use serde::{Deserialize, Serialize};

/// What a curve may carry: numbers and vectors.
pub trait CurveValue:
    Copy
    + PartialEq
    + std::ops::Add<Output = Self>
    + std::ops::Sub<Output = Self>
    + std::ops::Mul<f64, Output = Self>
{
    /// The value zero.
    const ZERO: Self;
    /// Applies `f` to each component of three values (used by the monotone tangents).
    fn zip3(a: Self, b: Self, c: Self, f: impl Fn(f64, f64, f64) -> f64) -> Self;
}

impl CurveValue for f64 {
    const ZERO: Self = 0.0;
    fn zip3(a: Self, b: Self, c: Self, f: impl Fn(f64, f64, f64) -> f64) -> Self {
        f(a, b, c)
    }
}

impl CurveValue for DVec3 {
    const ZERO: Self = DVec3::ZERO;
    fn zip3(a: Self, b: Self, c: Self, f: impl Fn(f64, f64, f64) -> f64) -> Self {
        DVec3::new(f(a.x, b.x, c.x), f(a.y, b.y, c.y), f(a.z, b.z, c.z))
    }
}

/// How a span between two keys is travelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "the names are the standard easing names, defined in `Ease::apply`")]
pub enum Ease {
    /// Monotone cubic through the keys (Fritsch and Carlson 1980): never overshoots a key.
    #[default]
    Auto,
    Linear,
    /// Holds the first key until the second is reached.
    Step,
    /// Quintic smoothstep: velocity and acceleration vanish at both ends.
    Smooth,
    SineIn,
    SineOut,
    SineInOut,
    CubicIn,
    CubicOut,
    CubicInOut,
    BounceIn,
    BounceOut,
    BounceInOut,
    ElasticIn,
    ElasticOut,
    ElasticInOut,
    BackIn,
    BackOut,
    BackInOut,
}

impl Ease {
    /// All names as a script writes them.
    pub const NAMES: [&str; 19] = [
        "auto",
        "linear",
        "step",
        "smooth",
        "sine_in",
        "sine_out",
        "sine_in_out",
        "cubic_in",
        "cubic_out",
        "cubic_in_out",
        "bounce_in",
        "bounce_out",
        "bounce_in_out",
        "elastic_in",
        "elastic_out",
        "elastic_in_out",
        "back_in",
        "back_out",
        "back_in_out",
    ];

    /// The ease called `name` in scripts.
    pub fn from_name(name: &str) -> Option<Self> {
        serde_json::from_value(serde_json::Value::String(name.to_owned())).ok()
    }

    /// Fraction of the way travelled at fraction `u` (0..=1) of the span's time (Penner's equations).
    pub fn apply(self, u: f64) -> f64 {
        let (family, side): (fn(f64) -> f64, Side) = match self {
            Self::Auto | Self::Linear => return u,
            Self::Step => return if u < 1.0 { 0.0 } else { 1.0 },
            Self::Smooth => return u * u * u * (u * (u * 6.0 - 15.0) + 10.0),
            Self::SineIn => (sine, Side::In),
            Self::SineOut => (sine, Side::Out),
            Self::SineInOut => (sine, Side::InOut),
            Self::CubicIn => (cubic, Side::In),
            Self::CubicOut => (cubic, Side::Out),
            Self::CubicInOut => (cubic, Side::InOut),
            Self::BounceIn => (bounce, Side::In),
            Self::BounceOut => (bounce, Side::Out),
            Self::BounceInOut => (bounce, Side::InOut),
            Self::ElasticIn => (elastic, Side::In),
            Self::ElasticOut => (elastic, Side::Out),
            Self::ElasticInOut => (elastic, Side::InOut),
            Self::BackIn => (back, Side::In),
            Self::BackOut => (back, Side::Out),
            Self::BackInOut => (back, Side::InOut),
        };
        match side {
            Side::In => family(u),
            Side::Out => 1.0 - family(1.0 - u),
            Side::InOut if u < 0.5 => 0.5 * family(2.0 * u),
            Side::InOut => 1.0 - 0.5 * family(2.0 - 2.0 * u),
        }
    }
}

enum Side {
    In,
    Out,
    InOut,
}

fn sine(u: f64) -> f64 {
    1.0 - libm::cos(u * std::f64::consts::FRAC_PI_2)
}

fn cubic(u: f64) -> f64 {
    u * u * u
}

fn back(u: f64) -> f64 {
    u * u * (2.70158 * u - 1.70158)
}

fn elastic(u: f64) -> f64 {
    if u <= 0.0 || u >= 1.0 {
        return u.clamp(0.0, 1.0);
    }
    -libm::exp2(10.0 * u - 10.0)
        * libm::sin((u * 10.0 - 10.75) * (2.0 * std::f64::consts::PI / 3.0))
}

fn bounce(u: f64) -> f64 {
    let v = 1.0 - u;
    let hop = |offset: f64, floor: f64| {
        let w = v - offset;
        7.5625 * w * w + floor
    };
    1.0 - if v < 1.0 / 2.75 {
        hop(0.0, 0.0)
    } else if v < 2.0 / 2.75 {
        hop(1.5 / 2.75, 0.75)
    } else if v < 2.5 / 2.75 {
        hop(2.25 / 2.75, 0.9375)
    } else {
        hop(2.625 / 2.75, 0.984375)
    }
}

/// A keyframe.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Key<T> {
    /// Time [s].
    pub time: f64,
    /// Value at that time.
    pub value: T,
    /// How the span that ends here is travelled.
    #[serde(default)]
    pub ease: Ease,
}

/// A value over time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Curve<T> {
    /// The same at all times.
    Constant(T),
    /// Keyframes, times strictly increasing, at least one; holds the first and last value outside.
    Keys {
        /// The keys.
        keys: Vec<Key<T>>,
        /// Repeats with the period from first to last key.
        looped: bool,
    },
    /// A function sampled at `rate` samples a second from `start`; linear between, held outside.
    Samples {
        /// Samples a second [1/s].
        rate: f64,
        /// Time of the first sample [s].
        start: f64,
        /// The samples, at least one.
        values: Vec<T>,
    },
}

impl<T: CurveValue> Curve<T> {
    /// The value at time `t` [s]; the first value for a time that is no number.
    pub fn at(&self, t: f64) -> T {
        let t = if t.is_nan() { f64::NEG_INFINITY } else { t };
        match self {
            Self::Constant(value) => *value,
            Self::Keys { keys, looped } => Self::at_keys(keys, *looped, t),
            Self::Samples { rate, start, values } => {
                let x = ((t - start) * rate).clamp(0.0, (values.len() - 1) as f64);
                // A time that is meant to be a sample but is off by rounding reads that sample.
                let x = if (x - x.round()).abs() < 1e-9 { x.round() } else { x };
                let i = x.floor() as usize;
                let u = x - x.floor();
                if u == 0.0 { values[i] } else { values[i] + (values[i + 1] - values[i]) * u }
            }
        }
    }

    /// Whether the value is the same at all times.
    pub fn is_constant(&self) -> bool {
        match self {
            Self::Constant(_) => true,
            Self::Keys { keys, .. } => keys.windows(2).all(|w| w[0].value == w[1].value),
            Self::Samples { values, .. } => values.windows(2).all(|w| w[0] == w[1]),
        }
    }

    fn at_keys(keys: &[Key<T>], looped: bool, t: f64) -> T {
        let (first, last) = (keys[0], keys[keys.len() - 1]);
        let period = last.time - first.time;
        let t = if looped && period > 0.0 {
            let turns = ((t - first.time) / period).floor();
            t - turns * period
        } else {
            t
        };
        if t.is_nan() || t <= first.time {
            return first.value;
        }
        if t >= last.time {
            return last.value;
        }
        let i = keys.partition_point(|k| k.time <= t) - 1;
        let (a, b) = (keys[i], keys[i + 1]);
        let u = (t - a.time) / (b.time - a.time);
        if b.ease != Ease::Auto {
            return a.value + (b.value - a.value) * b.ease.apply(u);
        }
        let dt = b.time - a.time;
        let (ta, tb) = (tangent(keys, i), tangent(keys, i + 1));
        let (u2, u3) = (u * u, u * u * u);
        a.value * (2.0 * u3 - 3.0 * u2 + 1.0)
            + ta * (dt * (u3 - 2.0 * u2 + u))
            + b.value * (3.0 * u2 - 2.0 * u3)
            + tb * (dt * (u3 - u2))
    }
}

/// Slope at key `i`: weighted harmonic mean of the neighbouring slopes, zero where they turn
/// (Fritsch and Butland 1984), zero at the ends.
fn tangent<T: CurveValue>(keys: &[Key<T>], i: usize) -> T {
    if i == 0 || i + 1 == keys.len() {
        return T::ZERO;
    }
    let (before, here, after) = (keys[i - 1], keys[i], keys[i + 1]);
    let (dt0, dt1) = (here.time - before.time, after.time - here.time);
    let slope0 = (here.value - before.value) * (1.0 / dt0);
    let slope1 = (after.value - here.value) * (1.0 / dt1);
    T::zip3(slope0, slope1, T::ZERO, |s0, s1, _| {
        if s0 * s1 <= 0.0 {
            return 0.0;
        }
        let (w0, w1) = (2.0 * dt1 + dt0, dt1 + 2.0 * dt0);
        (w0 + w1) / (w0 / s0 + w1 / s1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ease_name_reads_back() {
        for name in Ease::NAMES {
            assert!(Ease::from_name(name).is_some(), "{name}");
        }
    }

    #[test]
    fn eases_start_at_zero_and_end_at_one() {
        for name in Ease::NAMES {
            let ease = Ease::from_name(name).unwrap();
            assert!(ease.apply(0.0).abs() < 1e-12, "{name} starts at {}", ease.apply(0.0));
            assert!((ease.apply(1.0) - 1.0).abs() < 1e-12, "{name} ends at {}", ease.apply(1.0));
        }
    }

    #[test]
    fn auto_keys_pass_through_keys_and_never_overshoot() {
        let key = |time, value| Key { time, value, ease: Ease::Auto };
        let curve = Curve::Keys {
            keys: vec![key(0.0, 0.0), key(1.0, 1.0), key(2.0, 1.0), key(3.0, 0.5)],
            looped: false,
        };
        for i in 0..=300 {
            let v = curve.at(f64::from(i) * 0.01);
            assert!((0.0..=1.0).contains(&v));
        }
        assert_eq!(curve.at(1.0), 1.0);
        assert_eq!(curve.at(9.0), 0.5);
    }
}
