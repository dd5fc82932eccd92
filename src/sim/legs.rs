//! From one frame to the next in legs, where a shot asks for several samples a frame: each leg ends at the time of a
//! sample, so that what is written is a state that the simulation has come to, as free of crossings as a frame, and
//! not a blend of two.
//!
//! Substeps are as long as without legs, as far as a leg is not shorter than the longest of them.

use super::model::Model;
use super::pose::Pose;
use super::report::{FrameReport, StepEventKind, StepRegion};
use super::step::list_crossings;
use super::substep_clock::START_LEVEL;
use super::{Attention, Failure, Simulation, regions, separate};
use crate::math::Sets;
use crate::scene::Scene;
use glam::DVec3;
use std::collections::BTreeMap;

/// Where everything was at a moment between two frames.
pub(crate) struct Passed {
    /// Script time [s].
    pub(crate) time: f64,
    /// As in the state.
    pub(crate) positions: Vec<DVec3>,
    /// As in the state.
    pub(crate) poses: Vec<Pose>,
}

/// Legs of a frame.
pub(crate) fn count(model: &Model) -> u32 {
    model.scene.output.subframes
}

/// How long the frame is of which a leg takes `span` seconds [s].
pub(crate) fn frame(model: &Model, span: f64) -> f64 {
    span * f64::from(count(model))
}

/// Level of the clock of a leg at which a shot starts: so that substeps are as long as with one leg, or a whole leg.
pub(crate) fn start_level(scene: &Scene) -> u32 {
    START_LEVEL.saturating_sub(scene.output.subframes.checked_ilog2().unwrap_or(0))
}

/// Simulates from the present frame to the next; the number of the frame stays as it is. The report of the
/// simulation holds what happened before.
pub(crate) fn advance(
    simulation: &mut Simulation,
    attention: Attention<'_>,
) -> Result<(), Failure> {
    simulation.passed.clear();
    let (frame, legs) = (simulation.state.frame, count(&simulation.model));
    for leg in 1..=legs {
        let Simulation { model, state, scratch, .. } = simulation;
        separate::check_newcomers(model, state, &mut scratch.bench.finder)
            .map_err(Failure::Shot)?;
        let end = model.scene.timing.script_time_between(frame, leg, legs);
        let before = (leg > 1).then(|| std::mem::take(&mut simulation.report));
        regions::advance(simulation, end, attention)?;
        list_crossings(simulation);
        if let Some(before) = before {
            let own = std::mem::take(&mut simulation.report);
            simulation.report = joined(before, own);
        }
        if leg < legs {
            let state = &simulation.state;
            simulation.passed.push(Passed {
                time: state.time,
                positions: state.positions.clone(),
                poses: state.poses.clone(),
            });
        }
    }
    Ok(())
}

/// What happened in some legs and then in one more, as of one span. What is measured of the present state is left
/// out: it is measured at the frame.
fn joined(before: FrameReport, own: FrameReport) -> FrameReport {
    let mut all = FrameReport {
        steps: before.steps + own.steps,
        closest_approach: before.closest_approach.min(own.closest_approach),
        pressed_in: before.pressed_in.max(own.pressed_in),
        regions: joined_regions(&before.regions, &own.regions),
        depths: own.depths,
        ..before
    };
    all.retakes.extend(own.retakes);
    all.rounds.extend(own.rounds);
    all.effort.add(&own.effort);
    for (a, b, count, impulse) in own.touches {
        all.touch(a, b, count, impulse);
    }
    for event in own.events {
        match event.kind {
            // Of each pair the deepest dent of the frame is told.
            StepEventKind::GaveWay { body, other, by, .. } => {
                let of_pair = |kind: &StepEventKind| match *kind {
                    StepEventKind::GaveWay { body: a, other: b, by, .. } => {
                        ((a, b) == (body, other)).then_some(by)
                    }
                    _ => None,
                };
                match all.events.iter_mut().find_map(|e| of_pair(&e.kind).map(|by| (by, e))) {
                    Some((known, place)) if known < by => *place = event,
                    Some(_) => {}
                    None => all.events.push(event),
                }
            }
            kind => all.note(event.time, kind),
        }
    }
    all.events.sort_by(|a, b| a.time.total_cmp(&b.time));
    all
}

