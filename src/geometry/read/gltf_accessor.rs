//! The numbers of a glTF file: containers, buffers, accessors, with every bound checked.

use super::{Neighbour, Source};
use crate::diagnostics::Diagnostic;
use gltf::json::accessor::{ComponentType, Type, sparse::Sparse};
use gltf::json::validation::Checked;
use gltf::json::{Accessor, Buffer, Index, Root, buffer::View};

/// Most values of an accessor without data of its own: it costs the file nothing.
const MOST: usize = 1 << 24;

/// The two chunks of a GLB, or a plain JSON file.
pub(super) fn split<'a>(
    bytes: &'a [u8],
    source: Source<'_>,
) -> Result<(&'a [u8], Option<&'a [u8]>), Diagnostic> {
    if !bytes.starts_with(b"glTF") {
        return Ok((bytes, None));
    }
    let early = || source.error(0, "the file ends early");
    let word = |at: usize| -> Result<u32, Diagnostic> {
        let b = bytes.get(at..at + 4).ok_or_else(early)?;
        Ok(u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
    };
    if word(4)? != 2 {
        return Err(source.error(0, format!("this is glTF version {}, not 2", word(4)?)));
    }
    let chunk = |at: usize, kind: &[u8; 4]| -> Result<&'a [u8], Diagnostic> {
        let length = word(at)? as usize;
        if bytes.get(at + 4..at + 8) != Some(kind.as_slice()) {
            return Err(source.error(0, "the file's chunks are damaged"));
        }
        bytes.get(at + 8..at + 8 + length).ok_or_else(early)
    };
    let json = chunk(12, b"JSON")?;
    let next = 20 + json.len().next_multiple_of(4);
    let blob = if next < bytes.len() { Some(chunk(next, b"BIN\0")?) } else { None };
    Ok((json, blob))
}

/// The bytes of a file's buffers.
pub(super) struct Buffers<'a> {
    root: &'a Root,
    bytes: Vec<Vec<u8>>,
    source: Source<'a>,
}

impl<'a> Buffers<'a> {
    pub(super) fn new(
        root: &'a Root,
        blob: Option<&[u8]>,
        source: Source<'a>,
        neighbour: &Neighbour<'_>,
    ) -> Result<Self, Diagnostic> {
        let read = |buffer: &Buffer| match &buffer.uri {
            None => blob
                .map(<[u8]>::to_vec)
                .ok_or_else(|| source.error(0, "a buffer has no data and no file")),
            Some(uri) => {
                if let Some(data) = uri.strip_prefix("data:") {
                    return data
                        .split_once(";base64,")
                        .and_then(|(_, code)| base64(code.as_bytes()))
                        .ok_or_else(|| source.error(0, "a buffer's data is damaged"));
                }
                let name = unescaped(uri);
                neighbour(&name).map_err(|e| {
                    source.error(0, format!("the buffer `{name}` cannot be read: {e}"))
                })
            }
        };
        let bytes = root.buffers.iter().map(read).collect::<Result<_, _>>()?;
        Ok(Self { root, bytes, source })
    }

    /// All values of an accessor, `width` a vertex; integers are scaled where the file says so.
    pub(super) fn values(
        &self,
        index: Index<Accessor>,
        width: usize,
    ) -> Result<Vec<f64>, Diagnostic> {
        let damaged = || self.damaged(index);
        let accessor = self.root.get(index).ok_or_else(damaged)?;
        let Checked::Valid(component) = accessor.component_type else { return Err(damaged()) };
        let kind = component.0;
        let count = usize::try_from(accessor.count.0).map_err(|_| damaged())?;
        if numbers_of(accessor) != Some(width) {
            return Err(damaged());
        }
        let mut values = match accessor.buffer_view {
            None if count > MOST => return Err(damaged()),
            None => vec![0.0; count * width],
            Some(view) => {
                let offset = accessor.byte_offset.unwrap_or_default().0;
                self.view(view, offset, count, kind, width).ok_or_else(damaged)?
            }
        };
        if let Some(sparse) = &accessor.sparse {
            self.replace(sparse, kind, width, &mut values).ok_or_else(damaged)?;
        }
        if accessor.normalized {
            let full = match kind {
                ComponentType::I8 => 127.0,
                ComponentType::U8 => 255.0,
                ComponentType::I16 => 32767.0,
                ComponentType::U16 => 65535.0,
                ComponentType::U32 | ComponentType::F32 => 1.0,
            };
            for v in &mut values {
                *v = (*v / full).max(-1.0);
            }
        }
        Ok(values)
    }

