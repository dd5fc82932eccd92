//! The production room.
