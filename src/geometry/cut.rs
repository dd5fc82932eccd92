//! Meshes cut open along some of their vertices, by a slit so wide that the two sides do not touch.

use super::TriMesh;
use glam::{DVec2, DVec3};
use std::collections::BTreeMap;

/// Largest part of the shortest edge at a vertex by which it is drawn back from a cut.
const MOST: f64 = 0.2;

/// A mesh that was cut.
#[derive(Clone, Debug)]
pub struct Cut {
    /// The mesh. Vertices keep their numbers; what a vertex became beside itself comes after them.
    pub mesh: TriMesh,
    /// The vertex that each of the new ones was a part of.
    pub of: Vec<u32>,
    /// Vertices that lie across the cut from each other, and were one.
    pub pairs: Vec<[u32; 2]>,
}

/// The triangles around a vertex that hang together, and where that vertex is of them.
struct Fan {
    triangles: Vec<usize>,
    /// How far it is drawn back from the cut [m].
    back: DVec3,
}

impl TriMesh {
    /// The mesh cut along the edges between `points`, or of a line at `points`; `width` is how wide the slit is
    /// at a vertex [m], narrower where edges are short. None where that cuts nothing: a cut runs from
    /// border to border or over two inner edges at least, and a line is not cut at its ends.
    pub fn cut(&self, points: &[u32], width: impl Fn(u32) -> f64) -> Option<Cut> {
        let mut cut = Cut { mesh: self.clone(), of: Vec::new(), pairs: Vec::new() };
        if self.lines.is_empty() {
            self.cut_triangles(points, width, &mut cut);
        } else {
            self.cut_lines(points, width, &mut cut);
        }
        (!cut.of.is_empty()).then_some(cut)
    }

    /// The vertices of each piece of a line, in their order.
    pub fn chains(&self) -> Vec<Vec<u32>> {
        let mut chains: Vec<Vec<u32>> = Vec::new();
        for &[a, b] in &self.lines {
            match chains.last_mut() {
                Some(chain) if chain.last() == Some(&a) => chain.push(b),
                _ => chains.push(vec![a, b]),
            }
        }
        chains
    }

    fn cut_lines(&self, points: &[u32], width: impl Fn(u32) -> f64, cut: &mut Cut) {
        for k in 1..self.lines.len() {
            let ([a, v], [w, b]) = (self.lines[k - 1], self.lines[k]);
            if v != w || points.binary_search(&v).is_err() {
                continue;
            }
            let new = cut.add(self, v);
            cut.mesh.lines[k][0] = new;
            let at = |i: u32| self.positions[i as usize];
            let shortest = at(a).distance(at(v)).min(at(v).distance(at(b)));
            let back = (0.5 * width(v)).min(MOST * shortest);
            for (end, other) in [(v, a), (new, b)] {
                let part = back / at(v).distance(at(other)).max(f64::MIN_POSITIVE);
                cut.mesh.positions[end as usize] = at(v).lerp(at(other), part);
                if let (Some(uv), Some(there)) =
                    (cut.mesh.uvs.get_mut(end as usize), self.uvs.get(other as usize))
                {
                    *uv = uv.lerp(*there, part);
                }
            }
        }
    }

