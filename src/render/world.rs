//! The surfaces of one moment of a shot, ready for rays.

use super::directions::luminance;
use super::material::Material;
use super::palette;
use super::pictures::Pictures;
use super::smoothing::Smoothing;
use super::tangents::Tangents;
use super::texture::{ColorPicture, NormalPicture};
use super::view::Stage;
use crate::frames::{BodyState, Frame};
use crate::math::rotation;
use crate::scene::{BodyKind, Scene};
use glam::{DVec2, DVec3, Quat, Vec2, Vec3, Vec3A};
use obvhs::BvhBuildParams;
use obvhs::bvh2::Bvh2;
use obvhs::bvh2::builder::build_bvh2;
use obvhs::ray::{Ray, RayHit};
use obvhs::rt_triangle::RtTriangle;
use std::sync::Arc;
use std::time::Duration;

/// Longest a position may be away from the origin [m]: beyond it f32 rays mean nothing.
const FARTHEST: f32 = 1e6;

/// What does not change from frame to frame: smoothing groups and materials.
pub(super) struct Cast {
    /// One a body; none for bodies that are not drawn.
    smoothing: Vec<Option<Smoothing>>,
    materials: Vec<Material>,
    /// One a body; none for bodies without pictures.
    pictures: Vec<Option<OnBody>>,
}

/// The pictures on a body.
struct OnBody {
    color: Option<Arc<ColorPicture>>,
    /// With the tangents that it is relative to.
    normals: Option<(Arc<NormalPicture>, Tangents)>,
}

impl OnBody {
    fn new(scene: &Scene, body: usize, smoothing: &Smoothing, pictures: &Pictures) -> Option<Self> {
        let (look, mesh) = (&scene.bodies[body].look, scene.mesh_of(body));
        let color = look.color_map.as_ref().and_then(|file| pictures.color(file));
        let normals = look.normal_map.as_ref().and_then(|file| pictures.normals(file));
        let has_any = !mesh.uvs.is_empty() && (color.is_some() || normals.is_some());
        let normals = normals.filter(|_| has_any);
        let normals = normals.map(|picture| (picture, Tangents::of(mesh, smoothing)));
        has_any.then_some(Self { color, normals })
    }
}

impl Cast {
    /// Of the visible bodies of `scene`; `ground` is dressed as the studio's floor.
    pub(super) fn new(scene: &Scene, ground: Option<usize>, pictures: &Pictures) -> Self {
        let is_sheet = |i: usize| matches!(scene.bodies[i].kind, BodyKind::Cloth(_));
        let indices = 0..scene.bodies.len();
        let smoothing: Vec<Option<Smoothing>> = indices
            .clone()
            .map(|i| scene.bodies[i].visible.then(|| Smoothing::of(scene.mesh_of(i), is_sheet(i))))
            .collect();
        let on_body = |(i, smoothing): (usize, &Option<Smoothing>)| {
            OnBody::new(scene, i, smoothing.as_ref()?, pictures)
        };
        let pictures = smoothing.iter().enumerate().map(on_body).collect();
        let materials = indices
            .map(|i| {
                let is_ground = ground == Some(i);
                let color = palette::color_of(scene, i, is_ground);
                let look = &scene.bodies[i].look;
                if is_ground && !look.color_given && look.color_map.is_none() {
                    Material::matt(color)
                } else {
                    Material::new(look, color, is_sheet(i))
                }
            })
            .collect();
        Self { smoothing, materials, pictures }
    }
}

/// A triangle's corners and their normals.
#[derive(Clone, Copy)]
struct Shading {
    corners: [Vec3; 3],
    normals: [Vec3; 3],
    body: u32,
    /// Number of its [`Printed`], or [`PLAIN`].
    printed: u32,
}

/// What stands in for the number of a triangle without pictures.
const PLAIN: u32 = u32::MAX;

/// How pictures lie on a triangle.
struct Printed {
    uvs: [Vec2; 3],
    /// Along `u`; zero where there is no picture of normals.
    tangents: [Vec3; 3],
    /// 1, or -1 where `v` turns the other way about the normal.
    side: f32,
}

/// The studio floor: no body of the scene, fading into the backdrop far out.
pub(super) struct Floor {
    height: f32,
    /// The body that it goes on from.
    ground: Option<u32>,
    center: Vec3A,
    /// Distances from the centre between which it fades [m].
    fade: (f32, f32),
    material: Material,
}

impl Floor {
    /// Whether a surface belongs to the floor: its own, or the ground that it goes on from.
    pub(super) fn is(&self, body: Option<u32>) -> bool {
        body.is_none() || body == self.ground
    }

