//! Triangle meshes, primitives, readers, topology, distances and exact intersection tests.

mod bvh;
mod closest;
mod join;
pub mod predicates;
pub mod primitives;
pub mod read;
mod subdivide;
mod transform;
mod tri_mesh;

pub use bvh::{Aabb, Bvh};
pub use closest::{Closest, closest_on_triangle};
pub use join::join;
pub use transform::Placement;
pub use tri_mesh::TriMesh;
