//! Rigid bodies as four equal masses at the corners of a tetrahedron: with its centre on theirs and its
//! axes along the principal ones, they have the body's mass, centre and inertia, and every place of
//! the body is a weighted sum of them. So the solver knows points only.
//!
//! The corners stay where a rigid body has them: steps are sought among shifts and turns of them, and
//! each iterate is brought back to the nearest rigid pose.

use super::linear::bodies::Grip;
use super::model::Model;
use super::pose::Pose;
use super::potentials::svd::{eigen, nearest_rotation, nearest_rotation_from};
use crate::geometry::TriMesh;
use crate::math::outer;
use crate::scene::{Mass, Rigid as Settings};
use glam::{DMat3, DQuat, DVec3};

/// Largest turn that free flight takes in one go [rad].
const TURN: f64 = 0.05;

/// Corners of the tetrahedron.
const CORNERS: [DVec3; 4] = [
    DVec3::new(1.0, 1.0, 1.0),
    DVec3::new(1.0, -1.0, -1.0),
    DVec3::new(-1.0, 1.0, -1.0),
    DVec3::new(-1.0, -1.0, 1.0),
];

/// A rigid body.
#[derive(Clone, Debug)]
pub(crate) struct Rigid {
    /// Index of the body.
    pub(crate) body: usize,
    /// Its first control node; the other three follow.
    pub(crate) first: usize,
    /// Mass [kg].
    pub(crate) mass: f64,
    /// Centre of mass in the mesh's frame [m].
    pub(crate) center: DVec3,
    /// Principal axes in the mesh's frame.
    axes: DMat3,
    /// Radii of gyration along them: roots of the second moments over the mass [m].
    radii: DVec3,
}

impl Rigid {
    /// A body of a closed mesh (Mirtich 1996: moments as sums over cones of the triangles).
    pub(crate) fn new(body: usize, first: usize, mesh: &TriMesh, settings: &Settings) -> Self {
        let origin = mesh.positions[0];
        let (mut volume, mut once, mut twice) = (0.0, DVec3::ZERO, DMat3::ZERO);
        let square = |a: DVec3| outer(a, a);
        for t in &mesh.triangles {
            let [a, b, c] = t.map(|i| mesh.positions[i as usize] - origin);
            let cone = a.dot(b.cross(c)) / 6.0;
            let sum = a + b + c;
            volume += cone;
            once += sum * (cone / 4.0);
            twice += (square(sum) + square(a) + square(b) + square(c)) * (cone / 20.0);
        }
        let mean = once / volume;
        let (moments, mut axes) = eigen(&(twice * (1.0 / volume) - square(mean)));
        if axes.determinant() < 0.0 {
            axes.z_axis = -axes.z_axis;
        }
        let mass = match settings.mass {
            Mass::Density(density) => density * volume,
            Mass::Total(mass) => mass,
        };
        // A body as flat as rounding still has a tetrahedron.
        let least = 1e-12 * moments.max_element();
        let radii = moments.max(DVec3::splat(least)).map(f64::sqrt);
        Self { body, first, mass, center: mean + origin, axes, radii }
    }

    /// Its nodes.
    pub(crate) fn nodes(&self) -> std::ops::Range<usize> {
        self.first..self.first + 4
    }

    /// Its largest radius of gyration [m].
    pub(crate) fn largest_radius(&self) -> f64 {
        self.radii.max_element()
    }

    /// Weights of its nodes that make the mesh's point `p`.
    pub(crate) fn weights(&self, p: DVec3) -> [f64; 4] {
        let along = self.axes.transpose() * (p - self.center) / self.radii;
        CORNERS.map(|corner| 0.25 * (1.0 + corner.dot(along)))
    }

    /// Weights of its nodes that make the vector `v` of the mesh's frame.
    pub(crate) fn vector_weights(&self, v: DVec3) -> [f64; 4] {
        let along = self.axes.transpose() * v / self.radii;
        CORNERS.map(|corner| 0.25 * corner.dot(along))
    }

    /// Its inertia about the line through `place` (mesh's frame) along the unit `axis` [kg m2].
    pub(crate) fn inertia_about(&self, place: DVec3, axis: DVec3) -> f64 {
        let along = self.axes.transpose() * axis;
        let r = self.radii * self.radii;
        let own = along.length_squared() * (r.x + r.y + r.z) - (along * along * r).element_sum();
        let arm = place - self.center;
        self.mass * (own + (arm - axis * axis.dot(arm)).length_squared())
    }

