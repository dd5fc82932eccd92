//! What a run writes.

use serde::{Deserialize, Serialize};

/// What a run writes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Output {
    /// glTF.
    pub gltf: GltfMode,
    /// Point caches of deforming bodies.
    pub caches: Caches,
    /// OBJ sequences.
    pub obj: ObjMode,
    /// USD.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub usd: bool,
    /// Alembic.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub alembic: bool,
    /// FLEX3D objects.
    pub obt: bool,
    /// Samples a frame in files that hold an animation, 1 to [`MOST_SUBFRAMES`]. Each is a state that the simulation
    /// comes to, so that this decides how the shot is solved as well.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub subframes: u32,
    /// The contact sheet.
    pub sheet: Sheet,
    /// Numbered pictures; none: not drawn.
    pub images: Option<Images>,
}

impl Default for Output {
    fn default() -> Self {
        Self {
            gltf: GltfMode::Single,
            caches: Caches::Pc2,
            obj: ObjMode::Off,
            usd: false,
            alembic: false,
            obt: false,
            subframes: 1,
            sheet: Sheet::Count(12),
            images: None,
        }
    }
}

impl Output {
    /// The files with a frame each that are written, in words: they hold no samples between frames.
    pub fn of_whole_frames(&self) -> Vec<&'static str> {
        let kinds = [
            (self.gltf == GltfMode::Sequence, "glTF sequences"),
            (self.obj != ObjMode::Off, "OBJ files"),
            (self.obt, "FLEX3D objects"),
        ];
        kinds.into_iter().filter(|(is_written, _)| *is_written).map(|(_, name)| name).collect()
    }
}

/// Most samples a frame.
pub const MOST_SUBFRAMES: u32 = 64;

fn one() -> u32 {
    1
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_one(count: &u32) -> bool {
    *count == 1
}

/// How glTF is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GltfMode {
    /// Not at all.
    Off,
    /// One file with animation.
    Single,
    /// A file a body a frame.
    Sequence,
}

/// Which point caches are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Caches {
    /// None.
    Off,
    /// PC2 with an OBJ as rest shape.
    Pc2,
    /// MDD with an OBJ as rest shape.
    Mdd,
}

/// How OBJ is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ObjMode {
    /// Not at all.
    Off,
    /// A file a body a frame.
    Bodies,
    /// A file a frame with an `o` a body.
    Shot,
}

/// Which frames the contact sheet shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sheet {
    /// So many, evenly spread; 0: no sheet.
    Count(u32),
    /// These.
    Frames(Vec<i32>),
}

/// Numbered pictures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Images {
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// Paths a pixel.
    pub samples: u32,
    /// Every so many frames.
    pub every: u32,
    /// Names of cameras; empty: all (or the chosen one where the script names none).
    pub cameras: Vec<String>,
    /// Open part of the frame interval, 0: no motion blur.
    pub shutter: f64,
    /// File format of the picture itself.
    pub format: ImageFormat,
    /// Further layers (they are written to EXR).
    pub layers: Vec<Layer>,
}

/// File format of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImageFormat {
    /// 8-bit sRGB after the view transform.
    Png,
    /// Scene-linear.
    Exr,
}

/// A layer beside the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "the names say it")]
pub enum Layer {
    Depth,
    Normal,
    ObjectId,
}
