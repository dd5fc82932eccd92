//! Bounces of springs (equation 5.1) on what is in their way.

use crate::positions;
use crate::scripted::{run, scene, start};

fn on_the_ground(restitution: f64, friction: f64, method: &str) -> String {
    format!(
        "local shot = retake.shot{{ name = \"g\", fps = 50, frames = 60 }}
         local cloth = shot:cloth{{ name = \"c\", mesh = retake.mesh.grid{{ vertices = {{ 4, 4 }}, normal = {{ 0, 1, 0 }} }},
           velocity = {{ 1, 0, 0 }}, translate = {{ 0, 0.5, 0 }}, material = retake.material.springs{{ structural = 100,
           shear = 20, structural_damping = 0.1, density = 1000, thickness = 1e-3 }} }}
         shot:ground{{ height = 0 }}
         shot:contact{{ a = cloth, b = \"ground\", restitution = {restitution}, friction = {friction} }}
         shot:solver{{ method = \"{method}\", fixed_step = 0.001, guard = \"report\" }}"
    )
}

/// It falls 0.5 m, which takes 0.319 s, and is up again after as long: frame 32.
#[test]
fn a_full_reflection_brings_a_sheet_back_and_none_lets_it_lie() {
    for method in crate::literature() {
        let mut simulation = start(&scene(&on_the_ground(1.0, 0.0, method)));
        let (mut lowest, mut highest) = (f64::MAX, f64::MIN);
        for frame in 1..=60 {
            run(&mut simulation, 1);
            let x = positions(&simulation);
            lowest = x.iter().fold(lowest, |m, p| m.min(p.y));
            if frame > 20 {
                highest = x.iter().fold(highest, |m, p| m.max(p.y));
            }
        }
        assert!(lowest > 0.0, "{method}: {lowest}");
        // A step lost at the hit and the method's own error of the fall and the rise, h v each.
        assert!((highest - 0.5).abs() < 0.012, "{method}: {highest}");
        let mut simulation = start(&scene(&on_the_ground(0.0, 0.0, method)));
        run(&mut simulation, 60);
        let x = positions(&simulation);
        // The way of one step at the speed of the fall above the ground at most.
        assert!(x.iter().all(|p| p.y > 0.0 && p.y < 0.004), "{method}: {x:?}");
        // Nothing rubs: it went 1.2 m.
        assert!((x[0].x - (-0.5 + 1.2)).abs() < 0.02, "{method}: {}", x[0].x);
    }
}

#[test]
fn friction_stops_a_sliding_sheet() {
    let mut simulation = start(&scene(&on_the_ground(0.0, 0.5, "rk4")));
    run(&mut simulation, 60);
    let report = simulation.report();
    // The hit at 3.1 m/s alone takes up to 0.5 x 3.1 m/s from 1 m/s.
    assert!(report.momentum[0].abs() < 1e-6, "{:?}", report.momentum);
}

/// Points that fall exactly on edges and corners of a mesh do not slip through between its triangles.
#[test]
fn nothing_slips_through_along_edges() {
    let script = "
      local shot = retake.shot{ name = \"e\", fps = 20, frames = 10 }
      shot:cloth{ name = \"c\", mesh = retake.mesh.grid{ vertices = { 17, 17 }, normal = { 0, 1, 0 } },
        translate = { 0, 0.1, 0 }, rotate = { 0, 30, 0 }, material = retake.material.springs{ structural = 10,
        density = 1000, thickness = 1e-3 } }
      shot:collider{ name = \"b\", mesh = retake.mesh.grid{ vertices = { 33, 33 }, normal = { 0, 1, 0 } },
        rotate = { 0, 30, 0 } }
      shot:solver{ method = \"explicit_euler\", fixed_step = 0.001, guard = \"report\" }";
    let mut simulation = start(&scene(script));
    for frame in 1..=10 {
        run(&mut simulation, 1);
        let lowest = positions(&simulation).iter().fold(f64::MAX, |m, p| m.min(p.y));
        assert!(lowest > 0.0, "frame {frame}: {lowest}");
    }
}

/// N-34: a hit on a triangle is shared by its corners as its place says: the corner of a small sheet falls on
/// a large one in the middle between two corners of a triangle and nearer to them than to the third.
#[test]
fn a_hit_is_shared_by_the_corners_of_the_triangle() {
    let script = "
      local shot = retake.shot{ name = \"h\", fps = 1000, frames = 200, gravity = { 0, 0, 0 } }
      local springs = retake.material.springs{ structural = 1e-9, density = 1000, thickness = 1e-3 }
      shot:cloth{ name = \"low\", mesh = retake.mesh.grid{ size = { 1, 1 }, vertices = { 2, 2 }, normal = { 0, 1, 0 } },
        material = springs, self_collision = false }
      shot:cloth{ name = \"high\", mesh = retake.mesh.grid{ size = { 0.2, 0.2 }, vertices = { 2, 2 } }, rotate = { 0, 0, 45 },
        translate = { 0.1, 0.15, 0.23 }, velocity = { 0, -1, 0 }, material = springs, self_collision = false }
      shot:solver{ method = \"symplectic_euler\", fixed_step = 0.001, guard = \"off\" }";
    let scene = scene(script);
    let mut simulation = start(&scene);
    let begin = positions(&simulation);
    let mut found = None;
    for _ in 0..20 {
        run(&mut simulation, 1);
        let moved: Vec<f64> =
            positions(&simulation).iter().zip(&begin).map(|(a, b)| b.y - a.y).collect();
        if moved.iter().any(|m| *m > 0.0) {
            found = Some(moved);
            break;
        }
    }
    let moved = found.expect("they meet");
    let sum: f64 = moved.iter().sum();
    // The triangle under the place, and the weights of its corners there.
    let mesh = scene.mesh_of(0);
    let place = mesh.closest(glam::DVec3::new(0.1, 0.0, 0.23)).unwrap();
    for (corner, weight) in mesh.triangles[place.triangle].iter().zip(place.weights) {
        let share = moved[*corner as usize] / sum;
        assert!((share - weight).abs() < 1e-6, "{moved:?}: {share} is not {weight}");
    }
}
