//! Scripts: callbacks, measures, parameters, sweeps.

use crate::support::assert_equal_files;
use crate::{kill_after, retake, shot, start};
use std::path::Path;
use tempfile::TempDir;

/// A small cloth that falls, watched by a callback and a measure.
const SCRIPT: &str = r#"local retake = require "retake"
local drop = retake.param("drop", 1.0, { min = 0, max = 5, unit = "m" })
local shot = retake.shot { name = "lua", fps = 24, frames = 14 }
local cloth = shot:cloth {
  name = "cloth", mesh = retake.mesh.grid { size = { 1, 1 }, vertices = { 4, 4 } },
  material = retake.material.fabric "cotton", translate = { 0, drop, 0 },
}
shot:output { gltf = false, caches = false, sheet = 0 }
shot:on_frame(function(frame, world)
  local memory = world.memory
  memory.sum = (memory.sum or 0) + frame
  print("sum", memory.sum)
  if frame == 3 then world:event { name = "three", body = cloth } end
  -- CALLBACK
end)
shot:measure {
  name = "height", unit = "m", min = -100,
  value = function(world) return world:body("cloth"):position()[2] end,
}
return shot
"#;

fn write(folder: &Path, callback: &str) {
    let text = SCRIPT.replace("-- CALLBACK", callback);
    std::fs::write(folder.join("lua.lua"), text).unwrap();
}

