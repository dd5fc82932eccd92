//! What never changes while stepping: topology, masses, rest shapes, and the scene's curves.

use super::cage::Carried;
use super::collision::candidates::Candidate;
use super::collision::distance::Closest;
use super::collision::seams::Seams;
use super::collision::surface::Surface;
use super::constraints::gauge::Gauge;
use super::constraints::hold::Share;
use super::constraints::tie::Tie;
use super::forces::lattice::Lattice;
use super::linear::block_matrix::Pattern;
use super::linear::couplings::TERM;
use super::potentials::rope::{Bend, Segment};
use super::potentials::twist::Strand;
use super::potentials::{
    matching::Matching, membrane::Membrane, shell::Shell, special::Special, tet::Tet,
};
use super::rigid::Rigid;
use super::whereabouts::Frame;
use crate::scene::{ContactPair, MappedCurve, Scene, StitchGap};
use glam::DVec3;
use std::ops::Range;
use std::sync::Arc;

/// Distance between two bodies beyond half of both thicknesses [m].
pub(crate) const SKIN: f64 = 2e-4;

/// Least contact distance as a multiple of [`Model::floor`], which is long where all is far from the origin.
pub(crate) const ROOM: f64 = 1.5;

/// A body of the scene in the engine's numbers.
#[derive(Clone, Debug)]
pub(crate) struct ModelBody {
    /// The nodes of its mesh's vertices.
    pub(crate) nodes: Range<usize>,
    /// The nodes that it moves by: its vertices, or the four of a rigid body; none of a given one.
    pub(crate) movers: Range<usize>,
    /// Whether the engine moves it.
    pub(crate) free: bool,
    /// Its place in `Model::rigids`.
    pub(crate) rigid: Option<usize>,
    /// Whether its curves or its clip move it.
    pub(crate) moved: bool,
    /// What goes straight where it turns a part of its way: a rigid body's centre of mass, else the mean of
    /// its vertices, in the mesh's frame [m].
    pub(crate) pivot: DVec3,
    /// Whether its clip moves its nodes each by itself.
    pub(crate) deforms: bool,
    /// Its membrane triangles, within `Model::membranes`.
    pub(crate) membranes: Range<usize>,
}

/// A node held by a pin or carried by an attachment.
#[derive(Clone, Debug)]
pub(crate) struct Hold {
    /// Index of the scene's constraint.
    pub(crate) constraint: usize,
    /// The held node.
    pub(crate) node: u32,
    /// Its place at the start [m].
    pub(crate) start: DVec3,
    /// What it rides on; none for a pin.
    pub(crate) carrier: Option<Frame>,
    pub(crate) share: Share,
}

/// A node that may freeze.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Freezer {
    /// Index of the scene's constraint.
    pub(crate) constraint: usize,
    pub(crate) node: u32,
    pub(crate) share: Share,
}

/// Two places held together: the difference of the places is `sum weights[i] * x[i] - world`.
#[derive(Clone, Debug)]
pub(crate) struct Stitch {
    /// Index of the scene's constraint.
    pub(crate) constraint: usize,
    /// Nodes of both places, four each; repeated where fewer are needed.
    pub(crate) nodes: [u32; 8],
    /// Signed weights.
    pub(crate) weights: [f64; 8],
    /// Place in the world that is taken off the difference [m].
    pub(crate) world: DVec3,
    /// What becomes of the start distance.
    pub(crate) gap: StitchGap,
    /// Force against a change of the distance [N s/m].
    pub(crate) damping: f64,
    pub(crate) share: Share,
    /// Contact distance of the two places [m].
    pub(crate) contact_distance: f64,
    /// What it pulls its places together with at most, until it has closed [N].
    pub(crate) most_pull: f64,
}

