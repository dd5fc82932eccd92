//! Pins, attachments, freezes, stitches and joints during a substep.

pub(crate) mod gauge;
pub(crate) mod hold;
pub(crate) mod multipliers;
pub(crate) mod stitch;
pub(crate) mod strife;
pub(crate) mod tie;
pub(crate) mod turns;

use super::model::Model;
use super::state::State;

/// Whether constraint `index` acts at `time`.
pub(crate) fn is_active(model: &Model, state: &State, index: usize, time: f64) -> bool {
    let constraint = &model.scene.constraints[index];
    !state.constraints[index].released
        && constraint.starts.is_none_or(|s| time >= s - 1e-12)
        && constraint.ends.is_none_or(|e| time < e - 1e-12)
}

/// How readily nodes move during a substep.
pub(crate) struct Ease<'a> {
    /// Length of the substep [s].
    pub(crate) h: f64,
    /// One over the nodes' masses [1/kg]; zero for given ones.
    pub(crate) inverse_mass: &'a [f64],
    /// How far one newton moves a node at most, given what its own body holds it by [m/N].
    pub(crate) compliance: &'a [f64],
}

/// Penalty of what is exact, in units of what its places are held by. Each multiplier update leaves one
/// part in as many of the error.
const AGAINST_HELD: f64 = 20.0;

impl Ease<'_> {
    /// Penalty [N/m] of an exact constraint: `factor` times the mass that it moves over the substep
    /// squared, and more where it holds something heavy by something light, stiff as that may be. `of` gives
    /// what the places together have of a value of the nodes. None where nothing can move.
    fn penalty(&self, factor: f64, of: impl Fn(&[f64]) -> f64) -> Option<f64> {
        let (inverse, compliance) = (of(self.inverse_mass), of(self.compliance));
        (inverse > 0.0)
            .then(|| (factor / (inverse * self.h * self.h)).max(AGAINST_HELD / compliance))
    }
}
