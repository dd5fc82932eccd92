//! Cloth against closed forms, from the script to the report: fabrics, bending, what only some cloths
//! have, air and gas, garments.
#![allow(missing_docs)]

#[path = "../../benches/scenes.rs"]
mod scenes;

#[path = "../support/scripted.rs"]
mod scripted;

mod air;
mod bending;
mod capstan;
mod crossings;
mod drape;
mod fabrics;
mod garments;
mod shear;
mod special;
mod springs;
mod swing;

use glam::DVec3;
use retake::sim::{BodyPose, Simulation};
use scripted::{after, near, problem, run, scene, start};

fn positions(simulation: &Simulation, body: usize) -> Vec<DVec3> {
    match simulation.body(body) {
        BodyPose::Deformed(positions) => positions.to_vec(),
        BodyPose::Posed(..) => panic!("not a cloth"),
    }
}
