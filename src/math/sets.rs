//! What belongs together.

/// Disjoint sets of numbers from zero on, each called by its lowest.
#[derive(Clone, Debug)]
pub(crate) struct Sets {
    /// A lower number of the same set, or the number itself where it is the lowest.
    lower: Vec<u32>,
}

impl Sets {
    /// Each of so many numbers by itself.
    pub(crate) fn new(count: usize) -> Self {
        Self { lower: (0..count as u32).collect() }
    }

    /// The lowest number of the set of `i`.
    pub(crate) fn first_of(&mut self, i: usize) -> usize {
        let mut i = i as u32;
        while self.lower[i as usize] != i {
            self.lower[i as usize] = self.lower[self.lower[i as usize] as usize];
            i = self.lower[i as usize];
        }
        i as usize
    }

    /// Puts the sets of two numbers together.
    pub(crate) fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.first_of(a), self.first_of(b));
        self.lower[a.max(b)] = a.min(b) as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_called_by_their_lowest() {
        let mut sets = Sets::new(6);
        for (a, b) in [(5, 3), (4, 1), (3, 4), (3, 5)] {
            sets.join(a, b);
        }
        let found: Vec<usize> = (0..6).map(|i| sets.first_of(i)).collect();
        assert_eq!(found, [0, 1, 2, 1, 1, 1]);
    }
}
