//! The benchmarks: small shots simulated without files, and what they cost.

use super::capture::capture;
use super::certificate::check_frame;
use super::load::{Source, load};
use crate::diagnostics::Diagnostic;
use crate::scene::{Body, BodyKind, Constraint, ConstraintKind, Scene};
use crate::sim::{BodyPose, Failure, Simulation};
use glam::DVec3;
use serde::Serialize;
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// The script that holds all cases.
const SCRIPT: &str = include_str!("../../scenes/bench.lua");

/// The cases of the script, in the order in which they are run.
pub const CASES: [Case; 13] = [
    Case { name: "hang", sizes: &SIDES },
    Case { name: "drape", sizes: &SIDES },
    Case { name: "layers", sizes: &SIDES },
    Case { name: "layers_50", sizes: &[25] },
    Case { name: "twist", sizes: &[25] },
    Case { name: "knot", sizes: &[200] },
    Case { name: "walk", sizes: &[60] },
    Case { name: "pit", sizes: &[100] },
    Case { name: "stones", sizes: &[100] },
    Case { name: "tower", sizes: &[20] },
    Case { name: "dominoes", sizes: &[32] },
    Case { name: "tets", sizes: &[8, 18, 27] },
    Case { name: "pile", sizes: &[40] },
];

/// Vertices along each side of a sheet; along a band, around a skirt.
const SIDES: [u32; 2] = [25, 50];

/// A case and the sizes that it is run at where none is asked for: vertices along each side of a sheet, or
/// bodies.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// Its name in the script.
    pub name: &'static str,
    /// Sizes.
    pub sizes: &'static [u32],
}

/// A case at a size.
#[derive(Clone, Debug, PartialEq)]
pub struct Bench {
    /// Name of one of [`CASES`].
    pub case: String,
    /// Vertices along each side of a sheet, or bodies.
    pub size: u32,
    /// Frames to simulate; none: the whole shot.
    pub frames: Option<u32>,
    /// Whether it is simulated again as converged, which takes [`FINER`] times as many substeps and more.
    pub converged: bool,
}

/// How many times as short the substeps of a converged run are, and its `accuracy`.
pub const FINER: f64 = 16.0;

/// What a benchmark cost, and what came out.
#[derive(Clone, Debug, Serialize)]
pub struct Figures {
    /// The case.
    pub case: String,
    /// Vertices along each side of a sheet, or bodies.
    pub size: u32,
    /// Vertices of all cloths, soft bodies and ropes, and rigid bodies.
    pub pieces: usize,
    /// Threads that it could use.
    pub threads: usize,
    /// Frames that were simulated.
    pub frames: u32,
    /// Milliseconds a frame; checking for crossings is not in it.
    pub milliseconds: f64,
    /// Microseconds a piece and substep.
    pub microseconds_per_piece: f64,
    /// Bytes that the solver's large arrays moved at least, a piece and substep.
    pub bytes_per_piece: f64,
    /// Part of what memory could have moved meanwhile that this is; none where memory was not measured. Above one
    /// where caches hold the arrays.
    pub of_bandwidth: Option<f64>,
    /// What memory can move [bytes/s]; none where it was not measured.
    pub bandwidth: Option<f64>,
    /// Accepted substeps a frame.
    pub substeps: f64,
    /// Median of the rounds of contact detection of a substep.
    pub rounds: u32,
    /// Newton iterations a substep, those of thrown away attempts included.
    pub newton: f64,
    /// Conjugate gradient iterations a Newton iteration.
    pub linear: f64,
    /// Attempts that were thrown away.
    pub retakes: usize,
    /// Frames in which something crosses.
    pub crossing: u32,
    /// Deepest contact of any frame, as a part of its contact distance.
    pub pressed_in: f64,
    /// Largest rms stretch of a frame, as a part.
    pub rms_stretch: f64,
    /// Largest stretch of an edge in any frame, as a part.
    pub max_stretch: f64,
    /// Fastest vertex of the last frame [m/s].
    pub fastest: f64,
    /// Energy that is gone by the last frame, as a part of the most that moved at a frame; none where something
    /// touches or is moved from outside.
    pub lost: Option<f64>,
    /// How far what moves is from where a converged run has it at the last frame: root mean square over all vertices
    /// [m]; none where it was not asked for.
    pub error: Option<f64>,
    /// Most memory that the process has used so far [MB]; none where the system does not tell.
    pub memory: Option<f64>,
}

