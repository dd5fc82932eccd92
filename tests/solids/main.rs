//! Rigid and soft bodies against closed forms, from the script to the report.
#![allow(missing_docs)]

#[path = "../support/scripted.rs"]
mod scripted;

mod cages;
mod coming;
mod driven;
mod fields;
mod hulls;
mod joined;
mod joints;
mod motors;
mod pairs;
mod perforations;
mod pushes;
mod riding;
mod rigid;
mod ropes;
mod shapes;
mod soft;
mod steps_back;

mod together;
mod twist;
mod weights;

use glam::{DQuat, DVec3};
use retake::sim::{BodyPose, Simulation};

fn pose(simulation: &Simulation, body: usize) -> (DVec3, DQuat) {
    match simulation.body(body) {
        BodyPose::Posed(translation, rotation) => (translation, rotation),
        BodyPose::Deformed(_) => panic!("not a rigid body"),
    }
}

fn positions(simulation: &Simulation, body: usize) -> Vec<DVec3> {
    match simulation.body(body) {
        BodyPose::Deformed(positions) => positions.to_vec(),
        BodyPose::Posed(..) => panic!("not a soft body"),
    }
}
