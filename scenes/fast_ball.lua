-- A ball of 6 cm flies at 50 m/s into a sheet held by its corners. With the guard and retakes it
-- carries the sheet along; with `--set guard=off --set rollback=false` it goes through.
local retake = require "retake"

local guard = retake.param("guard", "enforce", { choices = { "enforce", "report", "off" } })
local rollback = retake.param("rollback", true)

local shot = retake.shot { name = "fast_ball", fps = 24, duration = 0.5 }
shot:solver { guard = guard, rollback = rollback, fixed_step = 1 / 24 }
shot:collisions { thickness = 0.0048 }

local sheet = shot:cloth {
  name = "sheet",
  mesh = retake.mesh.grid { size = { 1.5, 1.5 }, vertices = { 50, 50 } },
}
sheet:look { color = "#2b5fa8" }
for _, corner in ipairs { "top-left", "top-right", "bottom-left", "bottom-right" } do
  shot:pin { name = corner, points = sheet:corner(corner) }
end

local flight = { { 0.10, { 0.013, 0.007, 1.0 } }, { 0.12, { 0.013, 0.007, 0.0 }, ease = "linear" }, { 0.14, { 0.013, 0.007, -0.4 }, ease = "sine_out" } }
shot:collider { name = "ball", mesh = retake.mesh.sphere { radius = 0.03, subdivisions = 2 }, translate = retake.keys(flight) }
  :look { color = "#d0872a", roughness = 0.3 }

shot:camera { name = "side", position = { 2.3, 0.5, 0.4 }, look_at = { 0, 0, -0.15 }, lens = 40 }
shot:measure { name = "behind the sheet", unit = "m", value = function(world) return -world:body("sheet"):bounds()[3] end }
shot:output { gltf = false, caches = false, sheet = { 1, 4, 5, 6, 8, 13 } }
return shot
