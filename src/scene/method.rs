//! The methods that move bodies, and what each of them takes.

use super::{Body, BodyKind, ClothMaterial, SoftMaterial};
use serde::{Deserialize, Serialize};

/// How a shot goes from one moment to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// The engine's own.
    Auto,
    /// Forward Euler: new places from the old velocities, new velocities from the old forces.
    ExplicitEuler,
    /// Semi-implicit Euler: new velocities first, new places from them.
    SymplecticEuler,
    /// The explicit midpoint rule.
    Midpoint,
    /// The classical Runge-Kutta method of order 4.
    Rk4,
    /// Runge-Kutta of Dormand and Prince, order 5 with an error estimate that sets the step.
    Rk45,
    /// Improved Verlet (Jiang and Wang): Beeman's method where forces change fast.
    Verlet,
    /// Linearised implicit Euler, its system by Jacobi sweeps (Kang and Cho).
    ImplicitJacobi,
    /// Linearised implicit Euler, its system by successive over-relaxation (Zhou).
    ImplicitSor,
    /// Linearised implicit Euler, its system by preconditioned conjugate gradients.
    ImplicitPcg,
    /// The backward differentiation formula of order 2.
    Bdf2,
    /// Places of points that links bring to their lengths one after the other (Jakobsen).
    Relaxation,
    /// Solids drawn to the places of their shape at rest (Mueller, Sotomayor).
    ShapeMatching,
    /// Impulses between rigid bodies, with shock propagation (Guendelman).
    Impulses,
}

/// What a body is to a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matter {
    /// Fabrics and membranes.
    Membrane,
    /// Points of material.flex3d.
    Flex3d,
    /// Points of material.springs.
    Springs,
    /// Soft bodies of material.soft.
    Soft,
    /// Soft bodies of material.shape_matching.
    Shape,
    /// Rigid bodies.
    Rigid,
    /// Ropes.
    Rope,
}

/// What a method takes.
#[derive(Debug)]
pub struct Traits {
    /// The method.
    pub method: Method,
    /// As scripts name it.
    pub name: &'static str,
    /// What it moves.
    pub moves: &'static [Matter],
    /// Keys of `shot:solver` that only some methods have.
    pub keys: &'static [&'static str],
}

/// Every method once. What the checks say about a wrong pair comes from here.
pub const METHODS: &[Traits] = &[
    Traits {
        method: Method::Auto,
        name: "auto",
        moves: &[
            Matter::Membrane,
            Matter::Springs,
            Matter::Soft,
            Matter::Shape,
            Matter::Rigid,
            Matter::Rope,
        ],
        keys: &[],
    },
    explicit(Method::ExplicitEuler, "explicit_euler", &[]),
    explicit(Method::SymplecticEuler, "symplectic_euler", &[]),
    explicit(Method::Midpoint, "midpoint", &[]),
    explicit(Method::Rk4, "rk4", &[]),
    explicit(Method::Rk45, "rk45", &["solver_tolerance"]),
    explicit(Method::Verlet, "verlet", &["force_change"]),
    implicit(Method::ImplicitJacobi, "implicit_jacobi", &["iterations"]),
    implicit(
        Method::ImplicitSor,
        "implicit_sor",
        &["iterations", "relaxation", "solver_tolerance"],
    ),
    implicit(Method::ImplicitPcg, "implicit_pcg", &["iterations", "solver_tolerance"]),
    implicit(Method::Bdf2, "bdf2", &["iterations", "solver_tolerance"]),
    Traits {
        method: Method::Relaxation,
        name: "relaxation",
        moves: &[Matter::Springs, Matter::Soft, Matter::Rope],
        keys: &["iterations", "relaxation"],
    },
    Traits {
        method: Method::ShapeMatching,
        name: "shape_matching",
        moves: &[Matter::Shape],
        keys: &[],
    },
    Traits {
        method: Method::Impulses,
        name: "impulses",
        moves: &[Matter::Rigid],
        keys: &["shock"],
    },
];

/// A method that needs forces only.
const fn explicit(method: Method, name: &'static str, keys: &'static [&'static str]) -> Traits {
    Traits { method, name, moves: &[Matter::Springs, Matter::Flex3d], keys }
}

/// A method that needs the forces' Jacobians.
const fn implicit(method: Method, name: &'static str, keys: &'static [&'static str]) -> Traits {
    Traits { method, name, moves: &[Matter::Springs], keys }
}

impl Method {
    /// What it takes.
    pub fn traits(self) -> &'static Traits {
        METHODS.iter().find(|t| t.method == self).expect("every method is in the table")
    }

    /// As scripts name it.
    pub fn name(self) -> &'static str {
        self.traits().name
    }

    /// The method that scripts name so.
    pub fn from_name(name: &str) -> Option<Self> {
        METHODS.iter().find(|t| t.name == name).map(|t| t.method)
    }

    /// Names of the methods that move `matter`.
    pub fn that_move(matter: Matter) -> impl Iterator<Item = &'static str> {
        METHODS.iter().filter(move |t| t.moves.contains(&matter)).map(|t| t.name)
    }
}

impl Matter {
    /// What `body` is; none of what no method moves.
    pub fn of(body: &Body) -> Option<Self> {
        match &body.kind {
            BodyKind::Cloth(cloth) => Some(match cloth.material {
                ClothMaterial::Membrane(_) => Self::Membrane,
                ClothMaterial::Flex3d(_) => Self::Flex3d,
                ClothMaterial::Springs(_) => Self::Springs,
            }),
            BodyKind::Soft(soft) => Some(match soft.material {
                SoftMaterial::Elastic(_) => Self::Soft,
                SoftMaterial::ShapeMatching(_) => Self::Shape,
            }),
            BodyKind::Rigid(_) => Some(Self::Rigid),
            BodyKind::Rope(_) => Some(Self::Rope),
            BodyKind::Collider => None,
        }
    }

    /// As an error names one body of it: "a membrane".
    pub fn one(self) -> &'static str {
        match self {
            Self::Membrane => "a membrane",
            Self::Flex3d => "of flex3d",
            Self::Springs => "of springs",
            Self::Soft => "a soft body",
            Self::Shape => "held to its shape",
            Self::Rigid => "a rigid body",
            Self::Rope => "a rope",
        }
    }

    /// As an error names all of it: "membranes".
    pub fn all(self) -> &'static str {
        match self {
            Self::Membrane => "fabrics and membranes",
            Self::Flex3d => "material.flex3d",
            Self::Springs => "material.springs",
            Self::Soft => "soft bodies",
            Self::Shape => "material.shape_matching",
            Self::Rigid => "rigid bodies",
            Self::Rope => "ropes",
        }
    }
}