    /// The inverse of its inertia about its centre, turned by `rotation` [1/(kg m2)].
    pub(crate) fn inverse_inertia(&self, rotation: DQuat) -> DMat3 {
        let turn = DMat3::from_quat(rotation) * self.axes;
        let moments = self.about() * self.mass;
        turn * DMat3::from_diagonal(moments.recip()) * turn.transpose()
    }

    /// Its inertia about its principal axes over its mass [m2].
    fn about(&self) -> DVec3 {
        let r = self.radii * self.radii;
        DVec3::new(r.y + r.z, r.z + r.x, r.x + r.y)
    }

    /// Its node `k` in the mesh's frame [m].
    fn corner(&self, k: usize) -> DVec3 {
        self.axes * (CORNERS[k] * self.radii) + self.center
    }

    /// Its nodes in the mesh's frame [m].
    pub(crate) fn local_corners(&self) -> [DVec3; 4] {
        std::array::from_fn(|k| self.corner(k))
    }

    /// Where its nodes are at `pose`.
    pub(crate) fn corners(&self, pose: &Pose) -> [DVec3; 4] {
        std::array::from_fn(|k| pose.place(self.corner(k)))
    }

    /// The pose nearest to its nodes at `x`, by least squares over their masses.
    pub(crate) fn fit(&self, x: &[DVec3]) -> Pose {
        let nodes = &x[self.nodes()];
        let center = (nodes[0] + nodes[1] + nodes[2] + nodes[3]) * 0.25;
        // Along the principal axes: the sums of what is there times the corners' signs.
        let mut axes = DMat3::ZERO;
        for (corner, p) in CORNERS.iter().zip(nodes) {
            axes += outer(*p - center, *corner);
        }
        let spread = axes * DMat3::from_diagonal(self.radii);
        let turn = nearest_rotation_from(&spread, self.frame(&axes))
            .unwrap_or_else(|| nearest_rotation(&spread));
        let rotation = DQuat::from_mat3(&(turn * self.axes.transpose())).normalize();
        Pose { translation: center - rotation * self.center, rotation }
    }

    /// A right-handed orthonormal frame with the two columns of `axes` that belong to the largest radii in
    /// its span.
    fn frame(&self, axes: &DMat3) -> DMat3 {
        let least = (0..3).fold(0, |m, k| if self.radii[k] < self.radii[m] { k } else { m });
        let (p, q) = ((least + 1) % 3, (least + 2) % 3);
        let first = axes.col(p).normalize_or(DVec3::X);
        let second = axes.col(q) - first * first.dot(axes.col(q));
        let second = second.normalize_or(first.any_orthonormal_vector());
        let mut frame = DMat3::ZERO;
        (*frame.col_mut(p), *frame.col_mut(q)) = (first, second);
        *frame.col_mut(least) = first.cross(second);
        frame
    }

    /// Puts its nodes to where they are at `pose`, and the vertices of its body.
    pub(crate) fn place(&self, model: &Model, pose: &Pose, x: &mut [DVec3]) {
        x[self.nodes()].copy_from_slice(&self.corners(pose));
        let turn = DMat3::from_quat(pose.rotation);
        for i in model.bodies[self.body].nodes.clone() {
            x[i] = turn * model.rest[i] + pose.translation;
        }
    }

    /// Velocities of its nodes at `x`, as those of one body: momentum and spin of what is in `v`.
    pub(crate) fn keep_rigid(&self, x: &[DVec3], v: &mut [DVec3]) {
        let motion = Motion::of(self, x, v);
        let turn = self.turn(x);
        let spin = self.spin(&turn, motion.angular);
        for (v, arm) in v[self.nodes()].iter_mut().zip(&motion.arms) {
            *v = motion.velocity + spin.cross(*arm);
        }
    }

    /// Axes in the world for nodes at `x`, where they stand as the body has them.
    pub(crate) fn turn(&self, x: &[DVec3]) -> DMat3 {
        let mut axes = DMat3::ZERO;
        for (corner, p) in CORNERS.iter().zip(&x[self.nodes()]) {
            axes += outer(*p, *corner);
        }
        self.frame(&axes)
    }

    /// Spin [rad/s] of an angular momentum about the centre [kg m2/s] with the axes at `turn`.
    fn spin(&self, turn: &DMat3, angular: DVec3) -> DVec3 {
        let moments = self.about() * self.mass;
        *turn * ((turn.transpose() * angular) / moments)
    }

