//! Shots by chance: sheets of any fabric fall on what turns, are wrung, hit by what is thrown, and pressed.

use crate::scripted::{frame, measured, run, run_uncrossed, scene, start};
use retake::production::certificate::check_frame;
use retake::scene::Scene;

const SHOTS: u32 = 16;

/// The shot of a `seed`.
fn by_chance(seed: u32, guard: &str) -> Scene {
    let script = include_str!("chance.lua");
    scene(&format!("local seed, guard = {seed}, '{guard}'\n{script}"))
}

/// Whether the shot of a `seed` has a frame in which something crosses, without the guard.
fn crosses_unguarded(seed: u32) -> bool {
    let scene = by_chance(seed, "off");
    let mut simulation = start(&scene);
    (0..scene.timing.frames).any(|_| {
        run(&mut simulation, 1);
        !check_frame(&scene, &frame(&scene, &simulation)).is_empty()
    })
}

#[test]
fn nothing_crosses_whatever_chance_brings() {
    for seed in 0..SHOTS {
        println!("seed {seed}");
        let scene = by_chance(seed, "enforce");
        run_uncrossed(&scene, &mut start(&scene), scene.timing.frames);
    }
}

/// Nor are these shots so tame that nothing would.
#[test]
fn without_the_guard_a_quarter_of_them_cross() {
    let crossing = (0..SHOTS).filter(|seed| crosses_unguarded(*seed)).count();
    measured(
        "shots by chance that cross without the guard",
        crossing as f64,
        f64::from(SHOTS) / 4.0,
    );
    assert!(4 * crossing >= SHOTS as usize, "{crossing} of {SHOTS}");
}
