//! USD files, read back with the program's own reader and with the library beneath it.

use super::{frames, names, scene, scripted, short};
use glam::{DQuat, DVec3, Vec3};
use openusd::sdf::Value;
use openusd::usd::{Stage, TimeCode};
use retake::export::{Format, Shot, write};
use retake::frames::{BodyState, Frame, FrameSource};
use retake::geometry::read::{Rigged, StageNode, rigged_camera, rigged_mesh, stage_nodes};
use retake::geometry::rig::Hangs;
use retake::scene::Scene;
use std::path::Path;

const NAME: &str = "usd/shot.usdc";

fn alone(_: &str) -> std::io::Result<Vec<u8>> {
    Err(std::io::Error::other("there is nothing beside it"))
}

/// Writes a shot and gives the file's bytes.
fn written(scene: &Scene, frames: &dyn FrameSource, folder: &Path) -> Vec<u8> {
    let done = write(Format::Usd, &Shot::new(scene, frames), folder).unwrap();
    assert!(done.complete && done.notes.is_empty());
    std::fs::read(folder.join(NAME)).unwrap()
}

fn node<'a>(nodes: &'a [StageNode], name: &str) -> &'a StageNode {
    nodes.iter().find(|n| n.name == name).unwrap_or_else(|| panic!("no {name}: {nodes:?}"))
}

/// A mesh of the file with its motion, where it has any.
fn moved(bytes: &[u8], name: &str) -> Rigged {
    let nodes = stage_nodes(bytes, NAME, &alone).unwrap();
    rigged_mesh(bytes, NAME, node(&nodes, name).node, Some("samples"), &alone).unwrap()
}

fn places(rigged: &Rigged, t: f64) -> Vec<[f32; 3]> {
    let all = match &rigged.rig {
        None => rigged.mesh.positions.clone(),
        Some(rig) if matches!(rig.hangs, Hangs::Piece(_)) => {
            let (place, turn) = rig.pose(t, 1.0);
            rigged.mesh.positions.iter().map(|p| turn * *p + place).collect()
        }
        Some(rig) => rig.places(&rigged.mesh.positions, t, 1.0),
    };
    all.iter().map(|p| p.as_vec3().to_array()).collect()
}

fn assert_near(found: &[[f32; 3]], expected: &[[f32; 3]], most: f32, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (p, q) in found.iter().zip(expected) {
        let off = Vec3::from_array(*p).distance(Vec3::from_array(*q));
        assert!(off <= most, "{what}: {p:?} in place of {q:?}");
    }
}

/// An attribute of a prim at a time code.
fn value(stage: &Stage, prim: &str, attribute: &str, code: f64) -> Value {
    let attribute = stage.prim(prim).attribute(attribute);
    attribute.get_at::<Value>(TimeCode::new(code)).unwrap().unwrap()
}

fn token(value: &Value) -> String {
    let Value::Token(word) = value else { panic!("{value:?}") };
    word.to_string()
}

fn open(folder: &Path) -> Stage {
    Stage::open(folder.join(NAME).to_str().unwrap()).unwrap()
}

#[test]
fn every_body_is_read_back_where_its_frames_have_it() {
    let (mut scene, _) = short();
    scene.timing.start_frame = -2;
    let frames = frames(&scene);
    let folder = tempfile::tempdir().unwrap();
    let bytes = written(&scene, &frames, folder.path());
    assert_eq!(names(folder.path()), [NAME]);
    for body in [0, 1, 2, 3, 4, 6] {
        let name = &scene.bodies[body].name;
        let rigged = moved(&bytes, name);
        assert_eq!(rigged.mesh.triangles, scene.mesh_of(body).triangles, "{name}");
        for frame in &frames {
            let t = f64::from(frame.number + 2) / 24.0;
            let expected = frame.world_positions(&scene, body);
            // Points of the frames are those of the file; a matrix rounds, and so do turns of clips.
            let most = if body == 0 { 1e-7 } else { 2e-6 };
            let what = format!("{name} at frame {}", frame.number);
            assert_near(&places(&rigged, t), &expected, most, &what);
        }
    }
    let uvs = &moved(&bytes, "cape").mesh.uvs;
    assert_eq!(uvs.len(), 81);
    for (uv, expected) in uvs.iter().zip(&scene.mesh_of(0).uvs) {
        assert_eq!(uv.as_vec2(), expected.as_vec2());
    }
    let nodes = stage_nodes(&bytes, NAME, &alone).unwrap();
    assert!(!nodes.iter().any(|n| n.name == "helper"));
}

