//! The layers of a USD file: itself, and what it refers to beside it.

use crate::diagnostics::Diagnostic;
use crate::geometry::read::{Neighbour, Source};
use openusd::ar::{self, Asset, ResolvedPath, Resolver};
use openusd::usd::{PrimPredicate, Stage};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Cursor, Read};
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;
use zip::{CompressionMethod, ZipArchive};

/// How often layers may name further ones.
const MOST_ROUNDS: usize = 64;

/// Files that are there, and those that were asked for and are not.
#[derive(Default)]
struct Shelf {
    files: BTreeMap<String, Vec<u8>>,
    asked: BTreeSet<String>,
}

/// Gives the library the files of a shelf and nothing else of the disk.
struct Files(Rc<RefCell<Shelf>>);

/// The stage of a file. What it refers to is fetched by `neighbour`.
pub(super) fn stage(
    bytes: &[u8],
    source: Source<'_>,
    neighbour: &Neighbour<'_>,
) -> Result<Stage, Diagnostic> {
    let name = Path::new(source.name).file_name().and_then(|n| n.to_str()).unwrap_or("stage.usd");
    let shelf = Rc::new(RefCell::new(Shelf::default()));
    put(&shelf, name, bytes.to_vec(), source)?;
    for _ in 0..MOST_ROUNDS {
        let damaged =
            |e: &dyn std::fmt::Display| source.error(0, format!("the file is no valid USD: {e:#}"));
        let stage = Stage::builder()
            .resolver(Files(Rc::clone(&shelf)))
            .open(name)
            .map_err(|e| damaged(&e))?;
        // References are followed as prims are reached.
        stage.traverse(PrimPredicate::DEFAULT_PROXIES, |_| {}).map_err(|e| damaged(&e))?;
        let asked = std::mem::take(&mut shelf.borrow_mut().asked);
        if asked.is_empty() {
            return match stage.composition_errors().first() {
                Some(problem) => Err(source.error(0, problem.to_string())),
                None => Ok(stage),
            };
        }
        for name in asked {
            let found = neighbour(&name).map_err(|e| {
                source.error(0, format!("it refers to `{name}`, which cannot be read: {e}"))
            })?;
            put(&shelf, &name, found, source)?;
        }
    }
    Err(source.error(0, format!("layers name further ones more than {MOST_ROUNDS} times")))
}

/// Puts a file on the shelf; of a package what is in it.
fn put(
    shelf: &RefCell<Shelf>,
    name: &str,
    bytes: Vec<u8>,
    source: Source<'_>,
) -> Result<(), Diagnostic> {
    let mut shelf = shelf.borrow_mut();
    if Path::new(name).extension().is_some_and(|e| e.eq_ignore_ascii_case("usdz")) {
        let damaged = |e: &dyn std::fmt::Display| {
            source.error(0, format!("the package `{name}` is damaged: {e}"))
        };
        let mut package =
            ZipArchive::new(Cursor::new(bytes.as_slice())).map_err(|e| damaged(&e))?;
        for i in 0..package.len() {
            let mut entry = package.by_index(i).map_err(|e| damaged(&e))?;
            // Packages are not compressed; what is might be without end.
            if entry.compression() != CompressionMethod::Stored {
                return Err(damaged(&"it is compressed, which USDZ does not allow"));
            }
            let mut content = Vec::new();
            let most = bytes.len() as u64;
            entry.by_ref().take(most).read_to_end(&mut content).map_err(|e| damaged(&e))?;
            let inner = ar::join_package_relative_path(name, entry.name());
            shelf.files.insert(inner, content);
        }
    }
    shelf.files.insert(name.to_owned(), bytes);
    Ok(())
}

/// A path without `.` and, as far as it goes, `..`.
fn plain(path: &Path) -> String {
    let mut parts: Vec<Component> = Vec::new();
    for part in path.components() {
        match (part, parts.last()) {
            (Component::CurDir, _) => {}
            (Component::ParentDir, Some(Component::Normal(_))) => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    parts.iter().collect::<PathBuf>().to_string_lossy().into_owned()
}

impl Resolver for Files {
    fn create_identifier(&self, asset: &str, anchor: Option<&ResolvedPath>) -> String {
        if asset.is_empty() || ar::is_package_relative_path(asset) {
            return asset.to_owned();
        }
        let beside = |at: &Path| plain(&at.parent().unwrap_or(Path::new("")).join(asset));
        let Some(anchor) = anchor else { return plain(Path::new(asset)) };
        match ar::split_package_relative_path_inner(&anchor.to_string_lossy()) {
            Some((package, inner)) => {
                ar::join_package_relative_path(&package, &beside(Path::new(&inner)))
            }
            None => beside(anchor),
        }
    }

    fn resolve(&self, asset: &str) -> Option<ResolvedPath> {
        let mut shelf = self.0.borrow_mut();
        if shelf.files.contains_key(asset) {
            return Some(ResolvedPath::new(asset));
        }
        let outer = ar::split_package_relative_path_outer(asset).map(|(package, _)| package);
        match outer {
            // Nothing is added to a package that is there.
            Some(package) if shelf.files.contains_key(&package) => {}
            Some(package) => drop(shelf.asked.insert(package)),
            None => drop(shelf.asked.insert(asset.to_owned())),
        }
        None
    }

    fn resolve_for_new_asset(&self, _asset: &str) -> Option<ResolvedPath> {
        None
    }

    fn open_asset(&self, path: &ResolvedPath) -> io::Result<Box<dyn Asset>> {
        let shelf = self.0.borrow();
        let found = path.to_str().and_then(|name| shelf.files.get(name));
        let bytes = found.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
        Ok(Box::new(Cursor::new(bytes.clone())))
    }

    fn get_modification_timestamp(
        &self,
        _asset: &str,
        _path: &ResolvedPath,
    ) -> Option<std::time::SystemTime> {
        None
    }
}
