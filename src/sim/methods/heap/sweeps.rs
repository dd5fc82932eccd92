//! Impulses at all places of contact, by sweeps over the pairs of solids that touch (projected Gauss-Seidel; Moreau and
//! Jean 1999, Catto 2005): each place in turn takes from its bodies the speed that would bring them nearer than they
//! may be at the end of a part of the substep, and as much slip as Coulomb's friction stops.
//!
//! Turns are measured along a body's principal axes in units in which its inertia is one, so that what a place does to a
//! turn and what a turn does to it are the same vector.

use crate::sim::linear::chunks;
use glam::{DMat3, DVec3};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// Part of the contact distance at which bodies come to rest.
const REST: f64 = 0.8;

/// Part of what two bodies are nearer than they rest that a part of the substep takes back, and the speed at which it
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
    /// How far each has gone [m] and turned, in the units of turns, since the substep began.
    pub(super) gone: Motions,
}

/// The motions of all bodies, which all threads see: a body is one thread's at a time.
pub(super) struct Motions(Vec<[AtomicU64; 6]>);

impl Motions {
    pub(super) fn new(motions: &[Motion]) -> Self {
        let own = Self(motions.iter().map(|_| Default::default()).collect());
        motions.iter().enumerate().for_each(|(body, motion)| own.put(body, motion));
        own
    }

    #[inline]
    pub(super) fn get(&self, body: usize) -> Motion {
        let [a, b, c, d, e, f] = &self.0[body];
        let number = |x: &AtomicU64| f64::from_bits(x.load(Ordering::Relaxed));
        Motion {
            velocity: DVec3::new(number(a), number(b), number(c)),
            turn: DVec3::new(number(d), number(e), number(f)),
        }
    }

    #[inline]
    pub(super) fn put(&self, body: usize, motion: &Motion) {
        let Motion { velocity: v, turn: t } = motion;
        for (own, number) in self.0[body].iter().zip([v.x, v.y, v.z, t.x, t.y, t.z]) {
            own.store(number.to_bits(), Ordering::Relaxed);
        }
    }
}

/// A place of contact.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spot {
    /// What an impulse along the normal, and along both directions across, does to the turns of both bodies.
    arms: [[DVec3; 2]; 3],
    /// One over what such an impulse does to the speed there [kg].
    mass: [f64; 3],
    /// Impulses in a part of the substep [N s].
    pub(super) impulse: [f64; 3],
    /// Least speed with which the bodies may part: negative where there is room [m/s].
    speed: f64,
    /// How far the bodies are apart at the start [m].
    gap: f64,
    /// Impulse along the normal in the whole substep [N s].
    pub(super) total: f64,
}

/// Two solids that touch.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Contact {
    /// Their bodies.
    pub(super) bodies: [u32; 2],
    /// From the second to the first, and two directions across.
    pub(super) axes: [DVec3; 3],
    /// First of their places in its group, and behind the last.
    pub(super) spots: [u32; 2],
    pub(super) friction: f64,
    /// Contact distance [m].
    pub(super) distance: f64,
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

impl Spot {
    /// A place with these arms from the centres of the bodies, which are `gap` apart there [m].
    pub(super) fn new(
        axes: &[DVec3; 3],
        arms: [DVec3; 2],
        inverse_mass: [f64; 2],
        roots: [&DMat3; 2],
        gap: f64,
    ) -> Self {
        let mut spot = Self { gap, ..Self::default() };
        for (k, axis) in axes.iter().enumerate() {
            let mut answer = 0.0;
            for side in 0..2 {
                let arm = roots[side].transpose() * arms[side].cross(*axis);
                spot.arms[k][side] = arm;
                answer += inverse_mass[side] + arm.length_squared();
            }
            spot.mass[k] = 1.0 / answer;
        }
        spot
    }

    /// Speed with which two bodies part here along the axis `k`, which is `axis` [m/s].
    #[inline]
    fn parting(&self, k: usize, axis: DVec3, a: &Motion, b: &Motion) -> f64 {
        axis.dot(a.velocity - b.velocity) + self.arms[k][0].dot(a.turn)
            - self.arms[k][1].dot(b.turn)
    }

    /// Starts over without impulses.
    pub(super) fn forget(&mut self) {
        (self.impulse, self.total) = ([0.0; 3], 0.0);
    }
}

impl Contact {
    /// Its places in its group.
    pub(super) fn range(&self) -> Range<usize> {
        self.spots[0] as usize..self.spots[1] as usize
    }

