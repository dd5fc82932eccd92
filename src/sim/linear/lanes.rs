//! Four single-precision numbers side by side, and 3x3 and 6x6 blocks of them: what a preconditioner
//! is made of. A vector of three keeps its fourth lane at zero.

use glam::{BVec4A, DMat3, DVec3, Vec4, Vec4Swizzles};
use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

/// Three numbers and a zero, or four numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(transparent)]
pub(crate) struct Lane4(Vec4);

/// Numbers of a block without gaps.
pub(crate) const PACKED: usize = 9;

impl Lane4 {
    pub(crate) const ZERO: Self = Self(Vec4::ZERO);

    /// The first three numbers and a zero.
    #[inline(always)]
    pub(crate) fn only_three(self) -> Self {
        Self(Vec4::select(BVec4A::new(true, true, true, false), self.0, Vec4::ZERO))
    }

    #[inline(always)]
    pub(crate) fn new(v: DVec3) -> Self {
        Self::from_three(v.x as f32, v.y as f32, v.z as f32)
    }

    #[inline(always)]
    pub(crate) fn from_three(x: f32, y: f32, z: f32) -> Self {
        Self(Vec4::new(x, y, z, 0.0))
    }

    /// The first three numbers.
    #[inline(always)]
    pub(crate) fn three(self) -> [f32; 3] {
        let [x, y, z, _] = self.0.to_array();
        [x, y, z]
    }

    #[inline(always)]
    pub(crate) fn to_f64(self) -> DVec3 {
        let [x, y, z] = self.three();
        DVec3::new(x as f64, y as f64, z as f64)
    }

    #[inline(always)]
    fn abs(self) -> Self {
        Self(self.0.abs())
    }

    /// Scalar product of the first three lanes, summed in double precision in a fixed order.
    #[inline(always)]
    pub(crate) fn dot(self, other: Self) -> f64 {
        let [x, y, z] = (self * other).three();
        (x as f64 + y as f64) + z as f64
    }
}

impl Add for Lane4 {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self(self.0 + o.0)
    }
}

impl Sub for Lane4 {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Self(self.0 - o.0)
    }
}

impl Neg for Lane4 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl Mul for Lane4 {
    type Output = Self;
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        Self(self.0 * o.0)
    }
}

impl Mul<f32> for Lane4 {
    type Output = Self;
    #[inline(always)]
    fn mul(self, s: f32) -> Self {
        Self(self.0 * s)
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

    /// Its numbers by columns.
    pub(crate) fn packed(&self) -> [f32; PACKED] {
        let [a, b, c] = self.0.map(Lane4::three);
        [a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2]]
    }

    /// The block that `numbers` begin with, with what lies behind each column in its fourth lane.
    #[inline(always)]
    pub(crate) fn beside_others(numbers: &[f32]) -> Self {
        let numbers = &numbers[..=PACKED];
        Self([0, 3, 6].map(|k| Lane4(Vec4::from_slice(&numbers[k..]))))
    }

    /// The same without what is in the fourth lanes.
    #[inline(always)]
    pub(crate) fn only_three(self) -> Self {
        Self(self.0.map(Lane4::only_three))
    }

    #[inline(always)]
    pub(crate) fn diagonal(s: f32) -> Self {
        Self::columns([s, 0.0, 0.0], [0.0, s, 0.0], [0.0, 0.0, s])
    }

    /// The matrix of `phi -> phi x r`.
    #[inline(always)]
    pub(crate) fn rotation(r: Lane4) -> Self {
        let [x, y, z] = r.three();
        Self::columns([0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0])
    }

    #[inline(always)]
    pub(crate) fn transpose(&self) -> Self {
        let [a, b, c] = self.0.map(Lane4::three);
        Self::columns([a[0], b[0], c[0]], [a[1], b[1], c[1]], [a[2], b[2], c[2]])
    }

    #[inline(always)]
    fn columns(a: [f32; 3], b: [f32; 3], c: [f32; 3]) -> Self {
        Self([a, b, c].map(|[x, y, z]| Lane4::from_three(x, y, z)))
    }

    #[inline(always)]
    pub(crate) fn times(&self, v: Lane4) -> Lane4 {
        let [a, b, c] = self.parts(v);
        a + b + c
    }

    /// The three columns' parts of the product, of which the product is the sum.
    #[inline(always)]
    pub(crate) fn parts(&self, v: Lane4) -> [Lane4; 3] {
        let [a, b, c] = self.0.map(|column| column.0);
        [Lane4(a * v.0.xxxx()), Lane4(b * v.0.yyyy()), Lane4(c * v.0.zzzz())]
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

    #[inline(always)]
    pub(crate) fn scaled(self, s: f32) -> Self {
        Self { shift: self.shift * s, turn: self.turn * s }
    }

    /// Number by number.
    #[inline(always)]
    pub(crate) fn times(self, o: Self) -> Self {
        Self { shift: self.shift * o.shift, turn: self.turn * o.turn }
    }
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

    #[inline(always)]
    pub(crate) fn scaled(&self, s: f32) -> Self {
        let [ss, st, ts, tt] = [&self.ss, &self.st, &self.ts, &self.tt].map(|b| b.scaled(s));
        Self { ss, st, ts, tt }
    }

    /// Sums of the sizes of the numbers of each row.
    pub(crate) fn row_sums(&self) -> Rigid {
        let sum = |a: &Block3, b: &Block3| {
            a.0.iter().chain(&b.0).fold(Lane4::ZERO, |sum, column| sum + column.abs())
        };
        Rigid { shift: sum(&self.ss, &self.st), turn: sum(&self.ts, &self.tt) }
    }

    /// Adds numbers to the diagonal.
    pub(crate) fn add_diagonal(&mut self, own: Rigid) {
        let diagonal = |v: Lane4| {
            let [x, y, z] = v.three();
            Block3::columns([x, 0.0, 0.0], [0.0, y, 0.0], [0.0, 0.0, z])
        };
        self.ss += diagonal(own.shift);
        self.tt += diagonal(own.turn);
    }

    /// Entry of row `i` and column `j`, 0..6.
    pub(crate) fn entry(&self, i: usize, j: usize) -> f32 {
        let block = match (i < 3, j < 3) {
            (true, true) => &self.ss,
            (true, false) => &self.st,
            (false, true) => &self.ts,
            (false, false) => &self.tt,
        };
        block.0[j % 3].three()[i % 3]
    }

    /// The block with these entries.
    pub(crate) fn from_entries(entry: impl Fn(usize, usize) -> f32) -> Self {
        let part = |row: usize, column: usize| {
            Block3(std::array::from_fn(|j| {
                let at = |i: usize| entry(row + i, column + j);
                Lane4::from_three(at(0), at(1), at(2))
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
