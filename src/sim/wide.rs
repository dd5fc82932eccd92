//! Numbers of four things of a kind side by side, such as cells or contacts, and vectors of three of them, in double and in
//! single precision.

use glam::{DVec3, Vec4};
use std::ops::{Add, Div, Mul, Neg, Sub};
use wide::f64x4;

/// Things side by side.
pub(crate) const LANES: usize = 4;

/// A number of each.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Wide(f64x4);

impl Wide {
    #[inline(always)]
    pub(crate) fn splat(v: f64) -> Self {
        Self(f64x4::splat(v))
    }

    #[inline(always)]
    pub(crate) fn from_fn(f: impl Fn(usize) -> f64) -> Self {
        Self(f64x4::new([f(0), f(1), f(2), f(3)]))
    }

    #[inline(always)]
    pub(crate) fn narrow(self) -> Vec4 {
        let [a, b, c, d] = self.0.to_array();
        Vec4::new(a as f32, b as f32, c as f32, d as f32)
    }

    #[inline(always)]
    pub(crate) fn sqrt(self) -> Self {
        Self(self.0.sqrt())
    }

    #[inline(always)]
    pub(crate) fn abs(self) -> Self {
        Self(self.0.abs())
    }

    /// The greater of both, of numbers.
    #[inline(always)]
    pub(crate) fn max(self, o: Self) -> Self {
        Self(self.0.fast_max(o.0))
    }

    /// The smaller of both, of numbers.
    #[inline(always)]
    pub(crate) fn min(self, o: Self) -> Self {
        Self(self.0.fast_min(o.0))
    }

    /// `yes` where this is more than `o`, else `no`.
    #[inline(always)]
    pub(crate) fn if_above(self, o: Self, yes: Self, no: Self) -> Self {
        Self(self.0.simd_gt(o.0).select(yes.0, no.0))
    }

    #[inline(always)]
    pub(crate) fn get(self, lane: usize) -> f64 {
        self.0.as_array()[lane]
    }

    pub(crate) fn set(&mut self, lane: usize, value: f64) {
        self.0.as_mut_array()[lane] = value;
    }

    /// The greatest.
    #[inline(always)]
    pub(crate) fn greatest(self) -> f64 {
        let [a, b, c, d] = self.0.to_array();
        a.max(b).max(c.max(d))
    }

    /// The sum.
    #[inline(always)]
    pub(crate) fn sum(self) -> f64 {
        let [a, b, c, d] = self.0.to_array();
        (a + b) + (c + d)
    }
}

macro_rules! by_lanes {
    ($($name:ident, $method:ident, $op:tt);*) => {$(
        impl $name for Wide {
            type Output = Self;
            #[inline(always)]
            fn $method(self, o: Self) -> Self {
                Self(self.0 $op o.0)
            }
        }
    )*};
}
by_lanes!(Add, add, +; Sub, sub, -; Mul, mul, *; Div, div, /);

impl Neg for Wide {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

/// What vectors are made of.
pub(crate) trait Number:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
}

impl Number for Wide {}
impl Number for Vec4 {}

/// A vector of each.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Triple<N>(pub(super) [N; 3]);

impl Triple<Wide> {
    #[inline(always)]
    pub(crate) fn new(x: Wide, y: Wide, z: Wide) -> Self {
        Self([x, y, z])
    }

    #[inline(always)]
    pub(crate) fn from_fn(f: impl Fn(usize) -> DVec3) -> Self {
        let all = [f(0), f(1), f(2), f(3)];
        let row = |k: usize| Wide::from_fn(|lane| all[lane][k]);
        Self::new(row(0), row(1), row(2))
    }

    /// Gives one its vector.
    pub(crate) fn set_lane(&mut self, l: usize, v: DVec3) {
        for (own, v) in self.0.iter_mut().zip(v.to_array()) {
            own.set(l, v);
        }
    }

    /// That of one.
    #[inline(always)]
    pub(crate) fn lane(&self, l: usize) -> DVec3 {
        DVec3::new(self.0[0].get(l), self.0[1].get(l), self.0[2].get(l))
    }

    #[inline(always)]
    pub(crate) fn narrow(&self) -> Triple<Vec4> {
        let [x, y, z] = self.0;
        Triple([x.narrow(), y.narrow(), z.narrow()])
    }
}

impl<N: Number> Triple<N> {
    #[inline(always)]
    pub(crate) fn dot(self, o: Self) -> N {
        self.0[0] * o.0[0] + self.0[1] * o.0[1] + self.0[2] * o.0[2]
    }

    #[inline(always)]
    pub(crate) fn cross(self, o: Self) -> Self {
        let ([a, b, c], [x, y, z]) = (self.0, o.0);
        Self([b * z - c * y, c * x - a * z, a * y - b * x])
    }
}

impl<N: Number> Add for Triple<N> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self([self.0[0] + o.0[0], self.0[1] + o.0[1], self.0[2] + o.0[2]])
    }
}

