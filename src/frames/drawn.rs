//! What pictures and exports show of a scene: where that is not the body's own mesh.
//!
//! A rope is simulated as a line and shown as a tube.

use super::{BodyState, Frame, FrameSource};
use crate::diagnostics::Diagnostic;
use crate::geometry::Tube;
use crate::scene::Scene;
use glam::Vec3;
use std::borrow::Cow;

/// A scene as it is shown, and how its frames become those of what is shown.
pub struct Drawn<'a> {
    scene: Cow<'a, Scene>,
    tubes: Vec<(usize, Tube)>,
}

impl<'a> Drawn<'a> {
    /// What is shown of `scene`.
    pub fn new(scene: &'a Scene) -> Self {
        let mut drawn = Self { scene: Cow::Borrowed(scene), tubes: Vec::new() };
        for (index, body) in scene.bodies.iter().enumerate() {
            let Some(rope) = body.rope() else { continue };
            let tube = Tube::new(scene.mesh_of(index), rope.radius);
            let own = drawn.scene.to_mut();
            own.bodies[index].mesh = own.meshes.len();
            own.meshes.push(tube.mesh());
            drawn.tubes.push((index, tube));
        }
        drawn
    }

    /// The scene with the meshes that are shown.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The frame of the shown scene that belongs to a frame of the scene itself.
    pub fn frame<'f>(&self, frame: &'f Frame) -> Cow<'f, Frame> {
        let mut shown = Cow::Borrowed(frame);
        for (index, tube) in &self.tubes {
            let Some(BodyState::Deformed { positions }) = frame.bodies.get(*index) else {
                continue;
            };
            let line: Vec<_> = positions.iter().map(|p| Vec3::from_array(*p).as_dvec3()).collect();
            let positions = tube.around(&line).iter().map(|p| p.as_vec3().to_array()).collect();
            shown.to_mut().bodies[*index] = BodyState::Deformed { positions };
        }
        shown
    }
}

/// Frames of what is shown.
pub struct DrawnFrames<'a> {
    /// What is shown.
    pub drawn: &'a Drawn<'a>,
    /// The frames of the scene itself.
    pub frames: &'a dyn FrameSource,
}

impl FrameSource for DrawnFrames<'_> {
    fn numbers(&self) -> Vec<i32> {
        self.frames.numbers()
    }

    fn frame(&self, number: i32) -> Result<Frame, Diagnostic> {
        let frame = self.frames.frame(number)?;
        Ok(self.drawn.frame(&frame).into_owned())
    }
}
