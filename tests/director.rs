//! Scripts to scenes: what is read, what is refused and how, and that equal scripts give equal
//! scenes.

use retake::diagnostics::Diagnostic;
use retake::director::{self, Built, Defaults, Limits, Request};
use retake::scene::world::{BodyView, Command, ConstraintView, ContactView, WorldView};
use retake::scene::{BodyKind, ConstraintKind, ForceKind, Scene, VertexMap};
use std::collections::BTreeMap;
use std::path::Path;

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
    assert_eq!(scene.bodies[1].place.line, 16);
    let lens = scene.cameras[0].lens.at(0.0);
    assert!((lens - 18.0 / (16.0 / 9.0) / libm::tan(20f64.to_radians())).abs() < 1e-9);
}
