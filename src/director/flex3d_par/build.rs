//! A FLEX3D script as a scene.

use super::super::shot::{ShotState, check_file_safe};
use super::choices::{Choices, Hits, Model};
use super::script::{At, Script};
use super::surface;
use crate::diagnostics::{Diagnostic, Place};
use crate::geometry::TriMesh;
use crate::math::Curve;
use crate::scene::{
    Body, BodyKind, Cloth, Color, ContactPair, Force, ForceKind, MappedCurve, Method, Per,
    RestShape, Scene, SolverSettings, Timing,
};
use glam::DVec3;

/// An outside object, as read.
pub(super) struct Object {
    pub(super) name: String,
    pub(super) place: Place,
    pub(super) mesh: TriMesh,
    /// Linear.
    pub(super) color: Option<[f64; 3]>,
}

/// A shot as long as any.
const MOST_FRAMES: f64 = 10_000_000.0;

/// Builds the scene called `name`. What is wrong with the script's numbers is an error with its
/// keyword.
pub(super) fn build(
    script: &Script,
    choices: &Choices,
    objects: Vec<Object>,
    name: &str,
) -> Result<(Scene, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut errors = problems(script);
    let names = surface_names(script).unwrap_or_else(|problem| {
        errors.push(problem);
        Vec::new()
    });
    if !errors.is_empty() {
        return Err(errors);
    }
    let timing = timing(script).map_err(|problem| vec![problem])?;
    let gravity = Curve::Constant(gravity(choices));
    let mut scene = Scene::new(name.to_owned(), timing, gravity, 1);
    scene.solver = solver(choices);
    scene.output.obt = true;
    let mut warnings = script.warnings.clone();
    for (part, name) in script.surfaces.iter().zip(&names) {
        warnings.extend(surface::doubts(part, name));
        let mesh = surface::mesh(part).map_err(|problem| vec![problem])?;
        let kind = BodyKind::Cloth(Cloth {
            material: surface::material(script, part, choices),
            rest: RestShape::Start,
            shrink: MappedCurve::constant(1.0),
            pressure: None,
        });
        let index = add(&mut scene, name, &part.place, mesh, kind);
        scene.bodies[index].translate = surface::place(part);
        scene.constraints.extend(surface::pin(script, part, index, name));
    }
    for object in objects {
        let names: Vec<&str> = scene.bodies.iter().map(|b| b.name.as_str()).collect();
        let name = free_name(&object.name, &names);
        let index = add(&mut scene, &name, &object.place, object.mesh, BodyKind::Collider);
        if let Some(color) = object.color {
            let look = &mut scene.bodies[index].look;
            (look.color, look.color_given) = (Color(color), true);
        }
    }
    add_forces(&mut scene, script, choices);
    let surfaces: Vec<usize> = (0..script.surfaces.len()).collect();
    match choices.hits {
        Hits::All => {}
        Hits::Objects => scene.contact_pairs.push(ContactPair {
            a: surfaces.clone(),
            b: surfaces,
            restitution: None,
            friction: None,
            collides: false,
            starts: None,
            ends: None,
            place: script.step.place.clone(),
        }),
        Hits::Off => surfaces.iter().for_each(|i| scene.bodies[*i].collides = false),
    }
    Ok((scene, warnings))
}

/// Gravity of the shot [m/s2].
pub(super) fn gravity(choices: &Choices) -> DVec3 {
    DVec3::new(0.0, 0.0 - choices.gravity, 0.0)
}

fn solver(choices: &Choices) -> SolverSettings {
    let defaults = SolverSettings { guard: choices.guard, ..SolverSettings::default() };
    match choices.model {
        Model::Flex3d => SolverSettings {
            method: Method::ExplicitEuler,
            fixed_step: Some(choices.step),
            ..defaults
        },
        Model::Modern => defaults,
    }
}

fn add_forces(scene: &mut Scene, script: &Script, choices: &Choices) {
    let mut add = |name: String, place: &Place, bodies, kind| {
        scene.forces.push(Force {
            name,
            place: place.clone(),
            bodies,
            starts: None,
            ends: None,
            kind,
        });
    };
    let force = DVec3::from_array(script.force.value);
    if choices.model == Model::Flex3d && force != DVec3::ZERO {
        let kind = ForceKind::Uniform { vector: Curve::Constant(force), per: Per::Point };
        add("outside force".into(), &script.force.place, None, kind);
    }
    if choices.model == Model::Modern && force != DVec3::ZERO {
        // The points of a continuum weigh less along its edges: what every point gets is an acceleration.
        for (i, part) in script.surfaces.iter().enumerate() {
            let vector = Curve::Constant(surface::acceleration(script, part));
            let kind = ForceKind::Uniform { vector, per: Per::Mass };
            add(format!("outside force {}", i + 1), &script.force.place, Some(vec![i]), kind);
        }
    }
    if choices.model == Model::Modern {
        for (i, part) in script.surfaces.iter().enumerate() {
            let linear = surface::Continuum::of(script, part).drag;
            if linear > 0.0 {
                let kind = ForceKind::Drag { linear };
                add(format!("friction {}", i + 1), &script.friction.place, Some(vec![i]), kind);
            }
        }
    }
}

