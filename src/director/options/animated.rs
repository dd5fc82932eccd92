//! Keys whose values may change over time or from vertex to vertex.

use super::super::sampling::{self, Sampling, Surface};
use super::super::schema::Preset;
use super::Options;
use crate::math::Curve;
use crate::scene::{MappedCurve, VertexMap};
use glam::DVec3;

impl Options<'_> {
    /// An animatable number.
    pub(crate) fn curve(&self, name: &str) -> mlua::Result<Option<Curve<f64>>> {
        let (key, value) = (self.key(name), self.value(name)?);
        if value.is_nil() {
            return Ok(match key.preset {
                Preset::Number(n) => Some(Curve::Constant(n)),
                _ => None,
            });
        }
        let expected = format!(
            "{}, `retake.keys` of numbers, or a function of time",
            Self::expected_number(key, false)
        );
        sampling::curve(self.inv, &value, self.times(name)?, &|n| Self::in_range(key, n))
            .map(Some)
            .map_err(|fault| self.curve_fault(name, &expected, fault))
    }

    /// An animatable vector.
    pub(crate) fn curve3(&self, name: &str) -> mlua::Result<Option<Curve<DVec3>>> {
        let value = self.value(name)?;
        if value.is_nil() {
            return Ok(match self.key(name).preset {
                Preset::Vec3(v) => Some(Curve::Constant(DVec3::from_array(v))),
                _ => None,
            });
        }
        let expected = "a vector {x, y, z}, `retake.keys` of vectors, or a function of time that \
                        returns x, y, z";
        sampling::curve3(self.inv, &value, self.times(name)?, false)
            .map(Some)
            .map_err(|fault| self.curve_fault(name, expected, fault))
    }

    /// An animatable factor: one number, or one an axis.
    pub(crate) fn curve_factor(&self, name: &str) -> mlua::Result<Option<Curve<DVec3>>> {
        let value = self.value(name)?;
        if value.is_nil() {
            return Ok(None);
        }
        let expected = "a number or a vector {x, y, z}, `retake.keys` of them, or a function of \
                        time";
        sampling::curve3(self.inv, &value, self.times(name)?, true)
            .map(Some)
            .map_err(|fault| self.curve_fault(name, expected, fault))
    }

    fn times(&self, name: &str) -> mlua::Result<Sampling> {
        self.sampling.ok_or_else(|| {
            self.fault(name, format!("`{name}` needs a shot"), Some("make the shot first".into()))
        })
    }

    pub(crate) fn curve_fault(
        &self,
        name: &str,
        expected: &str,
        fault: sampling::Fault,
    ) -> mlua::Error {
        match fault {
            sampling::Fault::Wrong(given) => self.wrong_text(name, expected, &given, None),
            sampling::Fault::NotBuilt(what) => {
                let table = self.schema.name;
                self.fault(name, format!("{what} for `{name}` in {table} is not built yet"), None)
            }
            sampling::Fault::Lua(error) => error,
        }
    }

    /// A mappable number of the body or mesh with `surface`.
    pub(crate) fn map(&self, name: &str, surface: &Surface) -> mlua::Result<Option<VertexMap>> {
        let (key, value) = (self.key(name), self.value(name)?);
        if value.is_nil() {
            return Ok(match key.preset {
                Preset::Number(n) => Some(VertexMap::Uniform(n)),
                _ => None,
            });
        }
        let expected = format!(
            "{}, `mesh:map \"name\"`, a list with one number a vertex ({}), or a function of p",
            Self::expected_number(key, false),
            surface.vertices.len()
        );
        sampling::map(self.inv, &value, surface, &|n| Self::in_range(key, n))
            .map(Some)
            .map_err(|fault| self.curve_fault(name, &expected, fault))
    }

    /// A number of the body with `surface` that is mappable and animatable.
    pub(crate) fn mapped_curve(
        &self,
        name: &str,
        surface: &Surface,
    ) -> mlua::Result<Option<MappedCurve>> {
        let (key, value) = (self.key(name), self.value(name)?);
        if value.is_nil() {
            return Ok(None);
        }
        let expected = format!(
            "{}, `retake.keys` of numbers, `mesh:map \"name\"`, a list with one number a vertex \
             ({}), or a function of p",
            Self::expected_number(key, false),
            surface.vertices.len()
        );
        let allowed = |n| Self::in_range(key, n);
        super::super::mapped::mapped_curve(self.inv, &value, surface, self.times(name)?, &allowed)
            .map(Some)
            .map_err(|fault| self.curve_fault(name, &expected, fault))
    }
}
