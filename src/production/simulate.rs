//! From the first frame that is missing to the last that is wanted.

use super::callbacks::{AtFrame, Callbacks};
use super::capture::capture;
use super::certificate::check_frame;
use super::heartbeat::Heartbeat;
use super::progress::{Listener, Message};
use super::queue::Sender;
use super::stale::measures_hash;
use super::summary::uncertified;
use super::timings::Timings;
use super::writer::{Entry, Stored, state_is_kept};
use crate::diagnostics::{Diagnostic, Severity};
use crate::frames::{BodyState, Event, EventKind, Frame, Record, Store};
use crate::scene::Scene;
use crate::scene::world::Command;
use crate::sim::{Attention, Failure, Simulation};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// So much work may be lost at most when a run is killed.
const STATE_PAUSE: Duration = Duration::from_secs(1);

/// How simulating ended.
#[derive(Debug)]
pub(super) enum Ended {
    /// All wanted frames are there.
    Complete,
    /// The person stopped it.
    Interrupted,
    /// The shot could not go on.
    Failed(Diagnostic),
    /// The scene cannot be started; nothing was simulated.
    Refused(Vec<Diagnostic>),
    /// A frame that was made again is not the stored one: the engine has changed.
    Different(i32),
    /// The writer is gone; it knows why.
    NotWritten,
}

/// What the store holds of a shot.
#[derive(Debug, Default)]
pub(super) struct Known {
    frames: BTreeMap<i32, KnownFrame>,
    /// As [`measures_hash`].
    measured_by: String,
    /// Files that are there but cannot be read.
    pub(super) damaged: Vec<Diagnostic>,
}

#[derive(Debug)]
struct KnownFrame {
    state_hash: [u8; 32],
    /// Whether the measures are those of the scene.
    measured: bool,
    stops: bool,
}

impl Known {
    /// Reads every frame of `scene` that the store holds. A frame whose callbacks are not what the
    /// scene asks for (the shot was shorter then) counts as missing.
    pub(super) fn read(store: &Store, scene: &Scene) -> Self {
        let mut known = Self { measured_by: measures_hash(scene), ..Self::default() };
        let (first, last) = (scene.timing.start_frame, scene.timing.last_frame());
        for n in store.numbers().range(first..=last) {
            match store.record(*n) {
                Err(problem) => known.damaged.push(problem),
                Ok(record) => known.insert(scene, &record),
            }
        }
        // A measure may look at what the callbacks of the frame before left in `world.memory`.
        let there: BTreeSet<i32> = known.numbers().collect();
        known.frames.retain(|n, f| f.measured || *n == first || there.contains(&(n - 1)));
        known
    }

    fn insert(&mut self, scene: &Scene, record: &Record) {
        let n = record.frame.number;
        if record.called == Callbacks::are_called_at(scene, n) {
            let (stops, state_hash) = (record.stop.is_some(), record.frame.state_hash);
            let measured = record.measured.by == self.measured_by;
            self.frames.insert(n, KnownFrame { state_hash, measured, stops });
        }
    }

    /// Forgets the frames after frame `last`.
    pub(super) fn forget_after(&mut self, last: i32) {
        self.frames.retain(|n, _| *n <= last);
    }

    /// Numbers of the frames that are there and good.
    pub(super) fn numbers(&self) -> impl Iterator<Item = i32> + '_ {
        self.frames.keys().copied()
    }

    /// Numbers of the frames that are there and whose measures are other ones.
    pub(super) fn to_measure(&self) -> Vec<i32> {
        self.frames.iter().filter(|(_, f)| !f.measured).map(|(n, _)| *n).collect()
    }

    /// Whether frame `number` is there and good.
    pub(super) fn has(&self, number: i32) -> bool {
        self.frames.contains_key(&number)
    }

    /// The last frame of the shot up to `last`: the script may have ended it earlier.
    pub(super) fn end(&self, last: i32) -> i32 {
        self.frames.range(..=last).find(|(_, f)| f.stops).map_or(last, |(n, _)| *n)
    }

    /// The frames of `first ..= last` that have to be made.
    pub(super) fn missing(&self, first: i32, last: i32) -> Vec<i32> {
        (first..=self.end(last)).filter(|n| !self.frames.contains_key(n)).collect()
    }
}

/// How far from the origin positions are looked at as they are stored [m]: f32 has them 0.06 mm apart there, of the order
/// of what the guard keeps apart.
const FAR: f32 = 1000.0;

/// What of `frame` crosses only because positions far from the origin are rounded as they are stored.
fn crossing_far_away(scene: &Scene, frame: &Frame) -> Option<Diagnostic> {
    let bodies = frame.samples.iter().flat_map(|sample| &sample.bodies).chain(&frame.bodies);
    let farthest = bodies.flat_map(BodyState::places).flatten().fold(0.0f32, |m, x| m.max(x.abs()));
    if !farthest.is_finite() || farthest <= FAR || uncertified(scene).is_some() {
        return None;
    }
    let found = check_frame(scene, frame).into_iter().next()?;
    let apart = f64::from(farthest) * f64::from(f32::EPSILON);
    let message =
        format!("{found}: {farthest:.0} m from the origin places are stored {apart:.2e} m apart");
    let hint = "look for a speed, a force or a pressure that is far too large, or move the scene \
                nearer to the origin";
    Some(Diagnostic::error(message).hint(hint))
}

