//! From where a shot is seen: the camera of a frame, and the stage around the bodies.

use super::palette;
use super::pictures::Pictures;
use crate::frames::Frame;
use crate::math::Curve;
use crate::scene::{Camera, Scene};
use glam::{DVec3, Vec2, Vec3A};
use std::io;
use std::path::Path;
use std::sync::Arc;

/// Width of the sensor's longer side [mm].
const SENSOR: f64 = 36.0;

/// What the renderer adds around the bodies where the script leaves it open.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// Height of the studio floor [m]; none: no floor. It is no body: id 0, no depth.
    pub floor: Option<f64>,
    /// A body that serves as ground and wears the floor's colour unless it has one of its own.
    pub ground: Option<usize>,
    /// Middle of what is shown [m].
    pub center: DVec3,
    /// Distance from the middle to the farthest point shown [m].
    pub radius: f64,
    /// Horizontal direction in which the shot's camera looks at its first frame (unit): the key
    /// light of the studio comes from its upper left.
    pub heading: DVec3,
}

impl Stage {
    /// The stage of a shot whose frames are not known yet, for a camera of the script: a ground if
    /// the scene has one, no studio floor (nobody knows how deep things will fall).
    pub fn at_start(scene: &Scene) -> Self {
        let mut bounds: Option<(DVec3, DVec3)> = None;
        let ground = ground_of(scene, None);
        for (index, body) in scene.bodies.iter().enumerate() {
            if !body.visible || Some(index) == ground || scene.mesh_of(index).positions.is_empty() {
                continue;
            }
            for p in body.places_at(scene.mesh_of(index), 0.0) {
                bounds = Some(bounds.map_or((p, p), |(a, b)| (a.min(p), b.max(p))));
            }
        }
        let (low, high) = bounds.unwrap_or((DVec3::splat(-1.0), DVec3::splat(1.0)));
        Self {
            floor: None,
            ground,
            center: (low + high) * 0.5,
            radius: ((high - low).length() * 0.5).max(1e-3),
            heading: DVec3::NEG_Z,
        }
    }

    /// Distances from the centre between which the studio floor fades into the backdrop [m].
    pub fn fade(&self) -> (f32, f32) {
        (self.radius as f32 * 2.0, self.radius as f32 * 7.0)
    }

    /// Towards the studio's key light (unit): from the upper left behind the camera.
    pub fn key_direction(&self) -> DVec3 {
        let heading = (self.heading * DVec3::new(1.0, 0.0, 1.0)).normalize_or(DVec3::NEG_Z);
        let left = DVec3::Y.cross(heading);
        (left * 0.80 - heading * 0.46 + DVec3::Y * 1.02).normalize()
    }
}

/// A still, flat, wide body below everything that moves: the ground of a scene, if it has one.
/// `reach` are the corners of what moves (none: of all other bodies' meshes at the start).
pub(super) fn ground_of(scene: &Scene, reach: Option<(DVec3, DVec3)>) -> Option<usize> {
    let still = |i: usize| {
        let body = &scene.bodies[i];
        body.visible && body.is_collider() && !body.is_moved()
    };
    let corners = |i: usize| {
        let mut points = scene.bodies[i].places_at(scene.mesh_of(i), 0.0).into_iter();
        let first = points.next()?;
        Some(points.fold((first, first), |(low, high), p| (low.min(p), high.max(p))))
    };
    let (low, high) = match reach {
        Some(reach) => reach,
        None => (0..scene.bodies.len())
            .filter(|&i| !still(i) && scene.bodies[i].visible)
            .filter_map(corners)
            .reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))?,
    };
    let slack = (high - low).length() * 0.02;
    (0..scene.bodies.len()).filter(|&i| still(i)).find(|&i| {
        let Some((a, b)) = corners(i) else { return false };
        let size = b - a;
        let flat = size.y <= 0.1 * size.x.min(size.z);
        let below = a.y <= low.y + slack;
        let wide = a.x <= low.x && a.z <= low.z && b.x >= high.x && b.z >= high.z;
        flat && below && wide
    })
}

/// Height of the top of body `index` at the start [m].
pub(super) fn top_of(scene: &Scene, index: usize) -> f64 {
    let places = scene.bodies[index].places_at(scene.mesh_of(index), 0.0);
    places.iter().map(|p| p.y).fold(f64::NEG_INFINITY, f64::max)
}

/// How a shot is seen: a camera over time and the stage.
#[derive(Clone, Debug)]
pub struct View {
    /// The camera; its `name` is empty where the renderer chose it.
    pub camera: Camera,
    /// What lies around the bodies.
    pub stage: Stage,
    /// Pictures that looks and lights name.
    pub pictures: Arc<Pictures>,
}