    /// Its bodies, lower number first.
    pub(super) fn sorted_bodies(&self) -> [u32; 2] {
        let [a, b] = self.bodies;
        [a.min(b), a.max(b)]
    }

    /// Adds what the impulses of its places do to its bodies to `pushed`.
    fn add_to(&self, spots: &[Spot], masses: &[f64], pushed: &mut [Motion]) {
        for (side, sign) in [(0, 1.0), (1, -1.0)] {
            let body = self.bodies[side] as usize;
            for spot in spots {
                for k in 0..3 {
                    let by = sign * spot.impulse[k];
                    pushed[body].velocity += self.axes[k] * (by * masses[body]);
                    pushed[body].turn += spot.arms[k][side] * by;
                }
            }
        }
    }

    /// One pass over its places.
    #[inline]
    fn sweep(&self, spots: &mut [Spot], bodies: &Bodies, pass: &Pass) -> Change {
        let [one, other] = self.bodies.map(|body| body as usize);
        let masses = [bodies.inverse_mass[one], bodies.inverse_mass[other]];
        let (mut a, mut b) = (bodies.motions.get(one), bodies.motions.get(other));
        let mut gone = (bodies.gone.get(one), bodies.gone.get(other));
        let mut moved = false;
        let [normal, u, w] = self.axes;
        let mut change = Change::default();
        for spot in spots {
            if pass.first {
                let mut gap = spot.gap
                    + normal.dot(gone.0.velocity - gone.1.velocity)
                    + spot.arms[0][0].dot(gone.0.turn)
                    - spot.arms[0][1].dot(gone.1.turn);
                let lack = REST * self.distance - gap;
                if lack > 0.0 {
                    let sooner = (REST * self.distance - spot.gap).clamp(0.0, lack);
                    let slowly = (TAKEN_BACK * sooner).min(SLOWLY * pass.dt);
                    let far = slowly + TAKEN_BACK * (lack - sooner);
                    let by = far * spot.mass[0];
                    gone.0.velocity += normal * (by * masses[0]);
                    gone.1.velocity -= normal * (by * masses[1]);
                    gone.0.turn += spot.arms[0][0] * by;
                    gone.1.turn -= spot.arms[0][1] * by;
                    moved = true;
                    gap += far;
                }
                spot.speed = -(gap - REST * self.distance).max(0.0) / pass.dt;
            }
            let mut by = [0.0; 2];
            let radius = self.friction * spot.impulse[0];
            if radius > 0.0 || spot.impulse[1] != 0.0 || spot.impulse[2] != 0.0 {
                let slip = [spot.parting(1, u, &a, &b), spot.parting(2, w, &a, &b)];
                let mut along = spot.impulse[1] - slip[0] * spot.mass[1];
                let mut across = spot.impulse[2] - slip[1] * spot.mass[2];
                let length = (along * along + across * across).sqrt();
                if length > radius {
                    (along, across) = (along * (radius / length), across * (radius / length));
                }
                by = [along - spot.impulse[1], across - spot.impulse[2]];
                (spot.impulse[1], spot.impulse[2]) = (along, across);
                let push = u * by[0] + w * by[1];
                a.velocity += push * masses[0];
                b.velocity -= push * masses[1];
                a.turn += spot.arms[1][0] * by[0] + spot.arms[2][0] * by[1];
                b.turn -= spot.arms[1][1] * by[0] + spot.arms[2][1] * by[1];
            }
            let parts = spot.parting(0, normal, &a, &b);
            let impulse = (spot.impulse[0] + (spot.speed - parts) * spot.mass[0]).max(0.0);
            let by_normal = impulse - spot.impulse[0];
            spot.impulse[0] = impulse;
            if by_normal != 0.0 {
                a.velocity += normal * (by_normal * masses[0]);
                b.velocity -= normal * (by_normal * masses[1]);
                a.turn += spot.arms[0][0] * by_normal;
                b.turn -= spot.arms[0][1] * by_normal;
            }
            spot.total += if pass.first { impulse } else { by_normal };
            let gained = by_normal / spot.mass[0];
            change.work +=
                by_normal * gained + by[0] * by[0] / spot.mass[1] + by[1] * by[1] / spot.mass[2];
            change.off = change.off.max(gained.abs());
        }
        bodies.motions.put(one, &a);
        bodies.motions.put(other, &b);
        if moved {
            bodies.gone.put(one, &gone.0);
            bodies.gone.put(other, &gone.1);
        }
        change.off *= pass.dt / self.distance;
        change
    }
}

