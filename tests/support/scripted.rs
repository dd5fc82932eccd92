//! Scripts as text, run in this process.
#![allow(dead_code, reason = "every test file uses its own part")]

use retake::diagnostics::Diagnostic;
use retake::director::{self, Built, Defaults, Request};
use retake::frames::{BodyState, Figures, Frame};
use retake::production::certificate::check_frame;
use retake::scene::Scene;
use retake::sim::{BodyPose, Simulation};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// The scene of a script; `retake` is there already.
pub(crate) fn scene(text: &str) -> Scene {
    match build(text) {
        Ok(built) => built.scene,
        Err(problems) => panic!("{problems}"),
    }
}

/// What a script is refused with.
pub(crate) fn problem(text: &str) -> String {
    match build(text) {
        Ok(_) => panic!("this was accepted:\n{text}"),
        Err(problems) => problems,
    }
}

pub(crate) fn build(text: &str) -> Result<Built, String> {
    let folder = tempfile::tempdir().unwrap();
    build_in(folder.path(), text)
        .map_err(|p| p.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
}

/// What a script comes to whose files lie in `folder`, as its own does.
pub(crate) fn build_in(folder: &Path, text: &str) -> Result<Built, Vec<Diagnostic>> {
    let script = folder.join("shot.lua");
    std::fs::write(&script, format!("local retake = require \"retake\"\n{text}\nreturn shot"))
        .unwrap();
    let request = Request {
        script: &script,
        root: folder,
        assets: &[],
        parameters: &BTreeMap::new(),
        defaults: Defaults::default(),
    };
    director::build(&request)
}

pub(crate) fn start(scene: &Scene) -> Simulation {
    match Simulation::start(scene) {
        Ok(started) => started.simulation,
        Err(problems) => panic!("{problems:?}"),
    }
}

pub(crate) fn run(simulation: &mut Simulation, frames: u32) {
    let quiet = AtomicBool::new(false);
    for _ in 0..frames {
        simulation.advance(&[], &quiet).expect("the shot goes on");
    }
}

/// Runs on for so many frames, in none of which anything crosses.
#[track_caller]
pub(crate) fn run_uncrossed(scene: &Scene, simulation: &mut Simulation, frames: u32) {
    for _ in 0..frames {
        run(simulation, 1);
        assert_eq!(check_frame(scene, &frame(scene, simulation)), []);
    }
}

/// The simulation of a script after so many frames.
pub(crate) fn after(text: &str, frames: u32) -> Simulation {
    let mut simulation = start(&scene(text));
    run(&mut simulation, frames);
    simulation
}

/// The frame that would be stored.
pub(crate) fn frame(scene: &Scene, simulation: &Simulation) -> Frame {
    let body = |i: usize| match simulation.body(i) {
        BodyPose::Deformed(places) => BodyState::Deformed {
            positions: places.iter().map(|p| p.as_vec3().to_array()).collect(),
        },
        BodyPose::Posed(translate, rotate) => BodyState::Posed {
            translate: translate.as_vec3().to_array(),
            rotate: rotate.as_quat().to_array(),
        },
    };
    Frame {
        number: simulation.frame(),
        time: simulation.time(),
        bodies: (0..scene.bodies.len()).map(body).collect(),
        figures: Figures::default(),
        regions: Vec::new(),
        retakes: Vec::new(),
        events: Vec::new(),
        state_hash: simulation.state_hash(),
        samples: Vec::new(),
    }
}

/// Prints what was measured beside its reference, for the table of `scenes/validation/README.md`.
#[allow(clippy::print_stdout, reason = "shown where a test is run with its output")]
pub(crate) fn measured(what: &str, found: f64, expected: f64) {
    println!(
        "validation: {what}: reference {expected:.5} ours {found:.5} ({:+.2} %)",
        100.0 * (found / expected - 1.0)
    );
}

/// Whether `found` is `expected` within the fraction `tolerance`.
#[track_caller]
pub(crate) fn near(what: &str, found: f64, expected: f64, tolerance: f64) {
    measured(what, found, expected);
    let off = found / expected - 1.0;
    assert!(
        off.abs() <= tolerance,
        "{what}: {found} in place of {expected}, off by {:.2} %",
        100.0 * off
    );
}

/// Runs `scene` for so many frames and more, and once more from its state in between: the same bytes.
#[track_caller]
pub(crate) fn resumed(scene: &Scene, before: u32, after: u32) -> Simulation {
    let mut whole = start(scene);
    run(&mut whole, before);
    let saved = whole.save();
    run(&mut whole, after);
    let mut resumed = start(scene);
    resumed.restore(&saved).unwrap();
    run(&mut resumed, after);
    assert_eq!(resumed.state_hash(), whole.state_hash());
    whole
}

/// What `of` gives on so many threads.
pub(crate) fn on_threads<T: Send>(threads: usize, of: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(of)
}
