-- Carvalho 2012, section 5.4: a flag of 2 x 1.47 m and 19 x 14 points in a gust at 45 degrees to it
-- (tables 5.7 to 5.9). The gust is a sine from 0 to 0 with a peak of 30 m/s that takes 3 s along (1, 1,
-- 0); the vector of table 5.7, (30, 30, 0), is 42.4 m/s long: `peak` is the text's. Which points are
-- held is not printed: the whole edge at the pole.
local retake = require "retake"

local method = retake.param("method", "rk4", {
  choices = {
    "explicit_euler", "symplectic_euler", "midpoint", "rk4", "rk45", "verlet",
    "implicit_jacobi", "implicit_sor", "implicit_pcg", "bdf2", "relaxation",
  },
})
local step = retake.param("step", 1e-4, { min = 1e-6, max = 0.1, unit = "s", help = "of the method; the longest of rk45" })
local damp = retake.param("damp", "active", { choices = { "always", "active" }, help = "reading of equation 4.3" })
local peak = retake.param("peak", 30, { min = 0, max = 60, unit = "m/s", help = "of the gust" })

local shot = retake.shot { name = "carvalho_3", fps = 20, duration = 4.0 }

local flag = shot:cloth {
  name = "flag", translate = { 1, 0, 0 },
  mesh = retake.mesh.grid { size = { 2, 1.47 }, vertices = { 19, 14 } },
  material = retake.material.springs {
    structural = 2000, shear = 100, bend = 1.5,
    structural_damping = 2, shear_damping = 1, bend_damping = 0.001, damp = damp,
    density = 2050, thickness = 0.0001,
    air_drag = { corner = 0.002, edge = 0.004, interior = 0.008 },
  },
}
flag:look { color = "#a83232", roughness = 0.8 }
shot:pin { points = flag:edge "left" }
shot:collisions { self = false }

-- The flag lies in the plane of x and y, the wind blows half along it.
local half = math.sqrt(0.5)
shot:wind {
  velocity = function(t)
    local speed = t < 3 and peak * math.sin(math.pi * t / 3) or 0
    return { half * speed, 0, -half * speed }
  end,
  viscosity = 0.0178, ends = 3,
}

local rk45 = method == "rk45"
shot:solver {
  method = method, guard = "report",
  step = rk45 and step or nil,
  fixed_step = not rk45 and step or nil,
  force_change = method == "verlet" and 0.001 or nil, -- section 5.2, as the next line
  solver_tolerance = method == "implicit_sor" and 0.001 or nil,
}

shot:camera { name = "side", position = { 1.2, 0.4, 6 }, look_at = { 0.9, -0.3, 0 }, lens = 35 }
shot:output { sheet = { 1, 11, 21, 31, 41, 51, 61, 81 } }
return shot
