//! Pictures on bodies: from the script to pixels and exports.

mod shots;

use glam::{DVec3, Vec3};
use image::{ImageFormat, Rgb, RgbImage};
use retake::director::{self, Defaults, Request};
use retake::export::{Format, Shot, write};
use retake::geometry::read::{LoadOptions, load};
use retake::render::{Picture, Settings, Stage, View, render};
use retake::scene::{Layer, Scene};
use shots::frame_of;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// Writes a picture whose pixel in column x and row y is `color(x, y)`.
fn paint(path: &Path, size: [u32; 2], color: impl Fn(u32, u32) -> [u8; 3]) {
    let picture = RgbImage::from_fn(size[0], size[1], |x, y| Rgb(color(x, y)));
    picture.save_with_format(path, ImageFormat::from_path(path).unwrap()).unwrap();
}

/// The scene of a script in `folder`; pictures by absolute paths.
fn scene(folder: &Path, text: &str) -> Result<Scene, String> {
    let script = folder.join("shot.lua");
    let text = format!("local retake = require \"retake\"\n{text}\nreturn shot");
    fs::write(&script, text).unwrap();
    let request = Request {
        script: &script,
        root: folder,
        assets: &[],
        parameters: &BTreeMap::new(),
        defaults: Defaults::default(),
    };
    let built = director::build(&request)
        .map_err(|p| p.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))?;
    let mut scene = built.scene;
    for picture in scene.pictures_mut() {
        assert!(!picture.path.starts_with('/'), "scenes name pictures relative to the root");
        picture.path = folder.join(&picture.path).to_string_lossy().into_owned();
    }
    Ok(scene)
}

/// A square of 2 m that the camera sees as the whole of a picture of 96 x 96 pixels, in even light.
/// It stands a little aside, so that no ray runs along an edge.
fn wall(look: &str, extra: &str) -> String {
    format!(
        "local shot = retake.shot {{ name = \"wall\", frames = 1 }}\n\
         local mesh = retake.mesh.grid {{ size = {{ 2, 2 }}, vertices = {{ 5, 5 }} }}\n\
         local wall = shot:collider {{ name = \"wall\", mesh = mesh{extra} }}\n\
         wall:look {{ {look} roughness = 1, ior = 1 }}\n\
         shot:light {{ kind = \"sky\", strength = 1 }}\n\
         shot:camera {{ position = {{ 1e-3, 7e-4, 2 }}, look_at = {{ 1e-3, 7e-4, 0 }}, lens = 36 }}"
    )
}

fn draw(scene: &Scene) -> Picture {
    let stage = Stage { floor: None, ground: None, ..Stage::at_start(scene) };
    let view = View::of_camera(scene, 0, stage).unwrap();
    let settings =
        Settings { width: 96, height: 96, samples: 16, layers: vec![Layer::Normal], shutter: 0.0 };
    render(scene, &frame_of(scene, 1), None, &view.at(scene, 1), &settings)
}

/// The linear value of an sRGB value.
fn linear(c: u8) -> f32 {
    let c = f32::from(c) / 255.0;
    if c <= 0.04045 { c / 12.92 } else { libm::powf((c + 0.055) / 1.055, 2.4) }
}

/// In even light of radiance 1 a matt wall has the radiance of its colour. Each of 4 x 4 fields of 4 x 4
/// texels is seen as 24 x 24 pixels, and in its middle nothing of its neighbours is.
#[test]
fn a_checker_has_the_right_colours_at_the_right_pixels() {
    let folder = TempDir::new().unwrap();
    let colors = [[220, 30, 40], [250, 240, 230], [10, 80, 160], [128, 128, 128]];
    let color = |x: u32, y: u32| colors[((x + 2 * y) % 4) as usize];
    paint(&folder.path().join("checker.png"), [16, 16], |x, y| color(x / 4, y / 4));
    let plain = scene(folder.path(), &wall("color_map = \"checker.png\",", "")).unwrap();
    let tinted = "color_map = \"checker.png\", color = { 0.5, 1, 0 },";
    let tinted = scene(folder.path(), &wall(tinted, "")).unwrap();
    for (scene, tint) in [(plain, Vec3::ONE), (tinted, Vec3::new(0.5, 1.0, 0.0))] {
        let picture = draw(&scene);
        for (x, y) in (0..16).map(|i| (i % 4, i / 4)) {
            let found = picture.color[((y * 24 + 12) * 96 + x * 24 + 12) as usize];
            let expected = Vec3::from_array(color(x, y).map(linear)) * tint;
            let off = (Vec3::from_array(found) - expected).abs().max_element();
            assert!(off < 1e-3, "field {x} {y}: {found:?} in place of {expected}");
        }
    }
}

