//! Cameras and lights.

use super::super::invocation::Invocation;
use super::super::object::Object;
use super::super::options::Options;
use super::super::schema::{Args, Call, Class, Key, Kind, Schema, key};
use super::super::shot::ShotState;
use super::clips::{FROM_KEYS, camera_of};
use super::shots::{name_of, scene_place};
use crate::math::Curve;
use crate::scene::{Camera, Color, Light, LightKind};
use glam::DVec3;
use mlua::Value;
use std::rc::Rc;

const TINY: f64 = f64::MIN_POSITIVE;

const CAMERA_KEYS: &[Key] = &[
    key("name", Kind::Text, "file-safe, unique over all cameras").words("made"),
    key("position", Kind::Curve3, "where it stands; or a camera of a stage, with `from`").unit("m"),
    key("look_at", Kind::Curve3, "what it looks at").unit("m").vec3([0.0; 3]),
    key("lens", Kind::Curve, "focal length on a sensor 36 mm wide")
        .unit("mm")
        .range(1.0, 5000.0)
        .number(50.0),
    key("fov", Kind::Curve, "vertical angle of view, in place of `lens`")
        .unit("degrees")
        .range(0.1, 170.0),
    key("focus", Kind::Curve, "distance in focus").unit("m").from(TINY).words("that of `look_at`"),
    key("fstop", Kind::Curve, "aperture; left out: everything is sharp").range(0.01, 1000.0),
];

static CAMERA: Schema = Schema::new("camera", "CameraOptions", &[CAMERA_KEYS, FROM_KEYS]);

const KINDS: Kind = Kind::Choice(&["sun", "area", "point", "sky"], &[]);

const LIGHT_KEYS: &[Key] = &[
    key("name", Kind::Text, "unique over all lights").words("made"),
    key("kind", KINDS, "what it is").needed(),
    key("color", Kind::Color, "its colour").words("{1, 1, 1}"),
    key("strength", Kind::Curve, "W/m2 for a sun, W for area and point, a factor for a sky")
        .from(0.0)
        .words("3 for a sun, 100 for area and point, 1 for a sky"),
    key("direction", Kind::Vec3, "where a sun's light goes").words("{-0.4, -1, -0.3}"),
    key("angle", Kind::Number, "angular diameter of a sun")
        .unit("degrees")
        .range(0.0, 90.0)
        .words("0.53"),
    key("position", Kind::Curve3, "where an area or a point light is").unit("m"),
    key("look_at", Kind::Vec3, "what an area is turned to").unit("m").words("{0, 0, 0}"),
    key("size", Kind::Number, "edge length of an area, diameter of a point")
        .unit("m")
        .from(TINY)
        .words("1 for an area, 0.1 for a point"),
    key("image", Kind::Text, "an HDR file for a sky"),
];

static LIGHT: Schema = Schema::new("light", "LightOptions", &[LIGHT_KEYS]);

pub(super) const CALLS: &[Call] = &[
    Call::new(Class::Shot, "camera", Args::Options(&CAMERA), camera)
        .returns("Camera")
        .doc("A camera. Without any, the shot is framed by itself.")
        .example(
            "shot:camera{ name = \"front\", position = { 0, 1.5, 5 }, look_at = { 0, 1, 0 }, lens = 50 }",
        ),
    Call::new(Class::Shot, "light", Args::Options(&LIGHT), light)
        .returns("Light")
        .doc("A light. Without any, there is a sun and a sky.")
        .example(
            "shot:light{ kind = \"sun\", direction = { -1, -2, -1 }, strength = 3 }\n\
             shot:light{ kind = \"sky\", color = { 0.5, 0.6, 0.8 } }",
        ),
];

