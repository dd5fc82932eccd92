-- A four-bar linkage (crank 0.1, coupler 0.3, rocker 0.25, ground 0.3 m), whose crank a motor turns. Freudenstein: with the crank at angle t its
-- pin is B = 0.1 (cos t, sin t), D = (0.3, 0), s = |BD|, and the coupler's other pin C lies where circles of 0.3 about B and 0.25 about D meet.
local retake = require "retake"

local rocker = retake.param("rocker", 0.25, { min = 0.2, max = 0.3, unit = "m", help = "length of the rocker that is built; the check is for 0.25" })

local shot = retake.shot { name = "four_bar", fps = 24, duration = 4 }
local a, b, c, d, speed = 0.1, 0.3, 0.25, 0.3, 120

local function closed(t, third)
  local bx, by = a * math.cos(t), a * math.sin(t)
  local s = math.sqrt((d - bx) ^ 2 + by * by)
  local along = (b * b - third * third + s * s) / (2 * s)
  local off = math.sqrt(b * b - along * along)
  local ux, uy = (d - bx) / s, -by / s
  return bx, by, bx + along * ux - off * uy, by + along * uy + off * ux
end

local start = math.rad(60)
local bx, by, cx, cy = closed(start, rocker)
local function bar(name, x0, y0, x1, y1, layer, color)
  local length = math.sqrt((x1 - x0) ^ 2 + (y1 - y0) ^ 2)
  local body = shot:rigid { name = name, mesh = retake.mesh.box { size = { length + 0.03, 0.03, 0.01 } }, density = 2000,
    translate = { (x0 + x1) / 2, (y0 + y1) / 2, layer * 0.02 }, rotate = { 0, 0, math.deg(math.atan(y1 - y0, x1 - x0)) } }
  body:look { color = color, metallic = 1, roughness = 0.4 }
  return body
end
local bars = {
  bar("crank", 0, 0, bx, by, 0, "#c8553d"), bar("coupler", bx, by, cx, cy, 1, "#9aa3ad"), bar("rocker", cx, cy, d, 0, 0, "#b08d4f"),
}
local axis = { 0, 0, 1 }
local joints = {
  shot:joint { kind = "hinge", a = bars[1], about = { 0, 0, 0 }, axis = axis, motor = speed },
  shot:joint { kind = "hinge", a = bars[2], b = bars[1], about = { bx, by, 0.01 }, axis = axis },
  shot:joint { kind = "hinge", a = bars[2], b = bars[3], about = { cx, cy, 0.01 }, axis = axis },
  shot:joint { kind = "hinge", a = bars[3], about = { d, 0, 0 }, axis = axis },
}

shot:measure { name = "loop gap", unit = "m", max = 1e-6, value = function(world)
  local most = 0
  for _, joint in ipairs(joints) do most = math.max(most, world:apart(joint)) end
  return most
end }
-- Angles at the crank's own angle, each to 0.01 degrees: 1e-6 m over bars of 0.1 m are 0.0006.
for i, name in ipairs { "coupler", "rocker" } do
  shot:measure { name = name .. " off by", unit = "degrees", min = -0.01, max = 0.01, value = function(world)
    local x0, y0, x1, y1 = closed(start + math.rad(world:travel(joints[1])), c)
    local want = i == 1 and math.atan(y1 - y0, x1 - x0) or math.atan(-y1, d - x1)
    return (world:body(bars[i + 1]):rotation()[3] - math.deg(want) + 180) % 360 - 180
  end }
end
shot:measure { name = "crank", unit = "degrees", value = function(world) return world:travel(joints[1]) end }
shot:measure { name = "turned", unit = "degrees", min = 479, value = function(world) return world.time < 3.99 and 480 or world:travel(joints[1]) end }
shot:camera { position = { 0.15, 0.1, 1 }, look_at = { 0.15, 0.1, 0 }, lens = 40 }
return shot
