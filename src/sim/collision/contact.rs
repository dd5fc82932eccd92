//! Contact rows: where two surfaces press on each other, with normal and friction force.
//!
//! The normal and the weights of a row are frozen at a feasible base; it is pressed in below its contact
//! distance against its [`Layer`]. Newton's iteration knows the normal force as a variable of its own (the dual
//! one), and takes the layer as straight about it.
//!
//! Friction is the Moreau envelope of Coulomb's law (an augmented Lagrangian, Hestenes 1969, Powell
//! 1969) with a lagged radius: `q = lambda_t - rho u`, force `q` cut to length `mu * lambda`.

use super::borne::{has_place, is_borne_at_corners, leave_out_borne};
use super::candidates::{Candidate, Candidates, longest_difference};
use super::contact_distance::{
    NEAR, SURELY, contact_distance, is_surely_far_at_rest, whole_distance,
};
use super::footing::Footing;
use super::layer::{Layer, Line, relief};
use super::load::{Load, load_of};
use super::pinched::brace;
use super::place::{Key, is_askew, key};
use crate::math::outer;
use crate::sim::linear::bodies::Grip;
use crate::sim::linear::chunks;
use crate::sim::model::{Model, Spread};
use glam::{DMat3, DVec3};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Force carried by a row, remembered from substep to substep.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Memory {
    /// The row.
    pub(crate) key: Key,
    /// Normal force [N].
    pub(crate) normal_force: f64,
    /// Stiffness that its layer needs for what it bears [N/m].
    pub(crate) stiffness: f64,
    /// Friction force on the first primitive [N].
    pub(crate) friction_force: DVec3,
    /// Normal at which they acted.
    pub(crate) normal: DVec3,
    /// See [`Row::waits`].
    pub(crate) waits: bool,
}

/// One place of contact.
#[derive(Clone, Debug, Default)]
pub(crate) struct Row {
    pub(crate) key: Key,
    pub(crate) nodes: [u32; 4],
    pub(crate) weights: [f64; 4],
    /// How many of the nodes are the first primitive's.
    pub(crate) split: u8,
    /// From the second primitive to the first.
    pub(crate) normal: DVec3,
    /// What it presses against.
    pub(crate) layer: Layer,
    /// The layer about the normal force that Newton's last step foresaw; at first that of the substep or round before.
    pub(crate) line: Line,
    /// Friction coefficient.
    pub(crate) friction: f64,
    /// Penalty of slip [N/m].
    pub(crate) rho: f64,
    /// Normal force of the iterate before [N]: what friction goes by.
    pub(crate) lambda: f64,
    /// Multiplier: friction force [N].
    pub(crate) lambda_t: DVec3,
    /// From its second place to its first at the start of the substep [m].
    pub(crate) at_start: DVec3,
    /// Bodies, lower first.
    pub(crate) bodies: [u32; 2],
    /// It bears on what is given, whose motion it made wait: its layer grows hard by what it bears all the same.
    pub(crate) waits: bool,
    /// Where its blocks lie, if it acts on points alone, or on points and what is given.
    pub(crate) footing: Option<Footing>,
}

/// A sum of places on a rigid body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hold {
    /// Number of the rigid body.
    pub(crate) rigid: usize,
    /// Sum of the places' weights.
    pub(crate) weight: f64,
    /// Weighted sum of the places, from the body's centre [m].
    pub(crate) place: DVec3,
}

/// Force of a row at an iterate, and its tangent `rho * block`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowForce {
    /// Force on the first primitive [N]; the second gets the opposite.
    pub(crate) force: DVec3,
    /// Symmetric, positive semi-definite; the Hessian block of nodes i and j is `w_i w_j` times it [N/m].
    pub(crate) block: DMat3,
}

impl Row {
    /// The difference of its places in nodes that are solved for.
    pub(crate) fn spread(&self, model: &Model) -> Spread {
        model.spread(&self.nodes, &self.weights, usize::from(self.split))
    }

