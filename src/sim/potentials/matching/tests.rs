use super::*;
use crate::math::rotation;

fn settings(mode: MatchingMode, give: f64) -> ShapeMatching {
    ShapeMatching {
        stiffness: 0.8,
        mode,
        give,
        density: crate::scene::VertexMap::Uniform(1000.0),
        plastic: None,
    }
}

fn cloud() -> Vec<DVec3> {
    (0..14u32)
        .map(|i| {
            let at = |m: u32| f64::from(i * i * m % 23) / 11.0 - 1.0;
            DVec3::new(at(3), 0.6 * at(5), 0.4 * at(7) + 0.1 * at(11))
        })
        .collect()
}

fn masses(count: usize) -> Vec<f64> {
    (0..count).map(|i| 0.5 + 0.2 * (i % 4) as f64).collect()
}

fn turn() -> DMat3 {
    DMat3::from_quat(rotation::from_axis_angle(DVec3::new(2.0, -1.0, 2.0) / 3.0, 2.2))
}

fn body(rest: &[DVec3], mode: MatchingMode, give: f64) -> Matching {
    Matching::new(0, 0, masses(rest.len()), rest, &settings(mode, give))
}

fn far(a: &DMat3, b: &DMat3) -> f64 {
    let d = *a - *b;
    d.x_axis.length() + d.y_axis.length() + d.z_axis.length()
}

/// Of a set that is turned and sheared by A, the linear fit is A itself (Apq Aqq of the paper), and the
/// rotation that of its polar decomposition.
#[test]
fn the_fit_to_a_sheared_set_is_the_closed_form() {
    let rest = cloud();
    let shear = DMat3::from_cols_array(&[1.2, 0.1, 0.0, 0.4, 0.9, -0.2, 0.0, 0.3, 1.1]);
    let a = turn() * shear;
    let x: Vec<DVec3> = rest.iter().map(|q| a * *q + DVec3::new(3.0, -2.0, 1.0)).collect();
    let matching = body(&rest, MatchingMode::Linear, 0.9);
    assert!(far(&matching.deformation(&x), &a) < 1e-12);
    let fit = matching.fit(&x, &DMat3::IDENTITY);
    for (i, p) in x.iter().enumerate() {
        assert!(matching.space.at(&fit.coefficients, i).distance(*p) < 1e-12);
    }
    // R minimises over rotations: R^T Apq is symmetric and positive.
    let (there, _) = matching.moments_of(&x, fit.center);
    let s = fit.turn.transpose() * there;
    assert!(far(&s, &s.transpose()) < 1e-10 * libm::cbrt(s.determinant()));
    assert!(eigen(&s).0.min_element() > 0.0);
}

/// The goals of a body that has only moved are where its points are, even where they lie in a plane, on a
/// line or in one place, and no set makes a number that is none; a mirrored one gets a rotation all the same.
#[test]
fn flat_collinear_and_inverted_sets_have_goals() {
    let flat: Vec<DVec3> = cloud().iter().map(|q| DVec3::new(q.x, q.y, 0.0)).collect();
    let line: Vec<DVec3> = cloud().iter().map(|q| DVec3::ONE * q.x).collect();
    let point = vec![DVec3::ONE; 5];
    for rest in [cloud(), flat, line, point] {
        for mode in [MatchingMode::Rigid, MatchingMode::Linear, MatchingMode::Quadratic] {
            let matching = body(&rest, mode, 0.5);
            let x: Vec<DVec3> = rest.iter().map(|q| turn() * *q + DVec3::X).collect();
            let fit = matching.fit(&x, &DMat3::IDENTITY);
            for (i, p) in x.iter().enumerate() {
                let goal = matching.goal(&fit, &DMat3::IDENTITY, i);
                assert!(goal.distance(*p) < 1e-9, "{goal} {p}");
            }
            assert!(matching.deformation(&x).is_finite());
            let mirrored: Vec<DVec3> = x.iter().map(|p| DVec3::new(-p.x, p.y, p.z)).collect();
            let fit = matching.fit(&mirrored, &DMat3::IDENTITY);
            assert!((fit.turn.determinant() - 1.0).abs() < 1e-12);
            assert!(far(&(fit.turn.transpose() * fit.turn), &DMat3::IDENTITY) < 1e-12);
            let shared =
                matching.shared(&x, &DMat3::IDENTITY, &vec![1.0; x.len()], &vec![false; x.len()]);
            assert!(shared.turns.iter().flatten().all(|t| t.is_finite()));
        }
    }
}

