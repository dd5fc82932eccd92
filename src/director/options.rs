//! Reads the table of a call by its schema: what is not in the schema is refused, and every error
//! names the key, what was expected and what was given.

use super::invocation::{Invocation, raise};
use super::object::Object;
use super::sampling::{self, Sampling, Surface};
use super::schema::{Key, Kind, Preset, Schema};
use super::values::{self, describe, number_text};
use crate::diagnostics::{Diagnostic, nearest};
use crate::geometry::TriMesh;
use crate::math::Curve;
use crate::scene::{Color, Points, VertexMap};
use glam::DVec3;
use mlua::{Function, Table, Value};
use std::rc::Rc;

/// The table of one call.
pub(crate) struct Options<'a> {
    pub(crate) inv: &'a Invocation<'a>,
    schema: &'static Schema,
    pub(crate) table: Table,
    /// The keys that lead to this table, outermost first.
    path: Vec<String>,
    sampling: Option<Sampling>,
}

impl<'a> Options<'a> {
    /// Checks every key of `table` against `schema`.
    pub(crate) fn new(
        inv: &'a Invocation<'a>,
        schema: &'static Schema,
        table: Table,
        path: Vec<String>,
    ) -> mlua::Result<Self> {
        let sampling = inv.cx.shot.borrow().as_ref().map(|shot| shot.sampling);
        let options = Self { inv, schema, table, path, sampling };
        options.check_keys()?;
        Ok(options)
    }

    /// The same table with another range of times for its functions.
    pub(crate) fn sampled(mut self, sampling: Sampling) -> Self {
        self.sampling = Some(sampling);
        self
    }

    fn check_keys(&self) -> mlua::Result<()> {
        let listed = self.table.raw_len() as i64;
        for key in super::engine::sorted_keys(self.inv.lua, &self.table)? {
            match &key {
                Value::String(name) => self.check_name(&name.to_string_lossy())?,
                Value::Integer(i) if self.schema.list.is_some() && (1..=listed).contains(i) => {}
                Value::Integer(i) if (1..=listed).contains(i) => {
                    let value: Value = self.table.raw_get(*i)?;
                    let name = self.schema.name;
                    return Err(self.inv.fault_hint(
                        format!("{name} has {} without a key", describe(&value)),
                        format!("write `key = value`; {}", self.known()),
                    ));
                }
                other => {
                    let name = self.schema.name;
                    return Err(self.inv.fault_hint(
                        format!("unknown key `{}` in {name}", describe(other)),
                        self.known(),
                    ));
                }
            }
        }
        for key in self.schema.all().filter(|k| k.needed) {
            if !self.has(key.name)? {
                let name = self.schema.name;
                return Err(self.inv.fault_hint(
                    format!("{name} needs `{}`", key.name),
                    format!("{}: {}", key.name, key.doc),
                ));
            }
        }
        Ok(())
    }

