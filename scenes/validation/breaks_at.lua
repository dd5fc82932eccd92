-- Weights of 1 kg hang by holds of every kind that break at 9.81 N, while gravity grows to 0.9 of 9.81 m/s2 in 2 s and to 1.1 in 4 more: each
-- hold is to break where m g reaches its load, within 5 % (0.3 % of it are the rope's weight, half a frame of 1/24 s 0.1 %).
local retake = require "retake"

local strength = retake.param("strength", 1, { min = 0.1, max = 10, help = "how many times as strong the holds are; the check is for 1" })

local shot = retake.shot { name = "breaks_at", fps = 24, duration = 6.5, gravity = retake.keys {
  { 0, { 0, 0, 0 } }, { 2, { 0, -0.9 * 9.81, 0 }, ease = "linear" }, { 6, { 0, -1.1 * 9.81, 0 }, ease = "linear" } } }
local load, kinds = 9.81 * strength, { "ball", "hinge", "slider", "fixed", "distance", "spring", "pin", "attach", "stitch" }
local beam = shot:collider { name = "beam", mesh = retake.mesh.box { size = { 5, 0.1, 0.2 } }, translate = { 2, 0.55, 0 } }

local function rope(name, x, from, to)
  return shot:rope { name = name, radius = 0.005, density = 100, stretch = 1e4, mesh = retake.mesh.rope { from = { x, from, 0 }, to = { x, to, 0 }, segments = 4 } }
end
local holds = {}
for i, kind in ipairs(kinds) do
  local x = 0.5 * (i - 1)
  local box = shot:rigid { name = kind .. " weight", mesh = retake.mesh.box { size = 0.1 }, mass = 1, translate = { x, 0, 0 } }
  box:look { color = "#c8553d", roughness = 0.5 }
  if kind == "pin" or kind == "attach" or kind == "stitch" then
    local line = rope(kind .. " rope", x, 0.4, 0.06)
    local own = { points = line:vertices { 0 }, breaks_at = kind == "pin" and load or nil }
    local ride = { points = line:vertices { 4 }, to = box, breaks_at = kind == "attach" and load or nil }
    if kind == "stitch" then
      local upper = rope("upper rope", x, 0.48, 0.412)
      shot:pin { points = upper:vertices { 0 } }
      shot:attach(ride)
      holds[i] = shot:stitch { a = upper:vertices { 4 }, b = line:vertices { 0 }, breaks_at = load }
    else
      local pin, attach = shot:pin(own), shot:attach(ride)
      holds[i] = kind == "pin" and pin or attach
    end
  elseif kind == "distance" or kind == "spring" then
    holds[i] = shot:joint { kind = kind, a = box:point { x, 0.05, 0 }, b = beam:point { x, 0.5, 0 }, breaks_at = load,
      stiffness = kind == "spring" and 2000 or nil, damping = kind == "spring" and 20 or nil }
  else
    holds[i] = shot:joint { kind = kind, a = box, about = { x, 0, 0 }, axis = (kind == "hinge" or kind == "slider") and { 1, 0, 0 } or nil, breaks_at = load }
  end
end

local function part(t) return t < 2 and 0.45 * t or 0.9 + 0.05 * (t - 2) end
shot:on_frame(function(_, world)
  for i, kind in ipairs(kinds) do
    if world:broken(holds[i]) then world.memory[kind] = world.memory[kind] or part(world.time) end
  end
end)
for _, kind in ipairs(kinds) do
  shot:measure { name = kind .. " broke at", unit = "of its load", min = 0.95, max = 1.05, value = function(world)
    return world.memory[kind] or world.time < 6.4 and 1 or 2
  end }
end
return shot
