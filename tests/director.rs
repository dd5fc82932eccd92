//! Scripts to scenes: what is read, what is refused and how, and that equal scripts give equal
//! scenes.

use retake::diagnostics::Diagnostic;
use retake::director::{self, Built, Defaults, Limits, Request};
use retake::scene::world::{BodyView, Command, ConstraintView, ContactView, WorldView};
use retake::scene::{BodyKind, ConstraintKind, ForceKind, Scene, VertexMap};
use std::collections::BTreeMap;

type Parameters = BTreeMap<String, serde_json::Value>;

/// A project in a folder of its own.
struct Project {
    folder: tempfile::TempDir,
    parameters: Parameters,
    defaults: Defaults,
    limits: Limits,
}

impl Project {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            parameters: Parameters::new(),
            defaults: Defaults::default(),
            limits: Limits::default(),
        }
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn build(&self, script: &str) -> Result<Built, Vec<Diagnostic>> {
        let request = Request {
            script: &self.folder.path().join(script),
            root: self.folder.path(),
            assets: &[],
            parameters: &self.parameters,
            defaults: self.defaults,
        };
        director::build_within(&request, self.limits)
    }
}

fn build(text: &str) -> Result<Built, Vec<Diagnostic>> {
    let project = Project::new();
    project.write("shot.lua", text);
    project.build("shot.lua")
}

fn scene(text: &str) -> Scene {
    match build(text) {
        Ok(built) => built.scene,
        Err(problems) => panic!("{}", shown(&problems)),
    }
}

