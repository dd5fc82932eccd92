//! The model itself: table 4.1, rest, translation, symmetry.

use crate::{advance, places, scene, start};
use glam::DVec3;
use retake::geometry::primitives::Grid;
use retake::math::Curve;
use retake::scene::{
    BodyKind, Cloth, ClothMaterial, Flex3d, FrictionReading, Guard, Method, Points, RestShape,
    Scene, SolverSettings,
};

/// A scene of table 4.1: the rows of a grid of 2 x 2 points are two springs of constant 1 with a mass
/// of 1 on each; the left ends are held. The springs rest at 30 and start at 32, so that a mass at
/// `x = length - 28` has the table's `x'' = -(x - 2)`, `x(0) = 4`, and every number is exact.
fn table_scene(h: f64) -> Scene {
    let mut scene = scene("fig_6_2_cortina", &[]);
    let grid = Grid { size: [32.0; 2], vertices: Some([2; 2]), ..Grid::default() };
    scene.meshes = vec![grid.build().unwrap()];
    scene.bodies.truncate(1);
    scene.bodies[0].translate = Curve::Constant(DVec3::new(16.0, 0.0, 0.0));
    scene.bodies[0].kind = BodyKind::Cloth(Cloth {
        material: ClothMaterial::Flex3d(Flex3d {
            kh: 1.0,
            kv: 0.0,
            kd: 0.0,
            curvature: [0.0; 3],
            reaction: false,
            point_mass: 1.0,
            friction_fraction: 0.0,
            friction: FrictionReading::Oppose,
        }),
        rest: RestShape::Start,
        shrink: Curve::Constant(30.0 / 32.0),
    });
    let retake::scene::ConstraintKind::Pin { points, .. } = &mut scene.constraints[0].kind else {
        panic!("a pin holds the curtain")
    };
    *points = vec![Points { body: 0, vertices: vec![0, 2] }];
    scene.timing.frames = 10;
    scene.solver = SolverSettings {
        method: Method::ExplicitEuler,
        fixed_step: Some(h),
        guard: Guard::Off,
        ..SolverSettings::default()
    };
    scene
}

/// Digits as printed: four decimals, the rest cut off.
fn cut(x: f64) -> String {
    let whole = format!("{:.4}", (x * 1e4).trunc() / 1e4);
    if whole == "-0.0000" { "0.0000".into() } else { whole }
}

#[test]
fn table_4_1_has_all_its_66_values() {
    let table = include_str!("table_4_1.csv");
    let mut lines = table.lines();
    let steps: Vec<f64> =
        lines.next().unwrap().split(",h_").skip(1).map(|h| h.parse().unwrap()).collect();
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    let mut compared = 0;
    for (column, h) in steps.iter().enumerate() {
        let scene = table_scene(*h);
        assert_eq!(scene.validate(), []);
        let mut engine = start(&scene);
        for (t, row) in rows.iter().enumerate() {
            if t > 0 {
                advance(&mut engine);
            }
            let x = places(&engine, 0)[1][0] - 28.0;
            assert_eq!(cut(x), row[column + 1], "step {h}, time {t}, computed {x}");
            compared += 1;
        }
    }
    assert_eq!(compared, 66);
}
