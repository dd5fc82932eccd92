//! USD files: meshes, places, cameras, what their samples move, and what is told of damaged ones. The same small
//! stage lies beside this file as text, crate and package, as OpenUSD 26.11 writes it.
#![allow(missing_docs)]

use glam::{DMat4, DVec2, DVec3};
use retake::diagnostics::Diagnostic;
use retake::director::{self, Defaults, Request};
use retake::geometry::TriMesh;
use retake::geometry::read::{
    LoadOptions, MeshFormat, NodeKind, Rigged, StageNode, from_bytes, rigged_camera, rigged_mesh,
    stage_clips, stage_nodes,
};
use retake::math::rotation;
use retake::scene::Scene;
use std::collections::BTreeMap;

const TEXT: &[u8] = include_bytes!("plank.usda");
const CRATE: &[u8] = include_bytes!("plank.usdc");
const PACKAGE: &[u8] = include_bytes!("plank.usdz");

fn alone(_: &str) -> std::io::Result<Vec<u8>> {
    Err(std::io::Error::other("there is nothing beside it"))
}

fn load(bytes: &[u8], name: &str, object: &str) -> Result<TriMesh, Diagnostic> {
    let options = LoadOptions { object: Some(object.into()), ..LoadOptions::default() };
    from_bytes(MeshFormat::of(name)?, bytes, name, &options, &alone)
}

/// A stage of text, in metres.
fn text(prims: &str) -> Vec<u8> {
    format!("#usda 1.0\n(\n metersPerUnit = 1\n timeCodesPerSecond = 24\n startTimeCode = 0\n endTimeCode = 24\n)\n{prims}")
        .into_bytes()
}

const TRIANGLE: &str = "int[] faceVertexCounts = [3]\n int[] faceVertexIndices = [0, 1, 2]\n \
     point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]\n";

fn number(nodes: &[StageNode], name: &str) -> usize {
    nodes.iter().find(|n| n.name == name).unwrap_or_else(|| panic!("no {name}: {nodes:?}")).node
}

fn moved(bytes: &[u8], name: &str, object: &str) -> Rigged {
    let nodes = stage_nodes(bytes, name, &alone).unwrap();
    rigged_mesh(bytes, name, number(&nodes, object), Some("samples"), &alone).unwrap()
}

fn places(rigged: &Rigged, t: f64) -> Vec<DVec3> {
    let rig = rigged.rig.as_ref().expect("it moves");
    let (place, turn) = rig.pose(t, 1.0);
    match rig.hangs {
        retake::geometry::rig::Hangs::Piece(_) => {
            rigged.mesh.positions.iter().map(|p| turn * *p + place).collect()
        }
        retake::geometry::rig::Hangs::Surface(_) => rig.places(&rigged.mesh.positions, t, 1.0),
    }
}

/// Centimetres and Z up become metres and Y up; the pentagon three triangles.
#[test]
fn text_crates_and_packages_read_alike() {
    let [a, b, c] = [(TEXT, "a.usda"), (CRATE, "a.usdc"), (PACKAGE, "a.usdz")]
        .map(|(bytes, name)| load(bytes, name, "Plank").unwrap());
    assert_eq!(a, b);
    assert_eq!(a, c);
    assert_eq!(load(CRATE, "a.usd", "Plank").unwrap(), a);
    assert_eq!(load(TEXT, "a.usd", "Plank").unwrap(), a);
    let expected =
        [[0.0, 1.0, 0.0], [1.0, 1.0, 0.0], [1.0, 1.0, -0.5], [0.0, 1.0, -0.5], [0.5, 1.0, -0.8]];
    for (p, expected) in a.positions.iter().zip(expected) {
        assert!(p.distance(DVec3::from_array(expected)) < 1e-12, "{p}");
    }
    assert_eq!((a.positions.len(), a.triangles.len()), (5, 3));
    assert_eq!(a.maps["hem"], [0.0, 1.0, 1.0, 0.0, 0.5]);
    assert_eq!(a.uvs[4], DVec2::new(0.5, 1.0));
    // Half a square and the roof on it, seen from above.
    let area: DVec3 = a
        .triangles
        .iter()
        .map(|t| t.map(|i| a.positions[i as usize]))
        .map(|[a, b, c]| (b - a).cross(c - a) * 0.5)
        .sum();
    assert!(area.distance(DVec3::Y * 0.65) < 1e-12, "{area}");
}

