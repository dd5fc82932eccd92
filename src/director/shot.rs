//! The shot while a script builds it.

use super::cuts::Perforation;
use super::sampling::Sampling;
use crate::diagnostics::Place;
use crate::geometry::{Cut, TriMesh};
use crate::math::Curve;
use crate::scene::{Constraint, ConstraintKind, Points, Scene, Timing};
use glam::DVec3;
use mlua::Function;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A constraint that a script holds: it becomes several where parts are released apart.
pub(crate) struct Handle {
    /// Index into `Scene::constraints`.
    pub(crate) constraint: usize,
    /// Releases of some of the points: when, and which.
    pub(crate) releases: Vec<(f64, Vec<Points>)>,
}

/// The shot so far.
pub(crate) struct ShotState {
    pub(crate) scene: Scene,
    pub(crate) place: Option<Place>,
    pub(crate) sampling: Sampling,
    /// World places of each body's vertices at the start.
    pub(crate) starts: Vec<Rc<Vec<DVec3>>>,
    /// The meshes of `scene`, shared with the script's handles.
    pub(crate) meshes: Vec<Rc<TriMesh>>,
    pub(crate) handles: Vec<Handle>,
    /// Lines along which bodies are cut in the end.
    pub(crate) perforations: Vec<Perforation>,
    /// How bodies were cut once the script had ended.
    pub(crate) cuts: Vec<(usize, Cut)>,
    /// Calls that may come once, and where they came.
    pub(crate) once: BTreeMap<&'static str, Option<Place>>,
    /// Cameras whose lens was given as a vertical angle [degrees].
    pub(crate) angles: Vec<(usize, Curve<f64>)>,
    pub(crate) callbacks: Vec<Function>,
    pub(crate) measures: Vec<Function>,
}

impl ShotState {
    pub(crate) fn new(
        name: String,
        place: Option<Place>,
        timing: Timing,
        sampling: Sampling,
        gravity: Curve<DVec3>,
        seed: u64,
    ) -> Self {
        let scene = Scene::new(name, timing, gravity, seed);
        Self {
            scene,
            place,
            sampling,
            starts: Vec::new(),
            meshes: Vec::new(),
            handles: Vec::new(),
            perforations: Vec::new(),
            cuts: Vec::new(),
            once: BTreeMap::new(),
            angles: Vec::new(),
            callbacks: Vec::new(),
            measures: Vec::new(),
        }
    }

    /// Time at which the simulation starts [s].
    pub(crate) fn start_time(&self) -> f64 {
        -self.scene.timing.preroll
    }

    /// Index of `mesh` in the scene; equal meshes are one.
    pub(crate) fn add_mesh(&mut self, mesh: &Rc<TriMesh>) -> usize {
        let same = |known: &Rc<TriMesh>| {
            Rc::ptr_eq(known, mesh)
                || (known.positions.len() == mesh.positions.len() && **known == **mesh)
        };
        self.meshes.iter().position(same).unwrap_or_else(|| {
            self.meshes.push(Rc::clone(mesh));
            self.meshes.len() - 1
        })
    }

    pub(crate) fn mesh_of(&self, body: usize) -> &Rc<TriMesh> {
        &self.meshes[self.scene.bodies[body].mesh]
    }

