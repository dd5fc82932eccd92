//! Rigid bodies as the sweeps have them, and back.

use super::Setting;
use super::course::{Course, Drive};
use super::sweeps::Motion;
use crate::sim::pose::Pose;
use glam::DVec3;

/// How the body `index` moves at the start of a substep, one over its mass [1/kg], and what drives it.
pub(super) fn moving(setting: &Setting<'_>, index: usize) -> (Motion, f64, Drive) {
    let Setting { model, state, external, .. } = *setting;
    let Some(number) = model.bodies[index].rigid else {
        return (Motion::default(), 0.0, Drive::default());
    };
    let rigid = &model.rigids[number];
    let (x, v) = (&state.positions, &state.velocities);
    let grip = rigid.grip(x);
    let root = grip.turns * (1.0 / rigid.mass.sqrt());
    let own = &external.acceleration[rigid.nodes()];
    let acceleration = own.iter().sum::<DVec3>() * 0.25;
    let torque = |(arm, a): (&DVec3, &DVec3)| arm.cross(*a - acceleration) * (0.25 * rigid.mass);
    let torque: DVec3 = grip.arms.iter().zip(own).map(torque).sum();
    let drag = external.drag[rigid.nodes()].iter().sum::<f64>() * 0.25;
    let velocity = v[rigid.nodes()].iter().sum::<DVec3>() * 0.25;
    let turn = root.inverse() * rigid.spin_of(x, v);
    let drive = Drive { root, acceleration, turning: root.transpose() * torque, drag };
    (Motion { velocity, turn }, 1.0 / rigid.mass, drive)
}

/// Where the body `index` comes to in a substep, and its velocity and spin there.
pub(super) fn arrival(setting: &Setting<'_>, course: &Course, index: usize) -> (Pose, [DVec3; 2]) {
    let Setting { model, state, h, .. } = *setting;
    let from = state.poses[index];
    let Some(number) = model.bodies[index].rigid else { return (from, [DVec3::ZERO; 2]) };
    let rigid = &model.rigids[number];
    let root = course.drives[index].root;
    let (gone, end) = (course.bodies.gone.get(index), course.end[index]);
    let (velocity, spin) = (gone.velocity / h, root * (gone.turn / h));
    let to = rigid.flown(&from, velocity, spin, h);
    // Turns are angular momenta in their own units.
    let momentum = root.transpose().inverse() * end.turn;
    (to, [end.velocity, rigid.inverse_inertia(to.rotation) * momentum])
}
