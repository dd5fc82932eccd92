//! glTF files with something that moves, written by hand.

use retake::director::{self, Built, Defaults, Request};
use retake::scene::Scene;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use tempfile::TempDir;

/// Accessors of 32-bit floats in one buffer.
#[derive(Default)]
pub(crate) struct Numbers {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl Numbers {
    /// Adds values of `width` numbers and gives their accessor.
    pub(crate) fn add(&mut self, values: &[f64], width: usize) -> usize {
        let (start, kind) = (self.bytes.len(), ["SCALAR", "", "VEC3", "VEC4"]);
        let kind = if width == 16 { "MAT4" } else { kind[width - 1] };
        self.bytes.extend(values.iter().flat_map(|v| (*v as f32).to_le_bytes()));
        let length = self.bytes.len() - start;
        self.views.push(json!({ "buffer": 0, "byteOffset": start, "byteLength": length }));
        let (view, count) = (self.views.len() - 1, values.len() / width);
        let entry =
            json!({ "bufferView": view, "componentType": 5126, "count": count, "type": kind });
        self.accessors.push(entry);
        self.accessors.len() - 1
    }

    /// Adds joint numbers, four a vertex.
    pub(crate) fn add_joints(&mut self, joints: &[[u8; 4]]) -> usize {
        let start = self.bytes.len();
        self.bytes.extend(joints.iter().flatten());
        let length = self.bytes.len() - start;
        self.views.push(json!({ "buffer": 0, "byteOffset": start, "byteLength": length }));
        let (view, count) = (self.views.len() - 1, joints.len());
        let entry =
            json!({ "bufferView": view, "componentType": 5121, "count": count, "type": "VEC4" });
        self.accessors.push(entry);
        self.accessors.len() - 1
    }

    /// Adds the corners of triangles, one after the other.
    pub(crate) fn add_corners(&mut self, corners: &[u32]) -> usize {
        let start = self.bytes.len();
        self.bytes.extend(corners.iter().flat_map(|v| v.to_le_bytes()));
        let length = self.bytes.len() - start;
        self.views.push(json!({ "buffer": 0, "byteOffset": start, "byteLength": length }));
        let (view, count) = (self.views.len() - 1, corners.len());
        let entry =
            json!({ "bufferView": view, "componentType": 5125, "count": count, "type": "SCALAR" });
        self.accessors.push(entry);
        self.accessors.len() - 1
    }

