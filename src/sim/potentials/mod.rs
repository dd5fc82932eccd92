//! Elastic energies: one file a term, with its energy, gradient and Hessian.

pub(crate) mod bending;
#[cfg(test)]
mod derivatives;
pub(crate) mod hinge;
pub(crate) mod membrane;
