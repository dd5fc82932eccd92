//! Light from all around: a plain colour, a picture, or the studio's dome.

use super::directions::luminance;
use glam::{Vec2, Vec3A};
use std::f32::consts::{PI, TAU};
use std::io;

/// Largest picture that is aimed at pixel by pixel; larger ones are averaged down [pixels].
const WIDEST: u32 = 1024;

/// Averages blocks of 2 x 2.
fn halved(texels: &[Vec3A], width: u32, height: u32) -> Vec<Vec3A> {
    let at = |x: u32, y: u32| texels[(y * width + x) as usize];
    let rows = (0..height / 2).flat_map(|y| (0..width / 2).map(move |x| (x * 2, y * 2)));
    rows.map(|(x, y)| (at(x, y) + at(x + 1, y) + at(x, y + 1) + at(x + 1, y + 1)) * 0.25).collect()
}

/// A latitude-longitude picture and how to aim at its bright parts.
#[derive(Clone, Debug)]
pub(super) struct Panorama {
    width: usize,
    height: usize,
    texels: std::sync::Arc<[Vec3A]>,
    /// Running sums of brightness over each row, and over the rows; the last entry is the total.
    rows: std::sync::Arc<[f32]>,
    columns: std::sync::Arc<[f32]>,
}

impl Panorama {
    /// A Radiance HDR file, or an 8-bit picture.
    pub(super) fn decode(bytes: &[u8]) -> Result<Self, String> {
        let reader = image::ImageReader::new(io::Cursor::new(bytes)).with_guessed_format();
        let decoded = reader.map_err(|e| e.to_string())?.decode();
        let picture = decoded.map_err(|e| e.to_string())?;
        let is_hdr = matches!(picture, image::DynamicImage::ImageRgb32F(_));
        let picture = picture.into_rgb32f();
        let (mut width, mut height) = picture.dimensions();
        if width == 0 || height == 0 {
            return Err("the picture is empty".into());
        }
        let linear = |c: f32| {
            let c = if c.is_finite() { c.clamp(0.0, 65504.0) } else { 0.0 };
            if is_hdr || c <= 0.04045 {
                if is_hdr { c } else { c / 12.92 }
            } else {
                libm::powf((c + 0.055) / 1.055, 2.4)
            }
        };
        let mut texels: Vec<Vec3A> =
            picture.pixels().map(|p| Vec3A::from_array(p.0.map(linear))).collect();
        while width > WIDEST && width.is_multiple_of(2) && height.is_multiple_of(2) {
            texels = halved(&texels, width, height);
            (width, height) = (width / 2, height / 2);
        }
        Ok(Self::new(width, height, texels))
    }

    fn new(width: u32, height: u32, texels: Vec<Vec3A>) -> Self {
        let (width, height) = (width as usize, height as usize);
        let mut rows = Vec::with_capacity(width * height);
        let mut columns = Vec::with_capacity(height);
        let mut total = 0.0;
        for y in 0..height {
            let sin = libm::sinf(PI * (y as f32 + 0.5) / height as f32);
            let mut sum = 0.0;
            for x in 0..width {
                sum += luminance(texels[y * width + x]) * sin;
                rows.push(sum);
            }
            total += sum;
            columns.push(total);
        }
        Self { width, height, texels: texels.into(), rows: rows.into(), columns: columns.into() }
    }

    /// The texel of a direction: +Y is the top row, -Z the middle column, +X right of it.
    fn texel(&self, d: Vec3A) -> (usize, usize) {
        let u = libm::atan2f(d.x, -d.z) / TAU + 0.5;
        let v = libm::acosf(d.y.clamp(-1.0, 1.0)) / PI;
        let x = (u * self.width as f32) as usize;
        let y = (v * self.height as f32) as usize;
        (x.min(self.width - 1), y.min(self.height - 1))
    }

    fn radiance(&self, d: Vec3A) -> Vec3A {
        let (x, y) = self.texel(d);
        self.texels[y * self.width + x]
    }

    /// Density [1/sr] of aiming at a direction in texel (`x`, `y`).
    fn density(&self, x: usize, y: usize, sin: f32) -> f32 {
        let total = self.columns[self.height - 1];
        let row = &self.rows[y * self.width..(y + 1) * self.width];
        let value = row[x] - if x > 0 { row[x - 1] } else { 0.0 };
        let texels = (self.width * self.height) as f32;
        value / total * texels / (2.0 * PI * PI * sin.max(1e-6))
    }

    fn aim(&self, u: Vec2) -> Option<(Vec3A, f32)> {
        let total = self.columns[self.height - 1];
        let (y, v) = pick(&self.columns, u.y * total)?;
        let row = &self.rows[y * self.width..(y + 1) * self.width];
        let (x, w) = pick(row, u.x * row[self.width - 1])?;
        let (sin_t, cos_t) = libm::sincosf(PI * (y as f32 + v) / self.height as f32);
        let (sin_p, cos_p) = libm::sincosf(TAU * ((x as f32 + w) / self.width as f32 - 0.5));
        let density = self.density(x, y, sin_t);
        (density > 0.0).then(|| (Vec3A::new(sin_t * sin_p, cos_t, -sin_t * cos_p), density))
    }
}