    fn cut_triangles(&self, points: &[u32], width: impl Fn(u32) -> f64, cut: &mut Cut) {
        let mut around: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        let mut sides: BTreeMap<[u32; 2], u32> = BTreeMap::new();
        for (t, corners) in self.triangles.iter().enumerate() {
            for k in 0..3 {
                let (a, b) = (corners[k], corners[(k + 1) % 3]);
                *sides.entry([a.min(b), a.max(b)]).or_default() += 1;
                if points.binary_search(&a).is_ok() {
                    around.entry(a).or_default().push(t);
                }
            }
        }
        let is_cut = |a: u32, b: u32| {
            let inner = sides.get(&[a.min(b), a.max(b)]).is_some_and(|count| *count > 1);
            inner && [a, b].iter().all(|v| points.binary_search(v).is_ok())
        };
        for (&v, triangles) in &around {
            let fans = self.fans(v, triangles, &is_cut, 0.5 * width(v));
            if fans.len() < 2 {
                continue;
            }
            let mut number = Vec::new();
            for (n, fan) in fans.iter().enumerate() {
                let own = if n == 0 { v } else { cut.add(self, v) };
                number.push(own);
                let place = self.positions[v as usize] + fan.back;
                cut.mesh.positions[own as usize] = place;
                if !self.uvs.is_empty() {
                    cut.mesh.uvs[own as usize] = self.uv_at(&fan.triangles, place, v);
                }
                for &t in &fan.triangles {
                    let k = self.triangles[t].iter().position(|i| *i == v).unwrap_or_default();
                    cut.mesh.triangles[t][k] = own;
                    if let Some(seam) = cut.mesh.seams.get_mut(&(t as u32)) {
                        // The picture moves by the same as that of the vertex.
                        seam[k] += cut.mesh.uvs[own as usize] - self.uvs[v as usize];
                    }
                }
            }
            let fan_of = |t: usize| fans.iter().position(|f| f.triangles.contains(&t));
            let mut pairs = Vec::new();
            for (n, &s) in triangles.iter().enumerate() {
                for &t in &triangles[n + 1..] {
                    let shared = self.shared_edge(v, s, t).is_some_and(|w| is_cut(v, w));
                    if let (true, Some(a), Some(b)) = (shared, fan_of(s), fan_of(t))
                        && a != b
                    {
                        pairs.push([number[a.min(b)], number[a.max(b)]]);
                    }
                }
            }
            pairs.sort_unstable();
            pairs.dedup();
            cut.pairs.extend(pairs);
        }
    }

    /// The other end of the edge at `v` that two triangles share.
    fn shared_edge(&self, v: u32, s: usize, t: usize) -> Option<u32> {
        self.triangles[s].into_iter().find(|w| *w != v && self.triangles[t].contains(w))
    }

    /// The triangles around `v` in groups that hang together over edges that are not cut, in the order of
    /// their first.
    fn fans(
        &self,
        v: u32,
        triangles: &[usize],
        is_cut: &impl Fn(u32, u32) -> bool,
        half: f64,
    ) -> Vec<Fan> {
        let at = |i: u32| self.positions[i as usize];
        let mut left = triangles.to_vec();
        let mut fans = Vec::new();
        while !left.is_empty() {
            let mut own = vec![left.remove(0)];
            let mut next = 0;
            while next < own.len() {
                let here = own[next];
                let joined =
                    |t: &usize| self.shared_edge(v, here, *t).is_some_and(|w| !is_cut(v, w));
                let (near, far) = left.iter().copied().partition(joined);
                left = far;
                own.extend::<Vec<usize>>(near);
                next += 1;
            }
            own.sort_unstable();
            // Across each cut edge into the triangles: the vertex goes where it is `half` from all of them.
            let mut across = Vec::new();
            let mut shortest = f64::INFINITY;
            for corners in own.iter().map(|t| self.triangles[*t]) {
                for w in corners.into_iter().filter(|w| *w != v) {
                    shortest = shortest.min(at(v).distance(at(w)));
                    if let Some(x) = corners.into_iter().find(|x| *x != v && *x != w)
                        && is_cut(v, w)
                    {
                        let along = (at(w) - at(v)).normalize_or_zero();
                        let inward = at(x) - at(v);
                        across.push((inward - along * along.dot(inward)).normalize_or_zero());
                    }
                }
            }
            let back = match across[..] {
                [one] => one,
                [one, two] => (one + two) / (1.0 + one.dot(two)).max(0.25),
                _ => DVec3::ZERO,
            };
            let back = (back * half).clamp_length_max(MOST * shortest);
            fans.push(Fan { triangles: own, back });
        }
        fans
    }

    /// Texture coordinates of a place near vertex `v`, in that of `triangles` which it lies in or is nearest to.
    fn uv_at(&self, triangles: &[usize], place: DVec3, v: u32) -> DVec2 {
        let mut best = (f64::NEG_INFINITY, self.uvs[v as usize]);
        for t in triangles {
            let corners = self.triangles[*t].map(|i| i as usize);
            let [a, b, c] = corners.map(|i| self.positions[i]);
            let (e, f, p) = (b - a, c - a, place - a);
            let (ee, ef, ff) = (e.dot(e), e.dot(f), f.dot(f));
            let det = ee * ff - ef * ef;
            if det <= 0.0 {
                continue;
            }
            let (pe, pf) = (p.dot(e), p.dot(f));
            let (s, r) = ((ff * pe - ef * pf) / det, (ee * pf - ef * pe) / det);
            let least = s.min(r).min(1.0 - s - r);
            if least > best.0 {
                let [ua, ub, uc] = corners.map(|i| self.uvs[i]);
                best = (least, ua + (ub - ua) * s + (uc - ua) * r);
            }
        }
        best.1
    }
}