    /// Where free flight brings its nodes in `h` seconds from `x` with velocities `v`: places and
    /// velocities. Momentum and angular momentum are kept to rounding; the turn is of fourth order
    /// (Celledoni, Marthinsen, Owren 2003, without commutators): near a spin about the middle axis, what
    /// a second order errs by in energy decides when it turns over.
    pub(crate) fn fly(&self, x: &[DVec3], v: &[DVec3], h: f64) -> [(DVec3, DVec3); 4] {
        let motion = Motion::of(self, x, v);
        let turn = DQuat::from_mat3(&self.turn(x)).normalize();
        let turn = self.flight(turn, motion.angular, h);
        let spin = |turn: DQuat| self.spin(&DMat3::from_quat(turn), motion.angular);
        let (center, last) = (motion.center + motion.velocity * h, spin(turn));
        CORNERS.map(|corner| {
            let arm = turn * (corner * self.radii);
            (center + arm, motion.velocity + last.cross(arm))
        })
    }

    /// Where free flight brings it in `h` seconds from a pose, with the velocity of its centre and its spin there.
    pub(crate) fn flown(&self, from: &Pose, velocity: DVec3, spin: DVec3, h: f64) -> Pose {
        let axes = DQuat::from_mat3(&self.axes);
        let turn = from.rotation * axes;
        let along = DMat3::from_quat(turn);
        let angular = along * ((along.transpose() * spin) * self.about() * self.mass);
        let rotation = (self.flight(turn, angular, h) * axes.inverse()).normalize();
        let center = from.place(self.center) + velocity * h;
        Pose { translation: center - rotation * self.center, rotation }
    }

    /// Its axes after a free flight of `h` seconds with an angular momentum [kg m2/s].
    fn flight(&self, axes: DQuat, angular: DVec3, h: f64) -> DQuat {
        let mut turn = axes;
        let spin = |turn: DQuat| self.spin(&DMat3::from_quat(turn), angular);
        let fastest = spin(turn).length();
        let parts = (fastest * h / TURN).ceil().clamp(1.0, 1000.0) as u32;
        let dt = h / f64::from(parts);
        let along = |spin: DVec3, turn: DQuat| (turned(spin * dt) * turn).normalize();
        for _ in 0..parts {
            let first = spin(turn);
            let half = along(first * 0.5, turn);
            let second = spin(half);
            let third = spin(along(second * 0.5, turn));
            let fourth = spin(along(third - first * 0.5, half));
            let both = (second + third) / 6.0;
            turn = along(both + first * 0.25 - fourth / 12.0, turn);
            turn = along(both - first / 12.0 + fourth * 0.25, turn);
        }
        turn
    }

    /// How its nodes at the rigid pose of `x` move with it.
    pub(crate) fn grip(&self, x: &[DVec3]) -> Grip {
        let turn = self.turn(x);
        let nodes = &x[self.nodes()];
        Grip {
            center: (nodes[0] + nodes[1] + nodes[2] + nodes[3]) * 0.25,
            arms: CORNERS.map(|corner| turn * (corner * self.radii)),
            turns: turn * DMat3::from_diagonal(self.about().map(|g| 1.0 / g.sqrt())),
        }
    }

    /// Motions of its nodes at the rigid pose of `x` that strain it, orthonormal: three stretches and
    /// three shears. What is orthogonal to them moves it as one.
    pub(crate) fn strains(&self, x: &[DVec3]) -> [[DVec3; 4]; 6] {
        let turn = self.turn(x);
        let mut modes = [[DVec3::ZERO; 4]; 6];
        for p in 0..3 {
            let q = (p + 1) % 3;
            let (a, b) = (self.radii[p], self.radii[q]);
            let size = 1.0 / (a * a + b * b).sqrt();
            for k in 0..4 {
                modes[p][k] = turn.col(p) * (0.5 * CORNERS[k][p]);
                let shear = turn.col(p) * (a * CORNERS[k][q]) + turn.col(q) * (b * CORNERS[k][p]);
                modes[3 + p][k] = shear * (0.5 * size);
            }
        }
        modes
    }

    /// Spin of the body with its nodes at `x` and velocities `v` [rad/s].
    pub(crate) fn spin_of(&self, x: &[DVec3], v: &[DVec3]) -> DVec3 {
        self.spin(&self.turn(x), Motion::of(self, x, v).angular)
    }
}

/// What the four masses do together.
struct Motion {
    center: DVec3,
    velocity: DVec3,
    /// From the centre to each [m].
    arms: [DVec3; 4],
    /// Angular momentum about the centre [kg m2/s].
    angular: DVec3,
}