    /// Writes the file `name` into `folder`; `rest` is what it holds beside the numbers.
    pub(crate) fn write(&self, folder: &Path, name: &str, mut rest: Value) {
        let uri = name.replace(".gltf", ".bin");
        rest["asset"] = json!({ "version": "2.0" });
        rest["accessors"] = json!(self.accessors);
        rest["bufferViews"] = json!(self.views);
        rest["buffers"] = json!([{ "byteLength": self.bytes.len(), "uri": uri }]);
        std::fs::write(folder.join(name), rest.to_string()).unwrap();
        std::fs::write(folder.join(uri), &self.bytes).unwrap();
    }
}

/// A channel of the keys `times` and `values` on `path` of `node`, into the samplers and channels of a clip.
pub(crate) fn channel(
    clip: &mut Value,
    numbers: &mut Numbers,
    (node, path): (usize, &str),
    interpolation: &str,
    times: &[f64],
    values: &[f64],
) {
    let width = match path {
        "rotation" => 4,
        "weights" => 1,
        _ => 3,
    };
    let (input, output) = (numbers.add(times, 1), numbers.add(values, width));
    let samplers = clip["samplers"].as_array_mut().unwrap();
    samplers.push(json!({ "input": input, "output": output, "interpolation": interpolation }));
    let sampler = samplers.len() - 1;
    let channel = json!({ "sampler": sampler, "target": { "node": node, "path": path } });
    clip["channels"].as_array_mut().unwrap().push(channel);
}

/// A clip without channels.
pub(crate) fn clip(name: &str) -> Value {
    json!({ "name": name, "samplers": [], "channels": [] })
}

/// A turn about z as numbers.
pub(crate) fn about_z(degrees: f64) -> [f64; 4] {
    let half = 0.5 * degrees.to_radians();
    [0.0, 0.0, libm::sin(half), libm::cos(half)]
}

/// Builds a script beside a file; `retake`, `shot` (with `keys` more) and `set` are there already.
pub(crate) fn try_build(
    folder: &TempDir,
    file: &str,
    keys: &str,
    text: &str,
) -> Result<Built, String> {
    let script = folder.path().join("shot.lua");
    let head = format!(
        "local retake = require \"retake\"\n\
         local shot = retake.shot {{ name = \"a\", frames = 24, fps = 24 {keys} }}\n\
         local set = retake.stage \"{file}\"\n"
    );
    std::fs::write(&script, format!("{head}{text}\nreturn shot")).unwrap();
    let request = Request {
        script: &script,
        root: folder.path(),
        assets: &[],
        parameters: &BTreeMap::new(),
        defaults: Defaults::default(),
    };
    director::build(&request)
        .map_err(|p| p.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
}

pub(crate) fn build(folder: &TempDir, file: &str, keys: &str, text: &str) -> Scene {
    try_build(folder, file, keys, text).unwrap_or_else(|told| panic!("{told}")).scene
}

/// A plank of 2 m along x that hangs on a rig, which stands at (1, 2, 0), turned by 90 degrees about y, and a
/// camera. `Go` moves and turns the plank evenly for 2 s, `Jump` in one go after 1 s, `Glide` along
/// a spline, `Grow` makes it longer.
pub(crate) fn plank(folder: &Path) {
    let mut n = Numbers::default();
    let points = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [2.0, 0.0, 0.5], [0.0, 0.0, 0.5]];
    let position = n.add(&points.concat(), 3);
    let corners = n.add_corners(&[0, 2, 1, 0, 3, 2]);
    let (mut go, mut jump, mut glide, mut grow, mut pan) =
        (clip("Go"), clip("Jump"), clip("Glide"), clip("Grow"), clip("Pan"));
    let way = [0.0, 0.0, 3.0, 0.0, 4.0, 3.0];
    channel(&mut go, &mut n, (1, "translation"), "LINEAR", &[0.0, 2.0], &way);
    let turns = [about_z(0.0), about_z(90.0)].concat();
    channel(&mut go, &mut n, (1, "rotation"), "LINEAR", &[0.0, 2.0], &turns);
    channel(&mut jump, &mut n, (1, "translation"), "STEP", &[0.0, 1.0], &way);
    // Arrives, value, leaves: with these tangents y is 4 (t/2)^3.
    let spline = [[0.0; 3], [0.0, 0.0, 3.0], [0.0; 3], [0.0, 6.0, 0.0], [0.0, 4.0, 3.0], [0.0; 3]];
    channel(&mut glide, &mut n, (1, "translation"), "CUBICSPLINE", &[0.0, 2.0], &spline.concat());
    channel(
        &mut grow,
        &mut n,
        (1, "scale"),
        "LINEAR",
        &[0.0, 1.0],
        &[1.0, 1.0, 1.0, 3.0, 1.0, 1.0],
    );
    channel(
        &mut pan,
        &mut n,
        (2, "translation"),
        "LINEAR",
        &[0.0, 1.0],
        &[0.0, 1.0, 5.0, 2.0, 1.0, 5.0],
    );
    let quarter = std::f64::consts::FRAC_1_SQRT_2;
    let rest = json!({
        "scene": 0, "scenes": [{ "nodes": [0, 2] }],
        "nodes": [
            { "name": "Rig", "translation": [1, 2, 0], "rotation": [0, quarter, 0, quarter], "children": [1] },
            { "name": "Plank", "mesh": 0, "translation": [0, 0, 3], "scale": [1, 1, 2] },
            { "name": "ShotCam", "camera": 0, "translation": [0, 1, 5], "rotation": about_z(30.0) },
        ],
        "cameras": [{ "type": "perspective", "perspective": { "yfov": 0.6, "znear": 0.1 } }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": position }, "indices": corners }] }],
        "animations": [go, jump, glide, grow, pan],
    });
    n.write(folder, "plank.gltf", rest);
}

/// Half the width of the arm [m].
pub(crate) const HALF: f64 = 0.05;

/// An arm along x, from 0 to 2 m, of one skin: the elbow at 1 m bends by 90 degrees about z within a second
/// and then holds (`Bend`), or goes back in another (`Wave`). Rings of four vertices stand every 10 cm; 20 cm around the elbow hang on both joints.
pub(crate) fn arm(folder: &Path) {
    let mut n = Numbers::default();
    let (mut points, mut joints, mut weights) = (Vec::new(), Vec::new(), Vec::new());
    let mut corners: Vec<u32> = Vec::new();
    for ring in 0..=20u32 {
        let x = 0.1 * f64::from(ring);
        for (y, z) in [(HALF, -HALF), (HALF, HALF), (-HALF, HALF), (-HALF, -HALF)] {
            points.extend([x, y, z]);
            joints.push([0, 1, 0, 0]);
            weights.extend([1.0 - bends(x), bends(x), 0.0, 0.0]);
        }
        for k in 0..4 {
            let (a, b) = (4 * ring + k, 4 * ring + (k + 1) % 4);
            if ring < 20 {
                corners.extend([a, b, a + 4, b, b + 4, a + 4]);
            }
        }
    }
    corners.extend([0, 2, 1, 0, 3, 2, 80, 81, 82, 80, 82, 83]);
    let (mut bend, mut wave) = (clip("Bend"), clip("Wave"));
    let turns = [about_z(0.0), about_z(90.0), about_z(0.0)].concat();
    channel(&mut bend, &mut n, (1, "rotation"), "LINEAR", &[0.0, 1.0], &turns[..8]);
    channel(&mut wave, &mut n, (1, "rotation"), "LINEAR", &[0.0, 1.0, 2.0], &turns);
    let mut to_elbow = glam::DMat4::IDENTITY.to_cols_array();
    to_elbow[12] = -1.0;
    let to_joints = [glam::DMat4::IDENTITY.to_cols_array(), to_elbow].concat();
    let attributes = json!({
        "POSITION": n.add(&points, 3), "JOINTS_0": n.add_joints(&joints), "WEIGHTS_0": n.add(&weights, 4),
    });
    let rest = json!({
        "scene": 0, "scenes": [{ "nodes": [0, 2] }],
        "nodes": [
            { "name": "shoulder", "children": [1] },
            { "name": "elbow", "translation": [1, 0, 0] },
            { "name": "Arm", "mesh": 0, "skin": 0, "translation": [9, 9, 9] },
        ],
        "skins": [{ "joints": [0, 1], "inverseBindMatrices": n.add(&to_joints, 16) }],
        "meshes": [{ "primitives": [{ "attributes": attributes, "indices": n.add_corners(&corners) }] }],
        "animations": [bend, wave],
    });
    n.write(folder, "arm.gltf", rest);
}

/// Share of the elbow in the arm at `x`.
pub(crate) fn bends(x: f64) -> f64 {
    ((x - 0.8) / 0.4).clamp(0.0, 1.0)
}

/// A cube of 20 cm around the origin whose upper four vertices rise by up to 30 cm, within a second and back.
pub(crate) fn cube(folder: &Path) {
    let mut n = Numbers::default();
    let corner = |i: u32| [i & 1, i >> 1 & 1, i >> 2].map(|k| 0.2 * f64::from(k) - 0.1);
    let points: Vec<f64> = (0..8).flat_map(corner).collect();
    let rises: Vec<f64> =
        (0..8).flat_map(|i| [0.0, if i >> 1 & 1 == 1 { 0.3 } else { 0.0 }, 0.0]).collect();
    let faces =
        [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let corners: Vec<u32> = faces.iter().flat_map(|&[a, b, c, d]| [a, b, c, a, c, d]).collect();
    let mut rise = clip("Rise");
    channel(&mut rise, &mut n, (0, "weights"), "LINEAR", &[0.0, 1.0, 2.0], &[0.0, 1.0, 0.0]);
    let primitive = json!({
        "attributes": { "POSITION": n.add(&points, 3) },
        "targets": [{ "POSITION": n.add(&rises, 3) }],
        "indices": n.add_corners(&corners),
    });
    let rest = json!({
        "scene": 0, "scenes": [{ "nodes": [0] }],
        "nodes": [{ "name": "Cube", "mesh": 0, "translation": [0, 1, 0] }],
        "meshes": [{ "primitives": [primitive], "weights": [0] }],
        "animations": [rise],
    });
    n.write(folder, "cube.gltf", rest);
}
