//! Shots as jobs for a farm.

use crate::support::{assert_equal_files, falling, files, write};
use crate::{retake, shot};
use retake::scene::{ImageFormat, Images, Output, Scene, Sheet};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A shot with a picture of every second frame, cheap to draw.
fn pictured(name: &str) -> Scene {
    let mut scene = falling(name, 9);
    let images = Images {
        width: 16,
        height: 9,
        samples: 1,
        every: 2,
        cameras: Vec::new(),
        shutter: 0.0,
        format: ImageFormat::Png,
        layers: Vec::new(),
    };
    scene.output = Output { images: Some(images), sheet: Sheet::Count(0), ..Output::default() };
    scene
}

fn said(arguments: &[&str], folder: &Path, code: i32) -> String {
    let ended = retake(folder).args(arguments).assert().code(code);
    let output = ended.get_output();
    String::from_utf8_lossy(if code == 0 { &output.stdout } else { &output.stderr }).into_owned()
}

fn template(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// The words of a step, with what a worker puts in place of references to parameters of the job.
fn words(template: &Value, step: usize, here: &Path) -> Vec<String> {
    let words = template["steps"][step]["script"]["actions"]["onRun"]["args"].as_array().unwrap();
    let text = |word: &Value| {
        let mut text = word.as_str().unwrap().to_owned();
        for parameter in template["parameterDefinitions"].as_array().unwrap() {
            let reference = format!("{{{{Param.{}}}}}", parameter["name"].as_str().unwrap());
            let mut value = parameter["default"].as_str().unwrap_or("?").to_owned();
            if parameter["type"] == "PATH" {
                value = here.join(value).display().to_string();
            }
            text = text.replace(&reference, &value);
        }
        text
    };
    words.iter().map(text).collect()
}

/// The steps of a template, done one after the other as a worker would.
fn work(template: &Value, here: &Path) {
    let elsewhere = TempDir::new().unwrap();
    for (number, step) in template["steps"].as_array().unwrap().iter().enumerate() {
        let range = &step["parameterSpace"]["taskParameterDefinitions"][0]["range"];
        let tasks: Vec<&str> = match range.as_array() {
            Some(tasks) => tasks.iter().map(|t| t.as_str().unwrap()).collect(),
            None => vec![""],
        };
        for task in tasks {
            let words = words(template, number, here);
            let words = words.iter().map(|w| w.replace("{{Task.Param.Frames}}", task));
            retake(elsewhere.path()).args(words).assert().code(0);
        }
    }
}

#[test]
fn the_steps_of_a_template_make_what_a_run_makes() {
    let folder = TempDir::new().unwrap();
    let here = folder.path().canonicalize().unwrap();
    write(&here, &pictured("fall"));
    let arguments = ["submit", "fall.json", "--to", "openjd", "--chunk", "2", "--threads", "2"];
    let text = said(&arguments, &here, 0);
    assert!(
        text.starts_with("fall.openjd.json\nhand it in: openjd run fall.openjd.json\n"),
        "{text}"
    );
    let template = template(&here.join("fall.openjd.json"));
    assert_eq!(template["specificationVersion"], "jobtemplate-2023-09");
    let names: Vec<&Value> =
        template["steps"].as_array().unwrap().iter().map(|s| &s["name"]).collect();
    assert_eq!(names, ["simulate", "draw", "finish"]);
    let draw = &template["steps"][1];
    assert_eq!(draw["dependencies"][0]["dependsOn"], "simulate");
    let range = &draw["parameterSpace"]["taskParameterDefinitions"][0]["range"];
    assert_eq!(*range, serde_json::json!(["1-3x2", "5-7x2", "9"]));
    assert_eq!(draw["hostRequirements"]["amounts"][0]["min"], 2);
    // Nothing of this machine is in it.
    assert!(!template.to_string().contains(&here.display().to_string()));
    work(&template, &here);
    retake(&here).args(["run", "fall.json", "--out", "whole"]).assert().code(0);
    fs::remove_file(here.join("renders/fall/frames/.lock")).unwrap();
    assert_equal_files(&here.join("whole"), &here.join("renders/fall"));
    retake(&here).args(["verify", "renders/fall"]).assert().code(0);
}

/// Tasks of a farm draw at the same time, and all that they drew is noted.
#[test]
fn frames_of_one_run_are_drawn_by_several_at_once() {
    let folder = TempDir::new().unwrap();
    let here = folder.path();
    write(here, &pictured("fall"));
    retake(here).args(["run", "fall.json", "--no-images"]).assert().code(0);
    let frames: Vec<String> = (1..=9).step_by(2).map(|n| format!("--frames={n}")).collect();
    let tasks = frames.iter().map(|f| crate::start(here, &["render", "renders/fall", f]));
    let tasks: Vec<_> = tasks.collect();
    for mut task in tasks {
        assert_eq!(task.wait().unwrap().code(), Some(0));
    }
    let run = here.join("renders/fall");
    let listed = shot(&run)["files"].to_string();
    for n in (1..=9).step_by(2) {
        assert!(listed.contains(&format!("images/fall.{n:04}.png")), "{n}: {listed}");
    }
    retake(here).args(["verify", "renders/fall"]).assert().code(0);
    // And not beside one that writes the frames.
    let lock = retake::frames::Lock::take(&run, "process 1").unwrap();
    let text = said(&["render", "renders/fall"], here, 2);
    assert!(text.contains("being written by"), "{text}");
    drop(lock);
}

#[test]
fn what_a_run_is_asked_for_is_handed_on() {
    let folder = TempDir::new().unwrap();
    let here = folder.path().canonicalize().unwrap();
    fs::create_dir_all(here.join("film/scripts")).unwrap();
    fs::create_dir_all(here.join("my files")).unwrap();
    fs::write(here.join("film/retake.toml"), "").unwrap();
    fs::write(here.join("values.toml"), "drop = 2.0\n").unwrap();
    let script = "local retake = require \"retake\"\n\
        local drop = retake.param(\"drop\", 1.0)\nlocal kind = retake.param(\"kind\", \"a\")\n\
        local shot = retake.shot { name = \"lua\", fps = 24, frames = 14 }\n\
        shot:cloth { name = \"cloth\", mesh = retake.mesh.grid { size = { 1, 1 }, vertices = { 4, 4 } }, \
        translate = { 0, drop, 0 } }\n\
        shot:output { sheet = 0, images = { width = 16, height = 9, samples = 1 } }\nreturn shot\n";
    fs::write(here.join("film/scripts/lua.lua"), script).unwrap();
    let arguments = [
        "submit",
        "film/scripts/lua.lua",
        "--to",
        "openjd",
        "--set",
        "kind=it's a \"b\"",
        "--params",
        "values.toml",
        "--assets",
        "my files",
        "--take",
        "two",
        "--frames",
        "1-12x3",
        "--until",
        "9",
        "--bodies",
        "clo*",
        "--quality",
        "draft",
        "--fresh",
        "--no-export",
    ];
    said(&arguments, &here, 0);
    let template = template(&here.join("lua@two.openjd.json"));
    let simulate = words(&template, 0, &here);
    let path = |rest: &str| here.join(rest).display().to_string();
    for word in [
        "run".to_owned(),
        path("film/scripts/lua.lua"),
        "--set=kind=it's a \"b\"".into(),
        format!("--params={}", path("values.toml")),
        format!("--assets={}", path("my files")),
        format!("--out={}", path("film/renders/lua@two")),
        "--frames=1-12x3".into(),
        "--until=9".into(),
        "--bodies=clo*".into(),
        "--quality=draft".into(),
        "--fresh".into(),
        "--no-export".into(),
        "--no-images".into(),
    ] {
        let same = |w: &String| Path::new(w) == Path::new(&word) || w.replace("/./", "/") == word;
        assert!(simulate.iter().any(same), "{word}: {simulate:?}");
    }
    let range = &template["steps"][1]["parameterSpace"]["taskParameterDefinitions"][0]["range"];
    assert_eq!(*range, serde_json::json!(["1-7x3"]));
    assert!(words(&template, 1, &here).contains(&"--quality=draft".into()));
    let finish = words(&template, 2, &here);
    assert!(!finish.iter().any(|w| w == "--fresh" || w == "--no-images"), "{finish:?}");
    work(&template, &here);
    assert_eq!(shot(&here.join("film/renders/lua@two"))["status"], "done");
    // From below the project its folder has to be named when the job is handed in.
    let text = said(&["submit", "lua.lua", "--to", "openjd"], &here.join("film/scripts"), 0);
    assert!(text.contains(&format!("-p Project={}", path("film"))), "{text}");
}

/// A stand-in for Slurm: it runs what is handed in at once, the steps in order.
const SBATCH: &str = r#"#!/bin/bash
array=
while [ $# -gt 0 ]; do
  case "$1" in
    --array=0-*) array=${1#--array=0-} ;;
    --dependency=*) echo "$1" >> dependencies.txt ;;
    -*) ;;
    *) break ;;
  esac
  shift
