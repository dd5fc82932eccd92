//! Panels that are sewn, meshes as they come, sizes from a handkerchief to a tent.

use crate::scripted::build_in;
use crate::{positions, problem, run, scene, scenes, start};
use glam::DVec3;
use retake::production::certificate::check_frame;
use retake::sim::{Simulation, StepEventKind};

/// Runs a script, looks at every frame with the certificate's exact predicates, and lets `see` do so.
fn watched(text: &str, frames: u32, mut see: impl FnMut(&Simulation)) -> Simulation {
    let scene = scene(text);
    let mut simulation = start(&scene);
    for _ in 0..frames {
        run(&mut simulation, 1);
        let findings = check_frame(&scene, &scenes::frame(&scene, &simulation));
        assert!(findings.is_empty(), "{}", findings[0]);
        see(&simulation);
    }
    simulation
}

/// As [`watched`], by nobody else.
fn certified(text: &str, frames: u32) -> Simulation {
    watched(text, frames, |_| ())
}

/// A tabard of four panels: front and back hang 24 cm apart, are sewn at both sides to two gussets
/// of other cell sizes, so that most seams end between vertices, and close within half a second to
/// the contact distance (2 mm of thickness and 0.2 mm of skin).
#[test]
fn panels_close_along_their_seams() {
    let text = "local shot = retake.shot{ name = 'tabard', duration = 3 }
        local m = retake.material.fabric 'wool'
        local function panel(name, w, nx, ny, at, turn)
          return shot:cloth{ name = name, mesh = retake.mesh.grid{ size = { w, 0.6 }, vertices = { nx, ny } }, translate = at, rotate = { 0, turn, 0 }, material = m }
        end
        local front = panel('front', 0.4, 13, 19, { 0, 0, 0.12 }, 0)
        local back = panel('back', 0.4, 9, 15, { 0, 0, -0.12 }, 180)
        local left = panel('left', 0.2, 7, 22, { -0.22, 0, 0 }, -90)
        local right = panel('right', 0.2, 6, 13, { 0.22, 0, 0 }, 90)
        shot:pin{ points = front:edge 'top', translate = retake.keys{ { 0, { 0, 0, 0 } }, { 0.5, { 0, 0, -0.02 } } } }
        shot:pin{ points = back:edge 'top' }
        shot:stitch{ name = 'a', a = front:edge 'left', b = left:edge 'right', gap = 'close' }
        shot:stitch{ name = 'b', a = left:edge 'left', b = back:edge 'right', gap = 'close' }
        shot:stitch{ name = 'c', a = back:edge 'left', b = right:edge 'right', gap = 'close' }
        shot:stitch{ name = 'd', a = right:edge 'left', b = front:edge 'right', gap = 'close' }
        shot:drag{ linear = 1.5 }";
    let scene = scene(text);
    let simulation = certified(text, 60);
    let mut pairs = 0;
    for constraint in &scene.constraints {
        let retake::scene::ConstraintKind::Stitch { pairs: list, .. } = &constraint.kind else {
            continue;
        };
        for pair in list {
            let place = |anchor: &retake::scene::Anchor| -> glam::DVec3 {
                let x = positions(&simulation, anchor.body);
                (0..3).map(|k| x[anchor.vertices[k] as usize] * anchor.weights[k]).sum()
            };
            let gap = place(&pair.a).distance(place(&pair.b));
            assert!((0.0020..0.0026).contains(&gap), "`{}` is {gap} m open", constraint.name);
            pairs += 1;
        }
    }
    assert!(pairs > 60, "{pairs}");
    assert!(simulation.report().rms_stretch < 0.01, "{}", simulation.report().rms_stretch);
}

