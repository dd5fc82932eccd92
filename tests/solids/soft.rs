//! Soft bodies: stretch, weight, rest.

use crate::positions;
use crate::scripted::{after, measured, near, run, scene, start};
use glam::DVec3;

/// A bar hanging by its top from its own weight is longer by `rho g L^2 / 2 E`, here 1 %. Holding the
/// top's width, where the bar would grow narrow, stiffens it by a part of the order of width over
/// length, and strains of 2 % add a geometric term of that order.
#[test]
fn a_bar_hangs_by_its_weight() {
    let text = "local shot = retake.shot{ name = 'bar', duration = 4 }
        local bar = shot:soft{ mesh = retake.mesh.tet_box{ size = { 0.1, 1, 0.1 }, cells = { 2, 20, 2 } },
          material = retake.material.soft{ young = 4.905e5, poisson = 0.3, damping = 0.05 } }
        shot:pin{ points = bar:where(function(p) return p.y > 0.499 end) }";
    let simulation = after(text, 96);
    let low = positions(&simulation, 0).iter().fold(f64::INFINITY, |m, p| m.min(p.y));
    near("longer", -0.5 - low, 0.01, 0.04);
}

/// A beam of length L and height h that is clamped at one end sags by `3 rho g L^4 / (2 E h^2)` at the
/// other (Euler and Bernoulli; shear adds about (h/L)^2). Linear cells are too stiff in bending: finer
/// ones come nearer.
#[test]
fn a_beam_sags_and_finer_cells_come_nearer() {
    let sag = |across: u32| {
        let text = format!(
            "local shot = retake.shot{{ name = 'beam', duration = 3 }}
            local beam = shot:soft{{ mesh = retake.mesh.tet_box{{ size = {{ 1, 0.2, 0.2 }}, cells = {{ {}, {across}, {across} }} }},
              material = retake.material.soft{{ young = 1.226e7, poisson = 0.3, damping = 0.02 }} }}
            shot:pin{{ points = beam:where(function(p) return p.x < -0.499 end) }}",
            5 * across
        );
        let scene = scene(&text);
        let mut simulation = start(&scene);
        run(&mut simulation, 48);
        let rest = &scene.mesh_of(0).positions;
        let x = positions(&simulation, 0);
        let end: Vec<f64> =
            x.iter().zip(rest).filter(|(_, r)| r.x > 0.499).map(|(p, _)| p.y).collect();
        -end.iter().sum::<f64>() / end.len() as f64 / 0.03
    };
    let (coarse, fine) = (sag(2), sag(4));
    measured("sag of a beam, two cells high", coarse, 1.0);
    measured("sag of a beam, four cells high", fine, 1.0);
    assert!(coarse < fine && fine < 1.05, "{coarse} {fine}");
    assert!(1.0 - fine < 0.55 * (1.0 - coarse), "{coarse} {fine}");
}

/// A jelly that falls on its corner comes to rest, whole, with all cells the right way round.
#[test]
fn a_jelly_comes_to_rest() {
    let text = "local shot = retake.shot{ name = 'jelly', duration = 5 }
        shot:ground{}
        shot:soft{ mesh = retake.mesh.tet_box{ size = 0.3, cells = 3 }, translate = { 0, 0.6, 0 }, rotate = { 20, 10, 35 },
          material = retake.material.soft{ young = 8000, damping = 0.05 } }";
    let scene = scene(text);
    let mut simulation = start(&scene);
    run(&mut simulation, 119);
    let x = positions(&simulation, 1);
    for [a, b, c, d] in scene.mesh_of(1).tets.iter().map(|t| t.map(|i| x[i as usize])) {
        assert!((b - a).cross(c - a).dot(d - a) > 0.0, "a cell is inside out");
    }
    assert!(simulation.report().fastest < 0.02, "{}", simulation.report().fastest);
    let center = x.iter().sum::<DVec3>() / x.len() as f64;
    assert!(center.y > 0.1 && center.y < 0.16, "{center}");
}
