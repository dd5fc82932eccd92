//! Contact at cloth speed: hard scenes, measured headless.
//!
//! `cargo bench --bench contact_lab [-- SCENE [FRAMES]] [-v]` prints, for each scene, the rounds of
//! contact detection a substep, the share of attempts taken again, the smallest distance of two
//! surfaces, milliseconds a frame and the stretch of the cloth. `benches/contact_lab.md` keeps the table.
#![allow(missing_docs, clippy::print_stdout, reason = "a program that prints a table")]

mod scenes;

use retake::production::certificate::check_frame;
use retake::scene::Scene;
use retake::sim::Simulation;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let verbose = arguments.iter().any(|a| a == "-v");
    arguments.retain(|a| a != "-v");
    let only = arguments.first().filter(|a| a.as_str() != "all").cloned();
    let frames = arguments.get(1).and_then(|f| f.parse().ok());
    println!(
        "scene      | vertices | frames | ms/frame | substeps/frame | rounds median/p95 | retaken | frames crossing | smallest gap | pressed in | stretch rms/max | fastest at end"
    );
    for (name, scene) in all() {
        if only.as_ref().is_none_or(|o| name == o.as_str()) {
            measure(name, &scene, frames.unwrap_or(scene.timing.frames), verbose);
        }
    }
}

fn all() -> Vec<(&'static str, Scene)> {
    vec![
        ("ball-50", scenes::sheet_on_ball(50)),
        ("ball-100", scenes::sheet_on_ball(100)),
        ("layers", scenes::ten_layers()),
        ("pinch", scenes::pinched()),
        ("impact", scenes::impact()),
        ("hang-100", scenes::hang(100)),
    ]
}

fn measure(name: &str, scene: &Scene, frames: u32, verbose: bool) {
    let mut simulation = match Simulation::start(scene) {
        Ok(started) => started.simulation,
        Err(problems) => return println!("{name}: {problems:?}"),
    };
    let (mut rounds, mut retakes, mut gap, mut pressed) =
        (Vec::new(), 0usize, f64::INFINITY, 0.0f64);
    let (mut rms, mut most) = (0.0f64, 0.0f64);
    let quiet = AtomicBool::new(false);
    let (mut seconds, mut crossing) = (0.0, 0);
    for _ in 0..frames {
        let clock = Instant::now();
        if let Err(failure) = simulation.advance(&[], &quiet) {
            return println!("{name}: {failure:?}");
        }
        seconds += clock.elapsed().as_secs_f64();
        let frame = scenes::frame(scene, &simulation);
        crossing += usize::from(!check_frame(scene, &frame).is_empty());
        let report = simulation.report();
        rounds.extend_from_slice(&report.rounds);
        retakes += report.retakes.len();
        gap = gap.min(report.closest_approach);
        pressed = pressed.max(report.pressed_in);
        (rms, most) = (rms.max(report.rms_stretch), most.max(report.max_stretch));
        if verbose {
            let reasons: Vec<_> = report.retakes.iter().map(|r| r.reason).take(3).collect();
            println!(
                "  frame {} steps {} retakes {} {reasons:?} gap {:.2e} pressed {:.2} fastest {:.2e} stretch {:.2}%/{:.1}% {} t {:.1}s",
                simulation.frame(),
                report.steps,
                report.retakes.len(),
                report.closest_approach,
                report.pressed_in,
                report.fastest,
                100.0 * report.rms_stretch,
                100.0 * report.max_stretch,
                report.effort,
                seconds
            );
        }
    }
    rounds.sort_unstable();
    let at = |q: f64| rounds[((rounds.len() - 1) as f64 * q) as usize];
    let is_cloth = |i: &usize| scene.bodies[*i].cloth().is_some();
    let vertices: usize =
        (0..scene.bodies.len()).filter(is_cloth).map(|i| scene.mesh_of(i).positions.len()).sum();
    println!(
        "{name:10} | {vertices:8} | {frames:6} | {:8.1} | {:14.1} | {:9} / {:5} | {:5.1} % | {crossing:15} | {:9.3} mm | {pressed:10.2} | {:5.2} / {:5.1} % | {:.1e} m/s",
        1000.0 * seconds / f64::from(frames),
        rounds.len() as f64 / f64::from(frames),
        at(0.5),
        at(0.95),
        100.0 * retakes as f64 / (rounds.len() + retakes) as f64,
        1000.0 * gap,
        100.0 * rms,
        100.0 * most,
        simulation.report().fastest,
    );
}
