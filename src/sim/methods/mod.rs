//! How one substep is solved.

mod advance;
pub(crate) mod bench;
mod dents;
pub(crate) mod given;
pub(crate) mod heap;
pub(crate) mod implicit;
pub(crate) mod impulses;
pub(crate) mod literature;
mod newton;
mod outcome;
mod patch;
mod patches;
pub(crate) mod potential;
mod restitution;
mod settled;
mod stride;
mod tangent;
