//! The course of a substep: many small parts of it, in each of which forces change velocities, contacts are swept over a
//! little, and bodies go on (small steps: Macklin et al. 2019). Bodies turn and places move so little within a substep
//! that what a place does to its bodies is that of its start; how far apart they are there is followed to first order.

use super::places::Met;
use super::sweeps::{Bodies, Change, ENOUGH, Motion, Motions, Pass};
use super::{Setting, moving};
use crate::sim::linear::chunks;
use glam::{DMat3, DVec3};

/// Sweeps of a part over all contacts, and the most over those that they have not settled.
const SWEEPS: u32 = 2;
const MOST_SWEEPS: u32 = 16;

/// Rate at which a body that something presses on loses speed where it creeps [1/s], and the speed from which on it
/// does not [m/s]. What sweeps leave undone would keep high stacks rocking within their contact distances.
const BRAKE: f64 = 4.0;
const CREEPING: f64 = 0.08;

/// What drives a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Drive {
    /// From turns to spins [rad/s].
    pub(super) root: DMat3,
    /// [m/s2], and what torques do to the turn.
    pub(super) acceleration: DVec3,
    pub(super) turning: DVec3,
    /// [1/s]
    pub(super) drag: f64,
}

impl Default for Drive {
    /// Of what stands.
    fn default() -> Self {
        Self { root: DMat3::ZERO, acceleration: DVec3::ZERO, turning: DVec3::ZERO, drag: 0.0 }
    }
}

/// All bodies in a substep.
pub(super) struct Course {
    /// How they move at the start.
    start: Vec<Motion>,
    pub(super) bodies: Bodies,
    pub(super) drives: Vec<Drive>,
    /// How they move at the end.
    pub(super) end: Vec<Motion>,
    /// Speed by which the last sweep changed those at the end, in the mean by mass [m/s].
    pub(super) change: f64,
    /// Sweeps so far.
    pub(super) sweeps: u32,
}

impl Course {
    /// All bodies at the start of a substep.
    pub(super) fn new(setting: &Setting<'_>) -> Self {
        let bodies = &setting.model.bodies;
        let mut moving = Vec::new();
        chunks::map(bodies, &mut moving, |body, _| moving::moving(setting, body));
        let start: Vec<Motion> = moving.iter().map(|own| own.0).collect();
        let inverse_mass = moving.iter().map(|own| own.1).collect();
        let drives = moving.iter().map(|own| own.2).collect();
        let gone = Motions::new(&vec![Motion::default(); bodies.len()]);
        let (motions, floor) = (Motions::new(&start), setting.model.floor);
        let bodies = Bodies { inverse_mass, motions, floor, gone };
        Self { end: start.clone(), start, bodies, drives, change: 0.0, sweeps: 0 }
    }

    /// How far each body would go in `h` seconds.
    pub(super) fn ways(&self, h: f64) -> Vec<DVec3> {
        let way = |(motion, drive): (&Motion, &Drive)| {
            motion.velocity * h + drive.acceleration * (0.5 * h * h)
        };
        self.start.iter().zip(&self.drives).map(way).collect()
    }

    /// Its spin at the start [rad/s].
    pub(super) fn spin(&self, body: usize) -> DVec3 {
        self.drives[body].root * self.start[body].turn
    }

    /// Goes through the substep in `parts` parts, with the contacts in `met`.
    pub(super) fn run(&mut self, setting: &Setting<'_>, met: &mut Met, parts: u32) {
        let h = setting.h;
        let dt = h / f64::from(parts);
        met.recall(setting, dt);
        let pushed = met.contacts.pushed(&self.bodies.inverse_mass);
        let begin = |(motion, pushed): (&Motion, Motion)| Now { motion: *motion, pushed };
        let mut now: Vec<Now> = self.start.iter().zip(pushed).map(begin).collect();
        let (mut last, mut backwards) = (Change::default(), false);
        for part in 0..=parts {
            self.between(&mut now, dt, part > 0, part < parts);
            if part == parts {
                break;
            }
            for sweep in 0..MOST_SWEEPS {
                let pass = Pass { dt, first: sweep == 0, all: sweep < SWEEPS };
                last = met.contacts.sweep(&self.bodies, &pass, backwards);
                backwards = !backwards;
                self.sweeps += 1;
                if sweep + 1 >= SWEEPS && last.off <= ENOUGH {
                    break;
                }
            }
        }
        // What nothing pressed on flew: the speed of each part was that of its end.
        let pressed = met.pressed(now.len());
        for (body, drive) in self.drives.iter().enumerate().filter(|(body, _)| !pressed[*body]) {
            let early = Motion { velocity: drive.acceleration, turn: drive.turning };
            let gone = &self.bodies.gone;
            gone.put(body, &gone.get(body).plus(&early, -0.5 * h * dt));
        }
        self.change = (last.work * setting.inverse_mass).sqrt();
        self.end = now.iter().map(|own| own.motion).collect();
    }

    /// Ends a part of `dt` seconds, unless it is the start of the substep, and begins the next, unless it is the end.
    fn between(&self, now: &mut [Now], dt: f64, ends: bool, begins: bool) {
        let (motions, gone) = (&self.bodies.motions, &self.bodies.gone);
        let one = |body: usize, own: &mut Now| {
            if ends {
                let after = motions.get(body);
                own.pushed = after.plus(&own.motion, -1.0);
                own.motion = after.plus(&after, -dt * self.brake(body, &after, &own.pushed));
                gone.put(body, &gone.get(body).plus(&own.motion, dt));
            } else {
                gone.put(body, &Motion::default());
            }
            // What contacts did in the part before they do again, to begin with.
            if begins {
                self.drives[body].kick(&mut own.motion, dt);
                motions.put(body, &own.motion.plus(&own.pushed, 1.0));
            }
        };
        chunks::each(now, |first, now| {
            (first..).zip(now).for_each(|(body, own)| one(body, own));
            0.0
        });
    }

    /// Rate at which a body loses speed by creeping, given what contacts do to it [1/s].
    fn brake(&self, body: usize, motion: &Motion, pushed: &Motion) -> f64 {
        if pushed.velocity == DVec3::ZERO {
            return 0.0;
        }
        let turning = motion.turn.length_squared() * self.bodies.inverse_mass[body];
        let squared = motion.velocity.length_squared() + turning;
        BRAKE * (1.0 - squared / (CREEPING * CREEPING)).max(0.0)
    }
}

/// A body within a substep.
#[derive(Clone, Copy, Debug)]
struct Now {
    motion: Motion,
    /// What contacts did to it in the part before.
    pushed: Motion,
}

impl Drive {
    /// Lets forces act for `dt` seconds.
    fn kick(&self, motion: &mut Motion, dt: f64) {
        let slowed = 1.0 / (1.0 + self.drag * dt);
        motion.velocity = (motion.velocity + self.acceleration * dt) * slowed;
        motion.turn = (motion.turn + self.turning * dt) * slowed;
    }
}

impl Motion {
    /// With `by` times another one.
    fn plus(&self, other: &Self, by: f64) -> Self {
        Self { velocity: self.velocity + other.velocity * by, turn: self.turn + other.turn * by }
    }
}
