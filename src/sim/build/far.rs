//! Shots far from the origin: frames are stored in single precision, so that contact distances grow with how far
//! away a shot is.

use crate::diagnostics::Diagnostic;
use crate::geometry::bounds;
use crate::sim::model::{Model, ROOM};
use glam::DVec3;

/// What contact distances may grow by without a word [m].
const SILENT: f64 = 1e-3;

/// Most that contact distances may be of the size of a body.
const MOST_OF_A_BODY: f64 = 0.25;

/// Warns where bodies start at `positions` so far away that they keep farther apart than the scene asks for.
///
/// # Errors
/// They would keep apart by more than a quarter of the size of the smallest of them.
pub(super) fn warning(
    model: &Model,
    positions: &[DVec3],
) -> Result<Option<Diagnostic>, Diagnostic> {
    let distance = ROOM * model.floor;
    if distance <= model.asked + SILENT {
        return Ok(None);
    }
    let around = |body: usize| bounds(&positions[model.bodies[body].nodes.clone()]);
    let size = |body: usize| {
        let (low, high) = around(body);
        (high - low).max_element()
    };
    let away = |body: usize| {
        let (low, high) = around(body);
        low.abs().max(high.abs()).max_element()
    };
    let free = || (0..model.bodies.len()).filter(|b| model.bodies[*b].free);
    let farthest = free().max_by(|a, b| away(*a).total_cmp(&away(*b)));
    let smallest = free().min_by(|a, b| size(*a).total_cmp(&size(*b)));
    let (Some(farthest), Some(smallest)) = (farthest, smallest) else { return Ok(None) };
    let within = away(farthest) * model.asked / distance;
    let hint = format!(
        "bring the shot to within {within:.0} m of the origin; frames are stored in single precision"
    );
    let entry = &model.scene.bodies[farthest];
    let (name, far, mm) = (&entry.name, away(farthest), 1000.0 * distance);
    let start =
        format!("`{name}` starts {far:.0} m from the origin, where bodies keep {mm:.1} mm apart");
    if distance > MOST_OF_A_BODY * size(smallest) {
        let (small, size) = (&model.scene.bodies[smallest].name, 1000.0 * size(smallest));
        let text = format!("{start}, more than a quarter of the {size:.1} mm of `{small}`");
        return Err(Diagnostic::error(text).at(entry.place.clone()).hint(hint));
    }
    let text = format!("{start} in place of {:.1} mm", 1000.0 * model.asked);
    Ok(Some(Diagnostic::warning(text).at(entry.place.clone()).hint(hint)))
}
