//! Figures 4.1, 4.2 and A2.6: what the length of a step does, what stiffness against bending does, and how hits
//! on triangles and held points share forces.

use crate::{advance, places, scene, start};
use glam::DVec3;
use retake::scene::Method;

/// Frame 12 of A2.2 by steps of `h` seconds.
fn frame_12(method: Method, h: f64) -> Vec<DVec3> {
    let mut scene = scene("fig_A2_2_vento", &[("collisions", "off")]);
    scene.solver.method = method;
    scene.solver.fixed_step = Some(h);
    let mut engine = start(&scene);
    for _ in 0..12 {
        advance(&mut engine);
    }
    places(&engine, 0).into_iter().map(DVec3::from_array).collect()
}

/// Root of the mean square over all coordinates.
fn rms(a: &[DVec3], b: &[DVec3]) -> f64 {
    let sum: f64 = a.iter().zip(b).map(|(a, b)| a.distance_squared(*b)).sum();
    (sum / (3 * a.len()) as f64).sqrt()
}

/// N-46, figure 4.2: the sheet in the wind after 12 frames, by explicit Euler, against itself at 0.0005 s: garbage
/// at 0.1 s, rough at 0.05 s, then alike, with an error that goes with the step. Semi-implicit Euler is usable at
/// 0.1 s.
#[test]
fn figure_4_2_errors_go_with_the_step() {
    let exact = frame_12(Method::ExplicitEuler, 0.0005);
    let error = |h: f64| rms(&frame_12(Method::ExplicitEuler, h), &exact);
    let found = [0.1, 0.05, 0.01, 0.005, 0.001].map(error);
    let symplectic = rms(&frame_12(Method::SymplecticEuler, 0.1), &exact);
    println!("{found:?}, semi-implicit at 0.1: {symplectic}");
    for (found, about) in found.into_iter().zip([12.0, 2.4, 0.24, 0.1, 0.01]) {
        assert!((found / about - 1.0).abs() < 0.1, "{found}, not about {about}");
    }
    assert!(symplectic < 0.1 * found[0], "{symplectic}");
}

/// N-78: cardboard is paper with stiffness against bending: in the same frames it is bent less.
#[test]
fn cardboard_bends_less_than_paper() {
    let bend = |name: &str| {
        let mut engine = start(&scene(name, &[]));
        let mut sum = 0.0;
        for frame in 1..=19 {
            advance(&mut engine);
            let x: Vec<DVec3> = places(&engine, 0).into_iter().map(DVec3::from_array).collect();
            let at = |row: usize, column: usize| x[10 * row + column];
            // What a point is off the middle of its neighbours.
            let mut off = 0.0;
            for i in 0..10 {
                for j in 1..9 {
                    off += (at(i, j) - 0.5 * (at(i, j - 1) + at(i, j + 1))).length();
                    off += (at(j, i) - 0.5 * (at(j - 1, i) + at(j + 1, i))).length();
                }
            }
            if frame >= 3 {
                sum += off / (160.0 * 17.0);
            }
        }
        sum
    };
    let (paper, cardboard) = (bend("fig_6_4_papel"), bend("fig_A2_6_papelao"));
    println!("paper {paper}, cardboard {cardboard}");
    assert!(cardboard < 0.8 * paper, "{cardboard} of {paper}");
}

/// N-36: what holds a hung curtain at rest is told: its weight.
#[test]
fn held_points_tell_their_reaction() {
    let scene = scene("fig_6_2_cortina", &[("gravity", "9.8")]);
    let mut engine = start(&scene);
    for _ in 0..25 {
        advance(&mut engine);
    }
    // 20 x 20 points of 0.1, 20 of which are held.
    let reaction = engine.view().constraints[0].reaction;
    println!("{reaction}");
    let [free, all] = [380.0, 400.0].map(|points| points * 0.1 * 9.8);
    assert!(reaction > 0.99 * free && reaction < 1.01 * all, "{reaction}");
}
