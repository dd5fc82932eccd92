//! A part of the world that is solved by itself: its bodies with their own model, and the ways of the
//! state into it and back.

use super::build::{self, Role};
use super::collision::contact::Memory;
use super::collision::place::{Key, nodes_of};
use super::fingerprint::Concern;
use super::model::Model;
use super::outcome_bytes;
use super::report::FrameReport;
use super::solved::{Solved, Source};
use super::state::{Frozen, Past, State};
use super::step::{self, Scratch};
use super::swept::Swept;
use super::{Attention, Failure};

/// Some bodies of the world with what solving them by themselves needs.
pub(crate) struct Part {
    /// Indices of its bodies, sorted.
    pub(crate) bodies: Vec<usize>,
    /// Those of them that stand here while they rest, sorted.
    pub(crate) standing: Vec<usize>,
    /// What it depends on; none where nobody asks for it.
    pub(crate) concern: Option<Concern>,
    model: Model,
    scratch: Scratch,
}

/// A part before a span.
pub(crate) struct Begun {
    /// Its state, in its own numbers.
    pub(crate) state: State,
    /// What its outcome follows from; none where nobody asks for it.
    pub(crate) key: Option<Source>,
}

/// What became of a part until the end of a span.
pub(crate) struct Outcome {
    /// Its state, in its own numbers.
    pub(crate) state: State,
    /// What happened.
    pub(crate) report: FrameReport,
}

impl Part {
    /// The part of `whole` with the given bodies (sorted), of which those that are `at_rest` stand, and those that are
    /// `heaped` were part of a heap when they moved last.
    pub(crate) fn new(
        whole: &Model,
        bodies: Vec<usize>,
        at_rest: &[bool],
        heaped: &[bool],
        concern: Option<Concern>,
    ) -> Self {
        let mut model = build::model(&whole.scene, |body| match bodies.binary_search(&body) {
            Ok(_) if at_rest[body] => Role::Stands,
            Ok(_) => Role::Own,
            Err(_) => Role::Absent,
        });
        model.enforce_as(whole);
        let standing = bodies.iter().copied().filter(|body| at_rest[*body]).collect();
        // A tree that is the same whenever the part is made.
        let start = build::start_positions(&whole.scene, &model.bodies, &model.rigids);
        let heaped = model.bodies.iter().zip(heaped).all(|(body, heaped)| *heaped || !body.free);
        let scratch = Scratch::of_part(&model, &start, heaped);
        Self { bodies, standing, concern, model, scratch }
    }

    /// Whether it is the part with the given bodies (sorted), of which those that are `at_rest` stand.
    pub(crate) fn is_of(&self, bodies: &[usize], at_rest: &[bool]) -> bool {
        let stands = |body: &usize| self.standing.binary_search(body).is_ok();
        self.bodies == bodies && bodies.iter().all(|body| at_rest[*body] == stands(body))
    }

