//! The engine: advances a scene from frame to frame.

mod attention;
mod build;
mod cage;
mod collision;
mod constraints;
mod fingerprint;
mod forces;
mod groups;
mod legs;
mod linear;
mod methods;
mod model;
mod outcome_bytes;
mod part;
mod planes;
mod pose;
mod potentials;
mod recall;
mod regions;
mod report;
mod rest;
mod returns;
mod rigid;
mod separate;
mod solved;
mod state;
mod step;
mod substep_clock;
mod swept;
mod touching;
mod untangle;
mod verify;
mod whereabouts;
mod wide;

pub use attention::{Attention, Reached};
pub use build::Started;
pub use report::{
    Effort, FrameReport, StepEvent, StepEventKind, StepRegion, StepRetake, StepRetakeReason,
};
pub use solved::Renaming;

use crate::diagnostics::Diagnostic;
use crate::scene::Scene;
use crate::scene::world::{Command, WorldView};
use glam::{DQuat, DVec3};

/// A shot that is being simulated: what never changes, and the state that does.
pub struct Simulation {
    model: model::Model,
    state: state::State,
    report: FrameReport,
    scratch: step::Scratch,
    /// The regions that were solved apart last, ready for the next time; nothing in it is part of a result.
    parts: Vec<part::Part>,
    /// What regions came to, where it is asked for; nothing in it is part of a result.
    recall: Option<recall::Recall>,
    /// Where everything was between the frame before and the present one.
    passed: Vec<legs::Passed>,
}

/// Where a body is, in f64.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BodyPose<'a> {
    /// World positions of its vertices, in the mesh's order [m].
    Deformed(&'a [DVec3]),
    /// `world = rotation * mesh + translation`.
    Posed(DVec3, DQuat),
}

/// Why a frame could not be made. The state is that of the last accepted substep.
#[derive(Clone, Debug, PartialEq)]
pub enum Failure {
    /// The person asked to stop; nothing is lost.
    Interrupted,
    /// The shot cannot go on: what happened, and the way out.
    Shot(Diagnostic),
}

impl Simulation {
    /// Builds the start state of `scene`: the state at its first frame if there is no preroll, else
    /// at the begin of the preroll. Errors are the person's mistakes (bodies that start crossing).
    pub fn start(scene: &Scene) -> Result<Started, Vec<Diagnostic>> {
        build::start(scene)
    }

    /// Simulates the preroll, so that the state is that of the first frame.
    pub fn preroll<'a>(&mut self, attention: impl Into<Attention<'a>>) -> Result<(), Failure> {
        step::preroll(self, attention.into())
    }

    /// Simulates from the present frame to the next. `commands` act first. On a failure or an
    /// interruption the state is left as it was at the present frame.
    pub fn advance<'a>(
        &mut self,
        commands: &[Command],
        attention: impl Into<Attention<'a>>,
    ) -> Result<(), Failure> {
        step::advance(self, commands, attention.into())
    }

    /// Keeps from now on what regions come to, so that [`Simulation::outcomes`] can tell it.
    pub fn keep_outcomes(&mut self) {
        self.recall.get_or_insert_default();
        self.parts.clear();
    }

    /// Offers what regions came to in another run, as [`Simulation::outcomes`] told it, in place of what was
    /// offered before: a region whose bodies, state, and all that acts on it are the same is not solved again, from
    /// the second frame with such a region on. An error says why some of it cannot be read; it is then solved.
    pub fn offer(&mut self, outcomes: &[Vec<u8>]) -> Result<(), String> {
        self.recall.as_mut().map_or(Ok(()), |recall| recall.offer(outcomes))
    }

    /// Whether something that was offered came out differently when it was solved again: another engine made it, and
    /// nothing of it is taken.
    pub fn distrusts_offers(&self) -> bool {
        self.recall.as_ref().is_some_and(recall::Recall::distrusts)
    }

    /// What the regions came to since the frame before, as bytes that depend on nothing else; empty where
    /// there was one region only, and where nobody asked to keep them.
    pub fn outcomes(&self) -> Vec<u8> {
        self.recall.as_ref().map_or_else(Vec::new, recall::Recall::to_bytes)
    }

    /// The regions since the frame before that were taken over from what was offered: indices of the bodies that
    /// are free to move, rising.
    pub fn taken_over(&self) -> Vec<Vec<usize>> {
        self.recall.as_ref().map_or_else(Vec::new, recall::Recall::taken_over)
    }

    /// Number of the present frame.
    pub fn frame(&self) -> i32 {
        self.state.frame
    }

    /// Script time of the present state [s].
    pub fn time(&self) -> f64 {
        self.state.time
    }

    /// Where body `index` of the scene is.
    pub fn body(&self, index: usize) -> BodyPose<'_> {
        self.state.body(&self.model, index)
    }

    /// Script times of the samples between the frame before and the present one [s].
    pub fn sample_times(&self) -> Vec<f64> {
        self.passed.iter().map(|passed| passed.time).collect()
    }

    /// Where body `index` of the scene was at the sample with the number `sample`, as [`Simulation::sample_times`]
    /// counts them.
    pub fn sample(&self, sample: usize, index: usize) -> BodyPose<'_> {
        let legs::Passed { positions, poses, .. } = &self.passed[sample];
        state::whereabouts(&self.model, positions, poses, index)
    }

    /// What happened since the frame before, and the figures of the present frame.
    pub fn report(&self) -> &FrameReport {
        &self.report
    }

    /// The present frame as a callback may see it.
    pub fn view(&self) -> WorldView {
        report::view(&self.model, &self.state, &self.report)
    }

    /// Seconds on the clock that the stages of shape matching took since they were asked for last: potential
    /// and exact detection, depth with separation, matching. No result depends on them.
    pub fn take_stage_seconds(&mut self) -> [f64; 4] {
        let mut sum = self.scratch.bench.take_stages();
        for part in &mut self.parts {
            sum.iter_mut().zip(part.take_stages()).for_each(|(all, own)| *all += own);
        }
        sum
    }

    /// The exact state as bytes.
    pub fn save(&self) -> Vec<u8> {
        self.state.to_bytes()
    }

    /// Goes to a state that [`Simulation::save`] of the same scene wrote.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), String> {
        let state = state::State::from_bytes(bytes)?;
        if state.positions.len() != self.state.positions.len()
            || state.velocities.len() != self.state.velocities.len()
            || state.constraints.len() != self.state.constraints.len()
            || state.anchors.len() != self.state.anchors.len()
        {
            return Err("the state belongs to another scene".to_owned());
        }
        self.state = state;
        self.passed.clear();
        self.report = FrameReport::default();
        self.refresh_figures();
        Ok(())
    }

    /// Computes the figures of the present frame.
    fn refresh_figures(&mut self) {
        report::measure(&self.model, &self.state, &mut self.report);
    }

    /// blake3 of the exact state.
    pub fn state_hash(&self) -> [u8; 32] {
        *blake3::hash(&self.save()).as_bytes()
    }
}
