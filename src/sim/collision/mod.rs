//! Finding what is near, contact rows with history, and the guard that lets nothing cross.

pub(crate) mod borne;
pub(crate) mod candidates;
pub(crate) mod contact;
pub(crate) mod contact_distance;
pub(crate) mod distance;
pub(crate) mod elastic_hits;
pub(crate) mod finder;
pub(crate) mod footing;
pub(crate) mod guard;
mod in_plane;
pub(crate) mod layer;
pub(crate) mod load;
mod neighbours;
mod pinched;
pub(crate) mod place;
pub(crate) mod seams;
mod stars;
pub(crate) mod surface;
pub(crate) mod together;
pub(crate) mod tree;
mod turning;
