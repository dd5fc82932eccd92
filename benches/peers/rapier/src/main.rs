//! Times the Rapier physics engine on the work of `retake bench pit`, `tower` and `dominoes`, and finds the
//! least time at which it keeps bodies apart to a given depth.
//!
//!     cd benches/peers/rapier && cargo run --release -- CASE SIZE [SECONDS]
//!
//! CASE is `pit`, `tower` or `dominoes`, SIZE is the number of bodies, SECONDS of film are simulated (3, of
//! dominoes 13), on one thread, in single precision, with sleeping on as Rapier comes. Each of the styles in
//! [`STYLES`] is run with 4 and with 16 solver iterations, which in Rapier are substeps, at steps of 1/60 s,
//! 1/120 s, and so on while a run takes no more than about [`LONGEST`] seconds, until one keeps to the least of
//! [`DEPTHS`].
//!
//! Cubes of the pit are turned as far as those of the benchmark, not alike; friction is Rapier's own model.
//!
//! Prints one line of JSON for each run: seconds of computing (processor time of the steps alone) for a second
//! of film; the deepest penetration of any two bodies, walls and ground included, after any step, and after any
//! step past the first second [mm]; the kinetic energy at the end as a part of the largest; and how the scene
//! ends: cubes that left the pit, how far the top of the tower is below its place and beside it [mm], dominoes
//! that lean by more than 45 degrees. Penetration is that of the boxes themselves, by separating axes: the least
//! overlap over the 15 axes of two boxes, whatever margin or skin Rapier has. At last, a line for each depth:
//! the least time of the runs whose scene ends as it should and that are nowhere deeper.

mod depth;
mod settings;

use cpu_time::ThreadTime;
use depth::{Block, deepest};
use rapier3d::glamx::{DVec2, DVec3};
use rapier3d::prelude::*;
use settings::{STYLES, Setting};
use std::f64::consts::{FRAC_PI_2, PI, TAU};
use std::process::ExitCode;

/// No run that would take longer than this is begun [s of computing].
const LONGEST: f64 = 20.0;
/// Depths of the closing lines [mm].
const DEPTHS: [f64; 5] = [10.0, 3.0, 1.0, 0.3, 0.1];
const USAGE: &str = "usage: rapier-peer pit|tower|dominoes SIZE [SECONDS]";

/// What becomes of a run.
struct Outcome {
    cost: f64,
    deepest: f64,
    deepest_at_rest: f64,
    energy: f64,
    ends_well: bool,
    end: String,
}

#[derive(Clone, Copy)]
enum Case {
    Pit,
    Tower,
    Dominoes,
}

struct Scene {
    case: Case,
    size: usize,
    world: PhysicsWorld,
    bodies: Vec<RigidBodyHandle>,
    half: DVec3,
    fixed: Vec<Block>,
    friction: f32,
    skin: f32,
}

/// Numbers evenly between -1 and 1, ever the same (Steele's SplitMix64).
fn chance(state: &mut u64) -> f64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

impl Scene {
    fn new(case: Case, size: usize, setting: &Setting) -> Self {
        let (half, friction) = match case {
            Case::Pit => (DVec3::splat(0.1), 0.5),
            Case::Tower => (DVec3::splat(0.25), 0.4),
            Case::Dominoes => (DVec3::new(0.006, 0.05, 0.025), 0.4),
        };
        let mut world = PhysicsWorld::new();
        world.gravity = Vector::new(0.0, -9.81, 0.0);
        world.integration_parameters = setting.parameters();
        let (bodies, fixed) = (Vec::with_capacity(size), Vec::new());
        let mut made =
            Self { case, size, world, bodies, half, fixed, friction, skin: setting.style.skin };
        made.wall(DVec3::new(0.0, -0.5, 0.0), DVec3::new(10.0, 0.5, 10.0));
        match case {
            Case::Pit => made.pit(),
            Case::Tower => made.tower(),
            Case::Dominoes => made.dominoes(),
        }
        made
    }

