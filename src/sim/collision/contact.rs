//! Contact rows: where two surfaces press on each other, with normal and friction force.
//!
//! The normal and the weights of a row are frozen at a feasible base; it is pressed in below its contact
//! distance against its [`Layer`]. Newton's iteration knows the normal force as a variable of its own (the dual
//! one), and takes the layer as straight about it.
//!
//! Friction is the Moreau envelope of Coulomb's law (an augmented Lagrangian, Hestenes 1969, Powell
//! 1969) with a lagged radius: `q = lambda_t - rho u`, force `q` cut to length `mu * lambda`.

use super::borne::{has_row, is_borne_at_corners, leave_out_borne};
use super::candidates::{Candidate, Candidates, Kind, longest_difference};
use super::distance::{Closest, Feature};
use super::footing::Footing;
use super::layer::{Layer, Line, relief};
use super::surface::{FLAT, Surface};
use crate::math::outer;
use crate::sim::linear::bodies::Grip;
use crate::sim::linear::chunks;
use crate::sim::model::{Model, Spread};
use glam::{DMat3, DVec3};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::slice::from_ref;

/// What touches, the same name for the same place however it was found: kind and two numbers.
/// Kind 0: vertex-face, 1: edge-edge, 2: vertex-edge, 3: vertex-vertex.
pub(crate) type Key = (u8, u32, u32);

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
    /// Bodies, lower first.
    pub(crate) bodies: [u32; 2],
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
    fn friction_force(&self, relative: DVec3, start: &[DVec3]) -> (DVec3, DVec3, f64) {
        let radius = self.friction * self.lambda;
        let u = relative - self.relative(start);
        let q = self.lambda_t - (u - self.normal * self.normal.dot(u)) * self.rho;
        let length = q.length();
        if length <= radius { (q, q, radius) } else { (q * (radius / length), q, radius) }
    }

    /// Force and tangent at `z`, of the layer as straight about the force foreseen; none where the row is open.
    pub(crate) fn force(&self, z: &[DVec3], start: &[DVec3]) -> Option<RowForce> {
        self.force_at(&self.nodes.map(|i| z[i as usize]), start)
    }

    /// As [`Row::force`], with the places of its nodes.
    pub(crate) fn force_at(&self, places: &[DVec3; 4], start: &[DVec3]) -> Option<RowForce> {
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
            let (cut, q, radius) = self.friction_force(relative, start);
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
    pub(crate) fn update_multipliers(&mut self, z: &[DVec3], start: &[DVec3]) {
        let (cut, ..) = self.friction_force(self.relative(z), start);
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

/// How many times harder than by mass a layer grows at most by what it bears, as what is pinched by given bodies does not
/// come out however hard it is. A band wound to a rope is pressed to 0.43 of its distance with 100, 0.26 with 300, and 0.23
/// with more.
const HARDENED: f64 = 1e3;

/// The same where stitches pull: as hard as these, whose penalty is three times that between sheets. Harder layers hold
/// seams open that a weight hangs on.
const HARDENED_IN_SEAMS: f64 = 3.0;

/// The same where nothing gives: a part of that penalty, and of it a multiple, so that the layer is 3.3 times as stiff.
/// One as soft as cloth's does not stop what falls on a heap, and the guard has to; one that is stiffer still
/// lets balls of triangles lose more at each. A larger penalty makes Newton's iteration wander between
/// sticking and sliding, a smaller one lets towers lean while they settle.
const RIGID_RHO: f64 = 0.3;
const RIGID_LAYER: f64 = 33.0;

/// What the layer takes a solid's own stiffness at a node for, as a part: between two solids it is then 0.6
/// times as stiff as what is behind it, on the ground 1.8 times. One that goes by the node's mass alone is many
/// times softer than the cells that press on it, and whatever falls goes so deep that its steps are cut.
const BACKING: f64 = 0.01;

/// One over the mass of a node [1/kg] together with what its cells hold it by, `held` [N/m], as a mass that is as
/// hard to move in `step` seconds.
pub(crate) fn backed(inverse_mass: f64, held: f64, step: f64) -> f64 {
    inverse_mass / (1.0 + inverse_mass * BACKING * held * step * step)
}

/// Contacts are looked at from this multiple of their contact distance on.
pub(crate) const NEAR: f64 = 1.2;

/// More than what rounding comes to when distances are compared.
const SURELY: f64 = 1.0 + 1e-9;

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
        let load = load_of(loads, pair, &weights);
        let most_times = if rigid || given || is_on_cells(model, pair) {
            // What slides on what is given is to bear at once as it does later, or it slips until it has borne.
            1.0
        } else if load.sewn {
            HARDENED_IN_SEAMS
        } else {
            HARDENED
        };
        let by_mass = layer * penalty / (backed * model.contact_step * model.contact_step);
        let times = (load.stiffness / by_mass).clamp(1.0, most_times);
        let layer = Layer {
            distance,
            stiffness: times * by_mass,
            damper: rho,
            hard_damper: rigid,
            start_depth: (-start_gap).max(0.0),
        };
        Row {
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
            bodies: [bodies[0].min(bodies[1]), bodies[0].max(bodies[1])],
            footing: Footing::new(model, &pair.nodes, pair.split()),
        }
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
    recall(rows, memory);
}

/// The nodes of the two primitives that a place is named by.
pub(crate) fn nodes_of<'a>(surface: &'a Surface, key: &'a Key) -> [&'a [u32]; 2] {
    let (kind, a, b) = key;
    let edge = |e: u32| &surface.edges[e as usize][..];
    let first = if *kind == 1 { edge(*a) } else { from_ref(a) };
    let second = match kind {
        0 => &surface.triangles[*b as usize][..],
        1 | 2 => edge(*b),
        _ => from_ref(b),
    };
    [first, second]
}

