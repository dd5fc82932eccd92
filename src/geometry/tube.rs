//! The surface around a line: what is drawn of a rope.

use super::TriMesh;
use super::primitives::close_seam;
use glam::{DMat3, DQuat, DVec2, DVec3};
use std::f64::consts::{FRAC_PI_2, PI};

/// Corners of a ring around the line.
const SIDES: u32 = 12;

/// Rings of a round end, its tip left out.
const END_RINGS: u32 = 3;

/// Tubes with round ends around the pieces of a line. Rings are carried along without a twist.
#[derive(Clone, Debug)]
pub struct Tube {
    /// Radius [m].
    pub radius: f64,
    /// The vertices of each piece, in their order.
    chains: Vec<Vec<u32>>,
    /// The line at rest: a piece's first direction is where its rings' corners count from.
    rest: Vec<DVec3>,
    /// How far along it each vertex is, 0..1.
    along: Vec<f64>,
}

impl Tube {
    /// A tube around each piece of `line`.
    pub fn new(line: &TriMesh, radius: f64) -> Self {
        let along = line.uvs.iter().map(|uv| uv.y).collect();
        Self { radius, chains: line.chains(), rest: line.positions.clone(), along }
    }

    /// Triangles, texture coordinates (around, along), and the places at rest.
    pub fn mesh(&self) -> TriMesh {
        let mut mesh = TriMesh { positions: self.around(&self.rest), ..TriMesh::default() };
        let mut ends = Vec::new();
        for chain in &self.chains {
            let first = mesh.uvs.len() as u32;
            self.add(chain, &mut mesh);
            ends.extend([first, mesh.uvs.len() as u32 - 1]);
        }
        close_seam(&mut mesh, |i| ends.binary_search(&i).is_ok());
        mesh
    }

    /// Adds the triangles and texture coordinates around one piece.
    fn add(&self, chain: &[u32], mesh: &mut TriMesh) {
        let rings = chain.len() as u32 + 2 * END_RINGS;
        let first = mesh.uvs.len() as u32;
        let last = first + rings * SIDES + 1;
        let corner = |ring: u32, k: u32| first + 1 + ring * SIDES + k % SIDES;
        let triangles = &mut mesh.triangles;
        for k in 0..SIDES {
            triangles.push([first, corner(0, k + 1), corner(0, k)]);
            for ring in 1..rings {
                let [a, b] = [corner(ring - 1, k), corner(ring - 1, k + 1)];
                let [c, d] = [corner(ring, k), corner(ring, k + 1)];
                triangles.extend([[a, b, d], [a, d, c]]);
            }
            triangles.push([corner(rings - 1, k), corner(rings - 1, k + 1), last]);
        }
        let at = |vertex: usize| self.along.get(chain[vertex] as usize).copied().unwrap_or(0.0);
        let uvs = &mut mesh.uvs;
        uvs.push(DVec2::new(0.0, at(0)));
        for ring in 0..rings {
            let vertex = (ring.max(END_RINGS) - END_RINGS) as usize;
            let v = at(vertex.min(chain.len() - 1));
            uvs.extend((0..SIDES).map(|k| DVec2::new(f64::from(k) / f64::from(SIDES), v)));
        }
        uvs.push(DVec2::new(0.0, at(chain.len() - 1)));
    }

    /// Places of the tubes' vertices around the line at `line`, which has the vertices of the line at rest.
    pub fn around(&self, line: &[DVec3]) -> Vec<DVec3> {
        let own = |from: &[DVec3], chain: &[u32]| -> Vec<DVec3> {
            chain.iter().map(|v| from[*v as usize]).collect()
        };
        let pieces = self.chains.iter().map(|chain| (own(line, chain), own(&self.rest, chain)));
        pieces.flat_map(|(line, rest)| self.around_piece(&line, &rest)).collect()
    }

