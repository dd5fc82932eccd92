//! Several samples a frame: through the program itself, as a person has them.
#![allow(missing_docs)]

#[path = "export/ogawa.rs"]
#[allow(dead_code, reason = "the tests of Alembic read more")]
mod ogawa;
#[path = "support/mod.rs"]
mod support;

use glam::{DVec3, Quat, Vec3};
use gltf::animation::util::ReadOutputs;
use openusd::sdf::Value;
use openusd::usd::{Stage, TimeCode};
use retake::frames::{BodyState, Store};
use retake::math::rotation;
use std::path::Path;
use std::process::{Command, Output};
use support::assert_equal_files;
use tempfile::TempDir;

/// A thrown box, a sheet that falls on a post which moves, and a camera that zooms; frames 10 to 16.
const SCRIPT: &str = "local retake = require 'retake'
local shot = retake.shot { name = 'throw', fps = 24, frames = 6, start_frame = 10 }
shot:rigid { name = 'thrown', mesh = retake.mesh.box { size = 0.2 }, translate = { -3, 1, 0 }, velocity = { 2, 4, 0 }, spin = { 0, 0, 720 } }
shot:collider { name = 'post', mesh = retake.mesh.sphere { radius = 0.2, subdivisions = 2 },
  translate = retake.keys { { 0, { 0, 0, 0 } }, { 0.25, { 0, 0.1, 0 } } } }
shot:cloth { name = 'sheet', mesh = retake.mesh.grid { size = 0.6, vertices = 9, center = { 0, 0.21, 0 }, normal = { 0, 1, 0 } }, velocity = { 0, -2, 0 } }
shot:camera { name = 'cam', position = { 0, 1, 3 }, look_at = { 0, 0, 0 }, lens = retake.keys { { 0, 35 }, { 0.25, 50 } } }
shot:output { subframes = 4, usd = true, alembic = true, obj = true, sheet = 0 }
return shot
";

const FIRST: f64 = 10.0;
const FRAMES: usize = 6;
const SUBFRAMES: usize = 4;
const SAMPLES: usize = FRAMES * SUBFRAMES + 1;

/// Where sample `i` is, counted in frames.
fn place(i: usize) -> f64 {
    FIRST + i as f64 / SUBFRAMES as f64
}

fn retake(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_retake"));
    command.current_dir(folder).args(arguments).env("NO_COLOR", "1");
    command.output().expect("the program starts")
}

fn said(output: &Output) -> String {
    let [out, err] = [&output.stdout, &output.stderr].map(|b| String::from_utf8_lossy(b));
    format!("{out}{err}")
}

/// Runs the program, which has to end with `code`, and gives what it said.
fn expect(folder: &Path, arguments: &[&str], code: i32) -> String {
    let output = retake(folder, arguments);
    assert_eq!(output.status.code(), Some(code), "{}", said(&output));
    said(&output)
}

fn write(folder: &TempDir, script: &str) {
    std::fs::write(folder.path().join("shot.lua"), script).unwrap();
}

/// The script in a folder of its own, and its run in `out`.
fn ran() -> TempDir {
    let folder = TempDir::new().unwrap();
    write(&folder, SCRIPT);
    expect(folder.path(), &["run", "shot.lua", "--out", "out"], 0);
    folder
}

/// The samples of a point cache with their count, which come after a header of so many bytes.
fn samples(file: &[u8], header: usize, number: fn([u8; 4]) -> f32) -> Vec<Vec<[f32; 3]>> {
    let numbers: Vec<f32> = file[header..].as_chunks::<4>().0.iter().map(|b| number(*b)).collect();
    let points: Vec<[f32; 3]> = numbers.as_chunks::<3>().0.to_vec();
    points.chunks(81).map(<[_]>::to_vec).collect()
}

/// The caches of the sheet as one list of samples.
fn sheet(out: &Path) -> Vec<Vec<[f32; 3]>> {
    let file = std::fs::read(out.join("cache/sheet.pc2")).unwrap();
    let word = |at: usize| <[u8; 4]>::try_from(&file[at..at + 4]).unwrap();
    assert_eq!(f32::from_le_bytes(word(20)), 10.0, "the first sample's frame");
    assert_eq!(f32::from_le_bytes(word(24)), 0.25, "frames a sample");
    assert_eq!(i32::from_le_bytes(word(28)), SAMPLES as i32);
    let all = samples(&file, 32, f32::from_le_bytes);
    assert_eq!(all.len(), SAMPLES);
    all
}

