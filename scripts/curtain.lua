-- Two stage curtains close, hang still, and open again.
local retake = require "retake"

local pleats = retake.param("pleats", 9, { integer = true, min = 3, max = 16, help = "folds of each curtain" })
local fabric = retake.param("fabric", "wool", { choices = { "silk", "cotton", "wool", "denim" } })

local shot = retake.shot { name = "curtain", fps = 24, duration = 6.0 }
local flat, height = 2.3, 2.2 -- metres of fabric in each curtain

-- The fabric hangs in pleats: a zigzag of `open` metres whose length along the cloth is `flat`.
local open, closed = 0.62, 1.5
local shut = closed - 0.015 -- the two meet with a finger's breadth between them
local function depth(width) return 0.5 / pleats * math.sqrt((flat / 2) ^ 2 - (width / 2) ^ 2) end
local function zigzag(t) return 4 * math.abs((t - 0.25) % 1 - 0.5) - 1 end

local function curtain(name, side)
  local mesh = retake.mesh.grid { size = { flat, height }, vertices = { 8 * pleats + 1, 34 }, center = { 0, 0.04 + height / 2, 0 } }
  mesh = mesh:displaced(function(p)
    local along = p.x / flat + 0.5 -- 0 at the outer edge of the left curtain
    if side > 0 then along = 1 - along end
    return side * (closed - along * open), p.y, depth(open) * zigzag(pleats * along)
  end)
  local cloth = shot:cloth { name = name, mesh = mesh, material = retake.material.fabric(fabric), rest = "flat", friction = 0.3 }
  cloth:look { color = "#8e1420", roughness = 0.75 }

  -- The rail: gathered at the sides, drawn together, and drawn apart.
  local rail = shot:pin { name = name .. " rail", points = cloth:edge "top" }
  local wide, deep = shut / open, depth(shut) / depth(open)
  rail:scale { starts = 0.6, ends = 2.4, by = { wide, 1, deep }, about = { side * closed, height, 0 }, ease = "smooth" }
  rail:scale { starts = 3.8, ends = 5.4, by = { 1 / wide, 1, 1 / deep }, about = { side * closed, height, 0 }, ease = "smooth" }
  return cloth
end

local left, right = curtain("left", -1), curtain("right", 1)

local rod = retake.mesh.cylinder { radius = 0.02, height = 3.4, segments = 24 }
shot:collider { name = "rod", mesh = rod, translate = { 0, height + 0.08, 0 }, rotate = { 0, 0, 90 }, collides = false }
  :look { color = "#b08d4f", metallic = 1, roughness = 0.3 }
shot:ground { height = 0, friction = 0.5 }:look { color = "#5a4636", roughness = 0.4 }
shot:drag { linear = 0.6 }

shot:camera { name = "stalls", position = { 0, 1.2, 4.5 }, look_at = { 0, 1.13, 0 }, lens = 38 }
shot:measure { name = "stretch", unit = "%", max = 2, value = function(world)
  return 100 * math.max(world:body("left"):stretch(), world:body("right"):stretch())
end }
shot:output { images = { width = 960, height = 540, samples = 16, every = 18 }, obj = true }
return shot
