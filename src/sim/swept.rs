//! Boxes along the axes around where things are and go, and which of them meet: they are sorted along an axis and swept
//! (Cohen et al. 1995).

use super::linear::chunks;
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// The box around everywhere that something has been, or may come.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Swept {
    low: DVec3,
    high: DVec3,
}

impl Default for Swept {
    fn default() -> Self {
        Self { low: DVec3::INFINITY, high: DVec3::NEG_INFINITY }
    }
}

impl Swept {
    /// Around points.
    pub(crate) fn around(points: &[DVec3]) -> Self {
        points
            .iter()
            .fold(Self::default(), |own, p| Self { low: own.low.min(*p), high: own.high.max(*p) })
    }

    /// Takes in the ball of `radius` around `p`.
    pub(crate) fn add(&mut self, p: DVec3, radius: f64) {
        self.low = self.low.min(p - radius);
        self.high = self.high.max(p + radius);
    }

    /// With another one.
    pub(crate) fn with(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// With itself moved by `way`.
    pub(crate) fn along(self, way: DVec3) -> Self {
        self.with(Self { low: self.low + way, high: self.high + way })
    }

    /// With `by` more on each side.
    pub(crate) fn widened(self, by: f64) -> Self {
        Self { low: self.low - by, high: self.high + by }
    }

    pub(crate) fn middle(&self) -> DVec3 {
        (self.low + self.high) * 0.5
    }

    /// Whether both boxes share a point.
    pub(crate) fn meets(&self, other: &Self) -> bool {
        self.low.cmple(other.high).all() && other.low.cmple(self.high).all()
    }
}

/// Boxes of a block.
const BOXES: usize = 128;

/// Pairs of boxes that meet, lower number first, sorted, among those that `may`. Boxes around nothing meet none.
pub(crate) fn meeting(boxes: &[Swept], may: impl Fn(u32, u32) -> bool + Sync) -> Vec<[u32; 2]> {
    let axis = widest(boxes);
    let low = |i: u32| boxes[i as usize].low[axis];
    let mut order: Vec<(f64, u32)> = (0..boxes.len() as u32).map(|i| (low(i), i)).collect();
    order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let sorted: Vec<Swept> = order.iter().map(|(_, i)| boxes[*i as usize]).collect();
    let mut blocks: Vec<(usize, Vec<[u32; 2]>)> =
        (0..boxes.len()).step_by(BOXES).map(|first| (first, Vec::new())).collect();
    chunks::for_each_of(boxes.len(), &mut blocks, |(first, found)| {
        for (k, own) in (*first..).zip(&sorted[*first..]).take(BOXES) {
            let end = own.high[axis];
            let others = (k + 1..).zip(&sorted[k + 1..]);
            for (j, other) in others.take_while(|(_, other)| other.low[axis] <= end) {
                if own.meets(other) {
                    let (a, b) = (order[k].1.min(order[j].1), order[k].1.max(order[j].1));
                    if may(a, b) {
                        found.push([a, b]);
                    }
                }
            }
        }
    });
    by_first(boxes.len(), blocks.iter().flat_map(|(_, found)| found))
}

/// Sorts pairs of numbers below `count`.
fn by_first<'a>(count: usize, pairs: impl Iterator<Item = &'a [u32; 2]> + Clone) -> Vec<[u32; 2]> {
    let mut begin = vec![0; count + 1];
    pairs.clone().for_each(|pair| begin[pair[0] as usize + 1] += 1);
    for k in 0..count {
        begin[k + 1] += begin[k];
    }
    let mut sorted = vec![[0; 2]; begin[count]];
    let mut next = begin.clone();
    for pair in pairs {
        let at = &mut next[pair[0] as usize];
        sorted[*at] = *pair;
        *at += 1;
    }
    begin.windows(2).for_each(|own| sorted[own[0]..own[1]].sort_unstable());
    sorted
}

/// The axis along which the middles of the boxes are spread most.
fn widest(boxes: &[Swept]) -> usize {
    let something = || boxes.iter().filter(|own| own.low.x <= own.high.x);
    let count = something().count().max(1) as f64;
    let mean = something().map(Swept::middle).sum::<DVec3>() / count;
    let off = |own: &Swept| (own.middle() - mean) * (own.middle() - mean);
    let spread: DVec3 = something().map(off).sum();
    (0..3).fold(0, |best, k| if spread[k] > spread[best] { k } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::random;

    /// As many as a look at each pair finds, whichever way the boxes are spread.
    #[test]
    fn boxes_that_meet_are_found() {
        let mut random = random::unit(3);
        for spread in [DVec3::new(30.0, 3.0, 3.0), DVec3::new(3.0, 30.0, 3.0), DVec3::splat(6.0)] {
            let mut boxes = vec![Swept::default(); 300];
            for own in boxes.iter_mut().skip(1) {
                let at = DVec3::new(random(), random(), random()) * spread;
                own.add(at, random());
            }
            let mut all = Vec::new();
            for a in 0..300u32 {
                let with = |b: &u32| {
                    boxes[a as usize].meets(&boxes[*b as usize]) && !(a + b).is_multiple_of(5)
                };
                all.extend((a + 1..300).filter(with).map(|b| [a, b]));
            }
            assert!(all.len() > 100, "{} pairs", all.len());
            assert_eq!(meeting(&boxes, |a, b| !(a + b).is_multiple_of(5)), all);
        }
    }
}
