//! FLEX3D once more, by another hand and in another style: it reads the numbers of a script by
//! their place, keeps every point by row and column, and asks each point for its eight neighbours.

use std::collections::BTreeMap;

type Vector = [f64; 3];

fn plus(a: Vector, b: Vector, factor: f64) -> Vector {
    [a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]]
}

fn norm(a: Vector) -> f64 {
    (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]).sqrt()
}

#[derive(Clone)]
struct Point {
    x: Vector,
    v: Vector,
    home: Option<Vector>,
}

struct Surface {
    points: BTreeMap<(i32, i32), Point>,
    r: f64,
    mass: f64,
    k: Vector,
    kc: Vector,
    moves: Vec<(Vector, f64, f64)>,
}

/// How the open questions are answered.
#[derive(Clone, Copy)]
pub(crate) struct Answers {
    pub(crate) gravity: f64,
    pub(crate) opposes: bool,
    pub(crate) reaction: bool,
}

pub(crate) struct Program {
    surfaces: Vec<Surface>,
    h: f64,
    quadros: f64,
    force: Vector,
    atrito: f64,
    answers: Answers,
    steps: u64,
}

/// Numbers of a script in their order, without the words.
fn numbers(text: &str) -> Vec<f64> {
    text.split(|c: char| c.is_whitespace() || "=()".contains(c))
        .filter_map(|w| w.parse().ok())
        .collect()
}

impl Program {
    pub(crate) fn read(text: &str, answers: Answers) -> Self {
        let mut parts = text.split("SUPERFÍCIE").filter(|p| p.contains("MALHA"));
        let head = text.split("MALHA").next().unwrap();
        let n = numbers(head);
        let (quadros, h, force, atrito) = (n[1], n[2], [n[3], n[4], n[5]], n[6]);
        let surfaces = parts.by_ref().map(surface).collect();
        Self { surfaces, h, quadros, force, atrito, answers, steps: 0 }
    }

    /// One frame further.
    pub(crate) fn frame(&mut self) {
        for _ in 0..(1.0 / (self.quadros * self.h)).round() as u64 {
            self.steps += 1;
            let t = self.steps as f64 * self.h;
            for index in 0..self.surfaces.len() {
                let next: Vec<_> = self.surfaces[index]
                    .points
                    .iter()
                    .map(|(at, point)| (*at, self.moved(&self.surfaces[index], *at, point, t)))
                    .collect();
                self.surfaces[index].points.extend(next);
            }
        }
    }

    /// Places of a surface, row by row.
    pub(crate) fn places(&self, surface: usize) -> Vec<Vector> {
        let points = &self.surfaces[surface].points;
        points.values().map(|point| point.x).collect()
    }

    fn moved(&self, surface: &Surface, at: (i32, i32), point: &Point, t: f64) -> Point {
        if let Some(home) = point.home {
            let shifted = surface.moves.iter().fold(home, |x, (by, from, to)| {
                plus(x, *by, (t.clamp(*from, *to) - from) * self.quadros)
            });
            return Point { x: shifted, ..point.clone() };
        }
        let weight = [0.0, -self.answers.gravity * surface.mass, 0.0];
        let inner = plus(surface.springs(at), surface.bends(at, self.answers.reaction), 1.0);
        let f = plus(plus(self.force, weight, 1.0), inner, 1.0);
        let speed = norm(point.v);
        let f = if self.answers.opposes && speed > 0.0 {
            plus(f, point.v, -self.atrito * norm(f) / speed)
        } else {
            f.map(|c| c * (1.0 - self.atrito))
        };
        Point {
            x: plus(point.x, point.v, self.h),
            v: plus(point.v, f, self.h / surface.mass),
            home: None,
        }
    }
}

impl Surface {
    fn springs(&self, (i, j): (i32, i32)) -> Vector {
        let here = self.points[&(i, j)].x;
        let mut sum = [0.0; 3];
        for di in -1..=1 {
            for dj in -1..=1 {
                let (k, rest) = match (di, dj) {
                    (0, 0) => continue,
                    (0, _) => (self.k[0], self.r),
                    (_, 0) => (self.k[1], self.r),
                    _ => (self.k[2], self.r * 2f64.sqrt()),
                };
                if let Some(other) = self.points.get(&(i + di, j + dj)) {
                    let d = plus(other.x, here, -1.0);
                    sum = plus(sum, d, k * (norm(d) - rest) / norm(d));
                }
            }
        }
        sum
    }

    /// What the angular springs do to a point: its own, and with reaction those of its neighbours.
    fn bends(&self, at: (i32, i32), reaction: bool) -> Vector {
        let mut sum = [0.0; 3];
        for ((di, dj), kc) in [
            ((0, 1), self.kc[0]),
            ((1, 0), self.kc[1]),
            ((1, 1), self.kc[2]),
            ((1, -1), self.kc[2]),
        ] {
            if kc == 0.0 {
                continue;
            }
            sum = plus(sum, self.bend(at, (di, dj), kc), 1.0);
            if reaction {
                for side in [-1, 1] {
                    let middle = (at.0 + side * di, at.1 + side * dj);
                    sum = plus(sum, self.bend(middle, (di, dj), kc), -0.5);
                }
            }
        }
        sum
    }

    fn bend(&self, (i, j): (i32, i32), (di, dj): (i32, i32), kc: f64) -> Vector {
        let ends = [self.points.get(&(i - di, j - dj)), self.points.get(&(i + di, j + dj))];
        let (Some(p), [Some(a), Some(b)]) = (self.points.get(&(i, j)), ends) else {
            return [0.0; 3];
        };
        [a, b].iter().fold([0.0; 3], |sum, end| {
            let d = plus(end.x, p.x, -1.0);
            plus(sum, d, 0.5 * kc * self.r / norm(d))
        })
    }
}

fn surface(text: &str) -> Surface {
    let (before, after) = text.split_once("TRANSLA").unwrap();
    let n = numbers(before);
    let (rows, columns, r) = (n[0] as i32, n[1] as i32, n[2]);
    let (center, normal) = ([n[3], n[4], n[5]], [n[6], n[7], n[8]]);
    let fixed: Vec<(i32, i32)> = n[17..].chunks(2).map(|p| (p[0] as i32, p[1] as i32)).collect();
    assert_eq!(fixed.len() as f64, n[16]);
    // Columns run along y x n, rows along -(n x u); both printed normals are axes.
    let (u, down) = match normal {
        [0.0, 0.0, 1.0] => ([1.0, 0.0, 0.0], [0.0, -1.0, 0.0]),
        [0.0, 1.0, 0.0] => ([1.0, 0.0, 0.0], [0.0, 0.0, 1.0]),
        other => panic!("no printed script has the normal {other:?}"),
    };
    let mut points = BTreeMap::new();
    for i in 0..rows {
        for j in 0..columns {
            let from_middle = |k: i32, count: i32| r * (f64::from(k) - f64::from(count - 1) / 2.0);
            let x = plus(plus(center, u, from_middle(j, columns)), down, from_middle(i, rows));
            let home = fixed.contains(&(i, j)).then_some(x);
            points.insert((i, j), Point { x, v: [0.0; 3], home });
        }
    }
    let moves = numbers(after).chunks(5).map(|m| ([m[0], m[1], m[2]], m[3], m[4])).collect();
    let triple = |at: usize| [n[at], n[at + 1], n[at + 2]];
    Surface { points, r, mass: n[9], k: triple(10), kc: triple(13), moves }
}
