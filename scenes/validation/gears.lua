-- Three concave gears of 12, 12 and 18 involute teeth, the first driven: whole teeth pass whole teeth, so that the others turn by -1 and 2/3
-- of its turn, less at most the play of each mesh, `play` of the 360 / teeth degrees from tooth to tooth. The load keeps them behind.
local retake = require "retake"

local load = retake.param("load", 1, { min = 0, unit = "N m s/rad", help = "damping of the hinges that are not driven" })
local meshing = retake.param("meshing", true, { help = "false: the second gear is out of reach" })

local shot = retake.shot { name = "gears", fps = 24, duration = 4, gravity = { 0, 0, 0 } }
shot:collisions { friction = 0.1 }
local module, play, speed = 0.02, 0.06, 90 -- metres, parts of a pitch, degrees a second
local pressure = math.rad(20)
local function involute(a) return math.tan(a) - a end

-- Eight vertices a tooth: root, base, pitch and tip of either flank. Half of the play is taken off each gear.
local function gear(teeth, height)
  local pitch = module * teeth / 2
  local base = pitch * math.cos(pressure)
  local radii = { pitch - 1.15 * module, math.max(base, pitch - 0.5 * module) + 1e-4, pitch + 0.25 * module, pitch + 0.8 * module }
  local function half(r)
    return math.pi / teeth * (0.5 - play / 2) + involute(pressure) - involute(math.acos(math.min(1, base / r)))
  end
  return retake.mesh.cylinder { radius = 1, height = height, segments = 8 * teeth }:displaced(function(p)
    local r = math.sqrt(p.x * p.x + p.z * p.z)
    if r < 0.5 then return p.x, p.y, p.z end
    local k = math.floor(math.atan(p.z, p.x) / (2 * math.pi) * 8 * teeth + 0.5) % (8 * teeth)
    local tooth, i = k // 8, k % 8
    local radius = radii[i < 4 and i + 1 or 8 - i]
    local angle = 2 * math.pi * tooth / teeth + (i < 4 and -1 or 1) * half(radius)
    return radius * math.cos(angle), p.y, radius * math.sin(angle)
  end)
end

local names, teeth, hinges, x = { "first", "second", "third" }, { 12, 12, 18 }, {}, 0
local phase = { 0, 15, 0 } -- a tooth to the right, a gap to both sides, a tooth to the left
for i, name in ipairs(names) do
  if i > 1 then x = x + module * (teeth[i - 1] + teeth[i]) / 2 + (meshing and 0 or 0.1) end
  local body = shot:rigid { name = name, mesh = gear(teeth[i], 0.03), density = 500, translate = { x, 0, 0 }, rotate = { 0, phase[i], 0 } }
  body:look { color = ({ "#b08d4f", "#9aa3ad", "#c8553d" })[i], metallic = 1, roughness = 0.35 }
  hinges[i] = shot:joint { name = name .. " hinge", kind = "hinge", a = body, about = { x, 0, 0 }, axis = { 0, 1, 0 },
    motor = i == 1 and speed or nil, damping = i > 1 and load or nil }
end

shot:measure { name = "turn of the first", unit = "degrees", value = function(world) return world:travel(hinges[1]) end }
for i = 2, 3 do
  local ratio, slack = ({ nil, -1, 2 / 3 })[i], 360 / teeth[i] * play * (i - 1)
  shot:measure { name = names[i] .. " off by", unit = "degrees", min = i == 2 and -0.01 or -slack, max = i == 2 and slack or 0.01,
    value = function(world) return world:travel(hinges[i]) - ratio * world:travel(hinges[1]) end }
end
shot:measure { name = "speed of the first", unit = "degrees/s", min = 0, value = function(world)
  return world.time > 0.5 and world:body("first"):spin()[2] or speed
end }
shot:camera { position = { 0.34, 1.05, 0.35 }, look_at = { 0.34, 0, 0 }, lens = 38 }
return shot
