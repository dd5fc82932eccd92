//! What callbacks see of a frame, and what they may ask for.

use super::super::context::Phase;
use super::super::invocation::{Invocation, context};
use super::super::object::Object;
use super::super::schema::{Args, Call, Class, Key, Kind, Schema, When, key};
use super::super::select;
use super::super::values::list;
use crate::diagnostics::nearest;
use crate::scene::world::{BodyView, Command, ConstraintView, ContactView};
use mlua::{Lua, MultiValue, Table, Value};

/// Registry name of `world.memory` while callbacks run.
pub(in crate::director) const MEMORY: &str = "retake.memory";

const PAIR: &[(&str, &str, &str)] =
    &[("a", "BodyRef", "bodies of one side"), ("b", "BodyRef", "bodies of the other side")];
const CONSTRAINT: &[(&str, &str, &str)] =
    &[("constraint", "Constraint|string", "a constraint or its name")];

const EVENT_KEYS: &[Key] = &[
    key("name", Kind::Text, "what happened").needed(),
    key("body", Kind::Body, "to which body").needed(),
];

static EVENT: Schema = Schema::new("event", "EventOptions", &[EVENT_KEYS]);

static STOP: Schema = Schema::new(
    "stop",
    "StopOptions",
    &[&[key("reason", Kind::Text, "why, for the report").text("")]],
);

static PUSH: Schema = Schema::new(
    "push",
    "PushOptions",
    &[&[
        key("impulse", Kind::Vec3, "the whole push, at once").unit("N s").words("none"),
        key("force", Kind::Vec3, "a force that acts until the next frame").unit("N").words("none"),
        key("points", Kind::Points, "points of the body that share it evenly")
            .words("all of it goes the same way"),
    ]],
);

const fn look(
    name: &'static str,
    args: &'static [(&'static str, &'static str, &'static str)],
    run: super::super::schema::One,
) -> Call {
    Call::new(Class::World, name, Args::Values(args), run).when(When::Running)
}

const fn of_body(name: &'static str, run: super::super::schema::One) -> Call {
    Call::new(Class::WorldBody, name, Args::Values(&[]), run).when(When::Running)
}

pub(super) const CALLS: &[Call] = &[
    look("body", &[("body", "BodyRef", "a body or its name")], body)
        .returns("WorldBody")
        .doc("A body as it is in this frame. `world.frame`, `world.time` [s] and `world.memory` are plain values."),
    look("contacts", PAIR, contacts)
        .returns("integer")
        .doc("How many places of two bodies, names or groups touch."),
    look("impulse", PAIR, impulse)
        .returns("number")
        .doc("Sum of their normal impulses since the frame before [N s]."),
    look("reaction", CONSTRAINT, reaction)
        .returns("number")
        .doc("The force that a constraint holds with [N]."),
    look("torque", CONSTRAINT, torque)
        .returns("number")
        .doc("The moment that a joint holds and drives with about where it is [N m]."),
    look("apart", CONSTRAINT, apart).returns("number").doc(
        "How far what a joint or a stitch holds exactly is from where it should be, at the worst of \
         its places [m].",
    ),
    look("drive", CONSTRAINT, drive)
        .returns("number")
        .doc("What the motor of a joint drives with, in the sense of its axis [N m, of a slider N]."),
    look("travel", CONSTRAINT, travel).returns("number").doc(
        "How far a joint has gone since it took hold: a hinge turned or a ball leant [degrees], a \
         slider slid [m].",
    ),
    look("broken", CONSTRAINT, broken)
        .returns("boolean")
        .doc("Whether any part of a constraint has broken."),
    Call::new(Class::World, "event", Args::Options(&EVENT), event)
        .when(When::Running)
        .doc("Writes a line into events.jsonl."),
    Call::new(Class::World, "stop", Args::MaybeOptions(&STOP), stop)
        .when(When::Running)
        .doc("Ends the shot after this frame."),
    of_body("position", position).returns("number[]").doc("Centre of mass [m]."),
    of_body("rotation", rotation)
        .returns("number[]")
        .doc("Turn about x, then y, then z [degrees]; zero for a cloth."),
    of_body("up", up).returns("number[]").doc("Its own Y axis in the world."),
    of_body("velocity", velocity).returns("number[]").doc("Mean velocity [m/s]."),
    of_body("spin", spin).returns("number[]").doc("Spin [degrees/s]."),
    Call::several(Class::WorldBody, "bounds", Args::Values(&[]), bounds)
        .when(When::Running)
        .returns("number[], number[]")
        .doc("Smallest and largest corner [m]."),
    of_body("stretch", stretch)
        .returns("number")
        .doc("Stretch of a cloth's edges, rms; 0.01 is one per cent."),
    of_body("fastest", fastest).returns("number").doc("Largest speed of a vertex [m/s]."),
    Call::new(Class::WorldBody, "push", Args::Options(&PUSH), push)
        .when(When::Running)
        .doc(
            "Pushes it by an `impulse` at once or by a `force` until the next frame: the whole of it, or \
             at points, which may make it spin.",
        ),
];

