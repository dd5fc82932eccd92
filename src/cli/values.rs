//! Parameter values from the command line.

use super::args::{BuildArgs, ValueArgs};
use crate::diagnostics::{Diagnostic, Place};
use crate::production::{Source, is_flex3d};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// What a command builds its scene from.
pub(super) fn source(args: &BuildArgs) -> Result<Source, Vec<Diagnostic>> {
    if !args.script.is_file() {
        return Err(vec![no_script(&args.script)]);
    }
    let mut parameters = parameters(&args.values).map_err(|d| vec![d])?;
    if let Some(model) = &args.values.model {
        if !is_flex3d(&args.script) {
            let problem = Diagnostic::error("`--model` is for FLEX3D scripts (.par)");
            return Err(vec![problem]);
        }
        parameters.insert("model".to_owned(), Value::from(model.as_str()));
    }
    Ok(Source { script: args.script.clone(), parameters, assets: args.values.assets.clone() })
}

/// That `script` is not there.
pub(super) fn no_script(script: &Path) -> Diagnostic {
    let place = Place::new(script.display().to_string(), 0);
    Diagnostic::error("there is no such script").at(place)
}

/// Values of `--params` and `--set`; the latter win.
pub(super) fn parameters(args: &ValueArgs) -> Result<BTreeMap<String, Value>, Diagnostic> {
    let mut values = match &args.params {
        Some(path) => read(path)?,
        None => BTreeMap::new(),
    };
    for set in &args.set {
        let Some((name, value)) = set.split_once('=') else {
            return Err(Diagnostic::error(format!("`--set {set}` has no value"))
                .hint("write it as `--set name=value`"));
        };
        // The director reads the text by the parameter's type.
        values.insert(name.trim().to_owned(), Value::from(value));
    }
    Ok(values)
}

/// A value as typed: a number or a boolean where it reads as one, else text.
pub(super) fn value_of(text: &str) -> Value {
    match serde_json::from_str(text.trim()) {
        Ok(value @ (Value::Bool(_) | Value::Number(_) | Value::String(_))) => value,
        // JSON does not know `.5`, `+3` and `1.`, people do.
        _ => match text.trim().parse::<f64>() {
            Ok(number) if number.is_finite() => Value::from(number),
            _ => Value::from(text),
        },
    }
}

fn read(path: &Path) -> Result<BTreeMap<String, Value>, Diagnostic> {
    let wrong =
        |message: String| Diagnostic::error(message).at(Place::new(path.display().to_string(), 0));
    let text = fs::read_to_string(path).map_err(|e| wrong(format!("cannot be read: {e}")))?;
    if path.extension().is_some_and(|e| e == "toml") {
        toml::from_str(&text).map_err(|e| wrong(format!("not a list of parameters: {e}")))
    } else {
        serde_json::from_str(&text).map_err(|e| wrong(format!("not a list of parameters: {e}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_what_they_look_like() {
        assert_eq!(value_of("12"), Value::from(12));
        assert_eq!(value_of("-1.5e-3"), Value::from(-1.5e-3));
        assert_eq!(value_of(".5"), Value::from(0.5));
        assert_eq!(value_of("true"), Value::from(true));
        assert_eq!(value_of("silk"), Value::from("silk"));
        assert_eq!(value_of("inf"), Value::from("inf"));
        assert_eq!(value_of(""), Value::from(""));
    }
}
