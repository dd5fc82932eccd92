//! The editor definitions and the reference.

use crate::{build, problem, shown};
use retake::director;

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

#[test]
fn every_example_of_the_reference_runs() {
    let reference = director::reference();
    let blocks: Vec<&str> = reference
        .split("```lua\n")
        .skip(1)
        .filter_map(|rest| rest.split_once("\n```").map(|(block, _)| block))
        .collect();
    let (setting, examples) = blocks.split_first().unwrap();
    assert!(examples.len() > 60, "{} examples", examples.len());
    for example in examples {
        if let Err(problems) = build(&format!("{setting}\n{example}\nreturn shot")) {
            panic!("{example}\n{}", shown(&problems));
        }
    }
    // The definitions are Lua too.
    let definitions = director::editor_definitions();
    let found = problem(&definitions);
    assert!(found.contains("the script makes no shot"), "{found}");
}
