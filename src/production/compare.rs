//! `retake compare`: how two runs differ, in what they were made from, in figures, and in where things are.

use super::compare_pictures::{PictureDifference, compare_pictures};
use super::folder::store_of;
use super::progress::{Listener, Message};
use super::scene_changes::{Change, changes};
use super::simulate::Known;
use super::stale::measures_hash;
use super::timings::Clocks;
use crate::diagnostics::{Diagnostic, Place};
use crate::frames::{BodyState, Figures, Frame, Store};
use crate::scene::Scene;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// How two runs differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// What differs in the shots that were run: `old` is the first run's.
    pub changes: Vec<Change>,
    /// Frames that both have, rising; figures and places are compared over these.
    pub frames: Vec<i32>,
    /// Figures of both.
    pub figures: Vec<FigureDifference>,
    /// Bodies of both, in the order of the first run, then those that only the second has.
    pub bodies: Vec<(String, BodyDifference)>,
    /// What simulating these frames took on the clock [s].
    pub seconds: [f64; 2],
    /// Pictures that both have.
    pub pictures: Vec<PictureDifference>,
    /// Whether the person stopped it; what is here is as far as it got.
    pub interrupted: bool,
}

/// A figure of two runs.
#[derive(Clone, Debug, PartialEq)]
pub struct FigureDifference {
    /// Its name, as in `figures.csv`.
    pub name: String,
    /// What stands for all frames.
    pub over: Over,
    /// Of both runs; none where there is no value.
    pub values: [Option<f64>; 2],
    /// The largest difference in one frame, and that frame; none where there is none.
    pub largest: Option<(f64, i32)>,
}

/// What stands for the figures of all frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// Their sum.
    Sum,
    /// The largest.
    Largest,
    /// The smallest.
    Smallest,
    /// That of the last frame.
    Last,
}

impl Over {
    /// In a word.
    pub fn text(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Largest => "largest",
            Self::Smallest => "smallest",
            Self::Last => "last",
        }
    }
}

/// How a body differs between two runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BodyDifference {
    /// Only the first run has it.
    OnlyFirst,
    /// Only the second run has it.
    OnlySecond,
    /// Its vertices or triangles are others: numbers of vertices and of triangles of both.
    OtherMesh([[usize; 2]; 2]),
    /// Its vertices are the same, and lie so far from each other.
    Apart {
        /// Largest distance [m]; infinite where a coordinate is no number.
        largest: f64,
        /// The frame of the largest distance; none where all places are the same.
        frame: Option<i32>,
        /// The vertex of the largest distance.
        vertex: usize,
        /// Root of the mean of squared distances over all vertices and frames [m].
        rms: f64,
    },
}

/// A figure of a frame; none where the frame has no such.
type Figure = fn(&Figures) -> Option<f64>;

/// The figures that are compared.
const FIGURES: [(&str, Over, Figure); 10] = [
    ("steps", Over::Sum, |f| Some(f64::from(f.steps))),
    ("retakes", Over::Sum, |f| Some(f64::from(f.retakes))),
    ("contacts", Over::Largest, |f| Some(f64::from(f.contacts))),
    ("closest_approach", Over::Smallest, |f| f.closest_approach),
    ("pressed_in", Over::Largest, |f| Some(f.pressed_in)),
    ("rms_stretch", Over::Largest, |f| Some(f.rms_stretch)),
    ("max_stretch", Over::Largest, |f| Some(f.max_stretch)),
    ("fastest", Over::Largest, |f| Some(f.fastest)),
    ("kinetic", Over::Last, |f| Some(f.kinetic)),
    ("elastic", Over::Last, |f| Some(f.elastic)),
];

