//! What a mesh can do.

use super::super::invocation::Invocation;
use super::super::limits::VERTEX_COST;
use super::super::object::{MapValues, Object};
use super::super::sampling::{Fault, Surface, describe_all, each_vertex, vector_of};
use super::super::schema::{Args, Call, Class, Key, Kind, Schema, key};
use super::super::values::{self, list};
use crate::diagnostics::nearest;
use crate::geometry::{Placement, TriMesh, lattice_points};
use glam::DVec3;
use mlua::{MultiValue, Value};
use std::rc::Rc;

const KEYS: &[Key] = &[
    key("translate", Kind::Vec3, "by how much").unit("m").vec3([0.0; 3]),
    key("rotate", Kind::Vec3, "turn about x, then y, then z").unit("degrees").vec3([0.0; 3]),
    key("scale", Kind::Factor, "one factor, or one an axis").words("1"),
];

static MOVED: Schema = Schema::new("moved", "MovedOptions", &[KEYS]);

static TETRAHEDRALIZED: Schema = Schema::new(
    "tetrahedralized",
    "TetrahedralizedOptions",
    &[&[key("spacing", Kind::Number, "about how long the edges of the tetrahedra are")
        .unit("m")
        .from(f64::MIN_POSITIVE)
        .needed()]],
);

pub(super) const CALLS: &[Call] = &[
    Call::new(Class::Mesh, "moved", Args::Options(&MOVED), moved)
        .returns("Mesh")
        .doc("The mesh scaled, then turned, then moved.")
        .example("local up = sheet:moved{ translate = { 0, 2, 0 }, rotate = { 0, 45, 0 } }"),
    Call::new(
        Class::Mesh,
        "displaced",
        Args::Values(&[("place", "fun(p: Point): number, number, number", "where a vertex goes")]),
        displaced,
    )
    .returns("Mesh")
    .doc("The mesh with each vertex where a function of p puts it.")
    .example(
        "local wavy = sheet:displaced(function(p)\n  return p.x, p.y, 0.05 * math.sin(9 * p.x)\n\
         end)",
    ),
    Call::new(
        Class::Mesh,
        "subdivided",
        Args::Values(&[("n", "integer", "how often")]),
        subdivided,
    )
    .returns("Mesh")
    .doc("Every triangle split into four, n times; a grid stays a grid.")
    .example("local fine = sheet:subdivided(1)"),
    Call::new(
        Class::Mesh,
        "welded",
        Args::Values(&[("distance", "number", "how far apart vertices may be that become one [m]")]),
        welded,
    )
    .returns("Mesh")
    .doc(
        "The mesh with vertices in one place made one, as Blender merges by distance: closes seams of \
         files that have their vertices twice. Of triangles only; a grid is none any more where \
         anything was.",
    )
    .example("local whole = sheet:welded(0.0001)"),
    Call::new(Class::Mesh, "vertex_count", Args::Values(&[]), vertex_count)
        .returns("integer")
        .doc("How many vertices it has.")
        .example("print(sheet:vertex_count())"),
    Call::new(
        Class::Mesh,
        "vertex",
        Args::Values(&[("i", "integer", "number of a vertex, counted from 0")]),
        vertex,
    )
    .returns("number[]")
    .doc("The place of a vertex [m].")
    .example("local first = sheet:vertex(0)"),
    Call::several(Class::Mesh, "bounds", Args::Values(&[]), bounds)
        .returns("number[], number[]")
        .doc("Smallest and largest corner [m].")
        .example("local low, high = sheet:bounds()"),
    Call::several(
        Class::Mesh,
        "closest",
        Args::Values(&[("point", "number[]", "a place {x, y, z} [m]")]),
        closest,
    )
    .returns("number[], number")
    .doc("The nearest place of the surface, and how far it is [m].")
    .example("local place, distance = sheet:closest{ 0, 2, 1 }"),
    Call::new(Class::Mesh, "map", Args::Values(&[("name", "string", "name of a map")]), map)
        .returns("Map")
        .doc("A map of the mesh's file, for any mappable value."),
    Call::new(Class::Mesh, "tetrahedralized", Args::Options(&TETRAHEDRALIZED), tetrahedralized)
        .returns("Mesh")
        .doc(
            "The inside of a closed mesh as tetrahedra, for `shot:soft`. The new surface lies on the \
             old one but for sharp edges and corners, of which up to 0.8 of the spacing is cut off; \
             it has no texture coordinates and maps. Where that shows, give the old one as \
             `surface` of the soft body.",
        )
        .example(
            "local ring = retake.mesh.torus{ radius = 0.3, tube = 0.1 }\n\
             local solid = ring:tetrahedralized{ spacing = 0.06 }",
        ),
];

