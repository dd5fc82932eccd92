//! Scene to model and state: names become ids, settings become numbers, here and nowhere else.

use super::Simulation;
use super::collision::contact::NEAR;
use super::collision::surface::Surface;
use super::forces::flex3d::Sheet;
use super::linear::block_matrix::Pattern;
use super::model::{Hold, Model, ModelBody, SKIN, Stitch};
use super::pose::Pose;
use super::potentials::{
    bending, bending::Bending, hinge, hinge::Hinge, membrane, membrane::Membrane,
};
use super::report::FrameReport;
use super::state::{ConstraintState, HoldState, State, StitchState};
use crate::diagnostics::Diagnostic;
use crate::geometry::TriMesh;
use crate::scene::{
    Anchor, Body, Cloth, ClothMaterial, ConstraintKind, Method, Points, RestShape, Scene, VertexMap,
};
use glam::{DMat2, DVec2, DVec3};
use std::collections::BTreeMap;
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
    let model = model(&scene, |_| true);
    let positions = start_positions(&scene, &model.bodies);
    let mut velocities = Vec::new();
    for (body, entry) in model.bodies.iter().zip(&scene.bodies) {
        if body.free {
            velocities.extend(start_velocities(entry, &positions[body.nodes.clone()]));
        }
    }
    let state = State {
        frame: scene.timing.start_frame,
        time: start_time,
        falling: vec![1.0; velocities.len()],
        velocities,
        poses: (0..scene.bodies.len()).map(|b| Pose::given(&scene, b, start_time)).collect(),
        obstacles: vec![Vec::new(); scene.bodies.len()],
        pace: vec![super::methods::given::FASTEST; scene.bodies.len()],
        memory: Vec::new(),
        holds: vec![HoldState { origin: None }; model.holds.len()],
        stitches: vec![
            StitchState { broken: false, length: None, lambda: 0.0 };
            model.stitches.len()
        ],
        constraints: vec![ConstraintState::default(); scene.constraints.len()],
        frozen: Vec::new(),
        steps: vec![(super::substep_clock::START_LEVEL, 0); scene.bodies.len()],
        touched: Vec::new(),
        positions,
    };
    let mut simulation = Simulation {
        report: FrameReport::default(),
        scratch: super::step::Scratch::new(&model, &state.positions),
        parts: Vec::new(),
        model,
        state,
    };
    // Explicit methods have no contact distance to keep.
    let warnings = match scene.solver.method {
        Method::Auto => super::separate::separate(&mut simulation)?,
        Method::ExplicitEuler => Vec::new(),
    };
    simulation.refresh_figures();
    Ok(Started { simulation, warnings })
}

/// The model of the bodies of `scene` that `has` names; the others keep their numbers without nodes.
pub(super) fn model(scene: &Arc<Scene>, has: impl Fn(usize) -> bool) -> Model {
    let mut builder = Builder::default();
    let ranges = builder.number_nodes(scene, &has);
    let mut model = builder.finish(scene, &ranges, &has);
    let positions = start_positions(scene, &model.bodies);
    add_constraints(&mut model, scene, &positions, &has);
    model
}

/// Longest substep of a span of `span` seconds [s].
pub(super) fn longest_step(scene: &Scene, span: f64) -> f64 {
    let settings = &scene.solver;
    settings.fixed_step.unwrap_or(settings.step.unwrap_or(span).min(span / 8.0))
}

/// Where the nodes of `bodies` are at the start.
pub(super) fn start_positions(scene: &Scene, bodies: &[ModelBody]) -> Vec<DVec3> {
    let start = 0.0 - scene.timing.preroll;
    let count = bodies.iter().map(|b| b.nodes.end).max().unwrap_or(0);
    let mut positions = vec![DVec3::ZERO; count];
    for (index, body) in bodies.iter().enumerate() {
        let pose = Pose::given(scene, index, start);
        for (p, rest) in
            positions[body.nodes.clone()].iter_mut().zip(&scene.mesh_of(index).positions)
        {
            *p = pose.place(*rest);
        }
    }
    positions
}

fn start_velocities(body: &Body, positions: &[DVec3]) -> Vec<DVec3> {
    let center = positions.iter().sum::<DVec3>() / positions.len().max(1) as f64;
    let spin = body.spin * (std::f64::consts::PI / 180.0);
    positions.iter().map(|p| body.velocity + spin.cross(*p - center)).collect()
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
    bendings: Vec<Bending>,
    hinges: Vec<Hinge>,
    sheets: Vec<Sheet>,
    stretch_edges: Vec<(u32, u32, f64)>,
}