/// What never changes while stepping.
///
/// Nodes `0..point_count` are vertices that move by themselves, those up to `free_count` the four of
/// each rigid body: these are what is solved for. Up to `carried_end` come the vertices of surfaces in
/// cages and of rigid bodies, the rest are given motions.
pub(crate) struct Model {
    pub(crate) scene: Arc<Scene>,
    pub(crate) bodies: Vec<ModelBody>,
    pub(crate) point_count: usize,
    pub(crate) free_count: usize,
    pub(crate) carried_end: usize,
    /// Rigid bodies, in the order of their nodes.
    pub(crate) rigids: Vec<Rigid>,
    /// Those that stand here while they rest, rising, without nodes that they move by.
    pub(crate) standing: Vec<Rigid>,
    /// What carries each vertex of a rigid body or of a surface in a cage, from `free_count` on.
    pub(crate) carried: Vec<Carried>,
    /// Mass of the free nodes [kg]; zero for nodes without a triangle, which stay where they are.
    pub(crate) mass: Vec<f64>,
    /// What a node is held by in its own body at rest, in its stiffest direction or more [N/m].
    pub(crate) held: Vec<f64>,
    /// The part of `held` that cells have [N/m].
    pub(crate) held_by_cells: Vec<f64>,
    /// Mesh positions of all nodes [m].
    pub(crate) rest: Vec<DVec3>,
    /// Half of the thickness at each node [m].
    pub(crate) half_thickness: Vec<f64>,
    /// Friction coefficient at each node.
    pub(crate) friction: Vec<f64>,
    /// Half of the distance at which a node's contacts are looked at [m].
    pub(crate) reach: Vec<f64>,
    /// Shortest edge at each node of a body that may touch itself, at rest; infinite elsewhere [m].
    pub(crate) spacing: Vec<f64>,
    pub(crate) surface: Surface,
    pub(crate) membranes: Vec<Membrane>,
    pub(crate) shell: Shell,
    /// Cells of soft bodies.
    pub(crate) tets: Vec<Tet>,
    /// Soft bodies that are held to their shape.
    pub(crate) matchings: Vec<Matching>,
    /// Segments of ropes, and their bends.
    pub(crate) segments: Vec<Segment>,
    pub(crate) bends: Vec<Bend>,
    /// Pieces of ropes that resist twist.
    pub(crate) strands: Vec<Strand>,
    /// Cloths of points in rows and columns, in the order of their nodes.
    pub(crate) lattices: Vec<Lattice>,
    /// What only some cloths have.
    pub(crate) special: Special,
    /// Pattern of the blocks of membranes and hinges over the points.
    pub(crate) pattern: Pattern,
    /// Slot of each diagonal block.
    pub(crate) diagonal: Vec<u32>,
    /// Pattern of the bending scalars, their values [N/m], and the values times the damping time [N s/m]; none of these
    /// where nothing damps.
    pub(crate) bend_pattern: Pattern,
    pub(crate) bend_values: Vec<f64>,
    pub(crate) bend_damping: Vec<f64>,
    pub(crate) holds: Vec<Hold>,
    pub(crate) stitches: Vec<Stitch>,
    /// What stitches hold near each other.
    pub(crate) seams: Seams,
    /// How many stitches each node that carries a surface has to serve at once, at least 1; 1 for others.
    pub(crate) crowding: Vec<f64>,
    pub(crate) ties: Vec<Tie>,
    /// Turns and ways of joints that are limited, driven or damped.
    pub(crate) gauges: Vec<Gauge>,
    /// Pairs of bodies that a joint keeps from colliding, lower first, sorted.
    pub(crate) jointed: Vec<(usize, usize)>,
    /// Of each of the scene's rules about pairs whether it says in the present leg if they collide.
    pub(crate) in_force: Vec<bool>,
    /// Free nodes that may freeze.
    pub(crate) freezers: Vec<Freezer>,
    /// Cloth edges with their rest length [m].
    pub(crate) stretch_edges: Vec<(u32, u32, f64)>,
    /// Least contact distance that thicknesses ask for [m]; infinite where nothing has a surface.
    pub(crate) asked: f64,
    /// Smallest distance that an accepted state may have [m].
    pub(crate) floor: f64,
    /// Substep that the stiffness of contacts is taken from [s].
    pub(crate) contact_step: f64,
}

