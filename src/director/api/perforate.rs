//! Perforations: where a rope snaps or a cloth tears.

use super::super::cuts::Perforation;
use super::super::invocation::Invocation;
use super::super::schema::{Args, Call, Class, Key, Kind, Schema, key};
use super::constraints::{COMMON, WEIGHT, add};
use super::shares;
use crate::scene::{BodyKind, ConstraintKind, StitchGap};
use mlua::Value;

const POINTS: Key = key(
    "points",
    Kind::Points,
    "vertices of a rope, or of a cloth a line of them along its edges: it is cut along the edges between \
     them, from border to border or over two inner edges at least",
)
.needed();

const PAIR_WEIGHT: Key = Key {
    doc: "how much the two sides of each point hold together, 0 not at all: a part w of `stiffness`; without one as \
          a spring of 100 w / (1 - w) newtons a metre, 1 exactly",
    ..WEIGHT
};

static PERFORATE: Schema =
    Schema::new("perforate", "PerforateOptions", &[&[POINTS, PAIR_WEIGHT], COMMON]);

pub(super) const CALLS: &[Call] = &[
    Call::new(Class::Body, "perforate", Args::Options(&PERFORATE), perforate)
        .returns("Constraint")
        .doc(
            "Cuts a rope or a cloth where it is to snap or tear, and stitches it: each vertex there \
             becomes one on either side of a slit narrower than its thickness, and holds up to \
             `breaks_at` newtons. There it bends freely. Selections have the vertices of both sides.",
        )
        .example(
            "local paper = shot:cloth{ name = \"paper\", mesh = sheet:moved{ translate = { 0, 8, 0 } } }\n\
             paper:perforate{ points = paper:column(5), breaks_at = 2 }",
        ),
];

fn perforate(inv: &Invocation) -> mlua::Result<Value> {
    let o = inv.options(&PERFORATE)?;
    let (points, body) = (o.points("points")?, inv.body());
    let mut vertices: Vec<u32> = Vec::new();
    {
        let shot = inv.shot()?;
        let entry = &shot.scene.bodies[body];
        let lattice = entry.cloth().and_then(|cloth| cloth.material.lattice());
        let has = match (&entry.kind, lattice) {
            (BodyKind::Cloth(_), None) | (BodyKind::Rope(_), _) => None,
            (BodyKind::Cloth(_), Some(model)) => Some(format!("a cloth of {model}")),
            (BodyKind::Soft(_), _) => Some("a soft body".to_owned()),
            (BodyKind::Rigid(_), _) => Some("a rigid body".to_owned()),
            (BodyKind::Collider, _) => Some("a collider".to_owned()),
        };
        if let Some(what) = has {
            let message = format!("`{}` is {what}, which cannot be perforated", entry.name);
            return Err(inv.fault_hint(message, "ropes and cloths of a membrane can"));
        }
        for group in points.iter().flat_map(|p| p.iter()) {
            if group.body != body && !group.vertices.is_empty() {
                let other = &shot.scene.bodies[group.body].name;
                let message =
                    format!("`points` of perforate are of `{other}`, not of `{}`", entry.name);
                return Err(o.fault("points", message, None));
            }
            vertices.extend(&group.vertices);
        }
        inv.charge(shot.mesh_of(body).pieces().len() as u64)?;
        if shot.cut(body, &vertices).is_none() {
            let (message, hint) = if entry.rope().is_some() {
                ("a rope is not cut at its ends", "take a vertex between them")
            } else {
                let hint = "a cut runs from border to border or over two inner edges at least: take \
                            neighbours, as `cloth:row(i)` and `cloth:column(j)` do";
                ("these points cut nothing", hint)
            };
            return Err(o.fault("points", message, Some(hint.into())));
        }
    }
    vertices.sort_unstable();
    vertices.dedup();
    let (weight, stiffness) = shares::of_vertices(&o, body, &vertices)?;
    let kind = ConstraintKind::Stitch { pairs: Vec::new(), gap: StitchGap::Keep, damping: 0.0 };
    let handle = add(&o, "perforation", kind)?;
    let mut shot = inv.shot_mut()?;
    let constraint = shot.scene.constraints.len() - 1;
    // It has no pairs yet.
    (shot.scene.constraints[constraint].weight, shot.scene.constraints[constraint].stiffness) =
        (None, None);
    shot.perforations.push(Perforation { body, points: vertices, constraint, weight, stiffness });
    Ok(handle)
}
