//! Contacts in colours and groups, to be swept over: no two contacts of a colour share a body that moves, so that they
//! may be swept over side by side, and its groups at once.

use super::sweeps::{Bodies, Change, ENOUGH, Four, FourSpots, Motion, Pass};
use crate::sim::linear::chunks;
use crate::sim::wide::{LANES, Triple, Wide};
use glam::{DMat3, DVec3};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// A place of contact.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    /// What an impulse along the normal, and along both directions across, does to the turns of both bodies.
    arms: [[DVec3; 2]; 3],
    /// What such an impulse does to the speed there [1/kg].
    answer: [f64; 3],
    /// How far the bodies are apart at the start [m].
    gap: f64,
}

/// Two solids that touch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Contact {
    /// Their bodies.
    pub(super) bodies: [u32; 2],
    /// From the second to the first, and two directions across.
    pub(super) axes: [DVec3; 3],
    /// First of its places, and behind the last.
    pub(super) spots: [u32; 2],
    pub(super) friction: f64,
    /// Contact distance [m].
    pub(super) distance: f64,
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
        let mut spot = Self { arms: Default::default(), answer: [0.0; 3], gap };
        for (k, axis) in axes.iter().enumerate() {
            for side in 0..2 {
                let arm = roots[side].transpose() * arms[side].cross(*axis);
                spot.arms[k][side] = arm;
                spot.answer[k] += inverse_mass[side] + arm.length_squared();
            }
        }
        spot
    }
}

impl Contact {
    /// Its places.
    pub(super) fn range(&self) -> Range<usize> {
        self.spots[0] as usize..self.spots[1] as usize
    }

    /// Its bodies, lower number first.
    pub(super) fn sorted_bodies(&self) -> [u32; 2] {
        let [a, b] = self.bodies;
        [a.min(b), a.max(b)]
    }
}

/// Contacts as they are found.
pub(super) struct Found<T> {
    pub(super) contacts: Vec<Contact>,
    pub(super) spots: Vec<Spot>,
    /// What else is known of each place.
    pub(super) names: Vec<T>,
}

impl<T> Default for Found<T> {
    fn default() -> Self {
        Self { contacts: Vec::new(), spots: Vec::new(), names: Vec::new() }
    }
}

/// Contacts that are swept over one four after another.
pub(super) struct Group<T> {
    /// Their places are those of `names`.
    pub(super) contacts: Vec<Contact>,
    pub(super) names: Vec<T>,
    fours: Vec<Four>,
    spots: Vec<FourSpots>,
    /// Contacts of a four.
    width: usize,
    /// What the last sweep over it changed.
    change: Change,
}

impl<T: Copy> Group<T> {
    /// The contacts of `all` that `which` names, `width` of them side by side, of bodies with these inverse masses.
    fn new(all: &[Found<T>], which: &[[u32; 2]], width: usize, masses: &[f64]) -> Self {
        let (contacts, names, change) = (Vec::new(), Vec::new(), Change::default());
        let mut own = Self { contacts, names, fours: Vec::new(), spots: Vec::new(), width, change };
        for which in which.chunks(width) {
            let of = |at: &[u32; 2]| {
                let found = &all[at[0] as usize];
                (found, &found.contacts[at[1] as usize])
            };
            own.add_four(which.iter().map(of), masses);
            for (found, contact) in which.iter().map(of) {
                let begin = own.names.len() as u32;
                own.names.extend_from_slice(&found.names[contact.range()]);
                let spots = [begin, own.names.len() as u32];
                own.contacts.push(Contact { spots, ..*contact });
            }
        }
        own
    }

