//! Strain limits, creases, shrinking and shapes at rest, maps.

use crate::{after, near, positions, run, scene, start};
use glam::DVec3;
use retake::math::rotation;
use retake::sim::BodyPose;

/// A strip 1 m long and so soft that it would stretch by 10 % at its top. Its top carries
/// `rho g L = 1.96 N/m`; at the limit of 5 % the fabric holds `young * e = 1.0 N/m` (Green strain
/// e = 0.05125), and beyond it resists 41 times as much: 0.96 / 820 = 0.12 % more. The coarse mesh's
/// edges lengthen a little less than the top itself.
#[test]
fn a_strain_limit_holds() {
    let strip = |limit: &str| {
        let text = format!(
            "local shot = retake.shot{{ name = 'limit', duration = 9 }}
            local c = shot:cloth{{ mesh = retake.mesh.grid{{ size = {{ 0.1, 1 }}, vertices = {{ 3, 21 }} }},
              material = retake.material.membrane{{ young = 20, poisson = 0, shear = 10, density = 0.2, damping = 0.02 {limit} }} }}
            shot:pin{{ points = c:edge 'top' }}
            shot:drag{{ linear = 3 }}"
        );
        let simulation = after(&text, 150);
        assert!(simulation.report().fastest < 2e-3);
        simulation.report().max_stretch
    };
    let free = strip("");
    assert!(free > 0.08, "{free}");
    let held = strip(", strain_limit = 0.05");
    assert!(held < 0.05 + 0.0013 && held > 0.045, "{held}");
    // A map: the upper half is limited, the lower half stretches by up to 5 % by itself.
    let upper = strip(", strain_limit = function(p) return p.y > 0 and 0.03 or 1 end");
    assert!((0.045..0.06).contains(&upper), "{upper}");
}

/// A strip starts folded at a right angle about one row of edges, is flat at rest, and is let go.
/// Elastic cloth opens; cloth that creases from the curvature k on takes `theta - k h` into its rest
/// angle, with the cell's length h: 90 degrees less 10 /m * 0.05 m = 28.6 degrees.
#[test]
fn a_sharp_fold_stays() {
    let angle = |crease: &str| {
        let text = format!(
            "local shot = retake.shot{{ name = 'crease', duration = 4, gravity = {{ 0, 0, 0 }} }}
            local flat = retake.mesh.grid{{ size = {{ 1, 0.3 }}, vertices = {{ 21, 7 }} }}
            local folded = flat:displaced(function(p) return math.min(p.x, 0), p.y, math.max(p.x, 0) end)
            shot:cloth{{ mesh = folded, rest = flat, self_collision = false,
              material = retake.material.membrane{{ young = 500, bend = 1e-2, density = 0.1, damping = 0.05 {crease} }} }}
            shot:drag{{ linear = 10 }}"
        );
        let x = positions(&after(&text, 90), 0);
        let side = |a: usize, b: usize| (x[3 * 21 + b] - x[3 * 21 + a]).normalize();
        rotation::angle_between(side(0, 8), side(12, 20)).to_degrees()
    };
    assert!(angle("") < 2.0, "{}", angle(""));
    let stays = angle(", crease = 10");
    assert!((stays - (90.0 - 28.65)).abs() < 2.0, "{stays}");
    // Too gentle for this cloth: it springs back.
    assert!(angle(", crease = 40") < 2.0);
}

/// Creases are part of the state: a resumed run is the same run.
#[test]
fn creases_are_saved() {
    let text = "local shot = retake.shot{ name = 'crease', duration = 4 }
        local c = shot:cloth{ mesh = retake.mesh.grid{ size = 0.4, vertices = { 9, 9 }, normal = { 0, 1, 0 }, center = { 0, 0.02, 0 } },
          material = retake.material.membrane{ young = 500, bend = 1e-5, crease = 1 } }
        shot:pin{ points = c:corner 'top-left' }:translate{ starts = 0, ends = 0.4, by = { 0.3, 0.3, 0 } }";
    let scene = scene(text);
    let (mut a, mut b) = (start(&scene), start(&scene));
    run(&mut a, 8);
    b.restore(&a.save()).unwrap();
    run(&mut a, 4);
    run(&mut b, 4);
    assert_eq!(a.state_hash(), b.state_hash());
}

