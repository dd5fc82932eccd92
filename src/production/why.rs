//! `retake why`: what of a run is stale after an edit.
//!
//! The run's script is built again as it is now, and judged by the same code that decides what a run
//! keeps. Nothing is simulated, and nothing is written.

use super::asked::Asked;
use super::fate::{Fate, Made};
use super::folder::store_of;
use super::ledger::Ledger;
use super::load::{Loaded, Source, load};
use super::outputs::{Outputs, Stage, Wishes, below};
use super::progress::Silent;
use super::scene_changes::{CALLBACKS, Change, changes, motion_changes, output_changes};
use super::simulate::Known;
use super::stale::look_part;
use super::stale_outputs::{Fresh, StaleOutput, stale_outputs};
use super::timings::Timings;
use crate::diagnostics::Diagnostic;
use crate::frames::Store;
use crate::scene::{Images, Scene};
use crate::sim::Simulation;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// What of a run is stale.
#[derive(Clone, Debug, PartialEq)]
pub struct Why {
    /// The script or scene file as it was found.
    pub script: PathBuf,
    /// What the shot is called now, where that is no longer what the run is called: running its script makes a
    /// folder of that name.
    pub renamed: Option<String>,
    /// First and last frame of the shot.
    pub range: (i32, i32),
    /// The frames that a run would make, rising.
    pub missing: Vec<i32>,
    /// The frames of which measures would be taken again, rising.
    pub measured_again: Vec<i32>,
    /// Whether the frames that are there would be moved aside.
    pub moved_aside: bool,
    /// Why those frames would be made, the earliest first.
    pub causes: Vec<Cause>,
    /// Outputs that a run would make.
    pub outputs: Vec<StaleOutput>,
    /// What building the scene warned of.
    pub warnings: Vec<Diagnostic>,
}

/// Why frames would be made again.
#[derive(Clone, Debug, PartialEq)]
pub enum Cause {
    /// Something of the shot moves otherwise.
    Changed {
        /// What.
        change: Change,
        /// The first frame that it touches.
        from: i32,
    },
    /// Something else, for people.
    Other(String),
}

/// What the run in `folder` was made from, as it lies on the disk now, with further values of parameters and
/// further folders of files.
pub fn source_of_run(
    folder: &Path,
    given: &BTreeMap<String, Value>,
    assets: &[PathBuf],
) -> Result<Source, Diagnostic> {
    let mut source = Asked::source(folder, &store_of(folder)?)?;
    source.parameters.extend(given.iter().map(|(name, value)| (name.clone(), value.clone())));
    source.assets.splice(0..0, assets.iter().cloned());
    Ok(source)
}

/// Tells what of the run in `folder` would be made again if `source` were run there. Errors are those with which
/// the run would be refused.
pub fn why(folder: &Path, source: &Source) -> Result<Why, Vec<Diagnostic>> {
    let store = Store::new(folder.join("frames"));
    let loaded = load(source)?;
    judge(folder, &store, source, &loaded)
}

fn judge(
    folder: &Path,
    store: &Store,
    source: &Source,
    loaded: &Loaded,
) -> Result<Why, Vec<Diagnostic>> {
    let scene = &loaded.scene;
    let outputs = Outputs::plan(scene, &Wishes::default(), &loaded.project.root)?;
    let fate = Fate::of(store, scene, false);
    if fate.loses_frames() {
        Simulation::start(scene)?;
    }
    let old = store.scene().ok();
    let (first, last) = (scene.timing.start_frame, scene.timing.last_frame());
    let mut known = Known::read(store, scene);
    match &fate {
        Fate::Absent | Fate::Kept => {}
        Fate::Edited { same } | Fate::Another { same, .. } => {
            known.forget_after(same.unwrap_or(first - 1));
        }
        Fate::Ignored => known.forget_after(first - 1),
    }
    let end = known.end(last);
    let missing: BTreeSet<i32> = known.missing(first, last).into_iter().collect();
    let (frames, ledger) = ((first..=end).collect(), Ledger::read(folder));
    let stage = Stage {
        store,
        folder,
        ledger: &ledger,
        timings: &Timings::default(),
        listener: &Silent,
        interrupted: &AtomicBool::new(false),
        frames: &frames,
        last: end,
        keeps_others: false,
    };
    let (looks, settings) = old.as_ref().map_or_else(Default::default, |old| shown(old, scene));
    let fresh = Fresh {
        forgets_outputs: matches!(fate, Fate::Another { .. } | Fate::Edited { same: None }),
        missing: &missing,
        looks: &looks,
        settings: &settings,
    };
    let outputs = stale_outputs(&outputs, &stage, &fresh).map_err(|d| vec![d])?;
    let renamed = old.as_ref().filter(|old| old.name != scene.name).map(|_| scene.name.clone());
    let causes = causes(folder, store, loaded, &fate, old.as_ref(), &known, &missing);
    Ok(Why {
        script: source.script.clone(),
        renamed,
        range: (first, end),
        missing: missing.into_iter().collect(),
        measured_again: known.to_measure(),
        moved_aside: matches!(fate, Fate::Another { .. }),
        causes,
        outputs,
        warnings: loaded.warnings.clone(),
    })
}

