//! Where vertices are at a time, against the closed form.

use crate::files::{HALF, arm, bends, build, cube, plank};
use glam::DVec3;
use retake::math::rotation;
use retake::scene::Scene;
use tempfile::TempDir;

/// Files hold 32-bit floats of a few metres.
const ROUNDING: f64 = 2e-6;

fn places(scene: &Scene, body: usize, t: f64) -> Vec<DVec3> {
    scene.bodies[body].places_at(scene.mesh_of(body), t)
}

#[track_caller]
fn same(found: &[DVec3], expected: &[DVec3], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (found, expected) in found.iter().zip(expected) {
        assert!(found.distance(*expected) < ROUNDING, "{what}: {found} in place of {expected}");
    }
}

fn plank_at(way: f64, degrees: f64) -> Vec<DVec3> {
    let points = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [2.0, 0.0, 1.0], [0.0, 0.0, 1.0]];
    let quarter = rotation::from_rotation_y(90f64.to_radians());
    let turn = rotation::from_rotation_z(degrees.to_radians());
    let place = |p: [f64; 3]| {
        quarter * (turn * DVec3::from_array(p) + DVec3::new(0.0, way, 3.0))
            + DVec3::new(1.0, 2.0, 0.0)
    };
    points.map(place).to_vec()
}

#[test]
fn nodes_move_as_one_piece_and_hold_before_and_after() {
    let folder = TempDir::new().unwrap();
    plank(folder.path());
    let text = "for _, clip in ipairs { 'Go', 'Jump', 'Glide' } do\n\
                  shot:collider { name = clip, from = set, object = 'Plank', clip = clip, clip_start = 1, clip_speed = 2 }\n\
                end\n\
                shot:collider { name = 'still', from = set, object = 'Plank' }";
    let scene = build(&folder, "plank.gltf", "", text);
    for t in [-3.0, 0.0, 1.0, 1.1, 1.25, 1.5, 1.75, 1.999, 2.0, 9.0] {
        let clip = (2.0 * (t - 1.0f64)).clamp(0.0, 2.0);
        same(&places(&scene, 0, t), &plank_at(2.0 * clip, 45.0 * clip), &format!("Go at {t}"));
        let jumped = if clip >= 1.0 { 4.0 } else { 0.0 };
        same(&places(&scene, 1, t), &plank_at(jumped, 0.0), &format!("Jump at {t}"));
        same(&places(&scene, 2, t), &plank_at(0.5 * clip.powi(3), 0.0), &format!("Glide at {t}"));
        same(&places(&scene, 3, t), &plank_at(0.0, 0.0), "still");
    }
    for body in &scene.bodies[..3] {
        assert!(body.keeps_shape() && body.is_moved(), "{} moves as one piece", body.name);
    }
    assert!(!scene.bodies[3].is_moved());
}

/// Curves place the whole of what the clip moves.
#[test]
fn curves_and_clips_add_up() {
    let folder = TempDir::new().unwrap();
    plank(folder.path());
    let text = "shot:collider { name = 'a', from = set, object = 'Plank', clip = 'Go', \
                  rotate = { 0, -90, 0 }, translate = retake.keys { { 0, { 0, 0, 0 }, ease = 'linear' }, { 1, { 0, 0, 5 }, ease = 'linear' } } }";
    let scene = build(&folder, "plank.gltf", "", text);
    for t in [0.0, 0.3, 0.8] {
        let back = rotation::from_rotation_y(-90f64.to_radians());
        let expected: Vec<DVec3> = plank_at(2.0 * t, 45.0 * t)
            .into_iter()
            .map(|p| back * p + DVec3::new(0.0, 0.0, 5.0 * t))
            .collect();
        same(&places(&scene, 0, t), &expected, &format!("at {t}"));
    }
}

