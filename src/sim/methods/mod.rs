//! How one substep is solved.

pub(crate) mod implicit;
pub(crate) mod potential;
