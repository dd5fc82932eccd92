//! From scene-linear light to a display: the AgX view transform.
//!
//! AgX is Troy Sobotka's; the matrices and the polynomial for its contrast curve are Benjamin
//! Wrensch's "Minimal AgX Implementation" (iolite-engine.com, 2023, MIT licence). A light touch of
//! contrast and saturation follows (an ASC CDL "look"), as the base transform is meant to be graded.

use glam::{Mat3, Vec3};

/// Exponents of two that the curve covers below and above 1.
const EV: (f32, f32) = (-12.473_93, 4.026069);
/// Contrast of the look (exponent on the encoded value).
const CONTRAST: f32 = 1.3;
/// Saturation of the look.
const SATURATION: f32 = 1.14;
/// Factor on scene-linear light before the transform: 1 comes out as a bright white.
const EXPOSURE: f32 = 1.25;
/// Gain of the look: whites are white.
const GAIN: f32 = 1.11;

const INSET: Mat3 = Mat3::from_cols_array(&[
    0.842_479_05,
    0.042_328_242,
    0.042_375_654,
    0.078_433_6,
    0.878_468_63,
    0.078_433_6,
    0.079_223_745,
    0.079_166_13,
    0.879_143,
]);
const OUTSET: Mat3 = Mat3::from_cols_array(&[
    1.196_879,
    -0.052_896_85,
    -0.052_971_635,
    -0.098_020_88,
    1.151_903_2,
    -0.098_043_45,
    -0.099_029_74,
    -0.098_961_18,
    1.151_073_7,
]);

/// Display value, 0..1 a channel and sRGB-encoded, of a scene-linear colour.
pub fn view_transform(linear: [f32; 3]) -> [f32; 3] {
    let seen = INSET * (Vec3::from_array(linear).max(Vec3::ZERO) * EXPOSURE);
    let curve = seen.to_array().map(|c| {
        let ev = libm::log2f(c.max(1e-10)).clamp(EV.0, EV.1);
        contrast((ev - EV.0) / (EV.1 - EV.0)).clamp(0.0, 1.0)
    });
    let graded = Vec3::from_array(curve.map(|c| libm::powf(c * GAIN, CONTRAST)));
    let grey = Vec3::splat(graded.dot(Vec3::new(0.2126, 0.7152, 0.0722)));
    let saturated = grey + (graded - grey) * SATURATION;
    (OUTSET * saturated).clamp(Vec3::ZERO, Vec3::ONE).to_array()
}

/// Wrensch's sixth-order fit of AgX' default contrast, over 0..1.
fn contrast(x: f32) -> f32 {
    let x2 = x * x;
    let x4 = x2 * x2;
    15.5 * x4 * x2 - 40.14 * x4 * x + 31.96 * x4 - 6.868 * x2 * x + 0.4298 * x2 + 0.1191 * x
        - 0.00232
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brighter_light_is_never_darker_and_grey_stays_grey() {
        let mut last = -1.0;
        for i in 0..400 {
            let light = libm::powf(2.0, -10.0 + i as f32 * 0.035);
            let [r, g, b] = view_transform([light; 3]);
            assert!(g >= last - 1e-4, "darker at {light}");
            assert!((r - g).abs() < 0.004 && (b - g).abs() < 0.004, "grey is tinted at {light}");
            last = g;
        }
        assert!(view_transform([0.0; 3])[0] < 0.01);
        assert!(view_transform([100.0; 3])[0] > 0.95);
    }

    #[test]
    fn negative_and_huge_light_stays_in_range() {
        for c in [[-1.0, 0.5, 1e30], [f32::INFINITY, 0.0, 0.0], [f32::NAN, 0.0, 0.0]] {
            assert!(view_transform(c).iter().all(|v| (0.0..=1.0).contains(v)), "{c:?}");
        }
    }
}
