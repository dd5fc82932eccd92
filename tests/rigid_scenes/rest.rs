//! What has come to rest costs nothing, and wakes when something comes.

use crate::scripted::{after, run, scene, start};
use crate::{is_touching, places, pose};
use glam::DVec3;
use retake::scene::world::Command;
use retake::sim::Simulation;
use std::sync::atomic::AtomicBool;

/// Two piles of three cubes, five metres apart, and a ball that falls on the first one from three metres.
fn piles() -> String {
    "local shot = retake.shot{ name = 'piles', duration = 4 }
    shot:ground{}
    for pile = 0, 1 do
      for i = 0, 2 do
        shot:rigid{ mesh = retake.mesh.box{ size = 0.2 }, translate = { 5 * pile, 0.1002 + 0.2002 * i, 0 } }
      end
    end
    shot:rigid{ name = 'ball', mesh = retake.mesh.sphere{ radius = 0.1, subdivisions = 2 }, translate = { 0.02, 0.7002 + 3, 0 }, appears = 1.25 }"
        .to_owned()
}

fn cubes(simulation: &Simulation) -> Vec<DVec3> {
    places(simulation, 1..=6)
}

#[test]
fn a_pile_at_rest_takes_no_steps_and_still_presses() {
    let mut simulation = after(&piles(), 24);
    assert_eq!(simulation.report().steps, 0);
    assert_eq!(simulation.report().fastest, 0.0);
    let before = cubes(&simulation);
    run(&mut simulation, 5);
    assert_eq!(simulation.report().steps, 0);
    assert_eq!(cubes(&simulation), before);
    for (a, b) in [(0, 1), (1, 2), (2, 3), (0, 4), (5, 6)] {
        assert!(is_touching(&simulation, a, b), "bodies {a} and {b}");
    }
}

/// The ball comes in at 1.25 s, falls for 0.78 s, and moves the cubes that it hits; the other pile stays.
#[test]
fn what_is_hit_wakes_and_the_rest_sleeps_on() {
    let mut simulation = after(&piles(), 29);
    let before = cubes(&simulation);
    run(&mut simulation, 18);
    assert!(simulation.report().steps > 0, "the ball falls");
    assert_eq!(cubes(&simulation), before, "it has hit before its time");
    run(&mut simulation, 4);
    let there = cubes(&simulation);
    assert!(is_touching(&simulation, 3, 7));
    assert_ne!(there[2], before[2]);
    assert_eq!(there[3..], before[3..]);
}

#[test]
fn a_push_wakes_the_pile_that_it_acts_on() {
    let mut simulation = after(&piles(), 24);
    let before = cubes(&simulation);
    let push = Command::Push { body: 6, points: Vec::new(), impulse: DVec3::new(8.0, 0.0, 0.0) };
    simulation.advance(&[push], &AtomicBool::new(false)).expect("the shot goes on");
    let there = cubes(&simulation);
    assert!(there[5].x > before[5].x + 0.01, "{}", there[5]);
    assert_eq!(there[..3], before[..3]);
}

/// A run that goes on from a frame in which something rests has the bytes of one that was never broken off.
#[test]
fn sleep_is_part_of_the_state() {
    let mut whole = after(&piles(), 25);
    let saved = whole.save();
    run(&mut whole, 27);
    let mut resumed = start(&scene(&piles()));
    resumed.restore(&saved).expect("the same scene");
    run(&mut resumed, 27);
    assert_eq!(resumed.state_hash(), whole.state_hash());
    assert_ne!(cubes(&whole), cubes(&after(&piles(), 25)), "the ball has hit");
}

/// Wind that blows now and then, or a gravity that turns, may move what lies still: nothing rests there.
#[test]
fn nothing_rests_under_forces_that_may_change() {
    let rests = |more: &str, gravity: &str| {
        let text = format!(
            "local shot = retake.shot{{ name = 'cube', duration = 4, gravity = {gravity} }}
            shot:ground{{}}
            shot:rigid{{ mesh = retake.mesh.box{{ size = 0.2 }}, translate = {{ 0, 0.1002, 0 }} }}
            {more}"
        );
        after(&text, 24).report().steps == 0
    };
    let down = "{ 0, -9.81, 0 }";
    assert!(rests("", down));
    assert!(!rests("shot:wind{ velocity = { 0, 0, 0 } }", down));
    assert!(!rests("", "retake.keys{ { 0, { 0, -9.81, 0 } }, { 4, { 0, -5, 0 } } }"));
}

/// What floats has nothing to rest on, however slowly it goes, beside a wall or alone: half a millimetre a
/// second are 1.5 mm in three seconds.
#[test]
fn what_floats_does_not_rest() {
    let text = "local shot = retake.shot{ name = 'drift', duration = 4, gravity = { 0, 0, 0 } }
        local cube = retake.mesh.box{ size = 0.2 }
        shot:rigid{ name = 'alone', mesh = cube, translate = { 5, 0, 0 }, velocity = { 0, 5e-4, 0 } }
        shot:rigid{ name = 'beside', mesh = cube, translate = { 0.11, 0, 0 }, velocity = { 0, 5e-4, 0 } }
        shot:collider{ name = 'wall', mesh = retake.mesh.box{ size = { 0.01, 1, 1 } } }";
    let mut simulation = start(&scene(text));
    let before = [0, 1].map(|body| pose(&simulation, body).0.y);
    run(&mut simulation, 72);
    for (body, before) in before.into_iter().enumerate() {
        let way = pose(&simulation, body).0.y - before;
        assert!((way - 1.5e-3).abs() < 1e-6, "body {body} has gone {way} m");
    }
}