fn said(output: &std::process::Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn callbacks_remember_through_kills() {
    let folder = TempDir::new().unwrap();
    write(folder.path(), "");
    retake(folder.path()).args(["run", "lua.lua", "--out", "whole"]).assert().code(0);
    let log = std::fs::read_to_string(folder.path().join("whole/log.txt")).unwrap();
    assert!(log.contains("[14] sum\t105"), "{log}");
    assert!(!log.contains("[15]"), "the last frame calls nobody: {log}");
    for frames in [1, 3, 2] {
        kill_after(folder.path(), &["run", "lua.lua", "--out", "killed"], frames, "-KILL");
    }
    retake(folder.path()).args(["run", "lua.lua", "--out", "killed"]).assert().code(0);
    assert_equal_files(&folder.path().join("whole"), &folder.path().join("killed"));
    let csv = std::fs::read_to_string(folder.path().join("whole/figures.csv")).unwrap();
    assert!(csv.lines().next().unwrap().ends_with(",height"), "{csv}");
    let events = std::fs::read_to_string(folder.path().join("whole/events.jsonl")).unwrap();
    assert!(events.contains("\"three\""), "{events}");
}

#[test]
fn a_scene_file_is_the_script() {
    let folder = TempDir::new().unwrap();
    write(folder.path(), "");
    let scene = retake(folder.path()).args(["scene", "lua.lua"]).assert().code(0);
    std::fs::write(folder.path().join("lua.json"), &scene.get_output().stdout).unwrap();
    for (script, out) in [("lua.lua", "a"), ("lua.json", "b")] {
        retake(folder.path()).args(["run", script, "--out", out]).assert().code(0);
        // Each tells what it was asked for; all else is equal.
        let asked = folder.path().join(out).join("frames/asked.json");
        assert!(std::fs::read_to_string(&asked).unwrap().contains(script));
        std::fs::remove_file(asked).unwrap();
    }
    assert_equal_files(&folder.path().join("a"), &folder.path().join("b"));
    // The functions are in the script: without it, or with another, the scene is refused.
    write(folder.path(), "-- edited");
    let refused = retake(folder.path()).args(["run", "lua.json"]).assert().code(2);
    assert!(said(refused.get_output()).contains("no longer the script"));
}

#[test]
fn checks_errors_and_stops_have_their_codes() {
    let folder = TempDir::new().unwrap();
    let run = folder.path().join("renders/lua");
    write(folder.path(), "");
    let text = std::fs::read_to_string(folder.path().join("lua.lua")).unwrap();
    std::fs::write(folder.path().join("lua.lua"), text.replace("-100", "0.9")).unwrap();
    let failed = retake(folder.path()).args(["run", "lua.lua"]).assert().code(4);
    assert!(said(failed.get_output()).contains("check `height` failed"));
    assert_eq!(shot(&run)["status"], "checks failed");

    write(folder.path(), "if frame == 6 then error(\"too far\") end");
    let failed = retake(folder.path()).args(["run", "lua.lua"]).assert().code(1);
    let text = said(failed.get_output());
    assert!(text.contains("too far") && text.contains("lua.lua:14"), "{text}");
    assert_eq!(shot(&run)["status"], "failed");
    assert!(run.join("frames/0005.frame").exists());

    write(folder.path(), "if frame == 4 then world:stop { reason = \"enough\" } end");
    retake(folder.path()).args(["run", "lua.lua"]).assert().code(0);
    assert_eq!(shot(&run)["frame_range"]["made_to"], 4);
    assert_eq!(shot(&run)["stopped"], "enough");
    retake(folder.path()).args(["verify", "renders/lua"]).assert().code(0);
}

#[test]
fn mistakes_of_a_script_are_shown_with_their_line() {
    let folder = TempDir::new().unwrap();
    write(folder.path(), "");
    let bad = "local retake = require \"retake\"\nlocal shot = retake.shot { nam = \"x\" }\n";
    std::fs::write(folder.path().join("bad.lua"), bad).unwrap();
    let refused = retake(folder.path()).args(["run", "bad.lua"]).assert().code(2);
    let text = said(refused.get_output());
    for part in ["bad.lua:2", "retake.shot { nam", "help"] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
    for set in ["drop=high", "drop=9", "dorp=1", "drop"] {
        retake(folder.path()).args(["run", "lua.lua", "--set", set]).assert().code(2);
    }
    assert!(!folder.path().join("renders").exists());
}

#[test]
fn parameters_are_listed_even_if_nobody_reads_on() {
    let folder = TempDir::new().unwrap();
    write(folder.path(), "");
    let listed = retake(folder.path()).args(["params", "lua.lua", "--json"]).assert().code(0);
    let list: serde_json::Value = serde_json::from_slice(&listed.get_output().stdout).unwrap();
    assert_eq!(list[0]["name"], "drop");
    let mut child = start(folder.path(), &["params", "lua.lua"]);
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    // What stands in a file may be overruled on the command line.
    std::fs::write(folder.path().join("p.json"), b"{ \"drop\": 2.5 }").unwrap();
    let run = ["run", "lua.lua", "--params", "p.json", "--until", "1"];
    retake(folder.path()).args(run).assert().code(0);
    assert_eq!(shot(&folder.path().join("renders/lua"))["parameters"]["drop"], 2.5);
    retake(folder.path()).args(run).args(["--set", "drop=3"]).assert().code(0);
    assert_eq!(shot(&folder.path().join("renders/lua"))["parameters"]["drop"], 3.0);
}

#[test]
fn a_sweep_leaves_a_folder_a_variant_a_sheet_and_tables() {
    let folder = TempDir::new().unwrap();
    write(folder.path(), "");
    let arguments = ["sweep", "lua.lua", "--vary", "drop=1..2:2", "--until", "4"];
    retake(folder.path()).args(arguments).args(["--quality", "draft"]).assert().code(0);
    let sweep = folder.path().join("renders/lua.sweep");
    for name in ["drop=1/shot.json", "drop=2/frames/0004.frame", "sheet.png", "table.json"] {
        assert!(sweep.join(name).exists(), "{name}");
    }
    let table = std::fs::read_to_string(sweep.join("table.csv")).unwrap();
    assert!(table.starts_with("folder,drop,status,frames"), "{table}");
    assert_eq!(table.lines().count(), 3);
    assert!(table.lines().next().unwrap().ends_with("height"), "{table}");
    retake(folder.path()).args(["sweep", "lua.lua", "--vary", "dorp=1,2"]).assert().code(2);
}

#[test]
fn a_new_script_is_sound_and_never_written_over() {
    let folder = TempDir::new().unwrap();
    retake(folder.path()).args(["new", "hello"]).assert().code(0);
    retake(folder.path()).args(["check", "hello.lua"]).assert().code(0);
    retake(folder.path()).args(["new", "hello"]).assert().code(2);
}

#[test]
fn a_mesh_file_is_inspected() {
    let folder = TempDir::new().unwrap();
    let obj = "o Plank\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    std::fs::write(folder.path().join("set.obj"), obj).unwrap();
    let done = retake(folder.path()).args(["inspect", "set.obj"]).assert().code(0);
    assert!(String::from_utf8_lossy(&done.get_output().stdout).contains("Plank"));
}

/// A rope is written as a tube and a thick, smooth sheet as such; what is simulated stays what it is.
#[test]
fn what_is_drawn_is_what_is_exported() {
    let folder = TempDir::new().unwrap();
    let script = r#"
local retake = require "retake"
local shot = retake.shot { name = "drawn", frames = 2 }
local sheet = shot:cloth { name = "sheet", mesh = retake.mesh.grid { vertices = { 4, 3 } } }
sheet:look { subdivide = 1, solidify = 0.01 }
shot:pin { points = sheet:edge "top" }
shot:rope { name = "line", radius = 0.02, mesh = retake.mesh.rope { from = { 2, 0, 0 }, to = { 3, 0, 0 }, segments = 5 } }
shot:output { gltf = true, obj = true, sheet = 0 }
return shot
"#;
    std::fs::write(folder.path().join("drawn.lua"), script).unwrap();
    retake(folder.path()).args(["run", "drawn.lua", "--out", "drawn"]).assert().code(0);
    let vertices = |name: &str| {
        let text = std::fs::read_to_string(folder.path().join("drawn/obj").join(name)).unwrap();
        text.lines().filter(|l| l.starts_with("v ")).count()
    };
    // 4 x 3 vertices and 23 edges, twice; 6 rings of the line and 6 of its ends with 12 corners, two tips.
    assert_eq!(vertices("sheet.0002.obj"), 2 * (12 + 23));
    assert_eq!(vertices("line.0002.obj"), 12 * 12 + 2);
    retake(folder.path()).args(["verify", "drawn"]).assert().code(0);
}

/// A finished run is a stage: what moved or deformed there is a collider that does the same, from the run's first
/// frame on, vertex for vertex; it may begin later.
#[test]
fn a_run_is_a_stage() {
    let folder = TempDir::new().unwrap();
    let first = r#"local retake = require "retake"
local shot = retake.shot { name = "first", frames = 8, start_frame = 11 }
local sheet = shot:cloth { name = "sheet", mesh = retake.mesh.grid { size = { 1, 1 }, vertices = { 6, 6 } } }
shot:pin { points = sheet:edge "top" }
shot:rigid { name = "box", mesh = retake.mesh.box { size = 0.2 }, translate = { 2, 1, 0 }, spin = { 0, 90, 0 } }
shot:collider { name = "wall", mesh = retake.mesh.box { size = 0.5 }, translate = { 4, 0, 0 } }
shot:wind { velocity = { 0, 0, 3 } }
shot:output { obj = true, sheet = 0 }
return shot
"#;
    std::fs::write(folder.path().join("first.lua"), first).unwrap();
    retake(folder.path()).args(["run", "first.lua", "--out", "made"]).assert().code(0);
    let second = |later: &str| {
        format!(
            r#"local retake = require "retake"
local shot = retake.shot {{ name = "second", frames = 8, start_frame = 11 }}
local set = retake.stage "made"
for _, name in ipairs(set:names {{ kind = "mesh" }}) do
  shot:collider {{ name = name, from = set, object = name{later} }}
end
local line = shot:rope {{ name = "line", mesh = retake.mesh.rope {{ from = {{ 7, 0, 0 }}, to = {{ 8, 0, 0 }}, segments = 3 }} }}
shot:output {{ obj = true, sheet = 0 }}
return shot
"#
        )
    };
    std::fs::write(folder.path().join("second.lua"), second("")).unwrap();
    std::fs::write(folder.path().join("later.lua"), second(", clip_start = 3 / 24")).unwrap();
    for (script, out, late) in [("second.lua", "again", 0), ("later.lua", "later", 3)] {
        retake(folder.path()).args(["run", script, "--out", out]).assert().code(0);
        for name in ["sheet", "box"] {
            for frame in 11..=19 {
                let places = |run: &str, frame: i32| -> Vec<Vec<f64>> {
                    let path = folder.path().join(format!("{run}/obj/{name}.{frame:04}.obj"));
                    let text = std::fs::read_to_string(path).unwrap();
                    let numbers = |l: &str| l[2..].split(' ').map(|x| x.parse().unwrap()).collect();
                    text.lines().filter(|l| l.starts_with("v ")).map(numbers).collect()
                };
                let (there, here) = (places("made", (frame - late).max(11)), places(out, frame));
                assert_eq!(there.len(), here.len());
                // Files hold f32; poses are turned into places anew.
                let near = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-6;
                let equal = there.iter().flatten().zip(here.iter().flatten()).all(near);
                assert!(equal, "{name} at frame {frame} of {out}");
            }
        }
    }
    std::fs::remove_dir_all(folder.path().join("made/gltf")).unwrap();
    let refused = retake(folder.path()).args(["check", "second.lua"]).assert().code(2);
    assert!(said(refused.get_output()).contains("retake export made --format gltf"));
}

/// Degrees of freedom: three a point, six a rigid body, none of what stands.
#[test]
fn check_tells_the_degrees_of_freedom() {
    let folder = TempDir::new().unwrap();
    let script = "local retake = require \"retake\"
      local shot = retake.shot{ name = \"f\", frames = 2 }
      shot:cloth{ name = \"sheet\", mesh = retake.mesh.grid{ vertices = { 4, 5 } }, translate = { 0, 3, 0 } }
      shot:rigid{ name = \"box\", mesh = retake.mesh.box{ size = 0.2 }, translate = { 0, 1, 0 } }
      shot:ground{}
      return shot";
    std::fs::write(folder.path().join("f.lua"), script).unwrap();
    let said = retake(folder.path()).args(["check", "f.lua"]).assert().code(0);
    let text = String::from_utf8(said.get_output().stdout.clone()).unwrap();
    let freedom = |name: &str| {
        let line = text.lines().find(|line| line.starts_with(name)).unwrap_or_default();
        line.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    assert!(freedom("sheet").contains(&"60".to_owned()), "{text}");
    assert!(freedom("box").contains(&"6".to_owned()), "{text}");
    assert!(text.contains("66 degrees of freedom"), "{text}");
}
