//! A tree of boxes over the triangles of one body: built once, refitted as the body moves.

use glam::DVec3;

/// An axis-aligned box, rounded outwards to f32.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Aabb {
    low: [f32; 3],
    high: [f32; 3],
}

impl Aabb {
    /// A box that holds nothing.
    const EMPTY: Self = Self { low: [f32::INFINITY; 3], high: [f32::NEG_INFINITY; 3] };

    /// The box around `low` and `high`, rounded outwards.
    pub(crate) fn new(low: DVec3, high: DVec3) -> Self {
        Self {
            low: low.to_array().map(|v| (v as f32).next_down()),
            high: high.to_array().map(|v| (v as f32).next_up()),
        }
    }

    fn union(self, other: Self) -> Self {
        let mut union = self;
        for k in 0..3 {
            union.low[k] = self.low[k].min(other.low[k]);
            union.high[k] = self.high[k].max(other.high[k]);
        }
        union
    }

    /// Whether the boxes share a point.
    #[inline]
    pub(crate) fn meets(&self, other: &Self) -> bool {
        self.low[0] <= other.high[0]
            && other.low[0] <= self.high[0]
            && self.low[1] <= other.high[1]
            && other.low[1] <= self.high[1]
            && self.low[2] <= other.high[2]
            && other.low[2] <= self.high[2]
    }
}

/// A binary tree of boxes; node 0 is the root, children have higher numbers than their parent.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    boxes: Vec<Aabb>,
}

#[derive(Clone, Copy, Debug)]
enum Node {
    Leaf(u32),
    Inner(u32, u32),
}

impl Tree {
    /// Builds a tree over items with the given centres, split at the median of the widest axis.
    pub(crate) fn build(centers: &[DVec3]) -> Self {
        let mut tree = Self::default();
        if !centers.is_empty() {
            let mut items: Vec<u32> = (0..centers.len() as u32).collect();
            tree.split(centers, &mut items);
        }
        tree.boxes = vec![Aabb::EMPTY; tree.nodes.len()];
        tree
    }

    fn split(&mut self, centers: &[DVec3], items: &mut [u32]) -> u32 {
        let index = self.nodes.len() as u32;
        if let [item] = items {
            self.nodes.push(Node::Leaf(*item));
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
        self.nodes.push(Node::Inner(0, 0));
        let first = self.split(centers, left);
        let second = self.split(centers, right);
        self.nodes[index as usize] = Node::Inner(first, second);
        index
    }

    /// Fits all boxes to the items' present boxes.
    pub(crate) fn refit(&mut self, item_box: impl Fn(u32) -> Aabb) {
        for i in (0..self.nodes.len()).rev() {
            self.boxes[i] = match self.nodes[i] {
                Node::Leaf(item) => item_box(item),
                Node::Inner(a, b) => self.boxes[a as usize].union(self.boxes[b as usize]),
            };
        }
    }

    /// The box around everything, or none where there is nothing.
    pub(crate) fn bounds(&self) -> Option<Aabb> {
        self.boxes.first().copied()
    }

    /// Calls `found` for each pair of items of this tree whose boxes meet, each pair once and never an
    /// item with itself. The order depends on the tree alone: boxes only leave pairs out.
    pub(crate) fn pairs_within(&self, found: &mut impl FnMut(u32, u32)) {
        let mut stack = Vec::with_capacity(256);
        if !self.nodes.is_empty() {
            stack.push((0, 0));
        }
        while let Some((i, j)) = stack.pop() {
            if i == j {
                if let Node::Inner(a, b) = self.nodes[i as usize] {
                    stack.extend([(a, b), (b, b), (a, a)]);
                }
            } else {
                self.visit(self, i, j, &mut stack, found);
            }
        }
    }

    /// Calls `found` for each item of this tree and item of `other` whose boxes meet.
    pub(crate) fn pairs_with(&self, other: &Self, found: &mut impl FnMut(u32, u32)) {
        let mut stack = Vec::with_capacity(256);
        if !self.nodes.is_empty() && !other.nodes.is_empty() {
            stack.push((0, 0));
        }
        while let Some((i, j)) = stack.pop() {
            self.visit(other, i, j, &mut stack, found);
        }
    }

    #[inline]
    fn visit(
        &self,
        other: &Self,
        i: u32,
        j: u32,
        stack: &mut Vec<(u32, u32)>,
        found: &mut impl FnMut(u32, u32),
    ) {
        if !self.boxes[i as usize].meets(&other.boxes[j as usize]) {
            return;
        }
        match (self.nodes[i as usize], other.nodes[j as usize]) {
            (Node::Leaf(a), Node::Leaf(b)) => found(a, b),
            (Node::Inner(a, b), Node::Leaf(_)) => stack.extend([(b, j), (a, j)]),
            (Node::Leaf(_), Node::Inner(c, d)) => stack.extend([(i, d), (i, c)]),
            (Node::Inner(a, b), Node::Inner(c, d)) => {
                stack.extend([(b, d), (b, c), (a, d), (a, c)]);
            }
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
            let boxes: Vec<Aabb> = centers
                .iter()
                .map(|c| {
                    let r = DVec3::splat(0.02 + 0.2 * random());
                    Aabb::new(*c - r, *c + r)
                })
                .collect();
            let mut tree = Tree::build(&centers);
            tree.refit(|i| boxes[i as usize]);
            let mut found = Vec::new();
            tree.pairs_within(&mut |a, b| found.push((a.min(b), a.max(b))));
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
            let mut crossed = Vec::new();
            tree.pairs_with(&tree, &mut |a, b| crossed.push((a, b)));
            assert_eq!(crossed.len(), 2 * brute.len() + n);
        }
    }
}
