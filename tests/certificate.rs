//! The certificate on frames that are made by hand.

mod shots;

use glam::DVec3;
use retake::frames::{BodyState, Frame};
use retake::production::certificate::{Finding, Reason, check_frame, left_out};
use retake::scene::{ContactPair, Scene};
use shots::{frame_of, grid, scene_of, sphere};

/// A cloth that lies 0.1 m above a ball of radius 0.5.
fn shot() -> Scene {
    let cloth = grid(21, 2.0).moved(&retake::geometry::Placement {
        translate: DVec3::new(0.0, 0.6, 0.0),
        ..Default::default()
    });
    scene_of(vec![("cape", cloth, true), ("ball", sphere(0.5), false)])
}

fn lowered(scene: &Scene, number: i32, by: f32) -> Frame {
    let mut frame = frame_of(scene, number);
    let BodyState::Deformed { positions } = &mut frame.bodies[0] else { unreachable!() };
    for p in positions {
        p[1] -= by;
    }
    frame
}

fn crossings(scene: &Scene, frame: &Frame) -> usize {
    let found = check_frame(scene, frame);
    assert!(found.iter().all(|f| matches!(f, Finding::Crossing(_))), "{found:?}");
    found.len()
}

#[test]
fn a_flat_sheet_beside_a_ball_crosses_nothing() {
    let scene = shot();
    assert_eq!(check_frame(&scene, &frame_of(&scene, 1)), []);
}

#[test]
fn a_sheet_in_a_ball_is_found_with_names_and_place() {
    let scene = shot();
    let found = check_frame(&scene, &lowered(&scene, 7, 0.3));
    assert!(found.len() > 10);
    let Finding::Crossing(first) = &found[0] else { panic!("{found:?}") };
    assert_eq!((first.moment.frame, first.a.0.as_str(), first.b.0.as_str()), (7, "cape", "ball"));
    assert!((first.at.length() - 0.5).abs() < 0.01 && (first.at.y - 0.3).abs() < 1e-6);
    assert!(found[0].to_string().starts_with("frame 7: triangle "));
}

#[test]
fn a_sheet_pushed_through_itself_is_found() {
    let scene = scene_of(vec![("cape", grid(21, 2.0), true)]);
    let mut frame = frame_of(&scene, 3);
    let BodyState::Deformed { positions } = &mut frame.bodies[0] else { unreachable!() };
    // The last row is carried round below the sheet and its middle pokes up through it.
    for (i, p) in positions.iter_mut().enumerate() {
        let row = i / 21;
        if row > 10 {
            p[1] = if row == 20 && i % 21 == 10 { 0.05 } else { -0.1 };
            p[2] = 2.0 * (10.0 * 0.1 - 1.0) + 1.0 - (p[2] + 0.013);
        }
    }
    assert!(crossings(&scene, &frame) > 0);
    let mut apart = scene.clone();
    apart.bodies[0].self_collision = Some(false);
    assert_eq!(check_frame(&apart, &frame), []);
    assert_eq!(left_out(&apart)[0].why, Reason::NoSelfCollision);
    apart.bodies[0].self_collision = None;
    apart.collisions.self_contact = false;
    assert_eq!(check_frame(&apart, &frame), []);
}

#[test]
fn pairs_that_may_cross_are_left_out_and_listed() {
    let mut scene = shot();
    let frame = lowered(&scene, 25, 0.3);
    scene.bodies[1].collides = false;
    assert_eq!(check_frame(&scene, &frame), []);
    assert!(left_out(&scene).iter().any(|l| l.why == Reason::DoesNotCollide));
    scene.bodies[1].collides = true;
    assert_eq!(left_out(&scene).len(), 1, "the ball with itself");
    let pair = |collides, ends| ContactPair {
        a: vec![1],
        b: vec![0],
        restitution: None,
        friction: None,
        collides,
        starts: None,
        ends,
        place: retake::diagnostics::Place::default(),
    };
    scene.contact_pairs = vec![pair(false, None)];
    assert_eq!(check_frame(&scene, &frame), []);
    assert_eq!(left_out(&scene)[0].why, Reason::ContactPair);
    scene.contact_pairs = vec![pair(false, Some(0.5))];
    assert!(crossings(&scene, &frame) > 0, "at 1 s the exception is over");
    scene.contact_pairs = vec![pair(false, None), pair(true, None)];
    assert!(crossings(&scene, &frame) > 0, "the later one counts");
}

#[test]
fn given_motions_may_cross() {
    let scene = scene_of(vec![("a", sphere(0.5), false), ("b", sphere(0.6), false)]);
    assert_eq!(check_frame(&scene, &frame_of(&scene, 1)), []);
    assert_eq!(left_out(&scene).len(), 3);
}

#[test]
fn numbers_that_are_none_and_frames_of_other_scenes_are_found() {
    let scene = shot();
    let mut frame = frame_of(&scene, 2);
    if let BodyState::Deformed { positions } = &mut frame.bodies[0] {
        positions[5][1] = f32::NAN;
    }
    assert_eq!(
        check_frame(&scene, &frame)[0].to_string(),
        "frame 2: vertex 5 of cape is no number"
    );
    if let BodyState::Deformed { positions } = &mut frame.bodies[0] {
        positions.pop();
    }
    assert!(matches!(check_frame(&scene, &frame)[..], [Finding::Incomplete { .. }]));
}

/// 20 000 triangles in a frame take a quarter of a second at most, so that 240 frames take less
/// than a minute. `cargo test --release --test certificate -- --ignored --nocapture` measures.
#[test]
#[ignore = "measures time"]
fn speed() {
    let flat = scene_of(vec![("cape", grid(101, 2.0), true), ("ball", sphere(0.5), false)]);
    let frame = lowered(&flat, 1, -0.6);
    let mut draped = frame.clone();
    let BodyState::Deformed { positions } = &mut draped.bodies[0] else { unreachable!() };
    for p in positions {
        let r = p[0].hypot(p[2]);
        p[1] = if r < 0.5 { (0.2551 - r * r).sqrt() } else { 0.0714 }
            + 0.01 * libm::sinf(40.0 * p[0]) * r;
    }
    for (name, frame) in [("flat", frame), ("draped", draped)] {
        let start = std::time::Instant::now();
        let found = (0..10).map(|_| check_frame(&flat, &frame).len()).max();
        println!("{name}: {:?} a frame, {found:?} found", start.elapsed() / 10);
    }
}
