//! How deep boxes are in each other, by separating axes.

use rapier3d::dynamics::RigidBody;
use rapier3d::glamx::{DMat3, DVec3};

/// A box.
pub struct Block {
    pub half: DVec3,
    pub centre: DVec3,
    pub axes: DMat3,
}

impl Block {
    /// A box along the axes of the world.
    pub fn upright(centre: DVec3, half: DVec3) -> Self {
        Self { half, centre, axes: DMat3::IDENTITY }
    }

    /// A body.
    pub fn of(body: &RigidBody, half: DVec3) -> Self {
        let turn = body.rotation().as_dquat().normalize();
        Self { half, centre: body.translation().as_dvec3(), axes: DMat3::from_quat(turn) }
    }

    fn sides(&self) -> [DVec3; 3] {
        [self.axes.x_axis, self.axes.y_axis, self.axes.z_axis]
    }

    fn reach(&self, axis: DVec3) -> f64 {
        self.half.dot((self.axes.transpose() * axis).abs())
    }

    /// How deep two boxes are in each other: the least overlap over 15 axes; 0 where any parts them.
    fn depth(&self, other: &Self) -> f64 {
        let apart = other.centre - self.centre;
        let overlap = |axis: DVec3| self.reach(axis) + other.reach(axis) - apart.dot(axis).abs();
        let (own, others) = (self.sides(), other.sides());
        let mut least = f64::INFINITY;
        for axis in own.into_iter().chain(others) {
            least = least.min(overlap(axis));
            if least <= 0.0 {
                return 0.0;
            }
        }
        for (a, b) in own.into_iter().flat_map(|a| others.map(|b| (a, b))) {
            let axis = a.cross(b);
            let length = axis.length();
            // Edges as good as parallel part nothing that the faces do not.
            if length > 1e-6 {
                least = least.min(overlap(axis / length));
            }
        }
        least.max(0.0)
    }
}

/// The deepest penetration of any pair of boxes of one size, and of them in fixed ones.
pub fn deepest(blocks: &mut [Block], fixed: &[Block]) -> f64 {
    blocks.sort_unstable_by(|a, b| a.centre.x.total_cmp(&b.centre.x));
    let mut most = 0.0_f64;
    for (i, a) in blocks.iter().enumerate() {
        let reach = 2.0 * a.half.length();
        for b in blocks[i + 1..].iter().take_while(|b| b.centre.x - a.centre.x < reach) {
            if a.centre.distance_squared(b.centre) < reach * reach {
                most = most.max(a.depth(b));
            }
        }
        most = fixed.iter().map(|b| a.depth(b)).fold(most, f64::max);
    }
    most
}
