//! Joints of rigid bodies.

use super::super::invocation::Invocation;
use super::super::object::Object;
use super::super::options::Options;
use super::super::schema::{Args, Call, Class, Key, Kind, Schema, key};
use super::super::values;
use super::constraints::{COMMON_OF_ONE, add, side};
use crate::scene::{Anchor, ConstraintKind, Goal, Joint, JointKind, Motor, StitchGap, StitchPair};
use glam::DVec3;
use mlua::{Table, Value};

const KINDS: &[&str] = &["ball", "hinge", "slider", "fixed", "angular", "distance", "spring"];
const ENDS: Kind = Kind::Other("Body|Spot");
const LIMITS: Kind = Kind::Other("number|number[]|{ min?: number, max?: number }");
const MOTOR_KIND: Kind = Kind::Other("AnimatedNumber|JointMotor");

const KEYS: &[Key] = &[
    key("kind", Kind::Choice(KINDS, &[]), "which motions are left").needed(),
    key("a", ENDS, "a rigid body; for a distance or a spring a place of `body:point`").needed(),
    key("b", ENDS, "another, a collider, or a place of `body:point`").words("the world"),
    key(
        "about",
        Kind::Vec3,
        "where the joint is; of a distance or a spring without `b` the place of the world that it holds to",
    )
    .unit("m")
    .words("where `a` stands"),
    key(
        "axis",
        Kind::Vec3,
        "axis of a hinge or a slider, of a ball's cone, of the turn that a limited or driven angular \
         joint leaves",
    )
    .words("{0, 1, 0}"),
    key(
        "limits",
        LIMITS,
        "how far it may go from where it takes hold: {least, most} of a hinge or an angular joint \
         [degrees] and of a slider [m]; of a ball how far its axis may lean [degrees]; of a distance \
         {min, max} [m] in place of `length`",
    ),
    key(
        "twist",
        Kind::Other("number|number[]"),
        "how far a ball may turn about its axis, however that leans: {least, most}, or as much to either side",
    )
    .unit("degrees"),
    key(
        "motor",
        MOTOR_KIND,
        "what turns a hinge or an angular joint or slides a slider: a speed [degrees/s or m/s], or a \
         table",
    ),
    key(
        "damping",
        Kind::Number,
        "moment or force against its motion [N m s/rad of turns, N s/m of a slider, a distance or a \
         spring]",
    )
    .from(0.0)
    .number(0.0),
    key("length", Kind::Number, "length of a distance or a spring")
        .unit("m")
        .from(0.0)
        .words("the distance at the start"),
    key(
        "weight",
        Kind::Number,
        "how much it holds, 0 not at all: a part w of `stiffness`; without one as springs of \
         100 w / (1 - w) newtons a metre at its places, 1 exactly. Not of its limits and its motor",
    )
    .range(0.0, 1.0),
    key("collides", Kind::Bool, "whether the two bodies touch each other").flag(false),
];

static JOINT: Schema = Schema::new("joint", "JointOptions", &[KEYS, COMMON_OF_ONE]);

const NOT_NEGATIVE: &str = "what it gives at most; left out: whatever it takes";

/// The table of `motor`.
pub(in crate::director) static MOTOR: Schema = Schema::new("motor", "JointMotor", &[MOTOR_KEYS]);

pub(super) const MOTOR_KEYS: &[Key] = &[
    key("speed", Kind::Curve, "speed to keep [degrees/s, of a slider m/s]"),
    key("angle", Kind::Curve, "turn to go to from where it took hold").unit("degrees"),
    key("position", Kind::Curve, "place that a slider is to go to from where it took hold")
        .unit("m"),
    key("max_torque", Kind::Number, NOT_NEGATIVE).unit("N m").from(0.0),
    key("max_force", Kind::Number, NOT_NEGATIVE).unit("N").from(0.0),
    key(
        "stiffness",
        Kind::Number,
        "draws it to the angle [N m/rad] or the position [N/m] as a spring; left out: exact",
    )
    .from(f64::MIN_POSITIVE),
    key("damping", Kind::Number, "of that spring [N m s/rad or N s/m]").from(0.0).number(0.0),
];

static SPAN: Schema = Schema::new(
    "limits",
    "JointLimits",
    &[&[key("min", Kind::Number, "least"), key("max", Kind::Number, "most")]],
);

