-- Heavy elastica: a rod of length L clamped level, G = w L^3 / E I, ends lower by H and at W from the clamp; H / W integrated from
-- B theta'' = w (L - s) cos theta (Romero et al. 2021): within 2 %. Bends stand for half a segment to each side: the clamp is in a middle.
local retake = require "retake"

local heavier = retake.param("heavier", 1, { min = 0.1, max = 10, help = "how many times as heavy the rods are; the check is for 1" })

local shot = retake.shot { name = "elastica", fps = 24, duration = 6 }
local l, segments = 1 / 50.5, 51
local cases = { { 0.5, 0.0624 }, { 1, 0.1246 }, { 5, 0.5857 }, { 20, 1.8639 }, { 100, 5.8881 } }
for i, case in ipairs(cases) do
  local gamma, reference = table.unpack(case)
  local name, w = ("G %g"):format(gamma), 1000 * math.pi * 0.01 ^ 2 * 9.81
  local rod = shot:rope { name = name, radius = 0.01, density = 1000 * heavier, stretch = 1e6, bend = w / gamma,
    mesh = retake.mesh.rope { from = { -l / 2, 0, 0.2 * i }, to = { 1, 0, 0.2 * i }, segments = segments } }
  rod:look { color = "#9aa3ad", metallic = 1, roughness = 0.3 }
  shot:pin { points = rod:vertices { 0, 1 } }
  -- The end is the lowest and the farthest place of each.
  shot:measure { name = name, min = 0.98 * reference, max = 1.02 * reference, value = function(world)
    local low, high = world:body(name):bounds()
    return world.time > 5.99 and -low[2] / high[1] or reference
  end }
  shot:measure { name = name .. " off by", unit = "%", value = function(world)
    local low, high = world:body(name):bounds()
    return 100 * (-low[2] / high[1] / reference - 1)
  end }
end
shot:drag { linear = 3 }
shot:camera { position = { 0.5, 0, 2.5 }, look_at = { 0.4, -0.4, 0.6 }, lens = 40 }
return shot
