//! Tetrahedra in a closed surface: isosurface stuffing (Labelle and Shewchuk 2007).
//!
//! A body-centred cubic lattice is laid over the surface. Where the surface crosses an edge near one of
//! its ends, that end is moved onto it; what is then still crossed is cut off. So every vertex of the new
//! surface lies on the old one, and no cell is flat or inside out: a test goes through all warps.

mod cells;
mod inside;
mod lattice;

use super::TriMesh;
use super::tet_faces::{boundary, pieces};
use crate::diagnostics::Diagnostic;
use cells::Side;
use glam::DVec3;
use inside::Inside;
use lattice::Lattice;

/// Parts of a long and of a short edge within which its crossing moves the end onto the surface: the safe
/// ones of section 4 of the paper.
const LONG: f64 = 0.215_09;
const SHORT: f64 = 0.359_00;

/// Part of an edge that a cut keeps from an end that is not moved.
const LEAST_CUT: f64 = 0.1;

/// Passes after which no point is moved any more, so that the surface is certainly without pinches.
const MOST_PASSES: u32 = 12;

/// Points that the lattice for a surface in a box of `size` has, about.
pub fn lattice_points(size: DVec3, spacing: f64) -> f64 {
    2.0 * lattice::cells(size, spacing).element_product()
}

/// What lies inside a closed surface.
pub struct Interior<'a>(Inside<'a>);

impl<'a> Interior<'a> {
    /// Of a closed mesh, facing either way. Where parts of it overlap, both are inside.
    pub fn of(mesh: &'a TriMesh) -> Self {
        let (low, high) = mesh.bounds();
        Self(Inside::new(mesh, ((high - low).max_element() / 32.0).max(f64::MIN_POSITIVE)))
    }

    /// Whether `p` is inside: exact but for points on the surface, which may be either.
    pub fn holds(&self, p: DVec3) -> bool {
        self.0.holds(p, &self.0.hits(p))
    }
}

impl TriMesh {
    /// The inside of a closed surface as tetrahedra with edges of about `spacing` [m], in lattice order. The
    /// vertices of the new surface lie on the old one; sharp edges and corners of it are cut off (those of
    /// boxes by up to 0.8 of the spacing), and parts thinner than `spacing` may be lost. Errors: an open edge, no inside, or a mesh that falls to pieces because
    /// parts of the surface are too thin.
    pub fn tetrahedralized(&self, spacing: f64) -> Result<Self, Diagnostic> {
        if !(spacing.is_finite() && spacing > 0.0) {
            return Err(Diagnostic::error(format!("`spacing` must be above 0, it is {spacing}")));
        }
        if let Some(edge) = self.open_edge() {
            let [a, b] = edge.map(|i| self.positions[i as usize]);
            let middle = (a + b) * 0.5;
            let message = format!(
                "the mesh is not closed: it has an open edge at ({:.3}, {:.3}, {:.3}), between \
                 vertices {} and {} (counted from 0)",
                middle.x, middle.y, middle.z, edge[0], edge[1]
            );
            let hint = "only what has an inside can be filled: close the hole, or give an open box \
                        a `wall`";
            return Err(Diagnostic::error(message).hint(hint));
        }
        let mesh = Stuffing::new(self, spacing).fill();
        if mesh.tets.is_empty() {
            let message = format!("nothing of the mesh is as thick as a `spacing` of {spacing} m");
            return Err(Diagnostic::error(message).hint("take a smaller `spacing`"));
        }
        let (before, after) = (
            pieces(&self.triangles, self.positions.len()),
            pieces(&mesh.tets, mesh.positions.len()),
        );
        if after > before {
            let message =
                format!("the mesh falls into {after} pieces at a `spacing` of {spacing} m");
            let hint = "parts of it are too thin: take a smaller `spacing`";
            return Err(Diagnostic::error(message).hint(hint));
        }
        Ok(mesh)
    }
}

/// Where the surface crosses an edge of the lattice.
struct Crossing {
    /// Numbers of the end inside and of the one outside.
    ends: [u32; 2],
    /// Part of the way from the first to the second.
    part: f64,
    is_long: bool,
}

struct Stuffing {
    lattice: Lattice,
    places: Vec<DVec3>,
    inside: Vec<bool>,
    /// Sorted by their ends.
    crossings: Vec<Crossing>,
    /// Crossings of the edges at each point.
    at: Vec<Vec<u32>>,
}

