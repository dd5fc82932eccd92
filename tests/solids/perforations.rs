//! What is perforated holds its load and no more, and comes apart there alone.

use crate::positions;
use crate::scripted::{near, problem, resumed, run, scene, start};
use retake::scene::ConstraintKind;
use retake::sim::{Simulation, StepEventKind};

/// Script time at which a constraint breaks first [s], of so many frames; none if it does not.
fn breaks(simulation: &mut Simulation, constraint: usize, frames: u32) -> Option<f64> {
    for _ in 0..frames {
        run(simulation, 1);
        let broke = |kind: &StepEventKind| matches!(kind, StepEventKind::Broke { constraint: c } if *c == constraint);
        if let Some(event) = simulation.report().events.iter().find(|e| broke(&e.kind)) {
            return Some(event.time);
        }
    }
    None
}

/// A rope with a weight at its end, and gravity that grows by 4 m/s2 a second: what is below the perforation pulls
/// at it with (M + rho pi r^2 l) 4 t, which is 12 N with the l = 0.5 m less half of the slit when t = 12 / 4 / m.
/// Gravity is what it is at the end of a substep, of which a frame has eight at least.
#[test]
fn a_rope_snaps_at_its_load() {
    let text = "local shot = retake.shot{ name = 'snap', duration = 3, gravity = retake.keys{ { 0, { 0, 0, 0 } }, { 3, { 0, -12, 0 }, ease = 'linear' } } }
        local line = shot:rope{ mesh = retake.mesh.rope{ from = { 0, 2, 0 }, to = { 0, 1, 0 }, segments = 20 }, radius = 0.01, density = 1000, stretch = 1e5 }
        shot:pin{ points = line:vertices{ 0 } }
        local box = shot:rigid{ mesh = retake.mesh.box{ size = 0.1 }, mass = 1, translate = { 0, 0.93, 0 } }
        shot:attach{ points = line:vertices{ 20 }, to = box }
        line:perforate{ name = 'weak', points = line:vertices{ 10 }, breaks_at = 6 }";
    let scene = scene(text);
    let slit = 0.25 * (0.02 + 2e-4);
    let hung = 1.0 + 1000.0 * std::f64::consts::PI * 1e-4 * (0.5 - 0.5 * slit);
    let expected = 6.0 / (4.0 * hung);
    let weak = scene.constraints.iter().position(|c| c.name == "weak").unwrap();
    assert_eq!(scene.mesh_of(0).chains().len(), 2);
    let found = breaks(&mut start(&scene), weak, 72).expect("it breaks");
    near("time", found, expected, 0.01);
    // Then its pieces part: the upper one hangs, the lower one falls.
    let simulation = resumed(&scene, 20, 20);
    let line = positions(&simulation, 0);
    assert!(line[10].y > 1.45, "{}", line[10]);
    assert!(line[21].y < 1.4, "{}", line[21]);
}

/// A strip of paper, held above and pulled below, tears along its perforation: all of its stitches give way, the two
/// parts come away from each other without crossing, and the paper itself is hardly stretched.
#[test]
fn paper_tears_along_its_perforation() {
    let text = "local shot = retake.shot{ name = 'ticket', duration = 1.5 }
        local paper = shot:cloth{ mesh = retake.mesh.grid{ size = { 0.1, 0.2 }, vertices = { 11, 21 } }, thickness = 0.0004,
          material = retake.material.membrane{ young = 4000, poisson = 0.2, shear = 1600, bend = 3e-4, density = 0.1, damping = 0.005 } }
        shot:pin{ points = paper:edge 'top' }
        shot:pin{ name = 'hand', points = paper:edge 'bottom' }:translate{ starts = 0.2, ends = 1.2, by = { 0.02, -0.04, 0.06 } }
        paper:perforate{ name = 'line', points = paper:row(8), breaks_at = 0.3 }
        shot:drag{ linear = 1 }";
    let scene = scene(text);
    let ConstraintKind::Stitch { pairs, .. } = &scene.constraints[2].kind else {
        panic!("no stitch")
    };
    assert_eq!(pairs.len(), 11);
    let mut simulation = start(&scene);
    let before = positions(&simulation, 0);
    assert!(breaks(&mut simulation, 2, 4).is_none(), "it holds what it is not pulled at");
    let broke = breaks(&mut simulation, 2, 32).expect("it tears");
    assert!(broke > 0.2, "{broke}");
    let pairs: Vec<[usize; 2]> =
        pairs.iter().map(|p| [p.a, p.b].map(|end| end.vertices[0] as usize)).collect();
    // Its stretch when the last stitch goes is what eleven of them hold over the strip's own stiffness, at most
    // twice as much at a single one: 0.3 N a centimetre is 30 N/m of 4000.
    let stretched = simulation.report().rms_stretch;
    assert!(stretched < 0.015, "{stretched}");
    run(&mut simulation, 10);
    let after = positions(&simulation, 0);
    for [a, b] in pairs {
        assert!(before[a].distance(before[b]) < 2e-4);
        assert!(after[a].distance(after[b]) > 0.005, "{} {}", after[a], after[b]);
    }
}

