//! The engine against closed forms, against itself, and against what must never happen.
#![allow(missing_docs)]

#[path = "../benches/scenes.rs"]
mod scenes;

use glam::DVec3;
use retake::geometry::primitives;
use retake::math::Curve;
use retake::production::certificate::check_frame;
use retake::scene::{Force, ForceKind, Guard, Per, RestShape, Scene, VertexMap};
use retake::sim::{Attention, BodyPose, Reached, Simulation, StepEventKind, StepRetakeReason};
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

fn start(scene: &Scene) -> Simulation {
    match Simulation::start(scene) {
        Ok(started) => started.simulation,
        Err(problems) => panic!("{problems:?}"),
    }
}

fn run(simulation: &mut Simulation, frames: u32) {
    let quiet = AtomicBool::new(false);
    for _ in 0..frames {
        simulation.advance(&[], &quiet).expect("the shot goes on");
    }
}

fn positions(simulation: &Simulation, body: usize) -> Vec<DVec3> {
    match simulation.body(body) {
        BodyPose::Deformed(positions) => positions.to_vec(),
        BodyPose::Posed(..) => panic!("not a cloth"),
    }
}

fn drag(scene: &mut Scene, linear: f64) {
    scene.forces.push(Force {
        name: "drag 1".to_owned(),
        place: retake::diagnostics::Place::default(),
        bodies: None,
        starts: None,
        ends: None,
        kind: ForceKind::Drag { linear },
    });
}

/// Changes the fabric of the cloth `body`.
fn fabric(scene: &mut Scene, body: usize, change: impl Fn(&mut retake::scene::Membrane)) {
    if let retake::scene::BodyKind::Cloth(cloth) = &mut scene.bodies[body].kind {
        if let retake::scene::ClothMaterial::Membrane(material) = &mut cloth.material {
            change(material);
        }
        cloth.rest = RestShape::Start;
    }
}

/// The first substep is backward Euler's and comes `g h^2 / 2` too far; BDF2, which is exact for a parabola, makes
/// half as much again of what its past is off by, and no more of it.
#[test]
fn free_fall_is_a_parabola_but_for_the_first_substep() {
    let mut scene = scenes::empty("fall", 1.0);
    scene.solver.fixed_step = Some(1.0 / 24.0 / 8.0);
    let cloth = scenes::add(&mut scene, "sheet", scenes::sheet(6, 1.0, 0.0), scenes::cotton());
    let mut simulation = start(&scene);
    run(&mut simulation, 12);
    let (h, t) = (1.0 / 192.0, 0.5);
    let expected = -9.81 * (0.5 * t * t + 0.75 * h * h);
    for p in positions(&simulation, cloth) {
        assert!((p.y - expected).abs() < 1e-9, "fell to {} instead of {expected}", p.y);
    }
}

/// A ribbon that hangs from its top edge is longer by `rho g L^2 / (2 E)` at its foot (Poisson's ratio
/// zero). St. Venant-Kirchhoff is softer than Hooke by three halves of the strain, 0.05 % here at the
/// top: far below the tolerance of 1 %.
#[test]
fn hanging_strip_stretches_as_it_should() {
    let mut scene = scenes::empty("strip", 6.0);
    let mesh = primitives::Grid {
        size: [0.1, 1.0],
        vertices: Some([3, 21]),
        ..primitives::Grid::default()
    };
    let strip = scenes::add(&mut scene, "strip", mesh.build().unwrap(), scenes::cotton());
    fabric(&mut scene, strip, |m| {
        m.young = VertexMap::Uniform(4000.0);
        m.young_weft = VertexMap::Uniform(4000.0);
        m.poisson = VertexMap::Uniform(0.0);
        m.damping = retake::scene::VertexMap::Uniform(0.01);
    });
    scenes::pin(&mut scene, strip, vec![0, 1, 2]);
    drag(&mut scene, 3.0);
    let mut simulation = start(&scene);
    run(&mut simulation, 144);
    let longer = -0.5 - positions(&simulation, strip)[61].y;
    let expected = 0.2 * 9.81 / (2.0 * 4000.0);
    println!("validation: hanging strip: reference {expected:.6} ours {longer:.6} m");
    assert!((longer / expected - 1.0).abs() < 0.01, "{longer} instead of {expected}");
    assert!(simulation.report().fastest < 1e-3, "not at rest: {} m/s", simulation.report().fastest);
}

