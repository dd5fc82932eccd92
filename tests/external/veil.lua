-- A veil and a rope hang from a bar that slides: broken frames a second, a first frame beyond 1. Comes into
-- Blender through MDD caches; its USD and Alembic files are written while it is simulated.
local retake = require "retake"

local shot = retake.shot { name = "veil", fps = { 24000, 1001 }, frames = 8, start_frame = 11 }
local ends = shot:time(19)

local bar = shot:collider {
  name = "bar", group = "rig",
  mesh = retake.mesh.box { size = { 0.9, 0.03, 0.03 } },
  translate = retake.keys { { 0, { 0, 1, 0 } }, { ends, { 0.1, 1, 0.15 }, ease = "linear" } },
}
local veil = shot:cloth {
  name = "veil", group = "rig/hangings",
  mesh = retake.mesh.grid { size = { 0.5, 0.4 }, vertices = { 9, 8 }, center = { -0.15, 0.76, 0 } },
}
veil:look { color = "#d8c9b0", opacity = 0.8 }
shot:attach { points = veil:edge "top", to = bar }
local cord = shot:rope {
  name = "cord", group = "rig/hangings", radius = 0.008,
  mesh = retake.mesh.rope { from = { 0.3, 0.96, 0 }, to = { 0.3, 0.5, 0 }, segments = 9 },
}
shot:attach { points = cord:vertices { 0 }, to = bar }
shot:output { obj = true, usd = true, alembic = true, caches = "mdd", sheet = 0, images = false }
return shot