/// The library reads what it is, without rounding: every sample of the points, at the frame's number.
#[test]
fn points_have_a_sample_a_frame_at_its_number() {
    let (scene, frames) = short();
    let folder = tempfile::tempdir().unwrap();
    written(&scene, &frames, folder.path());
    let stage = open(folder.path());
    let times = |prim: &str, name: &str| {
        stage.prim(prim).attribute(name).time_sample_times().unwrap_or_default()
    };
    for name in ["points", "normals", "extent"] {
        assert_eq!(times("/root/cape", name), [1.0, 2.0, 3.0, 4.0, 5.0], "{name}");
        assert!(times("/root/box", name).is_empty(), "{name}");
    }
    assert_eq!(times("/root/box", "xformOp:transform").len(), 5);
    assert!(times("/root/table", "xformOp:transform").is_empty(), "it stands still");
    for frame in &frames {
        let Value::Vec3fVec(points) = value(&stage, "/root/cape", "points", frame.number.into())
        else {
            panic!("points are vectors")
        };
        let points: Vec<[f32; 3]> = points.iter().map(|p| [p.x, p.y, p.z]).collect();
        assert_eq!(points, frame.world_positions(&scene, 0));
    }
    assert_eq!(
        (stage.start_time_code(), stage.end_time_code(), stage.time_codes_per_second()),
        (1.0, 5.0, 24.0)
    );
}

#[test]
fn cameras_lights_and_groups_stand_where_the_shot_has_them() {
    let (scene, frames) = short();
    let folder = tempfile::tempdir().unwrap();
    let bytes = written(&scene, &frames, folder.path());
    let nodes = stage_nodes(&bytes, NAME, &alone).unwrap();
    let main = node(&nodes, "main");
    let camera = rigged_camera(&bytes, NAME, main.node, Some("samples"), &alone).unwrap();
    let half = 0.5 * 36.0 / 35.0 * 540.0 / 960.0;
    assert!((camera.yfov - 2.0 * libm::atan(half)).abs() < 1e-6, "{}", camera.yfov);
    for t in [0.0, 4.0 / 24.0] {
        let sight = scene.cameras[0].sight_at(t);
        let (place, turn) = camera.rig.pose(t, 1.0);
        assert!(place.distance(sight.position) < 1e-9, "{place}");
        let ahead = (sight.look_at - sight.position).normalize();
        assert!((turn * DVec3::NEG_Z).distance(ahead) < 1e-6, "{turn}");
    }
    let stage = open(folder.path());
    for (name, kind, strength) in [
        ("sun", "DistantLight", 3.0),
        ("key", "RectLight", 3.0 / std::f32::consts::PI),
        ("bulb", "SphereLight", 3.0 / std::f32::consts::PI),
        ("sky", "DomeLight", 3.0),
    ] {
        let path = format!("/root/{name}");
        assert_eq!(stage.prim(path.as_str()).type_name().unwrap().unwrap().to_string(), kind);
        let intensity = value(&stage, &path, "inputs:intensity", 1.0);
        assert!(matches!(intensity, Value::Float(x) if x == strength), "{intensity:?}");
    }
    let key = node(&nodes, "key");
    assert!(key.translate.distance(DVec3::new(1.0, 3.0, 1.0)) < 1e-12);
    let down = key.rotate * DVec3::NEG_Z;
    assert!(down.distance(-key.translate.normalize()) < 1e-9, "{down}");
    for name in ["cup_1", "cup_2"] {
        let path = format!("/root/set/cups/{name}");
        assert_eq!(stage.prim(path.as_str()).type_name().unwrap().unwrap().to_string(), "Mesh");
    }
}

/// Cups of one look share a material, and those and the twin of the box their points: the file is
/// hardly larger for them.
#[test]
fn equal_looks_are_one_material_and_equal_meshes_one_in_the_file() {
    let (scene, frames) = short();
    let folder = tempfile::tempdir().unwrap();
    let whole = written(&scene, &frames, folder.path()).len();
    let stage = open(folder.path());
    let shader = "/root/Looks/cup_1_look/preview";
    let Value::Float(opacity) = value(&stage, shader, "inputs:opacity", 1.0) else { panic!() };
    assert!((opacity - 0.05).abs() < 1e-6, "half there, and nine tenths pass: {opacity}");
    assert!(!stage.prim("/root/Looks/cup_2_look").is_valid().unwrap());
    assert!(stage.prim("/root/Looks/twin_look").is_valid().unwrap());
    let mut fewer = scene.clone();
    fewer.bodies[4].exports = false;
    let less = written(&fewer, &frames, folder.path()).len();
    assert!(whole - less < 500, "{whole} and {less} bytes");
}