/// A stitch that closes does so within half a second of when it starts, and lets go when it ends: before that the panels
/// hang where they were, 4 cm apart, and afterwards they swing back.
#[test]
fn a_seam_closes_when_its_time_comes() {
    let text = "local shot = retake.shot{ name = 'seam', duration = 3 }
        local function panel(name, x)
          return shot:cloth{ name = name, mesh = retake.mesh.grid{ size = { 0.3, 0.4 }, vertices = { 7, 9 } }, translate = { x, 0, 0 }, material = retake.material.fabric 'cotton' }
        end
        local a, b = panel('a', -0.17), panel('b', 0.17)
        shot:pin{ points = a:edge 'top' }
        shot:pin{ points = b:edge 'top' }
        shot:stitch{ a = a:edge 'right', b = b:edge 'left', gap = 'close', starts = 0.5, ends = 1.5 }
        shot:drag{ linear = 4 }";
    let mut simulation = start(&scene(text));
    let mut gap_after = |frames: u32| {
        run(&mut simulation, frames);
        let [a, b] = [0, 1].map(|body| positions(&simulation, body));
        // The lower half, which the pins at the top do not hold open.
        let gaps: Vec<f64> = (5..9).map(|row| a[7 * row + 6].distance(b[7 * row])).collect();
        [f64::min, f64::max].map(|of| gaps.iter().copied().reduce(of).unwrap())
    };
    let [least, most] = gap_after(12);
    assert!(least > 0.038 && most < 0.042, "before: {least} {most}");
    let [least, most] = gap_after(6);
    assert!(least > 0.015 && most < 0.030, "half way: {least} {most}");
    let [_, most] = gap_after(9);
    assert!(most < 0.0033, "closed: {most}");
    let [least, _] = gap_after(33);
    assert!(least > 0.03, "let go: {least}");
}

/// Panels around an axis, each sewn to each of the others along the same seam: three, and five, which cannot all be
/// equally far from each other. The seam closes and the panels come to rest; where pins hold two corners 4 cm apart
/// the rest of the seam closes all the same. It does so whether panels are cloths or pieces of one mesh.
#[test]
fn many_panels_close_in_one_seam() {
    let cases =
        [(3, 9, false), (5, 9, false), (3, 0, false), (5, 0, false), (3, 9, true), (5, 9, true)];
    for (panels, pinned, in_one_mesh) in cases {
        let what = format!("{panels} panels, pinned at {pinned}, in one mesh: {in_one_mesh}");
        let text = format!(
            "local shot = retake.shot{{ name = 'fins', duration = 2 }}
            local grid = retake.mesh.grid{{ size = {{ 0.3, 0.4 }}, vertices = {{ 10, 13 }} }}
            local cotton = retake.material.fabric 'cotton'
            local fins, panels = {{}}, {panels}
            for k = 1, panels do
              local turn = 360 / panels * (k - 1)
              local x, z = 0.17 * math.cos(math.rad(turn)), -0.17 * math.sin(math.rad(turn))
              fins[k] = grid:moved{{ translate = {{ x, 0, z }}, rotate = {{ 0, turn, 0 }} }}
            end
            local points
            if {in_one_mesh} then
              local all = shot:cloth{{ name = 'fins', mesh = retake.mesh.join(fins), material = cotton }}
              points = function(k, of)
                local shifted = {{}}
                for i, vertex in ipairs(of) do shifted[i] = vertex + 130 * (k - 1) end
                return all:vertices(shifted)
              end
            else
              for k = 1, panels do fins[k] = shot:cloth{{ name = 'fin ' .. k, mesh = fins[k], material = cotton }} end
              points = function(k, of) return fins[k]:vertices(of) end
            end
            local left = {{}}
            for row = 0, 12 do left[row + 1] = 10 * row end
            shot:pin{{ points = points(1, {{ {pinned} }}) }}
            shot:pin{{ points = points(2, {{ {pinned} }}) }}
            for i = 1, panels do
              for j = i + 1, panels do
                shot:stitch{{ a = points(i, left), b = points(j, left), gap = 'close' }}
              end
            end
            shot:drag{{ linear = 4 }}"
        );
        let simulation = certified(&text, 40);
        let bodies = if in_one_mesh { 1 } else { panels };
        let x: Vec<_> = (0..bodies).flat_map(|body| positions(&simulation, body)).collect();
        let fins: Vec<_> = x.chunks(130).collect();
        // Rows go from the top down; the two corners that are pinned stay open. Elsewhere nothing is off by half of
        // the contact distance of 2.2 mm.
        for row in 1..13 {
            for (i, j) in (0..panels).flat_map(|i| (0..i).map(move |j| (i, j))) {
                let gap = fins[i][10 * row].distance(fins[j][10 * row]);
                assert!(gap < 0.0033, "{what}, row {row}: {gap} m open");
            }
        }
        let report = simulation.report();
        assert!(report.steps <= 16, "{what}: {} substeps", report.steps);
        assert!(report.max_stretch < 0.1, "{what}: {}", report.max_stretch);
        assert!(report.pressed_in < 0.5, "{what}: {}", report.pressed_in);
    }
}

