//! Keyframes, paths, and numbers of Z-up worlds.

use super::super::invocation::Invocation;
use super::super::object::{Keys, KeysOf, Object};
use super::super::schema::{Args, Call, Class, Kind, Schema, When, key};
use super::super::values::{self, describe, list, number_text};
use crate::diagnostics::{Diagnostic, nearest};
use crate::math::{Curve, Ease, Key};
use glam::DVec3;
use mlua::{Table, Value};
use std::rc::Rc;

static KEYS: Schema = Schema::new(
    "keys",
    "KeysOptions",
    &[&[key("loop", Kind::Bool, "repeats from the last key").flag(false)]],
)
.list("keys {time, value, ease = ...}");

static PATH: Schema = Schema::new("path", "PathOptions", &[]).list("places {x, y, z}");

const PER_KEY: &[(&str, &str, &str)] = &[("time", "number", "time [s]")];

pub(super) const CALLS: &[Call] = &[
    Call::new(Class::Retake, "keys", Args::Options(&KEYS), keys)
        .returns("Keys")
        .doc(
            "Keyframes { time, value, ease = ... } of numbers or vectors for any animatable value; \
             `ease` is for the span that ends there: \"auto\" (a monotone cubic through all keys), \"linear\", \"step\", \
             \"smooth\" (6 u^5 - 15 u^4 + 10 u^3), or Penner's, as \"sine_in_out\".",
        )
        .when(When::Always)
        .example(
            "local swing = retake.keys{ { 0, 0 }, { 1.5, 30, ease = \"sine_in\" }, { 3, 0 } }\n\
             local lift = retake.keys{ { 0, { 0, 0, 0 } }, { 2, { 0, 1, 0 } }, loop = true }",
        ),
    Call::new(Class::Keys, "at", Args::Values(PER_KEY), at)
        .returns("number|number[]")
        .doc("The value at a time.")
        .when(When::Always)
        .example("print(retake.keys{ { 0, 0 }, { 1, 10 } }:at(0.5))"),
    Call::new(Class::Retake, "path", Args::Options(&PATH), path)
        .returns("Path")
        .doc("A path of straight spans for `pin:follow` and `retake.mesh.rope`.")
        .example("local way = retake.path{ { 0, 0, 0 }, { 1, 1, 0 }, { 2, 0, 0 } }"),
    Call::new(
        Class::Retake,
        "blender",
        Args::Values(&[("place", "number[]", "{x, y, z} with Z up")]),
        blender,
    )
    .returns("number[]")
    .doc("A place or direction of a Z-up world as one of this Y-up world: {x, z, -y}.")
    .when(When::Always)
    .example("local up = retake.blender{ 0, 0, 1 } -- { 0, 1, 0 }"),
];

fn keys(inv: &Invocation) -> mlua::Result<Value> {
    let o = inv.options(&KEYS)?;
    let looped = o.need_flag("loop")?;
    let n = o.table.raw_len();
    if n == 0 {
        return Err(inv.fault("keys takes at least one key { time, value }"));
    }
    let mut numbers: Vec<Key<f64>> = Vec::new();
    let mut vectors: Vec<Key<DVec3>> = Vec::new();
    let mut last = f64::NEG_INFINITY;
    for i in 1..=n {
        let entry: Value = o.table.raw_get(i)?;
        let wrong = |given: &Value| {
            inv.fault_hint(
                format!("key {i} must be {{ time, value }}, not {}", describe(given)),
                "as in { 1.5, 30, ease = \"sine_in\" } or { 1.5, { 0, 1, 0 } }",
            )
        };
        let Value::Table(pair) = &entry else { return Err(wrong(&entry)) };
        let time: Value = pair.raw_get(1)?;
        let value: Value = pair.raw_get(2)?;
        let Some(time) = values::number(&time).filter(|t| t.is_finite()) else {
            return Err(wrong(&time));
        };
        if time <= last {
            return Err(inv.fault(format!(
                "key {i} is at {} s, and the one before at {} s: times must grow",
                number_text(time),
                number_text(last)
            )));
        }
        last = time;
        let ease = ease(inv, pair, i)?;
        match (values::number(&value), values::vec3(&value)) {
            (Some(value), _) if value.is_finite() => numbers.push(Key { time, value, ease }),
            (_, Some(value)) if value.is_finite() => vectors.push(Key { time, value, ease }),
            _ => return Err(wrong(&value)),
        }
    }
    let keys = match (numbers.is_empty(), vectors.is_empty()) {
        (false, true) => KeysOf::Number(numbers),
        (true, false) => KeysOf::Vector(vectors),
        _ => return Err(inv.fault("keys must all be numbers or all be vectors")),
    };
    inv.give(Object::Keys(Rc::new(Keys { keys, looped })))
}

