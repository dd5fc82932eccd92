//! Writes a layer as a crate file (.usdc), version 0.8.0, which OpenUSD reads from 19.03 on.
//!
//! Layout, little-endian: a start of 88 bytes (`PXR-USDC`, the version, where the contents are), then
//! values in any order, then the sections TOKENS, STRINGS, FIELDS, FIELDSETS, PATHS and SPECS, then the
//! table of contents. A value is known by 64 bits: whether it is an array, stands in the bits
//! themselves, is compressed; its type; and the bits, or where in the file it is. So values are
//! written as they come, and only these bits are remembered.

use super::coding::compressed_numbers;
use super::crate_tables::{Spec, Tables, Words};
use super::layer::{Held, Kept, Layer, Prim, Property, Store, Value};
use std::collections::BTreeMap;
use std::io::{self, Seek, SeekFrom, Write};

const START: u64 = 88;
const IS_ARRAY: u64 = 1 << 63;
const IS_INLINE: u64 = 1 << 62;
const IS_COMPRESSED: u64 = 1 << 61;
const PAYLOAD: u64 = (1 << 48) - 1;
/// Arrays of whole numbers from this length on are compressed.
const COMPRESSED_FROM: usize = 16;

/// Types of values by their numbers in the file.
#[derive(Clone, Copy, Debug)]
enum Type {
    Bool = 1,
    Int = 3,
    Float = 8,
    Double = 9,
    String = 10,
    Token = 11,
    AssetPath = 12,
    Matrix4d = 15,
    Vec2f = 20,
    Vec3f = 24,
    Vec4f = 28,
    TokenListOp = 32,
    PathListOp = 34,
    TokenVector = 41,
    Specifier = 42,
    Variability = 44,
    TimeSamples = 46,
    DoubleVector = 48,
}

impl Type {
    /// A value that stands in its own bits.
    fn inline(self, bits: u32) -> Kept {
        Kept(IS_INLINE | (self as u64) << 48 | u64::from(bits))
    }
}

/// A crate file that is being written.
#[derive(Debug)]
pub(super) struct CrateFile<W> {
    out: W,
    /// Where the next byte goes.
    at: u64,
    tokens: Words,
    /// Strings, as tokens.
    strings: Words,
    /// Values that are in the file, by their types and bytes.
    known: BTreeMap<[u8; 32], Kept>,
}

impl<W: Write + Seek> Store for CrateFile<W> {
    fn keep(&mut self, value: Value<'_>) -> io::Result<Kept> {
        match value {
            Value::Bool(b) => Ok(Type::Bool.inline(u32::from(b))),
            Value::Float(x) => Ok(Type::Float.inline(x.to_bits())),
            // What a float holds exactly stands there as one.
            Value::Double(x) if f64::from(x as f32).to_bits() == x.to_bits() => {
                Ok(Type::Double.inline((x as f32).to_bits()))
            }
            Value::Double(x) => self.value(Type::Double, &x.to_le_bytes()),
            Value::Token(word) => Ok(Type::Token.inline(self.tokens.number(word))),
            Value::Text(text) => {
                self.tokens.number(text);
                Ok(Type::String.inline(self.strings.number(text)))
            }
            Value::Asset(path) => Ok(Type::AssetPath.inline(self.tokens.number(path))),
            Value::Float2(v) => self.value(Type::Vec2f, &floats(&v)),
            Value::Float3(v) => self.value(Type::Vec3f, &floats(&v)),
            Value::Float4(v) => self.value(Type::Vec4f, &floats(&v)),
            Value::Matrix(m) => {
                let bytes: Vec<u8> = m.iter().flat_map(|x| x.to_le_bytes()).collect();
                self.value(Type::Matrix4d, &bytes)
            }
            Value::Ints(values) if values.len() >= COMPRESSED_FROM => {
                let packed = compressed_numbers(values)?;
                let mut bytes = (packed.len() as u64).to_le_bytes().to_vec();
                bytes.extend(packed);
                let kept = self.array(Type::Int, values.len(), &bytes)?;
                Ok(Kept(kept.0 | IS_COMPRESSED))
            }
            Value::Ints(values) => {
                let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
                self.array(Type::Int, values.len(), &bytes)
            }
            Value::Floats(values) => self.array(Type::Float, values.len(), &floats(values)),
            Value::Float2s(values) => {
                self.array(Type::Vec2f, values.len(), &floats(values.as_flattened()))
            }
            Value::Float3s(values) => {
                self.array(Type::Vec3f, values.len(), &floats(values.as_flattened()))
            }
            Value::Tokens(words) => {
                let bytes = self.numbers_of(words);
                self.array(Type::Token, words.len(), &bytes)
            }
            Value::Prepended(words) => {
                // Of the lists that it may have, the prepended one alone.
                let mut bytes = vec![1 << 5];
                bytes.extend((words.len() as u64).to_le_bytes());
                bytes.extend(self.numbers_of(words));
                self.value(Type::TokenListOp, &bytes)
            }
        }
    }
}

