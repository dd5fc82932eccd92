//! A small reader of Alembic archives in Ogawa, at the level of nodes. It trusts nothing: lengths, digests
//! and headers are checked where they are read.

use std::collections::BTreeMap;

const IS_DATA: u64 = 1 << 63;

/// An archive that was read whole.
pub(crate) struct Archive {
    /// Metadata of the archive.
    pub(crate) about: String,
    /// Of each clock: most samples, seconds a cycle, times.
    pub(crate) clocks: Vec<(u32, f64, Vec<f64>)>,
    pub(crate) top: Object,
}

pub(crate) struct Object {
    pub(crate) name: String,
    pub(crate) meta: String,
    pub(crate) properties: Properties,
    pub(crate) children: Vec<Object>,
    /// Digests of its properties and of what is below it.
    pub(crate) digests: [u8; 32],
}

pub(crate) type Properties = BTreeMap<String, Property>;

pub(crate) enum Property {
    Compound(String, Properties),
    Values(Values),
}

pub(crate) struct Values {
    pub(crate) meta: String,
    pub(crate) is_array: bool,
    pub(crate) pod: u32,
    pub(crate) extent: usize,
    pub(crate) count: usize,
    pub(crate) clock: usize,
    changes: (usize, usize),
    /// Where the listed samples are, and their bytes.
    pub(crate) listed: Vec<(u64, Vec<u8>)>,
}

impl Values {
    fn bytes(&self, sample: usize) -> &[u8] {
        assert!(sample < self.count, "{sample} of {}", self.count);
        let (first, last) = self.changes;
        let at = if sample < first || last == 0 { 0 } else { sample.min(last) - first + 1 };
        &self.listed[at].1
    }

    /// A sample of a frame, or the one of all frames.
    fn of<const N: usize, T>(&self, sample: usize, read: fn([u8; N]) -> T) -> Vec<T> {
        let bytes = self.bytes(if self.count == 1 { 0 } else { sample });
        let (chunks, rest) = bytes.as_chunks::<N>();
        assert!(rest.is_empty());
        assert!(self.is_array || chunks.len() == self.extent);
        assert_eq!(chunks.len() % self.extent, 0);
        chunks.iter().map(|chunk| read(*chunk)).collect()
    }

    pub(crate) fn bytes_of(&self, sample: usize) -> Vec<u8> {
        assert!(self.pod <= 2);
        self.of(sample, |[byte]| byte)
    }

    pub(crate) fn ints(&self, sample: usize) -> Vec<i32> {
        assert!(self.pod == 5 || self.pod == 6);
        self.of(sample, i32::from_le_bytes)
    }

    pub(crate) fn floats(&self, sample: usize) -> Vec<f32> {
        assert_eq!(self.pod, 10);
        self.of(sample, f32::from_le_bytes)
    }

    pub(crate) fn doubles(&self, sample: usize) -> Vec<f64> {
        assert_eq!(self.pod, 11);
        self.of(sample, f64::from_le_bytes)
    }

    pub(crate) fn vectors(&self, sample: usize) -> Vec<[f32; 3]> {
        assert_eq!(self.extent, 3);
        self.floats(sample).as_chunks::<3>().0.to_vec()
    }
}

impl Object {
    /// The object at a path below this one.
    pub(crate) fn at(&self, path: &str) -> &Self {
        path.split('/').fold(self, |at, name| {
            let found = at.children.iter().find(|child| child.name == name);
            found.unwrap_or_else(|| panic!("no {name} of {path}"))
        })
    }

    /// The values at a path of properties (`.geom/P`), if they are there.
    pub(crate) fn find(&self, path: &str) -> Option<&Values> {
        let mut at = &self.properties;
        let mut parts = path.split('/').peekable();
        while let Some(part) = parts.next() {
            match at.get(part)? {
                Property::Compound(_, below) => at = below,
                Property::Values(values) => {
                    assert!(parts.peek().is_none(), "{path}");
                    return Some(values);
                }
            }
        }
        None
    }

    pub(crate) fn values(&self, path: &str) -> &Values {
        self.find(path).unwrap_or_else(|| panic!("{} has no {path}", self.name))
    }
}

/// Reads an archive.
pub(crate) fn read(bytes: &[u8]) -> Archive {
    let mut reader = Reader { bytes, metas: vec![String::new()] };
    assert_eq!(&bytes[..8], b"Ogawa\xff\0\x01");
    let children = reader.group(reader.long(8));
    assert_eq!(children.len(), 6);
    assert_eq!(reader.data(children[0]), 0_i32.to_le_bytes());
    assert_eq!(reader.data(children[1]), 10803_i32.to_le_bytes());
    let about = text(reader.data(children[3]));
    let mut rest = Cursor(reader.data(children[4]));
    let mut clocks = Vec::new();
    while !rest.0.is_empty() {
        let (most, cycle) = (rest.number(4), f64::from_le_bytes(rest.take()));
        let times = (0..rest.number(4)).map(|_| f64::from_le_bytes(rest.take()));
        clocks.push((most, cycle, times.collect()));
    }
    let mut rest = Cursor(reader.data(children[5]));
    while !rest.0.is_empty() {
        let length = rest.number(1) as usize;
        reader.metas.push(text(rest.bytes(length)));
    }
    let top = reader.object(children[2], "ABC".into(), String::new());
    Archive { about, clocks, top }
}

