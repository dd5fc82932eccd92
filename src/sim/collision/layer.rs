//! The layer between two surfaces that touch: how hard it is pressed at which depth, and how deep with which force.
//!
//! With the depth `x` below the contact distance D, the depth `x_start` at the start of the substep and
//! `g(x) = D/3 ((1 - x/D)^-3 - 1)`, the law by which a pad of fibres is pressed together (van Wyk 1946, Journal of
//! the Textile Institute 37), the force is that of an elastic layer that grows hard and of a damper that acts on
//! approach only: `f = K g(x) + rho max(0, x - x_start)`. Between bodies that keep their shape the damper grows
//! hard as well, `rho max(0, g(x) - g(x_start))`, and stops what K would leave to the guard. `g` goes on as a
//! straight line from `x = 0.9 D`. K does not change with the step, so that a shorter step finds the same forces;
//! rho does, but can only take energy out.
//!
//! Between what gives but for solids, K is no constant: where what it bears presses deeper than a tenth of D, it is harder
//! in the next substep, so that this comes out by a fifth in each `Model::contact_step`, and falls back as the load goes. So it
//! is on what is given, where that had to wait for what is in its way.
//! Mass says nothing of how hard cloth is drawn together or wound up; a layer that goes by mass alone is pressed flat there.

/// Depth, as a part of the contact distance, from which the normal force grows no harder.
const HARDEST: f64 = 0.9;

/// Depth, as a part of the contact distance, to which a steady load presses, and the part of its depth that a place which
/// comes out still has after one `Model::contact_step`: all at once it would be thrown out.
const LOADED: f64 = 0.1;
const RELIEF: f64 = 0.8;

/// The part of its depth that a place which comes out still has after a substep of `steps` times `Model::contact_step`: in
/// short substeps it comes out no faster, and in longer ones by no more.
pub(crate) fn relief(steps: f64) -> f64 {
    libm::pow(RELIEF, steps.min(1.0))
}

/// Most iterations on a depth, and the part of the contact distance below which a step of them is rounding.
const MOST_ITERATIONS: u32 = 40;
const NEGLIGIBLE: f64 = 1e-12;

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
        let room = (1.0 - depth / self.distance).max(1.0 - HARDEST);
        let cubed = room * room * room;
        let beyond = (depth - HARDEST * self.distance).max(0.0);
        let slope = 1.0 / (cubed * room);
        (self.distance / 3.0 * (1.0 / cubed - 1.0) + slope * beyond, slope)
    }

    /// Stiffness with which what K bears at `depth` would press in by [`LOADED`] of the distance, or come out by as much as
    /// [`relief`] leaves [N/m].
    pub(crate) fn needs(&self, depth: f64, relief: f64) -> f64 {
        let aim = (LOADED * self.distance).max(relief * depth);
        self.stiffness * self.hardness(depth).0 / self.hardness(aim).0
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
        let bears = |force: f64, stiffness: f64| {
            distance * (1.0 - 1.0 / libm::cbrt(1.0 + 3.0 * force / (stiffness * distance)))
        };
        if !damped {
            return bears(force, stiffness);
        }
        if self.hard_damper {
            return bears(force + damper * self.hardness(start_depth).0, stiffness + damper);
        }
        // Either alone would be pressed deeper; from there Newton's iteration comes down to the root, as the
        // force is convex.
        let damper_alone = start_depth + (force - at_start) / damper;
        let mut depth = bears(force, stiffness).min(damper_alone);
        for _ in 0..MOST_ITERATIONS {
            let (there, slope) = self.force(depth);
            let step = (there - force) / slope;
            depth -= step;
            if step <= NEGLIGIBLE * distance {
                break;
            }
        }
        depth.max(start_depth)
    }

    /// The straight line that touches the layer's curve where its force is `known` [N].
    pub(crate) fn line(&self, known: f64) -> Line {
        let depth = self.depth(known);
        Line { force: known, depth, slope: self.force(depth).1 }
    }
}

/// A layer as straight about a force foreseen: never harder than the layer itself. Newton's method on the dual
/// variable goes by it (Chan, Golub and Mulet 1999), so that a place that one step brings too deep asks for no more
/// than what its linear part foresaw.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Line {
    /// Force where it touches the layer's curve [N].
    pub(crate) force: f64,
    /// Depth there [m].
    pub(crate) depth: f64,
    /// Slope there [N/m].
    pub(crate) slope: f64,
}

impl Line {
    /// Force at `depth` [N] and its derivative [N/m].
    pub(crate) fn at(&self, depth: f64) -> (f64, f64) {
        let force = self.force + self.slope * (depth - self.depth);
        if force > 0.0 { (force, self.slope) } else { (0.0, 0.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Its stiffness follows what it bears: a load that is too much for it comes out, and what is left of it asks for no more
    /// than it had.
    #[test]
    fn a_steady_load_comes_out_to_a_tenth_of_the_distance() {
        let (distance, by_mass) = (2e-3, 40.0);
        let mut layer = Layer { distance, stiffness: by_mass, ..Layer::default() };
        let mut depth = layer.depth(1.0);
        assert!(depth > 0.7 * distance, "{depth}");
        for _ in 0..12 {
            layer.stiffness = layer.needs(depth, RELIEF).max(by_mass);
            let next = layer.depth(1.0);
            let expected = (0.8 * depth).max(0.1 * distance);
            assert!((next - expected).abs() < 1e-12, "{next}, not {expected}");
            depth = next;
        }
        assert!((depth - 0.1 * distance).abs() < 1e-12, "{depth}");
        assert!(layer.needs(layer.depth(1e-3), RELIEF) < by_mass);
        assert!((libm::pow(relief(0.25), 4.0) - RELIEF).abs() < 1e-15, "{}", relief(0.25));
        assert!((relief(2.0) - RELIEF).abs() < 1e-15, "{}", relief(2.0));
    }

    #[test]
    fn depth_and_force_undo_each_other_and_the_line_touches_from_below() {
        for (damper, hard_damper) in [(0.0, false), (15.0, false), (15.0, true)] {
            for start_depth in [0.0, 3e-4, 1.8e-3, 1.95e-3, 3e-3] {
                let layer =
                    Layer { distance: 2e-3, stiffness: 40.0, damper, hard_damper, start_depth };
                let mut before = 0.0;
                assert_eq!(layer.line(0.0).at(-1e-5), (0.0, 0.0));
                assert_eq!(layer.line(0.0).depth, 0.0);
                for k in 1..80 {
                    let depth = 5e-5 * f64::from(k);
                    let (force, slope) = layer.force(depth);
                    assert!(force > before, "{layer:?} at {depth}");
                    before = force;
                    assert!((layer.depth(force) - depth).abs() < 1e-12, "{layer:?} at {depth}");
                    let (line, line_slope) = layer.line(force).at(depth);
                    assert!(
                        (line - force).abs() < 1e-9 * force && line_slope >= slope * (1.0 - 1e-9)
                    );
                    for j in 0..80 {
                        let other = 5e-5 * f64::from(j);
                        let below = layer.line(force).at(other).0;
                        assert!(below <= layer.force(other).0 * (1.0 + 1e-9) + 1e-12);
                    }
                }
            }
        }
    }
}
