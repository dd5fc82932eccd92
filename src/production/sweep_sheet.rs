//! The labelled contact sheet of a sweep.

use super::ledger::Ledger;
use super::outputs::Stage;
use super::pictures::{self, Eye, Quality};
use super::progress::{Listener, Message};
use super::simulate::Known;
use super::sweep::Row;
use super::timings::Timings;
use crate::frames::Store;
use crate::render::Settings;
use crate::report::Bitmap;
use crate::report::sheet::{Tile, Variant as SheetVariant, sweep_sheet};
use crate::scene::Scene;
use serde_json::Value;
use std::collections::BTreeSet;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// Pictures of a variant: enough to see how it moves, few enough to compare.
const PICTURES: u32 = 4;

/// Draws `sheet.png` of the sweep in `folder`; the same moments of every variant, side by side.
pub fn write_sweep_sheet(
    folder: &Path,
    title: &str,
    rows: &[Row],
    listener: &dyn Listener,
    interrupted: &AtomicBool,
    quality: Option<Quality>,
) -> io::Result<()> {
    let runs: Vec<Option<Made>> =
        rows.iter().map(|row| Made::read(&folder.join(&row.variant.name))).collect();
    let last = runs.iter().flatten().map(|m| m.scene.timing.last_frame()).max();
    let (Some(last), Some(first)) =
        (last, runs.iter().flatten().map(|m| m.scene.timing.start_frame).min())
    else {
        return Ok(());
    };
    let numbers = pictures::spread(first, last, PICTURES);
    let mut shared: Option<Eye> = None;
    let mut variants = Vec::new();
    for (i, (row, run)) in rows.iter().zip(&runs).enumerate() {
        if interrupted.load(Ordering::SeqCst) {
            return Ok(());
        }
        let mut tiles = Vec::new();
        for n in &numbers {
            tiles.push(match run {
                Some(made) if *n <= made.last => made.tile(*n, &mut shared, quality)?,
                _ => Tile::new(None, format!("frame {n}")).note("not made", true),
            });
        }
        variants.push(SheetVariant { values: values(row), figures: figures(row), tiles });
        let (done, of) = (i + 1, rows.len());
        listener.hear(Message::Working { what: "contact sheet", done, of });
    }
    let about = format!("{} variants, frames {first} to {last}", rows.len());
    sweep_sheet(title, &about, &variants).write_png(&folder.join("sheet.png"))
}

/// A variant whose frames can be drawn.
struct Made {
    store: Store,
    scene: Scene,
    last: i32,
}

impl Made {
    fn read(folder: &Path) -> Option<Self> {
        let store = Store::new(folder.join("frames"));
        let scene = pictures::with_kept(&store.scene().ok()?, folder).ok()?;
        let known = Known::read(&store, &scene);
        let end = known.end(scene.timing.last_frame());
        let last = (scene.timing.start_frame..=end).take_while(|n| known.has(*n)).last()?;
        Some(Self { store, scene, last })
    }

    /// Draws frame `n`. Where the script has no camera all variants are seen by the one that was
    /// chosen for the first, so that they can be compared.
    fn tile(&self, n: i32, shared: &mut Option<Eye>, quality: Option<Quality>) -> io::Result<Tile> {
        let (ledger, timings) = (Ledger::read(Path::new("")), Timings::default());
        let stage = Stage {
            store: &self.store,
            folder: Path::new(""),
            ledger: &ledger,
            timings: &timings,
            listener: &super::progress::Silent,
            interrupted: &AtomicBool::new(false),
            frames: &BTreeSet::new(),
            last: self.last,
            keeps_others: true,
        };
        let own;
        let eye = if self.scene.cameras.is_empty() {
            if shared.is_none() {
                *shared = pictures::eyes(&self.scene, &stage, &[])?.pop();
            }
            shared.as_ref()
        } else {
            let main = [self.scene.cameras[0].name.clone()];
            own = pictures::eyes(&self.scene, &stage, &main)?.pop();
            own.as_ref()
        };
        let eye = eye.ok_or_else(|| io::Error::other("the shot has no camera"))?;
        let frame = self.store.record(n).map_err(io::Error::other)?.frame;
        let mut settings = Settings::for_sheet(self.scene.output.images.as_ref());
        settings.samples = Quality::samples(quality, settings.samples);
        let picture = pictures::draw(&self.scene, &stage, &eye.view, &settings, &frame)?;
        Ok(Tile::of_frame(Bitmap::of_picture(&picture), n, frame.time))
    }
}

fn values(row: &Row) -> Vec<(String, String)> {
    row.variant.values.iter().map(|(name, value)| (name.clone(), text(value))).collect()
}

/// What is worth comparing at a glance.
fn figures(row: &Row) -> Vec<(String, String)> {
    let varied = row.variant.values.len();
    let shown = |name: &str| !matches!(name, "frames" | "steps" | "elastic" | "kinetic");
    row.columns[varied..]
        .iter()
        .filter(|(name, value)| shown(name) && !value.is_null())
        .map(|(name, value)| (name.replace('_', " "), text(value)))
        .collect()
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        value => {
            value.as_f64().map_or_else(|| value.to_string(), crate::report::table::five_digits)
        }
    }
}
