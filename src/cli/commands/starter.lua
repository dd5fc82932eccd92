-- NAME: a cloth falls over a ball.
--
--   retake run NAME.lua                       simulate, export, draw; Ctrl-C stops, run goes on
--   retake run NAME.lua --set fabric=silk     another value of a parameter
--   retake sweep NAME.lua --vary fabric=silk,cotton,denim
--   retake params NAME.lua                    what can be set
--
-- Metres, kilograms, seconds, degrees; Y is up.

local retake = require "retake"

local fabric = retake.param("fabric", "cotton", {
  choices = { "silk", "cotton", "denim" }, help = "what the cloth is made of",
})
local cells = retake.param("cells", 40, {
  integer = true, min = 4, max = 200, help = "squares along each edge of the cloth",
})

local shot = retake.shot { name = "NAME", fps = 24, duration = 3.0 }

shot:ground { height = 0, friction = 0.5 }

local ball = shot:collider {
  name = "ball",
  mesh = retake.mesh.sphere { radius = 0.35, subdivisions = 4 },
  translate = { 0, 0.35, 0 },
  friction = 0.3,
}
ball:look { color = "#e8e2d4", roughness = 0.4 }

local cloth = shot:cloth {
  name = "cloth",
  mesh = retake.mesh.grid {
    size = { 1.4, 1.4 }, vertices = { cells + 1, cells + 1 }, normal = { 0, 1, 0 },
  },
  material = retake.material.fabric(fabric),
  translate = { 0, 0.85, 0 },
  rotate = { 0, 20, 0 },
}
cloth:look { color = "#b5483a", roughness = 0.8 }

-- Hold one edge and let it go after a second; take the lines out to see it fall freely.
local hand = shot:pin { points = cloth:edge "top" }
hand:translate { starts = 0.0, ends = 1.0, by = { 0, 0.2, 0.3 } }
hand:release { at = 1.0 }

shot:camera { name = "main", position = { 2.4, 1.8, 3.4 }, look_at = { 0, 0.55, 0 }, lens = 48 }

return shot
