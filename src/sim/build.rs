//! Scene to model and state: names become ids, settings become numbers, here and nowhere else.

mod cloth;
mod edges;
mod far;
mod ropes;
mod solids;
mod stitches;
mod ties;

#[cfg(test)]
pub(super) use cloth::shape_gradients;

use super::Simulation;
use super::cage::Carried;
use super::collision::contact_distance::NEAR;
use super::collision::seams::{Seams, where_many_meet};
use super::collision::surface::Surface;
use super::constraints::hold::Share;
use super::constraints::turns;
use super::forces::lattice::Lattice;
use super::linear::block_matrix::Pattern;
use super::model::{Freezer, Model, ModelBody, ROOM, SKIN, Stitch};
use super::pose::Pose;
use super::potentials::pressure::Bag;
use super::potentials::rope::{Bend, Segment};
use super::potentials::twist::Strand;
use super::potentials::{
    matching::Matching, membrane::Membrane, plate::Plate, shell::Shell, special::Special, tet::Tet,
};
use super::report::FrameReport;
use super::rest;
use super::rigid::Rigid;
use super::state::{ConstraintState, GaugeState, HoldState, Past, State, StitchState, TieState};
use super::whereabouts::shape;
use crate::diagnostics::Diagnostic;
use crate::geometry::TriMesh;
use crate::scene::{Body, BodyKind, ConstraintKind, Method, Scene, VertexMap};
use glam::{DMat3, DVec3};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// A simulation at its start, and what the person should know about it.
pub struct Started {
    /// The simulation.
    pub simulation: Simulation,
    /// Warnings.
    pub warnings: Vec<Diagnostic>,
}

pub(super) fn start(scene: &Scene) -> Result<Started, Vec<Diagnostic>> {
    let start_time = 0.0 - scene.timing.preroll;
    let scene = Arc::new(scene.clone());
    let model = model(&scene, |_| Role::Own);
    let positions = start_positions(&scene, &model.bodies, &model.rigids);
    let mut velocities = vec![DVec3::ZERO; model.free_count];
    for (body, entry) in model.bodies.iter().zip(&scene.bodies) {
        let own = body.movers.clone();
        let at = |i: usize| (positions[i], model.mass[i]);
        velocities[own.clone()].copy_from_slice(&start_velocities(entry, own.map(at)));
    }
    let mut state = State {
        frame: scene.timing.start_frame,
        time: start_time,
        falling: vec![1.0; velocities.len()],
        velocities,
        poses: (0..scene.bodies.len()).map(|b| Pose::at_start(&scene, b)).collect(),
        obstacles: vec![Vec::new(); scene.bodies.len()],
        pace: vec![super::methods::given::FIRST_PACE; scene.bodies.len()],
        pressed: vec![Vec::new(); scene.bodies.len()],
        memory: Vec::new(),
        holds: vec![HoldState { origin: None, released: false }; model.holds.len()],
        stitches: vec![StitchState::default(); model.stitches.len()],
        ties: vec![TieState::default(); model.ties.len()],
        gauges: vec![GaugeState::default(); model.gauges.len()],
        twists: vec![Vec::new(); model.strands.len()],
        constraints: vec![ConstraintState::default(); scene.constraints.len()],
        frozen: Vec::new(),
        steps: vec![(super::legs::start_level(&scene), 0); scene.bodies.len()],
        heaped: vec![false; scene.bodies.len()],
        creases: model.shell.creases().map(|hinge| hinge.rest).collect(),
        plastic_cells: vec![DMat3::IDENTITY; model.plastic_cells().count()],
        plastic_shapes: vec![DMat3::IDENTITY; model.matchings.len()],
        touched: Vec::new(),
        past: Past::default(),
        anchors: Vec::new(),
        resting: Vec::new(),
        joints: Vec::new(),
        pushes: Vec::new(),
        positions,
    };
    state.anchors = rest::anchors(&model, &state);
    // Cloth that starts bent beyond what stays has bent there before the shot.
    model.shell.yield_creases(&state.positions, &mut state.creases);
    let mut simulation = Simulation {
        report: FrameReport::default(),
        scratch: super::step::Scratch::new(&model, &state.positions),
        parts: Vec::new(),
        recall: None,
        passed: Vec::new(),
        model,
        state,
    };
    // Most methods of the literature have no contact distance to keep.
    let warnings = match scene.solver.method {
        Method::Auto | Method::Relaxation | Method::ShapeMatching | Method::Impulses => {
            let far = far::warning(&simulation.model, &simulation.state.positions);
            let far = far.map_err(|refused| vec![refused])?;
            let parted = super::separate::separate(&mut simulation)?;
            far.into_iter().chain(parted).collect()
        }
        _ => Vec::new(),
    };
    simulation.refresh_figures();
    Ok(Started { simulation, warnings })
}

