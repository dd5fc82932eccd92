//! How two runs differ, as `retake compare` tells it.

use crate::retake;
use crate::support::{falling, write};
use glam::DVec3;
use retake::math::Curve;
use retake::scene::{ImageFormat, Images, Scene};
use serde_json::{Value, json};
use std::path::Path;
use tempfile::TempDir;

/// A cloth that falls, and a block that stands.
fn shot() -> Scene {
    let mut scene = falling("fall", 6);
    let mut block = scene.bodies[0].clone();
    block.name = "block".into();
    block.kind = retake::scene::BodyKind::Collider;
    block.translate = Curve::Constant(DVec3::new(5.0, 0.0, 0.0));
    scene.bodies.push(block);
    scene
}

fn run(folder: &Path, scene: &Scene, out: &str) {
    write(folder, scene);
    let arguments = ["run", "fall.json", "--no-export", "--out", out];
    retake(folder).args(arguments).assert().code(0);
}

fn compared(folder: &Path, more: &[&str]) -> Value {
    let arguments = ["compare", "a", "b", "--json"];
    let told = retake(folder).args(arguments).args(more).assert().code(0);
    serde_json::from_slice(&told.get_output().stdout).unwrap()
}

fn told(folder: &Path) -> String {
    let told = retake(folder).args(["compare", "a", "b"]).assert().code(0);
    String::from_utf8_lossy(&told.get_output().stdout).into_owned()
}

fn named<'a>(list: &'a Value, name: &str) -> &'a Value {
    let all = list.as_array().unwrap();
    all.iter().find(|entry| entry["name"] == name).unwrap_or_else(|| panic!("{name}: {list:#}"))
}

#[test]
fn equal_runs_are_equal() {
    let folder = TempDir::new().unwrap();
    run(folder.path(), &shot(), "a");
    run(folder.path(), &shot(), "b");
    let all = compared(folder.path(), &[]);
    assert_eq!((&all["equal"], &all["shots"]), (&Value::from(true), &json!([])));
    assert_eq!(all["frames"], json!([1, 2, 3, 4, 5, 6, 7]));
    assert!(told(folder.path()).contains("frames and pictures are equal"));
}

/// A block that stands elsewhere is as far off in every frame; what is in one run only, or has another mesh,
/// is named.
#[test]
fn bodies_are_compared_by_their_names() {
    let folder = TempDir::new().unwrap();
    run(folder.path(), &shot(), "a");
    let mut other = shot();
    other.bodies[1].translate = Curve::Constant(DVec3::new(5.0, 0.25, 0.0));
    other.timing.frames = 4;
    let mut third = other.bodies[1].clone();
    third.name = "third".into();
    third.translate = Curve::Constant(DVec3::new(-5.0, 0.0, 0.0));
    other.bodies.push(third);
    run(folder.path(), &other, "b");
    let all = compared(folder.path(), &[]);
    assert_eq!(all["frames"], json!([1, 2, 3, 4, 5]));
    assert_eq!(all["equal"], false);
    let block = named(&all["bodies"], "block");
    for value in [&block["largest"], &block["rms"]] {
        // To the rounding of stored positions.
        assert!((value.as_f64().unwrap() - 0.25).abs() < 1e-7, "{block}");
    }
    let cloth = named(&all["bodies"], "cloth");
    assert_eq!((&cloth["largest"], &cloth["frame"]), (&Value::from(0.0), &Value::Null));
    assert_eq!(named(&all["bodies"], "third")["only_in"], "b");
    let text = told(folder.path());
    for line in ["body block, translate: [5.0,0.0,0.0] | [5.0,0.25,0.0]", "only in B"] {
        assert!(text.contains(line), "{text}");
    }
    let mut other = shot();
    let mesh = &mut other.meshes[0];
    let flipped = mesh.triangles[0];
    mesh.triangles[0] = [flipped[1], flipped[2], flipped[0]];
    run(folder.path(), &other, "b");
    let all = compared(folder.path(), &[]);
    assert_eq!(named(&all["bodies"], "cloth")["vertices"], json!({ "a": 16, "b": 16 }));
    assert!(told(folder.path()).contains("another mesh: 16 vertices and 18 triangles in A"));
}

