//! What went otherwise than a shot asks for, though its frames hold: given motions that waited, what is held open, what was
//! left unresolved.

use crate::diagnostics::Diagnostic;
use crate::frames::{Event, EventKind};
use std::collections::BTreeMap;

/// At most so many spans of frames are told of each.
const SPANS: usize = 4;

/// Gathered frame by frame.
#[derive(Default)]
pub(super) struct Amiss {
    /// Of what a sentence says the frames, rising, in the order of the first of them.
    told: Vec<(String, Vec<i32>)>,
    place_of: BTreeMap<String, usize>,
}

impl Amiss {
    /// Takes an event of frame `number` in.
    pub(super) fn add(&mut self, number: i32, event: &Event) {
        let names =
            || event.names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(" and ");
        let text = match &event.kind {
            EventKind::Pinched => {
                format!("{} waited for what was in the way of its motion", names())
            }
            EventKind::GaveWay { .. } => {
                format!("{}: the first gave way to what it pinches", names())
            }
            EventKind::HeldOpen => {
                format!("{} is held open by pins, contacts or other stitches", names())
            }
            EventKind::Unresolved(reason) => {
                format!("left unresolved at the shortest step: {}: {}", reason.text(), names())
            }
            _ => return,
        };
        let next = self.told.len();
        let place = *self.place_of.entry(text.clone()).or_insert(next);
        if place == next {
            self.told.push((text, Vec::new()));
        }
        let frames = &mut self.told[place].1;
        if frames.last() != Some(&number) {
            frames.push(number);
        }
    }

    /// A warning of each.
    pub(super) fn warnings(&self) -> Vec<Diagnostic> {
        let warning = |(text, frames): &(String, Vec<i32>)| {
            Diagnostic::warning(format!("{text} ({})", spans(frames)))
        };
        self.told.iter().map(warning).collect()
    }
}

/// `frames 3 to 7, 9` for rising numbers.
fn spans(frames: &[i32]) -> String {
    let all: Vec<(i32, i32)> =
        frames.chunk_by(|a, b| a + 1 == *b).map(|s| (s[0], s[s.len() - 1])).collect();
    let text = |(from, to): &(i32, i32)| {
        if from == to { format!("{from}") } else { format!("{from} to {to}") }
    };
    let shown: Vec<String> = all.iter().take(SPANS).map(text).collect();
    let more = all.iter().skip(SPANS).map(|(from, to)| to - from + 1).sum::<i32>();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let word = if frames.len() == 1 { "frame" } else { "frames" };
    format!("{word} {}{more}", shown.join(", "))
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
                "`jaw` waited for what was in the way of its motion (frames 3 to 5, 7, 9, 11 and 2 more)",
                "left unresolved at the shortest step: held back by the guard: `jaw` and `cloth` (frame 8)",
            ]
        );
    }
}
