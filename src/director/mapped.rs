//! Values that may differ from vertex to vertex and over time.

use super::invocation::Invocation;
use super::object::Object;
use super::sampling::{Fault, Sampling, Surface, curve, describe_all, map, map_curve};
use super::values::{self, number_text};
use crate::scene::{MappedCurve, VertexMap};
use mlua::{Function, MultiValue, Table, Value};
use std::cell::Cell;
use std::rc::Rc;

/// A number that is mappable and animatable: anything that either takes. A function that looks at
/// the place of `p` is called for every vertex, at every sample if it looks at `p.t` too.
pub(crate) fn mapped_curve(
    inv: &Invocation,
    value: &Value,
    surface: &Surface,
    sampling: Sampling,
    allowed: &dyn Fn(f64) -> bool,
) -> Result<MappedCurve, Fault> {
    match (value, Object::from_value(value)) {
        (Value::Table(_), _) | (_, Some(Object::Map(_))) => {
            Ok(match map(inv, value, surface, allowed)? {
                VertexMap::Uniform(value) => MappedCurve::constant(value),
                VertexMap::PerVertex(values) => MappedCurve::PerVertex(values),
            })
        }
        (Value::Function(f), _) => match map_curve(inv, value, sampling, allowed) {
            Err(Fault::NotBuilt(_)) => of_place(inv, f, surface, sampling, allowed),
            told => told.map(MappedCurve::Uniform),
        },
        _ => curve(inv, value, sampling, allowed).map(MappedCurve::Uniform),
    }
}

/// A function of the place, and of the time where it asks for it.
fn of_place(
    inv: &Invocation,
    f: &Function,
    surface: &Surface,
    sampling: Sampling,
    allowed: &dyn Fn(f64) -> bool,
) -> Result<MappedCurve, Fault> {
    let clock = Rc::new(Clock { time: Cell::new(sampling.start), asked: Cell::new(false) });
    let points = points(inv, surface, &clock)?;
    let sample = |i: usize| -> Result<Vec<f64>, Fault> {
        clock.time.set(sampling.start + i as f64 / sampling.rate);
        inv.charge(points.len() as u64)?;
        let mut out = Vec::with_capacity(points.len());
        for (vertex, point) in points.iter().enumerate() {
            let given = f.call::<MultiValue>(point)?;
            match given.front().and_then(values::number) {
                Some(n) if allowed(n) => out.push(n),
                _ => {
                    return Err(Fault::Wrong(format!(
                        "a function that returns {} at vertex {vertex} (counted from 0), t = {}",
                        describe_all(&given),
                        number_text(clock.time.get())
                    )));
                }
            }
        }
        Ok(out)
    };
    let first = sample(0)?;
    if !clock.asked.get() {
        return Ok(MappedCurve::PerVertex(first));
    }
    let rest = (1..sampling.count()).map(sample);
    let samples = std::iter::once(Ok(first)).chain(rest).collect::<Result<_, _>>()?;
    Ok(MappedCurve::Moving { rate: sampling.rate, start: sampling.start, samples })
}

/// The time that points tell, and whether they were asked for it.
struct Clock {
    time: Cell<f64>,
    asked: Cell<bool>,
}

/// One `p` a vertex; their `t` is that of the clock.
fn points(inv: &Invocation, surface: &Surface, clock: &Rc<Clock>) -> mlua::Result<Vec<Table>> {
    let lua = inv.lua;
    let meta = lua.create_table()?;
    let clock = Rc::clone(clock);
    let index = move |_: &mlua::Lua, (_, key): (Table, Value)| {
        Ok(match &key {
            Value::String(name) if name.to_string_lossy() == "t" => {
                clock.asked.set(true);
                Value::Number(clock.time.get())
            }
            _ => Value::Nil,
        })
    };
    meta.raw_set("__index", lua.create_function(index)?)?;
    meta.raw_set("__metatable", false)?;
    let has_uvs = surface.mesh.uvs.len() == surface.vertices.len();
    let mut points = Vec::with_capacity(surface.vertices.len());
    for (i, p) in surface.vertices.iter().enumerate() {
        let point = lua.create_table_with_capacity(0, 6)?;
        for (name, value) in [("x", p.x), ("y", p.y), ("z", p.z)] {
            point.raw_set(name, value)?;
        }
        if has_uvs {
            point.raw_set("u", surface.mesh.uvs[i].x)?;
            point.raw_set("v", surface.mesh.uvs[i].y)?;
        }
        point.raw_set("index", i)?;
        point.set_metatable(Some(meta.clone()))?;
        points.push(point);
    }
    Ok(points)
}
