//! The material of FLEX3D.

use super::super::invocation::Invocation;
use super::super::options::Options;
use super::super::schema::{Args, Call, Class, Key, Kind, Schema, When, key};
use super::super::values;
use crate::scene::{Flex3d, FrictionReading};
use mlua::Value;

const TINY: f64 = f64::MIN_POSITIVE;
const TRIPLE: Kind = Kind::Other("number|number[]");

const KEYS: &[Key] = &[
    key("kh", Kind::Number, "spring constant between neighbours of a row")
        .unit("N/m")
        .from(0.0)
        .number(10.0),
    key("kv", Kind::Number, "spring constant between neighbours of a column")
        .unit("N/m")
        .from(0.0)
        .words("`kh`"),
    key("kd", Kind::Number, "spring constant between diagonal neighbours")
        .unit("N/m")
        .from(0.0)
        .words("`kh`"),
    key(
        "curvature",
        TRIPLE,
        "constant of the angular springs, or three: along rows, along columns, along diagonals [N/m]",
    )
    .words("0"),
    key("reaction", Kind::Bool, "whether angular springs push back, which keeps the momentum")
        .flag(false),
    key("point_mass", Kind::Number, "mass of each point").unit("kg").from(TINY).needed(),
    key("friction_fraction", Kind::Number, "part of the resultant force that friction takes")
        .range(0.0, 1.0)
        .number(0.0),
    key(
        "friction",
        Kind::Choice(&["oppose", "scale"], &[]),
        "how it takes it: against the velocity, or from the force itself",
    )
    .text("oppose"),
    key("model", Kind::Choice(&["flex3d"], &[]), "which model it is").text("flex3d"),
];

static FLEX3D: Schema = Schema::new("flex3d", "Flex3dMaterial", &[KEYS]);

pub(super) const CALL: Call =
    Call::new(Class::MaterialLibrary, "flex3d", Args::Options(&FLEX3D), flex3d)
        .returns("Flex3dMaterial")
        .doc(
            "The elastic surface of FLEX3D (Nedel 1993) for a grid: point masses, each tied to its \
             eight neighbours. It is moved by `method = \"explicit_euler\"`.",
        )
        .when(When::Always)
        .example(
            "local paper = retake.material.flex3d{ kh = 10, curvature = 10, point_mass = 0.5, \
             friction_fraction = 0.18 }",
        );

fn flex3d(inv: &Invocation) -> mlua::Result<Value> {
    let o = inv.options(&FLEX3D)?;
    values_of(&o)?;
    let copy = inv.lua.create_table()?;
    for key in super::super::engine::sorted_keys(inv.lua, &o.table)? {
        let value: Value = o.table.raw_get(key.clone())?;
        copy.raw_set(key, value)?;
    }
    copy.raw_set("model", "flex3d")?;
    Ok(Value::Table(copy))
}

/// The sheet of a cloth whose `material` is of this model.
pub(super) fn read(cloth: &Options) -> mlua::Result<Flex3d> {
    let o = cloth.table_as("material", &FLEX3D)?;
    let o = o.ok_or_else(|| cloth.inv.fault("the material is no table"))?;
    values_of(&o)
}

fn values_of(o: &Options) -> mlua::Result<Flex3d> {
    o.choice("model")?;
    let kh = o.need_number("kh")?;
    Ok(Flex3d {
        kh,
        kv: o.number("kv")?.unwrap_or(kh),
        kd: o.number("kd")?.unwrap_or(kh),
        curvature: curvature(o)?,
        reaction: o.need_flag("reaction")?,
        point_mass: o.need_number("point_mass")?,
        friction_fraction: o.need_number("friction_fraction")?,
        friction: match o.choice("friction")?.as_deref() {
            Some("scale") => FrictionReading::Scale,
            _ => FrictionReading::Oppose,
        },
    })
}

fn curvature(o: &Options) -> mlua::Result<[f64; 3]> {
    let value = o.value("curvature")?;
    let given = match (values::number(&value), values::numbers::<3>(&value)) {
        _ if value.is_nil() => Some([0.0; 3]),
        (Some(all), _) => Some([all; 3]),
        (None, three) => three,
    };
    given
        .filter(|three| three.iter().all(|k| k.is_finite() && *k >= 0.0))
        .ok_or_else(|| o.wrong("curvature", "a number of at least 0, or three of them", &value))
}
