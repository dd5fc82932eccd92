//! What a handle answers to `handle.name`, `a + b`, `tostring(handle)`.

use super::invocation::{context, raise};
use super::object::{Methods, Object};
use super::schema::Class;
use super::select;
use super::values::describe as describe_value;
use crate::diagnostics::{Diagnostic, nearest};
use mlua::{AnyUserData, Lua, Table, Value};
use std::rc::Rc;

/// The operators of points.
#[derive(Clone, Copy)]
pub(super) enum Join {
    Add,
    Subtract,
}

/// A call of the handle's class.
pub(super) fn index(lua: &Lua, this: &AnyUserData, key: &Value) -> mlua::Result<Value> {
    let class = this.borrow::<Object>()?.class();
    let Value::String(name) = key else {
        let message = format!("{} has no {}", class.noun(), describe_value(key));
        return Err(raise(lua, Diagnostic::error(message)));
    };
    let name = name.to_string_lossy();
    if class == Class::World
        && let Some(value) = super::api::world::field(lua, &name)?
    {
        return Ok(value);
    }
    let methods: Option<Table> =
        lua.app_data_ref::<Methods>().and_then(|methods| methods.0.get(&class).cloned());
    if let Some(methods) = &methods {
        let found: Value = methods.raw_get(name.as_str())?;
        if !found.is_nil() {
            return Ok(found);
        }
    }
    Err(raise(lua, unknown_call(class, &name)))
}

/// The error of a call that there is not.
pub(super) fn unknown_call(class: Class, name: &str) -> Diagnostic {
    let calls = super::api::calls().filter(|c| c.on == class);
    let mut names: Vec<&str> = calls.map(|c| c.name).collect();
    match class {
        Class::Retake => names.extend(["mesh", "material"]),
        Class::World => names.extend(["frame", "time", "memory"]),
        _ => {}
    }
    let prefix = class.prefix();
    let hint = match nearest(name, names.iter().copied()) {
        Some(near) => format!("did you mean `{prefix}{near}`?"),
        None => {
            let all: Vec<String> = names.iter().map(|n| format!("`{n}`")).collect();
            format!("there is {}", all.join(", "))
        }
    };
    Diagnostic::error(format!("unknown call `{prefix}{name}`")).hint(hint)
}

pub(super) fn new_index(
    lua: &Lua,
    this: &AnyUserData,
    key: &Value,
    _value: &Value,
) -> mlua::Result<()> {
    let class = this.borrow::<Object>()?.class();
    let key = match key {
        Value::String(name) => name.to_string_lossy(),
        other => describe_value(other),
    };
    let hint = if class == Class::World {
        "callbacks remember things in fields of it, as in `world.memory.count = 1`"
    } else {
        "give it in the table of the call that makes it"
    };
    let message = format!("`{key}` of {} cannot be set", class.noun());
    Err(raise(lua, Diagnostic::error(message).hint(hint)))
}

pub(super) fn combine(lua: &Lua, a: &Value, b: &Value, how: Join) -> mlua::Result<Value> {
    match (Object::from_value(a), Object::from_value(b)) {
        (Some(Object::Points(a)), Some(Object::Points(b))) => {
            let points = match how {
                Join::Add => select::join(&a, &b),
                Join::Subtract => select::subtract(&a, &b),
            };
            Object::Points(Rc::new(points)).into_value(lua)
        }
        _ => {
            let sign = match how {
                Join::Add => "+",
                Join::Subtract => "-",
            };
            let message = format!(
                "`{sign}` joins selected points, not {} and {}",
                describe_value(a),
                describe_value(b)
            );
            Err(raise(lua, Diagnostic::error(message)))
        }
    }
}

/// What `tostring` and `print` show.
pub(super) fn describe(lua: &Lua, this: &AnyUserData) -> mlua::Result<String> {
    let object = this.borrow::<Object>()?.clone();
    let cx = context(lua);
    let shot = cx.shot.borrow();
    let scene = shot.as_ref().map(|s| &s.scene);
    let body = |i: usize| scene.and_then(|s| s.bodies.get(i)).map_or("", |b| b.name.as_str());
    Ok(match &object {
        Object::Shot => format!("shot {}", scene.map_or("", |s| s.name.as_str())),
        Object::Mesh(mesh) => format!(
            "mesh of {} vertices and {} triangles",
            mesh.positions.len(),
            mesh.triangles.len()
        ),
        Object::Stage(stage) => format!("stage {}", stage.path),
        Object::Map(map) => format!("map {}", map.name),
        Object::Keys(_) => "keys".to_owned(),
        Object::Path(path) => format!("path of {} points", path.len()),
        Object::Body(i) | Object::WorldBody(i) => format!("body {}", body(*i)),
        Object::Points(points) => format!("{} points", select::count(points)),
        Object::Spot(anchor, p) => {
            format!("place {{{}, {}, {}}} on {}", p.x, p.y, p.z, body(anchor.body))
        }
        Object::Constraint(i) => {
            let constraint = shot.as_ref().and_then(|s| {
                s.handles.get(*i).and_then(|h| s.scene.constraints.get(h.constraint))
            });
            format!("constraint {}", constraint.map_or("", |c| c.name.as_str()))
        }
        Object::Force(name) => format!("force {name}"),
        Object::Camera(name) => format!("camera {name}"),
        Object::Light(name) => format!("light {name}"),
        Object::Stream(..) => "random stream".to_owned(),
        Object::World => "world".to_owned(),
    })
}
