//! Pins, attachments, stitches, freezes.

use super::super::invocation::Invocation;
use super::super::object::Object;
use super::super::options::Options;
use super::super::schema::{Args, Call, Class, Key, Kind, Schema, key};
use super::super::shot::Handle;
use super::super::values::describe;
use super::shares;
use super::shots::{name_of, scene_place};
use crate::math::Curve;
use crate::scene::{Anchor, Constraint, ConstraintKind, Motion, Points, StitchGap, StitchPair};
use glam::DVec3;
use mlua::Value;
use std::cmp::Ordering;

const POINTS: Key = key("points", Kind::Points, "the points").needed();

pub(super) const COMMON: &[Key] = &[
    key("name", Kind::Text, "unique over all constraints").words("made"),
    key("starts", Kind::Number, "active from here").unit("s"),
    key("ends", Kind::Number, "active to here").unit("s"),
    key("stiffness", Kind::MapCurve, "stiffness, of each point or each pair; left out: exact")
        .unit("N/m")
        .from(f64::MIN_POSITIVE),
    key("breaks_at", Kind::Number, "force at which it breaks; of an angular joint a moment [N m]")
        .unit("N")
        .from(f64::MIN_POSITIVE),
];

/// [`COMMON`] of what has no points that could differ.
pub(super) const COMMON_OF_ONE: &[Key] = &[
    COMMON[0],
    COMMON[1],
    COMMON[2],
    Key { kind: Kind::Curve, doc: "stiffness; left out: exact", ..COMMON[3] },
    COMMON[4],
];

pub(super) const WEIGHT: Key = key(
    "weight",
    Kind::Map,
    "how much each point is held, 0 not at all: a part w of `stiffness`; without one as a spring of \
     100 w / (1 - w) newtons a metre, 1 exactly",
)
.range(0.0, 1.0);

const PAIR_WEIGHT: Key = Key {
    doc: "how much each pair is held, by its point of `a`, 0 not at all: a part w of `stiffness`; without one \
          as a spring of 100 w / (1 - w) newtons a metre, 1 exactly",
    ..WEIGHT
};

static PIN: Schema = Schema::new(
    "pin",
    "PinOptions",
    &[
        &[
            POINTS,
            key("translate", Kind::Curve3, "added to every place").unit("m").vec3([0.0; 3]),
            key("rotate", Kind::Curve3, "turn about `about`").unit("degrees").vec3([0.0; 3]),
            key("scale", Kind::CurveFactor, "scale about `about`").words("1"),
            key("about", Kind::Vec3, "fixed world point of `rotate` and `scale`")
                .unit("m")
                .words("the middle of the points' bounds at the start"),
            WEIGHT,
        ],
        COMMON,
    ],
);

static ATTACH: Schema = Schema::new(
    "attach",
    "AttachOptions",
    &[
        &[
            key("points", ENDS, "the points, or a place of `body:point`").needed(),
            key("to", Kind::Body, "the body that they ride on").needed(),
            WEIGHT,
        ],
        COMMON,
    ],
);

const ENDS: Kind = Kind::Other("Points|Spot");

static STITCH: Schema = Schema::new(
    "stitch",
    "StitchOptions",
    &[
        &[
            key("a", ENDS, "points, or a place of `body:point`").needed(),
            key("b", ENDS, "points, or a place of `body:point`").needed(),
            key("gap", Kind::Choice(&["keep", "close"], &[]), "what becomes of the distance")
                .text("keep"),
            PAIR_WEIGHT,
        ],
        COMMON,
    ],
);

const BOX: Kind = Kind::Other("number[][]");

static FREEZE: Schema = Schema::new(
    "freeze",
    "FreezeOptions",
    &[
        &[POINTS, key("inside", BOX, "smallest and largest corner").unit("m").needed(), WEIGHT],
        COMMON,
    ],
);

pub(super) const CALLS: &[Call] = &[
    Call::new(Class::Shot, "pin", Args::Options(&PIN), pin)
        .returns("Constraint")
        .doc("Points that are held where they are, or carried by curves and moves.")
        .example(
            "local rail = shot:pin{ points = cloth:edge \"top\", breaks_at = 500 }\n\
             local hand = shot:pin{\n  points = cloth:corner \"bottom-left\",\n  \
             translate = function(t) return 0, 0, 0.1 * math.sin(t) end,\n  starts = 0.5,\n}",
        ),
    Call::new(Class::Shot, "attach", Args::Options(&ATTACH), attach)
        .returns("Constraint")
        .doc(
            "Points that ride on another body and keep their gap; on one that deforms each goes along \
             with the triangle or the segment that is nearest to it at the start, and turns with it. \
             What is free to move is carried and carries.",
        )
        .example("shot:attach{ points = cloth:edge \"left\", to = pole_body }"),
    Call::new(Class::Shot, "stitch", Args::Options(&STITCH), stitch)
        .returns("Constraint")
        .doc(
            "Holds pairs of places together: in order where both sides have as many points, else \
             each point of the larger side to the nearest place of the other.",
        )
        .example(
            "shot:stitch{ a = cloth:edge \"right\", b = other:edge \"left\", gap = \"close\" }",
        ),
    Call::new(Class::Shot, "freeze", Args::Options(&FREEZE), freeze)
        .returns("Constraint")
        .doc("A point becomes fixed when it gets into the box.")
        .example(
            "shot:freeze{ points = cloth:all(), inside = { { -1, -3, -1 }, { 1, -2.9, 1 } } }",
        ),
    super::joints::CALL,
];

