//! The description of a shot: plain data that the director writes and everything else reads.
//!
//! Units are SI, angles in degrees, Y up. Every entity knows the script line that made it.

mod body;
mod camera;
mod clip;
mod constraint;
mod expression;
mod force;
mod map;
mod material;
mod method;
mod output;
mod palette;
mod picture;
mod settings;
mod springs;
mod validate;
pub mod world;

pub use body::{Body, BodyKind, Cloth, Look, Mass, Pressure, RestShape, Rigid, Rope, Soft};
pub use camera::{Camera, Color, Light, LightKind, Sight};
pub use clip::Clip;
pub use constraint::{
    Anchor, Constraint, ConstraintKind, Goal, Joint, JointKind, Motion, Motor, Move, Points,
    StitchGap, StitchPair,
};
pub use expression::{Field, FieldAt, Given, One, Step, Two};
pub use force::{Force, ForceKind, Per};
pub use map::{MappedCurve, VertexMap};
pub use material::{
    ClothMaterial, Elastic, Flex3d, FrictionReading, MatchingMode, Membrane, Plastic,
    ShapeMatching, SoftMaterial,
};
pub use method::{METHODS, Matter, Method, Traits};
pub use output::{
    Caches, GltfMode, ImageFormat, Images, Layer, MOST_SUBFRAMES, ObjMode, Output, Sheet,
};
pub use picture::{PictureFile, PictureFormat};
pub use settings::{Collisions, ContactPair, Guard, SolverSettings};
pub use springs::{Damp, Springs};

use crate::diagnostics::Place;
use crate::geometry::TriMesh;
use crate::math::Curve;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Format number of the serialised scene; raised when its meaning changes.
pub const SCENE_VERSION: u32 = 11;

/// A whole shot as plain data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scene {
    /// [`SCENE_VERSION`] of the writer.
    pub version: u32,
    /// File-safe name of the shot: the name of its folder and files.
    pub name: String,
    /// The script that made it, its parameters and its hash.
    pub source: Source,
    /// Frames and time.
    pub timing: Timing,
    /// Gravity [m/s2] over time.
    pub gravity: Curve<DVec3>,
    /// Seed of the shot's own random streams.
    pub seed: u64,
    /// Meshes; bodies refer to them by index, equal meshes are one.
    pub meshes: Vec<TriMesh>,
    /// Cloths and colliders, in the order of the script.
    pub bodies: Vec<Body>,
    /// Pins, attachments, stitches, freezes, in the order of the script.
    pub constraints: Vec<Constraint>,
    /// Forces, in the order of the script.
    pub forces: Vec<Force>,
    /// Settings of single pairs of bodies; a later one wins over an earlier one.
    pub contact_pairs: Vec<ContactPair>,
    /// Collision settings of bodies that say nothing themselves.
    pub collisions: Collisions,
    /// How the shot is solved.
    pub solver: SolverSettings,
    /// Cameras; may be empty (production then frames the shot itself).
    pub cameras: Vec<Camera>,
    /// Lights; may be empty (a sun and a sky are then chosen).
    pub lights: Vec<Light>,
    /// What is written.
    pub output: Output,
    /// Measures of the script; their functions stay with the director.
    pub measures: Vec<Measure>,
    /// Number of `on_frame` functions of the script; the functions stay with the director.
    pub callbacks: u32,
}

/// Where a scene comes from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Source {
    /// Script file, relative to the project's root.
    pub script: String,
    /// blake3 of all Lua sources read, as hex.
    pub script_hash: String,
    /// What the `on_frame` functions are with all that they can reach, as hex; empty where there are none.
    #[serde(default)]
    pub callbacks: String,
    /// Parameter values of this build, by name.
    pub parameters: BTreeMap<String, serde_json::Value>,
}

/// Frames and time of a shot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// Frames a second as numerator and denominator.
    pub fps: (u32, u32),
    /// Number of steps from the first to the last frame: `round(duration * fps)`. The shot has
    /// `frames + 1` stored frames, `start_frame ..= start_frame + frames`.
    pub frames: u32,
    /// Number of the first frame; script time 0 is that frame.
    pub start_frame: i32,
    /// Seconds simulated before the first frame and not written.
    pub preroll: f64,
    /// Simulated seconds per second of film.
    pub speed: Curve<f64>,
    /// Samples a second at which functions of time were sampled.
    pub curve_rate: f64,
}

/// Parts of a frame at whose middles `speed` is looked at.
const PARTS: i32 = 8;

impl Timing {
    /// `frames` steps of a 24th of a second from frame 1 on, as fast as film.
    pub fn plain(frames: u32) -> Self {
        Self {
            fps: (24, 1),
            frames,
            start_frame: 1,
            preroll: 0.0,
            speed: Curve::Constant(1.0),
            curve_rate: 240.0,
        }
    }

    /// Seconds of film from one frame to the next.
    pub fn frame_dt(&self) -> f64 {
        f64::from(self.fps.1) / f64::from(self.fps.0)
    }

    /// Number of the last frame.
    pub fn last_frame(&self) -> i32 {
        self.start_frame + self.frames as i32
    }

    /// Film time of frame `frame` [s]: 0 at the first frame. It is script time where `speed` is 1.
    pub fn film_time(&self, frame: i32) -> f64 {
        f64::from(frame - self.start_frame) * f64::from(self.fps.1) / f64::from(self.fps.0)
    }

