//! A binary glTF file that is being put together.

use crate::diagnostics::Diagnostic;
use crate::export::pictures;
use crate::scene::{PictureFile, PictureFormat};
use gltf::json::accessor::{Accessor, ComponentType, GenericComponentType, Type};
use gltf::json::buffer::{Target, View};
use gltf::json::image::MimeType;
use gltf::json::texture::{MagFilter, MinFilter, Sampler};
use gltf::json::validation::{Checked, USize64};
use gltf::json::{Asset, Buffer, Extras, Image, Index, Node, Root, Scene, Texture};
use serde_json::Value;

/// What there is so far.
pub(super) struct File {
    pub(super) root: Root,
    bin: Vec<u8>,
    /// Textures by the hashes of their files.
    pictures: Vec<(String, Index<Texture>)>,
}

impl Default for File {
    fn default() -> Self {
        let asset = Asset {
            generator: Some("Retake".to_owned()),
            version: "2.0".to_owned(),
            ..Asset::default()
        };
        Self { root: Root { asset, ..Root::default() }, bin: Vec::new(), pictures: Vec::new() }
    }
}

/// Extra data of an object as flat JSON: Blender makes custom properties of it.
pub(super) fn extras(values: &[(&str, &str)]) -> Extras {
    let map: serde_json::Map<String, Value> =
        values.iter().map(|(k, v)| ((*k).to_owned(), Value::from(*v))).collect();
    raw(&Value::Object(map))
}

/// Any JSON as extra data.
pub(super) fn raw(value: &Value) -> Extras {
    serde_json::value::to_raw_value(value).ok()
}

impl File {
    /// Vectors of vertices, or of keys where `target` is none.
    pub(super) fn vectors<const N: usize>(
        &mut self,
        values: &[[f32; N]],
        target: Option<Target>,
    ) -> Index<Accessor> {
        let kind = match N {
            2 => Type::Vec2,
            3 => Type::Vec3,
            _ => Type::Vec4,
        };
        let bytes: Vec<u8> = values.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
        self.accessor(&bytes, values.len(), ComponentType::F32, kind, target)
    }

    /// Positions, or differences of positions, with the exact bounds that glTF asks for.
    pub(super) fn positions(&mut self, values: &[[f32; 3]]) -> Index<Accessor> {
        let accessor = self.vectors(values, Some(Target::ArrayBuffer));
        let bound = |of: fn(f32, f32) -> f32, start: f32| {
            let corner =
                values.iter().fold([start; 3], |a, p| std::array::from_fn(|k| of(a[k], p[k])));
            Some(Value::from(corner.to_vec()))
        };
        let json = &mut self.root.accessors[accessor.value()];
        json.min = bound(f32::min, f32::INFINITY);
        json.max = bound(f32::max, f32::NEG_INFINITY);
        accessor
    }

    /// Numbers of keys; `bounded` for the times of a sampler.
    pub(super) fn numbers(&mut self, values: &[f32], bounded: bool) -> Index<Accessor> {
        let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
        let index = self.accessor(&bytes, values.len(), ComponentType::F32, Type::Scalar, None);
        if bounded {
            let json = &mut self.root.accessors[index.value()];
            json.min = values.first().map(|x| Value::from(vec![*x]));
            json.max = values.last().map(|x| Value::from(vec![*x]));
        }
        index
    }

    /// Numbers of vertices.
    pub(super) fn scalars(&mut self, values: &[f32]) -> Index<Accessor> {
        let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
        let target = Some(Target::ArrayBuffer);
        self.accessor(&bytes, values.len(), ComponentType::F32, Type::Scalar, target)
    }

    /// Vertex numbers of triangles.
    pub(super) fn triangles(&mut self, triangles: &[[u32; 3]]) -> Index<Accessor> {
        let bytes: Vec<u8> = triangles.iter().flatten().flat_map(|i| i.to_le_bytes()).collect();
        let target = Some(Target::ElementArrayBuffer);
        self.accessor(&bytes, 3 * triangles.len(), ComponentType::U32, Type::Scalar, target)
    }

    fn view(&mut self, bytes: &[u8], target: Option<Target>) -> Index<View> {
        let view = self.root.push(View {
            buffer: Index::new(0),
            byte_length: USize64::from(bytes.len()),
            byte_offset: Some(USize64::from(self.bin.len())),
            byte_stride: None,
            name: None,
            target: target.map(Checked::Valid),
            extensions: None,
            extras: None,
        });
        self.bin.extend_from_slice(bytes);
        view
    }

