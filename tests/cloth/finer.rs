//! What sheets cost in finer meshes.

use crate::scripted::measured;
use crate::{case, run, start};

/// Iterations of conjugate gradients for one of Newton in the first `frames` of a case of `size` vertices a side.
fn iterations(name: &str, size: u32, frames: u32) -> f64 {
    let mut simulation = start(&case(name, size));
    let (mut newton, mut linear) = (0, 0);
    for _ in 0..frames {
        run(&mut simulation, 1);
        let effort = &simulation.report().effort;
        newton += effort.iterations;
        linear += effort.linear_iterations;
    }
    f64::from(linear) / f64::from(newton)
}

/// The condition of a membrane's matrix goes with one over the square of the cells, and iterations with its root: with a
/// preconditioner of one level a sheet with cells a quarter as long takes four times as many. Those of several levels
/// take hardly more; half of that is too many, for a sheet that hangs and for one that lands on a ball.
#[test]
fn conjugate_gradients_take_hardly_more_iterations_where_cells_are_finer() {
    for (name, frames) in [("hang", 6), ("drape", 13)] {
        let [coarse, fine] = [25, 97].map(|size| iterations(name, size, frames));
        measured(&format!("{name}, iterations at 97 a side against 25"), fine, coarse);
        assert!(fine < 2.0 * coarse, "{name}: {fine} against {coarse}");
    }
}
