//! Lines that workers of Open Job Description read.

use crate::support::{falling, write};
use crate::{retake, start_with};
use retake::scene::{ImageFormat, Images, Output, Sheet};
use std::io::{BufRead, BufReader};
use std::path::Path;
use tempfile::TempDir;

/// The program's standard output, line by line, and its exit code.
fn lines(folder: &Path, arguments: &[&str]) -> (Vec<String>, Option<i32>) {
    let ended = retake(folder).args(arguments).args(["--progress", "openjd"]).assert();
    let output = ended.get_output();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    (text.lines().map(str::to_owned).collect(), output.status.code())
}

/// What the lines say of progress; every one must be a number that a worker takes.
fn progress(lines: &[String]) -> Vec<f64> {
    let numbers = lines.iter().filter_map(|l| l.strip_prefix("openjd_progress: "));
    let numbers: Vec<f64> = numbers.map(|n| n.parse().unwrap()).collect();
    assert!(numbers.iter().all(|n| (0.0..=100.0).contains(n)), "{numbers:?}");
    numbers
}

fn has_status(lines: &[String], text: &str) -> bool {
    lines.iter().any(|l| l.strip_prefix("openjd_status: ").is_some_and(|s| s.contains(text)))
}

#[test]
fn workers_are_told_how_far_it_is() {
    let folder = TempDir::new().unwrap();
    let mut scene = falling("fall", 9);
    let images = Images {
        width: 16,
        height: 9,
        samples: 1,
        every: 4,
        cameras: Vec::new(),
        shutter: 0.0,
        format: ImageFormat::Png,
        layers: Vec::new(),
    };
    scene.output = Output { images: Some(images), sheet: Sheet::Count(0), ..Output::default() };
    write(folder.path(), &scene);
    let (said, code) = lines(folder.path(), &["run", "fall.json", "--no-images"]);
    assert_eq!(code, Some(0));
    let told = progress(&said);
    assert!(told.len() >= 10 && told.is_sorted() && told.last() == Some(&100.0), "{said:?}");
    assert!(has_status(&said, "fall: simulating frames 1 to 10"), "{said:?}");
    for command in [&["render", "renders/fall"][..], &["export", "renders/fall", "--format", "obj"]]
    {
        let (said, code) = lines(folder.path(), command);
        assert_eq!(code, Some(0));
        assert_eq!(progress(&said).last(), Some(&100.0), "{command:?}: {said:?}");
    }
    std::fs::write(
        folder.path().join("SHOTS.toml"),
        "[[shot]]\nscript = \"fall.json\"\nname = \"a\"\n\
        [[shot]]\nscript = \"fall.json\"\nname = \"b\"\n",
    )
    .unwrap();
    let (said, code) = lines(folder.path(), &["batch", "SHOTS.toml", "--no-images"]);
    assert_eq!(code, Some(0));
    let told = progress(&said);
    assert!(told.is_sorted() && told.last() == Some(&100.0), "{said:?}");
    assert!(told.iter().any(|n| (1.0..=50.0).contains(n)), "{said:?}");
    assert!(has_status(&said, "a: done") && has_status(&said, "b begins"), "{said:?}");
}

#[test]
fn a_worker_is_told_in_one_line_why_it_failed() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    std::fs::write(path.join("bad.lua"), "local retake = require \"retake\"\nretake.shoot{}\n")
        .unwrap();
    let (said, code) = lines(path, &["run", "bad.lua"]);
    assert_eq!(code, Some(2));
    let fails: Vec<_> = said.iter().filter(|l| l.starts_with("openjd_fail: ")).collect();
    assert!(fails.len() == 1 && fails[0].contains("bad.lua:2"), "{said:?}");
    // Nothing of this where no worker listens.
    let ended = retake(path).args(["run", "bad.lua"]).assert().code(2);
    assert!(ended.get_output().stdout.is_empty());
}

/// A farm that wants its machine back asks as Ctrl-C does.
#[test]
fn what_is_done_is_kept_when_a_farm_ends_a_task() {
    let folder = TempDir::new().unwrap();
    write(folder.path(), &falling("fall", 4000));
    let mut child = start_with(folder.path(), &["run", "fall.json"], "openjd");
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let progress = lines.map_while(Result::ok).find(|l| l.starts_with("openjd_progress: "));
    assert!(progress.is_some());
    crate::send(&child, "-TERM");
    assert_eq!(child.wait().unwrap().code(), Some(3));
    assert!(folder.path().join("renders/fall/frames/0001.frame").exists());
}
