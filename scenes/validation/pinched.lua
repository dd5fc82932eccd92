-- Two plates close on a hanging cloth, and their keys go on until they would lie in each other by `deep`. What is between keeps them apart, so
-- that they stop, never meet (gap above 0), and nothing crosses; when the keys open, they go back with them.
local retake = require "retake"

local deep = retake.param("deep", 0.004, { min = 0, max = 0.02, unit = "m", help = "how far into each other the keys bring the plates" })
local there = retake.param("there", true, { help = "false: the cloth lets the plates through" })

local shot = retake.shot { name = "pinched", fps = 24, duration = 2 }
local size, thick = 0.3, 0.04
local cloth = shot:cloth { name = "cloth", thickness = 0.002, collides = there, material = retake.material.fabric "cotton",
  mesh = retake.mesh.grid { size = { 0.5, 0.5 }, vertices = { 17, 17 }, center = { 0, 0.1, 0 } } }
cloth:look { color = "#8e1420" }
shot:pin { points = cloth:edge "top" }

-- From 5 cm apart to `deep` within each other, held, and away.
for side, name in pairs { [-1] = "back", [1] = "front" } do
  local apart, within = side * (thick / 2 + 0.025), side * (thick - deep) / 2
  shot:collider { name = name, friction = 0.5, mesh = retake.mesh.box { size = { size, size, thick } }, translate = retake.keys {
    { 0, { 0, 0, apart } }, { 0.8, { 0, 0, within }, ease = "smooth" }, { 1, { 0, 0, within } }, { 1.5, { 0, 0, apart }, ease = "smooth" } } }
    :look { color = "#9aa3ad", metallic = 1, roughness = 0.3 }
end
shot:drag { linear = 0.5 }

local function gap(world)
  local _, back = world:body("back"):bounds()
  local front = world:body("front"):bounds()
  return front[3] - back[3]
end
shot:measure { name = "gap", unit = "m", min = 0, value = gap }
shot:measure { name = "open at last", unit = "m", min = 0.0499, max = 0.0501, value = function(world) return world.time > 1.99 and gap(world) or 0.05 end }
shot:measure { name = "held by the plates", unit = "m", min = 0, max = 0.0024, value = function(world)
  return world.time > 0.8 and world.time < 1 and gap(world) or 0
end }
shot:camera { position = { 0.8, 0.3, 0.4 }, look_at = { 0, 0, 0 }, lens = 45 }
return shot
