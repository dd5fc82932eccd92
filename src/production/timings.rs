//! Clocks of a run: the one place where they are kept.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::frames::write_whole;

/// Name of the file; comparisons leave it out.
pub(super) const TIMINGS_FILE: &str = "timings.json";

/// Clocks of a run, over all of its sittings.
#[derive(Debug)]
pub(super) struct Timings {
    inner: Mutex<Clocks>,
    /// When this sitting began, and what its clock showed then [s].
    began: (Instant, f64),
}

/// Seconds on the clock.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Clocks {
    /// Of whole parts of the work ("export gltf", "draw"), summed over all sittings.
    pub(super) parts: BTreeMap<String, f64>,
    /// Of simulating each frame.
    pub(super) simulate: BTreeMap<i32, f64>,
    /// When each frame came along.
    pub(super) pace: BTreeMap<i32, Pace>,
    /// Of the stages of shape matching in each frame: potential and exact detection, depth with
    /// separation, matching.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) stages: BTreeMap<i32, [f64; 4]>,
    /// Regions that were taken over from an earlier run and took no time: indices of their bodies, by frame.
    #[serde(with = "spans", skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) taken_over: BTreeMap<i32, Vec<Vec<usize>>>,
}

/// A region, and the first and last of consecutive frames.
pub(super) type Span = (Vec<usize>, i32, i32);

/// When a frame came along [s], on a clock that runs while the shot is worked on: a later sitting
/// takes it up where the earlier one left it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Pace {
    /// It was simulated.
    pub(super) simulated: f64,
    /// Frames that waited for the disk before it then.
    pub(super) queued: usize,
    /// It lay on the disk.
    pub(super) written: Option<f64>,
    /// Its picture was drawn.
    pub(super) drawn: Option<f64>,
}

impl Pace {
    fn latest(&self) -> f64 {
        self.simulated.max(self.written.unwrap_or(0.0)).max(self.drawn.unwrap_or(0.0))
    }
}

impl Default for Timings {
    fn default() -> Self {
        Self::going_on(Clocks::default())
    }
}

impl Clocks {
    /// The regions that were taken over, each with frames that follow each other, in the order of their first
    /// frame.
    pub(super) fn spans_taken_over(&self) -> Vec<Span> {
        spans::of(&self.taken_over)
    }

    /// Those of the run in `folder`; empty where there are none.
    pub(super) fn read(folder: &Path) -> Self {
        fs::read(folder.join(TIMINGS_FILE))
            .ok()
            .and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .unwrap_or_default()
    }
}

impl Timings {
    /// Those of earlier sittings in `folder`, if there are any.
    pub(super) fn read(folder: &Path) -> Self {
        Self::going_on(Clocks::read(folder))
    }

    fn going_on(clocks: Clocks) -> Self {
        let before = clocks.pace.values().map(Pace::latest).fold(0.0, f64::max);
        Self { inner: Mutex::new(clocks), began: (Instant::now(), before) }
    }

    /// A frame was simulated.
    pub(super) fn frame(&self, number: i32, took: Duration) {
        let pace = Pace { simulated: self.now(), ..Pace::default() };
        self.change(|c| {
            c.simulate.insert(number, took.as_secs_f64());
            c.pace.insert(number, pace);
        });
    }

    /// So many waited for the disk before a frame.
    pub(super) fn queued(&self, number: i32, ahead: usize) {
        self.change(|c| c.pace.entry(number).or_default().queued = ahead);
    }

    /// A frame lies on the disk.
    pub(super) fn written(&self, number: i32) {
        let now = self.now();
        self.change(|c| c.pace.entry(number).or_default().written = Some(now));
    }

    /// The picture of a frame was drawn.
    pub(super) fn drawn(&self, number: i32) {
        let now = self.now();
        self.change(|c| c.pace.entry(number).or_default().drawn = Some(now));
    }

    fn now(&self) -> f64 {
        self.began.1 + self.began.0.elapsed().as_secs_f64()
    }

    /// The stages of a frame took so long; all zero where its method has none.
    pub(super) fn stages(&self, number: i32, seconds: [f64; 4]) {
        if seconds.iter().any(|s| *s > 0.0) {
            self.change(|c| c.stages.insert(number, seconds));
        }
    }

    /// These regions of a frame were taken over from an earlier run.
    pub(super) fn taken_over(&self, number: i32, regions: Vec<Vec<usize>>) {
        self.change(|c| {
            c.taken_over.remove(&number);
            if !regions.is_empty() {
                c.taken_over.insert(number, regions);
            }
        });
    }

    /// As [`Clocks::spans_taken_over`].
    pub(super) fn spans_taken_over(&self) -> Vec<Span> {
        self.change(|c| c.spans_taken_over())
    }

    /// A part of the work was done.
    pub(super) fn part(&self, name: &str, took: Duration) {
        self.change(|c| *c.parts.entry(name.to_owned()).or_default() += took.as_secs_f64());
    }

    /// Keeps them in `folder`.
    pub(super) fn write(&self, folder: &Path) -> io::Result<()> {
        let clocks = self.change(|c| c.clone());
        let mut text = serde_json::to_vec_pretty(&clocks)?;
        text.push(b'\n');
        write_whole(&folder.join(TIMINGS_FILE), &text)
    }

    fn change<T>(&self, f: impl FnOnce(&mut Clocks) -> T) -> T {
        f(&mut self.inner.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Regions by frame, kept as spans of frames.
mod spans {
    use super::{BTreeMap, Deserialize, Serialize, Span};
    use serde::{Deserializer, Serializer};

    type Regions = BTreeMap<i32, Vec<Vec<usize>>>;

    pub(super) fn of(all: &Regions) -> Vec<Span> {
        let mut spans: Vec<Span> = Vec::new();
        let mut latest: BTreeMap<&[usize], usize> = BTreeMap::new();
        for (n, regions) in all {
            for region in regions {
                let last = latest.get(region.as_slice()).map(|at| &mut spans[*at]);
                if let Some((.., to)) = last.filter(|(_, _, to)| to + 1 == *n) {
                    *to = *n;
                } else {
                    latest.insert(region, spans.len());
                    spans.push((region.clone(), *n, *n));
                }
            }
        }
        spans
    }

    pub(super) fn serialize<S: Serializer>(all: &Regions, to: S) -> Result<S::Ok, S::Error> {
        of(all).serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Regions, D::Error> {
        let mut all = Regions::new();
        for (region, first, last) in Vec::<Span>::deserialize(from)? {
            for n in first..=last {
                all.entry(n).or_default().push(region.clone());
            }
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_of_regions_come_back() {
        let timings = Timings::default();
        for (n, regions) in
            [(2, vec![vec![1], vec![2, 3]]), (3, vec![vec![2, 3]]), (5, vec![vec![1]])]
        {
            timings.taken_over(n, regions);
        }
        let spans = vec![(vec![1], 2, 2), (vec![2, 3], 2, 3), (vec![1], 5, 5)];
        assert_eq!(timings.spans_taken_over(), spans);
        let folder = tempfile::tempdir().unwrap();
        timings.write(folder.path()).unwrap();
        let again = Timings::read(folder.path());
        assert_eq!(again.spans_taken_over(), spans);
        again.taken_over(3, Vec::new());
        assert_eq!(again.spans_taken_over()[1], (vec![2, 3], 2, 2));
    }
}
