//! A camera for shots whose script names none.
//!
//! It stands still, sees everything that moves over all frames, from a three-quarter angle that
//! light and folds like, on the side where nothing stands in the way.

use super::pictures::Pictures;
use super::view::{Lens, Pose, Stage, View, finite_positions, ground_of, still_camera, top_of};
use crate::frames::Frame;
use crate::math::rotation;
use crate::scene::{BodyKind, Scene};
use glam::DVec3;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// Focal length of the chosen camera [mm].
const LENS: f64 = 50.0;
/// Part of the picture's half width and height that is left free at each side.
const MARGIN: f64 = 0.10;
/// Points a body and frame that framing looks at.
const POINTS: usize = 600;

/// Chooses a camera and a stage for the frames `numbers` of a shot, read by `frames`.
///
/// The same frames give the same view; to keep one view over several runs ask for the same numbers.
pub fn choose_view(
    scene: &Scene,
    frames: &mut dyn FnMut(i32) -> io::Result<Frame>,
    numbers: &[i32],
) -> io::Result<View> {
    let shown = Shown::measure(scene, frames, numbers)?;
    let mut stage = shown.stage(scene);
    let directions = shown.directions();
    let heading = *directions
        .iter()
        .max_by(|a, b| {
            // The earlier of equals: they are sorted by taste.
            shown.openness(**a, &stage).total_cmp(&shown.openness(**b, &stage)).then_with(|| {
                let place = |d: &DVec3| directions.iter().position(|e| e == d);
                place(b).cmp(&place(a))
            })
        })
        .unwrap_or(&DVec3::NEG_Z);
    let position = shown.fit(heading, shape(scene), stage.center);
    stage.heading = (heading * DVec3::new(1.0, 0.0, 1.0)).normalize_or(DVec3::NEG_Z);
    let reach = (stage.center - position).dot(heading).max(1e-3);
    let camera = still_camera(position, position + heading * reach, LENS);
    Ok(View { camera, stage, pictures: Arc::new(Pictures::read(scene, Path::new(""))?) })
}

/// The stage of a shot for a camera of the script, measured over the frames `numbers`: with a
/// studio floor below all of them where the scene has no ground.
pub fn measure_stage(
    scene: &Scene,
    frames: &mut dyn FnMut(i32) -> io::Result<Frame>,
    numbers: &[i32],
) -> io::Result<Stage> {
    Ok(Shown::measure(scene, frames, numbers)?.stage(scene))
}

/// Width / height of the shot's pictures.
fn shape(scene: &Scene) -> f64 {
    let size = scene.output.images.as_ref().map_or((16, 9), |i| (i.width.max(1), i.height.max(1)));
    f64::from(size.0) / f64::from(size.1)
}

/// What a shot shows.
struct Shown {
    /// Samples of everything that moves, and of what stands still near it [m].
    points: Vec<DVec3>,
    /// Samples of what stands still [m].
    still: Vec<DVec3>,
    /// Corners of what moves.
    reach: (DVec3, DVec3),
    /// Area-weighted squares of the sheets' normals: x2, y2, z2, xz.
    facing: [f64; 4],
    /// Triangles of what stands still.
    obstacles: Vec<[DVec3; 3]>,
}

