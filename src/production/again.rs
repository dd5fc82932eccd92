//! Pictures and exports from the frames of a run that is there already.

use super::exports;
use super::folder::{RunFolder, store_of};
use super::frame_list::FrameList;
use super::json::sorted_text;
use super::ledger::Ledger;
use super::outputs::{Stage, only};
use super::pictures::{self, Quality};
use super::progress::{Listener, Message};
use super::simulate::Known;
use super::summary::files_json;
use super::timings::Timings;
use crate::diagnostics::Diagnostic;
use crate::export::Format;
use crate::frames::write_whole;
use crate::scene::{ImageFormat, Images, Scene};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// How pictures are drawn again; what is left out stays as the script says.
#[derive(Clone, Debug, Default)]
pub struct Redraw {
    /// Which frames.
    pub frames: Option<FrameList>,
    /// Paths a pixel.
    pub samples: Option<u32>,
    /// Which cameras.
    pub cameras: Vec<String>,
    /// Pixels.
    pub width: Option<u32>,
    /// Pixels.
    pub height: Option<u32>,
    /// How well.
    pub quality: Option<Quality>,
}

/// What goes wrong when a run is taken up again.
#[derive(Clone, Debug, PartialEq)]
pub enum Trouble {
    /// It is no run, or what is asked for is not in it.
    Wrong(Diagnostic),
    /// It cannot be done.
    Failed(Diagnostic),
}

/// Who may work on the run at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Beside {
    Nobody,
    /// Others that draw other frames of it.
    Others,
}

/// A run that is there already.
struct Again {
    folder: RunFolder,
    scene: Scene,
    known: Known,
    ledger: Ledger,
    timings: Timings,
}

/// Draws pictures of the run in `folder`; false if the person stopped it.
pub fn redraw(
    folder: &Path,
    how: &Redraw,
    listener: &dyn Listener,
    interrupted: &AtomicBool,
) -> Result<bool, Trouble> {
    let mut again = Again::open(folder, Beside::Others)?;
    let images = images(&again.scene, how).map_err(Trouble::Wrong)?;
    // The chosen camera frames the shot for the shape of the pictures.
    again.scene.output.images = Some(images.clone());
    let drawn = pictures::with_kept(&again.scene, folder).map_err(Trouble::Wrong)?;
    again.with_stage(how.frames.as_ref(), listener, interrupted, |stage| {
        pictures::numbered(&drawn, stage, &images, how.quality).map_err(|e| {
            Trouble::Failed(Diagnostic::error(format!("a picture could not be made: {e}")))
        })
    })
}

/// Writes exports of the run in `folder`; false if the person stopped it.
pub fn export_again(
    folder: &Path,
    formats: &[Format],
    frames: Option<&FrameList>,
    bodies: Option<&str>,
    listener: &dyn Listener,
    interrupted: &AtomicBool,
) -> Result<bool, Trouble> {
    let again = Again::open(folder, Beside::Nobody)?;
    let mut scene = pictures::with_kept(&again.scene, folder).map_err(Trouble::Wrong)?;
    if let Some(patterns) = bodies {
        scene = only(&scene, patterns).map_err(Trouble::Wrong)?;
    }
    again.with_stage(frames, listener, interrupted, |stage| {
        for (i, format) in formats.iter().enumerate() {
            if scene.output.subframes > 1 && !format.holds_samples() {
                let message =
                    format!("`{}` has a file a frame: of whole frames only", format.name());
                let hint = "the samples between frames are in gltf, pc2, mdd, usd and abc";
                stage.listener.hear(Message::Warning(Diagnostic::warning(message).hint(hint)));
            }
            exports::write(&scene, stage, *format).map_err(Trouble::Failed)?;
            let (done, of) = (i + 1, formats.len());
            stage.listener.hear(Message::Working { what: "exporting", done, of });
        }
        Ok(())
    })
}

impl Again {
    fn open(path: &Path, beside: Beside) -> Result<Self, Trouble> {
        store_of(path).map_err(Trouble::Wrong)?;
        let folder = match beside {
            Beside::Nobody => RunFolder::open(path),
            Beside::Others => RunFolder::open_beside(path),
        };
        let folder = folder.map_err(Trouble::Wrong)?;
        let scene = folder.store.scene().map_err(Trouble::Wrong)?;
        let known = Known::read(&folder.store, &scene);
        let ledger = match beside {
            Beside::Nobody => Ledger::read(path),
            Beside::Others => Ledger::read_shared(path),
        };
        let timings = Timings::read(path);
        Ok(Self { folder, scene, known, ledger, timings })
    }

