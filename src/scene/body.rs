//! Bodies: cloths, soft and rigid bodies that the engine moves and colliders that the script moves.

use super::{Clip, ClothMaterial, Color, MappedCurve, PictureFile, SoftMaterial, VertexMap};
use crate::diagnostics::Place;
use crate::geometry::TriMesh;
use crate::math::rotation;
use crate::math::{Curve, rotation_from_degrees};
use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};

/// Anything with a surface.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Body {
    /// File-safe name, unique over all bodies.
    pub name: String,
    /// Group path ("set/glasses"), or none.
    pub group: Option<String>,
    /// Script line.
    pub place: Place,
    /// Index into `Scene::meshes`.
    pub mesh: usize,
    /// What kind of body it is.
    pub kind: BodyKind,
    /// Where the mesh's origin stands [m]; curves move a collider, and carry any other body until
    /// `driven_until`.
    pub translate: Curve<DVec3>,
    /// Turn of the mesh [degrees about x, then y, then z].
    pub rotate: Curve<DVec3>,
    /// What moves a collider beside its curves, which place the whole of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clip: Option<Clip>,
    /// Velocity at the start [m/s]; of a collider at all times, which is where its curves have it at script time 0.
    pub velocity: DVec3,
    /// Spin at the start [degrees/s about each world axis], about the body's centre of mass; of a collider at all
    /// times, about its mesh's origin.
    pub spin: DVec3,
    /// Friction coefficient; none: `Collisions::friction`.
    pub friction: Option<VertexMap>,
    /// Full thickness [m]; none: `Collisions::thickness`, else by kind (2 mm cloth, 0 collider).
    pub thickness: Option<VertexMap>,
    /// Whether it touches anything.
    pub collides: bool,
    /// Whether it touches itself; none: `Collisions::self_contact`.
    pub self_collision: Option<bool>,
    /// Script time from which it is there [s]; none: from the start. Before, it waits where it starts,
    /// unseen and untouched.
    pub appears: Option<f64>,
    /// Script time from which it is no more there [s]; none: it stays.
    pub disappears: Option<f64>,
    /// Drawn in pictures.
    pub visible: bool,
    /// Written by exporters.
    pub exports: bool,
    /// How it looks.
    pub look: Look,
}

/// The kinds of bodies and what only they have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(clippy::large_enum_variant, reason = "a shot has few bodies, and most of them are cloths")]
pub enum BodyKind {
    /// A sheet.
    Cloth(Cloth),
    /// A solid that deforms: its mesh has tetrahedra, or is carried by one that has.
    Soft(Soft),
    /// A solid that keeps its shape: its mesh is closed.
    Rigid(Rigid),
    /// A line that bends: its mesh is one.
    Rope(Rope),
    /// Fixed, or moved by its `translate` and `rotate` curves and its `clip`.
    Collider,
}

/// A sheet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cloth {
    /// Its fabric.
    pub material: ClothMaterial,
    /// Shape without strain.
    pub rest: RestShape,
    /// Factor on rest lengths.
    pub shrink: MappedCurve,
    /// Air or gas that pushes from inside; none: there is none.
    pub pressure: Option<Pressure>,
}

/// A solid that deforms.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Soft {
    /// What it is made of.
    pub material: SoftMaterial,
    /// The mesh of tetrahedra that carries the body's own, as an index into `Scene::meshes`; none: the
    /// body's own mesh has them.
    pub cage: Option<usize>,
    /// Air or gas that pushes from inside; none: there is none.
    pub pressure: Option<Pressure>,
}

/// A solid that keeps its shape.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rigid {
    /// How heavy it is.
    pub mass: Mass,
    /// Part of the speed of approach with which it parts again, 0..1; a pair has the larger one of both.
    pub restitution: f64,
    /// Triangles on its mesh's vertices that touch in place of its own: convex hulls; empty: its own do.
    pub hull: Vec<[u32; 3]>,
}

