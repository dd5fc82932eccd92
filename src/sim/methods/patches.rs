//! Patches of points that are still off when the others are not, each brought to where the potential is least while
//! all others stay.
//!
//! Where contact opens and closes, and where a fold snaps, a few points ask for many iterations that the rest of a
//! sheet does not. They are eliminated by themselves (nonlinear elimination: Lanzkron, Rose and Wilkes 1996, SIAM
//! Journal on Scientific Computing 17), all patches of an iterate at once, which nothing couples.

use super::patch::Patch;
use super::potential::Potential;
use super::tangent::Tangent;
use crate::math::Sets;
use crate::sim::collision::contact::Row;
use crate::sim::forces::lattice::Lattice;
use crate::sim::linear::chunks;
use crate::sim::model::Model;
use glam::DVec3;

/// Where more than this part of all points is off, all are moved.
const MOST_POINTS: f64 = 0.25;

/// Number of a point that is in no patch, or of a corner that is not in this one.
pub(super) const NONE: u32 = u32::MAX;

/// Scratch of the patches of an iterate.
#[derive(Default)]
pub(super) struct Patches {
    /// Membranes at each point, and panels of shells.
    membranes: At,
    panels: At,
    /// Points that patches may have: nothing acts on them that a patch does not know.
    plain: Vec<bool>,
    /// Nodes of the rows of the round that have a footing, with their numbers: rows are long, and there are many.
    footed: Vec<(u32, [u32; 4])>,
    /// Points of the patches.
    marked: Vec<bool>,
    /// Patch of each point, and its number there.
    patch_of: Vec<u32>,
    number: Vec<u32>,
    all: Vec<Patch>,
    /// Where points were before they were moved last.
    were: Vec<(u32, DVec3)>,
}

/// What is at each point: `all[first[i]..first[i + 1]]`.
#[derive(Default)]
pub(super) struct At {
    first: Vec<u32>,
    all: Vec<u32>,
}

impl At {
    /// Of things with these nodes, numbered in their order, at so many points.
    fn new<'a>(points: usize, things: impl Iterator<Item = &'a [u32]>) -> Self {
        let mut at = vec![Vec::new(); points];
        for (number, nodes) in (0..).zip(things) {
            for i in nodes {
                at[*i as usize].push(number);
            }
        }
        let mut own = Self { first: vec![0], all: Vec::new() };
        for numbers in at {
            own.all.extend_from_slice(&numbers);
            own.first.push(own.all.len() as u32);
        }
        own
    }

    /// What is at any of `points`, ascending.
    pub(super) fn any(&self, points: &[u32]) -> Vec<usize> {
        let of = |i: &u32| {
            let i = *i as usize;
            &self.all[self.first[i] as usize..self.first[i + 1] as usize]
        };
        let mut all: Vec<usize> = points.iter().flat_map(of).map(|k| *k as usize).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// What patches are made for.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    pub(super) model: &'a Model,
    pub(super) potential: &'a Potential,
    pub(super) tangent: &'a Tangent,
    /// The gradient at the iterate [N].
    pub(super) gradient: &'a [DVec3],
    /// How far a point may be off [m].
    pub(super) off: f64,
}

/// Which points are in which patch, with which number.
#[derive(Clone, Copy)]
pub(super) struct Places<'a> {
    pub(super) patch_of: &'a [u32],
    pub(super) number: &'a [u32],
    pub(super) membranes: &'a At,
    pub(super) panels: &'a At,
}

impl Places<'_> {
    /// The number of node `i` in `patch`, if it is there.
    #[inline]
    pub(super) fn in_patch(&self, patch: u32, i: u32) -> Option<usize> {
        let i = i as usize;
        (self.patch_of.get(i) == Some(&patch)).then(|| self.number[i] as usize)
    }
}

/// Whether a model has points of which patches may be made. What presses on a rigid body is left to the iteration of all.
pub(super) fn may_have_patches(model: &Model) -> bool {
    model.rigids.is_empty() && !model.membranes.is_empty()
}