    /// Part of the backdrop at `p`, 0 near the centre .. 1 far out.
    pub(super) fn fade_at(&self, p: Vec3A) -> f32 {
        let away = (p - self.center) * Vec3A::new(1.0, 0.0, 1.0);
        let x = (away.length() - self.fade.0) / (self.fade.1 - self.fade.0);
        let x = x.clamp(0.0, 1.0);
        x * x * (3.0 - 2.0 * x)
    }
}

/// What a ray may meet.
pub(super) struct World<'a> {
    bvh: Bvh2,
    triangles: Vec<RtTriangle>,
    shading: Vec<Shading>,
    printed: Vec<Printed>,
    cast: &'a Cast,
    pub(super) floor: Option<Floor>,
    any_passes_light: bool,
}

/// Where a ray met a surface.
#[derive(Clone, Copy)]
pub(super) struct Hit {
    /// Distance in ray lengths [m for unit directions].
    pub(super) t: f32,
    /// Triangle, or [`FLOOR`].
    triangle: u32,
    u: f32,
    v: f32,
}

/// The triangle number of the studio floor.
const FLOOR: u32 = u32::MAX;

/// A surface as the eye sees it.
pub(super) struct Surface<'a> {
    pub(super) position: Vec3A,
    /// Where shadow and scattered rays start: on the smooth surface that the triangles stand for.
    pub(super) smooth_position: Vec3A,
    /// Normal of the triangle, on the viewer's side.
    pub(super) flat_normal: Vec3A,
    /// Interpolated normal, on the viewer's side and turned to it.
    pub(super) normal: Vec3A,
    /// Whether the viewer sees the front.
    pub(super) front: bool,
    pub(super) material: &'a Material,
    /// Base colour on the viewer's side.
    pub(super) color: Vec3A,
    /// Body, or none for the studio floor.
    pub(super) body: Option<u32>,
}

impl<'a> World<'a> {
    /// The bodies of `frame`, a part `blend` (0..1) of the way to `next`.
    pub(super) fn new(
        scene: &Scene,
        cast: &'a Cast,
        stage: &Stage,
        frame: &Frame,
        next: Option<(&Frame, f32)>,
    ) -> Self {
        let mut triangles = Vec::new();
        let (mut shading, mut printed) = (Vec::new(), Vec::new());
        for (index, smoothing) in cast.smoothing.iter().enumerate() {
            let (Some(smoothing), Some(state)) = (smoothing, frame.bodies.get(index)) else {
                continue;
            };
            if !scene.bodies[index].is_there(frame.time) {
                continue;
            }
            let mesh = scene.mesh_of(index);
            let later = next.and_then(|(f, blend)| Some((f.bodies.get(index)?, blend)));
            let positions = positions(state, later, &mesh.positions);
            if positions.len() != mesh.positions.len() {
                continue;
            }
            let normals = smoothing.normals(mesh, &positions);
            let on_body = cast.pictures[index].as_ref();
            let tangents = on_body.and_then(|on| on.normals.as_ref()).map(|(_, own)| {
                let of = |t: usize| smoothing.corners(t).map(|n| normals[n as usize]);
                (own, own.tangents(mesh, &positions, of))
            });
            for (t, vertices) in mesh.triangles.iter().enumerate() {
                let corners = vertices.map(|v| Vec3::from_array(positions[v as usize]));
                let [a, b, c] = corners.map(Vec3A::from);
                // Also false for what is not a number.
                let is_near = [a, b, c].iter().all(|p| p.abs().max_element() < FARTHEST);
                let face = (b - a).cross(c - a);
                if !is_near || face.normalize_or_zero() == Vec3A::ZERO {
                    continue;
                }
                let face = face.normalize();
                let normals = smoothing.corners(t).map(|n| {
                    let n = normals[n as usize];
                    Vec3::from(if n == Vec3A::ZERO { face } else { n })
                });
                let number = match mesh.corner_uvs(t).filter(|_| on_body.is_some()) {
                    Some(uvs) => {
                        let along = tangents.as_ref().map(|(own, along)| {
                            own.corners(t).map(|i| Vec3::from(along[i as usize]))
                        });
                        let mirrored = tangents.as_ref().is_some_and(|(own, _)| own.is_mirrored(t));
                        printed.push(Printed {
                            uvs: uvs.map(DVec2::as_vec2),
                            tangents: along.unwrap_or_default(),
                            side: if mirrored { -1.0 } else { 1.0 },
                        });
                        printed.len() as u32 - 1
                    }
                    None => PLAIN,
                };
                triangles.push(RtTriangle::new(a, b, c));
                shading.push(Shading { corners, normals, body: index as u32, printed: number });
            }
        }
        let bvh = if triangles.is_empty() {
            Bvh2::default()
        } else {
            build_bvh2(&triangles, BvhBuildParams::medium_build(), &mut Duration::default())
        };
        // In the order of the leaves a traversal reads memory forwards.
        let order = &bvh.primitive_indices;
        let triangles = order.iter().map(|&i| triangles[i as usize]).collect();
        let shading: Vec<Shading> = order.iter().map(|&i| shading[i as usize]).collect();
        let floor = stage.floor.map(|height| Floor {
            height: height as f32,
            ground: stage.ground.map(|g| g as u32),
            center: stage.center.as_vec3a(),
            fade: stage.fade(),
            material: Material::matt(palette::from_hex(palette::FLOOR)),
        });
        let any_passes_light = cast.materials.iter().any(Material::passes_light);
        Self { bvh, triangles, shading, printed, cast, floor, any_passes_light }
    }

