//! What only some bodies have: limited strain, creases, pressure.

use super::crease::Crease;
use super::pressure::Bag;
use super::rank_one::RankOne;
use super::strain_limit::StrainLimit;
use crate::sim::linear::block_matrix::Pattern;
use crate::sim::methods::potential::Potential;
use crate::sim::model::Model;
use crate::sim::state::State;
use glam::{DMat3, DVec3};

/// The terms of a model that only some bodies have.
#[derive(Clone, Debug, Default)]
pub(crate) struct Special {
    pub(crate) limits: Vec<StrainLimit>,
    pub(crate) creases: Vec<Crease>,
    pub(crate) bags: Vec<Bag>,
}

/// What these terms need to know about the start of a substep.
#[derive(Clone, Debug, Default)]
pub(crate) struct AtStart {
    /// Angle and rest angle of each crease [rad].
    creases: Vec<(f64, f64)>,
}

impl AtStart {
    /// Reads the start of a substep.
    pub(crate) fn take(&mut self, special: &Special, state: &State) {
        self.creases.clear();
        let both = special.creases.iter().zip(&state.creases);
        self.creases
            .extend(both.map(|(c, &rest)| (c.with_rest(rest).angle_at(&state.positions), rest)));
    }
}

impl Special {
    /// Groups of nodes that it couples beside those of membranes.
    pub(crate) fn groups(&self) -> impl Iterator<Item = &[u32]> {
        self.creases.iter().map(|c| &c.hinge.nodes[..])
    }

    /// Finds its places in the matrix.
    pub(crate) fn place(&mut self, pattern: &Pattern) {
        for crease in &mut self.creases {
            let h = &mut crease.hinge;
            h.slots = std::array::from_fn(|k| pattern.slot(h.nodes[k / 4], h.nodes[k % 4]));
        }
    }

    /// Rest angles of its creases at the start of a shot [rad].
    pub(crate) fn rest_angles(&self) -> Vec<f64> {
        self.creases.iter().map(|c| c.hinge.rest).collect()
    }

    /// Lets creases yield to what they have been bent to.
    pub(crate) fn yield_creases(&self, state: &mut State) {
        for (crease, rest) in self.creases.iter().zip(&mut state.creases) {
            *rest = crease.rest_after(*rest, &state.positions);
        }
    }

    /// Adds the gradient of limits and creases at `z` [N] and their Hessian [N/m].
    pub(crate) fn add(
        &self,
        model: &Model,
        potential: &Potential,
        z: &[DVec3],
        gradient: &mut [DVec3],
        mut blocks: Option<&mut [DMat3]>,
    ) {
        for limit in &self.limits {
            let shrink = model.membrane_shrink(limit.membrane, potential.end);
            let membrane = &model.membranes[limit.membrane];
            limit.add(membrane, z, shrink, gradient, blocks.as_deref_mut());
        }
        for (crease, &(start, rest)) in self.creases.iter().zip(&potential.special.creases) {
            let hinge = crease.with_rest(rest);
            hinge.add(z, start, potential.h, gradient, blocks.as_deref_mut());
        }
    }

    /// Adds the gradient of pressures at `z` and script time `time` [N]; notes enclosed gases.
    pub(crate) fn add_pressure(
        &self,
        model: &Model,
        time: f64,
        z: &[DVec3],
        gradient: &mut [DVec3],
        gases: Option<&mut Vec<RankOne>>,
    ) {
        let mut found = Vec::new();
        for bag in &self.bags {
            let Some(inside) = model.scene.bodies[bag.body].pressure() else { continue };
            found.extend(bag.add(inside.pressure.at(time), inside.outside, z, gradient));
        }
        if let Some(gases) = gases {
            *gases = found;
        }
    }

    /// Energy of limits and creases [J].
    pub(crate) fn elastic_energy(&self, model: &Model, state: &State) -> f64 {
        let limits = self.limits.iter().map(|limit| {
            let shrink = model.membrane_shrink(limit.membrane, state.time);
            limit.energy(&model.membranes[limit.membrane], &state.positions, shrink)
        });
        let creases = self
            .creases
            .iter()
            .zip(&state.creases)
            .map(|(c, &rest)| c.with_rest(rest).elastic_energy(&state.positions));
        limits.sum::<f64>() + creases.sum::<f64>()
    }
}
