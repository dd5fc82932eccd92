//! Values that may differ from vertex to vertex.

use crate::math::Curve;
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

/// A value that may differ from vertex to vertex and over time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MappedCurve {
    /// The same on the whole body.
    Uniform(Curve<f64>),
    /// One constant a vertex.
    PerVertex(Vec<f64>),
    /// One value a vertex at each of evenly spaced times, linear between them.
    Moving {
        /// Samples a second.
        rate: f64,
        /// Time of the first sample [s].
        start: f64,
        /// The samples, each with one value a vertex.
        samples: Vec<Vec<f64>>,
    },
}

impl MappedCurve {
    /// The same constant everywhere.
    pub const fn constant(value: f64) -> Self {
        Self::Uniform(Curve::Constant(value))
    }

    /// The value at vertex `i` and script time `t`.
    pub fn at(&self, i: usize, t: f64) -> f64 {
        match self {
            Self::Uniform(curve) => curve.at(t),
            Self::PerVertex(values) => values[i],
            Self::Moving { rate, start, samples } => {
                let last = samples.len() - 1;
                let at = ((t - start) * rate).clamp(0.0, last as f64);
                let before = (at as usize).min(last);
                let (a, b) = (samples[before][i], samples[(before + 1).min(last)][i]);
                a + (b - a) * (at - before as f64)
            }
        }
    }
}

impl From<Curve<f64>> for MappedCurve {
    fn from(curve: Curve<f64>) -> Self {
        Self::Uniform(curve)
    }
}
