//! An Alembic archive in Ogawa, as its library has written it since 1.5.
//!
//! The outermost group holds the version of this layout, that of the library, the outermost object,
//! metadata of the archive, the times of samples, and metadata that is named by number. An object is a
//! group: its properties, its children, and what the children are called. So is a compound of
//! properties: its properties, and their headers. A property is a group of samples, each after its
//! digest; of one that has lists, each is followed by its shape, which is empty for a mere list.

use super::ogawa::{Child, Digest, Ogawa, Sample, Store, digest};
use super::property::{Clock, Extent, Object, Property, Track};
use std::io::{self, Seek, Write};

/// Version of the layout.
const LAYOUT: i32 = 0;
/// Version of the library that writes it so: 1.8.3.
const LIBRARY: i32 = 10803;
/// Metadata that is told in place.
const IN_PLACE: u8 = 0xff;
/// Seconds a cycle where every sample has a time of its own.
const NO_CYCLE: f64 = f64::MAX / 32.0;

/// When the samples of frames are.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Times {
    /// At even distances [s].
    Even { start: f64, step: f64 },
    /// At these times [s], rising.
    Listed(Vec<f64>),
}

/// An archive that is being written.
#[derive(Debug)]
pub(super) struct Archive<W> {
    file: Ogawa<W>,
    /// Metadata by its number, from 1.
    metas: Vec<&'static str>,
    /// Most samples that a property has, by clock.
    most: [u32; 2],
}

impl<W: Write + Seek> Store for Archive<W> {
    fn keep(&mut self, bytes: &[u8]) -> io::Result<Sample> {
        self.file.keep(bytes)
    }
}

/// What an object or a property has become.
struct Made {
    place: Child,
    /// Of its properties, or samples.
    own: Digest,
    /// Of the objects below; zero where there are none.
    below: Digest,
}

impl<W: Write + Seek> Archive<W> {
    /// An archive without anything; `out` is at its start.
    pub(super) fn new(out: W) -> io::Result<Self> {
        Ok(Self { file: Ogawa::new(out)?, metas: Vec::new(), most: [0; 2] })
    }

    /// Writes the rest of the file: these objects, with samples that this file has taken, and
    /// metadata of the archive.
    pub(super) fn finish(
        mut self,
        objects: Vec<Object>,
        meta: &str,
        times: &Times,
    ) -> io::Result<()> {
        let top =
            Object { name: String::new(), meta: "", properties: Vec::new(), children: objects };
        let top = self.object(&top)?.place;
        let versions = [LAYOUT, LIBRARY].map(i32::to_le_bytes);
        let mut metas = Vec::new();
        for meta in &self.metas {
            metas.push(meta.len() as u8);
            metas.extend(meta.as_bytes());
        }
        let children = [
            self.file.data(&versions[0])?,
            self.file.data(&versions[1])?,
            top,
            self.file.data(meta.as_bytes())?,
            self.file.data(&self.clocks(times))?,
            self.file.data(&metas)?,
        ];
        let group = self.file.group(&children)?;
        self.file.finish(group)
    }

    fn object(&mut self, object: &Object) -> io::Result<Made> {
        let properties = self.compound(&object.properties)?;
        let mut children = vec![properties.place];
        let mut headers = Vec::new();
        let mut digests = Vec::new();
        for child in &object.children {
            let made = self.object(child)?;
            children.push(made.place);
            long(&mut headers, child.name.len() as u32);
            headers.extend(child.name.as_bytes());
            let number = self.meta(child.meta);
            headers.push(number);
            if number == IN_PLACE {
                long(&mut headers, child.meta.len() as u32);
                headers.extend(child.meta.as_bytes());
            }
            digests.extend(digest(child.name.as_bytes())?);
            digests.extend(digest(child.meta.as_bytes())?);
            digests.extend(made.own);
            digests.extend(made.below);
        }
        let below = if digests.is_empty() { [0; 16] } else { digest(&digests)? };
        headers.extend(properties.own);
        headers.extend(below);
        children.push(self.file.data(&headers)?);
        Ok(Made { place: self.file.group(&children)?, own: properties.own, below })
    }

