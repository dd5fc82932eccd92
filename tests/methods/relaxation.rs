//! Relaxation (Jakobsen 2001; Matos 2025): links, what is made of them, and contacts by projection. Rows
//! as in `scenes/theses/README.md`.

use crate::scripted::{after, near, resumed, run, scene, start};
use crate::{farthest, positions};
use glam::DVec3;
use retake::math::rotation;
use retake::sim::{BodyPose, Simulation};

fn body(simulation: &Simulation, index: usize) -> Vec<DVec3> {
    match simulation.body(index) {
        BodyPose::Deformed(positions) => positions.to_vec(),
        BodyPose::Posed(..) => panic!("not made of points"),
    }
}

/// Angular momentum of points of equal mass about the origin, by the difference of two frames `dt` apart.
fn angular(before: &[DVec3], x: &[DVec3], dt: f64) -> DVec3 {
    let pairs = before.iter().zip(x);
    pairs.map(|(b, x)| ((*b + *x) * 0.5).cross((*x - *b) / dt)).sum()
}

/// M-06: a state of places alone falls as one with velocities.
#[test]
fn places_alone_fall_as_places_and_velocities_do() {
    let fallen = |method: &str| {
        let script = format!(
            "local shot = retake.shot{{ name = \"f\", fps = 10, frames = 10 }}
             shot:cloth{{ name = \"c\", mesh = retake.mesh.grid{{ vertices = {{ 3, 3 }} }}, velocity = {{ 1, 5, 0 }},
               material = retake.material.springs{{ structural = 100, density = 1000, thickness = 1e-3 }} }}
             shot:solver{{ method = \"{method}\", fixed_step = 0.001, guard = \"off\" }}"
        );
        positions(&after(&script, 10))
    };
    let (places, velocities) = (fallen("relaxation"), fallen("symplectic_euler"));
    // Rounding of a thousand steps, which a velocity as a difference of places keeps.
    assert!(farthest(&places, &velocities) < 1e-9, "{}", farthest(&places, &velocities));
}

/// M-09: a pendulum of one segment that is pinned at one end keeps its length within a thousandth, and its
/// swing of 90 degrees takes 1.18 times that of a small one: 1.18034 x 2 pi sqrt(l / g) (an elliptic integral).
#[test]
fn a_pendulum_keeps_its_length() {
    let script = "
      local shot = retake.shot{ name = \"p\", fps = 100, frames = 300 }
      local rod = shot:rope{ name = \"rod\", bend = 0, collides = false,
        mesh = retake.mesh.rope{ from = { 0, 0, 0 }, to = { 1, 0, 0 }, segments = 1 } }
      shot:pin{ points = rod:vertices{ 0 } }
      shot:solver{ method = \"relaxation\", fixed_step = 1 / 6000, guard = \"off\" }";
    let mut simulation = start(&scene(script));
    let (mut longest, mut back, mut before) = (0.0f64, None, f64::MAX);
    for frame in 1..=300 {
        run(&mut simulation, 1);
        let x = positions(&simulation);
        longest = longest.max((x[0].distance(x[1]) - 1.0).abs());
        // It is highest on the other side after half a period.
        if back.is_none() && x[1].x < 0.0 && x[1].y > -0.5 && x[1].y < before {
            back = Some(f64::from(frame - 1) / 100.0);
        }
        before = x[1].y;
    }
    assert!(longest < 1e-3, "{longest}");
    let period = 1.18034 * 2.0 * std::f64::consts::PI * (1.0 / 9.81f64).sqrt();
    // The frame before the first that is lower again.
    near("half a period", back.expect("it swings"), 0.5 * period, 0.02);
}

/// A chain of two segments by a shared point, or of two ropes whose ends are held in one place.
fn chain(shared: bool) -> String {
    let chain = if shared {
        "local all = shot:rope{ name = \"a\", bend = 0, collides = false,
           mesh = retake.mesh.rope{ path = { { 0, 0, 0 }, { 0.5, 0, 0 }, { 1, 0, 0 } } } }
         shot:pin{ points = all:vertices{ 0 } }"
    } else {
        "local function part(name, from, to)
           return shot:rope{ name = name, bend = 0, collides = false,
             mesh = retake.mesh.rope{ from = { from, 0, 0 }, to = { to, 0, 0 }, segments = 1 } }
         end
         local a, b = part(\"a\", 0, 0.5), part(\"b\", 0.5, 1)
         shot:pin{ points = a:vertices{ 0 } }
         shot:joint{ kind = \"distance\", a = a:point{ 0.5, 0, 0 }, b = b:point{ 0.5, 0, 0 }, length = 0 }"
    };
    format!(
        "local shot = retake.shot{{ name = \"h\", fps = 50, frames = 50 }}
         {chain}
         shot:solver{{ method = \"relaxation\", fixed_step = 0.001, iterations = 100, guard = \"off\" }}"
    )
}

/// M-10: a hinge by a shared point and one by a distance of 0 swing alike.
#[test]
fn both_forms_of_a_hinge_swing_alike() {
    let (mut shared, mut held) = (start(&scene(&chain(true))), start(&scene(&chain(false))));
    let mut most = 0.0f64;
    for _ in 0..50 {
        run(&mut shared, 1);
        run(&mut held, 1);
        let (x, y) = (body(&shared, 0), [body(&held, 0), body(&held, 1)].concat());
        most = most.max(x[1].distance(y[1])).max(x[1].distance(y[2])).max(x[2].distance(y[3]));
    }
    assert!(most < 1e-3, "{most}");
}

/// M-11: a knee with a least distance of its two ends does not close below its angle; without, it does.
#[test]
fn a_knee_keeps_its_angle() {
    let closed = |limit: &str| {
        let script = format!(
            "local shot = retake.shot{{ name = \"k\", fps = 50, frames = 50, gravity = {{ 0, 0, 0 }} }}
             local leg = shot:rope{{ name = \"leg\", bend = 0, collides = false,
               mesh = retake.mesh.rope{{ path = {{ {{ 0, 1, 0 }}, {{ 0, 0.5, 0 }}, {{ 0.1, 0, 0 }} }} }} }}
             shot:pin{{ points = leg:vertices{{ 0, 1 }} }}
             {limit}
             shot:force{{ field = function(p) return 20 * (0.5 - p.y), 20 * p.x, 0 end, per = \"mass\" }}
             shot:solver{{ method = \"relaxation\", fixed_step = 0.001, guard = \"off\" }}"
        );
        let mut simulation = start(&scene(&script));
        let mut least = f64::MAX;
        for _ in 0..50 {
            run(&mut simulation, 1);
            let x = positions(&simulation);
            least = least.min(rotation::angle_between(x[0] - x[1], x[2] - x[1]).to_degrees());
        }
        least
    };
    let limit =
        "shot:joint{ kind = \"distance\", a = leg:point{ 0, 1, 0 }, b = leg:point{ 0.1, 0, 0 },
        limits = { 0.6, 2 } }";
    // The shin is the root of 0.26 long.
    let (thigh, shin) = (0.5f64, 0.26f64.sqrt());
    let cosine = (thigh * thigh + shin * shin - 0.36) / (2.0 * thigh * shin);
    let angle = libm::acos(cosine).to_degrees();
    let (with, without) = (closed(limit), closed(""));
    assert!(with > angle - 0.01, "{with}, not {angle}");
    assert!(with < angle + 1.0, "it never gets there: {with}, {angle}");
    assert!(without < angle - 20.0, "{without}");
}

/// A stiff sheet of 10 x 10 points that hangs by two corners for a second: largest residual of the last
/// frame [m/s] and largest stretch.
fn hanging(passes: u32, relaxation: f64) -> (f64, f64) {
    let script = format!(
        "local shot = retake.shot{{ name = \"h\", fps = 10, frames = 10 }}
         local cloth = shot:cloth{{ name = \"c\", mesh = retake.mesh.grid{{ vertices = {{ 10, 10 }} }},
           material = retake.material.springs{{ structural = 1e5, shear = 1e4, structural_damping = 1, unilateral = false,
           density = 300, thickness = 1e-3 }} }}
         shot:pin{{ points = cloth:corner \"top-left\" + cloth:corner \"top-right\" }}
         shot:collisions{{ self = false }}
         shot:solver{{ method = \"relaxation\", fixed_step = 1 / 240, iterations = {passes}, relaxation = {relaxation},
           guard = \"off\" }}"
    );
    let simulation = after(&script, 10);
    (simulation.report().effort.residual, simulation.report().max_stretch)
}

/// M-05 and M-12: more passes leave less to do, and stretch less; M-18: one pass is a cheap cloth.
#[test]
fn more_passes_leave_less_to_do() {
    let all: Vec<(f64, f64)> = [1, 4, 16, 64, 256].map(|n| hanging(n, 1.0)).into();
    for pair in all.windows(2) {
        assert!(pair[1].0 < pair[0].0 && pair[1].1 < pair[0].1, "{all:?}");
    }
    println!("residual and stretch by passes: {all:?}");
    assert!(all[4].0 < 0.02 * all[0].0 && all[4].1 < 0.01, "{all:?}");
    // M-13: a smaller part of the way in each pass is a softer cloth.
    assert!(hanging(1, 0.3).1 > 1.5 * all[0].1, "{:?} {all:?}", hanging(1, 0.3));
}

/// M-15: a square of 4 points, 4 edges and 2 braces tumbles as one. Momentum is kept to rounding; angular
/// momentum is that of implicit Euler for what the square does to turn: it loses a part that goes with the
/// step.
#[test]
fn a_braced_square_tumbles() {
    let tumbled = |step: f64| {
        let script = format!(
            "local shot = retake.shot{{ name = \"s\", fps = 24, frames = 48, gravity = {{ 0, 0, 0 }} }}
             shot:cloth{{ name = \"c\", mesh = retake.mesh.grid{{ vertices = {{ 2, 2 }} }}, velocity = {{ 1, 0, 0 }},
               spin = {{ 90, 40, 10 }}, material = retake.material.springs{{ structural = 1e7, shear = 1e7, unilateral = false,
               density = 1000, thickness = 4e-3 }} }}
             shot:solver{{ method = \"relaxation\", fixed_step = {step}, guard = \"off\" }}"
        );
        let mut simulation = start(&scene(&script));
        let rest = positions(&simulation);
        let mut before = rest.clone();
        let (mut strained, mut first, mut last) = (0.0f64, DVec3::ZERO, DVec3::ZERO);
        for frame in 1..=48 {
            run(&mut simulation, 1);
            let x = positions(&simulation);
            for i in 0..4 {
                for j in i + 1..4 {
                    let length = rest[i].distance(rest[j]);
                    strained = strained.max((x[i].distance(x[j]) / length - 1.0).abs());
                }
            }
            let center = |x: &[DVec3]| x.iter().sum::<DVec3>() / 4.0;
            let about = |x: &[DVec3]| x.iter().map(|p| *p - center(x)).collect::<Vec<_>>();
            let now = angular(&about(&before), &about(&x), 1.0 / 24.0);
            if frame == 1 {
                first = now;
            }
            (last, before) = (now, x);
        }
        near("momentum", simulation.report().momentum[0], 4.0, 1e-9);
        (strained, first.distance(last) / first.length())
    };
    let (strained, drift) = tumbled(1.0 / 480.0);
    let (_, finer) = tumbled(1.0 / 960.0);
    println!("strain {strained}, angular drift {drift}, with half the step {finer}");
    assert!(strained < 1e-3, "{strained}");
    assert!(drift < 0.05 && finer < 0.6 * drift, "{drift} {finer}");
}

/// M-03 and M-16: a soft cube is squashed where it lands, and gets its height back; a second one comes to
/// lie on it, and neither goes through the floor.
#[test]
fn soft_cubes_squash_recover_and_stack() {
    let script = "
      local shot = retake.shot{ name = \"q\", fps = 24, frames = 96 }
      shot:ground{}
      for i = 0, 1 do
        shot:soft{ name = \"cube\" .. i, mesh = retake.mesh.tet_box{ size = 0.2, cells = 3 }, translate = { 0, 0.25 + 0.3 * i, 0 },
          material = retake.material.soft{ young = 6e4, poisson = 0.25, damping = 0.01 } }
      end
      shot:solver{ method = \"relaxation\", fixed_step = 1 / 960, guard = \"report\" }";
    let scene = scene(script);
    let said: Vec<String> = scene.validate().iter().map(ToString::to_string).collect();
    assert!(said.is_empty(), "{said:?}");
    let mut simulation = start(&scene);
    let height = |simulation: &Simulation, index: usize| {
        let x = body(simulation, index);
        let low = x.iter().fold(f64::MAX, |m, p| m.min(p.y));
        (low, x.iter().fold(f64::MIN, |m, p| m.max(p.y)) - low)
    };
    let (mut lowest, mut squashed) = (f64::MAX, f64::MAX);
    for _ in 0..96 {
        run(&mut simulation, 1);
        for index in [1, 2] {
            lowest = lowest.min(height(&simulation, index).0);
            squashed = squashed.min(height(&simulation, index).1);
        }
    }
    let (end, upper) = (height(&simulation, 1), height(&simulation, 2));
    println!(
        "squashed to {squashed}, ends {end:?} {upper:?}, fastest {}",
        simulation.report().fastest
    );
    assert!(lowest > 0.0, "{lowest}");
    assert!(squashed < 0.19, "{squashed}");
    // Under its own weight and that of the other: 1.5 rho g l / E = 5 % of its height, and 1.6 %.
    assert!(end.1 > 0.188 && upper.1 > 0.196, "{end:?} {upper:?}");
    assert!((upper.0 - end.1).abs() < 0.01, "{upper:?} on {end:?}");
    assert!(simulation.report().fastest < 0.05, "{}", simulation.report().fastest);
}

/// Edges carry Young's modulus and the Poisson ratio 1/4: a bar that hangs from its end is longer by rho g
/// l^2 / 2 E. The network of the cells is not even in all directions.
#[test]
fn a_hanging_bar_is_as_long_as_its_young_modulus_says() {
    let script = "
      local shot = retake.shot{ name = \"b\", fps = 10, frames = 30 }
      local bar = shot:soft{ name = \"bar\", mesh = retake.mesh.tet_box{ size = { 0.2, 1, 0.2 }, cells = { 2, 10, 2 } },
        material = retake.material.soft{ young = 1e5, poisson = 0.25, density = 1000, damping = 0.1 } }
      shot:pin{ points = bar:where(function(p) return p.y > 0.49 end) }
      shot:solver{ method = \"relaxation\", fixed_step = 0.002, iterations = 100, guard = \"off\" }";
    let simulation = after(script, 30);
    let x = positions(&simulation);
    let lowest = x.iter().fold(f64::MAX, |m, p| m.min(p.y));
    println!("longer by {}", -0.5 - lowest);
    near("longer", -0.5 - lowest, 1000.0 * 9.81 / 2e5, 0.25);
}

/// M-30: edges stop edges. A rope falls across another that is held at its ends, and stays on it.
#[test]
fn ropes_that_cross_hold_each_other() {
    let script = "
      local shot = retake.shot{ name = \"x\", fps = 24, frames = 48 }
      local low = shot:rope{ name = \"low\", radius = 0.01,
        mesh = retake.mesh.rope{ from = { -0.5, 0, 0 }, to = { 0.5, 0, 0 }, segments = 5 } }
      local high = shot:rope{ name = \"high\", radius = 0.01,
        mesh = retake.mesh.rope{ from = { 0, 0.2, -0.5 }, to = { 0, 0.2, 0.5 }, segments = 5 } }
      shot:pin{ points = low:vertices{ 0, 5 } }
      shot:solver{ method = \"relaxation\", fixed_step = 1 / 480, guard = \"report\" }";
    let mut simulation = start(&scene(script));
    for frame in 1..=48 {
        run(&mut simulation, 1);
        let (low, high) = (body(&simulation, 0), body(&simulation, 1));
        let between = 0.5 * (high[2] + high[3]) - 0.5 * (low[2] + low[3]);
        assert!(between.y > 0.019, "frame {frame}: {between}");
        assert!(frame < 12 || between.y < 0.05, "frame {frame}: {between}");
    }
}

/// M-30: points meet edges. A rope comes down with its middle point on the upper edge of a prism.
#[test]
fn a_point_rests_on_an_edge() {
    let script = "
      local shot = retake.shot{ name = \"e\", fps = 24, frames = 36 }
      shot:collider{ name = \"prism\", mesh = retake.mesh.box{ size = 0.4 }, rotate = { 0, 0, 45 } }
      shot:rope{ name = \"rope\", radius = 0.01, friction = 0.5,
        mesh = retake.mesh.rope{ from = { -0.3, 0.4, 0 }, to = { 0.3, 0.4, 0 }, segments = 6 } }
      shot:solver{ method = \"relaxation\", fixed_step = 1 / 480, guard = \"report\" }";
    let mut simulation = start(&scene(script));
    let edge = 0.4 * 0.5f64.sqrt();
    for frame in 1..=36 {
        run(&mut simulation, 1);
        let middle = body(&simulation, 1)[3];
        assert!(middle.y > edge + 0.0095, "frame {frame}: {middle}");
        assert!(frame < 18 || middle.y < edge + 0.02, "frame {frame}: {middle}");
        assert!(simulation.report().events.is_empty() || frame > 1);
    }
}

/// A tower of cloth, rope and soft body goes on to the bit from a saved state.
#[test]
fn what_touches_goes_on_to_the_bit() {
    let script = "
      local shot = retake.shot{ name = \"r\", fps = 24, frames = 12 }
      shot:ground{}
      shot:soft{ name = \"cube\", mesh = retake.mesh.tet_box{ size = 0.2, cells = 2 }, translate = { 0, 0.11, 0 },
        material = retake.material.soft{ young = 3e4, poisson = 0.25 } }
      shot:cloth{ name = \"cloth\", mesh = retake.mesh.grid{ size = 0.5, vertices = { 9, 9 }, normal = { 0, 1, 0 } }, translate = { 0, 0.25, 0 },
        material = retake.material.springs{ structural = 500, shear = 50, bend = 1, density = 300, thickness = 1e-3 } }
      shot:solver{ method = \"relaxation\", fixed_step = 1 / 480, guard = \"report\" }";
    let scene = scene(script);
    let end = resumed(&scene, 5, 7);
    assert!(end.report().touches.iter().any(|t| t.0 != t.1), "nothing touched");
    assert!(end.report().effort.candidates > 0);
}

/// M-04 and M-17: many constraints and many bodies at once. Joints hold, limbs keep their lengths, elbows and
/// knees their least angles, and nothing is below the floor.
#[test]
fn a_rag_doll_of_links_falls() {
    let mut simulation = start(&crate::thesis("matos/rag_doll", &[]));
    let limbs: Vec<usize> = (0..simulation.view().bodies.len())
        .filter(|i| matches!(simulation.body(*i), BodyPose::Deformed(x) if x.len() == 3))
        .collect();
    assert_eq!(limbs.len(), 4);
    let rods = |simulation: &Simulation, limb: usize| {
        let x = body(simulation, limb);
        [x[0].distance(x[1]), x[1].distance(x[2]), x[0].distance(x[2])]
    };
    let rest: Vec<[f64; 3]> = limbs.iter().map(|i| rods(&simulation, *i)).collect();
    let mut folded = f64::MAX;
    for frame in 1..=48 {
        run(&mut simulation, 1);
        for (limb, rest) in limbs.iter().zip(&rest) {
            let now = rods(&simulation, *limb);
            let off = (0..2).map(|k| (now[k] / rest[k] - 1.0).abs()).fold(0.0, f64::max);
            assert!(off < 0.01, "frame {frame}: a rod is off by {off}");
            folded = folded.min(now[2] / rest[2]);
        }
        let view = simulation.view();
        let apart = view.constraints.iter().map(|c| c.apart).fold(0.0, f64::max);
        assert!(apart < 5e-3, "frame {frame}: joints are {apart} m apart");
        assert!(view.bodies.iter().all(|b| b.bounds.0.y > -1e-6), "frame {frame}");
    }
    assert!((0.34..0.6).contains(&folded), "{folded}");
    assert!(simulation.report().fastest < 0.1, "{}", simulation.report().fastest);
}
