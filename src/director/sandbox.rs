//! What of Lua a script has: nothing that reaches outside, nothing that differs from run to run.

use super::engine::{exhausted_error, sorted_keys};
use super::invocation::{context, raise};
use super::limits::Exhausted;
use super::pattern::{self, Capture};
use super::values::number;
use crate::diagnostics::Diagnostic;
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
    mathematics(lua, &globals.get::<Table>("math")?)
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
    native
        .set("find", lua.create_function(|lua, args: Variadic<Value>| find(lua, &args, true))?)?;
    let matching = lua.create_function(|lua, args: Variadic<Value>| find(lua, &args, false))?;
    native.set("match", matching.clone())?;
    lua.globals().get::<Table>("string")?.raw_set("match", matching)?;
    native.set("next_match", lua.create_function(next_match)?)?;
    native.set("expand", lua.create_function(expand)?)?;
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

fn bytes_of(lua: &Lua, value: Option<&Value>, i: usize, name: &str) -> mlua::Result<LuaString> {
    let value = value.cloned().unwrap_or(Value::Nil);
    let kind = super::values::describe(&value);
    lua.coerce_string(value)?.ok_or_else(|| {
        let message = format!("bad argument #{i} to '{name}' (string expected, got {kind})");
        raise(lua, Diagnostic::error(message))
    })
}

fn search(
    lua: &Lua,
    subject: &[u8],
    pattern: &[u8],
    at: usize,
    not_ending_at: Option<usize>,
) -> mlua::Result<Option<pattern::Found>> {
    let cx = context(lua);
    // A step of the matcher is far cheaper than a Lua instruction's share of a build.
    pattern::find(subject, pattern, at, not_ending_at, &|n| cx.meter.charge(n)).map_err(|fault| {
        match fault {
            pattern::Fault::Exhausted => exhausted_error(lua),
            pattern::Fault::Pattern(message) => raise(lua, Diagnostic::error(message)),
        }
    })
}

fn captured(lua: &Lua, subject: &[u8], capture: &Capture) -> mlua::Result<Value> {
    match *capture {
        Capture::Bytes(from, to) => Ok(Value::String(lua.create_string(&subject[from..to])?)),
        Capture::Position(at) => Ok(Value::Integer(at as i64)),
    }
}

/// `string.find` and, without positions, `string.match`.
fn find(lua: &Lua, args: &[Value], positions: bool) -> mlua::Result<MultiValue> {
    let name = if positions { "find" } else { "match" };
    let subject = bytes_of(lua, args.first(), 1, name)?;
    let pattern = bytes_of(lua, args.get(1), 2, name)?;
    let (subject, pattern) = (&*subject.as_bytes(), &*pattern.as_bytes());
    let init = match args.get(2) {
        None | Some(Value::Nil) => 1,
        Some(value) => super::values::integer(value).unwrap_or(1),
    };
    let at = match init {
        i if i > 0 => i as usize - 1,
        0 => 0,
        i => subject.len().saturating_sub(i.unsigned_abs() as usize),
    };
    let nothing = || MultiValue::from_iter([Value::Nil]);
    if at > subject.len() {
        return Ok(nothing());
    }
    let plain = matches!(args.get(3), Some(v) if !matches!(v, Value::Nil | Value::Boolean(false)));
    let literal = plain || !pattern.iter().any(|c| b"^$*+?.([%-".contains(c));
    if positions && literal {
        let rest = &subject[at..];
        if !context(lua).meter.charge((rest.len() / 16) as u64) {
            return Err(exhausted_error(lua));
        }
        let found = if pattern.is_empty() { Some(0) } else { memory_find(rest, pattern) };
        return Ok(found.map_or_else(nothing, |i| {
            let from = (at + i + 1) as i64;
            let to = from + pattern.len() as i64 - 1;
            [Value::Integer(from), Value::Integer(to)].into_iter().collect()
        }));
    }
    let Some(found) = search(lua, subject, pattern, at, None)? else { return Ok(nothing()) };
    let mut out = Vec::new();
    if positions {
        out.push(Value::Integer(found.from as i64 + 1));
        out.push(Value::Integer(found.to as i64));
    }
    // Without captures `find` gives positions only; the whole match stands in for one.
    let whole = [Capture::Bytes(found.from, found.to)];
    let captures_given = pattern.contains(&b'(') && found.captures != whole;
    if !positions || captures_given || has_capture(pattern) {
        for capture in &found.captures {
            out.push(captured(lua, subject, capture)?);
        }
    }
    Ok(out.into_iter().collect())
}

/// Whether a pattern has a capture: a `(` that is neither escaped nor in a set.
fn has_capture(pattern: &[u8]) -> bool {
    let (mut i, mut in_set) = (0, false);
    while i < pattern.len() {
        match pattern[i] {
            b'%' => i += 1,
            b'[' if !in_set => {
                in_set = true;
                i += usize::from(pattern.get(i + 1) == Some(&b'^'));
                i += usize::from(pattern.get(i + 1) == Some(&b']'));
            }
            b']' => in_set = false,
            b'(' if !in_set => return true,
            _ => {}
        }
        i += 1;
    }
    false
}

fn memory_find(subject: &[u8], wanted: &[u8]) -> Option<usize> {
    let first = wanted[0];
    let mut from = 0;
    while let Some(at) = subject[from..].iter().position(|c| *c == first) {
        if subject[from + at..].starts_with(wanted) {
            return Some(from + at);
        }
        from += at + 1;
    }
    None
}

