//! The whole shot in one file. A body that comes or goes has the size 0 while it is not there.

use super::super::shot::{Moment, Moves, Shot};
use super::super::stage::{camera_pose, light_moves, light_pose};
use super::super::surface::{Surface, smooth_normals};
use super::buffer::{File, raw};
use super::tree::Tree;
use super::{body_in, look, mesh, stage};
use crate::diagnostics::Diagnostic;
use crate::frames::BodyState;
use crate::scene::{Caches, Look};
use glam::{DQuat, Quat};
use gltf::json::animation::{Animation, Channel, Interpolation, Property, Sampler, Target};
use gltf::json::buffer::Target as ViewTarget;
use gltf::json::mesh::{Mesh, MorphTarget};
use gltf::json::validation::Checked;
use gltf::json::{Accessor, Index, Node};
use serde_json::json;

/// A file's bytes and what the person should know.
type Encoded = (Vec<u8>, Vec<Diagnostic>);

/// A deforming body: its mesh, and what its first frame was.
struct Morph {
    body: usize,
    mesh: Index<Mesh>,
    node: Index<Node>,
    /// Vertex of the body's mesh that each vertex is.
    of_mesh: Vec<u32>,
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
}

/// A node that moves as one, with its keys so far.
struct Track {
    node: Index<Node>,
    what: What,
    translations: Vec<[f32; 3]>,
    rotations: Vec<[f32; 4]>,
}

/// What a track follows: an index into the scene's bodies, cameras or lights.
#[derive(Clone, Copy)]
enum What {
    Body(usize),
    Camera(usize),
    Light(usize),
}

/// The bytes of the file, or none if the person stopped it.
pub(super) fn encode(shot: &Shot<'_>) -> Result<Option<Encoded>, Diagnostic> {
    let numbers = shot.whole_range();
    let Some((&first_number, &last_number)) = numbers.first().zip(numbers.last()) else {
        return Err(Diagnostic::error("there are no frames to export"));
    };
    let places = shot.places();
    let plan = Plan::new(shot, places.len());
    let mut file = File::default();
    let mut built: Option<Built> = None;
    for &number in &numbers {
        if shot.is_interrupted() {
            return Ok(None);
        }
        for moment in shot.moments(number, first_number)? {
            let is_first = built.is_none();
            let mut grown = match built.take() {
                Some(built) => built,
                None => Built::new(&mut file, shot, &moment, &plan)?,
            };
            for track in &mut grown.tracks {
                track.key(shot, &moment);
            }
            for (body, _, sizes) in &mut grown.sizes {
                sizes.push([f32::from(u8::from(shot.body(*body).is_there(moment.time))); 3]);
            }
            if !is_first {
                for morph in &grown.morphs {
                    morph.target(&mut file, shot, &moment, plan.normals);
                }
            }
            built = Some(grown);
        }
    }
    let built = built.expect("there is a frame");
    let offset = first_number.min(0);
    let from_start: Vec<f64> = places.iter().map(|at| at - f64::from(offset)).collect();
    let times = shot.short_seconds(&from_start)?;
    if times.len() > 1 {
        built.animate(&mut file, &shot.scene.name, &times, &places);
    }
    let (numerator, denominator) = shot.scene.timing.fps;
    let mut about = json!({
        "retake_shot": shot.scene.name,
        "retake_fps": [numerator, denominator],
        "retake_first_frame": first_number,
        "retake_last_frame": last_number,
        "retake_frame_offset": offset,
    });
    if shot.scene.output.subframes > 1 {
        about["retake_subframes"] = json!(shot.scene.output.subframes);
    }
    file.root.asset.extras = raw(&about);
    let roots = built.tree.roots;
    Ok(Some((file.finish(&shot.scene.name, roots), plan.notes)))
}

/// Which deforming bodies fit into the file.
struct Plan {
    left_out: Vec<usize>,
    /// Whether targets have normals; without them viewers shade with those of the first frame.
    normals: bool,
    notes: Vec<Diagnostic>,
}

impl Plan {
    fn new(shot: &Shot<'_>, samples: usize) -> Self {
        let most_bytes = shot.most_morph_bytes;
        let cache = match shot.scene.output.caches {
            Caches::Mdd => "mdd",
            Caches::Pc2 | Caches::Off => "pc2",
        };
        let kind = if shot.scene.output.subframes > 1 { "samples" } else { "frames" };
        let size = |body: usize| 12 * shot.scene.mesh_of(body).positions.len() * (samples - 1);
        let mut deforming: Vec<usize> =
            shot.bodies.iter().copied().filter(|i| shot.moves(*i) == Moves::Deforming).collect();
        deforming.sort_by_key(|i| (size(*i), *i));
        // One weight a target a key; all bodies share them.
        let mut total = 4 * samples * samples;
        let mut left_out = Vec::new();
        let mut notes = Vec::new();
        for body in deforming {
            if total + size(body) <= most_bytes {
                total += size(body);
                continue;
            }
            let (name, shot_name) = (&shot.body(body).name, &shot.scene.name);
            left_out.push(body);
            notes.push(
                Diagnostic::warning(format!(
                    "`{name}` is not in {shot_name}.glb: {samples} {kind} of it take {} MB",
                    size(body) / 1_000_000
                ))
                .hint(format!(
                    "import_{shot_name}.py brings it in from cache/{name}.{cache} (caches = \"{cache}\")"
                )),
            );
        }
        Self { left_out, normals: 2 * total <= most_bytes, notes }
    }
}

