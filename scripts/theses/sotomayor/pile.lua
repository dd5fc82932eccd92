-- Sotomayor 2008, figures 6.4 to 6.7 and table 6.2: piles of 8, 18 and 27 balls of resolution C, 729 vertices and 2560
-- cells each. Step, sizes, masses and places are not printed; these are ours. alpha is 0.8, as in all of its runs.
local retake = require "retake"

local count = retake.param("balls", 8, { integer = true, min = 1, max = 64 })
local cells = retake.param("cells", 8, { integer = true, min = 2, max = 16, help = "across a ball: 4, 6, 8 are A, B, C" })
local alpha = retake.param("alpha", 0.8, { min = 0, max = 1 })
local duration = retake.param("duration", 3, { min = 0.1, max = 60, unit = "s" })
local guard = retake.param("guard", "enforce", { choices = { "enforce", "report", "off" }, help = "report and off: the method alone" })

local shot = retake.shot{ name = "sotomayor_pile", fps = 60, duration = duration }
shot:solver{ method = "shape_matching", guard = guard, fixed_step = 1 / 240 }
shot:collisions{ friction = 0.4 }
shot:ground{}:look{ color = "#77736c", roughness = 0.8 }
shot:drag{ linear = 0.5 }

-- Layers of 4 or 9, each a little turned against the one below.
local side = count > 8 and 3 or 2
local radius, mesh = 0.2, retake.mesh.tet_ball{ radius = 0.2, cells = cells }
local colors = { "#c8553d", "#3d5a80", "#7a9e7e", "#b79a6d", "#8fa8c8", "#6d597a" }
local material = retake.material.shape_matching{ stiffness = alpha, mode = "rigid", density = 300 }
local chance = retake.random{ name = "places", seed = 1 }
for i = 0, count - 1 do
  local layer, place = i // (side * side), i % (side * side)
  local x, z = place % side - (side - 1) / 2, place // side - (side - 1) / 2
  local function near() return chance:number{ min = -0.02, max = 0.02 } end
  shot:soft{
    name = string.format("ball %02d", i + 1), mesh = mesh, material = material, self_collision = false,
    translate = { 2.3 * radius * x + near(), radius + 0.05 + 2.4 * radius * layer, 2.3 * radius * z + near() },
  }:look{ color = colors[i % #colors + 1], roughness = 0.4 }
end

shot:camera{ position = { 2.2, 1.7, 2.6 }, look_at = { 0, 0.5, 0 }, lens = 35 }
shot:output{ sheet = 9, gltf = false, caches = false }
return shot