impl<W: Write + Seek> CrateFile<W> {
    /// A file without values; `out` is at its start.
    pub(super) fn new(mut out: W) -> io::Result<Self> {
        out.write_all(&[0; START as usize])?;
        let mut tokens = Words::default();
        // A property is a path whose name is below zero: none may be number 0.
        tokens.number("");
        Ok(Self { out, at: START, tokens, strings: Words::default(), known: BTreeMap::new() })
    }

    /// Writes the rest of the file: what `layer` describes, with values that this file has taken.
    pub(super) fn finish(mut self, layer: &Layer) -> io::Result<()> {
        // Paths come first, since values name them.
        let mut tables = Tables::new(&mut self.tokens, &layer.prims);
        let times = self.times(&layer.times)?;
        let mut fields: Vec<(u32, Kept)> =
            layer.fields.iter().map(|(name, kept)| (self.tokens.number(name), *kept)).collect();
        self.add_names(&mut fields, "primChildren", layer.prims.iter().map(|p| p.name.as_str()))?;
        tables.spec(Spec::PseudoRoot, fields);
        for prim in &layer.prims {
            self.add_prim(prim, times, layer.times.len(), &mut tables)?;
        }
        self.sections(&tables)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.at += bytes.len() as u64;
        self.out.write_all(bytes)
    }

    /// Goes on to where large numbers may be read in place.
    fn align(&mut self) -> io::Result<()> {
        let gap = self.at.next_multiple_of(8) - self.at;
        self.write(&[0; 8][..gap as usize])
    }

    /// Writes a value, unless it is there already.
    fn put(&mut self, bits: u64, parts: [&[u8]; 2]) -> io::Result<Kept> {
        let mut hash = blake3::Hasher::new();
        hash.update(&bits.to_le_bytes()).update(parts[0]).update(parts[1]);
        let hash = *hash.finalize().as_bytes();
        if let Some(kept) = self.known.get(&hash) {
            return Ok(*kept);
        }
        self.align()?;
        if self.at > PAYLOAD {
            return Err(io::Error::other("a USD file holds no more than 256 TB"));
        }
        let kept = Kept(bits | self.at);
        self.write(parts[0])?;
        self.write(parts[1])?;
        self.known.insert(hash, kept);
        Ok(kept)
    }

    fn value(&mut self, kind: Type, bytes: &[u8]) -> io::Result<Kept> {
        self.put((kind as u64) << 48, [bytes, &[]])
    }

    fn array(&mut self, kind: Type, count: usize, bytes: &[u8]) -> io::Result<Kept> {
        let bits = IS_ARRAY | (kind as u64) << 48;
        if count == 0 {
            // An array at no place is empty.
            return Ok(Kept(bits));
        }
        self.put(bits, [&(count as u64).to_le_bytes(), bytes])
    }

    fn numbers_of(&mut self, words: &[&str]) -> Vec<u8> {
        words.iter().flat_map(|word| self.tokens.number(word).to_le_bytes()).collect()
    }

    fn times(&mut self, times: &[f64]) -> io::Result<Kept> {
        let mut bytes = (times.len() as u64).to_le_bytes().to_vec();
        bytes.extend(times.iter().flat_map(|t| t.to_le_bytes()));
        self.value(Type::DoubleVector, &bytes)
    }

