-- A box of m = 2 kg on a spring joint of k = 200 N/m, let go at the spring's rest length: it swings by m g / k to both sides of a sag of
-- m g / k, with 2 pi sqrt(m / k) (0.5 %); one that a drag brakes comes to rest at m g / k.
local retake = require "retake"

local stiffer = retake.param("stiffer", 1, { min = 0.1, max = 10, help = "how many times as stiff the springs are; the check is for 1" })

local shot = retake.shot { name = "spring", fps = 48, duration = 5 }
local mass, k, length = 2, 200, 1
local beam = shot:collider { name = "beam", mesh = retake.mesh.box { size = { 3, 0.1, 0.2 } }, translate = { 0.5, length + 0.05, 0 } }
for i, name in ipairs { "swings", "hangs" } do
  local x = i - 1
  local box = shot:rigid { name = name, mesh = retake.mesh.box { size = 0.1 }, mass = mass, translate = { x, 0, 0 } }
  box:look { color = "#c8553d", roughness = 0.4 }
  shot:joint { kind = "spring", a = box:point { x, 0.05, 0 }, b = beam:point { x, length, 0 }, stiffness = k * stiffer }
end
shot:drag { linear = 4, bodies = "hangs" }

local sag, period = mass * 9.81 / k, 2 * math.pi * math.sqrt(mass / k)
-- Moments at which the box comes down through the middle of its swing, by a straight line between two frames.
shot:on_frame(function(_, world)
  local m, y = world.memory, world:body("swings"):position()[2] + sag
  if m.before and m.before > 0 and y <= 0 then
    m.first, m.last, m.count = m.first or world.time - y / (y - m.before) / 48, world.time - y / (y - m.before) / 48, (m.count or -1) + 1
  end
  m.before, m.lowest = y, math.min(m.lowest or 0, y)
end)
local function ended(world) return world.time > 4.99 end
shot:measure { name = "period", unit = "s", min = 0.995 * period, max = 1.005 * period, value = function(world)
  local m = world.memory
  return ended(world) and (m.last - m.first) / m.count or period
end }
shot:measure { name = "sag", unit = "m", min = 0.995 * sag, max = 1.005 * sag, value = function(world)
  return ended(world) and -world:body("hangs"):position()[2] or sag
end }
shot:measure { name = "swing", unit = "m", value = function(world) return -(world.memory.lowest or 0) end }
shot:camera { position = { 0.5, 0.5, 3 }, look_at = { 0.5, 0.4, 0 }, lens = 45 }
return shot
