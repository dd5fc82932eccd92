//! The same questions to every method: free fall, momentum, energy, saved states, regions.

use crate::scripted::{after, near, resumed, run, scene, start};
use crate::{farthest, literature, oscillator, positions};

/// Half a second of fall in steps of 0.01 s: where Euler's methods are off by half a step of the speed.
#[test]
fn free_fall_is_what_each_method_makes_of_it() {
    let (g, h, t) = (9.81, 0.01, 0.5);
    for method in literature() {
        let script = format!(
            "local shot = retake.shot{{ name = \"f\", fps = 2, frames = 1 }}
             shot:cloth{{ name = \"c\", mesh = retake.mesh.grid{{ vertices = {{ 3, 3 }}, normal = {{ 0, 1, 0 }} }},
               material = retake.material.springs{{ structural = 100, shear = 10, bend = 1, density = 1000,
               thickness = 1e-3 }} }}
             shot:solver{{ method = \"{method}\", fixed_step = {h}, guard = \"off\" }}"
        );
        let fallen = positions(&after(&script, 1))[4].y + 0.5 * g * t * t;
        let (expected, within) = match method {
            "explicit_euler" => (0.5 * g * h * t, 1e-12),
            // x(nh) = -g h^2 n (n + 1) / 2; Jacobi and SOR find the solution at once, as nothing pulls.
            "symplectic_euler" | "implicit_jacobi" | "implicit_sor" | "implicit_pcg"
            | "relaxation" => (-0.5 * g * h * t, 1e-9),
            // The first step is implicit Euler's: g h^2 / 2 too far, of which 3/2 remain.
            "bdf2" => (-0.75 * g * h * h, 1e-6),
            _ => (0.0, 1e-12),
        };
        assert!((fallen - expected).abs() < within, "{method}: {fallen}, not {expected}");
    }
}

/// What a system may be off by goes with the step: the gain of a step far below `accuracy` is not lost.
#[test]
fn steps_of_a_tenth_of_a_millisecond_fall_as_well() {
    for method in literature() {
        let script = format!(
            "local shot = retake.shot{{ name = \"f\", fps = 10, frames = 1 }}
             shot:cloth{{ name = \"c\", mesh = retake.mesh.grid{{ vertices = {{ 3, 3 }}, normal = {{ 0, 1, 0 }} }},
               material = retake.material.springs{{ structural = 100, density = 1000, thickness = 1e-3 }} }}
             shot:solver{{ method = \"{method}\", fixed_step = 1e-5, guard = \"off\" }}"
        );
        let speed = after(&script, 1).report().fastest;
        assert!((speed - 0.981).abs() < 1e-4, "{method}: {speed}");
    }
}

/// Springs that shrink at once and swing, on a sheet that flies: its momentum stays.
#[test]
fn momentum_is_kept() {
    for method in literature() {
        let solver = match method {
            "implicit_jacobi" => ", iterations = 300",
            "implicit_sor" | "implicit_pcg" | "bdf2" => {
                ", solver_tolerance = 1e-13, iterations = 1000"
            }
            _ => "",
        };
        let script = format!(
            "local shot = retake.shot{{ name = \"m\", fps = 4, frames = 1, gravity = {{ 0, 0, 0 }} }}
             shot:cloth{{ name = \"c\", mesh = retake.mesh.grid{{ vertices = {{ 4, 4 }} }}, shrink = 0.9,
               velocity = {{ 1, 2, 3 }}, spin = {{ 0, 90, 0 }}, material = retake.material.springs{{ structural = 50,
               shear = 20, bend = 3, structural_damping = 0.1, density = 1000, thickness = 1e-3 }} }}
             shot:collisions{{ self = false }}
             shot:solver{{ method = \"{method}\", fixed_step = 0.25 / 256, guard = \"off\"{solver} }}"
        );
        let [x, y, z] = after(&script, 1).report().momentum;
        // One kilogram. The solution of a system is off by the tolerance above.
        let off = (x - 1.0).abs().max((y - 2.0).abs()).max((z - 3.0).abs());
        assert!(off < 1e-9, "{method}: {x} {y} {z}");
    }
}

/// Ten swings of the oscillator in steps of a tenth of a radian: w h = 0.1.
#[test]
fn energy_grows_stays_or_dies() {
    let (h, frames) = (0.1, 315);
    let energies = |method: &str| -> Vec<f64> {
        let mut simulation = start(&scene(&oscillator(method, h, frames)));
        (0..frames)
            .map(|_| {
                run(&mut simulation, 1);
                simulation.report().kinetic + simulation.report().elastic
            })
            .collect()
    };
    let first = 0.5 * 2.0 * 0.01f64.powi(2);
    let steps = 2 * frames as i32;
    for method in literature() {
        let all = energies(method);
        let last = all[all.len() - 1] / first;
        match method {
            // |1 + i w h|^2 a step.
            "explicit_euler" => near(method, last, 1.01f64.powi(steps), 0.02),
            // 1 / |1 - i w h|^2 a step.
            "implicit_sor" | "implicit_pcg" | "implicit_jacobi" | "relaxation" => {
                near(method, last, 1.01f64.powi(-steps), 0.02);
            }
            // |1 + i w h - (w h)^2 / 2|^2 = 1 + (w h)^4 / 4 a step.
            "midpoint" => near(method, last, (1.0 + 0.25e-4f64).powi(steps), 1e-3),
            // 1 - (w h)^6 / 72 a step, and less with order 5.
            "rk4" => near(method, last, (1.0 - 1e-6 / 72.0f64).powi(steps), 1e-6),
            "rk45" => near(method, last, 1.0, 1e-5),
            // The real part of the root's logarithm is -(w h)^4 / 4 a step, twice that in the
            // energy; the first step, which is implicit Euler's, takes a hundredth.
            "bdf2" => near(method, last, (1.0 - 0.5e-4f64).powi(steps), 0.02),
            // Bounded by 1 / (1 - w h / 2): the velocity is half a step old.
            "symplectic_euler" | "verlet" => {
                let most = all.iter().map(|e| (e / first - 1.0).abs()).fold(0.0, f64::max);
                assert!(most < 0.06, "{method}: {most}");
            }
            other => panic!("what is known of {other}?"),
        }
    }
}

/// A step of implicit Euler where everything is stretched and at rest, so that all three systems are the
/// same: three ways to one solution.
#[test]
fn the_three_ways_to_solve_a_step_agree() {
    let end = |method: &str, solver: &str| {
        let script = format!(
            "local shot = retake.shot{{ name = \"w\", fps = 200, frames = 1 }}
             local cloth = shot:cloth{{ name = \"c\", mesh = retake.mesh.grid{{ vertices = {{ 6, 6 }} }}, shrink = 0.9,
               material = retake.material.springs{{ structural = 200, shear = 50, bend = 3, structural_damping = 0.2,
               density = 1000, thickness = 1e-3 }} }}
             shot:pin{{ points = cloth:corner \"top-left\" }}
             shot:collisions{{ self = false }}
             shot:solver{{ method = \"{method}\", fixed_step = 0.005, guard = \"off\", {solver} }}"
        );
        let end = after(&script, 1);
        (positions(&end), end.report().effort.residual)
    };
    let tight = "solver_tolerance = 1e-12, iterations = 1000";
    let (exact, residual) = end("implicit_pcg", tight);
    assert!(residual < 1e-11, "{residual}");
    let (sor, residual) = end("implicit_sor", &format!("{tight}, relaxation = 1.2"));
    assert!(farthest(&sor, &exact) < 1e-12 && residual < 1e-11, "{}", farthest(&sor, &exact));
    let jacobi = |sweeps: u32| {
        let (found, residual) = end("implicit_jacobi", &format!("iterations = {sweeps}"));
        (farthest(&found, &exact), residual)
    };
    // One sweep is Kang and Cho's; many converge.
    let (one, many) = (jacobi(1), jacobi(400));
    assert!(many.0 < 1e-12 && many.1 < 1e-11, "{many:?}");
    assert!(one.0 > 1e-6 && one.0 < 1e-3, "{one:?}");
}

fn two_sheets(method: &str, regions: bool) -> String {
    format!(
        "local shot = retake.shot{{ name = \"t\", fps = 24, frames = 8 }}
         for i, x in ipairs{{ 0, 5 }} do
           local cloth = shot:cloth{{ name = \"c\" .. i, mesh = retake.mesh.grid{{ vertices = {{ 5, 5 }},
             normal = {{ 0, 1, 0 }} }}, translate = {{ x, 0, 0 }}, material = retake.material.springs{{
             structural = 100 * i, shear = 10, bend = 1, structural_damping = 0.1, density = 1000, thickness = 1e-3 }} }}
           shot:pin{{ points = cloth:edge \"left\" }}
         end
         shot:solver{{ method = \"{method}\", step = 1 / 480, guard = \"off\", regions = {regions} }}"
    )
}

#[test]
fn saved_states_go_on_to_the_bit_and_regions_change_nothing() {
    for method in literature() {
        let scene = scene(&two_sheets(method, true));
        let whole = resumed(&scene, 3, 5);
        // The sums of conjugate gradients and the step of rk45 are those of a region.
        if !["implicit_pcg", "bdf2", "rk45", "implicit_sor"].contains(&method) {
            let together = after(&two_sheets(method, false), 8);
            assert!(farthest(&positions(&together), &positions(&whole)) == 0.0, "{method}");
        }
    }
}

/// C-04: the longest step of a spring goes with one over the root of its stiffness; 2 / w for
/// semi-implicit Euler, 2.83 / w for RK4.
#[test]
fn four_times_the_stiffness_halves_the_longest_step() {
    for (method, limit) in [("symplectic_euler", 2.0), ("rk4", 2.0 * std::f64::consts::SQRT_2)] {
        for stiffness in [400.0, 1600.0] {
            let grown = |part: f64| {
                let mut scene = scene(&oscillator(method, 0.1, 400));
                let retake::scene::BodyKind::Cloth(cloth) = &mut scene.bodies[0].kind else {
                    panic!("a cloth")
                };
                let retake::scene::ClothMaterial::Springs(springs) = &mut cloth.material else {
                    panic!("of springs")
                };
                springs.structural = retake::scene::VertexMap::Uniform(stiffness);
                let step: f64 = part * limit / stiffness.sqrt();
                // A frame a step, to a hundredth of a millisecond.
                scene.timing.fps = (100_000, (1e5 * step).round() as u32);
                scene.solver.fixed_step = Some(scene.timing.frame_dt());
                let mut simulation = start(&scene);
                let first = simulation.report().kinetic;
                run(&mut simulation, 400);
                (simulation.report().kinetic + simulation.report().elastic) / first
            };
            assert!(grown(0.99) < 200.0, "{method} {stiffness}: {}", grown(0.99));
            assert!(grown(1.01) > 1e3, "{method} {stiffness}: {}", grown(1.01));
        }
    }
}
