//! Cameras and lights, and the places of what moves as one.

use super::layer::{Kind, Prim, Store, Tracks, Value};
use crate::export::stage::{Pose, SENSOR, camera_pose, light_pose, picture};
use crate::scene::{Light, LightKind, Scene};
use glam::DMat4;
use std::f64::consts::PI;
use std::io;

const TRANSFORM: Kind = Kind::new("xformOp:transform", "matrix4d");
const ORDER: Kind = Kind::uniform("xformOpOrder", "token[]");

const FOCAL_LENGTH: Kind = Kind::new("focalLength", "float");
const WIDTH: Kind = Kind::new("horizontalAperture", "float");
const HEIGHT: Kind = Kind::new("verticalAperture", "float");
const CLIPPING: Kind = Kind::new("clippingRange", "float2");
const FOCUS: Kind = Kind::new("focusDistance", "float");
const FSTOP: Kind = Kind::new("fStop", "float");

const INTENSITY: Kind = Kind::new("inputs:intensity", "float");
const LIGHT_COLOR: Kind = Kind::new("inputs:color", "color3f");
const NORMALIZE: Kind = Kind::new("inputs:normalize", "bool");
const ANGLE: Kind = Kind::new("inputs:angle", "float");
const LAMP_WIDTH: Kind = Kind::new("inputs:width", "float");
const LAMP_HEIGHT: Kind = Kind::new("inputs:height", "float");
const RADIUS: Kind = Kind::new("inputs:radius", "float");

/// USD measures lenses and sensors in tenths of the unit of length, which is the metre.
const TENTHS_PER_MM: f64 = 0.01;

/// Adds a place and a turn as a matrix.
pub(super) fn key_pose(tracks: &mut Tracks, store: &mut dyn Store, pose: Pose) -> io::Result<()> {
    let (place, turn) = pose;
    let matrix = DMat4::from_rotation_translation(turn, place);
    // Its columns are the rows of a matrix that points are multiplied with from the left.
    tracks.key(store, TRANSFORM, Value::Matrix(matrix.to_cols_array()))
}

/// Tells that the matrix places the prim.
pub(super) fn order_pose(store: &mut dyn Store, prim: &mut Prim) -> io::Result<()> {
    prim.fix(store, ORDER, Value::Tokens(&[TRANSFORM.name]))
}

/// A camera.
pub(super) struct Lens {
    camera: usize,
    tracks: Tracks,
}

impl Lens {
    pub(super) fn new(camera: usize) -> Self {
        Self { camera, tracks: Tracks::default() }
    }

    /// Its index in the scene.
    pub(super) fn camera(&self) -> usize {
        self.camera
    }

    /// Adds what it is at script time `t`.
    pub(super) fn key(&mut self, store: &mut dyn Store, scene: &Scene, t: f64) -> io::Result<()> {
        let camera = &scene.cameras[self.camera];
        let tracks = &mut self.tracks;
        key_pose(tracks, store, camera_pose(camera, t))?;
        let lens = (camera.lens.at(t) * TENTHS_PER_MM) as f32;
        tracks.key(store, FOCAL_LENGTH, Value::Float(lens))?;
        if let Some(fstop) = &camera.fstop {
            let sight = camera.sight_at(t);
            let away = sight.position.distance(sight.look_at);
            let focus = camera.focus.as_ref().map_or(away, |focus| focus.at(t));
            tracks.key(store, FOCUS, Value::Float(focus as f32))?;
            tracks.key(store, FSTOP, Value::Float(fstop.at(t) as f32))?;
        }
        Ok(())
    }

    /// The prim.
    pub(super) fn prim(self, store: &mut dyn Store, scene: &Scene) -> io::Result<Prim> {
        let mut prim = Prim::new("", "Camera");
        let (width, height) = picture(scene);
        let sensor = SENSOR * TENTHS_PER_MM / width.max(height);
        prim.fix(store, WIDTH, Value::Float((sensor * width) as f32))?;
        prim.fix(store, HEIGHT, Value::Float((sensor * height) as f32))?;
        prim.fix(store, CLIPPING, Value::Float2([0.01, 1000.0]))?;
        order_pose(store, &mut prim)?;
        self.tracks.give(&mut prim);
        Ok(prim)
    }
}

/// A light; a sky has its colour alone, and none where it is a picture.
pub(super) struct Lamp {
    light: usize,
    tracks: Tracks,
}

impl Lamp {
    pub(super) fn new(light: usize) -> Self {
        Self { light, tracks: Tracks::default() }
    }

    /// Its index in the scene.
    pub(super) fn light(&self) -> usize {
        self.light
    }

    /// Adds what it is at script time `t`.
    pub(super) fn key(&mut self, store: &mut dyn Store, scene: &Scene, t: f64) -> io::Result<()> {
        let light = &scene.lights[self.light];
        if let Some(pose) = light_pose(light, t) {
            key_pose(&mut self.tracks, store, pose)?;
        }
        let strength = light.strength.at(t).max(0.0);
        let intensity = match light.kind {
            // Normalized: what arrives at a surface [W/m2]; of a sky, what it shines with.
            LightKind::Sun { .. } | LightKind::Sky { .. } => strength,
            // Normalized: a matt lamp of any size sends out pi times as many watts.
            LightKind::Area { .. } | LightKind::Point { .. } => strength / PI,
        };
        self.tracks.key(store, INTENSITY, Value::Float(intensity as f32))
    }

    /// The prim.
    pub(super) fn prim(self, store: &mut dyn Store, light: &Light) -> io::Result<Option<Prim>> {
        let type_name = match &light.kind {
            LightKind::Sun { .. } => "DistantLight",
            LightKind::Area { .. } => "RectLight",
            LightKind::Point { .. } => "SphereLight",
            LightKind::Sky { image: None } => "DomeLight",
            LightKind::Sky { image: Some(_) } => return Ok(None),
        };
        let mut prim = Prim::new("", type_name);
        let color = light.color.0.map(|c| c as f32);
        prim.fix(store, LIGHT_COLOR, Value::Float3(color))?;
        match &light.kind {
            LightKind::Sun { angle, .. } => {
                prim.fix(store, ANGLE, Value::Float(*angle as f32))?;
            }
            LightKind::Area { size, .. } => {
                prim.fix(store, LAMP_WIDTH, Value::Float(*size as f32))?;
                prim.fix(store, LAMP_HEIGHT, Value::Float(*size as f32))?;
            }
            LightKind::Point { size, .. } => {
                prim.fix(store, RADIUS, Value::Float((0.5 * size) as f32))?;
            }
            LightKind::Sky { .. } => {}
        }
        if !matches!(light.kind, LightKind::Sky { .. }) {
            prim.fix(store, NORMALIZE, Value::Bool(true))?;
            order_pose(store, &mut prim)?;
        }
        self.tracks.give(&mut prim);
        Ok(Some(prim))
    }
}
