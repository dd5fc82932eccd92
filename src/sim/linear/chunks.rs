//! Loops over fixed chunks, shared among threads where there is enough to do. What a chunk computes
//! and how chunks are joined never depends on the number of threads.

use rayon::prelude::*;

/// Nodes of a chunk.
pub(crate) const CHUNK: usize = 640;

/// Fewer nodes than this are not worth waking another thread.
const WORTH_SHARING: usize = 2048;

fn shared(len: usize) -> bool {
    len > WORTH_SHARING && rayon::current_num_threads() > 1
}

/// Calls `work(first, chunk)` for each chunk of `out`, and returns the sum of the results in the
/// order of the chunks.
pub(crate) fn each<T: Send>(out: &mut [T], work: impl Fn(usize, &mut [T]) -> f64 + Sync) -> f64 {
    if shared(out.len()) {
        let parts: Vec<f64> = out
            .par_chunks_mut(CHUNK)
            .enumerate()
            .map(|(c, chunk)| work(c * CHUNK, chunk))
            .collect();
        parts.iter().sum()
    } else {
        out.chunks_mut(CHUNK).enumerate().map(|(c, chunk)| work(c * CHUNK, chunk)).sum()
    }
}

/// Calls `work` for each of `parts`, which are worth sharing.
pub(crate) fn for_each<T: Send>(parts: &mut [T], work: impl Fn(&mut T) + Sync + Send) {
    if parts.len() > 1 && rayon::current_num_threads() > 1 {
        parts.par_iter_mut().for_each(work);
    } else {
        parts.iter_mut().for_each(work);
    }
}

/// Sets `out` to `value(number, item)` for each of `items`, in their order.
pub(crate) fn map<T: Sync, U: Send>(
    items: &[T],
    out: &mut Vec<U>,
    value: impl Fn(usize, &T) -> U + Sync + Send,
) {
    if shared(items.len()) {
        let numbered = items.par_iter().with_min_len(CHUNK).enumerate();
        numbered.map(|(i, item)| value(i, item)).collect_into_vec(out);
    } else {
        out.clear();
        out.extend(items.iter().enumerate().map(|(i, item)| value(i, item)));
    }
}

/// Like [`each`] for three slices of one length.
pub(crate) fn each3<A: Send, B: Send, C: Send>(
    a: &mut [A],
    b: &mut [B],
    c: &mut [C],
    work: impl Fn(usize, &mut [A], &mut [B], &mut [C]) + Sync,
) {
    if shared(a.len()) {
        a.par_chunks_mut(CHUNK)
            .zip(b.par_chunks_mut(CHUNK))
            .zip(c.par_chunks_mut(CHUNK))
            .enumerate()
            .for_each(|(i, ((a, b), c))| work(i * CHUNK, a, b, c));
    } else {
        let parts = a.chunks_mut(CHUNK).zip(b.chunks_mut(CHUNK)).zip(c.chunks_mut(CHUNK));
        for (i, ((a, b), c)) in parts.enumerate() {
            work(i * CHUNK, a, b, c);
        }
    }
}