/// A difference of two places as a weighted sum of nodes that are solved for: each node once, those
/// of the first place on side 0, those of the second on side 1. Unused ones have weight 0.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Spread {
    pub(crate) nodes: [u32; TERM],
    pub(crate) weights: [f64; TERM],
    pub(crate) side: [u8; TERM],
    pub(crate) count: usize,
}

impl Spread {
    /// Adds a node to a side; one that is there gets the sum of both weights.
    pub(crate) fn add(&mut self, node: u32, weight: f64, side: u8) {
        if let Some(k) = (0..self.count).find(|&k| self.nodes[k] == node && self.side[k] == side) {
            self.weights[k] += weight;
            return;
        }
        let k = self.count;
        (self.nodes[k], self.weights[k], self.side[k]) = (node, weight, side);
        self.count += 1;
    }

    /// Its nodes with their weights.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (usize, f64)> {
        (0..self.count).map(|k| (self.nodes[k] as usize, self.weights[k]))
    }

    /// One over the mass that moves when the two places are pushed apart, from those of the nodes [1/kg].
    pub(crate) fn inverse_mass(&self, inverse_mass: &[f64]) -> f64 {
        self.parts().map(|(i, w)| w * w * inverse_mass[i]).sum()
    }
}

impl Model {
    /// `sum weights[k] x[nodes[k]]` of a place (the first `split` nodes) and another as nodes that are
    /// solved for; given ones are left out.
    pub(crate) fn spread(&self, nodes: &[u32], weights: &[f64], split: usize) -> Spread {
        let mut spread = Spread::default();
        for (k, (&node, &weight)) in nodes.iter().zip(weights).enumerate() {
            let (i, side) = (node as usize, u8::from(k >= split));
            if weight == 0.0 || i >= self.carried_end {
                continue;
            }
            if i < self.free_count {
                spread.add(node, weight, side);
                continue;
            }
            let carried = &self.carried[i - self.free_count];
            for (corner, share) in carried.nodes.into_iter().zip(carried.weights) {
                spread.add(corner, weight * share, side);
            }
        }
        spread
    }

