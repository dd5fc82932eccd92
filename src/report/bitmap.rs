//! An 8-bit RGB picture: what sheets are put together from.

use crate::frames::write_whole;
use crate::render::{Picture, display_pixels, encode_png};
use std::io;
use std::path::Path;

/// An 8-bit sRGB picture, three bytes a pixel, rows from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bitmap {
    /// Width [pixels].
    pub width: u32,
    /// Height [pixels].
    pub height: u32,
    /// The pixels, `width * height * 3` bytes.
    pub rgb: Vec<u8>,
}

impl Bitmap {
    /// A picture of one colour.
    pub fn filled(width: u32, height: u32, color: [u8; 3]) -> Self {
        let rgb = color.iter().copied().cycle().take(width as usize * height as usize * 3);
        Self { width, height, rgb: rgb.collect() }
    }

    /// A drawn picture as a display shows it.
    pub fn of_picture(picture: &Picture) -> Self {
        Self { width: picture.width, height: picture.height, rgb: display_pixels(picture) }
    }

    /// Reads a PNG or JPEG file.
    pub fn read(path: &Path) -> io::Result<Self> {
        let named = |e: String| io::Error::other(format!("{}: {e}", path.display()));
        let decoded = image::ImageReader::open(path)
            .and_then(image::ImageReader::with_guessed_format)
            .map_err(|e| named(e.to_string()))?
            .decode()
            .map_err(|e| named(e.to_string()))?
            .into_rgb8();
        let (width, height) = decoded.dimensions();
        Ok(Self { width, height, rgb: decoded.into_raw() })
    }

    /// Writes a PNG file, whole or not at all.
    pub fn write_png(&self, path: &Path) -> io::Result<()> {
        write_whole(path, &encode_png(self.width, self.height, &self.rgb)?)
    }

    /// The picture at `width` x `height` pixels, each the mean of the area it stands for.
    #[must_use]
    pub fn scaled(&self, width: u32, height: u32) -> Self {
        if (width, height) == (self.width, self.height) || self.rgb.is_empty() {
            return self.clone();
        }
        let mut out = Self::filled(width, height, [0; 3]);
        // Areas in units of 1 / (new size) of an old pixel: whole numbers, no rounding.
        let spans = |new: u64, old: u64, i: u64| {
            let (start, end) = (i * old, (i + 1) * old);
            (start / new..=(end - 1) / new)
                .map(move |j| (j, end.min((j + 1) * new) - start.max(j * new)))
        };
        let (w, h) = (u64::from(width), u64::from(height));
        let (ow, oh) = (u64::from(self.width), u64::from(self.height));
        for y in 0..h {
            for x in 0..w {
                let mut sum = [0; 3];
                for (sy, wy) in spans(h, oh, y) {
                    for (sx, wx) in spans(w, ow, x) {
                        let at = ((sy * ow + sx) * 3) as usize;
                        for c in 0..3 {
                            sum[c] += u64::from(self.rgb[at + c]) * wx * wy;
                        }
                    }
                }
                let at = ((y * w + x) * 3) as usize;
                for c in 0..3 {
                    out.rgb[at + c] = ((sum[c] + ow * oh / 2) / (ow * oh)) as u8;
                }
            }
        }
        out
    }

    /// Copies `other` with its upper left corner at (`x`, `y`); what does not fit is cut off.
    pub fn paste(&mut self, other: &Self, x: u32, y: u32) {
        let columns = other.width.min(self.width.saturating_sub(x)) as usize * 3;
        for row in 0..other.height.min(self.height.saturating_sub(y)) {
            let from = (row * other.width) as usize * 3;
            let to = ((y + row) * self.width + x) as usize * 3;
            self.rgb[to..to + columns].copy_from_slice(&other.rgb[from..from + columns]);
        }
    }

    /// Fills a rectangle; what does not fit is cut off.
    pub fn fill(&mut self, x: u32, y: u32, width: u32, height: u32, color: [u8; 3]) {
        for row in y..(y + height).min(self.height) {
            for column in x..(x + width).min(self.width) {
                let at = (row * self.width + column) as usize * 3;
                self.rgb[at..at + 3].copy_from_slice(&color);
            }
        }
    }

    /// Lays `color` over a pixel, `cover` 0..1 thick; outside nothing happens.
    pub(super) fn blend(&mut self, x: i64, y: i64, color: [u8; 3], cover: f32) {
        if x < 0 || y < 0 || x >= i64::from(self.width) || y >= i64::from(self.height) {
            return;
        }
        let at = (y * i64::from(self.width) + x) as usize * 3;
        for c in 0..3 {
            let (old, new) = (f32::from(self.rgb[at + c]), f32::from(color[c]));
            self.rgb[at + c] = (old + (new - old) * cover.clamp(0.0, 1.0) + 0.5) as u8;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scaling_keeps_the_mean() {
        let mut bitmap = Bitmap::filled(7, 5, [10, 20, 30]);
        bitmap.fill(0, 0, 7, 5, [40, 40, 40]);
        assert_eq!(bitmap.scaled(3, 2), Bitmap::filled(3, 2, [40, 40, 40]));
        let mut half = Bitmap::filled(4, 2, [0, 0, 0]);
        half.fill(0, 0, 2, 2, [200, 100, 50]);
        assert_eq!(half.scaled(1, 1).rgb, [100, 50, 25]);
        assert_eq!(half.scaled(8, 4).scaled(4, 2), half);
    }

    #[test]
    fn pasting_over_the_edge_cuts_off() {
        let mut sheet = Bitmap::filled(4, 4, [0; 3]);
        sheet.paste(&Bitmap::filled(3, 3, [9; 3]), 2, 2);
        sheet.paste(&Bitmap::filled(3, 3, [7; 3]), 5, 0);
        let pasted = sheet.rgb.chunks_exact(3).filter(|pixel| *pixel == [9; 3]).count();
        assert_eq!(pasted, 4);
    }
}