fn shown(problems: &[Diagnostic]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

fn problem(text: &str) -> String {
    match build(text) {
        Ok(_) => panic!("this was accepted:\n{text}"),
        Err(problems) => shown(&problems),
    }
}

const CURTAIN: &str = r##"local retake = require "retake"

local wind = retake.param("wind", 4.0, { min = 0, max = 20, unit = "m/s", help = "gust" })
local fabric = retake.param("fabric", "cotton", { choices = { "silk", "cotton", "denim" } })
local cells = retake.param("cells", 12, { integer = true, min = 4, max = 400 })

local shot = retake.shot{ name = "curtain", fps = 24, duration = 2.0, preroll = 0.5 }
local sheet = retake.mesh.grid{ size = { 1.2, 2.0 }, vertices = { cells + 1, 21 } }
local left = shot:cloth{
  name = "left",
  mesh = sheet:moved{ translate = { -0.7, 2, 0 } },
  material = retake.material.fabric(fabric),
  thickness = 0.002,
}
local right = shot:cloth{ name = "right", mesh = sheet, translate = { 0.7, 2, 0 } }
local pole = shot:collider{
  name = "pole",
  mesh = retake.mesh.cylinder{ radius = 0.03, height = 3 },
  rotate = { 0, 0, 90 },
  translate = function(t) return 0, 3.2, 0.1 * math.sin(2 * t) end,
}
shot:ground{ height = 0, friction = 0.5 }
local rail = shot:pin{ points = left:edge "top", name = "rail" }
rail:translate{ starts = 0.5, ends = 1.2, by = { -0.4, 0, 0 }, ease = "smooth" }
rail:scale{ starts = 0.5, ends = 1.2, by = { 0.5, 1, 1 }, about = { -1.3, 3, 0 } }
rail:release{ at = 1.8 }
shot:attach{ points = right:edge "top", to = pole }
shot:stitch{ a = left:edge "right", b = right:edge "left", gap = "close", breaks_at = 3 }
shot:wind{
  velocity = retake.keys{ { 0, { 0, 0, 0 } }, { 1, { 0, 0, wind }, ease = "sine_in" } },
  turbulence = 0.3,
}
shot:drag{ linear = 0.1, bodies = { left, "right" } }
shot:force{ vector = { 0, 0, 0.1 }, per = "mass", starts = 1 }
shot:contact{ a = left, b = "pole", friction = 0.1 }
shot:collisions{ self = true, friction = 0.4 }
shot:solver{ tolerance = 0.2 }
left:look{ color = "#c83232", roughness = 0.8 }
shot:camera{ name = "front", position = { 0, 2, 6 }, look_at = { 0, 2, 0 }, fov = 40 }
shot:light{ kind = "sun", direction = { -1, -2, -1 }, strength = 3 }
shot:output{ sheet = 6, images = { width = 320, height = 180, cameras = { "front" } } }
return shot
"##;

#[test]
fn a_whole_shot_becomes_a_scene() {
    let scene = scene(CURTAIN);
    assert_eq!(scene.name, "curtain");
    assert_eq!((scene.timing.fps, scene.timing.frames), ((24, 1), 48));
    let names: Vec<&str> = scene.bodies.iter().map(|b| b.name.as_str()).collect();
    assert_eq!(names, ["left", "right", "pole", "ground"]);
    assert_eq!(scene.meshes.len(), 4);
    let BodyKind::Cloth(cloth) = &scene.bodies[0].kind else { panic!("no cloth") };
    assert!(cloth.material.label.starts_with("cotton"));
    assert!(matches!(cloth.material.density, VertexMap::Uniform(d) if d == 0.128));
    let ConstraintKind::Pin { points, motion } = &scene.constraints[0].kind else { panic!() };
    assert_eq!(points[0].vertices, (0..13).collect::<Vec<u32>>());
    assert_eq!(motion.moves.len(), 2);
    assert_eq!(scene.constraints[0].ends, Some(1.8));
    assert_eq!(scene.constraints[1].name, "attach 1");
    assert!(scene.bodies[2].is_moved());
    assert!(matches!(scene.forces[0].kind, ForceKind::Wind { .. }));
    assert_eq!(scene.forces[1].bodies.as_deref(), Some(&[0, 1][..]));
    assert_eq!(scene.bodies[1].place.line, 15);
    let lens = scene.cameras[0].lens.at(0.0);
    assert!((lens - 18.0 / (16.0 / 9.0) / libm::tan(20f64.to_radians())).abs() < 1e-9);
}

#[test]
fn equal_scripts_give_equal_bytes() {
    let bytes = || postcard::to_allocvec(&scene(CURTAIN)).unwrap();
    assert_eq!(bytes(), bytes());
    let chancy = r#"
local retake = require "retake"
local shot = retake.shot{ name = "chance", duration = 1 }
local parts = { red = 1, blue = 2, green = 3, [1] = "a", [2.5] = "b", [true] = "c" }
local words = {}
for k, v in pairs(parts) do words[#words + 1] = tostring(k) .. "=" .. tostring(v) end
print(table.concat(words, " "), {}, print, math.random(1, 1000), next({ b = 1, a = 2 }))
local mesh = retake.mesh.grid{ size = 1, vertices = { 9, 9 } }:displaced(function(p)
  return p.x, p.y, 0.1 * math.random() + 0.1 * retake.noise{ at = { p.x, p.y, 0 } }
end)
shot:cloth{ name = "sheet", mesh = mesh }
return shot
"#;
    let [a, b] = [build(chancy).ok().unwrap(), build(chancy).ok().unwrap()];
    assert_eq!(a.printed, b.printed);
    assert!(
        a.printed[0].starts_with("1=a 2.5=b blue=2 green=3 red=1 true=c\ttable\tfunction\t"),
        "{:?}",
        a.printed
    );
    assert!(a.printed[0].ends_with("\ta\t2"));
    assert_eq!(postcard::to_allocvec(&a.scene).unwrap(), postcard::to_allocvec(&b.scene).unwrap());
}

#[test]
fn parameters_take_strings_and_are_checked() {
    let mut project = Project::new();
    project.write("shot.lua", CURTAIN);
    project.parameters.insert("wind".into(), "12".into());
    project.parameters.insert("cells".into(), 8.into());
    let built = project.build("shot.lua").ok().unwrap();
    assert_eq!(built.scene.source.parameters["wind"], 12);
    assert_eq!(built.scene.meshes[0].grid, Some((9, 21)));
    let names: Vec<&str> = built.parameters.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["wind", "fabric", "cells"]);
    assert_eq!(built.parameters[0].max, Some(20.0));

    let mut refused = |name: &str, value: &str, expected: &str| {
        project.parameters = [(name.to_owned(), value.into())].into();
        let problems = shown(&project.build("shot.lua").err().unwrap());
        assert_eq!(problems, expected);
    };
    refused("wind", "30", "shot.lua:3: the parameter `wind` must be at most 20, not 30");
    refused("wind", "much", "shot.lua:3: the parameter `wind` must be a number, not \"much\"");
    refused("cells", "4.5", "shot.lua:5: the parameter `cells` must be a whole number, not 4.5");
    refused(
        "fabric",
        "denin",
        "shot.lua:4: the parameter `fabric` must be one of \"silk\", \"cotton\", \"denim\", not \
         \"denin\"; did you mean \"denim\"?",
    );
    refused("windd", "3", "shot.lua: the script has no parameter `windd`; did you mean `wind`?");
}

/// Lines 1 to 4 of most broken scripts.
const HEAD: &str = "local retake = require \"retake\"
local shot = retake.shot{ name = \"x\", duration = 1 }
local grid = retake.mesh.grid{ size = { 1, 1 }, vertices = { 5, 5 } }
local cloth = shot:cloth{ name = \"cape\", mesh = grid }
";

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
            "local m = retake.material.fabric \"silk\"\nm.strecth = 3\nshot:cloth{ mesh = grid, material = m }",
            "shot.lua:7: unknown key `strecth` in material;",
        ),
        (
            "shot:cloth{ mesh = grid, rest = \"falt\" }",
            "shot.lua:5: `rest` in cloth must be one of \"start\", \"flat\", not \"falt\"; did you mean \"flat\"?",
        ),
        (
            "shot:cloth{ mesh = grid, rest = \"uv\" }",
            "shot.lua:5: `rest = \"uv\"` in cloth is not built yet",
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
        ("shot:rigid{ mesh = grid }", "shot.lua:5: `shot:rigid` is not built yet"),
        ("shot:joint{ kind = \"hinge\" }", "shot.lua:5: `shot:joint` is not built yet"),
        ("retake.mesh.tet_box{ size = 1 }", "shot.lua:5: `retake.mesh.tet_box` is not built yet"),
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
            "shot.lua:5: `size` in grid must be a length or two lengths {width, height} above 0 (m), not a table",
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
            "shot.lua:5: `velocity` in wind must be a vector {x, y, z}, `retake.keys` of vectors, or a function of time that returns x, y, z, not a table",
        ),
        (
            "shot:wind{ velocity = function(t) return t end }",
            "not a function that returns 0 at t = 0",
        ),
        ("shot:wind{ velocity = retake.keys{ { 0, 1 }, { 1, 2 } } }", "not keys of numbers"),
        ("shot:wind{ velocity = 0/0 }", "not nan (not a number)"),
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
            "shot:force{ field = function(p) return 0, 0, 0 end }",
            "shot.lua:5: `field` in force is not built yet",
        ),
        (
            "shot:solver{\n  step = 0.01,\n  method = \"verlet\",\n}",
            "shot.lua:7: `method = \"verlet\"` in solver is not built yet; there is \"auto\"",
        ),
        (
            "shot:solver{}\nshot:solver{}",
            "shot.lua:6: `shot:solver` was called before; the first call is at shot.lua:5",
        ),
        ("shot:output{ usd = true }", "shot.lua:5: `usd` in output is not built yet"),
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
            "shot.lua:5: a value that differs from vertex to vertex for `shrink` in cloth is not built yet",
        ),
        (
            "shot:cloth{ mesh = grid, translate = function(t) return t, 0, 0 end }",
            "shot.lua:5: a `translate` of cloth that changes over time is not built yet; pin its points and move the pin",
        ),
        (
            "retake.param(\"Wind speed\", 3)",
            "shot.lua:5: `Wind speed` cannot be a parameter's name",
        ),
        (
            "local w = retake.param(\"w\", 3, { mim = 2 })",
            "shot.lua:5: unknown key `mim` in param; did you mean `min`?",
        ),
        ("shot:scenery{}", "shot.lua:5: `shot:scenery` is not built yet"),
        (
            "cloth.color = 3",
            "shot.lua:5: `color` of a body cannot be set; give it in the table of the call that makes it",
        ),
        ("require \"lib.cap\"", "shot.lua:5: cannot find the module `lib.cap`;"),
        (
            "shot:cloth{ mesh = grid, pressure = 3 }",
            "shot.lua:5: `pressure` in cloth is not built yet",
        ),
        ("print(shot:time(99))", "shot.lua:5: the shot has the frames 1 to 25, not 99"),
        (
            "shot:freeze{ points = cloth:all(), inside = { 1, 2 } }",
            "shot.lua:5: `inside` in freeze must be a box { {x, y, z}, {x, y, z} }, not a table",
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

// The sandbox -----------------------------------------------------------------------------------

#[test]
fn nothing_reaches_outside() {
    for name in [
        "os",
        "io",
        "package",
        "debug",
        "dofile",
        "loadfile",
        "loadstring",
        "collectgarbage",
        "warn",
        "string.dump",
        "getfenv",
        "module",
    ] {
        let found = problem(&format!("if {name} == nil then error('gone', 0) end"));
        assert_eq!(found, "gone", "{name}");
    }
    let script = "local f = string.char(27) .. 'Lua'\nlocal ok, why = load(f)\nerror(why, 0)";
    assert!(problem(script).contains("attempt to load a binary chunk"));
    assert!(problem("setmetatable({}, { __gc = function() end })").contains("`__gc`"));
    assert!(problem("print(('x'):format('%p', {}), string.format('%5p', {}))").contains("`%p`"));
}

#[test]
fn modules_lie_beside_the_script_or_in_scripts() {
    let project = Project::new();
    project.write("shots/lib/cape.lua", "local M = {}\nM.name = 'cape'\nreturn M");
    project.write("scripts/studio.lua", "return { fps = 30 }");
    project.write("secret.lua", "return 1");
    project.write("shots/loop.lua", "return require 'loop'");
    project.write("shots/bytes.lua", "\u{1b}Lua");
    project.write(
        "shots/a.lua",
        "local retake = require 'retake'\nlocal cape, studio = require 'lib.cape', require \
         'studio'\nassert(require 'lib.cape' == cape)\nlocal shot = retake.shot{ name = cape.name, \
         duration = 1, fps = studio.fps }\nshot:cloth{ mesh = retake.mesh.grid{ vertices = 3 } \
         }\nreturn shot",
    );
    let built = project.build("shots/a.lua").ok().unwrap();
    let paths: Vec<&str> = built.sources.iter().map(|s| s.path.as_str()).collect();
    assert_eq!(paths, ["shots/a.lua", "shots/lib/cape.lua", "scripts/studio.lua"]);
    assert_eq!(built.scene.source.script, "shots/a.lua");
    for (name, expected) in [
        ("../secret", "is not a module's name"),
        ("/etc/passwd", "is not a module's name"),
        ("secret", "cannot find the module `secret`"),
        ("loop", "the module `loop` requires itself"),
        ("bytes", "it is bytecode"),
        ("studi", "did you mean `studio`?"),
    ] {
        project.write("shots/b.lua", &format!("require '{name}'"));
        let found = shown(&project.build("shots/b.lua").err().unwrap());
        assert!(found.contains(expected), "{name}: {found}");
    }
}

#[test]
fn files_are_read_below_the_root_only() {
    let project = Project::new();
    let outside = tempfile::tempdir().unwrap();
    let cube = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    std::fs::write(outside.path().join("far.obj"), cube).unwrap();
    project.write("meshes/near.obj", cube);
    let load = |path: &str| {
        project.write(
            "shot.lua",
            &format!(
                "local retake = require 'retake'\nlocal shot = retake.shot{{ name = 'a', duration \
                 = 1 }}\nshot:cloth{{ mesh = retake.mesh.load '{path}' }}\nreturn shot"
            ),
        );
        project.build("shot.lua").map(|b| b.scene.meshes[0].positions.len())
    };
    assert_eq!(load("meshes/near.obj").ok().unwrap(), 3);
    let far = outside.path().join("far.obj");
    assert!(
        shown(&load(far.to_str().unwrap()).unwrap_err()).contains("lies outside of the project")
    );
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&far, project.folder.path().join("link.obj")).unwrap();
        let found = shown(&load("link.obj").unwrap_err());
        assert!(found.starts_with("shot.lua:3: `link.obj` lies outside of the project"), "{found}");
    }
    assert!(shown(&load("meshes").unwrap_err()).contains("is not a file"));
    project.write("bad.obj", "v 0 0 0\nf 1 2 3\n");
    let found = shown(&load("bad.obj").unwrap_err());
    assert!(found.starts_with("shot.lua:3: bad.obj:2: "), "{found}");
}

