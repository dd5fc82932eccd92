//! Pressure, gas, wind, fields of force.

use crate::{after, near, positions, run, scene, start};
use glam::DVec3;

fn balloon(inside: &str) -> f64 {
    let text = format!(
        "local shot = retake.shot{{ name = 'balloon', duration = 3, gravity = {{ 0, 0, 0 }} }}
        shot:cloth{{ mesh = retake.mesh.sphere{{ radius = 0.1, subdivisions = 3 }}, {inside}, self_collision = false,
          material = retake.material.membrane{{ young = 300, poisson = 0.3, bend = 1e-7, density = 0.1, damping = 0.02 }} }}
        shot:drag{{ linear = 10 }}"
    );
    let mut simulation = start(&scene(&text));
    run(&mut simulation, 60);
    assert!(simulation.report().fastest < 1e-3, "{}", simulation.report().fastest);
    let x = positions(&simulation, 0);
    x.iter().map(|p| p.length()).sum::<f64>() / x.len() as f64 / 0.1
}

/// A sphere of radius R stretched by l has the tension `E / (1 - nu) (l^2 - 1) / 2` (St.
/// Venant-Kirchhoff, equal in all directions: the stress in the sheet is that of the reference), and
/// `2 tension = p l R` holds it. Where the gas is sealed, `p = (p0 + pout) / l^3 - pout`. A sphere of
/// 642 vertices has 1.4 % less volume than its ball and the pressure pushes that much less; 3 % of the
/// stretch allows for it and for uneven triangles.
#[test]
fn a_balloon_finds_its_size() {
    let size = |pressure: &dyn Fn(f64) -> f64| {
        let (mut low, mut high) = (1.0, 1.6);
        for _ in 0..60 {
            let l: f64 = 0.5 * (low + high);
            let tension = 300.0 / 0.7 * (l * l - 1.0) / 2.0;
            if 2.0 * tension < pressure(l) * l * 0.1 { low = l } else { high = l }
        }
        low - 1.0
    };
    near("open", balloon("pressure = 600") - 1.0, size(&|_| 600.0), 0.03);
    let sealed = size(&|l| 600.0 / l.powi(3));
    assert!(sealed < 0.85 * size(&|_| 600.0));
    near("sealed", balloon("pressure = 600, sealed = true") - 1.0, sealed, 0.03);
    let in_air = size(&|l| 6000.0 / l.powi(3) - 5000.0);
    near("in air", balloon("pressure = 1000, sealed = true, outside = 5000") - 1.0, in_air, 0.03);
}

/// A ball of sealed gas on the ground under its own weight keeps its amount: what it loses in height
/// it gains in pressure, and it neither bursts nor collapses.
#[test]
fn a_sealed_cushion_lies_still() {
    let text = "local shot = retake.shot{ name = 'cushion', duration = 4 }
        shot:ground{}
        shot:cloth{ mesh = retake.mesh.sphere{ radius = 0.2, subdivisions = 2, center = { 0, 0.21, 0 } }, pressure = 100, sealed = true, outside = 101325,
          material = retake.material.membrane{ young = 2000, bend = 1e-5, density = 0.3 } }
        shot:drag{ linear = 2 }";
    let simulation = after(text, 84);
    let x = positions(&simulation, 1);
    assert!(simulation.report().fastest < 0.01, "{}", simulation.report().fastest);
    let (low, high) = x.iter().fold((f64::INFINITY, 0.0f64), |(l, h), p| (l.min(p.y), h.max(p.y)));
    assert!(low > 0.0 && high - low > 0.36 && high - low < 0.41, "{low} {high}");
}

/// A level sheet, stiff enough to stay so, falls through still air until drag carries it: `v = sqrt(2 rho g / (rho_air C))`.
#[test]
fn a_sheet_falls_at_its_terminal_speed() {
    let text = "local shot = retake.shot{ name = 'fall', duration = 3 }
        shot:cloth{ mesh = retake.mesh.grid{ size = 0.3, vertices = { 6, 6 }, normal = { 0, 1, 0 } },
          material = retake.material.membrane{ bend = 1e-3, density = 0.1 } }
        shot:wind{ velocity = { 0, 0, 0 } }";
    let simulation = after(text, 48);
    let speed = -simulation.view().bodies[0].velocity.y;
    near("terminal speed", speed, (2.0 * 0.1 * 9.81 / 1.225f64).sqrt(), 0.01);
}

