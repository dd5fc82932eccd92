//! `world.memory` as JSON: it is saved with each frame, so that a resumed run is the same run.

use super::engine::sorted_keys;
use super::values::describe;
use mlua::{Lua, Table, Value};
use serde_json::{Map, Value as Json};

/// Key of tables that are neither a list nor have names only: a list of `[key, value]`.
const PAIRS: &str = "\u{0}pairs";
/// How deep memory may be nested.
const DEEPEST: u32 = 32;

/// What is in a table; an error names what cannot be remembered.
pub(super) fn to_json(lua: &Lua, value: &Value, path: &str, depth: u32) -> Result<Json, String> {
    match value {
        Value::Boolean(b) => Ok(Json::Bool(*b)),
        Value::Integer(i) => Ok(Json::from(*i)),
        Value::Number(n) => serde_json::Number::from_f64(*n)
            .map(Json::Number)
            .ok_or_else(|| format!("`{path}` is {}", super::values::number_text(*n))),
        Value::String(s) => match s.to_str() {
            Ok(text) => Ok(Json::String(text.to_owned())),
            Err(_) => Err(format!("`{path}` is a string that is not UTF-8")),
        },
        Value::Table(_) if depth >= DEEPEST => Err(format!("`{path}` is nested too deep")),
        Value::Table(table) => table_to_json(lua, table, path, depth),
        other => Err(format!("`{path}` is {}", describe(other))),
    }
}

fn table_to_json(lua: &Lua, table: &Table, path: &str, depth: u32) -> Result<Json, String> {
    let keys =
        sorted_keys(lua, table).map_err(|_| format!("`{path}` has keys without an order"))?;
    let get = |key: &Value| -> Result<Json, String> {
        let value: Value = table.raw_get(key.clone()).map_err(|e| e.to_string())?;
        let name = match key {
            Value::String(s) => s.to_string_lossy(),
            other => describe(other),
        };
        to_json(lua, &value, &format!("{path}.{name}"), depth + 1)
    };
    let is_list = !keys.is_empty()
        && keys
            .iter()
            .enumerate()
            .all(|(i, k)| matches!(k, Value::Integer(n) if *n == i as i64 + 1));
    if is_list {
        return keys.iter().map(get).collect::<Result<_, _>>().map(Json::Array);
    }
    let mut object = Map::new();
    if keys.iter().all(|k| matches!(k, Value::String(s) if s.to_str().is_ok())) {
        for key in &keys {
            let Value::String(name) = key else { continue };
            object.insert(name.to_string_lossy(), get(key)?);
        }
        return Ok(Json::Object(object));
    }
    let mut pairs = Vec::new();
    for key in &keys {
        let value = get(key)?;
        pairs.push(Json::Array(vec![to_json(lua, key, path, depth + 1)?, value]));
    }
    object.insert(PAIRS.to_owned(), Json::Array(pairs));
    Ok(Json::Object(object))
}

/// The Lua value of remembered JSON.
pub(super) fn from_json(lua: &Lua, json: &Json) -> mlua::Result<Value> {
    Ok(match json {
        Json::Null => Value::Nil,
        Json::Bool(b) => Value::Boolean(*b),
        Json::Number(n) => match n.as_i64() {
            Some(i) => Value::Integer(i),
            None => Value::Number(n.as_f64().unwrap_or(0.0)),
        },
        Json::String(s) => Value::String(lua.create_string(s)?),
        Json::Array(list) => {
            let table = lua.create_table()?;
            for (i, entry) in list.iter().enumerate() {
                table.raw_set(i + 1, from_json(lua, entry)?)?;
            }
            Value::Table(table)
        }
        Json::Object(object) => {
            let table = lua.create_table()?;
            for (name, entry) in object {
                match (name.as_str(), entry) {
                    (PAIRS, Json::Array(pairs)) => {
                        for pair in pairs {
                            if let Json::Array(two) = pair
                                && let [key, value] = two.as_slice()
                            {
                                table.raw_set(from_json(lua, key)?, from_json(lua, value)?)?;
                            }
                        }
                    }
                    _ => table.raw_set(name.as_str(), from_json(lua, entry)?)?,
                }
            }
            Value::Table(table)
        }
    })
}
