//! A ring.

use super::lathe::{SEGMENTS, turned};
use super::{count, length};
use crate::diagnostics::Diagnostic;
use crate::geometry::TriMesh;
use glam::{DVec2, DVec3};
use std::f64::consts::PI;

/// A ring that lies level.
#[derive(Clone, Debug)]
pub struct Torus {
    /// Radius of the tube's middle line [m].
    pub radius: f64,
    /// Radius of the tube [m]; less than `radius`.
    pub tube: f64,
    /// Columns around the axis; left out (with `spacing`): 32.
    pub segments: Option<u32>,
    /// Rows around the tube; left out (with `spacing`): 16.
    pub rings: Option<u32>,
    /// Longest edge [m], in place of the counts.
    pub spacing: Option<f64>,
    /// Middle [m].
    pub center: DVec3,
}

impl Default for Torus {
    fn default() -> Self {
        Self {
            radius: 0.5,
            tube: 0.1,
            segments: None,
            rings: None,
            spacing: None,
            center: DVec3::ZERO,
        }
    }
}

impl Torus {
    /// The mesh.
    pub fn build(&self) -> Result<TriMesh, Diagnostic> {
        let radius = length("radius", self.radius)?;
        let tube = length("tube", self.tube)?;
        if tube >= radius {
            return Err(Diagnostic::error(format!(
                "`tube` = {tube} must be less than `radius` = {radius}, or the ring crosses itself"
            )));
        }
        let outer = 2.0 * PI * (radius + tube);
        let segments = count("segments", self.segments, self.spacing, outer, 3, SEGMENTS)?;
        let rings = count("rings", self.rings, self.spacing, 2.0 * PI * tube, 3, SEGMENTS / 2)?;
        let mut profile: Vec<DVec2> = (0..rings)
            .map(|i| {
                let (sin, cos) = libm::sincos(2.0 * PI * f64::from(i) / f64::from(rings));
                DVec2::new(radius + tube * cos, tube * sin)
            })
            .collect();
        profile.push(profile[0]);
        let mut mesh = turned(&profile, segments)?;
        for p in &mut mesh.positions {
            *p += self.center;
        }
        Ok(mesh)
    }
}
