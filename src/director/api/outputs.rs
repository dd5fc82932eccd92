//! What a run writes.

use super::super::invocation::Invocation;
use super::super::options::Options;
use super::super::schema::{Args, Call, Class, Key, Kind, Schema, key};
use super::super::values;
use super::shots::only_once;
use crate::scene::{
    Caches, GltfMode, ImageFormat, Images, Layer, MOST_SUBFRAMES, ObjMode, Output, Sheet,
};
use mlua::Value;

const GLTF: Kind = Kind::Other("boolean|\"sequence\"");
const CACHES: Kind = Kind::Other("false|\"pc2\"|\"mdd\"");
const OBJ: Kind = Kind::Other("boolean|\"shot\"");
const SHEET: Kind = Kind::Other("integer|integer[]");
const IMAGES_KIND: Kind = Kind::Other("false|ImagesOptions");
const NAMES: Kind = Kind::Other("string[]");
const LAYERS: Kind = Kind::Other("(\"depth\"|\"normal\"|\"object_id\")[]");

const OUTPUT_KEYS: &[Key] = &[
    key("gltf", GLTF, "one file with animation, or a file a body a frame").flag(true),
    key("caches", CACHES, "point caches of deforming bodies").text("pc2"),
    key("obj", OBJ, "a file a body a frame, or a file a frame").flag(false),
    key("obt", Kind::Bool, "FLEX3D objects: a file a body a frame").flag(false),
    key("usd", Kind::Bool, "USD: one file with time samples").flag(false),
    key("alembic", Kind::Bool, "Alembic: one file with its samples").flag(false),
    key("subframes", Kind::Integer, "samples a frame in files with animation")
        .range(1.0, MOST_SUBFRAMES as f64)
        .number(1.0),
    key("sheet", SHEET, "the contact sheet; 0: none").number(12.0),
    key("images", IMAGES_KIND, "numbered pictures").words("false"),
];

const IMAGE_KEYS: &[Key] = &[
    key("width", Kind::Integer, "width")
        .unit("pixels")
        .range(1.0, 16384.0)
        .words("960, or `width` of retake.toml"),
    key("height", Kind::Integer, "height")
        .unit("pixels")
        .range(1.0, 16384.0)
        .words("540, or `height` of retake.toml"),
    key("samples", Kind::Integer, "paths a pixel").range(1.0, 65536.0).number(32.0),
    key("every", Kind::Integer, "every so many frames").range(1.0, 1e6).number(1.0),
    key("cameras", NAMES, "names of cameras").words("all"),
    key("shutter", Kind::Number, "open part of the frame interval; 0: no motion blur")
        .range(0.0, 1.0)
        .number(0.0),
    key("format", Kind::Choice(&["png", "exr"], &[]), "file format").text("png"),
    key("layers", LAYERS, "further layers, written to EXR"),
];

static OUTPUT: Schema = Schema::new("output", "OutputOptions", &[OUTPUT_KEYS]);
pub(in crate::director) static IMAGES: Schema =
    Schema::new("images", "ImagesOptions", &[IMAGE_KEYS]);

pub(super) const CALLS: &[Call] =
    &[Call::new(Class::Shot, "output", Args::Options(&OUTPUT), output)
        .doc(
            "What a run writes. Without it: glTF, point caches, the import script and a contact \
             sheet of 12 pictures.",
        )
        .example(
            "shot:output{\n  obj = \"shot\",\n  sheet = 6,\n  \
             images = { width = 640, height = 360, samples = 16, layers = { \"depth\" } },\n}",
        )];

/// `true`, `false` or one of `words`.
fn mode(o: &Options, name: &str, words: &[&str]) -> mlua::Result<Option<String>> {
    match o.value(name)? {
        Value::Nil => Ok(None),
        Value::Boolean(b) => Ok(Some(b.to_string())),
        Value::String(word) => {
            let word = word.to_string_lossy();
            o.check_word(name, &word, words, &[])?;
            Ok(Some(word))
        }
        other => {
            let list = super::super::options::list_of(words);
            Err(o.wrong(name, &format!("true, false or {list}"), &other))
        }
    }
}

