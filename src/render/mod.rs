//! Pictures of frames, by a path tracer on the processor.
//!
//! [`choose_view`] finds a camera where the script names none ([`View::of_camera`] takes the
//! script's), [`View::at`] resolves it for a frame, [`render`] draws the frame as a [`Picture`],
//! [`write_png`] and [`write_exr`] put it on disk.
//!
//! ```text
//! Scene + Frame ─► world (smooth normals, BVH) ─┐
//! lights, sky, camera ──────────────────────────┴─► path ─► film ─► denoise ─► Picture ─► files
//! ```
//!
//! Colours are linear Rec.709; PNG goes through the AgX view transform, EXR does not. A picture
//! depends on its arguments alone, not on threads.

mod denoise;
mod directions;
mod files;
mod film;
mod framing;
mod light;
mod material;
mod palette;
mod path;
mod pictures;
mod sampler;
mod settings;
mod sky;
mod smoothing;
mod tangents;
mod texture;
mod tone;
mod view;
mod world;

pub use files::{display_pixels, encode_png, write_exr, write_png};
pub use film::render;
pub use framing::{choose_view, measure_stage};
pub use pictures::Pictures;
pub use settings::{NO_DEPTH, Picture, Settings};
pub use smoothing::Smoothing;
pub use tone::view_transform;
pub use view::{ResolvedCamera, Sighting, Stage, View};
