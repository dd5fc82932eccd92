//! Which files a script may read, and how they are named: below the project's root, the script's
//! folder or a listed asset folder, and nowhere else.

use super::{SourceFile, reads};
use crate::diagnostics::{Diagnostic, nearest};
use crate::scene::PictureFile;
use std::cell::RefCell;
use std::path::{Component, Path, PathBuf};

/// The folders of one build and the Lua sources read so far.
pub(crate) struct Files {
    root: PathBuf,
    script_dir: PathBuf,
    assets: Vec<PathBuf>,
    sources: RefCell<Vec<SourceFile>>,
}

/// Largest Lua source [bytes].
const LARGEST_SOURCE: u64 = 16 << 20;

/// Largest picture file [bytes].
const LARGEST_PICTURE: u64 = 1 << 30;

fn real(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok()
}

impl Files {
    pub(crate) fn new(script: &Path, root: &Path, assets: &[PathBuf]) -> Result<Self, Diagnostic> {
        let script = real(script).ok_or_else(|| {
            Diagnostic::error(format!("cannot find the script `{}`", script.display()))
        })?;
        let script_dir = script.parent().map_or_else(|| PathBuf::from("."), Path::to_path_buf);
        let root = real(root).ok_or_else(|| {
            Diagnostic::error(format!("cannot find the project's root `{}`", root.display()))
        })?;
        let assets = assets
            .iter()
            .map(|folder| {
                real(folder).ok_or_else(|| {
                    Diagnostic::error(format!(
                        "cannot find the asset folder `{}`",
                        folder.display()
                    ))
                })
            })
            .collect::<Result<_, _>>()?;
        Ok(Self { root, script_dir, assets, sources: RefCell::default() })
    }

    /// The name of `path` in messages and scenes: relative to the root where it lies below it.
    pub(crate) fn name_of(&self, path: &Path) -> String {
        let bases = [&self.root, &self.script_dir];
        let relative = bases.iter().find_map(|base| path.strip_prefix(base).ok());
        let parts = relative.unwrap_or(path).components().filter_map(|c| match c {
            Component::Normal(part) => Some(part.to_string_lossy()),
            _ => None,
        });
        let name = parts.collect::<Vec<_>>().join("/");
        if relative.is_none() { format!("/{name}") } else { name }
    }

    /// Reads a Lua source and remembers it.
    pub(crate) fn read_source(&self, path: &Path) -> Result<SourceFile, Diagnostic> {
        let path = real(path)
            .ok_or_else(|| Diagnostic::error(format!("cannot find `{}`", path.display())))?;
        let name = self.name_of(&path);
        let cannot =
            |why: &dyn std::fmt::Display| Diagnostic::error(format!("cannot read `{name}`: {why}"));
        let length = std::fs::metadata(&path).map_err(|e| cannot(&e))?.len();
        if length > LARGEST_SOURCE {
            return Err(cannot(&"a Lua source may have 16 MB at most"));
        }
        let bytes = std::fs::read(&path).map_err(|e| cannot(&e))?;
        if bytes.starts_with(b"\x1bLua") {
            return Err(cannot(&"it is bytecode; only Lua source is accepted"));
        }
        let text = String::from_utf8(bytes)
            .map_err(|_| cannot(&"it is not UTF-8 text"))?
            .trim_start_matches('\u{feff}')
            .to_owned();
        let source = SourceFile { path: name, text };
        self.sources.borrow_mut().push(source.clone());
        Ok(source)
    }

    /// The sources read so far, in reading order.
    pub(crate) fn sources(&self) -> Vec<SourceFile> {
        self.sources.borrow().clone()
    }

    pub(crate) fn source_text(&self, name: &str) -> Option<String> {
        self.sources.borrow().iter().find(|s| s.path == name).map(|s| s.text.clone())
    }

    /// The source that Lua means by the shortened name of a message: long names lose their front.
    pub(crate) fn full_name(&self, short: &str) -> String {
        let Some(tail) = short.strip_prefix("...") else { return short.to_owned() };
        let sources = self.sources.borrow();
        sources
            .iter()
            .find(|s| s.path.ends_with(tail))
            .map_or_else(|| short.to_owned(), |s| s.path.clone())
    }

