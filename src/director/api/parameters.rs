//! Parameters: values of a script that the command line may set.

use super::super::Parameter;
use super::super::invocation::Invocation;
use super::super::schema::{Args, Call, Class, Key, Kind, Schema, key};
use super::super::values::{self, describe, number_text};
use crate::diagnostics::nearest;
use mlua::Value;
use serde_json::Value as Json;

const LIST: Kind = Kind::Other("(number|string)[]");

const KEYS: &[Key] = &[
    key("min", Kind::Number, "smallest allowed number"),
    key("max", Kind::Number, "largest allowed number"),
    key("integer", Kind::Bool, "whole numbers only").flag(false),
    key("choices", LIST, "the allowed values"),
    key("unit", Kind::Text, "unit, for the reader").text(""),
    key("help", Kind::Text, "what it is for").text(""),
];

static PARAM: Schema = Schema::new("param", "ParamOptions", &[KEYS]);

pub(super) const CALLS: &[Call] = &[Call::new(
    Class::Retake,
    "param",
    Args::ValuesThen(
        &[
            ("name", "string", "name, as `--set name=value` uses it"),
            ("default", "number|boolean|string", "value where nothing is set; it gives the type"),
        ],
        &PARAM,
    ),
    param,
)
.returns("any")
.doc("A parameter: its value is the default, or what `--set name=value` or a sweep gives.")
.example(
    "local gust = retake.param(\"gust\", 4.0, { min = 0, max = 20, unit = \"m/s\" })\n\
     local cells = retake.param(\"cells\", 40, { integer = true, min = 4 })\n\
     local mood = retake.param(\"mood\", \"calm\", { choices = { \"calm\", \"storm\" } })",
)];

fn json_of(value: &Value) -> Option<Json> {
    match value {
        Value::Boolean(b) => Some(Json::Bool(*b)),
        Value::String(s) => Some(Json::String(s.to_string_lossy())),
        other => json_number(values::number(other)?),
    }
}

/// Whole numbers without a point, so that 4 and 4.0 are the same parameter.
fn json_number(n: f64) -> Option<Json> {
    if !n.is_finite() {
        return None;
    }
    if n.fract() == 0.0 && n.abs() < 9e15 {
        return Some(Json::from(n as i64));
    }
    serde_json::Number::from_f64(n).map(Json::Number)
}

fn json_text(value: &Json) -> String {
    match value {
        Json::String(s) => format!("\"{s}\""),
        other => other.to_string(),
    }
}