#[test]
fn endless_work_is_stopped_for_good() {
    let mut project = Project::new();
    project.limits.build_instructions = 2_000_000;
    project.limits.memory = 32 << 20;
    let stopped = |script: &str| {
        project.write("shot.lua", script);
        shown(&project.build("shot.lua").err().unwrap())
    };
    let steps = "the script was stopped: it did more than 2 million steps of work; look for a loop \
                 that does not end";
    assert_eq!(stopped("while true do end"), format!("shot.lua:1: {steps}"));
    for endless in [
        "local function f() while true do end end\nwhile true do pcall(f) end",
        "local co = coroutine.wrap(function() while true do coroutine.yield() end end)\nwhile true do co() end",
        "while true do\n  local ok = coroutine.resume(coroutine.create(function() while true do end end))\nend",
        "xpcall(function() while true do end end, function() while true do end end)\nwhile true do end",
        "return (('a'):rep(40)):find(('a*'):rep(25) .. 'b')",
        "(('a'):rep(40)):gsub(('a*'):rep(25) .. 'b', '')",
        "table.move({}, 1, 1e12, 2)",
        "local retake = require 'retake'\nwhile true do retake.mesh.sphere{ subdivisions = 5 } end",
        "('x'):rep(1e9, '')",
    ] {
        let found = stopped(endless);
        assert!(found.contains("the script was stopped"), "{endless}: {found}");
    }
    let memory = "the script was stopped: it used more than 32 MB of memory";
    for greedy in [
        "local s = 'x'\nwhile true do s = s .. s end",
        "local t = {}\nwhile true do pcall(function() t[#t + 1] = ('x'):rep(1e6) .. #t end) end",
    ] {
        let found = stopped(greedy);
        assert!(found.contains(memory), "{greedy}: {found}");
    }
    assert!(problem("local function f() return f() + 1 end\nf()").contains("stack overflow"));
    assert!(stopped("while true do print(('x'):rep(1000)) end").contains("prints more than"));
}

