//! Which method takes which bodies and constraints, and which settings.

use super::Check;
use crate::scene::{ConstraintKind, Guard, Matter, Method};

/// A factor of over-relaxation below which a sweep hardly moves the first guess.
const IDLE_RELAXATION: f64 = 0.1;

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

    /// Settings that the method has no use for, or that are out of range.
    fn method_keys(&mut self) {
        let solver = &self.scene.solver;
        let (place, traits) = (self.shot_place(), solver.method.traits());
        for (key, given) in [
            ("iterations", solver.iterations.is_some()),
            ("relaxation", solver.relaxation.is_some()),
            ("solver_tolerance", solver.solver_tolerance.is_some()),
            ("force_change", solver.force_change.is_some()),
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
        if scene.solver.guard == Guard::Enforce {
            let message = format!("the method \"{name}\" cannot keep surfaces from crossing");
            self.error(&place, message).hint =
                Some("write guard = \"report\" or \"off\" in `shot:solver`".into());
        }
        for constraint in &scene.constraints {
            if let ConstraintKind::Stitch { .. } = constraint.kind {
                let message =
                    format!("the method \"{name}\" has no stitches: `{}`", constraint.name);
                self.error(&constraint.place, message).hint =
                    Some("\"auto\" has them; pins, attachments and freezes work with both".into());
            }
        }
        let step = scene.solver.fixed_step.or(scene.solver.step);
        if let Some(step) = step.filter(|_| scene.solver.method != Method::Rk45) {
            let steps = scene.timing.frame_dt() / step;
            let whole = steps.round().max(1.0);
            if (steps - whole).abs() > 1e-6 * whole {
                let message = format!(
                    "{steps:.3} steps of {step} s fit into a frame: {} even ones are made of it",
                    steps.ceil()
                );
                self.warning(&place, message);
            }
        }
    }
}
