//! The queue between the simulation and the disk: bounded in entries and in bytes.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Entries that may wait: the look-ahead of Galante 2009, enough to ride over a slow disk for seconds.
pub(super) const LONGEST: usize = 100;

/// Bytes that may wait, but for a single entry that is larger.
const LARGEST: usize = 256 << 20;

/// The sending end; dropping it ends what the receiving end reads.
pub(super) struct Sender<T>(Arc<Shared<T>>);

/// The receiving end; dropping it makes sending fail.
pub(super) struct Receiver<T>(Arc<Shared<T>>);

/// The other end is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Gone;

struct Shared<T> {
    inner: Mutex<Inner<T>>,
    changed: Condvar,
}

struct Inner<T> {
    waiting: VecDeque<(T, usize)>,
    bytes: usize,
    sender_gone: bool,
    receiver_gone: bool,
}

/// Both ends of a queue.
pub(super) fn queue<T>() -> (Sender<T>, Receiver<T>) {
    let inner =
        Inner { waiting: VecDeque::new(), bytes: 0, sender_gone: false, receiver_gone: false };
    let shared = Arc::new(Shared { inner: Mutex::new(inner), changed: Condvar::new() });
    (Sender(Arc::clone(&shared)), Receiver(shared))
}

impl<T> Shared<T> {
    fn lock(&self) -> MutexGuard<'_, Inner<T>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, inner: MutexGuard<'a, Inner<T>>) -> MutexGuard<'a, Inner<T>> {
        self.changed.wait(inner).unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Sender<T> {
    /// Appends an entry of so many bytes, waiting while the queue is full; tells how many entries
    /// were waiting before it.
    pub(super) fn send(&self, entry: T, bytes: usize) -> Result<usize, Gone> {
        let mut inner = self.0.lock();
        loop {
            if inner.receiver_gone {
                return Err(Gone);
            }
            let ahead = inner.waiting.len();
            if ahead == 0 || (ahead < LONGEST && inner.bytes + bytes <= LARGEST) {
                inner.waiting.push_back((entry, bytes));
                inner.bytes += bytes;
                self.0.changed.notify_all();
                return Ok(ahead);
            }
            inner = self.0.wait(inner);
        }
    }
}

impl<T> Receiver<T> {
    /// The next entry, waiting for it; none when the sender is gone and all is read.
    pub(super) fn next(&self) -> Option<T> {
        let mut inner = self.0.lock();
        loop {
            if let Some((entry, bytes)) = inner.waiting.pop_front() {
                inner.bytes -= bytes;
                self.0.changed.notify_all();
                return Some(entry);
            }
            if inner.sender_gone {
                return None;
            }
            inner = self.0.wait(inner);
        }
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        self.0.lock().sender_gone = true;
        self.0.changed.notify_all();
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        self.0.lock().receiver_gone = true;
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neither_end_waits_while_there_is_room() {
        let (sender, receiver) = queue();
        for i in 0..LONGEST {
            assert_eq!(sender.send(i, 10), Ok(i));
        }
        assert_eq!(receiver.next(), Some(0));
        assert_eq!(sender.send(100, 10), Ok(LONGEST - 1));
        drop(sender);
        assert_eq!(std::iter::from_fn(|| receiver.next()).count(), LONGEST);
    }

    #[test]
    fn a_full_queue_holds_the_sender_back() {
        // By number, and by bytes: an entry that is too large by itself goes alone.
        for (bytes, room) in [(0, LONGEST), (LARGEST / 2, 2), (2 * LARGEST, 1)] {
            let (sender, receiver) = queue();
            std::thread::scope(|scope| {
                scope.spawn(move || {
                    for i in 0..2 * room {
                        assert!(sender.send(i, bytes).is_ok());
                    }
                });
                let got: Vec<usize> = std::iter::from_fn(|| {
                    let waiting = receiver.0.lock().waiting.len();
                    assert!(waiting <= room, "{waiting} of {room}");
                    receiver.next()
                })
                .collect();
                assert_eq!(got, (0..2 * room).collect::<Vec<_>>());
            });
        }
    }

    #[test]
    fn a_sender_learns_that_nobody_reads() {
        let (sender, receiver) = queue();
        drop(receiver);
        assert_eq!(sender.send(1, 0), Err(Gone));
    }
}
