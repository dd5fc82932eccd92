//! What differs between two scenes, field by field, in words.

use super::stale::motion_part;
use crate::frames::first_change;
use crate::geometry::TriMesh;
use crate::scene::{Output, Scene};
use serde_json::{Map, Value, json};
use std::fmt;

/// Something of a scene that is not as it was.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// What has it: "body cape", "wind 1", "gravity", "parameter wind".
    pub of: String,
    /// Its field, named as in a scene file; empty where the whole of it came, went or changed.
    pub field: String,
    /// The value that it had; none: there was none.
    pub old: Option<String>,
    /// The value that it has; none: there is none.
    pub new: Option<String>,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.of)?;
        if !self.field.is_empty() {
            write!(f, ", {}", self.field)?;
        }
        match (&self.old, &self.new) {
            (Some(old), Some(new)) => write!(f, ": {new}, was {old}"),
            (None, Some(new)) => write!(f, ": {new}, was not there"),
            (Some(old), None) => write!(f, ": gone, was {old}"),
            (None, None) => f.write_str(": differs"),
        }
    }
}

/// A list of things with names in a scene file, and what one of them is called.
const LISTS: [(&str, &str); 7] = [
    ("bodies", "body"),
    ("constraints", "constraint"),
    ("forces", "force"),
    ("contact_pairs", "contact pair"),
    ("cameras", "camera"),
    ("lights", "light"),
    ("measures", "measure"),
];

/// What a change of the script's `on_frame` functions is called.
pub(super) const CALLBACKS: &str = "on_frame";

/// Fields that hold numbers of bodies.
const BODY_FIELDS: [&str; 5] = ["body", "bodies", "to", "a", "b"];

/// Arrays up to this length are told whole.
const SHORT: usize = 4;

/// What of `new` moves otherwise than `old`, and the script time from which it can do so [s].
pub(super) fn motion_changes(old: &Scene, new: &Scene) -> Vec<(Change, f64)> {
    let (old, new) = (motion_part(old), motion_part(new));
    let with_time = |change: Change| {
        let at = moment(&old, &new, &change.of);
        (change, at)
    };
    changes(&old, &new).into_iter().map(with_time).collect()
}

/// What differs between two scenes, in the order of the scene file; not the lines of scripts.
pub(super) fn changes(old: &Scene, new: &Scene) -> Vec<Change> {
    let (a, b) = (plain(old), plain(new));
    let mut found = Vec::new();
    for key in keys(&a, &b) {
        let (x, y) = (a.get(key), b.get(key));
        if x == y {
            continue;
        }
        if let Some((_, kind)) = LISTS.iter().find(|(list, _)| *list == key) {
            compare_lists(kind, x, y, &mut found);
        } else if key == "parameters" {
            let none = Map::new();
            let of = |v: Option<&Value>| v.and_then(Value::as_object).unwrap_or(&none).clone();
            let (x, y) = (of(x), of(y));
            for name in keys(&x, &y) {
                compare(&format!("parameter {name}"), "", x.get(name), y.get(name), &mut found);
            }
        } else {
            compare(key, "", x, y, &mut found);
        }
    }
    found
}

/// What differs in `output` alone.
pub(super) fn output_changes(old: &Output, new: &Output) -> Vec<Change> {
    let told = |output: &Output| serde_json::to_value(output).expect("a scene is plain data");
    let mut found = Vec::new();
    compare("output", "", Some(&told(old)), Some(&told(new)), &mut found);
    found
}

