//! Pairs of primitives of triangles that share a corner or are near each other at rest: their boxes mostly meet, and in a
//! sheet that is not folded up they are nearly all the pairs there are. They are known from the mesh, and are looked at
//! again only when the nodes around a corner may have come nearer to each other than the last look leaves room for.

use super::candidates::{Candidate, Candidates, Distance};
use super::contact_distance::{far_within, never_farther_within};
use super::finder::{Found, Near, gather};
use super::in_plane::{InPlane, Needs, RestPlane};
use super::stars::{Star, Stars};
use super::tree::Tree;
use super::turning::{Approach, larger, smaller};
use crate::sim::linear::chunks;
use crate::sim::model::Model;
use glam::DVec3;
use std::cell::LazyCell;

/// See the module.
#[derive(Clone, Debug, Default)]
pub(super) struct Neighbours {
    stars: Stars,
    /// What is known of so many stars each.
    parts: Vec<Part>,
    /// Where all nodes were at the last look.
    before: Vec<DVec3>,
    lists: Vec<Found>,
}

/// What is known of some stars.
#[derive(Clone, Debug, Default)]
struct Part {
    /// Of the pairs of triangles of each star that share the corner, and of those that are near at rest.
    known: Vec<[Known; 2]>,
    /// How far any two nodes may have come nearer to each other, all told, before each pair of triangles must be looked
    /// at, in the order of stars [m].
    until: Vec<f32>,
}

/// What is known of the pairs of a star, or of some.
#[derive(Clone, Copy, Debug)]
struct Known {
    /// What they need to be apart in the plane that the star mostly lies in.
    needs: Needs,
    /// How far any two nodes may have come nearer to each other since all pairs were looked at [m]; no number where that
    /// is not followed.
    gone: f64,
    /// How far they may have before one of them must be looked at [m].
    until: f64,
    /// Where its pairs are in those of its part.
    first: u32,
}

/// Stars that are looked at in one go.
const STARS: usize = 512;

/// What is not counted on of the room between two [m]: far more than what rounding comes to, and than what edges that lie
/// nearly along each other are measured too far apart, so that when a pair was looked at last changes nothing of what is
/// found.
const ROUNDING: f64 = 1e-7;

/// Once nodes may have come so much nearer all told [m], all pairs are looked at: what is summed up keeps its digits.
const MOST_GONE: f64 = 1.0;

impl Neighbours {
    /// The pairs of all bodies that may touch themselves.
    pub(super) fn new(model: &Model) -> Self {
        let stars = Stars::new(model);
        let mut parts = vec![Part::default(); stars.all.len().div_ceil(STARS)];
        let mut work: Vec<_> = stars.all.chunks(STARS).zip(&mut parts).collect();
        chunks::for_each(&mut work, |(of, part)| {
            for star in *of {
                let known = [0, 1].map(|kind| {
                    let first = part.until.len();
                    part.until.resize(first + star.pairs[kind] as usize, f32::NEG_INFINITY);
                    Known::new(model, &stars, star, kind, first as u32)
                });
                part.known.push(known);
            }
        });
        Self { stars, parts, ..Self::default() }
    }

    /// Leaves the pairs of triangles that are looked at here out of what is sought in the trees of all bodies.
    pub(super) fn leave_out(&self, model: &Model, trees: &mut [Tree]) {
        let surface = &model.surface;
        let body = |star: &Star| surface.body_of_node[star.corner as usize] as usize;
        for stars in self.stars.all.chunk_by(|a, b| body(a) == body(b)) {
            let first = surface.body_triangles[body(&stars[0])].start;
            trees[body(&stars[0])].leave_out(|add| {
                for (star, kind) in stars.iter().flat_map(|star| [(star, 0), (star, 1)]) {
                    self.stars.each(surface, star, kind, |i, j| add(i - first, j - first));
                }
            });
        }
    }

