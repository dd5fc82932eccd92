//! Newton's iteration on the points of one patch, with inertia, membranes, quadratic bending and contact rows as they
//! are, and bending by angles as the tangent has it where the patch is found.

use super::patches::{Asked, Places};
use crate::sim::collision::contact::{Row, RowForce};
use crate::sim::potentials::membrane::Membrane;
use crate::sim::potentials::rows::Rows;
use glam::{DMat3, DVec3};

/// Most Newton iterations, and most of conjugate gradients for each.
const MOST_ITERATIONS: u32 = 8;
const MOST_LINEAR: u32 = 100;

/// Relative error of a linear solve in the norm of its preconditioner.
const LINEAR_TOLERANCE: f64 = 0.1;

/// A patch is done when a step would lower the potential by this part of what the first did, or when none of its points
/// goes farther than that part of what points may be off by.
const LEFT: f64 = 0.01;
const NEGLIGIBLE: f64 = 0.3;

/// Points that are coupled with each other, and what acts on them.
pub(super) struct Patch {
    number: u32,
    /// Ascending.
    pub(super) points: Vec<u32>,
    /// Rows with their numbers.
    pub(super) rows: Vec<(u32, Row)>,
    /// How far the points move [m].
    pub(super) moved: Vec<DVec3>,
    sheets: Vec<Sheet>,
    /// Rows of the blocks of membranes, and of the scalars of bending [N/m].
    full: Entries,
    blocks: Vec<DMat3>,
    thin: Entries,
    bend: Vec<f64>,
    /// Blocks of bending by angles in the slots of those of membranes; empty where there is none.
    shell: Vec<DMat3>,
    /// What holds each point to its inertial position [N/m].
    inertia: Vec<f64>,
}

/// A membrane with a corner in the patch.
struct Sheet {
    /// The membrane by its corners alone.
    membrane: Membrane,
    nodes: [u32; 3],
    /// Numbers of the corners, and slots of the blocks, that are in the patch.
    corners: [Option<usize>; 3],
    slots: [Option<usize>; 9],
    start_strain: [f64; 3],
    shrink: f64,
}

/// Columns of the entries of each row.
#[derive(Default)]
struct Entries {
    start: Vec<usize>,
    columns: Vec<usize>,
}

impl Entries {
    fn row(&self, i: usize) -> std::ops::Range<usize> {
        self.start[i]..self.start[i + 1]
    }

    fn slot(&self, i: usize, j: usize) -> Option<usize> {
        self.row(i).find(|slot| self.columns[*slot] == j)
    }
}

/// A row that presses.
struct Closed {
    points: [usize; 4],
    weights: [f64; 4],
    block: DMat3,
}