    fn collider(&self, half: DVec3) -> ColliderBuilder {
        let half = half.as_vec3();
        ColliderBuilder::cuboid(half.x, half.y, half.z)
            .friction(self.friction)
            .contact_skin(self.skin)
    }

    fn wall(&mut self, centre: DVec3, half: DVec3) {
        let wall = self.collider(half).translation(centre.as_vec3());
        self.world.insert_collider(wall, None);
        self.fixed.push(Block::upright(centre, half));
    }

    /// A body at a place, turned about an axis by its length.
    fn body(&mut self, at: DVec3, turn: DVec3, density: f32, velocity: DVec3, spin: DVec3) {
        let body = RigidBodyBuilder::dynamic()
            .translation(at.as_vec3())
            .rotation(turn.as_vec3())
            .linvel(velocity.as_vec3())
            .angvel(spin.as_vec3());
        let (handle, _) = self.world.insert(body, self.collider(self.half).density(density));
        self.bodies.push(handle);
    }

    /// Cubes along each side of the pit.
    fn across(&self) -> usize {
        (1..).find(|side| side * side * side >= self.size).unwrap_or(self.size)
    }

    fn pit(&mut self) {
        let across = self.across();
        let half = 0.14 * across as f64;
        for (x, z) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0_f64)] {
            let wide = if x == 0.0 { half } else { 0.1 };
            let long = if z == 0.0 { half + 0.2 } else { 0.1 };
            let centre = DVec3::new(x * (half + 0.1), 2.0 * half, z * (half + 0.1));
            self.wall(centre, DVec3::new(wide, 2.0 * half, long));
        }
        let mut state = 0;
        for i in 0..self.size {
            let (column, level) = (i % (across * across), i / (across * across));
            let place = |k: usize| 0.28 * k as f64 - half + 0.14;
            let up = 0.16 + 0.3 * level as f64;
            let at = DVec3::new(place(column % across), up, place(column / across));
            let turn = [(); 3].map(|()| 12_f64.to_radians() * chance(&mut state));
            self.body(at, turn.into(), 500.0, DVec3::ZERO, DVec3::ZERO);
        }
    }

    fn tower(&mut self) {
        for i in 0..self.size {
            let at = DVec3::new(0.0, 0.2502 + 0.5002 * i as f64, 0.0);
            self.body(at, DVec3::ZERO, 500.0, DVec3::ZERO, DVec3::ZERO);
        }
    }

    fn dominoes(&mut self) {
        let (apart, between) = (0.05, 0.2);
        let mut angle = (4.0 * PI * self.size as f64 * apart / between).sqrt() + TAU;
        for i in 0..self.size {
            let radius = between * angle / TAU;
            let DVec2 { x: cosine, y: sine } = DVec2::from_angle(angle);
            let push = if i == 0 { 1.0 } else { 0.0 };
            let velocity = 0.3 * push * DVec3::new(sine, 0.0, -cosine);
            let spin = -6.0 * push * DVec3::new(cosine, 0.0, sine);
            let at = DVec3::new(radius * cosine, 0.0502, radius * sine);
            self.body(at, (FRAC_PI_2 - angle) * DVec3::Y, 600.0, velocity, spin);
            angle -= apart / radius;
        }
    }

    fn blocks(&self) -> Vec<Block> {
        self.bodies.iter().map(|&body| Block::of(&self.world.bodies[body], self.half)).collect()
    }

    fn energy(&self) -> f64 {
        self.bodies.iter().map(|&body| f64::from(self.world.bodies[body].kinetic_energy())).sum()
    }

    /// Whether the scene ended as it should, and how, as a part of the line of JSON.
    fn end(&self) -> (bool, String) {
        let blocks = self.blocks();
        match self.case {
            Case::Pit => {
                let half = 0.14 * self.across() as f64;
                let left = |at: DVec3| at.x.abs() > half || at.z.abs() > half || at.y < 0.0;
                let lost = blocks.iter().filter(|block| left(block.centre)).count();
                (lost == 0, format!("\"lost\":{lost}"))
            }
            Case::Tower => {
                let top = blocks[self.size - 1].centre;
                let (sunk, beside) = (0.5 * self.size as f64 - 0.25 - top.y, top.x.hypot(top.z));
                let end =
                    format!("\"sunk_mm\":{:.2},\"beside_mm\":{:.2}", 1e3 * sunk, 1e3 * beside);
                (sunk.max(beside) < 0.25, end)
            }
            Case::Dominoes => {
                let lies = |block: &&Block| block.axes.y_axis.y < 0.5_f64.sqrt();
                let fallen = blocks.iter().filter(lies).count();
                (fallen == self.size, format!("\"fallen\":{fallen}"))
            }
        }
    }

    fn run(mut self, rate: u32, seconds: f64) -> Outcome {
        let steps = (seconds * f64::from(rate)).round() as u32;
        let (mut cost, mut early, mut late, mut most_energy) = (0.0, 0.0_f64, 0.0_f64, 0.0_f64);
        for step in 1..=steps {
            let began = ThreadTime::now();
            self.world.step();
            cost += began.elapsed().as_secs_f64();
            let depth = 1e3 * deepest(&mut self.blocks(), &self.fixed);
            let when = if step > rate { &mut late } else { &mut early };
            *when = when.max(depth);
            most_energy = most_energy.max(self.energy());
        }
        let (ends_well, end) = self.end();
        let energy = self.energy() / most_energy.max(f64::MIN_POSITIVE);
        let deepest = early.max(late);
        Outcome { cost: cost / seconds, deepest, deepest_at_rest: late, energy, ends_well, end }
    }
}