#[test]
fn every_format_with_an_animation_holds_the_same_samples_at_their_times() {
    let folder = ran();
    let out = folder.path().join("out");
    let sheet = sheet(&out);
    // At whole frames they are what the files of frames hold.
    for frame in 0..=FRAMES {
        let obj =
            std::fs::read_to_string(out.join(format!("obj/sheet.{:04}.obj", 10 + frame))).unwrap();
        let vertices = obj.lines().filter_map(|line| line.strip_prefix("v "));
        for (line, point) in vertices.zip(&sheet[SUBFRAMES * frame]) {
            let place: Vec<f32> = line.split(' ').map(|x| x.parse().unwrap()).collect();
            assert!(Vec3::from_slice(&place).distance(Vec3::from_array(*point)) < 1e-6, "{line}");
        }
    }
    assert!(!out.join("obj/sheet.0017.obj").exists());

    expect(folder.path(), &["export", "out", "--format", "mdd"], 0);
    let mdd = std::fs::read(out.join("cache/sheet.mdd")).unwrap();
    let word = |at: usize| <[u8; 4]>::try_from(&mdd[at..at + 4]).unwrap();
    assert_eq!(i32::from_be_bytes(word(0)), SAMPLES as i32);
    for i in 0..SAMPLES {
        assert_eq!(f32::from_be_bytes(word(8 + 4 * i)), (place(i) / 24.0) as f32);
    }
    assert_eq!(samples(&mdd, 8 + 4 * SAMPLES, f32::from_be_bytes), sheet);

    let stage = Stage::open(out.join("usd/throw.usdc").to_str().unwrap()).unwrap();
    let points = stage.prim("/root/sheet").attribute("points");
    let places: Vec<f64> = (0..SAMPLES).map(place).collect();
    assert_eq!(points.time_sample_times().unwrap(), places);
    for (i, expected) in sheet.iter().enumerate() {
        let Some(Value::Vec3fVec(found)) = points.get_at(TimeCode::new(place(i))).unwrap() else {
            panic!("points are vectors")
        };
        assert_eq!(&found.iter().map(|p| [p.x, p.y, p.z]).collect::<Vec<_>>(), expected);
    }
    assert_eq!((stage.start_time_code(), stage.end_time_code()), (10.0, 16.0));
    let turns = stage.prim("/root/thrown").attribute("xformOp:transform");
    assert_eq!(turns.time_sample_times().unwrap(), places);

    let archive = ogawa::read(&std::fs::read(out.join("abc/throw.abc")).unwrap());
    assert_eq!(archive.clocks[1], (SAMPLES as u32, 0.25 / 24.0, vec![10.0 / 24.0]));
    let points = archive.top.at("sheet/sheetShape").values(".geom/P");
    assert_eq!(points.count, SAMPLES);
    for (i, expected) in sheet.iter().enumerate() {
        assert_eq!(&points.vectors(i), expected);
    }

    let file = gltf::Gltf::open(out.join("gltf/throw.glb")).unwrap();
    let blob = file.blob.clone().unwrap();
    let mesh = file.meshes().find(|mesh| mesh.name() == Some("sheet")).unwrap();
    let reader = mesh.primitives().next().unwrap();
    let reader = reader.reader(|_| Some(&blob));
    let first: Vec<[f32; 3]> = reader.read_positions().unwrap().collect();
    let targets: Vec<_> = reader.read_morph_targets().collect();
    assert_eq!(targets.len(), SAMPLES - 1);
    for (i, (positions, ..)) in targets.into_iter().enumerate() {
        for ((way, from), to) in positions.unwrap().zip(&first).zip(&sheet[i + 1]) {
            let place = Vec3::from_array(*from) + Vec3::from_array(way);
            assert!(place.distance(Vec3::from_array(*to)) < 1e-6);
        }
    }
    for channel in file.animations().next().unwrap().channels() {
        let times: Vec<f32> = channel.reader(|_| Some(&blob)).read_inputs().unwrap().collect();
        let expected: Vec<f32> = (0..SAMPLES).map(|i| (place(i) / 24.0) as f32).collect();
        assert_eq!(times, expected, "{:?}", channel.target().node().name());
    }

    let script = std::fs::read_to_string(out.join("import_throw.py")).unwrap();
    assert!(script.contains("\"subframes\": 4,"));
    let lenses = script.split("\"lens\": [").nth(1).unwrap().split(']').next().unwrap();
    assert_eq!(lenses.split(',').count(), SAMPLES);
}

