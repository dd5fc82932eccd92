//! Measured orders.

use crate::scripted::after;
use crate::{farthest, positions, swinging};

/// What the method makes of the swinging sheet in half a second of `steps` steps.
fn swung(method: &str, steps: u32, damping: f64) -> Vec<glam::DVec3> {
    let step = 0.5 / f64::from(steps);
    let solver = match method {
        "implicit_jacobi" | "relaxation" => format!("fixed_step = {step}, iterations = 100"),
        "implicit_sor" | "implicit_pcg" | "bdf2" => {
            format!("fixed_step = {step}, solver_tolerance = 1e-12, iterations = 1000")
        }
        "verlet" => format!("fixed_step = {step}, force_change = 1e9"),
        _ => format!("fixed_step = {step}"),
    };
    positions(&after(&swinging(method, &solver, damping), 1))
}

/// log2 of how the error falls when the step is halved.
fn measured(method: &str, steps: u32, damping: f64) -> f64 {
    let exact = swung("rk45", 2048, damping);
    let error = |steps: u32| farthest(&swung(method, steps, damping), &exact);
    (error(steps) / error(2 * steps)).log2()
}

#[test]
fn methods_have_the_order_of_their_theory() {
    for (method, order, steps) in [
        ("explicit_euler", 1.0, 2048),
        ("symplectic_euler", 1.0, 1024),
        ("implicit_jacobi", 1.0, 1024),
        ("implicit_sor", 1.0, 1024),
        ("implicit_pcg", 1.0, 1024),
        ("relaxation", 1.0, 1024),
        ("midpoint", 2.0, 256),
        ("verlet", 2.0, 256),
        ("bdf2", 2.0, 512),
        ("rk4", 4.0, 128),
        ("rk45", 5.0, 128),
    ] {
        let found = measured(method, steps, 0.0);
        assert!((found - order).abs() < 0.1, "{method}: order {found}");
        if method != "verlet" {
            let found = measured(method, steps, 0.05);
            assert!((found - order).abs() < 0.1, "{method} with damping: order {found}");
        }
    }
}

/// The velocity of improved Verlet is that of half a step earlier: forces that depend on it, and points
/// that Beeman's method takes over with it, lose an order.
#[test]
fn the_old_velocity_of_verlet_costs_an_order() {
    let found = measured("verlet", 2048, 0.05);
    assert!((found - 1.0).abs() < 0.1, "with damping: order {found}");
    let exact = swung("rk45", 2048, 0.0);
    let error = |steps: u32| {
        let solver = format!("fixed_step = {}, force_change = 0", 0.5 / f64::from(steps));
        let end = after(&swinging("verlet", &solver, 0.0), 1);
        assert!(end.report().effort.switched > 13 * u64::from(steps));
        farthest(&positions(&end), &exact)
    };
    let found = (error(256) / error(512)).log2();
    assert!((found - 1.0).abs() < 0.1, "all by Beeman: order {found}");
}

/// The error of the whole way follows the error that a step is allowed.
#[test]
fn the_error_of_rk45_follows_its_tolerance() {
    let exact = swung("rk45", 2048, 0.0);
    let error = |tolerance: f64| {
        let end = after(&swinging("rk45", &format!("solver_tolerance = {tolerance}"), 0.0), 1);
        (farthest(&positions(&end), &exact), end.report().steps)
    };
    let tolerances = [1e-2, 1e-4, 1e-6, 1e-8];
    let errors: Vec<(f64, u32)> = tolerances.iter().map(|t| error(*t)).collect();
    for (tolerance, (error, steps)) in tolerances.iter().zip(&errors) {
        assert!(error <= tolerance, "{tolerance}: {error} in {steps} steps, all: {errors:?}");
    }
    for pair in errors.windows(2) {
        let (from, to) = (pair[0].0, pair[1].0);
        // Steps are halved, so that the error jumps by 32 at least: between 1 and 100 x 32.
        assert!(from / to > 10.0 && from / to < 3200.0, "{errors:?}");
    }
}
