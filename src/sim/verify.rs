//! Judges an attempt.

use super::methods::bench::Quality;
use super::model::Model;
use super::report::StepRetakeReason;
use crate::scene::Method;

/// What becomes of an attempt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Verdict {
    /// It becomes state; `may_grow` says whether a longer substep would do.
    Accept { may_grow: bool },
    /// It is thrown away: why, and between which bodies.
    Reject(StepRetakeReason, [usize; 2]),
}

/// Judges an attempt of length `h`.
pub(crate) fn judge(model: &Model, quality: &Quality, h: f64) -> Verdict {
    let settings = &model.scene.solver;
    // What moves, where no more is known.
    let off = || [quality.off.or(model.bodies.iter().position(|b| b.free)).unwrap_or(0); 2];
    if !quality.finite {
        return Verdict::Reject(StepRetakeReason::NotFinite, off());
    }
    if quality.closest < 0.25 * model.floor {
        return Verdict::Reject(StepRetakeReason::Crossed, quality.closest_bodies);
    }
    // A load that presses deep but steadily is what the layer has found its rest under: a shorter step
    // would find the same.
    if quality.deepened > 0.4 * settings.tolerance {
        return Verdict::Reject(StepRetakeReason::ContactTooDeep, quality.deepened_bodies);
    }
    // Held back by more than a tenth of the skin, or by more than one part in a hundred of the motion.
    let free_play = (0.1 * super::model::SKIN).max(0.01 * quality.fastest * h);
    if quality.held_back > free_play {
        return Verdict::Reject(StepRetakeReason::HeldBack, quality.held_bodies);
    }
    if quality.error > 1.0 {
        return Verdict::Reject(StepRetakeReason::NotConverged, off());
    }
    if model.scene.solver.method != Method::Auto {
        return Verdict::Accept { may_grow: quality.may_grow };
    }
    let enough = (20.0 * settings.accuracy).max(0.02 * quality.fastest);
    if quality.change > enough {
        return Verdict::Reject(StepRetakeReason::NotConverged, off());
    }
    Verdict::Accept { may_grow: quality.rounds <= 3 && quality.deepened < 0.1 * settings.tolerance }
}