    /// The nearest surface along a ray within `limit`.
    pub(super) fn nearest(&self, origin: Vec3A, direction: Vec3A, limit: f32) -> Option<Hit> {
        let mut best = (limit, FLOOR);
        if let Some(floor) = &self.floor {
            let t = (floor.height - origin.y) / direction.y;
            if t > 0.0 && t < limit {
                best.0 = t;
            }
        }
        let floor_t = best.0;
        let mut found = false;
        self.bvh.ray_traverse(
            Ray::new(origin, direction, 0.0, best.0),
            &mut RayHit::none(),
            |ray, i| {
                let t = self.triangles[i].intersect(ray);
                // Equal distances go to the lower number, whatever order the tree is walked in.
                if t < best.0 || (t == best.0 && found && (i as u32) < best.1) {
                    best = (t, i as u32);
                    found = true;
                }
                t
            },
        );
        if !found {
            return (floor_t < limit).then_some(Hit {
                t: floor_t,
                triangle: FLOOR,
                u: 0.0,
                v: 0.0,
            });
        }
        let (u, v) = self.place_on(best.1, origin, direction);
        Some(Hit { t: best.0, triangle: best.1, u, v })
    }

    /// Weights of the second and third corner where a ray meets triangle `number`.
    fn place_on(&self, number: u32, origin: Vec3A, direction: Vec3A) -> (f32, f32) {
        let triangle = &self.triangles[number as usize];
        let c = triangle.v0 - origin;
        let r = direction.cross(c);
        let inverse = 1.0 / triangle.ng.dot(direction);
        (r.dot(triangle.e2) * inverse, r.dot(triangle.e1) * inverse)
    }

    /// What the pictures of a body show at a place on a triangle: the colour (white without a picture of
    /// colours), the normal in the space of tangents, and how the pictures lie there.
    fn pictured(&self, shading: &Shading, weights: [f32; 3]) -> (Vec3A, Option<(Vec3A, &Printed)>) {
        let on_body = self.cast.pictures[shading.body as usize].as_ref();
        let (Some(on), Some(printed)) = (on_body, self.printed.get(shading.printed as usize))
        else {
            return (Vec3A::ONE, None);
        };
        let [a, b, c] = printed.uvs;
        let uv = a * weights[0] + b * weights[1] + c * weights[2];
        let color = on.color.as_ref().map_or(Vec3A::ONE, |picture| picture.at(uv));
        let normal = on.normals.as_ref().and_then(|(picture, _)| picture.at(uv));
        (color, normal.map(|normal| (normal, printed)))
    }

    /// How much light passes from `origin` along `direction` as far as `limit`.
    pub(super) fn passing(&self, origin: Vec3A, direction: Vec3A, limit: f32) -> Vec3A {
        if let Some(floor) = &self.floor {
            let t = (floor.height - origin.y) / direction.y;
            if t > 0.0 && t < limit {
                return Vec3A::ZERO;
            }
        }
        let ray = Ray::new(origin, direction, 0.0, limit);
        if !self.any_passes_light {
            let clear = self.bvh.ray_traverse_miss(ray, |ray, i| self.triangles[i].intersect(ray));
            return if clear { Vec3A::ONE } else { Vec3A::ZERO };
        }
        let mut light = Vec3A::ONE;
        self.bvh.ray_traverse_miss(ray, |ray, i| {
            let t = self.triangles[i].intersect(ray);
            if t >= limit {
                return f32::INFINITY;
            }
            let shading = &self.shading[i];
            let material = &self.cast.materials[shading.body as usize];
            if material.passes_light() {
                let (u, v) = self.place_on(i as u32, origin, direction);
                let (texel, _) = self.pictured(shading, [1.0 - u - v, u, v]);
                light *= material.shadow_factor(material.color(texel, true));
            } else {
                light = Vec3A::ZERO;
            }
            // Infinite: the walk goes on; it ends when nothing is left to take away.
            if luminance(light) > 1e-3 { f32::INFINITY } else { t }
        });
        if luminance(light) > 1e-3 { light } else { Vec3A::ZERO }
    }