pub(super) const CALL: Call = Call::new(Class::Shot, "joint", Args::Options(&JOINT), joint)
    .returns("Constraint")
    .doc(
        "Joins a rigid body with another, a collider or the world where they stand at the start. A \
         ball leaves all turns, a hinge the turn about its axis, a slider the way along it, angular \
         all ways, fixed nothing; a distance or a spring holds two places, or one to the world. Turns are right-handed \
         about the axis, of `a` against `b`. A collider that deforms holds by the triangle that is \
         nearest to `about`, and turns with it.",
    )
    .example(
        "local door = shot:rigid{ mesh = retake.mesh.box{ size = { 0.9, 2, 0.04 } }, translate = { 0, 1.1, 9 } }\n\
         shot:joint{\n  kind = \"hinge\", a = door, about = { -0.45, 1.1, 9 }, axis = { 0, 1, 0 },\n  \
         limits = { -90, 10 }, damping = 0.2, motor = { speed = -40, max_torque = 5 },\n}",
    );

/// What a kind of joint has.
struct Has {
    kind: JointKind,
    axis: bool,
    limits: bool,
    motor: bool,
    damping: bool,
}

impl Has {
    fn of(word: &str) -> Option<Self> {
        let has =
            |kind, axis, limits, motor, damping| Some(Self { kind, axis, limits, motor, damping });
        match word {
            "hinge" => has(JointKind::Hinge, true, true, true, true),
            "slider" => has(JointKind::Slider, true, true, true, true),
            "angular" => has(JointKind::Angular, true, true, true, false),
            "ball" => has(JointKind::Ball, true, true, false, true),
            "fixed" => has(JointKind::Fixed, false, false, false, false),
            _ => None,
        }
    }
}

fn joint(inv: &Invocation) -> mlua::Result<Value> {
    let o = inv.options(&JOINT)?;
    let word = o.choice("kind")?.unwrap_or_default();
    one_weight(&o)?;
    let Some(has) = Has::of(&word) else { return two_places(&o, &word) };
    refuse(&o, &word, &["length"])?;
    let optional = [
        ("axis", has.axis),
        ("limits", has.limits),
        ("motor", has.motor),
        ("damping", has.damping),
    ];
    for (key, _) in optional.iter().filter(|(_, has)| !has) {
        refuse(&o, &word, &[key])?;
    }
    let (a, b) = (body(&o, "a")?, body(&o, "b")?);
    let Some(a) = a else { return Err(inv.fault("a joint needs `a`")) };
    let start = {
        let shot = inv.shot()?;
        shot.scene.bodies[a].pose_at(shot.start_time()).0
    };
    let given = o.vec3("axis")?.unwrap_or(DVec3::Y);
    let Some(axis) = given.try_normalize() else {
        return Err(o.wrong("axis", "a direction other than zero", &o.value("axis")?));
    };
    if has.kind != JointKind::Ball {
        refuse(&o, &word, &["twist"])?;
    }
    let (limits, motor) = (limits(&o, has.kind)?, motor(&o, has.kind == JointKind::Slider)?);
    let twist = twist(&o)?;
    let bare = limits.is_none() && motor.is_none() && twist.is_none();
    if bare && matches!(has.kind, JointKind::Angular | JointKind::Ball) && o.given("axis")? {
        let limits = if has.kind == JointKind::Ball { "`limits` or `twist`" } else { "`limits`" };
        let message = format!("a joint of kind \"{word}\" has no `axis` without {limits}");
        return Err(o.fault("axis", message, None));
    }
    let joint = Joint {
        kind: has.kind,
        a,
        b,
        about: o.vec3("about")?.unwrap_or(start),
        axis,
        collides: o.need_flag("collides")?,
        limits,
        twist,
        motor,
        damping: o.need_number("damping")?,
    };
    add(&o, "joint", ConstraintKind::Joint(joint))
}

