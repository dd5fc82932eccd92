//! The values that calls return: handles which a script can only pass on and call.

use super::chance::Stream;
use super::context::Phase;
use super::schema::Class;
use crate::geometry::TriMesh;
use crate::geometry::read::StageNode;
use crate::math::Key;
use crate::scene::{Anchor, Points};
use glam::DVec3;
use mlua::{AnyUserData, Lua, MetaMethod, Table, UserData, UserDataMethods, Value};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Keyframes of numbers or vectors.
#[derive(Clone, Debug)]
pub(crate) enum KeysOf {
    Number(Vec<Key<f64>>),
    Vector(Vec<Key<DVec3>>),
}

/// A value of `retake.keys`.
#[derive(Clone, Debug)]
pub(crate) struct Keys {
    pub(crate) keys: KeysOf,
    pub(crate) looped: bool,
}

/// A value of `mesh:map`.
#[derive(Debug)]
pub(crate) struct MapValues {
    pub(crate) name: String,
    pub(crate) values: Vec<f64>,
}

/// A value of `retake.stage`.
#[derive(Debug)]
pub(crate) struct Stage {
    /// As the script calls the file.
    pub(crate) path: String,
    pub(crate) nodes: Vec<StageNode>,
    /// Names of its clips.
    pub(crate) clips: Vec<String>,
    /// Whether it is what a run has made, whose bodies move by its one clip.
    pub(crate) is_run: bool,
}

/// A handle.
#[derive(Clone)]
pub(crate) enum Object {
    Shot,
    Stage(Rc<Stage>),
    Mesh(Rc<TriMesh>),
    Map(Rc<MapValues>),
    Keys(Rc<Keys>),
    Path(Rc<Vec<DVec3>>),
    /// Index into `Scene::bodies`.
    Body(usize),
    Points(Rc<Vec<Points>>),
    /// A place on a body, and where that is at the start.
    Spot(Anchor, DVec3),
    /// Index into the handles of constraints, which is that of the first part in the scene.
    Constraint(usize),
    Force(Rc<str>),
    Camera(Rc<str>),
    Light(Rc<str>),
    /// The stream and the phase that made it.
    Stream(Rc<RefCell<Stream>>, Phase),
    World,
    WorldBody(usize),
}

impl Object {
    pub(crate) fn class(&self) -> Class {
        match self {
            Self::Shot => Class::Shot,
            Self::Stage(_) => Class::Stage,
            Self::Mesh(_) => Class::Mesh,
            Self::Map(_) => Class::Map,
            Self::Keys(_) => Class::Keys,
            Self::Path(_) => Class::Path,
            Self::Body(_) => Class::Body,
            Self::Points(_) => Class::Points,
            Self::Spot(..) => Class::Spot,
            Self::Constraint(_) => Class::Constraint,
            Self::Force(_) => Class::Force,
            Self::Camera(_) => Class::Camera,
            Self::Light(_) => Class::Light,
            Self::Stream(..) => Class::Stream,
            Self::World => Class::World,
            Self::WorldBody(_) => Class::WorldBody,
        }
    }

    /// The handle in `value`, if it is one.
    pub(crate) fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::UserData(data) => data.borrow::<Self>().ok().map(|object| object.clone()),
            _ => None,
        }
    }

    pub(crate) fn into_value(self, lua: &Lua) -> mlua::Result<Value> {
        Ok(Value::UserData(lua.create_userdata(self)?))
    }
}

/// The functions of each class, in the Lua state's app data.
pub(crate) struct Methods(pub(crate) BTreeMap<Class, Table>);

impl UserData for Object {
    fn add_methods<M: UserDataMethods<Self>>(methods: &mut M) {
        methods.add_meta_function(MetaMethod::Index, |lua, (this, key): (AnyUserData, Value)| {
            super::access::index(lua, &this, &key)
        });
        methods.add_meta_function(
            MetaMethod::NewIndex,
            |lua, (this, key, value): (AnyUserData, Value, Value)| {
                super::access::new_index(lua, &this, &key, &value)
            },
        );
        methods.add_meta_function(MetaMethod::Add, |lua, (a, b): (Value, Value)| {
            super::access::combine(lua, &a, &b, super::access::Join::Add)
        });
        methods.add_meta_function(MetaMethod::Sub, |lua, (a, b): (Value, Value)| {
            super::access::combine(lua, &a, &b, super::access::Join::Subtract)
        });
        methods.add_meta_function(MetaMethod::Eq, |_, (a, b): (Value, Value)| {
            Ok(match (Object::from_value(&a), Object::from_value(&b)) {
                (Some(Object::Body(a)), Some(Object::Body(b)))
                | (Some(Object::Constraint(a)), Some(Object::Constraint(b))) => a == b,
                _ => a.to_pointer() == b.to_pointer(),
            })
        });
        methods.add_meta_function(MetaMethod::ToString, |lua, this: AnyUserData| {
            super::access::describe(lua, &this)
        });
    }
}
