//! Small shots for tests, as scene files.
#![allow(dead_code, reason = "every test file uses its own part")]

use glam::DVec3;
use retake::geometry::TriMesh;
use retake::math::Curve;
use retake::scene::{
    Body, BodyKind, Cloth, ClothMaterial, Collisions, Look, MappedCurve, Membrane, Output,
    RestShape, SCENE_VERSION, Scene, Sheet, SolverSettings, Source, Timing, VertexMap,
};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A small cloth in free fall above nothing, with cheap outputs.
pub(crate) fn falling(name: &str, frames: u32) -> Scene {
    let n = 4u32;
    let mut mesh = TriMesh { grid: Some((n, n)), ..TriMesh::default() };
    for row in 0..n {
        for column in 0..n {
            let at = |i: u32| f64::from(i) / f64::from(n - 1) - 0.5;
            mesh.positions.push(DVec3::new(at(column), 0.01 * f64::from(row * column), at(row)));
            if row > 0 && column > 0 {
                let v = row * n + column;
                mesh.triangles.push([v - n - 1, v - 1, v]);
                mesh.triangles.push([v - n - 1, v, v - n]);
            }
        }
    }
    let uniform = VertexMap::Uniform;
    Scene {
        version: SCENE_VERSION,
        name: name.to_owned(),
        source: Source::default(),
        timing: Timing::plain(frames),
        gravity: Curve::Constant(DVec3::new(0.0, -9.81, 0.0)),
        seed: 1,
        meshes: vec![mesh],
        bodies: vec![Body {
            name: "cloth".into(),
            group: None,
            place: retake::diagnostics::Place::default(),
            mesh: 0,
            kind: BodyKind::Cloth(Cloth {
                material: ClothMaterial::Membrane(Membrane {
                    label: String::new(),
                    young: uniform(300.0),
                    young_weft: uniform(300.0),
                    poisson: uniform(0.2),
                    shear: uniform(50.0),
                    bend: uniform(1e-5),
                    bend_weft: uniform(1e-5),
                    bend_bias: uniform(1e-5),
                    density: uniform(0.15),
                    damping: uniform(1e-3),
                    strain_limit: None,
                    crease: None,
                }),
                rest: RestShape::Start,
                shrink: MappedCurve::constant(1.0),
                pressure: None,
            }),
            translate: Curve::Constant(DVec3::new(0.0, 2.0, 0.0)),
            rotate: Curve::Constant(DVec3::ZERO),
            clip: None,
            velocity: DVec3::ZERO,
            spin: DVec3::ZERO,
            friction: None,
            thickness: None,
            collides: true,
            self_collision: None,
            visible: true,
            exports: true,
            appears: None,
            disappears: None,
            look: Look::default(),
        }],
        constraints: Vec::new(),
        forces: Vec::new(),
        contact_pairs: Vec::new(),
        collisions: Collisions::default(),
        solver: SolverSettings::default(),
        cameras: Vec::new(),
        lights: Vec::new(),
        output: Output { sheet: Sheet::Count(0), ..Output::default() },
        measures: Vec::new(),
        callbacks: 0,
    }
}

/// Writes a scene file and returns its path.
pub(crate) fn write(folder: &Path, scene: &Scene) -> PathBuf {
    let path = folder.join(format!("{}.json", scene.name));
    std::fs::write(&path, serde_json::to_vec(scene).unwrap()).unwrap();
    path
}

/// Every file below `folder` by its path, but the clocks and the lock.
pub(crate) fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next).unwrap().map(Result::unwrap) {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().to_string_lossy().into_owned();
                if name != "timings.json" && name != ".lock" {
                    found.insert(name, std::fs::read(&path).unwrap());
                }
            }
        }
    }
    found
}

/// Fails with the names of the files that differ.
pub(crate) fn assert_equal_files(a: &Path, b: &Path) {
    let (a, b) = (files(a), files(b));
    let differing: Vec<&String> =
        a.keys().chain(b.keys()).filter(|name| a.get(*name) != b.get(*name)).collect();
    assert!(differing.is_empty(), "these files differ: {differing:?}");
}
