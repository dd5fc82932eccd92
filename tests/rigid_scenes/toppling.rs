//! A row of dominoes, and a wrecking ball.

use crate::scripted::{run_uncrossed, scene, start};
use crate::{lean, pose};

/// Each domino of a row falls, in order, and none before it is pushed.
#[test]
fn dominoes_fall_in_order() {
    let text = "local shot = retake.shot{ name = 'dominoes', duration = 6 }
        shot:collisions{ friction = 0.5 }
        shot:ground{}
        for i = 0, 29 do
          -- The first leans by more than its 11.3 degrees.
          local first = i == 0
          shot:rigid{ mesh = retake.mesh.box{ size = { 0.01, 0.05, 0.025 } }, translate = { 0.025 * i - (first and 0.004 or 0), first and 0.0258 or 0.0252, 0 }, rotate = { 0, 0, first and -14 or 0 } }
        end";
    let scene = scene(text);
    let mut simulation = start(&scene);
    let mut fell = vec![None; 30];
    for frame in 1..=72 {
        run_uncrossed(&scene, &mut simulation, 1);
        for (i, when) in fell.iter_mut().enumerate() {
            if when.is_none() && lean(&simulation, i + 1) > 20.0 {
                *when = Some(frame);
            }
        }
    }
    let frames: Vec<i32> = fell.iter().map(|f| f.unwrap_or(999)).collect();
    assert!(frames.iter().all(|f| *f < 999), "{frames:?}");
    assert!(frames.windows(2).all(|w| w[0] <= w[1]), "{frames:?}");
    assert!(frames[29] > frames[0] + 5, "{frames:?}");
}

/// A ball of a thousand times a brick's weight on a chain of links goes through a wall of bricks, and the chain
/// does not lengthen by more than a thousandth.
#[test]
fn a_wrecking_ball_breaks_a_wall() {
    let text = "local shot = retake.shot{ name = 'wrecking', duration = 3 }
        shot:collisions{ friction = 0.5 }
        shot:ground{}
        local brick = retake.mesh.box{ size = { 0.1, 0.1, 0.2 } }
        for row = 0, 7 do
          for i = 0, 4 do
            shot:rigid{ mesh = brick, mass = 1, translate = { 0, 0.0502 + 0.1002 * row, 0.202 * (i - 2 + (row % 2) * 0.5) } }
          end
        end
        local last
        local link = retake.mesh.box{ size = { 0.2, 0.04, 0.04 } }
        for i = 1, 8 do
          local own = shot:rigid{ mesh = link, mass = 2, translate = { -0.2 * i + 0.1, 2.2, 0 }, collides = false }
          shot:joint{ kind = 'ball', a = own, b = last, about = { -0.2 * (i - 1), 2.2, 0 } }
          last = own
        end
        local ball = shot:rigid{ mesh = retake.mesh.sphere{ radius = 0.2, subdivisions = 2 }, mass = 1000, translate = { -1.8, 2.2, 0 } }
        shot:joint{ kind = 'ball', a = ball, b = last, about = { -1.6, 2.2, 0 } }";
    let scene = scene(text);
    let mut simulation = start(&scene);
    let mut longest = 0.0f64;
    for _ in 0..48 {
        run_uncrossed(&scene, &mut simulation, 1);
        let (place, turn) = pose(&simulation, 49);
        let hook = turn * glam::DVec3::new(0.2, 0.0, 0.0) + place;
        longest = longest.max(hook.distance(glam::DVec3::new(0.0, 2.2, 0.0)));
    }
    let apart = simulation.view().constraints.iter().map(|c| c.apart).fold(0.0, f64::max);
    assert!(longest < 1.6 * 1.001, "the chain is {longest} m long");
    assert!(apart < 1e-4, "links are apart by {apart} m");
    let flung = (1..=40).filter(|i| pose(&simulation, *i).0.x > 0.3).count();
    assert!(flung > 10, "only {flung} bricks have gone");
}
