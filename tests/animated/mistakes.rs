//! What is told of wrong keys and damaged files.

use crate::files::{arm, build, cube, plank, try_build};
use tempfile::TempDir;

fn told(folder: &TempDir, file: &str, keys: &str) -> String {
    let text = format!("shot:collider {{ name = 'a', {keys} }}");
    try_build(folder, file, "", &text).err().unwrap_or_else(|| panic!("{keys} was accepted"))
}

#[test]
fn wrong_names_and_keys_are_told_with_the_nearest_right_ones() {
    let folder = TempDir::new().unwrap();
    plank(folder.path());
    let mesh = "mesh = retake.mesh.box { size = 1 }";
    for (keys, expected) in [
        (
            "from = set, object = 'Plank', clip = 'Goo'",
            "`plank.gltf` has no clip `Goo`; did you mean `Go`?",
        ),
        (
            "from = set, object = 'Plank', clip = 'Walking'",
            "it has `Go`, `Jump`, `Glide`, `Grow`, `Pan`",
        ),
        (
            "from = set, object = 'Plank', clip = 'Pan'",
            "the clip `Pan` does not move `Plank`; leave `clip` out",
        ),
        ("from = set, object = 'Plonk'", "has no mesh called `Plonk`; did you mean `Plank`?"),
        ("from = set, object = 'Rig'", "has no mesh called `Rig`"),
        ("from = set", "`from` in collider needs `object`; the name of a mesh in it: `Plank`"),
        ("from = 'set', object = 'Plank'", "`from` in collider must be a stage of `retake.stage`"),
        ("from = set, object = 'Plank', clip_start = 1", "`clip_start` in collider needs `clip`"),
        ("from = set, object = 'Plank', clip = 'Go', clip_speed = 0", "`clip_speed`"),
        (&format!("{mesh}, object = 'Plank'"), "`object` in collider needs `from`"),
        (&format!("{mesh}, clip = 'Go'"), "`clip` in collider needs `from`"),
        (&format!("{mesh}, from = set, object = 'Plank'"), "collider has both `mesh` and `from`"),
        ("friction = 1", "collider needs `mesh`; or `from` and `object`"),
    ] {
        let told = told(&folder, "plank.gltf", keys);
        assert!(told.contains(expected) && told.contains("shot.lua:4"), "{told}");
    }
    arm(folder.path());
    let told = told(&folder, "arm.gltf", "from = set, object = 'Arm', clip = 'Bent'");
    assert!(told.contains("`arm.gltf` has no clip `Bent`; did you mean `Bend`?"), "{told}");
}

/// Whatever a file holds, it is told, and never a panic.
#[test]
fn damaged_files_are_told() {
    let folder = TempDir::new().unwrap();
    for (write, file, object, clip) in [
        (plank as fn(&std::path::Path), "plank.gltf", "Plank", "Go"),
        (arm, "arm.gltf", "Arm", "Bend"),
        (cube, "cube.gltf", "Cube", "Rise"),
    ] {
        write(folder.path());
        let path = folder.path().join(file);
        let whole = std::fs::read_to_string(&path).unwrap();
        let keys = format!("from = set, object = '{object}', clip = '{clip}'");
        for (from, to) in [
            ("\"joints\":[0,1]", "\"joints\":[0,77]"),
            ("\"joints\":[0,1]", "\"joints\":[0]"),
            ("\"skin\":0", "\"skin\":3"),
            ("\"sampler\":0", "\"sampler\":40"),
            ("\"children\":[1]", "\"children\":[1,0]"),
            ("\"input\":", "\"input\":9"),
            ("\"interpolation\":\"LINEAR\"", "\"interpolation\":\"CUBICSPLINE\""),
            ("\"WEIGHTS_0\"", "\"WEIGHTS_1\""),
        ] {
            if whole.contains(from) {
                std::fs::write(&path, whole.replace(from, to)).unwrap();
                let told = told(&folder, file, &keys);
                assert!(told.contains("shot.lua:") && told.contains(file), "{from}: {told}");
            }
        }
        std::fs::write(&path, &whole).unwrap();
        build(&folder, file, "", &format!("shot:collider {{ {keys} }}"));
    }
}

/// A scene file is not trusted either.
#[test]
fn damaged_scenes_are_told() {
    let folder = TempDir::new().unwrap();
    arm(folder.path());
    let text = "shot:collider { name = 'arm', from = set, object = 'Arm', clip = 'Bend' }\n\
                shot:cloth { name = 'cloth', mesh = retake.mesh.grid { size = 1, vertices = 4, center = { 0, 3, 0 } } }";
    let scene = build(&folder, "arm.gltf", "", text);
    assert!(scene.validate().iter().all(|d| !d.message.contains("clip")), "{:?}", scene.validate());
    let json = serde_json::to_string(&scene).unwrap();
    assert_eq!(serde_json::from_str::<retake::scene::Scene>(&json).unwrap(), scene);
    for (what, spoil) in [
        ("its times are none", (|clip| clip.speed = 0.0) as fn(&mut retake::scene::Clip)),
        ("hangs on", |clip| clip.rig.nodes[0].parent = Some(1)),
        ("keys of node 2 are damaged", |clip| clip.rig.tracks[0].times[1] = -1.0),
        ("keys of node 2 are damaged", |clip| clip.rig.tracks[0].values.truncate(5)),
        ("the skin carries 85 vertices, the mesh has 84", |clip| {
            surface(clip).shares.push(Vec::new());
        }),
        ("shares of vertex 3 are not whole", |clip| surface(clip).shares[3].clear()),
        ("a joint of the skin", |clip| surface(clip).joints[0].0 = 9),
    ] {
        let mut spoilt = scene.clone();
        spoil(spoilt.bodies[0].clip.as_mut().unwrap());
        let told: Vec<String> = spoilt.validate().iter().map(ToString::to_string).collect();
        let told = told.join("\n");
        assert!(told.contains("the clip of `arm` cannot be used") && told.contains(what), "{told}");
    }
}

fn surface(clip: &mut retake::scene::Clip) -> &mut retake::geometry::rig::Skin {
    let retake::geometry::rig::Hangs::Surface(surface) = &mut clip.rig.hangs else {
        panic!("a skin")
    };
    surface.skin.as_mut().expect("a skin")
}