impl<N: Number> Sub for Triple<N> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Self([self.0[0] - o.0[0], self.0[1] - o.0[1], self.0[2] - o.0[2]])
    }
}

impl<N: Number> Neg for Triple<N> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self([-self.0[0], -self.0[1], -self.0[2]])
    }
}

impl<N: Number> Mul<N> for Triple<N> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, s: N) -> Self {
        Self([self.0[0] * s, self.0[1] * s, self.0[2] * s])
    }
}

/// A matrix of each, by columns.
pub(crate) type Columns<N> = [Triple<N>; 3];

#[inline(always)]
pub(crate) fn times<N: Number>(m: &Columns<N>, v: Triple<N>) -> Triple<N> {
    m[0] * v.0[0] + m[1] * v.0[1] + m[2] * v.0[2]
}

/// A symmetric matrix of each: xx, yy, zz, yz, zx, xy.
pub(crate) type Symmetric<N> = [N; 6];

/// Place of entry (i, j) of a symmetric matrix.
pub(crate) const AT: [[usize; 3]; 3] = [[0, 5, 4], [5, 1, 3], [4, 3, 2]];

/// `sum_k a[k] b[k]^T`, which must be symmetric.
#[inline(always)]
pub(crate) fn sum_of_outer<N: Number>(a: &Columns<N>, b: &Columns<N>) -> Symmetric<N> {
    let entry =
        |i: usize, j: usize| a[0].0[i] * b[0].0[j] + a[1].0[i] * b[1].0[j] + a[2].0[i] * b[2].0[j];
    [entry(0, 0), entry(1, 1), entry(2, 2), entry(1, 2), entry(2, 0), entry(0, 1)]
}

/// `m^T m`.
#[inline(always)]
pub(crate) fn squared<N: Number>(m: &Columns<N>) -> Symmetric<N> {
    let entry = |i: usize, j: usize| m[i].dot(m[j]);
    [entry(0, 0), entry(1, 1), entry(2, 2), entry(1, 2), entry(2, 0), entry(0, 1)]
}

/// The columns of a symmetric matrix.
#[inline(always)]
pub(crate) fn columns<N: Number>(m: &Symmetric<N>) -> Columns<N> {
    let [xx, yy, zz, yz, zx, xy] = *m;
    [Triple([xx, xy, zx]), Triple([xy, yy, yz]), Triple([zx, yz, zz])]
}

/// The part of a symmetric matrix with eigenvalues above zero: two cyclic Jacobi sweeps (Golub and Van
/// Loan, algorithm 8.4.3), after which what is left beside the diagonal is some thousandths of it and is
/// dropped. The result has no negative eigenvalue.
#[inline(always)]
pub(crate) fn positive_part(m: &Symmetric<Vec4>) -> Symmetric<Vec4> {
    const SWEEPS: usize = 2;
    let (zero, one) = (Vec4::ZERO, Vec4::ONE);
    let mut a = *m;
    let mut v = [Triple([one, zero, zero]), Triple([zero, one, zero]), Triple([zero, zero, one])];
    for _ in 0..SWEEPS {
        for (p, q, r) in [(0, 1, 2), (0, 2, 1), (1, 2, 0)] {
            let (off, apart) = (a[AT[p][q]], a[q] - a[p]);
            let twice = off + off;
            // tan of the angle: 2 off / (apart + sign(apart) sqrt(apart^2 + 4 off^2)).
            let most = apart.abs() + (apart * apart + twice * twice).sqrt();
            let t = twice / most.max(Vec4::splat(f32::MIN_POSITIVE)).copysign(apart);
            let c = one / (t * t + one).sqrt();
            let s = t * c;
            a[p] -= t * off;
            a[q] += t * off;
            let (rp, rq) = (a[AT[r][p]], a[AT[r][q]]);
            a[AT[r][p]] = c * rp - s * rq;
            a[AT[r][q]] = s * rp + c * rq;
            a[AT[p][q]] = zero;
            let (vp, vq) = (v[p], v[q]);
            v[p] = vp * c - vq * s;
            v[q] = vp * s + vq * c;
        }
    }
    let scaled = [v[0] * a[0].max(zero), v[1] * a[1].max(zero), v[2] * a[2].max(zero)];
    let part = sum_of_outer(&v, &scaled);
    // What is positive as it is stays exact (Sylvester's criterion).
    let [xx, yy, zz, yz, zx, xy] = *m;
    let minors = [yy * zz - yz * yz, yz * zx - xy * zz, xy * yz - yy * zx];
    let whole = (xx * minors[0] + xy * minors[1] + zx * minors[2]).cmpgt(zero)
        & minors[0].cmpgt(zero)
        & zz.cmpgt(zero);
    let either = |k: usize| Vec4::select(whole, m[k], part[k]);
    [either(0), either(1), either(2), either(3), either(4), either(5)]
}
