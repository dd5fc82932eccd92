-- Ribbons of cloth once round a bar, friction 0.3, drawn at both ends: the lighter pull holds the other up to e^(mu angle) = 6.586
-- (Euler, Eytelwein). 0.95 of that holds (the light end goes by less than 1 cm), 1.05 slides. A turn climbs along the bar by a little.
local retake = require "retake"

local mu = retake.param("mu", 0.3, { min = 0, max = 1, help = "friction; the check is for 0.3" })

local shot = retake.shot { name = "capstan", fps = 24, duration = 1, gravity = { 0, 0, 0 } }
shot:collisions { friction = mu, self = false }
local bar, thick, pull, turn = 0.1, 0.002, 10, 2 * math.pi

-- A strip that lies straight along u, climbing by 4 cm a turn, with v across, wound about Z from -turn / 2 to turn / 2 of s.
local function wound(u, v, r)
  local slope = math.atan(0.04, 2 * math.pi * r)
  local s, z = u * math.cos(slope) - v * math.sin(slope), u * math.sin(slope) + v * math.cos(slope)
  local a = math.max(-turn / 2, math.min(turn / 2, s / r))
  local beyond = s - r * a
  return r * math.sin(a) + beyond * math.cos(a), r * math.cos(a) - beyond * math.sin(a), z
end

local function case(part)
  local name, x = part > 1 and "slides" or "holds", 1.6 * (part > 1 and 1 or 0)
  local r, length, pieces = bar + thick / 2 + 0.0009, turn * 0.11 + 0.6, 60
  shot:collider { name = name .. " bar", mesh = retake.mesh.cylinder { radius = bar, height = 0.3, segments = 96 }, translate = { x, 0, 0 }, rotate = { 90, 0, 0 } }
  local flat = retake.mesh.grid { size = { 0.03, length }, vertices = { 2, pieces + 1 } }
  local band = shot:cloth { name = name, mesh = flat:displaced(function(p) return wound(p.y, p.x, r) end), rest = flat, thickness = thick, translate = { x, 0, 0 },
    material = retake.material.membrane { young = 1e6, poisson = 0, shear = 5e5, bend = 1e-6, density = 0.05, damping = 0.01 } }
  for side, edge in pairs { [-1] = "bottom", [1] = "top" } do
    local p, q = { wound(side * length / 2, 0, r) }, { wound(side * (length / 2 - 0.01), 0, r) }
    local force = side < 0 and pull or part * math.exp(0.3 * turn) * pull
    local box = shot:rigid { mesh = retake.mesh.box { size = 0.02 }, mass = 1, translate = { p[1] + x, p[2], p[3] }, collides = false }
    shot:attach { points = band:edge(edge), to = box }
    shot:force { vector = { force * (p[1] - q[1]) / 0.01, force * (p[2] - q[2]) / 0.01, force * (p[3] - q[3]) / 0.01 }, per = "body", bodies = box }
    if side < 0 then
      shot:measure { name = name, unit = "m", min = part > 1 and 0.05 or -0.01, max = part < 1 and 0.01 or nil, value = function(world)
        local now = world:body(box):position()
        local way = ((now[1] - p[1] - x) * (q[1] - p[1]) + (now[2] - p[2]) * (q[2] - p[2])) / 0.01
        return world.time < 0.99 and part > 1 and 0.05 or way
      end }
    end
  end
end
case(0.95)
case(1.05)
return shot
