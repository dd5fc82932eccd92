//! Every preset pulled in warp and weft gives back the constants of its source.

use crate::{near, positions, run, scene, start};
use std::fmt::Write;

/// Density, C11, C12, C22 of each preset as its source has them [kg/m2, N/m].
const SOURCES: [(&str, f64, [f64; 3]); 16] = [
    ("11oz-black-denim", 0.324, [226.0, 41.0, 1054.0]),
    ("gray-interlock", 0.187, [87.0, 80.0, 313.0]),
    ("ivory-rib-knit", 0.276, [51.0, 0.0, 137.0]),
    ("navy-sparkle-sweat", 0.224, [63.0, 70.0, 212.0]),
    ("pink-ribbon-brown", 0.228, [152.0, 107.0, 257.0]),
    ("royal-target", 0.220, [2110.0, 49.0, 2144.0]),
    ("tango-red-jet-set", 0.113, [91.0, 86.0, 300.0]),
    ("white-dots-on-blk", 0.128, [2107.0, 47.0, 2142.0]),
    ("white-swim-solid", 0.204, [50.0, 15.0, 115.0]),
    ("camel-ponte-roma", 0.284, [96.0, 52.0, 179.0]),
    ("cotton", 0.128, [2107.0, 47.0, 2142.0]),
    ("denim", 0.324, [226.0, 41.0, 1054.0]),
    // Young's modulus E and Poisson ratio nu: C11 = E / (1 - nu^2).
    ("silk", 0.07, [1200.0 / 0.96, 0.2 * 1_039.230_484_541_326_4 / 0.96, 900.0 / 0.96]),
    ("wool", 0.24, [1500.0 / 0.96, 0.2 * 1_224.744_871_391_589 / 0.96, 1000.0 / 0.96]),
    ("leather", 0.5, [6000.0 / 0.8775, 0.35 * 6000.0 / 0.8775, 6000.0 / 0.8775]),
    ("paper", 0.1, [5e5 / 0.96, 1e5 / 0.96, 5e5 / 0.96]),
];

/// A strip 60 cm long and 4 cm wide is drawn out by 1 %. Its middle third is far from the grips, so
/// that the tension there is that of a free strip: with the stretch `l` along the pull the force on a
/// metre of its width is `l E (l^2 - 1) / 2`, `E = C11 - C12^2 / C22` (St. Venant-Kirchhoff), and it
/// narrows by `C12 / C22` of the Green strain. The tolerance of 2 % leaves room for the grips, whose
/// influence falls off slowest where shear is softest, and for the residual of the solver.
#[test]
fn strips_pull_as_the_constants_of_their_source_say() {
    let mut text = String::from(
        "local shot = retake.shot{ name = 'pull', duration = 3, gravity = { 0, 0, 0 } }\n",
    );
    for (i, (name, ..)) in SOURCES.iter().enumerate() {
        for (j, size) in
            ["{ 0.6, 0.04 }, vertices = { 61, 5 }", "{ 0.04, 0.6 }, vertices = { 5, 61 }"]
                .iter()
                .enumerate()
        {
            let (ends, by) = if j == 0 {
                (["left", "right"], "{ 0.006, 0, 0 }")
            } else {
                (["bottom", "top"], "{ 0, 0.006, 0 }")
            };
            let _ = writeln!(
                text,
                "local c = shot:cloth{{ mesh = retake.mesh.grid{{ size = {size} }}, translate = {{ 0, 0, {} }}, \
                 collides = false, material = retake.material.fabric '{name}' }}\n\
                 shot:pin{{ points = c:edge '{}' }}\n\
                 shot:pin{{ points = c:edge '{}' }}:translate{{ starts = 0, ends = 0.4, by = {by} }}",
                (2 * i + j) as f64,
                ends[0],
                ends[1],
            );
        }
    }
    text += "shot:drag{ linear = 30 }";
    let scene = scene(&text);
    let mut simulation = start(&scene);
    run(&mut simulation, 60);
    // A node's speed may be off by a third of the accuracy.
    let off = scene.solver.accuracy / 3.0;
    assert!(simulation.report().fastest < off, "not at rest: {}", simulation.report().fastest);
    let view = simulation.view();
    for (i, (name, density, [c11, c12, c22])) in SOURCES.iter().enumerate() {
        for (j, (along, across)) in [(c11, c22), (c22, c11)].into_iter().enumerate() {
            let body = 2 * i + j;
            let x = positions(&simulation, body);
            // Points along the middle line at a third and two thirds, and across the middle.
            let at = |k: usize, w: usize| if j == 0 { x[w * 61 + k] } else { x[k * 5 + w] };
            let stretch = at(20, 2).distance(at(40, 2)) / 0.2;
            let narrowed = at(30, 0).distance(at(30, 4)) / 0.04;
            let force = view.constraints[2 * body + 1].reaction / 0.04;
            let young = along - c12 * c12 / across;
            let expected = stretch * young * (stretch * stretch - 1.0) / 2.0;
            near(&format!("{name} {j}"), force, expected, 0.02);
            // Against what the fabric is stretched by as a whole, the grips hold it to within a per cent of it.
            near(&format!("{name} {j} stretch"), stretch - 1.0, 0.01, 0.12);
            let thinner = 0.5 * (narrowed * narrowed - 1.0);
            let expected = -(c12 / across) * 0.5 * (stretch * stretch - 1.0);
            assert!(
                (thinner - expected).abs() < 0.02 * 0.01,
                "{name} {j}: narrows by {thinner}, not {expected}"
            );
        }
        let cloth = scene.bodies[2 * i].cloth().unwrap();
        let material = cloth.material.membrane().unwrap();
        assert_eq!(material.density.at(0), *density, "{name}");
        assert!(material.label.contains(':'), "{name} has no source");
    }
}

/// The damping of a fabric differs from place to place: where there is none a sheet goes on shaking.
#[test]
fn damping_is_mapped() {
    let scene = scene(
        "local shot = retake.shot{ name = 'a', duration = 1 }
        shot:cloth{ mesh = retake.mesh.grid{ size = 1, vertices = 3 }, material = retake.material.membrane{ damping = function(p) return 0.1 * p.u end } }",
    );
    let cloth = scene.bodies[0].cloth().unwrap();
    let damping = &cloth.material.membrane().unwrap().damping;
    assert_eq!([damping.at(0), damping.at(1), damping.at(2)], [0.0, 0.05, 0.1]);
    // Two flags swing from one shape; the damped one stands still first.
    let text = |damping: &str| {
        format!(
            "local shot = retake.shot{{ name = 'a', duration = 2, gravity = {{ 0, 0, 0 }} }}
            shot:cloth{{ mesh = retake.mesh.grid{{ size = 0.5, vertices = 9 }}, shrink = 0.98, material = retake.material.membrane{{ young = 50, damping = {damping} }} }}"
        )
    };
    let left = |damping: &str| {
        let mut simulation = start(&crate::scene(&text(damping)));
        run(&mut simulation, 6);
        simulation.report().kinetic
    };
    let (none, half, whole) =
        (left("0"), left("function(p) return p.u > 0.5 and 0.05 or 0 end"), left("0.05"));
    assert!(none > half && half > whole, "{none} {half} {whole}");
}
