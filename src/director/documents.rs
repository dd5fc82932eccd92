//! The editor definitions and the reference: both are printed from the schemas.

use super::api::{self, fabrics::FABRICS};
use super::schema::{Args, Call, Class, Key, Kind, Preset, Schema, When};
use super::values::number_text;
use std::collections::BTreeMap;
use std::fmt::Write;

/// What examples of the reference may rely on.
pub(crate) const EXAMPLE_SETTING: &str = r#"local retake = require "retake"
local shot = retake.shot{ name = "example", duration = 2 }
local sheet = retake.mesh.grid{ size = { 2, 2 }, vertices = { 21, 21 }, center = { 0, 1, 0 } }
local cloth = shot:cloth{ name = "cloth", mesh = sheet }
local other = shot:cloth{ name = "other", mesh = sheet, translate = { 2.1, 0, 0 } }
local pole_body = shot:collider{
  name = "pole",
  mesh = retake.mesh.cylinder{ radius = 0.02, height = 2 },
  translate = { -1.1, 1, 0 },
}
local rail = shot:pin{ name = "rail", points = cloth:edge "top" }
"#;

/// Keys whose values may change over time, and those that may differ from vertex to vertex.
fn abilities(kind: Kind) -> &'static str {
    match kind {
        Kind::Curve | Kind::Curve3 | Kind::CurveFactor => "~",
        Kind::Map => "*",
        Kind::MapCurve => "*~",
        _ => "",
    }
}

/// The type of a key for editors.
fn type_of(kind: Kind) -> String {
    match kind {
        Kind::Number => "number".into(),
        Kind::Integer => "integer".into(),
        Kind::Bool => "boolean".into(),
        Kind::Text => "string".into(),
        Kind::Choice(words, _) => {
            words.iter().map(|w| format!("\"{w}\"")).collect::<Vec<_>>().join("|")
        }
        Kind::Vec3 => "number[]".into(),
        Kind::Factor => "number|number[]".into(),
        Kind::Color => "number[]|string".into(),
        Kind::Curve => "AnimatedNumber".into(),
        Kind::MapCurve => "AnimatedNumber|MappedNumber".into(),
        Kind::Curve3 => "AnimatedVector".into(),
        Kind::CurveFactor => "AnimatedNumber|AnimatedVector".into(),
        Kind::Map => "MappedNumber".into(),
        Kind::Mesh => "Mesh".into(),
        Kind::Body => "Body|string".into(),
        Kind::Bodies => "BodyRef".into(),
        Kind::Points => "Points".into(),
        Kind::Function(text) | Kind::Other(text) => text.into(),
    }
}

fn limits(key: &Key) -> String {
    match (key.min.is_finite(), key.max.is_finite()) {
        (true, _) if key.min == f64::MIN_POSITIVE && !key.max.is_finite() => "above 0".into(),
        (true, true) if key.min == f64::MIN_POSITIVE => {
            format!("above 0, at most {}", number_text(key.max))
        }
        (true, true) => format!("{} to {}", number_text(key.min), number_text(key.max)),
        (true, false) => format!("at least {}", number_text(key.min)),
        (false, true) => format!("at most {}", number_text(key.max)),
        (false, false) => String::new(),
    }
}

fn preset(key: &Key) -> String {
    match key.preset {
        Preset::None | Preset::Text("") => String::new(),
        Preset::Number(n) => number_text(n),
        Preset::Bool(b) => b.to_string(),
        Preset::Text(text) => format!("\"{text}\""),
        Preset::Vec3([x, y, z]) => {
            format!("{{{}, {}, {}}}", number_text(x), number_text(y), number_text(z))
        }
        Preset::Words(words) => words.into(),
    }
}

