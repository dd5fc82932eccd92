//! Meshes that are made of numbers.

use super::super::invocation::Invocation;
use super::super::limits::VERTEX_COST;
use super::super::object::Object;
use super::super::options::Options;
use super::super::schema::{Args, Call, Class, Key, Kind, Schema, key};
use super::super::values;
use crate::diagnostics::Diagnostic;
use crate::geometry::TriMesh;
use crate::geometry::primitives as made;
use glam::DVec3;
use mlua::Value;
use std::rc::Rc;

pub(super) const TINY: f64 = f64::MIN_POSITIVE;

const SIZE2: Key =
    key("size", Kind::Other("number[]|number"), "edge lengths").unit("m").words("{1, 1}");
pub(super) const SPACING: Key =
    key("spacing", Kind::Number, "longest edge, in place of the counts").unit("m").from(TINY);
pub(super) const CENTER: Key = key("center", Kind::Vec3, "middle").unit("m").vec3([0.0; 3]);
const SEGMENTS: Key = key("segments", Kind::Integer, "columns around").range(3.0, 1e6).words("32");
const RINGS: Key = key("rings", Kind::Integer, "rows along").range(1.0, 1e6).words("1");
const HEIGHT: Key = key("height", Kind::Number, "height").unit("m").from(TINY).number(1.0);
const CAPS: Key = key("caps", Kind::Bool, "whether the ends are closed").flag(true);
const COUNT2: Kind = Kind::Other("integer[]|integer");
pub(super) const COUNT3: Kind = Kind::Other("integer[]|integer");

static GRID: Schema = Schema::new(
    "grid",
    "GridOptions",
    &[&[
        SIZE2,
        key("vertices", COUNT2, "vertices along width and height; row 0 is the top edge")
            .range(2.0, 1e6)
            .words("{2, 2}"),
        SPACING,
        key("normal", Kind::Vec3, "where its front looks").words("{0, 0, 1}"),
        key("up", Kind::Vec3, "where its top edge lies")
            .words("{0, 1, 0}; {0, 0, -1} for a normal nearer to Y than 45 degrees"),
        CENTER,
    ]],
);

const SIDES: Kind = Kind::Choice(&made::Side::NAMES, &[]);

static BOX: Schema = Schema::new(
    "box",
    "BoxOptions",
    &[&[
        key("size", Kind::Factor, "edge lengths").unit("m").words("1"),
        key("cells", COUNT3, "cells along each axis").range(1.0, 1e5).words("1"),
        SPACING,
        key("open", SIDES, "the side without a face"),
        key("wall", Kind::Number, "thickness of the walls of an open box (a crate)")
            .unit("m")
            .from(TINY),
        CENTER,
    ]],
);

static SPHERE: Schema = Schema::new(
    "sphere",
    "SphereOptions",
    &[&[
        key("radius", Kind::Number, "radius").unit("m").from(TINY).number(1.0),
        key("subdivisions", Kind::Integer, "halvings of an icosahedron's edges")
            .range(0.0, 8.0)
            .words("3 (642 vertices)"),
        SPACING,
        CENTER,
    ]],
);

pub(super) const RADIUS: Key =
    key("radius", Kind::Number, "radius").unit("m").from(TINY).number(0.5);

static CYLINDER: Schema = Schema::new(
    "cylinder",
    "CylinderOptions",
    &[&[RADIUS, HEIGHT, SEGMENTS, RINGS, SPACING, CAPS, CENTER]],
);

static CONE: Schema = Schema::new(
    "cone",
    "ConeOptions",
    &[&[
        RADIUS,
        key("top_radius", Kind::Number, "radius at the top").unit("m").from(0.0).number(0.0),
        HEIGHT,
        SEGMENTS,
        RINGS,
        SPACING,
        CAPS,
        CENTER,
    ]],
);

static CAPSULE: Schema = Schema::new(
    "capsule",
    "CapsuleOptions",
    &[&[
        key("radius", Kind::Number, "radius").unit("m").from(TINY).number(0.25),
        key("height", Kind::Number, "height over all, round ends included")
            .unit("m")
            .from(TINY)
            .number(1.0),
        SEGMENTS,
        SPACING,
        CENTER,
    ]],
);

