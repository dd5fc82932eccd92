//! Separation (Sotomayor 2008, sections 4.2 and 5.4.2): what overlaps is deformed until it does no longer.
//!
//! The region that deforms are the vertices in the other body, which go out by their depth, and the corners
//! of the faces that they come out at, which go the other way, each as its weight says (Jakobsen 2001). How
//! far either side goes is a matter of its stiffness, and for the vertices inside it is searched by halving,
//! so that both surfaces end at each other: half way, where both are as stiff.

use super::depth::{Deep, Spot, closest, depths, faces_in, nearest_way_out, through};
use super::detection::{Counts, Pair, close_pairs, find_inside, hashed, is_inside};
use super::press::Contact;
use super::solids::{Bounds, Solid, bounds};
use super::{Stage, Stages};
use crate::sim::model::{Model, SKIN};
use glam::DVec3;
use std::collections::BTreeMap;

/// Halvings of the search (equation 4.5).
const HALVINGS: u32 = 4;

/// Distance at which separated surfaces end [m]: what is free stays so when places are rounded to f32.
const GAP: f64 = 0.1 * SKIN;

/// What separation knows of the world.
pub(super) struct World<'a> {
    pub(super) model: &'a Model,
    pub(super) solids: &'a [Solid],
    /// Of free nodes, 0 for held ones [1/kg].
    pub(super) inverse_mass: &'a [f64],
    /// Bodies that something given carries, sorted.
    pub(super) carried: &'a [usize],
    /// Script time [s].
    pub(super) time: f64,
}

/// Something of one solid that is in another.
struct Meeting {
    /// The vertex twice, or the ends of an edge, with their weights.
    lead: [u32; 2],
    weights: [f64; 2],
    is_vertex: bool,
    spot: Spot,
    depth: f64,
    out: DVec3,
    /// Its place in the list of pairs.
    pair: usize,
}

/// A vertex that is inside something: where it was, the way out, and how much of it it goes.
struct Lead {
    node: u32,
    start: DVec3,
    way: DVec3,
    part: f64,
    /// Pairs by which it is inside.
    pairs: Vec<usize>,
}

/// One round: finds what overlaps at `z` and moves it apart, by deforming it as far as it `searches`, or as
/// wholes. Adds where bodies meet to `contacts`; returns
/// the bodies concerned, sorted, and what was found.
pub(super) fn round(
    world: &World<'_>,
    z: &mut [DVec3],
    contacts: &mut Vec<Contact>,
    searches: bool,
    stages: &mut Stages,
) -> (Vec<usize>, Counts) {
    let World { model, solids, .. } = *world;
    let mut counts = Counts::default();
    let (mut pairs, grid) = stages.time(Stage::Potential, || {
        let pairs = close_pairs(model, solids, z);
        let grid = hashed(&pairs, solids, z);
        (pairs, grid)
    });
    if pairs.is_empty() {
        return (Vec::new(), counts);
    }
    stages.time(Stage::Exact, || {
        if let Some(grid) = &grid {
            counts.potential = grid.len() as u64;
            find_inside(&mut pairs, solids, z, grid, &mut counts);
        }
    });
    let bodies = stages.time(Stage::Depth, || {
        let meetings = meetings(solids, &pairs, searches, z);
        for meeting in &meetings {
            add_contact(world, &pairs, meeting, contacts);
        }
        if searches {
            separate(world, &pairs, &meetings, z);
        } else {
            shift(world, &pairs, &meetings, z);
        }
        let mut bodies: Vec<usize> =
            meetings.iter().flat_map(|m| pairs[m.pair].solids).map(|k| solids[k].body).collect();
        bodies.sort_unstable();
        bodies.dedup();
        bodies
    });
    (bodies, counts)
}

