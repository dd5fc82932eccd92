//! A tree of boxes over the triangles of one body: built once, refitted as the body moves.

use crate::sim::linear::chunks;
use glam::{DVec3, Vec4};
use std::ops::Range;

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

/// Most nodes of a branch that one thread fits.
const BRANCH: usize = 1024;

/// Children of a node.
const WIDE: usize = 4;

/// A tree of boxes, four children to a node (as in Wald et al. 2008, refitted): node 0 is the root, children have higher
/// numbers than their parent.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    /// Pairs of its items that are not sought: for each node, others whose items its own are paired with, ascending, and
    /// bit `4 k + l` for its child `k` and the other's child `l`.
    left_out: Vec<(u32, u16)>,
}

/// Whose items are paired.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Of<'a> {
    /// Those of one tree, none with itself.
    One,
    /// Those of one tree but what it leaves out ([`Tree::leave_out`]).
    Sought,
    /// Each of one with each of the other.
    Two(&'a Tree),
}

/// Two places in trees whose boxes meet and whose items are to be paired.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Below<'a> {
    of: Of<'a>,
    two: (Place, Place),
}

/// What one walk down a pair of trees asks about a node lies side by side.
#[derive(Clone, Copy, Debug)]
struct Node {
    bounds: Swaths,
    below: [Child; WIDE],
    /// Bit `k`: whether anything below child `k` was fitted anew last.
    changed: u32,
    /// Where it begins in what its tree leaves out, and how many there are.
    left_out: [u32; 2],
}

/// Boxes of four children, where they start and where they end: their low sides and their high sides, along each axis.
#[derive(Clone, Copy, Debug)]
struct Swaths {
    start: [[Vec4; 3]; 2],
    end: [[Vec4; 3]; 2],
}

/// What a child of a node is.
#[derive(Clone, Copy, Debug)]
enum Child {
    Nothing,
    Item(u32),
    Node(u32),
}

/// A node, or the item that is child `lane` of one.
#[derive(Clone, Copy, Debug)]
enum Place {
    Node(u32),
    Item { node: u32, lane: u32 },
}

impl Swaths {
    const EMPTY: Self = Self {
        start: [[Vec4::INFINITY; 3], [Vec4::NEG_INFINITY; 3]],
        end: [[Vec4::INFINITY; 3], [Vec4::NEG_INFINITY; 3]],
    };

    /// That of child `k`.
    fn get(&self, k: usize) -> Swath {
        let of = |side: &[Vec4; 3]| Vec4::new(side[0][k], side[1][k], side[2][k], 0.0);
        let aabb = |sides: &[[Vec4; 3]; 2]| Aabb { low: of(&sides[0]), high: of(&sides[1]) };
        Swath { start: aabb(&self.start), end: aabb(&self.end) }
    }

    fn set(&mut self, k: usize, swath: &Swath) {
        let boxes = [(&mut self.start, swath.start), (&mut self.end, swath.end)];
        for (sides, aabb) in boxes {
            for axis in 0..3 {
                sides[0][axis][k] = aabb.low[axis];
                sides[1][axis][k] = aabb.high[axis];
            }
        }
    }

    /// The swath of all four.
    fn all(&self) -> Swath {
        (1..WIDE).fold(self.get(0), |sum, k| sum.union(self.get(k)))
    }

    /// Bit `k`: whether child `k` may share a point with child `lane` of `other`, as [`Swath::meets`] says.
    #[inline(always)]
    fn meet(&self, other: &Self, lane: usize) -> u32 {
        let mut apart = glam::BVec4A::FALSE;
        for axis in 0..3 {
            let of = |sides: &[[Vec4; 3]; 2]| sides.map(|side| Vec4::splat(side[axis][lane]));
            let ([low, high], [end_low, end_high]) = (of(&other.start), of(&other.end));
            let before = self.start[1][axis].cmplt(low) & self.end[1][axis].cmplt(end_low);
            let behind = self.start[0][axis].cmpgt(high) & self.end[0][axis].cmpgt(end_high);
            apart |= before | behind;
        }
        !apart.bitmask() & 15
    }
}

impl Node {
    /// Its child `lane`.
    #[inline(always)]
    fn place(&self, own: u32, lane: u32) -> Place {
        match self.below[lane as usize] {
            Child::Node(node) => Place::Node(node),
            _ => Place::Item { node: own, lane },
        }
    }

    /// Children that may be a pair with child `lane` of `other`, a bit each.
    #[inline(always)]
    fn pairs_with(&self, other: &Self, lane: u32) -> u32 {
        let changed = if other.changed >> lane & 1 == 1 { 15 } else { self.changed };
        if changed == 0 { 0 } else { changed & self.bounds.meet(&other.bounds, lane as usize) }
    }
}

