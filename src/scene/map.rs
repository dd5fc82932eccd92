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

    /// The map of which entry k is entry `order[k]` of this one.
    #[must_use]
    pub fn reordered(&self, order: &[usize]) -> Self {
        match self {
            Self::Uniform(_) => self.clone(),
            Self::PerVertex(values) => Self::PerVertex(picked(values, order)),
        }
    }
}

fn picked(values: &[f64], order: &[usize]) -> Vec<f64> {
    order.iter().map(|i| values[*i]).collect()
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

    /// The map of which entry k is entry `order[k]` of this one.
    #[must_use]
    pub fn reordered(&self, order: &[usize]) -> Self {
        self.mapped(|values| picked(values, order))
    }

    /// What `of` makes of the values, one a vertex, at all times; a value that is the same everywhere stays.
    #[must_use]
    pub fn mapped(&self, of: impl Fn(&[f64]) -> Vec<f64>) -> Self {
        match self {
            Self::Uniform(_) => self.clone(),
            Self::PerVertex(values) => Self::PerVertex(of(values)),
            Self::Moving { rate, start, samples } => Self::Moving {
                rate: *rate,
                start: *start,
                samples: samples.iter().map(|values| of(values)).collect(),
            },
        }
    }

    /// Its lists of one value a vertex: none where it is the same everywhere, else one, or one a time.
    pub fn lists(&self) -> Vec<&[f64]> {
        match self {
            Self::Uniform(_) => Vec::new(),
            Self::PerVertex(values) => vec![values],
            Self::Moving { samples, .. } => samples.iter().map(Vec::as_slice).collect(),
        }
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
