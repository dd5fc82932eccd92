//! The integration methods of the literature against closed forms, each with the same questions, and
//! the mass-spring cloth that they move.
#![allow(missing_docs)]

#[path = "../support/scripted.rs"]
mod scripted;

mod carvalho;
mod cloth;
mod conformance;
mod contact;
mod matching;
mod order;
mod refusals;
mod relaxation;

use glam::DVec3;
use retake::director::{self, Defaults, Request};
use retake::scene::{METHODS, Matter, Scene};
use retake::sim::{BodyPose, Simulation};
use std::path::Path;

/// The scene of a script of `scripts/theses` with parameters.
fn thesis(name: &str, set: &[(&str, serde_json::Value)]) -> Scene {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let request = Request {
        script: &root.join(format!("scripts/theses/{name}.lua")),
        root,
        assets: &[],
        parameters: &set.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect(),
        defaults: Defaults::default(),
    };
    match director::build(&request) {
        Ok(built) => built.scene,
        Err(problems) => panic!("{problems:?}"),
    }
}

/// Names of all methods of the literature that move springs.
fn literature() -> impl Iterator<Item = &'static str> {
    let engine = retake::scene::Method::Auto;
    let move_springs =
        METHODS.iter().filter(move |t| t.moves.contains(&Matter::Springs) && t.method != engine);
    move_springs.map(|t| t.name)
}

fn positions(simulation: &Simulation) -> Vec<DVec3> {
    match simulation.body(0) {
        BodyPose::Deformed(positions) => positions.to_vec(),
        BodyPose::Posed(..) => panic!("not a cloth"),
    }
}

fn farthest(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
}

/// Two points of 1 kg, each on a spring of 1 N/m to a held one a metre to its left, that start with
/// a centimetre a second to the right: x = 0.01 sin t.
fn oscillator(method: &str, step: f64, frames: u32) -> String {
    format!(
        "local shot = retake.shot{{ name = \"o\", fps = 5, frames = {frames}, gravity = {{ 0, 0, 0 }} }}
         local cloth = shot:cloth{{ name = \"c\", mesh = retake.mesh.grid{{ size = {{ 1, 1 }}, vertices = {{ 2, 2 }} }},
           velocity = {{ 0.01, 0, 0 }}, material = retake.material.springs{{ structural = 1, unilateral = false,
           density = 4, thickness = 1 }} }}
         shot:pin{{ points = cloth:edge \"left\" }}
         shot:solver{{ method = \"{method}\", fixed_step = {step}, guard = \"off\", accuracy = 1e-9 }}"
    )
}

/// A sheet of 4 x 4 points that hangs by two corners and swings, with springs that are smooth functions
/// of the places.
fn swinging(method: &str, solver: &str, damping: f64) -> String {
    format!(
        "local shot = retake.shot{{ name = \"s\", fps = 2, frames = 1 }}
         local cloth = shot:cloth{{ name = \"c\", mesh = retake.mesh.grid{{ size = {{ 1, 1 }}, vertices = {{ 4, 4 }},
           normal = {{ 0, 1, 0 }} }}, material = retake.material.springs{{ structural = 40, shear = 20, bend = 5,
           structural_damping = {damping}, shear_damping = {damping}, unilateral = false, density = 1000,
           thickness = 1e-3 }} }}
         shot:pin{{ points = cloth:corner \"top-left\" + cloth:corner \"top-right\" }}
         shot:collisions{{ self = false }}
         shot:solver{{ method = \"{method}\", guard = \"off\", {solver} }}"
    )
}
