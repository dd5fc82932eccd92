//! Whether this processor has what the program was built for: without it, it would be stopped in the middle of
//! something, with no word of why.

/// What the program was built for and this processor lacks.
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
pub(super) fn lacks() -> Option<&'static str> {
    use std::arch::x86_64::{__cpuid, __cpuid_count};
    // The standard library's question is answered while it is built. Leaf 7 has what is asked for in its second
    // register (Intel, Software Developer's Manual, volume 2, CPUID).
    const EXTENDED: u32 = 7;
    const AVX2: u32 = 1 << 5;
    let has = __cpuid(0).eax >= EXTENDED && __cpuid_count(EXTENDED, 0).ebx & AVX2 != 0;
    (!has).then_some("AVX2")
}

/// What the program was built for and this processor lacks: nothing, since it was built for all of its kind.
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
pub(super) fn lacks() -> Option<&'static str> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests that got here run on a processor that the program was built for.
    #[test]
    fn what_runs_here_was_built_for_here() {
        assert_eq!(lacks(), None);
    }
}
