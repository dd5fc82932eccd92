//! Random streams and noise.

use super::super::chance::{self, Stream};
use super::super::context::Phase;
use super::super::invocation::Invocation;
use super::super::object::Object;
use super::super::schema::{Args, Call, Class, Key, Kind, Schema, When, key};
use super::super::values::{self, describe, list};
use glam::DVec3;
use mlua::Value;
use std::cell::RefCell;
use std::rc::Rc;

pub(super) const SEED: Key = key("seed", Kind::Integer, "seed").range(-9e15, 9e15).number(1.0);

static RANDOM: Schema = Schema::new(
    "random",
    "RandomOptions",
    &[&[key("name", Kind::Text, "streams of different names are unrelated").text(""), SEED]],
);

static NUMBER: Schema = Schema::new(
    "number",
    "RandomNumberOptions",
    &[&[
        key("min", Kind::Number, "smallest number").number(0.0),
        key("max", Kind::Number, "largest number").number(1.0),
    ]],
)
.list("{ min, max }");

static INTEGER: Schema = Schema::new(
    "integer",
    "RandomIntegerOptions",
    &[&[
        key("min", Kind::Integer, "smallest number").range(-9e15, 9e15),
        key("max", Kind::Integer, "largest number").range(-9e15, 9e15),
    ]],
)
.list("{ min, max }");

const AT: Kind = Kind::Other("number|number[]");

static NOISE: Schema = Schema::new(
    "noise",
    "NoiseOptions",
    &[&[
        key("at", AT, "a time or a place").needed(),
        key("scale", Kind::Number, "size of its bumps").from(f64::MIN_POSITIVE).number(1.0),
        key("octaves", Kind::Integer, "finer bumps on top, each half the size")
            .range(1.0, 16.0)
            .number(3.0),
        SEED,
    ]],
);

pub(super) const CALLS: &[Call] = &[
    Call::new(Class::Retake, "random", Args::MaybeOptions(&RANDOM), random)
        .returns("RandomStream")
        .doc("A stream of random numbers of its own: equal names and seeds give equal numbers.")
        .when(When::Always)
        .example("local dice = retake.random{ name = \"pieces\", seed = 1 }"),
    Call::new(Class::Stream, "number", Args::MaybeOptions(&NUMBER), number)
        .returns("number")
        .doc("A number between two, as `{ min, max }` or by name; 0 to 1 without.")
        .when(When::Always)
        .example("local height = retake.random{ seed = 2 }:number{ 0.5, 1.5 }"),
    Call::new(Class::Stream, "integer", Args::Options(&INTEGER), integer)
        .returns("integer")
        .doc("A whole number, both ends included.")
        .when(When::Always)
        .example("local eye = retake.random{ seed = 2 }:integer{ 1, 6 }"),
    Call::new(Class::Stream, "pick", Args::Values(&[("list", "any[]", "a list")]), pick)
        .returns("any")
        .doc("An entry of a list.")
        .when(When::Always)
        .example("local word = retake.random{ seed = 3 }:pick{ \"red\", \"blue\" }"),
    Call::new(Class::Stream, "direction", Args::Values(&[]), direction)
        .returns("number[]")
        .doc("A unit vector, each direction equally likely.")
        .when(When::Always)
        .example("local way = retake.random{ seed = 4 }:direction()"),
    Call::new(Class::Stream, "rotation", Args::Values(&[]), rotation)
        .returns("number[]")
        .doc("A turn for `rotate`, each equally likely [degrees].")
        .when(When::Always)
        .example("local turn = retake.random{ seed = 5 }:rotation()"),
    Call::new(Class::Retake, "noise", Args::Options(&NOISE), noise)
        .returns("number")
        .doc("Smooth noise in -1..1 over time or space.")
        .when(When::Always)
        .example(
            "local rough = sheet:displaced(function(p)\n  \
             return p.x, p.y, 0.02 * retake.noise{ at = { p.x, p.y, 0 }, scale = 0.2 }\nend)",
        ),
    super::scatter::CALL,
];

fn random(inv: &Invocation) -> mlua::Result<Value> {
    let o = inv.options_at(0, &RANDOM, false)?;
    let name = o.text("name")?.unwrap_or_default();
    let stream = Stream::new(&name, o.need_integer("seed")? as u64);
    inv.give(Object::Stream(Rc::new(RefCell::new(stream)), inv.cx.phase.get()))
}

