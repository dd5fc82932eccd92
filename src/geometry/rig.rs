//! What moves a mesh of a file: nodes that hang on each other, a skin, shapes that are mixed in, and the
//! keys of a clip. Its motion is evaluated at any time, as glTF 2.0 defines it.
//!
//! A vertex of a skin is at `sum w_j J_j W_j v` with the joints' world matrices J and the matrices W that
//! bring the mesh to the joints' own frames (linear blend skinning); shapes are added before.

use glam::{DMat3, DMat4, DQuat, DVec3};
use serde::{Deserialize, Serialize};

/// Nodes, what hangs on them, and the keys that move them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rig {
    /// Parents before their children.
    pub nodes: Vec<RigNode>,
    /// What the keys change, sorted by node and property.
    pub tracks: Vec<Track>,
    /// What the mesh does with it.
    pub hangs: Hangs,
}

/// A node where it stands without keys.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RigNode {
    /// The node that it hangs on, before it in the list; none: the world.
    pub parent: Option<usize>,
    /// Place in its parent's frame [m].
    pub translate: DVec3,
    /// Turn in its parent's frame, of unit length.
    pub rotate: DQuat,
    /// Factors along its own axes.
    pub scale: DVec3,
}

/// How a mesh follows the nodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Hangs {
    /// As one piece on a node, which only turns and moves it.
    Piece(usize),
    /// Each vertex by itself.
    Surface(RigSurface),
}

/// What moves the vertices of a mesh each by itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RigSurface {
    /// The node that it hangs on where it has no skin; its shapes are those of this node.
    pub node: usize,
    /// The joints that carry it; none: its node does.
    pub skin: Option<Skin>,
    /// Of each shape the vertices that it moves, and how far [m].
    pub shapes: Vec<Vec<(u32, DVec3)>>,
    /// How much of each shape is mixed in without keys.
    pub weights: Vec<f64>,
}

/// Joints and how they carry vertices.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Skin {
    /// Node of each joint, and the matrix from the mesh to the joint's frame.
    pub joints: Vec<(usize, DMat4)>,
    /// Of each vertex the joints that carry it, with shares that sum up to 1.
    pub shares: Vec<Vec<(u32, f64)>>,
}

/// What a track changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Moved {
    /// The place of the node.
    Translate,
    /// Its turn: quaternions as x, y, z, w.
    Rotate,
    /// Its factors.
    Scale,
    /// How much of each shape is mixed in.
    Weights,
}

/// What lies between two keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Between {
    /// The value of the first.
    Step,
    /// A straight way; turns by the shorter way, at an even pace.
    Linear,
    /// Cubic Hermite splines; each key has its arriving tangent, value, and leaving tangent [1/s].
    Cubic,
}

/// The keys of one property of one node. Before the first and after the last, their values hold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Track {
    /// Which node.
    pub node: usize,
    /// Which property.
    pub moved: Moved,
    /// What lies between keys.
    pub between: Between,
    /// Times of the keys [s], rising; at least one.
    pub times: Vec<f64>,
    /// Numbers of all keys, one after the other.
    pub values: Vec<f64>,
}

/// Where all nodes are, each in its parent's frame, and how much of each shape is mixed in.
struct Stance {
    nodes: Vec<RigNode>,
    weights: Vec<f64>,
}

impl Track {
    /// Numbers of a value, of a rig with so many shapes.
    fn width(&self, shapes: usize) -> usize {
        match self.moved {
            Moved::Translate | Moved::Scale => 3,
            Moved::Rotate => 4,
            Moved::Weights => shapes,
        }
    }

    /// Its value at clip time `t` [s].
    fn at(&self, t: f64) -> Vec<f64> {
        let after = self.times.partition_point(|key| *key <= t);
        let last = self.times.len() - 1;
        let width = self.values.len() / self.times.len();
        let cubic = self.between == Between::Cubic;
        let width = if cubic { width / 3 } else { width };
        // Parts of a cubic key: 0 arrives, 1 is its value, 2 leaves.
        let part = |key: usize, part: usize| {
            let from = if cubic { (3 * key + part) * width } else { key * width };
            &self.values[from..from + width]
        };
        if after == 0 {
            return part(0, 1).to_vec();
        }
        let (from, to) = (after - 1, after);
        if from == last || self.between == Between::Step {
            return part(from, 1).to_vec();
        }
        let span = self.times[to] - self.times[from];
        let s = (t - self.times[from]) / span;
        let (p, q) = (part(from, 1), part(to, 1));
        if cubic {
            let (out, arrive) = (part(from, 2), part(to, 0));
            let (s2, s3) = (s * s, s * s * s);
            return (0..width)
                .map(|k| {
                    (2.0 * s3 - 3.0 * s2 + 1.0) * p[k]
                        + (s3 - 2.0 * s2 + s) * span * out[k]
                        + (3.0 * s2 - 2.0 * s3) * q[k]
                        + (s3 - s2) * span * arrive[k]
                })
                .collect();
        }
        if self.moved == Moved::Rotate {
            return slerp(quaternion(p), quaternion(q), s).to_array().to_vec();
        }
        (0..width).map(|k| p[k] + (q[k] - p[k]) * s).collect()
    }