#[test]
fn what_grows_along_one_axis_deforms() {
    let folder = TempDir::new().unwrap();
    plank(folder.path());
    let text = "shot:collider { name = 'a', from = set, object = 'Plank', clip = 'Grow' }";
    let scene = build(&folder, "plank.gltf", "", text);
    assert!(scene.bodies[0].deforming().is_some());
    let found = places(&scene, 0, 0.5);
    // Twice as long along its x, which is the world's -z; half as wide as it stands in the file.
    assert!((found[1] - found[0]).distance(DVec3::new(0.0, 0.0, -4.0)) < ROUNDING, "{found:?}");
    assert!((found[3] - found[0]).distance(DVec3::new(0.5, 0.0, 0.0)) < ROUNDING, "{found:?}");
}

#[test]
fn a_skin_is_carried_by_its_joints() {
    let folder = TempDir::new().unwrap();
    arm(folder.path());
    let text = "shot:collider { name = 'arm', from = set, object = 'Arm', clip = 'Bend', clip_start = 0.5 }";
    let scene = build(&folder, "arm.gltf", "", text);
    assert!(scene.mesh_of(0).open_edge().is_none(), "the arm is closed");
    assert!(scene.mesh_of(0).volume() > 0.0, "its triangles face outwards");
    for t in [0.0, 0.5, 0.75, 1.0, 1.4, 2.0] {
        let degrees = 90.0 * (t - 0.5f64).clamp(0.0, 1.0);
        let turn = rotation::from_rotation_z(degrees.to_radians());
        let mut expected = Vec::new();
        for ring in 0..=20 {
            let x = 0.1 * f64::from(ring);
            for (y, z) in [(HALF, -HALF), (HALF, HALF), (-HALF, HALF), (-HALF, -HALF)] {
                let (p, w) = (DVec3::new(x, y, z), bends(x));
                expected.push(p * (1.0 - w) + (turn * (p - DVec3::X) + DVec3::X) * w);
            }
        }
        same(&places(&scene, 0, t), &expected, &format!("at {t}"));
    }
}

#[test]
fn shapes_are_mixed_in() {
    let folder = TempDir::new().unwrap();
    cube(folder.path());
    let text = "shot:collider { name = 'cube', from = set, object = 'Cube', clip = 'Rise' }";
    let scene = build(&folder, "cube.gltf", "", text);
    for (t, risen) in [(0.0, 0.0), (0.5, 0.15), (1.0, 0.3), (1.75, 0.075), (3.0, 0.0)] {
        let expected: Vec<DVec3> = (0..8)
            .map(|i: u32| {
                let [x, y, z] = [i & 1, i >> 1 & 1, i >> 2].map(|k| 0.2 * f64::from(k) - 0.1);
                DVec3::new(x, y + 1.0 + if y > 0.0 { risen } else { 0.0 }, z)
            })
            .collect();
        same(&places(&scene, 0, t), &expected, &format!("at {t}"));
    }
}

/// During the preroll, the arm bends from how the file has it into the clip, which stands still until it
/// begins and moves from then on.
#[test]
fn before_the_first_frame_it_comes_in_from_rest() {
    let folder = TempDir::new().unwrap();
    arm(folder.path());
    let text = "shot:collider { name = 'arm', from = set, object = 'Arm', clip = 'Bend', clip_start = -0.5 }";
    let scene = build(&folder, "arm.gltf", ", preroll = 1", text);
    let angle = |t: f64| {
        let tip = places(&scene, 0, t)[80] - places(&scene, 0, t)[60];
        libm::atan2(tip.y, tip.x).to_degrees()
    };
    assert!(angle(-1.0).abs() < 1e-4);
    // Half-way in time is half-way to a bend of none.
    assert!(angle(-0.5).abs() < 1e-4);
    let part: f64 = 0.75 * 0.75 * (3.0 - 1.5);
    assert!((angle(-0.25) - part * 22.5).abs() < 1e-4, "{}", angle(-0.25));
    assert!((angle(0.0) - 45.0).abs() < 1e-4 && (angle(0.25) - 67.5).abs() < 1e-4);
}
