//! Impulses at all places of contact, by sweeps over the pairs of solids that touch (projected Gauss-Seidel; Moreau and
//! Jean 1999, Catto 2005): each place in turn takes from its bodies the speed that would bring them nearer than they
//! may be at the end of a part of the substep, and as much slip as Coulomb's friction stops.
//!
//! Four contacts are swept over side by side. They have no body that moves in common, so that it is as if they were
//! swept over one after another.
//!
//! Turns are measured along a body's principal axes in units in which its inertia is one, so that what a place does to a
//! turn and what a turn does to it are the same vector.

use crate::sim::wide::{LANES, Triple, Wide};
use glam::DVec3;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// Parts of what is between the least distance and the contact distance down to which bodies may come, and below which they
/// are moved apart. Between the two they stay as they are: of a slender block the four corners answer each other's impulses
/// almost alike, so that what is taken back at one of them lifts the others, which would fall again.
const REST: f64 = 0.8;
const TOO_NEAR: f64 = 0.7;

/// Part of what two bodies are too near that a part of the substep takes back, and the speed at which it
/// does so at most for what they were at its start [m/s].
const TAKEN_BACK: f64 = 0.2;
const SLOWLY: f64 = 0.1;

/// Change by a sweep up to which a group of contacts is not swept over once more in a part of the substep: of how far
/// bodies are apart at its end, by the contact distance.
pub(super) const ENOUGH: f64 = 0.1;

/// How a body moves.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Motion {
    /// [m/s]
    pub(super) velocity: DVec3,
    /// Spin in units of the roots of the inertia.
    pub(super) turn: DVec3,
}

/// All bodies in the sweeps.
pub(super) struct Bodies {
    /// One over the mass of each [1/kg]; zero for what stands.
    pub(super) inverse_mass: Vec<f64>,
    pub(super) motions: Motions,
    /// The least distance between any two [m].
    pub(super) floor: f64,
    /// How far each has gone [m] and turned, in the units of turns, since the substep began.
    pub(super) gone: Motions,
}

/// The motions of all bodies, and behind them that of a body that is not there and stands. All threads see them: a body
/// that moves is one thread's at a time.
pub(super) struct Motions(Vec<Shared>);

/// The motion of a body: velocity, then turn. It has a cache line to itself: bodies beside each other are at times
/// different threads'.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Shared([AtomicU64; 6]);

impl Shared {
    #[inline(always)]
    fn read(&self) -> [f64; 6] {
        let [a, b, c, d, e, f] = &self.0;
        let number = |x: &AtomicU64| f64::from_bits(x.load(Ordering::Relaxed));
        [number(a), number(b), number(c), number(d), number(e), number(f)]
    }

    #[inline(always)]
    fn write(&self, numbers: [f64; 6]) {
        for (own, number) in self.0.iter().zip(numbers) {
            own.store(number.to_bits(), Ordering::Relaxed);
        }
    }
}

/// The motions of four bodies.
#[derive(Clone, Copy)]
struct FourMotions {
    velocity: Triple<Wide>,
    turn: Triple<Wide>,
}

impl Motions {
    pub(super) fn new(motions: &[Motion]) -> Self {
        let own = Self((0..=motions.len()).map(|_| Shared::default()).collect());
        motions.iter().enumerate().for_each(|(body, motion)| own.put(body, motion));
        own
    }

    #[inline]
    pub(super) fn get(&self, body: usize) -> Motion {
        let [a, b, c, d, e, f] = self.0[body].read();
        Motion { velocity: DVec3::new(a, b, c), turn: DVec3::new(d, e, f) }
    }

    #[inline]
    pub(super) fn put(&self, body: usize, motion: &Motion) {
        let Motion { velocity: v, turn: t } = motion;
        self.0[body].write([v.x, v.y, v.z, t.x, t.y, t.z]);
    }