fn causes(
    folder: &Path,
    store: &Store,
    loaded: &Loaded,
    fate: &Fate,
    old: Option<&Scene>,
    known: &Known,
    missing: &BTreeSet<i32>,
) -> Vec<Cause> {
    let mut found = Vec::new();
    if let Fate::Another { why, .. } = fate {
        found.push(Cause::Other(why.clone()));
    }
    if fate.loses_frames() {
        let now = env!("CARGO_PKG_VERSION");
        match Made::read(store) {
            Ok(Made { retake: version, .. }) if version != now => {
                let text = format!("retake {version} made the frames, this is {now}");
                found.push(Cause::Other(text));
            }
            Ok(_) => {}
            Err(problem) => found.push(Cause::Other(problem.message)),
        }
    }
    if let (Some(old), true) = (old, fate.loses_frames()) {
        let (first, last) = (loaded.scene.timing.start_frame, loaded.scene.timing.last_frame());
        let from = |at: f64| {
            let timing = &loaded.scene.timing;
            // As a run judges: a frame that ends before a change may have looked one frame ahead.
            (first..=last).find(|n| timing.script_time(n + 1) > at)
        };
        let all = motion_changes(old, &loaded.scene);
        let mut changed: Vec<(Change, i32)> =
            all.into_iter().filter_map(|(change, at)| Some((change, from(at)?))).collect();
        changed.sort_by_key(|(_, from)| *from);
        for (change, from) in changed {
            if change.of == CALLBACKS {
                found.push(Cause::Other(other_callbacks(folder, loaded)));
            } else {
                found.push(Cause::Changed { change, from });
            }
        }
        if found.is_empty() {
            let text = "the shot differs from the one that the frames were made for";
            found.push(Cause::Other(text.into()));
        }
    }
    found.extend(known.damaged.iter().map(|d| Cause::Other(d.message.clone())));
    let there = store.numbers();
    let absent: Vec<i32> = missing.iter().copied().filter(|n| !there.contains(n)).collect();
    if !absent.is_empty() {
        found.push(Cause::Other(format!("not made yet: {}", frames_in_words(&absent))));
    } else if found.is_empty() && !missing.is_empty() {
        let text =
            "the last frame was the shot's end then, where functions of the script are not called";
        found.push(Cause::Other(text.into()));
    }
    found
}

/// Why the functions that run with the shot are not what they were.
fn other_callbacks(folder: &Path, loaded: &Loaded) -> String {
    let is_edited = |file: &&crate::director::SourceFile| {
        let kept = folder.join("script").join(below(&file.path));
        fs::read_to_string(kept).map_or(true, |text| text != file.text)
    };
    let names: Vec<&str> =
        loaded.sources.iter().filter(is_edited).map(|file| file.path.as_str()).collect();
    let what = "what the functions of `on_frame` do or use is not as it was";
    if names.is_empty() { what.into() } else { format!("{} was edited: {what}", names.join(", ")) }
}

/// What pictures and exports show otherwise, and what of the settings of pictures differs.
fn shown(old: &Scene, new: &Scene) -> (Vec<Change>, Vec<Change>) {
    let looks = changes(&look_part(old), &look_part(new));
    let images = |scene: &Scene| scene.output.images.clone().map(|i| Images { every: 1, ..i });
    let mut settings = output_changes(&old.output, &new.output);
    settings.retain(|change| {
        change.field.starts_with("sheet")
            || (change.field.starts_with("images") && images(old) != images(new))
    });
    (looks, settings)
}

/// Frame numbers as people write them: `1-12, 14`.
pub fn frames_in_words(frames: &[i32]) -> String {
    let mut spans: Vec<(i32, i32)> = Vec::new();
    for n in frames {
        match spans.last_mut() {
            Some((_, last)) if *last + 1 == *n => *last = *n,
            _ => spans.push((*n, *n)),
        }
    }
    let told = |(a, b): &(i32, i32)| if a == b { a.to_string() } else { format!("{a}-{b}") };
    spans.iter().map(told).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_told_as_spans() {
        assert_eq!(frames_in_words(&[1, 2, 3, 7, 9, 10]), "1-3, 7, 9-10");
        assert_eq!(frames_in_words(&[]), "");
    }
}
