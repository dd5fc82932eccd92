//! Bodies: cloths, colliders, the ground; how they look and touch.

use super::super::invocation::Invocation;
use super::super::object::Object;
use super::super::options::Options;
use super::super::sampling::Surface;
use super::super::schema::{Args, Call, Class, Key, Kind, Schema, key};
use super::super::shot::{Handle, ShotState, check_file_safe, made_name};
use super::clips::{FROM_KEYS, mesh_of};
use super::shots::scene_place;
use crate::geometry::TriMesh;
use crate::geometry::primitives::Plane;
use crate::math::{Curve, rotation_from_degrees};
use crate::scene::{
    Body, BodyKind, Cloth, Constraint, ConstraintKind, Look, MappedCurve, PictureFile,
    PictureFormat, Pressure, RestShape,
};
use glam::DVec3;
use mlua::Value;
use std::rc::Rc;

/// Pixels of a picture that cost the script one instruction.
const PIXELS_A_STEP: u64 = 16;

const NAME: Key = key("name", Kind::Text, "file-safe, unique over all bodies").words("made");
const FRICTION: Key =
    key("friction", Kind::Map, "friction coefficient; a pair has the geometric mean of both")
        .range(0.0, 100.0)
        .words("that of `shot:collisions`");
const COLOR: Key = key("color", Kind::Color, "colour, as in `body:look`");

/// A group that bodies are in.
pub(super) const GROUP: Key = key(
    "group",
    Kind::Text,
    "group that it is in, as in \"set/glasses\": a parent in glTF and USD, a collection in Blender, and a name for \
     all its bodies",
);

pub(super) const COMMON: &[Key] = &[
    NAME,
    GROUP,
    FRICTION,
    key("collides", Kind::Bool, "whether it touches anything").flag(true),
    key("self_collision", Kind::Bool, "whether it touches itself")
        .words("that of `shot:collisions`"),
    key("visible", Kind::Bool, "drawn in pictures").flag(true),
    key("exports", Kind::Bool, "written by exporters").flag(true),
    COLOR,
    key("appears", Kind::Number, "not there before: unseen, untouched, waiting where it starts")
        .unit("s"),
    key("disappears", Kind::Number, "not there from then on").unit("s"),
];

pub(super) const MESH: &[Key] = &[key("mesh", Kind::Mesh, "its surface").needed()];

/// Of bodies that move by themselves.
pub(super) const FREE_KEYS: &[Key] = &[
    key("translate", Kind::Curve3, "where its mesh's origin stands").unit("m").vec3([0.0; 3]),
    key("rotate", Kind::Curve3, "turn about x, then y, then z").unit("degrees").vec3([0.0; 3]),
    key(
        "driven_until",
        Kind::Number,
        "carried by `translate` and `rotate` until then, and set free with the velocity it has",
    )
    .unit("s"),
    key("velocity", Kind::Vec3, "velocity at the start").unit("m/s").vec3([0.0; 3]),
    key("spin", Kind::Vec3, "spin at the start").unit("degrees/s").vec3([0.0; 3]),
];

const CLOTH_KEYS: &[Key] = &[
    key("material", MATERIAL, "its fabric").words("cotton"),
    key("thickness", Kind::Map, "full thickness").unit("m").range(0.0, 1.0).words("0.002"),
    key(
        "rest",
        REST,
        "the shape without strain: as given, without bends, as the texture coordinates lie (scaled \
         to the mesh's area), or a mesh with the same triangles",
    )
    .text("start"),
    key("shrink", Kind::MapCurve, "factor on rest lengths").range(0.01, 100.0).number(1.0),
];

/// What `rest` of a cloth may be.
const RESTS: &str = "\"start\", \"flat\", \"uv\" or a mesh with the same triangles";

/// Of bodies with an inside.
pub(super) const PRESSURE_KEYS: &[Key] = &[
    key("pressure", Kind::Curve, "how much more what is inside presses than what is outside")
        .unit("Pa")
        .words("none"),
    key(
        "sealed",
        Kind::Bool,
        "whether it is a gas that cannot get out: `pressure` goes with one over the volume",
    )
    .flag(false),
    key("outside", Kind::Number, "pressure outside, which a sealed gas carries as well")
        .unit("Pa")
        .range(0.0, 1e9)
        .number(0.0),
];

const MATERIAL: Kind = Kind::Other("MembraneMaterial|Flex3dMaterial|SpringsMaterial");
const REST: Kind = Kind::Other("\"start\"|\"flat\"|\"uv\"|Mesh");

