//! What a picture is made of, and the picture itself.

use crate::scene::{Images, Layer};

/// Most pixels on a side.
pub(super) const LARGEST: u32 = 16384;

/// How a picture is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Width [pixels]; 1 to 16384, what is outside counts as the nearer end.
    pub width: u32,
    /// Height [pixels]; as the width.
    pub height: u32,
    /// Paths a pixel; at least 1.
    pub samples: u32,
    /// Layers beside the picture.
    pub layers: Vec<Layer>,
    /// Open part of the frame interval, 0..1; 0: no motion blur.
    pub shutter: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { width: 960, height: 540, samples: 32, layers: Vec::new(), shutter: 0.0 }
    }
}

impl Settings {
    /// The settings that a script's `images` table asks for.
    pub fn from_images(images: &Images) -> Self {
        Self {
            width: images.width,
            height: images.height,
            samples: images.samples,
            layers: images.layers.clone(),
            shutter: images.shutter,
        }
    }

    /// The settings of one picture of a contact sheet: small, quick, the same shape as the shot's.
    pub fn for_sheet(images: Option<&Images>) -> Self {
        let (width, height) = images.map_or((16, 9), |i| (i.width.max(1), i.height.max(1)));
        let shape = f64::from(width) / f64::from(height);
        // About 480 x 270 pixels whatever the shape.
        let height = (480.0 * 270.0 / shape).sqrt().round().clamp(16.0, 960.0);
        let width = (height * shape).round().clamp(16.0, 1920.0);
        Self { width: width as u32, height: height as u32, samples: 16, ..Self::default() }
    }
}

/// A drawn picture: rows from the top, columns from the left.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// Width [pixels].
    pub width: u32,
    /// Height [pixels].
    pub height: u32,
    /// Scene-linear Rec.709 radiance [W/(m2 sr)]; 1 is a comfortable white.
    pub color: Vec<[f32; 3]>,
    /// How much of the pixel bodies of the scene cover, 0..1. The backdrop does not count, but it
    /// is in `color` everywhere: files are written opaque.
    pub alpha: Vec<f32>,
    /// Distance along the viewing axis at the pixel's centre [m]; [`NO_DEPTH`] where no body is.
    pub depth: Option<Vec<f32>>,
    /// World normal at the pixel's centre, turned to the camera; zero where no body is.
    pub normal: Option<Vec<[f32; 3]>>,
    /// Place of the body in the scene, counted from 1; 0 where no body is.
    pub object_id: Option<Vec<u32>>,
}

/// Depth where no body is, as Blender writes it [m].
pub const NO_DEPTH: f32 = 1e10;
