//! Triangle meshes, primitives, readers, topology, distances and exact intersection tests.

mod tri_mesh;

pub use tri_mesh::TriMesh;
