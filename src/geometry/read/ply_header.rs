//! The header of a PLY file: what its elements hold.

use super::Source;
use crate::diagnostics::Diagnostic;

/// How values are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Text,
    LittleEndian,
    BigEndian,
}

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Scalar {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "char" | "int8" => Self::I8,
            "uchar" | "uint8" => Self::U8,
            "short" | "int16" => Self::I16,
            "ushort" | "uint16" => Self::U16,
            "int" | "int32" => Self::I32,
            "uint" | "uint32" => Self::U32,
            "float" | "float32" => Self::F32,
            "double" | "float64" => Self::F64,
            _ => return None,
        })
    }

    /// Bytes of a value.
    pub(super) fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    /// The value in little-endian bytes of the right number.
    pub(super) fn decode(self, b: &[u8]) -> f64 {
        match (self, b) {
            (Self::I8, &[a]) => f64::from(a as i8),
            (Self::U8, &[a]) => f64::from(a),
            (Self::I16, &[a, b]) => f64::from(i16::from_le_bytes([a, b])),
            (Self::U16, &[a, b]) => f64::from(u16::from_le_bytes([a, b])),
            (Self::I32, &[a, b, c, d]) => f64::from(i32::from_le_bytes([a, b, c, d])),
            (Self::U32, &[a, b, c, d]) => f64::from(u32::from_le_bytes([a, b, c, d])),
            (Self::F32, &[a, b, c, d]) => f64::from(f32::from_le_bytes([a, b, c, d])),
            (Self::F64, &[a, b, c, d, e, f, g, h]) => f64::from_le_bytes([a, b, c, d, e, f, g, h]),
            _ => f64::NAN,
        }
    }

    /// What 1.0 is written as where a colour is meant.
    pub(super) fn full(self) -> f64 {
        match self {
            Self::U8 => 255.0,
            Self::U16 => 65535.0,
            _ => 1.0,
        }
    }
}

/// A value, or a list of values, of each item of an element.
#[derive(Debug)]
pub(super) struct Property {
    pub(super) name: String,
    pub(super) scalar: Scalar,
    /// Type of the number of values, if it is a list.
    pub(super) list: Option<Scalar>,
}

/// A table of items.
#[derive(Debug)]
pub(super) struct Element {
    pub(super) name: String,
    pub(super) count: usize,
    pub(super) properties: Vec<Property>,
}

/// What the header says.
#[derive(Debug)]
pub(super) struct Header {
    pub(super) encoding: Encoding,
    pub(super) elements: Vec<Element>,
    /// Number of bytes and lines of the header itself.
    pub(super) bytes: usize,
    pub(super) lines: usize,
}

impl Header {
    /// Reads the header at the begin of a file.
    pub(super) fn read(bytes: &[u8], source: Source<'_>) -> Result<Self, Diagnostic> {
        let mut encoding = None;
        let mut elements: Vec<Element> = Vec::new();
        let (mut from, mut number) = (0, 0);
        loop {
            let rest = &bytes[from..];
            let Some(length) = rest.iter().position(|b| *b == b'\n') else {
                return Err(source.error(number, "the file ends in its header"));
            };
            from += length + 1;
            number += 1;
            let line = String::from_utf8_lossy(&rest[..length]);
            let words: Vec<&str> = line.split_whitespace().collect();
            if number == 1 {
                if words != ["ply"] {
                    return Err(
                        source.error(1, "this is no PLY file: it does not begin with `ply`")
                    );
                }
                continue;
            }
            match words[..] {
                ["format", name, _] => {
                    encoding = Some(match name {
                        "ascii" => Encoding::Text,
                        "binary_little_endian" => Encoding::LittleEndian,
                        "binary_big_endian" => Encoding::BigEndian,
                        _ => return Err(source.error(number, format!("unknown format `{name}`"))),
                    });
                }
                ["element", name, count] => {
                    let count = count
                        .parse()
                        .map_err(|_| source.error(number, format!("`{count}` is no count")))?;
                    elements.push(Element { name: name.to_owned(), count, properties: Vec::new() });
                }
                ["property", ref rest @ ..] => {
                    let property = property(rest).ok_or_else(|| {
                        source.error(number, format!("unknown property `{line}`"))
                    })?;
                    let Some(element) = elements.last_mut() else {
                        return Err(source.error(number, "a property stands before any element"));
                    };
                    element.properties.push(property);
                }
                ["end_header"] => break,
                ["comment" | "obj_info", ..] | [] => {}
                _ => return Err(source.error(number, format!("unknown header line `{line}`"))),
            }
        }
        let encoding =
            encoding.ok_or_else(|| source.error(number, "the header has no `format` line"))?;
        Ok(Self { encoding, elements, bytes: from, lines: number })
    }
}

fn property(words: &[&str]) -> Option<Property> {
    match *words {
        ["list", count, scalar, name] => Some(Property {
            name: name.to_owned(),
            scalar: Scalar::named(scalar)?,
            list: Some(Scalar::named(count)?),
        }),
        [scalar, name] => {
            Some(Property { name: name.to_owned(), scalar: Scalar::named(scalar)?, list: None })
        }
        _ => None,
    }
}