    /// Refuses a name that is not file-safe or taken by one of `others`.
    pub(crate) fn check_name<'n>(
        name: &str,
        what: &str,
        others: impl Iterator<Item = (&'n str, &'n Place)>,
    ) -> Result<(), (String, Option<String>)> {
        check_file_safe(name)?;
        for (other, place) in others {
            if other == name {
                let message = format!("there is {what} called `{name}` already");
                return Err((message, Some(format!("it is made at {place}"))));
            }
            if other.to_lowercase() == name.to_lowercase() {
                let message = format!("`{name}` and `{other}` differ in capital letters only");
                let hint =
                    format!("they would be one file on some systems; `{other}` is made at {place}");
                return Err((message, Some(hint)));
            }
        }
        Ok(())
    }

    /// The finished scene: what is perforated is cut, and partial releases become constraints of their own. Also gives, for each
    /// handle of the script, the constraints of the scene that it stands for.
    pub(crate) fn finish(&mut self, aspect: f64) -> (Scene, Vec<Vec<usize>>) {
        self.cut_perforations();
        let mut scene = self.scene.clone();
        scene.meshes = self.meshes.iter().map(|m| (**m).clone()).collect();
        scene.callbacks = self.callbacks.len() as u32;
        let mut parts = Vec::new();
        for handle in &self.handles {
            let mut mine = vec![handle.constraint];
            for (at, points) in &handle.releases {
                let (released, kept) = split(&scene.constraints[handle.constraint], points);
                let (Some(mut released), Some(kept)) = (released, kept) else { continue };
                released.name = {
                    let word = format!("{} part", released.name);
                    made_name(&word, scene.constraints.iter().map(|c| c.name.as_str()))
                };
                released.ends = Some(released.ends.map_or(*at, |ends| ends.min(*at)));
                scene.constraints[handle.constraint] = kept;
                mine.push(scene.constraints.len());
                scene.constraints.push(released);
            }
            parts.push(mine);
        }
        for (camera, angle) in &self.angles {
            // lens = half the sensor's height over the tangent of half the angle; 36 mm wide
            let lens = |degrees: f64| 18.0 / aspect / libm::tan((0.5 * degrees).to_radians());
            scene.cameras[*camera].lens = match angle {
                Curve::Constant(degrees) => Curve::Constant(lens(*degrees)),
                moving => {
                    let Sampling { start, rate, .. } = self.sampling;
                    let times = (0..self.sampling.count()).map(|i| start + i as f64 / rate);
                    let values = times.map(|t| lens(moving.at(t))).collect();
                    Curve::Samples { rate, start, values }
                }
            };
        }
        (scene, parts)
    }
}

/// The first free of "pin 1", "pin 2", ...
pub(crate) fn made_name<'n>(word: &str, taken: impl Iterator<Item = &'n str>) -> String {
    let taken: Vec<&str> = taken.collect();
    let names = (1u32..).map(|number| format!("{word} {number}"));
    names.into_iter().find(|name| !taken.contains(&name.as_str())).unwrap_or_default()
}

/// A constraint's part on `points` and the rest; none where that part is empty.
fn split(whole: &Constraint, points: &[Points]) -> (Option<Constraint>, Option<Constraint>) {
    let part = |inside: bool| {
        let mut c = whole.clone();
        let mut order = Vec::new();
        let mut at = 0;
        let mut keeps = |is_chosen: bool| {
            if is_chosen == inside {
                order.push(at);
            }
            at += 1;
            is_chosen == inside
        };
        match &mut c.kind {
            ConstraintKind::Stitch { pairs, .. } => {
                pairs.retain(|pair| keeps(pair.is_among(points)));
            }
            ConstraintKind::Pin { points: list, .. }
            | ConstraintKind::Attach { points: list, .. }
            | ConstraintKind::Freeze { points: list, .. } => {
                for group in list.iter_mut() {
                    let chosen = points.iter().find(|p| p.body == group.body);
                    group.vertices.retain(|v| {
                        keeps(chosen.is_some_and(|p| p.vertices.binary_search(v).is_ok()))
                    });
                }
                list.retain(|group| !group.vertices.is_empty());
            }
            ConstraintKind::Tether { .. }
            | ConstraintKind::Joint(_)
            | ConstraintKind::Carry { .. } => return None,
        }
        if let ConstraintKind::Attach { spots, .. } = &mut c.kind {
            spots.retain(|spot| keeps(spot.is_among(points)));
        }
        c.weight = c.weight.map(|weight| weight.reordered(&order));
        c.stiffness = c.stiffness.map(|stiffness| stiffness.reordered(&order));
        (!order.is_empty()).then_some(c)
    };
    (part(true), part(false))
}

/// Refuses what cannot be a file's name everywhere.
pub(crate) fn check_file_safe(name: &str) -> Result<(), (String, Option<String>)> {
    let allowed = |c: char| c.is_alphanumeric() || " _-.".contains(c);
    let reason = if name.is_empty() {
        "it is empty"
    } else if name.chars().count() > 100 {
        "it has more than 100 letters"
    } else if !name.chars().all(allowed) {
        "a name may have letters, digits, spaces and `_ - .`"
    } else if name.starts_with(['.', ' ', '-']) || name.ends_with(['.', ' ']) {
        "a name may not begin with `.`, `-` or a space, nor end with `.` or a space"
    } else {
        return Ok(());
    };
    Err((format!("`{name}` cannot be a name: {reason}"), Some("names become file names".into())))
}