    /// Its bodies that are free to move here, rising.
    pub(crate) fn free(&self) -> impl Iterator<Item = usize> + '_ {
        self.bodies.iter().copied().filter(|body| self.model.bodies[*body].free)
    }

    /// Its own model.
    pub(crate) fn model(&self) -> &Model {
        &self.model
    }

    /// Nodes that move and are not given.
    pub(crate) fn size(&self) -> usize {
        self.model.carried_end
    }

    /// The part in the world's `state`, before it is solved to script time `end`.
    pub(crate) fn begin(&self, whole: &Model, state: &State, end: f64) -> Begun {
        let state = gather(whole, &self.model, state);
        let key = self.concern.as_ref().map(|c| outcome_bytes::key(c, self, &state, end));
        Begun { state, key }
    }

    /// Solves the part from where it has `begun` to script time `end`. Also what is to be kept of it, where
    /// anything is.
    pub(crate) fn solve(
        &mut self,
        begun: &Begun,
        end: f64,
        attention: Attention<'_>,
    ) -> Result<(Outcome, Option<Solved>), Failure> {
        let mut own = begun.state.clone();
        let mut report = FrameReport::default();
        step::advance_to(&self.model, &mut own, &mut report, &mut self.scratch, end, attention)?;
        let outcome = Outcome { state: own, report };
        let solved = begun.key.and_then(|key| {
            let outcome = outcome_bytes::pack(self, begun, &outcome)?;
            Some(Solved { bodies: self.bodies.clone(), key, outcome })
        });
        Ok((outcome, solved))
    }

    /// Takes the boxes that its bodies swept from where the same was solved.
    pub(crate) fn set_swept(&mut self, swept: &[Swept]) {
        for (body, swept) in self.bodies.iter().zip(swept) {
            self.scratch.swept[*body] = *swept;
        }
    }

    /// As [`Workbench::take_stages`](super::methods::bench::Workbench::take_stages).
    pub(crate) fn take_stages(&mut self) -> [f64; 4] {
        self.scratch.bench.take_stages()
    }

    /// The boxes that its bodies swept when it was solved last.
    pub(crate) fn swept(&self, body: usize) -> Swept {
        self.scratch.swept[body]
    }

    /// Takes the part's outcome into the world's state.
    pub(crate) fn scatter(&self, whole: &Model, outcome: &Outcome, state: &mut State) {
        let (own, part) = (&outcome.state, &self.model);
        for &b in self.bodies.iter().filter(|b| self.standing.binary_search(b).is_err()) {
            let (from, to) = (&part.bodies[b], &whole.bodies[b]);
            let (own_movers, movers) = (from.movers.clone(), to.movers.clone());
            state.velocities[movers.clone()].copy_from_slice(&own.velocities[own_movers.clone()]);
            state.falling[movers.clone()].copy_from_slice(&own.falling[own_movers.clone()]);
            state.past.take(whole.free_count, &movers, &own.past, &own_movers);
            state.positions[movers].copy_from_slice(&own.positions[own_movers]);
            state.positions[to.nodes.clone()].copy_from_slice(&own.positions[from.nodes.clone()]);
            state.poses[b] = own.poses[b];
            state.obstacles[b].clone_from(&own.obstacles[b]);
            state.pace[b] = own.pace[b];
            state.pressed[b].clone_from(&own.pressed[b]);
            state.steps[b] = own.steps[b];
            state.heaped[b] = own.heaped[b];
        }
        let place = |key: Key| renumber(key, part, whole).expect("the world has every body");
        state.memory.extend(own.memory.iter().map(|m| Memory { key: place(m.key), ..*m }));
        for (index, held) in holds_of(whole, part).zip(&own.holds) {
            state.holds[index] = *held;
        }
        for (index, stitch) in stitches_of(whole, part).zip(&own.stitches) {
            state.stitches[index] = *stitch;
        }
        for (index, tie) in ties_of(whole, part).zip(&own.ties) {
            state.ties[index] = *tie;
        }
        for (index, gauge) in gauges_of(whole, part).zip(&own.gauges) {
            state.gauges[index] = *gauge;
        }
        for (index, grasps) in strands_of(whole, part).zip(&own.twists) {
            state.twists[index].clone_from(grasps);
        }
        for (index, rest) in creases_of(whole, part).zip(&own.creases) {
            state.creases[index] = *rest;
        }
        for (index, plastic) in plastic_cells_of(whole, part).zip(&own.plastic_cells) {
            state.plastic_cells[index] = *plastic;
        }
        for (index, plastic) in plastic_shapes_of(whole, part).zip(&own.plastic_shapes) {
            state.plastic_shapes[index] = *plastic;
        }
        for (index, constraint) in own.constraints.iter().enumerate() {
            // A collider is in all parts that it may touch; what it holds is in one.
            let solves = |b: &usize| self.bodies.binary_search(b).is_ok() && whole.bodies[*b].free;
            if whole.scene.constraints[index].bodies().iter().any(solves) {
                state.constraints[index] = *constraint;
            }
        }
        state.frozen.extend(
            own.frozen
                .iter()
                .map(|f| Frozen { node: node(f.node, part, whole).expect("as above"), ..*f }),
        );
        for pair in &own.touched {
            if let Err(at) = state.touched.binary_search(pair) {
                state.touched.insert(at, *pair);
            }
        }
    }
}