/// A plain value of the world; none where `name` is no such field.
pub(in crate::director) fn field(lua: &Lua, name: &str) -> mlua::Result<Option<Value>> {
    let cx = context(lua);
    if !matches!(name, "frame" | "time" | "memory") {
        return Ok(None);
    }
    if cx.phase.get() == Phase::Building {
        let message = "the world can only be seen in a callback";
        let problem = crate::diagnostics::Diagnostic::error(message);
        return Err(super::super::invocation::raise(lua, problem));
    }
    let running = cx.running.borrow();
    Ok(Some(match name {
        "frame" => Value::Integer(i64::from(running.view.frame)),
        "time" => Value::Number(running.view.time),
        _ => Value::Table(lua.named_registry_value::<Table>(MEMORY)?),
    }))
}

/// Argument `i` as bodies.
fn bodies(inv: &Invocation, i: usize) -> mlua::Result<Vec<usize>> {
    select::bodies(inv, &inv.arg(i)).map_err(|fault| match fault {
        select::Fault::Kind(given) => {
            inv.fault(format!("`{}` takes bodies, names or groups, not {given}", inv.call.path()))
        }
        select::Fault::Name(message, Some(hint)) => inv.fault_hint(message, hint),
        select::Fault::Name(message, None) => inv.fault(message),
        select::Fault::Lua(error) => error,
    })
}

fn body(inv: &Invocation) -> mlua::Result<Value> {
    inv.at_most(1)?;
    match bodies(inv, 0)?.as_slice() {
        [one] => inv.give(Object::WorldBody(*one)),
        more => Err(inv.fault(format!("`world:body` takes one body, not {}", more.len()))),
    }
}

/// Sum over the touching pairs between both sides.
fn sum(inv: &Invocation, of: impl Fn(&ContactView) -> f64) -> mlua::Result<f64> {
    inv.at_most(2)?;
    let (a, b) = (bodies(inv, 0)?, bodies(inv, 1)?);
    let between = |c: &&ContactView| {
        (a.contains(&c.a) && b.contains(&c.b)) || (a.contains(&c.b) && b.contains(&c.a))
    };
    Ok(inv.cx.running.borrow().view.contacts.iter().filter(between).map(of).sum())
}

fn contacts(inv: &Invocation) -> mlua::Result<Value> {
    Ok(Value::Integer(sum(inv, |c| f64::from(c.count))? as i64))
}

fn impulse(inv: &Invocation) -> mlua::Result<Value> {
    Ok(Value::Number(sum(inv, |c| c.impulse)?))
}

/// The constraints of the scene that argument 0 stands for.
fn constraints(inv: &Invocation) -> mlua::Result<Vec<usize>> {
    inv.at_most(1)?;
    match (inv.arg(0), Object::from_value(&inv.arg(0))) {
        (_, Some(Object::Constraint(i))) => Ok(inv.cx.parts.borrow()[i].clone()),
        (Value::String(name), _) => {
            let name = name.to_string_lossy();
            let shot = inv.shot()?;
            let handles = &shot.handles;
            let names = handles.iter().map(|h| shot.scene.constraints[h.constraint].name.as_str());
            if let Some(i) = names.clone().position(|n| n == name) {
                return Ok(inv.cx.parts.borrow()[i].clone());
            }
            let message = format!("there is no constraint called `{name}`");
            Err(match nearest(&name, names) {
                Some(near) => inv.fault_hint(message, format!("did you mean `{near}`?")),
                None => inv.fault(message),
            })
        }
        (other, _) => Err(inv.wrong_arg("a constraint or its name", &other)),
    }
}

/// Sum over the constraints that argument 0 stands for.
fn sum_of(inv: &Invocation, of: fn(&ConstraintView) -> f64) -> mlua::Result<Value> {
    let all = constraints(inv)?;
    let running = inv.cx.running.borrow();
    let views = all.iter().filter_map(|i| running.view.constraints.get(*i));
    Ok(Value::Number(views.map(of).sum()))
}

fn reaction(inv: &Invocation) -> mlua::Result<Value> {
    sum_of(inv, |c| c.reaction)
}

