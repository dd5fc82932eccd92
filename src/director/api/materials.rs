//! Materials: plain tables that a script may change, and presets with their sources.

use super::super::invocation::Invocation;
use super::super::options::Options;
use super::super::sampling::Surface;
use super::super::schema::{Args, Call, Class, Key, Kind, Schema, When, key};
use super::fabrics::FABRICS;
use crate::diagnostics::nearest;
use crate::scene::{ClothMaterial, Membrane, VertexMap};
use mlua::{Table, Value};

const TINY: f64 = f64::MIN_POSITIVE;

const KEYS: &[Key] = &[
    key("young", Kind::Map, "stiffness along the warp (the mesh's u)").unit("N/m").from(TINY),
    key("young_weft", Kind::Map, "stiffness along the weft (v)")
        .unit("N/m")
        .from(TINY)
        .words("`young`"),
    key("poisson", Kind::Map, "narrowing across a pull (mean of warp and weft)").range(0.0, 0.95),
    key("shear", Kind::Map, "stiffness against shear")
        .unit("N/m")
        .from(0.0)
        .words("young / (2 + 2 poisson)"),
    key("bend", Kind::Map, "bending stiffness of a strip along the warp").unit("N m").from(0.0),
    key("bend_weft", Kind::Map, "bending stiffness of a strip along the weft")
        .unit("N m")
        .from(0.0)
        .words("`bend`"),
    key("bend_bias", Kind::Map, "bending stiffness of a strip at 45 degrees to both")
        .unit("N m")
        .from(0.0)
        .words("the mean of `bend` and `bend_weft`"),
    key("density", Kind::Map, "mass per area").unit("kg/m2").from(TINY),
    key("damping", Kind::Map, "damping in proportion to stiffness").unit("s").range(0.0, 10.0),
    key("strain_limit", Kind::Map, "stretch at which the fabric hardens; 0.05 is five per cent")
        .range(0.001, 1.0)
        .words("none"),
    key("crease", Kind::Map, "curvature from which on a bend stays, one over its radius")
        .unit("1/m")
        .from(TINY)
        .words("bends never stay"),
    key("model", Kind::Choice(&["membrane"], &[]), "which model it is").text("membrane"),
    key("source", Kind::Text, "where the numbers come from"),
];

pub(super) static MEMBRANE: Schema = Schema::new("material", "MembraneMaterial", &[KEYS]);

pub(super) const CALLS: &[Call] = &[
    Call::new(
        Class::MaterialLibrary,
        "fabric",
        Args::Values(&[("name", "FabricName", "name of a preset")]),
        fabric,
    )
    .returns("MembraneMaterial")
    .doc(
        "A measured or typical fabric as a table that may be changed. Names without a hyphen are \
         what is commonly meant; the others are the ten fabrics of Wang, O'Brien and Ramamoorthi \
         2011 by the names of their data.",
    )
    .when(When::Always)
    .example("local denim = retake.material.fabric \"denim\"\ndenim.bend = 1e-4"),
    Call::new(Class::MaterialLibrary, "membrane", Args::Options(&MEMBRANE), membrane)
        .returns("MembraneMaterial")
        .doc(
            "A woven sheet. What is left out is that of cotton; values may be maps, lists or \
             functions of p.",
        )
        .example(
            "local canvas = retake.material.membrane{ young = 3000, bend = 2e-4, density = 0.3 }",
        ),
    super::springs::CALL,
    super::flex3d::CALL,
];

/// Damping of presets [s]: internal friction of fabrics calms a fold within a few swings.
const DAMPING: f64 = 0.005;

fn fabric(inv: &Invocation) -> mlua::Result<Value> {
    inv.at_most(1)?;
    let name = inv.text(0, "the name of a fabric")?;
    let Some(found) = FABRICS.iter().find(|f| f.name == name) else {
        let names = FABRICS.iter().map(|f| f.name);
        let hint = match nearest(&name, names.clone()) {
            Some(near) => format!("did you mean \"{near}\"?"),
            None => {
                let all: Vec<&str> = names.collect();
                format!("there is {}", super::super::options::list_of(&all))
            }
        };
        return Err(inv.fault_hint(format!("there is no fabric \"{name}\""), hint));
    };
    let t: Table = inv.lua.create_table()?;
    t.raw_set("model", "membrane")?;
    t.raw_set("source", format!("{}: {}", found.name, found.source))?;
    let [young, young_weft] = found.young();
    let numbers = [
        ("young", young),
        ("young_weft", young_weft),
        ("poisson", found.poisson()),
        ("shear", found.membrane[3]),
        ("bend", found.bend[0]),
        ("bend_weft", found.bend[2]),
        ("bend_bias", found.bend[1]),
        ("density", found.density),
        ("damping", DAMPING),
    ];
    for (key, value) in numbers {
        t.raw_set(key, value)?;
    }
    Ok(Value::Table(t))
}