/// Five kilogrammes that hang on a seam of 14 stitches, 3.5 N each, from before it closes: it closes all the same, and holds.
#[test]
fn a_seam_carries_what_hangs_on_it() {
    let text = "local shot = retake.shot{ name = 'load', duration = 2 }
        local canvas = retake.material.membrane{ young = 20000, poisson = 0.2, shear = 5000, bend = 2e-5, density = 0.2, damping = 0.002 }
        local function panel(name, y)
          return shot:cloth{ name = name, mesh = retake.mesh.grid{ size = 0.4, vertices = { 14, 14 } }, translate = { 0, y, 0 }, material = canvas }
        end
        local a, b = panel('a', 0.21), panel('b', -0.21)
        shot:pin{ points = a:edge 'top' }
        shot:stitch{ a = a:edge 'bottom', b = b:edge 'top', gap = 'close' }
        local weight = shot:rigid{ mesh = retake.mesh.box{ size = { 0.4, 0.1, 0.1 } }, mass = 5, translate = { 0, -0.47, 0 } }
        shot:attach{ points = b:edge 'bottom', to = weight }
        shot:drag{ linear = 8 }";
    let simulation = certified(text, 40);
    let [a, b] = [0, 1].map(|body| positions(&simulation, body));
    for k in 0..14 {
        let gap = a[13 * 14 + k].distance(b[k]);
        assert!(gap < 0.0026, "stitch {k} is {gap} m open");
    }
}

/// Two seams draw one column of a patch to two others that are pinned, and hold each other open. What a seam says that it
/// pulls with is what the pins of its patch bear, to rounding, as they bear nothing else.
#[test]
fn a_seam_that_is_held_open_says_what_it_pulls_with() {
    let text = "local shot = retake.shot{ name = 'strife', duration = 1, gravity = { 0, 0, 0 } }
        local canvas = retake.material.membrane{ young = 20000, poisson = 0.2, shear = 5000, bend = 2e-5, density = 0.2, damping = 0.002 }
        local function patch(name, x)
          return shot:cloth{ name = name, mesh = retake.mesh.grid{ size = 0.1, vertices = { 3, 3 } }, translate = { x, 0, 0 }, material = canvas }
        end
        local left, middle, right = patch('left', -0.3), patch('middle', 0), patch('right', 0.3)
        shot:pin{ points = left:all() }
        shot:pin{ points = right:all() }
        shot:stitch{ a = left:edge 'right', b = middle:edge 'left', gap = 'close' }
        shot:stitch{ a = middle:edge 'left', b = right:edge 'left', gap = 'close' }
        shot:drag{ linear = 8 }
        shot:solver{ step = 1 / 768 }";
    let view = certified(text, 12).view();
    let [left, right, one, other] = [0, 1, 2, 3].map(|k| view.constraints[k].reaction);
    println!("pins bear {left} and {right} N, seams pull with {one} and {other}");
    for (pins, seam) in [(left, one), (right, other)] {
        assert!(pins > 1.0 && (pins - seam).abs() < 1e-9 * pins, "{pins} and {seam} N");
    }
}

/// Two panels about a capsule, whose top falls below its head before it closes: the seam cannot close, and is said to be held
/// open. A stitch that has yet to close pulls by no more than makes cloth half as long again, and gently once it
/// is held open, so that substeps, of which a frame may have 1024, do not get ever shorter. So it is where the capsule turns.
#[test]
fn a_seam_that_a_body_bars_does_not_tear_its_cloth() {
    for turn in [0, 300] {
        let text = format!(
            "local shot = retake.shot{{ name = 'hood', frames = 24 }}
            shot:collisions{{ friction = 0.4 }}
            local function panel(z)
              local mesh = retake.mesh.grid{{ size = {{ 0.5, 0.7 }}, vertices = {{ 12, 15 }}, center = {{ 0, 0.4, z }} }}
              return shot:cloth{{ mesh = mesh, material = retake.material.fabric 'cotton' }}
            end
            local front, back = panel(0.2), panel(-0.2)
            shot:collider{{
              mesh = retake.mesh.capsule{{ radius = 0.09, height = 0.7, segments = 12 }}, translate = {{ 0, 0.35, 0 }},
              rotate = retake.keys{{ {{ 0, {{ 0, 0, 0 }} }}, {{ 1.2, {{ 0, {turn}, 0 }} }} }},
            }}
            for _, edge in ipairs{{ 'left', 'right', 'top' }} do
              shot:stitch{{ name = edge, a = front:edge(edge), b = back:edge(edge), gap = 'close' }}
            end"
        );
        let scene = scene(&text);
        let (mut held, mut stretched, mut steps) = (Vec::new(), 0.0f64, 0);
        watched(&text, 24, |simulation| {
            let report = simulation.report();
            stretched = stretched.max(report.max_stretch);
            steps = steps.max(report.steps);
            held.extend(report.events.iter().filter_map(|event| match event.kind {
                StepEventKind::HeldOpen { constraint } => {
                    Some(scene.constraints[constraint].name.clone())
                }
                _ => None,
            }));
        });
        println!(
            "turned by {turn}: stretched by {stretched}, at most {steps} substeps a frame, {held:?} held open"
        );
        assert!(stretched < 0.5, "turned by {turn}: {stretched}");
        assert!(held.contains(&"top".to_owned()), "turned by {turn}: {held:?}");
        assert!(steps < 256, "turned by {turn}: {steps} substeps");
    }
}

