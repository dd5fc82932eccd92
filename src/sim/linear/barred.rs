//! Motions that forces on rigid bodies may have no part in: those that strain one.

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
    pub(crate) fn take_out(&self, v: &mut [DVec3]) {
        let own = &mut v[self.first..self.first + 4];
        for motion in &self.motions {
            let part: f64 = motion.iter().zip(&*own).map(|(m, v)| m.dot(*v)).sum();
            for (v, m) in own.iter_mut().zip(motion) {
                *v -= *m * part;
            }
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
        barred.take_out(&mut v);
        let rest: Vec<DVec3> =
            [1.0, 0.0, 0.0, 1.0, 1.0, 1.0].iter().map(|x| DVec3::splat(*x)).collect();
        assert_eq!(v, rest);
    }
}