fn output(inv: &Invocation) -> mlua::Result<Value> {
    let o = inv.options(&OUTPUT)?;
    only_once(inv)?;
    let mut output = Output {
        gltf: match mode(&o, "gltf", &["sequence"])?.as_deref() {
            Some("false") => GltfMode::Off,
            Some("sequence") => GltfMode::Sequence,
            _ => GltfMode::Single,
        },
        caches: match mode(&o, "caches", &["pc2", "mdd"])?.as_deref() {
            Some("false") => Caches::Off,
            Some("mdd") => Caches::Mdd,
            _ => Caches::Pc2,
        },
        obj: match mode(&o, "obj", &["shot"])?.as_deref() {
            Some("true") => ObjMode::Bodies,
            Some("shot") => ObjMode::Shot,
            _ => ObjMode::Off,
        },
        usd: o.need_flag("usd")?,
        alembic: o.need_flag("alembic")?,
        obt: o.need_flag("obt")?,
        subframes: o.need_integer("subframes")? as u32,
        ..Output::default()
    };
    if let Some(sheet) = sheet(&o)? {
        output.sheet = sheet;
    }
    output.images = match o.value("images")? {
        Value::Nil | Value::Boolean(false) => None,
        Value::Table(_) => o.table_as("images", &IMAGES)?.map(|i| images(&i)).transpose()?,
        other => return Err(o.wrong("images", "a table or false", &other)),
    };
    inv.shot_mut()?.scene.output = output;
    Ok(Value::Nil)
}

fn sheet(o: &Options) -> mlua::Result<Option<Sheet>> {
    let value = o.value("sheet")?;
    let expected = "a number of pictures from 0 to 1000, or a list of frames";
    match &value {
        Value::Nil => Ok(None),
        Value::Table(list) => {
            let mut frames = Vec::new();
            let timing = o.inv.shot()?.scene.timing.clone();
            for i in 1..=list.raw_len() {
                let entry: Value = list.raw_get(i)?;
                let frame =
                    values::integer(&entry).ok_or_else(|| o.wrong("sheet", expected, &entry))?;
                let (first, last) = (timing.start_frame, timing.last_frame());
                if !(i64::from(first)..=i64::from(last)).contains(&frame) {
                    let message = format!("the shot has the frames {first} to {last}, not {frame}");
                    return Err(o.fault("sheet", message, None));
                }
                frames.push(frame as i32);
            }
            if frames.is_empty() {
                return Err(o.wrong("sheet", expected, &value));
            }
            Ok(Some(Sheet::Frames(frames)))
        }
        _ => match values::integer(&value) {
            Some(n) if (0..=1000).contains(&n) => Ok(Some(Sheet::Count(n as u32))),
            _ => Err(o.wrong("sheet", expected, &value)),
        },
    }
}

/// The strings of a list.
fn words(o: &Options, name: &str) -> mlua::Result<Vec<String>> {
    let value = o.value(name)?;
    let list = match &value {
        Value::Nil => return Ok(Vec::new()),
        Value::Table(list) => list,
        other => return Err(o.wrong(name, "a list of names", other)),
    };
    let mut out = Vec::new();
    for i in 1..=list.raw_len() {
        match list.raw_get::<Value>(i)? {
            Value::String(s) => out.push(s.to_string_lossy()),
            other => return Err(o.wrong(name, "a list of names", &other)),
        }
    }
    Ok(out)
}

fn images(o: &Options) -> mlua::Result<Images> {
    let defaults = o.inv.cx.defaults;
    let pixels = |name: &str, project: Option<u32>, otherwise: u32| -> mlua::Result<u32> {
        Ok(o.integer(name)?.map_or(project.unwrap_or(otherwise), |n| n as u32))
    };
    let cameras = words(o, "cameras")?;
    let mut layers = Vec::new();
    for word in words(o, "layers")? {
        let built = ["depth", "normal", "object_id"];
        let later = ["albedo", "material_id", "motion", "uv", "strain", "contact"];
        o.check_word("layers", &word, &built, &later)?;
        layers.push(match word.as_str() {
            "depth" => Layer::Depth,
            "normal" => Layer::Normal,
            _ => Layer::ObjectId,
        });
    }
    layers.sort_unstable();
    layers.dedup();
    Ok(Images {
        width: pixels("width", defaults.width, 960)?,
        height: pixels("height", defaults.height, 540)?,
        samples: o.need_integer("samples")? as u32,
        every: o.need_integer("every")? as u32,
        cameras,
        shutter: o.need_number("shutter")?,
        format: match o.choice("format")?.as_deref() {
            Some("exr") => ImageFormat::Exr,
            _ => ImageFormat::Png,
        },
        layers,
    })
}
