//! Fields of force: a function of a script is called once with symbols, and what it does with them is
//! recorded as an expression.

use super::super::invocation::{Invocation, raise};
use super::super::options::Options;
use super::super::schema::{Args, Call, Class};
use super::super::values::{describe, number};
use crate::diagnostics::Diagnostic;
use crate::scene::{Field, Given, One, Step, Two};
use mlua::{Lua, MetaMethod, MultiValue, Table, UserData, UserDataMethods, Value};
use std::cell::RefCell;
use std::rc::Rc;

/// Most steps of an expression.
const MOST_STEPS: usize = 10_000;

/// What has been recorded so far.
type Record = Rc<RefCell<Vec<Step>>>;

/// A number that is not known yet: a step of a record.
#[derive(Clone)]
pub(in crate::director) struct Symbol {
    record: Record,
    step: u32,
}

const X: &[(&str, &str, &str)] = &[("x", "number", "a number, or a symbol of a field")];
const TWO: &[(&str, &str, &str)] =
    &[("a", "number", "a number, or a symbol of a field"), ("b", "number", "another")];
const CHOICE: &[(&str, &str, &str)] = &[
    ("condition", "number", "what is asked whether it is above zero"),
    ("yes", "number", "the answer where it is"),
    ("no", "number", "the answer where it is not"),
];

const fn one(name: &'static str, doc: &'static str) -> Call {
    Call::new(Class::Retake, name, Args::Values(X), of_one).returns("number").doc(doc)
}

const fn two(name: &'static str, doc: &'static str) -> Call {
    Call::new(Class::Retake, name, Args::Values(TWO), of_two).returns("number").doc(doc)
}

pub(super) const CALLS: &[Call] = &[
    one("sin", "Sine of an angle in radians, in a field too."),
    one("cos", "Cosine of an angle in radians, in a field too."),
    one("exp", "e to the power of a number, in a field too."),
    one("log", "Natural logarithm, in a field too."),
    one("sqrt", "Square root, in a field too."),
    one("abs", "Size without sign, in a field too."),
    one("floor", "Largest whole number that is not above it, in a field too."),
    two("min", "The smaller of two, in a field too."),
    two("max", "The larger of two, in a field too."),
    two("atan2", "Angle of the point (b, a) from the first axis in radians, in a field too."),
    Call::new(Class::Retake, "select", Args::Values(CHOICE), select)
        .returns("number")
        .doc("One of two numbers, by whether a third is above zero: in a field what `if` is elsewhere.")
        .example(
            "shot:force{ per = \"mass\", field = function(p)\n  \
             return retake.select(p.y - 1, -4, 0) * p.vx, 0, 2 * retake.sin(3 * p.t)\nend }",
        ),
];

/// The number of a step.
fn push(record: &Record, step: Step) -> u32 {
    let mut steps = record.borrow_mut();
    steps.push(step);
    steps.len() as u32 - 1
}

/// `value` as a step of `record`; none where it is neither a number nor a symbol.
fn step_of(record: &Record, value: &Value) -> Option<u32> {
    if let Some(n) = number(value) {
        return Some(push(record, Step::Number(n)));
    }
    let Value::UserData(data) = value else { return None };
    let symbol = data.borrow::<Symbol>().ok()?;
    Rc::ptr_eq(&symbol.record, record).then_some(symbol.step)
}

/// The record of the first symbol among `values`.
fn record_of(values: &[Value]) -> Option<Record> {
    values.iter().find_map(|value| match value {
        Value::UserData(data) => {
            data.borrow::<Symbol>().ok().map(|symbol| Rc::clone(&symbol.record))
        }
        _ => None,
    })
}

/// Records a step of `values`; the error is the value that is no number.
fn record(
    lua: &Lua,
    record: &Record,
    values: &[Value],
    step: impl Fn(&[u32]) -> Step,
) -> mlua::Result<Value> {
    let mut steps = Vec::new();
    for value in values {
        let Some(own) = step_of(record, value) else {
            let message =
                format!("a field reckons with numbers and symbols, not with {}", describe(value));
            return Err(raise(lua, Diagnostic::error(message)));
        };
        steps.push(own);
    }
    let step = push(record, step(&steps));
    if step as usize >= MOST_STEPS {
        let message = format!("a field takes more than {MOST_STEPS} steps");
        return Err(raise(lua, Diagnostic::error(message)));
    }
    let symbol = Symbol { record: Rc::clone(record), step };
    Ok(Value::UserData(lua.create_userdata(symbol)?))
}