/// The left half shrinks to 80 %, the right half keeps its size; far from the seam the free edges have
/// the lengths that their rest shape says (nothing pulls at them).
#[test]
fn shrinking_differs_from_place_to_place() {
    let lengths = |shrink: &str, frames: u32| {
        let text = format!(
            "local shot = retake.shot{{ name = 'shrink', duration = 4, gravity = {{ 0, 0, 0 }} }}
            shot:cloth{{ mesh = retake.mesh.grid{{ size = {{ 2, 0.1 }}, vertices = {{ 41, 3 }} }}, shrink = {shrink}, self_collision = false,
              material = retake.material.membrane{{ young = 500, damping = 0.05, density = 0.1 }} }}
            shot:drag{{ linear = 5 }}"
        );
        let x = positions(&after(&text, frames), 0);
        let cell = |k: usize| x[41 + k].distance(x[41 + k + 1]) / 0.05;
        [cell(5), cell(34)]
    };
    let [left, right] = lengths("function(p) return p.x < 0 and 0.8 or 1 end", 70);
    near("left", left, 0.8, 0.01);
    near("right", right, 1.0, 0.01);
    // Over time as well: the right half grows by a tenth in two seconds.
    let [left, right] =
        lengths("function(p) return p.x < 0 and 1 or 1 + 0.05 * math.min(p.t, 2) end", 80);
    near("left", left, 1.0, 0.01);
    near("right", right, 1.1, 0.01);
}

/// A square sheet that starts drawn out to 1.5 times its width goes back to what its rest shape says:
/// its mesh as it is, the square of its texture coordinates at the same area, another mesh.
#[test]
fn shapes_at_rest_are_gone_back_to() {
    let size = |rest: &str| {
        let text = format!(
            "local shot = retake.shot{{ name = 'rest', duration = 4, gravity = {{ 0, 0, 0 }} }}
            local square = retake.mesh.grid{{ size = 1, vertices = {{ 9, 9 }} }}
            shot:cloth{{ mesh = square:moved{{ scale = {{ 1.5, 1, 1 }} }}, rest = {rest}, self_collision = false,
              material = retake.material.membrane{{ young = 500, damping = 0.05, density = 0.1 }} }}
            shot:drag{{ linear = 5 }}"
        );
        let mut simulation = start(&scene(&text));
        run(&mut simulation, 60);
        let x = positions(&simulation, 0);
        assert!(
            simulation.report().rms_stretch < 1e-3,
            "{rest}: {}",
            simulation.report().rms_stretch
        );
        [x[0].distance(x[8]), x[0].distance(x[72])]
    };
    for (rest, expected) in [
        ("'start'", [1.5, 1.0]),
        ("'flat'", [1.5, 1.0]),
        ("'uv'", [1.5f64.sqrt(); 2]),
        ("square", [1.0, 1.0]),
    ] {
        let found = size(rest);
        near(rest, found[0], expected[0], 0.002);
        near(rest, found[1], expected[1], 0.002);
    }
}

/// Maps of density and stiffness: of two strips in one mesh's halves the heavier hangs longer, by the
/// closed form of each; a map of friction lets one half of a sheet slide and holds the other.
#[test]
fn maps_are_felt_where_they_are() {
    let text = "local shot = retake.shot{ name = 'maps', duration = 6 }
        local c = shot:cloth{ mesh = retake.mesh.grid{ size = { 0.1, 1 }, vertices = { 3, 41 } },
          material = retake.material.membrane{ young = function(p) return p.y > 0 and 2000 or 500 end, poisson = 0, density = function(p) return p.y > 0 and 0.1 or 0.3 end, damping = 0.02 } }
        shot:pin{ points = c:edge 'top' }
        shot:drag{ linear = 3 }";
    let x = positions(&after(text, 120), 0);
    // The upper half without its last cell carries 0.15 kg/m of the lower half, 0.005 of the cell
    // between (where the density changes from vertex to vertex) and its own; lower half: its own.
    let g = 9.81;
    let upper = 0.475 * g * (0.155 + 0.5 * 0.0475) / 2000.0;
    let lower = 0.5 * g * 0.075 / 500.0;
    near("upper half", x[1].y - x[19 * 3 + 1].y - 0.475, upper, 0.04);
    near("lower half", x[20 * 3 + 1].y - x[40 * 3 + 1].y - 0.5, lower, 0.04);
    let slides = |friction: &str| {
        let text = format!(
            "local shot = retake.shot{{ name = 'slope', duration = 2, gravity = {{ 4, -9, 0 }} }}
            shot:ground{{ height = 0, friction = 0.5 }}
            shot:cloth{{ mesh = retake.mesh.grid{{ size = 0.2, vertices = {{ 5, 5 }}, normal = {{ 0, 1, 0 }}, center = {{ 0, 0.0012, 0 }} }}, friction = {friction} }}"
        );
        let x = positions(&after(&text, 24), 1);
        x.iter().sum::<DVec3>().x / 25.0
    };
    // tan = 4/9: it needs sqrt(0.5 mu) > 0.444, mu > 0.395.
    let held = slides("function(p) return p.u < 0.5 and 0.6 or 0.7 end");
    let slid = slides("function(p) return p.u < 0.5 and 0.05 or 0.1 end");
    assert!(slid > 0.5 && held < 0.2 * slid, "{held} and {slid}");
}

