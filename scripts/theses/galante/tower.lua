-- Galante 2009, experiment 4: a tower of 20 boxes at a step of 0.030 s, with steps back in time and without.
--
--   retake run scripts/theses/galante/tower.lua --set shock=false --set rollback=false
--
-- With shock propagation it stands either way; without it, it falls, unless steps are taken back.
local retake = require "retake"

local method = retake.param("method", "impulses", { choices = { "auto", "impulses" }, help = "impulses are the thesis' own" })
local rollback = retake.param("rollback", true, { help = "whether steps that turn out too rough are taken again" })
local shock = retake.param("shock", true, { help = "whether impulses end by shock propagation" })
local duration = retake.param("duration", 3, { min = 0.03, max = 60, unit = "s" })

-- A frame a step.
local shot = retake.shot{ name = "galante_tower", fps = { 100, 3 }, duration = duration }
shot:ground{}:look{ color = "#77736c", roughness = 0.8 }
local boxes = {}
for i = 1, 20 do
  boxes[i] = shot:rigid{ name = ("box %02d"):format(i), mesh = retake.mesh.box{ size = 0.2 }, density = 700, translate = { 0, 0.2002 * i - 0.1, 0 } }
  boxes[i]:look{ color = i % 2 == 0 and "#c8553d" or "#d9c7a3", roughness = 0.5 }
end
local solver = { method = method, guard = method == "auto" and "enforce" or "report", fixed_step = 0.03, rollback = rollback }
if method == "impulses" then solver.shock = shock end
shot:solver(solver)
shot:measure{ name = "lean of the worst", unit = "degrees", value = function(world)
  local worst = 0
  for _, box in ipairs(boxes) do
    worst = math.max(worst, math.deg(math.acos(math.min(1, world:body(box):up()[2]))))
  end
  return worst
end }
shot:measure{ name = "height of the topmost", unit = "m", value = function(world) return world:body(boxes[20]):position()[2] end }
shot:camera{ position = { 5, 2.6, 5 }, look_at = { 0, 1.9, 0 }, lens = 32 }
shot:output{ sheet = 9 }
return shot
