-- A limb of a skin that bends under a cloth, and the camera of its file, which pans. Comes into Blender as
-- shapes of glTF.
local retake = require "retake"

local shot = retake.shot { name = "limb", fps = 24, frames = 8 }
local set = retake.stage "limb.gltf"
local limb = shot:collider { name = "limb", from = set, object = "Limb", clip = "Bend" }
local cloth = shot:cloth {
  name = "cloth",
  mesh = retake.mesh.grid { size = { 0.3, 0.3 }, vertices = { 8, 8 }, center = { 0.62, 0.06, 0 }, normal = { 0, 1, 0 } },
}
shot:attach { points = cloth:corner "top-left", to = limb }
shot:camera { name = "cam", from = set, object = "ShotCam" }
shot:output { obj = true, caches = false, sheet = 0, images = false }
return shot
