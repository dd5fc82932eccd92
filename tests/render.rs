//! Pictures with known answers.

mod support;

use glam::{DQuat, DVec3};
use retake::diagnostics::Place;
use retake::frames::{BodyState, Figures, Frame};
use retake::geometry::TriMesh;
use retake::math::Curve;
use retake::render::{
    NO_DEPTH, Picture, ResolvedCamera, Settings, Stage, View, choose_view, render, write_exr,
    write_png,
};
use retake::scene::{Body, BodyKind, Color, Layer, Light, LightKind, Look, Scene};
use std::f64::consts::{PI, TAU};

/// A body that scatters like ideal matt paint of colour `albedo`.
fn matt(name: &str, mesh: usize, albedo: f64) -> Body {
    let look = Look {
        color: Color([albedo; 3]),
        color_given: true,
        roughness: 1.0,
        ior: 1.0,
        ..Look::default()
    };
    let mut body = support::falling("model", 1).bodies.remove(0);
    body.name = name.into();
    body.mesh = mesh;
    body.kind = BodyKind::Collider;
    body.translate = Curve::Constant(DVec3::ZERO);
    body.look = look;
    body
}

fn scene(meshes: Vec<TriMesh>, bodies: Vec<Body>, lights: Vec<Light>) -> Scene {
    Scene { meshes, bodies, lights, ..support::falling("picture", 1) }
}

fn light(kind: LightKind, strength: f64) -> Light {
    Light {
        name: "light".into(),
        place: Place::default(),
        color: Color([1.0; 3]),
        strength: Curve::Constant(strength),
        kind,
    }
}

fn sky(radiance: f64) -> Light {
    light(LightKind::Sky { image: None }, radiance)
}

/// The bodies where their meshes put them.
fn start(scene: &Scene, number: i32) -> Frame {
    let bodies = scene
        .bodies
        .iter()
        .map(|body| match body.kind {
            BodyKind::Cloth(_) | BodyKind::Soft(_) | BodyKind::Rope(_) => {
                let (t, r) = body.pose_at(0.0);
                let points = scene.meshes[body.mesh].positions.iter();
                let world = |p: &DVec3| (r * *p + t).as_vec3().to_array();
                BodyState::Deformed { positions: points.map(world).collect() }
            }
            BodyKind::Rigid(_) | BodyKind::Collider => pose(body.pose_at(0.0)),
        })
        .collect();
    Frame {
        number,
        time: 0.0,
        bodies,
        figures: Figures::default(),
        regions: Vec::new(),
        retakes: Vec::new(),
        events: Vec::new(),
        state_hash: [0; 32],
        samples: Vec::new(),
    }
}

fn pose((translate, rotate): (DVec3, DQuat)) -> BodyState {
    BodyState::Posed {
        translate: translate.as_vec3().to_array(),
        rotate: rotate.as_quat().to_array(),
    }
}

/// A level square of edge `size` at height 0, facing up.
fn square(size: f64) -> TriMesh {
    let h = size * 0.5;
    let at = |x: f64, z: f64| DVec3::new(x, 0.0, z);
    TriMesh {
        positions: vec![at(-h, -h), at(-h, h), at(h, h), at(h, -h)],
        triangles: vec![[0, 1, 2], [0, 2, 3]],
        ..TriMesh::default()
    }
}

/// A sphere with `n` rings and 2 n segments, one vertex a place.
fn sphere(radius: f64, n: u32) -> TriMesh {
    let mut mesh = TriMesh { positions: vec![DVec3::Y * radius], ..TriMesh::default() };
    for ring in 1..n {
        let polar = PI * f64::from(ring) / f64::from(n);
        for segment in 0..2 * n {
            let turn = TAU * f64::from(segment) / f64::from(2 * n);
            let (sin, cos) = (libm::sin(polar), libm::cos(polar));
            let around = DVec3::new(sin * libm::sin(turn), cos, sin * libm::cos(turn));
            mesh.positions.push(around * radius);
        }
    }
    mesh.positions.push(DVec3::NEG_Y * radius);
    let at = |ring: u32, segment: u32| 1 + (ring - 1) * 2 * n + segment % (2 * n);
    let last = mesh.positions.len() as u32 - 1;
    for s in 0..2 * n {
        mesh.triangles.push([0, at(1, s), at(1, s + 1)]);
        mesh.triangles.push([last, at(n - 1, s + 1), at(n - 1, s)]);
        for ring in 1..n - 1 {
            mesh.triangles.push([at(ring, s), at(ring + 1, s), at(ring + 1, s + 1)]);
            mesh.triangles.push([at(ring, s), at(ring + 1, s + 1), at(ring, s + 1)]);
        }
    }
    mesh
}

