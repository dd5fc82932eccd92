//! Bodies that rest while others beside them move.

use crate::scripted::{after, on_threads, resumed, run, scene, start};
use crate::{is_touching, lean, places, pose};
use glam::DVec3;
use retake::scene::world::Command;
use retake::sim::Simulation;
use std::sync::atomic::AtomicBool;

/// How many dominoes stand in the row.
const ROW: usize = 60;

/// A row of dominoes, the first of which falls, leaning by so much [degrees]; under a gravity with keys, which might
/// change, nothing rests.
fn dominoes(gravity: &str, lean: f64) -> String {
    format!(
        "local shot = retake.shot{{ name = 'dominoes', duration = 6, gravity = {gravity} }}
        shot:collisions{{ friction = 0.5 }}
        shot:ground{{}}
        for i = 0, {ROW} - 1 do
          local first = i == 0
          shot:rigid{{ mesh = retake.mesh.box{{ size = {{ 0.01, 0.05, 0.025 }} }}, translate = {{ 0.025 * i - (first and 0.004 or 0), first and 0.0258 or 0.0252, 0 }}, rotate = {{ 0, 0, first and -{lean} or 0 }} }}
        end"
    )
}

/// The same all the time.
const CONSTANT: &str = "{ 0, -9.81, 0 }";
const WITH_KEYS: &str =
    "retake.keys{ { 0, { 0, -9.81, 0 } }, { 9, { 0, -9.81, 0 } }, { 10, { 0, -9, 0 } } }";

/// Bodies that took no steps since the frame before.
fn at_rest(simulation: &Simulation) -> Vec<usize> {
    let resting = simulation.report().regions.iter().filter(|region| region.steps == 0);
    let mut bodies: Vec<usize> = resting.flat_map(|region| region.bodies.clone()).collect();
    bodies.sort_unstable();
    bodies
}

/// How far the dominoes of two rows are apart, half of them at most and all of them at most [m].
fn apart(a: &Simulation, b: &Simulation) -> [f64; 2] {
    let places = [a, b].map(|simulation| places(simulation, 1..=ROW));
    let mut apart: Vec<f64> =
        places[0].iter().zip(&places[1]).map(|(a, b)| a.distance(*b)).collect();
    apart.sort_by(f64::total_cmp);
    [apart[ROW / 2], apart[ROW - 1]]
}

/// While the wave runs, what has fallen rests, and all fall in order. When they fall and where they end depends on
/// little things: rest changes it by no more than twice what a hundredth or two of a degree do by which the first leans
/// more or less.
#[test]
fn a_wave_of_dominoes_leaves_the_fallen_at_rest() {
    let nudged = [13.98, 13.99, 14.01, 14.02];
    let [a, b, c, d] = nudged.map(|lean| (WITH_KEYS, lean));
    let setups = [(CONSTANT, 14.0), (WITH_KEYS, 14.0), a, b, c, d];
    let mut runs = setups.map(|(gravity, lean)| start(&scene(&dominoes(gravity, lean))));
    let mut fell = setups.map(|_| vec![0i32; ROW]);
    let mut most_at_rest = 0;
    for frame in 1..=120 {
        for (simulation, fell) in runs.iter_mut().zip(&mut fell) {
            run(simulation, 1);
            for (i, when) in fell.iter_mut().enumerate() {
                if *when == 0 && lean(simulation, i + 1) > 20.0 {
                    *when = frame;
                }
            }
        }
        if fell[0][ROW - 1] == 0 {
            let fallen = |body: &usize| fell[0][*body - 1] > 0;
            let resting = at_rest(&runs[0]).into_iter().filter(fallen).count();
            most_at_rest = most_at_rest.max(resting);
        }
        assert!(at_rest(&runs[1]).is_empty());
    }
    assert!(most_at_rest >= ROW / 4, "{most_at_rest} rested at most");
    assert_eq!(at_rest(&runs[0]).len(), ROW);
    for fell in &fell {
        assert!(fell.iter().all(|frame| *frame > 0), "{fell:?}");
        assert!(fell.windows(2).all(|pair| pair[0] <= pair[1]), "{fell:?}");
    }
    let off = |a: &[i32], b: &[i32]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).max().unwrap_or(0);
    let nudges = fell[2..].iter().map(|nudged| off(nudged, &fell[1])).max().unwrap_or(0);
    assert!(off(&fell[0], &fell[1]) <= 2 * nudges, "{fell:?}");
    let [half, all] = apart(&runs[0], &runs[1]);
    let nudges: Vec<[f64; 2]> = runs[2..].iter().map(|nudged| apart(nudged, &runs[1])).collect();
    let most = |k: usize| nudges.iter().fold(0.0f64, |most, nudge| most.max(nudge[k]));
    println!(
        "validation: dominoes at rest beside others: half within {half:.1e} m (nudged {:.1e}), all within {all:.1e} m (nudged {:.1e})",
        most(0),
        most(1)
    );
    assert!(half < 2.0 * most(0) && all < 2.0 * most(1));
}

