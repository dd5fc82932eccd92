//! Lists of shots: `SHOTS.toml`.

use super::project::toml_problem;
use super::scene_file::is_file_safe;
use crate::diagnostics::{Diagnostic, Place, nearest};
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A list of shots.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Shots {
    #[serde(default)]
    defaults: Options,
    #[serde(default)]
    shot: Vec<Shot>,
}

/// A shot of the list.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Shot {
    script: PathBuf,
    name: Option<String>,
    #[serde(default)]
    after: Vec<String>,
    set: Option<BTreeMap<String, Value>>,
    frames: Option<String>,
    until: Option<i32>,
    bodies: Option<String>,
    quality: Option<String>,
    no_images: Option<bool>,
    no_export: Option<bool>,
}

/// What a shot may leave to the defaults.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Options {
    set: Option<BTreeMap<String, Value>>,
    frames: Option<String>,
    until: Option<i32>,
    bodies: Option<String>,
    quality: Option<String>,
    no_images: Option<bool>,
    no_export: Option<bool>,
}

/// A shot of a list, defaults filled in.
#[derive(Clone, Debug, PartialEq)]
pub struct ListedShot {
    /// What the list calls it: its `name`, or the script's.
    pub name: String,
    /// Whether the name was given, and is the folder's.
    pub is_named: bool,
    /// The script, relative to where the program runs.
    pub script: PathBuf,
    /// Parameters.
    pub set: BTreeMap<String, Value>,
    /// Indices of the shots that have to be done before.
    pub after: Vec<usize>,
    /// As `--frames`.
    pub frames: Option<String>,
    /// As `--until`.
    pub until: Option<i32>,
    /// As `--bodies`.
    pub bodies: Option<String>,
    /// As `--quality`.
    pub quality: Option<String>,
    /// As `--no-images`.
    pub no_images: bool,
    /// As `--no-export`.
    pub no_export: bool,
}

/// Reads and checks a list of shots.
pub fn read_shots(path: &Path) -> Result<Vec<ListedShot>, Vec<Diagnostic>> {
    let place = Place::new(path.display().to_string(), 0);
    let text = fs::read_to_string(path).map_err(|e| {
        vec![Diagnostic::error(format!("the list cannot be read: {e}")).at(place.clone())]
    })?;
    let list: Shots = toml::from_str(&text).map_err(|e| vec![toml_problem(path, &text, &e)])?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut problems = Vec::new();
    let names: Vec<String> = list.shot.iter().map(called).collect();
    let mut seen = BTreeSet::new();
    for (shot, name) in list.shot.iter().zip(&names) {
        let mut wrong = |message: String| {
            problems.push(Diagnostic::error(message).at(line_of(path, &text, shot)));
        };
        if !is_file_safe(name) {
            wrong(format!("\"{name}\" is not a file-safe name"));
        }
        if !seen.insert(name) {
            wrong(format!("there are two shots called \"{name}\"; give one a `name`"));
        }
        if shot.quality.as_ref().is_some_and(|q| q != "draft" && q != "final") {
            wrong("`quality` is \"draft\" or \"final\"".into());
        }
    }
    let mut shots = Vec::new();
    for (shot, name) in list.shot.iter().zip(&names) {
        let mut after = Vec::new();
        for other in &shot.after {
            if let Some(i) = names.iter().position(|n| n == other) {
                after.push(i);
            } else {
                let near = nearest(other, names.iter().map(String::as_str));
                let mut problem = Diagnostic::error(format!("`after` names no shot: \"{other}\""))
                    .at(line_of(path, &text, shot));
                problem.hint = near.map(|n| format!("did you mean \"{n}\"?"));
                problems.push(problem);
            }
        }
        shots.push(listed(shot, &list.defaults, name, folder, after));
    }
    if let Some(name) = circle(&shots) {
        problems
            .push(Diagnostic::error(format!("\"{name}\" comes after itself")).at(place.clone()));
    }
    if shots.is_empty() {
        problems.push(Diagnostic::error("the list has no [[shot]]").at(place));
    }
    if problems.is_empty() { Ok(shots) } else { Err(problems) }
}

