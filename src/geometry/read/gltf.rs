//! glTF 2.0, as text and in one binary file. Nodes stand where the file puts them; a skinned mesh
//! is in its rest pose, a morphed one in its base shape. An attribute `_NAME` becomes the map
//! `name`, in lower case, since Blender writes its own in upper case.

use super::gltf_accessor::{Buffers, split};
use super::objects::{Material, Paint};
use super::weld::weld;
use super::{Contents, Neighbour, Source};
use crate::diagnostics::Diagnostic;
use glam::{DMat4, DQuat, DVec2, DVec3, Mat4, Quat, Vec3};
use gltf::json::material::AlphaMode;
use gltf::json::mesh::{Mode, Primitive, Semantic};
use gltf::json::validation::Checked;
use gltf::json::{Index, Node, Root};

/// Extensions that change how vertices are stored and are not read.
const NOT_READ: [&str; 2] = ["KHR_draco_mesh_compression", "EXT_meshopt_compression"];

pub(super) fn read(
    bytes: &[u8],
    source: Source<'_>,
    neighbour: &Neighbour<'_>,
) -> Result<Contents, Diagnostic> {
    let (json, blob) = split(bytes, source)?;
    let root = parse(json, source)?;
    let buffers = Buffers::new(&root, blob, source, neighbour)?;
    let mut reader = Reader { root: &root, buffers, source, contents: Contents::default() };
    let mut seen = vec![false; root.nodes.len()];
    for node in roots(&root) {
        reader.node(node, DMat4::IDENTITY, &mut seen)?;
    }
    Ok(reader.contents)
}

/// The file's description. The library's own check of it is left out: it panics on references out
/// of range, and every one that is followed here is looked up with care.
pub(super) fn parse(json: &[u8], source: Source<'_>) -> Result<Root, Diagnostic> {
    let root: Root = gltf::json::deserialize::from_slice(json)
        .map_err(|e| source.error(e.line(), format!("the file is no valid glTF: {e}")))?;
    match root.extensions_required.iter().find(|n| NOT_READ.contains(&n.as_str())) {
        Some(name) => Err(source
            .error(0, format!("the file needs the extension {name}, which is not built yet"))
            .hint("export it without compression")),
        None => Ok(root),
    }
}

/// The nodes of the scene that is shown; of a file without scenes those that are no child.
pub(super) fn roots(root: &Root) -> Vec<Index<Node>> {
    let scene = match root.scene {
        Some(scene) => root.get(scene),
        None => root.scenes.first(),
    };
    if let Some(scene) = scene {
        return scene.nodes.clone();
    }
    let mut is_child = vec![false; root.nodes.len()];
    for child in root.nodes.iter().filter_map(|n| n.children.as_ref()).flatten() {
        if let Some(flag) = is_child.get_mut(child.value()) {
            *flag = true;
        }
    }
    (0..root.nodes.len()).filter(|i| !is_child[*i]).map(|i| Index::new(i as u32)).collect()
}

pub(super) struct Reader<'a> {
    pub(super) root: &'a Root,
    pub(super) buffers: Buffers<'a>,
    pub(super) source: Source<'a>,
    pub(super) contents: Contents,
}

