//! Meshes and cameras of a glTF file with what moves them: node animation, skins, morph targets. The public calls
//! read those of USD files too.

use super::gltf::{Reader, attribute, parse, parts};
use super::gltf_accessor::{Buffers, split};
use super::weld::weld_alike;
use super::{Contents, MeshFormat, Neighbour, Source, drop_unused, usd};
use crate::diagnostics::{Diagnostic, Place};
use crate::geometry::TriMesh;
use crate::geometry::rig::{Between, Hangs, Moved, Rig, RigNode, RigSurface, Skin, Track};
use glam::{DMat4, DQuat, DVec3, Mat4};
use gltf::json::animation::{Channel, Interpolation, Property};
use gltf::json::mesh::{Primitive, Semantic};
use gltf::json::validation::Checked;
use gltf::json::{Animation, Node};

/// A mesh and what moves it.
#[derive(Clone, Debug, PartialEq)]
pub struct Rigged {
    /// Its vertices are in the frame that the rig takes them from; of one that stands still, in the world.
    pub mesh: TriMesh,
    /// What moves it; none: it stands still.
    pub rig: Option<Rig>,
}

/// A camera and what moves it.
#[derive(Clone, Debug, PartialEq)]
pub struct CameraOnRig {
    /// Its pose: it looks along its -Z, its +Y is up in the picture.
    pub rig: Rig,
    /// Vertical angle of view [rad].
    pub yfov: f64,
}

/// The names of the clips of a glTF or USD file, each once, in the file's order; one without a name is called by its
/// number, and all that the samples of a USD file move is one clip. `neighbour` reads the files that it refers to.
pub fn stage_clips(
    bytes: &[u8],
    name: &str,
    neighbour: &Neighbour<'_>,
) -> Result<Vec<String>, Diagnostic> {
    let source = Source { name };
    if MeshFormat::of(name)? == MeshFormat::Usd {
        return usd::clips(bytes, source, neighbour);
    }
    let (json, _) = split(bytes, source)?;
    let root = parse(json, source)?;
    let mut names: Vec<String> = Vec::new();
    for (i, animation) in root.animations.iter().enumerate() {
        let name = clip_name(animation, i);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    Ok(names)
}

fn clip_name(animation: &Animation, number: usize) -> String {
    animation.name.clone().filter(|n| !n.is_empty()).unwrap_or_else(|| format!("clip {number}"))
}

/// The mesh on node `node` of a glTF or USD file, with what moves it in `clip`. `name` is the file as messages call
/// it; `neighbour` reads the files that it refers to.
pub fn rigged_mesh(
    bytes: &[u8],
    name: &str,
    node: usize,
    clip: Option<&str>,
    neighbour: &Neighbour<'_>,
) -> Result<Rigged, Diagnostic> {
    let source = Source { name };
    if MeshFormat::of(name)? == MeshFormat::Usd {
        return usd::rigged(bytes, source, node, clip, neighbour);
    }
    let (json, blob) = split(bytes, source)?;
    let root = parse(json, source)?;
    let buffers = Buffers::new(&root, blob, source, neighbour)?;
    let reader = Reader { root: &root, buffers, source, contents: Contents::default() };
    File { reader }.mesh(node, clip)
}

/// The camera on node `node` of a glTF or USD file, as [`rigged_mesh`] has it.
pub fn rigged_camera(
    bytes: &[u8],
    name: &str,
    node: usize,
    clip: Option<&str>,
    neighbour: &Neighbour<'_>,
) -> Result<CameraOnRig, Diagnostic> {
    let source = Source { name };
    if MeshFormat::of(name)? == MeshFormat::Usd {
        return usd::camera(bytes, source, node, clip, neighbour);
    }
    let (json, blob) = split(bytes, source)?;
    let root = parse(json, source)?;
    let buffers = Buffers::new(&root, blob, source, neighbour)?;
    let reader = Reader { root: &root, buffers, source, contents: Contents::default() };
    let file = File { reader };
    let entry = file.node(node)?;
    let camera = entry.camera.and_then(|index| root.get(index));
    let perspective = camera
        .and_then(|camera| camera.perspective.as_ref())
        .ok_or_else(|| source.error(0, "the camera sees in parallel, which is not built yet"))?;
    let yfov = f64::from(perspective.yfov);
    if !(yfov > 0.0 && yfov < std::f64::consts::PI) {
        return Err(source.error(0, format!("the camera's angle of view is {yfov}")));
    }
    let mut chain = Chain::default();
    file.climb(node, &mut chain)?;
    let (nodes, number) = file.nodes(&chain)?;
    let tracks = file.tracks(&chain, clip, node, 0)?;
    let rig = Rig { nodes, tracks, hangs: Hangs::Piece(number(node)) };
    rig.check(0).map_err(|why| source.error(0, why))?;
    Ok(CameraOnRig { rig, yfov })
}

/// The nodes of a file that matter, parents first.
#[derive(Default)]
struct Chain {
    nodes: Vec<usize>,
}

struct File<'a> {
    reader: Reader<'a>,
}

