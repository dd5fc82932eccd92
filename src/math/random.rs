//! Numbers that look random and are the same ones each time: a linear congruential generator modulo 2^64 (Knuth 1997,
//! 3.2.1 and 3.3.4).

/// A whole number below 2^31, from the high bits of the state after `seed`.
pub(crate) fn next(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    *seed >> 33
}

/// A number from -0.5 to below 0.5.
#[cfg(test)]
pub(crate) fn next_centred(seed: &mut u64) -> f64 {
    next(seed) as f64 / (1u64 << 31) as f64 - 0.5
}

/// Numbers from 0 to below 1.
#[cfg(test)]
pub(crate) fn unit(mut seed: u64) -> impl FnMut() -> f64 {
    move || next(&mut seed) as f64 / (1u64 << 31) as f64
}

/// Numbers from -0.5 to below 0.5.
#[cfg(test)]
pub(crate) fn centred(mut seed: u64) -> impl FnMut() -> f64 {
    move || next_centred(&mut seed)
}