const THICKNESS: Key =
    key("thickness", Kind::Map, "full thickness").unit("m").range(0.0, 1.0).words("0");

const COLLIDER_KEYS: &[Key] = &[
    key("translate", Kind::Curve3, "where its mesh's origin stands").unit("m").vec3([0.0; 3]),
    key("rotate", Kind::Curve3, "turn about x, then y, then z").unit("degrees").vec3([0.0; 3]),
    key(
        "velocity",
        Kind::Vec3,
        "how fast it goes on, without end; it is at `translate` at time 0, which is then no curve",
    )
    .unit("m/s")
    .vec3([0.0; 3]),
    key(
        "spin",
        Kind::Vec3,
        "how fast it goes on turning about its mesh's origin; `rotate` is then no curve",
    )
    .unit("degrees/s")
    .vec3([0.0; 3]),
    THICKNESS,
    key("mesh", Kind::Mesh, "its surface; or an object of a stage, with `from`"),
];

static CLOTH: Schema =
    Schema::new("cloth", "ClothOptions", &[MESH, COMMON, FREE_KEYS, CLOTH_KEYS, PRESSURE_KEYS]);
static COLLIDER: Schema =
    Schema::new("collider", "ColliderOptions", &[COLLIDER_KEYS, FROM_KEYS, COMMON]);

static GROUND: Schema = Schema::new(
    "ground",
    "GroundOptions",
    &[&[
        key("name", Kind::Text, "file-safe, unique over all bodies").text("ground"),
        GROUP,
        key("height", Kind::Number, "height of its surface").unit("m").number(0.0),
        key("friction", Kind::Map, "friction coefficient")
            .range(0.0, 100.0)
            .words("that of `shot:collisions`"),
        THICKNESS,
        key("size", Kind::Number, "edge length of the square")
            .unit("m")
            .range(0.01, 1e5)
            .number(40.0),
        key("visible", Kind::Bool, "drawn in pictures").flag(true),
        key("exports", Kind::Bool, "written by exporters").flag(true),
        COLOR,
    ]],
);

static LOOK: Schema = Schema::new(
    "look",
    "LookOptions",
    &[&[
        key("color", Kind::Color, "base colour").words("of a palette"),
        key("roughness", Kind::Number, "0 (mirror) to 1 (matt)").range(0.0, 1.0).number(0.7),
        key("metallic", Kind::Number, "0 or 1, or between").range(0.0, 1.0).number(0.0),
        key("opacity", Kind::Number, "0 (not seen) to 1").range(0.0, 1.0).number(1.0),
        key("transmission", Kind::Number, "share of light that passes through")
            .range(0.0, 1.0)
            .number(0.0),
        key("ior", Kind::Number, "index of refraction").range(1.0, 4.0).number(1.45),
        key(
            "color_map",
            Kind::Text,
            "PNG or JPEG file of the base colour over the texture coordinates, times `color` where that \
             is given; its transparency is not used",
        ),
        key(
            "normal_map",
            Kind::Text,
            "PNG or JPEG file of normals relative to the surface, green upwards as OpenGL and glTF \
             have it",
        ),
        key("subdivide", Kind::Integer, "how often the surface is split and smoothed")
            .range(0.0, 4.0)
            .words("0"),
        key("solidify", Kind::Number, "thickness that a sheet is given")
            .unit("m")
            .from(0.0)
            .number(0.0),
    ]],
);

pub(super) const CALLS: &[Call] = &[
    Call::new(Class::Shot, "cloth", Args::Options(&CLOTH), cloth)
        .returns("Body")
        .doc("A sheet that the simulation moves.")
        .example(
            "local flag = shot:cloth{\n  name = \"flag\",\n  \
             mesh = sheet:moved{ translate = { 0, 4, 0 } },\n  \
             material = retake.material.fabric \"silk\",\n  \
             friction = function(p) return p.y > 4 and 0.2 or 0.6 end,\n}",
        ),
    Call::new(Class::Shot, "collider", Args::Options(&COLLIDER), collider)
        .returns("Body")
        .doc(
            "A body that stands still or moves as its curves say, whatever it meets. `from` takes an \
             object of a stage, and `clip` what moves it there: nodes, a skin, morph targets. The curves \
             place the whole of it. Where it deforms and pinches something, it gives way.",
        )
        .example(
            "local arm = shot:collider{\n  name = \"arm\",\n  \
             mesh = retake.mesh.capsule{ radius = 0.05, height = 0.6 },\n  \
             translate = retake.keys{ { 0, { 2, 1, 0.6 } }, { 1, { 2, 1.5, 0.6 } } },\n  \
             rotate = function(t) return 0, 0, 20 * math.sin(t) end,\n}",
        ),
    Call::new(Class::Shot, "ground", Args::MaybeOptions(&GROUND), ground)
        .returns("Body")
        .doc("A level square to fall on: a collider.")
        .example("local earth = shot:ground{ height = -2, friction = 0.5, name = \"earth\" }"),
    Call::new(Class::Body, "look", Args::Options(&LOOK), look)
        .returns("Body")
        .doc("How a body looks in pictures and exports; never changes how it touches.")
        .example("cloth:look{ color = \"#c83232\", roughness = 0.8 }"),
];

