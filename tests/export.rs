//! What exporters write, read back: with our own readers, the gltf crate, and by hand.

#[path = "export/alembic.rs"]
mod alembic_files;
#[path = "export/ogawa.rs"]
mod ogawa;
#[path = "support/scripted.rs"]
mod scripted;
mod shots;
#[path = "export/usd.rs"]
mod usd_files;

use glam::DVec3;
use retake::diagnostics::Place;
use retake::export::{Format, Shot, write};
use retake::frames::{BodyState, Frame};
use retake::geometry::TriMesh;
use retake::geometry::primitives::{Box as BoxMesh, Cylinder};
use retake::geometry::read::{LoadOptions, load};
use retake::math::{Curve, Ease, Key};
use retake::scene::{Camera, Color, Light, LightKind, Scene};
use shots::{frame_of, grid, scene_of, sphere};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// A cloth that waves, a box that turns more than once, a table, two equal cups in a group, a body
/// that is not exported, a camera on the move and every kind of light.
fn scene() -> Scene {
    let cup = Cylinder { radius: 0.1, height: 0.2, ..Cylinder::default() }.build().unwrap();
    let table = BoxMesh { size: DVec3::new(2.0, 0.1, 2.0), ..BoxMesh::default() }.build().unwrap();
    let mut cloth = grid(9, 1.0);
    cloth.maps.insert("hem".to_owned(), (0..81).map(|i| f64::from(i) / 80.0).collect());
    let mut scene = scene_of(vec![
        ("cape", cloth, true),
        ("box", BoxMesh::default().build().unwrap(), false),
        ("table", table, false),
        ("cup_1", cup.clone(), false),
        ("cup_2", cup, false),
        ("helper", sphere(0.2), false),
        ("twin", TriMesh::default(), false),
    ]);
    let keys = |values: &[(f64, [f64; 3])]| Curve::Keys {
        keys: values
            .iter()
            .map(|(time, v)| Key {
                time: *time,
                value: DVec3::from_array(*v),
                ease: Ease::default(),
            })
            .collect(),
        looped: false,
    };
    scene.bodies[1].rotate = keys(&[(0.0, [0.0; 3]), (1.0, [20.0, 600.0, 0.0])]);
    scene.bodies[1].translate = keys(&[(0.0, [1.5, 0.5, 0.0]), (1.0, [1.5, 1.0, 0.5])]);
    scene.bodies[2].translate = Curve::Constant(DVec3::new(0.0, -0.5, 0.0));
    scene.bodies[2].rotate = Curve::Constant(DVec3::new(0.0, 30.0, 0.0));
    for (i, x) in [(3, -0.4), (4, 0.4)] {
        scene.bodies[i].translate = Curve::Constant(DVec3::new(x, -0.3, 0.2));
        scene.bodies[i].group = Some("set/cups".to_owned());
        scene.bodies[i].mesh = 3;
        scene.bodies[i].look.color = Color([0.9, 0.95, 1.0]);
        scene.bodies[i].look.color_given = true;
        scene.bodies[i].look.transmission = 0.9;
        scene.bodies[i].look.opacity = 0.5;
        scene.bodies[i].look.ior = 1.33;
    }
    scene.bodies[0].look.color = Color([0.7, 0.05, 0.03]);
    scene.bodies[0].look.color_given = true;
    scene.bodies[5].exports = false;
    // The box's mesh with another colour of the palette.
    scene.bodies[6].mesh = 1;
    scene.bodies[6].translate = Curve::Constant(DVec3::new(-2.0, 0.0, 0.0));
    scene.cameras = vec![Camera {
        name: "main".to_owned(),
        place: Place::default(),
        position: keys(&[(0.0, [3.0, 2.0, 4.0]), (1.0, [4.0, 1.0, 3.0])]),
        look_at: Curve::Constant(DVec3::ZERO),
        clip: None,
        lens: Curve::Constant(35.0),
        focus: None,
        fstop: Some(Curve::Constant(2.8)),
    }];
    let light = |name: &str, kind| Light {
        name: name.to_owned(),
        place: Place::default(),
        color: Color([1.0, 0.9, 0.8]),
        strength: Curve::Constant(3.0),
        kind,
    };
    let here = || Curve::Constant(DVec3::new(1.0, 3.0, 1.0));
    scene.lights = vec![
        light("sun", LightKind::Sun { direction: DVec3::new(-1.0, -2.0, -1.0), angle: 0.5 }),
        light("key", LightKind::Area { position: here(), look_at: DVec3::ZERO, size: 1.0 }),
        light("bulb", LightKind::Point { position: here(), size: 0.1 }),
        light("sky", LightKind::Sky { image: None }),
    ];
    scene
}

