//! Every preset gives back the constants of its source: pulled in warp and weft, sheared, and bent.

use crate::bending::{Cut, strip};
use crate::{after, near, positions, run, scene, scenes, start};
use glam::{DVec2, DVec3};
use retake::geometry::TriMesh;
use retake::math::Curve;
use retake::scene::{BodyKind, RestShape};
use std::f64::consts::FRAC_PI_4;
use std::fmt::Write;

/// Constants of a preset as its source has them.
struct Source {
    name: &'static str,
    /// [kg/m2].
    density: f64,
    /// C11, C12, C22 and C33 [N/m].
    membrane: [f64; 4],
    /// Stiffness of strips at 0, 45 and 90 degrees to the warp [N m].
    bend: [f64; 3],
}

/// What Wang et al. publish: their bending constants [1e-6 N m] are four times the stiffness of a sheet (Bridson's element).
const fn wang(name: &'static str, density: f64, membrane: [f64; 4], bend: [f64; 3]) -> Source {
    let [warp, bias, weft] = bend;
    Source { name, density, membrane, bend: [warp * 2.5e-7, bias * 2.5e-7, weft * 2.5e-7] }
}

const fn made(name: &'static str, density: f64, membrane: [f64; 4], bend: [f64; 3]) -> Source {
    Source { name, density, membrane, bend }
}

const SOURCES: [Source; 16] = [
    wang("11oz-black-denim", 0.324, [226.0, 41.0, 1054.0, 69.0], [64.0, 73.0, 97.0]),
    wang("gray-interlock", 0.187, [87.0, 80.0, 313.0, 28.0], [23.0, 25.0, 14.0]),
    wang("ivory-rib-knit", 0.276, [51.0, 0.0, 137.0, 8.0], [46.0, 30.0, 32.0]),
    wang("navy-sparkle-sweat", 0.224, [63.0, 70.0, 212.0, 12.0], [59.0, 40.0, 46.0]),
    wang("pink-ribbon-brown", 0.228, [152.0, 107.0, 257.0, 30.0], [117.0, 88.0, 60.0]),
    wang("royal-target", 0.220, [2110.0, 49.0, 2144.0, 40.0], [125.0, 108.0, 125.0]),
    wang("tango-red-jet-set", 0.113, [91.0, 86.0, 300.0, 9.0], [14.0, 22.0, 20.0]),
    wang("white-dots-on-blk", 0.128, [2107.0, 47.0, 2142.0, 31.0], [52.0, 41.0, 31.0]),
    wang("white-swim-solid", 0.204, [50.0, 15.0, 115.0, 22.0], [60.0, 59.0, 51.0]),
    wang("camel-ponte-roma", 0.284, [96.0, 52.0, 179.0, 30.0], [36.0, 33.0, 37.0]),
    wang("cotton", 0.128, [2107.0, 47.0, 2142.0, 31.0], [52.0, 41.0, 31.0]),
    wang("denim", 0.324, [226.0, 41.0, 1054.0, 69.0], [64.0, 73.0, 97.0]),
    // Young's modulus E and Poisson ratio nu: C11 = E / (1 - nu^2).
    made(
        "silk",
        0.07,
        [1200.0 / 0.96, 0.2 * 1_039.230_484_541_326_4 / 0.96, 900.0 / 0.96, 17.0],
        [1.2e-6, 1.0e-6, 0.9e-6],
    ),
    made(
        "wool",
        0.24,
        [1500.0 / 0.96, 0.2 * 1_224.744_871_391_589 / 0.96, 1000.0 / 0.96, 40.0],
        [12e-6, 9e-6, 9e-6],
    ),
    // Alike in all directions: C33 = E / (2 + 2 nu).
    made(
        "leather",
        0.5,
        [6000.0 / 0.8775, 0.35 * 6000.0 / 0.8775, 6000.0 / 0.8775, 6000.0 / 2.7],
        [1.6e-5; 3],
    ),
    made("paper", 0.1, [5e5 / 0.96, 1e5 / 0.96, 5e5 / 0.96, 5e5 / 2.4], [4e-4; 3]),
];

/// A cloth of each preset, in the order of [`SOURCES`].
fn presets() -> Vec<BodyKind> {
    let mut text = String::from("local shot = retake.shot{ name = 'presets', duration = 1 }\n");
    for Source { name, .. } in &SOURCES {
        let _ = writeln!(
            text,
            "shot:cloth{{ mesh = retake.mesh.grid{{}}, collides = false, material = retake.material.fabric '{name}' }}"
        );
    }
    scene(&text).bodies.into_iter().map(|body| body.kind).collect()
}

