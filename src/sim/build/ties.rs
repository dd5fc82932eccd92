//! Pins and attachments to holds and ties, joints to ties and gauges.

mod riding;

use crate::geometry::closest_on_triangle;
use crate::scene::{Anchor, ConstraintKind, Joint, JointKind, Points, Scene, VertexMap};
use crate::sim::constraints::gauge::{Gauge, Measure};
use crate::sim::constraints::hold::Share;
use crate::sim::constraints::tie::{Directions, Target, Tie};
use crate::sim::model::{Hold, Model, Spread};
use crate::sim::pose::Pose;
use crate::sim::rigid::Rigid;
use crate::sim::whereabouts::{Frame, Seat};
use glam::DVec3;
use std::collections::BTreeMap;

/// Adds the ties of the joint that is constraint `constraint` of the scene.
pub(super) fn add_joint(
    model: &mut Model,
    scene: &Scene,
    constraint: usize,
    joint: &Joint,
    positions: &[DVec3],
) {
    let Some(rigid) = model.bodies[joint.a].rigid else { return };
    // Arms as long as the body is thick keep turns as stiff as moves.
    let arm = 2.0 * model.rigids[rigid].largest_radius();
    let joiner = Joiner::new(model, scene, constraint, joint, positions);
    let places: Vec<Tie> = match joint.kind {
        JointKind::Ball => vec![joiner.place(joint.about)],
        JointKind::Hinge => {
            [-arm, arm].map(|l| joiner.place(joint.about + joint.axis * l)).to_vec()
        }
        JointKind::Fixed => [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z]
            .map(|e| joiner.place(joint.about + e * arm))
            .to_vec(),
        JointKind::Angular if joint.limits.is_some() || joint.motor.is_some() => {
            vec![joiner.vector(joint.axis * arm)]
        }
        JointKind::Angular => DVec3::AXES.map(|e| joiner.vector(e * arm)).to_vec(),
        JointKind::Slider => {
            let mut ties = DVec3::AXES.map(|e| joiner.vector(e * arm)).to_vec();
            let axis = joiner.starts[1].rotation.inverse() * joint.axis;
            let directions = Directions::Across(joiner.other, axis);
            ties.push(Tie { directions, ..joiner.place(joint.about) });
            ties
        }
    };
    let gauges = joiner.gauges(arm);
    if joiner.share.is_some() {
        model.ties.extend(places);
    }
    model.gauges.extend(gauges);
}

/// Tells the ties of joints what they may have to carry.
pub(super) fn add_up_loads(model: &mut Model, scene: &Scene) {
    let joined = |c: usize| match &scene.constraints[c].kind {
        ConstraintKind::Joint(joint) => model.bodies[joint.a].rigid.map(|_| joint),
        _ => None,
    };
    let joints: Vec<&Joint> = (0..scene.constraints.len()).filter_map(joined).collect();
    // Each body's group is the lowest of all that hang together.
    let mut group: Vec<usize> = (0..model.bodies.len()).collect();
    loop {
        let mut changed = false;
        for joint in &joints {
            let Some(b) = joint.b.filter(|b| model.bodies[*b].rigid.is_some()) else { continue };
            let lower = group[joint.a].min(group[b]);
            changed |= group[joint.a] != group[b];
            (group[joint.a], group[b]) = (lower, lower);
        }
        if !changed {
            break;
        }
    }
    let mut mass = vec![0.0; group.len()];
    for rigid in &model.rigids {
        mass[group[rigid.body]] += rigid.mass;
    }
    for tie in &mut model.ties {
        if let ConstraintKind::Joint(joint) = &scene.constraints[tie.constraint].kind {
            tie.carries = mass[group[joint.a]];
        }
    }
}

struct Joiner<'a> {
    model: &'a Model,
    constraint: usize,
    joint: &'a Joint,
    /// What its places have of it; none where it does not hold.
    share: Option<Share>,
    /// What the other side goes along with.
    other: Frame,
    /// Where both sides start.
    starts: [Pose; 2],
}

