//! The files of the store: a magic, a version, a checksum, and compressed bytes.

use std::io;

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A frame.
    Frame,
    /// The engine's exact state.
    State,
    /// What the engine's regions came to.
    Regions,
}

impl Kind {
    fn magic(self) -> [u8; 8] {
        match self {
            Self::Frame => *b"RTKFRAME",
            Self::State => *b"RTKSTATE",
            Self::Regions => *b"RTKREGIO",
        }
    }
}

/// Raised when the meaning of the bytes changes; older files then count as missing.
const VERSION: u32 = 15;
const HEADER: usize = 8 + 4 + 8 + 32;
/// Frames are written once and read a few times: speed counts more than the last tenth of size.
const LEVEL: i32 = 1;
/// No frame is larger; a damaged length must not ask for all memory.
const LARGEST: usize = 1 << 34;

/// `bytes` as a file.
pub(super) fn pack(kind: Kind, bytes: &[u8]) -> io::Result<Vec<u8>> {
    let packed = zstd::bulk::compress(bytes, LEVEL)?;
    let mut file = Vec::with_capacity(HEADER + packed.len());
    file.extend(kind.magic());
    file.extend(VERSION.to_le_bytes());
    file.extend((bytes.len() as u64).to_le_bytes());
    file.extend(checksum(kind, bytes.len(), &packed));
    file.extend(packed);
    Ok(file)
}

/// The bytes in a file, or what is wrong with it.
pub(super) fn unpack(kind: Kind, file: &[u8]) -> Result<Vec<u8>, String> {
    let Some((header, packed)) = file.split_at_checked(HEADER) else {
        return Err("it is cut off".into());
    };
    if header[..8] != kind.magic() {
        return Err("it is not a file of the frame store".into());
    }
    let version = u32::from_le_bytes([header[8], header[9], header[10], header[11]]);
    if version != VERSION {
        return Err(format!("it has format {version}, this program reads {VERSION}"));
    }
    let mut length = [0; 8];
    length.copy_from_slice(&header[12..20]);
    let length = u64::from_le_bytes(length) as usize;
    if length > LARGEST || header[20..] != checksum(kind, length, packed) {
        return Err("its checksum is wrong".into());
    }
    zstd::bulk::decompress(packed, length).map_err(|e| e.to_string())
}

fn checksum(kind: Kind, length: usize, packed: &[u8]) -> [u8; 32] {
    let mut hash = blake3::Hasher::new();
    hash.update(&kind.magic()).update(&(length as u64).to_le_bytes()).update(packed);
    *hash.finalize().as_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comes_back_and_notices_every_damaged_byte() {
        let bytes: Vec<u8> = (0..500u32).map(|i| (i * i) as u8).collect();
        let file = pack(Kind::Frame, &bytes).unwrap();
        assert_eq!(unpack(Kind::Frame, &file).unwrap(), bytes);
        assert!(unpack(Kind::State, &file).is_err());
        for i in 0..file.len() {
            let mut damaged = file.clone();
            damaged[i] ^= 0x10;
            assert!(unpack(Kind::Frame, &damaged).is_err(), "byte {i}");
            assert!(unpack(Kind::Frame, &file[..i]).is_err(), "cut at {i}");
        }
    }
}
