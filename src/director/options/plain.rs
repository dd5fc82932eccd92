//! Keys that take plain values: numbers, words, vectors, colours.

use super::super::schema::{Key, Kind, Preset};
use super::super::values::{self, number_text};
use super::{Options, list_of, one_of};
use crate::diagnostics::nearest;
use crate::scene::Color;
use glam::DVec3;
use mlua::Value;

impl Options<'_> {
    pub(super) fn expected_number(key: &Key, whole: bool) -> String {
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

    pub(super) fn in_range(key: &Key, n: f64) -> bool {
        n.is_finite() && n >= key.min && n <= key.max
    }

    /// Whether the key `name` takes the number `n`.
    pub(crate) fn allows(&self, name: &str, n: f64) -> bool {
        Self::in_range(self.key(name), n)
    }

    /// What numbers the key `name` takes, in words.
    pub(crate) fn numbers_of(&self, name: &str) -> String {
        Self::expected_number(self.key(name), false).replacen("a number", "numbers", 1)
    }

    /// Whether the value of the key `name` may differ from vertex to vertex.
    pub(crate) fn takes_maps(&self, name: &str) -> bool {
        matches!(self.key(name).kind, Kind::Map | Kind::MapCurve)
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
        Err(self.wrong_word(name, word, words, &one_of(words)))
    }

    /// That `word` is not `expected`, and which of `words` it may have been meant to be.
    pub(crate) fn wrong_word(
        &self,
        name: &str,
        word: &str,
        words: &[&str],
        expected: &str,
    ) -> mlua::Error {
        let near = nearest(word, words.iter().copied());
        let hint = near.map(|near| format!("did you mean \"{near}\"?"));
        self.wrong_text(name, expected, &format!("\"{word}\""), hint)
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
        self.wrong_text(name, &expected, &values::describe(given), None)
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
                &values::describe(&value),
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
            self.wrong_text(name, expected, &values::describe(&value), None)
        })
    }
}
