//! How much a script may do: counted work, not seconds, so that a slow machine gives the same result.

use std::cell::Cell;

/// Limits of one script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Lua instructions (and what calls charge for bulk work) while the shot is built.
    pub build_instructions: u64,
    /// Lua instructions of the callbacks of one frame.
    pub frame_instructions: u64,
    /// Memory of the Lua state [bytes].
    pub memory: usize,
    /// Bytes of printed text.
    pub printed: usize,
    /// Vertices of one mesh.
    pub vertices: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            build_instructions: 3_000_000_000,
            frame_instructions: 100_000_000,
            memory: 1 << 30,
            printed: 1 << 20,
            vertices: 5_000_000,
        }
    }
}

/// Why a script was stopped for good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exhausted {
    Instructions,
    Memory,
}

/// Counts the work of the present build or frame.
pub(crate) struct Meter {
    used: Cell<u64>,
    budget: Cell<u64>,
    exhausted: Cell<Option<Exhausted>>,
}

impl Meter {
    pub(crate) fn new(budget: u64) -> Self {
        Self { used: Cell::new(0), budget: Cell::new(budget), exhausted: Cell::new(None) }
    }

    /// Starts to count again with `budget` instructions.
    pub(crate) fn restart(&self, budget: u64) {
        self.used.set(0);
        self.budget.set(budget);
        self.exhausted.set(None);
    }

    /// Adds work; false when the budget is used up, then and ever after.
    pub(crate) fn charge(&self, instructions: u64) -> bool {
        let used = self.used.get().saturating_add(instructions);
        self.used.set(used);
        if used > self.budget.get() && self.exhausted.get().is_none() {
            self.exhausted.set(Some(Exhausted::Instructions));
        }
        self.exhausted.get().is_none()
    }

    pub(crate) fn run_out(&self, why: Exhausted) {
        if self.exhausted.get().is_none() {
            self.exhausted.set(Some(why));
        }
    }

    pub(crate) fn exhausted(&self) -> Option<Exhausted> {
        self.exhausted.get()
    }

    pub(crate) fn budget(&self) -> u64 {
        self.budget.get()
    }
}

/// Steps of work that a vertex of a new mesh counts for: its memory is not Lua's.
pub(crate) const VERTEX_COST: u64 = 50;