/// What moves the vertices of a mesh, one entry a vertex of the file.
#[derive(Default)]
struct Carried {
    shares: Vec<Vec<(u32, f64)>>,
    /// Of each shape.
    shapes: Vec<Vec<DVec3>>,
}

impl Carried {
    /// What tells vertices at one place apart.
    fn key(&self, vertex: usize) -> Vec<u64> {
        let bits = |x: f64| (x + 0.0).to_bits();
        let mut key = Vec::new();
        for (joint, share) in self.shares.get(vertex).into_iter().flatten() {
            key.extend([u64::from(*joint), bits(*share)]);
        }
        for shape in &self.shapes {
            key.extend(shape[vertex].to_array().map(bits));
        }
        key
    }
}

impl File<'_> {
    fn error(&self, message: impl Into<String>) -> Diagnostic {
        self.reader.source.error(0, message)
    }

    fn node(&self, number: usize) -> Result<&Node, Diagnostic> {
        let missing = || self.error(format!("there is no node {number}"));
        self.reader.root.nodes.get(number).ok_or_else(missing)
    }

    fn parent(&self, number: usize) -> Option<usize> {
        let hangs = |node: &Node| {
            node.children.as_ref().is_some_and(|all| all.iter().any(|c| c.value() == number))
        };
        self.reader.root.nodes.iter().position(hangs)
    }

    /// Adds node `number` and what it hangs on.
    fn climb(&self, number: usize, chain: &mut Chain) -> Result<(), Diagnostic> {
        self.node(number)?;
        let mut way = Vec::new();
        let mut at = Some(number);
        while let Some(node) = at.filter(|node| !chain.nodes.contains(node)) {
            if way.contains(&node) {
                return Err(self.error(format!("node {node} hangs on itself")));
            }
            way.push(node);
            at = self.parent(node);
        }
        chain.nodes.extend(way.into_iter().rev());
        Ok(())
    }

    /// The nodes of a chain where they stand, and their numbers there by those in the file.
    fn nodes<'c>(
        &self,
        chain: &'c Chain,
    ) -> Result<(Vec<RigNode>, impl Fn(usize) -> usize + 'c), Diagnostic> {
        let number = |node: usize| chain.nodes.iter().position(|n| *n == node).unwrap_or(0);
        let mut nodes = Vec::new();
        for &node in &chain.nodes {
            let entry = self.node(node)?;
            let (scale, rotate, translate) = match entry.matrix {
                Some(matrix) => {
                    let matrix = Mat4::from_cols_array(&matrix).as_dmat4();
                    let parts = matrix.to_scale_rotation_translation();
                    let again = DMat4::from_scale_rotation_translation(parts.0, parts.1, parts.2);
                    if !again.abs_diff_eq(matrix, 1e-4) {
                        let message = format!("the matrix of node {node} shears, or is damaged");
                        return Err(self.error(message));
                    }
                    parts
                }
                None => parts(entry),
            };
            let rotate = if rotate.is_finite() { rotate.normalize() } else { DQuat::IDENTITY };
            let parent = self.parent(node).map(number);
            nodes.push(RigNode { parent, translate, rotate, scale });
        }
        Ok((nodes, number))
    }

    fn mesh(mut self, node: usize, clip: Option<&str>) -> Result<Rigged, Diagnostic> {
        let root = self.reader.root;
        let entry = self.node(node)?;
        let (skin, own_weights) = (entry.skin, entry.weights.clone());
        let missing = || self.error(format!("node {node} has no mesh"));
        let mesh = entry.mesh.and_then(|m| root.get(m)).ok_or_else(missing)?;
        let name = entry.name.as_ref().or(mesh.name.as_ref()).cloned().unwrap_or_default();
        let skin = match skin {
            Some(index) => {
                let missing = || self.error(format!("there is no skin {}", index.value()));
                Some(root.get(index).ok_or_else(missing)?)
            }
            None => None,
        };
        let mut carried = Carried::default();
        for primitive in &mesh.primitives {
            let first = self.reader.contents.mesh.positions.len();
            self.reader.primitive(primitive, DMat4::IDENTITY, &name)?;
            let count = self.reader.contents.mesh.positions.len() - first;
            if count > 0 {
                self.add(primitive, first, count, skin.is_some(), &name, &mut carried)?;
            }
        }
        let shape_count = carried.shapes.len();
        let own_weights = own_weights.or(mesh.weights.clone()).unwrap_or_default();
        let mut weights: Vec<f64> = own_weights.into_iter().map(f64::from).collect();
        weights.resize(shape_count, 0.0);

        let mut chain = Chain::default();
        self.climb(node, &mut chain)?;
        let mut joints = Vec::new();
        if let Some(skin) = skin {
            for joint in &skin.joints {
                self.climb(joint.value(), &mut chain)?;
            }
            let matrices = match skin.inverse_bind_matrices {
                Some(index) => self.reader.buffers.values(index, 16)?,
                None => Vec::new(),
            };
            for (i, joint) in skin.joints.iter().enumerate() {
                let matrix = matrices.get(16 * i..16 * i + 16).and_then(|m| m.try_into().ok());
                let matrix = matrix.map_or(DMat4::IDENTITY, |m| DMat4::from_cols_array(&m));
                joints.push((joint.value(), matrix));
            }
        }
        let (nodes, number) = self.nodes(&chain)?;
        let tracks = self.tracks(&chain, clip, node, shape_count)?;

        // Vertices in the order of the mesh, which may leave some out.
        let mut surface = std::mem::take(&mut self.reader.contents.mesh);
        weld_alike(&mut surface, 0, 0, |vertex| carried.key(vertex));
        surface.keep_triangles(|_, [a, b, c]| a != b && b != c && c != a);
        if surface.triangles.is_empty() {
            return Err(self.error(format!("`{name}` holds no triangles")));
        }
        let mut kept: Vec<u32> = surface.triangles.iter().flatten().copied().collect();
        kept.sort_unstable();
        kept.dedup();
        drop_unused(&mut surface);
        let kept_shape = |shape: &Vec<DVec3>| {
            let moved = (0..).zip(&kept).map(|(new, old)| (new, shape[*old as usize]));
            moved.filter(|(_, by)| *by != DVec3::ZERO).collect::<Vec<(u32, DVec3)>>()
        };
        let mut shapes: Vec<_> = carried.shapes.iter().map(kept_shape).collect();
        if !tracks.iter().any(|track| track.moved == Moved::Weights) {
            // What never changes is part of the mesh.
            for (shape, weight) in shapes.iter().zip(&weights) {
                for (vertex, by) in shape {
                    surface.positions[*vertex as usize] += *by * *weight;
                }
            }
            shapes.clear();
            weights.clear();
        }
        let own = number(node);
        let skin = skin.map(|_| Skin {
            joints: joints.iter().map(|(node, matrix)| (number(*node), *matrix)).collect(),
            shares: kept.iter().map(|old| carried.shares[*old as usize].clone()).collect(),
        });
        let hangs = Hangs::Surface(RigSurface { node: own, skin, shapes, weights });
        hang(surface, Rig { nodes, tracks, hangs }, own, self.reader.source)
    }

    /// Adds what carries the vertices of a primitive, the first of which is `first` of so many.
    fn add(
        &self,
        primitive: &Primitive,
        first: usize,
        count: usize,
        has_skin: bool,
        name: &str,
        carried: &mut Carried,
    ) -> Result<(), Diagnostic> {
        let buffers = &self.reader.buffers;
        if has_skin {
            carried.shares.resize(first + count, Vec::new());
            for set in 0.. {
                let joints = attribute(primitive, &Semantic::Joints(set));
                let Some(joints) = joints else { break };
                let missing = || self.error(format!("`{name}` has joints without weights"));
                let weights = attribute(primitive, &Semantic::Weights(set)).ok_or_else(missing)?;
                let (joints, weights) = (buffers.values(joints, 4)?, buffers.values(weights, 4)?);
                let shares = &mut carried.shares[first..];
                for (own, (joints, weights)) in
                    shares.iter_mut().zip(joints.chunks_exact(4).zip(weights.chunks_exact(4)))
                {
                    let parts = joints.iter().zip(weights).filter(|(_, weight)| **weight > 0.0);
                    own.extend(parts.map(|(joint, weight)| (*joint as u32, *weight)));
                }
            }
            for (vertex, own) in carried.shares[first..].iter_mut().enumerate() {
                let sum: f64 = own.iter().map(|(_, share)| share).sum();
                if !(sum > 0.0 && sum.is_finite()) {
                    return Err(
                        self.error(format!("vertex {vertex} of `{name}` hangs on no joint"))
                    );
                }
                for (_, share) in own.iter_mut() {
                    *share /= sum;
                }
            }
        }
        let targets = primitive.targets.as_deref().unwrap_or_default();
        for (number, target) in targets.iter().enumerate() {
            if carried.shapes.len() <= number {
                carried.shapes.push(vec![DVec3::ZERO; first]);
            }
            let shape = &mut carried.shapes[number];
            if let Some(positions) = target.positions {
                let values = buffers.values(positions, 3)?;
                shape.extend(values.chunks_exact(3).map(DVec3::from_slice).take(count));
            }
        }
        for shape in &mut carried.shapes {
            shape.resize(first + count, DVec3::ZERO);
        }
        Ok(())
    }

    /// The keys of `clip` that move nodes of the chain, and the shapes of node `own`.
    fn tracks(
        &self,
        chain: &Chain,
        clip: Option<&str>,
        own: usize,
        shapes: usize,
    ) -> Result<Vec<Track>, Diagnostic> {
        let mut tracks: Vec<Track> = Vec::new();
        let Some(clip) = clip else { return Ok(tracks) };
        for (i, animation) in self.reader.root.animations.iter().enumerate() {
            if clip_name(animation, i) != clip {
                continue;
            }
            for channel in &animation.channels {
                let node = channel.target.node.value();
                let Some(number) = chain.nodes.iter().position(|n| *n == node) else { continue };
                let Some(track) = self.track(animation, channel, number, shapes)? else { continue };
                let is_known = |t: &Track| (t.node, t.moved) == (track.node, track.moved);
                let is_wanted = track.moved != Moved::Weights || (node == own && shapes > 0);
                if is_wanted && !tracks.iter().any(is_known) {
                    tracks.push(track);
                }
            }
        }
        tracks.sort_by_key(|track| (track.node, track.moved));
        Ok(tracks)
    }

    /// None where the channel changes nothing that is known, or has no keys.
    fn track(
        &self,
        animation: &Animation,
        channel: &Channel,
        node: usize,
        shapes: usize,
    ) -> Result<Option<Track>, Diagnostic> {
        let (moved, width) = match channel.target.path {
            Checked::Valid(Property::Translation) => (Moved::Translate, 3),
            Checked::Valid(Property::Rotation) => (Moved::Rotate, 4),
            Checked::Valid(Property::Scale) => (Moved::Scale, 3),
            Checked::Valid(Property::MorphTargetWeights) => (Moved::Weights, 1),
            Checked::Invalid => return Ok(None),
        };
        let missing = || self.error("a clip has a channel without keys");
        let sampler = animation.samplers.get(channel.sampler.value()).ok_or_else(missing)?;
        let between = match sampler.interpolation {
            Checked::Valid(Interpolation::Step) => Between::Step,
            Checked::Valid(Interpolation::Linear) => Between::Linear,
            Checked::Valid(Interpolation::CubicSpline) => Between::Cubic,
            Checked::Invalid => return Err(self.error("a clip's interpolation is unknown")),
        };
        if moved == Moved::Weights && shapes == 0 {
            return Ok(None);
        }
        let times = self.reader.buffers.values(sampler.input, 1)?;
        let values = self.reader.buffers.values(sampler.output, width)?;
        Ok((!times.is_empty()).then_some(Track { node, moved, between, times, values }))
    }
}

