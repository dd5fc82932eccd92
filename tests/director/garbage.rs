//! Every call and every key with values that make no sense: an error each, never a panic.

use crate::{Project, build, shown};
use retake::director;
use std::collections::BTreeMap;
use std::fmt::Write;

const SETTING: &str = r##"
local retake = require "retake"
local shot = retake.shot{ name = "a", duration = 0.1, curve_rate = 10 }
local sheet = retake.mesh.grid{ size = 1, vertices = { 4, 4 } }
local cloth = shot:cloth{ name = "cloth", mesh = sheet }
local other = shot:cloth{ name = "other", mesh = sheet, translate = { 0, 3, 0 } }
local pole = shot:collider{ name = "pole", mesh = retake.mesh.sphere{ subdivisions = 1 } }
local rail = shot:pin{ name = "rail", points = cloth:edge "top" }
local stitch = shot:stitch{ a = cloth:edge "left", b = other:edge "left" }
local path = retake.path{ { 0, 0, 0 }, { 1, 0, 0 } }
local keys = retake.keys{ { 0, 0 }, { 1, 1 } }
local objects = {
  ["retake"] = retake, ["retake.mesh"] = retake.mesh, ["retake.material"] = retake.material,
  Shot = shot, Mesh = sheet, Body = cloth, Points = cloth:all(), Spot = cloth:point{ 0, 0, 0 },
  Constraint = rail, Keys = keys, Path = path, RandomStream = retake.random{},
  Camera = shot:camera{ position = { 0, 0, 3 } }, Force = shot:drag{ linear = 1 },
  Light = shot:light{ kind = "sky" },
}
local weird = {
  true, false, -1, 0, 1, 7, 1e308, -1e308, 1e-320, 0/0, 1/0, math.mininteger, math.maxinteger,
  "", "x", "cloth", "top", "#fff", "#\xff\xff\xff", "../x", ("x"):rep(300), {}, { 1 }, { 1, 2 },
  { 1, 2, 3 }, { 0, 0, 0 }, { 1e308, 1e308, 1e308 }, { 0/0, 0, 0 }, { "a", "b" }, { x = 1 },
  { { 1, 2, 3 }, { 4, 5, 6 } }, { { 0, 1 }, { 1, 1 } }, { { 0, 0 }, { 0, 0 } }, { [1e300] = 1 },
  { [true] = 1 }, { { { {} } } }, function() end, function() return 1, 2, 3 end,
  function(p) return p end, function() return 0/0 end, function() error({}) end,
  function() error("x") end, coroutine.create(function() end), print, retake, sheet, cloth, pole,
  other, rail, stitch, path, keys, cloth:all(), pole:all(), cloth:all() - cloth:all(),
  cloth:point{ 0, 0, 0 }, shot, retake.random{}, retake.material.fabric "silk",
}
local needed = {
  name = function(i) return "n" .. i end, mesh = sheet, points = other:row(2), to = pole,
  a = cloth:row(3), b = other:row(3), inside = { { -1, -1, -1 }, { 1, 1, 1 } }, kind = "sun",
  velocity = { 1, 0, 0 }, vector = { 1, 0, 0 }, linear = 1, starts = 0, ends = 1,
  by = { 1, 0, 0 }, angle = 9, path = path, position = { 0, 0, 3 }, at = 0.5,
  value = function() return 1 end, profile = { { 0, 0 }, { 1, 1 } }, duration = 1, body = cloth,
}
local tried, failed = 0, 0
local function try(f, ...)
  tried = tried + 1
  local ok, why = pcall(f, ...)
  if not ok then failed = failed + 1; tostring(why) end
end
local function call(class, name, options, required)
  local object = objects[class]
  if object == nil then return end
  local method = not class:find("^retake")
  local f = object[name]
  local function run(...) if method then try(f, object, ...) else try(f, ...) end end
  run()
  for _, w in ipairs(weird) do
    run(w)
    run(w, w)
    run(1, w, w)
    try(f, w)
    for _, key in ipairs(options) do
      local o = {}
      for _, k in ipairs(required) do
        local v = needed[k]
        o[k] = k == "name" and v(tried) or v
      end
      o[key] = w
      run(o)
    end
  end
