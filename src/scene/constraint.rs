//! Pins, attachments, stitches, freezes and joints.

use super::{MappedCurve, VertexMap};
use crate::diagnostics::Place;
use crate::math::rotation;
use crate::math::{Curve, Ease, rotation_from_degrees};
use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};

/// Vertices of one body, sorted, each once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Points {
    /// Index into `Scene::bodies`.
    pub body: usize,
    /// Vertex numbers of its mesh.
    pub vertices: Vec<u32>,
}

/// A place on or in a body: weights on up to four vertices that sum to one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Anchor {
    /// Index into `Scene::bodies`.
    pub body: usize,
    /// Vertices; unused ones repeat the first with weight 0.
    pub vertices: [u32; 4],
    /// Their weights; below zero only in what keeps its shape or lies in a cage.
    pub weights: [f64; 4],
}

/// Something that ties points.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Constraint {
    /// Unique name (given or made: "pin 1").
    pub name: String,
    /// Script line.
    pub place: Place,
    /// Active from here [s]; none: from the start.
    pub starts: Option<f64>,
    /// Active to here [s]; none: to the end. `release{ at }` of all points sets it.
    pub ends: Option<f64>,
    /// Stiffness [N/m] of each vertex of its points, or each pair of a stitch, in their order; none: exact.
    pub stiffness: Option<MappedCurve>,
    /// Factor on the hold of each vertex of its points, or each pair of a stitch (in their order), 0..1: on
    /// `stiffness`; without one a spring, which 1 alone makes exact.
    pub weight: Option<VertexMap>,
    /// Force at which it breaks [N]; none: never. A stitch breaks pair by pair.
    pub breaks_at: Option<f64>,
    /// What it does.
    pub kind: ConstraintKind,
}

impl Constraint {
    /// Indices of the bodies that it concerns, sorted.
    pub fn bodies(&self) -> Vec<usize> {
        let of = |points: &[Points]| points.iter().map(|p| p.body).collect::<Vec<_>>();
        let mut bodies = match &self.kind {
            ConstraintKind::Pin { points, .. } | ConstraintKind::Freeze { points, .. } => {
                of(points)
            }
            ConstraintKind::Attach { points, spots, to } => {
                let spots = spots.iter().map(|spot| spot.body).collect();
                [of(points), spots, vec![*to]].concat()
            }
            ConstraintKind::Stitch { pairs, .. } => {
                pairs.iter().flat_map(|pair| [pair.a.body, pair.b.body]).collect()
            }
            ConstraintKind::Tether { from, .. } => vec![from.body],
            ConstraintKind::Joint(joint) => std::iter::once(joint.a).chain(joint.b).collect(),
            ConstraintKind::Carry { body } => vec![*body],
        };
        bodies.sort_unstable();
        bodies.dedup();
        bodies
    }

    /// Whether each pair of its places breaks by itself.
    pub fn breaks_by_pairs(&self) -> bool {
        matches!(self.kind, ConstraintKind::Stitch { .. } | ConstraintKind::Tether { .. })
    }

    /// Calls `each` with every index of a body in it, one as often as it is there.
    pub fn for_bodies(&mut self, mut each: impl FnMut(&mut usize)) {
        match &mut self.kind {
            ConstraintKind::Pin { points, .. } | ConstraintKind::Freeze { points, .. } => {
                for group in points {
                    each(&mut group.body);
                }
            }
            ConstraintKind::Attach { points, spots, to } => {
                for group in points {
                    each(&mut group.body);
                }
                for spot in spots {
                    each(&mut spot.body);
                }
                each(to);
            }
            ConstraintKind::Stitch { pairs, .. } => {
                for pair in pairs {
                    each(&mut pair.a.body);
                    each(&mut pair.b.body);
                }
            }
            ConstraintKind::Tether { from, .. } => each(&mut from.body),
            ConstraintKind::Joint(joint) => {
                each(&mut joint.a);
                joint.b.iter_mut().for_each(each);
            }
            ConstraintKind::Carry { body } => each(body),
        }
    }
}

impl Anchor {
    /// A vertex.
    pub fn of_vertex(body: usize, vertex: u32) -> Self {
        Self { body, vertices: [vertex; 4], weights: [1.0, 0.0, 0.0, 0.0] }
    }

    /// A place on a triangle.
    pub fn of_triangle(body: usize, [a, b, c]: [u32; 3], [u, v, w]: [f64; 3]) -> Self {
        Self { body, vertices: [a, b, c, a], weights: [u, v, w, 0.0] }
    }

    /// Sum of its weights times what `value` gives its vertices.
    pub fn mean(&self, value: impl Fn(u32) -> f64) -> f64 {
        self.vertices.iter().zip(&self.weights).map(|(v, weight)| weight * value(*v)).sum()
    }

