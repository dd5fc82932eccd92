//! The frames of a shot as bytes, and what lies where in them.

use super::plan::{Cost, Plan, kept};
use super::surface::{Surface, is_sheet};
use super::{Mark, MarkKind, Playback, SCRIPT, STYLE, Show};
use crate::diagnostics::Diagnostic;
use crate::frames::{BodyState, Drawn};
use crate::render::{Sighting, View};
use crate::report::table::five_digits;
use crate::scene::{BodyKind, LightKind, Scene};
use glam::DVec3;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Steps of 16 bits.
const STEPS: f64 = 65535.0;
/// Farther from the origin nothing is drawn [m].
const FARTHEST: f32 = 1e6;
/// Names that are told of the bodies that are left out; what is beyond is counted.
const NAMES: usize = 8;
/// Texts of a mark beyond so many are counted.
const TEXTS: usize = 4;

/// A playback of `show`.
pub(super) fn encode(show: &Show<'_>) -> Result<Playback, Diagnostic> {
    let drawn = Drawn::new(show.scene);
    let scene = drawn.scene();
    let numbers = show.frames.numbers();
    let cast = Cast::new(scene);
    let marks = marks(&show.marks);
    let fixed = fixed_bytes(scene, numbers.len(), &marks);
    // Base64 has four letters for three bytes.
    let room = show.page_bytes.saturating_sub(show.other_bytes + fixed);
    let most = room / 4 * 3;
    let sizes = cast.surface_bytes(scene);
    let plan = Plan::new(numbers.len(), &cast.costs(scene), &sizes, most);
    let shown: Vec<i32> = kept(numbers.len(), plan.every).map(|i| numbers[i]).collect();

    let mut tracks: Vec<Track> = cast.bodies.iter().map(|_| Track::default()).collect();
    let mut times = Vec::new();
    for number in &shown {
        let frame = show.frames.frame(*number)?;
        let frame = drawn.frame(&frame);
        if !frame.is_of(scene) {
            return Err(Diagnostic::error(format!("frame {number} is not of this scene")));
        }
        times.push(frame.time);
        for (place, index) in cast.bodies.iter().enumerate().filter(|(p, _)| plan.is_in[*p]) {
            tracks[place].add(&frame.bodies[*index], scene, *index, cast.surface(place));
        }
    }

    let mut bytes = Bytes::default();
    let mut surfaces = vec![Value::Null; cast.surfaces.len()];
    let mut bodies = Vec::new();
    let mut coarsest: f64 = 0.0;
    let view = show.views.first().ok_or_else(|| Diagnostic::error("a playback needs a camera"))?;
    for (place, &index) in cast.bodies.iter().enumerate().filter(|(p, _)| plan.is_in[*p]) {
        let number = cast.surface_of[place];
        if surfaces[number].is_null() {
            surfaces[number] = surface_json(scene, index, &cast.surfaces[number], &mut bytes);
        }
        let mut body = body_json(scene, index, view);
        body["surface"] = json!(number);
        if let Some(there) = presence(scene, index, &times) {
            body["there"] = there;
        }
        tracks[place].write(&mut body, &mut bytes, &mut coarsest);
        bodies.push(body);
    }
    let left_out: Vec<&str> = (0..cast.bodies.len())
        .filter(|place| !plan.is_in[*place])
        .map(|place| scene.bodies[cast.bodies[place]].name.as_str())
        .collect();
    let words = words(numbers.len(), &plan, &left_out, coarsest, show.page_bytes);
    let (fps, size) = (scene.timing.fps, picture(scene));
    let about = json!({
        "fps": [fps.0, fps.1],
        "frames": shown,
        "times": times,
        "picture": size,
        "cameras": show.views.iter().map(|v| camera_json(v, scene, &shown, &mut bytes)).collect::<Vec<_>>(),
        "stage": stage_json(view, scene),
        "surfaces": surfaces,
        "bodies": bodies,
        "marks": marks,
    });
    Ok(Playback { about, bytes: bytes.0, words })
}

