//! Bodies as meshes.
//!
//! Alembic's faces go round clockwise, seen from outside: corners of triangles, and what they have,
//! stand from last to first.

use super::ogawa::Store;
use super::property::{Kind, Numbers, Object, Pod, Property, Track};
use super::stage::Placing;
use crate::diagnostics::Diagnostic;
use crate::export::shot::{Moment, Moves, Shot};
use crate::export::streamed::Stopped;
use crate::export::surface::{Surface, bounds, smooth_normals};
use crate::export::texture::Texture;
use crate::frames::BodyState;
use crate::geometry::TriMesh;
use glam::{DQuat, Vec3};
use std::io;

const MESH: &str = "schema=AbcGeom_PolyMesh_v1;schemaBaseType=AbcGeom_GeomBase_v1;\
                    schemaObjTitle=AbcGeom_PolyMesh_v1:.geom";
const MESH_SCHEMA: &str = "schema=AbcGeom_PolyMesh_v1;schemaBaseType=AbcGeom_GeomBase_v1";
const BOUNDS: Kind = Kind::scalar(".selfBnds", Pod::F64, 6).meaning("interpretation=box");
const POINTS: Kind = Kind::array("P", Pod::F32, 3).meaning("geoScope=vtx;interpretation=point");
const CORNERS: Kind = Kind::array(".faceIndices", Pod::I32, 1);
const COUNTS: Kind = Kind::array(".faceCounts", Pod::I32, 1);
const VERTEX_NORMALS: Kind = Kind::array("N", Pod::F32, 3).meaning(
    "arrayExtent=1;geoScope=vtx;interpretation=normal;isGeomParam=true;podExtent=3;podName=float32_t",
);
const CORNER_NORMALS: Kind = Kind::array("N", Pod::F32, 3).meaning(
    "arrayExtent=1;geoScope=fvr;interpretation=normal;isGeomParam=true;podExtent=3;podName=float32_t",
);
const UV: &str = "arrayExtent=1;geoScope=fvr;interpretation=vector;isGeomParam=true;podExtent=2;podName=float32_t";
const UV_VALUES: Kind = Kind::array(".vals", Pod::F32, 2).meaning(UV);
const UV_NUMBERS: Kind = Kind::array(".indices", Pod::U32, 1);
const VISIBLE: Kind = Kind::scalar("visible", Pod::I8, 1);

const FACE_SET: &str = "schema=AbcGeom_FaceSet_v1;schemaBaseType=AbcGeom_GeomBase_v1;\
                        schemaObjTitle=AbcGeom_FaceSet_v1:.faceset";
const FACE_SET_SCHEMA: &str = "schema=AbcGeom_FaceSet_v1;schemaBaseType=AbcGeom_GeomBase_v1";
const FACES: Kind = Kind::array(".faces", Pod::I32, 1);

/// A body that becomes a mesh.
pub(super) struct Mesh {
    body: usize,
    /// Whether the frames tell the place of every vertex, else one of the whole.
    deforms: bool,
    placing: Placing,
    bounds: Track,
    points: Track,
    normals: Track,
    /// What is the same in all frames.
    fixed: Vec<Property>,
    faces: Track,
    visible: Option<Track>,
}

impl Mesh {
    /// What is the same in all frames of body `body`.
    pub(super) fn new(
        store: &mut dyn Store,
        shot: &Shot<'_>,
        first: &Moment,
        body: usize,
    ) -> Result<Self, Stopped> {
        let (mesh, entity) = (shot.scene.mesh_of(body), shot.body(body));
        check_size(&entity.name, mesh.positions.len(), mesh.triangles.len())?;
        let is_posed = matches!(first.bodies[body], BodyState::Posed { .. });
        let deforms = !is_posed || shot.moves(body) == Moves::Deforming;
        let counts = vec![3; mesh.triangles.len()];
        let faces: Vec<i32> = (0..mesh.triangles.len() as i32).collect();
        let fixed = [
            Track::fixed(store, CORNERS, Numbers::Ints(&backwards(&mesh.triangles)))?,
            Track::fixed(store, COUNTS, Numbers::Ints(&counts))?,
        ];
        let mut this = Self {
            body,
            deforms,
            placing: Placing::new(),
            bounds: Track::new(BOUNDS),
            points: Track::new(POINTS),
            normals: Track::new(if deforms { VERTEX_NORMALS } else { CORNER_NORMALS }),
            fixed: fixed.into_iter().map(Property::Values).collect(),
            faces: Track::fixed(store, FACES, Numbers::Ints(&faces))?,
            visible: entity.comes_or_goes().then(|| Track::new(VISIBLE)),
        };
        if let Some(uvs) = texture(store, mesh)? {
            this.fixed.push(uvs);
        }
        if deforms {
            this.placing = Placing::at_origin(store)?;
        } else {
            let places: Vec<[f32; 3]> =
                mesh.positions.iter().map(|p| p.as_vec3().to_array()).collect();
            let mut normals = Surface::creased(mesh, &places).corner_normals();
            for corners in normals.chunks_exact_mut(3) {
                corners.reverse();
            }
            this.shape(store, &places, &normals)?;
        }
        Ok(this)
    }

