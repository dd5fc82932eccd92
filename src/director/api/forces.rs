//! Forces: wind, a vector, drag.

use super::super::invocation::Invocation;
use super::super::object::Object;
use super::super::options::Options;
use super::super::schema::{Args, Call, Class, Key, Kind, Schema, key};
use super::super::values::number_text;
use super::shots::{name_of, scene_place};
use crate::math::Curve;
use crate::scene::{Field, Force, ForceKind, Per};
use glam::DVec3;
use mlua::Value;
use std::rc::Rc;

const COMMON: &[Key] = &[
    key("name", Kind::Text, "unique over all forces").words("made"),
    key("bodies", Kind::Bodies, "the bodies that it acts on").words("all that move freely"),
    key("starts", Kind::Number, "acts from here").unit("s"),
    key("ends", Kind::Number, "acts to here").unit("s"),
];

static WIND: Schema = Schema::new(
    "wind",
    "WindOptions",
    &[
        &[
            key("velocity", Kind::Curve3, "velocity of the air").unit("m/s").needed(),
            key("turbulence", Kind::Number, "size of gusts as a part of the speed")
                .range(0.0, 10.0)
                .number(0.0),
            key("gust_size", Kind::Number, "length of a gust")
                .unit("m")
                .from(f64::MIN_POSITIVE)
                .number(1.0),
            key("drag", Kind::Number, "coefficient along the normal").range(0.0, 100.0).number(1.0),
            key("lift", Kind::Number, "coefficient across the flow").range(0.0, 100.0).number(0.4),
            key(
                "viscosity",
                Kind::Number,
                "in place of both: force on each point of a cloth, along its normal, per speed of the \
                 air along it",
            )
            .unit("N s/m")
            .range(0.0, 1e6)
            .words("none"),
        ],
        COMMON,
    ],
);

static FORCE: Schema = Schema::new(
    "force",
    "ForceOptions",
    &[
        &[
            key("vector", Kind::Curve3, "the force").unit("N"),
            key(
                "field",
                Kind::Function("fun(p: FieldPoint): number, number, number"),
                "the force as a function of `p.t x y z vx vy vz`, in place of `vector`: called once with \
                 symbols, which take + - * / ^ and `retake.sin`, `retake.select` and the like",
            ),
            key(
                "per",
                Kind::Choice(&["point", "body", "mass"], &[]),
                "newtons on every point, on every body, or a kilogram",
            )
            .text("point"),
        ],
        COMMON,
    ],
);

static DRAG: Schema = Schema::new(
    "drag",
    "DragOptions",
    &[
        &[key("linear", Kind::Number, "force per mass and speed")
            .unit("1/s")
            .range(0.0, 1e6)
            .needed()],
        COMMON,
    ],
);

const FIELD: &[Key] = &[
    key("center", Kind::Curve3, "where it is").unit("m").vec3([0.0; 3]),
    key("strength", Kind::Curve, "newtons a kilogram one metre away").unit("N/kg").needed(),
    key("falloff", Kind::Number, "power of the distance with which it fades; 0: not at all")
        .range(0.0, 8.0)
        .number(0.0),
];

static VORTEX: Schema = Schema::new(
    "vortex",
    "VortexOptions",
    &[
        &[key("axis", Kind::Vec3, "direction of the axis; the swirl is right-handed about it")
            .vec3([0.0, 1.0, 0.0])],
        FIELD,
        COMMON,
    ],
);

static ATTRACTOR: Schema = Schema::new("attractor", "AttractorOptions", &[FIELD, COMMON]);

pub(super) const CALLS: &[Call] = &[
    Call::new(Class::Shot, "wind", Args::Options(&WIND), wind)
        .returns("Force")
        .doc("Moving air. There is no air unless `wind` or `drag` makes some.")
        .example(
            "shot:wind{\n  velocity = retake.keys{ { 0, { 0, 0, 0 } }, { 1, { 4, 0, 1 } } },\n  \
             turbulence = 0.3,\n}",
        ),
    Call::new(Class::Shot, "force", Args::Options(&FORCE), force)
        .returns("Force")
        .doc("The same force everywhere.")
        .example("shot:force{ vector = { 0.5, 0, 0 }, per = \"mass\", bodies = cloth, ends = 1 }"),
    Call::new(Class::Shot, "drag", Args::Options(&DRAG), drag)
        .returns("Force")
        .doc("A force against the velocity.")
        .example("shot:drag{ linear = 0.1 }"),
    Call::new(Class::Shot, "vortex", Args::Options(&VORTEX), vortex)
        .returns("Force")
        .doc(
            "A force that swirls about an axis through `center`. Within five centimetres of the \
             axis it fades to nothing.",
        )
        .example("shot:vortex{ axis = { 0, 1, 0 }, center = { 0, 1, 0 }, strength = 4 }"),
    Call::new(Class::Shot, "attractor", Args::Options(&ATTRACTOR), attractor)
        .returns("Force")
        .doc(
            "A pull towards a point; a negative `strength` pushes away. Within five centimetres of \
             the point it fades to nothing.",
        )
        .example(
            "shot:attractor{\n  center = function(t) return { math.sin(t), 1, 0 } end,\n  \
             strength = 6,\n  falloff = 1,\n}",
        ),
];

