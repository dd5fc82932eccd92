-- Matos 2025, sections 2 and 3: an articulated body of points and linear constraints alone, by relaxation
-- (Jakobsen 2001). The trunk and the head are boxes of points that are braced, limbs are two rods each. Rods
-- end where the trunk is (distances of 0), and elbows and knees have a least distance of their two ends, so that
-- they do not fold up.
--
--   retake run scripts/theses/matos/rag_doll.lua --set passes=5
local retake = require "retake"

local passes = retake.param("passes", 40, { integer = true, min = 1, max = 1000, help = "relaxations a step" })
local push = retake.param("push", 1.5, { min = -5, max = 5, unit = "m/s", help = "how fast it goes ahead" })

local shot = retake.shot{ name = "matos_rag_doll", fps = 24, duration = 2 }
shot:collisions{ friction = 0.5 }
shot:ground{}:look{ color = "#6d6a66", roughness = 0.8 }

local flesh = retake.material.soft{ young = 2e6, poisson = 0.25, density = 500, damping = 0.002 }
local function block(name, size, y, color)
  local box = shot:soft{ name = name, mesh = retake.mesh.tet_box{ size = size, cells = { 1, 2, 1 } }, material = flesh, translate = { 0, y, 0 }, velocity = { push, 0, 0 } }
  box:look{ color = color, roughness = 0.7 }
  return box
end
local trunk = block("trunk", { 0.2, 0.5, 0.3 }, 1.35, "#c8553d")
local head = block("head", { 0.18, 0.24, 0.18 }, 1.75, "#e8c39e")

local parts, joints = { trunk, head }, {}
local function join(a, b, from, to, limits)
  joints[#joints + 1] = shot:joint{ kind = "distance", a = a:point(from), b = b:point(to), limits = limits }
end
for _, x in ipairs{ -0.09, 0.09 } do
  for _, z in ipairs{ -0.09, 0.09 } do join(head, trunk, { x, 1.63, z }, { x, 1.6, z }) end
end

local function limb(name, top, middle, bottom, radius, least, color)
  local rod = shot:rope{ name = name, radius = radius, bend = 0, stretch = 1e6, density = 900, velocity = { push, 0, 0 }, mesh = retake.mesh.rope{ path = { top, middle, bottom } } }
  rod:look{ color = color, roughness = 0.7 }
  join(rod, trunk, top, top)
  local length = 0
  for i = 1, 3 do length = length + (top[i] - bottom[i]) ^ 2 end
  join(rod, rod, top, bottom, { least * length ^ 0.5, 2 })
  parts[#parts + 1] = rod
end
for side = -1, 1, 2 do
  local name = side < 0 and "left " or "right "
  limb(name .. "arm", { 0, 1.55, 0.15 * side }, { 0, 1.5, 0.45 * side }, { 0.1, 1.45, 0.7 * side }, 0.035, 0.4, "#e8c39e")
  limb(name .. "leg", { 0, 1.1, 0.1 * side }, { 0.06, 0.66, 0.14 * side }, { 0, 0.22, 0.16 * side }, 0.05, 0.35, "#3d5a80")
end
-- What is joined does not touch.
shot:contact{ a = parts, b = parts, collides = false }

shot:solver{ method = "relaxation", fixed_step = 1 / 480, iterations = passes, guard = "report" }
shot:measure{ name = "joints apart", unit = "mm", max = 5, value = function(world)
  local worst = 0
  for _, joint in ipairs(joints) do worst = math.max(worst, 1000 * world:apart(joint)) end
  return worst
end }
shot:measure{ name = "stretch of limbs", max = 0.02, value = function(world)
  local worst = 0
  for i = 3, #parts do worst = math.max(worst, world:body(parts[i]):stretch()) end
  return worst
end }
shot:measure{ name = "lowest point", unit = "m", min = 0, value = function(world)
  local lowest = math.huge
  for _, part in ipairs(parts) do lowest = math.min(lowest, (world:body(part):bounds())[2]) end
  return lowest
end }
shot:camera{ position = { 4.2, 1.8, 3.4 }, look_at = { 0.8, 0.7, 0 }, lens = 35 }
shot:output{ sheet = 12 }
return shot
