//! Materials: plain tables that a script may change, and presets with their sources.

use super::super::invocation::Invocation;
use super::super::options::Options;
use super::super::sampling::Surface;
use super::super::schema::{Args, Call, Class, Key, Kind, Schema, When, key, not_built};
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
    key("poisson", Kind::Map, "narrowing across a pull").range(0.0, 0.5),
    key("shear", Kind::Map, "stiffness against shear")
        .unit("N/m")
        .from(0.0)
        .words("young / (2 + 2 poisson)"),
    key("bend", Kind::Map, "stiffness against bending the warp").unit("N m").from(0.0),
    key("bend_weft", Kind::Map, "stiffness against bending the weft")
        .unit("N m")
        .from(0.0)
        .words("`bend`"),
    key("density", Kind::Map, "mass per area").unit("kg/m2").from(TINY),
    key("damping", Kind::Number, "damping in proportion to stiffness").unit("s").range(0.0, 10.0),
    not_built("strain_limit"),
    not_built("crease"),
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
    Call::not_built(Class::MaterialLibrary, "springs"),
    super::flex3d::CALL,
    Call::not_built(Class::MaterialLibrary, "soft"),
    Call::not_built(Class::MaterialLibrary, "shape_matching"),
];

/// A preset: names and numbers.
pub(in crate::director) struct Fabric {
    pub(in crate::director) name: &'static str,
    young: f64,
    young_weft: f64,
    poisson: f64,
    shear: f64,
    bend: f64,
    bend_weft: f64,
    density: f64,
    source: &'static str,
}

/// A fabric of Wang et al.: density [kg/m2], C11 C12 C22 C33 [N/m], bending at 0 and 90 degrees
/// [1e-6 N m]. Their matrix gives Young's moduli E = C (1 - nu^2) with nu = C12 / sqrt(C11 C22);
/// where samples at small strain give nu above 0.49 it is 0.49, which keeps the sheet stable.
const fn wang(
    name: &'static str,
    density: f64,
    [c11, c12_over_mean, c22, c33]: [f64; 4],
    [bend, bend_weft]: [f64; 2],
) -> Fabric {
    let poisson = if c12_over_mean > 0.49 { 0.49 } else { c12_over_mean };
    let part = 1.0 - poisson * poisson;
    Fabric {
        name,
        young: c11 * part,
        young_weft: c22 * part,
        poisson,
        shear: c33,
        bend: bend * 1e-6,
        bend_weft: bend_weft * 1e-6,
        density,
        source: WANG,
    }
}

const WANG: &str = "Wang, O'Brien, Ramamoorthi 2011, Data-driven elastic models for cloth \
                    (medians of the six strain samples; bending at low curvature)";
const KAWABATA: &str = "typical of KES-F measurements (Kawabata 1980, The standardization and \
                        analysis of hand evaluation)";