/// The stream; one of the build may not be drawn from in a callback, where it would remember.
fn stream<'a>(inv: &'a Invocation) -> mlua::Result<&'a Rc<RefCell<Stream>>> {
    match &inv.this {
        Some(Object::Stream(stream, made)) => {
            if *made == Phase::Building && inv.cx.phase.get() != Phase::Building {
                return Err(inv.fault_hint(
                    "a random stream of the script cannot be drawn from in a callback, where it \
                     would remember how often",
                    "make one in the callback: `retake.random{ name = \"x\", seed = world.frame }`",
                ));
            }
            Ok(stream)
        }
        _ => unreachable!("checked by `answer`"),
    }
}

/// `{ min, max }` as a list, where it is one.
fn listed(inv: &Invocation) -> mlua::Result<Option<[f64; 2]>> {
    let Value::Table(table) = inv.arg(0) else { return Ok(None) };
    if table.raw_len() == 0 {
        return Ok(None);
    }
    let two = values::numbers::<2>(&inv.arg(0));
    let finite = two.filter(|n| n.iter().all(|n| n.is_finite()));
    finite.map(Some).ok_or_else(|| inv.wrong_arg("two numbers { min, max }", &inv.arg(0)))
}

fn check_order(inv: &Invocation, min: f64, max: f64) -> mlua::Result<()> {
    if min <= max {
        return Ok(());
    }
    Err(inv.fault(format!("`{}` has a `min` above its `max`", inv.call.path())))
}

fn number(inv: &Invocation) -> mlua::Result<Value> {
    let stream = stream(inv)?;
    let o = inv.options_at(0, &NUMBER, false)?;
    let [min, max] = match listed(inv)? {
        Some(two) => two,
        None => [o.need_number("min")?, o.need_number("max")?],
    };
    check_order(inv, min, max)?;
    Ok(Value::Number(stream.borrow_mut().between(min, max)))
}

fn integer(inv: &Invocation) -> mlua::Result<Value> {
    let stream = stream(inv)?;
    let o = inv.options(&INTEGER)?;
    let [min, max] = match listed(inv)? {
        Some(two) if two.iter().all(|n| n.fract() == 0.0 && n.abs() <= 9e15) => two,
        Some(_) => return Err(inv.fault("`random:integer` takes two whole numbers { min, max }")),
        None => [o.need_integer("min")? as f64, o.need_integer("max")? as f64],
    };
    check_order(inv, min, max)?;
    Ok(Value::Integer(stream.borrow_mut().integer(min as i64, max as i64)))
}

fn pick(inv: &Invocation) -> mlua::Result<Value> {
    inv.at_most(1)?;
    let stream = stream(inv)?;
    match inv.arg(0) {
        Value::Table(list) if list.raw_len() > 0 => {
            let i = stream.borrow_mut().integer(1, list.raw_len() as i64);
            list.raw_get(i)
        }
        other => Err(inv.wrong_arg("a list with one entry at least", &other)),
    }
}

fn direction(inv: &Invocation) -> mlua::Result<Value> {
    inv.at_most(0)?;
    let way = stream(inv)?.borrow_mut().direction();
    list(inv.lua, way)
}

fn rotation(inv: &Invocation) -> mlua::Result<Value> {
    inv.at_most(0)?;
    let turn = stream(inv)?.borrow_mut().rotation();
    list(inv.lua, turn)
}

fn noise(inv: &Invocation) -> mlua::Result<Value> {
    let o = inv.options(&NOISE)?;
    let value = o.value("at")?;
    let at = match values::number(&value) {
        Some(t) => Some(DVec3::new(t, 0.0, 0.0)),
        None => values::vec3(&value),
    };
    // Beyond this a double cannot tell one bump from the next.
    let at = at.filter(|p| p.is_finite() && p.abs().max_element() < 1e12).ok_or_else(|| {
        o.fault(
            "at",
            format!(
                "`at` in noise must be a number or a place {{x, y, z}}, not {}",
                describe(&value)
            ),
            None,
        )
    })?;
    let scaled = at / o.need_number("scale")?;
    let octaves = o.need_integer("octaves")? as u32;
    // Between lattice points even where one coordinate is 0, as it is for times.
    let shifted = scaled + DVec3::new(0.0, 0.37, 0.61);
    Ok(Value::Number(chance::noise(shifted, octaves, o.need_integer("seed")? as u64)))
}
