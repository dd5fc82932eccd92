//! What happened in a frame, as plain data.

use super::constraints::turns;
use super::linear::block_matrix::add_scalar_product;
use super::model::Model;
use super::pose::Pose;
use super::potentials::tet::Tet;
use super::state::{ConstraintState, State};
use super::whereabouts::shape;
use crate::math::degrees_from_rotation;
use crate::math::rotation;
use crate::scene::world::{BodyView, ConstraintView, ContactView, WorldView};
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// What happened since the frame before, and the figures of the present frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FrameReport {
    /// Accepted substeps, of the region that took most.
    pub steps: u32,
    /// Rejected attempts, in the order in which a region made them.
    pub retakes: Vec<StepRetake>,
    /// Events in order of time.
    pub events: Vec<StepEvent>,
    /// Touching places at the frame.
    pub contacts: u32,
    /// Smallest distance of two surfaces that may not cross since the frame before [m]; infinite where
    /// none came near. Within a body, of places nearer than three quarters of their distance at rest.
    pub closest_approach: f64,
    /// Deepest contact since the frame before as a part of its contact distance.
    pub pressed_in: f64,
    /// rms stretch over all cloth edges.
    pub rms_stretch: f64,
    /// Largest stretch of a cloth edge.
    pub max_stretch: f64,
    /// Speed of the fastest cloth vertex [m/s].
    pub fastest: f64,
    /// Kinetic energy [J].
    pub kinetic: f64,
    /// Elastic energy [J].
    pub elastic: f64,
    /// Energy of all weights above the origin [J].
    pub lifted: f64,
    /// Linear momentum [kg m/s].
    pub momentum: [f64; 3],
    /// What was solved apart since the frame before, in order of the lowest body.
    pub regions: Vec<StepRegion>,
    /// Rounds of contact detection of each accepted substep.
    pub rounds: Vec<u32>,
    /// Work done for accepted and rejected attempts.
    pub effort: Effort,
    /// Pairs of bodies that touched: lower and higher body, places at the last touching substep,
    /// normal impulse since the frame before [N s]; sorted.
    pub touches: Vec<(usize, usize, u32, f64)>,
    /// Pairs of bodies that were near each other in the last substep: lower and higher body, deepest place as a
    /// part of the contact distance, smallest distance [m]; sorted.
    pub(crate) depths: Vec<(usize, usize, f64, f64)>,
}

/// Work done, in counts that do not depend on a clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Effort {
    /// Newton iterations.
    pub iterations: u32,
    /// Conjugate gradient iterations.
    pub linear_iterations: u32,
    /// Pairs of primitives that were looked at, summed over attempts.
    pub candidates: u64,
    /// Bytes that the large arrays of the solver moved at least: each array once a pass, whatever a cache held.
    pub bytes: u64,
    /// Evaluations of all forces by a method of the literature.
    pub evaluations: u64,
    /// Of shape matching, summed over steps: vertices that may be in another solid, faces that they come out
    /// at, cells with such a vertex, and vertices in them.
    pub overlaps: [u64; 4],
    /// Points that a step of improved Verlet moved by Beeman's method, summed over steps.
    pub switched: u64,
    /// Farthest that a velocity was off in the linear system of a step by a method of the literature
    /// [m/s].
    pub residual: f64,
}

impl Effort {
    /// Adds what was done elsewhere, or at another time.
    pub(super) fn add(&mut self, other: &Self) {
        self.iterations += other.iterations;
        self.linear_iterations += other.linear_iterations;
        self.candidates += other.candidates;
        self.bytes += other.bytes;
        self.evaluations += other.evaluations;
        for (own, other) in self.overlaps.iter_mut().zip(other.overlaps) {
            *own += other;
        }
        self.switched += other.switched;
        self.residual = self.residual.max(other.residual);
    }
}

impl std::fmt::Display for Effort {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "newton {} cg {} pairs {}",
            self.iterations, self.linear_iterations, self.candidates
        )
    }
}

impl Default for FrameReport {
    fn default() -> Self {
        Self {
            steps: 0,
            retakes: Vec::new(),
            events: Vec::new(),
            contacts: 0,
            closest_approach: f64::INFINITY,
            pressed_in: 0.0,
            rms_stretch: 0.0,
            max_stretch: 0.0,
            fastest: 0.0,
            kinetic: 0.0,
            elastic: 0.0,
            lifted: 0.0,
            momentum: [0.0; 3],
            regions: Vec::new(),
            rounds: Vec::new(),
            effort: Effort::default(),
            touches: Vec::new(),
            depths: Vec::new(),
        }
    }
}