/// What bears on a node.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Load {
    /// Stiffness that layers need for the most that one of its places bore before [N/m].
    stiffness: f64,
    /// Stitches pull at it.
    sewn: bool,
}

/// What bears on each node, by what places bore before and the nodes that stitches pull at.
pub(crate) fn find_loads(
    surface: &Surface,
    memory: &[Memory],
    sewn: impl Iterator<Item = u32>,
    loads: &mut Vec<Load>,
) {
    loads.clear();
    loads.resize(surface.body_of_node.len(), Load::default());
    for i in sewn {
        loads[i as usize].sewn = true;
    }
    for memory in memory {
        for i in nodes_of(surface, &memory.key).into_iter().flatten() {
            let own = &mut loads[*i as usize].stiffness;
            *own = own.max(memory.stiffness);
        }
    }
}

/// What bears on a place: what both of its sides have borne, as places come and go where surfaces slide, and a soft one
/// among hard ones is pressed in.
fn load_of(loads: &[Load], pair: &Candidate, weights: &[f64; 4]) -> Load {
    let side = |nodes: Range<usize>| {
        let touched = nodes.filter(|k| weights[*k] != 0.0);
        touched.fold(Load::default(), |most, k| {
            let Load { stiffness, sewn } = loads[pair.nodes[k] as usize];
            Load { stiffness: most.stiffness.max(stiffness), sewn: most.sewn || sewn }
        })
    };
    let (a, b) = (side(0..pair.split()), side(pair.split()..4));
    Load { stiffness: a.stiffness.min(b.stiffness), sewn: a.sewn || b.sewn }
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
    let missing = chunks::filter_map(&pairs.candidates.pairs, |i, pair| {
        let distance = pairs.candidates.distances[i];
        let d = distance.length();
        // Closest points only of what may be near enough.
        let is_near =
            !distance.is_bound() && d < pair.sum_of_longest(&model.reach) * (SURELY / NEAR);
        let pressed = is_near && {
            let close = &pair.closest(pairs.base);
            let missed = if is_on_cells(model, pair) { MISSED_BY_CELLS } else { MISSED };
            d < (1.0 - missed) * whole_distance(model, pair, close)
                && d < (1.0 - missed) * contact_distance(model, pair, close, d)
        };
        let key = if pressed { pairs.place(model, i, x, inverse_mass) } else { None };
        key.filter(|key| !has_row(&model.surface, rows, *key))
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
    }));
}

