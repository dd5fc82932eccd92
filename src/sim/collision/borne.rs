//! Which places of contact need no row of their own, because the rows beside them bear what would press there.
//!
//! A vertex that a row holds a distance above the plane of a face is at least as far from the edges of that face. And
//! where a surface that keeps its shape is smooth, a short edge whose ends rest on it is nowhere much nearer to it than
//! they are, nor is a small face: its edges and corners then press through the vertices that lie on it. Each of
//! these rows would open and close for itself while one thing slides over the other, and Newton's iteration has to
//! find out which.

use super::candidates::Candidate;
use super::place::Key;
use super::surface::Surface;
use crate::sim::model::Model;

/// How far a surface bends away under what lies straight across it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Arch {
    /// Angle between the normals on both sides of an edge [rad].
    pub(crate) turn: f64,
    /// Distance between the middles of the faces beside it, over which the surface turns by that [m].
    pub(crate) over: f64,
}

impl Arch {
    pub(crate) const FLAT: Self = Self { turn: 0.0, over: f64::INFINITY };

    /// Where nothing smooth goes on.
    pub(crate) const SHARP: Self = Self { turn: f64::INFINITY, over: 0.0 };

    /// That of two which bend at least as much as either.
    pub(crate) fn with(self, other: Self) -> Self {
        Self { turn: self.turn.max(other.turn), over: self.over.min(other.over) }
    }

    /// How deep the surface may come into a straight line of this length whose ends rest on it [m]: over a single
    /// bend, or over as many as it is long, as on a circle of the curvature `turn / over`.
    fn depth(self, length: f64) -> f64 {
        self.turn * length * f64::max(0.25, length / (8.0 * self.over))
    }
}

/// Part of a contact distance that [`Arch::depth`] may come to.
const SMOOTH: f64 = 0.2;

/// Whether the place that `key` names is one of a smooth surface that keeps its shape against an edge or face of a
/// mesh of triangles that does not, which is borne at its corners; the two touch at `distance` [m].
pub(super) fn is_borne_at_corners(
    model: &Model,
    pair: &Candidate,
    key: Key,
    distance: f64,
) -> bool {
    let surface = &model.surface;
    let keeps = |node: u32| model.keeps_its_shape(surface.body_of_node[node as usize] as usize);
    let (first, second) = (keeps(pair.nodes[0]), keeps(pair.nodes[3]));
    if first == second {
        return false;
    }
    // A rope lies on its segments, and hardly presses at all where one meets the next.
    let has_faces = |edge: u32| surface.sides[edge as usize][0].is_some();
    let length = |a: u32, b: u32| model.rest[a as usize].distance(model.rest[b as usize]);
    let length_of = |edge: u32| {
        let [a, b] = surface.edges[edge as usize];
        length(a, b)
    };
    let (arch, length) = match key {
        (0, node, triangle) if keeps(node) => {
            let [a, b, c] = surface.triangles[triangle as usize];
            if b == c {
                return false;
            }
            let longest = length(a, b).max(length(b, c)).max(length(c, a));
            (surface.node_arch[node as usize], longest)
        }
        (1, ..) => {
            let [a, b] = pair.ids;
            let (own, other) = if first { (a, b) } else { (b, a) };
            if !has_faces(other) {
                return false;
            }
            (surface.edge_arch[own as usize], length_of(other))
        }
        (2, node, edge) if keeps(node) && has_faces(edge) => {
            (surface.node_arch[node as usize], length_of(edge))
        }
        _ => return false,
    };
    arch.depth(length) <= SMOOTH * distance
}

/// The places of a vertex over a face that bear for the place `key`, if it is one of a vertex over an edge.
fn faces_beside(surface: &Surface, (kind, vertex, edge): Key) -> impl Iterator<Item = Key> {
    let sides = if kind == 2 { surface.sides[edge as usize] } else { [None; 2] };
    sides.into_iter().flatten().map(move |face| (0, vertex, face))
}

/// Leaves out of sorted places those that others among them bear for; `key` tells a place's name.
pub(super) fn leave_out_borne<T: Copy>(
    surface: &Surface,
    places: &mut Vec<T>,
    key: impl Fn(&T) -> Key,
) {
    let over_faces: Vec<Key> = places.iter().map(&key).take_while(|key| key.0 == 0).collect();
    let has = |place: Key| over_faces.binary_search(&place).is_ok();
    places.retain(|place| !faces_beside(surface, key(place)).any(has));
}

