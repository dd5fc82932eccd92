//! The project around a script: its root, and what `retake.toml` sets for all of its shots.

use crate::diagnostics::{Diagnostic, Place};
use serde::Deserialize;
use std::fs;
use std::path::{Path, PathBuf};

/// Name of the file that marks a project's root.
pub const PROJECT_FILE: &str = "retake.toml";

/// The project that a script belongs to.
#[derive(Clone, Debug)]
pub struct Project {
    /// Folder that all paths of the project are told relative to.
    pub root: PathBuf,
    /// What `retake.toml` sets.
    pub settings: Settings,
}

/// What `retake.toml` may set.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Frames a second.
    pub fps: Option<Fps>,
    /// Number of the first frame.
    pub start_frame: Option<i32>,
    /// Pixels.
    pub width: Option<u32>,
    /// Pixels.
    pub height: Option<u32>,
    /// Folder of the shots' folders, relative to the root; `renders` where it is left out.
    pub out: Option<PathBuf>,
    /// Folders of read-only files, relative to the root.
    pub assets: Option<Folders>,
}

/// Frames a second: a whole number or numerator and denominator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Fps {
    /// So many.
    Whole(u32),
    /// So many over so many.
    Ratio(u32, u32),
}

impl Fps {
    /// Numerator and denominator.
    pub fn ratio(self) -> (u32, u32) {
        match self {
            Self::Whole(n) => (n, 1),
            Self::Ratio(n, d) => (n, d),
        }
    }
}

/// One folder or several.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Folders {
    /// One.
    One(PathBuf),
    /// Several.
    Many(Vec<PathBuf>),
}

impl Project {
    /// The project of `script`: the nearest parent with a `retake.toml`, else with a `.git`, else
    /// the script's own folder.
    pub fn of(script: &Path) -> Result<Self, Diagnostic> {
        let script = std::path::absolute(script)
            .map_err(|e| Diagnostic::error(format!("{} cannot be found: {e}", script.display())))?;
        let folder = script.parent().unwrap_or(&script).to_path_buf();
        let above = |mark: &str| folder.ancestors().find(|f| f.join(mark).exists());
        if let Some(root) = above(PROJECT_FILE) {
            return Ok(Self { root: root.to_path_buf(), settings: settings(root)? });
        }
        let root = above(".git").unwrap_or(&folder).to_path_buf();
        Ok(Self { root, settings: Settings::default() })
    }

    /// Folder of the shots' folders.
    pub fn renders(&self) -> PathBuf {
        self.root.join(self.settings.out.as_deref().unwrap_or(Path::new("renders")))
    }

    /// Folders of read-only files: those of the command line, then those of the project.
    pub fn assets(&self, given: &[PathBuf]) -> Vec<PathBuf> {
        let own = match &self.settings.assets {
            None => Vec::new(),
            Some(Folders::One(one)) => vec![self.root.join(one)],
            Some(Folders::Many(many)) => many.iter().map(|f| self.root.join(f)).collect(),
        };
        given.iter().cloned().chain(own).collect()
    }

    /// `path` as it is told in outputs: relative to the root where it lies below it, with `/`.
    pub fn told(&self, path: &Path) -> String {
        let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        match absolute.strip_prefix(&self.root) {
            Ok(below) => {
                let parts: Vec<_> =
                    below.components().map(|c| c.as_os_str().to_string_lossy()).collect();
                parts.join("/")
            }
            // Nothing of this machine may get into an output: the name alone stays.
            Err(_) => path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        }
    }
}

fn settings(root: &Path) -> Result<Settings, Diagnostic> {
    let path = root.join(PROJECT_FILE);
    let wrong = |message: String, line: u32| {
        Diagnostic::error(message).at(Place::new(path.display().to_string(), line))
    };
    let text = fs::read_to_string(&path).map_err(|e| wrong(format!("cannot be read: {e}"), 0))?;
    let settings: Settings = toml::from_str(&text).map_err(|e| toml_problem(&path, &text, &e))?;
    let (n, d) = settings.fps.map_or((1, 1), Fps::ratio);
    if n == 0 || d == 0 {
        return Err(wrong("`fps` must be positive".into(), 0));
    }
    if settings.width == Some(0) || settings.height == Some(0) {
        return Err(wrong("`width` and `height` must be positive".into(), 0));
    }
    Ok(settings)
}

/// A problem of a TOML file at its line.
pub(super) fn toml_problem(path: &Path, text: &str, error: &toml::de::Error) -> Diagnostic {
    let line = error.span().map_or(0, |span| {
        1 + text.char_indices().take_while(|(i, _)| *i < span.start).filter(|c| c.1 == '\n').count()
    });
    Diagnostic::error(error.message().trim().replace('\n', "; "))
        .at(Place::new(path.display().to_string(), line as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_mark_is_the_root() {
        let folder = tempfile::tempdir().unwrap();
        let scripts = folder.path().join("film/scripts");
        fs::create_dir_all(&scripts).unwrap();
        let script = scripts.join("a.lua");
        assert_eq!(Project::of(&script).unwrap().root, scripts);
        fs::create_dir_all(folder.path().join(".git")).unwrap();
        assert_eq!(Project::of(&script).unwrap().root, folder.path());
        let file = folder.path().join("film/retake.toml");
        fs::write(&file, "fps = [30000, 1001]\nout = \"shots\"\n").unwrap();
        let project = Project::of(&script).unwrap();
        assert_eq!(project.told(&script), "scripts/a.lua");
        assert_eq!(project.settings.fps.unwrap().ratio(), (30000, 1001));
        assert!(project.renders().ends_with("film/shots"));
        fs::write(&file, "\nfsp = 24\n").unwrap();
        let problem = Project::of(&script).unwrap_err();
        assert_eq!(problem.place.unwrap().line, 2);
    }
}
