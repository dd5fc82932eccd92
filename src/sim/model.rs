//! What never changes while stepping.

use crate::scene::Scene;

/// What never changes while stepping.
pub(super) struct Model {
    pub(super) scene: Scene,
}
