//! What bodies are made of.

use super::{Springs, VertexMap};
use serde::{Deserialize, Serialize};

/// What a cloth is made of, and with it the model that moves it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(clippy::large_enum_variant, reason = "a shot has few cloths, and most are membranes")]
pub enum ClothMaterial {
    /// The engine's own model.
    Membrane(Membrane),
    /// The model of FLEX3D.
    Flex3d(Flex3d),
    /// The mass-spring cloth of the literature.
    Springs(Springs),
}

impl ClothMaterial {
    /// The membrane, or none for other models.
    pub fn membrane(&self) -> Option<&Membrane> {
        match self {
            Self::Membrane(membrane) => Some(membrane),
            Self::Flex3d(_) | Self::Springs(_) => None,
        }
    }

    /// As scripts name a model of points in rows and columns; none for others.
    pub fn lattice(&self) -> Option<&'static str> {
        match self {
            Self::Membrane(_) => None,
            Self::Flex3d(_) => Some("flex3d"),
            Self::Springs(_) => Some("springs"),
        }
    }
}

impl From<Membrane> for ClothMaterial {
    fn from(membrane: Membrane) -> Self {
        Self::Membrane(membrane)
    }
}

/// The elastic surface of FLEX3D (Nedel 1993, section 3.2): equal point masses in rows and columns,
/// each tied to its eight neighbours. It needs a grid mesh; the mesh gives the rest lengths.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Flex3d {
    /// Spring constant between neighbours of a row [N/m].
    pub kh: f64,
    /// Spring constant between neighbours of a column [N/m].
    pub kv: f64,
    /// Spring constant between diagonal neighbours [N/m].
    pub kd: f64,
    /// Constants of the angular springs along rows, columns and both diagonals [N/m].
    pub curvature: [f64; 3],
    /// Whether angular springs push their neighbours back, which keeps the momentum; as printed in
    /// 3.2.4 only the point between them feels the force.
    pub reaction: bool,
    /// Mass of each point [kg].
    pub point_mass: f64,
    /// Part of the resultant force that friction takes, 0..1.
    pub friction_fraction: f64,
    /// How friction takes it.
    pub friction: FrictionReading,
}

/// The two readings of friction as a fraction of the resultant force (3.2.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FrictionReading {
    /// A force of that part of the resultant's size against the velocity; as `Scale` where the
    /// point stands still.
    Oppose,
    /// The resultant loses that part of itself.
    Scale,
}

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
    /// Bending stiffness of a strip cut along the warp [N m].
    pub bend: VertexMap,
    /// Bending stiffness of a strip cut along the weft [N m].
    pub bend_weft: VertexMap,
    /// Bending stiffness of a strip cut at 45 degrees to both [N m].
    pub bend_bias: VertexMap,
    /// Mass per area [kg/m2].
    pub density: VertexMap,
    /// Stiffness-proportional damping [s].
    pub damping: VertexMap,
    /// Largest stretch before the fabric hardens (0.05 is five per cent); none: there is no limit.
    pub strain_limit: Option<VertexMap>,
    /// Curvature at which a bend begins to stay [1/m]; none: bends never stay.
    pub crease: Option<VertexMap>,
}

impl Membrane {
    /// Its values that may differ from vertex to vertex.
    pub fn maps_mut(&mut self) -> impl Iterator<Item = &mut VertexMap> {
        let always = [
            &mut self.young,
            &mut self.young_weft,
            &mut self.poisson,
            &mut self.shear,
            &mut self.bend,
            &mut self.bend_weft,
            &mut self.bend_bias,
            &mut self.density,
            &mut self.damping,
        ];
        always.into_iter().chain(&mut self.strain_limit).chain(&mut self.crease)
    }
}

/// What a soft body is made of, and with it the model that moves it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SoftMaterial {
    /// An elastic solid.
    Elastic(Elastic),
    /// Points that are drawn to the places of a shape.
    ShapeMatching(ShapeMatching),
}

impl SoftMaterial {
    /// Mass per volume [kg/m3].
    pub fn density(&self) -> &VertexMap {
        match self {
            Self::Elastic(elastic) => &elastic.density,
            Self::ShapeMatching(matching) => &matching.density,
        }
    }

    /// What of a dent stays; none: nothing.
    pub fn plastic(&self) -> Option<&Plastic> {
        match self {
            Self::Elastic(elastic) => elastic.plastic.as_ref(),
            Self::ShapeMatching(matching) => matching.plastic.as_ref(),
        }
    }
}

/// What of a deformation stays. Strains are logarithmic, without change of volume: 0.1 is a pull by a tenth.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plastic {
    /// Strain above which it begins to stay.
    pub yield_strain: f64,
    /// Rate at which what is above becomes lasting [1/s].
    pub creep: f64,
    /// Largest strain that stays.
    pub max: f64,
}

/// Shape matching (Mueller, Heidelberger, Teschner and Gross 2005): a solid whose points are drawn to the
/// places that its shape at rest has where it fits them best.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ShapeMatching {
    /// Part of their deviation that points make up within 1/60 s, 0..1.
    pub stiffness: f64,
    /// Which deformations the fit may have.
    pub mode: MatchingMode,
    /// Part of a deformation of the mode that costs nothing, 0..0.99.
    pub give: f64,
    /// Mass per volume [kg/m3].
    pub density: VertexMap,
    /// What of a deformation stays; none: nothing.
    pub plastic: Option<Plastic>,
}

/// Deformations of a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MatchingMode {
    /// None: it moves as one.
    Rigid,
    /// Stretch and shear.
    Linear,
    /// Bend and twist as well.
    Quadratic,
}

/// A solid without a grain: stable neo-Hookean (Smith, De Goes and Kim 2018).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Elastic {
    /// Young's modulus [Pa].
    pub young: VertexMap,
    /// Poisson ratio, 0..0.49.
    pub poisson: f64,
    /// Mass per volume [kg/m3].
    pub density: VertexMap,
    /// Stiffness-proportional damping [s].
    pub damping: f64,
    /// What of a deformation stays; none: nothing.
    pub plastic: Option<Plastic>,
}