    fn around_piece(&self, line: &[DVec3], rest: &[DVec3]) -> Vec<DVec3> {
        let tangent = |i: usize| {
            let (before, after) = (i.saturating_sub(1), (i + 1).min(line.len() - 1));
            (line[after] - line[before]).normalize_or(DVec3::Y)
        };
        let at_rest = (rest[1] - rest[0]).normalize_or(DVec3::Y);
        // From the line at rest the first ring follows its direction by the shortest turn.
        let mut turn = shortest(at_rest, tangent(0)) * shortest(DVec3::Y, at_rest);
        let last = line.len() - 1;
        let tip = tangent(0);
        let mut places = vec![line[0] - tip * self.radius];
        let mut direction = tip;
        for i in 0..=last {
            let next = tangent(i);
            turn = (shortest(direction, next) * turn).normalize();
            direction = next;
            let axes = DMat3::from_quat(turn);
            let mut ring = |lift: f64, part: f64| {
                for k in 0..SIDES {
                    let (s, c) = libm::sincos(2.0 * PI * f64::from(k) / f64::from(SIDES));
                    let out = axes.x_axis * c - axes.z_axis * s;
                    places.push(line[i] + direction * lift + out * part);
                }
            };
            let end = |step: u32| {
                let angle = FRAC_PI_2 * f64::from(step) / f64::from(END_RINGS + 1);
                let (s, c) = libm::sincos(angle);
                (s * self.radius, c * self.radius)
            };
            if i == 0 {
                for step in (1..=END_RINGS).rev() {
                    let (lift, part) = end(step);
                    ring(-lift, part);
                }
            }
            ring(0.0, self.radius);
            if i == last {
                for step in 1..=END_RINGS {
                    let (lift, part) = end(step);
                    ring(lift, part);
                }
            }
        }
        places.push(line[last] + direction * self.radius);
        places
    }
}

/// The shortest turn from one direction to another; half a turn about any axis across for opposite ones.
fn shortest(from: DVec3, to: DVec3) -> DQuat {
    let cos = from.dot(to);
    if cos < -1.0 + 1e-12 {
        let across = from.any_orthonormal_vector();
        return DQuat::from_xyzw(across.x, across.y, across.z, 0.0);
    }
    let axis = from.cross(to);
    DQuat::from_xyzw(axis.x, axis.y, axis.z, 1.0 + cos).normalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tube_is_closed_looks_out_and_keeps_its_radius() {
        let line = |n: u32| -> Vec<DVec3> {
            let turn = |i: u32| f64::from(i) * 0.3;
            (0..n)
                .map(|i| DVec3::new(libm::cos(turn(i)), 0.1 * turn(i), libm::sin(turn(i))))
                .collect()
        };
        let straight = TriMesh {
            positions: (0..20).map(|i| DVec3::new(0.0, -0.3 * f64::from(i), 0.0)).collect(),
            lines: (1..20).map(|i| [i - 1, i]).collect(),
            ..TriMesh::default()
        };
        let tube = Tube::new(&straight, 0.05);
        let mesh = tube.mesh();
        assert_eq!(mesh.open_edge(), None);
        assert!(mesh.check().is_ok());
        // A cylinder of 12 sides has 3 r^2 l inside, and each end less than half a ball.
        let body = 3.0 * 0.05 * 0.05 * 5.7;
        assert!((body..body * 1.04).contains(&mesh.volume()), "{} {body}", mesh.volume());
        let bent = TriMesh { positions: tube.around(&line(20)), ..mesh };
        assert!(bent.volume() > 0.0);
        let ring = &bent.positions[1 + 8 * SIDES as usize..][..SIDES as usize];
        for p in ring {
            assert!((p.distance(line(20)[5]) - 0.05).abs() < 1e-12);
        }
        // Cut in two, it is two closed tubes.
        let cut = straight.cut(&[7], |_| 0.02).unwrap();
        let two = Tube::new(&cut.mesh, 0.05).mesh();
        assert_eq!(two.open_edge(), None);
        assert_eq!(two.positions.len(), straight.positions.len() * 12 + 12 + 2 * (6 * 12 + 2));
        assert!((body..body * 1.05).contains(&two.volume()), "{} {body}", two.volume());
    }
}
