//! One path of light, from the camera backwards.
//!
//! At each surface one ray to each lamp (one lamp picked at later surfaces) and one scattered ray;
//! where both can find the same light they are weighed by the power heuristic (Veach and Guibas
//! 1995). Skies without bright spots are left to the scattered rays alone, which follow the surface.

use super::directions::luminance;
use super::light::{Lamp, Lights};
use super::material::Local;
use super::sampler::Sampler;
use super::world::{Surface, World};
use glam::Vec3A;

/// Surfaces that scatter light on one path.
const BOUNCES: u32 = 4;
/// Surfaces that a path may go straight through.
const PASSES: u32 = 24;
/// Most lamps that are all aimed at from the first surface.
const ALL_LAMPS: usize = 6;
/// Largest luminance that one path may bring by way of a second surface: rarer and brighter paths
/// would be white dots. It darkens strong caustics.
const CLAMP: f32 = 6.0;

/// What a path saw.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seen {
    /// Radiance.
    pub(super) color: Vec3A,
    /// Base colour of the first surface.
    pub(super) albedo: Vec3A,
    /// Normal of the first surface.
    pub(super) normal: Vec3A,
    /// Distance of the first surface [m]; 0 for the backdrop.
    pub(super) distance: f32,
    /// 1 where the first surface belongs to a body.
    pub(super) cover: f32,
}

/// Follows a path.
pub(super) fn follow(
    world: &World<'_>,
    lights: &Lights,
    mut origin: Vec3A,
    mut direction: Vec3A,
    s: &mut Sampler,
) -> Seen {
    let mut seen = Seen { albedo: Vec3A::ONE, ..Seen::default() };
    let mut weight = Vec3A::ONE;
    // Density of the scattered ray; none: from the camera, or refracted.
    let mut density: Option<f32> = None;
    let (mut bounces, mut passes) = (0, 0);
    let mut after_matt = false;
    loop {
        let hit = world.nearest(origin, direction, f32::INFINITY);
        let limit = hit.map_or(f32::INFINITY, |h| h.t);
        if bounces > 0
            && let Some((light, aimed)) = lights.met(origin, direction, limit)
        {
            // Refraction after a matt surface is light that shadow rays already let through.
            let share = density.map_or(if after_matt { 0.0 } else { 1.0 }, |d| power(d, aimed));
            seen.add(weight * light * share, bounces);
        }
        let Some(hit) = hit else {
            let sky = if bounces == 0 {
                lights.sky.backdrop(direction)
            } else {
                let aimed = lights.sky.density(direction);
                let refracted = if after_matt && aimed > 0.0 { 0.0 } else { 1.0 };
                lights.sky.radiance(direction) * density.map_or(refracted, |d| power(d, aimed))
            };
            seen.add(weight * sky, bounces);
            return seen;
        };
        let surface = world.surface(origin, direction, &hit);
        let material = surface.material;
        if material.opacity < 1.0 && passes < PASSES && s.next_1d() >= material.opacity {
            origin = start(&surface, surface.position, direction);
            passes += 1;
            continue;
        }
        if bounces == 0 && seen.distance == 0.0 {
            seen.albedo = material.base(surface.color);
            seen.normal = surface.normal;
            seen.distance = hit.t;
            seen.cover = if surface.body.is_some() { 1.0 } else { 0.0 };
        }
        if let Some(floor) = world.floor.as_ref().filter(|f| f.is(surface.body)) {
            let fade = floor.fade_at(surface.position);
            if fade > 0.0 {
                let beyond = if bounces == 0 {
                    lights.sky.backdrop(direction)
                } else {
                    lights.sky.radiance(direction * Vec3A::new(1.0, 0.0, 1.0))
                };
                seen.add(weight * beyond * fade, bounces);
                weight *= 1.0 - fade;
                if bounces == 0 {
                    seen.albedo = seen.albedo.lerp(Vec3A::ONE, fade);
                }
                if fade >= 1.0 {
                    return seen;
                }
            }
        }
        let local = Local::new(surface.normal);
        let o = local.to(-direction);
        let direct = aim_at_lamps(world, lights, &surface, local, o, bounces, s);
        seen.add(weight * direct, bounces);

        if bounces >= BOUNCES {
            return seen;
        }
        let Some(scattered) = material.scatter(o, surface.color, surface.front, s) else {
            return seen;
        };
        let mut next = local.from(scattered.direction);
        weight *= scattered.weight;
        let reflects = scattered.direction.z > 0.0;
        let over = next.dot(surface.flat_normal);
        if reflects && over <= 1e-3 {
            // Into the triangle though above the smooth surface: mirror it out.
            next = (next + surface.flat_normal * (2.0 * over.abs() + 2e-3)).normalize();
        }
        if bounces >= 1 {
            let keep = weight.max_element().clamp(0.05, 0.95);
            if s.next_1d() >= keep {
                return seen;
            }
            weight /= keep;
        }
        if weight.max_element() <= 0.0 || !weight.is_finite() {
            return seen;
        }
        let from = if reflects { surface.smooth_position } else { surface.position };
        origin = start(&surface, from, next);
        direction = next;
        if scattered.density > 0.0 {
            density = Some(scattered.density);
            after_matt = true;
            bounces += 1;
        } else if passes < PASSES {
            // Refraction costs no bounce, but not for ever.
            density = None;
            passes += 1;
        } else {
            return seen;
        }
    }
}

