//! Scenes made in Rust for benchmarks and engine tests.
#![allow(dead_code, reason = "every user takes its own part")]

use glam::DVec3;
use retake::diagnostics::Place;
use retake::frames::{BodyState, Figures, Frame};
use retake::geometry::{TriMesh, primitives};
use retake::math::{Curve, Ease, Key};
use retake::scene::{
    Body, BodyKind, Cloth, Constraint, ConstraintKind, MappedCurve, Membrane, Motion, Points,
    RestShape, Scene, Timing, VertexMap,
};
use retake::sim::{BodyPose, Simulation};

pub(crate) fn empty(name: &str, seconds: f64) -> Scene {
    let timing = Timing::plain((seconds * 24.0) as u32);
    let gravity = Curve::Constant(DVec3::new(0.0, -9.81, 0.0));
    Scene::new(name.to_owned(), timing, gravity, 1)
}

/// Adds a body and returns its index.
pub(crate) fn add(scene: &mut Scene, name: &str, mesh: TriMesh, kind: BodyKind) -> usize {
    scene.meshes.push(mesh);
    let mesh = scene.meshes.len() - 1;
    scene.bodies.push(Body::new(name.to_owned(), Place::default(), mesh, kind));
    scene.bodies.len() - 1
}

/// A cotton-like fabric of 0.2 kg/m2.
pub(crate) fn cotton() -> BodyKind {
    let uniform = VertexMap::Uniform;
    let material = Membrane {
        label: String::new(),
        young: uniform(1000.0),
        young_weft: uniform(1000.0),
        poisson: uniform(0.2),
        shear: uniform(300.0),
        bend: uniform(2e-5),
        bend_weft: uniform(2e-5),
        bend_bias: uniform(2e-5),
        density: uniform(0.2),
        damping: VertexMap::Uniform(0.002),
        strain_limit: None,
        crease: None,
    };
    BodyKind::Cloth(Cloth {
        material: material.into(),
        rest: RestShape::Start,
        shrink: MappedCurve::constant(1.0),
        pressure: None,
    })
}

pub(crate) fn sheet(vertices: u32, size: f64, height: f64) -> TriMesh {
    let grid = primitives::Grid {
        size: [size; 2],
        vertices: Some([vertices; 2]),
        normal: Some(DVec3::Y),
        center: DVec3::Y * height,
        ..primitives::Grid::default()
    };
    grid.build().expect("a good grid")
}

pub(crate) fn hanging(vertices: u32, size: f64) -> TriMesh {
    let grid = primitives::Grid {
        size: [size; 2],
        vertices: Some([vertices; 2]),
        ..primitives::Grid::default()
    };
    grid.build().expect("a good grid")
}

/// A 2 m sheet falls on a fixed ball of 0.5 m: the scene in which the neighbours were measured.
pub(crate) fn sheet_on_ball(vertices: u32) -> Scene {
    let mut scene = empty("ball", 3.0);
    scene.collisions.thickness = Some(0.0078);
    let ball =
        primitives::Sphere { radius: 0.5, subdivisions: Some(4), ..primitives::Sphere::default() };
    add(&mut scene, "ball", ball.build().expect("a good sphere"), BodyKind::Collider);
    add(&mut scene, "sheet", sheet(vertices, 2.0, 0.55), cotton());
    scene
}

pub(crate) fn ten_layers() -> Scene {
    let mut scene = empty("layers", 2.0);
    scene.collisions.thickness = Some(0.0048);
    let ground = primitives::Plane { size: [20.0; 2], spacing: None, center: DVec3::ZERO };
    add(&mut scene, "ground", ground.build().expect("a good plane"), BodyKind::Collider);
    for i in 0..10 {
        let mut mesh = sheet(25, 1.0, 0.05 + 0.03 * f64::from(i));
        // No two layers lie vertex on vertex.
        for p in &mut mesh.positions {
            *p += DVec3::new(0.011 * f64::from(i), 0.0, 0.007 * f64::from(i));
        }
        add(&mut scene, &format!("layer{i}"), mesh, cotton());
    }
    scene
}