static TORUS: Schema = Schema::new(
    "torus",
    "TorusOptions",
    &[&[
        key("radius", Kind::Number, "radius of the tube's middle line")
            .unit("m")
            .from(TINY)
            .number(0.5),
        key("tube", Kind::Number, "radius of the tube").unit("m").from(TINY).number(0.1),
        SEGMENTS,
        key("rings", Kind::Integer, "rows around the tube").range(3.0, 1e6).words("16"),
        SPACING,
        CENTER,
    ]],
);

static PLANE: Schema = Schema::new("plane", "PlaneOptions", &[&[SIZE2, SPACING, CENTER]]);

const PROFILE: Kind = Kind::Other("number[][]");

static LATHE: Schema = Schema::new(
    "lathe",
    "LatheOptions",
    &[&[
        key("profile", PROFILE, "outline from end to end, turned about Y").unit("m").needed(),
        SEGMENTS,
        SPACING,
        CENTER,
    ]],
);

pub(super) const fn primitive(
    name: &'static str,
    schema: &'static Schema,
    run: super::super::schema::One,
) -> Call {
    Call::new(Class::MeshLibrary, name, Args::MaybeOptions(schema), run).returns("Mesh")
}

pub(super) const CALLS: &[Call] = &[
    primitive("grid", &GRID, grid)
        .doc(
            "A grid of vertices: row 0 is the top edge, column 0 the left one as seen from where \
             the normal points to; vertex number = row * columns + column.",
        )
        .example(
            "local sheet = retake.mesh.grid{ size = { 1.2, 2.0 }, vertices = { 25, 41 } }\n\
             local rug = retake.mesh.grid{ size = { 1, 1 }, spacing = 0.05, normal = { 0, 1, 0 } }",
        ),
    primitive("box", &BOX, walled_box).doc("A box; with `open` and `wall` a crate.").example(
        "local crate = retake.mesh.box{ size = { 1, 0.5, 1 }, open = \"top\", wall = 0.02 }",
    ),
    primitive("sphere", &SPHERE, sphere)
        .doc("A sphere of nearly equal triangles.")
        .example("local ball = retake.mesh.sphere{ radius = 0.3, subdivisions = 3 }"),
    primitive("cylinder", &CYLINDER, cylinder)
        .doc("An upright cylinder.")
        .example("local pole = retake.mesh.cylinder{ radius = 0.02, height = 2, segments = 24 }"),
    primitive("cone", &CONE, cone)
        .doc("An upright cone; with `top_radius` its lower part.")
        .example("local lamp = retake.mesh.cone{ radius = 0.2, top_radius = 0.1, height = 0.25 }"),
    primitive("capsule", &CAPSULE, capsule)
        .doc("An upright cylinder with round ends.")
        .example("local limb = retake.mesh.capsule{ radius = 0.1, height = 0.5 }"),
    primitive("torus", &TORUS, torus)
        .doc("A ring that lies level.")
        .example("local ring = retake.mesh.torus{ radius = 0.4, tube = 0.02 }"),
    primitive("plane", &PLANE, plane)
        .doc("A level rectangle that looks up.")
        .example("local floor_mesh = retake.mesh.plane{ size = { 4, 4 } }"),
    primitive("lathe", &LATHE, lathe).doc("A profile turned about Y.").example(
        "local vase = retake.mesh.lathe{\n  profile = { { 0, 0 }, { 0.1, 0 }, { 0.15, 0.2 }, \
             { 0.08, 0.4 } },\n  segments = 48,\n}",
    ),
];

/// The primitives of the geometry room say a key's fault with the key; the line is added here.
pub(super) fn finish(o: &Options, built: Result<TriMesh, Diagnostic>) -> mlua::Result<Value> {
    let mesh = built.map_err(|d| {
        let key = d.message.split('`').nth(1).unwrap_or("size").to_owned();
        o.fault(&key, d.message, d.hint)
    })?;
    let count = mesh.positions.len() as u64;
    o.inv.charge(count * VERTEX_COST)?;
    o.inv.give(Object::Mesh(Rc::new(mesh)))
}

/// Refuses what would be too large before it is made.
pub(super) fn check_count(o: &Options, name: &str, vertices: f64) -> mlua::Result<()> {
    let most = o.inv.cx.limits.vertices;
    if vertices <= most as f64 {
        return Ok(());
    }
    let message = format!("the mesh would have about {vertices:.0} vertices");
    Err(o.fault(name, message, Some(format!("at most {most} are possible"))))
}

