//! What people look at after a run: contact sheets of pictures, tables of figures, pages with plots.
//!
//! [`sheet`] puts labelled pictures side by side; [`table`] writes figures as text, CSV, JSON and HTML;
//! [`plot`] draws them, [`playback`] shows a shot in motion, and [`page`] puts all of it into one file.

mod bitmap;
mod lettering;
pub mod page;
pub mod playback;
pub mod plot;
pub mod sheet;
pub mod table;

pub use bitmap::Bitmap;
