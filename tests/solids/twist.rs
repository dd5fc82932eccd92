//! Ropes that resist twist against closed forms: the torsion pendulum, two discs on a rope, a wound rope, and
//! the moment at which a clamped rod writhes.

use crate::pose;
use crate::scripted::{after, near, problem, resumed, run, scene, start};
use glam::DVec3;
use retake::sim::{BodyPose, Simulation};
use std::f64::consts::{PI, TAU};

/// Turn of a body about Y within half a turn [rad].
fn turn(simulation: &Simulation, body: usize) -> f64 {
    let side = pose(simulation, body).1 * DVec3::X;
    libm::atan2(-side.z, side.x)
}

/// Moment of inertia about its axis of a cylinder whose mesh has `n` sides [kg m2]: that of a disc, less what
/// the sides cut off, `m r^2 / 2` times `(2 + cos(2 pi / n)) / 3`.
fn disc(mass: f64, radius: f64, n: u32) -> f64 {
    mass * radius * radius / 6.0 * (2.0 + libm::cos(TAU / f64::from(n)))
}

/// A disc on a taut rope swings with the period `2 pi sqrt(I L / GJ)`. A step of h shifts the frequency of
/// backward Euler by the order of `(omega h)^2 = 1e-4`, and frames tell zeros of the turn to 1e-3 of the
/// period by straight lines between them: the error is that of the disc's mesh and of these, 0.5 %.
#[test]
fn a_disc_on_a_rope_swings_as_a_torsion_pendulum() {
    let text = "local shot = retake.shot{ name = 'pendulum', duration = 5 }
        local line = shot:rope{ mesh = retake.mesh.rope{ from = { 0, 0.5, 0 }, to = { 0, 0, 0 }, segments = 20 }, radius = 0.002, stretch = 1e5, twist = 0.01 }
        local disc = shot:rigid{ name = 'disc', mesh = retake.mesh.cylinder{ radius = 0.1, height = 0.02, segments = 64 }, mass = 1, translate = { 0, -0.015, 0 }, spin = { 0, 60, 0 } }
        shot:pin{ points = line:vertices{ 0 } }
        shot:attach{ points = line:vertices{ 20 }, to = disc }";
    let mut simulation = start(&scene(text));
    let (mut zeros, mut before) = (Vec::new(), turn(&simulation, 1));
    for frame in 1..=110 {
        run(&mut simulation, 1);
        let now = turn(&simulation, 1);
        if before * now < 0.0 {
            zeros.push((f64::from(frame) - now / (now - before)) / 24.0);
        }
        before = now;
    }
    let period = TAU * (disc(1.0, 0.1, 64) * 0.5 / 0.01).sqrt();
    near("half a period", zeros[1] - zeros[0], 0.5 * period, 0.005);
}

/// Two equal discs on a rope hand a spin to each other: after half a period, `pi sqrt(I L / 2 GJ)`, the other
/// has it all. What they have together stays.
#[test]
fn a_rope_hands_a_spin_on_and_keeps_momentum() {
    let text = "local shot = retake.shot{ name = 'spin', duration = 5, gravity = { 0, 0, 0 } }
        local line = shot:rope{ mesh = retake.mesh.rope{ from = { 0, 0.5, 0 }, to = { 0, 0, 0 }, segments = 20 }, radius = 0.002, density = 100, stretch = 1e4, bend = 0.02, twist = 0.02 }
        local mesh = retake.mesh.cylinder{ radius = 0.1, height = 0.02, segments = 64 }
        local low = shot:rigid{ name = 'low', mesh = mesh, mass = 1, translate = { 0, -0.015, 0 }, spin = { 0, 90, 0 } }
        local high = shot:rigid{ name = 'high', mesh = mesh, mass = 1, translate = { 0, 0.515, 0 } }
        shot:attach{ points = line:vertices{ 0 }, to = high }
        shot:attach{ points = line:vertices{ 20 }, to = low }";
    let half = PI * (disc(1.0, 0.1, 64) * 0.5 / 0.04).sqrt();
    let mut simulation = start(&scene(text));
    run(&mut simulation, (half * 24.0).round() as u32);
    let view = simulation.view();
    let [low, high] = [1, 2].map(|b| view.bodies[b].spin[1]);
    // The frame nearest to the half period is off by half a frame at most: 1 - cos(pi / 2 / 18) = 0.4 %.
    near("spin of the other", high, 90.0, 0.02);
    near("both spins", low + high, 90.0, 1e-3);
}

/// Two whole turns of a pinned end are in the rope, `GJ m^2 / (2 L)` of energy between the held vertices, and
/// come out again. A run that is taken up in between is the same run.
#[test]
fn a_pin_winds_a_rope_up_and_unwinds_it() {
    let text = "local shot = retake.shot{ name = 'wind', duration = 4, gravity = { 0, 0, 0 } }
        local line = shot:rope{ mesh = retake.mesh.rope{ from = { 0, 0, 0 }, to = { 1, 0, 0 }, segments = 20 }, stretch = 1e5, bend = 0.5, twist = 0.1 }
        shot:pin{ points = line:vertices{ 0, 1 } }
        local crank = shot:pin{ points = line:vertices{ 19, 20 } }
        crank:rotate{ starts = 0, ends = 1, angle = 720, axis = { 1, 0, 0 }, about = { 1, 0, 0 } }
        crank:rotate{ starts = 1.5, ends = 2.5, angle = -720, axis = { 1, 0, 0 }, about = { 1, 0, 0 } }";
    let simulation = resumed(&scene(text), 13, 17);
    let twist = 2.0 * TAU;
    near("energy", simulation.report().elastic, 0.1 * twist * twist / (2.0 * 0.9), 1e-6);
    let simulation = after(text, 72);
    assert!(simulation.report().elastic < 1e-9, "{}", simulation.report().elastic);
}

