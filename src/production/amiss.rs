//! What went otherwise than a shot asks for, though its frames hold: given motions that waited, what is held open, what was
//! left unresolved.

use super::why::frames_in_words;
use crate::diagnostics::Diagnostic;
use crate::frames::{Event, EventKind};
use std::collections::BTreeMap;

/// Gathered frame by frame.
#[derive(Default)]
pub(super) struct Amiss {
    /// Of what is told the frames, rising.
    told: BTreeMap<String, Vec<i32>>,
}

impl Amiss {
    /// Takes an event of frame `number` in.
    pub(super) fn add(&mut self, number: i32, event: &Event) {
        let what = match &event.kind {
            EventKind::Pinched | EventKind::HeldOpen | EventKind::Unresolved(_) => {
                event.kind.text()
            }
            // By how much differs from step to step.
            EventKind::GaveWay { .. } => "the first gave way to what it pinches".to_owned(),
            _ => return,
        };
        let names: Vec<String> = event.names.iter().map(|name| format!("`{name}`")).collect();
        let frames = self.told.entry(format!("{}: {what}", names.join(" and "))).or_default();
        if frames.last() != Some(&number) {
            frames.push(number);
        }
    }

    /// A warning of each, in the order of their first frames.
    pub(super) fn warnings(&self) -> Vec<Diagnostic> {
        let mut told: Vec<(&String, &Vec<i32>)> = self.told.iter().collect();
        told.sort_by_key(|(_, frames)| frames[0]);
        let warning = |(what, frames): (&String, &Vec<i32>)| {
            let word = if frames.len() == 1 { "frame" } else { "frames" };
            Diagnostic::warning(format!("{what} ({word} {})", frames_in_words(frames)))
        };
        told.into_iter().map(warning).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frames::RetakeReason;

    #[test]
    fn each_is_told_once_with_its_frames() {
        let mut amiss = Amiss::default();
        let event = |kind: &EventKind, names: &[&str]| Event {
            time: 0.0,
            kind: kind.clone(),
            names: names.iter().map(ToString::to_string).collect(),
        };
        for n in [3, 3, 4, 5, 7, 9, 11, 13, 14] {
            amiss.add(n, &event(&EventKind::Pinched, &["jaw"]));
        }
        amiss.add(4, &event(&EventKind::FirstTouch, &["jaw", "cloth"]));
        amiss.add(8, &event(&EventKind::Unresolved(RetakeReason::HeldBack), &["jaw", "cloth"]));
        let told: Vec<String> = amiss.warnings().iter().map(|w| w.message.clone()).collect();
        assert_eq!(
            told,
            [
                "`jaw`: waited for what was in its way (frames 3-5, 7, 9, 11, 13-14)",
                "`jaw` and `cloth`: left unresolved: held back by the guard (frame 8)",
            ]
        );
    }
}
