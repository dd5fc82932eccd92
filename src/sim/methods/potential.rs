//! The incremental potential of one substep, its gradient and its tangent.
//!
//! `Phi(z) = 1/(2 s^2) |z - y|_M^2 + elastic + damping + holds + stitches + contact rows`, where `y`
//! is the inertial position and `s` the time of the node's [`Stride`](super::stride::Stride).

use super::tangent::Tangent;
use crate::sim::collision::contact::{Row, RowForce};
use crate::sim::collision::footing;
use crate::sim::constraints::gauge::ActiveGauge;
use crate::sim::constraints::stitch::Pull;
use crate::sim::constraints::tie::ActiveTie;
use crate::sim::constraints::turns::Twisted;
use crate::sim::forces::springs::Over;
use crate::sim::linear::bodies::Grip;
use crate::sim::linear::chunks;
use crate::sim::model::Model;
use crate::sim::potentials::cells::Cells;
use crate::sim::potentials::rows::Rows;
use crate::sim::potentials::shell::Angles;
use glam::{DMat3, DVec3};

/// What defines the potential of a substep besides its contact rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Potential {
    /// Length of the substep [s].
    pub(crate) h: f64,
    /// Script time at its end [s].
    pub(crate) end: f64,
    /// Positions of all nodes at its start [m].
    pub(crate) start: Vec<DVec3>,
    /// Places of the free nodes at the iterate before [m]; empty at the first of a substep.
    pub(crate) before: Vec<DVec3>,
    /// Inertial positions of the free nodes [m].
    pub(crate) inertial: Vec<DVec3>,
    /// What holds each free node to its inertial position [N/m]: `m (1 + s d) / s^2` with linear drag d.
    pub(crate) inertia: Vec<f64>,
    /// Strain of each membrane at its start.
    pub(crate) start_strain: Vec<[f64; 3]>,
    /// Factor on the rest lengths of each membrane at its end; none where it has no membrane stiffness.
    pub(crate) shrink: Vec<Option<f64>>,
    /// Membranes that act on each chunk of nodes.
    pub(crate) sharing: Vec<Vec<u32>>,
    /// Of each lattice the springs that act on each chunk of nodes.
    pub(crate) strung: Vec<Vec<Vec<u32>>>,
    /// Contact rows that act on each chunk of nodes.
    pub(crate) acting: Vec<Vec<u32>>,
    /// Whether each contact row has a footing, so that its force comes with those that act on chunks.
    footed: Vec<bool>,
    /// Scratch: forces of the contact rows, kept while these are.
    forces: Vec<Option<RowForce>>,
    /// The cells of soft bodies, with what has become of their shapes at rest.
    pub(crate) cells: Cells,
    /// Plastic part of each body that is held to a shape.
    pub(crate) shapes: Vec<DMat3>,
    /// Angles of hinges at its start.
    pub(crate) angles: Angles,
    /// Springs to places: node, place, stiffness [N/m], constraint.
    pub(crate) springs: Vec<(u32, DVec3, f64, usize)>,
    /// Stitches.
    pub(crate) pulls: Vec<Pull>,
    /// Ties.
    pub(crate) ties: Vec<ActiveTie>,
    /// Limited, driven and damped motions of joints.
    pub(crate) gauges: Vec<ActiveGauge>,
    /// Twist of ropes.
    pub(crate) twisted: Vec<Twisted>,
    /// Whether a node's place is given.
    pub(crate) given: Vec<bool>,
}

impl Potential {
    /// Gets ready for these contact rows.
    pub(crate) fn take_rows(&mut self, model: &Model, rows: &[Row]) {
        footing::find_acting(model, rows, &mut self.acting);
        chunks::map(rows, &mut self.footed, |_, row| row.footing.is_some());
    }

    /// Gives the memory of forces of the contact rows back: searches for contacts need theirs next.
    pub(crate) fn forget_forces(&mut self) {
        self.forces = Vec::new();
    }

    /// A potential of `model`, to be set up for each substep.
    pub(crate) fn new(model: &Model) -> Self {
        let count = model.point_count;
        let (mut sharing, mut strung) = (Vec::new(), vec![Vec::new(); model.lattices.len()]);
        let membranes = (0..).zip(model.membranes.iter().map(|membrane| &membrane.nodes[..]));
        chunks::terms_by_chunk(count, membranes, &mut sharing);
        for (lattice, lists) in model.lattices.iter().zip(&mut strung) {
            let springs = (0..).zip(lattice.springs().iter().map(|spring| &spring.nodes[..]));
            chunks::terms_by_chunk(count, springs, lists);
        }
        let cells = Cells::new(&model.tets, &model.pattern);
        Self { sharing, strung, cells, ..Self::default() }
    }