impl Figures {
    /// Sets what was moved against memory that moves `bandwidth` bytes in a second.
    pub fn compare_with_memory(&mut self, bandwidth: f64) {
        let bytes_per_second = self.bytes_per_piece / (1e-6 * self.microseconds_per_piece);
        self.bandwidth = Some(bandwidth);
        self.of_bandwidth = Some(bytes_per_second / bandwidth).filter(|part| part.is_finite());
    }
}

/// Runs one benchmark. None where it was interrupted.
pub fn measure(bench: &Bench, stop: &AtomicBool) -> Result<Option<Figures>, Vec<Diagnostic>> {
    let loaded = load(&source(bench)?)?;
    let scene = loaded.scene;
    let mut simulation = Simulation::start(&scene)?.simulation;
    let pieces = |i: usize| match scene.bodies[i].kind {
        BodyKind::Rigid(_) => 1,
        BodyKind::Collider => 0,
        _ => scene.cage_of(i).unwrap_or(scene.mesh_of(i)).positions.len(),
    };
    let pieces = (0..scene.bodies.len()).map(pieces).sum();
    let frames = bench.frames.unwrap_or(scene.timing.frames);
    let mut rounds = Vec::new();
    let mut seconds = 0.0;
    let (mut newton, mut linear, mut bytes) = (0, 0, 0);
    let mut figures = Figures {
        case: bench.case.clone(),
        size: bench.size,
        pieces,
        threads: rayon::current_num_threads(),
        frames,
        milliseconds: 0.0,
        microseconds_per_piece: 0.0,
        bytes_per_piece: 0.0,
        of_bandwidth: None,
        bandwidth: None,
        substeps: 0.0,
        rounds: 0,
        newton: 0.0,
        linear: 0.0,
        retakes: 0,
        crossing: 0,
        pressed_in: 0.0,
        rms_stretch: 0.0,
        max_stretch: 0.0,
        fastest: 0.0,
        lost: None,
        error: None,
        memory: None,
    };
    let energy = |simulation: &Simulation| {
        let report = simulation.report();
        report.kinetic + report.elastic + report.lifted
    };
    let (begin, mut most_kinetic) = (energy(&simulation), 0.0f64);
    let mut is_free = !is_driven(&scene);
    for _ in 0..frames {
        let clock = Instant::now();
        if !advance(&mut simulation, stop)? {
            return Ok(None);
        }
        seconds += clock.elapsed().as_secs_f64();
        let report = simulation.report();
        rounds.extend_from_slice(&report.rounds);
        newton += report.effort.iterations;
        linear += report.effort.linear_iterations;
        bytes += report.effort.bytes;
        figures.retakes += report.retakes.len();
        figures.rms_stretch = figures.rms_stretch.max(report.rms_stretch);
        figures.max_stretch = figures.max_stretch.max(report.max_stretch);
        figures.pressed_in = figures.pressed_in.max(report.pressed_in);
        figures.fastest = report.fastest;
        most_kinetic = most_kinetic.max(report.kinetic);
        is_free &= report.touches.is_empty();
        figures.crossing +=
            u32::from(!check_frame(&scene, &capture(&scene, &simulation)).is_empty());
    }
    rounds.sort_unstable();
    figures.rounds = rounds.get(rounds.len() / 2).copied().unwrap_or(0);
    figures.milliseconds = 1e3 * seconds / f64::from(frames.max(1));
    figures.substeps = rounds.len() as f64 / f64::from(frames.max(1));
    figures.microseconds_per_piece = 1e6 * seconds / (pieces * rounds.len()).max(1) as f64;
    figures.bytes_per_piece = bytes as f64 / (pieces * rounds.len()).max(1) as f64;
    figures.newton = f64::from(newton) / rounds.len().max(1) as f64;
    figures.linear = f64::from(linear) / f64::from(newton.max(1));
    if is_free && most_kinetic > 0.0 {
        figures.lost = Some((begin - energy(&simulation)) / most_kinetic);
    }
    figures.memory = most_memory();
    if bench.converged {
        let finer = finer(&scene, figures.substeps);
        let mut converged = Simulation::start(&finer)?.simulation;
        for _ in 0..frames {
            if !advance(&mut converged, stop)? {
                return Ok(None);
            }
        }
        figures.error = Some(apart(&places(&scene, &simulation), &places(&finer, &converged)));
    }
    Ok(Some(figures))
}

