-- A jelly is squeezed between two plates, and let go.
local retake = require "retake"

local squeeze = retake.param("squeeze", 0.45, { min = 0, max = 0.6, help = "part of its height that the plates take away" })
local cells = retake.param("cells", 6, { integer = true, min = 2, max = 16, help = "cells along an edge of the jelly" })

local shot = retake.shot { name = "jelly", fps = 24, duration = 3.0 }
local width, height = 0.2, 0.16

local jelly = shot:soft {
  name = "jelly", friction = 0.6, translate = { 0, 0.021 + height / 2, 0 },
  mesh = retake.mesh.tet_box { size = { width, height, width }, cells = { cells, cells - 1, cells } },
  material = retake.material.soft { young = 6000, poisson = 0.45, density = 1000, damping = 0.02 },
}
jelly:look { color = "#c81e3a", roughness = 0.15, transmission = 0.35, ior = 1.35 }

-- The upper plate comes down on it, shakes it once, and goes up again.
local plate = retake.mesh.box { size = { 0.36, 0.02, 0.36 } }
local rest, deep = 0.045 + height, 0.031 + height * (1 - squeeze)
local way = retake.keys {
  { 0, { 0, rest, 0 } }, { 1.0, { 0, deep, 0 }, ease = "smooth" }, { 1.3, { 0.04, deep, 0 }, ease = "smooth" },
  { 1.6, { 0, deep, 0 }, ease = "smooth" }, { 2.0, { 0, rest + 0.12, 0 }, ease = "cubic_in" },
}
local upper = shot:collider { name = "upper", group = "press/plates", friction = 0.6, mesh = plate, translate = way }
local lower = shot:collider { name = "lower", group = "press/plates", friction = 0.6, mesh = plate, translate = { 0, 0.01, 0 } }
for _, one in ipairs { upper, lower } do one:look { color = "#9aa3ad", metallic = 1, roughness = 0.25 } end

shot:camera { name = "front", position = { 0.35, 0.28, 0.62 }, look_at = { 0, 0.1, 0 }, lens = 45 }
shot:light { kind = "sun", direction = { -0.5, -1, -0.4 }, strength = 3 }
shot:light { kind = "sky", strength = 0.9, color = { 0.8, 0.88, 1 } }
shot:measure { name = "push", unit = "N", max = 400, value = function(world) return 24 * world:impulse("upper", "jelly") end }
shot:measure { name = "height", unit = "m", min = 0.05, value = function(world)
  local low, high = world:body("jelly"):bounds()
  return high[2] - low[2]
end }
-- It stays between the plates.
shot:measure { name = "aside", unit = "m", max = 0.06, value = function(world)
  local at = world:body("jelly"):position()
  return math.max(math.abs(at[1]), math.abs(at[3]))
end }
shot:output { images = { width = 640, height = 480, samples = 32, every = 12 } }
return shot
