//! The shot itself.

use super::super::invocation::Invocation;
use super::super::object::Object;
use super::super::sampling::Sampling;
use super::super::schema::{Args, Call, Class, Key, Kind, Schema, key};
use super::super::shot::{ShotState, check_file_safe};
use super::super::values::{self, number_text};
use crate::diagnostics::Place;
use crate::math::Curve;
use crate::scene::Timing;
use mlua::Value;

const FPS: Kind = Kind::Other("number|integer[]");

const KEYS: &[Key] = &[
    key("name", Kind::Text, "file-safe name: that of its folder and files").needed(),
    key("fps", FPS, "frames a second").words("24, or `fps` of retake.toml"),
    key("duration", Kind::Number, "length of the film").unit("s").from(0.0),
    key("frames", Kind::Integer, "length of the film in frames, in place of `duration`")
        .range(0.0, 10_000_000.0),
    key("start_frame", Kind::Integer, "number of the first frame; script time 0 is that frame")
        .range(-1e9, 1e9)
        .words("1, or `start_frame` of retake.toml"),
    key(
        "preroll",
        Kind::Number,
        "time simulated before the first frame and not written; keys hold their first value, \
         functions see t < 0",
    )
    .unit("s")
    .range(0.0, 3600.0)
    .number(0.0),
    key("speed", Kind::Curve, "simulated seconds per second of film; 0.25 is slow motion")
        .range(0.0, 1000.0)
        .number(1.0),
    key("gravity", Kind::Curve3, "gravity").unit("m/s2").vec3([0.0, -9.81, 0.0]),
    key("seed", Kind::Integer, "seed of the shot's own chance (gusts)")
        .range(0.0, 9e15)
        .number(1.0),
    key("curve_rate", Kind::Number, "samples a second that are taken of functions of time")
        .unit("1/s")
        .range(1.0, 10_000.0)
        .number(240.0),
];

static SHOT: Schema = Schema::new("shot", "ShotOptions", &[KEYS]);

pub(super) const CALLS: &[Call] = &[
    Call::new(Class::Retake, "shot", Args::Options(&SHOT), shot)
        .returns("Shot")
        .doc("Makes the shot, which the script returns at its end. A script makes one shot.")
        .example(""),
    Call::new(
        Class::Shot,
        "time",
        Args::Values(&[("frame", "integer", "number of a frame")]),
        time,
    )
    .returns("number")
    .doc("Seconds of script time at a frame.")
    .example("local late = shot:time(25)"),
];

/// The most samples that one function of time may become.
const MOST_SAMPLES: f64 = 2e6;

fn shot(inv: &Invocation) -> mlua::Result<Value> {
    if let Some(first) = inv.cx.shot.borrow().as_ref() {
        let hint =
            first.place.as_ref().map_or_else(String::new, |p| format!("the first is made at {p}"));
        return Err(inv.fault_hint("a script makes one shot", hint));
    }
    let o = inv.options(&SHOT)?;
    let name = o.text("name")?.unwrap_or_default();
    check_file_safe(&name).map_err(|(message, hint)| o.fault("name", message, hint))?;
    let fps = match o.value("fps")? {
        Value::Nil => inv.cx.defaults.fps.unwrap_or((24, 1)),
        value => fps_of(&value).ok_or_else(|| {
            let expected = "a number of frames a second from 1 to 1000 (a fraction as \
                            {numerator, denominator}, as in {30000, 1001})";
            o.wrong("fps", expected, &value)
        })?,
    };
    let per_second = f64::from(fps.0) / f64::from(fps.1);
    let frames = match (o.integer("frames")?, o.number("duration")?) {
        (Some(_), Some(_)) => {
            let message = "shot has both `duration` and `frames`";
            return Err(o.fault("frames", message, Some("give one of them".into())));
        }
        (Some(frames), None) => frames as f64,
        (None, Some(duration)) => (duration * per_second).round(),
        (None, None) => {
            let hint = "write `duration = 6.0` (seconds) or `frames = 144`";
            return Err(inv.fault_hint("shot needs `duration` or `frames`", hint));
        }
    };
    if frames > 10_000_000.0 {
        let message = format!("the shot would have {} frames", number_text(frames));
        return Err(o.fault("duration", message, Some("at most 10000000 are possible".into())));
    }
    let start_frame = match o.integer("start_frame")? {
        Some(frame) => frame as i32,
        None => inv.cx.defaults.start_frame.unwrap_or(1),
    };
    let preroll = o.need_number("preroll")?;
    let curve_rate = o.need_number("curve_rate")?;
    let film = frames / per_second;
    let in_film = Sampling { start: 0.0, end: film, rate: curve_rate };
    if (film + preroll) * curve_rate > MOST_SAMPLES {
        let message = "the shot is too long for its `curve_rate`";
        return Err(o.fault("curve_rate", message, Some("take fewer samples a second".into())));
    }
    let o = o.sampled(in_film);
    let speed = o.curve("speed")?.unwrap_or(Curve::Constant(1.0));
    let timing = Timing { fps, frames: frames as u32, start_frame, preroll, speed, curve_rate };
    let end = timing.script_time(timing.last_frame());
    let sampling = Sampling { start: -preroll, end, rate: curve_rate };
    if (end + preroll) * curve_rate > MOST_SAMPLES {
        let message = "the shot is too long for its `curve_rate`";
        return Err(o.fault("curve_rate", message, Some("take fewer samples a second".into())));
    }
    let o = o.sampled(sampling);
    let gravity = o.curve3("gravity")?.unwrap_or(Curve::Constant(glam::DVec3::ZERO));
    let seed = o.need_integer("seed")? as u64;
    // Its own functions of time may have made one.
    if inv.cx.shot.borrow().is_some() {
        return Err(inv.fault("a script makes one shot"));
    }
    let state = ShotState::new(name, inv.place(), timing, sampling, gravity, seed);
    *inv.cx.shot.borrow_mut() = Some(state);
    inv.give(Object::Shot)
}

