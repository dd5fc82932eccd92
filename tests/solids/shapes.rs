//! Soft bodies that are held to a shape, keep a dent, or are blown up.

use crate::positions;
use crate::scripted::{after, near, on_threads, problem, resumed, run, scene, start};
use glam::DVec3;

fn center(x: &[DVec3]) -> DVec3 {
    x.iter().sum::<DVec3>() / x.len() as f64
}

/// Pressure p on the surface of an even solid swells it by `p / K` with `K = E / 3 (1 - 2 nu)`, here 1.2 %,
/// whether the surface has nodes of its own or is carried.
#[test]
fn pressure_swells_a_solid_by_its_bulk_modulus() {
    for surface in ["", "surface = ball,"] {
        let text = format!(
            "local shot = retake.shot{{ name = 'swell', duration = 2, gravity = {{ 0, 0, 0 }} }}
            local ball = retake.mesh.tet_ball{{ radius = 0.2, cells = 4 }}
            shot:soft{{ mesh = ball, {surface} pressure = 1000,
              material = retake.material.soft{{ young = 1e5, poisson = 0.3, damping = 0.05 }} }}"
        );
        let scene = scene(&text);
        let mut simulation = start(&scene);
        run(&mut simulation, 24);
        let mut mesh = scene.mesh_of(0).clone();
        let before = mesh.volume();
        mesh.positions = positions(&simulation, 0);
        near("swollen by", mesh.volume() / before - 1.0, 0.012, 0.05);
    }
}

/// What is left of a pull by 0.3 of the length, which is then let go.
fn lasting(material: &str, calm: &str) -> f64 {
    let text = format!(
        "local shot = retake.shot{{ name = 'pull', duration = 2, gravity = {{ 0, 0, 0 }} }}
        local bar = shot:soft{{ mesh = retake.mesh.tet_box{{ size = {{ 0.1, 0.3, 0.1 }}, cells = {{ 2, 6, 2 }} }}, material = {material} }}
        shot:pin{{ points = bar:where(function(p) return p.y > 0.149 end) }}
        local pull = shot:pin{{ points = bar:where(function(p) return p.y < -0.149 end) }}
        pull:translate{{ starts = 0, ends = 0.4, by = {{ 0, -0.09, 0 }} }}
        pull:release{{ at = 1 }}
        {calm}"
    );
    let x = positions(&after(&text, 47), 0);
    x.iter().fold(-1.0, |m: f64, p| m.max(p.y)) - x.iter().fold(1.0, |m: f64, p| m.min(p.y)) - 0.3
}

#[test]
fn clay_keeps_a_pull_and_rubber_does_not() {
    let clay = |plastic: &str| {
        let material = format!(
            "retake.material.soft{{ young = 1e5, poisson = 0.4, damping = 0.05, plastic = {plastic} }}"
        );
        lasting(&material, "")
    };
    let rubber = lasting("retake.material.soft{ young = 1e5, poisson = 0.4, damping = 0.05 }", "");
    assert!(rubber.abs() < 0.002, "{rubber}");
    // Above the yield strain of 0.02 nearly all of a pull by ln 1.3 = 0.26 is there after a second.
    let soft = clay("{ yield = 0.02, creep = 20, max = 1 }");
    assert!(soft > 0.05 && soft < 0.09, "{soft}");
    let limited = clay("{ yield = 0.02, creep = 20, max = 0.05 }");
    near("at the limit", limited, 0.3 * 0.0513, 0.35);
    let tough = clay("{ yield = 0.5, creep = 20 }");
    assert!(tough.abs() < 0.002, "{tough}");
}

#[test]
fn a_matched_shape_keeps_a_pull_as_well() {
    let toy = |rest: &str| {
        let material = format!("retake.material.shape_matching{{ mode = 'linear'{rest} }}");
        lasting(&material, "shot:drag{ linear = 20 }")
    };
    let (springy, clay) = (toy(""), toy(", plastic = { yield = 0.02, creep = 20 }"));
    assert!(springy.abs() < 0.003, "{springy}");
    assert!(clay > 0.03, "{clay}");
}

