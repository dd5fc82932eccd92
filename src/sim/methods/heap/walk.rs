//! The way of all bodies through a substep: as far as nothing is in it.

use super::Setting;
use super::apart::apart;
use super::course::Course;
use super::moving::arrival;
use super::passage::{Passage, Way, passage};
use super::places::{Corners, Met};
use crate::sim::linear::chunks;
use crate::sim::methods::bench::Quality;
use crate::sim::pose::Pose;
use crate::sim::swept::{Swept, meeting};
use glam::DVec3;

/// Passes in which solids that come too near are moved apart, before bodies go a part of their way.
const PUSHES: u32 = 40;

/// How much farther than they must two solids are moved apart, as a part of the least distance.
const BEYOND: f64 = 0.1;

/// Part of its way in the substep by which a body may be moved to get out of the way, and how many contact distances
/// besides.
const PART_OF_WAY: f64 = 0.5;
const DISTANCES: f64 = 2.0;

/// A body on its way through a substep.
#[derive(Debug)]
pub(super) struct Walker {
    from: Pose,
    /// Where the sweeps want it.
    target: Pose,
    /// Where it goes.
    pub(super) to: Pose,
    /// Its velocity and spin there.
    pub(super) motion: [DVec3; 2],
    /// What goes straight, in the mesh's frame.
    center: DVec3,
    /// How far it has been moved to get out of the way, and may be [m].
    moved: DVec3,
    allowance: f64,
    /// Part of its way that it goes.
    pub(super) part: f64,
    /// Why it goes no farther: what is in the way.
    blocker: usize,
    inverse_mass: f64,
    /// When it was changed last.
    changed: u32,
}

/// Two pieces that may come near on their ways.
#[derive(Clone, Debug, Default)]
struct Pair {
    pieces: [u32; 2],
    bodies: [u32; 2],
    /// Direction that parts them at the start.
    normal: DVec3,
    /// How far they are apart at the end; infinitely little where they are in each other's way.
    apart: f64,
    checked: u32,
}

/// All bodies on their ways.
pub(super) struct Walk<'a> {
    setting: &'a Setting<'a>,
    corners: &'a Corners,
    pub(super) walkers: Vec<Walker>,
    /// Corners at the end, as `corners` at the start.
    to: Vec<DVec3>,
    pairs: Vec<Pair>,
    clock: u32,
}

impl<'a> Walk<'a> {
    /// All bodies where the sweeps want them.
    pub(super) fn new(
        setting: &'a Setting<'a>,
        course: &Course,
        corners: &'a Corners,
        met: &Met,
    ) -> Self {
        let Setting { model, heap, state, .. } = *setting;
        let walkers = chunks::filter_map(&model.bodies, |index, body| {
            let (target, motion) = arrival(setting, course, index);
            let inverse_mass = course.bodies.inverse_mass[index];
            let way = course.bodies.gone.get(index).velocity.length() * PART_OF_WAY;
            Some(Walker {
                from: state.poses[index],
                target,
                to: target,
                motion,
                center: body.rigid.map_or(DVec3::ZERO, |rigid| model.rigids[rigid].center),
                moved: DVec3::ZERO,
                allowance: DISTANCES * 2.0 * heap.half[index] + way,
                part: 1.0,
                blocker: index,
                inverse_mass,
                changed: 0,
            })
        });
        let mut walk =
            Self { setting, corners, walkers, to: Vec::new(), pairs: Vec::new(), clock: 0 };
        for piece in 0..heap.pieces.len() as u32 {
            heap.solid(piece).place(&walk.walkers[heap.body(piece)].to, &mut walk.to);
        }
        walk.pairs = walk.pairs(met);
        walk
    }