    /// Numbers a value of an accessor.
    pub(super) fn width_of(&self, index: Index<Accessor>) -> Option<usize> {
        numbers_of(self.root.get(index)?)
    }

    fn damaged(&self, index: Index<Accessor>) -> Diagnostic {
        self.source.error(0, format!("accessor {} does not fit the file's data", index.value()))
    }

    fn replace(
        &self,
        sparse: &Sparse,
        kind: ComponentType,
        width: usize,
        values: &mut [f64],
    ) -> Option<()> {
        let count = usize::try_from(sparse.count.0).ok().filter(|n| *n <= values.len())?;
        let Checked::Valid(index) = sparse.indices.component_type else { return None };
        let (i, v) = (&sparse.indices, &sparse.values);
        let places = self.view(i.buffer_view, i.byte_offset.0, count, index.0, 1)?;
        let new = self.view(v.buffer_view, v.byte_offset.0, count, kind, width)?;
        for (place, value) in places.iter().zip(new.chunks_exact(width)) {
            let at = *place as usize * width;
            values.get_mut(at..at + width)?.copy_from_slice(value);
        }
        Some(())
    }

    fn view(
        &self,
        view: Index<View>,
        offset: u64,
        count: usize,
        kind: ComponentType,
        width: usize,
    ) -> Option<Vec<f64>> {
        let view = self.root.get(view)?;
        let start = usize::try_from(view.byte_offset.unwrap_or_default().0).ok()?;
        let end = start.checked_add(usize::try_from(view.byte_length.0).ok()?)?;
        let bytes = self.bytes.get(view.buffer.value())?.get(start..end)?;
        let bytes = bytes.get(usize::try_from(offset).ok()?..)?;
        let size = kind.size();
        let stride = view.byte_stride.map_or(size * width, |s| s.0);
        if stride < size * width {
            return None;
        }
        if count == 0 {
            return Some(Vec::new());
        }
        if stride.checked_mul(count - 1)?.checked_add(size * width)? > bytes.len() {
            return None;
        }
        let mut values = Vec::with_capacity(count * width);
        for i in 0..count {
            for k in 0..width {
                values.push(number(kind, bytes.get(i * stride + k * size..)?)?);
            }
        }
        Some(values)
    }
}

fn numbers_of(accessor: &Accessor) -> Option<usize> {
    match accessor.type_ {
        Checked::Valid(Type::Scalar) => Some(1),
        Checked::Valid(Type::Vec2) => Some(2),
        Checked::Valid(Type::Vec3) => Some(3),
        Checked::Valid(Type::Vec4) => Some(4),
        Checked::Valid(Type::Mat4) => Some(16),
        _ => None,
    }
}

fn number(kind: ComponentType, bytes: &[u8]) -> Option<f64> {
    let two = || Some([*bytes.first()?, *bytes.get(1)?]);
    let four = || Some([*bytes.first()?, *bytes.get(1)?, *bytes.get(2)?, *bytes.get(3)?]);
    Some(match kind {
        ComponentType::I8 => f64::from(*bytes.first()? as i8),
        ComponentType::U8 => f64::from(*bytes.first()?),
        ComponentType::I16 => f64::from(i16::from_le_bytes(two()?)),
        ComponentType::U16 => f64::from(u16::from_le_bytes(two()?)),
        ComponentType::U32 => f64::from(u32::from_le_bytes(four()?)),
        ComponentType::F32 => f64::from(f32::from_le_bytes(four()?)),
    })
}

/// Decodes base64 (RFC 4648); white space is skipped.
fn base64(code: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(code.len() / 4 * 3);
    let (mut bits, mut held) = (0_u32, 0);
    for c in code.iter().filter(|c| !c.is_ascii_whitespace()) {
        let value = match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'=' => break,
            _ => return None,
        };
        bits = (bits << 6 | u32::from(value)) & 0xff_ffff;
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
        }
    }
    Some(bytes)
}

/// A relative URI as a file name: `%20` is a space.
fn unescaped(uri: &str) -> String {
    let bytes = uri.as_bytes();
    let mut name = Vec::with_capacity(bytes.len());
    let mut i = 0;
    while i < bytes.len() {
        let code = bytes
            .get(i + 1..i + 3)
            .filter(|_| bytes[i] == b'%')
            .and_then(|hex| std::str::from_utf8(hex).ok())
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        name.push(code.unwrap_or(bytes[i]));
        i += if code.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&name).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_and_escapes_are_decoded() {
        assert_eq!(base64(b"TWFu TQ== "), Some(b"ManM".to_vec()));
        assert_eq!(base64(b"TW*u"), None);
        assert_eq!(unescaped("a%20b%2.bin"), "a b%2.bin");
    }
}
