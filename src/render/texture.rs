//! Pictures on surfaces: colours and normals over texture coordinates, repeated in both directions.

use crate::scene::PictureFormat;
use glam::{DVec3, Vec2, Vec3A};
use std::sync::Arc;

/// Rows and columns of texels, the top row first.
#[derive(Clone, Debug)]
struct Texels<T> {
    width: usize,
    height: usize,
    rows: Arc<[[T; 3]]>,
}

/// Four texels and their weights.
type Corners<T> = [([T; 3], f32); 4];

impl<T: Copy> Texels<T> {
    /// The four texels around a place, whose `v` counts upwards from the picture's lower edge.
    fn around(&self, uv: Vec2) -> Corners<T> {
        let (w, h) = (self.width as f32, self.height as f32);
        // A texel's value holds in its middle.
        let x = (uv.x - uv.x.floor()) * w - 0.5;
        let y = (1.0 - (uv.y - uv.y.floor())) * h - 0.5;
        let (left, top) = (x.floor(), y.floor());
        let (p, q) = (x - left, y - top);
        let column = |i: f32| (i as i64).rem_euclid(self.width as i64) as usize;
        let row = |i: f32| (i as i64).rem_euclid(self.height as i64) as usize * self.width;
        let (x0, x1, y0, y1) = (column(left), column(left + 1.0), row(top), row(top + 1.0));
        [
            (self.rows[y0 + x0], (1.0 - p) * (1.0 - q)),
            (self.rows[y0 + x1], p * (1.0 - q)),
            (self.rows[y1 + x0], (1.0 - p) * q),
            (self.rows[y1 + x1], p * q),
        ]
    }
}

/// A picture of colours.
#[derive(Clone, Debug)]
pub(super) struct ColorPicture {
    /// sRGB values.
    texels: Texels<u16>,
    /// The linear value of each sRGB value.
    linear: Arc<[f32]>,
}

impl ColorPicture {
    pub(super) fn decode(bytes: &[u8]) -> Result<Self, String> {
        let picture = PictureFormat::decode(bytes)?.into_rgb16();
        let (width, height) = (picture.width() as usize, picture.height() as usize);
        let linear = (0..=u16::MAX)
            .map(|c| {
                let c = f32::from(c) / 65535.0;
                if c <= 0.04045 { c / 12.92 } else { libm::powf((c + 0.055) / 1.055, 2.4) }
            })
            .collect();
        let rows = picture.pixels().map(|p| p.0).collect();
        Ok(Self { texels: Texels { width, height, rows }, linear })
    }

    /// The linear colour at `uv`.
    pub(super) fn at(&self, uv: Vec2) -> Vec3A {
        let corners = self.texels.around(uv).into_iter();
        corners.map(|(texel, weight)| self.linear(texel) * weight).sum()
    }

    /// The mean of the linear colours.
    pub(super) fn mean(&self) -> Vec3A {
        let texels = &self.texels.rows;
        let sum: DVec3 = texels.iter().map(|texel| self.linear(*texel).as_dvec3()).sum();
        (sum / texels.len().max(1) as f64).as_vec3a()
    }

    fn linear(&self, texel: [u16; 3]) -> Vec3A {
        Vec3A::from_array(texel.map(|c| self.linear[c as usize]))
    }
}

/// A picture of normals in the space of tangents: x along u, y along v, z off the surface.
#[derive(Clone, Debug)]
pub(super) struct NormalPicture {
    /// Values from -1 to 1 as parts of 32767.
    texels: Texels<i16>,
}

impl NormalPicture {
    pub(super) fn decode(bytes: &[u8]) -> Result<Self, String> {
        let decoded = PictureFormat::decode(bytes)?;
        let is_deep = decoded.color().bytes_per_pixel() / decoded.color().channel_count() > 1;
        let picture = decoded.into_rgb16();
        let (width, height) = (picture.width() as usize, picture.height() as usize);
        // 0 lies halfway between two steps of 8 (16) bits: both of them stand for it.
        let half = if is_deep { 0.5 } else { 0.5 * 257.0 };
        let signed = |c: u16| {
            let x = f32::from(c) - 32767.5;
            if x.abs() <= half { 0 } else { (x * (32767.0 / 32767.5)).round() as i16 }
        };
        let rows = picture.pixels().map(|p| p.0.map(signed)).collect();
        Ok(Self { texels: Texels { width, height, rows } })
    }

    /// The normal at `uv`, not of unit length; none where it is that of the surface itself.
    pub(super) fn at(&self, uv: Vec2) -> Option<Vec3A> {
        let value = |texel: [i16; 3]| Vec3A::from_array(texel.map(f32::from));
        let around = self.texels.around(uv).into_iter();
        let normal: Vec3A = around.map(|(texel, weight)| value(texel) * weight).sum();
        (normal.x != 0.0 || normal.y != 0.0).then_some(normal / 32767.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{DynamicImage, ImageFormat, Rgb, RgbImage};
    use std::io::Cursor;

    fn png(pixels: &[[u8; 3]], width: u32) -> Vec<u8> {
        let mut picture = RgbImage::new(width, pixels.len() as u32 / width);
        for (to, from) in picture.pixels_mut().zip(pixels) {
            *to = Rgb(*from);
        }
        let mut bytes = Cursor::new(Vec::new());
        DynamicImage::ImageRgb8(picture).write_to(&mut bytes, ImageFormat::Png).unwrap();
        bytes.into_inner()
    }

    #[test]
    fn texels_hold_in_their_middles_and_repeat() {
        let bytes = png(&[[255, 0, 0], [0, 255, 0], [0, 0, 255], [188, 188, 188]], 2);
        let picture = ColorPicture::decode(&bytes).unwrap();
        let at = |u: f32, v: f32| picture.at(Vec2::new(u, v));
        assert!(at(0.25, 0.75).abs_diff_eq(Vec3A::X, 1e-6), "the upper left texel");
        assert!(at(0.75, 0.75).abs_diff_eq(Vec3A::Y, 1e-6));
        assert!(at(-0.75, 3.25).abs_diff_eq(Vec3A::Z, 1e-6), "repeated");
        // sRGB 188 is half the light: 0.5029.
        assert!(at(0.75, 0.25).abs_diff_eq(Vec3A::splat(0.5029), 1e-3));
        // Mixed as light, not as sRGB.
        assert!(at(0.5, 0.75).abs_diff_eq(Vec3A::new(0.5, 0.5, 0.0), 1e-6));
        assert!(at(0.0, 0.75).abs_diff_eq(Vec3A::new(0.5, 0.5, 0.0), 1e-6), "across the edge");
    }

    #[test]
    fn both_middle_values_mean_flat() {
        for flat in [127, 128] {
            let picture = NormalPicture::decode(&png(&[[flat, flat, 255]], 1)).unwrap();
            assert_eq!(picture.at(Vec2::new(0.3, 0.9)), None);
        }
        let picture = NormalPicture::decode(&png(&[[255, 128, 128]], 1)).unwrap();
        assert!(picture.at(Vec2::ZERO).unwrap().abs_diff_eq(Vec3A::X, 1e-6));
    }

    #[test]
    fn what_is_no_picture_is_told() {
        assert!(ColorPicture::decode(b"GIF89a").unwrap_err().contains("no PNG or JPEG"));
        let bytes = png(&[[1, 2, 3]; 64], 8);
        assert!(ColorPicture::decode(&bytes[..bytes.len() / 2]).is_err());
    }
}
