//! Going back past the substeps in which a fault was born (Galante 2009, section 3.2), within a span.
//!
//! A fault that is still there at the shortest substep sends the region back: first past the substep before the attempt,
//! then twice as far, and so on. From there it comes again with shorter substeps, down to a quarter of what else is the
//! shortest. What that does not mend is given up until the end of the span. Steps back that cannot be shorter mend
//! next to nothing and add faults of their own, so nothing goes back where `min_step` leaves no shorter ones.

use super::report::{FrameReport, StepRetakeReason};
use super::state::State;
use super::substep_clock::SubstepClock;
use super::swept::Swept;

/// Most states of a span that are kept to go back to.
const MOST_KNOTS: usize = 8;

/// Times that a fault sends the region back before it is given up.
const MOST_RETURNS: u32 = 4;

/// Accepted substeps of a span that may be thrown away before nothing is sent back any more: half of as many of the
/// shortest as a span has.
const MOST_THROWN_AWAY: u32 = 256;

/// All that there was before an accepted substep.
pub(crate) struct Knot {
    pub(crate) clock: SubstepClock,
    pub(crate) state: State,
    /// What had happened in the span, without retakes.
    pub(crate) report: FrameReport,
    pub(crate) swept: Vec<Swept>,
}

/// What is wrong, and between which bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Fault(StepRetakeReason, [usize; 2]);

impl Fault {
    /// The order of the bodies does not matter.
    pub(crate) fn new(reason: StepRetakeReason, mut between: [usize; 2]) -> Self {
        between.sort_unstable();
        Self(reason, between)
    }
}

/// A fault that the shortest substep has not mended.
struct Stubborn {
    fault: Fault,
    /// Times that it has sent the region back.
    returns: u32,
    /// Tick at which it came first.
    at: u64,
    /// Ticks of the substep before.
    before: u64,
}

impl Stubborn {
    /// Tick up to which the fault counts as the same.
    fn until(&self) -> u64 {
        self.at + self.before
    }
}

/// States of a span to go back to, and what sends the region there.
#[derive(Default)]
pub(crate) struct Returns {
    /// In order of time: the nearer the present, the denser.
    knots: Vec<Knot>,
    present: Option<Stubborn>,
    given_up: Vec<Fault>,
    /// Accepted substeps thrown away so far.
    thrown_away: u32,
}

impl Returns {
    /// Keeps what there was before the substep that was accepted last; `clock` is the one after it.
    pub(crate) fn keep(&mut self, knot: Knot, clock: &SubstepClock) {
        let now = clock.tick();
        self.knots.push(knot);
        if self.knots.len() > MOST_KNOTS {
            // That one goes whose neighbours are nearest to each other for how long ago they are.
            let tick = |i: usize| self.knots[i].clock.tick();
            let gap = |i: &usize| (tick(i + 1) - tick(i - 1)) as f64 / (now - tick(i - 1)) as f64;
            let least = (1..MOST_KNOTS).min_by(|a, b| gap(a).total_cmp(&gap(b)));
            self.knots.remove(least.unwrap_or(1));
        }
        if self.present.as_ref().is_some_and(|present| now >= present.until()) {
            self.present = None;
        }
    }

    /// An attempt at `clock` was not good for the `fault`: what to go back to, if that is to be; the clock is then
    /// the one to come again with. None where it is to be halved, or cannot be mended.
    pub(crate) fn go_back(&mut self, fault: Fault, clock: &mut SubstepClock) -> Option<Knot> {
        if clock.can_halve() || !clock.has_shorter() {
            return None;
        }
        if self.given_up.contains(&fault) || self.thrown_away >= MOST_THROWN_AWAY {
            clock.close_shorter();
            return None;
        }
        let now = clock.tick();
        let last = self.knots.last()?.clock.tick();
        let is_it = |known: &Stubborn| known.fault == fault && now <= known.until();
        if !self.present.as_ref().is_some_and(is_it) {
            self.present = Some(Stubborn { fault, returns: 0, at: now, before: now - last });
        }
        let stubborn = self.present.as_mut()?;
        if stubborn.returns == MOST_RETURNS {
            self.given_up.push(fault);
            self.present = None;
            clock.close_shorter();
            return None;
        }
        stubborn.returns += 1;
        let to = stubborn.at.saturating_sub(stubborn.before << (stubborn.returns - 1));
        let until = stubborn.until();
        let finer = stubborn.returns.div_ceil(2);
        let at = self.knots.iter().rposition(|knot| knot.clock.tick() <= to).unwrap_or(0);
        self.knots.truncate(at + 1);
        let knot = self.knots.pop()?;
        clock.go_back(&knot.clock, finer, until);
        Some(knot)
    }

    /// Notes that so many accepted substeps were thrown away.
    pub(crate) fn threw_away(&mut self, steps: u32) {
        self.thrown_away += steps;
    }
}
