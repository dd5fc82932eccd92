//! A tree of boxes over the triangles of one body: built once, refitted as the body moves.

use glam::{DVec3, Vec4};

/// An axis-aligned box, rounded outwards to f32; the fourth lanes hold nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Aabb {
    low: Vec4,
    high: Vec4,
}

impl Aabb {
    /// A box that holds nothing.
    pub(crate) const EMPTY: Self = Self { low: Vec4::INFINITY, high: Vec4::NEG_INFINITY };

    /// The box around `low` and `high`, rounded outwards.
    pub(crate) fn new(low: DVec3, high: DVec3) -> Self {
        let [a, b, c] = low.to_array().map(|v| (v as f32).next_down());
        let [d, e, f] = high.to_array().map(|v| (v as f32).next_up());
        Self { low: Vec4::new(a, b, c, 0.0), high: Vec4::new(d, e, f, 0.0) }
    }

    /// The box around both.
    pub(crate) fn union(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// Its lowest x.
    pub(crate) fn lowest(&self) -> f32 {
        self.low.x
    }

    /// Whether it lies beyond the highest x of another.
    pub(crate) fn is_beyond(&self, other: &Self) -> bool {
        self.low.x > other.high.x
    }

    /// Whether the boxes share a point.
    #[inline]
    pub(crate) fn meets(&self, other: &Self) -> bool {
        (self.low.cmple(other.high) & other.low.cmple(self.high)).all()
    }
}

/// A box that goes from where it starts to where it ends, as all others do in the same time: what it holds goes
/// straight.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Swath {
    start: Aabb,
    end: Aabb,
}

impl Swath {
    /// A swath that holds nothing.
    pub(crate) const EMPTY: Self = Self { start: Aabb::EMPTY, end: Aabb::EMPTY };

    /// What is in the box `start` first and in `end` at last.
    pub(crate) fn new(start: Aabb, end: Aabb) -> Self {
        Self { start, end }
    }

    /// The swath of both.
    pub(crate) fn union(self, other: Self) -> Self {
        Self { start: self.start.union(other.start), end: self.end.union(other.end) }
    }

    /// The box around all of it.
    pub(crate) fn bounds(&self) -> Aabb {
        self.start.union(self.end)
    }

    /// Whether the boxes may share a point at some time: not where they are apart along the same axis and in
    /// the same order first and last.
    #[inline]
    pub(crate) fn meets(&self, other: &Self) -> bool {
        let before = self.start.high.cmplt(other.start.low) & self.end.high.cmplt(other.end.low);
        let behind = self.start.low.cmpgt(other.start.high) & self.end.low.cmpgt(other.end.high);
        !(before | behind).any()
    }
}

/// A binary tree of boxes; node 0 is the root, children have higher numbers than their parent.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
}

/// Two nodes whose boxes meet and whose items are to be paired.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Below {
    /// Whether both are of one tree: an item is no pair with itself.
    same: bool,
    nodes: (u32, u32),
}

/// What one walk down a pair of trees asks about a node lies side by side.
#[derive(Clone, Copy, Debug)]
struct Node {
    bounds: Swath,
    below: Items,
    /// Whether anything below was fitted anew last.
    changed: bool,
}

#[derive(Clone, Copy, Debug)]
enum Items {
    One(u32),
    In(u32, u32),
}

impl Node {
    fn new(below: Items) -> Self {
        Self { bounds: Swath::EMPTY, below, changed: true }
    }
}

impl Tree {
    /// Builds a tree over items with the given centres, split at the median of the widest axis.
    pub(crate) fn build(centers: &[DVec3]) -> Self {
        let mut tree = Self::default();
        if !centers.is_empty() {
            let mut items: Vec<u32> = (0..centers.len() as u32).collect();
            tree.split(centers, &mut items);
        }
        tree
    }

