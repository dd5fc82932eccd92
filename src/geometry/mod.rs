//! Triangle meshes, primitives, readers, topology, distances and exact intersection tests.

mod closest;
mod join;
pub mod primitives;
pub mod read;
mod subdivide;
mod transform;
mod tri_mesh;

pub use closest::{Closest, closest_on_triangle};
pub use join::join;
pub use transform::Placement;
pub use tri_mesh::TriMesh;