impl Reader<'_> {
    /// Adds a node and what hangs on it. A stack in place of recursion: files are not trusted.
    fn node(
        &mut self,
        first: Index<Node>,
        place: DMat4,
        seen: &mut [bool],
    ) -> Result<(), Diagnostic> {
        let mut stack = vec![(first, place)];
        while let Some((index, parent)) = stack.pop() {
            let missing = || self.source.error(0, format!("there is no node {}", index.value()));
            let node = self.root.get(index).ok_or_else(missing)?;
            if std::mem::replace(&mut seen[index.value()], true) {
                return Err(self
                    .source
                    .error(0, format!("node {} hangs on two nodes", index.value())));
            }
            let place = parent * local(node);
            if let Some(number) = node.mesh {
                let missing =
                    || self.source.error(0, format!("there is no mesh {}", number.value()));
                let mesh = self.root.get(number).ok_or_else(missing)?;
                let name = node.name.as_ref().or(mesh.name.as_ref()).cloned().unwrap_or_default();
                // The skeleton places a skinned mesh; its node does not.
                let place = if node.skin.is_some() { DMat4::IDENTITY } else { place };
                let vertex = self.contents.mesh.positions.len();
                let triangle = self.contents.mesh.triangles.len();
                for primitive in &mesh.primitives {
                    self.primitive(primitive, place, &name)?;
                }
                weld(&mut self.contents.mesh, vertex, triangle);
                let range = triangle..self.contents.mesh.triangles.len();
                let materials = self.materials(mesh);
                self.contents.materials.insert(self.contents.objects.len(), materials);
                self.contents.objects.push((name, range));
            }
            let children = node.children.iter().flatten();
            stack.extend(children.rev().map(|c| (*c, place)));
        }
        Ok(())
    }

    /// The materials of a mesh's primitives, each once.
    fn materials(&self, mesh: &gltf::json::Mesh) -> Vec<Material> {
        let mut numbers: Vec<usize> = Vec::new();
        for number in mesh.primitives.iter().filter_map(|p| p.material) {
            if !numbers.contains(&number.value()) {
                numbers.push(number.value());
            }
        }
        numbers.iter().filter_map(|n| self.root.materials.get(*n)).map(material).collect()
    }

    /// Adds the vertices and triangles of a primitive, moved by `place`; nothing where it has no triangles.
    pub(super) fn primitive(
        &mut self,
        primitive: &Primitive,
        place: DMat4,
        name: &str,
    ) -> Result<(), Diagnostic> {
        let Checked::Valid(mode) = primitive.mode else { return Ok(()) };
        if !matches!(mode, Mode::Triangles | Mode::TriangleStrip | Mode::TriangleFan) {
            return Ok(());
        }
        let Some(positions) = attribute(primitive, &Semantic::Positions) else { return Ok(()) };
        let mesh = &mut self.contents.mesh;
        let first = mesh.positions.len();
        let points = self.buffers.values(positions, 3)?;
        for p in points.chunks_exact(3) {
            let p = place.transform_point3(DVec3::new(p[0], p[1], p[2]));
            if !p.is_finite() {
                return Err(self.source.error(0, format!("object `{name}` has a vertex at {p}")));
            }
            mesh.positions.push(p);
        }
        let count = mesh.positions.len() - first;
        if let Some(uvs) = attribute(primitive, &Semantic::TexCoords(0)) {
            let values = self.buffers.values(uvs, 2)?;
            mesh.uvs.resize(first, DVec2::ZERO);
            // glTF counts v down from the top.
            mesh.uvs
                .extend(values.chunks_exact(2).take(count).map(|t| DVec2::new(t[0], 1.0 - t[1])));
        }
        if !mesh.uvs.is_empty() {
            mesh.uvs.resize(first + count, DVec2::ZERO);
        }
        for (semantic, accessor) in &primitive.attributes {
            if let Checked::Valid(Semantic::Extras(name)) = semantic
                && self.buffers.width_of(*accessor) == Some(1)
            {
                let mut values = self.buffers.values(*accessor, 1)?;
                values.truncate(count);
                let name = name.to_lowercase();
                if values.iter().any(|v| !v.is_finite()) {
                    return Err(self
                        .source
                        .error(0, format!("map `{name}` has values that are no numbers")));
                }
                let map = mesh.maps.entry(name).or_default();
                map.resize(first, 0.0);
                map.extend(values);
            }
        }
        for map in mesh.maps.values_mut() {
            map.resize(first + count, 0.0);
        }
        let indices: Vec<u32> = match primitive.indices {
            Some(indices) => {
                let values = self.buffers.values(indices, 1)?;
                if let Some(i) = values.iter().find(|i| !(0.0..count as f64).contains(*i)) {
                    return Err(self
                        .source
                        .error(0, format!("object `{name}` names vertex {i} of {count}")));
                }
                values.iter().map(|i| (first + *i as usize) as u32).collect()
            }
            None => (first as u32..(first + count) as u32).collect(),
        };
        let mirrored = place.determinant() < 0.0;
        let flip = |[a, b, c]: [u32; 3]| if mirrored { [a, c, b] } else { [a, b, c] };
        mesh.triangles.extend(triangles(mode, &indices).into_iter().map(flip));
        Ok(())
    }
}

fn material(given: &gltf::json::Material) -> Material {
    let pbr = &given.pbr_metallic_roughness;
    let [r, g, b, a] = pbr.base_color_factor.0.map(f64::from);
    let part = |x: f32| Some(f64::from(x).clamp(0.0, 1.0));
    let paint = Paint {
        // Without `alphaMode` the fourth number says nothing.
        opacity: if given.alpha_mode == Checked::Valid(AlphaMode::Opaque) {
            1.0
        } else {
            a.clamp(0.0, 1.0)
        },
        roughness: part(pbr.roughness_factor.0),
        metallic: part(pbr.metallic_factor.0),
        ..Paint::of_color([r, g, b])
    };
    let has_pictures = pbr.base_color_texture.is_some()
        || pbr.metallic_roughness_texture.is_some()
        || given.normal_texture.is_some()
        || given.occlusion_texture.is_some()
        || given.emissive_texture.is_some();
    let name = given.name.clone().unwrap_or_default();
    Material { name, paint: Some(paint), has_pictures, has_more: false }
}

pub(super) fn attribute(
    primitive: &Primitive,
    wanted: &Semantic,
) -> Option<Index<gltf::json::Accessor>> {
    let is = |s: &Checked<Semantic>| matches!(s, Checked::Valid(s) if s == wanted);
    primitive.attributes.iter().find(|(semantic, _)| is(semantic)).map(|(_, accessor)| *accessor)
}

fn triangles(mode: Mode, i: &[u32]) -> Vec<[u32; 3]> {
    match mode {
        Mode::TriangleStrip => i
            .windows(3)
            .enumerate()
            .map(|(k, w)| if k % 2 == 0 { [w[0], w[1], w[2]] } else { [w[1], w[0], w[2]] })
            .collect(),
        Mode::TriangleFan if !i.is_empty() => {
            i[1..].windows(2).map(|w| [i[0], w[0], w[1]]).collect()
        }
        _ => i.chunks_exact(3).map(|w| [w[0], w[1], w[2]]).collect(),
    }
}

/// A node's own transform.
pub(super) fn local(node: &Node) -> DMat4 {
    if let Some(matrix) = node.matrix {
        return Mat4::from_cols_array(&matrix).as_dmat4();
    }
    let (s, r, t) = parts(node);
    DMat4::from_scale_rotation_translation(s, r, t)
}

/// Scale, turn and place of a node without a matrix.
pub(super) fn parts(node: &Node) -> (DVec3, DQuat, DVec3) {
    let t = Vec3::from_array(node.translation.unwrap_or([0.0; 3])).as_dvec3();
    let r = node.rotation.map_or(Quat::IDENTITY, |r| Quat::from_array(r.0));
    let r = if r.length_squared() > 0.0 { r.as_dquat().normalize() } else { DQuat::IDENTITY };
    let s = Vec3::from_array(node.scale.unwrap_or([1.0; 3])).as_dvec3();
    (s, r, t)
}
