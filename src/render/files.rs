//! Pictures on disk: PNG for people, EXR for compositing. Files appear whole or not at all.

use super::settings::Picture;
use super::tone::view_transform;
use crate::frames::write_whole;
use exr::prelude::{
    AnyChannel, AnyChannels, Blocks, Compression, Encoding, FlatSamples, ImageAttributes,
    IntegerBounds, Layer, LayerAttributes, LineOrder, Vec2, WritableImage, f16,
};
use image::{ExtendedColorType, ImageEncoder};
use std::io::{self, Cursor};
use std::path::Path;

/// Writes the picture as 8-bit sRGB after the view transform.
pub fn write_png(picture: &Picture, path: &Path) -> io::Result<()> {
    write_whole(path, &encode_png(picture.width, picture.height, &display_pixels(picture))?)
}

/// The picture as 8-bit sRGB, three bytes a pixel, after the view transform. Half a step of ordered
/// noise hides the steps of soft gradients.
pub fn display_pixels(picture: &Picture) -> Vec<u8> {
    let width = picture.width as usize;
    let pixels = picture.color.iter().enumerate();
    pixels
        .flat_map(|(i, c)| {
            let threshold = dither(i % width, i / width);
            view_transform(*c).map(|v| (v * 255.0 + threshold).clamp(0.0, 255.0) as u8)
        })
        .collect()
}

/// Rounding threshold 0..1: interleaved gradient noise (Jimenez 2014).
fn dither(x: usize, y: usize) -> f32 {
    let a = 0.067_110_56 * x as f32 + 0.005_837_15 * y as f32;
    let b = 52.982_918 * (a - a.floor());
    b - b.floor()
}

/// An 8-bit RGB PNG.
pub fn encode_png(width: u32, height: u32, rgb: &[u8]) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let encoder = image::codecs::png::PngEncoder::new_with_quality(
        &mut bytes,
        image::codecs::png::CompressionType::Default,
        image::codecs::png::FilterType::Adaptive,
    );
    encoder.write_image(rgb, width, height, ExtendedColorType::Rgb8).map_err(io::Error::other)?;
    Ok(bytes)
}

/// Writes the picture scene-linear, with its layers, as one part: `R G B A` in half floats,
/// `depth.Z`, `normal.X`, `normal.Y`, `normal.Z` and `object_id.ID` in full ones, ZIP compressed,
/// Rec.709 primaries. The backdrop is part of the picture, so `A` is 1.
pub fn write_exr(picture: &Picture, path: &Path) -> io::Result<()> {
    let size = Vec2(picture.width as usize, picture.height as usize);
    let half = |f: &dyn Fn(&[f32; 3]) -> f32| {
        FlatSamples::F16(picture.color.iter().map(|c| f16::from_f32(f(c).min(65504.0))).collect())
    };
    let mut channels = vec![
        AnyChannel::new("R", half(&|c| c[0])),
        AnyChannel::new("G", half(&|c| c[1])),
        AnyChannel::new("B", half(&|c| c[2])),
        AnyChannel::new("A", FlatSamples::F16(vec![f16::ONE; picture.color.len()])),
    ];
    if let Some(depth) = &picture.depth {
        channels.push(AnyChannel::new("depth.Z", FlatSamples::F32(depth.clone())));
    }
    if let Some(normal) = &picture.normal {
        for (axis, name) in ["normal.X", "normal.Y", "normal.Z"].into_iter().enumerate() {
            let samples = normal.iter().map(|n| n[axis]).collect();
            channels.push(AnyChannel::new(name, FlatSamples::F32(samples)));
        }
    }
    if let Some(ids) = &picture.object_id {
        let samples = ids.iter().map(|&id| id as f32).collect();
        channels.push(AnyChannel::new("object_id.ID", FlatSamples::F32(samples)));
    }
    let layer = Layer::new(
        size,
        LayerAttributes::default(),
        Encoding {
            compression: Compression::ZIP16,
            blocks: Blocks::ScanLines,
            line_order: LineOrder::Increasing,
        },
        AnyChannels::sort(channels.into()),
    );
    let mut attributes = ImageAttributes::new(IntegerBounds::from_dimensions(size));
    attributes.chromaticities = Some(exr::meta::attribute::Chromaticities {
        red: Vec2(0.64, 0.33),
        green: Vec2(0.30, 0.60),
        blue: Vec2(0.15, 0.06),
        white: Vec2(0.3127, 0.3290),
    });
    let mut bytes = Cursor::new(Vec::new());
    exr::image::Image::empty(attributes)
        .with_layer(layer)
        .write()
        .non_parallel()
        .to_buffered(&mut bytes)
        .map_err(io::Error::other)?;
    write_whole(path, bytes.get_ref())
}