fn torque(inv: &Invocation) -> mlua::Result<Value> {
    sum_of(inv, |c| c.torque)
}

fn apart(inv: &Invocation) -> mlua::Result<Value> {
    let all = constraints(inv)?;
    let running = inv.cx.running.borrow();
    let views = all.iter().filter_map(|i| running.view.constraints.get(*i));
    Ok(Value::Number(views.fold(0.0, |most, c| most.max(c.apart))))
}

fn drive(inv: &Invocation) -> mlua::Result<Value> {
    sum_of(inv, |c| c.drive)
}

fn travel(inv: &Invocation) -> mlua::Result<Value> {
    sum_of(inv, |c| c.travel)
}

fn broken(inv: &Invocation) -> mlua::Result<Value> {
    let all = constraints(inv)?;
    let running = inv.cx.running.borrow();
    let mut views = all.iter().filter_map(|i| running.view.constraints.get(*i));
    Ok(Value::Boolean(views.any(|c| c.broken)))
}

/// Refuses what changes something in a measure.
pub(super) fn check_changing(inv: &Invocation) -> mlua::Result<()> {
    if inv.cx.phase.get() == Phase::Frame {
        return Ok(());
    }
    Err(inv
        .fault_hint("a measure may look and not touch", "use `shot:on_frame` to change something"))
}

fn event(inv: &Invocation) -> mlua::Result<Value> {
    check_changing(inv)?;
    let o = inv.options(&EVENT)?;
    let name = o.text("name")?.unwrap_or_default();
    let body = o.body("body")?.unwrap_or_default();
    let body = inv.shot()?.scene.bodies[body].name.clone();
    inv.cx.running.borrow_mut().events.push((name, body));
    Ok(Value::Nil)
}

fn push(inv: &Invocation) -> mlua::Result<Value> {
    check_changing(inv)?;
    let o = inv.options(&PUSH)?;
    let (body, impulse, force) = (inv.body(), o.vec3("impulse")?, o.vec3("force")?);
    if impulse.is_none() && force.is_none() {
        return Err(inv.fault("push needs `impulse` (N s) or `force` (N)"));
    }
    if inv.shot()?.scene.bodies[body].is_collider() {
        let message = "a collider goes where its curves say and cannot be pushed";
        return Err(inv.fault_hint(message, "make it a `shot:rigid`, or move it by `translate`"));
    }
    let mut points = Vec::new();
    for group in o.points("points")?.iter().flat_map(|groups| groups.iter()) {
        if group.body != body {
            return Err(o.fault("points", "`points` of push are of another body", None));
        }
        points.extend(&group.vertices);
    }
    let commands = &mut inv.cx.running.borrow_mut().commands;
    if let Some(impulse) = impulse {
        commands.push(Command::Push { body, points: points.clone(), impulse });
    }
    if let Some(force) = force {
        commands.push(Command::Force { body, points, force });
    }
    inv.give(Object::WorldBody(body))
}

fn stop(inv: &Invocation) -> mlua::Result<Value> {
    check_changing(inv)?;
    let o = inv.options_at(0, &STOP, false)?;
    let reason = o.text("reason")?.unwrap_or_default();
    inv.cx.running.borrow_mut().stop.get_or_insert(reason);
    Ok(Value::Nil)
}

fn view(inv: &Invocation) -> mlua::Result<BodyView> {
    inv.at_most(0)?;
    let found = inv.cx.running.borrow().view.bodies.get(inv.body()).cloned();
    found.ok_or_else(|| inv.fault("this frame does not know the body"))
}

fn position(inv: &Invocation) -> mlua::Result<Value> {
    list(inv.lua, view(inv)?.position)
}

fn rotation(inv: &Invocation) -> mlua::Result<Value> {
    list(inv.lua, view(inv)?.rotation)
}

fn up(inv: &Invocation) -> mlua::Result<Value> {
    list(inv.lua, view(inv)?.up)
}

fn velocity(inv: &Invocation) -> mlua::Result<Value> {
    list(inv.lua, view(inv)?.velocity)
}

fn spin(inv: &Invocation) -> mlua::Result<Value> {
    list(inv.lua, view(inv)?.spin)
}

fn bounds(inv: &Invocation) -> mlua::Result<MultiValue> {
    let (low, high) = view(inv)?.bounds;
    Ok(MultiValue::from_iter([list(inv.lua, low)?, list(inv.lua, high)?]))
}

fn stretch(inv: &Invocation) -> mlua::Result<Value> {
    Ok(Value::Number(view(inv)?.stretch))
}

fn fastest(inv: &Invocation) -> mlua::Result<Value> {
    Ok(Value::Number(view(inv)?.fastest))
}
