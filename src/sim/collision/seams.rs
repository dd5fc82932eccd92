//! Pairs across a seam: how near each other stitches hold them.
//!
//! Where more than two are sewn in one place they rest nearer to each other than the thicknesses say. Without this a
//! seam of three panels asks for what cannot be: all its vertices at the contact distance of each other, and its edges
//! nowhere nearer to each other either, though one hangs between the others or the seam bends.

use super::candidates::Candidate;
use glam::DVec3;
use std::collections::{BTreeMap, BTreeSet};

/// Two places that a stitch holds near each other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seam {
    /// Vertices of both places, four each, with weights of both that sum to 1; those of weight 0 are not looked at.
    pub(crate) nodes: [u32; 8],
    pub(crate) weights: [f64; 8],
    /// How far apart they are held, at most [m].
    pub(crate) length: f64,
    /// How far from its places along the pieces a seam is felt [m].
    pub(crate) reach: f64,
}

/// A node at a seam.
#[derive(Clone, Copy, Debug)]
struct AtSeam {
    node: u32,
    seam: u32,
    /// Which of the two places it is at.
    side: u8,
    /// How far from that place it is at rest [m].
    away: f64,
}

/// A piece and where in it, in units of the widest reach.
type Cell = (u32, [i64; 3]);

/// The seams of a model.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seams {
    seams: Vec<Seam>,
    /// By node, then by seam and side.
    at: Vec<AtSeam>,
}

/// Part of the length of a seam that pairs next to it keep: a panel that hangs between two others is half of it away
/// from them, and less where the seam bends.
const KEPT: f64 = 0.25;

/// Of all seams those that share a vertex with one of other pieces: where two alone are sewn, what keeps them apart
/// holds them against turning about their stitches too. `pieces` are those of the nodes ([`Surface::pieces`]).
///
/// [`Surface::pieces`]: super::surface::Surface::pieces
pub(crate) fn where_many_meet(seams: Vec<Seam>, pieces: &[u32]) -> Vec<Seam> {
    let sewn = |seam: &Seam| {
        let [a, b] = [0, 4].map(|k| pieces[seam.nodes[k] as usize]);
        (a.min(b), a.max(b))
    };
    let mut at: BTreeMap<u32, BTreeSet<(u32, u32)>> = BTreeMap::new();
    for seam in &seams {
        for node in seam.all_corners() {
            at.entry(node).or_default().insert(sewn(seam));
        }
    }
    let many = |seam: &Seam| seam.all_corners().any(|node| at[&node].len() > 1);
    seams.into_iter().filter(many).collect()
}

impl Seams {
    /// `rest` has the places of nodes at rest [m], `pieces` the pieces that they are in.
    pub(crate) fn new(seams: Vec<Seam>, rest: &[DVec3], pieces: &[u32]) -> Self {
        if seams.is_empty() {
            return Self::default();
        }
        let widest = seams.iter().map(|s| s.reach).fold(0.0, f64::max).max(f64::MIN_POSITIVE);
        let cell = |x: DVec3| (x / widest).floor().as_i64vec3().to_array();
        let mut near: BTreeMap<Cell, Vec<(u32, u8)>> = BTreeMap::new();
        for (s, seam) in seams.iter().enumerate() {
            for side in 0..2 {
                let piece = pieces[seam.nodes[4 * side] as usize];
                let [x, y, z] = cell(seam.place(side, rest));
                for (i, j, k) in (0..27).map(|n| (n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1)) {
                    let key = (piece, [x + i, y + j, z + k]);
                    near.entry(key).or_default().push((s as u32, side as u8));
                }
            }
        }
        let mut at = Vec::new();
        for (s, seam) in seams.iter().enumerate() {
            for side in 0..2 {
                let own = |node| AtSeam { node, seam: s as u32, side: side as u8, away: 0.0 };
                at.extend(seam.corners(side).map(own));
            }
        }
        for (node, (place, piece)) in rest.iter().zip(pieces).enumerate() {
            for &(s, side) in near.get(&(*piece, cell(*place))).into_iter().flatten() {
                let (seam, node) = (&seams[s as usize], node as u32);
                let away = seam.place(side as usize, rest).distance(*place);
                if away <= seam.reach {
                    at.push(AtSeam { node, seam: s, side, away });
                }
            }
        }
        at.sort_by_key(|at: &AtSeam| (at.node, at.seam, at.side));
        Self { seams, at }
    }

