//! Animatable and mappable values: functions of a script become samples and lists, so that the
//! scene stays plain data.

use super::invocation::Invocation;
use super::object::{Keys, KeysOf, Object};
use super::values::{self, describe, number_text};
use crate::geometry::TriMesh;
use crate::math::Curve;
use crate::scene::VertexMap;
use glam::DVec3;
use mlua::{Function, MultiValue, Table, Value};

/// The times at which functions are sampled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Sampling {
    /// First time [s].
    pub(crate) start: f64,
    /// Last time [s].
    pub(crate) end: f64,
    /// Samples a second.
    pub(crate) rate: f64,
}

impl Sampling {
    /// Number of samples, the last at or beyond the end.
    pub(crate) fn count(&self) -> usize {
        (((self.end - self.start) * self.rate - 1e-6).ceil().max(0.0) as usize) + 1
    }

    fn time(&self, i: usize) -> f64 {
        self.start + i as f64 / self.rate
    }
}

/// Why a value could not be read.
pub(crate) enum Fault {
    /// What was given, in words.
    Wrong(String),
    NotBuilt(&'static str),
    Lua(mlua::Error),
}

impl From<mlua::Error> for Fault {
    fn from(error: mlua::Error) -> Self {
        Self::Lua(error)
    }
}

/// Vertices of a mesh as functions of a script see them.
pub(crate) struct Surface<'a> {
    pub(crate) mesh: &'a TriMesh,
    /// Places of the vertices, in the world or in the mesh's own coordinates.
    pub(crate) vertices: &'a [DVec3],
}

fn plain<T: crate::math::CurveValue>(sampling: Sampling, values: Vec<T>) -> Curve<T> {
    let first = values[0];
    if values.iter().all(|v| *v == first) {
        return Curve::Constant(first);
    }
    Curve::Samples { rate: sampling.rate, start: sampling.start, values }
}

fn at_time(i: usize, sampling: Sampling) -> String {
    number_text(sampling.time(i))
}

/// An animatable number.
pub(crate) fn curve(
    inv: &Invocation,
    value: &Value,
    sampling: Sampling,
    allowed: &dyn Fn(f64) -> bool,
) -> Result<Curve<f64>, Fault> {
    if let Some(n) = values::number(value) {
        return if allowed(n) { Ok(Curve::Constant(n)) } else { Err(Fault::Wrong(number_text(n))) };
    }
    match (value, Object::from_value(value)) {
        (_, Some(Object::Keys(keys))) => curve_of_keys(&keys, allowed),
        (Value::Function(f), _) => {
            let read = |value: MultiValue, i| {
                let value = value.into_iter().next().unwrap_or(Value::Nil);
                match values::number(&value) {
                    Some(n) if allowed(n) => Ok(n),
                    _ => Err(Fault::Wrong(format!(
                        "a function that returns {} at t = {}",
                        describe(&value),
                        at_time(i, sampling)
                    ))),
                }
            };
            let times =
                (0..sampling.count()).map(|i| read(f.call::<MultiValue>(sampling.time(i))?, i));
            inv.charge(sampling.count() as u64)?;
            Ok(plain(sampling, times.collect::<Result<_, _>>()?))
        }
        _ => Err(Fault::Wrong(describe(value))),
    }
}

fn curve_of_keys(keys: &Keys, allowed: &dyn Fn(f64) -> bool) -> Result<Curve<f64>, Fault> {
    match &keys.keys {
        KeysOf::Number(list) => {
            if let Some(bad) = list.iter().find(|k| !allowed(k.value)) {
                let (value, time) = (number_text(bad.value), number_text(bad.time));
                return Err(Fault::Wrong(format!("keys with {value} at {time} s")));
            }
            Ok(Curve::Keys { keys: list.clone(), looped: keys.looped })
        }
        KeysOf::Vector(_) => Err(Fault::Wrong("keys of vectors".into())),
    }
}

/// An animatable vector; with `factor` a number means the same on every axis.
pub(crate) fn curve3(
    inv: &Invocation,
    value: &Value,
    sampling: Sampling,
    factor: bool,
) -> Result<Curve<DVec3>, Fault> {
    let read = |value: &Value| if factor { values::factor(value) } else { values::vec3(value) };
    if let Some(v) = read(value) {
        return if v.is_finite() {
            Ok(Curve::Constant(v))
        } else {
            Err(Fault::Wrong("a vector that is not finite".into()))
        };
    }
    match (value, Object::from_value(value)) {
        (_, Some(Object::Keys(keys))) => match &keys.keys {
            KeysOf::Vector(list) => Ok(Curve::Keys { keys: list.clone(), looped: keys.looped }),
            KeysOf::Number(list) if factor => {
                let keys_of = list.iter().map(|k| crate::math::Key {
                    time: k.time,
                    value: DVec3::splat(k.value),
                    ease: k.ease,
                });
                Ok(Curve::Keys { keys: keys_of.collect(), looped: keys.looped })
            }
            KeysOf::Number(_) => Err(Fault::Wrong("keys of numbers".into())),
        },
        (Value::Function(f), _) => {
            let times = (0..sampling.count()).map(|i| {
                let given = f.call::<MultiValue>(sampling.time(i))?;
                vector_of(&given, factor).ok_or_else(|| {
                    Fault::Wrong(format!(
                        "a function that returns {} at t = {}",
                        describe_all(&given),
                        at_time(i, sampling)
                    ))
                })
            });
            inv.charge(sampling.count() as u64)?;
            Ok(plain(sampling, times.collect::<Result<_, _>>()?))
        }
        _ => Err(Fault::Wrong(describe(value))),
    }
}

