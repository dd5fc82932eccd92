//! Joints, pins of rigid bodies, cloth that rides on them.

use crate::pose;
use crate::scripted::{after, near, problem, run, scene, start};
use glam::DVec3;
use retake::math::rotation;
use retake::sim::BodyPose;

const SHOT: &str = "local shot = retake.shot{ name = 'joints', duration = 6 }\n";

/// A ball on a rod of length l = 1 m (the solid ball turns with its rod) swings from 10, 45, 90 and 150 degrees in the
/// times of the complete elliptic integral of the first kind, within the half per cent of the reference, and comes back
/// to more than 97 % of its angle twice.
#[test]
fn a_pendulum_swings_in_its_time() {
    let small = std::f64::consts::TAU * ((1.0 + 0.4 * 0.01) / 9.81f64).sqrt();
    for (degrees, longer) in
        [(10.0f64, 1.00191), (45.0, 1.03997), (90.0, 1.18034), (150.0, 1.76220)]
    {
        let from = degrees.to_radians();
        let text = format!(
            "{SHOT}local bob = shot:rigid{{ mesh = retake.mesh.sphere{{ radius = 0.1, subdivisions = 3 }}, translate = {{ {}, {}, 0 }} }}
            shot:joint{{ kind = 'ball', a = bob, about = {{ 0, 0, 0 }} }}",
            libm::sin(from),
            -libm::cos(from)
        );
        let mut simulation = start(&scene(&text));
        let (mut crossings, mut peaks, mut angles) = (Vec::new(), Vec::new(), vec![from]);
        for frame in 1..=190u32 {
            run(&mut simulation, 1);
            let place = pose(&simulation, 0).0;
            assert!((place.length() - 1.0).abs() < 1e-3, "the rod is {} m", place.length());
            let angle = libm::atan2(place.x, -place.y);
            let n = angles.len();
            let before = angles[n - 1];
            if before < 0.0 && angle >= 0.0 {
                crossings.push((f64::from(frame - 1) - before / (angle - before)) / 24.0);
            }
            if n > 1 && before > angle && before > angles[n - 2] {
                peaks.push(before);
            }
            angles.push(angle);
        }
        near("period", crossings[1] - crossings[0], small * longer, 0.005);
        // Two periods; at frames, where it may be a part of one off its farthest.
        assert!(peaks[1] > 0.97 * from, "from {from} back to {}", peaks[1]);
        println!(
            "validation: pendulum from {degrees} degrees: period {:+.2} %, back to {:.2} % after two",
            100.0 * ((crossings[1] - crossings[0]) / (small * longer) - 1.0),
            100.0 * peaks[1] / from
        );
    }
}

/// Two boxes in one piece, thrown and spinning, keep their momentum and their spin, to 1e-4 in four seconds: what the
/// solution of each substep leaves of either adds up.
#[test]
fn what_a_joint_holds_keeps_its_momentum() {
    let text = "local shot = retake.shot{ name = 'thrown', duration = 6, gravity = { 0, 0, 0 } }
        local mesh = retake.mesh.box{ size = { 0.4, 0.1, 0.2 } }
        local a = shot:rigid{ mesh = mesh, mass = 2, velocity = { 0, 0.1, 0 } }
        local b = shot:rigid{ mesh = mesh, mass = 3, translate = { 0.5, 0, 0 }, velocity = { 0, -0.1, 0 } }
        shot:joint{ kind = 'fixed', a = a, b = b, about = { 0.25, 0, 0 } }";
    let mut simulation = start(&scene(text));
    let figures = |simulation: &retake::sim::Simulation| {
        let bodies = simulation.view().bodies;
        (bodies[0].velocity * 2.0 + bodies[1].velocity * 3.0, bodies[0].spin)
    };
    run(&mut simulation, 1);
    let (momentum, spin) = figures(&simulation);
    run(&mut simulation, 96);
    let (after, spin_after) = figures(&simulation);
    assert!(momentum.distance(after) < 1e-4 * momentum.length(), "{momentum} {after}");
    near("spin", spin_after.z, spin.z, 1e-4);
}