/// Refuses points of bodies that are moved by curves.
fn check_free(o: &Options, name: &str, points: &[Points]) -> mlua::Result<()> {
    let shot = o.inv.shot()?;
    for group in points.iter().filter(|p| !p.vertices.is_empty()) {
        let body = &shot.scene.bodies[group.body];
        if body.is_collider() {
            let message = format!("`{}` is a collider: its points cannot be held", body.name);
            let hint = "a collider moves by its `translate` and `rotate`";
            return Err(o.fault(name, message, Some(hint.into())));
        }
    }
    Ok(())
}

fn held(o: &Options) -> mlua::Result<Vec<Points>> {
    let points = o.points("points")?;
    let points: Vec<Points> =
        points.iter().flat_map(|p| p.iter()).filter(|p| !p.vertices.is_empty()).cloned().collect();
    check_free(o, "points", &points)?;
    Ok(points)
}

pub(super) fn add(o: &Options, word: &str, kind: ConstraintKind) -> mlua::Result<Value> {
    let (starts, ends) = o.interval()?;
    let (weight, stiffness) = shares::read(o, &kind)?;
    let breaks_at = o.number("breaks_at")?;
    let name = {
        let shot = o.inv.shot()?;
        name_of(o, word, shot.scene.constraints.iter().map(|c| (c.name.as_str(), &c.place)))?
    };
    let place = scene_place(o.inv);
    let constraint = Constraint { name, place, starts, ends, stiffness, weight, breaks_at, kind };
    let mut shot = o.inv.shot_mut()?;
    shot.scene.constraints.push(constraint);
    let handle = Handle { constraint: shot.scene.constraints.len() - 1, releases: Vec::new() };
    shot.handles.push(handle);
    let index = shot.handles.len() - 1;
    drop(shot);
    o.inv.give(Object::Constraint(index))
}

fn pin(inv: &Invocation) -> mlua::Result<Value> {
    let o = inv.options(&PIN)?;
    let points = held(&o)?;
    let about = match o.vec3("about")? {
        Some(about) => about,
        None => middle(inv, &points)?,
    };
    let zero = || Curve::Constant(DVec3::ZERO);
    let motion = Motion {
        translate: o.curve3("translate")?.unwrap_or_else(zero),
        rotate: o.curve3("rotate")?.unwrap_or_else(zero),
        scale: o.curve_factor("scale")?.unwrap_or(Curve::Constant(DVec3::ONE)),
        about,
        moves: Vec::new(),
    };
    add(&o, "pin", ConstraintKind::Pin { points, motion })
}

/// Middle of the bounds of points at the start.
fn middle(inv: &Invocation, points: &[Points]) -> mlua::Result<DVec3> {
    let shot = inv.shot()?;
    let places =
        points.iter().flat_map(|p| p.vertices.iter().map(|v| shot.starts[p.body][*v as usize]));
    let bounds = places.fold(None, |bounds: Option<(DVec3, DVec3)>, p| {
        Some(bounds.map_or((p, p), |(low, high)| (low.min(p), high.max(p))))
    });
    Ok(bounds.map_or(DVec3::ZERO, |(low, high)| (low + high) * 0.5))
}

fn attach(inv: &Invocation) -> mlua::Result<Value> {
    let o = inv.options(&ATTACH)?;
    let (points, spots) = match Object::from_value(&o.value("points")?) {
        Some(Object::Spot(spot, _)) => {
            check_free(&o, "points", &[Points { body: spot.body, vertices: vec![0] }])?;
            (Vec::new(), vec![spot])
        }
        _ => (held(&o)?, Vec::new()),
    };
    let to = o.body("to")?.ok_or_else(|| inv.fault("attach needs `to`"))?;
    if points.iter().any(|p| p.body == to) || spots.iter().any(|spot| spot.body == to) {
        let name = inv.shot()?.scene.bodies[to].name.clone();
        let message = format!("points of `{name}` cannot ride on `{name}` itself");
        return Err(o.fault("to", message, None));
    }
    add(&o, "attach", ConstraintKind::Attach { points, spots, to })
}

