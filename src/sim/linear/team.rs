//! Threads that help the one that advances a shot. They stay awake from loop to loop: a loop of a substep
//! takes tens of microseconds, and a sleeping thread takes as long to wake.
//!
//! What is shared out is numbered pieces of work. Who does which piece is nobody's business: no result may
//! depend on it.

// Loops borrow what they work on for less long than a thread lives, which safe Rust cannot tell.
#![allow(unsafe_code)]

use std::cell::{RefCell, UnsafeCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

thread_local! {
    /// The team that this thread leads, while none of its loops is going on.
    static LED: RefCell<Option<Arc<Team>>> = const { RefCell::new(None) };
}

/// Runs `work` on this thread, with up to `helpers` others that take part in the loops in it.
pub(crate) fn together<R>(helpers: usize, work: impl FnOnce() -> R) -> R {
    if helpers == 0 {
        return work();
    }
    let team = Arc::new(Team::new(helpers));
    std::thread::scope(|scope| {
        let _end = End(&team);
        for number in 1..=helpers {
            let team = Arc::clone(&team);
            // Where the system has no more threads to give, fewer help.
            let _ = std::thread::Builder::new().spawn_scoped(scope, move || team.help(number));
        }
        LED.set(Some(Arc::clone(&team)));
        work()
    })
}

/// Calls `work` once for each number below `count` and returns true, if this thread leads a team; else returns
/// false. A loop within a loop is not shared.
pub(super) fn shared_out(count: usize, work: &(dyn Fn(usize) + Sync)) -> bool {
    let Some(team) = LED.take() else { return false };
    let led = Led(team);
    led.0.run(count, work);
    true
}

/// Whether this thread leads a team.
pub(super) fn leads() -> bool {
    LED.with_borrow(Option::is_some)
}

/// Gives a team back to its thread.
struct Led(Arc<Team>);

impl Drop for Led {
    fn drop(&mut self) {
        LED.set(Some(Arc::clone(&self.0)));
    }
}

/// Sends the helpers home.
struct End<'a>(&'a Team);

impl Drop for End<'_> {
    fn drop(&mut self) {
        LED.set(None);
        self.0.over.store(true, Ordering::Release);
    }
}

type Work = &'static (dyn Fn(usize) + Sync);

/// See the module.
struct Team {
    /// Whether helpers may come in (bit 0), how many are in (the 15 bits above), and the number of the loop.
    gate: AtomicU64,
    /// The loop that is going on. Written by the leader while the gate is closed and nobody is in, read by
    /// those who are in.
    task: UnsafeCell<Option<(Work, usize)>>,
    /// The next piece of each member's share of it, the leader's first.
    next: Vec<Next>,
    over: AtomicBool,
    panicked: AtomicBool,
}

// SAFETY: `task` is the only part that is not so by itself; the gate keeps writer and readers apart.
unsafe impl Sync for Team {}

/// A number that has its cache lines to itself: it changes while others look at what is beside it.
#[derive(Default)]
#[repr(align(128))]
struct Next(AtomicUsize);

const OPEN: u64 = 1;
const ONE_INSIDE: u64 = 2;
const INSIDE: u64 = 0xfffe;
const LOOP: u32 = 16;

/// Looks at the gate before a helper lets other programs have the processor: some tens of microseconds.
const LOOKS: u32 = 1000;

impl Team {
    fn new(helpers: usize) -> Self {
        Self {
            gate: AtomicU64::new(0),
            task: UnsafeCell::new(None),
            next: (0..=helpers).map(|_| Next::default()).collect(),
            over: AtomicBool::new(false),
            panicked: AtomicBool::new(false),
        }
    }

    /// Where the share of member `number` of `count` pieces begins: the same in all loops over as many pieces, so
    /// that what a member works on is still in its cache.
    fn begin_of_share(&self, number: usize, count: usize) -> usize {
        count * number / self.next.len()
    }

