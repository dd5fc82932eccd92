//! How the shot is solved and what collides.

use super::super::invocation::Invocation;
use super::super::schema::{Args, Call, Class, Key, Kind, Schema, key};
use super::shots::{only_once, scene_place};
use crate::scene::{Collisions, ContactPair, Guard, METHODS, Method, SolverSettings};
use mlua::Value;

const TINY: f64 = f64::MIN_POSITIVE;

const METHOD_NAMES: [&str; METHODS.len()] = {
    let mut names = [""; METHODS.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = METHODS[i].name;
        i += 1;
    }
    names
};

const SOLVER_KEYS: &[Key] = &[
    key(
        "method",
        Kind::Choice(&METHOD_NAMES, &[]),
        "the method: the engine's own for all but material.flex3d, those of the literature for \
         material.springs, (explicit ones) material.flex3d, (relaxation) soft bodies and \
         ropes, (shape_matching) material.shape_matching, and (impulses) rigid bodies",
    )
    .text("auto"),
    key("step", Kind::Number, "longest step").unit("s").range(TINY, 10.0).words("a frame"),
    key("min_step", Kind::Number, "shortest step").unit("s").range(TINY, 10.0).number(1e-6),
    key("fixed_step", Kind::Number, "exactly this step and no other").unit("s").range(TINY, 10.0),
    key(
        "tolerance",
        Kind::Number,
        "how far a contact may be pressed in, as a part of its contact distance",
    )
    .range(0.001, 1.0)
    .number(0.25),
    key("rollback", Kind::Bool, "whether imprecise steps are taken again").flag(true),
    key(
        "regions",
        Kind::Bool,
        "whether bodies that cannot meet before the next frame are solved apart",
    )
    .flag(true),
    key(
        "guard",
        Kind::Choice(&["enforce", "report", "off"], &[]),
        "crossings: none is accepted; they happen and are listed; they happen",
    )
    .text("enforce"),
    key("accuracy", Kind::Number, "what converged means, at the scene's size")
        .unit("m/s")
        .range(TINY, 1.0)
        .number(1e-3),
    key(
        "iterations",
        Kind::Integer,
        "most sweeps or iterations a step of the implicit methods; passes over all links of relaxation",
    )
    .range(1.0, 1e6)
    .words(
        "1 for implicit_jacobi, 100 for implicit_sor, 1000 for implicit_pcg, 20 for bdf2 and relaxation",
    ),
    key(
        "relaxation",
        Kind::Number,
        "factor of over-relaxation of implicit_sor; part of its way that a link of relaxation goes in a \
         pass",
    )
    .range(TINY, 1.999_999)
    .words("1"),
    key(
        "solver_tolerance",
        Kind::Number,
        "how far a velocity may be off where implicit_sor, implicit_pcg and bdf2 stop, and in a step of \
         rk45",
    )
    .unit("m/s")
    .from(TINY)
    .words("what adds up to `accuracy` in a second"),
    key("force_change", Kind::Number, "change of a point's force from which verlet goes by Beeman")
        .unit("N")
        .from(0.0)
        .words("0.001"),
    key(
        "shock",
        Kind::Bool,
        "of impulses: whether they end by shock propagation, from the ground up with all below as if infinitely heavy; \
         without it heaps sink into themselves where steps are long",
    )
    .words("true"),
];

static SOLVER: Schema = Schema::new("solver", "SolverOptions", &[SOLVER_KEYS]);

static COLLISIONS: Schema = Schema::new(
    "collisions",
    "CollisionsOptions",
    &[&[
        key("self", Kind::Bool, "whether bodies touch themselves").flag(true),
        key("friction", Kind::Number, "friction coefficient").range(0.0, 100.0).number(0.4),
        key("thickness", Kind::Number, "full thickness")
            .unit("m")
            .range(0.0, 1.0)
            .words("by kind: 0.002 for cloth, 0 for colliders"),
        key(
            "separate",
            Kind::Bool,
            "whether what starts crossing is pulled apart: cloth is lifted off what it is in, other \
             bodies move out by the shortest way, those in an open collider to the side that it faces; \
             where no way is found it is refused by name as ever",
        )
        .flag(false),
    ]],
);

