//! Stitches of pairs of places, seams of them, and what one pulls with before it has closed.

use crate::scene::{Anchor, StitchGap};
use crate::sim::collision::seams::Seam;
use crate::sim::constraints::hold::Share;
use crate::sim::constraints::stitch;
use crate::sim::forces::lattice::Lattice;
use crate::sim::model::{Model, SKIN, Stitch};
use glam::DVec3;

/// How long cloth may become where a stitch pulls at it that has yet to close, in its own lengths.
const MOST_STRETCHED: f64 = 1.5;

/// Force with which each free node holds what makes its cloth [`MOST_STRETCHED`] times as long over the width that the node
/// stands for [N]; infinite for nodes of no cloth.
pub(super) struct Strengths(Vec<f64>);

impl Strengths {
    pub(super) fn of(model: &Model) -> Self {
        let mut areas = vec![0.0; model.free_count];
        let mut stiffness = vec![0.0; model.free_count];
        for m in &model.membranes {
            for node in m.nodes {
                areas[node as usize] += m.area / 3.0;
                stiffness[node as usize] += m.stiffness[0].max(m.stiffness[2]) * m.area / 3.0;
            }
        }
        let mut springs = vec![0.0f64; model.free_count];
        for spring in model.lattices.iter().flat_map(Lattice::springs) {
            for node in spring.nodes {
                let own = &mut springs[node as usize];
                *own = own.max(spring.stiffness * spring.rest);
            }
        }
        // Green's strain on the stretched length, as of membranes.
        let of_membranes = 0.5 * MOST_STRETCHED * (MOST_STRETCHED * MOST_STRETCHED - 1.0);
        let of = |i: usize| match (areas[i], springs[i]) {
            (area, _) if area > 0.0 => of_membranes * stiffness[i] / area.sqrt(),
            (_, spring) if spring > 0.0 => (MOST_STRETCHED - 1.0) * spring,
            _ => f64::INFINITY,
        };
        Self((0..model.free_count).map(of).collect())
    }

    /// What the stitch with these nodes may pull with while it closes [N]: what the weaker of its places bears.
    fn most_pull(&self, nodes: &[u32; 8], weights: &[f64; 8]) -> f64 {
        let of = |i: u32| self.0.get(i as usize).copied().unwrap_or(f64::INFINITY);
        let side = |first: usize| -> f64 {
            let parts = (first..first + 4).filter(|k| weights[*k] != 0.0);
            parts.map(|k| of(nodes[k]) * weights[k].abs()).sum()
        };
        side(0).min(side(4))
    }
}

/// The stitch of `constraint` between two places.
pub(super) fn stitch_of(
    model: &Model,
    strengths: &Strengths,
    constraint: usize,
    [a, b]: [&Anchor; 2],
    gap: StitchGap,
) -> Stitch {
    let (mut nodes, mut weights, mut half) = ([0; 8], [0.0; 8], 0.0);
    for (side, (anchor, sign)) in [(a, 1.0), (b, -1.0)].into_iter().enumerate() {
        let first = model.bodies[anchor.body].nodes.start;
        half += anchor.mean(|v| model.half_thickness[first + v as usize]);
        let place = place_of(model, anchor);
        for (k, (node, weight)) in place.into_iter().enumerate() {
            (nodes[4 * side + k], weights[4 * side + k]) = (node, sign * weight);
        }
    }
    let contact_distance = half + SKIN;
    let (world, damping, share) = (DVec3::ZERO, 0.0, Share::WHOLE);
    let most_pull = strengths.most_pull(&nodes, &weights);
    Stitch { constraint, nodes, weights, world, gap, damping, share, contact_distance, most_pull }
}

/// What a stitch holds near each other: a pair of places at `positions`.
pub(super) fn seam(
    model: &Model,
    stitch: &Stitch,
    a: &Anchor,
    b: &Anchor,
    positions: &[DVec3],
) -> Seam {
    let node = |anchor: &Anchor, k: usize| {
        (model.bodies[anchor.body].nodes.start + anchor.vertices[k] as usize) as u32
    };
    let of = |k: usize| if k < 4 { (a, k) } else { (b, k - 4) };
    let nodes = std::array::from_fn(|k| node(of(k).0, of(k).1));
    let weights: [f64; 8] = std::array::from_fn(|k| of(k).0.weights[of(k).1]);
    let length = match stitch.gap {
        StitchGap::Keep => stitch::difference(stitch, positions).length(),
        StitchGap::Close => stitch.contact_distance,
        StitchGap::Length(most) | StitchGap::Between(_, most) => most,
    };
    let reach = std::f64::consts::FRAC_PI_2 * stitch.contact_distance;
    Seam { nodes, weights, length, reach }
}

/// A place that is held to one of the world.
pub(super) fn tether(
    model: &Model,
    constraint: usize,
    from: &Anchor,
    world: DVec3,
    gap: StitchGap,
) -> Stitch {
    let (mut nodes, mut weights) = ([0; 8], [0.0; 8]);
    for (k, (node, weight)) in place_of(model, from).into_iter().enumerate() {
        (nodes[k], weights[k], nodes[4 + k]) = (node, weight, node);
    }
    let (damping, share, contact_distance) = (0.0, Share::WHOLE, SKIN);
    let most_pull = f64::INFINITY;
    Stitch { constraint, nodes, weights, world, gap, damping, share, contact_distance, most_pull }
}

/// Nodes and weights of an anchor: its vertices, or the corners of the cell of a cage that it lies in.
pub(super) fn place_of(model: &Model, anchor: &Anchor) -> [(u32, f64); 4] {
    let vertex = |k: usize| model.bodies[anchor.body].nodes.start + anchor.vertices[k] as usize;
    let cage = model.scene.cage_of(anchor.body);
    let Some(cage) = cage else {
        return std::array::from_fn(|k| (vertex(k) as u32, anchor.weights[k]));
    };
    let place: DVec3 = (0..4).map(|k| model.rest[vertex(k)] * anchor.weights[k]).sum();
    let found = cage.embed(&[place])[0];
    let first = model.bodies[anchor.body].movers.start as u32;
    std::array::from_fn(|k| (first + cage.tets[found.tet][k], found.weights[k]))
}
