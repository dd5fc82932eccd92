//! Callbacks may not change what the script left behind: such a change would be lost when a run is
//! taken up again. Everything that a callback can reach is compared before and after its call.

use super::sandbox::GET_UPVALUE;
use mlua::{Function, Lua, MultiValue, Table, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Most values that are looked at; beyond them changes go unnoticed.
const MOST: usize = 100_000;

/// A value, as far as a change can be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Leaf {
    Nil,
    Bool(bool),
    Integer(i64),
    Number(u64),
    Text(Vec<u8>),
    /// A table, function or handle: which one.
    Thing(usize),
}

impl Leaf {
    pub(super) fn of(value: &Value) -> Self {
        match value {
            Value::Nil => Self::Nil,
            Value::Boolean(b) => Self::Bool(*b),
            Value::Integer(i) => Self::Integer(*i),
            Value::Number(n) => Self::Number(n.to_bits()),
            Value::String(s) => Self::Text(s.as_bytes().to_vec()),
            other => Self::Thing(other.to_pointer() as usize),
        }
    }
}

/// What callbacks can reach: names and values in the order of discovery.
#[derive(Default)]
pub(super) struct Reachable {
    leaves: BTreeMap<String, Leaf>,
    seen: BTreeSet<usize>,
    is_full: bool,
}

impl Reachable {
    /// Everything that `functions` can reach.
    pub(super) fn of(lua: &Lua, functions: &[Function]) -> mlua::Result<Self> {
        let mut reachable = Self::default();
        let globals = lua.globals();
        let get_upvalue: Function = lua.named_registry_value(GET_UPVALUE)?;
        for function in functions {
            reachable.function(function, &get_upvalue, "", 0)?;
        }
        reachable.table(&globals, &get_upvalue, "global ", 0)?;
        Ok(reachable)
    }

    /// The first name whose value differs.
    pub(super) fn first_change(&self, after: &Self) -> Option<String> {
        if self.is_full || after.is_full {
            return None;
        }
        let gone = self.leaves.iter().find(|(name, leaf)| after.leaves.get(*name) != Some(*leaf));
        let come = after.leaves.keys().find(|name| !self.leaves.contains_key(*name));
        gone.map(|(name, _)| name).or(come).cloned()
    }

    fn note(&mut self, name: &str, value: &Value) {
        if self.leaves.len() >= MOST {
            self.is_full = true;
            return;
        }
        self.leaves.insert(name.to_owned(), Leaf::of(value));
    }

    fn value(&mut self, value: &Value, get: &Function, name: &str, depth: u32) -> mlua::Result<()> {
        self.note(name, value);
        if self.is_full || depth > 64 {
            return Ok(());
        }
        match value {
            Value::Function(function) => self.function(function, get, name, depth + 1),
            Value::Table(table) => {
                let separator = if name.is_empty() { "" } else { "." };
                self.table(table, get, &format!("{name}{separator}"), depth + 1)
            }
            _ => Ok(()),
        }
    }

    fn function(
        &mut self,
        function: &Function,
        get: &Function,
        name: &str,
        depth: u32,
    ) -> mlua::Result<()> {
        let info = function.info();
        if info.what != "Lua" && info.what != "main" {
            return Ok(());
        }
        // The sandbox's own functions keep nothing of a script.
        if info.source.as_deref().is_none_or(|s| !s.starts_with('@')) {
            return Ok(());
        }
        if !self.seen.insert(function.to_pointer() as usize) {
            return Ok(());
        }
        let prefix = if name.is_empty() { String::new() } else { format!("{name}, ") };
        for i in 1..=255 {
            let found: MultiValue = get.call((function, i))?;
            let mut found = found.into_iter();
            let Some(Value::String(upvalue)) = found.next() else { break };
            let upvalue = upvalue.to_string_lossy();
            if upvalue == "_ENV" {
                continue;
            }
            let value = found.next().unwrap_or(Value::Nil);
            self.value(&value, get, &format!("{prefix}{upvalue}"), depth)?;
        }
        Ok(())
    }

    fn table(
        &mut self,
        table: &Table,
        get: &Function,
        prefix: &str,
        depth: u32,
    ) -> mlua::Result<()> {
        if !self.seen.insert(table.to_pointer() as usize) {
            return Ok(());
        }
        let mut entries = Vec::new();
        for pair in table.pairs::<Value, Value>() {
            let (key, value) = pair?;
            let name = match &key {
                Value::String(s) => s.to_string_lossy(),
                Value::Integer(i) => format!("[{i}]"),
                Value::Number(n) => format!("[{n}]"),
                Value::Boolean(b) => format!("[{b}]"),
                other => format!("[{}]", super::values::describe(other)),
            };
            entries.push((name, value));
            if entries.len() > MOST {
                self.is_full = true;
                return Ok(());
            }
        }
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        for (name, value) in entries {
            self.value(&value, get, &format!("{prefix}{name}"), depth)?;
        }
        Ok(())
    }
}
