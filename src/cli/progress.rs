//! The progress line, plain lines, or JSON objects.

use super::args;
use super::{openjd, snippet, terminal};
use crate::diagnostics::Diagnostic;
use crate::frames::{Figures, RetakeReason};
use crate::production::json::{number, sorted};
use crate::production::{Listener, Message};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::json;
use std::collections::VecDeque;
use std::fmt::Write as _;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Plain lines come no more often.
const PLAIN_PAUSE: Duration = Duration::from_secs(2);
/// After so long without one, a plain line says how far the frame is.
const PLAIN_SILENCE: Duration = Duration::from_secs(15);
/// Frames that the speed is averaged over.
const RECENT: usize = 24;

/// How much is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Volume {
    /// Errors only.
    Quiet,
    /// Warnings and what the run decides.
    Normal,
    /// Every file too.
    Verbose,
}

/// Tells a run's progress.
pub(super) struct Teller {
    how: args::Progress,
    volume: Volume,
    root: Option<PathBuf>,
    state: Mutex<State>,
}

struct State {
    bar: Option<ProgressBar>,
    recent: VecDeque<Instant>,
    last_line: Option<Instant>,
    /// When simulating began.
    began: Option<Instant>,
    working: Option<&'static str>,
    openjd: openjd::Progress,
    /// First frame that is made now; none while nothing is simulated.
    from: Option<i32>,
}

impl State {
    /// Tells a worker that this part of a frame is done, 0 .. 1, and all before.
    fn reach(&mut self, (frame, last): (i32, i32), part: f64) {
        let from = self.from.unwrap_or(frame);
        self.openjd.reach((f64::from(frame - from) + part) / f64::from(last - from + 1));
    }
}