impl Tree {
    /// Builds a tree over items with the given centres, split at medians of the widest axis.
    pub(crate) fn build(centers: &[DVec3]) -> Self {
        let mut tree = Self::default();
        if !centers.is_empty() {
            let mut items: Vec<u32> = (0..centers.len() as u32).collect();
            tree.split(centers, &mut items);
        }
        tree
    }

    /// A node over `items`; returns its number.
    fn split(&mut self, centers: &[DVec3], items: &mut [u32]) -> u32 {
        let index = self.nodes.len() as u32;
        let below = [Child::Nothing; WIDE];
        self.nodes.push(Node { bounds: Swaths::EMPTY, below, changed: 0, left_out: [0; 2] });
        if items.len() <= WIDE {
            for (k, item) in items.iter().enumerate() {
                self.nodes[index as usize].below[k] = Child::Item(*item);
            }
            return index;
        }
        let (left, right) = halves(centers, items);
        let (a, b) = halves(centers, left);
        let (c, d) = halves(centers, right);
        for (k, quarter) in [a, b, c, d].into_iter().enumerate() {
            let child = match quarter {
                [] => continue,
                [item] => Child::Item(*item),
                items => Child::Node(self.split(centers, items)),
            };
            self.nodes[index as usize].below[k] = child;
        }
        index
    }

    /// Fits the boxes of the items that `changed` names to their present ones, or those of `all`. Until the
    /// next time only pairs with an item that `changed` names are found.
    pub(crate) fn refit(
        &mut self,
        item_box: impl Fn(u32) -> Swath + Sync,
        changed: impl Fn(u32) -> bool + Sync,
        all: bool,
    ) {
        let fit = |nodes: &mut [Node], first: usize, i: usize| {
            let (front, behind) = nodes.split_at_mut(i + 1 - first);
            let node = &mut front[i - first];
            node.changed = 0;
            for (k, below) in node.below.iter().enumerate() {
                let is_new = match below {
                    Child::Nothing => continue,
                    Child::Item(item) => changed(*item),
                    Child::Node(child) => behind[*child as usize - i - 1].changed != 0,
                };
                node.changed |= u32::from(is_new) << k;
                if is_new || all {
                    let swath = match below {
                        Child::Node(child) => behind[*child as usize - i - 1].bounds.all(),
                        Child::Item(item) => item_box(*item),
                        Child::Nothing => Swath::EMPTY,
                    };
                    node.bounds.set(k, &swath);
                }
            }
        };
        let (above, branches) = self.branches();
        let (mut parts, mut rest, mut end) = (Vec::new(), &mut self.nodes[..], 0);
        for branch in branches {
            let (own, others) = rest[branch.start - end..].split_at_mut(branch.len());
            (rest, end) = (others, branch.end);
            parts.push((branch.start, own));
        }
        chunks::for_each(&mut parts, |(first, nodes)| {
            for i in (*first..*first + nodes.len()).rev() {
                fit(nodes, *first, i);
            }
        });
        for i in above.into_iter().rev() {
            fit(&mut self.nodes, 0, i);
        }
    }

    /// Nodes that have many below them, and between them branches of fewer that are worth sharing.
    fn branches(&self) -> (Vec<usize>, Vec<Range<usize>>) {
        let (mut above, mut branches) = (Vec::new(), Vec::new());
        let mut next: Vec<Range<usize>> = std::iter::once(0..self.nodes.len()).collect();
        while let Some(branch) = next.pop() {
            if branch.len() <= BRANCH {
                branches.push(branch);
                continue;
            }
            above.push(branch.start);
            // A child's branch ends where the next child's begins.
            let mut end = branch.end;
            for below in self.nodes[branch.start].below.iter().rev() {
                if let Child::Node(child) = below {
                    next.push(*child as usize..end);
                    end = *child as usize;
                }
            }
        }
        (above, branches)
    }

    /// Number of its nodes.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The box around everything at any time, or none where there is nothing.
    pub(crate) fn bounds(&self) -> Option<Aabb> {
        self.nodes.first().map(|root| root.bounds.all().bounds())
    }

