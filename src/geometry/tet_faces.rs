//! The faces of tetrahedra.

use crate::math::Sets;
use std::collections::BTreeMap;

/// The faces of a tetrahedron, seen counter-clockwise from outside.
pub(super) fn faces([a, b, c, d]: [u32; 4]) -> [[u32; 3]; 4] {
    [[a, c, b], [a, b, d], [b, c, d], [c, a, d]]
}

/// The faces that only one tetrahedron has, seen counter-clockwise from outside.
pub(super) fn boundary(tets: &[[u32; 4]]) -> Vec<[u32; 3]> {
    let mut found: BTreeMap<[u32; 3], Option<[u32; 3]>> = BTreeMap::new();
    for tet in tets {
        for face in faces(*tet) {
            let mut name = face;
            name.sort_unstable();
            found.entry(name).and_modify(|f| *f = None).or_insert(Some(face));
        }
    }
    found.into_values().flatten().collect()
}

/// How many pieces `groups` of vertices fall into, of `count` vertices; unused ones count as none.
pub(super) fn pieces<const N: usize>(groups: &[[u32; N]], count: usize) -> usize {
    let mut sets = Sets::new(count);
    let mut used = vec![false; count];
    for group in groups {
        for &i in group {
            used[i as usize] = true;
            sets.join(group[0] as usize, i as usize);
        }
    }
    (0..count).filter(|&i| used[i] && sets.first_of(i) == i).count()
}
