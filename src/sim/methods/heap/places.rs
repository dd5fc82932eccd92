//! All places of a heap where solids touch or soon will, with the impulses there.

use super::colours::{Colours, Contact, Found, Group, Spot};
use super::course::Course;
use super::solids::Solid;
use super::touch::{Place, Placed, Touch, find};
use super::{Heap, Setting};
use crate::sim::collision::contact::Memory;
use crate::sim::collision::distance::edge_edge;
use crate::sim::collision::place::Key;
use crate::sim::linear::chunks;
use crate::sim::model::Model;
use crate::sim::part::bodies_of;
use crate::sim::state::State;
use crate::sim::swept::{Swept, meeting};
use glam::DVec3;
use std::ops::Range;

/// Least cosine between the normals of a place now and before that are those of one place.
const SAME_SIDE: f64 = 0.5;

/// Two pieces that are near, and how.
#[derive(Debug)]
pub(super) struct Near {
    pub(super) pieces: [u32; 2],
    /// Direction from the second to the first that parts them.
    pub(super) normal: DVec3,
}

/// A place, as the memory has it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Name {
    key: Key,
    /// 1 if the first body is the first of it, else -1.
    sign: f64,
    /// Where it is [m].
    at: DVec3,
}

/// A place of the substep before, as it is found again.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    /// Its bodies, lower number first.
    bodies: [u32; 2],
    /// Its number in the memory.
    memory: u32,
    /// The first body of its key.
    first: u32,
    /// Where it is now [m].
    at: DVec3,
}

/// Where all corners of all pieces are.
#[derive(Debug)]
pub(super) struct Corners {
    /// One piece after the other [m].
    pub(super) at: Vec<DVec3>,
    /// First corner of each piece, and behind the last.
    first: Vec<usize>,
}

impl Corners {
    /// Those of the bodies in `state`.
    pub(super) fn new(heap: &Heap, state: &State) -> Self {
        let mut own = Self { at: Vec::new(), first: vec![0] };
        for piece in 0..heap.pieces.len() as u32 {
            heap.solid(piece).place(&state.poses[heap.body(piece)], &mut own.at);
            own.first.push(own.at.len());
        }
        own
    }

    pub(super) fn range(&self, piece: u32) -> Range<usize> {
        self.first[piece as usize]..self.first[piece as usize + 1]
    }

    pub(super) fn of(&self, piece: u32) -> &[DVec3] {
        &self.at[self.range(piece)]
    }
}

/// Pairs of a block.
const PAIRS: usize = 128;

/// Pairs that may meet, and what is found of them.
struct Block<'a> {
    pairs: &'a [[u32; 2]],
    near: Vec<Near>,
    contacts: Found<Name>,
}

impl<'a> Block<'a> {
    fn of(pairs: &'a [[u32; 2]]) -> Self {
        Self { pairs, near: Vec::with_capacity(pairs.len()), contacts: Found::default() }
    }
}

/// What meets in a substep.
pub(super) struct Met {
    /// Sorted by their pieces.
    pub(super) near: Vec<Near>,
    pub(super) contacts: Colours<Name>,
}

impl Met {
    /// Finds what meets where the bodies are, until they have moved as they do for the substep's time, and besides the pairs
    /// of pieces `also` (sorted).
    pub(super) fn find(
        setting: &Setting<'_>,
        course: &Course,
        corners: &Corners,
        also: &[[u32; 2]],
    ) -> Self {
        let Setting { model, heap, state, h, .. } = *setting;
        let body = |piece: u32| heap.body(piece);
        let count = heap.pieces.len() as u32;
        // How far a corner may go.
        let reach: Vec<f64> = (0..count)
            .map(|piece| reach(setting, course, body(piece), corners.of(piece)))
            .collect();
        let ways: Vec<DVec3> = course.ways(h);
        let boxes: Vec<Swept> = (0..count)
            .map(|piece| {
                let own = Swept::around(corners.of(piece)).along(ways[body(piece)]);
                own.widened(reach[piece as usize] + heap.half[body(piece)])
            })
            .collect();
        let mut pairs = meeting(&boxes, |a, b| heap.may_meet(model, a, b));
        let sooner = pairs.len();
        pairs.extend(also);
        if pairs.len() > sooner {
            pairs.sort_unstable();
            pairs.dedup();
        }
        let look = |pair: &[u32; 2], touch: &mut Touch| -> Option<Near> {
            let [a, b] = *pair;
            let placed = |piece: u32| heap.placed(model, state, piece, corners.of(piece));
            let way = (ways[body(a)] - ways[body(b)]).length();
            let rest = heap.half[body(a)] + heap.half[body(b)];
            let room = if also.binary_search(pair).is_ok() {
                f64::INFINITY
            } else {
                rest + way + reach[a as usize] + reach[b as usize]
            };
            let guess = boxes[a as usize].middle() - boxes[b as usize].middle();
            let normal = find(&placed(a), &placed(b), guess, room, touch)?;
            Some(Near { pieces: *pair, normal })
        };
        let mut blocks: Vec<Block<'_>> = pairs.chunks(PAIRS).map(Block::of).collect();
        chunks::for_each_of(pairs.len(), &mut blocks, |block| {
            let mut touch = Touch::default();
            for pair in block.pairs {
                let Some(near) = look(pair, &mut touch) else { continue };
                let bodies = pair.map(body);
                if let Some(nearest) = touch.nearest {
                    add(&mut block.contacts, setting, course, bodies, near.normal, &[nearest]);
                }
                if !touch.places.is_empty() {
                    add(&mut block.contacts, setting, course, bodies, touch.normal, &touch.places);
                }
                block.near.push(near);
            }
        });
        let both = blocks.into_iter().map(|block| (block.near, block.contacts));
        let (near, all): (Vec<_>, Vec<_>) = both.unzip();
        let contacts = Colours::new(&all, &course.bodies.inverse_mass);
        Self { near: near.into_iter().flatten().collect(), contacts }
    }

