//! Start states: what crosses is pulled apart where the scene asks for it, or refused by name; what is
//! too close is moved apart.

use super::collision::candidates::{Candidates, Kind};
use super::collision::contact_distance::contact_distance;
use super::collision::finder::Finder;
use super::collision::guard::Allowed;
use super::model::{Model, SKIN};
use super::report::{StepEvent, StepEventKind};
use super::step::Scratch;
use super::touching::{self, Meeting, Seam};
use super::{Simulation, build, cage, state::State, untangle};
use crate::diagnostics::Diagnostic;
use crate::geometry::predicates::{crossing_place, neighbours_cross, triangles_cross};
use crate::geometry::{Gap, gap};
use crate::scene::Guard;
use glam::DVec3;

/// Most passes over all pairs that are too close.
const MOST_PASSES: u32 = 400;

/// Part of the contact distance that is enough to begin with.
const ENOUGH: f64 = 0.98;

/// Refuses bodies that start crossing (or pulls them apart), and moves those that start closer than their contact distance
/// apart. Held points and colliders stay where they are.
pub(super) fn separate(simulation: &mut Simulation) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    let Simulation { model, state, report, scratch, .. } = simulation;
    let finder = &mut scratch.bench.finder;
    lift_touching(model, state, finder);
    let seams = touching::part(model, state, finder);
    let start = state.positions.clone();
    if model.scene.collisions.separate {
        untangle::untangle(model, state, finder);
    }
    let crossing = crossings(model, state, finder);
    if !crossing.is_empty() {
        return Err(crossing);
    }
    let untangled = state.positions.clone();
    let left = push_apart(model, state, finder);
    let mut warnings: Vec<Diagnostic> =
        seams.iter().map(|seam| told_of_seam(model, seam)).collect();
    let mut moved: Vec<(usize, bool, f64)> = Vec::new();
    for i in 0..model.carried_end {
        let by = start[i].distance(state.positions[i]);
        let body = model.surface.body_of_node[i] as usize;
        if by > 1e-9 {
            match moved.iter_mut().find(|m| m.0 == body) {
                Some(entry) => entry.2 = entry.2.max(by),
                None => moved.push((body, false, by)),
            }
        }
    }
    for entry in &mut moved {
        let mut nodes = model.bodies[entry.0].nodes.clone();
        entry.1 = nodes.any(|i| untangled[i] != start[i]);
    }
    for (a, crossed, by) in moved {
        let body = &model.scene.bodies[a];
        let kind = StepEventKind::Separated { a, b: a, by };
        report.events.push(StepEvent { time: state.time, kind });
        let how = if crossed { "crossing" } else { "closer than its contact distance" };
        let (name, by) = (&body.name, 1000.0 * by);
        let text = format!("`{name}` starts {how} and was moved by up to {by:.2} mm");
        warnings.push(Diagnostic::warning(text).at(body.place.clone()));
    }
    if let Some((a, b)) = left {
        let (a, b) = (&model.scene.bodies[a], &model.scene.bodies[b]);
        let text = format!(
            "`{}` and `{}` start closer than their contact distance and could not be moved all the way apart",
            a.name, b.name
        );
        warnings.push(
            Diagnostic::warning(text)
                .at(b.place.clone())
                .hint("give them more room or less thickness"),
        );
    }
    Ok(warnings)
}

/// All pairs that are nearer than their contact distance or may become so within `slack`.
fn near_pairs(model: &Model, state: &State, finder: &mut Finder, slack: f64) -> Candidates {
    let mut candidates = Candidates::default();
    candidates.set_boxes(&state.positions, &state.positions, |i| {
        if i < model.carried_end { slack } else { 0.0 }
    });
    finder.find_near(model, &state.positions, None, &mut candidates);
    let there = |i: u32| {
        let body = model.surface.body_of_node[i as usize] as usize;
        model.scene.bodies[body].is_there(state.time)
    };
    candidates.retain(|pair| there(pair.nodes[0]) && there(pair.nodes[3]));
    candidates
}

