//! How one substep is solved.

mod advance;
pub(crate) mod bench;
mod dents;
pub(crate) mod given;
pub(crate) mod implicit;
pub(crate) mod impulses;
pub(crate) mod literature;
mod newton;
mod outcome;
pub(crate) mod potential;
mod restitution;
mod stride;
mod tangent;
