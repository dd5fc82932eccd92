//! How one substep is solved.

pub(crate) mod bench;
pub(crate) mod explicit_euler;
pub(crate) mod given;
pub(crate) mod implicit;
mod newton;
mod outcome;
pub(crate) mod potential;
mod restitution;
mod tangent;