fn frames(scene: &Scene) -> Vec<Frame> {
    let (first, last) = (scene.timing.start_frame, scene.timing.last_frame());
    (first..=last)
        .map(|n| {
            let mut frame = frame_of(scene, n);
            let phase = 0.3 * (n - first) as f32;
            if let BodyState::Deformed { positions } = &mut frame.bodies[0] {
                for p in positions {
                    p[1] = 0.1 * libm::sinf(5.0 * p[0] + phase) + 0.03 * phase * p[2];
                    p[0] += 0.01 * phase;
                }
            }
            frame
        })
        .collect()
}

fn short() -> (Scene, Vec<Frame>) {
    let mut scene = scene();
    scene.timing.frames = 4;
    let frames = frames(&scene);
    (scene, frames)
}

/// Names of the files below a folder, with `/`.
fn names(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().to_str().unwrap();
                found.push(name.replace('\\', "/"));
            }
        }
    }
    found.sort();
    found
}

fn read(folder: &Path, name: &str, object: Option<&str>) -> TriMesh {
    let options = LoadOptions { object: object.map(str::to_owned), scale: 1.0 };
    load(&folder.join(name), name, &options).unwrap()
}

fn stored(mesh: &TriMesh) -> Vec<[f32; 3]> {
    mesh.positions.iter().map(|p| p.as_vec3().to_array()).collect()
}

#[test]
fn obj_bodies_are_read_back_bit_for_bit() {
    let (scene, frames) = short();
    let folder = tempfile::tempdir().unwrap();
    let written = write(Format::Obj, &Shot::new(&scene, &frames), folder.path()).unwrap();
    assert!(written.complete);
    let found = names(folder.path());
    assert_eq!(found.len(), 5 + 5 + 4 + 6, "{found:?}");
    assert_eq!(written.files.len(), found.len());
    for name in ["obj/cape.0003.obj", "obj/box.0005.obj", "obj/table.obj", "obj/cape.mtl"] {
        assert!(found.iter().any(|f| f == name), "{name}");
    }
    for frame in &frames {
        let mesh = read(folder.path(), &format!("obj/cape.{:04}.obj", frame.number), None);
        assert_eq!(stored(&mesh), frame.world_positions(&scene, 0));
        assert_eq!(mesh.triangles, scene.mesh_of(0).triangles);
        assert_eq!(mesh.uvs, scene.mesh_of(0).uvs);
    }
    let table = read(folder.path(), "obj/table.obj", Some("table"));
    assert_eq!(stored(&table), frames[0].world_positions(&scene, 2));
    let material = std::fs::read_to_string(folder.path().join("obj/cape.mtl")).unwrap();
    assert!(material.starts_with("newmtl cape\nKd 0.7 0.05 0.03\n"));
    let material = std::fs::read_to_string(folder.path().join("obj/box.mtl")).unwrap();
    let Color([r, ..]) = scene.color_of(1);
    assert!(material.contains(&format!("Kd {} ", r as f32)), "the palette of the pictures");
}

