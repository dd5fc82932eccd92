//! What pictures and exports show of a scene: where that is not the body's own mesh.
//!
//! A rope is simulated as a line and shown as a tube; a look may ask for a smoother or a thicker surface.

use super::{BodyState, Frame, FrameSource};
use crate::diagnostics::Diagnostic;
use crate::geometry::{Refined, TriMesh, Tube};
use crate::scene::{Look, Scene};
use glam::{DVec3, Vec3};
use std::borrow::Cow;

/// A scene as it is shown, and how its frames become those of what is shown.
pub struct Drawn<'a> {
    scene: Cow<'a, Scene>,
    shapes: Vec<(usize, Shape)>,
}

/// How what is shown of a body follows it.
enum Shape {
    /// Around the line of a rope.
    Tube(Tube),
    /// A finer or thicker surface.
    Refined(Refined),
}

impl Shape {
    /// What is shown of body `index`; none where that is its own mesh.
    fn of(scene: &Scene, index: usize) -> Option<Self> {
        let (body, mesh) = (&scene.bodies[index], scene.mesh_of(index));
        let look = &body.look;
        if let Some(rope) = body.rope() {
            return Some(Self::Tube(Tube::new(mesh, rope.radius)));
        }
        (look.subdivide > 0 || look.solidify > 0.0)
            .then(|| Self::Refined(Refined::new(mesh, look.subdivide, look.solidify)))
    }

    fn mesh(&self) -> TriMesh {
        match self {
            Self::Tube(tube) => tube.mesh(),
            Self::Refined(refined) => refined.mesh(),
        }
    }

    fn around(&self, positions: &[DVec3]) -> Vec<DVec3> {
        match self {
            Self::Tube(tube) => tube.around(positions),
            Self::Refined(refined) => refined.around(positions),
        }
    }
}

impl<'a> Drawn<'a> {
    /// What is shown of `scene`.
    pub fn new(scene: &'a Scene) -> Self {
        let mut drawn = Self { scene: Cow::Borrowed(scene), shapes: Vec::new() };
        // Of bodies that keep their shape, those with one mesh and one kind of surface are shown by one mesh.
        let mut shared: Vec<(usize, u32, f64, usize)> = Vec::new();
        for (index, body) in scene.bodies.iter().enumerate() {
            let Some(shape) = Shape::of(scene, index) else { continue };
            let own = drawn.scene.to_mut();
            let Look { subdivide, solidify, .. } = body.look;
            let same =
                |s: &&(usize, u32, f64, usize)| (s.0, s.1, s.2) == (body.mesh, subdivide, solidify);
            let known = shared.iter().find(same).filter(|_| body.keeps_shape()).map(|s| s.3);
            own.bodies[index].mesh = known.unwrap_or_else(|| {
                own.meshes.push(shape.mesh());
                own.meshes.len() - 1
            });
            if known.is_none() && body.keeps_shape() {
                shared.push((body.mesh, subdivide, solidify, own.bodies[index].mesh));
            }
            drawn.shapes.push((index, shape));
        }
        drawn
    }

    /// The scene with the meshes that are shown.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Makes bodies of the scene those of what is shown.
    fn show(&self, bodies: &mut [BodyState]) {
        for (index, shape) in &self.shapes {
            let Some(BodyState::Deformed { positions }) = bodies.get_mut(*index) else {
                continue;
            };
            let places: Vec<_> =
                positions.iter().map(|p| Vec3::from_array(*p).as_dvec3()).collect();
            *positions = shape.around(&places).iter().map(|p| p.as_vec3().to_array()).collect();
        }
    }

    /// The frame of the shown scene that belongs to a frame of the scene itself.
    pub fn frame<'f>(&self, frame: &'f Frame) -> Cow<'f, Frame> {
        if self.shapes.is_empty() {
            return Cow::Borrowed(frame);
        }
        let mut shown = frame.clone();
        let between = shown.samples.iter_mut().map(|sample| &mut sample.bodies);
        for bodies in std::iter::once(&mut shown.bodies).chain(between) {
            self.show(bodies);
        }
        Cow::Owned(shown)
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