    /// Whether all vertices that it is made of are among `points`.
    pub fn is_among(&self, points: &[Points]) -> bool {
        let own = points.iter().find(|p| p.body == self.body);
        own.is_some_and(|own| {
            let mut used = self.vertices.iter().zip(&self.weights).filter(|(_, w)| **w != 0.0);
            used.all(|(v, _)| own.vertices.binary_search(v).is_ok())
        })
    }
}

impl StitchPair {
    /// Whether one of its ends is among `points`.
    pub fn is_among(&self, points: &[Points]) -> bool {
        self.a.is_among(points) || self.b.is_among(points)
    }
}

/// The kinds of constraints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConstraintKind {
    /// Points held at their start place, moved by `motion`.
    Pin {
        /// The held points, at most one entry a body, sorted by body.
        points: Vec<Points>,
        /// How the hold moves.
        motion: Motion,
    },
    /// Points that ride on another body at their start distance.
    Attach {
        /// The riding points.
        points: Vec<Points>,
        /// Places that ride beside them, which count after them.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        spots: Vec<Anchor>,
        /// Index of the carrying body.
        to: usize,
    },
    /// Pairs of places held together.
    Stitch {
        /// The pairs.
        pairs: Vec<StitchPair>,
        /// Whether the start gap is kept or closed to the contact distance.
        gap: StitchGap,
        /// Force against a change of the gap [N s/m].
        damping: f64,
    },
    /// A place held to one of the world.
    Tether {
        /// The place that moves.
        from: Anchor,
        /// Where it is held to [m].
        to: DVec3,
        /// What becomes of the distance at the start.
        gap: StitchGap,
        /// Force against a change of the distance [N s/m].
        damping: f64,
    },
    /// A point becomes fixed when it gets into the box.
    Freeze {
        /// The points that may freeze.
        points: Vec<Points>,
        /// Smallest and largest corner of the box [m].
        inside: (DVec3, DVec3),
    },
    /// Two rigid bodies, or one and the world, that move on each other.
    Joint(Joint),
    /// A body that moves by itself goes where its own curves bring it.
    Carry {
        /// Its index.
        body: usize,
    },
}

/// How two bodies are joined where they stand at the start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Joint {
    /// Which motions are left.
    pub kind: JointKind,
    /// Index of a rigid body.
    pub a: usize,
    /// Index of a rigid body or a collider; none: the world. A collider that its clip deforms joins by the
    /// triangle that is nearest to `about`.
    pub b: Option<usize>,
    /// Where the joint is [m].
    pub about: DVec3,
    /// Unit axis: of a hinge or a slider, of the cone of a ball, of the turn that an angular joint leaves.
    pub axis: DVec3,
    /// Whether the two bodies touch each other.
    pub collides: bool,
    /// How far it may go from where it takes hold, least and most: a hinge or an angular joint turns
    /// [degrees], a slider slides [m], the axis of a ball leans [degrees, from 0].
    pub limits: Option<(f64, f64)>,
    /// How far `a` of a ball may turn about its own axis, however that leans: least and most [degrees].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub twist: Option<(f64, f64)>,
    /// What drives it.
    pub motor: Option<Motor>,
    /// What its turn is damped by [N m s/rad], or its way [N s/m].
    pub damping: f64,
}

/// What drives a hinge, an angular joint [degrees, N m], or a slider [m, N].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Motor {
    /// What it is after.
    pub goal: Goal,
    /// Largest moment [N m] or force [N]; none: whatever it takes.
    pub most: Option<f64>,
}

/// What a motor is after.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Goal {
    /// A speed [degrees/s or m/s].
    Speed(Curve<f64>),
    /// A place from where the joint took hold [degrees or m].
    Place(Curve<f64>),
    /// A place that it is drawn to by a spring.
    Spring {
        /// The place [degrees or m].
        place: Curve<f64>,
        /// Stiffness [N m/rad or N/m].
        stiffness: f64,
        /// Damping of the joint's own speed [N m s/rad or N s/m].
        damping: f64,
    },
}

/// The kinds of joints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JointKind {
    /// A point in common: all turns are left.
    Ball,
    /// A line in common: the turn about it is left.
    Hinge,
    /// Only the way along the axis is left.
    Slider,
    /// Nothing is left.
    Fixed,
    /// Turned alike: all ways are left; with limits or a motor the turn about its axis as well.
    Angular,
}

/// Two places that a stitch holds together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct StitchPair {
    /// One end.
    pub a: Anchor,
    /// The other end.
    pub b: Anchor,
}

