//! What regions came to, kept so that it can be taken over where the same comes again: in a run of the same
//! script after an edit that touches other regions only.
//!
//! The outcome of a region follows from its state, the part of the scene that concerns it, and the span.
//! Hashes of these are its key. Whatever has the same key has the same outcome to the bit, since
//! nothing else enters it: neither clocks nor the number of threads, nor what was solved before. Only another
//! engine could come to something else; so the first frame with known outcomes is solved all the same, and
//! what does not come out as it was kept is told.

use super::fingerprint::{Concern, Prints};
use super::model::Model;
use super::outcome_bytes;
use super::part::{Begun, Outcome, Part};
use super::solved::{self, Solved, Source};
use super::swept::Swept;
use std::collections::BTreeMap;

/// Whether what is offered is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Trust {
    /// Nothing of it has been solved again yet.
    #[default]
    Untried,
    /// Something of it has been solved again in this frame, and came out the same.
    Tried,
    /// What was solved again came out the same.
    Earned,
    /// Something came out differently.
    Lost,
}

/// What is known of outcomes while a frame is made.
#[derive(Default)]
pub(crate) struct Recall {
    prints: Prints,
    trust: Trust,
    earlier: BTreeMap<Source, Vec<u8>>,
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
            match solved::from_bytes(list) {
                Ok(list) => self.earlier.extend(list.into_iter().map(|s| (s.key, s.outcome))),
                Err(why) => result = Err(why),
            }
        }
        result
    }

    /// Forgets what was noted, before a new frame is made.
    pub(crate) fn begin(&mut self) {
        self.solved.clear();
        self.taken_over.clear();
        if self.trust == Trust::Tried {
            self.trust = Trust::Earned;
        }
    }

    /// Whether something that was offered was found to be what another engine came to.
    pub(crate) fn distrusts(&self) -> bool {
        self.trust == Trust::Lost
    }

    /// What a region of these bodies depends on.
    pub(crate) fn concern(&mut self, model: &Model, bodies: &[usize]) -> Concern {
        self.prints.concern(&model.scene, bodies)
    }

    /// The outcome of a part that has begun, where it is known and to be trusted, and the boxes that its bodies
    /// swept.
    pub(crate) fn outcome(&self, part: &Part, begun: &Begun) -> Option<(Outcome, Vec<Swept>)> {
        if self.trust != Trust::Earned {
            return None;
        }
        outcome_bytes::unpack(part, begun, self.earlier.get(&begun.key?)?)
    }

    /// Notes that the outcome of a part was known.
    pub(crate) fn took_over(&mut self, part: &Part, begun: &Begun) {
        let known = begun.key.and_then(|key| Some((key, self.earlier.get(&key)?.clone())));
        if let Some((key, outcome)) = known {
            self.solved.push(Solved { bodies: part.bodies.clone(), key, outcome });
            self.taken_over.push(part.free().collect());
        }
    }

    /// Notes what a part came to.
    pub(crate) fn note(&mut self, solved: Solved) {
        match self.earlier.get(&solved.key) {
            Some(outcome) if *outcome != solved.outcome => self.trust = Trust::Lost,
            Some(_) if self.trust == Trust::Untried => self.trust = Trust::Tried,
            _ => {}
        }
        self.solved.push(solved);
    }

    /// All outcomes since [`Recall::begin`] as bytes; empty where there are none.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        solved::to_bytes(&self.solved)
    }

    /// Free bodies of the regions whose outcome was known, in some leg of the frame at least, in their order.
    pub(crate) fn taken_over(&self) -> Vec<Vec<usize>> {
        let mut all = self.taken_over.clone();
        all.sort();
        all.dedup();
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Scene;
    use crate::scenes;
    use crate::sim::Simulation;
    use std::sync::atomic::AtomicBool;

    /// Two sheets that fall on balls, five metres from each other; the second is heavier by `more`.
    fn scene(more: f64) -> Scene {
        let mut scene = scenes::sheet_on_ball(5);
        for mut body in scene.bodies.clone() {
            body.name.push_str(" too");
            if let crate::math::Curve::Constant(place) = &mut body.translate {
                place.x += 5.0;
            }
            body.velocity.y -= more;
            scene.bodies.push(body);
        }
        scene
    }

    fn started(scene: &Scene) -> Simulation {
        let mut started = Simulation::start(scene).map_err(|p| format!("{p:?}")).unwrap();
        started.simulation.keep_outcomes();
        started.simulation
    }

    /// Three frames, with what `offered` has of each.
    fn run(scene: &Scene, offered: &[Vec<u8>]) -> (Simulation, Vec<Vec<u8>>, Vec<usize>) {
        let (mut simulation, mut kept, mut taken) = (started(scene), Vec::new(), Vec::new());
        for k in 0..4 {
            simulation.offer(offered.get(k..=k).unwrap_or_default()).unwrap();
            simulation.advance(&[], &AtomicBool::new(false)).unwrap();
            kept.push(simulation.outcomes());
            taken.push(simulation.taken_over().len());
        }
        (simulation, kept, taken)
    }

    #[test]
    fn what_is_taken_over_is_what_is_solved() {
        let (old, outcomes, none) = run(&scene(0.0), &[]);
        assert_eq!(none, [0; 4]);
        // The first frame is solved to see whether the engine is the same.
        let (same, again, taken) = run(&scene(0.0), &outcomes);
        assert_eq!(taken, [0, 2, 2, 2]);
        assert!(again == outcomes && same.save() == old.save() && same.report() == old.report());
        let (new, fresh, _) = run(&scene(0.1), &[]);
        let (edited, again, taken) = run(&scene(0.1), &outcomes);
        assert_eq!(taken, [0, 1, 1, 1]);
        assert!(again == fresh && edited.save() == new.save() && edited.report() == new.report());
        // The other way round: the one that is the same has other numbers.
        let mut turned = scene(0.1);
        turned.bodies.rotate_left(2);
        let (new, fresh, _) = run(&turned, &[]);
        let (edited, again, taken) = run(&turned, &outcomes);
        assert_eq!(taken.iter().sum::<usize>(), 0, "the scene's first body is another one");
        assert!(again == fresh && edited.save() == new.save());
    }

    #[test]
    fn what_another_engine_came_to_is_not_taken() {
        let (old, mut outcomes, _) = run(&scene(0.0), &[]);
        for list in &mut outcomes[..1] {
            let mut solved = solved::from_bytes(list).unwrap();
            let byte = solved[1].outcome.len() / 2;
            solved[1].outcome[byte] ^= 1;
            *list = solved::to_bytes(&solved);
        }
        let (same, _, taken) = run(&scene(0.0), &outcomes);
        assert_eq!(taken, [0; 4]);
        assert!(same.distrusts_offers() && !old.distrusts_offers());
        assert!(same.save() == old.save());
        assert!(started(&scene(0.0)).offer(&[vec![0xff; 3]]).is_err());
    }
}
