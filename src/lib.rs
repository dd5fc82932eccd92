//! Retake: a scriptable offline animation tool.
//!
//! Data flows one way: a Lua script (`director`) describes a [`scene`], the engine ([`sim`])
//! turns it into [`frames`], and [`export`], [`render`] and [`report`] read those frames.
//! [`production`] drives one shot from script to outputs; [`cli`] talks to the person.
//! `tests/module_layers.rs` fails on a `use` that goes the other way.

// Benchmarks and tests share their scenes, which name the crate from outside.
#[cfg(test)]
extern crate self as retake;
#[cfg(test)]
#[path = "../benches/scenes.rs"]
mod scenes;

pub mod cli;
pub mod diagnostics;
pub mod director;
pub mod export;
pub mod frames;
pub mod geometry;
pub mod math;
pub mod production;
pub mod render;
pub mod report;
pub mod scene;
pub mod sim;