/// Gradients are those of the energy, sum to zero and have no moment; the second derivative in Gauss and
/// Newton's form is exact at rest, where it tells free motions from others.
#[test]
fn forces_are_the_gradient_and_keep_both_momenta() {
    let rest = cloud();
    let plastic = DMat3::from_diagonal(DVec3::new(1.25, 1.0, 0.8));
    for mode in [MatchingMode::Rigid, MatchingMode::Linear, MatchingMode::Quadratic] {
        let matching = body(&rest, mode, 0.6);
        let mut x: Vec<DVec3> = rest
            .iter()
            .map(|q| turn() * (*q + DVec3::new(0.2 * q.y, 0.1 * q.x * q.z, 0.3 * q.x * q.x)))
            .collect();
        let mut gradient = vec![DVec3::ZERO; x.len()];
        matching.add(&x, &plastic, &mut gradient);
        let size: f64 = gradient.iter().map(|g| g.length()).sum();
        let sum: DVec3 = gradient.iter().sum();
        let moment: DVec3 = x.iter().zip(&gradient).map(|(x, g)| x.cross(*g)).sum();
        assert!(sum.length() < 1e-12 * size && moment.length() < 1e-11 * size, "{sum} {moment}");
        for i in [0, 3, 8] {
            for k in 0..3 {
                let mut energy_at = |by: f64| {
                    x[i][k] += by;
                    let energy = matching.elastic_energy(&x, &plastic);
                    x[i][k] -= by;
                    energy
                };
                let slope = (energy_at(1e-5) - energy_at(-1e-5)) / 2e-5;
                assert!((slope - gradient[i][k]).abs() < 1e-6 * size, "{slope} {}", gradient[i][k]);
            }
        }
        // At rest: differences of gradients.
        let none = DMat3::IDENTITY;
        let shared =
            matching.shared(&rest, &none, &vec![1.0; rest.len()], &vec![false; rest.len()]);
        let p: Vec<DVec3> = rest.iter().map(|q| DVec3::new(q.y + 0.1, q.x * q.z, -q.x)).collect();
        let at = |by: f64| {
            let x: Vec<DVec3> = rest.iter().zip(&p).map(|(q, p)| *q + *p * by).collect();
            let mut gradient = vec![DVec3::ZERO; x.len()];
            matching.add(&x, &none, &mut gradient);
            gradient
        };
        let mut product: Vec<DVec3> =
            matching.stiffnesses().zip(&p).map(|((_, k), p)| *p * k).collect();
        shared.taken_off(|i| p[i], |i, v| product[i] -= v);
        let (plus, minus) = (at(1e-5), at(-1e-5));
        let largest = product.iter().map(|p| p.length()).fold(0.0, f64::max);
        for i in 0..p.len() {
            let slope = (plus[i] - minus[i]) / 2e-5;
            assert!(slope.distance(product[i]) < 1e-6 * largest, "{slope} {}", product[i]);
        }
    }
}

/// A quadratic bend is free for "quadratic", and only for it.
#[test]
fn quadratic_goals_bend_where_linear_ones_cannot() {
    let rest = cloud();
    let bent: Vec<DVec3> =
        rest.iter().map(|q| *q + DVec3::new(0.0, 0.2 * q.x * q.x, 0.0)).collect();
    let energy = |mode, give| body(&rest, mode, give).elastic_energy(&bent, &DMat3::IDENTITY);
    let (rigid, linear, quadratic) = (
        energy(MatchingMode::Rigid, 0.0),
        energy(MatchingMode::Linear, 1.0),
        energy(MatchingMode::Quadratic, 1.0),
    );
    assert!(quadratic < 1e-12 * rigid && linear > 0.1 * rigid, "{quadratic} {linear} {rigid}");
}