    fn check_name(&self, name: &str) -> mlua::Result<()> {
        match self.schema.find(name) {
            Some(key) if key.is_built() => Ok(()),
            Some(_) => {
                let message = format!("`{name}` in {} is not built yet", self.schema.name);
                Err(self.fault(name, message, None))
            }
            None => {
                let message = format!("unknown key `{name}` in {}", self.schema.name);
                let names = self.schema.all().map(|k| k.name);
                let hint = match nearest(name, names) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => self.known(),
                };
                Err(self.fault(name, message, Some(hint)))
            }
        }
    }

    fn known(&self) -> String {
        let names: Vec<String> =
            self.schema.all().filter(|k| k.is_built()).map(|k| format!("`{}`", k.name)).collect();
        format!("{} takes {}", self.schema.name, names.join(", "))
    }

    fn has(&self, name: &str) -> mlua::Result<bool> {
        Ok(!self.table.raw_get::<Value>(name)?.is_nil())
    }

    /// Whether the script gave `name`.
    pub(crate) fn given(&self, name: &str) -> mlua::Result<bool> {
        self.has(name)
    }

    /// An error at the line of key `name`.
    pub(crate) fn fault(
        &self,
        name: &str,
        message: impl Into<String>,
        hint: Option<String>,
    ) -> mlua::Error {
        let mut path: Vec<&str> = self.path.iter().map(String::as_str).collect();
        path.push(name);
        let place = self.inv.cx.place_of_key(self.inv.place(), &path);
        let mut diagnostic = Diagnostic::error(message).at(place);
        diagnostic.hint = hint;
        raise(self.inv.lua, diagnostic)
    }

    /// "`friction` in cloth must be a number from 0 to 10, not -1".
    pub(crate) fn wrong(&self, name: &str, expected: &str, given: &Value) -> mlua::Error {
        self.wrong_text(name, expected, &describe(given), None)
    }

    fn wrong_text(
        &self,
        name: &str,
        expected: &str,
        given: &str,
        hint: Option<String>,
    ) -> mlua::Error {
        let table = self.schema.name;
        self.fault(name, format!("`{name}` in {table} must be {expected}, not {given}"), hint)
    }

    fn key(&self, name: &str) -> &'static Key {
        self.schema
            .find(name)
            .unwrap_or_else(|| unreachable!("the schema of {} has no key {name}", self.schema.name))
    }

    /// The value as the script gave it; nil where it did not.
    pub(crate) fn value(&self, name: &str) -> mlua::Result<Value> {
        debug_assert!(self.schema.find(name).is_some(), "{name} is not in {}", self.schema.name);
        self.table.raw_get(name)
    }

    fn expected_number(key: &Key, whole: bool) -> String {
        let what = if whole { "a whole number" } else { "a number" };
        let unit = if key.unit.is_empty() { String::new() } else { format!(" ({})", key.unit) };
        let limits = match (key.min.is_finite(), key.max.is_finite()) {
            (true, true) => {
                format!(" from {} to {}", number_text(key.min), number_text(key.max))
            }
            (true, false) if key.min == f64::MIN_POSITIVE => " above 0".to_owned(),
            (true, false) => format!(" of at least {}", number_text(key.min)),
            (false, true) => format!(" of at most {}", number_text(key.max)),
            (false, false) => String::new(),
        };
        format!("{what}{limits}{unit}")
    }

    fn in_range(key: &Key, n: f64) -> bool {
        n.is_finite() && n >= key.min && n <= key.max
    }

    pub(crate) fn number(&self, name: &str) -> mlua::Result<Option<f64>> {
        let (key, value) = (self.key(name), self.value(name)?);
        if value.is_nil() {
            return Ok(match key.preset {
                Preset::Number(n) => Some(n),
                _ => None,
            });
        }
        match values::number(&value) {
            Some(n) if Self::in_range(key, n) => Ok(Some(n)),
            _ => Err(self.wrong(name, &Self::expected_number(key, false), &value)),
        }
    }

    /// A number that has a default or is needed.
    pub(crate) fn need_number(&self, name: &str) -> mlua::Result<f64> {
        self.need(name, Self::number)
    }

    fn need<T>(
        &self,
        name: &str,
        read: impl Fn(&Self, &str) -> mlua::Result<Option<T>>,
    ) -> mlua::Result<T> {
        read(self, name)?
            .ok_or_else(|| self.inv.fault(format!("{} needs `{name}`", self.schema.name)))
    }

    pub(crate) fn integer(&self, name: &str) -> mlua::Result<Option<i64>> {
        let (key, value) = (self.key(name), self.value(name)?);
        if value.is_nil() {
            return Ok(match key.preset {
                Preset::Number(n) => Some(n as i64),
                _ => None,
            });
        }
        match values::integer(&value) {
            Some(n) if Self::in_range(key, n as f64) => Ok(Some(n)),
            _ => Err(self.wrong(name, &Self::expected_number(key, true), &value)),
        }
    }

    /// A whole number that has a default or is needed.
    pub(crate) fn need_integer(&self, name: &str) -> mlua::Result<i64> {
        self.need(name, Self::integer)
    }

    pub(crate) fn flag(&self, name: &str) -> mlua::Result<Option<bool>> {
        match (self.value(name)?, self.key(name).preset) {
            (Value::Boolean(b), _) | (Value::Nil, Preset::Bool(b)) => Ok(Some(b)),
            (Value::Nil, _) => Ok(None),
            (other, _) => Err(self.wrong(name, "true or false", &other)),
        }
    }

    /// A flag that has a default.
    pub(crate) fn need_flag(&self, name: &str) -> mlua::Result<bool> {
        self.need(name, Self::flag)
    }

    pub(crate) fn text(&self, name: &str) -> mlua::Result<Option<String>> {
        match (self.value(name)?, self.key(name).preset) {
            (Value::String(s), _) => Ok(Some(s.to_string_lossy())),
            (Value::Nil, Preset::Text(s)) => Ok(Some(s.to_owned())),
            (Value::Nil, _) => Ok(None),
            (other, _) => Err(self.wrong(name, "a string", &other)),
        }
    }

    /// One of the words of the schema.
    pub(crate) fn choice(&self, name: &str) -> mlua::Result<Option<String>> {
        let Kind::Choice(words, later) = self.key(name).kind else {
            unreachable!("{name} is not a choice")
        };
        let given = self.value(name)?;
        let word = match &given {
            Value::Nil => match self.key(name).preset {
                Preset::Text(word) => return Ok(Some(word.to_owned())),
                _ => return Ok(None),
            },
            Value::String(s) => s.to_string_lossy(),
            _ => return Err(self.wrong(name, &one_of(words), &given)),
        };
        self.check_word(name, &word, words, later)?;
        Ok(Some(word))
    }

    /// Refuses `word` where it is not one of `words`; those of `later` are not built yet.
    pub(crate) fn check_word(
        &self,
        name: &str,
        word: &str,
        words: &[&str],
        later: &[&str],
    ) -> mlua::Result<()> {
        if words.contains(&word) {
            return Ok(());
        }
        if later.contains(&word) {
            let message = format!("`{name} = \"{word}\"` in {} is not built yet", self.schema.name);
            return Err(self.fault(name, message, Some(format!("there is {}", list_of(words)))));
        }
        let near = nearest(word, words.iter().copied());
        let hint = near.map(|near| format!("did you mean \"{near}\"?"));
        Err(self.wrong_text(name, &one_of(words), &format!("\"{word}\""), hint))
    }

    pub(crate) fn vec3(&self, name: &str) -> mlua::Result<Option<DVec3>> {
        let value = self.value(name)?;
        let key = self.key(name);
        if value.is_nil() {
            return Ok(match key.preset {
                Preset::Vec3(v) => Some(DVec3::from_array(v)),
                _ => None,
            });
        }
        match values::vec3(&value) {
            Some(v) if v.to_array().iter().all(|n| Self::in_range(key, *n)) => Ok(Some(v)),
            _ => Err(self.wrong_vector(name, "{x, y, z}", &value)),
        }
    }

    /// A vector that has a default or is needed.
    pub(crate) fn need_vec3(&self, name: &str) -> mlua::Result<DVec3> {
        self.need(name, Self::vec3)
    }

    fn wrong_vector(&self, name: &str, form: &str, given: &Value) -> mlua::Error {
        let key = self.key(name);
        let each = Self::expected_number(key, false);
        let expected = if each == "a number" {
            format!("a vector {form} of numbers")
        } else {
            format!("a vector {form}, each {each}")
        };
        self.wrong_text(name, &expected, &describe_list(given), None)
    }

    pub(crate) fn factor(&self, name: &str) -> mlua::Result<Option<DVec3>> {
        let value = self.value(name)?;
        if value.is_nil() {
            return Ok(None);
        }
        match values::factor(&value) {
            Some(v) if v.is_finite() => Ok(Some(v)),
            _ => Err(self.wrong_text(
                name,
                "a number or a vector {x, y, z}",
                &describe_list(&value),
                None,
            )),
        }
    }

    pub(crate) fn color(&self, name: &str) -> mlua::Result<Option<Color>> {
        let value = self.value(name)?;
        if value.is_nil() {
            return Ok(None);
        }
        values::color(&value).map(Some).ok_or_else(|| {
            let expected = "a colour {r, g, b} in 0..1 (linear) or \"#rrggbb\" (sRGB)";
            self.wrong_text(name, expected, &describe_list(&value), None)
        })
    }

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

    /// A number that is animatable and, by the contract, mappable.
    pub(crate) fn map_curve(&self, name: &str) -> mlua::Result<Option<Curve<f64>>> {
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
        sampling::map_curve(self.inv, &value, self.times(name)?, &|n| Self::in_range(key, n))
            .map(Some)
            .map_err(|fault| self.curve_fault(name, &expected, fault))
    }

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
        super::select::bodies(self.inv, &value).map(Some).map_err(|fault| match fault {
            super::select::Fault::Kind(given) => self.wrong_text(
                name,
                "a body, a body's or a group's name, or a list of them",
                &given,
                None,
            ),
            super::select::Fault::Name(message, hint) => self.fault(name, message, hint),
            super::select::Fault::Lua(error) => error,
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

    /// A table inside this one.
    pub(crate) fn table(&self, name: &str) -> mlua::Result<Option<Options<'a>>> {
        let Kind::Table(schema) = self.key(name).kind else {
            unreachable!("{name} is not a table")
        };
        self.table_as(name, schema)
    }

    /// A table inside this one, read by `schema`.
    pub(crate) fn table_as(
        &self,
        name: &str,
        schema: &'static Schema,
    ) -> mlua::Result<Option<Options<'a>>> {
        match self.value(name)? {
            Value::Nil => Ok(None),
            Value::Table(table) => {
                let mut path = self.path.clone();
                path.push(name.to_owned());
                Ok(Some(Options::new(self.inv, schema, table, path)?))
            }
            other => Err(self.wrong(name, "a table", &other)),
        }
    }

    pub(crate) fn function(&self, name: &str) -> mlua::Result<Option<Function>> {
        match self.value(name)? {
            Value::Nil => Ok(None),
            Value::Function(f) => Ok(Some(f)),
            other => Err(self.wrong(name, "a function", &other)),
        }
    }

    /// `starts` and `ends` in order.
    pub(crate) fn interval(&self) -> mlua::Result<(Option<f64>, Option<f64>)> {
        let (starts, ends) = (self.number("starts")?, self.number("ends")?);
        if let (Some(a), Some(b)) = (starts, ends)
            && b < a
        {
            let message = format!(
                "{} ends before it starts: `starts` is {} s and `ends` is {} s",
                self.schema.name,
                number_text(a),
                number_text(b)
            );
            return Err(self.fault("ends", message, None));
        }
        Ok((starts, ends))
    }
}

/// `one of "start", "flat"`.
fn one_of(words: &[&str]) -> String {
    if let [word] = words { format!("\"{word}\"") } else { format!("one of {}", list_of(words)) }
}

pub(crate) fn list_of(words: &[&str]) -> String {
    words.iter().map(|w| format!("\"{w}\"")).collect::<Vec<_>>().join(", ")
}

/// A small table by its contents, so that a wrong vector is seen.
fn describe_list(value: &Value) -> String {
    let Value::Table(table) = value else { return describe(value) };
    let n = table.raw_len();
    if n == 0 || n > 4 {
        return if n == 0 { "a table".into() } else { format!("a list of {n} values") };
    }
    let entries: Vec<String> =
        (1..=n).map(|i| table.raw_get(i).map_or_else(|_| "?".into(), |v| describe(&v))).collect();
    format!("{{{}}}", entries.join(", "))
}