fn cloth(inv: &Invocation) -> mlua::Result<Value> {
    let o = inv.options(&CLOTH)?;
    let (mesh, start) = free_mesh(&o, "mesh", "cloth")?;
    let surface = Surface { mesh: &mesh, vertices: &start };
    let rest = match o.value("rest")? {
        Value::Nil => RestShape::Start,
        Value::String(word) => {
            let word = word.to_string_lossy();
            match &*word {
                "start" => RestShape::Start,
                "flat" => RestShape::Flat,
                "uv" if mesh.uvs.is_empty() => {
                    let message = "`rest = \"uv\"` in cloth needs a mesh with texture coordinates";
                    let hint = "unwrap it before it is exported, or give a mesh as `rest`";
                    return Err(o.fault("rest", message, Some(hint.into())));
                }
                "uv" => RestShape::Uv,
                _ => {
                    let words = ["start", "flat", "uv"];
                    return Err(o.wrong_word("rest", &word, &words, RESTS));
                }
            }
        }
        other => match Object::from_value(&other) {
            Some(Object::Mesh(shape)) => rest_mesh(&o, &mesh, &shape)?,
            _ => return Err(o.wrong("rest", RESTS, &other)),
        },
    };
    let material = super::materials::of_cloth(&o, &surface)?;
    let kind = BodyKind::Cloth(Cloth {
        material,
        rest,
        shrink: o.mapped_curve("shrink", &surface)?.unwrap_or(MappedCurve::constant(1.0)),
        pressure: pressure(&o, "cloth")?,
    });
    let body = free_body(&o, kind, "cloth", &surface)?;
    add_free(&o, body, &mesh, start)
}

/// The mesh `name` of a body that moves by itself, and its vertices where they start.
pub(super) fn free_mesh(
    o: &Options,
    name: &str,
    word: &str,
) -> mlua::Result<(Rc<TriMesh>, Vec<DVec3>)> {
    let mesh = o.mesh(name)?.ok_or_else(|| o.inv.fault(format!("a body needs a `{name}`")))?;
    check_mesh(o, name, &mesh)?;
    placed_mesh(o, mesh, word)
}

/// A mesh, and its vertices where the body's curves begin.
pub(super) fn placed_mesh(
    o: &Options,
    mesh: Rc<TriMesh>,
    word: &str,
) -> mlua::Result<(Rc<TriMesh>, Vec<DVec3>)> {
    let [translate, rotate] = curves(o)?;
    for (key, curve) in [("translate", &translate), ("rotate", &rotate)] {
        if !curve.is_constant() && !o.given("driven_until")? {
            let message = format!("a {word} whose `{key}` changes over time needs `driven_until`");
            let hint = "it says when the body is set free; a collider is driven all the time";
            return Err(o.fault(key, message, Some(hint.into())));
        }
    }
    let begin = o.inv.shot()?.start_time();
    let start = placed(&mesh, translate.at(begin), rotate.at(begin));
    Ok((mesh, start))
}

/// `translate` and `rotate`.
fn curves(o: &Options) -> mlua::Result<[Curve<DVec3>; 2]> {
    let zero = || Curve::Constant(DVec3::ZERO);
    Ok([o.curve3("translate")?.unwrap_or_else(zero), o.curve3("rotate")?.unwrap_or_else(zero)])
}

