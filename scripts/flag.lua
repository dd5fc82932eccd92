-- A flag on its pole in gusty wind.
local retake = require "retake"

local wind = retake.param("wind", 7.0, { min = 0, max = 25, unit = "m/s", help = "mean speed of the wind" })
local gusts = retake.param("gusts", 0.45, { min = 0, max = 1, help = "size of the gusts as a part of the speed" })

local shot = retake.shot { name = "flag", fps = 24, duration = 5.0 }
local width, height, mast = 1.5, 1.0, 3.2

local pole = shot:collider {
  name = "pole",
  mesh = retake.mesh.cylinder { radius = 0.025, height = mast, segments = 24, center = { 0, mast / 2 + 0.01, 0 } },
}
pole:look { color = "#d8d8d8", metallic = 1, roughness = 0.3 }

local flag = shot:cloth {
  name = "flag",
  mesh = retake.mesh.grid { size = { width, height }, vertices = { 52, 35 }, center = { 0.03 + width / 2, mast - height / 2 - 0.08, 0 } },
  material = retake.material.fabric "cotton",
}
flag:look { color = "#1f5fa8", roughness = 0.55 }
shot:attach { name = "halyard", points = flag:edge "left", to = pole }

-- The wind freshens, slackens, and freshens again.
local speed = retake.keys { { 0, 0.7 * wind }, { 1.2, wind }, { 2.6, 0.6 * wind }, { 3.8, 1.1 * wind } }
shot:wind { velocity = function(t) return { speed:at(t), 0, 0.25 * speed:at(t) } end, turbulence = gusts, gust_size = 0.8 }
shot:ground { height = 0, friction = 0.5 }:look { color = "#6f7a58", roughness = 0.9 }

shot:camera { name = "lawn", position = { 1.3, 1.9, 3.9 }, look_at = { 0.7, 2.45, 0 }, lens = 50 }
shot:measure { name = "stretch", unit = "%", max = 3, value = function(world) return 100 * world:body("flag"):stretch() end }
shot:measure { name = "pull on the pole", unit = "N", value = function(world) return world:reaction("halyard") end }
shot:output { images = { width = 640, height = 480, samples = 16, every = 24 } }
return shot
