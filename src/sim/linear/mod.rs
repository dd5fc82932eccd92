//! Sparse systems and their solution.

mod aggregates;
pub(crate) mod barred;
pub(crate) mod block_matrix;
pub(crate) mod bodies;
pub(crate) mod chunks;
mod coarse;
pub(crate) mod conjugate_gradients;
pub(crate) mod couplings;
mod dense;
mod fetch;
mod hands;
mod lanes;
pub(crate) mod matrix;
pub(crate) mod multigrid;
mod order;
mod rigid_matrix;
pub(crate) mod shared;
mod sorted;
pub(crate) mod team;