/// Vertices that lie on a collider's face, or a hair from it, are lifted off along its normal, so that
/// each has a side.
fn lift_touching(model: &Model, state: &mut State, finder: &mut Finder) {
    let mut candidates = near_pairs(model, state, finder, 0.0);
    candidates.measure_all(&state.positions);
    let mut lift = vec![DVec3::ZERO; state.positions.len()];
    for (pair, distance) in candidates.pairs.iter().zip(&candidates.distances) {
        let [v, a, b, c] = pair.nodes.map(|i| i as usize);
        if pair.kind == Kind::VertexTriangle && v < model.carried_end && a >= model.carried_end {
            let x = &state.positions;
            let normal = (x[b] - x[a]).cross(x[c] - x[a]).normalize_or_zero();
            if distance.length() < 0.5 * model.floor {
                lift[v] = normal * (2.0 * model.floor);
            }
        }
    }
    for i in 0..model.point_count {
        state.positions[i] += lift[i];
    }
    for body in whole_bodies(model) {
        let own = model.bodies[body].nodes.clone();
        let most = lift[own].iter().fold(DVec3::ZERO, |most, lift| {
            if lift.length_squared() > most.length_squared() { *lift } else { most }
        });
        shift(model, state, body, most);
    }
}

/// Bodies that are moved apart as a whole: rigid ones, and those whose surface is carried by a cage.
fn whole_bodies(model: &Model) -> impl Iterator<Item = usize> + '_ {
    model.rigids.iter().map(|rigid| rigid.body).chain(cage::bodies(model))
}

/// Moves a body as a whole.
pub(super) fn shift(model: &Model, state: &mut State, body: usize, by: DVec3) {
    if by == DVec3::ZERO {
        return;
    }
    let Some(rigid) = model.bodies[body].rigid.map(|r| &model.rigids[r]) else {
        state.positions[model.bodies[body].movers.clone()].iter_mut().for_each(|x| *x += by);
        return cage::follow(model, &mut state.positions);
    };
    state.poses[body].translation += by;
    rigid.place(model, &state.poses[body], &mut state.positions);
}

/// Whether a body that comes to be there at the present frame or sample crosses one that is there: it cannot.
pub(super) fn check_newcomers(
    model: &Model,
    state: &State,
    finder: &mut Finder,
) -> Result<(), Diagnostic> {
    let scene = &model.scene;
    let before = state.time - scene.timing.frame_dt() / f64::from(super::legs::count(model));
    let is_new = |i: usize| {
        let body = &scene.bodies[i];
        body.is_there(state.time) && !body.is_there(before)
    };
    if !(0..scene.bodies.len()).any(is_new) {
        return Ok(());
    }
    for (a, b) in crossing_bodies(model, state, finder) {
        let (new, other) = if is_new(a) { (a, b) } else { (b, a) };
        if is_new(new) {
            let (new, other) = (&scene.bodies[new], &scene.bodies[other]);
            let text = format!(
                "`{}` appears at {:.3} s where `{}` is: they cross",
                new.name, state.time, other.name
            );
            return Err(Diagnostic::error(text)
                .at(new.place.clone())
                .hint("let it appear elsewhere or at another time"));
        }
    }
    Ok(())
}

/// Lets those pairs collide until script time `end` that the scene's rules let then. What comes to collide cannot cross.
pub(super) fn enforce_rules(simulation: &mut Simulation, end: f64) -> Result<(), Diagnostic> {
    let Simulation { model, state, scratch, parts, .. } = simulation;
    if !model.enforce_rules(end) {
        return Ok(());
    }
    // Their candidates are found by other pairs of bodies.
    *scratch = Scratch::new(model, &state.positions);
    parts.clear();
    if model.scene.solver.guard == Guard::Report {
        return Ok(());
    }
    for (a, b) in crossing_bodies(model, state, &mut scratch.bench.finder) {
        if let Some(rule) = model.rule_at(a, b, state.time).filter(|rule| !rule.collides) {
            let [a, b] = [a, b].map(|body| &model.scene.bodies[body].name);
            let text = format!("`{a}` and `{b}` collide again by {end:.3} s, but they still cross");
            return Err(Diagnostic::error(text)
                .at(rule.place.clone())
                .hint("let the exception end later, when they are apart"));
        }
    }
    Ok(())
}

