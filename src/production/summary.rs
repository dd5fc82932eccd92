//! What a person and other programs read of a run: `shot.json`, `figures.csv`, `events.jsonl`,
//! `log.txt`. All of it is written from the stored frames, so that a resumed run ends with the same
//! bytes.

use super::amiss::Amiss;
use super::checks::{self, Check};
use super::json::{number, sorted, sorted_text};
use super::ledger::Ledger;
use super::stale::{measures_hash, scene_hash};
use crate::diagnostics::Diagnostic;
use crate::frames::{Event, EventKind, Figures, Frame, Record, Retake, Store, write_whole};
use crate::scene::{Guard, Method, SCENE_VERSION, Scene};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::io;
use std::path::Path;

/// What the summary is told beside the frames.
pub(super) struct Facts<'a> {
    /// The scene.
    pub(super) scene: &'a Scene,
    /// How the run stands: "running", "done", "interrupted", "failed", "checks failed".
    pub(super) status: &'a str,
    /// What went wrong.
    pub(super) problems: &'a [Diagnostic],
    /// What building the scene warned of.
    pub(super) warnings: &'a [Diagnostic],
    /// What the script printed while it was built.
    pub(super) printed: &'a [String],
}

/// What a run amounts to, gathered frame by frame.
pub(super) struct Summary {
    checks: Vec<Option<Check>>,
    figures: Vec<Value>,
    csv: String,
    retakes: Vec<Value>,
    events: String,
    log: String,
    warnings: Vec<Diagnostic>,
    amiss: Amiss,
    frames: Vec<i32>,
    /// Bodies of the regions of the last frame.
    regions: BTreeSet<Vec<usize>>,
    stop: Option<String>,
}

impl Summary {
    /// Of the stored frames `first ..= last`, as far as they are there.
    pub(super) fn gather(scene: &Scene, store: &Store, last: i32) -> Self {
        let mut summary = Self {
            checks: checks::checks(scene),
            figures: Vec::new(),
            csv: csv_head(scene),
            retakes: Vec::new(),
            events: String::new(),
            log: String::new(),
            warnings: Vec::new(),
            amiss: Amiss::default(),
            frames: Vec::new(),
            regions: BTreeSet::new(),
            stop: None,
        };
        let measured_by = measures_hash(scene);
        for n in scene.timing.start_frame..=last {
            // The first frame that is not there ends the summary: what lies behind it is not the
            // shot yet.
            let Ok(mut record) = store.record(n) else { break };
            record.keep_measures_by(&measured_by);
            summary.add(scene, &record);
            if record.stop.is_some() {
                break;
            }
        }
        summary
    }

    fn add(&mut self, scene: &Scene, record: &Record) {
        let frame = &record.frame;
        self.frames.push(frame.number);
        checks::apply(&mut self.checks, frame);
        let mut figures = figures_json(scene, frame.number, frame.time, &frame.figures);
        figures["regions"] = json!(frame.regions.len());
        self.figures.push(figures);
        csv_line(scene, &mut self.csv, frame.number, frame.time, &frame.figures);
        self.add_regions(scene, frame);
        for retake in &frame.retakes {
            let value = retake_json(retake);
            let mut line = value.clone();
            line["event"] = json!("retake");
            self.event_line(&line);
            self.retakes.push(value);
        }
        for event in &frame.events {
            self.event_line(&event_json(frame.number, event));
            self.amiss.add(frame.number, event);
        }
        if let Some(reason) = &record.stop {
            let line = json!({ "event": "stop", "frame": frame.number, "time": frame.time,
                "reason": reason });
            self.event_line(&line);
            self.stop = Some(reason.clone());
        }
        self.warnings.extend(record.warnings.iter().cloned());
        for line in record.measured.printed.iter().chain(&record.printed) {
            let _ = writeln!(self.log, "[{}] {line}", frame.number);
        }
    }

    /// Notes the regions that the frame before did not have: what has come together or apart.
    fn add_regions(&mut self, scene: &Scene, frame: &Frame) {
        let name = |b: &usize| scene.bodies.get(*b).map_or("", |body| body.name.as_str());
        for region in frame.regions.iter().filter(|r| !self.regions.contains(&r.bodies)) {
            let names: Vec<&str> = region.bodies.iter().map(name).collect();
            let line = json!({ "event": "region", "frame": frame.number, "names": names,
                "steps": region.steps, "retakes": region.retakes });
            let _ = writeln!(self.events, "{}", sorted(&line));
        }
        self.regions = frame.regions.iter().map(|r| r.bodies.clone()).collect();
    }

