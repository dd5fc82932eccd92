//! What turns a rope about its own length: the vertices that a pin, an attachment, a frozen place or the
//! rope's own curves hold exactly. Neighbours that one constraint holds are a grasp; between two grasps
//! the rope is twisted evenly.
//!
//! A grasp turns with what holds it. Of its segment a grasp of one vertex leaves the direction free: there the
//! director goes with the segment the short way, as seen from the holder.

use super::hold::stiffness;
use super::is_active;
use super::tie::Target;
use crate::math::rotation;
use crate::scene::ConstraintKind;
use crate::sim::methods::potential::Potential;
use crate::sim::model::{Hold, Model};
use crate::sim::pose::Pose;
use crate::sim::potentials::rank_one::RankOne;
use crate::sim::potentials::twist::{Holder, Strand, angle_about, carried};
use crate::sim::state::State;
use crate::sim::whereabouts::{There, Whereabouts};
use glam::{DMat3, DQuat, DVec3};
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;

/// What the tangent's solution may be off by without the twist, as a part of it: a tenth of what linear solves
/// are off by.
const TOO_SOFT: f64 = 1e-3;

/// Vertices of a strand, neighbours, that are held together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Grasp {
    /// The first and the last, as places among the strand's nodes.
    first: u32,
    last: u32,
    /// Unit vectors that turn with it, across the segments where what is before it ends and what is behind it
    /// begins.
    directors: [DVec3; 2],
    /// Twist from here to the next grasp, whole turns counted [rad].
    angle: f64,
}

impl Grasp {
    /// The segments of its directors.
    fn segments(&self, strand: &Strand) -> [usize; 2] {
        let (first, last) = (self.first as usize, self.last as usize);
        if first < last { [first, last - 1] } else { [first.min(strand.segments() - 1); 2] }
    }
}

/// A strand that is held in two places at least.
#[derive(Clone, Debug)]
pub(crate) struct Twisted {
    /// Index into `Model::strands`.
    index: usize,
    ends: Vec<End>,
}

/// A grasp during a substep.
#[derive(Clone, Debug)]
struct End {
    grasp: Grasp,
    /// None for a frozen place.
    holder: Option<Holder>,
    /// How its holder is turned at the start of the substep.
    from: DQuat,
    /// How its holder turns in the substep; means nothing for a rigid body.
    turn: DQuat,
    /// The rigid body that holds it, and the inverse of its frame at the start.
    rigid: Option<(usize, DMat3)>,
    /// Directions of both segments at the start.
    along: [DVec3; 2],
}

/// Notes what may hold the vertices of the model's strands.
pub(crate) fn find_holders(model: &mut Model) {
    let Model { strands, holds, ties, scene, .. } = model;
    for strand in strands {
        let place = |node: u32| strand.nodes.iter().position(|i| *i == node).map(|k| k as u32);
        let mut holders: Vec<(u32, Holder)> = Vec::new();
        for (index, hold) in holds.iter().enumerate() {
            holders.extend(place(hold.node).map(|k| (k, Holder::Hold(index))));
        }
        for (index, tie) in ties.iter().enumerate() {
            let rides = matches!(
                scene.constraints[tie.constraint].kind,
                ConstraintKind::Attach { .. } | ConstraintKind::Pin { .. }
            );
            // What deforms does not hold a rope's turn.
            let turns = !matches!(tie.target, Target::Rides(_));
            if rides && turns && tie.bodies[0] == strand.body {
                holders.extend(place(tie.spread.nodes[0]).map(|k| (k, Holder::Tie(index))));
            }
        }
        holders.sort_unstable();
        strand.holders = holders;
    }
}