/// Goes on by a frame; false where it was interrupted.
fn advance(simulation: &mut Simulation, stop: &AtomicBool) -> Result<bool, Vec<Diagnostic>> {
    match simulation.advance(&[], stop) {
        Ok(()) => Ok(true),
        Err(Failure::Interrupted) => Ok(false),
        Err(Failure::Shot(problem)) => Err(vec![problem]),
    }
}

/// Root mean square distance of places [m].
fn apart(a: &[DVec3], b: &[DVec3]) -> f64 {
    let squares: f64 = a.iter().zip(b).map(|(a, b)| a.distance_squared(*b)).sum();
    (squares / a.len().max(1) as f64).sqrt()
}

/// `scene` as a converged run solves it, where a run as it is takes so many substeps a frame.
fn finer(scene: &Scene, substeps: f64) -> Scene {
    let mut finer = scene.clone();
    let solver = &mut finer.solver;
    let step = scene.timing.frame_dt() / (substeps.max(1.0) * FINER);
    solver.step = Some(step);
    solver.min_step = solver.min_step.min(step / FINER);
    solver.accuracy /= FINER;
    finer
}

/// Where all vertices are of what the engine moves [m].
fn places(scene: &Scene, simulation: &Simulation) -> Vec<DVec3> {
    let mut places = Vec::new();
    for i in 0..scene.bodies.len() {
        match (&scene.bodies[i].kind, simulation.body(i)) {
            (BodyKind::Collider, _) => {}
            (_, BodyPose::Deformed(own)) => places.extend_from_slice(own),
            (_, BodyPose::Posed(to, turn)) => {
                places.extend(scene.mesh_of(i).positions.iter().map(|p| turn * *p + to));
            }
        }
    }
    places
}

/// Whether anything in the scene is moved by curves.
fn is_driven(scene: &Scene) -> bool {
    let carried = |body: &Body| {
        !body.translate.is_constant()
            || !body.rotate.is_constant()
            || body.is_collider() && body.goes_on()
    };
    let led = |constraint: &Constraint| match &constraint.kind {
        ConstraintKind::Pin { motion: m, .. } => {
            let curves = [&m.translate, &m.rotate, &m.scale];
            !m.moves.is_empty() || curves.iter().any(|curve| !curve.is_constant())
        }
        _ => false,
    };
    scene.bodies.iter().any(carried) || scene.constraints.iter().any(led)
}

/// The script, written to where it can be loaded from, with the values of `bench`.
fn source(bench: &Bench) -> Result<Source, Vec<Diagnostic>> {
    let folder = std::env::temp_dir().join(format!("retake-bench-{}", std::process::id()));
    let script = folder.join("bench.lua");
    std::fs::create_dir_all(&folder)
        .and_then(|()| std::fs::write(&script, SCRIPT))
        .map_err(|e| vec![Diagnostic::error(format!("cannot write {}: {e}", script.display()))])?;
    let parameters = BTreeMap::from([
        ("case".to_owned(), json!(bench.case)),
        ("size".to_owned(), json!(bench.size)),
    ]);
    Ok(Source { script, parameters, assets: Vec::new() })
}

/// Removes what [`measure`] wrote.
pub fn clean() {
    let folder = std::env::temp_dir().join(format!("retake-bench-{}", std::process::id()));
    // A temporary file that stays does no harm.
    let _ = std::fs::remove_dir_all(folder);
}

/// The process' high-water mark [MB], where the system tells it as Linux does.
fn most_memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes / 1024.0)
}
