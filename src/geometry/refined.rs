//! Finer and thicker surfaces that follow a mesh: what is drawn and written in its place.

use super::TriMesh;
use glam::{DVec2, DVec3};
use std::collections::BTreeMap;
use std::f64::consts::PI;

/// A smoothly subdivided mesh with a thickness, whose places are found again for each frame of the mesh.
#[derive(Clone, Debug)]
pub struct Refined {
    levels: Vec<Level>,
    surface: TriMesh,
    thickness: f64,
    /// Edges of one triangle: the triangle, and which of its corners comes first.
    rim: Vec<(u32, u8)>,
}

/// Where the vertices of one subdivision lie: weighted sums of those of the mesh before.
#[derive(Clone, Debug)]
struct Level {
    sums: Vec<Vec<(u32, f64)>>,
}

impl Refined {
    /// `mesh` subdivided `times` (Loop 1987: the surface grows smooth, edges of one triangle stay curves),
    /// then made `thickness` thick, half to each side; 0 leaves it a mere surface [m].
    pub fn new(mesh: &TriMesh, times: u32, thickness: f64) -> Self {
        let mut surface = TriMesh { tets: Vec::new(), maps: BTreeMap::new(), ..mesh.clone() };
        let mut levels = Vec::new();
        for _ in 0..times {
            let (level, finer) = Level::of(&surface);
            levels.push(level);
            surface = finer;
        }
        let mut sides: BTreeMap<[u32; 2], (u32, (u32, u8))> = BTreeMap::new();
        for (number, &[a, b, c]) in (0..).zip(&surface.triangles) {
            for (corner, [a, b]) in (0..).zip([[a, b], [b, c], [c, a]]) {
                sides.entry([a.min(b), a.max(b)]).or_insert((0, (number, corner))).0 += 1;
            }
        }
        let rim = sides.into_values().filter(|(count, _)| *count == 1).map(|(_, e)| e).collect();
        Self { levels, surface, thickness, rim }
    }

    /// Its triangles and texture coordinates, and the places at rest.
    pub fn mesh(&self) -> TriMesh {
        let mut mesh = TriMesh { grid: None, ..self.surface.clone() };
        if self.thickness > 0.0 {
            let n = mesh.positions.len() as u32;
            let back = self.surface.triangles.iter().map(|&[a, b, c]| [a + n, c + n, b + n]);
            mesh.triangles.extend(back);
            mesh.uvs.extend_from_within(..);
            let front = self.surface.triangles.len() as u32;
            let back = self.surface.seams.iter().map(|(t, [a, b, c])| (t + front, [*a, *c, *b]));
            mesh.seams.extend(back);
            for &(t, corner) in &self.rim {
                let (t, k) = (t as usize, corner as usize);
                let [a, b] = [k, (k + 1) % 3].map(|k| self.surface.triangles[t][k]);
                mesh.triangles.extend([[a, a + n, b + n], [a, b + n, b]]);
                if let Some(uvs) = self.surface.seams.get(&(t as u32)) {
                    let (a, b, last) = (uvs[k], uvs[(k + 1) % 3], mesh.triangles.len() - 1);
                    mesh.set_corner_uvs(last - 1, [a, a, b]);
                    mesh.set_corner_uvs(last, [a, b, b]);
                }
            }
            mesh.positions = self.thickened(&self.surface.positions);
        }
        mesh
    }

    /// Places of its vertices where those of the mesh that it was made of lie at `positions`.
    pub fn around(&self, positions: &[DVec3]) -> Vec<DVec3> {
        let mut places = positions.to_vec();
        for level in &self.levels {
            places = level.places(&places);
        }
        if self.thickness > 0.0 { self.thickened(&places) } else { places }
    }

    fn thickened(&self, places: &[DVec3]) -> Vec<DVec3> {
        let normals = self.surface.vertex_normals(places);
        let side = |by: f64| places.iter().zip(&normals).map(move |(p, n)| *p + *n * by);
        side(0.5 * self.thickness).chain(side(-0.5 * self.thickness)).collect()
    }
}

