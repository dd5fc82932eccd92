//! Motions that a solution may have no part in: those that strain a rigid body. Taken out of every
//! product and every preconditioned residual, they leave conjugate gradients on what is orthogonal to them.

use super::lanes::Lane4;
use glam::DVec3;

/// Six motions of four nodes in a row.
#[derive(Clone, Debug)]
pub(crate) struct Barred {
    first: usize,
    motions: [[DVec3; 4]; 6],
}

impl Barred {
    /// Orthonormal `motions` of the nodes from `first` on.
    pub(crate) fn new(first: usize, motions: &[[DVec3; 4]; 6]) -> Self {
        Self { first, motions: *motions }
    }

    /// Takes the motions out of `v`.
    pub(crate) fn take_out_exactly(&self, v: &mut [DVec3]) {
        self.take_out_of_own(&mut v[self.first..self.first + 4]);
    }

    fn take_out_of_own(&self, own: &mut [DVec3]) {
        for motion in &self.motions {
            let part: f64 = motion.iter().zip(&*own).map(|(m, v)| m.dot(*v)).sum();
            for (v, m) in own.iter_mut().zip(motion) {
                *v -= *m * part;
            }
        }
    }
}

/// Takes all barred motions out of `v`.
pub(crate) fn take_out(barred: &[Barred], v: &mut [Lane4]) {
    for body in barred {
        let lanes = &mut v[body.first..body.first + 4];
        let mut own: [DVec3; 4] = std::array::from_fn(|k| lanes[k].to_f64());
        body.take_out_of_own(&mut own);
        for (lane, own) in lanes.iter_mut().zip(own) {
            *lane = Lane4::new(own);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_barred_is_gone_and_the_rest_stays() {
        let mut motions = [[DVec3::ZERO; 4]; 6];
        for (k, motion) in motions.iter_mut().enumerate() {
            motion[k / 3][k % 3] = 1.0;
        }
        let barred = Barred::new(1, &motions);
        let mut v = vec![DVec3::ONE; 6];
        barred.take_out_exactly(&mut v);
        let rest: Vec<DVec3> =
            [1.0, 0.0, 0.0, 1.0, 1.0, 1.0].iter().map(|x| DVec3::splat(*x)).collect();
        assert_eq!(v, rest);
        let mut lanes = vec![Lane4::new(DVec3::ONE); 6];
        take_out(&[barred], &mut lanes);
        assert_eq!(lanes.iter().map(|l| l.to_f64()).collect::<Vec<_>>(), rest);
    }
}
