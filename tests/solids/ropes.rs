//! Ropes against closed forms: weight, bending, friction round a bar; and knots that hold.

use crate::scripted::{after, near, problem, run, scene, start};
use glam::DVec3;
use retake::sim::{BodyPose, Simulation};

fn line(simulation: &Simulation, body: usize) -> Vec<DVec3> {
    match simulation.body(body) {
        BodyPose::Deformed(positions) => positions.to_vec(),
        BodyPose::Posed(..) => panic!("not a rope"),
    }
}

/// A rope of weight w a metre that hangs straight is longer by `w L^2 / (2 EA)`: here by 2 cm of 2 m.
/// Half of the last segment's mass hangs at each of its ends, so that the sum over segments is the
/// integral to the order of one over the number of segments squared.
#[test]
fn a_hanging_rope_is_longer_by_its_weight() {
    let text = "local shot = retake.shot{ name = 'hang', duration = 8 }
        local line = shot:rope{ mesh = retake.mesh.rope{ from = { 0, 2, 0 }, to = { 0, 0, 0 }, segments = 40 },
          radius = 0.01, density = 1000, stretch = 308.19 }
        shot:pin{ points = line:vertices{ 0 } }
        shot:drag{ linear = 2 }";
    let simulation = after(text, 192);
    near("longer", -line(&simulation, 0)[40].y, 0.02, 0.01);
}

/// A chain of length 1.2 over a span of 1 sags by 0.29234 (catenary). It starts as a zigzag path of the
/// same length, and comes to rest by the drag.
#[test]
fn a_slack_rope_comes_to_hang_as_a_catenary() {
    let text = "local shot = retake.shot{ name = 'catenary', duration = 6 }
        local line = shot:rope{ mesh = retake.mesh.rope{ path = { { -0.5, 0, 0 }, { 0, -0.331662479, 0 }, { 0.5, 0, 0 } }, segments = 100 },
          radius = 0.004, density = 1000, stretch = 1e5, bend = 1e-7 }
        shot:pin{ points = line:vertices{ 0, 100 } }
        shot:drag{ linear = 4 }";
    let simulation = after(text, 144);
    let lowest = line(&simulation, 0).iter().map(|p| p.y).fold(0.0, f64::min);
    near("sag", -lowest, 0.29234, 0.005);
}

#[test]
fn a_rope_leads_along_a_path() {
    let head = "local shot = retake.shot{ name = 'a', duration = 1 }\n";
    let of = |path: &str| {
        scene(&format!("{head}shot:rope{{ mesh = retake.mesh.rope{{ path = {path} }} }}")).meshes
    };
    let list = "{ { 0, 0, 0 }, { 1, 0, 0 }, { 1, 1, 0 } }";
    assert_eq!(of(list), of(&format!("retake.path{list}")));
    let refused = |path: &str| problem(&format!("{head}retake.mesh.rope{{ path = {path} }}"));
    assert!(refused("{ { 0, 0, 0 }, 3 }").contains("place 2 of path must be {x, y, z}, not 3"));
    assert!(refused("7").contains("a path of `retake.path` or a list of places"));
}

/// The heavy elastica: a rod of length L clamped level, `G = w L^3 / EI`, ends lower by H and at W from
/// the clamp (Romero et al. 2021). The bend at a vertex stands for half a segment to each side, so the
/// clamp is in the middle of the held segment; what is left is of the order of (1 / 50)^2.
#[test]
fn a_heavy_rod_bends_as_the_elastica() {
    for (gamma, expected) in [(2.0, 0.2467), (10.0, 1.0668), (50.0, 3.7056)] {
        let text = format!(
            "local shot = retake.shot{{ name = 'elastica', duration = 6 }}
            local l = 1 / 50.5
            local rod = shot:rope{{ mesh = retake.mesh.rope{{ from = {{ -l / 2, 0, 0 }}, to = {{ 1, 0, 0 }}, segments = 51 }},
              radius = 0.01, density = 1000, stretch = 1e6, bend = {} }}
            shot:pin{{ points = rod:vertices{{ 0, 1 }} }}
            shot:drag{{ linear = 3 }}",
            0.001 * std::f64::consts::PI * 100.0 * 9.81 / gamma
        );
        let simulation = after(&text, 144);
        let tip = line(&simulation, 0)[51];
        near(&format!("H / W at {gamma}"), -tip.y / tip.x, expected, 0.02);
    }
}