/// What is let go in the middle of a wound rope keeps the twist of the whole; what is caught there halves it.
#[test]
fn a_pin_in_the_middle_comes_and_goes() {
    let text = "local shot = retake.shot{ name = 'catch', duration = 4, gravity = { 0, 0, 0 } }
        local line = shot:rope{ mesh = retake.mesh.rope{ from = { 0, 0, 0 }, to = { 1, 0, 0 }, segments = 20 }, stretch = 1e5, bend = 0.5, twist = 0.1 }
        shot:pin{ points = line:vertices{ 0 } }
        shot:pin{ points = line:vertices{ 10 }, starts = 1.5, ends = 2.5 }
        local crank = shot:pin{ points = line:vertices{ 20 } }
        crank:rotate{ starts = 0, ends = 1, angle = 180, axis = { 1, 0, 0 }, about = { 1, 0, 0 } }
        crank:rotate{ starts = 2, ends = 2.2, angle = 180, axis = { 1, 0, 0 }, about = { 1, 0, 0 } }";
    let mut simulation = start(&scene(text));
    let energy = |a: f64, b: f64| 0.1 * (a * a + b * b) / (2.0 * 0.5);
    for (frame, a, b) in
        [(30, 0.5 * PI, 0.5 * PI), (42, 0.5 * PI, 0.5 * PI), (57, 0.5 * PI, 1.5 * PI), (72, PI, PI)]
    {
        let frames = frame + 1 - simulation.frame();
        run(&mut simulation, frames as u32);
        near(&format!("energy at {frame}"), simulation.report().elastic, energy(a, b), 1e-6);
    }
}

/// A straight rod with both ends clamped bows out once its moment is above `2 x 4.4934 EI / L` (Love 1927,
/// section 272; the least root of tan u = u). Its bends stand for half a segment to each side, so that it is
/// clamped in the middles of the held segments: L is their distance. Forty segments bend as the rod to the
/// order of (2 pi / 40)^2 / 12 = 0.2 %. Of a clamped rod of EI = 0.02 N m2, 79 g and 1 m the lowest frequency is
/// 11.3 / s, at a part p of the moment about the root of 1 - p^2 of that: with a drag of 5 / s a push fades by
/// e^-2.5 a second below by 5 %, and grows by e^1.9 above by as much. The push alone moves it by 1 mm/s for a fifth
/// of a second.
#[test]
fn a_clamped_rod_writhes_at_its_moment() {
    let bow = |part: f64| {
        let (n, bend, twist) = (42, 0.02, 0.02);
        let l = 1.0 / 40.0;
        let moment = part * 2.0 * 4.493_409_458 * bend / (l * f64::from(n - 1));
        let text = format!(
            "local shot = retake.shot{{ name = 'writhe', duration = 6, gravity = {{ 0, 0, 0 }} }}
            local rod = shot:rope{{ mesh = retake.mesh.rope{{ from = {{ 0, 0, 0 }}, to = {{ {}, 0, 0 }}, segments = {n} }},
              radius = 0.005, density = 1000, stretch = 20, bend = {bend}, twist = {twist} }}
            shot:pin{{ points = rod:vertices{{ 0, 1 }} }}
            local crank = shot:pin{{ points = rod:vertices{{ {}, {n} }} }}
            crank:rotate{{ starts = 0, ends = 1, angle = {}, axis = {{ 1, 0, 0 }} }}
            shot:force{{ vector = {{ 0, 1e-5, 0 }}, per = 'point', starts = 1, ends = 1.2 }}
            shot:drag{{ linear = 5 }}",
            l * f64::from(n),
            n - 1,
            (moment * l * f64::from(n - 2) / twist).to_degrees(),
        );
        let simulation = after(&text, 144);
        match simulation.body(0) {
            BodyPose::Deformed(x) => x.iter().map(|p| p.y.hypot(p.z)).fold(0.0, f64::max),
            BodyPose::Posed(..) => panic!("not a rope"),
        }
    };
    let (below, above) = (bow(0.95), bow(1.05));
    assert!(below < 5e-5, "{below}");
    assert!(above > 0.02, "{above}");
}

#[test]
fn only_the_engines_own_method_knows_twist() {
    let told = problem(
        "local shot = retake.shot{ name = 'a', duration = 1 }
        shot:rope{ name = 'line', mesh = retake.mesh.rope{ from = { 0, 0, 0 }, to = { 1, 0, 0 } }, twist = 1 }
        shot:solver{ method = 'relaxation', guard = 'off' }",
    );
    assert!(told.contains("knows no `twist`, which `line` has"), "{told}");
}