/// The stage as the script set it, without any floor.
fn bare(scene: &Scene) -> Stage {
    Stage { floor: None, ground: None, ..Stage::at_start(scene) }
}

fn draw(scene: &Scene, from: DVec3, to: DVec3, settings: &Settings) -> Picture {
    let camera = ResolvedCamera::still(from, to, 50.0, bare(scene));
    render(scene, &start(scene, 1), None, &camera, settings)
}

fn small(samples: u32, layers: &[Layer]) -> Settings {
    Settings { width: 64, height: 48, samples, layers: layers.to_vec(), shutter: 0.0 }
}

/// Radiance in the middle of the picture, over 8 x 8 pixels.
fn middle(picture: &Picture) -> f64 {
    let (w, h) = (picture.width as usize, picture.height as usize);
    let pixels =
        (h / 2 - 4..h / 2 + 4).flat_map(|y| (w / 2 - 4..w / 2 + 4).map(move |x| y * w + x));
    pixels.map(|i| f64::from(picture.color[i][1])).sum::<f64>() / 64.0
}

/// In a world of radiance 1 everything that absorbs nothing has radiance 1: no light is lost or
/// made. Path ends are unbiased, so only noise is left: a path is worth at most a few, 64 of them a
/// pixel and the filter over its neighbours bring the spread of a pixel below 0.02.
#[test]
fn a_white_sphere_vanishes_in_a_white_furnace() {
    let scene = scene(vec![sphere(1.0, 48)], vec![matt("ball", 0, 1.0)], vec![sky(1.0)]);
    let picture = draw(&scene, DVec3::new(0.0, 0.5, 3.2), DVec3::ZERO, &small(64, &[]));
    for (i, c) in picture.color.iter().enumerate() {
        for v in c {
            assert!((v - 1.0).abs() < 0.04, "pixel {i}: {c:?}");
        }
    }
    assert!((middle(&picture) - 1.0).abs() < 0.005, "{}", middle(&picture));
}

/// A shining layer over white paint keeps all light too (its tables are good to one per cent).
#[test]
fn a_varnished_white_sphere_vanishes_nearly() {
    let mut ball = matt("ball", 0, 1.0);
    (ball.look.ior, ball.look.roughness) = (1.5, 0.4);
    let scene = scene(vec![sphere(1.0, 48)], vec![ball], vec![sky(1.0)]);
    let picture = draw(&scene, DVec3::new(0.0, 0.0, 3.2), DVec3::ZERO, &small(64, &[]));
    assert!((middle(&picture) - 1.0).abs() < 0.02, "{}", middle(&picture));
}

#[test]
fn a_matt_plane_under_a_sun_has_radiance_albedo_times_irradiance_over_pi() {
    let (albedo, irradiance) = (0.6, 3.0);
    for (direction, angle) in
        [(DVec3::NEG_Y, 0.0), (DVec3::new(1.0, -2.0, 0.5), 0.0), (DVec3::new(1.0, -1.0, 0.0), 4.0)]
    {
        let sun = light(LightKind::Sun { direction, angle }, irradiance);
        let scene = scene(vec![square(10.0)], vec![matt("plane", 0, albedo)], vec![sun, sky(0.0)]);
        let picture = draw(&scene, DVec3::new(0.0, 2.0, 1.0), DVec3::ZERO, &small(16, &[]));
        let expected = albedo * irradiance * -direction.normalize().y / PI;
        // A disc's cosine varies by its radius (0.035) from place to place: 16 well-spread places
        // and 64 pixels leave less than one per cent.
        let error = middle(&picture) / expected - 1.0;
        assert!(error.abs() < 0.01, "{direction} {angle}: off by {error}");
    }
}

