//! The settings that Rapier is run with.

use rapier3d::dynamics::IntegrationParameters;

/// A way to set Rapier.
pub struct Style {
    pub name: &'static str,
    /// Contacts are stiffer, and looked at again the sooner, the shorter substeps are.
    pub scaled: bool,
    /// Skin of each body; two of them part a pair [m].
    pub skin: f32,
    /// The finest step [1/s].
    pub finest: u32,
}

/// As Rapier comes (finer steps do not keep bodies farther apart then: stiffness stays), with stiffness and
/// tolerances in proportion to substeps, and so with a skin besides, which parts bodies by 0.2 mm as `retake` does.
pub const STYLES: [Style; 3] = [
    Style { name: "default", scaled: false, skin: 0.0, finest: 960 },
    Style { name: "scaled", scaled: true, skin: 0.0, finest: 15360 },
    Style { name: "skin", scaled: true, skin: 1e-4, finest: 15360 },
];

/// A style at a step and a number of substeps.
pub struct Setting {
    pub style: &'static Style,
    pub rate: u32,
    pub iterations: usize,
}

impl Setting {
    /// As Rapier takes it.
    pub fn parameters(&self) -> IntegrationParameters {
        let mut made =
            IntegrationParameters { num_solver_iterations: self.iterations, ..Default::default() };
        // Rapier's stiffness and tolerances are made for 240 substeps a second.
        let substeps = (self.rate * self.iterations as u32) as f32;
        let finer = if self.style.scaled { substeps / 240.0 } else { 1.0 };
        made.dt = 1.0 / self.rate as f32;
        made.contact_softness.natural_frequency *= finer;
        made.static_contact_softness.natural_frequency *= finer;
        made.normalized_allowed_linear_error /= finer;
        made.normalized_contact_recycle_distance /= finer;
        made
    }
}
