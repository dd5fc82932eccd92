//! Which bodies belong together: those that constraints tie, and those whose boxes meet.

use super::model::Model;
use super::swept::{Swept, meeting};
use crate::math::Sets;

/// The groups of bodies that may influence each other, each sorted, in order. Given bodies that nothing
/// comes near are in none; those that are not `moving`, fixed or at rest, may be in several. Those that are not
/// `there` are in none.
pub(super) fn divide(
    model: &Model,
    ahead: &[Swept],
    there: &[bool],
    moving: &[bool],
) -> Vec<Vec<usize>> {
    let count = model.bodies.len();
    let mut sets = Sets::new(count);
    // Moving bodies with fixed ones that belong to their groups.
    let mut beside: Vec<(usize, usize)> = Vec::new();
    for constraint in &model.scene.constraints {
        let present = constraint.bodies().into_iter().filter(|b| there[*b]);
        let (own, fixed): (Vec<usize>, Vec<usize>) = present.partition(|&b| moving[b]);
        for pair in own.windows(2) {
            sets.join(pair[0], pair[1]);
        }
        if let Some(&first) = own.first() {
            beside.extend(fixed.into_iter().map(|b| (first, b)));
        }
    }
    let collide = |a: u32, b: u32| {
        let [a, b] = [a, b].map(|body| body as usize);
        there[a] && there[b] && (moving[a] || moving[b]) && model.pair_collides(a, b)
    };
    for [a, b] in meeting(ahead, collide).into_iter().map(|pair| pair.map(|body| body as usize)) {
        match (moving[a], moving[b]) {
            (true, true) => sets.join(a, b),
            (true, false) => beside.push((a, b)),
            _ => beside.push((b, a)),
        }
    }
    let mut groups: Vec<Vec<usize>> = vec![Vec::new(); count];
    for body in (0..count).filter(|b| there[*b] && moving[*b]) {
        groups[sets.first_of(body)].push(body);
    }
    groups.iter_mut().filter(|g| g.iter().all(|b| !model.bodies[*b].free)).for_each(Vec::clear);
    for (body, fixed) in beside {
        let group = &mut groups[sets.first_of(body)];
        if !group.is_empty() {
            group.push(fixed);
        }
    }
    groups.retain(|group| !group.is_empty());
    for group in &mut groups {
        group.sort_unstable();
        group.dedup();
    }
    groups.sort();
    groups
}

/// Whether a body is none that stays where it is for ever.
pub(super) fn moves(model: &Model, body: usize) -> bool {
    model.bodies[body].free || model.bodies[body].moved
}

/// Puts the groups of bodies `a` and `b` together; one that is not `moving` is added to the other's groups.
pub(super) fn connect(moving: &[bool], groups: &mut Vec<Vec<usize>>, a: usize, b: usize) {
    if moving[a] && moving[b] {
        return join(groups, a, b);
    }
    let (fixed, other) = if moving[a] { (b, a) } else { (a, b) };
    for group in groups.iter_mut().filter(|group| group.contains(&other)) {
        if let Err(at) = group.binary_search(&fixed) {
            group.insert(at, fixed);
        }
    }
}

/// Puts the groups of two bodies that move together.
fn join(groups: &mut Vec<Vec<usize>>, a: usize, b: usize) {
    let mut bodies = vec![a, b];
    groups.retain(|group| {
        let touched = group.contains(&a) || group.contains(&b);
        if touched {
            bodies.extend(group);
        }
        !touched
    });
    bodies.sort_unstable();
    bodies.dedup();
    groups.push(bodies);
    groups.sort();
}
