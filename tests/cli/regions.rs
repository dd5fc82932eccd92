//! After an edit, regions that it does not touch are taken over, and the run ends with the bytes of a fresh one.

use crate::support::{assert_equal_files, files};
use crate::{kill_after, retake};
use std::path::Path;
use tempfile::TempDir;

/// Two stacks, a box that turns on a hinge, and a cloth that swings, far from each other; a ball comes in above
/// the first stack, and a puck slides towards the second, which it hits before the end.
const SCRIPT: &str = r#"
local retake = require "retake"
local shot = retake.shot { name = "apart", fps = 30, frames = 24 }
-- FIRST
shot:ground { friction = 0.1 }
local box = retake.mesh.box { size = 0.2 }
for i, x in ipairs { 0, 3 } do
  for k = 1, 2 do
    shot:rigid { name = ("box %d%d"):format(i, k), mesh = box, translate = { x, 0.22 * k - 0.1, 0 } }
  end
end
local sphere = retake.mesh.sphere { radius = 0.1, subdivisions = 1 }
shot:rigid { name = "ball", mesh = sphere, translate = { 0, 0.7, 0 }, appears = 0.2 }
shot:rigid { name = "puck", mesh = box, translate = { 2, 0.101, 0 }, velocity = { 2.4, 0, 0 } }
local door = shot:rigid { name = "door", mesh = box, translate = { 8, 1, 0 }, spin = { 0, 40, 0 } }
shot:joint { kind = "hinge", name = "jamb", a = door, about = { 8.2, 1, 0 }, axis = { 0, 1, 0 } }
local sheet = retake.mesh.grid { size = { 0.6, 0.6 }, vertices = { 7, 7 }, center = { -4, 1, 0 } }
local cloth = shot:cloth { name = "cloth", mesh = sheet }
shot:pin { name = "rail", points = cloth:edge "left" }
-- MORE
shot:output { sheet = 0, gltf = false, caches = true }
return shot
"#;

struct Shot(TempDir);

impl Shot {
    fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// Runs the script with `edits` made in it; returns what was said.
    fn run(&self, edits: &[(&str, &str)], more: &[&str]) -> String {
        let mut text = SCRIPT.to_owned();
        for (from, to) in edits {
            assert!(text.contains(from), "{from}");
            text = text.replace(from, to);
        }
        std::fs::write(self.path().join("apart.lua"), text).unwrap();
        let done = retake(self.path()).args(["run", "apart.lua"]).args(more).assert().code(0);
        String::from_utf8_lossy(&done.get_output().stderr).into_owned()
    }

    /// Runs the script before and after the edits, and compares with a fresh run.
    fn edit(&self, edits: &[(&str, &str)]) -> String {
        self.run(&[], &[]);
        let said = self.run(edits, &[]);
        self.run(edits, &["--out", "whole"]);
        assert_equal_files(&self.path().join("whole"), &self.path().join("renders/apart"));
        said
    }
}

fn taken_over(said: &str) -> Vec<&str> {
    said.lines().filter(|line| line.starts_with("taken over")).collect()
}

#[test]
fn an_edit_of_what_comes_in_leaves_the_other_regions() {
    let shot = Shot::new();
    let said = shot.edit(&[("appears = 0.2", "appears = 0.2, velocity = { 0.1, 0, 0 }")]);
    assert!(said.contains("all frames are made again"), "{said}");
    // The ball is near its stack from frame 13 on: until then the stack is the same.
    let expected = [
        "taken over: cloth, frames 3 to 25",
        "taken over: door, frames 3 to 25",
        "taken over: box 11, box 12, frames 3 to 12",
        "taken over: box 21, box 22, puck, frames 12 to 25",
    ];
    for line in expected {
        assert!(said.contains(line), "{line} not in {said}");
    }
    let told = retake(shot.path()).args(["inspect", "renders/apart"]).assert().code(0);
    let told = String::from_utf8_lossy(&told.get_output().stdout).into_owned();
    assert!(told.contains("taken over: door, frames 3 to 25"), "{told}");
    let clean = files(&shot.path().join("renders/apart"));
    assert!(!clean.keys().any(|name| name.contains("earlier")), "{:?}", clean.keys());
}