/// Forgets what [`Part::scatter`] adds to: all but what is between bodies that are `left` as they are.
pub(crate) fn clear_gathered(model: &Model, left: impl Fn(usize) -> bool, state: &mut State) {
    state.memory.retain(|m| bodies_of(model, m.key).into_iter().all(&left));
    state.frozen.clear();
}

/// The bodies of the place `key`.
pub(crate) fn bodies_of(model: &Model, key: Key) -> [usize; 2] {
    let surface = &model.surface;
    nodes_of(surface, &key).map(|nodes| surface.body_of_node[nodes[0] as usize] as usize)
}

/// Puts in order what [`Part::scatter`] added.
pub(crate) fn sort_gathered(state: &mut State) {
    state.memory.sort_by_key(|m| m.key);
    state.frozen.sort_by_key(|f| f.node);
}

/// The state of the bodies of `part` out of the world's.
fn gather(whole: &Model, part: &Model, state: &State) -> State {
    let nodes = part.surface.body_of_node.len();
    let mut own = State {
        positions: vec![glam::DVec3::ZERO; nodes],
        velocities: vec![glam::DVec3::ZERO; part.free_count],
        falling: vec![0.0; part.free_count],
        memory: state
            .memory
            .iter()
            .filter_map(|m| Some(Memory { key: renumber(m.key, whole, part)?, ..*m }))
            .filter(|m| bodies_of(part, m.key).iter().any(|body| part.bodies[*body].free))
            .collect(),
        holds: holds_of(whole, part).map(|i| state.holds[i]).collect(),
        stitches: stitches_of(whole, part).map(|i| state.stitches[i]).collect(),
        ties: ties_of(whole, part).map(|i| state.ties[i]).collect(),
        gauges: gauges_of(whole, part).map(|i| state.gauges[i]).collect(),
        twists: strands_of(whole, part).map(|i| state.twists[i].clone()).collect(),
        creases: creases_of(whole, part).map(|i| state.creases[i]).collect(),
        plastic_cells: plastic_cells_of(whole, part).map(|i| state.plastic_cells[i]).collect(),
        plastic_shapes: plastic_shapes_of(whole, part).map(|i| state.plastic_shapes[i]).collect(),
        frozen: state
            .frozen
            .iter()
            .filter_map(|f| Some(Frozen { node: node(f.node, whole, part)?, ..*f }))
            .collect(),
        poses: state.poses.clone(),
        obstacles: state.obstacles.clone(),
        pace: state.pace.clone(),
        pressed: state.pressed.clone(),
        steps: state.steps.clone(),
        heaped: state.heaped.clone(),
        constraints: state.constraints.clone(),
        touched: state.touched.clone(),
        past: Past::default(),
        anchors: Vec::new(),
        resting: Vec::new(),
        joints: state.joints.clone(),
        pushes: state.pushes.clone(),
        ..*state
    };
    for (from, to) in whole.bodies.iter().zip(&part.bodies) {
        if to.nodes.is_empty() {
            continue;
        }
        own.positions[to.nodes.clone()].copy_from_slice(&state.positions[from.nodes.clone()]);
        if to.movers.is_empty() {
            continue;
        }
        let (to, from) = (to.movers.clone(), from.movers.clone());
        own.positions[to.clone()].copy_from_slice(&state.positions[from.clone()]);
        own.velocities[to.clone()].copy_from_slice(&state.velocities[from.clone()]);
        own.falling[to.clone()].copy_from_slice(&state.falling[from.clone()]);
        own.past.take(part.free_count, &to, &state.past, &from);
    }
    own
}

/// Indices of the world's holds that `part` has, in its order.
fn holds_of<'a>(whole: &'a Model, part: &'a Model) -> impl Iterator<Item = usize> + 'a {
    let has = move |i: &usize| node(whole.holds[*i].node, whole, part).is_some();
    (0..whole.holds.len()).filter(has)
}

/// Indices of the world's stitches that `part` has, in its order.
fn stitches_of<'a>(whole: &'a Model, part: &'a Model) -> impl Iterator<Item = usize> + 'a {
    let has =
        move |i: &usize| whole.stitches[*i].nodes.iter().all(|n| node(*n, whole, part).is_some());
    (0..whole.stitches.len()).filter(has)
}