/// Every schema that calls use, by class.
fn schemas() -> BTreeMap<&'static str, &'static Schema> {
    let mut found = BTreeMap::new();
    for call in api::calls() {
        match call.args {
            Args::Options(schema) | Args::MaybeOptions(schema) | Args::ValuesThen(_, schema) => {
                found.insert(schema.class, schema);
            }
            Args::Values(_) => {}
        }
    }
    found.insert(api::outputs::IMAGES.class, &api::outputs::IMAGES);
    found.insert(api::joints::MOTOR.class, &api::joints::MOTOR);
    found
}

/// The text of `scripts/library/retake.lua`: types and help for editors with a Lua language server.
pub fn editor_definitions() -> String {
    let mut out = String::from(
        "---@meta retake\n-- Made from the program's own schemas: editors read this \
         file, scripts never run it.\n\n---@alias AnimatedNumber number|Keys|fun(t: number): number\n\
         ---@alias AnimatedVector number[]|Keys|fun(t: number): number, number, number\n\
         ---@alias MappedNumber number|Map|number[]|fun(p: Point): number\n\
         ---@alias BodyRef Body|WorldBody|string|(Body|string)[]\n\n\
         ---@class Point\n---@field x number place [m]\n---@field y number place [m]\n\
         ---@field z number place [m]\n---@field u? number texture coordinate\n\
         ---@field v? number texture coordinate\n---@field index integer number of the vertex, \
         counted from 0\n\n---@class FieldPoint\n---@field t number time [s]\n---@field x number place [m]\n\
         ---@field y number place [m]\n---@field z number place [m]\n---@field vx number velocity [m/s]\n\
         ---@field vy number velocity [m/s]\n---@field vz number velocity [m/s]\n\n",
    );
    let names: Vec<String> = FABRICS.iter().map(|f| format!("\"{}\"", f.name)).collect();
    let _ = writeln!(out, "---@alias FabricName {}\n", names.join("|"));
    for schema in schemas().values() {
        let _ = writeln!(out, "---@class (exact) {}", schema.class);
        for key in schema.all() {
            let mark = if key.needed { "" } else { "?" };
            let mut text = key.doc.to_owned();
            for (word, value) in [("", unit(key)), ("", limits(key)), ("default ", preset(key))] {
                if !value.is_empty() {
                    let _ = write!(text, "; {word}{value}");
                }
            }
            let _ = writeln!(out, "---@field {}{mark} {} {text}", key.name, type_of(key.kind));
        }
        if let Some(what) = schema.list {
            let _ = writeln!(out, "---@field [integer] any {what}");
        }
        out.push('\n');
    }
    out.push_str("---@class retake\nlocal retake = {}\n\n");
    out.push_str("---@class retake.mesh\nretake.mesh = {}\n\n");
    out.push_str("---@class retake.material\nretake.material = {}\n\n");
    for class in Class::ALL.into_iter().filter(|c| !c.is_library()) {
        let name = class.editor_class();
        let _ = writeln!(out, "---@class {name}");
        match class {
            Class::Points => {
                out.push_str(
                    "---@operator add(Points): Points\n---@operator sub(Points): Points\n",
                );
            }
            Class::World => out.push_str(
                "---@field frame integer number of the frame\n\
                 ---@field time number script time [s]\n\
                 ---@field memory table what callbacks remember; saved with each frame\n",
            ),
            _ => {}
        }
        let _ = writeln!(out, "local {name} = {{}}\n");
    }
    for call in api::calls() {
        definition(&mut out, call);
    }
    out.push_str("return retake\n");
    out
}

fn unit(key: &Key) -> String {
    if key.unit.is_empty() { String::new() } else { format!("[{}]", key.unit) }
}