/// The bodies that have a surface, and their surfaces.
struct Cast {
    /// Indices into the scene's bodies.
    bodies: Vec<usize>,
    /// The surface of each.
    surface_of: Vec<usize>,
    surfaces: Vec<Surface>,
    /// The body that each surface was made of.
    first_with: Vec<usize>,
}

impl Cast {
    fn new(scene: &Scene) -> Self {
        let mut cast = Self {
            bodies: Vec::new(),
            surface_of: Vec::new(),
            surfaces: Vec::new(),
            first_with: Vec::new(),
        };
        let mut known = BTreeMap::new();
        for (index, body) in scene.bodies.iter().enumerate() {
            if scene.mesh_of(index).triangles.is_empty() {
                continue;
            }
            let key = (body.mesh, is_sheet(scene, index), body.keeps_shape());
            let number = *known.entry(key).or_insert_with(|| {
                cast.surfaces.push(Surface::of(scene, index));
                cast.first_with.push(index);
                cast.surfaces.len() - 1
            });
            cast.bodies.push(index);
            cast.surface_of.push(number);
        }
        cast
    }

    fn surface(&self, place: usize) -> &Surface {
        &self.surfaces[self.surface_of[place]]
    }

    fn surface_bytes(&self, scene: &Scene) -> Vec<usize> {
        let keeps_shape = |i: usize| scene.bodies[self.first_with[i]].keeps_shape();
        self.surfaces.iter().enumerate().map(|(i, s)| s.bytes(keeps_shape(i))).collect()
    }

    fn costs(&self, scene: &Scene) -> Vec<Cost> {
        let cost = |(place, index): (usize, &usize)| {
            let (body, surface) = (&scene.bodies[*index], self.surface_of[place]);
            let each = if !body.keeps_shape() {
                6 * self.surfaces[surface].vertices.len()
            } else if body.is_collider() && !body.is_moved() {
                0
            } else {
                POSE_BYTES
            };
            Cost { surface, each, visible: body.visible }
        };
        self.bodies.iter().enumerate().map(cost).collect()
    }
}

/// Bytes of a pose: three of the place, four of the turn.
const POSE_BYTES: usize = 28;

/// Bytes of all that does not hang on which frames and bodies are there, and a little more.
fn fixed_bytes(scene: &Scene, frames: usize, marks: &Value) -> usize {
    let script: usize = SCRIPT.iter().map(|part| part.len()).sum();
    let names: usize = scene.bodies.iter().map(|b| 6 * b.name.len() + 700).sum();
    let cameras = scene.cameras.iter().map(|c| 6 * c.name.len() + 200 + 54 * frames).sum::<usize>();
    script + STYLE.len() + names + cameras + 40 * frames + super::in_script(marks).len() + 16384
}

/// Where a body is, frame by frame.
#[derive(Default)]
struct Track {
    poses: Vec<[f32; 7]>,
    /// World places of its surface's vertices, where it has no pose.
    places: Vec<Vec<[f32; 3]>>,
}

impl Track {
    fn add(&mut self, state: &BodyState, scene: &Scene, index: usize, surface: &Surface) {
        let mesh = &scene.mesh_of(index).positions;
        match state {
            BodyState::Posed { translate: [x, y, z], rotate: [a, b, c, d] }
                if scene.bodies[index].keeps_shape() =>
            {
                self.poses.push([*x, *y, *z, *a, *b, *c, *d]);
            }
            state => {
                let all = state.world_positions(mesh);
                self.places.push(surface.vertices.iter().map(|v| all[*v as usize]).collect());
            }
        }
    }

    /// Writes it into `bytes` and says in `body` where; notes in `coarsest` how far a place may be off [m].
    fn write(&self, body: &mut Value, bytes: &mut Bytes, coarsest: &mut f64) {
        if self.places.is_empty() {
            let stands = self.poses.windows(2).all(|w| w[0] == w[1]);
            let poses = if stands { &self.poses[..self.poses.len().min(1)] } else { &self.poses };
            let at = bytes.f32s(poses.iter().flatten().copied());
            body["poses"] = json!({ "at": at, "count": poses.len() });
            return;
        }
        let (low, high) = bounds(&self.places);
        let step = (high - low) / STEPS;
        *coarsest = coarsest.max(0.5 * step.max_element());
        let at = bytes.u16s(self.places.iter().flatten().flat_map(|p| quantised(*p, low, step)));
        body["places"] = json!({ "at": at, "low": low.to_array(), "step": step.to_array() });
    }
}