    /// Bytes that an evaluation moves at least: each array of points, membranes, cells and bending once, and what
    /// it makes of each point written twice.
    pub(crate) fn bytes(&self, model: &Model) -> u64 {
        let points = model.free_count * (3 * size_of::<DVec3>() + size_of::<f64>());
        let written = 3 * model.free_count * size_of::<DVec3>();
        let membranes = size_of_val(&model.membranes[..])
            + size_of_val(&self.start_strain[..])
            + size_of_val(&self.shrink[..]);
        let tets = size_of_val(&model.tets[..]);
        let bending = size_of_val(&model.bend_values[..]);
        let parts = points + written + membranes + tets + bending;
        parts as u64 + model.bend_pattern.bytes()
    }

    /// Gradient at `z` [N]: only nodes that are free to move count.
    pub(crate) fn gradient(
        &mut self,
        model: &Model,
        rows: &[Row],
        z: &[DVec3],
        gradient: &mut Vec<DVec3>,
    ) {
        self.evaluate(model, rows, z, gradient, None);
    }

    /// Gradient and tangent at `z`.
    pub(crate) fn evaluate(
        &mut self,
        model: &Model,
        rows: &[Row],
        z: &[DVec3],
        gradient: &mut Vec<DVec3>,
        mut tangent: Option<&mut Tangent>,
    ) {
        let (n, points) = (model.free_count, model.point_count);
        gradient.resize(n, DVec3::ZERO);
        for i in points..n {
            gradient[i] = self.pull(z, i);
        }
        if let Some(t) = tangent.as_deref_mut() {
            t.begin_at(model, z, self.h);
        }
        self.add_materials(model, z, gradient, tangent.as_deref_mut());
        self.add_constraints(model, z, gradient, tangent.as_deref_mut());
        let grips: Vec<Grip> = model.rigids.iter().map(|rigid| rigid.grip(z)).collect();
        let on_bodies = self.add_contacts(model, rows, z, &grips, gradient, tangent.as_deref_mut());
        chunks::update(&self.given[..n], gradient, |given, gradient| {
            if *given {
                *gradient = DVec3::ZERO;
            }
        });
        // What only strains a rigid body does nothing.
        for ((rigid, grip), on_it) in model.rigids.iter().zip(&grips).zip(&on_bodies) {
            let own = &mut gradient[rigid.nodes()];
            let [shift, turn] = grip.reduce(own);
            own.copy_from_slice(&grip.spread([shift + on_it[0], turn + on_it[1]]));
        }
        if let Some(t) = tangent {
            t.finish(model, &self.given, &self.inertia, z);
        }
    }

    /// Sets `gradient` of the points to what inertia and what they are made of do, and adds that to the tangent.
    fn add_materials(
        &mut self,
        model: &Model,
        z: &[DVec3],
        gradient: &mut [DVec3],
        mut tangent: Option<&mut Tangent>,
    ) {
        let mut blocks = tangent.as_deref_mut().map(Tangent::blocks);
        let own = &mut gradient[..model.point_count];
        let mut shared = Rows::of_chunks(&model.pattern.start, own, blocks.as_deref_mut());
        let shrink = model.lattices.iter().map(|lattice| lattice.shrink(model, self.end));
        let shrink: Vec<f64> = shrink.collect();
        model.shell.begin(z, self.h, &mut self.angles);
        let mut parts: Vec<_> = shared.iter_mut().enumerate().collect();
        chunks::for_each(&mut parts, |(chunk, rows)| {
            self.begin(model, z, *chunk, rows);
            for ((lattice, strung), shrink) in model.lattices.iter().zip(&self.strung).zip(&shrink)
            {
                let over = Over { start: &self.start, h: self.h, shrink: *shrink };
                lattice.add_to_rows(&over, z, &strung[*chunk], &model.diagonal, rows);
            }
            model.shell.add_to_rows(*chunk, &self.angles, self.h, rows);
        });
        self.cells.add(z, self.h, &mut shared);
        for (matching, plastic) in model.matchings.iter().zip(&self.shapes) {
            matching.add(z, plastic, gradient);
        }
        for segment in &model.segments {
            segment.add(z, gradient, blocks.as_deref_mut());
        }
        for bend in &model.bends {
            bend.add(z, gradient, blocks.as_deref_mut());
        }
        model.special.add(model, self, z, gradient, blocks);
        if let Some(t) = tangent {
            for (matching, plastic) in model.matchings.iter().zip(&self.shapes) {
                t.add_shared(model, matching.stiffnesses());
                t.shared.push(matching.shared(z, plastic, &self.inertia, &self.given));
            }
        }
    }

