//! `find`, `match` and what `gmatch` and `gsub` of the prelude stand on, with counted work.

use super::engine::exhausted_error;
use super::invocation::{context, raise};
use super::pattern::{self, Capture};
use crate::diagnostics::Diagnostic;
use mlua::{Lua, LuaString, MultiValue, Value, Variadic};

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
pub(super) fn find(lua: &Lua, args: &[Value], positions: bool) -> mlua::Result<MultiValue> {
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
pub(super) fn next_match(
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
pub(super) fn expand(
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
