//! What bodies are made of.

use super::VertexMap;
use serde::{Deserialize, Serialize};

/// A woven sheet: orthotropic membrane and bending. Warp runs along the mesh's u, weft along v.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Membrane {
    /// Where the numbers come from: a preset's name and source, or empty for a script's own.
    pub label: String,
    /// Stiffness along the warp [N/m].
    pub young: VertexMap,
    /// Stiffness along the weft [N/m].
    pub young_weft: VertexMap,
    /// Poisson ratio, 0..0.5.
    pub poisson: VertexMap,
    /// Shear stiffness [N/m].
    pub shear: VertexMap,
    /// Bending stiffness about the weft [N m].
    pub bend: VertexMap,
    /// Bending stiffness about the warp [N m].
    pub bend_weft: VertexMap,
    /// Mass per area [kg/m2].
    pub density: VertexMap,
    /// Stiffness-proportional damping [s].
    pub damping: f64,
}