/// Adds a body that moves by itself, driven by its curves until it is set free.
pub(super) fn add_free(
    o: &Options,
    body: Body,
    mesh: &Rc<TriMesh>,
    start: Vec<DVec3>,
) -> mlua::Result<Value> {
    let (name, place) = (format!("{} driven", body.name), body.place.clone());
    let (value, until) = (add(o.inv, body, mesh, start)?, o.number("driven_until")?);
    if let Some(until) = until {
        let mut shot = o.inv.shot_mut()?;
        let body = shot.scene.bodies.len() - 1;
        let constraint = Constraint {
            name: made_name(&name, shot.scene.constraints.iter().map(|c| c.name.as_str())),
            place,
            starts: None,
            ends: Some(until),
            stiffness: None,
            weight: None,
            breaks_at: None,
            kind: ConstraintKind::Carry { body },
        };
        shot.scene.constraints.push(constraint);
        let handle = Handle { constraint: shot.scene.constraints.len() - 1, releases: Vec::new() };
        shot.handles.push(handle);
    }
    Ok(value)
}

/// What bodies that move by themselves have in common.
pub(super) fn free_body(
    o: &Options,
    kind: BodyKind,
    word: &str,
    surface: &Surface,
) -> mlua::Result<Body> {
    let mut body = body(o, kind, word, surface)?;
    [body.translate, body.rotate] = curves(o)?;
    body.velocity = o.need_vec3("velocity")?;
    body.spin = o.need_vec3("spin")?;
    Ok(body)
}

/// A mesh as the shape at rest: it must have the triangles of the cloth.
fn rest_mesh(o: &Options, mesh: &TriMesh, shape: &Rc<TriMesh>) -> mlua::Result<RestShape> {
    if shape.triangles != mesh.triangles || shape.positions.len() != mesh.positions.len() {
        let message = format!(
            "the mesh of `rest` in cloth must have the same triangles as `mesh`: it has {} vertices \
             and {} triangles, not {} and {}",
            shape.positions.len(),
            shape.triangles.len(),
            mesh.positions.len(),
            mesh.triangles.len()
        );
        let hint = "make one from the other with `:moved{ ... }` or `:displaced(...)`";
        return Err(o.fault("rest", message, Some(hint.into())));
    }
    Ok(RestShape::Mesh(o.inv.shot_mut()?.add_mesh(shape)))
}

pub(super) fn pressure(o: &Options, word: &str) -> mlua::Result<Option<Pressure>> {
    let (sealed, outside) = (o.need_flag("sealed")?, o.need_number("outside")?);
    match o.curve("pressure")? {
        Some(pressure) => Ok(Some(Pressure { pressure, sealed, outside })),
        None if sealed || outside > 0.0 => {
            let key = if sealed { "sealed" } else { "outside" };
            Err(o.fault(key, format!("`{key}` in {word} needs `pressure`"), None))
        }
        None => Ok(None),
    }
}

fn collider(inv: &Invocation) -> mlua::Result<Value> {
    let o = inv.options(&COLLIDER)?;
    let (mesh, clip) = match (o.mesh("mesh")?, mesh_of(&o)?) {
        (Some(_), Some(_)) => {
            let message = "collider has both `mesh` and `from`";
            return Err(o.fault("from", message, Some("give one of them".into())));
        }
        (None, Some(taken)) => taken,
        (Some(mesh), None) => (mesh, None),
        (None, None) => {
            let hint = "or `from` and `object`, which take one of a stage";
            return Err(inv.fault_hint("collider needs `mesh`", hint));
        }
    };
    check_mesh(&o, "mesh", &mesh)?;
    let mut moved = plain_body(String::new(), BodyKind::Collider, inv);
    [moved.translate, moved.rotate] = curves(&o)?;
    (moved.velocity, moved.spin) = (o.need_vec3("velocity")?, o.need_vec3("spin")?);
    for (key, curve) in [("translate", &moved.translate), ("rotate", &moved.rotate)] {
        if moved.goes_on() && !curve.is_constant() {
            let own = if moved.velocity == DVec3::ZERO { "spin" } else { "velocity" };
            let message =
                format!("`{own}` and a `{key}` that changes over time exclude each other");
            let hint = "a collider goes on at an even speed, or where its curves say";
            return Err(o.fault(own, message, Some(hint.into())));
        }
    }
    moved.clip = clip;
    let start = moved.places_at(&mesh, inv.shot()?.start_time());
    let surface = Surface { mesh: &mesh, vertices: &start };
    let body = body(&o, BodyKind::Collider, "collider", &surface)?;
    let Body { translate, rotate, clip, velocity, spin, .. } = moved;
    add(inv, Body { translate, rotate, clip, velocity, spin, ..body }, &mesh, start)
}

