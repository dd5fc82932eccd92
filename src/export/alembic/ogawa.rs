//! Ogawa, the container of Alembic files: blocks of data, and groups that list data and groups.
//!
//! Layout, little-endian: a start of 16 bytes (`Ogawa`, 0xff once the file is whole, the version 1 in
//! two bytes, where the outermost group is), then data and groups in any order. Data is its length
//! [bytes] and the bytes, a group the number of its children and for each where it is; the highest bit
//! tells data from groups, and at 0 is what is empty. All numbers but the version have eight bytes.

use murmur3::murmur3_x64_128;
use std::collections::BTreeMap;
use std::io::{self, Seek, SeekFrom, Write};

const START: u64 = 16;
const IS_DATA: u64 = 1 << 63;

/// What Alembic knows samples by: their `MurmurHash3` (x64, 128 bits, seed 0).
pub(super) type Digest = [u8; 16];

/// The digest of some bytes.
pub(super) fn digest(mut bytes: &[u8]) -> io::Result<Digest> {
    murmur3_x64_128(&mut bytes, 0).map(u128::to_le_bytes)
}

/// A child of a group, by where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Child(u64);

impl Child {
    /// A group without children.
    pub(super) const NO_GROUP: Self = Self(0);
    /// Data without bytes.
    pub(super) const NO_DATA: Self = Self(IS_DATA);
}

/// A sample that the file has taken.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    pub(super) place: Child,
    pub(super) digest: Digest,
}

/// Takes samples into a file.
pub(super) trait Store {
    /// Takes the bytes of a sample; equal ones lie at one place.
    fn keep(&mut self, bytes: &[u8]) -> io::Result<Sample>;
}

/// An Ogawa file that is being written.
#[derive(Debug)]
pub(super) struct Ogawa<W> {
    out: W,
    /// Where the next byte goes.
    at: u64,
    /// Samples that are in the file, by their digests and lengths.
    known: BTreeMap<(Digest, usize), Child>,
}

impl<W: Write + Seek> Store for Ogawa<W> {
    fn keep(&mut self, bytes: &[u8]) -> io::Result<Sample> {
        if bytes.is_empty() {
            return Ok(Sample { place: Child::NO_DATA, digest: [0; 16] });
        }
        let digest = digest(bytes)?;
        if let Some(place) = self.known.get(&(digest, bytes.len())) {
            return Ok(Sample { place: *place, digest });
        }
        let place = self.put([&digest, bytes])?;
        self.known.insert((digest, bytes.len()), place);
        Ok(Sample { place, digest })
    }
}

impl<W: Write + Seek> Ogawa<W> {
    /// A file that holds nothing; `out` is at its start.
    pub(super) fn new(mut out: W) -> io::Result<Self> {
        // Told to be whole at its end, as is where the outermost group is.
        out.write_all(b"Ogawa\0\0\x01")?;
        out.write_all(&[0; 8])?;
        Ok(Self { out, at: START, known: BTreeMap::new() })
    }

    /// Writes data that is no sample.
    pub(super) fn data(&mut self, bytes: &[u8]) -> io::Result<Child> {
        if bytes.is_empty() { Ok(Child::NO_DATA) } else { self.put([bytes, &[]]) }
    }

    /// Writes a group.
    pub(super) fn group(&mut self, children: &[Child]) -> io::Result<Child> {
        if children.is_empty() {
            return Ok(Child::NO_GROUP);
        }
        let place = Child(self.at);
        self.write(&(children.len() as u64).to_le_bytes())?;
        for child in children {
            self.write(&child.0.to_le_bytes())?;
        }
        Ok(place)
    }

    /// Ends the file, whose outermost group is `group`.
    pub(super) fn finish(mut self, group: Child) -> io::Result<()> {
        self.out.seek(SeekFrom::Start(5))?;
        self.out.write_all(&[0xff])?;
        self.out.seek(SeekFrom::Start(8))?;
        self.out.write_all(&group.0.to_le_bytes())?;
        self.out.seek(SeekFrom::End(0))?;
        Ok(())
    }

    fn put(&mut self, parts: [&[u8]; 2]) -> io::Result<Child> {
        let place = Child(IS_DATA | self.at);
        let length = parts[0].len() + parts[1].len();
        self.write(&(length as u64).to_le_bytes())?;
        self.write(parts[0])?;
        self.write(parts[1])?;
        Ok(place)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.at += bytes.len() as u64;
        self.out.write_all(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(digest: Digest) -> String {
        use std::fmt::Write;
        digest.iter().fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        })
    }

    /// As they stand before these bytes in files that Blender's library has written.
    #[test]
    fn digests_are_those_of_alembic() {
        let identity: Vec<u8> =
            (0..16).flat_map(|i| f64::from(u8::from(i % 5 == 0)).to_le_bytes()).collect();
        let counts: Vec<u8> = [4_i32; 4].iter().flat_map(|n| n.to_le_bytes()).collect();
        for (bytes, expected) in [
            (&[1][..], "16fe7483905cce7a85670e43e4678877"),
            (&[0x30], "80a346d5bedec92a095e873ce5e98d3a"),
            (&identity, "09053870b0b9836616151d2fe8c23db9"),
            (&counts, "36d5bcd0f9e3432334a38a133395eb59"),
        ] {
            assert_eq!(hex(digest(bytes).unwrap()), expected);
        }
    }

    #[test]
    fn equal_samples_lie_at_one_place() {
        let mut file = Ogawa::new(io::Cursor::new(Vec::new())).unwrap();
        let first = file.keep(b"abc").unwrap();
        let other = file.keep(b"abd").unwrap();
        let end = file.at;
        assert_eq!(file.keep(b"abc").unwrap().place, first.place);
        assert_ne!(first.place, other.place);
        assert_eq!(file.keep(b"").unwrap().place, Child::NO_DATA);
        assert_eq!(file.at, end, "nothing was written");
    }
}