/// Two lengths: {w, h} or one for both.
fn size2(o: &Options) -> mlua::Result<[f64; 2]> {
    let value = o.value("size")?;
    let size = match values::number(&value) {
        Some(n) => [n, n],
        None if value.is_nil() => [1.0, 1.0],
        None => values::numbers::<2>(&value).unwrap_or([0.0; 2]),
    };
    if size.iter().all(|n| n.is_finite() && *n > 0.0) {
        return Ok(size);
    }
    Err(o.wrong("size", "a length or two lengths {width, height} above 0 (m)", &value))
}

/// Counts: a list of `N`, or one number for all.
pub(super) fn counts<const N: usize>(
    o: &Options,
    name: &str,
    least: u32,
) -> mlua::Result<Option<[u32; N]>> {
    let value = o.value(name)?;
    if value.is_nil() {
        return Ok(None);
    }
    let list = match values::integer(&value) {
        Some(n) => Some([n as f64; N]),
        None => values::numbers::<N>(&value),
    };
    let good = |n: &f64| n.fract() == 0.0 && *n >= f64::from(least) && *n <= 1e6;
    match list {
        Some(list) if list.iter().all(good) => Ok(Some(list.map(|n| n as u32))),
        _ => {
            let expected =
                format!("a whole number or a list of {N} whole numbers, each at least {least}");
            Err(o.wrong(name, &expected, &value))
        }
    }
}

pub(super) fn count(o: &Options, name: &str) -> mlua::Result<Option<u32>> {
    Ok(o.integer(name)?.map(|n| n as u32))
}

fn grid(inv: &Invocation) -> mlua::Result<Value> {
    let o = inv.options_at(0, &GRID, false)?;
    let (size, spacing) = (size2(&o)?, o.number("spacing")?);
    let vertices = counts::<2>(&o, "vertices", 2)?;
    match (vertices, spacing) {
        (Some([a, b]), _) => check_count(&o, "vertices", f64::from(a) * f64::from(b))?,
        (None, Some(s)) => check_count(&o, "spacing", (size[0] / s + 1.0) * (size[1] / s + 1.0))?,
        _ => {}
    }
    let grid = made::Grid {
        size,
        vertices,
        spacing,
        normal: o.vec3("normal")?,
        up: o.vec3("up")?,
        center: o.need_vec3("center")?,
    };
    finish(&o, grid.build())
}

/// Reads `size`, and `cells` or `spacing`, of a box that has `otherwise` cells along each axis if it does
/// not say; `count` tells how many pieces it has for its cells.
pub(super) fn cut_box(
    o: &Options,
    otherwise: u32,
    count: impl Fn([f64; 3]) -> f64,
) -> mlua::Result<(DVec3, Option<[u32; 3]>, Option<f64>)> {
    let size = o.factor("size")?.unwrap_or(DVec3::ONE);
    if size.min_element() <= 0.0 {
        return Err(o.wrong("size", "lengths above 0 (m)", &o.value("size")?));
    }
    let (cells, spacing) = (counts::<3>(o, "cells", 1)?, o.number("spacing")?);
    let along = match (cells, spacing) {
        (Some(cells), _) => cells.map(f64::from),
        (None, Some(s)) => (size / s).to_array(),
        _ => [f64::from(otherwise); 3],
    };
    check_count(o, if cells.is_some() { "cells" } else { "spacing" }, count(along))?;
    Ok((size, cells, spacing))
}

fn walled_box(inv: &Invocation) -> mlua::Result<Value> {
    let o = inv.options_at(0, &BOX, false)?;
    let (size, cells, spacing) = cut_box(&o, 1, |[a, b, c]| 2.0 * (a * b + b * c + c * a))?;
    let made = made::Box {
        size,
        cells,
        spacing,
        open: o.choice("open")?.and_then(|side| made::Side::from_name(&side)),
        wall: o.number("wall")?,
        center: o.need_vec3("center")?,
    };
    finish(&o, made.build())
}

fn sphere(inv: &Invocation) -> mlua::Result<Value> {
    let o = inv.options_at(0, &SPHERE, false)?;
    let sphere = made::Sphere {
        radius: o.need_number("radius")?,
        subdivisions: count(&o, "subdivisions")?,
        spacing: o.number("spacing")?,
        center: o.need_vec3("center")?,
    };
    finish(&o, sphere.build())
}

/// Refuses a round mesh that would be too large.
fn check_round(o: &Options, around: f64, along: f64) -> mlua::Result<()> {
    if let Some(s) = o.number("spacing")? {
        return check_count(o, "spacing", (around / s) * (along / s));
    }
    let rings = if o.given("rings")? { o.integer("rings")?.unwrap_or(1) } else { 1 };
    check_count(o, "segments", o.integer("segments")?.unwrap_or(32) as f64 * rings as f64)
}

