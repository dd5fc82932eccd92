//! Faults that are still there at the shortest step: the region goes back past the step in which they were born.

use super::scripted::{on_threads, resumed, run, scene, start};
use retake::scene::Scene;
use retake::sim::{FrameReport, StepEventKind, StepRetakeReason};

/// A ball of 1 kg meets a sheet held by its corners at 120 m/s.
fn shot(solver: &str) -> Scene {
    scene(&format!(
        "local shot = retake.shot{{ name = 'shot', fps = 24, frames = 3 }}
        shot:solver{{ {solver} }}
        shot:collisions{{ thickness = 0.0048 }}
        local sheet = shot:cloth{{ name = 'sheet', mesh = retake.mesh.grid{{ size = {{ 1.5, 1.5 }}, vertices = {{ 20, 20 }} }} }}
        for _, corner in ipairs{{ 'top-left', 'top-right', 'bottom-left', 'bottom-right' }} do
          shot:pin{{ points = sheet:corner(corner) }}
        end
        shot:rigid{{ name = 'ball', mesh = retake.mesh.sphere{{ radius = 0.03, subdivisions = 2 }}, mass = 1,
          translate = {{ 0.013, 0.007, 1 }}, velocity = {{ 0, 0, -120 }} }}"
    ))
}

/// What happened in the first two frames, and what there was then.
fn reports(scene: &Scene) -> (Vec<FrameReport>, [u8; 32]) {
    let mut simulation = start(scene);
    let reports = (0..2).map(|_| {
        run(&mut simulation, 1);
        simulation.report().clone()
    });
    (reports.collect(), simulation.state_hash())
}

fn unresolved(reports: &[FrameReport]) -> usize {
    let events = reports.iter().flat_map(|r| &r.events);
    events.filter(|e| matches!(e.kind, StepEventKind::Unresolved { .. })).count()
}

/// Where `min_step` leaves no shorter steps than a 512th of a frame nothing goes back, and the ball is held back
/// at the shortest step. Where there are such, it goes back past the step before, and nothing is left unresolved.
#[test]
fn what_the_shortest_step_does_not_mend_steps_back_do() {
    let (without, _) = reports(&shot("min_step = 8e-5"));
    assert!(unresolved(&without) > 0);
    assert!(without.iter().flat_map(|r| &r.retakes).all(|r| r.steps_back == 0));

    let shot = shot("");
    let (with, hash) = on_threads(1, || reports(&shot));
    assert_eq!(unresolved(&with), 0);
    let back = |r: &&retake::sim::StepRetake| r.steps_back > 0;
    let returns: Vec<_> = with.iter().flat_map(|r| &r.retakes).filter(back).collect();
    assert!(!returns.is_empty());
    for retake in returns {
        assert!(retake.reason != StepRetakeReason::Met);
        assert!(retake.seconds > 1.5 * retake.step_before, "{retake:?}");
        assert!(retake.step_after < 1.01 / 24.0 / 512.0, "{retake:?}");
    }
    // Of what was thrown away nothing is told but that it was thrown away.
    for report in &with {
        assert_eq!(report.rounds.len(), report.steps as usize);
        assert!(report.events.iter().all(|e| e.time <= 3.0 / 24.0));
    }

    assert_eq!(on_threads(2, || reports(&shot)).1, hash);
    assert_eq!(resumed(&shot, 1, 1).state_hash(), hash);
}

/// A skin shrinks all at once onto the ball that it is drawn over.
#[test]
fn what_does_not_converge_is_named() {
    let scene = scene(
        "local shot = retake.shot{ name = 'shot', fps = 24, frames = 2 }
        shot:collider{ name = 'core', mesh = retake.mesh.sphere{ radius = 0.3, subdivisions = 1 } }
        shot:cloth{ name = 'skin', mesh = retake.mesh.sphere{ radius = 0.4, subdivisions = 1 }, shrink = 0.3 }",
    );
    let mut simulation = start(&scene);
    run(&mut simulation, 1);
    let all = &simulation.report().retakes;
    let off: Vec<_> = all.iter().filter(|r| r.reason == StepRetakeReason::NotConverged).collect();
    assert!(!off.is_empty() && off.iter().all(|r| r.between == [1; 2]), "{all:?}");
}