/// Its places bend as much at each sample: those of a blend of two frames would do so at frames only, four times as
/// much. How fast it flies is off by what its first steps, of first order, leave out, with any number of samples.
#[test]
fn samples_of_what_is_thrown_lie_on_its_parabola() {
    let folder = ran();
    let file = gltf::Gltf::open(folder.path().join("out/gltf/throw.glb")).unwrap();
    let blob = file.blob.clone().unwrap();
    let animation = file.animations().next().unwrap();
    let mut keys = 0;
    for channel in animation.channels().filter(|c| c.target().node().name() == Some("thrown")) {
        let time = |i: usize| (place(i) - FIRST) / 24.0;
        match channel.reader(|_| Some(&blob)).read_outputs().unwrap() {
            ReadOutputs::Translations(places) => {
                let places: Vec<DVec3> =
                    places.map(|place| Vec3::from_array(place).as_dvec3()).collect();
                for (i, found) in places.iter().enumerate() {
                    let t = time(i);
                    let flown = DVec3::new(2.0 * t, 4.0 * t - 0.5 * 9.81 * t * t, 0.0);
                    let off = found.distance(DVec3::new(-3.0, 1.0, 0.0) + flown);
                    assert!(off <= 0.03 * t, "{off} m off at {t} s");
                    keys += 1;
                }
                for three in places[2..].windows(3) {
                    let bend = three[0] - 2.0 * three[1] + three[2];
                    let off = bend.distance(DVec3::Y * -9.81 * (time(1) * time(1)));
                    assert!(off < 2e-6, "{off} m off, which numbers of 32 bits do not explain");
                }
            }
            ReadOutputs::Rotations(turns) => {
                for (i, found) in turns.into_f32().enumerate() {
                    let turn = rotation::from_rotation_z((720.0 * time(i)).to_radians()).as_quat();
                    let off =
                        rotation::angle_from(Quat::from_array(found).as_dquat(), turn.as_dquat());
                    assert!(off < 2e-3, "{off} rad off at {} s", time(i));
                    keys += 1;
                }
            }
            _ => panic!("it does not come or go"),
        }
    }
    assert_eq!(keys, 2 * SAMPLES);
}

#[test]
fn verify_looks_at_each_sample() {
    let folder = ran();
    let told = expect(folder.path(), &["verify", "out"], 0);
    assert!(told.contains("7 frames, 18 samples between them and"), "{told}");
    let store = Store::new(folder.path().join("out/frames"));
    let whole = store.record(13).unwrap();
    let mut crossed = whole.clone();
    let BodyState::Deformed { positions } = &mut crossed.frame.samples[1].bodies[2] else {
        panic!("a sheet deforms")
    };
    for place in positions {
        place[1] -= 0.3;
    }
    store.write_record(&crossed).unwrap();
    let told = expect(folder.path(), &["verify", "out"], 1);
    assert!(told.contains("frame 12 and 2/4: triangle"), "{told}");
    assert!(!told.contains("frame 13: triangle"), "{told}");
    let mut fewer = whole;
    fewer.frame.samples.pop();
    store.write_record(&fewer).unwrap();
    let told = expect(folder.path(), &["verify", "out"], 1);
    assert!(told.contains("frame 13: it has 2 samples, not 3"), "{told}");
    let told = expect(folder.path(), &["export", "out", "--format", "usd", "--frames", "12-14"], 1);
    assert!(told.contains("frame 13 holds 3 samples a frame, not 4"), "{told}");
}

#[test]
fn any_number_of_threads_and_any_stop_end_in_equal_bytes() {
    let folder = ran();
    let (path, out) = (folder.path(), folder.path().join("out"));
    for threads in ["1", "3"] {
        expect(path, &["run", "shot.lua", "--out", threads, "--threads", threads], 0);
        assert_equal_files(&out, &path.join(threads));
    }
    expect(path, &["run", "shot.lua", "--out", "stopped", "--until", "12"], 0);
    expect(path, &["run", "shot.lua", "--out", "stopped"], 0);
    std::fs::remove_file(path.join("stopped/frames/0014.frame")).unwrap();
    expect(path, &["run", "shot.lua", "--out", "stopped"], 0);
    assert_equal_files(&out, &path.join("stopped"));
}

#[test]
fn other_samples_are_another_solution() {
    let folder = ran();
    let path = folder.path();
    write(&folder, &SCRIPT.replace("subframes = 4", "subframes = 2"));
    let told = expect(path, &["why", "out"], 0);
    assert!(told.contains("subframes: 2, was 4"), "{told}");
    let told = expect(path, &["run", "shot.lua", "--out", "out"], 0);
    assert!(told.contains("all frames are made again"), "{told}");
    expect(path, &["run", "shot.lua", "--out", "whole"], 0);
    assert_equal_files(&path.join("out"), &path.join("whole"));
    let one = SCRIPT.replace("subframes = 4, ", "");
    write(&folder, &one);
    expect(path, &["run", "shot.lua", "--out", "one"], 0);
    let scene = std::fs::read_to_string(path.join("one/frames/scene.json")).unwrap();
    assert!(!scene.contains("subframes"), "what has one sample a frame is as it was");
}

