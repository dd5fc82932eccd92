//! Everything that the future depends on, and nothing else.

use super::BodyPose;
use super::collision::contact::Memory;
use super::constraints::hold::Share;
use super::constraints::turns::Grasp;
use super::model::Model;
use super::pose::Pose;
use super::rest::{Anchor, Resting};
use crate::scene::Motor;
use glam::{DMat3, DVec3};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// State of a node held by a pin or an attachment.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct HoldState {
    /// Where it was taken hold of: in the world for a pin, in the carrier's frame for an attachment;
    /// none before.
    pub(crate) origin: Option<DVec3>,
    /// Released by a command, for good, while others of its constraint are not.
    pub(crate) released: bool,
}

/// State of one pair of a stitch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct StitchState {
    /// Whether it has broken or was released by a command.
    pub(crate) broken: bool,
    /// Distance when it became active [m]; none before.
    pub(crate) length: Option<f64>,
    /// Multiplier that the next substep starts with [N].
    pub(crate) lambda: f64,
    /// Whether it stays open because others or contacts hold against it, or what cloth bears does not close it.
    pub(crate) strives: bool,
    /// Whether it is to close and has been closed: then it bears whatever there is to bear.
    pub(crate) closed: bool,
}

/// State of a tie.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct TieState {
    /// Difference of its places that counts as none, from when it took hold, in the frame that is given to
    /// it [m]; none before.
    pub(crate) origin: Option<DVec3>,
    /// Its multiplier [N].
    pub(crate) force: DVec3,
    /// How far its places are off [m], and the penalty that holds them there [N/m].
    pub(crate) off: DVec3,
    pub(crate) penalty: f64,
    /// Released by a command, for good, while others of its constraint are not.
    pub(crate) released: bool,
}

/// State of the turn or way of a joint: radians and newton metres, or metres and newtons.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct GaugeState {
    /// Where it took hold; none before.
    pub(crate) origin: Option<f64>,
    /// How far it has gone from the start, whole turns counted.
    pub(crate) place: f64,
    /// What its lower and its upper limit hold with, neither negative.
    pub(crate) stops: [f64; 2],
    /// What its motor drives with.
    pub(crate) drive: f64,
}

/// State of a constraint of the scene.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ConstraintState {
    /// Released by a command, for good.
    pub(crate) released: bool,
    /// Any part of it has broken.
    pub(crate) broken: bool,
    /// Force that it holds with at the frame [N].
    pub(crate) reaction: f64,
    /// Moment that a joint holds and drives with at the frame [N m].
    pub(crate) torque: f64,
    /// Farthest that places which it holds exactly are from where they should be [m].
    pub(crate) apart: f64,
}

/// What commands have made of a joint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct JointChange {
    /// Index of the scene's constraint.
    pub(crate) constraint: u32,
    pub(crate) motor: Changed<Motor>,
    /// [degrees or m]
    pub(crate) limits: Changed<(f64, f64)>,
}

/// A value of the scene that commands may change.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Changed<T> {
    /// It is what the scene says.
    No,
    /// It is this, or there is none any more.
    To(Option<T>),
}

/// A force that a command lets act until the next frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Push {
    pub(crate) body: u32,
    /// Vertices that share it evenly; none: all of the body, by mass.
    pub(crate) points: Vec<u32>,
    /// The whole force [N].
    pub(crate) force: DVec3,
}

/// A node that has become fixed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Frozen {
    pub(crate) constraint: u32,
    pub(crate) node: u32,
    pub(crate) place: DVec3,
    pub(crate) share: Share,
    /// Released by a command: it is free, and does not freeze again.
    pub(crate) released: bool,
}