/// A map of thickness: a sheet lies as high as half of its own thickness there and the skin.
#[test]
fn thickness_differs_from_place_to_place() {
    let text = "local shot = retake.shot{ name = 'thick', duration = 3 }
        shot:ground{ height = 0 }
        shot:cloth{ mesh = retake.mesh.grid{ size = { 0.6, 0.1 }, vertices = { 13, 3 }, normal = { 0, 1, 0 }, center = { 0, 0.012, 0 } },
          material = retake.material.membrane{ young = 500, bend = 1e-6, density = 0.3 }, thickness = function(p) return p.x < 0 and 0.02 or 0.004 end }
        shot:drag{ linear = 2 }";
    let x = positions(&after(text, 60), 1);
    let height = |k: usize| x[13 + k].y;
    near("thick half", height(2), 0.0102, 0.03);
    near("thin half", height(10), 0.0022, 0.1);
}

/// Friction that differs from place to place on what lies still: of two sheets on one slope of 20 degrees that which lies on
/// its rough half stays, and the other gains `g (sin - mu cos)` a second, with the geometric mean of both
/// frictions for mu, once it has settled onto the slope.
#[test]
fn a_slope_rubs_where_its_map_says() {
    let text = "local shot = retake.shot{ name = 'slope', duration = 2 }
        shot:collider{ mesh = retake.mesh.grid{ size = { 4, 6 }, vertices = { 33, 49 }, normal = { 0, 1, 0 } }, rotate = { 20, 0, 0 },
          friction = function(p) return p.x < 0 and 0.9 or 0.1 end }
        for k, x in ipairs{ -0.6, 0.6 } do
          shot:cloth{ name = 'sheet ' .. k, mesh = retake.mesh.grid{ size = 0.3, vertices = 7, normal = { 0, 1, 0 } }, rotate = { 20, 0, 0 },
            translate = { x, 0.0023, 0 }, friction = 0.4, material = retake.material.fabric 'denim' }
        end";
    let mut simulation = start(&scene(text));
    let speed = |s: &retake::sim::Simulation, body: usize| s.view().bodies[body].velocity.length();
    run(&mut simulation, 6);
    let before = speed(&simulation, 2);
    run(&mut simulation, 12);
    assert!(speed(&simulation, 1) < 2e-3, "the rough half: {}", speed(&simulation, 1));
    let slope = 20f64.to_radians();
    let expected = 9.81 * (libm::sin(slope) - 0.2 * libm::cos(slope));
    near("gained", (speed(&simulation, 2) - before) / 0.5, expected, 0.01);
}

