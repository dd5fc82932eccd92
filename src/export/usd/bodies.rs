//! Bodies as meshes.

use super::layer::{Held, Kind, Prim, Store, Tracks, Value};
use super::stage;
use crate::diagnostics::Diagnostic;
use crate::export::shot::{Moment, Moves, Shot};
use crate::export::streamed::Stopped;
use crate::export::surface::{Surface, bounds, smooth_normals};
use crate::frames::{BodyState, Frame};
use crate::geometry::TriMesh;
use glam::{DQuat, Vec3};
use std::io;

const POINTS: Kind = Kind::new("points", "point3f[]");
const EXTENT: Kind = Kind::new("extent", "float3[]");
const VERTEX_NORMALS: Kind = Kind::new("normals", "normal3f[]").lying("vertex");
const CORNER_NORMALS: Kind = Kind::new("normals", "normal3f[]").lying("faceVarying");
const COUNTS: Kind = Kind::new("faceVertexCounts", "int[]");
const INDICES: Kind = Kind::new("faceVertexIndices", "int[]");
const SCHEME: Kind = Kind::uniform("subdivisionScheme", "token");
const ORIENTATION: Kind = Kind::uniform("orientation", "token");
const DOUBLE_SIDED: Kind = Kind::uniform("doubleSided", "bool");
const VERTEX_UVS: Kind = Kind::new("primvars:st", "texCoord2f[]").lying("vertex");
const CORNER_UVS: Kind = Kind::new("primvars:st", "texCoord2f[]").lying("faceVarying");
const COLOR: Kind = Kind::new("primvars:displayColor", "color3f[]").lying("constant");
const OPACITY: Kind = Kind::new("primvars:displayOpacity", "float[]").lying("constant");
const MATERIAL: Kind = Kind::relation("material:binding");
const VISIBILITY: Kind = Kind::new("visibility", "token");

/// A body that becomes a mesh.
pub(super) struct Mesh {
    body: usize,
    /// Whether the frames tell the place of every vertex, else one of the whole.
    deforms: bool,
    prim: Prim,
    tracks: Tracks,
}

impl Mesh {
    /// What is the same in all frames of body `body`.
    pub(super) fn new(
        store: &mut dyn Store,
        shot: &Shot<'_>,
        first: &Frame,
        body: usize,
    ) -> io::Result<Self> {
        let (mesh, entity) = (shot.scene.mesh_of(body), shot.body(body));
        let is_posed = matches!(first.bodies[body], BodyState::Posed { .. });
        let deforms = !is_posed || shot.moves(body) == Moves::Deforming;
        let mut prim = Prim::new("", "Mesh");
        prim.fix(store, SCHEME, Value::Token("none"))?;
        prim.fix(store, ORIENTATION, Value::Token("rightHanded"))?;
        prim.fix(store, DOUBLE_SIDED, Value::Bool(true))?;
        prim.fix(store, COUNTS, Value::Ints(&vec![3; mesh.triangles.len()]))?;
        let corners: Vec<i32> = mesh.triangles.iter().flatten().map(|i| *i as i32).collect();
        prim.fix(store, INDICES, Value::Ints(&corners))?;
        if !deforms {
            let places: Vec<[f32; 3]> =
                mesh.positions.iter().map(|p| p.as_vec3().to_array()).collect();
            let normals = Surface::creased(mesh, &places).corner_normals();
            prim.fix(store, POINTS, Value::Float3s(&places))?;
            prim.fix(store, EXTENT, Value::Float3s(&bounds(&places)))?;
            prim.fix(store, CORNER_NORMALS, Value::Float3s(&normals))?;
        }
        add_uvs(store, mesh, &mut prim)?;
        let look = &entity.look;
        let color = shot.scene.color_of(body).0.map(|c| c as f32);
        prim.fix(store, COLOR, Value::Float3s(&[color]))?;
        if look.opacity < 1.0 {
            prim.fix(store, OPACITY, Value::Floats(&[look.opacity as f32]))?;
        }
        Ok(Self { body, deforms, prim, tracks: Tracks::default() })
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
                self.tracks.key(store, POINTS, Value::Float3s(&places))?;
                self.tracks.key(store, EXTENT, Value::Float3s(&bounds(&places)))?;
                self.tracks.key(store, VERTEX_NORMALS, Value::Float3s(&normals))?;
            }
            BodyState::Posed { translate, rotate } => {
                let turn = DQuat::from_array(rotate.map(f64::from)).normalize();
                let pose = (Vec3::from_array(*translate).as_dvec3(), turn);
                stage::key_pose(&mut self.tracks, store, pose)?;
            }
            BodyState::Deformed { .. } => {
                let message = format!("frame {} is not of this scene", moment.at);
                return Err(Diagnostic::error(message).into());
            }
        }
        if entity.comes_or_goes() {
            let word = if entity.is_there(moment.time) { "inherited" } else { "invisible" };
            self.tracks.key(store, VISIBILITY, Value::Token(word))?;
        }
        Ok(())
    }

    /// The prim, with the material at `material`.
    pub(super) fn prim(self, store: &mut dyn Store, material: String) -> io::Result<Prim> {
        let mut prim = self.prim;
        if !self.deforms {
            stage::order_pose(store, &mut prim)?;
        }
        self.tracks.give(&mut prim);
        prim.set(MATERIAL, Held::Target(material));
        let schemas = store.keep(Value::Prepended(&["MaterialBindingAPI"]))?;
        prim.fields.push(("apiSchemas", schemas));
        Ok(prim)
    }
}

/// Texture coordinates: one a vertex, or one a corner where a picture has seams.
fn add_uvs(store: &mut dyn Store, mesh: &TriMesh, prim: &mut Prim) -> io::Result<()> {
    if mesh.uvs.is_empty() {
        return Ok(());
    }
    if mesh.seams.is_empty() {
        let uvs: Vec<[f32; 2]> = mesh.uvs.iter().map(|uv| uv.as_vec2().to_array()).collect();
        return prim.fix(store, VERTEX_UVS, Value::Float2s(&uvs));
    }
    let corners = (0..mesh.triangles.len()).filter_map(|t| mesh.corner_uvs(t));
    let uvs: Vec<[f32; 2]> = corners.flatten().map(|uv| uv.as_vec2().to_array()).collect();
    prim.fix(store, CORNER_UVS, Value::Float2s(&uvs))
}
