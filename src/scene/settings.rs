//! How a shot is solved and what collides.

use super::Method;
use crate::diagnostics::Place;
use serde::{Deserialize, Serialize};

/// Collision settings of bodies that say nothing themselves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Collisions {
    /// Whether bodies touch themselves.
    pub self_contact: bool,
    /// Friction coefficient.
    pub friction: f64,
    /// Full thickness [m]; none: by kind.
    pub thickness: Option<f64>,
    /// Whether what starts crossing is pulled apart, rather than refused.
    #[serde(default)]
    pub separate: bool,
}

impl Default for Collisions {
    fn default() -> Self {
        Self { self_contact: true, friction: 0.4, thickness: None, separate: false }
    }
}

/// Settings of the pairs between bodies `a` and bodies `b`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContactPair {
    /// Body indices, sorted.
    pub a: Vec<usize>,
    /// Body indices, sorted.
    pub b: Vec<usize>,
    /// Friction coefficient of the pair; none: geometric mean of both.
    pub friction: Option<f64>,
    /// Part of the speed of approach with which the pair parts again; none: the larger one of both.
    pub restitution: Option<f64>,
    /// Whether the pair touches at all.
    pub collides: bool,
    /// Holds from here on [s].
    pub starts: Option<f64>,
    /// Holds until here [s].
    pub ends: Option<f64>,
    /// Script line.
    pub place: Place,
}

impl ContactPair {
    /// Whether it holds at script time `time` [s].
    pub(crate) fn holds(&self, time: f64) -> bool {
        self.starts.is_none_or(|s| time >= s) && self.ends.is_none_or(|e| time < e)
    }

    /// Whether it is for the pair of the bodies `a` and `b`.
    pub(crate) fn is_for(&self, a: usize, b: usize) -> bool {
        let has = |list: &[usize], body: usize| list.binary_search(&body).is_ok();
        (has(&self.a, a) && has(&self.b, b)) || (has(&self.a, b) && has(&self.b, a))
    }
}

/// How a shot is solved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SolverSettings {
    /// The method.
    pub method: Method,
    /// Longest step [s]; none: a frame.
    pub step: Option<f64>,
    /// Shortest step [s].
    pub min_step: f64,
    /// Exactly this step [s] (a retake may still halve it).
    pub fixed_step: Option<f64>,
    /// How far a contact may be pressed in, as a part of its contact distance.
    pub tolerance: f64,
    /// Whether imprecise steps are taken again.
    pub rollback: bool,
    /// Whether bodies that cannot meet before the next frame are solved apart.
    pub regions: bool,
    /// What is done about crossings.
    pub guard: Guard,
    /// What converged means [m/s] at the scene's size.
    pub accuracy: f64,
    /// Most sweeps or iterations of a method of the literature; none: the method's own number.
    #[serde(default)]
    pub iterations: Option<u32>,
    /// Factor of over-relaxation, 0..2; none: 1.
    #[serde(default)]
    pub relaxation: Option<f64>,
    /// How far a velocity may be off in the system, or in a step, of a method of the literature [m/s];
    /// none: so far that the steps of a second add up to `accuracy`.
    #[serde(default)]
    pub solver_tolerance: Option<f64>,
    /// Change of the force on a point from one step to the next from which on Beeman's method moves it
    /// [N]; none: 0.001.
    #[serde(default)]
    pub force_change: Option<f64>,
    /// Whether impulses are propagated up the contact graph, with all below as if infinitely heavy; none: yes.
    #[serde(default)]
    pub shock: Option<bool>,
}

impl Default for SolverSettings {
    fn default() -> Self {
        Self {
            method: Method::Auto,
            step: None,
            min_step: 1e-6,
            fixed_step: None,
            tolerance: 0.25,
            rollback: true,
            regions: true,
            guard: Guard::Enforce,
            accuracy: 1e-3,
            iterations: None,
            relaxation: None,
            solver_tolerance: None,
            force_change: None,
            shock: None,
        }
    }
}

/// What the engine does about crossings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Guard {
    /// No accepted state has one.
    Enforce,
    /// They happen and are listed.
    Report,
    /// They happen.
    Off,
}