/// Two boxes hang by joints that are too weak on one collider, each in a region of its own: both fall.
#[test]
fn joints_to_one_collider_break_each_for_itself() {
    let text = format!(
        "{SHOT}local beam = shot:collider{{ mesh = retake.mesh.box{{ size = {{ 5, 0.1, 0.2 }} }}, translate = {{ 0, 0.55, 0 }} }}
        for i = 1, 2 do
          local box = shot:rigid{{ mesh = retake.mesh.box{{ size = 0.1 }}, mass = 1, translate = {{ i, 0, 0 }} }}
          shot:joint{{ kind = 'ball', a = box, b = beam, about = {{ i, 0, 0 }}, breaks_at = 5 }}
        end"
    );
    let held = after(&text.replace("= 5 }", "= 50 }"), 12);
    let broken = after(&text, 12);
    for i in 0..2 {
        let reaction = held.view().constraints[i].reaction;
        near("hangs", reaction, 9.81, 0.01);
        assert!(broken.view().constraints[i].broken);
        assert!(pose(&broken, 1 + i).0.y < -1.1, "{}", pose(&broken, 1 + i).0);
    }
}

/// What no constraint holds falls in a parabola, but for its first substep, of backward Euler, which leaves
/// `g h^2 / 2`.
#[test]
fn what_is_free_falls_in_a_parabola() {
    let text = format!(
        "{SHOT}shot:rigid{{ mesh = retake.mesh.box{{ size = 0.1 }}, velocity = {{ 1, 2, 0 }}, spin = {{ 100, 200, 300 }} }}"
    );
    let mut simulation = start(&scene(&text));
    let left = |simulation: &_, t: f64| pose(simulation, 0).0.y - 2.0 * t + 4.905 * t * t;
    run(&mut simulation, 1);
    let first = left(&simulation, 1.0 / 24.0);
    assert!(first < 0.0 && first > -4.905 / (192.0 * 192.0), "{first}");
    run(&mut simulation, 47);
    // Poses are fitted to 1e-12 m in each of 384 substeps.
    let off = left(&simulation, 2.0) - first;
    assert!(off.abs() < 1e-6, "{off}");
    assert!((pose(&simulation, 0).0.x - 2.0).abs() < 1e-6);
}

/// A tonne on a chain of two-kilogramme links, let go level: it keeps to its circle, and comes through the
/// lowest place after 1.8541 sqrt(l/g), the time of a pendulum from 90 degrees (complete elliptic
/// integral of the first kind, modulus sin 45). The chain's own mass makes it 0.13 % quicker, the ball's
/// inertia 0.25 % slower.
#[test]
fn a_heavy_ball_on_a_light_chain_is_a_pendulum() {
    let text = "local shot = retake.shot{ name = 'chain', duration = 2 }
        local last
        for i = 1, 8 do
          local own = shot:rigid{ mesh = retake.mesh.box{ size = { 0.2, 0.04, 0.04 } }, mass = 2, translate = { 0.1 - 0.2 * i, 0, 0 }, collides = false }
          shot:joint{ kind = 'ball', a = own, b = last, about = { -0.2 * (i - 1), 0, 0 } }
          last = own
        end
        local ball = shot:rigid{ mesh = retake.mesh.sphere{ radius = 0.2, subdivisions = 3 }, mass = 1000, translate = { -1.8, 0, 0 } }
        shot:joint{ kind = 'ball', a = ball, b = last, about = { -1.6, 0, 0 } }";
    let mut simulation = start(&scene(text));
    let (mut before, mut lowest) = (-1.8, 0.0);
    for frame in 1..=24 {
        run(&mut simulation, 1);
        let place = pose(&simulation, 8).0;
        near("distance from the hook", place.length(), 1.8, 0.01);
        if before < 0.0 && place.x >= 0.0 {
            lowest = (f64::from(frame - 1) - before / (place.x - before)) / 24.0;
        }
        before = place.x;
    }
    near("time to the lowest place", lowest, 1.8541 * (1.8f64 / 9.81).sqrt(), 0.01);
    let apart = simulation.view().constraints.iter().map(|c| c.apart).fold(0.0, f64::max);
    assert!(apart < 1e-3, "links are apart by {apart} m");
}