impl Teller {
    /// As the options say; files of problems are told relative to `root`.
    pub(super) fn new(talk: &args::Talk, root: Option<PathBuf>) -> Self {
        let volume = match (talk.quiet, talk.verbose) {
            (true, _) => Volume::Quiet,
            (_, true) => Volume::Verbose,
            _ => Volume::Normal,
        };
        let is_terminal = std::io::stderr().is_terminal();
        let how = match talk.progress {
            args::Progress::Auto if volume == Volume::Quiet => args::Progress::None,
            args::Progress::Auto if !is_terminal => args::Progress::Plain,
            how => how,
        };
        let bar = (how == args::Progress::Auto).then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(8));
            bar.set_style(
                ProgressStyle::with_template("{spinner} {wide_msg}")
                    .unwrap_or_else(|_| ProgressStyle::default_spinner()),
            );
            bar
        });
        let state = State {
            bar,
            recent: VecDeque::new(),
            last_line: None,
            began: None,
            working: None,
            openjd: openjd::Progress::default(),
            from: None,
        };
        Self { how, volume, root, state: Mutex::new(state) }
    }

    /// Takes the progress line away.
    pub(super) fn finish(&self) {
        if let Some(bar) = &self.lock().bar {
            bar.finish_and_clear();
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Prints a line above the progress line.
    fn line(&self, text: &str) {
        let state = self.lock();
        match &state.bar {
            Some(bar) => bar.suspend(|| terminal::err(&format!("{text}\n"))),
            None => terminal::err(&format!("{text}\n")),
        }
    }

    fn frame(
        &self,
        (frame, last): (i32, i32),
        (time, seconds): (f64, f64),
        written: Option<i32>,
        figures: &Figures,
    ) {
        let mut state = self.lock();
        state.recent.push_back(Instant::now());
        if state.recent.len() > RECENT {
            state.recent.pop_front();
        }
        match self.how {
            args::Progress::Json => {
                terminal::out(&json_line((frame, last), time, written, figures));
            }
            args::Progress::None => {}
            args::Progress::Openjd => {
                state.reach((frame, last), 1.0);
            }
            args::Progress::Auto | args::Progress::Plain => {
                let text = frame_text(
                    (frame, last),
                    (time, seconds),
                    written,
                    figures,
                    speed(&state.recent),
                );
                if let Some(bar) = &state.bar {
                    bar.set_message(text);
                    bar.tick();
                } else if frame == last || state.last_line.is_none_or(|t| t.elapsed() > PLAIN_PAUSE)
                {
                    terminal::err(&format!("{text}\n"));
                    state.last_line = Some(Instant::now());
                }
            }
        }
    }

    /// A frame that takes long has come so far.
    fn within(&self, (frame, last): (i32, i32), part: f64, text: &str) {
        let mut state = self.lock();
        match self.how {
            args::Progress::Openjd => {
                state.reach((frame, last), part);
            }
            args::Progress::Auto | args::Progress::Plain => {
                if let Some(bar) = &state.bar {
                    bar.set_message(text.to_owned());
                    bar.tick();
                } else if state
                    .last_line
                    .or(state.began)
                    .is_some_and(|t| t.elapsed() > PLAIN_SILENCE)
                {
                    terminal::err(&format!("{text}\n"));
                    state.last_line = Some(Instant::now());
                }
            }
            args::Progress::Json | args::Progress::None => {}
        }
    }

    fn working(&self, what: &'static str, done: usize, of: usize) {
        let mut state = self.lock();
        if self.how == args::Progress::Openjd {
            // What is simulated says how far the whole is: it is drawn beside that.
            if state.from.is_none() || state.openjd.is_full() {
                state.openjd.status(what);
                state.openjd.reach(done as f64 / of.max(1) as f64);
            }
            return;
        }
        if !matches!(self.how, args::Progress::Auto | args::Progress::Plain) {
            return;
        }
        let text = format!("{what} {done}/{of}");
        if let Some(bar) = &state.bar {
            bar.set_message(text);
            bar.tick();
        } else if state.working != Some(what)
            || done == of
            || state.last_line.is_none_or(|t| t.elapsed() > PLAIN_PAUSE)
        {
            terminal::err(&format!("{text}\n"));
            state.working = Some(what);
            state.last_line = Some(Instant::now());
        }
    }
}

impl Listener for Teller {
    fn hear(&self, message: Message) {
        let normal = self.volume >= Volume::Normal;
        match message {
            Message::Warning(problem) if normal => self.problem(&problem),
            Message::Note(text) if normal => self.line(&text),
            // The script's own words are asked for, even quietly.
            Message::Printed(text) => self.line(&text),
            Message::Frame { frame, last, time, seconds, written, figures } => {
                self.frame((frame, last), (time, seconds), written, &figures);
            }
            Message::Within { frame, last, time, part, step, retakes, retake } => {
                let mut text =
                    format!("frame {frame}/{last}  at {time:.3} s ({:.0} %)", 100.0 * part);
                let _ = write!(text, "  step {:.2} ms", 1e3 * step);
                text.push_str(&retakes_text(retakes, retake));
                self.within((frame, last), part, &text);
            }
            Message::Working { what, done, of } => self.working(what, done, of),
            Message::Wrote(path) if self.volume == Volume::Verbose => {
                self.line(&format!("wrote {}", path.display()));
            }
            Message::Simulating { shot, from, last } if self.how == args::Progress::Openjd => {
                let mut state = self.lock();
                state.from = Some(from);
                state.openjd.status(&format!("{shot}: simulating frames {from} to {last}"));
            }
            Message::Simulating { shot, from, last } => {
                self.lock().began = Some(Instant::now());
                if normal {
                    self.line(&format!("{shot}: frames {from} to {last}"));
                }
            }
            _ => {}
        }
    }
}

impl Teller {
    fn problem(&self, problem: &Diagnostic) {
        self.line(&snippet::render(problem, self.root.as_deref()));
    }
}

/// How many retakes there were, and why the last: "  retakes 3, last: contact too deep (flag, pole)".
fn retakes_text(retakes: usize, last: Option<(RetakeReason, [String; 2])>) -> String {
    let Some((reason, [a, b])) = last else { return String::new() };
    let between = if a == b { a } else { format!("{a}, {b}") };
    format!("  retakes {retakes}, last: {} ({between})", reason.text())
}

/// Frames a second over the recent frames.
fn speed(recent: &VecDeque<Instant>) -> Option<f64> {
    let took = recent.back()?.duration_since(*recent.front()?).as_secs_f64();
    (took > 0.0).then(|| (recent.len() - 1) as f64 / took)
}

fn frame_text(
    (frame, last): (i32, i32),
    (time, seconds): (f64, f64),
    written: Option<i32>,
    f: &Figures,
    speed: Option<f64>,
) -> String {
    let mut text = format!("frame {frame}/{last}  {time:.2} s");
    if let Some(written) = written.filter(|n| *n < frame) {
        let _ = write!(text, "  written {written}");
    }
    if let Some(speed) = speed {
        let left = f64::from(last - frame) / speed;
        let digits = if speed < 10.0 { 2 } else { 0 };
        let _ = write!(text, "  {speed:.digits$} frames/s  {} left", duration(left));
    }
    if f.steps > 0 {
        let _ = write!(text, "  step {:.2} ms", 1e3 * seconds / f64::from(f.steps));
    }
    if f.retakes > 0 {
        let _ = write!(text, "  retakes {}", f.retakes);
    }
    if f.contacts > 0 {
        let _ = write!(text, "  contacts {}, deepest {:.0}%", f.contacts, 100.0 * f.pressed_in);
    }
    text
}

fn json_line((frame, last): (i32, i32), time: f64, written: Option<i32>, f: &Figures) -> String {
    let value = json!({
        "frame": frame,
        "last": last,
        "time": number(time),
        "written": written,
        "steps": f.steps,
        "retakes": f.retakes,
        "contacts": f.contacts,
        "closest_approach": f.closest_approach.map(number),
        "pressed_in": number(f.pressed_in),
        "rms_stretch": number(f.rms_stretch),
        "kinetic": number(f.kinetic),
        "elastic": number(f.elastic),
    });
    format!("{}\n", sorted(&value))
}

/// A duration as a person says it.
pub(super) fn duration(seconds: f64) -> String {
    let whole = seconds.max(0.0).round() as u64;
    match whole {
        0..=89 => format!("{whole} s"),
        90..=5399 => format!("{} min", whole.div_ceil(60)),
        _ => format!("{} h {:02} min", whole / 3600, whole % 3600 / 60),
    }
}
