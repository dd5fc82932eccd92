//! Rigid bodies of several parts, and those that touch as their convex hulls.

use crate::pose;
use crate::scripted::{after, near, problem, scene, start};
use glam::DVec3;
use retake::scene::BodyKind;
use retake::scene::world::Command;
use std::sync::atomic::AtomicBool;

const SHOT: &str = "local shot = retake.shot{ name = 'hulls', duration = 4 }\n";

/// A ring lets a ball fall through; its hull does not.
#[test]
fn a_ball_falls_through_a_ring_and_rests_on_its_hull() {
    let height = |collision: &str| {
        let text = format!(
            "{SHOT}shot:ground{{}}
            local ring = shot:rigid{{ mesh = retake.mesh.torus{{ radius = 0.3, tube = 0.1 }}, translate = {{ 0, 0.1003, 0 }}, collision = '{collision}' }}
            shot:rigid{{ mesh = retake.mesh.sphere{{ radius = 0.1, subdivisions = 2 }}, translate = {{ 0, 0.5, 0 }}, density = 300 }}"
        );
        pose(&after(&text, 36), 2).0.y
    };
    near("through the ring", height("mesh"), 0.1, 0.03);
    near("on the hull", height("hull"), 0.3, 0.01);
}

/// A bowl of open walls has the mass and the centre of its hull.
#[test]
fn an_open_mesh_has_the_mass_of_its_hull() {
    let scene = scene(&format!(
        "{SHOT}shot:rigid{{ mesh = retake.mesh.cylinder{{ radius = 0.2, height = 0.5, segments = 64, caps = false }}, collision = 'hull', density = 100, velocity = {{ 1, 0, 0 }} }}"
    ));
    let BodyKind::Rigid(rigid) = &scene.bodies[0].kind else { panic!("not rigid") };
    assert!(rigid.hull.len() >= 2 * 64 + 2 * 62, "{} triangles", rigid.hull.len());
    let mass = start(&scene).report().momentum[0];
    // 64 sides instead of a circle: sin(2 pi / 64) / (2 pi / 64).
    near("mass", mass, 100.0 * 0.5 * std::f64::consts::PI * 0.04, 0.002);
}

/// Two cubes of a kilogram, a metre apart, turn as `m a^2 / 6 + m / 4` each.
#[test]
fn parts_have_their_masses_and_inertia_together() {
    let scene = scene(
        "local shot = retake.shot{ name = 'dumbbell', duration = 1, gravity = { 0, 0, 0 } }
        local cube = retake.mesh.box{ size = 0.1 }
        shot:rigid{ density = 1000, parts = { cube:moved{ translate = { 1, 0, 0 } }, cube:moved{ translate = { 2, 0, 0 } } } }",
    );
    let mesh = scene.mesh_of(0);
    let points: Vec<u32> =
        (0..mesh.positions.len() as u32).filter(|i| mesh.positions[*i as usize].x > 1.5).collect();
    let mut simulation = start(&scene);
    let push = Command::Push { body: 0, points, impulse: DVec3::Z };
    simulation.advance(&[push], &AtomicBool::new(false)).unwrap();
    let view = simulation.view().bodies[0].clone();
    near("speed", view.velocity.z, 0.5, 1e-9);
    let inertia = 2.0 * (0.01 / 6.0 + 0.25);
    near("spin", -view.spin.y.to_radians(), 0.5 / inertia, 1e-5);
}

/// A table of five parts stands and carries a box; as one hull it would be a block, as parts things pass
/// under it.
#[test]
fn a_table_of_parts_stands_and_things_pass_under_it() {
    let table = |collision: &str| {
        format!(
            "{SHOT}shot:ground{{ friction = 0 }}
            local leg = retake.mesh.box{{ size = {{ 0.06, 0.6, 0.06 }} }}
            local parts = {{ retake.mesh.box{{ size = {{ 1, 0.05, 1 }}, center = {{ 0, 0.3252, 0 }} }} }}
            for i = 0, 3 do parts[i + 2] = leg:moved{{ translate = {{ i % 2 - 0.5 + 0.04 - 0.08 * (i % 2), 0, (i // 2) - 0.5 + 0.04 - 0.08 * (i // 2) }} }} end
            shot:rigid{{ parts = parts, translate = {{ 0, 0.3003, 0 }}, {collision} friction = 1 }}
            shot:rigid{{ mesh = retake.mesh.box{{ size = 0.2 }}, translate = {{ 0, 0.7513, 0 }}, density = 200 }}
            shot:rigid{{ mesh = retake.mesh.sphere{{ radius = 0.1 }}, translate = {{ -1.5, 0.1003, 0 }}, velocity = {{ 2, 0, 0 }}, density = 10 }}"
        )
    };
    let simulation = after(&table(""), 36);
    let (place, turn) = pose(&simulation, 1);
    assert!((turn * DVec3::Y).y > 0.9999 && place.y > 0.299, "the table is at {place}");
    near("height of the box", pose(&simulation, 2).0.y, 0.751, 0.003);
    near("way of the ball", pose(&simulation, 3).0.x, 1.5, 0.02);
    // Each part has its own hull: the ball still passes.
    near("way of the ball", pose(&after(&table("collision = 'hull',"), 36), 3).0.x, 1.5, 0.02);
}

#[test]
fn what_has_no_hull_is_refused() {
    let flat =
        problem(&format!("{SHOT}shot:rigid{{ mesh = retake.mesh.grid{{}}, collision = 'hull' }}"));
    assert!(flat.contains("flat"), "{flat}");
    let both = problem(&format!(
        "{SHOT}local m = retake.mesh.box{{}}\nshot:rigid{{ mesh = m, parts = {{ m }} }}"
    ));
    assert!(both.contains("exclude each other"), "{both}");
    let none = problem(&format!("{SHOT}shot:rigid{{ density = 3 }}"));
    assert!(none.contains("needs a `mesh`, or `parts`"), "{none}");
    let list = problem(&format!("{SHOT}shot:rigid{{ parts = retake.mesh.box{{}} }}"));
    assert!(list.contains("a list of meshes"), "{list}");
    let open =
        problem(&format!("{SHOT}shot:rigid{{ mesh = retake.mesh.cylinder{{ caps = false }} }}"));
    assert!(open.contains("not closed") && open.contains("collision = \"hull\""), "{open}");
}