#[test]
fn obj_shots_hold_every_body_of_a_frame() {
    let (scene, frames) = short();
    let folder = tempfile::tempdir().unwrap();
    write(Format::ObjShot, &Shot::new(&scene, &frames), folder.path()).unwrap();
    assert_eq!(names(folder.path()).len(), 6);
    for body in [0, 1, 2, 4] {
        let name = &scene.bodies[body].name;
        let mesh = read(folder.path(), "obj/shot.0004.obj", Some(name));
        assert_eq!(stored(&mesh), frames[3].world_positions(&scene, body), "{name}");
        assert_eq!(mesh.triangles, scene.mesh_of(body).triangles);
    }
    let whole = load(
        &folder.path().join("obj/shot.0004.obj"),
        "a.obj",
        &LoadOptions { object: Some("helper".to_owned()), scale: 1.0 },
    );
    assert!(whole.unwrap_err().message.contains("no object `helper`"));
}

#[test]
fn ply_keeps_maps() {
    let (scene, frames) = short();
    let folder = tempfile::tempdir().unwrap();
    write(Format::Ply, &Shot::new(&scene, &frames), folder.path()).unwrap();
    let mesh = read(folder.path(), "ply/cape.0002.ply", None);
    assert_eq!(stored(&mesh), frames[1].world_positions(&scene, 0));
    assert_eq!(mesh.triangles, scene.mesh_of(0).triangles);
    assert!(
        mesh.maps["hem"]
            .iter()
            .zip(&scene.mesh_of(0).maps["hem"])
            .all(|(a, b)| (a - b).abs() < 1e-7)
    );
}

#[test]
fn flex3d_objects_are_read_back_bit_for_bit() {
    let (scene, frames) = short();
    let folder = tempfile::tempdir().unwrap();
    write(Format::Obt, &Shot::new(&scene, &frames), folder.path()).unwrap();
    for (frame, number) in frames.iter().zip(scene.timing.start_frame..) {
        let name = format!("obt/cape_{number}.OBT");
        let mesh = read(folder.path(), &name, Some("cape"));
        assert_eq!(stored(&mesh), frame.world_positions(&scene, 0), "{name}");
        assert_eq!(mesh.triangles, scene.mesh_of(0).triangles);
        let bytes = std::fs::read(folder.path().join(&name)).unwrap();
        let color = retake::geometry::read::obt_color(&bytes, &name).unwrap().unwrap();
        assert_eq!(color.map(|c| c as f32), scene.color_of(0).0.map(|c| c as f32));
    }
}

#[test]
fn point_caches_are_laid_out_as_blender_reads_them() {
    let (mut scene, _) = short();
    scene.timing.start_frame = -12;
    let frames = frames(&scene);
    let folder = tempfile::tempdir().unwrap();
    write(Format::Pc2, &Shot::new(&scene, &frames), folder.path()).unwrap();
    assert_eq!(
        names(folder.path()),
        ["cache/cape.mtl", "cache/cape.obj", "cache/cape.pc2", "import_shot.py"]
    );
    let bytes = std::fs::read(folder.path().join("cache/cape.pc2")).unwrap();
    assert_eq!(&bytes[..12], b"POINTCACHE2\0");
    let word = |at: usize| <[u8; 4]>::try_from(&bytes[at..at + 4]).unwrap();
    assert_eq!([word(12), word(16), word(28)].map(i32::from_le_bytes), [1, 81, 5]);
    assert_eq!([word(20), word(24)].map(f32::from_le_bytes), [-12.0, 1.0]);
    assert_eq!(bytes.len(), 32 + 5 * 81 * 12);
    let positions = frames[2].world_positions(&scene, 0);
    let at = 32 + (2 * 81 + 7) * 12 + 4;
    assert_eq!(f32::from_le_bytes(word(at)), positions[7][1]);
    assert_eq!(
        stored(&read(folder.path(), "cache/cape.obj", None)),
        frames[0].world_positions(&scene, 0)
    );
}

