//! Presets of fabrics, with the sources of their numbers.

/// A preset: names and numbers.
pub(in crate::director) struct Fabric {
    pub(in crate::director) name: &'static str,
    /// Density [kg/m2].
    pub(super) density: f64,
    /// C11, C12, C22 and C33 of the stress-strain matrix in warp and weft [N/m].
    pub(super) membrane: [f64; 4],
    /// Bending stiffness of strips cut at 0, 45 and 90 degrees to the warp [N m].
    pub(super) bend: [f64; 3],
    pub(super) source: &'static str,
}

impl Fabric {
    /// Poisson ratio: the geometric mean of both, `C12 / sqrt(C11 C22)`. All presets have it in 0..1,
    /// so that their matrix is positive definite as it is.
    pub(super) fn poisson(&self) -> f64 {
        let [c11, c12, c22, _] = self.membrane;
        c12 / (c11 * c22).sqrt()
    }

    /// Young's moduli along warp and weft [N/m]: `C (1 - poisson^2)`.
    pub(super) fn young(&self) -> [f64; 2] {
        let [c11, c12, c22, _] = self.membrane;
        [c11 - c12 * c12 / c22, c22 - c12 * c12 / c11]
    }
}

/// A fabric of Wang et al.: density [kg/m2], C11 C12 C22 C33 [N/m], bending constant at 0, 45 and 90
/// degrees [1e-6 N m] as published.
///
/// Each constant of the matrix is the median over the six strain samples of the published data. The
/// samples themselves are not used as a curve: in most of the fabrics some have a negative C12 or
/// C33, and a matrix that changes with the direction of strain has no energy, so that a cycle of
/// strain would make work out of nothing.
///
/// The published bending constant k is that of the element of Bridson et al. 2003, whose force across an
/// edge of length l between areas A0 and A1 is `k l^2 / (2 (A0 + A1)) sin(theta / 2)` times the gradient of
/// theta: the energy `k l^2 theta^2 / (8 (A0 + A1))` of small angles, which is that of a sheet that resists
/// with `k / 4` (`B l^2 theta^2 / (2 (A0 + A1))`).
const fn wang(
    name: &'static str,
    density: f64,
    membrane: [f64; 4],
    [b0, b45, b90]: [f64; 3],
) -> Fabric {
    Fabric {
        name,
        density,
        membrane,
        bend: [b0 * 0.25e-6, b45 * 0.25e-6, b90 * 0.25e-6],
        source: WANG,
    }
}

/// A sheet that is alike in all directions.
const fn alike(
    name: &'static str,
    density: f64,
    [young, poisson]: [f64; 2],
    bend: f64,
    source: &'static str,
) -> Fabric {
    let c11 = young / (1.0 - poisson * poisson);
    let membrane = [c11, poisson * c11, c11, young / (2.0 + 2.0 * poisson)];
    Fabric { name, density, membrane, bend: [bend; 3], source }
}

const WANG: &str = "Wang, O'Brien, Ramamoorthi 2011, Data-driven elastic models for cloth \
                    (medians of the six strain samples; a quarter of the bending constant \
                    at low curvature)";
const KAWABATA: &str = "typical of KES-F measurements (Kawabata 1980, The standardization and \
                        analysis of hand evaluation): tension at small strain, shear and bending";

pub(in crate::director) const FABRICS: [Fabric; 16] = [
    Fabric {
        source: "as white-dots-on-blk: woven cotton; Wang et al. 2011",
        ..wang("cotton", 0.128, [2107.0, 47.0, 2142.0, 31.0], [52.0, 41.0, 31.0])
    },
    Fabric {
        name: "silk",
        density: 0.07,
        membrane: [1250.0, 216.5, 937.5, 17.0],
        bend: [1.2e-6, 1.0e-6, 0.9e-6],
        source: "a light dress silk: bending lengths of 1.2 and 1.1 cm in warp and weft (Peirce \
                 1930, The handle of cloth as a measurable quantity: B = rho g c^3); tension at \
                 small strain and shear typical of KES-F measurements (Kawabata 1980)",
    },
    Fabric {
        name: "wool",
        density: 0.24,
        membrane: [1562.5, 255.2, 1041.7, 40.0],
        bend: [12e-6, 9e-6, 9e-6],
        source: KAWABATA,
    },
    Fabric {
        source: "as 11oz-black-denim; Wang et al. 2011",
        ..wang("denim", 0.324, [226.0, 41.0, 1054.0, 69.0], [64.0, 73.0, 97.0])
    },
    alike(
        "leather",
        0.5,
        [6000.0, 0.35],
        1.6e-5,
        "sheep garment leather 0.8 mm thick: the middle of the flexural rigidities of Memon et al. \
         2021, Study on effect of leather rigidity and thickness on drapability of sheep garment \
         leather (9.2 to 22, taken as uN m); 7.5 MPa at small strain, 620 kg/m3",
    ),
    alike(
        "paper",
        0.1,
        [5e5, 0.2],
        4e-4,
        "the paper of ARCSim (Narain, Pfaff, O'Brien 2013, Folding and crumpling adaptive sheets)",
    ),
    wang("11oz-black-denim", 0.324, [226.0, 41.0, 1054.0, 69.0], [64.0, 73.0, 97.0]),
    wang("gray-interlock", 0.187, [87.0, 80.0, 313.0, 28.0], [23.0, 25.0, 14.0]),
    wang("ivory-rib-knit", 0.276, [51.0, 0.0, 137.0, 8.0], [46.0, 30.0, 32.0]),
    wang("navy-sparkle-sweat", 0.224, [63.0, 70.0, 212.0, 12.0], [59.0, 40.0, 46.0]),
    wang("pink-ribbon-brown", 0.228, [152.0, 107.0, 257.0, 30.0], [117.0, 88.0, 60.0]),
    wang("royal-target", 0.220, [2110.0, 49.0, 2144.0, 40.0], [125.0, 108.0, 125.0]),
    wang("tango-red-jet-set", 0.113, [91.0, 86.0, 300.0, 9.0], [14.0, 22.0, 20.0]),
    wang("white-dots-on-blk", 0.128, [2107.0, 47.0, 2142.0, 31.0], [52.0, 41.0, 31.0]),
    wang("white-swim-solid", 0.204, [50.0, 15.0, 115.0, 22.0], [60.0, 59.0, 51.0]),
    wang("camel-ponte-roma", 0.284, [96.0, 52.0, 179.0, 30.0], [36.0, 33.0, 37.0]),
];

#[cfg(test)]
mod tests {
    use super::FABRICS;

    /// Both matrices of a preset are positive definite: the membrane's by its Poisson ratio, the
    /// bending's where its twist stiffness `2 B45 - (B0 + B90) / 2` is positive.
    #[test]
    fn presets_are_stable() {
        for fabric in &FABRICS {
            let [c11, c12, c22, c33] = fabric.membrane;
            assert!(c11 > 0.0 && c12 >= 0.0 && c22 > 0.0 && c33 > 0.0, "{}", fabric.name);
            assert!(fabric.poisson() < 0.95, "{}", fabric.name);
            let [warp, bias, weft] = fabric.bend;
            assert!(2.0 * bias - 0.5 * (warp + weft) > 0.0, "{}", fabric.name);
        }
    }
}