/// A picture of normals that point as the surface does changes nothing; one that leans to +u and +v leans the
/// wall's normals so, on both sides of it.
#[test]
fn normals_lean_as_their_picture_says() {
    let folder = TempDir::new().unwrap();
    paint(&folder.path().join("flat.png"), [8, 8], |_, _| [128, 128, 255]);
    paint(&folder.path().join("leaning.png"), [8, 8], |_, _| [192, 144, 232]);
    let seen = |look: &str, extra: &str| {
        let sun = "kind = \"sun\", direction = { 0, 0, -1 }, strength = 2";
        let dark = "kind = \"sky\", strength = 0";
        let lights = format!("{dark} }}\nshot:light {{ {sun}");
        let text = wall(look, extra).replace("kind = \"sky\", strength = 1", &lights);
        draw(&scene(folder.path(), &text).unwrap())
    };
    let bare = seen("color = { 0.5, 0.5, 0.5 },", "");
    let look = "color = { 0.5, 0.5, 0.5 }, normal_map = \"flat.png\",";
    let flat = seen(look, "");
    assert!(flat.color == bare.color && flat.normal == bare.normal);

    let look = "color = { 0.5, 0.5, 0.5 }, normal_map = \"leaning.png\",";
    let part = |c: u8| (f32::from(c) - 127.5) / 127.5;
    let lean = Vec3::new(part(192), part(144), part(232)).normalize();
    // From behind (turned about y) the picture is mirrored, and normals are seen turned over.
    let turned = Vec3::new(-lean.x, lean.y, -lean.z) * -1.0;
    for (extra, expected) in [("", lean), (", rotate = { 0, 180, 0 }", turned)] {
        let leaning = seen(look, extra);
        // The sun shines along z: what leans away from it gets less of it by the cosine.
        let middle = (32..64).flat_map(|y| (32..64).map(move |x| y * 96 + x));
        for (a, b) in middle.clone().map(|i: usize| (leaning.color[i], bare.color[i])) {
            assert!((a[1] / b[1] - expected.z).abs() < 1e-3, "{extra}: {} of {}", a[1], b[1]);
        }
        for n in middle.map(|i: usize| leaning.normal.as_ref().unwrap()[i]) {
            let off = (Vec3::from_array(n) - expected).abs().max_element();
            assert!(off < 2e-4, "{extra}: {n:?} in place of {expected}");
        }
    }
}