/// Frames 1 to 5 lie at 0 to 4/24 s: the cape is there from the second on, the table up to the third.
#[test]
fn what_comes_or_goes_is_invisible_while_it_is_away() {
    let (mut scene, frames) = short();
    scene.bodies[0].appears = Some(1.0 / 24.0);
    scene.bodies[2].disappears = Some(3.0 / 24.0);
    let folder = tempfile::tempdir().unwrap();
    written(&scene, &frames, folder.path());
    let stage = open(folder.path());
    let seen = |prim: &str| -> String {
        let word = |f: i32| token(&value(&stage, prim, "visibility", f.into()));
        (1..=5).map(|f| if word(f) == "inherited" { '#' } else { '.' }).collect()
    };
    assert_eq!(seen("/root/cape"), ".####");
    assert_eq!(seen("/root/table"), "###..");
    let none = stage.prim("/root/box").attribute("visibility").get_at::<Value>(TimeCode::new(1.0));
    assert!(none.unwrap().is_none());
}

#[test]
fn names_that_usd_does_not_allow_are_made_words() {
    let (mut scene, frames) = short();
    for (body, name) in [(0, "2nd cape"), (3, "a-cup"), (4, "a.cup"), (2, "Looks")] {
        scene.bodies[body].name = name.to_owned();
    }
    let folder = tempfile::tempdir().unwrap();
    written(&scene, &frames, folder.path());
    let stage = open(folder.path());
    for path in
        ["_2nd_cape", "set/cups/a_cup", "set/cups/a_cup_2", "Looks_2", "Looks/_2nd_cape_look"]
    {
        assert!(stage.prim(format!("/root/{path}").as_str()).is_valid().unwrap(), "{path}");
    }
}

#[test]
fn ropes_are_tubes() {
    let scene = scripted::scene(
        "local shot = retake.shot{ name = 'shot', frames = 2 }
        shot:rope{ name = 'cord', radius = 0.01,
          mesh = retake.mesh.rope{ from = { 0, 1, 0 }, to = { 1, 1, 0 }, segments = 10 } }",
    );
    let frames: Vec<Frame> = (1..=3).map(|n| super::frame_of(&scene, n)).collect();
    let folder = tempfile::tempdir().unwrap();
    let bytes = written(&scene, &frames, folder.path());
    let tube = moved(&bytes, "cord").mesh;
    assert!(tube.triangles.len() > 100);
    for p in &tube.positions {
        let off = (p.y - 1.0).hypot(p.z);
        assert!(off < 0.01 + 1e-6 && (-0.011..=1.011).contains(&p.x), "{p}");
    }
}

#[test]
fn a_frame_of_another_scene_leaves_no_file() {
    let (scene, mut frames) = short();
    frames[3].bodies[1] = BodyState::Deformed { positions: frames[3].world_positions(&scene, 1) };
    let folder = tempfile::tempdir().unwrap();
    let refused = write(Format::Usd, &Shot::new(&scene, &frames), folder.path()).unwrap_err();
    assert_eq!(refused.message, "frame 4 is not of this scene");
    assert_eq!(names(folder.path()), [""; 0]);
}

/// The box turns by 600 degrees in 24 frames: matrices a frame, not the shorter way over all.
#[test]
fn turns_are_those_of_every_frame() {
    let scene = scene();
    let frames = frames(&scene);
    let folder = tempfile::tempdir().unwrap();
    written(&scene, &frames, folder.path());
    let stage = open(folder.path());
    for frame in &frames {
        let Value::Matrix4d(matrix) =
            value(&stage, "/root/box", "xformOp:transform", frame.number.into())
        else {
            panic!("it is a matrix")
        };
        let BodyState::Posed { translate, rotate } = &frame.bodies[1] else { panic!("a pose") };
        let turn = DQuat::from_array(rotate.map(f64::from)).normalize();
        let rows = [turn * DVec3::X, turn * DVec3::Y, turn * DVec3::Z];
        for (k, row) in rows.iter().enumerate() {
            let found = DVec3::from_slice(&matrix.0[4 * k..4 * k + 3]);
            assert!(found.distance(*row) < 1e-12, "{found} and {row}");
        }
        assert_eq!(matrix.0[12..15], translate.map(f64::from));
    }
}
