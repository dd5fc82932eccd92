//! What a script may write: every call and every key of its table, said once.
//!
//! Reading, error texts, the editor definitions and the reference all come from these tables.

use super::invocation::Invocation;
use mlua::{MultiValue, Value};

/// What a key takes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    Number,
    Integer,
    Bool,
    Text,
    /// One of some words; those after them are named by the contract and not built yet.
    Choice(&'static [&'static str], &'static [&'static str]),
    Vec3,
    /// One factor, or one an axis.
    Factor,
    Color,
    /// An animatable number.
    Curve,
    /// An animatable vector.
    Curve3,
    /// An animatable factor, or one an axis.
    CurveFactor,
    /// A mappable number.
    Map,
    /// A number that is mappable and animatable.
    MapCurve,
    Mesh,
    Body,
    Bodies,
    Points,
    /// A function; the text is its type for editors.
    Function(&'static str),
    /// Read by the call itself; the text is its type for editors.
    Other(&'static str),
}

/// The value of a key that is left out.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Preset {
    /// There is none: the key is needed, or leaving it out means something (said in its text).
    None,
    Number(f64),
    Bool(bool),
    Text(&'static str),
    Vec3([f64; 3]),
    /// Said in words only; the call works it out.
    Words(&'static str),
}

/// One key of a call's table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Key {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) unit: &'static str,
    /// Smallest allowed number.
    pub(crate) min: f64,
    /// Largest allowed number.
    pub(crate) max: f64,
    pub(crate) preset: Preset,
    pub(crate) needed: bool,
    pub(crate) doc: &'static str,
}

/// A key without limits or default.
pub(crate) const fn key(name: &'static str, kind: Kind, doc: &'static str) -> Key {
    Key {
        name,
        kind,
        unit: "",
        min: f64::NEG_INFINITY,
        max: f64::INFINITY,
        preset: Preset::None,
        needed: false,
        doc,
    }
}

impl Key {
    pub(crate) const fn unit(mut self, unit: &'static str) -> Self {
        self.unit = unit;
        self
    }

    pub(crate) const fn from(mut self, min: f64) -> Self {
        self.min = min;
        self
    }

    pub(crate) const fn range(mut self, min: f64, max: f64) -> Self {
        self.min = min;
        self.max = max;
        self
    }

    pub(crate) const fn number(mut self, value: f64) -> Self {
        self.preset = Preset::Number(value);
        self
    }

    pub(crate) const fn flag(mut self, value: bool) -> Self {
        self.preset = Preset::Bool(value);
        self
    }

    pub(crate) const fn text(mut self, value: &'static str) -> Self {
        self.preset = Preset::Text(value);
        self
    }

    pub(crate) const fn vec3(mut self, value: [f64; 3]) -> Self {
        self.preset = Preset::Vec3(value);
        self
    }

    pub(crate) const fn words(mut self, words: &'static str) -> Self {
        self.preset = Preset::Words(words);
        self
    }

    pub(crate) const fn needed(mut self) -> Self {
        self.needed = true;
        self
    }
}

/// The keys of one table.
#[derive(Debug)]
pub(crate) struct Schema {
    /// As messages name it: "cloth".
    pub(crate) name: &'static str,
    /// As editors name it: "ClothOptions".
    pub(crate) class: &'static str,
    /// The keys, in groups so that calls can share some.
    pub(crate) keys: &'static [&'static [Key]],
    /// What entries without a name are ("meshes"), where the table takes any.
    pub(crate) list: Option<&'static str>,
}

impl Schema {
    pub(crate) const fn new(
        name: &'static str,
        class: &'static str,
        keys: &'static [&'static [Key]],
    ) -> Self {
        Self { name, class, keys, list: None }
    }

    pub(crate) const fn list(mut self, what: &'static str) -> Self {
        self.list = Some(what);
        self
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &'static Key> {
        self.keys.iter().flat_map(|group| group.iter())
    }

    pub(crate) fn find(&self, name: &str) -> Option<&'static Key> {
        self.all().find(|k| k.name == name)
    }
}

/// What a call hangs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Class {
    Retake,
    MeshLibrary,
    MaterialLibrary,
    Shot,
    Stage,
    Mesh,
    Map,
    Keys,
    Path,
    Body,
    Points,
    Spot,
    Constraint,
    Force,
    Camera,
    Light,
    Stream,
    World,
    WorldBody,
}

impl Class {
    pub(crate) const ALL: [Self; 19] = [
        Self::Retake,
        Self::MeshLibrary,
        Self::MaterialLibrary,
        Self::Shot,
        Self::Stage,
        Self::Mesh,
        Self::Map,
        Self::Keys,
        Self::Path,
        Self::Body,
        Self::Points,
        Self::Spot,
        Self::Constraint,
        Self::Force,
        Self::Camera,
        Self::Light,
        Self::Stream,
        Self::World,
        Self::WorldBody,
    ];

