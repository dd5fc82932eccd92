-- A heavy ball is lowered into a hammock, rests there, and is lifted out again.
local retake = require "retake"

local sink = retake.param("sink", 0.5, { min = 0.1, max = 0.55, unit = "m", help = "how far the ball goes down into the cloth" })

local shot = retake.shot { name = "hammock", fps = 24, duration = 5.0 }
local length, width, high = 2.0, 1.0, 1.3

local cloth = shot:cloth {
  name = "hammock",
  mesh = retake.mesh.grid { size = { length, width }, vertices = { 61, 31 }, normal = { 0, 1, 0 }, center = { 0, high, 0 } },
  material = retake.material.fabric "denim",
}
cloth:look { color = "#2f6f73", roughness = 0.8 }

-- Six cords at each end are drawn to a hook, closer together than the cloth is long and wide.
for _, side in ipairs { "left", "right" } do
  local column, sign = 0, -1
  if side == "right" then column, sign = 60, 1 end
  local cords = cloth:at(0, column)
  for row = 6, 30, 6 do cords = cords + cloth:at(row, column) end
  local hook = shot:pin { name = side .. " hook", points = cords }
  hook:scale { starts = 0, ends = 0.9, by = { 1, 1, 0.45 }, about = { 0, high, 0 } }
  hook:translate { starts = 0, ends = 0.9, by = { -0.16 * sign, 0, 0 } }
end

local top, low = high + 0.55, high - sink
local ball = shot:collider {
  name = "ball", friction = 0.5,
  mesh = retake.mesh.sphere { radius = 0.22, subdivisions = 4 },
  translate = retake.keys { { 0.9, { 0, top, 0 } }, { 2.4, { 0, low + 0.22, 0 }, ease = "smooth" }, { 3.4, { 0, low + 0.22, 0 } }, { 4.6, { 0, top, 0 }, ease = "smooth" } },
  rotate = retake.keys { { 2.4, { 0, 0, 0 } }, { 3.4, { 0, 40, 0 }, ease = "smooth" } },
}
ball:look { color = "#40434a", metallic = 1, roughness = 0.35 }

shot:ground { height = 0 }:look { color = "#b9ad97", roughness = 0.8 }
shot:drag { linear = 0.8 }
shot:camera { name = "garden", position = { 1.7, 1.9, 2.8 }, look_at = { 0, 1.18, 0 }, lens = 38 }

shot:measure { name = "stretch", unit = "%", max = 4, value = function(world) return 100 * world:body("hammock"):stretch() end }
shot:measure { name = "load of the left hook", unit = "N", value = function(world) return world:reaction("left hook") end }
shot:output { images = { width = 640, height = 480, samples = 16, every = 24 } }
return shot
