//! The model itself: table 4.1, rest, translation, symmetry.

use crate::{advance, places, scene, start};
use glam::DVec3;
use retake::geometry::primitives::Grid;
use retake::math::Curve;
use retake::scene::{
    BodyKind, Cloth, ClothMaterial, Flex3d, FrictionReading, Guard, MappedCurve, Method, Points,
    RestShape, Scene, SolverSettings,
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
        shrink: MappedCurve::constant(30.0 / 32.0),
        pressure: None,
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

/// A point of every frame of A2.8: none gets into the table, and in the end the cloth lies on it and
/// hangs over its edges.
#[test]
fn figure_a2_8_rests_on_its_table() {
    let scene = scene("fig_A2_8_toalha", &[]);
    let mut engine = start(&scene);
    let inside = |p: &[f64; 3], by: f64| {
        p[0].abs() < 10.0 - by && (p[2] + 1.0).abs() < 10.0 - by && p[1] > -10.0 && p[1] < 5.0
    };
    for frame in 1..=20 {
        advance(&mut engine);
        let cloth = places(&engine, 0);
        assert!(!cloth.iter().any(|p| inside(p, 0.0)), "a point is in the table at frame {frame}");
    }
    let cloth = places(&engine, 0);
    let above: Vec<f64> = cloth
        .iter()
        .filter(|p| p[0].abs() < 9.0 && (p[2] + 1.0).abs() < 9.0)
        .map(|p| p[1])
        .collect();
    // 8 x 8 points, at 1, 3, 5 and 7 to both sides, start above that part of the table.
    assert!(above.len() >= 64, "{} points lie on the table", above.len());
    // A resting point falls for a step or two and is thrown back: h v with v of some centimetres.
    assert!(above.iter().all(|y| (5.0..5.01).contains(y)), "{above:?}");
    let lowest = cloth.iter().map(|p| p[1]).fold(f64::MAX, f64::min);
    assert!(lowest < -5.0, "it hangs down to {lowest}");
}

/// Restitution is 1: without friction a sheet comes back to where it fell from (equations 3.2-3.6).
#[test]
fn a_sheet_bounces_back_to_its_height() {
    let mut scene = scene("fig_A2_8_toalha", &[]);
    let grid =
        Grid { size: [2.0; 2], vertices: Some([2; 2]), normal: Some(DVec3::Y), ..Grid::default() };
    scene.meshes[scene.bodies[0].mesh] = grid.build().unwrap();
    let BodyKind::Cloth(cloth) = &mut scene.bodies[0].kind else { panic!("a cloth") };
    let ClothMaterial::Flex3d(sheet) = &mut cloth.material else { panic!("of flex3d") };
    sheet.friction_fraction = 0.0;
    // It falls 10 at 4.9, which takes 2.02 s, and is up again after as long.
    scene.timing.fps = (100, 1);
    scene.timing.frames = 450;
    let mut engine = start(&scene);
    let mut highest = f64::MIN;
    for frame in 1..=450 {
        advance(&mut engine);
        let y = places(&engine, 0)[0][1];
        assert!(y > 5.0, "it is in the table at frame {frame}");
        if frame > 210 {
            highest = highest.max(y);
        }
    }
    // One step lost at the hit, and forward Euler's own error of the fall and of the rise, h v each.
    let (h, v) = (0.001, (2.0f64 * 4.9 * 10.0).sqrt());
    assert!((highest - 15.0).abs() < 3.0 * h * v, "it comes back to {highest}");
}

/// The curtains of A2.4 go 53 and 40 frames and are back where they started; nothing leaves the plane.
#[test]
fn curtains_return_to_their_place() {
    let scene = scene("fig_A2_4_cortinas", &[("step", "0.004"), ("gravity", "9.8")]);
    let mut engine = start(&scene);
    let first = places(&engine, 0);
    let mut middle = Vec::new();
    for frame in 1..=145 {
        advance(&mut engine);
        if frame == 90 {
            middle = places(&engine, 0);
        }
    }
    let last = places(&engine, 0);
    for i in 0..20 {
        assert!((middle[i][0] - first[i][0] - 53.0 * 0.43).abs() < 1e-9);
        assert!((last[i][0] - first[i][0] - (53.0 * 0.43 - 40.0 * 0.57)).abs() < 1e-9);
        assert_eq!(last[i][1], first[i][1]);
    }
    assert!(last.iter().all(|p| p[2] == 20.0), "nothing pushes it out of its plane");
}

/// Figure 6.1: the curtain is at rest at frame 25.
#[test]
fn figure_6_2_is_at_rest_in_the_end() {
    let scene = scene("fig_6_2_cortina", &[("gravity", "9.8")]);
    let mut engine = start(&scene);
    let mut before = Vec::new();
    for _ in 1..=25 {
        before = places(&engine, 0);
        advance(&mut engine);
    }
    let last = places(&engine, 0);
    for (a, b) in before.iter().zip(&last) {
        let apart = (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt();
        assert!(apart < 1e-3, "it moves by {apart} in the last frame");
    }
    let bottom = last[380..].iter().map(|p| 40.0 - p[1]);
    let (low, high) = bottom.fold((f64::MAX, f64::MIN), |(a, b), y| (a.min(y), b.max(y)));
    assert!(low > 27.05 && high < 27.65, "its bottom is {low} to {high} below its middle");
    let width = last[399][0] - last[380][0];
    assert!(width < 35.15, "its sides are pulled in: {width}");
}

/// The wind of A2.2 leaves the sheet its own mirror image about the diagonal between its held corners.
#[test]
fn figure_a2_2_is_symmetric_and_its_free_corner_leads() {
    let scene = scene("fig_A2_2_vento", &[("collisions", "off")]);
    let mut engine = start(&scene);
    for _ in 0..4 {
        advance(&mut engine);
    }
    let sheet = places(&engine, 0);
    for row in 0..10 {
        for column in 0..10 {
            let (p, q) = (sheet[row * 10 + column], sheet[column * 10 + row]);
            // Mirrored: x about the middle is y about the middle, turned.
            let apart = [p[0] + (q[1] - 40.0), p[1] - 40.0 + q[0], p[2] - q[2]];
            assert!(apart.iter().all(|d| d.abs() < 1e-6), "{row} {column}: {apart:?}");
        }
    }
    let lead = sheet.iter().map(|p| p[2]).fold(f64::MIN, f64::max);
    assert!(sheet[99][2] > 0.9 * lead, "the free corner is at {} of {lead}", sheet[99][2]);
}

/// Springs alone push back and forth in equal parts; as printed, angular springs do not.
#[test]
fn reaction_keeps_the_momentum() {
    let momentum = |reaction: &str| {
        let set = [("reaction", reaction), ("friction", "scale"), ("collisions", "off")];
        let mut scene = scene("fig_A2_6_papelao", &set);
        scene.constraints.clear();
        scene.forces.clear();
        for p in &mut scene.meshes[0].positions {
            p.z = 0.02 * p.x * p.x;
        }
        // Its rest shape is bent as well; only the angular springs pull.
        let mut engine = start(&scene);
        advance(&mut engine);
        DVec3::from_array(engine.report().momentum).length()
    };
    assert!(momentum("true") < 1e-9, "{}", momentum("true"));
    assert!(momentum("false") > 1e-3, "{}", momentum("false"));
}

/// Crepe paper gives differently along rows and columns (3.2.3).
#[test]
fn constants_by_direction_stretch_differently() {
    let stretched = |kv: f64| {
        let mut scene = scene("fig_6_2_cortina", &[("gravity", "2")]);
        let BodyKind::Cloth(cloth) = &mut scene.bodies[0].kind else { panic!("a cloth") };
        let ClothMaterial::Flex3d(sheet) = &mut cloth.material else { panic!("of flex3d") };
        (sheet.kv, sheet.kd) = (kv, 0.0);
        let mut engine = start(&scene);
        for _ in 0..8 {
            advance(&mut engine);
        }
        places(&engine, 0)[390][1]
    };
    assert!(stretched(40.0) > stretched(10.0) + 1.0);
}

#[test]
fn a_wrong_pair_of_method_and_body_names_the_right_ones() {
    let mut scene = scene("fig_6_2_cortina", &[]);
    scene.solver.method = Method::Auto;
    let said = crate::shown(&scene.validate());
    assert!(said.contains("the method \"auto\" does not move `cortina`, of flex3d"), "{said}");
    assert!(said.contains("method = \"explicit_euler\""), "{said}");
    scene.solver.method = Method::ExplicitEuler;
    scene.solver.guard = Guard::Enforce;
    let said = crate::shown(&scene.validate());
    assert!(said.contains("write guard = \"report\" or \"off\""), "{said}");
}
