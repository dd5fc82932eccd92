//! A shot for every combination of values.

use super::json::{number, sorted_text};
use super::scene_file::is_file_safe;
use super::standing::standing;
use super::summary::csv_field;
use crate::diagnostics::Diagnostic;
use crate::frames::write_whole;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io;
use std::path::Path;

/// More variants than this are a typing mistake.
const MOST: usize = 10_000;

/// A parameter and the values that it takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Varied {
    /// The parameter.
    pub name: String,
    /// Its values.
    pub values: Vec<Value>,
}

/// A combination of values.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// Name of its folder: `wind=2,bend=0.001`.
    pub name: String,
    /// Its values, in the order of the command line.
    pub values: Vec<(String, Value)>,
}

impl Varied {
    /// Reads `wind=2,4,8`, `bend=1e-4..1e-1:log:4` or `bend=0..1:4`; `value_of` reads one value.
    pub fn parse(text: &str, value_of: impl Fn(&str) -> Value) -> Result<Self, Diagnostic> {
        let wrong = |what: &str| {
            Diagnostic::error(format!("`--vary {text}`: {what}")).hint(
                "write it as `wind=2,4,8`, `bend=1e-4..1e-1:log:4` or `bend=0..1:5` (5 values, \
                 evenly spread)",
            )
        };
        let (name, list) = text.split_once('=').ok_or_else(|| wrong("there is no `=`"))?;
        let (name, list) = (name.trim(), list.trim());
        if name.is_empty() || list.is_empty() {
            return Err(wrong("a name and values are needed"));
        }
        let values = match list.split_once("..") {
            Some((low, rest)) => span(low, rest).map_err(wrong)?,
            None => list.split(',').map(|v| value_of(v.trim())).collect(),
        };
        let mut seen = BTreeSet::new();
        if !values.iter().all(|v| seen.insert(told(v))) {
            return Err(wrong("a value comes twice"));
        }
        Ok(Self { name: name.to_owned(), values })
    }
}

/// `hi:log:n` or `hi:n` after `low..`.
fn span(low: &str, rest: &str) -> Result<Vec<Value>, &'static str> {
    let parts: Vec<&str> = rest.split(':').map(str::trim).collect();
    let (high, log, count) = match parts[..] {
        [high, count] | [high, "lin", count] => (high, false, count),
        [high, "log", count] => (high, true, count),
        _ => return Err("the number of values is missing"),
    };
    let real = |s: &str| s.trim().parse::<f64>().ok().filter(|x| x.is_finite());
    let (Some(low), Some(high)) = (real(low), real(high)) else {
        return Err("the ends of a span are numbers");
    };
    let count: usize = count.parse().map_err(|_| "the number of values is a whole number")?;
    if !(2..=MOST).contains(&count) {
        return Err("a span has at least 2 values");
    }
    if log && (low <= 0.0 || high <= 0.0) {
        return Err("the ends of a logarithmic span are positive");
    }
    let value = |i: usize| {
        let u = i as f64 / (count - 1) as f64;
        let x = if log {
            libm::exp(libm::log(low) * (1.0 - u) + libm::log(high) * u)
        } else {
            low * (1.0 - u) + high * u
        };
        // What a person would write for it, so that folders are called `bend=0.001`.
        let short: f64 = format!("{x:.9e}").parse().unwrap_or(x);
        number(match i {
            0 => low,
            _ if i == count - 1 => high,
            _ => short,
        })
    };
    Ok((0..count).map(value).collect())
}

/// All combinations, the last parameter changing fastest.
pub fn variants(varied: &[Varied]) -> Result<Vec<Variant>, Diagnostic> {
    let mut names = BTreeSet::new();
    if let Some(twice) = varied.iter().find(|v| !names.insert(&v.name)) {
        return Err(Diagnostic::error(format!("`--vary {}` comes twice", twice.name)));
    }
    let count = varied.iter().try_fold(1usize, |n, v| n.checked_mul(v.values.len()));
    if count.is_none_or(|n| n > MOST) {
        return Err(Diagnostic::error(format!("more than {MOST} combinations")));
    }
    let mut all = vec![Vec::new()];
    for v in varied {
        all = all
            .into_iter()
            .flat_map(|before: Vec<(String, Value)>| {
                v.values.iter().map(move |value| {
                    let mut next = before.clone();
                    next.push((v.name.clone(), value.clone()));
                    next
                })
            })
            .collect();
    }
    let named = |values: Vec<(String, Value)>| {
        let name =
            values.iter().map(|(n, v)| format!("{n}={}", told(v))).collect::<Vec<_>>().join(",");
        if is_file_safe(&name) {
            Ok(Variant { name, values })
        } else {
            Err(Diagnostic::error(format!("\"{name}\" cannot be the name of a folder")))
        }
    };
    all.into_iter().map(named).collect()
}