/// Vertices in cells, with their `consistent` depths or by the nearest place of the surface, and edges through
/// solids whose ends are both free.
fn meetings(solids: &[Solid], pairs: &[Pair], consistent: bool, z: &[DVec3]) -> Vec<Meeting> {
    let mut found = Vec::new();
    for (number, pair) in pairs.iter().enumerate() {
        let [own, other] = pair.solids.map(|k| &solids[k]);
        let faces = faces_in(other, &pair.region, z);
        let deep = if consistent {
            depths(own, other, &faces, &pair.inside, z)
        } else {
            pair.inside.iter().filter_map(|i| nearest_way_out(other, *i, z)).collect()
        };
        for Deep { node, depth, out } in deep {
            let goal = z[node as usize] + out * depth;
            let near = if faces.is_empty() { &other.faces } else { &faces };
            let Some(spot) = closest(near, node, goal, z) else { continue };
            let (lead, weights) = ([node; 2], [1.0, 0.0]);
            let meeting =
                Meeting { lead, weights, is_vertex: true, spot, depth, out, pair: number };
            found.push(meeting);
        }
        if pair.solids[0] == pair.solids[1] {
            continue;
        }
        let is_free = |i: &u32| pair.inside.binary_search(i).is_err();
        for edge in own.edges.iter().filter(|e| e.iter().all(is_free)) {
            if !bounds(edge, z).meets(&pair.region) {
                continue;
            }
            let Some(t) = through(*edge, &faces, z) else { continue };
            found.push(Meeting {
                lead: t.edge,
                weights: [1.0 - t.part, t.part],
                is_vertex: false,
                spot: t.spot,
                depth: t.depth,
                out: t.out,
                pair: number,
            });
        }
    }
    found
}

fn add_contact(world: &World<'_>, pairs: &[Pair], meeting: &Meeting, contacts: &mut Vec<Contact>) {
    let [a, b] = pairs[meeting.pair].solids.map(|k| world.solids[k].body);
    if contacts.iter().any(|c| c.lead == meeting.lead && c.bodies == [a, b]) {
        return;
    }
    contacts.push(Contact::new(
        (meeting.lead, meeting.weights),
        (meeting.spot.face, meeting.spot.weights),
        meeting.out,
        [a, b],
        world.model.bodies_friction(a, b, world.time),
        world.model.pair_restitution(a, b, 0.0, world.time),
        world.inverse_mass,
    ));
}

/// Part of the way apart that the first of two solids goes: the softer one more.
pub(super) fn share(own: f64, other: f64) -> f64 {
    if own + other > 0.0 { other / (own + other) } else { 0.5 }
}

/// Moves all that meets apart.
fn separate(world: &World<'_>, pairs: &[Pair], meetings: &[Meeting], z: &mut [DVec3]) {
    let World { solids, inverse_mass, .. } = *world;
    let mut leads: Vec<Lead> = Vec::new();
    let mut pushed: Vec<(u32, f64, DVec3)> = Vec::new();
    for meeting in meetings {
        let [own, other] = pairs[meeting.pair].solids.map(|k| &solids[k]);
        let is_free = |i: &u32| inverse_mass[*i as usize] > 0.0;
        let part = match (meeting.lead.iter().any(is_free), meeting.spot.face.iter().any(is_free)) {
            (false, _) => 0.0,
            (true, false) => 1.0,
            (true, true) => share(own.stiffness, other.stiffness),
        };
        let way = meeting.out * (meeting.depth + GAP);
        if meeting.is_vertex {
            add_lead(&mut leads, meeting, way, part, z);
        } else {
            push(&mut pushed, meeting.lead, meeting.weights, way * part);
        }
        push(&mut pushed, meeting.spot.face, meeting.spot.weights, way * (part - 1.0));
    }
    leads.retain(|lead| inverse_mass[lead.node as usize] > 0.0);
    leads.sort_by_key(|lead| lead.node);
    pushed.sort_by_key(|push| push.0);
    for group in pushed.chunk_by(|a, b| a.0 == b.0) {
        let node = group[0].0;
        if inverse_mass[node as usize] > 0.0
            && leads.binary_search_by_key(&node, |lead| lead.node).is_err()
        {
            let weight: f64 = group.iter().map(|push| push.1).sum();
            let way: DVec3 = group.iter().map(|push| push.2 * push.1).sum();
            z[node as usize] += way / weight;
        }
    }
    search(solids, pairs, &mut leads, z);
}