    #[inline(always)]
    fn four(&self, bodies: &[u32; LANES]) -> FourMotions {
        let [a, b, c, d] = *bodies;
        let read = |body: u32| self.0[body as usize].read();
        let all = [read(a), read(b), read(c), read(d)];
        let row = |k: usize| Wide::from_fn(|lane| all[lane][k]);
        FourMotions {
            velocity: Triple::new(row(0), row(1), row(2)),
            turn: Triple::new(row(3), row(4), row(5)),
        }
    }

    #[inline(always)]
    fn put_four(&self, bodies: &[u32; LANES], motions: &FourMotions) {
        for (lane, body) in bodies.iter().enumerate() {
            let (velocity, turn) = (motions.velocity.lane(lane), motions.turn.lane(lane));
            self.put(*body as usize, &Motion { velocity, turn });
        }
    }
}

/// A place of each of four contacts. A contact that has fewer has in its lane what no impulse moves.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FourSpots {
    /// What an impulse along the normal, and along both directions across, does to the turns of both bodies.
    pub(super) arms: [[Triple<Wide>; 2]; 3],
    /// What such an impulse does to the speed there [1/kg], and one over that [kg].
    pub(super) answer: [Wide; 3],
    pub(super) mass: [Wide; 3],
    /// Impulses in a part of the substep [N s].
    pub(super) impulse: [Wide; 3],
    /// Least speed with which the bodies may part: negative where there is room [m/s].
    speed: Wide,
    /// How far the bodies are apart at the start [m].
    pub(super) gap: Wide,
    /// Impulse along the normal in the whole substep [N s].
    pub(super) total: Wide,
}

/// Four contacts of different bodies.
#[derive(Clone, Debug)]
pub(super) struct Four {
    pub(super) bodies: [[u32; LANES]; 2],
    /// [1/kg]
    pub(super) inverse_mass: [Wide; 2],
    /// From the second body to the first, and two directions across.
    pub(super) axes: [Triple<Wide>; 3],
    pub(super) friction: Wide,
    /// Contact distance [m].
    pub(super) distance: Wide,
    /// Their places in their group.
    pub(super) spots: Range<usize>,
}

/// What a sweep does.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pass {
    /// Length of the part of the substep [s].
    pub(super) dt: f64,
    /// Whether it is the first of its part.
    pub(super) first: bool,
    /// Whether it is over all contacts; else over those alone that the last one changed by more than enough.
    pub(super) all: bool,
}

/// What a sweep changed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Change {
    /// Twice the energy [J].
    pub(super) work: f64,
    /// Most by which it changed how far bodies are apart at the end of the part, by their contact distance.
    pub(super) off: f64,
}

impl Change {
    pub(super) fn with(self, other: Self) -> Self {
        Self { work: self.work + other.work, off: self.off.max(other.off) }
    }
}

/// A gap at which nothing touches [m].
const FAR: f64 = 1e6;

impl FourSpots {
    /// Places of nothing.
    pub(super) fn far() -> Self {
        Self { gap: Wide::splat(FAR), ..Self::default() }
    }

    /// Speeds with which two bodies part here along their axes `k`, which are `axis` [m/s].
    #[inline(always)]
    fn parting(&self, k: usize, axis: Triple<Wide>, a: &FourMotions, b: &FourMotions) -> Wide {
        axis.dot(a.velocity - b.velocity) + self.arms[k][0].dot(a.turn)
            - self.arms[k][1].dot(b.turn)
    }

    /// Lets impulses act along the axes `k`.
    #[inline(always)]
    fn push(&self, k: usize, by: Wide, [a, b]: [&mut FourMotions; 2]) {
        a.turn = a.turn + self.arms[k][0] * by;
        b.turn = b.turn - self.arms[k][1] * by;
    }

    /// Starts over without impulses.
    pub(super) fn forget(&mut self) {
        (self.impulse, self.total) = ([Wide::default(); 3], Wide::default());
    }
}

