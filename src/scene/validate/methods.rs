//! Which method takes which bodies and constraints, and which settings.

use super::Check;
use crate::scene::{Body, BodyKind, ConstraintKind, Guard, Matter, Method, SoftMaterial};

/// A factor of over-relaxation below which a sweep hardly moves the first guess.
const IDLE_RELAXATION: f64 = 0.1;

/// Poisson ratio of a network of springs in all directions.
const NETWORK_POISSON: f64 = 0.25;

impl Check<'_> {
    pub(super) fn method(&mut self) {
        let scene = self.scene;
        let traits = scene.solver.method.traits();
        for body in &scene.bodies {
            let Some(matter) = Matter::of(body) else { continue };
            if traits.moves.contains(&matter) {
                continue;
            }
            let message = format!(
                "the method \"{}\" does not move `{}`, {}",
                traits.name,
                body.name,
                matter.one()
            );
            let right: Vec<String> =
                Method::that_move(matter).map(|name| format!("\"{name}\"")).collect();
            let moved: Vec<&str> = traits.moves.iter().map(|m| m.all()).collect();
            self.error(&body.place, message).hint = Some(format!(
                "write method = {} in `shot:solver`; \"{}\" moves {}",
                right.join(" or "),
                traits.name,
                moved.join(" and ")
            ));
        }
        self.method_keys();
        if scene.solver.method != Method::Auto {
            self.literature();
        }
    }

    /// What no method of the literature knows of a body.
    fn beyond(&mut self, body: &Body) {
        let name = self.scene.solver.method.name();
        let (pressure, plastic) = match &body.kind {
            BodyKind::Cloth(cloth) => (cloth.pressure.is_some(), false),
            BodyKind::Soft(soft) => (soft.pressure.is_some(), soft.material.plastic().is_some()),
            _ => (false, false),
        };
        let twist = matches!(&body.kind, BodyKind::Rope(rope) if rope.twist > 0.0);
        // What stays of a deformation is a matter of the goals there.
        let plastic = plastic && self.scene.solver.method != Method::ShapeMatching;
        for (what, has) in [("pressure", pressure), ("plastic", plastic), ("twist", twist)] {
            if has {
                let message =
                    format!("the method \"{name}\" knows no `{what}`, which `{}` has", body.name);
                self.error(&body.place, message).hint = Some("\"auto\" does".into());
            }
        }
        if let BodyKind::Soft(soft) = &body.kind
            && let SoftMaterial::Elastic(elastic) = &soft.material
            && (elastic.poisson - NETWORK_POISSON).abs() > 0.01
        {
            let message = format!(
                "the method \"{name}\" holds `{}` by the edges of its cells, which is {NETWORK_POISSON} of \
                 `poisson` and not {}",
                body.name, elastic.poisson
            );
            self.warning(&body.place, message).hint =
                Some(format!("write poisson = {NETWORK_POISSON} in its material"));
        }
    }

    /// Settings that the method has no use for, or that are out of range.
    fn method_keys(&mut self) {
        let solver = &self.scene.solver;
        let (place, traits) = (self.shot_place(), solver.method.traits());
        for (key, given) in [
            ("iterations", solver.iterations.is_some()),
            ("relaxation", solver.relaxation.is_some()),
            ("solver_tolerance", solver.solver_tolerance.is_some()),
            ("force_change", solver.force_change.is_some()),
            ("shock", solver.shock.is_some()),
        ] {
            if given && !traits.keys.contains(&key) {
                let with: Vec<String> = crate::scene::METHODS
                    .iter()
                    .filter(|t| t.keys.contains(&key))
                    .map(|t| format!("\"{}\"", t.name))
                    .collect();
                let message = format!("the method \"{}\" has no `{key}`", traits.name);
                self.error(&place, message).hint =
                    Some(format!("it belongs to {}", with.join(" and ")));
            }
        }
        let above_zero = |value: Option<f64>| value.is_none_or(|v| v.is_finite() && v > 0.0);
        let good = solver.iterations != Some(0)
            && solver.relaxation.is_none_or(|w| w > 0.0 && w < 2.0)
            && above_zero(solver.solver_tolerance)
            && solver.force_change.is_none_or(|eta| eta >= 0.0);
        if !good {
            let message = "a setting of the solver's method is out of range".to_owned();
            self.error(&place, message).hint = Some(
                "`iterations` is at least 1, `relaxation` between 0 and 2, `solver_tolerance` above 0, \
                 `force_change` at least 0"
                    .into(),
            );
        }
        if let Some(w) = solver.relaxation.filter(|w| (0.0..IDLE_RELAXATION).contains(w)) {
            let message = format!("`relaxation` = {w} hardly moves the first guess in a sweep");
            self.warning(&place, message).hint =
                Some("1 is Gauss-Seidel, 1 to 1.7 is usual".into());
        }
    }

    fn literature(&mut self) {
        let scene = self.scene;
        let (place, name) = (self.shot_place(), scene.solver.method.name());
        let keeps_apart = scene.solver.method == Method::ShapeMatching;
        if scene.solver.guard == Guard::Enforce && !keeps_apart {
            let message = format!("the method \"{name}\" cannot keep surfaces from crossing");
            self.error(&place, message).hint =
                Some("write guard = \"report\" or \"off\" in `shot:solver`".into());
        }
        let relaxes = scene.solver.method == Method::Relaxation;
        let impulses = scene.solver.method == Method::Impulses;
        for constraint in scene.constraints.iter().filter(|_| !relaxes) {
            let (what, with) = match &constraint.kind {
                _ if impulses => {
                    let message =
                        format!("the method \"{name}\" has no constraints: `{}`", constraint.name);
                    self.error(&constraint.place, message).hint = Some("\"auto\" has them".into());
                    continue;
                }
                ConstraintKind::Stitch { .. } => ("stitches", ""),
                ConstraintKind::Tether { .. } => ("distances and springs", ""),
                ConstraintKind::Attach { to, .. } if !scene.bodies[*to].is_collider() => {
                    ("attachments to what moves by itself", " to colliders")
                }
                _ => continue,
            };
            let message = format!("the method \"{name}\" has no {what}: `{}`", constraint.name);
            self.error(&constraint.place, message).hint = Some(format!(
                "\"auto\" and \"relaxation\" have them; pins, attachments{with} and freezes work with all"
            ));
        }
        for body in &scene.bodies {
            self.beyond(body);
            if impulses && body.rigid().is_some_and(|rigid| rigid.hull.is_empty()) {
                let mesh = &scene.meshes[body.mesh];
                if mesh.convex_pieces().is_none() {
                    let message = format!(
                        "the method \"{name}\" moves convex bodies, and `{}` is none",
                        body.name
                    );
                    self.error(&body.place, message).hint = Some(
                        "write collision = \"hull\", give it convex `parts`, or take \"auto\""
                            .into(),
                    );
                }
            }
        }
        let step = scene.solver.fixed_step.or(scene.solver.step);
        if let Some(step) = step.filter(|_| scene.solver.method != Method::Rk45) {
            // Each sample is a state of its own: the steps between two are even ones.
            let subframes = f64::from(scene.output.subframes);
            let steps = scene.timing.frame_dt() / subframes / step;
            let whole = steps.round().max(1.0);
            if (steps - whole).abs() > 1e-6 * whole {
                let span = if subframes > 1.0 { "the time between two samples" } else { "a frame" };
                let message = format!(
                    "{steps:.3} steps of {step} s fit into {span}: {} even ones are made of it",
                    steps.ceil()
                );
                self.warning(&place, message);
            }
        }
    }
}