impl Builder {
    fn number_nodes(
        &mut self,
        scene: &Scene,
        has: &impl Fn(usize) -> bool,
    ) -> Vec<std::ops::Range<usize>> {
        let is_free = |i: &usize| scene.bodies[*i].cloth().is_some();
        let (free, given): (Vec<usize>, Vec<usize>) =
            (0..scene.bodies.len()).filter(|b| has(*b)).partition(is_free);
        self.order = free.into_iter().chain(given).collect();
        let mut ranges = vec![0..0; scene.bodies.len()];
        let mut next = 0;
        for &i in &self.order {
            let count = scene.mesh_of(i).positions.len();
            ranges[i] = next..next + count;
            next += count;
        }
        ranges
    }

    fn finish(
        mut self,
        scene: &Arc<Scene>,
        ranges: &[std::ops::Range<usize>],
        has: &impl Fn(usize) -> bool,
    ) -> Model {
        let mut bodies: Vec<ModelBody> = Vec::new();
        let mut membrane_ranges = vec![0..0; scene.bodies.len()];
        for &index in &self.order.clone() {
            let (body, mesh) = (&scene.bodies[index], scene.mesh_of(index));
            self.rest.extend_from_slice(&mesh.positions);
            self.add_surface_values(scene, body, mesh);
            if let Some(cloth) = body.cloth() {
                let first = self.membranes.len();
                self.add_cloth(cloth, mesh, ranges[index].start as u32);
                membrane_ranges[index] = first..self.membranes.len();
            }
        }
        // The surface numbers bodies as the scene does, so it is filled in the scene's order.
        self.surface.body_of_node = vec![0; self.rest.len()];
        for (index, body) in scene.bodies.iter().enumerate() {
            if !has(index) {
                self.surface.add_nothing();
                bodies.push(ModelBody { nodes: 0..0, free: false, moved: false, membranes: 0..0 });
                continue;
            }
            let mesh = scene.mesh_of(index);
            self.surface.add_body(
                mesh,
                index as u32,
                ranges[index].start as u32,
                body.cloth().is_none(),
            );
            bodies.push(ModelBody {
                nodes: ranges[index].clone(),
                free: body.cloth().is_some(),
                moved: body.cloth().is_none() && body.is_moved(),
                membranes: membrane_ranges[index].clone(),
            });
        }
        let free_count = self.mass.len();
        let groups = self
            .membranes
            .iter()
            .map(|m| &m.nodes[..])
            .chain(self.hinges.iter().map(|h| &h.nodes[..]));
        let pattern = Pattern::new(free_count, groups);
        for m in &mut self.membranes {
            m.slots = std::array::from_fn(|k| pattern.slot(m.nodes[k / 3], m.nodes[k % 3]));
        }
        for h in &mut self.hinges {
            h.slots = std::array::from_fn(|k| pattern.slot(h.nodes[k / 4], h.nodes[k % 4]));
        }
        let bend_pattern = Pattern::new(free_count, self.bendings.iter().map(|b| &b.nodes[..]));
        let mut bend_values = vec![0.0; bend_pattern.columns.len()];
        let mut bend_damping = bend_values.clone();
        for b in &self.bendings {
            for i in 0..4 {
                for j in 0..4 {
                    let slot = bend_pattern.slot(b.nodes[i], b.nodes[j]) as usize;
                    bend_values[slot] += b.entry(i, j);
                    bend_damping[slot] += b.entry(i, j) * b.damping;
                }
            }
        }
        let positions = start_positions(scene, &bodies);
        let farthest =
            positions[..free_count].iter().fold(1.0f64, |m, p| m.max(p.abs().max_element()));
        let thinnest = self.half_thickness.iter().fold(f64::INFINITY, |m, t| m.min(*t));
        // Frames are stored as f32: two sheets must stay apart after rounding (64 units in the last place).
        let rounding = 64.0 * f64::from(f32::EPSILON) * 0.5 * farthest;
        let floor = (0.03 * (2.0 * thinnest + SKIN)).max(rounding);
        Model {
            scene: Arc::clone(scene),
            bodies,
            free_count,
            mass: self.mass,
            rest: self.rest,
            reach: self.half_thickness.iter().map(|t| NEAR * (t + 0.5 * SKIN)).collect(),
            half_thickness: self.half_thickness,
            friction: self.friction,
            surface: self.surface,
            membranes: self.membranes,
            bendings: self.bendings,
            hinges: self.hinges,
            sheets: self.sheets,
            diagonal: (0..free_count as u32).map(|i| pattern.slot(i, i)).collect(),
            pattern,
            bend_pattern,
            bend_values,
            bend_damping,
            holds: Vec::new(),
            stitches: Vec::new(),
            freezers: Vec::new(),
            stretch_edges: self.stretch_edges,
            floor,
            contact_step: longest_step(scene, scene.timing.frame_dt()),
        }
    }