/// Frames a second as a fraction: whole numbers, the film rates of television, and plain decimals.
fn fps_of(value: &Value) -> Option<(u32, u32)> {
    let fraction = if let Some([a, b]) = values::numbers::<2>(value) {
        let whole = |n: f64| (n.fract() == 0.0 && (1.0..=1e9).contains(&n)).then_some(n as u32);
        (whole(a)?, whole(b)?)
    } else {
        let n = values::number(value)?;
        let television = [(24_000, 1001), (30_000, 1001), (48_000, 1001), (60_000, 1001)];
        let rounded = |(a, b): (u32, u32)| (f64::from(a) / f64::from(b) * 1000.0).round() / 1000.0;
        let near = |f: &&(u32, u32)| {
            (rounded(**f) - n).abs() < 1e-9
                || ((rounded(**f) * 100.0).round() / 100.0 - n).abs() < 1e-9
        };
        match television.iter().find(near) {
            Some(found) => *found,
            None => (1..=1000u32).find_map(|b| {
                let a = n * f64::from(b);
                ((a - a.round()).abs() < 1e-9 && (1.0..=1e9).contains(&a))
                    .then_some((a.round() as u32, b))
            })?,
        }
    };
    let rate = f64::from(fraction.0) / f64::from(fraction.1);
    (1.0..=1000.0).contains(&rate).then_some(fraction)
}

fn time(inv: &Invocation) -> mlua::Result<Value> {
    inv.at_most(1)?;
    let frame = inv.whole(0, "the number of a frame")?;
    let shot = inv.shot()?;
    let timing = &shot.scene.timing;
    let (first, last) = (i64::from(timing.start_frame), i64::from(timing.last_frame()));
    if !(first..=last).contains(&frame) {
        return Err(inv.fault(format!("the shot has the frames {first} to {last}, not {frame}")));
    }
    Ok(Value::Number(timing.script_time(frame as i32)))
}

/// The name of something of which `taken` are there already: the given one, checked, or a made one.
pub(super) fn name_of<'n>(
    o: &super::super::options::Options,
    word: &str,
    taken: impl Iterator<Item = (&'n str, &'n Place)> + Clone,
) -> mlua::Result<String> {
    match o.text("name")? {
        Some(name) => {
            ShotState::check_name(&name, &format!("a {word}"), taken)
                .map_err(|(message, hint)| o.fault("name", message, hint))?;
            Ok(name)
        }
        None => Ok(super::super::shot::made_name(word, taken.map(|(name, _)| name))),
    }
}

/// Refuses a call that may come once and came before.
pub(super) fn only_once(inv: &Invocation) -> mlua::Result<()> {
    let place = inv.place();
    let mut shot = inv.shot_mut()?;
    match shot.once.get(inv.call.name).cloned() {
        None => {
            shot.once.insert(inv.call.name, place);
            Ok(())
        }
        Some(first) => {
            drop(shot);
            let message = format!("`{}` was called before", inv.call.path());
            let hint = first.map_or_else(String::new, |p| format!("the first call is at {p}"));
            Err(inv.fault_hint(message, hint))
        }
    }
}

/// The place of the call, for the scene.
pub(super) fn scene_place(inv: &Invocation) -> Place {
    inv.place().unwrap_or_default()
}