    /// As a message writes what stands before the call's name.
    pub(crate) fn prefix(self) -> &'static str {
        match self {
            Self::Retake => "retake.",
            Self::MeshLibrary => "retake.mesh.",
            Self::MaterialLibrary => "retake.material.",
            Self::Shot => "shot:",
            Self::Stage => "set:",
            Self::Mesh => "mesh:",
            Self::Map => "map:",
            Self::Keys => "keys:",
            Self::Path => "path:",
            Self::Body => "body:",
            Self::Points => "points:",
            Self::Spot => "point:",
            Self::Constraint => "pin:",
            Self::Force => "force:",
            Self::Camera => "camera:",
            Self::Light => "light:",
            Self::Stream => "random:",
            Self::World => "world:",
            Self::WorldBody => "world:body():",
        }
    }

    /// As editors name it.
    pub(crate) fn editor_class(self) -> &'static str {
        match self {
            Self::Retake => "retake",
            Self::MeshLibrary => "retake.mesh",
            Self::MaterialLibrary => "retake.material",
            Self::Shot => "Shot",
            Self::Stage => "Stage",
            Self::Mesh => "Mesh",
            Self::Map => "Map",
            Self::Keys => "Keys",
            Self::Path => "Path",
            Self::Body => "Body",
            Self::Points => "Points",
            Self::Spot => "Spot",
            Self::Constraint => "Constraint",
            Self::Force => "Force",
            Self::Camera => "Camera",
            Self::Light => "Light",
            Self::Stream => "RandomStream",
            Self::World => "World",
            Self::WorldBody => "WorldBody",
        }
    }

    /// What a value of it is called in a message: "a mesh".
    pub(crate) fn noun(self) -> &'static str {
        match self {
            Self::Retake | Self::MeshLibrary | Self::MaterialLibrary => "a library",
            Self::Shot => "a shot",
            Self::Stage => "a stage",
            Self::Mesh => "a mesh",
            Self::Map => "a map of a mesh",
            Self::Keys => "keys",
            Self::Path => "a path",
            Self::Body => "a body",
            Self::Points => "points",
            Self::Spot => "a place on a body",
            Self::Constraint => "a constraint",
            Self::Force => "a force",
            Self::Camera => "a camera",
            Self::Light => "a light",
            Self::Stream => "a random stream",
            Self::World => "the world",
            Self::WorldBody => "a body of the world",
        }
    }

    /// Whether its calls are plain functions of a table, called with a dot.
    pub(crate) fn is_library(self) -> bool {
        matches!(self, Self::Retake | Self::MeshLibrary | Self::MaterialLibrary)
    }
}

/// When a call is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    /// While the script builds the shot.
    Building,
    /// In callbacks only.
    Running,
    /// Both.
    Always,
}

/// What a call takes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Args {
    /// One table with keys.
    Options(&'static Schema),
    /// One table with keys, or nothing.
    MaybeOptions(&'static Schema),
    /// Values in order: name, type for editors, help.
    Values(&'static [(&'static str, &'static str, &'static str)]),
    /// Values in order, and then a table with keys that may be left out.
    ValuesThen(&'static [(&'static str, &'static str, &'static str)], &'static Schema),
}

pub(crate) type One = fn(&Invocation) -> mlua::Result<Value>;
pub(crate) type Several = fn(&Invocation) -> mlua::Result<MultiValue>;

/// What answers a call.
#[derive(Clone, Copy)]
pub(crate) enum Run {
    One(One),
    Several(Several),
}

/// One call.
pub(crate) struct Call {
    pub(crate) on: Class,
    pub(crate) name: &'static str,
    pub(crate) args: Args,
    /// Type of the result for editors; empty: nothing.
    pub(crate) returns: &'static str,
    pub(crate) doc: &'static str,
    /// Lines of Lua that run in the setting which the reference describes.
    pub(crate) example: &'static str,
    pub(crate) when: When,
    pub(crate) run: Run,
}

impl Call {
    pub(crate) const fn new(on: Class, name: &'static str, args: Args, run: One) -> Self {
        Self::running(on, name, args, Run::One(run))
    }

    /// A call with several results.
    pub(crate) const fn several(on: Class, name: &'static str, args: Args, run: Several) -> Self {
        Self::running(on, name, args, Run::Several(run))
    }

    const fn running(on: Class, name: &'static str, args: Args, run: Run) -> Self {
        Self { on, name, args, returns: "", doc: "", example: "", when: When::Building, run }
    }

    pub(crate) const fn returns(mut self, returns: &'static str) -> Self {
        self.returns = returns;
        self
    }

    pub(crate) const fn doc(mut self, doc: &'static str) -> Self {
        self.doc = doc;
        self
    }

    pub(crate) const fn example(mut self, example: &'static str) -> Self {
        self.example = example;
        self
    }

    pub(crate) const fn when(mut self, when: When) -> Self {
        self.when = when;
        self
    }

    /// As a message writes it: `shot:cloth`.
    pub(crate) fn path(&self) -> String {
        format!("{}{}", self.on.prefix(), self.name)
    }
}