/// A cloth that starts 1 m/s faster falls 1/24 m further in each frame.
#[test]
fn figures_and_places_of_what_moves_otherwise() {
    let folder = TempDir::new().unwrap();
    run(folder.path(), &shot(), "a");
    let mut other = shot();
    other.bodies[0].velocity = DVec3::new(0.0, -1.0, 0.0);
    run(folder.path(), &other, "b");
    let all = compared(folder.path(), &[]);
    let cloth = named(&all["bodies"], "cloth");
    assert_eq!(cloth["frame"], 7);
    let largest = cloth["largest"].as_f64().unwrap();
    assert!((largest - 0.25).abs() < 1e-3, "{largest}");
    let rms = cloth["rms"].as_f64().unwrap();
    let squares: f64 = (0..7).map(|k| f64::from(k * k)).sum();
    let expected = (squares / 7.0).sqrt() / 24.0;
    assert!((rms - expected).abs() < 1e-3, "{rms} {expected}");
    let fastest = named(&all["figures"], "fastest");
    let by = fastest["b"].as_f64().unwrap() - fastest["a"].as_f64().unwrap();
    assert!((by - 1.0).abs() < 1e-2, "{fastest}");
    assert!((fastest["largest"].as_f64().unwrap() - 1.0).abs() < 1e-2, "{fastest}");
}

#[test]
fn pictures_of_the_same_frames_are_compared() {
    let folder = TempDir::new().unwrap();
    let mut scene = shot();
    scene.output.images = Some(Images {
        width: 48,
        height: 27,
        samples: 1,
        every: 3,
        cameras: Vec::new(),
        shutter: 0.0,
        format: ImageFormat::Png,
        layers: Vec::new(),
    });
    run(folder.path(), &scene, "a");
    run(folder.path(), &scene, "b");
    let all = compared(folder.path(), &["--out", "same"]);
    assert_eq!(named(&all["pictures"], "0004")["largest"], 0);
    let file = folder.path().join("b/images/fall.0004.png");
    let mut picture = image::open(&file).unwrap().into_rgb8();
    let old = picture.get_pixel(3, 3).0;
    picture.put_pixel(3, 3, image::Rgb([old[0] ^ 128, old[1], old[2]]));
    picture.save(&file).unwrap();
    let all = compared(folder.path(), &["--out", "sheets"]);
    assert_eq!(all["equal"], false);
    let changed = named(&all["pictures"], "0004");
    assert_eq!(changed["largest"], 128);
    let rms = (128.0f64 * 128.0 / (48.0 * 27.0 * 3.0)).sqrt();
    assert!((changed["rms"].as_f64().unwrap() - rms).abs() < 1e-9, "{changed}");
    assert_eq!(named(&all["pictures"], "0001")["largest"], 0);
    let sheet = |name: &str| std::fs::read(folder.path().join(name).join("compare.png")).unwrap();
    assert_ne!(sheet("same"), sheet("sheets"));
    image::RgbImage::new(5, 4).save(&file).unwrap();
    assert!(told(folder.path()).contains("48 x 27 in A, 5 x 4 in B"));
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let folder = TempDir::new().unwrap();
    run(folder.path(), &shot(), "a");
    let refused = |arguments: &[&str], expected: &str| {
        let ended = retake(folder.path()).arg("compare").args(arguments).assert().code(2);
        let said = String::from_utf8_lossy(&ended.get_output().stderr).into_owned();
        assert!(said.contains(expected), "{said}");
    };
    refused(&["a"], "<B>");
    refused(&["a", "nowhere"], "not the folder of a run");
    refused(&["a", "a", "--out", "sheets"], "no numbered pictures");
    assert!(!folder.path().join("sheets").exists());
}
