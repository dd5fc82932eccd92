//! Loops over fixed chunks, shared among threads where there is enough to do. What a chunk computes
//! and how chunks are joined never depends on the number of threads.

use super::team::{leads, shared_out};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Fewest nodes of a chunk, and most chunks of many nodes: in long ones fewer neighbours are apart.
pub(super) const LEAST: usize = 640;
pub(super) const MOST: usize = 32;

/// Nodes of a chunk of `len`.
pub(crate) fn chunk(len: usize) -> usize {
    len.div_ceil(MOST).max(LEAST)
}

/// Sets `lists` to the numbers of the terms that have a node in each chunk of `count` nodes; `terms` are numbers in
/// ascending order with nodes, of which those from `count` on are in no chunk.
pub(crate) fn terms_by_chunk<'a>(
    count: usize,
    terms: impl Iterator<Item = (u32, &'a [u32])>,
    lists: &mut Vec<Vec<u32>>,
) {
    let share = chunk(count);
    lists.resize(count.div_ceil(share), Vec::new());
    lists.iter_mut().for_each(Vec::clear);
    for (number, nodes) in terms {
        for node in nodes.iter().filter(|i| (**i as usize) < count) {
            let list = &mut lists[*node as usize / share];
            if list.last() != Some(&number) {
                list.push(number);
            }
        }
    }
}

/// Fewer nodes than this are not worth waking another thread, and fewer than that not worth telling one that
/// is awake.
const WORTH_WAKING: usize = 2048;
const WORTH_SHARING: usize = 256;

/// Items of a chunk of [`map`].
const ITEMS: usize = 256;

/// Threads that have something to do beside the first in loops over `len` nodes.
pub(crate) fn helpers(len: usize) -> usize {
    (len / chunk(len)).min(rayon::current_num_threads() - 1)
}

/// Whether loops over `len` nodes are shared.
fn shared(len: usize) -> bool {
    let least = if leads() { WORTH_SHARING } else { WORTH_WAKING };
    len > least && rayon::current_num_threads() > 1
}

/// Calls `work` for each of `parts`, which are worth sharing.
fn share<P: Send>(parts: impl Iterator<Item = P>, work: impl Fn(P) + Sync) {
    let parts: Vec<Mutex<Option<P>>> = parts.map(|part| Mutex::new(Some(part))).collect();
    let piece = |k: usize| work(taken(&parts[k]).take().expect("each part is taken once"));
    if !shared_out(parts.len(), &piece) {
        (0..parts.len()).into_par_iter().for_each(piece);
    }
}

/// What a lock holds, for this thread.
fn taken<T>(part: &Mutex<T>) -> MutexGuard<'_, T> {
    part.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Calls `work(first, chunk)` for each chunk of `out`, and returns the sum of the results in the
/// order of the chunks.
pub(crate) fn each<T: Send>(out: &mut [T], work: impl Fn(usize, &mut [T]) -> f64 + Sync) -> f64 {
    let size = chunk(out.len());
    if shared(out.len()) {
        let mut parts = vec![0.0; out.len().div_ceil(size)];
        let chunks = out.chunks_mut(size).zip(&mut parts).enumerate();
        share(chunks, |(c, (chunk, part))| *part = work(c * size, chunk));
        parts.iter().sum()
    } else {
        out.chunks_mut(size).enumerate().map(|(c, chunk)| work(c * size, chunk)).sum()
    }
}

/// The sum of what `part` makes of each chunk of the numbers below `len`, in their order.
pub(crate) fn sum(len: usize, part: impl Fn(Range<usize>) -> f64 + Sync) -> f64 {
    parts(len, part).iter().sum()
}

/// The largest `value(i)` of the numbers below `len`, or zero.
pub(crate) fn most(len: usize, value: impl Fn(usize) -> f64 + Sync) -> f64 {
    parts(len, |own| own.map(&value).fold(0.0, f64::max)).into_iter().fold(0.0, f64::max)
}

/// Whether `holds` of any of the numbers below `len`; the others are not asked once one is found.
pub(crate) fn any(len: usize, holds: impl Fn(usize) -> bool + Sync) -> bool {
    let found = AtomicBool::new(false);
    parts(len, |mut own| {
        if own.any(|i| found.load(Relaxed) || holds(i)) {
            found.store(true, Relaxed);
        }
        0.0
    });
    found.into_inner()
}

/// What `part` makes of each chunk of the numbers below `len`.
fn parts(len: usize, part: impl Fn(Range<usize>) -> f64 + Sync) -> Vec<f64> {
    let size = chunk(len);
    let mut parts = vec![0.0; len.div_ceil(size)];
    let own = |c: usize| part(c * size..len.min((c + 1) * size));
    if shared(len) {
        share(parts.iter_mut().enumerate(), |(c, sum)| *sum = own(c));
    } else {
        parts.iter_mut().enumerate().for_each(|(c, sum)| *sum = own(c));
    }
    parts
}

/// Calls `work` for each of `parts`, which are worth sharing.
pub(crate) fn for_each<T: Send>(parts: &mut [T], work: impl Fn(&mut T) + Sync + Send) {
    if parts.len() > 1 && rayon::current_num_threads() > 1 {
        share(parts.iter_mut(), work);
    } else {
        parts.iter_mut().for_each(work);
    }
}