/// At 0 points fly free, at 1 the body keeps its shape; in both its centre falls as it must.
#[test]
fn stiffness_goes_from_free_points_to_a_rigid_body() {
    let spin = |stiffness: f64| {
        let text = format!(
            "local shot = retake.shot{{ name = 'spin', duration = 1 }}
            shot:soft{{ mesh = retake.mesh.tet_box{{ size = 0.2, cells = 2 }}, spin = {{ 0, 90, 0 }}, velocity = {{ 1, 2, 0 }},
              material = retake.material.shape_matching{{ stiffness = {stiffness} }} }}"
        );
        let scene = scene(&text);
        let rest = scene.mesh_of(0).positions.clone();
        (
            rest,
            positions(
                &{
                    let mut simulation = start(&scene);
                    run(&mut simulation, 12);
                    simulation
                },
                0,
            ),
        )
    };
    for stiffness in [0.0, 0.8, 1.0] {
        let (rest, x) = spin(stiffness);
        // The first step, of a 384th of a second, leaves three quarters of g h^2.
        let expected = DVec3::new(0.5, 1.0 - 9.81 * 0.125, 0.0);
        assert!(center(&x).distance(expected) < 1e-4, "{} {expected}", center(&x));
        let omega = 90f64.to_radians();
        let mut off: f64 = 0.0;
        for (p, q) in x.iter().zip(&rest) {
            let reach = DVec3::new(q.x, 0.0, q.z).length();
            let now = *p - center(&x);
            let there = DVec3::new(now.x, 0.0, now.z).length();
            let free = reach * (1.0 + (omega * 0.5).powi(2)).sqrt();
            off = off.max((there - if stiffness == 0.0 { free } else { reach }).abs());
        }
        // A spin of 1.6 rad/s pulls outwards by omega^2 r / k: 0.02 mm at 0.8.
        assert!(off < if stiffness == 0.0 { 1e-6 } else { 1e-4 }, "{stiffness}: {off}");
    }
}

/// Clamped at one end, quadratic shapes bend where linear ones only shear, and those where rigid ones hardly give.
#[test]
fn a_quadratic_bar_bends() {
    let sag = |mode: &str| {
        let text = format!(
            "local shot = retake.shot{{ name = 'bend', duration = 2 }}
            local bar = shot:soft{{ mesh = retake.mesh.tet_box{{ size = {{ 1, 0.2, 0.2 }}, cells = {{ 10, 2, 2 }} }},
              material = retake.material.shape_matching{{ stiffness = 0.95, mode = '{mode}', give = 0.95 }} }}
            shot:pin{{ points = bar:where(function(p) return p.x < -0.399 end) }}
            shot:drag{{ linear = 10 }}"
        );
        let x = positions(&after(&text, 46), 0);
        -x.iter().fold(1.0, |m: f64, p| m.min(p.y)) - 0.1
    };
    let (rigid, linear, quadratic) = (sag("rigid"), sag("linear"), sag("quadratic"));
    assert!(rigid < linear && 1.3 * linear < quadratic, "{rigid} {linear} {quadratic}");
}

const PILE: &str = "local shot = retake.shot{ name = 'pile', duration = 4 }
    shot:ground{}
    local toy = retake.material.shape_matching{ stiffness = 0.8, density = 300 }
    local ball = retake.mesh.sphere{ radius = 0.1, subdivisions = 2 }
    local cube = retake.mesh.tet_box{ size = 0.2, cells = 2 }
    local low = shot:soft{ name = 'low', mesh = cube, material = toy, translate = { 0, 0.11, 0 }, thickness = 0.004 }
    shot:rigid{ name = 'middle', mesh = retake.mesh.box{ size = 0.15 }, density = 300, translate = { 0, 0.3, 0 }, thickness = 0.004 }
    shot:soft{ name = 'clay', mesh = cube, material = retake.material.soft{ young = 3e4, density = 300, damping = 0.05, plastic = { yield = 0.01 } }, translate = { 0.02, 0.5, 0 }, thickness = 0.004 }
    shot:soft{ name = 'top', mesh = ball:tetrahedralized{ spacing = 0.09 }, surface = ball, material = toy, translate = { 0, 0.73, 0 }, thickness = 0.004 }";

/// Rigid and soft bodies and shapes stand on one another, and the bytes are the same for any threads and from
/// a saved state.
#[test]
fn a_stack_of_all_kinds_comes_to_rest() {
    let scene = scene(PILE);
    let [mut whole, other] = [1, 3].map(|threads| on_threads(threads, || resumed(&scene, 6, 3)));
    assert_eq!(whole.state_hash(), other.state_hash());
    run(&mut whole, 80);
    let heights = [1, 3, 4].map(|body| center(&positions(&whole, body)).y);
    assert!((heights[0] - 0.1).abs() < 0.01, "{heights:?}");
    assert!(heights[1] > 0.40 && heights[1] < 0.47, "{heights:?}");
    assert!(positions(&whole, 4).iter().all(|p| p.y > 0.0), "{heights:?}");
    assert!(whole.report().fastest < 0.2, "{}", whole.report().fastest);
}

#[test]
fn what_a_material_cannot_be_is_said() {
    let told = |material: &str| {
        problem(&format!(
            "local shot = retake.shot{{ name = 'x', duration = 1 }}\nlocal m = {material}"
        ))
    };
    let mode = told("retake.material.shape_matching{ mode = 'quadrtic' }");
    assert!(mode.contains("quadratic"), "{mode}");
    let yields = told("retake.material.soft{ plastic = { yeild = 0.1 } }");
    assert!(yields.contains("did you mean `yield`"), "{yields}");
    let stiff = told("retake.material.shape_matching{ stiffness = 8 }");
    assert!(stiff.contains("from 0 to 1"), "{stiff}");
}