/// The cell of running sums that holds `x`, and how far along it.
fn pick(sums: &[f32], x: f32) -> Option<(usize, f32)> {
    let i = sums.partition_point(|&s| s <= x).min(sums.len().checked_sub(1)?);
    let before = if i > 0 { sums[i - 1] } else { 0.0 };
    let width = sums[i] - before;
    (width > 0.0).then(|| (i, ((x - before) / width).clamp(0.0, 0.9999)))
}

/// The sky.
#[derive(Clone, Debug)]
pub(super) enum Sky {
    /// The same everywhere.
    Plain(Vec3A),
    /// A picture and the factor on it.
    Picture(Panorama, Vec3A),
    /// The studio's dome, by the direction of its key light.
    Studio(Vec3A),
}

impl Sky {
    /// A script's sky.
    pub(super) fn new(color: Vec3A, picture: Option<Panorama>) -> Self {
        let color = if color.is_finite() { color } else { Vec3A::ZERO };
        match picture {
            Some(picture) if picture.columns[picture.height - 1] > 0.0 => {
                Self::Picture(picture, color)
            }
            _ => Self::Plain(color),
        }
    }

    /// The dome around a key light in direction `key`.
    pub(super) fn studio(key: Vec3A) -> Self {
        Self::Studio(key)
    }

    /// Whether aiming at bright parts beats following the surface's own scattering.
    pub(super) fn is_worth_aiming_at(&self) -> bool {
        matches!(self, Self::Picture(..))
    }

    /// Radiance from direction `d` as surfaces get it.
    pub(super) fn radiance(&self, d: Vec3A) -> Vec3A {
        match self {
            Self::Plain(color) => *color,
            Self::Picture(picture, factor) => picture.radiance(d) * *factor,
            Self::Studio(key) => dome(d, *key),
        }
    }

    /// Radiance from direction `d` as the camera sees it.
    pub(super) fn backdrop(&self, d: Vec3A) -> Vec3A {
        match self {
            Self::Studio(_) => backdrop(d),
            _ => self.radiance(d),
        }
    }

    /// A direction to light, and its density [1/sr].
    pub(super) fn aim(&self, u: Vec2) -> Option<(Vec3A, f32)> {
        match self {
            Self::Picture(picture, _) => picture.aim(u),
            _ => None,
        }
    }

    /// Density [1/sr] with which [`Self::aim`] finds `d`.
    pub(super) fn density(&self, d: Vec3A) -> f32 {
        let Self::Picture(picture, _) = self else { return 0.0 };
        let (x, y) = picture.texel(d);
        picture.density(x, y, libm::hypotf(d.x, d.z))
    }
}

/// The dome: pale above, a broad soft glow around the key, cooler and dimmer opposite to it.
fn dome(d: Vec3A, key: Vec3A) -> Vec3A {
    let up = (d.y * 0.5 + 0.5).clamp(0.0, 1.0);
    let low = Vec3A::new(0.15, 0.145, 0.14);
    let high = Vec3A::new(0.34, 0.38, 0.44);
    let glow = (d.dot(key) * 0.5 + 0.5).clamp(0.0, 1.0);
    let glow = glow * glow * glow;
    low + (high - low) * up + Vec3A::new(0.50, 0.46, 0.41) * glow
}

/// What the camera sees behind everything: a paper roll, a little darker towards the top.
fn backdrop(d: Vec3A) -> Vec3A {
    let rise = ((d.y + 0.05) / 0.6).clamp(0.0, 1.0);
    let low = Vec3A::new(0.80, 0.79, 0.78);
    let high = Vec3A::new(0.50, 0.52, 0.55);
    low + (high - low) * (rise * rise * (3.0 - 2.0 * rise))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_aimed_at_by_its_brightness() {
        let texels =
            (0..32 * 16).map(|i| Vec3A::splat(if i == 5 * 32 + 9 { 100.0 } else { 0.5 })).collect();
        let sky = Sky::new(Vec3A::ONE, Some(Panorama::new(32, 16, texels)));
        // Mean of radiance / density is the integral over the sphere: 4 pi times 0.5, and 99.5 over
        // one texel of (2 pi / 32) (pi / 16) sin.
        let sin = libm::sinf(PI * 5.5 / 16.0);
        let expected = 4.0 * PI * 0.5 + 99.5 * (TAU / 32.0) * (PI / 16.0) * sin;
        let n = 4096;
        let mut sum = 0.0;
        for i in 0..n {
            let u = super::super::sampler::Sampler::new(0, 0, 0, i).next_2d();
            let (d, density) = sky.aim(u).unwrap();
            assert!((sky.density(d) / density - 1.0).abs() < 0.02, "densities disagree at {d}");
            sum += luminance(sky.radiance(d)) / density;
        }
        let mean = sum / n as f32;
        assert!((mean / expected - 1.0).abs() < 0.02, "{mean} instead of {expected}");
    }
}
