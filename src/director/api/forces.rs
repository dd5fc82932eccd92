//! Forces: wind, a vector, drag.

use super::super::invocation::Invocation;
use super::super::object::Object;
use super::super::options::Options;
use super::super::schema::{Args, Call, Class, Key, Kind, Schema, key, not_built};
use super::shots::{name_of, scene_place};
use crate::math::Curve;
use crate::scene::{BodyKind, Force, ForceKind, Per};
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
        ],
        COMMON,
    ],
);

static FORCE: Schema = Schema::new(
    "force",
    "ForceOptions",
    &[
        &[
            key("vector", Kind::Curve3, "the force").unit("N").needed(),
            key(
                "per",
                Kind::Choice(&["point", "body", "mass"], &[]),
                "newtons on every point, on every body, or a kilogram",
            )
            .text("point"),
            not_built("field"),
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
    Call::not_built(Class::Shot, "vortex"),
    Call::not_built(Class::Shot, "attractor"),
    // Arithmetic of `field`.
    Call::not_built(Class::Retake, "sin"),
    Call::not_built(Class::Retake, "cos"),
    Call::not_built(Class::Retake, "tan"),
    Call::not_built(Class::Retake, "exp"),
    Call::not_built(Class::Retake, "sqrt"),
    Call::not_built(Class::Retake, "abs"),
    Call::not_built(Class::Retake, "min"),
    Call::not_built(Class::Retake, "max"),
    Call::not_built(Class::Retake, "select"),
];

fn add(o: &Options, word: &str, kind: ForceKind) -> mlua::Result<Value> {
    let (starts, ends) = o.interval()?;
    let bodies = o.bodies("bodies")?;
    let name = {
        let shot = o.inv.shot()?;
        for body in bodies.iter().flatten() {
            let body = &shot.scene.bodies[*body];
            if matches!(body.kind, BodyKind::Collider) {
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
    let kind = ForceKind::Wind {
        velocity: o.curve3("velocity")?.unwrap_or(Curve::Constant(DVec3::ZERO)),
        turbulence: o.need_number("turbulence")?,
        gust_size: o.need_number("gust_size")?,
        drag: o.need_number("drag")?,
        lift: o.need_number("lift")?,
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
    let vector = o.curve3("vector")?.unwrap_or(Curve::Constant(DVec3::ZERO));
    add(&o, "force", ForceKind::Uniform { vector, per })
}

fn drag(inv: &Invocation) -> mlua::Result<Value> {
    let o = inv.options(&DRAG)?;
    let kind = ForceKind::Drag { linear: o.need_number("linear")? };
    add(&o, "drag", kind)
}
