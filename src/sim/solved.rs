//! What regions came to, as it is kept with a frame.

use super::fingerprint::Prints;
use crate::scene::Scene;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What an outcome follows from, as two numbers: what of the scene concerns the region, and its state with the
/// end of the span.
pub(crate) type Source = [[u8; 32]; 2];

/// What a region came to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Solved {
    /// Its bodies in the scene, sorted.
    pub(crate) bodies: Vec<usize>,
    pub(crate) key: Source,
    /// As [`pack`](super::outcome_bytes::pack) has it.
    pub(crate) outcome: Vec<u8>,
}

/// A list as bytes, in an order that does not depend on how it came about; empty for an empty one.
pub(crate) fn to_bytes(list: &[Solved]) -> Vec<u8> {
    let mut all: Vec<&Solved> = list.iter().collect();
    all.sort();
    all.dedup();
    if all.is_empty() {
        return Vec::new();
    }
    postcard::to_stdvec(&all).expect("plain data always serialises")
}

/// The list that [`to_bytes`] wrote.
pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Vec<Solved>, String> {
    postcard::from_bytes(bytes).map_err(|e| e.to_string())
}

/// Gives what regions came to before a scene was changed the names that it has after: for frames that the change
/// does not reach, so that they are those of a run of the changed scene.
pub struct Renaming<'a> {
    scene: &'a Scene,
    prints: Prints,
    /// Of regions by their bodies.
    known: BTreeMap<Vec<usize>, [u8; 32]>,
}

impl<'a> Renaming<'a> {
    /// For the changed scene, whose bodies and constraints have the numbers that they had.
    pub fn new(scene: &'a Scene) -> Self {
        Self { scene, prints: Prints::default(), known: BTreeMap::new() }
    }

    /// A frame's outcomes of regions, as [`Simulation::outcomes`](super::Simulation::outcomes) told them, by their
    /// new names; none where they are the same or cannot be read.
    pub fn outcomes(&mut self, old: &[u8]) -> Option<Vec<u8>> {
        let mut list = from_bytes(old).ok()?;
        let bodies = self.scene.bodies.len();
        for solved in &mut list {
            if solved.bodies.iter().any(|body| *body >= bodies) {
                return None;
            }
            let bodies = solved.bodies.clone();
            let print = || self.prints.concern(self.scene, &solved.bodies).print;
            solved.key[0] = *self.known.entry(bodies).or_insert_with(print);
        }
        Some(to_bytes(&list)).filter(|new| new != old)
    }
}
