//! Reads the table of a call by its schema: what is not in the schema is refused, and every error
//! names the key, what was expected and what was given.

mod animated;
mod plain;
mod things;

use super::invocation::{Invocation, raise};
use super::sampling::Sampling;
use super::schema::{Key, Schema};
use super::values::{describe, number_text};
use crate::diagnostics::{Diagnostic, nearest};
use mlua::{Function, Table, Value};

/// The table of one call.
pub(crate) struct Options<'a> {
    pub(crate) inv: &'a Invocation<'a>,
    schema: &'static Schema,
    pub(crate) table: Table,
    /// The keys that lead to this table, outermost first.
    path: Vec<String>,
    sampling: Option<Sampling>,
}

impl<'a> Options<'a> {
    /// The name of the call or table that it belongs to.
    pub(crate) fn name(&self) -> &'static str {
        self.schema.name
    }

    /// Checks every key of `table` against `schema`.
    pub(crate) fn new(
        inv: &'a Invocation<'a>,
        schema: &'static Schema,
        table: Table,
        path: Vec<String>,
    ) -> mlua::Result<Self> {
        let sampling = inv.cx.shot.borrow().as_ref().map(|shot| shot.sampling);
        let options = Self { inv, schema, table, path, sampling };
        options.check_keys()?;
        Ok(options)
    }

    /// The same table with another range of times for its functions.
    pub(crate) fn sampled(mut self, sampling: Sampling) -> Self {
        self.sampling = Some(sampling);
        self
    }

    fn check_keys(&self) -> mlua::Result<()> {
        let listed = self.table.raw_len() as i64;
        for key in super::engine::sorted_keys(self.inv.lua, &self.table)? {
            match &key {
                Value::String(name) => self.check_name(&name.to_string_lossy())?,
                Value::Integer(i) if self.schema.list.is_some() && (1..=listed).contains(i) => {}
                Value::Integer(i) if (1..=listed).contains(i) => {
                    let value: Value = self.table.raw_get(*i)?;
                    let name = self.schema.name;
                    return Err(self.inv.fault_hint(
                        format!("{name} has {} without a key", describe(&value)),
                        format!("write `key = value`; {}", self.known()),
                    ));
                }
                other => {
                    let name = self.schema.name;
                    return Err(self.inv.fault_hint(
                        format!("unknown key `{}` in {name}", describe(other)),
                        self.known(),
                    ));
                }
            }
        }
        for key in self.schema.all().filter(|k| k.needed) {
            if !self.has(key.name)? {
                let name = self.schema.name;
                return Err(self.inv.fault_hint(
                    format!("{name} needs `{}`", key.name),
                    format!("{}: {}", key.name, key.doc),
                ));
            }
        }
        Ok(())
    }

    fn check_name(&self, name: &str) -> mlua::Result<()> {
        match self.schema.find(name) {
            Some(_) => Ok(()),
            None => {
                let message = format!("unknown key `{name}` in {}", self.schema.name);
                let names = self.schema.all().map(|k| k.name);
                let hint = match nearest(name, names) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => self.known(),
                };
                Err(self.fault(name, message, Some(hint)))
            }
        }
    }

    fn known(&self) -> String {
        let names: Vec<String> = self.schema.all().map(|k| format!("`{}`", k.name)).collect();
        format!("{} takes {}", self.schema.name, names.join(", "))
    }

    fn has(&self, name: &str) -> mlua::Result<bool> {
        Ok(!self.table.raw_get::<Value>(name)?.is_nil())
    }

    /// Whether the script gave `name`.
    pub(crate) fn given(&self, name: &str) -> mlua::Result<bool> {
        self.has(name)
    }

    /// An error at the line of key `name`.
    pub(crate) fn fault(
        &self,
        name: &str,
        message: impl Into<String>,
        hint: Option<String>,
    ) -> mlua::Error {
        let mut path: Vec<&str> = self.path.iter().map(String::as_str).collect();
        path.push(name);
        let place = self.inv.cx.place_of_key(self.inv.place(), &path);
        let mut diagnostic = Diagnostic::error(message).at(place);
        diagnostic.hint = hint;
        raise(self.inv.lua, diagnostic)
    }

    /// "`friction` in cloth must be a number from 0 to 10, not -1".
    pub(crate) fn wrong(&self, name: &str, expected: &str, given: &Value) -> mlua::Error {
        self.wrong_text(name, expected, &describe(given), None)
    }

    fn wrong_text(
        &self,
        name: &str,
        expected: &str,
        given: &str,
        hint: Option<String>,
    ) -> mlua::Error {
        let table = self.schema.name;
        self.fault(name, format!("`{name}` in {table} must be {expected}, not {given}"), hint)
    }

    fn key(&self, name: &str) -> &'static Key {
        self.schema
            .find(name)
            .unwrap_or_else(|| unreachable!("the schema of {} has no key {name}", self.schema.name))
    }

    /// The value as the script gave it; nil where it did not.
    pub(crate) fn value(&self, name: &str) -> mlua::Result<Value> {
        debug_assert!(self.schema.find(name).is_some(), "{name} is not in {}", self.schema.name);
        self.table.raw_get(name)
    }

    /// A table inside this one, read by `schema`.
    pub(crate) fn table_as(
        &self,
        name: &str,
        schema: &'static Schema,
    ) -> mlua::Result<Option<Options<'a>>> {
        match self.value(name)? {
            Value::Nil => Ok(None),
            Value::Table(table) => {
                let mut path = self.path.clone();
                path.push(name.to_owned());
                Ok(Some(Options::new(self.inv, schema, table, path)?))
            }
            other => Err(self.wrong(name, "a table", &other)),
        }
    }

    pub(crate) fn function(&self, name: &str) -> mlua::Result<Option<Function>> {
        match self.value(name)? {
            Value::Nil => Ok(None),
            Value::Function(f) => Ok(Some(f)),
            other => Err(self.wrong(name, "a function", &other)),
        }
    }

    /// `starts` and `ends` in order.
    pub(crate) fn interval(&self) -> mlua::Result<(Option<f64>, Option<f64>)> {
        let (starts, ends) = (self.number("starts")?, self.number("ends")?);
        if let (Some(a), Some(b)) = (starts, ends)
            && b < a
        {
            let message = format!(
                "{} ends before it starts: `starts` is {} s and `ends` is {} s",
                self.schema.name,
                number_text(a),
                number_text(b)
            );
            return Err(self.fault("ends", message, None));
        }
        Ok((starts, ends))
    }
}

/// `one of "start", "flat"`.
fn one_of(words: &[&str]) -> String {
    if let [word] = words { format!("\"{word}\"") } else { format!("one of {}", list_of(words)) }
}

pub(crate) fn list_of(words: &[&str]) -> String {
    words.iter().map(|w| format!("\"{w}\"")).collect::<Vec<_>>().join(", ")
}
