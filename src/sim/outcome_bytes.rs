//! The outcome of a region as bytes that mean the same in another scene: bodies and constraints are counted
//! within the region, nodes are numbered as its own model has them.

use super::cage;
use super::fingerprint::Concern;
use super::model::Model;
use super::part::{Begun, Outcome, Part};
use super::planes::{flat, pack as pack_planes, points, unpack as unpack_planes};
use super::report::{FrameReport, StepEventKind};
use super::solved::Source;
use super::state::{Frozen, JointChange, Push, State};
use super::swept::Swept;
use super::whereabouts::Whereabouts;
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// Stands for a body that is not of the region: the scene's first, which a retake that nobody in particular is
/// to blame for names.
const NOBODY: usize = usize::MAX;

#[derive(Serialize, Deserialize)]
struct Packed {
    /// Without the lists that follow.
    state: State,
    points: Vec<u8>,
    /// Places of rigid bodies and of what is carried or given.
    rest: Vec<u8>,
    velocities: Vec<u8>,
    falling: Vec<u8>,
    report: FrameReport,
    /// Boxes that the bodies swept, in their order.
    swept: Vec<Swept>,
}

/// What the outcome of a region follows from: what concerns it, and blake3 of which of its bodies stand and of
/// its state, in the numbers of its own model, with the end of the span [s].
pub(crate) fn key(concern: &Concern, part: &Part, state: &State, end: f64) -> Source {
    let mut hash = blake3::Hasher::new();
    hash.update(&end.to_bits().to_le_bytes());
    for body in &part.bodies {
        hash.update(&[u8::from(part.standing.binary_search(body).is_ok())]);
    }
    hash.update(&within(state, concern, &part.bodies).to_bytes());
    [concern.print, *hash.finalize().as_bytes()]
}

/// What `part` has come to from `begun`; none where its report names what does not concern it.
pub(crate) fn pack(part: &Part, begun: &Begun, outcome: &Outcome) -> Option<Vec<u8>> {
    let (concern, model) = (part.concern.as_ref()?, part.model());
    let (before, after) = (&begun.state, &outcome.state);
    let components = |list: &[DVec3]| flat(list).collect::<Vec<f64>>();
    let guess = guess(model, before, after, &after.positions[..model.point_count]);
    let (own, others) = after.positions.split_at(model.point_count);
    let mut state = within(after, concern, &part.bodies);
    (state.positions, state.velocities, state.falling) = (Vec::new(), Vec::new(), Vec::new());
    let mut report = outcome.report.clone();
    let mut others_named = false;
    renumber(&mut report, |named| match named {
        Named::Body(body) => concern.bodies.binary_search(&body).unwrap_or_else(|_| {
            others_named |= body != 0;
            NOBODY
        }),
        Named::Constraint(index) => {
            concern.constraints.binary_search(&index).unwrap_or_else(|_| {
                others_named = true;
                NOBODY
            })
        }
    });
    if others_named {
        return None;
    }
    let packed = Packed {
        points: pack_planes(&components(own), &components(&before.positions[..own.len()])),
        rest: pack_planes(&components(others), &components(&guess[own.len()..])),
        velocities: pack_planes(&components(&after.velocities), &components(&before.velocities)),
        falling: pack_planes(&after.falling, &before.falling),
        state,
        report,
        swept: part.bodies.iter().map(|b| part.swept(*b)).collect(),
    };
    Some(postcard::to_stdvec(&packed).expect("plain data always serialises"))
}