impl View {
    /// The script's camera `index` on `stage`. The stage's heading becomes the camera's.
    pub fn of_camera(scene: &Scene, index: usize, mut stage: Stage) -> io::Result<Self> {
        let camera = scene.cameras[index].clone();
        // One key light for all cameras of a shot: by the first one.
        let first = &scene.cameras[0];
        let sight = first.sight_at(0.0);
        let looks = sight.look_at - sight.position;
        stage.heading = (looks * DVec3::new(1.0, 0.0, 1.0)).normalize_or(DVec3::NEG_Z);
        Ok(Self { camera, stage, pictures: Arc::new(Pictures::read(scene, Path::new(""))?) })
    }

    /// Where the camera stands at frame `number`.
    pub fn sighting(&self, scene: &Scene, number: i32) -> Sighting {
        let pose = Pose::of(&self.camera, scene.timing.script_time(number));
        let Pose { position, look_at, up, lens, .. } = pose;
        Sighting { position, look_at, up, lens }
    }

    /// The colour of body `index` from afar, linear: its base colour, by the mean of its picture of colours.
    pub fn color_of(&self, scene: &Scene, index: usize) -> [f32; 3] {
        let color = palette::color_of(scene, index, self.stage.ground == Some(index));
        let file = scene.bodies[index].look.color_map.as_ref();
        let mean = file.and_then(|file| self.pictures.color(file)).map(|picture| picture.mean());
        (color * mean.unwrap_or(Vec3A::ONE)).to_array()
    }

    /// The colour of the studio's floor, linear.
    pub fn floor_color() -> [f32; 3] {
        palette::from_hex(palette::FLOOR).to_array()
    }

    /// The camera at frame `number`.
    pub fn at(&self, scene: &Scene, number: i32) -> ResolvedCamera {
        let pose = |number| Pose::of(&self.camera, scene.timing.script_time(number));
        ResolvedCamera {
            poses: [pose(number), pose(number + 1)],
            stage: self.stage.clone(),
            pictures: Arc::clone(&self.pictures),
        }
    }
}

/// Where a camera stands at a frame and how it looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sighting {
    /// Where it stands [m].
    pub position: DVec3,
    /// What it looks at [m].
    pub look_at: DVec3,
    /// What is up in the picture, as far as it is across the way it looks.
    pub up: DVec3,
    /// Focal length [mm] on a sensor whose longer side is 36 mm.
    pub lens: f64,
}

/// A camera at a frame (and at the next one, for motion blur), with the stage.
#[derive(Clone, Debug)]
pub struct ResolvedCamera {
    poses: [Pose; 2],
    /// What lies around the bodies.
    pub stage: Stage,
    pub(super) pictures: Arc<Pictures>,
}

impl ResolvedCamera {
    /// A still camera without any stage, for pictures of single frames.
    pub fn still(position: DVec3, look_at: DVec3, lens: f64, stage: Stage) -> Self {
        let camera = still_camera(position, look_at, lens);
        let pose = Pose::of(&camera, 0.0);
        Self { poses: [pose; 2], stage, pictures: Arc::default() }
    }

    /// The camera a part `blend` (0..1) of the way to the next frame.
    pub(super) fn between(&self, blend: f64) -> Pose {
        let [a, b] = &self.poses;
        let mix = |a: f64, b: f64| a + (b - a) * blend;
        Pose {
            position: a.position.lerp(b.position, blend),
            look_at: a.look_at.lerp(b.look_at, blend),
            up: a.up.lerp(b.up, blend),
            lens: mix(a.lens, b.lens),
            focus: mix(a.focus, b.focus),
            aperture: mix(a.aperture, b.aperture),
        }
    }

    /// The place of a world point in a picture of `width` x `height` pixels, counted from the upper
    /// left corner, and its distance along the viewing axis [m]; none behind the camera.
    pub fn project(&self, point: DVec3, width: u32, height: u32) -> Option<(f64, f64, f64)> {
        let lens = Lens::new(&self.between(0.0), width, height);
        let to = point - self.poses[0].position;
        let depth = to.dot(lens.forward.as_dvec3());
        if depth <= 0.0 {
            return None;
        }
        let x = to.dot(lens.right.as_dvec3()) / (depth * f64::from(lens.tan.x));
        let y = to.dot(lens.up.as_dvec3()) / (depth * f64::from(lens.tan.y));
        Some(((x + 1.0) * 0.5 * f64::from(width), (1.0 - y) * 0.5 * f64::from(height), depth))
    }
}