/// Indices of the world's ties that `part` has, in its order.
fn ties_of<'a>(whole: &'a Model, part: &'a Model) -> impl Iterator<Item = usize> + 'a {
    let has = move |i: &usize| {
        whole.ties[*i].bodies.iter().all(|body| !part.bodies[*body].nodes.is_empty())
    };
    (0..whole.ties.len()).filter(has)
}

/// Indices of the world's gauges that `part` has, in its order.
fn gauges_of<'a>(whole: &'a Model, part: &'a Model) -> impl Iterator<Item = usize> + 'a {
    let has = move |i: &usize| {
        whole.gauges[*i].bodies.iter().all(|body| !part.bodies[*body].nodes.is_empty())
    };
    (0..whole.gauges.len()).filter(has)
}

/// Indices of the world's ropes that resist twist which `part` has, in its order.
fn strands_of<'a>(whole: &'a Model, part: &'a Model) -> impl Iterator<Item = usize> + 'a {
    let has = move |i: &usize| !part.bodies[whole.strands[*i].body].nodes.is_empty();
    (0..whole.strands.len()).filter(has)
}

/// Indices of the world's creases that `part` has, in its order.
fn creases_of<'a>(whole: &'a Model, part: &'a Model) -> impl Iterator<Item = usize> + 'a {
    let creases = whole.shell.creases().enumerate();
    let has = move |nodes: &[u32; 4]| node(nodes[0], whole, part).is_some();
    creases.filter(move |(_, hinge)| has(&hinge.nodes)).map(|(i, _)| i)
}

/// Indices of the world's plastic parts of cells that `part` has, in its order.
fn plastic_cells_of<'a>(whole: &'a Model, part: &'a Model) -> impl Iterator<Item = usize> + 'a {
    let cells = whole.plastic_cells().enumerate();
    cells.filter_map(|(i, t)| node(whole.tets[t].nodes[0], whole, part).map(|_| i))
}

/// Indices of the world's plastic parts of shapes that `part` has, in its order.
fn plastic_shapes_of<'a>(whole: &'a Model, part: &'a Model) -> impl Iterator<Item = usize> + 'a {
    let has = move |i: &usize| !part.bodies[whole.matchings[*i].body].nodes.is_empty();
    (0..whole.matchings.len()).filter(has)
}

/// Number in `to` of the node `i` of `from`; none where `to` lacks its body.
fn node(i: u32, from: &Model, to: &Model) -> Option<u32> {
    let body = from.surface.body_of_node[i as usize] as usize;
    let (from, to) = (&from.bodies[body], &to.bodies[body]);
    let (from, to) = if from.nodes.contains(&(i as usize)) {
        (&from.nodes, &to.nodes)
    } else {
        (&from.movers, &to.movers)
    };
    (!to.is_empty()).then(|| i - from.start as u32 + to.start as u32)
}

/// Key in `to` of the place `key` of `from`; none where `to` lacks one of its bodies.
fn renumber(key: Key, from: &Model, to: &Model) -> Option<Key> {
    let (s, t) = (&from.surface, &to.surface);
    let edge = |e: u32| {
        let body = s.body_of_node[s.edges[e as usize][0] as usize] as usize;
        (!to.bodies[body].nodes.is_empty())
            .then(|| e - s.body_edges[body].start + t.body_edges[body].start)
    };
    let triangle = |i: u32| {
        let body = s.body_of_node[s.triangles[i as usize][0] as usize] as usize;
        (!to.bodies[body].nodes.is_empty())
            .then(|| i - s.body_triangles[body].start + t.body_triangles[body].start)
    };
    let vertex = |i: u32| node(i, from, to);
    Some(match key.0 {
        0 => (0, vertex(key.1)?, triangle(key.2)?),
        1 => (1, edge(key.1)?, edge(key.2)?),
        2 => (2, vertex(key.1)?, edge(key.2)?),
        kind => (kind, vertex(key.1)?, vertex(key.2)?),
    })
}
