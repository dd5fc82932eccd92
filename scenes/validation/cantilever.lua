-- Beams of tetrahedra clamped at one end: a load P at the tip lowers it by P L^3 / (3 E I), the weight q a metre by q L^4 / (8 E I), each with
-- shear (Timoshenko) 6 / 5 P L / (G A) and 3 / 5 q L^2 / (G A) more. Linear tetrahedra lock in bending: `cells` in its height tell by how much.
local retake = require "retake"

local cells = retake.param("cells", 8, { integer = true, min = 1, max = 16, help = "cells in the height of a beam" })
local heavier = retake.param("heavier", 1, { min = 0.1, max = 10, help = "how many times as large loads are; the check is for 1" })

local shot = retake.shot { name = "cantilever", fps = 24, duration = 1.5, gravity = { 0, 0, 0 } }
local length, high, wide, young, poisson, density, g = 1, 0.125, 0.0625, 5e7, 0.3, 1000, 9.81
local area, second, shear = high * wide, wide * high ^ 3 / 12, young / (2 * (1 + poisson))
local weight = density * area * g -- newtons a metre
local load = 0.4 * weight * length

local across = math.max(1, cells // 2)
local function beam(name, z)
  local mesh = retake.mesh.tet_box { size = { length, high, wide }, cells = { 8 * cells, cells, across }, center = { length / 2, 0, 0 } }
  local body = shot:soft { name = name, mesh = mesh, translate = { 0, 0, z }, material = retake.material.soft { young = young, poisson = poisson, density = density, damping = 0.002 } }
  shot:pin { points = body:where(function(p) return p.x < 1e-6 end) }
  return body
end
local tip, own = beam("tip load", 0), beam("own weight", 0.3)
-- The load acts on a light plate that the end is fixed to.
local plate = shot:rigid { mesh = retake.mesh.box { size = { 0.01, high, wide } }, mass = 0.01, translate = { length, 0, 0 }, collides = false }
shot:attach { points = tip:where(function(p) return p.x > length - 1e-6 end), to = plate }
shot:force { vector = { 0, -heavier * load, 0 }, per = "body", bodies = plate }
shot:force { vector = { 0, -heavier * g, 0 }, per = "mass", bodies = own }
shot:drag { linear = 30 }

local sags = {
  ["tip load"] = load * length ^ 3 / (3 * young * second) + 1.2 * load * length / (shear * area),
  ["own weight"] = weight * length ^ 4 / (8 * young * second) + 0.6 * weight * length ^ 2 / (shear * area),
}
for _, body in ipairs { "tip load", "own weight" } do
  -- The lowest place is the tip's lower edge.
  shot:measure { name = "sag by " .. body, unit = "%", min = 95, max = 105, value = function(world)
    local low = world:body(body):bounds()
    return world.time > 1.49 and 100 * (-high / 2 - low[2]) / sags[body] or 100
  end }
end
shot:camera { position = { 0.5, 0.3, 2 }, look_at = { 0.5, 0, 0.15 }, lens = 45 }
return shot
