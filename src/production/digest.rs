//! What happened in a run, gathered from its stored frames: for `retake inspect` and the report.

use super::folder::store_of;
use super::stale::measures_hash;
use super::summary::uncertified;
use super::timings::{Clocks, Pace};
use crate::diagnostics::{Diagnostic, Place};
use crate::frames::{Event, Figures, Region, Retake, RetakeReason};
use crate::scene::Scene;
use std::collections::BTreeMap;
use std::path::Path;

/// Below this speed a body counts as at rest [m/s].
pub const AT_REST: f64 = 1e-3;

/// A run, frame by frame.
pub struct Digest {
    /// The shot as it was simulated.
    pub scene: Scene,
    /// Frames from the first on without gaps.
    pub frames: Vec<FrameDigest>,
    /// Rejected attempts, in their order.
    pub retakes: Vec<Retake>,
    /// Regions that lived at all, the longest-lived first.
    pub regions: Vec<RegionDigest>,
    clocks: Clocks,
}

/// A frame of a run.
pub struct FrameDigest {
    /// Its number.
    pub number: i32,
    /// Its script time [s].
    pub time: f64,
    /// Its numbers.
    pub figures: Figures,
    /// What was solved apart to make it.
    pub regions: Vec<Region>,
    /// What happened on the way to it.
    pub events: Vec<Event>,
}

/// Bodies that were solved together, over all frames in which just these were.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RegionDigest {
    /// Indices of the bodies, rising.
    pub bodies: Vec<usize>,
    /// Number of frames.
    pub frames: usize,
    /// The first and last of them.
    pub range: (i32, i32),
    /// Accepted steps, summed.
    pub steps: u64,
    /// Shortest mean step of a frame [s].
    pub shortest: f64,
    /// Rejected attempts, and how often the region was done again with what it met.
    pub retakes: u64,
    /// The frames in which nothing in it moved faster than [`AT_REST`].
    pub resting: usize,
}

/// How the making of frames went on the clock.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PaceDigest {
    /// By frame: its time in the playing shot [s], and its clocks.
    pub frames: Vec<(f64, FramePace)>,
    /// Whoever begins to play the shot so long after its making began never waits for a frame [s].
    pub head_start: f64,
}

/// When a frame came along [s].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FramePace {
    /// Work that it took.
    pub took: f64,
    /// It was simulated.
    pub simulated: f64,
    /// Frames that waited for the disk before it.
    pub queued: usize,
    /// It lay on the disk; not known of frames of an older program.
    pub written: Option<f64>,
    /// Its picture was drawn, if it has one.
    pub drawn: Option<f64>,
}

impl Digest {
    /// Of the run in `folder`. An error means that it is no run.
    pub fn read(folder: &Path) -> Result<Self, Diagnostic> {
        let store = store_of(folder)?;
        let scene = store.scene()?;
        let mut digest = Self {
            frames: Vec::new(),
            retakes: Vec::new(),
            regions: Vec::new(),
            clocks: Clocks::read(folder),
            scene,
        };
        let mut regions: BTreeMap<Vec<usize>, RegionDigest> = BTreeMap::new();
        let measured_by = measures_hash(&digest.scene);
        for n in digest.scene.timing.start_frame..=digest.scene.timing.last_frame() {
            let Ok(mut record) = store.record(n) else { break };
            record.keep_measures_by(&measured_by);
            let frame = record.frame;
            for region in &frame.regions {
                let dt = digest.scene.timing.frame_dt();
                note(regions.entry(region.bodies.clone()).or_default(), n, region, dt);
            }
            digest.retakes.extend(frame.retakes);
            digest.frames.push(FrameDigest {
                number: n,
                time: frame.time,
                figures: frame.figures,
                regions: frame.regions,
                events: frame.events,
            });
            if record.stop.is_some() {
                break;
            }
        }
        if digest.frames.is_empty() {
            let place = Place::new(folder.display().to_string(), 0);
            return Err(Diagnostic::error("the run has no frames yet").at(place));
        }
        digest.regions = regions.into_values().collect();
        digest.regions.sort_by(|a, b| b.frames.cmp(&a.frames).then(a.range.cmp(&b.range)));
        Ok(digest)
    }

    /// Names of bodies for people: at most three, and how many more.
    pub fn names(&self, bodies: &[usize]) -> String {
        names(&self.scene, bodies)
    }

