//! What `retake why` says is what a run then does.

use crate::retake;
use crate::support::files;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const SCRIPT: &str = r##"
local retake = require "retake"
local gust = retake.param("gust", 0.5, { unit = "s" })
local shot = retake.shot { name = "gust", fps = 24, frames = 18 }
local mesh = retake.mesh.grid { size = { 1, 1 }, vertices = { 5, 5 } }
local cloth = shot:cloth { name = "cloth", mesh = mesh, friction = 0.3 }
cloth:look { color = "#aa3322" }
shot:pin { points = cloth:edge "top" }
shot:wind { name = "gust", velocity = { 0, 0, 6 }, starts = gust }
shot:ground { height = -2 }:look { color = "#888888" }
shot:camera { name = "main", position = { 0, 0, 4 }, look_at = { 0, 0, 0 } }
-- MORE
shot:output { sheet = 3, images = { width = 32, height = 18, samples = 1, every = 6 }, caches = true }
return shot
"##;

struct Shot {
    folder: TempDir,
    text: String,
}

/// What a run made.
#[derive(Debug, PartialEq)]
struct Did {
    frames: Vec<i64>,
    /// Formats, `sheet.png`, and `pictures`.
    outputs: BTreeSet<String>,
    /// Frames of numbered pictures.
    pictures: BTreeSet<i64>,
}

impl Shot {
    fn new() -> Self {
        let shot = Self { folder: TempDir::new().unwrap(), text: SCRIPT.to_owned() };
        shot.write();
        shot
    }

    fn write(&self) {
        std::fs::write(self.folder.path().join("gust.lua"), &self.text).unwrap();
    }

    fn edit(&mut self, from: &str, to: &str) {
        assert!(self.text.contains(from), "{from}");
        self.text = self.text.replace(from, to);
        self.write();
    }

    fn run_folder(&self) -> PathBuf {
        self.folder.path().join("renders/gust")
    }

    fn why(&self, more: &[&str]) -> Value {
        let arguments = ["why", "renders/gust", "--json"];
        let before = stamps(&self.run_folder());
        let told = retake(self.folder.path()).args(arguments).args(more).assert().code(0);
        assert_eq!(before, stamps(&self.run_folder()), "nothing is written");
        serde_json::from_slice(&told.get_output().stdout).unwrap()
    }

    fn told(&self) -> String {
        let told = retake(self.folder.path()).args(["why", "renders/gust"]).assert().code(0);
        String::from_utf8_lossy(&told.get_output().stdout).into_owned()
    }

    fn run(&self, more: &[&str]) -> Did {
        let run = self.run_folder();
        let before = stamps(&run);
        let arguments = ["run", "gust.lua", "--progress", "json"];
        let done = retake(self.folder.path()).args(arguments).args(more).assert().code(0);
        let said = String::from_utf8_lossy(&done.get_output().stdout).into_owned();
        let lines = said.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let frames = lines.filter_map(|line| line["frame"].as_i64()).collect();
        let ledger: BTreeMap<String, Value> = std::fs::read(run.join("frames/outputs.json"))
            .map_or_else(|_| BTreeMap::new(), |bytes| serde_json::from_slice(&bytes).unwrap());
        let (mut outputs, mut pictures) = (BTreeSet::new(), BTreeSet::new());
        let after = stamps(&run);
        for (name, entry) in ledger {
            if before.get(&name) == after.get(&name) {
                continue;
            }
            match entry["kind"].as_str().unwrap() {
                "images" => {
                    outputs.insert("pictures".to_owned());
                    let number = name.rsplit('.').nth(1).unwrap();
                    pictures.insert(number.parse().unwrap());
                }
                "sheet" => {
                    outputs.insert("sheet.png".to_owned());
                }
                format => {
                    outputs.insert(format.to_owned());
                }
            }
        }
        Did { frames, outputs, pictures }
    }