/// Ribbons of length 1.05, 1.2, 1.5 and 2 between two points 1 apart sag as catenaries: `a (cosh(1 / 2a) - 1)` with
/// `2 a sinh(1 / 2a)` the length. They are stretched by no more than `rho g a / young`, 6e-5, which lets the flattest sag by
/// 0.06 % more (`length / 2 (length - 1)` times as much); 60 chords miss the curve by the order of (1/60)^2.
#[test]
fn ribbons_hang_as_catenaries() {
    for (length, sag) in [(1.05f64, 0.13930), (1.2, 0.29234), (1.5, 0.50263), (2.0, 0.79639)] {
        let mut scene = scenes::empty("catenary", 10.0);
        let mesh = primitives::Grid {
            size: [length, 0.02],
            vertices: Some([61, 2]),
            ..primitives::Grid::default()
        };
        let mut mesh = mesh.build().unwrap();
        // Started as a V of the right length whose ends are 1 apart.
        let depth = (0.25 * length * length - 0.25).sqrt();
        for p in &mut mesh.positions {
            let along = p.x / (0.5 * length);
            *p = DVec3::new(along * 0.5, -depth * (1.0 - along.abs()), p.y);
        }
        let ribbon = scenes::add(&mut scene, "ribbon", mesh, scenes::cotton());
        scene.collisions.self_contact = false;
        fabric(&mut scene, ribbon, |m| {
            m.young = VertexMap::Uniform(3e4);
            m.young_weft = VertexMap::Uniform(3e4);
            m.bend = VertexMap::Uniform(1e-9);
            m.bend_weft = VertexMap::Uniform(1e-9);
            m.damping = retake::scene::VertexMap::Uniform(0.01);
        });
        if let retake::scene::BodyKind::Cloth(cloth) = &mut scene.bodies[ribbon].kind {
            cloth.rest = RestShape::Flat;
        }
        scenes::pin(&mut scene, ribbon, vec![0, 60, 61, 121]);
        drag(&mut scene, 4.0);
        let mut simulation = start(&scene);
        run(&mut simulation, 200);
        let heights = positions(&simulation, ribbon).iter().map(|p| -p.y).collect::<Vec<_>>();
        let found = heights.into_iter().fold(0.0, f64::max);
        println!(
            "validation: catenary of a ribbon of {length}: reference {sag} ours {found:.5} m ({:+.2} %)",
            100.0 * (found / sag - 1.0)
        );
        assert!((found / sag - 1.0).abs() < 0.005, "length {length}: sag {found}");
    }
}

/// No rubber: a sheet of cotton, 100 x 100 vertices, that swings by two corners stretches by less than
/// 2 % (rms over its edges), while it falls and when its weight pulls.
#[test]
fn a_hanging_sheet_of_cotton_is_no_rubber() {
    let mut simulation = start(&scenes::hang(100));
    let mut most = 0.0f64;
    for _ in 0..24 {
        run(&mut simulation, 1);
        most = most.max(simulation.report().rms_stretch);
    }
    println!("validation: rms stretch of a hanging sheet: {most:.5}");
    assert!(most < 0.02, "stretch {most}");
    assert!(most > 1e-4, "nothing pulls");
}

/// No jitter: with sleeping off (there is none) a cloth on a ball comes to rest. Drag of 2/s takes a swing of 2 m/s at 1 s
/// down by exp(-(t - 1 s) / 1 s), however fine the cells are. What moves besides is what solutions are off by near rest: a
/// tenth of a third of the accuracy of 1 mm/s at a node at most, in a substep. Drag leaves `c` of it to the next, and errors
/// that know nothing of each other add up to `e / sqrt(1 - c^2)`. It is the fastest point's mean over the tenth second.
#[test]
fn draped_sheets_come_to_rest() {
    let swing = 2.0 * (libm::exp(-8.0) - libm::exp(-9.0));
    let kept = 1.0 / (1.0 + 2.0 / (8.0 * 24.0));
    let bound = swing + 1e-4 / 3.0 / libm::sqrt(1.0 - kept * kept);
    for vertices in [24, 50, 100] {
        let mut scene = scenes::sheet_on_ball(vertices);
        scene.collisions.thickness = Some(0.004);
        drag(&mut scene, 2.0);
        let mut simulation = start(&scene);
        run(&mut simulation, 24 * 9);
        let mut fastest = 0.0;
        for _ in 0..24 {
            run(&mut simulation, 1);
            fastest += simulation.report().fastest / 24.0;
        }
        let report = simulation.report();
        println!(
            "validation: a draped sheet of {vertices} x {vertices} at rest: {fastest:.1e} m/s, stretch {:.5}",
            report.rms_stretch
        );
        assert!(fastest < bound, "{vertices}: fastest point {fastest} m/s, {bound}");
        assert!(report.rms_stretch < 0.02, "{vertices}: stretch {}", report.rms_stretch);
        assert!(report.contacts > 0);
    }
}