/// Makes frames and sends them to the writer.
pub(super) struct Simulating<'a> {
    pub(super) scene: &'a Scene,
    pub(super) store: &'a Store,
    pub(super) callbacks: &'a mut Callbacks,
    pub(super) known: &'a mut Known,
    pub(super) last: i32,
    pub(super) interrupted: &'a AtomicBool,
    pub(super) listener: &'a dyn Listener,
    pub(super) timings: &'a Timings,
    pub(super) stored: &'a Stored,
    pub(super) writer: Sender<Entry>,
}

/// The simulation at a frame, and what acts from there.
struct Here {
    engine: Simulation,
    /// What the engine found at the start; kept with the first frame.
    warnings: Vec<Diagnostic>,
    /// None before the first frame.
    frame: Option<i32>,
    commands: Vec<Command>,
    /// Whether this frame's exact state is on its way to the disk.
    saved: bool,
    /// None where this run has not saved a state yet.
    saved_at: Option<Instant>,
}

impl Simulating<'_> {
    /// Makes all missing frames up to the last.
    pub(super) fn run(&mut self) -> Ended {
        let first = self.scene.timing.start_frame;
        let missing = self.known.missing(first, self.last);
        let Some(&from) = missing.first() else { return Ended::Complete };
        let mut at = match Simulation::start(self.scene) {
            Ok(mut started) => {
                started.simulation.keep_outcomes();
                Here {
                    engine: started.simulation,
                    warnings: started.warnings,
                    frame: None,
                    commands: Vec::new(),
                    saved: false,
                    saved_at: None,
                }
            }
            Err(problems) => return Ended::Refused(problems),
        };
        let shot = self.scene.name.clone();
        self.listener.hear(Message::Simulating { shot, from, last: self.last });
        for n in missing {
            if let Err(ended) = self.reach(&mut at, n) {
                return self.leave(&at, ended);
            }
            if self.known.frames.get(&n).is_some_and(|f| f.stops) {
                break;
            }
        }
        self.leave(&at, Ended::Complete)
    }

    /// Keeps the exact state at a stop, so that the next run goes on from here.
    fn leave(&self, at: &Here, ended: Ended) -> Ended {
        if let Some(n) = at.frame.filter(|n| !at.saved && self.known.frames.contains_key(n)) {
            // Where the writer is gone its own reason is told.
            let _ = self.send(Entry::State(n, at.engine.save()));
        }
        ended
    }

    /// Sends an entry to the disk; tells how many waited before it.
    fn send(&self, entry: Entry) -> Result<usize, Ended> {
        let bytes = entry.bytes();
        self.writer.send(entry, bytes).map_err(|_| Ended::NotWritten)
    }

    /// Goes to frame `n` from the nearest state before it, and keeps the frame.
    fn reach(&mut self, at: &mut Here, n: i32) -> Result<(), Ended> {
        self.jump(at, n)?;
        while at.frame != Some(n) {
            self.step(at)?;
        }
        Ok(())
    }

    /// Goes to the last stored state before frame `n`, where that saves steps.
    fn jump(&mut self, at: &mut Here, n: i32) -> Result<(), Ended> {
        let states: BTreeSet<i32> = self.store.states();
        let after = at.frame.map_or(self.scene.timing.start_frame, |f| f + 1);
        if after >= n {
            return Ok(());
        }
        for s in states.range(after..n).rev().filter(|s| self.known.frames.contains_key(s)) {
            let restored = self.store.state(*s).and_then(|bytes| {
                at.engine.restore(&bytes).map_err(|why| {
                    Diagnostic::warning(format!("the state of frame {s} cannot be used: {why}"))
                })
            });
            if let Err(problem) = restored {
                let hint = "an earlier one is taken";
                self.listener.hear(Message::Warning(Diagnostic {
                    severity: Severity::Warning,
                    ..problem.hint(hint)
                }));
                // It is written again when the simulation comes by.
                self.store.remove_state(*s).map_err(|_| Ended::NotWritten)?;
                continue;
            }
            if at.engine.state_hash() != self.known.frames[s].state_hash {
                return Err(Ended::Different(*s));
            }
            (at.frame, at.saved) = (Some(*s), true);
            return self.adopt(at, *s);
        }
        Ok(())
    }

    /// One frame further: a stored one is compared, a missing one is kept.
    fn step(&mut self, at: &mut Here) -> Result<(), Ended> {
        if self.interrupted.load(Ordering::SeqCst) {
            return Err(Ended::Interrupted);
        }
        let began = Instant::now();
        let distrusted = at.engine.distrusts_offers();
        if !distrusted {
            self.offer(at);
        }
        let before = at.frame;
        let n = before.map_or(self.scene.timing.start_frame, |f| f + 1);
        let numbers = (n, self.known.end(self.last));
        let heartbeat = Heartbeat::new(self.scene, self.listener, numbers, at.engine.time());
        let hears = |reached| heartbeat.hear(reached);
        let attention = Attention::new(self.interrupted, &hears);
        let made = match before {
            None => at.engine.preroll(attention),
            Some(_) => at.engine.advance(&at.commands, attention),
        };
        made.map_err(|failure| match failure {
            Failure::Interrupted => Ended::Interrupted,
            Failure::Shot(problem) => Ended::Failed(problem),
        })?;
        if at.engine.distrusts_offers() && !distrusted {
            let text = "what regions came to was kept by another version of the program";
            self.solved_again(Diagnostic::warning(text));
        }
        (at.frame, at.saved) = (Some(n), false);
        if let Some(known) = self.known.frames.get(&n) {
            if at.engine.state_hash() != known.state_hash {
                return Err(Ended::Different(n));
            }
            let first = self.scene.timing.start_frame;
            if state_is_kept(first, n) && !self.store.state_path(n).exists() {
                let state = Entry::State(n, at.engine.save());
                self.send(state)?;
            }
            return self.adopt(at, n);
        }
        self.keep(at, n, before, began)
    }

    /// Lets the next frame take over what its regions came to before: in this shot, or before an edit.
    fn offer(&self, at: &mut Here) {
        let n = at.frame.map_or(self.scene.timing.start_frame, |f| f + 1);
        let stored = [self.store.regions(n), self.store.earlier().regions(n)];
        let mut lists = Vec::new();
        for list in stored {
            match list {
                Ok(list) => lists.extend(list),
                Err(problem) => self.solved_again(problem),
            }
        }
        if let Err(why) = at.engine.offer(&lists) {
            self.solved_again(Diagnostic::warning(format!("the regions of frame {n}: {why}")));
        }
    }

    /// Tells that what is kept of regions cannot be used.
    fn solved_again(&self, problem: Diagnostic) {
        let warning = Diagnostic { severity: Severity::Warning, ..problem };
        self.listener.hear(Message::Warning(warning.hint("the regions are solved again")));
    }

    /// Takes what the callbacks did at stored frame `n` as done.
    fn adopt(&mut self, at: &mut Here, n: i32) -> Result<(), Ended> {
        let record = self.store.record(n).map_err(Ended::Failed)?;
        at.commands = record.commands;
        self.callbacks.set_memory(&record.memory).map_err(Ended::Failed)
    }

    /// Asks the script about a new frame and sends it to the disk.
    fn keep(
        &mut self,
        at: &mut Here,
        n: i32,
        before: Option<i32>,
        began: Instant,
    ) -> Result<(), Ended> {
        let mut frame = capture(self.scene, &at.engine);
        if let Some(problem) = crossing_far_away(self.scene, &frame) {
            return Err(Ended::Failed(problem));
        }
        let view = at.engine.view();
        let calls = self.callbacks.at_frame(self.scene, &view);
        let AtFrame { measures, measured, commands, events, printed, .. } = calls;
        let AtFrame { stop, memory, called, failed, .. } = calls;
        frame.figures.measures = measures;
        frame.events.extend(events.into_iter().map(|(text, body)| Event {
            time: frame.time,
            kind: EventKind::Script(text),
            names: if body.is_empty() { Vec::new() } else { vec![body] },
        }));
        let warnings = std::mem::take(&mut at.warnings);
        let warnings = if before.is_none() { warnings } else { Vec::new() };
        for warning in &warnings {
            self.listener.hear(Message::Warning(warning.clone()));
        }
        for line in measured.printed.iter().chain(&printed) {
            self.listener.hear(Message::Printed(line.clone()));
        }
        at.commands.clone_from(&commands);
        let seconds = match before {
            Some(f) => frame.time - self.scene.timing.script_time(f),
            None => self.scene.timing.preroll,
        };
        let (time, figures) = (frame.time, Box::new(frame.figures.clone()));
        let record =
            Record { frame, warnings, memory, commands, printed, stop, called, view, measured };
        self.known.insert(self.scene, &record);
        // Nothing may be missed: the state goes with the frame at each tenth frame, and in between
        // as often as the disk bears it.
        let first = self.scene.timing.start_frame;
        let keeps =
            state_is_kept(first, n) || at.saved_at.is_none_or(|t| t.elapsed() >= STATE_PAUSE);
        let state = keeps.then(|| at.engine.save());
        if keeps {
            (at.saved, at.saved_at) = (true, Some(Instant::now()));
        }
        self.timings.frame(n, began.elapsed());
        self.timings.stages(n, at.engine.take_stage_seconds());
        self.timings.taken_over(n, at.engine.taken_over());
        let regions = at.engine.outcomes();
        let ahead = self.send(Entry::Frame(Box::new(record), state, regions))?;
        self.timings.queued(n, ahead);
        let last = self.known.end(self.last);
        let written = self.stored.reached(first);
        self.listener.hear(Message::Frame { frame: n, last, time, seconds, written, figures });
        failed.map_or(Ok(()), |problem| Err(Ended::Failed(problem)))
    }
}