    /// Where it holds of rigid bodies at `z`, of which `grips` tell, and nothing where a side is given; none
    /// where a side is neither.
    pub(crate) fn holds(
        &self,
        model: &Model,
        grips: &[Grip],
        z: &[DVec3],
    ) -> Option<[Option<Hold>; 2]> {
        if grips.is_empty() {
            return None;
        }
        let split = usize::from(self.split);
        let mut holds = [None; 2];
        for (hold, side) in holds.iter_mut().zip([0..split, split..4]) {
            let first = self.nodes[side.start] as usize;
            if first >= model.carried_end {
                continue;
            }
            let body = model.surface.body_of_node[first] as usize;
            let rigid = model.bodies[body].rigid?;
            let (mut weight, mut place) = (0.0, DVec3::ZERO);
            for k in side {
                weight += self.weights[k];
                place += (z[self.nodes[k] as usize] - grips[rigid].center) * self.weights[k];
            }
            *hold = Some(Hold { rigid, weight, place });
        }
        Some(holds)
    }

    /// The gap's excess over the contact distance at `z` [m]; negative where pressed in.
    pub(crate) fn gap(&self, z: &[DVec3]) -> f64 {
        self.gap_of(self.relative(z))
    }

    /// The gap with node positions from `x`.
    pub(crate) fn gap_with(&self, x: impl Fn(usize) -> DVec3) -> f64 {
        self.gap_of(self.relative_of(&self.nodes.map(|i| x(i as usize))))
    }

    /// The gap with its sides apart by `relative`.
    #[inline]
    fn gap_of(&self, relative: DVec3) -> f64 {
        self.normal.dot(relative) - self.layer.distance
    }

    #[inline]
    fn relative(&self, x: &[DVec3]) -> DVec3 {
        self.relative_of(&self.nodes.map(|i| x[i as usize]))
    }

    /// As [`Row::relative`], with the places of its nodes.
    #[inline]
    fn relative_of(&self, places: &[DVec3; 4]) -> DVec3 {
        places.iter().zip(self.weights).map(|(place, weight)| *place * weight).sum()
    }

    /// Takes over the normal force that the step to `z` foresaw.
    pub(crate) fn foresee(&mut self, z: &[DVec3]) {
        self.foresee_at(&self.nodes.map(|i| z[i as usize]));
    }

    /// As [`Row::foresee`], with the places of its nodes.
    pub(crate) fn foresee_at(&mut self, places: &[DVec3; 4]) {
        let gap = self.gap_of(self.relative_of(places));
        self.line = self.layer.line(self.line.at(-gap).0);
    }

    /// Friction force with its sides apart by `relative` [N], and the uncut `q`.
    fn friction_force(&self, relative: DVec3) -> (DVec3, DVec3, f64) {
        let radius = self.friction * self.lambda;
        let u = relative - self.at_start;
        let q = self.lambda_t - (u - self.normal * self.normal.dot(u)) * self.rho;
        let length = q.length();
        if length <= radius { (q, q, radius) } else { (q * (radius / length), q, radius) }
    }

    /// Force and tangent at `z`, of the layer as straight about the force foreseen; none where the row is open.
    pub(crate) fn force(&self, z: &[DVec3]) -> Option<RowForce> {
        self.force_at(&self.nodes.map(|i| z[i as usize]))
    }

    /// As [`Row::force`], with the places of its nodes.
    pub(crate) fn force_at(&self, places: &[DVec3; 4]) -> Option<RowForce> {
        let relative = self.relative_of(places);
        let (normal_force, normal_slope) = self.line.at(-self.gap_of(relative));
        let slides = self.friction > 0.0 && self.lambda > 0.0;
        if normal_force <= 0.0 && !slides {
            return None;
        }
        let n = self.normal;
        let along = outer(n, n);
        let mut force = n * normal_force;
        let mut block = along * normal_slope;
        if slides {
            let (cut, q, radius) = self.friction_force(relative);
            force += cut;
            let length = q.length();
            let tangent = DMat3::IDENTITY - along;
            if length <= radius {
                block += tangent * self.rho;
            } else {
                let d = q / length;
                let across = tangent - outer(d, d);
                block += across * (self.rho * radius / length);
            }
        }
        Some(RowForce { force, block })
    }

