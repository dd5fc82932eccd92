-- Galante 2009, experiment 2: bodies of more complex meshes fall on the floor, and on each other. The thesis names
-- none; these are hollow, or have holes.
local retake = require "retake"

local shot = retake.shot{ name = "galante_meshes", fps = 30, duration = 4 }
shot:collisions{ friction = 0.4 }
shot:ground{}:look{ color = "#77736c", roughness = 0.8 }

local goblet = retake.mesh.lathe{ segments = 16, profile = {
  { 0, 0 }, { 0.09, 0 }, { 0.09, 0.012 }, { 0.015, 0.03 }, { 0.015, 0.12 }, { 0.07, 0.17 }, { 0.085, 0.26 }, { 0.075, 0.26 },
  { 0.06, 0.18 }, { 0, 0.15 },
} }
local ring = retake.mesh.torus{ radius = 0.14, tube = 0.035, segments = 20, rings = 8 }
local crate = retake.mesh.box{ size = { 0.3, 0.2, 0.3 }, open = "top", wall = 0.02 }
local bodies = {}
local function drop(name, mesh, x, y, z, rotate, color)
  local body = shot:rigid{ name = name, mesh = mesh, translate = { x, y, z }, rotate = rotate, density = 700 }
  body:look{ color = color, roughness = 0.4 }
  bodies[#bodies + 1] = body
end
drop("crate", crate, 0, 0.3, 0, { 0, 20, 0 }, "#b79a6d")
drop("goblet", goblet, 0.05, 0.65, 0.02, { 30, 0, 15 }, "#8fa8c8")
drop("ring", ring, -0.03, 1.1, 0, { 20, 0, 10 }, "#c8553d")
drop("second ring", ring, 0.12, 1.5, 0.05, { 60, 30, 0 }, "#3d5a80")
drop("second goblet", goblet, -0.1, 1.9, -0.05, { 160, 0, 20 }, "#7a9e7e")

shot:measure{ name = "lowest point", unit = "m", min = 0, value = function(world)
  local lowest = math.huge
  for _, body in ipairs(bodies) do lowest = math.min(lowest, (world:body(body):bounds())[2]) end
  return lowest
end }
shot:measure{ name = "fastest", unit = "m/s", value = function(world)
  local fastest = 0
  for _, body in ipairs(bodies) do fastest = math.max(fastest, world:body(body):fastest()) end
  return fastest
end }
shot:camera{ position = { 1.6, 1.1, 1.6 }, look_at = { 0, 0.3, 0 }, lens = 35 }
shot:output{ sheet = 9 }
return shot
