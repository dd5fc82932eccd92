//! Lights: sun, area, point and sky, in watts; and the studio when a script names none.
//!
//! As in Blender: a sun's strength is its irradiance [W/m2] on a surface that faces it; area and
//! point lights give their power [W], spread as a Lambertian emitter (a square's one side, a
//! sphere's whole surface).

use super::directions::{basis, cone_direction};
use super::sky::Sky;
use super::view::Stage;
use crate::scene::{Light, LightKind, Scene};
use glam::{Vec2, Vec3A};
use std::f32::consts::PI;

/// Radiance of the world where a script names lights but no sky (Blender's default world is as
/// dim): shadows keep some shape.
const DIM_WORLD: f32 = 0.05;

/// One light that paths aim at.
#[derive(Clone, Debug)]
pub(super) enum Lamp {
    /// Parallel light.
    Sun {
        /// Towards the sun (unit).
        to: Vec3A,
        /// `1 - cos` of the angular radius; 0: a point.
        height: f32,
        /// Radiance of the disc, or irradiance for a point.
        light: Vec3A,
    },
    /// A one-sided square.
    Square {
        /// Centre.
        center: Vec3A,
        /// Half edges.
        x: Vec3A,
        /// Half edges.
        y: Vec3A,
        /// Side that shines (unit).
        normal: Vec3A,
        /// Radiance.
        light: Vec3A,
    },
    /// A sphere.
    Sphere {
        /// Centre.
        center: Vec3A,
        /// Radius.
        radius: f32,
        /// Radiance.
        light: Vec3A,
    },
    /// The sky's picture.
    Sky,
}

/// A place on a lamp.
pub(super) struct Aim {
    /// Towards it (unit).
    pub(super) direction: Vec3A,
    /// Distance [m]; infinite for sun and sky.
    pub(super) distance: f32,
    /// Radiance / density.
    pub(super) light: Vec3A,
    /// Density [1/sr]; 0 for a point, which scattering cannot meet.
    pub(super) density: f32,
}

/// All lights of a moment.
pub(super) struct Lights {
    pub(super) lamps: Vec<Lamp>,
    pub(super) sky: Sky,
}

impl Lights {
    /// The script's lights at script time `time`, or the studio's.
    pub(super) fn new(
        scene: &Scene,
        stage: &Stage,
        time: f64,
        pictures: &super::pictures::Pictures,
    ) -> Self {
        if scene.lights.is_empty() {
            return Self::studio(stage);
        }
        let mut lamps = Vec::new();
        let mut sky = None;
        for light in &scene.lights {
            let strength = light.strength.at(time);
            let strength = if strength.is_finite() { strength.max(0.0) } else { 0.0 };
            let color = Vec3A::from_array(light.color.0.map(|c| c.max(0.0) as f32));
            let color = color * strength as f32;
            match &light.kind {
                LightKind::Sky { image } => {
                    let picture = image.as_ref().and_then(|file| pictures.sky(file));
                    sky = Some(Sky::new(color, picture));
                }
                _ => lamps.extend(lamp(light, color, time)),
            }
        }
        let sky = sky.unwrap_or_else(|| Sky::new(Vec3A::splat(DIM_WORLD), None));
        if sky.is_worth_aiming_at() {
            lamps.push(Lamp::Sky);
        }
        Self { lamps, sky }
    }

    /// A warm key from the upper left behind the camera, and a soft dome.
    fn studio(stage: &Stage) -> Self {
        let to = stage.key_direction().as_vec3a();
        let angle = 5.0_f32.to_radians();
        let key = Lamp::sun(to, angle, Vec3A::new(1.0, 0.93, 0.83) * 3.3);
        Self { lamps: vec![key], sky: Sky::studio(to) }
    }

    /// Light that a scattered ray meets before `limit`: radiance and the density with which
    /// [`Lamp::aim`] would have found it. The sky is not among it.
    pub(super) fn met(&self, origin: Vec3A, direction: Vec3A, limit: f32) -> Option<(Vec3A, f32)> {
        let mut nearest = limit;
        let mut found = None;
        for lamp in &self.lamps {
            if let Some((t, light, density)) = lamp.met(origin, direction, nearest) {
                nearest = t;
                found = Some((light, density));
            }
        }
        found
    }
}

impl Lamp {
    /// A sun of irradiance `irradiance` and angular diameter `angle` [rad].
    fn sun(to: Vec3A, angle: f32, irradiance: Vec3A) -> Self {
        let half = (angle * 0.5).clamp(0.0, 1.5);
        let height = 1.0 - libm::cosf(half);
        // The disc's irradiance at normal incidence is pi sin2(half) times its radiance.
        let sin = libm::sinf(half);
        let is_disc = height > 1e-7;
        let light = if is_disc { irradiance / (PI * sin * sin) } else { irradiance };
        Self::Sun { to, height: if is_disc { height } else { 0.0 }, light }
    }