/// Meshes of rigid bodies: those of one mesh and one look are instances, those of one mesh alone
/// share its data.
#[derive(Default)]
struct Shared {
    known: Vec<(usize, Look, Index<Mesh>)>,
}

impl Shared {
    fn mesh(
        &mut self,
        file: &mut File,
        shot: &Shot<'_>,
        body: usize,
        surface: &Surface,
    ) -> Result<Index<Mesh>, Diagnostic> {
        let entity = shot.body(body);
        let look = Look { color: shot.scene.color_of(body), ..entity.look.clone() };
        let same_mesh = |known: &&(usize, Look, Index<Mesh>)| known.0 == entity.mesh;
        if let Some((_, _, mesh)) =
            self.known.iter().filter(same_mesh).find(|(_, known, _)| *known == look)
        {
            return Ok(*mesh);
        }
        let material = look::material(file, shot.scene, body)?;
        let mesh = match self.known.iter().find(same_mesh) {
            Some((_, _, mesh)) => {
                let mut mesh = file.root.meshes[mesh.value()].clone();
                mesh.name = Some(entity.name.clone());
                for primitive in &mut mesh.primitives {
                    primitive.material = Some(material);
                }
                file.root.push(mesh)
            }
            None => mesh::add(surface, file, &entity.name, Some(material)),
        };
        self.known.push((entity.mesh, look, mesh));
        Ok(mesh)
    }
}

/// The nodes of the file and what moves.
struct Built {
    tree: Tree,
    morphs: Vec<Morph>,
    tracks: Vec<Track>,
    /// Nodes of bodies that come or go, with their sizes so far: 1 where they are there, else 0.
    sizes: Vec<(usize, Index<Node>, Vec<[f32; 3]>)>,
}

impl Built {
    fn new(
        file: &mut File,
        shot: &Shot<'_>,
        first: &Moment,
        plan: &Plan,
    ) -> Result<Self, Diagnostic> {
        let mut built = Self {
            tree: Tree::default(),
            morphs: Vec::new(),
            tracks: Vec::new(),
            sizes: Vec::new(),
        };
        let mut shared = Shared::default();
        for &body in shot.bodies.iter().filter(|i| !plan.left_out.contains(i)) {
            let (entity, moves) = (shot.body(body), shot.moves(body));
            let (surface, mut node) = body_in(shot, &first.bodies[body], body);
            let mesh = if moves == Moves::Deforming {
                let material = look::material(file, shot.scene, body)?;
                mesh::add(&surface, file, &entity.name, Some(material))
            } else {
                shared.mesh(file, shot, body, &surface)?
            };
            node.mesh = Some(mesh);
            let node = file.root.push(node);
            built.tree.add(file, entity.group.as_deref(), node);
            if entity.comes_or_goes() {
                built.sizes.push((body, node, Vec::new()));
            }
            match moves {
                Moves::Not => {}
                Moves::AsOne => built.track(node, What::Body(body)),
                Moves::Deforming => {
                    let positions = first.world_positions(shot.scene, body);
                    let normals = smooth_normals(shot.scene.mesh_of(body), &positions);
                    let of_mesh = surface.of_mesh().to_vec();
                    let (positions, normals) =
                        (spread(&of_mesh, positions), spread(&of_mesh, normals));
                    built.morphs.push(Morph { body, mesh, node, of_mesh, positions, normals });
                }
            }
        }
        built.stage(file, shot, first.time);
        Ok(built)
    }

    fn stage(&mut self, file: &mut File, shot: &Shot<'_>, time: f64) {
        for (i, camera) in shot.scene.cameras.iter().enumerate() {
            let node = stage::camera(file, shot.scene, camera, time);
            self.tree.roots.push(node);
            if !camera.is_still() {
                self.track(node, What::Camera(i));
            }
        }
        for (i, light) in shot.scene.lights.iter().enumerate() {
            if let Some(node) = stage::light(file, light, time) {
                self.tree.roots.push(node);
                if light_moves(light) {
                    self.track(node, What::Light(i));
                }
            }
        }
    }

    fn track(&mut self, node: Index<Node>, what: What) {
        self.tracks.push(Track { node, what, translations: Vec::new(), rotations: Vec::new() });
    }

