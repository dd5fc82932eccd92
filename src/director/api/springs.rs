//! The mass-spring material.

use super::super::invocation::Invocation;
use super::super::options::Options;
use super::super::sampling::Surface;
use super::super::schema::{Args, Call, Class, Key, Kind, Schema, When, key};
use super::super::values;
use super::materials::checked_copy;
use crate::scene::{Damp, Springs, VertexMap};
use mlua::Value;

const TINY: f64 = f64::MIN_POSITIVE;

const KEYS: &[Key] = &[
    key("structural", Kind::Map, "stiffness of springs along rows and columns, or along the edges of a mesh that is no grid")
        .unit("N/m")
        .from(0.0)
        .needed(),
    key("shear", Kind::Map, "stiffness of springs across the cells, or across inner edges")
        .unit("N/m")
        .from(0.0)
        .number(0.0),
    key("bend", Kind::Map, "stiffness of springs to the points two steps away, or across inner edges")
        .unit("N/m")
        .from(0.0)
        .number(0.0),
    key("structural_damping", Kind::Map, "damping along structural springs")
        .unit("N s/m")
        .from(0.0)
        .number(0.0),
    key("shear_damping", Kind::Map, "damping along shear springs")
        .unit("N s/m")
        .from(0.0)
        .number(0.0),
    key("bend_damping", Kind::Map, "damping along bending springs")
        .unit("N s/m")
        .from(0.0)
        .number(0.0),
    key(
        "damp",
        Kind::Choice(&["always", "active"], &[]),
        "springs damp all the time, or while they pull or push",
    )
    .text("always"),
    key(
        "unilateral",
        Kind::Bool,
        "whether structural and shear springs only pull and bending springs only push",
    )
    .flag(true),
    key(
        "strain_limit",
        Kind::Number,
        "largest stretch of structural and shear springs, to which longer ones are brought back after \
         each step; 0.1 is ten per cent",
    )
    .range(0.001, 1.0)
    .words("none"),
    key("density", Kind::Map, "mass per volume").unit("kg/m3").from(TINY).needed(),
    key("thickness", Kind::Map, "thickness that the mass is counted with")
        .unit("m")
        .from(TINY)
        .needed(),
    key(
        "air_drag",
        Kind::Other("number|{ corner: number, edge: number, interior: number }"),
        "drag of the air on each point, one or by place [N s/m]",
    )
    .words("0"),
    key("model", Kind::Choice(&["springs"], &[]), "which model it is").text("springs"),
];

static SPRINGS: Schema = Schema::new("springs", "SpringsMaterial", &[KEYS]);

static AIR_DRAG: Schema = Schema::new(
    "air_drag",
    "AirDrag",
    &[&[
        key("corner", Kind::Number, "at a corner").unit("N s/m").from(0.0).needed(),
        key("edge", Kind::Number, "at an edge").unit("N s/m").from(0.0).needed(),
        key("interior", Kind::Number, "inside").unit("N s/m").from(0.0).needed(),
    ]],
);

pub(super) const CALL: Call =
    Call::new(Class::MaterialLibrary, "springs", Args::Options(&SPRINGS), springs)
        .returns("SpringsMaterial")
        .doc(
            "The mass-spring cloth of the literature (Carvalho 2012) for a grid, or for any mesh; a spring has the \
             mean of what its ends are given. It is moved by the methods of the literature: `shot:solver{ method = \"rk4\", ... }`.",
        )
        .when(When::Always)
        .example(
            "local cloth = retake.material.springs{ structural = 2000, shear = 100, bend = 0.001, \
             structural_damping = 2, shear_damping = 1, density = 2050, thickness = 1e-4, air_drag = \
             { corner = 0.005, edge = 0.01, interior = 0.02 } }",
        );

fn springs(inv: &Invocation) -> mlua::Result<Value> {
    let o = inv.options(&SPRINGS)?;
    for word in ["model", "damp"] {
        o.choice(word)?;
    }
    o.need_flag("unilateral")?;
    air_drag(&o)?;
    checked_copy(&o, &SPRINGS, "springs")
}

/// The springs of a cloth whose `material` is of this model.
pub(super) fn read(cloth: &Options, surface: &Surface) -> mlua::Result<Springs> {
    let o = cloth.table_as("material", &SPRINGS)?;
    let o = o.ok_or_else(|| cloth.inv.fault("the material is no table"))?;
    o.choice("model")?;
    let map = |key: &str| -> mlua::Result<VertexMap> {
        Ok(o.map(key, surface)?.unwrap_or(VertexMap::Uniform(0.0)))
    };
    Ok(Springs {
        structural: map("structural")?,
        shear: map("shear")?,
        bend: map("bend")?,
        structural_damping: map("structural_damping")?,
        shear_damping: map("shear_damping")?,
        bend_damping: map("bend_damping")?,
        damp: match o.choice("damp")?.as_deref() {
            Some("active") => Damp::Active,
            _ => Damp::Always,
        },
        strain_limit: o.number("strain_limit")?,
        unilateral: o.need_flag("unilateral")?,
        density: map("density")?,
        thickness: map("thickness")?,
        air_drag: air_drag(&o)?,
    })
}

fn air_drag(o: &Options) -> mlua::Result<[f64; 3]> {
    let value = o.value("air_drag")?;
    if let Value::Table(_) = &value
        && let Some(drag) = o.table_as("air_drag", &AIR_DRAG)?
    {
        let by = |place: &str| drag.need_number(place);
        return Ok([by("corner")?, by("edge")?, by("interior")?]);
    }
    let given = if value.is_nil() { Some(0.0) } else { values::number(&value) };
    given
        .filter(|drag| drag.is_finite() && *drag >= 0.0)
        .map(|drag| [drag; 3])
        .ok_or_else(|| o.wrong("air_drag", "a number of at least 0, or one for each place", &value))
}
