-- A sheet rides on a turning bar: broken frames a second, a first frame before 0, a camera and a lens
-- that move, one mesh for two bodies. Comes into Blender through glTF alone.
local retake = require "retake"

local shot = retake.shot { name = "turn", fps = { 30000, 1001 }, frames = 9, start_frame = -4 }
local ends = shot:time(5)

local bar = shot:collider {
  name = "bar", group = "rig",
  mesh = retake.mesh.box { size = { 0.7, 0.04, 0.04 } }, translate = { 0, 1, 0 },
  rotate = retake.keys { { 0, { 0, 0, 0 } }, { ends, { 0, 40, 0 }, ease = "linear" } },
}
bar:look { color = "#b08d4f", metallic = 1, roughness = 0.3 }
local sheet = shot:cloth {
  name = "sheet",
  mesh = retake.mesh.grid { size = { 0.6, 0.5 }, vertices = { 10, 9 }, center = { 0, 0.72, 0 } },
  material = retake.material.fabric "silk",
}
shot:attach { points = sheet:edge "top", to = bar }

local cup = retake.mesh.cylinder { radius = 0.1, height = 0.2, segments = 16 }
shot:collider { name = "cup_1", group = "set/cups", mesh = cup, translate = { -0.5, 0.1, 0.4 } }
  :look { color = "#cfe4ee", transmission = 0.9, ior = 1.33, roughness = 0.1 }
shot:collider { name = "cup_2", group = "set/cups", mesh = cup, translate = { 0.5, 0.1, 0.4 }, rotate = { 0, 30, 0 } }
shot:ground { height = 0 }

shot:camera {
  name = "dolly", look_at = { 0, 0.7, 0 },
  position = retake.keys { { 0, { 1, 1, 3 } }, { ends, { 2, 1.5, 2 }, ease = "linear" } },
  lens = retake.keys { { 0, 35 }, { ends, 60, ease = "linear" } },
}
shot:light { name = "key", kind = "area", position = { 1, 3, 1 }, look_at = { 0, 0.7, 0 }, size = 0.8, strength = 60 }
shot:light { name = "bulb", kind = "point", position = { -1, 2, 1 }, size = 0.1, strength = 40 }
shot:output { obj = true, caches = false, sheet = 0, images = false }
return shot
