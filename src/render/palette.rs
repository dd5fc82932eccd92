//! Colours for bodies whose script names none.

use crate::scene::{Body, BodyKind, Scene};
use glam::Vec3A;

/// Cloth: distinct rich dyes, as sRGB hex.
const CLOTHS: [u32; 8] =
    [0x9e2a2b, 0x1f6470, 0xc98a2b, 0x35418a, 0x4a7245, 0x773a62, 0xb2562f, 0x40719c];
/// Colliders: warm neutrals that leave the stage to the cloth, as sRGB hex.
const NEUTRALS: [u32; 4] = [0x8e8a84, 0x6d7073, 0xa99f92, 0x5c5a58];
/// The studio floor, and grounds without a colour of their own, as sRGB hex.
pub(super) const FLOOR: u32 = 0xdad7d2;

/// Linear Rec.709 colour of an sRGB hex number.
pub(super) fn from_hex(hex: u32) -> Vec3A {
    let channel = |shift: u32| {
        let c = ((hex >> shift) & 0xff) as f32 / 255.0;
        if c <= 0.04045 { c / 12.92 } else { libm::powf((c + 0.055) / 1.055, 2.4) }
    };
    Vec3A::new(channel(16), channel(8), channel(0))
}

/// The base colour of body `index`: the script's own, or one of the palette.
///
/// Cloths and colliders are counted apart, so adding a collider does not dye the cloths anew.
pub(super) fn color_of(scene: &Scene, index: usize, is_ground: bool) -> Vec3A {
    let body = &scene.bodies[index];
    if body.look.color_given {
        return Vec3A::from_array(body.look.color.0.map(|c| c.clamp(0.0, 1.0) as f32));
    }
    if is_ground {
        return from_hex(FLOOR);
    }
    let is_cloth = |b: &Body| matches!(b.kind, BodyKind::Cloth(_));
    let same = is_cloth(body);
    let place =
        scene.bodies[..index].iter().filter(|b| is_cloth(b) == same && !b.look.color_given).count();
    let hex = if same { CLOTHS[place % CLOTHS.len()] } else { NEUTRALS[place % NEUTRALS.len()] };
    from_hex(hex)
}