/// Vertices of a strand that are held exactly until `end`, with the constraint that does it.
fn held(
    model: &Model,
    state: &State,
    strand: &Strand,
    end: f64,
) -> Vec<(u32, usize, Option<Holder>)> {
    let mut found: Vec<(u32, usize, Option<Holder>)> = Vec::new();
    for &(place, holder) in &strand.holders {
        let (constraint, share, released) = match holder {
            Holder::Hold(i) => {
                (model.holds[i].constraint, model.holds[i].share, state.holds[i].released)
            }
            Holder::Tie(i) => {
                (model.ties[i].constraint, model.ties[i].share, state.ties[i].released)
            }
        };
        let exact = stiffness(&model.scene.constraints[constraint], share, end).is_none();
        if exact && !released && is_active(model, state, constraint, end) {
            found.push((place, constraint, Some(holder)));
        }
    }
    for frozen in state.frozen.iter().filter(|f| !f.released) {
        let constraint = frozen.constraint as usize;
        let entry = &model.scene.constraints[constraint];
        let exact = stiffness(entry, frozen.share, end).is_none();
        if let Some(place) = strand.nodes.iter().position(|i| *i == frozen.node)
            && exact
            && is_active(model, state, constraint, end)
        {
            found.push((place as u32, constraint, None));
        }
    }
    found.sort_by_key(|(place, ..)| *place);
    found.dedup_by_key(|(place, ..)| *place);
    found
}

/// How what holds a grasp is turned, in the world's frame; means nothing for a rigid body.
fn rotation(model: &Model, holder: Option<Holder>, there: There<'_>, time: f64) -> DQuat {
    let Some(Holder::Hold(index)) = holder else { return DQuat::IDENTITY };
    let Hold { constraint, carrier, .. } = &model.holds[index];
    match (carrier, &model.scene.constraints[*constraint].kind) {
        (Some(frame), _) => frame.pose(there).rotation,
        (None, ConstraintKind::Pin { motion, .. }) => motion.turn_at(time),
        (None, ConstraintKind::Carry { body }) => Pose::given(&model.scene, *body, time).rotation,
        _ => DQuat::IDENTITY,
    }
}

/// The rigid body that holds a grasp.
fn rigid_of(model: &Model, holder: Option<Holder>) -> Option<usize> {
    let Some(Holder::Tie(index)) = holder else { return None };
    model.bodies[model.ties[index].bodies[1]].rigid
}

/// The strands that are twisted until `end`, with given bodies at `wanted` by then. Notes where they have been
/// taken hold of, and where they have been let go.
pub(crate) fn active(
    model: &Model,
    state: &mut State,
    end: f64,
    wanted: &Whereabouts,
    out: &mut Vec<Twisted>,
) {
    out.clear();
    for (index, strand) in model.strands.iter().enumerate() {
        let mut grasps: Vec<(Grasp, usize, Option<Holder>)> = Vec::new();
        for (place, constraint, holder) in held(model, state, strand, end) {
            match grasps.last_mut() {
                Some((grasp, same, _)) if *same == constraint && grasp.last + 1 == place => {
                    grasp.last = place;
                }
                _ => {
                    let directors = [DVec3::ZERO; 2];
                    let grasp = Grasp { first: place, last: place, directors, angle: 0.0 };
                    grasps.push((grasp, constraint, holder));
                }
            }
        }
        if grasps.len() < 2 {
            state.twists[index].clear();
            continue;
        }
        let known = &state.twists[index];
        let same = known.len() == grasps.len()
            && known.iter().zip(&grasps).all(|(a, (b, ..))| (a.first, a.last) == (b.first, b.last));
        if !same {
            let mut new: Vec<Grasp> = grasps.iter().map(|(grasp, ..)| *grasp).collect();
            take_hold(strand, &state.positions, known, &mut new);
            state.twists[index] = new;
        }
        let (x, state) = (&state.positions, &*state);
        let ends = state.twists[index].iter().zip(&grasps).map(|(&grasp, &(_, _, holder))| {
            let from = rotation(model, holder, There::Now(model, state), state.time);
            let rigid = rigid_of(model, holder).map(|r| (r, model.rigids[r].turn(x).transpose()));
            End {
                grasp,
                holder,
                from,
                turn: rotation(model, holder, There::Wanted(wanted), end) * from.inverse(),
                rigid,
                along: grasp.segments(strand).map(|e| strand.direction(x, e)),
            }
        });
        out.push(Twisted { index, ends: ends.collect() });
    }
}