    /// Adds contacts side by side.
    fn add_four<'a>(
        &mut self,
        contacts: impl Iterator<Item = (&'a Found<T>, &'a Contact)>,
        masses: &[f64],
    ) where
        T: 'a,
    {
        let begin = self.spots.len();
        // The body that is not there.
        let nobody = masses.len() as u32;
        let mut four = Four {
            bodies: [[nobody; LANES]; 2],
            inverse_mass: [Wide::default(); 2],
            axes: [Triple::default(); 3],
            friction: Wide::default(),
            distance: Wide::splat(1.0),
            spots: begin..begin,
        };
        for (lane, (found, contact)) in contacts.enumerate() {
            for (side, body) in contact.bodies.into_iter().enumerate() {
                four.bodies[side][lane] = body;
                four.inverse_mass[side].set(lane, masses[body as usize]);
            }
            for (own, axis) in four.axes.iter_mut().zip(contact.axes) {
                own.set_lane(lane, axis);
            }
            four.friction.set(lane, contact.friction);
            four.distance.set(lane, contact.distance);
            for (k, spot) in (begin..).zip(&found.spots[contact.range()]) {
                if self.spots.len() <= k {
                    self.spots.push(FourSpots::far());
                }
                let own = &mut self.spots[k];
                own.gap.set(lane, spot.gap);
                for (axis, answer) in spot.answer.into_iter().enumerate() {
                    own.answer[axis].set(lane, answer);
                    own.mass[axis].set(lane, 1.0 / answer);
                    for (arm, found) in own.arms[axis].iter_mut().zip(spot.arms[axis]) {
                        arm.set_lane(lane, found);
                    }
                }
            }
        }
        four.spots = begin..self.spots.len();
        self.fours.push(four);
    }

    /// Where place `k` of contact `c`, among those of the group, is: which four's, and in which lane.
    fn lane(&self, c: usize, k: usize) -> (usize, usize) {
        let four = &self.fours[c / self.width];
        (four.spots.start + k - self.contacts[c].spots[0] as usize, c % self.width)
    }

    /// Impulses at place `k` of contact `c` in a part of the substep, and along the normal in all of it [N s].
    fn impulse(&self, c: usize, k: usize) -> ([f64; 3], f64) {
        let (at, lane) = self.lane(c, k);
        let spot = &self.spots[at];
        (spot.impulse.map(|impulse| impulse.get(lane)), spot.total.get(lane))
    }

    /// Adds to the impulses at place `k` of contact `c`.
    pub(super) fn add_impulse(&mut self, c: usize, k: usize, more: [f64; 3]) {
        let (at, lane) = self.lane(c, k);
        for (impulse, more) in self.spots[at].impulse.iter_mut().zip(more) {
            impulse.set(lane, impulse.get(lane) + more);
        }
    }

    /// Starts over without impulses.
    pub(super) fn forget(&mut self) {
        self.spots.iter_mut().for_each(FourSpots::forget);
    }

    /// One pass over it.
    fn sweep(&mut self, bodies: &Bodies, pass: &Pass, backwards: bool) {
        let (fours, spots) = (&self.fours, &mut self.spots);
        let one = |own: &Four| own.sweep(&mut spots[own.spots.clone()], bodies, pass);
        let none = Change::default();
        self.change = if backwards {
            fours.iter().rev().map(one).fold(none, Change::with)
        } else {
            fours.iter().map(one).fold(none, Change::with)
        };
    }

    /// Adds what the impulses of all places do to the bodies, of these inverse masses, to `pushed`.
    fn add_to(&self, masses: &[f64], pushed: &mut [Motion]) {
        for (c, contact) in self.contacts.iter().enumerate() {
            for k in contact.range() {
                let (at, lane) = self.lane(c, k);
                let spot = &self.spots[at];
                for (side, sign) in [(0, 1.0), (1, -1.0)] {
                    let body = contact.bodies[side] as usize;
                    for axis in 0..3 {
                        let by = sign * spot.impulse[axis].get(lane);
                        pushed[body].velocity += contact.axes[axis] * (by * masses[body]);
                        pushed[body].turn += spot.arms[axis][side].lane(lane) * by;
                    }
                }
            }
        }
    }
}