    /// Numbers of the cells of which something may stay, in their order.
    pub(crate) fn plastic_cells(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.tets.len()).filter(|t| self.tets[*t].plastic.is_some())
    }

    /// Whether a body that is there has its motion given.
    pub(crate) fn has_given_motion(&self) -> bool {
        self.bodies.iter().any(|body| body.moved && !body.nodes.is_empty())
    }

    /// Calls `each` with a free node and its part, over its mass, of what pushes at the vertices `points` of a body
    /// evenly, or at all of the body by mass where there are none.
    pub(crate) fn share_push(
        &self,
        body: usize,
        points: &[u32],
        push: DVec3,
        mut each: impl FnMut(usize, DVec3),
    ) {
        let entry = &self.bodies[body];
        if points.is_empty() {
            let mass: f64 = self.mass[entry.movers.clone()].iter().sum();
            entry.movers.clone().for_each(|i| each(i, push / mass));
        }
        for &vertex in points {
            let node = entry.nodes.start as u32 + vertex;
            let spread = self.spread(&[node], &[1.0 / points.len() as f64], 1);
            for (i, weight) in spread.parts().filter(|(i, _)| self.mass[*i] > 0.0) {
                each(i, push * (weight / self.mass[i]));
            }
        }
    }

    /// Whether substeps may be of second order: what stitches and the twist of ropes hold with is found with backward
    /// Euler in mind, with BDF2 it feeds what it should damp.
    pub(crate) fn looks_back(&self) -> bool {
        self.stitches.is_empty() && self.strands.is_empty()
    }

    /// The body as whose part node `i` stands, if it does.
    pub(crate) fn stands(&self, i: u32) -> Option<&Rigid> {
        let body = self.surface.body_of_node[i as usize] as usize;
        let at = self.standing.binary_search_by_key(&body, |rigid| rigid.body).ok()?;
        Some(&self.standing[at])
    }

    /// Whether a body is a rigid one, or given and never changes its shape.
    pub(crate) fn keeps_its_shape(&self, body: usize) -> bool {
        let body = &self.bodies[body];
        body.rigid.is_some() || !body.free && !body.deforms
    }

    /// Whether the vertices of a body are carried by a cage.
    pub(crate) fn is_caged(&self, body: usize) -> bool {
        let body = &self.bodies[body];
        body.free && body.rigid.is_none() && body.nodes != body.movers
    }

    /// Distance of two nodes that the same body moves by in its mesh's frame [m].
    pub(crate) fn rest_distance(&self, a: u32, b: u32) -> f64 {
        let body = self.surface.body_of_node[a as usize] as usize;
        let mesh = self.scene.cage_of(body).unwrap_or(self.scene.mesh_of(body));
        let at = |i: u32| mesh.positions[i as usize - self.bodies[body].movers.start];
        at(a).distance(at(b))
    }

    /// Velocity of node `i`, which the engine moves [m/s].
    pub(crate) fn velocity(&self, velocities: &[DVec3], i: usize) -> DVec3 {
        self.spread(&[i as u32], &[1.0], 1).parts().map(|(i, w)| velocities[i] * w).sum()
    }

    /// The bodies that may touch themselves, and their triangles.
    pub(crate) fn touching_themselves(&self) -> impl Iterator<Item = (usize, Range<u32>)> {
        let all = self.surface.body_triangles.iter().cloned().enumerate();
        all.filter(|(body, range)| !range.is_empty() && self.pair_collides(*body, *body))
    }

    /// Whether no body may touch another, nor itself.
    pub(crate) fn nothing_touches(&self) -> bool {
        let collides = |body: &usize| self.scene.bodies[*body].collides;
        let all: Vec<usize> = (0..self.bodies.len()).filter(collides).collect();
        let pairs = all.iter().enumerate().flat_map(|(k, a)| all[k..].iter().map(move |b| (a, b)));
        !pairs.into_iter().any(|(a, b)| self.pair_collides(*a, *b))
    }

    /// Whether bodies `a` and `b` (equal for self-contact) may touch at all.
    pub(crate) fn pair_collides(&self, a: usize, b: usize) -> bool {
        let bodies = &self.scene.bodies;
        if !(self.bodies[a].free || self.bodies[b].free)
            || !bodies[a].collides
            || !bodies[b].collides
        {
            return false;
        }
        if a == b
            && (bodies[a].keeps_shape()
                || !bodies[a].self_collision.unwrap_or(self.scene.collisions.self_contact))
        {
            return false;
        }
        if self.jointed.binary_search(&(a.min(b), a.max(b))).is_ok() {
            return false;
        }
        let of_leg = self.scene.contact_pairs.iter().zip(&self.in_force);
        let mut rules = of_leg.rev().filter(|(rule, holds)| **holds && rule.is_for(a, b));
        rules.next().is_none_or(|(rule, _)| rule.collides)
    }

    /// Sets which pairs collide in the leg that ends at script time `end`: all through it as at its end, so that what is
    /// then stored crosses as little as that moment allows. Returns whether that may have changed.
    pub(crate) fn enforce_rules(&mut self, end: f64) -> bool {
        let holds: Vec<bool> = self.scene.contact_pairs.iter().map(|r| r.holds(end)).collect();
        // One that says that a pair collides may end another one's say.
        let changed =
            holds != self.in_force && self.scene.contact_pairs.iter().any(|rule| !rule.collides);
        self.in_force = holds;
        changed
    }

    /// Takes over which pairs collide in the present leg from the `whole` of which this is a part.
    pub(crate) fn enforce_as(&mut self, whole: &Self) {
        self.in_force.clone_from(&whole.in_force);
    }

    /// The rule that says at `time` whether bodies `a` and `b` collide.
    pub(crate) fn rule_at(&self, a: usize, b: usize, time: f64) -> Option<&ContactPair> {
        self.rules(a, b).filter(|rule| rule.holds(time)).last()
    }

    fn rules(&self, a: usize, b: usize) -> impl Iterator<Item = &ContactPair> {
        self.scene.contact_pairs.iter().filter(move |rule| rule.is_for(a, b))
    }

    /// Friction coefficient of a contact.
    pub(crate) fn pair_friction(
        &self,
        pair: &Candidate,
        close: &Closest,
        bodies: [u32; 2],
        time: f64,
    ) -> f64 {
        let split = pair.split();
        let side = |range: Range<usize>| -> f64 {
            range.map(|k| close.weights[k].abs() * self.friction[pair.nodes[k] as usize]).sum()
        };
        let friction = (side(0..split) * side(split..4)).max(0.0).sqrt();
        self.ruled(bodies.map(|b| b as usize), friction, time)
    }

    /// Friction coefficient of two bodies as wholes, by the means over their vertices.
    pub(crate) fn bodies_friction(&self, a: usize, b: usize, time: f64) -> f64 {
        let mean = |body: usize| {
            let own = &self.friction[self.bodies[body].nodes.clone()];
            own.iter().sum::<f64>() / own.len().max(1) as f64
        };
        self.ruled([a, b], (mean(a) * mean(b)).sqrt(), time)
    }

    /// What the scene's rules make of the friction of two bodies.
    fn ruled(&self, [a, b]: [usize; 2], friction: f64, time: f64) -> f64 {
        let rules = self.rules(a, b).filter(|rule| rule.holds(time));
        rules.filter_map(|rule| rule.friction).last().unwrap_or(friction)
    }

    /// Whether anything parts again faster than contacts let it.
    pub(crate) fn bounces(&self) -> bool {
        let own = self.rigids.iter().filter_map(|r| self.scene.bodies[r.body].rigid());
        own.map(|r| r.restitution).any(|r| r > 0.0)
            || self.scene.contact_pairs.iter().any(|rule| rule.restitution.is_some_and(|r| r > 0.0))
    }

    /// Restitution of bodies `a` and `b`: that of a rule for them, else `own`.
    pub(crate) fn pair_restitution(&self, a: usize, b: usize, own: f64, time: f64) -> f64 {
        let rules = self.rules(a, b).filter(|rule| rule.holds(time));
        rules.filter_map(|rule| rule.restitution).last().unwrap_or(own)
    }

    /// Factor on rest lengths at the node `node` of body `body` at `time`.
    pub(crate) fn shrink(&self, body: usize, node: u32, time: f64) -> f64 {
        let vertex = node as usize - self.bodies[body].nodes.start;
        self.scene.bodies[body].cloth().map_or(1.0, |cloth| cloth.shrink.at(vertex, time))
    }

    /// Factor on rest lengths of the membrane `index` at `time`.
    pub(crate) fn membrane_shrink(&self, index: usize, time: f64) -> f64 {
        let nodes = self.membranes[index].nodes;
        let body = self.surface.body_of_node[nodes[0] as usize] as usize;
        nodes.iter().map(|&i| self.shrink(body, i, time)).sum::<f64>() / 3.0
    }

    /// Sets `out` to the factor on rest lengths of each membrane at `time`; none where it has no membrane stiffness.
    pub(crate) fn shrinks(&self, time: f64, out: &mut Vec<Option<f64>>) {
        out.clear();
        out.resize(self.membranes.len(), None);
        self.for_membranes(time, |m, _, shrink| out[m] = Some(shrink));
    }

    /// Calls `each(body, membrane index, shrink)` for all membranes.
    pub(crate) fn for_membranes(&self, time: f64, mut each: impl FnMut(usize, &Membrane, f64)) {
        for (i, body) in self.bodies.iter().enumerate() {
            if body.free {
                let map = self.scene.bodies[i].cloth().map(|cloth| &cloth.shrink);
                let Some(map) = map else { continue };
                if let MappedCurve::Uniform(curve) = map {
                    let shrink = curve.at(time);
                    for m in body.membranes.clone() {
                        each(m, &self.membranes[m], shrink);
                    }
                    continue;
                }
                for m in body.membranes.clone() {
                    let membrane = &self.membranes[m];
                    let at = |node: u32| map.at(node as usize - body.nodes.start, time);
                    each(m, membrane, membrane.nodes.iter().map(|&i| at(i)).sum::<f64>() / 3.0);
                }
            }
        }
    }
}
