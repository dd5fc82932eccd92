//! Forces of callbacks, and what they change of joints: they act from their frame on, and a run that is taken up is
//! the same run.

use crate::scripted::{build, near, start};
use crate::{pose, positions};
use retake::director::Director;
use retake::sim::Simulation;
use std::sync::atomic::AtomicBool;

/// Runs so many frames with their callbacks.
fn directed(simulation: &mut Simulation, director: &mut Director, frames: u32) {
    let quiet = AtomicBool::new(false);
    for _ in 0..frames {
        let calls = director.on_frame(&simulation.view()).unwrap_or_else(|p| panic!("{p}"));
        simulation.advance(&calls.commands, &quiet).expect("the shot goes on");
    }
}

/// A script after so many frames; taken up after two thirds of them it is the same to the byte.
fn ran(text: &str, frames: u32) -> Simulation {
    let mut built = build(text).unwrap_or_else(|p| panic!("{p}"));
    let mut whole = start(&built.scene);
    let before = frames * 2 / 3;
    directed(&mut whole, &mut built.director, before);
    let (saved, memory) = (whole.save(), built.director.memory());
    directed(&mut whole, &mut built.director, frames - before);
    let mut again = build(text).unwrap_or_else(|p| panic!("{p}"));
    let mut resumed = start(&again.scene);
    resumed.restore(&saved).unwrap();
    again.director.set_memory(memory);
    directed(&mut resumed, &mut again.director, frames - before);
    assert_eq!(resumed.state_hash(), whole.state_hash());
    whole
}

/// What a callback is refused with at the first frame.
fn refused(text: &str) -> String {
    let mut built = build(text).unwrap_or_else(|p| panic!("{p}"));
    let simulation = start(&built.scene);
    let problem = built.director.on_frame(&simulation.view());
    problem.expect_err("it is refused").to_string()
}

const FLOATING: &str =
    "local shot = retake.shot{ name = 'a', duration = 3, gravity = { 0, 0, 0 } }\n";

/// 3 N on 2 kg for half a second are 0.75 m/s, whatever the steps; beside its centre the force turns it as well.
#[test]
fn a_force_acts_until_the_next_frame() {
    let pushed = |points: &str| {
        let text = format!(
            "{FLOATING}local box = shot:rigid{{ name = 'box', mesh = retake.mesh.box{{ size = 0.2 }}, mass = 2 }}
            shot:on_frame(function(frame, world)
              if world.time < 0.499 then world:body(box):push{{ force = {{ 3, 0, 0 }}{points} }} end
            end)"
        );
        ran(&text, 24).view().bodies[0].clone()
    };
    let straight = pushed("");
    near("speed", straight.velocity.x, 0.75, 1e-6);
    near("way", straight.position.x, 0.5 * 0.75 * 0.5 + 0.5 * 0.75, 0.05);
    assert!(straight.spin.length() < 1e-9, "{}", straight.spin);
    let turned = pushed(", points = box:vertices{ 7 }");
    near("speed", turned.velocity.x, 0.75, 1e-6);
    assert!(turned.spin.length() > 30.0, "{}", turned.spin);
}

/// A cloth of 80 g is held up by its own weight, and falls once nothing holds it.
#[test]
fn a_force_holds_a_cloth_up() {
    let text = "local shot = retake.shot{ name = 'a', duration = 3 }
        local sheet = shot:cloth{ mesh = retake.mesh.grid{ size = 0.4, vertices = 5, normal = { 0, 1, 0 } }, material = retake.material.membrane{ density = 0.5 } }
        shot:on_frame(function(frame, world)
          if world.time < 0.99 then world:body(sheet):push{ force = { 0, 0.08 * 9.81, 0 } } end
        end)";
    let y = positions(&ran(text, 24), 0)[0].y;
    assert!(y.abs() < 1e-6, "{y}");
    let y = positions(&ran(text, 36), 0)[0].y;
    near("fall", -y, 0.5 * 9.81 * 0.25, 0.1);
}

const DOOR: &str = "local shot = retake.shot{ name = 'a', duration = 4, gravity = { 0, 0, 0 } }
    local door = shot:rigid{ name = 'door', mesh = retake.mesh.box{ size = { 0.9, 2, 0.04 } } }
    local hinge = shot:joint{ kind = 'hinge', a = door, about = { -0.45, 0, 0 }, axis = { 0, 1, 0 } }\n";

