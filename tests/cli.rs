//! The program as a person runs it.

mod support;

use assert_cmd::Command;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};
use support::{assert_equal_files, falling, write};
use tempfile::TempDir;

fn retake(folder: &Path) -> Command {
    let mut command = Command::cargo_bin("retake").unwrap();
    command.current_dir(folder).env("NO_COLOR", "1").timeout(std::time::Duration::from_mins(2));
    command
}

#[test]
fn a_scene_file_runs_and_a_second_run_changes_nothing() {
    let folder = TempDir::new().unwrap();
    write(folder.path(), &falling("fall", 12));
    retake(folder.path()).args(["run", "fall.json"]).assert().code(0);
    let run = folder.path().join("renders/fall");
    let first = support::files(&run);
    assert!(first.contains_key("frames/0013.frame"));
    assert!(first.contains_key("shot.json"));
    let again = retake(folder.path()).args(["run", "fall.json"]).assert().code(0);
    let said = String::from_utf8_lossy(&again.get_output().stderr).into_owned();
    assert!(said.contains("all frames to 13 are there"), "{said}");
    assert_eq!(support::files(&run), first);
    retake(folder.path()).args(["run", "fall.json", "--out", "other"]).assert().code(0);
    assert_equal_files(&run, &folder.path().join("other"));
}

/// Starts the program and kills it once it has told of `frames` frames.
fn kill_after(folder: &Path, arguments: &[&str], frames: usize, signal: &str) -> Option<i32> {
    let mut child = start(folder, arguments);
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    for _ in lines.map_while(Result::ok).take(frames) {}
    send(&child, signal);
    child.wait().unwrap().code()
}

