//! What the outcome of a region depends on beside its state: the part of the scene that concerns its
//! bodies, as one number. Two regions with the same fingerprint have the same model, whatever else is in
//! their scenes.

use crate::diagnostics::Place;
use crate::scene::{BodyKind, Look, RestShape, Scene};
use serde::Serialize;
use std::collections::BTreeSet;

/// Stands for a body that a constraint of a region names and that is not in the region.
const ELSEWHERE: usize = usize::MAX;

/// What of a scene concerns the bodies of a region.
#[derive(Clone, Debug)]
pub(crate) struct Concern {
    /// Its bodies, and those beside that its constraints name, rising.
    pub(crate) bodies: Vec<usize>,
    /// The constraints that name one of its bodies, rising.
    pub(crate) constraints: Vec<usize>,
    /// blake3 of all that its model is made from.
    pub(crate) print: [u8; 32],
}

/// Fingerprints of the bodies of a scene and of what concerns all of them, each made when it is asked for.
#[derive(Default)]
pub(crate) struct Prints {
    bodies: Vec<Option<[u8; 32]>>,
    all: Option<[u8; 32]>,
}

impl Prints {
    /// What of `scene`, the same each time, concerns its bodies `own` (sorted). Bodies, constraints and forces
    /// count by what they are and by their order, not by their numbers: others may come and go before them.
    pub(crate) fn concern(&mut self, scene: &Scene, own: &[usize]) -> Concern {
        let has = |body: &usize| own.binary_search(body).is_ok();
        let constraints: Vec<usize> = (0..scene.constraints.len())
            .filter(|c| scene.constraints[*c].bodies().iter().any(has))
            .collect();
        let named = constraints.iter().flat_map(|c| scene.constraints[*c].bodies());
        let bodies: Vec<usize> =
            own.iter().copied().chain(named).collect::<BTreeSet<_>>().into_iter().collect();
        let rank = |body: usize| bodies.binary_search(&body).unwrap_or(ELSEWHERE);
        let ranks = |list: &[usize]| list.iter().filter(|b| has(b)).map(|b| rank(*b)).collect();
        let mut hash = blake3::Hasher::new();
        hash.update(&self.all(scene));
        // A retake that nobody in particular is to blame for names the scene's first body.
        add(&mut hash, &(bodies.first() == Some(&0)));
        for &body in &bodies {
            add(&mut hash, &(has(&body), self.body(scene, body)));
        }
        for &index in &constraints {
            let mut constraint = scene.constraints[index].clone();
            (constraint.name, constraint.place) = (String::new(), Place::default());
            constraint.for_bodies(|body| *body = rank(*body));
            add(&mut hash, &constraint);
        }
        for force in &scene.forces {
            let mut force = force.clone();
            (force.name, force.place) = (String::new(), Place::default());
            if let Some(acted_on) = &mut force.bodies {
                *acted_on = ranks(acted_on);
                if acted_on.is_empty() {
                    continue;
                }
            }
            add(&mut hash, &force);
        }
        for rule in &scene.contact_pairs {
            let mut rule = rule.clone();
            rule.place = Place::default();
            (rule.a, rule.b) = (ranks(&rule.a), ranks(&rule.b));
            if !(rule.a.is_empty() || rule.b.is_empty()) {
                add(&mut hash, &rule);
            }
        }
        Concern { print: *hash.finalize().as_bytes(), constraints, bodies }
    }

    /// Of what concerns every region.
    fn all(&mut self, scene: &Scene) -> [u8; 32] {
        let fresh = || {
            let mut hash = blake3::Hasher::new();
            add(&mut hash, env!("CARGO_PKG_VERSION"));
            add(&mut hash, &(scene.version, scene.timing.fps, scene.timing.preroll, scene.seed));
            add(&mut hash, &scene.gravity);
            add(&mut hash, &scene.collisions);
            add(&mut hash, &scene.solver);
            // Whether there is any rule at all, and whether any makes something bounce, is asked of the
            // whole list.
            let bounces = |r: &crate::scene::ContactPair| r.restitution.is_some_and(|r| r > 0.0);
            let rules = &scene.contact_pairs;
            add(&mut hash, &(rules.is_empty(), rules.iter().any(bounces)));
            // A region that goes to the end of a frame takes other steps than one that goes to a sample.
            if scene.output.subframes != 1 {
                add(&mut hash, &scene.output.subframes);
            }
            *hash.finalize().as_bytes()
        };
        *self.all.get_or_insert_with(fresh)
    }

    /// Of a body with its meshes: all but what it is called, how it looks and where it is written down.
    fn body(&mut self, scene: &Scene, index: usize) -> [u8; 32] {
        self.bodies.resize(scene.bodies.len(), None);
        let fresh = || {
            let mut hash = blake3::Hasher::new();
            let mut body = scene.bodies[index].clone();
            (body.name, body.group, body.place) = (String::new(), None, Place::default());
            body.look = Look::default();
            (body.visible, body.exports) = (true, true);
            let mut mesh =
                |number: &mut usize| add(&mut hash, &scene.meshes[std::mem::take(number)]);
            mesh(&mut body.mesh);
            match &mut body.kind {
                BodyKind::Cloth(cloth) => {
                    if let RestShape::Mesh(rest) = &mut cloth.rest {
                        mesh(rest);
                    }
                }
                BodyKind::Soft(soft) => soft.cage.iter_mut().for_each(mesh),
                BodyKind::Rigid(_) | BodyKind::Rope(_) | BodyKind::Collider => {}
            }
            add(&mut hash, &body);
            *hash.finalize().as_bytes()
        };
        *self.bodies[index].get_or_insert_with(fresh)
    }
}

/// Adds a value, told apart from what comes before and after it.
fn add<T: Serialize + ?Sized>(hash: &mut blake3::Hasher, value: &T) {
    let json = serde_json::to_vec(value).expect("a scene is plain data");
    hash.update(&(json.len() as u64).to_le_bytes()).update(&json);
}