/// A held plate at 45 degrees to the wind is pushed by drag along its normal and by lift across the
/// flow; what holds it feels their sum. Twenty cells square, every point held: no solver in between.
#[test]
fn a_plate_in_the_wind_feels_drag_and_lift() {
    let force = |coefficients: &str| {
        let text = format!(
            "local shot = retake.shot{{ name = 'plate', duration = 1, gravity = {{ 0, 0, 0 }} }}
            local c = shot:cloth{{ mesh = retake.mesh.grid{{ size = 1, vertices = {{ 5, 5 }} }}, rotate = {{ 0, 45, 0 }},
              material = retake.material.membrane{{ density = 100 }} }}
            shot:pin{{ points = c:all() }}
            shot:wind{{ velocity = {{ 0, 0, 8 }}, {coefficients} }}"
        );
        after(&text, 2).view().constraints[0].reaction
    };
    let pressure = 0.5 * 1.225 * 64.0;
    let through = 0.5f64.sqrt();
    near("drag", force("drag = 1.2, lift = 0"), pressure * 1.2 * through * through, 0.01);
    // Lift: C (v . n) (n |v| - v (v . n) / |v|), of length C |v|^2 cos sin.
    near("lift", force("drag = 0, lift = 0.8"), pressure * 0.8 * through * through, 0.01);
}

/// The same of plates that are free, at four angles, from the front and from behind: each gains the velocity that drag along
/// its normal n, `C (v . n)^2`, and lift across the flow, `C (v . n) |v| (n - v (v . n) / v^2)`, give it. The plates
/// reach half a hundredth of the wind's speed, which their share of it goes with twice.
#[test]
fn free_plates_go_where_drag_and_lift_push_them() {
    let normal = |angle: f64| {
        let turn = angle.to_radians();
        DVec3::new(0.0, -libm::sin(turn), libm::cos(turn))
    };
    let speed = 8.0;
    for angle in [30.0, -30.0, 70.0, 150.0] {
        for (drag, lift) in [(1.2, 0.0), (0.0, 0.8), (1.2, 0.8)] {
            let text = format!(
                "local shot = retake.shot{{ name = 'plates', duration = 1, gravity = {{ 0, 0, 0 }} }}
                shot:cloth{{ mesh = retake.mesh.grid{{ size = 1, vertices = {{ 5, 5 }} }}, rotate = {{ {angle}, 0, 0 }},
                  material = retake.material.membrane{{ density = 100 }} }}
                shot:wind{{ velocity = {{ 0, 0, {speed} }}, drag = {drag}, lift = {lift} }}"
            );
            let found = after(&text, 2).view().bodies[0].velocity;
            let n = normal(angle);
            let along = speed * n.z;
            let across = (n - DVec3::Z * n.z) * speed;
            let pressure = 0.5 * 1.225 * (n * drag * along.abs() * along + across * lift * along);
            let expected = pressure / 100.0 * (2.0 / 24.0);
            assert!(
                found.distance(expected) < 0.01 * expected.length(),
                "{angle} {drag} {lift}: {found}, not {expected}"
            );
        }
    }
}

/// Pressure that follows keys: a balloon that is blown up within a second is as large as one that always had the
/// pressure, and goes back to its size at rest when it is let go.
#[test]
fn pressure_follows_its_keys() {
    let rising = balloon("pressure = retake.keys{ { 0, 0 }, { 1, 600 } }");
    near("blown up", rising - 1.0, balloon("pressure = 600") - 1.0, 2e-3);
    let gone = balloon("pressure = retake.keys{ { 0, 600 }, { 1, 600 }, { 1.5, 0 } }");
    assert!((gone - 1.0).abs() < 2e-3, "{gone}");
}

/// Turbulence shakes a flag, differs between seeds and not between runs.
#[test]
fn turbulence_is_chance_that_repeats() {
    let middle = |seed: u32, turbulence: f64| {
        let text = format!(
            "local shot = retake.shot{{ name = 'gust', duration = 1, seed = {seed}, gravity = {{ 0, 0, 0 }} }}
            shot:cloth{{ mesh = retake.mesh.grid{{ size = 0.5, vertices = {{ 5, 5 }} }}, material = retake.material.membrane{{ density = 0.2 }} }}
            shot:wind{{ velocity = function(t) return 5 + t, 0, 1 end, turbulence = {turbulence}, gust_size = 0.7 }}"
        );
        positions(&after(&text, 12), 0)
    };
    assert_eq!(middle(1, 0.5), middle(1, 0.5));
    assert_ne!(middle(1, 0.5), middle(2, 0.5));
    assert_eq!(middle(1, 0.0), middle(2, 0.0));
}

