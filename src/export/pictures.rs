//! Picture files that materials name: what they are called beside an export, and copies of them.

use super::shot::{Shot, save};
use crate::diagnostics::Diagnostic;
use crate::scene::{PictureFile, PictureFormat, Scene};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Names of the picture files of a scene, by their hashes: their own, without blanks. Of several that are
/// called the same but hold different pictures all but the first carry a part of their hash.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    names: BTreeMap<String, String>,
}

impl Names {
    /// Of all pictures that looks of `scene` name.
    pub(super) fn of(scene: &Scene) -> Self {
        let mut names: BTreeMap<String, String> = BTreeMap::new();
        for look in scene.bodies.iter().map(|b| &b.look) {
            for file in [&look.color_map, &look.normal_map].into_iter().flatten() {
                if names.contains_key(&file.hash) {
                    continue;
                }
                let name = file.file_name().replace(char::is_whitespace, "_");
                let taken = names.values().any(|known| known.eq_ignore_ascii_case(&name));
                let name = if taken { marked(&name, &file.hash) } else { name };
                names.insert(file.hash.clone(), name);
            }
        }
        Self { names }
    }

    /// What `file` is called.
    pub(super) fn name(&self, file: &PictureFile) -> &str {
        self.names.get(&file.hash).map_or("", String::as_str)
    }

    /// Copies the pictures of the bodies `bodies` into `folder`.
    pub(super) fn copy(
        &self,
        shot: &Shot<'_>,
        bodies: &[usize],
        folder: &Path,
    ) -> Result<Vec<PathBuf>, Diagnostic> {
        let mut copied: BTreeMap<&str, PathBuf> = BTreeMap::new();
        for look in bodies.iter().map(|i| &shot.body(*i).look) {
            for file in [&look.color_map, &look.normal_map].into_iter().flatten() {
                let name = self.name(file);
                if !copied.contains_key(name) {
                    let path = folder.join(name);
                    save(&path, &read(file)?.0)?;
                    copied.insert(name, path);
                }
            }
        }
        Ok(copied.into_values().collect())
    }
}

/// `name` with the beginning of `hash` before its ending.
fn marked(name: &str, hash: &str) -> String {
    let hash = hash.get(..8).unwrap_or(hash);
    match name.rsplit_once('.') {
        Some((stem, ending)) => format!("{stem}_{hash}.{ending}"),
        None => format!("{name}_{hash}"),
    }
}

/// The bytes of a picture file and what they are.
pub(super) fn read(file: &PictureFile) -> Result<(Vec<u8>, PictureFormat), Diagnostic> {
    let problem = |why: &str| {
        Diagnostic::error(format!("the picture {} cannot be exported: {why}", file.path))
    };
    let bytes = file.read(Path::new("")).map_err(|e| problem(&e.to_string()))?;
    let format = PictureFormat::of(&bytes).ok_or_else(|| problem("it is no PNG or JPEG file"))?;
    Ok((bytes, format))
}
