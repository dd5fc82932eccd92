//! FLEX3D (Nedel 1993): its scripts, its model, its files.

use retake::diagnostics::Diagnostic;
use retake::director::{BuiltPar, Defaults, Request, build_par};
use retake::scene::Scene;
use retake::sim::{BodyPose, Simulation};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

mod convert;
mod figures;
mod model;
mod program;
mod scripts;
mod steps;

type Parameters = BTreeMap<String, serde_json::Value>;

/// The printed scripts.
const PRINTED: [&str; 6] = [
    "fig_6_2_cortina",
    "fig_6_4_papel",
    "fig_A2_2_vento",
    "fig_A2_4_cortinas",
    "fig_A2_6_papelao",
    "fig_A2_8_toalha",
];

fn printed_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/theses/flex3d")
}

fn printed(name: &str) -> Vec<u8> {
    std::fs::read(printed_folder().join(format!("{name}.par"))).unwrap()
}

fn build_in(
    folder: &Path,
    script: &str,
    set: &[(&str, &str)],
) -> Result<BuiltPar, Vec<Diagnostic>> {
    let parameters: Parameters =
        set.iter().map(|(name, value)| ((*name).to_owned(), (*value).into())).collect();
    build_par(&Request {
        script: &folder.join(script),
        root: folder,
        assets: &[],
        parameters: &parameters,
        defaults: Defaults::default(),
    })
}

/// The scene of a printed script.
fn scene(name: &str, set: &[(&str, &str)]) -> Scene {
    match build_in(&printed_folder(), &format!("{name}.par"), set) {
        Ok(built) => built.scene,
        Err(problems) => panic!("{}", shown(&problems)),
    }
}

fn shown(problems: &[Diagnostic]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

fn start(scene: &Scene) -> Simulation {
    match Simulation::start(scene) {
        Ok(started) => started.simulation,
        Err(problems) => panic!("{}", shown(&problems)),
    }
}

fn advance(simulation: &mut Simulation) {
    simulation.advance(&[], &AtomicBool::new(false)).unwrap();
}

/// Places of a body that deforms.
fn places(simulation: &Simulation, body: usize) -> Vec<[f64; 3]> {
    match simulation.body(body) {
        BodyPose::Deformed(places) => places.iter().map(glam::DVec3::to_array).collect(),
        BodyPose::Posed(..) => panic!("the body does not deform"),
    }
}
