//! Small scenes and frames that tests make by hand.
#![allow(dead_code, reason = "every test file uses some of it")]

use glam::DVec3;
use retake::diagnostics::Place;
use retake::frames::{BodyState, Figures, Frame};
use retake::geometry::TriMesh;
use retake::geometry::primitives::{Grid, Sphere};
use retake::math::Curve;
use retake::scene::{
    Body, BodyKind, Cloth, Collisions, Look, MappedCurve, Membrane, Output, RestShape,
    SCENE_VERSION, Scene, SolverSettings, Source, Timing, VertexMap,
};

/// A level square sheet of `n` x `n` vertices around the origin.
pub(crate) fn grid(n: u32, size: f64) -> TriMesh {
    Grid { size: [size; 2], vertices: Some([n; 2]), normal: Some(DVec3::Y), ..Grid::default() }
        .build()
        .unwrap()
}

/// A ball around the origin.
pub(crate) fn sphere(radius: f64) -> TriMesh {
    Sphere { radius, subdivisions: Some(2), ..Sphere::default() }.build().unwrap()
}

/// The settings of a cloth; no test here looks at them.
pub(crate) fn cloth_of() -> BodyKind {
    let one = || VertexMap::Uniform(1.0);
    let material = Membrane {
        label: String::new(),
        young: one(),
        young_weft: one(),
        poisson: one(),
        shear: one(),
        bend: one(),
        bend_weft: one(),
        bend_bias: one(),
        density: one(),
        damping: retake::scene::VertexMap::Uniform(0.0),
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

/// A body with nothing special.
pub(crate) fn body(name: &str, mesh: usize, cloth: bool) -> Body {
    Body {
        name: name.to_owned(),
        group: None,
        place: Place::default(),
        mesh,
        kind: if cloth { cloth_of() } else { BodyKind::Collider },
        translate: Curve::Constant(DVec3::ZERO),
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
    }
}

/// A scene of `(name, mesh, is it a cloth)` at 24 frames a second from frame 1 on.
pub(crate) fn scene_of(bodies: Vec<(&str, TriMesh, bool)>) -> Scene {
    let mut meshes = Vec::new();
    let bodies = bodies
        .into_iter()
        .enumerate()
        .map(|(i, (name, mesh, cloth))| {
            meshes.push(mesh);
            body(name, i, cloth)
        })
        .collect();
    Scene {
        version: SCENE_VERSION,
        name: "shot".to_owned(),
        source: Source::default(),
        timing: Timing::plain(24),
        gravity: Curve::Constant(DVec3::ZERO),
        seed: 1,
        meshes,
        bodies,
        constraints: Vec::new(),
        forces: Vec::new(),
        contact_pairs: Vec::new(),
        collisions: Collisions::default(),
        solver: SolverSettings::default(),
        cameras: Vec::new(),
        lights: Vec::new(),
        output: Output::default(),
        measures: Vec::new(),
        callbacks: 0,
    }
}

/// Frame `number` with cloths as their meshes stand and colliders on their curves.
pub(crate) fn frame_of(scene: &Scene, number: i32) -> Frame {
    let time = scene.timing.script_time(number);
    let state = |(i, body): (usize, &Body)| {
        let (t, r) = body.pose_at(time);
        match body.kind {
            BodyKind::Cloth(_) | BodyKind::Soft(_) | BodyKind::Rope(_) => BodyState::Deformed {
                positions: scene
                    .mesh_of(i)
                    .positions
                    .iter()
                    .map(|p| (r * *p + t).as_vec3().to_array())
                    .collect(),
            },
            BodyKind::Rigid(_) | BodyKind::Collider => BodyState::Posed {
                translate: t.as_vec3().to_array(),
                rotate: r.as_quat().to_array(),
            },
        }
    };
    Frame {
        number,
        time,
        bodies: scene.bodies.iter().enumerate().map(state).collect(),
        figures: Figures::default(),
        regions: Vec::new(),
        retakes: Vec::new(),
        events: Vec::new(),
        state_hash: [0; 32],
        samples: Vec::new(),
    }
}