    fn event_line(&mut self, value: &Value) {
        let _ = writeln!(self.events, "{}", sorted(value));
    }

    /// What went otherwise than asked for.
    pub(super) fn amiss(&self) -> Vec<Diagnostic> {
        self.amiss.warnings()
    }

    /// The checks that failed.
    pub(super) fn failed_checks(&self) -> Vec<Diagnostic> {
        self.checks.iter().flatten().filter_map(Check::problem).collect()
    }

    /// Writes the files into `folder`.
    pub(super) fn write(
        mut self,
        folder: &Path,
        facts: &Facts<'_>,
        ledger: &Ledger,
    ) -> io::Result<()> {
        for check in self.checks.iter().flatten() {
            let mut line = check.json();
            line["event"] = json!("check");
            let _ = writeln!(self.events, "{}", sorted(&line));
        }
        let mut log = String::new();
        for line in facts.printed {
            let _ = writeln!(log, "{line}");
        }
        for warning in facts.warnings.iter().chain(&self.warnings).chain(&self.amiss()) {
            let _ = writeln!(log, "warning: {warning}");
        }
        log.push_str(&self.log);
        for problem in facts.problems {
            let _ = writeln!(log, "error: {problem}");
        }
        write_whole(&folder.join("figures.csv"), self.csv.as_bytes())?;
        write_whole(&folder.join("events.jsonl"), self.events.as_bytes())?;
        write_whole(&folder.join("log.txt"), log.as_bytes())?;
        write_whole(&folder.join("shot.json"), sorted_text(&self.shot(facts, ledger)).as_bytes())
    }

    fn shot(&self, facts: &Facts<'_>, ledger: &Ledger) -> Value {
        let scene = facts.scene;
        let timing = &scene.timing;
        let texts = |ds: &[Diagnostic]| ds.iter().map(ToString::to_string).collect::<Vec<_>>();
        let mut warnings = texts(facts.warnings);
        warnings.extend(texts(&self.warnings));
        warnings.extend(texts(&self.amiss()));
        let mut shot = json!({
            "format": 1,
            "retake": env!("CARGO_PKG_VERSION"),
            "scene_version": SCENE_VERSION,
            "name": scene.name,
            "status": facts.status,
            "problems": texts(facts.problems),
            "warnings": warnings,
            "certified": uncertified(scene).is_none(),
            "uncertified": uncertified(scene),
            "script": scene.source.script,
            "script_hash": scene.source.script_hash,
            "scene_hash": scene_hash(scene),
            "parameters": scene.source.parameters,
            "frame_range": {
                "first": timing.start_frame,
                "last": timing.last_frame(),
                "fps": [timing.fps.0, timing.fps.1],
            },
            "measures": scene.measures.iter().map(|m| json!({ "name": m.name, "unit": m.unit,
                "min": m.min.map(number), "max": m.max.map(number) })).collect::<Vec<_>>(),
            "files": files_json(ledger),
        });
        self.tell_frames(&mut shot);
        shot
    }

    /// Puts into `shot` what `shot.json` says of the frames.
    pub(super) fn tell_frames(&self, shot: &mut Value) {
        shot["stopped"] = json!(self.stop);
        shot["frame_range"]["made_to"] = json!(self.frames.last());
        shot["checks"] = self.checks.iter().flatten().map(Check::json).collect();
        shot["figures"] = json!(self.figures);
        shot["retakes"] = json!(self.retakes);
    }
}

/// The output files as `shot.json` lists them.
pub(super) fn files_json(ledger: &Ledger) -> Value {
    ledger
        .entries()
        .into_iter()
        .map(|(path, e)| json!({ "path": path, "bytes": e.bytes, "blake3": e.blake3 }))
        .collect()
}

/// Why the promise that nothing crosses does not hold for a scene, if it does not.
pub(super) fn uncertified(scene: &Scene) -> Option<String> {
    let guard = match scene.solver.guard {
        Guard::Enforce => None,
        Guard::Report => Some("report"),
        Guard::Off => Some("off"),
    };
    match (guard, scene.solver.rollback) {
        (Some(guard), _) => Some(format!("made with guard = \"{guard}\"")),
        (None, false) => Some("made with rollback = false".into()),
        (None, true) => None,
    }
}