    /// Whether what was carried before acts nearly along its normal.
    fn suits(&self, memory: &Memory) -> bool {
        memory.normal.dot(self.normal) > 0.5
    }

    /// Takes over what was carried before, if it suits.
    fn take(&mut self, memory: &Memory) -> bool {
        if self.suits(memory) {
            self.lambda = memory.normal_force;
            self.line = self.layer.line(memory.normal_force);
            let t = memory.friction_force;
            self.lambda_t = t - self.normal * self.normal.dot(t);
        }
        self.suits(memory)
    }

    /// Moves the multipliers to the forces at `z`.
    pub(crate) fn update_multipliers(&mut self, z: &[DVec3]) {
        let (cut, ..) = self.friction_force(self.relative(z));
        self.lambda = self.line.force;
        let radius = self.friction * self.lambda;
        let length = cut.length();
        self.lambda_t = if length > radius { cut * (radius / length) } else { cut };
    }
}

/// Penalty and stiffness of a row against the masses that it moves, in units of `m / h^2` with the
/// substep for the penalty and the scene's longest substep for the stiffness: between two sheets small
/// enough that conjugate gradients keep their pace, larger against what does not give.
const RHO_BETWEEN_FREE: f64 = 20.0;
const RHO_AGAINST_GIVEN: f64 = 60.0;

/// Stiffness of the elastic layer, in the same units, as a multiple of the penalty.
const LAYER: f64 = 3.0;

/// The same where nothing gives: a part of that penalty, and of it a multiple, so that the layer is 3.3 times as stiff.
/// One as soft as cloth's does not stop what falls on a heap, and the guard has to; one that is stiffer still
/// lets balls of triangles lose more at each. A larger penalty makes Newton's iteration wander between
/// sticking and sliding, a smaller one lets towers lean while they settle.
const RIGID_RHO: f64 = 0.3;
const RIGID_LAYER: f64 = 33.0;

/// Penalty of rigid bodies of `mass` [kg] on what is given, in a substep of `h` [N/m].
pub(super) fn resistance(mass: f64, h: f64) -> f64 {
    RIGID_RHO * RHO_AGAINST_GIVEN * mass / (h * h)
}

/// What the layer takes a solid's own stiffness at a node for, as a part: between two solids it is then 0.6
/// times as stiff as what is behind it, on the ground 1.8 times. One that goes by the node's mass alone is many
/// times softer than the cells that press on it, and whatever falls goes so deep that its steps are cut.
const BACKING: f64 = 0.01;

/// One over the mass of a node [1/kg] together with what its cells hold it by, `held` [N/m], as a mass that is as
/// hard to move in `step` seconds.
pub(crate) fn backed(inverse_mass: f64, held: f64, step: f64) -> f64 {
    inverse_mass / (1.0 + inverse_mass * BACKING * held * step * step)
}

/// Pairs measured at a feasible base, and all nodes there and at the start of the substep.
pub(crate) struct Pairs<'a> {
    pub(crate) candidates: &'a Candidates,
    pub(crate) base: &'a [DVec3],
    pub(crate) start: &'a [DVec3],
}

