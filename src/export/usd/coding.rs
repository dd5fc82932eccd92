//! How crate files store lists of whole numbers, and how they compress.

use std::collections::BTreeMap;
use std::io;

/// Most bytes that one LZ4 block takes.
const MOST_BYTES: usize = 0x7E00_0000;

/// `bytes` compressed: the number of further chunks, 0, and a block of LZ4.
pub(super) fn compressed(bytes: &[u8]) -> io::Result<Vec<u8>> {
    if bytes.len() > MOST_BYTES {
        return Err(io::Error::other("a table of the USD file is larger than 2 GB"));
    }
    let mut out = vec![0];
    out.extend(lz4_flex::block::compress(bytes));
    Ok(out)
}

/// `values` as a crate file has them, compressed.
pub(super) fn compressed_numbers(values: &[i32]) -> io::Result<Vec<u8>> {
    compressed(&coded(values))
}

/// Differences from value to value: the most common one, a code of two bits for each (0: the most
/// common one; 1, 2, 3: in one, two or four bytes), then those bytes.
fn coded(values: &[i32]) -> Vec<u8> {
    let mut before = 0_i32;
    let steps: Vec<i32> = values
        .iter()
        .map(|value| {
            let step = value.wrapping_sub(before);
            before = *value;
            step
        })
        .collect();
    let mut counts: BTreeMap<i32, usize> = BTreeMap::new();
    for step in &steps {
        *counts.entry(*step).or_default() += 1;
    }
    let common = counts.iter().max_by_key(|(_, count)| **count).map_or(0, |(step, _)| *step);
    let mut codes = vec![0_u8; steps.len().div_ceil(4)];
    let mut wide = Vec::new();
    for (i, step) in steps.into_iter().enumerate() {
        let code = if step == common {
            0
        } else if let Ok(byte) = i8::try_from(step) {
            wide.extend(byte.to_le_bytes());
            1
        } else if let Ok(short) = i16::try_from(step) {
            wide.extend(short.to_le_bytes());
            2
        } else {
            wide.extend(step.to_le_bytes());
            3
        };
        codes[i / 4] |= code << (2 * (i % 4));
    }
    let mut out = common.to_le_bytes().to_vec();
    out.extend(codes);
    out.extend(wide);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As OpenUSD describes it: the steps are added up again.
    fn decoded(bytes: &[u8], count: usize) -> Vec<i32> {
        let common = i32::from_le_bytes(bytes[..4].try_into().unwrap());
        let (codes, mut wide) = bytes[4..].split_at(count.div_ceil(4));
        let mut value = 0_i32;
        let values = (0..count).map(|i| {
            let (step, taken) = match codes[i / 4] >> (2 * (i % 4)) & 3 {
                0 => (common, 0),
                1 => (i32::from(wide[0] as i8), 1),
                2 => (i32::from(i16::from_le_bytes([wide[0], wide[1]])), 2),
                _ => (i32::from_le_bytes(wide[..4].try_into().unwrap()), 4),
            };
            wide = &wide[taken..];
            value = value.wrapping_add(step);
            value
        });
        let values = values.collect();
        assert!(wide.is_empty());
        values
    }

    #[test]
    fn numbers_come_back() {
        let lists: [&[i32]; 4] = [
            &[],
            &[123, 124, 125, 100_125, 100_125, 100_126, 100_126],
            &[i32::MIN, i32::MAX, -1, 0, 127, -1, 128, 0, 32767, -1, 32768],
            &[3; 1000],
        ];
        for list in lists {
            assert_eq!(decoded(&coded(list), list.len()), list);
        }
        // The example of the format's own description.
        let bytes = coded(lists[1]);
        assert_eq!(bytes[..4], 1_i32.to_le_bytes());
        assert_eq!(bytes[4..6], [0b11_00_00_01, 0b01_00_01]);
    }

    #[test]
    fn equal_steps_take_two_bits_and_blocks_unpack() {
        let bytes = coded(&(0..4000).collect::<Vec<_>>());
        assert_eq!(bytes.len(), 4 + 1000 + 1);
        let packed = compressed(&bytes).unwrap();
        assert_eq!(packed[0], 0);
        assert!(packed.len() < 100);
        assert_eq!(lz4_flex::block::decompress(&packed[1..], bytes.len()).unwrap(), bytes);
    }
}
