//! A profile turned about the Y axis.

use super::{cell, check_vertices, close_seam, count, length};
use crate::diagnostics::Diagnostic;
use crate::geometry::TriMesh;
use glam::{DVec2, DVec3};
use std::f64::consts::PI;

/// Segments of round shapes that name none.
pub(super) const SEGMENTS: u32 = 32;

/// A profile turned about the Y axis. The outside lies to the right of the profile's direction
/// (radius to the right, height up): a wall runs upwards, a bowl from its foot's middle outwards,
/// up, over the rim and down to the middle inside. A closed shape that was drawn the other way
/// round is turned inside out. A profile that ends where it begins is a ring.
#[derive(Clone, Debug)]
pub struct Lathe {
    /// Radius and height of the profile's points [m]; a radius of 0 is a pole.
    pub profile: Vec<[f64; 2]>,
    /// Columns around; left out (with `spacing`): 32.
    pub segments: Option<u32>,
    /// Longest edge [m] around and along the profile.
    pub spacing: Option<f64>,
    /// Where the origin of the profile stands [m].
    pub center: DVec3,
}

impl Lathe {
    /// The mesh.
    pub fn build(&self) -> Result<TriMesh, Diagnostic> {
        let mut profile = Vec::with_capacity(self.profile.len());
        for &[radius, height] in &self.profile {
            let p = DVec2::new(radius, height);
            if !p.is_finite() || radius < 0.0 {
                return Err(Diagnostic::error(format!(
                    "`profile` has the point {{{radius}, {height}}}: a radius must not be negative"
                )));
            }
            if profile.last() != Some(&p) {
                profile.push(p);
            }
        }
        let widest = profile.iter().map(|p| p.x).fold(0.0, f64::max);
        if profile.len() < 2 || widest == 0.0 {
            return Err(Diagnostic::error(
                "`profile` needs two different points, one off the axis",
            ));
        }
        let inner = &profile[1..profile.len() - 1];
        if inner.iter().any(|p| p.x == 0.0) {
            return Err(Diagnostic::error("`profile` may touch the axis only with its ends"));
        }
        let segments =
            count("segments", self.segments, self.spacing, 2.0 * PI * widest, 3, SEGMENTS)?;
        if let Some(spacing) = self.spacing {
            profile = refined(&profile, length("spacing", spacing)?)?;
        }
        let mut mesh = turned(&profile, segments)?;
        for p in &mut mesh.positions {
            *p += self.center;
        }
        Ok(mesh)
    }
}

/// The profile with points no farther apart than `spacing`.
pub(super) fn refined(profile: &[DVec2], spacing: f64) -> Result<Vec<DVec2>, Diagnostic> {
    let mut points = vec![profile[0]];
    for w in profile.windows(2) {
        let n = count("spacing", None, Some(spacing), w[0].distance(w[1]), 1, 1)?;
        check_vertices(points.len() as u64 + u64::from(n))?;
        points.extend((1..n).map(|i| w[0].lerp(w[1], f64::from(i) / f64::from(n))));
        points.push(w[1]);
    }
    Ok(points)
}

/// The surface of a profile of at least two points, poles only at its ends.
pub(super) fn turned(profile: &[DVec2], segments: u32) -> Result<TriMesh, Diagnostic> {
    check_vertices(profile.len() as u64 * u64::from(segments))?;
    let last = profile.len() - 1;
    let ring = profile[0] == profile[last] && profile[0].x > 0.0;
    let total: f64 = profile.windows(2).map(|w| w[0].distance(w[1])).sum();
    let mut mesh = TriMesh::default();
    // First vertex of each profile point, and whether it is a pole.
    let mut starts: Vec<(u32, bool)> = Vec::with_capacity(profile.len());
    let mut travelled = 0.0;
    for (i, p) in profile.iter().enumerate() {
        if i > 0 {
            travelled += p.distance(profile[i - 1]);
        }
        if ring && i == last {
            starts.push(starts[0]);
            break;
        }
        let pole = p.x == 0.0;
        starts.push((mesh.positions.len() as u32, pole));
        for k in 0..if pole { 1 } else { segments } {
            let around = f64::from(k) / f64::from(segments);
            let (sin, cos) = libm::sincos(2.0 * PI * around);
            mesh.positions.push(DVec3::new(p.x * cos, p.y, -p.x * sin));
            mesh.uvs.push(DVec2::new(if pole { 0.5 } else { around }, travelled / total));
        }
    }
    for (i, w) in starts.windows(2).enumerate() {
        let [(low, low_pole), (high, high_pole)] = [w[0], w[1]];
        for k in 0..segments {
            let next = (k + 1) % segments;
            match (low_pole, high_pole) {
                (true, true) => {}
                (true, false) => mesh.triangles.push([low, high + next, high + k]),
                (false, true) => mesh.triangles.push([low + k, low + next, high]),
                (false, false) => {
                    let corners = [high + k, low + k, low + next, high + next];
                    mesh.triangles.extend(cell(corners, (i as u32 + k).is_multiple_of(2)));
                }
            }
        }
    }
    let closed = ring || (starts[0].1 && starts[last].1);
    if closed && volume(&mesh) < 0.0 {
        for t in &mut mesh.triangles {
            t.swap(1, 2);
        }
    }
    let poles: Vec<u32> = starts.iter().filter(|(_, pole)| *pole).map(|(i, _)| *i).collect();
    close_seam(&mut mesh, |i| poles.contains(&i));
    if ring {
        for t in 0..mesh.triangles.len() {
            let Some(mut uvs) = mesh.corner_uvs(t) else { continue };
            let most = uvs.iter().fold(0.0, |most: f64, uv| most.max(uv.y));
            for uv in uvs.iter_mut().filter(|uv| uv.y < most - 0.5) {
                uv.y += 1.0;
            }
            mesh.set_corner_uvs(t, uvs);
        }
    }
    Ok(mesh)
}

/// Six times the volume inside a closed mesh; negative where it is inside out.
fn volume(mesh: &TriMesh) -> f64 {
    let p = |i: u32| mesh.positions[i as usize];
    mesh.triangles.iter().map(|t| p(t[0]).dot(p(t[1]).cross(p(t[2])))).sum()
}
