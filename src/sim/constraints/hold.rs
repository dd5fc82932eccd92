//! Nodes that are held: exact targets for pins, attachments and frozen points, springs for weak ones.

use super::is_active;
use crate::scene::{Constraint, ConstraintKind, Motion, VertexMap};
use crate::sim::model::{Freezer, Hold, Model};
use crate::sim::pose::Pose;
use crate::sim::report::StepEventKind;
use crate::sim::state::{Frozen, State};
use crate::sim::whereabouts::{There, Whereabouts};
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// Stiffness of a hold of weight one half that has no stiffness of its own [N/m].
const TAPER_STIFFNESS: f64 = 100.0;

/// Where nodes are to be at the end of a substep.
#[derive(Clone, Debug, Default)]
pub(crate) struct Targets {
    /// Free nodes with an exact place.
    pub(crate) place: Vec<Option<DVec3>>,
    /// Springs: node, place, stiffness [N/m], constraint.
    pub(crate) springs: Vec<(u32, DVec3, f64, usize)>,
    /// Constraint that places each node, for its reaction; none for frozen and massless nodes.
    pub(crate) by: Vec<Option<u32>>,
}

impl Targets {
    /// Targets at `end` of the substep that starts at `state.time`, with carrying bodies at `carriers`.
    /// Takes hold of nodes whose constraint has become active.
    pub(crate) fn find(
        &mut self,
        model: &Model,
        state: &mut State,
        end: f64,
        carriers: &Whereabouts,
    ) {
        self.place.clear();
        self.place.resize(model.free_count, None);
        self.by.clear();
        self.by.resize(model.free_count, None);
        self.springs.clear();
        for (hold, index) in model.holds.iter().zip(0..) {
            if state.holds[index].released || !is_active(model, state, hold.constraint, end) {
                state.holds[index].origin = None;
                continue;
            }
            let place = place_of(model, state, hold, index, end, carriers);
            self.hold(model, hold.constraint, hold.node, place, hold.share, end);
        }
        for frozen in state.frozen.iter().filter(|f| !f.released) {
            let constraint = frozen.constraint as usize;
            if is_active(model, state, constraint, end) {
                self.hold(model, constraint, frozen.node, frozen.place, frozen.share, end);
            }
        }
        for i in 0..model.free_count {
            if model.mass[i] <= 0.0 && self.place[i].is_none() {
                self.place[i] = Some(state.positions[i]);
            }
        }
    }

    /// Holds a node at a place, exactly or by a spring.
    fn hold(
        &mut self,
        model: &Model,
        constraint: usize,
        node: u32,
        place: DVec3,
        share: Share,
        end: f64,
    ) {
        if let Some(stiffness) = stiffness(&model.scene.constraints[constraint], share, end) {
            self.springs.push((node, place, stiffness, constraint));
        } else {
            self.place[node as usize] = Some(place);
            self.by[node as usize] = Some(constraint as u32);
        }
    }
}

/// What a place has of a constraint.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Share {
    /// Part of the hold, above 0..1; 1 is exact unless the constraint has a stiffness.
    pub(crate) weight: f64,
    /// Which of the constraint's points or pairs it is.
    pub(crate) order: u32,
}

impl Share {
    /// All of a constraint that is on one place.
    pub(crate) const WHOLE: Self = Self { weight: 1.0, order: 0 };

    /// That of entry `order` of a constraint; none where that has no weight.
    pub(crate) fn of(weight: Option<&VertexMap>, order: usize) -> Option<Self> {
        let weight = weight.map_or(1.0, |weight| weight.at(order));
        (weight > 0.0).then_some(Self { weight, order: order as u32 })
    }
}

/// Stiffness with which a constraint holds what has this share of it [N/m]; none: exactly.
pub(crate) fn stiffness(constraint: &Constraint, share: Share, end: f64) -> Option<f64> {
    let Share { weight, order } = share;
    match &constraint.stiffness {
        Some(curve) => Some(curve.at(order as usize, end) * weight),
        None if weight >= 1.0 => None,
        None => Some(TAPER_STIFFNESS * weight / (1.0 - weight)),
    }
}