impl Shown {
    fn measure(
        scene: &Scene,
        frames: &mut dyn FnMut(i32) -> io::Result<Frame>,
        numbers: &[i32],
    ) -> io::Result<Self> {
        let mut moving = Vec::new();
        let mut still = Vec::new();
        let mut obstacles = Vec::new();
        let mut facing = [0.0; 4];
        for (nth, &number) in numbers.iter().enumerate() {
            let frame = frames(number)?;
            for (index, body) in scene.bodies.iter().enumerate().filter(|(_, b)| b.visible) {
                let is_sheet = matches!(body.kind, BodyKind::Cloth(_));
                let moves = !body.is_collider() || body.is_moved();
                if !moves && nth > 0 {
                    continue;
                }
                let points = finite_positions(scene, &frame, index);
                let mesh = scene.mesh_of(index);
                let whole = points.len() == mesh.positions.len();
                if whole && is_sheet {
                    add_facing(&mut facing, &points, &mesh.triangles);
                }
                if whole && !moves {
                    obstacles.extend(mesh.triangles.iter().map(|t| t.map(|v| points[v as usize])));
                }
                sample(&points, if moves { &mut moving } else { &mut still });
            }
        }
        if moving.is_empty() {
            // Nothing moves: everything counts.
            moving.clone_from(&still);
        }
        let reach = corners(&moving).unwrap_or((DVec3::splat(-1.0), DVec3::splat(1.0)));
        let mut points = moving;
        // What stands still belongs to the picture as far as it is near: a pole or a table, but not
        // the far ends of a ground.
        let near = (reach.1 - reach.0).length() * 0.35;
        points.extend(still.iter().filter(|p| {
            let inside = p.clamp(reach.0, reach.1);
            inside.distance(**p) <= near
        }));
        if points.is_empty() {
            points = vec![DVec3::splat(-1.0), DVec3::splat(1.0)];
        }
        Ok(Self { points, still, reach, facing, obstacles })
    }

    fn stage(&self, scene: &Scene) -> Stage {
        let (low, high) = corners(&self.points).unwrap_or(self.reach);
        let center = (low + high) * 0.5;
        let farthest = self.points.iter().map(|p| p.distance(center)).fold(0.0, f64::max);
        let radius = farthest.max(1e-3);
        let ground = ground_of(scene, Some(self.reach));
        let floor = if let Some(ground) = ground {
            // The floor goes on where the ground ends, unless the script dyed the ground.
            let dyed = scene.bodies[ground].look.color_given;
            (!dyed).then(|| top_of(scene, ground) - radius * 2e-4)
        } else {
            // Something that stands, stands on the floor; what only hangs, hangs clear of it.
            let lowest = |points: &[DVec3]| points.iter().map(|p| p.y).fold(f64::MAX, f64::min);
            let (all, standing) = (lowest(&self.points), lowest(&self.still));
            let clear = if standing <= all { radius * 1e-4 } else { radius * 0.05 };
            Some(all.min(standing) - clear)
        };
        Stage { floor, ground, center, radius, heading: DVec3::NEG_Z }
    }

    /// Directions to look in, the best first.
    fn directions(&self) -> Vec<DVec3> {
        let [xx, yy, zz, xz] = self.facing;
        let total = (xx + yy + zz).max(1e-12);
        // How much of the sheets lies flat: those are looked down at more steeply.
        let flat = (yy / total).clamp(0.0, 1.0);
        let down = (11.0 + 17.0 * flat).to_radians();
        // Principal horizontal direction of the normals, on the +Z side.
        let angle = 0.5 * libm::atan2(2.0 * xz, xx - zz);
        let axis = DVec3::new(libm::cos(angle), 0.0, libm::sin(angle));
        let across = libm::hypot(xx - zz, 2.0 * xz) / (xx + zz).max(1e-12);
        let axis = if across < 0.25 || xx + zz < 0.05 * total { DVec3::Z } else { axis };
        let side = axis.z > 1e-9 || (axis.z.abs() <= 1e-9 && axis.x > 0.0);
        let front = if side { axis } else { -axis };
        [32.0f64, -32.0, 58.0, -58.0, 148.0, -148.0]
            .iter()
            .map(|turn| {
                let toward = rotation::from_rotation_y(turn.to_radians()) * front;
                -(toward * libm::cos(down) + DVec3::Y * libm::sin(down))
            })
            .collect()
    }

    /// Part of the shown points that nothing standing still hides, looking along `heading`; the
    /// picture is judged from a distance of some radii.
    fn openness(&self, heading: DVec3, stage: &Stage) -> f64 {
        const LOOKED_AT: usize = 64;
        const OBSTACLES: usize = 4000;
        if self.obstacles.is_empty() || self.obstacles.len() > OBSTACLES {
            return 1.0;
        }
        let eye = stage.center - heading * (stage.radius * 3.2);
        let step = (self.points.len() / LOOKED_AT).max(1);
        let points: Vec<DVec3> = self.points.iter().step_by(step).copied().collect();
        let open = points.iter().filter(|p| {
            let to = (**p - eye) * 0.98;
            !self.obstacles.iter().any(|t| crosses(eye, to, t))
        });
        // Rounded, so that taste decides between nearly equal ones.
        (open.count() as f64 / points.len() as f64 * 8.0).round()
    }

