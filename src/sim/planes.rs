//! Numbers as what they differ in from a guess, bit by bit, with bytes of the same weight side by side: where
//! the guess is good there is nothing but zeros, and elsewhere signs and exponents stand together. That is
//! what a compressor of bytes can make small.

use glam::DVec3;

/// The bits of `values` less those of `guess`, the highest bytes of all first. Both are equally long.
pub(crate) fn pack(values: &[f64], guess: &[f64]) -> Vec<u8> {
    let count = values.len();
    let mut planes = vec![0; 8 * count];
    for (i, (value, guess)) in values.iter().zip(guess).enumerate() {
        for (k, byte) in (value.to_bits() ^ guess.to_bits()).to_be_bytes().into_iter().enumerate() {
            planes[k * count + i] = byte;
        }
    }
    planes
}

/// What [`pack`] packed with the same `guess`; none where it is not as long.
pub(crate) fn unpack(planes: &[u8], guess: &[f64]) -> Option<Vec<f64>> {
    let count = guess.len();
    let value = |(i, guess): (usize, &f64)| {
        let bytes = std::array::from_fn(|k| planes[k * count + i]);
        f64::from_bits(u64::from_be_bytes(bytes) ^ guess.to_bits())
    };
    (planes.len() == 8 * count).then(|| guess.iter().enumerate().map(value).collect())
}

/// The components of points, one after the other.
pub(crate) fn flat(points: &[DVec3]) -> impl Iterator<Item = f64> + '_ {
    points.iter().flat_map(DVec3::to_array)
}

/// The points of components.
pub(crate) fn points(flat: &[f64]) -> Vec<DVec3> {
    flat.chunks_exact(3).map(DVec3::from_slice).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bit_comes_back_and_a_good_guess_is_zeros() {
        let values = [0.0, -0.0, 1.5, f64::MIN_POSITIVE, f64::INFINITY, -3.25e-300, 7.0];
        let guess = [0.0, 0.0, 1.5, 2.0, f64::NAN, 0.1, 7.0];
        let planes = pack(&values, &guess);
        let back = unpack(&planes, &guess).unwrap();
        assert!(back.iter().zip(&values).all(|(a, b)| a.to_bits() == b.to_bits()), "{back:?}");
        assert!(pack(&values, &values).iter().all(|byte| *byte == 0));
        assert_eq!(unpack(&planes[1..], &guess), None);
        assert_eq!(points(&flat(&[DVec3::X, DVec3::Z]).collect::<Vec<_>>()), [DVec3::X, DVec3::Z]);
    }
}
