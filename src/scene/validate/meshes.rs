//! Meshes: whether they can be simulated.

use super::Check;
use crate::diagnostics::Place;
use crate::geometry::{HalfEdge, TriMesh};
use crate::scene::{Body, BodyKind};

impl Check<'_> {
    pub(super) fn meshes(&mut self) {
        let kinds = |body: &Body| std::mem::discriminant(&body.kind);
        for (nth, body) in self.scene.bodies.iter().enumerate() {
            let cage = |b: &Body| match &b.kind {
                BodyKind::Soft(soft) => soft.cage,
                _ => None,
            };
            let has_hull = |b: &Body| b.rigid().is_some_and(|r| !r.hull.is_empty());
            let same = |b: &Body| {
                b.mesh == body.mesh
                    && kinds(b) == kinds(body)
                    && cage(b) == cage(body)
                    && has_hull(b) == has_hull(body)
            };
            let i = body.mesh;
            let Some(mesh) = self.scene.meshes.get(i) else { continue };
            if self.scene.bodies[..nth].iter().any(same) {
                continue;
            }
            let (place, name) = (body.place.clone(), body.name.clone());
            let kind = &body.kind;
            let is_cloth = matches!(kind, BodyKind::Cloth(_));
            let is_soft = matches!(kind, BodyKind::Soft(_));
            let is_rope = matches!(kind, BodyKind::Rope(_));
            if mesh.positions.is_empty() || (mesh.triangles.is_empty() && !is_rope) {
                self.error(&place, format!("the mesh of `{name}` has no triangles"));
                continue;
            }
            if let Err(fault) = mesh.check() {
                self.error(&place, format!("the mesh of `{name}`: {}", fault.message));
                continue;
            }
            if is_rope {
                self.line(i, &place, &name);
                continue;
            }
            self.shape(i, &place, &name, is_cloth);
            if let BodyKind::Rigid(rigid) = kind {
                let count = mesh.positions.len();
                if rigid.hull.iter().flatten().any(|v| *v as usize >= count) {
                    self.error(&place, format!("the hull of `{name}` names vertices it has not"));
                } else if rigid.hull.is_empty() {
                    self.closed(i, &place, &name);
                }
            }
            if is_soft {
                match cage(body) {
                    Some(cage) => self.caged(i, cage, &place, &name),
                    None => drop(self.filled(i, &place, &name)),
                }
            }
        }
    }

    /// A rope is one chain of segments, or several, each vertex in one of them.
    fn line(&mut self, i: usize, place: &Place, name: &str) {
        let mesh = &self.scene.meshes[i];
        let mut used = mesh.chains().concat();
        used.sort_unstable();
        let each_once = used.into_iter().eq(0..mesh.positions.len() as u32);
        if mesh.lines.is_empty() || !mesh.triangles.is_empty() || !each_once {
            let message = format!("the mesh of `{name}` is no line");
            let hint = "make it with `retake.mesh.rope{ from = ..., to = ... }`";
            self.error(place, message).hint = Some(hint.into());
            return;
        }
        let (low, high) = mesh.bounds();
        let least = 1e-9 * (high - low).max_element();
        let at = |v: u32| mesh.positions[v as usize];
        if let Some([a, b]) = mesh.lines.iter().find(|[a, b]| at(*a).distance(at(*b)) <= least) {
            let message = format!("vertices {a} and {b} of `{name}` lie in one place");
            self.error(place, message);
        }
    }

    /// A rigid body needs an inside: every edge between two triangles that agree about it.
    fn closed(&mut self, i: usize, place: &Place, name: &str) {
        let mesh = &self.scene.meshes[i];
        if let Some(edge) = mesh.open_edge() {
            let at = super::cloths::edge_place(mesh, edge);
            let message =
                format!("the mesh of `{name}` is not closed: it has an open edge at {at}");
            let hint = "a rigid body needs an inside to have a mass; close the mesh, give an open \
                        box a `wall`, take `collision = \"hull\"`, or make it a `shot:collider`";
            self.error(place, message).hint = Some(hint.into());
        } else if mesh.volume() <= 0.0 {
            let message = format!("the mesh of `{name}` is inside out");
            let hint = "its triangles must turn counter-clockwise seen from outside";
            self.error(place, message).hint = Some(hint.into());
        }
    }

    /// A surface that a cage carries lies in it, or nearly.
    fn caged(&mut self, i: usize, cage: usize, place: &Place, name: &str) {
        if !self.filled(cage, place, name) {
            return;
        }
        let (surface, cage) = (&self.scene.meshes[i], &self.scene.meshes[cage]);
        let found = cage.embed(&surface.positions);
        let farthest = (0..found.len())
            .max_by(|a, b| found[*a].outside.total_cmp(&found[*b].outside).then(b.cmp(a)));
        let Some(vertex) = farthest else { return };
        let corners = cage.tets[found[vertex].tet].map(|i| cage.positions[i as usize]);
        let edge = |k: usize| corners[k % 4].distance(corners[(k + 1 + k / 4) % 4]);
        let longest = (0..6).map(edge).fold(0.0, f64::max);
        // Weights of places farther out than a cell is long magnify how it turns.
        if found[vertex].outside > longest {
            let message = format!(
                "the `surface` of `{name}` reaches {:.3} m out of its `mesh` of tetrahedra (at vertex \
                 {vertex}, counted from 0), which is farther than these are long ({longest:.3} m)",
                found[vertex].outside
            );
            let hint = "both must lie in the same place, as `mesh = toy:tetrahedralized{ spacing = \
                        0.05 }, surface = toy` do; move and scale both, or neither";
            self.error(place, message).hint = Some(hint.into());
        }
    }

    /// A soft body is made of tetrahedra, none of them flat or inside out. Whether it is.
    fn filled(&mut self, i: usize, place: &Place, name: &str) -> bool {
        let mesh = &self.scene.meshes[i];
        let count = mesh.positions.len();
        if mesh.tets.is_empty() {
            let message = format!("the mesh of `{name}` has no tetrahedra");
            let hint = "take `retake.mesh.tet_box` or `retake.mesh.tet_ball`, or fill a closed mesh \
                        with `mesh:tetrahedralized{ spacing = 0.05 }`";
            self.error(place, message).hint = Some(hint.into());
            return false;
        }
        if let Some(bad) = mesh.tets.iter().position(|t| t.iter().any(|v| *v as usize >= count)) {
            let message = format!("tetrahedron {bad} of `{name}` names a vertex that is not there");
            self.error(place, message);
            return false;
        }
        let flat = |t: &[u32; 4]| {
            let [a, b, c, d] = t.map(|v| mesh.positions[v as usize]);
            let longest = (b - a).length().max((c - a).length()).max((d - a).length());
            (b - a).cross(c - a).dot(d - a) <= 1e-9 * longest * longest * longest
        };
        if let Some(bad) = mesh.tets.iter().position(flat) {
            let message = format!("tetrahedron {bad} of `{name}` is flat or inside out");
            self.error(place, message);
            return false;
        }
        let mut used = vec![false; count];
        mesh.tets.iter().flatten().for_each(|v| used[*v as usize] = true);
        if let Some(loose) = used.iter().position(|u| !u) {
            let message = format!("vertex {loose} of `{name}` is in no tetrahedron");
            self.error(place, message);
            return false;
        }
        true
    }

    /// Triangles without area, vertices that nothing holds, edges with more than two triangles, folds without room.
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
                let [a, b, c] = [a, b, c].map(|v| mesh.positions[v as usize]);
                let hint = if a == b || b == c || c == a {
                    "merge vertices that lie in one place before it is exported"
                } else {
                    "its corners lie on a line: dissolve the one in the middle before it is exported"
                };
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
        let sides = mesh.half_edges();
        let edges = sides.chunk_by(|a, b| a.edge == b.edge);
        if let Some(sides) = edges.clone().find(|sides| sides.len() > 2) {
            let message = format!(
                "the mesh of `{name}` has an edge with more than two triangles at {}",
                super::cloths::edge_place(mesh, sides[0].edge)
            );
            let hint = "a sheet has two sides: take the third panel off there and sew it on with \
                        `shot:stitch`";
            self.error(place, message).hint = Some(hint.into());
            return;
        }
        let mut folds = edges.filter_map(|sides| folded_flat(mesh, sides));
        if let Some([first, second]) = folds.next() {
            let (a, b) = (first.triangle, second.triangle);
            let many = match 1 + folds.count() {
                1 => String::new(),
                count => format!("at {count} edges, the first "),
            };
            let message = format!(
                "`{name}` is folded flat onto itself {many}at {}: triangles {a} and {b} lie one on the other",
                super::cloths::edge_place(mesh, first.edge),
            );
            let hint = "a vertex may lie beyond the edge across from it: move it back, or open the fold a little";
            self.error(place, message).hint = Some(hint.into());
        }
    }
}

/// Triangles at one edge with less of an angle between them than this lie on each other [rad]: far below what thickness
/// leaves open, far above what single precision makes of none.
const LEAST_OPEN: f64 = 1e-5;

/// The two triangles of an edge, where they lie on the same side of it, one on the other.
fn folded_flat<'a>(mesh: &TriMesh, sides: &'a [HalfEdge]) -> Option<[&'a HalfEdge; 2]> {
    let [one, other] = sides else { return None };
    let at = |i: u32| mesh.positions[i as usize];
    let [a, b] = one.edge.map(at);
    let normal = |side: &HalfEdge| (b - a).cross(at(side.across) - a);
    let (p, q) = (normal(one), normal(other));
    let flat = p.dot(q) > 0.0 && p.cross(q).length() < LEAST_OPEN * p.length() * q.length();
    flat.then_some([one, other])
}