    /// The clip time up to which it has the values of `other`; none if they may differ from the start.
    fn same_until(&self, other: &Self) -> Option<f64> {
        if self == other {
            return Some(f64::INFINITY);
        }
        if self.between != other.between || self.values.is_empty() || other.values.is_empty() {
            return None;
        }
        let width = self.values.len() / self.times.len();
        if width != other.values.len() / other.times.len() {
            return None;
        }
        let key = |track: &Self, i: usize| -> Option<(f64, Vec<f64>)> {
            let values = track.values.get(i * width..(i + 1) * width)?;
            Some((*track.times.get(i)?, values.to_vec()))
        };
        let same = (0..self.times.len()).take_while(|i| key(self, *i) == key(other, *i)).count();
        // From the last equal key on the ways may part.
        self.times.get(same.checked_sub(1)?).copied()
    }
}

fn vector(v: &[f64]) -> DVec3 {
    DVec3::new(v[0], v[1], v[2])
}

/// A turn of numbers that need not have unit length.
fn quaternion(v: &[f64]) -> DQuat {
    let q = DQuat::from_xyzw(v[0], v[1], v[2], v[3]);
    if q.length_squared() > 0.0 { q.normalize() } else { DQuat::IDENTITY }
}

/// The turn at `s` of the shorter way from `a` to `b`, at an even pace.
fn slerp(a: DQuat, b: DQuat, s: f64) -> DQuat {
    let dot = a.dot(b);
    let b = if dot < 0.0 { -b } else { b };
    let angle = libm::acos(dot.abs().min(1.0));
    let whole = libm::sin(angle);
    if whole < 1e-9 {
        return (a * (1.0 - s) + b * s).normalize();
    }
    let (from, to) = (libm::sin((1.0 - s) * angle) / whole, libm::sin(s * angle) / whole);
    (a * from + b * to).normalize()
}

impl Rig {
    /// Whether it is right for a mesh of so many vertices; else what is wrong.
    pub fn check(&self, vertices: usize) -> Result<(), String> {
        let finite = |v: &[f64]| v.iter().all(|x| x.is_finite());
        for (i, node) in self.nodes.iter().enumerate() {
            if node.parent.is_some_and(|parent| parent >= i) {
                return Err(format!("node {i} comes before what it hangs on"));
            }
            let all = (node.translate + node.scale).is_finite() && node.rotate.is_finite();
            if !all || (node.rotate.length_squared() - 1.0).abs() > 1e-6 {
                return Err(format!("node {i} is at no place"));
            }
        }
        let own = match &self.hangs {
            Hangs::Piece(node) => *node,
            Hangs::Surface(surface) => surface.node,
        };
        if own >= self.nodes.len() {
            return Err(format!("there is no node {own}"));
        }
        let mut shapes = 0;
        if let Hangs::Surface(surface) = &self.hangs {
            shapes = surface.shapes.len();
            if surface.weights.len() != shapes || !finite(&surface.weights) {
                return Err("not every shape has a weight".into());
            }
            let fits = |(v, by): &(u32, DVec3)| (*v as usize) < vertices && by.is_finite();
            if !surface.shapes.iter().flatten().all(fits) {
                return Err(format!("a shape does not fit a mesh of {vertices} vertices"));
            }
            if let Some(skin) = &surface.skin {
                skin.check(self.nodes.len(), vertices)?;
            }
        }
        for track in &self.tracks {
            let parts = if track.between == Between::Cubic { 3 } else { 1 };
            let count = track.times.len() * parts * track.width(shapes);
            let rises = track.times.windows(2).all(|w| w[0] < w[1]);
            if track.node >= self.nodes.len()
                || (track.moved == Moved::Weights && (track.node != own || shapes == 0))
                || track.times.is_empty()
                || track.values.len() != count
                || !(rises && finite(&track.times) && finite(&track.values))
            {
                return Err(format!("the keys of node {} are damaged", track.node));
            }
        }
        Ok(())
    }