impl FrameReport {
    /// What has happened so far, beside the retakes.
    pub(super) fn without_retakes(&mut self) -> Self {
        let retakes = std::mem::take(&mut self.retakes);
        let so_far = self.clone();
        self.retakes = retakes;
        so_far
    }

    /// Puts back what had happened when it was as `before`. What was thrown away and what was done for it stay.
    pub(super) fn go_back(&mut self, before: Self) {
        let retakes = std::mem::take(&mut self.retakes);
        *self = Self { retakes, effort: self.effort, ..before };
    }

    /// Adds an event that was not there yet in this frame.
    pub(super) fn note(&mut self, time: f64, kind: StepEventKind) {
        if !self.events.iter().any(|e| e.kind == kind) {
            self.events.push(StepEvent { time, kind });
        }
    }

    /// Adds a substep's contact of bodies `a <= b`.
    pub(super) fn touch(&mut self, a: usize, b: usize, count: u32, impulse: f64) {
        match self.touches.binary_search_by(|t| (t.0, t.1).cmp(&(a, b))) {
            Ok(at) => {
                self.touches[at].2 = count;
                self.touches[at].3 += impulse;
            }
            Err(at) => self.touches.insert(at, (a, b, count, impulse)),
        }
    }
}

/// Bodies that were solved together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepRegion {
    /// Indices of those that are free to move, rising.
    pub bodies: Vec<usize>,
    /// Accepted substeps.
    pub steps: u32,
    /// Rejected attempts, and how often it was done again with what it met.
    pub retakes: u32,
    /// Speed of its fastest point at the frame [m/s].
    pub fastest: f64,
}

/// An attempt that was thrown away.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepRetake {
    /// Script time at which the attempt began [s].
    pub time: f64,
    /// Indices of the bodies that went back.
    pub region: Vec<usize>,
    /// Why.
    pub reason: StepRetakeReason,
    /// Indices of the two bodies that met (or twice the same).
    pub between: [usize; 2],
    /// Step of the attempt [s].
    pub step_before: f64,
    /// Step of the next attempt [s].
    pub step_after: f64,
    /// Accepted steps that were taken back as well.
    pub steps_back: u32,
    /// Simulated time that is done again [s], up to the end of the attempt.
    pub seconds: f64,
}

/// Why an attempt was thrown away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "as `frames::RetakeReason`, which says it in words")]
pub enum StepRetakeReason {
    NotFinite,
    Crossed,
    ContactTooDeep,
    HeldBack,
    NotConverged,
    Met,
}

/// Something worth knowing that happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepEvent {
    /// Script time [s].
    pub time: f64,
    /// What happened to what.
    pub kind: StepEventKind,
}

/// The kinds of events; numbers are indices of bodies or constraints of the scene.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the field names say which index it is")]
pub enum StepEventKind {
    /// Two bodies touched for the first time.
    FirstTouch { a: usize, b: usize },
    /// A constraint, or one pair of a stitch, broke.
    Broke { constraint: usize },
    /// A constraint was released.
    Released { constraint: usize },
    /// Points became fixed.
    Froze { constraint: usize },
    /// Stitches that should close are held open by pins, contacts or other stitches.
    HeldOpen { constraint: usize },
    /// A given motion of a body lagged behind its keys because something was in the way.
    Pinched { body: usize },
    /// A collider that its clip deforms gave way to what it pinches: at `at`, by so much [m].
    GaveWay { body: usize, other: usize, at: DVec3, by: f64 },
    /// A substep was taken as it was, since neither shorter substeps nor steps back mended it: what was wrong, and
    /// of which bodies.
    Unresolved { reason: StepRetakeReason, between: [usize; 2] },
    /// Two bodies cross (only where the guard lets them).
    Crossed { a: usize, b: usize },
    /// Two bodies that started too close were moved apart by so much [m].
    Separated { a: usize, b: usize, by: f64 },
}