    /// Does all pieces of `work` with whoever comes to help; returns when all are done.
    fn run(&self, count: usize, work: &(dyn Fn(usize) + Sync)) {
        // SAFETY: only lifetimes differ. Helpers use the reference between coming in and going out, and
        // `Closed` waits until all are out before this function is left in any way.
        let work = unsafe { std::mem::transmute::<&(dyn Fn(usize) + Sync), Work>(work) };
        // SAFETY: the gate is closed and nobody is in: this is the only reference.
        unsafe { *self.task.get() = Some((work, count)) };
        for (k, next) in self.next.iter().enumerate() {
            next.0.store(self.begin_of_share(k, count), Ordering::Relaxed);
        }
        let number = (self.gate.load(Ordering::Relaxed) >> LOOP) + 1;
        self.gate.store(number << LOOP | OPEN, Ordering::Release);
        let closed = Closed(self);
        self.take_part(0);
        drop(closed);
        assert!(!self.panicked.load(Ordering::Relaxed), "a helping thread has panicked");
    }

    /// Does pieces of the loop that is going on until none is left: those of member `number`'s own share, then
    /// those of the next ones'. For those who are in, and the leader.
    fn take_part(&self, number: usize) {
        // SAFETY: nobody writes while the gate is open or anybody is in.
        let Some((work, count)) = (unsafe { *self.task.get() }) else { return };
        let members = self.next.len();
        for owner in (number..members).chain(0..number) {
            let end = self.begin_of_share(owner + 1, count);
            loop {
                let piece = self.next[owner].0.fetch_add(1, Ordering::Relaxed);
                if piece >= end {
                    break;
                }
                work(piece);
            }
        }
    }

    /// Takes part in all loops as number `member` until the leader is done.
    fn help(&self, member: usize) {
        let (mut last, mut looks) = (0, 0);
        while !self.over.load(Ordering::Acquire) {
            let gate = self.gate.load(Ordering::Relaxed);
            let number = gate >> LOOP;
            if gate & OPEN == 0 || number == last {
                looks += 1;
                if looks < LOOKS {
                    std::hint::spin_loop();
                } else {
                    std::thread::yield_now();
                }
                continue;
            }
            let inside = gate + ONE_INSIDE;
            let (yes, no) = (Ordering::Acquire, Ordering::Relaxed);
            if self.gate.compare_exchange(gate, inside, yes, no).is_err() {
                continue;
            }
            (last, looks) = (number, 0);
            if catch_unwind(AssertUnwindSafe(|| self.take_part(member))).is_err() {
                self.panicked.store(true, Ordering::Relaxed);
            }
            self.gate.fetch_sub(ONE_INSIDE, Ordering::Release);
        }
    }
}

/// Closes the gate and waits until all are out, however the loop ends.
struct Closed<'a>(&'a Team);

impl Drop for Closed<'_> {
    fn drop(&mut self) {
        self.0.gate.fetch_and(!OPEN, Ordering::Relaxed);
        let mut looks = 0;
        while self.0.gate.load(Ordering::Acquire) & INSIDE != 0 {
            looks += 1;
            if looks < LOOKS {
                std::hint::spin_loop();
            } else {
                std::thread::yield_now();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_piece_is_done_once_and_loops_within_loops_alone() {
        let inner = AtomicUsize::new(0);
        together(3, || {
            for count in 0..2000 {
                let count = count % 17;
                let done: Vec<AtomicUsize> = (0..count).map(|_| AtomicUsize::new(0)).collect();
                assert!(shared_out(count, &|k| {
                    done[k].fetch_add(1, Ordering::Relaxed);
                    if !shared_out(2, &|_| ()) {
                        inner.fetch_add(1, Ordering::Relaxed);
                    }
                }));
                assert!(done.iter().all(|n| n.load(Ordering::Relaxed) == 1));
            }
        });
        assert!(inner.load(Ordering::Relaxed) > 0);
        assert!(!shared_out(1, &|_| ()), "the team is dissolved");
    }

    #[test]
    fn a_panic_in_a_piece_reaches_the_leader_and_ends_the_team() {
        let result = catch_unwind(|| {
            together(2, || {
                for _ in 0..100 {
                    shared_out(64, &|k| {
                        std::thread::yield_now();
                        assert!(k != 13, "piece 13");
                    });
                }
            });
        });
        assert!(result.is_err());
        assert!(!leads());
    }
}