/// A value as text.
fn told(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(n) => {
            n.as_i64().map_or_else(|| n.as_f64().unwrap_or(0.0).to_string(), |i| i.to_string())
        }
        other => other.to_string(),
    }
}

/// What a variant came to, in columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The variant.
    pub variant: Variant,
    /// Columns and values: the parameters, then figures, then measures at the last frame.
    pub columns: Vec<(String, Value)>,
}

/// Reads what a variant came to, or has come to, from its folder below `folder`; `fallback` is its status where that is
/// not the folder of a run.
pub fn row(folder: &Path, variant: &Variant, fallback: &str) -> Row {
    let shot =
        standing(&folder.join(&variant.name)).unwrap_or_else(|_| json!({ "status": fallback }));
    let figures = shot["figures"].as_array().map_or(&[][..], Vec::as_slice);
    let of = |key: &str| figures.iter().filter_map(|f| f[key].as_f64()).collect::<Vec<f64>>();
    let largest = |key: &str| of(key).into_iter().reduce(f64::max).map(number);
    let smallest = |key: &str| of(key).into_iter().reduce(f64::min).map(number);
    let sum = |key: &str| figures.iter().filter_map(|f| f[key].as_u64()).sum::<u64>();
    let last = figures.last();
    let mut columns = variant.values.clone();
    let mut add = |name: &str, value: Value| columns.push((name.to_owned(), value));
    add("status", shot["status"].clone());
    add("frames", json!(figures.len()));
    add("steps", json!(sum("steps")));
    add("retakes", json!(sum("retakes")));
    add("closest_approach", smallest("closest_approach").unwrap_or(Value::Null));
    add("pressed_in", largest("pressed_in").unwrap_or(Value::Null));
    add("max_stretch", largest("max_stretch").unwrap_or(Value::Null));
    add("kinetic", last.map_or(Value::Null, |f| f["kinetic"].clone()));
    add("elastic", last.map_or(Value::Null, |f| f["elastic"].clone()));
    if let Some(measures) = last.and_then(|f| f["measures"].as_object()) {
        for (name, value) in measures {
            add(name, value.clone());
        }
    }
    Row { variant: variant.clone(), columns }
}

/// Writes `table.csv` and `table.json` into `folder`.
pub fn write_table(folder: &Path, rows: &[Row]) -> io::Result<()> {
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in rows.iter().flat_map(|r| &r.columns) {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    let head = names.iter().map(|n| csv_field(n)).collect::<Vec<_>>().join(",");
    let mut csv = format!("folder,{head}\n");
    for row in rows {
        let cell = |name: &&str| {
            let value = row.columns.iter().find(|(n, _)| n == name).map(|(_, v)| v);
            value.filter(|v| !v.is_null()).map_or_else(String::new, |v| csv_field(&told(v)))
        };
        let cells = names.iter().map(cell).collect::<Vec<_>>().join(",");
        let _ = writeln!(csv, "{},{cells}", csv_field(&row.variant.name));
    }
    write_whole(&folder.join("table.csv"), csv.as_bytes())?;
    let objects = rows.iter().map(|row| {
        let columns: Map<String, Value> = row.columns.iter().cloned().collect();
        json!({ "folder": row.variant.name, "values": columns })
    });
    let table = Value::Array(objects.collect());
    write_whole(&folder.join("table.json"), sorted_text(&table).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Varied, Diagnostic> {
        Varied::parse(text, |v| serde_json::from_str(v).unwrap_or_else(|_| Value::from(v)))
    }

    #[test]
    fn spans_and_lists() {
        let told_of = |text: &str| parse(text).unwrap().values.iter().map(told).collect::<Vec<_>>();
        assert_eq!(told_of("wind=2,4,8"), ["2", "4", "8"]);
        assert_eq!(told_of("fabric=silk, denim"), ["silk", "denim"]);
        assert_eq!(told_of("bend=1e-4..1e-1:log:4"), ["0.0001", "0.001", "0.01", "0.1"]);
        assert_eq!(told_of("a=0..1:5"), ["0", "0.25", "0.5", "0.75", "1"]);
        assert_eq!(told_of("a=-1..-2:3"), ["-1", "-1.5", "-2"]);
        for wrong in ["a", "a=", "=2", "a=1..2", "a=1..2:1", "a=0..1:log:3", "a=1,1", "a=x..2:3"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn every_combination_has_a_folder() {
        let varied = [parse("wind=2,4").unwrap(), parse("f=silk,denim").unwrap()];
        let names: Vec<String> = variants(&varied).unwrap().into_iter().map(|v| v.name).collect();
        assert_eq!(names, ["wind=2,f=silk", "wind=2,f=denim", "wind=4,f=silk", "wind=4,f=denim"]);
        assert!(variants(&[parse("a=1,2").unwrap(), parse("a=3,4").unwrap()]).is_err());
        assert!(variants(&[parse("a=x/y,b").unwrap()]).is_err());
    }
}