    fn compound(&mut self, properties: &[Property]) -> io::Result<Made> {
        let mut children = Vec::new();
        let mut headers = Vec::new();
        let mut digests = Vec::new();
        for property in properties {
            let (made, name, meta) = match property {
                Property::Values(track) => {
                    self.header(&mut headers, track);
                    (self.values(track)?, track.kind.name, track.kind.meta)
                }
                Property::Compound { name, meta, properties } => {
                    self.end_header(&mut headers, 0, name, meta, &[]);
                    (self.compound(properties)?, *name, *meta)
                }
            };
            children.push(made.place);
            digests.extend(digest(name.as_bytes())?);
            digests.extend(digest(meta.as_bytes())?);
            digests.extend(made.own);
        }
        if !children.is_empty() {
            children.push(self.file.data(&headers)?);
        }
        let own = digest(&digests)?;
        Ok(Made { place: self.file.group(&children)?, own, below: [0; 16] })
    }

    fn values(&mut self, track: &Track) -> io::Result<Made> {
        let mut children = Vec::new();
        for sample in track.listed() {
            children.push(sample);
            if track.kind.is_array {
                children.push(Child::NO_DATA);
            }
        }
        let most = &mut self.most[track.kind.clock as usize];
        *most = (*most).max(track.extent().count);
        Ok(Made { place: self.file.group(&children)?, own: track.digest, below: [0; 16] })
    }

    /// Adds the header of a property with values: what kind it is in 32 bits, how many samples there
    /// are, which of them are listed, and by which clock they go.
    fn header(&mut self, out: &mut Vec<u8>, track: &Track) {
        let kind = track.kind;
        let Extent { count, first_change, last_change } = track.extent();
        // Bits 0 and 1: a value (1), lists (2), lists of one value each (3).
        let mut info = if kind.is_array { 2 | u32::from(track.is_single) } else { 1 };
        info |= (kind.pod as u32) << 4;
        // Samples are of one length.
        info |= 1 << 10;
        info |= u32::from(kind.extent) << 12;
        let mut numbers = vec![count];
        if last_change == 0 {
            info |= 1 << 11;
        } else if (first_change, last_change) != (1, count - 1) {
            info |= 1 << 9;
            numbers.extend([first_change, last_change]);
        }
        if kind.clock != Clock::Still {
            info |= 1 << 8;
            numbers.push(kind.clock as u32);
        }
        self.end_header(out, info, kind.name, kind.meta, &numbers);
    }

    /// Adds `info`, with how wide numbers are and which metadata it is, then `numbers` and the name.
    fn end_header(
        &mut self,
        out: &mut Vec<u8>,
        info: u32,
        name: &str,
        meta: &'static str,
        numbers: &[u32],
    ) {
        let lengths = [name.len() as u32, meta.len() as u32];
        let widest = numbers.iter().chain(&lengths).max().copied().unwrap_or_default();
        let (width, bytes) = match widest {
            0..=0xff => (0, 1),
            0x100..=0xffff => (1, 2),
            _ => (2, 4),
        };
        let number = self.meta(meta);
        let add = |out: &mut Vec<u8>, n: u32| out.extend(&n.to_le_bytes()[..bytes]);
        long(out, info | width << 2 | u32::from(number) << 20);
        for n in numbers {
            add(out, *n);
        }
        add(out, lengths[0]);
        out.extend(name.as_bytes());
        if number == IN_PLACE {
            add(out, lengths[1]);
            out.extend(meta.as_bytes());
        }
    }

    /// The number of metadata, 0 where there is none.
    fn meta(&mut self, meta: &'static str) -> u8 {
        if meta.is_empty() {
            return 0;
        }
        let known = self.metas.iter().position(|known| *known == meta);
        let number = known.unwrap_or(self.metas.len());
        if meta.len() > 0xff || number + 1 >= usize::from(IN_PLACE) {
            return IN_PLACE;
        }
        if known.is_none() {
            self.metas.push(meta);
        }
        number as u8 + 1
    }

    /// The clocks: most samples, seconds a cycle, and the times of one cycle.
    fn clocks(&self, times: &Times) -> Vec<u8> {
        let (cycle, of_frames) = match times {
            Times::Even { start, step } => (*step, vec![*start]),
            Times::Listed(times) => (NO_CYCLE, times.clone()),
        };
        let mut out = Vec::new();
        for (most, cycle, times) in
            [(self.most[0], 1.0, vec![0.0]), (self.most[1], cycle, of_frames)]
        {
            long(&mut out, most);
            out.extend(f64::to_le_bytes(cycle));
            long(&mut out, times.len() as u32);
            out.extend(times.iter().flat_map(|t| t.to_le_bytes()));
        }
        out
    }
}

fn long(out: &mut Vec<u8>, number: u32) {
    out.extend(number.to_le_bytes());
}
