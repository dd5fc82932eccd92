//! The certificate: looks at stored frames and says whether anything in them crosses.
//!
//! It shares no code with the engine. It looks at the f32 triangles that exporters write and
//! decides with exact arithmetic (see `geometry::predicates`), so that there is no tolerance to
//! argue about: touching counts as crossing. What lies between frames is looked at where it is stored as samples.
//! Of ropes, which exporters draw as tubes, it looks at the middle lines: that one goes through a surface is seen, that
//! two have gone through each other between frames is not.

use crate::frames::{BodyState, Frame, Sample};
use crate::geometry::predicates::{crossing_place, neighbours_cross, triangles_cross};
use crate::geometry::{Aabb, Bvh};
use crate::scene::{ConstraintKind, Scene};
use glam::DVec3;
use std::fmt;

/// Something in a frame that a certified frame may not have.
#[derive(Clone, Debug, PartialEq)]
pub enum Finding {
    /// Two triangles cross or touch.
    Crossing(Crossing),
    /// A coordinate is no number.
    NotFinite {
        /// Where it is found.
        at: Moment,
        /// Name of the body.
        body: String,
        /// The first such vertex.
        vertex: usize,
    },
    /// The frame does not fit the scene.
    Incomplete {
        /// Where it is found.
        at: Moment,
        /// What is wrong.
        what: String,
    },
}

/// Two triangles that cross or touch.
#[derive(Clone, Debug, PartialEq)]
pub struct Crossing {
    /// Where it is found.
    pub moment: Moment,
    /// Name of one body and the number of its triangle.
    pub a: (String, u32),
    /// The other; the same body where it crosses itself.
    pub b: (String, u32),
    /// Where, up to rounding [m].
    pub at: DVec3,
}

/// A frame, or a sample on the way to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// Number of the frame.
    pub frame: i32,
    /// Which of its samples, counted from 1, and how many samples it has; none: the frame itself.
    pub sample: Option<(usize, usize)>,
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.sample {
            None => write!(f, "frame {}", self.frame),
            Some((k, of)) => write!(f, "frame {} and {k}/{}", self.frame - 1, of + 1),
        }
    }
}

/// A pair of bodies (or a body and itself) whose crossings are not looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Name of one body.
    pub a: String,
    /// Name of the other.
    pub b: String,
    /// Why.
    pub why: Reason,
}

/// Why crossings of a pair are not looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// Both are moved by the script alone.
    GivenMotions,
    /// One of them has `collides = false`.
    DoesNotCollide,
    /// A joint ties them and lets them overlap.
    Joined,
    /// A rigid body cannot come to itself.
    KeepsShape,
    /// The body has `self_collision = false`.
    NoSelfCollision,
    /// `shot:contact` has `collides = false` for the pair, always or for a time.
    ContactPair,
}

impl Reason {
    /// The reason as a person reads it.
    pub fn text(self) -> &'static str {
        match self {
            Self::GivenMotions => "both motions are given",
            Self::DoesNotCollide => "collides = false",
            Self::Joined => "a joint ties them",
            Self::KeepsShape => "it keeps its shape",
            Self::NoSelfCollision => "self_collision = false",
            Self::ContactPair => "collides = false for the pair",
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Crossing(Crossing { moment, a, b, at }) => write!(
                f,
                "{moment}: triangle {} of {} crosses triangle {} of {} at ({:.4}, {:.4}, {:.4})",
                a.1, a.0, b.1, b.0, at.x, at.y, at.z
            ),
            Self::NotFinite { at, body, vertex } => {
                write!(f, "{at}: vertex {vertex} of {body} is no number")
            }
            Self::Incomplete { at, what } => write!(f, "{at}: {what}"),
        }
    }
}

/// Everything in `frame` and its samples that a certified frame may not have, in the order of time, bodies and
/// triangles.
pub fn check_frame(scene: &Scene, frame: &Frame) -> Vec<Finding> {
    let moment = |sample| Moment { frame: frame.number, sample };
    let (of, first) = (frame.samples.len(), frame.number == scene.timing.start_frame);
    let expected = if first { 0 } else { scene.output.subframes.saturating_sub(1) as usize };
    let mut findings = Vec::new();
    if of != expected {
        let what = format!("it has {of} samples, not {expected}");
        findings.push(Finding::Incomplete { at: moment(None), what });
    }
    for (i, Sample { time, bodies }) in frame.samples.iter().enumerate() {
        findings.extend(check_moment(scene, moment(Some((i + 1, of))), *time, bodies));
    }
    findings.extend(check_moment(scene, moment(None), frame.time, &frame.bodies));
    findings
}

