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
    /// Its length [m]; left out: that of the way. What is longer hangs slack between each two places.
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
        let is_slack = whole > direct * (1.0 + 1e-9);
        if self.path.len() > 2 && !given && !is_slack && whole >= direct * (1.0 - 1e-9) {
            return Ok(line(self.path.clone(), &own));
        }
        let segments = count("segments", self.segments, self.spacing, whole, 1, SEGMENTS)?;
        check_vertices(u64::from(segments) + 1)?;
        let at: Vec<f64> =
            (0..=segments).map(|i| whole * f64::from(i) / f64::from(segments)).collect();
        let positions = if is_slack {
            self.hanging(whole, &at)?
        } else if whole < direct * (1.0 - 1e-9) {
            let message = if self.path.len() > 2 {
                format!("`length` is {whole} m, and the path is {direct} m long")
            } else {
                format!("`length` is {whole} m, and the ends are {direct} m apart")
            };
            return Err(Diagnostic::error(message).hint("a rope is stretched by moving its ends"));
        } else {
            at.iter().map(|s| place(&self.path, &own, *s)).collect()
        };
        Ok(line(positions, &at))
    }

    /// Places at lengths `at` along a rope of length `whole` that hangs between each two places of its path, in
    /// proportion to their distance; where they stand above each other it is straight.
    fn hanging(&self, whole: f64, at: &[f64]) -> Result<Vec<DVec3>, Diagnostic> {
        let spans: Vec<[DVec3; 2]> = self.path.windows(2).map(|w| [w[0], w[1]]).collect();
        let direct: Vec<f64> = spans.iter().map(|[a, b]| a.distance(*b)).collect();
        let sags = |[from, to]: &[DVec3; 2], length: f64| {
            DVec3::new(to.x - from.x, 0.0, to.z - from.z).length() >= 1e-3 * length
        };
        let ratio = whole / direct.iter().sum::<f64>();
        let bends: Vec<bool> = spans.iter().zip(&direct).map(|(s, d)| sags(s, d * ratio)).collect();
        let of = |which: bool| -> f64 {
            bends.iter().zip(&direct).filter(|(b, _)| **b == which).map(|(_, d)| d).sum()
        };
        let ratio = (whole - of(false)) / of(true);
        if !bends.contains(&true)
            || spans.iter().zip(&direct).zip(&bends).any(|((s, d), b)| *b && !sags(s, d * ratio))
        {
            let message = "the ends of a slack rope stand above each other: it would touch itself";
            let hint = "give a `path`, or move an end aside";
            return Err(Diagnostic::error(message).hint(hint));
        }
        let mut places = Vec::with_capacity(at.len());
        let mut first = 0.0;
        for (k, (&[from, to], &direct)) in spans.iter().zip(&direct).enumerate() {
            let length = if bends[k] { direct * ratio } else { direct };
            let last = k + 1 == spans.len();
            let own = at[places.len()..].iter().take_while(|s| last || **s < first + length);
            let own: Vec<f64> = own.map(|s| s - first).collect();
            if bends[k] {
                let chain = Chain::new(from, to, length);
                places.extend(own.iter().map(|s| chain.place(*s)));
            } else {
                places.extend(own.iter().map(|s| from.lerp(to, (s / direct).clamp(0.0, 1.0))));
            }
            first += length;
        }
        let ends = (self.path[0], self.path[self.path.len() - 1]);
        (places[0], *places.last_mut().expect("two ends")) = ends;
        Ok(places)
    }
}

/// A chain that hangs between two places: the catenary `y = a cosh((x - x0) / a)`, whose length from its lowest
/// place is `a sinh((x - x0) / a)`.
struct Chain {
    from: DVec3,
    /// Level direction to the other end.
    across: DVec3,
    a: f64,
    x0: f64,
    /// Length and height at `from`.
    s0: f64,
    y0: f64,
}

impl Chain {
    fn new(from: DVec3, to: DVec3, whole: f64) -> Self {
        let across = DVec3::new(to.x - from.x, 0.0, to.z - from.z);
        let (width, rise) = (across.length(), to.y - from.y);
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
        Self { from, across: across / width, a, x0, s0, y0 }
    }

    /// The place at length `s` from its begin.
    fn place(&self, s: f64) -> DVec3 {
        let Self { from, across, a, x0, s0, y0 } = *self;
        let x = x0 + a * libm::asinh((s0 + s) / a);
        from + across * x + DVec3::Y * (a * libm::cosh((x - x0) / a) - y0)
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
    /// Over a pole in the middle: each half hangs for itself, and what stands on end stays straight.
    #[test]
    fn a_slack_rope_hangs_between_the_places_of_its_path() {
        let rope = |path: &[DVec3], length: f64| Rope {
            path: path.to_vec(),
            length: Some(length),
            segments: Some(400),
            spacing: None,
        };
        let path = [DVec3::ZERO, DVec3::X, DVec3::new(3.0, 0.0, 0.0)];
        let mesh = rope(&path, 3.6).build().unwrap();
        let low = |from: f64, to: f64| {
            let own = mesh.positions.iter().filter(|p| (from..to).contains(&p.x));
            own.map(|p| p.y).fold(0.0, f64::min)
        };
        assert!((low(0.0, 1.0) + 0.29234).abs() < 1e-4, "{}", low(0.0, 1.0));
        assert!((low(1.0, 3.0) + 2.0 * 0.29234).abs() < 1e-4);
        let middle = mesh.positions.iter().map(|p| p.distance(DVec3::X)).fold(1.0, f64::min);
        assert!(middle < 0.01, "{middle}");
        let post = [DVec3::NEG_Y, DVec3::ZERO, DVec3::X];
        let mesh = rope(&post, 2.2).build().unwrap();
        assert!(mesh.positions.iter().filter(|p| p.y < -0.3).all(|p| p.x == 0.0));
        let sum: f64 = mesh.positions.windows(2).map(|w| w[0].distance(w[1])).sum();
        assert!((sum - 2.2).abs() < 5e-3, "{sum}");
        assert!(rope(&path, 2.9).build().is_err());
        assert!(rope(&[DVec3::ZERO, DVec3::Y, DVec3::Y * 2.0], 3.0).build().is_err());
    }
}