/// Gusts are as strong against the wind and as large as a script says. Small squares that lie across x, y and z are
/// pushed by what the air does through them, and tell its velocity: over many places its root mean square, and how alike
/// it is at two places a tenth of a metre apart. Wave number k makes `sin(k r) / (k r)` of that, and those of a gust of
/// size s are `2 pi 8^p / s` with squares that go with `4^-p`, p from 0 to 1. In 500 places both scatter by about
/// `1 / sqrt(500)`, times three here.
#[test]
fn gusts_are_as_strong_and_as_large_as_asked() {
    const PLACES: usize = 500;
    let (mean, turbulence, size, apart) = (5.0, 0.3, 0.7, 0.1);
    let text = format!(
        "local shot = retake.shot{{ name = 'gusts', fps = 1000, duration = 0.1, gravity = {{ 0, 0, 0 }} }}
        local across = {{}}
        for i, normal in ipairs {{ {{ 1, 0, 0 }}, {{ 0, 1, 0 }}, {{ 0, 0, 1 }} }} do
          across[i] = retake.mesh.grid{{ size = 1e-3, vertices = {{ 2, 2 }}, normal = normal }}
        end
        local pieces = {{}}
        for i = 0, {PLACES} - 1 do
          for _, y in ipairs {{ 0, {apart} }} do
            local place = {{ i % 10 * 2.9, i // 10 % 10 * 3.1 + y, i // 100 * 3.7 }}
            for k = 1, 3 do pieces[#pieces + 1] = across[k]:moved{{ translate = place }} end
          end
        end
        shot:cloth{{ mesh = retake.mesh.join(pieces), collides = false, material = retake.material.membrane{{ density = 0.2 }} }}
        shot:wind{{ velocity = {{ {mean}, 0, 0 }}, turbulence = {turbulence}, gust_size = {size}, viscosity = 1e-6 }}"
    );
    let scene = scene(&text);
    let mut simulation = start(&scene);
    let before = positions(&simulation, 0);
    run(&mut simulation, 2);
    let after = positions(&simulation, 0);
    // Of each piece the way along its normal: three of them are one place.
    let way = |piece: usize| {
        (4 * piece..4 * piece + 4).map(|i| (after[i] - before[i])[piece % 3]).sum::<f64>() / 4.0
    };
    let ways: Vec<DVec3> =
        (0..2 * PLACES).map(|p| DVec3::new(way(3 * p), way(3 * p + 1), way(3 * p + 2))).collect();
    let steady = ways.iter().map(|w| w.x).sum::<f64>() / ways.len() as f64;
    let gust = |p: usize| ways[p] * (mean / steady) - DVec3::X * mean;
    let square = (0..2 * PLACES).map(|p| gust(p).length_squared()).sum::<f64>() / ways.len() as f64;
    let alike = (0..PLACES).map(|p| gust(2 * p).dot(gust(2 * p + 1))).sum::<f64>() / PLACES as f64;
    let (mut of_waves, mut all) = (0.0, 0.0);
    for m in 0..1000 {
        let part = (f64::from(m) + 0.5) / 1000.0;
        let turned = 2.0 * std::f64::consts::PI / size * libm::exp2(3.0 * part) * apart;
        let share = libm::exp2(-2.0 * part);
        of_waves += share * libm::sin(turned) / turned;
        all += share;
    }
    let off = 3.0 / libm::sqrt(PLACES as f64);
    let (rms, alike, expected) = (square.sqrt() / mean, alike / square, of_waves / all);
    println!(
        "validation: gusts: {rms:.3} of the wind, alike by {alike:.3}, waves say {expected:.3}"
    );
    assert!((rms / turbulence - 1.0).abs() < 0.5 * off, "{rms} of the wind");
    assert!((alike - expected).abs() < off, "alike by {alike}, waves say {expected}");
}

/// A small sheet far from the place of a field gains its acceleration times the time, up to the hundredth
/// at which linear solves stop and another where the field's core of 5 cm and its way are felt.
#[test]
fn fields_push_as_they_say() {
    let velocity = |field: &str| {
        let text = format!(
            "local shot = retake.shot{{ name = 'field', duration = 1, gravity = {{ 0, 0, 0 }} }}
            shot:cloth{{ mesh = retake.mesh.grid{{ size = 0.02, vertices = {{ 3, 3 }} }}, translate = {{ 3, 1, 0 }} }}
            {field}"
        );
        after(&text, 2).view().bodies[0].velocity
    };
    let t = 2.0 / 24.0;
    let close = |what: &str, found: DVec3, expected: DVec3| {
        assert!(
            found.distance(expected) < 0.02 * expected.length(),
            "{what}: {found}, not {expected}"
        );
    };
    let pull = velocity("shot:attractor{ center = { 1, 1, 0 }, strength = 3 }");
    close("attractor", pull, DVec3::new(-3.0 * t, 0.0, 0.0));
    let fading = velocity("shot:attractor{ center = { 1, 1, 0 }, strength = -4, falloff = 2 }");
    close("falloff", fading, DVec3::new(t, 0.0, 0.0));
    let swirl = velocity("shot:vortex{ axis = { 0, 2, 0 }, strength = 2, center = { 1, 5, 0 } }");
    close("vortex", swirl, DVec3::new(0.0, 0.0, -2.0 * t));
}
