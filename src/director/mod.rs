//! The director room.