done
if [ -n "$array" ]; then
  for task in $(seq 0 "$array"); do SLURM_ARRAY_TASK_ID=$task bash "$@" >&2 || exit 1; done
else
  bash "$@" >&2 || exit 1
fi
number=$(( $(cat number.txt 2>/dev/null || echo 100) + 1 ))
echo $number > number.txt
echo "$number;cluster"
"#;

#[cfg(unix)]
#[test]
fn slurm_is_handed_a_script_that_hands_in_its_steps() {
    use std::os::unix::fs::PermissionsExt;
    let folder = TempDir::new().unwrap();
    let here = folder.path().canonicalize().unwrap().join("it's here");
    let bin = folder.path().join("bin");
    fs::create_dir_all(&here).unwrap();
    fs::create_dir_all(&bin).unwrap();
    let program = bin.join("sbatch");
    fs::write(&program, SBATCH).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    write(&here, &pictured("first shot"));
    write(&here, &pictured("second"));
    let list = "[[shot]]\nscript = \"second.json\"\nafter = [\"first shot\"]\n\
        [[shot]]\nscript = \"first shot.json\"\n";
    fs::write(here.join("two shots.toml"), list).unwrap();
    let found = assert_cmd::cargo::cargo_bin("retake");
    let path = std::env::join_paths(
        std::iter::once(bin).chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    );
    let program = found.display().to_string();
    let arguments = [
        "submit",
        "two shots.toml",
        "--to",
        "slurm",
        "--chunk",
        "3",
        "--program",
        &program,
        "--run",
    ];
    retake(&here).args(arguments).env("PATH", path.unwrap()).assert().code(0);
    let script = fs::read_to_string(here.join("two shots.sbatch")).unwrap();
    assert!(script.contains("#SBATCH --job-name=two_shots\n"), "{script}");
    for name in ["first shot", "second"] {
        let run = here.join("renders").join(name);
        assert_eq!(shot(&run)["status"], "done", "{name}");
        assert!(run.join(format!("images/{name}.0009.png")).exists());
    }
    let dependencies = fs::read_to_string(here.join("dependencies.txt")).unwrap();
    let expected: Vec<String> = (101..106).map(|n| format!("--dependency=afterok:{n}")).collect();
    assert_eq!(dependencies.lines().collect::<Vec<_>>(), expected);
    // As the program has it without the farm.
    let made: Vec<PathBuf> =
        files(&here.join("renders/second")).keys().map(PathBuf::from).collect();
    assert!(made.contains(&PathBuf::from("frames/0010.frame")), "{made:?}");
}