/// Regions of a frame: what was solved together in some leg is one. Each leg counts with the region of it that took
/// most steps.
fn joined_regions(before: &[StepRegion], own: &[StepRegion]) -> Vec<StepRegion> {
    let all = || before.iter().chain(own);
    let size = all().flat_map(|region| &region.bodies).max().map_or(0, |last| last + 1);
    let mut sets = Sets::new(size);
    for pair in all().flat_map(|region| region.bodies.windows(2)) {
        sets.join(pair[0], pair[1]);
    }
    let mut joined: BTreeMap<usize, StepRegion> = BTreeMap::new();
    for legs in [before, own] {
        let mut steps: BTreeMap<usize, u32> = BTreeMap::new();
        for region in legs {
            let Some(&first) = region.bodies.first() else { continue };
            let set = sets.first_of(first);
            let most = steps.entry(set).or_default();
            *most = region.steps.max(*most);
            let bodies = Vec::new();
            let whole = joined.entry(set).or_insert(StepRegion {
                bodies,
                steps: 0,
                retakes: 0,
                fastest: 0.0,
            });
            whole.bodies.extend(&region.bodies);
            whole.retakes += region.retakes;
        }
        for (set, most) in steps {
            joined.entry(set).and_modify(|whole| whole.steps += most);
        }
    }
    let mut regions: Vec<StepRegion> = joined.into_values().collect();
    for region in &mut regions {
        region.bodies.sort_unstable();
        region.bodies.dedup();
    }
    regions.sort_by(|a, b| a.bodies.cmp(&b.bodies));
    regions
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::StepEvent;

    fn region(bodies: &[usize], steps: u32) -> StepRegion {
        StepRegion { bodies: bodies.to_vec(), steps, retakes: 1, fastest: 0.0 }
    }

    #[test]
    fn regions_of_legs_become_those_of_the_frame() {
        let before = [region(&[0, 1], 8), region(&[2], 2), region(&[4], 1)];
        let own = [region(&[0], 4), region(&[1, 2], 16), region(&[5], 3)];
        let told: Vec<(Vec<usize>, u32, u32)> = joined_regions(&before, &own)
            .into_iter()
            .map(|r| (r.bodies, r.steps, r.retakes))
            .collect();
        assert_eq!(told, [(vec![0, 1, 2], 24, 4), (vec![4], 1, 1), (vec![5], 3, 1)]);
    }

    #[test]
    fn what_happens_in_legs_adds_up() {
        let dent = |by| StepEventKind::GaveWay { body: 0, other: 1, at: DVec3::X * by, by };
        let pinched = StepEventKind::Pinched { body: 3 };
        let report =
            |time: f64, kinds: [StepEventKind; 2], impulse, closest_approach| FrameReport {
                steps: 2,
                events: kinds.map(|kind| StepEvent { time, kind }).to_vec(),
                closest_approach,
                touches: vec![(0, 1, time as u32, impulse)],
                ..FrameReport::default()
            };
        let first = report(1.0, [pinched.clone(), dent(0.1)], 2.0, 1e-3);
        let second = report(2.0, [pinched.clone(), dent(0.2)], 3.0, 2e-3);
        let third = report(3.0, [StepEventKind::FirstTouch { a: 0, b: 1 }, dent(0.05)], 0.5, 3e-3);
        let all = joined(joined(first, second), third);
        assert_eq!((all.steps, all.closest_approach), (6, 1e-3));
        assert_eq!(all.touches, [(0, 1, 3, 5.5)]);
        let told: Vec<(f64, StepEventKind)> =
            all.events.into_iter().map(|e| (e.time, e.kind)).collect();
        let touch = StepEventKind::FirstTouch { a: 0, b: 1 };
        assert_eq!(told, [(1.0, pinched), (2.0, dent(0.2)), (3.0, touch)]);
    }
}
