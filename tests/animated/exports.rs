//! What exporters and edits make of clips: through the program itself, as a person has it.

use crate::files::{arm, plank};
use gltf::animation::Property::{MorphTargetWeights as Weights, Rotation, Translation};
use retake::math::rotation;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

fn retake(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_retake"));
    command.current_dir(folder).args(arguments).env("NO_COLOR", "1");
    command.output().expect("the program starts")
}

fn said(output: &Output) -> String {
    let [out, err] = [&output.stdout, &output.stderr].map(|b| String::from_utf8_lossy(b));
    format!("{out}{err}")
}

const SCRIPT: &str = "local retake = require 'retake'\n\
    local shot = retake.shot { name = 'clips', fps = 24, frames = 8 }\n\
    local arm = retake.stage 'arm.gltf'\n\
    local plank = retake.stage 'plank.gltf'\n\
    shot:collider { name = 'arm', from = arm, object = 'Arm', clip = 'Bend' }\n\
    shot:collider { name = 'plank', from = plank, object = 'Plank', clip = 'Go' }\n\
    shot:cloth { name = 'sheet', mesh = retake.mesh.grid { size = 0.4, vertices = 5, center = { 1.7, 0.1, 0 }, normal = { 0, 1, 0 } } }\n\
    shot:camera { name = 'cam', from = plank, object = 'ShotCam' }\n\
    shot:output { obj = true, sheet = 0, images = { width = 32, height = 18, samples = 1 } }\n\
    return shot\n";

fn run(folder: &TempDir) -> String {
    let ran = retake(folder.path(), &["run", "shot.lua", "--out", "out", "--progress", "none"]);
    assert_eq!(ran.status.code(), Some(0), "{}", said(&ran));
    said(&ran)
}

/// Where the nodes and morph targets of the exported file have the vertices at a frame, against the OBJ file.
#[test]
fn skins_become_shapes_and_pieces_become_nodes() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("shot.lua"), SCRIPT).unwrap();
    arm(folder.path());
    plank(folder.path());
    run(&folder);
    let out = folder.path().join("out");
    let file = gltf::Gltf::open(out.join("gltf/clips.glb")).expect("a good file");
    let animation = file.animations().next().expect("it moves");
    let mut moved: Vec<(String, gltf::animation::Property)> = animation
        .channels()
        .map(|c| (c.target().node().name().unwrap().to_owned(), c.target().property()))
        .collect();
    moved.sort_by_key(|(name, property)| (name.clone(), format!("{property:?}")));
    let expected = [
        ("arm", Weights),
        ("cam", Translation),
        ("plank", Rotation),
        ("plank", Translation),
        ("sheet", Weights),
    ];
    assert_eq!(moved, expected.map(|(name, property)| (name.to_owned(), property)));
    let shapes = |name: &str| {
        let mesh = file.meshes().find(|m| m.name() == Some(name)).expect("it is there");
        mesh.primitives().next().unwrap().morph_targets().count()
    };
    assert_eq!((shapes("arm"), shapes("plank")), (8, 0));
    // After a third of a second the arm is bent by 30 degrees: its tip is there.
    let obj = std::fs::read_to_string(out.join("obj/arm.0009.obj")).unwrap();
    let turn = rotation::from_rotation_z(30f64.to_radians());
    let tip = turn * glam::DVec3::new(1.0, 0.05, -0.05) + glam::DVec3::X;
    let last: Vec<f64> = obj
        .lines()
        .filter_map(|line| line.strip_prefix("v "))
        .nth(80)
        .unwrap()
        .split(' ')
        .map(|x| x.parse().unwrap())
        .collect();
    assert!(glam::DVec3::from_slice(&last).distance(tip) < 1e-5, "{last:?} in place of {tip}");
    for name in ["cache/arm.pc2", "obj/plank.0009.obj", "images/clips.0001.png"] {
        assert!(out.join(name).exists(), "no {name}");
    }
    let verified = retake(folder.path(), &["verify", "out"]);
    assert_eq!(verified.status.code(), Some(0), "{}", said(&verified));
}

#[test]
fn clips_and_cameras_are_told_as_names_to_paste() {
    let folder = TempDir::new().unwrap();
    plank(folder.path());
    let told = said(&retake(folder.path(), &["inspect", "plank.gltf"]));
    assert!(told.contains("Plank "), "{told}");
    assert!(told.contains("clips: Go, Jump, Glide, Grow, Pan\ncameras: ShotCam\n"), "{told}");
}

/// An edit of the file's last key keeps the frames before the one before it; one of a camera keeps all.
#[test]
fn an_edit_of_the_file_makes_again_what_it_touches() {
    let folder = TempDir::new().unwrap();
    std::fs::write(
        folder.path().join("shot.lua"),
        SCRIPT.replace("'Bend'", "'Wave', clip_speed = 8"),
    )
    .unwrap();
    arm(folder.path());
    plank(folder.path());
    run(&folder);
    let frame =
        |number: u32| std::fs::read(folder.path().join(format!("out/frames/{number:04}.frame")));
    let names: Vec<_> = std::fs::read_dir(folder.path().join("out/frames")).unwrap().collect();
    let before = frame(2).unwrap_or_else(|_| panic!("frames are called otherwise: {names:?}"));
    // The last key, at 2 s of the clip, moves to 1.8 s: all is the same up to the key at 1 s, which is
    // frame 4 of the shot.
    let path = folder.path().join("arm.bin");
    let mut bytes = std::fs::read(&path).unwrap();
    let times: Vec<u8> = [0f32, 1.0, 2.0].iter().flat_map(|t| t.to_le_bytes()).collect();
    let at = bytes.windows(12).position(|w| w == times).expect("the keys of `Wave`");
    bytes[at + 8..at + 12].copy_from_slice(&1.8f32.to_le_bytes());
    std::fs::write(&path, bytes).unwrap();
    let said = run(&folder);
    assert_eq!(frame(2).unwrap(), before);
    assert!(said.contains("frame"), "{said}");
    let again = run(&folder);
    assert!(!again.is_empty());
}