fn ground(inv: &Invocation) -> mlua::Result<Value> {
    let o = inv.options_at(0, &GROUND, false)?;
    let size = o.need_number("size")?;
    let height = o.need_number("height")?;
    let plane = Plane { size: [size, size], spacing: None, center: DVec3::ZERO };
    let mesh = plane.build().map_err(|d| super::super::invocation::raise(inv.lua, d))?;
    let translate = DVec3::new(0.0, height, 0.0);
    let start = placed(&mesh, translate, DVec3::ZERO);
    let name = o.text("name")?.unwrap_or_default();
    check_name(&o, &name)?;
    let mut body = plain_body(name, BodyKind::Collider, inv);
    body.group = group(&o)?;
    let surface = Surface { mesh: &mesh, vertices: &start };
    body.friction = o.map("friction", &surface)?;
    body.thickness = o.map("thickness", &surface)?;
    body.translate = Curve::Constant(translate);
    body.visible = o.need_flag("visible")?;
    body.exports = o.need_flag("exports")?;
    body.look = look_of(&o)?;
    add(inv, body, &Rc::new(mesh), start)
}

/// Refuses a mesh that the body cannot have.
pub(super) fn check_mesh(o: &Options, name: &str, mesh: &TriMesh) -> mlua::Result<()> {
    mesh.check().map_err(|d| o.fault(name, d.message, d.hint))?;
    let is_rope = o.name() == "rope";
    if is_rope && mesh.lines.is_empty() {
        let hint = "make it with `retake.mesh.rope{ from = ..., to = ... }`";
        return Err(o.fault(name, "the mesh of a rope is a line", Some(hint.into())));
    }
    if !is_rope && mesh.triangles.is_empty() {
        let hint = (!mesh.lines.is_empty()).then(|| "a line makes a `shot:rope`".to_owned());
        return Err(o.fault(name, "the mesh has no triangles", hint));
    }
    Ok(())
}

fn placed(mesh: &TriMesh, translate: DVec3, rotate: DVec3) -> Vec<DVec3> {
    let turn = rotation_from_degrees(rotate);
    mesh.positions.iter().map(|p| turn * *p + translate).collect()
}

fn check_name(o: &Options, name: &str) -> mlua::Result<()> {
    let shot = o.inv.shot()?;
    let others = shot.scene.bodies.iter().map(|b| (b.name.as_str(), &b.place));
    ShotState::check_name(name, "a body", others)
        .map_err(|(message, hint)| o.fault("name", message, hint))
}

fn plain_body(name: String, kind: BodyKind, inv: &Invocation) -> Body {
    Body::new(name, scene_place(inv), 0, kind)
}

fn look_of(o: &Options) -> mlua::Result<Look> {
    let mut look = Look::default();
    if let Some(color) = o.color("color")? {
        look.color = color;
        look.color_given = true;
    }
    Ok(look)
}

/// The group that a body is to be in.
fn group(o: &Options) -> mlua::Result<Option<String>> {
    let Some(group) = o.text("group")? else { return Ok(None) };
    for part in group.split('/') {
        check_file_safe(part).map_err(|(message, _)| {
            let hint = "a group is names with `/` between them, as in \"set/glasses\"";
            o.fault("group", message, Some(hint.into()))
        })?;
    }
    Ok(Some(group))
}

/// What cloths and colliders have in common.
fn body(o: &Options, kind: BodyKind, word: &str, surface: &Surface) -> mlua::Result<Body> {
    let name = match o.text("name")? {
        Some(name) => {
            check_name(o, &name)?;
            name
        }
        None => {
            let shot = o.inv.shot()?;
            let names = shot.scene.bodies.iter().map(|b| b.name.as_str());
            made_name(word, names)
        }
    };
    let mut body = plain_body(name, kind, o.inv);
    body.group = group(o)?;
    body.friction = o.map("friction", surface)?;
    body.thickness = o.map("thickness", surface)?;
    body.collides = o.need_flag("collides")?;
    body.self_collision = o.flag("self_collision")?;
    body.visible = o.need_flag("visible")?;
    body.exports = o.need_flag("exports")?;
    (body.appears, body.disappears) = (o.number("appears")?, o.number("disappears")?);
    if let (Some(from), Some(to)) = (body.appears, body.disappears)
        && to <= from
    {
        return Err(o.fault("disappears", "a body must appear before it disappears", None));
    }
    body.look = look_of(o)?;
    Ok(body)
}