fn place_of(
    model: &Model,
    state: &mut State,
    hold: &Hold,
    index: usize,
    end: f64,
    carriers: &Whereabouts,
) -> DVec3 {
    let from_start = model.scene.constraints[hold.constraint].starts.is_none();
    if let Some(carrier) = hold.carrier {
        let here = || {
            let place = state.positions[hold.node as usize];
            carrier.pose(There::Now(model, state)).local(place)
        };
        let origin = state.holds[index].origin.unwrap_or_else(here);
        state.holds[index].origin = Some(origin);
        return carrier.pose(There::Wanted(carriers)).place(origin);
    }
    let motion = match &model.scene.constraints[hold.constraint].kind {
        ConstraintKind::Pin { motion, .. } => motion,
        ConstraintKind::Carry { body } => {
            let rest = model.rest[hold.node as usize];
            return Pose::given(&model.scene, *body, end).place(rest);
        }
        _ => return hold.start,
    };
    if from_start {
        state.holds[index].origin = Some(hold.start);
        return motion.place_at(hold.start, end);
    }
    // Taken hold of on the way: it keeps the place where it was caught and moves on from there.
    let caught = state.holds[index].origin.get_or_insert(
        state.positions[hold.node as usize] - displacement(motion, hold.start, state.time),
    );
    *caught + displacement(motion, hold.start, end)
}

fn displacement(motion: &Motion, start: DVec3, time: f64) -> DVec3 {
    motion.place_at(start, time) - start
}

/// Releases those of `nodes` (sorted) that constraint `index` holds; of its stitches those of which one end
/// is made of them.
pub(crate) fn release(model: &Model, state: &mut State, index: usize, nodes: &[u32]) {
    let is_one = |node: u32| nodes.binary_search(&node).is_ok();
    for (hold, own) in model.holds.iter().zip(&mut state.holds) {
        own.released |= hold.constraint == index && is_one(hold.node);
    }
    for (tie, own) in model.ties.iter().zip(&mut state.ties) {
        own.released |= tie.constraint == index && tie.vertex.is_some_and(is_one);
    }
    for (stitch, own) in model.stitches.iter().zip(&mut state.stitches) {
        let end = |ends: std::ops::Range<usize>| {
            ends.into_iter().all(|k| stitch.weights[k] == 0.0 || is_one(stitch.nodes[k]))
        };
        own.broken |= stitch.constraint == index && (end(0..4) || end(4..8));
    }
    let own = model.freezers.iter().filter(|f| f.constraint == index && is_one(f.node));
    for &Freezer { constraint, node, share } in own {
        match state.frozen.binary_search_by_key(&node, |f| f.node) {
            Ok(at) => state.frozen[at].released |= state.frozen[at].constraint as usize == index,
            Err(at) => {
                let (constraint, place) = (constraint as u32, state.positions[node as usize]);
                let released = true;
                state.frozen.insert(at, Frozen { constraint, node, place, share, released });
            }
        }
    }
}

/// Freezes the nodes that are inside the box of their constraint.
pub(crate) fn freeze(model: &Model, state: &mut State, events: &mut Vec<StepEventKind>) {
    for &Freezer { constraint, node, share } in &model.freezers {
        if !is_active(model, state, constraint, state.time) {
            continue;
        }
        let ConstraintKind::Freeze { inside: (low, high), .. } =
            &model.scene.constraints[constraint].kind
        else {
            continue;
        };
        let p = state.positions[node as usize];
        if p.cmpge(*low).all()
            && p.cmple(*high).all()
            && let Err(at) = state.frozen.binary_search_by_key(&node, |f| f.node)
        {
            let number = constraint as u32;
            let frozen = Frozen { constraint: number, node, place: p, share, released: false };
            state.frozen.insert(at, frozen);
            let event = StepEventKind::Froze { constraint };
            if !events.contains(&event) {
                events.push(event);
            }
        }
    }
}
