//! Vertices of a mesh that lie in one place become one.

use super::TriMesh;
use glam::DVec3;
use std::collections::BTreeMap;

impl TriMesh {
    /// The mesh with all vertices that are at most `distance` from an earlier one made one with it (the earliest
    /// keeps its place and its maps); triangles that lose a side by it go. Pictures stay where they are.
    #[must_use]
    pub fn welded(&self, distance: f64) -> Self {
        let cell = |p: DVec3| (p / distance).to_array().map(|x| x.floor() as i64);
        let mut kept: Vec<usize> = Vec::new();
        let mut cells: BTreeMap<[i64; 3], Vec<u32>> = BTreeMap::new();
        let mut new = Vec::with_capacity(self.positions.len());
        for (i, p) in self.positions.iter().enumerate() {
            let [x, y, z] = cell(*p);
            let around =
                (-1..=1).flat_map(|i| (-1..=1).flat_map(move |j| (-1..=1).map(move |k| [i, j, k])));
            let near = around.filter_map(|[i, j, k]| cells.get(&[x + i, y + j, z + k])).flatten();
            let is_one = |k: &&u32| self.positions[kept[**k as usize]].distance(*p) <= distance;
            let one = near.filter(is_one).min().copied();
            new.push(one.unwrap_or_else(|| {
                kept.push(i);
                let own = kept.len() as u32 - 1;
                cells.entry([x, y, z]).or_default().push(own);
                own
            }));
        }
        if kept.len() == self.positions.len() {
            return self.clone();
        }
        let uvs = if self.uvs.is_empty() {
            Vec::new()
        } else {
            kept.iter().map(|i| self.uvs[*i]).collect()
        };
        let of_kept = |values: &Vec<f64>| kept.iter().map(|i| values[*i]).collect();
        let mut welded = Self {
            positions: kept.iter().map(|i| self.positions[*i]).collect(),
            uvs,
            maps: self.maps.iter().map(|(name, values)| (name.clone(), of_kept(values))).collect(),
            ..Self::default()
        };
        for (t, corners) in self.triangles.iter().enumerate() {
            let [a, b, c] = corners.map(|i| new[i as usize]);
            if a == b || b == c || c == a {
                continue;
            }
            welded.triangles.push([a, b, c]);
            if let Some(uvs) = self.corner_uvs(t) {
                welded.set_corner_uvs(welded.triangles.len() - 1, uvs);
            }
        }
        welded
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seam_is_closed() {
        let at = |x: f64, y: f64| DVec3::new(x, y, 0.0);
        let mesh = TriMesh {
            positions: vec![
                at(0., 0.),
                at(1., 0.),
                at(1., 1.),
                at(1.00005, 0.),
                at(2., 0.),
                at(1., 1.),
            ],
            triangles: vec![[0, 1, 2], [3, 4, 5]],
            ..TriMesh::default()
        };
        let welded = mesh.welded(1e-4);
        assert_eq!(welded.triangles, [[0, 1, 2], [1, 3, 2]]);
        assert_eq!(welded.positions.len(), 4);
        assert_eq!(welded.positions[1], at(1., 0.));
        assert_eq!(mesh.welded(1e-6).positions.len(), 5);
        assert!(mesh.welded(2.0).triangles.is_empty());
    }
}
