//! Expressions that a script's function was recorded to: numbers of a place, a velocity and a time, with
//! their derivatives.

use glam::{DMat3, DVec3};
use serde::{Deserialize, Serialize};

/// Three expressions over shared steps: a vector that depends on a place, a velocity and a time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Field {
    /// Each step may refer to those before it.
    pub steps: Vec<Step>,
    /// The steps that are the vector.
    pub results: [u32; 3],
}

/// One step of an expression; numbers are those of earlier steps.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// A number.
    Number(f64),
    /// Something about the point.
    Given(Given),
    /// A function of one value.
    One(One, u32),
    /// A function of two values.
    Two(Two, u32, u32),
    /// The second value where the first is above zero, else the third.
    Select(u32, u32, u32),
}

/// What is known about a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Given {
    /// Script time [s].
    Time,
    /// Place along an axis, 0 to 2 [m].
    Place(u8),
    /// Velocity along an axis, 0 to 2 [m/s].
    Velocity(u8),
}

/// Functions of one value; angles in radians.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "their names say it")]
pub enum One {
    Negative,
    Sin,
    Cos,
    Exp,
    Log,
    Sqrt,
    Abs,
    Floor,
}

/// Functions of two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "their names say it")]
pub enum Two {
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
    /// The angle of (second, first) from the first axis.
    Atan2,
    Min,
    Max,
}

/// A field at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldAt {
    /// The vector.
    pub value: DVec3,
    /// Its derivative by the place [1/m].
    pub by_place: DMat3,
    /// Its derivative by the velocity [s/m].
    pub by_velocity: DMat3,
}

/// A value with its derivatives by place and velocity.
#[derive(Clone, Copy)]
struct Dual {
    value: f64,
    slopes: [f64; 6],
}

impl Dual {
    fn plain(value: f64) -> Self {
        Self { value, slopes: [0.0; 6] }
    }

    /// A function of it with the derivative `slope`.
    fn to(self, value: f64, slope: f64) -> Self {
        Self { value, slopes: self.slopes.map(|s| if s == 0.0 { 0.0 } else { s * slope }) }
    }

    /// A function of it and another with the derivatives `slopes`.
    fn with(self, other: Self, value: f64, slopes: [f64; 2]) -> Self {
        let (a, b) = (self.to(0.0, slopes[0]), other.to(0.0, slopes[1]));
        Self { value, slopes: std::array::from_fn(|k| a.slopes[k] + b.slopes[k]) }
    }
}

impl One {
    /// Its value and its derivative at `x`; where it has a kink, that to the right.
    pub(crate) fn at(self, x: f64) -> (f64, f64) {
        match self {
            Self::Negative => (-x, -1.0),
            Self::Sin => (libm::sin(x), libm::cos(x)),
            Self::Cos => (libm::cos(x), -libm::sin(x)),
            Self::Exp => (libm::exp(x), libm::exp(x)),
            Self::Log => (libm::log(x), 1.0 / x),
            Self::Sqrt => (x.sqrt(), if x > 0.0 { 0.5 / x.sqrt() } else { 0.0 }),
            Self::Abs => (x.abs(), if x < 0.0 { -1.0 } else { 1.0 }),
            Self::Floor => (x.floor(), 0.0),
        }
    }
}

impl Two {
    /// Its value and its derivatives at `x` and `y`.
    pub(crate) fn at(self, x: f64, y: f64) -> (f64, [f64; 2]) {
        match self {
            Self::Add => (x + y, [1.0, 1.0]),
            Self::Subtract => (x - y, [1.0, -1.0]),
            Self::Multiply => (x * y, [y, x]),
            Self::Divide => (x / y, [1.0 / y, -x / (y * y)]),
            Self::Power => {
                let value = libm::pow(x, y);
                let by_exponent = if x > 0.0 { value * libm::log(x) } else { 0.0 };
                (value, [y * libm::pow(x, y - 1.0), by_exponent])
            }
            Self::Atan2 => {
                let square = x * x + y * y;
                let slopes = if square > 0.0 { [y / square, -x / square] } else { [0.0; 2] };
                (libm::atan2(x, y), slopes)
            }
            Self::Min => (x.min(y), if x <= y { [1.0, 0.0] } else { [0.0, 1.0] }),
            Self::Max => (x.max(y), if x >= y { [1.0, 0.0] } else { [0.0, 1.0] }),
        }
    }
}

