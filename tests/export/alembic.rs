//! Alembic files, read back node by node.

use super::ogawa::{Archive, Object, Property, Values, read};
use super::{frames, names, scene, short};
use glam::{DMat4, DQuat, DVec2, DVec3, Vec3};
use retake::export::{Format, Shot, write};
use retake::frames::{BodyState, Frame, FrameSource};
use retake::scene::Scene;
use std::path::Path;

const NAME: &str = "abc/shot.abc";

fn written(scene: &Scene, frames: &dyn FrameSource, folder: &Path) -> Vec<u8> {
    let done = write(Format::Abc, &Shot::new(scene, frames), folder).unwrap();
    assert!(done.complete && done.notes.is_empty());
    assert_eq!(done.files, [folder.join(NAME)]);
    std::fs::read(folder.join(NAME)).unwrap()
}

fn archive(scene: &Scene, frames: &[Frame]) -> Archive {
    let folder = tempfile::tempdir().unwrap();
    read(&written(scene, &frames.to_vec(), folder.path()))
}

/// The mesh of a body: below its place.
fn mesh<'a>(archive: &'a Archive, path: &str) -> &'a Object {
    let place = archive.top.at(path);
    let mesh = place.at(&format!("{}Shape", place.name));
    assert!(mesh.meta.starts_with("schema=AbcGeom_PolyMesh_v1;"));
    mesh
}

fn matrix(place: &Object, sample: usize) -> DMat4 {
    assert_eq!(place.values(".xform/.ops").bytes_of(0), [48], "one matrix");
    assert_eq!(place.values(".xform/.inherits").bytes_of(0), [1]);
    let values = place.values(".xform/.vals").doubles(sample);
    DMat4::from_cols_array(&values.try_into().unwrap())
}

/// Three numbers at a time, each triangle's from last to first.
fn forwards<T: Copy>(corners: &[T]) -> Vec<[T; 3]> {
    corners.as_chunks::<3>().0.iter().map(|[a, b, c]| [*c, *b, *a]).collect()
}

#[test]
fn every_body_is_read_back_where_its_frames_have_it() {
    let (mut scene, _) = short();
    scene.timing.start_frame = -2;
    let frames = frames(&scene);
    let folder = tempfile::tempdir().unwrap();
    let archive = read(&written(&scene, &frames, folder.path()));
    assert_eq!(names(folder.path()), [NAME]);
    for (body, path) in
        [(0, "cape"), (1, "box"), (2, "table"), (3, "set/cups/cup_1"), (4, "set/cups/cup_2")]
    {
        let (place, mesh) = (archive.top.at(path), mesh(&archive, path));
        let expected = scene.mesh_of(body);
        let corners = forwards(&mesh.values(".geom/.faceIndices").ints(0));
        assert_eq!(corners.len(), expected.triangles.len());
        for (found, triangle) in corners.iter().zip(&expected.triangles) {
            assert_eq!(*found, triangle.map(|i| i as i32), "{path}");
        }
        let counts = mesh.values(".geom/.faceCounts").ints(0);
        assert!(counts.len() == corners.len() && counts.iter().all(|n| *n == 3));
        for (i, frame) in frames.iter().enumerate() {
            let points = mesh.values(".geom/P").vectors(i);
            let wanted = frame.world_positions(&scene, body);
            let what = format!("{path} at frame {}", frame.number);
            assert_eq!(points.len(), wanted.len(), "{what}");
            let matrix = matrix(place, i);
            if body == 0 {
                assert_eq!(points, wanted, "to the bit");
                assert_eq!(matrix, DMat4::IDENTITY);
            }
            for (p, q) in points.iter().zip(&wanted) {
                let found = matrix.transform_point3(Vec3::from_array(*p).as_dvec3());
                let off = found.distance(Vec3::from_array(*q).as_dvec3());
                assert!(off < 1e-6, "{what}: off by {off}");
            }
            let bounds = mesh.values(".geom/.selfBnds").doubles(i);
            for k in 0..3 {
                let of = |least: f32, choose: fn(f32, f32) -> f32| {
                    f64::from(points.iter().map(|p| p[k]).fold(least, choose))
                };
                assert_eq!(bounds[k], of(f32::MAX, f32::min), "{what}");
                assert_eq!(bounds[k + 3], of(f32::MIN, f32::max), "{what}");
            }
            let normals = mesh.values(".geom/N");
            let many = if body == 0 { points.len() } else { 3 * corners.len() };
            assert_eq!(normals.vectors(i).len(), many, "{what}");
            let length = |n: &[f32; 3]| Vec3::from_array(*n).length();
            assert!(normals.vectors(i).iter().all(|n| (length(n) - 1.0).abs() < 1e-5));
        }
    }
    assert!(!archive.top.children.iter().any(|child| child.name == "helper"));
}