/// What [`pack`] packed from the same begin, and the boxes that the bodies of the part swept, in their
/// order; none where it does not fit.
pub(crate) fn unpack(part: &Part, begun: &Begun, bytes: &[u8]) -> Option<(Outcome, Vec<Swept>)> {
    let (concern, model) = (part.concern.as_ref()?, part.model());
    let packed: Packed = postcard::from_bytes(bytes).ok()?;
    let before = &begun.state;
    let components = |list: &[DVec3]| flat(list).collect::<Vec<f64>>();
    let list =
        |planes: &[u8], guess: &[DVec3]| Some(points(&unpack_planes(planes, &components(guess))?));
    let mut state = without(packed.state, before, concern)?;
    let mut positions = list(&packed.points, &before.positions[..model.point_count])?;
    let guess = guess(model, before, &state, &positions);
    positions.extend(list(&packed.rest, &guess[model.point_count..])?);
    state.positions = positions;
    state.velocities = list(&packed.velocities, &before.velocities)?;
    state.falling = unpack_planes(&packed.falling, &before.falling)?;
    let mut report = packed.report;
    renumber(&mut report, |named| match named {
        Named::Body(rank) => concern.bodies.get(rank).copied().unwrap_or(0),
        Named::Constraint(rank) => concern.constraints.get(rank).copied().unwrap_or(0),
    });
    (packed.swept.len() == part.bodies.len()).then_some((Outcome { state, report }, packed.swept))
}

/// Where all nodes are when the points are at `points` and the poses those of `after`, as far as these tell; what
/// does not move is where it was `before`.
fn guess(model: &Model, before: &State, after: &State, points: &[DVec3]) -> Vec<DVec3> {
    let mut x = before.positions.clone();
    x[..points.len()].copy_from_slice(points);
    cage::follow(model, &mut x);
    for rigid in &model.rigids {
        rigid.place(model, &after.poses[rigid.body], &mut x);
    }
    for (index, body) in model.bodies.iter().enumerate() {
        if body.moved && body.deforms {
            let mut there = Whereabouts::present(model, before);
            there.give(model, index, after.time);
            there.place(model, index, &mut x);
        } else if body.moved {
            for i in body.nodes.clone() {
                x[i] = after.poses[index].place(model.rest[i]);
            }
        }
    }
    x
}

/// The state of a part with bodies and constraints counted within it, and without what is not its own.
fn within(state: &State, concern: &Concern, own: &[usize]) -> State {
    let Concern { bodies, constraints, .. } = concern;
    let rank = |body: u32| bodies.binary_search(&(body as usize)).map(|b| b as u32).ok();
    let has = |body: u32| own.binary_search(&(body as usize)).is_ok();
    let pair = |&(a, b): &(u32, u32)| Some((rank(a)?, rank(b)?)).filter(|_| has(a) && has(b));
    let place = |f: &Frozen| {
        let constraint = constraints.binary_search(&(f.constraint as usize)).unwrap_or(NOBODY);
        Frozen { constraint: constraint as u32, ..*f }
    };
    let change = |joint: &JointChange| {
        let own = constraints.binary_search(&(joint.constraint as usize)).ok()?;
        Some(JointChange { constraint: own as u32, ..joint.clone() })
    };
    let push = |push: &Push| {
        has(push.body).then(|| Push { body: rank(push.body).unwrap_or_default(), ..push.clone() })
    };
    State {
        frame: 0,
        poses: pick(&state.poses, bodies),
        obstacles: pick(&state.obstacles, bodies),
        pace: pick(&state.pace, bodies),
        pressed: pick(&state.pressed, bodies),
        steps: pick(&state.steps, bodies),
        heaped: pick(&state.heaped, bodies),
        constraints: pick(&state.constraints, constraints),
        touched: state.touched.iter().filter_map(pair).collect(),
        frozen: state.frozen.iter().map(place).collect(),
        joints: state.joints.iter().filter_map(change).collect(),
        pushes: state.pushes.iter().filter_map(push).collect(),
        ..state.clone()
    }
}