#[test]
fn the_same_scene_gives_the_same_bytes_and_resumes_to_them() {
    let scene = scenes::sheet_on_ball(16);
    let (mut a, mut b, mut c) = (start(&scene), start(&scene), start(&scene));
    for frame in 0..20 {
        run(&mut a, 1);
        run(&mut b, 1);
        assert_eq!(a.state_hash(), b.state_hash(), "two runs differ after {frame}");
        if frame == 10 {
            c.restore(&a.save()).unwrap();
            assert_eq!(c.save(), a.save());
        } else if frame > 10 {
            run(&mut c, 1);
            assert_eq!(c.state_hash(), a.state_hash(), "a resumed run differs after {frame}");
        }
    }
}

/// Large enough that chunks of nodes and pairs are shared among threads, through the first contact and
/// past it.
#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    let mut scene = scenes::sheet_on_ball(50);
    scene.meshes[1] = scenes::sheet(50, 2.0, 0.52);
    let hashes = [1, 2, 3, 8].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut simulation = start(&scene);
            run(&mut simulation, 4);
            assert!(simulation.report().contacts > 0, "nothing touches");
            simulation.state_hash()
        })
    });
    assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{hashes:02x?}");
}

#[test]
fn a_far_body_changes_no_byte() {
    let scene = scenes::sheet_on_ball(16);
    let mut with_far = scene.clone();
    let far = primitives::Box { center: DVec3::new(300.0, 0.0, 0.0), ..primitives::Box::default() };
    scenes::add(&mut with_far, "far", far.build().unwrap(), retake::scene::BodyKind::Collider);
    let (mut a, mut b) = (start(&scene), start(&with_far));
    run(&mut a, 15);
    run(&mut b, 15);
    assert_eq!(positions(&a, 1), positions(&b, 1));
}

/// Two sheets on two balls, `apart` metres from each other; bodies: ball, sheet, ball, sheet.
fn two_halves(apart: f64) -> Scene {
    let mut scene = scenes::sheet_on_ball(12);
    for index in [0, 1] {
        let mut mesh = scene.mesh_of(index).clone();
        mesh.positions.iter_mut().for_each(|p| p.x += apart);
        let kind = scene.bodies[index].kind.clone();
        let name = format!("{} 2", scene.bodies[index].name);
        scenes::add(&mut scene, &name, mesh, kind);
    }
    scene
}

#[test]
fn a_disturbed_half_changes_no_byte_of_the_other() {
    let alone = scenes::sheet_on_ball(12);
    let both = two_halves(6.0);
    let mut disturbed = both.clone();
    disturbed.bodies[3].velocity = DVec3::new(0.3, 0.0, 0.2);
    let ran = |scene| {
        let mut simulation = start(scene);
        run(&mut simulation, 14);
        simulation
    };
    let (alone, both, disturbed) = (ran(&alone), ran(&both), ran(&disturbed));
    assert_ne!(positions(&both, 3), positions(&disturbed, 3));
    assert_eq!(positions(&both, 1), positions(&disturbed, 1));
    assert_eq!(positions(&both, 1), positions(&alone, 1));
}

#[test]
fn regions_give_the_same_bytes_for_any_threads_and_from_a_saved_state() {
    let scene = two_halves(3.0);
    let with_threads = |count: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build().unwrap();
        pool.install(|| {
            let mut simulation = start(&scene);
            run(&mut simulation, 12);
            simulation.state_hash()
        })
    };
    let hash = with_threads(1);
    for count in [2, 3, 8] {
        assert_eq!(with_threads(count), hash, "{count} threads");
    }
    let mut first = start(&scene);
    run(&mut first, 7);
    let mut second = start(&scene);
    second.restore(&first.save()).unwrap();
    run(&mut second, 5);
    assert_eq!(second.state_hash(), hash, "a saved state goes on differently");
}