    /// The file of `require "name"`: beside the script, then in the root's `scripts/`.
    pub(crate) fn module(&self, name: &str) -> Result<PathBuf, Diagnostic> {
        let is_part = |part: &str| {
            !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c))
        };
        let parts: Vec<&str> = name.split(['.', '/']).collect();
        if !parts.iter().all(|part| is_part(part)) {
            return Err(Diagnostic::error(format!("`{name}` is not a module's name"))
                .hint("write words with `.` between them, as in require \"lib.cape\""));
        }
        let relative = format!("{}.lua", parts.join("/"));
        let folders = [self.script_dir.clone(), self.root.join("scripts")];
        for folder in &folders {
            reads::note(&folder.join(&relative));
            if let Some(path) = real(&folder.join(&relative)) {
                return self.checked(path, name);
            }
        }
        let mut there: Vec<String> = folders
            .iter()
            .filter_map(|folder| std::fs::read_dir(folder).ok())
            .flatten()
            .filter_map(Result::ok)
            .filter_map(|entry| entry.file_name().to_str()?.strip_suffix(".lua").map(str::to_owned))
            .collect();
        there.sort();
        let hint = match nearest(name, there.iter().map(String::as_str).chain(["retake"])) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "modules lie beside the script or in the project's `scripts/`".to_owned(),
        };
        Err(Diagnostic::error(format!("cannot find the module `{name}`")).hint(hint))
    }

    /// The file that a script calls `name`: relative to the script, the root, then the assets.
    pub(crate) fn asset(&self, name: &str) -> Result<PathBuf, Diagnostic> {
        let wanted = Path::new(name);
        let folders = [&self.script_dir, &self.root].into_iter().chain(&self.assets);
        for folder in folders {
            reads::note(&folder.join(wanted));
            if let Some(path) = real(&folder.join(wanted)) {
                return self.checked(path, name);
            }
        }
        Err(Diagnostic::error(format!("cannot find the file `{name}`")).hint(
            "paths are relative to the script, then the project's root, then the asset folders",
        ))
    }

    /// The glTF file, as [`Files::asset`] takes it, of the run in the folder that a script calls `name`; none
    /// where that is no folder.
    pub(crate) fn run(&self, name: &str) -> Result<Option<String>, Diagnostic> {
        let folders = [&self.script_dir, &self.root].into_iter().chain(&self.assets);
        let found =
            folders.filter_map(|folder| real(&folder.join(name))).find(|path| path.is_dir());
        let Some(folder) = found else { return Ok(None) };
        let entries = std::fs::read_dir(&folder).into_iter().flatten().filter_map(Result::ok);
        let mut shots: Vec<String> = entries
            .filter_map(|entry| entry.file_name().into_string().ok())
            .filter_map(|file| Some(file.strip_prefix("import_")?.strip_suffix(".py")?.to_owned()))
            .filter(|shot| folder.join(format!("gltf/{shot}.glb")).is_file())
            .collect();
        shots.sort();
        match shots.as_slice() {
            [shot, ..] => Ok(Some(format!("{}/gltf/{shot}.glb", name.trim_end_matches('/')))),
            [] if folder.join("frames").is_dir() => {
                let message = format!("the run in `{name}` has no glTF file");
                let hint = format!("write it with `retake export {name} --format gltf`");
                Err(Diagnostic::error(message).hint(hint))
            }
            [] => Err(Diagnostic::error(format!("`{name}` is a folder, and not that of a run"))),
        }
    }

    /// The picture file that a script calls `name`, and its bytes.
    pub(crate) fn picture(&self, name: &str) -> Result<(PictureFile, Vec<u8>), Diagnostic> {
        let path = self.asset(name)?;
        let cannot = |why: String| Diagnostic::error(format!("cannot read `{name}`: {why}"));
        let length = std::fs::metadata(&path).map_err(|e| cannot(e.to_string()))?.len();
        if length > LARGEST_PICTURE {
            return Err(cannot("a picture file may have 1 GB at most".to_owned()));
        }
        let bytes = std::fs::read(&path).map_err(|e| cannot(e.to_string()))?;
        Ok((PictureFile::new(self.name_of(&path), &bytes), bytes))
    }

    /// `path` (without links) if a script may read it.
    fn checked(&self, path: PathBuf, name: &str) -> Result<PathBuf, Diagnostic> {
        let allowed = [&self.root, &self.script_dir].into_iter().chain(&self.assets);
        if !allowed.into_iter().any(|folder| path.starts_with(folder)) {
            return Err(Diagnostic::error(format!("`{name}` lies outside of the project")).hint(
                "scripts read files below the project's root; list further folders as `assets` \
                 in retake.toml or with `--assets`",
            ));
        }
        if !path.is_file() {
            return Err(Diagnostic::error(format!("`{name}` is not a file")));
        }
        Ok(path)
    }
}