fn membrane(inv: &Invocation) -> mlua::Result<Value> {
    let o = inv.options(&MEMBRANE)?;
    checked_copy(&o, &MEMBRANE, "membrane")
}

/// A copy of a material's table, which names its model.
pub(super) fn checked_copy(o: &Options, schema: &Schema, model: &str) -> mlua::Result<Value> {
    let copy = o.inv.lua.create_table()?;
    for key in super::super::engine::sorted_keys(o.inv.lua, &o.table)? {
        let value: Value = o.table.raw_get(key.clone())?;
        copy.raw_set(key, value)?;
    }
    // Plain numbers are checked at once; what differs by vertex, where the body is known.
    for key in schema.all().filter(|k| matches!(k.kind, Kind::Map | Kind::Number)) {
        if super::super::values::number(&o.value(key.name)?).is_some()
            || matches!(key.kind, Kind::Number)
        {
            o.number(key.name)?;
        }
    }
    copy.raw_set("model", model)?;
    Ok(Value::Table(copy))
}

/// The `material` of a cloth, by the model that its table names.
pub(super) fn of_cloth(o: &Options, surface: &Surface) -> mlua::Result<ClothMaterial> {
    let model = match o.value("material")? {
        Value::Table(table) => table.raw_get::<Value>("model")?,
        Value::String(name) => {
            let name = name.to_string_lossy();
            let message = format!("`material` in cloth must be a material, not \"{name}\"");
            let fabric = nearest(&name, FABRICS.iter().map(|fabric| fabric.name));
            let fabric = fabric.unwrap_or("cotton");
            let hint = format!("write `retake.material.fabric \"{fabric}\"`");
            return Err(o.fault("material", message, Some(hint)));
        }
        _ => Value::Nil,
    };
    if let Value::String(model) = &model {
        match model.to_string_lossy().as_str() {
            "flex3d" => return Ok(ClothMaterial::Flex3d(super::flex3d::read(o)?)),
            "springs" => return Ok(ClothMaterial::Springs(super::springs::read(o, surface)?)),
            _ => {}
        }
    }
    Ok(ClothMaterial::Membrane(read(o.table_as("material", &MEMBRANE)?.as_ref(), surface)?))
}

/// The membrane of a cloth's `material`; cotton where it is left out.
fn read(o: Option<&Options>, surface: &Surface) -> mlua::Result<Membrane> {
    let cotton = &FABRICS[0];
    let number = |n: f64| VertexMap::Uniform(n);
    let [young, young_weft] = cotton.young();
    let mut membrane = Membrane {
        label: format!("{}: {}", cotton.name, cotton.source),
        young: number(young),
        young_weft: number(young_weft),
        poisson: number(cotton.poisson()),
        shear: number(cotton.membrane[3]),
        bend: number(cotton.bend[0]),
        bend_weft: number(cotton.bend[2]),
        bend_bias: number(cotton.bend[1]),
        density: number(cotton.density),
        damping: number(DAMPING),
        strain_limit: None,
        crease: None,
    };
    let Some(o) = o else { return Ok(membrane) };
    o.choice("model")?;
    membrane.label = o.text("source")?.unwrap_or_default();
    if let Some(poisson) = o.map("poisson", surface)? {
        membrane.poisson = poisson;
    }
    if let Some(young) = o.map("young", surface)? {
        membrane.young_weft = young.clone();
        let shear = |young: f64, poisson: f64| young / (2.0 + 2.0 * poisson);
        membrane.shear = combined(&young, &membrane.poisson, surface.vertices.len(), shear);
        membrane.young = young;
    }
    if let Some(bend) = o.map("bend", surface)? {
        membrane.bend_weft = bend.clone();
        membrane.bend = bend;
    }
    if let Some(bend) = o.map("bend_weft", surface)? {
        membrane.bend_weft = bend;
    }
    if o.given("bend")? || o.given("bend_weft")? {
        let half = |a: f64, b: f64| 0.5 * (a + b);
        membrane.bend_bias =
            combined(&membrane.bend, &membrane.bend_weft, surface.vertices.len(), half);
    }
    let others = [
        ("young_weft", &mut membrane.young_weft),
        ("shear", &mut membrane.shear),
        ("bend_bias", &mut membrane.bend_bias),
        ("density", &mut membrane.density),
        ("damping", &mut membrane.damping),
    ];
    for (key, place) in others {
        if let Some(value) = o.map(key, surface)? {
            *place = value;
        }
    }
    membrane.strain_limit = o.map("strain_limit", surface)?;
    membrane.crease = o.map("crease", surface)?;
    Ok(membrane)
}

/// A value that depends on two others at each vertex.
fn combined(a: &VertexMap, b: &VertexMap, count: usize, f: impl Fn(f64, f64) -> f64) -> VertexMap {
    match (a, b) {
        (VertexMap::Uniform(a), VertexMap::Uniform(b)) => VertexMap::Uniform(f(*a, *b)),
        _ => VertexMap::PerVertex((0..count).map(|i| f(a.at(i), b.at(i))).collect()),
    }
}