#[test]
fn an_edit_of_a_cloth_leaves_the_pile() {
    let shot = Shot::new();
    let edit = "name = \"cloth\", mesh = sheet, material = retake.material.fabric \"denim\" }";
    let said = shot.edit(&[("name = \"cloth\", mesh = sheet }", edit)]);
    assert!(said.contains("taken over: box 21, box 22, puck, frames 12 to 25"), "{said}");
    // The lower box rests until it feels the ball.
    assert!(said.contains("taken over: box 11, box 12, frames 3 to 12"), "{said}");
    assert!(said.contains("taken over: box 12, ball, frames 13 to 14"), "{said}");
    assert!(said.contains("taken over: box 11, box 12, ball, frames 14 to 21"), "{said}");
    assert!(!said.contains("taken over: cloth"), "{said}");
}

/// Frames that come before all that an edit changes are kept, with what their regions came to.
#[test]
fn an_edit_of_what_ends_later_keeps_the_frames_before() {
    let shot = Shot::new();
    let pin = |ends: f64| format!("shot:pin {{ points = cloth:edge \"right\", ends = {ends} }}");
    shot.run(&[("-- MORE", &pin(0.3))], &[]);
    let said = shot.run(&[("-- MORE", &pin(0.4))], &[]);
    assert!(said.contains("goes on after frame 9"), "{said}");
    assert!(said.contains("taken over: box 21, box 22, puck, frames 12 to 25"), "{said}");
    assert!(!said.contains("taken over: cloth"), "{said}");
    shot.run(&[("-- MORE", &pin(0.4))], &["--out", "whole"]);
    assert_equal_files(&shot.path().join("whole"), &shot.path().join("renders/apart"));
}

/// What the puck meets is touched from there on only.
#[test]
fn regions_that_meet_later_are_touched_from_there_on() {
    let shot = Shot::new();
    let said = shot.edit(&[("{ 2.4, 0, 0 }", "{ 2.5, 0, 0 }")]);
    assert!(said.contains("taken over: door, frames 3 to 25"), "{said}");
    // The lower box rests until it feels the ball, and again from a while after that on.
    assert!(said.contains("taken over: box 11, box 12, ball, frames 14 to 21"), "{said}");
    assert!(said.contains("taken over: box 21, box 22, frames 3 to 10"), "{said}");
    assert!(!said.contains("puck"), "{said}");
}

/// Bodies and constraints that come before others move their numbers, and their names where they have none.
#[test]
fn what_is_written_before_others_leaves_them() {
    let shot = Shot::new();
    let first = "local lid = shot:rigid { mesh = retake.mesh.box { size = 0.1 }, translate = { -9, 1, 0 } }\n\
        shot:joint { kind = \"hinge\", a = lid, about = { -9, 1, 0 }, axis = { 1, 0, 0 } }";
    // The ground stays the first body, as it touches all.
    let script = [
        ("-- FIRST", ""),
        ("local box", "-- SECOND\nlocal box"),
        ("-- SECOND", first),
        ("name = \"jamb\", ", ""),
    ];
    let said = shot.edit(&script);
    for name in ["door", "cloth", "box 12, ball", "box 21, box 22, puck"] {
        assert!(said.contains(&format!("taken over: {name}, ")), "{name} not in {said}");
    }
}

#[test]
fn what_acts_on_all_touches_all() {
    let shot = Shot::new();
    let said = shot.edit(&[("-- MORE", "shot:drag { linear = 0.1 }")]);
    assert!(taken_over(&said).is_empty(), "{said}");
    let said = shot.edit(&[("-- MORE", "shot:drag { linear = 0.1, bodies = { cloth } }")]);
    assert!(said.contains("taken over: door, frames 3 to 25"), "{said}");
    assert!(!said.contains("taken over: cloth"), "{said}");
}

/// Functions of the script are called anew; what they push is solved.
#[test]
fn measures_and_callbacks_are_called_anew() {
    let shot = Shot::new();
    let more = |push: f64| {
        format!(
            "shot:measure {{ name = \"high\", value = function(world) return world:body(\"door\"):position()[2] + {push} end }}\n\
             shot:on_frame(function(_, world)\n\
               if world.frame == 6 then world:body(\"box 11\"):push {{ impulse = {{ {push}, 0, 0 }} }} end\n\
             end)"
        )
    };
    shot.run(&[("-- MORE", &more(0.5))], &[]);
    let said = shot.run(&[("-- MORE", &more(0.6))], &[]);
    shot.run(&[("-- MORE", &more(0.6))], &["--out", "whole"]);
    assert_equal_files(&shot.path().join("whole"), &shot.path().join("renders/apart"));
    assert!(said.contains("taken over: door, frames 3 to 25"), "{said}");
    assert!(said.contains("taken over: box 11, box 12, frames 3 to 6"), "{said}");
}

