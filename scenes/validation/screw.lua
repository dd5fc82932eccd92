-- A bolt that a motor turns carries a nut that can only slide: it rises by a pitch a turn, from where it lies on the thread. Threads are
-- r = R + A sin(2 pi y / p - angle), the nut's wider by g: they touch once shifted by s with 2 A sin(pi s / p) = g, s = (p / pi) asin(g / 2 A).
local retake = require "retake"

local thinner = retake.param("thinner", 0, { min = 0, max = 0.02, unit = "m", help = "of the bolt's radius; the check is for 0" })

local shot = retake.shot { name = "screw", fps = 24, duration = 3 }
shot:collisions { friction = 0.1 }
local radius, pitch, amplitude, gap, speed = 0.03, 0.02, 0.004, 0.0012, 180
local sides, high, nut_high = 32, 0.12, 0.03

local function wave(p, a) return a * math.sin(2 * math.pi * p.y / pitch - math.atan(p.z, p.x)) end
-- Turned to the right about Y its thread, whose angle falls as it turns, moves up.
local bolt = shot:rigid {
  name = "bolt", density = 7800, friction = 0.1,
  mesh = retake.mesh.cylinder { radius = radius, height = high, segments = sides, rings = 60 }:displaced(function(p)
    local r = math.sqrt(p.x * p.x + p.z * p.z)
    if r < radius / 2 then return p.x, p.y, p.z end
    local f = (radius - thinner + wave(p, amplitude)) / r
    return p.x * f, p.y, p.z * f
  end),
}
bolt:look { color = "#9aa3ad", metallic = 1, roughness = 0.3 }

local profile, rows = { { 0.05, -nut_high / 2 } }, 14
for i = 0, rows do profile[i + 2] = { radius, nut_high * (i / rows - 0.5) } end
profile[rows + 3] = { 0.05, nut_high / 2 }
profile[rows + 4] = { 0.05, -nut_high / 2 }
local nut = shot:rigid {
  name = "nut", density = 7800, friction = 0.1,
  mesh = retake.mesh.lathe { segments = sides, profile = profile }:displaced(function(p)
    local r = math.sqrt(p.x * p.x + p.z * p.z)
    if r > 0.04 then return p.x, p.y, p.z end
    local f = (radius + gap + wave(p, amplitude)) / r
    return p.x * f, p.y, p.z * f
  end),
}
nut:look { color = "#b08d4f", metallic = 1, roughness = 0.35 }

local motor = shot:joint { kind = "hinge", a = bolt, about = { 0, 0, 0 }, axis = { 0, 1, 0 }, motor = speed }
shot:joint { kind = "slider", a = nut, axis = { 0, 1, 0 } }

local shift = pitch / math.pi * math.asin(gap / (2 * amplitude))
shot:measure { name = "nut", unit = "m", value = function(world) return world:body("nut"):position()[2] end }
shot:measure { name = "nut off its thread", unit = "m", min = -1.2 * shift, max = 0.2 * shift, value = function(world)
  return world:body("nut"):position()[2] - pitch * world:travel(motor) / 360
end }
shot:measure { name = "turn", unit = "degrees", min = 0, value = function(world) return world:travel(motor) end }
shot:camera { position = { 0.25, 0.15, 0.3 }, look_at = { 0, 0, 0 }, lens = 45 }
return shot