    /// How near each other a pair across a seam may rest [m], `part` of the way along both pieces to the nearest
    /// stitch added to what is kept there; none where no stitch is near.
    pub(crate) fn distance(&self, pair: &Candidate, part: f64) -> Option<f64> {
        if self.seams.is_empty() {
            return None;
        }
        let (own, others) = pair.nodes.split_at(pair.split());
        let mut least: Option<f64> = None;
        for a in own.iter().flat_map(|n| self.of(*n)) {
            for b in others.iter().flat_map(|n| self.of(*n)) {
                if a.seam == b.seam && a.side != b.side {
                    let length = self.seams[a.seam as usize].length;
                    let distance = KEPT * length + part * (a.away + b.away);
                    least = Some(least.map_or(distance, |l| l.min(distance)));
                }
            }
        }
        least
    }

    fn of(&self, node: u32) -> &[AtSeam] {
        let first = self.at.partition_point(|at| at.node < node);
        let rest = &self.at[first..];
        &rest[..rest.partition_point(|at| at.node == node)]
    }
}

impl Seam {
    /// Vertices that carry either place.
    fn all_corners(&self) -> impl Iterator<Item = u32> {
        (0..2).flat_map(|side| self.corners(side))
    }

    /// Vertices that carry a place.
    fn corners(&self, side: usize) -> impl Iterator<Item = u32> {
        let all = 4 * side..4 * side + 4;
        all.filter(|k| self.weights[*k] != 0.0).map(|k| self.nodes[k])
    }

    fn place(&self, side: usize, rest: &[DVec3]) -> DVec3 {
        let all = 4 * side..4 * side + 4;
        all.map(|k| rest[self.nodes[k] as usize] * self.weights[k]).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::super::candidates::Kind;
    use super::*;

    /// Two strips of two triangles, sewn once between two vertices of the first: pairs at the seam keep a quarter of its
    /// length, those a way off as much more as that way says, and what lies beyond its reach is not felt.
    #[test]
    fn a_seam_is_felt_around_its_places() {
        let place = |x: f64, y: f64| DVec3::new(x, y, 0.0);
        let rest = [
            place(0.0, 0.0),
            place(1.0, 0.0),
            place(0.5, 0.002),
            place(9.0, 0.0),
            place(9.0, 0.001),
            place(9.0, 5.0),
        ];
        let pieces = [0, 0, 0, 1, 1, 1];
        let mut nodes = [0; 8];
        let mut weights = [0.0; 8];
        (nodes[1], weights[0], weights[1]) = (1, 0.5, 0.5);
        (nodes[4], weights[4]) = (3, 1.0);
        let seams =
            Seams::new(vec![Seam { nodes, weights, length: 0.002, reach: 0.003 }], &rest, &pieces);
        let distance = |a: u32, b: u32| {
            let kind = Kind::VertexTriangle;
            seams.distance(&Candidate { kind, nodes: [a, b, b, b], ids: [0, 0] }, 0.5)
        };
        let kept = 0.25 * 0.002;
        for corner in [0, 1] {
            assert_eq!(distance(corner, 3), Some(kept));
        }
        assert_eq!(distance(3, 0), Some(kept));
        assert_eq!(distance(2, 4), Some(kept + 0.5 * (0.002 + 0.001)));
        assert_eq!((distance(0, 5), distance(3, 4)), (None, None));
    }
}
