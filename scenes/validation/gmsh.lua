-- A bar of tetrahedra from a Gmsh file (bar.msh: 24 of them, 0.4 m high, its top at 0) hangs by its top, without narrowing. Its end sinks by
-- rho g L^2 / (2 E) = 4 mm, what lies y below the top by rho g (L y - y^2 / 2) / E, so the middle of mass by 2 / 3 of 4 mm: within 4 %.
local retake = require "retake"

local heavier = retake.param("heavier", 1, { min = 0.1, max = 10, help = "how many times as heavy the bar is; the check is for 1" })

local shot = retake.shot { name = "gmsh", fps = 24, duration = 2 }
local length, density = 0.4, 1000
local mesh = retake.mesh.load("bar.msh", { object = "bar" })
assert(mesh:vertex_count() == 20, "the file has twenty vertices")

local material = retake.material.soft { young = density * 9.81 * length / 0.02, poisson = 0, density = density * heavier, damping = 0.02 }
local bar = shot:soft { name = "bar", mesh = mesh, material = material }
bar:look { color = "#2f7a8c", roughness = 0.4 }
shot:pin { points = bar:where(function(p) return p.y > -1e-6 end) }
shot:drag { linear = 8 }

local sinks = 0.004 * 2 / 3
shot:measure { name = "middle of mass lower by", unit = "m", min = 0.96 * sinks, max = 1.04 * sinks, value = function(world)
  return world.time > 1.99 and -world:body("bar"):position()[2] - length / 2 or sinks
end }
shot:camera { position = { 0.5, 0, 1 }, look_at = { 0, -0.2, 0 }, lens = 45 }
return shot
