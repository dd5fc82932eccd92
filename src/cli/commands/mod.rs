//! One file a command.

mod build;
mod doctor;
mod inspect;
mod manual;
mod run;
mod starter;

pub(super) use build::{check, params, scene};
pub(super) use doctor::doctor;
pub(super) use inspect::inspect;
pub(super) use manual::{completions, man};
pub(super) use run::run;
pub(super) use starter::new;
