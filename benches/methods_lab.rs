//! The methods of the literature on the simulations of Carvalho 2012: the counterpart of tables 5.2, 5.3,
//! 5.5, 5.6, 5.8 and 5.9.
//!
//! `cargo bench --bench methods_lab [-- SIMULATION [DAMP [METHOD]]]` looks for the longest
//! step of each method, in units of 0.0001 s as the thesis does but by bisection, with which the cloth
//! stays regular, and says what the simulation costs with it. `cargo bench --bench methods_lab -- energy`
//! prints what is left of the energy of simulation 1 by method and step. `scenes/theses/README.md` keeps
//! the tables.
//!
//! Regular: numbers stay finite, no spring along a row or column is ever a quarter longer than at rest
//! (RK4 at 0.0001 s: a tenth), and in the second half of the time the cloth is never more than twice as
//! lively (kinetic energy) as RK4's at 0.0001 s at its liveliest. The latter catches the chatter of
//! springs that pull on one side only, which stays bounded; but in simulation 2, without friction, it also
//! takes a cloth for irregular that only slides off its sphere.
#![allow(missing_docs, clippy::print_stdout, reason = "a program that prints a table")]

use retake::director::{self, Defaults, Request};
use retake::scene::{Guard, METHODS, Matter, Method, Scene};
use retake::sim::{BodyPose, Simulation};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// Unit of the search [s]: one over this.
const PER_SECOND: u32 = 10_000;

/// Longest step that is tried [units].
const LONGEST: u32 = 60;

/// Stretch from which on a run is not regular.
const TORN: f64 = 0.25;

/// Mass of the cloth of simulations 1 and 2 [kg].
const MASS: f64 = 0.82;

/// Duration [s], and what is printed for each method: longest step [s], seconds of a processor.
struct Printed {
    duration: f64,
    rows: &'static [(&'static str, f64, f64)],
}

const PRINTED: [Printed; 3] = [
    Printed {
        duration: 4.0,
        rows: &[
            ("explicit_euler", 0.0002, 28.731),
            ("midpoint", 0.0017, 6.108),
            ("rk4", 0.0024, 8.737),
            ("verlet", 0.0012, 12.908),
            ("implicit_jacobi", 0.0020, 53.772),
            ("implicit_sor", 0.0018, 70.955),
        ],
    },
    Printed {
        duration: 3.0,
        rows: &[
            ("explicit_euler", 0.0003, 129.560),
            ("midpoint", 0.0003, 245.774),
            ("rk4", 0.0005, 314.695),
            ("verlet", 0.0008, 107.059),
            ("implicit_jacobi", 0.0008, 432.543),
            ("implicit_sor", 0.0010, 434.861),
        ],
    },
    Printed {
        duration: 4.0,
        rows: &[
            ("explicit_euler", 0.0002, 174.590),
            ("midpoint", 0.0002, 339.038),
            ("rk4", 0.0004, 428.907),
            ("verlet", 0.0007, 147.500),
            ("implicit_jacobi", 0.001, 373.136),
            ("implicit_sor", 0.001, 415.831),
        ],
    },
];

#[allow(dead_code, reason = "a program that has these tables in a page has its own")]
fn main() {
    let mut tell = |line: &str| println!("{line}");
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    if arguments.first().is_some_and(|a| a == "energy") {
        println!("\nEnergy of simulation 1 after 1 s [J] by step [s]\n");
        return energies(&mut tell);
    }
    let chosen = |i: usize, word: &str| arguments.get(i).is_none_or(|a| a == word || a == "all");
    for number in 1..=PRINTED.len() {
        for damp in ["active", "always"] {
            if chosen(0, &number.to_string()) && chosen(1, damp) {
                println!("\nSimulation {number}, damp = \"{damp}\"\n");
                table(number, damp, |method| chosen(2, method), &mut tell);
            }
        }
    }
}