impl Level {
    /// One subdivision of `mesh`: vertices keep their numbers, edges' come after them.
    fn of(mesh: &TriMesh) -> (Self, TriMesh) {
        let old = mesh.positions.len() as u32;
        let mut edges: BTreeMap<[u32; 2], Vec<u32>> = BTreeMap::new();
        for &[a, b, c] in &mesh.triangles {
            for [a, b, opposite] in [[a, b, c], [b, c, a], [c, a, b]] {
                edges.entry([a.min(b), a.max(b)]).or_default().push(opposite);
            }
        }
        let mut around: Vec<Vec<u32>> = vec![Vec::new(); old as usize];
        let mut border = around.clone();
        for ([a, b], opposite) in &edges {
            for (vertex, other) in [(*a, *b), (*b, *a)] {
                around[vertex as usize].push(other);
                if opposite.len() != 2 {
                    border[vertex as usize].push(other);
                }
            }
        }
        let vertex = |i: u32| {
            let (around, border) = (&around[i as usize], &border[i as usize]);
            match border[..] {
                [] if around.len() > 2 => {
                    let n = around.len() as f64;
                    let bend = 0.375 + 0.25 * libm::cos(2.0 * PI / n);
                    let part = (0.625 - bend * bend) / n;
                    let others = around.iter().map(|other| (*other, part));
                    std::iter::once((i, 1.0 - n * part)).chain(others).collect()
                }
                [a, b] if leads_on(mesh, a, i, b) => vec![(i, 0.75), (a, 0.125), (b, 0.125)],
                // A corner, or where more than one sheet meets: it stays.
                _ => vec![(i, 1.0)],
            }
        };
        let middle = |([a, b], opposite): (&[u32; 2], &Vec<u32>)| match opposite[..] {
            [c, d] => vec![(*a, 0.375), (*b, 0.375), (c, 0.125), (d, 0.125)],
            _ => vec![(*a, 0.5), (*b, 0.5)],
        };
        let level = Self { sums: (0..old).map(vertex).chain(edges.iter().map(middle)).collect() };
        let number: BTreeMap<[u32; 2], u32> = edges.keys().copied().zip(old..).collect();
        let of = |a: u32, b: u32| number[&[a.min(b), a.max(b)]];
        let split = |&[a, b, c]: &[u32; 3]| {
            let (ab, bc, ca) = (of(a, b), of(b, c), of(c, a));
            [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
        };
        let mut uvs: Vec<DVec2> = mesh.uvs.clone();
        if !uvs.is_empty() {
            let half = |[a, b]: &[u32; 2]| (mesh.uvs[*a as usize] + mesh.uvs[*b as usize]) * 0.5;
            uvs.extend(edges.keys().map(half));
        }
        let mut finer = TriMesh {
            positions: level.places(&mesh.positions),
            triangles: mesh.triangles.iter().flat_map(split).collect(),
            uvs,
            ..TriMesh::default()
        };
        mesh.split_seams(&mut finer);
        (level, finer)
    }

    fn places(&self, before: &[DVec3]) -> Vec<DVec3> {
        let sum =
            |parts: &Vec<(u32, f64)>| parts.iter().map(|(i, w)| before[*i as usize] * *w).sum();
        self.sums.iter().map(sum).collect()
    }
}

/// Whether the border from `a` over `i` to `b` goes on rather than turns a corner, by less than 45 degrees.
fn leads_on(mesh: &TriMesh, a: u32, i: u32, b: u32) -> bool {
    let [a, p, b] = [a, i, b].map(|v| mesh.positions[v as usize]);
    let cos = (p - a).normalize_or_zero().dot((b - p).normalize_or_zero());
    cos > std::f64::consts::FRAC_1_SQRT_2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::primitives::{Grid, Sphere};

    /// Loop's weights keep planes and straight borders; thickness adds its own volume.
    #[test]
    fn a_flat_sheet_stays_flat_and_gets_its_volume() {
        let grid = Grid { size: [2.0, 1.0], vertices: Some([5, 4]), ..Grid::default() };
        let mesh = grid.build().unwrap();
        let refined = Refined::new(&mesh, 2, 0.01);
        let shown = refined.mesh();
        assert_eq!(shown.open_edge(), None);
        assert_eq!(shown.triangles.len(), 2 * 16 * mesh.triangles.len() + 2 * 4 * 14);
        // Corners stay, so that the area is that of the sheet.
        assert!((shown.volume() - 0.02).abs() < 1e-12, "{}", shown.volume());
        assert_eq!(refined.around(&mesh.positions), shown.positions);
        assert_eq!(shown.uvs.len(), shown.positions.len());
    }

    #[test]
    fn a_coarse_ball_grows_round() {
        let mesh = Sphere { subdivisions: Some(1), ..Sphere::default() }.build().unwrap();
        let fine = Refined::new(&mesh, 3, 0.0).mesh();
        let radii: Vec<f64> = fine.positions.iter().map(|p| p.length()).collect();
        let (low, high) = radii.iter().fold((f64::MAX, 0.0f64), |(l, h), r| (l.min(*r), h.max(*r)));
        // A quarter of what the middles of the coarse triangles lie below their corners.
        let middles = mesh.triangles.iter().map(|t| t.map(|i| mesh.positions[i as usize]));
        let lowest = middles.fold(f64::MAX, |l, [a, b, c]| l.min((a + b + c).length() / 3.0));
        let below = 1.0 - lowest / mesh.positions[0].length();
        assert!(1.0 - low / high < 0.25 * below, "{low} {high} {below}");
        assert_eq!(fine.open_edge(), None);
    }
}
