//! One surface of a FLEX3D script as a cloth, and what holds it.

use super::choices::{Choices, Model};
use super::script::{Script, Surface, Translation};
use crate::diagnostics::Diagnostic;
use crate::geometry::TriMesh;
use crate::geometry::primitives::Grid;
use crate::math::{Curve, Ease};
use crate::scene::{
    ClothMaterial, Constraint, ConstraintKind, Flex3d, Membrane, Motion, Move, Points, VertexMap,
};
use glam::DVec3;

/// Directions along rows and up on a surface that faces `normal`: rows run along y x n (along +x
/// where n is along y), up is n x u; row 0 is the top edge.
pub(super) fn axes(normal: [f64; 3]) -> Option<(DVec3, DVec3)> {
    let n = DVec3::from_array(normal).try_normalize()?;
    let right = DVec3::Y.cross(n);
    let right = if right.length() < 1e-12 { DVec3::X } else { right.normalize() };
    Some((right, n.cross(right)))
}

/// Width and height of the flat surface [m].
pub(super) fn size(surface: &Surface) -> [f64; 2] {
    let [rows, columns] = surface.mesh.value;
    [columns, rows].map(|count| f64::from(count.saturating_sub(1)) * surface.spacing.value)
}

/// The flat start mesh about the origin.
pub(super) fn mesh(surface: &Surface) -> Result<TriMesh, Diagnostic> {
    let [rows, columns] = surface.mesh.value;
    let (_, up) = axes(surface.normal.value).unwrap_or((DVec3::X, DVec3::Y));
    let grid = Grid {
        size: size(surface),
        vertices: Some([columns, rows]),
        normal: Some(DVec3::from_array(surface.normal.value)),
        up: Some(up),
        ..Grid::default()
    };
    grid.build().map_err(|d| d.at(surface.mesh.place.clone()))
}

/// What is wrong with a surface's numbers.
pub(super) fn problems(surface: &Surface) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut wrong = |place: &crate::diagnostics::Place, message: String, hint: Option<&str>| {
        let mut problem = Diagnostic::error(message).at(place.clone());
        problem.hint = hint.map(str::to_owned);
        found.push(problem);
    };
    let [rows, columns] = surface.mesh.value;
    if rows < 2 || columns < 2 {
        let message = format!("`MALHA` ({rows} {columns}) needs at least 2 rows and 2 columns");
        wrong(&surface.mesh.place, message, None);
    }
    if surface.spacing.value <= 0.0 {
        let message = format!("`DENSIDADE` must be more than 0, not {}", surface.spacing.value);
        let hint = "it is the distance between neighbouring points at the start";
        wrong(&surface.spacing.place, message, Some(hint));
    }
    if surface.mass.value <= 0.0 {
        let message = format!("`MASSA` must be more than 0, not {}", surface.mass.value);
        wrong(&surface.mass.place, message, Some("it is the mass of each point"));
    }
    if axes(surface.normal.value).is_none() {
        wrong(&surface.normal.place, "`VETOR_NORMAL` must not be zero".into(), None);
    }
    for (what, at) in
        [("CONST_ELASTICIDADE", &surface.elasticity), ("CONST_CURVATURA", &surface.curvature)]
    {
        if let Some(k) = at.value.iter().find(|k| **k < 0.0) {
            wrong(&at.place, format!("`{what}` must not be negative, and holds {k}"), None);
        }
    }
    let outside =
        surface.fixed.value.iter().find(|[row, column]| *row >= rows || *column >= columns);
    if let Some([row, column]) = outside {
        let message = format!(
            "`PONTOS_FIXOS` names the point {row} {column} of a mesh of {rows} rows and {columns} columns"
        );
        let hint =
            "rows and columns are counted from 0, with a blank between them: `9 0` and not `90`";
        wrong(&surface.fixed.place, message, Some(hint));
    }
    for t in surface.translations.iter().filter(|t| t.ends < t.starts) {
        let message = format!("`FIM_TRANSL` {} lies before `INI_TRANSL` {}", t.ends, t.starts);
        wrong(&t.place, message, None);
    }
    found
}

/// What is doubtful about a surface.
pub(super) fn doubts(surface: &Surface, name: &str) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for t in surface.translations.iter().filter(|t| t.by != [0.0; 3]) {
        let doubt = if surface.fixed.value.is_empty() {
            "moves fixed points, and there are none"
        } else if t.starts == t.ends {
            "lasts no time: `INI_TRANSL` and `FIM_TRANSL` are equal"
        } else {
            continue;
        };
        let message = format!("`TRANSLAÇÃO` of `{name}` {doubt}");
        found.push(Diagnostic::warning(message).at(t.place.clone()));
    }
    found
}

/// The surface's fixed points, sorted, each once.
pub(super) fn fixed_vertices(surface: &Surface) -> Vec<u32> {
    let columns = surface.mesh.value[1];
    let mut vertices: Vec<u32> = surface.fixed.value.iter().map(|[r, c]| r * columns + c).collect();
    vertices.sort_unstable();
    vertices.dedup();
    vertices
}

/// Translations that move something.
pub(super) fn moving(surface: &Surface) -> impl Iterator<Item = &Translation> {
    surface.translations.iter().filter(|t| t.by != [0.0; 3] && t.ends > t.starts)
}

