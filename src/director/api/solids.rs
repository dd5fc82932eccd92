//! Rigid and soft bodies, what soft ones are made of, and meshes of tetrahedra.

use super::super::invocation::Invocation;
use super::super::object::Object;
use super::super::options::Options;
use super::super::sampling::Surface;
use super::super::schema::{Args, Call, Class, Key, Kind, Schema, When, key};
use super::bodies::{
    COMMON, FREE_KEYS, MESH, PRESSURE_KEYS, add_free, check_mesh, free_body, free_mesh,
    placed_mesh, pressure,
};
use super::meshes::{CENTER, COUNT3, RADIUS, SPACING, check_count, cut_box, finish, primitive};
use crate::geometry::primitives::{TetBall, TetBox};
use crate::geometry::{self, TriMesh};
use crate::scene::{
    BodyKind, Elastic, Mass, MatchingMode, Plastic, Rigid, ShapeMatching, Soft, SoftMaterial,
    VertexMap,
};
use mlua::Value;
use std::rc::Rc;

const TINY: f64 = f64::MIN_POSITIVE;

/// Mass per volume of a solid that says nothing itself [kg/m3].
const DENSITY: f64 = 1000.0;

const THICKNESS: Key =
    key("thickness", Kind::Map, "full thickness").unit("m").range(0.0, 1.0).words("0");

static RIGID: Schema = Schema::new(
    "rigid",
    "RigidOptions",
    &[
        COMMON,
        FREE_KEYS,
        &[
            key("mesh", Kind::Mesh, "its surface; left out where there are `parts`"),
            key("density", Kind::Number, "mass per volume").unit("kg/m3").from(TINY).words("1000"),
            key("mass", Kind::Number, "mass of the whole, in place of `density`")
                .unit("kg")
                .from(TINY),
            THICKNESS,
            key(
                "restitution",
                Kind::Number,
                "part of the speed of approach with which it parts again; of a pair the larger one",
            )
            .range(0.0, 1.0)
            .number(0.0),
            key(
                "parts",
                Kind::Other("Mesh[]"),
                "closed meshes that make it up, in place of `mesh`",
            ),
            key(
                "collision",
                Kind::Choice(&["mesh", "hull"], &[]),
                "what touches: its own triangles, or the convex hull of its mesh or of each of its \
                 parts. A mesh that is not closed has the mass of its hull",
            )
            .text("mesh"),
        ],
    ],
);

const SOFT_MATERIAL: Kind = Kind::Other("SoftMaterial|ShapeMatchingMaterial");

static SOFT: Schema = Schema::new(
    "soft",
    "SoftOptions",
    &[
        MESH,
        COMMON,
        FREE_KEYS,
        &[
            key("material", SOFT_MATERIAL, "what it is made of").words("that of `material.soft{}`"),
            THICKNESS,
            key(
                "surface",
                Kind::Mesh,
                "what touches and is seen, carried by the tetrahedra of `mesh`",
            )
            .words("that of `mesh`"),
        ],
        PRESSURE_KEYS,
    ],
);

const MATERIAL_KEYS: &[Key] = &[
    key("young", Kind::Map, "stiffness").unit("Pa").from(TINY).words("20000"),
    key("poisson", Kind::Number, "how little its volume gives: 0 (cork) to 0.49 (rubber)")
        .range(0.0, 0.49)
        .number(0.45),
    key("density", Kind::Map, "mass per volume").unit("kg/m3").from(TINY).words("1000"),
    key("damping", Kind::Number, "damping in proportion to stiffness")
        .unit("s")
        .range(0.0, 10.0)
        .number(0.01),
    key("model", Kind::Choice(&["soft"], &[]), "which model it is").text("soft"),
    PLASTIC_KEY,
];

const PLASTIC_KEY: Key = key(
    "plastic",
    Kind::Other("{ yield?: number, creep?: number, max?: number }"),
    "what of a dent stays, as `{ yield, creep, max }`: strain above `yield` (0.05) becomes lasting at \
     the rate `creep` (10 1/s), up to a lasting strain of `max` (0.5)",
)
.words("nothing stays");

static PLASTIC: Schema = Schema::new(
    "plastic",
    "PlasticOptions",
    &[&[
        key("yield", Kind::Number, "strain above which it begins to stay").from(0.0).number(0.05),
        key("creep", Kind::Number, "rate at which what is above becomes lasting")
            .unit("1/s")
            .from(0.0)
            .number(10.0),
        key("max", Kind::Number, "largest strain that stays").range(0.0, 2.0).number(0.5),
    ]],
);

