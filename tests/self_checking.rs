//! The scenes of `scenes/validation`, which check themselves against closed forms: each passes its own checks and
//! nothing crosses in it; with its physics made wrong it says so.
#![allow(missing_docs)]

#[path = "support/scripts.rs"]
mod scripts;

use scripts::{names, retake};

/// Exit codes of a run whose check fails, and of `verify` where something crosses.
const FAILED: i32 = 4;
const CROSSES: i32 = 1;

/// The exit codes of simulating a scene with `more` arguments into `out` and of verifying that, and what the first said.
fn simulate(scene: &str, more: &[&str], out: &str) -> ([Option<i32>; 2], String) {
    let mut arguments = vec!["run", scene, "--out", out, "--fresh", "--no-images", "--no-export"];
    arguments.extend_from_slice(&["--progress", "none"]);
    arguments.extend_from_slice(more);
    let (run, verified) = (retake(&arguments), retake(&["verify", out]));
    let said = String::from_utf8_lossy(&run.stderr).into_owned();
    ([run.status.code(), verified.status.code()], said)
}

macro_rules! scenes {
    ($($name:ident wrong by $wrong:literal),*) => {
        $(#[test]
        fn $name() {
            let scene = concat!("scenes/validation/", stringify!($name), ".lua");
            let folder = tempfile::tempdir().expect("a folder");
            // Within it, as the second run moves what the first made aside to beside it.
            let out = folder.path().join("out");
            let out = out.to_str().expect("a plain path");
            let (codes, said) = simulate(scene, &[], out);
            assert_eq!(codes, [Some(0); 2], "{scene}: {said}");
            let (codes, said) = simulate(scene, &["--set", $wrong], out);
            let found = codes[0] == Some(FAILED) || codes == [Some(0), Some(CROSSES)];
            assert!(found, "{scene} with {}: {codes:?}: {said}", $wrong);
        })*

        #[test]
        fn every_scene_is_a_test_here() {
            assert_eq!(names("scenes/validation"), [$(stringify!($name)),*]);
        }
    };
}

scenes!(
    bowl wrong by "whole=false",
    breaks_at wrong by "strength=1.08",
    buckling wrong by "below=1.01",
    cantilever wrong by "cells=4",
    capstan wrong by "mu=0.28",
    capstan_ribbon wrong by "mu=0.32",
    catenary wrong by "heavier=1.02",
    chain wrong by "broken=4",
    degenerate wrong by "guard=off",
    elastica wrong by "heavier=1.2",
    elastica_cloth wrong by "heavier=1.2",
    four_bar wrong by "rocker=0.2505",
    gears wrong by "meshing=false",
    gmsh wrong by "heavier=1.1",
    incline wrong by "mu=0.44",
    jelly_in_a_hammock wrong by "cut=1",
    one_pile wrong by "apart=0.8",
    pinched wrong by "there=false",
    screw wrong by "thinner=0.01",
    spring wrong by "stiffer=0.98",
    twisted_ring wrong by "above=0.98"
);