    fn split(&mut self, centers: &[DVec3], items: &mut [u32]) -> u32 {
        let index = self.nodes.len() as u32;
        if let [item] = items {
            self.nodes.push(Node::new(Items::One(*item)));
            return index;
        }
        let at = |i: u32| centers[i as usize];
        let low = items.iter().fold(DVec3::INFINITY, |m, &i| m.min(at(i)));
        let high = items.iter().fold(DVec3::NEG_INFINITY, |m, &i| m.max(at(i)));
        let extent = (high - low).to_array();
        let axis = (0..3).fold(0, |best, k| if extent[k] > extent[best] { k } else { best });
        let middle = items.len() / 2;
        items.select_nth_unstable_by(middle, |&a, &b| {
            at(a)[axis].total_cmp(&at(b)[axis]).then(a.cmp(&b))
        });
        // The order within the halves is made a property of the items alone.
        let (left, right) = items.split_at_mut(middle);
        left.sort_unstable();
        right.sort_unstable();
        self.nodes.push(Node::new(Items::In(0, 0)));
        let first = self.split(centers, left);
        let second = self.split(centers, right);
        self.nodes[index as usize].below = Items::In(first, second);
        index
    }

    /// Fits the boxes of the items that `changed` names to their present ones, or those of `all`. Until the
    /// next time only pairs with an item that `changed` names are found.
    pub(crate) fn refit(
        &mut self,
        item_box: impl Fn(u32) -> Swath,
        changed: impl Fn(u32) -> bool,
        all: bool,
    ) {
        for i in (0..self.nodes.len()).rev() {
            let Node { mut bounds, below, .. } = self.nodes[i];
            let changed = match below {
                Items::One(item) => {
                    let changed = changed(item);
                    if changed || all {
                        bounds = item_box(item);
                    }
                    changed
                }
                Items::In(a, b) => {
                    let [a, b] = [a, b].map(|i| &self.nodes[i as usize]);
                    let changed = a.changed || b.changed;
                    if changed || all {
                        bounds = a.bounds.union(b.bounds);
                    }
                    changed
                }
            };
            self.nodes[i] = Node { bounds, below, changed };
        }
    }

    /// Number of its nodes.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The box around everything at any time, or none where there is nothing.
    pub(crate) fn bounds(&self) -> Option<Aabb> {
        self.nodes.first().map(|root| root.bounds.bounds())
    }

    /// Calls `found` for each pair of items of this tree whose boxes meet, each pair once and never an
    /// item with itself. The order depends on the tree alone: boxes only leave pairs out.
    pub(crate) fn pairs_within(&self, found: &mut impl FnMut(u32, u32)) {
        for part in self.parts(None, 1) {
            self.pairs_below(self, part, found);
        }
    }

    /// Calls `found` for each item of this tree and item of `other` whose boxes meet.
    pub(crate) fn pairs_with(&self, other: &Self, found: &mut impl FnMut(u32, u32)) {
        for part in self.parts(Some(other), 1) {
            self.pairs_below(other, part, found);
        }
    }

    /// Parts of [`Tree::pairs_within`] (`other` none) or [`Tree::pairs_with`] that can be looked at apart,
    /// in their order, some `count` of them.
    pub(crate) fn parts(&self, other: Option<&Self>, count: usize) -> Vec<Below> {
        let (same, other) = (other.is_none(), other.unwrap_or(self));
        let mut parts: Vec<(u32, u32)> = Vec::new();
        if !self.nodes.is_empty() && !other.nodes.is_empty() {
            self.look_at(other, (0, 0), &mut parts);
        }
        let (mut stack, mut leaves) = (Vec::new(), Vec::new());
        while parts.len() < count {
            let mut next = Vec::with_capacity(4 * parts.len());
            for &(i, j) in &parts {
                leaves.clear();
                self.step(other, same, i, j, &mut stack, &mut |_, _| leaves.push((i, j)));
                next.extend(leaves.iter().chain(stack.iter().rev()));
                stack.clear();
            }
            let grown = next.len() > parts.len();
            parts = next;
            if !grown {
                break;
            }
        }
        parts.into_iter().map(|nodes| Below { same, nodes }).collect()
    }

