//! Materials as `UsdPreviewSurface`.
//!
//! It knows no light that passes through: what a body lets pass it lacks in opacity.

use super::layer::{Held, Kind, Prim, Store, Value, named};
use crate::export::materials::{Material, Materials};
use crate::export::pictures::Names;
use crate::scene::{PictureFile, Scene};
use std::collections::BTreeSet;
use std::io;

const SURFACE: Kind = Kind::new("outputs:surface", "token");
const ID: Kind = Kind::uniform("info:id", "token");
const DIFFUSE: Kind = Kind::new("inputs:diffuseColor", "color3f");
const NORMAL: Kind = Kind::new("inputs:normal", "normal3f");
const FILE: Kind = Kind::new("inputs:file", "asset");
const SPACE: Kind = Kind::new("inputs:sourceColorSpace", "token");
const COORDINATES: Kind = Kind::new("inputs:st", "float2");
const WRAP_S: Kind = Kind::new("inputs:wrapS", "token");
const WRAP_T: Kind = Kind::new("inputs:wrapT", "token");
const SCALE: Kind = Kind::new("inputs:scale", "float4");
const BIAS: Kind = Kind::new("inputs:bias", "float4");
const RGB: Kind = Kind::new("outputs:rgb", "float3");
const VARNAME: Kind = Kind::new("inputs:varname", "string");
const RESULT: Kind = Kind::new("outputs:result", "float2");
const NUMBERS: [Kind; 4] = [
    Kind::new("inputs:roughness", "float"),
    Kind::new("inputs:metallic", "float"),
    Kind::new("inputs:opacity", "float"),
    Kind::new("inputs:ior", "float"),
];

/// The materials of a shot: bodies that look the same have one.
pub(super) struct Looks {
    /// Path of the prim that they hang on.
    above: String,
    taken: BTreeSet<String>,
    materials: Materials,
    /// What each material is called.
    titles: Vec<String>,
}

impl Looks {
    /// No materials yet; they will hang on the prim at `above`.
    pub(super) fn new(above: &str) -> Self {
        Self {
            above: above.to_owned(),
            taken: BTreeSet::new(),
            materials: Materials::default(),
            titles: Vec::new(),
        }
    }

    /// The path of the material of a body.
    pub(super) fn of(&mut self, scene: &Scene, body: usize) -> String {
        let number = self.materials.number(scene, body);
        if number == self.titles.len() {
            let title = format!("{}_look", scene.bodies[body].name);
            self.titles.push(named(&title, &mut self.taken));
        }
        format!("{}/{}", self.above, self.titles[number])
    }

    /// The prim called `name` with all of them.
    pub(super) fn prim(
        &self,
        store: &mut dyn Store,
        names: &Names,
        name: &str,
    ) -> io::Result<Prim> {
        let mut prim = Prim::new(name, "Scope");
        for (material, title) in self.materials.all().iter().zip(&self.titles) {
            let above = &self.above;
            prim.children.push(material_prim(store, names, material, above, title)?);
        }
        Ok(prim)
    }
}

/// The prim of a material, called `title`, which hangs on the one at `above`.
fn material_prim(
    store: &mut dyn Store,
    names: &Names,
    material: &Material,
    above: &str,
    title: &str,
) -> io::Result<Prim> {
    let path = &format!("{above}/{title}");
    let look = &material.look;
    let part = |x: f64| x.clamp(0.0, 1.0) as f32;
    let color = look.color.0.map(part);
    let mut surface = shader(store, "preview", "UsdPreviewSurface")?;
    let opacity = look.opacity * (1.0 - look.transmission.clamp(0.0, 1.0));
    let numbers = [part(look.roughness), part(look.metallic), part(opacity), look.ior as f32];
    for (kind, number) in NUMBERS.into_iter().zip(numbers) {
        surface.fix(store, kind, Value::Float(number))?;
    }
    let mut prim = Prim::new(title, "Material");
    prim.set(SURFACE, Held::From(format!("{path}/preview.outputs:surface")));
    let picture = |file: &'_ Option<PictureFile>| {
        file.as_ref().filter(|_| material.textured).map(|f| format!("./{}", names.name(f)))
    };
    let mut pictures = Vec::new();
    if let Some(file) = picture(&look.color_map) {
        let [r, g, b] = color;
        let scale = [r, g, b, 1.0];
        let ends = (scale, [0.0; 4]);
        pictures.push(texture(store, "color_map", &file, "sRGB", ends, path)?);
        surface.set(DIFFUSE, Held::From(format!("{path}/color_map.outputs:rgb")));
    } else {
        surface.fix(store, DIFFUSE, Value::Float3(color))?;
    }
    if let Some(file) = picture(&look.normal_map) {
        // From 0 .. 1 to -1 .. 1.
        let ends = ([2.0, 2.0, 2.0, 1.0], [-1.0, -1.0, -1.0, 0.0]);
        pictures.push(texture(store, "normal_map", &file, "raw", ends, path)?);
        surface.set(NORMAL, Held::From(format!("{path}/normal_map.outputs:rgb")));
    }
    surface.set(SURFACE, Held::Nothing);
    prim.children.push(surface);
    if !pictures.is_empty() {
        let mut reader = shader(store, "st_reader", "UsdPrimvarReader_float2")?;
        reader.fix(store, VARNAME, Value::Text("st"))?;
        reader.set(RESULT, Held::Nothing);
        prim.children.push(reader);
    }
    prim.children.extend(pictures);
    Ok(prim)
}

fn shader(store: &mut dyn Store, name: &str, id: &str) -> io::Result<Prim> {
    let mut prim = Prim::new(name, "Shader");
    prim.fix(store, ID, Value::Token(id))?;
    Ok(prim)
}

/// A picture that repeats; its colours are multiplied by the first of `ends`, and the second is added.
fn texture(
    store: &mut dyn Store,
    name: &str,
    file: &str,
    space: &str,
    (scale, bias): ([f32; 4], [f32; 4]),
    path: &str,
) -> io::Result<Prim> {
    let mut prim = shader(store, name, "UsdUVTexture")?;
    prim.fix(store, FILE, Value::Asset(file))?;
    prim.fix(store, SPACE, Value::Token(space))?;
    prim.set(COORDINATES, Held::From(format!("{path}/st_reader.outputs:result")));
    for wrap in [WRAP_S, WRAP_T] {
        prim.fix(store, wrap, Value::Token("repeat"))?;
    }
    prim.fix(store, SCALE, Value::Float4(scale))?;
    prim.fix(store, BIAS, Value::Float4(bias))?;
    prim.set(RGB, Held::Nothing);
    Ok(prim)
}