/// What a body of the scene is in a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// It keeps its number, without nodes.
    Absent,
    /// What the scene says.
    Own,
    /// A rigid body that stays where it is, as fixed ones do.
    Stands,
}

/// The model of the bodies of `scene` in their roles.
pub(super) fn model(scene: &Arc<Scene>, role: impl Fn(usize) -> Role) -> Model {
    let mut builder = Builder::default();
    let numbers = builder.number_nodes(scene, &role);
    let mut model = builder.finish(scene, &numbers, &role);
    let positions = start_positions(scene, &model.bodies, &model.rigids);
    let has = |body: usize| role(body) != Role::Absent;
    add_constraints(&mut model, scene, &positions, &has);
    crowd(&mut model);
    model.spacing =
        model.surface.spacing(&model.rest, model.touching_themselves().map(|(body, _)| body));
    model
}

/// Substep that contacts are as stiff as in any scene [s]: an eighth of a frame, or what the shot says.
fn contact_step(scene: &Scene) -> f64 {
    let (settings, span) = (&scene.solver, scene.timing.frame_dt());
    settings.fixed_step.unwrap_or(settings.step.unwrap_or(span).min(span / 8.0))
}

/// Where the nodes of `bodies` are at the start.
pub(super) fn start_positions(scene: &Scene, bodies: &[ModelBody], rigids: &[Rigid]) -> Vec<DVec3> {
    let count = bodies.iter().map(|b| b.nodes.end.max(b.movers.end)).max().unwrap_or(0);
    let mut positions = vec![DVec3::ZERO; count];
    for (index, body) in bodies.iter().enumerate() {
        if body.deforms {
            let start = 0.0 - scene.timing.preroll;
            positions[body.nodes.clone()].copy_from_slice(&shape(scene, index, start));
            continue;
        }
        let pose = Pose::at_start(scene, index);
        for (p, rest) in
            positions[body.nodes.clone()].iter_mut().zip(&scene.mesh_of(index).positions)
        {
            *p = pose.place(*rest);
        }
        if let Some(cage) = scene.cage_of(index).filter(|_| !body.movers.is_empty()) {
            for (p, rest) in positions[body.movers.clone()].iter_mut().zip(&cage.positions) {
                *p = pose.place(*rest);
            }
        }
        if let Some(rigid) = body.rigid {
            let rigid = &rigids[rigid];
            positions[rigid.nodes()].copy_from_slice(&rigid.corners(&pose));
        }
    }
    positions
}

/// Velocities of points with masses that spin about their common centre.
fn start_velocities(body: &Body, points: impl Iterator<Item = (DVec3, f64)> + Clone) -> Vec<DVec3> {
    let total: f64 = points.clone().map(|(_, mass)| mass).sum();
    let center = points.clone().map(|(p, mass)| p * mass).sum::<DVec3>() / total;
    let spin = body.spin * (std::f64::consts::PI / 180.0);
    points.map(|(p, _)| body.velocity + spin.cross(p - center)).collect()
}