    /// Leaves the pairs of items that `each` adds out of what is sought.
    pub(crate) fn leave_out(&mut self, each: impl FnOnce(&mut dyn FnMut(u32, u32))) {
        let mut places = Vec::new();
        for (n, node) in (0..).zip(&self.nodes) {
            for (lane, below) in node.below.iter().enumerate() {
                if let Child::Item(item) = below {
                    places.resize(places.len().max(*item as usize + 1), (0, 0));
                    places[*item as usize] = (n, lane);
                }
            }
        }
        let mut lists: Vec<Vec<(u32, u16)>> = vec![Vec::new(); self.nodes.len()];
        each(&mut |i, j| {
            let (one, other) = (places[i as usize], places[j as usize]);
            let ((n, k), (m, l)) = (one.min(other), one.max(other));
            let list = &mut lists[n as usize];
            let at = list.iter().position(|(own, _)| *own == m).unwrap_or_else(|| {
                list.push((m, 0));
                list.len() - 1
            });
            list[at].1 |= 1 << (WIDE * k + l);
        });
        self.left_out.clear();
        for (node, mut list) in self.nodes.iter_mut().zip(lists) {
            list.sort_unstable();
            node.left_out = [self.left_out.len() as u32, list.len() as u32];
            self.left_out.extend(list);
        }
    }

    /// What is left out of the pairs of children of the nodes `n` and `m`: bit `4 k + l` for child `k` of the one and child
    /// `l` of the other.
    #[inline]
    fn leaves_out(&self, n: u32, m: u32) -> u16 {
        let [first, count] = self.nodes[n.min(m) as usize].left_out;
        let own = &self.left_out[first as usize..(first + count) as usize];
        let Ok(at) = own.binary_search_by_key(&n.max(m), |(other, _)| *other) else { return 0 };
        let bits = own[at].1;
        if n <= m {
            return bits;
        }
        let turned = |at: usize| (bits >> (WIDE * (at % WIDE) + at / WIDE) & 1) << at;
        (0..WIDE * WIDE).map(turned).sum()
    }

    /// Calls `found` for each pair of items of this tree whose boxes meet, each pair once and never an
    /// item with itself. The order depends on the tree alone: boxes only leave pairs out.
    pub(crate) fn pairs_within(&self, found: &mut impl FnMut(u32, u32)) {
        self.pairs(Of::One, found);
    }

    /// Calls `found` for each item of this tree and item of `other` whose boxes meet.
    pub(crate) fn pairs_with(&self, other: &Self, found: &mut impl FnMut(u32, u32)) {
        self.pairs(Of::Two(other), found);
    }

    fn pairs(&self, of: Of<'_>, found: &mut impl FnMut(u32, u32)) {
        for part in self.parts(of, 1) {
            self.pairs_below(part, found);
        }
    }

    /// Parts of all pairs that can be looked at apart, in their order, some `count` of them.
    pub(crate) fn parts<'a>(&'a self, of: Of<'a>, count: usize) -> Vec<Below<'a>> {
        let mut parts: Vec<(Place, Place)> = Vec::new();
        if !self.nodes.is_empty() && !self.other(of).nodes.is_empty() {
            parts.push((Place::Node(0), Place::Node(0)));
        }
        let mut stack = Vec::new();
        while parts.len() < count {
            let mut next = Vec::with_capacity(4 * parts.len());
            for &two in &parts {
                if let (Place::Item { .. }, Place::Item { .. }) = two {
                    next.push(two);
                }
                self.step(of, two, &mut stack);
                next.extend(stack.drain(..).rev());
            }
            let grown = next.len() > parts.len();
            parts = next;
            if !grown {
                break;
            }
        }
        parts.into_iter().map(|two| Below { of, two }).collect()
    }

    /// The tree that the second of each pair is of.
    fn other<'a>(&'a self, of: Of<'a>) -> &'a Self {
        match of {
            Of::One | Of::Sought => self,
            Of::Two(other) => other,
        }
    }

    /// Calls `found` for the pairs of a part.
    pub(crate) fn pairs_below(&self, below: Below<'_>, found: &mut impl FnMut(u32, u32)) {
        let other = self.other(below.of);
        let mut stack = Vec::with_capacity(256);
        stack.push(below.two);
        while let Some(two) = stack.pop() {
            if let (Place::Item { node: n, lane: k }, Place::Item { node: m, lane: l }) = two {
                let items = (
                    self.nodes[n as usize].below[k as usize],
                    other.nodes[m as usize].below[l as usize],
                );
                if let (Child::Item(a), Child::Item(b)) = items {
                    found(a, b);
                }
            } else {
                self.step(below.of, two, &mut stack);
            }
        }
    }

