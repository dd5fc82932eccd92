//! One call of a script while it is being answered: its arguments, its place, its errors.

use super::context::{Context, Phase};
use super::object::Object;
use super::options::Options;
use super::schema::{Call, Class, Run, Schema, When};
use super::shot::ShotState;
use crate::diagnostics::{Diagnostic, Place};
use mlua::{Lua, MultiValue, Value};
use std::cell::{Ref, RefMut};
use std::rc::Rc;

/// A call being answered.
pub(crate) struct Invocation<'a> {
    pub(crate) lua: &'a Lua,
    pub(crate) cx: Rc<Context>,
    pub(crate) call: &'static Call,
    /// What the call hangs on; none for libraries.
    pub(crate) this: Option<Object>,
    pub(crate) args: Vec<Value>,
}

/// The shared state of `lua`.
pub(crate) fn context(lua: &Lua) -> Rc<Context> {
    let found = lua.app_data_ref::<Rc<Context>>();
    found.map(|cx| Rc::clone(&cx)).expect("set when the state is made")
}

/// The innermost line of a script that is being run.
pub(crate) fn script_place(lua: &Lua) -> Option<Place> {
    for level in 0..64 {
        let found = lua.inspect_stack(level, |debug| {
            let source = debug.source().source.map(std::borrow::Cow::into_owned);
            (source, debug.current_line())
        })?;
        if let (Some(source), Some(line)) = found
            && let Some(file) = source.strip_prefix('@')
        {
            return Some(Place::new(file, line as u32));
        }
    }
    None
}

/// Raises `diagnostic` as a Lua error, at the script's line where it has no place yet.
pub(crate) fn raise(lua: &Lua, mut diagnostic: Diagnostic) -> mlua::Error {
    if diagnostic.place.is_none() {
        diagnostic.place = script_place(lua);
    }
    mlua::Error::external(diagnostic)
}

/// Answers a call: checks when and on what it is made, then runs it.
pub(crate) fn answer(lua: &Lua, call: &'static Call, args: MultiValue) -> mlua::Result<MultiValue> {
    let cx = context(lua);
    let mut args: Vec<Value> = args.into_iter().collect();
    let path = call.path();
    let this = if call.on.is_library() {
        None
    } else {
        let object = args.first().and_then(Object::from_value).filter(|o| o.class() == call.on);
        if object.is_none() {
            let given = args.first().map_or_else(|| "nothing".to_owned(), super::values::describe);
            let wrong = format!("`{path}` must be called on {}, not on {given}", call.on.noun());
            let hint = format!("call it with a colon: `{path}`");
            return Err(raise(lua, Diagnostic::error(wrong).hint(hint)));
        }
        args.remove(0);
        object
    };
    if call.on.is_library() && call.on != Class::Retake && takes_self(lua, &args) {
        let hint = format!("call it with a dot: `{path}`");
        let wrong = format!("`{path}` was called with a colon");
        return Err(raise(lua, Diagnostic::error(wrong).hint(hint)));
    }
    let running = cx.phase.get() != Phase::Building;
    match call.when {
        When::Building if running => {
            let wrong = format!("`{path}` cannot be called in a callback");
            let hint = "the shot is built before it runs; in a callback use what `world` offers \
                        and `release`";
            return Err(raise(lua, Diagnostic::error(wrong).hint(hint)));
        }
        When::Running if !running => {
            let wrong = format!("`{path}` can only be called in a callback");
            return Err(raise(lua, Diagnostic::error(wrong)));
        }
        _ => {}
    }
    let invocation = Invocation { lua, cx, call, this, args };
    match call.run {
        Run::One(run) => Ok(MultiValue::from_iter([run(&invocation)?])),
        Run::Several(run) => run(&invocation),
    }
}

/// Whether a library was called with a colon, which passes the library itself.
fn takes_self(lua: &Lua, args: &[Value]) -> bool {
    let Some(Value::Table(first)) = args.first() else { return false };
    let methods = lua.app_data_ref::<super::object::Methods>();
    methods.is_some_and(|m| m.0.values().any(|t| t.to_pointer() == first.to_pointer()))
}

