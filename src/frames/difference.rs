//! The difference between two scenes: from when on they can move differently.

use crate::math::{Curve, CurveValue};
use crate::scene::{
    BodyKind, Constraint, ConstraintKind, Force, ForceKind, MappedCurve, Move, Scene,
};

/// The script time up to which shots of `old` and `new` are surely the same [s]; none if they may
/// differ from the start. Infinite if nothing differs.
///
/// Only what changes at a time is looked into: curves, moves, beginnings and ends. Anything else
/// that differs counts from the start.
pub fn first_change(old: &Scene, new: &Scene) -> Option<f64> {
    let mut old = old.clone();
    let mut at = f64::INFINITY;
    let fps = (old.timing.fps, old.timing.start_frame);
    if fps != (new.timing.fps, new.timing.start_frame) || old.timing.speed != new.timing.speed {
        return None;
    }
    at = at.min(curve(&mut old.gravity, &new.gravity)?);
    for (a, b) in old.bodies.iter_mut().zip(&new.bodies) {
        at = at.min(curve(&mut a.translate, &b.translate)?).min(curve(&mut a.rotate, &b.rotate)?);
        at = at.min(moment(&mut a.appears, b.appears, f64::NEG_INFINITY));
        at = at.min(moment(&mut a.disappears, b.disappears, f64::INFINITY));
        if let (Some(x), Some(y)) = (&mut a.clip, &b.clip) {
            at = at.min(x.same_until(y)?);
            x.clone_from(y);
        }
        if let (BodyKind::Cloth(a), BodyKind::Cloth(b)) = (&mut a.kind, &b.kind) {
            at = at.min(mapped(&mut a.shrink, &b.shrink)?);
            if let (Some(x), Some(y)) = (&mut a.pressure, &b.pressure) {
                at = at.min(curve(&mut x.pressure, &y.pressure)?);
            }
        }
        if let (BodyKind::Soft(a), BodyKind::Soft(b)) = (&mut a.kind, &b.kind)
            && let (Some(x), Some(y)) = (&mut a.pressure, &b.pressure)
        {
            at = at.min(curve(&mut x.pressure, &y.pressure)?);
        }
    }
    for (a, b) in old.constraints.iter_mut().zip(&new.constraints) {
        at = at.min(constraint(a, b)?);
    }
    for (a, b) in old.forces.iter_mut().zip(&new.forces) {
        at = at.min(force(a, b)?);
    }
    for (a, b) in old.contact_pairs.iter_mut().zip(&new.contact_pairs) {
        at = at.min(moment(&mut a.starts, b.starts, f64::NEG_INFINITY));
        at = at.min(moment(&mut a.ends, b.ends, f64::INFINITY));
    }
    // What could be told apart by time is equal now; the rest has to be equal by itself.
    (old == *new && at > f64::NEG_INFINITY).then_some(at)
}

fn constraint(a: &mut Constraint, b: &Constraint) -> Option<f64> {
    let mut at = moment(&mut a.starts, b.starts, f64::NEG_INFINITY);
    at = at.min(moment(&mut a.ends, b.ends, f64::INFINITY));
    if let (Some(x), Some(y)) = (&mut a.stiffness, &b.stiffness) {
        at = at.min(mapped(x, y)?);
    }
    if let (ConstraintKind::Pin { motion: x, .. }, ConstraintKind::Pin { motion: y, .. }) =
        (&mut a.kind, &b.kind)
    {
        at = at.min(curve(&mut x.translate, &y.translate)?);
        at = at.min(curve(&mut x.rotate, &y.rotate)?);
        at = at.min(curve(&mut x.scale, &y.scale)?);
        // Moves apply one after the other, and each does nothing before it starts.
        for i in 0..x.moves.len().max(y.moves.len()) {
            let (p, q) = (x.moves.get(i), y.moves.get(i));
            if p != q {
                let start = |m: Option<&Move>| m.map_or(f64::INFINITY, starts);
                at = at.min(start(p)).min(start(q));
            }
        }
        x.moves.clone_from(&y.moves);
    }
    Some(at)
}

fn starts(step: &Move) -> f64 {
    match step {
        Move::Translate { starts, .. }
        | Move::Rotate { starts, .. }
        | Move::Scale { starts, .. }
        | Move::Follow { starts, .. } => *starts,
    }
}

fn force(a: &mut Force, b: &Force) -> Option<f64> {
    let mut at = moment(&mut a.starts, b.starts, f64::NEG_INFINITY);
    at = at.min(moment(&mut a.ends, b.ends, f64::INFINITY));
    match (&mut a.kind, &b.kind) {
        (ForceKind::Wind { velocity: x, .. }, ForceKind::Wind { velocity: y, .. })
        | (ForceKind::Uniform { vector: x, .. }, ForceKind::Uniform { vector: y, .. }) => {
            at = at.min(curve(x, y)?);
        }
        (
            ForceKind::Vortex { center: x, strength: p, .. },
            ForceKind::Vortex { center: y, strength: q, .. },
        )
        | (
            ForceKind::Attractor { center: x, strength: p, .. },
            ForceKind::Attractor { center: y, strength: q, .. },
        ) => at = at.min(curve(x, y)?).min(curve(p, q)?),
        _ => {}
    }
    Some(at)
}