/// Compares the runs in two folders. An error means that one is no run, or has a frame that cannot be read.
pub fn compare(
    folders: [&Path; 2],
    listener: &dyn Listener,
    interrupted: &AtomicBool,
) -> Result<Comparison, Diagnostic> {
    let [a, b] = [Run::open(folders[0])?, Run::open(folders[1])?];
    let frames: Vec<i32> = a.numbers.intersection(&b.numbers).copied().collect();
    let mut figures = figures_of(&a.scene, &b.scene);
    let mut bodies = pairs(&a.scene, &b.scene);
    let mut made = Comparison {
        changes: changes(&a.scene, &b.scene),
        frames: frames.clone(),
        figures: Vec::new(),
        bodies: Vec::new(),
        seconds: [seconds(folders[0], &frames), seconds(folders[1], &frames)],
        pictures: Vec::new(),
        interrupted: false,
    };
    for (i, n) in frames.iter().enumerate() {
        if interrupted.load(Ordering::SeqCst) {
            made.frames.truncate(i);
            made.interrupted = true;
            break;
        }
        let (x, y) = (a.frame(*n)?, b.frame(*n)?);
        for figure in &mut figures {
            figure.add(*n, &x.figures, &y.figures);
        }
        for (_, pair) in &mut bodies {
            if let Pair::Both(both) = pair {
                both.add(&a.scene, &b.scene, &x, &y);
            }
        }
        listener.hear(Message::Working { what: "comparing", done: i + 1, of: frames.len() });
    }
    made.figures = figures.into_iter().map(|f| f.difference).collect();
    made.bodies = bodies.into_iter().map(|(name, pair)| (name, pair.difference())).collect();
    if !made.interrupted {
        made.pictures = compare_pictures(folders, [&a.scene.name, &b.scene.name])?;
    }
    Ok(made)
}

/// A run that is looked at.
struct Run {
    store: Store,
    scene: Scene,
    numbers: BTreeSet<i32>,
    name: String,
}

impl Run {
    fn open(folder: &Path) -> Result<Self, Diagnostic> {
        let name = folder.display().to_string();
        let store = store_of(folder)?;
        let scene = store.scene()?;
        let numbers = Known::read(&store, &scene).numbers().collect();
        Ok(Self { store, scene, numbers, name })
    }

    /// Frame `n`, which fits the scene.
    fn frame(&self, n: i32) -> Result<Frame, Diagnostic> {
        let mut record = self.store.record(n)?;
        record.keep_measures_by(&measures_hash(&self.scene));
        let frame = record.frame;
        let fits = |(i, state): (usize, &BodyState)| match state {
            BodyState::Deformed { positions } => {
                positions.len() == self.scene.mesh_of(i).positions.len()
            }
            BodyState::Posed { .. } => true,
        };
        if frame.bodies.len() == self.scene.bodies.len()
            && frame.bodies.iter().enumerate().all(fits)
        {
            return Ok(frame);
        }
        let problem = Diagnostic::error(format!("frame {n} does not fit the run's scene"));
        Err(problem.at(Place::new(self.name.clone(), 0)))
    }
}

/// A figure that is being gathered.
struct Gathered {
    difference: FigureDifference,
    of: [Of; 2],
}

/// Where a figure is found.
#[derive(Clone, Copy)]
enum Of {
    Figure(Figure),
    Measure(usize),
}

impl Of {
    fn value(self, figures: &Figures) -> Option<f64> {
        match self {
            Self::Figure(value) => value(figures),
            Self::Measure(i) => figures.measures.get(i).copied(),
        }
    }
}

impl Gathered {
    fn new(name: &str, over: Over, of: [Of; 2]) -> Self {
        let name = name.to_owned();
        let difference = FigureDifference { name, over, values: [None; 2], largest: None };
        Self { difference, of }
    }

