//! What one script's build and callbacks share.

use super::chance::Stream;
use super::files::Files;
use super::limits::{Limits, Meter};
use super::shot::ShotState;
use super::{Defaults, Parameter};
use crate::diagnostics::{Diagnostic, Place};
use crate::scene::world::{Command, WorldView};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

/// What the Lua state is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// The script builds the shot.
    Building,
    /// An `on_frame` function runs.
    Frame,
    /// A measure runs: it may look and not touch.
    Measure,
}

/// What the callbacks of the present frame see and ask for.
#[derive(Default)]
pub(crate) struct Running {
    pub(crate) view: WorldView,
    pub(crate) commands: Vec<Command>,
    pub(crate) events: Vec<(String, String)>,
    pub(crate) stop: Option<String>,
}

/// Shared state; every Lua call reaches it through the Lua state's app data.
pub(crate) struct Context {
    pub(crate) limits: Limits,
    pub(crate) meter: Meter,
    pub(crate) files: Files,
    pub(crate) given: BTreeMap<String, serde_json::Value>,
    pub(crate) defaults: Defaults,
    pub(crate) parameters: RefCell<Vec<Parameter>>,
    pub(crate) printed: RefCell<Vec<String>>,
    pub(crate) printed_bytes: Cell<usize>,
    pub(crate) warnings: RefCell<Vec<Diagnostic>>,
    pub(crate) shot: RefCell<Option<ShotState>>,
    pub(crate) phase: Cell<Phase>,
    pub(crate) running: RefCell<Running>,
    /// For each constraint that the script holds, those of the finished scene.
    pub(crate) parts: RefCell<Vec<Vec<usize>>>,
    /// The stream of `math.random`.
    pub(crate) dice: RefCell<Stream>,
    /// Where a limit was first hit.
    pub(crate) stopped_at: RefCell<Option<Place>>,
}

/// Seed of `math.random` at the start of every script.
const DICE_SEED: u64 = 0x5EED;

impl Context {
    pub(crate) fn new(
        files: Files,
        given: BTreeMap<String, serde_json::Value>,
        defaults: Defaults,
        limits: Limits,
    ) -> Self {
        Self {
            limits,
            meter: Meter::new(limits.build_instructions),
            files,
            given,
            defaults,
            parameters: RefCell::default(),
            printed: RefCell::default(),
            printed_bytes: Cell::new(0),
            warnings: RefCell::default(),
            shot: RefCell::new(None),
            phase: Cell::new(Phase::Building),
            running: RefCell::default(),
            parts: RefCell::default(),
            dice: RefCell::new(Stream::new("math.random", DICE_SEED)),
            stopped_at: RefCell::new(None),
        }
    }

    /// The line of `key` in the call that stands at `place`, or `place`.
    pub(crate) fn place_of_key(&self, place: Option<Place>, path: &[&str]) -> Option<Place> {
        let place = place?;
        let line = self
            .files
            .source_text(&place.file)
            .and_then(|text| super::place::line_of_key(&text, place.line, path));
        Some(match line {
            Some(line) => Place { line, ..place },
            None => place,
        })
    }
}
