//! The tree of groups that bodies name, as formats with unique names beside each other have it.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::io;

/// Something that others hang on.
pub(super) trait Node: Sized {
    /// Hangs others on it, before those that hang on it already.
    fn hang(&mut self, below: Vec<Self>);
}

/// A node that others are still hung on.
pub(super) struct Branch<N> {
    node: N,
    /// Names of those that hang on it.
    taken: BTreeSet<String>,
    /// Groups below it.
    groups: BTreeMap<String, Branch<N>>,
    leaves: Vec<N>,
}

impl<N: Node> Branch<N> {
    pub(super) fn new(node: N) -> Self {
        Self { node, taken: BTreeSet::new(), groups: BTreeMap::new(), leaves: Vec::new() }
    }

    /// Keeps a name for something that is hung on it elsewhere.
    pub(super) fn reserve(&mut self, name: &str) {
        self.taken.insert(name.to_owned());
    }

    /// The branch of the group with the path `group` ("set/glasses"). `make` makes the node of a group
    /// from its name and the names beside it, to which it adds its own.
    pub(super) fn below(
        &mut self,
        group: &str,
        make: &mut dyn FnMut(&str, &mut BTreeSet<String>) -> io::Result<N>,
    ) -> io::Result<&mut Self> {
        let mut at = self;
        for part in group.split('/').filter(|part| !part.is_empty()) {
            at = match at.groups.entry(part.to_owned()) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(free) => free.insert(Self::new(make(part, &mut at.taken)?)),
            };
        }
        Ok(at)
    }

    /// Hangs the node on it that `make` makes, given the names beside it, to which it adds its own.
    pub(super) fn add(
        &mut self,
        make: impl FnOnce(&mut BTreeSet<String>) -> io::Result<N>,
    ) -> io::Result<()> {
        let node = make(&mut self.taken)?;
        self.leaves.push(node);
        Ok(())
    }

    /// The node with all that hangs on it, groups first.
    pub(super) fn done(self) -> N {
        let mut node = self.node;
        node.hang(self.groups.into_values().map(Self::done).chain(self.leaves).collect());
        node
    }
}

/// `name`, with a number where one of `taken` is called so; it is added to them.
pub(super) fn free_name(name: &str, taken: &mut BTreeSet<String>) -> String {
    let mut free = name.to_owned();
    let mut number = 2;
    while taken.contains(&free) {
        free = format!("{name}_{number}");
        number += 1;
    }
    taken.insert(free.clone());
    free
}