/// Computes the figures of the present state.
pub(super) fn measure(model: &Model, state: &State, report: &mut FrameReport) {
    report.contacts = report.touches.iter().map(|t| t.2).sum();
    (report.rms_stretch, report.max_stretch) = stretch(model, state, 0..model.free_count);
    let (mut kinetic, mut momentum, mut fastest) = (0.0, DVec3::ZERO, 0.0f64);
    let mut moment = DVec3::ZERO;
    let there = |i: usize| {
        let body = model.surface.body_of_node[i] as usize;
        model.scene.bodies[body].is_there(state.time)
    };
    for i in (0..model.free_count).filter(|i| there(*i)) {
        let v = state.velocities[i];
        kinetic += 0.5 * model.mass[i] * v.length_squared();
        momentum += v * model.mass[i];
        moment += state.positions[i] * model.mass[i];
        fastest = fastest.max(v.length());
    }
    report.lifted = -moment.dot(model.scene.gravity.at(state.time));
    let mut elastic = 0.0;
    model.for_membranes(state.time, |_, membrane, shrink| {
        elastic += membrane.elastic_energy(&state.positions, shrink);
    });
    elastic += bending_energy(model, state);
    elastic += model.special.elastic_energy(model, state);
    elastic += solid_energy(model, state);
    elastic += model.segments.iter().map(|s| s.energy(&state.positions)).sum::<f64>();
    elastic += model.bends.iter().map(|b| b.energy(&state.positions)).sum::<f64>();
    let strands = model.strands.iter().zip(&state.twists);
    elastic += strands.map(|(strand, grasps)| turns::energy(strand, grasps)).sum::<f64>();
    elastic += model.shell.elastic_energy(&state.positions, &state.creases);
    elastic += model
        .lattices
        .iter()
        .map(|l| l.elastic_energy(&state.positions, l.shrink(model, state.time)))
        .sum::<f64>();
    (report.kinetic, report.elastic, report.fastest) = (kinetic, elastic, fastest);
    for region in &mut report.regions {
        let points = region.bodies.iter().flat_map(|b| model.bodies[*b].movers.clone());
        region.fastest = points.map(|i| state.velocities[i].length()).fold(0.0, f64::max);
    }
    report.momentum = momentum.to_array();
}

/// Energy of soft bodies [J].
fn solid_energy(model: &Model, state: &State) -> f64 {
    let x = &state.positions;
    let mut plastic = state.plastic_cells.iter();
    let cell = |t: &Tet| match t.plastic.and_then(|_| plastic.next()) {
        Some(plastic) => t.yielded(plastic).elastic_energy(x),
        None => t.elastic_energy(x),
    };
    let cells: f64 = model.tets.iter().map(cell).sum();
    let shapes = model.matchings.iter().zip(&state.plastic_shapes);
    cells + shapes.map(|(m, plastic)| m.elastic_energy(x, plastic)).sum::<f64>()
}

/// Energy of the bending matrix [J], about the first node so that rounding does not grow with the
/// distance from the origin.
fn bending_energy(model: &Model, state: &State) -> f64 {
    let Some(&origin) = state.positions.first() else { return 0.0 };
    let x: Vec<DVec3> = state.positions[..model.point_count].iter().map(|p| *p - origin).collect();
    let mut force = vec![DVec3::ZERO; x.len()];
    add_scalar_product(&model.bend_pattern, &model.bend_values, &x, &mut force);
    0.5 * x.iter().zip(&force).map(|(x, f)| x.dot(*f)).sum::<f64>()
}

/// rms and largest stretch of the edges whose nodes lie in `nodes`.
fn stretch(model: &Model, state: &State, nodes: std::ops::Range<usize>) -> (f64, f64) {
    let (mut sum, mut count, mut most) = (0.0, 0u32, 0.0f64);
    for &(a, b, rest) in &model.stretch_edges {
        if nodes.contains(&(a as usize)) {
            let body = model.surface.body_of_node[a as usize] as usize;
            let shrink =
                0.5 * (model.shrink(body, a, state.time) + model.shrink(body, b, state.time));
            let length = state.positions[a as usize].distance(state.positions[b as usize]);
            let stretch = length / (rest * shrink) - 1.0;
            sum += stretch * stretch;
            most = most.max(stretch);
            count += 1;
        }
    }
    ((sum / f64::from(count.max(1))).sqrt(), most)
}

/// The present frame as a callback may see it.
pub(super) fn view(model: &Model, state: &State, report: &FrameReport) -> WorldView {
    WorldView {
        frame: state.frame,
        time: state.time,
        bodies: (0..model.bodies.len()).map(|index| body_view(model, state, index)).collect(),
        contacts: report
            .touches
            .iter()
            .map(|&(a, b, count, impulse)| ContactView { a, b, count, impulse })
            .collect(),
        constraints: constraint_views(model, state),
    }
}