/// Where the points were an iterate before.
#[derive(Clone, Copy)]
enum Before<'a> {
    /// There was none.
    None,
    /// Places of all points.
    Places(&'a [DVec3]),
    /// How far those of the patch had moved.
    Moved(&'a [DVec3]),
}

impl Patch {
    /// One without points.
    pub(super) fn new(number: u32) -> Self {
        Self {
            number,
            points: Vec::new(),
            rows: Vec::new(),
            moved: Vec::new(),
            sheets: Vec::new(),
            full: Entries::default(),
            blocks: Vec::new(),
            thin: Entries::default(),
            bend: Vec::new(),
            shell: Vec::new(),
            inertia: Vec::new(),
        }
    }

    /// Takes over what acts on its points at `z`.
    fn take(&mut self, asked: Asked<'_>, places: Places<'_>, z: &[DVec3]) {
        let Asked { model, potential, tangent, .. } = asked;
        let number = self.number;
        let local = |i: u32| places.in_patch(number, i);
        self.full.start.push(0);
        self.thin.start.push(0);
        for &i in &self.points {
            let i = i as usize;
            let row = model.pattern.range(i);
            self.full.columns.extend(model.pattern.columns[row].iter().filter_map(|j| local(*j)));
            self.full.start.push(self.full.columns.len());
            for (j, value) in tangent.bend_row(model, i) {
                if let Some(column) = local(j) {
                    self.thin.columns.push(column);
                    self.bend.push(value);
                }
            }
            self.thin.start.push(self.thin.columns.len());
            self.inertia.push(potential.inertia[i]);
        }
        let panels = places.panels.any(&self.points);
        if !panels.is_empty() {
            self.shell.resize(self.full.columns.len(), DMat3::ZERO);
        }
        for panel in panels {
            model.shell.each_block(panel, z, potential.h, |[i, j], block| {
                let (Some(i), Some(j)) = (local(i), local(j)) else { return };
                let slot = self.full.slot(i, j).expect("nodes of a panel are coupled");
                self.shell[slot] += block;
            });
        }
        for m in places.membranes.any(&self.points) {
            let Some(shrink) = potential.shrink[m] else { continue };
            let membrane = &model.membranes[m];
            let corners = membrane.nodes.map(local);
            let slot = |k: usize| self.full.slot(corners[k / 3]?, corners[k % 3]?);
            self.sheets.push(Sheet {
                membrane: membrane.by_its_corners(),
                nodes: membrane.nodes,
                corners,
                slots: std::array::from_fn(slot),
                start_strain: potential.start_strain[m],
                shrink,
            });
        }
    }

    /// Finds how far its points move from `z`, and what its rows carry there.
    pub(super) fn solve(&mut self, asked: Asked<'_>, places: Places<'_>, z: &[DVec3]) {
        self.take(asked, places, z);
        let (n, h) = (self.points.len(), asked.potential.h);
        let own = self.number;
        let local = |i: u32| places.in_patch(own, i);
        let corners = |row: &Row, moved: &[DVec3]| {
            row.nodes.map(|i| z[i as usize] + local(i).map_or(DVec3::ZERO, |k| moved[k]))
        };
        let press = |patch: &Self,
                     moved: &[DVec3],
                     gradient: &mut [DVec3],
                     forces: &mut Vec<Option<RowForce>>| {
            forces.clear();
            for (_, row) in &patch.rows {
                let at = row.force_at(&corners(row, moved));
                if let Some(at) = &at {
                    for (&i, weight) in row.nodes.iter().zip(row.weights) {
                        if let Some(k) = local(i) {
                            gradient[k] -= at.force * weight;
                        }
                    }
                }
                forces.push(at);
            }
        };
        // What acts here beside membranes and rows, at `z`.
        let still = vec![DVec3::ZERO; n];
        let (mut gradient, mut forces) = (still.clone(), Vec::new());
        self.add_membranes(z, &still, h, &mut gradient);
        press(self, &still, &mut gradient, &mut forces);
        let at_z = self.points.iter().map(|i| asked.gradient[*i as usize]);
        let rest: Vec<DVec3> = at_z.zip(&gradient).map(|(all, known)| all - *known).collect();
        let evaluate = |patch: &Self, moved: &[DVec3], gradient: &mut [DVec3], forces: &mut _| {
            for (i, gradient) in gradient.iter_mut().enumerate() {
                let bent = patch.bent(i, moved) + patch.bent_by_angles(i, moved);
                *gradient = rest[i] + moved[i] * patch.inertia[i] + bent;
            }
            patch.add_membranes(z, moved, h, gradient);
            press(patch, moved, gradient, forces);
        };
        let mut moved = still;
        let mut trial = moved.clone();
        let before = &asked.potential.before;
        let mut before = if before.is_empty() { Before::None } else { Before::Places(&before[..]) };
        let mut earlier;
        let mut first = None;
        for _ in 0..MOST_ITERATIONS {
            evaluate(self, &moved, &mut gradient, &mut forces);
            self.make_blocks(z, before, &moved, h);
            let step = self.direction(&gradient, &forces, &local);
            let slope = dot(&gradient, &step);
            let mut scale = 1.0;
            for _ in 0..6 {
                for ((trial, moved), step) in trial.iter_mut().zip(&moved).zip(&step) {
                    *trial = *moved + *step * scale;
                }
                evaluate(self, &trial, &mut gradient, &mut forces);
                let there = dot(&gradient, &step);
                if there <= 0.5 * slope.abs() {
                    break;
                }
                scale *= (slope / (slope - there)).clamp(0.1, 0.7);
            }
            earlier = std::mem::replace(&mut moved, trial.clone());
            before = Before::Moved(&earlier);
            for (_, row) in &mut self.rows {
                row.foresee_at(&corners(row, &moved));
            }
            let farthest = step.iter().fold(0.0f64, |m, s| m.max(s.length_squared())).sqrt();
            let first = *first.get_or_insert(slope);
            if slope.abs() <= LEFT * first.abs() || farthest <= NEGLIGIBLE * asked.off {
                break;
            }
        }
        self.moved = moved;
    }

    /// The force of bending at point `i`.
    fn bent(&self, i: usize, moved: &[DVec3]) -> DVec3 {
        self.thin.row(i).map(|slot| moved[self.thin.columns[slot]] * self.bend[slot]).sum()
    }

    /// The force of bending by angles at point `i`.
    fn bent_by_angles(&self, i: usize, moved: &[DVec3]) -> DVec3 {
        if self.shell.is_empty() {
            return DVec3::ZERO;
        }
        self.full.row(i).map(|slot| self.shell[slot] * moved[self.full.columns[slot]]).sum()
    }

    /// Places of a membrane's corners.
    fn corners(sheet: &Sheet, z: &[DVec3], moved: &[DVec3]) -> [DVec3; 3] {
        let by = |k: usize| sheet.corners[k].map_or(DVec3::ZERO, |i| moved[i]);
        std::array::from_fn(|k| z[sheet.nodes[k] as usize] + by(k))
    }

    /// Adds the membranes' gradient.
    fn add_membranes(&self, z: &[DVec3], moved: &[DVec3], h: f64, gradient: &mut [DVec3]) {
        for sheet in &self.sheets {
            let at = Self::corners(sheet, z, moved);
            let mut own = [DVec3::ZERO; 3];
            let mut rows = Rows { first: 0, gradient: &mut own, first_slot: 0, blocks: None };
            let Sheet { membrane, start_strain, shrink, .. } = sheet;
            membrane.add_to_rows(&at, None, *start_strain, h, *shrink, &mut rows);
            for (corner, own) in sheet.corners.iter().zip(own) {
                if let Some(i) = *corner {
                    gradient[i] += own;
                }
            }
        }
    }

    /// Makes the blocks of inertia, membranes and bending by angles.
    fn make_blocks(&mut self, z: &[DVec3], before: Before<'_>, moved: &[DVec3], h: f64) {
        self.blocks.clone_from(&self.shell);
        self.blocks.resize(self.full.columns.len(), DMat3::ZERO);
        for (i, inertia) in self.inertia.iter().enumerate() {
            let slot = self.full.slot(i, i).expect("a point is coupled with itself");
            self.blocks[slot] += DMat3::from_diagonal(DVec3::splat(*inertia));
        }
        for sheet in &self.sheets {
            let at = Self::corners(sheet, z, moved);
            let was = match before {
                Before::None => None,
                Before::Places(places) => Some(sheet.nodes.map(|i| places[i as usize])),
                Before::Moved(moved) => Some(Self::corners(sheet, z, moved)),
            };
            let (mut force, mut own) = ([DVec3::ZERO; 3], [DMat3::ZERO; 9]);
            let (gradient, blocks) = (&mut force, Some(&mut own[..]));
            let mut rows = Rows { first: 0, gradient, first_slot: 0, blocks };
            let Sheet { membrane, start_strain, shrink, .. } = sheet;
            let was = was.as_ref().map(|was| &was[..]);
            membrane.add_to_rows(&at, was, *start_strain, h, *shrink, &mut rows);
            for (slot, own) in sheet.slots.iter().zip(own) {
                if let Some(slot) = *slot {
                    self.blocks[slot] += own;
                }
            }
        }
    }

    /// Newton's direction, by conjugate gradients.
    fn direction(
        &self,
        gradient: &[DVec3],
        forces: &[Option<RowForce>],
        local: &impl Fn(u32) -> Option<usize>,
    ) -> Vec<DVec3> {
        let n = gradient.len();
        let of = |slot: Option<usize>| slot.expect("a point is coupled with itself");
        let mut diagonal: Vec<DMat3> =
            (0..n).map(|i| self.blocks[of(self.full.slot(i, i))]).collect();
        for (i, diagonal) in diagonal.iter_mut().enumerate() {
            let bend = self.thin.slot(i, i).map_or(0.0, |slot| self.bend[slot]);
            *diagonal += DMat3::from_diagonal(DVec3::splat(bend));
        }
        let mut closed = Vec::new();
        for ((_, row), at) in self.rows.iter().zip(forces) {
            let Some(at) = at else { continue };
            let mut own = Closed { points: [0; 4], weights: [0.0; 4], block: at.block };
            for k in 0..4 {
                if let Some(i) = local(row.nodes[k]) {
                    (own.points[k], own.weights[k]) = (i, row.weights[k]);
                    diagonal[i] += at.block * (row.weights[k] * row.weights[k]);
                }
            }
            closed.push(own);
        }
        let inverse: Vec<DMat3> = diagonal.iter().map(DMat3::inverse).collect();
        let mut x = vec![DVec3::ZERO; n];
        let mut r: Vec<DVec3> = gradient.iter().map(|g| -*g).collect();
        let mut z: Vec<DVec3> = r.iter().zip(&inverse).map(|(r, m)| *m * *r).collect();
        let mut p = z.clone();
        let mut y = vec![DVec3::ZERO; n];
        let mut rz = dot(&r, &z);
        let enough = rz * LINEAR_TOLERANCE * LINEAR_TOLERANCE;
        for _ in 0..MOST_LINEAR {
            self.multiply(&closed, &p, &mut y);
            let curvature = dot(&p, &y);
            if !(rz > enough && curvature > 0.0) {
                break;
            }
            let alpha = rz / curvature;
            for i in 0..n {
                x[i] += p[i] * alpha;
                r[i] -= y[i] * alpha;
                z[i] = inverse[i] * r[i];
            }
            let next = dot(&r, &z);
            let beta = next / rz;
            rz = next;
            p.iter_mut().zip(&z).for_each(|(p, z)| *p = *z + *p * beta);
        }
        x
    }

    /// `y = A x`, with the rows that press.
    fn multiply(&self, closed: &[Closed], x: &[DVec3], y: &mut [DVec3]) {
        for (i, y) in y.iter_mut().enumerate() {
            let full = self.full.row(i).map(|slot| self.blocks[slot] * x[self.full.columns[slot]]);
            *y = full.sum::<DVec3>() + self.bent(i, x);
        }
        for Closed { points, weights, block } in closed {
            let force = *block * points.iter().zip(weights).map(|(i, w)| x[*i] * *w).sum::<DVec3>();
            points.iter().zip(weights).for_each(|(i, w)| y[*i] += force * *w);
        }
    }
}

fn dot(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum()
}