    /// Begins with the forces of the substep before, for a part of `dt` seconds: each at the place of the same two bodies
    /// that is nearest to where it was, since what faces have in common may go by other names soon.
    pub(super) fn recall(&mut self, setting: &Setting<'_>, dt: f64) {
        let Setting { model, state, .. } = *setting;
        let mut known: Vec<Known> = Vec::new();
        chunks::map(&state.memory, &mut known, |i, memory| {
            let [a, b] = bodies_of(model, memory.key).map(|body| body as u32);
            let at = place_of(model, state, memory.key);
            Known { bodies: [a.min(b), a.max(b)], memory: i as u32, first: a, at }
        });
        known.sort_unstable_by_key(|known| (known.bodies, known.memory));
        let mut own = Vec::new();
        let mut groups = self.contacts.groups();
        for (g, group) in groups.iter_mut().enumerate() {
            for (c, contact) in (0..).zip(&group.contacts) {
                own.push((contact.sorted_bodies(), g, c));
            }
            group.forget();
        }
        own.sort_unstable();
        let mut begin = 0;
        for own in own.chunk_by(|a, b| a.0 == b.0) {
            let bodies = own[0].0;
            begin += known[begin..].partition_point(|known| known.bodies < bodies);
            let end = begin + known[begin..].partition_point(|known| known.bodies == bodies);
            for known in &known[begin..end] {
                recall_one(&mut groups, own, known, &state.memory[known.memory as usize], dt);
            }
            begin = end;
        }
    }

    /// Forces to be remembered, sorted, after a part of `dt` seconds.
    pub(super) fn memory(&mut self, dt: f64) -> Vec<Memory> {
        let mut memory = Vec::new();
        self.contacts.for_each(|contact, name, impulse, _| {
            if impulse[0] > 0.0 {
                let [normal, u, w] = contact.axes;
                memory.push(Memory {
                    key: name.key,
                    normal_force: impulse[0] / dt,
                    stiffness: 0.0,
                    friction_force: (u * impulse[1] + w * impulse[2]) * (name.sign / dt),
                    normal: normal * name.sign,
                    waits: false,
                });
            }
        });
        memory.sort_by_key(|m| m.key);
        memory.dedup_by_key(|m| m.key);
        memory
    }

    /// Of each body whether anything pressed on it.
    pub(super) fn pressed(&mut self, bodies: usize) -> Vec<bool> {
        let mut pressed = vec![false; bodies];
        self.for_pressing(|[a, b], _| {
            pressed[a as usize] = true;
            pressed[b as usize] = true;
        });
        pressed
    }

    /// Calls `each` with the bodies and the impulse in the whole substep of each place that pressed.
    pub(super) fn for_pressing(&mut self, mut each: impl FnMut([u32; 2], f64)) {
        self.contacts.for_each(|contact, _, _, total| {
            if total > 0.0 {
                each(contact.bodies, total);
            }
        });
    }
}