/// A corner's normal is that of its face where all edges are sharp, whatever the order of corners.
#[test]
fn normals_and_texture_coordinates_are_those_of_their_corners() {
    let (mut scene, frames) = short();
    let own = [DVec2::new(0.25, 0.5), DVec2::new(0.5, 0.75), DVec2::new(1.0, 0.125)];
    scene.meshes[1].uvs = (0..scene.meshes[1].positions.len())
        .map(|i| DVec2::new(i as f64, 2.0 * i as f64))
        .collect();
    scene.meshes[1].seams = [(2, own)].into();
    let archive = archive(&scene, &frames);
    let cube = mesh(&archive, "box");
    assert!(cube.values(".geom/N").meta.contains("geoScope=fvr"));
    let normals = forwards(&cube.values(".geom/N").vectors(0));
    let expected = scene.mesh_of(1);
    for (found, t) in normals.iter().zip(&expected.triangles) {
        let [a, b, c] = t.map(|i| expected.positions[i as usize]);
        let normal = (b - a).cross(c - a).normalize();
        for n in found {
            assert!(normal.distance(Vec3::from_array(*n).as_dvec3()) < 1e-6);
        }
    }
    assert!(mesh(&archive, "cape").values(".geom/N").meta.contains("geoScope=vtx"));
    for (path, body) in [("box", 1), ("cape", 0)] {
        let found = mesh(&archive, path);
        let Property::Compound(_, geometry) = &found.properties[".geom"] else { panic!() };
        let Property::Compound(meta, _) = &geometry["uv"] else { panic!() };
        assert!(meta.contains("geoScope=fvr") && meta.contains("podExtent=2"), "{meta}");
        let uvs = found.values(".geom/uv/.vals").floats(0);
        let uvs = uvs.as_chunks::<2>().0;
        let numbers = forwards(&found.values(".geom/uv/.indices").ints(0));
        for (t, corners) in numbers.iter().enumerate() {
            let wanted = scene.mesh_of(body).corner_uvs(t).unwrap();
            assert_eq!(corners.map(|i| uvs[i as usize]), wanted.map(|uv| uv.as_vec2().to_array()));
        }
        assert!(uvs.len() <= scene.mesh_of(body).uvs.len() + 3);
    }
}

#[test]
fn frames_lie_at_their_number_by_the_rate() {
    let (mut scene, _) = short();
    scene.timing.fps = (30000, 1001);
    scene.timing.start_frame = -2;
    let all = frames(&scene);
    let found = archive(&scene, &all);
    let step = 1001.0 / 30000.0;
    assert_eq!(found.clocks[0], (1, 1.0, vec![0.0]));
    assert_eq!(found.clocks[1], (5, step, vec![-2.0 * 1001.0 / 30000.0]));
    assert!(found.about.starts_with("FramesPerTimeUnit=29.970030;"), "{}", found.about);
    // Where frames are missing every one has a time of its own.
    let found = archive(&scene, &[all[0].clone(), all[1].clone(), all[4].clone()]);
    let (most, cycle, times) = &found.clocks[1];
    assert_eq!((*most, times.len()), (3, 3));
    assert!(*cycle > 1e300 && times[2] == 2.0 * step && times[1] == -step);
}

