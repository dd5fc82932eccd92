//! What an edit keeps, and what is moved aside.

use crate::support::{assert_equal_files, falling, write};
use crate::{retake, shot};
use tempfile::TempDir;

#[test]
fn what_an_edit_keeps() {
    let folder = TempDir::new().unwrap();
    let mut scene = falling("fall", 20);
    let run = |scene: &retake::scene::Scene| {
        write(folder.path(), scene);
        let done = retake(folder.path()).args(["run", "fall.json"]).assert().code(0);
        String::from_utf8_lossy(&done.get_output().stderr).into_owned()
    };
    run(&scene);
    scene.bodies[0].look.roughness = 0.1;
    assert!(run(&scene).contains("all frames to 21 are there"));
    scene.timing.frames = 25;
    assert!(run(&scene).contains("goes on after frame 21"));
    scene.bodies[0].translate = retake::math::Curve::Constant(glam::DVec3::new(0.0, 3.0, 0.0));
    assert!(run(&scene).contains("made again"));
    assert!(!folder.path().join("renders/fall.previous").exists());
    scene.source.parameters.insert("wind".into(), 3.into());
    let said = run(&scene);
    assert!(said.contains("fall.previous") && said.contains("wind was not set, is 3"), "{said}");
    let previous = folder.path().join("renders/fall.previous");
    assert!(previous.join("frames/0026.frame").exists());
    scene.source.script = "scripts/other.lua".into();
    assert!(run(&scene).contains("frames of another scene"));
    // What was made in pieces is what is made at once.
    retake(folder.path()).args(["run", "fall.json", "--out", "whole"]).assert().code(0);
    assert_equal_files(&folder.path().join("whole"), &folder.path().join("renders/fall"));
}

#[test]
fn an_edit_keeps_the_frames_before_the_first_that_changes() {
    use retake::math::{Curve, Ease, Key};
    let folder = TempDir::new().unwrap();
    let mut scene = falling("fall", 40);
    let gravity = |last: f64| {
        let key = |time: f64, y: f64| Key {
            time,
            value: glam::DVec3::new(0.0, y, 0.0),
            ease: Ease::Linear,
        };
        let keys = vec![key(0.0, -9.0), key(0.5, -3.0), key(1.0, -9.0), key(1.5, last)];
        Curve::Keys { keys, looped: false }
    };
    for (last, expected) in [(-1.0, "frames 1 to 41"), (4.0, "frames after 12 are made again")] {
        scene.gravity = gravity(last);
        write(folder.path(), &scene);
        let done = retake(folder.path()).args(["run", "fall.json"]).assert().code(0);
        let said = String::from_utf8_lossy(&done.get_output().stderr).into_owned();
        assert!(said.contains(expected), "{said}");
    }
    retake(folder.path()).args(["run", "fall.json", "--out", "whole"]).assert().code(0);
    assert_equal_files(&folder.path().join("whole"), &folder.path().join("renders/fall"));
}

#[test]
fn until_and_then_to_the_end() {
    let folder = TempDir::new().unwrap();
    write(folder.path(), &falling("fall", 30));
    let run = folder.path().join("renders/fall");
    retake(folder.path()).args(["run", "fall.json", "--until", "7"]).assert().code(0);
    assert_eq!(shot(&run)["frame_range"]["made_to"], 7);
    retake(folder.path()).args(["run", "fall.json", "--frames", "1-14x3"]).assert().code(0);
    assert_eq!(shot(&run)["frame_range"]["made_to"], 13);
    retake(folder.path()).args(["run", "fall.json"]).assert().code(0);
    retake(folder.path()).args(["run", "fall.json", "--out", "whole"]).assert().code(0);
    assert_equal_files(&folder.path().join("whole"), &run);
    for wrong in [["--until", "0"], ["--frames", "40-50"], ["--frames", "x"]] {
        retake(folder.path()).args(["run", "fall.json"]).args(wrong).assert().code(2);
    }
}
