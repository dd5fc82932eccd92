//! What the methods of the literature ask about: forces and their Jacobians as functions of places,
//! velocities and time.

use super::super::bench::{Quality, Reaction};
use crate::sim::constraints::hold::Targets;
use crate::sim::forces::External;
use crate::sim::forces::lattice::Jacobian;
use crate::sim::model::Model;
use glam::{DMat3, DVec3};

/// The equations of motion during one step, `m x'' = f(x, v, t)` for all points that nothing holds.
pub(super) struct Dynamics<'a> {
    pub(super) model: &'a Model,
    external: &'a mut External,
    targets: &'a Targets,
    evaluations: u32,
    /// Forces with which constraints held their points when forces were asked for first.
    reactions: Option<Vec<DVec3>>,
}

impl<'a> Dynamics<'a> {
    pub(super) fn new(model: &'a Model, external: &'a mut External, targets: &'a Targets) -> Self {
        Self { model, external, targets, evaluations: 0, reactions: None }
    }

    /// Whether something holds point `i`, so that nothing else moves it.
    pub(super) fn holds(&self, i: usize) -> bool {
        self.targets.place[i].is_some()
    }

    /// Forces on all free points [N]; zero on held ones.
    pub(super) fn forces(&mut self, x: &[DVec3], v: &[DVec3], time: f64) -> Vec<DVec3> {
        let model = self.model;
        self.evaluations += 1;
        self.external.evaluate(model, x, v, time, |_| 0.0);
        let outer = self.external.acceleration.iter().zip(&self.external.drag);
        let mut forces: Vec<DVec3> = outer
            .zip(v)
            .zip(&model.mass)
            .map(|(((pull, drag), v), mass)| (*pull - *v * *drag) * *mass)
            .collect();
        for &(node, place, stiffness, _) in &self.targets.springs {
            forces[node as usize] += (place - x[node as usize]) * stiffness;
        }
        for lattice in &model.lattices {
            lattice.add_forces(x, v, lattice.shrink(model, time), &mut forces);
        }
        if self.reactions.is_none() {
            self.reactions = Some(self.measure(&forces));
        }
        for lattice in &model.lattices {
            for i in lattice.nodes() {
                forces[i] = lattice.after_friction(forces[i], v[i]);
            }
        }
        for (force, place) in forces.iter_mut().zip(&self.targets.place) {
            if place.is_some() {
                *force = DVec3::ZERO;
            }
        }
        forces
    }

    /// Accelerations of all free points [m/s2].
    pub(super) fn accelerations(&mut self, x: &[DVec3], v: &[DVec3], time: f64) -> Vec<DVec3> {
        let mut out = self.forces(x, v, time);
        for (a, mass) in out.iter_mut().zip(&self.model.mass) {
            if *mass > 0.0 {
                *a /= *mass;
            }
        }
        out
    }

    /// Derivatives of the forces, but for those of wind and fields, which are taken as given during
    /// the step. See [`Lattice::add_jacobian`](crate::sim::forces::lattice::Lattice::add_jacobian)
    /// for `positive`.
    pub(super) fn jacobian(
        &self,
        x: &[DVec3],
        v: &[DVec3],
        time: f64,
        positive: bool,
    ) -> Jacobian<'a> {
        let model = self.model;
        let mut jacobian = Jacobian::new(&model.pattern);
        for lattice in &model.lattices {
            let shrink = lattice.shrink(model, time);
            lattice.add_jacobian(x, v, shrink, positive, &mut jacobian);
        }
        for &(node, _, stiffness, _) in &self.targets.springs {
            let by_x = DMat3::from_diagonal(DVec3::splat(-stiffness));
            jacobian.add_point(node, by_x, DMat3::ZERO);
        }
        for ((i, drag), mass) in self.external.drag.iter().enumerate().zip(&model.mass) {
            let by_v = DMat3::from_diagonal(DVec3::splat(-drag * mass));
            jacobian.add_point(i as u32, DMat3::ZERO, by_v);
        }
        jacobian
    }

    fn measure(&self, forces: &[DVec3]) -> Vec<DVec3> {
        let mut sums = vec![DVec3::ZERO; self.model.scene.constraints.len()];
        for (by, force) in self.targets.by.iter().zip(forces) {
            if let Some(constraint) = by {
                sums[*constraint as usize] -= *force;
            }
        }
        sums
    }

    /// Takes what was counted and measured into the step's account.
    pub(super) fn finish(self, quality: &mut Quality) {
        quality.evaluations += self.evaluations;
        let forces = self.reactions.unwrap_or_default().into_iter();
        quality.reactions = forces.map(|force| Reaction { force, ..Reaction::default() }).collect();
    }
}