/// The time from which a change of what is called `of` shows [s]: [`first_change`] of scenes that have
/// nothing else.
fn moment(old: &Scene, new: &Scene, of: &str) -> f64 {
    let bare = |scene: &Scene| Scene {
        gravity: crate::math::Curve::Constant(glam::DVec3::ZERO),
        meshes: Vec::new(),
        bodies: Vec::new(),
        constraints: Vec::new(),
        forces: Vec::new(),
        contact_pairs: Vec::new(),
        timing: old.timing.clone(),
        ..scene.clone()
    };
    let (mut a, mut b) = (bare(old), bare(old));
    let called = |kind: &str, name: &str| of == format!("{kind} {name}");
    // Lists that do not have the same names in the same order are another shot from the start.
    let mut known = false;
    if of == "gravity" {
        (a.gravity, b.gravity) = (old.gravity.clone(), new.gravity.clone());
        known = true;
    }
    if old.bodies.len() == new.bodies.len() {
        for (x, y) in old.bodies.iter().zip(&new.bodies) {
            if x.name == y.name && called("body", &x.name) {
                let same = old.meshes.get(x.mesh) == new.meshes.get(y.mesh);
                let mut y = y.clone();
                y.mesh = if same { x.mesh } else { usize::MAX };
                (a.bodies, b.bodies) = (vec![x.clone()], vec![y]);
                known = true;
            }
        }
    }
    if old.constraints.len() == new.constraints.len() {
        for (x, y) in old.constraints.iter().zip(&new.constraints) {
            if x.name == y.name && called("constraint", &x.name) {
                (a.constraints, b.constraints) = (vec![x.clone()], vec![y.clone()]);
                known = true;
            }
        }
    }
    if old.forces.len() == new.forces.len() {
        for (x, y) in old.forces.iter().zip(&new.forces) {
            if x.name == y.name && called("force", &x.name) {
                (a.forces, b.forces) = (vec![x.clone()], vec![y.clone()]);
                known = true;
            }
        }
    }
    if old.contact_pairs.len() == new.contact_pairs.len() {
        for (i, (x, y)) in old.contact_pairs.iter().zip(&new.contact_pairs).enumerate() {
            if called("contact pair", &(i + 1).to_string()) {
                (a.contact_pairs, b.contact_pairs) = (vec![x.clone()], vec![y.clone()]);
                known = true;
            }
        }
    }
    let from = if known { first_change(&a, &b) } else { None };
    from.unwrap_or(f64::NEG_INFINITY)
}

/// A scene as JSON with names in place of numbers of bodies, and words in place of meshes.
fn plain(scene: &Scene) -> Map<String, Value> {
    let mut scene_value = serde_json::to_value(scene).expect("a scene is plain data");
    let Some(all) = scene_value.as_object_mut() else { return Map::new() };
    all.remove("meshes");
    if let Some(Value::Object(mut source)) = all.remove("source") {
        all.insert("parameters".into(), source.remove("parameters").unwrap_or_default());
        all.insert("script".into(), source.remove("script").unwrap_or_default());
        let code: String = scene.source.script_hash.chars().take(12).collect();
        all.insert("code".into(), Value::from(code));
        all.insert(CALLBACKS.into(), source.remove("callbacks").unwrap_or_default());
    }
    let told = |index: &Value| {
        let mesh = index.as_u64().and_then(|i| scene.meshes.get(i as usize));
        mesh.map_or(Value::Null, |mesh| Value::from(mesh_in_words(mesh)))
    };
    for body in all.get_mut("bodies").and_then(Value::as_array_mut).into_iter().flatten() {
        body["mesh"] = told(&body["mesh"]);
        for path in ["/kind/soft/cage", "/kind/cloth/rest/mesh"] {
            if let Some(index) = body.pointer_mut(path).filter(|v| !v.is_null()) {
                *index = told(index);
            }
        }
    }
    let names: Vec<&str> = scene.bodies.iter().map(|b| b.name.as_str()).collect();
    for (list, _) in LISTS {
        for entry in all.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten() {
            if let Some(entry) = entry.as_object_mut() {
                entry.remove("place");
            }
            name_bodies(entry, &names);
        }
    }
    all.clone()
}

fn name_bodies(value: &mut Value, names: &[&str]) {
    let name = |v: &Value| {
        let index = v.as_u64().filter(|_| v.is_u64())?;
        names.get(index as usize).map(|name| Value::from(*name))
    };
    match value {
        Value::Object(map) => {
            for (key, v) in map.iter_mut() {
                if BODY_FIELDS.contains(&key.as_str()) {
                    if let Some(named) = name(v) {
                        *v = named;
                        continue;
                    }
                    if let Some(named) =
                        v.as_array().and_then(|list| list.iter().map(name).collect::<Option<_>>())
                    {
                        *v = Value::Array(named);
                        continue;
                    }
                }
                name_bodies(v, names);
            }
        }
        Value::Array(list) => {
            for v in list {
                name_bodies(v, names);
            }
        }
        _ => {}
    }
}