fn camera(inv: &Invocation) -> mlua::Result<Value> {
    let o = inv.options(&CAMERA)?;
    let fov = o.curve("fov")?;
    if fov.is_some() && o.given("lens")? {
        let message = "camera has both `lens` and `fov`";
        return Err(o.fault("fov", message, Some("give one of them".into())));
    }
    let taken = camera_of(&o)?;
    if taken.is_some() {
        for key in ["position", "look_at"] {
            if o.given(key)? {
                let message = format!("camera has both `{key}` and `from`");
                return Err(o.fault(key, message, Some("give one of them".into())));
            }
        }
        if o.given("fstop")? && !o.given("focus")? {
            let message = "`fstop` of a camera of a stage needs `focus`";
            return Err(o.fault("fstop", message, None));
        }
    } else if !o.given("position")? {
        let hint = "or `from` and `object`, which take one of a stage";
        return Err(inv.fault_hint("camera needs `position`", hint));
    }
    let zero = || Curve::Constant(DVec3::ZERO);
    let (position, look_at) =
        (o.curve3("position")?.unwrap_or_else(zero), o.curve3("look_at")?.unwrap_or_else(zero));
    if let (Curve::Constant(from), Curve::Constant(to)) = (&position, &look_at)
        && from == to
        && taken.is_none()
    {
        let message = "the camera stands where it looks at";
        return Err(o.fault("look_at", message, None));
    }
    let name = name(&o, "camera", |shot| {
        shot.scene.cameras.iter().map(|c| (c.name.clone(), c.place.clone())).collect()
    })?;
    let camera = Camera {
        name: name.clone(),
        place: scene_place(inv),
        position,
        look_at,
        clip: taken.as_ref().map(|(clip, _)| clip.clone()),
        lens: o.curve("lens")?.unwrap_or(Curve::Constant(50.0)),
        focus: o.curve("focus")?,
        fstop: o.curve("fstop")?,
    };
    let seen = taken.filter(|_| !o.given("lens").unwrap_or(false));
    let fov = fov.or(seen.map(|(_, degrees)| Curve::Constant(degrees)));
    let mut shot = inv.shot_mut()?;
    if let Some(fov) = fov {
        let index = shot.scene.cameras.len();
        shot.angles.push((index, fov));
    }
    shot.scene.cameras.push(camera);
    drop(shot);
    inv.give(Object::Camera(Rc::from(name)))
}

fn name(
    o: &Options,
    word: &str,
    taken: impl Fn(&ShotState) -> Vec<(String, crate::diagnostics::Place)>,
) -> mlua::Result<String> {
    let taken = taken(&*o.inv.shot()?);
    name_of(o, word, taken.iter().map(|(name, place)| (name.as_str(), place)))
}

fn light(inv: &Invocation) -> mlua::Result<Value> {
    let o = inv.options(&LIGHT)?;
    let word = o.choice("kind")?.unwrap_or_default();
    let takes: &[&str] = match word.as_str() {
        "sun" => &["direction", "angle"],
        "area" => &["position", "look_at", "size"],
        "point" => &["position", "size"],
        _ => &["image"],
    };
    for key in ["direction", "angle", "position", "look_at", "size", "image"] {
        if o.given(key)? && !takes.contains(&key) {
            let all: Vec<String> = takes.iter().map(|k| format!("`{k}`")).collect();
            let message = format!("a light of the kind \"{word}\" has no `{key}`");
            return Err(o.fault(key, message, Some(format!("it takes {}", all.join(", ")))));
        }
    }
    let position = || -> mlua::Result<Curve<DVec3>> {
        o.curve3("position")?
            .ok_or_else(|| inv.fault(format!("a light of the kind \"{word}\" needs `position`")))
    };
    let (kind, strength) = match word.as_str() {
        "sun" => {
            let direction = o.vec3("direction")?.unwrap_or(DVec3::new(-0.4, -1.0, -0.3));
            if direction.length_squared() == 0.0 {
                let given = o.value("direction")?;
                return Err(o.wrong("direction", "a vector other than {0, 0, 0}", &given));
            }
            (LightKind::Sun { direction, angle: o.number("angle")?.unwrap_or(0.53) }, 3.0)
        }
        "area" => {
            let look_at = o.vec3("look_at")?.unwrap_or(DVec3::ZERO);
            let size = o.number("size")?.unwrap_or(1.0);
            (LightKind::Area { position: position()?, look_at, size }, 100.0)
        }
        "point" => {
            let size = o.number("size")?.unwrap_or(0.1);
            (LightKind::Point { position: position()?, size }, 100.0)
        }
        _ => {
            let image = match o.text("image")? {
                Some(file) => {
                    let read = inv.cx.files.picture(&file);
                    Some(read.map_err(|d| o.fault("image", d.message, d.hint))?.0)
                }
                None => None,
            };
            (LightKind::Sky { image }, 1.0)
        }
    };
    let name = name(&o, "light", |shot| {
        shot.scene.lights.iter().map(|l| (l.name.clone(), l.place.clone())).collect()
    })?;
    let light = Light {
        name: name.clone(),
        place: scene_place(inv),
        color: o.color("color")?.unwrap_or(Color([1.0; 3])),
        strength: o.curve("strength")?.unwrap_or(Curve::Constant(strength)),
        kind,
    };
    inv.shot_mut()?.scene.lights.push(light);
    inv.give(Object::Light(Rc::from(name)))
}