    /// Adds to `out` the pairs that are `near`; with `anew` those alone that have one of these nodes.
    pub(super) fn collect(&mut self, near: &Near<'_>, anew: Option<&[bool]>, out: &mut Candidates) {
        let Self { stars, parts, before, lists } = self;
        before.resize(near.positions.len(), DVec3::NAN);
        lists.resize_with(parts.len(), Found::default);
        let work = stars.all.chunks(STARS).zip(&mut *parts).zip(&mut *lists);
        chunks::for_each(&mut work.collect::<Vec<_>>(), |((of, part), list)| {
            for (star, known) in of.iter().zip(&mut part.known) {
                let asks =
                    |ring: &[u32]| anew.is_none_or(|anew| ring.iter().any(|i| anew[*i as usize]));
                let [ring, wide] = stars.rings(star);
                let turns = LazyCell::new(|| Approach::new(near, before, star.frames[1]));
                let inner = LazyCell::new(|| turns.of(near, before, star.corner, ring));
                let outer = LazyCell::new(|| turns.of(near, before, star.corner, wide).or(*inner));
                let mut asked = asks(&[star.corner]) || asks(ring);
                for kind in (0..2).filter(|kind| star.pairs[*kind] > 0) {
                    let known = &mut known[kind];
                    // Of the two of a pair one at least is of triangles around the corner.
                    let nearer = || inner.and(if kind == 0 { *inner } else { *outer });
                    asked = asked || kind == 1 && asks(wide);
                    if known.is_followed() {
                        known.gone += nearer().came;
                        if known.until - known.gone > nearer().comes {
                            continue;
                        }
                    }
                    if asked && known.are_apart(near, stars, star, kind) {
                        known.gone = f64::NAN;
                    } else if asked {
                        let first = known.first as usize;
                        let until = &mut part.until[first..first + star.pairs[kind] as usize];
                        Look { near, comes: nearer().comes, anew, known, list }
                            .at(stars, star, kind, until);
                    }
                }
            }
        });
        gather(lists, out);
        before.copy_from_slice(near.positions);
    }
}

impl Known {
    /// Of the pairs of a star of one kind, the first of which is that `first` of its part.
    fn new(model: &Model, stars: &Stars, star: &Star, kind: usize, first: u32) -> Self {
        let mut needs = Needs::NONE;
        if let Some(plane) = RestPlane::new(&model.rest, star.frames[kind]) {
            stars.each(&model.surface, star, kind, |i, j| {
                model.surface.pairs_between(i, j, |pair| {
                    needs.add(model, &plane, &pair, far(model, &pair) + ROUNDING);
                });
            });
        }
        Self { needs, gone: f64::NAN, until: f64::NEG_INFINITY, first }
    }

    fn is_followed(&self) -> bool {
        !self.gone.is_nan()
    }

    /// Whether no two are near wherever they are on their ways, as the plane that the star mostly lies in tells.
    fn are_apart(&self, near: &Near<'_>, stars: &Stars, star: &Star, kind: usize) -> bool {
        InPlane::new(near, star.frames[kind]).is_some_and(|plane| {
            let [inner, wide] = stars.rings(star);
            let inner = plane.beside(near, star.corner, inner);
            let other = match kind {
                0 => inner,
                _ => larger(plane.beside(near, star.corner, wide), inner),
            };
            self.needs.room(plane.least) > inner + other
        })
    }
}

/// How far apart the two of a pair are near at most [m].
fn far(model: &Model, pair: &Candidate) -> f64 {
    far_within(model, pair).min(pair.sum_of_longest(&model.reach))
}

/// A look at the pairs of a star that are of one kind.
struct Look<'a> {
    near: &'a Near<'a>,
    /// How much nearer to each other its nodes come [m].
    comes: f64,
    anew: Option<&'a [bool]>,
    known: &'a mut Known,
    /// Where what is near goes.
    list: &'a mut Found,
}