#[derive(Default)]
struct Builder {
    /// Scene bodies in the order of their nodes: free ones first.
    order: Vec<usize>,
    surface: Surface,
    rest: Vec<DVec3>,
    half_thickness: Vec<f64>,
    friction: Vec<f64>,
    mass: Vec<f64>,
    membranes: Vec<Membrane>,
    shell: Shell,
    lattices: Vec<Lattice>,
    plates: Vec<Plate>,
    special: Special,
    tets: Vec<Tet>,
    matchings: Vec<Matching>,
    segments: Vec<Segment>,
    bends: Vec<Bend>,
    strands: Vec<Strand>,
    rigids: Vec<Rigid>,
    carried: Vec<Carried>,
    /// Nodes that carry the corners of a triangle together.
    touching: Vec<Vec<u32>>,
    stretch_edges: Vec<(u32, u32, f64)>,
}

/// Which numbers the nodes have.
struct Numbers {
    /// Nodes of each body's vertices.
    vertices: Vec<Range<usize>>,
    /// Nodes that each body moves by.
    movers: Vec<Range<usize>>,
    point_count: usize,
    free_count: usize,
    carried_end: usize,
}

impl Builder {
    fn number_nodes(&mut self, scene: &Scene, role: &impl Fn(usize) -> Role) -> Numbers {
        let all = || (0..scene.bodies.len()).filter(|b| role(*b) == Role::Own);
        let is = |kind: fn(&BodyKind) -> bool| {
            all().filter(|i| kind(&scene.bodies[*i].kind)).collect::<Vec<usize>>()
        };
        let points =
            is(|kind| matches!(kind, BodyKind::Cloth(_) | BodyKind::Soft(_) | BodyKind::Rope(_)));
        let rigid = is(|kind| matches!(kind, BodyKind::Rigid(_)));
        let mut given = is(|kind| matches!(kind, BodyKind::Collider));
        given.extend((0..scene.bodies.len()).filter(|b| role(*b) == Role::Stands));
        let mut numbers = Numbers {
            vertices: vec![0..0; scene.bodies.len()],
            movers: vec![0..0; scene.bodies.len()],
            point_count: 0,
            free_count: 0,
            carried_end: 0,
        };
        let mut next = 0;
        let mut take = |count: usize| {
            next += count;
            next - count..next
        };
        let count = |i: usize| scene.mesh_of(i).positions.len();
        let caged = |i: usize| scene.cage_of(i).is_some();
        for &i in &points {
            numbers.movers[i] = take(scene.cage_of(i).unwrap_or(scene.mesh_of(i)).positions.len());
            numbers.vertices[i] = numbers.movers[i].clone();
        }
        numbers.point_count = take(0).end;
        for &i in &rigid {
            numbers.movers[i] = take(4);
        }
        numbers.free_count = take(0).end;
        for &i in points.iter().filter(|i| caged(**i)).chain(&rigid) {
            numbers.vertices[i] = take(count(i));
        }
        numbers.carried_end = take(0).end;
        for &i in &given {
            numbers.vertices[i] = take(count(i));
        }
        self.order = points.into_iter().chain(rigid).chain(given).collect();
        numbers
    }

