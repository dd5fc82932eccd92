//! A problem as the person who made it should read it: what, where, and the way out.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A line of a file that a person wrote: a script, a mesh file, a batch list.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    /// File as the person named it (relative to the project's root where it lies below it).
    pub file: String,
    /// Line, counted from 1; 0 where the file has no lines (a binary mesh).
    pub line: u32,
}

impl Place {
    /// A place in `file` at `line` (counted from 1).
    pub fn new(file: impl Into<String>, line: u32) -> Self {
        Self { file: file.into(), line }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line == 0 {
            write!(f, "{}", self.file)
        } else {
            write!(f, "{}:{}", self.file, self.line)
        }
    }
}

/// How bad a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The work goes on; the person should know.
    Warning,
    /// The work cannot be done as asked.
    Error,
}

/// One problem with its place, what was expected, and advice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// Warning or error.
    pub severity: Severity,
    /// What is wrong, in one sentence without a full stop.
    pub message: String,
    /// Where the person wrote it.
    pub place: Option<Place>,
    /// The way out: "did you mean `color`?", "write `:tetrahedralized{}` first".
    pub hint: Option<String>,
}

impl Diagnostic {
    /// An error with a message and nothing else yet.
    pub fn error(message: impl Into<String>) -> Self {
        Self { severity: Severity::Error, message: message.into(), place: None, hint: None }
    }

    /// A warning with a message and nothing else yet.
    pub fn warning(message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(message) }
    }

    /// The same problem at `place`.
    #[must_use]
    pub fn at(mut self, place: impl Into<Option<Place>>) -> Self {
        self.place = place.into();
        self
    }

    /// The same problem with advice.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        write!(f, "{}", self.message)?;
        if let Some(hint) = &self.hint {
            write!(f, "; {hint}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostic {}

/// Whether `name` fits `pattern`, in which `*` stands for any text and `?` for one character.
pub fn fits(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), name.chars().collect());
    // Where the last `*` stands, and how much of the name it has taken.
    let (mut p, mut n, mut star) = (0, 0, None);
    while n < name.len() {
        if p < pattern.len() && pattern[p] == '*' {
            star = Some((p, n));
            p += 1;
        } else if p < pattern.len() && (pattern[p] == '?' || pattern[p] == name[n]) {
            (p, n) = (p + 1, n + 1);
        } else if let Some((at, taken)) = star {
            star = Some((at, taken + 1));
            (p, n) = (at + 1, taken + 1);
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

/// The word of `allowed` that is nearest to `word`, if one is near enough to be meant.
pub fn nearest<'a>(word: &str, allowed: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let mut best: Option<(&str, f64)> = None;
    for candidate in allowed {
        let score = strsim::jaro_winkler(&word.to_lowercase(), &candidate.to_lowercase());
        if score >= 0.8 && best.is_none_or(|(_, s)| score > s) {
            best = Some((candidate, score));
        }
    }
    best.map(|(candidate, _)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit_as_in_a_shell() {
        for (pattern, name) in [
            ("a", "a"),
            ("*", ""),
            ("glass_*", "glass_12"),
            ("*_l?t", "shoe_left_lit"),
            ("**", "x"),
        ] {
            assert!(fits(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [("a", "b"), ("a", "ab"), ("?", ""), ("glass_*", "a_glass_1")] {
            assert!(!fits(pattern, name), "{pattern} {name}");
        }
    }
}
