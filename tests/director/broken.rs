//! Broken scripts: the line, the fault and the way out.

use crate::{HEAD, problem, scene};

#[test]
fn broken_scripts_are_named_with_line_and_advice() {
    let cases: &[(&str, &str)] = &[
        (
            "shot:cloth{\n  name = \"a\",\n  mesh = grid,\n  colour = \"#ff0000\",\n}",
            "shot.lua:8: unknown key `colour` in cloth; did you mean `color`?",
        ),
        (
            "shot:cloth{ mesh = 3 }",
            "shot.lua:5: `mesh` in cloth must be a mesh, not 3; make one with `retake.mesh.grid{ ... }` or `retake.mesh.load(path)`",
        ),
        ("shot:cloth{ name = \"b\" }", "shot.lua:5: cloth needs `mesh`; mesh: its surface"),
        (
            "shot:cloth{ mesh = grid, friction = -1 }",
            "shot.lua:5: `friction` in cloth must be a number from 0 to 100, `mesh:map \"name\"`, a list with one number a vertex (25), or a function of p, not -1",
        ),
        ("shot:cloth{ mesh = grid, thickness = { 1, 2 } }", "not a list of 2 values"),
        (
            "shot:cloth{\n  mesh = grid,\n  friction = function(p)\n    return p.y > 0 and 1\n  end,\n}",
            "shot.lua:7: `friction` in cloth must be a number from 0 to 100, `mesh:map \"name\"`, a list with one number a vertex (25), or a function of p, not a function that returns false at vertex 10 (counted from 0)",
        ),
        (
            "shot:cloth{ mesh = grid, material = retake.material.fabric \"denimm\" }",
            "shot.lua:5: there is no fabric \"denimm\"; did you mean \"denim\"?",
        ),
        (
            "shot:cloth{ mesh = grid, material = \"cottn\" }",
            "shot.lua:5: `material` in cloth must be a material, not \"cottn\"; write `retake.material.fabric \"cotton\"`",
        ),
        (
            "local m = retake.material.fabric \"silk\"\nm.strecth = 3\nshot:cloth{ mesh = grid, material = m }",
            "shot.lua:7: unknown key `strecth` in material;",
        ),
        (
            "shot:cloth{ mesh = grid, rest = \"falt\" }",
            "shot.lua:5: `rest` in cloth must be \"start\", \"flat\", \"uv\" or a mesh with the same triangles, not \"falt\"; did you mean \"flat\"?",
        ),
        (
            "shot:cloth{ mesh = grid, rest = retake.mesh.grid{ vertices = { 3, 3 } } }",
            "shot.lua:5: the mesh of `rest` in cloth must have the same triangles as `mesh`: it has 9 vertices and 8 triangles, not 25 and 32; make one from the other",
        ),
        (
            "shot:cloth{ name = \"cape\", mesh = grid }",
            "shot.lua:5: there is a body called `cape` already; it is made at shot.lua:4",
        ),
        (
            "shot:cloth{ name = \"a/b\", mesh = grid }",
            "shot.lua:5: `a/b` cannot be a name: a name may have letters, digits, spaces and `_ - .`; names become file names",
        ),
        (
            "shot.cloth{ mesh = grid }",
            "shot.lua:5: `shot:cloth` must be called on a shot, not on a table; call it with a colon: `shot:cloth`",
        ),
        (
            "shot:clot{ mesh = grid }",
            "shot.lua:5: unknown call `shot:clot`; did you mean `shot:cloth`?",
        ),
        ("shot:rigid{ mesh = grid }", "shot.lua:5: the mesh of `rigid 1` is not closed"),
        ("shot:scenery{ match = 'Set_*' }", "shot.lua:5: scenery needs `from`"),
        ("retake.stage 'set.glb'", "shot.lua:5: cannot find the file `set.glb`"),
        ("shot:rope{ length = 1 }", "shot.lua:5: unknown key `length` in rope"),
        (
            "shot:rope{ mesh = grid }",
            "the mesh of a rope is a line; make it with `retake.mesh.rope{ from = ..., to = ... }`",
        ),
        (
            "shot:cloth{ mesh = retake.mesh.rope{ from = { 0, 0, 0 }, to = { 1, 0, 0 } } }",
            "the mesh has no triangles; a line makes a `shot:rope`",
        ),
        (
            "retake.mesh.rope{ length = 1 }",
            "a rope leads `from` a place `to` a place, or along a `path`",
        ),
        (
            "retake.mesh.rope{ from = { 0, 0, 0 }, to = { 1, 0, 0 }, length = 0.5 }",
            "`length` is 0.5 m, and the ends are 1 m apart",
        ),
        (
            "retake.mesh.gird{ size = 1 }",
            "shot.lua:5: unknown call `retake.mesh.gird`; did you mean `retake.mesh.grid`?",
        ),
        (
            "retake.mesh:grid{ size = 1 }",
            "shot.lua:5: `retake.mesh.grid` was called with a colon; call it with a dot: `retake.mesh.grid`",
        ),
        (
            "retake.mesh.grid{ size = { 1, -2 } }",
            "shot.lua:5: `size` in grid must be a length or two lengths {width, height} above 0 (m), not {1, -2}",
        ),
        (
            "retake.mesh.grid{ size = 1, vertices = { 99999, 99999 } }",
            "shot.lua:5: the mesh would have about 9999800001 vertices; at most 5000000 are possible",
        ),
        ("retake.mesh.grid{ size = 1, spacing = 1e-9 }", "at most 5000000 are possible"),
        (
            "shot:pin{ points = cloth }",
            "shot.lua:5: `points` in pin must be points, not a body; write `body:all()` for every point of a body",
        ),
        (
            "shot:pin{ points = cloth:inside{ { 8, 8, 8 }, { 9, 9, 9 } } }",
            "shot.lua:5: `points` in pin has no points; the selection found nothing; places are world coordinates [m] at the start",
        ),
        (
            "shot:pin{ points = cloth:edge \"topp\" }",
            "shot.lua:5: `body:edge` takes one of \"top\", \"bottom\", \"left\", \"right\", not \"topp\"; did you mean \"top\"?",
        ),
        ("cloth:row(5)", "shot.lua:5: `cape` has the rows 0 to 4 (counted from 0), not 5"),
        (
            "cloth:vertices{ 3, 25 }",
            "shot.lua:5: `cape` has the vertices 0 to 24 (counted from 0), not 25",
        ),
        (
            "local c = shot:collider{ mesh = retake.mesh.sphere{} }\nc:edge \"top\"",
            "shot.lua:6: `body:edge` needs a grid, and the mesh of `collider 1` is none; use `body:where(...)`, `body:inside{...}` or `body:vertices{...}`",
        ),
        (
            "local c = shot:collider{ mesh = grid }\nshot:pin{ points = c:all() }",
            "shot.lua:6: `collider 1` is a collider: its points cannot be held; a collider moves by its `translate` and `rotate`",
        ),
        (
            "local p = shot:pin{ points = cloth:all() }\np:translate{ starts = 2, ends = 1, by = { 1, 0, 0 } }",
            "shot.lua:6: translate ends before it starts: `starts` is 2 s and `ends` is 1 s",
        ),
        (
            "local p = shot:pin{ points = cloth:all() }\np:scale{ starts = 1, ends = 1, by = { 1, 2, 0 } }",
            "shot.lua:6: scale takes no time: `starts` and `ends` are both 1 s; what a pin holds cannot be elsewhere at once",
        ),
        (
            "local p = shot:pin{ points = cloth:all() }\np:translate{ starts = 0, ends = 1, by = { 1, 0, 0 }, ease = \"smoth\" }",
            "did you mean \"smooth\"?",
        ),
        (
            "local p = shot:pin{ points = cloth:all() }\np:release{}",
            "shot.lua:6: release needs `at` (seconds); write `:release{ at = 5.0 }`; without `at` it is for callbacks",
        ),
        (
            "shot:attach{ points = cloth:all(), to = \"cap\" }",
            "shot.lua:5: there is no body or group called `cap`; did you mean `cape`?",
        ),
        (
            "shot:attach{ points = cloth:all(), to = cloth }",
            "shot.lua:5: points of `cape` cannot ride on `cape` itself",
        ),
        (
            "shot:stitch{ a = cloth:edge \"left\", b = cloth:edge \"left\" }",
            "shot.lua:5: vertex 0 of `cape` (counted from 0) would be stitched to itself; the two sides must differ",
        ),
        (
            "shot:wind{ velocity = { 1, 2 } }",
            "shot.lua:5: `velocity` in wind must be a vector {x, y, z}, `retake.keys` of vectors, or a function of time that returns x, y, z, not {1, 2}",
        ),
        (
            "shot:wind{ velocity = function(t) return t end }",
            "not a function that returns 0 at t = 0",
        ),
        ("shot:wind{ velocity = retake.keys{ { 0, 1 }, { 1, 2 } } }", "not keys of numbers"),
        ("shot:wind{ velocity = 0/0 }", ", not nan"),
        (
            "retake.keys{ { 1, 0 }, { 0, 1 } }",
            "shot.lua:5: key 2 is at 0 s, and the one before at 1 s: times must grow",
        ),
        (
            "retake.keys{ { 0, 0 },\n { 1, 1, ease = \"bounce\" } }",
            "shot.lua:6: `ease` of key 2 must be one of",
        ),
        (
            "retake.keys{ { 0, 0, 0, 0 } }",
            "key 1 of keys has a value too many at 3; a key is { time, value, ease = ... }; a vector is { time, {x, y, z} }",
        ),
        (
            "shot:force{ field = function(p) return 0, p.x end }",
            "shot.lua:5: `field` in force must return a force x, y, z, not 0, a symbol of a field",
        ),
        (
            "shot:force{ field = function(p) if p.x > 0 then return 0, 0, 0 end end }",
            "shot.lua:5: a field is asked once with symbols, so that nothing in it can be compared; write `retake.select(a - b, yes, no)`",
        ),
        (
            "shot:force{ field = function(p) return math.sin(p.t), 0, 0 end }",
            "number expected, got a symbol of a field); write `retake.sin`",
        ),
        (
            "shot:force{ field = function(p) return p.u, 0, 0 end }",
            "shot.lua:5: the point of a field has no \"u\"; it has t, x, y, z, vx, vy and vz",
        ),
        (
            "shot:force{ field = function(p) return 1 / (p.x - p.x), 0, 0 end }",
            "shot.lua:5: `field` in force is no number at {-0.5, 0.5, 0}, where `cape` starts",
        ),
        ("shot:force{}", "shot.lua:5: force needs `vector` or `field`"),
        (
            "shot:solver{\n  step = 0.01,\n  method = \"shape_matchin\",\n}",
            "did you mean \"shape_matching\"",
        ),
        (
            "shot:solver{}\nshot:solver{}",
            "shot.lua:6: `shot:solver` was called before; the first call is at shot.lua:5",
        ),
        (
            "shot:output{ caches = \"mdf\" }",
            "shot.lua:5: `caches` in output must be one of \"pc2\", \"mdd\", not \"mdf\"; did you mean \"mdd\"?",
        ),
        ("shot:output{ alembic = 1 }", "shot.lua:5: `alembic` in output must be true or false"),
        (
            "shot:output{\n  images = {\n    width = 100,\n    hight = 50,\n  },\n}",
            "shot.lua:8: unknown key `hight` in images; did you mean `height`?",
        ),
        (
            "shot:output{ images = { cameras = { \"font\" } } }\nshot:camera{ name = \"front\", position = { 0, 0, 3 } }\nreturn shot",
            "`cameras` of images names `font`, which is no camera; did you mean `front`?",
        ),
        (
            "shot:light{ kind = \"sun\", position = { 0, 1, 0 } }",
            "shot.lua:5: a light of the kind \"sun\" has no `position`; it takes `direction`, `angle`",
        ),
        (
            "shot:camera{ position = { 0, 0, 3 }, lens = 50, fov = 40 }",
            "shot.lua:5: camera has both `lens` and `fov`; give one of them",
        ),
        (
            "retake.shot{ name = \"y\", duration = 1 }",
            "shot.lua:5: a script makes one shot; the first is made at shot.lua:2",
        ),
        (
            "retake.mesh.load \"cape.obj\"",
            "shot.lua:5: cannot find the file `cape.obj`; paths are relative to the script",
        ),
        ("local x = nil\nx.y = 3", "shot.lua:6: attempt to index a nil value (local 'x')"),
        (
            "prnt(3)",
            "shot.lua:5: attempt to call a nil value (global 'prnt'); did you mean `print`?",
        ),
        (
            "local now = os.time()",
            "shot.lua:5: attempt to index a nil value (global 'os'); scripts reach nothing outside and run alike each time: they have no `os`",
        ),
        ("local x = = 3", "shot.lua:5: unexpected symbol near '='"),
        ("error \"no wind today\"", "shot.lua:5: no wind today"),
        ("assert(1 == 2, \"sums are wrong\")", "sums are wrong"),
        (
            "shot:measure{ name = \"m\", value = 3 }",
            "shot.lua:5: `value` in measure must be a function, not 3",
        ),
        (
            "shot:cloth{ mesh = grid, grid }",
            "shot.lua:5: cloth has a mesh without a key; write `key = value`;",
        ),
        (
            "shot:cloth(grid)",
            "shot.lua:5: `shot:cloth` takes a table with named keys, not a mesh; write `shot:cloth{ ... }`",
        ),
        (
            "local t = { [{}] = 1 }\nfor k in pairs(t) do end",
            "shot.lua:6: a table as a key of a table has no reproducible order",
        ),
        (
            "shot:cloth{ mesh = grid, shrink = function(p) return p.y end }",
            "shot.lua:5: `shrink` in cloth must be a number from 0.01 to 100, `retake.keys` of numbers, `mesh:map \"name\"`, a list with one number a vertex (25), or a function of p, not a function that returns 0 at vertex 10 (counted from 0), t = 0",
        ),
        (
            "shot:cloth{ mesh = grid, translate = function(t) return t, 0, 0 end }",
            "shot.lua:5: a cloth whose `translate` changes over time needs `driven_until`; it says when the body is set free",
        ),
        (
            "retake.param(\"Wind speed\", 3)",
            "shot.lua:5: `Wind speed` cannot be a parameter's name",
        ),
        (
            "local w = retake.param(\"w\", 3, { mim = 2 })",
            "shot.lua:5: unknown key `mim` in param; did you mean `min`?",
        ),
        ("shot:scenery{}", "shot.lua:5: scenery needs `from`"),
        (
            "cloth.color = 3",
            "shot.lua:5: `color` of a body cannot be set; give it in the table of the call that makes it",
        ),
        ("require \"lib.cap\"", "shot.lua:5: cannot find the module `lib.cap`;"),
        (
            "shot:cloth{ mesh = grid, sealed = true }",
            "shot.lua:5: `sealed` in cloth needs `pressure`",
        ),
        (
            "shot:cloth{ mesh = grid, pressure = 3, sealed = true }\nreturn shot",
            "shot.lua:5: `cloth 1` is sealed but has a hole: an edge at (",
        ),
        (
            "shot:vortex{ strength = 1, axis = { 0, 0, 0 } }",
            "shot.lua:5: `axis` in vortex must be a direction other than zero, not {0, 0, 0}",
        ),
        ("print(shot:time(99))", "shot.lua:5: the shot has the frames 1 to 25, not 99"),
        (
            "shot:freeze{ points = cloth:all(), inside = { 1, 2 } }",
            "shot.lua:5: `inside` in freeze must be a box { {x, y, z}, {x, y, z} }, not {1, 2}",
        ),
    ];
    let mut wrong = Vec::new();
    for (script, expected) in cases {
        let text = format!("{HEAD}{script}\nreturn shot\n")
            .replace("return shot\nreturn shot", "return shot");
        let found = problem(&text);
        let is_right = if expected.starts_with("shot.lua") && !expected.ends_with(';') {
            found.starts_with(expected)
        } else {
            found.contains(expected) && found.starts_with("shot.lua")
        };
        if !is_right {
            wrong.push(format!("{script}\n  gives    {found}\n  expected {expected}\n"));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn a_name_of_the_scripts_own_is_not_taken_for_one_of_lua() {
    let found = problem("local retake = require \"retake\"\nlocal size = sheet.size\n");
    assert_eq!(found, "shot.lua:2: attempt to index a nil value (global 'sheet')");
}

#[test]
fn a_script_that_does_not_ask_for_retake_is_told_how() {
    let found = problem("local shot = retake.shot{ name = 'a', duration = 1 }\nreturn shot\n");
    let expected = "shot.lua:1: attempt to index a nil value (global 'retake'); begin the script with `local retake = require \"retake\"`";
    assert_eq!(found, expected);
}

#[test]
fn shots_without_an_end_or_a_return_are_refused() {
    let shot = |keys: &str| {
        problem(&format!("local retake = require 'retake'\nreturn retake.shot{{ {keys} }}"))
    };
    assert_eq!(
        shot("name = \"a\""),
        "shot.lua:2: shot needs `duration` or `frames`; write `duration = 6.0` (seconds) or \
         `frames = 144`"
    );
    assert!(shot("duration = 1").starts_with("shot.lua:2: shot needs `name`"));
    assert!(
        shot("name = \"a\", duration = 1, frames = 3").contains("both `duration` and `frames`")
    );
    assert!(shot("name = \"a\", duration = 1, fps = 0").contains("`fps` in shot must be"));
    assert!(shot("name = \"a\", duration = -1").contains("at least 0 (s), not -1"));
    assert_eq!(
        problem("local retake = require 'retake'\nretake.shot{ name = \"a\", duration = 1 }"),
        "shot.lua: the script does not return its shot; end it with `return shot`, where `local \
         shot = retake.shot{ ... }`"
    );
    assert!(problem("return 3").starts_with("shot.lua: the script makes no shot"));
}

#[test]
fn frame_rates_are_fractions() {
    let fps = |text: &str| {
        let script = format!(
            "local retake = require 'retake'\nlocal shot = retake.shot{{ name = \"a\", duration = \
             1, fps = {text} }}\nshot:cloth{{ mesh = retake.mesh.grid{{ vertices = 3 }} }}\nreturn \
             shot"
        );
        scene(&script).timing.fps
    };
    assert_eq!(fps("25"), (25, 1));
    assert_eq!(fps("23.976"), (24_000, 1001));
    assert_eq!(fps("29.97"), (30_000, 1001));
    assert_eq!(fps("{ 30000, 1001 }"), (30_000, 1001));
    assert_eq!(fps("12.5"), (25, 2));
}
