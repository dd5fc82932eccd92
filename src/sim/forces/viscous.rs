//! Moving air on the points of a cloth (Carvalho 2012, equation 4.6): `C [n . (u - v)] n` on each, with n
//! the unit normal of the surface there and u the velocity of the air.

use crate::sim::model::Model;
use glam::DVec3;

/// The points of one cloth at places `x` [m] with velocities `v` [m/s].
pub(super) struct Points<'a> {
    pub(super) model: &'a Model,
    pub(super) x: &'a [DVec3],
    pub(super) v: &'a [DVec3],
    pub(super) body: usize,
}

impl Points<'_> {
    /// Adds the push of air with the velocity `air(place)`, of viscosity `c` [N s/m]. Each force is
    /// reduced as an implicit step of `h` would.
    pub(super) fn push(
        &self,
        c: f64,
        air: impl Fn(DVec3) -> DVec3,
        h: impl Fn(usize) -> f64,
        acceleration: &mut [DVec3],
    ) {
        let nodes = self.model.bodies[self.body].nodes.clone();
        for (i, normal) in nodes.clone().zip(self.normals()) {
            let mass = self.model.mass[i];
            if mass > 0.0 {
                let through = normal.dot(air(self.x[i]) - self.v[i]);
                acceleration[i] += normal * (c * through / (mass + h(i) * c));
            }
        }
    }

    /// Unit normals: the sum of the triangles' around each point, weighted by area; zero without any.
    fn normals(&self) -> Vec<DVec3> {
        let (surface, nodes) = (&self.model.surface, &self.model.bodies[self.body].nodes);
        let range = surface.body_triangles[self.body].clone();
        let mut normals = vec![DVec3::ZERO; nodes.len()];
        for t in &surface.triangles[range.start as usize..range.end as usize] {
            let [a, b, c] = t.map(|i| self.x[i as usize]);
            let normal = (b - a).cross(c - a);
            for i in t {
                normals[*i as usize - nodes.start] += normal;
            }
        }
        normals.into_iter().map(DVec3::normalize_or_zero).collect()
    }
}
