//! Takes the noise out of few samples: an edge-avoiding à-trous filter (Dammertz et al. 2010) on
//! light without surface colour, steered by normal, distance and the measured noise (the spatial
//! half of Schied et al. 2017, "SVGF"). Where the noise is small it does nothing.

use super::directions::luminance;
use glam::Vec3A;
use rayon::prelude::*;

/// Passes; the widest tap of pass k is 2^(k+1) pixels away.
const PASSES: usize = 4;
/// How many standard deviations of noise are taken for equal light.
const NOISE: f32 = 2.6;
/// Sharpness of the normal's weight.
const NORMAL: i32 = 64;
/// The B3 spline's taps.
const TAPS: [f32; 5] = [1.0 / 16.0, 1.0 / 4.0, 3.0 / 8.0, 1.0 / 4.0, 1.0 / 16.0];

/// What is known of a pixel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Features {
    /// Light without the first surface's colour.
    pub(super) light: Vec3A,
    /// Variance of its luminance (of the mean, not of one path).
    pub(super) variance: f32,
    pub(super) albedo: Vec3A,
    pub(super) normal: Vec3A,
    /// Distance of the first surface; 0 for the backdrop.
    pub(super) distance: f32,
}

/// The light of each pixel, with less noise.
pub(super) fn denoise(pixels: &[Features], width: usize, height: usize) -> Vec<Vec3A> {
    let mut now: Vec<(Vec3A, f32)> = pixels.iter().map(|p| (p.light, p.variance)).collect();
    // How much distance changes from pixel to pixel, so that slopes are not taken for edges.
    let slopes: Vec<f32> = (0..pixels.len()).map(|i| slope(pixels, i, width, height)).collect();
    for pass in 0..PASSES {
        let step = 1 << pass;
        let before = now;
        now = (0..pixels.len())
            .into_par_iter()
            .map(|i| filter(pixels, &slopes, &before, i, step, width, height))
            .collect();
    }
    now.into_iter().map(|(light, _)| light).collect()
}

fn slope(pixels: &[Features], i: usize, width: usize, height: usize) -> f32 {
    let (x, y) = (i % width, i / width);
    let d = |x: usize, y: usize| pixels[y * width + x].distance;
    let here = pixels[i].distance;
    // The smaller difference of each pair: the other one may be across an edge.
    let least = |a: f32, b: f32| (a - here).abs().min((b - here).abs());
    let across = least(d(x.saturating_sub(1), y), d((x + 1).min(width - 1), y));
    let down = least(d(x, y.saturating_sub(1)), d(x, (y + 1).min(height - 1)));
    across.max(down)
}

fn filter(
    pixels: &[Features],
    slopes: &[f32],
    before: &[(Vec3A, f32)],
    i: usize,
    step: i64,
    width: usize,
    height: usize,
) -> (Vec3A, f32) {
    let here = &pixels[i];
    let (x, y) = ((i % width) as i64, (i / width) as i64);
    let inside = |x: i64, y: i64| x >= 0 && y >= 0 && x < width as i64 && y < height as i64;
    // The variance itself is noisy: look at it over 3 x 3 pixels.
    let (mut variance, mut total) = (0.0, 0.0);
    for (dx, dy) in (0..9).map(|k| (k % 3 - 1, k / 3 - 1)) {
        if inside(x + dx, y + dy) {
            let w = [1.0, 0.5, 0.25][(dx.abs() + dy.abs()) as usize];
            variance += before[((y + dy) * width as i64 + x + dx) as usize].1 * w;
            total += w;
        }
    }
    let noise = NOISE * (variance / total).sqrt() + 1e-4;
    let brightness = luminance(before[i].0);
    let (mut light, mut spread, mut sum) = (Vec3A::ZERO, 0.0, 0.0);
    for (k, l) in (0..25).map(|n| (n % 5, n / 5)) {
        let (dx, dy) = ((k as i64 - 2) * step, (l as i64 - 2) * step);
        if !inside(x + dx, y + dy) {
            continue;
        }
        let j = ((y + dy) * width as i64 + x + dx) as usize;
        let there = &pixels[j];
        // Pixels half on the backdrop belong to neither side.
        if (here.distance == 0.0) != (there.distance == 0.0) {
            continue;
        }
        let mut w = TAPS[k] * TAPS[l];
        if j != i {
            let pixels_away = (dx * dx + dy * dy) as f32;
            let slack = slopes[i] * pixels_away.sqrt() * 1.5 + here.distance * 2e-3 + 1e-6;
            let far = (here.distance - there.distance).abs() / slack;
            let unlike = (brightness - luminance(before[j].0)).abs() / noise;
            let dye = (here.albedo - there.albedo).length_squared() * 40.0;
            let turned = here.normal.dot(there.normal);
            let lengths = here.normal.length_squared() * there.normal.length_squared();
            // Squared cosine to half the power, without a square root.
            let facing =
                if lengths > 0.0 && turned > 0.0 { turned * turned / lengths } else { 0.0 };
            let facing = if here.distance == 0.0 { 1.0 } else { facing.powi(NORMAL / 2) };
            w *= facing * libm::expf(-(far + unlike + dye));
        }
        light += before[j].0 * w;
        spread += before[j].1 * w * w;
        sum += w;
    }
    (light / sum, spread / (sum * sum))
}