    fn way(&self, piece: u32) -> Way<'_> {
        let own = self.corners.range(piece);
        Way { from: &self.corners.at[own.clone()], to: &self.to[own] }
    }

    /// Pieces that may come near on their ways.
    fn pairs(&self, met: &Met) -> Vec<Pair> {
        let Setting { model, heap, .. } = *self.setting;
        let bounds = |piece: u32| {
            let (way, body) = (self.way(piece), heap.body(piece));
            let room = heap.half[body] + self.walkers[body].allowance;
            Swept::around(way.from).with(Swept::around(way.to)).widened(room)
        };
        let boxes: Vec<Swept> = (0..heap.pieces.len() as u32).map(bounds).collect();
        let found = meeting(&boxes, |a, b| heap.may_meet(model, a, b));
        let pair = |_: usize, pieces: &[u32; 2]| {
            let bodies = pieces.map(|piece| heap.body(piece) as u32);
            let new = Pair { pieces: *pieces, bodies, ..Pair::default() };
            let at = met.near.binary_search_by_key(pieces, |near| near.pieces);
            let pair = if let Ok(at) = at {
                Pair { normal: met.near[at].normal, ..new }
            } else {
                let [a, b] = pieces.map(|piece| self.way(piece).from);
                let guess = boxes[pieces[0] as usize].middle() - boxes[pieces[1] as usize].middle();
                let between = apart(a, b, guess, f64::INFINITY);
                Pair { normal: between.map_or(guess, |between| between.normal), ..new }
            };
            Pair { apart: self.apart(&pair), ..pair }
        };
        let mut pairs = Vec::new();
        chunks::map(&found, &mut pairs, pair);
        pairs
    }

    /// What becomes of a pair as its bodies go now.
    fn passage(&self, pair: &Pair) -> Passage {
        let [a, b] = pair.pieces.map(|piece| self.way(piece));
        let turned = pair.bodies.map(|body| {
            let walker = &self.walkers[body as usize];
            walker.to.rotation * (walker.from.rotation.inverse() * pair.normal)
        });
        let faces = [(0, -1.0), (1, 1.0)].into_iter().flat_map(|(side, sign)| {
            let turn = self.walkers[pair.bodies[side] as usize].to.rotation;
            let solid = self.setting.heap.solid(pair.pieces[side]);
            solid.faces.iter().map(move |face| turn * face.normal * sign)
        });
        passage(a, b, pair.normal, self.setting.model.floor, turned, faces)
    }

    /// How far a pair is apart at the end.
    fn apart(&self, pair: &Pair) -> f64 {
        match self.passage(pair) {
            Passage::Free { apart } => apart,
            Passage::Blocked { .. } => f64::NEG_INFINITY,
        }
    }

    /// Pairs that are in each other's way, sorted.
    pub(super) fn blocked(&self) -> impl Iterator<Item = [u32; 2]> {
        let blocked = |pair: &&Pair| pair.apart == f64::NEG_INFINITY;
        self.pairs.iter().filter(blocked).map(|pair| pair.pieces)
    }

    /// Moves bodies a little out of each other's way; whether none is in another's any more.
    pub(super) fn push_apart(&mut self) -> bool {
        for _ in 0..PUSHES {
            let (blocked, mended) = self.look_after(Self::push);
            if !mended {
                return !blocked;
            }
        }
        false
    }

    /// Lets bodies that are in each other's way go a part of their way.
    pub(super) fn hold_back(&mut self) {
        while self.look_after(|walk, k, _, _| walk.hold(k)).1 {}
    }

    /// Calls `mend` for each pair that is in its way, by how much and along which direction, and notes how far the others
    /// are apart; whether any was in its way, and whether any was mended.
    fn look_after(
        &mut self,
        mut mend: impl FnMut(&mut Self, usize, f64, DVec3) -> bool,
    ) -> (bool, bool) {
        let (mut blocked, mut mended) = (false, false);
        for k in 0..self.pairs.len() {
            let pair = &self.pairs[k];
            let stamps = pair.bodies.map(|body| self.walkers[body as usize].changed);
            if pair.apart >= 0.0 && stamps[0].max(stamps[1]) <= pair.checked {
                continue;
            }
            let passage = self.passage(pair);
            self.pairs[k].checked = self.clock;
            match passage {
                Passage::Free { apart } => self.pairs[k].apart = apart,
                Passage::Blocked { by, normal } => {
                    self.pairs[k].apart = f64::NEG_INFINITY;
                    blocked = true;
                    mended |= mend(self, k, by, normal);
                }
            }
        }
        (blocked, mended)
    }

    /// Moves the bodies of pair `k` apart; false where one may not be moved so far.
    fn push(&mut self, k: usize, by: f64, normal: DVec3) -> bool {
        let bodies = self.pairs[k].bodies.map(|body| body as usize);
        let inverse = bodies.map(|body| self.walkers[body].inverse_mass);
        let far = by.max(0.0) + BEYOND * self.setting.model.floor;
        let shares = [inverse[0], -inverse[1]].map(|share| share * far / (inverse[0] + inverse[1]));
        let may = |side: usize| {
            let walker = &self.walkers[bodies[side]];
            (walker.moved + normal * shares[side]).length() <= walker.allowance
        };
        if !(0..2).all(|side| inverse[side] == 0.0 || may(side)) {
            return false;
        }
        for side in (0..2).filter(|side| inverse[*side] > 0.0) {
            let shift = normal * shares[side];
            self.walkers[bodies[side]].moved += shift;
            self.walkers[bodies[side]].to.translation += shift;
            self.follow(bodies[side]);
        }
        true
    }

    /// Lets the bodies of pair `k` go a half of their way, or stay; false where they do already.
    fn hold(&mut self, k: usize) -> bool {
        let mut any = false;
        let [a, b] = self.pairs[k].bodies.map(|body| body as usize);
        for (body, other) in [(a, b), (b, a)] {
            let walker = &mut self.walkers[body];
            if walker.inverse_mass == 0.0 || walker.part == 0.0 {
                continue;
            }
            any = true;
            walker.blocker = other;
            walker.part = if walker.part == 1.0 { 0.5 } else { 0.0 };
            walker.to = if walker.part == 0.0 {
                walker.from
            } else {
                walker.from.toward(&walker.target, walker.part, walker.center)
            };
            self.follow(body);
        }
        any
    }

    /// Brings the corners of `body` to where it goes.
    fn follow(&mut self, body: usize) {
        let heap = self.setting.heap;
        self.clock += 1;
        self.walkers[body].changed = self.clock;
        let first = heap.pieces.partition_point(|piece| (piece[0] as usize) < body);
        let own = first..first + heap.solids.of_body[body].len();
        let mut corners = Vec::new();
        for piece in own.map(|piece| piece as u32) {
            corners.clear();
            heap.solid(piece).place(&self.walkers[body].to, &mut corners);
            self.to[self.corners.range(piece)].copy_from_slice(&corners);
        }
    }

    /// How near everything has come, and what was held back.
    pub(super) fn measure(&self, quality: &mut Quality) {
        for pair in &self.pairs {
            let [a, b] = pair.bodies.map(|body| body as usize);
            let bodies = [a.min(b), a.max(b)];
            let distance = self.setting.heap.half[a] + self.setting.heap.half[b];
            // Two that stay are as they were.
            let apart = if pair.apart < 0.0 { self.setting.model.floor } else { pair.apart };
            if apart > distance {
                continue;
            }
            if apart < quality.closest {
                (quality.closest, quality.closest_bodies) = (apart, bodies);
            }
            let pressed = (distance - apart) / distance;
            quality.pressed_in = quality.pressed_in.max(pressed);
            quality.note_depth(bodies, pressed, apart);
        }
        for (body, walker) in self.walkers.iter().enumerate() {
            if walker.part < 1.0 {
                let from = walker.target.place(walker.center);
                let lost = from.distance(walker.to.place(walker.center));
                if lost > quality.held_back {
                    (quality.held_back, quality.held_bodies) = (lost, [body, walker.blocker]);
                }
            }
        }
    }
}
