//! Lines: straight, hanging slack, or along a path.

use super::{check_vertices, count, length};
use crate::diagnostics::Diagnostic;
use crate::geometry::TriMesh;
use glam::{DVec2, DVec3};

/// A line from vertex to vertex.
#[derive(Clone, Debug)]
pub struct Rope {
    /// Places it leads through, two or more [m].
    pub path: Vec<DVec3>,
    /// Its length between two places [m]; left out: their distance. What is longer hangs slack.
    pub length: Option<f64>,
    /// Segments, equally long; left out (with `spacing`): 40, or those of a path of three or more places.
    pub segments: Option<u32>,
    /// Longest segment [m], in place of `segments`.
    pub spacing: Option<f64>,
}

/// Segments where nothing is said.
const SEGMENTS: u32 = 40;

impl Rope {
    /// The mesh: vertices, and the lines between them. Texture coordinates run along it.
    pub fn build(&self) -> Result<TriMesh, Diagnostic> {
        let own = along(&self.path);
        let direct = own.last().copied().unwrap_or(0.0);
        let key = if self.path.len() > 2 { "path" } else { "to" };
        if !self.path.iter().all(|p| p.is_finite()) || own.windows(2).any(|w| w[1] <= w[0]) {
            let message = format!("`{key}` must lead on from place to place");
            return Err(Diagnostic::error(message));
        }
        length(key, direct)?;
        let whole = match self.length {
            Some(length) => self::length("length", length)?,
            None => direct,
        };
        let given = self.segments.is_some() || self.spacing.is_some();
        if self.path.len() > 2 && !given {
            return Ok(line(self.path.clone(), &own));
        }
        let segments = count("segments", self.segments, self.spacing, whole, 1, SEGMENTS)?;
        check_vertices(u64::from(segments) + 1)?;
        let at: Vec<f64> =
            (0..=segments).map(|i| whole * f64::from(i) / f64::from(segments)).collect();
        let positions = if whole > direct * (1.0 + 1e-9) {
            self.hanging(whole, &at)?
        } else if whole < direct * (1.0 - 1e-9) {
            let message = format!("`length` is {whole} m, and the ends are {direct} m apart");
            return Err(Diagnostic::error(message).hint("a rope is stretched by moving its ends"));
        } else {
            at.iter().map(|s| place(&self.path, &own, *s)).collect()
        };
        Ok(line(positions, &at))
    }

    /// Places at lengths `at` along a chain of length `whole` that hangs between both ends: the
    /// catenary `y = a cosh((x - x0) / a)`, whose length from its lowest place is `a sinh((x - x0) / a)`.
    fn hanging(&self, whole: f64, at: &[f64]) -> Result<Vec<DVec3>, Diagnostic> {
        let (from, to) = (self.path[0], self.path[1]);
        let across = DVec3::new(to.x - from.x, 0.0, to.z - from.z);
        let (width, rise) = (across.length(), to.y - from.y);
        if width < 1e-3 * whole {
            let message = "the ends of a slack rope stand above each other: it would touch itself";
            return Err(Diagnostic::error(message).hint("give a `path`, or move an end aside"));
        }
        // sinh(u) / u = sqrt(L^2 - v^2) / d with u = d / (2 a) rises with u.
        let wanted = (whole * whole - rise * rise).sqrt() / width;
        let (mut low, mut high) = (1e-9, 700.0);
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if libm::sinh(middle) / middle < wanted { low = middle } else { high = middle }
        }
        let a = width / (low + high);
        let x0 = 0.5 * width - a * libm::atanh(rise / whole);
        let (s0, y0) = (a * libm::sinh(-x0 / a), a * libm::cosh(x0 / a));
        let one = |s: &f64| {
            let x = x0 + a * libm::asinh((s0 + s) / a);
            from + across * (x / width) + DVec3::Y * (a * libm::cosh((x - x0) / a) - y0)
        };
        let mut places: Vec<DVec3> = at.iter().map(one).collect();
        (places[0], *places.last_mut().expect("two ends")) = (from, to);
        Ok(places)
    }
}

/// Length of the way to each place.
fn along(path: &[DVec3]) -> Vec<f64> {
    let mut sum = 0.0;
    let steps = path.windows(2).map(|w| w[0].distance(w[1]));
    std::iter::once(0.0)
        .chain(steps.map(|step| {
            sum += step;
            sum
        }))
        .collect()
}

/// The place at length `s` of the way.
fn place(path: &[DVec3], along: &[f64], s: f64) -> DVec3 {
    let next = along.partition_point(|a| *a < s).clamp(1, path.len() - 1);
    let (a, b) = (along[next - 1], along[next]);
    path[next - 1].lerp(path[next], ((s - a) / (b - a)).clamp(0.0, 1.0))
}

fn line(positions: Vec<DVec3>, at: &[f64]) -> TriMesh {
    let whole = at.last().copied().unwrap_or(1.0);
    TriMesh {
        lines: (1..positions.len() as u32).map(|i| [i - 1, i]).collect(),
        uvs: at.iter().map(|s| DVec2::new(0.0, s / whole)).collect(),
        positions,
        ..TriMesh::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sag of a chain of length 1.2 over a span of 1 (published: 0.29234).
    #[test]
    fn a_slack_rope_hangs_as_a_catenary() {
        let rope = |to: DVec3, length: f64| Rope {
            path: vec![DVec3::ZERO, to],
            length: Some(length),
            segments: Some(200),
            spacing: None,
        };
        let mesh = rope(DVec3::X, 1.2).build().unwrap();
        let lowest = mesh.positions.iter().map(|p| p.y).fold(0.0, f64::min);
        assert!((lowest + 0.29234).abs() < 1e-5, "{lowest}");
        let mesh = rope(DVec3::new(0.6, 0.5, 0.3), 1.5).build().unwrap();
        let sum: f64 = mesh.positions.windows(2).map(|w| w[0].distance(w[1])).sum();
        assert!((sum - 1.5).abs() < 1e-3, "{sum}");
        assert_eq!(mesh.positions[200], DVec3::new(0.6, 0.5, 0.3));
        let next_to_last = mesh.positions[199].distance(mesh.positions[200]);
        assert!((next_to_last - 1.5 / 200.0).abs() < 1e-6);
        assert!(rope(DVec3::X, 0.9).build().is_err() && rope(DVec3::Y, 2.0).build().is_err());
    }
}
