//! Plots as SVG, drawn by themselves: lines or steps over a common axis.

use super::table::five_digits;
use std::fmt::Write;

/// Width of a plot [units of the picture].
const WIDTH: f64 = 640.0;
/// Height of a plot.
const HEIGHT: f64 = 220.0;
/// Room at the left, right, top and bottom of the field.
const MARGIN: (f64, f64, f64, f64) = (64.0, 14.0, 26.0, 34.0);
/// Points of a line beyond which it is drawn by the least and the most of so many stretches: finer than
/// the field has places.
const STRETCHES: usize = 1000;
/// Colours of lines, told apart by people who see few colours as well.
const COLORS: [&str; 4] = ["#0b5394", "#c8553d", "#4f7a3a", "#7a5195"];

/// How the points of a line are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Course {
    /// Straight.
    Straight,
    /// Each value holds until the next.
    Steps,
}

/// A line of a plot.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// What it shows.
    pub name: String,
    /// Its points in rising order of the first number. A value that is not finite is a gap.
    pub points: Vec<(f64, f64)>,
    /// How they are joined.
    pub course: Course,
}

/// A plot of one or more lines.
#[derive(Clone, Debug, PartialEq)]
pub struct Plot {
    /// What it shows.
    pub title: String,
    /// What runs to the right, with its unit.
    pub across: String,
    /// The lines; their values have one unit, which the title names.
    pub lines: Vec<Line>,
    /// Whether the axis of values goes by powers of ten. Values that are not positive are gaps then.
    pub powers: bool,
}

impl Plot {
    /// As an SVG element that stands in a page. Plots without any value say so.
    pub fn svg(&self) -> String {
        let Some(axes) = Axes::of(self) else {
            return format!("<p class=\"none\">{}: no values</p>\n", escaped(&self.title));
        };
        let mut out = format!(
            "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{0}\">\n\
             <text x=\"{1}\" y=\"16\" class=\"title\">{0}</text>\n",
            escaped(&self.title),
            MARGIN.0
        );
        axes.draw(&mut out, &self.across);
        let colored = || (0..self.lines.len()).map(|i| (&self.lines[i], COLORS[i % COLORS.len()]));
        for (line, color) in colored() {
            let path = axes.path(line);
            let _ = writeln!(out, "<path d=\"{path}\" stroke=\"{color}\"/>");
        }
        if self.lines.len() > 1 {
            let mut right = WIDTH - MARGIN.1;
            for (line, color) in colored().rev() {
                let name = escaped(&line.name);
                let _ = writeln!(
                    out,
                    "<text x=\"{right:.0}\" y=\"16\" class=\"name\" fill=\"{color}\">{name}</text>"
                );
                right -= 7.0 * line.name.chars().count() as f64 + 14.0;
            }
        }
        out + "</svg>\n"
    }
}

/// The field of a plot.
struct Axes {
    x: (f64, f64),
    y: (f64, f64),
    powers: bool,
}

impl Axes {
    fn of(plot: &Plot) -> Option<Self> {
        let shown = |v: f64| v.is_finite() && (!plot.powers || v > 0.0);
        let points = || {
            plot.lines.iter().flat_map(|l| &l.points).filter(|(x, y)| x.is_finite() && shown(*y))
        };
        let bounds = |values: &mut dyn Iterator<Item = f64>| {
            let first = values.next()?;
            Some(values.fold((first, first), |(low, high), v| (low.min(v), high.max(v))))
        };
        let mut x = bounds(&mut points().map(|p| p.0))?;
        let mut y = bounds(&mut points().map(|p| p.1))?;
        if plot.powers {
            y = (libm::floor(libm::log10(y.0)), libm::ceil(libm::log10(y.1)));
        } else {
            y = (y.0.min(0.0), y.1.max(0.0));
        }
        for range in [&mut x, &mut y] {
            if range.0 >= range.1 {
                range.1 = range.0 + 1.0;
            }
        }
        Some(Self { x, y, powers: plot.powers })
    }

    /// The place of a point in the picture; none for a gap.
    fn place(&self, (x, y): (f64, f64)) -> Option<(f64, f64)> {
        let y = if self.powers { libm::log10(y) } else { y };
        let across = (x - self.x.0) / (self.x.1 - self.x.0);
        let up = (y - self.y.0) / (self.y.1 - self.y.0);
        let (left, right, top, bottom) = MARGIN;
        let at = (
            left + across * (WIDTH - left - right),
            HEIGHT - bottom - up * (HEIGHT - top - bottom),
        );
        (at.0.is_finite() && at.1.is_finite()).then_some(at)
    }

    fn path(&self, line: &Line) -> String {
        let mut path = String::new();
        let mut pen: Option<f64> = None;
        for point in thinned(&line.points) {
            let Some((x, y)) = self.place(point) else {
                pen = None;
                continue;
            };
            let _ = match (pen, line.course) {
                (None, _) => write!(path, "M{x:.1} {y:.1}"),
                (Some(_), Course::Straight) => write!(path, "L{x:.1} {y:.1}"),
                (Some(_), Course::Steps) => write!(path, "H{x:.1}V{y:.1}"),
            };
            pen = Some(x);
        }
        path
    }

