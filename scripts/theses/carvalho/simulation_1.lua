-- Carvalho 2012, section 5.2: a cloth of 2 x 2 m and 10 x 10 points, level and at rest, held at two
-- corners, falls and swings (tables 5.1 to 5.3). Y is up here, Z in the thesis.
--
--   retake run scripts/theses/carvalho/simulation_1.lua --set method=verlet --set step=0.0012
--   retake sweep scripts/theses/carvalho/simulation_1.lua --vary method=rk4,verlet,implicit_sor
local retake = require "retake"

local method = retake.param("method", "rk4", {
  choices = {
    "explicit_euler", "symplectic_euler", "midpoint", "rk4", "rk45", "verlet",
    "implicit_jacobi", "implicit_sor", "implicit_pcg", "bdf2", "relaxation",
  },
})
local step = retake.param("step", 1e-4, { min = 1e-6, max = 0.1, unit = "s", help = "of the method; the longest of rk45" })
local damp = retake.param("damp", "active", { choices = { "always", "active" }, help = "reading of equation 4.3" })

local shot = retake.shot { name = "carvalho_1", fps = 20, duration = 4.0 }

local cloth = shot:cloth {
  name = "cloth",
  mesh = retake.mesh.grid { size = { 2, 2 }, vertices = { 10, 10 }, normal = { 0, 1, 0 } },
  material = retake.material.springs {
    structural = 2000, shear = 100, bend = 0.001,
    structural_damping = 2, shear_damping = 1, bend_damping = 0.001, damp = damp,
    density = 2050, thickness = 0.0001,
    air_drag = { corner = 0.005, edge = 0.01, interior = 0.02 },
  },
}
cloth:look { color = "#8fa8c8", roughness = 0.8 }
shot:pin { points = cloth:corner "top-left" + cloth:corner "top-right" }
shot:collisions { self = false }

local rk45 = method == "rk45"
shot:solver {
  method = method, guard = "report",
  step = rk45 and step or nil,
  fixed_step = not rk45 and step or nil,
  force_change = method == "verlet" and 0.001 or nil, -- section 5.2, as the next line
  solver_tolerance = method == "implicit_sor" and 0.001 or nil,
}

shot:camera { name = "side", position = { 4.6, 0.2, 3.4 }, look_at = { 0, -0.9, 0 }, lens = 35 }
shot:measure { name = "lowest point", unit = "m", value = function(world) return world:body("cloth"):bounds()[2] end }
shot:output { sheet = { 1, 6, 11, 16, 21, 31, 41, 81 } }
return shot