/// Corners of a box around all places that are drawn.
fn bounds(frames: &[Vec<[f32; 3]>]) -> (DVec3, DVec3) {
    let near = |p: &&[f32; 3]| p.iter().all(|x| x.abs() < FARTHEST);
    let places = frames.iter().flatten().filter(near).map(|p| DVec3::from_array(p.map(f64::from)));
    let corners = places.map(|p| (p, p)).reduce(|(a, b), (c, d)| (a.min(c), b.max(d)));
    corners.unwrap_or_default()
}

/// The step of 16 bits along each axis that lies next to a place; what is out of bounds is put on them.
fn quantised(place: [f32; 3], low: DVec3, step: DVec3) -> [u16; 3] {
    let nearest = |axis: usize| {
        let steps = (f64::from(place[axis]) - low[axis]) / step[axis];
        // Not a number where all places are the same: the first step.
        steps.round().clamp(0.0, STEPS) as u16
    };
    [0, 1, 2].map(nearest)
}

/// The surface of body `index`, with its own places where it keeps its shape.
fn surface_json(scene: &Scene, index: usize, surface: &Surface, bytes: &mut Bytes) -> Value {
    let (corners, triangles) = (&surface.corners, &surface.triangles);
    let mut value = json!({
        "vertices": surface.vertices.len(),
        "normals": surface.normals,
        "corners": { "at": bytes.u32s(corners.iter().flatten().copied()), "count": corners.len() },
        "triangles": {
            "at": bytes.u32s(triangles.iter().flatten().copied()),
            "count": triangles.len(),
        },
    });
    if scene.bodies[index].keeps_shape() {
        let mesh = &scene.mesh_of(index).positions;
        let points = surface.vertices.iter().map(|v| mesh[*v as usize].as_vec3().to_array());
        value["points"] = json!(bytes.f32s(points.flatten()));
    }
    value
}

fn body_json(scene: &Scene, index: usize, view: &View) -> Value {
    let body = &scene.bodies[index];
    let kind = match body.kind {
        BodyKind::Cloth(_) => "cloth",
        BodyKind::Soft(_) => "soft",
        BodyKind::Rigid(_) => "rigid",
        BodyKind::Rope(_) => "rope",
        BodyKind::Collider => "collider",
    };
    let look = &body.look;
    json!({
        "name": body.name,
        "kind": kind,
        "color": view.color_of(scene, index),
        "roughness": look.roughness,
        "metallic": look.metallic,
        "opacity": look.opacity * (1.0 - 0.75 * look.transmission),
        "shown": body.visible,
        "ground": view.stage.floor.is_some() && view.stage.ground == Some(index),
    })
}

/// The first and last of the shown frames in which a body is there, none where it is in all of them; a first
/// that lies behind the last where it is in none.
fn presence(scene: &Scene, index: usize, times: &[f64]) -> Option<Value> {
    let is_there = |t: &f64| scene.bodies[index].is_there(*t);
    if times.iter().all(is_there) {
        return None;
    }
    let range = times.iter().position(is_there).zip(times.iter().rposition(is_there));
    Some(range.map_or_else(|| json!([1, 0]), |(first, last)| json!([first, last])))
}

fn camera_json(view: &View, scene: &Scene, frames: &[i32], bytes: &mut Bytes) -> Value {
    let mut sights: Vec<[f32; 10]> = frames
        .iter()
        .map(|n| {
            let Sighting { position, look_at, up, lens } = view.sighting(scene, *n);
            let of = |v: DVec3| v.as_vec3().to_array();
            let ([a, b, c], [d, e, f], [g, h, i]) = (of(position), of(look_at), of(up));
            [a, b, c, d, e, f, g, h, i, lens as f32]
        })
        .collect();
    if sights.windows(2).all(|w| w[0] == w[1]) {
        sights.truncate(1);
    }
    json!({
        "name": view.camera.name,
        "sights": { "at": bytes.f32s(sights.iter().flatten().copied()), "count": sights.len() },
    })
}

