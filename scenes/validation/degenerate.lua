-- Degenerate contacts (Erleben 2018, and the unit scenes of Li et al. 2020): spikes, wedges and boxes fall exactly aligned on fixed ones, tip on
-- tip, edge along edge, face on face. None crosses (verify), none gets a place that is no number, goes under the ground, or gains energy.
local retake = require "retake"

local guard = retake.param("guard", "enforce", { choices = { "enforce", "off" } })
local guarded = guard == "enforce"

local shot = retake.shot { name = "degenerate", fps = 24, duration = 2 }
shot:solver { guard = guard, rollback = guarded }
shot:collisions { friction = 0.3 }
shot:ground { height = -0.5 }:look { color = "#6b665c", roughness = 0.9 }

-- Each mesh with its lowest place, or as a fixed one its highest, at the origin.
local spike_up = retake.mesh.cone { radius = 0.1, height = 0.3, segments = 4, center = { 0, -0.15, 0 } }
local spike_down = spike_up:moved { rotate = { 180, 0, 0 } }
local function wedge(turn, y) return retake.mesh.cylinder { radius = 0.1, height = 0.3, segments = 3 }:moved { rotate = { 0, 0, turn }, translate = { 0, y, 0 } } end
local wedge_up, wedge_down = wedge(90, -0.1), wedge(-90, 0.1)
local box = retake.mesh.box { size = 0.2, center = { 0, 0.1, 0 } }
local block = retake.mesh.box { size = 0.2, center = { 0, -0.1, 0 } }
local on_edge = box:moved { translate = { 0, -0.1, 0 }, rotate = { 0, 0, 45 } }:moved { translate = { 0, 0.1 * math.sqrt(2), 0 } }
local edge_up = on_edge:moved { translate = { 0, -0.2 * math.sqrt(2), 0 } }
local tilt = math.deg(math.atan(math.sqrt(0.5)))
local on_corner = box:moved { translate = { 0, -0.1, 0 } }:moved { rotate = { 45, 0, 0 } }:moved { rotate = { 0, 0, tilt }, translate = { 0, 0.1 * math.sqrt(3), 0 } }
local corner_up = on_corner:moved { translate = { 0, -0.2 * math.sqrt(3), 0 } }
local crack = retake.mesh.join { block:moved { translate = { -0.14, 0, 0 } }, block:moved { translate = { 0.14, 0, 0 } } }
local hole = retake.mesh.box { size = 0.28, open = "top", wall = 0.1, center = { 0, -0.14, 0 } }
local seam = retake.mesh.join { block:moved { translate = { -0.1001, 0, 0 } }, block:moved { translate = { 0.1001, 0, 0 } } }
local quarter, aside = 90, { 0.1, 0, 0 }

-- What falls, on what, turned by, moved aside by.
local pairs_ = {
  { spike_down, spike_up }, { spike_down, wedge_up }, { wedge_down, spike_up }, { wedge_down, wedge_up }, { wedge_down, wedge_up, quarter },
  { spike_down, crack }, { wedge_down, crack }, { wedge_down, crack, quarter }, { spike_down, hole }, { wedge_down, hole }, { spike_down, block },
  { wedge_down, block }, { spike_down, block, 0, aside }, { wedge_down, block, quarter, aside }, { box, block }, { box, block, 0, aside },
  { box, block, 0, { 0.2, 0, 0 } }, { box, block, 0, { 0.1, 0, 0.1 } }, { box, block, 45 }, { box, seam }, { on_edge, edge_up }, { on_edge, edge_up, quarter },
  { on_edge, block, 0, aside }, { on_corner, corner_up }, { on_corner, block }, { on_corner, block, 0, { 0.1, 0, 0.1 } }, { box, spike_up }, { box, edge_up },
}
local falling = {}
for i, pair in ipairs(pairs_) do
  local x, z, off = (i - 1) % 7, (i - 1) // 7, pair[4] or { 0, 0, 0 }
  shot:collider { name = "fixed " .. i, mesh = pair[2], translate = { x, 0, z } }:look { color = "#77716a", roughness = 0.8 }
  falling[i] = shot:rigid { name = "falls " .. i, mesh = pair[1], density = 1000, translate = { x + off[1], 0.05, z + off[3] }, rotate = { 0, pair[3] or 0, 0 } }
  falling[i]:look { color = "#c8553d", roughness = 0.5 }
end

shot:measure { name = "lowest", unit = "m", min = -0.5, value = function(world)
  local least = math.huge
  for _, body in ipairs(falling) do least = math.min(least, (world:body(body):bounds())[2]) end
  return least
end }
-- From the highest start to the ground is 0.85 m: sqrt(2 g 0.85) = 4.1 m/s.
shot:measure { name = "fastest middle", unit = "m/s", max = 4.1, value = function(world)
  local most = 0
  for _, body in ipairs(falling) do
    for _, v in ipairs(world:body(body):velocity()) do most = math.max(most, v == v and math.abs(v) or math.huge) end
  end
  return most
end }
return shot
