//! Files as stages: their objects by name, the places of their nodes, their scenery.

use super::super::invocation::Invocation;
use super::super::object::{Object, Stage};
use super::super::schema::{Args, Call, Class, Key, Kind, Schema, key};
use super::super::values::list;
use super::bodies;
use super::mesh_files::{read_mesh, with_file};
use crate::diagnostics::{fits, nearest};
use crate::geometry::read::{NodeKind, StageNode, stage_clips, stage_nodes};
use crate::math::degrees_from_rotation;
use mlua::Value;
use std::rc::Rc;

const KINDS: Kind = Kind::Choice(&["mesh", "camera", "light", "empty"], &[]);
const MATCH: Key = key("match", Kind::Text, "pattern of names, `*` for any text").words("all");

static NAMES: Schema = Schema::new(
    "names",
    "NamesOptions",
    &[&[key("kind", KINDS, "what is meant").words("all of them"), MATCH]],
);

static SCENERY: Schema = Schema::new(
    "scenery",
    "SceneryOptions",
    &[&[key("from", Kind::Other("Stage"), "the stage").needed(), MATCH, bodies::GROUP]],
);

pub(super) const CALLS: &[Call] = &[
    Call::new(
        Class::Retake,
        "stage",
        Args::Values(&[("path", "string", "a .glb, .gltf or USD file, or the folder of a run")]),
        stage,
    )
    .returns("Stage")
    .doc(
        "A file as a stage, whose objects and places are taken by their names. It lies relative to \
             the script, the project's root or an asset folder. The folder of a finished run stands for its \
             glTF file: its bodies are colliders that move as they did, and its first frame is where their \
             clip begins. What the samples of a USD file move is its one clip, `samples`, which begins at its \
             first time code; prims of one name are called by those of what they hang on as well \
             (`Mug_Handle`). Skeletons, point instancers and other shapes than meshes are not read.",
    ),
    Call::new(Class::Stage, "names", Args::MaybeOptions(&NAMES), names)
        .returns("string[]")
        .doc("The names of its nodes, in the file's order."),
    Call::new(Class::Stage, "mesh", Args::Values(&[("name", "string", "the object")]), mesh)
        .returns("Mesh")
        .doc("A mesh where the file puts it, as `retake.mesh.load` gives it."),
    Call::new(Class::Stage, "place", Args::Values(&[("name", "string", "the node")]), place)
        .returns("{ translate: number[], rotate: number[], scale: number[] }")
        .doc("Where a node stands; empties have places too."),
    Call::new(Class::Shot, "scenery", Args::Options(&SCENERY), scenery)
        .returns("Body[]")
        .doc("Meshes of a stage that are drawn and exported, and touch nothing."),
];

fn stage(inv: &Invocation) -> mlua::Result<Value> {
    inv.at_most(1)?;
    let given = inv.text(0, "a file's path")?;
    let run = inv.cx.files.run(&given).map_err(|d| super::super::invocation::raise(inv.lua, d))?;
    let (is_run, path) = (run.is_some(), run.unwrap_or(given));
    let read = with_file(inv, &path, |bytes, shown, neighbour| {
        Ok((stage_nodes(bytes, shown, neighbour)?, stage_clips(bytes, shown, neighbour)?))
    });
    let (nodes, clips) = read.map_err(|mut d| {
        if let Some(place) = d.place.take() {
            d.message = format!("{place}: {}", d.message);
        }
        super::super::invocation::raise(inv.lua, d)
    })?;
    inv.charge(nodes.len() as u64)?;
    inv.give(Object::Stage(Rc::new(Stage { path, nodes, clips, is_run })))
}

fn own(inv: &Invocation) -> Rc<Stage> {
    match &inv.this {
        Some(Object::Stage(stage)) => Rc::clone(stage),
        _ => unreachable!("calls of a stage are made on one"),
    }
}

/// The node called `name`, of those that `may` be meant.
fn node<'s>(
    inv: &Invocation,
    stage: &'s Stage,
    name: &str,
    may: impl Fn(&StageNode) -> bool,
) -> mlua::Result<&'s StageNode> {
    let known = || stage.nodes.iter().filter(|n| may(n));
    known().find(|n| n.name == name).ok_or_else(|| {
        let message = format!("`{}` has nothing called `{name}` of this kind", stage.path);
        match nearest(name, known().map(|n| n.name.as_str())) {
            Some(near) => inv.fault_hint(message, format!("did you mean `{near}`?")),
            None => inv.fault_hint(message, "`set:names{}` tells what it has"),
        }
    })
}

fn names(inv: &Invocation) -> mlua::Result<Value> {
    let o = inv.options_at(0, &NAMES, false)?;
    let (kind, pattern) = (o.choice("kind")?, o.text("match")?);
    let wanted = kind.map(|word| match word.as_str() {
        "mesh" => NodeKind::Mesh,
        "camera" => NodeKind::Camera,
        "light" => NodeKind::Light,
        _ => NodeKind::Empty,
    });
    let stage = own(inv);
    let found = matching(&stage, wanted, pattern.as_deref());
    Ok(Value::Table(inv.lua.create_sequence_from(found)?))
}

/// Names, each once, in the file's order.
fn matching(stage: &Stage, kind: Option<NodeKind>, pattern: Option<&str>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for node in &stage.nodes {
        let is_meant = kind.is_none_or(|kind| kind == node.kind)
            && pattern.is_none_or(|pattern| fits(pattern, &node.name));
        if is_meant && !found.contains(&node.name) {
            found.push(node.name.clone());
        }
    }
    found
}

fn mesh(inv: &Invocation) -> mlua::Result<Value> {
    inv.at_most(1)?;
    let (stage, name) = (own(inv), inv.text(0, "an object's name")?);
    let node = node(inv, &stage, &name, |n| n.kind == NodeKind::Mesh)?;
    inv.give(Object::Mesh(Rc::new(read_mesh(inv, &stage.path, Some(node.name.clone()), 1.0)?)))
}

fn place(inv: &Invocation) -> mlua::Result<Value> {
    inv.at_most(1)?;
    let (stage, name) = (own(inv), inv.text(0, "a node's name")?);
    let node = node(inv, &stage, &name, |_| true)?;
    let table = inv.lua.create_table()?;
    table.raw_set("translate", list(inv.lua, node.translate)?)?;
    table.raw_set("rotate", list(inv.lua, degrees_from_rotation(node.rotate))?)?;
    table.raw_set("scale", list(inv.lua, node.scale)?)?;
    Ok(Value::Table(table))
}

fn scenery(inv: &Invocation) -> mlua::Result<Value> {
    let o = inv.options(&SCENERY)?;
    let from = o.value("from")?;
    let Some(Object::Stage(stage)) = Object::from_value(&from) else {
        return Err(o.wrong("from", "a stage of `retake.stage`", &from));
    };
    let pattern = o.text("match")?;
    let found = matching(&stage, Some(NodeKind::Mesh), pattern.as_deref());
    if found.is_empty() {
        let message = format!("no mesh of `{}` fits `match`", stage.path);
        return Err(o.fault("match", message, None));
    }
    let made = inv.lua.create_table()?;
    for (i, name) in found.into_iter().enumerate() {
        let mesh = Rc::new(read_mesh(inv, &stage.path, Some(name.clone()), 1.0)?);
        made.raw_set(i + 1, bodies::add_scenery(&o, name, &mesh)?)?;
    }
    Ok(Value::Table(made))
}
