-- A tablecloth is pulled away from under the glasses.
local retake = require "retake"

local speed = retake.param("speed", 4.0, { min = 0.5, max = 8, unit = "m/s", help = "how fast it is pulled" })
local cells = retake.param("cells", 28, { integer = true, min = 12, max = 100, help = "cells along the cloth" })

local shot = retake.shot { name = "tablecloth_trick", fps = 48, duration = 1.5, speed = 0.5 }
local top = 0.75

local parts = { retake.mesh.box { size = { 0.9, 0.04, 0.7 }, center = { 0, top - 0.02, 0 } } }
for _, x in ipairs { -0.4, 0.4 } do
  for _, z in ipairs { -0.3, 0.3 } do
    parts[#parts + 1] = retake.mesh.box { size = { 0.06, top - 0.06, 0.06 }, center = { x, (top - 0.05) / 2, z } }
  end
end
local table_ = shot:collider { name = "table", friction = 0.3, mesh = retake.mesh.join(parts) }
table_:look { color = "#5b3a24", roughness = 0.35 }

local cloth = shot:cloth {
  name = "cloth", friction = 0.12, thickness = 0.001, material = retake.material.fabric "silk",
  mesh = retake.mesh.grid { size = { 0.86, 0.6 }, vertices = { cells + 1, math.floor(0.7 * cells) + 1 }, normal = { 0, 1, 0 } },
  translate = { 0.05, top + 0.0012, 0 },
}
cloth:look { color = "#f3efe6", roughness = 0.8 }
-- The hands take the edge beyond the table and draw it away, at first slowly.
local hand = shot:pin { name = "hand", points = cloth:edge "right" }
hand:translate { starts = 0.1, ends = 0.1 + 1.1 / speed, by = { 1.1, -0.05, 0 }, ease = "cubic_in" }

local glass = retake.mesh.lathe {
  segments = 20, profile = { { 0, 0 }, { 0.034, 0 }, { 0.036, 0.004 }, { 0.04, 0.1 }, { 0.037, 0.1 }, { 0.032, 0.01 }, { 0, 0.008 } },
}
local places = { { -0.2, -0.12 }, { 0.05, 0.1 }, { 0.22, -0.1 }, { -0.16, 0.14 } }
for i, at in ipairs(places) do
  local one = shot:rigid {
    name = "glass " .. i, group = "set/glasses", mesh = glass, mass = 0.25, friction = 0.12, translate = { at[1], top + 0.0024, at[2] },
  }
  one:look { color = "#dfeef2", roughness = 0.05, transmission = 0.9, ior = 1.5 }
end
shot:contact { a = "set/glasses", b = table_, friction = 0.4 }

shot:ground { height = 0, friction = 0.5 }:look { color = "#7b8087", roughness = 0.7 }
shot:camera { name = "guest", position = { 0.5, 1.2, 1.5 }, look_at = { 0.1, 0.75, 0 }, lens = 42 }
shot:light { kind = "sun", direction = { -0.6, -1, -0.4 }, strength = 3 }
shot:light { kind = "sky", strength = 0.9, color = { 0.8, 0.88, 1 } }
-- The cloth comes off the table, and leaves all of them standing where they were.
shot:measure { name = "left on the table", unit = "m", max = 0, value = function(world)
  return world.time < 0.1 + 1.3 / speed and 0 or 0.45 - world:body("cloth"):bounds()[1]
end }
shot:measure { name = "upright", min = 0.9, value = function(world)
  local least = 1
  for i = 1, #places do least = math.min(least, world:body("glass " .. i):up()[2]) end
  return least
end }
shot:measure { name = "moved", unit = "m", max = 0.15, value = function(world)
  local most = 0
  for i, at in ipairs(places) do most = math.max(most, math.abs(world:body("glass " .. i):position()[1] - at[1])) end
  return most
end }
shot:output { images = { width = 640, height = 480, samples = 32, every = 12 } }
return shot