/// What a stitch does with the distance at the start.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StitchGap {
    /// Keeps it.
    Keep,
    /// Brings the points to their contact distance.
    Close,
    /// Makes it so long [m].
    Length(f64),
    /// Leaves it between a least and a most [m].
    Between(f64, f64),
}

/// How a pin moves its points: animated values of the pin first, then its moves in order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Motion {
    /// Added to every place [m].
    pub translate: Curve<DVec3>,
    /// Turn about `about` [degrees].
    pub rotate: Curve<DVec3>,
    /// Scale about `about`.
    pub scale: Curve<DVec3>,
    /// Fixed world point of `rotate` and `scale` [m].
    pub about: DVec3,
    /// Keyframed moves, applied in order; each holds its last value.
    pub moves: Vec<Move>,
}

impl Default for Motion {
    fn default() -> Self {
        Self {
            translate: Curve::Constant(DVec3::ZERO),
            rotate: Curve::Constant(DVec3::ZERO),
            scale: Curve::Constant(DVec3::ONE),
            about: DVec3::ZERO,
            moves: Vec::new(),
        }
    }
}

/// One keyframed move of a pin over `starts ..= ends` [s].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "every variant has the same starts, ends and ease")]
pub enum Move {
    /// By a vector [m].
    Translate { starts: f64, ends: f64, by: DVec3, ease: Ease },
    /// By `angle` [degrees] about the axis through `about`.
    Rotate { starts: f64, ends: f64, angle: f64, axis: DVec3, about: DVec3, ease: Ease },
    /// By factors about `about`.
    Scale { starts: f64, ends: f64, by: DVec3, about: DVec3, ease: Ease },
    /// Along a path (relative to its first point) at even speed by length.
    Follow { starts: f64, ends: f64, path: Vec<DVec3>, ease: Ease },
}

impl Motion {
    /// Where the place `start` has been brought at script time `t`.
    pub fn place_at(&self, start: DVec3, t: f64) -> DVec3 {
        let turn = rotation_from_degrees(self.rotate.at(t));
        let mut p =
            self.about + turn * (self.scale.at(t) * (start - self.about)) + self.translate.at(t);
        for step in &self.moves {
            p = step.apply(p, t);
        }
        p
    }

    /// How it has turned what it holds at script time `t`.
    pub fn turn_at(&self, t: f64) -> DQuat {
        let turn = rotation_from_degrees(self.rotate.at(t));
        self.moves.iter().fold(turn, |turn, step| step.turn(t) * turn)
    }

    /// Whether the pin never moves.
    pub fn is_still(&self) -> bool {
        self.moves.is_empty()
            && self.translate.is_constant()
            && self.rotate.is_constant()
            && self.scale.is_constant()
    }
}

impl Move {
    /// How it has turned what it moves at script time `t`.
    fn turn(&self, t: f64) -> DQuat {
        match self {
            Self::Rotate { starts, ends, angle, axis, ease, .. } => rotation::from_axis_angle(
                axis.normalize(),
                (angle * part(*starts, *ends, *ease, t)).to_radians(),
            ),
            _ => DQuat::IDENTITY,
        }
    }

    fn apply(&self, p: DVec3, t: f64) -> DVec3 {
        let part = |starts: f64, ends: f64, ease: Ease| part(starts, ends, ease, t);
        match self {
            Self::Translate { starts, ends, by, ease } => p + *by * part(*starts, *ends, *ease),
            Self::Rotate { about, .. } => *about + self.turn(t) * (p - *about),
            Self::Scale { starts, ends, by, about, ease } => {
                let factor = DVec3::ONE + (*by - DVec3::ONE) * part(*starts, *ends, *ease);
                *about + factor * (p - *about)
            }
            Self::Follow { starts, ends, path, ease } => {
                p + along(path, part(*starts, *ends, *ease)) - path[0]
            }
        }
    }
}

/// Part of a move that is done at script time `t`.
fn part(starts: f64, ends: f64, ease: Ease, t: f64) -> f64 {
    let u = if ends > starts {
        ((t - starts) / (ends - starts)).clamp(0.0, 1.0)
    } else {
        f64::from(u8::from(t >= starts))
    };
    // Between two keys alone "auto" is the smooth ease that users expect of a move.
    if ease == Ease::Auto { u * u * (3.0 - 2.0 * u) } else { ease.apply(u) }
}

/// The place at fraction `u` of the polyline's length.
fn along(path: &[DVec3], u: f64) -> DVec3 {
    let total: f64 = path.windows(2).map(|w| w[0].distance(w[1])).sum();
    let mut left = u * total;
    for w in path.windows(2) {
        let length = w[0].distance(w[1]);
        if left <= length && length > 0.0 {
            return w[0] + (w[1] - w[0]) * (left / length);
        }
        left -= length;
    }
    path[path.len() - 1]
}