/// What lies apart from an edit is taken over, leg by leg, and comes to the same.
#[test]
fn an_edit_leaves_the_regions_that_it_does_not_touch() {
    let sheets = "local retake = require 'retake'
local shot = retake.shot { name = 'two', fps = 24, frames = 8 }
for i = 0, 1 do
  shot:collider { name = 'post' .. i, mesh = retake.mesh.sphere { radius = 0.2, subdivisions = 2 }, translate = { 9 * i, 0, 0 } }
  shot:cloth { name = 'sheet' .. i, mesh = retake.mesh.grid { size = 0.6, vertices = 9, center = { 9 * i, 0.21, 0 }, normal = { 0, 1, 0 } }, velocity = { 0, i > 0 and -1 or 0, 0 } }
end
shot:output { subframes = 3, sheet = 0 }
return shot
";
    let folder = TempDir::new().unwrap();
    write(&folder, sheets);
    expect(folder.path(), &["run", "shot.lua", "--out", "out"], 0);
    write(&folder, &sheets.replace("and -1 or", "and -1.1 or"));
    let told = expect(folder.path(), &["run", "shot.lua", "--out", "out"], 0);
    assert!(told.contains("taken over: sheet0, frames 3 to 9"), "{told}");
    assert!(!told.contains("taken over: sheet1"), "{told}");
    expect(folder.path(), &["run", "shot.lua", "--out", "whole"], 0);
    assert_equal_files(&folder.path().join("out"), &folder.path().join("whole"));
}

#[test]
fn an_export_of_some_frames_has_the_samples_between_them() {
    let folder = ran();
    expect(folder.path(), &["export", "out", "--format", "pc2", "--frames", "12-14"], 0);
    let file = std::fs::read(folder.path().join("out/cache/sheet.pc2")).unwrap();
    let word = |at: usize| <[u8; 4]>::try_from(&file[at..at + 4]).unwrap();
    assert_eq!((f32::from_le_bytes(word(20)), i32::from_le_bytes(word(28))), (12.0, 9));
}

#[test]
fn what_cannot_be_is_refused_and_what_holds_no_samples_is_told() {
    let folder = TempDir::new().unwrap();
    for wrong in ["0", "65", "1.5", "'two'"] {
        write(&folder, &SCRIPT.replace("subframes = 4", &format!("subframes = {wrong}")));
        let told = expect(folder.path(), &["check", "shot.lua"], 2);
        assert!(told.contains("`subframes`"), "{told}");
    }
    write(&folder, SCRIPT);
    let told = expect(folder.path(), &["check", "shot.lua"], 0);
    assert!(told.contains("`subframes`: OBJ files hold whole frames only"), "{told}");
    write(&folder, &SCRIPT.replace("obj = true, ", ""));
    let told = expect(folder.path(), &["check", "shot.lua"], 0);
    assert!(!told.contains("whole frames"), "{told}");
    expect(folder.path(), &["run", "shot.lua", "--out", "out", "--until", "11"], 0);
    let told = expect(folder.path(), &["export", "out", "--format", "ply"], 0);
    assert!(told.contains("`ply` has a file a frame: of whole frames only"), "{told}");

    let mut scene = support::falling("fall", 2);
    scene.output.subframes = 65;
    support::write(folder.path(), &scene);
    let told = expect(folder.path(), &["run", "fall.json"], 2);
    assert!(told.contains("subframes: from 1 to 64"), "{told}");
}

/// Steps are parts of a frame, not of the way to a sample, as long as these are longer.
#[test]
fn samples_between_substeps_cost_none() {
    let steps = |subframes: u32| {
        let folder = TempDir::new().unwrap();
        let mut scene = support::falling("fall", 6);
        scene.output.subframes = subframes;
        support::write(folder.path(), &scene);
        expect(folder.path(), &["run", "fall.json", "--out", "out"], 0);
        let store = Store::new(folder.path().join("out/frames"));
        (2..=7).map(|n| store.record(n).unwrap().frame.figures.steps).collect::<Vec<_>>()
    };
    let one = steps(1);
    assert_eq!(steps(2), one);
    assert_eq!(steps(4), one);
    assert!(steps(64).iter().all(|count| *count == 64));
}