#[test]
fn mdd_caches_are_big_endian_with_times_in_seconds() {
    let (mut scene, _) = short();
    scene.timing.start_frame = -12;
    scene.timing.fps = (30000, 1001);
    let frames = frames(&scene);
    let folder = tempfile::tempdir().unwrap();
    write(Format::Mdd, &Shot::new(&scene, &frames), folder.path()).unwrap();
    assert_eq!(
        names(folder.path()),
        ["cache/cape.mdd", "cache/cape.mtl", "cache/cape.obj", "import_shot.py"]
    );
    let bytes = std::fs::read(folder.path().join("cache/cape.mdd")).unwrap();
    let word = |at: usize| <[u8; 4]>::try_from(&bytes[at..at + 4]).unwrap();
    assert_eq!([word(0), word(4)].map(i32::from_be_bytes), [5, 81]);
    for (i, number) in (-12..-7).enumerate() {
        let seconds = (f64::from(number) * 1001.0 / 30000.0) as f32;
        assert_eq!(f32::from_be_bytes(word(8 + 4 * i)), seconds);
    }
    let samples: Vec<f32> =
        bytes[28..].chunks_exact(4).map(|b| f32::from_be_bytes(b.try_into().unwrap())).collect();
    let expected: Vec<f32> =
        frames.iter().flat_map(|f| f.world_positions(&scene, 0).concat()).collect();
    assert_eq!(samples, expected);
    let rest = read(folder.path(), "cache/cape.obj", None);
    assert_eq!(stored(&rest), frames[0].world_positions(&scene, 0));
}

/// The parts of a binary glTF file.
struct Glb {
    json: serde_json::Value,
    bin: Vec<u8>,
}

impl Glb {
    fn of(path: &Path) -> Self {
        let bytes = std::fs::read(path).unwrap();
        assert_eq!(u32::from_le_bytes(bytes[8..12].try_into().unwrap()) as usize, bytes.len());
        let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
        // The gltf crate checks every index.
        gltf::Gltf::from_slice(&bytes).unwrap();
        let json = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
        Self { json, bin: bytes[28 + length..].to_vec() }
    }