/// The state that [`within`] was made of, with the others' as they were `before`; none where it does not fit.
fn without(own: State, before: &State, concern: &Concern) -> Option<State> {
    let Concern { bodies, constraints, .. } = concern;
    let mut state = before.clone();
    put(&mut state.poses, bodies, own.poses)?;
    put(&mut state.obstacles, bodies, own.obstacles)?;
    put(&mut state.pace, bodies, own.pace)?;
    put(&mut state.pressed, bodies, own.pressed)?;
    put(&mut state.steps, bodies, own.steps)?;
    put(&mut state.heaped, bodies, own.heaped)?;
    put(&mut state.constraints, constraints, own.constraints)?;
    for (a, b) in own.touched {
        let body = |rank: u32| bodies.get(rank as usize).map(|body| *body as u32);
        let pair = (body(a)?, body(b)?);
        if let Err(at) = state.touched.binary_search(&pair) {
            state.touched.insert(at, pair);
        }
    }
    state.frozen = Vec::new();
    for frozen in own.frozen {
        let constraint = *constraints.get(frozen.constraint as usize)? as u32;
        state.frozen.push(Frozen { constraint, ..frozen });
    }
    let fits = [
        own.holds.len() == state.holds.len(),
        own.stitches.len() == state.stitches.len(),
        own.ties.len() == state.ties.len(),
        own.gauges.len() == state.gauges.len(),
        own.twists.len() == state.twists.len(),
        own.creases.len() == state.creases.len(),
        own.plastic_cells.len() == state.plastic_cells.len(),
        own.plastic_shapes.len() == state.plastic_shapes.len(),
    ];
    fits.iter().all(|fits| *fits).then_some(State {
        time: own.time,
        memory: own.memory,
        holds: own.holds,
        stitches: own.stitches,
        ties: own.ties,
        gauges: own.gauges,
        twists: own.twists,
        creases: own.creases,
        plastic_cells: own.plastic_cells,
        plastic_shapes: own.plastic_shapes,
        past: own.past,
        ..state
    })
}

fn pick<T: Clone>(list: &[T], which: &[usize]) -> Vec<T> {
    which.iter().map(|i| list[*i].clone()).collect()
}

/// Puts what [`pick`] picked back; none where there is another number of it.
fn put<T>(list: &mut [T], which: &[usize], picked: Vec<T>) -> Option<()> {
    if picked.len() != which.len() {
        return None;
    }
    for (i, value) in which.iter().zip(picked) {
        list[*i] = value;
    }
    Some(())
}

/// What a report names.
#[derive(Clone, Copy)]
enum Named {
    Body(usize),
    Constraint(usize),
}

/// Gives the bodies and constraints of a report other numbers; the order of bodies stays.
fn renumber(report: &mut FrameReport, mut number: impl FnMut(Named) -> usize) {
    let mut body = |b: &mut usize| *b = number(Named::Body(*b));
    for retake in &mut report.retakes {
        retake.region.iter_mut().chain(&mut retake.between).for_each(&mut body);
    }
    for region in &mut report.regions {
        region.bodies.iter_mut().for_each(&mut body);
    }
    for (a, b, ..) in &mut report.touches {
        [a, b].into_iter().for_each(&mut body);
    }
    for (a, b, ..) in &mut report.depths {
        [a, b].into_iter().for_each(&mut body);
    }
    for event in &mut report.events {
        match &mut event.kind {
            StepEventKind::FirstTouch { a, b }
            | StepEventKind::Crossed { a, b }
            | StepEventKind::Separated { a, b, .. }
            | StepEventKind::GaveWay { body: a, other: b, .. }
            | StepEventKind::Unresolved { between: [a, b], .. } => {
                (*a, *b) = (number(Named::Body(*a)), number(Named::Body(*b)));
            }
            StepEventKind::Pinched { body } => *body = number(Named::Body(*body)),
            StepEventKind::Broke { constraint }
            | StepEventKind::Released { constraint }
            | StepEventKind::Froze { constraint }
            | StepEventKind::HeldOpen { constraint } => {
                *constraint = number(Named::Constraint(*constraint));
            }
        }
    }
}