    /// The frame from which on nothing moves faster than [`AT_REST`]: its number and time [s].
    pub fn rests_from(&self) -> Option<(i32, f64)> {
        let calm = |f: &&FrameDigest| f.figures.fastest < AT_REST;
        self.frames.iter().rev().take_while(calm).last().map(|f| (f.number, f.time))
    }

    /// Accepted steps of all bodies, each in its region, and those that they would have taken if all
    /// had gone with the finest region of the frame.
    pub fn body_steps(&self) -> (u64, u64) {
        let mut sums = (0, 0);
        for frame in &self.frames {
            let finest = frame.regions.iter().map(|r| u64::from(r.steps)).max().unwrap_or(0);
            for region in &frame.regions {
                let bodies = region.bodies.len() as u64;
                sums.0 += bodies * u64::from(region.steps);
                sums.1 += bodies * finest;
            }
        }
        sums
    }

    /// Accepted steps, and attempts that were thrown away, at once or by steps back, as a part of all attempts.
    pub fn retake_share(&self) -> (u64, f64) {
        let accepted: u64 = self.frames.iter().map(|f| u64::from(f.figures.steps)).sum();
        // Of regions that met, what is done again is not counted in attempts.
        let counted = self.retakes.iter().filter(|r| r.reason != RetakeReason::Met);
        let back: u64 = counted.map(|r| u64::from(r.steps_back)).sum();
        let rejected = self.retakes.len() as u64 + back;
        (accepted, rejected as f64 / (accepted + rejected).max(1) as f64)
    }

    /// Regions that were taken over from an earlier run rather than solved: indices of the bodies that are free to
    /// move, first and last of consecutive frames; in the order of their first frame.
    pub fn taken_over(&self) -> Vec<(Vec<usize>, i32, i32)> {
        self.clocks.spans_taken_over()
    }

    /// Why the promise that nothing crosses does not hold, if it does not.
    pub fn uncertified(&self) -> Option<String> {
        uncertified(&self.scene)
    }

    /// The clocks of the frames; none where nothing is kept of them.
    pub fn pace(&self) -> Option<PaceDigest> {
        let per_frame = f64::from(self.scene.timing.fps.1) / f64::from(self.scene.timing.fps.0);
        let first = self.scene.timing.start_frame;
        let mut pace = PaceDigest::default();
        for frame in &self.frames {
            let Some(own) = self.clocks.pace.get(&frame.number) else { continue };
            let Pace { simulated, queued, written, drawn } = *own;
            let took = self.clocks.simulate.get(&frame.number).copied().unwrap_or(0.0);
            let plays = f64::from(frame.number - first) * per_frame;
            let own = FramePace { took, simulated, queued, written, drawn };
            pace.head_start = pace.head_start.max(written.unwrap_or(simulated) - plays);
            pace.frames.push((plays, own));
        }
        (!pace.frames.is_empty()).then_some(pace)
    }

    /// Seconds on the clock of whole parts of the work.
    pub fn parts(&self) -> impl Iterator<Item = (&str, f64)> {
        self.clocks.parts.iter().map(|(what, seconds)| (what.as_str(), *seconds))
    }
}

/// As [`Digest::names`].
pub(super) fn names(scene: &Scene, bodies: &[usize]) -> String {
    let name = |b: &usize| scene.bodies.get(*b).map_or("?", |body| body.name.as_str());
    let told: Vec<&str> = bodies.iter().take(3).map(name).collect();
    let more = bodies.len().saturating_sub(3);
    let told = told.join(", ");
    if more > 0 { format!("{told} and {more} more") } else { told }
}

/// Takes a region of frame `n`, which is `dt` seconds long, into what is known of it.
fn note(digest: &mut RegionDigest, n: i32, region: &Region, dt: f64) {
    if digest.frames == 0 {
        digest.bodies.clone_from(&region.bodies);
        digest.range.0 = n;
        digest.shortest = f64::INFINITY;
    }
    digest.frames += 1;
    digest.range.1 = n;
    digest.steps += u64::from(region.steps);
    digest.shortest = digest.shortest.min(dt / f64::from(region.steps.max(1)));
    digest.retakes += u64::from(region.retakes);
    digest.resting += usize::from(region.fastest < AT_REST);
}
