//! The next substep: accept, retake, halve, grow. Pure arithmetic on ticks, so that time never drifts.

/// A span is divided into `2^FINEST_LEVEL` ticks at most.
pub(crate) const FINEST_LEVEL: u32 = 24;

/// Level at which a shot starts: a sixteenth of a frame.
pub(crate) const START_LEVEL: u32 = 4;

/// Accepted substeps in a row before a longer one is tried.
const CALM_BEFORE_GROWTH: u32 = 6;

/// Walks from the begin of a span to its end in substeps of `span / 2^level`, each aligned to its length.
#[derive(Clone, Debug)]
pub(crate) struct SubstepClock {
    span: f64,
    tick: u64,
    level: u32,
    calm: u32,
    coarsest: u32,
    finest: u32,
}

impl SubstepClock {
    /// A clock for a span of `span` seconds whose substeps lie between `shortest` and `longest` seconds,
    /// starting at `level` with `calm` accepted substeps behind it.
    pub(crate) fn new(span: f64, level: u32, calm: u32, longest: f64, shortest: f64) -> Self {
        let mut clock = Self { span, tick: 0, level: 0, calm, coarsest: 0, finest: FINEST_LEVEL };
        let coarsest = clock.level_of(longest);
        let mut finest = coarsest;
        while finest < FINEST_LEVEL
            && span / f64::from(1u32 << (finest + 1)) >= shortest * (1.0 - 1e-9)
        {
            finest += 1;
        }
        (clock.coarsest, clock.finest) = (coarsest, finest);
        clock.level = level.clamp(coarsest, finest);
        clock
    }

    /// Length of the next substep [s]; none at the end of the span.
    pub(crate) fn next_substep(&self) -> Option<f64> {
        (self.tick < 1 << FINEST_LEVEL).then(|| self.span / (1u64 << self.level) as f64)
    }

    /// Seconds since the begin of the span at which the next substep starts, and at which it ends.
    pub(crate) fn interval(&self) -> (f64, f64) {
        let at = |tick: u64| self.span * (tick as f64 / (1u64 << FINEST_LEVEL) as f64);
        (at(self.tick), at(self.tick + self.ticks()))
    }

    fn ticks(&self) -> u64 {
        1 << (FINEST_LEVEL - self.level)
    }

    /// The substep was good. `may_grow` says whether a longer one would do, of `longest` seconds at most; what
    /// is longer than that grows shorter.
    pub(crate) fn accept(&mut self, may_grow: bool, longest: f64) {
        self.tick += self.ticks();
        self.calm = if may_grow { self.calm + 1 } else { 0 };
        let coarsest = self.level_of(longest).clamp(self.coarsest, self.finest);
        let aligned =
            self.level > 0 && self.tick.is_multiple_of(1 << (FINEST_LEVEL - self.level + 1));
        if self.level < coarsest {
            self.level = coarsest;
            self.calm = 0;
        } else if self.calm >= CALM_BEFORE_GROWTH && self.level > coarsest && aligned {
            self.level -= 1;
            self.calm = 0;
        }
    }

    /// The coarsest level whose substeps are no longer than `step` [s].
    fn level_of(&self, step: f64) -> u32 {
        (0..FINEST_LEVEL)
            .find(|l| self.span / f64::from(1u32 << l) <= step * (1.0 + 1e-9))
            .unwrap_or(FINEST_LEVEL)
    }

    /// The substep was not good: false where it cannot be halved.
    pub(crate) fn halve(&mut self) -> bool {
        self.calm = 0;
        if self.level >= self.finest {
            return false;
        }
        self.level += 1;
        true
    }

    /// Level and calm to start the next span with.
    pub(crate) fn carry(&self) -> (u32, u32) {
        (self.level, self.calm)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn covers_the_span_exactly_and_aligned() {
        let mut clock = SubstepClock::new(1.0 / 24.0, 3, 0, 1.0, 1e-6);
        let (mut sum, mut n) = (0.0, 0);
        while let Some(h) = clock.next_substep() {
            n += 1;
            if n % 5 == 2 && n < 40 {
                assert!(clock.halve());
                continue;
            }
            let (from, to) = clock.interval();
            assert!((from - sum).abs() < 1e-15 && (to - from - h).abs() < 1e-15);
            sum = to;
            clock.accept(true, 1.0);
        }
        assert!((sum - 1.0 / 24.0).abs() < 1e-15);
    }

    #[test]
    fn stays_between_the_longest_and_the_shortest_step() {
        let mut clock = SubstepClock::new(1.0, 0, 0, 0.25, 0.01);
        assert_eq!(clock.next_substep(), Some(0.25));
        while clock.halve() {}
        assert_eq!(clock.next_substep(), Some(1.0 / 64.0));
    }

    #[test]
    fn falls_back_to_a_shorter_longest_step_and_grows_to_it_again() {
        let mut clock = SubstepClock::new(4.0, 4, 0, 0.25, 0.01);
        clock.accept(true, 0.125);
        assert_eq!(clock.next_substep(), Some(0.125));
        clock.accept(true, 0.125);
        assert_eq!(clock.next_substep(), Some(0.125));
        for _ in 0..5 {
            clock.accept(true, 0.25);
        }
        assert_eq!(clock.next_substep(), Some(0.25));
    }
}
