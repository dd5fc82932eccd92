//! The printed scripts against another program of the same recurrence.

use crate::program::{Answers, Program};
use crate::{advance, places, printed, scene, start};

/// Greatest distance of a point in any of the first `frames` frames, in parts of the scene's size.
fn difference(name: &str, set: &[(&str, &str)], answers: Answers, frames: usize) -> f64 {
    let scene = scene(name, set);
    let mut engine = start(&scene);
    let mut program = Program::read(std::str::from_utf8(&printed(name)).unwrap(), answers);
    let surfaces = scene.bodies.iter().filter(|b| b.cloth().is_some()).count();
    let mut greatest: f64 = 0.0;
    for frame in 0..=frames {
        if frame > 0 {
            advance(&mut engine);
            program.frame();
        }
        for surface in 0..surfaces {
            let (ours, theirs) = (places(&engine, surface), program.places(surface));
            assert_eq!(ours.len(), theirs.len());
            let size = (0..3)
                .map(|k| {
                    let all = theirs.iter().map(|p| p[k]);
                    all.clone().fold(f64::MIN, f64::max) - all.fold(f64::MAX, f64::min)
                })
                .fold(0.0, f64::max);
            for (a, b) in ours.iter().zip(&theirs) {
                let apart = (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt();
                greatest = greatest.max(apart / size);
            }
        }
    }
    greatest
}

const PLAIN: Answers = Answers { gravity: 0.0, opposes: true, reaction: false };

#[track_caller]
fn agrees(name: &str, set: &[(&str, &str)], answers: Answers, frames: usize) {
    let apart = difference(name, set, answers, frames);
    assert!(apart < 1e-4, "{name}: {apart:e} of the scene's size after {frames} frames");
}

#[test]
fn figure_6_2_the_curtain() {
    let hanging = Answers { gravity: 9.8, ..PLAIN };
    agrees("fig_6_2_cortina", &[("gravity", "9.8")], hanging, 2);
}

#[test]
fn figure_6_4_the_paper() {
    agrees("fig_6_4_papel", &[], PLAIN, 3);
    let scaled = Answers { opposes: false, ..PLAIN };
    agrees("fig_6_4_papel", &[("friction", "scale")], scaled, 2);
}

#[test]
fn figure_a2_2_the_wind() {
    agrees("fig_A2_2_vento", &[], PLAIN, 10);
}

#[test]
fn figure_a2_4_the_theatre() {
    let hanging = Answers { gravity: 9.8, ..PLAIN };
    agrees("fig_A2_4_cortinas", &[("gravity", "9.8")], hanging, 1);
}

#[test]
fn figure_a2_6_the_cardboard() {
    agrees("fig_A2_6_papelao", &[], PLAIN, 3);
    let reacting = Answers { reaction: true, ..PLAIN };
    agrees("fig_A2_6_papelao", &[("reaction", "true")], reacting, 2);
}
