//! The layer between two surfaces that touch: how hard it is pressed at which depth, and how deep with which force.
//!
//! With the depth `x` below the contact distance D, the depth `x_start` at the start of the substep and
//! `g(x) = x / (1 - x/D)` the force is that of an elastic layer that grows hard and of a damper that acts on
//! approach only: `f = K g(x) + rho max(0, x - x_start)`. Between bodies that keep their shape the damper grows
//! hard as well, `rho max(0, g(x) - g(x_start))`, and stops what K would leave to the guard. `g` goes on as a
//! straight line from `x = 0.9 D`. K does not change with the step, so that a shorter step finds the same forces;
//! rho does, but can only take energy out.

/// Depth, as a part of the contact distance, from which the normal force grows no harder.
const HARDEST: f64 = 0.9;

/// The layer of one place of contact; see the module.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Layer {
    /// Contact distance D [m].
    pub(crate) distance: f64,
    /// Stiffness K where it begins [N/m].
    pub(crate) stiffness: f64,
    /// Penalty of approach rho [N/m].
    pub(crate) damper: f64,
    /// Whether what penalises approach grows hard with the layer.
    pub(crate) hard_damper: bool,
    /// Depth at the start of the substep [m].
    pub(crate) start_depth: f64,
}

impl Layer {
    /// `g` and its derivative at `depth`.
    fn hardness(&self, depth: f64) -> (f64, f64) {
        let (edge, room) = (1.0 - HARDEST, 1.0 - depth / self.distance);
        if room >= edge {
            return (depth / room, 1.0 / (room * room));
        }
        let slope = 1.0 / (edge * edge);
        let beyond = depth - HARDEST * self.distance;
        (HARDEST * self.distance / edge + slope * beyond, slope)
    }

    /// Force at `depth` [N] and its derivative [N/m], towards what is deeper where it has two.
    pub(crate) fn force(&self, depth: f64) -> (f64, f64) {
        if depth < 0.0 {
            return (0.0, 0.0);
        }
        let (g, steep) = self.hardness(depth);
        let (mut force, mut slope) = (self.stiffness * g, self.stiffness * steep);
        if depth >= self.start_depth {
            if self.hard_damper {
                force += self.damper * (g - self.hardness(self.start_depth).0);
                slope += self.damper * steep;
            } else {
                force += self.damper * (depth - self.start_depth);
                slope += self.damper;
            }
        }
        (force, slope)
    }

    /// Depth at which the force is `force` [m]; 0 where there is none.
    pub(crate) fn depth(&self, force: f64) -> f64 {
        if force <= 0.0 {
            return 0.0;
        }
        let Self { distance, stiffness, damper, start_depth, .. } = *self;
        let hardest = HARDEST * distance;
        let (at_start, with_damper) = self.force(start_depth);
        let damped = force > at_start;
        if damped && start_depth > hardest {
            return start_depth + (force - at_start) / with_damper;
        }
        let (at_hardest, slope) = self.force(hardest);
        if force >= at_hardest {
            return hardest + (force - at_hardest) / slope;
        }
        // Where `g` alone bears it.
        let bears = |force: f64, stiffness: f64| force / (stiffness + force / distance);
        if !damped {
            return bears(force, stiffness);
        }
        if self.hard_damper {
            return bears(force + damper * self.hardness(start_depth).0, stiffness + damper);
        }
        // The lower root of rho x^2 - b x + c = 0.
        let b = (stiffness + damper) * distance + damper * start_depth + force;
        let c = (damper * start_depth + force) * distance;
        2.0 * c / (b + (b * b - 4.0 * damper * c).max(0.0).sqrt())
    }

    /// Force at `depth` [N] and its derivative [N/m] on the straight line that touches the layer's curve where its
    /// force is `known`: never more than the layer's own. Newton's method on the dual variable goes by it (Chan,
    /// Golub and Mulet 1999), so that a place that one step brings too deep asks for no more than what its linear
    /// part foresaw.
    pub(crate) fn foresee(&self, known: f64, depth: f64) -> (f64, f64) {
        let there = self.depth(known);
        let slope = self.force(there).1;
        let force = known + slope * (depth - there);
        if force > 0.0 { (force, slope) } else { (0.0, 0.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_and_force_undo_each_other_and_the_line_touches_from_below() {
        for hard_damper in [false, true] {
            for start_depth in [0.0, 3e-4, 1.8e-3, 1.95e-3, 3e-3] {
                let layer = Layer {
                    distance: 2e-3,
                    stiffness: 40.0,
                    damper: 15.0,
                    hard_damper,
                    start_depth,
                };
                let mut before = 0.0;
                for k in 1..80 {
                    let depth = 5e-5 * f64::from(k);
                    let (force, slope) = layer.force(depth);
                    assert!(force > before, "{layer:?} at {depth}");
                    before = force;
                    assert!((layer.depth(force) - depth).abs() < 1e-12, "{layer:?} at {depth}");
                    let (line, line_slope) = layer.foresee(force, depth);
                    assert!(
                        (line - force).abs() < 1e-9 * force && line_slope >= slope * (1.0 - 1e-9)
                    );
                    for j in 0..80 {
                        let other = 5e-5 * f64::from(j);
                        let below = layer.foresee(force, other).0;
                        assert!(below <= layer.force(other).0 * (1.0 + 1e-9) + 1e-12);
                    }
                }
            }
        }
    }
}