fn called(shot: &Shot) -> String {
    let stem = || shot.script.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    shot.name.clone().unwrap_or_else(stem)
}

/// The line of a shot's script, which every shot has.
fn line_of(path: &Path, text: &str, shot: &Shot) -> Place {
    let script = format!("\"{}\"", shot.script.display());
    let of = |needle: &str| text.lines().position(|l| l.contains(needle)).map_or(0, |i| i + 1);
    let line = shot.name.as_ref().map_or(0, |n| of(&format!("\"{n}\"")));
    let line = if line == 0 { of(&script) } else { line };
    Place::new(path.display().to_string(), line as u32)
}

fn listed(
    shot: &Shot,
    defaults: &Options,
    name: &str,
    folder: &Path,
    after: Vec<usize>,
) -> ListedShot {
    let mut set = defaults.set.clone().unwrap_or_default();
    set.extend(shot.set.clone().unwrap_or_default());
    ListedShot {
        name: name.to_owned(),
        is_named: shot.name.is_some(),
        script: folder.join(&shot.script),
        set,
        after,
        frames: shot.frames.clone().or_else(|| defaults.frames.clone()),
        until: shot.until.or(defaults.until),
        bodies: shot.bodies.clone().or_else(|| defaults.bodies.clone()),
        quality: shot.quality.clone().or_else(|| defaults.quality.clone()),
        no_images: shot.no_images.or(defaults.no_images).unwrap_or(false),
        no_export: shot.no_export.or(defaults.no_export).unwrap_or(false),
    }
}

/// A shot that waits for itself, through whatever others.
fn circle(shots: &[ListedShot]) -> Option<&str> {
    (0..shots.len()).find_map(|start| {
        let mut waiting: Vec<usize> = shots[start].after.clone();
        let mut seen = BTreeSet::new();
        while let Some(i) = waiting.pop() {
            if i == start {
                return Some(shots[start].name.as_str());
            }
            if seen.insert(i) {
                waiting.extend(&shots[i].after);
            }
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<ListedShot>, Vec<Diagnostic>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("SHOTS.toml");
        fs::write(&path, text).unwrap();
        read_shots(&path)
    }

    #[test]
    fn defaults_are_filled_in() {
        let shots = read(
            "[defaults]\nframes = \"1-240\"\nset = { wind = 1, a = 2 }\n\
             [[shot]]\nscript = \"a.lua\"\nname = \"storm\"\nset = { wind = 12 }\nafter = [\"b\"]\n\
             [[shot]]\nscript = \"b.lua\"\nframes = \"1-2\"\n",
        )
        .unwrap();
        assert_eq!(shots[0].set["wind"], 12);
        assert_eq!(shots[0].set["a"], 2);
        assert_eq!(shots[0].after, [1]);
        assert_eq!(shots[0].frames.as_deref(), Some("1-240"));
        assert_eq!((shots[1].name.as_str(), shots[1].is_named), ("b", false));
    }

    #[test]
    fn mistakes_are_told_with_their_line() {
        let line = |text: &str| read(text).unwrap_err()[0].place.as_ref().unwrap().line;
        assert_eq!(line("[[shot]]\nscript = \"a.lua\"\nafer = []\n"), 3);
        assert_eq!(line("[[shot]]\nscript = \"a.lua\"\n\n[[shot]]\nscript = \"a.lua\"\n"), 2);
        assert_eq!(line("[[shot]]\nscript = \"a.lua\"\nafter = [\"c\"]\n"), 2);
        assert!(read("").is_err());
        let circle = "[[shot]]\nscript=\"a.lua\"\nafter=[\"b\"]\n[[shot]]\nscript=\"b.lua\"\nafter=[\"a\"]\n";
        assert!(read(circle).unwrap_err()[0].message.contains("after itself"));
    }
}