fn shot_with_pictures(folder: &Path) -> Scene {
    fs::create_dir_all(folder.join("set")).unwrap();
    paint(&folder.join("weave.png"), [4, 4], |x, y| [(60 * x) as u8, (60 * y) as u8, 90]);
    paint(&folder.join("set/weave.png"), [4, 4], |x, _| [(60 * x) as u8, 0, 0]);
    paint(&folder.join("bumps.jpg"), [8, 8], |_, _| [128, 128, 255]);
    let text = "
local shot = retake.shot { name = \"pictures\", frames = 2 }
local sheet = shot:cloth { name = \"sheet\", mesh = retake.mesh.sphere { radius = 0.3, subdivisions = 2 } }
sheet:look { color_map = \"weave.png\", normal_map = \"bumps.jpg\" }
local box = shot:collider { name = \"box\", mesh = retake.mesh.box { size = 0.4 }, translate = { 1, 0, 0 } }
box:look { color = { 0.5, 1, 1 }, color_map = \"set/weave.png\" }
local can = shot:collider { name = \"can\", mesh = retake.mesh.cylinder{}, translate = { -2, 0, 0 } }
can:look { color_map = \"weave.png\" }";
    scene(folder, text).unwrap()
}

#[test]
fn gltf_holds_the_pictures_and_the_corners_at_their_seams() {
    let folder = TempDir::new().unwrap();
    let scene = shot_with_pictures(folder.path());
    let frames: Vec<_> = (1..=3).map(|n| frame_of(&scene, n)).collect();
    write(Format::Gltf, &Shot::new(&scene, &frames), folder.path()).unwrap();
    let bytes = fs::read(folder.path().join("gltf/pictures.glb")).unwrap();
    let gltf::Gltf { document, blob } = gltf::Gltf::from_slice(&bytes).unwrap();
    let blob = blob.unwrap();
    assert_eq!(document.images().count(), 3, "one picture is held once");
    let file = |texture: gltf::Texture<'_>| match texture.source().source() {
        gltf::image::Source::View { view, mime_type } => {
            let range = view.offset()..view.offset() + view.length();
            (blob[range].to_vec(), mime_type.to_owned())
        }
        gltf::image::Source::Uri { uri, .. } => panic!("{uri} is not in the file"),
    };
    let read = |name: &str| fs::read(folder.path().join(name)).unwrap();
    let material = |name: &str| document.materials().find(|m| m.name() == Some(name)).unwrap();
    let color = |name: &str| {
        let texture = material(name).pbr_metallic_roughness().base_color_texture().unwrap();
        file(texture.texture())
    };
    assert_eq!(color("sheet"), (read("weave.png"), "image/png".to_owned()));
    assert_eq!(color("box"), (read("set/weave.png"), "image/png".to_owned()));
    assert_eq!(material("box").pbr_metallic_roughness().base_color_factor(), [0.5, 1.0, 1.0, 1.0]);
    assert_eq!(material("sheet").pbr_metallic_roughness().base_color_factor(), [1.0; 4]);
    let normals = material("sheet").normal_texture().unwrap().texture();
    assert_eq!(file(normals), (read("bumps.jpg"), "image/jpeg".to_owned()));
    // What is read back has the same corners; targets have a vertex for each.
    let path = folder.path().join("gltf/pictures.glb");
    for (i, body) in scene.bodies.iter().enumerate() {
        let options = LoadOptions { object: Some(body.name.clone()), ..LoadOptions::default() };
        let (back, mesh) = (load(&path, "pictures.glb", &options).unwrap(), scene.mesh_of(i));
        assert!(!mesh.seams.is_empty(), "{} has a seam", body.name);
        assert_eq!(back.triangles.len(), mesh.triangles.len());
        for t in 0..mesh.triangles.len() {
            let [a, b] = [&back, mesh].map(|m| m.corner_uvs(t).unwrap());
            for (a, b) in a.iter().zip(b) {
                assert!((*a - b).abs().max_element() < 1e-6, "{}: triangle {t}", body.name);
            }
        }
    }
    for mesh in document.meshes() {
        for primitive in mesh.primitives() {
            let count = primitive.get(&gltf::Semantic::Positions).unwrap().count();
            for target in primitive.morph_targets() {
                assert_eq!(target.positions().unwrap().count(), count);
            }
        }
    }
}

#[test]
fn obj_names_the_pictures_and_brings_them_along() {
    let folder = TempDir::new().unwrap();
    let scene = shot_with_pictures(folder.path());
    let frames: Vec<_> = (1..=3).map(|n| frame_of(&scene, n)).collect();
    let shot = Shot::new(&scene, &frames);
    for (format, place, mtl) in [
        (Format::Obj, "obj", "sheet.mtl"),
        (Format::ObjShot, "obj", "pictures.mtl"),
        (Format::Pc2, "cache", "sheet.mtl"),
    ] {
        let out = TempDir::new().unwrap();
        write(format, &shot, out.path()).unwrap();
        let text = fs::read_to_string(out.path().join(place).join(mtl)).unwrap();
        assert!(text.contains("map_Kd weave.png\nnorm bumps.jpg\n"), "{text}");
        for name in ["weave.png", "bumps.jpg"] {
            let copy = fs::read(out.path().join(place).join(name)).unwrap();
            assert_eq!(copy, fs::read(folder.path().join(name)).unwrap());
        }
        if format == Format::Pc2 {
            continue;
        }
        // Another picture of the same name goes by its hash.
        let text = fs::read_to_string(out.path().join("obj").join(match format {
            Format::Obj => "box.mtl",
            _ => "pictures.mtl",
        }));
        let text = text.unwrap();
        let hash = &scene.bodies[1].look.color_map.as_ref().unwrap().hash[..8];
        assert!(text.contains("Kd 0.5 1 1\n"), "{text}");
        assert!(text.contains(&format!("map_Kd weave_{hash}.png\n")), "{text}");
        assert!(out.path().join(format!("obj/weave_{hash}.png")).exists());
    }
    // The corners come back from OBJ as well.
    let out = TempDir::new().unwrap();
    write(Format::Obj, &shot, out.path()).unwrap();
    for (i, file) in [(0, "sheet.0001.obj"), (1, "box.obj"), (2, "can.obj")] {
        let path = out.path().join("obj").join(file);
        let (back, mesh) = (load(&path, file, &LoadOptions::default()).unwrap(), scene.mesh_of(i));
        for t in 0..mesh.triangles.len() {
            let [a, b] = [&back, mesh].map(|m| m.corner_uvs(t).unwrap().map(glam::DVec2::as_vec2));
            assert_eq!(a, b, "{file}: triangle {t}");
        }
    }
}

#[test]
fn pictures_that_cannot_be_had_are_told_with_their_line() {
    let folder = TempDir::new().unwrap();
    let put = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
    put("words.png", b"these are words");
    paint(&folder.path().join("whole.png"), [64, 64], |x, y| [x as u8, y as u8, (x ^ y) as u8]);
    let whole = fs::read(folder.path().join("whole.png")).unwrap();
    put("half.png", &whole[..whole.len() / 2]);
    put("plain.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    for (look, expected) in [
        ("color_map = \"none.png\",", "cannot find the file `none.png`"),
        ("normal_map = \"words.png\",", "`words.png` is no picture that can be read"),
        ("color_map = \"half.png\",", "`half.png` is no picture that can be read"),
        ("color_map = 3,", "`color_map` in look"),
        ("color_map = \"/etc/hostname\",", "outside of the project"),
    ] {
        let said = scene(folder.path(), &wall(look, "")).unwrap_err();
        assert!(said.contains(expected), "{said}");
        assert!(said.contains("shot.lua:5"), "{said}");
    }
    let text = wall("color_map = \"whole.png\",", "")
        .replace("mesh = mesh", "mesh = retake.mesh.load \"plain.obj\"");
    let said = scene(folder.path(), &text).unwrap_err();
    assert!(said.contains("the mesh of `wall` has none") && said.contains("shot.lua:5"), "{said}");
}

/// What pictures lie on follows the refined surface, through seams and to both sides.
#[test]
fn finer_and_thicker_surfaces_keep_their_pictures() {
    let mesh = retake::geometry::primitives::Cylinder {
        radius: 0.5,
        height: 1.0,
        segments: Some(12),
        caps: false,
        ..Default::default()
    };
    let mesh = mesh.build().unwrap();
    assert!(!mesh.seams.is_empty());
    for times in 0..3 {
        let fine = retake::geometry::Refined::new(&mesh, times, 0.02).mesh();
        fine.check().unwrap();
        for t in 0..fine.triangles.len() {
            let uvs = fine.corner_uvs(t).unwrap();
            let widest = 1.0 / f64::from(12 << times) + 1e-12;
            let [a, b, c] = uvs.map(|uv| uv.x);
            let span = a.max(b).max(c) - a.min(b).min(c);
            assert!(span <= widest, "triangle {t} spans {span} of the picture");
            // u is the turn about the axis, as the mesh has it.
            for (uv, vertex) in uvs.iter().zip(fine.triangles[t]) {
                let p = fine.positions[vertex as usize];
                let turn = libm::atan2(-p.z, p.x) / std::f64::consts::TAU;
                let off = (uv.x - turn).rem_euclid(1.0);
                // Loop's rule moves vertices along the circle by symmetry not at all.
                assert!(off.min(1.0 - off) < 0.01, "{} at {turn}", uv.x);
            }
        }
    }
    let halved = mesh.subdivided(2).unwrap();
    assert_eq!(halved.seams.len() % 4, 0);
    for t in 0..halved.triangles.len() {
        let [a, b, c] = halved.corner_uvs(t).unwrap().map(|uv| uv.x);
        assert!(a.max(b).max(c) - a.min(b).min(c) <= 1.0 / 48.0 + 1e-12);
    }
}

/// Every side of a box shows the whole picture, upright and not mirrored.
#[test]
fn a_box_shows_the_picture_on_each_side() {
    let mesh = retake::geometry::primitives::Box {
        size: DVec3::new(1.0, 2.0, 3.0),
        cells: Some([2, 3, 1]),
        ..Default::default()
    };
    let mesh = mesh.build().unwrap();
    let mut areas = BTreeMap::new();
    for (t, triangle) in mesh.triangles.iter().enumerate() {
        let [a, b, c] = triangle.map(|i| mesh.positions[i as usize]);
        let normal = (b - a).cross(c - a).normalize();
        let [p, q, r] = mesh.corner_uvs(t).unwrap();
        let area = 0.5 * (q - p).perp_dot(r - p);
        assert!(area > 0.0, "triangle {t} is mirrored");
        *areas.entry(normal.round().to_array().map(|x| x as i32)).or_insert(0.0) += area;
        if normal.y.abs() < 0.5 {
            for (p, uv) in [a, b, c].iter().zip([p, q, r]) {
                assert!((uv.y - (0.5 + p.y / 2.0)).abs() < 1e-12, "upright");
            }
        }
    }
    assert_eq!(areas.len(), 6);
    assert!(areas.values().all(|area| (area - 1.0).abs() < 1e-12), "{areas:?}");
}
