//! The export room.
