//! Files as stages: their names, places and meshes.
#![allow(missing_docs)]

use glam::DVec3;
use retake::director::{self, Built, Defaults, Request};
use retake::math::rotation_from_degrees;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// A set of glTF: a rig that stands aside and is turned, with a place and a camera on it, and two planks.
const SET: &str = r#"{
  "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0, 3, 4] }],
  "nodes": [
    { "name": "Rig", "translation": [1, 2, 0], "rotation": [0, 0.70710678, 0, 0.70710678], "children": [1, 2] },
    { "name": "Mug_01", "translation": [0, 0, 3], "scale": [2, 2, 2] },
    { "name": "Shot_cam", "camera": 0 },
    { "name": "Plank_1", "mesh": 0, "translation": [0, 0, 5] },
    { "name": "Plank_2", "mesh": 0, "scale": [2, 1, 1] }
  ],
  "cameras": [{ "type": "perspective", "perspective": { "yfov": 0.6, "znear": 0.1 } }],
  "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 } }] }],
  "accessors": [{ "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0] }],
  "bufferViews": [{ "buffer": 0, "byteLength": 36 }],
  "buffers": [{ "byteLength": 36, "uri": "set.bin" }]
}"#;

fn build(folder: &Path, text: &str) -> Result<Built, String> {
    fs::write(folder.join("set.gltf"), SET).unwrap();
    let corners = [[0f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let bytes: Vec<u8> = corners.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
    fs::write(folder.join("set.bin"), bytes).unwrap();
    let script = folder.join("shot.lua");
    let head = "local retake = require \"retake\"\nlocal shot = retake.shot { name = \"a\", frames = 1 }\n\
                local set = retake.stage \"set.gltf\"\n";
    fs::write(&script, format!("{head}{text}\nreturn shot")).unwrap();
    let request = Request {
        script: &script,
        root: folder,
        assets: &[],
        parameters: &BTreeMap::new(),
        defaults: Defaults::default(),
    };
    director::build(&request)
        .map_err(|p| p.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
}

#[test]
fn names_are_told_by_kind_and_pattern() {
    let folder = TempDir::new().unwrap();
    let text = "print(table.concat(set:names(), ' '))\n\
                print(table.concat(set:names{ kind = 'mesh' }, ' '))\n\
                print(table.concat(set:names{ kind = 'empty', match = 'M*' }, ' '))\n\
                print(table.concat(set:names{ kind = 'camera' }, ' '))\n\
                print(set, #set:names{ match = 'nothing' })";
    let built = build(folder.path(), text).unwrap();
    assert_eq!(
        built.printed,
        [
            "Rig Mug_01 Shot_cam Plank_1 Plank_2",
            "Plank_1 Plank_2",
            "Mug_01",
            "Shot_cam",
            "stage set.gltf\t0"
        ]
    );
}

/// The place of a node counts what it hangs on: (1, 2, 0) and the turn by 90 degrees of 3 m along z.
#[test]
fn places_put_things_where_their_nodes_are() {
    let folder = TempDir::new().unwrap();
    let text = "local p = set:place 'Mug_01'\n\
                shot:collider { name = 'mug', mesh = retake.mesh.box { size = 0.1 }:moved { scale = p.scale }, \
                translate = p.translate, rotate = p.rotate }";
    let scene = build(folder.path(), text).unwrap().scene;
    let (translate, _) = scene.bodies[0].pose_at(0.0);
    assert!((translate - DVec3::new(4.0, 2.0, 0.0)).length() < 1e-6, "{translate}");
    let turn = rotation_from_degrees(scene.bodies[0].rotate.at(0.0));
    assert!((turn * DVec3::Z - DVec3::X).length() < 1e-6);
    let (low, high) = scene.mesh_of(0).bounds();
    assert!((high - low - DVec3::splat(0.2)).length() < 1e-6);
}

#[test]
fn meshes_and_scenery_stand_where_the_file_puts_them() {
    let folder = TempDir::new().unwrap();
    let text = "shot:collider { name = 'own', mesh = set:mesh 'Plank_1' }\n\
                local made = shot:scenery { from = set, match = 'Plank_*' }\n\
                made[2]:look { color = '#ff0000' }";
    let scene = build(folder.path(), text).unwrap().scene;
    assert_eq!(scene.mesh_of(0).bounds().0, DVec3::new(0.0, 0.0, 5.0));
    let names: Vec<&str> = scene.bodies.iter().map(|b| b.name.as_str()).collect();
    assert_eq!(names, ["own", "Plank_1", "Plank_2"]);
    for body in &scene.bodies[1..] {
        assert!(body.is_collider() && !body.collides && body.visible && body.exports);
    }
    assert_eq!(scene.mesh_of(2).bounds().1, DVec3::new(2.0, 1.0, 0.0));
    assert!(scene.bodies[2].look.color_given && !scene.bodies[1].look.color_given);
    assert_eq!(scene.bodies[1].mesh, scene.bodies[0].mesh, "equal meshes are one");
}

#[test]
fn what_a_stage_has_not_got_is_told_with_the_nearest_name() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("set.obj"), "v 0 0 0\n").unwrap();
    for (text, expected) in [
        ("set:mesh 'Plank_3'", "nothing called `Plank_3` of this kind; did you mean `Plank_"),
        ("set:mesh 'Rig'", "nothing called `Rig` of this kind"),
        ("set:place 'Mug_1'", "did you mean `Mug_01`?"),
        ("set:names{ kind = 'lamp' }", "`kind`"),
        ("shot:scenery{ from = set, match = 'Tree_*' }", "no mesh of `set.gltf` fits `match`"),
        ("shot:scenery{ from = 'set' }", "a stage of `retake.stage`"),
        ("shot:scenery{ from = set } shot:scenery{ from = set }", "Plank_1"),
        ("retake.stage 'set.obj'", "a stage is a glTF or USD file, and `set.obj` is not"),
        ("retake.stage 'none.glb'", "cannot find the file `none.glb`"),
    ] {
        let told = build(folder.path(), text).err().expect("it is wrong");
        assert!(told.contains(expected) && told.contains("shot.lua:4"), "{told}");
    }
}