impl Look<'_> {
    /// Looks at the pairs of a star of which not enough is known. Adds to the list what may be near while nodes come
    /// nearer as they do, and is asked for.
    fn at(&mut self, stars: &Stars, star: &Star, kind: usize, until: &mut [f32]) {
        let surface = &self.near.model.surface;
        if !self.known.is_followed() || self.known.gone > MOST_GONE {
            self.known.gone = 0.0;
            until.fill(f32::NEG_INFINITY);
        }
        let gone = self.known.gone;
        let mut least = f64::INFINITY;
        let mut all = until.iter_mut();
        let mut each = |i: u32, j: u32| {
            let until = all.next().expect("one for each pair of triangles");
            let enough = f64::from(*until) - gone > self.comes;
            if !enough {
                let mut room = f64::INFINITY;
                surface.pairs_between(i, j, |pair| {
                    room = smaller(self.at_pair(&pair), room);
                });
                // Of what is no number nothing is known the next time.
                let room = if room.is_nan() { f64::NEG_INFINITY } else { room - ROUNDING };
                *until = ((gone + room) as f32).next_down();
            }
            least = least.min(f64::from(*until));
        };
        stars.each(surface, star, kind, &mut each);
        self.known.until = least;
    }

    /// By how much the two may come nearer before they are near [m]. Adds them to the list if they may while nodes
    /// around them come nearer as they do, and are asked for.
    #[inline]
    fn at_pair(&mut self, pair: &Candidate) -> f64 {
        let (near, comes) = (self.near, self.comes);
        let (model, x) = (near.model, near.positions);
        let way = |offset: DVec3| near.way_along(pair, offset).min(comes);
        // How far apart they are at rest is found only where the nearest corners do not tell enough.
        let reach = pair.sum_of_longest(&model.reach);
        let never_farther = never_farther_within(model, pair).min(reach);
        if let Some(offset) = pair.apart(x) {
            let least = offset.length();
            if least - way(offset) > never_farther {
                return least - never_farther;
            }
        }
        let offset = pair.closest(x).offset;
        let apart = offset.length();
        if apart - way(offset) > never_farther {
            return apart - never_farther;
        }
        let far = far(model, pair);
        let is_far = apart - way(offset) > far;
        if !is_far && self.anew.is_none_or(|anew| pair.has(anew)) {
            self.list.add(*pair, Distance::of(offset));
        }
        apart - far
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::random;
    use crate::math::rotation;
    use crate::scenes;
    use crate::sim::Simulation;
    use crate::sim::collision::finder::Finder;
    use std::collections::BTreeSet;

    /// A sheet that creeps, turns, and crumples until neighbours come near, looked at all along and as if for the first
    /// time.
    #[test]
    fn what_was_looked_at_before_changes_nothing() {
        let scene = scenes::sheet_on_ball(9);
        let simulation =
            Simulation::start(&scene).map_err(|p| format!("{p:?}")).unwrap().simulation;
        let (mut model, mut x) = (simulation.model, simulation.state.positions);
        for (half, reach) in model.half_thickness.iter_mut().zip(&mut model.reach) {
            (*half, *reach) = (*half * 20.0, *reach * 20.0);
        }
        let mut random = random::centred(29);
        let mut always = Finder::new(&model.surface, &x);
        let mut own = Neighbours::new(&model);
        let mut sharing = BTreeSet::new();
        for star in &own.stars.all {
            own.stars.sharing_pairs(&model.surface, star, |i, j| {
                model.surface.pairs_between(i, j, |pair| _ = sharing.insert((pair.kind, pair.ids)));
            });
        }
        let (mut passed, mut found) = ([0; 2], [0; 2]);
        for round in 0..60 {
            let gust = DVec3::new(random(), random(), random()) * 0.05;
            let size = if round % 10 == 9 { 0.05 } else { 2e-4 };
            let mut to = x.clone();
            let turn = rotation::from_rotation_x(0.1 * random())
                * rotation::from_rotation_y(0.1 * random());
            for (p, to) in x.iter_mut().zip(&mut to).take(model.free_count) {
                *p = turn * *p + DVec3::new(random(), random(), random()) * size;
                *to = turn * *p + gust + DVec3::new(random(), random(), random()) * 1e-3;
            }
            let mut boxes = Candidates::default();
            boxes.make_room(x.len());
            for (i, (p, to)) in x.iter().zip(&to).enumerate() {
                boxes.set_moving_box(i, *p, *to, 2e-4);
            }
            let mut fresh = boxes.clone();
            always.find_near(&model, &x, None, &mut boxes);
            Finder::new(&model.surface, &x).find_near(&model, &x, None, &mut fresh);
            let sorted = |c: &Candidates| {
                let mut pairs: Vec<_> = c.pairs.iter().map(|p| (p.kind, p.ids)).collect();
                pairs.sort_unstable();
                pairs
            };
            assert_eq!(sorted(&boxes), sorted(&fresh), "round {round}");
            // Some boxes are others.
            let anew: Vec<bool> = (0..x.len()).map(|i| i % 5 == round % 5).collect();
            for i in (0..model.free_count).filter(|i| anew[*i]) {
                boxes.set_moving_box(i, x[i], to[i] + DVec3::splat(1e-3), 3e-4);
            }
            let mut fresh = boxes.clone();
            always.find_near(&model, &x, Some(&anew), &mut boxes);
            Finder::new(&model.surface, &x).find_near(&model, &x, Some(&anew), &mut fresh);
            assert_eq!(sorted(&boxes), sorted(&fresh), "round {round}, some anew");
            let motion = vec![2e-4 * 3f64.sqrt(); x.len()];
            let way: Vec<DVec3> = to.iter().zip(&x).map(|(to, p)| *to - *p).collect();
            let near = Near { model: &model, positions: &x, motion: &motion, way: Some(&way) };
            let left = |own: &Neighbours| -> Vec<[f64; 2]> {
                let known = own.parts.iter().flat_map(|part| &part.known);
                known.map(|known| known.map(|known| known.until - known.gone)).collect()
            };
            let before = left(&own);
            let mut some = Candidates::default();
            own.collect(&near, None, &mut some);
            for pair in &some.pairs {
                found[usize::from(!sharing.contains(&(pair.kind, pair.ids)))] += 1;
            }
            // What was not looked at has less left than before.
            for (left, before) in left(&own).into_iter().zip(before) {
                for k in 0..2 {
                    passed[k] += u32::from(left[k] < before[k] && left[k] > 0.0);
                }
            }
        }
        let enough = |count: [u32; 2]| count.iter().all(|count| *count > 50);
        assert!(enough(passed) && enough(found), "{passed:?} passed over, {found:?} pairs found");
    }
}