    fn animate(&self, file: &mut File, name: &str, times: &[f32], places: &[f64]) {
        if self.morphs.is_empty() && self.tracks.is_empty() && self.sizes.is_empty() {
            return;
        }
        let input = file.numbers(times, true);
        let mut animation = Animation {
            extensions: None,
            extras: None,
            channels: Vec::new(),
            name: Some(name.to_owned()),
            samplers: Vec::new(),
        };
        for track in &self.tracks {
            let still = |keys: &[[f32; 4]]| keys.windows(2).all(|w| w[0] == w[1]);
            let padded: Vec<[f32; 4]> =
                track.translations.iter().map(|t| [t[0], t[1], t[2], 0.0]).collect();
            if !still(&padded) {
                let output = file.vectors(&track.translations, None);
                channel(&mut animation, track.node, Property::Translation, input, output);
            }
            if !still(&track.rotations) {
                let output = file.vectors(&track.rotations, None);
                channel(&mut animation, track.node, Property::Rotation, input, output);
            }
        }
        for (_, node, sizes) in &self.sizes {
            let output = file.vectors(sizes, None);
            channel(&mut animation, *node, Property::Scale, input, output);
            if let Some(sampler) = animation.samplers.last_mut() {
                sampler.interpolation = Checked::Valid(Interpolation::Step);
            }
        }
        // Every body has the same weights: target i alone at key i + 1.
        let targets = times.len() - 1;
        let mut weights = vec![0.0; times.len() * targets];
        for i in 0..targets {
            weights[(i + 1) * targets + i] = 1.0;
        }
        let output = (!self.morphs.is_empty()).then(|| file.numbers(&weights, false));
        let names: Vec<String> =
            places[1..].iter().map(|at| format!("frame {}", (1e3 * at).round() / 1e3)).collect();
        for morph in &self.morphs {
            file.root.meshes[morph.mesh.value()].extras = raw(&json!({ "targetNames": names }));
            if let Some(output) = output {
                let path = Property::MorphTargetWeights;
                channel(&mut animation, morph.node, path, input, output);
            }
        }
        if !animation.channels.is_empty() {
            file.root.push(animation);
        }
    }
}

fn channel(
    animation: &mut Animation,
    node: Index<Node>,
    path: Property,
    input: Index<Accessor>,
    output: Index<Accessor>,
) {
    let sampler = Index::push(
        &mut animation.samplers,
        Sampler {
            extensions: None,
            extras: None,
            input,
            interpolation: Checked::Valid(Interpolation::Linear),
            output,
        },
    );
    animation.channels.push(Channel {
        sampler,
        target: Target { extensions: None, extras: None, node, path: Checked::Valid(path) },
        extensions: None,
        extras: None,
    });
}

/// Values of a mesh's vertices as those of the vertices that `of_mesh` tells.
fn spread(of_mesh: &[u32], values: Vec<[f32; 3]>) -> Vec<[f32; 3]> {
    if of_mesh.len() == values.len() {
        return values;
    }
    of_mesh.iter().map(|i| values[*i as usize]).collect()
}

impl Morph {
    /// Adds the difference of `moment` to the first frame as a target.
    fn target(&self, file: &mut File, shot: &Shot<'_>, moment: &Moment, with_normals: bool) {
        let minus = |a: &[[f32; 3]], b: &[[f32; 3]]| -> Vec<[f32; 3]> {
            a.iter().zip(b).map(|(a, b)| std::array::from_fn(|k| a[k] - b[k])).collect()
        };
        let positions = moment.world_positions(shot.scene, self.body);
        let normals = with_normals.then(|| {
            let normals = smooth_normals(shot.scene.mesh_of(self.body), &positions);
            let normals = spread(&self.of_mesh, normals);
            file.vectors(&minus(&normals, &self.normals), Some(ViewTarget::ArrayBuffer))
        });
        let positions = spread(&self.of_mesh, positions);
        let positions = Some(file.positions(&minus(&positions, &self.positions)));
        let target = MorphTarget { positions, normals, tangents: None };
        for primitive in &mut file.root.meshes[self.mesh.value()].primitives {
            primitive.targets.get_or_insert_default().push(target.clone());
        }
    }
}

impl Track {
    fn key(&mut self, shot: &Shot<'_>, moment: &Moment) {
        let time = moment.time;
        let pose = match self.what {
            What::Camera(i) => Some(camera_pose(&shot.scene.cameras[i], time)),
            What::Light(i) => light_pose(&shot.scene.lights[i], time),
            What::Body(i) => match &moment.bodies[i] {
                BodyState::Posed { translate, rotate } => {
                    let turn = DQuat::from_array(rotate.map(f64::from)).normalize();
                    Some((glam::Vec3::from_array(*translate).as_dvec3(), turn))
                }
                BodyState::Deformed { .. } => None,
            },
        };
        let Some((position, turn)) = pose else { return };
        let mut turn = turn.as_quat();
        // q and -q are one turn, but a path from one to the other goes the long way round.
        if let Some(before) = self.rotations.last()
            && Quat::from_array(*before).dot(turn) < 0.0
        {
            turn = -turn;
        }
        self.translations.push(position.as_vec3().to_array());
        self.rotations.push(turn.to_array());
    }
}