/// Contacts that are swept one after another, with their places.
#[derive(Clone, Debug)]
pub(super) struct Group<T> {
    pub(super) contacts: Vec<Contact>,
    pub(super) spots: Vec<Spot>,
    /// What else is known of each place.
    pub(super) names: Vec<T>,
    change: Change,
}

impl<T> Default for Group<T> {
    fn default() -> Self {
        Self {
            contacts: Vec::new(),
            spots: Vec::new(),
            names: Vec::new(),
            change: Change::default(),
        }
    }
}

impl<T: Copy> Group<T> {
    /// Takes over a contact of another group.
    fn take(&mut self, from: &Self, contact: usize) {
        let mut contact = from.contacts[contact];
        let own = contact.range();
        let begin = self.spots.len() as u32;
        self.spots.extend_from_slice(&from.spots[own.clone()]);
        self.names.extend_from_slice(&from.names[own]);
        contact.spots = [begin, self.spots.len() as u32];
        self.contacts.push(contact);
    }
}

/// Contacts in groups, and those in colours: no two groups of a colour share a body that moves, so that they may be swept
/// at once.
#[derive(Clone, Debug)]
pub(super) struct Colours<T> {
    pub(super) groups: Vec<Group<T>>,
    /// Groups of each colour.
    colours: Vec<Range<usize>>,
}

/// Most colours of which groups are swept at once; the contacts beyond them are a group.
const MOST_COLOURS: u32 = 63;

/// Contacts of a group.
const CONTACTS: usize = 16;

impl<T: Copy + Send + Sync> Colours<T> {
    /// The contacts in `all`, between these bodies.
    pub(super) fn new(all: &[Group<T>], masses: &[f64]) -> Self {
        let moves = |body: &u32| masses[*body as usize] > 0.0;
        let mut used = vec![0u64; masses.len()];
        // Where the contacts of each colour are.
        let mut of_colour: Vec<Vec<[u32; 2]>> = Vec::new();
        for (g, group) in (0..).zip(all) {
            for (i, contact) in (0..).zip(&group.contacts) {
                let own = contact.bodies.into_iter().filter(moves);
                let taken = own.clone().fold(0, |taken, body| taken | used[body as usize]);
                let colour = (!taken).trailing_zeros().min(MOST_COLOURS);
                own.for_each(|body| used[body as usize] |= 1 << colour);
                let colour = colour as usize;
                if of_colour.len() <= colour {
                    of_colour.resize(colour + 1, Vec::new());
                }
                of_colour[colour].push([g, i]);
            }
        }
        let (mut parts, mut colours) = (Vec::new(), Vec::new());
        for (colour, contacts) in of_colour.iter().enumerate() {
            let begin = parts.len();
            let size = if colour == MOST_COLOURS as usize { usize::MAX } else { CONTACTS };
            parts.extend(contacts.chunks(size).map(|part| (part, Group::default())));
            colours.push(begin..parts.len());
        }
        chunks::for_each(&mut parts, |(part, group)| {
            for [g, i] in *part {
                group.take(&all[*g as usize], *i as usize);
            }
        });
        let groups = parts.into_iter().map(|(_, group)| group).collect();
        Self { groups, colours }
    }

    /// A sweep, in one order or against it.
    pub(super) fn sweep(&mut self, bodies: &Bodies, pass: &Pass, backwards: bool) -> Change {
        let work = |group: &mut Group<T>| {
            if !pass.all && group.change.off <= ENOUGH {
                return;
            }
            let (contacts, spots) = (&group.contacts, &mut group.spots);
            let one = |own: &Contact| own.sweep(&mut spots[own.range()], bodies, pass);
            let none = Change::default();
            group.change = if backwards {
                contacts.iter().rev().map(one).fold(none, Change::with)
            } else {
                contacts.iter().map(one).fold(none, Change::with)
            };
        };
        for k in 0..self.colours.len() {
            let k = if backwards { self.colours.len() - 1 - k } else { k };
            chunks::for_each(&mut self.groups[self.colours[k].clone()], work);
        }
        self.groups.iter().map(|group| group.change).fold(Change::default(), Change::with)
    }

    /// What the impulses of all places do to the bodies.
    pub(super) fn pushed(&self, masses: &[f64]) -> Vec<Motion> {
        let mut pushed = vec![Motion::default(); masses.len()];
        for group in &self.groups {
            for contact in &group.contacts {
                contact.add_to(&group.spots[contact.range()], masses, &mut pushed);
            }
        }
        pushed
    }
}