    fn add_surface_values(&mut self, scene: &Scene, body: &Body, mesh: &TriMesh) {
        let collisions = &scene.collisions;
        let by_kind = if body.cloth().is_some() { 0.002 } else { 0.0 };
        let thickness = VertexMap::Uniform(collisions.thickness.unwrap_or(by_kind));
        let friction = VertexMap::Uniform(collisions.friction);
        for i in 0..mesh.positions.len() {
            self.half_thickness.push(0.5 * body.thickness.as_ref().unwrap_or(&thickness).at(i));
            self.friction.push(body.friction.as_ref().unwrap_or(&friction).at(i));
        }
    }

    fn add_cloth(&mut self, cloth: &Cloth, mesh: &TriMesh, first: u32) {
        self.mass.resize(first as usize + mesh.positions.len(), 0.0);
        match &cloth.material {
            ClothMaterial::Membrane(material) => {
                self.add_membranes(material, mesh, first);
                self.add_bending(material, &cloth.rest, mesh, first);
            }
            ClothMaterial::Flex3d(material) => {
                self.mass[first as usize..].fill(material.point_mass);
                self.sheets.push(Sheet::new(material, mesh, first));
            }
        }
        for [a, b] in mesh.edges() {
            let length = mesh.positions[a as usize].distance(mesh.positions[b as usize]);
            if length > 0.0 {
                self.stretch_edges.push((first + a, first + b, length));
            }
        }
    }

    fn add_membranes(&mut self, material: &crate::scene::Membrane, mesh: &TriMesh, first: u32) {
        let mean = |map: &VertexMap, nodes: &[u32]| {
            nodes.iter().map(|&i| map.at(i as usize)).sum::<f64>() / nodes.len() as f64
        };
        for t in &mesh.triangles {
            let corners = t.map(|i| mesh.positions[i as usize]);
            let uvs = (!mesh.uvs.is_empty()).then(|| t.map(|i| mesh.uvs[i as usize]));
            let Some((gradient, area)) = shape_gradients(corners, uvs) else { continue };
            let mass = area * mean(&material.density, t) / 3.0;
            for &i in t {
                self.mass[(first + i) as usize] += mass;
            }
            self.membranes.push(Membrane {
                nodes: t.map(|i| first + i),
                gradient,
                area,
                stiffness: membrane::stiffness(
                    mean(&material.young, t),
                    mean(&material.young_weft, t),
                    mean(&material.poisson, t),
                    mean(&material.shear, t),
                ),
                damping: material.damping,
                slots: [0; 9],
            });
        }
    }

    fn add_bending(
        &mut self,
        material: &crate::scene::Membrane,
        rest: &RestShape,
        mesh: &TriMesh,
        first: u32,
    ) {
        for ([a, b], opposite) in inner_edges(mesh) {
            let local = [a, b, opposite[0], opposite[1]];
            let x = local.map(|i| mesh.positions[i as usize]);
            let Some((weights, areas)) = bending::hinge_weights(x) else { continue };
            let Some((theta, _)) = hinge::angle(x) else { continue };
            let stiffness = bend_stiffness(material, mesh, &local, x) / areas;
            let nodes = local.map(|i| first + i);
            // Cloth that is rolled or folded at its start keeps its angles only where its rest shape says so.
            if *rest == RestShape::Start && theta.abs() > 1e-3 {
                let length = x[0].distance(x[1]);
                self.hinges.push(Hinge {
                    nodes,
                    stiffness: stiffness * length * length,
                    rest: theta,
                    damping: material.damping,
                    slots: [0; 16],
                });
            } else {
                self.bendings.push(Bending {
                    nodes,
                    weights,
                    stiffness,
                    damping: material.damping,
                });
            }
        }
    }
}

/// Bending stiffness across an edge [N m]: between warp and weft by the direction of the bend.
fn bend_stiffness(
    material: &crate::scene::Membrane,
    mesh: &TriMesh,
    local: &[u32; 4],
    x: [DVec3; 4],
) -> f64 {
    let mean = |map: &VertexMap| local.iter().map(|&i| map.at(i as usize)).sum::<f64>() / 4.0;
    let (warp, weft) = (mean(&material.bend), mean(&material.bend_weft));
    if warp == weft || mesh.uvs.is_empty() {
        return warp;
    }
    let uvs = [local[0], local[1], local[2]].map(|i| mesh.uvs[i as usize]);
    let Some((gradient, _)) = shape_gradients([x[0], x[1], x[2]], Some(uvs)) else { return warp };
    // The direction that bends runs from the edge to the opposite corner: the gradient of its shape function.
    let across = DVec2::from_array(gradient[2]).normalize_or_zero();
    warp * across.x * across.x + weft * across.y * across.y
}

