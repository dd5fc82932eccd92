//! Colours as the renderer computes with them.

use crate::scene::{Color, Scene};
use glam::Vec3A;

/// The studio floor, and grounds without a colour of their own, as sRGB hex.
pub(super) const FLOOR: u32 = 0xdad7d2;

/// Linear Rec.709 colour of an sRGB hex number.
pub(super) fn from_hex(hex: u32) -> Vec3A {
    linear(Color::from_hex(hex))
}

/// The base colour of body `index`: [`Scene::color_of`], but for a ground without its own.
pub(super) fn color_of(scene: &Scene, index: usize, is_ground: bool) -> Vec3A {
    let look = &scene.bodies[index].look;
    if is_ground && !look.color_given && look.color_map.is_none() {
        return from_hex(FLOOR);
    }
    linear(scene.color_of(index))
}

fn linear(color: Color) -> Vec3A {
    Vec3A::from_array(color.0.map(|c| c as f32))
}