#[test]
fn what_is_left_handed_is_turned_over() {
    let sheet = load(CRATE, "a.usdc", "Sheet").unwrap();
    for t in &sheet.triangles {
        let [a, b, c] = t.map(|i| sheet.positions[i as usize]);
        assert!((b - a).cross(c - a).y > 0.0);
    }
}

#[test]
fn names_places_and_cameras_are_those_of_the_file() {
    let nodes = stage_nodes(PACKAGE, "a.usdz", &alone).unwrap();
    let all: Vec<(&str, NodeKind)> = nodes.iter().map(|n| (n.name.as_str(), n.kind)).collect();
    let (mesh, empty) = (NodeKind::Mesh, NodeKind::Empty);
    let expected = [
        ("World", empty),
        ("Plank", mesh),
        ("Sheet", mesh),
        ("Cam", NodeKind::Camera),
        ("Spot", empty),
    ];
    assert_eq!(all, expected);
    let spot = &nodes[4];
    assert!(spot.translate.distance(DVec3::new(0.1, 0.3, -0.2)) < 1e-12, "{}", spot.translate);
    assert_eq!(stage_clips(PACKAGE, "a.usdz", &alone).unwrap(), ["samples"]);
    let camera = rigged_camera(CRATE, "a.usdc", number(&nodes, "Cam"), None, &alone).unwrap();
    assert!((camera.yfov - 2.0 * libm::atan(12.0 / 35.0)).abs() < 1e-12);
    let (place, turn) = camera.rig.pose(0.0, 1.0);
    assert!(place.distance(DVec3::new(0.0, 1.0, 5.0)) < 1e-12, "{place}");
    // It looks along the file's +Y, which is -Z here.
    assert!((turn * -DVec3::Z).distance(-DVec3::Z) < 1e-7, "{turn}");
}

/// Time code 13 of 1 to 25 is half a second in.
#[test]
fn samples_move_meshes() {
    let plank = moved(CRATE, "a.usdc", "Plank");
    let half = DMat4::from_rotation_translation(
        rotation::from_rotation_y(45f64.to_radians()),
        DVec3::new(0.0, 1.5, 0.0),
    );
    for (t, at) in [(0.0, DMat4::from_translation(DVec3::Y)), (0.5, half)] {
        for (p, still) in
            places(&plank, t).into_iter().zip(&load(TEXT, "a.usda", "Plank").unwrap().positions)
        {
            let expected = at.transform_point3(*still - DVec3::Y);
            assert!(p.distance(expected) < 1e-7, "at {t}: {p} in place of {expected}");
        }
    }
    let sheet = moved(PACKAGE, "a.usdz", "Sheet");
    let at = places(&sheet, 0.5);
    assert!(at[2].distance(DVec3::new(0.1, 0.025, -0.1)) < 1e-9, "{}", at[2]);
    assert_eq!(places(&sheet, 1.0), places(&sheet, 9.0), "it holds");
}

