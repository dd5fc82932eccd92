//! Cameras, lights and colours.

use super::{Clip, PictureFile};
use crate::diagnostics::Place;
use crate::math::Curve;
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// A linear Rec.709 colour, each channel 0..1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Color(pub [f64; 3]);

/// A camera.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Camera {
    /// Unique name.
    pub name: String,
    /// Script line.
    pub place: Place,
    /// Where it stands [m].
    pub position: Curve<DVec3>,
    /// What it looks at [m].
    pub look_at: Curve<DVec3>,
    /// What moves it in place of `position` and `look_at`: it looks along the -Z of what hangs on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clip: Option<Clip>,
    /// Focal length [mm] on a 36 mm wide sensor.
    pub lens: Curve<f64>,
    /// Distance in focus [m]; none: the distance to `look_at`.
    pub focus: Option<Curve<f64>>,
    /// Aperture; none: everything is sharp.
    pub fstop: Option<Curve<f64>>,
}

/// Where a camera stands and how it looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sight {
    /// Where it stands [m].
    pub position: DVec3,
    /// What it looks at [m].
    pub look_at: DVec3,
    /// What is up in the picture, as far as it is across the way it looks.
    pub up: DVec3,
}

impl Camera {
    /// Where it stands and how it looks at script time `t`.
    pub fn sight_at(&self, t: f64) -> Sight {
        match &self.clip {
            Some(clip) => {
                let (position, turn) = clip.pose_at(t);
                Sight { position, look_at: position - turn * DVec3::Z, up: turn * DVec3::Y }
            }
            None => {
                Sight { position: self.position.at(t), look_at: self.look_at.at(t), up: DVec3::Y }
            }
        }
    }

    /// Whether it stands and looks the same at all times.
    pub fn is_still(&self) -> bool {
        match &self.clip {
            Some(clip) => clip.rig.tracks.is_empty(),
            None => self.position.is_constant() && self.look_at.is_constant(),
        }
    }
}

/// A light.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Light {
    /// Unique name.
    pub name: String,
    /// Script line.
    pub place: Place,
    /// Colour, linear.
    pub color: Color,
    /// W/m2 for a sun, W for area and point, radiance factor for a sky.
    pub strength: Curve<f64>,
    /// What it is.
    pub kind: LightKind,
}

/// The kinds of lights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LightKind {
    /// Parallel light travelling along `direction`.
    Sun {
        /// Where the light goes; any length.
        direction: DVec3,
        /// Angular diameter [degrees].
        angle: f64,
    },
    /// A square that shines to the side of `look_at`.
    Area {
        /// Centre [m].
        position: Curve<DVec3>,
        /// What it is turned to [m].
        look_at: DVec3,
        /// Edge length [m].
        size: f64,
    },
    /// A small sphere.
    Point {
        /// Centre [m].
        position: Curve<DVec3>,
        /// Diameter [m].
        size: f64,
    },
    /// Light from all around.
    Sky {
        /// An HDR picture, or none for the plain colour.
        image: Option<PictureFile>,
    },
}