/// Calls `work` for each of `parts`, which are of `len` nodes, bodies or contacts together.
pub(crate) fn for_each_of<T: Send>(
    len: usize,
    parts: &mut [T],
    work: impl Fn(&mut T) + Sync + Send,
) {
    if shared(len) {
        for_each(parts, work);
    } else {
        parts.iter_mut().for_each(work);
    }
}

/// Fewer pieces of a few microseconds are done sooner than they are shared.
const FEW: usize = 4;

/// Calls `work` for those of `parts` that `which` names, each of a few microseconds: worth sharing with threads that are
/// awake, but not worth waking one. Each is one thread's at a time.
pub(crate) fn for_each_locked<T: Send>(
    which: &[usize],
    parts: &[Mutex<T>],
    work: impl Fn(&mut T) + Sync,
) {
    let piece = |k: usize| work(&mut taken(&parts[which[k]]));
    if which.len() < FEW || !shared_out(which.len(), &piece) {
        (0..which.len()).for_each(piece);
    }
}

/// Sets `out` to `value(number, item)` for each of `items`, in their order.
pub(crate) fn map<T: Sync, U: Clone + Default + Send>(
    items: &[T],
    out: &mut Vec<U>,
    value: impl Fn(usize, &T) -> U + Sync + Send,
) {
    fill(items.len(), out, |i| value(i, &items[i]));
}

/// Sets `out` to `value(i)` for each number below `len`, in their order.
pub(crate) fn fill<U: Clone + Default + Send>(
    len: usize,
    out: &mut Vec<U>,
    value: impl Fn(usize) -> U + Sync + Send,
) {
    if shared(len) {
        out.resize(len, U::default());
        share(out.chunks_mut(ITEMS).enumerate(), |(c, out)| {
            for (i, out) in (c * ITEMS..).zip(out) {
                *out = value(i);
            }
        });
    } else {
        out.clear();
        out.extend((0..len).map(value));
    }
}

/// `value(i)` for each number below `len`, in their order.
pub(crate) fn list<U: Clone + Default + Send>(
    len: usize,
    value: impl Fn(usize) -> U + Sync + Send,
) -> Vec<U> {
    let mut out = Vec::new();
    fill(len, &mut out, value);
    out
}

/// Makes `out` a copy of `items`.
pub(crate) fn copy<T: Copy + Default + Send + Sync>(items: &[T], out: &mut Vec<T>) {
    fill(items.len(), out, |i| items[i]);
}

/// What `find(number, item)` finds in `items`, in their order.
pub(crate) fn filter_map<T: Sync, U: Send>(
    items: &[T],
    find: impl Fn(usize, &T) -> Option<U> + Sync + Send,
) -> Vec<U> {
    find_in_parts(items, ITEMS, |first, items| {
        (first..).zip(items).filter_map(|(i, item)| find(i, item)).collect()
    })
}

/// Items of a chunk of [`find_sorted`]: runs that are long are put together fast.
const RUN: usize = 4096;

/// What `find(number, item)` finds in `items`, sorted, and of those that are the `same` the first.
pub(crate) fn find_sorted<T: Sync, U: Send + Ord>(
    items: &[T],
    find: impl Fn(usize, &T) -> Option<U> + Sync + Send,
    same: impl Fn(&U, &U) -> bool + Sync,
) -> Vec<U> {
    let mut all = find_in_parts(items, RUN, |first, items| {
        let found = (first..).zip(items).filter_map(|(i, item)| find(i, item));
        let mut found: Vec<U> = found.collect();
        found.sort_unstable();
        found.dedup_by(|a, b| same(a, b));
        found
    });
    // Not `sort_unstable`, which does not see that the parts are sorted.
    all.sort();
    all.dedup_by(|a, b| same(a, b));
    all
}

/// What `find(first, part)` finds in parts of `size` of `items`, in their order.
fn find_in_parts<T: Sync, U: Send>(
    items: &[T],
    size: usize,
    find: impl Fn(usize, &[T]) -> Vec<U> + Sync + Send,
) -> Vec<U> {
    let mut parts = Vec::new();
    parts.resize_with(items.len().div_ceil(size), Vec::new);
    let work = items.chunks(size).zip(&mut parts).enumerate();
    let find = |(c, (items, part)): (usize, (&[T], &mut Vec<U>))| *part = find(c * size, items);
    if shared(items.len()) {
        share(work, find);
    } else {
        work.for_each(find);
    }
    let mut all = Vec::with_capacity(parts.iter().map(Vec::len).sum());
    for part in parts {
        all.extend(part);
    }
    all
}

/// Calls `change` with each of `items` and what belongs to it in `out`.
pub(crate) fn update<T: Sync, U: Send>(
    items: &[T],
    out: &mut [U],
    change: impl Fn(&T, &mut U) + Sync + Send,
) {
    let shared = shared(items.len());
    let chunks = items.chunks(ITEMS).zip(out.chunks_mut(ITEMS));
    let work =
        |(items, out): (&[T], &mut [U])| items.iter().zip(out).for_each(|(t, u)| change(t, u));
    if shared {
        share(chunks, work);
    } else {
        chunks.for_each(work);
    }
}