/// Contacts in groups, and those in colours.
pub(super) struct Colours<T> {
    groups: Vec<Mutex<Group<T>>>,
    /// Groups of each colour.
    of_colour: Vec<Range<usize>>,
    /// Those of a colour that are to be swept over.
    asking: Vec<usize>,
}

/// What a lock holds that no other thread has.
fn own<T>(lock: &mut Mutex<T>) -> &mut T {
    lock.get_mut().unwrap_or_else(PoisonError::into_inner)
}

/// Most colours of which groups are swept at once; the contacts beyond them are a group, and one after another.
const MOST_COLOURS: u32 = 63;

/// Contacts of a group.
const CONTACTS: usize = 16;

impl<T: Copy + Send + Sync> Colours<T> {
    /// The contacts in `all`, between bodies of these inverse masses.
    pub(super) fn new(all: &[Found<T>], masses: &[f64]) -> Self {
        let mut used = vec![0u64; masses.len()];
        let moves = |body: &u32| masses[*body as usize] > 0.0;
        // Where the contacts of each colour are.
        let mut of_colour: Vec<Vec<[u32; 2]>> = Vec::new();
        for (g, found) in (0..).zip(all) {
            for (i, contact) in (0..).zip(&found.contacts) {
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
        // Contacts of as many places go side by side.
        let places = |[g, i]: &[u32; 2]| all[*g as usize].contacts[*i as usize].range().len();
        for contacts in &mut of_colour {
            contacts.sort_by_key(places);
        }
        let (mut parts, mut ranges) = (Vec::new(), Vec::new());
        for (colour, contacts) in of_colour.iter().enumerate() {
            let begin = parts.len();
            let beyond = colour == MOST_COLOURS as usize;
            let (size, width) = if beyond { (usize::MAX, 1) } else { (CONTACTS, LANES) };
            parts.extend(contacts.chunks(size).map(|part| (part, width, None)));
            ranges.push(begin..parts.len());
        }
        let count = of_colour.iter().map(Vec::len).sum();
        chunks::for_each_of(count, &mut parts, |(part, width, group)| {
            *group = Some(Group::new(all, part, *width, masses));
        });
        let groups = parts.into_iter().filter_map(|(.., group)| group.map(Mutex::new)).collect();
        Self { groups, of_colour: ranges, asking: Vec::new() }
    }

    /// A sweep, in one order or against it.
    pub(super) fn sweep(&mut self, bodies: &Bodies, pass: &Pass, backwards: bool) -> Change {
        for k in 0..self.of_colour.len() {
            let k = if backwards { self.of_colour.len() - 1 - k } else { k };
            let groups = &mut self.groups[self.of_colour[k].clone()];
            let asks = |group: &Group<T>| pass.all || group.change.off > ENOUGH;
            self.asking.clear();
            self.asking.extend((0..groups.len()).filter(|g| asks(own(&mut groups[*g]))));
            let groups = &*groups;
            chunks::for_each_locked(&self.asking, groups, |group| {
                group.sweep(bodies, pass, backwards);
            });
        }
        self.each_group().map(|group| group.change).fold(Change::default(), Change::with)
    }

    fn each_group(&mut self) -> impl Iterator<Item = &mut Group<T>> {
        self.groups.iter_mut().map(own)
    }

    /// All groups, to be changed.
    pub(super) fn groups(&mut self) -> Vec<&mut Group<T>> {
        self.each_group().collect()
    }

    /// What the impulses of all places do to the bodies.
    pub(super) fn pushed(&mut self, masses: &[f64]) -> Vec<Motion> {
        let mut pushed = vec![Motion::default(); masses.len()];
        self.each_group().for_each(|group| group.add_to(masses, &mut pushed));
        pushed
    }

    /// Calls `each` with each contact, what is known of its places, one by one, and the impulses there in the last part of
    /// the substep, and along the normal in all of it [N s].
    pub(super) fn for_each(&mut self, mut each: impl FnMut(&Contact, &T, [f64; 3], f64)) {
        for group in self.each_group() {
            for (c, contact) in group.contacts.iter().enumerate() {
                for k in contact.range() {
                    let (impulse, total) = group.impulse(c, k);
                    each(contact, &group.names[k], impulse, total);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sweeps::Motions;
    use super::*;
    use crate::math::random;

    /// Seven contacts of different bodies, one of them with what stands, with one to four places each.
    fn found(random: &mut impl FnMut() -> f64) -> (Found<()>, Vec<f64>) {
        let masses: Vec<f64> = (0..14).map(|body| if body == 5 { 0.0 } else { random() }).collect();
        let mut found = Found::default();
        for i in 0..7u32 {
            let bodies = [2 * i, 2 * i + 1];
            let normal = DVec3::new(random() - 0.5, random() - 0.5, random() - 0.5).normalize();
            let (u, w) = normal.any_orthonormal_pair();
            let axes = [normal, u, w];
            let begin = found.spots.len() as u32;
            for _ in 0..=(i % 4) {
                let arms = [0, 1].map(|_| DVec3::new(random(), random(), random()) - 0.5);
                let inverse = bodies.map(|body| masses[body as usize]);
                let roots = inverse.map(|inverse| DMat3::IDENTITY * (3.0 * inverse));
                let gap = 1e-3 * random();
                found.spots.push(Spot::new(&axes, arms, inverse, [&roots[0], &roots[1]], gap));
                found.names.push(());
            }
            let spots = [begin, found.spots.len() as u32];
            found.contacts.push(Contact { bodies, axes, spots, friction: 0.4, distance: 2e-4 });
        }
        (found, masses)
    }

    /// To the bit, also where a four has fewer contacts, and contacts have fewer places.
    #[test]
    fn contacts_side_by_side_do_what_they_do_one_by_one() {
        let mut random = random::unit(7);
        let (found, inverse_mass) = found(&mut random);
        let mut vector = || DVec3::new(random(), random(), random()) - 0.5;
        // Towards each other.
        let motion = |(body, mass): (usize, &f64)| {
            let toward = found.contacts[body / 2].axes[0] * if body % 2 == 0 { -1.0 } else { 1.0 };
            let moves = f64::from(u8::from(*mass > 0.0));
            Motion { velocity: (toward + vector()) * moves, turn: vector() * moves }
        };
        let start: Vec<Motion> = inverse_mass.iter().enumerate().map(motion).collect();
        let all = [found];
        let which: Vec<[u32; 2]> = (0..7).map(|i| [0, i]).collect();
        let swept = |width: usize| {
            let gone = Motions::new(&vec![Motion::default(); start.len()]);
            let masses = inverse_mass.clone();
            let motions = Motions::new(&start);
            let bodies = Bodies { inverse_mass: masses, motions, floor: 6e-6, gone };
            let mut group = Group::new(&all, &which, width, &inverse_mass);
            for sweep in 0..12 {
                let pass = Pass { dt: 1e-3, first: sweep % 4 == 0, all: true };
                group.sweep(&bodies, &pass, sweep % 2 == 1);
            }
            let of = |motions: &Motions, body: usize| {
                let Motion { velocity, turn } = motions.get(body);
                [velocity, turn].map(|v| v.to_array().map(f64::to_bits))
            };
            let both = |body: usize| [of(&bodies.motions, body), of(&bodies.gone, body)];
            let impulses: Vec<_> = (0..7)
                .flat_map(|c| group.contacts[c].range().map(move |k| (c, k)))
                .map(|(c, k)| group.impulse(c, k))
                .collect();
            ((0..start.len()).map(both).collect::<Vec<_>>(), impulses)
        };
        let (ways, impulses) = swept(LANES);
        assert!(impulses.iter().filter(|(_, total)| *total > 0.0).count() > 6, "{impulses:?}");
        assert_eq!((ways, impulses), swept(1));
    }
}
