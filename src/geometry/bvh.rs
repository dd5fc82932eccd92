//! A tree of boxes around triangles that finds the pairs whose boxes meet.
//!
//! Boxes are in f32, as the positions are, so that they hold their triangles exactly. The tree
//! depends on the triangles alone, never on time or threads.

use super::predicates::Point;

/// Most triangles of a leaf.
const LEAF: usize = 4;

/// A tree of boxes around the triangles of a surface.
#[derive(Clone, Debug, Default)]
pub struct Bvh {
    nodes: Vec<Node>,
    /// Triangle numbers, grouped by leaf.
    items: Vec<u32>,
    /// Box of each of them.
    boxes: Vec<Aabb>,
}

/// An axis-aligned box; closed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Smallest corner [m].
    pub low: Point,
    /// Largest corner [m].
    pub high: Point,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    bounds: Aabb,
    /// First item of a leaf, or number of the first child; the second follows it.
    first: u32,
    /// Items of a leaf; 0 for a node with children.
    count: u32,
}

impl Aabb {
    /// A box around nothing.
    pub const EMPTY: Self = Self { low: [f32::INFINITY; 3], high: [f32::NEG_INFINITY; 3] };

    /// The box around points.
    pub fn around<'a>(points: impl IntoIterator<Item = &'a Point>) -> Self {
        points.into_iter().fold(Self::EMPTY, |b, p| b.with(&Self { low: *p, high: *p }))
    }

    fn with(&self, other: &Self) -> Self {
        Self {
            low: std::array::from_fn(|k| self.low[k].min(other.low[k])),
            high: std::array::from_fn(|k| self.high[k].max(other.high[k])),
        }
    }

    /// Whether two boxes have a point in common.
    pub fn meets(&self, other: &Self) -> bool {
        (0..3).all(|k| self.low[k] <= other.high[k] && other.low[k] <= self.high[k])
    }

    /// Twice the middle along axis `k`, in f64, which holds it exactly.
    fn middle(&self, k: usize) -> f64 {
        f64::from(self.low[k]) + f64::from(self.high[k])
    }

    fn longest_axis(&self) -> usize {
        let size = |k: usize| f64::from(self.high[k]) - f64::from(self.low[k]);
        (1..3).fold(0, |best, k| if size(k) > size(best) { k } else { best })
    }
}

impl Bvh {
    /// The tree around `triangles` at `positions`, which are finite.
    pub fn new(positions: &[Point], triangles: &[[u32; 3]]) -> Self {
        let corner = |i: u32| &positions[i as usize];
        let of_triangle: Vec<Aabb> =
            triangles.iter().map(|t| Aabb::around(t.map(corner))).collect();
        let mut tree = Self {
            nodes: Vec::with_capacity(triangles.len()),
            items: (0..triangles.len() as u32).collect(),
            boxes: Vec::new(),
        };
        tree.build(&of_triangle);
        tree.boxes = tree.items.iter().map(|i| of_triangle[*i as usize]).collect();
        tree
    }

    /// The box around everything.
    pub fn bounds(&self) -> Aabb {
        self.nodes.first().map_or(Aabb::EMPTY, |n| n.bounds)
    }

    /// Splits at the middle triangle along the longest side until leaves are small.
    fn build(&mut self, boxes: &[Aabb]) {
        let around =
            |items: &[u32]| items.iter().fold(Aabb::EMPTY, |b, i| b.with(&boxes[*i as usize]));
        if self.items.is_empty() {
            return;
        }
        let node = |first: usize, count: usize, bounds| Node {
            bounds,
            first: first as u32,
            count: count as u32,
        };
        self.nodes.push(node(0, self.items.len(), around(&self.items)));
        let mut open = vec![0];
        while let Some(at) = open.pop() {
            let Node { bounds, first, count } = self.nodes[at];
            let (first, count) = (first as usize, count as usize);
            if count <= LEAF {
                continue;
            }
            let axis = bounds.longest_axis();
            let middle = |i: &u32| boxes[*i as usize].middle(axis);
            let items = &mut self.items[first..first + count];
            items.select_nth_unstable_by(count / 2, |a, b| {
                middle(a).total_cmp(&middle(b)).then(a.cmp(b))
            });
            let (left, right) = items.split_at(count / 2);
            let children = [
                node(first, left.len(), around(left)),
                node(first + left.len(), right.len(), around(right)),
            ];
            self.nodes[at] = node(self.nodes.len(), 0, bounds);
            open.extend([self.nodes.len(), self.nodes.len() + 1]);
            self.nodes.extend(children);
        }
    }

    /// Calls `found` with every pair `i < j` of triangles of this tree whose boxes meet, each
    /// once, in an order of the tree's own.
    pub fn self_pairs(&self, mut found: impl FnMut(u32, u32)) {
        self.pairs(self, true, &mut |a, b| found(a.min(b), a.max(b)));
    }

    /// Calls `found` with every pair of a triangle of this tree and one of `other` whose boxes
    /// meet, each once.
    pub fn cross_pairs(&self, other: &Self, mut found: impl FnMut(u32, u32)) {
        self.pairs(other, false, &mut found);
    }

    fn pairs(&self, other: &Self, same: bool, found: &mut impl FnMut(u32, u32)) {
        if self.nodes.is_empty() || other.nodes.is_empty() {
            return;
        }
        let mut open = vec![(0_u32, 0_u32)];
        while let Some((i, j)) = open.pop() {
            let (a, b) = (&self.nodes[i as usize], &other.nodes[j as usize]);
            let itself = same && i == j;
            if !a.bounds.meets(&b.bounds) {
                continue;
            }
            match (a.count > 0, b.count > 0) {
                (true, true) => {
                    for x in a.first..a.first + a.count {
                        let from = if itself { x + 1 } else { b.first };
                        for y in from..b.first + b.count {
                            if self.boxes[x as usize].meets(&other.boxes[y as usize]) {
                                found(self.items[x as usize], other.items[y as usize]);
                            }
                        }
                    }
                }
                _ if itself => {
                    let (left, right) = (a.first, a.first + 1);
                    open.extend([(left, left), (right, right), (left, right)]);
                }
                (false, b_is_leaf) if b_is_leaf || a.bounds.is_larger(&b.bounds) => {
                    open.extend([(a.first, j), (a.first + 1, j)]);
                }
                _ => open.extend([(i, b.first), (i, b.first + 1)]),
            }
        }
    }
}

impl Aabb {
    fn is_larger(&self, other: &Self) -> bool {
        let size = |b: &Self| (0..3).map(|k| b.high[k] - b.low[k]).fold(0.0, f32::max);
        size(self) >= size(other)
    }
}