impl Pairs<'_> {
    /// The name of the place of pair `i` where it wants a row: where the iterate `z` lies near or beyond its
    /// contact distance, and something there can move.
    fn place(&self, model: &Model, i: usize, z: &[DVec3], inverse_mass: &[f64]) -> Option<Key> {
        let (pair, distance) = (&self.candidates.pairs[i], self.candidates.distances[i]);
        if distance.is_bound() {
            return None;
        }
        // Closest points only of what may be near enough.
        let (apart, nearer) = (distance.length(), self.comes_nearer(pair, z));
        if apart > (pair.sum_of_longest(&model.reach) + nearer) * SURELY {
            return None;
        }
        // Nor of neighbours that rest much nearer to each other than they come.
        let least = pair.sum_of_least(&model.half_thickness) + crate::sim::model::SKIN;
        if apart < 2.0 * least && is_surely_far_at_rest(model, pair, apart - nearer) {
            return None;
        }
        let close = &pair.closest(self.base);
        let d = close.offset.length();
        let along = |k: usize| close.offset.dot(z[pair.nodes[k] as usize]) * close.weights[k];
        let nearest = d.min((0..4).map(along).sum::<f64>() / d);
        let is_far = |distance: f64| nearest > NEAR * distance;
        let whole = whole_distance(model, pair, close);
        if is_far(whole) || is_far(contact_distance(model, pair, close, d)) {
            return None;
        }
        let key = key(model, pair, close.feature)?;
        if is_borne_at_corners(model, pair, key, whole) || is_askew(model, pair, close, self.base) {
            return None;
        }
        let moves = inverse_of(model, pair, &close.weights, inverse_mass) > 0.0;
        moves.then_some(key)
    }

    /// How much nearer to each other the places of a pair are at `z` than at the base, at most [m].
    fn comes_nearer(&self, pair: &Candidate, z: &[DVec3]) -> f64 {
        let way = pair.nodes.map(|i| z[i as usize] - self.base[i as usize]);
        longest_difference(pair.kind, way)
    }

    /// The row of pair `i`, which [`Pairs::place`] names `key`.
    fn row(
        &self,
        model: &Model,
        i: usize,
        key: Key,
        inverse_mass: &[f64],
        backing: &[f64],
        loads: &[Load],
        h: f64,
        time: f64,
    ) -> Row {
        let pair = &self.candidates.pairs[i];
        let close = &pair.closest(self.base);
        let d = close.offset.length();
        let distance = contact_distance(model, pair, close, d);
        let bodies = bodies_of(model, pair);
        let friction = model.pair_friction(pair, close, bodies, time);
        // The same place must have the same side as its first, whichever pair it was found by.
        let side =
            if key.0 >= 2 && !pair.nodes[..pair.split()].contains(&key.1) { -1.0 } else { 1.0 };
        let weights = close.weights.map(|w| w * side);
        let normal = close.offset * (side / d);
        // What stands is as hard as it is when it moves: what lies on it must not be pushed off when it comes to rest.
        let standing = inverse_of_standing(model, pair, &weights);
        let inverse = inverse_of(model, pair, &weights, inverse_mass) + standing;
        let backed = inverse_of(model, pair, &weights, backing) + standing;
        let given = standing == 0.0 && pair.nodes.iter().any(|&i| i as usize >= model.carried_end);
        let rigid = bodies.iter().all(|&body| model.keeps_its_shape(body as usize));
        let (penalty, layer) = match (rigid, given) {
            (false, false) => (RHO_BETWEEN_FREE, LAYER),
            (false, true) => (RHO_AGAINST_GIVEN, LAYER),
            (true, false) => (RIGID_RHO * RHO_BETWEEN_FREE, RIGID_LAYER),
            (true, true) => (RIGID_RHO * RHO_AGAINST_GIVEN, RIGID_LAYER),
        };
        let at_start = |k: usize| normal.dot(self.start[pair.nodes[k] as usize]) * weights[k];
        let start_gap = (0..4).map(at_start).sum::<f64>() - distance;
        let rho = penalty / (inverse * h * h);
        let by_mass = layer * penalty / (backed * model.contact_step * model.contact_step);
        let load = load_of(loads, pair, &weights);
        let waits = given && load.waits;
        // What slides on what is given is to bear at once as it does later, or it slips until it has borne. But what is given
        // must not wait for what a layer by mass is too soft to press back.
        let bears = if given && !waits { load.beyond() } else { Some(load) };
        let stays = rigid || is_on_cells(model, pair);
        let times = bears.filter(|_| !stays).map_or(1.0, |load| load.times(by_mass));
        let layer = Layer {
            distance,
            stiffness: times * by_mass,
            damper: rho,
            hard_damper: rigid,
            start_depth: (-start_gap).max(0.0),
        };
        let mut row = Row {
            key,
            nodes: pair.nodes,
            weights,
            split: pair.split() as u8,
            normal,
            layer,
            line: layer.line(0.0),
            friction,
            // Of harder layers fewer places bear, each of them more, and are to slip no farther for it.
            rho: rho * times,
            lambda: 0.0,
            lambda_t: DVec3::ZERO,
            at_start: DVec3::ZERO,
            bodies: [bodies[0].min(bodies[1]), bodies[0].max(bodies[1])],
            waits,
            footing: Footing::new(model, &pair.nodes, pair.split()),
        };
        row.at_start = row.relative(self.start);
        row
    }
}

