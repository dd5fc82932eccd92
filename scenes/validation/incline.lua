-- Boxes on slopes with friction mu = 0.45 stay where tan(angle) < mu, up to 24.23 degrees, and else slide with g (sin - mu cos). Three slopes:
-- 20 degrees, where the box creeps by less than 1e-5 m/s in the second second, 24.03, which holds as well, and 24.43, where it slides (to 1 %).
local retake = require "retake"

local mu = retake.param("mu", 0.45, { min = 0, max = 2, help = "friction; the checks are for 0.45" })

local shot = retake.shot { name = "incline", fps = 24, duration = 2 }
shot:collisions { friction = mu }
local half = 0.1

local function slope(name, degrees, z)
  local a = math.rad(degrees)
  local plate = retake.mesh.box { size = { 4, 0.1, 1 }, center = { 0, -0.05, 0 } }
  shot:collider { name = name .. " slope", mesh = plate, translate = { 0, 0, z }, rotate = { 0, 0, -degrees } }:look { color = "#9c9488", roughness = 0.8 }
  local up = half + 0.0002 -- contact distance
  local box = shot:rigid { name = name, mesh = retake.mesh.box { size = 2 * half }, translate = { up * math.sin(a), up * math.cos(a), z }, rotate = { 0, 0, -degrees } }
  box:look { color = "#c8553d", roughness = 0.6 }
  -- Down along the slope.
  return function(world)
    local p = world:body(name):position()
    return p[1] * math.cos(a) - p[2] * math.sin(a)
  end
end
local calm, holds, slides = slope("calm", 20, 0), slope("holds", 24.03, 2), slope("slides", 24.43, 4)

local ways = { calm = calm, holds = holds, slides = slides }
shot:on_frame(function(_, world)
  for _, at in ipairs { 1, 1.5 } do
    if math.abs(world.time - at) < 1e-6 then
      for name, way in pairs(ways) do world.memory[name .. at] = way(world) end
    end
  end
end)
local function last(world) return world.time > 1.99 end
for _, name in ipairs { "calm", "holds" } do
  shot:measure { name = "creep of " .. name, unit = "m/s", min = -1e-5, max = 1e-5, value = function(world)
    return last(world) and ways[name](world) - world.memory[name .. "1"] or 0
  end }
end
-- The ways of two halves of a second take the start out.
local a = math.rad(24.43)
local expected = 9.81 * (math.sin(a) - 0.45 * math.cos(a))
shot:measure { name = "acceleration at 24.43", unit = "m/s2", min = 0.99 * expected, max = 1.01 * expected, value = function(world)
  return last(world) and (slides(world) - 2 * world.memory["slides1.5"] + world.memory["slides1"]) / 0.25 or expected
end }
shot:camera { position = { 2, 2, 9 }, look_at = { 0, 0, 2 }, lens = 40 }
return shot
