//! From one frame to the next.

use super::{Failure, Simulation};
use crate::scene::world::Command;
use std::sync::atomic::AtomicBool;

pub(super) fn preroll(
    _simulation: &mut Simulation,
    _interrupted: &AtomicBool,
) -> Result<(), Failure> {
    Ok(())
}

pub(super) fn advance(
    simulation: &mut Simulation,
    _commands: &[Command],
    _interrupted: &AtomicBool,
) -> Result<(), Failure> {
    let (model, state) = (&simulation.model, &mut simulation.state);
    let next = model.scene.timing.script_time(state.frame + 1);
    let dt = next - state.time;
    let gravity = model.scene.gravity.at(state.time);
    for (body, (xs, vs)) in
        model.scene.bodies.iter().zip(state.positions.iter_mut().zip(&mut state.velocities))
    {
        if body.cloth().is_some() {
            for (x, v) in xs.iter_mut().zip(vs) {
                *v += gravity * dt;
                *x += *v * dt;
            }
        }
    }
    state.time = next;
    state.frame += 1;
    Ok(())
}
