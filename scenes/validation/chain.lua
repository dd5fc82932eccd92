-- Eight rings, each through the one before, hang from a fixed ring. A link hangs in the one above with tube against tube, so that the
-- lowest is 8 (2 (R - r) - 0.2 mm of contact) below the fixed one's middle; a chain that came apart would fall 9 m in the time.
local retake = require "retake"

local links = retake.param("links", 8, { integer = true, min = 1, max = 30 })
local broken = retake.param("broken", 0, { integer = true, min = 0, help = "a link that is left out, for the check to find" })

local shot = retake.shot { name = "chain", fps = 24, duration = 2 }
shot:collisions { friction = 0.3 }
local radius, tube = 0.05, 0.01
local ring = retake.mesh.torus { radius = radius, tube = tube, segments = 24, rings = 10 }
local step = 2 * (radius - tube) - 0.002 -- hung up 2 mm higher than they come to lie, and a quarter turn between two

local function turn(i) return { 90, 90 * (i % 2), 0 } end
shot:collider { name = "hook", mesh = ring, rotate = turn(0) }:look { color = "#40434a", metallic = 1, roughness = 0.4 }
for i = 1, links do
  if i ~= broken then
    local link = shot:rigid { name = "link " .. i, mesh = ring, density = 7800, translate = { 0, -step * i, 0 }, rotate = turn(i), velocity = { 0.1 * i / links, 0, 0 } }
    link:look { color = i % 2 == 0 and "#b08d4f" or "#9aa3ad", metallic = 1, roughness = 0.35 }
  end
end
shot:drag { linear = 2 }

-- The polygon of 24 by 10 sides takes up to 1 - cos(pi / 24) of R and 1 - cos(pi / 10) of r off where two lie in each other.
local deepest = -links * 2 * (radius - tube)
local slack = links * 2 * (radius * (1 - math.cos(math.pi / 24)) + tube * (1 - math.cos(math.pi / 10)) + 0.0002)
shot:measure { name = "lowest link", unit = "m", min = deepest - slack, max = -step * links + slack, value = function(world)
  return world:body("link " .. links):position()[2]
end }
shot:measure { name = "farthest from the one above", unit = "m", max = 2 * (radius - tube) + slack / links, value = function(world)
  local most, before = 0, { 0, 0, 0 }
  for i = 1, links do
    if i ~= broken then
      local p = world:body("link " .. i):position()
      most = math.max(most, math.sqrt((p[1] - before[1]) ^ 2 + (p[2] - before[2]) ^ 2 + (p[3] - before[3]) ^ 2))
      before = p
    end
  end
  return most
end }
shot:camera { position = { 0.6, -0.25, 0.9 }, look_at = { 0, -0.33, 0 }, lens = 40 }
return shot