/// Moves bodies apart as wholes, each two by their deepest meeting and in parts by their masses, those that
/// something given carries not for others: what crumpled surfaces do not come apart by.
fn shift(world: &World<'_>, pairs: &[Pair], meetings: &[Meeting], z: &mut [DVec3]) {
    let World { model, solids, inverse_mass, carried, .. } = *world;
    let mut ways: BTreeMap<[usize; 2], (f64, DVec3)> = BTreeMap::new();
    for meeting in meetings {
        let [a, b] = pairs[meeting.pair].solids;
        let way = meeting.out * (meeting.depth + GAP);
        if a == b {
            for i in meeting.lead.into_iter().filter(|i| inverse_mass[*i as usize] > 0.0) {
                z[i as usize] += way * 0.5;
            }
            continue;
        }
        let (key, way) = if a < b { ([a, b], way) } else { ([b, a], -way) };
        let own = ways.entry(key).or_default();
        if meeting.depth + GAP > own.0 {
            *own = (meeting.depth + GAP, way);
        }
    }
    // One over the mass of a body; nothing moves one that is held.
    let inverse = |k: usize| {
        let nodes = || solids[k].nodes.clone();
        let held = nodes().any(|i| inverse_mass[i] == 0.0);
        if held { 0.0 } else { 1.0 / nodes().map(|i| model.mass[i]).sum::<f64>() }
    };
    for ([a, b], (_, way)) in ways {
        let (mut first, mut second) = (inverse(a), inverse(b));
        let [lower, upper] = [a, b].map(|k| carried.binary_search(&solids[k].body).is_ok());
        match (lower, upper) {
            (true, false) if second > 0.0 => first = 0.0,
            (false, true) if first > 0.0 => second = 0.0,
            _ => {}
        }
        for (k, part) in [(a, first), (b, -second)] {
            for i in solids[k].nodes.clone().filter(|_| part != 0.0) {
                z[i] += way * (part / (first + second));
            }
        }
    }
}

fn add_lead(leads: &mut Vec<Lead>, meeting: &Meeting, way: DVec3, part: f64, z: &[DVec3]) {
    let node = meeting.lead[0];
    match leads.iter_mut().find(|lead| lead.node == node) {
        None => {
            leads.push(Lead {
                node,
                start: z[node as usize],
                way,
                part,
                pairs: vec![meeting.pair],
            });
        }
        Some(lead) => {
            lead.pairs.push(meeting.pair);
            if way.length_squared() > lead.way.length_squared() {
                (lead.way, lead.part) = (way, part);
            }
        }
    }
}

/// Adds the ways of the corners of a face or the ends of an edge, so that the place of the weights goes `way`:
/// that of each is its weight over the sum of their squares (equations 4.2 and 4.3).
pub(super) fn push<const N: usize>(
    pushed: &mut Vec<(u32, f64, DVec3)>,
    nodes: [u32; N],
    weights: [f64; N],
    way: DVec3,
) {
    let squares: f64 = weights.iter().map(|w| w * w).sum();
    for (node, weight) in nodes.into_iter().zip(weights).filter(|(_, w)| *w > 0.0) {
        pushed.push((node, weight, way * (weight / squares)));
    }
}

/// Searches how far each vertex has to go on its way (equation 4.5): farther where it is still inside,
/// back where it is free, each time half as far as before.
fn search(solids: &[Solid], pairs: &[Pair], leads: &mut [Lead], z: &mut [DVec3]) {
    let mut near: Vec<Option<Vec<u32>>> = vec![None; pairs.len()];
    let longest = leads.iter().map(|lead| lead.way.length()).fold(0.0, f64::max);
    for lead in leads.iter() {
        for &k in &lead.pairs {
            let other = &solids[pairs[k].solids[1]];
            let Bounds { low, high } = pairs[k].region;
            let room = Bounds { low: low - longest, high: high + longest };
            near[k].get_or_insert_with(|| {
                let meets = |c: &u32| bounds(&other.cells[*c as usize], z).meets(&room);
                (0..other.cells.len() as u32).filter(meets).collect()
            });
        }
    }
    let inside = |lead: &Lead, z: &[DVec3]| {
        lead.pairs.iter().any(|k| {
            let other = &solids[pairs[*k].solids[1]];
            let cells = near[*k].as_deref().unwrap_or_default();
            is_inside(other, cells, z, lead.node, z[lead.node as usize])
        })
    };
    let put = |leads: &[Lead], z: &mut [DVec3]| {
        for lead in leads {
            z[lead.node as usize] = lead.start + lead.way * lead.part;
        }
    };
    put(leads, z);
    let mut step = 0.25;
    for _ in 0..HALVINGS {
        let deep: Vec<bool> = leads.iter().map(|lead| inside(lead, z)).collect();
        for (lead, deep) in leads.iter_mut().zip(deep) {
            lead.part = (lead.part + if deep { step } else { -step }).clamp(0.0, 1.0);
        }
        put(leads, z);
        step *= 0.5;
    }
    // What is inside after the last halving was free one such step farther out.
    let deep: Vec<bool> = leads.iter().map(|lead| inside(lead, z)).collect();
    for (lead, _) in leads.iter_mut().zip(deep).filter(|(_, deep)| *deep) {
        lead.part = (lead.part + 2.0 * step).min(1.0);
    }
    put(leads, z);
}