/// Everything that may not be where `states` are those of the bodies at script time `time` [s].
fn check_moment(scene: &Scene, moment: Moment, time: f64, states: &[BodyState]) -> Vec<Finding> {
    if let Some(what) = misfit(scene, states) {
        return vec![Finding::Incomplete { at: moment, what }];
    }
    let bodies: Vec<Surface> =
        states.iter().enumerate().map(|(i, state)| Surface::new(scene, state, i)).collect();
    let mut findings: Vec<Finding> = Vec::new();
    for (body, surface) in scene.bodies.iter().zip(&bodies) {
        if let Some(vertex) = surface.not_finite {
            findings.push(Finding::NotFinite { at: moment, body: body.name.clone(), vertex });
        }
    }
    for a in 0..bodies.len() {
        for b in a..bodies.len() {
            if bodies[a].not_finite.is_none()
                && bodies[b].not_finite.is_none()
                && left_out_at(scene, a, b, Some(time)).is_none()
                && [a, b].iter().all(|i| scene.bodies[*i].is_there(time))
            {
                for [i, j] in crossings(&bodies, a, b) {
                    findings.push(Finding::Crossing(Crossing {
                        moment,
                        a: (scene.bodies[a].name.clone(), i),
                        b: (scene.bodies[b].name.clone(), j),
                        at: crossing_place(bodies[a].triangle(i), bodies[b].triangle(j)),
                    }));
                }
            }
        }
    }
    findings
}

/// The pairs whose crossings are not looked for, in the order of bodies. A pair that is left out
/// for a part of the shot is listed too.
pub fn left_out(scene: &Scene) -> Vec<LeftOut> {
    let n = scene.bodies.len();
    let name = |i: usize| scene.bodies[i].name.clone();
    let mut pairs = Vec::new();
    for a in 0..n {
        for b in a..n {
            if let Some(why) = left_out_at(scene, a, b, None) {
                pairs.push(LeftOut { a: name(a), b: name(b), why });
            }
        }
    }
    pairs
}

/// Why the pair is left out at script time `time`, or at any time if there is none.
fn left_out_at(scene: &Scene, a: usize, b: usize, time: Option<f64>) -> Option<Reason> {
    let (x, y) = (&scene.bodies[a], &scene.bodies[b]);
    if x.is_collider() && y.is_collider() {
        return Some(Reason::GivenMotions);
    }
    if !(x.collides && y.collides) {
        return Some(Reason::DoesNotCollide);
    }
    let joined = |c: &crate::scene::Constraint| match &c.kind {
        ConstraintKind::Joint(joint) => {
            let ends = joint.b.map(|other| (joint.a.min(other), joint.a.max(other)));
            !joint.collides && ends == Some((a.min(b), a.max(b)))
        }
        _ => false,
    };
    if scene.constraints.iter().any(joined) {
        return Some(Reason::Joined);
    }
    if a == b && x.keeps_shape() {
        return Some(Reason::KeepsShape);
    }
    if a == b && !x.self_collision.unwrap_or(scene.collisions.self_contact) {
        return Some(Reason::NoSelfCollision);
    }
    let mut of_pair = scene.contact_pairs.iter().filter(|p| p.is_for(a, b));
    let off = match time {
        None => of_pair.any(|p| !p.collides),
        Some(t) => of_pair.rfind(|p| p.holds(t)).is_some_and(|p| !p.collides),
    };
    off.then_some(Reason::ContactPair)
}

/// Why bodies in these states cannot be that scene's.
fn misfit(scene: &Scene, states: &[BodyState]) -> Option<String> {
    if scene.bodies.len() != states.len() {
        return Some(format!("it has {} bodies, not {}", states.len(), scene.bodies.len()));
    }
    for (i, state) in states.iter().enumerate() {
        let expected = scene.mesh_of(i).positions.len();
        if let BodyState::Deformed { positions } = state
            && positions.len() != expected
        {
            let (name, n) = (&scene.bodies[i].name, positions.len());
            return Some(format!("{name} has {n} vertices, not {expected}"));
        }
    }
    None
}

/// A body's triangles in a frame; of a rope the segments of its middle line.
struct Surface {
    positions: Vec<[f32; 3]>,
    triangles: Vec<[u32; 3]>,
    bounds: Aabb,
    not_finite: Option<usize>,
    tree: std::cell::OnceCell<Bvh>,
}

impl Surface {
    fn new(scene: &Scene, state: &BodyState, body: usize) -> Self {
        let positions = state.world_positions(&scene.mesh_of(body).positions);
        Self {
            bounds: Aabb::around(&positions),
            not_finite: positions.iter().position(|p| p.iter().any(|x| !x.is_finite())),
            triangles: scene.mesh_of(body).pieces(),
            tree: std::cell::OnceCell::new(),
            positions,
        }
    }

    fn triangle(&self, i: u32) -> [[f32; 3]; 3] {
        self.triangles[i as usize].map(|v| self.positions[v as usize])
    }

    /// Built when something comes near for the first time.
    fn tree(&self) -> &Bvh {
        self.tree.get_or_init(|| Bvh::new(&self.positions, &self.triangles))
    }
}

/// Pairs of crossing triangles of two bodies, or of one with itself, sorted.
fn crossings(bodies: &[Surface], a: usize, b: usize) -> Vec<[u32; 2]> {
    let mut found = Vec::new();
    let (x, y) = (&bodies[a], &bodies[b]);
    if a == b {
        x.tree().self_pairs(|i, j| {
            let (s, t) = (x.triangles[i as usize], x.triangles[j as usize]);
            if neighbours_cross(&x.positions, s, t) {
                found.push([i, j]);
            }
        });
    } else if x.bounds.meets(&y.bounds) {
        x.tree().cross_pairs(y.tree(), |i, j| {
            if triangles_cross(x.triangle(i), y.triangle(j)) {
                found.push([i, j]);
            }
        });
    }
    found.sort_unstable();
    found
}