    /// Simulated (script) time of the moment `part / of` of the way from frame `frame` to the next [s], by the rule of
    /// [`Timing::script_time`]; `part` is at most `of`.
    pub fn script_time_between(&self, frame: i32, part: u32, of: u32) -> f64 {
        if part == 0 || part >= of {
            return self.script_time(frame + i32::from(part > 0));
        }
        let share = f64::from(part) / f64::from(of);
        if let Curve::Constant(speed) = self.speed {
            return (f64::from(frame - self.start_frame) + share) * self.frame_dt() * speed;
        }
        let (begin, end) = (self.film_time(frame), self.film_time(frame) + share * self.frame_dt());
        let eighth = self.frame_dt() / f64::from(PARTS);
        let mut time = self.script_time(frame);
        for i in 0..PARTS {
            let from = begin + f64::from(i) * eighth;
            let length = (end - from).min(eighth);
            if length > 0.0 {
                time += self.speed.at(from + 0.5 * length) * length;
            }
        }
        time
    }

    /// Simulated (script) time of frame `frame` [s]: the integral of `speed` over film time,
    /// by the midpoint rule on eighths of a frame; exact where `speed` is constant.
    pub fn script_time(&self, frame: i32) -> f64 {
        if let Curve::Constant(speed) = self.speed {
            return self.film_time(frame) * speed;
        }
        let part = self.frame_dt() / f64::from(PARTS);
        let count = (frame - self.start_frame).max(0) * PARTS;
        (0..count).map(|i| self.speed.at((f64::from(i) + 0.5) * part) * part).sum()
    }
}

/// A number taken from each frame by a function of the script.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measure {
    /// Unique name.
    pub name: String,
    /// Unit as the script names it; may be empty.
    pub unit: String,
    /// Smallest allowed value: with it the measure is a check.
    pub min: Option<f64>,
    /// Largest allowed value: with it the measure is a check.
    pub max: Option<f64>,
    /// What its function is with all that it can reach, as hex.
    #[serde(default)]
    pub function: String,
    /// Script line.
    pub place: Place,
}

impl Scene {
    /// A scene of nothing.
    pub fn new(name: String, timing: Timing, gravity: Curve<DVec3>, seed: u64) -> Self {
        Self {
            version: SCENE_VERSION,
            name,
            source: Source::default(),
            timing,
            gravity,
            seed,
            meshes: Vec::new(),
            bodies: Vec::new(),
            constraints: Vec::new(),
            forces: Vec::new(),
            contact_pairs: Vec::new(),
            collisions: Collisions::default(),
            solver: SolverSettings::default(),
            cameras: Vec::new(),
            lights: Vec::new(),
            output: Output::default(),
            measures: Vec::new(),
            callbacks: 0,
        }
    }

    /// The index of the body called `name`.
    pub fn body_index(&self, name: &str) -> Option<usize> {
        self.bodies.iter().position(|b| b.name == name)
    }

    /// The mesh of tetrahedra that carries the surface of body `index`; none where nothing does.
    pub fn cage_of(&self, index: usize) -> Option<&TriMesh> {
        match &self.bodies[index].kind {
            BodyKind::Soft(soft) => soft.cage.map(|cage| &self.meshes[cage]),
            _ => None,
        }
    }

    /// The picture files that looks and lights name, in the order of bodies and lights.
    pub fn pictures_mut(&mut self) -> impl Iterator<Item = &mut PictureFile> {
        let looks = self
            .bodies
            .iter_mut()
            .flat_map(|b| [&mut b.look.color_map, &mut b.look.normal_map].into_iter().flatten());
        let skies = self.lights.iter_mut().filter_map(|light| match &mut light.kind {
            LightKind::Sky { image } => image.as_mut(),
            _ => None,
        });
        looks.chain(skies)
    }

    /// The mesh of body `index`.
    pub fn mesh_of(&self, index: usize) -> &TriMesh {
        &self.meshes[self.bodies[index].mesh]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Ease, Key};

    fn timing(speed: Curve<f64>) -> Timing {
        let (fps, frames, start_frame) = ((30000, 1001), 48, 1001);
        Timing { fps, frames, start_frame, preroll: 0.0, speed, curve_rate: 240.0 }
    }

    #[test]
    fn samples_lie_evenly_between_frames() {
        let timing = timing(Curve::Constant(0.5));
        for part in 0..=4 {
            let time = timing.script_time_between(1010, part, 4);
            let film = (9.0 + f64::from(part) / 4.0) * 1001.0 / 30000.0;
            assert!((time - 0.5 * film).abs() < 1e-15, "{time}");
        }
        assert_eq!(timing.script_time_between(1010, 4, 4), timing.script_time(1011));
    }

    /// The speed falls evenly from 1 to 0.2 in a second, so that the time is known.
    #[test]
    fn samples_of_a_shot_that_slows_down_lie_where_its_time_has_come() {
        let key = |time, value| Key { time, value, ease: Ease::Linear };
        let keys = vec![key(0.0, 1.0), key(1.0, 0.2)];
        let timing = timing(Curve::Keys { keys, looped: false });
        for frame in [1001, 1010, 1025] {
            let mut before = timing.script_time(frame);
            for part in 1..=7 {
                let time = timing.script_time_between(frame, part, 7);
                let film = timing.film_time(frame) + f64::from(part) / 7.0 * timing.frame_dt();
                assert!(time > before, "{time}");
                assert!((time - (film - 0.4 * film * film)).abs() < 1e-12, "{time}");
                before = time;
            }
            assert_eq!(before, timing.script_time(frame + 1));
        }
    }
}
