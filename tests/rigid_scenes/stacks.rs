//! Towers and books.

use crate::scripted::{run, scene, start};
use crate::{lean, pose};
use glam::DVec3;

/// Twenty cubes on each other, the topmost `heavy` times as dense.
fn text_of(heavy: f64) -> String {
    format!(
        "local shot = retake.shot{{ name = 'tower', duration = 10 }}
        shot:ground{{}}
        for i = 0, 19 do
          shot:rigid{{ mesh = retake.mesh.box{{ size = 0.2 }}, translate = {{ 0, 0.1002 + 0.2002 * i, 0 }}, density = i == 19 and {} or 1000 }}
        end",
        1000.0 * heavy
    )
}

/// How far the cubes of a tower have gone in so many frames [m], how far the worst leans [degrees], and how
/// fast anything still is [m/s]. The topmost is `heavy` times as dense.
fn tower(heavy: f64, frames: u32) -> (f64, f64, f64) {
    let mut simulation = start(&scene(&text_of(heavy)));
    let begin: Vec<_> = (1..=20).map(|i| pose(&simulation, i).0).collect();
    run(&mut simulation, frames);
    let moved = (1..=20).map(|i| pose(&simulation, i).0.distance(begin[i - 1])).fold(0.0, f64::max);
    let leans = (1..=20).map(|i| lean(&simulation, i)).fold(0.0, f64::max);
    (moved, leans, simulation.report().fastest)
}

/// Twenty cubes stand for ten seconds, as the reference asks: the topmost goes by less than 1 mm (0.53, twenty
/// skins pressed in by an eighth), nothing leans by a tenth of a degree or is faster than 1e-4 m/s.
#[test]
fn a_tower_of_twenty_stands_for_ten_seconds() {
    let (moved, leans, fastest) = tower(1.0, 240);
    println!(
        "validation: tower of twenty after 10 s: {moved:.2e} m, {leans:.2e} degrees, {fastest:.1e} m/s"
    );
    assert!(moved < 1e-3 && leans < 0.1, "{moved} m, {leans} degrees");
    assert!(fastest < 1e-4, "{fastest} m/s");
}

/// The same with a topmost cube of a hundred and of a thousand times the density. The load presses the twenty skins of
/// 0.2 mm in by a half and by four fifths within the first frames, which the reference does not know; from then on
/// none goes by its millimetre, leans by its tenth of a degree, or is faster than its 1e-4 m/s.
#[test]
fn a_tower_carries_a_hundredfold_and_a_thousandfold_cube() {
    for heavy in [100.0, 1000.0] {
        let mut simulation = start(&scene(&text_of(heavy)));
        let places =
            |simulation: &_| -> Vec<DVec3> { (1..=20).map(|i| pose(simulation, i).0).collect() };
        let begin = places(&simulation);
        run(&mut simulation, 24);
        let settled = places(&simulation);
        run(&mut simulation, 216);
        let most = |a: &[DVec3], b: &[DVec3]| {
            a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
        };
        let (end, fastest) = (places(&simulation), simulation.report().fastest);
        let (settles, drifts) = (most(&begin, &settled), most(&settled, &end));
        let leans = (1..=20).map(|i| lean(&simulation, i)).fold(0.0, f64::max);
        println!(
            "validation: tower with a cube {heavy} times as heavy: settles by {settles:.2e} m in a second, drifts by \
             {drifts:.1e} m in nine, leans by {leans:.1e} degrees, {fastest:.1e} m/s"
        );
        assert!(settles < 20.0 * 2e-4, "{heavy}: {settles} m");
        assert!(drifts < 1e-3 && leans < 0.1 && fastest < 1e-4, "{heavy}: {drifts} m, {leans}");
    }
}

/// Four books reach over the edge of a table by up to 1/2 (1 + 1/2 + 1/3 + 1/4) = 25/24 of their length.
#[test]
fn four_books_reach_as_far_as_they_can() {
    for (part, stands) in [(0.99, true), (1.01, false)] {
        let text = format!(
            "local shot = retake.shot{{ name = 'books', duration = 4 }}
            shot:collisions{{ friction = 0.6 }}
            shot:collider{{ mesh = retake.mesh.box{{ size = {{ 1, 0.5, 1 }} }}, translate = {{ -0.5, -0.25, 0 }} }}
            local x = -0.12
            for i = 1, 4 do
              x = x + {part} * 0.24 / (2 * (5 - i))
              shot:rigid{{ mesh = retake.mesh.box{{ size = {{ 0.24, 0.03, 0.17 }} }}, translate = {{ x, 0.0152 + 0.0302 * (i - 1), 0 }}, density = 700 }}
            end"
        );
        let mut simulation = start(&scene(&text));
        run(&mut simulation, 72);
        let sunk = 0.0152 + 3.0 * 0.0302 - pose(&simulation, 4).0.y;
        assert_eq!(sunk < 0.002, stands, "{part}: the last has sunk by {sunk} m");
    }
}