fn param(inv: &Invocation) -> mlua::Result<Value> {
    inv.at_most(3)?;
    let name = inv.text(0, "a name and a default")?;
    let good = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
    if name.is_empty() || !name.chars().all(good) {
        return Err(inv.fault(format!(
            "`{name}` cannot be a parameter's name: it may have letters, digits, `_` and `-`"
        )));
    }
    let default = json_of(&inv.arg(1)).ok_or_else(|| {
        inv.fault(format!(
            "the default of the parameter `{name}` must be a number, a boolean or a string, not {}",
            describe(&inv.arg(1))
        ))
    })?;
    let options = inv.options_at(2, &PARAM, false)?;
    let choices = match options.value("choices")? {
        Value::Nil => None,
        Value::Table(list) if list.raw_len() > 0 => {
            let mut all = Vec::new();
            for i in 1..=list.raw_len() {
                let entry: Value = list.raw_get(i)?;
                all.push(json_of(&entry).ok_or_else(|| {
                    options.wrong("choices", "a list of numbers or strings", &entry)
                })?);
            }
            Some(all)
        }
        other => return Err(options.wrong("choices", "a list of numbers or strings", &other)),
    };
    let mut parameter = Parameter {
        name: name.clone(),
        value: default.clone(),
        default,
        choices,
        min: options.number("min")?,
        max: options.number("max")?,
        integer: options.need_flag("integer")?,
        unit: options.text("unit")?.unwrap_or_default(),
        help: options.text("help")?.unwrap_or_default(),
    };
    if !parameter.default.is_number() {
        for numeric in ["min", "max", "integer"] {
            if options.given(numeric)? {
                let message = format!("`{numeric}` is for numbers, and `{name}` is none");
                return Err(options.fault(numeric, message, None));
            }
        }
    }
    let allowed = |value: &Json| check(&parameter, value);
    allowed(&parameter.default)
        .map_err(|(wrong, hint)| fault(inv, format!("the default of `{name}` {wrong}"), hint))?;
    if let Some(given) = inv.cx.given.get(&name) {
        let read = typed(given, &parameter.default).ok_or_else(|| {
            let kind = match parameter.default {
                Json::Number(_) => "a number",
                Json::Bool(_) => "true or false",
                _ => "a string",
            };
            inv.fault(format!("the parameter `{name}` must be {kind}, not {}", json_text(given)))
        })?;
        allowed(&read)
            .map_err(|(wrong, hint)| fault(inv, format!("the parameter `{name}` {wrong}"), hint))?;
        parameter.value = read;
    }
    let value = match &parameter.value {
        Json::Bool(b) => Value::Boolean(*b),
        Json::String(s) => Value::String(inv.lua.create_string(s)?),
        Json::Number(n) => match n.as_i64() {
            // A default with a point stays one, so that `//` and `%d` mean the same for any value.
            Some(i) if parameter.integer || matches!(inv.arg(1), Value::Integer(_)) => {
                Value::Integer(i)
            }
            _ => Value::Number(n.as_f64().unwrap_or(0.0)),
        },
        _ => Value::Nil,
    };
    let mut known = inv.cx.parameters.borrow_mut();
    match known.iter().find(|p| p.name == name) {
        Some(same) if *same == parameter => {}
        Some(_) => {
            drop(known);
            return Err(inv.fault(format!("there is a parameter `{name}` already")));
        }
        None => known.push(parameter),
    }
    Ok(value)
}

fn fault(inv: &Invocation, message: String, hint: Option<String>) -> mlua::Error {
    match hint {
        Some(hint) => inv.fault_hint(message, hint),
        None => inv.fault(message),
    }
}

/// `given` as a value of `default`'s type; the command line gives strings.
pub(in crate::director) fn typed(given: &Json, default: &Json) -> Option<Json> {
    match (default, given) {
        (Json::Number(_), Json::Number(n)) => json_number(n.as_f64()?),
        (Json::Number(_), Json::String(s)) => json_number(s.trim().parse().ok()?),
        (Json::Bool(_), Json::Bool(_)) | (Json::String(_), Json::String(_)) => Some(given.clone()),
        (Json::Bool(_), Json::String(s)) => match s.trim() {
            "true" | "yes" | "on" | "1" => Some(Json::Bool(true)),
            "false" | "no" | "off" | "0" => Some(Json::Bool(false)),
            _ => None,
        },
        (Json::String(_), Json::Number(n)) => Some(Json::String(n.to_string())),
        (Json::String(_), Json::Bool(b)) => Some(Json::String(b.to_string())),
        _ => None,
    }
}

/// What is wrong with a value, if anything.
pub(in crate::director) fn check(
    parameter: &Parameter,
    value: &Json,
) -> Result<(), (String, Option<String>)> {
    let given = json_text(value);
    if let Some(choices) = &parameter.choices
        && !choices.contains(value)
    {
        let words: Vec<String> = choices.iter().map(json_text).collect();
        let near = value.as_str().and_then(|word| {
            nearest(word, choices.iter().filter_map(Json::as_str)).map(str::to_owned)
        });
        let hint = near.map(|near| format!("did you mean \"{near}\"?"));
        return Err((format!("must be one of {}, not {given}", words.join(", ")), hint));
    }
    let Some(n) = value.as_f64() else { return Ok(()) };
    if parameter.integer && n.fract() != 0.0 {
        return Err((format!("must be a whole number, not {given}"), None));
    }
    if let Some(min) = parameter.min
        && n < min
    {
        return Err((format!("must be at least {}, not {given}", number_text(min)), None));
    }
    if let Some(max) = parameter.max
        && n > max
    {
        return Err((format!("must be at most {}, not {given}", number_text(max)), None));
    }
    Ok(())
}
