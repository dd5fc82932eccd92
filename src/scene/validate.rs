//! What a scene must be before it is simulated, whoever wrote it.

use super::{
    Anchor, Body, BodyKind, Constraint, ConstraintKind, ForceKind, LightKind, Motion, Move, Points,
    Scene, VertexMap,
};
use crate::diagnostics::{Diagnostic, Place};
use crate::math::{Curve, CurveValue};
use glam::DVec3;
use std::collections::BTreeMap;

impl Scene {
    /// What is wrong with the scene (errors) and what is doubtful (warnings); nothing where it can
    /// be simulated as it is.
    pub fn validate(&self) -> Vec<Diagnostic> {
        let mut check = Check { scene: self, found: Vec::new() };
        check.timing();
        check.meshes();
        check.names();
        for (i, body) in self.bodies.iter().enumerate() {
            check.body(i, body);
        }
        for constraint in &self.constraints {
            check.constraint(constraint);
        }
        check.conflicts();
        check.forces();
        check.pairs();
        check.views();
        check.found
    }
}

struct Check<'a> {
    scene: &'a Scene,
    found: Vec<Diagnostic>,
}

/// A value that may be checked for numbers that are none.
trait Finite: CurveValue {
    fn finite(self) -> bool;
}

impl Finite for f64 {
    fn finite(self) -> bool {
        self.is_finite()
    }
}

impl Finite for DVec3 {
    fn finite(self) -> bool {
        self.is_finite()
    }
}

