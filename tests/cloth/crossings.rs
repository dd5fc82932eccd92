//! Cloth that is pressed into itself from all sides: the whole of a shot in which a band is wrung, a knot is drawn tight and
//! fifty sheets fall on each other. Every frame is looked at by the certificate, and none is stretched by more than it can be.

use crate::scripted::measured;
use crate::{case, positions, run, scenes, start};
use glam::DVec3;
use retake::production::certificate::{Reason, check_frame, left_out};
use retake::scene::Scene;
use retake::sim::{FrameReport, Simulation, StepEventKind};

/// Stiffness and density of the fabric of all cases [N/m, kg/m2].
const YOUNG: f64 = 1000.0;
const DENSITY: f64 = 0.2;

/// The most that any frame of a shot has had.
#[derive(Default)]
struct Most {
    stretch: f64,
    /// What a pin has held with [N].
    held: f64,
    pressed_in: f64,
}

/// Runs the whole shot, each frame of which is free of crossings between all that does not have its motion given, and
/// right in the eyes of `check`.
fn whole(scene: &Scene, mut check: impl FnMut(&FrameReport)) -> (Simulation, Most) {
    assert!(left_out(scene).iter().all(|pair| pair.why == Reason::GivenMotions));
    let mut simulation = start(scene);
    let mut most = Most::default();
    for frame in 1..=scene.timing.frames {
        run(&mut simulation, 1);
        let findings = check_frame(scene, &scenes::frame(scene, &simulation));
        assert!(findings.is_empty(), "{}", findings[0]);
        let report = simulation.report();
        let gives_up = |kind: &StepEventKind| matches!(kind, StepEventKind::Unresolved { .. });
        assert!(!report.events.iter().any(|event| gives_up(&event.kind)), "frame {frame}");
        check(report);
        let held = simulation.view().constraints.iter().map(|c| c.reaction).fold(0.0, f64::max);
        most.stretch = most.stretch.max(report.max_stretch);
        most.pressed_in = most.pressed_in.max(report.pressed_in);
        most.held = most.held.max(held);
    }
    (simulation, most)
}

/// By how much a strip of `width` [m] is stretched that `force` [N] draws: `l (l^2 - 1) / 2 young width` (St.
/// Venant-Kirchhoff) at the length l.
fn drawn(force: f64, width: f64) -> f64 {
    let (mut low, mut high) = (1.0, 10.0);
    for _ in 0..60 {
        let l = 0.5 * (low + high);
        if 0.5 * l * (l * l - 1.0) * YOUNG * width < force { low = l } else { high = l }
    }
    low - 1.0
}

/// Five turns of 0.4 x 1 m in 3 s: from 1.5 s on the band is a rope whose stretched edges press what is within them
/// together. Its layers bear that before the guard has to, which would cut each motion short, and keep half of their
/// thickness at least: those that go by mass alone are pressed in to 0.91 of it. Nor do steps become so short that the shot
/// crawls: 32 a frame on the whole.
///
/// It is stretched the most where a selvage leaves its clamp. Fibres pull and do not push, and half a turn about the
/// axis lays each selvage on the other, so that neither pulls along the axis by more than half of what the clamp holds:
/// that, on half a cell, is the most that an edge may be stretched by.
#[test]
fn what_is_wrung_bears_on_its_own_layers() {
    let scene = case("twist", 25);
    let mut steps = 0;
    let (simulation, most) = whole(&scene, |report| {
        steps += report.steps;
        assert!(report.pressed_in < 0.5, "{} substeps, {}", report.steps, report.pressed_in);
    });
    assert!(steps <= 72 * 32, "{steps} substeps");
    let x = positions(&simulation, 0);
    // Ten columns; the selvages at the upper and the lower clamp.
    let leaning = |[held, free]: [usize; 2]| (x[free] - x[held]).normalize().y.abs();
    let least =
        [[0, 10], [9, 19], [240, 230], [249, 239]].map(leaning).into_iter().fold(1.0, f64::min);
    let bound = drawn(0.5 * most.held / least, 0.5 * 0.4 / 9.0);
    measured("five turns, largest stretch against what a selvage can bear", most.stretch, bound);
    measured("five turns, deepest contact", most.pressed_in, 0.5);
    assert!(most.stretch < bound, "{} {bound}", most.stretch);
    // Five turns of a rope as thick as the packed band, w d = pi r^2, are this much longer at its surface.
    let radius = (0.4 * 0.002 / std::f64::consts::PI).sqrt();
    let packed = libm::hypot(1.0, 5.0 * std::f64::consts::TAU * radius) - 1.0;
    assert!(most.stretch > packed, "{} {packed}", most.stretch);
}

/// A reef knot of two bands, drawn tight. Friction lets no band pull within the knot by more than at its end, so
/// that the most an edge may be stretched by is what one leg's whole pull does to half a cell. Were a band to go
/// through the other, its bight would come out on the side of its own legs, and nothing would hold it.
#[test]
fn a_reef_knot_is_drawn_tight() {
    let scene = case("knot", 200);
    let (simulation, most) = whole(&scene, |_| ());
    let middle = |band: usize| {
        let x = positions(&simulation, band);
        (0..5).map(|row| 0.5 * (x[row * 200 + 99] + x[row * 200 + 100])).sum::<DVec3>() / 5.0
    };
    assert!(middle(0).x > middle(1).x, "{} {}", middle(0), middle(1));
    // A pin holds two legs.
    let held: Vec<f64> = simulation.view().constraints.iter().map(|c| 0.5 * c.reaction).collect();
    measured("knot, what a leg is drawn by beside the other band's, N", held[0], held[1]);
    assert!(held.iter().all(|held| *held > 0.3), "{held:?}");
    let bound = drawn(0.5 * most.held, 0.5 * 0.04 / 4.0);
    measured("knot, largest stretch against what a selvage can bear", most.stretch, bound);
    assert!(most.stretch < bound, "{} {bound}", most.stretch);
}

/// Fifty sheets of 1 m fall on each other. None is stretched by more than one that something heavy hits at
/// right angles at the speed of the highest fall, `e = (v / (sqrt 2 c))^(4/3)` with the speed c of waves along it (Smith,
/// McCrackin and Schiefer 1958, Stress-strain relationships in yarns subjected to rapid impact loading, part V,
/// small strains).
#[test]
fn fifty_layers_fall_on_each_other() {
    let scene = case("layers_50", 6);
    let (simulation, most) = whole(&scene, |_| ());
    // The highest begins at 1.52 m.
    let (v, c) = ((2.0 * 9.81 * 1.52f64).sqrt(), (YOUNG / DENSITY).sqrt());
    let bound = libm::pow(v / (2f64.sqrt() * c), 4.0 / 3.0);
    measured("fifty layers, largest stretch against a hit's", most.stretch, bound);
    assert!(most.stretch < bound, "{} {bound}", most.stretch);
    // They lie: what moves still has less than a hundredth of the energy of the fall.
    let fall = DENSITY * 9.81 * (1..=50).map(|i| 0.02 + 0.03 * f64::from(i)).sum::<f64>();
    let moves = simulation.report().kinetic;
    measured(
        "fifty layers, energy at the end against a hundredth of the fall's, J",
        moves,
        0.01 * fall,
    );
    assert!(moves < 0.01 * fall, "{moves} J");
}