impl UserData for Symbol {
    fn add_methods<M: UserDataMethods<Self>>(methods: &mut M) {
        let twos = [
            (MetaMethod::Add, Two::Add),
            (MetaMethod::Sub, Two::Subtract),
            (MetaMethod::Mul, Two::Multiply),
            (MetaMethod::Div, Two::Divide),
            (MetaMethod::Pow, Two::Power),
        ];
        for (method, function) in twos {
            methods.add_meta_function(method, move |lua, (a, b): (Value, Value)| {
                let values = [a, b];
                let Some(own) = record_of(&values) else { return Ok(Value::Nil) };
                record(lua, &own, &values, |s| Step::Two(function, s[0], s[1]))
            });
        }
        methods.add_meta_method(MetaMethod::Unm, |lua, this, _: Value| {
            let step = this.step;
            record(lua, &this.record, &[], |_| Step::One(One::Negative, step))
        });
        for method in [MetaMethod::Lt, MetaMethod::Le, MetaMethod::Eq] {
            methods.add_meta_function(method, |lua, _: (Value, Value)| -> mlua::Result<bool> {
                let message =
                    "a field is asked once with symbols, so that nothing in it can be compared";
                let hint = "write `retake.select(a - b, yes, no)`, which takes `yes` where a > b";
                Err(raise(lua, Diagnostic::error(message).hint(hint)))
            });
        }
        for (method, word) in [
            (MetaMethod::Mod, "`%`"),
            (MetaMethod::IDiv, "`//`"),
            (MetaMethod::Concat, "`..`"),
            (MetaMethod::Len, "`#`"),
        ] {
            methods.add_meta_function(method, move |lua, _: MultiValue| -> mlua::Result<Value> {
                let message = format!("symbols of a field have no {word}");
                let hint = "`retake.floor(a / b)` is the whole part of a quotient";
                Err(raise(lua, Diagnostic::error(message).hint(hint)))
            });
        }
        methods.add_meta_method(MetaMethod::ToString, |_, _, _: Value| Ok("symbol of a field"));
    }
}

/// Answers a call of numbers: with a number, or with a symbol where one is among them.
fn answer(
    inv: &Invocation,
    count: usize,
    plain: impl Fn(&[f64]) -> f64,
    step: impl Fn(&[u32]) -> Step,
) -> mlua::Result<Value> {
    inv.at_most(count)?;
    let values: Vec<Value> = (0..count).map(|i| inv.arg(i)).collect();
    if let Some(own) = record_of(&values) {
        return record(inv.lua, &own, &values, step);
    }
    let numbers: Vec<f64> = values.iter().filter_map(number).collect();
    if numbers.len() < count {
        let wrong = values.iter().find(|value| number(value).is_none()).cloned();
        return Err(inv.wrong_arg("numbers or symbols of a field", &wrong.unwrap_or(Value::Nil)));
    }
    Ok(Value::Number(plain(&numbers)))
}

fn of_one(inv: &Invocation) -> mlua::Result<Value> {
    let function = match inv.call.name {
        "sin" => One::Sin,
        "cos" => One::Cos,
        "exp" => One::Exp,
        "log" => One::Log,
        "sqrt" => One::Sqrt,
        "abs" => One::Abs,
        _ => One::Floor,
    };
    answer(inv, 1, |n| function.at(n[0]).0, |s| Step::One(function, s[0]))
}

fn of_two(inv: &Invocation) -> mlua::Result<Value> {
    let function = match inv.call.name {
        "min" => Two::Min,
        "max" => Two::Max,
        _ => Two::Atan2,
    };
    answer(inv, 2, |n| function.at(n[0], n[1]).0, |s| Step::Two(function, s[0], s[1]))
}

fn select(inv: &Invocation) -> mlua::Result<Value> {
    let plain = |n: &[f64]| if n[0] > 0.0 { n[1] } else { n[2] };
    answer(inv, 3, plain, |s| Step::Select(s[0], s[1], s[2]))
}

/// The point that a field is asked with.
fn point(lua: &Lua, record: &Record) -> mlua::Result<Table> {
    let point = lua.create_table()?;
    let given = [
        ("t", Given::Time),
        ("x", Given::Place(0)),
        ("y", Given::Place(1)),
        ("z", Given::Place(2)),
        ("vx", Given::Velocity(0)),
        ("vy", Given::Velocity(1)),
        ("vz", Given::Velocity(2)),
    ];
    for (name, given) in given {
        let step = push(record, Step::Given(given));
        let symbol = Symbol { record: Rc::clone(record), step };
        point.raw_set(name, lua.create_userdata(symbol)?)?;
    }
    let meta = lua.create_table()?;
    let missing = |lua: &Lua, (_, key): (Table, Value)| -> mlua::Result<Value> {
        let message = format!("the point of a field has no {}", describe(&key));
        let hint = "it has t, x, y, z, vx, vy and vz";
        Err(raise(lua, Diagnostic::error(message).hint(hint)))
    };
    meta.raw_set("__index", lua.create_function(missing)?)?;
    meta.raw_set("__metatable", false)?;
    point.set_metatable(Some(meta))?;
    Ok(point)
}

/// The function `name` of a call as an expression.
pub(super) fn field(o: &Options, name: &str) -> mlua::Result<Option<Field>> {
    let Some(function) = o.function(name)? else { return Ok(None) };
    let record: Record = Rc::default();
    let answer: MultiValue = function.call(point(o.inv.lua, &record)?)?;
    let values: Vec<Value> = match (answer.len(), answer.front()) {
        (1, Some(Value::Table(list))) => list.sequence_values().collect::<mlua::Result<_>>()?,
        _ => answer.into_iter().collect(),
    };
    let steps: Vec<u32> = values.iter().filter_map(|value| step_of(&record, value)).collect();
    let (Ok(results), 3) = (<[u32; 3]>::try_from(steps), values.len()) else {
        let given: Vec<String> = values.iter().map(describe).collect();
        let given = if given.is_empty() { "nothing".into() } else { given.join(", ") };
        let message = format!("`{name}` in {} must return a force x, y, z, not {given}", o.name());
        return Err(o.fault(name, message, None));
    };
    let steps = record.take();
    Ok(Some(Field { steps, results }))
}
