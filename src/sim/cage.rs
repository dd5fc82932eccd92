//! Surfaces that are carried by a coarser cage of cells: every vertex is a weighted sum of the four nodes of
//! a cell. The cage is what is solved for; the surface is what touches and is seen.

use super::collision::candidates::Candidates;
use super::collision::guard::Allowed;
use super::model::Model;
use glam::DVec3;

/// Nodes that carry a vertex, and their weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Carried {
    pub(crate) nodes: [u32; 4],
    pub(crate) weights: [f64; 4],
}

impl Carried {
    /// The weighted sum of `values` over its nodes.
    pub(crate) fn sum(&self, values: impl Fn(usize) -> DVec3) -> DVec3 {
        self.nodes.iter().zip(self.weights).map(|(i, w)| values(*i as usize) * w).sum()
    }
}

/// Bodies whose vertices a cage carries.
pub(crate) fn bodies(model: &Model) -> impl Iterator<Item = usize> + '_ {
    (0..model.bodies.len()).filter(|b| model.is_caged(*b))
}

/// Brings the vertices of carried surfaces to where their cages have them.
pub(crate) fn follow(model: &Model, x: &mut [DVec3]) {
    for body in bodies(model) {
        for i in model.bodies[body].nodes.clone() {
            x[i] = model.carried[i - model.free_count].sum(|k| x[k]);
        }
    }
}

/// How far each carried vertex may go at most while the nodes of its cage go any part of their `wish` [m].
pub(crate) fn add_ways(model: &Model, wish: &[DVec3], ways: &mut [f64]) {
    for body in bodies(model) {
        for i in model.bodies[body].nodes.clone() {
            let Carried { nodes, weights } = model.carried[i - model.free_count];
            let parts = nodes.iter().zip(weights);
            ways[i] = parts.map(|(k, w)| w.abs() * wish[*k as usize].length()).sum();
        }
    }
}

/// One over the mass with which each carried vertex resists [1/kg].
pub(crate) fn add_inverse_masses(model: &Model, inverse_mass: &mut [f64]) {
    for body in bodies(model) {
        for i in model.bodies[body].nodes.clone() {
            let Carried { nodes, weights } = model.carried[i - model.free_count];
            let parts = nodes.iter().zip(weights);
            inverse_mass[i] = parts.map(|(k, w)| w * w * inverse_mass[*k as usize]).sum();
        }
    }
}

/// Cuts the motion of the cages short, so that their surfaces keep the guard's limits: a node goes as far as the
/// vertices that it carries may. Where that is not enough, since its neighbours go farther, all nodes
/// of the cage go as far as the vertex that may go least, on a straight way.
pub(crate) fn cut_short(
    model: &Model,
    allowed: &mut Allowed,
    candidates: &Candidates,
    base: &[DVec3],
    wish: &[DVec3],
) {
    for body in bodies(model) {
        let (nodes, movers) = (model.bodies[body].nodes.clone(), model.bodies[body].movers.clone());
        let mut own: Vec<(f64, u32)> = nodes
            .clone()
            .map(|i| (candidates.fraction_inside(i, base[i], wish[i]), body as u32))
            .collect();
        allowed.left_box |= own.iter().any(|(part, _)| *part < 1.0);
        allowed.for_limits(nodes.start, nodes.end, wish, |i, part, other| {
            if part < own[i - nodes.start].0 {
                own[i - nodes.start] = (part, other);
            }
        });
        let Some(least) = own.iter().copied().min_by(|a, b| a.0.total_cmp(&b.0)) else { continue };
        if least.0 >= 1.0 && allowed.fraction[movers.clone()].iter().all(|part| *part >= 1.0) {
            continue;
        }
        for (i, &(part, other)) in nodes.clone().zip(&own) {
            let Carried { nodes, weights } = model.carried[i - model.free_count];
            for (k, _) in nodes.iter().zip(weights).filter(|(_, w)| *w != 0.0) {
                let k = *k as usize;
                if part < allowed.fraction[k] {
                    (allowed.fraction[k], allowed.by[k]) = (part, other);
                }
            }
        }
        let fraction = &allowed.fraction;
        let place =
            |i: usize| base[i] + model.carried[i - model.free_count].sum(|k| wish[k] * fraction[k]);
        let keeps = nodes.clone().all(|i| candidates.holds(i, place(i)))
            && allowed.in_the_way(nodes.start, nodes.end, base, place).is_none();
        if !keeps {
            for k in movers {
                (allowed.fraction[k], allowed.by[k]) = (least.0.min(allowed.fraction[k]), least.1);
            }
            let least = allowed.fraction[model.bodies[body].movers.clone()]
                .iter()
                .fold(1.0, |m: f64, f| m.min(*f));
            allowed.fraction[model.bodies[body].movers.clone()].fill(least);
        }
    }
}
