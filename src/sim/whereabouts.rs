//! Where given motions are: a pose, and the places of all nodes of a collider that its clip deforms; and the frames
//! that they give to what is held by them.

use super::model::Model;
use super::pose::Pose;
use super::state::State;
use crate::scene::Scene;
use glam::{DMat3, DQuat, DVec3};

/// Where the bodies of the scene are, or are to be.
#[derive(Clone, Debug)]
pub(crate) struct Whereabouts {
    /// Poses of all bodies.
    pub(crate) poses: Vec<Pose>,
    /// Places of the nodes of bodies that their clips deform [m]; empty for the others.
    pub(crate) shapes: Vec<Vec<DVec3>>,
}

impl Whereabouts {
    /// Where the bodies are.
    pub(crate) fn present(model: &Model, state: &State) -> Self {
        let shape = |body: usize| {
            let own = &model.bodies[body];
            if own.deforms { state.positions[own.nodes.clone()].to_vec() } else { Vec::new() }
        };
        let shapes = (0..model.bodies.len()).map(shape).collect();
        Self { poses: state.poses.clone(), shapes }
    }

    /// Puts `body` to where its curves and its clip have it at script time `time`.
    pub(crate) fn give(&mut self, model: &Model, body: usize, time: f64) {
        self.poses[body] = Pose::given(&model.scene, body, time);
        if model.bodies[body].deforms {
            self.shapes[body] = shape(&model.scene, body, time);
        }
    }

    /// Puts the nodes of a given motion to where they are.
    pub(crate) fn place(&self, model: &Model, body: usize, x: &mut [DVec3]) {
        let nodes = model.bodies[body].nodes.clone();
        if model.bodies[body].deforms {
            x[nodes].copy_from_slice(&self.shapes[body]);
        } else {
            for i in nodes {
                x[i] = self.poses[body].place(model.rest[i]);
            }
        }
    }
}

/// Places of the vertices of body `index` at script time `time` as its curves and its clip have them [m].
pub(crate) fn shape(scene: &Scene, index: usize, time: f64) -> Vec<DVec3> {
    scene.bodies[index].places_at(scene.mesh_of(index), time)
}

/// What a place or a direction goes along with.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Frame {
    /// The world, which stands still.
    World,
    /// A body that keeps its shape.
    Body(usize),
    /// The triangle under a place of a body that its clip deforms.
    Seat(usize, Seat),
}

/// Where frames are read from.
#[derive(Clone, Copy)]
pub(crate) enum There<'a> {
    /// Where bodies are.
    Now(&'a Model, &'a State),
    /// Where given ones are to be.
    Wanted(&'a Whereabouts),
}

impl Frame {
    /// Where the frame is.
    pub(crate) fn pose(&self, there: There<'_>) -> Pose {
        match (*self, there) {
            (Self::World, _) => Pose::WORLD,
            (Self::Body(body), There::Now(_, state)) => state.poses[body],
            (Self::Body(body), There::Wanted(wanted)) => wanted.poses[body],
            (Self::Seat(body, seat), There::Now(model, state)) => {
                seat.frame(&state.positions[model.bodies[body].nodes.clone()])
            }
            (Self::Seat(body, seat), There::Wanted(wanted)) => seat.frame(&wanted.shapes[body]),
        }
    }
}

/// A place on a surface that deforms: what rides on it turns with the triangle under it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seat {
    /// Vertices of the triangle, counted within the body.
    pub(crate) corners: [u32; 3],
    /// Weights of the place in it.
    pub(crate) weights: [f64; 3],
}

impl Seat {
    /// The frame of the seat with the body's vertices at `places`.
    pub(crate) fn frame(&self, places: &[DVec3]) -> Pose {
        let [a, b, c] = self.corners.map(|i| places[i as usize]);
        let [u, v, w] = self.weights;
        let across = (b - a).cross(c - a).normalize_or(DVec3::Y);
        let along =
            (b - a).reject_from_normalized(across).normalize_or(across.any_orthonormal_vector());
        let turn = DMat3::from_cols(along, across, along.cross(across));
        Pose { translation: a * u + b * v + c * w, rotation: DQuat::from_mat3(&turn).normalize() }
    }
}
