//! The engine's present state as a frame.

use crate::frames::{
    BodyState, Event, EventKind, Figures, Frame, Region, Retake, RetakeReason, Sample,
};
use crate::scene::Scene;
use crate::sim::{
    BodyPose, Simulation, StepEvent, StepEventKind, StepRegion, StepRetake, StepRetakeReason,
};

/// The present frame of `simulation`, without what only the script knows (measures, its events).
pub(super) fn capture(scene: &Scene, simulation: &Simulation) -> Frame {
    let report = simulation.report();
    let number = simulation.frame();
    Frame {
        number,
        // Adding zero takes the sign off a zero: -0 s would be told at the first frame.
        time: simulation.time() + 0.0,
        bodies: (0..scene.bodies.len()).map(|i| body(simulation.body(i))).collect(),
        figures: Figures {
            steps: report.steps,
            retakes: report.retakes.len() as u32,
            contacts: report.contacts,
            closest_approach: Some(report.closest_approach).filter(|d| d.is_finite()),
            pressed_in: report.pressed_in,
            rms_stretch: report.rms_stretch,
            max_stretch: report.max_stretch,
            fastest: report.fastest,
            kinetic: report.kinetic,
            elastic: report.elastic,
            momentum: report.momentum,
            overlaps: report.effort.overlaps,
            measures: Vec::new(),
        },
        regions: report.regions.iter().map(region).collect(),
        retakes: report.retakes.iter().map(|r| retake(scene, number, r)).collect(),
        events: report.events.iter().map(|e| event(scene, e)).collect(),
        state_hash: simulation.state_hash(),
        samples: samples(scene, simulation),
    }
}

/// Where the bodies were since the frame before.
fn samples(scene: &Scene, simulation: &Simulation) -> Vec<Sample> {
    let bodies = |k: usize| (0..scene.bodies.len()).map(move |i| body(simulation.sample(k, i)));
    let times = simulation.sample_times().into_iter().enumerate();
    times.map(|(k, time)| Sample { time, bodies: bodies(k).collect() }).collect()
}

fn body(pose: BodyPose<'_>) -> BodyState {
    match pose {
        BodyPose::Deformed(positions) => BodyState::Deformed {
            positions: positions.iter().map(|p| p.as_vec3().to_array()).collect(),
        },
        BodyPose::Posed(translate, rotate) => BodyState::Posed {
            translate: translate.as_vec3().to_array(),
            rotate: rotate.to_array().map(|v| v as f32),
        },
    }
}

fn region(region: &StepRegion) -> Region {
    let StepRegion { bodies, steps, retakes, fastest } = region.clone();
    Region { bodies, steps, retakes, fastest }
}

fn retake(scene: &Scene, frame: i32, retake: &StepRetake) -> Retake {
    Retake {
        frame,
        time: retake.time,
        region: retake.region.iter().map(|i| body_name(scene, *i)).collect(),
        reason: reason(retake.reason),
        between: retake.between.map(|i| body_name(scene, i)),
        step_before: retake.step_before,
        step_after: retake.step_after,
        steps_back: retake.steps_back,
        seconds: retake.seconds,
    }
}

pub(super) fn reason(reason: StepRetakeReason) -> RetakeReason {
    match reason {
        StepRetakeReason::NotFinite => RetakeReason::NotFinite,
        StepRetakeReason::Crossed => RetakeReason::Crossed,
        StepRetakeReason::ContactTooDeep => RetakeReason::ContactTooDeep,
        StepRetakeReason::HeldBack => RetakeReason::HeldBack,
        StepRetakeReason::NotConverged => RetakeReason::NotConverged,
        StepRetakeReason::Met => RetakeReason::Met,
    }
}

fn event(scene: &Scene, event: &StepEvent) -> Event {
    let held = |i: usize| scene.constraints.get(i).map_or_else(String::new, |c| c.name.clone());
    let (kind, names) = match event.kind {
        StepEventKind::FirstTouch { a, b } => {
            (EventKind::FirstTouch, vec![body_name(scene, a), body_name(scene, b)])
        }
        StepEventKind::Broke { constraint } => (EventKind::Broke, vec![held(constraint)]),
        StepEventKind::Released { constraint } => (EventKind::Released, vec![held(constraint)]),
        StepEventKind::Froze { constraint } => (EventKind::Froze, vec![held(constraint)]),
        StepEventKind::HeldOpen { constraint } => (EventKind::HeldOpen, vec![held(constraint)]),
        StepEventKind::Pinched { body } => (EventKind::Pinched, vec![body_name(scene, body)]),
        StepEventKind::GaveWay { body, other, at, by } => (
            EventKind::GaveWay { at: at.to_array(), by },
            vec![body_name(scene, body), body_name(scene, other)],
        ),
        StepEventKind::Unresolved { reason: why, between } => {
            (EventKind::Unresolved(reason(why)), between.map(|i| body_name(scene, i)).to_vec())
        }
        StepEventKind::Crossed { a, b } => {
            (EventKind::Crossed, vec![body_name(scene, a), body_name(scene, b)])
        }
        StepEventKind::Separated { a, b, by } => {
            (EventKind::Separated(by), vec![body_name(scene, a), body_name(scene, b)])
        }
    };
    Event { time: event.time, kind, names }
}

pub(super) fn body_name(scene: &Scene, index: usize) -> String {
    scene.bodies.get(index).map_or_else(String::new, |b| b.name.clone())
}