/// A body that stands where its mesh is and touches nothing.
pub(super) fn add_scenery(o: &Options, name: String, mesh: &Rc<TriMesh>) -> mlua::Result<Value> {
    let shot = o.inv.shot()?;
    let others = shot.scene.bodies.iter().map(|b| (b.name.as_str(), &b.place));
    let free = ShotState::check_name(&name, "a body", others);
    drop(shot);
    free.map_err(|(message, hint)| o.fault("match", message, hint))?;
    mesh.check().map_err(|d| o.fault("match", d.message, d.hint))?;
    let mut body = plain_body(name, BodyKind::Collider, o.inv);
    body.group = group(o)?;
    body.collides = false;
    add(o.inv, body, mesh, mesh.positions.clone())
}

pub(super) fn add(
    inv: &Invocation,
    mut body: Body,
    mesh: &Rc<TriMesh>,
    start: Vec<DVec3>,
) -> mlua::Result<Value> {
    let mut shot = inv.shot_mut()?;
    body.mesh = shot.add_mesh(mesh);
    shot.scene.bodies.push(body);
    shot.starts.push(Rc::new(start));
    let index = shot.scene.bodies.len() - 1;
    drop(shot);
    inv.give(Object::Body(index))
}

/// The picture file of `name`, if it is given: it can be decoded, and the mesh has a place for it.
fn picture(o: &Options, name: &str) -> mlua::Result<Option<PictureFile>> {
    let Some(path) = o.text(name)? else { return Ok(None) };
    {
        let shot = o.inv.shot()?;
        if shot.mesh_of(o.inv.body()).uvs.is_empty() {
            let body = &shot.scene.bodies[o.inv.body()].name;
            let message =
                format!("`{name}` needs texture coordinates, and the mesh of `{body}` has none");
            let hint = "unwrap the mesh before it is exported, or take a mesh of `retake.mesh`";
            return Err(o.fault(name, message, Some(hint.into())));
        }
    }
    let found = o.inv.cx.files.picture(&path);
    let (file, bytes) = found.map_err(|d| o.fault(name, d.message, d.hint))?;
    let decoded = PictureFormat::decode(&bytes).map_err(|why| {
        let message = format!("`{name}`: `{path}` is no picture that can be read: {why}");
        o.fault(name, message, Some("PNG and JPEG files can be read".into()))
    })?;
    o.inv.charge(u64::from(decoded.width()) * u64::from(decoded.height()) / PIXELS_A_STEP)?;
    Ok(Some(file))
}

fn look(inv: &Invocation) -> mlua::Result<Value> {
    let o = inv.options(&LOOK)?;
    let color = o.color("color")?;
    let mut numbers = Vec::new();
    for key in ["roughness", "metallic", "opacity", "transmission", "ior"] {
        numbers.push((key, o.given(key)?, o.need_number(key)?));
    }
    let (subdivide, solidify) = (o.integer("subdivide")?, o.given("solidify")?);
    let thickness = o.need_number("solidify")?;
    let (color_map, normal_map) = (picture(&o, "color_map")?, picture(&o, "normal_map")?);
    let mut shot = inv.shot_mut()?;
    if let Some(times) = subdivide {
        let triangles = (shot.mesh_of(inv.body()).triangles.len() as u64) << (2 * times);
        if triangles / 2 > inv.cx.limits.vertices {
            let message = format!("the drawn mesh would have {triangles} triangles");
            return Err(o.fault("subdivide", message, None));
        }
    }
    if shot.scene.bodies[inv.body()].rope().is_some() && (subdivide.is_some() || solidify) {
        let message = "a rope is drawn as a tube, which takes neither `subdivide` nor `solidify`";
        return Err(inv.fault(message));
    }
    let look = &mut shot.scene.bodies[inv.body()].look;
    look.subdivide = subdivide.map_or(look.subdivide, |times| times as u32);
    if solidify {
        look.solidify = thickness;
    }
    if let Some(color) = color {
        look.color = color;
        look.color_given = true;
    }
    look.color_map = color_map.or(look.color_map.take());
    look.normal_map = normal_map.or(look.normal_map.take());
    for (key, _, value) in numbers.into_iter().filter(|(_, given, _)| *given) {
        match key {
            "roughness" => look.roughness = value,
            "metallic" => look.metallic = value,
            "opacity" => look.opacity = value,
            "transmission" => look.transmission = value,
            _ => look.ior = value,
        }
    }
    drop(shot);
    inv.give(Object::Body(inv.body()))
}
