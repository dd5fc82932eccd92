//! The mass-spring cloth of the literature.

use super::VertexMap;
use serde::{Deserialize, Serialize};

/// A grid of point masses and springs (Provot 1995, with the choices of Carvalho 2012, section 4.1):
/// structural springs to the neighbours in rows and columns, shear springs across the cells, bending
/// springs to the points two steps away in rows, columns and diagonals. Of any other mesh its edges are the
/// structural springs, and shear and bending springs lie across its inner edges, between the two corners that
/// face each other there. The cloth's shape at rest gives the lengths.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Springs {
    /// Stiffness of structural springs [N/m].
    pub structural: VertexMap,
    /// Stiffness of shear springs [N/m].
    pub shear: VertexMap,
    /// Stiffness of bending springs [N/m].
    pub bend: VertexMap,
    /// Damping of structural springs along their direction [N s/m].
    pub structural_damping: VertexMap,
    /// Damping of shear springs [N s/m].
    pub shear_damping: VertexMap,
    /// Damping of bending springs [N s/m].
    pub bend_damping: VertexMap,
    /// Largest stretch of structural and shear springs: what is longer after a step is brought back to it
    /// (Provot 1995); none: there is no limit.
    #[serde(default)]
    pub strain_limit: Option<f64>,
    /// When springs damp.
    pub damp: Damp,
    /// Whether structural and shear springs only pull and bending springs only push (equations 4.1
    /// and 4.2); otherwise all do both.
    pub unilateral: bool,
    /// Mass per volume [kg/m3].
    pub density: VertexMap,
    /// Thickness that the mass is counted with [m].
    pub thickness: VertexMap,
    /// Drag of the air on a point at a corner, at an edge, and inside [N s/m].
    pub air_drag: [f64; 3],
}

impl Springs {
    /// Its values that may differ from vertex to vertex, with their names; a spring has the mean of its ends.
    pub fn maps(&self) -> [(&'static str, &VertexMap); 8] {
        [
            ("structural", &self.structural),
            ("shear", &self.shear),
            ("bend", &self.bend),
            ("structural_damping", &self.structural_damping),
            ("shear_damping", &self.shear_damping),
            ("bend_damping", &self.bend_damping),
            ("density", &self.density),
            ("thickness", &self.thickness),
        ]
    }
}

/// The two readings of equation 4.3, which is printed without a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Damp {
    /// All the time.
    Always,
    /// While the spring pulls or pushes.
    Active,
}