/// First and last byte of the next match, then its captures; `at` and `last` count from 1.
fn next_match(
    lua: &Lua,
    (subject, pattern, at, last): (LuaString, LuaString, i64, i64),
) -> mlua::Result<MultiValue> {
    let (subject, pattern) = (&*subject.as_bytes(), &*pattern.as_bytes());
    let at = at.max(1) as usize - 1;
    let last = (last > 0).then(|| last as usize - 1);
    let Some(found) = search(lua, subject, pattern, at, last)? else {
        return Ok(MultiValue::from_iter([Value::Nil]));
    };
    let mut out = vec![Value::Integer(found.from as i64 + 1), Value::Integer(found.to as i64)];
    for capture in &found.captures {
        out.push(captured(lua, subject, capture)?);
    }
    Ok(out.into_iter().collect())
}

/// The replacement text of `gsub` with `%0` to `%9` put in.
fn expand(
    lua: &Lua,
    (form, whole, captures): (LuaString, LuaString, Variadic<Value>),
) -> mlua::Result<LuaString> {
    let form = form.as_bytes();
    let mut out: Vec<u8> = Vec::new();
    let mut i = 0;
    while i < form.len() {
        if form[i] != b'%' {
            out.push(form[i]);
            i += 1;
            continue;
        }
        match form.get(i + 1) {
            Some(b'%') => out.push(b'%'),
            Some(b'0') => out.extend_from_slice(&whole.as_bytes()),
            Some(digit @ b'1'..=b'9') => match captures.get(usize::from(digit - b'1')) {
                Some(Value::Integer(n)) => out.extend_from_slice(n.to_string().as_bytes()),
                Some(Value::String(s)) => out.extend_from_slice(&s.as_bytes()),
                _ => {
                    let digit = char::from(*digit);
                    let message = format!("invalid capture index %{digit} in replacement string");
                    return Err(raise(lua, Diagnostic::error(message)));
                }
            },
            _ => {
                let message = "invalid use of '%' in replacement string";
                return Err(raise(lua, Diagnostic::error(message)));
            }
        }
        i += 2;
    }
    lua.create_string(out)
}

/// The functions of `math` whose last bits depend on the C library, and its dice.
fn mathematics(lua: &Lua, math: &Table) -> mlua::Result<()> {
    type One = fn(f64) -> f64;
    let ones: [(&str, One); 6] = [
        ("sin", libm::sin),
        ("cos", libm::cos),
        ("tan", libm::tan),
        ("asin", libm::asin),
        ("acos", libm::acos),
        ("exp", libm::exp),
    ];
    for (name, f) in ones {
        let answer = move |lua: &Lua, value: Value| Ok(f(argument(lua, &value, 1, name)?));
        math.raw_set(name, lua.create_function(answer)?)?;
    }
    math.raw_set(
        "atan",
        lua.create_function(|lua, (y, x): (Value, Value)| {
            let x = if x.is_nil() { 1.0 } else { argument(lua, &x, 2, "atan")? };
            Ok(libm::atan2(argument(lua, &y, 1, "atan")?, x))
        })?,
    )?;
    math.raw_set(
        "log",
        lua.create_function(|lua, (value, base): (Value, Value)| {
            let n = argument(lua, &value, 1, "log")?;
            if base.is_nil() {
                return Ok(libm::log(n));
            }
            let base = argument(lua, &base, 2, "log")?;
            Ok(if base == 2.0 {
                libm::log2(n)
            } else if base == 10.0 {
                libm::log10(n)
            } else {
                libm::log(n) / libm::log(base)
            })
        })?,
    )?;
    math.raw_set("random", lua.create_function(|lua, args: Variadic<Value>| random(lua, &args))?)?;
    math.raw_set(
        "randomseed",
        lua.create_function(|lua, args: Variadic<Value>| {
            let seed = args.iter().fold(0u64, |seed, value| {
                let n = number(value).unwrap_or(0.0);
                seed.rotate_left(17) ^ n.to_bits()
            });
            if args.is_empty() {
                let message = "math.randomseed needs a seed here: equal scripts give equal shots";
                return Err(raise(lua, Diagnostic::error(message)));
            }
            *context(lua).dice.borrow_mut() = super::chance::Stream::new("math.random", seed);
            Ok(())
        })?,
    )
}

fn argument(lua: &Lua, value: &Value, i: usize, name: &str) -> mlua::Result<f64> {
    let moment = match value {
        Value::Table(table) => table.raw_get::<Value>("t").ok(),
        _ => None,
    };
    let coerced = lua.coerce_number(moment.unwrap_or_else(|| value.clone()))?;
    coerced.ok_or_else(|| {
        let kind = super::values::describe(value);
        let message = format!("bad argument #{i} to '{name}' (number expected, got {kind})");
        raise(lua, Diagnostic::error(message))
    })
}

fn random(lua: &Lua, args: &[Value]) -> mlua::Result<Value> {
    let cx = context(lua);
    let mut dice = cx.dice.borrow_mut();
    let whole = |i: usize| {
        super::values::integer(&args[i]).ok_or_else(|| {
            let message = format!("bad argument #{} to 'random' (whole number expected)", i + 1);
            raise(lua, Diagnostic::error(message))
        })
    };
    let (low, high) = match args.len() {
        0 => return Ok(Value::Number(dice.unit())),
        1 => (1, whole(0)?),
        2 => (whole(0)?, whole(1)?),
        _ => return Err(raise(lua, Diagnostic::error("wrong number of arguments to 'random'"))),
    };
    if args.len() == 1 && high == 0 {
        return Ok(Value::Integer(dice.next() as i64));
    }
    if low > high {
        let message = "bad argument to 'random' (interval is empty)";
        return Err(raise(lua, Diagnostic::error(message)));
    }
    Ok(Value::Integer(dice.integer(low, high)))
}
