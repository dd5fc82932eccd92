-- Thirty balls, boxes and stones (hulls) are poured into a concave bowl. All come to lie in it: each one's middle below the rim and within
-- it, and, as each loses its height, slower at the end than 1 cm/s (a ball of 3 cm that rolls at that speed rises by 5 um).
local retake = require "retake"

local pieces = retake.param("pieces", 30, { integer = true, min = 3, max = 200 })
local whole = retake.param("whole", true, { help = "false: the bowl lets all through" })

local shot = retake.shot { name = "bowl", fps = 24, duration = 4 }
shot:collisions { friction = 0.4 }
shot:ground {}:look { color = "#6b665c", roughness = 0.9 }

-- A shell 2 cm thick, half of a ball, turned about Y.
local rim, thick, middle, outline = 0.25, 0.02, 0.3, {}
for i = 0, 12 do
  local a = math.pi / 2 * i / 12
  outline[i + 1] = { rim * math.sin(a), middle - rim * math.cos(a) }
  outline[26 - i] = { (rim + thick) * math.sin(a), middle - (rim + thick) * math.cos(a) }
end
shot:collider { name = "bowl", mesh = retake.mesh.lathe { profile = outline, segments = 32 }, collides = whole }:look { color = "#d8cdb8", roughness = 0.4 }

local dice = retake.random { name = "stones", seed = 4 }
local dents = { dice:direction(), dice:direction(), dice:direction() }
local stone = retake.mesh.sphere { radius = 0.04, subdivisions = 1 }:displaced(function(p)
  local f = 1
  for _, d in ipairs(dents) do f = f - 0.25 * math.max(0, (p.x * d[1] + p.y * d[2] + p.z * d[3]) / 0.04 - 0.3) end
  return p.x * f, p.y * f, p.z * f
end)
local shapes = { retake.mesh.sphere { radius = 0.03, subdivisions = 2 }, retake.mesh.box { size = { 0.06, 0.04, 0.05 } }, stone }
local places = retake.scatter { meshes = shapes, count = pieces, gap = 0.004, seed = 5, inside = { { -0.13, 0.2, -0.13 }, { 0.13, 0.95, 0.13 } } }
for i, at in ipairs(places) do
  local kind = (i - 1) % 3 + 1
  local one = shot:rigid { name = "piece " .. i, group = "pieces", mesh = at.mesh, collision = kind == 3 and "hull" or nil, density = 600,
    translate = at.translate, rotate = at.rotate }
  one:look { color = ({ "#e0a030", "#c8452d", "#77716a" })[kind], roughness = 0.5 }
end

local function ended(world) return world.time > 3.99 end
shot:measure { name = "not in the bowl", max = 0, value = function(world)
  local out = 0
  for i = 1, pieces do
    local p = world:body("piece " .. i):position()
    if p[2] > middle or p[1] ^ 2 + (p[2] - middle) ^ 2 + p[3] ^ 2 > rim ^ 2 then out = out + 1 end
  end
  return ended(world) and out or 0
end }
shot:measure { name = "fastest at the end", unit = "m/s", max = 0.01, value = function(world)
  local most = 0
  for i = 1, pieces do
    local v = world:body("piece " .. i):velocity()
    most = math.max(most, math.sqrt(v[1] ^ 2 + v[2] ^ 2 + v[3] ^ 2))
  end
  return ended(world) and most or 0
end }
shot:camera { position = { 0.5, 0.75, 0.7 }, look_at = { 0, 0.2, 0 }, lens = 42 }
return shot
