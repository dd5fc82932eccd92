//! Weights of attachments, stitches and freezes: a part w of a stiffness, or a spring of 100 w / (1 - w) N/m.

use crate::positions;
use crate::scripted::{after, near, problem, scene};
use retake::scene::{MappedCurve, VertexMap};

/// A rope of one segment hangs by its upper end alone, which something holds as a spring of `k`: it goes down
/// by m g / k. Its vertices weigh 50 g each, and both hang on the spring.
fn sinks(held: &str) -> f64 {
    let text = format!(
        "local shot = retake.shot{{ name = 'a', duration = 6 }}
        local line = shot:rope{{ mesh = retake.mesh.rope{{ from = {{ 0, 2, 0 }}, to = {{ 0, 1, 0 }}, segments = 1 }}, radius = 0.01,
          density = 0.1 / (math.pi * 1e-4), stretch = 1e6, collides = false }}
        local block = shot:collider{{ mesh = retake.mesh.box{{ size = 0.1 }}, translate = {{ 0, 2.05, 0 }} }}
        shot:drag{{ linear = 4 }}
        {held}"
    );
    2.0 - positions(&after(&text, 144), 0)[0].y
}

#[test]
fn what_is_held_in_part_hangs_on_a_spring() {
    // w = 0.2 is 25 N/m; half of 50 N/m is the same.
    let expected = 0.1 * 9.81 / 25.0;
    let by_weight = [
        "shot:attach{ points = line:vertices{ 0 }, to = block, WEIGHT }",
        "shot:freeze{ points = line:vertices{ 0 }, inside = { { -1, 1.9, -1 }, { 1, 3, 1 } }, WEIGHT }",
        "shot:pin{ points = line:vertices{ 0 }, WEIGHT }",
    ];
    for held in by_weight {
        for weight in ["weight = 0.2", "weight = 0.5, stiffness = 50", "weight = { 0.2 }"] {
            near(held, sinks(&held.replace("WEIGHT", weight)), expected, 0.01);
        }
    }
}

/// A stitch keeps the distance of two places: here the 5 cm to the middle of the block, beside it.
#[test]
fn a_stitch_of_some_weight_is_a_spring() {
    let stitch = "shot:stitch{ a = line:vertices{ 0 }, b = block:point{ 0, 2.1, 0 }, WEIGHT }";
    for weight in ["weight = 0.2", "weight = 0.5, stiffness = 50"] {
        near(weight, sinks(&stitch.replace("WEIGHT", weight)), 0.1 * 9.81 / 25.0, 0.01);
    }
}

#[test]
fn weights_taper_along_points_and_pairs() {
    let head = "local shot = retake.shot{ name = 'a', duration = 1 }
        local mesh = retake.mesh.grid{ size = 1, vertices = 5 }
        local a = shot:cloth{ mesh = mesh }
        local b = shot:cloth{ mesh = mesh, translate = { 1.01, 0, 0 } }";
    let scene = scene(&format!(
        "{head}
        shot:stitch{{ a = a:edge 'right', b = b:edge 'left', weight = function(p) return p.v end }}
        shot:freeze{{ points = a:edge 'top', inside = {{ {{ -1, -1, -1 }}, {{ 1, 1, 1 }} }}, weight = {{ 0, 0.25, 0.5, 0.75, 1 }} }}"
    ));
    let expected = |up: bool| {
        let at = |i: i32| 0.25 * f64::from(if up { i } else { 4 - i });
        VertexMap::PerVertex((0..5).map(at).collect())
    };
    assert_eq!(scene.constraints[0].weight, Some(expected(false)));
    assert_eq!(scene.constraints[1].weight, Some(expected(true)));
    let found = problem(&format!(
        "{head}\nshot:freeze{{ points = a:all(), inside = {{ {{ -1, -1, -1 }}, {{ 1, 1, 1 }} }}, weight = 2 }}"
    ));
    assert!(found.contains("`weight` in freeze must be a number from 0 to 1"), "{found}");
}

/// A box of 100 g hangs from the world by a joint that holds it in part, as on a spring of 25 N/m; a hinge has two
/// places.
#[test]
fn a_joint_of_some_weight_is_a_spring() {
    let sinks = |joint: &str| {
        let text = format!(
            "local shot = retake.shot{{ name = 'a', duration = 6 }}
            local box = shot:rigid{{ mesh = retake.mesh.box{{ size = 0.1 }}, mass = 0.1, translate = {{ 0, 2, 0 }} }}
            shot:drag{{ linear = 4 }}
            shot:joint{{ {joint}, a = box }}"
        );
        2.0 - crate::pose(&after(&text, 144), 0).0.y
    };
    let expected = 0.1 * 9.81 / 25.0;
    near("ball", sinks("kind = 'ball', weight = 0.2"), expected, 0.01);
    near("ball", sinks("kind = 'ball', weight = 0.5, stiffness = 50"), expected, 0.01);
    near("hinge", sinks("kind = 'hinge', weight = 0.2"), 0.5 * expected, 0.01);
    assert!(sinks("kind = 'ball', weight = 1") < 1e-4);
    let found = problem(
        "local shot = retake.shot{ name = 'a', duration = 1 }
        local box = shot:rigid{ mesh = retake.mesh.box{ size = 0.1 } }
        shot:joint{ kind = 'ball', a = box, weight = function(p) return p.x end }",
    );
    assert!(found.contains("`weight` of a joint is one number, not a function"), "{found}");
    assert!(found.contains("has no points that could differ"), "{found}");
}

