//! What people look at after a run: contact sheets of pictures, and tables of figures.
//!
//! [`sheet`] puts labelled pictures side by side; [`table`] writes figures as text, CSV and JSON.

mod bitmap;
mod lettering;
pub mod sheet;
pub mod table;

pub use bitmap::Bitmap;
