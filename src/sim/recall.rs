//! What regions came to, kept so that it can be taken over where the same comes again: in a run of the same
//! script after an edit that touches other regions only.
//!
//! The outcome of a region follows from its state, the part of the scene that concerns it, and the span.
//! blake3 of these three is its key. Whatever has the same key has the same outcome to the bit, since
//! nothing else enters it: neither clocks nor the number of threads, nor what was solved before.

use super::fingerprint::{Concern, Prints};
use super::model::Model;
use super::outcome_bytes;
use super::part::{Begun, Outcome, Part};
use super::step::Swept;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a region came to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Solved {
    /// Of what it follows from.
    pub(crate) key: [u8; 32],
    /// As [`outcome_bytes::pack`] has it.
    pub(crate) outcome: Vec<u8>,
}

/// What is known of outcomes while a frame is made.
#[derive(Default)]
pub(crate) struct Recall {
    prints: Prints,
    earlier: BTreeMap<[u8; 32], Vec<u8>>,
    solved: Vec<Solved>,
    taken_over: Vec<Vec<usize>>,
}

impl Recall {
    /// Offers outcomes of an earlier run in place of those that were offered before; an error says why they
    /// cannot be read.
    pub(crate) fn offer(&mut self, lists: &[Vec<u8>]) -> Result<(), String> {
        self.earlier.clear();
        let mut result = Ok(());
        for list in lists {
            match postcard::from_bytes::<Vec<Solved>>(list) {
                Ok(list) => self.earlier.extend(list.into_iter().map(|s| (s.key, s.outcome))),
                Err(e) => result = Err(e.to_string()),
            }
        }
        result
    }

    /// Forgets what was noted, before a new frame is made.
    pub(crate) fn begin(&mut self) {
        self.solved.clear();
        self.taken_over.clear();
    }

    /// What a region of these bodies depends on.
    pub(crate) fn concern(&mut self, model: &Model, bodies: &[usize]) -> Concern {
        self.prints.concern(model, bodies)
    }

    /// The outcome of a part that has begun, where it is known, and the boxes that its bodies swept.
    pub(crate) fn outcome(&self, part: &Part, begun: &Begun) -> Option<(Outcome, Vec<Swept>)> {
        outcome_bytes::unpack(part, begun, self.earlier.get(&begun.key?)?)
    }

    /// Notes that the outcome of a part was known.
    pub(crate) fn took_over(&mut self, model: &Model, part: &Part, begun: &Begun) {
        let known = begun.key.and_then(|key| Some((key, self.earlier.get(&key)?.clone())));
        if let Some((key, outcome)) = known {
            self.solved.push(Solved { key, outcome });
            let free = |b: &usize| model.bodies[*b].free;
            self.taken_over.push(part.bodies.iter().copied().filter(free).collect());
        }
    }

    /// Notes what a part came to.
    pub(crate) fn note(&mut self, solved: Solved) {
        self.solved.push(solved);
    }

    /// All outcomes since [`Recall::begin`] as bytes, in an order that does not depend on how they came about;
    /// empty where there are none.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut all: Vec<&Solved> = self.solved.iter().collect();
        all.sort();
        all.dedup();
        if all.is_empty() {
            return Vec::new();
        }
        postcard::to_stdvec(&all).expect("plain data always serialises")
    }

    /// Free bodies of the regions whose outcome was known, in their order.
    pub(crate) fn taken_over(&self) -> Vec<Vec<usize>> {
        let mut all = self.taken_over.clone();
        all.sort();
        all
    }
}