/// C12 / sqrt(C11 C22) of each fabric is written out: a constant cannot take a root.
pub(in crate::director) const FABRICS: [Fabric; 16] = [
    Fabric {
        source: "as white-dots-on-blk: woven cotton; Wang et al. 2011",
        ..wang("cotton", 0.128, [2107.0, 0.0221, 2142.0, 31.0], [52.0, 31.0])
    },
    Fabric {
        name: "silk",
        young: 1200.0,
        young_weft: 900.0,
        poisson: 0.2,
        shear: 17.0,
        bend: 4e-6,
        bend_weft: 3e-6,
        density: 0.07,
        source: KAWABATA,
    },
    Fabric {
        name: "wool",
        young: 1500.0,
        young_weft: 1000.0,
        poisson: 0.2,
        shear: 40.0,
        bend: 12e-6,
        bend_weft: 9e-6,
        density: 0.24,
        source: KAWABATA,
    },
    Fabric {
        source: "as 11oz-black-denim; Wang et al. 2011",
        ..wang("denim", 0.324, [226.0, 0.0840, 1054.0, 69.0], [64.0, 97.0])
    },
    Fabric {
        name: "leather",
        young: 6000.0,
        young_weft: 6000.0,
        poisson: 0.35,
        shear: 2200.0,
        bend: 4e-4,
        bend_weft: 4e-4,
        density: 0.65,
        source: "garment leather 0.9 mm thick: 7 MPa at small strain, 720 kg/m3; bending E h^3 / 12",
    },
    Fabric {
        name: "paper",
        young: 5e5,
        young_weft: 5e5,
        poisson: 0.2,
        shear: 2e5,
        bend: 4e-4,
        bend_weft: 4e-4,
        density: 0.1,
        source: "the paper of ARCSim (Narain, Pfaff, O'Brien 2013, Folding and crumpling adaptive sheets)",
    },
    wang("11oz-black-denim", 0.324, [226.0, 0.0840, 1054.0, 69.0], [64.0, 97.0]),
    wang("gray-interlock", 0.187, [87.0, 0.4848, 313.0, 28.0], [23.0, 14.0]),
    wang("ivory-rib-knit", 0.276, [51.0, 0.0, 137.0, 8.0], [46.0, 32.0]),
    wang("navy-sparkle-sweat", 0.224, [63.0, 0.6057, 212.0, 12.0], [59.0, 46.0]),
    wang("pink-ribbon-brown", 0.228, [152.0, 0.5414, 257.0, 30.0], [117.0, 60.0]),
    wang("royal-target", 0.220, [2110.0, 0.0230, 2144.0, 40.0], [125.0, 125.0]),
    wang("tango-red-jet-set", 0.113, [91.0, 0.5205, 300.0, 9.0], [14.0, 20.0]),
    wang("white-dots-on-blk", 0.128, [2107.0, 0.0221, 2142.0, 31.0], [52.0, 31.0]),
    wang("white-swim-solid", 0.204, [50.0, 0.1978, 115.0, 22.0], [60.0, 51.0]),
    wang("camel-ponte-roma", 0.284, [96.0, 0.3967, 179.0, 30.0], [36.0, 37.0]),
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
    let numbers = [
        ("young", found.young),
        ("young_weft", found.young_weft),
        ("poisson", found.poisson),
        ("shear", found.shear),
        ("bend", found.bend),
        ("bend_weft", found.bend_weft),
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
    let copy = inv.lua.create_table()?;
    for key in super::super::engine::sorted_keys(inv.lua, &o.table)? {
        let value: Value = o.table.raw_get(key.clone())?;
        copy.raw_set(key, value)?;
    }
    // Plain numbers are checked at once; what differs by vertex, where the body is known.
    for key in MEMBRANE.all().filter(|k| matches!(k.kind, Kind::Map)) {
        if super::super::values::number(&o.value(key.name)?).is_some() {
            o.number(key.name)?;
        }
    }
    o.number("damping")?;
    copy.raw_set("model", "membrane")?;
    Ok(Value::Table(copy))
}

/// The `material` of a cloth, by the model that its table names.
pub(super) fn of_cloth(o: &Options, surface: &Surface) -> mlua::Result<ClothMaterial> {
    let model = match o.value("material")? {
        Value::Table(table) => table.raw_get::<Value>("model")?,
        _ => Value::Nil,
    };
    if let Value::String(model) = &model
        && model.to_string_lossy() == "flex3d"
    {
        return Ok(ClothMaterial::Flex3d(super::flex3d::read(o)?));
    }
    Ok(ClothMaterial::Membrane(read(o.table_as("material", &MEMBRANE)?.as_ref(), surface)?))
}

/// The membrane of a cloth's `material`; cotton where it is left out.
fn read(o: Option<&Options>, surface: &Surface) -> mlua::Result<Membrane> {
    let cotton = &FABRICS[0];
    let number = |n: f64| VertexMap::Uniform(n);
    let mut membrane = Membrane {
        label: format!("{}: {}", cotton.name, cotton.source),
        young: number(cotton.young),
        young_weft: number(cotton.young_weft),
        poisson: number(cotton.poisson),
        shear: number(cotton.shear),
        bend: number(cotton.bend),
        bend_weft: number(cotton.bend_weft),
        density: number(cotton.density),
        damping: DAMPING,
    };
    let Some(o) = o else { return Ok(membrane) };
    o.choice("model")?;
    membrane.label = o.text("source")?.unwrap_or_default();
    if let Some(poisson) = o.map("poisson", surface)? {
        membrane.poisson = poisson;
    }
    if let Some(young) = o.map("young", surface)? {
        membrane.young_weft = young.clone();
        membrane.shear = shear_of(&young, &membrane.poisson, surface.vertices.len());
        membrane.young = young;
    }
    if let Some(bend) = o.map("bend", surface)? {
        membrane.bend_weft = bend.clone();
        membrane.bend = bend;
    }
    let others = [
        ("young_weft", &mut membrane.young_weft),
        ("shear", &mut membrane.shear),
        ("bend_weft", &mut membrane.bend_weft),
        ("density", &mut membrane.density),
    ];
    for (key, place) in others {
        if let Some(value) = o.map(key, surface)? {
            *place = value;
        }
    }
    if let Some(damping) = o.number("damping")? {
        membrane.damping = damping;
    }
    Ok(membrane)
}

/// Shear stiffness of an isotropic sheet.
fn shear_of(young: &VertexMap, poisson: &VertexMap, count: usize) -> VertexMap {
    let at = |i: usize| young.at(i) / (2.0 + 2.0 * poisson.at(i));
    match (young, poisson) {
        (VertexMap::Uniform(_), VertexMap::Uniform(_)) => VertexMap::Uniform(at(0)),
        _ => VertexMap::PerVertex((0..count).map(at).collect()),
    }
}