    /// The surface at `hit` of the ray.
    pub(super) fn surface(&self, origin: Vec3A, direction: Vec3A, hit: &Hit) -> Surface<'_> {
        if let (FLOOR, Some(floor)) = (hit.triangle, &self.floor) {
            let front = direction.y < 0.0;
            let up = if front { Vec3A::Y } else { Vec3A::NEG_Y };
            let mut position = origin + direction * hit.t;
            position.y = floor.height;
            return Surface {
                position,
                smooth_position: position,
                flat_normal: up,
                normal: up,
                front,
                material: &floor.material,
                color: floor.material.color(Vec3A::ONE, front),
                body: None,
            };
        }
        let shading = &self.shading[hit.triangle as usize];
        let corners = shading.corners.map(Vec3A::from);
        let weights = [1.0 - hit.u - hit.v, hit.u, hit.v];
        let position = corners[0] * weights[0] + corners[1] * weights[1] + corners[2] * weights[2];
        let face = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize_or_zero();
        let front = face.dot(direction) < 0.0;
        let side = if front { 1.0 } else { -1.0 };
        let flat_normal = face * side;
        let mut normals = shading.normals.map(|n| Vec3A::from(n) * side);
        for n in &mut normals {
            // Folded thin, a mesh may have corner normals on the other side of a triangle.
            if n.dot(flat_normal) <= 0.0 {
                *n = flat_normal;
            }
        }
        let mut normal =
            (normals[0] * weights[0] + normals[1] * weights[1] + normals[2] * weights[2])
                .normalize();
        let material = &self.cast.materials[shading.body as usize];
        let (texel, bump) = self.pictured(shading, weights);
        if let Some((bump, printed)) = bump {
            let [a, b, c] = printed.tangents.map(Vec3A::from);
            let along = a * weights[0] + b * weights[1] + c * weights[2];
            // Both the normal and the space about it turn over with the side that is seen.
            let across = (normal * side).cross(along) * printed.side;
            let bent = (along * bump.x + across * bump.y) * side + normal * bump.z;
            normal = bent.try_normalize().unwrap_or(normal);
        }
        // Hanika, "Hacking the Shadow Terminator" (Ray Tracing Gems II, 2021): start from the
        // surface that the corner normals describe, so that flat triangles cast no shadow on
        // themselves. Hollows keep the triangle's own point.
        let mut lift = Vec3A::ZERO;
        for k in 0..3 {
            let below = (position - corners[k]).dot(normals[k]).min(0.0);
            lift -= normals[k] * (below * weights[k]);
        }
        Surface {
            position,
            smooth_position: position + lift,
            flat_normal,
            normal: turned_to(normal, -direction, flat_normal),
            front,
            material,
            color: material.color(texel, front),
            body: Some(shading.body),
        }
    }
}

/// `normal`, bent just far enough that `viewer` sees it.
fn turned_to(normal: Vec3A, viewer: Vec3A, fallback: Vec3A) -> Vec3A {
    const LEAST: f32 = 0.02;
    let cos = normal.dot(viewer);
    if cos >= LEAST {
        return normal;
    }
    let bent = (normal + viewer * (LEAST - cos)).normalize_or_zero();
    if bent == Vec3A::ZERO { fallback } else { bent }
}

/// World positions of a body between two frames.
fn positions(state: &BodyState, later: Option<(&BodyState, f32)>, mesh: &[DVec3]) -> Vec<[f32; 3]> {
    let mix = |a: Vec3, b: Vec3, x: f32| a + (b - a) * x;
    match (state, later) {
        (BodyState::Deformed { positions }, Some((BodyState::Deformed { positions: end }, x)))
            if positions.len() == end.len() =>
        {
            let pairs = positions.iter().zip(end);
            pairs.map(|(a, b)| mix(Vec3::from(*a), Vec3::from(*b), x).to_array()).collect()
        }
        (
            BodyState::Posed { translate, rotate },
            Some((BodyState::Posed { translate: t1, rotate: r1 }, x)),
        ) => {
            let t = mix(Vec3::from(*translate), Vec3::from(*t1), x).as_dvec3();
            let [q0, q1] = [rotate, r1].map(|q| Quat::from_array(*q).as_dquat().normalize());
            let q = rotation::between(q0, q1, f64::from(x));
            mesh.iter().map(|p| (q * *p + t).as_vec3().to_array()).collect()
        }
        _ => state.world_positions(mesh),
    }
}
