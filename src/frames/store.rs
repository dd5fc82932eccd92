//! The frames of a run on disk: one file a frame, and exact states to go on from.

use super::container::{self, Kind};
use super::record::Record;
use super::write::{write_lightly, write_whole};
use super::{Frame, FrameSource};
use crate::diagnostics::{Diagnostic, Place};
use crate::scene::Scene;
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The exact state is kept at every so many frames.
pub const STATE_EVERY: i32 = 10;

/// The folder `frames/` of a run.
#[derive(Clone, Debug)]
pub struct Store {
    folder: PathBuf,
}

impl Store {
    /// The store in `folder`, which need not exist yet.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// Where it lies.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The file of a frame.
    pub fn frame_path(&self, number: i32) -> PathBuf {
        self.folder.join(format!("{number:04}.frame"))
    }

    /// The file of an exact state.
    pub fn state_path(&self, number: i32) -> PathBuf {
        self.folder.join(format!("{number:04}.state"))
    }

    /// The file of the scene that the frames were made from.
    pub fn scene_path(&self) -> PathBuf {
        self.folder.join("scene.json")
    }

    /// Keeps the scene that the frames are made from.
    pub fn write_scene(&self, scene: &Scene) -> io::Result<()> {
        write_whole(&self.scene_path(), &serde_json::to_vec(scene)?)
    }

    /// The scene that the frames were made from.
    pub fn scene(&self) -> Result<Scene, Diagnostic> {
        let path = self.scene_path();
        let bytes = fs::read(&path).map_err(|e| unreadable(&path, &e.to_string()))?;
        serde_json::from_slice(&bytes).map_err(|e| unreadable(&path, &e.to_string()))
    }

    /// Keeps a frame.
    pub fn write_record(&self, record: &Record) -> io::Result<()> {
        let mut bytes = postcard::to_stdvec(record).map_err(io::Error::other)?;
        // Of a shot without samples nothing lies there.
        if !record.frame.samples.is_empty() {
            bytes.extend(postcard::to_stdvec(&record.frame.samples).map_err(io::Error::other)?);
        }
        write_whole(&self.frame_path(record.frame.number), &container::pack(Kind::Frame, &bytes)?)
    }

    /// A frame and what belongs to it; an error names the file.
    pub fn record(&self, number: i32) -> Result<Record, Diagnostic> {
        let path = self.frame_path(number);
        let bytes = read(Kind::Frame, &path)?;
        let damaged = |e: postcard::Error| unreadable(&path, &e.to_string());
        let (mut record, behind) = postcard::take_from_bytes::<Record>(&bytes).map_err(damaged)?;
        if !behind.is_empty() {
            record.frame.samples = postcard::from_bytes(behind).map_err(damaged)?;
        }
        if record.frame.number == number {
            Ok(record)
        } else {
            Err(unreadable(&path, &format!("it holds frame {}", record.frame.number)))
        }
    }

    /// Keeps the engine's exact state at a frame.
    pub fn write_state(&self, number: i32, state: &[u8]) -> io::Result<()> {
        write_whole(&self.state_path(number), &container::pack(Kind::State, state)?)
    }

    /// The engine's exact state at a frame; an error names the file.
    pub fn state(&self, number: i32) -> Result<Vec<u8>, Diagnostic> {
        read(Kind::State, &self.state_path(number))
    }

    /// The file of what the regions of a frame came to.
    pub fn regions_path(&self, number: i32) -> PathBuf {
        self.folder.join(format!("{number:04}.regions"))
    }

    /// Keeps what the engine's regions came to at a frame.
    pub fn write_regions(&self, number: i32, regions: &[u8]) -> io::Result<()> {
        write_lightly(&self.regions_path(number), &container::pack(Kind::Regions, regions)?)
    }

    /// What the engine's regions came to at a frame; none where nothing is kept of it, an error names the file.
    pub fn regions(&self, number: i32) -> Result<Option<Vec<u8>>, Diagnostic> {
        let path = self.regions_path(number);
        if path.exists() { read(Kind::Regions, &path).map(Some) } else { Ok(None) }
    }

    /// Where what regions came to before an edit is kept until the frames are made again.
    #[must_use]
    pub fn earlier(&self) -> Self {
        Self::new(self.folder.join("earlier"))
    }

    /// Keeps what regions of the frames after frame `last` of the store `from` came to as earlier ones of this
    /// store, its own earlier ones included; none: of all frames. They stay where they are as well.
    pub fn keep_earlier(&self, from: &Self, last: Option<i32>) -> io::Result<()> {
        let earlier = self.earlier();
        fs::create_dir_all(earlier.folder())?;
        for source in [&from.earlier(), from] {
            let numbers = source.files("regions");
            for n in numbers.into_iter().filter(|n| last.is_none_or(|last| *n > last)) {
                let (from, to) = (source.regions_path(n), earlier.regions_path(n));
                if from != to {
                    link(&from, &to)?;
                }
            }
        }
        Ok(())
    }