static CONTACT: Schema = Schema::new(
    "contact",
    "ContactOptions",
    &[&[
        key("a", Kind::Bodies, "bodies of one side").needed(),
        key("b", Kind::Bodies, "bodies of the other side").needed(),
        key("friction", Kind::Number, "friction coefficient of the pair")
            .range(0.0, 100.0)
            .words("the geometric mean of both"),
        key(
            "restitution",
            Kind::Number,
            "part of the speed of approach with which they part again",
        )
        .range(0.0, 1.0)
        .words("the larger one of both"),
        key("collides", Kind::Bool, "whether they touch at all").flag(true),
        key("starts", Kind::Number, "holds from here").unit("s"),
        key("ends", Kind::Number, "holds to here").unit("s"),
    ]],
);

pub(super) const CALLS: &[Call] = &[
    Call::new(Class::Shot, "solver", Args::Options(&SOLVER), solver)
        .doc("How the shot is solved. The engine chooses its steps between the two limits.")
        .example("shot:solver{ step = 1 / 48, tolerance = 0.2 }"),
    Call::new(Class::Shot, "collisions", Args::Options(&COLLISIONS), collisions)
        .doc("Collision settings of bodies that say nothing themselves.")
        .example("shot:collisions{ self = true, friction = 0.3 }"),
    Call::new(Class::Shot, "contact", Args::Options(&CONTACT), contact)
        .doc("Settings of the pairs between two sides; a later call wins over an earlier one.")
        .example("shot:contact{ a = cloth, b = \"pole\", friction = 0.1, starts = 0.5 }"),
];

fn solver(inv: &Invocation) -> mlua::Result<Value> {
    let o = inv.options(&SOLVER)?;
    only_once(inv)?;
    let settings = SolverSettings {
        method: o
            .choice("method")?
            .and_then(|name| Method::from_name(&name))
            .unwrap_or(Method::Auto),
        step: o.number("step")?,
        min_step: o.need_number("min_step")?,
        fixed_step: o.number("fixed_step")?,
        tolerance: o.need_number("tolerance")?,
        rollback: o.need_flag("rollback")?,
        regions: o.need_flag("regions")?,
        guard: match o.choice("guard")?.as_deref() {
            Some("report") => Guard::Report,
            Some("off") => Guard::Off,
            _ => Guard::Enforce,
        },
        accuracy: o.need_number("accuracy")?,
        iterations: o.integer("iterations")?.map(|most| most as u32),
        relaxation: o.number("relaxation")?,
        solver_tolerance: o.number("solver_tolerance")?,
        force_change: o.number("force_change")?,
        shock: o.flag("shock")?,
    };
    if settings.step.is_some_and(|step| step < settings.min_step) {
        let message = "`step`, the longest, is shorter than `min_step`, the shortest";
        return Err(o.fault("step", message, None));
    }
    if settings.step.is_some() && settings.fixed_step.is_some() {
        let message = "solver has both `step` and `fixed_step`";
        return Err(o.fault("fixed_step", message, Some("give one of them".into())));
    }
    inv.shot_mut()?.scene.solver = settings;
    Ok(Value::Nil)
}

fn collisions(inv: &Invocation) -> mlua::Result<Value> {
    let o = inv.options(&COLLISIONS)?;
    only_once(inv)?;
    let collisions = Collisions {
        self_contact: o.need_flag("self")?,
        friction: o.need_number("friction")?,
        thickness: o.number("thickness")?,
        separate: o.need_flag("separate")?,
    };
    inv.shot_mut()?.scene.collisions = collisions;
    Ok(Value::Nil)
}

fn contact(inv: &Invocation) -> mlua::Result<Value> {
    let o = inv.options(&CONTACT)?;
    let (starts, ends) = o.interval()?;
    let pair = ContactPair {
        a: o.bodies("a")?.unwrap_or_default(),
        b: o.bodies("b")?.unwrap_or_default(),
        friction: o.number("friction")?,
        restitution: o.number("restitution")?,
        collides: o.need_flag("collides")?,
        starts,
        ends,
        place: scene_place(inv),
    };
    inv.shot_mut()?.scene.contact_pairs.push(pair);
    Ok(Value::Nil)
}
