-- A net of ropes, knotted where they cross, catches a heap of stones.
local retake = require "retake"

local stones = retake.param("stones", 20, { integer = true, min = 1, max = 60, help = "stones that fall into it" })
local ropes = retake.param("ropes", 11, { integer = true, min = 5, max = 25, help = "ropes in each direction" })
local seed = retake.param("seed", 2, { integer = true, min = 1, max = 1000, help = "another heap of stones" })

local shot = retake.shot { name = "net", fps = 24, duration = 2.0 }
local half, height, depth, thick, parts = 0.75, 1.5, 0.6, 0.008, 2 -- parts: segments between two knots
-- Ropes along x lie on those along z, and are knotted to them.
local along, across, gap = {}, {}, 2 * thick + 0.003
local function bowl(x, z, up) -- a point of a bowl, `up` from it along its normal
  local u, v, steep = 1 - (x / half) ^ 2, 1 - (z / half) ^ 2, 2 * depth / half ^ 2
  local long = up / math.sqrt(1 + (steep * x * v) ^ 2 + (steep * z * u) ^ 2)
  return { x - long * steep * x * v, height - depth * u * v + long, z - long * steep * z * u }
end
for i = 1, ropes do
  local at = half * (2 * (i - 1) / (ropes - 1) - 1)
  local function rope(name, place)
    local path, n = {}, parts * (ropes - 1)
    for k = 0, n do path[k + 1] = place(half * (2 * k / n - 1)) end
    local line = shot:rope {
      name = name .. " " .. i, group = "net/" .. name, radius = thick, density = 600, stretch = 8e3, bend = 1e-4, friction = 0.5,
      mesh = retake.mesh.rope { path = retake.path(path) } }
    shot:pin { name = name .. " ends " .. i, points = line:vertices { 0, n } }
    return line:look { color = "#cbb489", roughness = 0.9 }
  end
  along[i] = rope("along", function(x) return bowl(x, at, gap) end)
  across[i] = rope("across", function(z) return bowl(at, z, 0) end)
end
for i = 2, ropes - 1 do
  for j = 2, ropes - 1 do
    shot:stitch { a = along[i]:vertices { parts * (j - 1) }, b = across[j]:vertices { parts * (i - 1) } }
  end
end

-- Stones: balls knocked out of shape, which touch as their hulls.
local dice = retake.random { name = "stones", seed = 3 }
local function stone()
  local bumps = { dice:direction(), dice:direction(), dice:direction() }
  return retake.mesh.sphere { radius = 0.13, subdivisions = 1 }:displaced(function(p)
    local f = 1
    for _, d in ipairs(bumps) do f = f - 0.2 * math.max(0, (p.x * d[1] + p.y * d[2] + p.z * d[3]) / 0.13 - 0.3) end
    return p.x * f, p.y * f, p.z * f
  end)
end
local places = retake.scatter { meshes = { stone(), stone(), stone() }, count = stones, inside = { { -0.3, 1.2, -0.3 }, { 0.3, 3.9, 0.3 } }, seed = seed }
for i, at in ipairs(places) do
  shot:rigid { name = "stone " .. i, group = "stones", mesh = at.mesh, collision = "hull", density = 300, friction = 0.6, translate = at.translate, rotate = at.rotate }
    :look { color = i % 3 == 0 and "#77716a" or "#99938a", roughness = 0.9 }
end
shot:drag { linear = 0.3, bodies = "net" }
shot:camera { name = "below", position = { 1.5, 1.9, 2.2 }, look_at = { 0, 1.2, 0 }, lens = 38 }
shot:measure { name = "lowest stone", unit = "m", min = 0.3, value = function(world)
  local low = 9
  for i = 1, stones do low = math.min(low, world:body("stone " .. i):position()[2]) end
  return low
end }
shot:output { images = { width = 640, height = 480, samples = 16, every = 12 } }
return shot
