//! Cloth of points and springs in the engine itself, with contact.

use crate::{after, near, positions, run, scene, scenes, start};
use retake::production::certificate::check_frame;

/// Two columns of nine points hang by their upper ends. A point weighs half a column's width by a cell (the
/// lowest half of that), and the spring above it carries what hangs below: the strip is longer by
/// `g sum_r (mass below r) / k`. Nothing else acts: crosswise springs stay at rest, shear springs are left out.
#[test]
fn a_strip_of_springs_hangs_as_long_as_its_weight_says() {
    let text = "local shot = retake.shot{ name = 'strip', duration = 6 }
        local c = shot:cloth{ mesh = retake.mesh.grid{ size = { 0.1, 0.8 }, vertices = { 2, 9 } },
          material = retake.material.springs{ structural = 20, shear = 0, bend = 0, structural_damping = 1,
            density = 1000, thickness = 1e-3, unilateral = false, air_drag = 0 } }
        shot:pin{ points = c:edge 'top' }
        shot:drag{ linear = 3 }";
    let simulation = after(text, 144);
    assert!(simulation.report().fastest < 1e-3, "{}", simulation.report().fastest);
    let x = positions(&simulation, 0);
    let longer = x[0].y - x[16].y - 0.8;
    let cell = 0.05 * 0.1 * 1000.0 * 1e-3;
    let below: f64 = (0..8).map(|r| cell * (7.5 - f64::from(r))).sum();
    near("longer by", longer, 9.81 * below / 20.0, 2e-3);
}

/// Drag `-C v` on each point: a sheet of mass M with N points falls at `M g / (N C)` in the end.
#[test]
fn a_sheet_of_springs_falls_at_its_terminal_speed() {
    let text = "local shot = retake.shot{ name = 'fall', duration = 3 }
        shot:cloth{ mesh = retake.mesh.grid{ size = 0.3, vertices = { 7, 7 } },
          material = retake.material.springs{ structural = 500, shear = 500, bend = 50, density = 1000, thickness = 1e-4, air_drag = 0.001 } }";
    let speed = -after(text, 71).view().bodies[0].velocity.y;
    near("terminal speed", speed, 0.09 * 0.1 * 9.81 / (49.0 * 0.001), 0.005);
}

/// Beyond its limit a spring is forty times as stiff: weak springs that would double their length under this load stay
/// within a fortieth of what the load would stretch them by, past their limit of 5 %.
#[test]
fn the_strain_of_springs_is_limited() {
    let text = "local shot = retake.shot{ name = 'limit', duration = 4 }
        local c = shot:cloth{ mesh = retake.mesh.grid{ size = { 0.1, 0.4 }, vertices = { 2, 5 } },
          material = retake.material.springs{ structural = 1, shear = 0, bend = 0, structural_damping = 0.1,
            density = 1000, thickness = 1e-3, unilateral = false, air_drag = 0, strain_limit = 0.05 } }
        shot:pin{ points = c:edge 'top' }
        shot:drag{ linear = 3 }";
    let x = positions(&after(text, 96), 0);
    let length = x[0].y - x[8].y;
    // The load of spring r over its stiffness beyond the limit, less what it carries up to there.
    let load = |r: f64| 0.05 * 0.1 * 9.81 * (3.5 - r);
    let excess = |r: f64| ((load(r) - 0.005) / 41.0).max(0.0);
    let expected: f64 = (0..4).map(|r| 0.105 + excess(f64::from(r))).sum();
    near("length", length, expected, 2e-3);
}

/// A sheet of springs and one of fabric above it drape over a ball, lie still, and cross nothing in any frame.
#[test]
fn a_sheet_of_springs_drapes_and_touches_others() {
    let text = "local shot = retake.shot{ name = 'drape', duration = 3 }
        shot:collider{ mesh = retake.mesh.sphere{ radius = 0.25, subdivisions = 3 }, friction = 0.4 }
        local function sheet(name, y, material)
          shot:cloth{ name = name, mesh = retake.mesh.grid{ size = 0.9, vertices = { 19, 19 }, normal = { 0, 1, 0 }, center = { 0, y, 0 } }, material = material }
        end
        sheet('springs', 0.26, retake.material.springs{ structural = 400, shear = 100, bend = 1, structural_damping = 0.02, shear_damping = 0.01,
          bend_damping = 0.001, density = 1000, thickness = 1e-4, air_drag = 0.0005 })
        sheet('fabric', 0.29, retake.material.fabric 'cotton')
        shot:drag{ linear = 1 }";
    let scene = scene(text);
    let mut simulation = start(&scene);
    for _ in 0..71 {
        run(&mut simulation, 1);
        let findings = check_frame(&scene, &scenes::frame(&scene, &simulation));
        assert!(findings.is_empty(), "{}", findings[0]);
    }
    let report = simulation.report();
    assert!(report.fastest < 0.05 && report.steps <= 16, "{} {}", report.fastest, report.steps);
    for body in [1, 2] {
        let lowest = positions(&simulation, body).iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
        assert!(lowest < -0.05, "sheet {body} hangs to {lowest}");
    }
}
