//! How nodes around a corner lie in the plane that they are mostly in. However they bend, two places are no nearer to each
//! other than they are in a plane, where a bend shows in its third order only: the first is the plane itself, and the
//! second goes out of it.

use super::candidates::Candidate;
use super::finder::Near;
use super::turning::{LEAST_SINE, larger, smaller};
use crate::sim::model::Model;
use glam::{DMat2, DVec2, DVec3};

/// See the module: nodes on the ways of their boxes, seen in one plane, beside where they would be there if the plane
/// that they lie in at rest was stretched evenly.
pub(super) struct InPlane {
    rest: RestPlane,
    axes: [DVec3; 2],
    /// Where the two lines go in the plane, first and last.
    lines: [DMat2; 2],
    /// What is left of any length at least, as far as it is stretched evenly.
    pub(super) least: f64,
}

/// Coordinates in the plane of two lines at rest: parts of these lines.
#[derive(Clone, Copy)]
pub(super) struct RestPlane {
    duals: [DVec3; 2],
    /// The two lines along axes that are upright and of length one.
    lines: DMat2,
}

impl RestPlane {
    /// Of the lines between two times two nodes; none where they lie along each other.
    pub(super) fn new(rest: &[DVec3], [a, b, c, d]: [u32; 4]) -> Option<Self> {
        let [a, b, c, d] = [a, b, c, d].map(|i| rest[i as usize]);
        let (along, side) = (b - a, d - c);
        let normal = along.cross(side);
        let squared = normal.length_squared();
        let most = along.length_squared() * side.length_squared();
        if squared.is_nan() || squared <= LEAST_SINE * LEAST_SINE * most {
            return None;
        }
        let length = along.length();
        let first = DVec2::new(length, 0.0);
        let second = DVec2::new(along.dot(side), squared.sqrt()) / length;
        Some(Self {
            duals: [side.cross(normal) / squared, normal.cross(along) / squared],
            lines: DMat2::from_cols(first, second),
        })
    }

    fn place(&self, arm: DVec3) -> DVec2 {
        DVec2::from_array(self.duals.map(|dual| dual.dot(arm)))
    }
}

impl InPlane {
    /// Of nodes that go with the four of `own`; none where these make no plane. Where it turns over nothing is left of
    /// lengths.
    pub(super) fn new(near: &Near<'_>, own: [u32; 4]) -> Option<Self> {
        let rest = RestPlane::new(&near.model.rest, own)?;
        let lines = |at: &[DVec3]| {
            let [a, b, c, d] = own.map(|i| at[i as usize]);
            [b - a, d - c]
        };
        let first = lines(near.positions);
        let way = near.way.map_or([DVec3::ZERO; 2], lines);
        let [along, side] = [0, 1].map(|k| first[k] + way[k] * 0.5);
        let u = along.try_normalize()?;
        let v = (side - u * u.dot(side)).try_normalize()?;
        let seen = |lines: [DVec3; 2]| {
            let [along, side] = lines.map(|line| DVec2::new(u.dot(line), v.dot(line)));
            DMat2::from_cols(along, side)
        };
        let (start, goes) = (seen(first), seen(way));
        let from_rest = rest.lines.inverse();
        let middle = (start + goes * 0.5) * from_rest;
        // With the smaller singular value s of what M makes of lengths halfway and the change D on all of the way, a
        // length v is |M v + D v t|, |t| <= 1/2, whose square is s^2 v^2 - |v (M^T D) v| at least: turns change nothing.
        let [a, c, b, d] = middle.to_cols_array();
        let turned = DVec2::new(a + d, b - c).length();
        let sheared = DVec2::new(a - d, b + c).length();
        let singular = (0.5 * (turned - sheared)).max(0.0);
        let change = middle.transpose() * (goes * from_rest);
        let [a, c, b, d] = change.to_cols_array();
        let lost = DVec2::new(a, d).length_squared() + 0.5 * (b + c) * (b + c);
        let least = (singular * singular - lost.sqrt()).max(0.0).sqrt();
        Some(Self { rest, axes: [u, v], lines: [start, start + goes], least })
    }

    /// How far beside their places in the plane the corner and the nodes of a ring around it may be [m].
    #[inline]
    pub(super) fn beside(&self, near: &Near<'_>, corner: u32, ring: &[u32]) -> f64 {
        let (x, rest) = (near.positions, &near.model.rest);
        let (p, r) = (x[corner as usize], rest[corner as usize]);
        let own = near.way.map_or(DVec3::ZERO, |way| way[corner as usize]);
        let seen = |arm: DVec3| DVec2::from_array(self.axes.map(|axis| axis.dot(arm)));
        let mut motion = near.motion[corner as usize];
        let mut most = 0.0;
        let mut see = |squared: f64| most = larger(squared, most);
        for i in ring.iter().map(|i| *i as usize) {
            let place = self.rest.place(rest[i] - r);
            let arm = x[i] - p;
            see((seen(arm) - self.lines[0] * place).length_squared());
            if let Some(way) = near.way {
                let arm = arm + (way[i] - own);
                see((seen(arm) - self.lines[1] * place).length_squared());
            }
            motion = larger(near.motion[i], motion);
        }
        most.sqrt() + motion
    }
}

/// What a star's pairs need in its plane: see [`Needs::room`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Needs {
    /// By how much all are farther apart than what is near where [`SHORTEST`] is left of all lengths [m].
    room: f64,
    /// The least distance of two at rest, in the plane [m].
    apart: f64,
}

/// What must be left of lengths for anything to be told.
const SHORTEST: f64 = 0.9;

impl Needs {
    /// Of no pairs.
    pub(super) const NONE: Self = Self { room: f64::INFINITY, apart: f64::INFINITY };