impl Check<'_> {
    fn error(&mut self, place: &Place, message: String) -> &mut Diagnostic {
        let place = (!place.file.is_empty()).then(|| place.clone());
        self.found.push(Diagnostic::error(message).at(place));
        self.found.last_mut().expect("pushed above")
    }

    fn warning(&mut self, place: &Place, message: String) -> &mut Diagnostic {
        let place = (!place.file.is_empty()).then(|| place.clone());
        self.found.push(Diagnostic::warning(message).at(place));
        self.found.last_mut().expect("pushed above")
    }

    fn shot_place(&self) -> Place {
        Place::new(self.scene.source.script.clone(), 0)
    }

    fn curve<T: Finite>(&mut self, place: &Place, what: &str, curve: &Curve<T>) {
        let fault = match curve {
            Curve::Constant(value) => (!value.finite()).then_some("is not a finite number"),
            Curve::Keys { keys, .. } if keys.is_empty() => Some("has no keys"),
            Curve::Keys { keys, .. }
                if !keys.iter().all(|k| k.time.is_finite() && k.value.finite()) =>
            {
                Some("has a key that is not a finite number")
            }
            Curve::Keys { keys, .. } if keys.windows(2).any(|w| w[1].time <= w[0].time) => {
                Some("has keys whose times do not grow")
            }
            Curve::Samples { values, .. } if values.is_empty() => Some("has no samples"),
            Curve::Samples { rate, start, values }
                if !(rate.is_finite()
                    && *rate > 0.0
                    && start.is_finite()
                    && values.iter().all(|v| v.finite())) =>
            {
                Some("has a sample that is not a finite number")
            }
            _ => None,
        };
        if let Some(fault) = fault {
            self.error(place, format!("{what} {fault}"));
        }
    }

    fn timing(&mut self) {
        let place = self.shot_place();
        let timing = &self.scene.timing;
        if timing.fps.0 == 0 || timing.fps.1 == 0 {
            self.error(&place, "the shot has no frames a second".into());
        }
        if !(timing.preroll.is_finite() && timing.preroll >= 0.0) {
            self.error(&place, "`preroll` must be at least 0".into());
        }
        self.curve(&place, "`speed` of the shot", &timing.speed);
        self.curve(&place, "`gravity` of the shot", &self.scene.gravity);
        if !self.scene.bodies.iter().any(|b| matches!(b.kind, BodyKind::Cloth(_))) {
            let warning = self.warning(&place, "the shot has nothing that moves by itself".into());
            warning.hint = Some("make a cloth with `shot:cloth{ ... }`".into());
        }
    }

    fn meshes(&mut self) {
        for (i, mesh) in self.scene.meshes.iter().enumerate() {
            let Some(body) = self.scene.bodies.iter().find(|b| b.mesh == i) else { continue };
            let (place, name) = (body.place.clone(), body.name.clone());
            let is_cloth = matches!(body.kind, BodyKind::Cloth(_));
            if mesh.positions.is_empty() || mesh.triangles.is_empty() {
                self.error(&place, format!("the mesh of `{name}` has no triangles"));
                continue;
            }
            if let Err(fault) = mesh.check() {
                self.error(&place, format!("the mesh of `{name}`: {}", fault.message));
                continue;
            }
            self.shape(i, &place, &name, is_cloth);
        }
    }

    /// Triangles without area, vertices that nothing holds, edges with more than two triangles.
    fn shape(&mut self, i: usize, place: &Place, name: &str, is_cloth: bool) {
        let mesh = &self.scene.meshes[i];
        let (low, high) = mesh.bounds();
        let size = (high - low).max_element();
        let area = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|v| mesh.positions[v as usize]);
            0.5 * (b - a).cross(c - a).length()
        };
        // Far below what a triangle of this mesh could have, far above rounding.
        let least = size * size * 1e-14;
        let thin: Vec<usize> =
            (0..mesh.triangles.len()).filter(|t| area(&mesh.triangles[*t]) <= least).collect();
        if size == 0.0 || thin.len() == mesh.triangles.len() {
            self.error(place, format!("the mesh of `{name}` has no area"));
            return;
        }
        if let Some(first) = thin.first() {
            let [a, b, c] = mesh.triangles[*first];
            let message = format!(
                "the mesh of `{name}` has {} triangles without area; the first is number {first} \
                 (vertices {a}, {b}, {c}, counted from 0)",
                thin.len()
            );
            if is_cloth {
                let hint = "merge vertices that lie in one place before it is exported";
                self.error(place, message).hint = Some(hint.into());
            } else {
                self.warning(place, message);
            }
        }
        if !is_cloth {
            return;
        }
        let mut used = vec![false; mesh.positions.len()];
        mesh.triangles.iter().flatten().for_each(|v| used[*v as usize] = true);
        if let Some(loose) = used.iter().position(|u| !u) {
            let message = format!("vertex {loose} of `{name}` (counted from 0) is in no triangle");
            let hint = "such a vertex has no mass; delete loose vertices";
            self.error(place, message).hint = Some(hint.into());
        }
        let mut edges: Vec<[u32; 2]> = mesh
            .triangles
            .iter()
            .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]])
            .map(|[a, b]| [a.min(b), a.max(b)])
            .collect();
        edges.sort_unstable();
        if let Some(edge) = edges.windows(3).find(|w| w[0] == w[1] && w[1] == w[2]) {
            let [a, b] = edge[0];
            let message = format!(
                "the mesh of `{name}` has an edge with more than two triangles (vertices {a} and \
                 {b}, counted from 0)"
            );
            self.warning(place, message).hint = Some("bending ignores such an edge".into());
        }
    }

    fn names(&mut self) {
        let scene = self.scene;
        let lists: [(&str, Vec<(&str, &Place)>); 6] = [
            ("bodies", scene.bodies.iter().map(|b| (b.name.as_str(), &b.place)).collect()),
            (
                "constraints",
                scene.constraints.iter().map(|c| (c.name.as_str(), &c.place)).collect(),
            ),
            ("forces", scene.forces.iter().map(|f| (f.name.as_str(), &f.place)).collect()),
            ("cameras", scene.cameras.iter().map(|c| (c.name.as_str(), &c.place)).collect()),
            ("lights", scene.lights.iter().map(|l| (l.name.as_str(), &l.place)).collect()),
            ("measures", scene.measures.iter().map(|m| (m.name.as_str(), &m.place)).collect()),
        ];
        for (kind, list) in lists {
            let mut known: BTreeMap<&str, &Place> = BTreeMap::new();
            for (name, place) in list {
                if let Some(first) = known.get(name) {
                    let message = format!("two {kind} are called `{name}`");
                    let hint = format!("the other is made at {first}");
                    self.error(place, message).hint = Some(hint);
                } else {
                    known.insert(name, place);
                }
                if name.is_empty() || name.contains(['/', '\\', '\0']) || name.starts_with('.') {
                    self.error(place, format!("`{name}` cannot be a name: it becomes a file's"));
                }
            }
        }
    }

    fn map(&mut self, body: &Body, what: &str, map: Option<&VertexMap>, min: f64) {
        let count = self.scene.meshes[body.mesh].positions.len();
        let values: &[f64] = match map {
            None => return,
            Some(VertexMap::Uniform(value)) => std::slice::from_ref(value),
            Some(VertexMap::PerVertex(values)) => {
                if values.len() != count {
                    let message = format!(
                        "`{what}` of `{}` has {} values for {count} vertices",
                        body.name,
                        values.len()
                    );
                    self.error(&body.place, message);
                }
                values
            }
        };
        if let Some(bad) = values.iter().find(|v| !(v.is_finite() && **v >= min)) {
            let message = format!("`{what}` of `{}` must be at least {min}, not {bad}", body.name);
            self.error(&body.place, message);
        }
    }

    fn body(&mut self, i: usize, body: &Body) {
        if body.mesh >= self.scene.meshes.len() {
            let message = format!(
                "`{}` has the mesh {} of {}",
                body.name,
                body.mesh,
                self.scene.meshes.len()
            );
            self.error(&body.place, message);
            return;
        }
        debug_assert!(i < self.scene.bodies.len());
        self.curve(&body.place, &format!("`translate` of `{}`", body.name), &body.translate);
        self.curve(&body.place, &format!("`rotate` of `{}`", body.name), &body.rotate);
        if !(body.velocity.is_finite() && body.spin.is_finite()) {
            self.error(&body.place, format!("`{}` has a velocity that is no number", body.name));
        }
        self.map(body, "friction", body.friction.as_ref(), 0.0);
        self.map(body, "thickness", body.thickness.as_ref(), 0.0);
        if let BodyKind::Cloth(cloth) = &body.kind {
            let m = &cloth.material;
            for (what, map) in
                [("young", &m.young), ("young_weft", &m.young_weft), ("density", &m.density)]
            {
                self.map(body, what, Some(map), f64::MIN_POSITIVE);
            }
            for (what, map) in [
                ("poisson", &m.poisson),
                ("shear", &m.shear),
                ("bend", &m.bend),
                ("bend_weft", &m.bend_weft),
            ] {
                self.map(body, what, Some(map), 0.0);
            }
            if !(m.damping.is_finite() && m.damping >= 0.0) {
                self.error(&body.place, format!("`damping` of `{}` must be at least 0", body.name));
            }
            self.curve(&body.place, &format!("`shrink` of `{}`", body.name), &cloth.shrink);
            if body.is_moved() {
                let message =
                    format!("`{}` is a cloth whose `translate` or `rotate` changes", body.name);
                self.error(&body.place, message).hint =
                    Some("pin its points and move the pin".into());
            }
        }
        if body.exports || body.visible || body.collides {
            return;
        }
        let message = format!("`{}` is neither drawn nor exported nor touched", body.name);
        self.warning(&body.place, message);
    }

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
            if matches!(body.kind, BodyKind::Collider) {
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

    fn constraint(&mut self, c: &Constraint) {
        let (place, name) = (&c.place, &c.name);
        for (what, time) in [("starts", c.starts), ("ends", c.ends)] {
            if time.is_some_and(|t| !t.is_finite()) {
                self.error(place, format!("`{what}` of `{name}` is not a finite number"));
            }
        }
        if let Some(stiffness) = &c.stiffness {
            self.curve(place, &format!("`stiffness` of `{name}`"), stiffness);
        }
        let end = self.scene.timing.script_time(self.scene.timing.last_frame());
        if c.starts.is_some_and(|starts| starts > end) {
            let message = format!("`{name}` starts after the shot has ended, at {end} s");
            self.warning(place, message);
        }
        match &c.kind {
            ConstraintKind::Pin { points, motion } => {
                if self.points(c, points, "pins") {
                    self.motion(c, motion);
                    let count: usize = points.iter().map(|p| p.vertices.len()).sum();
                    if let Some(VertexMap::PerVertex(weights)) = &c.weight
                        && weights.len() != count
                    {
                        let message =
                            format!("`{name}` has {} weights for {count} points", weights.len());
                        self.error(place, message);
                    }
                }
            }
            ConstraintKind::Attach { points, to } => {
                if *to >= self.scene.bodies.len() {
                    self.error(place, format!("`{name}` names a body that is not there"));
                } else if self.points(c, points, "attaches") && points.iter().any(|p| p.body == *to)
                {
                    let message = format!("`{name}` attaches a body to itself");
                    self.error(place, message);
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
            ConstraintKind::Freeze { points, inside } => {
                if self.points(c, points, "freezes")
                    && !(inside.0.is_finite() && inside.1.is_finite())
                {
                    self.error(place, format!("the box of `{name}` is not finite"));
                }
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
    fn conflicts(&mut self) {
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

    fn forces(&mut self) {
        for force in &self.scene.forces {
            let (place, name) = (&force.place, &force.name);
            if force.bodies.iter().flatten().any(|b| *b >= self.scene.bodies.len()) {
                self.error(place, format!("`{name}` names a body that is not there"));
            }
            match &force.kind {
                ForceKind::Wind { velocity, turbulence, gust_size, drag, lift } => {
                    self.curve(place, &format!("`velocity` of `{name}`"), velocity);
                    if ![turbulence, drag, lift].iter().all(|n| n.is_finite() && **n >= 0.0)
                        || !(gust_size.is_finite() && *gust_size > 0.0)
                    {
                        self.error(place, format!("`{name}` has a number out of range"));
                    }
                }
                ForceKind::Uniform { vector, .. } => {
                    self.curve(place, &format!("`vector` of `{name}`"), vector);
                }
                ForceKind::Drag { linear } => {
                    if !(linear.is_finite() && *linear >= 0.0) {
                        self.error(place, format!("`linear` of `{name}` must be at least 0"));
                    }
                }
            }
        }
    }

    fn pairs(&mut self) {
        for pair in &self.scene.contact_pairs {
            if pair.a.iter().chain(&pair.b).any(|b| *b >= self.scene.bodies.len()) {
                self.error(&pair.place, "a contact names a body that is not there".into());
            }
            if pair.friction.is_some_and(|f| !(f.is_finite() && f >= 0.0)) {
                self.error(&pair.place, "`friction` of a contact must be at least 0".into());
            }
        }
        let place = self.shot_place();
        let solver = &self.scene.solver;
        let steps = [solver.step, Some(solver.min_step), solver.fixed_step];
        if steps.iter().flatten().any(|s| !(s.is_finite() && *s > 0.0)) {
            self.error(&place, "a step of the solver must be above 0".into());
        }
    }

    fn views(&mut self) {
        for camera in &self.scene.cameras {
            let (place, name) = (&camera.place, &camera.name);
            self.curve(place, &format!("`position` of `{name}`"), &camera.position);
            self.curve(place, &format!("`look_at` of `{name}`"), &camera.look_at);
            self.curve(place, &format!("`lens` of `{name}`"), &camera.lens);
        }
        for light in &self.scene.lights {
            self.curve(&light.place, &format!("`strength` of `{}`", light.name), &light.strength);
            if let LightKind::Sun { direction, .. } = &light.kind
                && !(direction.is_finite() && direction.length_squared() > 0.0)
            {
                let message = format!("`direction` of `{}` must not be zero", light.name);
                self.error(&light.place, message);
            }
        }
        let place = self.shot_place();
        let wanted = self.scene.output.images.iter().flat_map(|i| &i.cameras);
        for missing in wanted.filter(|w| !self.scene.cameras.iter().any(|c| c.name == **w)) {
            let names: Vec<&str> = self.scene.cameras.iter().map(|c| c.name.as_str()).collect();
            let near = crate::diagnostics::nearest(missing, names.iter().copied());
            let hint = near.map(|near| format!("did you mean `{near}`?"));
            let message = format!("`cameras` of images names `{missing}`, which is no camera");
            self.error(&place, message).hint = hint;
        }
    }
}

/// Whether two constraints are active at some same time.
fn overlap(a: &Constraint, b: &Constraint) -> bool {
    let start = |c: &Constraint| c.starts.unwrap_or(f64::NEG_INFINITY);
    let end = |c: &Constraint| c.ends.unwrap_or(f64::INFINITY);
    start(a) < end(b) && start(b) < end(a)
}