/// Whether one of `places`, which are sorted, is the place `key` or bears for it.
pub(super) fn has_place(surface: &Surface, places: &[Key], key: Key) -> bool {
    let has = |key: Key| places.binary_search(&key).is_ok();
    has(key) || faces_beside(surface, key).any(has)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::primitives;
    use crate::scenes;
    use crate::sim::Simulation;
    use glam::DVec3;

    /// The middle of a chord of a circle of radius r is `r - sqrt(r^2 - l^2 / 4)` inside it. Triangles of such a mesh
    /// are unequal: their longest edges turn by less than their share.
    #[test]
    fn a_sphere_comes_into_a_chord_as_deep_as_its_radius_says() {
        let mut surface = Surface::default();
        let sphere =
            primitives::Sphere { radius: 0.5, subdivisions: Some(4), ..Default::default() };
        let mesh = sphere.build().expect("a good sphere");
        surface.body_of_node.resize(mesh.positions.len(), 0);
        surface.add_body(&mesh, 0, 0, true);
        for arch in &surface.edge_arch {
            for length in [0.1, 0.2, 0.3] {
                let expected = 0.5 - f64::sqrt(0.25 - 0.25 * length * length);
                let found = arch.depth(length) / expected;
                assert!((0.6..1.6).contains(&found), "{length}: {found}");
            }
            // Over a single bend: two sides of a triangle with the rest of the turn between them.
            assert!(arch.depth(0.02) == 0.25 * 0.02 * arch.turn);
        }
    }

    #[test]
    fn borders_sharp_edges_and_what_deforms_are_not_smooth() {
        let mut surface = Surface::default();
        let cube = primitives::Box { size: DVec3::ONE, cells: Some([2; 3]), ..Default::default() };
        let mesh = cube.build().expect("a good box");
        surface.body_of_node.resize(2 * mesh.positions.len(), 0);
        surface.add_body(&mesh, 0, 0, true);
        let sharp = surface.edge_arch.iter().filter(|arch| arch.depth(0.01) > 1e-3).count();
        // Two on each of the twelve edges; all others lie in the six sides.
        assert_eq!(sharp, 24);
        let count = mesh.positions.len();
        let flat = |nodes: &[Arch]| nodes.iter().filter(|arch| arch.depth(0.01) < 1e-12).count();
        assert_eq!(flat(&surface.node_arch[..count]), 6);
        surface.add_body(&mesh, 1, count as u32, false);
        assert!(surface.node_arch[count..].iter().all(|arch| *arch == Arch::SHARP));
    }

    /// Of a vertex over a face near the face's edge there is one row, and none of edges on the smooth ball.
    #[test]
    fn what_lies_on_a_ball_presses_through_its_vertices() {
        let scene = scenes::sheet_on_ball(24);
        let simulation =
            Simulation::start(&scene).map_err(|p| format!("{p:?}")).unwrap().simulation;
        let (model, surface) = (&simulation.model, &simulation.model.surface);
        let (ball, sheet) = (surface.body_edges[0].start, surface.body_edges[1].start);
        let nodes = |edge: u32| surface.edges[edge as usize];
        let ([a, b], [c, d]) = (nodes(ball.min(sheet)), nodes(ball.max(sheet)));
        let kind = crate::sim::collision::candidates::Kind::EdgeEdge;
        let ids = [ball.min(sheet), ball.max(sheet)];
        let pair = Candidate { kind, nodes: [a, b, c, d], ids };
        let key = (1, ids[0], ids[1]);
        assert!(is_borne_at_corners(model, &pair, key, 0.02));
        assert!(!is_borne_at_corners(model, &pair, key, 0.002), "cells of 87 mm bend too far");
        let edge =
            (0..surface.edges.len() as u32).find(|e| surface.sides[*e as usize][1].is_some());
        let edge = edge.expect("an edge between two faces");
        let [Some(one), Some(other)] = surface.sides[edge as usize] else { unreachable!() };
        let far = surface.triangles.len() as u32 - 1;
        for (face, left) in [(one, 2), (other, 2), (far, 3)] {
            let mut places = vec![(0, 7, face), (1, 3, 4), (2, 7, edge)];
            leave_out_borne(surface, &mut places, |place| *place);
            assert_eq!(places.len(), left, "{face}");
            let rows = [(0, 7, face)];
            assert_eq!(has_place(surface, &rows, (2, 7, edge)), left == 2);
            assert!(!has_place(surface, &rows, (2, 8, edge)));
        }
    }
}
