//! The Lua state: how it is made, limited and asked, and how its errors become diagnostics.

use super::SourceFile;
use super::context::Context;
use super::files::Files;
use super::invocation::{context, raise, script_place};
use super::limits::Exhausted;
use super::sandbox::missing_global;
use crate::diagnostics::{Diagnostic, Place};
use mlua::{Function, HookTriggers, Lua, LuaOptions, StdLib, Table, Value, VmState};
use std::cmp::Ordering;
use std::rc::Rc;

/// Instructions between two looks at the budget.
const LOOK_EVERY: u32 = 1000;

/// A sandboxed state with the `retake` library.
pub(super) fn new_state(cx: &Rc<Context>) -> mlua::Result<Lua> {
    let libraries = StdLib::COROUTINE
        | StdLib::TABLE
        | StdLib::STRING
        | StdLib::UTF8
        | StdLib::MATH
        | StdLib::DEBUG;
    #[allow(unsafe_code, reason = "the safe constructor has no debug library")]
    // SAFETY: the debug library is only used for `getupvalue`, which cannot break the state; the
    // sandbox removes the library before any script runs.
    let lua = unsafe { Lua::unsafe_new_with(libraries, LuaOptions::new()) };
    lua.set_app_data(Rc::clone(cx));
    super::sandbox::close(&lua)?;
    super::library::open(&lua)?;
    lua.set_memory_limit(cx.limits.memory)?;
    let triggers = HookTriggers::new().every_nth_instruction(LOOK_EVERY);
    let counted = Rc::clone(cx);
    lua.set_global_hook(triggers, move |lua, _| {
        if counted.meter.charge(u64::from(LOOK_EVERY)) {
            Ok(VmState::Continue)
        } else {
            Err(exhausted_error(lua))
        }
    })?;
    Ok(lua)
}

/// The function of a Lua source.
pub(super) fn compile(lua: &Lua, source: &SourceFile) -> mlua::Result<Function> {
    // A first line `#!` is for the shell, as in Lua's own interpreter.
    let text = match source.text.strip_prefix('#') {
        Some(rest) => format!("--{rest}"),
        None => source.text.clone(),
    };
    lua.load(text)
        .set_name(format!("@{}", source.path))
        .set_mode(mlua::chunk::ChunkMode::Text)
        .into_function()
}

/// The error of a script that used up a limit.
pub(super) fn exhausted_error(lua: &Lua) -> mlua::Error {
    let cx = context(lua);
    let diagnostic = match cx.meter.exhausted() {
        Some(Exhausted::Memory) => memory_diagnostic(&cx),
        _ => {
            let millions = cx.meter.budget() as f64 / 1e6;
            Diagnostic::error(format!(
                "the script was stopped: it did more than {millions} million steps of work"
            ))
            .hint("look for a loop that does not end")
        }
    };
    let mut first = cx.stopped_at.borrow_mut();
    if first.is_none() {
        *first = script_place(lua);
    }
    let place = first.clone();
    mlua::Error::external(diagnostic.at(place))
}

fn memory_diagnostic(cx: &Context) -> Diagnostic {
    let megabytes = cx.limits.memory >> 20;
    Diagnostic::error(format!("the script was stopped: it used more than {megabytes} MB of memory"))
        .hint("look for a table or a string that grows without end")
}

/// What went wrong, as the person should read it.
pub(super) fn diagnostic_of(lua: &Lua, error: &mlua::Error) -> Diagnostic {
    let cx = context(lua);
    let mut inner = error;
    loop {
        match inner {
            mlua::Error::CallbackError { cause, .. } | mlua::Error::WithContext { cause, .. } => {
                inner = cause;
            }
            mlua::Error::BadArgument { cause, .. }
                if matches!(**cause, mlua::Error::ExternalError(_)) =>
            {
                inner = cause;
            }
            _ => break,
        }
    }
    match inner {
        mlua::Error::ExternalError(external) => match external.downcast_ref::<Diagnostic>() {
            Some(diagnostic) => diagnostic.clone(),
            None => Diagnostic::error(external.to_string()),
        },
        mlua::Error::MemoryError(_) => memory_diagnostic(&cx).at(script_place(lua)),
        mlua::Error::RuntimeError(message) | mlua::Error::SyntaxError { message, .. } => {
            from_message(&cx.files, message)
        }
        other => Diagnostic::error(other.to_string()).at(first_line(&cx.files, error)),
    }
}

