-- Ropes of length 1.05, 1.2, 1.5 and 2 over a span of 1 hang as catenaries y = a cosh(x / a), 2 a sinh(1 / 2a) = length: sag a (cosh(1 / 2a) - 1),
-- horizontal tension a w, by the pin's force F and the weight that an end carries: H = sqrt(F^2 - (w length / 2)^2). Stretch is below 1e-4.
local retake = require "retake"

local heavier = retake.param("heavier", 1, { min = 0.1, max = 10, help = "how many times as heavy the ropes are; the check is for 1" })

local shot = retake.shot { name = "catenary", fps = 24, duration = 6 }
local radius, density, segments = 0.004, 1000, 100
local w = math.pi * radius ^ 2 * density * 9.81 -- newtons a metre
local cases = { { 1.05, 0.13930, 0.91964 }, { 1.2, 0.29234, 0.46954 }, { 1.5, 0.50263, 0.30824 }, { 2, 0.79639, 0.22964 } }

local function last(world) return world.time > 5.99 end
for i, case in ipairs(cases) do
  local length, sag, a = table.unpack(case)
  local name = ("length %g"):format(length)
  local rope = shot:rope { name = name, radius = radius, density = density * heavier, stretch = 1e4, bend = 1e-7,
    mesh = retake.mesh.rope { from = { -0.5, 0, 0.2 * i }, to = { 0.5, 0, 0.2 * i }, length = length, segments = segments } }
  rope:look { color = "#efe6d0", roughness = 0.9 }
  local left = shot:pin { name = name .. " left", points = rope:vertices { 0 } }
  shot:pin { name = name .. " right", points = rope:vertices { segments } }
  shot:measure { name = "sag of " .. name, unit = "m", min = 0.995 * sag, max = 1.005 * sag, value = function(world)
    local low = world:body(name):bounds()
    return last(world) and -low[2] or sag
  end }
  local weight = w * length / 2
  shot:measure { name = "tension of " .. name, unit = "N", min = 0.995 * a * w, max = 1.005 * a * w, value = function(world)
    return last(world) and math.sqrt(world:reaction(left) ^ 2 - weight ^ 2) or a * w
  end }
end
shot:drag { linear = 4 }
shot:solver { accuracy = 1e-5 } -- as exact as forces are to be read
shot:camera { position = { 0, -0.3, 2 }, look_at = { 0, -0.35, 0.4 }, lens = 40 }
return shot