/// Whether a node of a pair is one of a solid.
fn is_on_cells(model: &Model, pair: &Candidate) -> bool {
    let held = |i: &u32| model.held_by_cells.get(*i as usize).is_some_and(|held| *held > 0.0);
    pair.nodes.iter().any(held)
}

/// Bodies of the two primitives of a pair.
fn bodies_of(model: &Model, pair: &Candidate) -> [u32; 2] {
    [pair.nodes[0], pair.nodes[3]].map(|i| model.surface.body_of_node[i as usize])
}

/// One over the mass that moves when the two places of a pair are pushed apart [1/kg].
fn inverse_of(model: &Model, pair: &Candidate, weights: &[f64; 4], inverse_mass: &[f64]) -> f64 {
    let carried = model.free_count..model.carried_end;
    if pair.nodes.iter().any(|i| carried.contains(&(*i as usize))) {
        return model.spread(&pair.nodes, weights, pair.split()).inverse_mass(inverse_mass);
    }
    pair.nodes.iter().zip(weights).map(|(i, w)| w * w * inverse_mass[*i as usize]).sum()
}

/// The part of [`inverse_of`] that bodies which stand would have if they moved [1/kg].
fn inverse_of_standing(model: &Model, pair: &Candidate, weights: &[f64; 4]) -> f64 {
    if model.standing.is_empty() {
        return 0.0;
    }
    let side = |range: Range<usize>| {
        let rigid = model.stands(pair.nodes[range.start])?;
        let mut shares = [0.0; 4];
        for k in range {
            let own = rigid.weights(model.rest[pair.nodes[k] as usize]);
            shares.iter_mut().zip(own).for_each(|(share, own)| *share += weights[k] * own);
        }
        Some(shares.iter().map(|share| share * share).sum::<f64>() * 4.0 / rigid.mass)
    };
    let split = pair.split();
    side(0..split).unwrap_or(0.0) + side(split..4).unwrap_or(0.0)
}

/// Rows for all pairs that press or are about to, sorted by key, each place once, and none that others bear for.
///
/// `z` is the iterate of the solution. `memory` is sorted by key.
pub(crate) fn collect_rows(
    model: &Model,
    pairs: &Pairs<'_>,
    z: &[DVec3],
    inverse_mass: &[f64],
    backing: &[f64],
    loads: &[Load],
    h: f64,
    time: f64,
    memory: &[Memory],
    rows: &mut Vec<Row>,
) {
    // A place is found by many pairs, and rows are large: only the first pair of each is made one.
    // Key and number of the pair in one number are sorted in half the time.
    let find = |i: usize, _: &Candidate| {
        let (kind, a, b) = pairs.place(model, i, z, inverse_mass)?;
        let parts = [u32::from(kind), a, b, i as u32];
        Some(parts.into_iter().fold(0, |all, part| all << 32 | u128::from(part)))
    };
    let mut order = chunks::find_sorted(&pairs.candidates.pairs, find, |a, b| a >> 32 == b >> 32);
    let part = |entry: &u128, bit: u32| (entry >> bit) as u32;
    let key = |entry: &u128| (part(entry, 96) as u8, part(entry, 64), part(entry, 32));
    leave_out_borne(&model.surface, &mut order, key);
    chunks::map(&order, rows, |_, entry| {
        pairs.row(model, part(entry, 0) as usize, key(entry), inverse_mass, backing, loads, h, time)
    });
    brace(model, rows, h);
    recall(rows, memory);
}