#[test]
fn lua_itself_works_as_its_manual_says() {
    let project = Project::new();
    project.write(
        "shot.lua",
        r##"
local function same(a, b) if a ~= b then error(tostring(a) .. " is not " .. tostring(b), 2) end end
same(("cape_01"):match("(%a+)_(%d+)"), "cape")
same(select(2, ("a,b,c"):gsub(",", ";")), 2)
same(("hello"):gsub("l+", string.upper), "heLLo")
same(("abc"):gsub("", "-"), "-a-b-c-")
same(("x = 3"):gsub("(%w+) = (%w+)", "%2 = %1"), "3 = x")
same(("$name"):gsub("%$(%w+)", { name = "cape" }), "cape")
local words = {}
for w in ("one two  three"):gmatch("%a+") do words[#words + 1] = w end
same(table.concat(words, "|"), "one|two|three")
same(("a.b"):find(".", 1, true), 2)
same(("a.b"):find("(b)"), 3)
same(select(3, ("a.b"):find("(b)")), "b")
same(("abc"):find("b", -1), nil)
same(("abc"):byte(2), 98)
same(string.format("%5.2f|%s|%d|%q", 3.14159, {}, 3, "a"), " 3.14|table|3|\"a\"")
local list = { 5, 2, 8, 1 }
table.sort(list)
same(table.concat(list, ","), "1,2,5,8")
table.sort(list, function(a, b) return a > b end)
same(table.concat(list, ","), "8,5,2,1")
table.insert(list, 1, 9)
same(table.remove(list), 1)
same(table.concat(list, ","), "9,8,5,2")
same(select("#", table.unpack({ 1, nil, 3 }, 1, 3)), 3)
local ok, why = pcall(error, { code = 3 })
same(why.code, 3)
same(select(2, pcall(error, "plain", 0)), "plain")
same(select(2, pcall(function() local x; return x.y end)):match("attempt to index.*"), "attempt to index a nil value (local 'x')")
same(select(2, xpcall(function() error("a", 0) end, function(e) return e .. "b" end)), "ab")
local co = coroutine.wrap(function(a) local b = coroutine.yield(a + 1); return b * 2 end)
same(co(1), 2)
same(co(10), 20)
local f = load("return 1 + 1")
same(f(), 2)
same(math.floor(3.7), 3)
same(math.log(8, 2), 3.0)
same(math.type(3), "integer")
same(#utf8.char(8364), 3)
local t = setmetatable({}, { __index = function(_, k) return k .. "!" end, __tostring = function() return "T" end })
same(t.x, "x!")
same(tostring(t), "T")
local seen = {}
for k in pairs({ z = 1, a = 2, [3] = 3 }) do seen[#seen + 1] = tostring(k) end
same(table.concat(seen), "3az")
same(next({}), nil)
local retake = require "retake"
local ok, why = pcall(retake.mesh.grid, { sise = 1 })
same(ok, false)
same(why:find("unknown key `sise` in grid; did you mean `size`?", 1, true) ~= nil, true)
local shot = retake.shot{ name = "a", duration = 1 }
shot:cloth{ mesh = retake.mesh.grid{ vertices = 3 } }
return shot
"##,
    );
    if let Err(problems) = project.build("shot.lua") {
        panic!("{}", shown(&problems));
    }
}

// Calls -----------------------------------------------------------------------------------------

#[test]
fn selections_join_and_subtract() {
    let script = format!(
        "{HEAD}local function n(p) print(p:count()) end\nn(cloth:edge \"top\" + cloth:edge \
         \"left\")\nn(cloth:all() - cloth:row(0))\nn(cloth:corner \"bottom-right\")\nn(cloth:at(1, \
         2) + cloth:nearest{{ 0.5, 0.5, 0 }})\nn(cloth:where(function(p) return p.y > 0 \
         end))\nn(cloth:inside{{ {{ -1, -1, -1 }}, {{ 0, 0, 1 }} }})\nn(cloth:column(4) - \
         cloth:edge \"right\")\nprint(cloth, cloth:point{{ 0.1, 0.1, 1 }})\nreturn shot"
    );
    let built = build(&script).ok().unwrap();
    assert_eq!(
        built.printed,
        ["9", "20", "1", "2", "10", "9", "0", "body cape\tplace {0.1, 0.1, 0} on cape"]
    );
}

#[test]
fn stitches_pair_in_order_or_to_the_nearest_place() {
    let script = format!(
        "{HEAD}local fine = shot:cloth{{ name = \"fine\", mesh = retake.mesh.grid{{ vertices = {{ \
         5, 9 }} }}, translate = {{ 1, 0, 0 }} }}\nshot:stitch{{ a = cloth:edge \"right\", b = \
         fine:edge \"left\" }}\nshot:stitch{{ a = cloth:edge \"top\", b = fine:edge \"top\" \
         }}\nshot:stitch{{ a = cloth:point{{ 0, 0, 0 }}, b = fine:corner \"top-left\" }}\nreturn \
         shot"
    );
    let scene = scene(&script);
    let pairs = |i: usize| match &scene.constraints[i].kind {
        ConstraintKind::Stitch { pairs, .. } => pairs.clone(),
        _ => panic!("no stitch"),
    };
    assert_eq!(pairs(0).len(), 9);
    assert_eq!(pairs(0)[0].a.vertices[0], 4);
    let halfway = &pairs(0)[1].a;
    assert_eq!((halfway.vertices[0], halfway.vertices[1]), (4, 9));
    assert!((halfway.weights[0] - 0.5).abs() < 1e-12);
    assert_eq!(pairs(1).len(), 5);
    assert_eq!(pairs(2).len(), 1);
}

#[test]
fn points_are_released_apart() {
    let script = format!(
        "{HEAD}local rail = shot:pin{{ points = cloth:edge \"top\", weight = function(p) return \
         0.5 + p.x end }}\nrail:release{{ at = 0.4, points = cloth:corner \"top-left\" \
         }}\nrail:translate{{ starts = 0, ends = 1, by = {{ 0, 1, 0 }} }}\nrail:release{{ at = 0.8 \
         }}\nreturn shot"
    );
    let scene = scene(&script);
    assert_eq!(scene.constraints.len(), 2);
    let points = |i: usize| match &scene.constraints[i].kind {
        ConstraintKind::Pin { points, motion } => (points[0].vertices.clone(), motion.moves.len()),
        _ => panic!("no pin"),
    };
    assert_eq!(points(0), (vec![1, 2, 3, 4], 1));
    assert_eq!(points(1), (vec![0], 1));
    assert_eq!((scene.constraints[0].ends, scene.constraints[1].ends), (Some(0.8), Some(0.4)));
    let weights = [&scene.constraints[0].weight, &scene.constraints[1].weight];
    assert!(matches!(weights[0], Some(VertexMap::PerVertex(w)) if w.len() == 4));
    assert!(matches!(weights[1], Some(VertexMap::PerVertex(w)) if w.len() == 1));
}

#[test]
fn values_over_time_and_space_become_data() {
    let script = "local retake = require 'retake'
local shot = retake.shot{ name = 'a', duration = 1, preroll = 0.5, curve_rate = 10, speed = 0.5 }
local cloth = shot:cloth{
  mesh = retake.mesh.grid{ size = 2, vertices = { 3, 3 } },
  translate = { 0, 5, 0 },
  shrink = function(p) return 1 - 0.1 * p end,
  friction = function(p) return p.y end,
  thickness = { 1e-3, 1e-3, 1e-3, 2e-3, 2e-3, 2e-3, 3e-3, 3e-3, 3e-3 },
  material = retake.material.membrane{ young = function(p) return 1000 + p.u end, bend = 1e-5 },
}
local mover = shot:collider{
  mesh = retake.mesh.sphere{},
  translate = function(t) return { t, 10, 0 } end,
  rotate = retake.keys{ { 0, { 0, 0, 0 } }, { 1, { 0, 90, 0 }, ease = 'linear' }, loop = true },
}
shot:pin{ points = cloth:edge 'top', scale = function(t) return 1 - 0.1 * t end }
return shot";
    let scene = scene(script);
    let BodyKind::Cloth(cloth) = &scene.bodies[0].kind else { panic!("no cloth") };
    assert!((cloth.shrink.at(0.3) - 0.97).abs() < 1e-9);
    assert!((cloth.shrink.at(-0.5) - 1.05).abs() < 1e-9);
    // One second of film at half speed, after half a second of preroll, ten samples a second.
    let retake::math::Curve::Samples { start, values, .. } = &scene.bodies[1].translate else {
        panic!("not sampled")
    };
    assert_eq!((*start, values.len()), (-0.5, 11));
    assert_eq!(scene.bodies[1].rotate.at(1.5).y, 45.0);
    assert_eq!(scene.bodies[0].friction.as_ref().unwrap().at(0), 6.0);
    assert_eq!(scene.bodies[0].thickness.as_ref().unwrap().at(8), 3e-3);
    assert!(cloth.material.young.at(2) > cloth.material.young.at(0));
    assert_eq!(cloth.material.young_weft, cloth.material.young);
    assert_eq!(cloth.material.bend_weft, VertexMap::Uniform(1e-5));
}

#[test]
fn large_meshes_with_functions_build_quickly() {
    let script = "local retake = require 'retake'
local shot = retake.shot{ name = 'a', duration = 1 }
local mesh = retake.mesh.grid{ size = 2, vertices = { 320, 320 } }:displaced(function(p)
  return p.x, p.y, 0.1 * math.sin(9 * p.x)
end)
local cloth = shot:cloth{ mesh = mesh, friction = function(p) return p.u end }
shot:pin{ points = cloth:where(function(p) return p.y > 0.99 end) }
return shot";
    let begin = std::time::Instant::now();
    assert_eq!(scene(script).meshes[0].positions.len(), 102_400);
    let seconds = begin.elapsed().as_secs_f64();
    assert!(seconds < 20.0, "it took {seconds} s");
}

// Callbacks -------------------------------------------------------------------------------------

fn view(frame: i32, scene: &Scene) -> WorldView {
    WorldView {
        frame,
        time: f64::from(frame - 1) / 24.0,
        bodies: scene
            .bodies
            .iter()
            .map(|_| BodyView { stretch: 0.05, fastest: 2.0, ..BodyView::default() })
            .collect(),
        contacts: vec![ContactView { a: 0, b: 1, count: frame as u32, impulse: 0.5 }],
        constraints: vec![ConstraintView { reaction: 7.0, broken: false }; scene.constraints.len()],
    }
}

const DIRECTED: &str = r#"
local retake = require "retake"
local shot = retake.shot{ name = "a", duration = 1 }
local grid = retake.mesh.grid{ size = 1, vertices = { 5, 5 } }
local cape = shot:cloth{ name = "cape", mesh = grid }
local ball = shot:collider{ name = "ball", mesh = retake.mesh.sphere{}, group = "set/props" }
local rail = shot:pin{ name = "rail", points = cape:edge "top" }
rail:release{ at = 0.5, points = cape:corner "top-left" }
shot:on_frame(function(frame, world)
  local memory = world.memory
  memory.count = (memory.count or 0) + 1
  memory.seen = memory.seen or {}
  memory.seen[frame] = { at = world.time, [2.5] = true }
  if world:contacts(cape, "set") >= 3 then
    rail:release{}
    world:event{ name = "caught", body = ball }
  end
  print("frame", frame, memory.count, math.random(1, 1000000))
  if frame == 5 then world:stop{ reason = "enough" } end
end)
shot:measure{ name = "load", unit = "N", value = function(world) return world:reaction(rail) end }
shot:measure{ name = "stretch", max = 0.1, value = function(world)
  local low, high = world:body("cape"):bounds()
  return world:body(cape):stretch() + low[1]
end }
return shot
"#;

#[test]
fn callbacks_see_the_frame_and_give_commands() {
    let built = build(DIRECTED).ok().unwrap();
    let (scene, mut director) = (built.scene, built.director);
    assert_eq!((scene.callbacks, scene.measures.len()), (1, 2));
    assert!(director.has_callbacks());
    let first = director.on_frame(&view(1, &scene)).unwrap();
    assert!(first.commands.is_empty() && first.events.is_empty() && first.stop.is_none());
    assert!(first.printed[0].starts_with("frame\t1\t1\t"), "{:?}", first.printed);
    let third = director.on_frame(&view(3, &scene)).unwrap();
    assert_eq!(
        third.commands,
        [Command::Release { constraint: 0 }, Command::Release { constraint: 1 }]
    );
    assert_eq!(third.events, [("caught".to_owned(), "ball".to_owned())]);
    assert_eq!(director.measure(&view(3, &scene)).unwrap(), [14.0, 0.05]);
    let fifth = director.on_frame(&view(5, &scene)).unwrap();
    assert_eq!(fifth.stop.as_deref(), Some("enough"));
    assert_eq!(director.memory()["count"], 3);
}

#[test]
fn a_resumed_run_is_the_same_run() {
    let one = build(DIRECTED).ok().unwrap();
    let (scene, mut whole) = (one.scene, one.director);
    whole.on_frame(&view(1, &scene)).unwrap();
    let saved = serde_json::to_string(&whole.memory()).unwrap();
    let second = whole.on_frame(&view(2, &scene)).unwrap();

    let mut resumed = build(DIRECTED).ok().unwrap().director;
    resumed.set_memory(serde_json::from_str(&saved).unwrap());
    assert_eq!(resumed.on_frame(&view(2, &scene)).unwrap(), second);
    assert_eq!(
        serde_json::to_string(&resumed.memory()).unwrap(),
        serde_json::to_string(&whole.memory()).unwrap()
    );
}

#[test]
fn callbacks_change_nothing_of_the_script() {
    let run = |body: &str| {
        let script = format!(
            "{HEAD}local count, list = 0, {{ 1, 2 }}\nlocal dice = retake.random{{ name = \"a\" \
             }}\nlocal function more() count = count + 1 end\nlocal rail = shot:pin{{ points = \
             cloth:edge \"top\" }}\nshot:on_frame(function(frame, world)\n  local _ = list, more, \
             rail, dice\n  {body}\nend)\nreturn shot"
        );
        let built = build(&script).unwrap_or_else(|p| panic!("{}", shown(&p)));
        let mut director = built.director;
        match director.on_frame(&view(1, &built.scene)) {
            Ok(_) => panic!("this was accepted: {body}"),
            Err(problem) => problem.to_string(),
        }
    };
    let hint = "callbacks remember things in `world.memory`, which is saved with each frame";
    assert_eq!(
        run("count = count + 1"),
        format!("shot.lua:9: a callback changed `count` of the script; {hint}")
    );
    assert!(run("more()").contains("changed `more, count` of the script"));
    assert!(run("list[3] = 3").contains("changed `list.[3]` of the script"));
    assert!(run("secret = 1").contains("changed `global secret` of the script"));
    assert!(run("print(dice:number())").contains("cannot be drawn from in a callback"));
    assert!(run("shot:cloth{ mesh = grid }").starts_with(
        "shot.lua:11: `shot:cloth` cannot be called in a callback; the shot is built before it runs"
    ));
    assert!(run("rail:release{ at = 3 }").contains("in a callback `release` acts at once"));
    assert!(run("world:body(\"cap\")").contains("did you mean `cape`?"));
    assert!(run("world:body(cloth):push{ impulse = { 0, 1, 0 } }").contains("is not built yet"));
    assert!(run("world:body(cloth):speed()").contains("unknown call `world:body():speed`"));
    assert!(run("world.frame = 3").contains("cannot be set"));
    assert!(run("error('too far')").starts_with("shot.lua:11: too far"));
    assert!(run("assert(world.frame > 3, 'late')").contains("late"));
    assert!(run("world.memory.f = print").contains("`world.memory.f` is a function"));
    assert!(run("world.memory.x = 0 / 0").contains("cannot be remembered"));
    assert!(run("while true do end").contains("100 million steps"));
}

#[test]
fn measures_only_look() {
    let measure = |body: &str| {
        let script = format!(
            "{HEAD}local rail = shot:pin{{ points = cloth:edge \"top\" }}\nshot:measure{{ name = \
             \"m\", value = function(world) {body} end }}\nreturn shot"
        );
        let built = build(&script).unwrap_or_else(|p| panic!("{}", shown(&p)));
        let mut director = built.director;
        director.measure(&view(1, &built.scene)).unwrap_err().to_string()
    };
    assert_eq!(
        measure("return 'much'"),
        "shot.lua:6: the measure `m` must give a number, not \"much\""
    );
    assert!(measure("rail:release{} return 1").contains("a measure may look and not touch"));
    assert!(measure("world:stop{} return 1").contains("a measure may look and not touch"));
}

// What is printed from the schemas ----------------------------------------------------------------

#[test]
fn the_committed_editor_definitions_are_those_of_the_schemas() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/library/retake.lua");
    if std::env::var_os("RETAKE_UPDATE").is_some() {
        std::fs::create_dir_all(concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/library")).unwrap();
        std::fs::write(path, director::editor_definitions()).unwrap();
    }
    let committed = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        committed == director::editor_definitions(),
        "scripts/library/retake.lua is stale: run this test with RETAKE_UPDATE=1"
    );
}

#[test]
fn every_example_of_the_reference_runs() {
    let reference = director::reference();
    let blocks: Vec<&str> = reference
        .split("```lua\n")
        .skip(1)
        .filter_map(|rest| rest.split_once("\n```").map(|(block, _)| block))
        .collect();
    let (setting, examples) = blocks.split_first().unwrap();
    assert!(examples.len() > 60, "{} examples", examples.len());
    for example in examples {
        if let Err(problems) = build(&format!("{setting}\n{example}\nreturn shot")) {
            panic!("{example}\n{}", shown(&problems));
        }
    }
    // The definitions are Lua too.
    let definitions = director::editor_definitions();
    let found = problem(&definitions);
    assert!(found.contains("the script makes no shot"), "{found}");
}