/// What was selected before holds both sides: a curtain cut down its middle hangs from its whole edge.
#[test]
fn selections_have_both_sides_of_a_cut() {
    let text = "local shot = retake.shot{ name = 'curtain', duration = 1 }
        local cloth = shot:cloth{ mesh = retake.mesh.grid{ size = { 0.4, 0.4 }, vertices = { 9, 9 } }, friction = function(p) return 0.1 + p.v end }
        local twin = shot:cloth{ mesh = retake.mesh.grid{ size = { 0.4, 0.4 }, vertices = { 9, 9 } }, translate = { 0, 0, 1 } }
        local top = cloth:edge 'top'
        shot:pin{ name = 'rail', points = top, weight = function(p) return 0.5 + 0.5 * p.u end }
        cloth:perforate{ points = cloth:column(4) + cloth:row(4), breaks_at = 5 }
        shot:stitch{ name = 'patch', a = twin:edge 'left', b = cloth:column(4) }";
    let scene = scene(text);
    assert_eq!(scene.meshes.len(), 2);
    assert_eq!(scene.mesh_of(0).positions.len(), 81 + 8 + 8 + 3);
    assert_eq!(scene.mesh_of(1).positions.len(), 81);
    let ConstraintKind::Pin { points, .. } = &scene.constraints[0].kind else { panic!("no pin") };
    assert_eq!(points[0].vertices.len(), 10);
    assert!((scene.constraints[0].weight.as_ref().unwrap().at(9) - 0.75).abs() < 1e-12);
    let ConstraintKind::Stitch { pairs, .. } = &scene.constraints[2].kind else {
        panic!("no stitch")
    };
    assert_eq!(pairs.len(), 9 + 8 + 3);
    run(&mut start(&scene), 6);
}

#[test]
fn what_cannot_be_perforated_is_refused() {
    let head = "local shot = retake.shot{ name = 'a', duration = 1 }
        local cloth = shot:cloth{ name = 'sheet', mesh = retake.mesh.grid{ size = 1, vertices = 5 } }
        local line = shot:rope{ name = 'line', mesh = retake.mesh.rope{ from = { 0, 3, 0 }, to = { 0, 2, 0 }, segments = 9 } }
        local box = shot:rigid{ name = 'box', mesh = retake.mesh.box{ size = 0.1 }, translate = { 0, 5, 0 } }";
    let refused = |call: &str| problem(&format!("{head}\n{call}"));
    let found = refused("cloth:perforate{ points = cloth:vertices{ 6, 8 }, breaks_at = 1 }");
    assert!(found.contains("these points cut nothing"), "{found}");
    let found = refused("line:perforate{ points = line:vertices{ 0 }, breaks_at = 1 }");
    assert!(found.contains("a rope is not cut at its ends"), "{found}");
    let found = refused("line:perforate{ points = cloth:row(2), breaks_at = 1 }");
    assert!(found.contains("`points` of perforate are of `sheet`, not of `line`"), "{found}");
    let found = refused("box:perforate{ points = box:all(), breaks_at = 1 }");
    assert!(found.contains("`box` is a rigid body, which cannot be perforated"), "{found}");
}
