//! Picture files that looks and skies name.

use serde::{Deserialize, Serialize};
use std::io;
use std::path::Path;

/// A picture file, and what it held when the scene was built: with another content it is another picture.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PictureFile {
    /// Where it is: absolute, or relative to the project's root.
    pub path: String,
    /// blake3 of its bytes, as hex.
    pub hash: String,
}

/// How the pictures of looks are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureFormat {
    /// PNG.
    Png,
    /// JPEG.
    Jpeg,
}

impl PictureFile {
    /// The file at `path` that holds `bytes`.
    pub fn new(path: String, bytes: &[u8]) -> Self {
        Self { path, hash: blake3::hash(bytes).to_hex().to_string() }
    }

    /// Its bytes; an error where the file below `root` holds something else than when the scene was built.
    pub fn read(&self, root: &Path) -> io::Result<Vec<u8>> {
        let bytes = std::fs::read(root.join(&self.path))?;
        if blake3::hash(&bytes).to_hex().as_str() == self.hash {
            return Ok(bytes);
        }
        Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "it is not the picture that the shot was built with",
        ))
    }

    /// The file's name without its folder.
    pub fn file_name(&self) -> &str {
        self.path.rsplit(['/', '\\']).next().unwrap_or(&self.path)
    }
}

impl PictureFormat {
    /// The format of a file's bytes, by their first ones; none for any other.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0x89, b'P', b'N', b'G', ..] => Some(Self::Png),
            [0xff, 0xd8, 0xff, ..] => Some(Self::Jpeg),
            _ => None,
        }
    }

    /// Decodes a whole picture of at most 16384 pixels a side.
    pub fn decode(bytes: &[u8]) -> Result<image::DynamicImage, String> {
        const LARGEST: u32 = 16_384;
        let Some(format) = Self::of(bytes) else { return Err("it is no PNG or JPEG file".into()) };
        let format = match format {
            Self::Png => image::ImageFormat::Png,
            Self::Jpeg => image::ImageFormat::Jpeg,
        };
        let mut reader = image::ImageReader::with_format(io::Cursor::new(bytes), format);
        let mut limits = image::Limits::default();
        (limits.max_image_width, limits.max_image_height) = (Some(LARGEST), Some(LARGEST));
        limits.max_alloc = Some(2 << 30);
        reader.limits(limits);
        reader.decode().map_err(|e| e.to_string())
    }
}
