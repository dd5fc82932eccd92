//! Draws a frame: tiles of pixels in parallel, each pixel by its own numbers alone.

use super::denoise::{Features, denoise};
use super::directions::{disc, luminance};
use super::light::Lights;
use super::path::{Seen, follow};
use super::sampler::Sampler;
use super::settings::{LARGEST, NO_DEPTH, Picture, Settings};
use super::view::{Lens, ResolvedCamera};
use super::world::{Cast, World};
use crate::frames::{Drawn, Frame};
use crate::scene::{Layer, Scene};
use glam::{Vec2, Vec3A};
use rayon::prelude::*;

/// Edge of a tile [pixels].
const TILE: u32 = 32;
/// Tiles that are drawn before their pixels are put on the film.
const WAVE: usize = 1024;
/// Most moments that a shutter interval is cut into.
const MOMENTS: u32 = 16;
/// Radius of the pixel filter [pixels].
const FILTER_RADIUS: f32 = 1.4;

/// Draws `frame` of `scene` as `camera` sees it. `next` is the following frame, for motion blur.
///
/// The same arguments give the same picture, bit for bit, for any number of threads of the rayon
/// pool that it is called in.
pub fn render(
    scene: &Scene,
    frame: &Frame,
    next: Option<&Frame>,
    camera: &ResolvedCamera,
    settings: &Settings,
) -> Picture {
    let drawn = Drawn::new(scene);
    let (scene, frame) = (drawn.scene(), drawn.frame(frame));
    let (frame, next) = (&*frame, next.map(|next| drawn.frame(next)));
    let next = next.as_deref();
    let (width, height) = (settings.width.clamp(1, LARGEST), settings.height.clamp(1, LARGEST));
    let samples = settings.samples.max(1);
    let shutter = if settings.shutter.is_finite() { settings.shutter.clamp(0.0, 1.0) } else { 0.0 };
    let next = next.filter(|_| shutter > 0.0);
    let moments = if next.is_some() { samples.min(MOMENTS) } else { 1 };
    let cast = Cast::new(scene, camera.stage.ground, &camera.pictures);
    let time = scene.timing.script_time(frame.number);
    let later = scene.timing.script_time(frame.number + 1);

    let mut film = vec![Pixel::default(); width as usize * height as usize];
    let mut layers = None;
    for moment in 0..moments {
        let blend = if next.is_some() {
            shutter * (f64::from(moment) + 0.5) / f64::from(moments)
        } else {
            0.0
        };
        let now = time + (later - time) * blend;
        let world = World::new(scene, &cast, &camera.stage, frame, next.map(|f| (f, blend as f32)));
        let shot = Moment {
            lights: Lights::new(scene, &camera.stage, now, &camera.pictures),
            world,
            lens: Lens::new(&camera.between(blend), width, height),
            number: frame.number,
            numbers: (moment..samples).step_by(moments as usize),
        };
        shot.expose(&mut film, width, height);
        // Data layers show the moment at which the shutter opens; they are never blurred.
        if moment == 0 {
            layers = Some(shot.layers(&settings.layers, width, height));
        }
    }
    let mut picture = develop(&film, width, height, samples);
    if let Some(layers) = layers {
        (picture.depth, picture.normal, picture.object_id) = layers;
    }
    picture
}

/// Sums over the paths of a pixel.
#[derive(Clone, Copy, Default)]
struct Pixel {
    color: Vec3A,
    /// Light without the first surface's colour: its sum and the sum of its squared luminances.
    light: Vec3A,
    light2: f32,
    albedo: Vec3A,
    normal: Vec3A,
    distance: f32,
    cover: f32,
}

impl Pixel {
    fn add(&mut self, seen: &Seen) {
        self.color += seen.color;
        let light = seen.color / seen.albedo.max(Vec3A::splat(0.02));
        self.light += light;
        self.light2 += luminance(light) * luminance(light);
        self.albedo += seen.albedo;
        self.normal += seen.normal;
        self.distance += seen.distance;
        self.cover += seen.cover;
    }
}

/// Depth, normal and id.
type Layers = (Option<Vec<f32>>, Option<Vec<[f32; 3]>>, Option<Vec<u32>>);

/// A moment of the shutter interval.
struct Moment<'a> {
    world: World<'a>,
    lights: Lights,
    lens: Lens,
    /// Frame number: each frame has noise of its own.
    number: i32,
    /// Numbers of the samples that are taken at this moment.
    numbers: std::iter::StepBy<std::ops::Range<u32>>,
}