/// A kilogramme that hangs on pinned cloth from the start, by a stitch or tied to a vertex, pulls with 9.81 N. A stitch or
/// pins that may bear half as much again hold it, as neither gives way by anything; what may bear nine tenths does not.
#[test]
fn stitches_and_pins_break_at_what_they_bear() {
    let is_torn = |pinned: &str, tied: &str| {
        let text = format!(
            "local shot = retake.shot{{ name = 'hung', duration = 1 }}
            local patch = shot:cloth{{ name = 'patch', mesh = retake.mesh.grid{{ size = 0.1, vertices = {{ 3, 3 }} }} }}
            shot:pin{{ points = patch:all(){pinned} }}
            local box = shot:rigid{{ mesh = retake.mesh.box{{ size = 0.1 }}, mass = 1, translate = {{ 0, -0.3, 0 }} }}
            shot:{tied}"
        );
        certified(&text, 12).view().constraints.iter().any(|constraint| constraint.broken)
    };
    let weight = 9.81;
    for (part, torn) in [(1.5, false), (0.9, true)] {
        let limit = format!(", breaks_at = {}", part * weight);
        let stitch = format!(
            "stitch{{ a = patch:point{{ 0, 0, 0 }}, b = box:point{{ 0, -0.25, 0 }}, gap = 'keep'{limit} }}"
        );
        assert_eq!(is_torn("", &stitch), torn, "a stitch with {part} of its load");
        let tie = "attach{ points = patch:vertices{ 5 }, to = box }";
        assert_eq!(is_torn(&limit, tie), torn, "pins with {part} of their load");
    }
}

/// A T-junction: a strap is sewn to places of a sheet that are no vertices, and carries it.
#[test]
fn straps_hold_between_vertices() {
    let text = "local shot = retake.shot{ name = 'strap', duration = 3 }
        local sheet = shot:cloth{ name = 'sheet', mesh = retake.mesh.grid{ size = { 0.5, 0.4 }, vertices = { 12, 10 } } }
        local strap = shot:cloth{ name = 'strap', mesh = retake.mesh.grid{ size = { 0.05, 0.3 }, vertices = { 3, 12 } }, translate = { 0.03, 0.28, 0.004 } }
        shot:pin{ points = strap:edge 'top' }
        shot:stitch{ a = strap:corner 'bottom-left', b = sheet:point{ 0.005, 0.14, 0 }, gap = 'close' }
        shot:stitch{ a = strap:point{ 0.03, 0.135, 0.004 }, b = sheet:point{ 0.03, 0.137, 0 }, gap = 'close' }
        shot:stitch{ a = strap:corner 'bottom-right', b = sheet:point{ 0.055, 0.14, 0 }, gap = 'close' }
        shot:drag{ linear = 2 }";
    let simulation = certified(text, 60);
    let x = positions(&simulation, 0);
    let middle = x.iter().map(|p| p.y).sum::<f64>() / x.len() as f64;
    assert!(middle > -0.2, "the sheet has fallen to {middle}");
}

/// A T-junction within a mesh: a vertex lies on the edge of another triangle, and nothing holds it there. The sheet hangs and
/// lies against itself without a crossing, in no more substeps than any other.
#[test]
fn a_vertex_on_another_edge_hangs_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let obj = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 1 0.5 0\nv 2 0 0\nv 2 1 0\n\
               f 1 2 3\nf 1 3 4\nf 2 6 5\nf 5 6 7\nf 5 7 3\n";
    std::fs::write(folder.path().join("junction.obj"), obj).unwrap();
    let text = "local shot = retake.shot{ name = 'junction', duration = 2 }
        local c = shot:cloth{ mesh = retake.mesh.load 'junction.obj', material = retake.material.fabric 'cotton' }
        shot:pin{ points = c:vertices{ 0, 3 } }
        shot:drag{ linear = 2 }";
    let scene = build_in(folder.path(), text).unwrap_or_else(|p| panic!("{}", p[0])).scene;
    let mut simulation = start(&scene);
    for _ in 0..40 {
        run(&mut simulation, 1);
        let findings = check_frame(&scene, &scenes::frame(&scene, &simulation));
        assert!(findings.is_empty(), "{}", findings[0]);
        assert!(simulation.report().steps <= 16, "{} substeps", simulation.report().steps);
    }
}