/// Half of both thicknesses and the skin [m].
fn whole_distance(model: &Model, pair: &Candidate, close: &Closest) -> f64 {
    let half = |k: usize| close.weights[k].abs() * model.half_thickness[pair.nodes[k] as usize];
    (0..4).map(half).sum::<f64>() + crate::sim::model::SKIN
}

/// Within one body a pair rests no farther apart than this part of its distance at rest, so that a fine mesh does
/// not push itself apart: a sheet bent as tightly as its contact distance D allows goes round a half circle of that
/// diameter, and places s apart along it are then `D sin(s / D)` apart, which is `2 s / pi` or more.
const PART_OF_REST: f64 = std::f64::consts::FRAC_2_PI;

/// What touches itself at rest, as a vertex on the edge of another triangle does, rests so many times as far apart as what
/// the guard keeps: only rows push, and without any the substeps would get ever shorter.
const HAIR: f64 = 3.0;

/// Most distance at which a pair within one body rests, because of how near each other they are at rest [m].
fn distance_within(model: &Model, pair: &Candidate) -> f64 {
    let rest = pair.closest(&model.rest).offset.length();
    if rest < model.floor { HAIR * model.floor } else { PART_OF_REST * rest }
}

/// Distance at which a pair rests [m]: half of both thicknesses and the skin; within one body never
/// more than [`PART_OF_REST`] of the distance that the pair has at rest, and less where many are sewn in one place.
pub(crate) fn contact_distance(
    model: &Model,
    pair: &Candidate,
    close: &Closest,
    present: f64,
) -> f64 {
    let distance = whole_distance(model, pair, close);
    if present >= 2.0 * distance {
        return distance;
    }
    let enough = distance / PART_OF_REST;
    let is_far = |apart: DVec3| apart.length_squared() >= enough * enough;
    let within = if is_within_a_body(model, pair) && !pair.apart(&model.rest).is_some_and(is_far) {
        distance_within(model, pair)
    } else {
        distance
    };
    let sewn = model.seams.distance(pair, PART_OF_REST).unwrap_or(distance);
    distance.min(within).min(sewn)
}

/// Whether a pair within one body, its places `apart` now, is too far for a row, and for the guard, until they have
/// gone more than `way` together: because of how near each other they are at rest [m].
pub(crate) fn is_far_at_rest(model: &Model, pair: &Candidate, apart: f64, way: f64) -> bool {
    let room = apart - way;
    if !is_within_a_body(model, pair) || room <= model.floor {
        return false;
    }
    // Mostly bounds on how far apart they are at rest tell.
    if is_surely_far_at_rest(model, pair, room) {
        return true;
    }
    let part = NEAR * PART_OF_REST;
    if pair.apart(&model.rest).is_some_and(|least| room * SURELY <= part * least.length()) {
        return false;
    }
    room > far_within(model, pair)
}

/// Whether the nearest corners at rest tell already that a pair with so much `room` [m] is too far within one body.
#[inline]
pub(crate) fn is_surely_far_at_rest(model: &Model, pair: &Candidate, room: f64) -> bool {
    room > NEAR * HAIR * model.floor
        && is_within_a_body(model, pair)
        && room > NEAR * PART_OF_REST * SURELY * pair.nearest_corners(&model.rest)
}

fn is_within_a_body(model: &Model, pair: &Candidate) -> bool {
    let [body, other] = [0, 3].map(|k| model.surface.body_of_node[pair.nodes[k] as usize]);
    body == other
}

/// How far apart a pair within one body is too far, because of how near each other they are at rest [m]; never less
/// than what the guard keeps apart.
pub(crate) fn far_within(model: &Model, pair: &Candidate) -> f64 {
    model.floor.max(NEAR * distance_within(model, pair))
}