impl Invocation<'_> {
    /// The line of the call.
    pub(crate) fn place(&self) -> Option<Place> {
        script_place(self.lua)
    }

    /// An error at the call.
    pub(crate) fn fault(&self, message: impl Into<String>) -> mlua::Error {
        raise(self.lua, Diagnostic::error(message))
    }

    /// An error at the call with advice.
    pub(crate) fn fault_hint(
        &self,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> mlua::Error {
        raise(self.lua, Diagnostic::error(message).hint(hint))
    }

    /// Argument `i`, counted from 0; nil where it is left out.
    pub(crate) fn arg(&self, i: usize) -> Value {
        self.args.get(i).cloned().unwrap_or(Value::Nil)
    }

    /// The call's table, checked against `schema`.
    pub(crate) fn options(&self, schema: &'static Schema) -> mlua::Result<Options<'_>> {
        self.options_at(0, schema, true)
    }

    /// Argument `i` as a table of `schema`; an empty one may be left out where it is not `needed`.
    pub(crate) fn options_at(
        &self,
        i: usize,
        schema: &'static Schema,
        needed: bool,
    ) -> mlua::Result<Options<'_>> {
        if self.args.len() > i + 1 {
            let path = self.call.path();
            return Err(self.fault_hint(
                format!("`{path}` takes {} and was given {}", count(i + 1), count(self.args.len())),
                format!("write `{path}{{ ... }}` with everything in one table"),
            ));
        }
        match self.arg(i) {
            Value::Table(table) => Options::new(self, schema, table, Vec::new()),
            Value::Nil if !needed => {
                Options::new(self, schema, self.lua.create_table()?, Vec::new())
            }
            other => Err(self.fault_hint(
                format!(
                    "`{}` takes a table with named keys, not {}",
                    self.call.path(),
                    super::values::describe(&other)
                ),
                format!("write `{}{{ ... }}`", self.call.path()),
            )),
        }
    }

    /// Argument `i` as a string.
    pub(crate) fn text(&self, i: usize, what: &str) -> mlua::Result<String> {
        match self.arg(i) {
            Value::String(s) => Ok(s.to_string_lossy()),
            other => Err(self.wrong_arg(what, &other)),
        }
    }

    /// Argument `i` as a whole number.
    pub(crate) fn whole(&self, i: usize, what: &str) -> mlua::Result<i64> {
        let value = self.arg(i);
        super::values::integer(&value).ok_or_else(|| self.wrong_arg(what, &value))
    }

    /// Refuses further arguments.
    pub(crate) fn at_most(&self, n: usize) -> mlua::Result<()> {
        if self.args.len() <= n {
            return Ok(());
        }
        Err(self.fault(format!(
            "`{}` takes {} and was given {}",
            self.call.path(),
            count(n),
            count(self.args.len())
        )))
    }

    pub(crate) fn wrong_arg(&self, what: &str, given: &Value) -> mlua::Error {
        self.fault(format!(
            "`{}` takes {what}, not {}",
            self.call.path(),
            super::values::describe(given)
        ))
    }

    /// The shot; an error where there is none yet.
    pub(crate) fn shot(&self) -> mlua::Result<Ref<'_, ShotState>> {
        Ref::filter_map(self.cx.shot.borrow(), Option::as_ref)
            .map_err(|_| self.fault_hint("there is no shot yet", "call `retake.shot{ ... }` first"))
    }

    pub(crate) fn shot_mut(&self) -> mlua::Result<RefMut<'_, ShotState>> {
        RefMut::filter_map(self.cx.shot.borrow_mut(), Option::as_mut)
            .map_err(|_| self.fault_hint("there is no shot yet", "call `retake.shot{ ... }` first"))
    }

    /// Counts bulk work that Lua's own instructions do not show.
    pub(crate) fn charge(&self, work: u64) -> mlua::Result<()> {
        if self.cx.meter.charge(work) {
            return Ok(());
        }
        Err(super::engine::exhausted_error(self.lua))
    }

    /// Index of the body that the call hangs on.
    pub(crate) fn body(&self) -> usize {
        match &self.this {
            Some(Object::Body(i) | Object::WorldBody(i)) => *i,
            _ => unreachable!("checked by `answer`"),
        }
    }

    /// The mesh that the call hangs on.
    pub(crate) fn mesh(&self) -> &Rc<crate::geometry::TriMesh> {
        match &self.this {
            Some(Object::Mesh(mesh)) => mesh,
            _ => unreachable!("checked by `answer`"),
        }
    }

    /// Wraps a handle.
    pub(crate) fn give(&self, object: Object) -> mlua::Result<Value> {
        object.into_value(self.lua)
    }
}

fn count(n: usize) -> String {
    match n {
        0 => "nothing".to_owned(),
        1 => "one argument".to_owned(),
        n => format!("{n} arguments"),
    }
}
