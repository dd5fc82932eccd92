-- Cloths, blocks, balls, soft balls and soft blocks are dropped together on a tray and end in one heap there: at last every one's middle is
-- on the tray and below the fall, each touches another of them, and none goes faster than 5 cm/s.
local retake = require "retake"

local layers = retake.param("layers", 2, { integer = true, min = 1, max = 6 })
local apart = retake.param("apart", 0, { min = 0, max = 2, unit = "m", help = "between layers sideways; the check is for 0" })

local shot = retake.shot { name = "one_pile", fps = 24, duration = 3 }
shot:collisions { friction = 0.6 }
shot:ground {}:look { color = "#6b665c", roughness = 0.9 }
shot:collider { name = "tray", mesh = retake.mesh.box { size = { 0.56, 0.14, 0.56 }, open = "top", wall = 0.02, center = { 0, 0.0705, 0 } } }:look { color = "#b08d5a" }

local names = {}
local function add(kind, name, options)
  options.name = name
  names[#names + 1] = name
  return shot[kind](shot, options)
end
local soft = retake.material.soft { young = 2e4, poisson = 0.4, density = 400, damping = 0.02 }
for k = 1, layers do
  local x, y = apart * (k - 1), 0.14 + 0.42 * (k - 1)
  add("rigid", "block " .. k, { mesh = retake.mesh.box { size = { 0.2, 0.1, 0.15 } }, density = 400, translate = { x - 0.11, y, 0.06 }, rotate = { 0, 30 * k, 5 } }):look { color = "#c8452d" }
  add("rigid", "ball " .. k, { mesh = retake.mesh.sphere { radius = 0.06, subdivisions = 2 }, density = 400, translate = { x + 0.06, y, 0.13 } }):look { color = "#e0a030" }
  add("soft", "soft block " .. k, { mesh = retake.mesh.tet_box { size = { 0.12, 0.1, 0.12 }, cells = { 2, 2, 2 } }, material = soft, thickness = 0.004, translate = { x + 0.1, y, -0.06 } }):look { color = "#efe6d0" }
  add("soft", "soft ball " .. k, { mesh = retake.mesh.tet_ball { radius = 0.06, cells = 4 }, material = soft, thickness = 0.004, translate = { x - 0.05, y, -0.12 } }):look { color = "#2f7a8c" }
  add("cloth", "cloth " .. k, { mesh = retake.mesh.grid { size = { 0.5, 0.5 }, vertices = { 11, 11 }, normal = { 0, 1, 0 } }, translate = { x, y + 0.16, 0 },
    rotate = { 0, 25 * k, 0 }, material = retake.material.fabric "cotton" }):look { color = ({ "#8e1420", "#2b5fa8", "#2f6f73" })[(k - 1) % 3 + 1] }
end
shot:drag { linear = 0.4 }

local function last(world) return world.time > 2.99 end
local function worst(of) return function(world)
  local most = 0
  for i, name in ipairs(names) do most = math.max(most, of(world, name, i)) end
  return last(world) and most or 0
end end
shot:measure { name = "farthest middle", unit = "m", max = 0.28 * math.sqrt(2), value = worst(function(world, name)
  local p = world:body(name):position()
  return math.sqrt(p[1] ^ 2 + p[3] ^ 2)
end) }
shot:measure { name = "highest middle", unit = "m", max = 0.4, value = worst(function(world, name) return world:body(name):position()[2] end) }
shot:measure { name = "lowest", unit = "m", min = 0, value = function(world)
  local least = math.huge
  for _, name in ipairs(names) do least = math.min(least, (world:body(name):bounds())[2]) end
  return least
end }
shot:measure { name = "alone", max = 0, value = worst(function(world, name, i)
  for j, other in ipairs(names) do
    if j ~= i and world:contacts(name, other) > 0 then return 0 end
  end
  return 1
end) }
shot:measure { name = "fastest of all", unit = "m/s", max = 0.05, value = worst(function(world, name) return world:body(name):fastest() end) }
return shot
