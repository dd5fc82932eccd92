//! Stopped, killed, damaged, disturbed: what is done stays, and the end is the same.

use crate::support::{self, assert_equal_files, falling, write};
use crate::{kill_after, retake, send, shot, start};
use retake::production::{Variant, sweep_row};
use std::io::{BufRead, BufReader};
use tempfile::TempDir;

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

/// Whoever waits sees the first frame while the others are made; the whole sheet takes its place.
#[test]
fn a_first_picture_comes_before_the_end() {
    let folder = TempDir::new().unwrap();
    let mut scene = falling("fall", 400);
    scene.output.sheet = retake::scene::Sheet::Count(2);
    write(folder.path(), &scene);
    let arguments = ["run", "fall.json", "--out", "stopped"];
    assert_eq!(kill_after(folder.path(), &arguments, 5, "-INT"), Some(3));
    let sheet = folder.path().join("stopped/sheet.png");
    let first = std::fs::read(&sheet).unwrap();
    retake(folder.path()).args(arguments).assert().code(0);
    assert_ne!(first, std::fs::read(&sheet).unwrap());
    retake(folder.path()).args(["run", "fall.json", "--out", "whole"]).assert().code(0);
    assert_equal_files(&folder.path().join("whole"), &folder.path().join("stopped"));
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
fn what_lies_behind_a_damaged_frame_is_not_left_out_without_a_word() {
    let folder = TempDir::new().unwrap();
    write(folder.path(), &falling("fall", 12));
    retake(folder.path()).args(["run", "fall.json"]).assert().code(0);
    let frame = folder.path().join("renders/fall/frames/0007.frame");
    std::fs::write(&frame, b"x").unwrap();
    let export = |more: &[&str], code: i32| {
        let arguments = ["export", "renders/fall", "--format", "obj"];
        let done = retake(folder.path()).args(arguments).args(more).assert().code(code);
        String::from_utf8_lossy(&done.get_output().stderr).into_owned()
    };
    let obj = folder.path().join("renders/fall/obj");
    let said = export(&[], 2);
    assert!(said.contains("0007.frame cannot be read") && said.contains("--frames 1-6"), "{said}");
    assert!(!obj.exists());
    let drawn = ["render", "renders/fall", "--frames", "6-8", "--samples", "1", "--width", "32"];
    retake(folder.path()).args(drawn).assert().code(2);
    export(&["--frames", "1-6"], 0);
    let names = std::fs::read_dir(&obj).unwrap().map(|entry| entry.unwrap().file_name());
    let frames = names.filter(|name| name.to_string_lossy().ends_with(".obj")).count();
    assert_eq!(frames, 6);
    std::fs::remove_file(&frame).unwrap();
    let said = export(&[], 0);
    assert!(said.contains("frame 7 is missing: the 6 frames that lie behind it"), "{said}");
}

#[test]
fn frames_that_are_asked_for_and_not_there_are_told() {
    let folder = TempDir::new().unwrap();
    write(folder.path(), &falling("fall", 6));
    retake(folder.path()).args(["run", "fall.json"]).assert().code(0);
    let arguments = ["export", "renders/fall", "--format", "obj", "--frames", "5-99"];
    let done = retake(folder.path()).args(arguments).assert().code(0);
    let said = String::from_utf8_lossy(&done.get_output().stderr).into_owned();
    assert!(said.contains("the run has frames 1 to 7, and none up to 99"), "{said}");
}

/// What a run goes on from is looked at as well: a state of another frame would bring other frames.
#[test]
fn what_is_kept_to_go_on_from_is_verified() {
    let folder = TempDir::new().unwrap();
    write(folder.path(), &falling("fall", 12));
    retake(folder.path()).args(["run", "fall.json"]).assert().code(0);
    let run = folder.path().join("renders/fall");
    let before = support::files(&run);
    let verified = |code: i32| {
        let verified = retake(folder.path()).args(["verify", "renders/fall"]).assert().code(code);
        String::from_utf8_lossy(&verified.get_output().stdout).into_owned()
    };
    assert!(verified(0).contains("nothing is missing"));
    let state = run.join("frames/0011.state");
    std::fs::copy(run.join("frames/0001.state"), &state).unwrap();
    let said = verified(1);
    assert!(said.contains("0011.state is not the state of frame 11"), "{said}");
    std::fs::write(&state, b"x").unwrap();
    let said = verified(1);
    assert!(said.contains("0011.state cannot be read"), "{said}");
    std::fs::remove_file(&state).unwrap();
    std::fs::write(run.join("frames/store.json"), b"{").unwrap();
    let said = verified(1);
    assert!(said.contains("store.json: what the frames were made of cannot be read"), "{said}");
    let again = retake(folder.path()).args(["run", "fall.json"]).assert().code(0);
    let said = String::from_utf8_lossy(&again.get_output().stderr).into_owned();
    assert!(said.contains("what the frames were made of cannot be read"), "{said}");
    assert!(said.contains("all frames are made again") && !said.contains("changed"), "{said}");
    assert_eq!(support::files(&run), before);
}

/// `shot.json` is written at the end.
#[test]
fn verify_looks_at_all_frames_of_a_run_that_was_killed() {
    let folder = TempDir::new().unwrap();
    write(folder.path(), &falling("fall", 12));
    retake(folder.path()).args(["run", "fall.json"]).assert().code(0);
    let run = folder.path().join("renders/fall");
    let mut told = shot(&run);
    told["frame_range"]["made_to"] = serde_json::Value::Null;
    told["status"] = "running".into();
    std::fs::write(run.join("shot.json"), told.to_string()).unwrap();
    std::fs::write(run.join("frames/0009.frame"), b"x").unwrap();
    let inspected = retake(folder.path()).args(["inspect", "renders/fall"]).assert().code(0);
    let said = String::from_utf8_lossy(&inspected.get_output().stdout).into_owned();
    assert!(said.starts_with("fall: killed, frames 1 to 8 of 13\n"), "{said}");
    assert!(said.lines().any(|line| line.trim_start().starts_with("8 ")), "{said}");
    // A sweep's table tells it as well.
    let variant = Variant { name: "fall".into(), values: Vec::new() };
    let row = sweep_row(&folder.path().join("renders"), &variant, "failed");
    let cell = |name: &str| row.columns.iter().find(|c| c.0 == name).unwrap().1.clone();
    assert_eq!((cell("status"), cell("frames")), ("killed".into(), 8.into()));
    let verified = retake(folder.path()).args(["verify", "renders/fall"]).assert().code(1);
    let said = String::from_utf8_lossy(&verified.get_output().stdout).into_owned()
        + &String::from_utf8_lossy(&verified.get_output().stderr);
    assert!(said.contains("0009.frame cannot be read") && said.contains("13 frames"), "{said}");
}

/// What the guard keeps apart lies in one place once it is rounded a thousand kilometres away.
#[test]
fn what_crosses_as_it_is_stored_far_away_ends_the_run() {
    let folder = TempDir::new().unwrap();
    let script = "local retake = require \"retake\"\n\
        local shot = retake.shot { name = \"far\", frames = 6 }\n\
        local mesh = retake.mesh.grid { size = { 1, 1 }, vertices = { 10, 10 }, normal = { 0, 1, 0 } }\n\
        shot:cloth { name = \"cloth\", mesh = mesh, velocity = { 1e7, 0, 0 } }\n\
        return shot";
    std::fs::write(folder.path().join("far.lua"), script).unwrap();
    let arguments = ["run", "far.lua", "--no-images", "--no-export"];
    let failed = retake(folder.path()).args(arguments).assert().code(1);
    let said = String::from_utf8_lossy(&failed.get_output().stderr).into_owned();
    assert!(said.contains("crosses") && said.contains("m from the origin"), "{said}");
    assert_eq!(shot(&folder.path().join("renders/far"))["status"], "failed");
    let verified = retake(folder.path()).args(["verify", "renders/far"]).assert().code(1);
    let said = String::from_utf8_lossy(&verified.get_output().stdout).into_owned();
    assert!(!said.contains("crosses"), "{said}");
}

/// Exports and pictures follow the simulation, and are what they are when they are made at the end.
#[test]
fn what_is_written_beside_the_simulation_is_what_is_written_after_it() {
    let folder = TempDir::new().unwrap();
    let script = "local retake = require \"retake\"\n\
        local shot = retake.shot { name = \"beside\", frames = 30 }\n\
        local mesh = retake.mesh.grid { size = { 1, 1 }, vertices = { 20, 20 }, normal = { 0, 1, 0 } }\n\
        shot:cloth { name = \"cloth\", mesh = mesh, translate = { 0, 0.5, 0 } }\n\
        shot:ground {}:look { color = \"#777777\" }\n\
        shot:camera { position = { 2, 1, 2 }, look_at = { 0, 0.2, 0 } }\n\
        shot:output { sheet = 0, obj = true, images = { width = 32, height = 18, samples = 1, every = 5 } }\n\
        return shot";
    std::fs::write(folder.path().join("beside.lua"), script).unwrap();
    let run = |out: &str, more: &[&str]| {
        let arguments = ["run", "beside.lua", "--out", out];
        retake(folder.path()).args(arguments).args(more).assert().code(0);
    };
    run("beside", &["--threads", "4"]);
    run("after", &["--no-images", "--no-export"]);
    run("after", &["--threads", "1"]);
    assert_equal_files(&folder.path().join("beside"), &folder.path().join("after"));
    // The pace tells that files were written while frames were still made.
    let clocks = std::fs::read(folder.path().join("beside/timings.json")).unwrap();
    let clocks: serde_json::Value = serde_json::from_slice(&clocks).unwrap();
    let pace = |frame: &str, what: &str| clocks["pace"][frame][what].as_f64().unwrap();
    assert!(pace("1", "simulated") <= pace("1", "written"), "{clocks}");
    assert!(pace("1", "drawn") < pace("31", "simulated"), "{clocks}");
    // What a stopped run has written beside is listed, and goes with the frames of another version.
    kill_after(folder.path(), &["run", "beside.lua", "--out", "stopped"], 12, "-INT");
    run("stopped", &[]);
    assert_equal_files(&folder.path().join("beside"), &folder.path().join("stopped"));
}
