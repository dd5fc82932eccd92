//! Meshes of files, and several meshes as one.

use super::super::invocation::Invocation;
use super::super::limits::VERTEX_COST;
use super::super::object::Object;
use super::super::schema::{Args, Call, Class, Kind, Schema, key};
use super::super::values::describe;
use super::meshes::{TINY, check_count, finish};
use crate::diagnostics::Diagnostic;
use crate::geometry::read::{LoadOptions, MeshFormat, with_loose};
use crate::geometry::{TriMesh, join};
use mlua::Value;
use std::path::{Component, Path};
use std::rc::Rc;

static LOAD: Schema = Schema::new(
    "load",
    "LoadOptions",
    &[&[
        key("object", Kind::Text, "name of the object to take").words("all of them as one mesh"),
        key("scale", Kind::Number, "factor on all coordinates").from(TINY).number(1.0),
    ]],
);

static JOIN: Schema = Schema::new("join", "JoinOptions", &[]).list("meshes");

pub(super) const CALLS: &[Call] = &[
    Call::new(
        Class::MeshLibrary,
        "load",
        Args::ValuesThen(
            &[("path", "string", "file: .obj, .gltf, .glb, .usd, .usda, .usdc, .usdz, .ply, .stl, .msh or .obt")],
            &LOAD,
        ),
        load,
    )
    .returns("Mesh")
    .doc(
        "A mesh of a file, which lies relative to the script, the project's root or an asset \
         folder. Maps are glTF attributes named `_NAME`, PLY properties and USD primvars. A Gmsh file (.msh, as \
         text) gives tetrahedra; its objects are the physical groups.",
    ),
    Call::new(Class::MeshLibrary, "join", Args::Options(&JOIN), join_meshes)
        .returns("Mesh")
        .doc("Several meshes as one, vertices in their order.")
        .example(
            "local both = retake.mesh.join{\n  retake.mesh.box{ size = 0.2 },\n  \
             retake.mesh.sphere{ radius = 0.1, center = { 0, 0.5, 0 } },\n}",
        ),
];

fn load(inv: &Invocation) -> mlua::Result<Value> {
    let name = inv.text(0, "a file's path")?;
    let o = inv.options_at(1, &LOAD, false)?;
    let mesh = read_mesh(inv, &name, o.text("object")?, o.need_number("scale")?)?;
    inv.give(Object::Mesh(Rc::new(mesh)))
}

/// The mesh of the file that a script calls `name`, or of one of its objects.
pub(super) fn read_mesh(
    inv: &Invocation,
    name: &str,
    object: Option<String>,
    scale: f64,
) -> mlua::Result<TriMesh> {
    let options = LoadOptions { object, scale };
    let read = with_file(inv, name, |bytes, shown, neighbour| {
        with_loose(MeshFormat::of(shown)?, bytes, shown, &options, neighbour)
    });
    let (mesh, loose) = read.map_err(|mut d| {
        // The script's line comes first; the place in the mesh file stays in the sentence.
        if let Some(place) = d.place.take() {
            d.message = format!("{place}: {}", d.message);
        }
        super::super::invocation::raise(inv.lua, d)
    })?;
    if mesh.positions.len() as u64 > inv.cx.limits.vertices {
        let most = inv.cx.limits.vertices;
        let message = format!("`{name}` has {} vertices", mesh.positions.len());
        return Err(inv.fault_hint(message, format!("at most {most} are possible")));
    }
    inv.charge(mesh.positions.len() as u64 * VERTEX_COST)?;
    if loose > 0 {
        let text = format!("`{name}`: vertices that are in no triangle are left out: {loose}");
        let hint = "delete them in the file too if point caches go back to where it came from";
        inv.cx.warnings.borrow_mut().push(Diagnostic::warning(text).at(inv.place()).hint(hint));
    }
    Ok(mesh)
}

/// What `read` makes of the bytes of the file that a script calls `name`, what messages call it, and a
/// reader of the files beside it.
pub(super) fn with_file<T>(
    inv: &Invocation,
    name: &str,
    read: impl FnOnce(&[u8], &str, &dyn Fn(&str) -> std::io::Result<Vec<u8>>) -> Result<T, Diagnostic>,
) -> Result<T, Diagnostic> {
    let path = inv.cx.files.asset(name)?;
    let shown = inv.cx.files.name_of(&path);
    let bytes = std::fs::read(&path)
        .map_err(|e| Diagnostic::error(format!("cannot read `{shown}`: {e}")))?;
    let folder = Path::new(name).parent().unwrap_or(Path::new("")).to_path_buf();
    let neighbour = |beside: &str| {
        let plain = |c: Component| matches!(c, Component::Normal(_) | Component::CurDir);
        if !Path::new(beside).components().all(plain) {
            return Err(std::io::Error::other("it does not lie below the mesh file's folder"));
        }
        let wanted = folder.join(beside);
        let found = inv
            .cx
            .files
            .asset(&wanted.to_string_lossy())
            .map_err(|d| std::io::Error::other(d.message))?;
        std::fs::read(found)
    };
    read(&bytes, &shown, &neighbour)
}

fn join_meshes(inv: &Invocation) -> mlua::Result<Value> {
    let o = inv.options(&JOIN)?;
    let mut meshes = Vec::new();
    for i in 1..=o.table.raw_len() {
        let value: Value = o.table.raw_get(i)?;
        match Object::from_value(&value) {
            Some(Object::Mesh(mesh)) => meshes.push((*mesh).clone()),
            _ => {
                return Err(inv.fault(format!(
                    "join takes a list of meshes; entry {i} is {}",
                    describe(&value)
                )));
            }
        }
    }
    if meshes.is_empty() {
        return Err(inv.fault("join takes a list of meshes, and this one is empty"));
    }
    let vertices: usize = meshes.iter().map(|m| m.positions.len()).sum();
    check_count(&o, "", vertices as f64)?;
    finish(&o, Ok(join(&meshes)))
}
