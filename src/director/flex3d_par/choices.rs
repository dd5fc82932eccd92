//! What the language of FLEX3D leaves open, as parameters of the shot.

use super::super::Parameter;
use super::super::api::parameters::{check, typed};
use super::script::Script;
use crate::diagnostics::{Diagnostic, nearest};
use crate::scene::{FrictionReading, Guard};
use serde_json::Value;
use std::collections::BTreeMap;

/// Which model moves the surfaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Model {
    /// The thesis' own, by explicit Euler at `DELTA_t`.
    Flex3d,
    /// Retake's cloth, in the engine's own steps.
    Modern,
}

/// What may hit what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hits {
    /// Surfaces hit objects, each other and themselves.
    All,
    /// Surfaces hit objects.
    Objects,
    /// Nothing hits anything.
    Off,
}

impl Hits {
    /// As the parameter names it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Objects => "objects",
            Self::Off => "off",
        }
    }
}

/// The values of the parameters.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Choices {
    pub(super) model: Model,
    /// Along -Y [m/s2].
    pub(super) gravity: f64,
    pub(super) friction: FrictionReading,
    pub(super) reaction: bool,
    /// [s]
    pub(super) step: f64,
    pub(super) hits: Hits,
    pub(super) guard: Guard,
}

/// Reads the parameters' values; also gives the parameters that there are.
pub(super) fn choose(
    script: &Script,
    given: &BTreeMap<String, Value>,
) -> Result<(Choices, Vec<Parameter>), Diagnostic> {
    let mut list = Vec::new();
    let mut add = |parameter: Parameter| -> Result<Value, Diagnostic> {
        let value = valued(parameter, given)?;
        let chosen = value.value.clone();
        list.push(value);
        Ok(chosen)
    };
    let model = add(word(
        "model",
        "flex3d",
        &["flex3d", "modern"],
        "flex3d: the thesis' own, by explicit Euler; modern: Retake's cloth",
    ))?;
    let model = if model == "modern" { Model::Modern } else { Model::Flex3d };
    let gravity = add(number(
        "gravity",
        0.0,
        (Some(0.0), None),
        "m/s2",
        "gravity along -Y, for which the language has no keyword",
    ))?;
    let (mut friction, mut reaction, mut step) =
        (FrictionReading::Oppose, false, script.step.value);
    let hits = add(word(
        "collisions",
        Hits::All.name(),
        &[Hits::All, Hits::Objects, Hits::Off].map(Hits::name),
        "surfaces hit all there is, outside objects alone, or nothing",
    ))?;
    let hits = match hits.as_str() {
        Some("objects") => Hits::Objects,
        Some("off") => Hits::Off,
        _ => Hits::All,
    };
    let guard = if model == Model::Flex3d {
        let reading = add(word(
            "friction",
            "oppose",
            &["oppose", "scale"],
            "ATRITO as a force against the velocity, or as a factor on the resultant",
        ))?;
        if reading == "scale" {
            friction = FrictionReading::Scale;
        }
        let help = "whether angular springs push back, which keeps the momentum";
        reaction = add(plain("reaction", Value::Bool(false), help))? == true;
        let least = (Some(1e-9), None);
        let steps =
            add(number("step", step, least, "s", "integration step, DELTA_t of the script"))?;
        step = steps.as_f64().unwrap_or(step);
        add(word("guard", "off", &["off", "report"], "crossings: they happen, or are listed too"))?
    } else {
        let words = ["enforce", "report", "off"];
        add(word("guard", "enforce", &words, "crossings: none is accepted; listed; they happen"))?
    };
    for name in given.keys() {
        if !list.iter().any(|p| p.name == *name) {
            let names: Vec<&str> = list.iter().map(|p| p.name.as_str()).collect();
            let hint = match nearest(name, names.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("with this model it has `{}`", names.join("`, `")),
            };
            let problem = Diagnostic::error(format!("the script has no parameter `{name}`"));
            return Err(problem.hint(hint));
        }
    }
    let guard = match guard.as_str() {
        Some("enforce") => Guard::Enforce,
        Some("report") => Guard::Report,
        _ => Guard::Off,
    };
    let gravity = gravity.as_f64().unwrap_or(0.0);
    Ok((Choices { model, gravity, friction, reaction, step, hits, guard }, list))
}

fn plain(name: &str, default: Value, help: &str) -> Parameter {
    Parameter {
        name: name.into(),
        value: default.clone(),
        default,
        choices: None,
        min: None,
        max: None,
        integer: false,
        unit: String::new(),
        help: help.into(),
    }
}

fn word(name: &str, default: &str, words: &[&str], help: &str) -> Parameter {
    let choices = Some(words.iter().map(|w| Value::from(*w)).collect());
    Parameter { choices, ..plain(name, Value::from(default), help) }
}

fn number(
    name: &str,
    default: f64,
    (min, max): (Option<f64>, Option<f64>),
    unit: &str,
    help: &str,
) -> Parameter {
    // Whole numbers without a point, as a Lua script's parameters have them.
    let default = if default.fract() == 0.0 { Value::from(default as i64) } else { default.into() };
    Parameter { min, max, unit: unit.into(), ..plain(name, default, help) }
}

fn valued(
    mut parameter: Parameter,
    given: &BTreeMap<String, Value>,
) -> Result<Parameter, Diagnostic> {
    let Some(value) = given.get(&parameter.name) else { return Ok(parameter) };
    let name = &parameter.name;
    let read = typed(value, &parameter.default).ok_or_else(|| {
        let kind = match parameter.default {
            Value::Number(_) => "a number",
            Value::Bool(_) => "true or false",
            _ => "a word",
        };
        Diagnostic::error(format!("the parameter `{name}` must be {kind}, not {value}"))
    })?;
    check(&parameter, &read).map_err(|(wrong, hint)| {
        let mut problem = Diagnostic::error(format!("the parameter `{name}` {wrong}"));
        problem.hint = hint;
        problem
    })?;
    parameter.value = read;
    Ok(parameter)
}
