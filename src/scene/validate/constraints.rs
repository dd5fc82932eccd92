//! Constraints: whether their points are there and can be held.

use super::Check;
use crate::scene::{
    Anchor, Body, Constraint, ConstraintKind, Goal, Joint, MappedCurve, Motion, Motor, Move,
    Points, VertexMap,
};
use std::collections::BTreeMap;

impl Check<'_> {
    /// Whether the points are there; says so where not.
    fn points(&mut self, constraint: &Constraint, points: &[Points], what: &str) -> bool {
        let (place, name) = (&constraint.place, &constraint.name);
        if points.iter().all(|p| p.vertices.is_empty()) {
            self.error(place, format!("`{name}` has no points")).hint =
                Some("the selection found nothing".into());
            return false;
        }
        for group in points {
            let Some(body) = self.scene.bodies.get(group.body) else {
                self.error(place, format!("`{name}` names a body that is not there"));
                return false;
            };
            let count = self.scene.meshes.get(body.mesh).map_or(0, |m| m.positions.len());
            if let Some(bad) = group.vertices.iter().find(|v| **v as usize >= count) {
                let message =
                    format!("`{name}` names vertex {bad} of `{}`, which has {count}", body.name);
                self.error(place, message);
                return false;
            }
            if body.is_collider() {
                let message = format!("`{name}` {what} points of `{}`, a collider", body.name);
                self.error(place, message).hint =
                    Some("a collider moves by its `translate` and `rotate`".into());
                return false;
            }
        }
        true
    }

    fn anchor(&mut self, constraint: &Constraint, anchor: &Anchor) -> bool {
        let body = self.scene.bodies.get(anchor.body);
        let count = body.map(|b| self.scene.meshes.get(b.mesh).map_or(0, |m| m.positions.len()));
        let is_there =
            count.is_some_and(|count| anchor.vertices.iter().all(|v| (*v as usize) < count));
        if !is_there {
            let message = format!("`{}` names a vertex that is not there", constraint.name);
            self.error(&constraint.place, message);
        }
        is_there
    }

    /// Places that are to ride on something.
    fn spots(&mut self, c: &Constraint, spots: &[Anchor]) {
        for spot in spots {
            if !self.anchor(c, spot) {
                return;
            }
            let body = &self.scene.bodies[spot.body];
            if body.is_collider() {
                let message =
                    format!("`{}` attaches a place of `{}`, a collider", c.name, body.name);
                self.error(&c.place, message).hint =
                    Some("a collider moves by its `translate` and `rotate`".into());
                return;
            }
        }
    }

    pub(super) fn constraint(&mut self, c: &Constraint) {
        let (place, name) = (&c.place, &c.name);
        for (what, time) in [("starts", c.starts), ("ends", c.ends)] {
            if time.is_some_and(|t| !t.is_finite()) {
                self.error(place, format!("`{what}` of `{name}` is not a finite number"));
            }
        }
        if let Some(MappedCurve::Uniform(stiffness)) = &c.stiffness {
            self.curve(place, &format!("`stiffness` of `{name}`"), stiffness);
        }
        let end = self.scene.timing.script_time(self.scene.timing.last_frame());
        if c.starts.is_some_and(|starts| starts > end) {
            let message = format!("`{name}` starts after the shot has ended, at {end} s");
            self.warning(place, message);
        }
        let count = match &c.kind {
            ConstraintKind::Pin { points, .. } | ConstraintKind::Freeze { points, .. } => {
                points.iter().map(|p| p.vertices.len()).sum()
            }
            ConstraintKind::Attach { points, spots, .. } => {
                points.iter().map(|p| p.vertices.len()).sum::<usize>() + spots.len()
            }
            ConstraintKind::Stitch { pairs, .. } => pairs.len(),
            ConstraintKind::Tether { .. } => 1,
            ConstraintKind::Joint(_) | ConstraintKind::Carry { .. } => 0,
        };
        if let Some(VertexMap::PerVertex(weights)) = &c.weight
            && weights.len() != count
        {
            let what =
                if matches!(c.kind, ConstraintKind::Stitch { .. }) { "pairs" } else { "points" };
            self.error(place, format!("`{name}` has {} weights for {count} {what}", weights.len()));
            return;
        }
        if let Some(stiffness) = &c.stiffness {
            let lists = stiffness.lists();
            let none = lists.is_empty() && !matches!(stiffness, MappedCurve::Uniform(_));
            if none || lists.iter().any(|list| list.len() != count) {
                let message =
                    format!("`stiffness` of `{name}` has not one value for each of {count}");
                self.error(place, message);
                return;
            }
            if lists.iter().any(|list| list.iter().any(|k| !k.is_finite() || *k < 0.0)) {
                self.error(place, format!("`stiffness` of `{name}` has numbers that are none"));
            }
        }
        match &c.kind {
            ConstraintKind::Pin { points, motion } => {
                if self.points(c, points, "pins") {
                    self.motion(c, motion);
                }
            }
            ConstraintKind::Attach { points, spots, to } => {
                if *to >= self.scene.bodies.len() {
                    self.error(place, format!("`{name}` names a body that is not there"));
                } else if !spots.is_empty() && points.is_empty()
                    || self.points(c, points, "attaches")
                {
                    self.spots(c, spots);
                    let mut bodies = points.iter().map(|p| p.body);
                    if bodies.any(|b| b == *to) || spots.iter().any(|spot| spot.body == *to) {
                        let message = format!("`{name}` attaches a body to itself");
                        self.error(place, message);
                    }
                }
            }
            ConstraintKind::Stitch { pairs, .. } => {
                if pairs.is_empty() {
                    self.error(place, format!("`{name}` has no pairs"));
                }
                for pair in pairs {
                    if !(self.anchor(c, &pair.a) && self.anchor(c, &pair.b)) {
                        return;
                    }
                }
            }
            ConstraintKind::Tether { from, to, .. } => {
                if !self.anchor(c, from) {
                    return;
                }
                let body = &self.scene.bodies[from.body];
                if body.is_collider() {
                    let message =
                        format!("`{name}` holds `{}`, a collider, to the world", body.name);
                    self.error(place, message).hint =
                        Some("a collider moves by its `translate` and `rotate`".into());
                } else if !to.is_finite() {
                    self.error(place, format!("`{name}` has numbers that are none"));
                }
            }
            ConstraintKind::Joint(joint) => self.joint(c, joint),
            ConstraintKind::Carry { body } => {
                if self.scene.bodies.get(*body).is_none_or(Body::is_collider) {
                    self.error(place, format!("`{name}` drives no body that moves by itself"));
                }
            }
            ConstraintKind::Freeze { points, inside } => {
                if !self.points(c, points, "freezes") {
                    return;
                }
                let bodies = points.iter().map(|p| &self.scene.bodies[p.body]);
                if let Some(rigid) = bodies.into_iter().find(|b| b.rigid().is_some()) {
                    let message =
                        format!("`{name}` freezes points of `{}`, a rigid body", rigid.name);
                    self.error(place, message).hint =
                        Some("a rigid body is stopped by `shot:pin` or `shot:joint`".into());
                } else if let Some(group) =
                    points.iter().find(|p| self.scene.cage_of(p.body).is_some())
                {
                    let body = &self.scene.bodies[group.body].name;
                    let message = format!(
                        "`{name}` freezes points of `{body}`, whose surface is carried by a cage"
                    );
                    self.error(place, message).hint =
                        Some("leave `surface` out, or hold it with `shot:pin`".into());
                } else if !(inside.0.is_finite() && inside.1.is_finite()) {
                    self.error(place, format!("the box of `{name}` is not finite"));
                }
            }
        }
    }

    fn joint(&mut self, c: &Constraint, joint: &Joint) {
        let (place, name) = (&c.place, &c.name);
        let bodies = &self.scene.bodies;
        let (Some(a), true) = (bodies.get(joint.a), joint.b.is_none_or(|b| b < bodies.len()))
        else {
            self.error(place, format!("`{name}` names a body that is not there"));
            return;
        };
        let unfit = match joint.b.map(|b| &bodies[b]) {
            _ if a.rigid().is_none() => Some(&a.name),
            Some(b) if !gives_frames(b) => Some(&b.name),
            _ => None,
        };
        if let Some(unfit) = unfit {
            let message = format!("`{name}` joins `{unfit}`, which is no rigid body");
            self.error(place, message).hint = Some(
                "joints join a rigid body `a` with another, a collider, or the world; cloth and \
                 soft bodies are held by `shot:pin`, `shot:attach` and `shot:stitch`"
                    .into(),
            );
        } else if joint.b == Some(joint.a) {
            self.error(place, format!("`{name}` joins a body with itself"));
        } else if !(joint.about.is_finite() && (joint.axis.length() - 1.0).abs() < 1e-6) {
            self.error(place, format!("`{name}` has numbers that are none"));
        } else if joint
            .limits
            .into_iter()
            .chain(joint.twist)
            .any(|(low, high)| !(low <= 0.0 && high >= 0.0))
        {
            self.error(place, format!("`{name}` starts outside its `limits`")).hint = Some(
                "limits are counted from how the two bodies stand at the start, which is 0".into(),
            );
        } else if let Some(Motor { goal, most }) = &joint.motor {
            let (Goal::Speed(curve) | Goal::Place(curve) | Goal::Spring { place: curve, .. }) =
                goal;
            self.curve(place, &format!("the motor of `{name}`"), curve);
            if most.is_some_and(|most| most.is_nan() || most < 0.0) {
                self.error(place, format!("the motor of `{name}` has numbers that are none"));
            }
        }
    }

    fn motion(&mut self, c: &Constraint, motion: &Motion) {
        self.curve(&c.place, &format!("`translate` of `{}`", c.name), &motion.translate);
        self.curve(&c.place, &format!("`rotate` of `{}`", c.name), &motion.rotate);
        self.curve(&c.place, &format!("`scale` of `{}`", c.name), &motion.scale);
        for step in &motion.moves {
            let is_fine = match step {
                Move::Translate { by, .. } => by.is_finite(),
                Move::Rotate { angle, axis, about, .. } => {
                    angle.is_finite()
                        && about.is_finite()
                        && axis.is_finite()
                        && axis.length_squared() > 0.0
                }
                Move::Scale { by, about, .. } => by.is_finite() && about.is_finite(),
                Move::Follow { path, .. } => path.len() > 1 && path.iter().all(|p| p.is_finite()),
            };
            if !is_fine {
                let message = format!("a move of `{}` has numbers that are none", c.name);
                self.error(&c.place, message);
            }
        }
    }

    /// Points that two pins hold at the same time: neither can have its way.
    pub(super) fn conflicts(&mut self) {
        let mut held: BTreeMap<(usize, u32), usize> = BTreeMap::new();
        for (i, c) in self.scene.constraints.iter().enumerate() {
            let ConstraintKind::Pin { points, .. } = &c.kind else { continue };
            if c.stiffness.is_some() || c.weight.is_some() {
                continue;
            }
            for group in points {
                for vertex in &group.vertices {
                    let Some(other) = held.insert((group.body, *vertex), i) else { continue };
                    let first = &self.scene.constraints[other];
                    if other == i || !overlap(first, c) {
                        continue;
                    }
                    let body = &self.scene.bodies[group.body].name;
                    let message = format!(
                        "`{}` and `{}` hold the same vertex {vertex} of `{body}` (counted from 0)",
                        first.name, c.name
                    );
                    let hint = format!(
                        "take it out of one of them; `{}` is made at {}",
                        first.name, first.place
                    );
                    self.warning(&c.place, message).hint = Some(hint);
                    return;
                }
            }
        }
    }
}

/// Whether places and directions can go along with a body: it keeps its shape, or its clip says how it deforms.
fn gives_frames(body: &Body) -> bool {
    body.keeps_shape() || body.is_collider()
}

/// Whether two constraints are active at some same time.
fn overlap(a: &Constraint, b: &Constraint) -> bool {
    let start = |c: &Constraint| c.starts.unwrap_or(f64::NEG_INFINITY);
    let end = |c: &Constraint| c.ends.unwrap_or(f64::INFINITY);
    start(a) < end(b) && start(b) < end(a)
}