    fn finish(
        mut self,
        scene: &Arc<Scene>,
        numbers: &Numbers,
        role: &impl Fn(usize) -> Role,
    ) -> Model {
        let mut bodies: Vec<ModelBody> = Vec::new();
        let mut membrane_ranges = vec![0..0; scene.bodies.len()];
        let mut rigid_of = vec![None; scene.bodies.len()];
        let mut standing: Vec<Rigid> = Vec::new();
        let count = numbers.vertices.iter().chain(&numbers.movers).map(|r| r.end).max();
        self.rest.resize(count.unwrap_or(0), DVec3::ZERO);
        self.half_thickness.resize(self.rest.len(), 0.0);
        self.friction.resize(self.rest.len(), 0.0);
        for &index in &self.order.clone() {
            let (body, mesh) = (&scene.bodies[index], scene.mesh_of(index));
            let nodes = numbers.vertices[index].clone();
            self.rest[nodes.clone()].copy_from_slice(&mesh.positions);
            self.set_surface_values(scene, body, nodes.clone());
            match &body.kind {
                BodyKind::Cloth(cloth) => {
                    let first = self.membranes.len();
                    self.add_cloth(scene, index, cloth, mesh, nodes.start as u32);
                    membrane_ranges[index] = first..self.membranes.len();
                }
                BodyKind::Soft(soft) => {
                    let first = numbers.movers[index].start as u32;
                    let carried = self.carried.len();
                    match scene.cage_of(index) {
                        Some(cage) => {
                            self.add_soft(index, soft, cage, first);
                            self.add_surface(cage, first, mesh);
                        }
                        None => self.add_soft(index, soft, mesh, first),
                    }
                    if let Some(pressure) = &soft.pressure {
                        let bag = Bag::new(index, pressure.sealed, mesh, nodes.start as u32);
                        let movers = numbers.movers[index].clone();
                        let bag = bag.carried(self.carried[carried..].to_vec(), movers);
                        self.special.bags.push(bag);
                    }
                }
                BodyKind::Rope(rope) => self.add_rope(index, rope, mesh, nodes.start as u32),
                BodyKind::Rigid(rigid) if role(index) == Role::Stands => {
                    standing.push(Rigid::new(index, 0, &massive(scene, index), rigid));
                }
                BodyKind::Rigid(rigid) => {
                    rigid_of[index] = Some(self.rigids.len());
                    let whole = massive(scene, index);
                    self.add_rigid(index, rigid, &whole, numbers.movers[index].start);
                }
                BodyKind::Collider => {}
            }
        }
        // The surface numbers bodies as the scene does, so it is filled in the scene's order.
        self.surface.body_of_node = vec![0; self.rest.len()];
        for (index, body) in scene.bodies.iter().enumerate() {
            if role(index) == Role::Absent {
                self.surface.add_nothing();
                bodies.push(ModelBody {
                    nodes: 0..0,
                    movers: 0..0,
                    free: false,
                    rigid: None,
                    moved: false,
                    pivot: DVec3::ZERO,
                    deforms: false,
                    membranes: 0..0,
                });
                continue;
            }
            let mesh = &*touching(scene, index);
            let (nodes, movers) = (numbers.vertices[index].clone(), numbers.movers[index].clone());
            self.surface.add_body(mesh, index as u32, nodes.start as u32, body.keeps_shape());
            self.surface.body_of_node[movers.clone()].fill(index as u32);
            let mean = || mesh.positions.iter().sum::<DVec3>() / mesh.positions.len().max(1) as f64;
            bodies.push(ModelBody {
                nodes,
                movers,
                pivot: rigid_of[index].map_or_else(mean, |r| self.rigids[r].center),
                free: !body.is_collider() && role(index) == Role::Own,
                rigid: rigid_of[index],
                moved: body.is_collider() && body.is_moved(),
                deforms: body.is_collider() && body.deforming().is_some(),
                membranes: membrane_ranges[index].clone(),
            });
        }
        let free_count = numbers.free_count;
        let groups = self
            .membranes
            .iter()
            .map(|m| &m.nodes[..])
            .chain(self.shell.groups())
            .chain(self.tets.iter().map(|t| &t.nodes[..]))
            .chain(self.segments.iter().map(|s| &s.nodes[..]))
            .chain(self.bends.iter().map(|b| &b.nodes[..]))
            .chain(self.touching.iter().map(Vec::as_slice))
            .chain(self.lattices.iter().flat_map(Lattice::couples));
        let pattern = Pattern::new(numbers.point_count, groups);
        for m in &mut self.membranes {
            m.slots = std::array::from_fn(|k| pattern.slot(m.nodes[k / 3], m.nodes[k % 3]));
        }
        self.shell.place(&pattern);
        self.lattices.iter_mut().for_each(|lattice| lattice.place(&pattern));
        for s in &mut self.segments {
            s.slots = std::array::from_fn(|k| pattern.slot(s.nodes[k / 2], s.nodes[k % 2]));
        }
        for b in &mut self.bends {
            b.slots = std::array::from_fn(|k| pattern.slot(b.nodes[k / 3], b.nodes[k % 3]));
        }
        let groups = self.plates.iter().map(Plate::nodes);
        let bend_pattern = Pattern::new(numbers.point_count, groups);
        let mut bend_values = vec![0.0; bend_pattern.columns.len()];
        let mut bend_damping = bend_values.clone();
        for plate in &self.plates {
            for (i, &a) in plate.nodes().iter().enumerate() {
                for (j, &b) in plate.nodes().iter().enumerate() {
                    let slot = bend_pattern.slot(a, b) as usize;
                    bend_values[slot] += plate.entry(i, j);
                    bend_damping[slot] += plate.entry(i, j) * plate.damping;
                }
            }
        }
        if bend_damping.iter().all(|v| *v == 0.0) {
            bend_damping = Vec::new();
        }
        let held = self.held(free_count);
        let held_by_cells = self.held_by_cells(free_count);
        let positions = start_positions(scene, &bodies, &self.rigids);
        // Nodes that carry no surface are neither near anything nor hold anything back.
        let mut is_surface = vec![false; positions.len()];
        self.surface.triangles.iter().flatten().for_each(|i| is_surface[*i as usize] = true);
        let farthest = positions[..numbers.carried_end]
            .iter()
            .fold(1.0f64, |m, p| m.max(p.abs().max_element()));
        let on_surface = self.half_thickness.iter().zip(&is_surface).filter(|(_, is)| **is);
        let thinnest = on_surface.fold(f64::INFINITY, |m, (t, _)| m.min(*t));
        let asked = 2.0 * thinnest + SKIN;
        // Frames are stored as f32: two sheets must stay apart after rounding (64 units in the last place).
        let rounding = 64.0 * f64::from(f32::EPSILON) * 0.5 * farthest;
        let floor = (0.03 * asked).max(rounding);
        // Where that is long, what is thin counts as thick enough to be seen before it.
        let least_half = 0.5 * (ROOM * floor - SKIN);
        self.half_thickness.iter_mut().for_each(|half| *half = half.max(least_half));
        Model {
            scene: Arc::clone(scene),
            bodies,
            point_count: numbers.point_count,
            free_count,
            carried_end: numbers.carried_end,
            rigids: self.rigids,
            standing,
            carried: self.carried,
            held,
            held_by_cells,
            mass: self.mass,
            rest: self.rest,
            reach: self.half_thickness.iter().map(|t| NEAR * (t + 0.5 * SKIN)).collect(),
            half_thickness: self.half_thickness,
            spacing: Vec::new(),
            friction: self.friction,
            surface: self.surface,
            membranes: self.membranes,
            shell: self.shell,
            tets: self.tets,
            matchings: self.matchings,
            segments: self.segments,
            bends: self.bends,
            strands: self.strands,
            lattices: self.lattices,
            special: self.special,
            diagonal: (0..numbers.point_count as u32).map(|i| pattern.slot(i, i)).collect(),
            pattern,
            bend_pattern,
            bend_values,
            bend_damping,
            holds: Vec::new(),
            stitches: Vec::new(),
            seams: Seams::default(),
            crowding: vec![1.0; free_count],
            ties: Vec::new(),
            gauges: Vec::new(),
            jointed: jointed(scene),
            in_force: rules_at_start(scene),
            freezers: Vec::new(),
            stretch_edges: self.stretch_edges,
            asked,
            floor,
            contact_step: contact_step(scene),
        }
    }