impl Stuffing {
    fn new(surface: &TriMesh, spacing: f64) -> Self {
        let (low, high) = surface.bounds();
        let lattice = Lattice::new(low, high, spacing);
        let solid = Inside::new(surface, spacing);
        let mut places = vec![DVec3::ZERO; lattice.count()];
        let mut inside = vec![false; places.len()];
        for (first, count) in lattice.rows() {
            let hits = solid.hits(lattice.place(first));
            for k in 0..count {
                let at = first + glam::IVec3::new(2 * k, 0, 0);
                let number = lattice.number(at).expect("a point of a row");
                places[number] = lattice.place(at);
                inside[number] = !hits.is_empty() && solid.holds(places[number], &hits);
            }
        }
        let mut crossings = Vec::new();
        lattice.edges(|a, b, is_long| {
            let ends = [a, b].map(|p| lattice.number(p).expect("an end of an edge"));
            let [a, b] = if inside[ends[0]] { ends } else { [ends[1], ends[0]] };
            if inside[a] && !inside[b] {
                let part = solid.leaves(places[a], places[b]);
                crossings.push(Crossing { ends: [a as u32, b as u32], part, is_long });
            }
        });
        crossings.sort_unstable_by_key(|c| c.ends);
        let mut at = vec![Vec::new(); places.len()];
        for (number, crossing) in (0..).zip(&crossings) {
            for end in crossing.ends {
                at[end as usize].push(number);
            }
        }
        Self { lattice, places, inside, crossings, at }
    }

    /// Fills the surface; points at which the result would touch itself are not moved the next time.
    fn fill(&self) -> TriMesh {
        let mut stays = vec![false; self.places.len()];
        for pass in 0.. {
            let (mesh, origin) = self.fill_with(&stays);
            let pinched = cells::pinched(&mesh);
            if pinched.is_empty() || pass == MOST_PASSES {
                return mesh;
            }
            if pass + 1 == MOST_PASSES {
                stays.fill(true);
            }
            for vertex in pinched {
                if let Some(point) = origin[vertex as usize] {
                    stays[point as usize] = true;
                }
            }
        }
        unreachable!("the last pass returns")
    }

    /// The mesh where points that `stays` names are not moved, and the lattice point that each vertex is.
    fn fill_with(&self, stays: &[bool]) -> (TriMesh, Vec<Option<u32>>) {
        let mut places = self.places.clone();
        let mut sides: Vec<Side> =
            self.inside.iter().map(|i| if *i { Side::Inside } else { Side::Outside }).collect();
        for point in 0..places.len() {
            if !stays[point]
                && let Some(to) = self.goes_to(point, &sides)
            {
                places[point] = to;
                sides[point] = Side::On;
            }
        }
        let mut mesh = TriMesh::default();
        let mut origin = Vec::new();
        let mut number = vec![u32::MAX; places.len()];
        let mut cut_number = vec![u32::MAX; self.crossings.len()];
        let mut tets: Vec<[u32; 4]> = Vec::new();
        let count = places.len() as u32;
        self.lattice.tets(|t| {
            let t = t.map(|p| self.lattice.number(p).expect("a corner of a tetrahedron"));
            let cut = |inner: u32, outer: u32| {
                let found = self.crossings.binary_search_by_key(&[inner, outer], |c| c.ends);
                count + found.expect("the edge is crossed") as u32
            };
            cells::add(t.map(|i| (i as u32, sides[i])), cut, |tet| tets.push(tet));
        });
        for tet in tets {
            let tet = tet.map(|i| {
                let own = match i.checked_sub(count) {
                    None => &mut number[i as usize],
                    Some(crossing) => &mut cut_number[crossing as usize],
                };
                if *own == u32::MAX {
                    *own = mesh.positions.len() as u32;
                    let crossing = i.checked_sub(count).map(|c| &self.crossings[c as usize]);
                    mesh.positions.push(match crossing {
                        None => places[i as usize],
                        Some(c) => self.cut_place(c),
                    });
                    origin.push((i < count).then_some(i));
                }
                *own
            });
            mesh.tets.push(tet);
        }
        for tet in &mut mesh.tets {
            cells::right_side_out(tet, &mesh.positions);
        }
        mesh.triangles = boundary(&mesh.tets);
        (mesh, origin)
    }

    /// The nearest crossing that a point is to be moved onto. Edges to points that have been moved are
    /// crossed there.
    fn goes_to(&self, point: usize, sides: &[Side]) -> Option<DVec3> {
        let mut nearest: Option<(f64, DVec3)> = None;
        for crossing in self.at[point].iter().map(|c| &self.crossings[*c as usize]) {
            let [a, b] = crossing.ends.map(|i| i as usize);
            if sides[a] == Side::On || sides[b] == Side::On {
                continue;
            }
            let from_here = if a == point { crossing.part } else { 1.0 - crossing.part };
            if from_here < if crossing.is_long { LONG } else { SHORT } {
                let place = self.places[a].lerp(self.places[b], crossing.part);
                let distance = place.distance(self.places[point]);
                if nearest.is_none_or(|(least, _)| distance < least) {
                    nearest = Some((distance, place));
                }
            }
        }
        nearest.map(|(_, place)| place)
    }

    fn cut_place(&self, crossing: &Crossing) -> DVec3 {
        let [a, b] = crossing.ends.map(|i| self.places[i as usize]);
        a.lerp(b, crossing.part.clamp(LEAST_CUT, 1.0 - LEAST_CUT))
    }
}

#[cfg(test)]
mod tests;
