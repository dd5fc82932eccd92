//! The contact sheet of a shot.

use super::outputs::Stage;
use super::pictures::{self, Eye, Quality};
use super::progress::Message;
use crate::frames::{Frame, Store};
use crate::render::{self, Settings, View};
use crate::report::Bitmap;
use crate::report::sheet::{Tile, contact_sheet};
use crate::scene::{Scene, Sheet};
use std::io;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// Name of the file.
pub(super) const SHEET_FILE: &str = "sheet.png";

/// Whether the shot has a sheet at all.
pub(super) fn is_wanted(scene: &Scene) -> bool {
    match &scene.output.sheet {
        Sheet::Count(count) => *count > 0,
        Sheet::Frames(frames) => !frames.is_empty(),
    }
}

/// A sheet as it is to be drawn.
struct Plan {
    settings: Settings,
    eyes: Vec<Eye>,
    frames: Vec<Frame>,
    /// Hash of what it is made from.
    key: String,
}

impl Plan {
    fn new(scene: &Scene, stage: &Stage<'_>, quality: Option<Quality>) -> io::Result<Self> {
        let settings = settings(scene, quality);
        let main: Vec<String> = scene.cameras.iter().take(1).map(|c| c.name.clone()).collect();
        let eyes = pictures::eyes(scene, stage, &main)?;
        let view_hash = pictures::view_key(scene, &eyes);
        let frames: Vec<Frame> = numbers(scene, stage)
            .iter()
            .map(|n| stage.store.record(*n).map(|r| r.frame).map_err(io::Error::other))
            .collect::<io::Result<_>>()?;
        let mut hash = blake3::Hasher::new();
        for frame in &frames {
            hash.update(pictures::picture_key(&view_hash, &settings, frame, "sheet").as_bytes());
        }
        let key = hash.finalize().to_hex().to_string();
        Ok(Self { settings, eyes, frames, key })
    }
}

/// The frames that the sheet shows.
pub(super) fn numbers(scene: &Scene, stage: &Stage<'_>) -> Vec<i32> {
    pictures::sheet_frames(&scene.output.sheet, scene.timing.start_frame, stage.last)
}

/// Hash of what the sheet is made from; all of its frames must be there.
pub(super) fn key(scene: &Scene, stage: &Stage<'_>) -> io::Result<String> {
    Ok(Plan::new(scene, stage, None)?.key)
}

/// Draws the sheet if it is not there yet.
pub(super) fn write(scene: &Scene, stage: &Stage<'_>, quality: Option<Quality>) -> io::Result<()> {
    let began = Instant::now();
    let Plan { settings, eyes, frames, key } = Plan::new(scene, stage, quality)?;
    if frames.is_empty() || stage.ledger.holds(SHEET_FILE, &key) {
        return Ok(());
    }
    let Some(eye) = eyes.first() else { return Ok(()) };
    let mut tiles = Vec::new();
    for (i, frame) in frames.iter().enumerate() {
        if stage.interrupted.load(Ordering::SeqCst) {
            return Ok(());
        }
        let picture = pictures::draw(scene, stage, &eye.view, &settings, frame)?;
        tiles.push(Tile::of_frame(Bitmap::of_picture(&picture), frame.number, frame.time));
        let (done, of) = (i + 1, frames.len());
        stage.listener.hear(Message::Working { what: "contact sheet", done, of });
    }
    let path = stage.folder.join(SHEET_FILE);
    contact_sheet(&scene.name, &about(scene, stage.last), &tiles).write_png(&path)?;
    stage.ledger.wrote(SHEET_FILE, "sheet", &key)?;
    stage.listener.hear(Message::Wrote(path));
    stage.timings.part("sheet", began.elapsed());
    Ok(())
}

/// A sheet of the first frame alone, for whoever waits; the whole one takes its place.
pub(super) fn preview(scene: &Scene, store: &Store, folder: &Path) -> io::Result<()> {
    let path = folder.join(SHEET_FILE);
    if path.exists() {
        return Ok(());
    }
    let first = scene.timing.start_frame;
    let mut read = |n: i32| store.record(n).map(|r| r.frame).map_err(io::Error::other);
    let frame = read(first)?;
    let view = if scene.cameras.is_empty() {
        render::choose_view(scene, &mut read, &[first])?
    } else {
        View::of_camera(scene, 0, render::measure_stage(scene, &mut read, &[first])?)?
    };
    let settings = settings(scene, Some(Quality::Draft));
    let picture = render::render(scene, &frame, None, &view.at(scene, first), &settings);
    let tile = Tile::of_frame(Bitmap::of_picture(&picture), first, frame.time);
    contact_sheet(&scene.name, "being made", &[tile]).write_png(&path)
}

fn settings(scene: &Scene, quality: Option<Quality>) -> Settings {
    let mut settings = Settings::for_sheet(scene.output.images.as_ref());
    settings.samples = match quality {
        Some(Quality::Final) => settings.samples * 4,
        _ => Quality::samples(quality, settings.samples),
    };
    settings
}

fn about(scene: &Scene, last: i32) -> String {
    let t = &scene.timing;
    let fps = f64::from(t.fps.0) / f64::from(t.fps.1);
    let fps = (fps * 1000.0).round() / 1000.0;
    format!("frames {} to {last}, {fps} a second", t.start_frame)
}
