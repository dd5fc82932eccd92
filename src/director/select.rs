//! Which bodies and which points a script means.

use super::invocation::Invocation;
use super::object::Object;
use super::values::describe;
use crate::diagnostics::nearest;
use crate::scene::{Body, Points};
use mlua::Value;

/// Why bodies could not be found.
pub(crate) enum Fault {
    /// The value is of the wrong kind: what was given.
    Kind(String),
    /// There is no such name: message and hint.
    Name(String, Option<String>),
    Lua(mlua::Error),
}

/// Bodies, sorted, each once.
pub(crate) fn bodies(inv: &Invocation, value: &Value) -> Result<Vec<usize>, Fault> {
    let mut found = Vec::new();
    collect(inv, value, &mut found, 0)?;
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

fn collect(
    inv: &Invocation,
    value: &Value,
    found: &mut Vec<usize>,
    depth: u32,
) -> Result<(), Fault> {
    match (value, Object::from_value(value)) {
        (_, Some(Object::Body(i) | Object::WorldBody(i))) => found.push(i),
        (Value::String(name), _) => found.extend(named(inv, &name.to_string_lossy())?),
        (Value::Table(list), _) if depth < 8 => {
            let n = list.raw_len();
            if n == 0 {
                return Err(Fault::Kind("an empty list".into()));
            }
            for i in 1..=n {
                let entry: Value = list.raw_get(i).map_err(Fault::Lua)?;
                collect(inv, &entry, found, depth + 1)?;
            }
        }
        _ => return Err(Fault::Kind(describe(value))),
    }
    Ok(())
}

/// The body called `name`, or the bodies of that group and the groups below it.
fn named(inv: &Invocation, name: &str) -> Result<Vec<usize>, Fault> {
    let shot = inv.shot().map_err(Fault::Lua)?;
    let bodies = &shot.scene.bodies;
    if let Some(i) = bodies.iter().position(|b| b.name == name) {
        return Ok(vec![i]);
    }
    let in_group = |i: &usize| bodies[*i].groups().any(|group| group == name);
    let members: Vec<usize> = (0..bodies.len()).filter(in_group).collect();
    if !members.is_empty() {
        return Ok(members);
    }
    let names = bodies.iter().map(|b| b.name.as_str());
    let groups = bodies.iter().flat_map(Body::groups);
    let hint = match nearest(name, names.clone().chain(groups)) {
        Some(near) => format!("did you mean `{near}`?"),
        None if bodies.is_empty() => "the shot has no bodies yet".to_owned(),
        None => {
            let all: Vec<String> = names.take(20).map(|n| format!("`{n}`")).collect();
            format!("the bodies so far are {}", all.join(", "))
        }
    };
    Err(Fault::Name(format!("there is no body or group called `{name}`"), Some(hint)))
}

/// All points of both.
pub(crate) fn join(a: &[Points], b: &[Points]) -> Vec<Points> {
    let mut out: Vec<Points> = a.to_vec();
    for more in b {
        match out.iter_mut().find(|p| p.body == more.body) {
            Some(points) => {
                points.vertices.extend(&more.vertices);
                points.vertices.sort_unstable();
                points.vertices.dedup();
            }
            None => out.push(more.clone()),
        }
    }
    out.sort_by_key(|p| p.body);
    out
}

/// The points of `a` that are not in `b`.
pub(crate) fn subtract(a: &[Points], b: &[Points]) -> Vec<Points> {
    let mut out = a.to_vec();
    for points in &mut out {
        if let Some(less) = b.iter().find(|p| p.body == points.body) {
            points.vertices.retain(|v| less.vertices.binary_search(v).is_err());
        }
    }
    out
}

/// How many points.
pub(crate) fn count(points: &[Points]) -> usize {
    points.iter().map(|p| p.vertices.len()).sum()
}
