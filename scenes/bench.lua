-- The scenes of `retake bench`, one by its name; each can be run and looked at like any other shot.
local retake = require "retake"

local case = retake.param("case", "drape", { choices = { "hang", "drape", "layers", "twist" } })
local vertices = retake.param("vertices", 50, { integer = true, min = 4, max = 1000, help = "along each side of a sheet" })
local layers = retake.param("layers", 10, { integer = true, min = 2, max = 200, help = "sheets of the case `layers`" })

local gravity = case == "twist" and { 0, 0, 0 } or nil
local shot = retake.shot { name = "bench_" .. case, fps = 24, duration = 3.0, gravity = gravity }
local fabric = retake.material.membrane { young = 1000, poisson = 0.2, shear = 300, bend = 2e-5, density = 0.2, damping = 0.002 }

local function sheet(name, size, height)
  local mesh = retake.mesh.grid { size = { size, size }, vertices = { vertices, vertices }, center = { 0, height, 0 }, normal = { 0, 1, 0 } }
  return shot:cloth { name = name, mesh = mesh, material = fabric, friction = 0.4 }
end

if case == "hang" then
  -- A sheet let go flat, held by two corners.
  shot:collisions { self = false }
  local cloth = sheet("sheet", 2, 0)
  shot:pin { name = "corners", points = cloth:corner "top-left" + cloth:corner "top-right" }
elseif case == "drape" then
  -- A sheet falls on a ball, contact distance 8 mm.
  shot:collisions { thickness = 0.0078, friction = 0.4 }
  shot:collider { name = "ball", mesh = retake.mesh.sphere { radius = 0.5, subdivisions = 4 } }
  sheet("sheet", 2, 0.55)
elseif case == "layers" then
  -- Sheets fall on each other, no vertex above another.
  shot:collisions { thickness = 0.0048 }
  shot:ground { height = 0 }
  for i = 1, layers do
    local mesh = retake.mesh.grid { size = { 1, 1 }, vertices = { vertices, vertices }, center = { 0.011 * i, 0.02 + 0.03 * i, 0.007 * i }, normal = { 0, 1, 0 } }
    shot:cloth { name = "layer " .. i, mesh = mesh, material = fabric }
  end
else
  -- Both ends of a band are turned against each other, five turns in all.
  shot:collisions { thickness = 0.002 }
  local mesh = retake.mesh.grid { size = { 0.4, 1 }, vertices = { math.max(4, vertices * 2 // 5), vertices } }
  local band = shot:cloth { name = "band", mesh = mesh, material = fabric }
  for _, edge in ipairs { "top", "bottom" } do
    local angle = edge == "top" and 900 or -900
    shot:pin { name = edge, points = band:edge(edge) }
      :rotate { starts = 0, ends = 3, angle = angle, axis = { 0, 1, 0 } }
  end
end
shot:output { gltf = false, caches = false }
return shot
