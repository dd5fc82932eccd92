//! Rigid bodies that fly, roll, lean and stand: the classics, with what they come to in numbers.
#![allow(missing_docs)]

#[path = "../support/scripted.rs"]
mod scripted;

mod flight;
mod heaps;
mod masonry;
mod rest;
mod sleepers;
mod stacks;
mod toppling;

use glam::{DQuat, DVec3};
use retake::math::rotation;
use retake::sim::{BodyPose, Simulation};

fn pose(simulation: &Simulation, body: usize) -> (DVec3, DQuat) {
    match simulation.body(body) {
        BodyPose::Posed(translation, rotation) => (translation, rotation),
        BodyPose::Deformed(_) => panic!("not a rigid body"),
    }
}

/// Angle between a body's own Y axis and the world's [degrees].
fn lean(simulation: &Simulation, body: usize) -> f64 {
    rotation::angle_between(pose(simulation, body).1 * DVec3::Y, DVec3::Y).to_degrees()
}

fn places(simulation: &Simulation, bodies: impl Iterator<Item = usize>) -> Vec<DVec3> {
    bodies.map(|body| pose(simulation, body).0).collect()
}

fn is_touching(simulation: &Simulation, a: usize, b: usize) -> bool {
    simulation.report().touches.iter().any(|t| (t.0, t.1) == (a, b) && t.2 > 0 && t.3 > 0.0)
}
