//! Measures with limits.

use super::json::number;
use crate::diagnostics::Diagnostic;
use crate::frames::Frame;
use crate::scene::{Measure, Scene};
use serde_json::{Value, json};

/// A measure with limits, over the frames of a run.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Check {
    /// What is measured.
    pub(super) measure: Measure,
    /// The first frame outside the limits, and its value.
    pub(super) failed: Option<(i32, f64)>,
}

/// The checks of a shot, not yet applied to any frame.
pub(super) fn checks(scene: &Scene) -> Vec<Option<Check>> {
    scene
        .measures
        .iter()
        .map(|m| {
            let has_limits = m.min.is_some() || m.max.is_some();
            has_limits.then(|| Check { measure: m.clone(), failed: None })
        })
        .collect()
}

/// Applies the checks (in the order of the measures) to a frame.
pub(super) fn apply(checks: &mut [Option<Check>], frame: &Frame) {
    for (check, value) in checks.iter_mut().zip(&frame.figures.measures) {
        if let Some(check) = check.as_mut().filter(|c| c.failed.is_none()) {
            let (low, high) = (check.measure.min, check.measure.max);
            // Written so that a value that is not a number fails.
            let holds = low.is_none_or(|m| *value >= m) && high.is_none_or(|m| *value <= m);
            if !holds {
                check.failed = Some((frame.number, *value));
            }
        }
    }
}

impl Check {
    /// The check as an entry of `shot.json`.
    pub(super) fn json(&self) -> Value {
        json!({
            "measure": self.measure.name,
            "unit": self.measure.unit,
            "min": self.measure.min.map(number),
            "max": self.measure.max.map(number),
            "ok": self.failed.is_none(),
            "frame": self.failed.map(|(n, _)| n),
            "value": self.failed.map(|(_, v)| number(v)),
        })
    }

    /// What a failed check says.
    pub(super) fn problem(&self) -> Option<Diagnostic> {
        let (frame, value) = self.failed?;
        let m = &self.measure;
        let unit = if m.unit.is_empty() { String::new() } else { format!(" {}", m.unit) };
        let limits = match (m.min, m.max) {
            (Some(low), Some(high)) => format!("{low} to {high}"),
            (Some(low), None) => format!("at least {low}"),
            (None, Some(high)) => format!("at most {high}"),
            (None, None) => String::new(),
        };
        Some(
            Diagnostic::error(format!(
                "check `{}` failed at frame {frame}: {value}{unit}, allowed is {limits}{unit}",
                m.name
            ))
            .at(m.place.clone()),
        )
    }
}
