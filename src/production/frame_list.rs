//! Lists of frames as people write them: `1-48`, `1-240x2`, `5,9,12-20`.

use crate::diagnostics::Diagnostic;
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

/// Which frames of a shot are meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameList {
    text: String,
    parts: Vec<Part>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Part {
    first: i32,
    last: i32,
    every: i32,
}

impl FrameList {
    /// The list of `frames`, rising: steps of one length as such, else runs and single ones.
    pub(super) fn text_of(frames: &[i32]) -> String {
        let [first, .., last] = frames else {
            return frames.first().map_or_else(String::new, i32::to_string);
        };
        let every = frames[1] - first;
        if frames.windows(2).all(|w| w[1] - w[0] == every) {
            return match every {
                1 => format!("{first}-{last}"),
                _ => format!("{first}-{last}x{every}"),
            };
        }
        let runs = frames.chunk_by(|a, b| b - a == 1);
        let texts = runs.map(|run| match run {
            [one] => one.to_string(),
            [first, .., last] => format!("{first}-{last}"),
            [] => String::new(),
        });
        texts.collect::<Vec<_>>().join(",")
    }

    /// The last frame of the list.
    pub fn last(&self) -> i32 {
        self.parts.iter().map(|p| p.last - (p.last - p.first) % p.every).max().unwrap_or(0)
    }

    /// The frames of the list that lie in `first ..= last`.
    pub fn within(&self, first: i32, last: i32) -> BTreeSet<i32> {
        (first..=last).filter(|n| self.contains(*n)).collect()
    }

    fn contains(&self, n: i32) -> bool {
        self.parts.iter().any(|p| n >= p.first && n <= p.last && (n - p.first) % p.every == 0)
    }
}

impl FromStr for FrameList {
    type Err = Diagnostic;

    fn from_str(text: &str) -> Result<Self, Diagnostic> {
        let wrong = || {
            Diagnostic::error(format!("`{text}` is not a list of frames"))
                .hint("write it as `1-48`, `1-240x2` (every second) or `5,9,12-20`")
        };
        let number = |s: &str| s.trim().parse::<i32>().map_err(|_| wrong());
        let mut parts = Vec::new();
        for part in text.split(',') {
            let (range, every) = match part.split_once('x') {
                Some((range, every)) => (range.trim(), number(every)?),
                None => (part.trim(), 1),
            };
            // A leading minus belongs to the number: shots may start before frame 0.
            let dash = range.char_indices().skip(1).find(|(_, c)| *c == '-').map(|(i, _)| i);
            let (first, last) = match dash {
                Some(i) => (number(&range[..i])?, number(&range[i + 1..])?),
                None => (number(range)?, number(range)?),
            };
            if every < 1 || last < first || last.checked_sub(first).is_none() {
                return Err(wrong());
            }
            parts.push(Part { first, last, every });
        }
        Ok(Self { text: text.to_owned(), parts })
    }
}

impl fmt::Display for FrameList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(text: &str) -> Vec<i32> {
        let list: FrameList = text.parse().unwrap();
        list.within(-10, 30).into_iter().collect()
    }

    #[test]
    fn reads_what_people_write() {
        assert_eq!(frames("3-5"), [3, 4, 5]);
        assert_eq!(frames("1-10x4"), [1, 5, 9]);
        for text in ["3", "3-5", "-3--1", "1-9x4", "5,9,12-13"] {
            assert_eq!(FrameList::text_of(&frames(text)), text);
        }
        assert_eq!(frames("5, 9,12-13"), [5, 9, 12, 13]);
        assert_eq!(frames("-3--1"), [-3, -2, -1]);
        assert_eq!("1-240x2".parse::<FrameList>().unwrap().last(), 239);
        for wrong in ["", "a", "5-1", "1-5x0", "1-5x-1", "1--", "--1", "1,,2", "9999999999"] {
            assert!(wrong.parse::<FrameList>().is_err(), "{wrong}");
        }
    }
}