#[test]
fn a_point_light_shines_by_its_power_and_the_squared_distance() {
    let (albedo, power, height) = (0.5, 40.0, 2.0);
    for size in [0.002, 0.5] {
        let position = Curve::Constant(DVec3::new(0.0, height, 0.0));
        let lamp = light(LightKind::Point { position, size }, power);
        let scene = scene(vec![square(20.0)], vec![matt("plane", 0, albedo)], vec![lamp, sky(0.0)]);
        // From the side, so that the lamp is not in the way; a narrow view of the foot point.
        let camera =
            ResolvedCamera::still(DVec3::new(0.0, 1.0, 3.0), DVec3::ZERO, 1000.0, bare(&scene));
        let picture = render(&scene, &start(&scene, 1), None, &camera, &small(16, &[]));
        // A sphere that is wholly above the horizon lights like a point in its middle.
        let expected = albedo / PI * power / (4.0 * PI * height * height);
        let error = middle(&picture) / expected - 1.0;
        assert!(error.abs() < 0.01, "size {size}: off by {error}");
    }
}

/// Irradiance below the middle of a parallel square: Lambert's formula for polygons, which for a
/// square of half edge a at height h sums four equal edges.
#[test]
fn an_area_light_shines_by_the_closed_form() {
    let (albedo, power, height, size) = (0.5, 40.0, 1.0, 1.6);
    let position = Curve::Constant(DVec3::new(0.0, height, 0.0));
    let lamp = light(LightKind::Area { position, look_at: DVec3::ZERO, size }, power);
    let scene = scene(vec![square(20.0)], vec![matt("plane", 0, albedo)], vec![lamp, sky(0.0)]);
    let camera =
        ResolvedCamera::still(DVec3::new(0.0, 0.4, 3.0), DVec3::ZERO, 1500.0, bare(&scene));
    let picture = render(&scene, &start(&scene, 1), None, &camera, &small(64, &[]));
    let a: f64 = size / 2.0;
    let radiance = power / (PI * size * size);
    // Form factor from the foot point: 4 (a / s) atan(a / s) / pi / ... with s the slant distance.
    let slant = (a * a + height * height).sqrt();
    let factor = 4.0 / PI * (a / slant) * libm::atan(a / slant);
    let expected = albedo * radiance * factor;
    let error = middle(&picture) / expected - 1.0;
    assert!(error.abs() < 0.015, "off by {error}");
}

#[test]
fn a_known_point_lands_in_the_right_pixel() {
    let scene = scene(vec![sphere(0.02, 8)], vec![matt("dot", 0, 0.5)], vec![sky(1.0)]);
    // 50 mm on 36 mm: half the width is 0.36 of the distance.
    let camera = ResolvedCamera::still(DVec3::new(0.0, 0.0, 5.0), DVec3::ZERO, 50.0, bare(&scene));
    let (x, y, depth) = camera.project(DVec3::new(0.9, 0.45, 0.0), 200, 100).unwrap();
    assert!((x - 150.0).abs() < 1e-4 && (y - 25.0).abs() < 1e-4 && (depth - 5.0).abs() < 1e-6);
    assert!(camera.project(DVec3::new(0.0, 0.0, 6.0), 200, 100).is_none());

    let mut frame = start(&scene, 1);
    frame.bodies[0] = pose((DVec3::new(0.9, 0.45, 0.0), DQuat::IDENTITY));
    let settings =
        Settings { width: 200, height: 100, layers: vec![Layer::ObjectId], ..small(1, &[]) };
    let ids = render(&scene, &frame, None, &camera, &settings).object_id.unwrap();
    let seen: Vec<(usize, usize)> =
        (0..ids.len()).filter(|&i| ids[i] == 1).map(|i| (i % 200, i / 200)).collect();
    assert!(!seen.is_empty());
    for (x, y) in seen {
        assert!((148..=151).contains(&x) && (23..=26).contains(&y), "the dot is at {x}, {y}");
    }
}