/// A line that bends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rope {
    /// Radius [m].
    pub radius: f64,
    /// Mass per volume [kg/m3].
    pub density: f64,
    /// Stiffness against stretch, E A: the force that doubles its length [N].
    pub stretch: f64,
    /// Stiffness against bending, E I [N m2].
    pub bend: f64,
    /// Stiffness against twist, G J [N m2]; 0: it turns freely.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub twist: f64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it a reference")]
fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

/// How heavy a solid of even density is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mass {
    /// Mass per volume [kg/m3].
    Density(f64),
    /// Mass of the whole [kg].
    Total(f64),
}

/// A push along the normals of a cloth or a soft body: what is inside presses out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pressure {
    /// Pressure over that of the outside [Pa]; for a sealed body at its volume at rest.
    pub pressure: Curve<f64>,
    /// Whether the gas is enclosed, so that its pressure goes with one over the volume.
    pub sealed: bool,
    /// Pressure of the outside, which enclosed gas has as well [Pa].
    pub outside: f64,
}

/// The shape in which a cloth has no strain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RestShape {
    /// The mesh as given, lengths and bends.
    Start,
    /// Lengths of the mesh, no bend.
    Flat,
    /// The texture coordinates as a pattern, scaled so that its area is that of the mesh; no bend.
    Uv,
    /// Lengths and bends of another mesh with the same triangles: an index into `Scene::meshes`.
    Mesh(usize),
}

/// How a body looks in pictures and exports.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Look {
    /// Base colour, linear.
    pub color: Color,
    /// Whether the script named the colour (a palette is used otherwise).
    pub color_given: bool,
    /// A picture of the base colour over the texture coordinates, a factor on `color`; none: `color` alone.
    pub color_map: Option<PictureFile>,
    /// A picture of normals in the space of tangents, y up (as OpenGL and glTF have them).
    pub normal_map: Option<PictureFile>,
    /// 0 (mirror) .. 1 (matt).
    pub roughness: f64,
    /// 0 or 1, or between.
    pub metallic: f64,
    /// 0 .. 1.
    pub opacity: f64,
    /// Share of light that passes through, 0 .. 1.
    pub transmission: f64,
    /// Index of refraction.
    pub ior: f64,
    /// How often the surface is subdivided and smoothed in pictures and exports.
    pub subdivide: u32,
    /// How thick a sheet is in pictures and exports [m]; 0: a mere surface.
    pub solidify: f64,
}

impl Default for Look {
    fn default() -> Self {
        Self {
            color: Color([0.6, 0.6, 0.6]),
            color_given: false,
            color_map: None,
            normal_map: None,
            roughness: 0.7,
            metallic: 0.0,
            opacity: 1.0,
            transmission: 0.0,
            ior: 1.45,
            subdivide: 0,
            solidify: 0.0,
        }
    }
}

impl Body {
    /// A body with the mesh number `mesh` that stands where the mesh has it and is said nothing else of.
    pub fn new(name: String, place: Place, mesh: usize, kind: BodyKind) -> Self {
        Self {
            name,
            group: None,
            place,
            mesh,
            kind,
            translate: Curve::Constant(DVec3::ZERO),
            rotate: Curve::Constant(DVec3::ZERO),
            clip: None,
            velocity: DVec3::ZERO,
            spin: DVec3::ZERO,
            friction: None,
            thickness: None,
            collides: true,
            self_collision: None,
            appears: None,
            disappears: None,
            visible: true,
            exports: true,
            look: Look::default(),
        }
    }

    /// The cloth's own settings, or none for other kinds.
    pub fn cloth(&self) -> Option<&Cloth> {
        match &self.kind {
            BodyKind::Cloth(cloth) => Some(cloth),
            _ => None,
        }
    }

    /// What pushes from inside, or none.
    pub fn pressure(&self) -> Option<&Pressure> {
        match &self.kind {
            BodyKind::Cloth(cloth) => cloth.pressure.as_ref(),
            BodyKind::Soft(soft) => soft.pressure.as_ref(),
            BodyKind::Rigid(_) | BodyKind::Rope(_) | BodyKind::Collider => None,
        }
    }

