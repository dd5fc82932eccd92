//! Text on pictures, in JetBrains Mono (SIL Open Font License 1.1: `font/OFL.txt`).

use super::bitmap::Bitmap;
use ab_glyph::{Font, FontRef, PxScale, ScaleFont, point};

/// The font file.
const FONT: &[u8] = include_bytes!("font/JetBrainsMono-Regular.ttf");

/// A font at a size.
pub(super) struct Lettering {
    font: FontRef<'static>,
    scale: PxScale,
}

impl Lettering {
    /// Letters of `size` pixels from the highest ascender to the lowest descender.
    pub(super) fn new(size: f32) -> Option<Self> {
        let font = FontRef::try_from_slice(FONT).ok()?;
        Some(Self { font, scale: PxScale::from(size) })
    }

    /// Width of `text` [pixels].
    pub(super) fn width(&self, text: &str) -> f32 {
        let scaled = self.font.as_scaled(self.scale);
        text.chars().map(|c| scaled.h_advance(self.font.glyph_id(c))).sum()
    }

    /// Height of a line [pixels].
    pub(super) fn height(&self) -> f32 {
        self.scale.y
    }

    /// `text`, shortened by an ellipsis to at most `width` pixels.
    pub(super) fn fit(&self, text: &str, width: f32) -> String {
        if self.width(text) <= width {
            return text.to_owned();
        }
        let mut kept: Vec<char> = text.chars().collect();
        while kept.pop().is_some() {
            let short: String =
                kept.iter().collect::<String>().trim_end().chars().chain(['…']).collect();
            if self.width(&short) <= width {
                return short;
            }
        }
        String::new()
    }

    /// Draws `text` with the upper left corner of its line at (`x`, `y`).
    pub(super) fn draw(&self, onto: &mut Bitmap, x: f32, y: f32, text: &str, color: [u8; 3]) {
        let scaled = self.font.as_scaled(self.scale);
        let baseline = (y + scaled.ascent()).round();
        let mut pen = x.round();
        for c in text.chars() {
            let id = self.font.glyph_id(c);
            let glyph = id.with_scale_and_position(self.scale, point(pen, baseline));
            pen += scaled.h_advance(id);
            let Some(outline) = self.font.outline_glyph(glyph) else { continue };
            let corner = outline.px_bounds().min;
            outline.draw(|dx, dy, cover| {
                let (px, py) = (corner.x as i64 + i64::from(dx), corner.y as i64 + i64::from(dy));
                onto.blend(px, py, color, cover);
            });
        }
    }

    /// As [`Self::draw`], ending at `x`.
    pub(super) fn draw_before(
        &self,
        onto: &mut Bitmap,
        x: f32,
        y: f32,
        text: &str,
        color: [u8; 3],
    ) {
        self.draw(onto, x - self.width(text), y, text, color);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_shortened_to_fit() {
        let letters = Lettering::new(16.0).unwrap();
        let fitted = letters.fit("stiffness = 0.000125 N m", 100.0);
        assert!(fitted.ends_with('…') && letters.width(&fitted) <= 100.0, "{fitted}");
        assert_eq!(letters.fit("short", 100.0), "short");
        assert_eq!(letters.fit("short", 1.0), "");
    }

    #[test]
    fn letters_leave_ink_inside_their_line() {
        let letters = Lettering::new(20.0).unwrap();
        let mut page = Bitmap::filled(200, 40, [255; 3]);
        letters.draw(&mut page, 10.0, 10.0, "Ågj°", [0; 3]);
        let dark = |y: u32| page.rgb[(y * 600) as usize..][..600].iter().any(|&b| b < 128);
        assert!((10..31).any(dark));
        assert!(!(0..8).any(dark) && !(33..40).any(dark));
    }
}