    /// Calls `found` for the pairs below two nodes of this tree and `other`.
    pub(crate) fn pairs_below(&self, other: &Self, below: Below, found: &mut impl FnMut(u32, u32)) {
        let mut stack = Vec::with_capacity(256);
        stack.push(below.nodes);
        while let Some((i, j)) = stack.pop() {
            self.step(other, below.same, i, j, &mut stack, found);
        }
    }

    /// One pair of nodes: its item pair, or the pairs below it, the first on top of the stack.
    #[inline]
    fn step(
        &self,
        other: &Self,
        same: bool,
        i: u32,
        j: u32,
        stack: &mut Vec<(u32, u32)>,
        found: &mut impl FnMut(u32, u32),
    ) {
        let mut look = |i, j| self.look_at(other, (i, j), stack);
        match (self.nodes[i as usize].below, other.nodes[j as usize].below) {
            (Items::In(a, b), _) if same && i == j => {
                look(a, b);
                look(b, b);
                look(a, a);
            }
            (Items::One(a), Items::One(b)) => {
                if !(same && i == j) {
                    found(a, b);
                }
            }
            (Items::In(a, b), Items::One(_)) => {
                look(b, j);
                look(a, j);
            }
            (Items::One(_), Items::In(c, d)) => {
                look(i, d);
                look(i, c);
            }
            (Items::In(a, b), Items::In(c, d)) => {
                look(b, d);
                look(b, c);
                look(a, d);
                look(a, c);
            }
        }
    }

    /// Puts a pair of nodes on the stack if anything below it may be a pair.
    #[inline]
    fn look_at(&self, other: &Self, (i, j): (u32, u32), stack: &mut Vec<(u32, u32)>) {
        let (a, b) = (&self.nodes[i as usize], &other.nodes[j as usize]);
        if (a.changed || b.changed) && a.bounds.meets(&b.bounds) {
            stack.push((i, j));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_brute_force_finds() {
        let mut seed: u64 = 3;
        let mut random = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) as f64 / (1u64 << 31) as f64
        };
        for round in 0..20 {
            let n = 1 + round * 7;
            let centers: Vec<DVec3> =
                (0..n).map(|_| DVec3::new(random(), random(), random())).collect();
            let boxes: Vec<Swath> = centers
                .iter()
                .map(|c| {
                    let r = DVec3::splat(0.02 + 0.2 * random());
                    let way = DVec3::new(random(), random(), random());
                    Swath::new(Aabb::new(*c - r, *c + r), Aabb::new(*c + way - r, *c + way + r))
                })
                .collect();
            let mut tree = Tree::build(&centers);
            tree.refit(|i| boxes[i as usize], |_| true, false);
            let mut found = Vec::new();
            tree.pairs_within(&mut |a, b| found.push((a.min(b), a.max(b))));
            let mut in_parts = Vec::new();
            for part in tree.parts(None, 20) {
                tree.pairs_below(&tree, part, &mut |a, b| in_parts.push((a.min(b), a.max(b))));
            }
            assert_eq!(found, in_parts, "parts keep the order");
            found.sort_unstable();
            let mut brute = Vec::new();
            for a in 0..n as u32 {
                for b in a + 1..n as u32 {
                    if boxes[a as usize].meets(&boxes[b as usize]) {
                        brute.push((a, b));
                    }
                }
            }
            assert_eq!(found, brute);
            // With some of the items fitted anew, what is found are the pairs that these are in.
            let changed = |i: u32| i % 5 == 2;
            tree.refit(|i| boxes[i as usize], changed, round % 2 == 0);
            let mut some = Vec::new();
            tree.pairs_within(&mut |a, b| some.push((a.min(b), a.max(b))));
            some.sort_unstable();
            let of_changed = found.iter().filter(|(a, b)| changed(*a) || changed(*b)).copied();
            assert_eq!(some, of_changed.collect::<Vec<_>>());
            tree.refit(|i| boxes[i as usize], |_| true, false);
            let mut crossed = Vec::new();
            tree.pairs_with(&tree, &mut |a, b| crossed.push((a, b)));
            assert_eq!(crossed.len(), 2 * brute.len() + n);
        }
    }
}