impl<'a> Joiner<'a> {
    fn new(
        model: &'a Model,
        scene: &Scene,
        constraint: usize,
        joint: &'a Joint,
        positions: &[DVec3],
    ) -> Self {
        let of = |body: Option<usize>| match body {
            Some(body) => frame(model, scene, body, joint.about, positions),
            None => (Frame::World, Pose::WORLD),
        };
        let ((_, start), (other, there)) = (of(Some(joint.a)), of(joint.b));
        let share = Share::of(scene.constraints[constraint].weight.as_ref(), 0);
        Self { model, constraint, joint, share, other, starts: [start, there] }
    }

    /// `sum factor * place` of places in the world at the start, as places of body `a` less those of `b`.
    fn spread(&self, places: &[(DVec3, f64)]) -> Spread {
        let mut spread = Spread::default();
        for (side, sign) in [1.0, -1.0].into_iter().enumerate() {
            let Some(rigid) = self.rigid(side) else { continue };
            let pose = self.starts[side];
            for (place, factor) in places {
                let weights = rigid.weights(pose.local(*place));
                for (node, weight) in rigid.nodes().zip(weights) {
                    spread.add(node as u32, weight * factor * sign, side as u8);
                }
            }
        }
        spread
    }

    /// Whether the other side is moved by the joint as well.
    fn both_move(&self) -> bool {
        self.joint.b.is_some_and(|b| self.model.bodies[b].free)
    }

    /// What the joint leaves, as far as it is one turn or way. Arms are `length` long.
    fn gauges(&self, length: f64) -> Vec<Gauge> {
        let Joint { about, axis, kind, .. } = *self.joint;
        let [to_a, to_b] = self.starts.map(|start| start.rotation.inverse());
        let gauge = |measure, inverse| Gauge {
            constraint: self.constraint,
            bodies: [self.joint.a, self.joint.b.unwrap_or(self.joint.a)],
            other: self.other,
            limits: None,
            damping: self.joint.damping,
            measure,
            inverse,
        };
        let mut gauge = match kind {
            JointKind::Hinge | JointKind::Angular => {
                let arm = axis.any_orthonormal_vector() * length;
                let (arm, there) = (to_a * arm, to_b * arm);
                let at = (kind == JointKind::Hinge).then_some(about);
                let inverse = self.inverse_inertia(at, axis);
                gauge(Measure::Turn { axis: to_b * axis, arm, there }, inverse)
            }
            JointKind::Slider => {
                let tie = Box::new(self.place(about));
                let masses = [0, 1].map(|side| self.rigid(side));
                let inverse = masses.iter().flatten().map(|r| 1.0 / r.mass).sum();
                gauge(Measure::Way { axis: to_b * axis, tie }, inverse)
            }
            JointKind::Ball => {
                let (arm, there) = (to_a * axis * length, to_b * axis * length);
                let across = axis.any_orthonormal_vector();
                let inverse = self.inverse_inertia(Some(about), across);
                let cone = Gauge { damping: 0.0, ..gauge(Measure::Cone { arm, there }, inverse) };
                let ball = gauge(Measure::Ball { arm: length }, inverse);
                let mut all = vec![Gauge { limits: self.limits(&cone), ..cone }, ball];
                if let Some((low, high)) = self.joint.twist {
                    let arms = [to_a, to_b].map(|to| to * across * length);
                    let axes = [to_a, to_b].map(|to| to * axis);
                    let inverse = self.inverse_inertia(Some(about), axis);
                    let twist = gauge(Measure::Twist { axes, arms }, inverse);
                    let limits = Some([low, high].map(|limit| limit * twist.unit()));
                    all.push(Gauge { damping: 0.0, limits, ..twist });
                }
                return all;
            }
            JointKind::Fixed => return Vec::new(),
        };
        gauge.limits = self.limits(&gauge);
        vec![gauge]
    }

    fn limits(&self, gauge: &Gauge) -> Option<[f64; 2]> {
        self.joint.limits.map(|(low, high)| [low, high].map(|limit| limit * gauge.unit()))
    }

    /// The rigid body of a side.
    fn rigid(&self, side: usize) -> Option<&Rigid> {
        let body = [Some(self.joint.a), self.joint.b][side];
        body.and_then(|b| self.model.bodies[b].rigid).map(|r| &self.model.rigids[r])
    }