    fn accessor(
        &mut self,
        bytes: &[u8],
        count: usize,
        component: ComponentType,
        kind: Type,
        target: Option<Target>,
    ) -> Index<Accessor> {
        // Everything but pictures is made of 4-byte numbers: views stay aligned by themselves.
        let view = self.view(bytes, target);
        self.root.push(Accessor {
            buffer_view: Some(view),
            byte_offset: None,
            count: USize64::from(count),
            component_type: Checked::Valid(GenericComponentType(component)),
            extensions: None,
            extras: None,
            type_: Checked::Valid(kind),
            min: None,
            max: None,
            name: None,
            normalized: false,
            sparse: None,
        })
    }

    /// A picture file as a texture that repeats; one that is there already is used again.
    pub(super) fn texture(&mut self, picture: &PictureFile) -> Result<Index<Texture>, Diagnostic> {
        if let Some((_, texture)) = self.pictures.iter().find(|(hash, _)| *hash == picture.hash) {
            return Ok(*texture);
        }
        let (bytes, format) = pictures::read(picture)?;
        let view = self.view(&bytes, None);
        // What follows are 4-byte numbers again.
        self.bin.resize(self.bin.len().next_multiple_of(4), 0);
        let name = picture.file_name();
        let mime = match format {
            PictureFormat::Png => "image/png",
            PictureFormat::Jpeg => "image/jpeg",
        };
        let source = self.root.push(Image {
            buffer_view: Some(view),
            mime_type: Some(MimeType(mime.to_owned())),
            name: Some(name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_owned()),
            uri: None,
            extensions: None,
            extras: None,
        });
        if self.root.samplers.is_empty() {
            self.root.push(Sampler {
                mag_filter: Some(Checked::Valid(MagFilter::Linear)),
                min_filter: Some(Checked::Valid(MinFilter::LinearMipmapLinear)),
                ..Sampler::default()
            });
        }
        let texture = self.root.push(Texture {
            name: None,
            sampler: Some(Index::new(0)),
            source,
            extensions: None,
            extras: None,
        });
        self.pictures.push((picture.hash.clone(), texture));
        Ok(texture)
    }

    /// Makes `name` a used extension.
    pub(super) fn uses(&mut self, name: &str) {
        if !self.root.extensions_used.iter().any(|n| n == name) {
            self.root.extensions_used.push(name.to_owned());
        }
    }

    /// The bytes of the file with `nodes` as the scene's.
    pub(super) fn finish(mut self, name: &str, nodes: Vec<Index<Node>>) -> Vec<u8> {
        let mut json = self.description(name, nodes, None);
        json.resize(json.len().next_multiple_of(4), b' ');
        let mut bytes = Vec::with_capacity(28 + json.len() + self.bin.len());
        bytes.extend(b"glTF");
        bytes.extend(2_u32.to_le_bytes());
        bytes.extend((28 + json.len() as u32 + self.bin.len() as u32).to_le_bytes());
        bytes.extend((json.len() as u32).to_le_bytes());
        bytes.extend(b"JSON");
        bytes.extend(&json);
        bytes.extend((self.bin.len() as u32).to_le_bytes());
        bytes.extend(b"BIN\0");
        bytes.extend(&self.bin);
        bytes
    }

    /// As [`Self::finish`], as text that holds the data itself.
    pub(super) fn finish_text(mut self, name: &str, nodes: Vec<Index<Node>>) -> Vec<u8> {
        let uri = format!("data:application/octet-stream;base64,{}", base64(&self.bin));
        self.description(name, nodes, Some(uri))
    }

    fn description(&mut self, name: &str, nodes: Vec<Index<Node>>, uri: Option<String>) -> Vec<u8> {
        self.root.buffers = vec![Buffer {
            byte_length: USize64::from(self.bin.len()),
            name: None,
            uri,
            extensions: None,
            extras: None,
        }];
        let scene = self.root.push(Scene {
            extensions: None,
            extras: None,
            name: Some(name.to_owned()),
            nodes,
        });
        self.root.scene = Some(scene);
        self.root.extensions_used.sort();
        // Numbers and strings only: nothing that could not be written.
        gltf::json::serialize::to_vec(&self.root).unwrap_or_default()
    }
}

/// Bytes as base64 (RFC 4648).
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |i: usize| u32::from(group.get(i).copied().unwrap_or(0));
        let bits = (byte(0) << 16) | (byte(1) << 8) | byte(2);
        for k in 0..4 {
            let digit = DIGITS[((bits >> (18 - 6 * k)) & 63) as usize];
            text.push(if k <= group.len() { char::from(digit) } else { '=' });
        }
    }
    text
}
