//! What of Lua a script has: nothing that reaches outside, nothing that differs from run to run.

use super::engine::{exhausted_error, sorted_keys};
use super::invocation::{context, raise};
use super::limits::Exhausted;
use super::values::number;
use crate::diagnostics::{Diagnostic, nearest};
use mlua::{Function, Lua, LuaString, MultiValue, Table, Value, Variadic};

/// Registry name of the function that makes a moment of a time (see the prelude's end).
pub(super) const MOMENT: &str = "retake.moment";
/// Registry name of `debug.getupvalue`, for the check of script locals.
pub(super) const GET_UPVALUE: &str = "retake.getupvalue";

/// The globals that stay; all others go.
const GLOBALS: [&str; 27] = [
    "_G",
    "_VERSION",
    "assert",
    "coroutine",
    "error",
    "getmetatable",
    "ipairs",
    "load",
    "math",
    "next",
    "pairs",
    "pcall",
    "print",
    "rawequal",
    "rawget",
    "rawlen",
    "rawset",
    "require",
    "select",
    "setmetatable",
    "string",
    "table",
    "tonumber",
    "tostring",
    "type",
    "utf8",
    "xpcall",
];

/// Globals of Lua that do not stay, and that scripts written elsewhere use.
const GONE: [&str; 7] = ["collectgarbage", "debug", "dofile", "io", "loadfile", "os", "package"];

/// What to do about a global that there is not, if that can be told. What is not `called` is more often a misspelt name of
/// the script's own than one of Lua's.
pub(super) fn missing_global(name: &str, called: bool) -> Option<String> {
    if name == "retake" {
        return Some("begin the script with `local retake = require \"retake\"`".to_owned());
    }
    if GONE.contains(&name) {
        return Some(format!(
            "scripts reach nothing outside and run alike each time: they have no `{name}`"
        ));
    }
    let near = if called { nearest(name, GLOBALS) } else { None };
    near.map(|near| format!("did you mean `{near}`?"))
}

/// Closes the sandbox around a fresh state with the debug library.
pub(super) fn close(lua: &Lua) -> mlua::Result<()> {
    let globals = lua.globals();
    let debug: Table = globals.get("debug")?;
    lua.set_named_registry_value(GET_UPVALUE, debug.get::<Function>("getupvalue")?)?;
    for key in sorted_keys(lua, &globals)? {
        let keep = matches!(&key, Value::String(s) if GLOBALS.contains(&&*s.to_string_lossy()));
        if !keep {
            globals.raw_set(key, Value::Nil)?;
        }
    }
    globals.get::<Table>("string")?.raw_set("dump", Value::Nil)?;
    let prelude = lua.load(include_str!("prelude.lua")).set_name("=prelude").into_function()?;
    let moment: Function = prelude.call(natives(lua)?)?;
    lua.set_named_registry_value(MOMENT, moment)?;
    super::lua_math::replace(lua, &globals.get::<Table>("math")?)
}

fn natives(lua: &Lua) -> mlua::Result<Table> {
    let native = lua.create_table()?;
    native.set("check", lua.create_function(check)?)?;
    native.set("charge", lua.create_function(|lua, work: Value| charge(lua, &work))?)?;
    native.set(
        "plain_error",
        lua.create_function(|lua, error: Value| match error {
            Value::Error(error) => {
                let text = super::engine::diagnostic_of(lua, &error).to_string();
                Ok(Value::String(lua.create_string(text)?))
            }
            other => Ok(other),
        })?,
    )?;
    native
        .set("sorted_keys", lua.create_function(|lua, table: Table| sorted_keys(lua, &table))?)?;
    native.set("next", lua.create_function(next)?)?;
    native.set(
        "print",
        lua.create_function(|lua, line: LuaString| {
            let (cx, line) = (context(lua), line.to_string_lossy());
            let bytes = cx.printed_bytes.get() + line.len() + 1;
            if bytes > cx.limits.printed {
                let message = format!("the script prints more than {} bytes", cx.limits.printed);
                return Err(raise(lua, Diagnostic::error(message)));
            }
            cx.printed_bytes.set(bytes);
            cx.printed.borrow_mut().push(line);
            Ok(())
        })?,
    )?;
    native.set(
        "prints_address",
        lua.create_function(|_, form: LuaString| {
            let bytes = form.as_bytes();
            let mut rest = &bytes[..];
            while let Some(at) = rest.iter().position(|c| *c == b'%') {
                rest = &rest[at + 1..];
                let flags = rest.iter().take_while(|c| b"-+ #0123456789.".contains(c)).count();
                match rest.get(flags) {
                    Some(b'p') => return Ok(true),
                    Some(_) => rest = &rest[flags + 1..],
                    None => break,
                }
            }
            Ok(false)
        })?,
    )?;
    native.set(
        "find",
        lua.create_function(|lua, args: Variadic<Value>| {
            super::lua_strings::find(lua, &args, true)
        })?,
    )?;
    let matching = lua.create_function(|lua, args: Variadic<Value>| {
        super::lua_strings::find(lua, &args, false)
    })?;
    native.set("match", matching.clone())?;
    lua.globals().get::<Table>("string")?.raw_set("match", matching)?;
    native.set("next_match", lua.create_function(super::lua_strings::next_match)?)?;
    native.set("expand", lua.create_function(super::lua_strings::expand)?)?;
    Ok(native)
}

/// Ends the script where a limit was hit, whatever has caught the error.
fn check(lua: &Lua, (ok, error): (bool, Value)) -> mlua::Result<()> {
    let cx = context(lua);
    if !ok {
        let out_of_memory = match &error {
            Value::String(s) => s.as_bytes().ends_with(b"not enough memory"),
            Value::Error(error) => matches!(**error, mlua::Error::MemoryError(_)),
            _ => false,
        };
        if out_of_memory {
            cx.meter.run_out(Exhausted::Memory);
        }
    }
    if cx.meter.exhausted().is_some() { Err(exhausted_error(lua)) } else { Ok(()) }
}

fn charge(lua: &Lua, work: &Value) -> mlua::Result<()> {
    let work = number(work).unwrap_or(0.0).max(0.0) as u64;
    if context(lua).meter.charge(work) { Ok(()) } else { Err(exhausted_error(lua)) }
}

/// `next` in the order of `pairs`.
fn next(lua: &Lua, (table, key): (Table, Value)) -> mlua::Result<MultiValue> {
    let keys = sorted_keys(lua, &table)?;
    context(lua).meter.charge(keys.len() as u64);
    let at = if key.is_nil() {
        0
    } else {
        match keys.iter().position(|k| *k == key) {
            Some(i) => i + 1,
            None => keys.partition_point(|k| super::engine::key_order(k, &key).is_lt()),
        }
    };
    Ok(match keys.get(at) {
        Some(key) => {
            let value: Value = table.raw_get(key.clone())?;
            [key.clone(), value].into_iter().collect()
        }
        None => MultiValue::from_iter([Value::Nil]),
    })
}