struct Reader<'a> {
    bytes: &'a [u8],
    metas: Vec<String>,
}

impl<'a> Reader<'a> {
    fn long(&self, at: u64) -> u64 {
        u64::from_le_bytes(self.bytes[at as usize..][..8].try_into().unwrap())
    }

    fn group(&self, at: u64) -> Vec<u64> {
        assert_eq!(at & IS_DATA, 0, "it is a group");
        if at == 0 {
            return Vec::new();
        }
        (1..=self.long(at)).map(|i| self.long(at + 8 * i)).collect()
    }

    fn data(&self, at: u64) -> &'a [u8] {
        assert_ne!(at & IS_DATA, 0, "it is data");
        let at = at & !IS_DATA;
        if at == 0 { &[] } else { &self.bytes[at as usize + 8..][..self.long(at) as usize] }
    }

    fn meta(&self, number: u32, width: usize, rest: &mut Cursor<'_>) -> String {
        if number == 0xff {
            let length = rest.number(width) as usize;
            return text(rest.bytes(length));
        }
        self.metas[number as usize].clone()
    }

    fn object(&self, at: u64, name: String, meta: String) -> Object {
        let group = self.group(at);
        let (headers, below) = group[1..].split_last().unwrap();
        let (headers, digests) = self.data(*headers).split_last_chunk::<32>().unwrap();
        let mut rest = Cursor(headers);
        let mut children = Vec::new();
        for child in below {
            let length = rest.number(4) as usize;
            let name = text(rest.bytes(length));
            let number = rest.number(1);
            let meta = self.meta(number, 4, &mut rest);
            children.push(self.object(*child, name, meta));
        }
        assert!(rest.0.is_empty());
        Object { name, meta, properties: self.compound(group[0]), children, digests: *digests }
    }

    fn compound(&self, at: u64) -> Properties {
        let group = self.group(at);
        let mut found = Properties::new();
        let Some((headers, below)) = group.split_last() else { return found };
        let mut rest = Cursor(self.data(*headers));
        for &place in below {
            let info = rest.number(4);
            let width = [1, 2, 4][(info >> 2 & 3) as usize];
            let has = |bit: u32| info & bit != 0;
            let mut values = None;
            if info & 3 != 0 {
                let count = rest.number(width) as usize;
                let mut changes = (1, count - 1);
                if has(0x200) {
                    changes = (rest.number(width) as usize, rest.number(width) as usize);
                } else if has(0x800) {
                    changes = (0, 0);
                }
                let clock = if has(0x100) { rest.number(width) as usize } else { 0 };
                values = Some((count, changes, clock));
            }
            let length = rest.number(width) as usize;
            let name = text(rest.bytes(length));
            let meta = self.meta(info >> 20 & 0xff, width, &mut rest);
            let property = match values {
                None => Property::Compound(meta, self.compound(place)),
                Some((count, changes, clock)) => {
                    let is_array = has(2);
                    let extent = (info >> 12 & 0xff) as usize;
                    let listed = self.samples(place, is_array);
                    let (first, last) = changes;
                    assert_eq!(listed.len(), if last == 0 { 1 } else { last - first + 2 });
                    let pod = info >> 4 & 15;
                    Property::Values(Values {
                        meta,
                        is_array,
                        pod,
                        extent,
                        count,
                        clock,
                        changes,
                        listed,
                    })
                }
            };
            assert!(found.insert(name, property).is_none(), "names are unique");
        }
        assert!(rest.0.is_empty());
        found
    }

    fn samples(&self, at: u64, is_array: bool) -> Vec<(u64, Vec<u8>)> {
        let mut children = self.group(at);
        if is_array {
            assert!(children.iter().skip(1).step_by(2).all(|shape| *shape == IS_DATA));
            children = children.into_iter().step_by(2).collect();
        }
        let sample = |at: u64| {
            let data = self.data(at);
            let Some((digest, mut bytes)) = data.split_first_chunk::<16>() else {
                assert!(data.is_empty());
                return (at, Vec::new());
            };
            let found = bytes.to_vec();
            assert_eq!(murmur3::murmur3_x64_128(&mut bytes, 0).unwrap().to_le_bytes(), *digest);
            (at, found)
        };
        children.into_iter().map(sample).collect()
    }
}

struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    fn bytes(&mut self, length: usize) -> &'a [u8] {
        let (found, rest) = self.0.split_at(length);
        self.0 = rest;
        found
    }

    fn take<const N: usize>(&mut self) -> [u8; N] {
        self.bytes(N).try_into().unwrap()
    }

    fn number(&mut self, width: usize) -> u32 {
        let mut bytes = [0; 4];
        bytes[..width].copy_from_slice(self.bytes(width));
        u32::from_le_bytes(bytes)
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}
