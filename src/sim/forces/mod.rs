//! Forces of the script on free nodes.

mod field;
pub(crate) mod flex3d;
pub(crate) mod lattice;
mod recorded;
pub(crate) mod springs;
mod turbulence;
mod viscous;
mod wind;

use super::model::Model;
use super::state::Push;
use crate::math::Curve;
use crate::scene::{ForceKind, Per};
use glam::DVec3;
use turbulence::Turbulence;

/// What acts on the free nodes during a substep.
#[derive(Clone, Debug, Default)]
pub(crate) struct External {
    /// Acceleration [m/s2].
    pub(crate) acceleration: Vec<DVec3>,
    /// Linear drag [1/s].
    pub(crate) drag: Vec<f64>,
    /// Forces of commands.
    pub(crate) pushes: Vec<Push>,
}

impl External {
    /// Evaluates all forces at positions `x` and velocities `v`, with curves at `time`. What depends on the
    /// velocity of node `i` is eased for an implicit step of `h(i)` seconds; 0: not at all.
    pub(crate) fn evaluate(
        &mut self,
        model: &Model,
        x: &[DVec3],
        v: &[DVec3],
        time: f64,
        h: impl Fn(usize) -> f64,
    ) {
        let gravity = model.scene.gravity.at(time);
        self.acceleration.clear();
        self.acceleration.resize(model.free_count, gravity);
        self.drag.clear();
        self.drag.resize(model.free_count, 0.0);
        for Push { body, points, force } in &self.pushes {
            let body = *body as usize;
            if model.bodies[body].free {
                model.share_push(body, points, *force, |i, part| self.acceleration[i] += part);
            }
        }
        for force in &model.scene.forces {
            if force.starts.is_some_and(|s| time < s) || force.ends.is_some_and(|e| time >= e) {
                continue;
            }
            for (index, body) in model.bodies.iter().enumerate() {
                let acts =
                    force.bodies.as_ref().is_none_or(|list| list.binary_search(&index).is_ok());
                if !body.free || !acts {
                    continue;
                }
                let nodes = body.movers.clone();
                let total: f64 = model.mass[nodes.clone()].iter().sum();
                // The mass that a newton is for, at node `i`.
                let carries = |per: &Per, i: usize| match per {
                    Per::Point => model.mass[i],
                    Per::Body => total,
                    Per::Mass => 1.0,
                };
                match &force.kind {
                    ForceKind::Uniform { vector, per } => {
                        let vector = vector.at(time);
                        for i in nodes.filter(|i| model.mass[*i] > 0.0) {
                            self.acceleration[i] += vector / carries(per, i);
                        }
                    }
                    ForceKind::Field { field, per } => {
                        for i in nodes.filter(|i| model.mass[*i] > 0.0) {
                            let share = 1.0 / carries(per, i);
                            let mut at = field.at(x[i], v[i], time);
                            at.value *= share;
                            at.by_place *= share;
                            at.by_velocity *= share;
                            self.acceleration[i] += recorded::push(&at, v[i], h(i));
                        }
                    }
                    ForceKind::Drag { linear } => {
                        for i in nodes {
                            self.drag[i] += linear;
                        }
                    }
                    ForceKind::Attractor { center, strength, falloff } => {
                        let (center, strength) = (center.at(time), strength.at(time));
                        for i in nodes {
                            self.acceleration[i] +=
                                field::attract(x[i], center, strength, *falloff);
                        }
                    }
                    ForceKind::Vortex { axis, center, strength, falloff } => {
                        let (center, strength) = (center.at(time), strength.at(time));
                        for i in nodes {
                            let p = x[i];
                            self.acceleration[i] +=
                                field::swirl(p, *axis, center, strength, *falloff);
                        }
                    }
                    ForceKind::Wind { velocity, turbulence, gust_size, drag, lift, viscosity } => {
                        let air = wind::Air {
                            mean: velocity.at(time),
                            eddies: eddies(
                                velocity,
                                *turbulence,
                                *gust_size,
                                time,
                                model.scene.seed,
                            ),
                            drag: *drag,
                            lift: *lift,
                        };
                        match viscosity {
                            None => {
                                wind::push(&air, model, (x, v), index, &h, &mut self.acceleration);
                            }
                            Some(c) if model.scene.bodies[index].cloth().is_some() => {
                                let points = viscous::Points { model, x, v, body: index };
                                points.push(*c, |p| air.at(p), &h, &mut self.acceleration);
                            }
                            Some(_) => {}
                        }
                    }
                }
            }
        }
    }
}

/// The eddies of a wind at `time`; none where it is even.
fn eddies(
    velocity: &Curve<DVec3>,
    turbulence: f64,
    size: f64,
    time: f64,
    seed: u64,
) -> Option<Turbulence> {
    let rms = turbulence * velocity.at(time).length();
    (rms > 0.0).then(|| Turbulence::new(rms, size, wind::carried(velocity, time), time, seed))
}