#[test]
fn layers_hold_exact_depth_normal_and_id() {
    let mut upper = matt("upper", 1, 0.5);
    upper.translate = Curve::Constant(DVec3::new(0.6, 0.5, 0.0));
    let scene =
        scene(vec![square(4.0), square(0.5)], vec![matt("lower", 0, 0.5), upper], vec![sky(1.0)]);
    let all = [Layer::Depth, Layer::Normal, Layer::ObjectId];
    // Straight down from 5 m: depth is measured along the axis, so it is the same everywhere.
    let settings = Settings { width: 60, height: 60, ..small(1, &all) };
    let picture = draw(&scene, DVec3::new(0.0, 5.0, 0.0), DVec3::ZERO, &settings);
    let (depth, normal, ids) =
        (picture.depth.unwrap(), picture.normal.unwrap(), picture.object_id.unwrap());
    let mut seen = [0; 3];
    for i in 0..ids.len() {
        seen[ids[i] as usize] += 1;
        let (expected, up) = [(NO_DEPTH, 0.0), (5.0, 1.0), (4.5, 1.0)][ids[i] as usize];
        assert!((depth[i] / expected - 1.0).abs() < 1e-5, "pixel {i}: {}", depth[i]);
        assert!((normal[i][1] - up).abs() < 1e-5 && normal[i][0].abs() < 1e-5);
    }
    // 5 m away the picture is 3.6 m wide: the lower square fills it. The upper one is 0.5 m of
    // 3.24 m at its height: (60 / 3.24 * 0.5)^2 = 85.7 pixels.
    assert_eq!(seen[0], 0);
    assert!((seen[2] - 86i32).abs() < 20, "{seen:?}");
    let nothing =
        draw(&scene, DVec3::new(0.0, 5.0, 0.0), DVec3::new(0.0, 9.0, 0.0), &small(1, &all));
    assert!(nothing.depth.unwrap().iter().all(|&d| d == NO_DEPTH));
    assert!(nothing.object_id.unwrap().iter().all(|&id| id == 0));
}

/// A ball, a curtain and the studio: everything that a default picture has.
fn studio() -> Scene {
    let mut scene = support::falling("studio", 1);
    scene.meshes.push(sphere(0.3, 12));
    let mut ball = matt("ball", 1, 0.5);
    ball.translate = Curve::Constant(DVec3::new(0.3, 1.2, 0.2));
    ball.look = Look { transmission: 0.3, opacity: 0.8, ..Look::default() };
    scene.bodies.push(ball);
    scene
}

fn view_of(scene: &Scene) -> View {
    choose_view(scene, &mut |n| Ok(start(scene, n)), &[1, 2]).unwrap()
}

#[test]
fn pictures_do_not_depend_on_threads() {
    let scene = studio();
    let camera = view_of(&scene).at(&scene, 1);
    let (frame, next) = (start(&scene, 1), start(&scene, 2));
    let settings = Settings {
        width: 100,
        height: 70,
        samples: 4,
        layers: vec![Layer::Depth, Layer::Normal, Layer::ObjectId],
        shutter: 0.5,
    };
    let pictures: Vec<Picture> = [1, 2, 3]
        .map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| render(&scene, &frame, Some(&next), &camera, &settings))
        })
        .into();
    assert!(pictures[0] == pictures[1] && pictures[0] == pictures[2]);
}

#[test]
fn the_chosen_view_shows_everything_that_moves_and_not_the_ends_of_the_ground() {
    let mut scene = studio();
    scene.meshes.push(square(200.0));
    scene.bodies.push(matt("ground", 2, 0.5));
    // The cloth falls from 2 m to the ground while it drifts.
    let at = |n: i32| {
        let mut frame = start(&scene, n);
        let moved = f64::from(n - 1) / 10.0;
        let BodyState::Deformed { positions } = &mut frame.bodies[0] else { unreachable!() };
        for p in positions {
            p[0] += 3.0 * moved as f32;
            p[1] -= 1.9 * moved as f32;
        }
        frame
    };
    let numbers: Vec<i32> = (1..=11).collect();
    let view = choose_view(&scene, &mut |n| Ok(at(n)), &numbers).unwrap();
    let camera = view.at(&scene, 1);
    let (mut low, mut high) = (f64::MAX, f64::MIN);
    for &n in &numbers {
        for p in at(n).world_positions(&scene, 0) {
            let p = DVec3::from_array(p.map(f64::from));
            let (x, y, _) = camera.project(p, 160, 90).expect("in front of the camera");
            assert!((2.0..=158.0).contains(&x) && (1.0..=89.0).contains(&y), "{p} at {x}, {y}");
            (low, high) = (low.min(x / 160.0).min(y / 90.0), high.max(x / 160.0).max(y / 90.0));
        }
    }
    // And it is not lost in the picture: it reaches from one edge's margin to the other's.
    assert!(high - low > 0.6, "{low}..{high}");
    assert_eq!(view.stage.ground, Some(2));
    assert_eq!(view.stage.floor, None, "the script dyed its ground: no other floor");
}

