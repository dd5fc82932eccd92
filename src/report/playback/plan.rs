//! What of a shot goes into a page that may not grow beyond a budget: frames are skipped first, bodies left
//! out last.

/// As few frames are left, or half of a shot that is shorter than twice that, before a body is left out: fewer show no
/// motion. Of a single body they are better than none.
const FEWEST_FRAMES: usize = 12;

/// What a body takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cost {
    /// Number of its surface, which several bodies may share.
    pub(super) surface: usize,
    /// Bytes of each frame.
    pub(super) each: usize,
    /// Whether pictures show it.
    pub(super) visible: bool,
}

/// What goes into the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    /// One frame in so many, from the first on; the last is there in any case.
    pub(super) every: usize,
    /// Whether each body is there.
    pub(super) is_in: Vec<bool>,
}

impl Plan {
    /// As much as fits into `most` bytes of `frames` frames: of `surfaces` the bytes that each takes once.
    ///
    /// What pictures do not show is left out if not all of it fits; then frames are skipped evenly; then the body
    /// that takes most is left out, and again, until the rest fits.
    pub(super) fn new(frames: usize, bodies: &[Cost], surfaces: &[usize], most: usize) -> Self {
        let mut plan = Self { every: 1, is_in: vec![true; bodies.len()] };
        if plan.bytes(frames, bodies, surfaces) <= most {
            return plan;
        }
        plan.is_in = bodies.iter().map(|b| b.visible).collect();
        let enough = frames.div_ceil(2).min(FEWEST_FRAMES);
        let sparsest = (1..=frames).rev().find(|every| kept(frames, *every).count() >= enough);
        loop {
            let alone = plan.is_in.iter().filter(|is_in| **is_in).count() == 1;
            let sparsest = if alone { frames } else { sparsest.unwrap_or(1) };
            let fits = |every: &usize| {
                let plan = Self { every: *every, is_in: plan.is_in.clone() };
                plan.bytes(frames, bodies, surfaces) <= most
            };
            if let Some(every) = (1..=sparsest.max(1)).find(fits) {
                return Self { every, ..plan };
            }
            let largest = |i: &usize| (surfaces[bodies[*i].surface] + bodies[*i].each * enough, *i);
            match (0..bodies.len()).filter(|i| plan.is_in[*i]).max_by_key(largest) {
                Some(body) => plan.is_in[body] = false,
                None => return plan,
            }
        }
    }

    /// Bytes of what is there.
    fn bytes(&self, frames: usize, bodies: &[Cost], surfaces: &[usize]) -> usize {
        let mut is_used = vec![false; surfaces.len()];
        let mut each = 0;
        for body in bodies.iter().zip(&self.is_in).filter(|(_, is_in)| **is_in).map(|(b, _)| b) {
            is_used[body.surface] = true;
            each += body.each;
        }
        let once: usize =
            surfaces.iter().zip(is_used).filter(|(_, used)| *used).map(|(bytes, _)| bytes).sum();
        once + each * kept(frames, self.every).count()
    }
}

/// Of `frames` frames, counted from 0, one in `every` and the last.
pub(super) fn kept(frames: usize, every: usize) -> impl Iterator<Item = usize> {
    (0..frames).filter(move |i| i.is_multiple_of(every) || i + 1 == frames)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHOWN: Cost = Cost { surface: 0, each: 100, visible: true };

    #[test]
    fn frames_are_skipped_before_a_body_is_left_out() {
        let bodies = [SHOWN, Cost { surface: 1, each: 10, ..SHOWN }];
        let surfaces = [1000, 50];
        let plan = |most| Plan::new(240, &bodies, &surfaces, most);
        let all = 1050 + 110 * 240;
        assert_eq!(plan(all), Plan { every: 1, is_in: vec![true, true] });
        // Every second frame, and the last one, which is none of them: 121.
        assert_eq!(plan(all - 1), Plan { every: 2, is_in: vec![true, true] });
        assert_eq!(plan(1050 + 110 * 121), Plan { every: 2, is_in: vec![true, true] });
        assert_eq!(plan(1050 + 110 * 121 - 1).every, 3);
        // As few frames as may be: 0, 22 .. 220 and the last.
        assert_eq!(plan(1050 + 110 * 12), Plan { every: 22, is_in: vec![true, true] });
        // The larger body goes, and with it the need to skip so many.
        assert_eq!(plan(1050 + 110 * 12 - 1), Plan { every: 2, is_in: vec![false, true] });
        assert_eq!(plan(10), Plan { every: 1, is_in: vec![false, false] });
    }

    #[test]
    fn a_single_body_or_a_short_shot_loses_frames_first() {
        let plan = |frames, most| Plan::new(frames, &[SHOWN], &[1000], most);
        // 0, 2 .. 18 and the last.
        assert_eq!(plan(20, 1000 + 100 * 11), Plan { every: 2, is_in: vec![true] });
        assert_eq!(plan(240, 1000 + 100 * 3), Plan { every: 120, is_in: vec![true] });
        assert_eq!(plan(240, 1000 + 100), Plan { every: 1, is_in: vec![false] });
    }

    #[test]
    fn what_pictures_do_not_show_goes_first() {
        let hidden = Cost { surface: 1, each: 1, visible: false };
        let plan = Plan::new(100, &[hidden, SHOWN], &[0, 0], 100 * 100);
        assert_eq!(plan, Plan { every: 1, is_in: vec![false, true] });
    }

    #[test]
    fn a_shared_surface_is_counted_once() {
        let bodies = [Cost { each: 0, ..SHOWN }; 3];
        assert_eq!(Plan::new(5, &bodies, &[500], 500).is_in, [true; 3]);
    }

    #[test]
    fn the_last_frame_is_always_there() {
        assert_eq!(kept(8, 3).collect::<Vec<_>>(), [0, 3, 6, 7]);
        assert_eq!(kept(7, 3).collect::<Vec<_>>(), [0, 3, 6]);
        assert_eq!(kept(1, 5).collect::<Vec<_>>(), [0]);
        assert_eq!(kept(0, 1).count(), 0);
    }
}