    /// Stiffness of each free node's own body at it [N/m].
    fn held(&self, free_count: usize) -> Vec<f64> {
        let mut held = vec![0.0; free_count];
        for m in &self.membranes {
            let stiffest = m.area * m.stiffness[0].max(m.stiffness[2]);
            for (i, g) in m.nodes.iter().zip(&m.gradient) {
                held[*i as usize] += stiffest * (g[0] * g[0] + g[1] * g[1]);
            }
        }
        for (held, by_cells) in held.iter_mut().zip(self.held_by_cells(free_count)) {
            *held += by_cells;
        }
        for s in &self.segments {
            s.nodes.iter().for_each(|i| held[*i as usize] += s.stiffness / s.length);
        }
        for spring in self.lattices.iter().flat_map(Lattice::springs) {
            spring.nodes.iter().for_each(|i| held[*i as usize] += spring.stiffness);
        }
        held
    }

    /// The part of [`Builder::held`] that cells have [N/m].
    fn held_by_cells(&self, free_count: usize) -> Vec<f64> {
        let mut held = vec![0.0; free_count];
        for t in &self.tets {
            let stiffest = t.volume * (2.0 * t.mu + t.lambda);
            for (i, g) in t.nodes.iter().zip(&t.gradient) {
                held[*i as usize] += stiffest * g.length_squared();
            }
        }
        held
    }

