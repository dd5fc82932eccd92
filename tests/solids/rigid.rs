//! Rigid bodies: mass, flight, friction, bounces, stacks.

use crate::pose;
use crate::scripted::{after, measured, near, problem, run, scene, start};
use glam::DVec3;
use retake::scene::world::Command;
use std::sync::atomic::AtomicBool;

/// A shot on level ground with gravity turned by `degrees`, as on a slope down along x.
fn slope(degrees: f64, bodies: &str) -> String {
    let turn = degrees.to_radians();
    format!(
        "local shot = retake.shot{{ name = 'slope', duration = 5, gravity = {{ {}, {}, 0 }} }}
        shot:ground{{}}
        {bodies}",
        9.81 * libm::sin(turn),
        -9.81 * libm::cos(turn)
    )
}

fn box_on_slope(friction: f64, frames: u32) -> f64 {
    let bodies = format!(
        "shot:collisions{{ friction = {friction} }}
        shot:rigid{{ mesh = retake.mesh.box{{ size = {{ 0.4, 0.2, 0.4 }} }}, translate = {{ 0, 0.1002, 0 }} }}"
    );
    pose(&after(&slope(20.0, &bodies), frames), 1).0.x
}

/// On a slope of 20 degrees a box stays where friction is more than tan 20 = 0.364, and slides with
/// `g (sin - mu cos)` where it is less: the way of the second second less that of the first, which takes
/// the start out, in which friction is a step late.
#[test]
fn a_box_on_a_slope_stays_or_slides() {
    let stays = box_on_slope(0.45, 48);
    println!("validation: a box on a slope creeps by {stays:.2e} m in 2 s");
    assert!(stays.abs() < 2e-4, "crept by {stays} m");
    let turn = 20f64.to_radians();
    let slides = 9.81 * (libm::sin(turn) - 0.3 * libm::cos(turn));
    near("slides", box_on_slope(0.3, 48) - 2.0 * box_on_slope(0.3, 24), slides, 0.005);
}

/// Where the slope rises by one in two, a fifth of a degree of friction decides.
#[test]
fn a_box_on_a_slope_of_one_in_two_holds_by_friction_of_one_half() {
    let slope = libm::atan(0.5);
    let way = |mu: f64, frames: u32| {
        let bodies = format!(
            "shot:collisions{{ friction = {mu} }}
            shot:rigid{{ mesh = retake.mesh.box{{ size = 0.2 }}, translate = {{ 0, 0.1002, 0 }} }}"
        );
        pose(&after(&self::slope(slope.to_degrees(), &bodies), frames), 1).0.x
    };
    let mu = |degrees: f64| libm::tan(slope + degrees.to_radians());
    let creep = way(mu(0.2), 48) - way(mu(0.2), 24);
    assert!(creep.abs() < 1e-5, "{creep} m in the second second");
    let slides = 9.81 * (libm::sin(slope) - mu(-0.2) * libm::cos(slope));
    near("slides", way(mu(-0.2), 48) - 2.0 * way(mu(-0.2), 24), slides, 0.01);
}

/// A block three times as high as it is long tips where the slope is steeper than one in three.
#[test]
fn a_block_tips_where_its_centre_leaves_its_base() {
    let block = "shot:collisions{ friction = 1 }
        shot:rigid{ mesh = retake.mesh.box{ size = { 0.1, 0.3, 0.1 } }, translate = { 0, 0.1502, 0 } }";
    let up = |degrees: f64| {
        let simulation = after(&slope(degrees, block), 48);
        (pose(&simulation, 1).1 * DVec3::Y).y
    };
    assert!(up(18.1) > 0.999, "{}", up(18.1));
    assert!(up(18.62) < 0.3, "{}", up(18.62));
}

/// A ball that drops from H bounces to e^2 H. Contacts begin a skin of 0.2 mm from the ground; a bounce
/// takes place within its substep, so that only the rounding of the fall to steps is left: half a step
/// of 1/192 s at 2 m/s is 5 mm of fall.
#[test]
fn a_ball_bounces_as_its_restitution_says() {
    let text = "local shot = retake.shot{ name = 'ball', duration = 4 }
        shot:ground{}
        shot:rigid{ mesh = retake.mesh.sphere{ radius = 0.1, subdivisions = 2 }, translate = { 0, 0.9, 0 }, restitution = 0.7 }";
    let mut simulation = start(&scene(text));
    let (mut lowest, mut apex) = (false, 0.0f64);
    for _ in 0..30 {
        run(&mut simulation, 1);
        let height = pose(&simulation, 1).0.y - 0.1;
        lowest |= height < 0.15;
        if lowest {
            apex = apex.max(height);
        }
    }
    measured("bounce", apex, 0.49 * 0.8);
    assert!((apex - 0.49 * 0.8).abs() < 0.015, "bounced to {apex} in place of {}", 0.49 * 0.8);
}