fn mesh_in_words(mesh: &TriMesh) -> String {
    let json = serde_json::to_vec(mesh).expect("a mesh is plain data");
    let hash = blake3::hash(&json).to_hex();
    let (vertices, triangles) = (mesh.positions.len(), mesh.triangles.len());
    format!("{vertices} vertices, {triangles} triangles, hash {}", &hash[..8])
}

/// Keys of both, those of `a` first.
fn keys<'a>(a: &'a Map<String, Value>, b: &'a Map<String, Value>) -> Vec<&'a str> {
    let new = b.keys().filter(|key| !a.contains_key(*key));
    a.keys().chain(new).map(String::as_str).collect()
}

fn compare_lists(kind: &str, a: Option<&Value>, b: Option<&Value>, found: &mut Vec<Change>) {
    let named = |list: Option<&Value>| -> Map<String, Value> {
        let entries = list.and_then(Value::as_array).into_iter().flatten().enumerate();
        entries
            .map(|(i, entry)| {
                let name = entry["name"].as_str().map_or_else(|| (i + 1).to_string(), Into::into);
                (name, entry.clone())
            })
            .collect()
    };
    let (a, b) = (named(a), named(b));
    let before = found.len();
    for name in keys(&a, &b) {
        let of = format!("{kind} {name}");
        match (a.get(name), b.get(name)) {
            (Some(x), Some(y)) => compare(&of, "", Some(x), Some(y), found),
            (Some(_), None) => {
                found.push(Change {
                    of,
                    field: String::new(),
                    old: Some("there".into()),
                    new: None,
                });
            }
            (None, new) => {
                let new = new.map(|_| "new".to_owned());
                found.push(Change { of, field: String::new(), old: None, new });
            }
        }
    }
    if found.len() == before && a.keys().ne(b.keys()) {
        let told = |list: &Map<String, Value>| {
            Some(list.keys().map(String::as_str).collect::<Vec<_>>().join(", "))
        };
        let of = format!("order of each {kind}");
        found.push(Change { of, field: String::new(), old: told(&a), new: told(&b) });
    }
}

fn compare(of: &str, field: &str, a: Option<&Value>, b: Option<&Value>, found: &mut Vec<Change>) {
    if a == b {
        return;
    }
    if let (Some(Value::Object(x)), Some(Value::Object(y))) = (a, b)
        && x.keys().any(|key| y.contains_key(key))
    {
        for key in keys(x, y) {
            // How a value is written down is no field of its own.
            let below = match (key, field) {
                ("constant" | "uniform", _) => field.to_owned(),
                (_, "") => key.to_owned(),
                _ => format!("{field}.{key}"),
            };
            compare(of, &below, x.get(key), y.get(key), found);
        }
        return;
    }
    if let (Some(Value::Array(x)), Some(Value::Array(y))) = (a, b)
        && x.len() == y.len()
    {
        let differ: Vec<usize> = (0..x.len()).filter(|i| x[*i] != y[*i]).collect();
        if let [i] = differ[..]
            && (x.len() > SHORT || x[i].is_object())
        {
            compare(of, &format!("{field}[{i}]"), x.get(i), y.get(i), found);
            return;
        }
        if x.len() > SHORT {
            let (n, all) = (differ.len(), x.len());
            let new = Some(format!("{n} of {all} values"));
            let old = Some("otherwise".to_owned());
            found.push(Change { of: of.into(), field: field.into(), old, new });
            return;
        }
    }
    let told = |v: Option<&Value>| v.filter(|v| !v.is_null()).map(in_words);
    found.push(Change { of: of.into(), field: field.into(), old: told(a), new: told(b) });
}

/// A value in a few words.
fn in_words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(list) if list.len() > SHORT || list.iter().any(is_nested) => {
            format!("{} values", list.len())
        }
        Value::Object(map) => match map.iter().next() {
            Some((key, value)) if map.len() == 1 => match key.as_str() {
                "constant" | "uniform" => in_words(value),
                _ => key.clone(),
            },
            _ => json!(map.keys().collect::<Vec<_>>()).to_string(),
        },
        other => other.to_string(),
    }
}

fn is_nested(value: &Value) -> bool {
    value.is_array() || value.is_object()
}
