//! Keyframed moves of pins, and the release of any constraint.

use super::super::context::Phase;
use super::super::invocation::Invocation;
use super::super::object::Object;
use super::super::options::Options;
use super::super::schema::{Args, Call, Class, Key, Kind, Schema, When, key};
use super::super::select;
use super::super::values::number_text;
use crate::math::Ease;
use crate::scene::world::Command;
use crate::scene::{ConstraintKind, Move, Points};
use glam::DVec3;
use mlua::Value;

const EASES: Kind = Kind::Choice(&Ease::NAMES, &[]);

const TIMES: &[Key] = &[
    key("starts", Kind::Number, "when it begins").unit("s").needed(),
    key("ends", Kind::Number, "when it is done; its last value is held").unit("s").needed(),
    key("ease", EASES, "how the way is travelled").text("auto"),
];

const ABOUT: Key =
    key("about", Kind::Vec3, "fixed world point").unit("m").words("`about` of the pin");

static TRANSLATE: Schema = Schema::new(
    "translate",
    "PinTranslateOptions",
    &[TIMES, &[key("by", Kind::Vec3, "by how much").unit("m").needed()]],
);

static ROTATE: Schema = Schema::new(
    "rotate",
    "PinRotateOptions",
    &[
        TIMES,
        &[
            key("angle", Kind::Number, "how far").unit("degrees").needed(),
            key("axis", Kind::Vec3, "about which direction; any length").vec3([0.0, 1.0, 0.0]),
            ABOUT,
        ],
    ],
);

static SCALE: Schema = Schema::new(
    "scale",
    "PinScaleOptions",
    &[TIMES, &[key("by", Kind::Factor, "one factor, or one an axis").needed(), ABOUT]],
);

const PATH: Kind = Kind::Other("Path");

static FOLLOW: Schema = Schema::new(
    "follow",
    "PinFollowOptions",
    &[TIMES, &[key("path", PATH, "the path, relative to its first point").needed()]],
);

static RELEASE: Schema = Schema::new(
    "release",
    "ReleaseOptions",
    &[&[
        key("at", Kind::Number, "when; in a callback it acts at once and is left out").unit("s"),
        key(
            "points",
            Kind::Points,
            "which of its points; of a stitch the pairs that have an end among them",
        )
        .words("all"),
    ]],
);

pub(super) const CALLS: &[Call] = &[
    Call::new(Class::Constraint, "translate", Args::Options(&TRANSLATE), translate)
        .returns("Constraint")
        .doc("Moves a pin. Moves apply in the order they were called and hold their last value.")
        .example("rail:translate{ starts = 1.0, ends = 1.5, by = { 0.4, 0, 0 }, ease = \"smooth\" }"),
    Call::new(Class::Constraint, "rotate", Args::Options(&ROTATE), rotate)
        .returns("Constraint")
        .doc("Turns a pin about a fixed world point.")
        .example("rail:rotate{ starts = 0, ends = 1, angle = 90, axis = { 0, 1, 0 }, about = { 0, 2, 0 } }"),
    Call::new(Class::Constraint, "scale", Args::Options(&SCALE), scale)
        .returns("Constraint")
        .doc("Scales a pin about a fixed world point: gathers a curtain.")
        .example("rail:scale{ starts = 0.2, ends = 0.9, by = { 0.4, 1, 1 } }"),
    Call::new(Class::Constraint, "follow", Args::Options(&FOLLOW), follow)
        .returns("Constraint")
        .doc("Carries a pin along a path at even speed.")
        .example("rail:follow{ starts = 1, ends = 2, path = retake.path{ { 0, 0, 0 }, { 1, 1, 0 } } }"),
    Call::new(Class::Constraint, "release", Args::MaybeOptions(&RELEASE), release)
        .returns("Constraint")
        .doc("Lets go: at a time, or in a callback at once.")
        .when(When::Always)
        .example("rail:release{ at = 1.5, points = cloth:corner \"top-left\" }"),
];

