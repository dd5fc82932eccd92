//! Meshes: whether they can be simulated.

use super::Check;
use crate::diagnostics::Place;
use crate::scene::BodyKind;

impl Check<'_> {
    pub(super) fn meshes(&mut self) {
        for (i, mesh) in self.scene.meshes.iter().enumerate() {
            let Some(body) = self.scene.bodies.iter().find(|b| b.mesh == i) else { continue };
            let (place, name) = (body.place.clone(), body.name.clone());
            let is_cloth = matches!(body.kind, BodyKind::Cloth(_));
            if mesh.positions.is_empty() || mesh.triangles.is_empty() {
                self.error(&place, format!("the mesh of `{name}` has no triangles"));
                continue;
            }
            if let Err(fault) = mesh.check() {
                self.error(&place, format!("the mesh of `{name}`: {}", fault.message));
                continue;
            }
            self.shape(i, &place, &name, is_cloth);
        }
    }

    /// Triangles without area, vertices that nothing holds, edges with more than two triangles.
    fn shape(&mut self, i: usize, place: &Place, name: &str, is_cloth: bool) {
        let mesh = &self.scene.meshes[i];
        let (low, high) = mesh.bounds();
        let size = (high - low).max_element();
        let area = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|v| mesh.positions[v as usize]);
            0.5 * (b - a).cross(c - a).length()
        };
        // Far below what a triangle of this mesh could have, far above rounding.
        let least = size * size * 1e-14;
        let thin: Vec<usize> =
            (0..mesh.triangles.len()).filter(|t| area(&mesh.triangles[*t]) <= least).collect();
        if size == 0.0 || thin.len() == mesh.triangles.len() {
            self.error(place, format!("the mesh of `{name}` has no area"));
            return;
        }
        if let Some(first) = thin.first() {
            let [a, b, c] = mesh.triangles[*first];
            let message = format!(
                "the mesh of `{name}` has {} triangles without area; the first is number {first} \
                 (vertices {a}, {b}, {c}, counted from 0)",
                thin.len()
            );
            if is_cloth {
                let hint = "merge vertices that lie in one place before it is exported";
                self.error(place, message).hint = Some(hint.into());
            } else {
                self.warning(place, message);
            }
        }
        if !is_cloth {
            return;
        }
        let mut used = vec![false; mesh.positions.len()];
        mesh.triangles.iter().flatten().for_each(|v| used[*v as usize] = true);
        if let Some(loose) = used.iter().position(|u| !u) {
            let message = format!("vertex {loose} of `{name}` (counted from 0) is in no triangle");
            let hint = "such a vertex has no mass; delete loose vertices";
            self.error(place, message).hint = Some(hint.into());
        }
        let mut edges: Vec<[u32; 2]> = mesh
            .triangles
            .iter()
            .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]])
            .map(|[a, b]| [a.min(b), a.max(b)])
            .collect();
        edges.sort_unstable();
        if let Some(edge) = edges.windows(3).find(|w| w[0] == w[1] && w[1] == w[2]) {
            let message = format!(
                "the mesh of `{name}` has an edge with more than two triangles at {}",
                super::cloths::edge_place(mesh, edge[0])
            );
            let hint = "a sheet has two sides: take the third panel off there and sew it on with \
                        `shot:stitch`";
            self.error(place, message).hint = Some(hint.into());
        }
    }
}