impl Four {
    /// One pass over their places.
    #[inline]
    pub(super) fn sweep(&self, spots: &mut [FourSpots], bodies: &Bodies, pass: &Pass) -> Change {
        if pass.first {
            self.follow(spots, bodies, pass.dt);
        }
        let mut a = bodies.motions.four(&self.bodies[0]);
        let mut b = bodies.motions.four(&self.bodies[1]);
        let [one, other] = self.inverse_mass;
        let [normal, u, w] = self.axes;
        let (mut work, mut off) = (Wide::default(), Wide::default());
        for spot in spots {
            let radius = self.friction * spot.impulse[0];
            let slip = [spot.parting(1, u, &a, &b), spot.parting(2, w, &a, &b)];
            let along = spot.impulse[1] - slip[0] * spot.mass[1];
            let across = spot.impulse[2] - slip[1] * spot.mass[2];
            let length = (along * along + across * across).sqrt();
            let kept = within(length, radius);
            let (along, across) = (along * kept, across * kept);
            let by = [along - spot.impulse[1], across - spot.impulse[2]];
            (spot.impulse[1], spot.impulse[2]) = (along, across);
            let push = u * by[0] + w * by[1];
            a.velocity = a.velocity + push * one;
            b.velocity = b.velocity - push * other;
            spot.push(1, by[0], [&mut a, &mut b]);
            spot.push(2, by[1], [&mut a, &mut b]);
            let parts = spot.parting(0, normal, &a, &b);
            let impulse = spot.impulse[0] + (spot.speed - parts) * spot.mass[0];
            let impulse = impulse.max(Wide::default());
            let more = impulse - spot.impulse[0];
            spot.impulse[0] = impulse;
            a.velocity = a.velocity + normal * (more * one);
            b.velocity = b.velocity - normal * (more * other);
            spot.push(0, more, [&mut a, &mut b]);
            spot.total = spot.total + if pass.first { impulse } else { more };
            let gained = more * spot.answer[0];
            off = off.max(gained.abs());
            work = work
                + more * gained
                + by[0] * by[0] * spot.answer[1]
                + by[1] * by[1] * spot.answer[2];
        }
        bodies.motions.put_four(&self.bodies[0], &a);
        bodies.motions.put_four(&self.bodies[1], &b);
        Change { work: work.sum(), off: (off / self.distance).greatest() * pass.dt }
    }

    /// How far the bodies have got by a part of `dt` seconds that begins: what is nearer than it may be is taken back
    /// a little, and how fast the bodies may come nearer in the part is noted.
    #[inline]
    fn follow(&self, spots: &mut [FourSpots], bodies: &Bodies, dt: f64) {
        let mut a = bodies.gone.four(&self.bodies[0]);
        let mut b = bodies.gone.four(&self.bodies[1]);
        let [one, other] = self.inverse_mass;
        let normal = self.axes[0];
        let floor = Wide::splat(bodies.floor);
        let [rest, least] =
            [REST, TOO_NEAR].map(|part| floor + (self.distance - floor) * Wide::splat(part));
        let (none, part) = (Wide::default(), Wide::splat(TAKEN_BACK));
        let mut any = false;
        for spot in spots {
            let gap = spot.gap + spot.parting(0, normal, &a, &b);
            spot.speed = (rest - gap).min(none) / Wide::splat(dt);
            let lack = (least - gap).max(none);
            if lack.greatest() <= 0.0 {
                continue;
            }
            let sooner = (least - spot.gap).max(none).min(lack);
            let slowly = (part * sooner).min(Wide::splat(SLOWLY * dt));
            let by = (slowly + part * (lack - sooner)) * spot.mass[0];
            a.velocity = a.velocity + normal * (by * one);
            b.velocity = b.velocity - normal * (by * other);
            spot.push(0, by, [&mut a, &mut b]);
            any = true;
        }
        if any {
            bodies.gone.put_four(&self.bodies[0], &a);
            bodies.gone.put_four(&self.bodies[1], &b);
        }
    }
}

/// By what lengths are to be multiplied to be no longer than `radius`.
#[inline(always)]
fn within(length: Wide, radius: Wide) -> Wide {
    length.if_above(radius, radius / length, Wide::splat(1.0))
}