/// `limits` of a joint of bodies.
fn limits(o: &Options, kind: JointKind) -> mlua::Result<Option<(f64, f64)>> {
    let value = o.value("limits")?;
    if value.is_nil() {
        return Ok(None);
    }
    let (low, high) = if kind == JointKind::Ball {
        // A cone of 180 degrees is none; near it, the axis has no nearest way back.
        match values::number(&value).filter(|n| *n > 0.0 && *n <= 170.0) {
            Some(most) => (0.0, most),
            None => {
                let expected = "how far the axis may lean, above 0 and at most 170 degrees";
                return Err(o.wrong("limits", expected, &value));
            }
        }
    } else {
        span(o, &value)?
    };
    if low > 0.0 || high < 0.0 {
        let message = "`limits` of a joint must hold 0, where it takes hold";
        let hint = "they are counted from how the two bodies stand then";
        return Err(o.fault("limits", message, Some(hint.into())));
    }
    Ok(Some((low, high)))
}

/// `twist` of a ball.
fn twist(o: &Options) -> mlua::Result<Option<(f64, f64)>> {
    let value = o.value("twist")?;
    let pair = match (&value, values::number(&value)) {
        (Value::Nil, _) => return Ok(None),
        (_, Some(most)) => Some((-most, most)),
        (Value::Table(table), None) => listed(table)?,
        _ => None,
    };
    // A turn counts within half a turn to either side.
    let fits = |(low, high): &(f64, f64)| {
        (-170.0..=0.0).contains(low) && (0.0..=170.0).contains(high) && low < high
    };
    let expected = "{least, most} around 0, or a number, from -170 to 170 degrees";
    pair.filter(fits).map(Some).ok_or_else(|| o.wrong("twist", expected, &value))
}

/// `{least, most}`, or `{ min, max }` of which one may be left out.
fn span(o: &Options, value: &Value) -> mlua::Result<(f64, f64)> {
    let wrong = || o.wrong("limits", "{least, most} in order", value);
    let Value::Table(table) = value else { return Err(wrong()) };
    let (low, high) = match listed(table)? {
        Some(pair) => pair,
        None if table.raw_len() == 0 => {
            let Some(own) = o.table_as("limits", &SPAN)? else { return Err(wrong()) };
            let (min, max) = (own.number("min")?, own.number("max")?);
            (min.unwrap_or(f64::MIN), max.unwrap_or(f64::MAX))
        }
        None => return Err(wrong()),
    };
    if low <= high { Ok((low, high)) } else { Err(wrong()) }
}

fn listed(table: &Table) -> mlua::Result<Option<(f64, f64)>> {
    if table.raw_len() != 2 {
        return Ok(None);
    }
    let entry = |i: i64| -> mlua::Result<Option<f64>> { Ok(values::number(&table.raw_get(i)?)) };
    Ok(entry(1)?.zip(entry(2)?))
}

/// `motor`: a speed, or a table.
fn motor(o: &Options, slides: bool) -> mlua::Result<Option<Motor>> {
    let value = o.value("motor")?;
    if value.is_nil() {
        return Ok(None);
    }
    if !matches!(value, Value::Table(_)) {
        return Ok(o.curve("motor")?.map(|speed| Motor { goal: Goal::Speed(speed), most: None }));
    }
    let Some(own) = o.table_as("motor", &MOTOR)? else { return Ok(None) };
    motor_of(&own, slides)
}

/// The motor that a table is.
pub(super) fn motor_of(own: &Options, slides: bool) -> mlua::Result<Option<Motor>> {
    let (place, other_place, most, other_most) = if slides {
        ("position", "angle", "max_force", "max_torque")
    } else {
        ("angle", "position", "max_torque", "max_force")
    };
    for (other, right) in [(other_place, place), (other_most, most)] {
        if own.given(other)? {
            let what = if slides { "a slider" } else { "what turns" };
            let message = format!("the motor of {what} has no `{other}`");
            return Err(own.fault(other, message, Some(format!("write `{right}`"))));
        }
    }
    let (speed, to) = (own.given("speed")?, own.given(place)?);
    if speed == to {
        let message = format!("a motor takes either `speed` or `{place}`");
        return Err(own.fault(place, message, None));
    }
    if !own.given("stiffness")? && own.given("damping")? || speed && own.given("stiffness")? {
        let message = format!("`stiffness` and `damping` of a motor go with `{place}`");
        let hint =
            "the joint itself has a `damping` too; a speed is kept as far as the motor is strong";
        let key = if own.given("damping")? { "damping" } else { "stiffness" };
        return Err(own.fault(key, message, Some(hint.into())));
    }
    let most = own.number(most)?;
    let curve = own.curve(if speed { "speed" } else { place })?;
    let goal = curve.map(|curve| -> mlua::Result<Goal> {
        Ok(match own.number("stiffness")? {
            _ if speed => Goal::Speed(curve),
            Some(stiffness) => {
                Goal::Spring { place: curve, stiffness, damping: own.need_number("damping")? }
            }
            None => Goal::Place(curve),
        })
    });
    Ok(goal.transpose()?.map(|goal| Motor { goal, most }))
}