    /// Adds what acts from outside and what holds one to the other.
    fn add_constraints(
        &self,
        model: &Model,
        z: &[DVec3],
        gradient: &mut [DVec3],
        mut tangent: Option<&mut Tangent>,
    ) {
        for &(node, place, stiffness, _) in &self.springs {
            gradient[node as usize] += (z[node as usize] - place) * stiffness;
            if let Some(t) = tangent.as_deref_mut() {
                t.add_diagonal(model, node, stiffness);
            }
        }
        let mut rank_ones = tangent.as_deref_mut().map(|t| &mut t.rank_ones);
        model.special.add_pressure(model, self.end, z, gradient, rank_ones.as_deref_mut());
        for twisted in &self.twisted {
            twisted.add(model, self, z, gradient, rank_ones.as_deref_mut());
        }
        let pulls = self.pulls.iter().map(|pull| (&pull.spread, pull.force(z)));
        let ties = self.ties.iter().map(|tie| (&tie.spread, tie.force(z)));
        let gauges = self.gauges.iter().map(|gauge| (&gauge.spread, gauge.force(z)));
        for (spread, (force, block)) in pulls.chain(ties).chain(gauges) {
            for (i, weight) in spread.parts() {
                gradient[i] += force * weight;
            }
            if let Some(t) = tangent.as_deref_mut() {
                t.add_term(model, &self.given, spread, block);
            }
        }
    }

    /// Adds what the contact rows do; returns force [N] and moment [N m] on each rigid body, which nodes of its own do not
    /// carry.
    fn add_contacts(
        &mut self,
        model: &Model,
        rows: &[Row],
        z: &[DVec3],
        grips: &[Grip],
        gradient: &mut [DVec3],
        mut tangent: Option<&mut Tangent>,
    ) -> Vec<[DVec3; 2]> {
        let mut on_bodies = vec![[DVec3::ZERO; 2]; grips.len()];
        chunks::map(rows, &mut self.forces, |_, row| row.force(z));
        let blocks = tangent.as_deref_mut().map(Tangent::blocks);
        let own = &mut gradient[..model.point_count];
        let shared = Rows::of_chunks(&model.pattern.start, own, blocks);
        footing::add(&self.acting, rows, &self.forces, &self.given, shared);
        // Rows are long, and there are many: without a tangent most need not be looked at again.
        let all = tangent.is_some();
        for ((row, at), footed) in rows.iter().zip(&self.forces).zip(&self.footed) {
            let Some(at) = at.filter(|_| all || !footed) else { continue };
            if *footed {
                if let Some(t) = tangent.as_deref_mut()
                    && let Some(weights) = row.across(model, &self.given)
                {
                    t.add_across(&row.nodes, &weights, usize::from(row.split), at.block);
                }
            } else if let Some(holds) = row.holds(model, grips, z) {
                for hold in holds.into_iter().flatten() {
                    let [shift, turn] = grips[hold.rigid].forces(at.force, hold.place);
                    let own = &mut on_bodies[hold.rigid];
                    *own = [own[0] - shift * hold.weight, own[1] - turn];
                }
                if let Some(t) = tangent.as_deref_mut() {
                    t.add_between_bodies(holds, &at.block);
                }
            } else {
                let spread = row.spread(model);
                for (i, weight) in spread.parts() {
                    gradient[i] -= at.force * weight;
                }
                if let Some(t) = tangent.as_deref_mut() {
                    t.add_term(model, &self.given, &spread, at.block);
                }
            }
        }
        on_bodies
    }

    /// What pulls node `i` to its inertial position [N].
    fn pull(&self, z: &[DVec3], i: usize) -> DVec3 {
        (z[i] - self.inertial[i]) * self.inertia[i]
    }

    /// Sets `rows`, of a chunk, to what inertia, membranes and bending that is quadratic do there, all while their blocks
    /// are at hand. A membrane whose nodes are in two chunks is evaluated for each.
    fn begin(&self, model: &Model, z: &[DVec3], chunk: usize, rows: &mut Rows<'_>) {
        let own = rows.first..rows.first + rows.gradient.len();
        for (gradient, i) in rows.gradient.iter_mut().zip(own.clone()) {
            let [bent, damped] = self.bending(model, z, i);
            *gradient = self.pull(z, i) + bent + damped;
        }
        if let Some(blocks) = &mut rows.blocks {
            blocks.fill(DMat3::ZERO);
            for (slot, inertia) in model.diagonal[own.clone()].iter().zip(&self.inertia[own]) {
                blocks[*slot as usize - rows.first_slot] =
                    DMat3::from_diagonal(DVec3::splat(*inertia));
            }
        }
        let before = (!self.before.is_empty()).then_some(&self.before[..]);
        for &m in &self.sharing[chunk] {
            let (m, membrane) = (m as usize, &model.membranes[m as usize]);
            if let Some(shrink) = self.shrink[m] {
                membrane.add_to_rows(z, before, self.start_strain[m], self.h, shrink, rows);
            }
        }
    }

    /// What quadratic bending does to point `i`, and its damping by the energy of the motion since the start of the
    /// substep [N].
    #[inline(always)]
    fn bending(&self, model: &Model, z: &[DVec3], i: usize) -> [DVec3; 2] {
        let (values, damping) = (&model.bend_values[..], &model.bend_damping[..]);
        if damping.is_empty() {
            return [model.bend_pattern.row_product(values, i, |j| z[j]), DVec3::ZERO];
        }
        let seen = |j: usize| [z[j], z[j] - self.start[j]];
        let [bent, damped] = model.bend_pattern.row_products([values, damping], i, seen);
        [bent, damped * (1.0 / self.h)]
    }
}
