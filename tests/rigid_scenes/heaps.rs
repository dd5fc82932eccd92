//! Heaps: many rigid bodies, whose contacts are swept over.

use crate::scripted::{after, frame, measured, on_threads, resumed, run, scene, start};
use crate::{lean, places, pose};
use glam::DVec3;
use retake::production::certificate::check_frame;
use retake::scene::Scene;
use retake::sim::Simulation;

/// Balls, boxes and stones that strike each other in a bowl at once: an iterate that throws them across the scene is not
/// followed there. A frame takes some hundredths of a second; with all pairs on such ways it was fifteen.
#[test]
fn pieces_that_strike_at_once_cost_no_more_than_others() {
    let scene = scene(
        "local shot = retake.shot{ name = 'bowl', duration = 1 }
        shot:collisions{ friction = 0.4 }
        shot:ground{}
        local outline = {}
        for side, radius in ipairs{ 0.25, 0.27 } do
          for k = 0, 12 do
            local a = math.pi / 2 * (side == 1 and k or 12 - k) / 12
            outline[#outline + 1] = { radius * math.sin(a), 0.3 - radius * math.cos(a) }
          end
        end
        shot:collider{ mesh = retake.mesh.lathe{ profile = outline, segments = 32 } }
        local dice = retake.random{ name = 'stones', seed = 4 }
        local dents = { dice:direction(), dice:direction(), dice:direction() }
        local stone = retake.mesh.sphere{ radius = 0.04, subdivisions = 1 }:displaced(function(p)
          local f = 1
          for _, d in ipairs(dents) do f = f - 0.25 * math.max(0, (p.x * d[1] + p.y * d[2] + p.z * d[3]) / 0.04 - 0.3) end
          return p.x * f, p.y * f, p.z * f
        end)
        local shapes = { retake.mesh.sphere{ radius = 0.03, subdivisions = 2 }, retake.mesh.box{ size = { 0.06, 0.04, 0.05 } }, stone }
        local places = retake.scatter{ meshes = shapes, count = 30, gap = 0.004, seed = 3, inside = { { -0.13, 0.2, -0.13 }, { 0.13, 0.95, 0.13 } } }
        for i, at in ipairs(places) do
          if i == 21 or i == 22 or i >= 25 then
            shot:rigid{ mesh = at.mesh, collision = i % 3 == 0 and 'hull' or nil, density = 600, translate = at.translate, rotate = at.rotate }
          end
        end",
    );
    let mut simulation = start(&scene);
    let clock = std::time::Instant::now();
    run(&mut simulation, 12);
    assert!(clock.elapsed().as_secs_f64() < 4.0, "{:?} for half a second", clock.elapsed());
}

/// Cubes and wedges of a hull fall into a bin, each turned.
fn bin() -> Scene {
    scene(
        "local shot = retake.shot{ name = 'heap', duration = 3 }
        shot:collisions{ friction = 0.5 }
        shot:collider{ mesh = retake.mesh.box{ size = { 1.9, 2.4, 1.9 }, open = 'top', wall = 0.1 }, translate = { 0, 1.2, 0 } }
        local cube, ball = retake.mesh.box{ size = 0.2 }, retake.mesh.sphere{ radius = 0.11, subdivisions = 1 }
        local chance = retake.random{ name = 'turns' }
        for i = 0, 79 do
          local x, y, z = i % 4, i // 16, i // 4 % 4
          shot:rigid{ mesh = i % 3 == 0 and ball or cube, density = 500, rotate = chance:rotation(),
            translate = { 0.38 * (x - 1.5), 0.4 + 0.38 * y, 0.38 * (z - 1.5) } }
        end",
    )
}

/// Kinetic and potential energy of the free bodies, all of one mass: over that mass, without spin [m2/s2].
fn energy(simulation: &Simulation, before: &[DVec3], dt: f64) -> f64 {
    let now = places(simulation, 1..81);
    let of = |(p, q): (&DVec3, &DVec3)| 0.5 * ((*p - *q) / dt).length_squared() + 9.81 * p.y;
    now.iter().zip(before).map(of).sum()
}

#[test]
fn nothing_crosses_in_a_bin_and_energy_goes_down() {
    let scene = bin();
    let mut simulation = start(&scene);
    run(&mut simulation, 1);
    let mut last = f64::INFINITY;
    for shot in 0..71 {
        let before = places(&simulation, 1..81);
        run(&mut simulation, 1);
        let found = check_frame(&scene, &frame(&scene, &simulation));
        assert!(found.is_empty(), "frame {shot}: {found:?}");
        let energy = energy(&simulation, &before, 1.0 / 24.0);
        // What spins may turn into what goes, but what 80 pieces lose by landing is more.
        assert!(energy < last + 0.5, "frame {shot}: {energy} after {last}");
        last = energy;
    }
    let before = places(&simulation, 1..81);
    run(&mut simulation, 1);
    let now = places(&simulation, 1..81);
    let way: f64 = now.iter().zip(&before).map(|(p, q)| p.distance(*q)).sum();
    let mean = way / 80.0 * 24.0;
    assert!(mean < 0.02, "{mean} m/s in the mean after 3 s");
}

#[test]
fn any_number_of_threads_gives_the_same_bytes_and_so_does_a_restart() {
    let scene = bin();
    let hash = || resumed(&scene, 9, 5).state_hash();
    let hashes = [1, 2, 3, 8].map(|threads| on_threads(threads, hash));
    assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{hashes:?}");
}

/// Free flight in one region with a heap's worth of bodies: a parabola, a spin that stays.
#[test]
fn what_touches_nothing_flies() {
    let text = "local shot = retake.shot{ name = 'flight', duration = 2 }
        shot:solver{ regions = false }
        for i = 1, 70 do
          shot:rigid{ mesh = retake.mesh.box{ size = 0.1 }, translate = { i, 0, 0 }, velocity = { 0, 2, 1 }, spin = { 0, 90, 0 } }
        end";
    let simulation = after(text, 24);
    for i in 0..70 {
        let (place, turn) = pose(&simulation, i);
        let expected = DVec3::new(i as f64 + 1.0, 2.0 - 0.5 * 9.81, 1.0);
        assert!(place.distance(expected) < 1e-9, "{place}, {expected}");
        assert!((turn * DVec3::X).distance(DVec3::NEG_Z) < 1e-9, "{turn}");
    }
}

/// Seventy blocks side by side on a slope of 20 degrees: with a friction of 0.45 they stay, with 0.3 they slide by
/// `g (sin - mu cos) t^2 / 2`. The first tenth of a second they land from their contact distance.
#[test]
fn blocks_on_a_slope_stick_or_slide() {
    for friction in [0.45, 0.3] {
        let text = format!(
            "local shot = retake.shot{{ name = 'slope', duration = 2, gravity = {{ 9.81 * math.sin(math.rad(20)), -9.81 * math.cos(math.rad(20)), 0 }} }}
            shot:solver{{ regions = false }}
            shot:collisions{{ friction = {friction} }}
            shot:collider{{ mesh = retake.mesh.box{{ size = {{ 8, 1, 8 }} }}, translate = {{ 0, -0.5, 0 }} }}
            for i = 0, 69 do
              shot:rigid{{ mesh = retake.mesh.box{{ size = {{ 0.3, 0.1, 0.2 }} }}, density = 500, translate = {{ i % 5 - 3, 0.05016, (i // 5 - 7) / 2 }} }}
            end"
        );
        let mut simulation = start(&scene(&text));
        run(&mut simulation, 4);
        let begin = places(&simulation, 1..71);
        run(&mut simulation, 12);
        let middle = places(&simulation, 1..71);
        run(&mut simulation, 12);
        let end = places(&simulation, 1..71);
        let slope = 20f64.to_radians();
        let pull = 9.81 * (libm::sin(slope) - friction * libm::cos(slope));
        for i in 0..70 {
            if friction > 0.4 {
                assert!(end[i].distance(begin[i]) < 1e-4, "{i}: {}", end[i] - begin[i]);
                continue;
            }
            let found = ((end[i] - middle[i]) - (middle[i] - begin[i])).x / 0.25;
            if i == 0 {
                measured("heap: acceleration on a slope", found, pull);
            }
            assert!((found / pull - 1.0).abs() < 0.01, "{i}: {found} in place of {pull}");
        }
    }
}

/// A wall of nine rows of eight bricks in bond stands for five seconds.
#[test]
#[allow(clippy::print_stdout, reason = "shown where a test is run with its output")]
fn a_wall_stands() {
    let text = "local shot = retake.shot{ name = 'wall', duration = 6 }
        shot:ground{ height = 0 }
        for row = 0, 8 do
          for k = 0, 7 do
            shot:rigid{ mesh = retake.mesh.box{ size = { 0.24, 0.1, 0.12 } }, density = 1800, translate = { 0.2404 * (k + 0.5 * (row % 2)), 0.0502 + 0.1002 * row, 0 } }
          end
        end";
    let begin = places(&start(&scene(text)), 1..73);
    let simulation = after(text, 120);
    let off = |(p, q): (&DVec3, &DVec3)| p.distance(*q);
    let moved = places(&simulation, 1..73).iter().zip(&begin).map(off).fold(0.0, f64::max);
    let leans = (1..73).map(|i| lean(&simulation, i)).fold(0.0, f64::max);
    let fastest = simulation.report().fastest;
    println!(
        "validation: wall of 72 bricks after 5 s: {moved:.2e} m, {leans:.2e} degrees, {fastest:.1e} m/s"
    );
    // Nine layers sink by a fifth of their contact distance each, and by what they stood apart.
    assert!(moved < 9.0 * 2e-4, "{moved} m");
    assert!(leans < 0.05, "{leans} degrees");
    assert!(fastest < 1e-3, "{fastest} m/s");
}

/// Seventy dominoes in a row, of which `lean` turns the first [degrees].
fn dominoes(lean: f64) -> Scene {
    scene(&format!(
        "local shot = retake.shot{{ name = 'dominoes', duration = 6 }}
        shot:collisions{{ friction = 0.4 }}
        shot:ground{{ height = 0 }}
        for i = 0, 69 do
          local lean = i == 0 and math.rad({lean}) or 0
          local up = 0.05 * math.cos(lean) + 0.006 * math.sin(lean)
          shot:rigid{{ mesh = retake.mesh.box{{ size = {{ 0.012, 0.1, 0.05 }} }}, density = 600, translate = {{ 0.05 * i, up + 0.0002, 0 }}, rotate = {{ 0, 0, -math.deg(lean) }} }}
        end"
    ))
}

/// The corners of a slender block answer each other's impulses almost alike: what is done at one is undone at the next.
#[test]
fn slender_blocks_come_to_rest() {
    let scene = dominoes(0.0);
    let mut simulation = start(&scene);
    run(&mut simulation, 5);
    let fastest = simulation.report().fastest;
    assert!(fastest < scene.solver.accuracy, "{fastest} m/s");
    run(&mut simulation, 3);
    assert_eq!(simulation.report().steps, 0);
}

/// Most dominoes of a row that is a heap at first rest before the wave comes, and few move at once: they still move as a
/// heap does, so that those that have fallen come to rest beside the others; also after a stop.
#[test]
fn what_comes_from_a_heap_moves_as_one() {
    let scene = dominoes(14.0);
    let mut simulation = start(&scene);
    run(&mut simulation, 48);
    let report = simulation.report();
    let moving: Vec<_> = report.regions.iter().filter(|region| region.steps > 0).collect();
    let bodies: usize = moving.iter().map(|region| region.bodies.len()).sum();
    assert!((5..40).contains(&bodies), "{bodies} move");
    // A heap takes one iteration a substep.
    let attempts: u32 = moving.iter().map(|region| region.steps + region.retakes).sum();
    assert!(report.effort.iterations <= attempts, "{} in {attempts}", report.effort.iterations);
    let hash = simulation.state_hash();
    let again =
        [1, 2, 3].map(|threads| on_threads(threads, || resumed(&scene, 30, 18).state_hash()));
    assert!(again.iter().all(|again| *again == hash), "{hash:?}, {again:?}");
    run(&mut simulation, 70);
    let fallen = (1..71).filter(|i| lean(&simulation, *i) > 45.0).count();
    assert!(fallen > 60 && simulation.report().steps == 0, "{fallen} have fallen");
}

/// Far from the origin frames tell places apart less well, and bodies must stay farther apart, beyond the contact distance
/// that they have elsewhere: they come to rest on each other all the same, few that are solved and many that are a heap.
#[test]
fn what_is_far_from_the_origin_comes_to_rest() {
    for (count, far) in [(25, 100), (25, 1000), (80, 1000)] {
        let text = format!(
            "local shot = retake.shot{{ name = 'far', duration = 2 }}
            shot:collider{{ mesh = retake.mesh.box{{ size = {{ 10, 1, 10 }} }}, translate = {{ {far}, -0.5, 0 }} }}
            for i = 0, {count} - 1 do
              local x, y, z = i % 5, i // 25, i // 5 % 5
              shot:rigid{{ mesh = retake.mesh.box{{ size = 0.2 }}, density = 500, translate = {{ {far} + 0.25 * x, 0.15 + 0.25 * y, 0.25 * z }} }}
            end"
        );
        let simulation = after(&text, 24);
        let report = simulation.report();
        assert!(report.steps == 0, "{count} at {far} m: {} m/s", report.fastest);
        assert!((1..=count).all(|i| lean(&simulation, i) < 0.1));
    }
}