    /// Where a camera that looks along `heading` must stand to see all points: the nearest place
    /// from which the four sides of its view touch them.
    fn fit(&self, heading: DVec3, shape: f64, center: DVec3) -> DVec3 {
        let pose = Pose::of(&still_camera(DVec3::ZERO, heading, LENS), 0.0);
        let (w, h) = if shape >= 1.0 { (1000.0, 1000.0 / shape) } else { (1000.0 * shape, 1000.0) };
        let lens = Lens::new(&pose, (w as u32).max(1), (h as u32).max(1));
        let (right, up, tan) = lens.axes();
        let (tx, ty) = (tan.0 * (1.0 - MARGIN), tan.1 * (1.0 - MARGIN));
        // Of each point: across - tan * along must stay below, and across + tan * along above.
        let (mut left, mut rightmost) = (f64::MAX, f64::MIN);
        let (mut bottom, mut top) = (f64::MAX, f64::MIN);
        for p in &self.points {
            let q = *p - center;
            let (x, y, z) = (q.dot(right), q.dot(up), q.dot(heading));
            rightmost = rightmost.max(x - tx * z);
            left = left.min(x + tx * z);
            top = top.max(y - ty * z);
            bottom = bottom.min(y + ty * z);
        }
        let back = ((left - rightmost) / (2.0 * tx)).min((bottom - top) / (2.0 * ty));
        // Never inside of what is looked at, however small it is.
        let nearest = self.points.iter().map(|p| (*p - center).dot(heading)).fold(0.0, f64::min);
        let back = back.min(nearest - 1e-3);
        center + right * ((left + rightmost) * 0.5) + up * ((bottom + top) * 0.5) + heading * back
    }
}

/// Some of `points`: evenly spread over the list, and the outermost in 26 directions.
fn sample(points: &[DVec3], into: &mut Vec<DVec3>) {
    let step = points.len().div_ceil(POINTS).max(1);
    into.extend(points.iter().step_by(step));
    for i in 0..27 {
        let d = DVec3::new(f64::from(i % 3 - 1), f64::from(i / 3 % 3 - 1), f64::from(i / 9 - 1));
        into.extend(points.iter().max_by(|a, b| a.dot(d).total_cmp(&b.dot(d))));
    }
}

fn corners(points: &[DVec3]) -> Option<(DVec3, DVec3)> {
    let pairs = points.iter().map(|p| (*p, *p));
    pairs.reduce(|(low, high), (a, b)| (low.min(a), high.max(b)))
}

/// Adds the area-weighted squares of the normals.
fn add_facing(facing: &mut [f64; 4], points: &[DVec3], triangles: &[[u32; 3]]) {
    for t in triangles {
        let [a, b, c] = t.map(|v| points[v as usize]);
        let doubled = (b - a).cross(c - a);
        let n = doubled.normalize_or_zero();
        let area = doubled.length();
        facing[0] += area * n.x * n.x;
        facing[1] += area * n.y * n.y;
        facing[2] += area * n.z * n.z;
        facing[3] += area * n.x * n.z;
    }
}

/// Whether the way `from + s * to`, s in 0..1, crosses a triangle (Möller and Trumbore 1997).
fn crosses(from: DVec3, to: DVec3, [a, b, c]: &[DVec3; 3]) -> bool {
    let (e1, e2) = (*b - *a, *c - *a);
    let p = to.cross(e2);
    let det = e1.dot(p);
    if det == 0.0 {
        return false;
    }
    let s = from - *a;
    let u = s.dot(p) / det;
    let q = s.cross(e1);
    let v = to.dot(q) / det;
    let t = e2.dot(q) / det;
    u >= 0.0 && v >= 0.0 && u + v <= 1.0 && t > 0.0 && t < 1.0
}