/// The pairs of bodies that are there and cross, each once; equal numbers where a body crosses itself.
pub(super) fn crossing_bodies(
    model: &Model,
    state: &State,
    finder: &mut Finder,
) -> Vec<(usize, usize)> {
    let points: Vec<[f32; 3]> = state.positions.iter().map(|p| p.as_vec3().to_array()).collect();
    let mut found: Vec<(usize, usize)> = Vec::new();
    let surface = &model.surface;
    let body = |t: u32| surface.body_of_node[surface.triangles[t as usize][0] as usize] as usize;
    finder.triangle_pairs(model, &state.positions, &mut |i, j| {
        let (a, b) = (body(i), body(j));
        let names = (a.min(b), a.max(b));
        let there = |i: usize| model.scene.bodies[i].is_there(state.time);
        if found.contains(&names) || !there(a) || !there(b) {
            return;
        }
        let (ti, tj) = (surface.triangles[i as usize], surface.triangles[j as usize]);
        let crosses = if a == b {
            neighbours_cross(&points, ti, tj)
        } else {
            triangles_cross(ti.map(|k| points[k as usize]), tj.map(|k| points[k as usize]))
        };
        if crosses {
            found.push(names);
        }
    });
    found
}

/// How deep two bodies are in each other, and the direction in which the first is out the soonest, where both
/// keep their shapes and are convex; none for others.
fn depth(model: &Model, state: &State, a: usize, b: usize) -> Option<(f64, DVec3)> {
    let points = |index: usize| -> Option<Vec<DVec3>> {
        let own = model.scene.bodies[index].keeps_shape();
        let mesh = own.then(|| build::touching(&model.scene, index))?;
        let [piece] = <[_; 1]>::try_from(mesh.convex_pieces()?).ok()?;
        let place = |v: u32| state.poses[index].place(mesh.positions[v as usize]);
        Some(piece.into_iter().map(place).collect())
    };
    match gap(&points(a)?, &points(b)?) {
        Gap::Overlap { depth, normal } => Some((depth, normal)),
        Gap::Apart { .. } => None,
    }
}

fn crossings(model: &Model, state: &State, finder: &mut Finder) -> Vec<Diagnostic> {
    let mut found = touching::meetings(model, state, finder);
    found.dedup_by_key(|meeting| meeting.bodies);
    found
        .into_iter()
        .map(|meeting| {
            let [a, b] = meeting.bodies;
            let whereabouts = whereabouts(model, state, &meeting);
            let (first, second) = (&model.scene.bodies[a], &model.scene.bodies[b]);
            let tried = model.scene.collisions.separate && a != b;
            let failed = if tried { ", and no way apart was found" } else { "" };
            let deep = if a == b { None } else { depth(model, state, a, b) };
            let text = if a == b {
                format!("`{}` crosses itself at the start{whereabouts}", first.name)
            } else {
                let by = deep
                    .map_or(String::new(), |(deep, _)| format!(", {:.1} mm deep", 1000.0 * deep));
                let names = format!("`{}` and `{}`", first.name, second.name);
                format!("{names} cross at the start{by}{failed}{whereabouts}")
            };
            let apart = match deep {
                Some((deep, normal)) => {
                    let (one, way) =
                        if model.bodies[b].free { (second, -normal) } else { (first, normal) };
                    // Room for the contact distance, and rounded away from zero.
                    let by = (way * (deep + 2.0 * SKIN)).to_array();
                    let [x, y, z] = by.map(|by| (by.abs() * 1e4).ceil() * by.signum() / 1e4 + 0.0);
                    format!("move `{}` by {{ {x}, {y}, {z} }}", one.name)
                }
                None => "move them apart with `translate`".to_owned(),
            };
            let out = "leave the pair out with `shot:contact{ a, b, collides = false }`";
            let hint = if a == b {
                "mend the mesh there (vertices in one place are made one by `mesh:welded(0.0001)`), or \
                 write `self_collision = false`"
                    .to_owned()
            } else if tried {
                format!("{apart}, or {out}")
            } else {
                format!("{apart}, let `shot:collisions{{ separate = true }}` try it, or {out}")
            };
            Diagnostic::error(text).at(second.place.clone()).hint(hint)
        })
        .collect()
}