#[test]
fn regions_that_meet_unexpectedly_are_joined_and_done_again() {
    let mut scene = scenes::empty("meet", 1.0);
    let at = |x: f64| {
        let mut mesh = scenes::hanging(8, 0.5);
        mesh.positions.iter_mut().for_each(|p| *p = DVec3::new(p.z + x, p.y, p.x));
        mesh
    };
    let near = scenes::add(&mut scene, "near", at(0.0), scenes::cotton());
    let far = scenes::add(&mut scene, "far", at(0.6), scenes::cotton());
    // A pull that brings it there within the first frame, which no flight foretells.
    drag(&mut scene, 0.0);
    scene.forces[0].bodies = Some(vec![far]);
    scene.forces[0].kind = ForceKind::Uniform {
        vector: Curve::Constant(DVec3::new(-900.0, 0.0, 0.0)),
        per: Per::Mass,
    };
    let mut simulation = start(&scene);
    let quiet = AtomicBool::new(false);
    let mut met = Vec::new();
    for _ in 0..4 {
        simulation.advance(&[], &quiet).unwrap();
        let retakes = &simulation.report().retakes;
        met.extend(retakes.iter().filter(|r| r.reason == StepRetakeReason::Met).cloned());
        assert!(check_frame(&scene, &scenes::frame(&scene, &simulation)).is_empty());
    }
    assert_eq!(met.len(), 1, "{met:?}");
    assert_eq!((met[0].between, met[0].region.clone()), ([near, far], vec![near, far]));
}

#[test]
fn who_waits_hears_how_far_a_frame_is() {
    let mut simulation = start(&scenes::impact());
    let (quiet, heard) = (AtomicBool::new(false), Mutex::new(Vec::<Reached>::new()));
    let hears = |reached| heard.lock().unwrap().push(reached);
    let mut retakes = 0;
    for _ in 0..6 {
        heard.lock().unwrap().clear();
        let begin = simulation.time();
        simulation.advance(&[], Attention::new(&quiet, &hears)).unwrap();
        let report = simulation.report();
        retakes += report.retakes.len();
        let heard = heard.lock().unwrap();
        assert!(heard.len() >= report.steps as usize + report.retakes.len());
        let last = heard.last().unwrap();
        assert!((last.time - simulation.time()).abs() < 1e-12, "{last:?}");
        assert_eq!(last.retakes, report.retakes.len());
        let reason = report.retakes.last().map(|retake| (retake.reason, retake.between));
        assert_eq!(last.last_retake, reason);
        assert!(heard.iter().all(|told| told.time >= begin && told.step > 0.0));
    }
    assert!(retakes > 0, "an impact that is not retaken tells nothing of retakes");
}

/// How many of six frames cross, and where the sheet's middle ends: the ball ends 0.4 m behind the
/// sheet's plane.
fn hit_by_a_ball(guard: Guard) -> (usize, f64) {
    let mut scene = scenes::impact();
    scene.solver.guard = guard;
    if guard != Guard::Enforce {
        // A step in which the ball passes the sheet altogether, and nothing to take it back.
        scene.solver.rollback = false;
        scene.solver.fixed_step = Some(1.0 / 24.0);
    }
    let mut simulation = start(&scene);
    let mut crossing = 0;
    for _ in 0..6 {
        run(&mut simulation, 1);
        let frame = scenes::frame(&scene, &simulation);
        crossing += usize::from(!check_frame(&scene, &frame).is_empty());
    }
    (crossing, positions(&simulation, 1)[25 * 50 + 25].z)
}

#[test]
fn a_fast_ball_is_caught_with_the_guard_and_crosses_without() {
    let (crossing, middle) = hit_by_a_ball(Guard::Enforce);
    assert!(crossing == 0 && middle < -0.3, "{crossing} frames cross, the middle is at {middle}");
    assert!(hit_by_a_ball(Guard::Off).0 > 0, "without a guard the ball should cross the sheet");
}

#[test]
fn what_the_shortest_step_leaves_wrong_is_told() {
    let mut scene = scenes::impact();
    (scene.solver.fixed_step, scene.solver.min_step) = (Some(1.0 / 24.0), 1.0 / 24.0);
    let mut simulation = start(&scene);
    let mut told = Vec::new();
    for _ in 0..6 {
        run(&mut simulation, 1);
        let report = simulation.report();
        assert!(report.retakes.is_empty(), "no step is shorter");
        told.extend(report.events.iter().filter_map(|e| match e.kind {
            StepEventKind::Unresolved { between, .. } => Some(between),
            _ => None,
        }));
        assert!(check_frame(&scene, &scenes::frame(&scene, &simulation)).is_empty());
    }
    assert!(told.iter().any(|between| between.contains(&1)), "the sheet is hit: {told:?}");
}

