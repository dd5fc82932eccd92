//! Opens the `retake` library in a Lua state: every call of the schemas becomes a function.

use super::api;
use super::engine::compile;
use super::invocation::{answer, context, raise};
use super::object::Methods;
use super::schema::Class;
use crate::diagnostics::Diagnostic;
use mlua::{Function, Lua, MultiValue, Table, Value};
use std::collections::BTreeMap;

/// Registry name of the table of modules that were required.
const MODULES: &str = "retake.modules";

/// The table of modules that were required, `retake` among them.
pub(super) fn modules(lua: &Lua) -> mlua::Result<Table> {
    lua.named_registry_value(MODULES)
}

pub(super) fn open(lua: &Lua) -> mlua::Result<()> {
    let mut tables: BTreeMap<Class, Table> = BTreeMap::new();
    for class in Class::ALL {
        tables.insert(class, lua.create_table()?);
    }
    for call in api::calls() {
        let function = lua.create_function(move |lua, args: MultiValue| answer(lua, call, args))?;
        tables[&call.on].raw_set(call.name, function)?;
    }
    let retake = tables[&Class::Retake].clone();
    retake.raw_set("mesh", tables[&Class::MeshLibrary].clone())?;
    retake.raw_set("material", tables[&Class::MaterialLibrary].clone())?;
    for class in [Class::Retake, Class::MeshLibrary, Class::MaterialLibrary] {
        tables[&class].set_metatable(Some(guard(lua, class)?))?;
    }
    lua.set_app_data(Methods(tables));
    let modules = lua.create_table()?;
    modules.raw_set("retake", retake)?;
    lua.set_named_registry_value(MODULES, modules)?;
    lua.globals().raw_set("require", lua.create_function(|lua, name: Value| require(lua, &name))?)
}

/// Names what a library has not.
fn guard(lua: &Lua, class: Class) -> mlua::Result<Table> {
    let meta = lua.create_table()?;
    let missing =
        lua.create_function(move |lua, (_, key): (Table, Value)| -> mlua::Result<()> {
            let name = match &key {
                Value::String(name) => name.to_string_lossy(),
                other => super::values::describe(other),
            };
            Err(raise(lua, super::access::unknown_call(class, &name)))
        })?;
    let fixed = lua.create_function(move |lua, (_, key): (Table, Value)| -> mlua::Result<()> {
        let name = super::values::describe(&key);
        let prefix = class.prefix().trim_end_matches('.');
        let message = format!("{name} cannot be set in the library `{prefix}`");
        Err(raise(lua, Diagnostic::error(message)))
    })?;
    meta.raw_set("__index", missing)?;
    meta.raw_set("__newindex", fixed)?;
    meta.raw_set("__metatable", false)?;
    Ok(meta)
}

fn require(lua: &Lua, name: &Value) -> mlua::Result<Value> {
    let Value::String(name) = name else {
        let given = super::values::describe(name);
        let message = format!("`require` takes a module's name, not {given}");
        return Err(raise(lua, Diagnostic::error(message)));
    };
    let name = name.to_string_lossy();
    let modules = modules(lua)?;
    if name == "retake" {
        return modules.raw_get("retake");
    }
    let cx = context(lua);
    let path = cx.files.module(&name).map_err(|d| raise(lua, d))?;
    let key = format!("file {}", cx.files.name_of(&path));
    match modules.raw_get::<Value>(key.as_str())? {
        Value::Nil => {}
        Value::Boolean(false) => {
            let message = format!("the module `{name}` requires itself");
            return Err(raise(lua, Diagnostic::error(message)));
        }
        loaded => return Ok(loaded),
    }
    let source = cx.files.read_source(&path).map_err(|d| raise(lua, d))?;
    modules.raw_set(key.as_str(), false)?;
    let chunk: Function = compile(lua, &source)?;
    let value: Value = chunk.call(name)?;
    let value = if value.is_nil() { Value::Boolean(true) } else { value };
    modules.raw_set(key, value.clone())?;
    Ok(value)
}