/// Edges with exactly two triangles, and the corners opposite to them.
fn inner_edges(mesh: &TriMesh) -> Vec<([u32; 2], [u32; 2])> {
    let mut sides: BTreeMap<[u32; 2], Vec<u32>> = BTreeMap::new();
    for t in &mesh.triangles {
        for k in 0..3 {
            let (a, b, c) = (t[k], t[(k + 1) % 3], t[(k + 2) % 3]);
            sides.entry([a.min(b), a.max(b)]).or_default().push(c);
        }
    }
    sides
        .into_iter()
        .filter_map(|(edge, opposite)| Some((edge, <[u32; 2]>::try_from(opposite).ok()?)))
        .collect()
}

/// Gradients of the corners' shape functions in an orthonormal frame of the rest triangle whose
/// first axis runs along the warp (the direction of growing u), and the area. None without area.
pub(super) fn shape_gradients(
    x: [DVec3; 3],
    uvs: Option<[DVec2; 3]>,
) -> Option<([[f64; 2]; 3], f64)> {
    let (e1, e2) = (x[1] - x[0], x[2] - x[0]);
    let n = e1.cross(e2);
    let area = 0.5 * n.length();
    if area <= 0.0 || !area.is_finite() {
        return None;
    }
    let n = n.normalize();
    let warp = uvs.and_then(|uv| {
        let (d1, d2) = (uv[1] - uv[0], uv[2] - uv[0]);
        let det = d1.perp_dot(d2);
        (det.abs() > 1e-14).then(|| (e1 * d2.y - e2 * d1.y) / det)
    });
    let warp = warp
        .unwrap_or_else(|| if n.x.abs() < 0.9 { DVec3::X - n * n.x } else { DVec3::Y - n * n.y });
    let u = (warp - n * n.dot(warp)).try_normalize().unwrap_or_else(|| e1.normalize());
    let v = n.cross(u);
    let rest = DMat2::from_cols(DVec2::new(u.dot(e1), v.dot(e1)), DVec2::new(u.dot(e2), v.dot(e2)));
    let inverse = rest.inverse();
    let g1 = [inverse.x_axis.x, inverse.y_axis.x];
    let g2 = [inverse.x_axis.y, inverse.y_axis.y];
    Some(([[-g1[0] - g2[0], -g1[1] - g2[1]], g1, g2], area))
}

fn add_constraints(
    model: &mut Model,
    scene: &Scene,
    positions: &[DVec3],
    has: &impl Fn(usize) -> bool,
) {
    for (constraint, entry) in scene.constraints.iter().enumerate() {
        match &entry.kind {
            ConstraintKind::Pin { points, .. } => {
                add_holds(model, constraint, points, None, entry.weight.as_ref(), positions);
            }
            ConstraintKind::Attach { points, to } => {
                add_holds(model, constraint, points, Some(*to), entry.weight.as_ref(), positions);
            }
            ConstraintKind::Stitch { pairs, gap } => {
                for pair in pairs.iter().filter(|p| has(p.a.body) && has(p.b.body)) {
                    let stitch = stitch(model, constraint, &pair.a, &pair.b, *gap);
                    model.stitches.push(stitch);
                }
            }
            ConstraintKind::Freeze { points, .. } => {
                for group in points {
                    let first = model.bodies[group.body].nodes.start as u32;
                    if model.bodies[group.body].free {
                        model
                            .freezers
                            .extend(group.vertices.iter().map(|v| (constraint, first + v)));
                    }
                }
            }
        }
    }
}

fn add_holds(
    model: &mut Model,
    constraint: usize,
    points: &[Points],
    carrier: Option<usize>,
    weight: Option<&VertexMap>,
    positions: &[DVec3],
) {
    let mut place = 0;
    for group in points {
        let body = &model.bodies[group.body];
        for v in &group.vertices {
            let node = (body.nodes.start + *v as usize) as u32;
            let weight = weight.map_or(1.0, |w| w.at(place));
            place += 1;
            if body.free && weight > 0.0 {
                model.holds.push(Hold {
                    constraint,
                    node,
                    start: positions[node as usize],
                    carrier,
                    weight,
                });
            }
        }
    }
}

fn stitch(
    model: &Model,
    constraint: usize,
    a: &Anchor,
    b: &Anchor,
    gap: crate::scene::StitchGap,
) -> Stitch {
    let node = |anchor: &Anchor, k: usize| {
        (model.bodies[anchor.body].nodes.start + anchor.vertices[k] as usize) as u32
    };
    let nodes = std::array::from_fn(|k| if k < 3 { node(a, k) } else { node(b, k - 3) });
    let weights = std::array::from_fn(|k| if k < 3 { a.weights[k] } else { -b.weights[k - 3] });
    let half: f64 =
        (0..6).map(|k: usize| f64::abs(weights[k]) * model.half_thickness[nodes[k] as usize]).sum();
    Stitch { constraint, nodes, weights, gap, contact_distance: half + SKIN }
}
