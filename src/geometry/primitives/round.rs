//! Cylinder, cone and capsule: profiles that a lathe turns.

use super::lathe::{SEGMENTS, refined, turned};
use super::{count, length};
use crate::diagnostics::Diagnostic;
use crate::geometry::TriMesh;
use glam::{DVec2, DVec3};
use std::f64::consts::PI;

/// An upright cylinder.
#[derive(Clone, Debug)]
pub struct Cylinder {
    /// Radius [m].
    pub radius: f64,
    /// Height [m].
    pub height: f64,
    /// Columns around; left out (with `spacing`): 32.
    pub segments: Option<u32>,
    /// Rows of the mantle; left out (with `spacing`): 1.
    pub rings: Option<u32>,
    /// Longest edge [m], in place of the counts.
    pub spacing: Option<f64>,
    /// Whether both ends are closed.
    pub caps: bool,
    /// Middle [m].
    pub center: DVec3,
}

impl Default for Cylinder {
    fn default() -> Self {
        Self {
            radius: 0.5,
            height: 1.0,
            segments: None,
            rings: None,
            spacing: None,
            caps: true,
            center: DVec3::ZERO,
        }
    }
}

impl Cylinder {
    /// The mesh: a [`Cone`] that does not taper.
    pub fn build(&self) -> Result<TriMesh, Diagnostic> {
        Cone {
            radius: self.radius,
            top_radius: self.radius,
            height: self.height,
            segments: self.segments,
            rings: self.rings,
            spacing: self.spacing,
            caps: self.caps,
            center: self.center,
        }
        .build()
    }
}

/// An upright cone, cut off where `top_radius` is not 0.
#[derive(Clone, Debug)]
pub struct Cone {
    /// Radius of the bottom [m]; may be 0 where the top's is not.
    pub radius: f64,
    /// Radius of the top [m].
    pub top_radius: f64,
    /// Height [m].
    pub height: f64,
    /// Columns around; left out (with `spacing`): 32.
    pub segments: Option<u32>,
    /// Rows of the mantle; left out (with `spacing`): 1.
    pub rings: Option<u32>,
    /// Longest edge [m], in place of the counts.
    pub spacing: Option<f64>,
    /// Whether the ends are closed.
    pub caps: bool,
    /// Middle of its height [m].
    pub center: DVec3,
}

impl Default for Cone {
    fn default() -> Self {
        let Cylinder { radius, height, segments, rings, spacing, caps, center } =
            Cylinder::default();
        Self { radius, top_radius: 0.0, height, segments, rings, spacing, caps, center }
    }
}

impl Cone {
    /// The mesh.
    pub fn build(&self) -> Result<TriMesh, Diagnostic> {
        let height = length("height", self.height)?;
        for (key, radius) in [("radius", self.radius), ("top_radius", self.top_radius)] {
            if !radius.is_finite() || radius < 0.0 {
                return Err(Diagnostic::error(format!(
                    "`{key}` must not be negative, it is {radius}"
                )));
            }
        }
        let widest = length("radius", self.radius.max(self.top_radius))?;
        let segments =
            count("segments", self.segments, self.spacing, 2.0 * PI * widest, 3, SEGMENTS)?;
        let low = DVec2::new(self.radius, -0.5 * height);
        let high = DVec2::new(self.top_radius, 0.5 * height);
        let rings = count("rings", self.rings, self.spacing, low.distance(high), 1, 1)?;
        let mantle: Vec<DVec2> =
            (0..=rings).map(|i| low.lerp(high, f64::from(i) / f64::from(rings))).collect();
        let mut profile = Vec::new();
        if self.caps && low.x > 0.0 {
            profile.extend(
                cap(DVec2::new(0.0, low.y), low, self.spacing)?.iter().copied().rev().skip(1).rev(),
            );
        }
        profile.extend(mantle);
        if self.caps && high.x > 0.0 {
            profile.extend(cap(high, DVec2::new(0.0, high.y), self.spacing)?.into_iter().skip(1));
        }
        let mut mesh = turned(&profile, segments)?;
        for p in &mut mesh.positions {
            *p += self.center;
        }
        Ok(mesh)
    }
}

/// The profile of an end: one fan, or rings where a spacing is asked for.
fn cap(from: DVec2, to: DVec2, spacing: Option<f64>) -> Result<Vec<DVec2>, Diagnostic> {
    match spacing {
        Some(spacing) => refined(&[from, to], spacing),
        None => Ok(vec![from, to]),
    }
}

/// An upright cylinder with round ends.
#[derive(Clone, Debug)]
pub struct Capsule {
    /// Radius [m].
    pub radius: f64,
    /// Height over all, round ends included [m]; at least twice the radius.
    pub height: f64,
    /// Columns around; left out (with `spacing`): 32.
    pub segments: Option<u32>,
    /// Longest edge [m], in place of `segments`.
    pub spacing: Option<f64>,
    /// Middle [m].
    pub center: DVec3,
}

impl Default for Capsule {
    fn default() -> Self {
        Self { radius: 0.25, height: 1.0, segments: None, spacing: None, center: DVec3::ZERO }
    }
}

impl Capsule {
    /// The mesh.
    pub fn build(&self) -> Result<TriMesh, Diagnostic> {
        let radius = length("radius", self.radius)?;
        let height = length("height", self.height)?;
        if height < 2.0 * radius {
            return Err(Diagnostic::error(format!(
                "`height` = {height} must be at least twice the radius of {radius}: it counts the round ends"
            )));
        }
        let segments =
            count("segments", self.segments, self.spacing, 2.0 * PI * radius, 3, SEGMENTS)?;
        // As many rows from the equator to the pole as a quarter circle has columns.
        let rows = segments.div_ceil(4).max(2);
        let middle = 0.5 * height - radius;
        let arc = |i: u32| {
            let (sin, cos) = libm::sincos(0.5 * PI * f64::from(i) / f64::from(rows));
            if i == rows { DVec2::new(0.0, radius) } else { DVec2::new(radius * cos, radius * sin) }
        };
        let mut profile: Vec<DVec2> =
            (0..=rows).rev().map(|i| DVec2::new(arc(i).x, -middle - arc(i).y)).collect();
        if middle > 0.0 {
            let mantle = [DVec2::new(radius, -middle), DVec2::new(radius, middle)];
            let edge = 2.0 * PI * radius / f64::from(segments);
            profile.extend(refined(&mantle, self.spacing.unwrap_or(edge))?.into_iter().skip(1));
        }
        profile.extend((1..=rows).map(|i| DVec2::new(arc(i).x, middle + arc(i).y)));
        let mut mesh = turned(&profile, segments)?;
        for p in &mut mesh.positions {
            *p += self.center;
        }
        Ok(mesh)
    }
}
