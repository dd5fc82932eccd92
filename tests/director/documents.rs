//! The editor definitions and the reference.

use crate::{Project, build, problem, shown};
use retake::director;
use std::process::Command;

#[test]
fn the_committed_editor_definitions_are_those_of_the_schemas() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/library/retake.lua");
    if std::env::var_os("RETAKE_UPDATE").is_some() {
        std::fs::create_dir_all(concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/library")).unwrap();
        std::fs::write(path, director::editor_definitions()).unwrap();
    }
    let committed = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        committed == director::editor_definitions(),
        "scripts/library/retake.lua is stale: run this test with RETAKE_UPDATE=1"
    );
}

/// The examples of the reference as whole scripts.
fn examples() -> Vec<String> {
    let reference = director::reference();
    let blocks: Vec<&str> = reference
        .split("```lua\n")
        .skip(1)
        .filter_map(|rest| rest.split_once("\n```").map(|(block, _)| block))
        .collect();
    let (setting, examples) = blocks.split_first().unwrap();
    assert!(examples.len() > 60, "{} examples", examples.len());
    examples.iter().map(|example| format!("{setting}\n{example}\nreturn shot")).collect()
}

#[test]
fn every_example_of_the_reference_is_a_shot() {
    for example in examples() {
        if let Err(problems) = build(&example) {
            panic!("{example}\n{}", shown(&problems));
        }
    }
}

/// With all that it does while it is simulated, and measures.
#[test]
fn every_example_of_the_reference_runs() {
    let mut failed = Vec::new();
    for example in examples() {
        let project = Project::new();
        project.write("shot.lua", &example);
        let run = Command::new(env!("CARGO_BIN_EXE_retake"))
            .current_dir(project.folder.path())
            .args(["run", "shot.lua", "--until", "3", "--no-images", "--no-export"])
            .args(["--out", "out", "--progress", "none"])
            .output()
            .expect("the program starts");
        if run.status.code() != Some(0) {
            failed.push(format!("{example}\n{}", String::from_utf8_lossy(&run.stderr)));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn the_definitions_are_lua() {
    let definitions = director::editor_definitions();
    let found = problem(&definitions);
    assert!(found.contains("the script makes no shot"), "{found}");
}
