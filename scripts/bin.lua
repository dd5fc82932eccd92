-- Boxes, balls, stones, sponges and bits of rope are poured into a bin, which is shaken.
local retake = require "retake"

local pieces = retake.param("pieces", 60, { integer = true, min = 5, max = 2000, help = "how many of all kinds" })
local shaken = retake.param("shaken", 0.05, { min = 0, max = 0.15, unit = "m", help = "how far the bin goes to each side" })

local shot = retake.shot { name = "bin", fps = 24, duration = 3.0 }
shot:ground { friction = 0.6 }:look { color = "#6b665c", roughness = 0.9 }

-- Wide enough for all of them to be poured from no higher than three times that.
local side = math.max(0.5, 1.2 * (pieces * 0.004) ^ (1 / 3))
local high = 0.45 * side
local to_and_fro = {}
for k = 0, 6 do to_and_fro[k + 1] = { 1.2 + 0.2 * k, { (k % 2 == 1 and k < 6) and shaken * (k % 4 == 1 and 1 or -1) or 0, 0.02 + high / 2, 0 }, ease = "smooth" } end
local bin = shot:collider {
  name = "bin", friction = 0.4, translate = retake.keys(to_and_fro), mesh = retake.mesh.box { size = { side, high, side }, open = "top", wall = 0.03 },
}
bin:look { color = "#b08d5a", roughness = 0.7 }

local dice = retake.random { name = "shapes", seed = 5 }
local function stone()
  local dents = { dice:direction(), dice:direction(), dice:direction() }
  return retake.mesh.sphere { radius = 0.07, subdivisions = 1 }:displaced(function(p)
    local f = 1
    for _, d in ipairs(dents) do f = f - 0.25 * math.max(0, (p.x * d[1] + p.y * d[2] + p.z * d[3]) / 0.07 - 0.3) end
    return p.x * f, p.y * f, p.z * f
  end)
end
local shapes = { retake.mesh.box { size = { 0.12, 0.08, 0.1 } }, retake.mesh.sphere { radius = 0.055, subdivisions = 2 },
  stone(), retake.mesh.box { size = 0.1 }, retake.mesh.capsule { radius = 0.012, height = 0.18, segments = 8 } }
local sponge = retake.mesh.tet_box { size = 0.1, cells = { 2, 2, 2 } }
local bit = retake.mesh.rope { from = { 0, -0.08, 0 }, to = { 0, 0.08, 0 }, segments = 8 }
local colors = { "#c8452d", "#e0a030", "#77716a", "#2f7a8c", "#efe6d0" }
local room = side / 2 - 0.06
local places = retake.scatter {
  meshes = shapes, count = pieces, gap = 0.012, seed = 2,
  inside = { { -room, 0.1, -room }, { room, 0.3 + pieces * 0.02 / (side * side), room } },
}
for i, at in ipairs(places) do
  local kind = (i - 1) % #shapes + 1
  local free = { name = ("piece %d"):format(i), group = "pieces", friction = 0.4, translate = at.translate, rotate = at.rotate }
  local make = kind == 4 and shot.soft or kind == 5 and shot.rope or shot.rigid
  if kind == 4 then
    free.mesh, free.thickness, free.material = sponge, 0.004, retake.material.soft { young = 2e4, density = 150, damping = 0.02 }
  elseif kind == 5 then
    free.mesh, free.radius, free.density, free.bend = bit, 0.01, 600, 1e-3
  else
    free.mesh, free.density, free.collision = shapes[kind], 400, kind == 3 and "hull" or nil
  end
  make(shot, free):look { color = colors[kind], roughness = 0.6 }
end
-- None spills over: what is in the bin is no lower than its bottom.
shot:measure { name = "lowest", unit = "m", min = 0.05, value = function(world)
  local least = 1
  for i = 1, #places do least = math.min(least, world:body("piece " .. i):position()[2]) end
  return least
end }
shot:camera { name = "above", position = { 0.8 * side, 1.9 * side, 1.5 * side }, look_at = { 0, 0.2 * side, 0 }, lens = 42 }
return shot
