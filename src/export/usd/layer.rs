//! A USD layer as it is described before a file format writes it: prims with attributes, whose
//! values go to the file as soon as they are known and are held here by where they are.

use crate::export::branch::{Node, free_name};
use std::collections::BTreeSet;
use std::io;

/// A value of an attribute or a field.
#[derive(Clone, Copy, Debug)]
pub(super) enum Value<'a> {
    Bool(bool),
    Float(f32),
    Double(f64),
    Token(&'a str),
    Text(&'a str),
    /// A path beside the file.
    Asset(&'a str),
    Float2([f32; 2]),
    Float3([f32; 3]),
    Float4([f32; 4]),
    /// Rows one after the other; a point is a row that is multiplied from the left.
    Matrix([f64; 16]),
    Ints(&'a [i32]),
    Floats(&'a [f32]),
    Float2s(&'a [[f32; 2]]),
    Float3s(&'a [[f32; 3]]),
    Tokens(&'a [&'a str]),
    /// Names before those that weaker layers give.
    Prepended(&'a [&'a str]),
}

/// A value that the file has taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Kept(pub(super) u64);

/// Takes values into a file.
pub(super) trait Store {
    /// Takes a value; equal ones may be kept once.
    fn keep(&mut self, value: Value<'_>) -> io::Result<Kept>;
}

/// What a property is called and of what kind it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kind {
    pub(super) name: &'static str,
    /// As USD calls it; empty for a relationship.
    pub(super) type_name: &'static str,
    /// Whether it never has samples.
    pub(super) is_uniform: bool,
    /// How the values of a primvar lie on a mesh.
    pub(super) interpolation: Option<&'static str>,
}

impl Kind {
    /// An attribute that may have samples.
    pub(super) const fn new(name: &'static str, type_name: &'static str) -> Self {
        Self { name, type_name, is_uniform: false, interpolation: None }
    }

    /// An attribute that never has samples.
    pub(super) const fn uniform(name: &'static str, type_name: &'static str) -> Self {
        Self { is_uniform: true, ..Self::new(name, type_name) }
    }

    /// With a word for how its values lie on a mesh.
    pub(super) const fn lying(self, interpolation: &'static str) -> Self {
        Self { interpolation: Some(interpolation), ..self }
    }

    /// A relationship.
    pub(super) const fn relation(name: &'static str) -> Self {
        Self { is_uniform: true, ..Self::new(name, "") }
    }
}

/// What a property holds.
#[derive(Clone, Debug)]
pub(super) enum Held {
    /// Nothing: an output.
    Nothing,
    /// The same at all times.
    Fixed(Kept),
    /// One a time code of the layer.
    Samples(Vec<Kept>),
    /// What the property at this path gives.
    From(String),
    /// The prim at this path.
    Target(String),
}

/// A property of a prim.
#[derive(Clone, Debug)]
pub(super) struct Property {
    pub(super) kind: Kind,
    pub(super) held: Held,
}

/// A prim and those below it.
#[derive(Clone, Debug)]
pub(super) struct Prim {
    /// Unique beside its siblings; a word of ASCII letters, digits and `_`.
    pub(super) name: String,
    /// As USD calls it.
    pub(super) type_name: &'static str,
    /// Metadata.
    pub(super) fields: Vec<(&'static str, Kept)>,
    pub(super) properties: Vec<Property>,
    pub(super) children: Vec<Prim>,
}

impl Prim {
    /// A prim without anything.
    pub(super) fn new(name: impl Into<String>, type_name: &'static str) -> Self {
        Self {
            name: name.into(),
            type_name,
            fields: Vec::new(),
            properties: Vec::new(),
            children: Vec::new(),
        }
    }

    pub(super) fn set(&mut self, kind: Kind, held: Held) {
        self.properties.push(Property { kind, held });
    }

    /// Sets an attribute that is the same at all times.
    pub(super) fn fix(
        &mut self,
        store: &mut dyn Store,
        kind: Kind,
        value: Value<'_>,
    ) -> io::Result<()> {
        let kept = store.keep(value)?;
        self.set(kind, Held::Fixed(kept));
        Ok(())
    }
}

impl Node for Prim {
    fn hang(&mut self, mut below: Vec<Self>) {
        below.append(&mut self.children);
        self.children = below;
    }
}

/// Attributes that grow by a value a time code.
#[derive(Clone, Debug, Default)]
pub(super) struct Tracks(Vec<(Kind, Vec<Kept>)>);

impl Tracks {
    /// Adds the value of an attribute at the next time code.
    pub(super) fn key(
        &mut self,
        store: &mut dyn Store,
        kind: Kind,
        value: Value<'_>,
    ) -> io::Result<()> {
        let kept = store.keep(value)?;
        match self.0.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, samples)) => samples.push(kept),
            None => self.0.push((kind, vec![kept])),
        }
        Ok(())
    }

    /// Gives the attributes to a prim; one that never changes has one value for all times.
    pub(super) fn give(self, prim: &mut Prim) {
        for (kind, samples) in self.0 {
            let held = match samples.first() {
                Some(first) if samples.iter().all(|sample| sample == first) => Held::Fixed(*first),
                _ => Held::Samples(samples),
            };
            prim.set(kind, held);
        }
    }
}

/// A whole layer.
#[derive(Clone, Debug)]
pub(super) struct Layer {
    /// Metadata.
    pub(super) fields: Vec<(&'static str, Kept)>,
    /// Time codes of all samples, rising.
    pub(super) times: Vec<f64>,
    pub(super) prims: Vec<Prim>,
}

/// A name for a prim beside those of `taken`, to which it is added: `wanted` as far as USD allows it.
pub(super) fn named(wanted: &str, taken: &mut BTreeSet<String>) -> String {
    let usable = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let mut name: String = wanted.chars().map(usable).collect();
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        name.insert(0, '_');
    }
    free_name(&name, taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_words_and_unique() {
        let mut taken = BTreeSet::new();
        let names = ["cape", "along 1", "along-1", "2nd", "né", "cape", "cape", ""];
        assert_eq!(
            names.map(|name| named(name, &mut taken)),
            ["cape", "along_1", "along_1_2", "_2nd", "n_", "cape_2", "cape_3", "_"]
        );
    }
}
