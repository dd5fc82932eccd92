-- A washing line in a gust, and a bucket on a rope that is thrown over a bar.
local retake = require "retake"

local wind = retake.param("wind", 5, { min = 0, max = 15, unit = "m/s", help = "speed of the gust" })
local cells = retake.param("cells", 20, { integer = true, min = 8, max = 60, help = "cells along a towel" })

local shot = retake.shot{ name = "washing_line", fps = 24, duration = 4 }
shot:ground{ friction = 0.6 }:look{ color = "#7d8a5c" }
shot:wind{ velocity = retake.keys{ { 0.5, { 0, 0, 0 } }, { 1.5, { 0, 0, -wind } }, { 4, { 0, 0, 0 } } }, turbulence = 0.4 }

local post = retake.mesh.cylinder{ radius = 0.04, height = 2.2, segments = 24 }
for _, x in ipairs{ -1.6, 1.6 } do
  shot:collider{ mesh = post, translate = { x, 1.1, -0.06 } }:look{ color = "#8a6a4a" }
end
local line = shot:rope{
  name = "line", radius = 0.006, density = 900, bend = 2e-4,
  mesh = retake.mesh.rope{ from = { -1.6, 2, 0 }, to = { 1.6, 2, 0 }, length = 3.22, segments = 110 },
}
line:look{ color = "#e8e2d0" }
shot:pin{ points = line:vertices{ 0, 110 }, name = "knots" }

local towels = { { "red", -0.85, "#c4483c" }, { "blue", 0.05, "#3f6f9e" } }
for _, towel in ipairs(towels) do
  local name, x, color = table.unpack(towel)
  local cloth = shot:cloth{
    name = name, material = retake.material.fabric "cotton",
    mesh = retake.mesh.grid{ size = { 0.7, 0.9 }, vertices = { cells + 1, cells + 1 } },
    translate = { x, 1.33 + 0.06 * x * x, 0 },
  }
  cloth:look{ color = color, roughness = 0.9 }
  local pegs = cloth:corner "top-left" + cloth:at(0, cells // 2) + cloth:corner "top-right"
  local on = line:nearest{ x - 0.35, 2, 0 } + line:nearest{ x, 2, 0 } + line:nearest{ x + 0.35, 2, 0 }
  shot:stitch{ a = pegs, b = on, gap = "close", name = "pegs of " .. name }
end

-- The rope lies over the bar of the right post; the bucket pulls it down, and friction lets it slide.
local bar = retake.mesh.cylinder{ radius = 0.05, height = 0.5, segments = 48 }
shot:collider{ name = "bar", mesh = bar, rotate = { 90, 0, 0 }, translate = { 1.15, 2.1, 0.45 }, friction = 0.2 }
  :look{ color = "#8a6a4a" }
local r, path = 0.0583, {}
for i = 0, 50 do path[#path + 1] = { 1.15 - r, 0.85 + 0.025 * i, 0.45 } end
for i = 1, 15 do
  local a = math.pi * (1 - i / 16)
  path[#path + 1] = { 1.15 + r * math.cos(a), 2.1 + r * math.sin(a), 0.45 }
end
for i = 0, 20 do path[#path + 1] = { 1.15 + r, 2.1 - 0.025 * i, 0.45 } end
local rope = shot:rope{ name = "rope", radius = 0.008, friction = 0.3, mesh = retake.mesh.rope{ path = path } }
rope:look{ color = "#c9a86a" }
local bucket = shot:rigid{
  name = "bucket", mass = 1.5, translate = { 1.15 + r, 1.48, 0.45 },
  mesh = retake.mesh.cylinder{ radius = 0.11, height = 0.22, segments = 32 },
}
bucket:look{ color = "#9aa0a6", metallic = 1, roughness = 0.35 }
shot:attach{ points = rope:vertices{ 86 }, to = bucket }

shot:measure{ name = "bucket", unit = "m", max = 0.3, value = function(world)
  return world.time > 2 and world:body("bucket"):position()[2] or 0
end }
shot:camera{ position = { 0.6, 1.7, 4.6 }, look_at = { 0.1, 1.25, 0 }, lens = 36 }
return shot