/// Three panels in one edge are refused with the place; the way out is named.
#[test]
fn an_edge_with_three_panels_is_refused_where_it_is() {
    let text = "local shot = retake.shot{ name = 'fins', duration = 1 }
        local folder = retake.mesh.load 'fins.obj'
        shot:cloth{ name = 'fins', mesh = folder }";
    let folder = tempfile::tempdir().unwrap();
    let obj = "v 0 0 0\nv 0 1 0\nv 1 0 0\nv -1 0 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 5 2\n";
    std::fs::write(folder.path().join("fins.obj"), obj).unwrap();
    let problems = build_in(folder.path(), text).err().expect("refused");
    let text = problems[0].to_string();
    assert!(
        text.contains("an edge with more than two triangles at (0.000, 0.500, 0.000) (vertices 0 and 1, counted from 0)"),
        "{text}"
    );
    assert!(text.contains("shot:stitch"), "{text}");
    // A cloth that pressure cannot fill says where its hole is.
    let text = problem(
        "local shot = retake.shot{ name = 'bag', duration = 1 }
        shot:cloth{ name = 'bag', mesh = retake.mesh.cylinder{ caps = false }, pressure = 10, sealed = true }",
    );
    assert!(text.contains("`bag` is sealed but has a hole: an edge at ("), "{text}");
}

/// A vertex moved past the edge across from it turns a triangle over onto its neighbour, where nothing fits between the two:
/// the place is told. A fold with room in it is none of these, nor is a sliver.
#[test]
fn a_triangle_turned_over_onto_its_neighbour_is_refused_where_it_is() {
    let sheet = |moved: &str| {
        format!(
            "local shot = retake.shot{{ name = 'sheet', duration = 0.1 }}
            shot:cloth{{ name = 'sheet', mesh = retake.mesh.grid{{ size = {{ 1, 1 }}, vertices = {{ 5, 5 }}, normal = {{ 0, 1, 0 }} }}
                :displaced(function(p) if p.x == 0 and p.z == 0 then return {moved} end return p.x, p.y, p.z end) }}"
        )
    };
    let text = problem(&sheet("0.3, 0, 0"));
    assert!(text.contains("`sheet` is folded flat onto itself at "), "{text}");
    assert!(text.contains(" edges, the first at (") && text.contains("counted from 0"), "{text}");
    assert!(text.contains("a vertex may lie beyond the edge across from it"), "{text}");
    for moved in ["0.3, 0.01, 0", "0.2499, 0, 0"] {
        let folder = tempfile::tempdir().unwrap();
        let built = build_in(folder.path(), &sheet(moved));
        assert!(built.is_ok(), "{}", built.err().unwrap()[0]);
    }
}

/// Cells that differ by a factor of thirty in length, slivers of one in twenty, and triangles of half
/// a millimetre: the sheet hangs and stretches like an even one.
#[test]
fn uneven_and_tiny_triangles_do_no_harm() {
    let text = "local shot = retake.shot{ name = 'uneven', duration = 3 }
        local function squeeze(v) return 0.25 * v ^ 3 + 0.02 * v end
        local mesh = retake.mesh.grid{ size = { 2, 2 }, vertices = { 25, 21 } }:displaced(function(p) return squeeze(p.x), squeeze(p.y) * 1.5, 0 end)
        local c = shot:cloth{ mesh = mesh, thickness = 0.0005, material = retake.material.fabric 'cotton' }
        shot:pin{ points = c:edge 'top' }
        local tiny = shot:cloth{ name = 'tiny', mesh = retake.mesh.grid{ size = 0.008, vertices = { 17, 17 }, normal = { 0, 1, 0 } }, translate = { 0.5, 0, 0 }, thickness = 0.0002, material = retake.material.fabric 'silk' }
        shot:pin{ points = tiny:edge 'left' }
        shot:drag{ linear = 2 }";
    let simulation = certified(text, 48);
    assert!(simulation.report().rms_stretch < 0.005, "{}", simulation.report().rms_stretch);
    assert!(positions(&simulation, 0).iter().all(|p| p.is_finite()));
}