    fn with_stage(
        &self,
        list: Option<&FrameList>,
        listener: &dyn Listener,
        interrupted: &AtomicBool,
        work: impl FnOnce(&Stage<'_>) -> Result<(), Trouble>,
    ) -> Result<bool, Trouble> {
        let first = self.scene.timing.start_frame;
        let end = self.known.end(self.scene.timing.last_frame());
        // Without gaps from the first frame: what lies behind one is not the shot yet.
        let last = (first..=end).take_while(|n| self.known.has(*n)).last();
        self.look_behind(last, list, listener)?;
        let last =
            last.ok_or_else(|| Trouble::Wrong(Diagnostic::error("the run has no frames yet")))?;
        let frames: BTreeSet<i32> = match list {
            Some(list) => list.within(first, last),
            None => (first..=last).collect(),
        };
        if frames.is_empty() {
            let problem = Diagnostic::error("none of these frames is in the run");
            return Err(Trouble::Wrong(problem.hint(format!("it has frames {first} to {last}"))));
        }
        if let Some(asked) = list.map(FrameList::last).filter(|asked| *asked > last) {
            let message = format!("the run has frames {first} to {last}, and none up to {asked}");
            listener.hear(Message::Warning(Diagnostic::warning(message)));
        }
        let stage = Stage {
            store: &self.folder.store,
            folder: &self.folder.path,
            ledger: &self.ledger,
            timings: &self.timings,
            listener,
            interrupted,
            frames: &frames,
            last,
            keeps_others: true,
        };
        let result = work(&stage);
        let noted = self.ledger.alone(|| {
            self.note_files()?;
            self.timings.write(&self.folder.path)
        });
        result?;
        noted.map_err(|e| {
            let path = self.folder.path.display();
            let message = format!("the files in {path} could not be listed: {e}");
            Trouble::Failed(Diagnostic::error(message))
        })?;
        Ok(!interrupted.load(std::sync::atomic::Ordering::SeqCst))
    }

    /// Whether what lies behind frame `last`, the last without gaps, may be left out of what `list` asks for: not where a
    /// frame is damaged, and not without a word where one is missing.
    fn look_behind(
        &self,
        last: Option<i32>,
        list: Option<&FrameList>,
        listener: &dyn Listener,
    ) -> Result<(), Trouble> {
        let timing = &self.scene.timing;
        let next = last.map_or(timing.start_frame, |last| last + 1);
        if list.is_some_and(|list| list.within(next, timing.last_frame()).is_empty()) {
            return Ok(());
        }
        let hint = match last {
            Some(last) => format!(
                "run the shot again, which makes it anew, or ask for `--frames {}-{last}`",
                timing.start_frame
            ),
            None => "run the shot again, which makes it anew".into(),
        };
        if let Some(problem) = self.known.damaged.first() {
            return Err(Trouble::Wrong(problem.clone().hint(hint)));
        }
        let behind = self.known.numbers().filter(|n| *n > next).count();
        if behind > 0 {
            let message = format!(
                "frame {next} is missing: the {behind} frames that lie behind it are left out"
            );
            listener.hear(Message::Warning(Diagnostic::warning(message).hint(hint)));
        }
        Ok(())
    }

    /// Lists the files that there are now in `shot.json`.
    fn note_files(&self) -> io::Result<()> {
        let path = self.folder.path.join("shot.json");
        let Ok(bytes) = fs::read(&path) else { return Ok(()) };
        let unreadable = |e| io::Error::other(format!("shot.json cannot be read: {e}"));
        let mut shot: Value = serde_json::from_slice(&bytes).map_err(unreadable)?;
        shot["files"] = files_json(&self.ledger);
        write_whole(&path, sorted_text(&shot).as_bytes())
    }
}

/// The script's pictures with what is asked for instead.
fn images(scene: &Scene, how: &Redraw) -> Result<Images, Diagnostic> {
    let mut images = scene.output.images.clone().unwrap_or(Images {
        width: 960,
        height: 540,
        samples: 32,
        every: 1,
        cameras: Vec::new(),
        shutter: 0.0,
        format: ImageFormat::Png,
        layers: Vec::new(),
    });
    let shape = f64::from(images.width) / f64::from(images.height);
    match (how.width, how.height) {
        (None, None) => {}
        (Some(w), None) => {
            (images.width, images.height) = (w, (f64::from(w) / shape).round().max(1.0) as u32);
        }
        (None, Some(h)) => {
            (images.width, images.height) = ((f64::from(h) * shape).round().max(1.0) as u32, h);
        }
        (Some(w), Some(h)) => (images.width, images.height) = (w, h),
    }
    images.samples = how.samples.unwrap_or(images.samples);
    if how.frames.is_some() {
        images.every = 1;
    }
    if !how.cameras.is_empty() {
        images.cameras.clone_from(&how.cameras);
    }
    pictures::check_cameras(scene, &images.cameras)?;
    let numbers = [images.width, images.height, images.samples];
    if numbers.contains(&0) || numbers[..2].iter().any(|n| *n > 32_768) {
        return Err(Diagnostic::error("sizes and samples must be positive, sizes at most 32768"));
    }
    Ok(images)
}