const MATCHING_KEYS: &[Key] = &[
    key(
        "stiffness",
        Kind::Number,
        "part of their deviation from the shape that points make up within 1/60 s, whatever the \
         steps (with method \"shape_matching\" in a step): 0 (free points) to 1 (as good as rigid)",
    )
    .range(0.0, 1.0)
    .number(0.8),
    key(
        "mode",
        Kind::Choice(&["rigid", "linear", "quadratic"], &[]),
        "what the shape may do besides moving: nothing, stretch and shear, or bend and twist as well",
    )
    .text("rigid"),
    key("give", Kind::Number, "part of what `mode` allows that costs nothing")
        .range(0.0, 0.99)
        .number(0.5),
    key("density", Kind::Map, "mass per volume").unit("kg/m3").from(TINY).words("1000"),
    PLASTIC_KEY,
    key("model", Kind::Choice(&["shape_matching"], &[]), "which model it is")
        .text("shape_matching"),
];

static MATCHING: Schema = Schema::new("shape_matching", "ShapeMatchingMaterial", &[MATCHING_KEYS]);

static MATERIAL: Schema = Schema::new("soft", "SoftMaterial", &[MATERIAL_KEYS]);

static TET_BOX: Schema = Schema::new(
    "tet_box",
    "TetBoxOptions",
    &[&[
        key("size", Kind::Factor, "edge lengths").unit("m").words("1"),
        key("cells", COUNT3, "cells along each axis").range(1.0, 1e4).words("4"),
        SPACING,
        CENTER,
    ]],
);

static TET_BALL: Schema = Schema::new(
    "tet_ball",
    "TetBallOptions",
    &[&[
        RADIUS,
        key("cells", Kind::Integer, "cells across, an even number").range(2.0, 1e3).words("8"),
        SPACING,
        CENTER,
    ]],
);

pub(super) const CALLS: &[Call] = &[
    Call::new(Class::Shot, "rigid", Args::Options(&RIGID), rigid)
        .returns("Body")
        .doc(
            "A body that keeps its shape. Its mesh must be closed: mass, centre and inertia come \
             from what it encloses.",
        )
        .example(
            "local brick = shot:rigid{\n  name = \"brick\",\n  \
             mesh = retake.mesh.box{ size = { 0.24, 0.07, 0.12 } },\n  density = 1800,\n  \
             translate = { 0, 2.5, 0 },\n  spin = { 90, 0, 30 },\n}",
        ),
    Call::new(Class::Shot, "soft", Args::Options(&SOFT), soft)
        .returns("Body")
        .doc(
            "A solid that deforms. Its mesh is made of tetrahedra, and so has an inside. With a \
             `surface`, coarse tetrahedra carry a fine one: it is what touches, is drawn and \
             exported, and what points are chosen on.",
        )
        .example(
            "local jelly = shot:soft{\n  name = \"jelly\",\n  \
             mesh = retake.mesh.tet_box{ size = 0.2, cells = 4 },\n  \
             material = retake.material.soft{ young = 8000 },\n  translate = { 0, 3, 0 },\n}",
        ),
    Call::new(Class::MaterialLibrary, "soft", Args::Options(&MATERIAL), material)
        .returns("SoftMaterial")
        .doc("A solid without a grain: rubber, jelly, foam (neo-Hookean).")
        .when(When::Always)
        .example(
            "local foam = retake.material.soft{ young = 5e4, poisson = 0.2, density = 60 }\n\
             local clay = retake.material.soft{ young = 1e5, plastic = { yield = 0.02, max = 0.8 } }",
        ),
    Call::new(Class::MaterialLibrary, "shape_matching", Args::Options(&MATCHING), matching)
        .returns("ShapeMatchingMaterial")
        .doc(
            "A solid that springs back to its shape as a whole (Mueller and others 2005): cheap and \
             steady, without the stiffness of a real material.",
        )
        .when(When::Always)
        .example(
            "local toy = retake.material.shape_matching{ stiffness = 0.8, mode = \"quadratic\" }",
        ),
    primitive("tet_box", &TET_BOX, tet_box)
        .doc("A box made of tetrahedra, five a cell.")
        .example("local block = retake.mesh.tet_box{ size = { 0.4, 0.1, 0.1 }, spacing = 0.05 }"),
    primitive("tet_ball", &TET_BALL, tet_ball)
        .doc("A ball made of tetrahedra; 8 cells across are 729 vertices.")
        .example("local marrow = retake.mesh.tet_ball{ radius = 0.2, cells = 6 }"),
];

