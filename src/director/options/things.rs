//! Keys that take what other calls gave: meshes, bodies, points.

use super::super::object::Object;
use super::super::select::{self, Fault};
use super::super::values::describe;
use super::Options;
use crate::geometry::TriMesh;
use crate::scene::Points;
use std::rc::Rc;

impl Options<'_> {
    pub(crate) fn mesh(&self, name: &str) -> mlua::Result<Option<Rc<TriMesh>>> {
        let value = self.value(name)?;
        match Object::from_value(&value) {
            _ if value.is_nil() => Ok(None),
            Some(Object::Mesh(mesh)) => Ok(Some(mesh)),
            _ => Err(self.wrong_text(
                name,
                "a mesh",
                &describe(&value),
                Some("make one with `retake.mesh.grid{ ... }` or `retake.mesh.load(path)`".into()),
            )),
        }
    }

    /// One body.
    pub(crate) fn body(&self, name: &str) -> mlua::Result<Option<usize>> {
        let bodies = self.bodies(name)?;
        match bodies.as_deref() {
            None => Ok(None),
            Some([one]) => Ok(Some(*one)),
            Some(more) => {
                Err(self.wrong_text(name, "one body", &format!("{} bodies", more.len()), None))
            }
        }
    }

    /// Bodies, sorted: a body, a name, a group's name, or a list of them.
    pub(crate) fn bodies(&self, name: &str) -> mlua::Result<Option<Vec<usize>>> {
        let value = self.value(name)?;
        if value.is_nil() {
            return Ok(None);
        }
        select::bodies(self.inv, &value).map(Some).map_err(|fault| match fault {
            Fault::Kind(given) => self.wrong_text(
                name,
                "a body, a body's or a group's name, or a list of them",
                &given,
                None,
            ),
            Fault::Name(message, hint) => self.fault(name, message, hint),
            Fault::Lua(error) => error,
        })
    }

    /// Selected points.
    pub(crate) fn points(&self, name: &str) -> mlua::Result<Option<Rc<Vec<Points>>>> {
        let value = self.value(name)?;
        match Object::from_value(&value) {
            _ if value.is_nil() => Ok(None),
            Some(Object::Points(points)) => {
                if points.iter().all(|p| p.vertices.is_empty()) {
                    let message = format!("`{name}` in {} has no points", self.schema.name);
                    let hint = "the selection found nothing; places are world coordinates [m] at \
                                the start";
                    return Err(self.fault(name, message, Some(hint.into())));
                }
                Ok(Some(points))
            }
            other => {
                let hint = match other {
                    Some(Object::Body(_)) => "write `body:all()` for every point of a body",
                    _ => "select points with `cloth:edge \"top\"`, `body:where(...)` and the like",
                };
                Err(self.wrong_text(name, "points", &describe(&value), Some(hint.into())))
            }
        }
    }
}
