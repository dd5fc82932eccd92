//! Sparse systems and their solution.

pub(crate) mod block_matrix;
pub(crate) mod conjugate_gradients;
