//! Soft and rigid bodies to cells, masses and weights.

use super::Builder;
use super::cloth::mean;
use crate::geometry::TriMesh;
use crate::scene::{Rigid as RigidSettings, Soft, SoftMaterial};
use crate::sim::cage::Carried;
use crate::sim::potentials::matching::Matching;
use crate::sim::potentials::tet::{Tet, moduli, shape};
use crate::sim::rigid::Rigid;

impl Builder {
    /// The cells of the soft body `body`, whose nodes begin at `first`.
    pub(super) fn add_soft(&mut self, body: usize, soft: &Soft, mesh: &TriMesh, first: u32) {
        let own = first as usize..first as usize + mesh.positions.len();
        self.mass.resize(own.end, 0.0);
        for t in &mesh.tets {
            let Some((gradient, volume)) = shape(t.map(|i| mesh.positions[i as usize])) else {
                continue;
            };
            let mass = 0.25 * volume * mean(soft.material.density(), t);
            for &i in t {
                self.mass[(first + i) as usize] += mass;
            }
            let SoftMaterial::Elastic(elastic) = &soft.material else { continue };
            let (mu, lambda) = moduli(mean(&elastic.young, t), elastic.poisson);
            self.tets.push(Tet {
                nodes: t.map(|i| first + i),
                gradient,
                volume,
                mu,
                lambda,
                damping: elastic.damping,
                plastic: elastic.plastic,
            });
        }
        if let SoftMaterial::ShapeMatching(settings) = &soft.material {
            let mass = self.mass[own.clone()].to_vec();
            self.matchings.push(Matching::new(body, own.start, mass, &mesh.positions, settings));
            self.touching.extend(mesh.triangles.iter().map(|t| t.map(|i| first + i).to_vec()));
        }
    }

    /// A surface that the cells of `mesh`, whose nodes begin at `first`, carry.
    pub(super) fn add_surface(&mut self, mesh: &TriMesh, first: u32, surface: &TriMesh) {
        let own = first as usize..first as usize + mesh.positions.len();
        self.rest[own].copy_from_slice(&mesh.positions);
        let carried: Vec<Carried> = mesh
            .embed(&surface.positions)
            .into_iter()
            .map(|p| Carried { nodes: mesh.tets[p.tet].map(|i| first + i), weights: p.weights })
            .collect();
        for t in &surface.triangles {
            let mut group: Vec<u32> = t.iter().flat_map(|i| carried[*i as usize].nodes).collect();
            group.sort_unstable();
            group.dedup();
            self.touching.push(group);
        }
        self.carried.extend(carried);
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
        let nodes = std::array::from_fn(|k| (first + k) as u32);
        let carried = |p| Carried { nodes, weights: rigid.weights(p) };
        self.carried.extend(mesh.positions.iter().copied().map(carried));
        self.rigids.push(rigid);
    }
}