/// A strip 60 cm long and 4 cm wide is drawn out by 1 %. Its middle third is far from the grips, so
/// that the tension there is that of a free strip: with the stretch `l` along the pull the force on a
/// metre of its width is `l E (l^2 - 1) / 2`, `E = C11 - C12^2 / C22` (St. Venant-Kirchhoff), and it
/// narrows by `C12 / C22` of the Green strain. The tolerance of 2 % leaves room for the grips, whose
/// influence falls off slowest where shear is softest, and for the residual of the solver.
#[test]
fn strips_pull_as_the_constants_of_their_source_say() {
    let mut text = String::from(
        "local shot = retake.shot{ name = 'pull', duration = 3, gravity = { 0, 0, 0 } }\n",
    );
    for (i, Source { name, .. }) in SOURCES.iter().enumerate() {
        for (j, size) in
            ["{ 0.6, 0.04 }, vertices = { 61, 5 }", "{ 0.04, 0.6 }, vertices = { 5, 61 }"]
                .iter()
                .enumerate()
        {
            let (ends, by) = if j == 0 {
                (["left", "right"], "{ 0.006, 0, 0 }")
            } else {
                (["bottom", "top"], "{ 0, 0.006, 0 }")
            };
            let _ = writeln!(
                text,
                "local c = shot:cloth{{ mesh = retake.mesh.grid{{ size = {size} }}, translate = {{ 0, 0, {} }}, \
                 collides = false, material = retake.material.fabric '{name}' }}\n\
                 shot:pin{{ points = c:edge '{}' }}\n\
                 shot:pin{{ points = c:edge '{}' }}:translate{{ starts = 0, ends = 0.4, by = {by} }}",
                (2 * i + j) as f64,
                ends[0],
                ends[1],
            );
        }
    }
    text += "shot:drag{ linear = 30 }";
    let scene = scene(&text);
    let mut simulation = start(&scene);
    run(&mut simulation, 60);
    // A node's speed may be off by a third of the accuracy.
    let off = scene.solver.accuracy / 3.0;
    assert!(simulation.report().fastest < off, "not at rest: {}", simulation.report().fastest);
    let view = simulation.view();
    for (i, source) in SOURCES.iter().enumerate() {
        let Source { name, density, membrane: [c11, c12, c22, _], .. } = source;
        for (j, (along, across)) in [(c11, c22), (c22, c11)].into_iter().enumerate() {
            let body = 2 * i + j;
            let x = positions(&simulation, body);
            // Points along the middle line at a third and two thirds, and across the middle.
            let at = |k: usize, w: usize| if j == 0 { x[w * 61 + k] } else { x[k * 5 + w] };
            let stretch = at(20, 2).distance(at(40, 2)) / 0.2;
            let narrowed = at(30, 0).distance(at(30, 4)) / 0.04;
            let force = view.constraints[2 * body + 1].reaction / 0.04;
            let young = along - c12 * c12 / across;
            let expected = stretch * young * (stretch * stretch - 1.0) / 2.0;
            near(&format!("{name} {j}"), force, expected, 0.02);
            // Against what the fabric is stretched by as a whole, the grips hold it to within a per cent of it.
            near(&format!("{name} {j} stretch"), stretch - 1.0, 0.01, 0.12);
            let thinner = 0.5 * (narrowed * narrowed - 1.0);
            let expected = -(c12 / across) * 0.5 * (stretch * stretch - 1.0);
            assert!(
                (thinner - expected).abs() < 0.02 * 0.01,
                "{name} {j}: narrows by {thinner}, not {expected}"
            );
        }
        let cloth = scene.bodies[2 * i].cloth().unwrap();
        let material = cloth.material.membrane().unwrap();
        assert_eq!(material.density.at(0), *density, "{name}");
        assert!(material.label.contains(':'), "{name} has no source");
    }
}

/// `columns` by `rows` cells of 1 m in the plane of x and -z, whose warp lies at `angle` [rad] to x.
fn lattice(columns: u32, rows: u32, angle: f64) -> TriMesh {
    let mut mesh = TriMesh::default();
    let n = columns + 1;
    for k in 0..n * (rows + 1) {
        let at = DVec2::new(f64::from(k % n), f64::from(k / n));
        mesh.positions.push(DVec3::new(at.x, 0.0, -at.y));
        mesh.uvs.push(DVec2::new(libm::cos(angle), libm::sin(angle)).rotate(at));
    }
    for k in (0..n * rows).filter(|k| k % n < columns) {
        mesh.triangles.extend([[k, k + 1, k + n + 1], [k, k + n + 1, k + n]]);
    }
    mesh
}

