-- A cloth falls on a ball that rises and turns, before a wall 4 m from the camera.
-- Comes into Blender through point caches with three samples a frame; its pictures have layers.
local retake = require "retake"

local shot = retake.shot { name = "drape", fps = 24, frames = 9 }

local cape = shot:cloth {
  name = "cape", group = "cast",
  mesh = retake.mesh.grid { size = { 0.9, 0.9 }, vertices = { 13, 13 }, normal = { 0, 1, 0 }, center = { 0.05, 0.76, 0.02 } },
}
cape:look { color_map = "scripts/pictures/gingham.png", roughness = 0.8 }

local turns = 9 / 24 -- seconds until the last frame
local ball = shot:collider {
  name = "ball", group = "set/props",
  mesh = retake.mesh.sphere { radius = 0.3, subdivisions = 2, center = { 0, 0.4, 0 } },
  translate = retake.keys { { 0, { 0, 0, 0 } }, { turns, { 0.1, 0.04, 0 }, ease = "linear" } },
  rotate = retake.keys { { 0, { 0, 0, 0 } }, { turns, { 0, 50, 0 }, ease = "linear" } },
}
ball:look { color = "#40434a", metallic = 1, roughness = 0.35 }

-- Its front is at z = -1. It is narrower than the picture, so that nothing is seen beside it.
shot:collider { name = "wall", group = "set", mesh = retake.mesh.box { size = { 2, 4, 0.1 } }, translate = { 0, 0.5, -1.05 } }

shot:camera { name = "front", position = { 0, 0.5, 3 }, look_at = { 0, 0.5, 0 }, lens = 50 }
shot:light { name = "noon", kind = "sun", direction = { -0.4, -1, -0.6 }, strength = 3 }
shot:light { name = "air", kind = "sky", strength = 0.8, color = { 0.75, 0.85, 1 } }
shot:output {
  obj = true, caches = "pc2", subframes = 3, sheet = 0,
  images = { width = 48, height = 27, samples = 4, every = 9, layers = { "depth", "normal", "object_id" } },
}
return shot