/// With a stop while some rest, and for any number of threads.
#[test]
fn rest_beside_what_moves_gives_the_same_bytes_again() {
    let scene = scene(&dominoes(CONSTANT, 14.0));
    let mut simulation = start(&scene);
    run(&mut simulation, 45);
    let resting = at_rest(&simulation);
    assert!(resting.contains(&1) && resting.len() < ROW, "{resting:?}");
    let one = on_threads(1, || resumed(&scene, 45, 12).state_hash());
    for threads in [2, 3] {
        assert!(one == on_threads(threads, || resumed(&scene, 45, 12).state_hash()), "{threads}");
    }
}

/// Six columns of two cubes stand side by side, a little farther apart than their contact distance, so that no column
/// leans on the next; a ball falls on the first at 1.2 s.
fn heap() -> String {
    "local shot = retake.shot{ name = 'heap', duration = 4 }
    shot:ground{}
    for i = 0, 5 do
      for k = 0, 1 do
        shot:rigid{ mesh = retake.mesh.box{ size = 0.2 }, translate = { 0.20025 * i, 0.1002 + 0.2002 * k, 0 } }
      end
    end
    shot:rigid{ name = 'ball', mesh = retake.mesh.sphere{ radius = 0.1, subdivisions = 2 }, translate = { 0.02, 0.95, 0 }, appears = 1.2 }"
        .to_owned()
}

/// The cube that the ball falls on goes down, the next one is touched, and those at the other end stay where they are to
/// the bit.
#[test]
fn a_ball_wakes_what_it_falls_on_and_the_far_end_sleeps_on() {
    let mut simulation = after(&heap(), 28);
    assert_eq!(at_rest(&simulation), (1..=12).collect::<Vec<usize>>());
    let before = places(&simulation, 1..=12);
    run(&mut simulation, 20);
    let there = places(&simulation, 1..=12);
    assert!(is_touching(&simulation, 2, 13));
    assert!(
        there[1] != before[1] && there[3] != before[3],
        "the ball hits cube 2, and that cube 4"
    );
    assert_eq!(there[8..], before[8..]);
    run(&mut simulation, 48);
    assert!(pose(&simulation, 2).0.distance(before[1]) < 0.02, "{}", pose(&simulation, 2).0);
}

/// A plank on two cubes with two cubes on it, all at rest: one of the lower cubes is pushed away.
#[test]
fn what_stood_on_a_cube_that_is_pushed_away_falls() {
    let text = "local shot = retake.shot{ name = 'bridge', duration = 4 }
        shot:ground{}
        local cube = retake.mesh.box{ size = 0.2 }
        for i = -1, 1, 2 do shot:rigid{ mesh = cube, translate = { 0.6 * i, 0.1002, 0 } } end
        shot:rigid{ mesh = retake.mesh.box{ size = { 1.4, 0.05, 0.2 } }, translate = { 0, 0.2254, 0 } }
        for i = -1, 1, 2 do shot:rigid{ mesh = cube, translate = { 0.55 * i, 0.3506, 0 } } end";
    let mut simulation = after(text, 30);
    assert_eq!(at_rest(&simulation), [1, 2, 3, 4, 5]);
    let before = places(&simulation, 1..=5);
    let push = Command::Push { body: 2, points: Vec::new(), impulse: DVec3::new(0.0, 0.0, 32.0) };
    simulation.advance(&[push], &AtomicBool::new(false)).expect("the shot goes on");
    run(&mut simulation, 23);
    let there = places(&simulation, 1..=5);
    assert!(there[1].z > before[1].z + 0.3, "the cube has gone to {}", there[1]);
    assert!(there[4].y < before[4].y - 0.05, "what stood on it is at {}", there[4]);
}