/// A mesh on a rig, whose node `own` it hangs on: one that stands still where it stands, one that keeps its shape as
/// a piece, and none inside out.
pub(super) fn hang(
    mut surface: TriMesh,
    mut rig: Rig,
    own: usize,
    source: Source<'_>,
) -> Result<Rigged, Diagnostic> {
    rig.check(surface.positions.len()).map_err(|why| source.error(0, why))?;
    let is_piece = match &rig.hangs {
        Hangs::Surface(surface) => surface.skin.is_none() && surface.shapes.is_empty(),
        Hangs::Piece(_) => true,
    };
    if is_mirrored(&rig) {
        let uvs: Vec<_> = (0..surface.triangles.len()).map(|t| surface.corner_uvs(t)).collect();
        surface.triangles.iter_mut().for_each(|t| t.swap(1, 2));
        for (t, uvs) in uvs.into_iter().enumerate() {
            if let Some([a, b, c]) = uvs {
                surface.set_corner_uvs(t, [a, c, b]);
            }
        }
    }
    let rig = if rig.tracks.is_empty() {
        surface.positions = rig.places(&surface.positions, 0.0, 0.0);
        None
    } else {
        if is_piece && rig.keeps_shape(own) {
            let stretch = rig.stretch(own);
            surface.positions.iter_mut().for_each(|p| *p = stretch * *p);
            rig.hangs = Hangs::Piece(own);
        }
        Some(rig)
    };
    surface.check().map_err(|d| d.at(Place::new(source.name, 0)))?;
    Ok(Rigged { mesh: surface, rig })
}

/// Whether what moves a mesh turns it inside out.
fn is_mirrored(rig: &Rig) -> bool {
    let Hangs::Surface(surface) = &rig.hangs else { return false };
    let bare = Rig {
        hangs: Hangs::Surface(RigSurface {
            node: surface.node,
            skin: surface.skin.as_ref().map(|skin| Skin {
                joints: skin.joints.clone(),
                shares: vec![skin.shares.first().cloned().unwrap_or_default(); 4],
            }),
            shapes: Vec::new(),
            weights: Vec::new(),
        }),
        nodes: rig.nodes.clone(),
        tracks: Vec::new(),
    };
    let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let placed = bare.places(&corners, 0.0, 0.0);
    let [x, y, z] = [1, 2, 3].map(|k| placed[k] - placed[0]);
    x.cross(y).dot(z) < 0.0
}