/// A hinge leaves the turn about its axis: a door that is pushed turns about it and nothing else, and what
/// it turns about stays where it is.
#[test]
fn a_door_turns_about_its_hinge() {
    let text = format!(
        "{SHOT}local door = shot:rigid{{ mesh = retake.mesh.box{{ size = {{ 0.9, 2, 0.04 }} }}, translate = {{ 0.45, 1, 0 }}, density = 500 }}
        shot:joint{{ kind = 'hinge', a = door, axis = {{ 0, 1, 0 }}, about = {{ 0, 1, 0 }} }}
        shot:force{{ vector = {{ 0, 0, 20 }}, per = 'body', ends = 0.5 }}"
    );
    let simulation = after(&text, 36);
    let (place, turn) = pose(&simulation, 0);
    assert!((turn * DVec3::Y).y > 0.99999, "the door leans: {}", turn * DVec3::Y);
    let hinge = turn * DVec3::new(-0.45, 0.0, 0.0) + place;
    assert!(hinge.distance(DVec3::Y) < 1e-3, "the hinge is at {hinge}");
    assert!(place.z > 0.05, "the door stands still: {place}");
}

/// On a slider along a slope a body falls with the part of gravity along it and does not turn.
#[test]
fn a_slider_falls_along_its_axis() {
    let text = format!(
        "{SHOT}local bead = shot:rigid{{ mesh = retake.mesh.box{{ size = {{ 0.1, 0.2, 0.3 }} }} }}
        shot:joint{{ kind = 'slider', a = bead, axis = {{ 1, -1, 0 }}, about = {{ 0.2, 0, 0 }} }}"
    );
    let (place, turn) = pose(&after(&text, 24), 0);
    let way = 0.5 * 9.81 * 0.5f64.sqrt();
    near("way", place.length(), way, 0.01);
    assert!((place.x + place.y).abs() < 1e-3 && place.z.abs() < 1e-4, "{place}");
    assert!(turn.w.abs() > 0.999999, "it turned: {turn}");
}

/// Two bricks that are fixed to each other fall, turn and land as one; a chain of balls hangs together.
#[test]
fn what_is_fixed_stays_together() {
    let text = format!(
        "{SHOT}shot:ground{{}}
        local brick = retake.mesh.box{{ size = {{ 0.3, 0.1, 0.1 }} }}
        local a = shot:rigid{{ mesh = brick, translate = {{ 0, 1, 0 }} }}
        local b = shot:rigid{{ mesh = brick, translate = {{ 0.2, 1.1, 0 }}, rotate = {{ 0, 0, 90 }} }}
        shot:joint{{ kind = 'fixed', a = a, b = b, about = {{ 0.15, 1.05, 0 }} }}"
    );
    let simulation = after(&text, 48);
    let ((p, r), (q, s)) = (pose(&simulation, 1), pose(&simulation, 2));
    let apart = r.inverse() * (q - p);
    assert!(apart.distance(DVec3::new(0.2, 0.1, 0.0)) < 2e-3, "{apart}");
    let turned = (r.inverse() * s) * DVec3::X;
    assert!(turned.distance(DVec3::Y) < 0.02, "{turned}");
    assert!(p.y.min(q.y) < 0.2, "they hang in the air: {p} {q}");
}

/// A flag on a pole that falls over rides along, and a rigid body that is pinned at a corner hangs by it.
#[test]
fn cloth_rides_on_a_rigid_body_and_a_pin_holds_one() {
    let text = format!(
        "{SHOT}local pole = shot:rigid{{ mesh = retake.mesh.box{{ size = {{ 0.05, 1, 0.05 }} }}, density = 400 }}
        shot:joint{{ kind = 'hinge', a = pole, about = {{ 0, -0.5, 0 }}, axis = {{ 0, 0, 1 }} }}
        shot:force{{ bodies = {{ pole }}, vector = {{ 12, 0, 0 }}, per = 'body', ends = 0.3 }}
        local flag = shot:cloth{{ mesh = retake.mesh.grid{{ size = {{ 0.4, 0.3 }}, vertices = {{ 9, 7 }} }}, translate = {{ 0.25, 0.3, 0 }} }}
        shot:attach{{ points = flag:edge 'left', to = pole }}
        local lamp = shot:rigid{{ mesh = retake.mesh.box{{ size = 0.2 }}, translate = {{ 3, 0, 0 }} }}
        shot:pin{{ points = lamp:nearest{{ 2.9, 0.1, 0.1 }} }}"
    );
    let simulation = after(&text, 20);
    let (place, turn) = pose(&simulation, 0);
    assert!((turn * DVec3::Y).y < 0.97, "the pole stands: {place}");
    let BodyPose::Deformed(flag) = simulation.body(1) else { panic!("a cloth") };
    for row in 0..7 {
        let rest = DVec3::new(0.05, 0.45 - 0.05 * f64::from(row), 0.0);
        let there = turn * rest + place;
        let vertex = flag[9 * row as usize];
        assert!(vertex.distance(there) < 2e-3, "row {row}: {vertex} in place of {there}");
    }
    let (place, turn) = pose(&simulation, 2);
    let corner = turn * DVec3::new(-0.1, 0.1, 0.1) + place;
    assert!(corner.distance(DVec3::new(2.9, 0.1, 0.1)) < 2e-3, "{corner}");
}

