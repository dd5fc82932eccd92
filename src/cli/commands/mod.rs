//! One file a command.

mod again;
mod batch;
mod bench;
mod build;
mod compare;
mod convert;
mod doctor;
mod inspect;
mod manual;
mod many;
mod run;
mod starter;
mod submit;
mod sweep;
mod verify;
mod watch;
mod why;

pub(super) use again::{export, render};
pub(super) use batch::batch;
pub(super) use bench::bench;
pub(super) use build::{check, params, scene};
pub(super) use compare::compare;
pub(super) use convert::convert;
pub(super) use doctor::doctor;
pub(super) use inspect::inspect;
pub(super) use manual::{completions, man};
pub(super) use run::run;
pub(super) use starter::new;
pub(super) use submit::submit;
pub(super) use sweep::sweep;
pub(super) use verify::verify;
pub(super) use watch::watch;
pub(super) use why::why;