fn cylinder(inv: &Invocation) -> mlua::Result<Value> {
    let o = inv.options_at(0, &CYLINDER, false)?;
    let (radius, height) = (o.need_number("radius")?, o.need_number("height")?);
    check_round(&o, 6.3 * radius, height + 2.0 * radius)?;
    let cylinder = made::Cylinder {
        radius,
        height,
        segments: count(&o, "segments")?,
        rings: count(&o, "rings")?,
        spacing: o.number("spacing")?,
        caps: o.need_flag("caps")?,
        center: o.need_vec3("center")?,
    };
    finish(&o, cylinder.build())
}

fn cone(inv: &Invocation) -> mlua::Result<Value> {
    let o = inv.options_at(0, &CONE, false)?;
    let (radius, height) = (o.need_number("radius")?, o.need_number("height")?);
    let top_radius = o.need_number("top_radius")?;
    check_round(&o, 6.3 * radius.max(top_radius), height + radius + top_radius)?;
    let cone = made::Cone {
        radius,
        top_radius,
        height,
        segments: count(&o, "segments")?,
        rings: count(&o, "rings")?,
        spacing: o.number("spacing")?,
        caps: o.need_flag("caps")?,
        center: o.need_vec3("center")?,
    };
    finish(&o, cone.build())
}

fn capsule(inv: &Invocation) -> mlua::Result<Value> {
    let o = inv.options_at(0, &CAPSULE, false)?;
    let (radius, height) = (o.need_number("radius")?, o.need_number("height")?);
    if let Some(s) = o.number("spacing")? {
        check_count(&o, "spacing", (6.3 * radius / s) * (height / s))?;
    }
    let capsule = made::Capsule {
        radius,
        height,
        segments: count(&o, "segments")?,
        spacing: o.number("spacing")?,
        center: o.need_vec3("center")?,
    };
    finish(&o, capsule.build())
}

fn torus(inv: &Invocation) -> mlua::Result<Value> {
    let o = inv.options_at(0, &TORUS, false)?;
    let (radius, tube) = (o.need_number("radius")?, o.need_number("tube")?);
    check_round(&o, 6.3 * radius, 6.3 * tube)?;
    let torus = made::Torus {
        radius,
        tube,
        segments: count(&o, "segments")?,
        rings: count(&o, "rings")?,
        spacing: o.number("spacing")?,
        center: o.need_vec3("center")?,
    };
    finish(&o, torus.build())
}

fn plane(inv: &Invocation) -> mlua::Result<Value> {
    let o = inv.options_at(0, &PLANE, false)?;
    let (size, spacing) = (size2(&o)?, o.number("spacing")?);
    if let Some(s) = spacing {
        check_count(&o, "spacing", (size[0] / s + 1.0) * (size[1] / s + 1.0))?;
    }
    let plane = made::Plane { size, spacing, center: o.need_vec3("center")? };
    finish(&o, plane.build())
}

fn lathe(inv: &Invocation) -> mlua::Result<Value> {
    let o = inv.options(&LATHE)?;
    let value = o.value("profile")?;
    let expected = "a list of at least two {radius, height} (m)";
    let Value::Table(list) = &value else { return Err(o.wrong("profile", expected, &value)) };
    let mut profile = Vec::new();
    for i in 1..=list.raw_len() {
        let entry: Value = list.raw_get(i)?;
        profile.push(
            values::numbers::<2>(&entry).ok_or_else(|| o.wrong("profile", expected, &entry))?,
        );
    }
    if profile.len() < 2 {
        return Err(o.wrong("profile", expected, &value));
    }
    let segments = count(&o, "segments")?;
    check_count(&o, "segments", f64::from(segments.unwrap_or(32)) * profile.len() as f64)?;
    let spacing = o.number("spacing")?;
    if let Some(s) = spacing {
        let length: f64 =
            profile.windows(2).map(|w| libm::hypot(w[1][0] - w[0][0], w[1][1] - w[0][1])).sum();
        let widest = profile.iter().fold(0.0, |r: f64, p| r.max(p[0]));
        check_count(&o, "spacing", (6.3 * widest / s) * (length / s))?;
    }
    let lathe = made::Lathe { profile, segments, spacing, center: o.need_vec3("center")? };
    finish(&o, lathe.build())
}