    fn add(&mut self, frame: i32, a: &Figures, b: &Figures) {
        let new = [self.of[0].value(a), self.of[1].value(b)];
        for (sum, new) in self.difference.values.iter_mut().zip(new) {
            let Some(new) = new else { continue };
            *sum = Some(match (*sum, self.difference.over) {
                (None, _) | (_, Over::Last) => new,
                (Some(old), Over::Sum) => old + new,
                (Some(old), Over::Largest) => old.max(new),
                (Some(old), Over::Smallest) => old.min(new),
            });
        }
        if let [Some(x), Some(y)] = new {
            let by = (x - y).abs();
            if by > self.difference.largest.map_or(0.0, |(largest, _)| largest) {
                self.difference.largest = Some((by, frame));
            }
        }
    }
}

/// The figures that both runs have, and the measures of the same name.
fn figures_of(a: &Scene, b: &Scene) -> Vec<Gathered> {
    let mut all: Vec<Gathered> = FIGURES
        .iter()
        .map(|(name, over, value)| Gathered::new(name, *over, [Of::Figure(*value); 2]))
        .collect();
    for (i, measure) in a.measures.iter().enumerate() {
        if let Some(j) = b.measures.iter().position(|m| m.name == measure.name) {
            all.push(Gathered::new(&measure.name, Over::Last, [Of::Measure(i), Of::Measure(j)]));
        }
    }
    all
}

/// A body of one run or of both.
enum Pair {
    /// It cannot be compared, and why.
    Told(BodyDifference),
    /// Both runs have it, with the same vertices.
    Both(Apart),
}

/// How far the vertices of a body are apart.
struct Apart {
    bodies: [usize; 2],
    largest: f64,
    at: Option<(i32, usize)>,
    squares: f64,
    count: usize,
}

impl Apart {
    fn add(&mut self, a: &Scene, b: &Scene, x: &Frame, y: &Frame) {
        let [i, j] = self.bodies;
        if !(a.bodies[i].is_there(x.time) && b.bodies[j].is_there(y.time)) {
            return;
        }
        let (p, q) = (x.world_positions(a, i), y.world_positions(b, j));
        for (v, (p, q)) in p.iter().zip(&q).enumerate() {
            let square: f64 = (0..3).map(|c| (f64::from(p[c]) - f64::from(q[c])).powi(2)).sum();
            let distance = if square.is_finite() { square.sqrt() } else { f64::INFINITY };
            if distance > self.largest {
                (self.largest, self.at) = (distance, Some((x.number, v)));
            }
            self.squares += distance * distance;
            self.count += 1;
        }
    }
}

impl Pair {
    fn difference(self) -> BodyDifference {
        match self {
            Self::Told(difference) => difference,
            Self::Both(Apart { largest, at, squares, count, .. }) => BodyDifference::Apart {
                largest,
                frame: at.map(|(frame, _)| frame),
                vertex: at.map_or(0, |(_, vertex)| vertex),
                rms: (squares / count.max(1) as f64).sqrt(),
            },
        }
    }
}

fn pairs(a: &Scene, b: &Scene) -> Vec<(String, Pair)> {
    let mut all = Vec::new();
    for (i, body) in a.bodies.iter().enumerate() {
        let pair = match b.body_index(&body.name) {
            None => Pair::Told(BodyDifference::OnlyFirst),
            Some(j) => {
                let (x, y) = (a.mesh_of(i), b.mesh_of(j));
                if x.positions.len() == y.positions.len() && x.pieces() == y.pieces() {
                    let bodies = [i, j];
                    Pair::Both(Apart { bodies, largest: 0.0, at: None, squares: 0.0, count: 0 })
                } else {
                    let sizes = [x, y].map(|m| [m.positions.len(), m.pieces().len()]);
                    Pair::Told(BodyDifference::OtherMesh(sizes))
                }
            }
        };
        all.push((body.name.clone(), pair));
    }
    for body in b.bodies.iter().filter(|body| a.body_index(&body.name).is_none()) {
        all.push((body.name.clone(), Pair::Told(BodyDifference::OnlySecond)));
    }
    all
}

fn seconds(folder: &Path, frames: &[i32]) -> f64 {
    let clocks = Clocks::read(folder);
    frames.iter().filter_map(|n| clocks.simulate.get(n)).sum()
}