/// Gives what is remembered to the nearest place of some contacts: those of two bodies, by group and number.
fn recall_one(
    groups: &mut [&mut Group<Name>],
    contacts: &[([u32; 2], usize, usize)],
    known: &Known,
    memory: &Memory,
    dt: f64,
) {
    let sign = |contact: &Contact| if contact.bodies[0] == known.first { 1.0 } else { -1.0 };
    let mut best: Option<(f64, usize, usize, usize)> = None;
    for &(_, g, c) in contacts {
        let group = &groups[g];
        let contact = &group.contacts[c];
        if memory.normal.dot(contact.axes[0]) * sign(contact) < SAME_SIDE {
            continue;
        }
        for k in contact.range() {
            let off = group.names[k].at.distance_squared(known.at);
            if best.is_none_or(|(least, ..)| off < least) {
                best = Some((off, g, c, k));
            }
        }
    }
    let Some((_, g, c, k)) = best else { return };
    let group = &mut *groups[g];
    let contact = &group.contacts[c];
    let friction = memory.friction_force * (sign(contact) * dt);
    let [_, u, w] = contact.axes;
    group.add_impulse(c, k, [memory.normal_force * dt, friction.dot(u), friction.dot(w)]);
}

/// How far the spin of `body` may take a corner in the substep [m].
fn reach(setting: &Setting<'_>, course: &Course, body: usize, corners: &[DVec3]) -> f64 {
    let Setting { model, state, h, .. } = *setting;
    let Some(rigid) = model.bodies[body].rigid else { return 0.0 };
    let center = state.poses[body].place(model.rigids[rigid].center);
    let far = corners.iter().map(|p| p.distance_squared(center)).fold(0.0, f64::max);
    h * course.spin(body).length() * far.sqrt()
}

/// Adds a contact.
fn add(
    all: &mut Found<Name>,
    setting: &Setting<'_>,
    course: &Course,
    bodies: [usize; 2],
    normal: DVec3,
    places: &[Place],
) {
    let Setting { model, heap, state, .. } = *setting;
    let friction = heap.friction(model, bodies, state.time);
    let (u, w) = normal.any_orthonormal_pair();
    let axes = [normal, u, w];
    let begin = all.spots.len() as u32;
    let center = |body: usize| {
        let rigid = model.bodies[body].rigid;
        rigid.map_or(DVec3::ZERO, |r| state.poses[body].place(model.rigids[r].center))
    };
    let centers = bodies.map(center);
    let inverse_mass = bodies.map(|body| course.bodies.inverse_mass[body]);
    let roots = bodies.map(|body| &course.drives[body].root);
    for Place { key, first_is_first, at, gap } in places {
        let arms = centers.map(|center| *at - center);
        all.spots.push(Spot::new(&axes, arms, inverse_mass, roots, *gap));
        all.names.push(Name { key: *key, sign: if *first_is_first { 1.0 } else { -1.0 }, at: *at });
    }
    let spots = [begin, all.spots.len() as u32];
    let distance = heap.half[bodies[0]] + heap.half[bodies[1]];
    let bodies = bodies.map(|body| body as u32);
    all.contacts.push(Contact { bodies, axes, spots, friction, distance });
}

/// Where the place `key` is in `state` [m].
fn place_of(model: &Model, state: &State, key: Key) -> DVec3 {
    let node = |i: u32| state.positions[i as usize];
    let ends = |edge: u32| model.surface.edges[edge as usize].map(node);
    match key.0 {
        1 => {
            let ([a, b], [c, d]) = (ends(key.1), ends(key.2));
            let close = edge_edge([a, b, c, d]);
            a * close.weights[0] + b * close.weights[1]
        }
        _ => node(key.1),
    }
}

impl Heap {
    /// Body of a piece.
    pub(super) fn body(&self, piece: u32) -> usize {
        self.pieces[piece as usize][0] as usize
    }

    /// The solid of a piece.
    pub(super) fn solid(&self, piece: u32) -> &Solid {
        let [body, solid] = self.pieces[piece as usize];
        &self.solids.of_body[body as usize][solid as usize]
    }

    /// Whether two pieces may touch.
    pub(super) fn may_meet(&self, model: &Model, a: u32, b: u32) -> bool {
        let (a, b) = (self.body(a), self.body(b));
        a != b && model.pair_collides(a, b)
    }

    /// A piece where its body is, with its corners there.
    fn placed<'a>(
        &'a self,
        model: &Model,
        state: &'a State,
        piece: u32,
        corners: &'a [DVec3],
    ) -> Placed<'a> {
        let body = self.body(piece);
        let surface = &model.surface;
        let first = [
            model.bodies[body].nodes.start as u32,
            surface.body_edges[body].start,
            surface.body_triangles[body].start,
        ];
        Placed { solid: self.solid(piece), pose: &state.poses[body], corners, first }
    }

    /// Friction coefficient of two bodies.
    fn friction(&self, model: &Model, [a, b]: [usize; 2], time: f64) -> f64 {
        if model.scene.contact_pairs.is_empty() {
            return (self.friction[a] * self.friction[b]).sqrt();
        }
        model.bodies_friction(a, b, time)
    }
}