/// It turns at 40 degrees a second for a second, back at 20 for another, and then is let go.
#[test]
fn a_motor_is_given_and_taken() {
    let text = format!(
        "{DOOR}shot:on_frame(function(frame, world)
          if frame == 1 then hinge:motor{{ speed = 40 }} end
          if frame == 25 then hinge:motor{{ speed = -20, max_torque = 1e4 }} end
          if frame == 49 then hinge:motor{{}} end
        end)"
    );
    let at = |frames: u32| {
        let simulation = ran(&text, frames);
        let view = simulation.view().constraints[0];
        (view.travel, view.drive)
    };
    near("a second", at(24).0, 40.0, 0.02);
    near("two seconds", at(48).0, 20.0, 0.05);
    let (travel, drive) = at(72);
    near("free", travel, 0.0001_f64.max(travel), 0.02);
    assert!(drive == 0.0 && travel < 5.0, "{travel} {drive}");
}

/// A ratchet: what the door has gone back it cannot go forward again.
#[test]
fn limits_are_given_and_taken() {
    let text = format!(
        "{DOOR}shot:on_frame(function(frame, world)
          if frame == 1 then hinge:motor{{ speed = 40, max_torque = 300 }}; hinge:limits{{ min = -5, max = 20 }} end
          if frame == 37 then hinge:limits{{}} end
        end)"
    );
    let travel = |frames: u32| ran(&text, frames).view().constraints[0].travel;
    near("at its limit", travel(36), 20.0, 0.02);
    near("let go", travel(60), 60.0, 0.1);
    let simulation = ran(&text, 36);
    let (place, _) = pose(&simulation, 0);
    assert!(place.is_finite());
}

#[test]
fn what_cannot_be_changed_is_said() {
    let ball = "local shot = retake.shot{ name = 'a', duration = 1 }
        local one = shot:rigid{ mesh = retake.mesh.box{ size = 0.1 } }
        local free = shot:joint{ kind = 'ball', a = one }
        local stiff = shot:joint{ kind = 'angular', a = one }
        local line = shot:joint{ kind = 'distance', a = one:point{ 0, 1, 0 } }\n";
    for (head, call, expected) in [
        (
            DOOR,
            "hinge:limits{ min = 5, max = 20 }",
            "`joint 1` is at 0 degrees, outside these limits",
        ),
        (DOOR, "hinge:limits{ min = 5, max = -20 }", "`min` of limits is above `max`"),
        (DOOR, "hinge:motor{ position = 1 }", "the motor of what turns has no `position`"),
        (DOOR, "world:body(door):push{}", "push needs `impulse` (N s) or `force` (N)"),
        (ball, "free:motor{ speed = 1 }", "`joint 1` is a ball and has no motor"),
        (ball, "free:limits{ min = 1 }", "the axis of a ball leans from 0 up to `max`"),
        (ball, "stiff:motor{ speed = 1 }", "`joint 2` turns about no axis"),
        (ball, "line:limits{ max = 1 }", "is no joint of bodies"),
    ] {
        let found = refused(&format!("{head}shot:on_frame(function(frame, world) {call} end)"));
        assert!(found.contains(expected), "{call}: {found}");
    }
}

/// A sheet hangs on a block by its upper edge, and is let go point by point.
#[test]
fn points_that_ride_are_let_go_one_by_one() {
    let text = "local shot = retake.shot{ name = 'a', duration = 2 }
        local block = shot:rigid{ name = 'block', mesh = retake.mesh.box{ size = { 0.6, 0.05, 0.05 } }, translate = { 0, 0.3, 0 } }
        shot:joint{ kind = 'fixed', a = block }
        local sheet = shot:cloth{ name = 'sheet', mesh = retake.mesh.grid{ size = 0.5, vertices = 5 } }
        local hold = shot:attach{ points = sheet:edge 'top', to = block }
        shot:on_frame(function(frame, world)
          if frame == 7 then hold:release{ points = sheet:vertices{ 0, 1, 2 } } end
        end)";
    let simulation = ran(text, 24);
    let sheet = positions(&simulation, 1);
    assert!(sheet[0].y < 0.2, "{}", sheet[0]);
    assert!((3..5).all(|i| (sheet[i].y - 0.25).abs() < 2e-3), "{:?}", &sheet[..5]);
}
