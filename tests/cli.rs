//! The program as a person runs it.

mod support;

use assert_cmd::Command;
use std::path::Path;
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