impl Patches {
    /// Gets ready for the rows of a round.
    pub(super) fn begin(&mut self, model: &Model, potential: &Potential, rows: &[Row]) {
        if self.membranes.first.is_empty() {
            let membranes = model.membranes.iter().map(|membrane| &membrane.nodes[..]);
            self.membranes = At::new(model.point_count, membranes);
            self.panels = At::new(model.point_count, model.shell.groups());
        }
        let plain = &mut self.plain;
        plain.clear();
        plain.extend(potential.given[..model.point_count].iter().map(|given| !given));
        let mut bar = |i: usize| {
            if let Some(plain) = plain.get_mut(i) {
                *plain = false;
            }
        };
        model.tets.iter().flat_map(|t| t.nodes).for_each(|i| bar(i as usize));
        model.segments.iter().flat_map(|s| s.nodes).for_each(|i| bar(i as usize));
        model.bends.iter().flat_map(|b| b.nodes).for_each(|i| bar(i as usize));
        model.lattices.iter().flat_map(Lattice::nodes).for_each(&mut bar);
        for limit in &model.special.limits {
            model.membranes[limit.membrane].nodes.iter().for_each(|i| bar(*i as usize));
        }
        for bag in &model.special.bags {
            model.bodies[bag.body].movers.clone().for_each(&mut bar);
        }
        for matching in &model.matchings {
            matching.stiffnesses().for_each(|(i, _)| bar(i as usize));
        }
        potential.springs.iter().for_each(|spring| bar(spring.0 as usize));
        let ties = potential.ties.iter().map(|tie| &tie.spread);
        let gauges = potential.gauges.iter().map(|gauge| &gauge.spread);
        for spread in potential.pulls.iter().map(|pull| &pull.spread).chain(ties).chain(gauges) {
            spread.parts().for_each(|(i, _)| bar(i));
        }
        self.footed.clear();
        for (r, row) in (0..).zip(rows) {
            if row.footing.is_some() {
                self.footed.push((r, row.nodes));
            } else {
                row.spread(model).parts().for_each(|(i, _)| bar(i));
            }
        }
    }

    /// Marks the points of which `step`, an estimate of what is left to go [m], says that they are farther off than
    /// `off`. False where there are none, where they are many, or where patches may not have most of them.
    pub(super) fn mark(&mut self, step: &[DVec3], off: f64) -> bool {
        let is_off = |step: &DVec3| step.length_squared() > off * off;
        self.marked.clear();
        self.marked
            .extend(step.iter().zip(&self.plain).map(|(step, plain)| *plain && is_off(step)));
        let all = step.iter().filter(|step| is_off(step)).count();
        let own = self.marked.iter().filter(|marked| **marked).count();
        2 * own > all && (all as f64) <= MOST_POINTS * self.plain.len() as f64
    }

    /// Moves the marked points of `z` and those beside them to where the potential is least while all others stay,
    /// and lets rows foresee what they carry there.
    pub(super) fn relax(&mut self, asked: Asked<'_>, rows: &mut [Row], z: &mut [DVec3]) {
        self.widen(asked.model, rows);
        self.divide(asked.model, rows);
        let Self { patch_of, number, membranes, panels, all: patches, were, .. } = self;
        let places = Places { patch_of, number, membranes, panels };
        let at = &*z;
        chunks::for_each(patches, |patch| patch.solve(asked, places, at));
        were.clear();
        for patch in patches {
            for (&i, moved) in patch.points.iter().zip(&patch.moved) {
                were.push((i, z[i as usize]));
                z[i as usize] += *moved;
            }
            for (r, row) in &patch.rows {
                rows[*r as usize].line = row.line;
            }
        }
    }

    /// How much the last motion, gone on with, changes a potential with this gradient [J].
    pub(super) fn slope(&self, gradient: &[DVec3]) -> f64 {
        let along = |patch: &Patch| -> f64 {
            patch.points.iter().zip(&patch.moved).map(|(i, d)| gradient[*i as usize].dot(*d)).sum()
        };
        self.all.iter().map(along).sum()
    }

