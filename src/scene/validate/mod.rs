//! What a scene must be before it is simulated, whoever wrote it.

mod cloths;
mod constraints;
mod lattices;
mod meshes;
mod methods;

use super::{
    Body, BodyKind, Clip, ClothMaterial, Constraint, ConstraintKind, ForceKind, LightKind, Mass,
    Membrane, Scene, SoftMaterial, VertexMap,
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
        check.method();
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
        if self.scene.bodies.iter().all(Body::is_collider) {
            let warning = self.warning(&place, "the shot has nothing that moves by itself".into());
            warning.hint =
                Some("make a cloth with `shot:cloth{ ... }`, or `shot:soft`, `shot:rigid`".into());
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
        self.map_over(body.mesh, body, what, map, min);
    }

    /// Checks a map over the vertices of the mesh `mesh`.
    fn map_over(
        &mut self,
        mesh: usize,
        body: &Body,
        what: &str,
        map: Option<&VertexMap>,
        min: f64,
    ) {
        let count = self.scene.meshes[mesh].positions.len();
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
        let curves = !(body.translate.is_constant() && body.rotate.is_constant());
        if body.is_collider() && body.goes_on() && curves {
            let message = format!("`{}` has curves and a velocity or a spin as well", body.name);
            self.error(&body.place, message);
        }
        if !(body.velocity.is_finite() && body.spin.is_finite()) {
            self.error(&body.place, format!("`{}` has a velocity that is no number", body.name));
        }
        self.map(body, "friction", body.friction.as_ref(), 0.0);
        self.map(body, "thickness", body.thickness.as_ref(), 0.0);
        if let BodyKind::Cloth(cloth) = &body.kind {
            match &cloth.material {
                ClothMaterial::Membrane(m) => self.membrane(body, m),
                ClothMaterial::Flex3d(sheet) => self.flex3d(body, sheet),
                ClothMaterial::Springs(springs) => self.springs(body, springs),
            }
            self.cloth(body, cloth);
        }
        self.solid(body);
        if let (Some(clip), true) = (&body.clip, body.mesh < self.scene.meshes.len()) {
            self.clip(&body.place, &body.name, clip, self.scene.mesh_of(i).positions.len());
            if !body.is_collider() {
                let message = format!("`{}` moves by itself, and a clip moves it", body.name);
                self.error(&body.place, message).hint = Some("make it a collider".into());
            }
        }
        let is_driven =
            |c: &Constraint| matches!(c.kind, ConstraintKind::Carry { body } if body == i);
        if body.is_moved() && !body.is_collider() && !self.scene.constraints.iter().any(is_driven) {
            let message =
                format!("`{}` moves by itself, and its `translate` or `rotate` changes", body.name);
            self.error(&body.place, message).hint =
                Some("make it a collider, or give it a `driven_until`".into());
        }
        if body.exports || body.visible || body.collides {
            return;
        }
        let message = format!("`{}` is neither drawn nor exported nor touched", body.name);
        self.warning(&body.place, message);
    }

    /// A clip that moves so many vertices.
    fn clip(&mut self, place: &Place, name: &str, clip: &Clip, vertices: usize) {
        let numbers = [clip.start, clip.speed, clip.from_rest];
        let sound = numbers.iter().all(|x| x.is_finite()) && clip.speed > 0.0;
        let whole = if sound { clip.rig.check(vertices) } else { Err("its times are none".into()) };
        if let Err(why) = whole {
            self.error(place, format!("the clip of `{name}` cannot be used: {why}"));
        }
    }

    /// Numbers of soft and rigid bodies and ropes.
    fn solid(&mut self, body: &Body) {
        let mut number = |what: &str, value: f64, least: f64, most: f64| {
            if !(value >= least && value <= most) {
                let message = format!("`{what}` of `{}` is out of range: {value}", body.name);
                self.error(&body.place, message);
            }
        };
        let tiny = f64::MIN_POSITIVE;
        match &body.kind {
            BodyKind::Rigid(rigid) => {
                match rigid.mass {
                    Mass::Density(density) => number("density", density, tiny, f64::MAX),
                    Mass::Total(mass) => number("mass", mass, tiny, f64::MAX),
                }
                number("restitution", rigid.restitution, 0.0, 1.0);
            }
            BodyKind::Soft(soft) => {
                match &soft.material {
                    SoftMaterial::Elastic(elastic) => {
                        number("poisson", elastic.poisson, 0.0, 0.49);
                        number("damping", elastic.damping, 0.0, f64::MAX);
                    }
                    SoftMaterial::ShapeMatching(matching) => {
                        number("stiffness", matching.stiffness, 0.0, 1.0);
                        number("give", matching.give, 0.0, 0.99);
                    }
                }
                if let Some(plastic) = soft.material.plastic() {
                    number("yield", plastic.yield_strain, 0.0, f64::MAX);
                    number("creep", plastic.creep, 0.0, f64::MAX);
                    number("max", plastic.max, 0.0, 2.0);
                }
                let mesh = soft.cage.unwrap_or(body.mesh);
                if let SoftMaterial::Elastic(elastic) = &soft.material {
                    self.map_over(mesh, body, "young", Some(&elastic.young), tiny);
                }
                self.map_over(mesh, body, "density", Some(soft.material.density()), tiny);
                if let Some(pressure) = &soft.pressure {
                    self.pressure(body, pressure);
                }
            }
            BodyKind::Rope(rope) => {
                number("radius", rope.radius, tiny, f64::MAX);
                number("density", rope.density, tiny, f64::MAX);
                number("stretch", rope.stretch, tiny, f64::MAX);
                number("bend", rope.bend, 0.0, f64::MAX);
                number("twist", rope.twist, 0.0, f64::MAX);
            }
            BodyKind::Cloth(_) | BodyKind::Collider => {}
        }
    }

    fn membrane(&mut self, body: &Body, m: &Membrane) {
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
            ("bend_bias", &m.bend_bias),
            ("damping", &m.damping),
        ] {
            self.map(body, what, Some(map), 0.0);
        }
        for (what, map) in [("strain_limit", &m.strain_limit), ("crease", &m.crease)] {
            self.map(body, what, map.as_ref(), f64::MIN_POSITIVE);
        }
    }

    fn forces(&mut self) {
        for force in &self.scene.forces {
            let (place, name) = (&force.place, &force.name);
            if force.bodies.iter().flatten().any(|b| *b >= self.scene.bodies.len()) {
                self.error(place, format!("`{name}` names a body that is not there"));
            }
            match &force.kind {
                ForceKind::Wind { velocity, turbulence, gust_size, drag, lift, viscosity } => {
                    self.curve(place, &format!("`velocity` of `{name}`"), velocity);
                    let parts = [turbulence, drag, lift, viscosity.as_ref().unwrap_or(&0.0)];
                    let is_fine = parts.iter().all(|n| n.is_finite() && **n >= 0.0)
                        && gust_size.is_finite()
                        && *gust_size > 0.0;
                    if !is_fine {
                        self.error(place, format!("`{name}` has a number out of range"));
                    }
                }
                ForceKind::Uniform { vector, .. } => {
                    self.curve(place, &format!("`vector` of `{name}`"), vector);
                }
                ForceKind::Field { field, .. } => {
                    if !field.is_sound() {
                        self.error(place, format!("the field of `{name}` is no expression"));
                    }
                }
                ForceKind::Vortex { axis, center, strength, falloff } => {
                    self.field(place, name, center, strength, *falloff);
                    if !(axis.is_finite() && axis.length_squared() > 0.0) {
                        self.error(place, format!("`axis` of `{name}` must not be zero"));
                    }
                }
                ForceKind::Attractor { center, strength, falloff } => {
                    self.field(place, name, center, strength, *falloff);
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
            if let Some(clip) = &camera.clip {
                self.clip(place, name, clip, 0);
            }
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
        let files = self.scene.output.of_whole_frames();
        if self.scene.output.subframes > 1 && !files.is_empty() {
            let message = format!("`subframes`: {} hold whole frames only", files.join(" and "));
            self.warning(&place, message).hint =
                Some("glTF with animation, point caches, USD and Alembic hold all samples".into());
        }
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
