//! Elastic energies: one file a term, with its energy, gradient and Hessian.

pub(crate) mod cells;
#[cfg(test)]
mod derivatives;
pub(crate) mod hinge;
pub(crate) mod matching;
pub(crate) mod membrane;
pub(crate) mod plastic;
pub(crate) mod plate;
pub(crate) mod pressure;
pub(crate) mod rank_one;
pub(crate) mod rope;
pub(crate) mod rows;
pub(crate) mod shell;
pub(crate) mod slope;
pub(crate) mod special;
pub(crate) mod strain_limit;
pub(crate) mod svd;
pub(crate) mod tet;
pub(crate) mod twist;