fn start(folder: &Path, arguments: &[&str]) -> Child {
    std::process::Command::new(assert_cmd::cargo::cargo_bin("retake"))
        .current_dir(folder)
        .args(arguments)
        .args(["--progress", "json"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn send(child: &Child, signal: &str) {
    let status =
        std::process::Command::new("kill").args([signal, &child.id().to_string()]).status();
    assert!(status.unwrap().success());
}

#[test]
fn killed_at_ten_moments_it_ends_with_the_same_bytes() {
    let folder = TempDir::new().unwrap();
    write(folder.path(), &falling("fall", 60));
    retake(folder.path()).args(["run", "fall.json", "--out", "whole"]).assert().code(0);
    let arguments = ["run", "fall.json", "--out", "killed"];
    for frames in [1, 1, 2, 3, 5, 4, 7, 3, 1, 9] {
        kill_after(folder.path(), &arguments, frames, "-KILL");
    }
    // A writer that died in the middle of a file leaves only what nobody reads.
    let half = folder.path().join("killed/frames/0003.frame.part");
    std::fs::write(&half, b"half").unwrap();
    retake(folder.path()).args(arguments).assert().code(0);
    assert_equal_files(&folder.path().join("whole"), &folder.path().join("killed"));
}

#[test]
fn ctrl_c_keeps_what_is_done_and_the_next_run_goes_on() {
    let folder = TempDir::new().unwrap();
    write(folder.path(), &falling("fall", 400));
    let arguments = ["run", "fall.json", "--out", "stopped"];
    assert_eq!(kill_after(folder.path(), &arguments, 5, "-INT"), Some(3));
    let stopped = folder.path().join("stopped");
    let shot = shot(&stopped);
    assert_eq!(shot["status"], "interrupted");
    let made_to = shot["frame_range"]["made_to"].as_i64().unwrap();
    assert!(made_to >= 5);
    assert!(stopped.join(format!("frames/{made_to:04}.state")).exists());
    // The next run makes only what is missing.
    let child = start(folder.path(), &arguments).wait_with_output().unwrap();
    let text = String::from_utf8(child.stdout).unwrap();
    let first: serde_json::Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    assert_eq!(first["frame"].as_i64(), Some(made_to + 1));
    retake(folder.path()).args(["run", "fall.json", "--out", "whole"]).assert().code(0);
    assert_equal_files(&folder.path().join("whole"), &stopped);
}

fn shot(folder: &Path) -> serde_json::Value {
    serde_json::from_slice(&std::fs::read(folder.join("shot.json")).unwrap()).unwrap()
}

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    let folder = TempDir::new().unwrap();
    write(folder.path(), &falling("fall", 12));
    for threads in ["1", "2", "3"] {
        let arguments = ["run", "fall.json", "--out", threads, "--threads", threads];
        retake(folder.path()).args(arguments).assert().code(0);
    }
    assert_equal_files(&folder.path().join("1"), &folder.path().join("2"));
    assert_equal_files(&folder.path().join("1"), &folder.path().join("3"));
}

#[test]
fn a_second_writer_is_told_who_holds_the_folder() {
    let folder = TempDir::new().unwrap();
    write(folder.path(), &falling("fall", 20_000));
    let mut first = start(folder.path(), &["run", "fall.json"]);
    let mut lines = BufReader::new(first.stdout.take().unwrap()).lines();
    lines.next().unwrap().unwrap();
    let second = retake(folder.path()).args(["run", "fall.json"]).assert().code(2);
    let said = String::from_utf8_lossy(&second.get_output().stderr).into_owned();
    assert!(said.contains(&format!("process {}", first.id())), "{said}");
    send(&first, "-KILL");
    first.wait().unwrap();
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let folder = TempDir::new().unwrap();
    write(folder.path(), &falling("fall", 40));
    let mut child = start(folder.path(), &["run", "fall.json"]);
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let mut child = start(folder.path(), &["scene", "fall.json"]);
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_damaged_frame_is_named_and_made_again() {
    let folder = TempDir::new().unwrap();
    write(folder.path(), &falling("fall", 30));
    retake(folder.path()).args(["run", "fall.json"]).assert().code(0);
    let run = folder.path().join("renders/fall");
    let before = support::files(&run);
    let frame = run.join("frames/0017.frame");
    let mut bytes = std::fs::read(&frame).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&frame, bytes).unwrap();
    std::fs::write(run.join("frames/0011.state"), b"RTKSTATE").unwrap();
    let again = retake(folder.path()).args(["run", "fall.json"]).assert().code(0);
    let said = String::from_utf8_lossy(&again.get_output().stderr).into_owned();
    assert!(said.contains("0017.frame"), "{said}");
    assert!(said.contains("0011.state"), "{said}");
    assert_eq!(support::files(&run), before);
}

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

#[test]
fn what_is_wrong_is_refused_with_code_two() {
    let folder = TempDir::new().unwrap();
    write(folder.path(), &falling("fall", 5));
    let mut broken = falling("broken", 5);
    broken.meshes[0].triangles[0][0] = 99;
    write(folder.path(), &broken);
    std::fs::write(folder.path().join("half.json"), b"{\"version\": 1").unwrap();
    std::fs::write(folder.path().join("old.json"), b"{\"version\": 0}").unwrap();
    std::fs::write(folder.path().join("a.par"), b"").unwrap();
    let wrong: [&[&str]; 22] = [
        &[],
        &["fly"],
        &["run"],
        &["run", "nowhere.lua"],
        &["run", "broken.json"],
        &["run", "half.json"],
        &["run", "old.json"],
        &["run", "a.par"],
        &["run", "fall.json", "--set", "wind=3"],
        &["run", "fall.json", "--threads", "0"],
        &["run", "fall.json", "--take", "../x"],
        &["run", "fall.json", "--progress", "openjd"],
        &["run", "fall.json", "--model", "flex3d"],
        &["submit", "fall.json", "--to", "slurm"],
        &["watch", "fall.json"],
        &["why", "renders/fall"],
        &["compare", "a", "b"],
        &["bench"],
        &["convert", "a.obj", "b.ply"],
        &["inspect", "nowhere"],
        &["batch", "nowhere.toml"],
        &["sweep", "fall.json", "--vary", "wind"],
    ];
    for arguments in wrong {
        let ended = retake(folder.path()).args(arguments).assert().code(2);
        assert!(!ended.get_output().stderr.is_empty(), "{arguments:?} says nothing");
    }
    let watch = retake(folder.path()).args(["watch", "fall.json"]).assert().code(2);
    let said = String::from_utf8_lossy(&watch.get_output().stderr).into_owned();
    assert!(said.contains("`retake watch` is not built yet"), "{said}");
    assert!(!folder.path().join("renders").exists());
}

#[test]
fn small_commands_answer() {
    let folder = TempDir::new().unwrap();
    write(folder.path(), &falling("fall", 3));
    retake(folder.path()).args(["run", "fall.json"]).assert().code(0);
    let answered: [(&[&str], &str); 8] = [
        (&["--version"], "retake"),
        (&["--help"], "Usage"),
        (&["doctor"], "cores"),
        (&["check", "fall.json"], "cloth"),
        (&["scene", "fall.json"], "\"bodies\""),
        (&["inspect", "renders/fall"], "fall: done"),
        (&["completions", "bash"], "_retake"),
        (&["man"], "retake"),
    ];
    for (arguments, expected) in answered {
        let done = retake(folder.path()).args(arguments).assert().code(0);
        let said = String::from_utf8_lossy(&done.get_output().stdout).into_owned();
        assert!(said.contains(expected), "{arguments:?}: {said}");
    }
}

#[test]
fn one_failed_shot_does_not_stop_the_batch() {
    let folder = TempDir::new().unwrap();
    write(folder.path(), &falling("good", 5));
    std::fs::write(folder.path().join("bad.json"), b"{}").unwrap();
    let list = "[[shot]]\nscript = \"bad.json\"\n\
                [[shot]]\nscript = \"good.json\"\n\
                [[shot]]\nscript = \"good.json\"\nname = \"later\"\nafter = [\"bad\"]\n\
                [[shot]]\nscript = \"good.json\"\nname = \"second\"\nafter = [\"good\"]\n";
    std::fs::write(folder.path().join("SHOTS.toml"), list).unwrap();
    let done = retake(folder.path()).args(["batch", "SHOTS.toml", "--jobs", "2"]).assert().code(1);
    let said = String::from_utf8_lossy(&done.get_output().stdout).into_owned();
    let rows: Vec<&str> = said.lines().collect();
    assert!(rows[1].contains("wrong"), "{said}");
    assert!(rows[2].contains("done"), "{said}");
    assert!(rows[3].contains("left out: bad failed"), "{said}");
    assert!(rows[4].contains("done"), "{said}");
    assert!(folder.path().join("renders/second/frames/0006.frame").exists());
    assert!(!folder.path().join("renders/later").exists());
}