    /// Puts on the stack what of the children of two is to be paired.
    #[inline]
    fn step(&self, of: Of<'_>, two: (Place, Place), stack: &mut Vec<(Place, Place)>) {
        let lanes = |mut bits: u32| {
            std::iter::from_fn(move || {
                let lane = bits.trailing_zeros();
                bits &= bits.wrapping_sub(1);
                (lane < 32).then_some(lane)
            })
        };
        let other = self.other(of);
        // Of those pairs of children of two nodes that meet, a bit each as in `leaves_out`, what is sought.
        let sought = |n: u32, m: u32, met: u32| match of {
            Of::Sought if met != 0 => met & !u32::from(self.leaves_out(n, m)),
            _ => met,
        };
        let row = |bits: u32, lane: u32| bits >> (4 * lane) & 15;
        match two {
            (Place::Node(n), Place::Node(m)) if n == m && !matches!(of, Of::Two(_)) => {
                let node = &self.nodes[n as usize];
                let later = |lane: u32| node.pairs_with(node, lane) & 15 & (15 << (lane + 1));
                let met = (0..3).map(|lane| later(lane) << (4 * lane)).sum();
                let bits = sought(n, n, met);
                for lane in lanes(15) {
                    let child = match node.below[lane as usize] {
                        Child::Nothing => continue,
                        Child::Node(child) => Some(Place::Node(child)),
                        Child::Item(_) => None,
                    };
                    if let Some(child) = child.filter(|_| node.changed >> lane & 1 == 1) {
                        stack.push((child, child));
                    }
                    for later in lanes(row(bits, lane)) {
                        stack.push((node.place(n, lane), node.place(n, later)));
                    }
                }
            }
            (Place::Node(n), Place::Node(m)) => {
                let (a, b) = (&self.nodes[n as usize], &other.nodes[m as usize]);
                let met = (0..WIDE as u32).map(|lane| b.pairs_with(a, lane) << (4 * lane)).sum();
                let bits = sought(n, m, met);
                for lane in 0..WIDE as u32 {
                    for its in lanes(row(bits, lane)) {
                        stack.push((a.place(n, lane), b.place(m, its)));
                    }
                }
            }
            (Place::Node(n), one @ Place::Item { node: m, lane }) => {
                let (a, b) = (&self.nodes[n as usize], &other.nodes[m as usize]);
                let met = a.pairs_with(b, lane) << (4 * lane);
                for its in lanes(row(sought(m, n, met), lane)) {
                    stack.push((a.place(n, its), one));
                }
            }
            (one @ Place::Item { node: n, lane }, Place::Node(m)) => {
                let (a, b) = (&self.nodes[n as usize], &other.nodes[m as usize]);
                let met = b.pairs_with(a, lane) << (4 * lane);
                for its in lanes(row(sought(n, m, met), lane)) {
                    stack.push((one, b.place(m, its)));
                }
            }
            (Place::Item { .. }, Place::Item { .. }) => {}
        }
    }
}

/// Parts `items` in two at the median of the widest axis, the first a multiple of [`WIDE`] where there are more than that.
fn halves<'a>(centers: &[DVec3], items: &'a mut [u32]) -> (&'a mut [u32], &'a mut [u32]) {
    let middle = (items.len().div_ceil(WIDE).div_ceil(2) * WIDE).min(items.len());
    if middle == items.len() {
        return (items, &mut []);
    }
    let at = |i: u32| centers[i as usize];
    let low = items.iter().fold(DVec3::INFINITY, |m, &i| m.min(at(i)));
    let high = items.iter().fold(DVec3::NEG_INFINITY, |m, &i| m.max(at(i)));
    let extent = (high - low).to_array();
    let axis = (0..3).fold(0, |best, k| if extent[k] > extent[best] { k } else { best });
    items.select_nth_unstable_by(middle, |&a, &b| {
        at(a)[axis].total_cmp(&at(b)[axis]).then(a.cmp(&b))
    });
    // The order within the halves is made a property of the items alone.
    let (left, right) = items.split_at_mut(middle);
    left.sort_unstable();
    right.sort_unstable();
    (left, right)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::random;

    #[test]
    fn finds_what_brute_force_finds() {
        let mut random = random::unit(3);
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
            for part in tree.parts(Of::One, 20) {
                tree.pairs_below(part, &mut |a, b| in_parts.push((a.min(b), a.max(b))));
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
            // Some of them, and others that do not meet, are left out.
            let out = |a: u32, b: u32| (a * 7 + b * 3).is_multiple_of(4);
            tree.leave_out(|add| {
                for (a, b) in (0..n as u32).flat_map(|a| (a + 1..n as u32).map(move |b| (a, b))) {
                    if out(a, b) {
                        if (a + b).is_multiple_of(2) { add(a, b) } else { add(b, a) }
                    }
                }
            });
            let mut sought = Vec::new();
            for part in tree.parts(Of::Sought, round) {
                tree.pairs_below(part, &mut |a, b| sought.push((a.min(b), a.max(b))));
            }
            sought.sort_unstable();
            brute.retain(|(a, b)| !out(*a, *b));
            assert_eq!(sought, brute);
            let brute = &found;
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