end
"##;

#[test]
fn nonsense_is_refused_without_a_panic() {
    let definitions = director::editor_definitions();
    // Keys of each class of options: all, and those that are needed.
    let mut classes: BTreeMap<&str, (Vec<&str>, Vec<&str>)> = BTreeMap::new();
    let mut class = "";
    let mut options = "";
    let mut script = SETTING.to_owned();
    let mut calls = 0;
    for line in definitions.lines() {
        if let Some(name) = line.strip_prefix("---@class (exact) ") {
            class = name;
            classes.entry(class).or_default();
        } else if let Some(field) = line.strip_prefix("---@field ") {
            let name = field.split(' ').next().unwrap_or("");
            let Some((all, needed)) = classes.get_mut(class) else { continue };
            if name.starts_with('[') {
                continue;
            }
            all.push(name.trim_end_matches('?'));
            if !name.ends_with('?') {
                needed.push(name);
            }
        } else if line.starts_with("---@class") {
            class = "";
        } else if let Some(rest) = line.strip_prefix("---@param options") {
            options = rest.split(' ').nth(1).unwrap_or("");
        } else if let Some(rest) = line.strip_prefix("function ") {
            let (path, _) = rest.split_once('(').unwrap();
            let (on, name) = path.rsplit_once([':', '.']).unwrap();
            let empty = (Vec::new(), Vec::new());
            let (all, needed) = classes.get(options).unwrap_or(&empty);
            let list = |names: &[&str]| {
                names.iter().map(|n| format!("\"{n}\"")).collect::<Vec<_>>().join(", ")
            };
            // A second shot would only be refused.
            if (on, name) != ("retake", "shot") {
                calls += 1;
                let (all, needed) = (list(all), list(needed));
                writeln!(script, "call(\"{on}\", \"{name}\", {{ {all} }}, {{ {needed} }})")
                    .unwrap();
            }
            options = "";
        }
    }
    assert!(calls > 60, "{calls} calls");
    script.push_str("print(tried, failed)\nreturn shot\n");
    match build(&script) {
        Ok(built) => {
            let counts = &built.printed[built.printed.len() - 1];
            let mut counts = counts.split('\t').map(|n| n.parse::<u32>().unwrap());
            let (tried, failed) = (counts.next().unwrap(), counts.next().unwrap());
            assert!(tried > 10_000 && failed > tried / 2, "{failed} of {tried}");
        }
        // What was accepted may still make a scene that validation refuses.
        Err(problems) => assert!(!shown(&problems).contains("stopped"), "{}", shown(&problems)),
    }
}

#[test]
fn shots_with_nonsense_are_refused_without_a_panic() {
    let project = Project::new();
    let values = [
        "-1",
        "0",
        "1e308",
        "0/0",
        "1/0",
        "''",
        "'x'",
        "{}",
        "{ 1 }",
        "{ 0, 0 }",
        "{ 1e9, 1 }",
        "function() end",
        "function(t) return t end",
        "function(t) return t, t, t end",
        "function() require('retake').shot{ name = 'b', duration = 1 } return 1 end",
        "true",
    ];
    for key in [
        "name",
        "fps",
        "duration",
        "frames",
        "start_frame",
        "preroll",
        "speed",
        "gravity",
        "seed",
        "curve_rate",
    ] {
        for value in values {
            let extra = if key == "duration" || key == "frames" { "" } else { "duration = 1, " };
            let name = if key == "name" { "" } else { "name = 'a', " };
            project.write(
                "shot.lua",
                &format!("return require('retake').shot{{ {name}{extra}{key} = {value} }}"),
            );
            if let Err(problems) = project.build("shot.lua") {
                assert!(shown(&problems).starts_with("shot.lua"), "{}", shown(&problems));
            }
        }
    }
}