/// Two keys of a turn by 720 degrees: angles go straight, not the shorter way.
#[test]
fn a_wheel_turns_as_often_as_its_keys_say() {
    let wheel = text(&format!(
        "def Mesh \"Wheel\" {{ {TRIANGLE}
         float xformOp:rotateZ.timeSamples = {{ 0: 0, 24: 720 }}
         uniform token[] xformOpOrder = [\"xformOp:rotateZ\"] }}"
    ));
    let wheel = moved(&wheel, "a.usda", "Wheel");
    for frame in 0..=48 {
        let t = f64::from(frame) / 48.0;
        let expected = rotation::from_rotation_z((720.0 * t).to_radians()) * DVec3::X;
        let p = places(&wheel, t)[1];
        assert!(p.distance(expected) < 1e-6, "at {t}: {p}");
    }
}

#[test]
fn operations_apply_from_the_last_to_the_first() {
    let stage = text(&format!(
        "def Xform \"Rig\" {{
           double3 xformOp:translate = (0, 5, 0)
           uniform token[] xformOpOrder = [\"xformOp:translate\"]
           def Mesh \"A\" {{ {TRIANGLE}
             float3 xformOp:rotateXYZ = (90, 0, 90)
             float3 xformOp:scale = (2, 1, 1)
             double3 xformOp:translate:pivot = (1, 0, 0)
             uniform token[] xformOpOrder = [\"xformOp:translate:pivot\", \"xformOp:rotateXYZ\", \
               \"xformOp:scale\", \"!invert!xformOp:translate:pivot\"] }}
           def Mesh \"B\" {{ {TRIANGLE}
             quatf xformOp:orient = (0.70710677, 0, 0.70710677, 0)
             uniform token[] xformOpOrder = [\"!resetXformStack!\", \"xformOp:orient\"] }}
         }}"
    ));
    let a = load(&stage, "a.usda", "A").unwrap();
    // (0, 1, 0) less the pivot is (-1, 1, 0), stretched (-2, 1, 0), about x (-2, 0, 1), about z (0, -2, 1).
    assert!(a.positions[2].distance(DVec3::new(1.0, 3.0, 1.0)) < 1e-12, "{}", a.positions[2]);
    let b = load(&stage, "a.usda", "B").unwrap();
    assert!(b.positions[1].distance(-DVec3::Z) < 1e-6, "{}", b.positions[1]);
}

#[test]
fn what_is_hidden_is_left_out_and_equal_names_are_told_apart() {
    let mesh = |keys: &str| format!("def Mesh \"Geom\" {{ {TRIANGLE} {keys} }}");
    let stage = text(&format!(
        "def Xform \"Mug\" {{ {} }}\n def Xform \"Jug\" {{ {} }}\n\
         def Xform \"Off\" {{ token visibility = \"invisible\"\n {} }}\n\
         def Xform \"Aid\" {{ {} }}\n",
        mesh(""),
        mesh("uniform token subdivisionScheme = \"none\""),
        mesh(""),
        mesh("uniform token purpose = \"proxy\"")
    ));
    let nodes = stage_nodes(&stage, "a.usda", &alone).unwrap();
    let meshes: Vec<&str> =
        nodes.iter().filter(|n| n.kind == NodeKind::Mesh).map(|n| n.name.as_str()).collect();
    assert_eq!(meshes, ["Mug_Geom", "Jug_Geom"]);
    let all = from_bytes(MeshFormat::Usd, &stage, "a.usda", &LoadOptions::default(), &alone);
    assert_eq!(all.unwrap().triangles.len(), 2);
    let told = load(&stage, "a.usda", "Geom").unwrap_err().to_string();
    assert!(told.contains("the file has no object `Geom`"), "{told}");
}

/// A file beside it, and one beside that, instanced twice.
#[test]
fn references_are_followed() {
    let stage = text(
        "def Xform \"L\" (instanceable = true\n references = @./parts/part.usda@</Part>) {}\n\
         def Xform \"R\" (instanceable = true\n references = @parts/part.usda@</Part>) {
           double3 xformOp:translate = (3, 0, 0)
           uniform token[] xformOpOrder = [\"xformOp:translate\"] }",
    );
    let part = b"#usda 1.0\ndef Xform \"Part\" (references = @../geom.usda@</Geom>) {}\n";
    let geom = format!("#usda 1.0\ndef Xform \"Geom\" {{ def Mesh \"Tri\" {{ {TRIANGLE} }} }}\n");
    let beside = |name: &str| match name {
        "parts/part.usda" => Ok(part.to_vec()),
        "geom.usda" => Ok(geom.clone().into_bytes()),
        other => Err(std::io::Error::other(format!("no {other}"))),
    };
    let all = from_bytes(MeshFormat::Usd, &stage, "set/a.usda", &LoadOptions::default(), &beside);
    let all = all.unwrap();
    assert_eq!(all.positions[0], DVec3::ZERO);
    assert_eq!(all.positions[3], DVec3::X * 3.0);
    let told = load(&stage, "a.usda", "Tri").unwrap_err().to_string();
    assert!(told.contains("it refers to `parts/part.usda`, which cannot be read"), "{told}");
}

#[test]
fn what_cannot_be_read_is_told() {
    let skinned = text(&format!(
        "def Mesh \"Hero\" {{ {TRIANGLE} int[] primvars:skel:jointIndices = [0, 0, 0] }}"
    ));
    let changing = text(
        "def Mesh \"Sea\" { int[] faceVertexCounts.timeSamples = { 0: [3], 24: [3, 3] }
         int[] faceVertexIndices = [0, 1, 2, 0, 2, 3]
         point3f[] points.timeSamples = { 0: [(0,0,0), (1,0,0), (1,1,0), (0,1,0)], 24: [(0,0,1), (1,0,0), (1,1,0), (0,1,0)] } }",
    );
    for (stage, name, expected) in [
        (&skinned, "Hero", "`Hero` hangs on a skeleton, which is not built yet"),
        (&changing, "Sea", "the faces of `Sea` change as it moves"),
    ] {
        let nodes = stage_nodes(stage, "a.usda", &alone).unwrap();
        let told = rigged_mesh(stage, "a.usda", number(&nodes, name), Some("samples"), &alone);
        let told = told.unwrap_err().to_string();
        assert!(told.contains(expected), "{told}");
    }
    for (keys, expected) in [
        (
            "int[] faceVertexCounts = [3]\n int[] faceVertexIndices = [0, 0, 7]",
            "names vertex 7 of 1",
        ),
        (
            "int[] faceVertexCounts = [4]\n int[] faceVertexIndices = [0, 0, 0]",
            "face 0 of object `A`",
        ),
        (
            "int[] faceVertexCounts = [-4]\n int[] faceVertexIndices = [0, 0, 0]",
            "face 0 of object `A`",
        ),
    ] {
        let stage = text(&format!("def Mesh \"A\" {{ point3f[] points = [(0, 0, 0)]\n {keys} }}"));
        let told = load(&stage, "a.usda", "A").unwrap_err().to_string();
        assert!(told.contains(expected), "{told}");
    }
}

/// In a script, as a mesh, as a collider that moves and as a camera.
#[test]
fn a_script_takes_its_set_from_it() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("plank.usdz"), PACKAGE).unwrap();
    let script = folder.path().join("shot.lua");
    let source = "local retake = require \"retake\"
        local shot = retake.shot { name = 'a', frames = 24, fps = 24 }
        local set = retake.stage 'plank.usdz'
        assert(#set:names { kind = 'mesh' } == 2)
        shot:collider { name = 'still', mesh = set:mesh 'Sheet' }
        shot:collider { name = 'plank', from = set, object = 'Plank', clip = 'samples' }
        shot:collider { name = 'sheet', from = set, object = 'Sheet', clip = 'samples', clip_speed = 2 }
        shot:camera { name = 'cam', from = set, object = 'Cam' }
        return shot";
    std::fs::write(&script, source).unwrap();
    let request = Request {
        script: &script,
        root: folder.path(),
        assets: &[],
        parameters: &BTreeMap::new(),
        defaults: Defaults::default(),
    };
    let scene: Scene = director::build(&request).unwrap_or_else(|p| panic!("{p:?}")).scene;
    let at = |body: usize, t: f64| scene.bodies[body].places_at(scene.mesh_of(body), t);
    assert!(!scene.bodies[1].clip.as_ref().unwrap().deforms(), "a piece keeps its shape");
    assert!(scene.bodies[2].clip.as_ref().unwrap().deforms());
    assert!((at(1, 1.0)[0].y - 2.0).abs() < 1e-9);
    assert!((at(2, 0.25)[2].y - 0.025).abs() < 1e-9);
}

/// Files that end too soon, and files with wrong bytes. Crates have no sums to tell wrong lengths by, so that they
/// are in packages here, which do.
#[test]
fn damaged_files_are_told() {
    let try_all = |bytes: &[u8], name: &str| {
        let options = LoadOptions::default();
        drop(from_bytes(MeshFormat::Usd, bytes, name, &options, &alone));
        if let Ok(nodes) = stage_nodes(bytes, name, &alone) {
            for node in nodes {
                drop(rigged_mesh(bytes, name, node.node, Some("samples"), &alone));
                drop(rigged_camera(bytes, name, node.node, Some("samples"), &alone));
            }
        }
    };
    let mut seed = 1u64;
    let mut random = |below: usize| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as usize % below
    };
    for (bytes, name) in [(TEXT, "a.usda"), (CRATE, "a.usdc"), (PACKAGE, "a.usdz")] {
        for k in 0..60 {
            try_all(&bytes[..bytes.len() * k / 60], name);
        }
        let garbles = if name == "a.usdc" { 0 } else { 300 };
        for _ in 0..garbles {
            let mut garbled = bytes.to_vec();
            for _ in 0..=random(3) {
                garbled[random(bytes.len())] = random(256) as u8;
            }
            try_all(&garbled, name);
        }
    }
    let told = load(&CRATE[..2000], "a.usdc", "Plank").unwrap_err().to_string();
    assert!(told.starts_with("a.usdc: the file is no valid USD"), "{told}");
}
