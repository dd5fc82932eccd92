//! How far a frame that takes long has come. It goes by the clock, and by nothing of it does a result go.

use super::capture::{body_name, reason};
use super::progress::{Listener, Message};
use crate::scene::Scene;
use crate::sim::Reached;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A frame is made in silence for so long, and it is so long at least from one word to the next.
const PAUSE: Duration = Duration::from_millis(500);

/// Tells the listener about one frame.
pub(super) struct Heartbeat<'a> {
    scene: &'a Scene,
    listener: &'a dyn Listener,
    /// Number of the frame.
    frame: i32,
    /// The last frame that is made.
    last: i32,
    /// Script time where its making begins, and where the frame is [s].
    span: [f64; 2],
    began: Instant,
    /// Milliseconds since it began before which nothing more is told.
    silent_until: AtomicU64,
}

impl<'a> Heartbeat<'a> {
    /// For the making of frame `frame` of `last`, which begins at script time `from` [s], now.
    pub(super) fn new(
        scene: &'a Scene,
        listener: &'a dyn Listener,
        (frame, last): (i32, i32),
        from: f64,
    ) -> Self {
        Self {
            scene,
            listener,
            frame,
            last,
            span: [from, scene.timing.script_time(frame)],
            began: Instant::now(),
            silent_until: AtomicU64::new(PAUSE.as_millis() as u64),
        }
    }

    /// Takes how far a region came, and tells it unless something has just been told.
    pub(super) fn hear(&self, reached: Reached) {
        let now = self.began.elapsed().as_millis() as u64;
        let at = self.silent_until.load(Ordering::Relaxed);
        let next = now + PAUSE.as_millis() as u64;
        let order = Ordering::Relaxed;
        if now < at || self.silent_until.compare_exchange(at, next, order, order).is_err() {
            return;
        }
        let [from, to] = self.span;
        let retake = reached
            .last_retake
            .map(|(why, between)| (reason(why), between.map(|body| body_name(self.scene, body))));
        self.listener.hear(Message::Within {
            frame: self.frame,
            last: self.last,
            time: reached.time,
            part: ((reached.time - from) / (to - from)).clamp(0.0, 1.0),
            step: reached.step,
            retakes: reached.retakes,
            retake,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frames::RetakeReason;
    use crate::math::Curve;
    use crate::scene::Timing;
    use crate::sim::StepRetakeReason;
    use glam::DVec3;
    use std::sync::Mutex;

    struct Ears(Mutex<Vec<Message>>);

    impl Listener for Ears {
        fn hear(&self, message: Message) {
            self.0.lock().unwrap().push(message);
        }
    }

    #[test]
    fn tells_of_a_frame_that_takes_long_and_not_too_often() {
        let scene = Scene::new("long".into(), Timing::plain(9), Curve::Constant(DVec3::ZERO), 0);
        let ears = Ears(Mutex::default());
        let (from, to) = (scene.timing.script_time(1), scene.timing.script_time(2));
        let heartbeat = Heartbeat::new(&scene, &ears, (2, 9), from);
        let reached = Reached {
            time: 0.75 * from + 0.25 * to,
            step: 1e-3,
            retakes: 2,
            last_retake: Some((StepRetakeReason::Crossed, [0, 0])),
        };
        heartbeat.hear(reached);
        assert!(ears.0.lock().unwrap().is_empty());
        std::thread::sleep(PAUSE);
        heartbeat.hear(reached);
        heartbeat.hear(reached);
        let heard = ears.0.into_inner().unwrap();
        let [Message::Within { frame: 2, last: 9, part, retakes: 2, retake, .. }] = &heard[..]
        else {
            panic!("{heard:?}")
        };
        assert!((part - 0.25).abs() < 1e-9);
        assert_eq!(retake.as_ref().map(|(why, _)| *why), Some(RetakeReason::Crossed));
    }
}