/// Where two triangles meet: the place, and which they are.
fn whereabouts(model: &Model, state: &State, meeting: &Meeting) -> String {
    let surface = &model.surface;
    let points = touching::stored(&state.positions);
    let corners =
        meeting.triangles.map(|t| surface.triangles[t as usize].map(|k| points[k as usize]));
    let text = |p: DVec3| {
        let [x, y, z] = p.to_array().map(|x| (x * 1e4).round() / 1e4 + 0.0);
        format!("{{ {x}, {y}, {z} }}")
    };
    let place = crossing_place(corners[0], corners[1]);
    let number = |k: usize| {
        let body = meeting.bodies[k];
        // A hull has triangles of its own.
        let own = model.scene.bodies[body].rigid().is_none_or(|rigid| rigid.hull.is_empty());
        own.then(|| meeting.triangles[k] - surface.body_triangles[body].start)
    };
    let [a, b] = meeting.bodies;
    let lines =
        model.scene.mesh_of(a).triangles.is_empty() || model.scene.mesh_of(b).triangles.is_empty();
    let which = match (number(0), number(1)) {
        (Some(i), Some(j)) if a == b && !lines => {
            format!(", triangles {i} and {j} (counted from 0)")
        }
        (Some(i), Some(j)) if !lines => {
            let names = [a, b].map(|body| &model.scene.bodies[body].name);
            format!(", triangle {i} of `{}` and {j} of `{}` (counted from 0)", names[0], names[1])
        }
        _ => String::new(),
    };
    let (shift, turn) = model.scene.bodies[a].pose_at(state.time);
    let own = turn.inverse() * (place - shift);
    let in_mesh = if a == b && own.distance(place) > 1e-6 {
        format!(", which is {} of its mesh", text(own))
    } else {
        String::new()
    };
    format!(", at {}{in_mesh}{which}", text(place))
}

/// A warning of a sheet whose parts lay in one place.
fn told_of_seam(model: &Model, seam: &Seam) -> Diagnostic {
    let body = &model.scene.bodies[seam.body];
    let [x, y, z] = seam.place.to_array().map(|x| (x * 1e4).round() / 1e4 + 0.0);
    let text = format!(
        "`{}` touches itself along its borders ({} vertices, one at {{ {x}, {y}, {z} }}): they are drawn apart, and \
         nothing holds them together",
        body.name, seam.count
    );
    let hint = "vertices in one place are made one by `mesh:welded(0.0001)`; others are held by `shot:stitch`";
    Diagnostic::warning(text).at(body.place.clone()).hint(hint)
}

/// Which nodes up to `carried_end` are held from the start; a body in a cage is held where its cage is.
pub(super) fn held_nodes(model: &Model) -> Vec<bool> {
    let mut held = vec![false; model.carried_end];
    for hold in &model.holds {
        held[hold.node as usize] =
            held[hold.node as usize] || model.scene.constraints[hold.constraint].starts.is_none();
    }
    for body in cage::bodies(model) {
        let (nodes, movers) = (model.bodies[body].nodes.clone(), model.bodies[body].movers.clone());
        let any = held[movers].iter().any(|held| *held);
        held[nodes].fill(any);
    }
    held
}