    /// A place on the lamp as seen from `from`.
    pub(super) fn aim(&self, from: Vec3A, u: Vec2, sky: &Sky) -> Option<Aim> {
        match self {
            Self::Sun { to, height, light } => {
                if *height <= 0.0 {
                    let (direction, light) = (*to, *light);
                    return Some(Aim { direction, distance: f32::INFINITY, light, density: 0.0 });
                }
                let (x, y) = basis(*to);
                let d = cone_direction(u, *height);
                let density = 1.0 / (2.0 * PI * height);
                Some(Aim {
                    direction: (x * d.x + y * d.y + *to * d.z).normalize(),
                    distance: f32::INFINITY,
                    light: *light / density,
                    density,
                })
            }
            Self::Square { center, x, y, normal, light } => {
                let place = *center + *x * (2.0 * u.x - 1.0) + *y * (2.0 * u.y - 1.0);
                let to = place - from;
                let distance2 = to.length_squared();
                let distance = distance2.sqrt();
                let direction = to / distance.max(1e-12);
                let cos = -direction.dot(*normal);
                let area = 4.0 * x.length() * y.length();
                if cos <= 1e-6 || distance <= 1e-9 {
                    return None;
                }
                let density = distance2 / (cos * area);
                Some(Aim { direction, distance, light: *light / density, density })
            }
            Self::Sphere { center, radius, light } => {
                let to = *center - from;
                let distance2 = to.length_squared();
                if distance2 <= radius * radius * 1.0001 {
                    return None;
                }
                let height = cone_height(distance2, *radius);
                let axis = to / distance2.sqrt();
                let (x, y) = basis(axis);
                let d = cone_direction(u, height);
                let direction = (x * d.x + y * d.y + axis * d.z).normalize();
                let density = 1.0 / (2.0 * PI * height);
                let distance = sphere_distance(to, direction, *radius)
                    .unwrap_or_else(|| (distance2 - radius * radius).sqrt());
                Some(Aim { direction, distance, light: *light / density, density })
            }
            Self::Sky => {
                let (direction, density) = sky.aim(u)?;
                let light = sky.radiance(direction) / density;
                Some(Aim { direction, distance: f32::INFINITY, light, density })
            }
        }
    }

    /// Distance, radiance and density where a ray meets the lamp before `limit`.
    fn met(&self, origin: Vec3A, direction: Vec3A, limit: f32) -> Option<(f32, Vec3A, f32)> {
        match self {
            Self::Sun { to, height, light } => {
                let inside = *height > 0.0 && 1.0 - direction.dot(*to) <= *height;
                (inside && limit == f32::INFINITY)
                    .then(|| (limit, *light, 1.0 / (2.0 * PI * height)))
            }
            Self::Square { center, x, y, normal, light } => {
                let cos = -direction.dot(*normal);
                if cos <= 1e-6 {
                    return None;
                }
                let t = (origin - *center).dot(*normal) / cos;
                if t <= 0.0 || t >= limit {
                    return None;
                }
                let p = origin + direction * t - *center;
                let (xx, yy) = (x.length_squared(), y.length_squared());
                let inside = p.dot(*x).abs() <= xx && p.dot(*y).abs() <= yy;
                let area = 4.0 * (xx * yy).sqrt();
                inside.then(|| (t, *light, t * t / (cos * area)))
            }
            Self::Sphere { center, radius, light } => {
                let to = *center - origin;
                let distance2 = to.length_squared();
                if distance2 <= radius * radius * 1.0001 {
                    return None;
                }
                let t = sphere_distance(to, direction, *radius)?;
                let height = cone_height(distance2, *radius);
                (t > 0.0 && t < limit).then(|| (t, *light, 1.0 / (2.0 * PI * height)))
            }
            Self::Sky => None,
        }
    }
}

/// `1 - cos` of the angular radius of a sphere, exact for small ones too.
fn cone_height(distance2: f32, radius: f32) -> f32 {
    let sin2 = (radius * radius / distance2).min(1.0);
    sin2 / (1.0 + (1.0 - sin2).max(0.0).sqrt())
}

/// Distance to a sphere whose centre lies `to` away.
fn sphere_distance(to: Vec3A, direction: Vec3A, radius: f32) -> Option<f32> {
    let along = to.dot(direction);
    let off2 = (to - direction * along).length_squared();
    let inside = radius * radius - off2;
    (inside >= 0.0).then(|| along - inside.sqrt())
}

/// A script's light other than a sky; none where it cannot shine.
fn lamp(light: &Light, power: Vec3A, time: f64) -> Option<Lamp> {
    if power.max_element() <= 0.0 || !power.is_finite() {
        return None;
    }
    match &light.kind {
        LightKind::Sun { direction, angle } => {
            let to = -direction.normalize_or_zero().as_vec3a();
            (to != Vec3A::ZERO).then(|| Lamp::sun(to, (*angle as f32).to_radians(), power))
        }
        LightKind::Area { position, look_at, size } => {
            let center = position.at(time);
            let normal = (*look_at - center).normalize_or_zero().as_vec3a();
            let normal = if normal == Vec3A::ZERO { Vec3A::NEG_Y } else { normal };
            let half = (*size as f32 * 0.5).max(1e-4);
            // Edges level with the ground where that makes sense.
            let x = Vec3A::Y.cross(normal).try_normalize().unwrap_or(Vec3A::X);
            let y = normal.cross(x);
            let area = 4.0 * half * half;
            let light = power / (PI * area);
            Some(Lamp::Square {
                center: center.as_vec3a(),
                x: x * half,
                y: y * half,
                normal,
                light,
            })
        }
        LightKind::Point { position, size } => {
            let radius = (*size as f32 * 0.5).max(1e-3);
            let light = power / (4.0 * PI * PI * radius * radius);
            Some(Lamp::Sphere { center: position.at(time).as_vec3a(), radius, light })
        }
        LightKind::Sky { .. } => None,
    }
}