    /// Adds a pair that is near if it is no farther apart than `far` [m].
    pub(super) fn add(&mut self, model: &Model, plane: &RestPlane, pair: &Candidate, far: f64) {
        let first = model.rest[pair.nodes[0] as usize];
        let flat = |i: u32| (plane.lines * plane.place(model.rest[i as usize] - first)).extend(0.0);
        let apart = pair.kind.closest(pair.nodes.map(flat)).offset.length();
        self.room = smaller(SHORTEST * apart - far, self.room);
        self.apart = smaller(apart, self.apart);
    }

    /// By how much all pairs are farther apart than what is near where `least` is left of all lengths [m].
    pub(super) fn room(&self, least: f64) -> f64 {
        if least < SHORTEST {
            return f64::NEG_INFINITY;
        }
        self.room + (least - SHORTEST) * self.apart
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::random;
    use crate::math::rotation;
    use crate::scenes;
    use crate::sim::Simulation;
    use crate::sim::collision::stars::Stars;
    use glam::DQuat;

    /// A sheet that is stretched, rolled up and crumpled by turns, and goes to where it is so otherwise: wherever nodes
    /// are on their ways, no pair is nearer than what is told of it.
    #[test]
    fn none_is_nearer_than_what_is_told() {
        tell_no_more_than_is(0.0);
    }

    /// Seen in a plane what is not plane at rest is nearer than it is.
    #[test]
    fn none_of_what_is_not_plane_at_rest_is_nearer_than_what_is_told() {
        tell_no_more_than_is(0.05);
    }

    fn tell_no_more_than_is(bumps: f64) {
        let scene = scenes::sheet_on_ball(9);
        let Simulation { mut model, state, .. } =
            Simulation::start(&scene).map_err(|p| format!("{p:?}")).unwrap().simulation;
        for reach in &mut model.reach {
            *reach *= 20.0;
        }
        let mut random = random::centred(5);
        for p in &mut model.rest[..model.free_count] {
            p.y += bumps * random();
        }
        let stars = Stars::new(&model);
        let cell = 0.25;
        let (mut told, mut tight) = ([0; 2], 0);
        for round in 0..60 {
            let mut vector = |size: f64| DVec3::new(random(), random(), random()) * size;
            let radius = cell * [1.0, 3.0, 10.0][round % 3];
            let crumpled = [0.0, 0.02, 0.1][round / 3 % 3];
            let stretch = [(); 2].map(|()| 1.0 + 0.2 * vector(1.0).x);
            let about = rotation::from_rotation_y(7.0 * vector(1.0).x);
            let turn = rotation::from_scaled_axis(vector(6.0));
            let turns =
                [DQuat::IDENTITY, rotation::from_scaled_axis(vector([0.1, 1.0][round % 2]))];
            let more = [1.0, 1.0 + 0.5 * vector(1.0).x];
            let mut roll = |p: DVec3, k: usize| {
                let flat = about * p * DVec3::new(stretch[k], 1.0, 1.0);
                let angle = flat.x / radius * more[k];
                let round = DVec3::new(libm::sin(angle), 1.0 - libm::cos(angle), 0.0);
                let rolled = round * (radius / more[k]) + DVec3::Z * flat.z;
                turns[k] * turn * (rolled + vector(crumpled * cell))
            };
            let (mut x, mut to) = (state.positions.clone(), state.positions.clone());
            for i in 0..model.free_count {
                (x[i], to[i]) = (roll(model.rest[i], 0), roll(model.rest[i], 1));
            }
            let way: Vec<DVec3> = to.iter().zip(&x).map(|(to, x)| *to - *x).collect();
            let way = (round % 4 > 0).then_some(way);
            let motion: Vec<f64> = x.iter().map(|_| 0.05 * cell * (0.5 + random())).collect();
            let near = Near { model: &model, positions: &x, motion: &motion, way: way.as_deref() };
            let mut anywhere = |time: f64| -> Vec<DVec3> {
                let gone = |i: usize| way.as_ref().map_or(DVec3::ZERO, |way| way[i] * time);
                let place = |i: usize| {
                    let aside = DVec3::new(random(), random(), random()).normalize();
                    x[i] + gone(i) + aside * motion[i]
                };
                (0..x.len()).map(place).collect()
            };
            let anywhere = [0.0, 0.4, 0.5, 1.0].map(&mut anywhere);
            for star in stars.all.iter().filter(|star| (star.corner as usize) < model.free_count) {
                for kind in 0..2 {
                    let Some(plane) = InPlane::new(&near, star.frames[kind]) else { continue };
                    let [ring, wide] = stars.rings(star);
                    let beside = plane.beside(&near, star.corner, ring);
                    let other = plane.beside(&near, star.corner, wide);
                    let both = beside + if kind == 0 { beside } else { beside.max(other) };
                    stars.each(&model.surface, star, kind, |i, j| {
                        model.surface.pairs_between(i, j, |pair| {
                            let mut needs = Needs::NONE;
                            needs.add(&model, &plane.rest, &pair, 0.0);
                            let least = needs.room(plane.least) - both;
                            if least <= 0.0 {
                                return;
                            }
                            told[kind] += 1;
                            for at in &anywhere {
                                let apart = pair.closest(at).offset.length();
                                assert!(apart >= least, "{round}: {pair:?} {apart} below {least}");
                                tight += usize::from(apart < 1.1 * least);
                            }
                        });
                    });
                }
            }
        }
        let enough = told.iter().all(|told| *told > 5000) && tight > 1000;
        assert!(enough, "{told:?} told, {tight} of them tightly");
    }
}
