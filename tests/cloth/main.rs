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
mod chance;
mod crossings;
mod drape;
mod fabrics;
mod finer;
mod garments;
mod shear;
mod special;
mod springs;
mod swing;

use glam::DVec3;
use retake::director::{self, Defaults, Request};
use retake::scene::Scene;
use retake::sim::{BodyPose, Simulation};
use scripted::{after, near, problem, run, scene, start};
use serde_json::json;
use std::collections::BTreeMap;
use std::path::Path;

/// A case of `scenes/bench.lua`.
fn case(name: &str, size: u32) -> Scene {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes");
    let parameters =
        BTreeMap::from([("case".to_owned(), json!(name)), ("size".to_owned(), json!(size))]);
    let request = Request {
        script: &root.join("bench.lua"),
        root: &root,
        assets: &[],
        parameters: &parameters,
        defaults: Defaults::default(),
    };
    match director::build(&request) {
        Ok(built) => built.scene,
        Err(problems) => panic!("{problems:?}"),
    }
}

fn positions(simulation: &Simulation, body: usize) -> Vec<DVec3> {
    match simulation.body(body) {
        BodyPose::Deformed(positions) => positions.to_vec(),
        BodyPose::Posed(..) => panic!("not a cloth"),
    }
}