/// A rope that is perforated twice: each hole yields as its weight says, whichever is cut first.
#[test]
fn perforations_have_weights() {
    let scene = scene(
        "local shot = retake.shot{ name = 'a', duration = 1 }
        local line = shot:rope{ mesh = retake.mesh.rope{ from = { 0, 2, 0 }, to = { 0, 1, 0 }, segments = 10 }, radius = 0.01 }
        line:perforate{ points = line:vertices{ 3, 7 }, weight = { 0.25, 0.75 } }
        line:perforate{ points = line:vertices{ 5 }, weight = function(p) return p.y - 1 end }
        local sheet = shot:cloth{ mesh = retake.mesh.grid{ size = 1, vertices = 5 } }
        sheet:perforate{ points = sheet:row(2), weight = function(p) return p.u end }",
    );
    let listed = |weights: &[f64]| Some(VertexMap::PerVertex(weights.to_vec()));
    assert_eq!(scene.constraints[0].weight, listed(&[0.25, 0.75]));
    let Some(VertexMap::PerVertex(half)) = &scene.constraints[1].weight else { panic!("no map") };
    assert!(half.len() == 1 && (half[0] - 0.5).abs() < 1e-12, "{half:?}");
    assert_eq!(scene.constraints[2].weight, listed(&[0.0, 0.25, 0.5, 0.75, 1.0]));
}

/// The lower part of a rope weighs 50 g and hangs on its perforation as on a spring of 25 N/m.
#[test]
fn a_perforation_of_some_weight_is_a_spring() {
    let text = "local shot = retake.shot{ name = 'a', duration = 6 }
        local line = shot:rope{ mesh = retake.mesh.rope{ from = { 0, 2, 0 }, to = { 0, 1, 0 }, segments = 2 }, radius = 0.01,
          density = 0.1 / (math.pi * 1e-4), stretch = 1e6, collides = false }
        shot:drag{ linear = 4 }
        shot:pin{ points = line:vertices{ 0 } }
        line:perforate{ points = line:vertices{ 1 }, weight = 0.2 }";
    let line = positions(&after(text, 144), 0);
    let slit = 0.25 * (0.02 + 2e-4);
    near("gap", line[1].y - line[3].y - slit, 0.05 * 9.81 / 25.0, 0.02);
}

/// A sheet whose edge is held from soft to stiff: each point goes down as its own spring says, and over time as its
/// stiffness does.
#[test]
fn stiffness_differs_from_point_to_point() {
    let head = "local shot = retake.shot{ name = 'a', duration = 4 }
        local a = shot:rope{ mesh = retake.mesh.rope{ from = { 0, 2, 0 }, to = { 0, 1, 0 }, segments = 1 }, radius = 0.01,
          density = 0.1 / (math.pi * 1e-4), stretch = 1e6, collides = false }
        local b = shot:rope{ mesh = retake.mesh.rope{ from = { 1, 2, 0 }, to = { 1, 1, 0 }, segments = 1 }, radius = 0.01,
          density = 0.1 / (math.pi * 1e-4), stretch = 1e6, collides = false }
        local block = shot:collider{ mesh = retake.mesh.box{ size = { 3, 0.1, 0.1 } }, translate = { 0, 2.05, 0 } }
        shot:drag{ linear = 4 }\n";
    let holds = [
        "shot:pin{ points = a:vertices{ 0 } + b:vertices{ 0 }, stiffness = STIFFNESS }",
        "shot:attach{ points = a:vertices{ 0 } + b:vertices{ 0 }, to = block, stiffness = STIFFNESS }",
        "shot:freeze{ points = a:vertices{ 0 } + b:vertices{ 0 }, inside = { { -1, 1.9, -1 }, { 2, 3, 1 } }, stiffness = STIFFNESS }",
    ];
    for held in holds {
        for stiffness in [
            "function(p) return p.x < 0.5 and 20 or 60 end",
            "{ 20, 60 }",
            "function(p) return (p.x < 0.5 and 20 or 60) * (p.t < 1 and 2 or 1) end",
        ] {
            let simulation = after(&format!("{head}{}", held.replace("STIFFNESS", stiffness)), 96);
            for (body, stiffness) in [(0, 20.0), (1, 60.0)] {
                let sunk = 2.0 - positions(&simulation, body)[0].y;
                near(held, sunk, 0.1 * 9.81 / stiffness, 0.01);
            }
        }
    }
    let scene = scene(&format!(
        "{head}local sheet = shot:cloth{{ mesh = retake.mesh.grid{{ size = 1, vertices = 3 }}, translate = {{ 0, 5, 0 }} }}
        shot:stitch{{ a = sheet:edge 'top', b = block:point{{ 0, 2, 0 }}, stiffness = function(p) return 10 + p.u end }}
        local line = shot:pin{{ points = sheet:all(), stiffness = function(p) return 1 + p.index end }}
        line:release{{ at = 1, points = sheet:row(0) }}"
    ));
    let listed = |list: &[f64]| Some(MappedCurve::PerVertex(list.to_vec()));
    assert_eq!(scene.constraints[0].stiffness, listed(&[10.0, 10.5, 11.0]));
    assert_eq!(scene.constraints[1].stiffness, listed(&[4.0, 5.0, 6.0, 7.0, 8.0, 9.0]));
    assert_eq!(scene.constraints[2].stiffness, listed(&[1.0, 2.0, 3.0]));
    let found = problem(
        "local shot = retake.shot{ name = 'a', duration = 1 }
        local box = shot:rigid{ mesh = retake.mesh.box{ size = 0.1 } }
        shot:joint{ kind = 'ball', a = box, stiffness = { 1, 2 } }",
    );
    assert!(found.contains("`stiffness` of a joint is a number or a curve"), "{found}");
}
