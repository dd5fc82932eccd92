//! Numbers of the cloths of points, of which some lie in rows and columns.

use super::Check;
use crate::scene::{Body, Flex3d, Springs};

impl Check<'_> {
    pub(super) fn flex3d(&mut self, body: &Body, sheet: &Flex3d) {
        self.is_grid(body, "flex3d");
        let [rows, columns, diagonals] = sheet.curvature;
        self.at_least(
            body,
            &[
                ("kh", sheet.kh, 0.0),
                ("kv", sheet.kv, 0.0),
                ("kd", sheet.kd, 0.0),
                ("curvature", rows.min(columns).min(diagonals), 0.0),
                ("curvature", rows.max(columns).max(diagonals), 0.0),
                ("point_mass", sheet.point_mass, f64::MIN_POSITIVE),
                ("friction_fraction", sheet.friction_fraction, 0.0),
            ],
        );
        if sheet.friction_fraction > 1.0 {
            let message = format!("`friction_fraction` of `{}` is more than 1", body.name);
            self.error(&body.place, message);
        }
    }

    pub(super) fn springs(&mut self, body: &Body, springs: &Springs) {
        for (what, map) in springs.maps() {
            let weighs = matches!(what, "density" | "thickness");
            self.map(body, what, Some(map), if weighs { f64::MIN_POSITIVE } else { 0.0 });
        }
        let [corner, edge, inside] = springs.air_drag;
        self.at_least(
            body,
            &[("air_drag", corner, 0.0), ("air_drag", edge, 0.0), ("air_drag", inside, 0.0)],
        );
    }

    fn is_grid(&mut self, body: &Body, material: &str) {
        if self.scene.meshes[body.mesh].grid.is_none() {
            let message = format!("`{}` is of {material}, and its mesh is no grid", body.name);
            self.error(&body.place, message).hint = Some("take `retake.mesh.grid`".into());
        }
    }

    fn at_least(&mut self, body: &Body, numbers: &[(&str, f64, f64)]) {
        for (what, value, least) in numbers {
            if !(value.is_finite() && value >= least) {
                let message = format!("`{what}` of `{}` is out of range: {value}", body.name);
                self.error(&body.place, message);
            }
        }
    }
}