/// Frames that a translation lasts: so many, times what it moves from one to the next, is its way.
pub(super) fn frames_of(script: &Script, t: &Translation) -> f64 {
    (t.ends - t.starts) * script.frames_a_second.value
}

/// What holds the fixed points of body `body`; none where there are none.
pub(super) fn pin(
    script: &Script,
    surface: &Surface,
    body: usize,
    name: &str,
) -> Option<Constraint> {
    let vertices = fixed_vertices(surface);
    if vertices.is_empty() {
        return None;
    }
    let moves = moving(surface).map(|t| Move::Translate {
        starts: t.starts,
        ends: t.ends,
        by: DVec3::from_array(t.by.map(|by| by * frames_of(script, t))),
        ease: Ease::Linear,
    });
    let motion = Motion { moves: moves.collect(), ..Motion::default() };
    Some(Constraint {
        name: pin_name(name),
        place: surface.fixed.place.clone(),
        starts: None,
        ends: None,
        stiffness: None,
        weight: None,
        breaks_at: None,
        kind: ConstraintKind::Pin { points: vec![Points { body, vertices }], motion },
    })
}

/// Name of the pin that holds a surface's fixed points.
pub(super) fn pin_name(surface: &str) -> String {
    format!("{surface} fixed")
}

/// The surface's material for the chosen model.
pub(super) fn material(script: &Script, surface: &Surface, choices: &Choices) -> ClothMaterial {
    let [kh, kv, kd] = surface.elasticity.value;
    match choices.model {
        Model::Flex3d => ClothMaterial::Flex3d(Flex3d {
            kh,
            kv,
            kd,
            curvature: surface.curvature.value,
            reaction: choices.reaction,
            point_mass: surface.mass.value,
            friction_fraction: script.friction.value,
            friction: choices.friction,
        }),
        Model::Modern => ClothMaterial::Membrane(Continuum::of(script, surface).membrane()),
    }
}

/// The sheet of springs as a continuum.
///
/// Springs of a square grid at small strain give C11 = kh + kd, C22 = kv + kd, C12 = C33 = kd [N/m].
/// Angular springs with reaction bend as B = r^2 (kc / 4 + kcd / sqrt 8) [N m]. Friction that takes
/// a fraction f of the force out of an oscillation takes 4 f of its energy a period, as a damping
/// ratio of f / pi does; drag gives the slowest stretching mode that ratio, damping the fastest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Continuum {
    pub(super) young: f64,
    pub(super) young_weft: f64,
    pub(super) poisson: f64,
    pub(super) shear: f64,
    pub(super) bend: f64,
    pub(super) bend_weft: f64,
    /// [kg/m2]
    pub(super) density: f64,
    /// [s]
    pub(super) damping: f64,
    /// [1/s]
    pub(super) drag: f64,
}

/// Where such numbers come from.
pub(super) const CONTINUUM: &str = "springs of FLEX3D as a continuum";

/// Least stiffness of a membrane, where springs are left out [N/m].
const LEAST_STIFFNESS: f64 = 1e-3;

impl Continuum {
    pub(super) fn of(script: &Script, surface: &Surface) -> Self {
        let [kh, kv, kd] = surface.elasticity.value;
        let [along_rows, along_columns, across] = surface.curvature.value;
        let (r, mass) = (surface.spacing.value, surface.mass.value);
        let (c11, c22) = ((kh + kd).max(LEAST_STIFFNESS), (kv + kd).max(LEAST_STIFFNESS));
        // The engine's membranes go up to 1/2.
        let poisson = (kd / (c11 * c22).sqrt()).min(0.5);
        let part = 1.0 - poisson * poisson;
        let bend = |kc: f64| r * r * (kc / 4.0 + across / 8f64.sqrt());
        let ratio = script.friction.value / std::f64::consts::PI;
        let rows = f64::from(surface.mesh.value[0].max(2) - 1);
        let slowest = std::f64::consts::FRAC_PI_2 / rows * (c22 / mass).sqrt();
        let fastest = 2.0 * ((c11 + c22) / mass).sqrt();
        Self {
            young: c11 * part,
            young_weft: c22 * part,
            poisson,
            shear: kd.max(LEAST_STIFFNESS),
            bend: bend(along_rows),
            bend_weft: bend(along_columns),
            density: mass / (r * r),
            damping: 2.0 * ratio / fastest,
            drag: 2.0 * ratio * slowest,
        }
    }

    fn membrane(self) -> Membrane {
        let uniform = VertexMap::Uniform;
        Membrane {
            label: CONTINUUM.into(),
            young: uniform(self.young),
            young_weft: uniform(self.young_weft),
            poisson: uniform(self.poisson),
            shear: uniform(self.shear),
            bend: uniform(self.bend),
            bend_weft: uniform(self.bend_weft),
            bend_bias: uniform(0.5 * (self.bend + self.bend_weft)),
            density: uniform(self.density),
            damping: uniform(self.damping),
            strain_limit: None,
            crease: None,
        }
    }
}

/// What the outside force gives each point of a surface [m/s2].
pub(super) fn acceleration(script: &Script, surface: &Surface) -> DVec3 {
    DVec3::from_array(script.force.value.map(|force| force / surface.mass.value))
}

/// The start place of a surface as a curve.
pub(super) fn place(surface: &Surface) -> Curve<DVec3> {
    Curve::Constant(DVec3::from_array(surface.position.value))
}