/// A rope half round a fixed bar holds a weight by one `e^(pi mu)` = 2.566 times as heavy (capstan,
/// friction 0.3). The bar has 96 sides, whose corners take the turn in steps of 3.75 degrees: the same
/// exponential of the sum.
#[test]
fn a_rope_round_a_bar_holds_by_friction() {
    let moved = |ratio: f64| {
        let text = format!(
            "local shot = retake.shot{{ name = 'capstan', duration = 2 }}
            shot:collisions{{ friction = 0.3 }}
            local bar = shot:collider{{ name = 'bar', mesh = retake.mesh.cylinder{{ radius = 0.1, height = 0.4, segments = 96 }}, rotate = {{ 90, 0, 0 }} }}
            local r, path = 0.1102, {{}}
            for i = 0, 20 do path[#path + 1] = {{ -r, -0.4 + 0.02 * i, 0 }} end
            for i = 1, 31 do local a = math.pi * (1 - i / 32) path[#path + 1] = {{ r * math.cos(a), r * math.sin(a), 0 }} end
            for i = 0, 20 do path[#path + 1] = {{ r, -0.02 * i, 0 }} end
            local line = shot:rope{{ name = 'line', mesh = retake.mesh.rope{{ path = path }}, radius = 0.01, density = 50, stretch = 1e4, bend = 1e-5 }}
            local function weight(x, i, mass)
              local box = shot:rigid{{ mesh = retake.mesh.box{{ size = 0.1 }}, mass = mass, translate = {{ x, -0.47, 0 }} }}
              shot:attach{{ points = line:vertices{{ i }}, to = box }}
            end
            weight(-r, 0, 1)
            weight(r, 72, {ratio})"
        );
        let simulation = after(&text, 48);
        let x = line(&simulation, 1);
        x[0].y + 0.4
    };
    let (holds, slides) = (moved(2.4), moved(2.75));
    println!(
        "validation: capstan of a rope: holds 2.4 ({holds:.4} m), slides at 2.75 ({slides:.4} m)"
    );
    // What holds only settles: the rope stretches by 24 N over 10 kN, 2.4 mm of each metre.
    assert!(holds.abs() < 0.01, "2.4: {holds}");
    // It slides at less than g (m2 - m1 e^(pi mu)) / (m2 + m1 e^(pi mu)) = 0.34 m/s2: 0.68 m in 2 s.
    assert!(slides > 0.15 && slides < 0.68, "2.75: {slides}");
}

/// A rope of 3.6 m over three nails 3 m apart hangs between each two of them.
#[test]
fn a_longer_rope_hangs_along_its_path() {
    let scene = crate::scripted::scene(
        "local shot = retake.shot{ name = 'a', duration = 1 }
        shot:rope{ mesh = retake.mesh.rope{ path = { { 0, 0, 0 }, { 1, 0, 0 }, { 3, 0, 0 } }, length = 3.6, segments = 120 } }",
    );
    let lowest = |from: f64, to: f64| {
        let own = scene.mesh_of(0).positions.iter().filter(|p| (from..to).contains(&p.x));
        own.map(|p| p.y).fold(0.0, f64::min)
    };
    assert!((lowest(0.0, 1.0) + 0.292).abs() < 2e-3 && (lowest(1.0, 3.0) + 0.585).abs() < 2e-3);
    let found = crate::scripted::problem(
        "local shot = retake.shot{ name = 'a', duration = 1 }
        shot:rope{ mesh = retake.mesh.rope{ path = { { 0, 0, 0 }, { 1, 0, 0 }, { 3, 0, 0 } }, length = 2 } }",
    );
    assert!(found.contains("`length` is 2 m, and the path is 3 m long"), "{found}");
}

/// A rope thrown at 12 m/s across a taut one, a radius every half millisecond, stays on its side and no nearer to it than
/// three quarters of both radii, until it has slid off.
#[test]
fn a_thrown_rope_stays_on_its_side_of_another() {
    let scene = scene(
        "local shot = retake.shot{ name = 'ropes', duration = 2 }
        local line = shot:rope{ mesh = retake.mesh.rope{ from = { -0.5, 0, 0.01 }, to = { 0.5, 0, 0.01 }, segments = 20 }, radius = 0.006, stretch = 2e4 }
        shot:pin{ points = line:vertices{ 0, 20 } }
        shot:rope{ mesh = retake.mesh.rope{ from = { 0.02, 0.3, -0.3 }, to = { 0.03, 0.32, 0.3 }, segments = 24 }, radius = 0.006, velocity = { 0, -12, 0 } }
        shot:drag{ linear = 0.5 }",
    );
    let mut simulation = start(&scene);
    let mut touched = false;
    for _ in 0..48 {
        run(&mut simulation, 1);
        let (one, other) = (line(&simulation, 0), line(&simulation, 1));
        let mut nearest = f64::INFINITY;
        for a in one.windows(2) {
            for b in other.windows(2) {
                nearest = nearest.min(apart([a[0], a[1]], [b[0], b[1]]));
            }
        }
        assert!(nearest > 0.75 * 0.012, "{nearest}");
        touched |= nearest < 0.013;
        // Seen from above it crosses the taut one, over it, though its ends swing on and below it. Its last end slips over
        // in frame 18 or later.
        if simulation.frame() <= 16 {
            let pairs = one.windows(2).flat_map(|a| other.windows(2).map(move |b| (a, b)));
            let over = pairs.filter_map(|(a, b)| height_above([a[0], a[1]], [b[0], b[1]]));
            assert!(over.fold(f64::MIN, f64::max) > 0.75 * 0.012);
        }
    }
    assert!(touched);
}

/// How far two segments are from each other [m]: the nearest of places a hundredth apart on one and the other.
fn apart(a: [DVec3; 2], b: [DVec3; 2]) -> f64 {
    let along = b[1] - b[0];
    let to = |p: DVec3| {
        let t = ((p - b[0]).dot(along) / along.length_squared()).clamp(0.0, 1.0);
        p.distance(b[0] + along * t)
    };
    (0..=100).map(|k| to(a[0].lerp(a[1], f64::from(k) / 100.0))).fold(f64::INFINITY, f64::min)
}

/// How much higher the second of two segments is where they cross as seen from above [m].
fn height_above(a: [DVec3; 2], b: [DVec3; 2]) -> Option<f64> {
    let (u, v, w) = (a[1] - a[0], b[1] - b[0], b[0] - a[0]);
    let across = u.x * v.z - u.z * v.x;
    let (s, t) = ((w.x * v.z - w.z * v.x) / across, (w.x * u.z - w.z * u.x) / across);
    let on = |k: f64| (0.0..=1.0).contains(&k);
    (on(s) && on(t)).then(|| b[0].lerp(b[1], t).y - a[0].lerp(a[1], s).y)
}
