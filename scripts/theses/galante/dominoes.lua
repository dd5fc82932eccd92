-- Galante 2009, experiments 1 and 3: boxes as dominoes in a spiral, the first of which is pushed over; with `added`,
-- a ball comes in at that moment above the last of them, when they have fallen.
--
--   retake run scripts/theses/galante/dominoes.lua --set count=60 --set added=10 --set duration=12
local retake = require "retake"

local count = retake.param("count", 255, { integer = true, min = 2, max = 2000, help = "boxes" })
local duration = retake.param("duration", 13, { min = 0.1, max = 100, unit = "s" })
local added = retake.param("added", -1, { min = -1, max = 100, unit = "s", help = "when the ball comes in; below 0: never" })

local shot = retake.shot{ name = "galante_dominoes", fps = 30, duration = duration }
shot:collisions{ friction = 0.5 }
shot:ground{}:look{ color = "#77736c", roughness = 0.8 }

-- An Archimedean spiral, a box every three centimetres along it, from the outermost turn inwards.
local apart, between = 0.03, 0.12 -- boxes along the spiral, and its turns
local angle = math.sqrt(4 * math.pi * count * apart / between) + 2 * math.pi
local box = retake.mesh.box{ size = { 0.01, 0.05, 0.025 } }
local dominoes, last = {}, {}
for i = 1, count do
  local radius = between * angle / (2 * math.pi)
  -- Boxes look along the spiral, the way they are to fall.
  local first = i == 1
  dominoes[i] = shot:rigid{
    name = ("box %03d"):format(i), mesh = box, density = 700,
    translate = { radius * math.cos(angle), 0.0252, radius * math.sin(angle) },
    rotate = { 0, 90 - math.deg(angle), 0 },
    velocity = first and { 0.25 * math.sin(angle), 0, -0.25 * math.cos(angle) } or nil,
    spin = first and { -math.deg(10) * math.cos(angle), 0, -math.deg(10) * math.sin(angle) } or nil,
  }
  dominoes[i]:look{ color = i % 10 == 1 and "#c8553d" or "#d9c7a3", roughness = 0.5 }
  last.x, last.z = radius * math.cos(angle), radius * math.sin(angle)
  angle = angle - apart / radius
end
if added >= 0 then
  local ball = shot:rigid{ name = "ball", mesh = retake.mesh.sphere{ radius = 0.05, subdivisions = 2 }, translate = { last.x, 0.35, last.z }, density = 500, appears = added }
  ball:look{ color = "#3d5a80", roughness = 0.3 }
end

-- Fallen is what leans by more than 45 degrees; out of its turn is what has fallen while the one before still stands.
local function leans(world, i, degrees) return world:body(dominoes[i]):up()[2] < math.cos(math.rad(degrees)) end
local function fallen(world)
  local number = 0
  for i = 1, count do if leans(world, i, 45) then number = number + 1 end end
  return number
end
shot:measure{ name = "boxes fallen", value = fallen }
-- Twenty-four fall a second; at least 21 are to, from half a second on, until all lie. The ball may set one up again.
shot:measure{ name = "boxes late", max = added >= 0 and 1 or 0, value = function(world)
  return math.max(0, math.min(count, math.floor(21 * (world.time - 0.5))) - fallen(world))
end }
shot:measure{ name = "out of turn", max = 0, value = function(world)
  local wrong = 0
  for i = 2, count do if leans(world, i, 45) and not leans(world, i - 1, 20) then wrong = wrong + 1 end end
  return wrong
end }
local wide = between * (math.sqrt(4 * math.pi * count * apart / between) + 2 * math.pi) / (2 * math.pi)
shot:camera{ position = { 0, 2.5 * wide, 2.5 * wide }, look_at = { 0, 0, 0 }, lens = 40 }
shot:output{ sheet = 9 }
return shot