#[test]
fn what_cannot_be_handed_in_is_refused() {
    let folder = TempDir::new().unwrap();
    let here = folder.path();
    write(here, &pictured("fall"));
    fs::write(here.join("SHOTS.toml"), "[[shot]]\nscript = \"fall.json\"\n").unwrap();
    fs::write(here.join("bad.lua"), "local retake = require \"retake\"\nretake.shoot{}\n").unwrap();
    let cases: [(&[&str], &str); 7] = [
        (&["fall.json"], "--to"),
        (&["fall.json", "--to", "slurmm"], "slurm"),
        (&["bad.lua", "--to", "slurm"], "bad.lua:2"),
        (&["SHOTS.toml", "--to", "slurm", "--set", "a=1"], "is for one script"),
        (&["fall.json", "--to", "openjd", "--frames", "90-99"], "none of the frames"),
        (&["fall.json", "--to", "openjd", "--chunk", "0"], "at least 1"),
        (&["fall.json", "--to", "openjd", "--program", "a{{b"], "in no folder of PATH"),
    ];
    for (arguments, expected) in cases {
        let mut command = retake(here);
        command.arg("submit").args(arguments).env("PATH", here);
        if arguments.contains(&"--program") {
            command.arg("--run");
        }
        let ended = command.assert().code(2);
        let text = String::from_utf8_lossy(&ended.get_output().stderr).into_owned();
        assert!(text.contains(expected), "{arguments:?}: {text}");
    }
    let left = fs::read_dir(here).unwrap().count();
    assert_eq!(left, 3, "nothing is written by what is refused");
}
