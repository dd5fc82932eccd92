//! Places of what moves as one, groups, and cameras.

use super::ogawa::Store;
use super::property::{Kind, Numbers, Object, Pod, Property, Track};
use crate::export::stage::{Pose, SENSOR, camera_pose, picture};
use crate::scene::Scene;
use glam::DMat4;
use std::io;

const XFORM: &str = "schema=AbcGeom_Xform_v3;schemaObjTitle=AbcGeom_Xform_v3:.xform";
const XFORM_SCHEMA: &str = "schema=AbcGeom_Xform_v3";
const INHERITS: Kind = Kind::scalar(".inherits", Pod::Bool, 1);
const OPERATIONS: Kind = Kind::scalar(".ops", Pod::U8, 1).still();
const VALUES: Kind = Kind::scalar(".vals", Pod::F64, 16);
const MOVES_ANYTHING: Kind = Kind::scalar("isNotConstantIdentity", Pod::Bool, 1).still();
const ANIMATED: Kind = Kind::array(".animChans", Pod::U32, 1);

const CAMERA: &str = "schema=AbcGeom_Camera_v1;schemaObjTitle=AbcGeom_Camera_v1:.geom";
const CAMERA_SCHEMA: &str = "schema=AbcGeom_Camera_v1";
const CORE: Kind = Kind::scalar(".core", Pod::F64, 16);

/// The operation "multiply by the 16 values that follow".
const MATRIX: u8 = 3 << 4;
const IDENTITY: [f64; 16] = DMat4::IDENTITY.to_cols_array();

/// f-number of a camera that says none: it sees everything sharp, which Alembic has no word for.
const FSTOP: f64 = 5.6;
/// What a camera sees [m].
const NEAR_AND_FAR: [f64; 2] = [0.01, 1000.0];

/// A place that may change.
pub(super) struct Placing {
    values: Track,
    /// The first matrix, and which of its numbers change.
    first: Option<[f64; 16]>,
    changes: [bool; 16],
}

impl Placing {
    pub(super) fn new() -> Self {
        Self { values: Track::new(VALUES), first: None, changes: [false; 16] }
    }

    /// Where what is above it stands.
    pub(super) fn at_origin(store: &mut dyn Store) -> io::Result<Self> {
        let mut placing = Self::new();
        placing.add(store, IDENTITY)?;
        Ok(placing)
    }

    /// Adds a place and a turn.
    pub(super) fn key(&mut self, store: &mut dyn Store, (place, turn): Pose) -> io::Result<()> {
        // Its columns are the rows of a matrix that points are multiplied with from the left.
        self.add(store, DMat4::from_rotation_translation(turn, place).to_cols_array())
    }

    fn add(&mut self, store: &mut dyn Store, matrix: [f64; 16]) -> io::Result<()> {
        let first = self.first.get_or_insert(matrix);
        for (change, (a, b)) in self.changes.iter_mut().zip(first.iter().zip(&matrix)) {
            *change |= a.to_bits() != b.to_bits();
        }
        self.values.key(store, Numbers::Doubles(&matrix))
    }

    /// The object called `name` that is placed so, with those below it and further properties.
    pub(super) fn object(
        self,
        store: &mut dyn Store,
        name: String,
        further: Option<Track>,
        children: Vec<Object>,
    ) -> io::Result<Object> {
        let animated: Vec<i32> = (0..16).filter(|i| self.changes[*i as usize]).collect();
        let is_identity = animated.is_empty() && self.first == Some(IDENTITY);
        let mut tracks = vec![
            Track::fixed(store, INHERITS, Numbers::Bytes(&[1]))?,
            Track::fixed(store, OPERATIONS, Numbers::Bytes(&[MATRIX]))?,
            self.values,
        ];
        if !is_identity {
            tracks.push(Track::fixed(store, MOVES_ANYTHING, Numbers::Bytes(&[1]))?);
        }
        if !animated.is_empty() {
            tracks.push(Track::fixed(store, ANIMATED, Numbers::Ints(&animated))?);
        }
        let placed = Property::Compound {
            name: ".xform",
            meta: XFORM_SCHEMA,
            properties: tracks.into_iter().map(Property::Values).collect(),
        };
        let properties = [placed].into_iter().chain(further.map(Property::Values)).collect();
        Ok(Object { name, meta: XFORM, properties, children })
    }
}

/// A camera.
pub(super) struct Lens {
    camera: usize,
    placing: Placing,
    core: Track,
}

impl Lens {
    pub(super) fn new(camera: usize) -> Self {
        Self { camera, placing: Placing::new(), core: Track::new(CORE) }
    }

    /// Its index in the scene.
    pub(super) fn camera(&self) -> usize {
        self.camera
    }

    /// Adds what it is at script time `t`.
    pub(super) fn key(&mut self, store: &mut dyn Store, scene: &Scene, t: f64) -> io::Result<()> {
        let camera = &scene.cameras[self.camera];
        self.placing.key(store, camera_pose(camera, t))?;
        let (width, height) = picture(scene);
        // Lenses are measured in millimetres, the film in centimetres.
        let film = 0.1 * SENSOR / width.max(height);
        let sight = camera.sight_at(t);
        let away = sight.position.distance(sight.look_at);
        let (numerator, denominator) = scene.timing.fps;
        let core = [
            camera.lens.at(t),
            film * width,
            0.0, // how far the film is off its middle, to the side
            film * height,
            0.0, // and up
            1.0, // how much wider the lens makes pixels
            0.0, // overscan: left, right, top, bottom
            0.0,
            0.0,
            0.0,
            camera.fstop.as_ref().map_or(FSTOP, |fstop| fstop.at(t)),
            camera.focus.as_ref().map_or(away, |focus| focus.at(t)),
            0.0, // the shutter is open for half a frame [s], as those of film cameras are
            0.5 * f64::from(denominator) / f64::from(numerator),
            NEAR_AND_FAR[0],
            NEAR_AND_FAR[1],
        ];
        self.core.key(store, Numbers::Doubles(&core))
    }

    /// The object called `name`.
    pub(super) fn object(self, store: &mut dyn Store, name: String) -> io::Result<Object> {
        let geometry = Property::Compound {
            name: ".geom",
            meta: CAMERA_SCHEMA,
            properties: vec![Property::Values(self.core)],
        };
        let camera = Object {
            name: format!("{name}Shape"),
            meta: CAMERA,
            properties: vec![geometry],
            children: Vec::new(),
        };
        self.placing.object(store, name, None, vec![camera])
    }
}