fn moved(inv: &Invocation) -> mlua::Result<Value> {
    let o = inv.options(&MOVED)?;
    let scale = o.factor("scale")?.unwrap_or(DVec3::ONE);
    if scale.x == 0.0 || scale.y == 0.0 || scale.z == 0.0 {
        return Err(o.wrong("scale", "factors other than 0", &o.value("scale")?));
    }
    let placement =
        Placement { scale, rotate: o.need_vec3("rotate")?, translate: o.need_vec3("translate")? };
    inv.charge(inv.mesh().positions.len() as u64 * VERTEX_COST)?;
    inv.give(Object::Mesh(Rc::new(inv.mesh().moved(&placement))))
}

fn displaced(inv: &Invocation) -> mlua::Result<Value> {
    inv.at_most(1)?;
    let Value::Function(f) = inv.arg(0) else {
        return Err(inv.wrong_arg("a function of p that returns x, y, z", &inv.arg(0)));
    };
    let mesh = inv.mesh();
    let surface = Surface { mesh, vertices: &mesh.positions };
    inv.charge(mesh.positions.len() as u64 * VERTEX_COST)?;
    let places = each_vertex(inv, &f, &surface, |i, given| {
        vector_of(&given, false).ok_or_else(|| {
            Fault::Wrong(format!("{} at vertex {i} (counted from 0)", describe_all(&given)))
        })
    });
    let positions = places.map_err(|fault| match fault {
        Fault::Lua(error) => error,
        Fault::Wrong(given) => {
            inv.fault(format!("the function of `mesh:displaced` must return x, y, z, not {given}"))
        }
        Fault::NotBuilt(what) => inv.fault(format!("{what} is not built yet")),
    })?;
    inv.give(Object::Mesh(Rc::new(TriMesh { positions, ..(**mesh).clone() })))
}

fn subdivided(inv: &Invocation) -> mlua::Result<Value> {
    inv.at_most(1)?;
    let n = inv.whole(0, "how often it is split, from 0 to 8")?;
    if !(0..=8).contains(&n) {
        return Err(inv.fault(format!("`mesh:subdivided` takes a number from 0 to 8, not {n}")));
    }
    let triangles = (inv.mesh().triangles.len() as u64) << (2 * n);
    if triangles / 2 > inv.cx.limits.vertices {
        let message = format!("the mesh would have {triangles} triangles");
        let hint = format!("at most {} vertices are possible", inv.cx.limits.vertices);
        return Err(inv.fault_hint(message, hint));
    }
    inv.charge(triangles / 2 * VERTEX_COST)?;
    let fine = inv.mesh().subdivided(n as u32);
    let fine = fine.map_err(|d| super::super::invocation::raise(inv.lua, d))?;
    inv.give(Object::Mesh(Rc::new(fine)))
}