/// Pushes pairs apart until all are at their contact distance, guarded like every motion. Returns the
/// bodies of a pair that is still nearer than three quarters of it.
fn push_apart(model: &Model, state: &mut State, finder: &mut Finder) -> Option<(usize, usize)> {
    let held = held_nodes(model);
    let slack = model.reach.iter().fold(0.0, |m: f64, r| m.max(*r));
    // Mostly there is nothing to do.
    let mut candidates = near_pairs(model, state, finder, 0.0);
    let mut allowed = Allowed::default();
    let mut left = None;
    for pass in 0..=MOST_PASSES {
        candidates.measure_all(&state.positions);
        let mut wish = vec![DVec3::ZERO; state.positions.len()];
        let mut count = vec![0u32; state.positions.len()];
        left = None;
        let mut done = true;
        for (pair, distance) in candidates.pairs.iter().zip(&candidates.distances) {
            let d = distance.length();
            // Closest points only of what may be near enough.
            if d >= pair.sum_of_longest(&model.reach) {
                continue;
            }
            let close = &pair.closest(&state.positions);
            let distance = contact_distance(model, pair, close, d);
            if d >= ENOUGH * distance || d == 0.0 {
                continue;
            }
            let movable = |k: usize| {
                let i = pair.nodes[k] as usize;
                i < model.carried_end && !held[i]
            };
            // Such a body moves as a whole: any of its nodes brings the place all the way.
            let share = |k: usize| {
                let whole = pair.nodes[k] as usize >= model.free_count;
                if whole { if k < pair.split() { 1.0 } else { -1.0 } } else { close.weights[k] }
            };
            let squares = |k: usize| share(k).abs() * close.weights[k].abs();
            let sum: f64 = (0..4).filter(|k| movable(*k)).map(squares).sum();
            if sum <= 1e-12 {
                continue;
            }
            done = false;
            if d < 0.75 * distance {
                let body = |k: usize| model.surface.body_of_node[pair.nodes[k] as usize] as usize;
                left = Some((body(0), body(3)));
            }
            let push = close.offset * ((distance - d) / (d * sum));
            for k in (0..4).filter(|k| movable(*k)) {
                wish[pair.nodes[k] as usize] += push * share(k);
                count[pair.nodes[k] as usize] += 1;
            }
        }
        if done {
            return None;
        }
        if pass == 0 {
            candidates = near_pairs(model, state, finder, slack);
            continue;
        }
        for (wish, count) in wish.iter_mut().zip(&count) {
            *wish /= f64::from((*count).max(1));
        }
        for body in whole_bodies(model) {
            together(&mut wish[model.bodies[body].nodes.clone()]);
        }
        let ways: Vec<f64> = wish.iter().map(|w| w.length()).collect();
        allowed.find(model, &candidates, &state.positions, &wish, &ways, model.floor);
        allowed.sort_limits();
        for i in 0..model.point_count {
            state.positions[i] += wish[i] * allowed.fraction[i];
        }
        for body in whole_bodies(model) {
            let nodes = model.bodies[body].nodes.clone();
            let base = &state.positions;
            let blocked = |part: f64| {
                let place = |i: usize| base[i] + wish[i] * part;
                allowed.in_the_way(nodes.start, nodes.end, base, place).is_some()
                    || !nodes.clone().all(|i| candidates.holds(i, place(i)))
            };
            let part = [1.0, 0.5, 0.1, 0.02].into_iter().find(|part| !blocked(*part));
            shift(model, state, body, wish[nodes.start] * part.unwrap_or(0.0));
        }
        if allowed.left_box || pass % 50 == 49 {
            candidates = near_pairs(model, state, finder, slack);
        }
    }
    left
}

/// The vertices of a body that moves as a whole wish as one: the mean of what those wish that are too close.
fn together(wish: &mut [DVec3]) {
    let count = wish.iter().filter(|w| **w != DVec3::ZERO).count();
    if count > 0 {
        let mean = wish.iter().sum::<DVec3>() / count as f64;
        wish.fill(mean);
    }
}