/// Pieces of one cloth with values of their own go to where cloths of one value go, whichever constant it is: what maps
/// say of a place makes that place and no other. What goes at 0.2 mm/s against a drag of 5 /s has 0.04 mm to go, and two of
/// them are compared.
#[test]
fn maps_say_what_each_place_is_made_of() {
    const FASTEST: f64 = 2e-4;
    const BY: f64 = 2.0 * FASTEST / 5.0;
    let drawn = "shot:pin{ points = c:where(function(p) return p.x < -0.14 end) }
        shot:pin{ points = c:where(function(p) return p.x > 0.14 end) }:translate{ starts = 0, ends = 0.5, by = { 0.02, 0.03, 0 } }";
    let wide = "shot:pin{ points = c:where(function(p) return p.y < -0.09 end) }
        shot:pin{ points = c:where(function(p) return p.y > 0.09 end) }:translate{ starts = 0, ends = 0.5, by = { 0, 0.02, 0 } }";
    let at_a_corner =
        "shot:pin{ points = c:where(function(p) return p.x < -0.12 and p.y < -0.07 end) }";
    let cases = [
        ("young", [60.0, 20.0], drawn),
        ("young_weft", [60.0, 20.0], wide),
        ("poisson", [0.0, 0.45], drawn),
        ("shear", [40.0, 8.0], drawn),
        ("bend", [4e-3, 1e-3], at_a_corner),
        ("bend_weft", [4e-3, 1e-3], at_a_corner),
        ("bend_bias", [4e-3, 1.5e-3], at_a_corner),
    ];
    for (key, values, held) in cases {
        let constants = [
            ("young", 40.0),
            ("young_weft", 40.0),
            ("poisson", 0.3),
            ("shear", 15.0),
            ("bend", 2e-3),
            ("bend_weft", 2e-3),
            ("bend_bias", 2e-3),
        ];
        let others = constants.iter().filter(|(name, _)| *name != key);
        let others: Vec<String> =
            others.map(|(name, value)| format!("{name} = {value},")).collect();
        let others = others.join(" ");
        // Gravity is along the normal where bending is asked for.
        let down = if held == at_a_corner { "{ 0, 0, -9.81 }" } else { "{ 0, 0, 0 }" };
        let text = |meshes: &str, value: &str| {
            format!(
                "local shot = retake.shot{{ name = 'maps', duration = 5, gravity = {down} }}
                local one = retake.mesh.grid{{ size = {{ 0.3, 0.2 }}, vertices = {{ 13, 9 }} }}
                local other = one:moved{{ translate = {{ 0, 0, 2 }} }}
                for _, mesh in ipairs {{ {meshes} }} do
                  local c = shot:cloth{{ mesh = mesh, collides = false,
                    material = retake.material.membrane{{ {others} density = 0.1, damping = 0.02, {key} = {value} }} }}
                  {held}
                end
                shot:drag{{ linear = 5 }}"
            )
        };
        let rest = |meshes: &str, value: &str, body: usize| {
            let simulation = after(&text(meshes, value), 110);
            assert!(
                simulation.report().fastest < FASTEST,
                "{key}: {}",
                simulation.report().fastest
            );
            positions(&simulation, body)
        };
        let [own, other] = values.map(|value| rest("one", &value.to_string(), 0));
        let map = format!("function(p) return p.z < 1 and {} or {} end", values[0], values[1]);
        let joined = rest("retake.mesh.join { one, other }", &map, 0);
        let apart = |a: &[DVec3], b: &[DVec3]| {
            a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
        };
        let (here, there) = joined.split_at(own.len());
        let there: Vec<DVec3> = there.iter().map(|p| *p - DVec3::Z * 2.0).collect();
        let (first, second) = (apart(here, &own), apart(&there, &other));
        let differ = apart(&own, &other);
        println!(
            "validation: map of {key}: off by {first:.2e} and {second:.2e}, {differ:.2e} apart"
        );
        assert!(first < BY && second < BY, "{key}: off by {first} and {second} m");
        assert!(differ > 10.0 * BY, "{key} hardly matters: {differ} m");
    }
}

/// Where a map of creases says so cloth stays folded, and beside it springs back (as in [`a_sharp_fold_stays`]).
#[test]
fn creases_differ_from_place_to_place() {
    let text = "local shot = retake.shot{ name = 'crease', duration = 4, gravity = { 0, 0, 0 } }
        local one = retake.mesh.grid{ size = { 1, 0.3 }, vertices = { 21, 7 } }
        local flat = retake.mesh.join { one, one:moved{ translate = { 0, 2, 0 } } }
        local folded = flat:displaced(function(p) return math.min(p.x, 0), p.y, math.max(p.x, 0) end)
        shot:cloth{ mesh = folded, rest = flat, self_collision = false,
          material = retake.material.membrane{ young = 500, bend = 1e-2, density = 0.1, damping = 0.05,
            crease = function(p) return p.y < 1 and 10 or 40 end } }
        shot:drag{ linear = 10 }";
    let x = positions(&after(text, 90), 0);
    let angle = |first: usize| {
        let side = |a: usize, b: usize| (x[first + 3 * 21 + b] - x[first + 3 * 21 + a]).normalize();
        rotation::angle_between(side(0, 8), side(12, 20)).to_degrees()
    };
    let [stays, springs_back] = [angle(0), angle(21 * 7)];
    assert!((stays - (90.0 - 28.65)).abs() < 2.0, "{stays}");
    assert!(springs_back < 2.0, "{springs_back}");
}