    /// Where the nodes are at clip time `t` [s], `blend` of the way there from where they stand without keys.
    fn stance(&self, t: f64, blend: f64) -> Stance {
        let weights = match &self.hangs {
            Hangs::Surface(surface) => surface.weights.clone(),
            Hangs::Piece(_) => Vec::new(),
        };
        let mut stance = Stance { nodes: self.nodes.clone(), weights };
        if blend <= 0.0 {
            return stance;
        }
        for track in &self.tracks {
            let value = track.at(t);
            let node = &mut stance.nodes[track.node];
            match track.moved {
                Moved::Translate => node.translate = node.translate.lerp(vector(&value), blend),
                Moved::Scale => node.scale = node.scale.lerp(vector(&value), blend),
                Moved::Rotate if blend >= 1.0 => node.rotate = quaternion(&value),
                Moved::Rotate => node.rotate = slerp(node.rotate, quaternion(&value), blend),
                Moved::Weights => {
                    for (weight, value) in stance.weights.iter_mut().zip(value) {
                        *weight += (value - *weight) * blend;
                    }
                }
            }
        }
        stance
    }

    /// Where the piece is at clip time `t` [s], `blend` (0..1) of the way there from where it stands without
    /// keys: the place of its node's origin and its turn.
    pub fn pose(&self, t: f64, blend: f64) -> (DVec3, DQuat) {
        let (Hangs::Piece(own) | Hangs::Surface(RigSurface { node: own, .. })) = self.hangs;
        let stance = self.stance(t, blend);
        let place = worlds(&stance.nodes)[own].w_axis.truncate();
        (place, turn(&stance.nodes, own))
    }

    /// Where a mesh with these vertices is at clip time `t` [s], as [`Rig::pose`] has it; that of a piece with
    /// its node's scale.
    pub fn places(&self, vertices: &[DVec3], t: f64, blend: f64) -> Vec<DVec3> {
        let stance = self.stance(t, blend);
        let worlds = worlds(&stance.nodes);
        let surface = match &self.hangs {
            Hangs::Piece(own) => {
                return vertices.iter().map(|v| worlds[*own].transform_point3(*v)).collect();
            }
            Hangs::Surface(surface) => surface,
        };
        let mut places = vertices.to_vec();
        for (shape, weight) in surface.shapes.iter().zip(&stance.weights) {
            if *weight != 0.0 {
                for (vertex, by) in shape {
                    places[*vertex as usize] += *by * *weight;
                }
            }
        }
        match &surface.skin {
            None => {
                for p in &mut places {
                    *p = worlds[surface.node].transform_point3(*p);
                }
            }
            Some(skin) => {
                let joints: Vec<DMat4> =
                    skin.joints.iter().map(|(node, to_joint)| worlds[*node] * *to_joint).collect();
                for (p, shares) in places.iter_mut().zip(&skin.shares) {
                    *p = shares
                        .iter()
                        .map(|(joint, share)| joints[*joint as usize].transform_point3(*p) * *share)
                        .sum();
                }
            }
        }
        places
    }

    /// What the scale of the nodes makes of a mesh that hangs on node `own` as one piece.
    pub(super) fn stretch(&self, own: usize) -> DMat3 {
        let turn = DMat3::from_quat(turn(&self.nodes, own).inverse());
        turn * DMat3::from_mat4(worlds(&self.nodes)[own])
    }

    /// Whether node `own` moves what hangs on it without changing its shape: no factor changes, and what
    /// stretches along one axis has nothing below it that turns.
    pub(super) fn keeps_shape(&self, own: usize) -> bool {
        let changes = |node: usize, moved: Moved| {
            self.tracks.iter().any(|track| track.node == node && track.moved == moved)
        };
        let (mut at, mut turns_below) = (Some(own), false);
        while let Some(node) = at {
            let scale = self.nodes[node].scale;
            let even = (scale - DVec3::splat(scale.x)).abs().max_element() <= 1e-6 * scale.x.abs();
            if changes(node, Moved::Scale) || (turns_below && !even) {
                return false;
            }
            turns_below |= changes(node, Moved::Rotate);
            at = self.nodes[node].parent;
        }
        true
    }

    /// The clip time up to which this rig moves as `other` does; none where they may differ from the start.
    pub fn same_until(&self, other: &Self) -> Option<f64> {
        let same_keys = |(a, b): (&Track, &Track)| (a.node, a.moved) == (b.node, b.moved);
        if self.nodes != other.nodes
            || self.hangs != other.hangs
            || self.tracks.len() != other.tracks.len()
            || !self.tracks.iter().zip(&other.tracks).all(same_keys)
        {
            return None;
        }
        let each = self.tracks.iter().zip(&other.tracks).map(|(a, b)| a.same_until(b));
        each.collect::<Option<Vec<f64>>>().map(|at| at.into_iter().fold(f64::INFINITY, f64::min))
    }
}

