//! Selections: which vertices of a body are meant. Places are world coordinates at the start.

use super::super::invocation::Invocation;
use super::super::object::Object;
use super::super::sampling::{Fault, Surface, each_vertex};
use super::super::schema::{Args, Call, Class, When};
use super::super::values::{self, describe};
use super::spots;
use crate::diagnostics::nearest;
use crate::geometry::TriMesh;
use crate::scene::Points;
use glam::DVec3;
use mlua::Value;
use std::rc::Rc;

type Arg = (&'static str, &'static str, &'static str);

const fn on_body(name: &'static str, args: &'static [Arg], run: super::super::schema::One) -> Call {
    Call::new(Class::Body, name, Args::Values(args), run).returns("Points").when(When::Always)
}

const PLACE: &[Arg] = &[("place", "number[]", "a place {x, y, z} [m]")];

pub(super) const CALLS: &[Call] = &[
    on_body("edge", &[("side", "\"top\"|\"bottom\"|\"left\"|\"right\"", "which edge")], edge)
        .doc("An edge of a grid; left and right as seen from the side its normal points to.")
        .example("local hem = cloth:edge \"bottom\""),
    on_body(
        "corner",
        &[("which", "\"top-left\"|\"top-right\"|\"bottom-left\"|\"bottom-right\"", "which corner")],
        corner,
    )
    .doc("A corner of a grid.")
    .example("local tip = cloth:corner \"top-left\""),
    on_body("row", &[("i", "integer", "row, counted from 0 at the top")], row)
        .doc("A row of a grid.")
        .example("local second = cloth:row(1)"),
    on_body("column", &[("j", "integer", "column, counted from 0 at the left")], column)
        .doc("A column of a grid.")
        .example("local middle = cloth:column(10)"),
    on_body(
        "at",
        &[("row", "integer", "counted from 0"), ("column", "integer", "counted from 0")],
        at,
    )
    .doc("One vertex of a grid.")
    .example("local one = cloth:at(0, 3)"),
    on_body("vertices", &[("list", "integer[]", "numbers, counted from 0")], vertices)
        .doc("Vertices by number.")
        .example("local some = cloth:vertices{ 0, 5, 9 }"),
    on_body("inside", &[("box", "number[][]", "{ smallest corner, largest corner } [m]")], inside)
        .doc("The vertices in a box.")
        .example("local low = cloth:inside{ { -2, -2, -2 }, { 2, 1, 2 } }"),
    on_body("nearest", PLACE, nearest_vertex)
        .doc("The vertex that is nearest to a place.")
        .example("local knob = cloth:nearest{ 0, 1, 0 }"),
    on_body(
        "where",
        &[("condition", "fun(p: Point): boolean", "whether a vertex is meant")],
        where_,
    )
    .doc("The vertices for which a function of p is true.")
    .example("local upper = cloth:where(function(p) return p.y > 1.5 end)"),
    on_body("group", &[("name", "string", "name of a map")], group)
        .doc("The vertices whose map of that name is above 0.5."),
    on_body("all", &[], all).doc("Every vertex.").example("local every = cloth:all()"),
    on_body("point", PLACE, point)
        .returns("Spot")
        .doc("The place on or in a body that is nearest to a place, vertex or not.")
        .example("local button = cloth:point{ 0.1, 1.2, 0 }"),
    Call::new(Class::Points, "count", Args::Values(&[]), count)
        .returns("integer")
        .when(When::Always)
        .doc("How many points are selected. `a + b` joins two selections, `a - b` subtracts one.")
        .example(
            "print((cloth:edge \"top\" + cloth:edge \"left\" - cloth:corner \"top-left\"):count())",
        ),
];

fn give(inv: &Invocation, mut vertices: Vec<u32>) -> mlua::Result<Value> {
    inv.shot()?.add_parts(inv.body(), &mut vertices);
    vertices.sort_unstable();
    vertices.dedup();
    inv.give(Object::Points(Rc::new(vec![Points { body: inv.body(), vertices }])))
}

fn mesh_of(inv: &Invocation) -> mlua::Result<Rc<TriMesh>> {
    Ok(Rc::clone(inv.shot()?.mesh_of(inv.body())))
}

fn name_of(inv: &Invocation) -> mlua::Result<String> {
    Ok(inv.shot()?.scene.bodies[inv.body()].name.clone())
}

/// Columns and rows of the body's grid.
fn grid_of(inv: &Invocation) -> mlua::Result<(u32, u32)> {
    mesh_of(inv)?.grid.ok_or_else(|| {
        let name = name_of(inv).unwrap_or_default();
        inv.fault_hint(
            format!("`{}` needs a grid, and the mesh of `{name}` is none", inv.call.path()),
            "use `body:where(...)`, `body:inside{...}` or `body:vertices{...}`",
        )
    })
}

/// One of the words of a selection.
fn word(inv: &Invocation, words: &[&'static str]) -> mlua::Result<&'static str> {
    inv.at_most(1)?;
    let list = super::super::options::list_of(words);
    let given = inv.text(0, &format!("one of {list}"))?;
    words.iter().find(|w| **w == given).copied().ok_or_else(|| {
        let message = format!("`{}` takes one of {list}, not \"{given}\"", inv.call.path());
        match nearest(&given, words.iter().copied()) {
            Some(near) => inv.fault_hint(message, format!("did you mean \"{near}\"?")),
            None => inv.fault(message),
        }
    })
}

fn edge(inv: &Invocation) -> mlua::Result<Value> {
    let side = word(inv, &["top", "bottom", "left", "right"])?;
    let (nx, ny) = grid_of(inv)?;
    give(
        inv,
        match side {
            "top" => (0..nx).collect(),
            "bottom" => (0..nx).map(|i| (ny - 1) * nx + i).collect(),
            "left" => (0..ny).map(|j| j * nx).collect(),
            _ => (0..ny).map(|j| j * nx + nx - 1).collect(),
        },
    )
}

fn corner(inv: &Invocation) -> mlua::Result<Value> {
    let which = word(inv, &["top-left", "top-right", "bottom-left", "bottom-right"])?;
    let (nx, ny) = grid_of(inv)?;
    let row = if which.starts_with("top") { 0 } else { ny - 1 };
    let column = if which.ends_with("left") { 0 } else { nx - 1 };
    give(inv, vec![row * nx + column])
}

/// Argument `i` as a row or column below `count`.
fn counted(inv: &Invocation, i: usize, what: &str, count: u32) -> mlua::Result<u32> {
    let n = inv.whole(i, &format!("the number of a {what}"))?;
    if (0..i64::from(count)).contains(&n) {
        return Ok(n as u32);
    }
    Err(inv.fault(format!(
        "`{}` has the {what}s 0 to {} (counted from 0), not {n}",
        name_of(inv)?,
        count - 1
    )))
}

fn row(inv: &Invocation) -> mlua::Result<Value> {
    inv.at_most(1)?;
    let (nx, ny) = grid_of(inv)?;
    let row = counted(inv, 0, "row", ny)?;
    give(inv, (0..nx).map(|i| row * nx + i).collect())
}

fn column(inv: &Invocation) -> mlua::Result<Value> {
    inv.at_most(1)?;
    let (nx, ny) = grid_of(inv)?;
    let column = counted(inv, 0, "column", nx)?;
    give(inv, (0..ny).map(|j| j * nx + column).collect())
}

fn at(inv: &Invocation) -> mlua::Result<Value> {
    inv.at_most(2)?;
    let (nx, ny) = grid_of(inv)?;
    let (row, column) = (counted(inv, 0, "row", ny)?, counted(inv, 1, "column", nx)?);
    give(inv, vec![row * nx + column])
}

fn vertices(inv: &Invocation) -> mlua::Result<Value> {
    inv.at_most(1)?;
    let what = "a list of vertex numbers";
    let Value::Table(list) = inv.arg(0) else { return Err(inv.wrong_arg(what, &inv.arg(0))) };
    let count = mesh_of(inv)?.positions.len() as i64;
    let mut out = Vec::new();
    for i in 1..=list.raw_len() {
        let entry: Value = list.raw_get(i)?;
        let n = values::integer(&entry).ok_or_else(|| inv.wrong_arg(what, &entry))?;
        if !(0..count).contains(&n) {
            return Err(inv.fault(format!(
                "`{}` has the vertices 0 to {} (counted from 0), not {n}",
                name_of(inv)?,
                count - 1
            )));
        }
        out.push(n as u32);
    }
    give(inv, out)
}

/// The box `{ min, max }` in `value`.
pub(super) fn box_of(value: &Value) -> Option<(DVec3, DVec3)> {
    let Value::Table(table) = value else { return None };
    if table.raw_len() != 2 {
        return None;
    }
    let corner = |i: usize| values::vec3(&table.raw_get::<Value>(i).ok()?);
    let (a, b) = (corner(1)?, corner(2)?);
    (a.is_finite() && b.is_finite()).then_some((a.min(b), a.max(b)))
}

fn inside(inv: &Invocation) -> mlua::Result<Value> {
    inv.at_most(1)?;
    let (low, high) = box_of(&inv.arg(0))
        .ok_or_else(|| inv.wrong_arg("a box { {x, y, z}, {x, y, z} }", &inv.arg(0)))?;
    let start = Rc::clone(&inv.shot()?.starts[inv.body()]);
    let is_inside = |p: &DVec3| p.cmpge(low).all() && p.cmple(high).all();
    let found = (0..start.len() as u32).filter(|i| is_inside(&start[*i as usize]));
    give(inv, found.collect())
}

/// Argument 0 as a place.
fn place(inv: &Invocation) -> mlua::Result<DVec3> {
    inv.at_most(1)?;
    values::vec3(&inv.arg(0))
        .filter(|p| p.is_finite())
        .ok_or_else(|| inv.wrong_arg("a place {x, y, z}", &inv.arg(0)))
}

fn nearest_vertex(inv: &Invocation) -> mlua::Result<Value> {
    let wanted = place(inv)?;
    let start = Rc::clone(&inv.shot()?.starts[inv.body()]);
    let mut best = 0;
    for (i, p) in start.iter().enumerate() {
        if p.distance_squared(wanted) < start[best].distance_squared(wanted) {
            best = i;
        }
    }
    give(inv, vec![best as u32])
}

fn where_(inv: &Invocation) -> mlua::Result<Value> {
    inv.at_most(1)?;
    let Value::Function(f) = inv.arg(0) else {
        return Err(inv.wrong_arg("a function of p", &inv.arg(0)));
    };
    let mesh = mesh_of(inv)?;
    let start = Rc::clone(&inv.shot()?.starts[inv.body()]);
    let surface = Surface { mesh: &mesh, vertices: &start };
    let chosen = each_vertex(inv, &f, &surface, |i, given| {
        match given.into_iter().next().unwrap_or(Value::Nil) {
            Value::Boolean(b) => Ok(b),
            Value::Nil => Ok(false),
            other => {
                Err(Fault::Wrong(format!("{} at vertex {i} (counted from 0)", describe(&other))))
            }
        }
    });
    let chosen = chosen.map_err(|fault| match fault {
        Fault::Lua(error) => error,
        Fault::Wrong(given) => inv
            .fault(format!("the function of `body:where` must return true or false, not {given}")),
        Fault::NotBuilt(what) => inv.fault(format!("{what} is not built yet")),
    })?;
    give(inv, (0..chosen.len() as u32).filter(|i| chosen[*i as usize]).collect())
}

fn group(inv: &Invocation) -> mlua::Result<Value> {
    inv.at_most(1)?;
    let name = inv.text(0, "the name of a map")?;
    let mesh = mesh_of(inv)?;
    let Some(map) = mesh.maps.get(&name) else {
        let body = name_of(inv)?;
        let hint = match nearest(&name, mesh.maps.keys().map(String::as_str)) {
            Some(near) => format!("did you mean \"{near}\"?"),
            None => "groups are maps of the mesh's file: glTF attributes named `_NAME`, PLY \
                     properties, USD primvars"
                .to_owned(),
        };
        return Err(inv.fault_hint(format!("the mesh of `{body}` has no map \"{name}\""), hint));
    };
    give(inv, (0..map.len() as u32).filter(|i| map[*i as usize] > 0.5).collect())
}

fn all(inv: &Invocation) -> mlua::Result<Value> {
    inv.at_most(0)?;
    let count = mesh_of(inv)?.positions.len() as u32;
    give(inv, (0..count).collect())
}

fn point(inv: &Invocation) -> mlua::Result<Value> {
    let wanted = place(inv)?;
    let (mesh, body) = (mesh_of(inv)?, inv.body());
    let start = Rc::clone(&inv.shot()?.starts[body]);
    inv.charge((mesh.triangles.len() + mesh.lines.len() + mesh.tets.len()) as u64)?;
    let is_solid = inv.shot()?.scene.bodies[body].is_solid();
    let (anchor, found) = spots::nearest(body, &mesh, &start, is_solid, wanted);
    inv.give(Object::Spot(anchor, found))
}

fn count(inv: &Invocation) -> mlua::Result<Value> {
    inv.at_most(0)?;
    match &inv.this {
        Some(Object::Points(points)) => {
            Ok(Value::Integer(super::super::select::count(points) as i64))
        }
        _ => Ok(Value::Integer(0)),
    }
}