/// What never changes has one sample, what stands still for a while one place in the file for it.
#[test]
fn equal_samples_are_written_once() {
    let (scene, mut frames) = short();
    for i in [1, 3, 4] {
        let before = frames[i - 1].bodies[0].clone();
        frames[i].bodies[0] = before;
    }
    let found = archive(&scene, &frames);
    let points = mesh(&found, "cape").values(".geom/P");
    assert_eq!((points.count, points.clock, points.listed.len()), (5, 1, 2));
    let places: Vec<Vec<[f32; 3]>> = (0..5).map(|i| points.vectors(i)).collect();
    assert!(places[0] == places[1] && places[1] != places[2] && places[2] == places[4]);
    for path in ["box", "table"] {
        let points = mesh(&found, path).values(".geom/P");
        assert_eq!((points.count, points.listed.len()), (1, 1), "{path}");
    }
    assert_eq!(found.top.at("box").values(".xform/.vals").count, 5);
    assert_eq!(found.top.at("table").values(".xform/.vals").count, 1);
    let place = |path: &str, name: &str| -> u64 { mesh(&found, path).values(name).listed[0].0 };
    assert_eq!(place("set/cups/cup_1", ".geom/P"), place("set/cups/cup_2", ".geom/P"));
    assert_eq!(place("box", ".geom/P"), place("twin", ".geom/P"));
    assert_eq!(place("cape", ".geom/.faceIndices"), place("cape", ".geom/uv/.indices"));
    let digests = |path: &str| mesh(&found, path).digests;
    assert_eq!(digests("set/cups/cup_1"), digests("set/cups/cup_2"));
    assert_ne!(digests("box"), digests("table"));
}

/// The box turns by 600 degrees in 24 frames: matrices a frame, not the shorter way over all.
#[test]
fn turns_are_those_of_every_frame() {
    let scene = scene();
    let frames = frames(&scene);
    let found = archive(&scene, &frames);
    let place = found.top.at("box");
    for (i, frame) in frames.iter().enumerate() {
        let BodyState::Posed { translate, rotate } = &frame.bodies[1] else { panic!("a pose") };
        let turn = DQuat::from_array(rotate.map(f64::from)).normalize();
        let place = Vec3::from_array(*translate).as_dvec3();
        assert_eq!(matrix(found.top.at("box"), i), DMat4::from_rotation_translation(turn, place));
    }
    let moved = place.values(".xform/.animChans").ints(0);
    assert!([0, 5, 10, 13, 14].iter().all(|i| moved.contains(i)), "{moved:?}");
    // It keeps its x.
    assert!(![3, 7, 11, 12, 15].iter().any(|i| moved.contains(i)), "{moved:?}");
    let moves_anything =
        |path: &str| found.top.at(path).find(".xform/isNotConstantIdentity").is_some();
    assert!(moves_anything("box") && moves_anything("table"));
    assert!(!moves_anything("cape") && !moves_anything("set/cups"));
}

#[test]
fn cameras_stand_and_see_as_the_shot_has_them() {
    let (mut scene, frames) = short();
    let found = archive(&scene, &frames);
    let place = found.top.at("main");
    let camera = place.at("mainShape");
    assert!(camera.meta.starts_with("schema=AbcGeom_Camera_v1;"));
    let core = camera.values(".geom/.core");
    assert_eq!(core.extent, 16);
    let [lens, width, _, height, _, squeeze, .., fstop, focus, _, _, near, far] =
        core.doubles(0)[..]
    else {
        panic!("16 numbers")
    };
    // A lens of 35 mm on 3.6 cm.
    assert!((lens, squeeze, near, far) == (35.0, 1.0, 0.01, 1000.0), "{lens}");
    assert!((width - 3.6).abs() < 1e-12 && (height - 3.6 * 540.0 / 960.0).abs() < 1e-12);
    let away = |t: f64| {
        let sight = scene.cameras[0].sight_at(t);
        sight.position.distance(sight.look_at)
    };
    assert_eq!((fstop, focus), (2.8, away(0.0)), "it is sharp where it looks");
    assert_eq!(core.doubles(4)[11], away(4.0 / 24.0));
    for (i, t) in [(0, 0.0), (4, 4.0 / 24.0)] {
        let sight = scene.cameras[0].sight_at(t);
        let matrix = matrix(place, i);
        assert!(matrix.w_axis.truncate().distance(sight.position) < 1e-12);
        let ahead = (sight.look_at - sight.position).normalize();
        assert!(matrix.transform_vector3(DVec3::NEG_Z).distance(ahead) < 1e-9);
    }
    scene.cameras[0].lens =
        retake::math::Curve::Samples { rate: 24.0, start: 0.0, values: vec![35.0, 50.0, 80.0] };
    let found = archive(&scene, &frames);
    let core = found.top.at("main/mainShape").values(".geom/.core");
    let lenses: Vec<f64> = (0..5).map(|i| core.doubles(i)[0]).collect();
    assert_eq!(lenses, [35.0, 50.0, 80.0, 80.0, 80.0]);
}

