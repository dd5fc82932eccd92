//! Soft and rigid bodies to cells, masses and weights.

use super::Builder;
use super::cloth::mean;
use crate::geometry::TriMesh;
use crate::scene::{Rigid as RigidSettings, Soft};
use crate::sim::potentials::tet::{Tet, moduli, shape};
use crate::sim::rigid::Rigid;

impl Builder {
    pub(super) fn add_soft(&mut self, soft: &Soft, mesh: &TriMesh, first: u32) {
        let material = &soft.material;
        self.mass.resize(first as usize + mesh.positions.len(), 0.0);
        for t in &mesh.tets {
            let Some((gradient, volume)) = shape(t.map(|i| mesh.positions[i as usize])) else {
                continue;
            };
            let mass = 0.25 * volume * mean(&material.density, t);
            for &i in t {
                self.mass[(first + i) as usize] += mass;
            }
            let (mu, lambda) = moduli(mean(&material.young, t), material.poisson);
            self.tets.push(Tet {
                nodes: t.map(|i| first + i),
                gradient,
                volume,
                mu,
                lambda,
                damping: material.damping,
                slots: [0; 16],
            });
        }
    }

    pub(super) fn add_rigid(
        &mut self,
        body: usize,
        settings: &RigidSettings,
        mesh: &TriMesh,
        first: usize,
    ) {
        let rigid = Rigid::new(body, first, mesh, settings);
        self.mass.resize(first + 4, 0.25 * rigid.mass);
        for (node, corner) in rigid.nodes().zip(rigid.local_corners()) {
            self.rest[node] = corner;
        }
        self.carried.extend(mesh.positions.iter().map(|p| rigid.weights(*p)));
        self.rigids.push(rigid);
    }
}