#[test]
fn joints_that_cannot_be_are_refused_with_the_way_out() {
    let bodies = format!(
        "{SHOT}local box = shot:rigid{{ mesh = retake.mesh.box{{}} }}
        local sheet = shot:cloth{{ mesh = retake.mesh.grid{{ vertices = {{ 3, 3 }} }}, translate = {{ 0, 5, 0 }} }}\n"
    );
    let cloth = problem(&format!("{bodies}shot:joint{{ kind = 'ball', a = sheet, b = box }}"));
    assert!(cloth.contains("no rigid body") && cloth.contains("shot:stitch"), "{cloth}");
    let axis =
        problem(&format!("{bodies}shot:joint{{ kind = 'ball', a = box, axis = {{ 0, 1, 0 }} }}"));
    assert!(axis.contains("has no `axis`"), "{axis}");
    let spring = problem(&format!(
        "{bodies}shot:joint{{ kind = 'spring', a = box:point{{ 0, 0, 0 }}, b = sheet:point{{ 0, 5, 0 }} }}"
    ));
    assert!(spring.contains("needs `stiffness`"), "{spring}");
    let freeze = problem(&format!(
        "{bodies}shot:freeze{{ points = box:all(), inside = {{ {{ -1, -1, -1 }}, {{ 1, 1, 1 }} }} }}"
    ));
    assert!(freeze.contains("rigid body") && freeze.contains("shot:pin"), "{freeze}");
}

/// A ball's twist is what is left of the turn from the start once its axis has been brought where it is the short
/// way (swing and twist): `2 atan2(q . axis, q_w)`. It is held within its limits however the axis leans: where a
/// body spins about that axis, about a slanted one, and about one across, which twists nothing.
#[test]
fn a_balls_twist_is_limited_however_it_leans() {
    for (spin, reaches) in
        [([0.0, 200.0, 0.0], true), ([90.0, 160.0, 40.0], true), ([150.0, 0.0, 0.0], false)]
    {
        let text = format!(
            "local shot = retake.shot{{ name = 'twist', duration = 1, gravity = {{ 0, 0, 0 }} }}
            local box = shot:rigid{{ mesh = retake.mesh.box{{ size = {{ 0.1, 0.3, 0.2 }} }}, mass = 1, spin = {{ {}, {}, {} }} }}
            shot:joint{{ kind = 'ball', a = box, axis = {{ 0, 1, 0 }}, limits = 80, twist = {{ -30, 30 }} }}",
            spin[0], spin[1], spin[2]
        );
        let mut simulation = start(&scene(&text));
        let (mut most, mut leans) = (0.0f64, 0.0f64);
        for _ in 0..24 {
            run(&mut simulation, 1);
            let (_, q) = pose(&simulation, 0);
            most = most.max((2.0 * libm::atan2(q.y, q.w)).to_degrees().abs());
            leans = leans.max(rotation::angle_between(q * DVec3::Y, DVec3::Y).to_degrees());
        }
        // It gives way by a two hundredth of what it goes in a substep: 200 / 192 / 200 degrees.
        assert!(most < 30.1, "{spin:?}: {most}");
        assert!(
            most > if reaches { 25.0 } else { -1.0 } && (reaches || most < 0.1),
            "{spin:?}: {most}"
        );
        assert!(leans < 80.5, "{leans}");
    }
    let box_ = "local shot = retake.shot{ name = 'a', duration = 1 }
        local box = shot:rigid{ mesh = retake.mesh.box{ size = 0.1 } }\n";
    let found = problem(&format!("{box_}shot:joint{{ kind = 'hinge', a = box, twist = 30 }}"));
    assert!(found.contains("a joint of kind \"hinge\" has no `twist`"), "{found}");
    let found =
        problem(&format!("{box_}shot:joint{{ kind = 'ball', a = box, twist = {{ 10, 30 }} }}"));
    assert!(found.contains("`twist` in joint must be {least, most} around 0"), "{found}");
}

