//! What an attempt works with, and how it turned out.

use super::heap::Heap;
use super::impulses::Shapes;
use super::literature::links::Links;
use super::literature::shape_matching::Solids;
use super::patches::Patches;
use super::potential::Potential;
use super::stride::Stride;
use super::tangent::Tangent;
use crate::scene::Method;
use crate::sim::collision::candidates::Candidates;
use crate::sim::collision::contact::{Memory, Row};
use crate::sim::collision::elastic_hits::ElasticHits;
use crate::sim::collision::finder::Finder;
use crate::sim::collision::guard::Allowed;
use crate::sim::collision::load::Load;
use crate::sim::collision::together::Together;
use crate::sim::constraints::hold::Targets;
use crate::sim::forces::External;
use crate::sim::model::Model;
use glam::DVec3;
use std::sync::Arc;

/// How a node of a rigid body comes to its inertial position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flight {
    /// Its velocity there [m/s].
    pub(super) velocity: DVec3,
    /// What forces give to it behind that, unless something stops it [m/s].
    pub(super) kick: DVec3,
}

/// How a rigid body goes in a substep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Going {
    /// No constraint holds it, and what pulls at it is the same everywhere.
    Free,
    /// A constraint holds it.
    Held,
    /// Forces act on it that depend on where it is, and are known at the start of the substep only.
    Plain,
}

/// Scratch of a substep, kept between substeps; nothing in it is part of the result.
#[derive(Default)]
pub(crate) struct Workbench {
    pub(crate) finder: Finder,
    pub(crate) candidates: Candidates,
    /// Whether `candidates` may be used by the next substep.
    pub(crate) candidates_hold: bool,
    /// Whether the next substep is to tell what constraints hold with.
    pub(crate) asks_for_reactions: bool,
    pub(super) rows: Vec<Row>,
    pub(super) memory: Vec<Memory>,
    pub(super) targets: Targets,
    pub(crate) external: External,
    pub(super) potential: Potential,
    pub(super) tangent: Tangent,
    pub(super) patches: Patches,
    pub(super) allowed: Allowed,
    pub(super) together: Together,
    pub(super) links: Links,
    pub(super) shapes: Shapes,
    pub(super) solids: Solids,
    pub(crate) elastic_hits: ElasticHits,
    /// How each rigid body goes.
    pub(super) goings: Vec<Going>,
    /// How the nodes of rigid bodies come to their inertial positions.
    pub(super) flight: Vec<Flight>,
    /// What a bounce takes off the way of each rigid body in this substep [m]; empty without bounces.
    pub(super) shifts: Vec<DVec3>,
    /// What bounced before the substep: lower body, higher body, impulse [N s].
    pub(super) bounces: Vec<(u32, u32, f64)>,
    /// What the step of each free node builds upon.
    pub(super) strides: Vec<Stride>,
    pub(super) inverse_mass: Vec<f64>,
    /// How far one newton moves a node at most in the substep, given what its own body holds it by [m/N];
    /// zero for given ones.
    pub(super) compliance: Vec<f64>,
    /// One over the mass of each node and what backs it in its own body, as a mass that is as hard to move
    /// within the longest substep [1/kg]; zero for given ones.
    pub(super) backing: Vec<f64>,
    /// What bears on each node, by what its places bore before the substep.
    pub(super) loads: Vec<Load>,
    pub(super) z: Vec<DVec3>,
    pub(super) base: Vec<DVec3>,
    pub(super) wish: Vec<DVec3>,
    /// How far each node may be from the base on its way to the iterate [m].
    pub(super) ways: Vec<f64>,
    pub(super) gradient: Vec<DVec3>,
    pub(super) right_side: Vec<DVec3>,
    pub(super) step: Vec<DVec3>,
    pub(super) trial: Vec<DVec3>,
    /// The heap that the model is, if it is one.
    pub(crate) heap: Option<Arc<Heap>>,
}

impl Workbench {
    /// Seconds on the clock that the stages of shape matching took since they were asked for last.
    pub(crate) fn take_stages(&mut self) -> [f64; 4] {
        std::mem::take(&mut self.solids.stages.0)
    }

    /// A bench with trees for its bodies, and no heap.
    pub(crate) fn new(model: &Model, finder: Finder) -> Self {
        let (potential, tangent) = (Potential::new(model), Tangent::new(model));
        let links = match model.scene.solver.method {
            Method::Relaxation => Links::new(model),
            _ => Links::default(),
        };
        let shapes = match model.scene.solver.method {
            Method::Impulses => Shapes::new(model),
            _ => Shapes::default(),
        };
        let solids = match model.scene.solver.method {
            Method::ShapeMatching => Solids::new(model),
            _ => Solids::default(),
        };
        let together = Together::new(model);
        Self { finder, potential, tangent, together, links, shapes, solids, ..Self::default() }
    }
}

/// What a constraint holds with.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Reaction {
    /// Sum over its points [N].
    pub(crate) force: DVec3,
    /// Of a joint, about where it is [N m].
    pub(crate) moment: DVec3,
    /// Farthest that places which it holds exactly are from where they should be [m].
    pub(crate) apart: f64,
}