fn welded(inv: &Invocation) -> mlua::Result<Value> {
    inv.at_most(1)?;
    let distance = values::number(&inv.arg(0)).filter(|d| d.is_finite() && *d > 0.0);
    let distance = distance.ok_or_else(|| inv.wrong_arg("a distance above 0 (m)", &inv.arg(0)))?;
    let mesh = inv.mesh();
    if mesh.triangles.is_empty() || !mesh.tets.is_empty() {
        return Err(inv.fault("`mesh:welded` is for meshes of triangles alone"));
    }
    inv.charge(mesh.positions.len() as u64 * VERTEX_COST)?;
    let welded = mesh.welded(distance);
    if welded.triangles.is_empty() {
        let (low, high) = mesh.bounds();
        let size = values::number_text((high - low).max_element());
        let message = format!("nothing is left of a mesh of {size} m welded by that much");
        return Err(inv.fault_hint(message, "0.0001 is a tenth of a millimetre"));
    }
    inv.give(Object::Mesh(Rc::new(welded)))
}

fn tetrahedralized(inv: &Invocation) -> mlua::Result<Value> {
    let o = inv.options(&TETRAHEDRALIZED)?;
    let (mesh, spacing) = (inv.mesh(), o.need_number("spacing")?);
    let (low, high) = mesh.bounds();
    let points = lattice_points(high - low, spacing);
    super::meshes::check_count(&o, "spacing", points)?;
    inv.charge((points as u64 + mesh.triangles.len() as u64) * VERTEX_COST)?;
    super::meshes::finish(&o, mesh.tetrahedralized(spacing))
}

fn vertex_count(inv: &Invocation) -> mlua::Result<Value> {
    inv.at_most(0)?;
    Ok(Value::Integer(inv.mesh().positions.len() as i64))
}

fn vertex(inv: &Invocation) -> mlua::Result<Value> {
    inv.at_most(1)?;
    let i = inv.whole(0, "the number of a vertex")?;
    let positions = &inv.mesh().positions;
    match usize::try_from(i).ok().and_then(|i| positions.get(i)) {
        Some(p) => list(inv.lua, *p),
        None => Err(inv.fault(format!(
            "the mesh has the vertices 0 to {} (counted from 0), not {i}",
            positions.len().saturating_sub(1)
        ))),
    }
}

fn bounds(inv: &Invocation) -> mlua::Result<MultiValue> {
    inv.at_most(0)?;
    let (low, high) = inv.mesh().bounds();
    Ok(MultiValue::from_iter([list(inv.lua, low)?, list(inv.lua, high)?]))
}

fn closest(inv: &Invocation) -> mlua::Result<MultiValue> {
    inv.at_most(1)?;
    let point = values::vec3(&inv.arg(0))
        .filter(|p| p.is_finite())
        .ok_or_else(|| inv.wrong_arg("a place {x, y, z}", &inv.arg(0)))?;
    inv.charge(inv.mesh().triangles.len() as u64)?;
    match inv.mesh().closest(point) {
        Some(found) => {
            let place = list(inv.lua, found.position)?;
            Ok(MultiValue::from_iter([place, Value::Number(found.distance)]))
        }
        None => Err(inv.fault("the mesh has no triangles")),
    }
}

fn map(inv: &Invocation) -> mlua::Result<Value> {
    inv.at_most(1)?;
    let name = inv.text(0, "the name of a map")?;
    let maps = &inv.mesh().maps;
    if let Some(values) = maps.get(&name) {
        let map = MapValues { name, values: values.clone() };
        return inv.give(Object::Map(Rc::new(map)));
    }
    let hint = match nearest(&name, maps.keys().map(String::as_str)) {
        Some(near) => format!("did you mean \"{near}\"?"),
        None if maps.is_empty() => {
            "it has no maps; they are glTF attributes named `_NAME`, PLY properties and USD primvars".to_owned()
        }
        None => {
            let names: Vec<String> = maps.keys().map(|n| format!("\"{n}\"")).collect();
            format!("it has {}", names.join(", "))
        }
    };
    Err(inv.fault_hint(format!("the mesh has no map \"{name}\""), hint))
}
