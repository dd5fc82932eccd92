//! Which method takes which bodies and constraints.

use super::Check;
use crate::scene::{Body, BodyKind, ClothMaterial, ConstraintKind, Flex3d, Guard, Method};

impl Check<'_> {
    pub(super) fn method(&mut self) {
        let scene = self.scene;
        for body in &scene.bodies {
            let BodyKind::Cloth(cloth) = &body.kind else {
                if scene.solver.method == Method::ExplicitEuler && !body.is_collider() {
                    let message = format!(
                        "the method \"explicit_euler\" does not move `{}`, a solid",
                        body.name
                    );
                    self.error(&body.place, message).hint =
                        Some("solids are moved by \"auto\"".into());
                }
                continue;
            };
            match (scene.solver.method, &cloth.material) {
                (Method::Auto, ClothMaterial::Membrane(_))
                | (Method::ExplicitEuler, ClothMaterial::Flex3d(_)) => {}
                (Method::Auto, ClothMaterial::Flex3d(_)) => {
                    let message =
                        format!("the method \"auto\" does not move `{}`, of flex3d", body.name);
                    self.error(&body.place, message).hint = Some(
                        "flex3d is moved by method = \"explicit_euler\"; \"auto\" moves fabrics and membranes"
                            .into(),
                    );
                }
                (Method::ExplicitEuler, ClothMaterial::Membrane(_)) => {
                    let message = format!(
                        "the method \"explicit_euler\" does not move `{}`, a membrane",
                        body.name
                    );
                    self.error(&body.place, message).hint = Some(
                        "membranes are moved by \"auto\"; \"explicit_euler\" moves material.flex3d"
                            .into(),
                    );
                }
            }
        }
        if scene.solver.method == Method::ExplicitEuler {
            self.explicit_euler();
        }
    }

    fn explicit_euler(&mut self) {
        let scene = self.scene;
        let place = self.shot_place();
        if scene.solver.guard == Guard::Enforce {
            let message = "the method \"explicit_euler\" cannot keep surfaces from crossing";
            self.error(&place, message.into()).hint =
                Some("write guard = \"report\" or \"off\" in `shot:solver`".into());
        }
        for constraint in &scene.constraints {
            if let ConstraintKind::Stitch { .. } = constraint.kind {
                let message =
                    format!("the method \"explicit_euler\" has no stitches: `{}`", constraint.name);
                self.error(&constraint.place, message).hint =
                    Some("\"auto\" has them; pins, attachments and freezes work with both".into());
            }
        }
        if let Some(step) = scene.solver.fixed_step.or(scene.solver.step) {
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

    pub(super) fn flex3d(&mut self, body: &Body, sheet: &Flex3d) {
        if self.scene.meshes[body.mesh].grid.is_none() {
            let message = format!("`{}` is of flex3d, and its mesh is no grid", body.name);
            self.error(&body.place, message).hint = Some("take `retake.mesh.grid`".into());
        }
        let [rows, columns, diagonals] = sheet.curvature;
        let constants = [
            ("kh", sheet.kh, 0.0),
            ("kv", sheet.kv, 0.0),
            ("kd", sheet.kd, 0.0),
            ("curvature", rows.min(columns).min(diagonals), 0.0),
            ("curvature", rows.max(columns).max(diagonals), 0.0),
            ("point_mass", sheet.point_mass, f64::MIN_POSITIVE),
            ("friction_fraction", sheet.friction_fraction, 0.0),
        ];
        for (what, value, least) in constants {
            if !(value.is_finite() && value >= least) {
                let message = format!("`{what}` of `{}` is out of range: {value}", body.name);
                self.error(&body.place, message);
            }
        }
        if sheet.friction_fraction > 1.0 {
            let message = format!("`friction_fraction` of `{}` is more than 1", body.name);
            self.error(&body.place, message);
        }
    }
}