/// One end of a joint that takes bodies.
fn body(o: &Options, key: &str) -> mlua::Result<Option<usize>> {
    if let Some(Object::Spot(..)) = Object::from_value(&o.value(key)?) {
        let message = format!("`{key}` in joint is a place; only a distance or a spring takes one");
        return Err(o.fault(key, message, Some("name the body, and the place as `about`".into())));
    }
    o.body(key)
}

/// Refuses weights and stiffnesses from point to point.
fn one_weight(o: &Options) -> mlua::Result<()> {
    let hint = "it joins two bodies and has no points that could differ";
    let value = o.value("weight")?;
    if !matches!(value, Value::Nil | Value::Integer(_) | Value::Number(_)) {
        let given = values::describe(&value);
        let message = format!("`weight` of a joint is one number, not {given}");
        return Err(o.fault("weight", message, Some(hint.into())));
    }
    let value = o.value("stiffness")?;
    let is_map = matches!(Object::from_value(&value), Some(Object::Map(_)));
    if is_map || matches!(value, Value::Table(_)) {
        let given = values::describe(&value);
        let message = format!("`stiffness` of a joint is a number or a curve, not {given}");
        return Err(o.fault("stiffness", message, Some(hint.into())));
    }
    Ok(())
}

/// Keys that a kind of joint has no use for.
fn refuse(o: &Options, word: &str, keys: &[&str]) -> mlua::Result<()> {
    for key in keys {
        if o.given(key)? {
            return Err(o.fault(key, format!("a joint of kind \"{word}\" has no `{key}`"), None));
        }
    }
    Ok(())
}

/// A distance or a spring: a stitch of one pair.
fn two_places(o: &Options, word: &str) -> mlua::Result<Value> {
    refuse(o, word, &["axis", "collides", "motor", "twist"])?;
    if word == "spring" {
        refuse(o, word, &["limits"])?;
        if !o.given("stiffness")? {
            return Err(o.fault("stiffness", "a spring needs `stiffness`", None));
        }
    }
    let one = |name: &str| -> mlua::Result<(Anchor, DVec3)> {
        let [only] = side(o, name)?[..] else {
            let message = format!("a {word} holds one place to one other");
            return Err(o.fault(name, message, Some("take `body:point{ x, y, z }`".into())));
        };
        Ok(only)
    };
    let (from, start) = one("a")?;
    let b = if o.given("b")? { Some(one("b")?.0) } else { None };
    if b.is_some() && o.given("about")? {
        let message = format!("a {word} of two places has no `about`");
        let hint = "`about` is the place of the world that it holds to where `b` is left out";
        return Err(o.fault("about", message, Some(hint.into())));
    }
    let limits = o.value("limits")?;
    let gap = if limits.is_nil() {
        o.number("length")?.map_or(StitchGap::Keep, StitchGap::Length)
    } else {
        if o.given("length")? {
            return Err(o.fault("limits", "`length` and `limits` exclude each other", None));
        }
        let (least, most) = span(o, &limits)?;
        if most < 0.0 {
            return Err(o.wrong("limits", "lengths of at least 0", &limits));
        }
        StitchGap::Between(least.max(0.0), most)
    };
    let damping = o.need_number("damping")?;
    let Some(b) = b else {
        if o.inv.shot()?.scene.bodies[from.body].is_collider() {
            let message = format!("a {word} needs a place that can move: `a` is of a collider");
            return Err(o.fault("a", message, None));
        }
        let to = o.vec3("about")?.unwrap_or(start);
        return add(o, word, ConstraintKind::Tether { from, to, gap, damping });
    };
    add(o, word, ConstraintKind::Stitch { pairs: vec![StitchPair { a: from, b }], gap, damping })
}
