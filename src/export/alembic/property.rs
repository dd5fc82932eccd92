//! What Alembic objects are made of: properties with samples, compounds of them, and objects below
//! objects. Samples go to the file as soon as they are known and are held here by where they are.

use super::ogawa::{Child, Digest, Store, digest};
use crate::export::branch::Node;
use std::borrow::Cow;
use std::io;

/// What a value is made of, by its number in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pod {
    Bool = 0,
    U8 = 1,
    I8 = 2,
    U32 = 5,
    I32 = 6,
    F32 = 10,
    F64 = 11,
}

impl Pod {
    fn bytes(self) -> usize {
        match self {
            Self::Bool | Self::U8 | Self::I8 => 1,
            Self::U32 | Self::I32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }
}

/// Where the times of samples stand, by its number in the archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Clock {
    /// One sample for all times.
    Still = 0,
    /// A sample a frame.
    Frames = 1,
}

/// What a property is called and of what kind it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kind {
    pub(super) name: &'static str,
    /// `key=value`, with `;` between them, the keys rising.
    pub(super) meta: &'static str,
    /// Whether a sample is a list of values, else one value.
    pub(super) is_array: bool,
    pub(super) pod: Pod,
    /// So many of them are a value.
    pub(super) extent: u8,
    pub(super) clock: Clock,
}

impl Kind {
    /// One value a sample.
    pub(super) const fn scalar(name: &'static str, pod: Pod, extent: u8) -> Self {
        Self { name, meta: "", is_array: false, pod, extent, clock: Clock::Frames }
    }

    /// A list of values a sample.
    pub(super) const fn array(name: &'static str, pod: Pod, extent: u8) -> Self {
        Self { is_array: true, ..Self::scalar(name, pod, extent) }
    }

    /// With metadata.
    pub(super) const fn meaning(self, meta: &'static str) -> Self {
        Self { meta, ..self }
    }

    /// Without times.
    pub(super) const fn still(self) -> Self {
        Self { clock: Clock::Still, ..self }
    }
}

/// The numbers of a sample, one value after the other.
#[derive(Clone, Copy, Debug)]
pub(super) enum Numbers<'a> {
    Bytes(&'a [u8]),
    Ints(&'a [i32]),
    Floats(&'a [f32]),
    Doubles(&'a [f64]),
}

impl<'a> Numbers<'a> {
    fn bytes(self) -> Cow<'a, [u8]> {
        match self {
            Self::Bytes(values) => Cow::Borrowed(values),
            Self::Ints(values) => values.iter().flat_map(|x| x.to_le_bytes()).collect(),
            Self::Floats(values) => values.iter().flat_map(|x| x.to_le_bytes()).collect(),
            Self::Doubles(values) => values.iter().flat_map(|x| x.to_le_bytes()).collect(),
        }
    }
}

/// A property that grows by a sample a frame, or has one for all times.
#[derive(Clone, Debug)]
pub(super) struct Track {
    pub(super) kind: Kind,
    pub(super) samples: Vec<Child>,
    /// Whether every sample is one value.
    pub(super) is_single: bool,
    /// Of all samples in their order.
    pub(super) digest: Digest,
}

/// Which of a track's samples the file lists: the first, and all from the first to the last that
/// differs from the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extent {
    /// Samples that there are.
    pub(super) count: u32,
    pub(super) first_change: u32,
    pub(super) last_change: u32,
}

impl Track {
    /// Without samples.
    pub(super) fn new(kind: Kind) -> Self {
        Self { kind, samples: Vec::new(), is_single: true, digest: [0; 16] }
    }

    /// With one sample for all times.
    pub(super) fn fixed(
        store: &mut dyn Store,
        kind: Kind,
        numbers: Numbers<'_>,
    ) -> io::Result<Self> {
        let mut track = Self::new(kind);
        track.key(store, numbers)?;
        Ok(track)
    }

    /// Adds the sample of the next frame.
    pub(super) fn key(&mut self, store: &mut dyn Store, numbers: Numbers<'_>) -> io::Result<()> {
        let bytes = numbers.bytes();
        self.is_single &= bytes.len() == self.kind.pod.bytes() * usize::from(self.kind.extent);
        let sample = store.keep(&bytes)?;
        self.samples.push(sample.place);
        self.digest = digest(&[self.digest, sample.digest].concat())?;
        Ok(())
    }

    /// Which samples are listed. One that never changes has one sample.
    pub(super) fn extent(&self) -> Extent {
        let changes =
            || (1..self.samples.len()).filter(|i| self.samples[*i] != self.samples[i - 1]);
        match (changes().next(), changes().next_back()) {
            (Some(first), Some(last)) => Extent {
                count: self.samples.len() as u32,
                first_change: first as u32,
                last_change: last as u32,
            },
            _ => {
                Extent { count: self.samples.len().min(1) as u32, first_change: 0, last_change: 0 }
            }
        }
    }

    /// The samples that the file lists.
    pub(super) fn listed(&self) -> Vec<Child> {
        let Extent { count, first_change, last_change } = self.extent();
        let changing = if last_change > 0 {
            &self.samples[first_change as usize..=last_change as usize]
        } else {
            &[]
        };
        [&self.samples[..count.min(1) as usize], changing].concat()
    }
}

/// A property of an object.
#[derive(Clone, Debug)]
pub(super) enum Property {
    Values(Track),
    Compound { name: &'static str, meta: &'static str, properties: Vec<Property> },
}

/// An object and those below it.
#[derive(Clone, Debug)]
pub(super) struct Object {
    /// Unique beside its siblings, without `/`.
    pub(super) name: String,
    pub(super) meta: &'static str,
    pub(super) properties: Vec<Property>,
    pub(super) children: Vec<Object>,
}

impl Node for Object {
    fn hang(&mut self, mut below: Vec<Self>) {
        below.append(&mut self.children);
        self.children = below;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::alembic::ogawa::Ogawa;

    #[test]
    fn what_repeats_at_the_ends_is_not_listed() {
        let mut file = Ogawa::new(io::Cursor::new(Vec::new())).unwrap();
        let mut run = |values: &[u8]| {
            let mut track = Track::new(Kind::scalar("x", Pod::U8, 1));
            for value in values {
                track.key(&mut file, Numbers::Bytes(&[*value])).unwrap();
            }
            let Extent { count, first_change, last_change } = track.extent();
            (count, first_change, last_change, track.listed().len())
        };
        assert_eq!(run(&[]), (0, 0, 0, 0));
        assert_eq!(run(&[5, 5, 5]), (1, 0, 0, 1));
        assert_eq!(run(&[5, 6, 7]), (3, 1, 2, 3));
        assert_eq!(run(&[5, 5, 6, 6, 5, 5]), (6, 2, 4, 4));
    }
}