    fn floats(&self, accessor: &serde_json::Value) -> Vec<f32> {
        let accessor = &self.json["accessors"][accessor.as_u64().unwrap() as usize];
        let view = &self.json["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
        let start = view["byteOffset"].as_u64().unwrap() as usize;
        let length = view["byteLength"].as_u64().unwrap() as usize;
        self.bin[start..start + length]
            .chunks_exact(4)
            .map(|b| f32::from_le_bytes(b.try_into().unwrap()))
            .collect()
    }

    fn node(&self, name: &str) -> (usize, &serde_json::Value) {
        let nodes = self.json["nodes"].as_array().unwrap();
        let i = nodes.iter().position(|n| n["name"] == name).unwrap_or_else(|| panic!("no {name}"));
        (i, &nodes[i])
    }

    /// Keys by path of the animation of a node.
    fn keys(&self, name: &str) -> BTreeMap<String, Vec<f32>> {
        let (node, _) = self.node(name);
        let animation = &self.json["animations"][0];
        let channels = animation["channels"].as_array().unwrap();
        channels
            .iter()
            .filter(|c| c["target"]["node"] == node)
            .map(|c| {
                let sampler = &animation["samplers"][c["sampler"].as_u64().unwrap() as usize];
                let path = c["target"]["path"].as_str().unwrap().to_owned();
                // What comes or goes does so at once.
                let between = if path == "scale" { "STEP" } else { "LINEAR" };
                assert_eq!(sampler.get("interpolation").unwrap_or(&"LINEAR".into()), between);
                (path, self.floats(&sampler["output"]))
            })
            .collect()
    }
}

/// Frames 1 to 5 lie at 0 to 4/24 s: the cape is there from the second on, the table up to the third.
#[test]
fn what_comes_or_goes_has_no_files_and_no_size_while_it_is_away() {
    let (mut scene, frames) = short();
    scene.bodies[0].appears = Some(1.0 / 24.0);
    scene.bodies[2].disappears = Some(3.0 / 24.0);
    let folder = tempfile::tempdir().unwrap();
    for format in [Format::Gltf, Format::Obj] {
        write(format, &Shot::new(&scene, &frames), folder.path()).unwrap();
    }
    let glb = Glb::of(&folder.path().join("gltf/shot.glb"));
    let sizes = |name: &str| glb.keys(name)["scale"].iter().step_by(3).copied().collect::<Vec<_>>();
    assert_eq!(sizes("cape"), [0.0, 1.0, 1.0, 1.0, 1.0]);
    assert_eq!(sizes("table"), [1.0, 1.0, 1.0, 0.0, 0.0]);
    assert!(!glb.keys("box").contains_key("scale"));
    let files = names(folder.path());
    let of = |name: &str| {
        let own = files.iter().filter(|f| f.starts_with(&format!("obj/{name}.0")));
        own.map(|f| f[f.len() - 5..f.len() - 4].to_owned()).collect::<String>()
    };
    assert_eq!((of("cape").as_str(), of("table").as_str()), ("2345", "123"));
    assert!(files.contains(&"obj/cup_1.obj".to_owned()), "{files:?}");
}

#[test]
fn one_gltf_file_holds_the_whole_motion() {
    let scene = scene();
    let frames = frames(&scene);
    let folder = tempfile::tempdir().unwrap();
    let written = write(Format::Gltf, &Shot::new(&scene, &frames), folder.path()).unwrap();
    assert!(written.notes.is_empty());
    assert_eq!(names(folder.path()), ["gltf/shot.glb", "import_shot.py"]);
    let glb = Glb::of(&folder.path().join("gltf/shot.glb"));

    assert_eq!(glb.json["animations"].as_array().unwrap().len(), 1);
    let times = glb.floats(&glb.json["animations"][0]["samplers"][0]["input"]);
    let expected: Vec<f32> = (1..=25).map(|f| f as f32 / 24.0).collect();
    assert_eq!(times, expected, "frame f lies at f / fps");

    let weights = &glb.keys("cape")["weights"];
    for (key, weights) in weights.chunks_exact(24).enumerate() {
        for (target, w) in weights.iter().enumerate() {
            assert_eq!(*w, if target + 1 == key { 1.0 } else { 0.0 });
        }
    }
    let (_, cape) = glb.node("cape");
    let mesh = &glb.json["meshes"][cape["mesh"].as_u64().unwrap() as usize];
    let primitive = &mesh["primitives"][0];
    let base = glb.floats(&primitive["attributes"]["POSITION"]);
    assert_eq!(primitive["targets"].as_array().unwrap().len(), 24);
    for (i, target) in primitive["targets"].as_array().unwrap().iter().enumerate() {
        let moved = glb.floats(&target["POSITION"]);
        let expected = frames[i + 1].world_positions(&scene, 0);
        for (k, expected) in expected.iter().flatten().enumerate() {
            assert!((base[k] + moved[k] - expected).abs() < 1e-6);
        }
    }

    let keys = glb.keys("box");
    let turns = &keys["rotation"];
    assert_eq!(turns.len(), 4 * 25);
    for pair in turns.chunks_exact(4).collect::<Vec<_>>().windows(2) {
        let dot: f32 = pair[0].iter().zip(pair[1]).map(|(a, b)| a * b).sum();
        assert!(dot > 0.0, "turns go the short way round");
    }
    assert_eq!(keys["translation"][0..3], [1.5, 0.5, 0.0]);
    assert!(glb.keys("table").is_empty());
    assert_eq!(glb.keys("main").len(), 2);

    let (cups, _) = glb.node("cups");
    let (_, set) = glb.node("set");
    assert_eq!(set["children"][0], cups);
    let (_, one) = glb.node("cup_1");
    let (_, two) = glb.node("cup_2");
    assert_eq!(one["mesh"], two["mesh"], "equal meshes are instances");
    let primitive = |name: &str| {
        let mesh = glb.node(name).1["mesh"].as_u64().unwrap() as usize;
        glb.json["meshes"][mesh]["primitives"][0].clone()
    };
    assert_eq!(primitive("twin")["attributes"], primitive("box")["attributes"]);
    assert_ne!(primitive("twin")["material"], primitive("box")["material"]);
    assert!(!glb.json["nodes"].as_array().unwrap().iter().any(|n| n["name"] == "helper"));
    assert_eq!(
        glb.json["extensions"]["KHR_lights_punctual"]["lights"].as_array().unwrap().len(),
        3
    );
}

/// A mesh of 1280 triangles 200 times: the scene file and glTF, USD and Alembic files hold it once, whatever the bodies
/// look like. Its places alone take 642 * 12 bytes in glTF, so that 200 of them would be 1.5 MB; a moving node with
/// its keys takes below 1.5 kB.
#[test]
fn equal_meshes_are_one_in_every_file() {
    let scene = scripted::scene(
        "local shot = retake.shot{ name = 'beans', frames = 2 }
        local bean = retake.mesh.sphere{ radius = 0.05, subdivisions = 3 }:moved{ scale = { 1, 1.4, 1 } }
        for i, at in ipairs(retake.scatter{ meshes = { bean }, count = 200, inside = { { -2, 0, -2 }, { 2, 2, 2 } } }) do
          local body
          if i % 2 == 0 then
            body = shot:rigid{ group = 'beans', mesh = at.mesh, translate = at.translate, rotate = at.rotate }
          else
            body = shot:collider{ group = 'beans', mesh = at.mesh, translate = at.translate, rotate = at.rotate }
          end
          body:look{ color = i % 3 == 0 and '#a02018' or '#18a020', subdivide = i % 5 == 0 and 1 or 0 }
        end",
    );
    assert_eq!((scene.bodies.len(), scene.meshes.len()), (200, 1));
    let whole = serde_json::to_vec(&scene).unwrap().len();
    let mesh = serde_json::to_vec(&scene.meshes[0]).unwrap().len();
    assert!(whole - mesh < 200 * 1500, "{whole} and {mesh}");

    let frames: Vec<Frame> = (1..=3).map(|n| frame_of(&scene, n)).collect();
    let folder = tempfile::tempdir().unwrap();
    let drawn = retake::frames::Drawn::new(&scene);
    assert_eq!(drawn.scene().meshes.len(), 2, "as it is, and smoothed once");
    write(Format::Gltf, &Shot::new(&scene, &frames), folder.path()).unwrap();
    let path = folder.path().join("gltf/beans.glb");
    let glb = Glb::of(&path);
    let meshes = glb.json["meshes"].as_array().unwrap();
    assert_eq!(meshes.len(), 4, "two surfaces in two colours");
    let data = |mesh: &serde_json::Value| mesh["primitives"][0]["attributes"]["POSITION"].as_u64();
    let mut places: Vec<_> = meshes.iter().map(data).collect();
    places.sort_unstable();
    places.dedup();
    assert_eq!(places.len(), 2);
    let color = |name: &str| {
        let mesh = &meshes[glb.node(name).1["mesh"].as_u64().unwrap() as usize];
        let material = mesh["primitives"][0]["material"].as_u64().unwrap() as usize;
        glb.json["materials"][material]["pbrMetallicRoughness"]["baseColorFactor"].clone()
    };
    let names: Vec<&str> = scene.bodies.iter().map(|b| b.name.as_str()).collect();
    assert_eq!(color(names[2]), color(names[5]));
    assert_ne!(color(names[0]), color(names[2]));
    let bytes = std::fs::metadata(&path).unwrap().len();
    assert!(bytes < 200 * 1500 + 5 * 642 * 50, "{bytes}");

    // Places and triangles of both surfaces once are 120 kB, of all bodies 8 MB; a body by itself takes up to 3.5 kB.
    for (format, name) in [(Format::Usd, "usd/beans.usdc"), (Format::Abc, "abc/beans.abc")] {
        write(format, &Shot::new(&scene, &frames), folder.path()).unwrap();
        let bytes = std::fs::metadata(folder.path().join(name)).unwrap().len();
        assert!(bytes < 200 * 3500 + 2 * 120_000, "{name}: {bytes}");
    }
}

#[test]
fn a_shot_that_starts_before_frame_0_starts_at_0_seconds() {
    let (mut scene, _) = short();
    scene.timing.start_frame = -2;
    let frames = frames(&scene);
    let folder = tempfile::tempdir().unwrap();
    write(Format::Gltf, &Shot::new(&scene, &frames), folder.path()).unwrap();
    write(Format::GltfSequence, &Shot::new(&scene, &frames), folder.path()).unwrap();
    let glb = Glb::of(&folder.path().join("gltf/shot.glb"));
    let times = glb.floats(&glb.json["animations"][0]["samplers"][0]["input"]);
    assert_eq!(times[..2], [0.0, 1.0 / 24.0]);
    assert_eq!(glb.json["asset"]["extras"]["retake_frame_offset"], -2);
    assert!(folder.path().join("gltf/cape.-0002.glb").exists());
    assert!(folder.path().join("gltf/cape.0000.glb").exists());
}

#[test]
fn what_is_too_large_for_gltf_comes_in_through_its_cache() {
    let (scene, frames) = short();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gltf/shot.glb");
    let targets = |glb: &Glb| {
        let mesh = glb.node("cape").1["mesh"].as_u64().unwrap() as usize;
        glb.json["meshes"][mesh]["primitives"][0]["targets"][0].clone()
    };
    let mut shot = Shot { most_morph_bytes: 5000, ..Shot::new(&scene, &frames) };
    assert!(write(Format::Gltf, &shot, folder.path()).unwrap().notes.is_empty());
    assert!(targets(&Glb::of(&path)).get("NORMAL").is_none(), "first the normals go");
    shot.most_morph_bytes = 3000;
    let written = write(Format::Gltf, &shot, folder.path()).unwrap();
    assert!(written.notes[0].message.starts_with("`cape` is not in shot.glb"));
    assert!(written.notes[0].hint.as_ref().unwrap().contains("cache/cape.pc2"));
    assert!(!Glb::of(&path).json["nodes"].as_array().unwrap().iter().any(|n| n["name"] == "cape"));
    shot.most_morph_bytes = 9000;
    write(Format::Gltf, &shot, folder.path()).unwrap();
    assert!(targets(&Glb::of(&path)).get("NORMAL").is_some());
}

#[test]
fn gltf_sequences_place_each_body() {
    let (scene, frames) = short();
    let folder = tempfile::tempdir().unwrap();
    write(Format::GltfSequence, &Shot::new(&scene, &frames), folder.path()).unwrap();
    assert_eq!(names(folder.path()).len(), 5 + 5 + 4);
    for body in [0, 1] {
        let name = format!("gltf/{}.0003.glb", scene.bodies[body].name);
        let mesh = read(folder.path(), &name, None);
        let expected = frames[2].world_positions(&scene, body);
        assert_eq!(mesh.positions.len(), expected.len(), "sharp edges are welded again");
        for p in &mesh.positions {
            let near = expected.iter().any(|q| p.as_vec3().distance((*q).into()) < 1e-6);
            assert!(near, "{p} is no vertex of {name}");
        }
    }
}

#[test]
fn chosen_frames_and_bodies_alone_are_written() {
    let (scene, frames) = short();
    let folder = tempfile::tempdir().unwrap();
    let mut shot = Shot::new(&scene, &frames);
    shot.numbers = vec![2, 4];
    shot.bodies = vec![0];
    write(Format::Obj, &shot, folder.path()).unwrap();
    assert_eq!(names(folder.path()), ["obj/cape.0002.obj", "obj/cape.0004.obj", "obj/cape.mtl"]);
    write(Format::Pc2, &shot, folder.path()).unwrap();
    let bytes = std::fs::read(folder.path().join("cache/cape.pc2")).unwrap();
    assert_eq!(bytes.len(), 32 + 3 * 81 * 12, "a cache has every frame from the first to the last");
    shot.numbers = vec![9];
    assert_eq!(
        write(Format::Obj, &shot, folder.path()).unwrap_err().message,
        "there is no frame 9"
    );
}

#[test]
fn equal_shots_are_equal_files() {
    let (scene, frames) = short();
    let write_all = || {
        let folder = tempfile::tempdir().unwrap();
        for (_, format) in Format::NAMES {
            write(format, &Shot::new(&scene, &frames), folder.path()).unwrap();
        }
        let files: Vec<(String, Vec<u8>)> = names(folder.path())
            .into_iter()
            .map(|n| (n.clone(), std::fs::read(folder.path().join(n)).unwrap()))
            .collect();
        files
    };
    let files = write_all();
    assert!(files.len() > 30 && files.iter().all(|(name, _)| !name.contains(".part")));
    assert!(files == write_all());
}

#[test]
fn stopping_leaves_no_claim_to_be_complete() {
    let (scene, frames) = short();
    let folder = tempfile::tempdir().unwrap();
    let stop = AtomicBool::new(true);
    let shot = Shot { interrupted: &stop, ..Shot::new(&scene, &frames) };
    for (_, format) in Format::NAMES {
        assert!(!write(format, &shot, folder.path()).unwrap().complete);
    }
    assert_eq!(names(folder.path()), [""; 0]);
}

#[test]
fn scripts_choose_formats() {
    let formats = |options: &str| {
        let scene = scripted::scene(&format!(
            "local shot = retake.shot{{ name = 'x', frames = 2 }} shot:output{{ {options} }}"
        ));
        Format::of_output(&scene.output)
    };
    assert_eq!(formats(""), [Format::Gltf, Format::Pc2]);
    assert_eq!(formats("caches = 'mdd', usd = true"), [Format::Gltf, Format::Mdd, Format::Usd]);
    assert_eq!(formats("gltf = false, caches = false, obj = 'shot'"), [Format::ObjShot]);
    assert_eq!(formats("caches = false, alembic = true"), [Format::Gltf, Format::Abc]);
}

#[test]
fn formats_have_names() {
    for (name, format) in Format::NAMES {
        assert_eq!(Format::from_name(name), Ok(format));
        assert_eq!(format.name(), name);
    }
    assert_eq!(Format::from_name("glft").unwrap_err().hint.unwrap(), "did you mean `gltf`?");
}

/// Writes shots for the programs in `tests/external`:
/// `RETAKE_EXTERNAL=folder cargo test --test export -- --ignored`.
#[test]
#[ignore = "writes files for other programs to look at"]
fn write_for_external_checks() {
    let folder = std::env::var("RETAKE_EXTERNAL").unwrap();
    let mut shots = [scene(), scene(), scene()];
    shots[1].timing.start_frame = -5;
    shots[1].timing.fps = (30000, 1001);
    shots[2].timing.start_frame = 1001;
    shots[2].cameras[0].lens =
        Curve::Samples { rate: 2.0, start: 0.0, values: vec![35.0, 50.0, 80.0] };
    for (i, scene) in shots.iter_mut().enumerate() {
        scene.name = format!("shot_{i}");
        let frames = frames(scene);
        let path = Path::new(&folder).join(&scene.name);
        for (_, format) in Format::NAMES {
            // The last shot comes in through glTF alone, the others through point caches.
            if i < 2 || ![Format::Pc2, Format::Mdd].contains(&format) {
                write(format, &Shot::new(scene, &frames), &path).unwrap();
            }
        }
    }
}

/// 20 000 triangles over 240 frames, in all formats:
/// `RETAKE_EXTERNAL=folder cargo test --release --test export -- --ignored --nocapture large`.
#[test]
#[ignore = "measures time"]
fn large_shot() {
    let folder = std::env::var("RETAKE_EXTERNAL").unwrap();
    let mut scene = scene();
    scene.name = "large".to_owned();
    scene.meshes[0] = grid(101, 1.0);
    scene.timing.frames = 239;
    let frames = frames(&scene);
    let path = Path::new(&folder).join("large");
    for (name, format) in Format::NAMES {
        let start = std::time::Instant::now();
        write(format, &Shot::new(&scene, &frames), &path).unwrap();
        println!("{name}: {:.2} s", start.elapsed().as_secs_f64());
    }
    let size = std::fs::metadata(path.join("gltf/large.glb")).unwrap().len();
    println!("large.glb: {} MB", size / 1_000_000);
}