    fn set_surface_values(&mut self, scene: &Scene, body: &Body, nodes: Range<usize>) {
        let collisions = &scene.collisions;
        let by_kind = match &body.kind {
            BodyKind::Cloth(_) => collisions.thickness.unwrap_or(0.002),
            BodyKind::Rope(rope) => 2.0 * rope.radius,
            _ => collisions.thickness.unwrap_or(0.0),
        };
        let thickness = VertexMap::Uniform(by_kind);
        let friction = VertexMap::Uniform(collisions.friction);
        for (vertex, i) in nodes.enumerate() {
            self.half_thickness[i] = 0.5 * body.thickness.as_ref().unwrap_or(&thickness).at(vertex);
            self.friction[i] = body.friction.as_ref().unwrap_or(&friction).at(vertex);
        }
    }
}

/// The surface around the mass of a rigid body: its mesh, or, where that is open, its hull.
fn massive(scene: &Scene, index: usize) -> Cow<'_, TriMesh> {
    let mesh = scene.mesh_of(index);
    match mesh.open_edge() {
        Some(_) => touching(scene, index),
        None => Cow::Borrowed(mesh),
    }
}

/// The surface of body `index` that touches: its mesh, or the hull around it.
pub(super) fn touching(scene: &Scene, index: usize) -> Cow<'_, TriMesh> {
    let mesh = scene.mesh_of(index);
    match scene.bodies[index].rigid() {
        Some(rigid) if !rigid.hull.is_empty() => Cow::Owned(TriMesh {
            positions: mesh.positions.clone(),
            triangles: rigid.hull.clone(),
            ..TriMesh::default()
        }),
        _ => Cow::Borrowed(mesh),
    }
}

/// Of each rule about pairs whether it holds when the simulation starts.
fn rules_at_start(scene: &Scene) -> Vec<bool> {
    scene.contact_pairs.iter().map(|rule| rule.holds(0.0 - scene.timing.preroll)).collect()
}

/// Pairs of bodies that are joined and do not collide, lower first, sorted.
fn jointed(scene: &Scene) -> Vec<(usize, usize)> {
    let mut pairs: Vec<(usize, usize)> = scene
        .constraints
        .iter()
        .filter_map(|c| match &c.kind {
            ConstraintKind::Joint(joint) if !joint.collides => {
                joint.b.map(|b| (joint.a.min(b), joint.a.max(b)))
            }
            _ => None,
        })
        .collect();
    pairs.sort_unstable();
    pairs
}