/// The parts of a rigid body: those of the script, or its mesh.
fn parts(o: &Options) -> mlua::Result<Vec<Rc<TriMesh>>> {
    let value = o.value("parts")?;
    match (value.is_nil(), o.mesh("mesh")?) {
        (false, Some(_)) => {
            return Err(o.fault("parts", "`mesh` and `parts` of rigid exclude each other", None));
        }
        (true, Some(mesh)) => return Ok(vec![mesh]),
        (true, None) => {
            return Err(o.fault("mesh", "rigid needs a `mesh`, or `parts`", None));
        }
        (false, None) => {}
    }
    let wrong = |o: &Options| o.wrong("parts", "a list of meshes", &value);
    let Value::Table(table) = &value else { return Err(wrong(o)) };
    let mut parts = Vec::new();
    for i in 1..=table.raw_len() {
        let entry: Value = table.raw_get(i)?;
        match Object::from_value(&entry) {
            Some(Object::Mesh(mesh)) => parts.push(mesh),
            _ => return Err(wrong(o)),
        }
    }
    if parts.is_empty() { Err(wrong(o)) } else { Ok(parts) }
}

/// Triangles of the hulls around `parts`, on the vertices of all of them.
fn hulls(o: &Options, parts: &[Rc<TriMesh>]) -> mlua::Result<Vec<[u32; 3]>> {
    let (mut triangles, mut first) = (Vec::new(), 0);
    for part in parts {
        let count = part.positions.len();
        o.inv.charge(count as u64)?;
        let Some(hull) = geometry::hull(&part.positions) else {
            let message = "the mesh is flat: it has no hull with an inside";
            return Err(o.fault("collision", message, None));
        };
        triangles.extend(hull.into_iter().map(|t| t.map(|i| i + first)));
        first += count as u32;
    }
    Ok(triangles)
}

fn rigid(inv: &Invocation) -> mlua::Result<Value> {
    let o = inv.options(&RIGID)?;
    let parts = parts(&o)?;
    let mesh = match &parts[..] {
        [one] => Rc::clone(one),
        several => {
            let several: Vec<TriMesh> = several.iter().map(|part| (**part).clone()).collect();
            Rc::new(geometry::join(&several))
        }
    };
    check_mesh(&o, if parts.len() > 1 { "parts" } else { "mesh" }, &mesh)?;
    let (mesh, start) = placed_mesh(&o, mesh, "rigid")?;
    let hull = match o.choice("collision")?.as_deref() {
        Some("hull") => hulls(&o, &parts)?,
        _ => Vec::new(),
    };
    let surface = Surface { mesh: &mesh, vertices: &start };
    let mass = match (o.number("mass")?, o.number("density")?) {
        (Some(_), Some(_)) => {
            return Err(o.fault("mass", "`mass` and `density` of rigid exclude each other", None));
        }
        (Some(mass), None) => Mass::Total(mass),
        (None, density) => Mass::Density(density.unwrap_or(DENSITY)),
    };
    let restitution = o.need_number("restitution")?;
    let kind = BodyKind::Rigid(Rigid { mass, restitution, hull });
    let body = free_body(&o, kind, "rigid", &surface)?;
    add_free(&o, body, &mesh, start)
}

fn soft(inv: &Invocation) -> mlua::Result<Value> {
    let o = inv.options(&SOFT)?;
    let (solid, inner) = free_mesh(&o, "mesh", "soft")?;
    if solid.tets.is_empty() {
        let hint = if solid.open_edge().is_none() {
            "fill it: `mesh = toy:tetrahedralized{ spacing = 0.05 }`, with `surface = toy` where its \
             own shape is to be seen; or take `retake.mesh.tet_box`"
        } else {
            "take `retake.mesh.tet_box` or `retake.mesh.tet_ball`, or fill a closed mesh with \
             `:tetrahedralized{ spacing = 0.05 }`"
        };
        return Err(o.fault(
            "mesh",
            "the mesh of a soft body must be made of tetrahedra",
            Some(hint.into()),
        ));
    }
    let inside = Surface { mesh: &solid, vertices: &inner };
    let material = of_soft(&o, &inside)?;
    let has_surface = o.given("surface")?;
    let (mesh, start) = if has_surface {
        free_mesh(&o, "surface", "soft")?
    } else {
        (Rc::clone(&solid), inner.clone())
    };
    let surface = Surface { mesh: &mesh, vertices: &start };
    let cage = has_surface.then(|| inv.shot_mut().map(|mut shot| shot.add_mesh(&solid)));
    let soft = Soft { material, cage: cage.transpose()?, pressure: pressure(&o, "soft")? };
    let body = free_body(&o, BodyKind::Soft(soft), "soft", &surface)?;
    add_free(&o, body, &mesh, start)
}

