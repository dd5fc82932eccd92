//! Exit codes.

use super::snippet;
use crate::diagnostics::Diagnostic;
use std::path::Path;
use std::process::ExitCode;

/// How the program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exit {
    /// Done.
    Done,
    /// The shot failed, `verify` found something, or one of a batch failed.
    Failed,
    /// The command, script or scene is wrong, or another run holds the folder.
    Wrong,
    /// Stopped; what is done is kept.
    Interrupted,
    /// The shot ran to its end but a check failed.
    CheckFailed,
}

impl Exit {
    /// The number.
    pub(super) fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Wrong => 2,
            Self::Interrupted => 3,
            Self::CheckFailed => 4,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

/// Says what is wrong with the command.
pub(super) fn wrong(message: &str) -> Exit {
    refused(&[Diagnostic::error(message)], None)
}

/// Prints problems of the command, the script or the scene.
pub(super) fn refused(problems: &[Diagnostic], root: Option<&Path>) -> Exit {
    snippet::print_all(problems, root);
    Exit::Wrong
}
