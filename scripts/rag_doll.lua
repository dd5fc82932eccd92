-- A rag doll is pushed and tumbles down a flight of stairs.
local retake = require "retake"

local push = retake.param("push", 2.8, { min = 0, max = 5, unit = "m/s", help = "how fast its head goes ahead" })
local steps = retake.param("steps", 8, { integer = true, min = 2, max = 14, help = "steps of the stairs" })

local shot = retake.shot{ name = "rag_doll", fps = 24, duration = 4 }
shot:collisions{ friction = 0.3 }
shot:ground{}:look{ color = "#6d6a66", roughness = 0.7 }
local top, treads = 0.17 * (steps + 1), {}
for i = 0, steps do
  local high = top - 0.17 * i
  treads[i + 1] = retake.mesh.box{ size = { i == 0 and 1 or 0.3, high, 1.8 }, center = { i == 0 and -0.25 or 0.1 + 0.3 * i, high / 2, 0 } }
end
shot:collider{ name = "stairs", mesh = retake.mesh.join(treads) }:look{ color = "#b79a6d", roughness = 0.6 }
-- Bones stand upright and look along x; all of it leans ahead, and turns a little, as one.
local function bone(name, mesh, y, z, color)
  return shot:rigid{
    name = name, mesh = mesh, translate = { 0, top + y, z }, color = color,
    velocity = { push * (y / 1.6) - 1.2 * z, 0, 0 }, spin = { 0, -69, -57.3 * push / 1.6 },
  }
end
local function limb(name, r, low, high, z, color)
  return bone(name, retake.mesh.capsule{ radius = r, height = high - low, segments = 12 }, (low + high) / 2, z, color)
end
local joints, least, most = {}, {}, {} -- how far each may go [degrees]
local function join(kind, a, b, y, z, axis, low, high)
  local at, limits = { 0, top + y, z }, kind == "ball" and high or { low, high }
  joints[#joints + 1] = shot:joint{ kind = kind, a = a, b = b, about = at, axis = axis, limits = limits, damping = 0.4 }
  least[#joints], most[#joints] = low, high
end
local pelvis = bone("pelvis", retake.mesh.box{ size = { 0.18, 0.16, 0.3 } }, 1.0, 0, "#3d5a80")
local chest = bone("chest", retake.mesh.box{ size = { 0.2, 0.36, 0.34 } }, 1.28, 0, "#c8553d")
local head = bone("head", retake.mesh.sphere{ radius = 0.11, subdivisions = 2 }, 1.63, 0, "#e8c39e")
join("ball", chest, pelvis, 1.09, 0, { 0, 1, 0 }, 0, 35)
join("ball", head, chest, 1.5, 0, { 0, 1, 0 }, 0, 40)
for side = -1, 1, 2 do
  local name, hip, shoulder = side < 0 and "left " or "right ", 0.09 * side, 0.235 * side
  local thigh = limb(name .. "thigh", 0.07, 0.5, 0.96, hip, "#3d5a80")
  local upper = limb(name .. "upper arm", 0.05, 1.13, 1.45, shoulder, "#c8553d")
  join("ball", thigh, pelvis, 0.92, hip, { 0, -1, 0 }, 0, 70)
  join("hinge", limb(name .. "shin", 0.055, 0.03, 0.52, hip, "#e8c39e"), thigh, 0.51, hip, { 0, 0, 1 }, -130, 0)
  join("ball", upper, chest, 1.41, shoulder, { 0, -1, 0 }, 0, 100)
  join("hinge", limb(name .. "forearm", 0.042, 0.83, 1.15, shoulder, "#e8c39e"), upper, 1.14, shoulder, { 0, 0, 1 }, 0, 135)
end

local function worst(of) return function(world)
  local found = 0
  for i, joint in ipairs(joints) do found = math.max(found, of(world, joint, i)) end
  return found
end end
shot:measure{ name = "joints apart", unit = "mm", max = 1, value = worst(function(world, joint) return 1000 * world:apart(joint) end) }
shot:measure{ name = "past its limits", unit = "degrees", max = 0.1, value = worst(function(world, joint, i)
  return math.max(world:travel(joint) - most[i], least[i] - world:travel(joint))
end) }
shot:measure{ name = "steps gone down", min = steps, value = function(world)
  return world.time < 3 and steps or (top + 1 - world:body("pelvis"):position()[2]) / 0.17
end }
shot:camera{ position = { 3.6, 2.3, 3.9 }, look_at = { 1.2, 0.75, 0 }, lens = 32 }
return shot
