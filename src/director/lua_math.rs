//! The functions of `math` whose last bits depend on the C library, and its dice.

use super::invocation::{context, raise};
use super::values::number;
use crate::diagnostics::Diagnostic;
use mlua::{Lua, Table, Value, Variadic};

/// Replaces them in the table `math`.
pub(super) fn replace(lua: &Lua, math: &Table) -> mlua::Result<()> {
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
        let mut problem = Diagnostic::error(message);
        if kind.contains("of a field") {
            problem = problem.hint(format!("write `retake.{name}`"));
        }
        raise(lua, problem)
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
