//! Which bodies of a shot share a material.

use crate::scene::{Look, Scene};

/// The materials of a shot: bodies that look the same have one.
#[derive(Default)]
pub(super) struct Materials {
    known: Vec<Material>,
}

/// A material.
pub(super) struct Material {
    /// The first body that has it.
    pub(super) body: usize,
    /// With the colour that pictures have.
    pub(super) look: Look,
    /// Whether the mesh has texture coordinates.
    pub(super) textured: bool,
}

impl Materials {
    /// The number of the material of a body, in the order in which they were asked for.
    pub(super) fn number(&mut self, scene: &Scene, body: usize) -> usize {
        let look = Look { color: scene.color_of(body), ..scene.bodies[body].look.clone() };
        let textured = !scene.mesh_of(body).uvs.is_empty();
        let same = |m: &Material| m.textured == textured && m.look == look;
        self.known.iter().position(same).unwrap_or_else(|| {
            self.known.push(Material { body, look, textured });
            self.known.len() - 1
        })
    }

    /// All of them, by their numbers.
    pub(super) fn all(&self) -> &[Material] {
        &self.known
    }
}