/// Two plates close on a hanging sheet until their faces are one contact distance apart, half of what
/// the sheet between them needs, drag it up and let it go.
pub(crate) fn pinched() -> Scene {
    let mut scene = empty("pinch", 3.0);
    scene.collisions.thickness = Some(0.0048);
    for (name, sign) in [("front", 1.0), ("back", -1.0)] {
        let plate = primitives::Box {
            size: DVec3::new(0.6, 0.4, 0.02),
            cells: Some([6, 4, 1]),
            ..primitives::Box::default()
        };
        let index = add(&mut scene, name, plate.build().expect("a good box"), BodyKind::Collider);
        let key =
            |time, z, y| Key { time, value: DVec3::new(0.0, y, sign * z), ease: Ease::Smooth };
        let keys = vec![
            key(0.3, 0.3, 0.0),
            key(1.0, 0.0125, 0.0),
            key(1.8, 0.0125, 0.3),
            key(2.4, 0.3, 0.3),
        ];
        scene.bodies[index].translate = Curve::Keys { keys, looped: false };
    }
    let cloth = add(&mut scene, "sheet", hanging(50, 1.2), cotton());
    pin(&mut scene, cloth, (0..50).collect());
    scene
}

pub(crate) fn pin(scene: &mut Scene, body: usize, vertices: Vec<u32>) {
    scene.constraints.push(Constraint {
        name: format!("pin {}", scene.constraints.len() + 1),
        place: Place::default(),
        starts: None,
        ends: None,
        stiffness: None,
        weight: None,
        breaks_at: None,
        kind: ConstraintKind::Pin {
            points: vec![Points { body, vertices }],
            motion: Motion::default(),
        },
    });
}

/// A ball of 6 cm flies into a sheet pinned at its corners at 50 m/s and is stopped 0.4 m behind it.
pub(crate) fn impact() -> Scene {
    let mut scene = empty("impact", 1.0);
    scene.collisions.thickness = Some(0.0048);
    let ball =
        primitives::Sphere { radius: 0.03, subdivisions: Some(2), ..primitives::Sphere::default() };
    let index = add(&mut scene, "ball", ball.build().expect("a good sphere"), BodyKind::Collider);
    let key = |time, z, ease| Key { time, value: DVec3::new(0.013, 0.007, z), ease };
    scene.bodies[index].translate = Curve::Keys {
        keys: vec![
            key(0.1, 1.0, Ease::Linear),
            key(0.12, 0.0, Ease::Linear),
            key(0.14, -0.4, Ease::SineOut),
        ],
        looped: false,
    };
    let cloth = add(&mut scene, "sheet", hanging(50, 1.5), cotton());
    pin(&mut scene, cloth, vec![0, 49, 2450, 2499]);
    scene
}

/// A sheet hangs from two corners.
pub(crate) fn hang(vertices: u32) -> Scene {
    let mut scene = empty("hang", 3.0);
    scene.collisions.self_contact = false;
    let cloth = add(&mut scene, "sheet", sheet(vertices, 2.0, 0.0), cotton());
    pin(&mut scene, cloth, vec![0, vertices - 1]);
    scene
}

/// The engine's present state as a stored frame.
pub(crate) fn frame(scene: &Scene, simulation: &Simulation) -> Frame {
    let bodies = (0..scene.bodies.len())
        .map(|i| match simulation.body(i) {
            BodyPose::Deformed(x) => BodyState::Deformed {
                positions: x.iter().map(|p| p.as_vec3().to_array()).collect(),
            },
            BodyPose::Posed(t, r) => BodyState::Posed {
                translate: t.as_vec3().to_array(),
                rotate: r.to_array().map(|v| v as f32),
            },
        })
        .collect();
    Frame {
        number: simulation.frame(),
        time: simulation.time(),
        bodies,
        figures: Figures::default(),
        regions: Vec::new(),
        retakes: Vec::new(),
        events: Vec::new(),
        state_hash: [0; 32],
        samples: Vec::new(),
    }
}

/// Linear drag on everything [1/s].
pub(crate) fn linear_drag(scene: &mut Scene, linear: f64) {
    scene.forces.push(retake::scene::Force {
        name: "drag 1".to_owned(),
        place: Place::default(),
        bodies: None,
        starts: None,
        ends: None,
        kind: retake::scene::ForceKind::Drag { linear },
    });
}