/// Held from 0.4 s on, when its carrier has turned by 90 degrees and stands, a box that hovers turns with it by 60
/// more: what a joint and what an attachment hold alike.
#[test]
fn what_is_held_on_the_way_turns_with_its_carrier() {
    let turning = "local shot = retake.shot{ name = 'late', duration = 1, gravity = { 0, 0, 0 } }
        local carrier = shot:collider{ mesh = retake.mesh.box{ size = 0.1 },
          rotate = retake.keys{ { 0, { 0, 0, 0 } }, { 0.25, { 0, 0, 90 } }, { 0.6, { 0, 0, 90 } }, { 0.85, { 0, 0, 150 } } } }
        local box = shot:rigid{ mass = 1, mesh = retake.mesh.box{ size = { 0.2, 0.1, 0.1 } }, translate = { 0.5, 0.2, 0 } }\n";
    for held in [
        "shot:attach{ points = box:all(), to = carrier, starts = 0.4 }",
        "shot:joint{ kind = 'fixed', a = box, b = carrier, starts = 0.4 }",
    ] {
        let simulation = after(&format!("{turning}{held}"), 24);
        let (place, turn) = pose(&simulation, 1);
        let by = rotation::from_rotation_z(60f64.to_radians());
        let expected = by * DVec3::new(0.5, 0.2, 0.0);
        assert!(place.distance(expected) < 1e-3, "{held}: {place} in place of {expected}");
        assert!((turn * DVec3::X).distance(by * DVec3::X) < 2e-3, "{held}: {turn}");
    }
}

/// A distance without `b` holds to the world: a bead swings on a rod of half a metre about a place of the world.
#[test]
fn a_distance_holds_to_the_world() {
    let text = "local shot = retake.shot{ name = 'a', duration = 3 }
        local bead = shot:rigid{ mesh = retake.mesh.sphere{ radius = 0.02 }, translate = { 0.5, 1, 0 } }
        shot:joint{ kind = 'distance', a = bead:point{ 0.48, 1, 0 }, about = { 0, 1, 0 } }";
    let mut simulation = start(&scene(text));
    let mut lowest = 0.0f64;
    for _ in 0..72 {
        run(&mut simulation, 1);
        let (place, turn) = pose(&simulation, 0);
        let held = place + turn * DVec3::new(-0.02, 0.0, 0.0);
        assert!((held.distance(DVec3::Y) - 0.48).abs() < 2e-4, "{held}");
        lowest = lowest.min(place.y - 1.0);
    }
    assert!((lowest + 0.5).abs() < 0.02, "{lowest}");
}

/// Without `about` it is where its place starts, and then as long as `length` says; a spring hangs by m g / k.
#[test]
fn a_spring_hangs_from_its_place_in_the_world() {
    let hung = |more: &str| {
        let text = format!(
            "local shot = retake.shot{{ name = 'a', duration = 6 }}
            local bead = shot:rigid{{ mesh = retake.mesh.sphere{{ radius = 0.02 }}, mass = 0.1, translate = {{ 0, 1, 0 }} }}
            shot:drag{{ linear = 4 }}
            shot:joint{{ a = bead:point{{ 0, 1.02, 0 }}, {more} }}"
        );
        let simulation = after(&text, 144);
        near("reaction", simulation.view().constraints[0].reaction, 0.981, 0.01);
        1.0 - pose(&simulation, 0).0.y
    };
    near("spring", hung("kind = 'spring', stiffness = 20"), 0.981 / 20.0, 0.01);
    near(
        "with length",
        hung("kind = 'spring', stiffness = 20, length = 0.1"),
        0.1 + 0.981 / 20.0,
        0.01,
    );
    near("rod", hung("kind = 'distance', length = 0.1"), 0.1, 0.01);
    near("cord", hung("kind = 'distance', limits = { max = 0.2 }, damping = 1"), 0.2, 0.01);
    near(
        "above",
        hung("kind = 'spring', stiffness = 20, about = { 0, 1.52, 0 }, length = 0.5"),
        0.981 / 20.0,
        0.01,
    );
}