/// The `material` of a soft body, by the model that its table names.
fn of_soft(o: &Options, surface: &Surface) -> mlua::Result<SoftMaterial> {
    if let Value::Table(table) = o.value("material")?
        && let Value::String(model) = table.raw_get::<Value>("model")?
        && model.to_string_lossy() == "shape_matching"
        && let Some(own) = o.table_as("material", &MATCHING)?
    {
        return Ok(SoftMaterial::ShapeMatching(read_matching(&own, surface)?));
    }
    Ok(SoftMaterial::Elastic(read(o.table_as("material", &MATERIAL)?.as_ref(), surface)?))
}

fn plastic(o: &Options) -> mlua::Result<Option<Plastic>> {
    let Some(own) = o.table_as("plastic", &PLASTIC)? else { return Ok(None) };
    Ok(Some(Plastic {
        yield_strain: own.need_number("yield")?,
        creep: own.need_number("creep")?,
        max: own.need_number("max")?,
    }))
}

fn read_matching(o: &Options, surface: &Surface) -> mlua::Result<ShapeMatching> {
    o.choice("model")?;
    Ok(ShapeMatching {
        stiffness: o.need_number("stiffness")?,
        mode: match o.choice("mode")?.as_deref() {
            Some("linear") => MatchingMode::Linear,
            Some("quadratic") => MatchingMode::Quadratic,
            _ => MatchingMode::Rigid,
        },
        give: o.need_number("give")?,
        density: o.map("density", surface)?.unwrap_or(VertexMap::Uniform(DENSITY)),
        plastic: plastic(o)?,
    })
}

fn read(o: Option<&Options>, surface: &Surface) -> mlua::Result<Elastic> {
    let mut material = Elastic {
        young: VertexMap::Uniform(2e4),
        poisson: 0.45,
        density: VertexMap::Uniform(DENSITY),
        damping: 0.01,
        plastic: None,
    };
    let Some(o) = o else { return Ok(material) };
    o.choice("model")?;
    for (key, place) in [("young", &mut material.young), ("density", &mut material.density)] {
        if let Some(value) = o.map(key, surface)? {
            *place = value;
        }
    }
    material.poisson = o.need_number("poisson")?;
    material.damping = o.need_number("damping")?;
    material.plastic = plastic(o)?;
    Ok(material)
}

fn material(inv: &Invocation) -> mlua::Result<Value> {
    let o = inv.options(&MATERIAL)?;
    plastic(&o)?;
    super::materials::checked_copy(&o, &MATERIAL, "soft")
}

fn matching(inv: &Invocation) -> mlua::Result<Value> {
    let o = inv.options(&MATCHING)?;
    o.choice("mode")?;
    plastic(&o)?;
    super::materials::checked_copy(&o, &MATCHING, "shape_matching")
}

fn tet_box(inv: &Invocation) -> mlua::Result<Value> {
    let o = inv.options_at(0, &TET_BOX, false)?;
    let (size, cells, spacing) = cut_box(&o, 4, |[a, b, c]| (a + 1.0) * (b + 1.0) * (c + 1.0))?;
    finish(&o, TetBox { size, cells, spacing, center: o.need_vec3("center")? }.build())
}

fn tet_ball(inv: &Invocation) -> mlua::Result<Value> {
    let o = inv.options_at(0, &TET_BALL, false)?;
    let radius = o.need_number("radius")?;
    let (cells, spacing) = (o.integer("cells")?, o.number("spacing")?);
    let across = match (cells, spacing) {
        (Some(cells), _) => cells as f64,
        (None, Some(s)) => 2.0 * radius / s,
        _ => 8.0,
    };
    let key = if cells.is_some() { "cells" } else { "spacing" };
    check_count(&o, key, (across + 1.0) * (across + 1.0) * (across + 1.0))?;
    let cells = cells.map(|n| n as u32);
    finish(&o, TetBall { radius, cells, spacing, center: o.need_vec3("center")? }.build())
}
