//! Ropes and their meshes.

use super::super::invocation::Invocation;
use super::super::object::Object;
use super::super::options::Options;
use super::super::sampling::Surface;
use super::super::schema::{Args, Call, Class, Key, Kind, Schema, key};
use super::bodies::{COMMON, FREE_KEYS, MESH, add_free, free_body, free_mesh};
use super::meshes::{SPACING, TINY, check_count, count, finish};
use crate::geometry::primitives as made;
use crate::scene::{BodyKind, Rope};
use glam::DVec3;
use mlua::Value;

static ROPE_MESH: Schema = Schema::new(
    "rope",
    "RopeMeshOptions",
    &[&[
        key("from", Kind::Vec3, "where its vertex 0 is").unit("m"),
        key("to", Kind::Vec3, "where its last vertex is").unit("m"),
        key(
            "path",
            Kind::Other("Path|number[][]"),
            "places it leads through, in place of `from`, `to`",
        )
        .unit("m"),
        key(
            "length",
            Kind::Number,
            "its length; a longer one hangs slack between `from` and `to`, or between each two places of \
             the path, in proportion to their distance",
        )
        .unit("m")
        .from(TINY)
        .words("that of the way"),
        key("segments", Kind::Integer, "equal pieces along it")
            .range(1.0, 1e6)
            .words("40; as the path has them"),
        SPACING,
    ]],
);

const ROPE_KEYS: &[Key] = &[
    key("radius", Kind::Number, "radius").unit("m").from(TINY).number(0.01),
    key("density", Kind::Number, "mass per volume").unit("kg/m3").from(TINY).number(1100.0),
    key("stretch", Kind::Number, "E A, the force that doubles its length")
        .unit("N")
        .from(TINY)
        .number(1e5),
    key("bend", Kind::Number, "E I, stiffness against bending")
        .unit("N m2")
        .range(0.0, 1e12)
        .number(1e-3),
    key("twist", Kind::Number, "G J, stiffness against twist between places that are held")
        .unit("N m2")
        .range(0.0, 1e12)
        .words("0, it turns freely"),
    key("thickness", Kind::Map, "full thickness")
        .unit("m")
        .range(0.0, 10.0)
        .words("twice the radius"),
];

static ROPE: Schema = Schema::new("rope", "RopeOptions", &[MESH, COMMON, FREE_KEYS, ROPE_KEYS]);

pub(super) const CALLS: &[Call] = &[
    Call::new(Class::MeshLibrary, "rope", Args::Options(&ROPE_MESH), mesh)
        .returns("Mesh")
        .doc("A line for `shot:rope`, from end to end.")
        .example(
            "local line = retake.mesh.rope{ from = { -1, 2, 0 }, to = { 1, 2, 0 }, length = 2.5, \
             segments = 60 }",
        ),
    Call::new(Class::Shot, "rope", Args::Options(&ROPE), rope)
        .returns("Body")
        .doc(
            "A rope: it stretches and bends, ties, wraps and carries. Without load it is straight. \
             It touches by its middle line and its thickness. With `twist` it resists being \
             wrung between places that are held exactly: `pin:rotate` turns the vertices of a \
             pin, `shot:attach` turns them with a rigid body or a collider, and both feel its \
             moment. Held by one vertex it may point anywhere, by two neighbours its direction \
             is held as well. A free end, a stitch and a perforation let the twist out.",
        )
        .example(
            "local line = shot:rope{\n  name = \"line\",\n  \
             mesh = retake.mesh.rope{ from = { 0, 3, 0 }, to = { 0, 1, 0 }, segments = 40 },\n  \
             radius = 0.01,\n}\n\
             shot:pin{ points = line:vertices{ 0 } }",
        ),
];

fn mesh(inv: &Invocation) -> mlua::Result<Value> {
    let o = inv.options(&ROPE_MESH)?;
    let path = match (o.vec3("from")?, o.vec3("to")?, o.given("path")?) {
        (Some(from), Some(to), false) => vec![from, to],
        (None, None, true) => path(&o)?,
        _ => {
            let message = "a rope leads `from` a place `to` a place, or along a `path`";
            return Err(inv.fault(message));
        }
    };
    let (segments, spacing) = (count(&o, "segments")?, o.number("spacing")?);
    let length = o.number("length")?;
    let whole = length.unwrap_or_else(|| path.windows(2).map(|w| w[0].distance(w[1])).sum());
    match (segments, spacing) {
        (Some(n), _) => check_count(&o, "segments", f64::from(n) + 1.0)?,
        (None, Some(s)) => check_count(&o, "spacing", whole / s + 1.0)?,
        _ => {}
    }
    finish(&o, made::Rope { path, length, segments, spacing }.build())
}

fn path(o: &Options) -> mlua::Result<Vec<DVec3>> {
    let value = o.value("path")?;
    match (&value, Object::from_value(&value)) {
        (_, Some(Object::Path(places))) => Ok(places.to_vec()),
        (Value::Table(list), None) => {
            super::curves::places(list).map_err(|fault| o.fault("path", fault, None))
        }
        _ => Err(o.wrong(
            "path",
            "a path of `retake.path` or a list of places {x, y, z} (m)",
            &value,
        )),
    }
}

fn rope(inv: &Invocation) -> mlua::Result<Value> {
    let o = inv.options(&ROPE)?;
    let (mesh, start) = free_mesh(&o, "mesh", "rope")?;
    let surface = Surface { mesh: &mesh, vertices: &start };
    let kind = BodyKind::Rope(Rope {
        radius: o.need_number("radius")?,
        density: o.need_number("density")?,
        stretch: o.need_number("stretch")?,
        bend: o.need_number("bend")?,
        twist: o.number("twist")?.unwrap_or(0.0),
    });
    let body = free_body(&o, kind, "rope", &surface)?;
    add_free(&o, body, &mesh, start)
}