impl Cut {
    /// A new vertex where `v` of `from` is; of a line, they are a pair.
    fn add(&mut self, from: &TriMesh, v: u32) -> u32 {
        let (new, i) = (self.mesh.positions.len() as u32, v as usize);
        self.of.push(v);
        self.mesh.positions.push(from.positions[i]);
        if let Some(uv) = from.uvs.get(i) {
            self.mesh.uvs.push(*uv);
        }
        for values in self.mesh.maps.values_mut() {
            values.push(values[i]);
        }
        if !from.lines.is_empty() {
            self.pairs.push([v, new]);
        }
        new
    }

    /// Values of vertices as those of the cut mesh's vertices.
    pub fn spread<T: Clone>(&self, values: &mut Vec<T>) {
        for v in &self.of {
            values.push(values[*v as usize].clone());
        }
    }

    /// The parts of vertex `v` beside itself.
    pub fn twins(&self, v: u32) -> impl Iterator<Item = u32> {
        let first = (self.mesh.positions.len() - self.of.len()) as u32;
        (first..).zip(&self.of).filter(move |(_, of)| **of == v).map(|(new, _)| new)
    }
}

#[cfg(test)]
mod tests {
    use crate::geometry::primitives::{Grid, Rope};
    use glam::{DVec2, DVec3};

    fn pieces(mesh: &crate::geometry::TriMesh) -> usize {
        super::super::tet_faces::pieces(&mesh.pieces(), mesh.positions.len())
    }

    /// Two lines that cross make four pieces of a sheet; where they cross, a vertex becomes four, each of which
    /// lies beside two others. All slits are as wide as asked for, and the picture does not move.
    #[test]
    fn two_lines_that_cross_make_four_pieces() {
        let grid = Grid { size: [4.0, 4.0], vertices: Some([9, 9]), ..Grid::default() };
        let sheet = grid.build().unwrap();
        let points: Vec<u32> = (0..81).filter(|i| i / 9 == 4 || i % 9 == 4).collect();
        let cut = sheet.cut(&points, |_| 0.02).unwrap();
        assert_eq!((cut.of.len(), pieces(&cut.mesh)), (16 + 3, 4));
        assert_eq!(cut.pairs.len(), 16 + 4);
        assert!(cut.mesh.check().is_ok());
        for [a, b] in &cut.pairs {
            let [p, q] = [a, b].map(|i| cut.mesh.positions[*i as usize]);
            assert!((p.distance(q) - 0.02).abs() < 1e-12, "{p} {q}");
        }
        for (p, uv) in cut.mesh.positions.iter().zip(&cut.mesh.uvs) {
            assert!((DVec2::new(0.25 * p.x + 0.5, 0.25 * p.y + 0.5) - *uv).length() < 1e-9);
        }
        assert_eq!(cut.twins(4 * 9 + 4).count(), 3);
    }

    #[test]
    fn a_slit_inside_a_sheet_keeps_its_ends() {
        let sheet = Grid { vertices: Some([7, 7]), ..Grid::default() }.build().unwrap();
        let row = |columns: std::ops::Range<u32>| columns.map(|c| 21 + c).collect::<Vec<_>>();
        assert!(sheet.cut(&row(2..4), |_| 1e-3).is_none());
        let cut = sheet.cut(&row(2..5), |_| 1e-3).unwrap();
        assert_eq!((cut.of, pieces(&cut.mesh)), (vec![24], 1));
    }

    #[test]
    fn a_line_is_cut_inside_alone() {
        let path = vec![DVec3::ZERO, DVec3::X];
        let line = Rope { path, length: None, segments: Some(4), spacing: None }.build().unwrap();
        assert!(line.cut(&[0, 4], |_| 0.01).is_none());
        let cut = line.cut(&[0, 2, 3], |_| 0.01).unwrap();
        assert_eq!(cut.mesh.chains(), [vec![0, 1, 2], vec![5, 3], vec![6, 4]]);
        assert_eq!(cut.pairs, [[2, 5], [3, 6]]);
        assert!((cut.mesh.positions[2].x - 0.495).abs() < 1e-12);
        assert!((cut.mesh.positions[6].x - 0.755).abs() < 1e-12);
        assert!((cut.mesh.uvs[5].y - 0.505).abs() < 1e-12, "{}", cut.mesh.uvs[5]);
    }
}