/// Where a collider that its clip deforms gave way to what it pinches.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dent {
    pub(crate) body: usize,
    /// What is pinched.
    pub(crate) other: usize,
    /// The node that is farthest from its clip's place.
    pub(crate) node: usize,
    /// How far that is [m].
    pub(crate) by: f64,
}

/// How good an attempt was.
#[derive(Clone, Debug, Default)]
pub(crate) struct Quality {
    /// Length of the substep [s].
    pub(crate) step: f64,
    /// Rounds of contact detection.
    pub(crate) rounds: u32,
    /// Newton iterations.
    pub(crate) iterations: u32,
    /// Conjugate gradient iterations.
    pub(crate) linear_iterations: u32,
    /// Bytes that its large arrays moved at least: each once a pass.
    pub(crate) bytes: u64,
    /// Speed by which the iterate is still off [m/s], as the Newton iteration measures it.
    pub(crate) change: f64,
    /// The body that is off farthest, where iterations ended before all was found.
    pub(crate) off: Option<usize>,
    /// Energy of the first correction of the substep [J].
    pub(crate) first_energy: f64,
    /// Farthest that a node was held back from where the solution wanted it [m], its body, and the one
    /// that was in the way.
    pub(crate) held_back: f64,
    pub(crate) held_bodies: [usize; 2],
    /// Deepest contact as a part of its contact distance.
    pub(crate) pressed_in: f64,
    /// Most that a contact deeper than the shot's tolerance was pressed in during the substep, as a
    /// part of its contact distance, and the bodies that met there.
    pub(crate) deepened: f64,
    pub(crate) deepened_bodies: [usize; 2],
    /// Smallest distance of a pair [m], and its bodies.
    pub(crate) closest: f64,
    pub(crate) closest_bodies: [usize; 2],
    /// Touching places: lower body, higher body, count, impulse [N s].
    pub(crate) contacts: Vec<(u32, u32, u32, f64)>,
    /// Pairs of bodies that are near: lower body, higher body, deepest place as a part of its contact distance,
    /// smallest distance [m].
    pub(crate) depths: Vec<(usize, usize, f64, f64)>,
    /// Of each constraint what it holds with.
    pub(crate) reactions: Vec<Reaction>,
    /// Bodies whose given motion could not go all the way in the last round.
    pub(crate) lagging: Vec<usize>,
    /// Bodies whose given motion, or whose held points, were told to wait.
    pub(crate) waiting: Vec<usize>,
    /// Tension with which each stitch that acts did so, by its number [N].
    pub(crate) tensions: Vec<(usize, f64)>,
    /// Constraints whose stitches stay open from now on, as others or contacts hold against them.
    pub(crate) open: Vec<usize>,
    /// Where colliders that deform gave way.
    pub(crate) dents: Vec<Dent>,
    /// Largest motion of a node relative to the size of the cloth's edges is bounded by this speed [m/s].
    pub(crate) fastest: f64,
    pub(crate) finite: bool,
    /// Forces of all points were asked for so often (methods of the literature).
    pub(crate) evaluations: u32,
    /// Points that Beeman's method moved.
    pub(crate) switched: u32,
    /// Of shape matching: vertices that may be in another solid, faces that they come out at, cells with
    /// such a vertex, and vertices in them.
    pub(crate) overlaps: [u64; 4],
    /// How far a velocity is off in the linear system's solution [m/s].
    pub(crate) residual: f64,
    /// Estimated error as a part of what is allowed; 0 where the method has no estimate.
    pub(crate) error: f64,
    /// Whether the method would take a longer step.
    pub(crate) may_grow: bool,
}

impl Quality {
    /// Starts over with the solution of a substep; what was spent stays counted.
    pub(super) fn begin(&mut self) {
        *self = Self {
            rounds: self.rounds,
            iterations: self.iterations,
            linear_iterations: self.linear_iterations,
            bytes: self.bytes,
            closest: f64::INFINITY,
            finite: true,
            ..Self::default()
        };
    }

    /// Adds a place where bodies `a <= b` touch, with its impulse along the normal [N s].
    pub(super) fn touch(&mut self, a: u32, b: u32, impulse: f64) {
        match self.contacts.binary_search_by(|c| (c.0, c.1).cmp(&(a, b))) {
            Ok(at) => {
                self.contacts[at].2 += 1;
                self.contacts[at].3 += impulse;
            }
            Err(at) => self.contacts.insert(at, (a, b, 1, impulse)),
        }
    }

    /// Takes in how far two bodies are pressed in at a place, as a part of its contact distance, and apart [m].
    pub(super) fn note_depth(&mut self, [a, b]: [usize; 2], pressed: f64, apart: f64) {
        match self.depths.binary_search_by(|depth| (depth.0, depth.1).cmp(&(a, b))) {
            Ok(at) => {
                let depth = &mut self.depths[at];
                (depth.2, depth.3) = (depth.2.max(pressed), depth.3.min(apart));
            }
            Err(at) => self.depths.insert(at, (a, b, pressed, apart)),
        }
    }

    /// Notes that `body` was told to wait.
    pub(super) fn waits(&mut self, body: usize) {
        if !self.waiting.contains(&body) {
            self.waiting.push(body);
        }
    }
}