impl Field {
    /// Whether all steps refer to earlier ones.
    pub fn is_sound(&self) -> bool {
        let before = |k: usize, ids: &[u32]| ids.iter().all(|i| (*i as usize) < k);
        let sound = |(k, step): (usize, &Step)| match *step {
            Step::Number(n) => n.is_finite(),
            Step::Given(Given::Time) => true,
            Step::Given(Given::Place(axis) | Given::Velocity(axis)) => axis < 3,
            Step::One(_, a) => before(k, &[a]),
            Step::Two(_, a, b) => before(k, &[a, b]),
            Step::Select(a, b, c) => before(k, &[a, b, c]),
        };
        self.steps.iter().enumerate().all(sound) && before(self.steps.len(), &self.results)
    }

    /// The vector at a place [m] with a velocity [m/s] and a time [s], and its derivatives (forward mode:
    /// each step carries those of its value).
    pub fn at(&self, place: DVec3, velocity: DVec3, time: f64) -> FieldAt {
        let mut values: Vec<Dual> = Vec::with_capacity(self.steps.len());
        for step in &self.steps {
            let of = |i: u32| values[i as usize];
            let given = |of: DVec3, axis: u8, first: usize| {
                let mut dual = Dual::plain(of[axis as usize]);
                dual.slopes[first + axis as usize] = 1.0;
                dual
            };
            values.push(match *step {
                Step::Number(n) => Dual::plain(n),
                Step::Given(Given::Time) => Dual::plain(time),
                Step::Given(Given::Place(axis)) => given(place, axis, 0),
                Step::Given(Given::Velocity(axis)) => given(velocity, axis, 3),
                Step::One(function, a) => {
                    let (value, slope) = function.at(of(a).value);
                    of(a).to(value, slope)
                }
                Step::Two(function, a, b) => {
                    let (value, slopes) = function.at(of(a).value, of(b).value);
                    of(a).with(of(b), value, slopes)
                }
                Step::Select(a, b, c) => of(if of(a).value > 0.0 { b } else { c }),
            });
        }
        let rows = self.results.map(|i| values[i as usize]);
        let matrix = |first: usize| {
            let row = |k: usize| {
                let s = &rows[k].slopes;
                DVec3::new(s[first], s[first + 1], s[first + 2])
            };
            DMat3::from_cols(row(0), row(1), row(2)).transpose()
        };
        FieldAt {
            value: DVec3::from_array(rows.map(|row| row.value)),
            by_place: matrix(0),
            by_velocity: matrix(3),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every function, against central differences.
    #[test]
    fn derivatives_are_those_of_the_values() {
        let mut steps = vec![Step::Number(0.7), Step::Given(Given::Time)];
        for axis in 0..3 {
            steps.push(Step::Given(Given::Place(axis)));
            steps.push(Step::Given(Given::Velocity(axis)));
        }
        let ones = [One::Negative, One::Sin, One::Cos, One::Exp, One::Log, One::Sqrt, One::Abs];
        for (k, one) in ones.into_iter().enumerate() {
            steps.push(Step::One(one, 2 + k as u32 % 6));
        }
        let twos = [
            Two::Add,
            Two::Subtract,
            Two::Multiply,
            Two::Divide,
            Two::Power,
            Two::Atan2,
            Two::Min,
            Two::Max,
        ];
        for (k, two) in twos.into_iter().enumerate() {
            steps.push(Step::Two(two, 8 + (k as u32 + 1) % 6, 2 + k as u32 % 6));
        }
        steps.push(Step::Select(2, 9, 10));
        let point = [0.31, 0.52, 0.43, 1.24, 0.85, 0.96];
        for result in 2..steps.len() as u32 {
            let field = Field { steps: steps.clone(), results: [result, 0, 1] };
            assert!(field.is_sound());
            let at = |q: [f64; 6]| {
                field.at(DVec3::new(q[0], q[1], q[2]), DVec3::new(q[3], q[4], q[5]), 0.5)
            };
            let here = at(point);
            for k in 0..6 {
                let shifted = |by: f64| {
                    let mut q = point;
                    q[k] += by;
                    at(q).value.x
                };
                let slope = (shifted(1e-6) - shifted(-1e-6)) / 2e-6;
                let own =
                    if k < 3 { here.by_place.col(k).x } else { here.by_velocity.col(k - 3).x };
                let size = 1.0 + slope.abs();
                assert!(
                    (own - slope).abs() < 1e-7 * size,
                    "{:?}: {own} {slope}",
                    steps[result as usize]
                );
            }
        }
    }
}