/// The earlier of two moments that differ; a moment that is left out is `absent`.
fn moment(a: &mut Option<f64>, b: Option<f64>, absent: f64) -> f64 {
    let old = std::mem::replace(a, b);
    if old == b {
        return f64::INFINITY;
    }
    old.unwrap_or(absent).min(b.unwrap_or(absent))
}

/// The time up to which two curves have the same values; none if they may differ from the start.
/// Makes `a` equal to `b`.
fn curve<T: CurveValue>(a: &mut Curve<T>, b: &Curve<T>) -> Option<f64> {
    if a == b {
        return Some(f64::INFINITY);
    }
    let at = match (&*a, b) {
        (Curve::Keys { keys: x, looped: false }, Curve::Keys { keys: y, looped: false }) => {
            let same = x.iter().zip(y).take_while(|(p, q)| p == q).count();
            // The tangent at a key leans on both of its neighbours: the span before the last
            // equal key may already have changed.
            x.get(same.checked_sub(2)?)?.time
        }
        (
            Curve::Samples { rate: r, start: s, values: x },
            Curve::Samples { rate: q, start: t, values: y },
        ) if r == q && s == t => {
            let same = x.iter().zip(y).take_while(|(p, q)| p == q).count();
            s + (same.checked_sub(1)? as f64) / r
        }
        _ => return None,
    };
    *a = b.clone();
    Some(at)
}

/// As [`curve`], for a value that may differ from vertex to vertex.
fn mapped(a: &mut MappedCurve, b: &MappedCurve) -> Option<f64> {
    match (&mut *a, b) {
        (MappedCurve::Uniform(x), MappedCurve::Uniform(y)) => curve(x, y),
        (
            MappedCurve::Moving { rate: r, start: s, samples: x },
            MappedCurve::Moving { rate: q, start: t, samples: y },
        ) if r == q && s == t && x != y => {
            let same = x.iter().zip(y.iter()).take_while(|(p, q)| p == q).count();
            let at = *s + (same.checked_sub(1)? as f64) / *r;
            *a = b.clone();
            Some(at)
        }
        (x, y) => (*x == *y).then_some(f64::INFINITY),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Ease, Key};

    fn keys(values: &[f64]) -> Curve<f64> {
        let key = |(i, v): (usize, &f64)| Key { time: i as f64, value: *v, ease: Ease::Auto };
        Curve::Keys { keys: values.iter().enumerate().map(key).collect(), looped: false }
    }

    #[test]
    fn curves_are_equal_up_to_the_time_that_is_told() {
        let pairs = [
            (keys(&[0.0, 1.0, 4.0, 2.0, 5.0]), keys(&[0.0, 1.0, 4.0, 2.0, -5.0])),
            (keys(&[0.0, 1.0, 4.0, 2.0, 5.0]), keys(&[0.0, 1.0, 4.0])),
            (keys(&[0.0, 0.0, 0.0, 2.0]), keys(&[0.0, 0.0, 0.0, 2.0, 9.0])),
        ];
        for (old, new) in pairs {
            let mut changed = old.clone();
            let at = curve(&mut changed, &new).unwrap();
            assert!(at > 0.0, "{at}");
            assert_eq!(changed, new);
            for i in 0..=100 {
                let t = at * f64::from(i) / 100.0;
                assert_eq!(old.at(t), new.at(t), "at {t} of {at}");
            }
        }
        let samples =
            |values: &[f64]| Curve::Samples { rate: 10.0, start: 0.0, values: values.to_vec() };
        let at = curve(&mut samples(&[0.0, 1.0, 2.0, 3.0]), &samples(&[0.0, 1.0, 2.0, 4.0]));
        assert_eq!(at, Some(0.2));
        let longer = curve(&mut samples(&[0.0, 1.0]), &samples(&[0.0, 1.0, 2.0]));
        assert_eq!(longer, Some(0.1));
        assert_eq!(curve(&mut keys(&[1.0]), &keys(&[2.0])), None);
        assert_eq!(curve(&mut Curve::Constant(1.0), &Curve::Constant(2.0)), None);
    }

    #[test]
    fn a_moment_that_is_left_out_is_always_or_never() {
        assert_eq!(moment(&mut Some(2.0), Some(3.0), f64::INFINITY), 2.0);
        assert_eq!(moment(&mut None, Some(3.0), f64::INFINITY), 3.0);
        assert_eq!(moment(&mut None, Some(3.0), f64::NEG_INFINITY), f64::NEG_INFINITY);
        assert_eq!(moment(&mut Some(2.0), Some(2.0), f64::INFINITY), f64::INFINITY);
    }
}
