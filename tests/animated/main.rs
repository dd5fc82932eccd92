//! Colliders and cameras that clips of files move: where they are, what cloth does on them, what is told of
//! mistakes, and what exporters make of them.
#![allow(missing_docs)]

mod cameras;
mod cloth;
mod exports;
mod files;
mod mistakes;
mod places;
mod rigid;

#[path = "../support/scripted.rs"]
mod scripted;