/// Gives the directors and angles of grasps `new` on a rope that was held by those of `known`: its twist stays.
fn take_hold(strand: &Strand, x: &[DVec3], known: &[Grasp], new: &mut [Grasp]) {
    // Frames that are carried all along, against which the rope is turned by `(way along it, angle)`.
    let mut frames = vec![strand.direction(x, 0).any_orthonormal_vector()];
    for e in 1..strand.segments() {
        frames.push(strand.carry(x, frames[e - 1], e - 1, e));
    }
    let mut turned: Vec<(f64, f64)> = Vec::new();
    for (k, grasp) in known.iter().enumerate() {
        let segments = grasp.segments(strand);
        let read = |side: usize| {
            let e = segments[side];
            angle_about(strand.direction(x, e), frames[e], grasp.directors[side])
        };
        let begins = match k.checked_sub(1) {
            Some(before) => turned[turned.len() - 1].1 + known[before].angle,
            None => read(0),
        };
        let within = read(1) - read(0);
        let ends = begins + within - TAU * (within / TAU).round();
        turned.push((strand.along[grasp.first as usize], begins));
        turned.push((strand.along[grasp.last as usize], ends));
    }
    let turn_at = |way: f64| {
        let after = turned.partition_point(|(at, _)| *at < way);
        match (after.checked_sub(1).map(|k| turned[k]), turned.get(after)) {
            (Some((w0, a0)), Some((w1, a1))) => a0 + (a1 - a0) * ((way - w0) / (w1 - w0)),
            (Some((_, angle)), None) => angle,
            (None, Some((_, angle))) => *angle,
            (None, None) => 0.0,
        }
    };
    for grasp in new.iter_mut() {
        let segments = grasp.segments(strand);
        let ways = [grasp.first, grasp.last].map(|k| strand.along[k as usize]);
        grasp.directors = std::array::from_fn(|side| {
            let e = segments[side];
            let turn = rotation::from_axis_angle(strand.direction(x, e), turn_at(ways[side]));
            turn * frames[e]
        });
    }
    for k in 1..new.len() {
        let ways = [new[k - 1].last, new[k].first].map(|k| strand.along[k as usize]);
        new[k - 1].angle = turn_at(ways[1]) - turn_at(ways[0]);
    }
}

impl End {
    /// Its director `side` with the nodes at `z`, and a holder that has turned by `turn`.
    fn director(&self, strand: &Strand, z: &[DVec3], side: usize, turn: DMat3) -> DVec3 {
        let e = self.grasp.segments(strand)[side];
        let now = strand.direction(z, e);
        carried(turn * self.grasp.directors[side], turn * self.along[side], now)
    }

    /// How its holder turns from the start to `z`.
    fn turn(&self, model: &Model, z: &[DVec3]) -> DMat3 {
        match self.rigid {
            Some((rigid, back)) => model.rigids[rigid].turn(z) * back,
            None => DMat3::from_quat(self.turn),
        }
    }
}

/// Twist between two grasps of a strand.
struct Span<'a> {
    strand: &'a Strand,
    ends: [&'a End; 2],
    segments: [usize; 2],
    /// GJ / L [N m].
    stiffness: f64,
}

impl Twisted {
    fn spans<'a>(&'a self, model: &'a Model) -> impl Iterator<Item = Span<'a>> {
        let strand = &model.strands[self.index];
        self.ends.windows(2).map(move |pair| Span {
            strand,
            ends: [&pair[0], &pair[1]],
            segments: [pair[0].grasp.segments(strand)[1], pair[1].grasp.segments(strand)[0]],
            stiffness: stiffness_between(strand, &pair[0].grasp, &pair[1].grasp),
        })
    }

