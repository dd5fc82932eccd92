//! Pins, attachments, freezes, stitches and joints during a substep.

pub(crate) mod hold;
pub(crate) mod stitch;
pub(crate) mod tie;

use super::model::Model;
use super::state::State;

/// Whether constraint `index` acts at `time`.
pub(crate) fn is_active(model: &Model, state: &State, index: usize, time: f64) -> bool {
    let constraint = &model.scene.constraints[index];
    !state.constraints[index].released
        && constraint.starts.is_none_or(|s| time >= s - 1e-12)
        && constraint.ends.is_none_or(|e| time < e - 1e-12)
}