/// Plates whose keys leave half of the room that the sheet between them takes stay behind their keys while it is there,
/// say which of them, never cross it, and are with their keys again when these open.
#[test]
fn plates_that_close_too_far_wait_and_say_so() {
    let mut scene = scenes::pinched();
    scene.meshes[2] = scenes::hanging(14, 1.2);
    scene.constraints.clear();
    scenes::pin(&mut scene, 2, (0..14).collect());
    let mut simulation = start(&scene);
    let mut waited = Vec::new();
    for frame in 1..=62 {
        run(&mut simulation, 1);
        let report = simulation.report();
        waited.extend(report.events.iter().filter_map(|e| match e.kind {
            StepEventKind::Pinched { body } => Some(body),
            _ => None,
        }));
        assert!(report.closest_approach > 0.0);
        assert!(!report.retakes.iter().any(|r| r.reason == StepRetakeReason::NotFinite));
        assert_eq!(check_frame(&scene, &scenes::frame(&scene, &simulation)), [], "frame {frame}");
        let [front, back] = [0, 1].map(|plate| simulation.view().bodies[plate].position);
        // The keys have them 25 mm apart from frame 24 to 43.
        let behind = front.z - back.z - 0.025;
        assert!(behind > -1e-9, "frame {frame}: {behind} m nearer than any key");
        if frame == 24 {
            println!("validation: plates that are pinched: {behind:.5} m behind their keys");
            assert!(behind > 1e-3, "of 5 mm that are missing they wait with {behind} m");
        }
        if frame >= 58 {
            assert!((behind - 0.575).abs() < 1e-9, "frame {frame}: {behind} m off the last keys");
        }
    }
    waited.sort_unstable();
    waited.dedup();
    assert_eq!(waited, [0, 1], "both should have had to wait");
}

#[test]
fn bodies_that_start_crossing_are_named() {
    let mut scene = scenes::sheet_on_ball(12);
    scene.meshes[1] = scenes::sheet(12, 2.0, 0.2);
    let problems = Simulation::start(&scene).err().expect("refused");
    let text = problems[0].to_string();
    assert!(text.contains("`ball` and `sheet` cross at the start"), "{text}");
}

#[test]
fn bodies_that_start_touching_are_moved_apart() {
    let mut scene = scenes::empty("touching", 1.0);
    let ground = primitives::Plane { size: [4.0; 2], spacing: None, center: DVec3::ZERO };
    scenes::add(&mut scene, "ground", ground.build().unwrap(), retake::scene::BodyKind::Collider);
    let sheet = scenes::add(&mut scene, "sheet", scenes::sheet(8, 1.0, 0.0), scenes::cotton());
    let started = Simulation::start(&scene).unwrap_or_else(|p| panic!("{p:?}"));
    assert!(
        started.warnings.iter().any(|w| w.message.contains("was moved")),
        "{:?}",
        started.warnings
    );
    let lowest =
        positions(&started.simulation, sheet).iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
    // Half of 2 mm and the skin of 0.2 mm.
    assert!((0.00117..0.0013).contains(&lowest), "lifted to {lowest}");
}

/// The lab's scenes, made coarser so that they fit a test: not one crossing in any frame.
#[test]
fn nothing_crosses_in_the_lab() {
    let quiet = AtomicBool::new(false);
    let mut pinch = scenes::pinched();
    pinch.meshes[2] = scenes::hanging(20, 1.2);
    pinch.constraints.clear();
    scenes::pin(&mut pinch, 2, (0..20).collect());
    for (name, scene, frames) in [
        ("ball", scenes::sheet_on_ball(30), 36),
        ("layers", scenes::ten_layers(), 10),
        ("pinch", pinch, 30),
        ("impact", scenes::impact(), 8),
    ] {
        let mut simulation = start(&scene);
        for _ in 0..frames {
            simulation.advance(&[], &quiet).expect("the shot goes on");
            let findings = check_frame(&scene, &scenes::frame(&scene, &simulation));
            assert!(findings.is_empty(), "{name}: {}", findings[0]);
        }
    }
}
