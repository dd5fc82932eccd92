//! A band that is wrung until layer presses on layer with what its own stretch pulls by.

use crate::{run, scene, scenes, start};
use retake::production::certificate::check_frame;
use retake::sim::StepEventKind;

/// Five turns of 0.4 x 1 m in 3 s, of which the first 1.9 s: from 1.5 s on the band is a rope whose stretched edges
/// press what is within them together. Its layers bear that before the guard has to, which would cut each motion
/// short, and no step becomes so short that the shot crawls.
#[test]
fn what_is_wrung_bears_on_its_own_layers() {
    let scene = scene(
        "local shot = retake.shot{ name = 'wrung', duration = 3, gravity = { 0, 0, 0 } }
        shot:collisions{ thickness = 0.002 }
        local band = shot:cloth{ name = 'band', friction = 0.3,
          mesh = retake.mesh.grid{ size = { 0.4, 1 }, vertices = { 10, 25 } },
          material = retake.material.membrane{ young = 1000, poisson = 0.2, shear = 300, bend = 2e-5, density = 0.2, damping = 0.002 } }
        for edge, angle in pairs{ top = 900, bottom = -900 } do
          shot:pin{ name = edge, points = band:edge(edge) }:rotate{ starts = 0, ends = 3, angle = angle, axis = { 0, 1, 0 } }
        end",
    );
    let mut simulation = start(&scene);
    for frame in 1..=46 {
        run(&mut simulation, 1);
        let findings = check_frame(&scene, &scenes::frame(&scene, &simulation));
        assert!(findings.is_empty(), "frame {frame}: {}", findings[0]);
        let report = simulation.report();
        assert!(report.steps <= 64, "frame {frame} took {} substeps", report.steps);
        assert!(report.pressed_in < 0.95, "frame {frame} is pressed in by {}", report.pressed_in);
        let gives_up = |kind: &StepEventKind| matches!(kind, StepEventKind::Unresolved { .. });
        assert!(!report.events.iter().any(|event| gives_up(&event.kind)), "frame {frame}");
    }
}