/// Splits `script.lua:3: message` and leaves the traceback out.
fn from_message(files: &Files, message: &str) -> Diagnostic {
    let end = message.find("\nstack traceback:").unwrap_or(message.len());
    let (message, traceback) = (message[..end].trim_end(), &message[end..]);
    let diagnostic = match place_in(files, message) {
        Some((place, rest)) => Diagnostic::error(rest.trim().to_owned()).at(place),
        None => match thrown(message) {
            Some(what) => Diagnostic::error(what).at(script_line(files, traceback)),
            None => Diagnostic::error(message.to_owned()),
        },
    };
    let global =
        message.split_once("a nil value (global '").and_then(|(_, name)| name.split_once('\''));
    match global.and_then(|(name, _)| missing_global(name, message.contains("attempt to call"))) {
        Some(hint) => diagnostic.hint(hint),
        None => diagnostic,
    }
}

/// What was thrown, where that is no text: it has no place in front, and an address tells nobody anything.
fn thrown(message: &str) -> Option<String> {
    let kind = match message.split_once(": 0x") {
        Some((kind @ ("table" | "function" | "thread" | "userdata"), _)) => kind,
        _ if message == "nil" => return Some("`error` was called without a text".into()),
        _ => return None,
    };
    Some(format!("`error` was called with a {kind} in place of a text"))
}

/// The place that `text` begins with, and what comes after it.
fn place_in<'t>(files: &Files, text: &'t str) -> Option<(Place, &'t str)> {
    let mut from = 0;
    while let Some(at) = text[from..].find(':') {
        let colon = from + at;
        let digits = text[colon + 1..].bytes().take_while(u8::is_ascii_digit).count();
        let after = colon + 1 + digits;
        if digits > 0 && text[after..].starts_with(':') && !text[..colon].contains('\n') {
            let line = text[colon + 1..after].parse().ok()?;
            let file = files.full_name(text[..colon].trim());
            return Some((Place { file, line }, &text[after + 1..]));
        }
        from = colon + 1;
    }
    None
}

/// The first script line of a traceback.
fn first_line(files: &Files, error: &mlua::Error) -> Option<Place> {
    let mlua::Error::CallbackError { traceback, .. } = error else { return None };
    script_line(files, traceback)
}

/// The first line of a traceback that is one of the script.
fn script_line(files: &Files, traceback: &str) -> Option<Place> {
    let known = files.sources();
    traceback.lines().find_map(|line| {
        let (place, _) = place_in(files, line.trim())?;
        known.iter().any(|s| s.path == place.file).then_some(place)
    })
}

/// Order of keys in `pairs`: numbers ascending, then strings bytewise, then booleans.
pub(super) fn key_order(a: &Value, b: &Value) -> Ordering {
    let rank = |v: &Value| match v {
        Value::Integer(_) | Value::Number(_) => 0,
        Value::String(_) => 1,
        _ => 2,
    };
    match (a, b) {
        (Value::Integer(a), Value::Integer(b)) => a.cmp(b),
        (Value::Integer(a), Value::Number(b)) => (*a as f64).total_cmp(b),
        (Value::Number(a), Value::Integer(b)) => a.total_cmp(&(*b as f64)),
        (Value::Number(a), Value::Number(b)) => a.total_cmp(b),
        (Value::String(a), Value::String(b)) => a.as_bytes().cmp(&b.as_bytes()),
        (Value::Boolean(a), Value::Boolean(b)) => a.cmp(b),
        _ => rank(a).cmp(&rank(b)),
    }
}

/// The keys of a table in the order of `pairs`.
pub(super) fn sorted_keys(lua: &Lua, table: &Table) -> mlua::Result<Vec<Value>> {
    let mut keys = Vec::new();
    for pair in table.pairs::<Value, Value>() {
        let (key, _) = pair?;
        if !matches!(
            key,
            Value::Integer(_) | Value::Number(_) | Value::String(_) | Value::Boolean(_)
        ) {
            let kind = super::values::describe(&key);
            return Err(raise(
                lua,
                Diagnostic::error(format!("{kind} as a key of a table has no reproducible order"))
                    .hint("use a name or a number as the key, or keep a list beside the table"),
            ));
        }
        keys.push(key);
    }
    keys.sort_by(key_order);
    Ok(keys)
}