    fn draw(&self, out: &mut String, across: &str) {
        let (left, right, top, bottom) = MARGIN;
        let heights = if self.powers { powers(self.y) } else { marks(self.y) };
        for value in heights {
            let shown = if self.powers { libm::pow(10.0, value) } else { value };
            let Some((_, y)) = self.place((self.x.0, shown)) else { continue };
            let _ = writeln!(
                out,
                "<path d=\"M{left} {y:.1}H{:.1}\" class=\"grid\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" class=\"y\">{}</text>",
                WIDTH - right,
                left - 6.0,
                y + 4.0,
                five_digits(shown)
            );
        }
        let zero = if self.powers { libm::pow(10.0, self.y.0) } else { self.y.0 };
        for value in marks(self.x) {
            let Some((x, _)) = self.place((value, zero)) else { continue };
            let _ = writeln!(
                out,
                "<path d=\"M{x:.1} {top}V{:.1}\" class=\"grid\"/>\
                 <text x=\"{x:.1}\" y=\"{:.1}\" class=\"x\">{}</text>",
                HEIGHT - bottom,
                HEIGHT - bottom + 14.0,
                five_digits(value)
            );
        }
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\" class=\"x\">{}</text>",
            0.5 * (left + WIDTH - right),
            HEIGHT - 5.0,
            escaped(across)
        );
    }
}

/// Round numbers within a range: four to nine of them, a power of ten times 1, 2 or 5 apart.
fn marks((low, high): (f64, f64)) -> Vec<f64> {
    let rough = (high - low) / 8.0;
    let power = libm::pow(10.0, libm::floor(libm::log10(rough)));
    let apart = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|f| f * power)
        .find(|apart| *apart >= rough * (1.0 - 1e-9))
        .unwrap_or(10.0 * power);
    let first = libm::ceil(low / apart - 1e-9) as i64;
    let last = libm::floor(high / apart + 1e-9) as i64;
    (first..=last).map(|i| i as f64 * apart).collect()
}

/// Logarithms of the powers of ten within a range of logarithms that begins and ends with one; of few
/// powers those of twice and five times as much as well.
fn powers((low, high): (f64, f64)) -> Vec<f64> {
    let factors: &[f64] = if high - low < 3.0 { &[1.0, 2.0, 5.0] } else { &[1.0] };
    let first = (low as i32..=high as i32).flat_map(|p| factors.iter().map(move |f| (p, *f)));
    first.map(|(p, f)| f64::from(p) + libm::log10(f)).filter(|v| *v <= high).collect()
}

/// The points as far as a person can tell them apart: of long lines the first, the least, the most and the
/// last of each stretch.
fn thinned(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    if points.len() <= 4 * STRETCHES {
        return points.to_vec();
    }
    let mut out = Vec::new();
    for stretch in points.chunks(points.len().div_ceil(STRETCHES)) {
        let by_value = |a: &usize, b: &usize| stretch[*a].1.total_cmp(&stretch[*b].1);
        let least = (0..stretch.len()).min_by(by_value).unwrap_or(0);
        let most = (0..stretch.len()).max_by(by_value).unwrap_or(0);
        let mut kept = [0, least, most, stretch.len() - 1];
        kept.sort_unstable();
        let mut before = None;
        for i in kept {
            if before.replace(i) != Some(i) {
                out.push(stretch[i]);
            }
        }
    }
    out
}

/// `text` as it stands in HTML and SVG.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(points: Vec<(f64, f64)>) -> Plot {
        let line = Line { name: "a".into(), points, course: Course::Steps };
        Plot { title: "x < y".into(), across: "time [s]".into(), lines: vec![line], powers: false }
    }

    #[test]
    fn marks_are_round_and_few() {
        for (low, high) in [(0.0, 1.0), (0.0, 421.0), (-3.2, 7.7), (0.0, 1e-9), (5.0, 5.1)] {
            let marks = marks((low, high));
            assert!((4..=9).contains(&marks.len()), "{low} {high}: {marks:?}");
            assert!(marks.iter().all(|m| (low - 1e-9..=high + 1e-9).contains(m)));
        }
    }

    #[test]
    fn powers_are_marked_with_what_lies_between_few() {
        let shown = |range| -> Vec<f64> {
            powers(range).into_iter().map(|v| libm::round(libm::pow(10.0, v) * 1e6) / 1e6).collect()
        };
        assert_eq!(shown((0.0, 1.0)), [1.0, 2.0, 5.0, 10.0]);
        assert_eq!(shown((-2.0, 2.0)), [0.01, 0.1, 1.0, 10.0, 100.0]);
    }

    #[test]
    fn a_gap_lifts_the_pen_and_words_are_escaped() {
        let svg = plot(vec![(0.0, 1.0), (1.0, 2.0), (2.0, f64::NAN), (3.0, 1.0), (4.0, 0.5)]).svg();
        let path = svg.lines().find(|l| l.contains("stroke=")).unwrap();
        assert_eq!(path.matches('M').count(), 2, "{path}");
        assert!(svg.contains("x &lt; y"), "{svg}");
        assert!(plot(vec![(0.0, f64::NAN)]).svg().contains("no values"));
    }

    #[test]
    fn a_long_line_keeps_its_peaks() {
        let mut points: Vec<(f64, f64)> = (0..100_000).map(|i| (f64::from(i), 1.0)).collect();
        points[54_321].1 = 9.0;
        points[12_345].1 = -9.0;
        let kept = thinned(&points);
        assert!(kept.len() <= 4 * STRETCHES);
        assert!(kept.contains(&(54_321.0, 9.0)) && kept.contains(&(12_345.0, -9.0)));
        assert!(kept.windows(2).all(|p| p[0].0 < p[1].0));
    }
}