/// Everything that the future depends on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct State {
    /// Present frame.
    pub(crate) frame: i32,
    /// Script time [s].
    pub(crate) time: f64,
    /// All nodes [m].
    pub(crate) positions: Vec<DVec3>,
    /// Free nodes [m/s].
    pub(crate) velocities: Vec<DVec3>,
    /// Share of gravity that each free node followed in its last substep, 0 (held up) to 1 (falling):
    /// where the solution is sought first.
    pub(crate) falling: Vec<f64>,
    /// Where each body that keeps its shape is: behind its curves where something is in the way.
    /// Means nothing for the others.
    pub(crate) poses: Vec<Pose>,
    /// Unit directions into what is in the way of each given motion.
    pub(crate) obstacles: Vec<Vec<DVec3>>,
    /// Part of its motion into what is in its way that each given motion tries.
    pub(crate) pace: Vec<f64>,
    /// Of each body that its clip deforms, the vertices that something presses hard on, sorted: they do not
    /// go back to where the clip has them yet.
    pub(crate) pressed: Vec<Vec<u32>>,
    /// Contact forces, sorted by key.
    pub(crate) memory: Vec<Memory>,
    pub(crate) holds: Vec<HoldState>,
    pub(crate) stitches: Vec<StitchState>,
    pub(crate) ties: Vec<TieState>,
    pub(crate) gauges: Vec<GaugeState>,
    /// Of each rope that resists twist, what holds its ends.
    pub(crate) twists: Vec<Vec<Grasp>>,
    pub(crate) constraints: Vec<ConstraintState>,
    /// Sorted by node.
    pub(crate) frozen: Vec<Frozen>,
    /// Angle at rest of each edge that can crease [rad].
    pub(crate) creases: Vec<f64>,
    /// Plastic part of the deformation of each cell that has one, and of each body that is held to a
    /// shape.
    pub(crate) plastic_cells: Vec<DMat3>,
    pub(crate) plastic_shapes: Vec<DMat3>,
    /// For each body: its next substep is the way to the next sample over 2 to the first number; the second counts
    /// accepted substeps since the last retake.
    pub(crate) steps: Vec<(u32, u32)>,
    /// Of each body whether it was part of a heap when it moved last.
    pub(crate) heaped: Vec<bool>,
    /// Pairs of bodies that have touched, sorted.
    pub(crate) touched: Vec<(u32, u32)>,
    pub(crate) past: Past,
    /// Of each rigid body, since when it has got nowhere; in the order of `Model::rigids`.
    pub(crate) anchors: Vec<Anchor>,
    /// Bodies at rest, rising.
    pub(crate) resting: Vec<Resting>,
    /// Sorted by constraint.
    pub(crate) joints: Vec<JointChange>,
    /// Empty at frames.
    pub(crate) pushes: Vec<Push>,
}

/// What a method of more than one step knows of the step before of each free node; lists are empty before there
/// was one, and where the method does not ask for them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Past {
    /// Lengths [s]; 0 where what a node did says nothing about what it will do.
    pub(crate) steps: Vec<f64>,
    /// Places of the free nodes at its begin [m].
    pub(crate) places: Vec<DVec3>,
    /// Their velocities there [m/s].
    pub(crate) velocities: Vec<DVec3>,
    /// Their accelerations there [m/s2].
    pub(crate) accelerations: Vec<DVec3>,
}

impl Past {
    /// Takes in the entries `from` of another one as its own entries `to` of `size`.
    pub(crate) fn take(
        &mut self,
        size: usize,
        to: &Range<usize>,
        other: &Self,
        from: &Range<usize>,
    ) {
        fn copy<T: Copy + Default>(
            own: &mut Vec<T>,
            size: usize,
            to: &Range<usize>,
            other: &[T],
            from: &Range<usize>,
        ) {
            if !other.is_empty() {
                own.resize(size, T::default());
                own[to.clone()].copy_from_slice(&other[from.clone()]);
            } else if !own.is_empty() {
                own[to.clone()].fill(T::default());
            }
        }
        copy(&mut self.steps, size, to, &other.steps, from);
        copy(&mut self.places, size, to, &other.places, from);
        copy(&mut self.velocities, size, to, &other.velocities, from);
        copy(&mut self.accelerations, size, to, &other.accelerations, from);
    }
}

impl State {
    /// Where body `index` is.
    pub(crate) fn body(&self, model: &Model, index: usize) -> BodyPose<'_> {
        whereabouts(model, &self.positions, &self.poses, index)
    }

    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        postcard::to_stdvec(self).expect("plain data always serialises")
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        postcard::from_bytes(bytes).map_err(|e| e.to_string())
    }
}

/// Where body `index` is when all nodes are at `positions` and the bodies that keep their shape at `poses`.
pub(crate) fn whereabouts<'a>(
    model: &Model,
    positions: &'a [DVec3],
    poses: &[Pose],
    index: usize,
) -> BodyPose<'a> {
    let body = &model.bodies[index];
    if body.deforms || (body.free && body.rigid.is_none()) {
        BodyPose::Deformed(&positions[body.nodes.clone()])
    } else {
        let pose = &poses[index];
        BodyPose::Posed(pose.translation, pose.rotation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of what has no past any more nothing stays, and what else there is stays as it was.
    #[test]
    fn a_part_without_a_past_leaves_none() {
        let (one, two) = (0..2, 2..4);
        let own = Past {
            steps: vec![0.5; 2],
            places: vec![DVec3::X; 2],
            velocities: vec![DVec3::Y; 2],
            accelerations: Vec::new(),
        };
        let mut all = Past::default();
        all.take(4, &one, &own, &(0..2));
        all.take(4, &two, &own, &(0..2));
        assert_eq!((&all.steps[..], all.places[3]), (&[0.5; 4][..], DVec3::X));
        all.take(4, &one, &Past::default(), &(0..2));
        assert_eq!(all.steps, [0.0, 0.0, 0.5, 0.5]);
        assert_eq!((all.places[1], all.velocities[2]), (DVec3::ZERO, DVec3::Y));
        assert!(all.accelerations.is_empty());
    }
}