/// A camera that does not move.
pub(super) fn still_camera(position: DVec3, look_at: DVec3, lens: f64) -> Camera {
    Camera {
        name: String::new(),
        place: crate::diagnostics::Place::default(),
        position: Curve::Constant(position),
        look_at: Curve::Constant(look_at),
        clip: None,
        lens: Curve::Constant(lens),
        focus: None,
        fstop: None,
    }
}

/// Where a camera stands at a moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pose {
    position: DVec3,
    look_at: DVec3,
    up: DVec3,
    /// Focal length [mm].
    lens: f64,
    /// Distance in focus [m].
    focus: f64,
    /// Radius of the opening [m]; 0: everything is sharp.
    aperture: f64,
}

impl Pose {
    pub(super) fn of(camera: &Camera, time: f64) -> Self {
        let finite = |p: DVec3| if p.is_finite() { p } else { DVec3::ZERO };
        let sight = camera.sight_at(time);
        let (position, look_at) = (finite(sight.position), finite(sight.look_at));
        let lens = camera.lens.at(time);
        let lens = if lens.is_finite() { lens.clamp(1.0, 5000.0) } else { 50.0 };
        let focus = camera.focus.as_ref().map_or(position.distance(look_at), |f| f.at(time));
        let opening = camera.fstop.as_ref().map_or(0.0, |f| lens * 1e-3 / (2.0 * f.at(time)));
        Self {
            position,
            look_at,
            up: sight.up,
            lens,
            focus: if focus.is_finite() { focus.max(1e-3) } else { 1.0 },
            aperture: if opening.is_finite() { opening.clamp(0.0, 10.0) } else { 0.0 },
        }
    }
}

/// A camera ready to make rays for one picture size.
pub(super) struct Lens {
    position: Vec3A,
    right: Vec3A,
    up: Vec3A,
    pub(super) forward: Vec3A,
    /// Half the picture's width and height at distance 1.
    tan: Vec2,
    focus: f32,
    aperture: f32,
    size: Vec2,
}

impl Lens {
    pub(super) fn new(pose: &Pose, width: u32, height: u32) -> Self {
        let forward = (pose.look_at - pose.position).normalize_or(DVec3::NEG_Z);
        // Looking straight up or down, the top of the picture is -Z.
        let right = forward
            .cross(pose.up)
            .try_normalize()
            .filter(|_| forward.dot(pose.up).abs() < 0.999_999)
            .unwrap_or(DVec3::X);
        let up = right.cross(forward);
        let (w, h) = (f64::from(width), f64::from(height));
        let half = SENSOR * 0.5 / pose.lens / w.max(h);
        Self {
            position: pose.position.as_vec3a(),
            right: right.as_vec3a(),
            up: up.as_vec3a(),
            forward: forward.as_vec3a(),
            tan: Vec2::new((half * w) as f32, (half * h) as f32),
            focus: pose.focus as f32,
            aperture: pose.aperture as f32,
            size: Vec2::new(width as f32, height as f32),
        }
    }

    /// The ray through a place in the picture [pixels from the upper left corner] and a place in
    /// the opening (in the unit disc); the direction has length 1.
    pub(super) fn ray(&self, pixel: Vec2, opening: Vec2) -> (Vec3A, Vec3A) {
        let p = pixel / self.size * 2.0 - Vec2::ONE;
        let x = self.right * (p.x * self.tan.x) - self.up * (p.y * self.tan.y);
        let toward = self.forward + x;
        if self.aperture <= 0.0 {
            return (self.position, toward.normalize());
        }
        let shift = (self.right * opening.x + self.up * opening.y) * self.aperture;
        (self.position + shift, (toward * self.focus - shift).normalize())
    }

    /// Whether places in the opening matter.
    pub(super) fn has_opening(&self) -> bool {
        self.aperture > 0.0
    }
}

/// Where a frame's bodies are: used by framing and by the stage.
pub(super) fn finite_positions(scene: &Scene, frame: &Frame, body: usize) -> Vec<DVec3> {
    let Some(state) = frame.bodies.get(body) else { return Vec::new() };
    let points = state.world_positions(&scene.mesh_of(body).positions);
    points
        .iter()
        .map(|p| DVec3::from_array(p.map(f64::from)))
        .filter(|p| p.is_finite() && p.abs().max_element() < 1e6)
        .collect()
}

impl Lens {
    /// Right, up, and half the picture's width and height at distance 1.
    pub(super) fn axes(&self) -> (DVec3, DVec3, (f64, f64)) {
        let tan = (f64::from(self.tan.x), f64::from(self.tan.y));
        (self.right.as_dvec3(), self.up.as_dvec3(), tan)
    }
}
