-- Two rods without weight stand clamped upright under end loads of 0.95 and 1.05 of Euler's P = pi^2 E I / (4 L^2), and are pushed aside for a
-- moment: below P a rod comes back; above it bends to 2 k L / K by the elastica, K(k) = (pi / 2) sqrt(1.05), k^2 = 0.0935: 0.380 L.
local retake = require "retake"

local below = retake.param("below", 0.95, { min = 0, max = 3, help = "parts of Euler's load: that of the rod which is to stay" })
local above = retake.param("above", 1.05, { min = 0, max = 3, help = "that of the rod which is to bend" })

local shot = retake.shot { name = "buckling", fps = 24, duration = 12, gravity = { 0, 0, 0 } }
local bend, segments = 0.02, 40

-- Bends stand for half a segment to each side: the clamp is in the middle of the held segment, and L = 1 from there.
local l = 1 / (segments - 0.5)
local load = math.pi ^ 2 * bend / 4
local function rod(name, x, part)
  local line = shot:rope { name = name, radius = 0.005, density = 50, stretch = 5e3, bend = bend,
    mesh = retake.mesh.rope { from = { x, -l / 2, 0 }, to = { x, 1, 0 }, segments = segments } }
  shot:pin { points = line:vertices { 0, 1 } }
  -- The load pushes a light ball whose middle is the last vertex.
  local ball = shot:rigid { name = name .. " head", mesh = retake.mesh.sphere { radius = 0.01, subdivisions = 1 }, mass = 1e-4, translate = { x, 1, 0 }, collides = false }
  shot:attach { points = line:vertices { segments }, to = ball }
  shot:force { vector = { 0, -part * load, 0 }, per = "body", bodies = ball }
  shot:force { vector = { 1e-5, 0, 0 }, bodies = line, ends = 0.2 }
  line:look { color = "#9aa3ad", metallic = 1, roughness = 0.3 }
  return line
end
rod("stays", 0, below)
rod("bends", 1, above)
shot:drag { linear = 2 }

local function aside(world, name, x)
  local low, high = world:body(name .. " head"):bounds()
  return math.abs((low[1] + high[1]) / 2 - x)
end
local function at_last(name, x, before)
  return function(world) return world.time < 11.99 and before or aside(world, name, x) end
end
shot:measure { name = "aside at 0.95", unit = "m", max = 1e-4, value = at_last("stays", 0, 0) }
shot:measure { name = "aside at 1.05", unit = "m", min = 0.99 * 0.380, max = 1.01 * 0.380, value = at_last("bends", 1, 0.380) }
shot:measure { name = "aside at 1.05 now", unit = "m", value = function(world) return aside(world, "bends", 1) end }
shot:camera { position = { 0.5, 0.6, 3 }, look_at = { 0.5, 0.5, 0 }, lens = 40 }
return shot
