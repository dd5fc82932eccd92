//! What callbacks change of joints: their motors and limits.

use super::super::invocation::Invocation;
use super::super::object::Object;
use super::super::options::Options;
use super::super::schema::{Args, Call, Class, Kind, Schema, When, key};
use super::super::values::number_text;
use super::joints::{MOTOR_KEYS, motor_of};
use super::world::check_changing;
use crate::scene::world::Command;
use crate::scene::{ConstraintKind, Joint, JointKind};
use mlua::Value;

static MOTOR: Schema = Schema::new("motor", "JointMotorChange", &[MOTOR_KEYS]);

static LIMITS: Schema = Schema::new(
    "limits",
    "JointLimitsChange",
    &[&[
        key("min", Kind::Number, "least [degrees, of a slider m]").words("none"),
        key("max", Kind::Number, "most; of a ball how far its axis may lean").words("none"),
    ]],
);

/// How far beyond new limits a joint may be already [degrees or m].
const ROOM: f64 = 1e-3;

pub(super) const CALLS: &[Call] = &[
    Call::new(Class::Constraint, "motor", Args::MaybeOptions(&MOTOR), motor)
        .returns("Constraint")
        .when(When::Running)
        .doc(
            "Gives a hinge, a slider or an angular joint another motor from this frame on; without keys it \
             has none any more.",
        ),
    Call::new(Class::Constraint, "limits", Args::MaybeOptions(&LIMITS), limits)
        .returns("Constraint")
        .when(When::Running)
        .doc(
            "Gives a joint other limits from this frame on, which it must be within; without keys it has \
             none any more. They count from where it took hold.",
        ),
];

/// The constraint of the scene that the call is on, its name, and the joint that it is.
fn joint(inv: &Invocation) -> mlua::Result<(usize, String, Joint)> {
    check_changing(inv)?;
    let Some(Object::Constraint(handle)) = inv.this else {
        return Err(inv.fault("this is no joint"));
    };
    let constraint = inv.cx.parts.borrow()[handle][0];
    let shot = inv.shot()?;
    let entry = &shot.scene.constraints[shot.handles[handle].constraint];
    match &entry.kind {
        ConstraintKind::Joint(joint) => Ok((constraint, entry.name.clone(), joint.clone())),
        _ => {
            let message = format!("`{}` is no joint of bodies", entry.name);
            let hint = "balls, hinges, sliders and angular joints have limits and motors";
            Err(inv.fault_hint(message, hint))
        }
    }
}

/// Refuses what leaves no turn or way.
fn check_free(inv: &Invocation, name: &str, joint: &Joint, what: &str) -> mlua::Result<()> {
    let kind = match joint.kind {
        JointKind::Fixed => "is fixed",
        JointKind::Ball if what == "motor" => "is a ball",
        JointKind::Angular if joint.limits.is_none() && joint.motor.is_none() => {
            let message = format!("`{name}` turns about no axis: it has no {what}");
            let hint = "an angular joint that is made with `limits` or a `motor` leaves the turn about \
                        its axis";
            return Err(inv.fault_hint(message, hint));
        }
        _ => return Ok(()),
    };
    Err(inv.fault(format!("`{name}` {kind} and has no {what}")))
}

fn give(inv: &Invocation, command: Command) -> mlua::Result<Value> {
    inv.cx.running.borrow_mut().commands.push(command);
    match inv.this {
        Some(Object::Constraint(handle)) => inv.give(Object::Constraint(handle)),
        _ => Ok(Value::Nil),
    }
}

fn motor(inv: &Invocation) -> mlua::Result<Value> {
    let (constraint, name, joint) = joint(inv)?;
    check_free(inv, &name, &joint, "motor")?;
    let o = inv.options_at(0, &MOTOR, false)?;
    let mut any = false;
    for key in MOTOR_KEYS {
        any |= o.given(key.name)?;
    }
    let motor = if any { motor_of(&o, joint.kind == JointKind::Slider)? } else { None };
    give(inv, Command::Drive { constraint, motor })
}

fn limits(inv: &Invocation) -> mlua::Result<Value> {
    let (constraint, name, joint) = joint(inv)?;
    check_free(inv, &name, &joint, "limits")?;
    let o = inv.options_at(0, &LIMITS, false)?;
    let limits = match (o.number("min")?, o.number("max")?) {
        (None, None) => None,
        (min, max) if joint.kind == JointKind::Ball => Some(cone(&o, min, max)?),
        (min, max) => Some((min.unwrap_or(f64::MIN), max.unwrap_or(f64::MAX))),
    };
    if let Some((low, high)) = limits {
        if low > high {
            let message = format!("`min` of limits is above `max`, {}", number_text(high));
            return Err(o.fault("min", message, None));
        }
        let at = inv.cx.running.borrow().view.constraints.get(constraint).map_or(0.0, |c| c.travel);
        if at < low - ROOM || at > high + ROOM {
            let unit = if joint.kind == JointKind::Slider { "m" } else { "degrees" };
            let message =
                format!("`{name}` is at {} {unit}, outside these limits", number_text(at));
            let hint = "bring it there by a motor first; `world:travel(joint)` says where it is";
            return Err(o.fault(if at < low { "min" } else { "max" }, message, Some(hint.into())));
        }
    }
    give(inv, Command::Limit { constraint, limits })
}

/// Limits of a ball.
fn cone(o: &Options, min: Option<f64>, max: Option<f64>) -> mlua::Result<(f64, f64)> {
    let message = "the axis of a ball leans from 0 up to `max`, above 0 and at most 170 degrees";
    match (min, max) {
        (None, Some(most)) if most > 0.0 && most <= 170.0 => Ok((0.0, most)),
        (Some(_), _) => Err(o.fault("min", message, None)),
        _ => Err(o.fault("max", message, None)),
    }
}
