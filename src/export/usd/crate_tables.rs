//! The sections of a crate file: words, fields, sets of fields, paths, and what is at each path.

use super::coding::{compressed, compressed_numbers};
use super::layer::{Kept, Prim, Property};
use std::collections::BTreeMap;
use std::io;

/// Ends a set of fields.
const END: i32 = -1;

/// Kinds of things that have a path, by their numbers in the file.
#[derive(Clone, Copy, Debug)]
pub(super) enum Spec {
    Attribute = 1,
    Prim = 6,
    PseudoRoot = 7,
    Relationship = 8,
}

/// Words by their numbers in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct Words {
    numbers: BTreeMap<String, u32>,
    words: Vec<String>,
}

impl Words {
    /// The number of a word, which is added where it is new.
    pub(super) fn number(&mut self, word: &str) -> u32 {
        if let Some(number) = self.numbers.get(word) {
            return *number;
        }
        let number = self.words.len() as u32;
        self.numbers.insert(word.to_owned(), number);
        self.words.push(word.to_owned());
        number
    }
}

/// What the sections of a file list.
#[derive(Default)]
pub(super) struct Tables {
    fields: Vec<(u32, Kept)>,
    field_numbers: BTreeMap<(u32, Kept), i32>,
    sets: Vec<i32>,
    set_starts: BTreeMap<Vec<i32>, i32>,
    /// Of each path: its last name (below 0 for a property), and the way to the next ones.
    names: Vec<i32>,
    ways: Vec<i32>,
    /// Of each path: its set of fields and what it is.
    spec_sets: Vec<i32>,
    spec_kinds: Vec<i32>,
    paths: BTreeMap<String, u32>,
}

impl Tables {
    /// All paths of a layer with these prims.
    pub(super) fn new(tokens: &mut Words, prims: &[Prim]) -> Self {
        let mut tables = Self::default();
        tables.names.push(0);
        tables.ways.push(if prims.is_empty() { -2 } else { -1 });
        tables.paths.insert("/".to_owned(), 0);
        tables.add_paths(tokens, "", &[], prims);
        tables
    }

    /// The number of a path; none where nothing is.
    pub(super) fn path(&self, path: &str) -> Option<u32> {
        self.paths.get(path).copied()
    }

    /// Adds the fields of a path.
    pub(super) fn spec(&mut self, kind: Spec, fields: Vec<(u32, Kept)>) {
        let mut set: Vec<i32> = Vec::with_capacity(fields.len());
        for field in fields {
            let next = self.fields.len() as i32;
            let number = *self.field_numbers.entry(field).or_insert(next);
            if number == next {
                self.fields.push(field);
            }
            set.push(number);
        }
        let next = self.sets.len() as i32;
        let start = *self.set_starts.entry(set).or_insert_with_key(|set| {
            self.sets.extend(set);
            self.sets.push(END);
            next
        });
        self.spec_sets.push(start);
        self.spec_kinds.push(kind as i32);
    }

    /// Numbers the paths below `above`, each before those below it.
    fn add_paths(
        &mut self,
        tokens: &mut Words,
        above: &str,
        properties: &[Property],
        prims: &[Prim],
    ) {
        let count = properties.len() + prims.len();
        for (i, property) in properties.iter().enumerate() {
            let name = property.kind.name;
            let number = self.names.len() as u32;
            self.paths.insert(format!("{above}.{name}"), number);
            self.names.push(-(tokens.number(name) as i32));
            self.ways.push(if i + 1 < count { 0 } else { -2 });
        }
        for (i, prim) in prims.iter().enumerate() {
            let path = format!("{above}/{}", prim.name);
            let number = self.names.len();
            self.paths.insert(path.clone(), number as u32);
            self.names.push(tokens.number(&prim.name) as i32);
            self.ways.push(0);
            self.add_paths(tokens, &path, &prim.properties, &prim.children);
            let has_below = self.names.len() > number + 1;
            let has_next = properties.len() + i + 1 < count;
            self.ways[number] = match (has_below, has_next) {
                (true, true) => (self.names.len() - number) as i32,
                (true, false) => -1,
                (false, true) => 0,
                (false, false) => -2,
            };
        }
    }

    /// The bytes of the sections by their names, in their order.
    pub(super) fn sections(
        &self,
        tokens: &mut Words,
        strings: &Words,
    ) -> io::Result<[(&'static str, Vec<u8>); 6]> {
        let words = tokens.words.iter().flat_map(|w| w.bytes().chain([0]));
        let words: Vec<u8> = words.collect();
        let long = |bytes: &mut Vec<u8>, n: usize| bytes.extend((n as u64).to_le_bytes());
        let packed = |bytes: &mut Vec<u8>, values: &[i32]| -> io::Result<()> {
            let packed = compressed_numbers(values)?;
            long(bytes, packed.len());
            bytes.extend(packed);
            Ok(())
        };
        let mut all: [(&str, Vec<u8>); 6] =
            ["TOKENS", "STRINGS", "FIELDS", "FIELDSETS", "PATHS", "SPECS"].map(|n| (n, Vec::new()));
        let [(_, words_out), (_, strings_out), (_, fields), (_, sets), (_, paths), (_, specs)] =
            &mut all;

        long(words_out, tokens.words.len());
        long(words_out, words.len());
        let packed_words = compressed(&words)?;
        long(words_out, packed_words.len());
        words_out.extend(packed_words);

        long(strings_out, strings.words.len());
        for text in &strings.words {
            strings_out.extend(tokens.number(text).to_le_bytes());
        }

        long(fields, self.fields.len());
        let names: Vec<i32> = self.fields.iter().map(|(name, _)| *name as i32).collect();
        packed(fields, &names)?;
        let values: Vec<u8> = self.fields.iter().flat_map(|(_, k)| k.0.to_le_bytes()).collect();
        let values = compressed(&values)?;
        long(fields, values.len());
        fields.extend(values);

        long(sets, self.sets.len());
        packed(sets, &self.sets)?;

        // Every path has its place in the list as its number, and is something.
        let numbers: Vec<i32> = (0..self.names.len() as i32).collect();
        long(paths, numbers.len());
        long(paths, numbers.len());
        packed(paths, &numbers)?;
        packed(paths, &self.names)?;
        packed(paths, &self.ways)?;

        long(specs, numbers.len());
        packed(specs, &numbers)?;
        packed(specs, &self.spec_sets)?;
        packed(specs, &self.spec_kinds)?;
        Ok(all)
    }
}