    /// Forgets what regions came to before an edit at the frames `known`; at all others too, where nothing is left
    /// to be made.
    pub fn tidy_earlier(&self, known: impl Fn(i32) -> bool, complete: bool) -> io::Result<()> {
        let earlier = self.earlier();
        if !earlier.folder().is_dir() {
            return Ok(());
        }
        for n in earlier.files("regions").into_iter().filter(|n| known(*n)) {
            remove(&earlier.regions_path(n))?;
        }
        if complete || earlier.files("regions").is_empty() {
            fs::remove_dir_all(earlier.folder())?;
        }
        Ok(())
    }

    /// Forgets all frames and their states, but not what regions came to before an edit.
    pub fn remove_all(&self) -> io::Result<()> {
        for entry in fs::read_dir(&self.folder)? {
            let path = entry?.path();
            if path.is_file() {
                fs::remove_file(path)?;
            }
        }
        Ok(())
    }

    /// Forgets an exact state.
    pub fn remove_state(&self, number: i32) -> io::Result<()> {
        remove(&self.state_path(number))
    }

    /// Forgets a frame, its state, and what its regions came to.
    pub fn remove_frame(&self, number: i32) -> io::Result<()> {
        remove(&self.frame_path(number))?;
        remove(&self.regions_path(number))?;
        self.remove_state(number)
    }

    /// Numbers of the frames that have a file, damaged or not.
    pub fn numbers(&self) -> BTreeSet<i32> {
        self.files("frame")
    }

    /// Numbers of the frames whose exact state has a file, damaged or not.
    pub fn states(&self) -> BTreeSet<i32> {
        self.files("state")
    }

    fn files(&self, extension: &str) -> BTreeSet<i32> {
        let Ok(entries) = fs::read_dir(&self.folder) else { return BTreeSet::new() };
        entries
            .filter_map(Result::ok)
            .map(|entry| PathBuf::from(entry.file_name()))
            .filter(|name| name.extension().is_some_and(|e| e == extension))
            .filter_map(|name| name.file_stem()?.to_str()?.parse().ok())
            .collect()
    }
}

/// Frames of a store that are chosen for a purpose.
#[derive(Clone, Debug)]
pub struct Chosen<'a> {
    store: &'a Store,
    numbers: Vec<i32>,
}

impl<'a> Chosen<'a> {
    /// Frames `numbers` of `store`.
    pub fn new(store: &'a Store, numbers: impl IntoIterator<Item = i32>) -> Self {
        let numbers: BTreeSet<i32> = numbers.into_iter().collect();
        Self { store, numbers: numbers.into_iter().collect() }
    }
}

impl FrameSource for Chosen<'_> {
    fn numbers(&self) -> Vec<i32> {
        self.numbers.clone()
    }

    fn frame(&self, number: i32) -> Result<Frame, Diagnostic> {
        Ok(self.store.record(number)?.frame)
    }
}

fn read(kind: Kind, path: &Path) -> Result<Vec<u8>, Diagnostic> {
    let file = fs::read(path).map_err(|e| unreadable(path, &e.to_string()))?;
    container::unpack(kind, &file).map_err(|e| unreadable(path, &e))
}

fn unreadable(path: &Path, why: &str) -> Diagnostic {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Diagnostic::error(format!("{name} cannot be read: {why}"))
        .at(Place::new(path.display().to_string(), 0))
}

/// The file `from` as `to` as well. Files of the store are never written into, so that both may be one.
fn link(from: &Path, to: &Path) -> io::Result<()> {
    remove(to)?;
    if fs::hard_link(from, to).is_err() {
        write_lightly(to, &fs::read(from)?)?;
    }
    Ok(())
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{BodyState, Figures, Measured, Sample};
    use super::*;
    use crate::scene::world::WorldView;

    fn record(samples: Vec<Sample>) -> Record {
        let frame = Frame {
            number: 3,
            time: 0.5,
            bodies: vec![BodyState::Deformed { positions: vec![[1.0, 2.0, 3.0]; 4] }],
            figures: Figures::default(),
            regions: Vec::new(),
            retakes: Vec::new(),
            events: Vec::new(),
            state_hash: [7; 32],
            samples,
        };
        Record {
            frame,
            warnings: Vec::new(),
            memory: "null".into(),
            commands: Vec::new(),
            printed: Vec::new(),
            view: WorldView::default(),
            measured: Measured::default(),
            stop: None,
            called: true,
        }
    }

    #[test]
    fn samples_come_back_and_without_any_the_file_is_the_record() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(folder.path());
        let plain = record(Vec::new());
        store.write_record(&plain).unwrap();
        let alone = container::pack(Kind::Frame, &postcard::to_stdvec(&plain).unwrap()).unwrap();
        assert_eq!(fs::read(store.frame_path(3)).unwrap(), alone);
        assert_eq!(store.record(3).unwrap(), plain);
        let posed = BodyState::Posed { translate: [1.0; 3], rotate: [0.0, 0.0, 0.0, 1.0] };
        let samples =
            (1..4).map(|k| Sample { time: 0.1 * f64::from(k), bodies: vec![posed.clone()] });
        let sampled = record(samples.collect());
        store.write_record(&sampled).unwrap();
        assert_eq!(store.record(3).unwrap(), sampled);
    }
}
