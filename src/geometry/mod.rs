//! Triangle meshes, primitives, readers, topology, distances and exact intersection tests.

mod bvh;
mod closest;
mod convex;
mod cut;
mod embed;
mod hull;
mod join;
mod pieces;
pub mod predicates;
pub mod primitives;
pub mod read;
mod refined;
pub mod rig;
mod stuffing;
mod subdivide;
mod tet_faces;
mod transform;
mod tri_mesh;
mod tube;
mod weld;

pub use bvh::{Aabb, Bvh};
pub use closest::{Closest, closest_on_triangle};
pub use convex::{Gap, gap};
pub use cut::Cut;
pub use embed::Embedded;
pub(crate) use embed::weights_in;
pub use hull::hull;
pub use join::join;
pub use refined::Refined;
pub use stuffing::{Interior, lattice_points};
pub use transform::Placement;
pub(crate) use tri_mesh::bounds;
pub use tri_mesh::{HalfEdge, TriMesh};
pub use tube::Tube;