fn stage_json(view: &View, scene: &Scene) -> Value {
    let stage = &view.stage;
    let sun = scene.lights.iter().find_map(|light| match light.kind {
        LightKind::Sun { direction, .. } => (-direction).try_normalize(),
        _ => None,
    });
    let (from, to) = stage.fade();
    json!({
        "center": stage.center.to_array(),
        "radius": stage.radius,
        "key": sun.unwrap_or_else(|| stage.key_direction()).to_array(),
        "floor": stage.floor.map(|height| json!({ "height": height, "color": View::floor_color() })),
        "fade": [from, to],
    })
}

/// Width and height of the shot's pictures, or the shape of those that it has not.
fn picture(scene: &Scene) -> [u32; 2] {
    scene.output.images.as_ref().map_or([16, 9], |i| [i.width.max(1), i.height.max(1)])
}

/// The marks by frame and kind.
fn marks(marks: &[Mark]) -> Value {
    let mut by_frame: BTreeMap<(i32, MarkKind), Vec<&str>> = BTreeMap::new();
    for mark in marks {
        by_frame.entry((mark.frame, mark.kind)).or_default().push(&mark.text);
    }
    let one = |((frame, kind), texts): ((i32, MarkKind), Vec<&str>)| {
        let mut text = texts[..texts.len().min(TEXTS)].join("; ");
        if texts.len() > TEXTS {
            let _ = write!(text, "; and {} more", texts.len() - TEXTS);
        }
        json!({ "frame": frame, "kind": kind.name(), "text": text })
    };
    by_frame.into_iter().map(one).collect()
}

/// What the person should know of how much is there.
fn words(
    frames: usize,
    plan: &Plan,
    left_out: &[&str],
    coarsest: f64,
    page_bytes: usize,
) -> String {
    let mut words = Vec::new();
    if coarsest > 0.0 {
        let off = five_digits(rounded_up(1000.0 * coarsest));
        words.push(format!("What deforms is shown to {off} mm."));
    }
    let megabytes = page_bytes.div_ceil(1_000_000);
    if plan.every > 1 {
        words.push(format!(
            "One frame in {} of the {frames}, and the last, are here: all of them would make the page larger than \
             {megabytes} MB.",
            plan.every
        ));
    }
    if !left_out.is_empty() {
        let mut told = left_out[..left_out.len().min(NAMES)].join(", ");
        if left_out.len() > NAMES {
            let _ = write!(told, " and {} more", left_out.len() - NAMES);
        }
        words.push(format!("Not here, so that the page stays below {megabytes} MB: {told}."));
    }
    words.join(" ")
}

/// A positive number with one digit, not smaller.
fn rounded_up(x: f64) -> f64 {
    let power = libm::pow(10.0, libm::floor(libm::log10(x)));
    libm::ceil(x / power * (1.0 - 1e-9)) * power
}

/// Numbers of one kind after another, little-endian, each row of them at a multiple of four.
#[derive(Default)]
struct Bytes(Vec<u8>);

impl Bytes {
    fn put<const N: usize>(&mut self, values: impl Iterator<Item = [u8; N]>) -> usize {
        let at = self.0.len();
        values.for_each(|value| self.0.extend(value));
        self.0.resize(self.0.len().next_multiple_of(4), 0);
        at
    }

    fn f32s(&mut self, values: impl Iterator<Item = f32>) -> usize {
        self.put(values.map(f32::to_le_bytes))
    }

    fn u32s(&mut self, values: impl Iterator<Item = u32>) -> usize {
        self.put(values.map(u32::to_le_bytes))
    }

    fn u16s(&mut self, values: impl Iterator<Item = u16>) -> usize {
        self.put(values.map(u16::to_le_bytes))
    }
}
