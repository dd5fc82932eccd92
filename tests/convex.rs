//! Distances and depths of convex shapes (S-29, S-30, M-20 to M-25, M-31), and hulls (M-28): against answers by
//! trying everything, on shapes by chance and on those without a volume.
#![allow(missing_docs)]

#[path = "support/scripted.rs"]
mod scripted;

use glam::{DQuat, DVec3};
use retake::geometry::{Gap, closest_on_triangle, gap, hull};
use retake::math::rotation;
use retake::sim::{BodyPose, Simulation};

struct Chance(u64);

impl Chance {
    /// Between -1 and 1.
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as f64 / (1u64 << 30) as f64 - 1.0
    }

    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.next(), self.next(), self.next())
    }

    fn turn(&mut self) -> DQuat {
        rotation::from_scaled_axis(self.vector() * std::f64::consts::PI)
    }
}

fn triples(points: &[DVec3]) -> Vec<[DVec3; 3]> {
    let n = points.len();
    let mut all = Vec::new();
    for i in 0..n {
        for j in i..n {
            for k in j..n {
                all.push([points[i], points[j], points[k]]);
            }
        }
    }
    all
}

/// Distance of two line segments.
fn segments(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> f64 {
    let (u, v, w) = (b - a, d - c, a - c);
    let (uu, uv, vv) = (u.dot(u), u.dot(v), v.dot(v));
    let clamp = |x: f64| if x.is_finite() { x.clamp(0.0, 1.0) } else { 0.0 };
    let determinant = uu * vv - uv * uv;
    let mut best = f64::MAX;
    let mut look = |s: f64, t: f64| best = best.min((w + u * s - v * t).length());
    if determinant > 0.0 {
        let s = clamp((uv * v.dot(w) - vv * u.dot(w)) / determinant);
        let t = clamp((v.dot(w) + uv * s) / vv);
        look(s, t);
        look(clamp((uv * t - u.dot(w)) / uu), t);
    }
    for t in [0.0, 1.0] {
        look(clamp((uv * t - u.dot(w)) / uu), t);
    }
    for s in [0.0, 1.0] {
        look(s, clamp((v.dot(w) + uv * s) / vv));
    }
    best
}

/// Distance of two shapes that do not overlap: the least of all their points from triangles of the other, and of
/// all their lines.
fn brute_distance(a: &[DVec3], b: &[DVec3]) -> f64 {
    let mut best = f64::MAX;
    for (from, to) in [(a, b), (b, a)] {
        for [x, y, z] in triples(to) {
            for p in from {
                let w = closest_on_triangle(*p, x, y, z);
                best = best.min(p.distance(x * w[0] + y * w[1] + z * w[2]));
            }
        }
    }
    for [p, q, _] in triples(a) {
        for [r, s, _] in triples(b) {
            best = best.min(segments(p, q, r, s));
        }
    }
    best
}

/// Least overlap over the axes of the separating axis test: normals of all triangles of points of each, and
/// the cross products of all lines of both. Negative where an axis separates them.
fn brute_overlap(a: &[DVec3], b: &[DVec3]) -> (f64, DVec3) {
    let mut axes = Vec::new();
    for points in [a, b] {
        axes.extend(triples(points).iter().map(|[x, y, z]| (*y - *x).cross(*z - *x)));
    }
    for (i, p) in a.iter().enumerate() {
        for q in &a[i + 1..] {
            for (j, r) in b.iter().enumerate() {
                axes.extend(b[j + 1..].iter().map(|s| (*q - *p).cross(*s - *r)));
            }
        }
    }
    let mut least = (f64::MAX, DVec3::ZERO);
    for axis in axes.into_iter().filter_map(DVec3::try_normalize) {
        let span = |points: &[DVec3]| {
            points.iter().fold((f64::MAX, f64::MIN), |(low, high), p| {
                let along = axis.dot(*p);
                (low.min(along), high.max(along))
            })
        };
        let (own, other) = (span(a), span(b));
        // Out along the axis, or against it.
        for (overlap, way) in [(other.1 - own.0, axis), (own.1 - other.0, -axis)] {
            if overlap < least.0 {
                least = (overlap, way);
            }
        }
    }
    least
}

/// Checks a pair of shapes with a volume; whether they overlap.
fn agree(a: &[DVec3], b: &[DVec3]) -> bool {
    let (overlap, way) = brute_overlap(a, b);
    match gap(a, b) {
        Gap::Apart { distance, normal } => {
            let expected = brute_distance(a, b);
            assert!((distance - expected).abs() < 1e-9, "{distance}, not {expected}");
            assert!(overlap < 1e-9, "apart by {distance}, and {overlap} along {way}");
            let low = a.iter().map(|p| normal.dot(*p)).fold(f64::MAX, f64::min);
            let high = b.iter().map(|p| normal.dot(*p)).fold(f64::MIN, f64::max);
            assert!((low - high - distance).abs() < 1e-9, "the normal sees {}", low - high);
            false
        }
        Gap::Overlap { depth, normal } => {
            assert!((depth - overlap).abs() < 1e-9, "{depth}, not {overlap} along {way}");
            // Moved so far they touch, and no sooner.
            let moved = |by: f64| a.iter().map(|p| *p + normal * by).collect::<Vec<_>>();
            assert!(brute_overlap(&moved(depth), b).0.abs() < 1e-9);
            assert!(matches!(gap(&moved(depth + 1e-6), b), Gap::Apart { .. }));
            true
        }
    }
}

#[test]
fn shapes_by_chance_agree_with_trying_everything() {
    let mut chance = Chance(11);
    let mut overlaps = 0;
    for case in 0..300 {
        let far = 0.3 + 1.5 * f64::from(case % 10) / 10.0;
        let count = 4 + case as usize % 3;
        let a: Vec<DVec3> = (0..count).map(|_| chance.vector()).collect();
        let at = chance.vector() * far;
        let b: Vec<DVec3> = (0..count).map(|_| chance.vector() * 0.7 + at).collect();
        overlaps += u32::from(agree(&a, &b));
    }
    assert!((60..240).contains(&overlaps), "{overlaps} of 300");
}

fn brick(size: DVec3, turn: DQuat, at: DVec3) -> Vec<DVec3> {
    let sign = |i: usize, bit: usize| if i & bit == 0 { -0.5 } else { 0.5 };
    (0..8).map(|i| turn * (size * DVec3::new(sign(i, 1), sign(i, 2), sign(i, 4))) + at).collect()
}

/// Boxes, some of which are turned alike, and prisms of polygons that reach far out of the plane that they are
/// looked at in.
#[test]
fn boxes_and_polygons_agree_with_separating_axes() {
    let mut chance = Chance(5);
    let mut overlaps = 0;
    for case in 0..120 {
        let size = |c: &mut Chance| c.vector().abs() + 0.2;
        let turn = chance.turn();
        let other = if case % 3 == 0 { turn } else { chance.turn() };
        let (first, second) = (size(&mut chance), size(&mut chance));
        let a = brick(first, turn, DVec3::ZERO);
        let b = brick(second, other, chance.vector());
        overlaps += u32::from(agree(&a, &b));
    }
    assert!((30..110).contains(&overlaps), "{overlaps} of 120");
    for corners in 3..6 {
        for _ in 0..10 {
            let mut polygon = |x: f64| -> Vec<DVec3> {
                let start = chance.next();
                let corner = |k: i32| {
                    let angle = start + f64::from(k) * std::f64::consts::TAU / f64::from(corners);
                    DVec3::new(libm::cos(angle) + x, 0.6 * libm::sin(angle), 0.0)
                };
                (0..corners)
                    .flat_map(|k| [corner(k) - DVec3::Z * 9.0, corner(k) + DVec3::Z * 9.0])
                    .collect()
            };
            let (a, b) = (polygon(0.0), polygon(1.2));
            agree(&a, &b);
            if let Gap::Overlap { normal, .. } = gap(&a, &b) {
                assert!(normal.z.abs() < 1e-9, "{normal}");
            }
        }
    }
}

/// Crossed beams whose edges meet: an axis that no face has (M-22).
#[test]
fn edges_that_meet_are_the_least_axis() {
    let quarter = std::f64::consts::FRAC_PI_4;
    let long = DVec3::new(4.0, 1.0, 1.0);
    let a = brick(long, rotation::from_rotation_x(quarter), DVec3::ZERO);
    // Their edges are half a diagonal from their middles each.
    let height = 2f64.sqrt() - 0.1;
    let turn = rotation::from_rotation_y(2.0 * quarter) * rotation::from_rotation_x(quarter);
    let b = brick(long, turn, DVec3::Y * height);
    assert!(agree(&a, &b));
    let Gap::Overlap { depth, normal } = gap(&a, &b) else { panic!("they overlap") };
    assert!((depth - 0.1).abs() < 1e-12 && normal.y < -1.0 + 1e-12, "{depth} {normal}");
}

/// Balls of many corners: the depth is that of balls, within what their corners are off, in any direction
/// (M-31 asks for 1e-3 of a unit), and the distance as well.
#[test]
fn fine_balls_are_as_deep_as_balls() {
    let ball = retake::geometry::primitives::Sphere {
        radius: 1.0,
        subdivisions: Some(4),
        ..Default::default()
    };
    let points = ball.build().unwrap().positions;
    // A facet's middle is nearer than its corners: edges between the 2562 corners are up to 0.083 long.
    let facet = 0.083f64.powi(2) / 6.0;
    let mut chance = Chance(3);
    for apart in [0.5, 1.5, 1.9, 2.1, 3.0] {
        for _ in 0..3 {
            let at = chance.vector().normalize() * apart;
            let b: Vec<DVec3> = points.iter().map(|p| *p + at).collect();
            let (found, normal) = match gap(&points, &b) {
                Gap::Apart { distance, normal } => (distance, normal),
                Gap::Overlap { depth, normal } => (-depth, normal),
            };
            assert!((found - (apart - 2.0)).abs() < 2.0 * facet, "{found} at {apart}");
            assert!(normal.dot(-at) > 0.99 * apart, "{normal}");
        }
    }
}

/// M-25: what has no volume, lies on itself or only touches gets an answer.
#[test]
fn degenerate_shapes_have_an_answer() {
    let cube = brick(DVec3::ONE, DQuat::IDENTITY, DVec3::ZERO);
    let (p, line) = (DVec3::new(3.0, 0.0, 0.0), [DVec3::X * 2.0, DVec3::X * 5.0]);
    let square = [DVec3::ZERO, DVec3::X, DVec3::Z, DVec3::X + DVec3::Z];
    let apart = |a: &[DVec3], b: &[DVec3]| match gap(a, b) {
        Gap::Apart { distance, .. } => distance,
        Gap::Overlap { depth, normal } => {
            assert!((normal.length() - 1.0).abs() < 1e-9, "{normal}");
            -depth
        }
    };
    for (what, a, b, expected) in [
        ("two places", &[p][..], &[p + DVec3::Y][..], 1.0),
        ("one place", &[p], &[p], 0.0),
        ("one place, often", &[p; 5], &[p; 7], 0.0),
        ("a place on a line", &line, &[p], 0.0),
        ("a place beside a line", &line, &[p + DVec3::Z * 0.25], 0.25),
        ("lines in one", &line, &[DVec3::X, DVec3::X * 3.0], 0.0),
        ("lines behind each other", &line, &[DVec3::ZERO, DVec3::X], 1.0),
        ("lines side by side", &line, &line.map(|p| p + DVec3::Y), 1.0),
        ("lines that cross", &line, &[p - DVec3::Y, p + DVec3::Y], 0.0),
        ("a square on itself", &square, &square, 0.0),
        ("a square over itself", &square, &square.map(|p| p + DVec3::Y * 0.5), 0.5),
        ("a place in a cube", &cube, &[DVec3::new(0.1, 0.3, 0.0)], -0.2),
        ("a place on its corner", &cube, &[DVec3::splat(0.5)], 0.0),
        ("a place on its face", &cube, &[DVec3::new(0.1, 0.5, -0.2)], 0.0),
        ("a cube on itself", &cube, &cube, -1.0),
        ("cubes that touch", &cube, &brick(DVec3::ONE, DQuat::IDENTITY, DVec3::Y), 0.0),
        (
            "cubes at an edge",
            &cube,
            &brick(DVec3::ONE, DQuat::IDENTITY, DVec3::new(1.0, 1.0, 0.0)),
            0.0,
        ),
        ("a stack", &cube, &brick(DVec3::ONE, DQuat::IDENTITY, DVec3::Y * 0.999), -0.001),
        ("a line through a cube", &cube, &[DVec3::Y * -3.0, DVec3::Y * 3.0], -0.5),
    ] {
        for (found, turned) in [(apart(a, b), false), (apart(b, a), true)] {
            assert!((found - expected).abs() < 1e-12, "{what} ({turned}): {found}, not {expected}");
        }
    }
}

/// A brick lies a hair above, or in, a slab that is two hundred times as wide, as a floor is.
#[test]
fn wide_floors_are_met_straight_on() {
    let mut chance = Chance(31);
    for case in 0..200 {
        let turn = rotation::from_rotation_y(chance.next() * 3.0);
        let at = chance.vector() * 3.0;
        let height = [2e-4, 1e-7, -1e-7, -2e-4][case % 4];
        let own = brick(DVec3::splat(0.2), turn, DVec3::new(at.x, 0.1 + height, at.z));
        let [a, b, c] =
            [(-20.0, -20.0), (20.0, -20.0), (20.0, 20.0)].map(|(x, z)| DVec3::new(x, 0.0, z));
        let slab = [a, b, c, a - DVec3::Y, b - DVec3::Y, c - DVec3::Y];
        // Beside the slanting side of the triangle it is another matter.
        if at.x - at.z < 0.5 {
            continue;
        }
        let (found, normal) = match gap(&own, &slab) {
            Gap::Apart { distance, normal } => (distance, normal),
            Gap::Overlap { depth, normal } => (-depth, normal),
        };
        assert!((found - height).abs() < 1e-12, "{found}, not {height}");
        assert!(normal.y > 1.0 - 1e-9, "{normal} at {height}");
    }
}

/// Concentric balls (G-07): as deep as both radii.
#[test]
fn concentric_balls_have_a_depth() {
    let ball = |radius: f64| {
        let ball = retake::geometry::primitives::Sphere {
            radius,
            subdivisions: Some(3),
            ..Default::default()
        };
        ball.build().unwrap().positions
    };
    let Gap::Overlap { depth, normal } = gap(&ball(1.0), &ball(0.5)) else {
        panic!("they overlap")
    };
    assert!((1.47..1.5).contains(&depth) && normal.is_normalized(), "{depth} {normal}");
}

/// M-28: every point is inside of its hull, which is closed; its volume is that by trying everything: the
/// triangles that have all points on one side.
#[test]
fn hulls_by_chance_have_all_points_inside() {
    let mut chance = Chance(23);
    for case in 0..40 {
        let mut points: Vec<DVec3> = (0..12).map(|_| chance.vector()).collect();
        if case % 2 == 0 {
            // Doubles, and points inside.
            points.extend_from_within(..4);
            points.extend((0..8).map(|_| chance.vector() * 0.1));
        }
        let found = hull(&points).expect("a volume");
        let cone = |[a, b, c]: [DVec3; 3]| a.dot(b.cross(c)) / 6.0;
        let volume: f64 = found.iter().map(|t| cone(t.map(|i| points[i as usize]))).sum();
        let mut expected = 0.0;
        let mut own = points.clone();
        own.sort_by(|p, q| p.to_array().partial_cmp(&q.to_array()).unwrap());
        own.dedup();
        for i in 0..own.len() {
            for j in 0..own.len() {
                for k in 0..own.len() {
                    let [a, b, c] = [own[i], own[j], own[k]];
                    let normal = (b - a).cross(c - a);
                    let outer = i < j && i < k && j != k;
                    if outer && points.iter().all(|p| normal.dot(*p - a) <= 1e-12) {
                        expected += cone([a, b, c]);
                    }
                }
            }
        }
        assert!((volume - expected).abs() < 1e-9, "{volume}, not {expected}");
    }
}

/// What the engine keeps apart is apart by this way of measuring as well: a heap of boxes in every frame.
#[test]
fn a_heap_of_boxes_never_overlaps() {
    let script = "local shot = retake.shot{ name = 'heap', fps = 24, frames = 30 }
        shot:ground{}
        for i = 0, 5 do
          shot:rigid{ mesh = retake.mesh.box{ size = { 0.3, 0.2, 0.15 } }, translate = { 0.05 * (i % 3), 0.3 + 0.35 * i, 0.04 * (i % 2) },
            rotate = { 20 * i, 35 * i, 50 * i } }
        end";
    let mut simulation = scripted::start(&scripted::scene(script));
    let own = brick(DVec3::new(0.3, 0.2, 0.15), DQuat::IDENTITY, DVec3::ZERO);
    let placed = |simulation: &Simulation, body: usize| -> Vec<DVec3> {
        match simulation.body(body) {
            BodyPose::Posed(at, turn) => own.iter().map(|p| turn * *p + at).collect(),
            BodyPose::Deformed(_) => panic!("a rigid body"),
        }
    };
    let mut nearest = f64::MAX;
    for frame in 1..=30 {
        scripted::run(&mut simulation, 1);
        for a in 1..=6 {
            for b in a + 1..=6 {
                match gap(&placed(&simulation, a), &placed(&simulation, b)) {
                    Gap::Apart { distance, .. } => nearest = nearest.min(distance),
                    Gap::Overlap { depth, .. } => panic!("frame {frame}: {a} in {b} by {depth}"),
                }
            }
        }
    }
    // They have met: within a skin of each other.
    assert!(nearest < 2e-4, "{nearest}");
}

/// What starts in each other is told how deep, and a way out that is one.
#[test]
fn crossing_boxes_are_told_the_way_out() {
    let script = |height: f64| {
        format!(
            "local shot = retake.shot{{ name = 'deep', fps = 24, frames = 1 }}
            shot:collider{{ name = 'table', mesh = retake.mesh.box{{ size = {{ 1, 0.1, 1 }} }} }}
            shot:rigid{{ name = 'cup', mesh = retake.mesh.box{{ size = 0.2 }}, translate = {{ 0, {height}, 0 }} }}"
        )
    };
    let refused = Simulation::start(&scripted::scene(&script(0.138)));
    let Err(problems) = refused else { panic!("they cross") };
    let told = problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    assert!(told.contains("`table` and `cup` cross at the start, 12.0 mm deep"), "{told}");
    assert!(told.contains("move `cup` by { 0, 0.0124, 0 }"), "{told}");
    assert!(Simulation::start(&scripted::scene(&script(0.138 + 0.0124))).is_ok());
}

/// The same where edges are parallel, and over the seam of two triangles of the floor.
#[test]
fn boxes_over_the_seam_of_a_floor_are_met_straight_on() {
    let corner = |x: f64, z: f64| DVec3::new(x, 0.0, z);
    let square =
        [corner(-20.0, -20.0), corner(20.0, -20.0), corner(20.0, 20.0), corner(-20.0, 20.0)];
    for height in [2e-4, 3e-5, 1e-7, 0.0, -1e-7, -2e-4] {
        let own = brick(DVec3::splat(0.2), DQuat::IDENTITY, DVec3::Y * (0.1 + height));
        for t in [[0, 1, 2], [0, 2, 3], [0, 1, 3], [1, 2, 3]] {
            let top = t.map(|i: usize| square[i]);
            let slab: Vec<DVec3> =
                top.iter().copied().chain(top.map(|p| p - DVec3::Y * 0.23)).collect();
            let (found, normal) = match gap(&own, &slab) {
                Gap::Apart { distance, normal } => (distance, normal),
                Gap::Overlap { depth, normal } => (-depth, normal),
            };
            assert!((found - height).abs() < 1e-12, "{found}, not {height}, {t:?} {normal}");
            assert!(normal.y > 1.0 - 1e-9, "{normal} at {height} {t:?}");
        }
    }
}