impl Seen {
    fn add(&mut self, light: Vec3A, bounces: u32) {
        if !light.is_finite() {
            return;
        }
        let brightness = luminance(light);
        let scale = if bounces > 0 && brightness > CLAMP { CLAMP / brightness } else { 1.0 };
        self.color += light * scale;
    }
}

/// Light that reaches the viewer straight from lamps.
fn aim_at_lamps(
    world: &World<'_>,
    lights: &Lights,
    surface: &Surface<'_>,
    local: Local,
    o: Vec3A,
    bounces: u32,
    s: &mut Sampler,
) -> Vec3A {
    let lamps = &lights.lamps;
    if lamps.is_empty() {
        return Vec3A::ZERO;
    }
    let aim = |lamp: &Lamp, s: &mut Sampler| {
        let u = s.next_2d();
        let Some(aim) = lamp.aim(surface.smooth_position, u, &lights.sky) else {
            return Vec3A::ZERO;
        };
        let i = local.to(aim.direction);
        let (value, density) = surface.material.evaluate(o, i, surface.color);
        if value.max_element() <= 0.0 {
            return Vec3A::ZERO;
        }
        let share = if aim.density > 0.0 { power(aim.density, density) } else { 1.0 };
        let from = if i.z > 0.0 { surface.smooth_position } else { surface.position };
        let origin = start(surface, from, aim.direction);
        let passing = world.passing(origin, aim.direction, aim.distance * 0.9995);
        value * aim.light * passing * share
    };
    if bounces == 0 && lamps.len() <= ALL_LAMPS {
        return lamps.iter().map(|lamp| aim(lamp, s)).sum();
    }
    let picked = ((s.next_1d() * lamps.len() as f32) as usize).min(lamps.len() - 1);
    aim(&lamps[picked], s) * lamps.len() as f32
}

/// Where a ray that leaves `position` on `surface` along `direction` starts: a little off the
/// triangle, by what f32 resolves at that place.
fn start(surface: &Surface<'_>, position: Vec3A, direction: Vec3A) -> Vec3A {
    let size = surface.position.abs().max_element().max(0.1);
    let off = surface.flat_normal * (size * 6e-6);
    if direction.dot(surface.flat_normal) >= 0.0 { position + off } else { position - off }
}

/// The power heuristic's share for a sample of density `own`.
fn power(own: f32, other: f32) -> f32 {
    let (a, b) = (own * own, other * other);
    if a + b > 0.0 && (a + b).is_finite() { a / (a + b) } else { f32::from(u8::from(own >= other)) }
}
