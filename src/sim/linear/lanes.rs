//! Four single-precision numbers side by side, and 3x3 and 6x6 blocks of them: what a preconditioner
//! is made of. A vector of three keeps its fourth lane at zero.

use glam::{DMat3, DVec3};
use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

/// Three numbers and a zero, or four numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(16))]
pub(crate) struct Lane4(pub(crate) [f32; 4]);

impl Lane4 {
    pub(crate) const ZERO: Self = Self([0.0; 4]);

    #[inline(always)]
    pub(crate) fn new(v: DVec3) -> Self {
        Self([v.x as f32, v.y as f32, v.z as f32, 0.0])
    }

    #[inline(always)]
    pub(crate) fn to_f64(self) -> DVec3 {
        DVec3::new(self.0[0] as f64, self.0[1] as f64, self.0[2] as f64)
    }

    /// Scalar product of the four lanes, summed in double precision in a fixed order.
    #[inline(always)]
    pub(crate) fn dot(self, other: Self) -> f64 {
        let p = self * other;
        (p.0[0] as f64 + p.0[1] as f64) + p.0[2] as f64
    }
}

impl Add for Lane4 {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self(std::array::from_fn(|k| self.0[k] + o.0[k]))
    }
}

impl Sub for Lane4 {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Self(std::array::from_fn(|k| self.0[k] - o.0[k]))
    }
}

impl Neg for Lane4 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(self.0.map(|v| -v))
    }
}

impl Mul for Lane4 {
    type Output = Self;
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        Self(std::array::from_fn(|k| self.0[k] * o.0[k]))
    }
}

impl Mul<f32> for Lane4 {
    type Output = Self;
    #[inline(always)]
    fn mul(self, s: f32) -> Self {
        Self(self.0.map(|v| v * s))
    }
}

impl AddAssign for Lane4 {
    #[inline(always)]
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}

impl SubAssign for Lane4 {
    #[inline(always)]
    fn sub_assign(&mut self, o: Self) {
        *self = *self - o;
    }
}

/// A 3x3 block by columns.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub(crate) struct Block3(pub(crate) [Lane4; 3]);

impl Block3 {
    pub(crate) const ZERO: Self = Self([Lane4::ZERO; 3]);

    #[inline(always)]
    pub(crate) fn new(m: &DMat3) -> Self {
        Self([Lane4::new(m.x_axis), Lane4::new(m.y_axis), Lane4::new(m.z_axis)])
    }

    #[inline(always)]
    pub(crate) fn diagonal(s: f32) -> Self {
        Self([Lane4([s, 0.0, 0.0, 0.0]), Lane4([0.0, s, 0.0, 0.0]), Lane4([0.0, 0.0, s, 0.0])])
    }

    /// The matrix of `phi -> phi x r`.
    #[inline(always)]
    pub(crate) fn rotation(r: Lane4) -> Self {
        let [x, y, z, _] = r.0;
        Self([Lane4([0.0, -z, y, 0.0]), Lane4([z, 0.0, -x, 0.0]), Lane4([-y, x, 0.0, 0.0])])
    }

    #[inline(always)]
    pub(crate) fn transpose(&self) -> Self {
        Self(std::array::from_fn(|i| Lane4([self.0[0].0[i], self.0[1].0[i], self.0[2].0[i], 0.0])))
    }

    #[inline(always)]
    pub(crate) fn times(&self, v: Lane4) -> Lane4 {
        self.0[0] * v.0[0] + self.0[1] * v.0[1] + self.0[2] * v.0[2]
    }

    #[inline(always)]
    pub(crate) fn times_block(&self, other: &Self) -> Self {
        Self(other.0.map(|column| self.times(column)))
    }

    #[inline(always)]
    pub(crate) fn scaled(&self, s: f32) -> Self {
        Self(self.0.map(|c| c * s))
    }
}

impl Add for Block3 {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self(std::array::from_fn(|k| self.0[k] + o.0[k]))
    }
}

impl AddAssign for Block3 {
    #[inline(always)]
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}

/// Translation and rotation of a coarse node.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Rigid {
    pub(crate) shift: Lane4,
    pub(crate) turn: Lane4,
}

impl Rigid {
    pub(crate) const ZERO: Self = Self { shift: Lane4::ZERO, turn: Lane4::ZERO };
}

impl AddAssign for Rigid {
    #[inline(always)]
    fn add_assign(&mut self, o: Self) {
        self.shift += o.shift;
        self.turn += o.turn;
    }
}

impl SubAssign for Rigid {
    #[inline(always)]
    fn sub_assign(&mut self, o: Self) {
        self.shift -= o.shift;
        self.turn -= o.turn;
    }
}

/// A 6x6 block: what shift (s) and turn (t) of one node make of shift and turn of another.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Block6 {
    pub(crate) ss: Block3,
    pub(crate) st: Block3,
    pub(crate) ts: Block3,
    pub(crate) tt: Block3,
}

impl Block6 {
    #[inline(always)]
    pub(crate) fn times(&self, v: Rigid) -> Rigid {
        Rigid {
            shift: self.ss.times(v.shift) + self.st.times(v.turn),
            turn: self.ts.times(v.shift) + self.tt.times(v.turn),
        }
    }

    /// Entry of row `i` and column `j`, 0..6.
    pub(crate) fn entry(&self, i: usize, j: usize) -> f32 {
        let block = match (i < 3, j < 3) {
            (true, true) => &self.ss,
            (true, false) => &self.st,
            (false, true) => &self.ts,
            (false, false) => &self.tt,
        };
        block.0[j % 3].0[i % 3]
    }

    /// The block with these entries.
    pub(crate) fn from_entries(entry: impl Fn(usize, usize) -> f32) -> Self {
        let part = |row: usize, column: usize| {
            Block3(std::array::from_fn(|j| {
                let at = |i: usize| entry(row + i, column + j);
                Lane4([at(0), at(1), at(2), 0.0])
            }))
        };
        Self { ss: part(0, 0), st: part(0, 3), ts: part(3, 0), tt: part(3, 3) }
    }
}

impl AddAssign for Block6 {
    #[inline(always)]
    fn add_assign(&mut self, o: Self) {
        self.ss += o.ss;
        self.st += o.st;
        self.ts += o.ts;
        self.tt += o.tt;
    }
}