impl Motion {
    fn of(rigid: &Rigid, x: &[DVec3], v: &[DVec3]) -> Self {
        let (x, v) = (&x[rigid.nodes()], &v[rigid.nodes()]);
        let mean = |a: &[DVec3]| (a[0] + a[1] + a[2] + a[3]) * 0.25;
        let (center, velocity) = (mean(x), mean(v));
        let arms: [DVec3; 4] = std::array::from_fn(|k| x[k] - center);
        let sum: DVec3 = (0..4).map(|k| arms[k].cross(v[k] - velocity)).sum();
        Self { center, velocity, arms, angular: sum * (0.25 * rigid.mass) }
    }
}

/// The turn by the vector `by` [rad].
fn turned(by: DVec3) -> DQuat {
    let angle = by.length();
    if angle < 1e-12 {
        return DQuat::from_xyzw(0.5 * by.x, 0.5 * by.y, 0.5 * by.z, 1.0).normalize();
    }
    let (sin, cos) = libm::sincos(0.5 * angle);
    let axis = by * (sin / angle);
    DQuat::from_xyzw(axis.x, axis.y, axis.z, cos)
}

/// Brings the nodes of all rigid bodies in `x` back to rigid poses, and all vertices that are carried with
/// them.
pub(crate) fn settle(model: &Model, x: &mut [DVec3]) {
    super::cage::follow(model, x);
    for rigid in &model.rigids {
        let pose = rigid.fit(x);
        rigid.place(model, &pose, x);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::primitives;

    fn brick() -> Rigid {
        let mesh = primitives::Box { size: DVec3::new(0.4, 0.2, 0.1), ..Default::default() };
        let settings = Settings { mass: Mass::Density(500.0), restitution: 0.0, hull: Vec::new() };
        let mesh = mesh.build().unwrap();
        let moved = TriMesh {
            positions: mesh.positions.iter().map(|p| *p + DVec3::new(1.0, 2.0, 3.0)).collect(),
            ..mesh
        };
        Rigid::new(0, 0, &moved, &settings)
    }

    /// A box of edges a, b, c has second moments m a^2 / 12 along each.
    #[test]
    fn a_box_has_its_mass_centre_and_inertia() {
        let brick = brick();
        assert!((brick.mass - 4.0).abs() < 1e-12);
        assert!(brick.center.distance(DVec3::new(1.0, 2.0, 3.0)) < 1e-12);
        let mut radii = brick.radii.to_array();
        radii.sort_by(f64::total_cmp);
        for (radius, edge) in radii.iter().zip([0.1, 0.2, 0.4]) {
            assert!((radius - edge / 12f64.sqrt()).abs() < 1e-12, "{radius} {edge}");
        }
        let p = DVec3::new(1.1, 1.95, 3.04);
        let corners = brick.corners(&Pose { translation: DVec3::ZERO, rotation: DQuat::IDENTITY });
        let sum: DVec3 = brick.weights(p).iter().zip(&corners).map(|(w, c)| *c * *w).sum();
        assert!(sum.distance(p) < 1e-12);
    }

    #[test]
    fn a_pose_is_found_again_and_flight_keeps_momentum() {
        let brick = brick();
        let turn = turned(DVec3::new(0.3, -1.0, 0.7));
        let pose = Pose { translation: DVec3::new(0.5, 0.1, -2.0), rotation: turn };
        let mut x = brick.corners(&pose).to_vec();
        let found = brick.fit(&x);
        assert!(found.translation.distance(pose.translation) < 1e-12);
        assert!(found.rotation.dot(turn).abs() > 1.0 - 1e-14);
        // About the middle axis a spin is unstable, and its momentum stays what it is.
        let center = x.iter().sum::<DVec3>() * 0.25;
        let spin = turn * DVec3::new(0.05, 12.0, 0.02);
        let mut v: Vec<DVec3> = x.iter().map(|p| DVec3::X + spin.cross(*p - center)).collect();
        let start = Motion::of(&brick, &x, &v).angular;
        let energy = |v: &[DVec3]| v.iter().map(|v| v.length_squared()).sum::<f64>();
        let before = energy(&v);
        let mut turned_over = false;
        for _ in 0..1200 {
            for (k, (place, velocity)) in brick.fly(&x, &v, 0.01).into_iter().enumerate() {
                (x[k], v[k]) = (place, velocity);
            }
            let up = brick.fit(&x).rotation * DVec3::Y;
            turned_over |= up.dot(turn * DVec3::Y) < -0.9;
        }
        assert!(Motion::of(&brick, &x, &v).angular.distance(start) < 1e-9 * start.length());
        assert!((energy(&v) / before - 1.0).abs() < 1e-3, "{}", energy(&v) / before);
        assert!(turned_over, "it should turn over within 12 s");
        let center = x.iter().sum::<DVec3>() * 0.25;
        assert!((center.x - brick.fit(&x).place(brick.center).x).abs() < 1e-9);
    }
}