/// The same of forces and of what is changed of joints; a run that is killed while they act ends as a whole one.
#[test]
fn forces_and_changed_joints_are_called_anew() {
    let shot = Shot::new();
    let named = "shot:joint { kind = \"hinge\", name = \"jamb\"";
    let kept = format!("local jamb = {named}");
    let more = |force: f64, speed: f64| {
        format!(
            "shot:on_frame(function(frame, world)\n\
               if frame >= 6 then world:body(\"box 11\"):push {{ force = {{ {force}, 0, 0 }} }} end\n\
               if frame == 10 then jamb:motor {{ speed = {speed} }}; jamb:limits {{ min = -20, max = 60 }} end\n\
             end)"
        )
    };
    let edits = |force: f64, speed: f64| [(named, kept.clone()), ("-- MORE", more(force, speed))];
    let run = |force: f64, speed: f64, more: &[&str]| {
        let edits = edits(force, speed);
        shot.run(&[(edits[0].0, &edits[0].1), (edits[1].0, &edits[1].1)], more)
    };
    run(9.0, 90.0, &[]);
    for (force, speed) in [(9.0, 150.0), (12.0, 150.0)] {
        let said = run(force, speed, &[]);
        let _ = std::fs::remove_dir_all(shot.path().join("whole"));
        run(force, speed, &["--out", "whole"]);
        assert_equal_files(&shot.path().join("whole"), &shot.path().join("renders/apart"));
        let door = if force == 9.0 {
            "taken over: door, frames 3 to 10"
        } else {
            "taken over: door, frames 3 to 25"
        };
        assert!(said.contains(door), "{said}");
    }
    std::fs::remove_dir_all(shot.path().join("renders")).unwrap();
    for frames in [7, 5] {
        kill_after(shot.path(), &["run", "apart.lua"], frames, "-KILL");
    }
    run(12.0, 150.0, &[]);
    assert_equal_files(&shot.path().join("whole"), &shot.path().join("renders/apart"));
}

#[test]
fn any_number_of_threads_and_a_kill_in_between_give_the_same_bytes() {
    let shot = Shot::new();
    let edit = [("{ 2.4, 0, 0 }", "{ 2.5, 0, 0 }")];
    shot.run(&edit, &["--out", "whole", "--threads", "2"]);
    for threads in ["1", "2", "3", "8"] {
        let _ = std::fs::remove_dir_all(shot.path().join("renders"));
        shot.run(&[], &["--threads", threads]);
        let text = SCRIPT.replace(edit[0].0, edit[0].1);
        std::fs::write(shot.path().join("apart.lua"), text).unwrap();
        for frames in [1, 3, 2] {
            kill_after(shot.path(), &["run", "apart.lua", "--threads", threads], frames, "-KILL");
        }
        shot.run(&edit, &["--threads", threads]);
        // Whichever sitting came to the end took something over.
        let clocks = shot.path().join("renders/apart/timings.json");
        assert!(std::fs::read_to_string(clocks).unwrap().contains("taken_over"));
        assert_equal_files(&shot.path().join("whole"), &shot.path().join("renders/apart"));
    }
}

/// What is kept of regions is checked when it is read, and found again where another edit has begun.
#[test]
fn damage_and_an_edit_of_an_edit() {
    let shot = Shot::new();
    shot.run(&[], &[]);
    let run = shot.path().join("renders/apart");
    let file = run.join("frames/0009.regions");
    let mut bytes = std::fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&file, bytes).unwrap();
    // The first edit is stopped half-way; the second finds its frames, and those of the run before.
    let first = [("{ 2.4, 0, 0 }", "{ 2.5, 0, 0 }")];
    let said = shot.run(&first, &["--until", "12"]);
    assert!(said.contains("0009.regions") && said.contains("solved again"), "{said}");
    let second = [first[0], ("spin = { 0, 40, 0 }", "spin = { 0, 45, 0 }")];
    let said = shot.run(&second, &[]);
    shot.run(&second, &["--out", "whole"]);
    assert_equal_files(&shot.path().join("whole"), &run);
    assert!(said.contains("taken over: cloth, frames 3 to 25"), "{said}");
    // And nothing is left of it where the person asks for none.
    let said = shot.run(&first, &["--fresh"]);
    assert!(taken_over(&said).is_empty(), "{said}");
}