    /// How readily the two bodies turn on each other about `axis`, through `about` or through their centres:
    /// one over the inertia [1/(kg m2)].
    fn inverse_inertia(&self, about: Option<DVec3>, axis: DVec3) -> f64 {
        let of = |side: usize| {
            let (rigid, pose) = (self.rigid(side)?, self.starts[side]);
            let place = about.map_or(rigid.center, |p| pose.local(p));
            Some(1.0 / rigid.inertia_about(place, pose.rotation.inverse() * axis))
        };
        [0, 1].into_iter().filter_map(of).sum()
    }

    fn tie(&self, spread: Spread, target: Target) -> Tie {
        Tie {
            constraint: self.constraint,
            bodies: [self.joint.a, self.joint.b.unwrap_or(self.joint.a)],
            vertex: None,
            spread,
            target,
            directions: Directions::All,
            share: self.share.unwrap_or(Share::WHOLE),
            carries: 0.0,
        }
    }

    fn place(&self, at: DVec3) -> Tie {
        let target = if self.both_move() {
            Target::Nothing
        } else {
            Target::Place(self.other, self.starts[1].local(at))
        };
        self.tie(self.spread(&[(at, 1.0)]), target)
    }

    fn vector(&self, along: DVec3) -> Tie {
        let target = if self.both_move() {
            Target::Nothing
        } else {
            Target::Vector(self.other, self.starts[1].rotation.inverse() * along)
        };
        let about = self.joint.about;
        self.tie(self.spread(&[(about + along, 1.0), (about, -1.0)]), target)
    }
}

/// What is held of a body: a node, or a place between some.
pub(super) struct Rider {
    body: usize,
    /// Nodes with their shares; unused ones have none.
    parts: [(u32, f64); 4],
    /// Where it starts [m].
    start: DVec3,
    share: Share,
}

impl Rider {
    fn of_node(body: usize, node: usize, share: Share, positions: &[DVec3]) -> Self {
        let part = |of| (node as u32, of);
        let parts = [part(1.0), part(0.0), part(0.0), part(0.0)];
        Self { body, parts, start: positions[node], share }
    }

    /// The place `spot`.
    pub(super) fn of_spot(model: &Model, spot: &Anchor, share: Share, positions: &[DVec3]) -> Self {
        let parts = super::stitches::place_of(model, spot);
        let start = parts.iter().map(|(i, of)| positions[*i as usize] * *of).sum();
        Self { body: spot.body, parts, start, share }
    }

    /// Its node, where it is one that is solved for.
    fn node(&self, model: &Model) -> Option<u32> {
        let (node, share) = self.parts[0];
        (share == 1.0 && (node as usize) < model.free_count).then_some(node)
    }

    /// The node of its vertex, where it is one.
    fn vertex(&self) -> Option<u32> {
        let (node, share) = self.parts[0];
        (share == 1.0).then_some(node)
    }

    /// It as one side of a difference.
    fn spread(&self, model: &Model) -> Spread {
        model.spread(&self.parts.map(|(i, _)| i), &self.parts.map(|(_, share)| share), 4)
    }
}

/// What `points` hold. Those of a surface in a cage hold the nodes that carry them, so that they go where the
/// pin's motion brings them.
pub(super) fn riders(
    model: &Model,
    points: &[Points],
    weight: Option<&VertexMap>,
    positions: &[DVec3],
) -> Vec<Rider> {
    let vertices = points.iter().flat_map(|group| group.vertices.iter().map(|v| (group.body, *v)));
    let mut held = Vec::new();
    let mut of_cages: BTreeMap<(usize, usize), Share> = BTreeMap::new();
    for (order, (body, vertex)) in vertices.enumerate() {
        let own = &model.bodies[body];
        let Some(share) = Share::of(weight, order).filter(|_| own.free) else { continue };
        let node = own.nodes.start + vertex as usize;
        if !model.is_caged(body) {
            held.push(Rider::of_node(body, node, share, positions));
            continue;
        }
        let carried = model.carried[node - model.free_count];
        for (node, part) in carried.nodes.into_iter().zip(carried.weights) {
            if part != 0.0 {
                let most = of_cages.entry((body, node as usize)).or_insert(share);
                if share.weight > most.weight {
                    *most = share;
                }
            }
        }
    }
    let of_cages = of_cages.into_iter();
    held.extend(of_cages.map(|((body, node), s)| Rider::of_node(body, node, s, positions)));
    held
}

