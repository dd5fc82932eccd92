//! Many things placed at random that do not touch.

use super::super::chance::Stream;
use super::super::invocation::Invocation;
use super::super::object::Object;
use super::super::options::Options;
use super::super::schema::{Args, Call, Class, Kind, Schema, key};
use super::super::values::{self, describe, list};
use super::chance::SEED;
use crate::geometry::{Interior, TriMesh};
use crate::math::rotation_from_degrees;
use glam::DVec3;
use mlua::Value;
use std::rc::Rc;

/// Places that are tried for each thing.
const TRIES: u32 = 2000;

static SCATTER: Schema = Schema::new(
    "scatter",
    "ScatterOptions",
    &[&[
        key("meshes", Kind::Other("Mesh[]"), "what is placed, in turn").needed(),
        key("count", Kind::Integer, "how many").range(1.0, 1e5).needed(),
        key(
            "inside",
            Kind::Other("number[][]|Mesh"),
            "where: a box as its smallest and largest corner, or a closed mesh",
        )
        .unit("m")
        .needed(),
        key("gap", Kind::Number, "least distance between two").unit("m").from(0.0).number(0.0),
        key("turn", Kind::Choice(&["any", "y", "none"], &[]), "how they may be turned").text("any"),
        key("scale", Kind::Other("number[]|number"), "factor, or the smallest and the largest")
            .words("1"),
        SEED,
    ]],
);

pub(super) const CALL: Call =
    Call::new(Class::Retake, "scatter", Args::Options(&SCATTER), scatter)
        .returns("{ mesh: Mesh, translate: number[], rotate: number[], scale: number }[]")
        .doc(
            "Places for many things that do not touch: the balls around them keep the gap, and lie \
             inside. Where they do not fit, the error says how many do.",
        )
        .example(
            "local toys = retake.scatter{\n  meshes = { retake.mesh.box{ size = 0.2 }, \
             retake.mesh.sphere{ radius = 0.1 } },\n  count = 12,\n  \
             inside = { { -0.5, 0.5, 0.2 }, { 0.5, 2, 1.2 } },\n  scale = { 0.8, 1.2 },\n}\n\
             for _, toy in ipairs(toys) do\n  shot:rigid{ mesh = toy.mesh:moved{ scale = toy.scale }, \
             translate = toy.translate, rotate = toy.rotate }\nend",
        );

/// Where things may be.
enum Room<'a> {
    Box(DVec3, DVec3),
    Mesh(&'a TriMesh, Interior<'a>),
}

impl Room<'_> {
    fn bounds(&self) -> (DVec3, DVec3) {
        match self {
            Self::Box(low, high) => (*low, *high),
            Self::Mesh(mesh, _) => mesh.bounds(),
        }
    }

    /// Whether it has all of the ball of `radius` around `p`, which lies within its bounds.
    fn holds(&self, p: DVec3, radius: f64) -> bool {
        match self {
            Self::Box(..) => true,
            Self::Mesh(mesh, interior) => {
                interior.holds(p) && mesh.closest(p).is_some_and(|c| c.distance >= radius)
            }
        }
    }

    /// What asking costs.
    fn cost(&self) -> u64 {
        match self {
            Self::Box(..) => 1,
            Self::Mesh(mesh, _) => mesh.triangles.len() as u64,
        }
    }
}