fn arguments() -> Option<(String, Case, usize, f64)> {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let (case, usual) = match given.first()?.as_str() {
        "pit" => (Case::Pit, 3.0),
        "tower" => (Case::Tower, 3.0),
        "dominoes" => (Case::Dominoes, 13.0),
        _ => return None,
    };
    let size = given.get(1)?.parse().ok().filter(|size| (1..=10000).contains(size))?;
    let seconds = given.get(2).map_or(Some(usual), |text| text.parse().ok())?;
    let fine = given.len() <= 3 && seconds > 0.0 && seconds <= 600.0;
    fine.then(|| (given[0].clone(), case, size, seconds))
}

impl Outcome {
    fn print(&self, title: &str, setting: &Setting) {
        let Setting { style, rate, iterations } = setting;
        print!("{{{title},\"style\":\"{}\",\"step\":\"1/{rate}\",", style.name);
        print!("\"iterations\":{iterations},\"cost\":{:.4},", self.cost);
        print!("\"deepest_mm\":{:.3},", self.deepest);
        print!("\"deepest_after_1s_mm\":{:.3},", self.deepest_at_rest);
        println!("\"energy\":{:.1e},\"ends_well\":{},{}}}", self.energy, self.ends_well, self.end);
    }
}

/// The least time for each depth.
fn print_best(title: &str, runs: &[Outcome]) {
    for depth in DEPTHS {
        let kept = runs.iter().filter(|run| run.ends_well && run.deepest <= depth);
        let best = kept.map(|run| run.cost).min_by(f64::total_cmp);
        let cost = best.map_or("null".into(), |cost| format!("{cost:.4}"));
        println!("{{{title},\"within_mm\":{depth},\"cost\":{cost}}}");
    }
}

fn main() -> ExitCode {
    let Some((name, case, size, seconds)) = arguments() else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let title = format!("\"case\":\"{name}\",\"size\":{size}");
    let mut runs = Vec::new();
    for (style, iterations) in STYLES.iter().flat_map(|style| [(style, 4), (style, 16)]) {
        let mut rate = 60;
        while rate <= style.finest {
            let setting = Setting { style, rate, iterations };
            let run = Scene::new(case, size, &setting).run(rate, seconds);
            run.print(&title, &setting);
            let keeps_to_the_least = run.ends_well && run.deepest <= DEPTHS[4];
            let enough = 2.0 * run.cost * seconds > LONGEST || keeps_to_the_least;
            runs.push(run);
            if enough {
                break;
            }
            rate *= 2;
        }
    }
    print_best(&title, &runs);
    ExitCode::SUCCESS
}