/// How far a place may be pressed in without a row until the next substep finds it, as a part of its contact
/// distance: the layer of what gives is pressed in by more than that anyway, where it rests or rolls.
const MISSED: f64 = 0.01;
const MISSED_BY_CELLS: f64 = 0.1;

/// Whether some place is pressed in at `x` by more than a hundredth of its contact distance, on cells by more than a
/// tenth, and has no row among `rows`; the closest points of `pairs` are those at `x`.
pub(crate) fn is_missing_rows(
    model: &Model,
    pairs: &Pairs<'_>,
    x: &[DVec3],
    inverse_mass: &[f64],
    rows: &[Row],
) -> bool {
    let keys: Vec<Key> = rows.iter().map(|row| row.key).collect();
    let missing = chunks::filter_map(&pairs.candidates.pairs, |i, pair| {
        let distance = pairs.candidates.distances[i];
        let d = distance.length();
        // Closest points only of what may be near enough.
        if distance.is_bound() || d >= pair.sum_of_longest(&model.reach) * (SURELY / NEAR) {
            return None;
        }
        let close = &pair.closest(pairs.base);
        let missed = if is_on_cells(model, pair) { MISSED_BY_CELLS } else { MISSED };
        let pressed = d < (1.0 - missed) * whole_distance(model, pair, close)
            && d < (1.0 - missed) * contact_distance(model, pair, close, d);
        let name = key(model, pair, close.feature).filter(|_| pressed)?;
        // Mostly it has a row, which is found sooner than whether it wants one.
        if has_place(&model.surface, &keys, name) {
            return None;
        }
        pairs.place(model, i, x, inverse_mass)
    });
    !missing.is_empty()
}

/// Gives rows the forces that the same places carried before, unless the normal has turned by more
/// than 60 degrees since. A vertex that has come from one face or edge to the next brings along what
/// it carried there.
fn recall(rows: &mut [Row], memory: &[Memory]) {
    let mut used = vec![false; memory.len()];
    let mut open = Vec::new();
    let mut m = 0;
    for (r, row) in rows.iter_mut().enumerate() {
        while m < memory.len() && memory[m].key < row.key {
            m += 1;
        }
        if m < memory.len() && memory[m].key == row.key {
            used[m] = row.take(&memory[m]);
        } else if matches!(row.key.0, 0 | 2) {
            open.push(r);
        }
    }
    for r in open {
        let vertex = rows[r].key.1;
        for kind in [0, 2] {
            let from = memory.partition_point(|m| m.key < (kind, vertex, 0));
            let own = memory[from..].iter().take_while(|m| (m.key.0, m.key.1) == (kind, vertex));
            let left = (from..).zip(own).find(|(m, known)| !used[*m] && rows[r].suits(known));
            if let Some((m, known)) = left {
                used[m] = rows[r].take(known);
                break;
            }
        }
    }
}

/// The forces to remember.
pub(crate) fn remember(model: &Model, rows: &[Row], h: f64, memory: &mut Vec<Memory>) {
    let relief = relief(h / model.contact_step);
    memory.clear();
    memory.extend(rows.iter().filter(|r| r.lambda > 0.0).map(|r| Memory {
        key: r.key,
        normal_force: r.lambda,
        stiffness: r.layer.needs(r.line.depth, relief),
        friction_force: r.lambda_t,
        normal: r.normal,
        waits: r.waits,
    }));
}