fn scatter(inv: &Invocation) -> mlua::Result<Value> {
    let o = inv.options(&SCATTER)?;
    let meshes = meshes(&o)?;
    // The ball around each mesh: around the middle of its bounds.
    let balls: Vec<(DVec3, f64)> = meshes
        .iter()
        .map(|mesh| {
            let (low, high) = mesh.bounds();
            let middle = (low + high) * 0.5;
            let farthest = |r: f64, p: &DVec3| r.max(p.distance(middle));
            (middle, mesh.positions.iter().fold(0.0, farthest))
        })
        .collect();
    let count = o.need_integer("count")? as usize;
    let (gap, [least, most]) = (o.need_number("gap")?, scales(&o)?);
    let turn = o.choice("turn")?;
    let inside = o.value("inside")?;
    let held;
    let room = match Object::from_value(&inside) {
        Some(Object::Mesh(mesh)) => {
            held = mesh;
            if held.open_edge().is_some() {
                return Err(o.fault("inside", "the mesh of `inside` is not closed", None));
            }
            Room::Mesh(&held, Interior::of(&held))
        }
        _ => corners(&o, &inside)?,
    };
    let (low, high) = room.bounds();
    let mut stream = Stream::new("scatter", o.need_integer("seed")? as u64);
    let mut placed: Vec<(DVec3, f64)> = Vec::new();
    let found = inv.lua.create_table()?;
    for i in 0..count {
        let (mesh, (middle, radius)) = (&meshes[i % meshes.len()], balls[i % meshes.len()]);
        let mut place = None;
        for _ in 0..TRIES {
            inv.charge(1 + placed.len() as u64 / 8 + room.cost())?;
            let scale = stream.between(least, most);
            let rotate = match turn.as_deref() {
                Some("y") => DVec3::new(0.0, stream.between(-180.0, 180.0), 0.0),
                Some("none") => DVec3::ZERO,
                _ => stream.rotation(),
            };
            let part = DVec3::new(stream.unit(), stream.unit(), stream.unit());
            let own = radius * scale;
            let (low, high) = (low + own, high - own);
            if low.cmpgt(high).any() {
                continue;
            }
            let center = low + (high - low) * part;
            let apart = |other: &(DVec3, f64)| center.distance(other.0) >= own + other.1 + gap;
            if placed.iter().all(apart) && room.holds(center, own) {
                place = Some((center, own, scale, rotate));
                break;
            }
        }
        let Some((center, own, scale, rotate)) = place else {
            let message = format!("only {i} of {count} fit into `inside`");
            let hint = "give them more room, or a smaller `gap`, `scale` or `count`";
            return Err(o.fault("count", message, Some(hint.into())));
        };
        placed.push((center, own));
        let entry = inv.lua.create_table()?;
        let translate = center - rotation_from_degrees(rotate) * (middle * scale);
        entry.raw_set("mesh", inv.give(Object::Mesh(Rc::clone(mesh)))?)?;
        entry.raw_set("translate", list(inv.lua, translate)?)?;
        entry.raw_set("rotate", list(inv.lua, rotate)?)?;
        entry.raw_set("scale", scale)?;
        found.raw_set(i + 1, entry)?;
    }
    Ok(Value::Table(found))
}

fn meshes(o: &Options) -> mlua::Result<Vec<Rc<TriMesh>>> {
    let given = o.value("meshes")?;
    let Value::Table(table) = &given else {
        return Err(o.wrong("meshes", "a list of meshes", &given));
    };
    let mut meshes = Vec::new();
    for i in 1..=table.raw_len() {
        let entry: Value = table.raw_get(i)?;
        match Object::from_value(&entry) {
            Some(Object::Mesh(mesh)) => meshes.push(mesh),
            _ => {
                let message = format!("entry {i} of `meshes` is {}, no mesh", describe(&entry));
                return Err(o.fault("meshes", message, None));
            }
        }
    }
    if meshes.is_empty() {
        return Err(o.fault("meshes", "`meshes` in scatter is empty", None));
    }
    Ok(meshes)
}

fn scales(o: &Options) -> mlua::Result<[f64; 2]> {
    let given = o.value("scale")?;
    let two = match values::number(&given) {
        Some(n) => Some([n, n]),
        None if given.is_nil() => Some([1.0, 1.0]),
        None => values::numbers::<2>(&given),
    };
    let fit = two.filter(|[a, b]| a.is_finite() && b.is_finite() && *a > 0.0 && a <= b);
    fit.ok_or_else(|| o.wrong("scale", "a factor above 0, or two {smallest, largest}", &given))
}

fn corners<'a>(o: &Options, given: &Value) -> mlua::Result<Room<'a>> {
    let two = match given {
        Value::Table(table) if table.raw_len() == 2 => {
            let corner = |i: usize| -> mlua::Result<Option<DVec3>> {
                Ok(values::vec3(&table.raw_get::<Value>(i)?).filter(|p| p.is_finite()))
            };
            corner(1)?.zip(corner(2)?)
        }
        _ => None,
    };
    match two {
        Some((low, high)) if low.cmplt(high).all() => Ok(Room::Box(low, high)),
        _ => Err(o.wrong(
            "inside",
            "a box { {x, y, z}, {x, y, z} } with the smaller corner first, or a mesh",
            given,
        )),
    }
}
