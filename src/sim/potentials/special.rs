//! What only some bodies have: limited strain, pressure.

use super::pressure::Bag;
use super::rank_one::RankOne;
use super::strain_limit::StrainLimit;
use crate::sim::methods::potential::Potential;
use crate::sim::model::Model;
use crate::sim::state::State;
use glam::{DMat3, DVec3};

/// The terms of a model that only some bodies have.
#[derive(Clone, Debug, Default)]
pub(crate) struct Special {
    pub(crate) limits: Vec<StrainLimit>,
    pub(crate) bags: Vec<Bag>,
}

impl Special {
    /// Adds the gradient of limits at `z` [N] and their Hessian [N/m].
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

    /// Energy of limits [J].
    pub(crate) fn elastic_energy(&self, model: &Model, state: &State) -> f64 {
        let limits = self.limits.iter().map(|limit| {
            let shrink = model.membrane_shrink(limit.membrane, state.time);
            limit.energy(&model.membranes[limit.membrane], &state.positions, shrink)
        });
        limits.sum()
    }
}
