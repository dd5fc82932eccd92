-- A boulder falls on a rope bridge: its weak strand snaps, and the bridge swings down.
local retake = require "retake"

local strength = retake.param("strength", 1500, { min = 100, max = 20000, unit = "N", help = "what the weak places of the ropes bear" })
local planks = retake.param("planks", 10, { integer = true, min = 4, max = 30 })

local shot = retake.shot { name = "rope_bridge", fps = 24, duration = 3.0 }
local span, wide, top, thick = 3.0, 0.7, 2.0, 0.015
local between = 2 -- segments of rope from plank to plank
local segments = between * (planks + 1)

local function shore(name, x)
  shot:collider { name = name, friction = 0.6, mesh = retake.mesh.box { size = { 0.6, 2, 1.6 } }, translate = { x, top - 1.07, 0 } }
    :look { color = "#6f6a5f", roughness = 0.95 }
end
shore("near shore", -span / 2 - 0.34)
shore("far shore", span / 2 + 0.34)
shot:ground { height = 0, friction = 0.6 }:look { color = "#4d5a3c", roughness = 0.95 }

local ropes = {}
for i, z in ipairs { -wide / 2, wide / 2 } do
  local line = shot:rope {
    name = i == 1 and "left rope" or "right rope", group = "bridge", radius = thick, density = 700, stretch = 5e4, bend = 1e-2, friction = 0.5,
    mesh = retake.mesh.rope { from = { -span / 2, top, z }, to = { span / 2, top, z }, length = span * 1.03, segments = segments },
  }
  line:look { color = "#b89b6a", roughness = 0.9 }
  shot:pin { name = "posts " .. i, points = line:vertices { 0, segments } }
  -- Between the third and the fourth plank the ropes are frayed.
  line:perforate { name = "frayed " .. i, points = line:vertices { 3 * between + 1 }, breaks_at = strength }
  ropes[i] = line
end

-- Each plank lies on both ropes and is tied to them.
for k = 1, planks do
  local u = k / (planks + 1) - 0.5
  local sag = span * math.sqrt(3 / 8 * 0.03) * (1 - 4 * u * u)
  local plank = shot:rigid {
    name = "plank " .. k, group = "bridge/planks", density = 500, friction = 0.6,
    mesh = retake.mesh.box { size = { 0.16, 0.03, wide + 0.16 } }, translate = { span * u, top - sag + thick + 0.05, 0 },
  }
  plank:look { color = "#8a6a45", roughness = 0.8 }
  for i, line in ipairs(ropes) do shot:attach { name = ("knot %d %d"):format(k, i), points = line:vertices { between * k }, to = plank } end
end

local stone = retake.mesh.sphere { radius = 0.28, subdivisions = 2 }:displaced(function(p)
  local f = 1 + 0.12 * retake.noise { at = { p.x, p.y, p.z }, scale = 0.3, seed = 5 }
  return p.x * f, p.y * f, p.z * f
end)
shot:rigid { name = "boulder", mesh = stone, collision = "hull", density = 1500, friction = 0.6, translate = { 0.1, top + 1.1, 0 } }
  :look { color = "#85807a", roughness = 0.95 }

shot:drag { linear = 0.1 }
shot:camera { name = "gorge", position = { 1.6, 2.6, 4.2 }, look_at = { 0, 1.4, 0 }, lens = 38 }
shot:measure { name = "boulder", unit = "m", min = 0, value = function(world) return world:body("boulder"):position()[2] end }
shot:measure { name = "broken at the end", min = 1, value = function(world)
  return (world.time < 2.9 or world:broken("frayed 1") and world:broken("frayed 2")) and 1 or 0
end }
shot:output { images = { width = 640, height = 480, samples = 16, every = 12 } }
return shot
