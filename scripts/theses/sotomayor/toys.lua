-- Sotomayor 2008, figures 6.1 to 6.3: a pile of eight toys. Its ducks and rabbits are not printed; these shapes are ours,
-- three balls of resolution A among them. Any closed mesh takes part once it is filled with tetrahedra.
local retake = require "retake"

local alpha = retake.param("alpha", 0.8, { min = 0, max = 1 })
local spacing = retake.param("spacing", 0.055, { min = 0.02, max = 0.2, unit = "m", help = "of the cells of the filled meshes" })
local duration = retake.param("duration", 3, { min = 0.1, max = 60, unit = "s" })
local guard = retake.param("guard", "enforce", { choices = { "enforce", "report", "off" }, help = "report and off: the method alone" })

local shot = retake.shot{ name = "sotomayor_toys", fps = 60, duration = duration }
shot:solver{ method = "shape_matching", guard = guard, fixed_step = 1 / 240 }
shot:collisions{ friction = 0.5 }
shot:ground{}:look{ color = "#77736c", roughness = 0.8 }
shot:drag{ linear = 0.5 }

local material = retake.material.shape_matching{ stiffness = alpha, mode = "rigid", density = 300 }
local ball = retake.mesh.tet_ball{ radius = 0.16, cells = 4 }
local ring = retake.mesh.torus{ radius = 0.17, tube = 0.065, segments = 18, rings = 8 }:tetrahedralized{ spacing = spacing }
local pawn = retake.mesh.lathe{ segments = 12, profile = {
  { 0, -0.22 }, { 0.12, -0.22 }, { 0.12, -0.16 }, { 0.06, -0.1 }, { 0.05, 0.04 }, { 0.1, 0.1 }, { 0.1, 0.18 }, { 0, 0.22 },
} }:tetrahedralized{ spacing = spacing }
local brick = retake.mesh.tet_box{ size = { 0.4, 0.16, 0.2 }, cells = { 5, 2, 3 } }

local function toy(name, mesh, x, y, z, rotate, color)
  shot:soft{ name = name, mesh = mesh, material = material, translate = { x, y, z }, rotate = rotate, self_collision = false }
    :look{ color = color, roughness = 0.4 }
end
toy("ball 1", ball, -0.18, 0.25, 0.02, { 0, 0, 0 }, "#c8553d")
toy("ring 1", ring, 0.28, 0.32, 0.05, { 25, 0, 15 }, "#3d5a80")
toy("pawn 1", pawn, 0.02, 0.68, -0.1, { 70, 20, 0 }, "#7a9e7e")
toy("ball 2", ball, 0.1, 0.72, 0.26, { 0, 0, 0 }, "#b79a6d")
toy("brick", brick, -0.08, 1.05, 0.05, { 10, 30, 20 }, "#8fa8c8")
toy("ring 2", ring, 0.12, 1.45, 0.0, { 75, 0, 20 }, "#6d597a")
toy("ball 3", ball, -0.1, 1.85, 0.1, { 0, 0, 0 }, "#d9a05b")
toy("pawn 2", pawn, 0.1, 2.3, -0.02, { 160, 0, 30 }, "#a44a3f")

shot:camera{ position = { 1.7, 1.3, 2.0 }, look_at = { 0.05, 0.35, 0 }, lens = 35 }
shot:output{ sheet = 9, gltf = false, caches = false }
return shot