fn definition(out: &mut String, call: &Call) {
    for line in call.doc.lines() {
        let _ = writeln!(out, "---{line}");
    }
    let mut parameters = Vec::new();
    let mut values = |out: &mut String, list: &[(&'static str, &'static str, &'static str)]| {
        for (name, kind, help) in list {
            let _ = writeln!(out, "---@param {name} {kind} {help}");
            parameters.push(*name);
        }
    };
    match call.args {
        Args::Values(list) => values(out, list),
        Args::ValuesThen(list, schema) => {
            values(out, list);
            let _ = writeln!(out, "---@param options? {}", schema.class);
            parameters.push("options");
        }
        Args::Options(schema) => {
            let _ = writeln!(out, "---@param options {}", schema.class);
            parameters.push("options");
        }
        Args::MaybeOptions(schema) => {
            let _ = writeln!(out, "---@param options? {}", schema.class);
            parameters.push("options");
        }
    }
    if !call.returns.is_empty() {
        let _ = writeln!(out, "---@return {}", call.returns);
    }
    let sign = if call.on.is_library() { '.' } else { ':' };
    let class = call.on.editor_class();
    let _ = writeln!(out, "function {class}{sign}{}({}) end\n", call.name, parameters.join(", "));
}

/// The reference in Markdown.
pub fn reference() -> String {
    let mut out = String::from(
        "# Reference\n\nUnits are SI, angles are degrees, Y is up. Values marked `~` take a constant, \
         `retake.keys{ ... }` or a function of time; values marked `*` take a number, \
         `mesh:map \"name\"`, a list with one number a vertex, or a function of `p.x p.y p.z p.u \
         p.v p.index`. Points, rows and columns are counted from 0.\n\nThe examples stand after \
         these lines:\n\n```lua\n",
    );
    out.push_str(EXAMPLE_SETTING);
    out.push_str("```\n");
    for topic in api::TOPICS {
        let _ = writeln!(out, "\n## {}", topic.title);
        for call in topic.calls {
            section(&mut out, call);
        }
    }
    out.push_str("\n## Fabrics\n\nPresets of `retake.material.fabric`: ");
    let names: Vec<String> = FABRICS.iter().map(|f| format!("`{}`", f.name)).collect();
    let _ = writeln!(out, "{}.", names.join(", "));
    out
}

fn section(out: &mut String, call: &Call) {
    let arguments = match call.args {
        Args::Options(_) | Args::MaybeOptions(_) => "{ ... }".to_owned(),
        Args::Values(list) => {
            let names: Vec<&str> = list.iter().map(|(name, ..)| *name).collect();
            format!("({})", names.join(", "))
        }
        Args::ValuesThen(list, _) => {
            let names: Vec<&str> = list.iter().map(|(name, ..)| *name).collect();
            format!("({}, {{ ... }})", names.join(", "))
        }
    };
    let _ = writeln!(out, "\n### `{}{arguments}`\n\n{}", call.path(), call.doc);
    if call.when == When::Running {
        out.push_str("In callbacks only.\n");
    }
    if let Args::Values(list) | Args::ValuesThen(list, _) = call.args {
        for (name, _, help) in list {
            let _ = writeln!(out, "- `{name}`: {help}");
        }
    }
    if let Args::Options(schema) | Args::MaybeOptions(schema) | Args::ValuesThen(_, schema) =
        call.args
    {
        table(out, schema);
    }
    if !call.example.is_empty() {
        let _ = writeln!(out, "\n```lua\n{}\n```", call.example);
    }
}

fn table(out: &mut String, schema: &Schema) {
    if schema.all().next().is_none() {
        return;
    }
    out.push_str("\n| key | unit | range | default | |\n|---|---|---|---|---|\n");
    for key in schema.all() {
        let shown = if key.needed { "needed".to_owned() } else { preset(key) };
        let mark = abilities(key.kind);
        let mark = if mark.is_empty() { String::new() } else { format!(" {mark}") };
        let words = match key.kind {
            Kind::Choice(words, _) => {
                let list: Vec<String> = words.iter().map(|w| format!("\"{w}\"")).collect();
                format!(": {}", list.join(", "))
            }
            _ => String::new(),
        };
        let _ = writeln!(
            out,
            "| `{}`{mark} | {} | {} | {shown} | {}{words} |",
            key.name,
            key.unit,
            limits(key),
            key.doc
        );
    }
}
