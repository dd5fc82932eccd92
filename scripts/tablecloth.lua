-- A cloth falls on a round table and drapes.
local retake = require "retake"

local fabric = retake.param("fabric", "cotton", { choices = { "silk", "cotton", "wool", "denim" } })
local cells = retake.param("cells", 56, { integer = true, min = 16, max = 160, help = "cells along an edge of the cloth" })

local shot = retake.shot { name = "tablecloth", fps = 24, duration = 3.0 }

local top = retake.mesh.cylinder { radius = 0.5, height = 0.03, segments = 64, center = { 0, 0.735, 0 } }
local leg = retake.mesh.cylinder { radius = 0.04, height = 0.7, segments = 24, center = { 0, 0.37, 0 } }
local foot = retake.mesh.cylinder { radius = 0.24, height = 0.03, segments = 48, center = { 0, 0.016, 0 } }
local table_ = shot:collider { name = "table", mesh = retake.mesh.join { top, leg, foot }, friction = 0.5 }
table_:look { color = "#6b4a2e", roughness = 0.35 }

local cloth = shot:cloth {
  name = "cloth",
  mesh = retake.mesh.grid { size = { 1.5, 1.5 }, vertices = { cells + 1, cells + 1 }, normal = { 0, 1, 0 }, center = { 0.02, 0.8, 0.01 } },
  material = retake.material.fabric(fabric),
  friction = 0.4,
}
cloth:look { color_map = "pictures/gingham.png", roughness = 0.85 }

shot:ground { height = 0, friction = 0.5 }:look { color = "#8a8f96", roughness = 0.6 }
shot:drag { linear = 0.8 }
shot:camera { name = "guest", position = { 1.5, 1.45, 1.9 }, look_at = { 0, 0.52, 0 }, lens = 42 }
shot:light { kind = "sun", direction = { -0.6, -1.0, -0.25 }, strength = 3.0, color = { 1.0, 0.94, 0.85 } }
shot:light { kind = "sky", strength = 0.9, color = { 0.75, 0.85, 1.0 } }

shot:measure { name = "stretch", unit = "%", max = 2, value = function(world) return 100 * world:body("cloth"):stretch() end }
shot:measure { name = "hem height", unit = "m", min = 0, value = function(world) return world:body("cloth"):bounds()[2] end }
shot:output { images = { width = 640, height = 480, samples = 16, every = 24 } }
return shot