/// Frames 1 to 5 lie at 0 to 4/24 s: the cape is there from the second on, the table up to the third.
#[test]
fn what_comes_or_goes_is_invisible_while_it_is_away() {
    let (mut scene, frames) = short();
    scene.bodies[0].appears = Some(1.0 / 24.0);
    scene.bodies[2].disappears = Some(3.0 / 24.0);
    let found = archive(&scene, &frames);
    let seen = |path: &str| -> Vec<u8> {
        let visible: &Values = found.top.at(path).values("visible");
        assert_eq!((visible.pod, visible.is_array), (2, false));
        (0..5).flat_map(|i| visible.bytes_of(i)).collect()
    };
    assert_eq!(seen("cape"), [0, 1, 1, 1, 1]);
    assert_eq!(seen("table"), [1, 1, 1, 0, 0]);
    assert!(found.top.at("box").find("visible").is_none());
}

/// All faces of a body are the set of its material; the cups look the same, the twin of the box does not.
#[test]
fn faces_are_in_the_set_of_their_material() {
    let (scene, frames) = short();
    let found = archive(&scene, &frames);
    for (path, material) in [
        ("cape", "cape_look"),
        ("set/cups/cup_1", "cup_1_look"),
        ("set/cups/cup_2", "cup_1_look"),
        ("twin", "twin_look"),
    ] {
        let mesh = mesh(&found, path);
        let set = mesh.at(material);
        assert!(set.meta.starts_with("schema=AbcGeom_FaceSet_v1;"), "{}", set.meta);
        let faces = set.values(".faceset/.faces").ints(0);
        let count = mesh.values(".geom/.faceCounts").ints(0).len();
        assert!(faces.iter().copied().eq(0..count as i32));
        let bounds = |values: &Values| values.doubles(4);
        assert_eq!(
            bounds(set.values(".faceset/.selfBnds")),
            bounds(mesh.values(".geom/.selfBnds"))
        );
    }
}

#[test]
fn names_are_kept_and_unique() {
    let (mut scene, frames) = short();
    for (body, name) in [(0, "2nd cape"), (3, "a.cup"), (2, "main"), (1, "set")] {
        scene.bodies[body].name = name.to_owned();
    }
    let found = archive(&scene, &frames);
    let mut below: Vec<&str> = found.top.children.iter().map(|c| c.name.as_str()).collect();
    below.sort_unstable();
    // A camera may be called as a body, a body as a group.
    assert_eq!(below, ["2nd cape", "main", "main_2", "set", "set_2", "twin"]);
    assert!(found.top.at("set").find("visible").is_none());
    assert_eq!(found.top.at("set_2/cups").children.len(), 2);
    assert!(found.top.at("main_2").at("main_2Shape").meta.contains("Camera"));
}

#[test]
fn a_frame_of_another_scene_leaves_no_file() {
    let (scene, mut frames) = short();
    frames[3].bodies[1] = BodyState::Deformed { positions: frames[3].world_positions(&scene, 1) };
    let folder = tempfile::tempdir().unwrap();
    let refused = write(Format::Abc, &Shot::new(&scene, &frames), folder.path()).unwrap_err();
    assert_eq!(refused.message, "frame 4 is not of this scene");
    assert_eq!(names(folder.path()), [""; 0]);
}
