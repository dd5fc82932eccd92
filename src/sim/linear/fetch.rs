//! Asking memory for what will be read soon.

// Processors are asked for it by address, which safe Rust has no words for.
#![allow(unsafe_code)]

/// What is asked for at once, in cache lines of 16 numbers: the blocks of a row of seven.
#[cfg(target_arch = "x86_64")]
const LINES: usize = 4;

/// Asks for `numbers` from `first` on, as many as a row of a sheet has; says nothing about what is there.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn fetch(numbers: &[f32], first: usize) {
    use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    for line in 0..LINES {
        let at = numbers.as_ptr().wrapping_add(first + 16 * line);
        // SAFETY: a hint, which reads nothing and may be given any address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(at.cast()) };
    }
}

/// Other processors are left to see by themselves.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub(crate) fn fetch(_numbers: &[f32], _first: usize) {}