impl Skin {
    fn check(&self, nodes: usize, vertices: usize) -> Result<(), String> {
        if self.shares.len() != vertices {
            let carried = self.shares.len();
            return Err(format!("the skin carries {carried} vertices, the mesh has {vertices}"));
        }
        if self.joints.iter().any(|(node, to_joint)| *node >= nodes || !to_joint.is_finite()) {
            return Err("a joint of the skin is damaged".into());
        }
        let bad = |shares: &Vec<(u32, f64)>| {
            let sum: f64 = shares.iter().map(|(_, share)| share).sum();
            let known = shares.iter().all(|(joint, _)| (*joint as usize) < self.joints.len());
            !known || (sum - 1.0).abs() > 1e-6 || sum.is_nan()
        };
        match self.shares.iter().position(bad) {
            Some(vertex) => Err(format!("the shares of vertex {vertex} are not whole")),
            None => Ok(()),
        }
    }
}

/// World matrices of all nodes.
fn worlds(nodes: &[RigNode]) -> Vec<DMat4> {
    let mut worlds: Vec<DMat4> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let local = DMat4::from_scale_rotation_translation(node.scale, node.rotate, node.translate);
        worlds.push(node.parent.map_or(local, |parent| worlds[parent] * local));
    }
    worlds
}

/// How a node is turned in the world.
fn turn(nodes: &[RigNode], own: usize) -> DQuat {
    let (mut turn, mut at) = (DQuat::IDENTITY, Some(own));
    while let Some(node) = at {
        turn = nodes[node].rotate * turn;
        at = nodes[node].parent;
    }
    turn.normalize()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::rotation;

    fn track(moved: Moved, between: Between, times: &[f64], values: &[f64]) -> Track {
        Track { node: 0, moved, between, times: times.to_vec(), values: values.to_vec() }
    }

    #[test]
    fn tracks_hold_before_the_first_key_and_after_the_last() {
        let values = [0.0, 0.0, 0.0, 3.0, 6.0, 9.0];
        for (between, middle) in [(Between::Step, 0.0), (Between::Linear, 1.0)] {
            let track = track(Moved::Translate, between, &[1.0, 4.0], &values);
            assert_eq!(track.at(-5.0), [0.0; 3]);
            assert_eq!(track.at(9.0), [3.0, 6.0, 9.0]);
            assert_eq!(track.at(2.0)[0], middle);
            assert_eq!(track.at(4.0), [3.0, 6.0, 9.0]);
        }
    }

    /// The spline of t^3 on [0, 2] with its own tangents is t^3.
    #[test]
    fn a_cubic_track_follows_its_tangents() {
        let three = |v: f64| [v; 3];
        let parts = [three(0.0), three(0.0), three(0.0), three(12.0), three(8.0), three(0.0)];
        let track = track(Moved::Scale, Between::Cubic, &[0.0, 2.0], &parts.concat());
        for i in 0..=20 {
            let t = 0.1 * f64::from(i);
            assert!((track.at(t)[1] - t * t * t).abs() < 1e-14, "{t}");
        }
    }

    #[test]
    fn turns_go_the_shorter_way_at_an_even_pace() {
        let about = |degrees: f64| rotation::from_rotation_z(degrees.to_radians());
        let values = [about(10.0).to_array(), (-about(100.0)).to_array()].concat();
        let track = track(Moved::Rotate, Between::Linear, &[0.0, 3.0], &values);
        for i in 0..=6 {
            let t = 0.5 * f64::from(i);
            let turn = quaternion(&track.at(t)) * DVec3::X;
            assert!(turn.distance(about(10.0 + 30.0 * t) * DVec3::X) < 1e-14, "{t}");
        }
        assert_eq!(slerp(DQuat::IDENTITY, DQuat::IDENTITY, 0.3), DQuat::IDENTITY);
    }

    #[test]
    fn an_edited_clip_is_the_same_up_to_the_key_before_the_edit() {
        let line = |values: &[f64]| {
            let times: Vec<f64> = (0..values.len()).map(|i| i as f64).collect();
            let values: Vec<f64> = values.iter().flat_map(|v| [*v; 3]).collect();
            track(Moved::Translate, Between::Linear, &times, &values)
        };
        let (old, new) = (line(&[0.0, 1.0, 2.0, 3.0]), line(&[0.0, 1.0, 2.0, 5.0]));
        assert_eq!(old.same_until(&new), Some(2.0));
        assert_eq!(old.same_until(&line(&[0.0, 1.0])), Some(1.0));
        assert_eq!(old.same_until(&line(&[7.0, 1.0, 2.0, 3.0])), None);
        assert_eq!(old.same_until(&old), Some(f64::INFINITY));
        assert_eq!((old.at(2.0), old.at(1.7)), (new.at(2.0), new.at(1.7)));
        assert_ne!(old.at(2.1), new.at(2.1));
    }
}