    /// Asks why, runs, and compares.
    fn agree(&self, more: &[&str]) -> Value {
        let why = self.why(more);
        let did = self.run(more);
        let frames: Vec<i64> =
            why["frames"].as_array().unwrap().iter().map(|n| n.as_i64().unwrap()).collect();
        assert_eq!(frames, did.frames, "{why:#}");
        let outputs = why["outputs"].as_array().unwrap();
        let of = |sure: bool| -> BTreeSet<String> {
            let told = outputs.iter().filter(|o| !sure || o["sure"] == true);
            told.map(|o| o["what"].as_str().unwrap().to_owned()).collect()
        };
        assert!(of(true).is_subset(&did.outputs), "{why:#} {did:?}");
        assert!(did.outputs.is_subset(&of(false)), "{why:#} {did:?}");
        let pictures = |sure: bool| -> BTreeSet<i64> {
            let told = outputs.iter().filter(|o| o["what"] == "pictures");
            let told = told.filter(|o| !sure || o["sure"] == true);
            told.flat_map(|o| o["frames"].as_array().unwrap()).filter_map(Value::as_i64).collect()
        };
        assert!(pictures(true).is_subset(&did.pictures), "{why:#} {did:?}");
        assert!(did.pictures.is_subset(&pictures(false)), "{why:#} {did:?}");
        let measured = why["measured_again"].as_array().unwrap();
        let is_stale =
            [frames.is_empty(), outputs.is_empty(), measured.is_empty()].contains(&false);
        assert_eq!(why["stale"], is_stale);
        why
    }
}

/// Which file lies at each path: another one where it was written again.
fn stamps(folder: &Path) -> BTreeMap<String, (u64, i64, i64)> {
    if !folder.exists() {
        return BTreeMap::new();
    }
    let stamp = |name: &String| {
        let data = std::fs::metadata(folder.join(name)).unwrap();
        (data.ino(), data.mtime(), data.mtime_nsec())
    };
    files(folder).keys().map(|name| (name.clone(), stamp(name))).collect()
}

fn whats(why: &Value) -> Vec<&str> {
    why["outputs"].as_array().unwrap().iter().filter_map(|o| o["what"].as_str()).collect()
}

#[test]
fn nothing_is_stale_after_a_run_or_a_comment() {
    let mut shot = Shot::new();
    shot.run(&[]);
    assert_eq!(shot.agree(&[])["stale"], false);
    shot.edit("-- MORE", "-- a remark\n-- MORE");
    assert_eq!(shot.agree(&[])["stale"], false);
    assert!(shot.told().contains("nothing is stale"));
}

#[test]
fn an_edit_is_named_with_its_first_frame() {
    let mut shot = Shot::new();
    shot.run(&[]);
    // Frame 12 ends at 0.458 s; that from 0.458 to 0.5 s may look ahead.
    shot.edit("starts = gust", "starts = gust + 0.1");
    let told = shot.told();
    assert!(told.contains("from frame 13: force gust, starts: 0.6, was 0.5"), "{told}");
    assert!(told.contains("frames 1 to 12 are kept"), "{told}");
    assert_eq!(shot.agree(&[])["from"], 13);
    shot.edit("friction = 0.3", "friction = 0.4");
    let told = shot.told();
    assert!(told.contains("from frame 1: body cloth, friction: 0.4, was 0.3"), "{told}");
    assert_eq!(shot.agree(&[])["from"], 1);
    shot.edit("vertices = { 5, 5 }", "vertices = { 5, 6 }");
    let told = shot.told();
    assert!(told.contains("body cloth, mesh: 30 vertices, 40 triangles"), "{told}");
    assert_eq!(shot.agree(&[])["from"], 1);
    shot.edit("frames = 18", "frames = 20");
    assert_eq!(shot.agree(&[])["frames"], serde_json::json!([20, 21]));
    shot.edit("-- MORE", "shot:rigid { name = \"ball\", mesh = retake.mesh.box { size = 0.1 }, translate = { 3, 0, 0 } }");
    let told = shot.told();
    assert!(told.contains("from frame 1: body ball: new, was not there"), "{told}");
    assert_eq!(shot.agree(&[])["from"], 1);
}