/// Free flight: no force and no contact changes momentum or energy; about the middle axis a box turns over.
#[test]
fn a_spinning_box_keeps_its_momentum_and_turns_over() {
    let text = "local shot = retake.shot{ name = 'spin', duration = 12, gravity = { 0, 0, 0 } }
        shot:rigid{ mesh = retake.mesh.box{ size = { 0.4, 0.2, 0.1 } }, velocity = { 0.1, 0, 0 }, spin = { 2, 700, 1 } }";
    let mut simulation = start(&scene(text));
    let kinetic = simulation.report().kinetic;
    let mut over = 1.0f64;
    for _ in 0..288 {
        run(&mut simulation, 1);
        over = over.min((pose(&simulation, 0).1 * DVec3::Y).y);
    }
    near("energy", simulation.report().kinetic, kinetic, 2e-3);
    near("momentum", simulation.report().momentum[0], 0.8, 1e-9);
    near("way", pose(&simulation, 0).0.x, 1.2, 1e-9);
    assert!(over < -0.9, "it never turned over: {over}");
}

/// Ten half-metre cubes on each other stand: the top sinks by no more than ten skins, and nothing moves.
#[test]
fn a_tower_stands() {
    let text = "local shot = retake.shot{ name = 'tower', duration = 6 }
        shot:ground{}
        for i = 0, 9 do
          shot:rigid{ mesh = retake.mesh.box{ size = 0.5 }, translate = { 0, 0.2502 + 0.5002 * i, 0 } }
        end";
    let mut simulation = start(&scene(text));
    let top = pose(&simulation, 10).0;
    run(&mut simulation, 72);
    let moved = pose(&simulation, 10).0 - top;
    println!("validation: top of a tower of ten moved by {:.2e} m", moved.length());
    assert!(moved.length() < 2e-3, "the top moved by {moved}");
    assert!(simulation.report().fastest < 1e-3, "{}", simulation.report().fastest);
}

/// Cloth and boxes push each other: a sheet held at its edges carries a box, and sags under it. (With two free
/// edges a box that bounces as this one does may as well slide off.)
#[test]
fn a_sheet_carries_a_box() {
    let text = "local shot = retake.shot{ name = 'trampoline', duration = 4 }
        local sheet = shot:cloth{ mesh = retake.mesh.grid{ size = { 1, 1 }, vertices = { 21, 21 }, normal = { 0, 1, 0 } }, translate = { 0, 1, 0 } }
        shot:pin{ points = sheet:edge 'top' + sheet:edge 'bottom' + sheet:edge 'left' + sheet:edge 'right' }
        shot:rigid{ mesh = retake.mesh.box{ size = 0.2 }, density = 100, translate = { 0, 1.2, 0 }, rotate = { 10, 0, 25 } }";
    let simulation = after(text, 72);
    let height = pose(&simulation, 1).0.y;
    assert!(height > 0.6 && height < 1.1, "the box is at {height}");
    assert!(simulation.report().pressed_in < 1.0);
}

#[test]
fn what_cannot_be_a_rigid_body_is_refused_with_the_way_out() {
    let shot = "local shot = retake.shot{ name = 'x', duration = 1 }\n";
    let open = problem(&format!("{shot}shot:rigid{{ mesh = retake.mesh.grid{{}} }}"));
    assert!(open.contains("not closed") && open.contains("shot:collider"), "{open}");
    let both = problem(&format!(
        "{shot}shot:rigid{{ mesh = retake.mesh.box{{}}, mass = 2, density = 100 }}"
    ));
    assert!(both.contains("exclude each other"), "{both}");
    let soft = problem(&format!("{shot}shot:soft{{ mesh = retake.mesh.box{{}} }}"));
    assert!(soft.contains("tet_box"), "{soft}");
}

/// A push of J at a place r from the centre gives a free box `v = J / m` and the spin `I^-1 (r x J)`, with
/// `I_y = m (a^2 + c^2) / 12` about the axis that is pushed about. A push of the whole spins nothing.
#[test]
fn a_push_moves_and_turns_a_box() {
    let scene = scene(
        "local shot = retake.shot{ name = 'push', duration = 1, gravity = { 0, 0, 0 } }
        shot:rigid{ mesh = retake.mesh.box{ size = { 0.4, 0.2, 0.1 } }, mass = 2 }",
    );
    let mesh = scene.mesh_of(0);
    let corner = |p: &DVec3| p.x > 0.0 && p.z > 0.0;
    let points: Vec<u32> =
        (0..mesh.positions.len() as u32).filter(|i| corner(&mesh.positions[*i as usize])).collect();
    for (points, spin) in [(points, -0.2 * 3.0 / (2.0 * (0.16 + 0.01) / 12.0)), (Vec::new(), 0.0)] {
        let mut simulation = start(&scene);
        let push = Command::Push { body: 0, points, impulse: DVec3::new(0.0, 0.0, 3.0) };
        simulation.advance(&[push], &AtomicBool::new(false)).unwrap();
        let view = simulation.view().bodies[0].clone();
        assert!(view.velocity.distance(DVec3::new(0.0, 0.0, 1.5)) < 1e-9, "{}", view.velocity);
        let found = view.spin * (std::f64::consts::PI / 180.0);
        assert!(found.distance(DVec3::Y * spin) < 1e-6 * (1.0 + spin.abs()), "{found} {spin}");
    }
}