    /// Adds the gradient at `z` [N] and, where `rank_ones` are given, what it adds to the tangent.
    pub(crate) fn add(
        &self,
        model: &Model,
        potential: &Potential,
        z: &[DVec3],
        gradient: &mut [DVec3],
        mut rank_ones: Option<&mut Vec<RankOne>>,
    ) {
        for span in self.spans(model) {
            let moment = span.stiffness * span.angle(model, z);
            let slopes = span.slopes(model, z);
            for &(node, slope) in &slopes {
                gradient[node as usize] += slope * moment;
            }
            let Some(rank_ones) = rank_ones.as_deref_mut() else { continue };
            // Everything that moves is held by its inertia at least.
            let free = slopes.iter().filter(|(i, _)| !potential.given[*i as usize]);
            let yields = free.map(|(i, s)| s.length_squared() / potential.inertia[*i as usize]);
            if span.stiffness * yields.sum::<f64>() > TOO_SOFT {
                rank_ones.push(RankOne { stiffness: span.stiffness, slopes });
            }
        }
    }

    /// Writes what it has come to in a substep into its state.
    pub(crate) fn keep(&self, model: &Model, state: &mut State) {
        let strand = &model.strands[self.index];
        let x = &state.positions;
        let mut grasps: Vec<Grasp> = Vec::with_capacity(self.ends.len());
        for end in &self.ends {
            // Given motions may have been told to wait.
            let now = rotation(model, end.holder, There::Now(model, state), state.time);
            let turn = now * end.from.inverse();
            let now = End { turn, ..end.clone() };
            let turn = now.turn(model, x);
            let directors = [0, 1].map(|side| now.director(strand, x, side, turn));
            grasps.push(Grasp { directors, ..end.grasp });
        }
        for k in 1..grasps.len() {
            let (before, after) = (grasps[k - 1], grasps[k]);
            let segments = [before.segments(strand)[1], after.segments(strand)[0]];
            let read = strand.angle(x, segments, [before.directors[1], after.directors[0]]);
            grasps[k - 1].angle = nearest(read, before.angle);
        }
        state.twists[self.index] = grasps;
    }
}

impl Span<'_> {
    /// Its twist with the nodes at `z` [rad].
    fn angle(&self, model: &Model, z: &[DVec3]) -> f64 {
        let director = |side: usize| {
            let end = self.ends[side];
            end.director(self.strand, z, 1 - side, end.turn(model, z))
        };
        let read = self.strand.angle(z, self.segments, [director(0), director(1)]);
        nearest(read, self.ends[0].grasp.angle)
    }

    /// The slope of the twist by the nodes that are solved for [1/m]. A spin of the holder changes it by the
    /// part about the segment that it holds.
    fn slopes(&self, model: &Model, z: &[DVec3]) -> Vec<(u32, DVec3)> {
        let mut slopes = Vec::new();
        self.strand.slopes(z, self.segments, |node, slope| slopes.push((node, slope)));
        for (side, sign) in [-1.0, 1.0].into_iter().enumerate() {
            let Some((rigid, _)) = self.ends[side].rigid else { continue };
            let rigid = &model.rigids[rigid];
            let grip = rigid.grip(z);
            let about = self.strand.direction(z, self.segments[side]) * sign;
            let turns = grip.spread([DVec3::ZERO, grip.turns.transpose() * about]);
            slopes.extend(rigid.nodes().map(|i| i as u32).zip(turns));
        }
        slopes
    }
}

/// The angle that reads as `read` within half a turn and is nearest to `before` [rad].
fn nearest(read: f64, before: f64) -> f64 {
    read + TAU * ((before - read) / TAU).round()
}

/// GJ / L between two grasps [N m].
fn stiffness_between(strand: &Strand, a: &Grasp, b: &Grasp) -> f64 {
    let length = strand.along[b.first as usize] - strand.along[a.last as usize];
    strand.stiffness / length.max(f64::MIN_POSITIVE)
}

/// Energy of the twist of a strand that `grasps` hold [J].
pub(crate) fn energy(strand: &Strand, grasps: &[Grasp]) -> f64 {
    let of = |pair: &[Grasp]| {
        0.5 * stiffness_between(strand, &pair[0], &pair[1]) * pair[0].angle * pair[0].angle
    };
    grasps.windows(2).map(of).sum()
}