fn constraint_views(model: &Model, state: &State) -> Vec<ConstraintView> {
    let held = |c: &ConstraintState, load: f64| if c.released { 0.0 } else { load };
    let mut views: Vec<ConstraintView> = state
        .constraints
        .iter()
        .map(|c| ConstraintView {
            reaction: held(c, c.reaction),
            torque: held(c, c.torque),
            apart: held(c, c.apart),
            broken: c.broken,
            ..ConstraintView::default()
        })
        .collect();
    for (gauge, own) in model.gauges.iter().zip(&state.gauges) {
        let view = &mut views[gauge.constraint];
        view.drive += own.drive;
        view.travel += gauge.travel(model, state, own);
    }
    views
}

fn body_view(model: &Model, state: &State, index: usize) -> BodyView {
    let body = &model.bodies[index];
    let positions = &state.positions[body.nodes.clone()];
    let low = positions.iter().fold(DVec3::INFINITY, |m, p| m.min(*p));
    let high = positions.iter().fold(DVec3::NEG_INFINITY, |m, p| m.max(*p));
    let mut view = BodyView { bounds: (low, high), up: DVec3::Y, ..BodyView::default() };
    if body.free {
        let total: f64 = model.mass[body.movers.clone()].iter().sum();
        for i in body.movers.clone() {
            view.position += state.positions[i] * (model.mass[i] / total);
            view.velocity += state.velocities[i] * (model.mass[i] / total);
            view.fastest = view.fastest.max(state.velocities[i].length());
        }
        if let Some(rigid) = body.rigid {
            let spin = model.rigids[rigid].spin_of(&state.positions, &state.velocities);
            view.spin = spin * (180.0 / std::f64::consts::PI);
            turn(&mut view, &state.poses[index]);
        } else {
            view.stretch = stretch(model, state, body.nodes.clone()).0;
        }
        return view;
    }
    turn(&mut view, &state.poses[index]);
    if body.deforms {
        // Where its vertices are in the mean, and how fast.
        let dt = 1e-3;
        let before = shape(&model.scene, index, state.time - dt);
        let count = before.len().max(1) as f64;
        let at = shape(&model.scene, index, state.time);
        view.position = positions.iter().sum::<DVec3>() / count;
        let ways = at.iter().zip(&before).map(|(at, before)| (*at - *before) / dt);
        view.velocity = ways.clone().sum::<DVec3>() / count;
        view.fastest = ways.map(DVec3::length).fold(0.0, f64::max);
        return view;
    }
    view.position = state.poses[index].translation;
    if body.moved {
        // A given motion's speed is the slope of its curves over a thousandth of a second.
        let dt = 1e-3;
        let [before, at] =
            [state.time - dt, state.time].map(|time| Pose::given(&model.scene, index, time));
        view.velocity = (at.translation - before.translation) / dt;
        view.spin = rotation::to_scaled_axis(at.rotation * before.rotation.inverse())
            * (180.0 / std::f64::consts::PI / dt);
        view.fastest = view.velocity.length();
    }
    view
}

/// Writes how a body that keeps its shape is turned.
fn turn(view: &mut BodyView, pose: &Pose) {
    view.up = pose.rotation * DVec3::Y;
    view.rotation = degrees_from_rotation(pose.rotation);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_thrown_away_leaves_retakes_and_effort_only() {
        let retake = |time: f64| StepRetake {
            time,
            region: vec![0],
            reason: StepRetakeReason::HeldBack,
            between: [0, 1],
            step_before: 0.02,
            step_after: 0.01,
            steps_back: 0,
            seconds: 0.02,
        };
        let substep = |report: &mut FrameReport, b: usize| {
            report.steps += 1;
            report.rounds.push(2);
            report.retakes.push(retake(b as f64));
            report.effort.iterations += 3;
            report.touch(0, b, 5, 0.1);
            report.note(b as f64, StepEventKind::FirstTouch { a: 0, b });
            report.pressed_in = report.pressed_in.max(0.1 * b as f64);
            report.closest_approach = report.closest_approach.min(1.0 / b as f64);
        };
        let mut report = FrameReport::default();
        substep(&mut report, 1);
        let before = report.without_retakes();
        let expected = report.clone();
        assert_eq!(before, FrameReport { retakes: Vec::new(), ..expected.clone() });
        substep(&mut report, 1);
        substep(&mut report, 2);
        report.go_back(before);
        assert_eq!((report.retakes.len(), report.effort.iterations), (3, 9));
        let FrameReport { retakes, effort, .. } = expected.clone();
        assert_eq!(FrameReport { retakes, effort, ..report }, expected);
    }
}
