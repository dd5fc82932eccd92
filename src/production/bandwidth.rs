//! How fast the machine's memory is: what a program that only streams arrays gets of it.

use rayon::prelude::*;
use std::time::Instant;

/// Passes, the best of which counts: what else the machine does makes one slower, nothing makes one faster.
const PASSES: usize = 8;

/// Numbers of a piece that a thread takes at once.
const PIECE: usize = 1 << 16;

/// How many times as large as the last cache each array is, so that nothing of a pass is there in the next.
const CACHES: usize = 4;

/// Bounds of the size of an array [bytes]; the least is also taken where the system does not tell its caches.
const LEAST: usize = 64 << 20;
const MOST: usize = 512 << 20;

/// Bytes that memory moves in a second with the threads that work is shared among: the triad `a = b + s c` of McCalpin's
/// STREAM (1995), two arrays read and one written.
pub fn bandwidth() -> f64 {
    triad(numbers(last_cache()))
}

/// Numbers of an array beside a cache of so many bytes.
fn numbers(cache: Option<usize>) -> usize {
    cache.map_or(LEAST, |bytes| (CACHES * bytes).clamp(LEAST, MOST)) / size_of::<f64>()
}

/// The best of all passes over three arrays of `count` numbers [bytes/s].
fn triad(count: usize) -> f64 {
    let (b, c) = (vec![1.0f64; count], vec![2.0f64; count]);
    let mut a = vec![0.5f64; count];
    let mut least = f64::INFINITY;
    for pass in 0..PASSES {
        let factor = 1.0 + pass as f64;
        let clock = Instant::now();
        let parts = a.par_chunks_mut(PIECE).zip(b.par_chunks(PIECE)).zip(c.par_chunks(PIECE));
        parts.for_each(|((a, b), c)| {
            for ((a, b), c) in a.iter_mut().zip(b).zip(c) {
                *a = b + factor * c;
            }
        });
        least = least.min(clock.elapsed().as_secs_f64());
        // What nobody reads need not be written.
        std::hint::black_box(&a);
    }
    (3 * count * size_of::<f64>()) as f64 / least
}

/// Bytes of the largest cache of the first core, where the system tells it as Linux does.
fn last_cache() -> Option<usize> {
    let size = |index: usize| {
        let path = format!("/sys/devices/system/cpu/cpu0/cache/index{index}/size");
        let text = std::fs::read_to_string(path).ok()?;
        let text = text.trim();
        match text.strip_suffix('K') {
            Some(kilobytes) => Some(kilobytes.parse::<usize>().ok()? << 10),
            None => Some(text.strip_suffix('M')?.parse::<usize>().ok()? << 20),
        }
    };
    (0..8).filter_map(size).max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_are_larger_than_the_cache() {
        assert_eq!(numbers(None) * 8, LEAST);
        assert_eq!(numbers(Some(1 << 20)) * 8, LEAST);
        assert_eq!(numbers(Some(32 << 20)) * 8, 128 << 20);
        assert_eq!(numbers(Some(1 << 30)) * 8, MOST);
    }

    #[test]
    fn a_pass_takes_time() {
        let speed = triad(3 * PIECE + 5);
        assert!(speed.is_finite() && speed > 0.0, "{speed} bytes/s");
    }
}