fn add_constraints(
    model: &mut Model,
    scene: &Scene,
    positions: &[DVec3],
    has: &impl Fn(usize) -> bool,
) {
    let mut seams = Vec::new();
    let strengths = stitches::Strengths::of(model);
    for (constraint, entry) in scene.constraints.iter().enumerate() {
        match &entry.kind {
            ConstraintKind::Pin { points, .. } => {
                let riders = ties::riders(model, points, entry.weight.as_ref(), positions);
                ties::add_held(model, scene, constraint, riders, None, positions);
            }
            ConstraintKind::Attach { points, spots, to } => {
                if !has(*to) {
                    continue;
                }
                let weight = entry.weight.as_ref();
                let mut riders = ties::riders(model, points, weight, positions);
                let first: usize = points.iter().map(|p| p.vertices.len()).sum();
                for (at, spot) in spots.iter().enumerate() {
                    if let Some(share) = Share::of(weight, first + at).filter(|_| has(spot.body)) {
                        riders.push(ties::Rider::of_spot(model, spot, share, positions));
                    }
                }
                ties::add_held(model, scene, constraint, riders, Some(*to), positions);
            }
            ConstraintKind::Joint(joint) => {
                if has(joint.a) && joint.b.is_none_or(has) {
                    ties::add_joint(model, scene, constraint, joint, positions);
                }
            }
            ConstraintKind::Stitch { pairs, gap, damping } => {
                for (pair, share) in shared(pairs.iter(), entry.weight.as_ref()) {
                    if has(pair.a.body) && has(pair.b.body) {
                        let places = [&pair.a, &pair.b];
                        let stitch =
                            stitches::stitch_of(model, &strengths, constraint, places, *gap);
                        seams.push(stitches::seam(model, &stitch, &pair.a, &pair.b, positions));
                        model.stitches.push(Stitch { damping: *damping, share, ..stitch });
                    }
                }
            }
            ConstraintKind::Tether { from, to, gap, damping } => {
                let share = Share::of(entry.weight.as_ref(), 0);
                if let Some(share) = share.filter(|_| has(from.body)) {
                    let stitch = stitches::tether(model, constraint, from, *to, *gap);
                    model.stitches.push(Stitch { damping: *damping, share, ..stitch });
                }
            }
            ConstraintKind::Carry { body } => {
                if has(*body) {
                    ties::add_carried(model, constraint, *body, positions);
                }
            }
            ConstraintKind::Freeze { points, .. } => {
                let all = points.iter().flat_map(|g| g.vertices.iter().map(|v| (g.body, *v)));
                for ((body, vertex), share) in shared(all, entry.weight.as_ref()) {
                    let body = &model.bodies[body];
                    if body.free {
                        let node = body.nodes.start as u32 + vertex;
                        model.freezers.push(Freezer { constraint, node, share });
                    }
                }
            }
        }
    }
    if !seams.is_empty() {
        let pieces = model.surface.pieces();
        model.seams = Seams::new(where_many_meet(seams, &pieces), &model.rest, &pieces);
    }
    ties::add_up_loads(model, scene);
    turns::find_holders(model);
}

/// Points or pairs with their shares; those of weight 0 are left out.
fn shared<T>(
    all: impl Iterator<Item = T>,
    weight: Option<&VertexMap>,
) -> impl Iterator<Item = (T, Share)> {
    all.enumerate().filter_map(move |(i, one)| Some((one, Share::of(weight, i)?)))
}

/// Counts the stitches that share the nodes of cages: a fine surface has more of them than its cage has nodes.
fn crowd(model: &mut Model) {
    let mut shares = vec![0.0; model.free_count];
    for stitch in &model.stitches {
        for (node, weight) in stitch.nodes.iter().zip(stitch.weights) {
            let body = model.surface.body_of_node[*node as usize] as usize;
            if model.is_caged(body) {
                shares[*node as usize] += weight.abs();
            }
        }
    }
    model.crowding = shares.into_iter().map(|share: f64| share.max(1.0)).collect();
}