fn handle(inv: &Invocation) -> usize {
    match &inv.this {
        Some(Object::Constraint(i)) => *i,
        _ => unreachable!("checked by `answer`"),
    }
}

/// Adds a move to the pin; `make` gets the pin's own fixed point.
fn add_move(
    inv: &Invocation,
    o: &Options,
    make: impl FnOnce(f64, f64, Ease, DVec3) -> Move,
) -> mlua::Result<Value> {
    let (starts, ends) = o.interval()?;
    if let (Some(starts), Some(ends)) = (starts, ends)
        && starts == ends
    {
        let message = format!(
            "{} takes no time: `starts` and `ends` are both {} s",
            o.name(),
            number_text(starts)
        );
        let frame = inv.shot()?.scene.timing.frame_dt();
        let hint =
            format!("what a pin holds cannot be elsewhere at once; a frame lasts {frame:.4} s");
        return Err(o.fault("ends", message, Some(hint)));
    }
    let ease = o.choice("ease")?.and_then(|e| Ease::from_name(&e)).unwrap_or_default();
    let mut shot = inv.shot_mut()?;
    let constraint = shot.handles[handle(inv)].constraint;
    match &mut shot.scene.constraints[constraint].kind {
        ConstraintKind::Pin { motion, .. } => {
            let (starts, ends) = (starts.unwrap_or(0.0), ends.unwrap_or(0.0));
            let step = make(starts, ends, ease, motion.about);
            motion.moves.push(step);
        }
        _ => {
            let name = shot.scene.constraints[constraint].name.clone();
            drop(shot);
            return Err(inv.fault(format!("`{name}` is no pin: only pins can be moved")));
        }
    }
    drop(shot);
    inv.give(Object::Constraint(handle(inv)))
}

fn translate(inv: &Invocation) -> mlua::Result<Value> {
    let o = inv.options(&TRANSLATE)?;
    let by = o.need_vec3("by")?;
    add_move(inv, &o, |starts, ends, ease, _| Move::Translate { starts, ends, by, ease })
}

fn rotate(inv: &Invocation) -> mlua::Result<Value> {
    let o = inv.options(&ROTATE)?;
    let (angle, axis, given) = (o.need_number("angle")?, o.need_vec3("axis")?, o.vec3("about")?);
    if axis.length_squared() == 0.0 {
        return Err(o.wrong("axis", "a vector other than {0, 0, 0}", &o.value("axis")?));
    }
    add_move(inv, &o, |starts, ends, ease, about| {
        let about = given.unwrap_or(about);
        Move::Rotate { starts, ends, angle, axis, about, ease }
    })
}

fn scale(inv: &Invocation) -> mlua::Result<Value> {
    let o = inv.options(&SCALE)?;
    let by = o.factor("by")?.unwrap_or(DVec3::ONE);
    let given = o.vec3("about")?;
    add_move(inv, &o, |starts, ends, ease, about| Move::Scale {
        starts,
        ends,
        by,
        about: given.unwrap_or(about),
        ease,
    })
}

fn follow(inv: &Invocation) -> mlua::Result<Value> {
    let o = inv.options(&FOLLOW)?;
    let value = o.value("path")?;
    let Some(Object::Path(path)) = Object::from_value(&value) else {
        return Err(o.wrong("path", "a path of `retake.path{ {x, y, z}, ... }`", &value));
    };
    let path = (*path).clone();
    add_move(inv, &o, |starts, ends, ease, _| Move::Follow { starts, ends, path, ease })
}