#[test]
fn looks_settings_and_lost_files_make_outputs_stale() {
    let mut shot = Shot::new();
    shot.run(&[]);
    shot.edit("#aa3322", "#22aa33");
    let why = shot.agree(&[]);
    assert_eq!(whats(&why), ["gltf", "pc2", "sheet.png", "pictures"]);
    assert!(why.to_string().contains("body cloth, look.color"), "{why:#}");
    shot.edit("samples = 1", "samples = 2");
    let why = shot.agree(&[]);
    assert!(!whats(&why).contains(&"gltf"), "{why:#}");
    assert!(why.to_string().contains("images.samples: 2, was 1"), "{why:#}");
    shot.edit("caches = true", "caches = true, obj = true, alembic = true");
    let why = shot.agree(&[]);
    assert_eq!(whats(&why), ["obj", "abc"]);
    std::fs::remove_file(shot.run_folder().join("images/gust.0007.png")).unwrap();
    std::fs::write(shot.run_folder().join("gltf/gust.glb"), b"short").unwrap();
    let why = shot.agree(&[]);
    assert_eq!(whats(&why), ["gltf", "pictures"]);
    let text = why.to_string();
    assert!(text.contains("gust.0007.png is not there"), "{text}");
    assert!(text.contains("gltf/gust.glb is not as it was written"), "{text}");
    std::fs::remove_file(shot.run_folder().join("frames/0005.frame")).unwrap();
    assert_eq!(shot.agree(&[])["frames"], serde_json::json!([5]));
}

/// Parameters that a run was given hold; those that it was not given are the script's.
#[test]
fn parameters_are_those_of_the_run() {
    let mut shot = Shot::new();
    shot.run(&["--set", "gust=0.25"]);
    assert_eq!(shot.why(&[])["stale"], false);
    shot.edit("\"gust\", 0.5", "\"gust\", 0.4");
    assert_eq!(shot.why(&[])["stale"], false);
    let why = shot.agree(&["--set", "gust=0.6"]);
    assert_eq!((&why["moved_aside"], &why["from"]), (&Value::from(true), &Value::from(7)));
    assert!(why.to_string().contains("gust was 0.25, is 0.6"), "{why:#}");
    let mut shot = Shot::new();
    shot.run(&[]);
    shot.edit("\"gust\", 0.5", "\"gust\", 0.7");
    assert_eq!(shot.agree(&[])["moved_aside"], true);
    retake(shot.folder.path()).args(["why", "renders/gust", "--set", "gusts=1"]).assert().code(2);
}

#[test]
fn functions_of_the_script_count_by_what_they_are() {
    let mut shot = Shot::new();
    let functions = "shot:measure { name = \"one\", value = function() return 1 end }\n\
        shot:on_frame(function(frame, world) world.memory.seen = frame + 2 end)";
    shot.edit("-- MORE", functions);
    shot.run(&[]);
    shot.edit("return 1", "return 3");
    let why = shot.agree(&[]);
    assert_eq!((&why["from"], &why["measured_again"][18]), (&Value::Null, &Value::from(19)));
    assert_eq!(why["stale"], true);
    shot.edit("#aa3322", "#22aa33");
    assert_eq!(shot.agree(&[])["frames"], serde_json::json!([]));
    assert_eq!(shot.why(&[])["stale"], false);
    shot.edit("frame + 2", "frame + 4");
    let why = shot.agree(&[]);
    assert_eq!(why["from"], 1);
    let text = "gust.lua was edited: what the functions of `on_frame` do or use is not as it was";
    assert!(why.to_string().contains(text), "{why:#}");
}

#[test]
fn a_run_that_was_stopped_early_or_renamed() {
    let mut shot = Shot::new();
    shot.run(&["--until", "7"]);
    assert_eq!(shot.agree(&[])["from"], 8);
    shot.edit("name = \"gust\", fps", "name = \"gale\", fps");
    let told = shot.told();
    assert!(told.contains("the shot is called gale now"), "{told}");
}

#[test]
fn what_cannot_be_told_is_refused() {
    let shot = Shot::new();
    shot.run(&["--no-images", "--no-export"]);
    let refused = |expected: &str| {
        let ended = retake(shot.folder.path()).args(["why", "renders/gust"]).assert().code(2);
        let said = String::from_utf8_lossy(&ended.get_output().stderr).into_owned();
        assert!(said.contains(expected), "{said}");
    };
    let script = shot.folder.path().join("gust.lua");
    std::fs::write(&script, SCRIPT.replace("shot:wind", "shot:wint")).unwrap();
    refused("wind");
    std::fs::remove_file(&script).unwrap();
    refused("the run's script `gust.lua` is not there");
    std::fs::remove_file(shot.run_folder().join("frames/asked.json")).unwrap();
    refused("does not tell what it was made from");
    std::fs::remove_dir_all(shot.run_folder().join("frames")).unwrap();
    refused("not the folder of a run");
}