/// A hand that has stayed away for a second and a half pushes the lower of two cubes that rest.
#[test]
fn a_given_motion_wakes_what_it_comes_to() {
    let text = "local shot = retake.shot{ name = 'hand', duration = 4 }
        shot:ground{}
        local cube = retake.mesh.box{ size = 0.2 }
        for k = 0, 1 do shot:rigid{ mesh = cube, translate = { 0, 0.1002 + 0.2002 * k, 0 } } end
        shot:collider{ mesh = retake.mesh.box{ size = 0.1 }, translate = retake.keys{ { 0, { -0.5, 0.1, 0 } }, { 1.5, { -0.5, 0.1, 0 } }, { 2.5, { 0.1, 0.1, 0 } } } }";
    let mut simulation = after(text, 30);
    assert_eq!(at_rest(&simulation), [1, 2]);
    run(&mut simulation, 40);
    let x = pose(&simulation, 1).0.x;
    assert!(x > 0.2, "the lower cube is at {x}");
}

/// Three cubes lie on each other; the one in the middle disappears at 1.5 s.
#[test]
fn what_lay_on_a_body_that_disappears_falls() {
    let text = "local shot = retake.shot{ name = 'gone', duration = 4 }
        shot:ground{}
        for k = 0, 2 do
          shot:rigid{ mesh = retake.mesh.box{ size = 0.2 }, translate = { 0, 0.1002 + 0.2002 * k, 0 }, disappears = k == 1 and 1.5 or nil }
        end";
    let mut simulation = after(text, 34);
    assert_eq!(at_rest(&simulation), [1, 2, 3]);
    run(&mut simulation, 24);
    let y = pose(&simulation, 3).0.y;
    assert!(y < 0.31, "the topmost is at {y}");
}

/// A plank lies on two blocks, with its centre a centimetre beside the first; the other block disappears at 1 s. In the
/// first frame after that the plank gets less far than what counts as nowhere.
#[test]
fn a_plank_that_begins_to_tip_slowly_does_not_rest() {
    let text = "local shot = retake.shot{ name = 'plank', duration = 3, fps = 60 }
        local block = retake.mesh.box{ size = { 0.4, 0.2, 0.2 } }
        shot:collider{ mesh = block, translate = { -0.21, 0, 0 } }
        shot:collider{ mesh = block, translate = { 0.4, 0, 0 }, disappears = 1 }
        shot:rigid{ mesh = retake.mesh.box{ size = { 1, 0.05, 0.2 } }, translate = { 0, 0.1252, 0 } }";
    let mut simulation = after(text, 58);
    assert_eq!(at_rest(&simulation), [2]);
    run(&mut simulation, 60);
    assert!(lean(&simulation, 2) > 10.0, "it leans by {}", lean(&simulation, 2));
}

/// Two cubes rest half a millimetre apart; a third slides against the first, which bounces off the other.
#[test]
fn a_bounce_wakes_what_was_at_rest() {
    let text = "local shot = retake.shot{ name = 'billiards', duration = 3 }
        shot:collisions{ friction = 0.1 }
        shot:ground{}
        local cube = retake.mesh.box{ size = 0.2 }
        for _, x in ipairs{ 0, 0.2007, -1 } do
          shot:rigid{ mesh = cube, translate = { x, 0.1002, 0 }, restitution = 0.9 }
        end";
    let mut simulation = after(text, 20);
    assert_eq!(at_rest(&simulation), [1, 2, 3]);
    let push = Command::Push { body: 3, points: Vec::new(), impulse: DVec3::new(24.0, 0.0, 0.0) };
    simulation.advance(&[push], &AtomicBool::new(false)).expect("the shot goes on");
    run(&mut simulation, 19);
    let [first, second] = [1, 2].map(|body| pose(&simulation, body).0.x);
    assert!(second > 0.7 && second > first + 0.3, "the cubes are at {first} and {second}");
}

/// A box appears on a slope of 30 degrees with friction 0.5, on which it slides at 0.66 m/s2.
#[test]
fn what_has_just_appeared_does_not_rest() {
    let text = "local shot = retake.shot{ name = 'slope', duration = 3, fps = 60 }
        shot:collisions{ friction = 0.5 }
        shot:collider{ mesh = retake.mesh.box{ size = { 2, 0.1, 1 } }, rotate = { 0, 0, 30 } }
        shot:rigid{ mesh = retake.mesh.box{ size = 0.1 }, translate = { -0.0501, 0.08678, 0 }, rotate = { 0, 0, 30 }, appears = 1 }";
    let simulation = after(text, 90);
    let x = pose(&simulation, 1).0.x;
    assert!(x < -0.09, "the box is at {x}");
}