/// A sack of 0.2 m whose bottom is a pole of 36 slivers: what amends their bends is known to the tangent, and a round is enough.
#[test]
fn a_sack_that_ends_in_a_pole_hangs_in_a_round_a_substep() {
    let text = "local shot = retake.shot { name = \"shot\", frames = 3 }
        local profile = { { 0, -0.2 } }
        for k = 1, 14 do
          local a = math.rad(-90 + 90 * k / 14)
          profile[#profile + 1] = { 0.2 * math.cos(a), 0.2 * math.sin(a) }
        end
        local sack = shot:cloth { mesh = retake.mesh.lathe { profile = profile, segments = 36 } }
        shot:pin { points = sack:where(function(p) return p.y > -0.01 end) }";
    let mut simulation = start(&scene(text));
    for _ in 0..2 {
        run(&mut simulation, 1);
        let rounds = &simulation.report().rounds;
        assert!(rounds.iter().all(|rounds| *rounds <= 2), "{rounds:?}");
    }
}

/// A loop of paper, which weighs 4 g, bears the plate that flattens it with 1 N. The plate waits at most until the layer
/// between them is as hard as that asks for.
#[test]
fn a_plate_flattens_a_loop_of_paper() {
    let text = "local shot = retake.shot { name = \"shot\", frames = 18 }
        local r = 0.015
        local half = math.pi * r / 2
        local sheet = retake.mesh.grid { size = { 0.2, 0.2 }, vertices = { 27, 27 }, normal = { 0, 1, 0 } }
        local loop = sheet:displaced(function(p)
          local s = p.x
          if s < -half then return s + half, 0.0005, p.z end
          if s > half then return half - s, 2 * r + 0.0005, p.z end
          return r * math.cos(s / r), 0.0005 + r + r * math.sin(s / r), p.z
        end)
        shot:cloth { thickness = 0.0005, material = retake.material.fabric \"paper\", rest = \"flat\", mesh = loop }
        shot:ground { friction = 0.5 }
        local closes = retake.keys { { 0, { 0, 0.06, 0 } }, { 0.6, { 0, 0.03, 0 } } }
        shot:collider { mesh = retake.mesh.box { size = { 0.5, 0.02, 0.4 } }, friction = 0.5, translate = closes }";
    let scene = scene(text);
    let mut simulation = start(&scene);
    run(&mut simulation, 17);
    let BodyPose::Posed(place, _) = simulation.body(2) else { panic!("it keeps its shape") };
    assert!((place.y - 0.03).abs() < 1e-9, "{place}");
}

/// A box of 10 kg falls on a sheet of cotton of 20 g that lies on the ground. What pinches the sheet resists by its own mass:
/// places that resist by the mass of a node, 0.08 g, let the box in to the skin again with each that comes to bear.
#[test]
fn a_heavy_box_is_stopped_through_a_sheet() {
    let text = "local shot = retake.shot { name = \"shot\", frames = 20 }
        shot:ground { friction = 0.6 }
        local mesh = retake.mesh.grid { size = { 0.4, 0.4 }, vertices = { 17, 17 }, normal = { 0, 1, 0 } }
        shot:cloth { mesh = mesh, material = retake.material.fabric \"cotton\", friction = 0.5, translate = { 0, 0.004, 0 } }
        local box = retake.mesh.box { size = { 0.25, 0.15, 0.25 } }
        shot:rigid { mesh = box, mass = 10, translate = { 0, 0.25, 0 }, rotate = { 3, 0, 2 }, friction = 0.5 }";
    let scene = scene(text);
    let mut simulation = start(&scene);
    run(&mut simulation, 11);
    for frame in 13..=20 {
        run(&mut simulation, 1);
        let report = simulation.report();
        assert!(report.steps <= 16 && report.pressed_in < 0.5, "frame {frame}: {report:?}");
    }
    let BodyPose::Posed(place, _) = simulation.body(2) else { panic!("it keeps its shape") };
    assert!(place.y > 0.0755 && place.y < 0.0785, "{place}");
    assert!(simulation.report().fastest < 0.01);
}
