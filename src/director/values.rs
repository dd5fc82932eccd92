//! Single Lua values as numbers, vectors and colours.

use super::api::fields::Symbol;
use super::object::Object;
use crate::scene::Color;
use glam::DVec3;
use mlua::{Lua, Table, Value};

/// What a message calls `value`: `"flat"`, `-1`, `{0, 4}`, `a table`, `a mesh`.
pub(crate) fn describe(value: &Value) -> String {
    described(value, 2)
}

/// The same, with the contents of small lists as deep as `depth`.
fn described(value: &Value, depth: u32) -> String {
    match value {
        Value::Nil => "nothing".to_owned(),
        Value::Boolean(b) => b.to_string(),
        Value::Integer(i) => i.to_string(),
        Value::Number(n) => number_text(*n),
        Value::String(s) => {
            let text = s.to_string_lossy();
            if text.chars().count() > 40 {
                format!("\"{}...\"", text.chars().take(40).collect::<String>())
            } else {
                format!("\"{text}\"")
            }
        }
        Value::Table(table) => match (table.raw_len(), depth) {
            (1..=4, 1..) => {
                let entry = |i| table.raw_get(i).map(|v: Value| described(&v, depth - 1));
                let entries =
                    (1..=table.raw_len()).map(|i| entry(i).unwrap_or_else(|_| "?".into()));
                format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
            }
            (5.., 1..) => format!("a list of {} values", table.raw_len()),
            _ => "a table".to_owned(),
        },
        Value::Function(_) => "a function".to_owned(),
        Value::Thread(_) => "a coroutine".to_owned(),
        Value::UserData(data) if data.is::<Symbol>() => "a symbol of a field".to_owned(),
        other => match Object::from_value(other) {
            Some(object) => object.class().noun().to_owned(),
            None => "a value of another kind".to_owned(),
        },
    }
}

/// A number as a person writes it.
pub(crate) fn number_text(n: f64) -> String {
    if n.is_nan() {
        "nan".to_owned()
    } else if n.is_infinite() {
        if n > 0.0 { "infinity" } else { "-infinity" }.to_owned()
    } else {
        format!("{n}")
    }
}

/// A number; finite or not.
pub(crate) fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Integer(i) => Some(*i as f64),
        Value::Number(n) => Some(*n),
        _ => None,
    }
}

/// A whole number.
pub(crate) fn integer(value: &Value) -> Option<i64> {
    match value {
        Value::Integer(i) => Some(*i),
        Value::Number(n) if n.fract() == 0.0 && n.abs() < 9e15 => Some(*n as i64),
        _ => None,
    }
}

/// The numbers of a list with exactly `N` entries, or of `{ x = , y = , z = }`.
pub(crate) fn numbers<const N: usize>(value: &Value) -> Option<[f64; N]> {
    let Value::Table(table) = value else { return None };
    let mut out = [0.0; N];
    let named = ["x", "y", "z"];
    if table.raw_len() == 0 && N <= 3 {
        for i in 0..N {
            out[i] = number(&table.raw_get::<Value>(named[i]).ok()?)?;
        }
        return Some(out);
    }
    if table.raw_len() != N {
        return None;
    }
    for i in 0..N {
        out[i] = number(&table.raw_get::<Value>(i + 1).ok()?)?;
    }
    Some(out)
}

/// A vector `{x, y, z}`.
pub(crate) fn vec3(value: &Value) -> Option<DVec3> {
    numbers::<3>(value).map(DVec3::from_array)
}

/// One factor, or one an axis.
pub(crate) fn factor(value: &Value) -> Option<DVec3> {
    number(value).map(DVec3::splat).or_else(|| vec3(value))
}

/// A colour: linear `{r, g, b}` in 0..1 or `"#rrggbb"` in sRGB.
pub(crate) fn color(value: &Value) -> Option<Color> {
    if let Value::String(text) = value {
        let text = text.to_string_lossy();
        let hex = text.strip_prefix('#')?;
        if !hex.is_ascii() {
            return None;
        }
        let digits = |i: usize| match hex.len() {
            3 => u8::from_str_radix(&hex[i..=i].repeat(2), 16).ok(),
            6 => u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).ok(),
            _ => None,
        };
        let linear = |i: usize| digits(i).map(|c| linear_from_srgb(f64::from(c) / 255.0));
        return Some(Color([linear(0)?, linear(1)?, linear(2)?]));
    }
    let Value::Table(table) = value else { return None };
    if table.raw_len() != 3 {
        return None;
    }
    let channels = numbers::<3>(value)?;
    channels.iter().all(|c| (0.0..=1.0).contains(c)).then_some(Color(channels))
}

/// The transfer function of IEC 61966-2-1.
fn linear_from_srgb(c: f64) -> f64 {
    if c <= 0.04045 { c / 12.92 } else { libm::pow((c + 0.055) / 1.055, 2.4) }
}

/// A list `{x, y, z}`.
pub(crate) fn list(lua: &Lua, v: DVec3) -> mlua::Result<Value> {
    let table: Table = lua.create_sequence_from(v.to_array())?;
    Ok(Value::Table(table))
}
