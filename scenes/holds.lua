-- Every kind of hold in one small scene: a seam that closes, a pin let go by a callback, points that freeze,
-- with a preroll, a first frame of 1001 and a shot that slows down.
local retake = require "retake"

local shot = retake.shot { name = "holds", fps = 24, duration = 2.0, preroll = 0.25, start_frame = 1001, speed = retake.keys{ {0,1}, {1,0.5} } }
local a = shot:cloth { name = "a", mesh = retake.mesh.grid { size = { 0.6, 0.6 }, vertices = { 13, 13 }, center = {-0.32, 1, 0} } }
local b = shot:cloth { name = "b", mesh = retake.mesh.grid { size = { 0.6, 0.6 }, vertices = { 13, 13 }, center = {0.32, 1, 0} } }
local pa = shot:pin { name = "pa", points = a:edge "top" }
local pb = shot:pin { name = "pb", points = b:corner "top-right" }
shot:stitch { name = "zip", a = a:edge "right", b = b:edge "left", gap = "close" }
shot:freeze { name = "ice", points = b:all(), inside = { {-2, -1, -2}, {2, 0.45, 2} } }
shot:on_frame(function(frame, world) if frame == 1020 then pa:release{} end end)
shot:ground{ height = 0 }
shot:measure { name = "hold of the corner", unit = "N", max = 40, value = function(world) return world:reaction "pb" end }
shot:output{ gltf=false, caches=false, sheet = { 1001, 1015, 1030, 1049 } }
return shot
