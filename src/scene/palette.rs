//! Colours for bodies whose script names none: the same in pictures and exports.

use super::{Color, Scene};

/// Cloth: distinct rich dyes, as sRGB hex.
const CLOTHS: [u32; 8] =
    [0xb3362f, 0x23707c, 0xd9973a, 0x3d4d94, 0x557f4f, 0x86446f, 0xc4673c, 0x4f7ea8];
/// Colliders: warm neutrals that leave the stage to the cloth, as sRGB hex.
const NEUTRALS: [u32; 4] = [0xc9c3b8, 0xa8a7a5, 0xd8d2c6, 0x928f8b];

impl Color {
    /// The linear colour of an sRGB hex number.
    pub fn from_hex(hex: u32) -> Self {
        let channel = |shift: u32| {
            let c = ((hex >> shift) & 0xff) as f32 / 255.0;
            f64::from(if c <= 0.04045 { c / 12.92 } else { libm::powf((c + 0.055) / 1.055, 2.4) })
        };
        Self([channel(16), channel(8), channel(0)])
    }
}

impl Scene {
    /// The base colour of body `index`: the script's own, white under a picture of colours, or one of
    /// the palette.
    ///
    /// What moves by itself and colliders are counted apart, so adding a collider does not dye the
    /// others anew.
    pub fn color_of(&self, index: usize) -> Color {
        let body = &self.bodies[index];
        if body.look.color_given {
            return Color(body.look.color.0.map(|c| c.clamp(0.0, 1.0)));
        }
        if body.look.color_map.is_some() {
            return Color([1.0; 3]);
        }
        let same = body.is_collider();
        let place = self.bodies[..index]
            .iter()
            .filter(|b| b.is_collider() == same && !b.look.color_given)
            .count();
        Color::from_hex(if same {
            NEUTRALS[place % NEUTRALS.len()]
        } else {
            CLOTHS[place % CLOTHS.len()]
        })
    }
}
