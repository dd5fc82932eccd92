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