fn add(o: &Options, word: &str, kind: ForceKind) -> mlua::Result<Value> {
    let (starts, ends) = o.interval()?;
    let bodies = o.bodies("bodies")?;
    let name = {
        let shot = o.inv.shot()?;
        for body in bodies.iter().flatten() {
            let body = &shot.scene.bodies[*body];
            if body.is_collider() {
                let message = format!("`{}` is a collider: no force moves it", body.name);
                let hint = "a collider moves by its `translate` and `rotate`";
                return Err(o.fault("bodies", message, Some(hint.into())));
            }
        }
        name_of(o, word, shot.scene.forces.iter().map(|f| (f.name.as_str(), &f.place)))?
    };
    let place = scene_place(o.inv);
    let force = Force { name: name.clone(), place, bodies, starts, ends, kind };
    o.inv.shot_mut()?.scene.forces.push(force);
    o.inv.give(Object::Force(Rc::from(name)))
}

fn wind(inv: &Invocation) -> mlua::Result<Value> {
    let o = inv.options(&WIND)?;
    let viscosity = o.number("viscosity")?;
    for key in ["drag", "lift"] {
        if viscosity.is_some() && o.given(key)? {
            let message = format!("wind has both `viscosity` and `{key}`");
            return Err(o.fault(key, message, Some("`viscosity` stands in place of both".into())));
        }
    }
    let kind = ForceKind::Wind {
        velocity: o.curve3("velocity")?.unwrap_or(Curve::Constant(DVec3::ZERO)),
        turbulence: o.need_number("turbulence")?,
        gust_size: o.need_number("gust_size")?,
        drag: o.need_number("drag")?,
        lift: o.need_number("lift")?,
        viscosity,
    };
    add(&o, "wind", kind)
}

fn force(inv: &Invocation) -> mlua::Result<Value> {
    let o = inv.options(&FORCE)?;
    let per = match o.choice("per")?.as_deref() {
        Some("body") => Per::Body,
        Some("mass") => Per::Mass,
        _ => Per::Point,
    };
    match (o.curve3("vector")?, super::fields::field(&o, "field")?) {
        (Some(vector), None) => add(&o, "force", ForceKind::Uniform { vector, per }),
        (None, Some(field)) => {
            check_field(&o, &field)?;
            add(&o, "force", ForceKind::Field { field, per })
        }
        (Some(_), Some(_)) => {
            Err(o.fault("field", "`vector` and `field` of force exclude each other", None))
        }
        (None, None) => Err(inv.fault("force needs `vector` or `field`")),
    }
}

/// Refuses a field that is no number where a body starts.
fn check_field(o: &Options, field: &Field) -> mlua::Result<()> {
    let bodies = o.bodies("bodies")?;
    let shot = o.inv.shot()?;
    let (time, mut work) = (shot.start_time(), 0);
    for (index, body) in shot.scene.bodies.iter().enumerate() {
        if body.is_collider() || bodies.as_ref().is_some_and(|list| !list.contains(&index)) {
            continue;
        }
        work += shot.starts[index].len() as u64;
        let bad = |p: &&DVec3| !field.at(**p, body.velocity, time).value.is_finite();
        if let Some(p) = shot.starts[index].iter().find(bad) {
            let message = format!(
                "`field` in force is no number at {{{}, {}, {}}}, where `{}` starts",
                number_text(p.x),
                number_text(p.y),
                number_text(p.z),
                body.name
            );
            let hint = "a quotient by zero, a root or logarithm of less than zero; keep it away with \
                        `retake.max`";
            return Err(o.fault("field", message, Some(hint.into())));
        }
    }
    drop(shot);
    o.inv.charge(work)
}

fn drag(inv: &Invocation) -> mlua::Result<Value> {
    let o = inv.options(&DRAG)?;
    let kind = ForceKind::Drag { linear: o.need_number("linear")? };
    add(&o, "drag", kind)
}

fn center(o: &Options) -> mlua::Result<Curve<DVec3>> {
    Ok(o.curve3("center")?.unwrap_or(Curve::Constant(DVec3::ZERO)))
}

fn strength(o: &Options) -> mlua::Result<Curve<f64>> {
    o.curve("strength")?.ok_or_else(|| o.inv.fault("a force field needs `strength`"))
}

fn vortex(inv: &Invocation) -> mlua::Result<Value> {
    let o = inv.options(&VORTEX)?;
    let Some(axis) = o.need_vec3("axis")?.try_normalize() else {
        return Err(o.wrong("axis", "a direction other than zero", &o.value("axis")?));
    };
    let kind = ForceKind::Vortex {
        axis,
        center: center(&o)?,
        strength: strength(&o)?,
        falloff: o.need_number("falloff")?,
    };
    add(&o, "vortex", kind)
}

fn attractor(inv: &Invocation) -> mlua::Result<Value> {
    let o = inv.options(&ATTRACTOR)?;
    let kind = ForceKind::Attractor {
        center: center(&o)?,
        strength: strength(&o)?,
        falloff: o.need_number("falloff")?,
    };
    add(&o, "attractor", kind)
}