/// A strip of the same kind of cells hangs as long as an even one does, at each of its rows: by `rho g (L s - s^2 / 2) / E`
/// at s from its top, 0.245 mm at its end. Rows are 1.1 to 116 mm apart,
/// columns 0.8 to 9.1 mm: slivers are up to 145 times as long as wide.
#[test]
fn uneven_cells_stretch_as_even_ones() {
    const ROWS: usize = 25;
    let text = format!(
        "local shot = retake.shot{{ name = 'uneven strip', duration = 6 }}
        local function squeeze(v) return 4 * v ^ 3 + 0.02 * v end
        local mesh = retake.mesh.grid{{ size = {{ 0.1, 1 }}, vertices = {{ 7, {ROWS} }} }}:displaced(function(p)
          return 100 * p.x ^ 3 + 0.02 * p.x, squeeze(p.y), 0 end)
        local c = shot:cloth{{ mesh = mesh, thickness = 1e-4,
          material = retake.material.membrane{{ young = 4000, poisson = 0, density = 0.2, damping = 0.01 }} }}
        shot:pin{{ points = c:edge 'top' }}
        shot:drag{{ linear = 3 }}"
    );
    let scene = scene(&text);
    let mut simulation = start(&scene);
    let before = positions(&simulation, 0);
    run(&mut simulation, 144);
    assert!(simulation.report().fastest < 1e-3, "{}", simulation.report().fastest);
    let x = positions(&simulation, 0);
    let height =
        |x: &[DVec3], row: usize| x[7 * row..7 * row + 7].iter().map(|p| p.y).sum::<f64>() / 7.0;
    let (top, end) = (height(&before, 0), height(&before, ROWS - 1));
    let longest = 0.2 * 9.81 * (top - end).powi(2) / (2.0 * 4000.0);
    for row in 0..ROWS {
        let (rest, s) = (height(&before, row), top - height(&before, row));
        let expected = 0.2 * 9.81 * ((top - end) * s - 0.5 * s * s) / 4000.0;
        let found = rest - height(&x, row);
        println!(
            "validation: uneven strip, row {row}: reference {expected:.4e} ours {found:.4e} m"
        );
        assert!((found - expected).abs() < 0.01 * longest, "row {row}: {found}, not {expected} m");
    }
}

/// One scene at two sizes: a handkerchief of 0.3 m over a ball and a circus tent of 40 m over its mast
/// head. Both come down, drape without a crossing and are hardly stretched. The handkerchief is at rest after four seconds:
/// what moves still has less than a millionth of the energy of a fall by a fifth of its size.
#[test]
fn from_a_handkerchief_to_a_circus_tent() {
    for (size, density, young, thickness, frames, rests) in
        [(0.3, 0.03, 500.0, 0.001, 96, true), (40.0, 0.9, 4e5, 0.02, 72, false)]
    {
        let text = format!(
            "local shot = retake.shot{{ name = 'size', duration = 4 }}
            shot:collider{{ name = 'head', mesh = retake.mesh.sphere{{ radius = {r}, subdivisions = 3 }}, friction = 0.3 }}
            local c = shot:cloth{{ name = 'cloth', thickness = {thickness},
              mesh = retake.mesh.grid{{ size = {size}, vertices = {{ 31, 31 }}, normal = {{ 0, 1, 0 }}, center = {{ 0, {y}, 0 }} }},
              material = retake.material.membrane{{ young = {young}, density = {density}, bend = {bend}, damping = 0.01 }} }}
            shot:drag{{ linear = 1 }}",
            r = 0.2 * size,
            y = 0.2 * size + 2.0 * thickness,
            bend = 2e-5 * density / 0.03 * (size / 0.3),
        );
        let simulation = certified(&text, frames);
        let x = positions(&simulation, 1);
        let lowest = x.iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
        assert!(lowest < -0.05 * size, "{size} m: hangs to {lowest}");
        assert!(
            simulation.report().rms_stretch < 0.02,
            "{size} m: {}",
            simulation.report().rms_stretch
        );
        let fall = density * size * size * 9.81 * 0.2 * size;
        let moves = simulation.report().kinetic;
        assert!(!rests || moves < 1e-6 * fall, "{size} m: {moves} J of {fall}");
    }
}