impl Moment<'_> {
    /// Adds this moment's paths to the film.
    fn expose(&self, film: &mut [Pixel], width: u32, height: u32) {
        let across = width.div_ceil(TILE);
        let tiles: Vec<u32> = (0..across * height.div_ceil(TILE)).collect();
        // Some at a time: finished tiles wait in memory until their wave is done.
        for wave in tiles.chunks(WAVE) {
            let drawn: Vec<Vec<Pixel>> = wave
                .par_iter()
                .map(|tile| {
                    let (x0, y0) = (tile % across * TILE, tile / across * TILE);
                    let (x1, y1) = ((x0 + TILE).min(width), (y0 + TILE).min(height));
                    let places = (y0..y1).flat_map(|y| (x0..x1).map(move |x| (x, y)));
                    places.map(|(x, y)| self.pixel(x, y)).collect()
                })
                .collect();
            for (tile, pixels) in wave.iter().zip(&drawn) {
                let (x0, y0) = (tile % across * TILE, tile / across * TILE);
                let columns = (x0 + TILE).min(width) - x0;
                for (i, pixel) in pixels.iter().enumerate() {
                    let (x, y) = (x0 + i as u32 % columns, y0 + i as u32 / columns);
                    film[y as usize * width as usize + x as usize].join(pixel);
                }
            }
        }
    }

    fn pixel(&self, x: u32, y: u32) -> Pixel {
        let mut sum = Pixel::default();
        for number in self.numbers.clone() {
            let mut s = Sampler::new(x, y, self.number, number);
            let u = s.next_2d();
            let place = Vec2::new(x as f32 + 0.5 + spread(u.x), y as f32 + 0.5 + spread(u.y));
            let opening = if self.lens.has_opening() { disc(s.next_2d()) } else { Vec2::ZERO };
            let (origin, direction) = self.lens.ray(place, opening);
            sum.add(&follow(&self.world, &self.lights, origin, direction, &mut s));
        }
        sum
    }

    /// The data layers, by one ray through each pixel's centre.
    fn layers(&self, wanted: &[Layer], width: u32, height: u32) -> Layers {
        if wanted.is_empty() {
            return (None, None, None);
        }
        let rows: Vec<(f32, [f32; 3], u32)> = (0..width * height)
            .into_par_iter()
            .map(|i| {
                let place = Vec2::new((i % width) as f32 + 0.5, (i / width) as f32 + 0.5);
                let (mut origin, direction) = self.lens.ray(place, Vec2::ZERO);
                let mut gone = 0.0;
                // Through what is wholly see-through, but no further than a sheaf of sheets.
                for _ in 0..16 {
                    let Some(hit) = self.world.nearest(origin, direction, f32::INFINITY) else {
                        break;
                    };
                    let surface = self.world.surface(origin, direction, &hit);
                    let Some(body) = surface.body else { break };
                    if surface.material.opacity <= 0.0 {
                        let step = hit.t * 1.00001 + 1e-6;
                        origin += direction * step;
                        gone += step;
                        continue;
                    }
                    let depth = (gone + hit.t) * direction.dot(self.lens.forward);
                    return (depth, surface.normal.to_array(), body + 1);
                }
                (NO_DEPTH, [0.0; 3], 0)
            })
            .collect();
        let has = |layer| wanted.contains(&layer);
        (
            has(Layer::Depth).then(|| rows.iter().map(|r| r.0).collect()),
            has(Layer::Normal).then(|| rows.iter().map(|r| r.1).collect()),
            has(Layer::ObjectId).then(|| rows.iter().map(|r| r.2).collect()),
        )
    }
}

impl Pixel {
    fn join(&mut self, other: &Self) {
        self.color += other.color;
        self.light += other.light;
        self.light2 += other.light2;
        self.albedo += other.albedo;
        self.normal += other.normal;
        self.distance += other.distance;
        self.cover += other.cover;
    }
}

/// Where in the pixel's neighbourhood a path goes [pixels from its centre]: spread like a
/// triangle-shaped filter, so that every path counts the same (Ernst et al. 2006, "Filter
/// importance sampling").
fn spread(u: f32) -> f32 {
    let x = 2.0 * u - 1.0;
    FILTER_RADIUS * 0.72 * x.signum() * (1.0 - (1.0 - x.abs()).max(0.0).sqrt())
}

/// Means, without noise.
fn develop(film: &[Pixel], width: u32, height: u32, samples: u32) -> Picture {
    let n = samples as f32;
    let features: Vec<Features> = film
        .iter()
        .map(|p| {
            let mean = luminance(p.light) / n;
            let variance = (p.light2 / n - mean * mean).max(0.0) / n;
            Features {
                // Not the mean of the paths' own quotients: times the mean colour this gives back
                // the mean, at silhouettes too.
                light: p.color / n / (p.albedo / n).max(Vec3A::splat(0.02)),
                // With one path nothing is known about the noise: assume as much as there is light.
                variance: if samples > 1 { variance } else { mean * mean },
                albedo: p.albedo / n,
                normal: p.normal / n,
                distance: p.distance / n,
            }
        })
        .collect();
    let light = denoise(&features, width as usize, height as usize);
    let color = light
        .iter()
        .zip(&features)
        .map(|(l, f)| {
            let c = *l * f.albedo.max(Vec3A::splat(0.02));
            if c.is_finite() { c.max(Vec3A::ZERO).to_array() } else { [0.0; 3] }
        })
        .collect();
    let alpha = film.iter().map(|p| p.cover / n).collect();
    Picture { width, height, color, alpha, depth: None, normal: None, object_id: None }
}
