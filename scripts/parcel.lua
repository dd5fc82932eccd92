-- A cord with a loose overhand knot lies round a soft ball. Its ends are pulled: the knot closes, and the ball gives way.
local retake = require "retake"

local pull = retake.param("pull", 0.16, { min = 0, max = 0.2, unit = "m", help = "how far each end is pulled" })
local segments = retake.param("segments", 110, { integer = true, min = 60, max = 300 })
local cells = retake.param("cells", 8, { integer = true, min = 4, max = 16, help = "cells across the ball" })

local shot = retake.shot { name = "parcel", fps = 24, duration = 3.0, gravity = { 0, 0, 0 } }
local radius, thick = 0.1, 0.006

local ball = shot:soft {
  name = "ball", friction = 0.4, mesh = retake.mesh.tet_ball { radius = radius, cells = cells },
  material = retake.material.soft { young = 6000, poisson = 0.4, density = 300, damping = 0.05 },
}
ball:look { color = "#c8452d", roughness = 0.35 }

-- From the ball's crown each half goes down one side; above it both go about each other once and a half.
local loop, wide, from, to = radius + 0.012, 0.014, radius + 0.03, radius + 0.085
local half = {} -- of the right side, from the ball's bottom to the end, which comes out on the left
for k = 0, 30 do
  local a = math.rad(-90 + 166 * k / 30)
  half[#half + 1] = { loop * math.cos(a), loop * math.sin(a), 0 }
end
for k = 0, 30 do
  local a = 3 * math.pi * k / 30
  half[#half + 1] = { wide * math.cos(a), from + (to - from) * k / 30, wide * math.sin(a) }
end
half[#half + 1] = { -0.06, to + 0.01, 0 }
half[#half + 1] = { -0.12, to + 0.01, 0 }
local path = {}
for k = #half, 2, -1 do path[#path + 1] = { -half[k][1], half[k][2], -half[k][3] } end
for k = 1, #half do path[#path + 1] = half[k] end

local cord = shot:rope {
  name = "cord", radius = thick / 2, density = 900, stretch = 2e3, bend = 2e-6, friction = 0.25,
  mesh = retake.mesh.rope { path = retake.path(path), segments = segments },
}
cord:look { color = "#efe6d0", roughness = 0.9 }
for side, vertex in pairs { [1] = 0, [-1] = segments } do
  shot:pin { name = side == 1 and "right hand" or "left hand", points = cord:vertices { vertex } }
    :translate { starts = 0.2, ends = 2.2, by = { side * pull, -0.05, 0 }, ease = "smooth" }
end
shot:drag { linear = 1 }

shot:camera { name = "front", position = { 0.12, 0.26, 0.7 }, look_at = { 0, 0.04, 0 }, lens = 42 }
-- When they are drawn out, the knot holds what both hands pull.
shot:measure { name = "tension", unit = "N", min = 1, value = function(world)
  return world.time < 2.2 and 1 or math.min(world:reaction("left hand"), world:reaction("right hand"))
end }
shot:output { images = { width = 640, height = 480, samples = 16, every = 12 } }
return shot