    /// Takes the last motion back.
    pub(super) fn take_back(&self, z: &mut [DVec3]) {
        for &(i, place) in &self.were {
            z[i as usize] = place;
        }
    }

    /// Marks what is beside marked points, in the sheet and where rows press.
    fn widen(&mut self, model: &Model, rows: &[Row]) {
        let Self { marked, plain, footed, .. } = self;
        let before = marked.clone();
        let pattern = &model.pattern;
        for i in (0..marked.len()).filter(|i| before[*i]) {
            for &j in &pattern.columns[pattern.range(i)] {
                marked[j as usize] = true;
            }
        }
        for (r, nodes) in &*footed {
            let is_beside = nodes.iter().any(|i| before.get(*i as usize) == Some(&true));
            if is_beside && rows[*r as usize].line.force > 0.0 {
                for &i in nodes {
                    if let Some(marked) = marked.get_mut(i as usize) {
                        *marked = true;
                    }
                }
            }
        }
        marked.iter_mut().zip(plain).for_each(|(marked, plain)| *marked &= *plain);
    }

    /// Divides the marked points into patches that nothing couples, each in the order of its first point.
    fn divide(&mut self, model: &Model, rows: &[Row]) {
        let Self { marked, patch_of, number, all: patches, footed, .. } = self;
        let footed = &*footed;
        let mut sets = Sets::new(marked.len());
        for i in (0..marked.len()).filter(|i| marked[*i]) {
            for pattern in [&model.pattern, &model.bend_pattern] {
                let row = pattern.range(i);
                for &j in &pattern.columns[row] {
                    if (j as usize) < i && marked[j as usize] {
                        sets.join(i, j as usize);
                    }
                }
            }
        }
        let is_marked = |i: &&u32| marked.get(**i as usize) == Some(&true);
        for (_, nodes) in footed {
            let mut own = nodes.iter().filter(is_marked);
            if let Some(&i) = own.next() {
                own.for_each(|j| sets.join(i as usize, *j as usize));
            }
        }
        number.clear();
        number.resize(marked.len(), NONE);
        patch_of.clear();
        patch_of.resize(marked.len(), NONE);
        patches.clear();
        for i in (0..marked.len()).filter(|i| marked[*i]) {
            let first = sets.first_of(i);
            if patch_of[first] == NONE {
                patch_of[first] = patches.len() as u32;
                patches.push(Patch::new(patches.len() as u32));
            }
            patch_of[i] = patch_of[first];
            let points = &mut patches[patch_of[i] as usize].points;
            number[i] = points.len() as u32;
            points.push(i as u32);
        }
        for &(r, ref nodes) in footed {
            if let Some(&i) = nodes.iter().find(is_marked) {
                patches[patch_of[i as usize] as usize].rows.push((r, rows[r as usize].clone()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::bench::Workbench;
    use super::super::given::Plan;
    use super::super::implicit::prepare;
    use super::*;
    use crate::scene::{BodyKind, ClothMaterial, VertexMap};
    use crate::scenes;
    use crate::sim::Simulation;
    use crate::sim::collision::finder::Finder;

    /// A sheet some points of which are lifted by millimetres, before and after its patches are relaxed, the bench, and
    /// what pulled there before.
    struct Lifted {
        model: Model,
        bench: Workbench,
        z: Vec<DVec3>,
        pulled: Vec<DVec3>,
        relaxed: Vec<DVec3>,
    }

    fn lifted(points: &[(usize, f64)]) -> Lifted {
        lifted_of(points, scenes::cotton())
    }

    fn lifted_of(points: &[(usize, f64)], kind: BodyKind) -> Lifted {
        let mut scene = scenes::empty("lifted", 1.0);
        scenes::add(&mut scene, "sheet", scenes::sheet(24, 1.0, 1.0), kind);
        let start = Simulation::start(&scene).map_err(|p| format!("{p:?}")).unwrap();
        let Simulation { model, mut state, .. } = start.simulation;
        let mut bench = Workbench::new(&model, Finder::new(&model.surface, &state.positions));
        let (h, end) = (0.005, 0.005);
        let wanted = Plan::new(&model, &state, end).wanted;
        prepare(&model, &mut state, &mut bench, h, end, &wanted);
        let Workbench { potential, tangent, z, rows, patches, .. } = &mut bench;
        potential.take_rows(&model, rows);
        z.copy_from_slice(&potential.inertial);
        for &(i, by) in points {
            z[i] += DVec3::Y * by;
        }
        let (before, mut pulled) = (z.clone(), Vec::new());
        potential.evaluate(&model, rows, z, &mut pulled, Some(&mut *tangent));
        let mut step = vec![DVec3::ZERO; z.len()];
        tangent.estimate(&model, &pulled, &mut step);
        patches.begin(&model, potential, rows);
        let off = 1e-4;
        assert!(patches.mark(&step, off));
        let asked = Asked { model: &model, potential, tangent, gradient: &pulled, off };
        patches.relax(asked, rows, z);
        let relaxed = z.clone();
        Lifted { model, bench, z: before, pulled, relaxed }
    }

    const ONE: (usize, f64) = (24 * 5 + 6, 2e-3);
    const OTHER: (usize, f64) = (24 * 18 + 17, -3e-3);

    #[test]
    fn a_patch_finds_its_rest_while_all_others_stay() {
        finds_its_rest(scenes::cotton());
    }

    /// Stiff enough that bending holds a point four times as much as inertia does: B 20 / l^2 against m / h^2.
    #[test]
    fn a_patch_of_what_is_bent_by_angles_finds_its_rest() {
        let mut kind = scenes::cotton();
        if let BodyKind::Cloth(cloth) = &mut kind
            && let ClothMaterial::Membrane(fabric) = &mut cloth.material
        {
            fabric.crease = Some(VertexMap::Uniform(1e6));
            for bend in [&mut fabric.bend, &mut fabric.bend_weft, &mut fabric.bend_bias] {
                *bend = VertexMap::Uniform(5e-3);
            }
        }
        finds_its_rest(kind);
    }

    fn finds_its_rest(kind: BodyKind) {
        let Lifted { model, mut bench, z, pulled, relaxed } = lifted_of(&[ONE, OTHER], kind);
        let Workbench { potential, rows, patches, .. } = &mut bench;
        assert_eq!(patches.all.len(), 2);
        let mut left = Vec::new();
        potential.gradient(&model, rows, &relaxed, &mut left);
        let (mut was, mut is) = (0.0, 0.0);
        for i in 0..z.len() {
            if patches.patch_of[i] == NONE {
                assert_eq!(z[i], relaxed[i]);
            } else {
                was += pulled[i].length_squared();
                is += left[i].length_squared();
            }
        }
        assert!(is < 0.01 * was, "{is} of {was} is left");
        let slopes = [&pulled, &left].map(|gradient| patches.slope(gradient));
        assert!(slopes[0] < 0.0 && slopes[1].abs() < 0.1 * slopes[0].abs(), "{slopes:?}");
    }

    #[test]
    fn patches_do_not_see_each_other() {
        let both = lifted(&[ONE, OTHER]).relaxed;
        let alone = lifted(&[ONE]);
        for (i, place) in alone.relaxed.iter().enumerate() {
            if alone.bench.patches.patch_of[i] != NONE {
                assert_eq!(*place, both[i]);
            }
        }
    }

    #[test]
    fn where_most_is_off_there_are_no_patches() {
        let Lifted { mut bench, .. } = lifted(&[ONE]);
        let n = bench.z.len();
        assert!(!bench.patches.mark(&vec![DVec3::X; n], 1e-4));
        assert!(!bench.patches.mark(&vec![DVec3::ZERO; n], 1e-4));
    }
}
