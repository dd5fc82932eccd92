//! Values that may differ from vertex to vertex.

use serde::{Deserialize, Serialize};

/// One value for a whole body or one a vertex.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum VertexMap {
    /// The same everywhere.
    Uniform(f64),
    /// One value a vertex.
    PerVertex(Vec<f64>),
}

impl VertexMap {
    /// The value at vertex `i`.
    pub fn at(&self, i: usize) -> f64 {
        match self {
            Self::Uniform(value) => *value,
            Self::PerVertex(values) => values[i],
        }
    }
}
