//! The shots that are checked: small, but with one of everything that other programs may get wrong.

use crate::bounded::run;
use crate::source;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// They take seconds, in a build that is not optimised and on a busy machine more.
const LIMIT: Duration = Duration::from_mins(3);

/// A script of this folder; `<name>.expected.json` says what Blender must show beside the bodies.
pub(crate) struct Shot {
    pub(crate) name: &'static str,
    /// Whether pictures with layers are drawn.
    pub(crate) has_layers: bool,
    /// Formats that are written beside those of the script.
    formats: &'static [&'static str],
}

/// `drape` and `veil` come in through point caches, `turn` and `limb` through glTF alone.
pub(crate) const SHOTS: [Shot; 4] = [
    Shot { name: "drape", has_layers: true, formats: &["usd", "abc"] },
    Shot { name: "turn", has_layers: false, formats: &["gltf-sequence", "usd", "abc"] },
    Shot { name: "veil", has_layers: false, formats: &[] },
    Shot { name: "limb", has_layers: false, formats: &["usd", "abc"] },
];

impl Shot {
    /// Runs the shot anew below `folder` and gives its own folder, which stays to be looked at.
    pub(crate) fn make(&self, folder: &Path) -> Result<PathBuf, String> {
        let folder = folder.join(self.name);
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(|e| e.to_string())?;
        }
        let script = source(&format!("{}.lua", self.name));
        let here = Path::new(".");
        retake(here, &[&"run", &script, &"--out", &folder])?;
        for format in self.formats {
            retake(here, &[&"export", &folder, &"--format", format])?;
        }
        retake(here, &[&"verify", &folder])?;
        retake(here, &[&"inspect", &folder, &"--report"])?;
        let expected = source(&format!("{}.expected.json", self.name));
        fs::copy(expected, folder.join("expected.json")).map_err(|e| e.to_string())?;
        Ok(folder)
    }
}

/// Runs the program in `folder`.
pub(crate) fn retake(
    folder: &Path,
    arguments: &[&dyn AsRef<std::ffi::OsStr>],
) -> Result<(), String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_retake"));
    command.current_dir(folder);
    command.args(arguments.iter().map(AsRef::as_ref)).args(["--progress", "none"]);
    let ended = run(command.env("NO_COLOR", "1"), LIMIT);
    if ended.success { Ok(()) } else { Err(ended.said) }
}