/// Tells the table of the longest steps of simulation `number`, line by line.
pub(crate) fn table(
    number: usize,
    damp: &str,
    chosen: impl Fn(&str) -> bool,
    tell: &mut dyn FnMut(&str),
) {
    let printed = &PRINTED[number - 1];
    tell(
        "| method | longest step [s] | printed | processor [s] | printed | evaluations | sweeps | by Beeman | off [mm] | stretch |",
    );
    tell("|---|---|---|---|---|---|---|---|---|---|");
    let scene = scene(number, damp);
    let reference = run(&scene, Method::Rk4, 1, printed.duration);
    let converged = Converged::new(&scene);
    let even =
        METHODS.iter().filter(|t| t.moves.contains(&Matter::Springs) && t.method != Method::Rk45);
    let mut rows: Vec<(&str, Method, Option<f64>)> =
        even.map(|t| (t.name, t.method, None)).collect();
    rows.push(("implicit_sor, relaxation 0.001", Method::ImplicitSor, Some(0.001)));
    for (name, method, relaxation) in rows.into_iter().filter(|row| chosen(row.0)) {
        let mut scene = scene.clone();
        scene.solver.relaxation = relaxation;
        // Implicit methods are dear where steps are short, and have no need of them.
        let first = if is_implicit(method) { 16 } else { 1 };
        let longest = longest(first, |units| {
            let found = run(&scene, method, units, printed.duration);
            found.is_regular(&reference).then_some(found)
        });
        let (step, cost) = match printed.rows.iter().find(|row| row.0 == name) {
            Some((_, step, cost)) => (format!("{step:.4}"), format!("{cost:.1}")),
            None => ("-".to_owned(), "-".to_owned()),
        };
        let Some((units, found)) = longest else {
            tell(&format!("| {name} | none | {step} | - | {cost} | - | - | - | - | - |"));
            continue;
        };
        let at_least = if units == LONGEST { "at least " } else { "" };
        tell(&format!(
            "| {} | {at_least}{:.4} | {step} | {:.2} | {cost} | {} | {} | {} | {:.1} | {:.3} |",
            name,
            f64::from(units) / f64::from(PER_SECOND),
            found.seconds,
            found.evaluations,
            found.sweeps,
            found.switched,
            1000.0 * converged.apart(&found),
            found.stretch
        ));
    }
}

fn is_implicit(method: Method) -> bool {
    matches!(
        method,
        Method::ImplicitJacobi | Method::ImplicitSor | Method::ImplicitPcg | Method::Bdf2
    )
}

/// The longest regular step [units] and its run: from `first` on doubled while it is regular, then halved
/// between the last that is and the first that is not.
fn longest(first: u32, mut regular: impl FnMut(u32) -> Option<Found>) -> Option<(u32, Found)> {
    let (mut best, mut too_long, mut next) = (None, LONGEST + 1, first);
    loop {
        match regular(next) {
            Some(found) => best = Some((next, found)),
            None => too_long = next,
        }
        let good = best.as_ref().map_or(0, |(units, _)| *units);
        if good + 1 >= too_long {
            return best;
        }
        next = if too_long > LONGEST { (2 * good).min(LONGEST) } else { good.midpoint(too_long) };
    }
}

/// Mechanical energy of simulation 1 after a second, when it has swung down and up once; at the start it
/// is 0. Tells the table line by line.
pub(crate) fn energies(tell: &mut dyn FnMut(&str)) {
    const UNITS: [u32; 5] = [1, 2, 5, 10, 20];
    let steps = UNITS.map(|units| format!("{:.4}", f64::from(units) / f64::from(PER_SECOND)));
    tell(&format!("| method | {} |", steps.join(" | ")));
    tell(&format!("|---|{}", "---|".repeat(UNITS.len())));
    let scene = scene(1, "active");
    for traits in
        METHODS.iter().filter(|t| t.moves.contains(&Matter::Springs) && t.method != Method::Rk45)
    {
        let found = UNITS.map(|units| {
            let mut scene = scene.clone();
            scene.solver.method = traits.method;
            scene.solver.fixed_step = Some(f64::from(units) / f64::from(PER_SECOND));
            scene.solver.solver_tolerance = (traits.method == Method::ImplicitSor).then_some(0.001);
            let mut simulation =
                Simulation::start(&scene).unwrap_or_else(|p| panic!("{p:?}")).simulation;
            let quiet = AtomicBool::new(false);
            for _ in 0..20 {
                if simulation.advance(&[], &quiet).is_err() {
                    return "-".to_owned();
                }
            }
            let (report, view) = (simulation.report(), simulation.view());
            if report.max_stretch > TORN {
                return "-".to_owned();
            }
            let height = view.bodies[0].position.y;
            format!("{:.3}", report.kinetic + report.elastic + MASS * 9.81 * height)
        });
        tell(&format!("| {} | {} |", traits.name, found.join(" | ")));
    }
}

fn scene(number: usize, damp: &str) -> Scene {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let request = Request {
        script: &root.join(format!("scripts/theses/carvalho/simulation_{number}.lua")),
        root,
        assets: &[],
        parameters: &[("damp".to_owned(), damp.into())].into_iter().collect(),
        defaults: Defaults::default(),
    };
    let mut scene = director::build(&request).unwrap_or_else(|p| panic!("{p:?}")).scene;
    scene.solver.guard = Guard::Off;
    scene.solver.step = None;
    scene
}

