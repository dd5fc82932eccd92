-- Heavy elastica of strips of cloth: length L clamped level, G = rho g L^3 / B, the end lower by H and at W from the clamp; H / W integrated
-- from B theta'' = rho g (L - s) cos theta (Romero et al. 2021): within 2 %. The clamp is in the middle of the cell that is held.
local retake = require "retake"

local heavier = retake.param("heavier", 1, { min = 0.1, max = 10, help = "how many times as heavy the strips are; the check is for 1" })

local shot = retake.shot { name = "elastica_cloth", fps = 24, duration = 5 }
shot:collisions { self = false }
local length, cells, density = 0.3, 24, 0.2
local l = length / cells
local reach = length - l / 2
local cases = { { 0.5, 0.0624 }, { 2, 0.2467 }, { 10, 1.0668 }, { 50, 3.7056 }, { 100, 5.8881 } }
for i, case in ipairs(cases) do
  local gamma, reference = table.unpack(case)
  local name = ("G %g"):format(gamma)
  local mesh = retake.mesh.grid { size = { length, 4 * l }, vertices = { cells + 1, 5 }, normal = { 0, 1, 0 }, center = { length / 2, 0, 0.2 * i } }
  local strip = shot:cloth { name = name, mesh = mesh, material = retake.material.membrane {
    young = 2e4, shear = 8e3, poisson = 0, bend = density * 9.81 * reach ^ 3 / gamma, density = density * heavier, damping = 0.02 } }
  strip:look { color = "#2f6f73", roughness = 0.8 }
  shot:pin { points = strip:column(0) + strip:column(1) }
  -- The end is the lowest and the farthest place of each.
  local function ratio(world)
    local low, high = world:body(name):bounds()
    return -low[2] / (high[1] - l / 2)
  end
  shot:measure { name = name, min = 0.98 * reference, max = 1.02 * reference, value = function(world) return world.time > 4.99 and ratio(world) or reference end }
  shot:measure { name = name .. " off by", unit = "%", value = function(world) return 100 * (ratio(world) / reference - 1) end }
end
shot:drag { linear = 6 }
shot:camera { position = { 0.2, 0.1, 2 }, look_at = { 0.15, -0.1, 0.6 }, lens = 40 }
return shot