#[test]
fn files_read_back() {
    let scene = studio();
    let camera = view_of(&scene).at(&scene, 1);
    let settings = small(2, &[Layer::ObjectId, Layer::Depth, Layer::Normal]);
    let picture = render(&scene, &start(&scene, 1), None, &camera, &settings);
    let folder = tempfile::tempdir().unwrap();
    let (png, exr) = (folder.path().join("a/shot.0001.png"), folder.path().join("shot.0001.exr"));
    write_png(&picture, &png).unwrap();
    write_exr(&picture, &exr).unwrap();

    let decoded = image::open(&png).unwrap().into_rgb8();
    assert_eq!(decoded.dimensions(), (64, 48));

    let read = exr::prelude::read_all_flat_layers_from_file(&exr).unwrap();
    assert_eq!(read.layer_data.len(), 1, "one part");
    let chromaticities = read.attributes.chromaticities.unwrap();
    assert_eq!(chromaticities.red, exr::math::Vec2(0.64, 0.33));
    let channels = &read.layer_data[0].channel_data.list;
    let names: Vec<String> = channels.iter().map(|c| c.name.to_string()).collect();
    assert_eq!(
        names,
        ["A", "B", "G", "R", "depth.Z", "normal.X", "normal.Y", "normal.Z", "object_id.ID"]
    );
    let values = |i: usize| channels[i].sample_data.values_as_f32().collect::<Vec<f32>>();
    assert_eq!(values(4), *picture.depth.as_ref().unwrap());
    let ids: Vec<u32> = values(8).iter().map(|&v| v as u32).collect();
    assert_eq!(ids, *picture.object_id.as_ref().unwrap());
    assert!(ids.contains(&0) && ids.contains(&1) && ids.contains(&2));
    for (half, full) in values(3).iter().zip(&picture.color) {
        assert!((half / full[0].max(1e-3) - 1.0).abs() < 1e-3 || (half - full[0]).abs() < 1e-4);
    }
    let again = folder.path().join("again.exr");
    write_exr(&picture, &again).unwrap();
    assert_eq!(std::fs::read(&exr).unwrap(), std::fs::read(&again).unwrap());
}

#[test]
fn nothing_and_nonsense_make_a_picture_too() {
    let finite = |p: &Picture| p.color.iter().flatten().all(|v| v.is_finite() && *v >= 0.0);
    let empty = scene(Vec::new(), Vec::new(), Vec::new());
    let camera = view_of(&empty).at(&empty, 1);
    assert!(finite(&render(&empty, &start(&empty, 1), None, &camera, &small(1, &[]))));

    let mut odd = studio();
    odd.meshes[1].triangles.push([0, 0, 0]);
    let mut frame = start(&odd, 1);
    let BodyState::Deformed { positions } = &mut frame.bodies[0] else { unreachable!() };
    positions[3] = [f32::NAN, 0.0, 0.0];
    positions[5] = [1e30, 0.0, 0.0];
    positions[6] = positions[7];
    let view = choose_view(&odd, &mut |_| Ok(frame.clone()), &[1]).unwrap();
    let all = [Layer::Depth, Layer::Normal, Layer::ObjectId];
    let zero = Settings { width: 0, height: 0, samples: 0, layers: vec![], shutter: f64::NAN };
    assert!(finite(&render(&odd, &frame, None, &view.at(&odd, 1), &small(2, &all))));
    assert!(finite(&render(&odd, &frame, Some(&frame), &view.at(&odd, 1), &zero)));

    // A camera that looks at its own place, straight up, or from nowhere.
    for (from, to) in [
        (DVec3::ONE, DVec3::ONE),
        (DVec3::ZERO, DVec3::Y),
        (DVec3::NAN, DVec3::splat(f64::INFINITY)),
    ] {
        let camera = ResolvedCamera::still(from, to, f64::NAN, bare(&odd));
        assert!(finite(&render(&odd, &frame, None, &camera, &small(1, &all))));
    }
    let lights = vec![
        light(LightKind::Sun { direction: DVec3::ZERO, angle: f64::NAN }, 3.0),
        light(LightKind::Sun { direction: DVec3::Y, angle: 400.0 }, f64::NAN),
        light(
            LightKind::Area { position: Curve::Constant(DVec3::Y), look_at: DVec3::Y, size: 0.0 },
            5.0,
        ),
        light(LightKind::Point { position: Curve::Constant(DVec3::Y), size: -1.0 }, 1e30),
    ];
    let lit = Scene { lights, ..odd };
    assert!(finite(&render(&lit, &frame, None, &view.at(&lit, 1), &small(2, &[]))));
}
