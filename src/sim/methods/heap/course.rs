//! The course of a substep: many small parts of it, in each of which forces change velocities, contacts are swept over a
//! little, and bodies go on (small steps: Macklin et al. 2019). Bodies turn and places move so little within a substep
//! that what a place does to its bodies is that of its start; how far apart they are there is followed to first order.

use super::places::Met;
use super::sweeps::{Bodies, Motion, Motions, Pass};
use super::{Setting, moving};
use glam::{DMat3, DVec3};

/// Sweeps of a part.
const SWEEPS: u32 = 2;

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

impl Drive {
    /// Of what stands.
    pub(super) const NONE: Self =
        Self { root: DMat3::ZERO, acceleration: DVec3::ZERO, turning: DVec3::ZERO, drag: 0.0 };
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
        let count = setting.model.bodies.len();
        let (mut start, mut inverse_mass, mut drives) = (Vec::new(), Vec::new(), Vec::new());
        for (motion, own, drive) in (0..count).map(|body| moving::moving(setting, body)) {
            start.push(motion);
            inverse_mass.push(own);
            drives.push(drive);
        }
        let gone = Motions::new(&vec![Motion::default(); count]);
        let bodies = Bodies { inverse_mass, motions: Motions::new(&start), gone };
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
        let mut now = self.start.clone();
        let mut pushed = met.contacts.pushed(&self.bodies.inverse_mass);
        let (motions, gone) = (&self.bodies.motions, &self.bodies.gone);
        (0..now.len()).for_each(|body| gone.put(body, &Motion::default()));
        let mut work = 0.0;
        for _ in 0..parts {
            // What contacts did in the part before they do again, to begin with.
            for (body, own) in now.iter_mut().enumerate() {
                self.drives[body].kick(own, dt);
                motions.put(body, &own.plus(&pushed[body], 1.0));
            }
            for sweep in 0..SWEEPS {
                let pass = Pass { dt, first: sweep == 0, last: sweep + 1 == SWEEPS };
                work = met.contacts.sweep(&self.bodies, &pass, sweep % 2 == 1);
            }
            for (body, own) in now.iter_mut().enumerate() {
                let after = motions.get(body);
                pushed[body] = after.plus(own, -1.0);
                *own = after.plus(&after, -dt * self.brake(body, &after, &pushed[body]));
                gone.put(body, &gone.get(body).plus(own, dt));
            }
        }
        // What nothing pressed on flew: the speed of each part was that of its end.
        let pressed = met.pressed(now.len());
        for (body, drive) in self.drives.iter().enumerate().filter(|(body, _)| !pressed[*body]) {
            let early = Motion { velocity: drive.acceleration, turn: drive.turning };
            gone.put(body, &gone.get(body).plus(&early, -0.5 * h * dt));
        }
        self.sweeps += parts * SWEEPS;
        self.change = (work * setting.inverse_mass).sqrt();
        self.end = now;
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