/// Adds what brings body `body` where its own curves say: ties of the four masses of a rigid body, holds of
/// the nodes of others.
pub(super) fn add_carried(model: &mut Model, constraint: usize, body: usize, positions: &[DVec3]) {
    let Some(rigid) = model.bodies[body].rigid else {
        let nodes = model.bodies[body].movers.clone();
        model.holds.extend(nodes.map(|node| Hold {
            constraint,
            node: node as u32,
            start: positions[node],
            carrier: None,
            share: Share::WHOLE,
        }));
        return;
    };
    let rigid = &model.rigids[rigid];
    let ties = rigid.nodes().zip(rigid.local_corners()).map(|(node, corner)| {
        let mut spread = Spread::default();
        spread.add(node as u32, 1.0, 0);
        let target = Target::Curves(body, corner);
        let (bodies, directions) = ([body; 2], Directions::All);
        Tie {
            constraint,
            bodies,
            vertex: None,
            spread,
            target,
            directions,
            share: Share::WHOLE,
            carries: 0.0,
        }
    });
    model.ties.extend(ties.collect::<Vec<_>>());
}

/// Adds what holds the riders of a pin, or of an attachment to `carrier`: a hold where a node alone goes along with
/// what is given, else a tie.
pub(super) fn add_held(
    model: &mut Model,
    scene: &Scene,
    constraint: usize,
    riders: Vec<Rider>,
    carrier: Option<usize>,
    positions: &[DVec3],
) {
    let rides = carrier.and_then(|c| model.bodies[c].rigid);
    if let Some(to) = carrier.filter(|c| model.bodies[*c].free && rides.is_none()) {
        let begins = scene.constraints[constraint].starts.is_none();
        return riding::add(model, scene, constraint, riders, to, begins, positions);
    }
    for rider in riders {
        let (start, share) = (rider.start, rider.share);
        if let Some(node) = rider.node(model).filter(|_| rides.is_none()) {
            let carrier = carrier.map(|c| frame(model, scene, c, start, positions).0);
            model.holds.push(Hold { constraint, node, start, carrier, share });
            continue;
        }
        let mut spread = rider.spread(model);
        let target = match (carrier, rides) {
            (Some(c), Some(rigid)) => {
                let rigid = &model.rigids[rigid];
                let local = Pose::at_start(scene, c).local(start);
                for (node, w) in rigid.nodes().zip(rigid.weights(local)) {
                    spread.add(node as u32, -w, 1);
                }
                Target::Nothing
            }
            (Some(c), None) => {
                let (frame, pose) = frame(model, scene, c, start, positions);
                Target::Place(frame, pose.local(start))
            }
            (None, _) => Target::Pin(start),
        };
        model.ties.push(Tie {
            constraint,
            bodies: [rider.body, carrier.unwrap_or(rider.body)],
            vertex: rider.vertex(),
            spread,
            target,
            directions: Directions::All,
            share,
            carries: 0.0,
        });
    }
}

/// What a place `p` of the start goes along with on `body`, and where that is, with the nodes at `positions`.
fn frame(
    model: &Model,
    scene: &Scene,
    body: usize,
    p: DVec3,
    positions: &[DVec3],
) -> (Frame, Pose) {
    if !model.bodies[body].deforms {
        return (Frame::Body(body), Pose::at_start(scene, body));
    }
    let seat = seat(model, scene, body, p, positions);
    let pose = seat.frame(&positions[model.bodies[body].nodes.clone()]);
    (Frame::Seat(body, seat), pose)
}

/// The place of the surface of `carrier` that is nearest to `p`, with the nodes at `positions`.
fn seat(model: &Model, scene: &Scene, carrier: usize, p: DVec3, positions: &[DVec3]) -> Seat {
    let places = &positions[model.bodies[carrier].nodes.clone()];
    let mut nearest = (f64::INFINITY, Seat { corners: [0; 3], weights: [1.0, 0.0, 0.0] });
    for corners in &scene.mesh_of(carrier).triangles {
        let [a, b, c] = corners.map(|i| places[i as usize]);
        let weights = closest_on_triangle(p, a, b, c);
        let place = a * weights[0] + b * weights[1] + c * weights[2];
        let distance = place.distance_squared(p);
        if distance < nearest.0 {
            nearest = (distance, Seat { corners: *corners, weights });
        }
    }
    nearest.1
}
