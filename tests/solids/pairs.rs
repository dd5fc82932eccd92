//! What a shot says of pairs of bodies: whether they collide, and when, how they rub and how they part.

use crate::pose;
use crate::scripted::{after, frame, near, resumed, run, scene, start};
use retake::production::certificate::check_frame;
use std::sync::atomic::AtomicBool;

const SHOT: &str = "local shot = retake.shot{ name = 'pairs', duration = 3 }
    local plate = shot:collider{ name = 'plate', mesh = retake.mesh.box{ size = { 4, 0.05, 4 } } }\n";

/// A box, a soft block and a cloth over a plate.
const FALLING: &str = "local box = shot:rigid{ name = 'box', mesh = retake.mesh.box{ size = 0.1 }, translate = { -0.5, 0.2, 0 } }
    local block = shot:soft{ name = 'block', mesh = retake.mesh.tet_box{ size = 0.1, cells = 2 }, translate = { 0, 0.2, 0 } }
    local cloth = shot:cloth{ name = 'cloth', mesh = retake.mesh.grid{ size = 0.2, vertices = 5, normal = { 0, 1, 0 } }, translate = { 0.5, 0.2, 0 } }\n";

fn height(simulation: &retake::sim::Simulation, body: usize) -> f64 {
    simulation.view().bodies[body].position.y
}

/// What does not collide until a time falls freely through, and whoever comes later is held. The fall is that of
/// steps of h: `g (t^2 + h t) / 2`.
#[test]
fn an_exception_ends() {
    let text = format!(
        "{SHOT}{FALLING}local late = shot:rigid{{ name = 'late', mesh = retake.mesh.box{{ size = 0.1 }}, translate = {{ 1, 3, 0 }} }}
        for _, body in ipairs{{ box, block, cloth, late }} do
          shot:contact{{ a = body, b = plate, collides = false, ends = 0.6 }}
        end"
    );
    let scene = scene(&text);
    let mut simulation = resumed(&scene, 10, 6);
    let t = 16.0 / 24.0;
    for body in 1..4 {
        let fallen = 0.2 - height(&simulation, body);
        // A substep is a frame at most.
        assert!((fallen - 0.5 * 9.81 * t * t).abs() < 0.5 * 9.81 * t / 24.0, "{body}: {fallen}");
    }
    run(&mut simulation, 32);
    assert!((height(&simulation, 4) - 0.075).abs() < 2e-3, "{}", height(&simulation, 4));
    assert_eq!(check_frame(&scene, &frame(&scene, &simulation)), []);
}

/// What lies on a plate falls when they come not to collide.
#[test]
fn an_exception_begins() {
    let text = format!(
        "{SHOT}{FALLING}for _, body in ipairs{{ box, block, cloth }} do
          shot:contact{{ a = body, b = plate, collides = false, starts = 1 }}
        end"
    );
    let scene = scene(&text);
    let mut simulation = start(&scene);
    run(&mut simulation, 23);
    for (body, rest) in [(1, 0.075), (2, 0.075), (3, 0.025)] {
        assert!((height(&simulation, body) - rest).abs() < 6e-3, "{}", height(&simulation, body));
    }
    run(&mut simulation, 13);
    for body in 1..4 {
        // Half a second of falling; the rest of a bounce may go against it.
        assert!(height(&simulation, body) < -0.9, "{body}: {}", height(&simulation, body));
    }
}

/// One rule may make an exception to another's.
#[test]
fn the_later_rule_counts() {
    let fallen = |rules: &str| {
        let simulation = after(&format!("{SHOT}{FALLING}{rules}"), 12);
        [1, 2, 3].map(|body| height(&simulation, body) < -0.5)
    };
    let all = "shot:contact{ a = { box, block, cloth }, b = plate, collides = false }\n";
    assert_eq!(fallen(all), [true; 3]);
    let but = "shot:contact{ a = block, b = plate, collides = true }\n";
    assert_eq!(fallen(&format!("{all}{but}")), [true, false, true]);
    let for_now = "shot:contact{ a = block, b = plate, collides = true, ends = 0.2 }\n";
    assert_eq!(fallen(&format!("{all}{for_now}")), [true; 3], "both rules let it fall then");
}

/// Where they still cross when the exception ends, they cannot collide; what was computed stays.
#[test]
fn what_collides_again_cannot_cross() {
    let scene = scene(&format!(
        "{SHOT}{FALLING}shot:contact{{ a = box, b = plate, collides = false, ends = 0.2 }}"
    ));
    let mut simulation = start(&scene);
    run(&mut simulation, 4);
    let failure = simulation.advance(&[], &AtomicBool::new(false)).unwrap_err();
    let text = format!("{failure:?}");
    assert!(
        text.contains("`plate` and `box` collide again by 0.208 s, but they still cross"),
        "{text}"
    );
    assert_eq!(simulation.frame(), 5, "the state is that of the last frame");
}

/// Slides on a slope of 20 degrees as the friction of the pair says, not as those of the bodies do.
#[test]
fn a_pair_rubs_as_the_shot_says() {
    let (sin, cos) = (libm::sin(0.349_065_850_4), libm::cos(0.349_065_850_4));
    let slid = |rule: &str| {
        let simulation = after(
            &format!(
                "local shot = retake.shot{{ name = 'slope', duration = 2, gravity = {{ {}, {}, 0 }} }}
                local plate = shot:collider{{ mesh = retake.mesh.box{{ size = {{ 8, 0.05, 2 }} }}, friction = 0.5 }}
                local box = shot:rigid{{ mesh = retake.mesh.box{{ size = {{ 0.2, 0.1, 0.2 }} }}, translate = {{ -1, 0.0753, 0 }}, friction = 0.5 }}
                {rule}",
                9.81 * sin,
                -9.81 * cos
            ),
            24,
        );
        pose(&simulation, 1).0.x + 1.0
    };
    assert!(slid("") < 1e-3, "{}", slid(""));
    let [slides, brakes] = [0.1, 0.5].map(|friction| 9.81 * (sin - friction * cos));
    let pair = slid("shot:contact{ a = box, b = plate, friction = 0.1 }");
    near("slides by the friction of the pair", pair, 0.5 * slides, 0.02);
    let half = slid("shot:contact{ a = box, b = plate, friction = 0.1, ends = 0.5 }");
    let expected = 0.125 * slides + 0.25 * slides + 0.125 * brakes;
    near("then by that of the bodies", half, expected, 0.02);
}

/// A ball springs back to the square of the restitution of the pair.
#[test]
fn a_pair_parts_as_the_shot_says() {
    let text = format!(
        "{SHOT}local ball = shot:rigid{{ mesh = retake.mesh.sphere{{ radius = 0.05, subdivisions = 3 }}, translate = {{ 0, 0.575, 0 }} }}
        shot:contact{{ a = ball, b = plate, restitution = 0.7 }}"
    );
    let mut simulation = start(&scene(&text));
    let mut highest = 0.0f64;
    let drop = (2.0 * 0.5 / 9.81f64).sqrt();
    for number in 1..=24 {
        run(&mut simulation, 1);
        if f64::from(number) / 24.0 > drop + 0.1 {
            highest = highest.max(height(&simulation, 1) - 0.075);
        }
    }
    // The highest of the frames is at most half a frame from the top.
    let between = 0.5 * 9.81 / (48.0 * 48.0);
    assert!((highest - 0.245).abs() < 0.02 * 0.245 + between, "{highest}");
}