    /// Adds a field that lists names, if there are any.
    fn add_names<'n>(
        &mut self,
        fields: &mut Vec<(u32, Kept)>,
        field: &str,
        names: impl Iterator<Item = &'n str>,
    ) -> io::Result<()> {
        let names: Vec<&str> = names.collect();
        if names.is_empty() {
            return Ok(());
        }
        let mut bytes = (names.len() as u64).to_le_bytes().to_vec();
        bytes.extend(self.numbers_of(&names));
        let kept = self.value(Type::TokenVector, &bytes)?;
        fields.push((self.tokens.number(field), kept));
        Ok(())
    }

    /// Adds what there is to say of the paths, in the same order.
    fn add_prim(
        &mut self,
        prim: &Prim,
        times: Kept,
        count: usize,
        tables: &mut Tables,
    ) -> io::Result<()> {
        // 0: it defines the prim.
        let mut fields = vec![(self.tokens.number("specifier"), Type::Specifier.inline(0))];
        fields.push((
            self.tokens.number("typeName"),
            Type::Token.inline(self.tokens.number(prim.type_name)),
        ));
        for (name, kept) in &prim.fields {
            fields.push((self.tokens.number(name), *kept));
        }
        self.add_names(&mut fields, "properties", prim.properties.iter().map(|p| p.kind.name))?;
        let children = prim.children.iter().map(|p| p.name.as_str());
        self.add_names(&mut fields, "primChildren", children)?;
        tables.spec(Spec::Prim, fields);
        for property in &prim.properties {
            self.add_property(property, times, count, tables)?;
        }
        for child in &prim.children {
            self.add_prim(child, times, count, tables)?;
        }
        Ok(())
    }

    fn add_property(
        &mut self,
        property: &Property,
        times: Kept,
        count: usize,
        tables: &mut Tables,
    ) -> io::Result<()> {
        let kind = property.kind;
        let mut fields = Vec::new();
        let spec = if kind.type_name.is_empty() { Spec::Relationship } else { Spec::Attribute };
        if matches!(spec, Spec::Attribute) {
            let word = Type::Token.inline(self.tokens.number(kind.type_name));
            fields.push((self.tokens.number("typeName"), word));
        }
        if kind.is_uniform {
            fields.push((self.tokens.number("variability"), Type::Variability.inline(1)));
        }
        if let Some(word) = kind.interpolation {
            let word = Type::Token.inline(self.tokens.number(word));
            fields.push((self.tokens.number("interpolation"), word));
        }
        match &property.held {
            Held::Nothing => {}
            Held::Fixed(kept) => fields.push((self.tokens.number("default"), *kept)),
            Held::Samples(samples) => {
                if samples.len() != count {
                    return Err(io::Error::other(format!("`{}` lacks samples", kind.name)));
                }
                let kept = self.samples(times, samples)?;
                fields.push((self.tokens.number("timeSamples"), kept));
            }
            Held::From(path) => {
                let kept = self.paths(&[path], tables)?;
                fields.push((self.tokens.number("connectionPaths"), kept));
            }
            Held::Target(path) => {
                let kept = self.paths(&[path], tables)?;
                fields.push((self.tokens.number("targetPaths"), kept));
            }
        }
        tables.spec(spec, fields);
        Ok(())
    }

    /// Times and values. Each follows a number of bytes to what is read next, since they might lie
    /// further on.
    fn samples(&mut self, times: Kept, samples: &[Kept]) -> io::Result<Kept> {
        let mut bytes = 8_u64.to_le_bytes().to_vec();
        bytes.extend(times.0.to_le_bytes());
        bytes.extend(8_u64.to_le_bytes());
        bytes.extend((samples.len() as u64).to_le_bytes());
        bytes.extend(samples.iter().flat_map(|sample| sample.0.to_le_bytes()));
        self.value(Type::TimeSamples, &bytes)
    }

    /// An explicit list of paths.
    fn paths(&mut self, paths: &[&str], tables: &Tables) -> io::Result<Kept> {
        // That it is explicit, and that it has such a list.
        let mut bytes = vec![0b11];
        bytes.extend((paths.len() as u64).to_le_bytes());
        for path in paths {
            let number = tables.path(path);
            let number = number.ok_or_else(|| io::Error::other(format!("nothing is at {path}")))?;
            bytes.extend(number.to_le_bytes());
        }
        self.value(Type::PathListOp, &bytes)
    }

    fn sections(mut self, tables: &Tables) -> io::Result<()> {
        let mut contents: Vec<(&str, u64, u64)> = Vec::new();
        let all = tables.sections(&mut self.tokens, &self.strings)?;
        for (name, bytes) in &all {
            self.align()?;
            contents.push((name, self.at, bytes.len() as u64));
            self.write(bytes)?;
        }
        self.align()?;
        let table = self.at;
        let mut bytes = (contents.len() as u64).to_le_bytes().to_vec();
        for (name, start, length) in contents {
            let mut word = [0; 16];
            word[..name.len()].copy_from_slice(name.as_bytes());
            bytes.extend(word);
            bytes.extend(start.to_le_bytes());
            bytes.extend(length.to_le_bytes());
        }
        self.write(&bytes)?;
        self.out.seek(SeekFrom::Start(0))?;
        self.out.write_all(b"PXR-USDC")?;
        self.out.write_all(&[0, 8, 0, 0, 0, 0, 0, 0])?;
        self.out.write_all(&table.to_le_bytes())?;
        self.out.seek(SeekFrom::End(0))?;
        Ok(())
    }
}

fn floats(values: &[f32]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(4 * values.len());
    for x in values {
        bytes.extend_from_slice(&x.to_le_bytes());
    }
    bytes
}