    /// The rigid body's own settings, or none for other kinds.
    pub fn rigid(&self) -> Option<&Rigid> {
        match &self.kind {
            BodyKind::Rigid(rigid) => Some(rigid),
            _ => None,
        }
    }

    /// The rope's own settings, or none for other kinds.
    pub fn rope(&self) -> Option<&Rope> {
        match &self.kind {
            BodyKind::Rope(rope) => Some(rope),
            _ => None,
        }
    }

    /// The groups that it is in, from the outermost: "set" and "set/glasses" of "set/glasses".
    pub fn groups(&self) -> impl Iterator<Item = &str> {
        let path = self.group.as_deref().unwrap_or_default();
        let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
        ends.map(move |end| &path[..end]).filter(|group| !group.is_empty())
    }

    /// Whether it is there at script time `t`: from the moment it appears to the one it disappears at.
    pub fn is_there(&self, t: f64) -> bool {
        self.appears.is_none_or(|from| t >= from - 1e-9)
            && self.disappears.is_none_or(|to| t < to - 1e-9)
    }

    /// Whether it is there for a part of the shot only.
    pub fn comes_or_goes(&self) -> bool {
        self.appears.is_some() || self.disappears.is_some()
    }

    /// Whether the script alone moves it.
    pub fn is_collider(&self) -> bool {
        matches!(self.kind, BodyKind::Collider)
    }

    /// Whether a place inside it is known by places of its surface: what keeps its shape, or lies in a cage.
    pub fn is_solid(&self) -> bool {
        let is_caged = matches!(&self.kind, BodyKind::Soft(soft) if soft.cage.is_some());
        is_caged || self.keeps_shape()
    }

    /// Whether its vertices keep their distances: a rigid body, or a collider that no clip deforms.
    pub fn keeps_shape(&self) -> bool {
        match self.kind {
            BodyKind::Rigid(_) => true,
            BodyKind::Collider => self.deforming().is_none(),
            BodyKind::Cloth(_) | BodyKind::Soft(_) | BodyKind::Rope(_) => false,
        }
    }

    /// The clip that moves each vertex of a collider by itself, or none.
    pub fn deforming(&self) -> Option<&Clip> {
        self.clip.as_ref().filter(|clip| clip.deforms())
    }

    /// Pose of the mesh at script time `t`: `world = rotation * mesh + translation`; of a collider that
    /// deforms, the pose of the whole.
    pub fn pose_at(&self, t: f64) -> (DVec3, DQuat) {
        let mut translate = self.translate.at(t);
        let mut rotate = rotation_from_degrees(self.rotate.at(t));
        if self.is_collider() && self.goes_on() {
            translate += self.velocity * t;
            let turned = self.spin * t.to_radians();
            rotate = (rotation::from_scaled_axis(turned) * rotate).normalize();
        }
        match self.clip.as_ref().filter(|clip| !clip.deforms()) {
            Some(clip) => {
                let (place, turn) = clip.pose_at(t);
                (rotate * place + translate, rotate * turn)
            }
            None => (translate, rotate),
        }
    }

    /// World positions of its mesh's vertices at script time `t` as its curves and its clip have them [m].
    pub fn places_at(&self, mesh: &TriMesh, t: f64) -> Vec<DVec3> {
        let (translate, rotate) = self.pose_at(t);
        let place = |p: &DVec3| rotate * *p + translate;
        match self.deforming() {
            Some(clip) => clip.places_at(&mesh.positions, t).iter().map(place).collect(),
            None => mesh.positions.iter().map(place).collect(),
        }
    }

    /// Whether it has a velocity or a spin.
    pub fn goes_on(&self) -> bool {
        self.velocity != DVec3::ZERO || self.spin != DVec3::ZERO
    }

    /// Whether its curves, its clip, or of a collider its own velocity move it.
    pub fn is_moved(&self) -> bool {
        let curves = !(self.translate.is_constant() && self.rotate.is_constant());
        self.clip.is_some() || curves || self.is_collider() && self.goes_on()
    }
}
