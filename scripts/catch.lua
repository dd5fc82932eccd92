-- A canvas held by its corners catches a sponge, blocks and balls.
local retake = require "retake"

local pieces = retake.param("pieces", 6, { integer = true, min = 1, max = 60, help = "blocks and balls" })
local cells = retake.param("cells", 20, { integer = true, min = 8, max = 100, help = "cells along the sheet" })

local shot = retake.shot{ name = "catch", fps = 24, duration = 2 }
shot:ground{ friction = 0.6 }

local sheet = shot:cloth{
  name = "sheet", friction = 0.4,
  material = retake.material.membrane{ young = 15000, shear = 5000, bend = 2e-4, density = 0.4 },
  mesh = retake.mesh.grid{ size = { 1.6, 1.6 }, vertices = { cells + 1, cells + 1 }, normal = { 0, 1, 0 } },
  translate = { 0, 1.6, 0 },
}
sheet:look{ color = "#5d7f9e", roughness = 0.9 }
for _, corner in ipairs{ "top-left", "top-right", "bottom-left", "bottom-right" } do
  shot:pin{ points = sheet:corner(corner), name = corner }
end

local sponge = shot:soft{
  name = "sponge", friction = 0.3, translate = { 0.05, 1.9, -0.05 }, rotate = { 8, 20, 5 },
  mesh = retake.mesh.tet_box{ size = { 0.34, 0.2, 0.34 }, cells = { 5, 3, 5 } },
  material = retake.material.soft{ young = 4000, density = 200, damping = 0.03 },
}
sponge:look{ color = "#d6455d", roughness = 0.25 }

local dice = retake.random{ name = "pieces", seed = 4 }
local colors = { "#e0b050", "#7fa650", "#c9793e", "#8a6fb0" }
local block = retake.mesh.box{ size = { 0.16, 0.1, 0.12 } }
local ball = retake.mesh.sphere{ radius = 0.07, subdivisions = 2 }
for i = 1, pieces do
  local piece = shot:rigid{
    name = "piece " .. i, mesh = i % 3 == 0 and ball or block, density = 100, friction = 0.5, restitution = 0.1,
    translate = { dice:number{ -0.28, 0.28 }, 2.1 + 0.22 * i, dice:number{ -0.28, 0.28 } },
    rotate = { dice:number{ 0, 360 }, dice:number{ 0, 360 }, 0 },
  }
  piece:look{ color = colors[i % #colors + 1], roughness = 0.6 }
end

shot:measure{ name = "caught", unit = "m", min = 0.3, value = function(world)
  return world:body("sponge"):position()[2]
end }
shot:camera{ position = { 1.5, 3.3, 2.3 }, look_at = { 0, 1.25, 0 }, lens = 35 }
return shot