/// `body:point` is a place in a body too: a box on a rod to its middle swings and does not turn, a soft block on its
/// middle hangs straight below, and a place outside is one of the surface.
#[test]
fn places_lie_in_bodies() {
    let text = "local shot = retake.shot{ name = 'a', duration = 2 }
        local box = shot:rigid{ mesh = retake.mesh.box{ size = { 0.3, 0.1, 0.2 } }, translate = { 0.5, 1, 0 }, rotate = { 20, 30, 40 } }
        shot:joint{ kind = 'distance', a = box:point{ 0.5, 1, 0 }, about = { 0, 1, 0 } }";
    let mut simulation = start(&scene(text));
    let before = pose(&simulation, 0).1;
    let mut lowest = 0.0f64;
    for _ in 0..48 {
        run(&mut simulation, 1);
        let (place, turn) = pose(&simulation, 0);
        near("length", place.distance(DVec3::Y), 0.5, 1e-3);
        assert!(rotation::angle_from(turn, before) < 1e-6, "{turn} {before}");
        lowest = lowest.min(place.y - 1.0);
    }
    assert!(lowest < -0.48, "{lowest}");

    let blocks = [
        "shot:soft{ mesh = retake.mesh.tet_box{ size = 0.2, cells = 3 }, translate = { 0, 1, 0 },",
        "shot:soft{ mesh = retake.mesh.tet_box{ size = 0.24, cells = 2 }, surface = retake.mesh.box{ size = 0.2, spacing = 0.1 }, translate = { 0, 1, 0 },",
    ];
    for block in blocks {
        let text = format!(
            "local shot = retake.shot{{ name = 'a', duration = 2 }}
            shot:drag{{ linear = 4 }}
            local soft = {block} material = retake.material.soft{{ young = 1e5, density = 500, damping = 0.05 }} }}
            shot:joint{{ kind = 'distance', a = soft:point{{ 0.01, 1.02, 0.03 }}, about = {{ 0.01, 1.5, 0.03 }} }}"
        );
        let simulation = after(&text, 48);
        let places = crate::positions(&simulation, 0);
        let middle = places.iter().sum::<DVec3>() / places.len() as f64;
        // It turns until its middle hangs below, 2 cm above which it is held but for its strain.
        assert!((DVec3::new(0.01, 1.02, 0.03) - middle).length() < 0.05, "{middle}");
        near("below", middle.y, 1.02 - (1e-4f64 + 4e-4 + 9e-4).sqrt(), 0.005);
    }

    let text = "local shot = retake.shot{ name = 'a', duration = 1 }
        local box = shot:rigid{ mesh = retake.mesh.box{ size = 0.2 }, translate = { 0, 1, 0 } }
        shot:joint{ kind = 'distance', a = box:point{ 0, 1.4, 0 }, about = { 0, 1.5, 0 } }";
    let simulation = after(text, 24);
    near("hangs by its top", pose(&simulation, 0).0.y, 1.0, 1e-3);
}

#[test]
fn what_holds_to_the_world_can_move_and_has_one_place_there() {
    let head = "local shot = retake.shot{ name = 'a', duration = 1 }
        local box = shot:rigid{ mesh = retake.mesh.box{ size = 0.1 } }
        local wall = shot:collider{ mesh = retake.mesh.box{ size = 0.1 }, translate = { 1, 0, 0 } }\n";
    for (line, expected) in [
        ("kind = 'spring', stiffness = 1, a = wall:point{ 1, 0, 0 }", "`a` is of a collider"),
        (
            "kind = 'distance', a = box:point{ 0, 0, 0 }, b = wall:point{ 1, 0, 0 }, about = { 0, 0, 0 }",
            "a distance of two places has no `about`",
        ),
    ] {
        let found = problem(&format!("{head}shot:joint{{ {line} }}"));
        assert!(found.contains(expected), "{found}");
    }
}