/// A square of each preset stands sheared as in a picture frame: its sides keep their lengths and its fibres have
/// turned by gamma, so that the only strain is `sin gamma` of shear, and what pulls along its upper side is `C33 sin gamma`
/// on a metre of it. All of its border is pinned; the upper side but for its corners has a pin of its own.
/// The strain is the same everywhere, which linear triangles have exactly: 0.5 % is for what the solver leaves undone.
#[test]
fn squares_shear_as_the_constant_of_their_source_says() {
    const CELLS: u32 = 6;
    const CELL: f64 = 0.02;
    let gamma: f64 = 0.02;
    let mut scene = scenes::empty("shear", 1.0);
    scene.gravity = Curve::Constant(DVec3::ZERO);
    let n = CELLS + 1;
    for (i, (source, kind)) in SOURCES.iter().zip(presets()).enumerate() {
        let mut rest = lattice(CELLS, CELLS, 0.0);
        for p in &mut rest.positions {
            *p *= CELL;
        }
        let mut mesh = rest.clone();
        for p in &mut mesh.positions {
            let across = -p.z;
            let x = p.x + across * libm::sin(gamma);
            *p = DVec3::new(x, i as f64, -across * libm::cos(gamma));
        }
        scene.meshes.push(rest);
        let rest = scene.meshes.len() - 1;
        let body = scenes::add(&mut scene, source.name, mesh, kind);
        scene.bodies[body].collides = false;
        if let BodyKind::Cloth(cloth) = &mut scene.bodies[body].kind {
            cloth.rest = RestShape::Mesh(rest);
        }
        let upper = (1..CELLS).map(|i| CELLS * n + i).collect();
        let others = |k: &u32| k / n == 0 || [0, CELLS].contains(&(k % n));
        scenes::pin(&mut scene, body, upper);
        scenes::pin(&mut scene, body, (0..n * n).filter(others).collect());
    }
    let mut simulation = start(&scene);
    run(&mut simulation, 4);
    let view = simulation.view();
    for (i, Source { name, membrane: [.., c33], .. }) in SOURCES.iter().enumerate() {
        let stress = view.constraints[2 * i].reaction / (f64::from(CELLS - 1) * CELL);
        near(&format!("{name} shear"), stress / libm::sin(gamma), *c33, 0.005);
    }
}

/// The energy of sheets of each preset that stand bent to a polygon about the warp, the bias and the weft: a fold by a small
/// angle theta across a cell as long as wide has `B theta^2 / 2`. What differs along the border of a sheet (nothing
/// resists across a free edge) is gone in the difference of a sheet and one that is twice as wide. What is left is
/// `2 sin(theta / 2)` in place of theta, 1 / 2400 of the square at a tenth.
#[test]
fn sheets_hold_the_energy_of_their_bends() {
    const CELLS: u32 = 8;
    let (h, theta): (f64, f64) = (0.01, 0.1);
    let energy = |kind: &BodyKind, angle: f64, rows: u32| {
        let mut mesh = lattice(CELLS, rows, angle);
        for p in &mut mesh.positions {
            // Cell k leans by k theta.
            let cells = 0..p.x as u32;
            let lean = cells.map(|k| theta * f64::from(k));
            let (x, y) =
                lean.fold((0.0, 0.0), |(x, y), lean| (x + libm::cos(lean), y + libm::sin(lean)));
            *p = DVec3::new(x, y, p.z) * h;
        }
        let mut scene = scenes::empty("bent", 1.0);
        let body = scenes::add(&mut scene, "sheet", mesh, kind.clone());
        scene.bodies[body].collides = false;
        if let BodyKind::Cloth(cloth) = &mut scene.bodies[body].kind {
            cloth.rest = RestShape::Flat;
        }
        start(&scene).report().elastic
    };
    for (source, kind) in SOURCES.iter().zip(presets()) {
        for (angle, bend) in [0.0, FRAC_PI_4, 2.0 * FRAC_PI_4].into_iter().zip(source.bend) {
            let found = energy(&kind, angle, 12) - energy(&kind, angle, 6);
            let folds = 6.0 * f64::from(CELLS - 1);
            let what = format!("{} bends at {:.0} degrees, uN m", source.name, angle.to_degrees());
            near(&what, 1e6 * found / (0.5 * theta * theta * folds), 1e6 * bend, 0.001);
        }
    }
}

