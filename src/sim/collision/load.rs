//! What bears on places of contact, by what they bore in the substep before: [`super::layer`] says how hard a layer is to
//! be for it.

use super::candidates::Candidate;
use super::contact::Memory;
use super::place::nodes_of;
use crate::sim::model::Model;
use std::ops::Range;

/// How many times harder than by mass a layer grows at most by what it bears, as what is pinched by given bodies does not
/// come out however hard it is. A band wound to a rope is pressed to 0.43 of its distance with 100, 0.26 with 300, and 0.23
/// with more.
const HARDENED: f64 = 1e3;

/// The same where stitches pull: as hard as these, whose penalty is three times that between sheets. Harder layers hold
/// seams open that a weight hangs on.
const HARDENED_IN_SEAMS: f64 = 3.0;

/// What bears on a node.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Load {
    /// Stiffness that layers need for the most that one of its places bore before [N/m].
    stiffness: f64,
    /// The same of places between bodies neither of which is given [N/m].
    between: f64,
    /// Stitches pull at it.
    sewn: bool,
    /// It is one of what is given, and what it presses on had its motion wait, or bears that still.
    pub(super) waits: bool,
}

impl Load {
    /// The load of a place on what is given, where something else presses on what lies there; none where nothing does.
    pub(super) fn beyond(self) -> Option<Self> {
        (self.between > 0.0 && !self.sewn).then_some(Self { stiffness: self.between, ..self })
    }

    /// How many times harder than the stiffness `by_mass` [N/m] a layer is under it.
    pub(super) fn times(self, by_mass: f64) -> f64 {
        let most = if self.sewn { HARDENED_IN_SEAMS } else { HARDENED };
        (self.stiffness / by_mass).clamp(1.0, most)
    }
}

/// What bears on each node, by what places bore before, the nodes that stitches pull at, and the bodies whose given motion
/// waits.
pub(crate) fn find_loads(
    model: &Model,
    memory: &[Memory],
    sewn: impl Iterator<Item = u32>,
    waiting: impl Iterator<Item = usize>,
    loads: &mut Vec<Load>,
) {
    let surface = &model.surface;
    loads.clear();
    loads.resize(surface.body_of_node.len(), Load::default());
    for i in sewn {
        loads[i as usize].sewn = true;
    }
    for body in waiting {
        loads[model.bodies[body].nodes.clone()].iter_mut().for_each(|load| load.waits = true);
    }
    for memory in memory {
        let is_given = |i: &u32| *i as usize >= model.carried_end;
        let given = nodes_of(surface, &memory.key).into_iter().flatten().any(is_given);
        for i in nodes_of(surface, &memory.key).into_iter().flatten() {
            let load = &mut loads[*i as usize];
            load.stiffness = load.stiffness.max(memory.stiffness);
            if !given {
                load.between = load.between.max(memory.stiffness);
            }
            load.waits |= memory.waits && *i as usize >= model.carried_end;
        }
    }
}

/// What bears on a place: what both of its sides have borne, as places come and go where surfaces slide, and a soft one
/// among hard ones is pressed in.
pub(super) fn load_of(loads: &[Load], pair: &Candidate, weights: &[f64; 4]) -> Load {
    let side = |nodes: Range<usize>| {
        let touched = nodes.filter(|k| weights[*k] != 0.0);
        touched.fold(Load::default(), |most, k| {
            let Load { stiffness, between, sewn, waits } = loads[pair.nodes[k] as usize];
            Load {
                stiffness: most.stiffness.max(stiffness),
                between: most.between.max(between),
                sewn: most.sewn || sewn,
                waits: most.waits || waits,
            }
        })
    };
    let (a, b) = (side(0..pair.split()), side(pair.split()..4));
    Load {
        stiffness: a.stiffness.min(b.stiffness),
        between: a.between.max(b.between),
        sewn: a.sewn || b.sewn,
        waits: (a.waits || b.waits) && !(a.sewn || b.sewn),
    }
}
