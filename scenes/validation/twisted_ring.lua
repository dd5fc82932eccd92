-- Rods bent to closed rings and wrung: a ring stays level up to a twist of 2 pi sqrt(3) B / C (Michell 1889, Zajac 1962; 623.5 degrees for
-- B = C), and leaves its plane beyond: here 0.95 and 1.05 of it, each pushed off the plane for a moment.
local retake = require "retake"

local below = retake.param("below", 0.95, { min = 0, max = 3, help = "parts of the twist: that of the ring which is to stay" })
local above = retake.param("above", 1.05, { min = 0, max = 3, help = "that of the ring which is to writhe" })
local ratio = retake.param("ratio", 1, { min = 0.3, max = 3, help = "B / C: stiffness against bending over that against twist" })

local shot = retake.shot { name = "twisted_ring", fps = 24, duration = 8, gravity = { 0, 0, 0 } }
local segments, radius, bend = 60, 0.16, 0.02

-- The last segment lies in the first, which is held, and turns about it: so all bends and twists of a closed ring are there, once each.
local function ring(name, x, part)
  local path = {}
  for k = 0, segments + 1 do
    local a = 2 * math.pi * (k - 0.5) / segments
    path[k + 1] = { x + radius * math.sin(a), 0, radius * math.cos(a) }
  end
  local line = shot:rope { name = name, radius = 0.004, density = 1000, stretch = 2e3, bend = bend, twist = bend / ratio, collides = false,
    mesh = retake.mesh.rope { path = path } }
  line:look { color = "#c8553d", roughness = 0.3 }
  shot:pin { points = line:vertices { 0, 1 } }
  shot:pin { points = line:vertices { segments, segments + 1 } }
    :rotate { starts = 0, ends = 2, angle = part * 360 * math.sqrt(3) * ratio, axis = { 1, 0, 0 }, about = { x, 0, path[1][3] } }
  -- Twice up and twice down around the ring: an even push would turn it over about its tangent, which costs nothing.
  shot:force { field = function(p) return 0, 0.01 * (p.x - x) * p.z, 0 end, bodies = line, starts = 2, ends = 2.2 }
end
ring("stays", 0, below)
ring("writhes", 0.5, above)
shot:drag { linear = 5 }

local function off(world, name)
  local low, high = world:body(name):bounds()
  return high[2] - low[2]
end
-- A ring that writhes goes on through itself, as nothing touches here, to a ring of two turns less: what counts is how far off it ever was.
shot:on_frame(function(_, world)
  for _, name in ipairs { "stays", "writhes" } do world.memory[name] = math.max(world.memory[name] or 0, off(world, name)) end
end)
local function last(world) return world.time > 7.99 end
shot:measure { name = "most off its plane at 0.95", unit = "m", max = radius / 80, value = function(world) return world.memory.stays or 0 end }
shot:measure { name = "most off its plane at 1.05", unit = "m", min = radius / 2, value = function(world)
  return last(world) and world.memory.writhes or radius
end }
shot:measure { name = "at 0.95 at last", unit = "m", max = 1e-5, value = function(world) return last(world) and off(world, "stays") or 0 end }
shot:camera { position = { 0.25, 0.5, 0.8 }, look_at = { 0.25, 0, 0 }, lens = 40 }
return shot
