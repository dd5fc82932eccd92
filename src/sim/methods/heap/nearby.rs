//! Which solids come near each other: their boxes are sorted along an axis and swept.

use glam::DVec3;

/// A box along the axes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    pub(super) low: DVec3,
    pub(super) high: DVec3,
}

impl Bounds {
    pub(super) const NONE: Self = Self { low: DVec3::INFINITY, high: DVec3::NEG_INFINITY };

    /// Around points.
    pub(super) fn around(points: &[DVec3]) -> Self {
        points
            .iter()
            .fold(Self::NONE, |own, p| Self { low: own.low.min(*p), high: own.high.max(*p) })
    }

    pub(super) fn with(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    pub(super) fn widened(self, by: f64) -> Self {
        Self { low: self.low - by, high: self.high + by }
    }

    fn meets(&self, other: &Self) -> bool {
        self.low.cmple(other.high).all() && other.low.cmple(self.high).all()
    }

    pub(super) fn middle(&self) -> DVec3 {
        (self.low + self.high) * 0.5
    }
}

/// Pairs of boxes that meet, lower number first, sorted, among those that `may`.
pub(super) fn meeting(boxes: &[Bounds], may: impl Fn(u32, u32) -> bool) -> Vec<[u32; 2]> {
    let axis = widest(boxes);
    let mut order: Vec<u32> = (0..boxes.len() as u32).collect();
    let low = |i: u32| boxes[i as usize].low[axis];
    order.sort_by(|a, b| low(*a).total_cmp(&low(*b)).then(a.cmp(b)));
    let sorted: Vec<Bounds> = order.iter().map(|i| boxes[*i as usize]).collect();
    let mut found = Vec::new();
    for (k, own) in sorted.iter().enumerate() {
        let end = own.high[axis];
        for (j, other) in (k + 1..).zip(&sorted[k + 1..]) {
            if other.low[axis] > end {
                break;
            }
            if own.meets(other) {
                let (a, b) = (order[k].min(order[j]), order[k].max(order[j]));
                if may(a, b) {
                    found.push([a, b]);
                }
            }
        }
    }
    found.sort_unstable();
    found
}

/// The axis along which the middles of the boxes are spread most.
fn widest(boxes: &[Bounds]) -> usize {
    let count = boxes.len().max(1) as f64;
    let mean = boxes.iter().map(Bounds::middle).sum::<DVec3>() / count;
    let spread: DVec3 = boxes
        .iter()
        .map(|own| {
            let off = own.middle() - mean;
            off * off
        })
        .sum();
    (0..3).fold(0, |best, k| if spread[k] > spread[best] { k } else { best })
}
