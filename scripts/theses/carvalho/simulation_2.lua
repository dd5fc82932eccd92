-- Carvalho 2012, section 5.3: a cloth of 2 x 2 m and 17 x 17 points falls on a sphere just below it
-- (tables 5.4 to 5.6). Points are thrown back, v - (1 + k) n (v . n) with k = 1; no friction, no contact
-- of the cloth with itself. The sphere is a mesh here, with a quarter's symmetry and a level facet at each
-- pole. How far below the cloth it lies is not printed.
local retake = require "retake"

local method = retake.param("method", "rk4", {
  choices = {
    "explicit_euler", "symplectic_euler", "midpoint", "rk4", "rk45", "verlet",
    "implicit_jacobi", "implicit_sor", "implicit_pcg", "bdf2", "relaxation",
  },
})
local step = retake.param("step", 1e-4, { min = 1e-6, max = 0.1, unit = "s", help = "of the method; the longest of rk45" })
local damp = retake.param("damp", "active", { choices = { "always", "active" }, help = "reading of equation 4.3" })
local k = retake.param("k", 1.0, { min = 0, max = 1, help = "part of the speed of approach that is given back" })

local shot = retake.shot { name = "carvalho_2", fps = 20, duration = 3.0 }

local radius, gap = 0.5, 0.01
local cloth = shot:cloth {
  name = "cloth", translate = { 0, radius + gap, 0 },
  mesh = retake.mesh.grid { size = { 2, 2 }, vertices = { 17, 17 }, normal = { 0, 1, 0 } },
  material = retake.material.springs {
    structural = 2000, shear = 100, bend = 0.001,
    structural_damping = 2, shear_damping = 1, bend_damping = 0.001, damp = damp,
    density = 2050, thickness = 0.0001,
    air_drag = { corner = 0.002, edge = 0.004, interior = 0.008 },
  },
}
cloth:look { color = "#c8a08f", roughness = 0.8 }
local profile = { { 0, -radius * math.cos(math.pi / 64) } }
for ring = 0, 31 do
  local angle = math.pi * (2 * ring + 1) / 64
  profile[#profile + 1] = { radius * math.sin(angle), -radius * math.cos(angle) }
end
profile[#profile + 1] = { 0, radius * math.cos(math.pi / 64) }
local sphere = shot:collider { name = "sphere", visible = false, mesh = retake.mesh.lathe { profile = profile, segments = 64 } }
-- Only points are kept out: what is drawn is a centimetre smaller, as straight threads between them cut in.
local drawn = retake.mesh.sphere { radius = radius - 0.01, subdivisions = 4 }
shot:collider { name = "drawn", mesh = drawn, collides = false }:look { color = "#4f6d7a", roughness = 0.4 }
shot:contact { a = cloth, b = sphere, restitution = k, friction = 0 }
shot:collisions { self = false }

local rk45 = method == "rk45"
shot:solver {
  method = method, guard = "report",
  step = rk45 and step or nil,
  fixed_step = not rk45 and step or nil,
  force_change = method == "verlet" and 0.001 or nil, -- section 5.2, as the next line
  solver_tolerance = method == "implicit_sor" and 0.001 or nil,
}

shot:camera { name = "side", position = { 3.0, 1.6, 3.0 }, look_at = { 0, -0.2, 0 }, lens = 35 }
shot:output { sheet = { 1, 4, 7, 11, 16, 21, 41, 61 } }
return shot