/// Strips of each preset stick out from a clamp, cut along the warp and the weft and as long as `rho g L^3 / B` is 5: they
/// sag by 0.5857 of their reach (heavy elastica, Romero et al. 2021). As in `a_strip_sags_as_the_heavy_elastica`, 2 %
/// allows for chords of an eighteenth of the length. Paper never comes to rest and is left out: its stretch is 2e7 times
/// as stiff as its bending at this length, fifty times as much as that of any other.
#[test]
fn strips_sag_as_the_bending_of_their_source_says() {
    const CELLS: u32 = 18;
    let (nx, ny) = (CELLS + 1, CELLS / 3 + 1);
    let mut scene = scenes::empty("sag", 10.0);
    let mut clamps = Vec::new();
    let sources: Vec<_> = SOURCES.iter().zip(presets()).collect();
    for (source, kind) in &sources {
        for (weft, bend) in [(false, source.bend[0]), (true, source.bend[2])] {
            let free = libm::cbrt(5.0 * bend / (source.density * 9.81));
            // Two columns are held; the slope turns from the middle of the cell between them on.
            let length = free / (1.0 - 0.5 / f64::from(CELLS));
            let mut mesh = strip(Cut::Alternating, CELLS, length, weft);
            for p in &mut mesh.positions {
                p.z += clamps.len() as f64;
            }
            let body = scenes::add(&mut scene, source.name, mesh, kind.clone());
            scene.bodies[body].collides = false;
            scenes::pin(&mut scene, body, (0..ny).flat_map(|j| [j * nx, j * nx + 1]).collect());
            clamps.push(length - free);
        }
    }
    scenes::linear_drag(&mut scene, 20.0);
    let mut simulation = start(&scene);
    run(&mut simulation, 72);
    // What moves by less has a drag of less than a thousandth of its weight.
    assert!(simulation.report().fastest < 5e-4, "{} m/s", simulation.report().fastest);
    for (body, clamp) in clamps.into_iter().enumerate() {
        let x = positions(&simulation, body);
        let tip: DVec3 =
            (0..ny).map(|j| x[(j * nx + CELLS) as usize]).sum::<DVec3>() / f64::from(ny);
        let name = sources[body / 2].0.name;
        let way = if body % 2 == 0 { "warp" } else { "weft" };
        near(&format!("{name} sags, {way}"), -tip.y / (tip.x - clamp), 0.5857, 0.02);
    }
}

/// The damping of a fabric differs from place to place: where there is none a sheet goes on shaking.
#[test]
fn damping_is_mapped() {
    let scene = scene(
        "local shot = retake.shot{ name = 'a', duration = 1 }
        shot:cloth{ mesh = retake.mesh.grid{ size = 1, vertices = 3 }, material = retake.material.membrane{ damping = function(p) return 0.1 * p.u end } }",
    );
    let cloth = scene.bodies[0].cloth().unwrap();
    let damping = &cloth.material.membrane().unwrap().damping;
    assert_eq!([damping.at(0), damping.at(1), damping.at(2)], [0.0, 0.05, 0.1]);
    // Two flags swing from one shape; the damped one stands still first.
    let text = |damping: &str| {
        format!(
            "local shot = retake.shot{{ name = 'a', duration = 2, gravity = {{ 0, 0, 0 }} }}
            shot:cloth{{ mesh = retake.mesh.grid{{ size = 0.5, vertices = 9 }}, shrink = 0.98, material = retake.material.membrane{{ young = 50, damping = {damping} }} }}"
        )
    };
    let left = |damping: &str| {
        let mut simulation = start(&crate::scene(&text(damping)));
        run(&mut simulation, 6);
        simulation.report().kinetic
    };
    let (none, half, whole) =
        (left("0"), left("function(p) return p.u > 0.5 and 0.05 or 0 end"), left("0.05"));
    assert!(none > half && half > whole, "{none} {half} {whole}");
}

/// Damping in seconds: a strip that swings along itself, held at one end, loses of its lowest mode
/// `w = pi / 2 sqrt(E / rho) / L` the part `exp(-damping w^2 t / 2)` (Kelvin and Voigt). After one period the damped
/// strip's end is that much nearer to rest than the undamped one's, but for the square of the damping's part of the
/// critical one, `(damping w / 2)^2 = 0.6 %`.
#[test]
fn damping_takes_of_a_swing_what_its_seconds_say() {
    let end = |damping: f64| {
        let text = format!(
            "local shot = retake.shot{{ name = 'swing', duration = 1, fps = 50, gravity = {{ 0, 0, 0 }} }}
            shot:solver{{ fixed_step = 1 / 2000, accuracy = 1e-6 }}
            local mesh = retake.mesh.grid{{ size = {{ 0.1, 1 }}, vertices = {{ 3, 31 }} }}
            local longer = mesh:displaced(function(p) return p.x, p.y - 0.01 * math.sin(math.pi / 2 * (0.5 - p.y)), 0 end)
            local c = shot:cloth{{ mesh = longer, rest = mesh, collides = false,
              material = retake.material.membrane{{ young = 20, young_weft = 20, poisson = 0, shear = 10, density = 0.2, damping = {damping} }} }}
            shot:pin{{ points = c:edge 'top' }}"
        );
        let x = positions(&after(&text, 20), 0);
        -0.5 - x[91].y
    };
    let undamped = end(0.0);
    assert!((0.0095..0.0101).contains(&undamped), "{undamped}");
    let w = std::f64::consts::FRAC_PI_2 * 10.0;
    for damping in [0.002, 0.01] {
        let lost = -libm::log(end(damping) / undamped);
        near(&format!("{damping} s"), lost, 0.5 * damping * w * w * 0.4, 0.02);
    }
}
