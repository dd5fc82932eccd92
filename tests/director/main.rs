//! Scripts to scenes: what is read, what is refused and how, and that equal scripts give equal
//! scenes.

use retake::diagnostics::Diagnostic;
use retake::director::{self, Built, Defaults, Limits, Request};
use retake::scene::{BodyKind, ConstraintKind, ForceKind, Scene, VertexMap};
use std::collections::BTreeMap;

mod broken;
mod callbacks;
mod calls;
mod documents;
mod fingerprints;
mod garbage;
mod sandbox;

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

/// Lines 1 to 4 of most broken scripts.
const HEAD: &str = "local retake = require \"retake\"
local shot = retake.shot{ name = \"x\", duration = 1 }
local grid = retake.mesh.grid{ size = { 1, 1 }, vertices = { 5, 5 } }
local cloth = shot:cloth{ name = \"cape\", mesh = grid }
";

#[test]
fn a_whole_shot_becomes_a_scene() {
    let scene = scene(CURTAIN);
    assert_eq!(scene.name, "curtain");
    assert_eq!((scene.timing.fps, scene.timing.frames), ((24, 1), 48));
    let names: Vec<&str> = scene.bodies.iter().map(|b| b.name.as_str()).collect();
    assert_eq!(names, ["left", "right", "pole", "ground"]);
    assert_eq!(scene.meshes.len(), 4);
    let BodyKind::Cloth(cloth) = &scene.bodies[0].kind else { panic!("no cloth") };
    let material = cloth.material.membrane().unwrap();
    assert!(material.label.starts_with("cotton"));
    assert!(matches!(material.density, VertexMap::Uniform(d) if d == 0.128));
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