/// The vector that a function returned: three numbers or a table.
pub(crate) fn vector_of(given: &MultiValue, factor: bool) -> Option<DVec3> {
    let list: Vec<&Value> = given.iter().collect();
    let v = match list.as_slice() {
        [one] if factor => values::factor(one),
        [one] => values::vec3(one),
        [x, y, z] => Some(DVec3::new(values::number(x)?, values::number(y)?, values::number(z)?)),
        _ => None,
    };
    v.filter(|v| v.is_finite())
}

pub(crate) fn describe_all(given: &MultiValue) -> String {
    if given.is_empty() {
        return "nothing".into();
    }
    given.iter().map(describe).collect::<Vec<_>>().join(", ")
}

/// Calls `f` with `p` for each vertex; `read` takes what it returns.
pub(crate) fn each_vertex<T>(
    inv: &Invocation,
    f: &Function,
    surface: &Surface,
    mut read: impl FnMut(usize, MultiValue) -> Result<T, Fault>,
) -> Result<Vec<T>, Fault> {
    let lua = inv.lua;
    let names = ["x", "y", "z", "u", "v", "index"].map(|name| lua.create_string(name));
    let [x, y, z, u, v, index] = names;
    let (x, y, z, u, v, index) = (x?, y?, z?, u?, v?, index?);
    let has_uvs = surface.mesh.uvs.len() == surface.vertices.len();
    let mut out = Vec::with_capacity(surface.vertices.len());
    for (i, p) in surface.vertices.iter().enumerate() {
        let point: Table = lua.create_table_with_capacity(0, 6)?;
        point.raw_set(&x, p.x)?;
        point.raw_set(&y, p.y)?;
        point.raw_set(&z, p.z)?;
        if has_uvs {
            point.raw_set(&u, surface.mesh.uvs[i].x)?;
            point.raw_set(&v, surface.mesh.uvs[i].y)?;
        }
        point.raw_set(&index, i)?;
        out.push(read(i, f.call::<MultiValue>(point)?)?);
    }
    Ok(out)
}

/// A mappable number.
pub(crate) fn map(
    inv: &Invocation,
    value: &Value,
    surface: &Surface,
    allowed: &dyn Fn(f64) -> bool,
) -> Result<VertexMap, Fault> {
    let count = surface.vertices.len();
    let wrong_at =
        |i: usize, given: String| Fault::Wrong(format!("{given} at vertex {i} (counted from 0)"));
    if let Some(n) = values::number(value) {
        return if allowed(n) {
            Ok(VertexMap::Uniform(n))
        } else {
            Err(Fault::Wrong(number_text(n)))
        };
    }
    let list = match (value, Object::from_value(value)) {
        (_, Some(Object::Map(map))) => {
            if map.values.len() != count {
                return Err(Fault::Wrong(format!(
                    "the map `{}` of a mesh with {} vertices",
                    map.name,
                    map.values.len()
                )));
            }
            map.values.clone()
        }
        (Value::Table(table), _) => {
            if table.raw_len() != count {
                return Err(Fault::Wrong(format!("a list of {} values", table.raw_len())));
            }
            let read = |i: usize| {
                let entry: Value = table.raw_get(i + 1)?;
                values::number(&entry).ok_or_else(|| wrong_at(i, describe(&entry)))
            };
            (0..count).map(read).collect::<Result<_, _>>()?
        }
        (Value::Function(f), _) => each_vertex(inv, f, surface, |i, given| {
            let first = given.into_iter().next().unwrap_or(Value::Nil);
            values::number(&first)
                .ok_or_else(|| wrong_at(i, format!("a function that returns {}", describe(&first))))
        })?,
        _ => return Err(Fault::Wrong(describe(value))),
    };
    if let Some(i) = list.iter().position(|n| !allowed(*n)) {
        return Err(wrong_at(i, number_text(list[i])));
    }
    match list.first() {
        Some(first) if list.iter().all(|n| n == first) => Ok(VertexMap::Uniform(*first)),
        _ => Ok(VertexMap::PerVertex(list)),
    }
}

/// A number that may change over time: its function gets a `p` that only knows the time, and what looks at more of
/// it is told as not built.
pub(crate) fn map_curve(
    inv: &Invocation,
    value: &Value,
    sampling: Sampling,
    allowed: &dyn Fn(f64) -> bool,
) -> Result<Curve<f64>, Fault> {
    const PER_VERTEX: &str = "a value that differs from vertex to vertex";
    match (value, Object::from_value(value)) {
        (Value::Table(_), _) | (_, Some(Object::Map(_))) => Err(Fault::NotBuilt(PER_VERTEX)),
        (Value::Function(f), _) => {
            let make: Function = inv.lua.named_registry_value(super::sandbox::MOMENT)?;
            let mut list = Vec::with_capacity(sampling.count());
            inv.charge(sampling.count() as u64)?;
            for i in 0..sampling.count() {
                let moment: Table = make.call(sampling.time(i))?;
                let given: Value = f.call(&moment)?;
                if moment.raw_get::<bool>("asked").unwrap_or(false) {
                    return Err(Fault::NotBuilt(PER_VERTEX));
                }
                let n = match &given {
                    Value::Table(t) if t.to_pointer() == moment.to_pointer() => {
                        Some(sampling.time(i))
                    }
                    other => values::number(other),
                };
                match n {
                    Some(n) if allowed(n) => list.push(n),
                    _ => {
                        return Err(Fault::Wrong(format!(
                            "a function that returns {} at t = {}",
                            describe(&given),
                            at_time(i, sampling)
                        )));
                    }
                }
            }
            Ok(plain(sampling, list))
        }
        _ => curve(inv, value, sampling, allowed),
    }
}
