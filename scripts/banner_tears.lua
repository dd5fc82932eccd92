-- A banner of two panels is pulled apart: the seam between them tears, stitch by stitch.
local retake = require "retake"

local strength = retake.param("strength", 1.0, { min = 0.1, max = 20, unit = "N", help = "force at which a stitch breaks" })

local shot = retake.shot { name = "banner_tears", fps = 24, duration = 4.0 }
local width, height, rows = 0.8, 1.2, 37

local function panel(name, center, color)
  local cloth = shot:cloth {
    name = name,
    mesh = retake.mesh.grid { size = { width, height }, vertices = { 25, rows }, center = { center, 1.5, 0 } },
    material = retake.material.fabric "cotton",
  }
  cloth:look { color = color, roughness = 0.8 }
  return cloth
end
local left = panel("left", -width / 2 - 0.0015, "#d8a03a")
local right = panel("right", width / 2 + 0.0015, "#a3312b")

local seam = shot:stitch { name = "seam", a = left:edge "right", b = right:edge "left", breaks_at = strength }

-- Both ends are held; the right one is turned away about its foot, so that the seam opens from above.
shot:pin { name = "pole", points = left:edge "left" }
local hand = shot:pin { name = "hand", points = right:edge "right" }
hand:rotate { starts = 0.5, ends = 3.5, angle = -24, axis = { 0, 0, 1 }, about = { width, 0.9, 0 }, ease = "smooth" }

shot:drag { linear = 0.8 }
shot:wind { velocity = { 0.4, 0, 1.2 }, turbulence = 0.4, gust_size = 0.6 }
shot:ground { height = 0, friction = 0.5 }:look { color = "#7d8488", roughness = 0.7 }
shot:camera { name = "street", position = { 0.4, 1.6, 3.6 }, look_at = { 0.12, 1.45, 0 }, lens = 38 }

shot:on_frame(function(frame, world)
  if world:broken(seam) and not world.memory.torn then
    world.memory.torn = true
    world:event { name = "the seam begins to tear", body = "right" }
  end
end)
shot:measure { name = "stretch", unit = "%", max = 4, value = function(world)
  return 100 * math.max(world:body("left"):stretch(), world:body("right"):stretch())
end }
shot:output { images = { width = 640, height = 480, samples = 16, every = 24 } }
return shot