fn add(scene: &mut Scene, name: &str, place: &Place, mesh: TriMesh, kind: BodyKind) -> usize {
    let mesh = scene.meshes.iter().position(|m| *m == mesh).unwrap_or_else(|| {
        scene.meshes.push(mesh);
        scene.meshes.len() - 1
    });
    scene.bodies.push(Body::new(name.to_owned(), place.clone(), mesh, kind));
    scene.bodies.len() - 1
}

/// Frame 0 is the start state, so that the file `NAME_k.OBT` is the state at `k / QUADROS_SEG`.
fn timing(script: &Script) -> Result<Timing, Diagnostic> {
    let at = &script.frames_a_second;
    let fps = ratio(at.value).ok_or_else(|| {
        let message = format!("`QUADROS_SEG` must be from 1e-6 to 1e9, not {}", at.value);
        Diagnostic::error(message).at(at.place.clone())
    })?;
    let frames = (script.duration.value * at.value).round();
    if frames > MOST_FRAMES {
        let message = format!("`DURAÇÃO` times `QUADROS_SEG` gives {frames} frames");
        let hint = format!("at most {MOST_FRAMES} are possible");
        return Err(Diagnostic::error(message).at(script.duration.place.clone()).hint(hint));
    }
    Ok(Timing {
        fps,
        frames: frames as u32,
        start_frame: 0,
        preroll: 0.0,
        speed: Curve::Constant(1.0),
        curve_rate: 240.0,
    })
}

/// A decimal number as a fraction.
pub(super) fn ratio(value: f64) -> Option<(u32, u32)> {
    let fits = |n: f64| (n - n.round()).abs() < 1e-9 * n && (1.0..=1e9).contains(&n.round());
    (0..=6).map(|digits| 10u32.pow(digits)).find(|d| fits(value * f64::from(*d))).map(|d| {
        let n = (value * f64::from(d)).round() as u32;
        let (mut a, mut b) = (n, d);
        while b > 0 {
            (a, b) = (b, a % b);
        }
        (n / a, d / a)
    })
}

fn problems(script: &Script) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut wrong = |at: &At<f64>, message: String| {
        found.push(Diagnostic::error(message).at(at.place.clone()));
    };
    if script.duration.value < 0.0 {
        wrong(
            &script.duration,
            format!("`DURAÇÃO` must not be negative: {}", script.duration.value),
        );
    }
    if script.frames_a_second.value <= 0.0 {
        let message =
            format!("`QUADROS_SEG` must be more than 0, not {}", script.frames_a_second.value);
        wrong(&script.frames_a_second, message);
    }
    if script.step.value <= 0.0 {
        wrong(&script.step, format!("`DELTA_t` must be more than 0, not {}", script.step.value));
    }
    if !(0.0..=1.0).contains(&script.friction.value) {
        let message = format!("`ATRITO` must be from 0 to 1, not {}", script.friction.value);
        wrong(&script.friction, message);
    }
    for part in &script.surfaces {
        found.extend(surface::problems(part));
    }
    found
}

/// The surfaces' names; those without one are `superficie1` and so on.
pub(super) fn surface_names(script: &Script) -> Result<Vec<String>, Diagnostic> {
    let mut names: Vec<(String, &Place)> = Vec::new();
    for (part, number) in script.surfaces.iter().zip(1..) {
        let name = part.name.clone().unwrap_or_else(|| format!("superficie{number}"));
        let others = names.iter().map(|(name, place)| (name.as_str(), *place));
        ShotState::check_name(&name, "a surface", others).map_err(|(message, hint)| {
            let mut problem = Diagnostic::error(message).at(part.place.clone());
            problem.hint = hint;
            problem
        })?;
        names.push((name, &part.place));
    }
    Ok(names.into_iter().map(|(name, _)| name).collect())
}

/// `wanted`, made file-safe, or with a number where it is taken.
pub(super) fn free_name(wanted: &str, taken: &[&str]) -> String {
    let safe: String = wanted
        .chars()
        .map(|c| if c.is_alphanumeric() || " _-.".contains(c) { c } else { '_' })
        .collect();
    let safe = safe.trim_matches([' ', '.', '-']).chars().take(80).collect::<String>();
    let safe = if check_file_safe(&safe).is_ok() { safe } else { "object".to_owned() };
    let is_free = |name: &String| !taken.iter().any(|t| t.to_lowercase() == name.to_lowercase());
    let numbered = (2u32..).map(|n| format!("{safe} {n}"));
    std::iter::once(safe.clone()).chain(numbered).find(is_free).unwrap_or_default()
}