/// One side of a stitch: single vertices or places, in order.
pub(super) fn side(o: &Options, name: &str) -> mlua::Result<Vec<(Anchor, DVec3)>> {
    let value = o.value(name)?;
    if let Some(Object::Spot(anchor, place)) = Object::from_value(&value) {
        return Ok(vec![(anchor, place)]);
    }
    if !matches!(Object::from_value(&value), Some(Object::Points(_))) {
        let message = format!(
            "`{name}` in stitch must be points or a place of `body:point`, not {}",
            describe(&value)
        );
        return Err(o.fault(name, message, None));
    }
    let points = o.points(name)?;
    let shot = o.inv.shot()?;
    let groups = points.iter().flat_map(|p| p.iter());
    Ok(groups
        .flat_map(|p| p.vertices.iter().map(|v| (p.body, *v)))
        .map(|(body, v)| {
            let anchor = Anchor::of_vertex(body, v);
            (anchor, shot.starts[body][v as usize])
        })
        .collect())
}

fn stitch(inv: &Invocation) -> mlua::Result<Value> {
    let o = inv.options(&STITCH)?;
    let (a, b) = (side(&o, "a")?, side(&o, "b")?);
    let pairs: Vec<StitchPair> = match a.len().cmp(&b.len()) {
        Ordering::Equal => {
            a.iter().zip(&b).map(|((a, _), (b, _))| StitchPair { a: *a, b: *b }).collect()
        }
        Ordering::Greater => nearest_pairs(inv, &a, &b)?,
        Ordering::Less => {
            let turned = nearest_pairs(inv, &b, &a)?;
            turned.into_iter().map(|p| StitchPair { a: p.b, b: p.a }).collect()
        }
    };
    {
        let shot = inv.shot()?;
        let is_fixed = |anchor: &Anchor| shot.scene.bodies[anchor.body].is_collider();
        if pairs.iter().any(|p| is_fixed(&p.a) && is_fixed(&p.b)) {
            let message = "a stitch needs points that can move on one side at least";
            let hint = "both sides are colliders";
            return Err(o.fault("b", message, Some(hint.into())));
        }
        if let Some(pair) = pairs.iter().find(|p| p.a == p.b) {
            let name = &shot.scene.bodies[pair.a.body].name;
            let message = format!(
                "vertex {} of `{name}` (counted from 0) would be stitched to itself",
                pair.a.vertices[0]
            );
            return Err(o.fault("b", message, Some("the two sides must differ".into())));
        }
    }
    let gap = match o.choice("gap")?.as_deref() {
        Some("close") => StitchGap::Close,
        _ => StitchGap::Keep,
    };
    add(&o, "stitch", ConstraintKind::Stitch { pairs, gap, damping: 0.0 })
}

/// Each of `many` with the nearest place on the edges between `few`.
fn nearest_pairs(
    inv: &Invocation,
    many: &[(Anchor, DVec3)],
    few: &[(Anchor, DVec3)],
) -> mlua::Result<Vec<StitchPair>> {
    let shot = inv.shot()?;
    let mut bodies: Vec<usize> = few.iter().map(|(a, _)| a.body).collect();
    bodies.dedup();
    let mut edges = Vec::new();
    for body in bodies {
        let mut mine: Vec<u32> = few
            .iter()
            .filter(|(a, _)| a.body == body && a.weights[0] == 1.0)
            .map(|(a, _)| a.vertices[0])
            .collect();
        mine.sort_unstable();
        let has = |v: u32| mine.binary_search(&v).is_ok();
        let all = shot.mesh_of(body).edges();
        edges.extend(all.into_iter().filter(|[a, b]| has(*a) && has(*b)).map(|e| (body, e)));
    }
    inv.charge((many.len() * (edges.len() + few.len())) as u64 / 4)?;
    let nearest = |(from, place): &(Anchor, DVec3)| {
        let mut best = (f64::INFINITY, few[0].0);
        for (anchor, there) in few {
            let distance = there.distance_squared(*place);
            if distance < best.0 {
                best = (distance, *anchor);
            }
        }
        for (body, [i, j]) in &edges {
            let (p, q) = (shot.starts[*body][*i as usize], shot.starts[*body][*j as usize]);
            let along = (*place - p).dot(q - p) / p.distance_squared(q).max(f64::MIN_POSITIVE);
            let distance = (p + (q - p) * along).distance_squared(*place);
            if along > 0.0 && along < 1.0 && distance < best.0 {
                let weights = [1.0 - along, along, 0.0];
                best = (distance, Anchor::of_triangle(*body, [*i, *j, *i], weights));
            }
        }
        StitchPair { a: *from, b: best.1 }
    };
    Ok(many.iter().map(nearest).collect())
}

fn freeze(inv: &Invocation) -> mlua::Result<Value> {
    let o = inv.options(&FREEZE)?;
    let points = held(&o)?;
    let value = o.value("inside")?;
    let inside = super::points::box_of(&value)
        .ok_or_else(|| o.wrong("inside", "a box { {x, y, z}, {x, y, z} }", &value))?;
    add(&o, "freeze", ConstraintKind::Freeze { points, inside })
}