/// A whole simulation.
struct Found {
    /// No number ran out of range.
    finite: bool,
    /// Largest stretch of an edge.
    stretch: f64,
    /// Largest kinetic energy in the second half [J].
    lively: f64,
    /// Time of the frame next to 0.5 s [units], and places there.
    half: (u32, Vec<[f64; 3]>),
    evaluations: u64,
    /// Sweeps or iterations of the linear systems.
    sweeps: u64,
    /// Points moved by Beeman's method.
    switched: u64,
    /// Of a processor.
    seconds: f64,
}

impl Found {
    fn is_regular(&self, reference: &Self) -> bool {
        self.finite && self.stretch < TORN && self.lively <= 2.0 * reference.lively
    }
}

/// The cloth by RK4 with steps of one unit, at every unit about 0.5 s.
struct Converged {
    first: u32,
    places: Vec<Vec<[f64; 3]>>,
}

impl Converged {
    fn new(scene: &Scene) -> Self {
        let mut scene = scene.clone();
        scene.timing.fps = (PER_SECOND, 1);
        scene.timing.frames = PER_SECOND;
        scene.solver.method = Method::Rk4;
        scene.solver.fixed_step = Some(1.0 / f64::from(PER_SECOND));
        let mut simulation =
            Simulation::start(&scene).unwrap_or_else(|p| panic!("{p:?}")).simulation;
        let (first, last) = (PER_SECOND * 46 / 100, PER_SECOND * 54 / 100);
        let quiet = AtomicBool::new(false);
        let mut places = Vec::new();
        for unit in 1..=last {
            simulation.advance(&[], &quiet).expect("the converged run goes on");
            if unit >= first {
                places.push(places_of(&simulation));
            }
        }
        Self { first, places }
    }

    /// Farthest that a vertex is from where it should be near 0.5 s [m].
    fn apart(&self, found: &Found) -> f64 {
        let (unit, places) = &found.half;
        let right = &self.places[(unit - self.first) as usize];
        let apart =
            |a: &[f64; 3], b: &[f64; 3]| (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt();
        places.iter().zip(right).map(|(a, b)| apart(a, b)).fold(0.0, f64::max)
    }
}

fn places_of(simulation: &Simulation) -> Vec<[f64; 3]> {
    match simulation.body(0) {
        BodyPose::Deformed(places) => places.iter().map(glam::DVec3::to_array).collect(),
        BodyPose::Posed(..) => panic!("the first body is the cloth"),
    }
}

/// Simulates with steps of exactly so many units; a frame is some twentieth of a second, a whole number
/// of them.
fn run(scene: &Scene, method: Method, units: u32, duration: f64) -> Found {
    let mut scene = scene.clone();
    let step = f64::from(units) / f64::from(PER_SECOND);
    let steps = (0.05 / step).round().max(1.0) as u32;
    scene.timing.fps = (PER_SECOND, steps * units);
    scene.solver.method = method;
    scene.solver.fixed_step = Some(step);
    // Section 5.2.
    scene.solver.solver_tolerance = (method == Method::ImplicitSor).then_some(0.001);
    let dt = step * f64::from(steps);
    let frames = (duration / dt).round() as u32;
    scene.timing.frames = frames;
    let mut simulation = Simulation::start(&scene).unwrap_or_else(|p| panic!("{p:?}")).simulation;
    let mut found = Found {
        finite: true,
        stretch: 0.0,
        lively: 0.0,
        half: (0, Vec::new()),
        evaluations: 0,
        sweeps: 0,
        switched: 0,
        seconds: 0.0,
    };
    let quiet = AtomicBool::new(false);
    let clock = Instant::now();
    for frame in 1..=frames {
        if simulation.advance(&[], &quiet).is_err() {
            found.finite = false;
            break;
        }
        let report = simulation.report();
        found.evaluations += report.effort.evaluations;
        found.sweeps += u64::from(report.effort.linear_iterations);
        found.switched += report.effort.switched;
        found.stretch = found.stretch.max(report.max_stretch);
        if 2 * frame > frames {
            found.lively = found.lively.max(report.kinetic);
        }
        if found.stretch >= TORN {
            break;
        }
        if (f64::from(frame) * dt - 0.5).abs() <= 0.5 * dt {
            found.half = (frame * steps * units, places_of(&simulation));
        }
    }
    found.seconds = clock.elapsed().as_secs_f64();
    found
}