fn figures_json(scene: &Scene, frame: i32, time: f64, f: &Figures) -> Value {
    let measures: Map<String, Value> = scene
        .measures
        .iter()
        .zip(&f.measures)
        .map(|(m, value)| (m.name.clone(), number(*value)))
        .collect();
    let mut all = json!({
        "frame": frame,
        "time": number(time),
        "steps": f.steps,
        "retakes": f.retakes,
        "contacts": f.contacts,
        "closest_approach": f.closest_approach.map(number),
        "pressed_in": number(f.pressed_in),
        "rms_stretch": number(f.rms_stretch),
        "max_stretch": number(f.max_stretch),
        "fastest": number(f.fastest),
        "kinetic": number(f.kinetic),
        "elastic": number(f.elastic),
        "momentum": f.momentum.map(number),
        "measures": measures,
    });
    if overlaps(scene) {
        for (name, count) in OVERLAPS.iter().zip(f.overlaps) {
            all[name] = json!(count);
        }
    }
    all
}

/// Names of the counts of `Figures::overlaps`.
const OVERLAPS: [&str; 4] =
    ["potential_vertices", "colliding_faces", "colliding_cells", "colliding_vertices"];

/// Whether a scene has these counts.
fn overlaps(scene: &Scene) -> bool {
    scene.solver.method == Method::ShapeMatching
}

fn csv_head(scene: &Scene) -> String {
    let mut head = String::from(
        "frame,time,steps,retakes,contacts,closest_approach,pressed_in,rms_stretch,max_stretch,\
         fastest,kinetic,elastic,momentum_x,momentum_y,momentum_z",
    );
    if overlaps(scene) {
        let _ = write!(head, ",{}", OVERLAPS.join(","));
    }
    for measure in &scene.measures {
        let _ = write!(head, ",{}", csv_field(&measure.name));
    }
    head.push('\n');
    head
}

fn csv_line(scene: &Scene, csv: &mut String, frame: i32, time: f64, f: &Figures) {
    let [x, y, z] = f.momentum;
    let closest = f.closest_approach.map_or_else(String::new, |d| d.to_string());
    let _ = write!(
        csv,
        "{frame},{time},{},{},{},{closest},{},{},{},{},{},{},{x},{y},{z}",
        f.steps,
        f.retakes,
        f.contacts,
        f.pressed_in,
        f.rms_stretch,
        f.max_stretch,
        f.fastest,
        f.kinetic,
        f.elastic
    );
    for count in f.overlaps.iter().filter(|_| overlaps(scene)) {
        let _ = write!(csv, ",{count}");
    }
    for i in 0..scene.measures.len() {
        csv.push(',');
        if let Some(value) = f.measures.get(i) {
            let _ = write!(csv, "{value}");
        }
    }
    csv.push('\n');
}

/// `text` as one field of a CSV line.
pub(super) fn csv_field(text: &str) -> String {
    if text.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

fn retake_json(r: &Retake) -> Value {
    json!({
        "frame": r.frame,
        "time": number(r.time),
        "region": r.region,
        "reason": r.reason,
        "between": r.between,
        "step_before": number(r.step_before),
        "step_after": number(r.step_after),
        "steps_back": r.steps_back,
        "seconds": number(r.seconds),
    })
}

fn event_json(frame: i32, event: &Event) -> Value {
    let mut value = json!({ "frame": frame, "time": number(event.time), "names": event.names });
    let name = match &event.kind {
        EventKind::FirstTouch => "first_touch",
        EventKind::Broke => "broke",
        EventKind::Released => "released",
        EventKind::Froze => "froze",
        EventKind::Crossed => "crossed",
        EventKind::HeldOpen => "held_open",
        EventKind::Pinched => "pinched",
        EventKind::Unresolved(reason) => {
            value["reason"] = json!(reason);
            "unresolved"
        }
        EventKind::GaveWay { at, by } => {
            value["at"] = json!(at.map(number));
            value["by"] = number(*by);
            "pinched"
        }
        EventKind::Separated(by) => {
            value["by"] = number(*by);
            "separated"
        }
        EventKind::Script(text) => {
            value["name"] = json!(text);
            "script"
        }
    };
    value["event"] = json!(name);
    value
}
