//! How one substep is solved.

mod advance;
pub(crate) mod bench;
pub(crate) mod given;
pub(crate) mod implicit;
pub(crate) mod literature;
mod newton;
mod outcome;
pub(crate) mod potential;
mod restitution;
mod tangent;
