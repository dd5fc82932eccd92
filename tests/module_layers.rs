//! Guards the floors of the house: a room uses only what lies below it.
//!
//! Data flows script -> scene -> sim -> frames -> export, render, report. One crate has no manifests
//! that would refuse an arrow the other way, so this test reads the `crate::` paths.
#![allow(missing_docs)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Room, and the rooms that it may use besides itself.
const FLOORS: &[(&str, &[&str])] = &[
    (
        "cli",
        &[
            "production",
            "report",
            "render",
            "export",
            "director",
            "frames",
            "sim",
            "scene",
            "geometry",
            "math",
            "diagnostics",
        ],
    ),
    (
        "production",
        &[
            "report",
            "render",
            "export",
            "director",
            "frames",
            "sim",
            "scene",
            "geometry",
            "math",
            "diagnostics",
        ],
    ),
    ("report", &["render", "frames", "scene", "diagnostics"]),
    ("render", &["frames", "scene", "geometry", "math", "diagnostics"]),
    ("export", &["frames", "scene", "geometry", "math", "diagnostics"]),
    ("director", &["scene", "geometry", "math", "diagnostics"]),
    ("frames", &["scene", "geometry", "math", "diagnostics"]),
    ("sim", &["scene", "geometry", "math", "diagnostics"]),
    ("scene", &["geometry", "math", "diagnostics"]),
    ("geometry", &["math", "diagnostics"]),
    ("math", &["diagnostics"]),
    ("diagnostics", &[]),
];

fn source_files(folder: &Path, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("src is there")
        .map(|e| e.expect("readable").path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            source_files(&path, out);
        } else if path.extension().is_some_and(|e| e == "rs") {
            out.push(path);
        }
    }
}

/// Rooms named by `crate::room` in a file, outside of comments; groups `crate::{a, b}` included.
fn rooms_used(text: &str) -> BTreeSet<String> {
    let code: String = text
        .lines()
        .map(|line| line.split("//").next().unwrap_or(""))
        .collect::<Vec<_>>()
        .join("\n");
    let mut rooms = BTreeSet::new();
    for (at, _) in code.match_indices("crate::") {
        if code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_') {
            continue;
        }
        let rest = &code[at + "crate::".len()..];
        let names: Vec<&str> = if let Some(group) = rest.strip_prefix('{') {
            // Only the first word of each top-level entry names a room.
            let mut depth = 0;
            let end = group.find(|c| match c {
                '{' => {
                    depth += 1;
                    false
                }
                '}' => {
                    depth -= 1;
                    depth < 0
                }
                _ => false,
            });
            group[..end.unwrap_or(0)].split(',').map(str::trim).collect()
        } else {
            vec![rest]
        };
        for name in names {
            let word: String =
                name.chars().take_while(|c| c.is_ascii_lowercase() || *c == '_').collect();
            if FLOORS.iter().any(|(room, _)| *room == word) {
                rooms.insert(word);
            }
        }
    }
    rooms
}

#[test]
fn every_room_uses_only_what_lies_below_it() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    source_files(&src, &mut files);
    assert!(files.len() > 50, "only {} files found", files.len());
    let mut problems = Vec::new();
    for file in files {
        let inside = file.strip_prefix(&src).expect("below src");
        let first =
            inside.components().next().expect("a name").as_os_str().to_string_lossy().into_owned();
        let room = first.trim_end_matches(".rs").to_owned();
        if room == "main" || room == "lib" {
            continue;
        }
        let Some((_, below)) = FLOORS.iter().find(|(name, _)| *name == room) else {
            problems.push(format!("{} is in no room of the table", inside.display()));
            continue;
        };
        let text = std::fs::read_to_string(&file).expect("a text file");
        for used in rooms_used(&text) {
            if used != room && !below.contains(&used.as_str()) {
                problems.push(format!(
                    "{} uses `{used}`, which does not lie below `{room}`",
                    inside.display()
                ));
            }
        }
    }
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

#[test]
fn the_reader_of_paths_sees_groups_and_ignores_comments() {
    let text = "use crate::scene::{Body, world};\nuse crate::{math::Curve, geometry::{TriMesh}};\n// crate::cli\nlet x = crate::frames::f();";
    let rooms: Vec<String> = rooms_used(text).into_iter().collect();
    assert_eq!(rooms, ["frames", "geometry", "math", "scene"]);
}