/// The ease of key `i`, whose table may have no other names.
fn ease(inv: &Invocation, pair: &Table, i: usize) -> mlua::Result<Ease> {
    let mut ease = Ease::Auto;
    for name in super::super::engine::sorted_keys(inv.lua, pair)? {
        let (path, diagnostic) = match &name {
            Value::Integer(1 | 2) => continue,
            Value::String(s) if s.as_bytes() == b"ease".as_slice() => {
                let word: Value = pair.raw_get("ease")?;
                let text = match &word {
                    Value::String(text) => text.to_string_lossy(),
                    other => describe(other),
                };
                if let Some(found) = Ease::from_name(&text) {
                    ease = found;
                    continue;
                }
                let all = super::super::options::list_of(&Ease::NAMES);
                let message = format!("`ease` of key {i} must be one of {all}, not \"{text}\"");
                let near = nearest(&text, Ease::NAMES);
                let mut d = Diagnostic::error(message);
                d.hint = near.map(|near| format!("did you mean \"{near}\"?"));
                ("ease".to_owned(), d)
            }
            Value::String(s) => {
                let s = s.to_string_lossy();
                let message = format!("unknown key `{s}` in key {i} of keys");
                (s, Diagnostic::error(message).hint("a key is { time, value, ease = ... }"))
            }
            other => {
                let message =
                    format!("key {i} of keys has a value too many at {}", describe(other));
                let hint = "a key is { time, value, ease = ... }; a vector is { time, {x, y, z} }";
                (String::new(), Diagnostic::error(message).hint(hint))
            }
        };
        let place = inv.cx.place_of_key(inv.place(), &[&path]);
        return Err(super::super::invocation::raise(inv.lua, diagnostic.at(place)));
    }
    Ok(ease)
}

fn at(inv: &Invocation) -> mlua::Result<Value> {
    inv.at_most(1)?;
    let t = values::number(&inv.arg(0))
        .filter(|t| t.is_finite())
        .ok_or_else(|| inv.wrong_arg("a time", &inv.arg(0)))?;
    let Some(Object::Keys(keys)) = &inv.this else { return Ok(Value::Nil) };
    match &keys.keys {
        KeysOf::Number(list) => {
            let curve = Curve::Keys { keys: list.clone(), looped: keys.looped };
            Ok(Value::Number(curve.at(t)))
        }
        KeysOf::Vector(of) => {
            list(inv.lua, Curve::Keys { keys: of.clone(), looped: keys.looped }.at(t))
        }
    }
}

fn path(inv: &Invocation) -> mlua::Result<Value> {
    let o = inv.options(&PATH)?;
    let places = places(&o.table).map_err(|fault| inv.fault(fault))?;
    inv.give(Object::Path(Rc::new(places)))
}

/// The places of a path `{ {x, y, z}, ... }`, or what is wrong with it.
pub(super) fn places(list: &Table) -> Result<Vec<DVec3>, String> {
    let mut places = Vec::new();
    for i in 1..=list.raw_len() {
        let entry: Value = list.raw_get(i).map_err(|e| e.to_string())?;
        let place = values::vec3(&entry).filter(|p| p.is_finite());
        places.push(place.ok_or_else(|| {
            format!("place {i} of path must be {{x, y, z}}, not {}", describe(&entry))
        })?);
    }
    if places.len() < 2 {
        return Err("path takes at least two places {x, y, z}".to_owned());
    }
    if places.windows(2).all(|w| w[0] == w[1]) {
        return Err("the places of this path are all the same".to_owned());
    }
    Ok(places)
}

fn blender(inv: &Invocation) -> mlua::Result<Value> {
    inv.at_most(1)?;
    let p = values::vec3(&inv.arg(0))
        .ok_or_else(|| inv.wrong_arg("a vector {x, y, z}", &inv.arg(0)))?;
    list(inv.lua, DVec3::new(p.x, p.z, -p.y))
}