/// At least what [`far_within`] says, as the nearest corners at rest tell [m].
#[inline]
pub(crate) fn never_farther_within(model: &Model, pair: &Candidate) -> f64 {
    let nearest = PART_OF_REST * SURELY * pair.nearest_corners(&model.rest);
    NEAR * nearest.max(HAIR * model.floor)
}

/// Whether the pair has a row of its own where it touches like this; others stand for the rest.
pub(crate) fn is_row(model: &Model, pair: &Candidate, close: &Closest) -> bool {
    key(model, pair, close.feature).is_some()
}

/// The name of the place; none for places that others stand for.
fn key(model: &Model, pair: &Candidate, feature: Feature) -> Option<Key> {
    let surface = &model.surface;
    let [n0, n1, n2, n3] = pair.nodes;
    let key = match (pair.kind, feature) {
        (Kind::VertexTriangle, Feature::Interior) => (0, pair.ids[0], pair.ids[1]),
        (Kind::VertexTriangle, Feature::FaceEdge(k)) => (2, n0, surface.edge_of(pair.ids[1], k)),
        (Kind::VertexTriangle, Feature::FaceCorner(k)) => vertices(n0, [n1, n2, n3][k as usize]),
        (Kind::EdgeEdge, Feature::Interior) => (1, pair.ids[0], pair.ids[1]),
        (Kind::EdgeEdge, Feature::EndOfFirst(k)) => (2, [n0, n1][k as usize], pair.ids[1]),
        (Kind::EdgeEdge, Feature::EndOfSecond(k)) => (2, [n2, n3][k as usize], pair.ids[0]),
        (Kind::EdgeEdge, Feature::EndOfBoth(i, j)) => {
            vertices([n0, n1][i as usize], [n2, n3][j as usize])
        }
        (Kind::VertexTriangle | Kind::EdgeEdge, _) => {
            unreachable!("each kind has its own features")
        }
    };
    let flat = match key.0 {
        1 => [key.1, key.2].iter().any(|edge| surface.flat_edge[*edge as usize].is_some()),
        _ => false,
    };
    // On a flat inner edge the vertex-face rows beside it, or the same vertex on the face, stand for it;
    // a vertex exactly on the edge is found as such for both faces and must stay.
    if flat { None } else { Some(key) }
}

/// Whether a pair touches a plane patch of a body that keeps its shape askew to the patch, with all nodes at
/// `x`: only its normal can be that of a contact there. What touches the patch nearby stands for it.
fn is_askew(model: &Model, pair: &Candidate, close: &Closest, x: &[DVec3]) -> bool {
    let surface = &model.surface;
    let along = close.offset.normalize_or_zero();
    let askew = |beside: Option<u32>| {
        beside.is_some_and(|triangle| {
            let [a, b, c] = surface.triangles[triangle as usize].map(|i| x[i as usize]);
            let normal = (b - a).cross(c - a).normalize_or_zero();
            along.dot(normal).abs() < 1.0 - FLAT
        })
    };
    let node = |k: usize| surface.flat_node[pair.nodes[k] as usize];
    let edge = |edge: u32| surface.flat_edge[edge as usize];
    match (pair.kind, close.feature) {
        (Kind::VertexTriangle, feature) => {
            let other = match feature {
                Feature::FaceEdge(k) => edge(surface.edge_of(pair.ids[1], k)),
                Feature::FaceCorner(k) => node(1 + k as usize),
                _ => None,
            };
            askew(node(0)) || askew(other)
        }
        (Kind::EdgeEdge, Feature::EndOfFirst(k)) => {
            askew(node(k as usize)) || askew(edge(pair.ids[1]))
        }
        (Kind::EdgeEdge, Feature::EndOfSecond(k)) => {
            askew(node(2 + k as usize)) || askew(edge(pair.ids[0]))
        }
        (Kind::EdgeEdge, Feature::EndOfBoth(i, j)) => {
            askew(node(i as usize)) || askew(node(2 + j as usize))
        }
        (Kind::EdgeEdge, _) => false,
    }
}

fn vertices(a: u32, b: u32) -> Key {
    (3, a.min(b), a.max(b))
}
