//! The next substep: accept, retake, halve, go back, grow. Pure arithmetic on ticks, so that time never drifts.

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
    /// Level of the shortest substeps while `shorter` ones than those of `finest` are open.
    last: u32,
    shorter: bool,
    /// No substep is longer than those of this level before this tick.
    barred: (u32, u64),
}

impl SubstepClock {
    /// A clock for a span of `span` seconds whose substeps lie between `shortest` and `longest` seconds,
    /// starting at `level` with `calm` accepted substeps behind it. Once it has gone back they may be as short as
    /// `last` seconds.
    pub(crate) fn new(
        span: f64,
        level: u32,
        calm: u32,
        longest: f64,
        [shortest, last]: [f64; 2],
    ) -> Self {
        let mut clock = Self {
            span,
            tick: 0,
            level: 0,
            calm,
            coarsest: 0,
            finest: FINEST_LEVEL,
            last: FINEST_LEVEL,
            shorter: false,
            barred: (0, 0),
        };
        let coarsest = clock.level_of(longest);
        let finest_for = |shortest: f64| {
            let mut finest = coarsest;
            while finest < FINEST_LEVEL
                && span / f64::from(1u32 << (finest + 1)) >= shortest * (1.0 - 1e-9)
            {
                finest += 1;
            }
            finest
        };
        (clock.coarsest, clock.finest) = (coarsest, finest_for(shortest));
        clock.last = finest_for(last).max(clock.finest);
        clock.level = level.clamp(coarsest, clock.finest);
        clock
    }

    /// Ticks since the begin of the span.
    pub(crate) fn tick(&self) -> u64 {
        self.tick
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
        let mut coarsest = self.level_of(longest).clamp(self.coarsest, self.finest);
        if self.tick < self.barred.1 {
            coarsest = coarsest.max(self.barred.0);
        }
        let aligned =
            self.level > 0 && self.tick.is_multiple_of(1 << (FINEST_LEVEL - self.level + 1));
        if self.level < coarsest {
            self.level = coarsest;
            self.calm = 0;
        } else if (self.calm >= CALM_BEFORE_GROWTH || self.level > self.shortest())
            && self.level > coarsest
            && aligned
        {
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
        let can = self.can_halve();
        self.level += u32::from(can);
        can
    }

    /// Whether there are shorter substeps.
    pub(crate) fn can_halve(&self) -> bool {
        self.level < self.shortest()
    }

    /// Level of the shortest substeps.
    fn shortest(&self) -> u32 {
        if self.shorter { self.last } else { self.finest }
    }

    /// Whether what goes back may come again with shorter substeps than else are the shortest.
    pub(crate) fn has_shorter(&self) -> bool {
        self.last > self.finest
    }

    /// From where it is aligned on, substeps are no shorter than if the clock had never gone back.
    pub(crate) fn close_shorter(&mut self) {
        self.shorter = false;
        self.barred = (0, 0);
    }

    /// Goes back to where `there`, an earlier state of this clock, was, and comes again with substeps of `finer`
    /// levels more than then (as far as there are such), which do not grow before tick `until`. From now on the
    /// substeps of the span may be as short as the last.
    pub(crate) fn go_back(&mut self, there: &Self, finer: u32, until: u64) {
        self.shorter = true;
        self.tick = there.tick;
        self.level = (there.level + finer).min(self.last);
        self.calm = 0;
        self.barred = (self.level, until);
    }

    /// Level and calm to start the next span with.
    pub(crate) fn carry(&self) -> (u32, u32) {
        (self.level, self.calm)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::random;

    #[test]
    fn covers_the_span_exactly_and_aligned() {
        let mut clock = SubstepClock::new(1.0 / 24.0, 3, 0, 1.0, [1e-6; 2]);
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
        let mut clock = SubstepClock::new(1.0, 0, 0, 0.25, [0.01; 2]);
        assert_eq!(clock.next_substep(), Some(0.25));
        while clock.halve() {}
        assert_eq!(clock.next_substep(), Some(1.0 / 64.0));
    }

    #[test]
    fn falls_back_to_a_shorter_longest_step_and_grows_to_it_again() {
        let mut clock = SubstepClock::new(4.0, 4, 0, 0.25, [0.01; 2]);
        clock.accept(true, 0.125);
        assert_eq!(clock.next_substep(), Some(0.125));
        clock.accept(true, 0.125);
        assert_eq!(clock.next_substep(), Some(0.125));
        for _ in 0..5 {
            clock.accept(true, 0.25);
        }
        assert_eq!(clock.next_substep(), Some(0.25));
    }

    /// Whatever it goes back to, and whenever: every substep is aligned to its length, none is longer than allowed
    /// before the bar, and the accepted ones that stand cover the span.
    #[test]
    fn goes_back_to_a_tick_and_comes_again_with_shorter_steps() {
        let mut clock = SubstepClock::new(1.0, 3, 0, 0.125, [1.0 / 64.0, 1.0 / 256.0]);
        let mut path: Vec<SubstepClock> = Vec::new();
        let (mut seed, mut returns) = (7u64, 0);
        while let Some(h) = clock.next_substep() {
            let ticks = (h * (1u64 << FINEST_LEVEL) as f64) as u64;
            assert!(clock.tick().is_multiple_of(ticks) && (1.0 / 256.0..=0.125).contains(&h));
            let chance = random::next(&mut seed) % 8;
            if chance == 0 && clock.can_halve() {
                let before = clock.next_substep().unwrap();
                assert!(clock.halve());
                assert_eq!(clock.next_substep(), Some(0.5 * before));
            } else if chance == 1 && returns < 12 && path.len() > 3 {
                let until = clock.tick() + ticks;
                path.truncate(path.len() - 2);
                let there = path.pop().unwrap();
                let was = there.next_substep().unwrap();
                clock.go_back(&there, 1, until);
                assert_eq!(clock.tick(), there.tick());
                assert_eq!(clock.next_substep(), Some((0.5 * was).max(1.0 / 256.0)));
                let mut again = clock.clone();
                while again.tick() < until {
                    assert!(again.next_substep() <= clock.next_substep());
                    again.accept(true, 0.125);
                }
                assert_eq!(again.tick(), until);
                returns += 1;
            } else {
                path.push(clock.clone());
                clock.accept(chance > 2, 0.125);
            }
        }
        assert_eq!(returns, 12);
        let covered: f64 = path.iter().map(|c| c.next_substep().unwrap()).sum();
        assert!((covered - 1.0).abs() < 1e-12, "{covered}");
    }

    #[test]
    fn the_last_steps_are_open_only_to_what_has_gone_back() {
        let mut clock = SubstepClock::new(1.0, 4, 0, 0.125, [1.0 / 16.0, 1.0 / 64.0]);
        assert!(!clock.can_halve());
        let there = clock.clone();
        clock.accept(true, 0.125);
        assert!(!clock.halve());
        clock.go_back(&there, 1, clock.tick());
        assert_eq!((clock.tick(), clock.next_substep()), (0, Some(1.0 / 32.0)));
        assert!(clock.halve() && !clock.can_halve());
        clock.close_shorter();
        assert!(!clock.halve());
        let steps: Vec<f64> = std::iter::from_fn(|| {
            let h = clock.next_substep()?;
            clock.accept(false, 0.125);
            Some(64.0 * h)
        })
        .take(4)
        .collect();
        assert_eq!(steps, [1.0, 1.0, 2.0, 4.0]);
    }
}
