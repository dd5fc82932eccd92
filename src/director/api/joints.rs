//! Joints of rigid bodies.

use super::super::invocation::Invocation;
use super::super::object::Object;
use super::super::options::Options;
use super::super::schema::{Args, Call, Class, Key, Kind, Schema, key, not_built};
use super::constraints::{COMMON, add, side};
use crate::scene::{ConstraintKind, Joint, JointKind, StitchGap, StitchPair};
use glam::DVec3;
use mlua::Value;

const KINDS: &[&str] = &["ball", "hinge", "slider", "fixed", "angular", "distance", "spring"];
const ENDS: Kind = Kind::Other("Body|Spot");

const KEYS: &[Key] = &[
    key("kind", Kind::Choice(KINDS, &[]), "which motions are left").needed(),
    key("a", ENDS, "a rigid body; for a distance or a spring a place of `body:point`").needed(),
    key("b", ENDS, "another, a collider, or a place of `body:point`").words("the world"),
    key("about", Kind::Vec3, "where the joint is").unit("m").words("where `a` stands"),
    key("axis", Kind::Vec3, "axis of a hinge or a slider").words("{0, 1, 0}"),
    key("length", Kind::Number, "length of a distance or a spring")
        .unit("m")
        .from(0.0)
        .words("the distance at the start"),
    key("collides", Kind::Bool, "whether the two bodies touch each other").flag(false),
    not_built("limits"),
    not_built("motor"),
    not_built("damping"),
];

static JOINT: Schema = Schema::new("joint", "JointOptions", &[KEYS, COMMON]);

pub(super) const CALL: Call = Call::new(Class::Shot, "joint", Args::Options(&JOINT), joint)
    .returns("Constraint")
    .doc(
        "Joins a rigid body with another, a collider or the world where they stand at the start. A \
         ball leaves all turns, a hinge the turn about its axis, a slider the way along it, angular \
         all ways, fixed nothing; a distance or a spring holds two places.",
    )
    .example(
        "local door = shot:rigid{ mesh = retake.mesh.box{ size = { 0.9, 2, 0.04 } }, translate = { 0, 1.1, 9 } }\n\
         shot:joint{ kind = \"hinge\", a = door, about = { -0.45, 1.1, 9 }, axis = { 0, 1, 0 } }",
    );

fn joint(inv: &Invocation) -> mlua::Result<Value> {
    let o = inv.options(&JOINT)?;
    let word = o.choice("kind")?.unwrap_or_default();
    let kind = match word.as_str() {
        "hinge" => JointKind::Hinge,
        "slider" => JointKind::Slider,
        "fixed" => JointKind::Fixed,
        "angular" => JointKind::Angular,
        "ball" => JointKind::Ball,
        _ => return two_places(&o, &word),
    };
    refuse(&o, &word, &["length"])?;
    for (key, kinds) in [("axis", &["hinge", "slider"][..]), ("about", &KINDS[..4])] {
        if !kinds.contains(&word.as_str()) {
            refuse(&o, &word, &[key])?;
        }
    }
    let (a, b) = (body(&o, "a")?, body(&o, "b")?);
    let Some(a) = a else { return Err(inv.fault("a joint needs `a`")) };
    let start = {
        let shot = inv.shot()?;
        shot.scene.bodies[a].pose_at(shot.start_time()).0
    };
    let given = o.vec3("axis")?.unwrap_or(DVec3::Y);
    let Some(axis) = given.try_normalize() else {
        return Err(o.wrong("axis", "a direction other than zero", &o.value("axis")?));
    };
    let about = o.vec3("about")?.unwrap_or(start);
    let collides = o.need_flag("collides")?;
    add(&o, "joint", ConstraintKind::Joint(Joint { kind, a, b, about, axis, collides }))
}

/// One end of a joint that takes bodies.
fn body(o: &Options, key: &str) -> mlua::Result<Option<usize>> {
    if let Some(Object::Spot(..)) = Object::from_value(&o.value(key)?) {
        let message = format!("`{key}` in joint is a place; only a distance or a spring takes one");
        return Err(o.fault(key, message, Some("name the body, and the place as `about`".into())));
    }
    o.body(key)
}

/// Keys that a kind of joint has no use for.
fn refuse(o: &Options, word: &str, keys: &[&str]) -> mlua::Result<()> {
    for key in keys {
        if o.given(key)? {
            return Err(o.fault(key, format!("a joint of kind \"{word}\" has no `{key}`"), None));
        }
    }
    Ok(())
}

/// A distance or a spring: a stitch of one pair.
fn two_places(o: &Options, word: &str) -> mlua::Result<Value> {
    refuse(o, word, &["about", "axis", "collides"])?;
    if word == "spring" && !o.given("stiffness")? {
        return Err(o.fault("stiffness", "a spring needs `stiffness`", None));
    }
    if !o.given("b")? {
        let hint = "take a place of a collider for one that stands still";
        return Err(o.fault("b", format!("a {word} needs `b`"), Some(hint.into())));
    }
    let (a, b) = (side(o, "a")?, side(o, "b")?);
    let ([(a, _)], [(b, _)]) = (&a[..], &b[..]) else {
        let message = format!("a {word} holds one place to one other");
        return Err(o.fault("a", message, Some("take `body:point{ x, y, z }`".into())));
    };
    let gap = o.number("length")?.map_or(StitchGap::Keep, StitchGap::Length);
    let pairs = vec![StitchPair { a: *a, b: *b }];
    add(o, word, ConstraintKind::Stitch { pairs, gap })
}