    /// Index of the body.
    pub(super) fn body(&self) -> usize {
        self.body
    }

    /// Adds what a moment tells of the body.
    pub(super) fn key(
        &mut self,
        store: &mut dyn Store,
        shot: &Shot<'_>,
        moment: &Moment,
    ) -> Result<(), Stopped> {
        let (mesh, entity) = (shot.scene.mesh_of(self.body), shot.body(self.body));
        match &moment.bodies[self.body] {
            state if self.deforms => {
                let places = state.world_positions(&mesh.positions);
                let normals = smooth_normals(mesh, &places);
                self.shape(store, &places, &normals)?;
            }
            BodyState::Posed { translate, rotate } => {
                let turn = DQuat::from_array(rotate.map(f64::from)).normalize();
                let pose = (Vec3::from_array(*translate).as_dvec3(), turn);
                self.placing.key(store, pose)?;
            }
            BodyState::Deformed { .. } => {
                let message = format!("frame {} is not of this scene", moment.at);
                return Err(Diagnostic::error(message).into());
            }
        }
        if let Some(visible) = &mut self.visible {
            visible.key(store, Numbers::Bytes(&[u8::from(entity.is_there(moment.time))]))?;
        }
        Ok(())
    }

    fn shape(
        &mut self,
        store: &mut dyn Store,
        places: &[[f32; 3]],
        normals: &[[f32; 3]],
    ) -> io::Result<()> {
        let corners: Vec<f64> =
            bounds(places).as_flattened().iter().map(|x| f64::from(*x)).collect();
        self.bounds.key(store, Numbers::Doubles(&corners))?;
        self.points.key(store, Numbers::Floats(places.as_flattened()))?;
        self.normals.key(store, Numbers::Floats(normals.as_flattened()))
    }

    /// The object called `name`: a place, below it the mesh, and below that all of its faces as the set
    /// of a material.
    pub(super) fn object(
        self,
        store: &mut dyn Store,
        name: String,
        material: String,
    ) -> io::Result<Object> {
        let faces = Property::Compound {
            name: ".faceset",
            meta: FACE_SET_SCHEMA,
            properties: vec![Property::Values(self.bounds.clone()), Property::Values(self.faces)],
        };
        let faces = Object {
            name: material,
            meta: FACE_SET,
            properties: vec![faces],
            children: Vec::new(),
        };
        let mut properties = vec![Property::Values(self.bounds), Property::Values(self.points)];
        properties.extend(self.fixed);
        properties.push(Property::Values(self.normals));
        let geometry = Property::Compound { name: ".geom", meta: MESH_SCHEMA, properties };
        let mesh = Object {
            name: format!("{name}Shape"),
            meta: MESH,
            properties: vec![geometry],
            children: vec![faces],
        };
        self.placing.object(store, name, self.visible, vec![mesh])
    }
}

/// Texture coordinates: each once, and their numbers at the corners of triangles.
fn texture(store: &mut dyn Store, mesh: &TriMesh) -> io::Result<Option<Property>> {
    let Texture { uvs, corners } = Texture::of(mesh);
    if uvs.is_empty() {
        return Ok(None);
    }
    let uvs: Vec<[f32; 2]> = uvs.iter().map(|uv| uv.as_vec2().to_array()).collect();
    let tracks = [
        Track::fixed(store, UV_VALUES, Numbers::Floats(uvs.as_flattened()))?,
        Track::fixed(store, UV_NUMBERS, Numbers::Ints(&backwards(&corners)))?,
    ];
    let properties = tracks.into_iter().map(Property::Values).collect();
    Ok(Some(Property::Compound { name: "uv", meta: UV, properties }))
}

/// What the corners of triangles have, those of each from last to first.
fn backwards(corners: &[[u32; 3]]) -> Vec<i32> {
    corners.iter().flat_map(|[a, b, c]| [*c, *b, *a]).map(|n| n as i32).collect()
}

/// Refuses a body with more vertices or corners than Alembic's numbers can tell.
fn check_size(name: &str, vertices: usize, triangles: usize) -> Result<(), Diagnostic> {
    let most = i32::MAX as usize;
    // A mesh has fewer different texture coordinates than corners.
    if vertices <= most && triangles <= most / 3 {
        return Ok(());
    }
    let message = format!("`{name}` does not fit into an Alembic file");
    Err(Diagnostic::error(message).hint(format!(
        "it has {vertices} vertices and {triangles} triangles, a mesh there at most {most} and {}",
        most / 3
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_numbers_of_32_bits_cannot_tell_is_refused() {
        let most = i32::MAX as usize;
        assert!(check_size("cape", most, most / 3).is_ok());
        for (vertices, triangles) in [(most + 1, 1), (1, most / 3 + 1)] {
            let refused = check_size("cape", vertices, triangles).unwrap_err();
            assert_eq!(refused.message, "`cape` does not fit into an Alembic file");
            assert!(refused.hint.unwrap().contains("2147483647 and 715827882"));
        }
    }
}
