-- Soft toys fall into a crate: rings, balls, dice and dumb-bells, each held to its shape.
local retake = require "retake"

local count = retake.param("count", 10, { integer = true, min = 1, max = 60, help = "how many toys" })
local stiffness = retake.param("stiffness", 0.8, { min = 0.1, max = 1, help = "how stiff they are" })

local shot = retake.shot { name = "toys", fps = 24, duration = 2.5 }
shot:ground { friction = 0.6 }:look { color = "#8a8478" }
local crate = retake.mesh.box { size = { 0.72, 0.32, 0.72 }, open = "top", wall = 0.03 }
shot:collider { name = "crate", mesh = crate, translate = { 0, 0.165, 0 }, friction = 0.5 }:look { color = "#b08d5a" }
shot:drag { linear = 0.4 } -- a shape springs for long by itself

local shapes = {
  retake.mesh.torus { radius = 0.1, tube = 0.045, segments = 28, rings = 14 },
  retake.mesh.sphere { radius = 0.11, subdivisions = 3 },
  retake.mesh.box { size = 0.17, cells = 4 },
  retake.mesh.lathe { segments = 24, profile = {
    { 0, -0.15 }, { 0.06, -0.13 }, { 0.07, -0.09 }, { 0.045, -0.04 },
    { 0.045, 0.04 }, { 0.07, 0.09 }, { 0.06, 0.13 }, { 0, 0.15 } } },
}
local solids, colors = {}, { "#c8452d", "#2f7a8c", "#e0a030", "#6a7f3c" }
local kind = {}
for i, mesh in ipairs(shapes) do
  solids[i], kind[mesh] = mesh:tetrahedralized { spacing = 0.07 }, i
end

local material = retake.material.shape_matching { stiffness = stiffness, mode = "quadratic", give = 0.4, density = 300 }
local toys = retake.scatter { meshes = shapes, count = count, gap = 0.01, inside = { { -0.3, 0.4, -0.3 }, { 0.3, 0.8 + 0.18 * count, 0.3 } }, seed = 3 }
for i, toy in ipairs(toys) do
  local k = (i - 1) % #shapes + 1
  shot:soft {
    name = "toy" .. i, mesh = solids[k], surface = shapes[k], material = material,
    translate = toy.translate, rotate = toy.rotate, thickness = 0.004, friction = 0.5,
  }:look { color = colors[k], roughness = 0.5 }
end

shot:camera { name = "front", position = { 0.35, 1.9, 1.7 }, look_at = { 0, 0.22, 0 }, lens = 62 }
shot:measure { name = "lowest", unit = "m", min = 0, value = function(world)
  local low = math.huge
  for i = 1, count do low = math.min(low, world:body("toy" .. i):bounds()[2]) end
  return low
end }
shot:output { sheet = 12 }
return shot