fn release(inv: &Invocation) -> mlua::Result<Value> {
    let o = inv.options_at(0, &RELEASE, false)?;
    if inv.cx.phase.get() != Phase::Building {
        return release_now(inv, &o);
    }
    let Some(at) = o.number("at")? else {
        let hint = "write `:release{ at = 5.0 }`; without `at` it is for callbacks";
        return Err(inv.fault_hint("release needs `at` (seconds)", hint));
    };
    let points = o.points("points")?;
    let mut shot = inv.shot_mut()?;
    let index = shot.handles[handle(inv)].constraint;
    let constraint = &mut shot.scene.constraints[index];
    if constraint.starts.is_some_and(|starts| at < starts) {
        let message = format!(
            "`{}` starts at {} s and would be released before, at {} s",
            constraint.name,
            number_text(constraint.starts.unwrap_or(0.0)),
            number_text(at)
        );
        drop(shot);
        return Err(o.fault("at", message, None));
    }
    match points {
        None => {
            constraint.ends = Some(constraint.ends.map_or(at, |ends| ends.min(at)));
        }
        Some(chosen) => {
            let found = held(&constraint.kind, &chosen);
            let name = constraint.name.clone();
            let Some((released, is_all)) = found else {
                drop(shot);
                return Err(holds_none(&o, &name));
            };
            if is_all {
                constraint.ends = Some(constraint.ends.map_or(at, |ends| ends.min(at)));
            } else {
                let handle = handle(inv);
                shot.handles[handle].releases.push((at, released));
            }
        }
    }
    drop(shot);
    inv.give(Object::Constraint(handle(inv)))
}

/// Which of the points `chosen` a constraint holds, and whether these are all of its points; none where it
/// holds none of them. Of a stitch `chosen` itself.
fn held(kind: &ConstraintKind, chosen: &[Points]) -> Option<(Vec<Points>, bool)> {
    match kind {
        ConstraintKind::Attach { points, spots, .. } if points.is_empty() => {
            let count = spots.iter().filter(|spot| spot.is_among(chosen)).count();
            (count > 0).then(|| (chosen.to_vec(), count == spots.len()))
        }
        ConstraintKind::Pin { points, .. }
        | ConstraintKind::Attach { points, .. }
        | ConstraintKind::Freeze { points, .. } => {
            let rest = select::subtract(points, chosen);
            let mut released = select::subtract(points, &rest);
            released.retain(|p| !p.vertices.is_empty());
            (!released.is_empty()).then(|| (released, select::count(&rest) == 0))
        }
        ConstraintKind::Stitch { pairs, .. } => {
            let count = pairs.iter().filter(|pair| pair.is_among(chosen)).count();
            (count > 0).then(|| (chosen.to_vec(), count == pairs.len()))
        }
        ConstraintKind::Tether { from, .. } => {
            from.is_among(chosen).then(|| (chosen.to_vec(), true))
        }
        ConstraintKind::Joint(_) | ConstraintKind::Carry { .. } => None,
    }
}

fn holds_none(o: &Options, name: &str) -> mlua::Error {
    o.fault("points", format!("`{name}` holds none of these points"), None)
}

fn release_now(inv: &Invocation, o: &Options) -> mlua::Result<Value> {
    if inv.cx.phase.get() == Phase::Measure {
        let hint = "use `shot:on_frame` to change something";
        return Err(inv.fault_hint("a measure may look and not touch", hint));
    }
    if o.given("at")? {
        let hint = "call it in the frame where it should act, or before the shot runs";
        let message = "in a callback `release` acts at once: leave out `at`";
        return Err(o.fault("at", message, Some(hint.into())));
    }
    let chosen = o.points("points")?;
    let released = match &chosen {
        None => None,
        Some(chosen) => {
            let shot = inv.shot()?;
            let constraint = &shot.scene.constraints[shot.handles[handle(inv)].constraint];
            match held(&constraint.kind, chosen) {
                Some((_, true)) => None,
                Some((released, false)) => Some(released),
                None => return Err(holds_none(o, &constraint.name)),
            }
        }
    };
    let parts = inv.cx.parts.borrow();
    let mut running = inv.cx.running.borrow_mut();
    for constraint in &parts[handle(inv)] {
        let constraint = *constraint;
        let command = match &released {
            None => Command::Release { constraint },
            Some(points) => Command::ReleasePoints { constraint, points: points.clone() },
        };
        if !running.commands.contains(&command) {
            running.commands.push(command);
        }
    }
    drop((parts, running));
    inv.give(Object::Constraint(handle(inv)))
}
